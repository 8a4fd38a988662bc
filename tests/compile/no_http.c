/* no_http.c - without HTTP, a row with a route is a tool nevertheless */
#define MCP_NO_HTTP
#define MCP_IMPLEMENTATION
#include "mcp.h"

#include <string.h>

static char said[4000];

static int keep(void *user, const void *bytes, size_t n) {
    (void)user;
    strncat(said, (const char *)bytes, n);
    return strlen(said) < 3000 ? MCP_OK : MCP_IO;
}

static int find(mcp_call *c) {
    mcp_http_status(c, 201); /* means nothing here */
    mcp_put_str(mcp_structured(c), "id", mcp_arg_str(c, "id"));
    return MCP_OK;
}

int main(void) {
    static const char lines[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n"
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":"
        "\"GET__items_id\",\"arguments\":{\"id\":\"7\"}}}\n";
    mcp_tool tools[2];
    mcp_server_desc desc;
    mcp_write_hook hook = { keep, NULL };
    memset(tools, 0, sizeof tools);
    memset(&desc, 0, sizeof desc);
    tools[0].route = "GET /items/{id}";
    tools[0].call = find;
    desc.name = "no_http";
    desc.tools = tools;
    desc.flags = MCP_LENIENT;
    mcp_server *s = mcp_server_new(&desc);
    mcp_conn *k = s ? mcp_conn_new(s, MCP_LINES, hook) : NULL;
    if (k) mcp_feed(k, lines, sizeof lines - 1);
    mcp_conn_free(k);
    mcp_server_free(s);
    return !strstr(said, "\"description\":\"Endpoint: GET /items/{id}\\n\\nHTTP Method: GET") ||
           !strstr(said, "\"structuredContent\":{\"id\":\"7\"}");
}
