/* lanes.h - the work that is raced: mine.c does it with mcp.h, proto.c with the prototype,
   peers.cpp with what Debian has */
#ifndef LANES_H
#define LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a reader saw in a document. Sums of doubles in another order would differ: theirs is the
   document's. */
typedef struct digest {
    uint64_t chars, numbers;        /* decoded bytes of all keys and strings; how many numbers */
    double sum;
} digest;
typedef digest read_func(char *text, size_t n);             /* may change the text; NULs follow */
typedef uint64_t dispatch_func(char *line, size_t n);       /* takes out what dispatch needs */

read_func mine_pull, mine_pull_64k, mine_pull_4k, mine_check, mine_both, mine_walk;
read_func proto_pull, proto_check, proto_both, rapid_read, cjson_read, simd_read;
dispatch_func mine_dispatch, proto_dispatch, cjson_dispatch;

/* A document ready to be written: made once, written often. write returns the size. */
typedef void *tree_func(const char *text, size_t n);
typedef size_t write_func(void *tree);
tree_func mine_tree, proto_tree, rapid_tree, cjson_tree;
write_func mine_write, proto_write, rapid_write, cjson_write;

/* Numbers: their texts, which other bytes than digits follow, and their values. */
typedef struct numbers { const char **text; size_t *size; double *value; size_t n; } numbers;
void mine_numbers(const char *text, size_t n, numbers *out);
typedef double parse_func(const numbers *x);                /* their sum */
typedef size_t print_func(const numbers *x);                /* bytes in all */
parse_func mine_parse, proto_parse, strtod_parse, fast_float_parse;
print_func mine_print, proto_print, printf_print, to_chars_print;
size_t mine_double(char *out, double v);
size_t not_shortest(size_t n);      /* of n random doubles; those that don't read back count too */

size_t mine_base64(char *out, const void *in, size_t n);
size_t mine_unbase64(void *out, const char *s, size_t n);
bool mine_utf8(const char *s, size_t n), simd_utf8(const char *s, size_t n);
bool simd_kernel(const char *name); /* false: this machine lacks it */
size_t mine_reader_size(void);

#ifdef __cplusplus
}
#endif
#endif
