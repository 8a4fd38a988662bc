/* pages.c - tools with pages (MCP Apps): of each source, all that one can declare, for each of
   those who may call */
#define MCP_IMPLEMENTATION
#include "mcp.h"

#include <string.h>

static int draw(mcp_call *c) {
    mcp_textf(c, "%s %s pages.", mcp_caller_of(c)->client,
              mcp_caller_of(c)->can & MCP_CAN_APPS ? "shows" : "does not show");
    mcp_put_str(mcp_structured(c), "drawn", "a line");
    mcp_put_str(mcp_result_meta(c), "example.com/view", "red");
    return MCP_OK;
}

static int other_tools(mcp_call *c) {
    int rc = mcp_server_set_tools(mcp_call_server(c), *(const mcp_tool *const *)mcp_row_user(c));
    return rc ? rc : mcp_text(c, "replaced");
}

static int read_page(mcp_call *c) { /* this time with a border, and a second part */
    mcp_textf(c, "<!doctype html><title>%s</title>", (const char *)mcp_row_user(c));
    if (strstr(mcp_uri(c), "bare")) return MCP_OK;
    mcp_writer *w = mcp_block_meta(c);
    mcp_put_obj(w, "ui");
    mcp_put_bool(w, "prefersBorder", true);
    mcp_put_end(w);
    mcp_embed(c, "ui://made/part", "text/css");
    return mcp_text(c, "b{}");
}

static const mcp_app plain = { .uri = "ui://plain", .html = "<!doctype html><title>Plain</title>" };
static const mcp_app full = {
    .uri = "ui://full/page", .html = "<!doctype html><title>Full</title>", .name = "full",
    .title = "In full", .desc = "Declares all that it can.",
    .connect_domains = "https://api.example|wss://live.example:8443",
    .resource_domains = "https://cdn.example|https://*.img.example",
    .frame_domains = "https://frame.example", .base_uri_domains = "https://base.example",
    .permissions = MCP_CAMERA | MCP_MICROPHONE | MCP_GEOLOCATION | MCP_CLIPBOARD_WRITE,
    .domain = "full.example", .prefers_border = MCP_ZERO, .cache = { .scope = MCP_PRIVATE },
    .meta = "{\"example.com/k\": [1, 2.50]}" };
static const mcp_app made = { .uri = "ui://made", .read = read_page,
                              .connect_domains = "https://a.example", .prefers_border = MCP_ZERO,
                              .user = "Made" };
static const mcp_app bare = { .uri = "ui://made/bare", .read = read_page, .user = "Bare" };
static const mcp_app file = { .uri = "ui://gone", .file = "/no/such/page.html" };

extern const mcp_tool *const pages_first, *const pages_later;
static const mcp_tool tools[] = {
    { .name = "ordinary", .call = draw, .meta = "{\"ui\":\"the author's\"}" },
    { .name = "plain", .call = draw, .app = &plain },
    { .name = "full", .call = draw, .app = &full, .visibility = MCP_MODEL_ONLY,
      .meta = "{\"example.com/m\":1,\"ui/resourceUri\":\"ui://full/page\"}" },
    { .name = "full_refresh", .call = draw, .app = &full, .visibility = MCP_APP_ONLY },
    { .name = "pageless", .call = draw, .visibility = MCP_APP_ONLY,
      .meta = "{\"example.com/m\":2}" },
    { .name = "made", .call = draw, .app = &made }, { .name = "bare", .call = draw, .app = &bare },
    { .name = "gone", .call = draw, .app = &file },
    { .name = "first", .call = other_tools, .user = &pages_first },
    { .name = "later", .call = other_tools, .user = &pages_later }, { 0 } };
static const mcp_tool later[] = {
    { .name = "plain", .call = draw, .app = &made },
    { .name = "first", .call = other_tools, .user = &pages_first },
    { .name = "later", .call = other_tools, .user = &pages_later }, { 0 } };
const mcp_tool *const pages_first = tools, *const pages_later = later;
static const mcp_resource resources[] = {
    { .uri = "ui://full/style.css", .mime = "text/css", .text = "b{}" },
    { .uri = "ui://{any}", .name = "any", .read = read_page, .user = "Any" }, { 0 } };

int main(void) {
    mcp_server_desc desc = { .name = "pages", .version = "1.0.0", .tools = tools,
                             .resources = resources, .changes = MCP_TOOLS | MCP_RESOURCES };
    return mcp_serve_stdio(&desc);
}
