/* dispatch.c - who serves what: envelopes, ids, eras and versions, methods, lists and their pages,
   batches, completion, subscriptions */
#include "unit.h"

#define LENGTH(rows) (sizeof(rows) / sizeof *(rows))
#define HANDLER(name) static int name(mcp_call *c)

HANDLER(named) { return mcp_text(c, mcp_arg_str(c, "name")); }
HANDLER(counts) { /* the arguments, as the handler sees them */
    return mcp_textf(c, "%d", (int)mcp_count(mcp_args(c)));
}
static const mcp_tool tools[] = {
    { .name = "echo", .call = named, .flags = MCP_OPEN }, { .name = "count", .call = counts,
    .flags = MCP_OPEN }, { 0 } };
static const mcp_arg prompt_args[] = {
    { .name = "word", .flags = MCP_REQUIRED, .choices = "ab|ac|b|\xC3\xA9" },
    { .name = "free" }, { 0 } };
static const mcp_prompt prompts[] = { { .name = "p", .args = prompt_args, .get = named }, { 0 } };
static const mcp_resource resources[] = {
    { .uri = "a://one", .text = "1" }, { .uri = "t://{id}", .read = named }, { 0 } };

static void serve(void) {
    start();
    CHECK_INT(asserted, 0);
}
static void offer_all(void) {
    fresh();
    desc.tools = tools;
    desc.prompts = prompts;
    desc.resources = resources;
    desc.flags = MCP_LOGGING | MCP_SUBSCRIBE;
    desc.changes = MCP_TOOLS | MCP_RESOURCES | MCP_PROMPTS;
}

static const struct { const char *name; unsigned bit; } all[] = {
    { "2026-07-28", MCP_2026_07_28 }, { "2025-11-25", MCP_2025_11_25 },
    { "2025-06-18", MCP_2025_06_18 }, { "2025-03-26", MCP_2025_03_26 },
    { "2024-11-05", MCP_2024_11_05 } };

/* The code of the error that answers, "ok" for a result, "" for silence. */
static const char *outcome(const char *line) {
    const char *out = ask(line);
    if (!*out) return "";
    const char *error = part(out, "error");
    return *error ? part(error, "code") : *part(out, "result") ? "ok" : "neither";
}

/* ---- envelopes ---- */

TEST(envelopes) { /* JSON-RPC 2.0 section 4: the id comes back if it was one */
    static const struct { const char *line, *id, *outcome; } rows[] = {
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}", "1", "ok" },
        { " \t{ \"method\" : \"ping\" , \"id\" : 1 , \"jsonrpc\" : \"2.0\" } \r", "1", "ok" },
        { "{\"jsonrpc\":\"2\\u002e0\",\"id\":1,\"m\\u0065thod\":\"p\\u0069ng\"}", "1", "ok" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"more\":[{}],\"Method\":\"x\"}", "1",
          "ok" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":null}", "1", "ok" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{}}", "1", "ok" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"result\":1}", "1", "ok" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[]}", "1", "-32602" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[1,2,3]}", "1", "-32602" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":\"x\"}", "1", "-32602" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":0}", "1", "-32602" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":false}", "1", "-32602" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1}", "1", "-32600" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":null}", "1", "-32600" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":[\"ping\"]}", "1", "-32600" },
        { "{\"jsonrpc\":2.0,\"id\":1,\"method\":\"ping\"}", "1", "-32600" },
        { "{\"jsonrpc\":\"2.1\",\"id\":1,\"method\":\"ping\"}", "1", "-32600" },
        { "{\"jsonrpc\":\"2.0\\u0000\",\"id\":1,\"method\":\"ping\"}", "1", "-32600" },
        { "{\"id\":1,\"method\":\"ping\"}", "1", "-32600" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"method\":\"ping\"}", "1", "-32600" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":1,\"method\":\"ping\"}", "null", "-32600" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{},\"par\\u0061ms\":{}}",
          "1", "-32600" },
        { "{}", "null", "-32600" }, { "null", "null", "-32600" }, { "1", "null", "-32600" },
        { "\"x\"", "null", "-32600" }, { "[]", "null", "-32600" },
        { "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", "null", "-32600" },
        { "{\"jsonrpc\":\"2.0\",\"method\":\"ping\"}", "", "" },
        { "{\"jsonrpc\":\"2.0\",\"method\":\"no/such\",\"params\":[1]}", "", "" },
        { "{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{\"name\":\"echo\"}}", "",
          "" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", "", "" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1,\"message\":\"x\"}}", "", "" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"notifications/initialized\"}", "1",
          "-32600" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}x", "null", "-32700" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}{}", "null", "-32700" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"", "null", "-32700" } };
    offer_all();
    serve();
    for (size_t i = 0; i < LENGTH(rows); i++) {
        if (!CHECK_STR(outcome(rows[i].line), rows[i].outcome)) printf("    %s\n", rows[i].line);
        CHECK_STR(w.out.n ? part(w.out.at, "id") : "", rows[i].id);
    }
    stop();
}

TEST(ids) { /* strings and integers, back byte for byte; two peers may differ about anything else */
    static const char *const good[] = { "0", "-1", "1.0", "1e2", "-0", "\"\"", "\"a\"",
        "\"\\u0061\\/\"",
        "\"\xC3\xA9\"", "\"\\ud800\"", "\"\\u0000\"", "12345678901234567890",
            "123456789012345678901234567890",
        "9007199254740993", "-9223372036854775809", "1.00000000000000000000000000000000000" };
    static const char *const bad[] = { "null", "true", "false", "1.5", "1e-1", "[]", "[1]", "{}",
        "{\"a\":1}",
        "1.0000000000000000000000000000000001", "1e400" };
    offer_all();
    serve();
    for (size_t i = 0; i < LENGTH(good); i++) {
        const char *out = ask(text_of("{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"ping\"}%s%s",
            good[i], "", ""));
        CHECK_STR(out, text_of("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{}}%s%s", good[i], "",
            ""));
    }
    for (size_t i = 0; i < LENGTH(bad); i++) {
        CHECK_STR(outcome(text_of("{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"ping\"}%s%s", bad[i],
            "", "")), "-32600");
        CHECK_STR(part(w.out.at, "id"), "null");
    }
    stop();
}

/* ---- versions ---- */

static const char *hello_to(const char *version) {
    char line[sizeof HARNESS_HELLO + 64];
    snprintf(line, sizeof line, HARNESS_HELLO, version);
    feed(line, strlen(line));
    return part(part(w.out.at, "result"), "protocolVersion");
}

static const char *newest(unsigned bits) { /* among those with a handshake */
    for (size_t i = 1; i < LENGTH(all); i++)
        if (bits & all[i].bit) return all[i].name;
    return NULL;
}

static const char *listed(unsigned bits) {
    const char *list = "[";
    for (size_t i = 0; i < LENGTH(all); i++)
        if (bits & all[i].bit) list = text_of("%s%s\"%s\"", list, list[1] ? "," : "", all[i].name);
    return text_of("%s]%s%s", list, "", "");
}

TEST(versions_narrowed) { /* every set of them: what initialize, discover and all others answer */
    for (unsigned bits = 1; bits < 32; bits++) {
        offer_all();
        desc.versions = bits;
        serve();
        const char *latest = newest(bits);
        char supported[100];
        strcpy(supported, listed(bits));
        bool modern = bits & MCP_2026_07_28;
        static const char *const wanted[] = { "2026-07-28", "2025-11-25", "2025-06-18",
            "2025-03-26",
                                              "2024-11-05", "2024-10-07", "2099-01-01",
                                                  "2025-11-25 ", "x" };
        CHECK_STR(outcome("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}"), latest
            ? "-32600" : "-32602");
        for (size_t i = 0; i < LENGTH(wanted); i++) {
            const char *expected = latest ? text_of("\"%s\"%s%s", latest, "", "") : "";
            for (size_t k = 1; k < LENGTH(all); k++)
                if ((bits & all[k].bit) && !strcmp(wanted[i], all[k].name))
                    expected = text_of("\"%s\"%s%s", wanted[i], "", "");
            CHECK_STR(hello_to(wanted[i]), expected);
            if (latest) continue;
            const char *error = part(w.out.at, "error");
            CHECK_STR(part(error, "code"), "-32022");
            CHECK_STR(part(part(error, "data"), "supported"), supported);
            CHECK_STR(part(part(error, "data"), "requested"), text_of("\"%s\"%s%s", wanted[i], "",
                ""));
        }
        CHECK_STR(outcome("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}"), latest
            ? "ok" : "-32602");
        CHECK_STR(outcome("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"), latest
            ? "ok" : "-32602");
        const char *found = part(request(MODERN, "server/discover", ""), "result");
        CHECK_STR(part(found, "supportedVersions"), modern ? supported : "");
        if (!modern) CHECK_STR(part(part(part(w.out.at, "error"), "data"), "supported"), supported);
        request(MODERN, "tools/list", "");
        CHECK((*part(w.out.at, "result") != 0) == modern);
        stop();
    }
}

TEST(versions_of_requests) { /* in _meta: whole strings, and only those without a handshake */
    static const struct { const char *version, *code; } rows[] = {
        { "\"2026-07-28\"", "ok" }, { "\"2026-07-2\\u0038\"", "ok" },
          { "\"2025-11-25\"", "-32022" },
        { "\"2024-11-05\"", "-32022" }, { "\"2026-07-28 \"", "-32022" },
          { "\"2026-07-28\\u0000\"", "-32022" },
        { "\"\"", "-32022" }, { "20260728", "-32602" }, { "null", "-32602" }, { "[]", "-32602" } };
    offer_all();
    serve();
    for (int session = 0; session < 2; session++) {
        for (size_t i = 0; i < LENGTH(rows); i++)
            CHECK_STR(outcome(text_of("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\","
                "\"params\":{\"_meta\":{"
                "\"io.modelcontextprotocol/protocolVersion\":%s,"
                "\"io.modelcontextprotocol/clientCapabilities\":{}}}}%s%s", rows[i].version, "",
                    "")), rows[i].code);
        static const char *const capabilities[] = { "null", "[]", "\"x\"", "true" };
        for (size_t i = 0; i < LENGTH(capabilities); i++)
            CHECK_STR(outcome(text_of("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\","
                "\"params\":{\"_meta\":{"
                "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
                "\"io.modelcontextprotocol/clientCapabilities\":%s}}}%s%s", capabilities[i], "",
                    "")), "-32602");
        CHECK_STR(outcome("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{"
            "\"_meta\":{"
                          "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}}}"),
                              "-32602");
        CHECK_STR(outcome("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{"
            "\"_meta\":{"
                          "\"io.modelcontextprotocol/clientCapabilities\":{}}}}"), "-32602");
        CHECK_STR(outcome("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{"
            "\"_meta\":[]}}"),
                  session ? "ok" : "-32600");
        if (!session) hello("2025-06-18");
    }
    stop();
}

TEST(initialize_params) {
    static const char *const bad[] = { "", "{}", "[]", "\"x\"",
        "{\"protocolVersion\":\"2025-11-25\"}",
        "{\"protocolVersion\":1,\"capabilities\":{},\"clientInfo\":{\"name\":\"n\",\"version\":"
            "\"v\"}}",
        "{\"protocolVersion\":\"\",\"capabilities\":{},\"clientInfo\":{\"name\":\"n\",\"version\":"
            "\"v\"}}",
        "{\"protocolVersion\":\"x\",\"capabilities\":[],\"clientInfo\":{\"name\":\"n\",\"version\":"
            "\"v\"}}",
        "{\"protocolVersion\":\"x\",\"capabilities\":{},\"clientInfo\":{\"name\":\"\",\"version\":"
            "\"v\"}}",
        "{\"protocolVersion\":\"x\",\"capabilities\":{},\"clientInfo\":{\"name\":\"n\"}}",
        "{\"protocolVersion\":\"x\",\"capabilities\":{},\"clientInfo\":[\"n\",\"v\"]}",
        "{\"protocolVersion\":\"x\",\"capabilities\":{},\"clientInfo\":{\"name\":\"n\",\"version\":"
            "\"v\",\"title\":\"\"}}",
        "{\"protocolVersion\":\"x\",\"capabilities\":{},\"clientInfo\":{\"name\":\"n\",\"version\":"
            "\"v\",\"title\":null}}" };
    offer_all();
    serve();
    for (size_t i = 0; i < LENGTH(bad); i++)
        CHECK_STR(outcome(text_of("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"%s%s}%s",
                                  *bad[i] ? ",\"params\":" : "", bad[i], "")), "-32602");
    CHECK_STR(outcome("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}"), "-32600");
    hello("2025-03-26"); /* and none of them disturbs a session that is there */
    CHECK_STR(outcome("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{}}"),
        "-32602");
    CHECK_STR(ask("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]"),
        "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}]");
    stop();
}

TEST(lenient) { /* without a handshake the newest version that has one */
    offer_all();
    desc.flags |= MCP_LENIENT;
    serve();
    CHECK_STR(outcome("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}"), "ok");
    CHECK_STR(outcome("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"logging/setLevel\",\"params\":{"
        "\"level\":\"error\"}}"), "ok");
    CHECK_STR(outcome("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]"), "-32600");
    hello("2024-11-05");
    CHECK_STR(outcome("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}"), "ok");
    stop();
    desc.versions = MCP_2026_07_28;
    serve();
    CHECK_STR(outcome("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}"), "-32602");
    stop();
}

/* ---- methods ---- */

#define REF "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"p\"},\"argument\":{\"name\":\"word\"," \
    "\"value\":\"\"}"
static const struct { const char *name, *params, *in; } methods[] = { /* newest version first */
    { "ping", "", "01111" }, { "server/discover", "", "10000" }, { "tools/list", "", "11111" },
    { "tools/call", "\"name\":\"echo\"", "11111" }, { "resources/list", "", "11111" },
    { "resources/templates/list", "", "11111" }, { "resources/read", "\"uri\":\"a://one\"",
      "11111" },
    { "resources/subscribe", "\"uri\":\"a://one\"", "01111" },
    { "resources/unsubscribe", "\"uri\":\"a://one\"", "01111" }, { "prompts/list", "", "11111" },
    { "prompts/get", "\"name\":\"p\",\"arguments\":{\"word\":\"b\"}", "11111" },
    { "completion/complete", REF, "11111" }, { "logging/setLevel", "\"level\":\"debug\"", "01111" },
    { "initialize", "", "0----" },
    { "no/such", "", "00000" }, { "tools/list ", "", "00000" }, { "", "", "00000" },
      { "Ping", "", "00000" },
    { "roots/list", "", "00000" }, { "notifications/cancelled", "", "eeeee" },
    { "subscriptions/listen", "\"notifications\":{}", "s----" } };

TEST(methods_of_versions) {
    offer_all();
    serve();
    for (size_t i = 0; i < LENGTH(methods); i++)
        for (size_t v = 0; v < LENGTH(all); v++) {
            char in = methods[i].in[v];
            if (in == '-') continue;
            request(all[v].name, methods[i].name, methods[i].params);
            const char *code = part(part(w.out.at, "error"), "code");
            if (in == 's') CHECK(strstr(w.out.at, "acknowledged") != NULL);
            else if (!CHECK_STR(code, in == '1' ? "" : in == 'e'
                ? "-32600" : methods[i].name[0] == 's' ? "-32602" : "-32601"))
                printf("    %s in %s\n", methods[i].name, all[v].name);
        }
    stop();
}

TEST(methods_nobody_offers) { /* a server that has only tools knows nothing else, and the reverse */
    fresh();
    desc.tools = tools;
    serve();
    for (size_t v = 0; v < LENGTH(all); v++)
        for (size_t i = 0; i < LENGTH(methods); i++) {
            bool mine = harness_is(methods[i].name, "tools/") && methods[i].name[10] != ' ';
            bool ours = mine || methods[i].in[v] != '1' || !strcmp(methods[i].name, "ping") ||
                        !strcmp(methods[i].name, "server/discover");
            if (ours) continue;
            request(all[v].name, methods[i].name, methods[i].params);
            if (!CHECK_STR(part(part(w.out.at, "error"), "code"), "-32601"))
                printf("    %s in %s\n", methods[i].name, all[v].name);
        }
    stop();
    fresh();
    serve();
    CHECK_STR(part(part(request(MODERN, "server/discover", ""), "result"), "capabilities"), "{}");
    CHECK_STR(part(part(request("2025-11-25", "tools/list", ""), "error"), "code"), "-32601");
    stop();
}

TEST(capabilities) { /* what is declared is what is there, in one order; and what an author adds */
    offer_all();
    serve();
    CHECK_STR(part(part(request(MODERN, "server/discover", ""), "result"), "capabilities"),
              "{\"logging\":{},\"completions\":{},\"prompts\":{\"listChanged\":true},\"resources\":"
              "{\"subscribe\":true,\"listChanged\":true},\"tools\":{\"listChanged\":true}}");
    hello_to("2024-11-05");
    CHECK(!strstr(w.out.at, "completions"));
    stop();
    fresh();
    desc.tools = tools;
    desc.capabilities = " {\"extensions\":{\"x\\u002fy\":{}}, \"experimental\":{ }}";
    serve();
    const char *own = part(part(request(MODERN, "server/discover", ""), "result"), "capabilities");
    CHECK(harness_is(own, "{\"tools\":{\"listChanged\":false},"));
    CHECK_STR(part(own, "extensions"), "{\"x\\u002fy\":{}}");
    CHECK_STR(part(own, "experimental"), "{}");
    stop();
}

TEST(who_we_are) { /* each version in its own words */
    static const mcp_icon icons[] = { { .src = "https://e/i", .mime = "image/png",
        .theme = "dark" }, { 0 } };
    static const char old[] = "{\"name\":\"unit\",\"version\":\"7\"}",
        titled[] = "{\"name\":\"unit\",\"title\":\"T\",\"version\":\"7\"}",
        full[] = "{\"name\":\"unit\",\"title\":\"T\",\"version\":\"7\",\"description\":\"D\","
            "\"websiteUrl\":\"https://w\","
        "\"icons\":[{\"src\":\"https://e/i\",\"mimeType\":\"image/png\",\"theme\":\"dark\"}]}";
    fresh();
    desc.version = "7", desc.title = "T", desc.desc = "D";
    desc.website = "https://w", desc.icons = icons;
    desc.instructions = "I";
    serve();
    for (size_t v = 1; v < LENGTH(all); v++) {
        hello_to(all[v].name);
        const char *r = part(w.out.at, "result");
        CHECK_STR(part(r, "serverInfo"), v == 1 ? full : v == 2 ? titled : old);
        CHECK_STR(part(r, "instructions"), v == 4 ? "" : "\"I\"");
    }
    const char *r = part(request(MODERN, "server/discover", ""), "result");
    CHECK_STR(part(part(r, "_meta"), "io.modelcontextprotocol/serverInfo"), full);
    CHECK_STR(part(r, "instructions"), "\"I\"");
    CHECK_STR(part(r, "ttlMs"), "300000");
    stop();
}

/* ---- twins: members of one name ---- */

TEST(twins) { /* in params and _meta they are refused, in arguments the last counts */
    static const struct { const char *params, *outcome; } rows[] = {
        { "\"name\":\"count\",\"name\":\"count\"", "-32600" },
          { "\"name\":\"count\",\"n\\u0061me\":\"x\"", "-32600" },
        { "\"name\":\"count\",\"x\":1,\"y\":2,\"x\":1", "-32600" },
        { "\"name\":\"count\",\"_meta\":{\"a\":1,\"b\":2,\"\\u0061\":3}", "-32600" },
        { "\"name\":\"count\",\"_meta\":{\"a\":{\"x\":1,\"x\":2}}", "ok" },
        { "\"name\":\"count\",\"arguments\":{\"a\":1,\"a\":2}", "ok" },
        { "\"name\":\"count\",\"\":1,\"a\":2", "ok" }, { "\"name\":\"count\",\"\":1,\"\":2",
          "-32600" },
        { "\"name\":\"count\",\"a\\u0000\":1,\"a\":2", "ok" },
        { "\"name\":\"count\",\"\\ud800\":1,\"\\udc00\":2", "-32600" } }; /* both are U+FFFD */
    offer_all();
    serve();
    hello("2025-11-25");
    for (size_t i = 0; i < LENGTH(rows); i++)
        if (!CHECK_STR(outcome(text_of("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
            "\"params\":{%s}}%s%s",
                                       rows[i].params, "", "")),
                                           rows[i].outcome)) puts(rows[i].params);
    stop();
}

/* ---- what is not there ---- */

TEST(unknown_names) { /* are told, cut and escaped, in the code of the version */
    char name[400] = "";
    for (int i = 0; i < 100; i++) strcat(name, "\xC3\xA9");
    char cut[200];
    snprintf(cut, sizeof cut, "\"Unknown tool: %.128s\"", name);
    offer_all();
    serve();
    CHECK_STR(part(part((result(MODERN, name, "{}"), w.out.at), "error"), "message"), cut);
    CHECK_STR(part(part((result(MODERN, "a\\u0000\\n\\\"", "{}"), w.out.at), "error"), "message"),
              "\"Unknown tool: a\\u0000\\n\\\"\"");
    CHECK_STR(part(part((result(MODERN, "echo\\u0000x", "{}"), w.out.at), "error"), "code"),
        "-32602");
    CHECK_STR(part(part((result(MODERN, "Echo", "{}"), w.out.at), "error"), "code"), "-32602");
    CHECK_STR(part(part((result(MODERN, "", "{}"), w.out.at), "error"), "message"),
        "\"Unknown tool: \"");
    CHECK_STR(part(request(MODERN, "prompts/get", "\"name\":\"q\""), "error"),
              "{\"code\":-32602,\"message\":\"Unknown prompt: q\"}");
    CHECK_STR(part(request(MODERN, "resources/read", "\"uri\":\"x://y\""), "error"),
              "{\"code\":-32602,\"message\":\"Resource not found: x://y\",\"data\":{\"uri\":\"x:"
                  "//y\"}}");
    CHECK_STR(part(request("2025-11-25", "resources/read", "\"uri\":\"x://y\""), "error"),
              "{\"code\":-32002,\"message\":\"Resource not found: x://y\",\"data\":{\"uri\":\"x:"
                  "//y\"}}");
    stop();
}

TEST(params_of_calls) {
    static const struct { const char *method, *params, *code; } rows[] = {
        { "tools/call", "", "-32602" }, { "tools/call", "\"name\":1", "-32602" },
        { "tools/call", "\"name\":\"echo\",\"arguments\":[]", "-32602" },
        { "tools/call", "\"name\":\"echo\",\"arguments\":\"x\"", "-32602" },
        { "tools/call", "\"name\":\"echo\",\"arguments\":null,\"more\":{}", "" },
        { "prompts/get", "\"name\":\"p\"", "-32602" }, { "prompts/get", "\"name\":[\"p\"]",
          "-32602" },
        { "prompts/get", "\"name\":\"p\",\"arguments\":{\"word\":1}", "-32602" },
        { "prompts/get", "\"name\":\"p\",\"arguments\":{\"word\":\"zz\"}", "-32602" },
        { "prompts/get", "\"name\":\"p\",\"arguments\":{\"word\":\"b\",\"more\":\"\"}", "-32602" },
        { "resources/read", "", "-32602" }, { "resources/read", "\"uri\":1", "-32602" },
        { "resources/subscribe", "", "-32602" }, { "resources/subscribe", "\"uri\":{}", "-32602" },
        { "resources/unsubscribe", "\"uri\":\"never\"", "" },
        { "completion/complete", "", "-32602" }, { "completion/complete", "\"ref\":\"p\"",
          "-32602" },
        { "completion/complete", "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"p\"}", "-32602" },
        { "completion/complete", "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"q\"},"
          "\"argument\":{\"name\":\"word\",\"value\":\"\"}", "-32602" },
        { "completion/complete", "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"p\"},"
          "\"argument\":{\"name\":\"nope\",\"value\":\"\"}", "-32602" },
        { "completion/complete", "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"p\"},"
          "\"argument\":{\"name\":\"word\",\"value\":1}", "-32602" },
        { "completion/complete", REF ",\"context\":{\"arguments\":[1,2]}", "-32602" },
        { "completion/complete", REF ",\"context\":{\"arguments\":7}", "-32602" },
        { "completion/complete", REF ",\"context\":[]", "" },
        { "completion/complete", REF ",\"context\":{\"arguments\":{\"free\":\"x\",\"word\":\"y\"}}",
          "" },
        { "logging/setLevel", "", "-32602" }, { "logging/setLevel", "\"level\":3", "-32602" } };
    offer_all();
    serve();
    for (size_t i = 0; i < LENGTH(rows); i++) {
        request("2025-11-25", rows[i].method, rows[i].params);
        if (!CHECK_STR(part(part(w.out.at, "error"), "code"), rows[i].code))
            printf("    %s %s\n", rows[i].method, rows[i].params);
    }
    stop();
}

/* ---- pages ---- */

enum { ROWS = 7 };
static mcp_tool rows_a[ROWS + 1], rows_b[ROWS + 1];
static const char *const row_names[ROWS] = { "e", "a", "g", "c", "f", "b", "d" };

static void many(mcp_tool *rows, const char *without) {
    memset(rows, 0, (ROWS + 1) * sizeof *rows);
    for (size_t i = 0, k = 0; i < ROWS; i++) {
        if (strstr(without, row_names[i])) continue;
        rows[k].name = row_names[i];
        rows[k++].call = named;
    }
}

/* The names on a page, and the cursor of the next one: "" at the end. */
static const char *page(const char *version, const char *cursor, char *names) {
    const char *r = part(request(version, "tools/list", *cursor
        ? text_of("\"cursor\":%s%s%s", cursor, "", "") : ""), "result");
    *names = 0;
    for (const char *p = r; (p = strstr(p, "{\"name\":\"")) != NULL; p++)
        if (p[10] == '"') strncat(names, p + 9, 1);
    return part(r, "nextCursor");
}

TEST(pages) { /* of any size: together they are the list, and the last one has no cursor */
    char names[40], together[80];
    for (size_t size = 0; size < ROWS + 2; size++) {
        fresh();
        many(rows_a, "");
        desc.tools = rows_a;
        desc.limits.page = size;
        serve();
        for (size_t v = 0; v < LENGTH(all); v++) {
            const char *cursor = "";
            size_t count = 0;
            *together = 0;
            do {
                cursor = page(all[v].name, cursor, names);
                CHECK(!size || strlen(names) <= size);
                strcat(together, names);
            } while (*cursor && ++count < 20);
            CHECK_STR(together, "eagcfbd");
            CHECK_INT(count, size ? (ROWS - 1) / size : 0);
        }
        stop();
    }
}

TEST(pages_of_a_list_that_changes) { /* behind the row of that name, or where it stood */
    static const struct { const char *gone, *rest; } rows[] = {
        { "", "cfbd" }, { "e", "cfbd" }, { "ea", "cfbd" }, { "g", "cfbd" }, { "c", "fbd" },
          { "gc", "fbd" },
        { "eagcfbd", "" } };
    char names[40];
    for (size_t i = 0; i < LENGTH(rows); i++) {
        fresh();
        many(rows_a, "");
        many(rows_b, rows[i].gone);
        desc.tools = rows_a;
        desc.changes = MCP_TOOLS;
        desc.limits.page = 3;
        serve();
        const char *cursor = page(MODERN, "", names);
        CHECK_STR(names, "eag");
        CHECK_INT(mcp_server_set_tools(w.server, rows_b), MCP_OK);
        char rest[80] = "";
        for (int n = 0; *cursor && n < 9; n++) {
            cursor = page(MODERN, cursor, names);
            strcat(rest, names);
        }
        if (!CHECK_STR(rest, rows[i].rest)) printf("    without %s\n", rows[i].gone);
        stop();
    }
}

TEST(cursors_are_ours) { /* what we never gave out is refused, and so is anything beside a cursor */
    static const char *const bad[] = { "\"\"", "\"x\"", "\"====\"", "\"MA==\"", "\"MDo\"",
        "\"Og==\"", "\"OmE=\"",
        "\"LTE6YQ==\"", "\"MDphMA=\"", "\"MDph\\n\"", "\" MDph\"", "1", "[]", "{}", "true",
            "\"\\u0000\"", "\"\xC3\xA9\"",
        "\"OTk5OTk5OTk5OTk5OTk5OTk5OTk5Ojph\"", "\"MTIzNDU2Nzg5MDph\"" };
    char names[40];
    fresh();
    many(rows_a, "");
    desc.tools = rows_a;
    desc.limits.page = 3;
    serve();
    for (size_t i = 0; i < LENGTH(bad); i++) {
        page(MODERN, bad[i], names);
        if (!CHECK_STR(part(part(w.out.at, "error"), "code"), "-32602")) puts(bad[i]);
    }
    CHECK_STR(page(MODERN, "null", names), page(MODERN, "", names));
    page(MODERN, "\"MjpnMQ==\",\"cursor\":null", names);
    CHECK_STR(part(part(w.out.at, "error"), "code"), "-32600");
    request("2025-11-25", "tools/list", "\"other\":1");
    CHECK_STR(part(part(w.out.at, "error"), "code"), "-32602");
    page(MODERN, "\"OTk5OTk5OTk5OmdvbmU=\"", names); /* 999999999:gone may have been one */
    CHECK_STR(names, "");
    stop();
    desc.limits.page = 0; /* no pages, no cursors */
    serve();
    page(MODERN, "\"MDph\"", names);
    CHECK_STR(part(part(w.out.at, "error"), "code"), "-32602");
    stop();
}

/* ---- what clients may keep ---- */

TEST(cache_hints) {
    offer_all();
    desc.cache.ttl_ms = 1234;
    desc.cache.scope = MCP_PRIVATE;
    serve();
    static const char *const lists[] = { "tools/list", "prompts/list", "resources/list",
        "resources/templates/list" };
    for (size_t i = 0; i < LENGTH(lists); i++) {
        const char *r = part(request(MODERN, lists[i], ""), "result");
        CHECK_STR(part(r, "ttlMs"), "1234");
        CHECK_STR(part(r, "cacheScope"), "\"private\"");
        CHECK_STR(part(part(request("2025-11-25", lists[i], ""), "result"), "ttlMs"), "");
    }
    const char *r = part(request(MODERN, "server/discover", ""), "result");
    CHECK_STR(part(r, "ttlMs"), "300000");
    CHECK_STR(part(r, "cacheScope"), "\"public\"");
    CHECK_STR(part(result(MODERN, "echo", "{}"), "ttlMs"), "");
    stop();
    desc.cache.ttl_ms = MCP_ZERO;
    serve();
    CHECK_STR(part(part(request(MODERN, "tools/list", ""), "result"), "ttlMs"), "0");
    stop();
}

/* ---- batches ---- */

#define PING(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"ping\"}"
#define PONG(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{}}"
#define NOTE "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}"
#define WRONG(id) "{\"jsonrpc\":\"2.0\",\"id\":" id \
    ",\"error\":{\"code\":-32600,\"message\":\"Invalid Request\"}}"

TEST(batches) { /* 2025-03-26 only; one array for an array, nothing for nothing */
    static const struct { const char *in, *out; } rows[] = {
        { "[" PING("1") "]", "[" PONG("1") "]" },
        { " [ " PING("1") " , " NOTE ", " PING("\"2\"") " ] ", "[" PONG("1") "," PONG("\"2\"")
          "]" },
        { "[" NOTE "," NOTE "]", "" },
        { "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}]", "" },
        { "[]", WRONG("null") }, { "[1]", "[" WRONG("null") "]" },
        { "[1,\"a\",null,true,[],{}]", "[" WRONG("null") "," WRONG("null") "," WRONG("null")
          "," WRONG("null") ","
          WRONG("null") "," WRONG("null") "]" },
        { "[[" PING("1") "]]", "[" WRONG("null") "]" },
        { "[" PING("1") "," PING("1") "]", "[" WRONG("1") "," PONG("1") "]" },
        { "[" PING("1") "," PING("1.0") "]", "[" WRONG("1.0") "," PONG("1") "]" },
        { "[" PING("1.5") "," PING("2") "]", "[" WRONG("null") "," PONG("2") "]" },
        { "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{}}]", "[" WRONG("1")
          "]" },
        { "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\",\"params\":{\"_meta\":{"
          "" HARNESS_META "}}}]",
          "[" WRONG("1") "]" },
        { "[" PING("1") ",]", "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,"
          "\"message\":\"Parse error\"}}" } };
    offer_all();
    serve();
    hello("2025-03-26");
    for (size_t i = 0; i < LENGTH(rows); i++)
        if (!CHECK_STR(ask(rows[i].in), rows[i].out)) puts(rows[i].in);
    static const char *const others[] = { "2024-11-05", "2025-06-18", "2025-11-25" };
    for (size_t i = 0; i < LENGTH(others); i++) {
        hello(others[i]);
        CHECK_STR(ask(rows[0].in), WRONG("null"));
        CHECK_STR(ask("[]"), WRONG("null"));
    }
    stop();
}

TEST(batches_have_a_limit) { /* as many as may wait; beyond that one refusal, at once */
    static char line[100000];
    for (size_t n = 4; n < 6; n++) {
        fresh();
        desc.limits.calls = 4;
        serve();
        hello("2025-03-26");
        strcpy(line, "[");
        for (size_t i = 0; i < n; i++)
            sprintf(line + strlen(line), "%s{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"ping\"}", i
                ? "," : "", (int)i);
        strcat(line, "]");
        const char *out = ask(line);
        CHECK((*out == '[') == (n == 4));
        if (n > 4) CHECK_STR(part(part(out, "error"), "message"),
            "\"Too many messages in a batch\"");
        CHECK(strstr(ask(PING("9")), "result") != NULL);
        stop();
    }
}

TEST(batches_without_memory) { /* every request is answered, alone if need be, and nothing leaks */
    for (size_t n = 1; n < 100; n++) {
        offer_all();
        serve();
        hello("2025-03-26");
        w.mem.fail_at = w.mem.calls + n;
        const char *out = ask("[" PING("1") "," PING("2")
            ",{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/list\"}]");
        CHECK(strstr(out, "\"id\":1") && strstr(out, "\"id\":2") && strstr(out, "\"id\":3"));
        bool done = !w.mem.failed;
        w.mem.fail_at = 0;
        CHECK(strstr(ask(PING("9")), "result") != NULL);
        stop();
        if (done) break;
    }
}

/* ---- completion ---- */

static const char *completed(const char *params) {
    return part(part(request("2025-11-25", "completion/complete", params), "result"), "completion");
}
static const char *complete_word(const char *typed) {
    return completed(text_of("\"ref\":{\"type\":\"ref/prompt\",\"name\":\"p\"},\"argument\":{"
        "\"name\":\"word\","
                             "\"value\":\"%s%s%s\"}", typed, "", ""));
}

TEST(completion_of_choices) { /* those that begin so */
    static const struct { const char *typed, *values; } rows[] = {
        { "", "[\"ab\",\"ac\",\"b\",\"\xC3\xA9\"]" }, { "a", "[\"ab\",\"ac\"]" },
          { "ab", "[\"ab\"]" },
        { "abc", "[]" }, { "A", "[]" }, { "\\u0061", "[\"ab\",\"ac\"]" },
          { "\xC3\xA9", "[\"\xC3\xA9\"]" }, { "a\\u0000", "[]" } };
    offer_all();
    serve();
    for (size_t i = 0; i < LENGTH(rows); i++) CHECK_STR(part(complete_word(rows[i].typed),
        "values"), rows[i].values);
    CHECK_STR(complete_word("a"), "{\"values\":[\"ab\",\"ac\"],\"total\":2,\"hasMore\":false}");
    CHECK_STR(completed("\"ref\":{\"type\":\"ref/prompt\",\"name\":\"p\"},\"argument\":{\"name\":"
        "\"free\",\"value\":\"\"}"),
              "{\"values\":[],\"total\":0,\"hasMore\":false}");
    stop();
}

static int offered, how;
static void add_meta(mcp_call *c, bool good) { /* larger than a buffer begins */
    mcp_put_strf(mcp_result_meta(c), "m", "%2000s", "x");
    if (!good) mcp_put_arr(mcp_result_meta(c), "open");
}
HANDLER(completes) {
    if (how >= 4) return add_meta(c, how == 4), MCP_OK;
    if (how == 1) return mcp_error(c, 5, "no");
    if (how == 2) return mcp_text(c, "no content here");
    if (how == 3) return MCP_IO;
    CHECK_STR(mcp_arg_str(c, "other"), "ctx");
    for (int i = 0; i < offered; i++) mcp_complete(c, mcp_format(c, "%s%d", mcp_arg_str(c, "x"),
        i));
    return MCP_OK;
}

TEST(completion_by_a_handler) { /* at most 100 are sent, all are counted */
    static const mcp_arg args[] = { { .name = "x", .complete = completes }, { .name = "other" },
        { 0 } };
    static const mcp_resource templates[] = { { .uri = "t://{x}/{other}", .read = named,
        .args = args }, { 0 } };
    static const int counts_of[] = { 0, 1, 100, 101, 1000 };
    fresh();
    desc.resources = templates;
    serve();
    how = 0;
    for (size_t i = 0; i < LENGTH(counts_of); i++) {
        char tail[60];
        offered = counts_of[i];
        const char *r = completed("\"ref\":{\"type\":\"ref/resource\",\"uri\":\"t://{x}/{other}\"},"
            "\"argument\":{"
            "\"name\":\"x\",\"value\":\"v\"},\"context\":{\"arguments\":{\"other\":\"ctx\",\"x\":"
                "\"not this\"}}");
        snprintf(tail, sizeof tail, "],\"total\":%d,\"hasMore\":%s}", offered, offered > 100
            ? "true" : "false");
        CHECK(strstr(r, tail) != NULL);
        CHECK((strstr(r, "\"v99\"") != NULL) == (offered >= 100) && !strstr(r, "\"v100\""));
    }
    static const char *const codes[] = { "", "5", "-32603", "-32603", "", "-32603" };
    for (how = 1; how < 6; how++) {
        completed("\"ref\":{\"type\":\"ref/resource\",\"uri\":\"t://{x}/{other}\"},\"argument\":{"
            "\"name\":\"x\",\"value\":\"\"}");
        CHECK_STR(part(part(w.out.at, "error"), "code"), codes[how]);
        if (how == 4) CHECK(strlen(part(part(w.out.at, "result"), "_meta")) > 2000);
    }
    stop_after(1);
}

/* ---- subscriptions ---- */

static const char *polled(void) {
    w.out.n = 0;
    harness_add(&w.out, "", 0);
    mcp_poll(w.server);
    harness_add(&w.out, "", 0);
    return w.out.at;
}
#define UPDATED "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\",\"params\":{" \
    "\"uri\":\"a://one\"}}\n"

TEST(subscribed) { /* told once however often it was touched; not after unsubscribing */
    offer_all();
    serve();
    mcp_server_touch(w.server, "a://one");
    CHECK_STR(polled(), "");
    CHECK(strstr(request("2025-11-25", "resources/subscribe", "\"uri\":\"a://\\u006fne\""),
        "result") != NULL);
    ask("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/subscribe\",\"params\":{\"uri\":\"a:"
        "//one\"}}");
    for (int i = 0; i < 1000; i++) mcp_server_touch(w.server, "a://one");
    mcp_server_touch(w.server, "a://on");
    mcp_server_touch(w.server, NULL);
    CHECK_STR(polled(), UPDATED);
    CHECK_STR(polled(), "");
    ask("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/unsubscribe\",\"params\":{\"uri\":"
        "\"a://one\"}}");
    mcp_server_touch(w.server, "a://one");
    CHECK_STR(polled(), "");
    stop();
}

TEST(subscriptions_have_a_limit) {
    offer_all();
    desc.limits.subscriptions = 2;
    serve();
    hello("2025-11-25");
    static const char *const rows[] = { "a", "b", "b", "c", "a" };
    static const char *const codes[] = { "", "", "", "-32603", "" };
    for (size_t i = 0; i < LENGTH(rows); i++)
        CHECK_STR(part(part(ask(text_of("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
            "\"resources/subscribe\",\"params\":"
                                        "{\"uri\":\"%s%s%s\"}}", rows[i], "", "")), "error"),
                                            "code"), codes[i]);
    ask("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/unsubscribe\",\"params\":{\"uri\":"
        "\"a\"}}");
    CHECK(strstr(ask("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/subscribe\",\"params\":{"
        "\"uri\":\"c\"}}"), "result") != NULL);
    stop();
}

TEST(changed_lists) { /* told to who was told that they may change, and is ready to hear it */
    static const char told[] =
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n";
    offer_all();
    desc.changes = MCP_TOOLS;
    serve();
    mcp_server_changed(w.server, MCP_TOOLS);
    CHECK_STR(polled(), "");
    ask("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
        "\"2025-11-25\","
        "\"capabilities\":{},\"clientInfo\":{\"name\":\"n\",\"version\":\"v\"}}}");
    mcp_server_changed(w.server, MCP_TOOLS);
    CHECK_STR(polled(), "");
    ask("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    mcp_server_changed(w.server, MCP_TOOLS | MCP_PROMPTS);
    mcp_server_changed(w.server, MCP_TOOLS | 64);
    CHECK_STR(polled(), told);
    CHECK_STR(polled(), "");
    w.out.n = 0;
    CHECK_INT(mcp_server_set_tools(w.server, NULL), MCP_OK);
    harness_add(&w.out, "", 0);
    CHECK_STR(w.out.at, told);
    CHECK_INT(mcp_server_set_prompts(w.server, NULL), MCP_OK);
    CHECK_STR(polled(), "");
    stop();
}

HANDLER(completes_from_now_on) {
    static const mcp_arg args[] = { { .name = "a", .choices = "x|y" }, { 0 } };
    static const mcp_prompt rows[] = { { .name = "p", .args = args, .get = completes_from_now_on },
                                       { 0 } };
    mcp_cancelled(c); /* takes in the next line, too */
    mcp_server_set_prompts(mcp_call_server(c), rows);
    return mcp_text(c, "done");
}

/* what is offered is asked for when a request's turn comes, not when its bytes do */
TEST(a_table_set_before_its_turn) {
    static const char lines[] =
        J({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}) "\n"
        J({"jsonrpc":"2.0","id":2,"method":"completion/complete","params":{
           "ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":""}}}) "\n";
    static const mcp_tool tools_of_it[] = { { .name = "t", .call = completes_from_now_on }, { 0 } };
    fresh();
    desc.tools = tools_of_it;
    desc.changes = MCP_PROMPTS;
    start();
    hello("2025-11-25");
    CHECK_INT(feed(lines, sizeof lines - 1), MCP_OK);
    CHECK(strstr(w.out.at, "\"values\":[\"x\",\"y\"]") != NULL);
    stop();
}

#define LISTEN(id, what) "{\"jsonrpc\":\"2.0\",\"id\":" id "," \
    "\"method\":\"subscriptions/listen\",\"params\":{" \
    "\"notifications\":{" what "},\"_meta\":{" HARNESS_META "}}}"

/* acknowledged; every message says for whom; cancelled, it is over and not answered */
TEST(listening) {
    offer_all();
    desc.changes = MCP_TOOLS | MCP_RESOURCES;
    serve();
    CHECK_STR(ask(LISTEN("\"l\"",
        "\"toolsListChanged\":true,\"promptsListChanged\":true,\"resourcesListChanged\":false,"
                         "\"resourceSubscriptions\":[\"a://one\"],\"unknown\":1")),
              "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\","
                  "\"params\":{\"notifications\":"
              "{\"toolsListChanged\":true,\"resourceSubscriptions\":[\"a://one\"]},\"_meta\":"
              "{\"io.modelcontextprotocol/subscriptionId\":\"l\"}}}");
    mcp_server_changed(w.server, MCP_TOOLS | MCP_RESOURCES | MCP_PROMPTS);
    mcp_server_touch(w.server, "a://one");
    CHECK_STR(polled(), "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\","
        "\"params\":{\"_meta\":"
              "{\"io.modelcontextprotocol/subscriptionId\":\"l\"}}}\n"
              "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\",\"params\":{"
                  "\"uri\":\"a://one\",\"_meta\":"
              "{\"io.modelcontextprotocol/subscriptionId\":\"l\"}}}\n");
    CHECK(strstr(ask(LISTEN("\"l\"", "")), "-32600") != NULL);
    CHECK_STR(ask("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
        "\"requestId\":\"l\"}}"), "");
    mcp_server_touch(w.server, "a://one");
    CHECK_STR(polled(), "");
    CHECK(strstr(ask(LISTEN("\"l\"", "")), "acknowledged") != NULL);
    stop();
}

TEST(listening_wrongly) { /* refused, and nothing of it stays */
    static const char *const bad[] = { "\"notifications\":[]", "\"notifications\":null", "\"x\":1",
        "\"notifications\":{\"toolsListChanged\":1}",
            "\"notifications\":{\"resourceSubscriptions\":{}}",
        "\"notifications\":{\"resourceSubscriptions\":[\"a\",1]}" };
    offer_all();
    desc.limits.subscriptions = 2;
    serve();
    for (size_t i = 0; i < LENGTH(bad); i++)
        CHECK_STR(part(part(request(MODERN, "subscriptions/listen", bad[i]), "error"), "code"),
            "-32602");
    CHECK(strstr(ask(LISTEN("1", "\"resourceSubscriptions\":[\"a\",\"b\",\"c\"]")),
        "-32603") != NULL);
    CHECK(strstr(ask(LISTEN("1", "\"resourceSubscriptions\":[\"a\",\"b\"]")),
        "acknowledged") != NULL);
    CHECK(strstr(ask(LISTEN("2", "\"resourceSubscriptions\":[\"c\"]")), "-32603") != NULL);
    CHECK(strstr(ask(LISTEN("3", "\"resourceSubscriptions\":[]")), "acknowledged") != NULL);
    stop();
}

TEST(listening_without_memory) { /* acknowledged, or refused: not neither */
    for (size_t n = 1; n < 50; n++) {
        offer_all();
        serve();
        w.mem.fail_at = w.mem.calls + n;
        const char *out = ask(LISTEN("1", "\"resourceSubscriptions\":[\"a\",\"b\",\"c\"]"));
        if (!CHECK(strstr(out, "acknowledged") || strstr(out, "-32603")))
            printf("    allocation %lu: %s\n", (unsigned long)n, out);
        bool done = !w.mem.failed, open = strstr(out, "acknowledged") != NULL;
        w.mem.fail_at = 0;
        mcp_server_touch(w.server, "b");
        CHECK((*polled() != 0) == open);
        stop();
        if (done) break;
    }
}

static char watched[200];
static void watch(void *user, const char *uri, bool on) {
    (void)user;
    snprintf(watched + strlen(watched), sizeof watched - strlen(watched), "%c%s ", on ? '+' : '-',
        uri);
}

TEST(watching) { /* the first who asks, and the last who goes, in whatever way */
    offer_all();
    desc.flags = 0;
    desc.watch.func = watch;
    serve();
    *watched = 0;
    ask(LISTEN("1", "\"resourceSubscriptions\":[\"a\",\"b\"]"));
    ask(LISTEN("2", "\"resourceSubscriptions\":[\"a\"]"));
    request("2025-11-25", "resources/subscribe", "\"uri\":\"a\"");
    CHECK_STR(watched, "+a +b ");
    ask("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":"
        "1}}");
    ask("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/unsubscribe\",\"params\":{\"uri\":"
        "\"a\"}}");
    CHECK_STR(watched, "+a +b -b ");
    mcp_conn_free(w.conn);
    w.conn = NULL;
    CHECK_STR(watched, "+a +b -b -a ");
    stop();
}

/* ---- lists that change under one's feet ---- */

static const mcp_resource fewer[] = { { .uri = "z://z", .text = "" }, { 0 } };
static mcp_handler *rows_handler;
HANDLER(rows_of) { return rows_handler(c); }
static const mcp_resource listing[] = { { .uri = "a://one", .text = "1" },
    { .uri = "l://{x}", .read = named, .list = rows_of }, { .uri = "m://{x}", .read = named,
        .list = rows_of }, { 0 } };

HANDLER(rows_replace) { /* the table that is being walked */
    CHECK_INT(mcp_server_set_resources(mcp_call_server(c), fewer), MCP_OK);
    return MCP_OK;
}
HANDLER(rows_error) {
    mcp_resource r = { .uri = "l://1" };
    mcp_link(c, &r);
    return mcp_error(c, 77, "no list");
}
HANDLER(rows_fail) { return mcp_failf(c, "no %s", "list"); }
HANDLER(rows_text) { return mcp_text(c, "x"); }
HANDLER(rows_status) { return (void)c, MCP_IO; }
HANDLER(rows_meta) { return add_meta(c, true), MCP_OK; }
HANDLER(rows_meta_open) { /* .list of two templates */
    if (!inside_has_meta(c)) add_meta(c, false);
    return MCP_OK;
}
HANDLER(rows_good) {
    mcp_resource r = { .uri = "l://1", .name = "one", .size = MCP_ZERO };
    return mcp_link(c, &r);
}

TEST(lists_by_handlers) {
    static const struct { mcp_handler *handler; const char *error, *has; } rows[] = {
        { rows_good, "", "{\"uri\":\"l://1\",\"name\":\"one\",\"size\":0}" },
            { rows_replace, "", "a://one" },
        { rows_error, "{\"code\":77,\"message\":\"no list\"}", "" },
        { rows_fail, "{\"code\":-32603,\"message\":\"no list\"}", "" },
        { rows_text, "{\"code\":-32603,\"message\":\"Internal error\"}", "" },
        { rows_meta, "", "\"_meta\":{\"m\":\"    " },
        { rows_meta_open, "{\"code\":-32603,\"message\":\"Internal error\"}", "" },
        { rows_status, "{\"code\":-32603,\"message\":\"Internal error\"}", "" } };
    for (size_t i = 0; i < LENGTH(rows); i++)
        for (size_t size = 0; size < 2; size++) {
            offer_all();
            desc.resources = listing;
            desc.limits.page = 2 * size;
            serve();
            rows_handler = rows[i].handler;
            request(MODERN, "resources/list", "");
            CHECK_STR(part(w.out.at, "error"), rows[i].error);
            CHECK(strstr(part(w.out.at, "result"), rows[i].has) != NULL);
            CHECK(harness_is_json(w.out.at, strlen(w.out.at)));
            CHECK(strstr(request(MODERN, "tools/list", ""), "result") != NULL);
            stop_after(rows[i].handler == rows_meta_open);
        }
}

int main(void) {
    RUN(envelopes);
    RUN(ids);
    RUN(versions_narrowed);
    RUN(versions_of_requests);
    RUN(initialize_params);
    RUN(lenient);
    RUN(methods_of_versions);
    RUN(methods_nobody_offers);
    RUN(capabilities);
    RUN(who_we_are);
    RUN(twins);
    RUN(unknown_names);
    RUN(params_of_calls);
    RUN(pages);
    RUN(pages_of_a_list_that_changes);
    RUN(cursors_are_ours);
    RUN(cache_hints);
    RUN(batches);
    RUN(batches_have_a_limit);
    RUN(batches_without_memory);
    RUN(completion_of_choices);
    RUN(completion_by_a_handler);
    RUN(subscribed);
    RUN(subscriptions_have_a_limit);
    RUN(changed_lists);
    RUN(a_table_set_before_its_turn);
    RUN(listening);
    RUN(listening_wrongly);
    RUN(listening_without_memory);
    RUN(watching);
    RUN(lists_by_handlers);
    return DONE();
}
