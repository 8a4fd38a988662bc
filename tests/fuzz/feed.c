/* feed.c - one connection of a whole server: any bytes, cut anywhere, with memory that may fail
   clang -g -O1 -fsanitize=fuzzer,address,undefined -I. -Itests tests/fuzz/feed.c and the servers

   The last byte of the input picks the server, the pieces, and which allocation fails. */
#include "harness.h"
#include "fuzz.h"

static void one_message(void *arg, const char *s, size_t n) {
    (void)arg;
    must(harness_is_message(s, n));
}

/* A connection's life; its server lives on, and may keep what the next one needs. */
static void play(harness_world *w, const uint8_t *data, size_t size, size_t each, size_t fail_at) {
    int status = MCP_OK;
    w->mem.failed = false;
    w->mem.fail_at = fail_at ? w->mem.calls + fail_at : 0;
    if (!harness_connect(w)) status = MCP_NOMEM;
    for (size_t at = 0; at < size && !status; at += each) {
        size_t n = size - at < each ? size - at : each;
        char *piece = (char *)malloc(n); /* so that the sanitizer sees its end */
        must(piece != NULL);
        memcpy(piece, data + at, n);
        status = mcp_feed(w->conn, piece, n);
        free(piece);
        w->now += 1000000000; /* what is due runs */
        mcp_poll(w->server);
    }
    if (!status) mcp_feed(w->conn, NULL, 0);
    must(!status || w->mem.failed); /* no input closes a connection */
    const char *line;
    for (size_t at = 0, n; harness_line(&w->out, &at, &line, &n);) {
        must(harness_is_json(line, n));
        harness_messages(line, n, one_message, NULL);
    }
    mcp_conn_free(w->conn);
    w->conn = NULL;
    must(!w->mem.wrong);
}

static const char *const servers[] = { "tools", "fixture", "offers", "conformance" };
static harness_world worlds[4], *opening;
static size_t plays;

static void open_world(const harness_transcript *t, const mcp_server_desc *desc) {
    harness_world_init(opening, t, desc);
    opening->desc.limits.message = 100000;
    opening->server = mcp_server_new(&opening->desc);
    must(opening->server != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    unsigned how = data[--size];
    harness_world *w = opening = &worlds[how % 4];
    harness_transcript t = { "fuzz", "", true, true, false, false, false, false, NULL, 0, 0 };
    strcpy(t.server, servers[how % 4]);
    if (!w->server) harness_with(&t, open_world);
    play(w, data, size, SIZE_MAX, 0);
    harness_bytes whole = w->out;
    memset(&w->out, 0, sizeof w->out);
    play(w, data, size, 1 + how % 61, 0);
    must(how % 4 || harness_same(&whole, &w->out)); /* nothing in tools looks ahead */
    free(whole.at);
    play(w, data, size, SIZE_MAX, 1 + how % 97);
    if (++plays % 256) return 0;
    must(harness_close(w)); /* no leak; the next input opens it again */
    harness_world_free(w);
    return 0;
}
