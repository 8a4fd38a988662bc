/* tasks.c - calls that outlive their request: whose they are, how many, how long; and races */
#include "web.h"

/* ---- a tool whose calls are kept ---- */

static mcp_call *held[16];
static size_t count;
static unsigned told;          /* how often on_cancel was */
static bool ends_when_told;

static void be_told(void *arg) {
    mcp_call *c = (mcp_call *)arg;
    told++;
    if (ends_when_told) mcp_done(c, mcp_text(c, "gave up"));
}

static int park(mcp_call *c) {
    held[count++ % 16] = c;
    mcp_on_cancel(c, be_told, c);
    return mcp_defer(c);
}
static int at_once(mcp_call *c) {
    int rc = mcp_defer(c);
    mcp_done(c, mcp_text(c, "at once"));
    return rc;
}
static int plain(mcp_call *c) { return mcp_text(c, mcp_caller_of(c)->principal); }
static int large(mcp_call *c) {
    for (int i = 0; i < 100; i++) mcp_textf(c, "%1000d", i);
    return mcp_text(c, "end");
}
static int looks(mcp_call *c) { /* whether it was cancelled, again and again */
    for (int i = 0; i < 3; i++)
        if (mcp_cancelled(c)) return mcp_text(c, "cancelled");
    return mcp_text(c, "not cancelled");
}


static const char *hears;      /* arrives while it runs */
static int loops(mcp_call *c) { /* a plain loop */
    size_t n = strlen(hears);
    mcp_feed(w.conn, hears, n);
    for (int i = 0; i < 5000; i++)
        if (mcp_cancelled(c)) return told++, mcp_text(c, "stopped");
    return mcp_text(c, "to its end");
}

static const mcp_arg name_form[] = { { .name = "name", .flags = MCP_REQUIRED }, { 0 } };
static int asks(mcp_call *c) {
    int rc = mcp_ask(c, "who", "Name?", name_form);
    if (rc) return rc;
    return mcp_cancelled(c) ? MCP_CANCELLED : mcp_text(c, "thanks");
}

static const mcp_tool tools[] = {
    { .name = "park", .call = park, .task = MCP_TASK_OPTIONAL, .task_ttl_ms = 60000 },
    { .name = "once", .call = at_once, .task = MCP_TASK_OPTIONAL },
    { .name = "plain", .call = plain, .task = MCP_TASK_OPTIONAL },
    { .name = "large", .call = large, .task = MCP_TASK_OPTIONAL },
    { .name = "looks", .call = looks, .task = MCP_TASK_OPTIONAL },
    { .name = "loops", .call = loops, .task = MCP_TASK_OPTIONAL },
    { .name = "asks", .call = asks, .task = MCP_TASK_OPTIONAL },
    { .name = "need", .call = park, .task = MCP_TASK_REQUIRED },
    { 0 } };

static void begin(void) {
    fresh();
    desc.tools = tools;
    count = told = 0;
    ends_when_told = false;
}

/* ---- requests ---- */

#define CAN "{\"elicitation\":{},\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}}"
static const char *modern_of(const char *method, const char *params) {
    return text_of("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":{%s,\"_meta\":{"
                   "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
                   "\"io.modelcontextprotocol/clientCapabilities\":" CAN "%s}}}", method, params,
                   "");
}
static const char *modern(const char *method, const char *params) {
    return ask(modern_of(method, params));
}
static const char *named(const char *tool) { return text_of("\"name\":\"%s\"%s%s", tool, "", ""); }
static const char *wanted(const char *tool) {
    return text_of("\"name\":\"%s\",\"task\":{%s%s}", tool, "", "");
}
static const char *old_of(const char *id, const char *method, const char *params) {
    return text_of("{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"%s\",\"params\":{%s}}", id, method,
                   params);
}
static const char *old(const char *id, const char *method, const char *params) {
    return ask(old_of(id, method, params));
}
static void greet(const char *can) {
    CHECK(*ask(text_of("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
                       "\"protocolVersion\":\"2025-11-25\",\"capabilities\":%s%s%s,"
                       "\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}}", can, "", "")));
    ask("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
}
/* "taskId":ID of what was answered; an older version has it in "task". */
static const char *id_of(const char *out) {
    const char *r = part(out, "result"), *task = part(r, "task");
    return text_of("\"taskId\":%s%s%s", part(*task ? task : r, "taskId"), "", "");
}
static const char *status_of(const char *out) {
    const char *r = part(out, "result"), *task = part(r, "task");
    return part(*task ? task : r, "status");
}
static const char *content(const char *out) {
    const char *r = part(out, "result"), *inner = part(r, "result");
    return part(*inner ? inner : r, "content");
}
static const char *code(const char *out) { return part(part(out, "error"), "code"); }
static const char *text(const char *s) {
    return text_of("[{\"type\":\"text\",\"text\":\"%s\"}]%s%s", s, "", "");
}
/* What came without being asked for just now. */
static const char *came(void) {
    if (w.out.n) w.out.at[w.out.n - 1] = 0;
    return w.out.at;
}
static void quiet(void) { w.out.n = 0, harness_add(&w.out, "", 0), w.out.n = 0; }

#define STATUS(out, what) CHECK_STR(status_of(out), "\"" what "\"")
#define CODE(out, what) CHECK_STR(code(out), what)

/* ---- from a call to a task ---- */

TEST(only_who_defers) { /* 2026-07-28: an answer that is there is no task */
    begin();
    start();
    CHECK_STR(content(modern("tools/call", named("plain"))), text(""));
    CHECK_STR(content(modern("tools/call", named("once"))), text("at once"));
    const char *out = modern("tools/call", named("park"));
    STATUS(out, "working");
    CHECK_STR(part(part(out, "result"), "resultType"), "\"task\"");
    CHECK_STR(part(part(out, "result"), "ttlMs"), "60000");
    const char *id = id_of(out);
    mcp_done(held[0], mcp_text(held[0], "done"));
    STATUS(modern("tasks/get", id), "completed");
    CHECK_STR(content(w.out.at), text("done"));
    stop();
}

TEST(whoever_asks_for_one) { /* 2025-11-25: also if the answer is there at once */
    begin();
    start();
    greet("{}");
    const char *out = old("1", "tools/call", wanted("plain")), *id = id_of(out);
    STATUS(out, "working");
    STATUS(old("2", "tasks/get", id), "completed");
    CHECK_STR(content(old("3", "tasks/result", id)), text(""));
    id = id_of(old("4", "tools/call", wanted("once")));
    CHECK_STR(content(old("5", "tasks/result", id)), text("at once"));
    CHECK_STR(part(part(part(part(w.out.at, "result"), "_meta"),
                        "io.modelcontextprotocol/related-task"), "taskId"),
              id + sizeof "\"taskId\":" - 1);
    stop();
}

TEST(a_large_answer_is_kept_whole) { /* nothing of it streams */
    begin();
    desc.limits.spill = 1000;
    start();
    greet("{}");
    const char *id = id_of(old("1", "tools/call", wanted("large")));
    const char *out = old("2", "tasks/result", id);
    CHECK(strlen(content(out)) > 100 * 1000);
    CHECK(strstr(out, "\"text\":\"end\"}") != NULL);
    stop();
}

TEST(tables_that_are_wrong) {
    static const mcp_tool unknown[] = { { .name = "t", .call = park, .task = 3 }, { 0 } };
    static const mcp_tool negative[] = {
        { .name = "t", .call = park, .task = MCP_TASK_OPTIONAL, .task_ttl_ms = -1 }, { 0 } };
    begin();
    desc.tools = unknown;
    CHECK(strstr(refused(), "task is neither MCP_TASK_OPTIONAL nor MCP_TASK_REQUIRED") != NULL);
    desc.tools = negative;
    CHECK(strstr(refused(), "task_ttl_ms is negative") != NULL);
    desc.tools = tools;
    desc.capabilities = "{\"tasks\":{}}";
    CHECK(strstr(refused(), "a member that the server adds itself") != NULL);
}

/* ---- whose it is ---- */

TEST(nobody_elses) { /* another principal has no such task, and sees none */
    begin();
    start();
    mcp_conn_identify(w.conn, "ann");
    const char *id = id_of(modern("tools/call", named("park")));
    STATUS(modern("tasks/get", id), "working");
    mcp_conn_identify(w.conn, "bob");
    CODE(modern("tasks/get", id), "-32602");
    CODE(modern("tasks/cancel", id), "-32602");
    CODE(modern("tasks/update", text_of("%s,\"inputResponses\":{%s%s}", id, "", "")), "-32602");
    mcp_conn_identify(w.conn, "ann");
    STATUS(modern("tasks/get", id), "working");
    CHECK_INT((int)told, 0);
    mcp_done(held[0], MCP_OK);
    mcp_conn_identify(w.conn, "bob");
    const char *out = ask(modern_of("subscriptions/listen", text_of(
        "\"notifications\":{\"taskIds\":[%s]%s%s}", id + sizeof "\"taskId\":" - 1, "", "")));
    CHECK_STR(part(part(out, "params"), "notifications"), "{}");
    stop();
}

TEST(listed_for_its_session) { /* or, if it is known who that is, in all of them */
    begin();
    start();
    greet("{}");
    const char *id = id_of(old("1", "tools/call", wanted("plain")));
    CHECK(strstr(old("2", "tasks/list", ""), "task-") != NULL);
    mcp_conn_free(w.conn);
    mcp_write_hook hook = { harness__write, &w };
    w.conn = mcp_conn_new(w.server, MCP_LINES, hook);
    greet("{}");
    CHECK_STR(part(old("2", "tasks/list", ""), "result"), "{\"tasks\":[]}");
    STATUS(old("3", "tasks/get", id), "completed"); /* its id is enough: nobody can guess it */
    mcp_conn_identify(w.conn, "ann");
    id = id_of(old("4", "tools/call", wanted("plain")));
    CHECK_STR(content(old("5", "tasks/result", id)), text("ann"));
    mcp_conn_free(w.conn);
    w.conn = mcp_conn_new(w.server, MCP_LINES, hook);
    mcp_conn_identify(w.conn, "ann");
    greet("{}");
    CHECK(strstr(old("6", "tasks/list", ""), "task-") != NULL);
    stop();
}

TEST(pages_of_a_list) {
    begin();
    desc.limits.page = 2;
    start();
    greet("{}");
    for (int i = 0; i < 3; i++) old("1", "tools/call", wanted("plain"));
    const char *r = part(old("2", "tasks/list", ""), "result");
    const char *cursor = part(r, "nextCursor");
    CHECK(*cursor != 0);
    r = part(old("3", "tasks/list", text_of("\"cursor\":%s%s%s", cursor, "", "")), "result");
    CHECK(strstr(r, "task-") != NULL);
    CHECK_STR(part(r, "nextCursor"), "");
    stop();
}

/* ---- how many, how long ---- */

TEST(room_is_made_by_what_is_over) {
    begin();
    desc.limits.tasks = 2;
    start();
    const char *first = id_of(modern("tools/call", named("park")));
    const char *second = id_of(modern("tools/call", named("park")));
    CHECK_STR(modern("tools/call", named("park")), ""); /* no room: it is a call like any other */
    mcp_done(held[2], mcp_text(held[2], "third"));
    CHECK_STR(content(came()), text("third"));
    mcp_done(held[1], MCP_OK);
    const char *fourth = id_of(modern("tools/call", named("park")));
    CODE(modern("tasks/get", second), "-32602");
    STATUS(modern("tasks/get", first), "working");
    STATUS(modern("tasks/get", fourth), "working");
    greet("{}");
    CODE(old("1", "tools/call", wanted("park")), "-32603");
    CHECK_STR(part(part(w.out.at, "error"), "message"), "\"Too many tasks\"");
    mcp_done(held[0], MCP_OK);
    mcp_done(held[3], MCP_OK);
    stop();
}

TEST(time_is_up) { /* a running one is cancelled; who waits for it hears that it is gone */
    begin();
    start();
    greet("{}");
    const char *id = id_of(old("1", "tools/call",
                               "\"name\":\"park\",\"task\":{\"ttl\":1000}"));
    CHECK_STR(old("2", "tasks/result", id), "");
    w.now += INT64_C(500) * 1000000;
    CHECK(mcp_poll(w.server) <= INT64_C(500) * 1000000);
    CHECK_INT((int)told, 0);
    quiet();
    w.now += INT64_C(501) * 1000000;
    mcp_poll(w.server);
    CHECK_INT((int)told, 1);
    CODE(came(), "-32602");
    CODE(old("3", "tasks/get", id), "-32602");
    quiet();
    mcp_done(held[0], mcp_text(held[0], "too late"));
    CHECK_STR(w.out.at, "");
    id = id_of(old("4", "tools/call", "\"name\":\"plain\",\"task\":{\"ttl\":-5}"));
    CHECK_STR(part(part(old("5", "tasks/get", id), "result"), "ttl"), "3600000");
    id = id_of(old("6", "tools/call", "\"name\":\"plain\",\"task\":{\"ttl\":0}"));
    CODE(old("7", "tasks/get", id), "-32602");
    stop();
}

/* ---- races ---- */

TEST(done_when_it_is_told) { /* mcp_done from mcp_on_cancel, from a request, an expiry, the end */
    begin();
    start();
    ends_when_told = true;
    const char *id = id_of(modern("tools/call", named("park")));
    CHECK_STR(part(part(modern("tasks/cancel", id), "result"), "resultType"), "\"complete\"");
    STATUS(modern("tasks/get", id), "cancelled");
    CHECK_INT((int)told, 1);
    modern("tools/call", named("park"));
    w.now += INT64_C(60001) * 1000000;
    mcp_poll(w.server);
    CHECK_INT((int)told, 2);
    modern("tools/call", named("park"));
    stop();
    CHECK_INT((int)told, 3);
}

TEST(a_plain_loop) { /* is looked at and cancelled while it runs; ends when its peer does */
    static const char id[] = "\"taskId\":\"task-0102030405060708090a0b0c0d0e0f10\"";
    begin();
    start();
    greet("{}");
    hears = text_of("%s\n%s\n%s", old_of("2", "tasks/get", id), old_of("3", "tasks/cancel", id),
                    old_of("4", "tools/call", named("plain")));
    hears = text_of("%s\n%s%s", hears, "", "");
    const char *out = old("1", "tools/call", wanted("loops"));
    const char *handle = strstr(out, "\"id\":1"), *got = strstr(out, "\"id\":2");
    CHECK(handle && got && handle < got && strstr(got, "\"status\":\"working\""));
    CHECK(strstr(out, "\"id\":3") && strstr(out, "\"status\":\"cancelled\""));
    CHECK_INT((int)told, 1);
    CHECK(strstr(out, "\"id\":4") > strstr(out, "\"id\":3")); /* that had to wait */
    CODE(old("5", "tasks/result", id), "-32603");
    stop();
    begin();
    start();
    greet("{}");
    hears = "";
    old("1", "tools/call", wanted("loops"));
    CHECK_INT((int)told, 1); /* the end of input, and a second */
    stop();
}

TEST(the_end_with_running_ones) { /* they are told; a cancelled request does not touch them */
    begin();
    start();
    const char *id = id_of(modern("tools/call", named("park")));
    ask(J({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}));
    STATUS(modern("tasks/get", id), "working");
    mcp_conn_free(w.conn);
    w.conn = NULL;
    CHECK_INT((int)told, 0); /* its request is long over */
    stop();
    CHECK_INT((int)told, 1);
}

TEST(asked_and_looking) { /* a handler that looks at the input meanwhile; other requests wait */
    begin();
    start();
    greet("{\"elicitation\":{}}");
    const char *id = id_of(old("1", "tools/call", wanted("asks")));
    STATUS(old("2", "tasks/get", id), "input_required");
    const char *out = old("3", "tasks/result", id);
    CHECK_STR(part(out, "method"), "\"elicitation/create\"");
    out = ask(text_of("{\"jsonrpc\":\"2.0\",\"id\":\"mcp-1\",\"result\":{\"action\":\"accept\","
                      "\"content\":{\"name\":\"Ann\"}}}\n%s%s%s", old_of("4", "tools/call",
                      named("plain")), "", ""));
    CHECK(strstr(out, "thanks") != NULL);
    CHECK(strstr(out, "\"id\":4") != NULL);
    id = id_of(old("5", "tools/call", wanted("looks")));
    CHECK_STR(content(old("6", "tasks/result", id)), text("not cancelled"));
    stop();
}

TEST(asked_of_nobody) { /* the client cannot be asked; its session is over */
    begin();
    start();
    greet("{}");
    const char *id = id_of(old("1", "tools/call", wanted("asks")));
    STATUS(old("2", "tasks/get", id), "failed");
    CHECK(strstr(content(old("3", "tasks/result", id)), "elicitation") != NULL);
    greet("{\"elicitation\":{}}");
    id = id_of(old("4", "tools/call", wanted("asks")));
    STATUS(old("5", "tasks/get", id), "input_required");
    mcp_conn_free(w.conn);
    mcp_write_hook hook = { harness__write, &w };
    w.conn = mcp_conn_new(w.server, MCP_LINES, hook);
    w.now += INT64_C(600001) * 1000000;
    mcp_poll(w.server);
    greet("{}");
    STATUS(old("5", "tasks/get", id), "failed");
    stop();
}

TEST(other_tools_meanwhile) { /* the table is replaced; those that run keep theirs */
    static const mcp_tool others[] = { { .name = "o", .call = plain }, { 0 } };
    begin();
    start();
    const char *id = id_of(modern("tools/call", named("park")));
    mcp_server_set_tools(w.server, others);
    STATUS(modern("tasks/get", id), "working");
    mcp_done(held[0], mcp_text(held[0], "done"));
    CHECK_STR(content(modern("tasks/get", id)), text("done"));
    stop();
}

/* ---- over HTTP ---- */
#ifndef MCP_NO_HTTP

static const char *head_of(const char *method, const char *name) {
    return text_of(JSON "MCP-Protocol-Version: 2026-07-28\nMcp-Method: %s\n%s%s\n", method,
                   *name ? "Mcp-Name: " : "X: ", name);
}
static const char *http(const char *method, const char *name, const char *params) {
    return since(post(head_of(method, name), modern_of(method, params)));
}

TEST(over_http) { /* the handle ends the exchange; Mcp-Name is the task's id */
    begin();
    serve();
    reply *r = post(head_of("tools/call", "park"), modern_of("tools/call", named("park")));
    CHECK_INT(r->status, 200);
    CHECK(r->last);
    const char *id = id_of(since(r)), *bare = keep(id + 10, strlen(id) - 11);
    STATUS(http("tasks/get", bare, id), "working");
    r = post(head_of("tasks/get", "park"), modern_of("tasks/get", id));
    CHECK_INT(r->status, 400);
    CODE(since(r), "-32020");
    r = post(head_of("tasks/get", ""), modern_of("tasks/get", id));
    CODE(since(r), "-32020");
    mcp_done(held[0], mcp_text(held[0], "done"));
    CHECK_STR(content(http("tasks/get", bare, id)), text("done"));
    stop();
}
#endif

int main(void) {
    RUN(only_who_defers);
    RUN(whoever_asks_for_one);
    RUN(a_large_answer_is_kept_whole);
    RUN(tables_that_are_wrong);
    RUN(nobody_elses);
    RUN(listed_for_its_session);
    RUN(pages_of_a_list);
    RUN(room_is_made_by_what_is_over);
    RUN(time_is_up);
    RUN(done_when_it_is_told);
    RUN(a_plain_loop);
    RUN(the_end_with_running_ones);
    RUN(asked_and_looking);
    RUN(asked_of_nobody);
    RUN(other_tools_meanwhile);
#ifndef MCP_NO_HTTP
    RUN(over_http);
#else
    SKIP(over_http, "without HTTP");
#endif
    return DONE();
}
