/* time.c - races: time baseline|avx2|portable FOLDER

   Goals are JSON.md's (section 5). Most were measured against yyjson, which Debian does not
   package; the same tables say how fast the prototype was that reached them. So "x yyjson" is the
   prototype's speed there, times ours relative to the prototype's here: the two are of one kind,
   and another machine slows both. What is packaged runs beside them, and is the measure where it
   can be. */
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

/* ---- R1, R3, R4, R5, R9: reading ---- */

typedef struct reading {
    const char *name;
    double proto_pull, proto_check; /* x yyjson: JSON.md, table 3.1, "proto fused" and "valid" */
    double pull, check, both;       /* goals; 0: none */
    const char *pull_row, *check_row;
} reading;

static const reading readings[] = {
    { "call_small",       1.07, 2.19, 1.00, 2.10, 0.75, "R1", "R3" },
    { "ping",             1.11, 2.50, 1.00, 2.10, 0.60, "R1", "R3" },
    { "tools_list",       1.30, 2.59, 1.00, 2.10, 0.75, "R1", "R3" },
    { "uni_mixed",        1.33, 1.64, 1.00, 1.35, 0.60, "R1", "R3" },
    { "num_double_short", 1.02, 1.48, 1.00, 1.35, 0.60, "R1", "R3" },
    { "num_embed_f32",    1.36, 2.11, 1.00, 1.35, 0.60, "R1", "R3" },
    { "citm_catalog",     0.99, 1.63, 0.90, 1.35, 0.60, "R1", "R3" },
    { "twitter",          0.97, 1.56, 0.90, 1.35, 0.60, "R1", "R3" },
    { "canada",           0.98, 2.60, 0.90, 1.35, 0.60, "R1", "R3" },
    { "num_double17",     0.94, 1.53, 0.90, 1.35, 0.60, "R1", "R3" },
    { "num_int",          0.96, 1.52, 0.90, 1.35, 0.60, "R1", "R3" },
    { "uni_emoji",        0.88, 1.00, 0.85, 0.80, 0.60, "R1", "R3" },
    { "uni_cjk",          0.76, 0.84, 0.70, 0.80, 0.40, "R1", "R3" },
    { "str_plain_1m",     6.09, 5.75, 4.50, 4.50, 0.60, "R4", "R4" },
    { "image_64k",        5.28, 5.35, 4.50, 4.50, 0.60, "R4", "R4" },
    { "str_code_1m",      1.33, 1.37, 1.20, 1.35, 0.60, "R5", "R3" },
    { "str_escapes_1m",   1.25, 1.59, 1.20, 1.35, 0.60, "R5", "R3" },
    { "uni_cjk_escaped",  1.27, 1.86, 1.20, 1.35, 0.60, "R5", "R3" } };

/* The same with AVX2, where only checking has goals of its own: table 3.2. */
static const reading readings_avx2[] = {
    { "str_plain_1m",     5.81, 11.80, 0, 10.0, 0, "R4", "R4" },
    { "image_64k",        5.45, 10.91, 0, 10.0, 0, "R4", "R4" },
    { "uni_emoji",        1.02,  1.42, 0,  1.3, 0, "R1", "R3" },
    { "uni_cjk",          1.06,  1.36, 0,  1.3, 0, "R1", "R3" } };

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
    enum { PULL, CHECK, BOTH, WALK, PROTO_PULL, PROTO_CHECK, PROTO_BOTH, RAPID, CJSON, SIMD,
           COUNT, KINDS = PROTO_PULL, PEERS = COUNT - RAPID };
    static read_func *const reads[COUNT] = { mine_pull, mine_check, mine_both, mine_walk,
        proto_pull, proto_check, proto_both, rapid_read, cjson_read, simd_read };
    document d = document_of(named(r->name));
    job jobs[COUNT];
    lane lanes[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        job j = { &d, reads[i], { 0, 0, 0 } };
        bool changes = i == WALK || i == PROTO_PULL || i == PROTO_BOTH || i == RAPID;
        lane l = { changes ? document_reset : NULL, document_read, &jobs[i], 0, { 0 } };
        jobs[i] = j;
        lanes[i] = l;
    }
    size_t rounds = race(lanes, COUNT, 0.3);
    for (size_t i = 0; i < COUNT; i++)
        if (i != CHECK && i != PROTO_CHECK) same_digest(r->name, &jobs[PULL], &jobs[i]);

    static const char *const peers[PEERS] = { "RapidJSON", "cJSON", "simdjson" };
    static const char *const names[KINDS] = { "pull", "check", "check + pull", "check + walk" };
    const char *const rows[KINDS] = { r->pull_row, r->check_row, "R9", "R9" };
    const size_t protos[KINDS] = { PROTO_PULL, PROTO_CHECK, PROTO_BOTH, PROTO_BOTH };
    const double both = 1 / (1 / r->proto_pull + 1 / r->proto_check);
    const double yyjson[KINDS] = { r->proto_pull, r->proto_check, both, both };
    const double goals[KINDS] = { r->pull, r->check, r->both, 0 };
    for (size_t i = PULL; i < KINDS; i++) {
        char what[64], notes[128];
        double proto = faster(&lanes[i], &lanes[protos[i]], rounds);
        if (avx2 && i != CHECK) continue;
        snprintf(what, sizeof what, "%s %s%s", names[i], r->name, avx2 ? ", AVX2" : "");
        size_t used = (size_t)snprintf(notes, sizeof notes, "prototype %.2f", proto);
        for (size_t p = 0; p < PEERS; p++)
            used += (size_t)snprintf(notes + used, sizeof notes - used, "  %s %.2f", peers[p],
                                     faster(&lanes[i], &lanes[RAPID + p], rounds));
        row(rows[i], what, proto * yyjson[i], "x yyjson", '>', goals[i],
            goals[i] > 0 ? RATIO : INFO, notes);
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
    enum { CHECK, PROTO, MEMCHR, COUNT };
    static read_func *const reads[COUNT] = { mine_check, proto_check, memchr_read };
    document d = document_of(blob_message());
    job jobs[COUNT];
    lane lanes[COUNT];
    char notes[64];
    for (size_t i = 0; i < COUNT; i++) {
        job j = { &d, reads[i], { 0, 0, 0 } };
        lane l = { NULL, document_read, &jobs[i], 0, { 0 } };
        jobs[i] = j;
        lanes[i] = l;
    }
    size_t rounds = race(lanes, COUNT, 0.2);
    snprintf(notes, sizeof notes, "prototype %.2f", faster(&lanes[CHECK], &lanes[PROTO], rounds));
    row("R4", avx2 ? "check 10 MB blob, AVX2" : "check 10 MB blob",
        faster(&lanes[CHECK], &lanes[MEMCHR], rounds), "x memchr", '>', 0.8, RATIO, notes);
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
    size_t rounds = race(lanes, COUNT, 0.15);
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

/* Goal: yyjson's time (in situ, with a pool), which was 214 ns where cJSON took 1017. What the
   prototype's lane does behind its check is ours, and not what was measured there. */
static void race_dispatch(void) {
    enum { MINE, PROTO, CJSON, COUNT };
    static dispatch_func *const dispatches[COUNT] = { mine_dispatch, proto_dispatch,
                                                      cjson_dispatch };
    bytes text = bench_file(folder, "stream_4000.ndjson");
    char *copy = (char *)bench_alloc(BEFORE + text.n + BEHIND), notes[64];
    memcpy(copy, text.at - BEFORE, BEFORE + text.n + BEHIND);
    stream streams[COUNT];
    lane lanes[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        stream s = { text, copy, dispatches[i], 0 };
        lane l = { stream_reset, stream_run, &streams[i], 0, { 0 } };
        streams[i] = s;
        lanes[i] = l;
    }
    size_t rounds = race(lanes, COUNT, 0.3);
    if (streams[MINE].got != streams[CJSON].got || streams[MINE].got != streams[PROTO].got)
        die("stream_4000", "readers disagree about what it says");
    snprintf(notes, sizeof notes, "250 ns come to 4.07  prototype %.2f",
             faster(&lanes[MINE], &lanes[PROTO], rounds));
    row("R8", "dispatch of 4000 messages", faster(&lanes[MINE], &lanes[CJSON], rounds), "x cJSON",
        '>', 1017.0 / 214, RATIO, notes);
}

/* ---- W1, W2: writing ---- */

typedef struct writing {
    const char *name;
    double proto;                   /* x yyjson that scans: JSON.md, table 4.1 */
    double yyjson, over_cjson;      /* goals; 0: none */
} writing;

static const writing writings[] = {
    { "call_small",       0.94, 0.9,  2.3 },
    { "tools_list",       1.10, 1.0,  2.3 },
    { "str_code_1m",      1.05, 1.0,  2.3 },
    { "str_escapes_1m",   1.43, 1.2,  2.3 },
    { "str_plain_1m",     4.12, 4.0,  2.3 },
    { "image_64k",        4.31, 4.0,  2.3 },
    { "num_int",          0.95, 0.9, 15.0 },
    { "num_double_short", 1.26, 0,   15.0 },
    { "num_double17",     0.54, 0,   15.0 },
    { "canada",           0.48, 0,   15.0 },
    { "uni_cjk",          2.40, 0,    2.3 },
    { "twitter",          1.16, 1.0,  2.3 },
    { "citm_catalog",     0.66, 0.6,  2.3 } };

typedef struct tree { void *at; write_func *write; size_t size, times; } tree;

static void tree_write(void *at) {
    tree *t = (tree *)at;
    for (size_t i = 0; i < t->times; i++) t->size = t->write(t->at);
}

static void race_writing(const writing *w) {
    enum { MINE, PROTO, RAPID, CJSON, COUNT };
    static tree_func *const makes[COUNT] = { mine_tree, proto_tree, rapid_tree, cjson_tree };
    static write_func *const writes[COUNT] = { mine_write, proto_write, rapid_write, cjson_write };
    bytes text = named(w->name);
    tree trees[COUNT];
    lane lanes[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        tree t = { makes[i](text.at, text.n), writes[i], 0, 200000 / text.n + 1 };
        lane l = { NULL, tree_write, &trees[i], 0, { 0 } };
        trees[i] = t;
        lanes[i] = l;
    }
    size_t rounds = race(lanes, COUNT, 0.25);
    if (trees[MINE].size * 10 < trees[CJSON].size * 9) die(w->name, "too little was written");
    double against[COUNT];
    char what[64], notes[96];
    for (size_t i = PROTO; i < COUNT; i++) against[i] = faster(&lanes[MINE], &lanes[i], rounds);
    snprintf(what, sizeof what, "write %s", w->name);
    snprintf(notes, sizeof notes, "prototype %.2f  RapidJSON %.2f  cJSON %.2f", against[PROTO],
             against[RAPID], against[CJSON]);
    row("W1", what, against[PROTO] * w->proto, "x yyjson", '>', w->yyjson,
        w->yyjson > 0 ? RATIO : INFO, notes);
    row("W2", what, against[CJSON], "x cJSON", '>', w->over_cjson, RATIO, "");
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
        size_t rounds = race(lanes, COUNT, 0.15);
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
    size_t rounds = race(lanes, 2, 0.15);
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

/* Goals are 60 ns to print, 20 ns where there are few decimals, over what printf %.17g took in
   JSON.md (section 4.2); and 1.15 fast_floats to parse. */
static void race_numbers(const char *name, double printf_ns, double print_ns) {
    enum { MINE, PROTO, OTHER, LIBC, COUNT };
    bytes text = named(name);
    numbers x;
    char notes[128], what[64];
    mine_numbers(text.at, text.n, &x);
    counting print[COUNT] = { { mine_print, NULL, &x, 0 }, { proto_print, NULL, &x, 0 },
                              { to_chars_print, NULL, &x, 0 }, { printf_print, NULL, &x, 0 } };
    counting parse[COUNT] = { { NULL, mine_parse, &x, 0 }, { NULL, proto_parse, &x, 0 },
                              { NULL, fast_float_parse, &x, 0 }, { NULL, strtod_parse, &x, 0 } };
    for (int way = 0; way < 2; way++) {
        lane lanes[COUNT];
        double against[COUNT];
        for (size_t i = 0; i < COUNT; i++) {
            lane l = { NULL, counting_run, way ? &parse[i] : &print[i], 0, { 0 } };
            lanes[i] = l;
        }
        size_t rounds = race(lanes, COUNT, 0.25);
        for (size_t i = PROTO; i < COUNT; i++) against[i] = faster(&lanes[MINE], &lanes[i], rounds);
        snprintf(what, sizeof what, "%s %s", way ? "parse" : "print", name);
        snprintf(notes, sizeof notes, "prototype %.2f  %s %.2f", against[PROTO],
                 way ? "strtod" : "to_chars (Ryu)", against[way ? LIBC : OTHER]);
        if (way) row("S1", what, against[OTHER], "x fast_float", '>', 1 / 1.15, RATIO, notes);
        else row("D1", what, against[LIBC], "x printf", '>', printf_ns / print_ns, RATIO, notes);
        if (way && (parse[MINE].got != parse[OTHER].got || parse[MINE].got != parse[LIBC].got))
            die(name, "parsers disagree about its numbers");
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
    race_numbers("canada", 439, 60);
    race_numbers("num_double17", 262, 60);
    race_numbers("num_double_short", 435, 20);
    row("D1", "doubles not printed shortest", (double)not_shortest(2000000), "of 2 million", '<', 0,
        GATE, "");
}

static void avx2(void) {
    for (size_t i = 0; i < COUNT_OF(readings_avx2); i++) race_reading(&readings_avx2[i], true);
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
