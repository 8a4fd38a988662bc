/* alloc.c - steady state: after a warm-up, a request costs no allocation, whatever its kind

   Each kind of request is sent a thousand times, alone and in turn with all others, in both eras
   and with spans. What the memory hook is asked for is counted, and what goes past it. */
#include <stddef.h>
static void *heap_realloc(void *p, size_t n);
static void heap_free(void *p);
#define MCP_REALLOC(p, n) heap_realloc(p, n)
#define MCP_FREE(p) heap_free(p)
#define MCP_IMPLEMENTATION
#include "harness.h"

static size_t heap_calls; /* past the hook */

static void *heap_realloc(void *p, size_t n) {
    heap_calls++;
    return realloc(p, n);
}

static void heap_free(void *p) { free(p); }

/* ---- a server with a tool for each way to answer ---- */

static int add(mcp_call *c) {
    return mcp_textf(c, "%g", mcp_arg_num(c, "a") + mcp_arg_num(c, "b"));
}

static int blocks(mcp_call *c) {
    static const char bytes[6000] = { 1, 2, 3 };
    static const mcp_annotations people = { .audience = MCP_USER, .priority = 0.5 };
    mcp_text(c, "caf\xC3\xA9 \"quoted\"\n");
    mcp_annotate(c, &people);
    mcp_image(c, "image/png", bytes, sizeof bytes);
    mcp_embed(c, "file:///b", "text/plain");
    mcp_textf(c, "%s %d", mcp_arg_str(c, "text"), 7);
    mcp_put_int(mcp_block_meta(c), "n", 1);
    mcp_put_bool(mcp_result_meta(c), "last", true);
    return mcp_alloc(c, 5000) ? MCP_OK : MCP_NOMEM;
}

static int link_to(mcp_call *c) {
    static const mcp_resource row = { .uri = "file:///a", .name = "a", .mime = "text/plain" };
    return mcp_link(c, &row);
}

static int shape(mcp_call *c) {
    mcp_writer *w = mcp_structured(c);
    mcp_put_json(w, "given", mcp_args(c));
    mcp_put_strf(w, "text", "%s!", mcp_format(c, "%05.1f", 2.25));
    mcp_put_arr(w, "list");
    for (int i = 0; i < 100; i++) mcp_put_num(w, NULL, i / 8.0);
    mcp_put_end(w);
    return MCP_OK;
}

static int notes(mcp_call *c) {
    mcp_progress(c, 1, 2, "half");
    mcp_logf(c, MCP_LOG_ERROR, "a %s", "line");
    return mcp_text(c, "done");
}

static int fails(mcp_call *c) { return mcp_failf(c, "no %s", mcp_arg_str(c, "text")); }
static int errs(mcp_call *c) { return mcp_errorf(c, 1001, "no %s", mcp_arg_str(c, "text")); }

static const mcp_arg two[] = { { .name = "a", .type = MCP_NUMBER, .flags = MCP_REQUIRED },
                               { .name = "b", .type = MCP_NUMBER, .def = "2.5" }, { 0 } };
static const mcp_arg text[] = { { .name = "text", .def = "thing" }, { 0 } };
static const mcp_tool tools[] = {
    { .name = "add", .desc = "Adds two numbers.", .args = two, .call = add },
    { .name = "blocks", .args = text, .call = blocks },
    { .name = "link", .call = link_to },
    { .name = "shape", .call = shape, .flags = MCP_OPEN },
    { .name = "notes", .call = notes },
    { .name = "fails", .args = text, .call = fails },
    { .name = "errs", .args = text, .call = errs }, { 0 } };

/* ---- requests: what params hold but for _meta ---- */

typedef struct request {
    const char *method, *params;
    const char *said;               /* in the answer; NULL: no matter */
} request;

static const request both_eras[] = {
    { "tools/list", "", "\"Adds two numbers.\"" },
    { "tools/call", "\"name\":\"add\",\"arguments\":{\"a\":1}", "\"3.5\"" },
    { "tools/call", "\"name\":\"add\",\"arguments\":{\"a\":\"\\u0031\",\"b\":[]}",
      "\"isError\":true" },
    { "tools/call", "\"name\":\"blocks\",\"arguments\":{\"text\":\"\\u00e9\"}", "file:///b" },
    { "tools/call", "\"name\":\"link\"", NULL },                   /* older versions: a failure */
    { "tools/call", "\"name\":\"shape\",\"arguments\":{\"x\":{\"y\":[1,2,\"\\n\"]}}",
      "002.2!" },
    { "tools/call", "\"name\":\"notes\"", "\"done\"" },
    { "tools/call", "\"name\":\"fails\"", "\"no thing\"" },
    { "tools/call", "\"name\":\"errs\"", "\"code\":1001" },
    { "tools/call", "\"name\":\"nothing\"", "\"error\"" },
    { "no/such", "", "-32601" } };
static const request legacy[] = { { "ping", "", "\"result\":{}" },
                                  { "logging/setLevel", "\"level\":\"debug\"", "\"result\":{}" } };
static const request modern[] = { { "server/discover", "", "\"supportedVersions\"" } };
static const char *const malformed[] = { "{\"jsonrpc\":\"2.0\",\"id\":1,", "[]", "\xFF",
                                         "{\"id\":{}}" };

static harness_world w;
static harness_bytes lines[32];
static const char *said[32];
static size_t count;

static void put(harness_bytes *b, const char *s) { harness_add(b, s, strlen(s)); }

static void put_line(const char *s, const char *answer) {
    lines[count].n = 0;
    put(&lines[count], s);
    put(&lines[count], "\n");
    said[count++] = answer;
}

static void put_requests(const request *r, size_t n, const char *meta) {
    for (; n--; r++) {
        harness_bytes b = { NULL, 0, 0 };
        put(&b, "{\"jsonrpc\":\"2.0\",\"id\":\"some-id-1\",\"method\":\"");
        put(&b, r->method);
        put(&b, "\",\"params\":{\"_meta\":{\"progressToken\":7");
        put(&b, meta);
        put(&b, *r->params ? "}," : "}");
        put(&b, r->params);
        put(&b, "}}");
        put_line(b.at, r->said);
        free(b.at);
    }
}

static bool send_kind(size_t i) {
    w.out.n = 0;
    int status = mcp_feed(w.conn, lines[i].at, lines[i].n);
    return CHECK_INT(status, MCP_OK) && (!said[i] || CHECK(strstr(w.out.at, said[i]) != NULL));
}

static void steady(void) {
    enum { TIMES = 1000 };
    for (int warm = 0; warm < 3; warm++)
        for (size_t i = 0; i < count; i++) if (!send_kind(i)) fwrite(w.out.at, 1, w.out.n, stdout);
    size_t before = w.mem.calls, past = heap_calls;
    for (size_t i = 0; i < count; i++) {
        for (int n = 0; n < TIMES; n++) if (!send_kind(i)) return;
        if (CHECK_INT(w.mem.calls - before, 0)) continue;
        printf("    by a thousand of %s", lines[i].at);
        before = w.mem.calls;
    }
    for (int n = 0; n < TIMES; n++)
        for (size_t i = 0; i < count; i++) if (!send_kind(i)) return;
    CHECK_INT(w.mem.calls - before, 0);
    CHECK_INT(heap_calls - past, 0);
}

#ifndef MCP_NO_TRACE
static size_t spans;
static void trace(void *user, const mcp_span *span) { (void)user, (void)span, spans++; }
#endif

static void start(bool traced) {
    mcp_server_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.name = "alloc";
    desc.tools = tools;
    desc.flags = MCP_LOGGING;
    harness_world_init(&w, NULL, &desc);
#ifndef MCP_NO_TRACE
    if (traced) w.desc.trace.func = trace;
#else
    (void)traced;
#endif
    if (!CHECK(harness_open(&w))) puts(w.log);
    harness_add(&w.out, "", 0);
    count = 0;
}

static void stop(void) {
    CHECK(harness_close(&w));
    CHECK_STR(w.mem.wrong, (const char *)NULL);
    harness_world_free(&w);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) free(lines[i].at), lines[i].at = NULL;
    memset(lines, 0, sizeof lines);
}

static void all_modern(void) {
    static const char meta[] = "," HARNESS_META;
    put_requests(both_eras, sizeof both_eras / sizeof *both_eras, meta);
    put_requests(modern, sizeof modern / sizeof *modern, meta);
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++)
        put_line(malformed[i], "\"error\"");
}

static void all_legacy(const char *version) {
    char hello[512];
    snprintf(hello, sizeof hello, HARNESS_HELLO, version);
    CHECK_INT(mcp_feed(w.conn, hello, strlen(hello)), MCP_OK);
    put_requests(both_eras, sizeof both_eras / sizeof *both_eras, "");
    put_requests(legacy, sizeof legacy / sizeof *legacy, "");
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++)
        put_line(malformed[i], "\"error\"");
}

TEST(modern_requests_allocate_nothing) {
    start(false);
    all_modern();
    steady();
    stop();
}

TEST(legacy_requests_allocate_nothing) {
    static const char *const versions[] = { "2025-11-25", "2025-06-18", "2025-03-26",
                                            "2024-11-05" };
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        start(false);
        all_legacy(versions[i]);
        steady();
        stop();
    }
}

/* A thousand answers to one batch are no more than one answer a thousand times. */
TEST(batches_allocate_nothing) {
    harness_bytes b = { NULL, 0, 0 };
    start(false);
    all_legacy("2025-03-26");
    count = 0;
    put(&b, "[");
    for (int i = 0; i < 20; i++) {
        put(&b, i ? "," : "");
        put(&b, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
                "\"params\":{\"name\":\"add\",\"arguments\":{\"a\":1}}}");
    }
    put(&b, "]");
    put_line(b.at, "\"3.5\"");
    free(b.at);
    steady();
    stop();
}

TEST(traced_requests_allocate_nothing) {
#ifndef MCP_NO_TRACE
    start(true);
    all_modern();
    steady();
    CHECK(spans >= 1000);
    stop();
#endif
}

/* A message that arrives byte by byte grows the buffer no further than one that arrives whole. */
TEST(pieces_allocate_nothing) {
    start(false);
    all_modern();
    for (int n = 0; n < 20; n++) {
        size_t before = w.mem.calls;
        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; k < lines[i].n; k++)
                if (!CHECK_INT(mcp_feed(w.conn, lines[i].at + k, 1), MCP_OK)) return;
        if (n >= 3 && !CHECK_INT(w.mem.calls - before, 0)) break;
    }
    stop();
}

int main(void) {
    RUN(modern_requests_allocate_nothing);
    RUN(legacy_requests_allocate_nothing);
    RUN(batches_allocate_nothing);
    RUN(traced_requests_allocate_nothing);
    RUN(pieces_allocate_nothing);
    return DONE();
}
