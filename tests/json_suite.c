/* json_suite.c - the public collections of hard JSON, by every path: whole and checked, pulled in
   one piece, pulled byte by byte, walked and copied. The first argument is the directory they are
   in: JSONTestSuite/, json/torture/ with its manifest.tsv, json/number_torture.json. */
#define MCP_IMPLEMENTATION
#include "mcp.h"

#include <stdio.h>
#include <stdlib.h>

#include "test.h"

#ifndef _WIN32
#include <dirent.h>

static const char *data;

/* A file in the middle of zeros: 64 before, 64 behind. */
typedef struct text { char *all, *s; size_t n; } text;

static text slurp(const char *path) {
    text t = { NULL, NULL, 0 };
    FILE *f = fopen(path, "rb");
    if (!f) return t;
    fseek(f, 0, SEEK_END);
    size_t size = (size_t)ftell(f);
    rewind(f);
    t.all = (char *)calloc(1, size + 128);
    t.s = t.all + 64;
    t.n = fread(t.s, 1, size, f);
    fclose(f);
    return t;
}

static bool checks(const char *s, size_t n, size_t depth, mcp__top *top) {
    const char *error = NULL;
    int status = 0;
    const char *end = mcp__json_check(s, depth, top, &error, &status);
    if (!end) {
        CHECK(error >= s && error <= s + n);
        CHECK(status == MCP_SYNTAX || status == MCP_LIMIT);
        return false;
    }
    return mcp__json_space(end) == s + n;
}

/* By the pull reader, in pieces of `step` bytes that end where their memory ends. */
static bool pulls(const char *s, size_t n, size_t step) {
    char scratch[64], *piece = NULL;
    mcp_reader r;
    int event;
    size_t at = 0;
    mcp_reader_init(&r, scratch, sizeof scratch);
    while ((event = mcp_read(&r)) > 0) {
        if (event != MCP_READ_MORE) continue;
        size_t k = n - at < step ? n - at : step;
        free(piece);
        piece = (char *)malloc(k ? k : 1);
        if (k) memcpy(piece, s + at, k);
        mcp_reader_feed(&r, piece, k);
        at += k;
    }
    free(piece);
    bool long_number = event == MCP_LIMIT && r.depth < MCP__DEPTH; /* than the scratch */
    return event == MCP_READ_DONE || long_number;
}

static void visit(const mcp_json *v) {
    mcp_get_num(v, NULL);
    mcp_get_str(v, NULL);
    mcp_key(v);
}

/* Every value but deep ones, in every state: the copy must stay what it was. */
static void walks(const char *s, size_t n) {
    size_t room = 6 * n + 64, depth = 0;
    char *a = (char *)malloc(room), *b = (char *)malloc(room);
    const mcp_json *root = (const mcp_json *)mcp__json_space(s), *stack[64];
    mcp_write_hook none = { NULL, NULL };
    mcp_writer w;
    mcp_writer_init(&w, a, room, none);
    mcp_put_json(&w, NULL, root);
    int status = mcp_writer_end(&w);
    CHECK_INT(status, MCP_OK);
    for (const mcp_json *v = root; v;) {
        visit(v);
        if (mcp_first(v) && depth < 64) {
            stack[depth++] = v;
            v = mcp_first(v);
            continue;
        }
        while (v && !mcp_next(v)) v = depth ? stack[--depth] : NULL;
        if (v) v = mcp_next(v);
    }
    mcp_writer_init(&w, b, room, none);
    mcp_put_json(&w, NULL, root);
    mcp_writer_end(&w);
    char *c = (char *)calloc(1, room + 128);
    size_t size = strlen(b), raw_size;
    memcpy(c + 64, b, size);
    CHECK(checks(c + 64, size, MCP__DEPTH, NULL));
    mcp_writer_init(&w, a, room, none); /* escapes are written their shortest way now */
    mcp_put_json(&w, NULL, (const mcp_json *)(c + 64));
    mcp_writer_end(&w);
    CHECK_STR(a, b);
    mcp_get_raw(root, NULL, &raw_size);
    CHECK(checks(s, n, MCP__DEPTH, NULL));
    free(a);
    free(b);
    free(c);
}

/* 1: accepted, 0: refused, by every path. */
static int verdict(const char *path, size_t depth, mcp__top *top) {
    text t = slurp(path);
    if (!t.all) return -1;
    bool good = checks(t.s, t.n, depth, top);
    bool bom = t.n >= 3 && !memcmp(t.s, "\xEF\xBB\xBF", 3);
    if (bom) good = checks(t.s + 3, t.n - 3, depth, top);
    if (depth == MCP__DEPTH) {
        CHECK_INT(pulls(t.s, t.n, t.n + 1), good);
        CHECK_INT(pulls(t.s, t.n, 7), good);
        if (t.n < 300000) CHECK_INT(pulls(t.s, t.n, 1), good);
    }
    if (good) walks(t.s + 3 * bom, t.n - 3 * bom);
    free(t.all);
    return good;
}

/* y_ must be taken, n_ refused. i_ is ours to decide: numbers of any size, lone surrogates and one
   byte order mark are taken; what is not UTF-8 is not. */
static bool expected(const char *name) {
    static const char *const refused[] = {
        "i_string_UTF-16LE_with_BOM", "i_string_UTF-8_invalid", "i_string_UTF8_surrogate",
        "i_string_invalid_utf-8", "i_string_iso_latin_1", "i_string_lone_utf8", "i_string_not_in",
        "i_string_overlong", "i_string_truncated", "i_string_utf16", NULL };
    if (name[0] != 'i') return name[0] == 'y';
    for (int i = 0; refused[i]; i++)
        if (!strncmp(name, refused[i], strlen(refused[i]))) return false;
    return true;
}

TEST(test_suite) {
    char path[1024];
    int files = 0;
    snprintf(path, sizeof path, "%s/JSONTestSuite", data);
    DIR *dir = opendir(path);
    if (!CHECK(dir != NULL)) return;
    for (struct dirent *e; (e = readdir(dir)) != NULL;) {
        if (!strstr(e->d_name, ".json")) continue;
        snprintf(path, sizeof path, "%s/JSONTestSuite/%s", data, e->d_name);
        if (!CHECK_INT(verdict(path, MCP__DEPTH, NULL), expected(e->d_name)))
            printf("    %s\n", e->d_name);
        files++;
    }
    closedir(dir);
    CHECK_INT(files, 318);
}

/* A: take. P: refuse. I: well-formed, but no request. N: take, and make the best of it. */
TEST(torture) {
    char path[1024], line[1024];
    int files = 0;
    snprintf(path, sizeof path, "%s/json/torture/manifest.tsv", data);
    FILE *f = fopen(path, "r");
    if (!CHECK(f != NULL)) return;
    while (fgets(line, sizeof line, f)) {
        char name[256], kind;
        mcp__top top;
        if (sscanf(line, "%255[^\t]\t%c", name, &kind) != 2) continue;
        bool want = kind != 'P' && strcmp(name, "170_empty.json") &&
                    strcmp(name, "171_ws_only.json") && strcmp(name, "196_depth_500.json");
        snprintf(path, sizeof path, "%s/json/torture/%s", data, name);
        memset(&top, 0, sizeof top);
        int got = verdict(path, 256, &top);
        if (!CHECK_INT(got, want)) printf("    %s\n", name);
        files++;
        if (got != 1) continue;
        bool twice = kind == 'I' && strstr(name, "_dup_");
        if (!CHECK_INT(top.twice != 0, twice)) printf("    %s\n", name);
    }
    fclose(f);
    CHECK_INT(files, 204);
}

/* Decimal texts, and the bits of the double that is nearest to each. */
TEST(numbers) {
    char path[1024];
    snprintf(path, sizeof path, "%s/json/number_torture.json", data);
    text t = slurp(path);
    if (!CHECK(t.all != NULL) || !CHECK(checks(t.s, t.n, 256, NULL))) return;
    int count = 0, wrong = 0;
    for (const mcp_json *row = mcp_first((const mcp_json *)t.s); row; row = mcp_next(row)) {
        size_t n;
        const char *decimal = mcp_get_strn(mcp_at(row, 0), NULL, &n);
        const char *hex = mcp_get_str(mcp_at(row, 1), NULL);
        uint64_t want = strtoull(hex, NULL, 16), got, back;
        mcp__num x;
        double d, e;
        char shortest[64];
        count++;
        CHECK_INT(mcp__num_parse(decimal, n, &x), MCP_OK);
        int status = mcp__num_double(&x, &d);
        memcpy(&got, &d, 8);
        if (status == MCP_LIMIT) got |= (uint64_t)0x7FF << 52;
        if (got != want && wrong++ < 10)
            printf("    %s: %s, not %016llx\n", decimal, hex, (unsigned long long)got);
        if (status) continue;
        size_t size = (size_t)(mcp__print_double(shortest, d) - shortest);
        CHECK_INT(mcp__num_parse(shortest, size, &x), MCP_OK);
        CHECK_INT(mcp__num_double(&x, &e), MCP_OK);
        memcpy(&back, &e, 8);
        if (back != want && wrong++ < 10)
            printf("    %s does not come back from %.*s\n", decimal, (int)size, shortest);
    }
    CHECK_INT(wrong, 0);
    CHECK_INT(count, 16787);
    free(t.all);
}

int main(int argc, char **argv) {
    if (argc < 2) return puts("json_suite: no directory given, nothing to do"), 0;
    data = argv[1];
    RUN(test_suite);
    RUN(torture);
    RUN(numbers);
    return DONE();
}
#else
int main(void) { return puts("json_suite: not built: no readdir"), 0; }
#endif
