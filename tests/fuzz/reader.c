/* reader.c - the pull reader: in pieces as in one, and it agrees with the check of whole messages
   clang -g -O1 -fsanitize=fuzzer,address,undefined -I. -Itests tests/fuzz/reader.c */
#define MCP_IMPLEMENTATION
#include "fuzz.h"

/* Every event with its text, as bytes; the first byte of the input says how long pieces are. */
static int events(bytes *out, const uint8_t *data, size_t size, size_t each, uint64_t *offset) {
    char scratch[96];
    mcp_reader r;
    int event;
    size_t at = 0;
    mcp_reader_init(&r, scratch, each % 2 ? sizeof scratch : 32);
    do {
        event = mcp_read(&r);
        if (event == MCP_READ_MORE) {
            size_t n = size - at < each ? size - at : each;
            mcp_reader_feed(&r, n ? data + at : NULL, n);
            at += n;
            continue;
        }
        if (event == MCP_READ_KEY || event == MCP_READ_STR || event == MCP_READ_NUM)
            bytes_add(out, r.text, r.size);
        if (event == MCP_READ_NUM) {
            int64_t i;
            double d = mcp_read_num(&r);
            bytes_add(out, &d, sizeof d);
            if (mcp_read_int(&r, &i) == MCP_OK) bytes_add(out, &i, sizeof i);
        }
        if (!r.partial && event >= 0) bytes_add(out, &event, 1);
    } while (event > MCP_READ_DONE);
    *offset = r.offset;
    return event;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static bytes one, cut;
    if (size == 0) return 0;
    uint64_t one_at, cut_at; /* of the error; parts of a token may have come before it */
    one.n = cut.n = 0;
    int whole = events(&one, data + 1, size - 1, SIZE_MAX, &one_at);
    int pieces = events(&cut, data + 1, size - 1, data[0] ? data[0] : 1, &cut_at);
    if (pieces == MCP_LIMIT) return 0; /* a number longer than its scratch */
    must(whole == pieces && one_at == cut_at);
    must(whole != MCP_READ_DONE || bytes_same(&one, &cut));
    if (whole != MCP_LIMIT) must((whole == MCP_READ_DONE) == is_json(data + 1, size - 1, 1024));
    return 0;
}
