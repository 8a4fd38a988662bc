/* parity.c - over HTTP a server says the same as over lines

       parity FILE...    each transcript over lines, and once more with every line a POST of its own
                         (mcp_http_handle, no sockets): after every step the same messages came

   A request of 2026-07-28 gets the headers that its body asks for. The older versions get a session
   and its stream; what their initialize returned goes along. A step where the transports differ by
   design is left out, with what follows from it; each is counted as skipped, and why. */
#include "harness.h"

/* Why one step may differ; and whether what follows can be compared nevertheless. */
enum { BEFORE, LENGTH, MARK, HEADER, BEHIND, SAME_ID, ONE, ENDING, NO_REASON };
static struct { bool goes_on; const char *what; int count; } reasons[] = {
    { true, "a request of an older version before initialize: here, one without a session", 0 },
    { true, "a message too long: that is HTTP's own error", 0 },
    { true, "a byte order mark, which each body may have", 0 },
    { true, "a body that has nothing for a header that must be there", 0 },
    { false, "what a handler finds behind its own request", 0 },
    { false, "an id in use, for each request is a connection of its own", 0 },
    { false, "a limit of one connection, likewise", 0 },
    { false, "the end of input, which HTTP does not have", 0 } };

/* ---- replies ---- */

typedef struct reply {
    struct reply *next;
    struct http *http;
    harness_bytes body;
    size_t at;                      /* of it: told */
    bool events, over, answered;
    char id[64];                    /* of the request, as JSON */
} reply;

typedef struct http {
    harness_world w;
    harness_bytes said;             /* messages since the step began, a line each */
    reply *replies;                 /* the last first */
    char session[64], version[16];
    int why;                        /* this step may differ: the reason */
} http;

/* The answer to its request is the last thing that a reply says. */
static void say(reply *r, const char *s, size_t n) {
    size_t size = 0;
    if (!n) return;
    if (!CHECK(!r->answered)) printf("  behind its answer: %.*s\n", (int)n, s);
    const char *id = harness_member(s, n, "id", &size);
    r->answered = id && strlen(r->id) == size && !memcmp(r->id, id, size);
    harness_add(&r->http->said, s, n);
    harness_add(&r->http->said, "\n", 1);
}

/* Every event that is whole by now; the first may have no data. */
static void say_events(reply *r) {
    const char *line;
    size_t n;
    while (r->at < r->body.n && memchr(r->body.at + r->at, '\n', r->body.n - r->at)) {
        harness_line(&r->body, &r->at, &line, &n);
        if (n > 6 && !memcmp(line, "data: ", 6)) say(r, line + 6, n - 6);
    }
}

static int take(void *user, const mcp_http_part *part) {
    reply *r = (reply *)user;
    for (const mcp_attr *x = part->headers; x && x->key; x++) {
        if (!strcmp(x->key, "Content-Type")) r->events = !strcmp(x->value, "text/event-stream");
        if (!strcmp(x->key, "Mcp-Session-Id"))
            snprintf(r->http->session, sizeof r->http->session, "%s", x->value);
    }
    harness_add(&r->body, part->body, part->size);
    if (r->events) say_events(r);
    else if (part->last) say(r, r->body.at, r->body.n);
    r->over = part->last;
    return MCP_OK;
}

static reply *reply_new(http *h) {
    reply *r = (reply *)calloc(1, sizeof *r);
    if (!r) harness_die("parity", 0, "out of memory");
    harness_add(&r->body, "", 0);
    r->http = h;
    r->next = h->replies;
    h->replies = r;
    return r;
}

/* ---- requests ---- */

/* A JSON string's text, terminated; false: it is not there, or no string. */
static bool text_in(harness_bytes *out, const char *json, size_t n, const char *key) {
    char scratch[1024];
    mcp_reader r;
    size_t size = 0;
    const char *v = json ? harness_member(json, n, key, &size) : NULL;
    out->n = 0;
    harness_add(out, "", 0);
    if (!v || *v != '"') return false;
    mcp_reader_init(&r, scratch, sizeof scratch);
    mcp_reader_feed(&r, v, size);
    do {
        if (mcp_read(&r) != MCP_READ_STR) return false;
        harness_add(out, r.text, r.size);
    } while (r.partial);
    return true;
}

/* As a header has it: in Base64, unless it is plain; NULL: no header can hold it. */
static void header_value(harness_bytes *b) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    harness_bytes plain = { NULL, 0, 0 };
    bool ok = b->n > 0 && b->at[0] != ' ' && b->at[b->n - 1] != ' ';
    for (size_t i = 0; i < b->n; i++) ok &= b->at[i] >= ' ' && b->at[i] <= '~';
    if (ok || !b->n) return;
    harness_add(&plain, b->at, b->n);
    harness_add(&plain, "\0\0", 2);
    b->n = 0;
    harness_add(b, "=?base64?", 9);
    for (size_t i = 0; i + 2 < plain.n; i += 3) {
        const unsigned char *u = (const unsigned char *)plain.at + i;
        unsigned v = (unsigned)u[0] << 16 | (unsigned)u[1] << 8 | u[2];
        for (int k = 0; k < 4; k++)
            harness_add(b, i + (size_t)k > plain.n - 2 ? "=" : &digits[v >> (18 - 6 * k) & 63], 1);
    }
    harness_add(b, "?=", 2);
    free(plain.at);
}

typedef struct message {
    const char *s;
    size_t n;
    harness_bytes method, name, version;
    const char *params, *id;
    size_t params_n, id_n;
    bool json, modern, logs;
    bool needs_name, named;         /* a header has to say it; it can */
} message;

/* What of it becomes a header, and whose it is. */
static void look(message *m) {
    static const struct { const char *method, *key; } names[] = {
        { "tools/call", "name" }, { "prompts/get", "name" }, { "resources/read", "uri" } };
    size_t meta_n = 0, size;
    m->json = harness_is_json(m->s, m->n) && *harness_space(m->s, m->s + m->n) == '{';
    if (!m->json) return;
    text_in(&m->method, m->s, m->n, "method");
    m->id = harness_member(m->s, m->n, "id", &m->id_n);
    m->params = harness_member(m->s, m->n, "params", &m->params_n);
    const char *meta = m->params ? harness_member(m->params, m->params_n, "_meta", &meta_n) : NULL;
    bool said = text_in(&m->version, meta, meta_n, "io.modelcontextprotocol/protocolVersion");
    m->modern = said || (meta && harness_member(meta, meta_n,
                         "io.modelcontextprotocol/clientCapabilities", &size)) ||
                !strcmp(m->method.at, "server/discover");
    m->logs = meta && harness_member(meta, meta_n, "io.modelcontextprotocol/logLevel", &size);
    if (!said) harness_add(&m->version, "2026-07-28", 10);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(m->method.at, names[i].method)) {
            m->needs_name = true;
            m->named = text_in(&m->name, m->params, m->params_n, names[i].key) && m->name.n;
        }
    header_value(&m->name);
}

static void forget(message *m) {
    free(m->method.at);
    free(m->name.at);
    free(m->version.at);
}

static void ask(http *h, const char *method, const message *m) {
    mcp_attr headers[8] = { { "Accept", "application/json, text/event-stream" } };
    size_t n = 1;
    mcp_http_request rq = { method, "/mcp", headers, NULL, 0, NULL };
    reply *r = reply_new(h);
    mcp_reply_hook hook = { take, r };
    if (m) {
        rq.body = m->s;
        rq.size = m->n;
        if (m->id && m->id_n < sizeof r->id) memcpy(r->id, m->id, m->id_n);
        headers[n].key = "Content-Type", headers[n++].value = "application/json";
    }
    if (m && m->modern) {
        headers[n].key = "MCP-Protocol-Version", headers[n++].value = m->version.at;
        headers[n].key = "Mcp-Method", headers[n++].value = m->method.at;
        if (m->named) headers[n].key = "Mcp-Name", headers[n++].value = m->name.at;
    } else if (*h->session) {
        headers[n].key = "Mcp-Session-Id", headers[n++].value = h->session;
        headers[n].key = "MCP-Protocol-Version", headers[n++].value = h->version;
    }
    headers[n].key = NULL;
    mcp_http_handle(h->w.server, &rq, hook);
}

/* 2026-07-28 cancels over HTTP by hanging up. */
static void hang_up(http *h, const message *m) {
    size_t n = 0;
    const char *id = m->params ? harness_member(m->params, m->params_n, "requestId", &n) : NULL;
    for (reply *r = h->replies; id && r; r = r->next)
        if (!r->over && strlen(r->id) == n && !memcmp(r->id, id, n)) {
            r->over = true;
            mcp_http_gone(h->w.server, r);
        }
}

static bool too_long(const http *h, size_t n) {
    size_t limit = h->w.desc.limits.message;
    return n > (limit ? limit : 10 * 1024 * 1024);
}

/* Why what it gives may differ. */
static int reason_of(const http *h, const message *m) {
    if (too_long(h, m->n)) return LENGTH;
    if (m->n >= 3 && !memcmp(m->s, "\xEF\xBB\xBF", 3)) return MARK;
    if (!m->json) return NO_REASON;
    if (!m->modern) return *h->session ? NO_REASON : BEFORE;
    if (m->needs_name && !m->named) return HEADER;
    for (const reply *r = h->replies; r; r = r->next)
        if (!r->over && m->id && strlen(r->id) == m->id_n && !memcmp(r->id, m->id, m->id_n))
            return SAME_ID;
    if (!strcmp(m->method.at, "subscriptions/listen") || (m->logs && h->w.desc.limits.logs))
        return ONE;
    return NO_REASON;
}

/* A session begins: what it agreed on goes along from now on. It has a stream of its own. */
static void begin(http *h, const char *answer, size_t n) {
    harness_bytes version = { NULL, 0, 0 };
    size_t size = 0;
    const char *result = harness_member(answer, n, "result", &size);
    text_in(&version, result, size, "protocolVersion");
    snprintf(h->version, sizeof h->version, "%s", version.at);
    free(version.at);
    ask(h, "GET", NULL);
}

static void post(http *h, const char *s, size_t n) {
    message m;
    memset(&m, 0, sizeof m);
    m.s = s;
    m.n = n;
    look(&m);
    size_t at = h->said.n;
    int why = reason_of(h, &m);
    if (h->why == NO_REASON) h->why = why;
    bool begins = m.json && !m.modern && m.id && !strcmp(m.method.at, "initialize");
    bool cancels = m.json && !strcmp(m.method.at, "notifications/cancelled");
    if (begins) { /* again: in a session of its own, which replaces the other */
        char was[sizeof h->session], now[sizeof h->session];
        memcpy(was, h->session, sizeof was);
        *h->session = 0;
        ask(h, "POST", &m);
        memcpy(now, h->session, sizeof now);
        memcpy(h->session, was, sizeof was);
        if (*now && *was) ask(h, "DELETE", NULL);
        if (*now) memcpy(h->session, now, sizeof now), begin(h, h->said.at + at, h->said.n - at);
    } else if (cancels && (m.modern || !*h->session)) hang_up(h, &m);
    else ask(h, "POST", &m);
    mcp_poll(h->w.server); /* streams hear of changes */
    forget(&m);
}

/* ---- both, step by step ---- */

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The same lines, in any order: what several streams say has none. */
static bool same_lines(const harness_bytes *a, const harness_bytes *b) {
    enum { MOST = 1000 };
    const harness_bytes *both[2] = { a, b };
    const char *lines[2][MOST];
    harness_bytes copy[2] = { { NULL, 0, 0 }, { NULL, 0, 0 } };
    size_t count[2] = { 0, 0 };
    for (int k = 0; k < 2; k++) {
        harness_add(&copy[k], both[k]->at, both[k]->n);
        for (size_t at = 0, n; count[k] < MOST && at < copy[k].n; count[k]++) {
            harness_line(&copy[k], &at, &lines[k][count[k]], &n);
            copy[k].at[at - 1] = 0;
        }
        qsort(lines[k], count[k], sizeof *lines[k], by_text);
    }
    bool same = a->n == b->n && count[0] == count[1] && count[0] < MOST;
    for (size_t i = 0; same && i < count[0]; i++) same = !strcmp(lines[0][i], lines[1][i]);
    free(copy[0].at);
    free(copy[1].at);
    return same;
}

/* false: what follows is not comparable. */
static bool compare(const harness_transcript *t, const harness_step *x, const harness_bytes *want,
                    http *h) {
    if (harness_same(want, &h->said) || same_lines(want, &h->said)) return true;
    if (!t->chop) h->why = BEHIND;
    if (x->kind == HARNESS_END) h->why = ENDING;
    if (h->why != NO_REASON) {
        reasons[h->why].count++;
        if (!reasons[h->why].goes_on) test__skipped++;
        return reasons[h->why].goes_on;
    }
    test__bad++;
    printf("%s:%d: over HTTP it differs\n  lines: %.*s\n  http:  %.*s\n", t->file, x->line,
           (int)want->n, want->n ? want->at : "", (int)h->said.n, h->said.n ? h->said.at : "");
    return false;
}

static bool is_blank(const char *s, size_t n) {
    while (n && (*s == ' ' || *s == '\t' || *s == '\r')) s++, n--;
    return !n;
}

/* The whole lines of pending; at the end of input, the last one without its newline, too. */
static void post_lines(http *h, harness_bytes *pending, bool end) {
    size_t done = 0, n;
    const char *s;
    while (pending->n > done && (end || memchr(pending->at + done, '\n', pending->n - done))) {
        harness_line(pending, &done, &s, &n);
        if (!is_blank(s, n) || too_long(h, n)) post(h, s, n);
    }
    if (done) memmove(pending->at, pending->at + done, pending->n -= done);
}

static void http_end(http *h, const harness_transcript *t) {
    mcp_server_free(h->w.server);
    h->w.server = NULL;
    if (!harness_close(&h->w)) test__check(false, t->file, 1, h->w.mem.wrong);
    for (reply *r = h->replies, *next; r; r = next) {
        next = r->next;
        free(r->body.at);
        free(r);
    }
    free(h->said.at);
    harness_world_free(&h->w);
}

/* Both ask for the time, but not as often: it goes on where a transcript says so. */
static int64_t stand_still(void *user) { return ((harness_world *)user)->now; }

static void parity(const harness_transcript *t, const mcp_server_desc *desc) {
    harness_world w;
    http h;
    harness_bytes pending = { NULL, 0, 0 }, want = { NULL, 0, 0 };
    bool same = true;
    memset(&h, 0, sizeof h);
    harness_world_init(&w, t, desc);
    harness_world_init(&h.w, t, desc);
    w.desc.clock.func = h.w.desc.clock.func = stand_still;
    if (!harness_open(&w)) harness_die(t->file, 1, w.log);
    h.w.now = w.now;
    h.w.server = mcp_server_new(&h.w.desc);
    for (size_t i = 0; i < t->count && same; i++) {
        const harness_step *x = &t->steps[i];
        size_t out = w.out.n;
        harness_now = &w;
        if (harness_feed(&w, x)) break;
        want.n = h.said.n = 0;
        if (w.out.n > out) harness_add(&want, w.out.at + out, w.out.n - out);
        harness_now = &h.w;
        h.why = NO_REASON;
        if (x->kind == HARNESS_FEED || x->kind == HARNESS_INIT)
            harness_add(&pending, x->text.at, x->text.n);
        post_lines(&h, &pending, x->kind == HARNESS_END);
        if (too_long(&h, pending.n)) h.why = LENGTH; /* lines tell of it before its end */
        if (x->kind == HARNESS_POLL) {
            h.w.now += x->ms * 1000000;
            mcp_poll(h.w.server);
        }
        same = compare(t, x, &want, &h);
    }
    http_end(&h, t);
    harness_close(&w);
    free(pending.at);
    free(want.at);
    harness_world_free(&w);
}

int main(int argc, char **argv) {
    harness_each(argc, argv, 1, parity);
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        if (reasons[i].count) printf("  %d left out: %s\n", reasons[i].count, reasons[i].what);
        if (reasons[i].goes_on) test__skipped += reasons[i].count;
    }
    return DONE();
}
