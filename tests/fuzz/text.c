/* text.c - numbers, UTF-8 and base64 against the plainest way to do the same
   clang -g -O1 -fsanitize=fuzzer,address,undefined -I. -Itests tests/fuzz/text.c */
#define MCP_IMPLEMENTATION
#include "fuzz.h"

#include <math.h>

/* RFC 3629's table, a byte at a time */
static size_t utf8_valid(const uint8_t *s, size_t n) {
    for (size_t i = 0; i < n;) {
        uint8_t c = s[i], low = 0x80, high = 0xBF;
        size_t more = c < 0x80 ? 0 : c < 0xC2 ? 9 : c < 0xE0 ? 1 : c < 0xF0 ? 2 : c < 0xF5 ? 3 : 9;
        if (c == 0xE0) low = 0xA0;
        if (c == 0xED) high = 0x9F;
        if (c == 0xF0) low = 0x90;
        if (c == 0xF4) high = 0x8F;
        if (more == 9 || more > n - i - 1) return i;
        for (size_t k = 1; k <= more; k++, low = 0x80, high = 0xBF)
            if (s[i + k] < low || s[i + k] > high) return i;
        i += more + 1;
    }
    return n;
}

static void number_text(const char *s, size_t n) {
    mcp__num x;
    double d;
    if (n == 0 || n > 2000 || mcp__num_parse(s, n, &x) != MCP_OK) return;
    double want = strtod(s, NULL);
    int status = mcp__num_double(&x, &d);
    must(isinf(want) ? status == MCP_LIMIT : status == MCP_OK && !memcmp(&d, &want, sizeof d));
}

static void number_bits(double d) {
    char buf[64];
    mcp__num x;
    double back;
    if (!isfinite(d)) return;
    char *end = mcp__print_double(buf, d);
    *end = 0;
    must(mcp__num_parse(buf, (size_t)(end - buf), &x) == MCP_OK);
    must(mcp__num_double(&x, &back) == MCP_OK && back == d && strtod(buf, NULL) == d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static bytes b, c, d;
    size_t n = 0;
    padded(&b, data, size);
    must(mcp__utf8_valid(b.at + 8, size) == utf8_valid(data, size));
    number_text(b.at + 8, size);
    for (size_t i = 0; i + 8 <= size && i < 64; i++) {
        double x;
        memcpy(&x, data + i, 8);
        number_bits(x);
    }
    c.n = d.n = 0;
    for (size_t i = 0; i < 4 * (size / 3 + 1); i++) bytes_add(&c, "", 1), bytes_add(&d, "", 1);
    n = mcp__base64_encode(c.at, data, size);
    must(n == 4 * ((size + 2) / 3));
    must(mcp__base64_decode(d.at, c.at, n, &n) == MCP_OK && n == size);
    must(!size || !memcmp(d.at, data, size));
    if (mcp__base64_decode(b.at, b.at + 8, size, &n) == MCP_OK) {
        must(mcp__base64_encode(c.at, b.at, n) == size);
        must(!size || !memcmp(c.at, data, size)); /* strict: one text for one meaning */
    }
    return 0;
}
