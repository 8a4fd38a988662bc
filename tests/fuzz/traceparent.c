/* traceparent.c - what is accepted is what W3C Trace Context says, letter by letter
   clang -g -O1 -fsanitize=fuzzer,address,undefined -I. -Itests tests/fuzz/traceparent.c */
#define MCP_IMPLEMENTATION
#include "fuzz.h"

static bool hex(const uint8_t *s, size_t n) {
    while (n && ((*s >= '0' && *s <= '9') || (*s >= 'a' && *s <= 'f'))) s++, n--;
    return n == 0;
}

static bool zero(const uint8_t *s, size_t n) {
    while (n && *s == '0') s++, n--;
    return n == 0;
}

static bool valid(const uint8_t *s, size_t n) {
    while (n && (*s == ' ' || *s == '\t')) s++, n--;
    while (n && (s[n - 1] == ' ' || s[n - 1] == '\t')) n--;
    if (n < 55 || s[2] != '-' || s[35] != '-' || s[52] != '-') return false;
    if (!hex(s, 2) || !hex(s + 3, 32) || !hex(s + 36, 16) || !hex(s + 53, 2)) return false;
    if (!memcmp(s, "ff", 2) || zero(s + 3, 32) || zero(s + 36, 16)) return false;
    return n == 55 || (memcmp(s, "00", 2) && s[55] == '-');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static bytes b;
    mcp__context out;
    const char *s = padded(&b, data, size);
    must(mcp__traceparent_parse(s, size, &out) == valid(data, size));
    mcp__tracestate_valid(s, size);
    return 0;
}
