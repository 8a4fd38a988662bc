/* wire.c - HTTP/1.1 in bytes: what is not plainly right is refused and hung up on, however it is
   cut; connections that stay, pipelines, time, memory, and writes that fail */
#include "web.h"

static mcp_call *held[8];
static unsigned count, cancelled;

static void be_told(void *arg) {
    (void)arg;
    cancelled++;
}
static int later(mcp_call *c) {
    held[count++ % 8] = c;
    mcp_on_cancel(c, be_told, NULL);
    return mcp_defer(c);
}
static int echo(mcp_call *c) { return mcp_text(c, mcp_arg_str(c, "text")); }
static int steps(mcp_call *c) {
    mcp_progress(c, 1, 2, "half");
    return mcp_text(c, "done");
}
static int big(mcp_call *c) {
    static char x[1000];
    memset(x, 'x', sizeof x);
    mcp_block_begin(c, MCP_TEXT, NULL);
    for (int i = 0; i < 100; i++) mcp_block_write(c, x, sizeof x);
    return mcp_block_end(c);
}

static const mcp_arg text_args[] = { { .name = "text" }, { 0 } };
static const mcp_tool tools[] = {
    { .name = "later", .call = later }, { .name = "echo", .args = text_args, .call = echo },
    { .name = "steps", .call = steps }, { .name = "big", .call = big }, { 0 } };

enum { MESSAGE = 1000, HEADER = 2048 };

static void begin(void) {
    desc.tools = tools;
    desc.limits.message = MESSAGE;
    desc.limits.header = HEADER;
    count = cancelled = 0;
    serve();
}
static void end(void) {
    stop();
    fresh();
}

/* ---- requests ---- */

#define S(text) text, sizeof text - 1
#define CRLF "\r\n"
#define FIRST "POST /mcp HTTP/1.1\r\n"
#define HOST "Host: localhost\r\n"
#define TYPE "Content-Type: application/json\r\n"
#define H FIRST HOST TYPE
#define CHUNKED H "Transfer-Encoding: chunked\r\n\r\n"
#define PING "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}" /* 40 bytes */
#define POST_PING H "Content-Length: 40\r\n\r\n" PING
#define META "\"_meta\":{" HARNESS_META "}"

#define DATE "Date: Tue, 28 Jul 2026 12:00:00 GMT\r\n"
#define PONG_BODY "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"
#define PONG_WITH(more) "HTTP/1.1 200 OK\r\n" DATE "Content-Type: application/json\r\n" \
    "Content-Length: 36\r\n" more "\r\n" PONG_BODY
#define PONG PONG_WITH("")
#define LAST_PONG PONG_WITH("Connection: close\r\n")

/* A modern request as bytes. */
static const char *modern_post(const char *method, const char *name, const char *params) {
    static harness_bytes b;
    char head[512], body[600];
    int n = snprintf(body, sizeof body, "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"%s\","
                     "\"params\":{%s%s" META "}}", method, params, *params ? "," : "");
    int m = snprintf(head, sizeof head, H "Accept: application/json, text/event-stream\r\n"
                     "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: %s\r\n%s%s%s"
                     "Content-Length: %d\r\n\r\n", method, *name ? "Mcp-Name: " : "", name,
                     *name ? "\r\n" : "", n);
    b.n = 0;
    harness_add(&b, head, (size_t)m);
    harness_add(&b, body, (size_t)n);
    return b.at;
}
static const char *call_of(const char *tool) {
    return modern_post("tools/call", tool, text_of("\"name\":\"%s\"%s%s", tool, "", ""));
}

/* ---- what is refused ---- */

typedef struct row { const char *bytes; size_t n; int status; } row;

static const row bad[] = {
    /* how long the body is */
    { S(H "Content-Length: 40\r\nContent-Length: 40\r\n\r\n" PING), 400 },
    { S(H "Content-Length: 40\r\nContent-Length: 41\r\n\r\n" PING), 400 },
    { S(H "Content-Length: 5\r\nContent-Length: 40\r\n\r\n" PING), 400 },
    { S(H "Content-Length: +40\r\n\r\n" PING), 400 },
    { S(H "Content-Length: -1\r\n\r\n" PING), 400 },
    { S(H "Content-Length: 0x28\r\n\r\n" PING), 400 },
    { S(H "Content-Length: 28h\r\n\r\n" PING), 400 },
    { S(H "Content-Length: 40, 40\r\n\r\n" PING), 400 },
    { S(H "Content-Length: 5, 6\r\n\r\n" PING), 400 },
    { S(H "Content-Length: 4 0\r\n\r\n" PING), 400 },
    { S(H "Content-Length: 40.0\r\n\r\n" PING), 400 },
    { S(H "Content-Length: 4e1\r\n\r\n" PING), 400 },
    { S(H "Content-Length: \"40\"\r\n\r\n" PING), 400 },
    { S(H "Content-Length:\r\n\r\n" PING), 400 },
    { S(H "Content-Length: \r\n\r\n" PING), 400 },
    { S(H "Content-Length: \xD9\xA4\r\n\r\n" PING), 400 },
    { S(H "Content-Length 40\r\n\r\n" PING), 400 },
    { S(H "Content-Length : 40\r\n\r\n" PING), 400 },
    { S(H "Content-Length\t: 40\r\n\r\n" PING), 400 },
    { S(H " Content-Length: 40\r\n\r\n" PING), 400 },
    { S(H "Content-Length: 1001\r\n\r\n"), 413 },
    { S(H "Content-Length: 99999999999\r\n\r\n"), 413 },
    { S(H "Content-Length: 18446744073709551616\r\n\r\n" PING), 413 },
    { S(H "Content-Length: 18446744073709551656\r\n\r\n" PING), 413 }, /* 40 behind a wrap */
    { S(H "Content-Length: 999999999999999999999999999999\r\n\r\n"), 413 },
    { S(H "Content-Length: 40\r\nTransfer-Encoding: chunked\r\n\r\n28\r\n" PING "\r\n0\r\n\r\n"),
      400 },
    { S(H "Transfer-Encoding: chunked\r\nContent-Length: 40\r\n\r\n28\r\n" PING "\r\n0\r\n\r\n"),
      400 },
    { S(H "transfer-encoding: chunked\r\ncontent-length: 0\r\n\r\n0\r\n\r\n"), 400 },
    { S(H "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 400 },
    { S(H "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n"), 400 },
    { S(H "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"), 501 },
    { S(H "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n"), 501 },
    { S(H "Transfer-Encoding: identity\r\n\r\n"), 501 },
    { S(H "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"), 501 },
    { S(H "Transfer-Encoding: chunked;q=1\r\n\r\n0\r\n\r\n"), 501 },
    { S(H "Transfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n"), 501 },
    { S(H "Transfer-Encoding:\r\n\r\n0\r\n\r\n"), 501 },
    { S(H "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n"), 400 },
    { S(H "Transfer-Encoding: \x0B" "chunked\r\n\r\n0\r\n\r\n"), 400 },
    { S("POST /mcp HTTP/1.0\r\n" HOST TYPE "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 400 },
    /* chunks */
    { S(CHUNKED "\r\n"), 400 },
    { S(CHUNKED "g\r\n"), 400 },
    { S(CHUNKED "-1\r\n"), 400 },
    { S(CHUNKED "+1\r\n"), 400 },
    { S(CHUNKED "0x28\r\n" PING "\r\n0\r\n\r\n"), 400 },
    { S(CHUNKED " 28\r\n" PING "\r\n0\r\n\r\n"), 400 },
    { S(CHUNKED "28 \r\n" PING "\r\n0\r\n\r\n"), 400 },
    { S(CHUNKED "2 8\r\n" PING "\r\n0\r\n\r\n"), 400 },
    { S(CHUNKED ";a=b\r\n"), 400 },
    { S(CHUNKED "28\n" PING "\r\n0\r\n\r\n"), 400 },
    { S(CHUNKED "28;a\x01=b\r\n" PING "\r\n0\r\n\r\n"), 400 },
    { S(CHUNKED "28;a=\r" "b\r\n" PING "\r\n0\r\n\r\n"), 400 },
    { S(CHUNKED "28;a=\x7F\r\n" PING "\r\n0\r\n\r\n"), 400 },
    { S(CHUNKED "28\r\n" PING "0\r\n\r\n"), 400 },
    { S(CHUNKED "28\r\n" PING "\n0\r\n\r\n"), 400 },
    { S(CHUNKED "28\r\n" PING " \r\n0\r\n\r\n"), 400 },
    { S(CHUNKED "27\r\n" PING "\r\n0\r\n\r\n"), 400 },
    { S(CHUNKED "28\r\n" PING "\r\n0\r\n\n"), 400 },
    { S(CHUNKED "28\r\n" PING "\r\n0\r\nno colon\r\n\r\n"), 400 },
    { S(CHUNKED "28\r\n" PING "\r\n0\r\na : b\r\n\r\n"), 400 },
    { S(CHUNKED "28\r\n" PING "\r\n0\r\na: b\x01\r\n\r\n"), 400 },
    { S(CHUNKED "28\r\n" PING "\r\n0\r\na: b\n\r\n"), 400 },
    { S(CHUNKED "3e9\r\n"), 413 },
    { S(CHUNKED "ffffffffffffffff\r\n"), 413 },
    { S(CHUNKED "10000000000000028\r\n" PING "\r\n0\r\n\r\n"), 413 }, /* 28 behind a wrap */
    { S(CHUNKED "28\r\n" PING "\r\n3c1\r\n"), 413 },
    /* lines of the head */
    { S(FIRST HOST TYPE " folded\r\n\r\n"), 400 },
    { S(FIRST HOST TYPE "\tfolded\r\n\r\n"), 400 },
    { S(FIRST " Host: localhost\r\n\r\n"), 400 },
    { S(FIRST HOST "No colon\r\n\r\n"), 400 },
    { S(FIRST HOST ": nameless\r\n\r\n"), 400 },
    { S(FIRST HOST "A B: c\r\n\r\n"), 400 },
    { S(FIRST HOST "A\xC3\xA9: c\r\n\r\n"), 400 },
    { S(FIRST HOST "A: b\rc\r\n\r\n"), 400 },
    { S(FIRST HOST "A: b\r\r\n\r\n"), 400 },
    { S(FIRST HOST "A: b\nContent-Length: 5\r\n\r\n"), 400 },
    { S("POST /mcp HTTP/1.1\nHost: localhost\n\n"), 400 },
    { S(FIRST HOST "A: b\r\n\n"), 400 },
    { S(FIRST HOST "A: b\0c\r\n\r\n"), 400 },
    { S(FIRST HOST "A\0: b\r\n\r\n"), 400 },
    { S(FIRST HOST "A: \x01\r\n\r\n"), 400 },
    { S(FIRST HOST "A: \x1B[2J\r\n\r\n"), 400 },
    { S(FIRST HOST "A: \x7F\r\n\r\n"), 400 },
    { S(FIRST TYPE "\r\n"), 400 },
    { S(FIRST HOST HOST "\r\n"), 400 },
    { S(FIRST HOST "host: evil.example\r\n\r\n"), 400 },
    { S(FIRST "Host: [evil.example]\r\n\r\n"), 400 },
    { S(FIRST "Host: localhost:80:80\r\n\r\n"), 400 },
    { S(FIRST "Host: localhost:80\"x\r\n\r\n"), 400 },
    { S(FIRST "Host: evil.example/localhost\r\n\r\n"), 400 },
    { S(FIRST "Host: localhost evil.example\r\n\r\n"), 400 },
    { S("GET /mcp HTTP/1.0\r\n" HOST HOST "\r\n"), 400 },
    { S(FIRST HOST "Expect: x\r\n\r\n"), 417 },
    { S(FIRST HOST "Expect: 100-continue, x\r\nContent-Length: 1\r\n\r\n"), 417 },
    { S(FIRST HOST "Expect: 100-continue\r\nContent-Length: 99999999999\r\n\r\n"), 413 },
    /* the first line */
    { S("POST http://localhost/mcp HTTP/1.1\r\n" HOST "\r\n"), 400 },
    { S("OPTIONS * HTTP/1.1\r\n" HOST "\r\n"), 400 },
    { S("CONNECT localhost:80 HTTP/1.1\r\n" HOST "\r\n"), 400 },
    { S("POST mcp HTTP/1.1\r\n" HOST "\r\n"), 400 },
    { S("POST  /mcp HTTP/1.1\r\n" HOST "\r\n"), 400 },
    { S("POST /mcp  HTTP/1.1\r\n" HOST "\r\n"), 400 },
    { S("POST\t/mcp HTTP/1.1\r\n" HOST "\r\n"), 400 },
    { S("POST /mcp\tHTTP/1.1\r\n" HOST "\r\n"), 400 },
    { S(" POST /mcp HTTP/1.1\r\n" HOST "\r\n"), 400 },
    { S("PO ST /mcp HTTP/1.1\r\n" HOST "\r\n"), 400 },
    { S("P(ST /mcp HTTP/1.1\r\n" HOST "\r\n"), 400 },
    { S("P\xC3\x96ST /mcp HTTP/1.1\r\n" HOST "\r\n"), 400 },
    { S("/mcp HTTP/1.1\r\n" HOST "\r\n"), 400 },
    { S("POST /m\xC3\xA9p HTTP/1.1\r\n" HOST "\r\n"), 400 },
    { S("POST /m cp HTTP/1.1\r\n" HOST "\r\n"), 400 },
    { S("POST /m\0cp HTTP/1.1\r\n" HOST "\r\n"), 400 },
    { S("POST /mcp\r\n" HOST "\r\n"), 400 },
    { S("POST\r\n" HOST "\r\n"), 400 },
    { S("POST /mcp HTTP/1.1 \r\n" HOST "\r\n"), 400 },
    { S("POST /mcp HTTP/1.1x\r\n" HOST "\r\n"), 400 },
    { S("POST /mcp HTTP/11\r\n" HOST "\r\n"), 400 },
    { S("POST /mcp HTTP/1.10\r\n" HOST "\r\n"), 400 },
    { S("POST /mcp HTTP/1\r\n" HOST "\r\n"), 400 },
    { S("POST /mcp HTTP/a.b\r\n" HOST "\r\n"), 400 },
    { S("POST /mcp http/1.1\r\n" HOST "\r\n"), 400 },
    { S("POST /mcp HTTPS/1.1\r\n" HOST "\r\n"), 400 },
    { S("POST /mcp HTTP/0.9\r\n" HOST "\r\n"), 505 },
    { S("POST /mcp HTTP/2.0\r\n" HOST "\r\n"), 505 },
    { S("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), 400 },
    { S("\x16\x03\x01\x02" "\r\n\r\n"), 400 }, /* TLS */
    { S("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n\r\n"), 400 } };

static const char *reason(int status) {
    return status == 400 ? "Bad Request" : status == 408 ? "Request Timeout"
         : status == 413 ? "Content Too Large" : status == 414 ? "URI Too Long"
         : status == 417 ? "Expectation Failed" : status == 431 ? "Request Header Fields Too Large"
         : status == 501 ? "Not Implemented" : status == 505 ? "HTTP Version Not Supported" : "?";
}

/* All that a refused client gets. */
static const char *refusal(int status) {
    static char text[256];
    const char *why = reason(status);
    snprintf(text, sizeof text, "HTTP/1.1 %d %s\r\n" DATE "Content-Type: text/plain\r\n"
             "Content-Length: %u\r\nConnection: close\r\n\r\n%s", status, why,
             (unsigned)strlen(why), why);
    return text;
}

static bool shown_row; /* of a table, once */
static bool row_is(bool ok, const char *how, const row *r) {
    if (!ok && !shown_row) {
        shown_row = true;
        test__print(how, r->bytes, r->n);
    }
    return ok;
}

/* Fed in pieces: up to cut, then step bytes at a time. What came is in p->out. */
static int feed_cut(peer *p, const row *r, size_t cut, size_t step) {
    int status = cut ? mcp_feed(p->conn, r->bytes, cut) : MCP_OK;
    for (size_t at = cut; at < r->n && status == MCP_OK; at += step)
        status = mcp_feed(p->conn, r->bytes + at, step < r->n - at ? step : r->n - at);
    return status;
}

static bool is_refused(const row *r, size_t cut, size_t step) {
    peer p = { NULL, { NULL, 0, 0 }, 0, 0, false, false };
    peer_open(&p);
    int status = feed_cut(&p, r, cut, step);
    bool ok = status == MCP_IO && p.hung_up && !strcmp(p.out.at, refusal(r->status));
    if (!ok && !shown_row) test__print("came:", p.out.at, p.out.n);
    p.out.n = 0; /* nothing comes after that, whatever is sent */
    ok = ok && mcp_feed(p.conn, "POST", 4) != MCP_OK && !p.out.n;
    peer_close(&p);
    return ok;
}

TEST(what_is_malformed_gets_its_status_and_is_hung_up_on) {
    begin();
    CHECK(sizeof bad / sizeof *bad >= 80);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        shown_row = false;
        CHECK(row_is(is_refused(&bad[i], bad[i].n, 1), "row:", &bad[i]));
    }
    end();
}

TEST(what_is_malformed_is_refused_alike_however_it_is_cut) {
    begin();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        shown_row = false;
        bool alike = is_refused(&bad[i], 0, 1);
        for (size_t cut = 1; cut < bad[i].n && alike; cut++)
            alike = is_refused(&bad[i], cut, bad[i].n);
        CHECK(row_is(alike, "row:", &bad[i]));
    }
    end();
}

TEST(what_is_malformed_behind_a_good_request_does_not_harm_its_answer) {
    begin();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        peer p = { NULL, { NULL, 0, 0 }, 0, 0, false, false };
        harness_bytes both = { NULL, 0, 0 };
        peer_open(&p);
        harness_add(&both, S(POST_PING));
        harness_add(&both, bad[i].bytes, bad[i].n);
        CHECK_INT(mcp_feed(p.conn, both.at, both.n), MCP_IO);
        CHECK_STR(p.out.at, text_of("%s%s%s", PONG, refusal(bad[i].status), ""));
        free(both.at);
        peer_close(&p);
    }
    end();
}

/* A request of n bytes before its empty line: a long target, a long value, many lines. */
static row sized(harness_bytes *b, char kind, size_t n, int status) {
    static const char host[] = HOST;
    b->n = 0;
    if (kind == 't') {
        harness_add(b, S("GET /"));
        while (b->n < n - sizeof host + 1 - 11) harness_add(b, "t", 1);
        harness_add(b, S(" HTTP/1.1\r\n" HOST));
    } else {
        harness_add(b, S("GET / HTTP/1.1\r\n" HOST));
        if (kind == 'v') harness_add(b, S("A: "));
        while (kind == 'v' && b->n < n - 2) harness_add(b, "v", 1);
        if (kind == 'v') harness_add(b, S(CRLF));
        while (kind == 'n' && n--) harness_add(b, S("a:\r\n"));
    }
    harness_add(b, S(CRLF));
    row r = { b->at, b->n, status };
    return r;
}

TEST(a_head_beyond_its_limit_is_refused_and_one_just_below_is_not) {
    static const struct { char kind; size_t n; int status; } rows[] = {
        { 't', HEADER - 2, 404 }, { 't', HEADER - 1, 431 }, { 't', HEADER + 100, 414 },
        { 't', 3 * HEADER, 414 }, { 't', 100000, 414 },
        { 'v', HEADER - 2, 404 }, { 'v', HEADER - 1, 431 }, { 'v', 2 * HEADER, 431 },
        { 'v', 100000, 431 }, { 'n', 99, 404 }, { 'n', 100, 431 }, { 'n', 400, 431 },
        { 'n', 10000, 431 } };
    harness_bytes b = { NULL, 0, 0 };
    begin();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        row r = sized(&b, rows[i].kind, rows[i].n, rows[i].status);
        shown_row = false;
        if (r.status == 404) {
            peer p = { NULL, { NULL, 0, 0 }, 0, 0, false, false };
            peer_open(&p);
            CHECK_INT(mcp_feed(p.conn, r.bytes, r.n), MCP_OK);
            CHECK(strstr(p.out.at, "HTTP/1.1 404 Not Found\r\n") == p.out.at);
            peer_close(&p);
            continue;
        }
        bool alike = is_refused(&r, r.n, 1) && is_refused(&r, 0, 1);
        for (size_t cut = 1; cut < r.n && alike; cut += 97) alike = is_refused(&r, cut, r.n);
        CHECK_INT(alike ? i : sizeof rows, i);
    }
    free(b.at);
    end();
}

TEST(what_never_ends_is_refused_at_its_limit) {
    static const row lines[] = { /* the last byte comes again and again */
        { S("G"), 414 }, { S("GET /"), 414 }, { S(FIRST "A"), 431 }, { S(FIRST HOST "A: b"), 431 },
        { S(CHUNKED "0"), 400 }, { S(CHUNKED "1;x"), 400 },
        { S(CHUNKED "28\r\n" PING "\r\n0\r\na: b"), 400 } };
    begin();
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        peer p = { NULL, { NULL, 0, 0 }, 0, 0, false, false };
        peer_open(&p);
        int status = mcp_feed(p.conn, lines[i].bytes, lines[i].n);
        size_t n = 0;
        for (; n < 2 * HEADER && status == MCP_OK; n++)
            status = mcp_feed(p.conn, lines[i].bytes + lines[i].n - 1, 1);
        CHECK_INT(status, MCP_IO);
        CHECK_STR(p.out.at, refusal(lines[i].status));
        peer_close(&p);
    }
    end();
}

TEST(many_trailers_are_refused_at_the_limit_of_a_head) {
    begin();
    peer p = { NULL, { NULL, 0, 0 }, 0, 0, false, false };
    peer_open(&p);
    int status = say(&p, CHUNKED "28\r\n" PING "\r\n0\r\n");
    for (int i = 0; i < HEADER && status == MCP_OK; i++) status = say(&p, "a: b\r\n");
    CHECK_INT(status, MCP_IO);
    CHECK_STR(p.out.at, refusal(431));
    peer_close(&p);
    end();
}

TEST(a_refusal_has_a_body_whatever_came_before) {
    begin();
    peer p = { NULL, { NULL, 0, 0 }, 0, 0, false, false };
    peer_open(&p);
    CHECK_INT(say(&p, "HEAD /mcp HTTP/1.1\r\n" HOST "\r\n"), MCP_OK);
    CHECK(strstr(peer_came(&p), "HTTP/1.1 405 ") != NULL);
    CHECK_INT(say(&p, "bad\r\n\r\n"), MCP_IO);
    CHECK_STR(p.out.at, refusal(400));
    peer_close(&p);
    end();
}

/* ---- what is served ---- */

typedef struct good_row { const char *bytes; size_t n; const char *answer; bool ends; } good_row;

#define EMPTY(status) "HTTP/1.1 " status "\r\n" DATE "Content-Length: 0\r\n\r\n"
#define OLD(more) "POST /mcp HTTP/1.0\r\n" TYPE more "Content-Length: 40\r\n\r\n" PING

static const good_row good[] = {
    { S(POST_PING), PONG, false },
    { S(POST_PING POST_PING POST_PING), PONG PONG PONG, false },
    { S("\r\n\r\n\r\n" POST_PING "\r\n" POST_PING "\r\n"), PONG PONG, false },
    { S("POST /mcp HTTP/1.1\r\nhOST:localhost:8080\r\nCONTENT-TYPE:\t application/json \t\r\n"
        "content-length:  40  \r\n\r\n" PING), PONG, false },
    { S("POST /mcp/?a=b HTTP/1.1\r\n" HOST TYPE "Content-Length: 0000040\r\n\r\n" PING), PONG,
      false },
    { S("POST /mcp HTTP/1.9\r\n" HOST TYPE "Content-Length: 40\r\n\r\n" PING), PONG, false },
    { S(CHUNKED "28\r\n" PING "\r\n0\r\n\r\n"), PONG, false },
    { S(H "TRANSFER-ENCODING: Chunked\r\n\r\n0028;a=b;c=\"d;e\"\r\n" PING "\r\n000;z\r\n"
        "Trailer: x\r\nContent-Length: 7\r\nTransfer-Encoding: gzip\r\n\r\n" POST_PING),
      PONG PONG, false },
    { S(CHUNKED "1\r\n{\r\n2\r\n\"j\r\n3\r\nson\r\nB\r\nrpc\":\"2.0\",\r\n"
        "17;\r\n\"id\":1,\"method\":\"ping\"}\r\n0\r\n\r\n"), PONG, false },
    { S(H "Connection: close\r\nContent-Length: 40\r\n\r\n" PING POST_PING), LAST_PONG, true },
    { S(H "Connection: x, CLOSE\r\nContent-Length: 40\r\n\r\n" PING), LAST_PONG, true },
    { S(H "Connection: keep-alive\r\nContent-Length: 40\r\n\r\n" PING POST_PING), PONG PONG,
      false },
    { S(OLD("") POST_PING), LAST_PONG, true },
    { S(OLD("Connection: Keep-Alive\r\n") OLD("")),
      PONG_WITH("Connection: keep-alive\r\n") LAST_PONG, true },
    { S(OLD("Expect: 100-continue\r\n")), LAST_PONG, true },
    { S("GET /other HTTP/1.1\r\n" HOST "\r\n" POST_PING), EMPTY("404 Not Found") PONG, false },
    { S("POST /other HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\nhello" POST_PING),
      EMPTY("404 Not Found") PONG, false },
    { S("OPTIONS /mcp HTTP/1.1\r\n" HOST "\r\n" POST_PING),
      "HTTP/1.1 204 No Content\r\n" DATE "Allow: GET, POST, DELETE, OPTIONS\r\n\r\n" PONG, false },
    { S("HEAD /mcp HTTP/1.1\r\n" HOST "\r\n" POST_PING),
      "HTTP/1.1 405 Method Not Allowed\r\n" DATE "Allow: GET, POST, DELETE, OPTIONS\r\n"
      "Content-Type: application/json\r\nContent-Length: 82\r\n\r\n" PONG, false },
    { S("HEAD /other HTTP/1.1\r\n" HOST "\r\n" POST_PING), EMPTY("404 Not Found") PONG, false } };

static bool is_served(const good_row *g, size_t cut, size_t step) {
    peer p = { NULL, { NULL, 0, 0 }, 0, 0, false, false };
    const row r = { g->bytes, g->n, 0 };
    peer_open(&p);
    int status = feed_cut(&p, &r, cut, step);
    bool ok = p.hung_up == g->ends && status == (g->ends ? MCP_IO : MCP_OK) &&
              !strcmp(p.out.at, g->answer);
    if (!ok && !shown_row) test__print("came:", p.out.at, p.out.n);
    peer_close(&p);
    return row_is(ok, "row:", &r);
}

TEST(what_is_right_is_served_however_it_is_cut) {
    begin();
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        shown_row = false;
        bool alike = is_served(&good[i], good[i].n, 1) && is_served(&good[i], 0, 1);
        for (size_t cut = 1; cut < good[i].n && alike; cut++)
            alike = is_served(&good[i], cut, good[i].n);
        CHECK(alike);
    }
    end();
}

TEST(a_client_that_asks_first_is_told_to_go_on) { /* RFC 9110 section 10.1.1 */
    static const char head[] = H "Expect: 100-Continue\r\nContent-Length: 40\r\n\r\n";
    static const char chunked[] = H "Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n";
    begin();
    peer p = { NULL, { NULL, 0, 0 }, 0, 0, false, false };
    peer_open(&p);
    for (int i = 0; i < 2; i++) { /* twice on one connection */
        CHECK_INT(say(&p, head), MCP_OK);
        CHECK_STR(peer_came(&p), "HTTP/1.1 100 Continue\r\n\r\n");
        CHECK_INT(say(&p, "{"), MCP_OK);
        CHECK_STR(peer_came(&p), ""); /* once */
        CHECK_INT(say(&p, &PING[1]), MCP_OK);
        CHECK_STR(peer_came(&p), PONG);
    }
    CHECK_INT(say(&p, chunked), MCP_OK);
    CHECK_STR(peer_came(&p), "HTTP/1.1 100 Continue\r\n\r\n");
    CHECK_INT(say(&p, "28\r\n" PING "\r\n0\r\n\r\n"), MCP_OK);
    CHECK_STR(peer_came(&p), PONG);
    CHECK_INT(say(&p, text_of("%s%s%s", head, PING, "")), MCP_OK); /* it did not wait */
    CHECK_STR(peer_came(&p), PONG);
    CHECK_INT(say(&p, H "Expect: 100-continue\r\n\r\n" POST_PING), MCP_OK); /* no body */
    CHECK(strstr(peer_came(&p), "HTTP/1.1 400 Bad Request\r\n") != NULL);
    peer_close(&p);
    end();
}

TEST(who_pipelines_gets_answers_in_order_also_while_one_is_deferred) {
    begin();
    peer p = { NULL, { NULL, 0, 0 }, 0, 0, false, false };
    peer_open(&p);
    CHECK_INT(say(&p, text_of("%s%s%s", POST_PING, call_of("later"), POST_PING)), MCP_OK);
    CHECK_STR(peer_came(&p), PONG);
    CHECK_INT(say(&p, POST_PING), MCP_OK);
    CHECK_STR(peer_came(&p), "");
    CHECK_INT(count, 1);
    mcp_done(held[0], mcp_text(held[0], "late"));
    mcp_poll(w.server);
    const char *s = peer_came(&p), *first = strstr(s, "\"text\":\"late\"");
    CHECK(first != NULL);
    CHECK_STR(first ? strstr(first, "HTTP/1.1") : "", PONG PONG);
    peer_close(&p);
    end();
}

TEST(a_deferred_answer_of_a_connection_that_closes_ends_it) {
    begin();
    peer p = { NULL, { NULL, 0, 0 }, 0, 0, false, false };
    peer_open(&p);
    harness_bytes b = { NULL, 0, 0 };
    const char *s = call_of("later"), *at = strstr(s, "Accept");
    harness_add(&b, s, (size_t)(at - s));
    harness_add(&b, S("Connection: close\r\n"));
    harness_add(&b, at, strlen(at));
    CHECK_INT(say(&p, b.at), MCP_OK);
    CHECK(!p.hung_up);
    mcp_done(held[0], mcp_text(held[0], "late"));
    CHECK(p.hung_up);
    CHECK(strstr(p.out.at, "Connection: close\r\n\r\n{") != NULL);
    CHECK_INT(mcp_feed(p.conn, "x", 1), MCP_IO);
    free(b.at);
    peer_close(&p);
    end();
}

TEST(a_stream_is_chunked_and_for_http_1_0_ends_with_the_connection) {
    static const char params[] = "\"name\":\"steps\",\"_meta\":{\"progressToken\":1," HARNESS_META
        "}";
    char body[400], head[400];
    begin();
    int n = snprintf(body, sizeof body, "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\","
                     "\"params\":{%s}}", params);
    for (int old = 0; old < 2; old++) {
        snprintf(head, sizeof head, "POST /mcp HTTP/1.%d\r\n" HOST TYPE "Accept: */*\r\n"
                 "Connection: keep-alive\r\nMCP-Protocol-Version: 2026-07-28\r\n"
                 "Mcp-Method: tools/call\r\nMcp-Name: steps\r\nContent-Length: %d\r\n\r\n",
                 !old, n);
        peer p = { NULL, { NULL, 0, 0 }, 0, 0, false, false };
        peer_open(&p);
        CHECK_INT(say(&p, text_of("%s%s%s", head, body, "")), old ? MCP_IO : MCP_OK);
        const char *s = peer_came(&p);
        CHECK((strstr(s, "Transfer-Encoding: chunked\r\n") != NULL) == !old);
        CHECK((strstr(s, "Connection: close\r\n") != NULL) == (old != 0));
        CHECK(strstr(s, "Content-Length") == NULL);
        size_t size = strlen(s);
        CHECK_STR(s + size - (old ? 4 : 9), old ? "}}\n\n" : "\n\n\r\n0\r\n\r\n");
        CHECK_INT(p.hung_up, old);
        peer_close(&p);
    }
    end();
}

/* ---- time ---- */

TEST(a_slow_head_is_answered_408_after_ten_seconds) {
    begin();
    peer p = { NULL, { NULL, 0, 0 }, 0, 0, false, false };
    peer_open(&p);
    const char *s = POST_PING;
    for (int i = 0; i < 9; i++) { /* a byte a second does not help */
        CHECK_INT(mcp_feed(p.conn, s + i, 1), MCP_OK);
        sleep_ms(1000);
    }
    sleep_ms(999);
    CHECK_STR(p.out.at, "");
    sleep_ms(1001);
    CHECK(p.hung_up);
    CHECK(strstr(p.out.at, "HTTP/1.1 408 Request Timeout\r\n") == p.out.at);
    CHECK(strstr(p.out.at, "Connection: close\r\n") != NULL);
    CHECK_INT(mcp_feed(p.conn, s + 9, 1), MCP_IO);
    peer_close(&p);
    end();
}

TEST(a_slow_body_is_answered_408_after_two_minutes) {
    begin();
    static const char *const heads[] = { H "Content-Length: 40\r\n\r\n", CHUNKED,
                                         CHUNKED "28\r\n" PING "\r\n0\r\n" };
    for (int i = 0; i < 3; i++) {
        peer p = { NULL, { NULL, 0, 0 }, 0, 0, false, false };
        peer_open(&p);
        CHECK_INT(say(&p, "\r\nP"), MCP_OK);
        sleep_ms(9000); /* the head had its own time */
        CHECK_INT(say(&p, heads[i] + 1), MCP_OK);
        sleep_ms(119000);
        CHECK_STR(p.out.at, "");
        sleep_ms(1500);
        CHECK(p.hung_up);
        CHECK(strstr(p.out.at, "HTTP/1.1 408 Request Timeout\r\n") == p.out.at);
        peer_close(&p);
    }
    end();
}

TEST(an_idle_connection_is_hung_up_on_without_a_word) {
    begin();
    peer p = { NULL, { NULL, 0, 0 }, 0, 0, false, false };
    peer_open(&p);
    sleep_ms(59000);
    CHECK_INT(say(&p, POST_PING), MCP_OK); /* a request begins the minute anew */
    CHECK(strstr(peer_came(&p), PONG_BODY) != NULL);
    sleep_ms(59000);
    CHECK(!p.hung_up);
    sleep_ms(1500);
    CHECK(p.hung_up);
    CHECK_STR(p.out.at, "");
    peer_close(&p);
    end();
}

TEST(who_waits_for_an_answer_is_not_idle) {
    begin();
    peer p = { NULL, { NULL, 0, 0 }, 0, 0, false, false };
    peer_open(&p);
    CHECK_INT(say(&p, call_of("later")), MCP_OK);
    sleep_ms(3600 * 1000);
    CHECK(!p.hung_up);
    mcp_done(held[0], mcp_text(held[0], "late"));
    CHECK(strstr(p.out.at, "\"text\":\"late\"") != NULL);
    peer_close(&p);
    end();
}

TEST(the_desc_sets_the_times) {
    desc.http.head_ms = 1000;
    desc.http.body_ms = 2000;
    desc.http.idle_ms = 3000;
    begin();
    peer p[3];
    memset(p, 0, sizeof p);
    for (int i = 0; i < 3; i++) peer_open(&p[i]);
    CHECK_INT(say(&p[0], "G"), MCP_OK);
    CHECK_INT(say(&p[1], CHUNKED), MCP_OK);
    for (int i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++) CHECK(!p[j].hung_up);
        sleep_ms(1000);
        CHECK(p[i].hung_up);
    }
    for (int i = 0; i < 3; i++) peer_close(&p[i]);
    end();
}

/* ---- memory ---- */

TEST(pipelined_pings_need_no_more_memory_than_a_few) {
    begin();
    peer p = { NULL, { NULL, 0, 0 }, 0, 0, false, false };
    peer_open(&p);
    harness_bytes b = { NULL, 0, 0 };
    for (int i = 0; i < 1000; i++) harness_add(&b, S(POST_PING));
    size_t answers = 0;
    for (int i = 0; i < 100; i++) {
        CHECK_INT(mcp_feed(p.conn, b.at, b.n), MCP_OK);
        CHECK_INT(p.out.n % (sizeof PONG - 1), 0);
        answers += p.out.n / (sizeof PONG - 1);
        p.out.n = 0;
    }
    CHECK_INT(answers, 100000);
    CHECK(w.mem.peak < 256 * 1024);
    free(b.at);
    peer_close(&p);
    end();
}

TEST(who_sends_on_and_never_waits_for_an_answer_is_cut_off) {
    begin();
    peer p = { NULL, { NULL, 0, 0 }, 0, 0, false, false };
    peer_open(&p);
    int status = say(&p, call_of("later"));
    CHECK_INT(status, MCP_OK);
    for (int i = 0; i < 100000 && status == MCP_OK; i++) status = say(&p, POST_PING);
    CHECK_INT(status, MCP_NOMEM);
    CHECK_STR(p.out.at, "");
    CHECK(w.mem.peak < 512 * 1024);
    CHECK_INT(cancelled, 0);
    peer_close(&p);
    CHECK_INT(cancelled, 1);
    mcp_done(held[0], MCP_OK);
    end();
}

TEST(once_warm_a_request_needs_no_allocation) {
    begin();
    peer p = { NULL, { NULL, 0, 0 }, 0, 0, false, false };
    peer_open(&p);
    harness_bytes b = { NULL, 0, 0 };
    const char *s = modern_post("tools/call", "echo",
                                "\"name\":\"echo\",\"arguments\":{\"text\":\"hello\"}");
    harness_add(&b, s, strlen(s));
    size_t calls = 0;
    for (int i = 0; i < 120; i++) {
        p.out.n = 0;
        CHECK_INT(mcp_feed(p.conn, b.at, b.n), MCP_OK);
        CHECK(strstr(p.out.at, "\"text\":\"hello\"") != NULL);
        if (i == 20) calls = w.mem.calls;
    }
    CHECK_INT(w.mem.calls, calls);
    free(b.at);
    peer_close(&p);
    end();
}

/* A conversation of every kind; it ends where the connection does. */
static void converse(peer *p) {
    static const char init[] = "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":"
        "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"c\","
        "\"version\":\"1\"}}}";
    char head[256], id[64] = "none";
    unsigned held_before = count;
    int status = say(p, POST_PING);
    if (!status) status = say(p, call_of("echo"));
    if (!status) status = say(p, call_of("big"));
    if (!status) status = say(p, CHUNKED "28\r\n" PING "\r\n0\r\n\r\n" POST_PING);
    snprintf(head, sizeof head, H "Accept: */*\r\nContent-Length: %u\r\n\r\n",
             (unsigned)(sizeof init - 1));
    if (!status) status = say(p, text_of("%s%s%s", head, init, ""));
    const char *session = p->out.at ? strstr(p->out.at, "Mcp-Session-Id: ") : NULL;
    if (session) sscanf(session, "Mcp-Session-Id: %63[^\r]", id);
    snprintf(head, sizeof head, "GET /mcp HTTP/1.1\r\n" HOST "Accept: text/event-stream\r\n"
             "Mcp-Session-Id: %s\r\n\r\n", id);
    peer q = { NULL, { NULL, 0, 0 }, 0, 0, false, false };
    if (!status && peer_open(&q)) say(&q, head);
    snprintf(head, sizeof head, "DELETE /mcp HTTP/1.1\r\n" HOST "Mcp-Session-Id: %s\r\n\r\n", id);
    if (!status) status = say(p, head);
    if (!status) status = say(p, call_of("later"));
    if (count > held_before) mcp_done(held[held_before % 8], mcp_text(held[held_before % 8], "l"));
    mcp_poll(w.server);
    peer_close(&q);
}

TEST(each_allocation_may_fail_and_the_next_connection_works) {
    desc.limits.spill = 16 * 1024;
    begin();
    for (size_t at = 1;; at++) {
        peer p = { NULL, { NULL, 0, 0 }, 0, 0, false, false };
        w.mem.fail_at = w.mem.calls + at;
        w.mem.failed = false;
        if (peer_open(&p)) converse(&p);
        w.mem.fail_at = 0;
        peer_close(&p);
        peer_open(&p);
        CHECK_INT(say(&p, POST_PING), MCP_OK);
        CHECK_STR(p.out.at, PONG);
        peer_close(&p);
        if (!w.mem.failed) break;
        CHECK(at < 5000);
    }
    end();
}

TEST(no_allocation_works_at_all_and_the_next_connection_does) {
    desc.limits.spill = 16 * 1024;
    begin();
    for (size_t at = 1;; at++) {
        peer p = { NULL, { NULL, 0, 0 }, 0, 0, false, false };
        w.mem.fail_at = w.mem.calls + at;
        w.mem.fail_on = true;
        w.mem.failed = false;
        if (peer_open(&p)) converse(&p);
        w.mem.fail_at = 0;
        w.mem.fail_on = false;
        peer_close(&p);
        peer_open(&p);
        CHECK_INT(say(&p, POST_PING), MCP_OK);
        CHECK_STR(p.out.at, PONG);
        peer_close(&p);
        if (!w.mem.failed) break;
        CHECK(at < 5000);
    }
    end();
}

TEST(each_write_may_fail_and_nothing_is_written_after_it) {
    desc.limits.spill = 16 * 1024;
    begin();
    for (size_t at = 1;; at++) {
        peer p = { NULL, { NULL, 0, 0 }, 0, 0, false, false };
        peer_open(&p);
        p.fail_at = at;
        converse(&p);
        bool failed = p.failed;
        peer_close(&p);
        peer_open(&p);
        CHECK_INT(say(&p, POST_PING), MCP_OK);
        CHECK_STR(p.out.at, PONG);
        peer_close(&p);
        if (!failed) break;
        CHECK(at < 500);
    }
    end();
}

/* ---- a session on several connections ---- */

static char session_line[80]; /* "Mcp-Session-Id: ...", CRLF */

static void begin_session(peer *p) {
    static const char init[] = "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":"
        "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"c\","
        "\"version\":\"1\"}}}";
    char head[256];
    snprintf(head, sizeof head, H "Accept: */*\r\nContent-Length: %u\r\n\r\n",
             (unsigned)(sizeof init - 1));
    CHECK_INT(say(p, text_of("%s%s%s", head, init, "")), MCP_OK);
    const char *s = strstr(peer_came(p), "Mcp-Session-Id: ");
    if (CHECK(s != NULL)) snprintf(session_line, sizeof session_line, "%.54s", s);
}

static const char *call_in(const char *tool) {
    char head[256], body[200];
    int n = snprintf(body, sizeof body, "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/call\","
                     "\"params\":{\"name\":\"%s\",\"_meta\":{\"progressToken\":1}}}", tool);
    snprintf(head, sizeof head, H "Accept: */*\r\n%sContent-Length: %d\r\n\r\n", session_line, n);
    return text_of("%s%s%s", head, body, "");
}
static const char *get_in(const char *more) {
    return text_of("GET /mcp HTTP/1.1\r\n" HOST "Accept: text/event-stream\r\n%s%s\r\n%s",
                   session_line, more, "");
}

#define EVENT_HEAD "HTTP/1.1 200 OK\r\n" DATE "Content-Type: text/event-stream\r\n" \
    "Cache-Control: no-cache\r\nX-Accel-Buffering: no\r\nTransfer-Encoding: chunked\r\n\r\n"

TEST(a_stream_that_hangs_up_leaves_its_connection_and_resumes_on_another) {
    begin();
    peer a, b;
    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    peer_open(&a);
    peer_open(&b);
    begin_session(&a);
    CHECK_INT(say(&a, call_in("later")), MCP_OK);
    mcp_hang_up(held[0], 500);
    CHECK_STR(peer_came(&a), EVENT_HEAD "1a\r\nid: 2-1\nretry: 500\ndata:\n\n\r\n0\r\n\r\n");
    CHECK_INT(say(&a, POST_PING), MCP_OK);
    CHECK_STR(peer_came(&a), PONG);
    CHECK_INT(say(&b, get_in("Last-Event-ID: 2-1\r\n")), MCP_OK);
    CHECK_STR(peer_came(&b), EVENT_HEAD "3\r\n:\n\n\r\n");
    CHECK_INT(say(&a, get_in("Last-Event-ID: 2-1\r\n")), MCP_OK); /* takes it over */
    CHECK_STR(peer_came(&b), "0\r\n\r\n");
    CHECK_STR(peer_came(&a), EVENT_HEAD "3\r\n:\n\n\r\n");
    peer_close(&b);
    mcp_done(held[0], mcp_text(held[0], "late"));
    const char *s = peer_came(&a);
    CHECK(strstr(s, "id: 2-2\ndata: {\"jsonrpc\":\"2.0\",\"id\":5,\"result\"") != NULL);
    CHECK_STR(s + strlen(s) - 7, "\r\n0\r\n\r\n");
    CHECK_INT(cancelled, 0);
    CHECK_INT(say(&a, POST_PING), MCP_OK);
    CHECK_STR(peer_came(&a), PONG);
    peer_close(&a);
    end();
}

TEST(a_lost_connection_does_not_cancel_what_a_session_runs) {
    begin();
    peer a;
    memset(&a, 0, sizeof a);
    peer_open(&a);
    begin_session(&a);
    CHECK_INT(say(&a, call_in("later")), MCP_OK);
    peer_close(&a);
    CHECK_INT(cancelled, 0);
    mcp_progress(held[0], 1, 2, "half");
    mcp_done(held[0], mcp_text(held[0], "late"));
    peer_open(&a);
    CHECK_INT(say(&a, get_in("Last-Event-ID: 2-1\r\n")), MCP_OK);
    const char *s = peer_came(&a);
    CHECK(strstr(s, "id: 2-2\ndata: ") != NULL);
    CHECK(strstr(s, "id: 2-3\ndata: ") != NULL);
    CHECK_STR(s + strlen(s) - 7, "\r\n0\r\n\r\n");
    peer_close(&a);
    end();
}

TEST(a_silent_stream_is_kept_alive_and_is_not_idle) {
    begin();
    peer a, b;
    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    peer_open(&a);
    begin_session(&a);
    CHECK_INT(say(&a, get_in("")), MCP_OK);
    peer_came(&a);
    for (int i = 0; i < 10; i++) {
        sleep_ms(15500);
        CHECK_STR(peer_came(&a), "3\r\n:\n\n\r\n");
    }
    a.fail_at = a.writes + 1; /* the peer is gone: another stream may take its place */
    sleep_ms(15500);
    mcp_poll(w.server);
    CHECK(a.failed);
    peer_open(&b);
    CHECK_INT(say(&b, get_in("")), MCP_OK);
    CHECK(strstr(b.out.at, "HTTP/1.1 200 OK\r\n") == b.out.at);
    peer_close(&a);
    CHECK_INT(say(&b, "x"), MCP_OK);
    sleep_ms(15500);
    CHECK(strstr(b.out.at, ":\n\n") != NULL);
    peer_close(&b);
    end();
}

/* ---- the end of a connection ---- */

TEST(the_end_of_input_cancels_what_runs_for_it) {
    begin();
    peer p = { NULL, { NULL, 0, 0 }, 0, 0, false, false };
    peer_open(&p);
    CHECK_INT(say(&p, call_of("later")), MCP_OK);
    CHECK_INT(mcp_feed(p.conn, NULL, 0), MCP_IO);
    CHECK_INT(cancelled, 1);
    mcp_done(held[0], mcp_text(held[0], "late"));
    CHECK_STR(p.out.at, "");
    CHECK(mcp_feed(p.conn, "x", 1) != MCP_OK);
    peer_close(&p);
    end();
}

TEST(a_server_may_go_while_connections_are_at_any_point) {
    static const char *const starts[] = { "", "POST", H, CHUNKED "2", POST_PING, "\r\n" };
    begin();
    peer p[7];
    memset(p, 0, sizeof p);
    for (int i = 0; i < 6; i++) {
        peer_open(&p[i]);
        if (*starts[i]) CHECK_INT(say(&p[i], starts[i]), MCP_OK);
    }
    peer_open(&p[6]);
    CHECK_INT(say(&p[6], call_of("later")), MCP_OK);
    mcp_server_free(w.server);
    w.server = NULL;
    CHECK_INT(cancelled, 1);
    for (int i = 0; i < 7; i++) free(p[i].out.at);
    end();
}

int main(void) {
    fresh();
    RUN(what_is_malformed_gets_its_status_and_is_hung_up_on);
    RUN(what_is_malformed_is_refused_alike_however_it_is_cut);
    RUN(what_is_malformed_behind_a_good_request_does_not_harm_its_answer);
    RUN(a_head_beyond_its_limit_is_refused_and_one_just_below_is_not);
    RUN(what_never_ends_is_refused_at_its_limit);
    RUN(many_trailers_are_refused_at_the_limit_of_a_head);
    RUN(a_refusal_has_a_body_whatever_came_before);
    RUN(what_is_right_is_served_however_it_is_cut);
    RUN(a_client_that_asks_first_is_told_to_go_on);
    RUN(who_pipelines_gets_answers_in_order_also_while_one_is_deferred);
    RUN(a_deferred_answer_of_a_connection_that_closes_ends_it);
    RUN(a_stream_is_chunked_and_for_http_1_0_ends_with_the_connection);
    RUN(a_slow_head_is_answered_408_after_ten_seconds);
    RUN(a_slow_body_is_answered_408_after_two_minutes);
    RUN(an_idle_connection_is_hung_up_on_without_a_word);
    RUN(who_waits_for_an_answer_is_not_idle);
    RUN(the_desc_sets_the_times);
    RUN(pipelined_pings_need_no_more_memory_than_a_few);
    RUN(who_sends_on_and_never_waits_for_an_answer_is_cut_off);
    RUN(once_warm_a_request_needs_no_allocation);
    RUN(each_allocation_may_fail_and_the_next_connection_works);
    RUN(no_allocation_works_at_all_and_the_next_connection_does);
    RUN(each_write_may_fail_and_nothing_is_written_after_it);
    RUN(a_stream_that_hangs_up_leaves_its_connection_and_resumes_on_another);
    RUN(a_lost_connection_does_not_cancel_what_a_session_runs);
    RUN(a_silent_stream_is_kept_alive_and_is_not_idle);
    RUN(the_end_of_input_cancels_what_runs_for_it);
    RUN(a_server_may_go_while_connections_are_at_any_point);
    return DONE();
}
