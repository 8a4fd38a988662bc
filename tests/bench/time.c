/* time.c - races: time baseline|avx2|portable FOLDER

   Goals are JSON.md's (section 5). Those against yyjson, which Debian does not package, are turned
   into goals against the peers here by that document's own tables of each peer's speed relative to
   yyjson's; "x yyjson" is what most of the peers say. */
#include "bench.h"
#include "lanes.h"

#include <limits.h>
#include <malloc.h>

static const char *folder;

/* ---- what all lanes of a race have in common: fresh copies of a document ---- */

typedef struct document {
    bytes text;
    char *copies;                   /* a run reads many of a small one: all from one cache level */
    size_t count, stride;
} document;

typedef struct job { document *d; read_func *read; digest got; } job;

static document document_of(bytes text) {
    enum { ENOUGH = 200000 };
    document d = { text, NULL, ENOUGH / text.n + 1, BEFORE + text.n + BEHIND };
    d.copies = (char *)bench_alloc(d.count * d.stride);
    for (size_t i = 0; i < d.count; i++)
        memcpy(d.copies + i * d.stride, text.at - BEFORE, d.stride);
    return d;
}

static void document_reset(void *at) {
    document *d = ((job *)at)->d;
    for (size_t i = 0; i < d->count; i++)
        memcpy(d->copies + i * d->stride, d->text.at - BEFORE, d->stride);
}

static void document_read(void *at) {
    job *j = (job *)at;
    for (size_t i = 0; i < j->d->count; i++)
        j->got = j->read(j->d->copies + i * j->d->stride + BEFORE, j->d->text.n);
}

static void document_free(document *d) {
    free(d->copies);
    free(d->text.at - BEFORE);
}

/* ---- speed against yyjson, seen through peers ---- */

typedef struct peer { const char *name; double yyjson; } peer;  /* its speed relative to yyjson */

/* The row: our lane's speed, by the median of what the peers say (of two: their mean); the notes:
   each peer, and what the goal comes to against it. */
static void row_yyjson(const char *number, const char *what, const double *against,
                       const peer *peers, size_t n, double goal) {
    char notes[256] = "";
    double said[4], v;
    size_t used = 0, at;
    for (size_t i = 0; i < n; i++) {
        if (peers[i].yyjson <= 0) continue;
        said[used++] = against[i] * peers[i].yyjson;
        at = strlen(notes);
        snprintf(notes + at, sizeof notes - at, "  %s %.2f", peers[i].name, against[i]);
        at = strlen(notes);
        if (goal > 0) snprintf(notes + at, sizeof notes - at, " (%.2f)", goal / peers[i].yyjson);
    }
    v = used == 2 ? sqrt(said[0] * said[1]) : median(said, used);
    row(number, what, v, "x yyjson", '>', goal, goal > 0 ? RATIO : INFO, notes + 2);
}

/* ---- R1, R3, R4, R5, R9: reading ---- */

typedef struct reading {
    const char *name;
    double rapid, cjson, simd;      /* speed relative to yyjson: JSON.md, table 3.1 */
    double pull, check, both;       /* goals; 0: none */
    const char *pull_row, *check_row;
} reading;

static const reading readings[] = {
    { "call_small",       0.46, 0.20, 0.90, 1.00, 2.10, 0.75, "R1", "R3" },
    { "ping",             0.50, 0.29, 0.86, 1.00, 2.10, 0.60, "R1", "R3" },
    { "tools_list",       0.56, 0.22, 1.31, 1.00, 2.10, 0.75, "R1", "R3" },
    { "uni_mixed",        0.58, 0.21, 1.45, 1.00, 1.35, 0.60, "R1", "R3" },
    { "num_double_short", 0.50, 0.15, 0.71, 1.00, 1.35, 0.60, "R1", "R3" },
    { "num_embed_f32",    0.54, 0.15, 0.89, 1.00, 1.35, 0.60, "R1", "R3" },
    { "citm_catalog",     0.50, 0.17, 1.16, 0.90, 1.35, 0.60, "R1", "R3" },
    { "twitter",          0.36, 0.19, 1.25, 0.90, 1.35, 0.60, "R1", "R3" },
    { "canada",           0.30, 0.12, 0.91, 0.90, 1.35, 0.60, "R1", "R3" },
    { "num_double17",     0.39, 0.16, 0.92, 0.90, 1.35, 0.60, "R1", "R3" },
    { "num_int",          0.50, 0.18, 0.75, 0.90, 1.35, 0.60, "R1", "R3" },
    { "uni_emoji",        0.60, 0.15, 1.09, 0.85, 0.80, 0.60, "R1", "R3" },
    { "uni_cjk",          0.55, 0.14, 0.91, 0.70, 0.80, 0.40, "R1", "R3" },
    { "str_plain_1m",     7.07, 0.39, 3.08, 4.50, 4.50, 0.60, "R4", "R4" },
    { "image_64k",        6.01, 0.37, 3.09, 4.50, 4.50, 0.60, "R4", "R4" },
    { "str_code_1m",      0.91, 0.54, 1.20, 1.20, 1.35, 0.60, "R5", "R3" },
    { "str_escapes_1m",   0.93, 0.62, 1.13, 1.20, 1.35, 0.60, "R5", "R3" },
    { "uni_cjk_escaped",  0.19, 0.16, 0.53, 1.20, 1.35, 0.60, "R5", "R3" } };

static bytes named(const char *name) {
    char file[64];
    snprintf(file, sizeof file, "%s.json", name);
    return bench_file(folder, file);
}

static void same_digest(const char *what, const job *a, const job *b) {
    if (a->got.chars != b->got.chars || a->got.numbers != b->got.numbers ||
        fabs(a->got.sum - b->got.sum) > 1e-9 * fabs(a->got.sum))
        die(what, "readers disagree about what it says");
}

static void race_reading(const reading *r, bool avx2) {
    enum { PULL, CHECK, BOTH, WALK, RAPID, CJSON, SIMD, COUNT };
    static read_func *const reads[COUNT] = { mine_pull, mine_check, mine_both, mine_walk,
                                             rapid_read, cjson_read, simd_read };
    const peer peers[3] = { { "RapidJSON", r->rapid }, { "cJSON", r->cjson },
                            { "simdjson", simd_kernel("haswell") ? r->simd : 0 } };
    document d = document_of(named(r->name));
    job jobs[COUNT];
    lane lanes[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        job j = { &d, reads[i], { 0, 0, 0 } };
        bool changes = i == WALK || i == RAPID;
        lane l = { changes ? document_reset : NULL, document_read, &jobs[i], 0, { 0 } };
        jobs[i] = j;
        lanes[i] = l;
    }
    size_t rounds = race(lanes, COUNT, 0.7);
    for (size_t i = 0; i < COUNT; i++) if (i != CHECK) same_digest(r->name, &jobs[PULL], &jobs[i]);

    static const char *const names[RAPID] = { "pull", "check", "check + pull", "check + walk" };
    const char *const rows[RAPID] = { r->pull_row, r->check_row, "R9", "R9" };
    double goals[RAPID] = { r->pull, r->check, r->both, 0 };
    if (avx2) {                     /* only checking has goals of its own */
        bool high = !strcmp(r->name, "uni_cjk") || !strcmp(r->name, "uni_emoji");
        goals[CHECK] = high ? 1.3 : 10;
    }
    for (size_t i = PULL; i <= WALK; i++) {
        char what[64];
        double against[3];
        if (avx2 && i != CHECK) continue;
        for (size_t p = 0; p < 3; p++) against[p] = faster(&lanes[i], &lanes[RAPID + p], rounds);
        snprintf(what, sizeof what, "%s %s%s", names[i], r->name, avx2 ? ", AVX2" : "");
        row_yyjson(rows[i], what, against, peers, 3, goals[i]);
    }
    document_free(&d);
}

/* ---- R4, R6: ten megabytes in one string; pieces ---- */

static bytes blob_message(void) {
    static const char head[] = "{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{\"contents\":[{"
                               "\"uri\":\"file:///big.bin\",\"blob\":\"";
    const size_t raw = 7500000;
    bytes b = { NULL, 0 };
    char *bin = (char *)bench_alloc(raw);
    uint32_t state = 1;
    for (size_t i = 0; i < raw; i++) {
        state = state * 1664525 + 1013904223;   /* Numerical Recipes */
        bin[i] = (char)(state >> 24);
    }
    b.at = (char *)bench_alloc(BEFORE + raw / 3 * 4 + sizeof head + BEHIND) + BEFORE;
    memcpy(b.at, head, sizeof head - 1);
    b.n = sizeof head - 1;
    b.n += mine_base64(b.at + b.n, bin, raw);
    memcpy(b.at + b.n, "\"}]}}", 5);
    b.n += 5;
    free(bin);
    return b;
}

static digest memchr_read(char *text, size_t n) {
    digest d = { memchr(text, 1, n) != NULL, 0, 0 };
    return d;
}

static void race_blob(bool avx2) {
    enum { CHECK, MEMCHR, COUNT };
    document d = document_of(blob_message());
    job jobs[COUNT] = { { &d, mine_check, { 0, 0, 0 } }, { &d, memchr_read, { 0, 0, 0 } } };
    lane lanes[COUNT] = { { NULL, document_read, &jobs[CHECK], 0, { 0 } },
                          { NULL, document_read, &jobs[MEMCHR], 0, { 0 } } };
    size_t rounds = race(lanes, COUNT, 0.5);
    row("R4", avx2 ? "check 10 MB blob, AVX2" : "check 10 MB blob",
        faster(&lanes[CHECK], &lanes[MEMCHR], rounds), "x memchr", '>', 0.8, RATIO, "");
    document_free(&d);
}

static void race_pieces(const char *name, bytes text, bool structure) {
    enum { WHOLE, BIG, SMALL, COUNT };
    static read_func *const reads[COUNT] = { mine_pull, mine_pull_64k, mine_pull_4k };
    document d = document_of(text);
    job jobs[COUNT];
    lane lanes[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        job j = { &d, reads[i], { 0, 0, 0 } };
        lane l = { NULL, document_read, &jobs[i], 0, { 0 } };
        jobs[i] = j;
        lanes[i] = l;
    }
    size_t rounds = race(lanes, COUNT, 0.4);
    for (size_t i = BIG; i < COUNT; i++) {
        char what[64];
        same_digest(name, &jobs[WHOLE], &jobs[i]);
        snprintf(what, sizeof what, "%s in pieces of %s", name, i == BIG ? "64 KB" : "4 KB");
        row("R6", what, faster(&lanes[i], &lanes[WHOLE], rounds), "x whole", '>',
            !structure ? 0.55 : i == BIG ? 0.85 : 0.8, RATIO, "");
    }
    document_free(&d);
}

/* ---- R8: what dispatch needs of a message ---- */

typedef struct stream { bytes text; char *copy; dispatch_func *dispatch; uint64_t got; } stream;

static void stream_reset(void *at) {
    stream *s = (stream *)at;
    memcpy(s->copy, s->text.at - BEFORE, BEFORE + s->text.n + BEHIND);
}

static void stream_run(void *at) {
    stream *s = (stream *)at;
    char *p = s->copy + BEFORE, *end = p + s->text.n;
    s->got = 0;
    while (p < end) {
        char *lf = (char *)memchr(p, '\n', (size_t)(end - p));
        *lf = 0;
        s->got += s->dispatch(p, (size_t)(lf - p));
        p = lf + 1;
    }
}

static void race_dispatch(void) {
    bytes text = bench_file(folder, "stream_4000.ndjson");
    char *copy = (char *)bench_alloc(BEFORE + text.n + BEHIND);
    memcpy(copy, text.at - BEFORE, BEFORE + text.n + BEHIND);
    stream mine = { text, copy, mine_dispatch, 0 }, cjson = { text, copy, cjson_dispatch, 0 };
    lane lanes[2] = { { stream_reset, stream_run, &mine, 0, { 0 } },
                      { stream_reset, stream_run, &cjson, 0, { 0 } } };
    size_t rounds = race(lanes, 2, 0.7);
    if (mine.got != cjson.got) die("stream_4000", "readers disagree about what it says");
    row("R8", "dispatch of 4000 messages", faster(&lanes[0], &lanes[1], rounds), "x cJSON", '>',
        1017.0 / 214, RATIO, "as fast as yyjson in situ with a pool; 250 ns come to 4.07");
}

/* ---- W1, W2: writing ---- */

typedef struct writing {
    const char *name;
    double rapid, cjson;            /* speed relative to yyjson that scans: JSON.md, table 4.1 */
    double yyjson, over_cjson;      /* goals; 0: none */
} writing;

static const writing writings[] = {
    { "call_small",       0.42, 0.39, 0.9,  2.3 },
    { "tools_list",       0.24, 0.22, 1.0,  2.3 },
    { "str_code_1m",      0.64, 0.36, 1.0,  2.3 },
    { "str_escapes_1m",   0.64, 0.37, 1.2,  2.3 },
    { "str_plain_1m",     3.61, 0.20, 4.0,  2.3 },
    { "image_64k",        3.04, 0.51, 4.0,  2.3 },
    { "num_int",          0.68, 0.04, 0.9, 15.0 },
    { "num_double_short", 0.52, 0.04, 0,   15.0 },
    { "num_double17",     0.30, 0.02, 0,   15.0 },
    { "canada",           0.28, 0.02, 0,   15.0 },
    { "uni_cjk",          0.65, 0.39, 0,    2.3 },
    { "twitter",          0.29, 0.18, 1.0,  2.3 },
    { "citm_catalog",     0.26, 0.11, 0.6,  2.3 } };

typedef struct tree { void *at; size_t (*write)(void *tree); size_t size, times; } tree;

static void tree_write(void *at) {
    tree *t = (tree *)at;
    for (size_t i = 0; i < t->times; i++) t->size = t->write(t->at);
}

static void race_writing(const writing *w) {
    enum { MINE, RAPID, CJSON, COUNT };
    bytes text = named(w->name);
    size_t times = 200000 / text.n + 1;
    tree trees[COUNT] = { { mine_tree(text.at, text.n), mine_write, 0, times },
                          { rapid_tree(text.at, text.n), rapid_write, 0, times },
                          { cjson_tree(text.at, text.n), cjson_write, 0, times } };
    lane lanes[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        lane l = { NULL, tree_write, &trees[i], 0, { 0 } };
        lanes[i] = l;
    }
    size_t rounds = race(lanes, COUNT, 0.5);
    if (trees[MINE].size * 10 < trees[CJSON].size * 9) die(w->name, "too little was written");
    const peer peers[2] = { { "RapidJSON", w->rapid }, { "cJSON", w->cjson } };
    const double against[2] = { faster(&lanes[MINE], &lanes[RAPID], rounds),
                                faster(&lanes[MINE], &lanes[CJSON], rounds) };
    char what[64];
    snprintf(what, sizeof what, "write %s", w->name);
    row_yyjson("W1", what, against, peers, 2, w->yyjson);
    row("W2", what, against[1], "x cJSON", '>', w->over_cjson, RATIO, "");
    free(text.at - BEFORE);
}

/* ---- B1: base64, against a codec with tables of 12 bits in and three bytes out ----
   That is the plain codec of the base64 library that JSON.md measured (which Debian does not
   package), written again: 8 KB and 4 KB of tables, no vectors. */

static uint16_t fours[4096];
static uint32_t threes[4][256];

static void tables_make(void) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (unsigned i = 0; i < 4096; i++) {
        const char pair[2] = { digits[i >> 6], digits[i & 63] };
        memcpy(&fours[i], pair, 2);
    }
    for (unsigned k = 0; k < 4; k++)
        for (unsigned i = 0; i < 256; i++) threes[k][i] = 0xFF000000;
    for (unsigned i = 0; i < 64; i++) {
        const unsigned char c = (unsigned char)digits[i];
        for (unsigned k = 0; k < 4; k++) {      /* the three bytes come out in memory order */
            const uint32_t v = i << (18 - 6 * k);
            threes[k][c] = v >> 16 | (v & 0xFF00) | (v & 0xFF) << 16;
        }
    }
}

static inline void encode_six(char *o, const unsigned char *s) {    /* reads eight */
    uint64_t v;
    memcpy(&v, s, 8);
    v = __builtin_bswap64(v);
    memcpy(o, &fours[v >> 52], 2);
    memcpy(o + 2, &fours[v >> 40 & 4095], 2);
    memcpy(o + 4, &fours[v >> 28 & 4095], 2);
    memcpy(o + 6, &fours[v >> 16 & 4095], 2);
}

static size_t table_encode(char *out, const void *in, size_t n) {   /* n: a multiple of 3 */
    const unsigned char *s = (const unsigned char *)in;
    char *o = out;
    for (; n >= 26; n -= 24, s += 24, o += 32) {
        encode_six(o, s);
        encode_six(o + 8, s + 6);
        encode_six(o + 16, s + 12);
        encode_six(o + 24, s + 18);
    }
    for (; n; n -= 3, s += 3, o += 4) {
        const unsigned v = (unsigned)s[0] << 16 | (unsigned)s[1] << 8 | s[2];
        memcpy(o, &fours[v >> 12], 2);
        memcpy(o + 2, &fours[v & 4095], 2);
    }
    return (size_t)(o - out);
}

static inline bool decode_four(unsigned char *o, const char *s) {   /* writes four bytes */
    const unsigned char *u = (const unsigned char *)s;
    const uint32_t v = threes[0][u[0]] | threes[1][u[1]] | threes[2][u[2]] | threes[3][u[3]];
    memcpy(o, &v, 4);
    return !(v >> 24);
}

static size_t table_decode(void *out, const char *s, size_t n) {    /* no padding, one spare byte */
    unsigned char *o = (unsigned char *)out;
    for (; n >= 16; n -= 16, s += 16, o += 12)
        if (!decode_four(o, s) || !decode_four(o + 3, s + 4) || !decode_four(o + 6, s + 8) ||
            !decode_four(o + 9, s + 12)) return 0;
    for (; n; n -= 4, s += 4, o += 3)
        if (!decode_four(o, s)) return 0;
    return (size_t)(o - (unsigned char *)out);
}

typedef struct coding {
    size_t (*encode)(char *, const void *, size_t), (*decode)(void *, const char *, size_t);
    char *text, *bin;
    size_t size, done;
} coding;

static void coding_encode(void *at) {
    coding *c = (coding *)at;
    c->done = c->encode(c->text, c->bin, c->size);
}

static void coding_decode(void *at) {
    coding *c = (coding *)at;
    c->done = c->decode(c->bin, c->text, c->size / 3 * 4);
}

static size_t copy_text(char *out, const void *in, size_t n) {
    memcpy(out, in, n);
    return n;
}

static size_t copy_bin(void *out, const char *s, size_t n) {
    memcpy(out, s, n / 4 * 3);
    return n;
}

/* Goals: 0.6 and 0.7 of the plain codec; with AVX2, 0.8 of a codec with AVX2, which JSON.md
   (section 4.2) measured at 14.5 / 4.0 and 14.2 / 3.6 times the plain one's speed. */
static void race_base64(bool avx2) {
    enum { MINE, TABLE, COPY, COUNT, SIZE = 49152 };
    const double goals[2] = { avx2 ? 0.8 * 14.5 / 4.0 : 0.6, avx2 ? 0.8 * 14.2 / 3.6 : 0.7 };
    char *text = (char *)bench_alloc(SIZE * 2), *bin = (char *)bench_alloc(SIZE * 2);
    char *back = (char *)bench_alloc(SIZE * 2);
    tables_make();
    for (size_t i = 0; i < SIZE; i++) bin[i] = (char)(i * 2654435761u >> 13);
    if (mine_base64(text, bin, SIZE) != table_encode(back, bin, SIZE) ||
        memcmp(text, back, SIZE / 3 * 4)) die("base64", "encoders disagree");
    if (mine_unbase64(back, text, SIZE / 3 * 4) != SIZE || memcmp(back, bin, SIZE) ||
        table_decode(back, text, SIZE / 3 * 4) != SIZE || memcmp(back, bin, SIZE))
        die("base64", "decoders disagree");
    coding codings[COUNT] = { { mine_base64, mine_unbase64, text, bin, SIZE, 0 },
                              { table_encode, table_decode, text, bin, SIZE, 0 },
                              { copy_text, copy_bin, back, text, SIZE, 0 } };
    for (int way = 0; way < 2; way++) {
        lane lanes[COUNT];
        char notes[64];
        for (size_t i = 0; i < COUNT; i++) {
            lane l = { NULL, way ? coding_decode : coding_encode, &codings[i], 0, { 0 } };
            lanes[i] = l;
        }
        size_t rounds = race(lanes, COUNT, 0.3);
        snprintf(notes, sizeof notes, "memcpy %.3f", faster(&lanes[MINE], &lanes[COPY], rounds));
        row("B1", way ? avx2 ? "base64 decode, AVX2" : "base64 decode"
                      : avx2 ? "base64 encode, AVX2" : "base64 encode",
            faster(&lanes[MINE], &lanes[TABLE], rounds), "x table codec", '>', goals[way], RATIO,
            notes);
    }
}

/* ---- U1: UTF-8 ---- */

/* A DFA as tables make it: a state is what may come next. */
static unsigned char dfa[9][256];

static void dfa_make(void) {
    enum { OK, BAD, ONE, TWO, THREE, E0, ED, F0, F4 };
    static const struct { unsigned char from, low, high, to; } moves[] = {
        { OK, 0x00, 0x7F, OK },     { OK, 0xC2, 0xDF, ONE },  { OK, 0xE0, 0xE0, E0 },
        { OK, 0xE1, 0xEC, TWO },    { OK, 0xED, 0xED, ED },   { OK, 0xEE, 0xEF, TWO },
        { OK, 0xF0, 0xF0, F0 },     { OK, 0xF1, 0xF3, THREE }, { OK, 0xF4, 0xF4, F4 },
        { ONE, 0x80, 0xBF, OK },    { TWO, 0x80, 0xBF, ONE }, { THREE, 0x80, 0xBF, TWO },
        { E0, 0xA0, 0xBF, ONE },    { ED, 0x80, 0x9F, ONE },  { F0, 0x90, 0xBF, TWO },
        { F4, 0x80, 0x8F, TWO } };
    memset(dfa, BAD, sizeof dfa);
    for (size_t i = 0; i < COUNT_OF(moves); i++)
        memset(dfa[moves[i].from] + moves[i].low, moves[i].to, moves[i].high - moves[i].low + 1u);
}

static bool dfa_utf8(const char *s, size_t n) {
    unsigned state = 0;
    for (size_t i = 0; i < n; i++) state = dfa[state][(unsigned char)s[i]];
    return !state;
}

typedef bool valid_func(const char *s, size_t n);
typedef struct validation { valid_func *valid; const char *s; size_t n; } validation;

static void validation_run(void *at) {
    validation *v = (validation *)at;
    if (!v->valid(v->s, v->n)) die("UTF-8", "valid text is refused");
}

static void race_utf8(const char *what, const char *peer_name, valid_func *peer_valid,
                      double goal) {
    enum { SIZE = 65535 };          /* of characters of three bytes each */
    static const char text[] = "\xE4\xB8\xAD\xE6\x96\x87\xE3\x81\xAE\xE5\xAD\x97";
    char *s = (char *)bench_alloc(BEFORE + SIZE + BEHIND) + BEFORE, unit[32];
    for (size_t i = 0; i < SIZE; i++) s[i] = text[i % 12];
    validation v[2] = { { mine_utf8, s, SIZE }, { peer_valid, s, SIZE } };
    lane lanes[2] = { { NULL, validation_run, &v[0], 0, { 0 } },
                      { NULL, validation_run, &v[1], 0, { 0 } } };
    size_t rounds = race(lanes, 2, 0.3);
    snprintf(unit, sizeof unit, "x %s", peer_name);
    row("U1", what, faster(&lanes[0], &lanes[1], rounds), unit, '>', goal, RATIO, "");
}

/* ---- D1, S1: numbers ---- */

typedef struct counting {
    print_func *print;              /* one of the two */
    parse_func *parse;
    const numbers *x;
    double got;
} counting;

static void counting_run(void *at) {
    counting *c = (counting *)at;
    c->got = c->print ? (double)c->print(c->x) : c->parse(c->x);
}

/* Goals are times (60 ns, 20 ns for few decimals) over those of printf %.17g and of Ryu in JSON.md,
   section 4.2, and 1.15 fast_floats, whose speed over strtod's is there, too. */
static void race_numbers(const char *name, double printf_ns, double ryu_ns, double goal_ns,
                         double strtod_ns, double fast_float_ns) {
    enum { MINE, OTHER, LIBC, COUNT };
    bytes text = named(name);
    numbers x;
    char notes[128], what[64];
    mine_numbers(text.at, text.n, &x);
    counting print[COUNT] = { { mine_print, NULL, &x, 0 }, { to_chars_print, NULL, &x, 0 },
                              { printf_print, NULL, &x, 0 } };
    counting parse[COUNT] = { { NULL, mine_parse, &x, 0 }, { NULL, fast_float_parse, &x, 0 },
                              { NULL, strtod_parse, &x, 0 } };
    for (int way = 0; way < 2; way++) {
        lane lanes[COUNT];
        for (size_t i = 0; i < COUNT; i++) {
            lane l = { NULL, counting_run, way ? &parse[i] : &print[i], 0, { 0 } };
            lanes[i] = l;
        }
        size_t rounds = race(lanes, COUNT, 0.5);
        double other = faster(&lanes[MINE], &lanes[OTHER], rounds);
        double libc = faster(&lanes[MINE], &lanes[LIBC], rounds);
        snprintf(what, sizeof what, "%s %s", way ? "parse" : "print", name);
        if (!way) {
            snprintf(notes, sizeof notes, "to_chars (Ryu) %.2f (%.2f)", other, ryu_ns / goal_ns);
            row("D1", what, libc, "x printf", '>', printf_ns / goal_ns, RATIO, notes);
        } else {
            if (parse[MINE].got != parse[OTHER].got || parse[MINE].got != parse[LIBC].got)
                die(name, "parsers disagree about its numbers");
            snprintf(notes, sizeof notes, "strtod %.2f (%.2f)", libc,
                     strtod_ns / (1.15 * fast_float_ns));
            row("S1", what, other, "x fast_float", '>', 1 / 1.15, RATIO, notes);
        }
    }
    free(x.text);
    free(x.size);
    free(x.value);
    free(text.at - BEFORE);
}

/* ---- which rows ---- */

static void baseline(void) {
    for (size_t i = 0; i < COUNT_OF(readings); i++) race_reading(&readings[i], false);
    race_blob(false);
    race_pieces("tools_list", named("tools_list"), true);
    race_pieces("twitter", named("twitter"), true);
    race_pieces("citm_catalog", named("citm_catalog"), true);
    race_pieces("canada", named("canada"), true);
    race_pieces("str_code_1m", named("str_code_1m"), false);
    race_pieces("10 MB blob", blob_message(), false);
    row("R7", "size of a reader", (double)mine_reader_size(), "bytes", '<', 256, GATE, "");
    race_dispatch();
    for (size_t i = 0; i < COUNT_OF(writings); i++) race_writing(&writings[i]);
    race_base64(false);
    if (simd_kernel("westmere")) race_utf8("UTF-8, CJK", "simdjson SSE4.2", simd_utf8, 0.65);
    race_numbers("canada", 439, 37, 60, 129, 21);
    race_numbers("num_double17", 262, 37, 60, 123, 20);
    race_numbers("num_double_short", 435, 53, 20, 86, 14);
    row("D1", "doubles not printed shortest", (double)not_shortest(2000000), "of 2 million", '<', 0,
        GATE, "");
}

static void avx2(void) {
    static const char *const names[] = { "str_plain_1m", "image_64k", "uni_emoji", "uni_cjk" };
    for (size_t i = 0; i < COUNT_OF(readings); i++)
        for (size_t k = 0; k < COUNT_OF(names); k++)
            if (!strcmp(readings[i].name, names[k])) race_reading(&readings[i], true);
    race_blob(true);
    race_base64(true);
    if (simd_kernel("haswell")) race_utf8("UTF-8, CJK, AVX2", "simdjson AVX2", simd_utf8, 0.55);
}

int main(int argc, char **argv) {
    if (argc != 3) die("time", "baseline|avx2|portable FOLDER");
    folder = argv[2];
    mallopt(M_MMAP_MAX, 0);                     /* peers that allocate keep their memory: their */
    mallopt(M_TRIM_THRESHOLD, INT_MAX);         /* best case */
    mallopt(M_TOP_PAD, 64 << 20);
    dfa_make();
    if (!strcmp(argv[1], "baseline")) baseline();
    else if (!strcmp(argv[1], "avx2")) avx2();
    else race_utf8("UTF-8, CJK, portable C", "a DFA's table", dfa_utf8, 2);
    return 0;
}
