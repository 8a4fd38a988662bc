/* golden.c - the server whose exchange golden_mcplite.jsonl replays

   The exchange was observed on mcplite 0.1.0, an MCP server for typed functions in four protocol
   versions. The same tools, names and texts here give the same bytes. */
#define MCP_IMPLEMENTATION
#include "mcp.h"

#include <string.h>

static int add_numbers(mcp_call *c) {
    mcp_put_num(mcp_text_json(c), NULL, mcp_arg_num(c, "x") + mcp_arg_num(c, "y"));
    return MCP_OK;
}

static int schema_tool(mcp_call *c) {
    mcp_put_bool(mcp_structured(c), "ok", true);
    return MCP_OK;
}

static int rich(mcp_call *c) {
    const mcp_annotations a = { .audience = MCP_USER | MCP_ASSISTANT, .priority = 0.5,
                                .last_modified = "2026-07-18T12:00:00Z" };
    mcp_text(c, "first");
    mcp_annotate(c, &a);
    mcp_put_str(mcp_block_meta(c), "t", "m");
    mcp_image(c, "image/png", "image", 5);
    mcp_embed(c, "urn:x", "text/plain");
    mcp_text(c, "body");
    mcp_put_int(mcp_block_meta(c), "q", 1);
    mcp_put_bool(mcp_structured(c), "ok", true);
    mcp_put_str(mcp_result_meta(c), "trace_id", "z");
    return MCP_OK;
}

static int audio(mcp_call *c) {
    const mcp_resource link = { .uri = "https://e/x", .name = "x", .size = 42 };
    mcp_text(c, "no");
    mcp_audio(c, "audio/wav", "a", 1);
    return mcp_link(c, &link);
}

static int sc(mcp_call *c) {
    mcp_writer *w = mcp_structured(c);
    mcp_put_num(w, "n", 1.5);
    mcp_put_arr(w, "v");
    mcp_put_int(w, NULL, 1);
    mcp_put_int(w, NULL, 2);
    mcp_put_end(w);
    return MCP_OK;
}

static int boom(mcp_call *c) { return mcp_fail(c, "boom"); }

static int vals(mcp_call *c) {
    static const struct { const char *k, *text; } table[] = {
        { "vec", "a\nb" }, { "num", "3.5" }, { "df", "[{\"x\":1},{\"x\":2}]" },
        { "lst", "{\"label\":\"x\"}" }, { "t", "true" } };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (!strcmp(mcp_arg_str(c, "k"), table[i].k)) return mcp_text(c, table[i].text);
    return MCP_OK;
}

static const mcp_arg add_numbers_args[] = {
    { .name = "x", .type = MCP_NUMBER, .desc = "First number.", .flags = MCP_REQUIRED },
    { .name = "y", .type = MCP_NUMBER, .desc = "Second number.", .flags = MCP_REQUIRED },
    { 0 } };
static const mcp_arg payload[] = {
    { .name = "label", .desc = "Label.", .flags = MCP_REQUIRED },
    { .name = "score", .type = MCP_NUMBER, .desc = "s" },
    { 0 } };
static const mcp_arg nothing[] = { { 0 } };
static const mcp_arg schema_tool_args[] = {
    { .name = "flag",    .type = MCP_BOOLEAN, .desc = "A flag.", .flags = MCP_REQUIRED },
    { .name = "count",   .type = MCP_INTEGER, .desc = "Optional count." },
    { .name = "choice",  .desc = "Choice.", .flags = MCP_REQUIRED, .choices = "a|b" },
    { .name = "nchoice", .type = MCP_INTEGER, .flags = MCP_REQUIRED, .choices = "1|2|3" },
    { .name = "items",   .flags = MCP_REQUIRED,   /* a row describes the array, not its items */
      .schema = "{\"type\":\"array\",\"items\":{\"type\":\"number\",\"description\":\"Item.\"}}" },
    { .name = "payload", .type = MCP_OBJECT, .desc = "Payload.", .flags = MCP_REQUIRED,
      .of = payload },
    { .name = "open",    .type = MCP_OBJECT, .flags = MCP_REQUIRED | MCP_OPEN, .of = nothing },
    { .name = "raw",     .flags = MCP_REQUIRED, .schema = "{\"type\":\"string\",\"minLength\":1}" },
    { 0 } };
static const mcp_arg schema_tool_out[] = {
    { .name = "ok", .type = MCP_BOOLEAN, .flags = MCP_REQUIRED }, { 0 } };
static const mcp_arg vals_args[] = { { .name = "k", .flags = MCP_REQUIRED }, { 0 } };

static const mcp_tool tools[] = {
    { .name = "add_numbers", .desc = "Add two numbers and return the result.",
      .args = add_numbers_args, .call = add_numbers },
    { .name = "schema_tool", .desc = "d", .args = schema_tool_args, .call = schema_tool,
      .title = "T", .out = schema_tool_out, .hints = MCP_READ_ONLY },
    { .name = "rich",  .desc = "r", .call = rich },
    { .name = "audio", .desc = "a", .call = audio },
    { .name = "sc",    .desc = "s", .call = sc },
    { .name = "boom",  .desc = "b", .call = boom },
    { .name = "vals",  .desc = "v", .args = vals_args, .call = vals },
    { 0 } };

int main(void) {
    static const mcp_server_desc desc = {
        .name = "mcplite",
        .version = "0.1.0",
        .instructions = "Use me.",
        .tools = tools,
        .versions = MCP_2026_07_28 | MCP_2025_11_25 | MCP_2025_06_18 | MCP_2024_11_05 };
    return mcp_serve_stdio(&desc);
}
