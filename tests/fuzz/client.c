/* client.c - the client, and any bytes at all from the server, over lines and HTTP
   clang -g -O1 -fsanitize=fuzzer,address,undefined -I. -Itests tests/fuzz/client.c

   The last byte of the input picks the transport and the version, the pieces, and which allocation
   fails; what comes before it is what the server sends, a line of it at a time for each request. */
#define MCP_IMPLEMENTATION
#include "harness.h"
#include "fuzz.h"

static const uint8_t *input;
static size_t left, each;
static int64_t now;

static int64_t tick(void *user) { return (void)user, now += 1000000; }

static ptrdiff_t next(void *user, void *bytes, size_t n, int64_t ms) {
    (void)user;
    if (!left) return 0;
    if (now % 7 == 0) return now += (ms < 0 ? 100 : ms) * 1000000, MCP_CANCELLED;
    if (n > each) n = each;
    if (n > left) n = left;
    memcpy(bytes, input, n);
    input += n;
    left -= n;
    return (ptrdiff_t)n;
}

static int ignore(void *user, const void *bytes, size_t n) {
    const char *p = (const char *)bytes;
    bool *lines = (bool *)user;
    if (*lines && n && p[n - 1] == '\n') must(harness_is_message(p, n - 1));
    return MCP_OK;
}

static bool lines;
static int dial(void *user, const char *host, int port, mcp_stream *stream) {
    (void)user, (void)host, (void)port;
    stream->read = next;
    stream->write = ignore;
    stream->user = &lines;
    return left ? MCP_OK : MCP_IO;
}

static int answer(void *user, const char *method, const mcp_json *params, mcp_writer *w) {
    (void)user, (void)method;
    mcp_put_json(w, "a", params);
    return MCP_OK;
}

static void look(mcp_client *k, const mcp_json *r) {
    size_t n;
    const mcp_failure *f = mcp_client_failure(k);
    must(f->text && (r ? f->status == MCP_OK : f->status != MCP_OK));
    const char *raw = mcp_get_raw(r, NULL, &n);
    must(!r || is_json(raw, n, 256));
}

static void play(const uint8_t *data, size_t size, unsigned how, size_t fail_at) {
    static const unsigned old[] = { 0, MCP_2024_11_05, MCP_2025_11_25, MCP_2026_07_28 };
    harness_mem mem;
    mcp_client_desc desc;
    memset(&mem, 0, sizeof mem);
    memset(&desc, 0, sizeof desc);
    mem.dirty = true;
    mem.fail_at = fail_at;
    input = data;
    left = size;
    now = 0;
    lines = how & 1;
    desc.name = "fuzz";
    desc.connect.func = dial;
    desc.url = lines ? NULL : "http://a/mcp";
    desc.versions = old[how >> 1 & 3];
    desc.can = MCP_CAN_ASK | MCP_CAN_ASK_URL | MCP_CAN_SAMPLE | MCP_CAN_TASKS;
    desc.roots = "file:///a";
    desc.ask.func = answer;
    desc.timeout_ms = 3000;
    desc.limits.message = 3000;
    desc.clock.func = tick;
    desc.alloc.func = harness_alloc;
    desc.alloc.user = &mem;
    mcp_client *k = mcp_client_new(&desc);
    must(k || mem.failed);
    for (int i = 0; k && i < 4; i++) {
        look(k, mcp_client_list(k, "tools", NULL));
        mcp_put_num(mcp_client_call(k, "x"), "a", 1);
        int64_t id = mcp_client_send(k);
        mcp_client_listen(k, MCP_TOOLS, "a://b");
        mcp_client_read(k, "a://b");
        look(k, mcp_client_wait(k));
        look(k, mcp_client_result(k, id));
    }
    mcp_client_free(k);
    must(!mem.live && !mem.wrong);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    unsigned how = data[--size];
    each = SIZE_MAX;
    play(data, size, how, 0);
    each = 1 + how % 13;
    play(data, size, how, 0);
    play(data, size, how, 1 + how % 97);
    return 0;
}
