/* client_http.c - the client over HTTP: against our own server in this process, against bytes */
#include "meet.h"

/* ---- wires: each connection of the client's is one of ours, or what a script says ---- */

typedef struct wire {
    mcp_conn *conn;                     /* our server's end; NULL: the script's */
    harness_bytes in, out;              /* to the server, to the client */
    size_t at;                          /* of out, this much was read */
    bool closed, open;
} wire;

enum { WIRES = 16 };
static wire wires[WIRES];
static size_t opened, piece = SIZE_MAX;
static harness_bytes sent;              /* all requests */

/* A script: the nth request is answered by the nth text, the last one again and again. A text that
   ends with "!" is followed by the end of the connection; $ is the id of the request's message. */
static const char *const *script;
static size_t asked_for;

static int64_t wire_clock(void *user) { return (void)user, w.now += 1000000; }

static int wire_out(void *user, const void *bytes, size_t n) {
    wire *x = (wire *)user;
    if (!n) x->closed = true;
    harness_add(&x->out, bytes, n);
    return MCP_OK;
}

static void wire_answer(wire *x, const char *request) {
    char id[32] = "";
    const char *at = strstr(request, "\"id\":"), *text = script[asked_for];
    if (at) snprintf(id, sizeof id, "%.*s", (int)strcspn(at + 5, ",}"), at + 5);
    if (script[asked_for + 1]) asked_for++;
    for (; *text; text++) {
        if (*text == '$') harness_add(&x->out, id, strlen(id));
        else if (*text == '!' && !text[1]) x->closed = true;
        else harness_add(&x->out, text, 1);
    }
}

/* A whole request, with its body. */
static size_t wire_request(const wire *x) {
    const char *end = x->in.n ? strstr(x->in.at, "\r\n\r\n") : NULL, *length;
    if (!end) return 0;
    length = strstr(x->in.at, "Content-Length: ");
    size_t n = (size_t)(end + 4 - x->in.at);
    if (length && length < end) n += (size_t)strtol(length + 16, NULL, 10);
    return n <= x->in.n ? n : 0;
}

static int wire_write(void *user, const void *bytes, size_t n) {
    wire *x = (wire *)user;
    harness_add(&sent, bytes, n);
    if (x->conn) return x->closed ? MCP_IO : mcp_feed(x->conn, bytes, n);
    if (x->closed) return MCP_IO;
    harness_add(&x->in, bytes, n);
    for (size_t size; (size = wire_request(x)) > 0;) {
        char was = x->in.at[size];
        x->in.at[size] = 0;
        wire_answer(x, x->in.at);
        x->in.at[size] = was;
        memmove(x->in.at, x->in.at + size, x->in.n - size);
        x->in.at[x->in.n -= size] = 0;
    }
    return MCP_OK;
}

static ptrdiff_t wire_read(void *user, void *bytes, size_t n, int64_t ms) {
    wire *x = (wire *)user;
    if (w.server) mcp_poll(w.server);
    size_t there = x->out.n - x->at;
    if (!there && x->closed) return 0;
    if (!there) w.now += (ms < 0 || ms > 100 ? 100 : ms) * 1000000;
    if (!there) return MCP_CANCELLED;
    if (n > there) n = there;
    if (n > piece) n = piece;
    memcpy(bytes, x->out.at + x->at, n);
    x->at += n;
    return (ptrdiff_t)n;
}

static void wire_close(void *user) {
    wire *x = (wire *)user;
    mcp_conn_free(x->conn);
    x->conn = NULL;
    x->open = false;
}

static int wire_open(void *user, const char *host, int port, mcp_stream *stream) {
    (void)user;
    wire *x = wires;
    CHECK_STR(host, "example.com");
    CHECK_INT(port, 80);
    while (x < wires + WIRES && x->open) x++;
    if (!CHECK(x < wires + WIRES)) return MCP_IO;
    x->in.n = x->out.n = x->at = 0;
    x->closed = false;
    x->open = true;
    mcp_write_hook hook = { wire_out, x };
    x->conn = w.server ? mcp_conn_new(w.server, MCP_HTTP, hook) : NULL;
    if (w.server && !x->conn) return x->open = false, MCP_NOMEM;
    opened++;
    stream->read = wire_read;
    stream->write = wire_write;
    stream->close = wire_close;
    stream->user = x;
    return MCP_OK;
}

static void before(void) {
    stranger();
    memset(&w, 0, sizeof w);
    w.now = INT64_C(1785240000) * 1000000000;
    who.clock.func = wire_clock;
    who.connect.func = wire_open;
    who.url = "http://example.com/mcp";
    who.timeout_ms = 5000;
    desc.http.hosts = "example.com";
    opened = asked_for = sent.n = 0;
    piece = SIZE_MAX;
    harness_add(&sent, "", 0);
}

static void serve(void) {
    harness_world_init(&w, NULL, &desc);
    w.desc.clock.func = wire_clock;
    w.now = INT64_C(1785240000) * 1000000000;
    w.server = mcp_server_new(&w.desc);
    if (!CHECK(w.server != NULL)) harness_die("client_http", 0, w.log);
    k = mcp_client_new(&who);
    if (!CHECK(k != NULL)) harness_die("client_http", 0, logged);
}

static void follow(const char *const *answers) {
    script = answers;
    k = mcp_client_new(&who);
    CHECK(k != NULL);
}

static void end(void) {
    leave();
    for (size_t i = 0; i < WIRES; i++) CHECK(!wires[i].open);
    if (!w.server) return;
    CHECK(harness_close(&w));
    harness_world_free(&w);
    w.server = NULL;
}

static const char *call_of(const char *tool) {
    static char why[512];
    mcp_client_call(k, tool);
    const mcp_json *r = mcp_client_wait(k);
    const mcp_failure *f = mcp_client_failure(k);
    if (r) return raw(r, NULL);
    snprintf(why, sizeof why, "%d %d %d %s", f->status, f->code, f->http, f->text);
    return why;
}

static const char *text_of_call(const char *tool) {
    mcp_client_call(k, tool);
    const mcp_json *r = mcp_client_wait(k);
    if (!r) return mcp_client_failure(k)->text;
    return raw(mcp_at(mcp_get(r, "content"), 0), "text");
}

/* ---- our own server ---- */

static const mcp_arg sure_form[] = {
    { .name = "sure", .type = MCP_BOOLEAN, .def = "true" }, { 0 } };
static int sure(mcp_call *c) {
    int rc = mcp_ask(c, "sure", "Sure?", sure_form);
    if (rc) return rc;
    return mcp_text(c, mcp_get_bool(mcp_answer(c, "sure"), "sure") ? "yes" : "no");
}
static int tells(mcp_call *c) {
    mcp_progress(c, 1, 2, NULL);
    return mcp_text(c, "told");
}
static mcp_call *waiting;
static bool stopped;
static void stop_waiting(void *c) {
    (void)c;
    stopped = true;
}
static int later(mcp_call *c) {
    waiting = c;
    mcp_on_cancel(c, stop_waiting, NULL);
    return mcp_defer(c);
}
static int where(mcp_call *c) {
    return mcp_textf(c, "%s %d", mcp_arg_str(c, "region"), (int)mcp_arg_int(c, "n"));
}
static const mcp_arg inner[] = { { .name = "n", .type = MCP_INTEGER, .header = "Number" }, { 0 } };
static const mcp_arg where_args[] = {
    { .name = "region", .header = "Region" }, { .name = "n", .type = MCP_INTEGER },
    { .name = "in", .type = MCP_OBJECT, .of = inner }, { 0 } };
static const mcp_tool tools[] = {
    { .name = "sure", .call = sure }, { .name = "tells", .call = tells },
    { .name = "later", .call = later }, { .name = "where", .args = where_args, .call = where },
    { 0 } };

/* Every version, however its bytes are cut. */
TEST(versions_over_http) {
    for (size_t i = 0; i < 5; i++) {
        before();
        desc.tools = tools;
        desc.versions = bit_of(versions[i]);
        who.can = MCP_CAN_ASK;
        piece = i == 3 ? 1 : SIZE_MAX;
        serve();
        CHECK_STR(mcp_get_str(mcp_client_server(k), "protocolVersion"), versions[i]);
        CHECK_INT(mcp_count(mcp_get(mcp_client_list(k, "tools", NULL), "tools")), 4);
        CHECK_STR(text_of_call("tells"), "\"told\"");
        CHECK(strstr(heard, "notifications/progress") != NULL);
        if (i > 1) CHECK_STR(text_of_call("sure"), "\"yes\"");
        CHECK(strstr(call_of("nothing"), "-9 -32602 0 ") != NULL);
        stopped = false;
        mcp_client_call(k, "later");
        int64_t id = mcp_client_send(k);
        for (int j = 0; j < 5; j++) mcp_client_poll(k, 10);
        mcp_client_cancel(k, id);
        for (int j = 0; j < 5; j++) mcp_client_poll(k, 10);
        CHECK(stopped);
        mcp_done(waiting, MCP_OK);
        end();
        CHECK(i == 4 || strstr(sent.at, "DELETE /mcp HTTP/1.1\r\n") != NULL); /* its session */
    }
}

/* What a schema wants in headers, however deep, is there; a server checks that it is. */
TEST(headers_of_arguments) {
    before();
    desc.tools = tools;
    serve();
    CHECK(mcp_client_list(k, "tools", NULL) != NULL);
    mcp_writer *to = mcp_client_call(k, "where");
    mcp_put_str(to, "region", "Zürich ");
    mcp_put_obj(to, "in");
    mcp_put_int(to, "n", -7);
    mcp_put_end(to);
    CHECK(mcp_client_wait(k) != NULL);
    CHECK(strstr(sent.at, "\r\nMcp-Param-Region: =?base64?WsO8cmljaCA=?=\r\n") != NULL);
    CHECK(strstr(sent.at, "\r\nMcp-Param-Number: -7\r\n") != NULL);
    CHECK(strstr(sent.at, "\r\nMcp-Name: where\r\n") != NULL);
    end();
}

/* Without having seen the list it cannot know: the server's refusal makes it look. */
TEST(headers_learned) {
    before();
    desc.tools = tools;
    serve();
    mcp_put_str(mcp_client_call(k, "where"), "region", "eu");
    CHECK_STR(raw(mcp_at(mcp_get(mcp_client_wait(k), "content"), 0), "text"), "\"eu 0\"");
    CHECK(strstr(sent.at, "tools/list") != NULL);
    end();
}

/* The session is gone: once more from the start, and the call is answered. */
TEST(session_lost) {
    before();
    desc.tools = tools;
    desc.versions = MCP_2025_11_25;
    desc.http.session_ms = 1000;
    who.can = 0;
    memset(&who.notify, 0, sizeof who.notify); /* no stream keeps it alive */
    serve();
    CHECK_STR(text_of_call("tells"), "\"told\"");
    w.now += INT64_C(10000) * 1000000;
    mcp_poll(w.server);
    CHECK_STR(text_of_call("tells"), "\"told\"");
    const char *second = strstr(strstr(sent.at, "\"initialize\"") + 1, "\"initialize\"");
    CHECK(second != NULL);
    end();
}

/* The oldest transport: a stream, and posts beside it. */
TEST(http_and_sse) {
    before();
    desc.tools = tools;
    desc.flags = MCP_HTTP_SSE;
    who.url = "http://example.com/sse";
    who.can = MCP_CAN_ASK;
    serve();
    CHECK_STR(text_of_call("tells"), "\"told\"");
    CHECK_STR(text_of_call("sure"), "\"yes\"");
    CHECK(strstr(heard, "notifications/progress") != NULL);
    end();
}

/* ---- bytes of others ---- */

#define FOUND_JSON "{\"jsonrpc\":\"2.0\",\"id\":$,\"result\":{\"resultType\":\"complete\"," \
    "\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{}}}"
#define FOUND "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 112\r\n\r\n" \
    FOUND_JSON
#define EMPTY(status) "HTTP/1.1 " status "\r\nContent-Length: 0\r\n\r\n"
#define CLOSED(status, type, body) "HTTP/1.1 " status "\r\nContent-Type: " type "\r\n\r\n" body "!"
#define JSON(body) CLOSED("200 OK", "application/json", body)
#define EVENTS(body) CLOSED("200 OK", "text/event-stream", body)
#define ANSWER "{\"jsonrpc\":\"2.0\",\"id\":$,\"result\":{\"ok\":true}}"

/* An answer in every shape that it may have. */
TEST(shapes) {
    static const char *const rows[] = {
        JSON(ANSWER), JSON("\r\n " ANSWER "\n"),
        "HTTP/1.0 200 Fine\nContent-Type: application/json;charset=utf-8\n\n" ANSWER "!",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200\r\ncontent-type:application/json\r\n"
            "Transfer-Encoding: chunked\r\n\r\n5;x=y\r\n{\"jso\r\n4 \r\nnrpc\r\n28\r\n"
            "\":\"2.0\",\"id\":$,\"result\":{\"ok\":true,\"n\":1\r\n2\r\n}}\r\n0\r\nX: y\r\n\r\n",
        EVENTS("data: " ANSWER "\n\n"), EVENTS("data:" ANSWER "\r\n\r\n"),
        EVENTS("data: " ANSWER "\r\r"),
        EVENTS("\xEF\xBB\xBF" "event: message\ndata: " ANSWER "\n\n"),
        EVENTS(": hello\n\nid: 7\nretry: 5\ndata:\n\nevent: other\ndata: {}\n\n"
               "data: {\"jsonrpc\":\"2.0\",\ndata: \"id\":$,\ndata: \"result\":{\"ok\":true}}\n\n"),
        EVENTS("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{}}\n\n"
               "data: " ANSWER "\n\ndata: " ANSWER "\n\n"), NULL };
    for (size_t i = 0; rows[i]; i++) {
        for (size_t cut = 1; cut < 4; cut++) {
            const char *answers[] = { FOUND, NULL, NULL };
            answers[1] = rows[i];
            before();
            piece = cut == 3 ? SIZE_MAX : cut;
            follow(answers);
            const char *outcome = call_of("x");
            CHECK(strstr(outcome, "{\"ok\":true") == outcome);
            if (strstr(outcome, "{\"ok\":true") != outcome)
                printf("    %s\n%s\n", rows[i], outcome);
            end();
        }
    }
}

/* What cannot be an answer says so, and what a status means. */
TEST(refusals) {
    static const struct { const char *answer, *outcome; } rows[] = {
        { EMPTY("500 Oh"), "-9 0 500 the server answered with HTTP status 500" },
        { EMPTY("202 Accepted"), "-2 0 202 the answer holds no response to the request" },
        { "HTTP/1.1 401 No\r\nWWW-Authenticate: Bearer realm=\"x\"\r\nContent-Length: 0\r\n\r\n",
          "-9 0 401 the server answered with HTTP status 401: Bearer realm=\"x\"" },
        { "HTTP/1.1 307 Moved\r\nLocation: /else\r\nContent-Length: 0\r\n\r\n",
          "-9 0 307 the server answered with HTTP status 307: /else" },
        { CLOSED("404 Not Found", "text/html", "<html>"),
          "-9 0 404 the server answered with HTTP status 404" },
        { CLOSED("400 Bad", "application/json", "{\"detail\":\"no\"}"),
          "-9 0 400 the server answered with HTTP status 400" },
        { CLOSED("400 Bad", "application/json", "{\"jsonrpc\":\"2.0\",\"id\":\"server-error\","
                 "\"error\":{\"code\":-32600,\"message\":\"Eh\"}}"), "-9 -32600 400 Eh" },
        { CLOSED("404 No", "application/json", "{\"jsonrpc\":\"2.0\",\"id\":$,\"error\":{"
                 "\"code\":-32601,\"message\":\"What\"}}"), "-9 -32601 404 What" },
        { JSON("<html>"), "-2 0 0 the server's answer is no JSON: <html>" },
        { JSON("{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}"),
          "-2 0 200 the answer holds no response to the request" },
        { EVENTS("data: x\n\n"), "-2 0 0 the server's answer is no JSON: x" },
        { EVENTS(": nothing\n\n"), "-7 0 0 the stream ended before the answer" },
        { "SSH-2.0-OpenSSH\r\n\r\n", "-2 0 0 the server's answer is no HTTP" },
        { "HTTP/2 200 OK\r\n\r\n", "-2 0 0 the server's answer is no HTTP" },
        { "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
          "-2 0 0 the server's answer is no HTTP" },
        { "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 6\r\n\r\n",
          "-2 0 0 the server's answer is no HTTP" },
        { "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
          "-2 0 0 the server's answer is no HTTP" },
        { "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}}\r\n",
          "-2 0 0 the server's answer is no HTTP" },
        { "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{!", "-7 0 0 the server hung up" },
        { "!", "-7 0 0 the server hung up" }, { NULL, NULL } };
    for (size_t i = 0; rows[i].answer; i++) {
        const char *answers[] = { FOUND, NULL, NULL };
        answers[1] = rows[i].answer;
        before();
        follow(answers);
        CHECK_STR(call_of("x"), rows[i].outcome);
        end();
    }
}

/* How a server takes the probe tells what it is. */
TEST(probes) {
#define OLD "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nMcp-Session-Id: s 1\r\n\r\n" \
    "{\"jsonrpc\":\"2.0\",\"id\":$,\"result\":{\"protocolVersion\":\"2025-06-18\"," \
    "\"capabilities\":{}}}!"
    static const char *const old[] = { EMPTY("202 Accepted"), EMPTY("405 No stream"), JSON(ANSWER),
                                       NULL };
    static const char *const probes[] = { EMPTY("400 Bad"), EMPTY("404 Not Found"),
        CLOSED("400 Bad", "application/json", "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{"
               "\"code\":-32000,\"message\":\"No session\"}}"),
        JSON("{\"jsonrpc\":\"2.0\",\"id\":$,\"error\":{\"code\":-32601,\"message\":\"What\"}}"),
        NULL };
    for (size_t i = 0; probes[i]; i++) {
        const char *answers[] = { NULL, OLD, NULL, NULL, NULL, NULL };
        answers[0] = probes[i];
        for (size_t j = 0; j < 3; j++) answers[2 + j] = old[j];
        before();
        follow(answers);
        CHECK_STR(call_of("x"), "{\"ok\":true}");
        CHECK(!strstr(sent.at, "Mcp-Session-Id")); /* what it gave was none */
        CHECK(strstr(sent.at, "MCP-Protocol-Version: 2025-06-18\r\n") != NULL);
        end();
    }
    static const struct { const char *answer, *outcome; } refused[] = {
        { EMPTY("401 No"), "-9 0 401 the server answered with HTTP status 401" },
        { EMPTY("403 No"), "-9 0 403 the server answered with HTTP status 403" },
        { EMPTY("503 Busy"), "-9 0 503 the server answered with HTTP status 503" },
        { CLOSED("400 Bad", "application/json", "{\"jsonrpc\":\"2.0\",\"id\":$,\"error\":{"
                 "\"code\":-32020,\"message\":\"Header\"}}"), "-9 -32020 400 Header" },
        { "!", "-7 0 0 the server hung up" }, { NULL, NULL } };
    for (size_t i = 0; refused[i].answer; i++) {
        const char *answers[] = { NULL, NULL };
        answers[0] = refused[i].answer;
        before();
        follow(answers);
        CHECK_STR(call_of("x"), refused[i].outcome);
        CHECK(!strstr(sent.at, "initialize"));
        end();
    }
}

#define GREETED EMPTY("404 Not Found"), "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n" \
    "Mcp-Session-Id: s1\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":$,\"result\":{\"protocolVersion\":" \
    "\"2025-11-25\",\"capabilities\":{}}}!", EMPTY("202 Accepted")

/* A stream that an older server cuts is asked for again, when it said, where it was. */
TEST(resumed) {
    static const char *const answers[] = { GREETED,
        EVENTS("id: e1\nretry: 700\ndata:\n\n"), EMPTY("503 Later"), NULL };
    static const char *const twice[] = { GREETED,
        EVENTS("id: e1\nretry: 700\ndata:\n\n"), EVENTS("id: e2\ndata:\n\n"),
        EVENTS("data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"ok\":true}}\n\n"), NULL };
    before();
    memset(&who.notify, 0, sizeof who.notify);
    follow(twice);
    int64_t then = w.now;
    CHECK_STR(call_of("x"), "{\"ok\":true}");
    CHECK(w.now - then >= 1400000000 && w.now - then < INT64_C(2500000000));
    CHECK(strstr(sent.at, "GET /mcp HTTP/1.1\r\n") != NULL);
    CHECK(strstr(sent.at, "Last-Event-ID: e1\r\n") && strstr(sent.at, "Last-Event-ID: e2\r\n"));
    CHECK(strstr(sent.at, "Mcp-Session-Id: s1\r\n") != NULL);
    end();
    const char *hurry[sizeof twice / sizeof *twice];
    memcpy(hurry, twice, sizeof twice);
    hurry[3] = EVENTS("id: e1\nretry: 0\ndata:\n\n"); /* at once is not what it gets */
    before();
    memset(&who.notify, 0, sizeof who.notify);
    follow(hurry);
    then = w.now;
    CHECK_STR(call_of("x"), "{\"ok\":true}");
    CHECK(w.now - then >= 100000000 && w.now - then < 700000000);
    end();
    before();
    memset(&who.notify, 0, sizeof who.notify);
    follow(answers);
    CHECK_STR(call_of("x"), "-9 0 503 the server answered with HTTP status 503");
    end();
}

/* An idle connection that was closed is no failure. */
TEST(closed_while_idle) {
    static const char *const answers[] = { FOUND, "!",
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 47\r\n\r\n"
            ANSWER "  ",
        NULL };
    before();
    follow(answers);
    CHECK_STR(call_of("x"), "{\"ok\":true}");
    CHECK_INT(opened, 2);
    CHECK_STR(call_of("x"), "{\"ok\":true}");
    CHECK_INT(opened, 2); /* and one that is not is used again */
    end();
}

/* A stream without end, a head without end, an event without end: so much and no more. */
TEST(without_end) {
    before();
    static const char *const quiet[] = { FOUND, "HTTP/1.1 200 OK\r\n", NULL };
    who.limits.header = 2000;
    who.limits.message = 5000;
    follow(quiet);
    CHECK(mcp_client_server(k) != NULL);
    mcp_client_call(k, "x");
    int64_t id = mcp_client_send(k);
    for (int i = 0; i < 100; i++) {
        harness_add(&wires[0].out, "X: 0123456789 0123456789 0123456789\r\n", 37);
        mcp_client_poll(k, 0);
    }
    CHECK(!mcp_client_result(k, id));
    CHECK_STR(mcp_client_failure(k)->text, "the server's answer is beyond the limit");
    end();
    static const char *const rows[] = {
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n", NULL };
    for (size_t i = 0; rows[i]; i++) {
        const char *answers[] = { FOUND, NULL, NULL };
        answers[1] = rows[i];
        before();
        who.limits.message = 5000;
        follow(answers);
        CHECK(mcp_client_server(k) != NULL);
        mcp_client_call(k, "x");
        id = mcp_client_send(k);
        for (int j = 0; j < 300; j++) {
            harness_add(&wires[0].out, "data: 0123456789 0123456789\n", 28);
            mcp_client_poll(k, 0);
        }
        CHECK(!mcp_client_result(k, id));
        CHECK_INT(mcp_client_failure(k)->status, MCP_LIMIT);
        CHECK(mem.peak < 300000);
        end();
    }
}

/* Who is silent is hung up on, which is how a modern server learns of it. */
TEST(silence) {
    static const char *const answers[] = { FOUND, "", NULL };
    before();
    follow(answers);
    CHECK_STR(call_of("x"), "-6 0 0 no answer within 5000 ms");
    CHECK(!strstr(sent.at, "notifications/cancelled"));
    CHECK(!wires[0].open);
    end();
}

/* The author's own headers; what would be more than a header is not sent. */
TEST(own_headers) {
    static const mcp_attr mine[] = { { "Authorization", "Bearer t" }, { "X-Bad", "a\r\nEvil: 1" },
                                     { "Bad name", "x" }, { "X-Empty", NULL }, { NULL, NULL } };
    static const char *const answers[] = { FOUND, JSON(ANSWER), NULL };
    before();
    who.headers = mine;
    follow(answers);
    CHECK_STR(call_of("x"), "{\"ok\":true}");
    CHECK(strstr(sent.at, "\r\nAuthorization: Bearer t\r\n") != NULL);
    CHECK(strstr(sent.at, "\r\nX-Empty: \r\n") != NULL);
    CHECK(!strstr(sent.at, "Evil") && !strstr(sent.at, "Bad name"));
    end();
}

/* Tools whose headers cannot be right are left out; all others stay. */
TEST(invalid_headers) {
    static const char *const answers[] = { FOUND, JSON("{\"jsonrpc\":\"2.0\",\"id\":$,\"result\":{"
        "\"tools\":[{\"name\":\"good\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"a\":{"
        "\"type\":\"string\",\"x-mcp-header\":\"A\"},\"x-mcp-header\":{\"type\":\"string\"}}}},"
        "{\"name\":\"bad\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":"
        "\"array\",\"items\":{\"type\":\"string\",\"x-mcp-header\":\"A\"}}}}},{\"name\":\"worse\","
        "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\","
        "\"x-mcp-header\":7}}}}]}}"), NULL };
    before();
    follow(answers);
    const mcp_json *r = mcp_client_list(k, "tools", NULL);
    CHECK_INT(mcp_count(mcp_get(r, "tools")), 1);
    CHECK_STR(mcp_get_str(mcp_at(mcp_get(r, "tools"), 0), "name"), "good");
    CHECK(strstr(logged, "x-mcp-header") && strstr(logged, "worse"));
    end();
}

/* The oldest kind may want posts where it likes, but not at another's. */
TEST(endpoints) {
    static const struct { const char *endpoint, *target; } rows[] = {
        { "/post?id=1", "POST /post?id=1 " }, { "http://example.com/post", "POST /post " },
        { "http://evil.com/post", NULL }, { "//evil.com/post", NULL }, { "post", NULL },
        { "/a b", NULL }, { NULL, NULL } };
    for (size_t i = 0; rows[i].endpoint; i++) {
        char stream[256];
        const char *answers[] = { EMPTY("405 No"), EMPTY("405 No"), NULL, EMPTY("202 Accepted"),
                                  NULL };
        snprintf(stream, sizeof stream, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
                 "event: endpoint\ndata: %s\n\n", rows[i].endpoint);
        answers[2] = stream;
        before();
        who.timeout_ms = 500;
        follow(answers);
        CHECK(mcp_client_server(k) == NULL);
        if (rows[i].target) CHECK(strstr(sent.at, rows[i].target) != NULL);
        else CHECK_INT(mcp_client_failure(k)->status, MCP_REFUSED);
        end();
    }
}

/* Every allocation fails, once and ever after: nothing is lost but what needed it. */
TEST(out_of_memory) {
    for (size_t i = 0; i < 6; i++) {
        for (int on = 0; on < 2; on++) {
            for (size_t n = 1; n < 2000; n++) {
                before();
                desc.tools = tools;
                desc.flags = MCP_HTTP_SSE;
                desc.versions = i < 5 ? bit_of(versions[i]) : 0;
                if (i == 5) who.url = "http://example.com/sse";
                who.can = MCP_CAN_ASK;
                mem.fail_at = n;
                mem.fail_on = on != 0;
                harness_world_init(&w, NULL, &desc);
                w.desc.clock.func = wire_clock;
                w.now = INT64_C(1785240000) * 1000000000;
                w.server = mcp_server_new(&w.desc);
                if (!CHECK(w.server != NULL)) return;
                k = mcp_client_new(&who);
                if (k) {
                    if (!mcp_client_list(k, "tools", NULL))
                        CHECK(mcp_client_failure(k)->status != MCP_OK);
                    text_of_call("sure");
                    text_of_call("tells");
                    mcp_put_str(mcp_client_call(k, "where"), "region", "\xC3\xA9");
                    if (!mcp_client_wait(k)) CHECK(*mcp_client_failure(k)->text);
                }
                bool failed = mem.failed;
                if (failed && k && !on) {
                    mem.fail_at = 0;
                    if (!CHECK(mcp_client_list(k, "tools", NULL) != NULL))
                        printf("    %d %d: %s\n", (int)i, (int)n, mcp_client_failure(k)->text);
                }
                end();
                if (!failed) break;
                CHECK(n < 1999);
            }
        }
    }
}

int main(void) {
    RUN(versions_over_http);
    RUN(headers_of_arguments);
    RUN(headers_learned);
    RUN(session_lost);
    RUN(http_and_sse);
    RUN(shapes);
    RUN(refusals);
    RUN(probes);
    RUN(resumed);
    RUN(closed_while_idle);
    RUN(without_end);
    RUN(silence);
    RUN(own_headers);
    RUN(invalid_headers);
    RUN(endpoints);
    RUN(out_of_memory);
    return DONE();
}
