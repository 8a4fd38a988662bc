/* conn.c - bytes to messages and back: lines, limits, ends, cuts, failing writes, several peers,
   calls from where one would not expect them, timers and posts, and what it all costs */
#include "unit.h"

#include "cost.h"

#define LENGTH(rows) (sizeof(rows) / sizeof *(rows))
#define HANDLER(name) static int name(mcp_call *c)

static mcp_handler *does;
HANDLER(tool) { return does ? does(c) : mcp_text(c, "t"); }
HANDLER(echo) { return mcp_text(c, mcp_arg_str(c, "text")); }
static const mcp_tool tools[] = { { .name = "t", .call = tool, .flags = MCP_OPEN },
                                  { .name = "echo", .call = echo, .flags = MCP_OPEN }, { 0 } };
static const mcp_resource resources[] = { { .uri = "a://b", .text = "x" }, { 0 } };

static void serve(mcp_handler *handler) {
    does = handler;
    desc.tools = tools;
    desc.resources = resources;
    desc.flags |= MCP_LENIENT | MCP_LOGGING | MCP_SUBSCRIBE;
    start();
}
static void serve_fresh(mcp_handler *handler) {
    fresh();
    serve(handler);
}

#define PING(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"ping\"}"
#define PONG(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{}}\n"
#define CALL(id, tool) "{\"jsonrpc\":\"2.0\",\"id\":" id \
    ",\"method\":\"tools/call\",\"params\":{\"name\":\"" tool "\"}}"
#define REFUSAL(code, text) "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":" code \
    ",\"message\":\"" text "\"}}\n"
#define PARSE REFUSAL("-32700", "Parse error")
#define LONG REFUSAL("-32700", "Message too long")

/* What all of this is answered with, fed in pieces of so many bytes, and with the end behind it. */
static const char *fed(const char *bytes, size_t n, size_t piece, bool end) {
    static harness_bytes got;
    got.n = 0;
    harness_add(&got, "", 0);
    for (size_t at = 0; at < n; at += piece) {
        CHECK_INT(feed(bytes + at, n - at < piece ? n - at : piece), MCP_OK);
        harness_add(&got, w.out.at, w.out.n);
    }
    if (end) {
        CHECK_INT(feed(NULL, 0), MCP_OK);
        harness_add(&got, w.out.at, w.out.n);
    }
    return got.at;
}

/* ---- lines ---- */

static const struct { const char *in; size_t n; const char *out; } lines[] = {
#define ROW(in, out) { in, sizeof in - 1, out }
    ROW(PING("1") "\n", PONG("1")), ROW(PING("1") "\r\n", PONG("1")), ROW(PING("1"), PONG("1")),
    ROW(PING("1") "\r", PONG("1")), ROW("", ""), ROW("\n\r\n \t\n\r\r\n", ""),
    ROW("  " PING("1") "\t \n\n" PING("2") "\n" PING("3"), PONG("1") PONG("2") PONG("3")),
    ROW(PING("1") PING("2") "\n", PARSE), ROW(PING("1") "\n" PING("2") "x\n" PING("3") "\n",
        PONG("1") PARSE PONG("3")),
    ROW("{\"jsonrpc\":\"2.0\",\n\"id\":1}\n", PARSE PARSE),
    ROW("\xEF\xBB\xBF" PING("1") "\n" PING("2") "\n", PONG("1") PONG("2")),
    ROW("\xEF\xBB\xBF\n" PING("1") "\n", PONG("1")), ROW("\xEF\xBB\xBF", ""),
    ROW("\n\xEF\xBB\xBF" PING("1") "\n", PARSE), ROW("\xEF\xBB\xBF\xEF\xBB\xBF" PING("1") "\n",
        PARSE),
    ROW(" \xEF\xBB\xBF" PING("1") "\n", PARSE), ROW("\xEF\xBB" PING("1") "\n" PING("2") "\n",
        PARSE PONG("2")),
    ROW(PING("1") "\n\xEF\xBB\xBF" PING("2") "\n", PONG("1") PARSE), ROW("\xFE\xFF\0{\n", PARSE),
    ROW("\0\n" PING("1") "\n", PARSE PONG("1")), ROW(PING("1") "\0\n", PARSE), ROW("\0", PARSE),
    ROW("{\"jsonrpc\":\"2.0\",\"id\":\"\xE2\x80\xA8\xC2\x85\",\"method\":\"ping\"}\n",
        PONG("\"\xE2\x80\xA8\xC2\x85\"")),
    ROW("{\"jsonrpc\":\"2.0\",\"id\":\"\n\",\"method\":\"ping\"}\n", PARSE PARSE),
    ROW("{\"jsonrpc\":\"2.0\",\"id\":\"\r\",\"method\":\"ping\"}\n", PARSE),
    ROW("Content-Length: 40\r\n\r\n" PING("1") "\n", PARSE PONG("1")),
    ROW("\x0B\x0C\n\xC2\xA0\n", PARSE PARSE), ROW("{\"a\":1}}\n{\n", PARSE PARSE), ROW("\"", PARSE),
    ROW(PING("1") "\n{\"jsonrpc\":\"2.0\",\"id\":2,\"me", PONG("1") PARSE)
#undef ROW
};

TEST(lines_at_every_cut) { /* whole, byte by byte, and in two pieces at each place: the same */
    for (size_t i = 0; i < LENGTH(lines); i++)
        for (size_t piece = 1; piece <= lines[i].n + 1; piece++) {
            serve_fresh(NULL);
            if (!CHECK_STR(fed(lines[i].in, lines[i].n, piece, true), lines[i].out))
                printf("    row %lu in pieces of %lu\n", (unsigned long)i, (unsigned long)piece);
            stop();
        }
}

/* Lines of all kinds behind each other, in random pieces. */
static uint32_t seed;
static uint32_t chance(uint32_t n) { return (seed = seed * 1664525u + 1013904223u) / 65536u % n; }

TEST(many_lines_at_random_cuts) {
    static harness_bytes all, whole;
    for (seed = 1; seed < 6; seed++) {
        uint32_t keep_seed = seed;
        all.n = whole.n = 0;
        for (int i = 0; i < 300; i++) {
            const char *in = lines[chance(LENGTH(lines))].in;
            harness_add(&all, in, strlen(in));
            if (chance(3)) harness_add(&all, "\n", 1);
            if (chance(20) == 0) for (int k = 0; k < 3000; k++) harness_add(&all, " ", 1);
            if (chance(20) == 0) for (int k = 0; k < 3000; k++) harness_add(&all, "[", 1);
        }
        for (int round = 0; round < 4; round++) {
            fresh();
            desc.limits.message = 2000;
            serve(NULL);
            harness_bytes got = { NULL, 0, 0 };
            for (size_t at = 0, n; at < all.n; at += n) {
                n = round ? 1 + chance(round == 1 ? 7 : 5000) : all.n;
                if (n > all.n - at) n = all.n - at;
                feed(all.at + at, n);
                harness_add(&got, w.out.at, w.out.n);
            }
            feed(NULL, 0);
            harness_add(&got, w.out.at, w.out.n);
            if (round == 0) harness_add(&whole, got.at, got.n);
            else CHECK(harness_same(&got, &whole));
            free(got.at);
            stop();
        }
        seed = keep_seed;
    }
    free(all.at);
    free(whole.at);
    memset(&all, 0, sizeof all);
    memset(&whole, 0, sizeof whole);
}

/* ---- limits ---- */

/* as many bytes as it says, whatever they are; then back at the next line */
TEST(limit_of_a_message) {
    char line[64] = PING("1");
    size_t n = strlen(line);
    for (size_t limit = n - 1; limit <= n + 1; limit++)
        for (size_t piece = 1; piece < 200; piece = 3 * piece + 1) {
            fresh();
            desc.limits.message = limit;
            serve(NULL);
            CHECK_STR(fed(PING("1") "\n" PING("2") "\n", 2 * n + 2, piece, false), limit < n
                ? LONG LONG : PONG("1") PONG("2"));
            CHECK_STR(fed(PING("1") "\r\n", n + 2, piece, false), limit <= n ? LONG : PONG("1"));
            CHECK_STR(fed("                                                                \n", 65,
                piece, false), LONG);
            CHECK_STR(fed(PING("1"), n, piece, true), limit < n ? LONG : PONG("1"));
            stop();
        }
}

TEST(limit_of_depth) {
    char line[400];
    for (size_t depth = 1; depth < 70; depth += 17)
        for (size_t more = 0; more < 2; more++) {
            fresh();
            desc.limits.depth = depth;
            serve(NULL);
            strcpy(line, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"x\":");
            for (size_t i = 1; i < depth + more; i++) strcat(line, "[");
            if (depth + more == 1) strcat(line, "1");
            for (size_t i = 1; i < depth + more; i++) strcat(line, "]");
            strcat(line, "}\n");
            CHECK_STR(fed(line, strlen(line), SIZE_MAX, false), more
                ? REFUSAL("-32700", "Nesting too deep") : PONG("1"));
            stop();
        }
}

/* ---- the end ---- */

TEST(end_of_input) { /* once; and nothing is taken in behind it */
    serve_fresh(NULL);
    CHECK_STR(fed(PING("1"), sizeof PING("1") - 1, SIZE_MAX, true), PONG("1"));
    CHECK_INT(feed(NULL, 0), MCP_OK);
    CHECK_INT(w.out.n, 0);
    CHECK_INT(feed(PING("2") "\n", sizeof PING("2")), MCP_MISUSE);
    CHECK_INT(w.out.n, 0);
    stop();
}

static int polls;
HANDLER(polls_on) {
    for (polls = 0; polls < 10000 && !mcp_cancelled(c); polls++) {}
    return mcp_text(c, "x");
}
HANDLER(ends_and_polls) {
    mcp_feed(w.conn, NULL, 0);
    return polls_on(c);
}
TEST(grace_at_the_end) { /* a second for what runs; the harness's clock ticks in milliseconds */
    serve_fresh(ends_and_polls);
    CHECK_STR(ask(CALL("1", "t")), "");
    CHECK(polls > 900 && polls < 1100);
    stop();
    serve_fresh(polls_on);
    ask(CALL("1", "t"));
    CHECK_INT(polls, 10000);
    stop();
}

/* ---- failing writes ---- */

static int seen_cancelled;
HANDLER(looks) {
    mcp_progress(c, 1, 2, NULL);
    seen_cancelled = mcp_cancelled(c);
    mcp_progress(c, 2, 2, NULL);
    mcp_logf(c, MCP_LOG_ERROR, "%s", "x");
    return mcp_text(c, "x");
}

TEST(writes_that_fail) { /* once is for ever: nothing more is written or served, and feed says so */
    static const char in[] = PING("1")
        "\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"t\","
        "\"_meta\":{\"progressToken\":1}}}\n" PING("3") "\n";
    for (size_t n = 1; n < 8; n++) {
        serve_fresh(looks);
        w.write_fail_at = n;
        int rc = feed(in, sizeof in - 1);
        CHECK_INT(rc, w.write_failed ? MCP_IO : MCP_OK);
        if (w.write_failed) {
            CHECK_INT(feed(PING("4") "\n", sizeof PING("4")), MCP_IO);
            CHECK_INT(feed(NULL, 0), MCP_IO);
            CHECK(!w.wrote_after);
        }
        stop();
        if (rc == MCP_OK) break;
    }
}

/* ---- from where one would not expect it ---- */

static const char *inner;
static int inner_status;
HANDLER(feeds) { /* its own connection, in pieces */
    size_t n = strlen(inner);
    for (size_t i = 0; i < n; i++) inner_status = mcp_feed(w.conn, inner + i, 1);
    return mcp_text(c, "fed");
}
TEST(fed_by_a_handler) { /* kept in order behind it; pings are answered at once */
    serve_fresh(feeds);
    inner = CALL("5", "echo") "\n" PING("6") "\n" CALL("7", "echo") "\n";
    const char *out = ask(CALL("1", "t") "\n" CALL("2", "echo"));
    CHECK_INT(inner_status, MCP_OK);
    const char *at[5] = { strstr(out, "\"id\":6"), strstr(out, "\"id\":1"), strstr(out, "\"id\":2"),
        strstr(out, "\"id\":5"),
                          strstr(out, "\"id\":7") };
    for (int i = 0; i < 5; i++) CHECK(at[i] && (!i || at[i] > at[i - 1]));
    stop();
}

HANDLER(ends) { return mcp_feed(w.conn, PING("9"), sizeof PING("9") - 1), mcp_feed(w.conn, NULL, 0),
    mcp_text(c, "x"); }
TEST(ended_by_a_handler) { /* the rest of what was fed before comes first */
    serve_fresh(ends);
    const char *out = ask(CALL("1", "t") "\n" PING("2"));
    CHECK(strstr(out, "\"id\":1") && strstr(out, "\"id\":2") && strstr(out, "\"id\":9"));
    stop();
}

HANDLER(stops) { return mcp_server_stop(mcp_call_server(c)), mcp_text(c, "x"); }
TEST(stopped_by_a_handler) { /* the loop's affair: what was fed is served */
    serve_fresh(stops);
    CHECK(strstr(ask(CALL("1", "t") "\n" PING("2")), "\"id\":2") != NULL);
    stop();
}

static mcp_conn *other;
static harness_bytes other_out;
static int write_other(void *user, const void *bytes, size_t n) {
    (void)user;
    harness_add(&other_out, bytes, n);
    return MCP_OK;
}
static mcp_conn *connect_other(void) {
    mcp_write_hook hook = { write_other, NULL };
    other_out.n = 0;
    harness_add(&other_out, "", 0);
    return mcp_conn_new(w.server, MCP_LINES, hook);
}

static int depth;
HANDLER(feeds_other) { /* whose handler feeds us */
    if (depth++ == 0) mcp_feed(other, CALL("7", "t") "\n", sizeof CALL("7", "t"));
    else mcp_feed(w.conn, PING("8") "\n", sizeof PING("8"));
    return mcp_text(c, "x");
}
TEST(handlers_of_two_peers_nest) {
    serve_fresh(feeds_other);
    other = connect_other();
    depth = 0;
    const char *out = ask(CALL("1", "t") "\n" PING("2"));
    CHECK(strstr(out, "\"id\":8") && strstr(out, "\"id\":1") && strstr(out, "\"id\":2"));
    CHECK(strstr(other_out.at, "\"id\":7") != NULL);
    mcp_conn_free(other);
    stop();
}

static mcp_call *kept;
HANDLER(defers) {
    kept = c;
    return mcp_defer(c);
}
HANDLER(frees_other) {
    mcp_conn_free(other);
    other = connect_other();
    return mcp_text(c, other ? "new" : "none");
}
TEST(another_peer_freed_by_a_handler) { /* with its deferred call, its queue, its half line */
    serve_fresh(defers);
    other = connect_other();
    mcp_feed(other, CALL("7", "t") "\n" CALL("8", "echo") "\n{\"half",
        sizeof CALL("7", "t") + sizeof CALL("8", "echo") + 6);
    does = frees_other;
    CHECK(strstr(ask(CALL("1", "t") "\n" PING("2")), "\"new\"") != NULL);
    mcp_done(kept, MCP_OK);
    mcp_conn_free(other);
    stop();
}

static int echoes;
static bool nested_refused;
static int write_and_feed(void *user, const void *bytes, size_t n) { /* a peer in the same thread */
    (void)user;
    harness_add(&other_out, bytes, n);
    if (echoes++ < 3) nested_refused |= mcp_feed(other, PING("9") "\n", sizeof PING("9")) != MCP_OK;
    return MCP_OK;
}
TEST(fed_by_its_own_write) { /* refused: what is being written must stay where it is */
    mcp_write_hook hook = { write_and_feed, NULL };
    serve_fresh(NULL);
    other_out.n = 0;
    other = mcp_conn_new(w.server, MCP_LINES, hook);
    echoes = 0;
    nested_refused = false;
    CHECK_INT(mcp_feed(other, PING("1") "\n", sizeof PING("1")), MCP_OK);
    harness_add(&other_out, "", 0);
    CHECK(nested_refused);
    CHECK_STR(other_out.at, PONG("1"));
    CHECK_INT(mcp_feed(other, PING("2") "\n", sizeof PING("2")), MCP_OK);
    CHECK_STR(other_out.at, PONG("1") PONG("2"));
    mcp_conn_free(other);
    stop_after(2);
}

/* ---- several peers ---- */

TEST(sessions_are_apart) { /* version, level, subscriptions, ids: each its own */
    fresh();
    serve(NULL);
    other = connect_other();
    hello("2025-03-26");
    CHECK_INT(mcp_feed(other, "[" PING("1") "]\n", sizeof PING("1") + 2), MCP_OK);
    CHECK(strstr(other_out.at, "-32600") != NULL);
    CHECK_STR(ask("[" PING("1") "]"), "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}]");
    ask("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/subscribe\",\"params\":{\"uri\":\"a:"
        "//b\"}}");
    other_out.n = w.out.n = 0;
    mcp_server_touch(w.server, "a://b");
    mcp_poll(w.server);
    CHECK_INT(other_out.n, 0);
    CHECK(w.out.n > 0);
    mcp_conn_free(w.conn);
    w.conn = NULL;
    other_out.n = 0;
    CHECK_INT(mcp_feed(other, PING("2") "\n", sizeof PING("2")), MCP_OK);
    CHECK_MEM(other_out.at, other_out.n, PONG("2"), sizeof PONG("2") - 1);
    stop(); /* frees the other, too */
}

TEST(many_peers) { /* made and freed in any order */
    mcp_conn *peers[50] = { NULL };
    serve_fresh(NULL);
    seed = 7;
    for (int i = 0; i < 2000; i++) {
        mcp_conn **k = &peers[chance(50)];
        if (!*k) *k = connect_other();
        else if (chance(2)) mcp_conn_free(*k), *k = NULL;
        else CHECK_INT(mcp_feed(*k, PING("1") "\n" PING("2"),
            sizeof PING("1") + sizeof PING("2") - 1), MCP_OK);
        if (*k && chance(9) == 0) mcp_feed(*k, "\n", 1);
        other_out.n = 0;
    }
    stop();
}

TEST(peers_without_memory) { /* each allocation of a new one fails once */
    for (size_t n = 1; n < 20; n++) {
        serve_fresh(NULL);
        w.mem.fail_at = w.mem.calls + n;
        other = connect_other();
        bool failed = w.mem.failed;
        CHECK(failed == !other);
        w.mem.fail_at = 0;
        CHECK(strstr(ask(PING("1")), "result") != NULL);
        mcp_conn_free(other);
        mcp_conn_free(NULL);
        stop();
        if (!failed) break;
    }
}

TEST(principals) {
    serve_fresh(NULL);
    CHECK_INT(mcp_conn_identify(w.conn, "one"), MCP_OK);
    w.mem.fail_at = w.mem.calls + 1;
    CHECK_INT(mcp_conn_identify(w.conn, "two"), MCP_NOMEM);
    CHECK_STR(inside_principal(w.conn), "one");
    CHECK_INT(mcp_conn_identify(w.conn, NULL), MCP_OK);
    CHECK_STR(inside_principal(w.conn), "");
    stop();
}

TEST(framings) { /* a mistake of the author's: asserted, and NULL */
    mcp_write_hook none = { NULL, NULL }, hook = { write_other, NULL };
    serve_fresh(NULL);
    CHECK(!mcp_conn_new(w.server, MCP_LINES, none));
    CHECK(!mcp_conn_new(w.server, 99, hook));
    stop_after(2);
}

/* ---- timers and posts ---- */

static char happened[100];
static void happen(void *arg) { strncat(happened, (const char *)arg, 1); }

/* by time, and in the order in which they came; the harness's clock ticks when it is read */
TEST(timers) {
    static const struct { int64_t ms; const char *name; } rows[] = {
        { 500, "d" }, { 0, "a" }, { -5, "b" }, { 300, "c" }, { 500, "e" }, { INT64_MAX, "z" },
            { INT64_MIN, "x" } };
    serve_fresh(NULL);
    *happened = 0;
    CHECK_INT(mcp_poll(w.server), -1);
    for (size_t i = 0; i < LENGTH(rows); i++) {
        char name[2];
        strcpy(name, rows[i].name);
        CHECK_INT(mcp_after(w.server, rows[i].ms, happen, (void *)(uintptr_t)rows[i].name), MCP_OK);
    }
    int64_t wait = mcp_poll(w.server);
    CHECK(wait > 250 * 1000000 && wait <= 300 * 1000000);
    CHECK_STR(happened, "abx");
    w.now += 400 * 1000000;
    mcp_poll(w.server);
    CHECK_STR(happened, "abxc");
    w.now += 200 * 1000000;
    CHECK(mcp_poll(w.server) > 1000000000);
    CHECK_STR(happened, "abxcde");
    stop();
}

static int64_t stopped_clock(void *user) { return *(int64_t *)user; }
static int rounds;
static void again(void *arg) {
    if (rounds++ < 1000) mcp_after((mcp_server *)arg, 0, again, arg);
}
TEST(timers_that_begin_themselves_again) { /* a poll ends, also where the clock is coarse */
    int64_t now = 1;
    mcp_server_desc d;
    memset(&d, 0, sizeof d);
    d.name = "x";
    d.clock.func = stopped_clock;
    d.clock.user = &now;
    mcp_server *s = mcp_server_new(&d);
    rounds = 0;
    CHECK_INT(mcp_after(s, 0, again, s), MCP_OK);
    mcp_poll(s);
    CHECK(rounds < 10);
    mcp_poll(s);
    CHECK(rounds > 1);
    mcp_server_free(s);
}

static void posts_again(void *arg) {
    happen(arg);
    if (strlen(happened) < 5) mcp_post(w.server, posts_again, arg);
}
TEST(posts) { /* in order, on the next poll; what is left is dropped with the server */
    static const char names[] = "abc";
    serve_fresh(NULL);
    *happened = 0;
    for (int i = 0; i < 3; i++) CHECK_INT(mcp_post(w.server, happen,
        (void *)(uintptr_t)(names + i)), MCP_OK);
    CHECK_STR(happened, "");
    mcp_poll(w.server);
    CHECK_STR(happened, "abc");
    mcp_post(w.server, posts_again, (void *)(uintptr_t)names);
    mcp_poll(w.server);
    CHECK_STR(happened, "abca");
    mcp_poll(w.server);
    CHECK_STR(happened, "abcaa");
    mcp_post(w.server, happen, (void *)(uintptr_t)names);
    mcp_after(w.server, 0, happen, (void *)(uintptr_t)names);
    stop();
    CHECK_STR(happened, "abcaa");
}

static void done_later(void *arg) {
    (void)arg;
    mcp_text(kept, "later");
    mcp_done(kept, MCP_OK);
}
HANDLER(defers_to_a_timer) {
    kept = c;
    mcp_after(w.server, 10, done_later, NULL);
    return mcp_defer(c);
}
HANDLER(polls_inside) { /* timers and posts run while a handler does */
    kept = c;
    mcp_defer(c);
    mcp_post(w.server, done_later, NULL);
    mcp_poll(w.server);
    return MCP_PENDING;
}
TEST(timers_end_calls) {
    serve_fresh(defers_to_a_timer);
    CHECK_STR(ask(CALL("1", "t")), "");
    w.now += 20 * 1000000;
    w.out.n = 0;
    mcp_poll(w.server);
    CHECK(strstr(w.out.at, "\"later\"") != NULL);
    does = polls_inside;
    CHECK(strstr(ask(CALL("1", "t")), "\"later\"") != NULL);
    stop();
}

/* ---- cost: four times as much takes about four times as long ---- */

static harness_bytes in;
static void put(const char *s) { harness_add(&in, s, strlen(s)); }
static void put_number(const char *before, size_t i, const char *behind) {
    char number[24];
    snprintf(number, sizeof number, "%lu", (unsigned long)i);
    put(before), put(number), put(behind);
}

static void fill_cancels(size_t n) { /* of calls that nobody knows */
    for (size_t i = 0; i < n; i++)
        put_number("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
            "\"requestId\":", i, "}}\n");
}
static void fill_batches(size_t n) {
    for (size_t i = 0; i < n / 8; i++) {
        put("[");
        for (size_t k = 0; k < 8; k++) put_number(k
            ? ",{\"jsonrpc\":\"2.0\",\"id\":" : "{\"jsonrpc\":\"2.0\",\"id\":", k,
                                                  ",\"method\":\"ping\"}");
        put("]\n");
    }
}
static void fill_one_batch(size_t n) { /* refused, however large */
    put("[1");
    for (size_t i = 0; i < n; i++) put(",1");
    put("]\n");
}
static void fill_errors(size_t n) { for (size_t i = 0; i < n; i++) put("{\n"); }
static void fill_blank(size_t n) { for (size_t i = 0; i < n; i++) put(" \n"); }
static void fill_spaces(size_t n) {
    put("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\","
        "\"arguments\":{\"text\":");
    for (size_t i = 0; i < n; i++) put("\t");
    put("\"x\"}}}\n");
}
static void fill_subscribes(size_t n) {
    for (size_t i = 0; i < n; i++)
        put_number("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/subscribe\",\"params\":{"
            "\"uri\":\"", i % 50, "\"}}\n");
}
static void fill_listen(size_t n) {
    put("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"subscriptions/listen\",\"params\":{\"_meta\":{"
        "" HARNESS_META "},"
        "\"notifications\":{\"resourceSubscriptions\":[\"\"");
    for (size_t i = 0; i < n; i++) put_number(",\"", i % 1000, "\"");
    put("]}}}\n");
}
static void fill_twins(size_t n) { /* in params: names of one beginning */
    put("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"\":0");
    for (size_t i = 0; i < n; i++) put_number(",\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", n - i, "\":0");
    put("}}\n");
}
static void fill_quotes(size_t n) { /* a key that is found by walking back over escaped quotes */
    put("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\","
        "\"arguments\":{\"");
    for (size_t i = 0; i < n; i++) put("\\\"");
    put("\":1}}}\n");
}
static void fill_uri(size_t n) {
    put("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",\"params\":{\"uri\":\"a://");
    for (size_t i = 0; i < n; i++) put("%41");
    put("\"}}\n");
}
static void fill_one_by_one(size_t n) { /* a line that comes in bytes */
    put("{\"jsonrpc\":\"2.0\",\"id\":\"");
    for (size_t i = 0; i < n; i++) put("x");
    put("\",\"method\":\"ping\"}\n");
}
static void fill_calls(size_t n) {
    for (size_t i = 0; i < n; i++) put_number("{\"jsonrpc\":\"2.0\",\"id\":", i,
        ",\"method\":\"tools/call\",\"params\":{\"name\":\"t\"}}\n");
}
HANDLER(drinks) { /* while it runs, all else waits in line */
    mcp_cancelled(c);
    return mcp_text(c, "x");
}

struct load { const char *what; void (*fill)(size_t n); size_t n, piece; };
static double seconds(const void *work, size_t n) {
    const struct load *load = (const struct load *)work;
    bool batches = load->fill == fill_batches || load->fill == fill_one_batch;
    fresh();
    desc.limits.message = 100000000;
    serve(drinks);
    hello(batches ? "2025-03-26" : "2025-11-25");
    in.n = 0;
    load->fill(n);
    clock_t from = clock();
    for (size_t at = 0, piece = load->piece; at < in.n; at += piece) {
        if (piece > in.n - at) piece = in.n - at;
        mcp_feed(w.conn, in.at + at, piece);
    }
    double t = cost_since(from);
    stop();
    return t;
}

TEST(linear_time) {
    static const struct load rows[] = {
        { "cancellations", fill_cancels, 3000, SIZE_MAX }, { "batches", fill_batches, 4000,
          SIZE_MAX },
        { "one batch", fill_one_batch, 100000, SIZE_MAX }, { "errors", fill_errors, 10000,
          SIZE_MAX },
        { "errors byte by byte", fill_errors, 10000, 1 }, { "blank lines", fill_blank, 100000,
          SIZE_MAX },
        { "spaces", fill_spaces, 200000, SIZE_MAX }, { "subscribing", fill_subscribes, 2000,
          SIZE_MAX },
        { "listening", fill_listen, 5000, SIZE_MAX }, { "names", fill_twins, 10000, SIZE_MAX },
        { "quotes", fill_quotes, 50000, SIZE_MAX }, { "a URI", fill_uri, 50000, SIZE_MAX },
        { "a line byte by byte", fill_one_by_one, 100000, 1 },
          { "calls", fill_calls, 3000, SIZE_MAX },
        { "calls in pieces", fill_calls, 3000, 100 } };
    for (size_t i = 0; i < LENGTH(rows); i++)
        if (!CHECK(cost_grows(seconds, &rows[i], rows[i].n, 4 * rows[i].n, 9)))
            printf("    %s\n", rows[i].what);
}

TEST(little_memory_in_the_end) { /* after all of that a connection is as small as it was */
    fresh();
    desc.limits.message = 4000000;
    serve(NULL);
    hello("2025-11-25");
    ask(PING("1"));
    size_t before = w.mem.live;
    in.n = 0;
    fill_spaces(3000000);
    fill_twins(50000);
    fill_errors(100000);
    fill_uri(100000);
    fill_one_by_one(1000000);
    w.mem.peak = w.mem.live;
    CHECK_INT(feed(in.at, in.n), MCP_OK);
    CHECK(w.mem.peak < before + 20000000);
    ask(PING("1"));
    if (!CHECK(w.mem.live < before + 1500000)) printf("    %lu, was %lu\n",
        (unsigned long)w.mem.live, (unsigned long)before);
    stop();
}

int main(void) {
    RUN(lines_at_every_cut);
    RUN(many_lines_at_random_cuts);
    RUN(limit_of_a_message);
    RUN(limit_of_depth);
    RUN(end_of_input);
    RUN(grace_at_the_end);
    RUN(writes_that_fail);
    RUN(fed_by_a_handler);
    RUN(ended_by_a_handler);
    RUN(stopped_by_a_handler);
    RUN(handlers_of_two_peers_nest);
    RUN(another_peer_freed_by_a_handler);
    RUN(fed_by_its_own_write);
    RUN(sessions_are_apart);
    RUN(many_peers);
    RUN(peers_without_memory);
    RUN(principals);
    RUN(framings);
    RUN(timers);
    RUN(timers_that_begin_themselves_again);
    RUN(posts);
    RUN(timers_end_calls);
    RUN(linear_time);
    RUN(little_memory_in_the_end);
    free(in.at);
    free(other_out.at);
    return DONE();
}
