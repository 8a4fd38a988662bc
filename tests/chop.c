/* chop.c - how the input is cut into pieces changes nothing in the output

       chop [-CUTS] FILE...     each transcript: every step cut in two at every byte (at CUTS places
                                at most, spread evenly); without @poll also everything in one
                                piece, and in pieces of one byte and of seven

   Transcripts that say "# chop: no" are left out, and counted as skipped: what their handlers
   find behind their own request is what they are about. */
#include "harness.h"

static size_t cuts_at_most = 4000;

static int feed(harness_world *w, const char *s, size_t n) {
    return n ? mcp_feed(w->conn, s, n) : MCP_OK;
}

/* Plays with cuts into a fresh connection: step number `step` in two pieces at `cut`, or with
   `each` > 0 everything joined and fed in pieces of that many bytes. */
static void play(harness_world *w, const harness_transcript *t, size_t step, size_t cut,
                 const harness_bytes *all, size_t each) {
    int status = MCP_OK;
    if (!harness_connect(w)) return;
    for (size_t i = 0; i < t->count && !status && !each; i++) {
        const harness_bytes *text = &t->steps[i].text;
        if (i != step) { status = harness_feed(w, &t->steps[i]); continue; }
        status = feed(w, text->at, cut);
        if (!status) status = feed(w, text->at + cut, text->n - cut);
    }
    for (size_t at = 0; each && at < all->n && !status; at += each)
        status = feed(w, all->at + at, all->n - at < each ? all->n - at : each);
    if (each && !status && t->ended) mcp_feed(w->conn, NULL, 0);
}

static bool same(harness_world *w, const harness_transcript *t, const harness_bytes *out,
                 const harness_bytes *spans, const char *how, size_t line, size_t at) {
    bool ok = w->conn && harness_same(&w->out, out) && harness_same(&w->spans, spans);
    if (!ok) {
        test__bad++;
        printf("%s:%lu: %s (byte %lu) gives other output:\n%.*s\n", t->file, (unsigned long)line,
               how, (unsigned long)at, (int)w->out.n, w->out.at ? w->out.at : "");
    }
    mcp_conn_free(w->conn);
    w->conn = NULL;
    return ok;
}

static void chop(const harness_transcript *t, const mcp_server_desc *desc) {
    harness_world w;
    harness_bytes out = { NULL, 0, 0 }, spans = { NULL, 0, 0 }, all = { NULL, 0, 0 };
    if (!t->chop) { test__skipped++; return; }
    size_t stride = t->fed / cuts_at_most + 1;
    if (!harness_begin(&w, t, desc)) return;
    harness_play(&w, t);
    harness_add(&out, w.out.at, w.out.n);
    harness_add(&spans, w.spans.at, w.spans.n);
    mcp_conn_free(w.conn);
    bool ok = true;
    for (size_t i = 0; i < t->count && ok; i++) {
        const harness_step *x = &t->steps[i];
        if (x->kind != HARNESS_FEED && x->kind != HARNESS_INIT) continue;
        harness_add(&all, x->text.at, x->text.n);
        for (size_t cut = 1; cut < x->text.n && ok; cut += stride) {
            play(&w, t, i, cut, NULL, 0);
            ok = same(&w, t, &out, &spans, "cut in two", (size_t)x->line, cut);
        }
    }
    static const struct { const char *how; size_t bytes; } pieces[] = {
        { "one byte a piece", 1 }, { "seven bytes a piece", 7 }, { "one piece", SIZE_MAX } };
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces && ok && !t->polls; i++) {
        play(&w, t, 0, 0, &all, pieces[i].bytes);
        ok = same(&w, t, &out, &spans, pieces[i].how, 1, 0);
    }
    if (!harness_close(&w)) test__check(false, t->file, 1, w.mem.wrong);
    free(out.at);
    free(spans.at);
    free(all.at);
    harness_world_free(&w);
}

int main(int argc, char **argv) {
    int first = argc > 1 && argv[1][0] == '-' ? 2 : 1;
    if (first == 2) cuts_at_most = (size_t)strtoul(argv[1] + 1, NULL, 10);
    harness_each(argc, argv, first, chop);
    return DONE();
}
