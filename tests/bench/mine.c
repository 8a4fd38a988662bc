/* mine.c - the lanes that mcp.h runs */
#define MCP_IMPLEMENTATION
#include "mcp.h"
#include "bench.h"
#include "lanes.h"

/* ---- reading ---- */

static digest pull(const char *text, size_t n, size_t piece) {
    static char scratch[16384];
    digest d = { 0, 0, 0 };
    mcp_reader r;
    mcp_reader_init(&r, scratch, sizeof scratch);
    for (;;) {
        size_t some = n < piece ? n : piece;
        int event;
        mcp_reader_feed(&r, text, some);
        text += some;
        n -= some;
        while ((event = mcp_read(&r)) > MCP_READ_MORE) {
            if (event == MCP_READ_NUM) {
                d.sum += mcp_read_num(&r);
                d.numbers++;
            } else if (event == MCP_READ_KEY || event == MCP_READ_STR) d.chars += r.size;
        }
        if (event == MCP_READ_DONE) return d;
        if (event < 0) die("mcp_read", mcp_status_text(event));
    }
}

digest mine_pull(char *text, size_t n) { return pull(text, n, n); }
digest mine_pull_64k(char *text, size_t n) { return pull(text, n, 65536); }
digest mine_pull_4k(char *text, size_t n) { return pull(text, n, 4096); }

/* Pass 1: what is done to every message before anything else; its envelope is part of dispatch. */
digest mine_check(char *text, size_t n) {
    digest none = { 0, 0, 0 };
    const char *error, *end;
    int status;
    end = mcp__json_check(text, MCP__DEPTH, NULL, &error, &status);
    if (!end || mcp__json_space(end) != text + n) die("mcp__json_check", mcp_status_text(status));
    return none;
}

/* Both passes, with every value read in the second. */
digest mine_both(char *text, size_t n) {
    mine_check(text, n);
    return mine_pull(text, n);
}

/* Checked, then every key and value asked for by the address of another. No handler asks for all:
   what lies deep is gone past once a level. */
digest mine_walk(char *text, size_t n) {
    const mcp_json *up[MCP__DEPTH], *v = (const mcp_json *)text;
    size_t depth = 0, size;
    digest d = mine_check(text, n);
    for (;;) {
        const char *key = mcp_key(v);
        if (key) d.chars += strlen(key);
        const mcp_json *inner = mcp_first(v), *next = NULL;
        if (inner) {
            up[depth++] = v;
            v = inner;
            continue;
        }
        switch (mcp_type_of(v)) {
        case MCP_STRING:
            mcp_get_strn(v, NULL, &size);
            d.chars += size;
            break;
        case MCP_NUMBER: case MCP_INTEGER:
            d.sum += mcp_get_num(v, NULL);
            d.numbers++;
            break;
        default: break;
        }
        while (!(next = mcp_next(v)) && depth) v = up[--depth];
        if (!next) return d;
        v = next;
    }
}

uint64_t mine_dispatch(char *line, size_t n) {
    const char *error, *end;
    size_t size, sum = 0;
    mcp__members args;
    mcp__top top;
    int status;
    end = mcp__json_check(line, 256, &top, &error, &status);
    if (end != line + n) die("mcp__json_check", mcp_status_text(status));
    const char *id = top.member[MCP__ID];
    sum += id ? (size_t)(mcp__json_skip(id) - id) : 0;
    sum += mcp__json_is(top.member[MCP__METHOD], "tools/call", 10);
    if (!top.params.object) mcp__members_take(&top.params, top.member[MCP__PARAMS]);
    mcp__json_text(mcp__members_get(&top.params, "name"), &size);
    sum += size;
    mcp__members_take(&args, mcp__members_get(&top.params, "arguments"));
    mcp__json_text(mcp__members_get(&args, "query"), &size);
    sum += size;
    mcp__json_text(mcp__members_get(&args, "path"), &size);
    const mcp_json *most = (const mcp_json *)mcp__members_get(&args, "maxResults");
    return sum + size + (uint64_t)mcp_get_int(most, NULL);
}

/* ---- writing: a list of events, written again ---- */

typedef struct event { int kind; bool whole; const char *text; size_t n; double value; } event;
typedef struct events { event *at; size_t n, room; char *out; } events;

/* The parts of a long string make one event. */
void *mine_tree(const char *text, size_t n) {
    events *e = (events *)bench_alloc(sizeof *e);
    char *scratch = (char *)bench_alloc(n + 1), *pool = (char *)bench_alloc(2 * n + 1);
    bool ended = false;
    mcp_reader r;
    e->at = (event *)bench_alloc((n + 1) * sizeof *e->at);
    e->room = 7 * n + 4096;
    e->out = (char *)bench_alloc(e->room);
    mcp_reader_init(&r, scratch, n + 1);
    mcp_reader_feed(&r, text, n);
    for (int kind; (kind = mcp_read(&r)) != MCP_READ_DONE;) {
        if (kind < 0 || (kind == MCP_READ_MORE && ended)) die("mcp_read", mcp_status_text(kind));
        if (kind == MCP_READ_MORE) {
            mcp_reader_feed(&r, NULL, 0);
            ended = true;
            continue;
        }
        event *v = &e->at[e->n++];
        v->kind = kind;
        v->text = pool;
        v->n = r.size;
        memcpy(pool, r.text, r.size);
        pool += r.size + 1;                     /* the pool is zeroed: a C string */
        if (kind != MCP_READ_NUM) continue;
        v->value = mcp_read_num(&r);
        v->whole = v->value == floor(v->value) && fabs(v->value) < 9e15;
    }
    free(scratch);
    return e;
}

size_t mine_write(void *tree) {
    events *e = (events *)tree;
    mcp_write_hook none = { NULL, NULL };
    const char *key = NULL;
    mcp_writer w;
    mcp_writer_init(&w, e->out, e->room, none);
    for (size_t i = 0; i < e->n; i++) {
        const event *v = &e->at[i];
        switch (v->kind) {
        case MCP_READ_KEY: key = v->text; continue;
        case MCP_READ_OBJ: mcp_put_obj(&w, key); break;
        case MCP_READ_ARR: mcp_put_arr(&w, key); break;
        case MCP_READ_STR: mcp_put_strn(&w, key, v->text, v->n); break;
        case MCP_READ_NUM:
            if (v->whole) mcp_put_int(&w, key, (int64_t)v->value);
            else mcp_put_num(&w, key, v->value);
            break;
        case MCP_READ_TRUE: case MCP_READ_FALSE:
            mcp_put_bool(&w, key, v->kind == MCP_READ_TRUE);
            break;
        case MCP_READ_NULL: mcp_put_null(&w, key); break;
        default: mcp_put_end(&w); break;
        }
        key = NULL;
    }
    if (mcp_writer_end(&w)) die("mcp_writer", mcp_status_text(w.status));
    return w.size;
}

/* ---- numbers, base64, UTF-8 ---- */

void mine_numbers(const char *text, size_t n, numbers *out) {
    char scratch[1024];
    bool ended = false;
    mcp_reader r;
    out->text = (const char **)bench_alloc(n * sizeof *out->text);
    out->size = (size_t *)bench_alloc(n * sizeof *out->size);
    out->value = (double *)bench_alloc(n * sizeof *out->value);
    out->n = 0;
    mcp_reader_init(&r, scratch, sizeof scratch);
    mcp_reader_feed(&r, text, n);
    for (int kind; (kind = mcp_read(&r)) > MCP_READ_DONE && !(kind == MCP_READ_MORE && ended);) {
        if (kind == MCP_READ_MORE) {
            mcp_reader_feed(&r, NULL, 0);
            ended = true;
        } else if (kind == MCP_READ_NUM) {
            out->text[out->n] = r.text;         /* in the document: it was fed whole */
            out->size[out->n] = r.size;
            out->value[out->n++] = mcp_read_num(&r);
        }
    }
}

double mine_parse(const numbers *x) {
    double sum = 0, v;
    mcp__num number;
    for (size_t i = 0; i < x->n; i++) {
        if (!mcp__num_scan(x->text[i], NULL, &number) || mcp__num_double(&number, &v))
            die("mcp__num_scan", x->text[i]);
        sum += v;
    }
    return sum;
}

size_t mine_double(char *out, double v) {
    return (size_t)(mcp__print_double(out, v) - out);
}

size_t mine_print(const numbers *x) {
    char out[64];
    size_t sum = 0;
    for (size_t i = 0; i < x->n; i++) sum += mine_double(out, x->value[i]);
    return sum;
}

size_t mine_base64(char *out, const void *in, size_t n) { return mcp__base64_encode(out, in, n); }

size_t mine_unbase64(void *out, const char *s, size_t n) {
    size_t size;
    if (mcp__base64_decode(out, s, n, &size)) die("mcp__base64_decode", "refuses what was encoded");
    return size;
}

bool mine_utf8(const char *s, size_t n) { return mcp__utf8_valid(s, n) == n; }

size_t mine_reader_size(void) { return sizeof(mcp_reader); }
