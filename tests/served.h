/* served.h - an example leaves what it would serve: include between unit.h and its source */
#ifndef SERVED_H
#define SERVED_H

#define MCP__IMPLEMENTED /* it is linked */
static mcp_server_desc served;
static int keep_desc(const mcp_server_desc *d) {
    served = *d;
    return 0;
}
#if defined __GNUC__
#pragma GCC diagnostic ignored "-Wshadow" /* of unit.h's names */
#endif
#define mcp_serve_stdio keep_desc
#define mcp_serve_http keep_desc

#endif
