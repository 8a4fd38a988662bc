/* sse.c - streams of events: HTTP+SSE of 2024-11-05, replies without an answer, what a session's
   streams share */
#include "unit.h"

#define CANCEL "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":" \
    "{\"requestId\":1}}"
#define CALL(id, tool) "{\"jsonrpc\":\"2.0\",\"id\":" id \
    ",\"method\":\"tools/call\",\"params\":{\"name\":\"" tool "\"}}"

/* ---- one peer, in bytes ---- */

typedef struct peer { mcp_conn *k; harness_bytes got; } peer;
static peer listener, poster; /* GET /sse; POST, one after the other on the same connection */
static char path[128];

static int got(void *user, const void *bytes, size_t n) {
    harness_add(&((peer *)user)->got, bytes, n);
    return MCP_OK;
}

static void dial(peer *p) {
    mcp_write_hook hook = { got, p };
    memset(p, 0, sizeof *p);
    harness_add(&p->got, "", 0);
    p->k = mcp_conn_new(w.server, MCP_HTTP, hook);
}

static void hang_up(peer *p) {
    mcp_conn_free(p->k);
    free(p->got.at);
}

static void post(const char *body) {
    char head[256];
    snprintf(head, sizeof head, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
             "application/json\r\nContent-Length: %d\r\n\r\n", path, (int)strlen(body));
    mcp_feed(poster.k, head, strlen(head));
    mcp_feed(poster.k, body, strlen(body));
}

static bool was_cancelled;
static int wait_for_it(mcp_call *c) { /* its cancellation comes where it came from */
    poster.got.n = 0;
    post(CANCEL);
    CHECK(strstr(poster.got.at, " 202 ") != NULL);
    was_cancelled = mcp_cancelled(c);
    return mcp_text(c, "nobody waits");
}

TEST(cancellation_on_the_same_connection) {
    static const mcp_tool waits[] = { { .name = "wait", .call = wait_for_it }, { 0 } };
    fresh();
    desc.tools = waits;
    desc.flags = MCP_HTTP_SSE;
    start();
    dial(&listener);
    dial(&poster);
    const char get[] = "GET /sse HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n";
    mcp_feed(listener.k, get, sizeof get - 1);
    const char *endpoint = strstr(listener.got.at, "data: /messages?sessionId=");
    CHECK(endpoint && sscanf(endpoint, "data: %127s", path) == 1);
    char hello_line[sizeof HARNESS_HELLO + 64];
    snprintf(hello_line, sizeof hello_line, HARNESS_HELLO, "2024-11-05");
    *strchr(hello_line, '\n') = 0;
    post(hello_line);
    CHECK(strstr(listener.got.at, "event: message\ndata: {\"jsonrpc\"") != NULL);
    CHECK(strstr(poster.got.at, " 202 ") != NULL);
    listener.got.n = 0;
    harness_add(&listener.got, "", 0);
    post(CALL("1", "wait"));
    CHECK(was_cancelled);
    CHECK_STR(listener.got.at, "");
    hang_up(&poster);
    hang_up(&listener);
    stop();
}

/* ---- requests of a session ---- */

typedef struct reply {
    int status;
    char type[32], session[64];
    harness_bytes body;
    bool last;
} reply;
static reply replies[8]; /* at any time, one for each request that waits */
static char session[64];

static int take(void *user, const mcp_http_part *part) {
    reply *r = (reply *)user;
    if (part->status) r->status = part->status;
    for (const mcp_attr *h = part->headers; h && h->key; h++) {
        if (!strcmp(h->key, "Content-Type")) snprintf(r->type, sizeof r->type, "%s", h->value);
        if (!strcmp(h->key, "Mcp-Session-Id"))
            snprintf(r->session, sizeof r->session, "%s", h->value);
    }
    harness_add(&r->body, part->body, part->size);
    r->last = part->last;
    return MCP_OK;
}

/* In the session, if there is one. */
static reply *sent(int at, const char *body) {
    mcp_attr headers[] = { { "Content-Type", "application/json" },
                           { "Accept", "application/json, text/event-stream" },
                           { *session ? "Mcp-Session-Id" : NULL, session }, { NULL, NULL } };
    mcp_http_request rq = { "POST", "/mcp", headers, body, strlen(body), NULL };
    mcp_reply_hook hook = { take, &replies[at] };
    free(replies[at].body.at);
    memset(&replies[at], 0, sizeof replies[at]);
    harness_add(&replies[at].body, "", 0);
    mcp_http_handle(w.server, &rq, hook);
    return &replies[at];
}

static void begin(const char *version) {
    char line[sizeof HARNESS_HELLO + 64];
    snprintf(line, sizeof line, HARNESS_HELLO, version);
    *strchr(line, '\n') = 0;
    *session = 0;
    reply *r = sent(0, line);
    CHECK_INT(r->status, 200);
    snprintf(session, sizeof session, "%s", r->session);
    CHECK(*session);
}

static void end(void) {
    stop();
    for (size_t i = 0; i < sizeof replies / sizeof *replies; i++) free(replies[i].body.at);
    memset(replies, 0, sizeof replies);
}

static void give_up(void *call) { mcp_done((mcp_call *)call, MCP_CANCELLED); }
static int stay(mcp_call *c) {
    mcp_on_cancel(c, give_up, c);
    return mcp_defer(c);
}
static int chat(mcp_call *c) {
    for (int i = 0; i < 3; i++) mcp_logf(c, MCP_LOG_ERROR, "%d", i);
    return mcp_text(c, "said");
}
static const mcp_tool tools[] = {
    { .name = "stay", .call = stay }, { .name = "chat", .call = chat }, { 0 } };

static void serve(void) {
    fresh();
    desc.tools = tools;
    desc.flags = MCP_LOGGING;
    desc.limits.calls = 2;
    desc.limits.logs = 4;
    start();
    begin("2025-11-25");
}

TEST(cancelled_is_no_notification) { /* 202 would be: what was asked has events, or JSON */
    serve();
    reply *r = sent(0, CALL("1", "stay"));
    CHECK(!r->last);
    CHECK_INT(sent(1, CANCEL)->status, 202);
    CHECK(r->last);
    CHECK_INT(r->status, 200);
    CHECK_STR(r->type, "text/event-stream");
    CHECK_STR(r->body.at, "");
    end();
}

TEST(calls_in_flight_are_the_sessions) {
    serve();
    sent(0, CALL("1", "stay"));
    sent(1, CALL("2", "stay"));
    CHECK_STR(sent(2, CALL("3", "stay"))->body.at, "{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":"
              "{\"code\":-32603,\"message\":\"Too many calls in flight\"}}");
    CHECK_INT(sent(3, "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"ping\"}")->status, 200);
    CHECK_INT(sent(3, CANCEL)->status, 202);
    CHECK(replies[0].last);
    CHECK(!sent(2, CALL("3", "stay"))->last);
    end();
}

TEST(logs_of_a_second_are_the_sessions) {
    serve();
    CHECK(strstr(sent(0, CALL("1", "chat"))->body.at, "\"data\":\"2\"") != NULL);
    const char *body = sent(1, CALL("2", "chat"))->body.at;
    CHECK(strstr(body, "\"data\":\"0\"") && !strstr(body, "\"data\":\"1\""));
    w.now += 1000000000;
    CHECK(strstr(sent(0, CALL("1", "chat"))->body.at, "\"data\":\"2\"") != NULL);
    end();
}

int main(void) {
    RUN(cancellation_on_the_same_connection);
    RUN(cancelled_is_no_notification);
    RUN(calls_in_flight_are_the_sessions);
    RUN(logs_of_a_second_are_the_sessions);
    return DONE();
}
