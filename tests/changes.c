/* changes.c - who is told of what, when, how often: slow peers, lost peers, many subscriptions */
#include "unit.h"

static int echo(mcp_call *c) { return mcp_text(c, mcp_arg_str(c, "text")); }
static mcp_call *kept;
static int park(mcp_call *c) {
    kept = c;
    return mcp_defer(c);
}
static int touches(mcp_call *c) {
    mcp_server_touch(mcp_call_server(c), "r://a");
    mcp_server_changed(mcp_call_server(c), MCP_TOOLS);
    mcp_server_touch(mcp_call_server(c), "r://a");
    return mcp_text(c, "touched");
}

static const mcp_arg text_args[] = { { .name = "text" }, { 0 } };
static const mcp_tool tools[] = {
    { .name = "echo", .args = text_args, .call = echo }, { .name = "park", .call = park },
    { .name = "touches", .call = touches }, { 0 } };
static const mcp_tool fewer[] = { { .name = "echo", .call = echo }, { 0 } };
static const mcp_resource resources[] = {
    { .uri = "r://a", .text = "a" }, { .uri = "r://caf\xC3\xA9~", .text = "b" }, { 0 } };

#define UPDATED(uri) "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\"," \
    "\"params\":{\"uri\":\"" uri "\"}}\n"
#define UPDATED_FOR(uri, id) \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\"," \
    "\"params\":{\"uri\":\"" uri "\"," \
    "\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":" id "}}}\n"
#define TOOLS_CHANGED "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n"
#define PROMPTS_CHANGED "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/prompts/list_changed\"}\n"

static char watched[200]; /* "+r://a" and "-r://a" */
static void watch(void *user, const char *uri, bool on) {
    (void)user;
    size_t n = strlen(watched);
    snprintf(watched + n, sizeof watched - n, "%c%s ", on ? '+' : '-', uri);
}

static void begin(void) {
    if (!desc.changes) desc.changes = MCP_TOOLS | MCP_PROMPTS;
    desc.tools = tools;
    desc.resources = resources;
    desc.flags |= MCP_SUBSCRIBE;
    *watched = 0;
    start();
    hello("2025-11-25");
}
static void end(void) {
    stop();
    fresh();
}

static void subscribe(const char *method, const char *uri) {
    CHECK_STR(ask(text_of(J({"jsonrpc":"2.0","id":1,"method":"resources/%s",)
                          J("params":{"uri":"%s"}}) "%s", method, uri, "")),
              J({"jsonrpc":"2.0","id":1,"result":{}}));
}
static void listen_to(const char *id, const char *wanted) {
    CHECK(strstr(ask(text_of(J({"jsonrpc":"2.0","id":%s,"method":"subscriptions/listen",)
                             J("params":{"notifications":{%s},"_meta":{%s}}}),
                             id, wanted, HARNESS_META)), "acknowledged") != NULL);
}
static void cancel(const char *id) {
    CHECK_STR(ask(text_of(J({"jsonrpc":"2.0","method":"notifications/cancelled",)
                          J("params":{"requestId":%s}}) "%s%s", id, "", "")), "");
}

/* What the next poll sends. */
static const char *polled(void) {
    w.out.n = 0;
    mcp_poll(w.server);
    harness_add(&w.out, "", 0);
    return w.out.at;
}

static size_t lines(const char *s) {
    size_t n = 0;
    while ((s = strchr(s, '\n')) != NULL) n++, s++;
    return n;
}

/* ---- another peer of the same server ---- */

static harness_bytes other_out;
static int other_status;
static int other_write(void *user, const void *bytes, size_t n) {
    (void)user;
    if (!other_status) harness_add(&other_out, bytes, n);
    return other_status;
}
static mcp_conn *connect_other(void) {
    mcp_write_hook hook = { other_write, NULL };
    char line[sizeof HARNESS_HELLO + 200];
    mcp_conn *k = mcp_conn_new(w.server, MCP_LINES, hook);
    if (!k) harness_die("changes", 0, "no connection");
    snprintf(line, sizeof line, HARNESS_HELLO "%s", "2025-11-25",
             J({"jsonrpc":"2.0","id":1,"method":"resources/subscribe",)
             J("params":{"uri":"r://a"}}) "\n");
    other_status = MCP_OK;
    CHECK_INT(mcp_feed(k, line, strlen(line)), MCP_OK);
    other_out.n = 0;
    harness_add(&other_out, "", 0);
    return k;
}

/* ---- when ---- */

TEST(told_at_the_next_poll) { /* touched from outside of a message: by a timer, a loop */
    begin();
    subscribe("subscribe", "r://a");
    w.out.n = 0;
    mcp_server_touch(w.server, "r://a");
    CHECK_INT(w.out.n, 0);
    CHECK_STR(polled(), UPDATED("r://a"));
    CHECK_STR(polled(), "");
    mcp_server_touch(w.server, "r://b");
    mcp_server_changed(w.server, MCP_PROMPTS);
    CHECK_STR(polled(), PROMPTS_CHANGED);
    end();
}

TEST(told_in_the_words_of_who_asked) { /* one resource, written in several ways */
    begin();
    subscribe("subscribe", "r://caf%c3%A9%7e");
    mcp_server_touch(w.server, "r://caf\xC3\xA9~");
    CHECK_STR(polled(), UPDATED("r://caf%c3%A9%7e"));
    subscribe("subscribe", "r://caf%C3%A9~");
    mcp_server_touch(w.server, "r://caf%C3%a9~");
    CHECK_INT(lines(polled()), 2);
    CHECK(strstr(w.out.at, UPDATED("r://caf%c3%A9%7e")) != NULL);
    CHECK(strstr(w.out.at, UPDATED("r://caf%C3%A9~")) != NULL);
    subscribe("unsubscribe", "r://caf%C3%A9~"); /* each for itself */
    mcp_server_touch(w.server, "r://caf\xC3\xA9~");
    CHECK_STR(polled(), UPDATED("r://caf%c3%A9%7e"));
    mcp_server_touch(w.server, "r://caf\xC3\xA9");
    mcp_server_touch(w.server, "r://cafe~");
    CHECK_STR(polled(), "");
    end();
}

TEST(told_after_the_answer) { /* touched by a handler: once, behind its result */
    begin();
    subscribe("subscribe", "r://a");
    CHECK_STR(ask(J({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"touches"}})),
              "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":"
              "\"touched\"}],\"isError\":false}}\n" TOOLS_CHANGED
              J({"jsonrpc":"2.0","method":"notifications/resources/updated",)
              J("params":{"uri":"r://a"}}));
    end();
}

TEST(only_what_was_declared) {
    fresh();
    desc.changes = MCP_PROMPTS;
    begin();
    mcp_server_changed(w.server, MCP_TOOLS | MCP_RESOURCES);
    CHECK_STR(polled(), "");
    CHECK_INT(mcp_server_set_tools(w.server, fewer), MCP_OK);
    CHECK_STR(polled(), "");
    CHECK(strstr(request("2025-11-25", "tools/list", ""), "touches") == NULL);
    end();
}

TEST(replaced_from_outside) { /* told at once, to each of its peers */
    begin();
    mcp_conn *k = connect_other();
    w.out.n = 0;
    CHECK_INT(mcp_server_set_tools(w.server, fewer), MCP_OK);
    mcp_poll(w.server);
    harness_add(&w.out, "", 0);
    CHECK_STR(w.out.at, TOOLS_CHANGED);
    CHECK_STR(other_out.at, TOOLS_CHANGED);
    mcp_conn_free(k);
    end();
}

/* ---- peers that do not read ---- */

static bool may_write;
static bool ready(mcp_conn *k) { (void)k; return may_write; }

TEST(slow_reader) { /* costs no memory and nobody's time; told once when it can be */
    begin();
    mcp_conn *k = connect_other();
    for (int i = 0; i < 50; i++) {
        char uri[16];
        snprintf(uri, sizeof uri, "r://%d", i);
        subscribe("subscribe", uri);
    }
    mcp_server_touch(w.server, "r://a"); /* what telling needs is there by then */
    mcp_poll(w.server);
    other_out.n = 0;
    inside_set_ready(w.conn, ready);
    may_write = false;
    size_t live = w.mem.live, calls = w.mem.calls;
    for (int round = 0; round < 1000; round++)
        for (int i = 0; i < 50; i++) {
            char uri[16];
            snprintf(uri, sizeof uri, "r://%d", i);
            mcp_server_touch(w.server, uri);
            if (i) continue;
            mcp_server_touch(w.server, "r://a");
            mcp_server_changed(w.server, MCP_PROMPTS);
            CHECK_STR(polled(), "");
        }
    CHECK_INT(w.mem.live, live);
    CHECK_INT(w.mem.calls, calls);
    CHECK_INT(lines(other_out.at), 2000); /* the other one was told each time */
    may_write = true;
    const char *all = polled();
    CHECK_INT(lines(all), 51);
    CHECK(strstr(all, PROMPTS_CHANGED) != NULL && strstr(all, UPDATED("r://7")) != NULL);
    CHECK_STR(polled(), "");
    mcp_conn_free(k);
    end();
}

static int room; /* so many may be written */
static bool ready_for_some(mcp_conn *k) { (void)k; return room-- > 0; }

TEST(reads_a_little) { /* what is left is told later, and what was told is marked anew */
    begin();
    subscribe("subscribe", "r://1");
    subscribe("subscribe", "r://2");
    subscribe("subscribe", "r://3");
    inside_set_ready(w.conn, ready_for_some);
    room = 2;
    const char *const uris[] = { "r://1", "r://2", "r://3" };
    for (int i = 0; i < 3; i++) mcp_server_touch(w.server, uris[i]);
    const char *some = polled();
    CHECK_INT(lines(some), 2);
    int left = 0;
    while (left < 3 && strstr(some, uris[left])) left++;
    for (int i = 0; i < 3; i++) if (i != left) mcp_server_touch(w.server, uris[i]);
    room = 100;
    CHECK_INT(lines(polled()), 3);
    CHECK_STR(polled(), "");
    end();
}

TEST(dead_reader) { /* its write fails: the others are told all the same */
    begin();
    subscribe("subscribe", "r://a");
    mcp_conn *k = connect_other();
    other_status = MCP_IO;
    mcp_server_touch(w.server, "r://a");
    CHECK_STR(polled(), UPDATED("r://a"));
    mcp_server_touch(w.server, "r://a");
    CHECK_STR(polled(), UPDATED("r://a"));
    CHECK_INT(mcp_feed(k, "\n", 1), MCP_IO);
    mcp_conn_free(k);
    end();
}

TEST(while_a_result_streams) { /* changes wait for the end of its line, and are told once */
    static char kilobyte[1025];
    memset(kilobyte, 'k', 1024);
    fresh();
    desc.limits.spill = 1024;
    begin();
    subscribe("subscribe", "r://a");
    listen_to("5", "\"toolsListChanged\":true");
    ask(J({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"park"}}));
    w.out.n = 0;
    mcp_block_begin(kept, MCP_TEXT, NULL);
    for (int i = 0; i < 100; i++) {
        mcp_block_write(kept, kilobyte, 1024);
        mcp_server_touch(w.server, "r://a");
        mcp_server_changed(w.server, MCP_TOOLS);
        mcp_poll(w.server);
    }
    CHECK(w.out.n > 90000 && !memchr(w.out.at, '\n', w.out.n));
    mcp_block_end(kept);
    mcp_done(kept, MCP_OK);
    mcp_poll(w.server);
    harness_add(&w.out, "", 0);
    const char *rest = strchr(w.out.at, '\n') + 1;
    CHECK_INT(lines(rest), 3);
    CHECK(strstr(rest, UPDATED("r://a")) != NULL && strstr(rest, TOOLS_CHANGED) != NULL);
    CHECK(strstr(rest, "subscriptionId\":5}}}\n") != NULL);
    cancel("5");
    end();
}

/* ---- the watch hook ---- */

TEST(watched_first_and_last) { /* whoever subscribes, and however it ends */
    fresh();
    desc.watch.func = watch;
    begin();
    subscribe("subscribe", "r://a");
    subscribe("subscribe", "r://a");
    CHECK_STR(watched, "+r://a ");
    mcp_conn *k = connect_other();
    listen_to("7", "\"resourceSubscriptions\":[\"r://a\",\"r://b\",\"r://b\"]");
    CHECK_STR(watched, "+r://a +r://b ");
    subscribe("unsubscribe", "r://a");
    mcp_conn_free(k);
    CHECK_STR(watched, "+r://a +r://b ");
    cancel("7");
    CHECK(strstr(watched, "-r://a ") && strstr(watched, "-r://b ") && strlen(watched) == 28);
    *watched = 0;
    subscribe("unsubscribe", "r://a");
    CHECK_STR(watched, "");
    subscribe("subscribe", "r://c");
    CHECK_STR(watched, "+r://c ");
    end(); /* with the server */
    CHECK_STR(watched, "+r://c -r://c ");
}

TEST(watched_by_any_name) { /* the first and the last, however they are written */
    desc.watch.func = watch;
    begin();
    subscribe("subscribe", "r://caf%C3%A9~");
    subscribe("subscribe", "r://caf%c3%a9~");
    subscribe("unsubscribe", "r://caf%C3%A9~");
    CHECK_STR(watched, "+r://caf%C3%A9~ ");
    subscribe("unsubscribe", "r://caf%c3%a9~");
    CHECK_STR(watched, "+r://caf%C3%A9~ -r://caf%c3%a9~ ");
    end();
}

TEST(watch_means_subscribe) { /* the flag is implied */
    static const mcp_server_desc plain = { .name = "unit" };
    desc = plain;
    desc.watch.func = watch;
    desc.resources = resources;
    start();
    hello("2025-11-25");
    CHECK(strstr(w.out.at, "\"resources\":{\"subscribe\":true,\"listChanged\":false}") != NULL);
    subscribe("subscribe", "r://a");
    stop();
    fresh();
}

TEST(refused_is_not_watched) { /* beyond the limit, or half of a listen that is refused */
    fresh();
    desc.watch.func = watch;
    desc.limits.subscriptions = 2;
    begin();
    const char *out = ask(J({"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{)
                          J("notifications":{"resourceSubscriptions":["r://1","r://2","r://3"]},)
                          "\"_meta\":{" HARNESS_META "}}}");
    CHECK(strstr(out, "Too many subscriptions") != NULL);
    int open = 0;
    for (const char *p = watched; *p; p++) open += (*p == '+') - (*p == '-');
    CHECK_INT(open, 0); /* whatever was told is taken back */
    subscribe("subscribe", "r://1");
    subscribe("subscribe", "r://2");
    CHECK(strstr(ask(J({"jsonrpc":"2.0","id":1,"method":"resources/subscribe",)
                     J("params":{"uri":"r://3"}})), "Too many subscriptions") != NULL);
    CHECK(!strstr(watched, "r://3") || strstr(watched, "-r://3"));
    end();
}

/* ---- many ---- */

TEST(as_many_as_the_limit) { /* 1024 by default; each is told once, and all go with their peer */
    begin();
    char uri[24];
    for (int i = 0; i < 1024; i++) {
        snprintf(uri, sizeof uri, "r://%d", i);
        subscribe("subscribe", uri);
    }
    CHECK(strstr(ask(J({"jsonrpc":"2.0","id":1,"method":"resources/subscribe",)
                     J("params":{"uri":"r://more"}})), "Too many subscriptions") != NULL);
    for (int i = 0; i < 1024; i++) {
        snprintf(uri, sizeof uri, "r://%d", i);
        mcp_server_touch(w.server, uri);
    }
    CHECK_INT(lines(polled()), 1024);
    for (int i = 0; i < 1024; i += 2) {
        snprintf(uri, sizeof uri, "r://%d", i);
        subscribe("unsubscribe", uri);
    }
    for (int i = 0; i < 1024; i++) {
        snprintf(uri, sizeof uri, "r://%d", i);
        mcp_server_touch(w.server, uri);
    }
    CHECK_INT(lines(polled()), 512);
    end();
}

TEST(both_eras_of_one_pipe) { /* the session without an id, each listen with its own */
    begin();
    subscribe("subscribe", "r://a");
    listen_to("\"x\"", "\"resourceSubscriptions\":[\"r://a\"]");
    listen_to("0", "\"resourceSubscriptions\":[\"r://a\"]");
    mcp_server_touch(w.server, "r://a");
    const char *all = polled();
    CHECK_INT(lines(all), 3);
    CHECK(strstr(all, UPDATED("r://a")) != NULL);
    CHECK(strstr(all, UPDATED_FOR("r://a", "\"x\"")) != NULL);
    CHECK(strstr(all, UPDATED_FOR("r://a", "0")) != NULL);
    end();
}

int main(void) {
    fresh();
    RUN(told_at_the_next_poll);
    RUN(told_in_the_words_of_who_asked);
    RUN(told_after_the_answer);
    RUN(only_what_was_declared);
    RUN(replaced_from_outside);
    RUN(slow_reader);
    RUN(reads_a_little);
    RUN(dead_reader);
    RUN(while_a_result_streams);
    RUN(watched_first_and_last);
    RUN(watched_by_any_name);
    RUN(watch_means_subscribe);
    RUN(refused_is_not_watched);
    RUN(as_many_as_the_limit);
    RUN(both_eras_of_one_pipe);
    free(other_out.at);
    return DONE();
}
