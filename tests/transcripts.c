/* transcripts.c - plays transcripts and compares every byte (the format: harness.h)

       transcripts FILE...               what differs is printed; ends with N passed, N failed
       transcripts --record FILE...      rewrites the expected lines with what came: read the diff
       transcripts --dump FILE...        every message sent, as VERSION TAB METHOD TAB MESSAGE
       transcripts --split DIR FILE...   the input as DIR/NAME.in; of those that a real process
                                         can repeat, the output too, and prints NAME SERVER */
#include "harness.h"

/* What one piece gave, by kind: '<' lines written, '~' spans, '!' the status. */
static const char kinds[] = "<~!";
typedef struct answers { harness_bytes of[3]; size_t at[3]; } answers;

static void answers_clear(answers *a) {
    for (int i = 0; i < 3; i++) a->of[i].n = a->at[i] = 0;
}

static void answers_free(answers *a) {
    for (int i = 0; i < 3; i++) free(a->of[i].at);
}

static const char *status_name(int status) {
#define STATUS(name, code, text) if (status == (code)) return #name;
    MCP_STATUSES(STATUS)
#undef STATUS
    return "?";
}

/* Feeds a step and takes what it gave; the answer to @init is dropped, if it is one good line. */
static void answers_of(answers *a, harness_world *w, const harness_step *x) {
    size_t out = w->out.n, spans = w->spans.n;
    int status = harness_feed(w, x);
    answers_clear(a);
    if (w->out.n > out) harness_add(&a->of[0], w->out.at + out, w->out.n - out);
    if (w->spans.n > spans) harness_add(&a->of[1], w->spans.at + spans, w->spans.n - spans);
    if (status) harness_add(&a->of[2], status_name(status), strlen(status_name(status)));
    const char *line;
    size_t at = 0, n, size;
    if (x->kind == HARNESS_INIT && harness_line(&a->of[0], &at, &line, &n) &&
        harness_member(line, n, "result", &size)) a->at[0] = at;
}

static void differs(const harness_transcript *t, int line, char kind, const char *want, size_t n,
                    const char *got, size_t m) {
    test__bad++;
    printf("%s:%d: %s\n", t->file, line, want ? got ? "differs" : "did not come" : "not expected");
    if (want) printf("  expected %c %.*s\n", kind, (int)n, want);
    if (got) printf("  got      %c %.*s\n", kind, (int)m, got);
}

/* Nothing may be left when the next piece is fed. */
static void check_rest(answers *a, const harness_transcript *t, int line) {
    const char *got;
    size_t m;
    for (int i = 0; i < 3; i++)
        while (harness_line(&a->of[i], &a->at[i], &got, &m))
            differs(t, line, kinds[i], NULL, 0, got, m);
}

static void check(const harness_transcript *t, const mcp_server_desc *desc) {
    harness_world w;
    answers a;
    int line = 1;
    memset(&a, 0, sizeof a);
    if (!harness_begin(&w, t, desc)) return;
    for (size_t i = 0; i < t->count; i++) {
        const harness_step *x = &t->steps[i];
        const char *at = strchr(kinds, x->kind), *got;
        size_t m;
        if (x->kind == HARNESS_NOTE) continue;
        if (!at) {
            check_rest(&a, t, line);
            answers_of(&a, &w, x);
            line = x->line;
        } else if (!harness_line(&a.of[at - kinds], &a.at[at - kinds], &got, &m))
            differs(t, x->line, *at, x->text.at, x->text.n, NULL, 0);
        else if (m != x->text.n || memcmp(got, x->text.at, m))
            differs(t, x->line, *at, x->text.at, x->text.n, got, m);
    }
    check_rest(&a, t, line);
    if (!harness_close(&w)) test__check(false, t->file, 1, w.mem.wrong);
    answers_free(&a);
    harness_world_free(&w);
}

/* ---- --record ----
   An expected line is replaced where it stands; what came besides follows the last one. */

static void record_line(harness_bytes *file, const char *start, const char *s, size_t n) {
    harness_add(file, start, strlen(start));
    harness_add(file, s, n);
    harness_add(file, "\n", 1);
}

static void record_move(harness_bytes *file, harness_bytes *notes) {
    harness_add(file, notes->at, notes->n);
    notes->n = 0;
}

static void record_rest(harness_bytes *file, answers *a) {
    static const char *const starts[] = { "< ", "~ ", "! " };
    const char *got;
    size_t m;
    for (int i = 0; i < 3; i++)
        while (harness_line(&a->of[i], &a->at[i], &got, &m)) record_line(file, starts[i], got, m);
}

static void record(const harness_transcript *t, const mcp_server_desc *desc) {
    harness_world w;
    harness_bytes file = { NULL, 0, 0 }, notes = { NULL, 0, 0 }; /* notes since the last line */
    answers a;
    memset(&a, 0, sizeof a);
    if (!harness_begin(&w, t, desc)) return;
    for (size_t i = 0; i < t->count; i++) {
        const harness_step *x = &t->steps[i];
        const char *at = strchr(kinds, x->kind), *got;
        size_t m;
        if (x->kind == HARNESS_NOTE) {
            record_line(&notes, "", x->source.at, x->source.n);
        } else if (!at) {
            record_rest(&file, &a);
            record_move(&file, &notes);
            record_line(&file, "", x->source.at, x->source.n);
            answers_of(&a, &w, x);
        } else if (harness_line(&a.of[at - kinds], &a.at[at - kinds], &got, &m)) {
            bool same = m == x->text.n && !memcmp(got, x->text.at, m); /* keeps a $R */
            char start[] = { *at, ' ', 0 };
            record_move(&file, &notes);
            record_line(&file, start, same ? x->source.at + 2 : got, same ? x->source.n - 2 : m);
        }
    }
    record_rest(&file, &a);
    record_move(&file, &notes);
    harness_close(&w);
    FILE *f = fopen(t->file, "wb");
    if (!f || fwrite(file.at, 1, file.n, f) != file.n || fclose(f))
        harness_die(t->file, 0, "cannot be written");
    answers_free(&a);
    free(file.at);
    free(notes.at);
    harness_world_free(&w);
}

/* ---- --dump ----
   The version of a message is that of the request that it answers or reports about: its _meta
   says it, or else the connection has negotiated it. */

typedef struct request { char id[64], method[64], version[16]; } request;
typedef struct dumper {
    request asked[256];
    size_t count;
    char legacy[16], latest[16];    /* negotiated; of the last request */
} dumper;

/* A member's text without quotes, cut to the room there is. */
static bool copy_member(char *out, size_t room, const char *s, size_t n, const char *key) {
    size_t size = 0;
    const char *v = s ? harness_member(s, n, key, &size) : NULL;
    if (!v) return false;
    if (*v == '"') v++, size -= 2;
    snprintf(out, room, "%.*s", (int)size, v);
    return true;
}

static void dump_asked(void *arg, const char *s, size_t n) {
    dumper *d = (dumper *)arg;
    request one;
    size_t size = 0, inner = 0;
    memset(&one, 0, sizeof one);
    strcpy(one.version, d->legacy);
    if (!copy_member(one.method, sizeof one.method, s, n, "method")) return;
    const char *v = harness_member(s, n, "params", &size);
    if (v) v = harness_member(v, size, "_meta", &inner);
    if (v) copy_member(one.version, sizeof one.version, v, inner,
                       "io.modelcontextprotocol/protocolVersion");
    strcpy(d->latest, one.version);
    if (!copy_member(one.id, sizeof one.id, s, n, "id")) return;
    d->asked[d->count++ % (sizeof d->asked / sizeof *d->asked)] = one;
}

static void dump_sent(void *arg, const char *s, size_t n) {
    dumper *d = (dumper *)arg;
    request *x = NULL;
    char id[64] = "", method[64] = "-";
    const char *version = d->latest;
    size_t size = 0;
    const char *result = harness_member(s, n, "result", &size);
    if (!copy_member(method, sizeof method, s, n, "method") &&
        copy_member(id, sizeof id, s, n, "id"))
        for (size_t i = 0; i < sizeof d->asked / sizeof *d->asked; i++)
            if (d->asked[i].method[0] && !strcmp(d->asked[i].id, id)) x = &d->asked[i];
    if (x && !strcmp(x->method, "initialize"))
        copy_member(d->legacy, sizeof d->legacy, result, size, "protocolVersion");
    if (x) version = strcmp(x->method, "initialize") ? x->version : d->legacy;
    printf("%s\t%s\t%.*s\n", version, x ? x->method : method, (int)n, s);
    if (x) x->method[0] = 0;
}

static void dump(const harness_transcript *t, const mcp_server_desc *desc) {
    harness_world w;
    dumper d;
    memset(&d, 0, sizeof d);
    strcpy(d.legacy, "2025-11-25");
    strcpy(d.latest, d.legacy);
    if (!harness_begin(&w, t, desc)) return;
    harness_bytes pending = { NULL, 0, 0 };
    int status = MCP_OK;
    for (size_t i = 0; i < t->count && !status; i++) {
        const harness_step *x = &t->steps[i];
        size_t done = 0, at = w.out.n, n;
        const char *s;
        if (x->kind == HARNESS_FEED || x->kind == HARNESS_INIT)
            harness_add(&pending, x->text.at, x->text.n);
        while (pending.n > done && (x->kind == HARNESS_END ||
                                    memchr(pending.at + done, '\n', pending.n - done))) {
            harness_line(&pending, &done, &s, &n);
            if (!harness_is_json(s, n)) continue;
            size_t bom = n > 3 && !memcmp(s, "\xEF\xBB\xBF", 3) ? 3 : 0;
            harness_messages(s + bom, n - bom, dump_asked, &d);
        }
        if (done) memmove(pending.at, pending.at + done, pending.n -= done);
        status = harness_feed(&w, x);
        while (harness_line(&w.out, &at, &s, &n)) harness_messages(s, n, dump_sent, &d);
    }
    free(pending.at);
    harness_close(&w);
    harness_world_free(&w);
}

/* ---- --split ---- */

static const char *split_dir;

static void split_write(const char *name, int n, const char *end, const harness_bytes *b) {
    char path[512];
    snprintf(path, sizeof path, "%s/%.*s%s", split_dir, n, name, end);
    FILE *f = fopen(path, "wb");
    if (!f || (b->n && fwrite(b->at, 1, b->n, f) != b->n) || fclose(f))
        harness_die(path, 0, "cannot be written");
}

static void split(const harness_transcript *t, const mcp_server_desc *desc) {
    harness_world w;
    harness_bytes in = { NULL, 0, 0 };
    const char *slash = strrchr(t->file, '/'), *name = slash ? slash + 1 : t->file;
    const char *dot = strstr(name, ".jsonl");
    int n = (int)(dot ? (size_t)(dot - name) : strlen(name));
    for (size_t i = 0; i < t->count; i++)
        if (t->steps[i].kind == HARNESS_FEED || t->steps[i].kind == HARNESS_INIT)
            harness_add(&in, t->steps[i].text.at, t->steps[i].text.n);
    split_write(name, n, ".in", &in);
    free(in.at);
    if (!t->chop || !t->plain) return;
    if (!harness_begin(&w, t, desc)) return;
    if (!harness_play(&w, t)) mcp_feed(w.conn, NULL, 0);
    split_write(name, n, ".out", &w.out);
    printf("%.*s %s\n", n, name, t->server);
    harness_close(&w);
    harness_world_free(&w);
}

int main(int argc, char **argv) {
    static const struct { const char *option; harness_use *use; int args; } modes[] = {
        { "--record", record, 2 }, { "--dump", dump, 2 }, { "--split", split, 3 } };
    for (size_t i = 0; i < sizeof modes / sizeof *modes && argc > 1; i++) {
        if (strcmp(argv[1], modes[i].option)) continue;
        split_dir = argc > 2 ? argv[2] : "";
        harness_each(argc, argv, modes[i].args, modes[i].use);
        return test__failed > 0;
    }
    harness_each(argc, argv, 1, check);
    return DONE();
}
