/* bare.c - a server that offers nothing: what it does not declare does not exist */
#define MCP_IMPLEMENTATION
#include "mcp.h"

int main(void) {
    static const mcp_server_desc desc = { .name = "bare" };
    return mcp_serve_stdio(&desc);
}
