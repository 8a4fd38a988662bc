/* strangers.c - the client and servers that are not ours, byte by byte: what the specification lets
   them do, what they get wrong, and what they do on purpose */
#include "meet.h"

/* ---- a server that answers by a script, over lines ----
   The first row whose part is in a line and which was not used yet answers it; the last of a kind
   goes on answering. In an answer, $ is the id of the line, and ~ the version. */

typedef struct said { const char *part, *answer; } said;
static const said *script;
static unsigned char used[64];
static harness_bytes sent, inbox;
static size_t inbox_at;
static bool hung_up, broken;

static void say(const char *text, const char *id) {
    for (; *text; text++) {
        if (*text == '$') harness_add(&inbox, id, strlen(id));
        else if (*text == '~') harness_add(&inbox, MODERN, strlen(MODERN));
        else harness_add(&inbox, text, 1);
    }
}

static void hear_line(const char *line) {
    char id[32] = "";
    const char *at = strstr(line, "\"id\":");
    size_t found = SIZE_MAX;
    if (at) snprintf(id, sizeof id, "%.*s", (int)strcspn(at + 5, ",}"), at + 5);
    for (size_t i = 0; script[i].part; i++) {
        if (!strstr(line, script[i].part)) continue;
        found = i;
        if (!used[i]) break;
    }
    if (found == SIZE_MAX) return;
    used[found] = 1;
    if (script[found].answer) say(script[found].answer, id);
    else hung_up = true;
}

static int script_write(void *user, const void *bytes, size_t n) {
    static harness_bytes line;
    (void)user;
    if (hung_up) return MCP_IO;
    harness_add(&sent, bytes, n);
    harness_add(&line, bytes, n);
    for (char *lf; (lf = (char *)memchr(line.at, '\n', line.n)) != NULL;) {
        size_t size = (size_t)(lf + 1 - line.at);
        *lf = 0;
        hear_line(line.at);
        memmove(line.at, line.at + size, line.n - size);
        line.n -= size;
    }
    return MCP_OK;
}

static ptrdiff_t script_read(void *user, void *bytes, size_t n, int64_t ms) {
    (void)user;
    size_t there = inbox.n - inbox_at;
    if (broken) return -1;
    if (!there && hung_up) return 0;
    if (!there) w.now += (ms < 0 || ms > 100 ? 100 : ms) * 1000000;
    if (!there) return MCP_CANCELLED;
    if (n > there) n = there;
    memcpy(bytes, inbox.at + inbox_at, n);
    inbox_at += n;
    return (ptrdiff_t)n;
}

static int script_open(void *user, const char *host, int port, mcp_stream *stream) {
    (void)user, (void)host, (void)port;
    inbox.n = inbox_at = 0;
    hung_up = false;
    stream->read = script_read;
    stream->write = script_write;
    return MCP_OK;
}

#define FOUND "{\"jsonrpc\":\"2.0\",\"id\":$,\"result\":{\"resultType\":\"complete\"," \
    "\"supportedVersions\":[\"~\"],\"capabilities\":{}}}\n"
#define OLD "{\"jsonrpc\":\"2.0\",\"id\":$,\"result\":{\"protocolVersion\":\"2025-11-25\"," \
    "\"capabilities\":{},\"serverInfo\":{\"name\":\"old\",\"version\":\"1\"}}}\n"
#define UNKNOWN "{\"jsonrpc\":\"2.0\",\"id\":$,\"error\":{\"code\":-32601,\"message\":\"What?\"}}\n"
#define REFUSED "{\"jsonrpc\":\"2.0\",\"id\":$,\"error\":{\"code\":-32022,\"message\":\"No\"," \
    "\"data\":{\"supported\":[\"~\"],\"requested\":\"~\"}}}\n"
#define RESULT(json) "{\"jsonrpc\":\"2.0\",\"id\":$,\"result\":" json "}\n"
#define OK RESULT("{\"resultType\":\"complete\",\"content\":[],\"ok\":true}")

static void before(void) {
    stranger();
    harness_world_init(&w, NULL, &desc); /* for its clock */
    w.now = INT64_C(1785240000) * 1000000000;
    memset(used, 0, sizeof used);
    sent.n = inbox.n = inbox_at = 0;
    harness_add(&sent, "", 0);
    who.timeout_ms = 5000;
    who.connect.func = script_open;
}

static void with(const said *rows) {
    before();
    script = rows;
    k = mcp_client_new(&who);
    CHECK(k != NULL);
}

/* A call's outcome: its result, or "STATUS CODE text". */
static const char *call_of(const char *tool) {
    static char why[512];
    mcp_client_call(k, tool);
    const mcp_json *r = mcp_client_wait(k);
    const mcp_failure *f = mcp_client_failure(k);
    if (r) return raw(r, NULL);
    snprintf(why, sizeof why, "%d %d %s", f->status, f->code, f->text);
    return why;
}

/* ---- meeting ---- */

/* Whatever an old server says to a stranger's request, and if it says nothing. */
TEST(old_servers) {
    static const said unknown[] = { { "discover", UNKNOWN }, { "initialize\"", OLD },
                                    { "\"x\"", OK }, { NULL, NULL } };
    static const said refused[] = { { "discover", "{\"jsonrpc\":\"2.0\",\"id\":$,\"error\":{"
        "\"code\":-32602,\"message\":\"Invalid request parameters\",\"data\":\"\"}}\n" },
        { "initialize\"", OLD }, { "\"x\"", OK }, { NULL, NULL } };
    static const said silent[] = { { "initialize\"", OLD }, { "\"x\"", OK }, { NULL, NULL } };
    static const said dies[] = { { "discover", NULL }, { "initialize\"", OLD }, { "\"x\"", OK },
                                 { NULL, NULL } };
    static const said agrees[] = { { "discover", RESULT("{}") }, { "initialize\"", OLD },
                                   { "\"x\"", OK }, { NULL, NULL } };
    static const said *const all[] = { unknown, refused, silent, dies, agrees };
    for (size_t i = 0; i < 5; i++) {
        with(all[i]);
        CHECK(strstr(call_of("x"), "\"ok\":true") != NULL);
        CHECK_STR(mcp_get_str(mcp_client_server(k), "protocolVersion"), "2025-11-25");
        CHECK(strstr(sent.at, "notifications/initialized") != NULL);
        leave();
    }
}

TEST(a_broken_stream) { /* -1 is what read() says, and no status of ours */
    static const said rows[] = { { "discover", FOUND }, { NULL, NULL } };
    with(rows);
    broken = true;
    CHECK(strstr(call_of("x"), "-7 0 ") != NULL);
    broken = false;
    leave();
}

TEST(no_common_version) {
    static const said future[] = { { "discover", "{\"jsonrpc\":\"2.0\",\"id\":$,\"result\":{"
        "\"resultType\":\"complete\",\"supportedVersions\":[\"2099-01-01\"],"
        "\"capabilities\":{}}}\n" },
        { NULL, NULL } };
    with(future);
    CHECK_STR(call_of("x"), "-5 0 no version is common");
    leave();
    static const said only_old[] = { { "discover", UNKNOWN }, { NULL, NULL } };
    before();
    script = only_old;
    who.versions = MCP_2026_07_28;
    k = mcp_client_new(&who);
    CHECK_STR(call_of("x"), "-9 -32601 What?");
    leave();
    static const said other[] = { { "initialize\"", "{\"jsonrpc\":\"2.0\",\"id\":$,\"result\":{"
        "\"protocolVersion\":\"1999-01-01\",\"capabilities\":{}}}\n" }, { NULL, NULL } };
    with(other);
    CHECK_STR(call_of("x"), "-5 0 the server speaks another version: 1999-01-01");
    leave();
}

/* The probe was answered too late: who refuses a handshake with what it speaks is asked again. */
TEST(slow_to_answer_the_probe) {
    static const said once[] = { { "discover", "" }, { "discover", FOUND },
                                 { "initialize\"", REFUSED }, { "\"x\"", OK }, { NULL, NULL } };
    with(once);
    CHECK(strstr(call_of("x"), "\"ok\":true") != NULL);
    CHECK_STR(mcp_get_str(mcp_client_server(k), "protocolVersion"), MODERN);
    leave();
    static const said always[] = { { "discover", "" }, { "initialize\"", REFUSED },
                                   { NULL, NULL } };
    with(always);
    CHECK_STR(call_of("x"), "-9 -32022 No");
    leave();
    before();
    script = once;
    who.versions = MCP_2025_11_25;
    k = mcp_client_new(&who);
    CHECK_STR(call_of("x"), "-9 -32022 No");
    leave();
}

/* It refuses the version that it says it speaks: once more, but not for ever. */
TEST(refused_versions) {
    static const said once[] = { { "discover", REFUSED }, { "discover", FOUND },
                                 { "\"x\"", REFUSED }, { "\"x\"", OK }, { NULL, NULL } };
    with(once);
    CHECK(strstr(call_of("x"), "\"ok\":true") != NULL);
    leave();
    static const said always[] = { { "discover", REFUSED }, { NULL, NULL } };
    with(always);
    CHECK_STR(call_of("x"), "-9 -32022 No");
    leave();
    static const said later[] = { { "discover", FOUND }, { "\"x\"", REFUSED }, { NULL, NULL } };
    with(later);
    CHECK_STR(call_of("x"), "-9 -32022 No");
    leave();
    static const said legacy[] = { { "discover", "{\"jsonrpc\":\"2.0\",\"id\":$,\"error\":{"
        "\"code\":-32022,\"message\":\"No\",\"data\":{\"supported\":[\"2025-11-25\"]}}}\n" },
        { "initialize\"", OLD }, { "\"x\"", OK }, { NULL, NULL } };
    with(legacy);
    CHECK(strstr(call_of("x"), "\"ok\":true") != NULL);
    leave();
}

/* ---- answers that are wrong ---- */

TEST(broken_answers) {
    static const struct { const char *answer, *outcome; } rows[] = {
        { "{\"jsonrpc\":\"2.0\",\"id\":$,\"result\":{\"a\":}}\n",
          "-2 0 the server's answer is no JSON: " },
        { "{\"jsonrpc\":\"2.0\",\"id\":$,\"result\":{}", "-6 0 no answer within 5000 ms" },
        { "{\"jsonrpc\":\"2.0\",\"id\":$,\"result\":\"\xFF\"}\n",
          "-2 0 the server's answer is no JSON: " },
        { "{\"id\":$,\"result\":{}}\n", "-2 0 the server sent what is no message: {" },
        { "{\"jsonrpc\":\"2.0\",\"id\":$,\"result\":{},\"id\":$}\n",
          "-2 0 the server sent what is no message: {" },
        { "{\"jsonrpc\":\"2.0\",\"id\":$}\n", "-2 0 the server sent what is no message: {" },
        { RESULT("7"), "-2 0 an answer with neither a result nor an error" },
        { "{\"jsonrpc\":\"2.0\",\"id\":$,\"result\":{},\"error\":{\"code\":1,\"message\":\"\"}}\n",
          "-2 0 an answer with neither a result nor an error" },
        { "{\"jsonrpc\":\"2.0\",\"id\":$,\"error\":\"no\"}\n",
          "-2 0 an answer with neither a result nor an error" },
        { "{\"jsonrpc\":\"2.0\",\"id\":$,\"error\":{}}\n", "-9 0 answered with an error" },
        { "{\"jsonrpc\":\"2.0\",\"id\":$,\"error\":{\"code\":1e99,\"message\":7}}\n",
          "-9 0 answered with an error" },
        { "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"Eh\"}}\n",
          "-9 -32700 Eh" },
        { "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,\"message\":\"Eh\"}}\n",
          "-9 -32600 Eh" },
        { "{\"jsonrpc\":\"2.0\",\"id\":999,\"result\":{}}\n", "-6 0 no answer within 5000 ms" },
        { "{\"jsonrpc\":\"2.0\",\"id\":\"$\",\"result\":{}}\n", "-6 0 no answer within 5000 ms" },
        { RESULT("{\"resultType\":\"maybe\"}"), "-2 0 a result of a type that cannot be: maybe" },
        { RESULT("{\"resultType\":\"task\",\"taskId\":\"t\"}"), /* not declared */
          "-2 0 a result of a type that cannot be: task" },
        { "all is well\nreally\n", "-6 0 no answer within 5000 ms" }, { NULL, NULL } };
    for (size_t i = 0; rows[i].answer; i++) {
        said table[] = { { "discover", FOUND }, { "\"x\"", NULL }, { "\"y\"", OK },
                         { NULL, NULL } };
        table[1].answer = rows[i].answer;
        with(table);
        const char *outcome = call_of("x");
        CHECK(!strncmp(outcome, rows[i].outcome, strlen(rows[i].outcome)));
        if (strncmp(outcome, rows[i].outcome, strlen(rows[i].outcome)))
            printf("    %s\n    %s\n", rows[i].answer, outcome);
        if (strchr(rows[i].answer, '\n'))
            CHECK(strstr(call_of("y"), "\"ok\":true") != NULL); /* the next one is served */
        leave();
    }
}

/* What is around an answer does not hurt it: noise, other answers, the same one again, a BOM, CRLF,
   blank lines, a batch. */
TEST(noise) {
    static const said rows[] = { { "discover", "\xEF\xBB\xBF" FOUND },
        { "\"x\"", "Server started\n\n\r\n{\"jsonrpc\":\"2.0\",\"id\":77,\"result\":{}}\n"
          "{\"jsonrpc\":\"2.0\",\"id\":$,\"result\":{\"n\":1}}\r\n"
          "{\"jsonrpc\":\"2.0\",\"id\":$,\"result\":{\"n\":2}}\n" },
        { "\"y\"", "[{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{}},7,"
          "{\"jsonrpc\":\"2.0\",\"id\":$,\"result\":{\"n\":3}}]\n" }, { NULL, NULL } };
    with(rows);
    CHECK_STR(call_of("x"), "{\"n\":1}");
    CHECK_STR(call_of("y"), "{\"n\":3}");
    CHECK_STR(heard, "notifications/message {}\n");
    leave();
}

/* A line without end is skipped; so much of it is kept as the limit says. */
TEST(endless) {
    static const said rows[] = { { "discover", FOUND }, { "\"x\"", "" }, { "\"y\"", OK },
                                 { NULL, NULL } };
    before();
    script = rows;
    who.limits.message = 10000;
    k = mcp_client_new(&who);
    CHECK(mcp_client_server(k) != NULL);
    mcp_client_call(k, "x");
    int64_t id = mcp_client_send(k);
    for (int i = 0; i < 100; i++) {
        for (int j = 0; j < 1000; j++) harness_add(&inbox, "{\"endless\":1", 12);
        mcp_client_poll(k, 10);
    }
    CHECK(mcp_client_result(k, id) == NULL);
    CHECK_INT(mcp_client_failure(k)->status, MCP_LIMIT);
    CHECK(mem.peak < 400000);
    harness_add(&inbox, "\n", 1);
    CHECK(strstr(call_of("y"), "\"ok\":true") != NULL);
    leave();
}

TEST(hangs_up) {
    static const said rows[] = { { "discover", FOUND }, { "\"x\"", NULL }, { NULL, NULL } };
    with(rows);
    CHECK_STR(call_of("x"), "-7 0 the server is gone");
    used[0] = 0;
    CHECK_STR(call_of("x"), "-7 0 the server is gone"); /* met anew, and lost again */
    leave();
}

/* Notifications without end: the time is up all the same. */
TEST(flood) {
    static const said rows[] = { { "discover", FOUND }, { "\"x\"", "" }, { NULL, NULL } };
    with(rows);
    CHECK(mcp_client_server(k) != NULL);
    mcp_client_call(k, "x");
    int64_t id = mcp_client_send(k);
    for (int i = 0; i < 1000; i++) {
        for (int j = 0; j < 10; j++)
            say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{}}\n", "");
        w.now += 10000000;
        mcp_client_poll(k, 0);
    }
    CHECK(!mcp_client_result(k, id));
    CHECK_INT(mcp_client_failure(k)->status, MCP_CANCELLED);
    CHECK(strstr(sent.at, "notifications/cancelled") != NULL);
    CHECK(mem.peak < 1000000);
    leave();
}

/* ---- requests of an older server's ---- */

TEST(asked_by_strangers) {
    static const said rows[] = { { "discover", UNKNOWN }, { "initialize\"", OLD }, { "\"x\"",
        "{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"ping\"}\n"
        "{\"jsonrpc\":\"2.0\",\"id\":1.0,\"method\":\"what/ever\",\"params\":{}}\n"
        "{\"jsonrpc\":\"2.0\",\"id\":\"r\",\"method\":\"roots/list\"}\n"
        "{\"jsonrpc\":\"2.0\",\"id\":\"u\",\"method\":\"elicitation/create\",\"params\":{"
        "\"mode\":\"url\",\"url\":\"https://a\",\"message\":\"m\",\"elicitationId\":\"1\"}}\n"
        "{\"jsonrpc\":\"2.0\",\"id\":\"s\",\"method\":\"sampling/createMessage\",\"params\":{"
        "\"messages\":[],\"maxTokens\":1}}\n"
        "{\"jsonrpc\":\"2.0\",\"id\":\"t\",\"method\":\"sampling/createMessage\",\"params\":{"
        "\"messages\":[],\"maxTokens\":1,\"tools\":[]}}\n"
        RESULT("{\"content\":[]}") }, { NULL, NULL } };
    before();
    script = rows;
    who.can = MCP_CAN_ASK | MCP_CAN_SAMPLE;
    who.roots = "file:///a";
    k = mcp_client_new(&who);
    reply = "\"no object\"";
    CHECK_STR(call_of("x"), "{\"content\":[]}");
    CHECK(strstr(sent.at, "{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"result\":{}}\n") != NULL);
    CHECK(strstr(sent.at, "{\"jsonrpc\":\"2.0\",\"id\":1.0,\"error\":{\"code\":-32601,") != NULL);
    CHECK(strstr(sent.at, "\"id\":\"r\",\"result\":{\"roots\":[{\"uri\":\"file:///a\"}]}}"));
    CHECK(strstr(sent.at, "\"id\":\"u\",\"error\":{\"code\":-32602,") != NULL);
    CHECK(strstr(sent.at, "\"id\":\"s\",\"error\":{\"code\":-1,") != NULL);
    CHECK(strstr(sent.at, "\"id\":\"t\",\"error\":{\"code\":-32602,") != NULL);
    leave();
}

/* A modern server must not ask like that, and gets no answer. */
TEST(not_to_be_asked) {
    static const said rows[] = { { "discover", FOUND },
        { "\"x\"", "{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"ping\"}\n" OK },
        { NULL, NULL } };
    with(rows);
    CHECK(strstr(call_of("x"), "\"ok\":true") != NULL);
    CHECK(!strstr(sent.at, "\"id\":\"p\""));
    CHECK_STR(logged, "the server sent a request");
    leave();
}

/* Every kind of form that a schema may be. */
TEST(forms) {
#define FORM(properties, more) "{\"jsonrpc\":\"2.0\",\"id\":\"e\",\"method\":" \
    "\"elicitation/create\",\"params\":{\"message\":\"m\",\"requestedSchema\":{\"type\":" \
    "\"object\",\"properties\":{" properties "}" more "}}}\n" RESULT("{\"content\":[]}")
    static const struct { const char *form, *says, *content; } rows[] = {
        { FORM("\"a\":{\"type\":\"string\",\"default\":\"x\"}", ""), "{}", "{\"a\":\"x\"}" },
        { FORM("\"a\":{\"type\":\"string\",\"minLength\":2,\"maxLength\":3}", ""),
          "{\"a\":\"abcd\"}", NULL },
        { FORM("\"a\":{\"type\":\"number\",\"exclusiveMinimum\":1}", ""), "{\"a\":1}", NULL },
        { FORM("\"a\":{\"type\":\"number\",\"exclusiveMinimum\":1}", ""), "{\"a\":1.5}",
          "{\"a\":1.5}" },
        { FORM("\"a\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":2}", ""), "{\"a\":2.5}",
          NULL },
        { FORM("\"a\":{\"type\":\"boolean\",\"default\":true}", ",\"required\":[\"a\"]"), "{}",
          "{\"a\":true}" },
        { FORM("\"a\":{\"type\":\"boolean\"}", ",\"required\":[\"a\"]"), "{}", NULL },
        { FORM("\"a\":{\"type\":\"string\",\"enum\":[\"p\",\"q\"],\"enumNames\":[\"P\",\"Q\"]}",
               ""),
          "{\"a\":\"r\"}", NULL },
        { FORM("\"a\":{\"type\":\"string\",\"oneOf\":[{\"const\":\"p\",\"title\":\"P\"}]}", ""),
          "{\"a\":\"q\"}", NULL },
        { FORM("\"a\":{\"type\":\"string\",\"oneOf\":[{\"const\":\"p\",\"title\":\"P\"}]}", ""),
          "{\"a\":\"p\"}", "{\"a\":\"p\"}" },
        { FORM("\"a\":{\"type\":\"array\",\"items\":{\"type\":\"string\",\"enum\":[\"p\",\"q\"]},"
               "\"minItems\":1,\"maxItems\":1}", ""), "{\"a\":[\"p\",\"q\"]}", NULL },
        { FORM("\"a\":{\"type\":\"array\",\"items\":{\"anyOf\":[{\"const\":\"p\",\"title\":\"P\"},"
               "{\"const\":\"q\",\"title\":\"Q\"}]}}", ""), "{\"a\":[\"r\"]}", NULL },
        { FORM("\"a\":{\"type\":\"array\",\"items\":{\"anyOf\":[{\"const\":\"p\",\"title\":\"P\"},"
               "{\"const\":\"q\",\"title\":\"Q\"}]}}", ""), "{\"a\":[\"q\"]}", "{\"a\":[\"q\"]}" },
        { FORM("\"a\":{\"type\":[\"integer\",\"null\"]}", ""), "{\"a\":null}", "{\"a\":null}" },
        { FORM("\"a\":{\"$ref\":\"#/x\"},\"b\":{\"anyOf\":[{\"type\":\"string\"}]}", ""),
          "{\"a\":1,\"b\":2}", "{\"a\":1,\"b\":2}" },
        { FORM("\"a\":{}", ",\"additionalProperties\":false"), "{\"b\":1}", NULL },
        { FORM("\"a\":7", ""), "{\"a\":[]}", "{\"a\":[]}" }, { NULL, NULL, NULL } };
    for (size_t i = 0; rows[i].form; i++) {
        said table[] = { { "discover", UNKNOWN }, { "initialize\"", OLD }, { "\"x\"", NULL },
                         { NULL, NULL } };
        table[2].answer = rows[i].form;
        before();
        script = table;
        who.can = MCP_CAN_ASK;
        k = mcp_client_new(&who);
        reply = rows[i].says;
        CHECK_STR(call_of("x"), "{\"content\":[]}");
        const char *at = strstr(sent.at, "\"id\":\"e\",\"result\":");
        char expected[256];
        snprintf(expected, sizeof expected, rows[i].content
                 ? "\"id\":\"e\",\"result\":{\"action\":\"accept\",\"content\":%s}}\n"
                 : "\"id\":\"e\",\"result\":{\"action\":\"cancel\"}}\n", rows[i].content);
        CHECK_MEM(at, at ? strcspn(at, "\n") + 1 : 0, expected, strlen(expected));
        leave();
    }
}

/* ---- rounds of a modern server ---- */

TEST(rounds) {
#define ASKS(state) RESULT("{\"resultType\":\"input_required\",\"inputRequests\":{\"a\\\"b\":" \
    "{\"method\":\"elicitation/create\",\"params\":{\"message\":\"m\",\"requestedSchema\":{" \
    "\"type\":\"object\",\"properties\":{}}}},\"r\":{\"method\":\"roots/list\"}}" state "}")
    static const said rows[] = { { "discover", FOUND },
        { "\"x\"", ASKS(",\"requestState\":\"s\\u0041\\/\\n\\ud83d\\ude00 {\\\"\"") },
        { "\"requestState\":\"s\\u0041\\/\\n\\ud83d\\ude00 {\\\"\"",
          RESULT("{\"resultType\":\"input_required\",\"requestState\":\"t\"}") },
        { "\"requestState\":\"t\"", ASKS("") },
        { "\"inputResponses\":{\"a\\\"b\":{\"action\":\"accept\",\"content\":{}},\"r\":{\"roots\":["
          "{\"uri\":\"file:///a\"}]}},\"_meta\"", OK }, { NULL, NULL } };
    before();
    script = rows;
    who.can = MCP_CAN_ASK;
    who.roots = "file:///a";
    k = mcp_client_new(&who);
    CHECK(strstr(call_of("x"), "\"ok\":true") != NULL);
    for (size_t i = 0; i < 5; i++) CHECK_INT(used[i], 1);
    leave();
}

/* 2025-11-25: a request that needs people to have been elsewhere comes again, once. */
TEST(sent_elsewhere) {
#define GO \
    "{\"jsonrpc\":\"2.0\",\"id\":$,\"error\":{\"code\":-32042,\"message\":\"Go\",\"data\":{" \
    "\"elicitations\":[{\"mode\":\"url\",\"url\":\"https://a\",\"message\":\"m\"," \
    "\"elicitationId\":\"1\"}]}}}\n"
    static const said once[] = { { "discover", UNKNOWN }, { "initialize\"", OLD },
                                 { "\"x\"", GO }, { "\"x\"", OK }, { NULL, NULL } };
    static const said ever[] = { { "discover", UNKNOWN }, { "initialize\"", OLD },
                                 { "\"x\"", GO }, { NULL, NULL } };
    before();
    script = once;
    who.can = MCP_CAN_ASK_URL;
    k = mcp_client_new(&who);
    CHECK(strstr(call_of("x"), "\"ok\":true") != NULL);
    CHECK_STR(asked, "elicitation/create mhttps://a");
    leave();
    before();
    script = ever;
    who.can = MCP_CAN_ASK_URL;
    k = mcp_client_new(&who);
    CHECK_STR(call_of("x"), "-9 -32042 Go");
    leave();
    before();
    script = once;
    who.can = MCP_CAN_ASK_URL;
    k = mcp_client_new(&who);
    reply_status = MCP_DECLINED;
    CHECK_STR(call_of("x"), "-9 -32042 Go");
    leave();
    with(once); /* nothing was declared */
    CHECK_STR(call_of("x"), "-9 -32042 Go");
    CHECK_STR(asked, "");
    leave();
}

/* It asks for ever; or what nobody can answer; or where it must not. */
TEST(bad_rounds) {
    static const said ever[] = { { "discover", FOUND }, { "\"x\"", ASKS("") }, { NULL, NULL } };
    before();
    script = ever;
    who.can = MCP_CAN_ASK | MCP_CAN_ROOTS;
    k = mcp_client_new(&who);
    CHECK_STR(call_of("x"), "-3 0 a result of a type that cannot be: input_required");
    leave();
    with(ever); /* nothing was declared */
    CHECK_STR(call_of("x"), "-5 0 the server asks for what this client has not declared");
    leave();
    static const said model[] = { { "discover", FOUND }, { "\"x\"", RESULT("{\"resultType\":"
        "\"input_required\",\"inputRequests\":{\"a\":{\"method\":\"sampling/createMessage\","
        "\"params\":{}}}}") }, { NULL, NULL } };
    before();
    script = model;
    who.can = MCP_CAN_SAMPLE;
    reply_status = MCP_DECLINED;
    k = mcp_client_new(&who);
    reply_status = MCP_DECLINED;
    CHECK_STR(call_of("x"), "-4 0 the user said no");
    leave();
    static const said list[] = { { "discover", FOUND }, { "tools/list", ASKS("") },
                                 { NULL, NULL } };
    with(list);
    CHECK(mcp_client_list(k, "tools", NULL) == NULL);
    CHECK_INT(mcp_client_failure(k)->status, MCP_SYNTAX);
    leave();
}

/* ---- tasks ---- */

TEST(tasks) {
#define TASK(status, more) RESULT("{\"resultType\":\"complete\",\"taskId\":\"T\",\"status\":\"" \
    status "\",\"pollIntervalMs\":50" more "}")
    static const said rows[] = { { "discover", FOUND },
        { "\"x\"", RESULT("{\"resultType\":\"task\",\"taskId\":\"T\",\"status\":\"working\"}") },
        { "tasks/get", TASK("working", "") },
        { "tasks/get", TASK("input_required",
            ",\"inputRequests\":{\"r\":{\"method\":\"roots/list\"}}") },
        { "tasks/update", RESULT("{\"resultType\":\"complete\"}") },
        { "tasks/get", TASK("completed", ",\"result\":{\"content\":[],\"done\":true}") },
        { "\"y\"", RESULT("{\"resultType\":\"task\",\"taskId\":\"T\",\"status\":\"working\"}") },
        { NULL, NULL } };
    before();
    script = rows;
    who.can = MCP_CAN_TASKS;
    who.roots = "file:///a";
    k = mcp_client_new(&who);
    CHECK_STR(call_of("x"), "{\"content\":[],\"done\":true}");
    CHECK(strstr(sent.at, "\"params\":{\"taskId\":\"T\",\"inputResponses\":{\"r\":{\"roots\":["));
    leave();
    static const struct { const char *last, *outcome; } ends[] = {
        { TASK("failed", ",\"error\":{\"code\":-32603,\"message\":\"boom\"}"), "-9 -32603 boom" },
        { TASK("cancelled", ""), "-6 0 the task was cancelled" },
        { TASK("completed", ""), "-2 0 a task that ended without its result" } };
    for (size_t i = 0; i < 3; i++) {
        said table[] = { { "discover", FOUND },
            { "\"x\"", RESULT("{\"resultType\":\"task\",\"taskId\":\"T\","
                              "\"status\":\"working\"}") },
            { "tasks/get", NULL }, { NULL, NULL } };
        table[2].answer = ends[i].last;
        before();
        script = table;
        who.can = MCP_CAN_TASKS;
        k = mcp_client_new(&who);
        CHECK_STR(call_of("x"), ends[i].outcome);
        leave();
    }
}

TEST(tasks_without_a_name) {
    static const said rows[] = { { "discover", FOUND },
        { "\"x\"", RESULT("{\"resultType\":\"task\",\"status\":\"working\"}") }, { NULL, NULL } };
    before();
    script = rows;
    who.can = MCP_CAN_TASKS;
    k = mcp_client_new(&who);
    CHECK_STR(call_of("x"), "-2 0 a task without an id");
    leave();
}

/* 2025-11-25: who asks for a task gets its result as well. */
TEST(older_tasks) {
    static const said rows[] = { { "discover", UNKNOWN }, { "initialize\"", OLD },
        { "\"x\"", RESULT("{\"task\":{\"taskId\":\"T\",\"status\":\"working\",\"ttl\":null,"
                          "\"pollInterval\":10}}") },
        { "tasks/get", RESULT("{\"taskId\":\"T\",\"status\":\"working\",\"pollInterval\":10}") },
        { "tasks/get", RESULT("{\"taskId\":\"T\",\"status\":\"completed\"}") },
        { "tasks/result", RESULT("{\"content\":[],\"done\":true}") }, { NULL, NULL } };
    with(rows);
    mcp_writer *to = mcp_client_request(k, "tools/call");
    mcp_put_str(to, "name", "x");
    mcp_put_obj(to, "task");
    mcp_put_end(to);
    CHECK_STR(raw(mcp_client_wait(k), NULL), "{\"content\":[],\"done\":true}");
    leave();
}

/* A task that is given up is cancelled, and not by the notification. */
TEST(task_cancelled) {
    static const said rows[] = { { "discover", FOUND },
        { "\"x\"", RESULT("{\"resultType\":\"task\",\"taskId\":\"T\",\"status\":\"working\","
                          "\"pollIntervalMs\":100000}") }, { NULL, NULL } };
    before();
    script = rows;
    who.can = MCP_CAN_TASKS;
    k = mcp_client_new(&who);
    mcp_client_call(k, "x");
    int64_t id = mcp_client_send(k);
    for (int i = 0; i < 5; i++) mcp_client_poll(k, 10);
    mcp_client_cancel(k, id);
    CHECK(strstr(sent.at, "\"method\":\"tasks/cancel\",\"params\":{\"taskId\":\"T\"") != NULL);
    CHECK(!strstr(sent.at, "notifications/cancelled"));
    leave();
}

/* ---- results against their schema ---- */

TEST(structured) {
    static const struct { const char *result, *outcome; } rows[] = {
        { "{\"content\":[],\"structuredContent\":{\"n\":1}}",
          "{\"content\":[],\"structuredContent\":{\"n\":1}}" },
        { "{\"content\":[],\"structuredContent\":{\"n\":\"1\"}}",
          "-2 0 structuredContent: n: expected integer" },
        { "{\"content\":[]}", "-2 0 structuredContent: there is none" },
        { "{\"content\":[],\"isError\":true}", "{\"content\":[],\"isError\":true}" },
        { NULL, NULL } };
    for (size_t i = 0; rows[i].result; i++) {
        char answer_[256];
        said table[] = { { "discover", FOUND }, { "tools/list",
            RESULT("{\"tools\":[{\"name\":\"x\","
            "\"inputSchema\":{\"type\":\"object\"},\"outputSchema\":{\"type\":\"object\","
            "\"properties\":{\"n\":{\"type\":\"integer\"}},\"required\":[\"n\"]}}]}") },
            { "\"x\"", NULL }, { NULL, NULL } };
        snprintf(answer_, sizeof answer_, "{\"jsonrpc\":\"2.0\",\"id\":$,\"result\":%s}\n",
                 rows[i].result);
        table[2].answer = answer_;
        with(table);
        CHECK(mcp_client_list(k, "tools", NULL) != NULL);
        CHECK_STR(call_of("x"), rows[i].outcome);
        leave();
    }
}

/* Pages that never end. */
TEST(endless_pages) {
    static const said rows[] = { { "discover", FOUND },
        { "tools/list", RESULT("{\"tools\":[{\"name\":\"aaaaaaaaaa\"}],\"nextCursor\":\"\"}") },
        { NULL, NULL } };
    before();
    script = rows;
    who.limits.message = 2000;
    k = mcp_client_new(&who);
    CHECK(mcp_client_list(k, "tools", NULL) == NULL);
    CHECK_INT(mcp_client_failure(k)->status, MCP_LIMIT);
    CHECK_STR(mcp_client_failure(k)->text, "the list is too long");
    leave();
}

TEST(lists_that_are_none) {
    static const said rows[] = { { "discover", FOUND },
        { "tools/list", RESULT("{\"resultType\":\"complete\",\"tools\":{}}") },
        { "prompts/list", RESULT("{\"resultType\":\"complete\"}") }, { NULL, NULL } };
    static const char *const what[] = { "tools", "prompts" };
    with(rows);
    for (size_t i = 0; i < 2; i++) {
        CHECK(mcp_client_list(k, what[i], NULL) == NULL);
        CHECK_INT(mcp_client_failure(k)->status, MCP_SYNTAX);
        CHECK_STR(mcp_client_failure(k)->text, "a list without rows");
    }
    leave();
}

/* ---- mistakes of the author's ---- */

TEST(misuse) {
    static const said rows[] = { { "discover", FOUND }, { "\"x\"", OK }, { NULL, NULL } };
    with(rows);
    CHECK(mcp_client_wait(k) == NULL); /* nothing was begun */
    CHECK_INT(mcp_client_failure(k)->status, MCP_MISUSE);
    CHECK_INT(asserted, 1);
    mcp_put_num(mcp_client_call(k, "x"), NULL, 7); /* arguments are an object */
    CHECK(mcp_client_wait(k) == NULL);
    CHECK_INT(mcp_client_failure(k)->status, MCP_MISUSE);
    asserted = 0;
    mcp_client_call(k, "other"); /* begun, and not sent */
    CHECK(strstr(call_of("x"), "\"ok\":true") != NULL);
    CHECK(!strstr(sent.at, "other"));
    CHECK(mcp_client_feed(k, "x", 1) == MCP_MISUSE); /* it has a stream */
    leave();
    before();
    memset(&who.connect, 0, sizeof who.connect);
    CHECK(mcp_client_new(&who) == NULL);
    CHECK(strstr(logged, "argv") != NULL);
    static const char *const urls[] = { "ftp://a/b", "http://", "http://a:0/", "http://a:99999/",
        "http://a:1x/", "http://u@a/", "http://a/ b", "https://a/", "http//", "http://:80/" };
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
        who.url = urls[i];
        CHECK(mcp_client_new(&who) == NULL);
    }
    who.url = NULL;
    who.name = NULL;
    CHECK(mcp_client_new(&who) == NULL);
    CHECK_STR(logged, "a client needs a name");
    mcp_client_free(NULL);
}

/* ---- what comes is fed ---- */

static int swallow(void *user, const void *bytes, size_t n) {
    (void)user;
    harness_add(&sent, bytes, n);
    return MCP_OK;
}

TEST(fed) {
    before();
    memset(&who.connect, 0, sizeof who.connect);
    who.write.func = swallow;
    k = mcp_client_new(&who);
    mcp_client_call(k, "x");
    int64_t id = mcp_client_send(k);
    CHECK(strstr(sent.at, "server/discover") != NULL);
    static const char found[] = "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{"
        "\"supportedVersions\":[\""
        MODERN "\"],\"capabilities\":{}}}\n";
    for (size_t i = 0; i + 1 < sizeof found; i++)
        CHECK_INT(mcp_client_feed(k, found + i, 1), MCP_OK);
    CHECK(strstr(sent.at, "tools/call") != NULL);
    CHECK(mcp_client_result(k, id) == NULL);
    CHECK_INT(mcp_client_failure(k)->status, MCP_PENDING);
    static const char last[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"ok\":true}}";
    CHECK_INT(mcp_client_feed(k, last, sizeof last - 1), MCP_OK);
    CHECK_INT(mcp_client_feed(k, NULL, 0), MCP_IO); /* the end is the end of a line as well */
    CHECK_STR(raw(mcp_client_result(k, id), NULL), "{\"ok\":true}");
    mcp_client_call(k, "x");
    CHECK(mcp_client_wait(k) == NULL);
    CHECK_INT(mcp_client_failure(k)->status, MCP_IO);
    leave();
}

int main(void) {
    RUN(old_servers);
    RUN(a_broken_stream);
    RUN(no_common_version);
    RUN(slow_to_answer_the_probe);
    RUN(refused_versions);
    RUN(broken_answers);
    RUN(noise);
    RUN(endless);
    RUN(hangs_up);
    RUN(flood);
    RUN(asked_by_strangers);
    RUN(not_to_be_asked);
    RUN(forms);
    RUN(rounds);
    RUN(sent_elsewhere);
    RUN(bad_rounds);
    RUN(tasks);
    RUN(tasks_without_a_name);
    RUN(older_tasks);
    RUN(task_cancelled);
    RUN(structured);
    RUN(endless_pages);
    RUN(lists_that_are_none);
    RUN(misuse);
    RUN(fed);
    return DONE();
}
