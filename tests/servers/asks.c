/* asks.c - every kind of question, for the schemas of every version that has it, and for clients

       asks [--http PORT]     tests/interop/asks.json says what is answered, and what comes of it */
#define MCP_IMPLEMENTATION
#include "mcp.h"
#include <stdlib.h>
#include <string.h>

static const mcp_arg every_form[] = {
    { .name = "text", .desc = "a text", .def = "abc", .min_length = 2, .max_length = 5,
      .title = "Text" },
    { .name = "mail", .format = "email" },
    { .name = "site", .format = "uri" },
    { .name = "day", .format = "date" },
    { .name = "at", .format = "date-time" },
    { .name = "real", .type = MCP_NUMBER, .def = "1.5", .min = "0.5", .max = "9.5" },
    { .name = "whole", .type = MCP_INTEGER, .flags = MCP_REQUIRED, .min = "1", .max = "10" },
    { .name = "yes", .type = MCP_BOOLEAN, .def = "true" },
    { .name = "one", .def = "a", .choices = "a|b" },
    { .name = "titled", .flags = MCP_REQUIRED, .choices = "a|b", .labels = "A|B" }, { 0 } };
static const mcp_arg several_form[] = {
    { .name = "many", .type = MCP_ARRAY, .def = "[\"a\"]", .choices = "a|b|c", .min_items = 1,
      .max_items = 2 },
    { .name = "titled", .type = MCP_ARRAY, .choices = "a|b", .labels = "A|B" }, { 0 } };

static int form(mcp_call *c) {
    int rc = mcp_ask(c, "form", "Fill it in", every_form);
    return rc ? rc : mcp_textf(c, "whole: %d", (int)mcp_get_int(mcp_answer(c, "form"), "whole"));
}

static int several(mcp_call *c) {
    int rc = mcp_ask(c, "several", "Pick", several_form);
    return rc ? rc : mcp_text(c, "picked");
}

static int url(mcp_call *c) {
    int rc = mcp_ask_url(c, "url", "Sign in", "https://example.com/login");
    return rc ? rc : mcp_text(c, "in");
}

static int model(mcp_call *c) {
    static const mcp_sampling what = {
        .prompt = "Hello?", .system = "Be brief.", .max_tokens = 50, .temperature = MCP_ZERO,
        .stop = "END|STOP", .models = "sonnet|haiku", .cost = 0.25, .speed = 0.5,
        .intelligence = 1, .context = "thisServer", .metadata = "{\"k\":[1,2]}" };
    int rc = mcp_sample(c, "model", &what);
    return rc ? rc : mcp_text(c, mcp_get_str(mcp_get(mcp_answer(c, "model"), "content"), "text"));
}

static int armed(mcp_call *c) {
    static const mcp_arg city[] = { { .name = "city", .flags = MCP_REQUIRED }, { 0 } };
    static const mcp_tool tools[] = {
        { .name = "weather", .desc = "of today", .args = city },
        { .name = "raw", .schema = "{\"type\":\"object\"}" }, { 0 } };
    static const mcp_sampling what = {
        .messages = "[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"Weather?\"}}]",
        .tools = tools, .tool_choice = "required" };
    int rc = mcp_sample(c, "model", &what);
    return rc ? rc : mcp_text(c, mcp_get_str(mcp_answer(c, "model"), "stopReason"));
}

static int folders(mcp_call *c) {
    int rc = mcp_roots(c, "roots");
    return rc ? rc : mcp_textf(c, "%d", (int)mcp_count(mcp_answer(c, "roots")));
}

static int keeps(mcp_call *c) { /* asks nothing, and is done when it comes again */
    if (mcp_kept(c, NULL, 0)) return mcp_text(c, "kept");
    int rc = mcp_keep(c, "x", 1);
    return rc ? rc : MCP_PENDING;
}

static int rounds(mcp_call *c) { /* two, and the first answer is still there after the second */
    static const mcp_arg sure[] = { { .name = "sure", .type = MCP_BOOLEAN }, { 0 } };
    int rc = mcp_ask(c, "form", "Fill it in", every_form);
    if (rc) return rc;
    rc = mcp_ask(c, "sure", "Sure?", sure);
    if (rc) return rc;
    return mcp_textf(c, "whole: %d, sure: %d", (int)mcp_get_int(mcp_answer(c, "form"), "whole"),
                     mcp_get_bool(mcp_answer(c, "sure"), "sure"));
}

static int pair(mcp_call *c) { /* two questions at once */
    int form_rc = mcp_ask(c, "form", "Fill it in", every_form), roots_rc = mcp_roots(c, "roots");
    if (form_rc) return form_rc;
    if (roots_rc) return roots_rc;
    return mcp_textf(c, "whole: %d, roots: %d",
                     (int)mcp_get_int(mcp_answer(c, "form"), "whole"),
                     (int)mcp_count(mcp_answer(c, "roots")));
}

static const mcp_tool tools[] = {
    { .name = "form", .call = form }, { .name = "several", .call = several },
    { .name = "url", .call = url }, { .name = "model", .call = model },
    { .name = "armed", .call = armed }, { .name = "folders", .call = folders },
    { .name = "keeps", .call = keeps }, { .name = "rounds", .call = rounds },
    { .name = "pair", .call = pair }, { 0 } };
static const mcp_prompt prompts[] = { { .name = "form", .get = form }, { 0 } };
static const mcp_resource resources[] = { { .uri = "ask://form", .read = form }, { 0 } };

int main(int argc, char **argv) {
    mcp_server_desc desc = { .name = "asks", .tools = tools, .resources = resources,
                             .prompts = prompts, .flags = MCP_HTTP_SSE };
    if (argc < 3 || strcmp(argv[1], "--http") != 0) return mcp_serve_stdio(&desc);
    desc.http.port = atoi(argv[2]);
    return mcp_serve_http(&desc);
}
