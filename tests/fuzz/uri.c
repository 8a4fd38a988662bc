/* uri.c - a template's text, a newline, a URI: parsed and matched; values lie inside the URI
   clang -g -O1 -fsanitize=fuzzer,address,undefined -I. -Itests tests/fuzz/uri.c */
#define MCP_IMPLEMENTATION
#include "harness.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char text[257];
    const uint8_t *lf = (const uint8_t *)memchr(data, '\n', size);
    if (!lf || (size_t)(lf - data) >= sizeof text || memchr(data, 0, (size_t)(lf - data))) return 0;
    memcpy(text, data, (size_t)(lf - data));
    text[lf - data] = 0;
    harness_mem mem;
    mcp__mem hook = { { harness_alloc, NULL } };
    mcp__arena arena;
    const char *why = NULL;
    memset(&mem, 0, sizeof mem);
    mem.dirty = true;
    hook.hook.user = &mem;
    mcp__arena_init(&arena, &hook);
    mcp__template *t = mcp__template_new(&arena, text, &why);
    must(t || why); /* a refusal says why */
    size_t n = size - (size_t)(lf + 1 - data);
    mcp__str uri = mcp__uri_normal(&arena, (const char *)lf + 1, n);
    mcp__str again = mcp__uri_normal(&arena, uri.s, uri.n);
    must(mcp__str_same(uri, again)); /* the normal form of a normal form is itself */
    int status = MCP_OK;
    const mcp__str *value = t ? mcp__template_match(t, &arena, uri, &status) : NULL;
    must(status == MCP_OK);
    for (size_t i = 0; value && i < t->variables; i++) must(value[i].n <= uri.n);
    mcp__arena_reset(&arena, 0);
    must(!mem.live && !mem.wrong);
    return 0;
}
