/* call.c - a handler's life: what was asked and by whom, progress, logs, cancelling, deferring,
   results against their table, results that go out while they are written */
#include "unit.h"

#include <math.h>

#define LENGTH(rows) (sizeof(rows) / sizeof *(rows))
#define HANDLER(name) static int name(mcp_call *c)

static mcp_handler *does;
HANDLER(tool) { return does(c); }
HANDLER(fine) { return mcp_text(c, "fine"); }

static const mcp_arg args[] = {
    { .name = "s" }, { .name = "n", .type = MCP_NUMBER }, { .name = "i", .type = MCP_INTEGER },
    { .name = "b", .type = MCP_BOOLEAN }, { .name = "d", .def = "given" },
    { .name = "z", .type = MCP_INTEGER, .flags = MCP_NULLABLE }, { 0 } };
static const mcp_arg sum[] = { { .name = "sum", .type = MCP_INTEGER, .flags = MCP_REQUIRED },
    { 0 } };
static const int row_user = 7;
static const mcp_tool tools[] = {
    { .name = "t", .args = args, .call = tool, .user = &row_user },
    { .name = "open", .args = args, .call = tool, .flags = MCP_OPEN },
    { .name = "raw", .call = tool, .flags = MCP_UNCHECKED },
    { .name = "out", .call = tool, .out = sum },
    { .name = "shape", .call = tool, .out_schema = "{\"type\":\"object\",\"required\":[\"x\"]}" },
    { .name = "fine", .call = fine }, { 0 } };
static const mcp_prompt prompts[] = { { .name = "p", .get = tool }, { 0 } };
static mcp_handler *lists;
HANDLER(list) { return lists ? lists(c) : MCP_OK; }
static const mcp_arg choice[] = { { .name = "c", .complete = list }, { 0 } };
static const mcp_resource resources[] = {
    { .uri = "r://{c}", .read = tool, .args = choice, .list = list }, { 0 } };

static void serve(mcp_handler *handler) {
    fresh();
    does = handler;
    lists = NULL;
    desc.tools = tools;
    desc.prompts = prompts;
    desc.resources = resources;
    desc.flags = MCP_LOGGING;
    start();
}

/* ---- what was asked ---- */

static harness_bytes seen; /* what a handler wants the test to see */
static void see(const char *format, const char *a, const char *b) {
    const char *s = text_of(format, a, b, "");
    harness_add(&seen, s, strlen(s));
}
static const char *saw(void) {
    harness_add(&seen, "", 0);
    const char *s = keep(seen.at, seen.n);
    seen.n = 0;
    return s;
}

HANDLER(see_args) {
    char line[200];
    static const char *const names[] = { "s", "n", "i", "b", "d", "z", "other" };
    for (size_t k = 0; k < LENGTH(names); k++) {
        size_t n = 99;
        mcp_arg_strn(c, names[k], &n);
        snprintf(line, sizeof line, "%s:%s/%lu/%g/%ld/%d/%d ", names[k], mcp_arg_str(c, names[k]),
                 (unsigned long)n, mcp_arg_num(c, names[k]), (long)mcp_arg_int(c, names[k]),
                 mcp_arg_bool(c, names[k]), mcp_arg_given(c, names[k]));
        see("%s%s%s", line, "");
    }
    return MCP_OK;
}

TEST(arguments) { /* what is not there, or of another type, is "", 0 and false */
    static const struct { const char *tool, *args, *seen; } rows[] = {
        { "t", "{}", "s:/0/0/0/0/0 n:/0/0/0/0/0 i:/0/0/0/0/0 b:/0/0/0/0/0 d:given/5/0/0/0/1 "
          "z:/0/0/0/0/0 other:/0/0/0/0/0 " },
        { "t", "{\"s\":\"x\\u00e9\",\"n\":-2.5,\"i\":12e1,\"b\":true,\"d\":\"\",\"z\":null}",
          "s:x\xC3\xA9/3/0/0/0/1 n:/0/-2.5/0/0/1 i:/0/120/120/0/1 b:/0/0/0/1/1 d:/0/0/0/0/1 "
          "z:/0/0/0/0/1 other:/0/0/0/0/0 " },
        { "t", "{\"s\":\"a\\u0000b\",\"b\":false}",
          "s:/3/0/0/0/1 n:/0/0/0/0/0 i:/0/0/0/0/0 b:/0/0/0/0/1 d:given/5/0/0/0/1 z:/0/0/0/0/0 "
          "other:/0/0/0/0/0 " },
        { "open", "{\"other\":7}", "s:/0/0/0/0/0 n:/0/0/0/0/0 i:/0/0/0/0/0 b:/0/0/0/0/0 "
          "d:given/5/0/0/0/1 z:/0/0/0/0/0 other:/0/7/7/0/1 " },
        { "raw", "{\"s\":1,\"n\":\"x\",\"i\":1e30,\"b\":\"true\",\"other\":[]}",
          "s:/0/1/1/0/1 n:x/1/0/0/0/1 i:/0/1e+30/0/0/1 b:true/4/0/0/0/1 d:/0/0/0/0/0 z:/0/0/0/0/0 "
          "other:/0/0/0/0/1 " } };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        serve(see_args);
        result(MODERN, rows[i].tool, rows[i].args);
        CHECK_STR(saw(), rows[i].seen);
        end_after(0);
    }
}

HANDLER(see_all) {
    see("%s%s%s", mcp_get_raw(mcp_args(c), NULL, NULL), "");
    return MCP_OK;
}

TEST(arguments_may_be_missing) { /* absent and null are an empty object */
    static const char *const rows[] = { "\"name\":\"raw\"", "\"name\":\"raw\",\"arguments\":null",
        "\"name\":\"raw\",\"arguments\":{}" };
    serve(see_all);
    for (size_t i = 0; i < LENGTH(rows); i++)
        for (size_t v = 0; v < LENGTH(versions); v++) {
            request(versions[v], "tools/call", rows[i]);
            CHECK(harness_is(saw(), "{}"));
        }
    end_after(0);
}

HANDLER(see_users) {
    see("%s%s%s", mcp_user(c) == (void *)&asserted ? "server " : "?", "");
    see("%s%s%s", mcp_row_user(c) == (const void *)&row_user ? "row " : "none ", "");
    see("%s%s%s", mcp_call_server(c) == w.server ? "own" : "?", "");
    see("%s%s%s", mcp_uri(c), "");
    return MCP_OK;
}
TEST(users) {
    fresh();
    does = see_users;
    desc.tools = tools;
    desc.user = &asserted;
    start();
    result(MODERN, "t", "{}");
    CHECK_STR(saw(), "server row own");
    result(MODERN, "raw", "{}");
    CHECK_STR(saw(), "server none own");
    end_after(0);
}

/* ---- by whom ---- */

static unsigned can;
static const mcp_caller *caller;
HANDLER(see_caller) {
    caller = mcp_caller_of(c);
    CHECK(mcp_caller_of(c) == caller);
    can = caller->can;
    see("%s|%s|", caller->version, caller->transport);
    see("%s|%s|", caller->principal, caller->client);
    see("%s|%s|", caller->client_version,
        caller->meta ? mcp_get_str(caller->meta, "x") : "no meta");
    see("%s%s", caller->capabilities ? text_of("%s%s%s", mcp_get_raw(caller->capabilities, NULL,
        NULL),
                                               "", "") : "none", "");
    return mcp_text(c, "x");
}

HANDLER(see_spans) {
    const mcp_span *span = mcp_span_current(c);
    if (!span) return mcp_text(c, "nobody traces");
    const char *id = span->span_id;
    mcp_span_begin(c, "inner");
    span = mcp_span_current(c);
    see("%s, %s\n", span->name, strcmp(span->parent_id, id) ? "a stranger's" : "its child");
    mcp_span_end(c, MCP_OK);
    span = mcp_span_current(c);
    return mcp_textf(c, "%s %s %d", span->kind, span->name, (int)span->end_ns);
}
static void see_span(void *user, const mcp_span *span) {
    (void)user;
    see("%s %s\n", span->name, span->end_ns ? "ended" : "is open");
}

TEST(span_current) {
    serve(see_spans);
    CHECK_STR(call(MODERN, "t", "{}"), J([{"type":"text","text":"nobody traces"}]));
    stop();
    desc.trace.func = see_span;
    start();
    CHECK_STR(call(MODERN, "t", "{}"), J([{"type":"text","text":"server tools/call t 0"}]));
    CHECK_STR(saw(), "inner, its child\ninner ended\ntools/call t ended\n");
    stop();
}

TEST(caller_of_each_era) {
    serve(see_caller);
    request("2025-06-18", "tools/call", "\"name\":\"raw\",\"_meta\":{\"x\":\"y\"}");
    CHECK(harness_is(saw(), "2025-06-18|conn||transcript|1|y|{}"));
    mcp_conn_identify(w.conn, "somebody");
    request("2024-11-05", "tools/call", "\"name\":\"raw\"");
    CHECK(harness_is(saw(), "2024-11-05|conn|somebody|transcript|1|no meta|{}"));
    result(MODERN, "raw", "{}"); /* the session is there, and is not asked */
    CHECK(harness_is(saw(), MODERN "|conn|somebody||||{}"));
    ask("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"raw\","
        "\"_meta\":{"
        "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"n\\u00e9\",\"version\":\"2\"},"
            "" HARNESS_META
        "}}}");
    CHECK(harness_is(saw(), MODERN "|conn|somebody|n\xC3\xA9|2||{}"));
    mcp_conn_identify(w.conn, NULL);
    ask("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"raw\","
        "\"_meta\":{"
        "\"io.modelcontextprotocol/clientInfo\":[1]," HARNESS_META "}}}");
    CHECK(harness_is(saw(), MODERN "|conn|||||{}"));
    end_after(0);
}

TEST(caller_can) { /* the same words in a session and in a request */
    static const struct { const char *capabilities; unsigned can; } rows[] = {
        { "{}", 0 }, { "{\"elicitation\":{}}", MCP_CAN_ASK },
        { "{\"elicitation\":{\"form\":{}}}", MCP_CAN_ASK },
        { "{\"elicitation\":{\"url\":{}}}", MCP_CAN_ASK_URL },
        { "{\"elicitation\":{\"form\":{},\"url\":{}}}", MCP_CAN_ASK | MCP_CAN_ASK_URL },
        { "{\"sampling\":{}}", MCP_CAN_SAMPLE },
        { "{\"sampling\":{\"tools\":{}},\"roots\":{}}",
          MCP_CAN_SAMPLE | MCP_CAN_SAMPLE_TOOLS | MCP_CAN_ROOTS },
        { "{\"extensions\":{\"io.modelcontextprotocol/ui\":{},\"io.modelcontextprotocol/tasks\":{"
          "}}}",
          MCP_CAN_APPS | MCP_CAN_TASKS },
        { "{\"elicitation\":[],\"extensions\":[1],\"sampling\":\"x\"}",
          MCP_CAN_ASK | MCP_CAN_SAMPLE } };
    serve(see_caller);
    for (size_t i = 0; i < LENGTH(rows); i++) {
        can = 99;
        ask(text_of("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
            "\"raw\","
                    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"" MODERN "\","
                    "\"io.modelcontextprotocol/clientCapabilities\":%s}}}%s%s",
                    rows[i].capabilities, "", ""));
        CHECK_INT(can, rows[i].can);
        ask(text_of("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"initialize\",\"params\":{"
            "\"protocolVersion\":"
                    "\"2025-11-25\",\"capabilities\":%s,\"clientInfo\":{\"name\":\"n\",\"version\":"
                        "\"v\"}}}"
                    "%s%s", rows[i].capabilities, "", ""));
        can = 99;
        ask("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":"
            "\"raw\"}}");
        CHECK_INT(can, rows[i].can);
    }
    seen.n = 0;
    end_after(0);
}

static mcp_call *kept; /* deferred */
HANDLER(defer_caller) {
    kept = c;
    see_caller(c);
    return mcp_defer(c);
}

/* whatever becomes of the session, the principal, the peer */
TEST(caller_lives_as_long_as_the_call) {
    for (int how = 0; how < 3; how++) {
        serve(defer_caller);
        mcp_conn_identify(w.conn, "somebody");
        request("2025-06-18", "tools/call", "\"name\":\"raw\"");
        if (how == 0) hello("2024-11-05");
        else if (how == 1) mcp_conn_identify(w.conn, "nobody");
        else mcp_conn_free(w.conn), w.conn = NULL;
        CHECK_STR(caller->client, "transcript");
        CHECK_STR(caller->client_version, "1");
        CHECK_STR(caller->principal, "somebody");
        CHECK_STR(mcp_get_raw(caller->capabilities, NULL, NULL), "{}");
        mcp_done(kept, MCP_OK);
        seen.n = 0;
        stop();
    }
}

/* ---- tools of the trade ---- */

HANDLER(sticks) { /* the first failure is what every later call returns */
    int first = mcp_block_end(c);
    CHECK_INT(first, MCP_MISUSE);
    CHECK_INT(mcp_text(c, "x"), first);
    CHECK_INT(mcp_textf(c, "%d", 1), first);
    CHECK_INT(mcp_image(c, "m", "x", 1), first);
    CHECK_INT(mcp_embed(c, "u:v", NULL), first);
    CHECK_INT(mcp_fail(c, "x"), first);
    CHECK_INT(mcp_progress(c, 1, 2, "x"), first);
    CHECK_INT(mcp_logf(c, MCP_LOG_ERROR, "%s", "x"), first);
    CHECK_INT(mcp_structured(c)->status, first);
    CHECK_INT(mcp_text_json(c)->status, first);
    CHECK_INT(mcp_block_meta(c)->status, first);
    CHECK_INT(mcp_result_meta(c)->status, first);
    CHECK_STR(mcp_format(c, "%d", 5), "5"); /* what needs no stream still works */
    CHECK(mcp_alloc(c, 10) != NULL);
    return MCP_OK;
}
TEST(errors_stick) {
    serve(sticks);
    CHECK_STR(failure("2025-11-25", "t", "{}"), "\"mcp_block_end without mcp_block_begin\"");
    end_after(0);
}

HANDLER(formats) {
    char *a = mcp_format(c, "%s-%05d", "x", 42), *b = mcp_format(c, "%s", a);
    CHECK_STR(a, "x-00042");
    CHECK(a != b);
    CHECK_STR(b, a);
    CHECK_STR(mcp_format(c, "%s", ""), "");
    CHECK_STR(mcp_format(c, "%.3s|%*d|%-4d|%x", "abcdef", 4, 1, 2, 255u), "abc|   1|2   |ff");
    return mcp_text(c, mcp_format(c, "%d%%", 7));
}
HANDLER(allocates) {
    static const char zeros[1000] = { 0 };
    for (size_t n = 1; n <= sizeof zeros; n *= 10) {
        char *p = (char *)mcp_alloc(c, n);
        CHECK(p && (uintptr_t)p % (2 * sizeof(void *)) == 0);
        CHECK_MEM(p, n, zeros, n);
        memset(p, 1, n);
    }
    CHECK(mcp_alloc(c, 0) != NULL);
    return MCP_OK;
}
static volatile size_t too_much = SIZE_MAX; /* so that the compiler does not see it coming */
HANDLER(allocates_all) { return mcp_alloc(c, too_much) ? MCP_OK : mcp_text(c, "x"); }

TEST(format_and_alloc) {
    serve(formats);
    CHECK_STR(call(MODERN, "t", "{}"), "[{\"type\":\"text\",\"text\":\"7%\"}]");
    does = allocates;
    CHECK_STR(failure(MODERN, "t", "{}"), "");
    does = allocates_all;
    CHECK_STR(result(MODERN, "t", "{}"), "");
    CHECK_STR(part(w.out.at, "error"), "{\"code\":-32603,\"message\":\"Out of memory\"}");
    end_after(0);
}

HANDLER(parses) {
    static const struct { const char *text; size_t n, at; } rows[] = {
        { "", 0, 0 }, { " \n\t ", 4, 4 }, { "{", 1, 1 }, { "[1,]", 4, 3 }, { "{\"a\":x}", 7, 5 },
        { "1 2", 3, 2 }, { "1\0", 2, 1 }, { "\"\xFF\"", 3, 1 }, { "\0", 1, 0 }, { "  x", 3, 2 },
        { "[[[[[[[[[[", 10, 8 } };
    size_t at = 99;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        CHECK(!mcp_parse(c, rows[i].text, rows[i].n, &at));
        if (!CHECK_INT(at, rows[i].at)) printf("    %s\n", rows[i].text);
        CHECK(!mcp_parse(c, rows[i].text, rows[i].n, NULL));
    }
    CHECK(!mcp_parse(NULL, "{}", 2, &at) && !mcp_parse(c, NULL, 2, &at) && at == 0);
    const mcp_json *v = mcp_parse(c, " {\"a\":[1,\"\\u0041\"]}\r\n", 21, &at);
    CHECK(v != NULL);
    CHECK_STR(mcp_get_str(mcp_at(mcp_get(v, "a"), 1), NULL), "A");
    CHECK(!mcp_next(v) && !mcp_key(v));
    v = mcp_parse(c, "12", 1, NULL); /* not terminated: the length counts */
    CHECK_INT(mcp_get_int(v, NULL), 1);
    mcp_put_json(mcp_structured(c), "v", v);
    return MCP_OK;
}
TEST(parse) { /* errors point at the byte */
    fresh();
    does = parses;
    desc.tools = tools;
    desc.limits.depth = 8;
    start();
    CHECK_STR(part(result(MODERN, "t", "{}"), "structuredContent"), "{\"v\":1}");
    end_after(0);
}

/* ---- progress ---- */

static struct { double done, total; const char *text; } steps[4];
HANDLER(proceeds) {
    for (size_t i = 0; i < LENGTH(steps); i++) mcp_progress(c, steps[i].done, steps[i].total,
        steps[i].text);
    return mcp_text(c, "done");
}

static const char *progress(const char *version, const char *token) {
    const char *out = request(version, "tools/call",
        text_of("\"name\":\"t\",\"_meta\":{%s%s%s}", *token ? "\"progressToken\":" : "", token,
            ""));
    const char *last = strstr(out, "{\"jsonrpc\":\"2.0\",\"id\":");
    CHECK(last && strstr(last, "done"));
    return keep(out, last ? (size_t)(last - out) : 0);
}

#define NOTE(token, rest) "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":" \
    "{\"progressToken\":" token "," rest "}}\n"

TEST(progress_tokens) { /* come back as they were; what is no token is none */
    static const char *const tokens[] = { "0", "1", "\"\"", "\"a\\u0062\"", "12345678901234567890",
                                          "1.0", "-0", "1e2" };
    static const char *const wrong[] = { "", "null", "true", "1.5", "[]", "{}" };
    serve(proceeds);
    memset(steps, 0, sizeof steps);
    steps[0].done = 1;
    for (size_t i = 0; i < LENGTH(tokens); i++)
        CHECK_STR(progress("2025-11-25", tokens[i]), text_of(NOTE("%s", "\"progress\":1%s%s"),
            tokens[i], "", ""));
    for (size_t i = 0; i < LENGTH(wrong); i++) CHECK_STR(progress("2025-11-25", wrong[i]), "");
    end_after(0);
}

TEST(progress_rises) { /* or is not told; a total and a text only if there are */
    serve(proceeds);
    steps[0].done = -1, steps[0].total = 0, steps[0].text = "below \"zero\"";
    steps[1].done = -1, steps[1].total = 9, steps[1].text = "again";
    steps[2].done = 0.5, steps[2].total = 2, steps[2].text = NULL;
    steps[3].done = 0.25, steps[3].total = 2, steps[3].text = NULL;
    CHECK_STR(progress("2025-06-18", "1"),
        NOTE("1", "\"progress\":-1,\"message\":\"below \\\"zero\\\"\"")
              NOTE("1", "\"progress\":0.5,\"total\":2"));
    CHECK_STR(progress("2024-11-05", "1"), NOTE("1", "\"progress\":-1") NOTE("1",
        "\"progress\":0.5,\"total\":2"));
    end_after(0);
}

HANDLER(progress_nan) { return mcp_progress(c, (double)NAN, 1, NULL), mcp_text(c, "x"); }
HANDLER(progress_infinite) { return mcp_progress(c, 1, (double)INFINITY, NULL), mcp_text(c, "x"); }
TEST(progress_is_finite) {
    static mcp_handler *const rows[] = { progress_nan, progress_infinite };
    for (size_t i = 0; i < 2; i++) {
        serve(rows[i]);
        const char *out = request("2025-11-25", "tools/call",
            "\"name\":\"t\",\"_meta\":{\"progressToken\":1}");
        CHECK(strstr(out, "\"progress was not finite\"") != NULL);
        end_after(0);
    }
}

/* ---- logs ---- */

HANDLER(logs) {
    for (int level = MCP_LOG_DEBUG; level <= MCP_LOG_EMERGENCY; level++) mcp_logf(c, level, "%d",
        level);
    return mcp_text(c, "done");
}

/* The levels of what was sent, a digit each. */
static const char *levels(const char *out) {
    char digits[20] = "";
    for (const char *p = out; (p = strstr(p, "notifications/message")) != NULL; p++) {
        const char *data = strstr(p, "\"data\":\"");
        if (data && strlen(digits) < 18) strncat(digits, data + 8, 1);
    }
    return keep(digits, strlen(digits));
}

#define SET_LEVEL(level) "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"logging/setLevel\"," \
    "\"params\":{\"level\":\"" level "\"}}"
#define CALL "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":" \
    "\"t\"}}"

TEST(log_levels_of_a_session) {
    serve(logs);
    hello("2025-11-25");
    CHECK_STR(levels(ask(CALL)), "2345678");
    CHECK_STR(part(ask(SET_LEVEL("error")), "result"), "{}");
    CHECK_STR(levels(ask(CALL)), "5678");
    ask(SET_LEVEL("emergency"));
    CHECK_STR(levels(ask(CALL)), "8");
    ask(SET_LEVEL("debug"));
    CHECK_STR(levels(ask(CALL)), "12345678");
    CHECK(strstr(ask(SET_LEVEL("ERROR")), "-32602") != NULL);
    CHECK(strstr(ask(SET_LEVEL("")), "-32602") != NULL);
    CHECK(strstr(ask("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"logging/setLevel\"}"),
        "-32602") != NULL);
    CHECK_STR(levels(ask(CALL)), "12345678");
    hello("2025-06-18"); /* a new session begins anew */
    CHECK_STR(levels(ask(CALL)), "2345678");
    CHECK(strstr(w.out.at, "{\"level\":\"info\",\"logger\":\"t\",\"data\":\"2\"}") != NULL);
    end_after(0);
}

TEST(log_level_of_a_request) { /* silent unless the request asks; the session does not matter */
    static const char with[] =
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":"
        "\"t\",\"_meta\":{\"io.modelcontextprotocol/logLevel\":\"%s%s%s\"," HARNESS_META "}}}";
    serve(logs);
    hello("2025-11-25");
    CHECK_STR(levels(request(MODERN, "tools/call", "\"name\":\"t\"")), "");
    CHECK_STR(levels(ask(text_of(with, "warning", "", ""))), "45678");
    CHECK_STR(levels(ask(text_of(with, "debug", "", ""))), "12345678");
    CHECK(strstr(ask(text_of(with, "loud", "", "")), "-32602") != NULL);
    end_after(0);
}

TEST(logs_nobody_declared) {
    fresh();
    does = logs;
    desc.tools = tools;
    start();
    hello("2025-11-25");
    CHECK(strstr(ask(SET_LEVEL("debug")), "-32601") != NULL);
    CHECK_STR(levels(ask(CALL)), "");
    CHECK_STR(levels(ask("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{"
        "\"name\":\"t\","
        "\"_meta\":{\"io.modelcontextprotocol/logLevel\":\"debug\"," HARNESS_META "}}}")), "");
    end_after(0);
}

HANDLER(log_values) {
    mcp_put_int(mcp_log_begin(c, MCP_LOG_ERROR), "n", 1);
    CHECK_INT(mcp_log_end(c), MCP_OK);
    mcp_put_str(mcp_log_begin(c, MCP_LOG_DEBUG), "secret", "x"); /* nobody wants it */
    CHECK_INT(mcp_log_end(c), MCP_OK);
    mcp_log_begin(c, MCP_LOG_ERROR);
    CHECK_INT(mcp_log_end(c), MCP_OK);
    mcp_writer *l = mcp_log_begin(c, MCP_LOG_ERROR); /* with everything else in between */
    mcp_put_int(l, "a", 1);
    mcp_progress(c, 1, 2, NULL);
    mcp_logf(c, MCP_LOG_ALERT, "%s", "between");
    mcp_text(c, "text");
    mcp_put_int(l, "b", 2);
    return mcp_log_end(c);
}
TEST(structured_logs) {
    static const char before[] =
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":";
    serve(log_values);
    const char *out = request("2025-11-25", "tools/call",
        "\"name\":\"t\",\"_meta\":{\"progressToken\":1}");
    CHECK(harness_is(out, text_of("%s\"error\",\"logger\":\"t\",\"data\":{\"n\":1}}}\n%s", before,
        before, "")));
    CHECK(!strstr(out, "secret"));
    CHECK(strstr(out, "\"data\":{}}") && strstr(out, "\"data\":{\"a\":1,\"b\":2}}"));
    CHECK(strstr(out, "between") < strstr(out, "\"a\":1"));
    end_after(0);
}

HANDLER(log_level_wrong) { return mcp_logf(c, 9, "%s", "x"), MCP_OK; }
HANDLER(log_level_zero) { return mcp_log_begin(c, 0), MCP_OK; }
HANDLER(log_end_alone) { return mcp_log_end(c); }
HANDLER(log_nan) {
    mcp_put_num(mcp_log_begin(c, MCP_LOG_ERROR), "n", (double)NAN);
    mcp_log_end(c);
    return MCP_OK;
}
HANDLER(log_format) {
    const char *format = "%n";
    mcp_logf(c, MCP_LOG_ERROR, format, 1);
    return MCP_OK;
}
TEST(log_misuse) {
    static const struct { mcp_handler *handler; const char *why; } rows[] = {
        { log_level_wrong, "\"no such log level\"" }, { log_level_zero, "\"no such log level\"" },
        { log_end_alone, "\"mcp_log_end without mcp_log_begin\"" },
        { log_nan, "\"a number was not finite\"" }, { log_format,
            "\"a format has a % that mcp.h does not know\"" } };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        serve(rows[i].handler);
        CHECK_STR(failure("2025-11-25", "t", "{}"), rows[i].why);
        end_after(0);
    }
}

HANDLER(log_flood) {
    for (int i = 0; i < 20; i++) mcp_logf(c, MCP_LOG_ERROR, "%d", i);
    return MCP_OK;
}
TEST(log_flood_is_dammed) { /* so many in a second, and in the next one again */
    fresh();
    does = log_flood;
    desc.tools = tools;
    desc.flags = MCP_LOGGING;
    desc.limits.logs = 5;
    start();
    hello("2025-11-25");
    w.now = INT64_C(5000000000);
    CHECK_INT(strlen(levels(ask(CALL))), 5);
    CHECK_INT(strlen(levels(ask(CALL))), 0);
    w.now = INT64_C(6000000000);
    CHECK_INT(strlen(levels(ask(CALL))), 5);
    end_after(0);
}

/* ---- results against their own table ---- */

HANDLER(sum_good) { return mcp_put_int(mcp_structured(c), "sum", 3), MCP_OK; }
HANDLER(sum_text) { return mcp_put_str(mcp_structured(c), "sum", "3"), MCP_OK; }
HANDLER(sum_more) {
    mcp_put_int(mcp_structured(c), "sum", 3);
    mcp_put_int(mcp_structured(c), "x\x01", 3);
    return MCP_OK;
}
HANDLER(sum_none) { return mcp_text(c, "no value"); }
HANDLER(sum_empty) { return mcp_structured(c), MCP_OK; }
HANDLER(sum_array) { return mcp_put_int(mcp_structured(c), NULL, 3), MCP_OK; }
HANDLER(sum_failed) { return mcp_fail(c, "on purpose"); }
HANDLER(sum_error) { return mcp_error(c, 5, "on purpose"); }

TEST(results_fit_their_table) { /* in every version, also where the value is not sent */
    static const struct { mcp_handler *handler; const char *why; } rows[] = {
        { sum_good, "" }, { sum_text, "\"Invalid result: sum: expected integer\"" },
        { sum_more, "\"Invalid result: x\\u0001: unknown argument\"" },
        { sum_none, "\"Invalid result: no structured content\"" },
        { sum_empty, "\"Invalid result: sum: missing\"" },
        { sum_array, "\"Invalid result: expected object\"" }, { sum_failed, "\"on purpose\"" } };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        serve(rows[i].handler);
        for (size_t v = 0; v < LENGTH(versions); v++) {
            CHECK_STR(failure(versions[v], "out", "{}"), rows[i].why);
            if (i) CHECK_STR(part(part(w.out.at, "result"), "structuredContent"), "");
        }
        end_after(0);
    }
    serve(sum_error);
    CHECK_STR(result(MODERN, "out", "{}"), "");
    CHECK_STR(part(w.out.at, "error"), "{\"code\":5,\"message\":\"on purpose\"}");
    does = sum_text; /* a raw schema is the author's to keep */
    CHECK_STR(failure(MODERN, "shape", "{}"), "");
    end_after(0);
}

/* ---- cancelling ---- */

static const char *meanwhile; /* arrives while the handler runs */
static bool gave_up;
HANDLER(polls) {
    const char *more = meanwhile;
    meanwhile = NULL;
    if (more) mcp_feed(w.conn, more, strlen(more));
    gave_up = mcp_cancelled(c);
    mcp_progress(c, 1, 2, NULL);
    mcp_logf(c, MCP_LOG_ERROR, "%s", "after");
    return mcp_text(c, gave_up ? "dropped" : "kept");
}

#define CANCEL(id) "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{" \
    "\"requestId\":" id ",\"reason\":\"r\"}}\n"
#define TOOL(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\",\"params\":{" \
    "\"name\":\"t\",\"_meta\":{\"progressToken\":1}}}"
#define PING(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"ping\"}"

TEST(cancelled_while_it_runs) { /* nothing more is heard of it; pings are answered meanwhile */
    static const char *const ids[] = { "0", "1", "\"1\"", "\"\"", "1.0", "12345678901234567890",
        "-1" };
    for (size_t i = 0; i < LENGTH(ids); i++) {
        serve(polls);
        hello("2025-11-25");
        meanwhile = text_of(PING("\"p\"") "\n" CANCEL("%s%s%s"), ids[i], "", "");
        CHECK_STR(ask(text_of(TOOL("%s%s%s"), ids[i], "", "")),
            "{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"result\":{}}");
        CHECK(gave_up);
        end_after(0);
    }
}

TEST(cancelled_by_another_name) { /* 1 is not "1"; 1 is 1.0; what is no id cancels nothing */
    static const struct { const char *id, *cancel; bool works; } rows[] = {
        { "1", "\"1\"", false }, { "\"1\"", "1", false }, { "1", "2", false }, { "1", "1.0", true },
        { "1", "10e-1", true }, { "\"a\"", "\"\\u0061\"", true },
          { "\"a\\u0000\"", "\"a\"", false },
        { "1", "null", false }, { "1", "[1]", false }, { "1", "{}", false }, { "1", "true", false },
        { "9007199254740993", "9007199254740992", false } };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        serve(polls);
        hello("2025-11-25");
        meanwhile = text_of(CANCEL("%s%s%s"), rows[i].cancel, "", "");
        ask(text_of(TOOL("%s%s%s"), rows[i].id, "", ""));
        if (!CHECK(gave_up == rows[i].works)) printf("    %s, %s\n", rows[i].id, rows[i].cancel);
        end_after(0);
    }
}

TEST(cancelled_without_sense) { /* before anything, after everything, without params */
    static const char *const rows[] = { CANCEL("1"),
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}\n",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":[1,2]}\n",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":null}\n",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{}}\n" };
    serve(polls);
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < LENGTH(rows); i++) {
            CHECK_INT(feed(rows[i], strlen(rows[i])), MCP_OK);
            CHECK_INT(w.out.n, 0);
        }
        hello("2025-11-25");
        CHECK(strstr(ask(TOOL("1")), "kept") != NULL);
    }
    end_after(0);
}

TEST(cancelled_in_the_queue) { /* it never runs; what waits behind it does */
    serve(polls);
    hello("2025-11-25");
    meanwhile = TOOL("2") "\n" TOOL("3") "\n" CANCEL("2");
    const char *out = ask(TOOL("1"));
    CHECK(strstr(out, "\"id\":1") && !strstr(out, "\"id\":2") && strstr(out, "\"id\":3"));
    end_after(0);
}

TEST(initialize_is_not_cancelled) { /* 2025-11-25: the client must not; also not while it waits */
    char again[sizeof HARNESS_HELLO + 64];
    snprintf(again, sizeof again, HARNESS_HELLO, "2025-06-18");
    serve(polls);
    hello("2025-11-25");
    meanwhile = text_of("%s%s%s", again, CANCEL("\"@init\""), "");
    CHECK(strstr(ask(TOOL("1")), "\"id\":\"@init\",\"result\"") != NULL);
    end_after(0);
}

TEST(cancelled_in_one_batch) { /* a cancellation beside what it cancels has arrived, too */
    serve(polls);
    hello("2025-03-26");
    gave_up = false;
    const char *out = ask("[" TOOL("1")
        ",{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
                          "\"params\":{\"requestId\":1}}," PING("2") "]");
    CHECK(!strstr(out, "\"id\":1,"));
    CHECK(strstr(out, "\"id\":2") != NULL);
    end_after(0);
}

/* ---- deferring ---- */

static int told; /* how often mcp_on_cancel did */
static void hear(void *arg) { ++*(int *)arg; }
HANDLER(defers) {
    kept = c;
    told = 0;
    mcp_on_cancel(c, hear, &told);
    return mcp_defer(c);
}

static const char *finish(int status) {
    w.out.n = 0;
    mcp_done(kept, status);
    harness_add(&w.out, "", 0);
    return w.out.at;
}

#define MODERN_CALL(id, tool) "{\"jsonrpc\":\"2.0\",\"id\":" id "," \
    "\"method\":\"tools/call\",\"params\":{" \
    "\"name\":\"" tool "\",\"_meta\":{\"progressToken\":7," HARNESS_META "}}}"

TEST(deferred) { /* everything else goes on meanwhile; the answer comes when it is done */
    serve(defers);
    CHECK_STR(ask(MODERN_CALL("1", "t")), "");
    CHECK(strstr(ask(MODERN_CALL("2", "fine")), "\"id\":2") != NULL);
    CHECK(strstr(ask(MODERN_CALL("1", "fine")), "-32600") != NULL); /* the id is in flight */
    w.out.n = 0;
    mcp_progress(kept, 1, 2, "half");
    harness_add(&w.out, "", 0);
    CHECK(harness_is(w.out.at, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\""));
    CHECK(!mcp_cancelled(kept));
    mcp_text(kept, "late");
    const char *out = finish(MCP_OK);
    CHECK(harness_is(out, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"complete\","
        "\"content\":["
                     "{\"type\":\"text\",\"text\":\"late\"}],\"isError\":false,"));
    CHECK(strstr(ask(MODERN_CALL("1", "fine")), "\"result\"") != NULL); /* the id is free again */
    CHECK_INT(told, 0);
    end_after(0);
}

TEST(deferred_ends) { /* in each of the ways in which a handler ends */
    serve(defers);
    for (int how = 0; how < 5; how++) {
        ask(MODERN_CALL("1", "t"));
        if (how == 1) mcp_fail(kept, "failed");
        if (how == 2) mcp_error(kept, 77, "refused");
        if (how == 3) mcp_block_end(kept);
        const char *out = finish(how == 4 ? MCP_IO : MCP_OK);
        static const char *const expected[] = { "\"text\":\"{}\"", "\"failed\"}],\"isError\":true",
            "{\"code\":77,",
            "mcp_block_end without mcp_block_begin", "the other end is gone" };
        if (!CHECK(strstr(out, expected[how]) != NULL)) puts(out);
    }
    end_after(0);
}

HANDLER(done_at_once) { /* before the handler has returned */
    mcp_defer(c);
    mcp_text(c, "quick");
    mcp_done(c, MCP_OK);
    return MCP_PENDING;
}
HANDLER(defers_and_returns) { /* it is open all the same: only mcp_done ends it */
    kept = c;
    mcp_defer(c);
    return mcp_text(c, "so far");
}
TEST(deferred_and_answered_at_once) {
    serve(done_at_once);
    CHECK_STR(call(MODERN, "t", "{}"), "[{\"type\":\"text\",\"text\":\"quick\"}]");
    does = defers_and_returns;
    CHECK_STR(ask(MODERN_CALL("1", "t")), "");
    CHECK(strstr(finish(MCP_OK), "so far") != NULL);
    end_after(0);
}

TEST(deferred_and_cancelled) { /* told once; to be done all the same; never answered */
    serve(defers);
    ask(MODERN_CALL("1", "t"));
    CHECK_INT(feed(CANCEL("1"), sizeof CANCEL("1") - 1), MCP_OK);
    CHECK_INT(feed(CANCEL("1"), sizeof CANCEL("1") - 1), MCP_OK);
    CHECK_INT(told, 1);
    CHECK(mcp_cancelled(kept));
    mcp_on_cancel(kept, hear, &told); /* too late to wait: at once */
    CHECK_INT(told, 2);
    mcp_on_cancel(kept, NULL, NULL);
    mcp_progress(kept, 1, 2, NULL);
    mcp_text(kept, "nobody reads this");
    CHECK_STR(finish(MCP_OK), "");
    end_after(0);
}

static void done_when_told(void *arg) {
    (void)arg;
    mcp_done(kept, MCP_CANCELLED);
    told++;
}
HANDLER(defers_until_told) {
    kept = c;
    told = 0;
    mcp_on_cancel(c, done_when_told, NULL);
    return mcp_defer(c);
}
/* the callback may be where the call ends: cancelled, peer gone, server gone */
TEST(done_when_told) {
    for (int how = 0; how < 3; how++) {
        serve(defers_until_told);
        ask(MODERN_CALL("1", "t"));
        if (how == 0) ask(CANCEL("1"));
        if (how == 1) mcp_conn_free(w.conn), w.conn = NULL;
        stop();
        CHECK_INT(told, 1);
    }
}

TEST(deferred_without_its_peer) { /* valid, cancelled and deaf until it is done */
    serve(defers);
    ask(MODERN_CALL("1", "t"));
    size_t before = w.writes;
    mcp_conn_free(w.conn);
    CHECK_INT(told, 1);
    CHECK(mcp_cancelled(kept));
    CHECK_STR(mcp_caller_of(kept)->version, MODERN);
    mcp_text(kept, "x");
    mcp_logf(kept, MCP_LOG_ERROR, "%s", "x");
    mcp_progress(kept, 1, 1, "x");
    mcp_done(kept, MCP_OK);
    CHECK_INT(w.writes, before);
    CHECK(harness_connect(&w));
    end_after(0);
}

TEST(deferred_when_the_server_goes) { /* told, and gone: no leak */
    serve(defers);
    for (int i = 0; i < 3; i++) ask(i == 0 ? MODERN_CALL("1", "t") : i == 1 ? MODERN_CALL("2", "t")
                                                                        : MODERN_CALL("3", "t"));
    stop();
    CHECK_INT(told, 3); /* of the last one, which all share */
}

TEST(deferred_after_the_end_of_input) { /* answers still go out */
    serve(defers);
    ask(MODERN_CALL("1", "t"));
    CHECK_INT(mcp_feed(w.conn, NULL, 0), MCP_OK);
    mcp_text(kept, "late");
    CHECK(strstr(finish(MCP_OK), "late") != NULL);
    stop();
}

TEST(deferred_beyond_the_limit) { /* refused, and room again when one is done */
    fresh();
    does = defers;
    desc.tools = tools;
    desc.limits.calls = 2;
    start();
    ask(MODERN_CALL("1", "t"));
    mcp_call *first = kept;
    ask(MODERN_CALL("2", "t"));
    CHECK(strstr(ask(MODERN_CALL("3", "t")),
        "{\"code\":-32603,\"message\":\"Too many calls in flight\"}") != NULL);
    CHECK(strstr(ask(PING("4")), "\"result\"") != NULL);
    finish(MCP_OK);
    kept = first;
    finish(MCP_OK);
    end_after(0);
}

TEST(deferred_in_a_batch) { /* the array waits for all of it */
    serve(defers);
    hello("2025-03-26");
    CHECK_STR(ask("[" TOOL("1") "," PING("2") "]"), "");
    mcp_text(kept, "x");
    const char *out = finish(MCP_OK);
    CHECK(*out == '[' && strstr(out, "\"id\":1") && strstr(out, "\"id\":2"));
    ask("[" TOOL("1") "," PING("2") "]");
    ask(CANCEL("1"));
    CHECK_STR(finish(MCP_OK), "[{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}]\n");
    ask("[" TOOL("1") "," PING("2") "]");
    mcp_conn_free(w.conn);
    CHECK_STR(finish(MCP_OK), "");
    CHECK(harness_connect(&w));
    end_after(0);
}

HANDLER(prompt_defers) {
    kept = c;
    return mcp_defer(c);
}
TEST(deferred_prompts_and_resources) {
    serve(prompt_defers);
    request(MODERN, "prompts/get", "\"name\":\"p\"");
    mcp_role(kept, MCP_ASSISTANT);
    mcp_text(kept, "m");
    CHECK(strstr(finish(MCP_OK),
        "{\"role\":\"assistant\",\"content\":{\"type\":\"text\",\"text\":\"m\"}}") != NULL);
    request(MODERN, "resources/read", "\"uri\":\"r://x\"");
    CHECK_STR(mcp_uri(kept), "r://x");
    mcp_text(kept, "m");
    CHECK(strstr(finish(MCP_OK),
        "{\"uri\":\"r://x\",\"mimeType\":\"text/plain\",\"text\":\"m\"}") != NULL);
    end_after(0);
}

HANDLER(list_defers) {
    int rc = mcp_defer(c);
    CHECK_INT(rc, MCP_MISUSE);
    return rc;
}
TEST(lists_cannot_wait) { /* nor completions: they are answered at once */
    serve(fine);
    lists = list_defers;
    CHECK(strstr(request(MODERN, "resources/list", ""), "-32603") != NULL);
    CHECK(strstr(request(MODERN, "completion/complete",
        "\"ref\":{\"type\":\"ref/resource\",\"uri\":\"r://{c}\"},"
                         "\"argument\":{\"name\":\"c\",\"value\":\"\"}"), "-32603") != NULL);
    end_after(0);
}

/* ---- results that go out while they are written ---- */

static struct { size_t size; int how; } large;
static char filler[2048];
HANDLER(writes_large) {
    mcp_block_begin(c, MCP_TEXT, NULL);
    for (size_t n = 0; n < large.size; n += sizeof filler) mcp_block_write(c, filler,
        sizeof filler);
    if (large.how == 1) mcp_progress(c, 1, 2, "too late");
    if (large.how == 2) return mcp_fail(c, "broke");
    if (large.how == 3) return mcp_error(c, 5, "broke");
    if (large.how == 4) mcp_feed(w.conn, CANCEL("1"), sizeof CANCEL("1") - 1);
    if (large.how == 5) return MCP_IO;
    mcp_block_end(c);
    mcp_put_str(mcp_structured(c), "s", "v");
    if (large.how == 6) mcp_put_int(mcp_structured(c), NULL, 1);
    if (large.how == 7) return mcp_text(c, "second"), mcp_block_end(c);
    return MCP_OK;
}

static const char *large_call(size_t size, int how) {
    memset(filler, 'x', sizeof filler);
    large.size = size, large.how = how;
    return ask(MODERN_CALL("1", "raw"));
}

TEST(large_results_stream) { /* little is kept; each line is whole and valid whatever happens */
    static const char *const ends[] = { "\"structuredContent\":{\"s\":\"v\"}",
        "\"structuredContent\"", "\"broke\"",
        "\"broke\"", "\"isError\":", "gone", "no key in an object", "mcp_block_end without" };
    for (int how = 0; how < 8; how++) {
        fresh();
        does = writes_large;
        desc.tools = tools;
        desc.limits.spill = 16384;
        start();
        w.mem.peak = w.mem.live;
        const char *out = large_call(1000000, how);
        CHECK(strlen(out) > 1000000);
        CHECK(w.mem.peak < 400000);
        size_t first = strcspn(out, "\n");
        if (!CHECK(harness_is_json(out, first) && harness_is_message(out, first)))
            printf("    %d: %.100s ... %s\n", how, out, out + strlen(out) - 200);
        if (!CHECK(strstr(out, ends[how]) != NULL)) printf("    %d: %.200s\n", how,
            out + first - 200);
        CHECK(strstr(out, how > 1 && how != 4 ? "\"isError\":true" : "\"isError\":false") != NULL);
        CHECK(!strstr(out, "notifications/progress")); /* behind its own answer it would be wrong */
        end_after(how == 6);
    }
}

TEST(large_results_of_old_versions_are_kept) { /* the version may still turn them into an error */
    fresh();
    does = writes_large;
    desc.tools = tools;
    desc.limits.spill = 16384;
    start();
    memset(filler, 'x', sizeof filler);
    large.size = 1000000, large.how = 2;
    CHECK_STR(failure("2024-11-05", "raw", "{}"), "\"broke\"");
    large.how = 0;
    CHECK(strlen(call("2024-11-05", "raw", "{}")) > 1000000);
    end_after(0);
}

HANDLER(large_value) { /* streams, and then has more beside it */
    writes_large(c);
    mcp_writer *s = mcp_structured(c);
    for (int i = 0; i < 3000; i++) mcp_put_int(s, "key that is long enough", i);
    mcp_writer *m = mcp_result_meta(c);
    for (int i = 0; i < 3000; i++) mcp_put_int(m, "key that is long enough", i);
    return MCP_OK;
}

HANDLER(large_blocks) { /* streams, and then adds blocks of every kind, larger than its buffer */
    mcp_annotations a = { MCP_USER, 0.5, "2026" };
    mcp_resource to = { .uri = "u" };
    writes_large(c);
    mcp_textf(c, "%5000s", "x");
    mcp_annotate(c, &a);
    mcp_put_strf(mcp_block_meta(c), "m", "%3000s", "y");
    mcp_image(c, "m", filler, sizeof filler);
    mcp_embed(c, "u:v", NULL);
    mcp_put_strf(mcp_text_json(c), "j", "%9000s", "z");
    mcp_link(c, &to);
    mcp_annotate(c, &a);
    return mcp_textf(c, "%20000s", "x");
}

static void large_without_memory(mcp_handler *handler) {
    for (size_t n = 1; n < 100; n++) {
        fresh();
        does = handler;
        desc.tools = tools;
        desc.limits.spill = 4096;
        start();
        w.mem.fail_at = w.mem.calls + n;
        const char *out = large_call(100000, 0);
        if (!CHECK(harness_is_json(out, strlen(out)) && harness_is_message(out, strlen(out))))
            printf("    allocation %lu: ...%s\n", (unsigned long)n, out + strlen(out) - 100);
        bool done = !w.mem.failed;
        w.mem.fail_at = 0;
        end_after(0);
        if (done) break;
    }
}
TEST(large_results_without_memory) { /* whichever allocation fails: lines, and valid ones */
    large_without_memory(large_value);
    large_without_memory(large_blocks);
}

HANDLER(large_deferred) {
    kept = c;
    writes_large(c);
    return mcp_defer(c);
}
TEST(large_and_deferred) { /* others wait for the end of its line, and memory stays bounded */
    fresh();
    does = large_deferred;
    desc.tools = tools;
    desc.limits.spill = 16384;
    desc.limits.message = 100000;
    start();
    large_call(100000, 0);
    w.mem.peak = w.mem.live;
    for (int i = 0; i < 20000; i++) CHECK_INT(feed(MODERN_CALL("\"again\"", "fine") "\n",
                                                   sizeof MODERN_CALL("\"again\"", "fine")),
                                                       MCP_OK);
    /* what is fed and cannot be served yet is kept as it came; a loop of ours stops reading */
    CHECK(w.mem.peak < 1000000 + 3 * 20000 * sizeof MODERN_CALL("\"again\"", "fine"));
    CHECK(inside_held(w.conn) <= 2 * 16384);
    const char *out = finish(MCP_OK);
    CHECK(strstr(out, "\"again\"") != NULL);
    CHECK(harness_is_json(out + strcspn(out, "\n") + 1, strcspn(out + strcspn(out, "\n") + 1,
        "\n")));
    end_after(0);
}

int main(void) {
    RUN(arguments);
    RUN(arguments_may_be_missing);
    RUN(users);
    RUN(span_current);
    RUN(caller_of_each_era);
    RUN(caller_can);
    RUN(caller_lives_as_long_as_the_call);
    RUN(errors_stick);
    RUN(format_and_alloc);
    RUN(parse);
    RUN(progress_tokens);
    RUN(progress_rises);
    RUN(progress_is_finite);
    RUN(log_levels_of_a_session);
    RUN(log_level_of_a_request);
    RUN(logs_nobody_declared);
    RUN(structured_logs);
    RUN(log_misuse);
    RUN(log_flood_is_dammed);
    RUN(results_fit_their_table);
    RUN(cancelled_while_it_runs);
    RUN(cancelled_by_another_name);
    RUN(cancelled_without_sense);
    RUN(cancelled_in_the_queue);
    RUN(initialize_is_not_cancelled);
    RUN(cancelled_in_one_batch);
    RUN(deferred);
    RUN(deferred_ends);
    RUN(deferred_and_answered_at_once);
    RUN(deferred_and_cancelled);
    RUN(done_when_told);
    RUN(deferred_without_its_peer);
    RUN(deferred_when_the_server_goes);
    RUN(deferred_after_the_end_of_input);
    RUN(deferred_beyond_the_limit);
    RUN(deferred_in_a_batch);
    RUN(deferred_prompts_and_resources);
    RUN(lists_cannot_wait);
    RUN(large_results_stream);
    RUN(large_results_of_old_versions_are_kept);
    RUN(large_results_without_memory);
    RUN(large_and_deferred);
    free(seen.at);
    return DONE();
}
