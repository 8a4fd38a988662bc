/* example_slow.c - examples/slow.c with its threads: answered, cancelled, disconnected, ended */
#include "unit.h"

#include "served.h"
#define main slow_main
#include "../examples/slow.c"
#undef main

static char *no_args[] = { NULL };

#ifdef __TINYC__ /* no atomics: mcp_post crosses no threads */
int main(void) {
    fresh();
    CHECK_INT(slow_main(1, no_args), 0);
    SKIP(everything, "this compiler has no atomics");
    test__passed++;
    return DONE();
}
#else

static void begin(void) {
    fresh();
    slow_main(1, no_args);
    desc = served;
    start();
    hello("2025-11-25");
    w.out.n = 0;
}

static void feed_line(const char *line) { /* what it gives stays behind what came before */
    CHECK_INT(mcp_feed(w.conn, text_of("%s\n%s%s", line, "", ""), strlen(line) + 1), MCP_OK);
}
static void ask_primes(const char *id, const char *n) {
    feed_line(text_of(J({"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"primes",)
                      J("arguments":{"n":%s},"_meta":{"progressToken":%s}}}), id, n, id));
}

/* Polls until so many lines hold that text. */
static void wait_for(const char *text, int lines) {
    for (int seen = 0; seen < lines;) {
        mcp_poll(w.server);
        harness_add(&w.out, "", 0);
        seen = 0;
        for (const char *p = w.out.at; (p = strstr(p, text)) != NULL; p++) seen++;
    }
}

TEST(answers) { /* several at once; progress before each answer, all of it in order */
    begin();
    ask_primes("1", "30001");
    ask_primes("2", "10001");
    ask_primes("3", "2");
    feed_line(J({"jsonrpc":"2.0","id":4,"method":"ping"}));
    wait_for("\"result\"", 4);
#define ANSWER(id, text) \
    "\"id\":" id ",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"" text "\"}"
    CHECK(strstr(w.out.at, ANSWER("1", "3245 primes below 30001")) != NULL);
    CHECK(strstr(w.out.at, ANSWER("2", "1229 primes below 10001")) != NULL);
    CHECK(strstr(w.out.at, ANSWER("3", "0 primes below 2")) != NULL);
    const char *done = strstr(w.out.at, "\"id\":1,\"result\""), *last = NULL;
    for (const char *p = w.out.at; (p = strstr(p, "\"progressToken\":1,")) != NULL; p++) last = p;
    CHECK(last && last < done);
    CHECK(last && harness_is(last, "\"progressToken\":1,\"progress\":30000,\"total\":30001"));
    stop();
}

TEST(cancelled) { /* soon, and without an answer */
    begin();
    ask_primes("1", "10000000");
    ask_primes("2", "10000000");
    wait_for("progress", 2);
    feed_line(J({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}));
    feed_line(J({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}));
    for (int i = 0; i < 3; i++) mcp_poll(w.server);
    ask_primes("1", "100");
    wait_for("\"result\"", 1);
    CHECK(strstr(w.out.at, "25 primes below 100") != NULL);
    CHECK(!strstr(w.out.at, "below 10000000"));
    stop();
}

TEST(disconnected) { /* the worker is stopped; whoever comes next is served */
    begin();
    ask_primes("1", "10000000");
    mcp_conn_free(w.conn);
    CHECK(harness_connect(&w));
    hello("2025-11-25");
    w.out.n = 0;
    ask_primes("1", "100");
    wait_for("\"result\"", 1);
    stop();
}

TEST(ended) { /* the server goes while workers work: it waits for them, and they post no more */
    begin();
    static const char *const ids[] = { "1", "2", "3", "\"1\"", "\"2\"", "\"3\"" };
    for (int i = 0; i < 6; i++) ask_primes(ids[i], "10000000");
    mcp_poll(w.server);
    stop();
}

int main(void) {
    RUN(answers);
    RUN(cancelled);
    RUN(disconnected);
    RUN(ended);
    return DONE();
}
#endif
