/* fuzz.h - what the fuzz targets share */
#include "mcp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define must(x) ((x) ? (void)0 : fail(__FILE__, __LINE__, #x))
static inline void fail(const char *file, int line, const char *what) {
    fprintf(stderr, "%s:%d: must be: %s\n", file, line, what);
    abort();
}

typedef struct bytes { char *at; size_t n, cap; } bytes; /* kept from input to input */

static inline void bytes_add(bytes *b, const void *p, size_t n) {
    if (b->n + n + 64 > b->cap) {
        b->cap = 2 * (b->n + n) + 256;
        b->at = (char *)realloc(b->at, b->cap);
        must(b->at != NULL);
    }
    if (n) memcpy(b->at + b->n, p, n);
    memset(b->at + (b->n += n), 0, 64); /* the pad that every checked message has behind it */
}

static inline bool bytes_same(const bytes *a, const bytes *b) {
    return a->n == b->n && (!a->n || !memcmp(a->at, b->at, a->n));
}

/* A message's text in a buffer as the library's own are: room before it, zeros behind it. */
static inline const char *padded(bytes *b, const void *p, size_t n) {
    b->n = 0;
    bytes_add(b, "\0\0\0\0\0\0\0", 8);
    bytes_add(b, p, n);
    return b->at + 8;
}

/* Exactly one value and nothing behind it; the reader skips one BOM, so that is allowed here. */
static inline bool is_json(const void *p, size_t n, size_t depth) {
    static bytes b;
    const char *error = NULL, *s = padded(&b, p, n), *end = b.at + b.n;
    int status = MCP_OK;
    if (n >= 3 && !memcmp(s, "\xEF\xBB\xBF", 3)) s += 3;
    s = mcp__json_check(mcp__json_space(s), depth, NULL, &error, &status);
    return s && mcp__json_space(s) == end;
}
