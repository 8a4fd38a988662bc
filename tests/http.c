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
    { .name = "region", .header = "Region", .flags = MCP_NULLABLE },
    { .name = "count", .type = MCP_INTEGER, .header = "Count" },
    { .name = "fast", .type = MCP_BOOLEAN, .header = "Fast" },
    { .name = "where", .type = MCP_OBJECT, .of = where_args }, { .name = "text" }, { 0 } };
static const mcp_tool tools[] = {
    { .name = "echo", .args = text_args, .call = echo }, { .name = "later", .call = later },
    { .name = "steps", .call = steps }, { .name = "logs", .call = logs },
    { .name = "big", .call = big }, { .name = "who", .call = who },
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
        { LISTS, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", "400 -32600 null Invalid Request" },
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
        { LISTS, BODY("tools/list", META ",\"cursor\":\"nope\""), "200 -32602 \"x\" Invalid params" } };
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
        { "hell", "hello", "differs" }, { "hello2", "hello", "differs" }, { "", "hello", "differs" } };
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
        { "Mcp-Param-Region: =?base64?SGVsbG8sIOS4lueVjA==?=\n", J({"region":"Hello, \u4e16\u754c"}),
          "" },
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
    CHECK(strstr(r->body.at, "\"region\":{\"type\":[\"string\",\"null\"],\"x-mcp-header\":\"Region\"}")
          != NULL);
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
    CHECK(harness_is(r->body.at, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\","));
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
    CHECK_STR(since(r), "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\","
              "\"params\":{" SUBSCRIPTION "}}\n\n"
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
    /*MORE*/
    return DONE();
}
