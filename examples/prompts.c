/* prompts.c - messages from both sides, a resource in one, arguments that complete */
#define MCP_IMPLEMENTATION
#include "mcp.h"
#include <string.h>
#include <stdlib.h>

static int review(mcp_call *c) {
    static const mcp_annotations for_model = { .audience = MCP_ASSISTANT, .priority = 0.8 };
    mcp_textf(c, "Review this %s code: %s.", mcp_arg_str(c, "language"), mcp_arg_str(c, "focus"));
    mcp_embed(c, "file:///style.md", "text/markdown");   /* the next message holds this resource */
    mcp_text(c, "# Style\nShort functions. No globals.\n");
    mcp_annotate(c, &for_model);
    mcp_role(c, MCP_ASSISTANT);
    mcp_text(c, "I have read the style guide. Please paste the code.");
    mcp_role(c, MCP_USER);
    return mcp_text(c, mcp_arg_str(c, "code"));
}

static int explain(mcp_call *c) {   /* one message is enough */
    return mcp_textf(c, "Explain this error, and what to do:\n%s", mcp_arg_str(c, "message"));
}

static const mcp_arg review_args[] = {
    { .name = "code", .desc = "the code", .flags = MCP_REQUIRED },
    { .name = "language", .desc = "its language", .def = "C", .choices = "C|C++|Python|R" },
    { .name = "focus", .desc = "what to look for", .def = "bugs", .choices = "bugs|speed|style" },
    { 0 } };
static const mcp_arg explain_args[] = { { .name = "message", .flags = MCP_REQUIRED }, { 0 } };

static const mcp_prompt prompts[] = {
    { .name = "review", .desc = "A code review.", .args = review_args, .get = review,
      .title = "Review" },
    { .name = "explain", .desc = "An error explained.", .args = explain_args, .get = explain },
    { 0 } };

int main(int argc, char **argv) {
    mcp_server_desc desc = { .name = "prompts", .prompts = prompts };
    if (argc < 2 || strcmp(argv[1], "--http") != 0) return mcp_serve_stdio(&desc);
    if (argc > 2) desc.http.port = atoi(argv[2]);
    return mcp_serve_http(&desc); /* --http [PORT]: http://127.0.0.1:8080/mcp */
}
