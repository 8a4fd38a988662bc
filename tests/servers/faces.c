/* faces.c - everything that a listing can say for people: titles, icons, hints, metadata */
#define MCP_IMPLEMENTATION
#include "mcp.h"

static int ok(mcp_call *c) { return mcp_text(c, "ok"); }

static const mcp_icon server_icons[] = { { .src = "https://s.example/s.svg" }, { 0 } };
static const mcp_icon tool_icons[] = {
    { .src = "https://s.example/t.png", .mime = "image/png", .sizes = "48x48|96x96",
      .theme = "light" },
    { .src = "data:image/png;base64,AA==", .sizes = "any" },
    { 0 } };

static const mcp_tool tools[] = {
    { .name = "plain", .call = ok },   /* not even a description */
    { .name = "full", .desc = "Says all it can.", .call = ok, .title = "In full",
      .hints = MCP_NOT_READ_ONLY | MCP_NOT_DESTRUCTIVE | MCP_IDEMPOTENT | MCP_NOT_OPEN_WORLD,
      .icons = tool_icons, .meta = "{\"com.example/k\": 1}",
      .out_schema = "{\"type\":\"object\"}" },
    { .name = "titled", .desc = "Quotes \"and\" \xC3\xBCmlauts.", .call = ok, .title = "A title" },
    { .name = "hinted", .desc = "Reads, breaks, asks the world.", .call = ok,
      .hints = MCP_READ_ONLY | MCP_DESTRUCTIVE | MCP_NOT_IDEMPOTENT | MCP_OPEN_WORLD },
    { 0 } };

int main(void) {
    static const mcp_server_desc desc = {
        .name = "faces",
        .version = "2.0.0",
        .title = "Faces",
        .desc = "Shows what listings carry.",
        .website = "https://s.example",
        .instructions = "Look.",
        .icons = server_icons,
        .tools = tools,
        .cache = { .ttl_ms = 60000, .scope = MCP_PRIVATE },
        .capabilities = "{\"extensions\":{\"com.example/x\":{}},\"experimental\":{\"y\":{}}}" };
    return mcp_serve_stdio(&desc);
}
