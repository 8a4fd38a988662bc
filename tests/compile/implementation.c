/* implementation.c - the one file of a program that has the implementation */
#define MCP_IMPLEMENTATION
#include "mcp.h"
