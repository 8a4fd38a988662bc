/* guard.c - nothing outside the input is read, nothing is taken for zero that is not

       guard FILE...     each transcript with memory that is never zero; and with pieces that end
                         against an unreadable page, or begin behind one: so does the pull reader's
                         input, in pieces of every size up to 48

   Without mmap the pages are not built, and counted as skipped. */
#if !defined _WIN32
#define _DEFAULT_SOURCE
#define _DARWIN_C_SOURCE
#endif
#include "harness.h"

#ifndef _WIN32
#include <sys/mman.h>
#include <unistd.h>

#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS MAP_ANON
#endif

/* [guard][room, a multiple of the page][guard] */
typedef struct pages { char *map, *room; size_t size, page; } pages;

static pages pages_new(size_t n) {
    pages p;
    p.page = (size_t)sysconf(_SC_PAGESIZE);
    p.size = (n / p.page + 1) * p.page;
    p.map = (char *)mmap(NULL, p.size + 2 * p.page, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p.map == (char *)MAP_FAILED) harness_die("guard", 0, "no memory to map");
    p.room = p.map + p.page;
    if (mprotect(p.map, p.page, PROT_NONE) || mprotect(p.room + p.size, p.page, PROT_NONE))
        harness_die("guard", 0, "pages cannot be protected");
    return p;
}

static char *pages_put(const pages *p, const char *s, size_t n, bool at_end) {
    char *to = p->room + (at_end ? p->size - n : 0);
    if (n) memcpy(to, s, n);
    return to;
}

/* What the pull reader makes of s: its events and texts, as bytes to compare. */
static void read_all(harness_bytes *out, const pages *p, const char *s, size_t n, size_t each,
                     bool at_end) {
    mcp_reader r;
    char scratch[64];
    int event;
    size_t at = 0;
    mcp_reader_init(&r, scratch, sizeof scratch);
    do {
        event = mcp_read(&r);
        if (event == MCP_READ_MORE) {
            size_t piece = n - at < each ? n - at : each;
            const char *from = p ? pages_put(p, s + at, piece, at_end) : s + at;
            mcp_reader_feed(&r, piece ? from : NULL, piece);
            at += piece;
            continue;
        }
        char kind = (char)('A' + event);
        if (event == MCP_READ_KEY || event == MCP_READ_STR || event == MCP_READ_NUM)
            harness_add(out, r.text, r.size);
        if (!r.partial) harness_add(out, &kind, 1);
    } while (event > MCP_READ_DONE);
}

static void guard_reader(const harness_transcript *t, const pages *p, const harness_step *x) {
    harness_bytes want = { NULL, 0, 0 }, got = { NULL, 0, 0 };
    read_all(&want, NULL, x->text.at, x->text.n, SIZE_MAX, false);
    for (size_t each = 1; each <= 48 && x->text.n < 4096; each++)
        for (int at_end = 0; at_end < 2; at_end++) {
            got.n = 0;
            read_all(&got, p, x->text.at, x->text.n, each, at_end);
            if (!test__check(harness_same(&want, &got), t->file, x->line, "reader in pieces"))
                break;
        }
    free(want.at);
    free(got.at);
}

/* Each piece in a mapping of its own, at its end and at its beginning. */
static void guard_pages(const harness_transcript *t, const mcp_server_desc *desc) {
    harness_bytes want = { NULL, 0, 0 };
    for (int round = 0; round < 3; round++) { /* the first is the measure */
        harness_world w;
        int status = MCP_OK;
        if (!harness_begin(&w, t, desc)) break;
        for (size_t i = 0; i < t->count && !status; i++) {
            harness_step x = t->steps[i];
            pages p = pages_new(x.text.n);
            if (x.kind == HARNESS_FEED && round == 1) guard_reader(t, &p, &x);
            if (round) x.text.at = pages_put(&p, x.text.at, x.text.n, round == 1);
            status = harness_feed(&w, &x);
            munmap(p.map, p.size + 2 * p.page);
        }
        if (!round) harness_add(&want, w.out.at, w.out.n);
        test__check(harness_same(&w.out, &want), t->file, 1, "same output beside guard pages");
        harness_close(&w);
        harness_world_free(&w);
    }
    free(want.at);
}
#endif

static void guard_memory(const harness_transcript *t, const mcp_server_desc *desc) {
    harness_bytes want = { NULL, 0, 0 };
    for (int dirty = 0; dirty < 2; dirty++) {
        harness_world w;
        harness_world_init(&w, t, desc);
        w.mem.dirty = dirty;
        if (harness_open(&w)) harness_play(&w, t);
        else test__check(false, t->file, 1, w.log);
        if (!dirty) harness_add(&want, w.out.at, w.out.n);
        test__check(harness_same(&w.out, &want), t->file, 1, "same output with dirty memory");
        if (!harness_close(&w)) test__check(false, t->file, 1, w.mem.wrong);
        harness_world_free(&w);
    }
    free(want.at);
}

int main(int argc, char **argv) {
    harness_each(argc, argv, 1, guard_memory);
#ifdef _WIN32
    SKIP(guard_pages, "no mmap");
#else
    harness_each(argc, argv, 1, guard_pages);
#endif
    return DONE();
}
