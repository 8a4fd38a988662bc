/* static_a.c - with static_b.c: two private copies in one program */
#define MCP_STATIC
#define MCP_IMPLEMENTATION
#include "mcp.h"

int other(void);

int main(void) { return mcp_status_text(MCP_OK)[0] != 'd' || other(); }
