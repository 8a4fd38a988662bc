/* tools_only.c - with tools alone, what needs more is refused at the start, in one line */
#define MCP_TOOLS_ONLY
#define MCP_IMPLEMENTATION
#include "mcp.h"

#include <string.h>

static char said[1000];

static void hear(void *user, int level, int status, const char *text) {
    (void)user, (void)level, (void)status;
    strncat(strncat(said, text, 300), "\n", 2);
}

static int nothing(mcp_call *c) { return mcp_text(c, "nothing"); }

/* Starts a server with that row. Is it refused, in one line that ends so? With NULL: is it not? */
static int ends(const mcp_tool *row, const mcp_resource *resources, const char *words) {
    mcp_tool tools[2];
    mcp_server_desc desc;
    memset(tools, 0, sizeof tools);
    memset(&desc, 0, sizeof desc);
    tools[0] = *row;
    desc.name = "tools_only";
    desc.tools = tools;
    desc.resources = resources;
    desc.log.func = hear;
    *said = 0;
    mcp_server *s = mcp_server_new(&desc);
    mcp_server_free(s);
    size_t n = words ? strlen(words) : 0, all = strlen(said);
    if (!words) return s && !all;
    return !s && n <= all && !strcmp(said + all - n, words) && strchr(said, '\n') == said + all - 1;
}

int main(void) {
    mcp_app page;
    mcp_tool row, other;
    mcp_resource resources[2];
    memset(&page, 0, sizeof page);
    memset(&row, 0, sizeof row);
    memset(resources, 0, sizeof resources);
    page.name = "clock";
    page.html = "<!doctype html>";
    resources[0].uri = "note://one";
    resources[0].text = "one";
    row.name = "tick";
    row.call = nothing;
    if (!ends(&row, NULL, NULL)) return 1;
    other = row, other.app = &page;
    if (!ends(&other, NULL, "tool \"tick\": MCP_TOOLS_ONLY is defined\n")) return 2;
    other = row, other.visibility = MCP_APP_ONLY;
    if (!ends(&other, NULL, "tool \"tick\": MCP_TOOLS_ONLY is defined\n")) return 3;
    other = row, other.route = "GET /ticks";
    if (!ends(&other, NULL, ": MCP_TOOLS_ONLY is defined\n")) return 4;
    if (!ends(&row, resources, ": MCP_TOOLS_ONLY is defined\n")) return 5;
    return 0;
}
