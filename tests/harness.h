/* harness.h - transcripts played in one process: what runner and sweeps share

   A transcript is a file transcripts/NAME.jsonl; how a line begins says what it is:

       # server: NAME       whose desc is served (examples/NAME.c or servers/NAME.c); default: tools
       # desc: KEY VALUE    changes that desc: see harness__tweak
       # chop: no, WHY      output depends on what arrives together: not cut, not piped
       # oom: open, WHY     a call may stay without an answer if memory fails before it
       # anything else      a comment
       @init VERSION        initialize and initialized; the answer is not compared
       > LINE               fed, with LF;  $M: the _meta members of a modern request,
                            $R{N|TEXT|}: TEXT N times
       >! TEXT              fed as it is, C escapes decoded (\xFF \r \n \t \0 \\ \"), no LF
       >>                   end of input
       @poll MS             that much later, mcp_poll
       < LINE               expected, byte for byte (but $R works)
       ~ LINE               expected span, as mcp_trace_json writes it (with "# desc: trace")
       ! STATUS             what mcp_feed returned, when it was not OK

   Everything from the first > to the next is what that one piece gave. Clock, random bytes and
   memory are the harness's own, so a transcript gives the same bytes each time. */
#ifndef HARNESS_H
#define HARNESS_H

#include "mcp.h"
#include "test.h"

#include <stdlib.h>

static TEST__UNUSED void harness_die(const char *file, int line, const char *what) {
    fflush(stdout);
    fprintf(stderr, "%s:%d: %s\n", file, line, what);
    exit(2);
}

/* ---- bytes ---- */

typedef struct harness_bytes { char *at; size_t n, cap; } harness_bytes;

static TEST__UNUSED void harness_add(harness_bytes *b, const void *p, size_t n) {
    if (b->n + n + 1 > b->cap) {
        b->cap = 2 * (b->n + n) + 64;
        b->at = (char *)realloc(b->at, b->cap);
        if (!b->at) harness_die("harness", 0, "out of memory");
    }
    if (n) memcpy(b->at + b->n, p, n);
    b->n += n;
    b->at[b->n] = 0; /* after an add, at is a C string too */
}

static TEST__UNUSED bool harness_same(const harness_bytes *a, const harness_bytes *b) {
    return a->n == b->n && (!a->n || !memcmp(a->at, b->at, a->n));
}

/* Line i of text that was written line by line; false: there are not as many. */
static TEST__UNUSED bool harness_line(const harness_bytes *b, size_t *at, const char **line,
                                      size_t *n) {
    if (*at >= b->n) return false;
    *line = b->at + *at;
    const char *lf = (const char *)memchr(*line, '\n', b->n - *at);
    *n = lf ? (size_t)(lf - *line) : b->n - *at;
    *at += *n + (lf ? 1 : 0);
    return true;
}

/* ---- memory that counts, fails and is dirty ---- */

typedef struct harness_mem {
    size_t calls, live, peak;       /* allocations asked for; bytes in use now, at most */
    size_t fail_at;                 /* this allocation fails, counted from 1; 0: none */
    bool fail_on;                   /* and every later one */
    bool failed, dirty;             /* one failed; new bytes are 0xA5, freed ones 0x5A */
    const char *wrong;              /* the hook was called against its contract */
} harness_mem;

#define HARNESS_HEAD 16             /* before each block: its size, and a mark */
static const size_t harness_mark = (size_t)0x6d63706dU;

static TEST__UNUSED void *harness_alloc(void *user, void *old, size_t was, size_t size) {
    harness_mem *m = (harness_mem *)user;
    size_t head[2] = { 0, harness_mark };
    if (old) memcpy(head, (char *)old - HARNESS_HEAD, sizeof head);
    if (head[1] != harness_mark) m->wrong = "a block that is not the hook's";
    else if (head[0] != was) m->wrong = "a block with another size than it has";
    if (m->wrong) return NULL;
    if (size > 0) {
        m->calls++;
        if (m->fail_at && (m->fail_on ? m->calls >= m->fail_at : m->calls == m->fail_at)) {
            m->failed = true;
            return NULL;
        }
    }
    char *p = NULL; /* always another block, so that a stale pointer is seen by the sanitizers */
    if (size > 0) {
        p = (char *)malloc(size + HARNESS_HEAD);
        if (!p) harness_die("harness", 0, "out of memory");
        head[0] = size;
        head[1] = harness_mark;
        memcpy(p, head, sizeof head);
        p += HARNESS_HEAD;
        if (m->dirty) memset(p, 0xA5, size);
        if (old) memcpy(p, old, was < size ? was : size);
        m->live += size;
    }
    if (old) {
        m->live -= was;
        if (m->dirty) memset((char *)old - HARNESS_HEAD, 0x5A, was + HARNESS_HEAD);
        free((char *)old - HARNESS_HEAD);
    }
    if (m->live > m->peak) m->peak = m->live;
    return p;
}

/* ---- a transcript, read ---- */

enum { HARNESS_FEED = '>', HARNESS_END = 'e', HARNESS_INIT = '@', HARNESS_POLL = 'p',
       HARNESS_OUT = '<', HARNESS_SPAN = '~', HARNESS_STATUS = '!', HARNESS_NOTE = '#' };

typedef struct harness_step {
    int kind, line;
    int64_t ms;                     /* how much later */
    harness_bytes text;             /* fed or expected, ready */
    harness_bytes source;           /* the line as it stands in the file */
} harness_step;

typedef struct harness_transcript {
    const char *file;
    char server[32];
    bool chop, plain, trace;        /* may be cut; a pipe can repeat it; records spans */
    bool ended, polls;              /* has >>; has @poll */
    bool open;                      /* calls may stay open once memory has failed */
    harness_step *steps;
    size_t count, fed;              /* fed: bytes in all */
} harness_transcript;

#define HARNESS_META "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"," \
    "\"io.modelcontextprotocol/clientCapabilities\":{}"
#define HARNESS_HELLO "{\"jsonrpc\":\"2.0\",\"id\":\"@init\",\"method\":\"initialize\"," \
    "\"params\":{\"protocolVersion\":\"%s\",\"capabilities\":{}," \
    "\"clientInfo\":{\"name\":\"transcript\",\"version\":\"1\"}}}\n" \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n"

static TEST__UNUSED bool harness_is(const char *s, const char *start) {
    return !strncmp(s, start, strlen(start));
}

/* $M and $R{N|TEXT|} */
static TEST__UNUSED void harness__expand(harness_bytes *out, const char *s, bool meta) {
    while (*s) {
        const char *end = harness_is(s, "$R{") ? strstr(s, "|}") : NULL;
        if (end) {
            const char *text = strchr(s, '|') + 1;
            for (long i = strtol(s + 3, NULL, 10); i > 0 && text <= end; i--)
                harness_add(out, text, (size_t)(end - text));
            s = end + 2;
        } else if (meta && s[0] == '$' && s[1] == 'M' && (s[2] == '}' || s[2] == ',')) {
            harness_add(out, HARNESS_META, sizeof HARNESS_META - 1);
            s += 2;
        } else harness_add(out, s++, 1);
    }
}

static TEST__UNUSED void harness__unescape(harness_bytes *b, const char *file, int line) {
    static const char from[] = "rnt0\\\"", to[] = "\r\n\t\0\\\"";
    size_t n = 0;
    for (size_t i = 0; i < b->n; i++) {
        if (b->at[i] != '\\') { b->at[n++] = b->at[i]; continue; }
        const char *at = i + 1 < b->n && b->at[i + 1] ? strchr(from, b->at[i + 1]) : NULL;
        unsigned byte;
        if (at) b->at[n++] = to[at - from], i++;
        else if (i + 3 < b->n && b->at[i + 1] == 'x' && sscanf(b->at + i + 2, "%2x", &byte) == 1)
            b->at[n++] = (char)byte, i += 3;
        else harness_die(file, line, "unknown escape");
    }
    b->n = n;
}

static TEST__UNUSED void harness__note(harness_transcript *t, const char *s) {
    if (harness_is(s, "# desc: trace")) t->trace = true;
    if (harness_is(s, "# desc:")) t->plain = false;
    if (harness_is(s, "# chop: no")) t->chop = false;
    if (harness_is(s, "# oom: open")) t->open = true;
    if (harness_is(s, "# server:")) sscanf(s, "# server: %31s", t->server);
}

static TEST__UNUSED void harness__step(harness_transcript *t, const char *s, int line) {
    t->steps = (harness_step *)realloc(t->steps, (t->count + 1) * sizeof *t->steps);
    if (!t->steps) harness_die(t->file, line, "out of memory");
    harness_step *x = &t->steps[t->count++];
    memset(x, 0, sizeof *x);
    x->line = line;
    x->kind = HARNESS_NOTE;
    harness_add(&x->text, "", 0);
    harness_add(&x->source, s, strlen(s));
    if (harness_is(s, "#") || !*s) harness__note(t, s);
    else if (harness_is(s, "@init ")) {
        char hello[sizeof HARNESS_HELLO + 64];
        snprintf(hello, sizeof hello, HARNESS_HELLO, s + 6);
        harness_add(&x->text, hello, strlen(hello));
        x->kind = HARNESS_INIT;
    } else if (harness_is(s, "@poll ")) {
        x->ms = strtol(s + 6, NULL, 10);
        x->kind = HARNESS_POLL;
    } else if (!strcmp(s, ">>")) t->ended = true, x->kind = HARNESS_END;
    else if (harness_is(s, ">! ") || harness_is(s, "> ")) {
        harness__expand(&x->text, strchr(s, ' ') + 1, true);
        if (s[1] == '!') harness__unescape(&x->text, t->file, line);
        else harness_add(&x->text, "\n", 1);
        x->kind = HARNESS_FEED;
    } else if (strchr("<~!", *s) && s[1] == ' ') {
        harness__expand(&x->text, s + 2, false);
        x->kind = *s;
    } else harness_die(t->file, line, "not a transcript line");
    if (x->kind == HARNESS_FEED || x->kind == HARNESS_INIT) t->fed += x->text.n;
    if (x->kind == HARNESS_POLL) t->polls = true;
    if (x->kind == HARNESS_STATUS || x->kind == HARNESS_POLL) t->plain = false;
}

static TEST__UNUSED harness_transcript harness_read(const char *file) {
    harness_transcript t = { file, "tools", true, true, false, false, false, false, NULL, 0, 0 };
    FILE *f = fopen(file, "rb");
    if (!f) harness_die(file, 0, "cannot be read");
    harness_bytes all = { NULL, 0, 0 }, one = { NULL, 0, 0 };
    char buf[4096];
    for (size_t n; (n = fread(buf, 1, sizeof buf, f)) > 0;) harness_add(&all, buf, n);
    fclose(f);
    const char *s;
    size_t at = 0, n;
    for (int line = 1; harness_line(&all, &at, &s, &n); line++) {
        one.n = 0;
        harness_add(&one, s, n);
        harness__step(&t, one.at, line);
    }
    free(all.at);
    free(one.at);
    return t;
}

static TEST__UNUSED void harness_forget(harness_transcript *t) {
    for (size_t i = 0; i < t->count; i++) free(t->steps[i].text.at), free(t->steps[i].source.at);
    free(t->steps);
}

/* ---- one server, its peer, and everything they need ---- */

typedef struct harness_world {
    mcp_server_desc desc;
    mcp_server *server;
    mcp_conn *conn;
    harness_mem mem;
    harness_bytes out, spans;       /* what came since the connection began */
    int64_t now;
    unsigned char random;
    size_t writes, write_fail_at, byte_fail_at; /* this write fails, counted from 1; 0: none */
    bool write_failed, wrote_after; /* the hook failed; and was called again */
    char log[256];                  /* the last line for the author */
    char tweak[8][128];             /* texts that "# desc:" brought */
} harness_world;

static harness_world *harness_now; /* for what has no user pointer: a server's sleep */
static char harness_file[512];     /* spans pass through it: mcp_trace_json wants a FILE */

int harness_sleep(void);
int harness_sleep(void) {
    if (harness_now) harness_now->now += 1000000;
    return 0;
}

static TEST__UNUSED int64_t harness__clock(void *user) {
    return ((harness_world *)user)->now += 1000000;
}

static TEST__UNUSED int harness__random(void *user, void *bytes, size_t n) {
    for (size_t i = 0; i < n; i++) ((unsigned char *)bytes)[i] = ++((harness_world *)user)->random;
    return MCP_OK;
}

static TEST__UNUSED void harness__log(void *user, int level, int status, const char *text) {
    harness_world *w = (harness_world *)user;
    snprintf(w->log, sizeof w->log, "%d %d %s", level, status, text);
}

static TEST__UNUSED int harness__write(void *user, const void *bytes, size_t n) {
    harness_world *w = (harness_world *)user;
    if (w->write_failed) w->wrote_after = true;
    w->writes++;
    if (w->writes == w->write_fail_at || (w->byte_fail_at && w->out.n + n >= w->byte_fail_at)) {
        w->write_failed = true;
        return MCP_IO;
    }
    harness_add(&w->out, bytes, n);
    return MCP_OK;
}

#ifndef MCP_NO_TRACE
static TEST__UNUSED void harness__trace(void *user, const mcp_span *span) {
    harness_world *w = (harness_world *)user;
    char buf[1024];
    FILE *f = fopen(harness_file, "w+b");
    if (!f) harness_die(harness_file, 0, "cannot be written");
    mcp_trace_json(f, span);
    rewind(f);
    for (size_t n; (n = fread(buf, 1, sizeof buf, f)) > 0;) harness_add(&w->spans, buf, n);
    fclose(f);
    remove(harness_file);
}
#endif

static TEST__UNUSED unsigned harness__versions(const char *s) {
    static const struct { const char *name; unsigned bit; } rows[] = {
        { "2024-11-05", MCP_2024_11_05 }, { "2025-03-26", MCP_2025_03_26 },
        { "2025-06-18", MCP_2025_06_18 }, { "2025-11-25", MCP_2025_11_25 },
        { "2026-07-28", MCP_2026_07_28 } };
    unsigned bits = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strstr(s, rows[i].name)) bits |= rows[i].bit;
    return bits;
}

static TEST__UNUSED void harness__tweak(harness_world *w, const harness_transcript *t,
                                        const harness_step *x) {
    mcp_server_desc *d = &w->desc;
    struct { const char *name; size_t *number; const char **text; } rows[] = {
        { "page", &d->limits.page, NULL }, { "message", &d->limits.message, NULL },
        { "depth", &d->limits.depth, NULL }, { "calls", &d->limits.calls, NULL },
        { "spill", &d->limits.spill, NULL }, { "logs", &d->limits.logs, NULL },
        { "subscriptions", &d->limits.subscriptions, NULL },
        { "name", NULL, &d->name }, { "version", NULL, &d->version },
        { "title", NULL, &d->title }, { "desc", NULL, &d->desc },
        { "website", NULL, &d->website }, { "instructions", NULL, &d->instructions },
        { "ambient", NULL, &d->ambient },
        { "capabilities", NULL, &d->capabilities } };
    char key[32] = "", text[128] = "";
    sscanf(x->source.at, "# desc: %31s %127[^\r\n]", key, text);
    if (!strcmp(key, "trace")) return;
    if (!strcmp(key, "secret")) {
        d->secret = strcpy(w->tweak[7], text);
        d->secret_size = strlen(text);
        return;
    }
    if (!strcmp(key, "lenient")) { d->flags |= MCP_LENIENT; return; }
    if (!strcmp(key, "logging")) { d->flags |= MCP_LOGGING; return; }
    if (!strcmp(key, "versions")) { d->versions = harness__versions(text); return; }
    if (!strcmp(key, "cache")) {
        d->cache.ttl_ms = strtol(text, NULL, 10);
        d->cache.scope = strstr(text, "private") ? MCP_PRIVATE : MCP_PUBLIC;
        return;
    }
    for (size_t i = 0, used = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(key, rows[i].name)) continue;
        if (rows[i].number) { *rows[i].number = (size_t)strtoul(text, NULL, 10); return; }
        while (used < 6 && w->tweak[used][0]) used++;
        *rows[i].text = strcpy(w->tweak[used], text);
        return;
    }
    harness_die(t->file, x->line, "unknown key of desc");
}

/* Ready for harness_open: the desc with the transcript's changes and the harness's hooks. */
static TEST__UNUSED void harness_world_init(harness_world *w, const harness_transcript *t,
                                            const mcp_server_desc *desc) {
    memset(w, 0, sizeof *w);
    harness_now = w;
    w->desc = *desc;
    w->desc.log.func = harness__log, w->desc.log.user = w;
    w->desc.alloc.func = harness_alloc, w->desc.alloc.user = &w->mem;
    w->desc.clock.func = harness__clock, w->desc.clock.user = w;
    w->desc.random.func = harness__random, w->desc.random.user = w;
#ifndef MCP_NO_TRACE
    if (t) w->desc.trace.func = t->trace ? harness__trace : NULL, w->desc.trace.user = w;
#endif
    for (size_t i = 0; t && i < t->count; i++)
        if (harness_is(t->steps[i].source.at, "# desc:")) harness__tweak(w, t, &t->steps[i]);
}

static TEST__UNUSED bool harness_connect(harness_world *w) {
    mcp_write_hook hook = { harness__write, w };
    w->out.n = w->spans.n = 0;
    w->writes = w->random = 0;
    w->write_failed = w->wrote_after = false;
    w->now = INT64_C(1785240000) * 1000000000; /* 2026-07-28T12:00:00Z */
    w->conn = mcp_conn_new(w->server, MCP_LINES, hook);
    return w->conn != NULL;
}

static TEST__UNUSED bool harness_open(harness_world *w) {
    w->server = mcp_server_new(&w->desc);
    return w->server && harness_connect(w);
}

/* false: something leaked, or the memory hook was misused; mem.wrong says so. */
static TEST__UNUSED bool harness_close(harness_world *w) {
    if (w->conn) mcp_conn_free(w->conn);
    if (w->server) mcp_server_free(w->server);
    w->conn = NULL;
    w->server = NULL;
    if (!w->mem.wrong && w->mem.live) w->mem.wrong = "a leak";
    return !w->mem.wrong;
}

static TEST__UNUSED void harness_world_free(harness_world *w) {
    free(w->out.at);
    free(w->spans.at);
    harness_now = NULL;
}

/* Init and open; a server that does not start is a failure of the transcript, and cleaned up. */
static TEST__UNUSED bool harness_begin(harness_world *w, const harness_transcript *t,
                                       const mcp_server_desc *desc) {
    harness_world_init(w, t, desc);
    if (harness_open(w)) return true;
    test__check(false, t->file, 1, w->log[0] ? w->log : "the server does not start");
    harness_close(w);
    harness_world_free(w);
    return false;
}

/* Feeds one step; a step that feeds nothing is MCP_OK. */
static TEST__UNUSED int harness_feed(harness_world *w, const harness_step *x) {
    if (x->kind == HARNESS_END) return mcp_feed(w->conn, NULL, 0);
    if (x->kind == HARNESS_POLL) {
        w->now += x->ms * 1000000;
        mcp_poll(w->server);
    }
    if (x->kind != HARNESS_FEED && x->kind != HARNESS_INIT) return MCP_OK;
    return x->text.n ? mcp_feed(w->conn, x->text.at, x->text.n) : MCP_OK;
}

/* Plays it all; the first status that is not MCP_OK ends it. */
static TEST__UNUSED int harness_play(harness_world *w, const harness_transcript *t) {
    int status = MCP_OK;
    for (size_t i = 0; i < t->count && !status; i++) status = harness_feed(w, &t->steps[i]);
    return status;
}

/* ---- servers by name: -D'SERVERS(X)=X(tools) X(golden)' ---- */

typedef void harness_use(const harness_transcript *t, const mcp_server_desc *desc);
static harness_use *harness__use;
static const harness_transcript *harness__for;

int harness_serve(const mcp_server_desc *desc);
int harness_serve(const mcp_server_desc *desc) {
    harness__use(harness__for, desc);
    return 0;
}

#ifdef SERVERS
#define HARNESS_DECLARE(name) int name##_main(int argc, char **argv);
SERVERS(HARNESS_DECLARE)
#define HARNESS_ROW(name) { #name, name##_main },
static const struct { const char *name; int (*main)(int argc, char **argv); } harness_servers[] = {
    SERVERS(HARNESS_ROW) { NULL, NULL } };

/* Runs the server's main, which comes back to use() with its desc. */
static TEST__UNUSED void harness_with(const harness_transcript *t, harness_use *use) {
    static char name[] = "server";
    char *argv[] = { name, NULL };
    for (size_t i = 0; harness_servers[i].name; i++) {
        if (strcmp(harness_servers[i].name, t->server)) continue;
        harness__use = use;
        harness__for = t;
        harness_servers[i].main(1, argv);
        return;
    }
    harness_die(t->file, 1, "no such server");
}

/* Every file of the command line from the first on, as a test of its own. */
static TEST__UNUSED void harness_each(int argc, char **argv, int first, harness_use *use) {
    snprintf(harness_file, sizeof harness_file, "%s.spans", argv[0]);
    for (int i = first; i < argc; i++) {
        harness_transcript t = harness_read(argv[i]);
        int skipped = test__skipped;
        test__name = t.server;
        test__bad = 0;
        harness_with(&t, use);
        if (test__bad) test__failed++;
        else if (test__skipped == skipped) test__passed++;
        harness_forget(&t);
    }
}
#endif

/* ---- looking at messages, without the library ---- */

/* The end of the JSON value at s, which is valid. */
static TEST__UNUSED const char *harness_skip(const char *s, const char *end) {
    size_t depth = 0;
    do {
        if (*s == '"') {
            for (s++; s < end && *s != '"'; s++) if (*s == '\\') s++;
        } else if (*s == '{' || *s == '[') depth++;
        else if (*s == '}' || *s == ']') depth--;
        else while (s + 1 < end && !strchr(",]}: \t\r\n", s[1])) s++;
        s++;
        while (s < end && depth && strchr(",: \t\r\n", *s)) s++;
    } while (depth && s < end);
    return s;
}

static TEST__UNUSED const char *harness_space(const char *s, const char *end) {
    while (s < end && strchr(" \t\r\n", *s)) s++;
    return s;
}

/* Is the string from its quote on, n bytes long, this ASCII text? Escapes are read. */
static TEST__UNUSED bool harness_equals(const char *s, size_t n, const char *text) {
    static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
    const char *end = s + n - 1;
    for (s++; s < end; s++) {
        unsigned c = (unsigned char)*s;
        if (c == '\\') {
            c = (unsigned char)*++s;
            const char *at = strchr(from, (int)c);
            if (at) c = (unsigned char)to[at - from];
            else if (c == 'u' && sscanf(s + 1, "%4x", &c) == 1) s += 4;
        }
        if (c != (unsigned char)*text++ || !c) return false;
    }
    return !*text;
}

/* The value of a member of the object at s, or NULL; *n is its length. */
static TEST__UNUSED const char *harness_member(const char *s, size_t size, const char *key,
                                               size_t *n) {
    const char *end = s + size, *found = NULL;
    s = harness_space(s, end);
    if (s == end || *s++ != '{') return NULL;
    while ((s = harness_space(s, end)) < end && *s == '"') {
        const char *name = s;
        s = harness_skip(s, end);
        size_t length = (size_t)(s - name);
        s = harness_space(harness_space(s, end) + 1, end);
        const char *value = s;
        s = harness_skip(s, end);
        if (harness_equals(name, length, key)) found = value, *n = (size_t)(s - value);
        s = harness_space(s, end);
        if (s < end && *s == ',') s++;
    }
    return found;
}

/* One whole JSON value and nothing else, says the library's own reader. */
static TEST__UNUSED bool harness_is_json(const char *s, size_t n) {
    mcp_reader r;
    char scratch[256];
    int event;
    mcp_reader_init(&r, scratch, sizeof scratch);
    mcp_reader_feed(&r, s, n);
    while ((event = mcp_read(&r)) > MCP_READ_MORE) {}
    if (event == MCP_READ_MORE) mcp_reader_feed(&r, NULL, 0);
    return event == MCP_READ_DONE || (event == MCP_READ_MORE && mcp_read(&r) == MCP_READ_DONE);
}

/* A JSON-RPC message: "2.0", and exactly one of method, result, error. */
static TEST__UNUSED bool harness_is_message(const char *s, size_t n) {
    size_t size = 0;
    const char *v = harness_member(s, n, "jsonrpc", &size);
    if (!v || size != 5 || memcmp(v, "\"2.0\"", 5)) return false;
    bool method = harness_member(s, n, "method", &size) != NULL;
    bool result = harness_member(s, n, "result", &size) != NULL;
    bool error = harness_member(s, n, "error", &size) != NULL;
    bool id = harness_member(s, n, "id", &size) != NULL;
    return method + result + error == 1 && (method || id);
}

/* Calls func for the line's message, or for each message of its batch. */
static TEST__UNUSED void harness_messages(const char *s, size_t n,
                                          void (*func)(void *arg, const char *s, size_t n),
                                          void *arg) {
    const char *end = s + n;
    s = harness_space(s, end);
    if (s == end || *s != '[') { func(arg, s, (size_t)(end - s)); return; }
    for (s = harness_space(s + 1, end); s < end && *s != ']'; s = harness_space(s, end)) {
        const char *next = harness_skip(s, end);
        func(arg, s, (size_t)(next - s));
        s = harness_space(next, end);
        if (s < end && *s == ',') s++;
    }
}

#endif
