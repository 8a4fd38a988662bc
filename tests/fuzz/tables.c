/* tables.c - what an author writes into a table is refused at start, or works
   clang -g -O1 -fsanitize=fuzzer,address,undefined -I. -Itests tests/fuzz/tables.c */
#define MCP_IMPLEMENTATION
#include "harness.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int nothing(mcp_call *c) {
    mcp_put_json(mcp_structured(c), "args", mcp_args(c));
    return MCP_OK;
}

static const char list[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":"
    "{\"_meta\":{" HARNESS_META "}}}\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\","
    "\"params\":{\"name\":\"t\",\"_meta\":{" HARNESS_META "}}}\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    mcp_arg inner[2], args[2];
    mcp_tool tools[2];
    mcp_server_desc desc;
    harness_world w;
    char text[257];
    if (size < 3 || size > 256) return 0;
    memcpy(text, data + 3, size - 3);
    text[size - 3] = 0;
    memset(inner, 0, sizeof inner);
    memset(args, 0, sizeof args);
    memset(tools, 0, sizeof tools);
    memset(&desc, 0, sizeof desc);
    const char **const fields[] = {
        &args[0].name, &args[0].desc, &args[0].def, &args[0].choices, &args[0].labels, &args[0].min,
        &args[0].max, &args[0].schema, &tools[0].name, &tools[0].schema, &tools[0].out_schema,
        &tools[0].meta, &desc.capabilities, &desc.instructions, &desc.ambient, &inner[0].def };
    desc.name = "tables";
    desc.tools = tools;
    tools[0].name = "t";
    tools[0].call = nothing;
    tools[0].args = args;
    args[0].name = "a";
    args[0].type = (mcp_type)(data[0] % 7);
    args[0].items = (mcp_type)(data[0] / 7 % 7);
    args[0].flags = data[2] & 7U;
    args[0].of = data[2] & 8 ? inner : NULL;
    inner[0].name = "b";
    inner[0].type = (mcp_type)(data[2] / 16 % 7);
    *fields[data[1] % 16] = text;
    if (data[1] & 16) *fields[data[1] / 32 + 2] = text;
    harness_world_init(&w, NULL, &desc);
    bool open = harness_open(&w);
    if (!open && !w.log[0]) abort(); /* a refusal says why */
    if (open && mcp_feed(w.conn, list, sizeof list - 1) != MCP_OK) abort();
    const char *line;
    for (size_t at = 0, n; harness_line(&w.out, &at, &line, &n);)
        if (!harness_is_json(line, n) || !harness_is_message(line, n)) abort();
    if (!harness_close(&w)) abort();
    harness_world_free(&w);
    return 0;
}
