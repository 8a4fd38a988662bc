/* bare.c - any other file of that program: declarations alone, included twice */
#include "mcp.h"
#include "mcp.h"

#include <string.h>

static int twice(mcp_call *c) { return mcp_textf(c, "%g", 2 * mcp_arg_num(c, "n")); }

static int drop(void *user, const void *bytes, size_t n) {
    (void)bytes;
    *(size_t *)user += n;
    return MCP_OK;
}

int main(void) {
    static const char ping[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
    size_t written = 0;
    mcp_arg args[2];
    mcp_tool tools[2];
    mcp_server_desc desc;
    mcp_write_hook hook;
    memset(args, 0, sizeof args);
    memset(tools, 0, sizeof tools);
    memset(&desc, 0, sizeof desc);
    args[0].name = "n";
    args[0].type = MCP_NUMBER;
    tools[0].name = "twice";
    tools[0].args = args;
    tools[0].call = twice;
    desc.name = "bare";
    desc.tools = tools;
    hook.func = drop;
    hook.user = &written;
    mcp_server *s = mcp_server_new(&desc);
    mcp_conn *k = s ? mcp_conn_new(s, MCP_LINES, hook) : NULL;
    int status = k ? mcp_feed(k, ping, sizeof ping - 1) : MCP_NOMEM;
    mcp_conn_free(k);
    mcp_server_free(s);
    return status != MCP_OK || written == 0;
}
