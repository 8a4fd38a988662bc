/* feed.c - one connection of a whole server: any bytes, cut anywhere, with memory that may fail
   clang -g -O1 -fsanitize=fuzzer,address,undefined -I. -Itests tests/fuzz/feed.c and the servers

   The last byte of the input picks the server, the pieces, and which allocation fails. */
#include "harness.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t *input;
static size_t input_size;

static void one_message(void *arg, const char *s, size_t n) {
    (void)arg;
    if (!harness_is_message(s, n)) abort();
}

static void play(const mcp_server_desc *desc, harness_bytes *out, size_t each, size_t fail_at) {
    harness_world w;
    harness_world_init(&w, NULL, desc);
    w.mem.fail_at = fail_at;
    w.desc.limits.message = 100000;
    int status = harness_open(&w) ? MCP_OK : MCP_NOMEM;
    for (size_t at = 0; at < input_size && !status; at += each) {
        size_t n = input_size - at < each ? input_size - at : each;
        char *piece = (char *)malloc(n); /* so that the sanitizer sees its end */
        if (!piece) abort();
        memcpy(piece, input + at, n);
        status = mcp_feed(w.conn, piece, n);
        free(piece);
    }
    if (!status) mcp_feed(w.conn, NULL, 0);
    if (status && !w.mem.failed) abort(); /* no input closes a connection */
    const char *line;
    for (size_t at = 0, n; harness_line(&w.out, &at, &line, &n);) {
        if (!harness_is_json(line, n)) abort();
        harness_messages(line, n, one_message, NULL);
    }
    if (w.out.n) harness_add(out, w.out.at, w.out.n);
    if (!harness_close(&w)) abort();
    harness_world_free(&w);
}

static void use(const harness_transcript *t, const mcp_server_desc *desc) {
    harness_bytes whole = { NULL, 0, 0 }, cut = { NULL, 0, 0 };
    unsigned how = input[input_size];
    (void)t;
    play(desc, &whole, SIZE_MAX, 0);
    play(desc, &cut, 1 + how % 61, 0);
    if (!strcmp(t->server, "tools") && !harness_same(&whole, &cut)) abort(); /* nothing polls */
    cut.n = 0;
    play(desc, &cut, SIZE_MAX, 1 + how % 97);
    free(whole.at);
    free(cut.at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    harness_transcript t = { "fuzz", "tools", true, true, false, false, NULL, 0, 0 };
    if (size == 0) return 0;
    input = data;
    input_size = size - 1;
    if (data[size - 1] & 1) strcpy(t.server, "fixture");
    harness_with(&t, use);
    return 0;
}
