// cxx.cpp - the same header from C++: positional tables in C++11, designated ones in C++20
#define MCP_IMPLEMENTATION
#include "mcp.h"

static int add(mcp_call *c) {
    return mcp_textf(c, "%g", mcp_arg_num(c, "a") + mcp_arg_num(c, "b"));
}

#if __cplusplus >= 202002L

static const mcp_arg add_args[] = {
    { .name = "a", .type = MCP_NUMBER, .desc = "left operand", .flags = MCP_REQUIRED },
    { .name = "b", .type = MCP_NUMBER, .desc = "right operand", .flags = MCP_REQUIRED },
    {} };

static const mcp_tool tools[] = {
    { .name = "add", .desc = "Adds two numbers.", .args = add_args, .call = add }, {} };

int main() { return mcp_serve_stdio({ .name = "cxx", .tools = tools }); }

#else

static const mcp_arg add_args[] = {
    { "a", MCP_NUMBER, "left operand", MCP_REQUIRED },
    { "b", MCP_NUMBER, "right operand", MCP_REQUIRED },
    {} };

static const mcp_tool tools[] = { { "add", "Adds two numbers.", add_args, add }, {} };

int main() {
    mcp_server_desc desc = {};
    desc.name = "cxx";
    desc.tools = tools;
    return mcp_serve_stdio(desc);
}

#endif
