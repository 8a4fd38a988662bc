/* pages.c - pages of tools (MCP Apps): every mistake is one line and no server, the policy of a
   page is what it declares and no more. What clients see is in the transcripts (pages_*). */
#include "unit.h"

#define LENGTH(rows) (sizeof(rows) / sizeof *(rows))

static int fine(mcp_call *c) { return mcp_text(c, "fine"); }

TEST(mistakes_of_pages) {
    static const struct { mcp_app app; const char *why; } rows[] = {
        { { .html = "x" }, "app \"\": its URI does not begin with ui:// and a name" },
        { { .uri = "ui://", .html = "x" },
          "app \"ui://\": its URI does not begin with ui:// and a name" },
        { { .uri = "http://x", .html = "x" },
          "app \"http://x\": its URI does not begin with ui:// and a name" },
        { { .uri = "ui://{x}", .html = "x" }, "app \"ui://{x}\": its URI is no template" },
        { { .uri = "ui://\xFF", .html = "x" },
          "app \"ui://\xFF\": the URI is empty, or not UTF-8" },
        { { .uri = "ui://x" }, "app \"ui://x\": it needs exactly one of html, file, read" },
        { { .uri = "ui://x", .html = "x", .file = "x" },
          "app \"ui://x\": it needs exactly one of html, file, read" },
        { { .uri = "ui://x", .html = "x", .read = fine },
          "app \"ui://x\": it needs exactly one of html, file, read" },
        { { .uri = "ui://x", .html = "x", .permissions = 16 },
          "app \"ui://x\": permissions has unknown bits" },
        { { .uri = "ui://x", .html = "x", .prefers_border = 2 },
          "app \"ui://x\": prefers_border is 1 or MCP_ZERO" },
        { { .uri = "ui://x", .html = "x", .prefers_border = -2 },
          "app \"ui://x\": prefers_border is 1 or MCP_ZERO" },
        { { .uri = "ui://x", .html = "x", .meta = "[]" },
          "app \"ui://x\": meta is not a JSON object" },
        { { .uri = "ui://x", .html = "x", .meta = "{\"\\u0075i\":{}}" },
          "app \"ui://x\": meta has a member ui, which the other fields write" } };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        mcp_tool tools[] = { { .name = "t", .call = fine }, { .name = NULL } };
        tools[0].app = &rows[i].app;
        fresh();
        desc.tools = tools;
        CHECK_STR(refused(), text_of("5 -8 %s%s%s", rows[i].why, "", ""));
    }
}

TEST(domains_that_would_end_a_policy) {
    static const char *const bad[] = { "a b", "a;b", "a,b", "'self'", "\"a\"", "a\tb", "a\r\nb",
                                       "\x7F", "\xC3\xA9", "|", "a|", "a||b" };
    for (size_t i = 0; i < LENGTH(bad) * 4; i++) {
        const char *domain = bad[i / 4];
        mcp_app app = { .uri = "ui://x", .html = "x" };
        const char **lists[] = { &app.connect_domains, &app.resource_domains, &app.frame_domains,
                                 &app.base_uri_domains };
        mcp_tool tools[] = { { .name = "t", .call = fine, .app = &app }, { .name = NULL } };
        *lists[i % 4] = domain;
        fresh();
        desc.tools = tools;
        CHECK_STR(refused(),
                  "5 -8 app \"ui://x\": a domain is empty, or has one of space ; , ' \" in it");
    }
}

TEST(mistakes_of_tools_with_pages) {
    static const mcp_app x = { .uri = "ui://x", .html = "x" }, y = { .uri = "ui://x", .html = "y" };
    static const mcp_resource taken[] = { { .uri = "ui://x", .text = "x" }, { 0 } };
    static const struct { mcp_tool tools[3]; const mcp_resource *resources; const char *why; }
    rows[] = {
        { { { .name = "t", .call = fine, .visibility = (mcp_visibility)3 } }, NULL,
          "tool \"t\": no such visibility" },
        { { { .name = "t", .call = fine, .visibility = MCP_APP_ONLY, .meta = "{\"ui\":{}}" } },
          NULL, "tool \"t\": meta has a member ui, which app and visibility write" },
        { { { .name = "t", .call = fine, .app = &x, .meta = "{\"ui\":{}}" } }, NULL,
          "tool \"t\": meta has a member ui, which app and visibility write" },
        { { { .name = "t", .call = fine, .app = &x }, { .name = "u", .call = fine, .app = &y } },
          NULL, "app \"ui://x\": the name appears twice" },
        { { { .name = "t", .call = fine, .app = &x } }, taken,
          "resource \"ui://x\": a page has the same URI" } };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        fresh();
        desc.tools = rows[i].tools;
        desc.resources = rows[i].resources;
        CHECK_STR(refused(), text_of("5 -8 %s%s%s", rows[i].why, "", ""));
    }
}

/* ---- the page ---- */

static int bytes(mcp_call *c) { return mcp_blob(c, NULL, "<p>\xFF", 4); }

TEST(a_page_may_come_as_bytes) { /* in whatever encoding it is */
    static const mcp_app x = { .uri = "ui://x", .read = bytes, .prefers_border = 1 };
    static const mcp_tool tools[] = { { .name = "t", .call = fine, .app = &x }, { 0 } };
    for (size_t i = 0; i < LENGTH(versions); i++) {
        fresh();
        desc.tools = tools;
        start();
        const char *line = request(versions[i], "resources/read", "\"uri\":\"ui://x\"");
        CHECK_STR(part(part(line, "result"), "contents"),
                  text_of("[{\"uri\":\"ui://x\",\"mimeType\":\"text/html;profile=mcp-app\","
                          "\"blob\":\"PHA+/w==\"%s%s%s}]",
                          i < 2 ? "" : ",\"_meta\":{\"ui\":{\"prefersBorder\":true}}", "", ""));
        stop();
    }
}

TEST(pages_alone_are_resources) { /* and no templates, and no prompts */
    static const mcp_app x = { .uri = "ui://x", .html = "x" };
    static const mcp_tool tools[] = { { .name = "t", .call = fine, .app = &x }, { 0 } };
    for (size_t i = 0; i < LENGTH(versions); i++) {
        fresh();
        desc.tools = tools;
        start();
        const char *line = request(versions[i], "resources/templates/list", "");
        CHECK_STR(part(part(line, "result"), "resourceTemplates"), "[]");
        line = request(versions[i], "prompts/list", "");
        CHECK_STR(part(part(line, "error"), "code"), "-32601");
        stop();
    }
}

/* ---- who calls ---- */

static const char *mark;
static int marked(mcp_call *c) {
    const char *says = mcp_get_str(mcp_caller_of(c)->meta, "example.com/caller");
    mark = keep(says, strlen(says));
    return mcp_text(c, "called");
}

static const char *call_marked(const char *version, const char *own) {
    const char *line = text_of("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":"
                               "{\"name\":\"page\",\"_meta\":{%s%s%s}}}", own, *own ? "," : "",
                               version);
    mark = "not called";
    return ask(line);
}

/* A handler reads what the caller says of itself. Nobody can tell whether it is true: a call from
   a client that shows pages is answered whatever it says. */
TEST(what_a_caller_says_of_itself) {
    static const char shows[] =
        "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
        "\"io.modelcontextprotocol/clientCapabilities\":{\"extensions\":"
        "{\"io.modelcontextprotocol/ui\":{}}}";
    static const char shows_none[] =
        "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
        "\"io.modelcontextprotocol/clientCapabilities\":{}";
    static const char *const marks[] = { "app", "model", "" };
    static const mcp_app x = { .uri = "ui://x", .html = "x" };
    static const mcp_tool tools[] = {
        { .name = "page", .call = marked, .app = &x, .visibility = MCP_APP_ONLY }, { 0 } };
    fresh();
    desc.tools = tools;
    start();
    for (size_t i = 0; i < LENGTH(marks); i++) {
        const char *own = *marks[i] ? text_of("\"example.com/caller\":\"%s%s%s\"", marks[i], "", "")
                                    : "";
        CHECK(strstr(call_marked(shows, own), "called") != NULL);
        CHECK_STR(mark, marks[i]);
        CHECK(strstr(call_marked(shows_none, own), "Unknown tool: page") != NULL);
        CHECK_STR(mark, "not called");
    }
    stop();
}

/* ---- names ---- */

TEST(names_are_unique_across_pages) {
    static const mcp_app x = { .uri = "ui://x", .html = "x" }, y = { .uri = "ui://y", .html = "y" };
    static const mcp_tool tools[] = { { .name = "show", .call = fine, .app = &x },
                                      { .name = "show", .call = fine, .app = &y }, { 0 } };
    fresh();
    desc.tools = tools;
    CHECK_STR(refused(), "5 -8 tool \"show\": the name appears twice");
}

TEST(a_server_says_what_its_author_says) { /* apps add no name, no title and no instructions */
    static const mcp_app x = { .uri = "ui://x", .html = "x", .title = "X", .desc = "An x." };
    static const mcp_tool tools[] = { { .name = "show", .call = fine, .app = &x }, { 0 } };
    for (int i = 0; i < 2; i++) {
        fresh();
        desc.tools = tools;
        desc.name = "own";
        if (i) desc.title = "Own", desc.instructions = "Show the x.";
        start();
        const char *r = part(request(MODERN, "server/discover", ""), "result");
        CHECK_STR(part(r, "instructions"), i ? "\"Show the x.\"" : "");
        CHECK_STR(part(part(r, "_meta"), "io.modelcontextprotocol/serverInfo"),
                  i ? J({"name":"own","title":"Own","version":"0.0.0"})
                    : J({"name":"own","version":"0.0.0"}));
        stop();
    }
    fresh();
    desc.tools = tools;
    desc.name = NULL;
    CHECK(strstr(refused(), "name") != NULL);
}

TEST(a_page_that_is_taken_changes_nothing) { /* at run time, from both sides */
    static const mcp_app x = { .uri = "ui://x", .html = "x" };
    static const mcp_tool without[] = { { .name = "t", .call = fine }, { 0 } };
    static const mcp_tool with[] = { { .name = "t", .call = fine, .app = &x }, { 0 } };
    static const mcp_resource taken[] = { { .uri = "ui://x", .text = "x" }, { 0 } };
    fresh();
    desc.tools = without;
    desc.resources = taken;
    start();
    CHECK_INT(mcp_server_set_tools(w.server, with), MCP_MISUSE);
    CHECK_STR(w.log, "5 -8 app \"ui://x\": a resource has the same URI");
    CHECK_INT(mcp_server_set_resources(w.server, NULL), MCP_OK);
    CHECK_INT(mcp_server_set_tools(w.server, with), MCP_OK);
    CHECK_INT(mcp_server_set_resources(w.server, taken), MCP_MISUSE);
    CHECK_STR(w.log, "5 -8 resource \"ui://x\": a page has the same URI");
    stop();
}

/* ---- the policy ---- */

static char policy[2048];
static const char *ui;
static size_t room;
static int write_policy(mcp_call *c) { /* values are read in a call */
    const mcp_json *v = ui ? mcp_parse(c, ui, strlen(ui), NULL) : NULL;
    memset(policy, '!', sizeof policy);
    int rc = mcp_app_csp(v, policy, room);
    return rc ? rc : mcp_text(c, "done");
}

static const char *csp(const char *json, size_t n) {
    static const mcp_tool tools[] = { { .name = "csp", .call = write_policy }, { 0 } };
    ui = json, room = n;
    fresh();
    desc.tools = tools;
    start();
    const char *got = call(MODERN, "csp", "{}");
    stop();
    return strstr(got, "done") ? policy : got;
}

static const char nothing[] =
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    "connect-src 'none'; img-src 'self' data:; media-src 'self' data:; frame-src 'none'; "
    "object-src 'none'; base-uri 'self'";
#define DECLARED(connect, resource, frame, base) \
    "default-src 'none'; script-src 'self' 'unsafe-inline'" resource \
    "; style-src 'self' 'unsafe-inline'" resource "; connect-src 'self'" connect \
    "; img-src 'self' data: blob:" resource "; font-src 'self' data:" resource \
    "; media-src 'self' data: blob:" resource "; frame-src " frame \
    "; object-src 'none'; base-uri " base

TEST(policy_of_nothing) { /* the specification's own words for who declares nothing */
    static const char *const silent[] = { NULL, "{}", "[]", "1", J({"csp":null}), J({"csp":[]}),
                                          J({"csp":"connect-src *"}), J({"prefersBorder":true}) };
    for (size_t i = 0; i < LENGTH(silent); i++) CHECK_STR(csp(silent[i], sizeof policy), nothing);
}

TEST(policy_of_what_is_declared) {
    CHECK_STR(csp(J({"csp":{}}), sizeof policy), DECLARED("", "", "'none'", "'self'"));
    CHECK_STR(csp(J({"csp":{"connectDomains":["https://a.example","wss://b.example:8"],
                            "resourceDomains":["https://*.c.example"],
                            "frameDomains":["https://d.example"],
                            "baseUriDomains":["https://e.example"]}}), sizeof policy),
              DECLARED(" https://a.example wss://b.example:8", " https://*.c.example",
                       "https://d.example", "https://e.example"));
}

TEST(policy_of_a_liar) { /* nothing of it ends a directive, begins another, or is a keyword */
    CHECK_STR(csp(J({"csp":{"connectDomains":["a;script-src *","'unsafe-eval'","\"x\"","a b","a,b",
                            "","a\r\nSet-Cookie: x","a\u0000b","\u00e9",1,null,
                            ["https://x"],"https://ok"],
                            "resourceDomains":"https://x","frameDomains":{"a":"https://x"},
                            "baseUriDomains":["'none'"]}}), sizeof policy),
              DECLARED(" https://ok", "", "'none'", "'self'"));
}

TEST(policy_without_room) {
    size_t n = strlen(nothing) + 1;
    CHECK_STR(csp(NULL, n), nothing);
    CHECK(policy[n] == '!');
    for (size_t i = 0; i < n; i++) {
        CHECK(csp(NULL, i) != policy);
        CHECK(policy[i] == '!' && (!i || !policy[0])); /* none rather than half of one */
    }
}

int main(void) {
    RUN(mistakes_of_pages);
    RUN(domains_that_would_end_a_policy);
    RUN(mistakes_of_tools_with_pages);
    RUN(a_page_may_come_as_bytes);
    RUN(pages_alone_are_resources);
    RUN(what_a_caller_says_of_itself);
    RUN(names_are_unique_across_pages);
    RUN(a_server_says_what_its_author_says);
    RUN(a_page_that_is_taken_changes_nothing);
    RUN(policy_of_nothing);
    RUN(policy_of_what_is_declared);
    RUN(policy_of_a_liar);
    RUN(policy_without_room);
    return DONE();
}
