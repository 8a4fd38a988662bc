/* deferred.c - calls that are answered later: races of done, cancel, disconnection and the end */
#include "unit.h"

#ifdef _WIN32
#include <windows.h>
#elif !defined __TINYC__
#include <pthread.h>
#include <unistd.h>
#endif

/* ---- a tool that keeps its calls ---- */

enum { HELD = 200 };
static mcp_call *held[HELD];
static size_t count;           /* of held, in order of arrival */
static unsigned told;          /* how often on_cancel was */

static void be_told(void *arg) {
    (void)arg;
    told++;
}

static int park(mcp_call *c) {
    held[count++ % HELD] = c;
    mcp_on_cancel(c, be_told, NULL);
    return mcp_defer(c);
}

static int at_once(mcp_call *c) { /* done before the handler returns */
    int rc = mcp_defer(c);
    mcp_text(c, "at once");
    mcp_done(c, MCP_OK);
    return rc;
}

static int both(mcp_call *c) { /* deferred and answered: only one of it can be meant */
    park(c);
    return mcp_text(c, "too early");
}

static int promises(mcp_call *c) { (void)c; return MCP_PENDING; }
static int echo(mcp_call *c) { return mcp_text(c, mcp_arg_str(c, "text")); }

static int finish(mcp_call *c) { /* the first one held, from another's handler */
    mcp_text(held[0], "by another");
    mcp_done(held[0], MCP_OK);
    return mcp_text(c, "finished");
}

static const mcp_arg text_args[] = { { .name = "text" }, { 0 } };
static const mcp_tool tools[] = {
    { .name = "park", .args = text_args, .call = park },
    { .name = "echo", .args = text_args, .call = echo },
    { .name = "at_once", .call = at_once },
    { .name = "promises", .call = promises },
    { .name = "both", .call = both },
    { .name = "finish", .call = finish },
    { 0 } };

#define CALL(id, name) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\"," \
    "\"params\":{\"name\":\"" name "\"}}"
#define CANCEL(id) "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"," \
    "\"params\":{\"requestId\":" id "}}"
#define RESULT(id, text) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{\"content\":[" \
    "{\"type\":\"text\",\"text\":\"" text "\"}],\"isError\":false}}"
#define BROKE(id, text) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{\"content\":[" \
    "{\"type\":\"text\",\"text\":\"" text "\"}],\"isError\":true}}"
#define REFUSED(id, code, text) \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"error\":{\"code\":" code ",\"message\":\"" text "\"}}"

static void begin(const char *version) {
    desc.tools = tools;
    count = told = 0;
    start();
    if (version) hello(version);
    ask("");
}
static void end(void) {
    stop();
    fresh();
}

/* What came since the last look, without the last newline. */
static const char *came(void) {
    static harness_bytes b;
    b.n = 0;
    harness_add(&b, w.out.at, w.out.n);
    if (b.n) b.at[b.n - 1] = 0;
    w.out.n = 0;
    return b.at;
}

static const char *done(size_t i, const char *text) {
    w.out.n = 0;
    if (text) mcp_text(held[i], text);
    mcp_done(held[i], MCP_OK);
    harness_add(&w.out, "", 0);
    return came();
}

/* ---- done ---- */

TEST(done_later) { /* in any order; the id is free again */
    begin("2025-11-25");
    CHECK_STR(ask(CALL("1", "park")), "");
    CHECK_STR(ask(CALL("\"1\"", "park")), "");
    CHECK_STR(ask(CALL("3", "echo")), RESULT("3", ""));
    CHECK_STR(done(1, "one"), RESULT("\"1\"", "one"));
    CHECK_STR(done(0, "two"), RESULT("1", "two"));
    CHECK_STR(ask(CALL("1", "park")), "");
    CHECK_STR(done(2, NULL), RESULT("1", "{}"));
    CHECK_INT(told, 0);
    end();
}

TEST(done_inside) {
    begin("2025-11-25");
    CHECK_STR(ask(CALL("1", "at_once")), RESULT("1", "at once"));
    CHECK(strstr(ask(CALL("3", "promises")), "\"isError\":true") != NULL);
    CHECK_STR(ask(CALL("4", "echo")), RESULT("4", ""));
    end();
}

TEST(deferred_and_returned) { /* its author is told, who may wonder what it waits for */
    begin("2025-11-25");
    CHECK_STR(ask(CALL("1", "park")), "");
    CHECK_STR(w.log, "");
    CHECK_STR(ask(CALL("2", "both")), "");
    CHECK_STR(w.log,
              "5 -8 a handler deferred, and returned something else");
    CHECK_STR(done(1, NULL), RESULT("2", "too early"));
    CHECK_STR(done(0, NULL), RESULT("1", "{}"));
    end();
}

TEST(done_by_another) { /* its answer leaves first */
    begin("2025-11-25");
    ask(CALL("1", "park"));
    CHECK_STR(ask(CALL("2", "finish")), RESULT("1", "by another") "\n" RESULT("2", "finished"));
    end();
}

TEST(outcomes) { /* what a handler may return, done may be given */
    begin("2025-11-25");
    ask(CALL("1", "park"));
    ask(CALL("2", "park"));
    ask(CALL("3", "park"));
    ask(CALL("4", "park"));
    mcp_text(held[0], "gone");
    mcp_fail(held[0], "no luck");
    CHECK_STR(done(0, NULL), BROKE("1", "no luck"));
    mcp_error(held[1], 1001, "no licence");
    CHECK_STR(done(1, NULL), REFUSED("2", "1001", "no licence"));
    w.out.n = 0;
    mcp_done(held[2], MCP_IO);
    harness_add(&w.out, "", 0);
    CHECK_STR(came(), BROKE("3", "the other end is gone"));
    mcp_put_int(mcp_structured(held[3]), "n", 7);
    CHECK_STR(done(3, NULL), J({"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text",)
                             J("text":"{\"n\":7}"}],"isError":false,"structuredContent":{"n":7}}}));
    end();
}

TEST(arguments_stay) { /* what the call handed out lives until it is done, come what may */
    static const mcp_tool other[] = { { .name = "other", .call = echo }, { 0 } };
    begin("2025-11-25");
    ask(J({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"park",)
        J("arguments":{"text":"h\u00e9"}}}));
    const char *text = mcp_arg_str(held[0], "text");
    for (int i = 0; i < 50; i++) ask(CALL("2", "echo"));
    CHECK_INT(mcp_server_set_tools(w.server, other), MCP_OK);
    CHECK(strstr(ask(CALL("2", "echo")), "Unknown tool") != NULL);
    CHECK_STR(text, "h\xC3\xA9");
    CHECK(mcp_arg_str(held[0], "text") == text);
    CHECK_STR(done(0, text), RESULT("1", "h\xC3\xA9"));
    end();
}

/* ---- cancelled ---- */

TEST(cancel_then_done) {
    begin("2025-11-25");
    ask(CALL("1", "park"));
    CHECK_STR(ask(CANCEL("1")), "");
    CHECK_INT(told, 1);
    CHECK(mcp_cancelled(held[0]));
    CHECK_STR(ask(CANCEL("1")), "");
    CHECK_INT(told, 1);
    CHECK_INT(mcp_progress(held[0], 1, 2, NULL), MCP_OK);
    CHECK_STR(done(0, "too late"), "");
    CHECK_STR(ask(CALL("1", "echo")), RESULT("1", ""));
    end();
}

TEST(done_then_cancel) {
    begin("2025-11-25");
    ask(CALL("1", "park"));
    CHECK_STR(done(0, "first"), RESULT("1", "first"));
    CHECK_STR(ask(CANCEL("1")), "");
    CHECK_INT(told, 0);
    end();
}

TEST(cancel_and_done_cross) { /* in one piece of input: the call, its cancellation, others */
    begin("2025-11-25");
    const char *lines = CALL("1", "park") "\n" CANCEL("1") "\n" CALL("2", "park") "\n"
                        CALL("3", "echo") "\n";
    CHECK_INT(feed(lines, strlen(lines)), MCP_OK);
    CHECK_STR(came(), RESULT("3", ""));
    CHECK_INT(told, 1);
    CHECK_STR(done(1, "b"), RESULT("2", "b"));
    CHECK_STR(done(0, "a"), "");
    end();
}

TEST(cancel_only_its_own) { /* 1 is not "1"; unknown and malformed ids are nobody's */
    begin("2025-11-25");
    ask(CALL("1", "park"));
    ask(CALL("\"1\"", "park"));
    ask(CANCEL("\"1\""));
    ask(CANCEL("2"));
    ask(CANCEL("null"));
    ask(CANCEL("{}"));
    ask(J({"jsonrpc":"2.0","method":"notifications/cancelled"}));
    CHECK_INT(told, 1);
    CHECK(!mcp_cancelled(held[0]) && mcp_cancelled(held[1]));
    CHECK_STR(done(1, NULL), "");
    CHECK_STR(done(0, "x"), RESULT("1", "x"));
    end();
}

TEST(on_cancel_too_late) { /* told at once */
    begin("2025-11-25");
    ask(CALL("1", "park"));
    ask(CANCEL("1"));
    CHECK_INT(told, 1);
    mcp_on_cancel(held[0], be_told, NULL);
    CHECK_INT(told, 2);
    done(0, NULL);
    end();
}

static void give_up(void *arg) {
    told++;
    mcp_done(*(mcp_call **)arg, MCP_CANCELLED);
}

TEST(done_from_on_cancel) { /* by the client, by a lost connection, by the server's end */
    begin("2025-11-25");
    for (int i = 0; i < 3; i++) {
        ask(text_of(CALL("%s", "park"), i == 0 ? "1" : i == 1 ? "2" : "3", "", ""));
        mcp_on_cancel(held[i], give_up, &held[i]);
    }
    CHECK_STR(ask(CANCEL("2")), "");
    CHECK_INT(told, 1);
    mcp_conn_free(w.conn);
    CHECK_INT(told, 3);
    CHECK(harness_connect(&w));
    hello("2025-11-25");
    ask(CALL("1", "park"));
    mcp_on_cancel(held[3], give_up, &held[3]);
    end();
    CHECK_INT(told, 4);
}

/* ---- the peer, and the server, go ---- */

TEST(connection_gone) { /* the calls stay the author's */
    begin("2025-11-25");
    ask(J({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"park",)
        J("arguments":{"text":"kept"},"_meta":{"progressToken":1}}}));
    ask(CALL("2", "park"));
    mcp_conn_free(w.conn);
    CHECK_INT(told, 2);
    CHECK(harness_connect(&w));
    hello("2025-11-25");
    ask(CALL("1", "park")); /* another peer's id */
    CHECK_STR(mcp_arg_str(held[0], "text"), "kept");
    CHECK(mcp_cancelled(held[0]));
    mcp_progress(held[0], 1, 2, "nobody hears");
    mcp_logf(held[0], MCP_LOG_ERROR, "nobody hears");
    CHECK_STR(mcp_caller_of(held[0])->version, "2025-11-25");
    CHECK_STR(done(0, "nobody hears"), "");
    CHECK_STR(done(2, "somebody"), RESULT("1", "somebody"));
    CHECK_STR(done(1, NULL), "");
    end();
}

TEST(server_gone) { /* with calls open, of a peer that is there and of one that is not */
    begin("2025-11-25");
    ask(CALL("1", "park"));
    ask(CALL("2", "park"));
    mcp_conn_free(w.conn);
    CHECK(harness_connect(&w));
    hello("2025-11-25");
    ask(CALL("1", "park"));
    CHECK_INT(told, 2);
    end();
    CHECK_INT(told, 3);
}

TEST(write_fails) { /* the peer is gone: nothing more is written, all is freed */
    begin("2025-11-25");
    ask(CALL("1", "park"));
    ask(CALL("2", "park"));
    w.write_fail_at = w.writes + 1;
    mcp_text(held[0], "lost");
    mcp_done(held[0], MCP_OK);
    CHECK_INT(feed(CALL("3", "echo") "\n", strlen(CALL("3", "echo") "\n")), MCP_IO);
    mcp_text(held[1], "lost");
    mcp_done(held[1], MCP_OK);
    CHECK(w.write_failed && !w.wrote_after);
    end();
}

TEST(input_ends) { /* what is open may still be answered */
    begin("2025-11-25");
    ask(CALL("1", "park"));
    CHECK_INT(mcp_feed(w.conn, NULL, 0), MCP_OK);
    CHECK_INT(told, 0);
    CHECK_STR(done(0, "last"), RESULT("1", "last"));
    end();
}

/* ---- many ---- */

TEST(twice_in_flight) { /* the second is refused, the first lives */
    begin("2025-11-25");
    ask(CALL("5", "park"));
    CHECK_STR(ask(CALL("5", "echo")), REFUSED("5", "-32600", "Invalid Request"));
    CHECK_STR(ask(CALL("5", "park")), REFUSED("5", "-32600", "Invalid Request"));
    CHECK_STR(ask(CALL("5.0", "park")), REFUSED("5.0", "-32600", "Invalid Request"));
    CHECK_INT(count, 1);
    CHECK_STR(done(0, "the first"), RESULT("5", "the first"));
    CHECK_STR(ask(CALL("5", "echo")), RESULT("5", ""));
    end();
}

TEST(too_many) { /* limits.calls: a clear error, all else goes on */
    fresh();
    desc.limits.calls = 3;
    begin("2025-11-25");
    ask(CALL("1", "park"));
    ask(CALL("2", "park"));
    ask(CALL("3", "park"));
    CHECK_STR(ask(CALL("4", "park")), REFUSED("4", "-32603", "Too many calls in flight"));
    CHECK_INT(count, 3);
    CHECK_STR(ask(J({"jsonrpc":"2.0","id":5,"method":"ping"})),
              J({"jsonrpc":"2.0","id":5,"result":{}}));
    CHECK(strstr(ask(J({"jsonrpc":"2.0","id":6,"method":"tools/list"})), "result") != NULL);
    ask(CANCEL("2"));
    CHECK_STR(done(1, NULL), "");
    CHECK_STR(ask(CALL("4", "park")), "");
    CHECK_STR(done(3, "4"), RESULT("4", "4"));
    CHECK_STR(done(0, "1"), RESULT("1", "1"));
    CHECK_STR(done(2, "3"), RESULT("3", "3"));
    end();
}

TEST(default_limit) { /* 64 at once, done from the last to the first, and again */
    begin("2025-11-25");
    for (int round = 0; round < 3; round++) {
        char id[16];
        count = 0;
        for (int i = 0; i < 65; i++) {
            snprintf(id, sizeof id, "%d", i);
            const char *answer = ask(text_of(CALL("%s", "park"), id, "", ""));
            CHECK(i < 64 ? !*answer : strstr(answer, "Too many") != NULL);
        }
        CHECK_INT(count, 64);
        for (int i = 63; i >= 0; i--) {
            snprintf(id, sizeof id, "%d", i);
            CHECK_STR(done((size_t)i, id), text_of(RESULT("%s", "%s"), id, id, ""));
        }
    }
    end();
}

TEST(batch) { /* 2025-03-26: the array waits for its last answer; a lost peer waits for none */
    begin("2025-03-26");
    CHECK_STR(ask("[" CALL("1", "park") "," CALL("2", "echo") "," CALL("3", "park") "]"), "");
    CHECK_STR(done(1, "c"), "");
    CHECK_STR(done(0, "a"), "[" RESULT("2", "") "," RESULT("3", "c") "," RESULT("1", "a") "]");
    ask("[" CALL("1", "park") "," CALL("2", "echo") "," CALL("3", "park") "]");
    CHECK_STR(ask(CANCEL("1")), "");
    CHECK_STR(done(2, NULL), "");
    CHECK_STR(done(3, "c"), "[" RESULT("2", "") "," RESULT("3", "c") "]");
    ask("[" CALL("1", "park") "," CALL("2", "echo") "]");
    mcp_conn_free(w.conn);
    CHECK(harness_connect(&w));
    CHECK_STR(done(4, NULL), "");
    end();
}

/* ---- other kinds of handler ---- */

static int lists(mcp_call *c) { held[count++ % HELD] = c; return mcp_defer(c); }
static int completes(mcp_call *c) { held[count++ % HELD] = c; return mcp_defer(c); }

TEST(every_kind) { /* reads and prompts may stay open; a list and a completion are asked at once */
    static const mcp_arg args[] = { { .name = "x", .complete = completes }, { 0 } };
    static const mcp_resource resources[] = {
        { .uri = "r://late", .read = park },
        { .uri = "r://{x}", .read = park, .args = args, .list = lists }, { 0 } };
    static const mcp_prompt prompts[] = { { .name = "p", .args = args, .get = park }, { 0 } };
    fresh();
    desc.resources = resources;
    desc.prompts = prompts;
    begin("2025-11-25");
    CHECK_STR(ask(J({"jsonrpc":"2.0","id":1,"method":"resources/read",)
                  J("params":{"uri":"r://late"}})), "");
    CHECK_STR(ask(J({"jsonrpc":"2.0","id":2,"method":"resources/read",)
                  J("params":{"uri":"r://a%20b"}})), "");
    CHECK_STR(ask(J({"jsonrpc":"2.0","id":3,"method":"prompts/get","params":{"name":"p",)
                  J("arguments":{"x":"y"}}})), "");
    CHECK_STR(done(0, "t"), J({"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":"r://late",)
                            J("mimeType":"text/plain","text":"t"}]}}));
    CHECK_STR(mcp_uri(held[1]), "r://a%20b");
    CHECK_STR(mcp_arg_str(held[1], "x"), "a b");
    mcp_not_found(held[1], mcp_uri(held[1]));
    CHECK_STR(done(1, NULL), J({"jsonrpc":"2.0","id":2,"error":{"code":-32002,)
                             J("message":"Resource not found: r://a%20b",)
                             J("data":{"uri":"r://a%20b"}}}));
    CHECK_STR(done(2, "m"), J({"jsonrpc":"2.0","id":3,"result":{"messages":[{"role":"user",)
                            J("content":{"type":"text","text":"m"}}]}}));
    CHECK(strstr(ask(J({"jsonrpc":"2.0","id":4,"method":"resources/list"})), "-32603") != NULL);
    CHECK(strstr(ask(J({"jsonrpc":"2.0","id":5,"method":"completion/complete",)
                     J("params":{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"x",)
                     J("value":""}}})), "-32603") != NULL);
    CHECK(strstr(ask(J({"jsonrpc":"2.0","id":4,"method":"ping"})), "\"result\":{}") != NULL);
    CHECK(strstr(ask(J({"jsonrpc":"2.0","id":5,"method":"ping"})), "\"result\":{}") != NULL);
    end();
}

/* ---- large results of deferred calls ---- */

static char kilobyte[1025];

TEST(spills_one_line) { /* what others send meanwhile waits for its end */
    memset(kilobyte, 'k', 1024);
    fresh();
    desc.limits.spill = 1024;
    begin("2025-11-25");
    ask(CALL("1", "park"));
    ask(CALL("2", "park"));
    w.out.n = 0;
    mcp_block_begin(held[0], MCP_TEXT, NULL);
    for (int i = 0; i < 8; i++) mcp_block_write(held[0], kilobyte, 1024);
    CHECK(w.out.n > 4096 && !memchr(w.out.at, '\n', w.out.n)); /* a part is out */
    size_t part_out = w.out.n;
    mcp_block_begin(held[1], MCP_TEXT, NULL); /* so is not the other's: it is kept whole */
    for (int i = 0; i < 8; i++) mcp_block_write(held[1], kilobyte, 1024);
    mcp_block_end(held[1]);
    mcp_done(held[1], MCP_OK);
    mcp_feed(w.conn, CALL("3", "echo") "\n", strlen(CALL("3", "echo") "\n"));
    CHECK_INT(w.out.n, part_out);
    mcp_block_end(held[0]);
    mcp_done(held[0], MCP_OK);
    harness_add(&w.out, "", 0);
    const char *second = strchr(w.out.at, '\n'), *third = second ? strchr(second + 1, '\n') : NULL;
    CHECK(third && harness_is_message(w.out.at, (size_t)(second - w.out.at)));
    CHECK(third && harness_is_message(second + 1, (size_t)(third - second - 1)));
    CHECK(third && strstr(second, "\"id\":2,") != NULL);
    CHECK_STR(third ? third + 1 : NULL, RESULT("3", "") "\n");
    end();
}

TEST(spills_and_breaks) { /* cancelled, failed, disconnected in the middle: the line ends well */
    memset(kilobyte, 'k', 1024);
    fresh();
    desc.limits.spill = 1024;
    begin("2025-11-25");
    for (int how = 0; how < 3; how++) {
        ask(CALL("1", "park"));
        mcp_call *c = held[how];
        w.out.n = 0;
        mcp_block_begin(c, MCP_IMAGE, "image/png");
        for (int i = 0; i < 8; i++) mcp_block_write(c, kilobyte, 1024);
        if (how == 0) mcp_feed(w.conn, CANCEL("1") "\n", strlen(CANCEL("1") "\n"));
        if (how == 1) mcp_fail(c, "the camera fell");
        if (how == 2) mcp_conn_free(w.conn);
        if (how != 1) mcp_block_write(c, kilobyte, 1024), mcp_block_end(c);
        mcp_done(c, MCP_OK);
        harness_add(&w.out, "", 0);
        const char *lf = strchr(w.out.at, '\n');
        if (how < 2) CHECK(lf && !lf[1] && harness_is_message(w.out.at, (size_t)(lf - w.out.at)));
        if (how == 1) CHECK(strstr(w.out.at, "the camera fell\"}],\"isError\":true") != NULL);
        if (how == 2) CHECK(harness_connect(&w)), hello("2025-11-25");
        CHECK_STR(ask(CALL("2", "echo")), RESULT("2", ""));
    }
    end();
}

/* ---- timers ---- */

static char order[64];
static void note(void *arg) { strcat(order, (const char *)arg); }
static void again(void *arg) {
    mcp_server *s = *(mcp_server **)arg;
    strcat(order, "+");
    if (strlen(order) < 12) mcp_after(s, 0, again, arg);
}

TEST(after) { /* by time, equals in order; a past time is now; -1: nothing is due */
    static char a[] = "a", b[] = "b", c[] = "c", d[] = "d", e[] = "e";
    fresh();
    begin(NULL);
    *order = 0;
    CHECK_INT(mcp_poll(w.server), -1);
    CHECK_INT(mcp_after(w.server, 50, note, c), MCP_OK);
    CHECK_INT(mcp_after(w.server, -5, note, a), MCP_OK);
    CHECK_INT(mcp_after(w.server, 0, note, b), MCP_OK);
    CHECK_INT(mcp_after(w.server, 1000, note, e), MCP_OK);
    w.now += 10000000;
    int64_t left = mcp_poll(w.server);
    CHECK_STR(order, "ab");
    CHECK(left > 0 && left < 50000000);
    w.now += 100000000;
    mcp_after(w.server, 0, note, d);
    left = mcp_poll(w.server);
    CHECK_STR(order, "abcd");
    CHECK(left > 500000000 && left < 1000000000);
    w.now += 1000000000;
    CHECK_INT(mcp_poll(w.server), -1);
    CHECK_STR(order, "abcde");
    mcp_after(w.server, 3600000, note, a); /* never comes */
    end();
    CHECK_STR(order, "abcde");
}

TEST(after_itself) { /* a timer that sets another */
    begin(NULL);
    *order = 0;
    mcp_after(w.server, 0, again, &w.server);
    for (int i = 0; i < 100 && mcp_poll(w.server) >= 0; i++) w.now += 1000000;
    CHECK_STR(order, "++++++++++++");
    end();
}

static void answer(void *arg) {
    mcp_text((mcp_call *)arg, "in time");
    mcp_done((mcp_call *)arg, MCP_OK);
}

TEST(after_answers) {
    begin("2025-11-25");
    ask(CALL("1", "park"));
    mcp_after(w.server, 20, answer, held[0]);
    w.out.n = 0;
    mcp_poll(w.server);
    CHECK_INT(w.out.n, 0);
    w.now += 20000000;
    CHECK_INT(mcp_poll(w.server), -1);
    harness_add(&w.out, "", 0);
    CHECK_STR(came(), RESULT("1", "in time"));
    end();
}

/* ---- other threads ---- */

TEST(post_alone) { /* from the server's own thread: at the next poll, in order */
    static char a[] = "a", b[] = "b";
    begin(NULL);
    *order = 0;
    CHECK_INT(mcp_post(w.server, note, a), MCP_OK);
    CHECK_INT(mcp_post(w.server, note, b), MCP_OK);
    CHECK_STR(order, "");
    mcp_poll(w.server);
    CHECK_STR(order, "ab");
    mcp_post(w.server, note, a);
    end();
    CHECK_STR(order, "ab");
}

#if defined _WIN32 || !defined __TINYC__ /* tcc has no atomics: there mcp_post crosses no threads */

enum { THREADS = 4, POSTS = 5000 };
static struct sender { mcp_server *server; int sent, got; bool ordered; } senders[THREADS];
static struct post { struct sender *from; int number; } posts[THREADS][POSTS];

static void receive(void *arg) { /* the server's thread */
    struct post *p = (struct post *)arg;
    p->from->ordered &= p->number == p->from->got;
    p->from->got++;
}

static void send_all(struct sender *s) {
    struct post *p = posts[s - senders];
    for (int i = 0; i < POSTS; i++) {
        p[i].from = s;
        p[i].number = i;
        while (mcp_post(s->server, receive, &p[i])) {}
    }
}

#ifdef _WIN32
typedef HANDLE thread;
static DWORD WINAPI run_sender(LPVOID arg) { send_all((struct sender *)arg); return 0; }
static bool launch(thread *t, struct sender *s) {
    *t = CreateThread(NULL, 0, run_sender, s, 0, NULL);
    return *t != NULL;
}
static void join(thread t) { WaitForSingleObject(t, INFINITE); CloseHandle(t); }
#else
typedef pthread_t thread;
static void *run_sender(void *arg) { send_all((struct sender *)arg); return NULL; }
static bool launch(thread *t, struct sender *s) { return !pthread_create(t, NULL, run_sender, s); }
static void join(thread t) { pthread_join(t, NULL); }
#endif

static int received(void) {
    int n = 0;
    for (int i = 0; i < THREADS; i++) n += senders[i].got;
    return n;
}

TEST(post_from_threads) { /* each comes once, and in the order of its thread */
    thread t[THREADS];
    begin(NULL);
    for (int i = 0; i < THREADS; i++) {
        senders[i].server = w.server;
        senders[i].got = 0;
        senders[i].ordered = true;
        CHECK(launch(&t[i], &senders[i]));
    }
    while (received() < THREADS * POSTS) mcp_poll(w.server);
    for (int i = 0; i < THREADS; i++) join(t[i]);
    mcp_poll(w.server);
    for (int i = 0; i < THREADS; i++) CHECK(senders[i].got == POSTS && senders[i].ordered);
    end();
}
#endif

#if !defined _WIN32 && !defined __TINYC__

/* A client on the other end of two pipes: asks, waits for the answers, hangs up. */
static struct client { int to, from; mcp_server *server; char got[4096]; } client;

static void say(const char *line) {
    if (write(client.to, line, strlen(line)) < 0) perror("write");
}
static void hear(size_t lines) { /* so many in all */
    for (size_t n = strlen(client.got), seen; ; n = strlen(client.got)) {
        seen = 0;
        for (const char *p = client.got; (p = strchr(p, '\n')) != NULL; p++) seen++;
        if (seen >= lines) return;
        ssize_t more = read(client.from, client.got + n, sizeof client.got - n - 1);
        if (more <= 0) return;
        client.got[n + (size_t)more] = 0;
    }
}

static void answer_parked(void *arg) {
    (void)arg;
    mcp_text(held[0], "woken");
    mcp_done(held[0], MCP_OK);
}

static void *run_client(void *arg) {
    (void)arg;
    say("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
        "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"0\"}}}\n"
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n" CALL("1", "park") "\n"
        CALL("2", "echo") "\n");
    hear(2);
    mcp_post(client.server, answer_parked, NULL); /* the loop waits for input: this wakes it */
    hear(3);
    say(CALL("3", "park") "\n"); /* never done: the server ends all the same */
    close(client.to);
    return NULL;
}

TEST(post_wakes_the_loop) {
    int in[2], out[2], was[2] = { dup(0), dup(1) };
    pthread_t t;
    fresh();
    desc.tools = tools;
    count = told = 0;
    mcp_server *s = mcp_server_new(&desc);
    if (!CHECK(s && !pipe(in) && !pipe(out))) return;
    fflush(stdout);
    dup2(in[0], 0);
    dup2(out[1], 1);
    memset(&client, 0, sizeof client);
    client.to = in[1];
    client.from = out[0];
    client.server = s;
    int rc = pthread_create(&t, NULL, run_client, NULL);
    if (!rc) rc = mcp_server_run(s, MCP_LINES);
    dup2(was[0], 0);
    dup2(was[1], 1);
    CHECK_INT(rc, MCP_OK);
    pthread_join(t, NULL);
    CHECK(strstr(client.got, RESULT("2", "") "\n" RESULT("1", "woken") "\n") != NULL);
    mcp_server_free(s);
    CHECK_INT(told, 1);
    int fds[] = { in[0], out[0], out[1], was[0], was[1] };
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++) close(fds[i]);
}
#endif

int main(void) {
    fresh();
    RUN(done_later);
    RUN(done_inside);
    RUN(deferred_and_returned);
    RUN(done_by_another);
    RUN(outcomes);
    RUN(arguments_stay);
    RUN(cancel_then_done);
    RUN(done_then_cancel);
    RUN(cancel_and_done_cross);
    RUN(cancel_only_its_own);
    RUN(on_cancel_too_late);
    RUN(done_from_on_cancel);
    RUN(connection_gone);
    RUN(server_gone);
    RUN(write_fails);
    RUN(input_ends);
    RUN(twice_in_flight);
    RUN(too_many);
    RUN(default_limit);
    RUN(batch);
    RUN(every_kind);
    RUN(spills_one_line);
    RUN(spills_and_breaks);
    RUN(after);
    RUN(after_itself);
    RUN(after_answers);
    RUN(post_alone);
#if defined _WIN32 || !defined __TINYC__
    RUN(post_from_threads);
#else
    SKIP(post_from_threads, "this compiler has no atomics");
#endif
#if !defined _WIN32 && !defined __TINYC__
    RUN(post_wakes_the_loop);
#else
    SKIP(post_wakes_the_loop, "needs POSIX threads and pipes");
#endif
    return DONE();
}
