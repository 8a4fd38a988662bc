/* hostile.c - what a hostile or broken peer sends: each kind has a limit, an answer, and a cost

   One server, one connection, generated input. Transcripts show the small cases of the same kinds;
   here they are large: no input makes time more than linear or memory more than the limit. */
#include "harness.h"

#include "inside.h"

#include "cost.h"

static int echo(mcp_call *c) { return mcp_text(c, mcp_arg_str(c, "text")); }
static int given(mcp_call *c) { return mcp_textf(c, "%g", (double)mcp_count(mcp_args(c))); }

static const mcp_arg echo_args[] = { { .name = "text", .flags = MCP_REQUIRED }, { 0 } };
static const mcp_arg list_args[] = {
    { .name = "list", .type = MCP_ARRAY, .max_items = 4, .items = MCP_INTEGER }, { 0 } };
static const mcp_tool tools[] = {
    { .name = "echo", .args = echo_args, .call = echo },
    { .name = "open", .call = given, .flags = MCP_OPEN },
    { .name = "list", .args = list_args, .call = given }, { 0 } };

static harness_world w;
static harness_bytes in;

static void put(const char *s) { harness_add(&in, s, strlen(s)); }

static void put_many(const char *s, size_t n) { while (n--) put(s); }

/* A modern call: what stands between the braces of its arguments is up to the test. */
static void put_call(const char *tool) {
    put("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
        "\"_meta\":{" HARNESS_META "},\"name\":\"");
    put(tool);
    put("\",\"arguments\":{");
}

static void start(size_t message, size_t depth) {
    mcp_server_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.name = "hostile";
    desc.tools = tools;
    desc.limits.message = message;
    desc.limits.depth = depth;
    harness_world_init(&w, NULL, &desc);
    if (!CHECK(harness_open(&w))) puts(w.log);
    in.n = 0;
}

/* Feeds what was put, in pieces; what came is in w.out. */
static int feed(size_t piece) {
    int status = MCP_OK;
    w.out.n = 0;
    harness_add(&w.out, "", 0);
    for (size_t at = 0; at < in.n && !status; at += piece)
        status = mcp_feed(w.conn, in.at + at, in.n - at < piece ? in.n - at : piece);
    in.n = 0;
    return status;
}

static size_t lines(void) {
    size_t at = 0, n, count = 0;
    const char *line;
    while (harness_line(&w.out, &at, &line, &n)) count++;
    return count;
}

static bool said(const char *text) { return strstr(w.out.at, text) != NULL; }

/* Nothing that came before has hurt: the next request is answered, nothing leaks. */
static void stop(void) {
    put_call("echo");
    put("\"text\":\"still here\"}}}\n");
    CHECK_INT(feed(SIZE_MAX), MCP_OK);
    CHECK(said("still here"));
    CHECK_INT(asserted, 0);
    CHECK(harness_close(&w));
    CHECK_STR(w.mem.wrong, (const char *)NULL);
    harness_world_free(&w);
}

/* ---- limits ---- */

TEST(depth) {
    start(0, 8); /* the envelope is 1, params 2, arguments 3 */
    put_call("open");
    put("\"a\":"), put_many("[", 5), put_many("]", 5), put("}}}\n");
    feed(SIZE_MAX);
    CHECK(said("\"text\":\"1\""));
    put_call("open");
    put("\"a\":"), put_many("[", 6), put_many("]", 6), put("}}}\n");
    feed(SIZE_MAX);
    CHECK(said("-32700") && said("\"id\":null"));
    put_many("[", 1000000), put("\n");
    put_many("{\"a\":", 1000000), put("\n");
    feed(65536);
    CHECK_INT(lines(), 2);
    stop();
}

TEST(size) { /* the limit itself is allowed, one byte more is not */
    for (size_t more = 0; more < 2; more++) {
        start(4096, 0);
        put_call("open");
        put("\"a\":\"");
        put_many("x", 4096 + more - in.n - 4), put("\"}}}");
        CHECK_INT(in.n, 4096 + more);
        put("\n");
        feed(SIZE_MAX);
        CHECK_INT(lines(), 1);
        CHECK(said("-32700") == (more > 0));
        stop();
    }
}

TEST(endless_line) { /* 64 MiB without a newline cost one error and no more than the limit */
    start(65536, 0);
    put_many("0123456789abcdef", 4096);
    harness_bytes piece = in;
    memset(&in, 0, sizeof in);
    for (int i = 0; i < 1024; i++) CHECK_INT(mcp_feed(w.conn, piece.at, piece.n), MCP_OK);
    put("\n");
    CHECK_INT(mcp_feed(w.conn, in.at, in.n), MCP_OK);
    CHECK_INT(lines(), 1);
    CHECK(w.mem.peak < 4 * 65536 + 65536);
    free(piece.at);
    in.n = 0;
    stop();
}

TEST(memory_comes_back) { /* after a giant the connection is small again */
    start(0, 0);
    size_t before = w.mem.live;
    put_call("echo");
    put("\"text\":\""), put_many("0123456789abcdef", 500000), put("\"}}}\n");
    feed(SIZE_MAX);
    CHECK_INT(lines(), 1);
    put("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\n");
    feed(SIZE_MAX);
    CHECK(w.mem.live < before + 1000000);
    stop();
}

TEST(blank) { /* whitespace is not a message */
    start(0, 0);
    put_many(" \t\r\n\r\n\n", 100000);
    feed(65536);
    CHECK_INT(w.out.n, 0);
    CHECK(w.mem.peak < 1000000);
    stop();
}

/* ---- meanings ---- */

TEST(duplicate_keys) { /* two readers would differ about them where it matters */
    static const char *const refused[] = {
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"method\":\"ping\"}\n",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"ping\"}\n",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"\\u006dethod\":\"ping\"}\n",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{"
        "\"_meta\":{" HARNESS_META "," HARNESS_META "}}}\n",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
        "\"_meta\":{" HARNESS_META "},\"name\":\"echo\",\"name\":\"open\"}}\n" };
    start(0, 0);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        put(refused[i]);
        feed(SIZE_MAX);
        if (!CHECK(said("-32600")) || !CHECK_INT(lines(), 1)) puts(w.out.at);
    }
    put_call("echo");
    put("\"text\":\"first\",\"text\":\"last\"}}}\n");
    feed(SIZE_MAX);
    CHECK(said("last") && !said("first"));
    stop();
}

TEST(nul) {
    start(0, 0);
    put_call("echo");
    put("\"text\":\"a"), harness_add(&in, "\0", 1), put("b\"}}}\n");
    feed(SIZE_MAX);
    CHECK(said("-32700"));
    harness_add(&in, "\0\n", 2);
    feed(SIZE_MAX);
    CHECK(said("-32700"));
    put_call("open");
    put("\"a\\u0000b\":\"a\\u0000b\"}}}\n");
    feed(SIZE_MAX);
    CHECK(said("\"text\":\"1\""));
    stop();
}

TEST(lone_surrogates) {
    start(0, 0);
    put_call("echo");
    put("\"text\":\"\\ud83d \\ude00 \\ude00\\ud83d\"}}}\n");
    feed(SIZE_MAX);
    CHECK(said("\xEF\xBF\xBD \xEF\xBF\xBD \xEF\xBF\xBD\xEF\xBF\xBD"));
    stop();
}

TEST(amplification) { /* a small request has no large answer: problems are counted, not listed */
    start(0, 0);
    put_call("echo");
    for (int i = 0; i < 50000; i++) put(i ? ",\"u\":1" : "\"u\":1");
    put("}}}\n");
    feed(SIZE_MAX);
    CHECK(said("isError\":true"));
    CHECK(w.out.n < 4096);
    put_call("list");
    put("\"list\":[\"\""), put_many(",\"\"", 50000), put("]}}}\n");
    feed(SIZE_MAX);
    CHECK(said("isError\":true"));
    CHECK(w.out.n < 4096);
    stop();
}

TEST(numbers) { /* of any length, and beyond every type */
    static const char *const texts[] = { "1e400", "-1e400", "1e-400", "9223372036854775808", "-0",
        "18446744073709551616", "1e99999999999999999999", "0.1e-99999999999999999999" };
    start(0, 0);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        put_call("list");
        put("\"list\":["), put(texts[i]), put("]}}}\n");
        feed(SIZE_MAX);
        CHECK_INT(lines(), 1);
    }
    put_call("list");
    put("\"list\":["), put_many("1234567890", 100000), put("]}}}\n");
    put_call("list");
    put("\"list\":[0."), put_many("1234567890", 100000), put("]}}}\n");
    put_call("list");
    put("\"list\":[1e"), put_many("1234567890", 100000), put("]}}}\n");
    feed(SIZE_MAX);
    CHECK_INT(lines(), 3);
    stop();
}

TEST(ids) { /* echoed byte for byte, however long */
    start(0, 0);
    put("{\"jsonrpc\":\"2.0\",\"id\":\""), put_many("\\u00e9", 100000);
    put("\",\"method\":\"ping\"}\n");
    feed(SIZE_MAX);
    CHECK_INT(lines(), 1);
    CHECK(w.out.n > 600000 && said("\"id\":\"\\u00e9\\u00e9"));
    stop();
}

/* ---- cost ---- */

TEST(one_read_one_write) {
    start(0, 0);
    put_many("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n", 50);
    feed(SIZE_MAX);
    CHECK_INT(lines(), 50);
    CHECK_INT(w.writes, 1);
    stop();
}

TEST(steady_state) { /* after warm-up a request costs no allocation */
    start(0, 0);
    for (int i = 0; i < 20; i++) {
        size_t calls = w.mem.calls;
        put_call("echo");
        put("\"text\":\"again and \\u0061gain\"}}}\n");
        put("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{"
            "\"_meta\":{" HARNESS_META "}}}\n");
        feed(SIZE_MAX);
        CHECK_INT(lines(), 2);
        if (i > 2) CHECK_INT(w.mem.calls, calls);
    }
    stop();
}

struct load { const char *what; void (*fill)(size_t n); size_t n, piece; };
static double seconds(const void *work, size_t n) {
    const struct load *load = (const struct load *)work;
    start(100000000, 0);
    load->fill(n);
    clock_t from = clock();
    feed(load->piece);
    double t = cost_since(from);
    stop();
    return t;
}

static void fill_members(size_t n) {
    char one[32];
    put_call("open");
    for (size_t i = 0; i < n; i++) {
        snprintf(one, sizeof one, "%s\"k%lu\":1", i ? "," : "", (unsigned long)i);
        put(one);
    }
    put("}}}\n");
}
static void fill_unknown(size_t n) {
    put_call("echo"), put("\"text\":\"\""), put_many(",\"unknown\":1", n), put("}}}\n");
}
static void fill_same(size_t n) {
    put_call("echo"), put("\"text\":\"\""), put_many(",\"text\":\"\"", n), put("}}}\n");
}
static void fill_envelope(size_t n) {
    put("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\""), put_many(",\"x\":1", n), put("}\n");
}
static void fill_meta(size_t n) {
    char one[32];
    put("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"_meta\":{\"a\":1");
    for (size_t i = 0; i < n; i++) {
        snprintf(one, sizeof one, ",\"k%lu\":1", (unsigned long)i);
        put(one);
    }
    put("}}}\n");
}
static void fill_escapes(size_t n) {
    put_call("echo"), put("\"text\":\""), put_many("\\u0000\\ud83d", n), put("\"}}}\n");
}
static void fill_string(size_t n) {
    put_call("echo"), put("\"text\":\""), put_many("x", n), put("\"}}}\n");
}
static void fill_backslashes(size_t n) { /* the key that is found by walking back */
    put_call("open"), put("\""), put_many("\\\\", n), put("\":1}}}\n");
}
static void fill_digits(size_t n) {
    put_call("list"), put("\"list\":[1"), put_many("7", n), put(".5]}}}\n");
}
static void fill_items(size_t n) {
    put_call("list"), put("\"list\":[1"), put_many(",1", n), put("]}}}\n");
}
static void fill_brackets(size_t n) { put_many("[", n), put_many("]", n), put("\n"); }
static void fill_pings(size_t n) {
    put_many("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n", n);
}

TEST(linear_time) {
    static const struct load rows[] = {
        { "members", fill_members, 20000, SIZE_MAX },
        { "unknown arguments", fill_unknown, 20000, SIZE_MAX },
        { "one argument again and again", fill_same, 20000, SIZE_MAX },
        { "members of the envelope", fill_envelope, 20000, SIZE_MAX },
        { "members of _meta", fill_meta, 20000, SIZE_MAX },
        { "escapes", fill_escapes, 50000, SIZE_MAX },
        { "a string byte by byte", fill_string, 200000, 1 },
        { "backslashes", fill_backslashes, 100000, SIZE_MAX },
        { "backslashes byte by byte", fill_backslashes, 50000, 1 },
        { "digits", fill_digits, 50000, SIZE_MAX },
        { "items", fill_items, 50000, SIZE_MAX },
        { "brackets", fill_brackets, 100000, SIZE_MAX },
        { "messages", fill_pings, 5000, SIZE_MAX } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!CHECK(cost_grows(seconds, &rows[i], rows[i].n, 4 * rows[i].n, 9)))
            printf("    %s\n", rows[i].what);
}

/* ---- many tools ---- */

#define MANY 10000
static char names[MANY][24];
static double call_among(const void *table, size_t count) { /* count tools */
    mcp_tool *many = (mcp_tool *)table;
    mcp_server_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.name = "many";
    desc.tools = many;
    memset(many, 0, (MANY + 1) * sizeof *many);
    for (size_t i = 0; i < count; i++) {
        snprintf(names[i], sizeof names[i], "tool_%lu", (unsigned long)i);
        many[i].name = names[i];
        many[i].call = given;
    }
    harness_world_init(&w, NULL, &desc);
    CHECK(harness_open(&w));
    for (int i = 0; i < 2000; i++) put_call(names[count - 1]), put("}}}\n");
    clock_t from = clock();
    feed(SIZE_MAX);
    double t = cost_since(from);
    CHECK_INT(lines(), 2000);
    CHECK(harness_close(&w));
    harness_world_free(&w);
    return t;
}

TEST(ten_thousand_tools) { /* a name is looked up, not searched */
    mcp_tool *many = (mcp_tool *)calloc(MANY + 1, sizeof *many);
    CHECK(cost_grows(call_among, many, 10, MANY, 2));
    free(many);
}

int main(void) {
    RUN(depth);
    RUN(size);
    RUN(endless_line);
    RUN(memory_comes_back);
    RUN(blank);
    RUN(duplicate_keys);
    RUN(nul);
    RUN(lone_surrogates);
    RUN(amplification);
    RUN(numbers);
    RUN(ids);
    RUN(one_read_one_write);
    RUN(steady_state);
    RUN(linear_time);
    RUN(ten_thousand_tools);
    free(in.at);
    return DONE();
}
