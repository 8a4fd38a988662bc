/* chk.c - the server whose exchange golden_chk.jsonl replays: results that are empty, odd or wrong

   Observed on mcplite 0.1.0 like golden.c's. */
#define MCP_IMPLEMENTATION
#include "mcp.h"

static int ord(mcp_call *c) {
    const mcp_resource link = { .uri = "https://e/x", .name = "x" };
    mcp_link(c, &link);
    mcp_audio(c, "audio/wav", "a", 1);
    return mcp_link(c, &link);
}

static int emptyc(mcp_call *c) { (void)c; return MCP_OK; }
static int emptys(mcp_call *c) { mcp_structured(c); return MCP_OK; }
static int emptym(mcp_call *c) { mcp_result_meta(c); return mcp_text(c, "x"); }
static int noargs(mcp_call *c) { return mcp_text(c, "ok"); }
static int mix(mcp_call *c) { return mcp_text(c, "x"); }

static int annotated(mcp_call *c, unsigned audience, double priority) {
    mcp_annotations a = { 0 };
    a.audience = audience;
    a.priority = priority;
    mcp_text(c, "x");
    return mcp_annotate(c, &a);
}

static int ext(mcp_call *c) { return annotated(c, MCP_USER, 0); }
static int badaud(mcp_call *c) { return annotated(c, 8, 0); }
static int badpri(mcp_call *c) { return annotated(c, 0, 2); }

static int arr(mcp_call *c) {
    mcp_writer *w = mcp_structured(c);
    mcp_put_arr(w, NULL);
    mcp_put_int(w, NULL, 1);
    mcp_put_int(w, NULL, 2);
    mcp_put_end(w);
    return MCP_OK;
}

static const mcp_arg mix_args[] = { /* choices of mixed types: a row cannot, raw schema can */
    { .name = "m", .flags = MCP_REQUIRED,
      .schema = "{\"type\":\"string\",\"enum\":[\"a\",1,true]}" },
    { 0 } };

static const mcp_tool tools[] = {
    { .name = "ord",    .desc = "a", .call = ord },
    { .name = "emptyc", .desc = "a", .call = emptyc },
    { .name = "emptys", .desc = "a", .call = emptys },
    { .name = "emptym", .desc = "a", .call = emptym },
    { .name = "noargs", .desc = "a", .call = noargs },
    { .name = "mix",    .desc = "a", .args = mix_args, .call = mix },
    { .name = "ext",    .desc = "a", .call = ext },
    { .name = "badaud", .desc = "a", .call = badaud },
    { .name = "badpri", .desc = "a", .call = badpri },
    { .name = "arr",    .desc = "a", .call = arr },
    { 0 } };

int main(void) {
    static const mcp_server_desc desc = {
        .name = "mcplite",
        .version = "0.1.0",
        .tools = tools,
        .versions = MCP_2026_07_28 | MCP_2025_11_25 | MCP_2025_06_18 | MCP_2024_11_05 };
    return mcp_serve_stdio(&desc);
}
