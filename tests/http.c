/* http.c - what requests over HTTP mean: 2026-07-28 with its headers, sessions of the older
   versions, streams that resume, who may ask, and the transport of 2024-11-05 */
#include "web.h"

/* ---- a server ---- */

static mcp_call *held[8];
static unsigned count, cancelled;

static void be_told(void *arg) {
    (void)arg;
    cancelled++;
}
static int later(mcp_call *c) {
    held[count++ % 8] = c;
    mcp_on_cancel(c, be_told, NULL);
    return mcp_defer(c);
}
static int echo(mcp_call *c) { return mcp_text(c, mcp_arg_str(c, "text")); }
static int steps(mcp_call *c) {
    mcp_progress(c, 1, 2, "half");
    return mcp_text(c, "done");
}
static int logs(mcp_call *c) {
    mcp_logf(c, MCP_LOG_WARNING, "careful");
    return mcp_text(c, "done");
}
static int big(mcp_call *c) {
    char x[100];
    memset(x, 'x', sizeof x);
    mcp_progress(c, 1, 2, NULL);
    mcp_block_begin(c, MCP_TEXT, NULL);
    for (int i = 0; i < 300; i++) mcp_block_write(c, x, sizeof x);
    return mcp_block_end(c);
}
static int big_and_logs(mcp_call *c) {
    big(c);
    mcp_logf(c, MCP_LOG_WARNING, "written");
    return MCP_OK;
}
static int who(mcp_call *c) {
    const mcp_caller *by = mcp_caller_of(c);
    return mcp_textf(c, "%s|%s|%s|%s|%s", by->transport, by->principal, by->session, by->version,
                     mcp_header(c, "x-TEST"));
}
static int hello_prompt(mcp_call *c) { return mcp_text(c, "hello"); }

static const mcp_arg text_args[] = { { .name = "text" }, { 0 } };
static const mcp_arg where_args[] = {
    { .name = "zone", .header = "Zone" },
    { .name = "deep", .type = MCP_OBJECT, .of = text_args }, { 0 } };
static const mcp_arg routed_args[] = {
    { .name = "region", .flags = MCP_NULLABLE, .header = "Region" },
    { .name = "count", .type = MCP_INTEGER, .header = "Count" },
    { .name = "fast", .type = MCP_BOOLEAN, .header = "Fast" },
    { .name = "where", .type = MCP_OBJECT, .of = where_args }, { .name = "text" }, { 0 } };
static const mcp_tool tools[] = {
    { .name = "echo", .args = text_args, .call = echo }, { .name = "later", .call = later },
    { .name = "steps", .call = steps }, { .name = "logs", .call = logs },
    { .name = "big", .call = big }, { .name = "big_and_logs", .call = big_and_logs },
    { .name = "who", .call = who },
    { .name = "routed", .args = routed_args, .call = echo }, { 0 } };
static const mcp_prompt prompts[] = {
    { .name = "gr\xC3\xB6\xC3\x9F" "e", .get = hello_prompt },
    { .name = "=?base64?x?=", .get = hello_prompt }, { .name = "hello", .get = hello_prompt },
    { 0 } };
static const mcp_resource resources[] = {
    { .uri = "file:///a", .name = "a", .text = "A" },
    { .uri = "file:///\xC3\xA4", .name = "umlaut", .text = "U" }, { 0 } };

static void begin(void) {
    desc.tools = tools;
    desc.prompts = prompts;
    desc.resources = resources;
    desc.flags |= MCP_LOGGING | MCP_SUBSCRIBE;
    desc.changes = MCP_TOOLS | MCP_RESOURCES | MCP_PROMPTS;
    count = cancelled = 0;
    serve();
}
static void end(void) {
    stop();
    fresh();
}

/* ---- asking ---- */

#define ALL "[\"2026-07-28\",\"2025-11-25\",\"2025-06-18\",\"2025-03-26\",\"2024-11-05\"]"
#define VERSION "MCP-Protocol-Version: 2026-07-28\n"
#define META "\"_meta\":{" HARNESS_META "}"
#define BODY(method, params) "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"" method "\"," \
    "\"params\":{" params "}}"
#define PING "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"
#define LIST BODY("tools/list", META)
#define LISTS JSON VERSION "Mcp-Method: tools/list\n"
#define CALLS(name) JSON VERSION "Mcp-Method: tools/call\nMcp-Name: " name "\n"
#define CALL(name, args) BODY("tools/call", "\"name\":\"" name "\",\"arguments\":" args "," META)
#define DONE_NOTE "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}"

/* "404 -32601 "x" Method not found", "200 1", "202": status, code, id and message. */
static const char *outcome(const reply *r) {
    char status[16];
    snprintf(status, sizeof status, "%d", r->status);
    if (!r->body.n) return keep(status, strlen(status));
    const char *error = part(r->body.at, "error"), *id = part(r->body.at, "id");
    if (!*error) return text_of("%s %s%s", status, id, "");
    const char *start = text_of("%s %s %s", status, part(error, "code"), *id ? id : "none");
    size_t n = strlen(part(error, "message"));
    return text_of("%s %s%s", start, keep(part(error, "message") + 1, n - 2), "");
}

typedef struct fault { const char *headers, *body, *outcome; } fault;

static void check_faults(const fault *rows, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const reply *r = post(rows[i].headers, rows[i].body);
        if (!CHECK_STR(outcome(r), rows[i].outcome)) printf("    row:   %u\n", (unsigned)i);
        CHECK_INT(r->rc, MCP_OK);
        CHECK(r->last);
    }
}

/* ---- 2026-07-28 ---- */

TEST(a_modern_request_is_answered_with_one_json_object) {
    begin();
    const reply *r = post(CALLS("echo"), CALL("echo", "{\"text\":\"hi\"}"));
    CHECK_INT(r->rc, MCP_OK);
    CHECK_STR(outcome(r), "200 \"x\"");
    CHECK_STR(r->head.at, "Content-Type: application/json\n");
    CHECK_INT(r->parts, 1);
    CHECK_STR(part(part(r->body.at, "result"), "content"), "[{\"type\":\"text\",\"text\":\"hi\"}]");
    r = post(LISTS "Mcp-Session-Id: junk\nLast-Event-ID: 7-7\nMcp-Name: ignored\n", LIST);
    CHECK_STR(outcome(r), "200 \"x\""); /* what has no meaning here is ignored */
    CHECK_STR(header(r, "Mcp-Session-Id"), "");
    r = post("cOnTeNt-tYpE: application/json\naccept: */*\nmcp-protocol-version: 2026-07-28\n"
             "MCP-METHOD: tools/list\n", LIST);
    CHECK_STR(outcome(r), "200 \"x\"");
    end();
}

TEST(modern_faults_are_found_in_order_and_echo_the_id) {
    static const fault rows[] = {
        { LISTS, "", "400 -32700 null Parse error" },
        { LISTS, "{", "400 -32700 null Parse error" },
        { LISTS, "{\"\xFF\":1}", "400 -32700 null Parse error" },
        { LISTS, LIST LIST, "400 -32700 null Parse error" },
        { LISTS, "7", "400 -32600 null Invalid Request" },
        { LISTS, "null", "400 -32600 null Invalid Request" },
        { LISTS, "[]", "400 -32600 null Invalid Request" },
        { LISTS, "[" LIST "]", "400 -32600 null Invalid Request" },
        { LISTS, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
          "400 -32600 null Invalid Request" },
        { LISTS, J({"id":1,"method":"tools/list"}), "400 -32600 1 Invalid Request" },
        { LISTS, J({"jsonrpc":"2.0","id":null,"method":"tools/list"}),
          "400 -32600 null Invalid Request" },
        { LISTS, J({"jsonrpc":"2.0","id":1.5,"method":"tools/list"}),
          "400 -32600 null Invalid Request" },
        /* _meta comes before headers */
        { JSON VERSION, J({"jsonrpc":"2.0","id":1,"method":"nope"}),
          "400 -32602 1 Missing _meta key io.modelcontextprotocol/protocolVersion" },
        { JSON VERSION, BODY("nope", "\"_meta\":{}"),
          "400 -32602 \"x\" Missing _meta key io.modelcontextprotocol/protocolVersion" },
        { JSON, BODY("nope", "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":7}"),
          "400 -32602 \"x\" Invalid _meta key io.modelcontextprotocol/protocolVersion" },
        { JSON, BODY("nope", "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"1\"}"),
          "400 -32602 \"x\" Missing _meta key io.modelcontextprotocol/clientCapabilities" },
        { JSON, BODY("nope", "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"1\","
                     "\"io.modelcontextprotocol/clientCapabilities\":[]}"),
          "400 -32602 \"x\" Invalid _meta key io.modelcontextprotocol/clientCapabilities" },
        { JSON, BODY("nope", "\"_meta\":{\"io.modelcontextprotocol/clientCapabilities\":{}}"),
          "400 -32602 \"x\" Missing _meta key io.modelcontextprotocol/protocolVersion" },
        /* the version */
        { JSON, BODY("nope", META),
          "400 -32020 \"x\" Header mismatch: MCP-Protocol-Version header is required." },
        { JSON "MCP-Protocol-Version: 2025-11-25\n", BODY("nope", META), "400 -32020 \"x\" Header "
          "mismatch: MCP-Protocol-Version header '2025-11-25' does not match body value "
          "'2026-07-28'." },
        { JSON VERSION VERSION, BODY("nope", META),
          "400 -32020 \"x\" Header mismatch: MCP-Protocol-Version header is given twice." },
        { JSON "MCP-Protocol-Version: =?base64?MjAyNi0wNy0yOA==?=\n", BODY("nope", META),
          "400 -32020 \"x\" Header mismatch: MCP-Protocol-Version header "
          "'=?base64?MjAyNi0wNy0yOA==?=' does not match body value '2026-07-28'." },
        { JSON "MCP-Protocol-Version: v1\n", BODY("nope", "\"_meta\":{"
          "\"io.modelcontextprotocol/protocolVersion\":\"v999.0.0\","
          "\"io.modelcontextprotocol/clientCapabilities\":{}}"), "400 -32020 \"x\" Header mismatch:"
          " MCP-Protocol-Version header 'v1' does not match body value 'v999.0.0'." },
        { JSON "MCP-Protocol-Version: v1\n", BODY("nope", "\"_meta\":{"
          "\"io.modelcontextprotocol/protocolVersion\":\"v1\","
          "\"io.modelcontextprotocol/clientCapabilities\":{}}"),
          "400 -32022 \"x\" Unsupported protocol version" },
        { JSON "MCP-Protocol-Version: 2025-11-25\n", BODY("nope", "\"_meta\":{"
          "\"io.modelcontextprotocol/protocolVersion\":\"2025-11-25\","
          "\"io.modelcontextprotocol/clientCapabilities\":{}}"),
          "400 -32022 \"x\" Unsupported protocol version" },
        /* what routes */
        { JSON VERSION, BODY("nope", META),
          "400 -32020 \"x\" Header mismatch: Mcp-Method header is required." },
        { JSON VERSION "Mcp-Method: Nope\n", BODY("nope", META), "400 -32020 \"x\" Header mismatch:"
          " Mcp-Method header 'Nope' does not match body value 'nope'." },
        { JSON VERSION "Mcp-Method: =?base64?bm9wZQ==?=\n", BODY("nope", META), "400 -32020 \"x\" "
          "Header mismatch: Mcp-Method header '=?base64?bm9wZQ==?=' does not match body value "
          "'nope'." },
        { JSON VERSION "Mcp-Method: nope\nMcp-Method: nope\n", BODY("nope", META),
          "400 -32020 \"x\" Header mismatch: Mcp-Method header is given twice." },
        { JSON VERSION "Mcp-Method: nope\n", BODY("nope", META),
          "404 -32601 \"x\" Method not found" },
        { JSON VERSION "Mcp-Method: tools/call\n", CALL("nope", "{}"),
          "400 -32020 \"x\" Header mismatch: Mcp-Name header is required." },
        { CALLS("Echo"), CALL("echo", "{}"), "400 -32020 \"x\" Header mismatch: Mcp-Name header "
          "'Echo' does not match body value 'echo'." },
        { CALLS("echo\nMcp-Name: echo"), CALL("echo", "{}"),
          "400 -32020 \"x\" Header mismatch: Mcp-Name header is given twice." },
        { CALLS("echo"), BODY("tools/call", META),
          "400 -32020 \"x\" Header mismatch: Mcp-Name header has no value in the body." },
        /* what is served */
        { CALLS("nope"), CALL("nope", "{}"), "200 -32602 \"x\" Unknown tool: nope" },
        { CALLS("echo"), CALL("echo", "[]"), "200 -32602 \"x\" Invalid params" },
        { CALLS("echo"), CALL("echo", "{\"text\":7}"), "200 \"x\"" },
        { LISTS, BODY("tools/list", META ",\"cursor\":\"nope\""),
          "200 -32602 \"x\" Invalid params" } };
    begin();
    check_faults(rows, sizeof rows / sizeof *rows);
    const reply *r = post(rows[23].headers, rows[23].body);
    CHECK_STR(part(part(r->body.at, "error"), "data"), "{\"supported\":" ALL
              ",\"requested\":\"v1\"}");
    end();
}

TEST(what_2026_07_28_has_no_more_is_404) {
    static const char *const gone[] = { "initialize", "ping", "logging/setLevel",
                                        "resources/subscribe", "resources/unsubscribe" };
    begin();
    for (int i = 0; i < 5; i++) {
        const char *headers = text_of(JSON VERSION "Mcp-Method: %s\n%s%s", gone[i], "", "");
        const char *body = text_of("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"%s\",\"params\":{"
                                   META "}}%s%s", gone[i], "", "");
        CHECK_STR(outcome(post(headers, body)), "404 -32601 0 Method not found");
    }
    CHECK_INT(ask_http("GET", "Accept: text/event-stream\n" VERSION, "")->status, 405);
    CHECK_INT(ask_http("DELETE", VERSION, "")->status, 405);
    CHECK_STR(header(ask_http("GET", "Accept: text/event-stream\n" VERSION, ""), "Allow"),
              "POST, OPTIONS");
    end();
}

TEST(a_name_may_be_encoded_and_is_compared_decoded) {
    static const char uml[] = "gr\xC3\xB6\xC3\x9F" "e";
    static const struct { const char *header, *name, *outcome; } rows[] = {
        { "hello", "hello", "200 \"x\"" },
        { "=?base64?aGVsbG8=?=", "hello", "200 \"x\"" },
        { "=?base64?Z3LDtsOfZQ==?=", uml, "200 \"x\"" },
        { "=?base64?PT9iYXNlNjQ/eD89?=", "=?base64?x?=", "200 \"x\"" },
        { "=?BASE64?aGVsbG8=?=", "hello", "differs" },
        { "=?base64?aGVsbG8=", "hello", "differs" },
        { "=?base64?\?=", "hello", "differs" },
        { "=?base64?aGVsbG8?=", "hello", "invalid" },
        { "=?base64?aGVsbG8==?=", "hello", "invalid" },
        { "=?base64?aGVs bG8=?=", "hello", "invalid" },
        { "=?base64?aGVsbG-_?=", "hello", "invalid" },
        { "=?base64?////?=", "hello", "invalid" }, /* no UTF-8 */
        { "=?base64?x?=", "=?base64?x?=", "invalid" },
        { uml, uml, "invalid" }, { "hel\x7Flo", "hello", "invalid" },
        { "hell", "hello", "differs" }, { "hello2", "hello", "differs" },
        { "", "hello", "differs" } };
    begin();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *headers = text_of(JSON VERSION "Mcp-Method: prompts/get\nMcp-Name: %s\n%s%s",
                                      rows[i].header, "", "");
        const char *body = text_of(BODY("prompts/get", "\"name\":\"%s\"," META) "%s%s",
                                   rows[i].name, "", "");
        const char *wanted = rows[i].outcome;
        if (!strcmp(wanted, "invalid"))
            wanted = "400 -32020 \"x\" Header mismatch: Mcp-Name header is not a valid encoded "
                     "value.";
        const char *got = outcome(post(headers, body));
        if (!strcmp(wanted, "differs"))
            CHECK(harness_is(got, "400 -32020 \"x\" Header mismatch: Mcp-Name header '") &&
                  strstr(got, "' does not match body value 'hello'.") != NULL);
        else CHECK_STR(got, wanted);
    }
    CHECK_STR(outcome(post(JSON VERSION "Mcp-Method: resources/read\n"
                           "Mcp-Name: =?base64?ZmlsZTovLy/DpA==?=\n",
                           BODY("resources/read", "\"uri\":\"file:///\xC3\xA4\"," META))),
              "200 \"x\"");
    end();
}

/* Calls the tool "routed": its headers, its arguments; "" or what was wrong. */
static const char *routed(const char *headers, const char *args) {
    const char *all = text_of(CALLS("routed") "%s%s%s", headers, "", "");
    const char *body = text_of(BODY("tools/call", "\"name\":\"routed\",\"arguments\":%s," META)
                               "%s%s", args, "", "");
    const reply *r = post(all, body);
    static const char wrong[] = "400 -32020 \"x\" Header mismatch: ";
    const char *got = outcome(r);
    return !strcmp(got, "200 \"x\"") ? "" : harness_is(got, wrong) ? got + sizeof wrong - 1 : got;
}

TEST(parameters_in_headers_are_what_the_body_says) {
    static const struct { const char *headers, *args, *wrong; } rows[] = {
        { "", "{}", "" },
        { "Mcp-Param-Region: us-west1\n", J({"region":"us-west1"}), "" },
        { "mcp-param-REGION:   us-west1\n", J({"region":"us-west1"}), "" },
        { "Mcp-Param-Region: a b c\n", J({"region":"a b c"}), "" },
        { "Mcp-Param-Region: \n", J({"region":""}), "" },
        { "Mcp-Param-Region: =?base64?SGVsbG8sIOS4lueVjA==?=\n",
          "{\"region\":\"Hello, \xE4\xB8\x96\xE7\x95\x8C\"}", "" },
        { "Mcp-Param-Region: =?base64?SGVsbG8sIOS4lueVjA==?=\n",
          J({"region":"Hello, \u4e16\u754c"}), "" },
        { "Mcp-Param-Region: =?base64?IHBhZGRlZCA=?=\n", J({"region":" padded "}), "" },
        { "Mcp-Param-Region: =?base64?bGluZTEKbGluZTI=?=\n", J({"region":"line1\nline2"}), "" },
        { "Mcp-Param-Region: =?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=\n",
          J({"region":"=?base64?literal?="}), "" },
        { "Mcp-Param-Region: =?BASE64?x?=\n", J({"region":"=?BASE64?x?="}), "" },
        { "Mcp-Param-Region: =?base64?x\n", J({"region":"=?base64?x"}), "" },
        { "Mcp-Param-Region: =?base64?dXM=?=\n", J({"region":"us"}), "" }, /* needlessly */
        { "Mcp-Param-Count: 42\n", J({"count":42}), "" },
        { "Mcp-Param-Count: 42.0\n", J({"count":42}), "" },
        { "Mcp-Param-Count: 42\n", J({"count":42.0}), "" },
        { "Mcp-Param-Count: 4.2e1\n", J({"count":42}), "" },
        { "Mcp-Param-Count: -7\n", J({"count":-7}), "" },
        { "Mcp-Param-Count: 9007199254740993\n", J({"count":9007199254740993}), "" },
        { "Mcp-Param-Fast: true\n", J({"fast":true}), "" },
        { "Mcp-Param-Fast: false\n", J({"fast":false}), "" },
        { "", J({"region":null}), "" },
        { "Mcp-Param-Unknown: x\n", "{}", "" },
        { "Mcp-Param-Zone: z\n", J({"where":{"zone":"z"}}), "" },
        { "", J({"where":{}}), "" },
        /* refused */
        { "", J({"region":"us"}), "Mcp-Param-Region header is required." },
        { "", J({"count":1}), "Mcp-Param-Count header is required." },
        { "", J({"fast":false}), "Mcp-Param-Fast header is required." },
        { "", J({"where":{"zone":"z"}}), "Mcp-Param-Zone header is required." },
        { "Mcp-Param-Region: US\n", J({"region":"us"}),
          "Mcp-Param-Region header 'US' does not match body value 'us'." },
        { "Mcp-Param-Region: us\n", "{}", "Mcp-Param-Region header has no value in the body." },
        { "Mcp-Param-Region: null\n", J({"region":null}),
          "Mcp-Param-Region header has no value in the body." },
        { "Mcp-Param-Zone: z\n", "{}", "Mcp-Param-Zone header has no value in the body." },
        { "Mcp-Param-Zone: z\n", J({"where":{}}),
          "Mcp-Param-Zone header has no value in the body." },
        { "Mcp-Param-Zone: y\n", J({"where":{"zone":"z"}}),
          "Mcp-Param-Zone header 'y' does not match body value 'z'." },
        { "Mcp-Param-Count: 43\n", J({"count":42}),
          "Mcp-Param-Count header '43' does not match body value '42'." },
        { "Mcp-Param-Count: 9007199254740992\n", J({"count":9007199254740993}), "Mcp-Param-Count "
          "header '9007199254740992' does not match body value '9007199254740993'." },
        { "Mcp-Param-Count: 0x2A\n", J({"count":42}),
          "Mcp-Param-Count header '0x2A' does not match body value '42'." },
        { "Mcp-Param-Count: forty\n", J({"count":42}),
          "Mcp-Param-Count header 'forty' does not match body value '42'." },
        { "Mcp-Param-Fast: True\n", J({"fast":true}),
          "Mcp-Param-Fast header 'True' does not match body value 'true'." },
        { "Mcp-Param-Fast: 1\n", J({"fast":true}),
          "Mcp-Param-Fast header '1' does not match body value 'true'." },
        { "Mcp-Param-Region: us\nMcp-Param-Region: us\n", J({"region":"us"}),
          "Mcp-Param-Region header is given twice." },
        { "Mcp-Param-Region: =?base64?dXM?=\n", J({"region":"us"}),
          "Mcp-Param-Region header is not a valid encoded value." },
        { "Mcp-Param-Region: \xC3\xA9\n", "{\"region\":\"\xC3\xA9\"}",
          "Mcp-Param-Region header is not a valid encoded value." } };
    begin();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!CHECK_STR(routed(rows[i].headers, rows[i].args), rows[i].wrong))
            printf("    row:   %s%s\n", rows[i].headers, rows[i].args);
    end();
}

static const char *refused_row(const mcp_arg *args) {
    static mcp_tool one[2];
    one[0].name = "t";
    one[0].args = args;
    one[0].call = echo;
    fresh();
    desc.tools = one;
    const char *why = refused();
    fresh();
    return why;
}

TEST(a_mistake_in_a_header_row_is_told_at_the_start) {
    static const mcp_arg item[] = { { .name = "x", .header = "X" }, { 0 } };
    static const mcp_arg bad[][3] = {
        { { .name = "a", .header = "" } }, { { .name = "a", .header = "a b" } },
        { { .name = "a", .header = "a:" } }, { { .name = "a", .header = "a\n" } },
        { { .name = "a", .header = "\xC3\xA9" } },
        { { .name = "a", .type = MCP_NUMBER, .header = "A" } },
        { { .name = "a", .type = MCP_OBJECT, .of = text_args, .header = "A" } },
        { { .name = "a", .type = MCP_ARRAY, .header = "A" } },
        { { .name = "a", .type = MCP_ANY, .header = "A" } },
        { { .name = "a", .header = "A" }, { .name = "b", .header = "a" } },
        { { .name = "a", .header = "x" }, { .name = "b", .type = MCP_OBJECT, .of = item } },
        { { .name = "a", .type = MCP_ARRAY, .items = MCP_OBJECT, .of = item } } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (!CHECK(strstr(refused_row(bad[i]), "header ") != NULL))
            printf("    row: %u %s\n", (unsigned)i, refused_row(bad[i]));
    static const mcp_arg good[][2] = {
        { { .name = "a", .header = "!#$%&'*+-.^_`|~9" } },
        { { .name = "b", .type = MCP_OBJECT, .of = item } } };
    for (size_t i = 0; i < 2; i++) CHECK_STR(refused_row(good[i]), "");
    static mcp_tool out[2];
    out[0].name = "t";
    out[0].out = item;
    out[0].call = echo;
    desc.tools = out;
    CHECK(strstr(refused(), "header is for a tool's arguments") != NULL);
    fresh();
    static mcp_prompt prompt[2];
    prompt[0].name = "p";
    prompt[0].args = item;
    prompt[0].get = echo;
    desc.prompts = prompt;
    CHECK(strstr(refused(), "header is for a tool's arguments") != NULL);
    fresh();
}

TEST(a_header_row_is_listed_as_x_mcp_header) {
    begin();
    const reply *r = post(LISTS, LIST);
    CHECK(strstr(r->body.at, "\"region\":{\"type\":[\"string\",\"null\"],\"x-mcp-header\":"
                             "\"Region\"}") != NULL);
    CHECK(strstr(r->body.at, "\"zone\":{\"type\":\"string\",\"x-mcp-header\":\"Zone\"}") != NULL);
    end();
}

TEST(a_modern_notification_is_202_whatever_its_headers_are) {
    static const char note[] = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
        "\"params\":{\"requestId\":\"x\"}}";
    begin();
    reply *r = post(CALLS("later"), CALL("later", "{}"));
    CHECK_STR(outcome(post(JSON VERSION, note)), "202");
    CHECK_STR(outcome(post(JSON VERSION "Mcp-Method: wrong\n", note)), "202");
    CHECK_INT(cancelled, 0); /* over HTTP that is no cancellation */
    mcp_done(held[0], mcp_text(held[0], "late"));
    CHECK_STR(outcome(r), "200 \"x\"");
    CHECK(r->last);
    end();
}

TEST(who_hangs_up_cancels_a_modern_call) {
    begin();
    reply *r = post(CALLS("later"), CALL("later", "{}"));
    CHECK_INT(r->rc, MCP_PENDING);
    CHECK_INT(r->parts, 0);
    mcp_http_gone(w.server, r);
    CHECK_INT(cancelled, 1);
    mcp_done(held[0], mcp_text(held[0], "late"));
    CHECK_INT(r->parts, 0);
    mcp_http_gone(w.server, r); /* twice: nothing */
    end();
}

/* ---- Accept and Content-Type ---- */

TEST(any_accept_that_admits_json_is_enough) { /* RFC 9110 section 12.5.1 */
    static const struct { const char *accept; int status; } rows[] = {
        { "", 200 }, { "Accept: */*\n", 200 }, { "Accept: application/json\n", 200 },
        { "Accept: application/*, text/event-stream;q=0.5\n", 200 },
        { "Accept: TEXT/EVENT-STREAM , Application/JSON\n", 200 },
        { "Accept: application/json\nAccept: text/event-stream\n", 200 },
        { "Accept: text/html, application/json;q=0.1\n", 200 },
        { "Accept: application/json;charset=utf-8\n", 200 },
        { "Accept:application/json;q=0.001\n", 200 },
        { "Accept: text/event-stream\n", 200 }, { "Accept: text/html\n", 406 },
        { "Accept: application/json;q=0\n", 406 }, { "Accept: application/json;q=0.000\n", 406 },
        { "Accept: application/json; q=0, text/*;q=0.0\n", 406 },
        { "Accept: */*, application/json;q=0, text/event-stream;q=0\n", 406 },
        { "Accept: application/json;q=0, text/event-stream;q=0, */*\n", 406 },
        { "Accept: application/jsonx\n", 406 }, { "Accept: application\n", 406 },
        { "Accept: xapplication/*\n", 406 }, { "Accept: */json\n", 406 } };
    begin();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *headers = text_of("Content-Type: application/json\n%s%s%s", rows[i].accept,
                                      VERSION "Mcp-Method: tools/list\n", "");
        const reply *r = post(headers, LIST);
        if (!CHECK_INT(r->status, rows[i].status)) printf("    %s", rows[i].accept);
        bool events = !strcmp(rows[i].accept, "Accept: text/event-stream\n");
        CHECK_STR(header(r, "Content-Type"), events ? "text/event-stream" : "application/json");
    }
    CHECK_STR(outcome(post("Content-Type: application/json\nAccept: text/html\n", LIST)),
              "406 -32000 null Accept must list application/json and text/event-stream");
    end();
}

TEST(only_json_is_taken) {
    static const struct { const char *type; int status; } rows[] = {
        { "Content-Type: application/json\n", 200 },
        { "Content-Type: Application/JSON;charset=UTF-8\n", 200 },
        { "Content-Type: application/json ; charset=utf-8\n", 200 },
        { "", 415 }, { "Content-Type: \n", 415 }, { "Content-Type: text/plain\n", 415 },
        { "Content-Type: application/jsonp\n", 415 }, { "Content-Type: application\n", 415 },
        { "Content-Type: application/x-www-form-urlencoded\n", 415 },
        { "Content-Type: text/plain, application/json\n", 415 } };
    begin();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const reply *r = post(text_of("%s%s%s", rows[i].type, "", ""), PING);
        if (!CHECK_INT(r->status, rows[i].status)) printf("    %s", rows[i].type);
    }
    end();
}

TEST(without_events_progress_is_not_told) {
    static const char body[] = BODY("tools/call", "\"name\":\"steps\",\"_meta\":{"
                                    "\"progressToken\":1," HARNESS_META "}");
    begin();
    const reply *r = post("Content-Type: application/json\nAccept: application/json\n" VERSION
                          "Mcp-Method: tools/call\nMcp-Name: steps\n", body);
    CHECK_STR(outcome(r), "200 \"x\"");
    CHECK_STR(header(r, "Content-Type"), "application/json");
    r = post("Content-Type: application/json\nAccept: text/event-stream\n" VERSION
             "Mcp-Method: tools/call\nMcp-Name: echo\n", CALL("echo", "{}"));
    CHECK_STR(header(r, "Content-Type"), "text/event-stream");
    CHECK(harness_is(r->body.at, "data: {\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{"));
    end();
}

/* ---- events of a modern request ---- */

TEST(progress_and_logs_turn_a_modern_answer_into_events_without_ids) {
    begin();
    const reply *r = post(CALLS("steps"), BODY("tools/call", "\"name\":\"steps\",\"_meta\":{"
                          "\"progressToken\":1," HARNESS_META "}"));
    CHECK_INT(r->status, 200);
    CHECK_STR(r->head.at, "Content-Type: text/event-stream\nCache-Control: no-cache\n"
              "X-Accel-Buffering: no\n");
    CHECK(harness_is(r->body.at, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\","
          "\"params\":{\"progressToken\":1,\"progress\":1,\"total\":2,\"message\":\"half\"}}\n\n"
          "data: {\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{"));
    CHECK_STR(r->body.at + r->body.n - 3, "}\n\n");
    CHECK(r->last);
    r = post(CALLS("logs"), BODY("tools/call", "\"name\":\"logs\",\"_meta\":{"
             "\"io.modelcontextprotocol/logLevel\":\"info\"," HARNESS_META "}"));
    CHECK(harness_is(r->body.at, "data: {\"jsonrpc\":\"2.0\",\"method\":"
                     "\"notifications/message\","));
    r = post(CALLS("logs"), CALL("logs", "{}")); /* not asked for */
    CHECK_STR(outcome(r), "200 \"x\"");
    end();
}

static const char listen_body[] = BODY("subscriptions/listen", "\"notifications\":{"
    "\"toolsListChanged\":true,\"resourceSubscriptions\":[\"file:///a\"]}," META);
#define LISTENS JSON VERSION "Mcp-Method: subscriptions/listen\n"
#define SUBSCRIPTION "\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":\"x\"}"
#define ACK "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\"," \
    "\"params\":{\"notifications\":{\"toolsListChanged\":true,\"resourceSubscriptions\":[" \
    "\"file:///a\"]}," SUBSCRIPTION "}}\n\n"

TEST(a_subscription_is_acknowledged_first_told_of_changes_and_kept_alive) {
    begin();
    reply *r = post(LISTENS, listen_body);
    CHECK_INT(r->rc, MCP_PENDING);
    CHECK_INT(r->status, 200);
    CHECK_STR(header(r, "Content-Type"), "text/event-stream");
    CHECK_STR(since(r), ACK);
    mcp_server_changed(w.server, MCP_TOOLS | MCP_PROMPTS);
    mcp_server_touch(w.server, "file:///a");
    mcp_server_touch(w.server, "file:///b");
    mcp_poll(w.server);
    CHECK_STR(since(r), "data: {\"jsonrpc\":\"2.0\",\"method\":"
              "\"notifications/tools/list_changed\",\"params\":{" SUBSCRIPTION "}}\n\n"
              "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\","
              "\"params\":{\"uri\":\"file:///a\"," SUBSCRIPTION "}}\n\n");
    sleep_ms(14000);
    CHECK_STR(since(r), "");
    sleep_ms(1500);
    CHECK_STR(since(r), ":\n\n");
    sleep_ms(14000);
    CHECK_STR(since(r), "");
    sleep_ms(1500);
    CHECK_STR(since(r), ":\n\n");
    mcp_http_gone(w.server, r);
    mcp_server_changed(w.server, MCP_TOOLS);
    mcp_poll(w.server);
    CHECK_STR(since(r), "");
    CHECK(!r->last);
    end();
}

static unsigned watching;
static void watch(void *user, const char *uri, bool watched) {
    (void)user;
    CHECK_STR(uri, "file:///a");
    watching = watched;
}

TEST(a_subscription_whose_client_takes_no_more_is_freed) {
    size_t live[4];
    desc.watch.func = watch;
    begin();
    for (int i = 0; i < 4; i++) {
        reply *r = post(LISTENS, listen_body);
        CHECK_INT(watching, 1);
        r->fail_at = r->parts + 1;
        if (i % 2) sleep_ms(16000); /* a comment */
        else mcp_server_touch(w.server, "file:///a");
        mcp_poll(w.server);
        CHECK_INT(r->parts, r->fail_at);
        mcp_poll(w.server);
        CHECK_INT(watching, 0);
        mcp_server_touch(w.server, "file:///a");
        sleep_ms(60000);
        CHECK_INT(r->parts, r->fail_at); /* never again */
        post(LISTS, LIST);
        live[i] = w.mem.live;
    }
    CHECK_INT(live[2], live[1]);
    CHECK_INT(live[3], live[2]);
    end();
}

TEST(a_client_that_takes_no_progress_has_cancelled) {
    begin();
    reply *r = post(CALLS("later"), BODY("tools/call", "\"name\":\"later\",\"_meta\":{"
                    "\"progressToken\":1," HARNESS_META "}"));
    r->fail_at = 1;
    mcp_progress(held[0], 1, 2, NULL);
    mcp_poll(w.server);
    CHECK_INT(r->parts, 1);
    CHECK_INT(cancelled, 1);
    mcp_done(held[0], mcp_text(held[0], "late"));
    CHECK_INT(r->parts, 1);
    end();
}

/* ---- who may ask ---- */

TEST(hosts_and_origins_of_elsewhere_are_forbidden) {
    static const struct { const char *headers; int status; } rows[] = {
        { "", 200 }, { "Host: localhost\n", 200 }, { "Host: LOCALHOST:8080\n", 200 },
        { "Host: 127.0.0.1:8080\n", 200 }, { "Host: 127.9.9.9\n", 200 },
        { "Host: [::1]:8080\n", 200 }, { "Host: [::1]\n", 200 }, { "Host: 192.168.1.7:80\n", 200 },
        { "Host: evil.example\n", 403 }, { "Host: evil.example:8080\n", 403 },
        { "Host: localhost.evil.example\n", 403 }, { "Host: 127.0.0.1.evil.example\n", 403 },
        { "Host: evil.example#localhost\n", 403 }, { "Host: localhost@evil.example\n", 403 },
        { "Host: \n", 403 }, { "Host: localhost\nHost: localhost\n", 403 },
        { "Host: [evil.example]\n", 403 }, { "Host: [::1]evil.example\n", 403 },
        { "Host: [::1\n", 403 }, { "Host: [x\n", 403 }, { "Host: []\n", 403 },
        { "Host: 127.0.0.1:80:evil.example\n", 403 }, { "Host: 127.0.0.1:80/x\n", 403 },
        { "Host: localhost:\n", 200 },
        { "Origin: http://localhost\n", 200 }, { "Origin: https://localhost:6274\n", 200 },
        { "Origin: http://127.0.0.1:8080\n", 200 }, { "Origin: http://[::1]:3000\n", 200 },
        { "Origin: http://evil.example\n", 403 }, { "Origin: null\n", 403 },
        { "Origin: http://localhost.evil.example\n", 403 }, { "Origin: localhost\n", 403 },
        { "Origin: http://localhost/\n", 403 }, { "Origin: http://localhost:80/x\n", 403 },
        { "Origin: http://localhost@evil.example\n", 403 }, { "Origin: file://localhost\n", 403 },
        { "Origin: http://localhost:80x\n", 403 }, { "Origin: http://localhost:\n", 403 },
        { "Origin: http://[::1].evil.example\n", 403 }, { "Origin: \n", 403 },
        { "Origin: *\n", 403 }, { "Origin: http://192.168.1.7\n", 403 },
        { "Host: 192.168.1.7:80\nOrigin: http://192.168.1.7:80\n", 200 },
        { "Host: 192.168.1.7:80\nOrigin: http://192.168.1.7\n", 403 },
        { "Host: evil.example\nOrigin: http://evil.example\n", 403 },
        { "Host: evil.example\nOrigin: http://localhost\n", 403 },
        { "Origin: http://localhost\nOrigin: http://localhost\n", 403 } };
    begin();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const reply *r = post(text_of(LISTS "%s%s%s", rows[i].headers, "", ""), LIST);
        if (!CHECK_INT(r->status, rows[i].status)) printf("    %s", rows[i].headers);
    }
    CHECK_STR(outcome(post(LISTS "Host: a\"b\\c\x01\xC3\n", LIST)),
              "403 -32600 null Forbidden host: a?b?c??");
    CHECK_STR(outcome(post(LISTS "Origin: null\n", LIST)),
              "403 -32600 null Forbidden origin: null");
    CHECK_STR(header(post(LISTS "Origin: null\n", LIST), "Access-Control-Allow-Origin"), "");
    end();
}

TEST(the_desc_names_more_hosts_and_origins) {
    static const struct { const char *headers; int status; } rows[] = {
        { "Host: mcp.example\n", 200 }, { "Host: MCP.example:444\n", 200 },
        { "Host: other.example:81\n", 200 }, { "Host: other.example\n", 403 },
        { "Host: localhost\n", 200 }, { "Host: x.mcp.example\n", 403 },
        { "Origin: https://app.example\n", 200 }, { "Origin: http://app.example\n", 403 },
        { "Origin: https://app.example:444\n", 403 }, { "Origin: https://app.example.evil\n", 403 },
        { "Origin: http://localhost:1\n", 200 } };
    desc.http.hosts = "mcp.example|other.example:81";
    desc.http.origins = "https://app.example|null";
    begin();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const reply *r = post(text_of(LISTS "%s%s%s", rows[i].headers, "", ""), LIST);
        if (!CHECK_INT(r->status, rows[i].status)) printf("    %s", rows[i].headers);
    }
    CHECK_INT(post(LISTS "Origin: null\n", LIST)->status, 403); /* is nobody, whoever lists it */
    end();
    desc.http.host = "0.0.0.0"; /* not loopback: any name, but no foreign page */
    begin();
    CHECK_INT(post(LISTS "Host: mcp.example\n", LIST)->status, 200);
    CHECK_INT(post(LISTS "Host: mcp.example\nOrigin: http://mcp.example\n", LIST)->status, 200);
    CHECK_INT(post(LISTS "Host: mcp.example\nOrigin: http://localhost\n", LIST)->status, 403);
    end();
    desc.http.host = "0.0.0.0";
    desc.http.hosts = "mcp.example";
    begin();
    CHECK_INT(post(LISTS "Host: mcp.example\n", LIST)->status, 200);
    CHECK_INT(post(LISTS "Host: evil.example\n", LIST)->status, 403);
    end();
    desc.http.hosts = "*";
    desc.http.origins = "*";
    begin();
    CHECK_INT(post(LISTS "Host: any.example\nOrigin: https://other.example\n", LIST)->status, 200);
    end();
}

#define ORIGIN "Origin: http://localhost:6274\n"

TEST(a_browser_may_ask_first_and_read_the_answer) { /* CORS, the Fetch standard */
    begin();
    const reply *r = ask_http("OPTIONS", ORIGIN "Access-Control-Request-Method: POST\n"
        "Access-Control-Request-Headers: content-type,mcp-param-region\n", "");
    CHECK_INT(r->status, 204);
    CHECK_INT(r->body.n, 0);
    CHECK_STR(header(r, "Access-Control-Allow-Origin"), "http://localhost:6274");
    CHECK_STR(header(r, "Access-Control-Allow-Methods"), "POST, GET, DELETE, OPTIONS");
    CHECK_STR(header(r, "Access-Control-Allow-Headers"), "content-type,mcp-param-region");
    CHECK_STR(header(r, "Access-Control-Max-Age"), "86400");
    CHECK_STR(header(r, "Vary"), "Origin");
    r = ask_http("OPTIONS", ORIGIN "Access-Control-Request-Method: POST\n", "");
    CHECK_STR(header(r, "Access-Control-Allow-Headers"), "Content-Type, Accept, Authorization, "
              "MCP-Protocol-Version, Mcp-Session-Id, Last-Event-ID, Mcp-Method, Mcp-Name");
    r = ask_http("OPTIONS", "Origin: http://evil.example\nAccess-Control-Request-Method: POST\n",
                 "");
    CHECK_INT(r->status, 403);
    CHECK_STR(header(r, "Access-Control-Allow-Origin"), "");
    CHECK_STR(header(r, "Access-Control-Allow-Methods"), "");
    r = ask_http("OPTIONS", "", "");
    CHECK_INT(r->status, 204);
    CHECK_STR(r->head.at, "Allow: GET, POST, DELETE, OPTIONS\n");
    r = post(LISTS ORIGIN, LIST);
    CHECK_STR(r->head.at, "Vary: Origin\nAccess-Control-Allow-Origin: http://localhost:6274\n"
              "Access-Control-Expose-Headers: Mcp-Session-Id, WWW-Authenticate\n"
              "Content-Type: application/json\n");
    r = post(ORIGIN "Content-Type: text/plain\n", LIST); /* errors, too, are to be read */
    CHECK_INT(r->status, 415);
    CHECK_STR(header(r, "Access-Control-Allow-Origin"), "http://localhost:6274");
    end();
}

static int door(void *user, const mcp_http_request *rq, mcp_auth *auth) {
    const char *token = "";
    (void)user;
    for (const mcp_attr *h = rq->headers; h->key; h++)
        if (!strcmp(h->key, "Authorization")) token = h->value;
    if (!strcmp(token, "Bearer broken")) return MCP_IO;
    if (!strcmp(token, "Bearer weak")) return auth->scope = "write all", MCP_DECLINED;
    if (strncmp(token, "Bearer ", 7) != 0) return MCP_REFUSED;
    auth->principal = token + 7;
    return MCP_OK;
}

TEST(who_is_not_known_is_told_where_to_get_a_token) {
    desc.http.authorize.func = door;
    desc.http.issuers = "https://as.example|https://b.example";
    desc.http.scopes = "read|write";
    begin();
    const reply *r = post(LISTS "Host: localhost:8080\n", LIST);
    CHECK_STR(outcome(r), "401 -32000 null Unauthorized");
    CHECK_STR(header(r, "WWW-Authenticate"), "Bearer resource_metadata="
              "\"http://localhost:8080/.well-known/oauth-protected-resource/mcp\"");
    r = post(LISTS "Host: localhost:8080\nAuthorization: Bearer weak\n", LIST);
    CHECK_STR(outcome(r), "403 -32000 null Forbidden");
    CHECK(harness_is(header(r, "WWW-Authenticate"), "Bearer error=\"insufficient_scope\", scope=\""
          "write all\", resource_metadata=\"http"));
    CHECK_STR(outcome(post(LISTS "Authorization: Bearer broken\n", LIST)),
              "500 -32603 null Internal error");
    CHECK_STR(outcome(post(LISTS "Authorization: Bearer ann\n", LIST)), "200 \"x\"");
    CHECK_INT(ask_http("PUT", "", "")->status, 401); /* before the verb, */
    CHECK_INT(post("Content-Type: text/plain\n", "")->status, 401); /* and the rest, */
    CHECK_INT(post("Host: evil.example\n", "")->status, 403); /* behind who is forbidden */
    CHECK_INT(ask_http("OPTIONS", ORIGIN "Access-Control-Request-Method: POST\n", "")->status, 204);
    CHECK_INT(ask_http("GET", "Accept: text/event-stream\n", "")->status, 401);
    r = post(CALLS("who") "Authorization: Bearer ann\n", CALL("who", "{}"));
    CHECK(strstr(r->body.at, "\"http|ann||2026-07-28|\"") != NULL);
    end();
}

TEST(a_protected_resource_describes_itself) { /* RFC 9728 */
    static const char *const paths[] = { "/.well-known/oauth-protected-resource",
                                         "/.well-known/oauth-protected-resource/a/mcp" };
    static const char about[] = J({"resource":"https://mcp.example/a/mcp","authorization_servers":)
        "[\"https://as.example\",\"https://b.example\"],\"scopes_supported\":[\"read\","
        "\"write\"],\"bearer_methods_supported\":[\"header\"]}";
    desc.http.authorize.func = door;
    desc.http.issuers = "https://as.example|https://b.example";
    desc.http.scopes = "read|write";
    desc.http.path = "/a/mcp";
    desc.http.url = "https://mcp.example/a/mcp";
    begin();
    for (int i = 0; i < 2; i++) { /* known without a token */
        const reply *r = request_of("GET", paths[i], ORIGIN, "", 0, NULL);
        CHECK_INT(r->status, 200);
        CHECK_STR(r->body.at, about);
        CHECK_STR(header(r, "Access-Control-Allow-Origin"), "http://localhost:6274");
    }
    CHECK_STR(header(request_of("POST", "/a/mcp", JSON, PING, sizeof PING - 1, NULL),
                     "WWW-Authenticate"), "Bearer resource_metadata=\"https://mcp.example/"
              ".well-known/oauth-protected-resource/a/mcp\"");
    CHECK_INT(request_of("GET", "/.well-known/oauth-protected-resource/b", "", "", 0, NULL)->rc,
              MCP_UNSUPPORTED);
    end();
    begin(); /* without issuers there is nothing to describe */
    CHECK_INT(request_of("GET", paths[0], "", "", 0, NULL)->rc, MCP_UNSUPPORTED);
    end();
}

TEST(a_proxy_may_say_who_it_is_in_a_header_that_the_desc_names) {
    desc.http.user_header = "X-User";
    begin();
    const reply *r = post(CALLS("who") "x-user: ann\nX-Test: t\n", CALL("who", "{}"));
    CHECK(strstr(r->body.at, "\"http|ann||2026-07-28|t\"") != NULL);
    r = request_of("POST", "/mcp", CALLS("who") "X-User: ann\n", CALL("who", "{}"),
                   sizeof CALL("who", "{}") - 1, "bob"); /* who hosts us knows better */
    CHECK(strstr(r->body.at, "\"http|bob||2026-07-28|\"") != NULL);
    end();
    begin();
    r = post(CALLS("who") "X-User: ann\n", CALL("who", "{}"));
    CHECK(strstr(r->body.at, "\"http|||2026-07-28|\"") != NULL);
    end();
}

TEST(paths_that_are_not_ours_are_left_to_others) {
    static const char *const ours[] = { "/mcp", "/mcp/", "/mcp?a=b", "/mcp//", "/mcp/messages" };
    static const char *const others[] = { "/", "", "/mcpx", "/mcp/x", "/MCP", "/sse", "/messages",
        "/mcp/messages/x", "/x/mcp", "/.well-known/oauth-protected-resource" };
    begin();
    for (int i = 0; i < 5; i++)
        CHECK_INT(request_of("POST", ours[i], JSON, PING, sizeof PING - 1, NULL)->status, 200);
    for (int i = 0; i < 10; i++) {
        const reply *r = request_of("POST", others[i], JSON, PING, sizeof PING - 1, NULL);
        CHECK_INT(r->rc, MCP_UNSUPPORTED);
        CHECK_INT(r->parts, 0);
    }
    end();
}

TEST(what_is_too_long_is_413_once_it_is_known_who_sent_it) {
    char body[300];
    memset(body, ' ', sizeof body);
    memcpy(body, PING, sizeof PING - 1);
    desc.limits.message = 200;
    begin();
    CHECK_INT(request_of("POST", "/mcp", JSON, body, 200, NULL)->status, 200);
    const reply *r = request_of("POST", "/mcp", JSON, body, 201, NULL);
    CHECK_STR(outcome(r), "413 -32000 null Message too long");
    CHECK_INT(request_of("POST", "/mcp", JSON "Host: evil\n", body, 201, NULL)->status, 403);
    CHECK_INT(request_of("PUT", "/mcp", JSON, body, 201, NULL)->status, 405);
    CHECK_INT(request_of("POST", "/mcp", "", body, 201, NULL)->status, 415);
    end();
}

TEST(other_verbs_are_405_and_say_which_are_not) {
    static const char *const verbs[] = { "PUT", "HEAD", "PATCH", "get", "Post", "TRACE", "" };
    begin();
    for (int i = 0; i < 7; i++) {
        const reply *r = ask_http(verbs[i], "", "");
        CHECK_STR(outcome(r), "405 -32000 null Method not allowed");
        CHECK_STR(header(r, "Allow"), "GET, POST, DELETE, OPTIONS");
    }
    CHECK_INT(ask_http("GET", "", "")->status, 405); /* does not want events */
    CHECK_INT(ask_http("GET", "Accept: application/json\n", "")->status, 405);
    end();
    desc.versions = MCP_2026_07_28;
    begin();
    CHECK_STR(header(ask_http("GET", "Accept: text/event-stream\n", ""), "Allow"), "POST, OPTIONS");
    CHECK_INT(ask_http("DELETE", "", "")->status, 405);
    end();
}

/* ---- the older versions, without a session ---- */

TEST(an_older_request_without_a_session_is_served_alone) {
    begin();
    CHECK_STR(post(JSON, PING)->body.at, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
    const reply *r = post(JSON, J({"jsonrpc":"2.0","id":2,"method":"tools/call","params":
        {"name":"who"}}));
    CHECK(strstr(r->body.at, "\"http|||2025-11-25|\"") != NULL);
    CHECK_STR(header(r, "Mcp-Session-Id"), "");
    r = post(JSON "MCP-Protocol-Version: 2025-03-26\n", J({"jsonrpc":"2.0","id":2,
        "method":"tools/call","params":{"name":"who"}}));
    CHECK(strstr(r->body.at, "\"http|||2025-03-26|\"") != NULL);
    CHECK_STR(outcome(post(JSON, J({"jsonrpc":"2.0","id":3,"method":"nope"}))),
              "200 -32601 3 Method not found");
    CHECK_STR(outcome(post(JSON, DONE_NOTE)), "202");
    CHECK_STR(outcome(post(JSON, J({"jsonrpc":"2.0","id":3,"result":{}}))), "202");
    CHECK_STR(outcome(post(JSON, "[" PING "]")), "400 -32600 null Invalid Request");
    CHECK_STR(outcome(post(JSON, "{")), "400 -32700 null Parse error");
    CHECK_STR(outcome(post(JSON, "[]")), "400 -32600 null Invalid Request");
    CHECK_STR(outcome(post(JSON, "7")), "400 -32600 null Invalid Request");
    CHECK_STR(outcome(post(JSON, J({"jsonrpc":"2.0","id":3,"method":"server/discover"}))),
              "400 -32602 3 Missing _meta key io.modelcontextprotocol/protocolVersion");
    r = post(JSON "MCP-Protocol-Version: 1.0\n", PING);
    CHECK_STR(outcome(r), "400 -32600 null Unsupported MCP-Protocol-Version: 1.0");
    CHECK_STR(part(part(r->body.at, "error"), "data"),
              "{\"supported\":" ALL ",\"requested\":\"1.0\"}");
    end();
    desc.flags = MCP_STRICT;
    begin();
    CHECK_STR(outcome(post(JSON, PING)), "400 -32000 null Mcp-Session-Id header is required");
    CHECK_STR(outcome(post(JSON, DONE_NOTE)), "400 -32000 null Mcp-Session-Id header is required");
    CHECK_STR(outcome(post(LISTS, LIST)), "200 \"x\"");
    end();
}

/* ---- sessions of the older versions ---- */

#define INIT(version) "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{" \
    "\"protocolVersion\":\"" version "\",\"capabilities\":{},\"clientInfo\":{\"name\":\"c\"," \
    "\"version\":\"1\"}}}"
#define EVENTS "Accept: text/event-stream\n"

typedef struct session { char headers[160], id[64], version[16]; } session;

/* With the header of its id. */
static session open_session(const char *version, const char *more) {
    session s;
    const reply *r = post(text_of(JSON "%s%s%s", more, "", ""),
                          text_of(INIT("%s") "%s%s", version, "", ""));
    CHECK_STR(outcome(r), "200 0");
    snprintf(s.id, sizeof s.id, "%s", header(r, "Mcp-Session-Id"));
    snprintf(s.version, sizeof s.version, "%s", version);
    snprintf(s.headers, sizeof s.headers, "Mcp-Session-Id: %s\n%s", s.id, more);
    CHECK_STR(outcome(post(text_of(JSON "%s%s%s", s.headers, "", ""), DONE_NOTE)), "202");
    return s;
}
static reply *post_in(const session *s, const char *body) {
    return post(text_of(JSON "%s%s%s", s->headers, "", ""), body);
}
static reply *get_in(const session *s, const char *more) {
    return ask_http("GET", text_of(EVENTS "%s%s%s", s->headers, more, ""), "");
}
static reply *call_in(const session *s, const char *id, const char *tool) {
    return post_in(s, text_of("{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"tools/call\",\"params\":"
                              "{\"name\":\"%s\",\"_meta\":{\"progressToken\":1}}}%s", id, tool,
                              ""));
}

TEST(a_session_begins_with_initialize_and_has_an_id_nobody_can_guess) {
    begin();
    session a = open_session("2025-11-25", ""), b = open_session("2025-06-18", "");
    CHECK_INT(strlen(a.id), 36);
    CHECK(harness_is(a.id, "mcp-"));
    CHECK_INT(strspn(a.id + 4, "0123456789abcdef"), 32); /* 128 bits, visible ASCII */
    CHECK(strcmp(a.id, b.id) != 0);
    const reply *r = call_in(&a, "1", "who");
    char wanted[120];
    snprintf(wanted, sizeof wanted, "\"http||%s|2025-11-25|\"", a.id);
    CHECK(strstr(r->body.at, wanted) != NULL);
    CHECK_STR(header(r, "Mcp-Session-Id"), "");
    r = post(text_of(JSON "mCP-sESSION-iD: %s\n%s%s", a.id, "", ""), PING);
    CHECK_STR(outcome(r), "200 1");
    end();
}

TEST(each_version_can_be_negotiated_over_http) {
    begin();
    for (int i = 0; i < 4; i++) {
        session s = open_session(versions[i], "");
        const reply *r = call_in(&s, "1", "who");
        CHECK(strstr(r->body.at, versions[i]) != NULL);
    }
    CHECK_STR(part(part(post(JSON, INIT("1.0"))->body.at, "result"), "protocolVersion"),
              "\"2025-11-25\"");
    end();
}

TEST(a_dead_session_is_404) {
    begin();
    session s = open_session("2025-11-25", "");
    CHECK_STR(outcome(ask_http("DELETE", s.headers, "")), "200");
    const char *const dead[] = { s.id, "deadbeef", "mcp-", "", "a b", "mcp-\x01" };
    for (int i = 0; i < 6; i++) {
        const char *headers = text_of(JSON "Mcp-Session-Id: %s\n%s%s", dead[i], "", "");
        CHECK_STR(outcome(post(headers, PING)), "404 -32001 null Session not found");
        CHECK_STR(outcome(post(headers, INIT("2025-11-25"))), "404 -32001 null Session not found");
        CHECK_INT(ask_http("GET", headers, "")->status, 404);
        CHECK_INT(ask_http("DELETE", headers, "")->status, 404);
    }
    harness_bytes longer = { NULL, 0, 0 };
    harness_add(&longer, "Mcp-Session-Id: ", 16);
    for (int i = 0; i < 10000; i++) harness_add(&longer, "a", 1);
    harness_add(&longer, "\n", 1);
    CHECK_INT(post(text_of(JSON "%s%s%s", longer.at, "", ""), PING)->status, 404);
    free(longer.at);
    s = open_session("2025-11-25", "");
    s.id[35] ^= 1;
    CHECK_INT(post(text_of(JSON "Mcp-Session-Id: %s\n%s%s", s.id, "", ""), PING)->status, 404);
    CHECK_INT(post(text_of(JSON "%s%s%s", s.headers, s.headers, ""), PING)->status, 404);
    CHECK_INT(ask_http("GET", EVENTS, "")->status, 400); /* none named */
    CHECK_INT(ask_http("DELETE", "", "")->status, 400);
    end();
}

TEST(a_session_is_initialized_once) {
    begin();
    session s = open_session("2025-11-25", "");
    CHECK_STR(outcome(post_in(&s, INIT("2025-11-25"))),
              "400 -32600 null Session already initialized");
    CHECK_STR(outcome(post_in(&s, PING)), "200 1"); /* it goes on */
    const reply *r = post(JSON, J({"jsonrpc":"2.0","id":0,"method":"initialize","params":[]}));
    CHECK_STR(outcome(r), "400 -32602 0 Invalid params");
    CHECK_STR(header(r, "Mcp-Session-Id"), ""); /* refused: there is none */
    end();
}

TEST(the_version_header_may_name_any_older_version_served) {
    begin();
    session s = open_session("2025-06-18", "");
    const char *const named[] = { "2025-06-18", "2025-11-25", "2025-03-26", "2024-11-05" };
    for (int i = 0; i < 4; i++) {
        const reply *r = post(text_of(JSON "%sMCP-Protocol-Version: %s\n%s", s.headers, named[i],
                                      ""),
                              J({"jsonrpc":"2.0","id":1,"method":"tools/call","params":
                                 {"name":"who"}}));
        CHECK(strstr(r->body.at, "|2025-06-18|") != NULL); /* what was negotiated stays */
    }
    const char *bad = text_of(JSON "%sMCP-Protocol-Version: %s\n%s", s.headers, "2020-01-01", "");
    CHECK_STR(outcome(post(bad, PING)),
              "400 -32600 null Unsupported MCP-Protocol-Version: 2020-01-01");
    CHECK_INT(ask_http("GET", bad, "")->status, 400);
    CHECK_INT(ask_http("DELETE", bad, "")->status, 400);
    CHECK_STR(outcome(post_in(&s, PING)), "200 1");
    CHECK_STR(outcome(post(JSON "MCP-Protocol-Version: 2024-11-05\n", INIT("2025-11-25"))),
              "200 0");
    CHECK_STR(outcome(post(text_of(LISTS "%s%s%s", s.headers, "", ""), LIST)), "200 \"x\"");
    end();
}

TEST(the_session_that_nobody_used_for_longest_makes_room) {
    desc.limits.sessions = 3;
    begin();
    session s[4];
    for (int i = 0; i < 3; i++) {
        s[i] = open_session("2025-11-25", "");
        sleep_ms(10);
    }
    post_in(&s[0], PING);
    sleep_ms(10);
    reply *stream = get_in(&s[1], ""); /* has a stream: it stays */
    s[3] = open_session("2025-11-25", "");
    CHECK_INT(post_in(&s[2], PING)->status, 404);
    CHECK_INT(post_in(&s[0], PING)->status, 200);
    CHECK_INT(post_in(&s[1], PING)->status, 200);
    CHECK_INT(post_in(&s[3], PING)->status, 200);
    reply *more[2] = { get_in(&s[0], ""), get_in(&s[3], "") };
    CHECK_STR(outcome(post(JSON, INIT("2025-11-25"))), "503 -32000 null Too many sessions");
    mcp_http_gone(w.server, stream);
    CHECK_INT(post(JSON, INIT("2025-11-25"))->status, 200);
    mcp_http_gone(w.server, more[0]);
    mcp_http_gone(w.server, more[1]);
    end();
}

TEST(a_session_that_nobody_uses_ends_after_an_hour) {
    begin();
    session a = open_session("2025-11-25", ""), b = open_session("2025-11-25", "");
    reply *stream = get_in(&b, "");
    sleep_ms(3599 * 1000);
    CHECK_INT(post_in(&a, PING)->status, 200);
    sleep_ms(3599 * 1000);
    CHECK_INT(post_in(&a, PING)->status, 200);
    sleep_ms(3601 * 1000);
    CHECK_INT(post_in(&a, PING)->status, 404);
    CHECK_INT(post_in(&b, PING)->status, 200); /* who listens is there */
    mcp_http_gone(w.server, stream);
    sleep_ms(3601 * 1000);
    CHECK_INT(post_in(&b, PING)->status, 404);
    a = open_session("2025-11-25", "");
    call_in(&a, "1", "later");
    sleep_ms(3601 * 1000);
    mcp_done(held[0], mcp_text(held[0], "late")); /* until now it was in use */
    sleep_ms(3600 * 1000);
    CHECK_INT(post_in(&a, PING)->status, 404);
    end();
    desc.http.session_ms = 5000;
    begin();
    a = open_session("2025-11-25", "");
    sleep_ms(5500);
    CHECK_INT(post_in(&a, PING)->status, 404);
    end();
}

TEST(a_session_belongs_to_who_began_it) {
    desc.http.authorize.func = door;
    begin();
    session s = open_session("2025-11-25", "Authorization: Bearer ann\n");
    CHECK_INT(post_in(&s, PING)->status, 200);
    const char *bob = text_of(JSON "Authorization: Bearer bob\nMcp-Session-Id: %s\n%s%s", s.id, "",
                              "");
    CHECK_STR(outcome(post(bob, PING)), "404 -32001 null Session not found");
    CHECK_INT(ask_http("DELETE", bob, "")->status, 404);
    CHECK_INT(ask_http("GET", bob, "")->status, 404);
    CHECK_INT(post_in(&s, PING)->status, 200);
    end();
}

TEST(without_randomness_there_are_no_sessions) {
    begin();
    inside_forget_random(w.server);
    CHECK_INT(post(JSON, INIT("2025-11-25"))->status, 503);
    CHECK_INT(post(LISTS, LIST)->status, 200);
    end();
}

TEST(batches_are_of_2025_03_26_alone) {
    begin();
    session s = open_session("2025-03-26", "");
    const reply *r = post_in(&s, "[" PING "," DONE_NOTE ","
                             J({"jsonrpc":"2.0","id":2,"method":"nope"}) ",7]");
    CHECK_INT(r->status, 200);
    CHECK_STR(header(r, "Content-Type"), "application/json");
    CHECK_STR(r->body.at, "[{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,"
              "\"message\":\"Invalid Request\"}},{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}},"
              "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32601,\"message\":"
              "\"Method not found\"}}]");
    CHECK_STR(outcome(post_in(&s, "[" DONE_NOTE "," J({"jsonrpc":"2.0","id":9,"result":{}}) "]")),
              "202");
    CHECK_STR(outcome(post_in(&s, "[]")), "400 -32600 null Invalid Request");
    r = post_in(&s, "[" LIST "," INIT("2025-03-26") "]"); /* modern, and what must be alone */
    CHECK(strstr(r->body.at, "\"result\"") == NULL);
    const char *const others[] = { "2024-11-05", "2025-06-18", "2025-11-25" };
    for (int i = 0; i < 3; i++) {
        s = open_session(others[i], "");
        CHECK_STR(outcome(post_in(&s, "[" PING "]")), "400 -32600 null Invalid Request");
    }
    CHECK_INT(post(JSON "MCP-Protocol-Version: 2025-03-26\n", "[" PING "]")->status, 200);
    end();
}

/* ---- streams of a session ---- */

#define TOOLS_CHANGED "data: {\"jsonrpc\":\"2.0\"," \
    "\"method\":\"notifications/tools/list_changed\"}\n\n"
#define A_UPDATED "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\"," \
    "\"params\":{\"uri\":\"file:///a\"}}\n\n"
#define PROGRESS "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{" \
    "\"progressToken\":1,\"progress\":1,\"total\":2,\"message\":\"half\"}}\n\n"
#define RESULT_OF(id, text) "data: {\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{\"content\":[" \
    "{\"type\":\"text\",\"text\":\"" text "\"}],\"isError\":false}}\n\n"

static const char subscribe_a[] = J({"jsonrpc":"2.0","id":1,"method":"resources/subscribe",
                                     "params":{"uri":"file:///a"}});

TEST(what_belongs_to_no_request_arrives_on_the_stream_of_its_own) {
    begin();
    session s = open_session("2025-06-18", "");
    CHECK_STR(outcome(post_in(&s, subscribe_a)), "200 1");
    reply *other = call_in(&s, "7", "later");
    reply *r = get_in(&s, "");
    CHECK_INT(r->rc, MCP_PENDING);
    CHECK_INT(r->status, 200);
    CHECK_STR(header(r, "Content-Type"), "text/event-stream");
    CHECK_STR(since(r), ":\n\n"); /* so that it is seen to be open */
    mcp_server_changed(w.server, MCP_TOOLS);
    mcp_server_touch(w.server, "file:///a");
    mcp_poll(w.server);
    CHECK_STR(since(r), "id: 5-1\n" TOOLS_CHANGED "id: 5-2\n" A_UPDATED);
    CHECK_INT(other->parts, 0);
    CHECK_STR(outcome(get_in(&s, "")), "409 -32000 null Only one stream per session");
    mcp_http_gone(w.server, r);
    mcp_server_changed(w.server, MCP_TOOLS); /* waits for the next one */
    mcp_server_changed(w.server, MCP_TOOLS);
    mcp_poll(w.server);
    r = get_in(&s, "");
    mcp_poll(w.server);
    CHECK(strstr(r->body.at, "-1\n" TOOLS_CHANGED) != NULL);
    CHECK(strstr(strstr(r->body.at, TOOLS_CHANGED) + 1, TOOLS_CHANGED) == NULL); /* once */
    CHECK_STR(outcome(ask_http("DELETE", s.headers, "")), "200");
    CHECK(r->last);
    CHECK_INT(cancelled, 1);
    mcp_done(held[0], MCP_OK);
    end();
}

TEST(progress_turns_an_older_answer_into_events_with_ids_and_2025_11_25_primes) {
    begin();
    for (int i = 1; i < 4; i++) {
        session s = open_session(versions[i], "");
        const reply *r = call_in(&s, "1", "steps");
        CHECK_INT(r->status, 200);
        CHECK_STR(header(r, "Content-Type"), "text/event-stream");
        if (i < 3) CHECK_STR(r->body.at, text_of("id: 3-1\n%sid: 3-2\n%s%s", PROGRESS,
                                                 RESULT_OF("1", "done"), ""));
        else CHECK_STR(r->body.at, text_of("id: 3-1\nretry: 1000\ndata:\n\nid: 3-2\n%sid: 3-3\n%s"
                                           "%s", PROGRESS, RESULT_OF("1", "done"), ""));
        CHECK(r->last);
        r = get_in(&s, "");
        CHECK_STR(r->body.at, i < 3 ? ":\n\n" : "id: 4-1\nretry: 1000\ndata:\n\n");
    }
    const reply *r = post(JSON, J({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{
        "name":"steps","_meta":{"progressToken":1}}}));
    CHECK_STR(r->body.at, PROGRESS RESULT_OF("1", "done")); /* no session: no ids */
    end();
}

TEST(cancelled_reaches_a_call_on_another_stream_and_hanging_up_does_not_cancel) {
    begin();
    session s = open_session("2025-11-25", "");
    reply *a = call_in(&s, "1", "later"), *b = call_in(&s, "2", "later");
    mcp_http_gone(w.server, a);
    CHECK_INT(cancelled, 0);
    CHECK_STR(outcome(post_in(&s, J({"jsonrpc":"2.0","method":"notifications/cancelled","params":
        {"requestId":2}}))), "202");
    CHECK_INT(cancelled, 1);
    mcp_done(held[0], mcp_text(held[0], "late"));
    mcp_done(held[1], mcp_text(held[1], "late"));
    CHECK_INT(a->parts, 0);
    CHECK_STR(b->body.at, "");
    CHECK(b->last);
    session other = open_session("2025-11-25", "");
    call_in(&other, "1", "later");
    CHECK_STR(outcome(post_in(&s, J({"jsonrpc":"2.0","method":"notifications/cancelled","params":
        {"requestId":1}}))), "202");
    CHECK_INT(cancelled, 1); /* another session's */
    mcp_done(held[2], mcp_text(held[2], "late"));
    end();
}

TEST(an_id_in_flight_in_the_session_is_refused_and_in_another_is_not) {
    begin();
    session s = open_session("2025-11-25", ""), t = open_session("2025-11-25", "");
    call_in(&s, "1", "later");
    CHECK_STR(outcome(call_in(&s, "1", "echo")), "400 -32600 1 Invalid Request");
    CHECK_STR(outcome(call_in(&s, "\"1\"", "echo")), "200 \"1\"");
    CHECK_STR(outcome(call_in(&t, "1", "echo")), "200 1");
    mcp_done(held[0], mcp_text(held[0], "late"));
    CHECK_STR(outcome(call_in(&s, "1", "echo")), "200 1");
    end();
}

TEST(too_many_calls_of_a_session_are_503) {
    desc.limits.calls = 2;
    begin();
    session s = open_session("2025-11-25", "");
    call_in(&s, "1", "later");
    call_in(&s, "2", "later");
    CHECK_STR(outcome(call_in(&s, "3", "echo")), "503 -32603 3 Too many calls in flight");
    CHECK_STR(outcome(post_in(&s, J({"jsonrpc":"2.0","id":4,"method":"ping"}))), "200 4");
    reply *r = get_in(&s, "");
    CHECK_INT(r->status, 200);
    CHECK_STR(outcome(post_in(&s, J({"jsonrpc":"2.0","method":"notifications/cancelled","params":
        {"requestId":2}}))), "202");
    CHECK_INT(cancelled, 1);
    for (int i = 0; i < 2; i++) mcp_done(held[i], mcp_text(held[i], "late"));
    CHECK_STR(outcome(call_in(&s, "3", "echo")), "200 3");
    end();
}

/* ---- streams that resume ---- */

TEST(a_stream_that_broke_is_replayed_from_the_event_named) {
    begin();
    session s = open_session("2025-11-25", "");
    reply *a = call_in(&s, "1", "later");
    mcp_progress(held[0], 1, 2, "half");
    CHECK_STR(since(a), "id: 3-1\nretry: 1000\ndata:\n\nid: 3-2\n" PROGRESS);
    mcp_http_gone(w.server, a);
    reply *b = call_in(&s, "2", "steps"); /* beside it */
    CHECK(strstr(b->body.at, "id: 4-3\n") != NULL);
    mcp_done(held[0], mcp_text(held[0], "late"));
    CHECK_STR(since(a), "");
    const reply *r = get_in(&s, "Last-Event-ID: 3-1\n");
    CHECK_INT(r->status, 200);
    CHECK_STR(r->body.at, "id: 3-2\n" PROGRESS "id: 3-3\n" RESULT_OF("1", "late"));
    CHECK(r->last);
    r = get_in(&s, "Last-Event-ID: 3-2\n");
    CHECK_STR(r->body.at, "id: 3-3\n" RESULT_OF("1", "late"));
    r = get_in(&s, "Last-Event-ID: 3-3\n");
    CHECK_STR(r->body.at, ":\n\n");
    CHECK(r->last);
    r = get_in(&s, "Last-Event-ID: 4-1\n");
    CHECK_STR(r->body.at, "id: 4-2\n" PROGRESS "id: 4-3\n" RESULT_OF("2", "done"));
    session other = open_session("2025-11-25", "");
    r = get_in(&other, "Last-Event-ID: 3-1\n"); /* nothing of the first one's */
    CHECK(strstr(r->body.at, "late") == NULL);
    end();
}

TEST(an_event_id_that_is_none_is_400_or_replays_nothing) {
    static const char *const ids[] = { "", "x", "3", "3-", "-1", "3-x", "99-1", "0-1", " 3-1x",
        "99999999999999999999999-1", "-3-1", "+3-1", "3--1", "4294967299-1" };
    begin();
    session s = open_session("2025-11-25", "");
    call_in(&s, "1", "steps");
    for (int i = 0; i < 14; i++) {
        reply *r = get_in(&s, text_of("Last-Event-ID: %s\n%s%s", ids[i], "", ""));
        if (i == 8) CHECK(r->last);
        else if (!CHECK_STR(outcome(r), "400 -32000 null Unknown Last-Event-ID"))
            printf("    %s\n", ids[i]);
    }
    harness_bytes longer = { NULL, 0, 0 };
    harness_add(&longer, "Last-Event-ID: 3-", 17);
    for (int i = 0; i < 100000; i++) harness_add(&longer, "9", 1);
    harness_add(&longer, "\n", 1);
    const reply *r = get_in(&s, longer.at);
    CHECK(r->status == 400 || !strcmp(r->body.at, ":\n\n"));
    longer.at[16] = '9'; /* no dash */
    CHECK_INT(get_in(&s, longer.at)->status, 400);
    free(longer.at);
    r = get_in(&s, "Last-Event-ID: 3-77\n"); /* the stream, but not the event */
    CHECK_STR(r->body.at, ":\n\n");
    end();
}

TEST(a_call_may_hang_up_and_its_client_fetch_the_rest) { /* 2025-11-25 polling */
    begin();
    session s = open_session("2025-11-25", "");
    reply *a = call_in(&s, "1", "later");
    CHECK_INT(mcp_hang_up(held[0], 500), MCP_OK);
    CHECK_STR(since(a), "id: 3-1\nretry: 500\ndata:\n\n");
    CHECK(a->last);
    CHECK_INT(cancelled, 0);
    mcp_progress(held[0], 1, 2, "half");
    reply *b = get_in(&s, "Last-Event-ID: 3-1\n");
    CHECK_STR(since(b), "id: 3-2\n" PROGRESS);
    CHECK(!b->last);
    CHECK_INT(mcp_hang_up(held[0], 0), MCP_OK);
    CHECK(b->last);
    CHECK_STR(since(b), "");
    mcp_done(held[0], mcp_text(held[0], "late"));
    const reply *c = get_in(&s, "Last-Event-ID: 3-2\n");
    CHECK_STR(c->body.at, "id: 3-3\n" RESULT_OF("1", "late"));
    CHECK(c->last);
    end();
}

TEST(hanging_up_does_nothing_where_nobody_could_come_back) {
    begin();
    session s = open_session("2025-06-18", "");
    reply *r[3] = { call_in(&s, "1", "later"), post(CALLS("later"), CALL("later", "{}")),
                    post(JSON, J({"jsonrpc":"2.0","id":1,"method":"tools/call","params":
                        {"name":"later"}})) };
    for (int i = 0; i < 3; i++) {
        CHECK_INT(mcp_hang_up(held[i], 500), MCP_OK);
        CHECK_INT(r[i]->parts, 0);
        mcp_done(held[i], mcp_text(held[i], "late"));
        CHECK_INT(r[i]->status, 200);
        CHECK(r[i]->last);
    }
    end();
}

TEST(who_resumes_a_stream_that_lives_takes_it_over) {
    begin();
    session s = open_session("2025-11-25", "");
    reply *a = call_in(&s, "1", "later");
    mcp_progress(held[0], 1, 2, "half");
    since(a);
    reply *b = get_in(&s, "Last-Event-ID: 3-1\n" ORIGIN);
    CHECK_STR(header(b, "Access-Control-Allow-Origin"), "http://localhost:6274");
    CHECK_STR(header(b, "Content-Type"), "text/event-stream");
    CHECK(a->last); /* each message goes on one stream */
    CHECK_INT(a->body.n, 0);
    CHECK_INT(b->rc, MCP_PENDING);
    CHECK_STR(since(b), "id: 3-2\n" PROGRESS);
    mcp_done(held[0], mcp_text(held[0], "late"));
    CHECK_STR(since(b), "id: 3-3\n" RESULT_OF("1", "late"));
    CHECK(b->last);
    reply *c = get_in(&s, ""), *d = get_in(&s, "Last-Event-ID: 5-1\n"); /* its own, likewise */
    CHECK(c->last);
    CHECK(!d->last);
    mcp_server_changed(w.server, MCP_TOOLS);
    mcp_poll(w.server);
    CHECK_STR(d->body.at, ":\n\nid: 5-2\n" TOOLS_CHANGED);
    mcp_http_gone(w.server, d);
    mcp_server_changed(w.server, MCP_TOOLS);
    reply *e = get_in(&s, "Last-Event-ID: 5-1\n");
    mcp_poll(w.server);
    CHECK_STR(e->body.at, "id: 5-2\n" TOOLS_CHANGED "id: 5-3\n" TOOLS_CHANGED);
    CHECK(!e->last);
    end();
}

TEST(a_reply_that_is_not_taken_is_kept_in_a_session) {
    begin();
    session s = open_session("2025-11-25", "");
    reply *a = call_in(&s, "1", "later");
    a->fail_at = 1;
    mcp_progress(held[0], 1, 2, "half");
    mcp_poll(w.server);
    CHECK_INT(cancelled, 0);
    mcp_done(held[0], mcp_text(held[0], "late"));
    CHECK_INT(a->parts, 1);
    const reply *r = get_in(&s, "Last-Event-ID: 3-0\n");
    CHECK(strstr(r->body.at, PROGRESS "id: 3-3\n" RESULT_OF("1", "late")) != NULL);
    end();
}

TEST(what_streams_in_pieces_is_not_kept) {
    desc.limits.spill = 8 * 1024;
    begin();
    session s = open_session("2025-11-25", "");
    const reply *r = call_in(&s, "1", "big");
    const char *last = r->body.at ? strstr(r->body.at, "id: 3-3\ndata: {") : NULL;
    CHECK(last != NULL && strlen(last) > 30000);
    r = get_in(&s, "Last-Event-ID: 3-1\n");
    CHECK(harness_is(r->body.at, "id: 3-2\ndata: "));
    CHECK(r->body.n < 200);
    CHECK(r->last);
    end();
}

TEST(logs_of_a_session_turn_its_answer_into_events) {
    begin();
    session s = open_session("2025-06-18", "");
    const reply *r = call_in(&s, "1", "logs");
    CHECK(harness_is(r->body.at, "id: 3-1\ndata: {\"jsonrpc\":\"2.0\",\"method\":"
                     "\"notifications/message\""));
    CHECK_STR(outcome(post_in(&s, J({"jsonrpc":"2.0","id":2,"method":"logging/setLevel","params":
        {"level":"error"}}))), "200 2");
    CHECK_STR(outcome(call_in(&s, "3", "logs")), "200 3"); /* of the session, on any stream */
    end();
}

TEST(what_a_session_keeps_to_replay_is_bounded) {
    desc.limits.replay = 1000;
    begin();
    session s = open_session("2025-11-25", "");
    reply *a = call_in(&s, "1", "later");
    mcp_progress(held[0], 1, 2000, "half");
    mcp_http_gone(w.server, a);
    size_t live = 0;
    for (int i = 2; i < 1000; i++) {
        mcp_progress(held[0], i, 2000, "more");
        if (i == 100) live = w.mem.live;
    }
    CHECK(w.mem.live <= live + 1000);
    mcp_done(held[0], mcp_text(held[0], "late"));
    const reply *r = get_in(&s, "Last-Event-ID: 3-1\n");
    CHECK(r->body.n <= 1000);
    CHECK(strstr(r->body.at, "\"progress\":999,") != NULL);
    CHECK(strstr(r->body.at, "\"late\"") != NULL);
    char text[2000];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = 0;
    a = call_in(&s, "2", "later");
    mcp_progress(held[1], 1, 2, text); /* alone more than that */
    CHECK(a->body.n > 2000);
    mcp_http_gone(w.server, a);
    r = get_in(&s, "Last-Event-ID: 5-0\n");
    CHECK_INT(r->status, 200);
    CHECK(r->body.n <= 1000);
    mcp_done(held[1], MCP_OK);
    end();
}

/* ---- large results ---- */

TEST(a_result_too_large_to_keep_leaves_in_parts_as_json_or_as_one_event) {
    static const char plain[] = CALL("big", "{}");
    static const char told[] = BODY("tools/call", "\"name\":\"big\",\"_meta\":{\"progressToken\":1,"
                                    HARNESS_META "}");
    desc.limits.spill = 8 * 1024;
    begin();
    for (int i = 0; i < 2; i++) {
        const reply *r = post(CALLS("big"), i ? told : plain);
        CHECK_INT(r->status, 200);
        CHECK(r->parts > 2);
        CHECK(r->last);
        const char *json = i ? strstr(r->body.at, "data: {\"jsonrpc\":\"2.0\",\"id\"") : r->body.at;
        if (!CHECK(json != NULL)) continue;
        size_t n = strlen(json += i ? 6 : 0) - (i ? 2 : 0);
        CHECK(n > 30000);
        CHECK(harness_is_message(json, n));
        CHECK(harness_is_json(json, n));
        CHECK_STR(header(r, "Content-Type"), i ? "text/event-stream" : "application/json");
        if (i) CHECK_STR(json + n, "\n\n");
    }
    reply *r = post(CALLS("big"), "");
    for (int at = 1; at < 5; at++) { /* not taken at some part */
        mcp_attr h[] = { { "Content-Type", "application/json" }, { "Accept", "*/*" },
            { "MCP-Protocol-Version", "2026-07-28" }, { "Mcp-Method", "tools/call" },
            { "Mcp-Name", "big" }, { NULL, NULL } };
        mcp_http_request rq = { "POST", "/mcp", h, at % 2 ? told : plain,
                                at % 2 ? sizeof told - 1 : sizeof plain - 1, NULL };
        mcp_reply_hook hook = { web_part, r };
        r->parts = 0;
        r->last = false;
        r->fail_at = at;
        mcp_http_handle(w.server, &rq, hook);
        CHECK_INT(r->parts, at);
        mcp_poll(w.server);
    }
    end();
}

/* The log behind the beginning of an answer: on the session's own stream; without one, behind the
   answer; who takes no events loses nothing but that. */
TEST(logs_behind_the_beginning_of_a_large_answer) {
    static const char call[] = J({"jsonrpc":"2.0","id":1,"method":"tools/call",
                                  "params":{"name":"big_and_logs"}});
    desc.limits.spill = 8 * 1024;
    begin();
    session s = open_session("2025-06-18", "");
    const reply *r = post_in(&s, call);
    const char *answer = strstr(r->body.at, "\"result\""), *log = strstr(r->body.at, "written");
    CHECK(answer && log && answer < log && r->last);
    CHECK_STR(header(r, "Content-Type"), "text/event-stream");
    reply *own = get_in(&s, "");
    since(own);
    r = post_in(&s, call);
    CHECK(strstr(r->body.at, "\"result\"") && !strstr(r->body.at, "written") && r->last);
    mcp_poll(w.server);
    CHECK(strstr(since(own), "written") != NULL);
    r = post("Content-Type: application/json\nAccept: application/json\n", call); /* no session */
    CHECK_STR(header(r, "Content-Type"), "application/json");
    CHECK(harness_is_json(r->body.at, r->body.n));
    CHECK_STR(outcome(call_in(&s, "3", "echo")), "200 3");
    end();
}

/* ---- 2024-11-05: HTTP+SSE ---- */

TEST(the_old_transport_answers_on_its_stream) {
    desc.flags = MCP_HTTP_SSE;
    begin();
    reply *stream = request_of("GET", "/sse", EVENTS, "", 0, NULL);
    CHECK_INT(stream->status, 200);
    CHECK_STR(header(stream, "Content-Type"), "text/event-stream");
    char path[100] = "";
    sscanf(since(stream), "event: endpoint\ndata: %99[^\n]", path);
    CHECK(harness_is(path, "/messages?sessionId=mcp-"));
#define TO(body) request_of("POST", path, "Content-Type: application/json\n", body, \
                            sizeof body - 1, NULL)
    CHECK_STR(outcome(TO(INIT("2024-11-05"))), "202");
    CHECK(harness_is(since(stream), "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":0,\"result\""
                     ":{\"protocolVersion\":\"2024-11-05\","));
    CHECK_STR(outcome(TO(DONE_NOTE)), "202");
    CHECK_STR(outcome(TO(PING)), "202");
    CHECK_STR(since(stream), "event: message\n"
              "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n");
    CHECK_INT(TO("{")->status, 400);
    CHECK_INT(request_of("POST", path, "", PING, sizeof PING - 1, NULL)->status, 415);
    mcp_server_changed(w.server, MCP_TOOLS);
    mcp_poll(w.server);
    CHECK_STR(since(stream), "event: message\n" TOOLS_CHANGED);
    static const char *const wrong[] = { "/messages", "/messages?", "/messages?sessionId=",
        "/messages?sessionId=x",
        "/messages?sessionId=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" };
    for (int i = 0; i < 5; i++)
        CHECK_STR(outcome(request_of("POST", wrong[i], JSON, PING, sizeof PING - 1, NULL)),
                  "404 -32001 null Session not found");
    session s = open_session("2025-11-25", ""); /* no session of the newer transport */
    CHECK_INT(request_of("POST", text_of("/messages?sessionId=%s%s%s", s.id, "", ""), JSON, PING,
                         sizeof PING - 1, NULL)->status, 404);
    CHECK_INT(request_of("POST", "/sse", JSON, "", 0, NULL)->status, 405);
    CHECK_INT(request_of("GET", path, EVENTS, "", 0, NULL)->status, 405);
    CHECK_STR(outcome(TO(J({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":)
                           "\"later\"}}")), "202");
    mcp_http_gone(w.server, stream); /* the session is that stream */
    CHECK_INT(cancelled, 1);
    mcp_done(held[0], mcp_text(held[0], "late"));
    CHECK_STR(since(stream), "");
    CHECK_INT(TO(PING)->status, 404);
    end();
}

/* ---- flags ---- */

TEST(stateless_means_no_sessions_at_all) {
    desc.flags = MCP_STATELESS;
    begin();
    const reply *r = post(JSON, INIT("2025-06-18"));
    CHECK_STR(outcome(r), "200 0");
    CHECK_STR(header(r, "Mcp-Session-Id"), "");
    CHECK_STR(part(part(r->body.at, "result"), "protocolVersion"), "\"2025-06-18\"");
    CHECK_STR(outcome(post(JSON, DONE_NOTE)), "202");
    CHECK_STR(outcome(post(JSON "MCP-Protocol-Version: 2025-06-18\n", PING)), "200 1");
    r = ask_http("GET", EVENTS, "");
    CHECK_INT(r->status, 405);
    CHECK_STR(header(r, "Allow"), "POST, OPTIONS");
    CHECK_INT(ask_http("DELETE", "Mcp-Session-Id: x\n", "")->status, 405);
    end();
}

TEST(a_get_tells_people_what_this_is_if_the_desc_says_so) {
    desc.flags = MCP_HTTP_INFO;
    desc.version = "1.2.3";
    begin();
    const reply *r = ask_http("GET", "Accept: text/html\n", "");
    CHECK_INT(r->status, 200);
    CHECK_STR(part(r->body.at, "name"), "\"unit\"");
    CHECK_STR(part(r->body.at, "version"), "\"1.2.3\"");
    CHECK_STR(part(r->body.at, "protocol_version"), "\"2025-11-25\"");
    CHECK_STR(part(r->body.at, "supported_versions"), ALL);
    CHECK(strstr(part(r->body.at, "capabilities"), "\"tools\":{") != NULL);
    CHECK_INT(ask_http("GET", "", "")->status, 200);
    CHECK_INT(ask_http("GET", EVENTS, "")->status, 400); /* wants a session's stream */
    CHECK_INT(ask_http("GET", "Host: evil.example\n", "")->status, 403);
    end();
}

TEST(a_header_is_there_until_its_call_is_done) {
    begin();
    post(CALLS("later") "X-Test: t\nX-Test: u\nEmpty:\n", CALL("later", "{}"));
    for (int i = 0; i < 20; i++) post(LISTS "X-Test: other\n", LIST);
    CHECK_STR(mcp_header(held[0], "x-test"), "t");
    CHECK_STR(mcp_header(held[0], "Empty"), "");
    CHECK_STR(mcp_header(held[0], "None"), "");
    CHECK_STR(mcp_caller_of(held[0])->transport, "http");
    mcp_done(held[0], mcp_text(held[0], "late"));
    end();
}

TEST(older_versions_that_are_not_served_have_no_sessions) {
    desc.versions = MCP_2026_07_28;
    begin();
    CHECK_INT(post(JSON, INIT("2025-11-25"))->status, 400);
    CHECK_INT(post(JSON, PING)->status, 400);
    CHECK_STR(outcome(post(LISTS, LIST)), "200 \"x\"");
    end();
    desc.versions = MCP_2025_06_18;
    begin();
    session s = open_session("2025-06-18", "");
    CHECK_INT(post(LISTS, LIST)->status, 400);
    CHECK_STR(outcome(post_in(&s, PING)), "200 1");
    end();
}

/* ---- within, and at the end ---- */

static reply *inner;

static int asks_itself(mcp_call *c) {
    inner = post(LISTS, LIST);
    CHECK_INT(inner->rc, MCP_PENDING);
    return mcp_text(c, "outer");
}
static int loses_its_client(mcp_call *c) {
    CHECK(!mcp_cancelled(c));
    mcp_http_gone(w.server, &web_replies[(web_next - 1) % REPLIES]);
    CHECK(mcp_cancelled(c));
    return mcp_text(c, "outer");
}
static const mcp_tool nested[] = { { .name = "asks_itself", .call = asks_itself },
                                   { .name = "loses_its_client", .call = loses_its_client },
                                   { 0 } };

TEST(a_request_from_a_handler_waits_until_it_is_over) {
    begin();
    CHECK_INT(mcp_server_set_tools(w.server, nested), MCP_OK);
    CHECK_STR(outcome(post(CALLS("asks_itself"), CALL("asks_itself", "{}"))), "200 \"x\"");
    mcp_poll(w.server);
    CHECK_STR(outcome(inner), "200 \"x\"");
    CHECK(inner->last);
    const reply *r = post(CALLS("loses_its_client"), CALL("loses_its_client", "{}"));
    CHECK_INT(r->parts, 0);
    end();
}

TEST(a_server_may_go_while_streams_are_open) {
    begin();
    session s = open_session("2025-11-25", "");
    call_in(&s, "9", "later");
    CHECK_STR(outcome(post_in(&s, subscribe_a)), "200 1");
    get_in(&s, "");
    post(LISTENS, listen_body);
    post(CALLS("later"), CALL("later", "{}"));
    call_in(&s, "2", "later");
    mcp_hang_up(held[2], 10);
    mcp_server_free(w.server);
    w.server = NULL;
    CHECK_INT(cancelled, 3);
    end();
}

/* ---- memory ---- */

TEST(each_allocation_of_a_request_may_fail_and_the_next_one_works) {
    begin();
    session s = open_session("2025-11-25", "");
    for (int kind = 0; kind < 6; kind++)
        for (size_t at = 1;; at++) {
            w.mem.fail_at = w.mem.calls + at;
            w.mem.failed = false;
            unsigned before = count;
            reply *r = kind == 0 ? post(CALLS("echo"), CALL("echo", "{\"text\":\"hi\"}"))
                     : kind == 1 ? post(JSON, INIT("2025-11-25"))
                     : kind == 2 ? call_in(&s, "1", "steps")
                     : kind == 3 ? get_in(&s, "Last-Event-ID: 1-0\n")
                     : kind == 4 ? post(LISTENS, listen_body) : call_in(&s, "2", "later");
            if (count > before) mcp_hang_up(held[before % 8], 1);
            if (count > before) mcp_done(held[before % 8], mcp_text(held[before % 8], "late"));
            bool failed = w.mem.failed;
            w.mem.fail_at = 0;
            mcp_http_gone(w.server, r);
            CHECK_STR(outcome(post(LISTS, LIST)), "200 \"x\"");
            if (!failed) break;
            CHECK(at < 1000);
        }
    end();
}

int main(void) {
    fresh();
    RUN(a_modern_request_is_answered_with_one_json_object);
    RUN(modern_faults_are_found_in_order_and_echo_the_id);
    RUN(what_2026_07_28_has_no_more_is_404);
    RUN(a_name_may_be_encoded_and_is_compared_decoded);
    RUN(parameters_in_headers_are_what_the_body_says);
    RUN(a_mistake_in_a_header_row_is_told_at_the_start);
    RUN(a_header_row_is_listed_as_x_mcp_header);
    RUN(a_modern_notification_is_202_whatever_its_headers_are);
    RUN(who_hangs_up_cancels_a_modern_call);
    RUN(any_accept_that_admits_json_is_enough);
    RUN(only_json_is_taken);
    RUN(without_events_progress_is_not_told);
    RUN(progress_and_logs_turn_a_modern_answer_into_events_without_ids);
    RUN(a_subscription_is_acknowledged_first_told_of_changes_and_kept_alive);
    RUN(a_subscription_whose_client_takes_no_more_is_freed);
    RUN(a_client_that_takes_no_progress_has_cancelled);
    RUN(hosts_and_origins_of_elsewhere_are_forbidden);
    RUN(the_desc_names_more_hosts_and_origins);
    RUN(a_browser_may_ask_first_and_read_the_answer);
    RUN(who_is_not_known_is_told_where_to_get_a_token);
    RUN(a_protected_resource_describes_itself);
    RUN(a_proxy_may_say_who_it_is_in_a_header_that_the_desc_names);
    RUN(paths_that_are_not_ours_are_left_to_others);
    RUN(what_is_too_long_is_413_once_it_is_known_who_sent_it);
    RUN(other_verbs_are_405_and_say_which_are_not);
    RUN(an_older_request_without_a_session_is_served_alone);
    RUN(a_session_begins_with_initialize_and_has_an_id_nobody_can_guess);
    RUN(each_version_can_be_negotiated_over_http);
    RUN(a_dead_session_is_404);
    RUN(a_session_is_initialized_once);
    RUN(the_version_header_may_name_any_older_version_served);
    RUN(the_session_that_nobody_used_for_longest_makes_room);
    RUN(a_session_that_nobody_uses_ends_after_an_hour);
    RUN(a_session_belongs_to_who_began_it);
    RUN(without_randomness_there_are_no_sessions);
    RUN(batches_are_of_2025_03_26_alone);
    RUN(what_belongs_to_no_request_arrives_on_the_stream_of_its_own);
    RUN(progress_turns_an_older_answer_into_events_with_ids_and_2025_11_25_primes);
    RUN(cancelled_reaches_a_call_on_another_stream_and_hanging_up_does_not_cancel);
    RUN(an_id_in_flight_in_the_session_is_refused_and_in_another_is_not);
    RUN(too_many_calls_of_a_session_are_503);
    RUN(a_stream_that_broke_is_replayed_from_the_event_named);
    RUN(an_event_id_that_is_none_is_400_or_replays_nothing);
    RUN(a_call_may_hang_up_and_its_client_fetch_the_rest);
    RUN(hanging_up_does_nothing_where_nobody_could_come_back);
    RUN(who_resumes_a_stream_that_lives_takes_it_over);
    RUN(a_reply_that_is_not_taken_is_kept_in_a_session);
    RUN(what_streams_in_pieces_is_not_kept);
    RUN(logs_of_a_session_turn_its_answer_into_events);
    RUN(what_a_session_keeps_to_replay_is_bounded);
    RUN(a_result_too_large_to_keep_leaves_in_parts_as_json_or_as_one_event);
    RUN(logs_behind_the_beginning_of_a_large_answer);
    RUN(the_old_transport_answers_on_its_stream);
    RUN(stateless_means_no_sessions_at_all);
    RUN(a_get_tells_people_what_this_is_if_the_desc_says_so);
    RUN(a_header_is_there_until_its_call_is_done);
    RUN(older_versions_that_are_not_served_have_no_sessions);
    RUN(a_request_from_a_handler_waits_until_it_is_over);
    RUN(a_server_may_go_while_streams_are_open);
    RUN(each_allocation_of_a_request_may_fail_and_the_next_one_works);
    return DONE();
}
