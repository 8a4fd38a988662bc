/* page.c - serves one page, from the file page.html here, with what the tests of hosts need beside
   it: a tool for the model alone, one for the page alone, one that takes its time, one that fails;
   its argument is an origin that the page may connect to */
#define MCP_IMPLEMENTATION
#include "mcp.h"

static int echo(mcp_call *c) {
    const char *mark = mcp_get_str(mcp_caller_of(c)->meta, "example.com/caller");
    mcp_put_json(mcp_structured(c), "args", mcp_args(c));
    if (*mark) mcp_put_str(mcp_structured(c), "mark", mark);
    mcp_put_str(mcp_result_meta(c), "example.com/secret", "for the page");
    return mcp_text(c, "echoed");
}
static int fails(mcp_call *c) { return mcp_error(c, 1001, "no licence"); }
static void slow_end(void *call) { mcp_done((mcp_call *)call, mcp_text((mcp_call *)call, "late")); }
static int slow(mcp_call *c) {
    int rc = mcp_defer(c);
    mcp_after(mcp_call_server(c), 400, slow_end, c);
    return rc;
}
static int data(mcp_call *c) { return mcp_text(c, "line 1\nline 2\n"); }

static mcp_app page = { .uri = "ui://page", .file = "page.html",
                        .permissions = MCP_CLIPBOARD_WRITE | MCP_GEOLOCATION };
static const mcp_arg args[] = { { .name = "text", .def = "hi" }, { 0 } };
static const mcp_tool tools[] = {
    { .name = "echo", .args = args, .call = echo, .app = &page },
    { .name = "model", .call = echo, .visibility = MCP_MODEL_ONLY },
    { .name = "page", .args = args, .call = echo, .visibility = MCP_APP_ONLY },
    { .name = "slow", .call = slow, .app = &page },
    { .name = "fails", .call = fails, .app = &page },
    { .name = "plain", .call = echo }, { 0 } };
static const mcp_resource resources[] = {
    { .uri = "data://../../etc/report%3C1%3E.txt", .name = "report", .read = data }, { 0 } };

int main(int argc, char **argv) {
    if (argc > 1) page.connect_domains = argv[1];
    mcp_server_desc desc = { .name = "page", .tools = tools, .resources = resources };
    return mcp_serve_stdio(&desc);
}
