/* static_b.c - the other copy: see static_a.c */
#define MCP_STATIC
#define MCP_IMPLEMENTATION
#include "mcp.h"

int other(void);
int other(void) { return mcp_status_text(MCP_PENDING)[0] != 't'; }
