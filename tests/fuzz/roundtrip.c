/* roundtrip.c - check, walk, write; and again: the second text is the first
   clang -g -O1 -fsanitize=fuzzer,address,undefined -I. -Itests tests/fuzz/roundtrip.c */
#define MCP_IMPLEMENTATION
#include "fuzz.h"

static bytes text, again, copy;

static int sink(void *user, const void *p, size_t n) {
    bytes_add((bytes *)user, p, n);
    return MCP_OK;
}

static void write_value(mcp_writer *w, const char *key, const mcp_json *v) {
    size_t n = 0;
    mcp_type type = mcp_type_of(v);
    if (type == MCP_OBJECT || type == MCP_ARRAY) {
        if (type == MCP_OBJECT) mcp_put_obj(w, key);
        else mcp_put_arr(w, key);
        size_t count = 0;
        for (const mcp_json *x = mcp_first(v); x; x = mcp_next(x), count++)
            write_value(w, type == MCP_OBJECT ? mcp_key(x) : NULL, x);
        must(count == mcp_count(v));
        mcp_put_end(w);
    } else if (type == MCP_STRING) {
        const char *s = mcp_get_strn(v, NULL, &n);
        mcp_put_strn(w, key, s, n);
    } else mcp_put_json(w, key, v);
}

/* Walks what is at s by the getters, or copies it whole; false: a limit of the writer. */
static bool rewrite(bytes *out, const char *s, bool walk) {
    char buf[64];
    mcp_writer w;
    mcp_write_hook hook = { sink, out };
    const mcp_json *v = (const mcp_json *)mcp__json_space(s);
    out->n = 0;
    bytes_add(out, "\0\0\0\0\0\0\0", 8);
    mcp_writer_init(&w, buf, sizeof buf, hook);
    if (walk) write_value(&w, NULL, v);
    else mcp_put_json(&w, NULL, v);
    return mcp_writer_end(&w) == MCP_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static bytes b, whole;
    if (!is_json(data, size, 200) || (size >= 3 && data[0] == 0xEF)) return 0;
    const char *s = padded(&b, data, size);
    if (strstr(s, "\\u0000")) return 0; /* in a key, no C string can tell it */
    if (strstr(s, "\xE2\x80\xA8") || strstr(s, "\xE2\x80\xA9")) return 0; /* line separators: the
        writer escapes them, a copy leaves them as they came */
    must(rewrite(&whole, s, false));
    must(is_json(whole.at + 8, whole.n - 8, 200));
    must(rewrite(&text, s, true)); /* cooks the strings in place */
    must(is_json(text.at + 8, text.n - 8, 200));
    must(rewrite(&copy, s, false)); /* cooked strings are copied as well as raw ones */
    must(bytes_same(&text, &copy));
    must(rewrite(&again, text.at + 8, true)); /* cooks the text */
    must(bytes_same(&again, &copy));
    return 0;
}
