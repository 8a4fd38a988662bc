/* io.c - any write may fail

       io FILE...     each transcript with write n failing, n = 1, 2 ... until none fails; and with
                      the write failing that reaches byte n

   mcp_feed says so at once, nothing more is written to a stream that is broken, nothing leaks, and
   the server goes on with its next peer. */
#include "harness.h"

static void complain(const harness_transcript *t, const char *what, size_t n, bool bytes) {
    test__bad++;
    printf("%s: %s %lu failing: %s\n", t->file, bytes ? "byte" : "write", (unsigned long)n, what);
}

/* The next peer, to whom nothing of the last one's is left: its timers and its tasks are over. */
static bool another(harness_world *w) {
    for (int hours = 0; hours < 3; hours++) {
        w->now += INT64_C(3600) * 1000000000;
        mcp_poll(w->server);
    }
    return harness_connect(w);
}

/* Plays into a connection whose hook fails; false: nothing was left to fail, the sweep is over. */
static bool once(harness_world *w, const harness_transcript *t, size_t n, bool bytes,
                 const harness_bytes *want) {
    int status = MCP_OK;
    bool failed = false;
    w->write_fail_at = bytes ? 0 : n;
    w->byte_fail_at = bytes ? n : 0;
    if (!another(w)) { complain(t, "no connection", n, bytes); return false; }
    for (size_t i = 0; i < t->count && !status; i++) {
        status = harness_feed(w, &t->steps[i]);
        failed = w->write_failed;
        if (failed && !status && t->steps[i].kind != HARNESS_POLL)
            complain(t, "mcp_feed returned MCP_OK", n, bytes);
        if (failed) break;
    }
    if (failed && mcp_feed(w->conn, "\n", 1) == MCP_OK)
        complain(t, "the next mcp_feed returned MCP_OK", n, bytes);
    if (w->wrote_after) complain(t, "something was written afterwards", n, bytes);
    if (w->out.n > want->n || (w->out.n && memcmp(w->out.at, want->at, w->out.n)))
        complain(t, "what was written before differs", n, bytes);
    mcp_conn_free(w->conn);
    w->conn = NULL;
    return failed;
}

static void io(const harness_transcript *t, const mcp_server_desc *desc) {
    harness_world w;
    harness_bytes want = { NULL, 0, 0 };
    if (!harness_begin(&w, t, desc)) return;
    harness_play(&w, t);
    harness_add(&want, w.out.at, w.out.n);
    mcp_conn_free(w.conn);
    w.conn = NULL;
    for (size_t n = 1; once(&w, t, n, false, &want) && test__bad < 4; n++) {}
    size_t stride = want.n / 100 + 1;
    for (size_t n = 1; once(&w, t, n, true, &want) && test__bad < 4; n += stride) {}
    w.write_fail_at = w.byte_fail_at = 0;
    if (!another(&w) || (harness_play(&w, t), !harness_same(&w.out, &want)))
        complain(t, "the server's next peer gets other output", 0, false);
    if (!harness_close(&w)) test__check(false, t->file, 1, w.mem.wrong);
    free(want.at);
    harness_world_free(&w);
}

int main(int argc, char **argv) {
    harness_each(argc, argv, 1, io);
    return DONE();
}
