/* pull.c - a file leaves as its reader takes it: from the loop, in order, and whatever becomes of
   the reader, the call or the memory, it is closed and its reply ends well */
#include "web.h"

#include <fcntl.h>
#ifndef _WIN32
#include <unistd.h>
#endif

enum { SIZE = 5 * 32 * 1024 + 7, FD_UNKNOWN = -2 };
static const char path[] = "pull.txt";
static char text[SIZE + 1];
static mcp_call *held;

static int one(mcp_call *c) { return mcp_file(c, "text/plain", path); }
static int told(mcp_call *c) {
    mcp_progress(c, 1, 2, "soon");
    return one(c);
}
static int then(mcp_call *c) {
    one(c);
    return mcp_text(c, "behind");
}
static int writes_on(mcp_call *c) {
    one(c);
    return mcp_block_write(c, "x", 1);
}
static int ends_it(mcp_call *c) {
    one(c);
    return mcp_block_end(c);
}
static int fails(mcp_call *c) {
    one(c);
    return mcp_fail(c, "no more");
}
static int refuses(mcp_call *c) {
    one(c);
    return mcp_error(c, 7, "no more");
}
static int decorates(mcp_call *c) {
    static const mcp_annotations first = { .priority = 1 };
    one(c);
    mcp_put_int(mcp_block_meta(c), "n", 1);
    mcp_put_int(mcp_structured(c), "n", 2);
    return mcp_annotate(c, &first);
}
static int gave_up;
static void count_it(void *arg) { *(int *)arg += 1; }
static int watches(mcp_call *c) {
    mcp_on_cancel(c, count_it, &gave_up);
    return one(c);
}
static int returns_nonsense(mcp_call *c) {
    one(c);
    return 99;
}
static int later(mcp_call *c) {
    held = c;
    return mcp_defer(c);
}
static int done_at_once(mcp_call *c) {
    int rc = mcp_defer(c);
    mcp_done(c, one(c));
    return rc;
}
static int hangs_up(mcp_call *c) {
    mcp_defer(c);
    told(c);
    mcp_hang_up(c, 10);
    held = c;
    return MCP_PENDING;
}
static int echo(mcp_call *c) { return mcp_text(c, "hi"); }

static const mcp_tool tools[] = {
    { .name = "one", .call = one }, { .name = "told", .call = told },
    { .name = "then", .call = then }, { .name = "writes_on", .call = writes_on },
    { .name = "ends_it", .call = ends_it }, { .name = "fails", .call = fails },
    { .name = "refuses", .call = refuses }, { .name = "decorates", .call = decorates },
    { .name = "returns_nonsense", .call = returns_nonsense }, { .name = "later", .call = later },
    { .name = "watches", .call = watches },
    { .name = "done_at_once", .call = done_at_once }, { .name = "hangs_up", .call = hangs_up },
    { .name = "echo", .call = echo }, { 0 } };
static const mcp_resource resources[] = { { .uri = "file:///pull", .file = path }, { 0 } };

/* ---- a reader that takes what it is allowed to ---- */

static peer reader, other;
static bool ready;
static bool takes(mcp_conn *k) { return (void)k, ready; }

static int free_fd(void) { /* the next descriptor that there is */
#ifdef _WIN32
    return FD_UNKNOWN;
#else
    int fd = open("/dev/null", O_RDONLY);
    close(fd);
    return fd;
#endif
}
static int fd_before;

static void begin(void) {
    fresh();
    desc.tools = tools;
    desc.resources = resources;
    desc.limits.spill = 4096;
    serve();
    fd_before = free_fd();
    ready = false;
    CHECK(peer_open(&reader) && peer_open(&other));
    inside_set_ready(reader.conn, takes);
}
static void end(void) {
    if (reader.conn) peer_close(&reader);
    if (other.conn) peer_close(&other);
    CHECK_INT(free_fd(), fd_before);
    stop();
}

static const char *request_bytes(const char *headers, const char *body) {
    char length[40];
    snprintf(length, sizeof length, "%u", (unsigned)strlen(body));
    return text_of("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                   "Accept: application/json, text/event-stream\r\n%sContent-Length: %s\r\n\r\n%s",
                   headers, length, body);
}
static const char *calls(const char *tool) {
    const char *headers = text_of("MCP-Protocol-Version: " MODERN "\r\nMcp-Method: tools/call\r\n"
                                  "Mcp-Name: %s\r\n%s%s", tool, "", "");
    return request_bytes(headers, text_of(
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\","
        "\"_meta\":{" HARNESS_META ",\"progressToken\":1}}}%s%s", tool, "", ""));
}

/* The body of what came, its chunks put together; "" if it is not whole. */
static const char *body(const peer *p) {
    static harness_bytes b;
    const char *s = p->out.at ? strstr(p->out.at, "\r\n\r\n") : NULL;
    bool chunked = s && strstr(p->out.at, "chunked") && strstr(p->out.at, "chunked") < s;
    b.n = 0;
    harness_add(&b, "", 0);
    if (!s || !chunked) return s ? s + 4 : "";
    for (s += 4; *s;) {
        char *data;
        unsigned long n = strtoul(s, &data, 16);
        if (strncmp(data, "\r\n", 2)) return "(no chunk)";
        if (!n) return b.at;
        if (n > strlen(data + 2)) return "";
        harness_add(&b, data + 2, n);
        s = data + 2 + n + 2;
    }
    return "";
}

static void take_all(void) {
    ready = true;
    for (int i = 0; i < 100 && !*body(&reader); i++) mcp_poll(w.server);
    ready = false;
}

static const char *message(void) { /* also the last of a stream's */
    const char *s = body(&reader), *at = s, *next;
    while ((next = strstr(at, "data: ")) != NULL) at = next + 6;
    return keep(at, strcspn(at, "\n"));
}
static const char *whole(const char *more) {
    return text_of("[{\"type\":\"text\",\"text\":\"%s\"%s}]%s", text, more, "");
}

/* ---- tests ---- */

TEST(it_waits_for_its_reader_and_others_do_not) {
    begin();
    say(&reader, calls("one"));
    size_t had = reader.out.n;
    CHECK(had > 0 && had < 2 * 32 * 1024 && !*body(&reader));
    CHECK_INT(mcp_poll(w.server) > 0, 1);
    CHECK_INT(reader.out.n, had);                      /* nobody reads: nothing comes */
    say(&other, calls("echo"));
    CHECK(strstr(body(&other), "\"hi\"") != NULL);
    ready = true;
    mcp_poll(w.server);
    take_all();
    const char *r = part(message(), "result");
    CHECK_STR(part(r, "content"), whole(""));
    CHECK_STR(part(r, "isError"), "false");
    peer_came(&reader);
    say(&reader, calls("echo"));                       /* the connection goes on */
    CHECK(strstr(body(&reader), "\"hi\"") != NULL);
    end();
}

TEST(a_fast_reader_leaves_others_their_turn) {
    static const int most = 64 * 32 * 1024;            /* what leaves in a row */
    static char line[32 * 1024];
    begin();
    memset(line, 'y', sizeof line);
    FILE *f = fopen(path, "wb");
    for (int i = 0; f && i < 200; i++) fwrite(line, 1, sizeof line, f);
    if (f) fclose(f);
    ready = true;
    say(&reader, calls("one"));
    CHECK(reader.out.n > 0 && reader.out.n < (size_t)most + 200000);
    for (int turns = 1; turns < 10; turns++) {
        if (*body(&reader)) {
            CHECK_INT(turns, 4);
            break;
        }
        int64_t wait = mcp_poll(w.server);
        CHECK_INT(wait == 0, !*body(&reader));
    }
    CHECK(strlen(part(part(message(), "result"), "content")) > 200 * sizeof line);
    end();
}

static void lay_out(void) {
    FILE *f = fopen(path, "wb");
    memset(text, 'x', SIZE);
    if (!f || fwrite(text, 1, SIZE, f) != SIZE || fclose(f)) harness_die(path, 0, "no file");
}

TEST(what_follows_and_what_decorates) {
    static const struct { const char *tool, *content, *error; } rows[] = {
        { "then", "},{\"type\":\"text\",\"text\":\"behind\"}]", "false" },
        { "done_at_once", "}]", "false" },
        { "decorates", ",\"annotations\":{\"priority\":1},\"_meta\":{\"n\":1}}]", "false" } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin();
        say(&reader, calls(rows[i].tool));
        take_all();
        const char *r = part(message(), "result");
        CHECK_STR(part(r, "content"), text_of("[{\"type\":\"text\",\"text\":\"%s\"%s%s", text,
                                              rows[i].content, ""));
        CHECK_STR(part(r, "isError"), rows[i].error);
        if (i == 2) CHECK_STR(part(r, "structuredContent"), "{\"n\":2}");
        end();
    }
}

TEST(a_mistake_behind_it_ends_it_and_is_told) {
    static const struct { const char *tool, *why; } rows[] = {
        { "writes_on", "mcp_block_write without mcp_block_begin" },
        { "ends_it", "mcp_block_end without mcp_block_begin" },
        { "fails", "no more" }, { "refuses", "no more" },
        { "returns_nonsense", "its handler returned no status" } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin();
        say(&reader, calls(rows[i].tool));
        take_all();
        const char *r = part(message(), "result");
        CHECK_STR(part(r, "isError"), "true");
        const char *said = strstr(part(r, "content"), "},{\"type\":\"text\",\"text\":");
        CHECK_STR(said ? said + 24 : "", text_of("\"%s\"}]%s%s", rows[i].why, "", ""));
        end();
    }
}

TEST(after_events_and_for_what_was_deferred) {
    begin();
    say(&reader, calls("told"));
    CHECK(strstr(reader.out.at, "event-stream") && strstr(reader.out.at, "\"soon\""));
    take_all();
    CHECK_STR(part(part(message(), "result"), "content"), whole(""));
    peer_came(&reader);
    say(&reader, calls("later"));
    CHECK_STR(reader.out.at, "");
    mcp_done(held, one(held));
    CHECK(!*body(&reader));
    take_all();
    CHECK_STR(part(part(message(), "result"), "content"), whole(""));
    end();
}

TEST(a_resource_too) {
    begin();
    const char *headers = "MCP-Protocol-Version: " MODERN "\r\nMcp-Method: resources/read\r\n"
                          "Mcp-Name: file:///pull\r\n";
    say(&reader, request_bytes(headers, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
                               "\"resources/read\",\"params\":{\"uri\":\"file:///pull\",\"_meta\":{"
                               HARNESS_META "}}}"));
    CHECK(reader.out.n && !*body(&reader));
    take_all();
    CHECK(strstr(part(part(message(), "result"), "contents"), text) != NULL);
    end();
}

TEST(who_is_gone_costs_nothing) {
    begin();
    say(&reader, calls("one"));
    peer_close(&reader);
    CHECK_INT(free_fd(), fd_before);
    CHECK(peer_open(&reader));
    inside_set_ready(reader.conn, takes);
    say(&reader, calls("then"));
    peer_close(&reader);
    CHECK(peer_open(&reader));
    inside_set_ready(reader.conn, takes);
    say(&reader, calls("later"));
    one(held);
    peer_close(&reader);
    mcp_done(held, MCP_OK);
    CHECK_INT(free_fd(), fd_before);
    CHECK(peer_open(&reader));
    inside_set_ready(reader.conn, takes);
    say(&reader, calls("one"));
    mcp_server_free(w.server);                         /* with it */
    w.server = NULL;
    free(reader.out.at);
    free(other.out.at);
    memset(&reader, 0, sizeof reader);
    memset(&other, 0, sizeof other);
    end();
}

/* 2025-11-25, which has a session: its header lines. */
static const char *session(void) {
    say(&other, request_bytes("", "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\","
                              "\"params\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},"
                              "\"clientInfo\":{\"name\":\"t\",\"version\":\"0\"}}}"));
    const char *id = strstr(other.out.at, "Mcp-Session-Id: ");
    const char *line = id ? keep(id, strcspn(id, "\n") + 1) : "";
    peer_came(&other);
    return text_of("%sMCP-Protocol-Version: 2025-11-25\r\n%s%s", line, "", "");
}
static const char *old_call(const char *headers, const char *tool) {
    return request_bytes(headers, text_of("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
                                          "\"params\":{\"name\":\"%s\",\"_meta\":{"
                                          "\"progressToken\":1}}}%s%s", tool, "", ""));
}

TEST(a_cancelled_one_ends_well) {
    begin();
    const char *headers = session();
    gave_up = 0;
    say(&reader, old_call(headers, "watches"));
    say(&other, request_bytes(headers, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
                              "cancelled\",\"params\":{\"requestId\":1}}"));
    CHECK(strstr(other.out.at, " 202 ") != NULL);
    CHECK_INT(free_fd(), fd_before + !ready * (fd_before != FD_UNKNOWN));
    take_all();
    CHECK_INT(free_fd(), fd_before);
    CHECK_STR(part(part(message(), "result"), "isError"), "true");
    CHECK_INT(gave_up, 0);                             /* its handler has returned long ago */
    end();
}

TEST(in_a_session_whose_client_hung_up) {
    begin();
    const char *headers = session();
    say(&reader, old_call(headers, "one"));
    peer_close(&reader);                               /* nobody could fetch what is in pieces */
    CHECK_INT(free_fd(), fd_before);
    mcp_poll(w.server);
    say(&other, old_call(headers, "echo"));
    CHECK(strstr(body(&other), "\"hi\"") != NULL);
    CHECK(peer_open(&reader));
    inside_set_ready(reader.conn, takes);
    say(&reader, old_call(headers, "hangs_up"));       /* in the midst of it: not possible */
    mcp_done(held, MCP_OK);
    take_all();
    CHECK_STR(part(part(message(), "result"), "content"), whole(""));
    end();
}

TEST(each_allocation_may_fail) {
    static const char *const kinds[] = { "one", "then", "told", "fails" };
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
        for (size_t at = 1;; at++) {
            begin();
            w.mem.fail_at = w.mem.calls + at;
            w.mem.failed = false;
            say(&reader, calls(kinds[kind]));
            take_all();
            bool failed = w.mem.failed;
            w.mem.fail_at = 0;
            say(&other, calls("echo"));
            CHECK(strstr(body(&other), "\"hi\"") != NULL);
            end();
            if (!failed) break;
            CHECK(at < 1000);
        }
}

int main(void) {
    lay_out();
    RUN(it_waits_for_its_reader_and_others_do_not);
    RUN(a_fast_reader_leaves_others_their_turn);
    lay_out();
    RUN(what_follows_and_what_decorates);
    RUN(a_mistake_behind_it_ends_it_and_is_told);
    RUN(after_events_and_for_what_was_deferred);
    RUN(a_resource_too);
    RUN(who_is_gone_costs_nothing);
    RUN(a_cancelled_one_ends_well);
    RUN(in_a_session_whose_client_hung_up);
    RUN(each_allocation_may_fail);
    remove(path);
    return DONE();
}
