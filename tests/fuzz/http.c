/* http.c - three connections of one HTTP server: any bytes, cut anywhere, with memory that may fail
   clang -g -O1 -fsanitize=fuzzer,address,undefined -I. -Itests tests/fuzz/http.c, with the library

   Two bytes of 0xFF in the input go on to the next connection. Its last byte picks the pieces and
   which allocation fails. Nothing here looks ahead, so the output is the same however it is cut. */
#define MCP_IMPLEMENTATION
#include "harness.h"
#include "fuzz.h"

enum { PEERS = 3 };
typedef struct peer { mcp_conn *k; harness_bytes out; bool over; } peer;

/* ---- what is served ---- */

static int echo(mcp_call *c) { return mcp_text(c, mcp_arg_str(c, "text")); }
static int boom(mcp_call *c) { return mcp_fail(c, "boom"); }

static int told(mcp_call *c) { /* a stream, if the client takes one */
    mcp_progress(c, 1, 2, "half");
    mcp_logf(c, MCP_LOG_WARNING, "from %s", mcp_header(c, "User-Agent"));
    return mcp_text(c, mcp_caller_of(c)->session);
}

static int large(mcp_call *c) { /* more than limits.spill */
    mcp_block_begin(c, MCP_TEXT, NULL);
    for (int i = 0; i < 200; i++) mcp_block_write(c, "0123456789", 10);
    return mcp_block_end(c);
}

static void late_done(void *arg) {
    mcp_text((mcp_call *)arg, "late");
    mcp_done((mcp_call *)arg, MCP_OK);
}
static int late(mcp_call *c) {
    mcp_server *s = mcp_call_server(c);
    if (mcp_after(s, 2000, late_done, c)) return mcp_fail(c, "no memory for a timer");
    mcp_hang_up(c, 100);
    return mcp_defer(c);
}

static int touch(mcp_call *c) {
    mcp_server_touch(mcp_call_server(c), "test://hello");
    mcp_server_changed(mcp_call_server(c), MCP_RESOURCES);
    return MCP_OK;
}

static int given(mcp_call *c) { return mcp_put_json(mcp_structured(c), NULL, mcp_args(c)), MCP_OK; }

static const mcp_arg every_args[] = {
    { .name = "whole", .type = MCP_INTEGER }, { .name = "real", .type = MCP_NUMBER },
    { .name = "text", .def = "?" }, { .name = "flag", .type = MCP_BOOLEAN, .flags = MCP_NULLABLE },
    { .name = "list", .type = MCP_ARRAY, .items = MCP_INTEGER }, { .name = "any", .type = MCP_ANY },
    { 0 } };
static const mcp_arg echo_args[] = {
    { .name = "text", .flags = MCP_REQUIRED, .header = "Text" }, { 0 } };
static const mcp_tool tools[] = {
    { .name = "echo", .args = echo_args, .call = echo }, { .name = "boom", .call = boom },
    { .name = "told", .call = told }, { .name = "large", .call = large },
    { .name = "late", .call = late }, { .name = "touch", .call = touch },
    { .args = every_args, .call = given, .route = "GET /every/{whole}" },
    { .args = every_args, .call = given, .route = "POST /every/{whole}/x" },
    { .call = large, .route = "GET /large", .mime = "text/plain" },
    { .call = late, .route = "PUT /{a}/{b}" }, { 0 } };
static int item(mcp_call *c) { return mcp_text(c, mcp_arg_str(c, "id")); }
static const mcp_resource resources[] = {
    { .uri = "test://hello", .text = "hello" },
    { .uri = "test://item/{id}", .read = item }, { 0 } };

static int who(void *user, const mcp_http_request *rq, mcp_auth *auth) {
    (void)user;
    for (const mcp_attr *h = rq->headers; h->key; h++)
        if (!strcmp(h->key, "Authorization")) {
            auth->principal = h->value;
            auth->scope = "read";
            return strcmp(h->value, "no") ? strcmp(h->value, "less") ? MCP_OK : MCP_DECLINED
                                          : MCP_REFUSED;
        }
    return MCP_OK;
}

/* ---- a run ---- */

static int64_t stands(void *user) { return ((harness_world *)user)->now; }

static int peer_write(void *user, const void *bytes, size_t n) {
    peer *p = (peer *)user;
    must(!p->over); /* nothing behind the end */
    if (n) harness_add(&p->out, bytes, n);
    else p->over = true;
    return MCP_OK;
}

static void feed(harness_world *w, peer *p, const uint8_t *data, size_t size, size_t each) {
    for (size_t at = 0; at < size && p->k && !p->over; at += each) {
        size_t n = size - at < each ? size - at : each;
        char *piece = (char *)malloc(n); /* so that the sanitizer sees its end */
        must(piece != NULL);
        memcpy(piece, data + at, n);
        int status = mcp_feed(p->k, piece, n);
        free(piece);
        must(!status || p->over || w->mem.failed);
        if (status) p->over = true;
    }
}

static void play(peer *peers, const uint8_t *data, size_t size, size_t each, size_t fail_at) {
    static const mcp_server_desc offer = {
        .name = "fuzz", .tools = tools, .resources = resources,
        .http = { .authorize = { who, NULL }, .issuers = "https://as.example",
                  .origins = "https://a.example" },
        .flags = MCP_LOGGING | MCP_SUBSCRIBE | MCP_HTTP_SSE | MCP_HTTP_INFO,
        .changes = MCP_RESOURCES,
        .limits = { .message = 3000, .spill = 1000, .header = 1500, .calls = 4, .sessions = 2,
                    .replay = 400 } };
    harness_world w;
    harness_world_init(&w, NULL, &offer);
    w.desc.clock.func = stands;
    w.now = INT64_C(1785240000) * 1000000000;
    w.mem.dirty = true;
    w.server = mcp_server_new(&w.desc);
    must(w.server != NULL);
    w.mem.fail_at = fail_at ? w.mem.calls + fail_at : 0;
    for (int i = 0; i < PEERS; i++) {
        mcp_write_hook hook = { peer_write, &peers[i] };
        peers[i].out.n = 0;
        peers[i].over = false;
        peers[i].k = mcp_conn_new(w.server, MCP_HTTP, hook);
        must(peers[i].k != NULL || w.mem.failed);
    }
    for (size_t at = 0, peer = 0, end; at < size; at = end + 2, peer++) {
        for (end = at; end < size; end++)
            if (data[end] == 0xFF && end + 1 < size && data[end + 1] == 0xFF) break;
        feed(&w, &peers[peer % PEERS], data + at, end - at, each);
        mcp_poll(w.server);
    }
    for (int second = 0; second < 200; second += 1 + second / 8) { /* what is due runs */
        w.now += (1 + second / 8) * INT64_C(1000000000);
        mcp_poll(w.server);
    }
    for (int i = 0; i < PEERS; i++) {
        if (peers[i].k && !peers[i].over) mcp_feed(peers[i].k, NULL, 0);
        if (i % 2) mcp_conn_free(peers[i].k); /* the others go with the server */
    }
    for (int i = 0; i < PEERS; i++) peers[i].k = NULL;
    must(harness_close(&w));
    harness_world_free(&w);
}

/* ---- what came ---- */

/* A line up to CR LF; no other CR or LF in it. */
static const char *line(const char *p, const char *end, size_t *n) {
    const char *cr = (const char *)memchr(p, '\r', (size_t)(end - p));
    must(cr && cr + 1 < end && cr[1] == '\n' && !memchr(p, '\n', (size_t)(cr - p)));
    *n = (size_t)(cr - p);
    return cr + 2;
}

/* One response; what is still under way has no end. */
static const char *response(const char *p, const char *end) {
    size_t n, length = 0;
    bool sized = false, chunked = false;
    const char *next = line(p, end, &n);
    must(n > 12 && !memcmp(p, "HTTP/1.1 ", 9) && p[12] == ' ');
    int status = atoi(p + 9);
    must(status == 100 || (status >= 200 && status < 600));
    for (p = next; next = line(p, end, &n), n; p = next) {
        must(memchr(p, ':', n) != NULL);
        if (!strncmp(p, "Content-Length: ", 16))
            must(!sized), sized = true, length = strtoul(p + 16, NULL, 10);
        if (!strncmp(p, "Transfer-Encoding: chunked\r", 27)) must(!chunked), chunked = true;
    }
    must(!(sized && chunked));
    p = next;
    if (!sized && !chunked) return status == 100 || status == 204 || status == 304 ? p : end;
    if (sized) {
        if (p == end || !strncmp(p, "HTTP/1.1 ", 9)) return p; /* to a HEAD */
        must(length <= (size_t)(end - p));
        return p + length;
    }
    while (p < end && strncmp(p, "HTTP/1.1 ", 9) != 0) {
        char *stop;
        length = strtoul(p, &stop, 16);
        next = line(p, end, &n);
        must(stop == p + n && length < (size_t)(end - next));
        must(next[length] == '\r' && next[length + 1] == '\n');
        p = next + length + 2;
        if (!length) break;
    }
    return p;
}

/* "100 Continue" is for who waits with the body, so it alone depends on what arrives together. */
static void no_interim(harness_bytes *b) {
    static const char interim[] = "HTTP/1.1 100 Continue\r\n\r\n";
    const size_t n = sizeof interim - 1;
    for (size_t at = 0; at + n <= b->n;) {
        if (memcmp(b->at + at, interim, n) != 0) { at++; continue; }
        memmove(b->at + at, b->at + at + n, b->n - at - n);
        b->n -= n;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static peer whole[PEERS], cut[PEERS];
    if (size == 0) return 0;
    unsigned how = data[--size];
    play(whole, data, size, SIZE_MAX / 2, 0);
    for (int i = 0; i < PEERS; i++) {
        const char *p = whole[i].out.at, *end = p ? p + whole[i].out.n : p;
        while (p < end) p = response(p, end);
    }
    play(cut, data, size, 1 + how % 61, 0);
    for (int i = 0; i < PEERS; i++) {
        no_interim(&whole[i].out);
        no_interim(&cut[i].out);
        must(harness_same(&whole[i].out, &cut[i].out));
    }
    play(cut, data, size, SIZE_MAX / 2, 1 + how * 7 % 251);
    return 0;
}
