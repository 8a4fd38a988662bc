/* oom.c - any allocation may fail

       oom FILE...     each transcript with allocation n failing, n = 1, 2 ... until none fails:
                       once alone, and once with all that follow

   However it ends, nothing leaks and nothing crashes, every line that came is one valid message,
   no request is answered twice, and with memory back the same server answers again. */
#include "harness.h"

#define PING "\n{\"jsonrpc\":\"2.0\",\"id\":\"@ping\",\"method\":\"ping\"}\n"
#define DISCOVER "\n{\"jsonrpc\":\"2.0\",\"id\":\"@ping\",\"method\":\"server/discover\"," \
    "\"params\":{\"_meta\":{" HARNESS_META "}}}\n"

static void complain(const harness_transcript *t, const harness_world *w, const char *what) {
    test__bad++;
    printf("%s: allocation %lu%s failing: %s\n", t->file, (unsigned long)w->mem.fail_at,
           w->mem.fail_on ? " and all later" : "", what);
}

/* What came: lines that are or hold answers, messages that are none, ids answered that no request
   is left for. An answer may lack its id: memory was too short to read it. */
typedef struct tally {
    size_t answers, bad, twice;
    const char *line;
    size_t n;
    harness_bytes asked;            /* the requests' ids, each as it stands there and a newline */
} tally;

static void tally_asked(void *arg, const char *s, size_t n) {
    size_t size = 0;
    const char *id = harness_member(s, n, "id", &size);
    if (!id) return;
    harness_add(&((tally *)arg)->asked, id, size);
    harness_add(&((tally *)arg)->asked, "\n", 1);
}

static void tally_one(void *arg, const char *s, size_t n) {
    tally *c = (tally *)arg;
    size_t size = 0, at = 0, m;
    const char *line;
    if (!harness_is_message(s, n)) c->bad++, c->line = s, c->n = n;
    if (harness_member(s, n, "method", &size)) return;
    const char *id = harness_member(s, n, "id", &size);
    if (id && *id == 'n') return;
    while (id && harness_line(&c->asked, &at, &line, &m))
        if (m == size && !memcmp(id, line, m)) {
            memset(c->asked.at + (line - c->asked.at), ' ', m); /* answered */
            return;
        }
    c->twice++;
}

static tally tally_of(const harness_transcript *t, const harness_bytes *out) {
    tally c = { 0, 0, 0, NULL, 0, { NULL, 0, 0 } };
    harness_bytes in = { NULL, 0, 0 };
    const char *line;
    size_t n, size;
    for (size_t i = 0; i < t->count; i++)
        if (t->steps[i].kind == HARNESS_FEED || t->steps[i].kind == HARNESS_INIT)
            harness_add(&in, t->steps[i].text.at, t->steps[i].text.n);
    for (size_t at = 0; harness_line(&in, &at, &line, &n);)
        if (harness_is_json(line, n)) harness_messages(line, n, tally_asked, &c);
    for (size_t at = 0; harness_line(out, &at, &line, &n);) {
        if (!harness_is_json(line, n)) { c.bad++, c.line = line, c.n = n; continue; }
        harness_messages(line, n, tally_one, &c);
        if (!harness_member(line, n, "method", &size)) c.answers++;
    }
    free(in.at);
    free(c.asked.at);
    return c;
}

/* With memory back the server answers: on this connection, or if that is gone, on another. */
static bool answers_again(harness_world *w, const harness_transcript *t, bool open) {
    bool legacy = !w->desc.versions || (w->desc.versions & (MCP_2026_07_28 - 1));
    const char *text = legacy ? PING : DISCOVER, *line = NULL;
    size_t at, n, size = 0;
    w->mem.fail_at = 0;
    if (!open || t->ended) {
        mcp_conn_free(w->conn);
        if (!harness_connect(w)) return false;
    }
    at = w->out.n;
    if (mcp_feed(w->conn, text, strlen(text))) return false;
    while (harness_line(&w->out, &at, &line, &n)) {}
    return line && harness_member(line, n, "result", &size) &&
           harness_member(line, n, "id", &size) && size == 7;
}

/* One play; false: no allocation failed, the sweep is over. */
static bool once(const harness_transcript *t, const mcp_server_desc *desc, size_t fail_at,
                 bool fail_on, const tally *all) {
    harness_world w;
    harness_world_init(&w, t, desc);
    w.mem.fail_at = fail_at;
    w.mem.fail_on = fail_on;
    bool open = harness_open(&w), failed;
    int status = open ? harness_play(&w, t) : MCP_NOMEM;
    tally c = tally_of(t, &w.out);
    failed = w.mem.failed;
    if (c.bad) complain(t, &w, "this is not a message:"), printf("  %.*s\n", (int)c.n, c.line);
    if (c.twice > all->twice) complain(t, &w, "something was answered twice, or never asked");
    if (open && !status && c.answers < all->answers && !t->open)
        complain(t, &w, "something was never answered");
    if (!open && !failed) complain(t, &w, w.log);
    if (w.server && !answers_again(&w, t, open && !status))
        w.mem.fail_at = fail_at, complain(t, &w, "with memory back the server does not answer");
    w.mem.fail_at = 0;
    if (!harness_close(&w)) w.mem.fail_at = fail_at, complain(t, &w, w.mem.wrong);
    harness_world_free(&w);
    return failed;
}

static void oom(const harness_transcript *t, const mcp_server_desc *desc) {
    harness_world w;
    if (!harness_begin(&w, t, desc)) return;
    harness_play(&w, t);
    tally all = tally_of(t, &w.out);
    harness_close(&w);
    harness_world_free(&w);
    for (int fail_on = 0; fail_on < 2; fail_on++)
        for (size_t n = 1; once(t, desc, n, fail_on, &all) && test__bad < 4; n++) {}
}

int main(int argc, char **argv) {
    harness_each(argc, argv, 1, oom);
    return DONE();
}
