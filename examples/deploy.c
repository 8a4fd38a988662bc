/* deploy.c - asking the user mid-call; one handler for 2026-07-28 and every older version */
#define MCP_IMPLEMENTATION
#include "mcp.h"
#include <stdlib.h>
#include <string.h>

static const mcp_arg deploy_args[] = { { .name = "service", .flags = MCP_REQUIRED }, { 0 } };
static const mcp_arg which_form[] = {
    { .name = "region", .desc = "where to deploy", .flags = MCP_REQUIRED,
      .choices = "eu|us", .labels = "Frankfurt|Ohio" }, { 0 } };
static const mcp_arg sure_form[] = {
    { .name = "sure", .type = MCP_BOOLEAN, .desc = "really?", .flags = MCP_REQUIRED }, { 0 } };

/* Runs from the top each time an answer arrives: ask first, act last. */
static int deploy(mcp_call *c) {
    int rc = mcp_ask(c, "which", "Which region?", which_form);
    if (rc) return rc;   /* not answered yet, declined, or this client cannot ask */
    const char *region = mcp_get_str(mcp_answer(c, "which"), "region");

    rc = mcp_ask(c, "sure", "This replaces the running version. Continue?", sure_form);
    if (rc) return rc;
    if (!mcp_get_bool(mcp_answer(c, "sure"), "sure"))
        return mcp_fail(c, "not deployed: you said no");

    return mcp_textf(c, "%s is live in %s", mcp_arg_str(c, "service"), region);
}

static const mcp_tool tools[] = {
    { .name = "deploy", .desc = "Deploys a service.", .args = deploy_args, .call = deploy },
    { 0 } };

int main(int argc, char **argv) {
    mcp_server_desc desc = { .name = "deploy", .tools = tools };
    if (argc < 2 || strcmp(argv[1], "--http") != 0) return mcp_serve_stdio(&desc);
    if (argc > 2) desc.http.port = atoi(argv[2]);
    return mcp_serve_http(&desc); /* --http [PORT]: http://127.0.0.1:8080/mcp */
}
