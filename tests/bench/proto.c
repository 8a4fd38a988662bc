/* proto.c - the lanes of the prototype by which JSON.md found its goals (SHARED/design) */
#include <json_proto.h>

#include "bench.h"
#include "lanes.h"

/* ---- reading: one pass, escapes undone in place ---- */

digest proto_pull(char *text, size_t n) {
    digest d = { 0, 0, 0 };
    jr r;
    text[n] = 0;
    jr_init(&r, text, n);
    r.fuse = 1;
    for (;;) {
        switch (jr_next(&r)) {
        case J_KEY:
            d.chars += r.esc ? p_unescape2(r.s, r.n, (char *)(uintptr_t)r.s) : r.n;
            break;
        case J_STR:
            d.chars += r.n;
            break;
        case J_NUM:
            d.sum += p_num2d(&r.num, r.s, r.n);
            d.numbers++;
            break;
        case J_DONE: return d;
        case J_ERR: case J_MORE: die("jr_next", r.err ? r.err : "wants more");
        default: break;
        }
    }
}

digest proto_check(char *text, size_t n) {
    digest none = { 0, 0, 0 };
    text[n] = 0;
    if (p_validate(text, text + n, J_MAXDEPTH) != text + n) die("p_validate", "refuses it");
    return none;
}

digest proto_both(char *text, size_t n) {
    proto_check(text, n);
    return proto_pull(text, n);
}

/* Checked, then pulled: what a key's value is for is known by where the key is. */
uint64_t proto_dispatch(char *line, size_t n) {
    enum { NOTHING, ID, METHOD, NAME, TEXT, MOST } what = NOTHING;
    bool params = false, arguments = false;
    uint64_t sum = 0;
    jr r;
    if (p_validate(line, line + n, J_MAXDEPTH) != line + n) die("p_validate", "refuses it");
    jr_init(&r, line, n);
    for (;;) {
        const int event = jr_next(&r);
        switch (event) {
        case J_KEY: {
#define IS(word) (r.n == sizeof word - 1 && !memcmp(r.s, word, sizeof word - 1))
            what = NOTHING;
            if (r.depth == 1) {
                params = IS("params");
                what = IS("id") ? ID : IS("method") ? METHOD : NOTHING;
            } else if (r.depth == 2 && params) {
                arguments = IS("arguments");
                if (IS("name")) what = NAME;
            } else if (r.depth == 3 && params && arguments)
                what = IS("query") || IS("path") ? TEXT : IS("maxResults") ? MOST : NOTHING;
            break;
#undef IS
        }
        case J_STR:
            if (what == METHOD) sum += r.n == 10 && !memcmp(r.s, "tools/call", 10);
            if (what == NAME || what == TEXT)
                sum += r.esc ? p_unescape2(r.s, r.n, (char *)(uintptr_t)r.s) : r.n;
            break;
        case J_NUM:
            if (what == ID) sum += r.n;
            if (what == MOST) sum += r.num.m;
            break;
        case J_DONE: return sum;
        case J_ERR: case J_MORE: die("jr_next", r.err ? r.err : "wants more");
        default: break;
        }
    }
}

/* ---- writing: a list of events ---- */

typedef struct event { int kind; bool whole; const char *text; size_t n; double value; } event;
typedef struct events { event *at; size_t n, room; char *out; } events;

void *proto_tree(const char *text, size_t n) {
    events *e = (events *)bench_alloc(sizeof *e);
    char *copy = (char *)bench_alloc(n + BEHIND);
    jr r;
    memcpy(copy, text, n);
    e->at = (event *)bench_alloc((n + 1) * sizeof *e->at);
    e->room = 7 * n + 4096;
    e->out = (char *)bench_alloc(e->room);
    jr_init(&r, copy, n);
    r.fuse = 1;
    for (int kind; (kind = jr_next(&r)) != J_DONE;) {
        event *v = &e->at[e->n++];
        if (kind == J_ERR || kind == J_MORE) die("jr_next", "refuses it");
        v->kind = kind;
        v->text = r.s;
        v->n = kind == J_KEY && r.esc ? p_unescape2(r.s, r.n, (char *)(uintptr_t)r.s) : r.n;
        if (kind != J_NUM) continue;
        v->value = p_num2d(&r.num, r.s, r.n);
        v->whole = v->value == floor(v->value) && fabs(v->value) < 9e15;
    }
    return e;
}

size_t proto_write(void *tree) {
    events *e = (events *)tree;
    jw w = { e->out, 0, e->room, NULL, NULL, 0 };
    for (size_t i = 0; i < e->n; i++) {
        const event *v = &e->at[i];
        switch (v->kind) {
        case J_OBJ: case J_ARR: jw_open(&w, v->kind == J_OBJ ? '{' : '['); break;
        case J_OBJ_END: case J_ARR_END: jw_close(&w, v->kind == J_OBJ_END ? '}' : ']'); break;
        case J_KEY: jw_key(&w, v->text, v->n); break;
        case J_STR: jw_str(&w, v->text, v->n); break;
        case J_NUM:
            if (v->whole) jw_i64(&w, (int64_t)v->value);
            else jw_dbl(&w, v->value);
            break;
        case J_TRUE: jw_lit(&w, "true", 4); break;
        case J_FALSE: jw_lit(&w, "false", 5); break;
        default: jw_lit(&w, "null", 4); break;
        }
    }
    return w.n;
}

/* ---- numbers ---- */

double proto_parse(const numbers *x) {
    double sum = 0;
    p_num number;
    for (size_t i = 0; i < x->n; i++) {
        if (!p_scan_num(x->text[i], &number)) die("p_scan_num", x->text[i]);
        sum += p_num2d(&number, x->text[i], x->size[i]);
    }
    return sum;
}

size_t proto_print(const numbers *x) {
    char out[80];
    size_t sum = 0;
    for (size_t i = 0; i < x->n; i++) sum += (size_t)(p_d2s(x->value[i], out) - out);
    return sum;
}
