/* memory.c - buffers and arenas: what fits, what does not, what is kept, what goes back */
#define MCP_IMPLEMENTATION
#include "unit.h"

static harness_mem mem;
static mcp__mem hook;

static const mcp__mem *memory(void) {
    memset(&mem, 0, sizeof mem);
    mem.dirty = true;
    hook.hook.func = harness_alloc;
    hook.hook.user = &mem;
    return &hook;
}

/* All of it came back, and the hook was told the truth about sizes. */
static void returned(void) {
    CHECK_INT(mem.live, 0);
    CHECK_STR(mem.wrong, (const char *)NULL);
}

/* ---- buffers ---- */

TEST(buffer_grows) { /* by doubling, from 256 on, so that n bytes cost n moves */
    mcp__buf b;
    mcp__buf_init(&b, memory());
    CHECK(mcp__buf_add(&b, "a", 1));
    CHECK_INT(b.cap, 256);
    for (int i = 1; i < 100000; i++) mcp__buf_add(&b, "a", 1);
    CHECK_INT(b.len, 100000);
    CHECK(mem.calls < 12);
    CHECK(b.ptr[0] == 'a' && b.ptr[99999] == 'a');
    mcp__buf_free(&b);
    CHECK(!b.ptr && !b.len && !b.cap);
    mcp__buf_free(&b); /* twice is fine */
    returned();
}

TEST(buffer_adds_nothing) { /* no bytes need no room, and no pointer */
    mcp__buf b;
    mcp__buf_init(&b, memory());
    CHECK(mcp__buf_add(&b, NULL, 0));
    CHECK(!b.ptr && !mem.calls);
    mcp__buf_free(&b);
    returned();
}

TEST(buffer_limit) { /* max bytes fit, one more does not, and the error sticks until the reset */
    mcp__buf b;
    char text[100];
    memset(text, 'x', sizeof text);
    mcp__buf_init(&b, memory());
    b.max = sizeof text;
    CHECK(mcp__buf_add(&b, text, sizeof text));
    CHECK_INT(b.cap, sizeof text); /* the smallest size gives way to the limit */
    CHECK(mcp__buf_add(&b, NULL, 0));
    CHECK(!mcp__buf_add(&b, "y", 1));
    CHECK_INT(b.status, MCP_LIMIT);
    CHECK_INT(b.len, sizeof text);
    CHECK(!mcp__buf_reserve(&b, 0));
    mcp__buf_reset(&b, sizeof text);
    CHECK(b.status == MCP_OK && !b.len && b.cap == sizeof text);
    CHECK(mcp__buf_add(&b, "y", 1));
    mcp__buf_free(&b);
    returned();
}

TEST(buffer_overflow) { /* sizes whose sum wraps are a limit, and the hook is not asked */
    static const size_t giants[] = { SIZE_MAX, SIZE_MAX - 1, SIZE_MAX / 2 + 1, SIZE_MAX / 2 };
    mcp__buf b;
    mcp__buf_init(&b, memory());
    mcp__buf_add(&b, "abc", 3);
    size_t calls = mem.calls;
    for (size_t i = 0; i < sizeof giants / sizeof *giants; i++) {
        b.status = MCP_OK;
        CHECK(!mcp__buf_reserve(&b, giants[i]));
        CHECK_INT(b.status, MCP_LIMIT);
    }
    CHECK_INT(mem.calls, calls);
    CHECK(b.len == 3 && !memcmp(b.ptr, "abc", 3));
    mcp__buf_free(&b);
    returned();
}

TEST(buffer_without_memory) { /* nothing is committed: what was there still is */
    mcp__buf b;
    mcp__buf_init(&b, memory());
    mcp__buf_add(&b, "abc", 3);
    mem.fail_at = mem.calls + 1;
    char *was = b.ptr;
    CHECK(!mcp__buf_reserve(&b, 1000));
    CHECK(b.status == MCP_NOMEM && b.ptr == was && b.len == 3 && b.cap == 256);
    CHECK(!mcp__buf_add(&b, "d", 1)); /* it sticks, even for what would fit */
    mcp__buf_reset(&b, 256);
    CHECK(mcp__buf_add(&b, "abcd", 4) && b.len == 4);
    mcp__buf_free(&b);
    returned();
}

TEST(buffer_forgets_giants) {
    mcp__buf b;
    mcp__buf_init(&b, memory());
    mcp__buf_reserve(&b, 1000);
    mcp__buf_reset(&b, 1000);
    CHECK_INT(b.cap, 1000); /* the limit itself is kept */
    mcp__buf_reserve(&b, 1001);
    mcp__buf_reset(&b, 1000);
    CHECK(!b.cap && !b.ptr);
    mcp__buf_free(&b);
    returned();
}

TEST(buffer_is_a_message) { /* 64 zeros behind it, whatever stood there */
    static const char zeros[MCP__PAD] = { 0 };
    mcp__buf b;
    mcp__buf_init(&b, memory());
    mcp__buf_add(&b, "{}", 2);
    const char *json = mcp__buf_json(&b);
    CHECK(json == b.ptr && b.len == 2);
    CHECK_MEM(json + 2, MCP__PAD, zeros, MCP__PAD);
    mem.fail_at = mem.calls + 1;
    b.len = b.cap - MCP__PAD + 1;
    CHECK(!mcp__buf_json(&b));
    mcp__buf_free(&b);
    returned();
}

/* ---- arenas ---- */

TEST(arena_aligns) { /* as malloc does: for two pointers, for any type of the language */
    mcp__arena a;
    mcp__arena_init(&a, memory());
    for (size_t n = 0; n < 200; n++) {
        void *p = mcp__arena_alloc(&a, n);
        if (!CHECK((uintptr_t)p % (2 * sizeof(void *)) == 0)) break;
    }
    mcp__arena_reset(&a, 0);
    returned();
}

TEST(arena_zeroes) { /* also what it hands out a second time */
    static const char zeros[4000] = { 0 };
    mcp__arena a;
    mcp__arena_init(&a, memory());
    for (int round = 0; round < 2; round++) {
        for (size_t n = 1; n <= sizeof zeros; n = 3 * n + 1) {
            char *p = (char *)mcp__arena_alloc(&a, n);
            CHECK_MEM(p, n, zeros, n);
            memset(p, 0xEE, n);
        }
        mcp__arena_reset(&a, MCP__ARENA_KEEP);
    }
    mcp__arena_reset(&a, 0);
    returned();
}

TEST(arena_gives_distinct_pieces) { /* nothing is also something, and nothing overlaps */
    mcp__arena a;
    mcp__arena_init(&a, memory());
    char *p = (char *)mcp__arena_alloc(&a, 0), *q = (char *)mcp__arena_alloc(&a, 0);
    CHECK(p && q && p != q);
    unsigned char *pieces[300];
    for (size_t i = 0; i < 300; i++) {
        pieces[i] = (unsigned char *)mcp__arena_raw(&a, i + 1);
        memset(pieces[i], (int)(i & 0xFF), i + 1);
    }
    for (size_t i = 0; i < 300; i++)
        CHECK(pieces[i][0] == (i & 0xFF) && pieces[i][i] == (i & 0xFF));
    mcp__arena_reset(&a, 0);
    returned();
}

TEST(arena_overflow) { /* sizes near SIZE_MAX are refused before anybody adds to them */
    static const size_t giants[] = { SIZE_MAX, SIZE_MAX - 7, SIZE_MAX - 23, SIZE_MAX / 2,
                                     SIZE_MAX / 4 + 1 };
    mcp__arena a;
    mcp__arena_init(&a, memory());
    CHECK(mcp__arena_alloc(&a, 8) != NULL);
    size_t calls = mem.calls;
    for (size_t i = 0; i < sizeof giants / sizeof *giants; i++) {
        CHECK(!mcp__arena_raw(&a, giants[i]));
        CHECK(!mcp__arena_alloc(&a, giants[i]));
        CHECK(!mcp__arena_copy(&a, "", giants[i]));
        CHECK(!mcp__arena_json(&a, "", giants[i]));
        CHECK(!mcp__arena_array(&a, giants[i], 2));
        CHECK(!mcp__arena_array(&a, 3, giants[i]));
    }
    CHECK_INT(mem.calls, calls);
    CHECK(mcp__arena_alloc(&a, 8) != NULL); /* it is as good as before */
    mcp__arena_reset(&a, 0);
    returned();
}

TEST(arena_reuses) { /* the same life once more costs no allocation, whatever its sizes */
    static const size_t sizes[] = { 10, 5000, 1, 4000, 80, 9000, 4072, 4073, 8, 20000 };
    mcp__arena a;
    size_t calls = 0;
    mcp__arena_init(&a, memory());
    for (int life = 0; life < 5; life++) {
        if (life == 1) calls = mem.calls;
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            CHECK(mcp__arena_raw(&a, sizes[i]) != NULL);
        mcp__arena_reset(&a, MCP__ARENA_KEEP);
    }
    CHECK_INT(mem.calls, calls);
    mcp__arena_reset(&a, 0);
    returned();
}

TEST(arena_settles) { /* lives of different shapes take turns: after a while nothing is asked for */
    static const size_t lives[][4] = { { 10, 6000, 10, 0 }, { 6000, 10, 0, 0 },
        { 3000, 3000, 3000, 0 },
                                       { 12000, 1, 4000, 4000 } };
    mcp__arena a;
    size_t calls = 0;
    mcp__arena_init(&a, memory());
    for (int life = 0; life < 100; life++) {
        if (life == 20) calls = mem.calls;
        for (int i = 0; i < 4; i++) CHECK(mcp__arena_raw(&a, lives[life % 4][i]) != NULL);
        mcp__arena_reset(&a, MCP__ARENA_KEEP);
    }
    CHECK_INT(mem.calls, calls);
    CHECK(mem.live < 2 * MCP__ARENA_KEEP);
    mcp__arena_reset(&a, 0);
    returned();
}

TEST(arena_forgets_giants) {
    mcp__arena a;
    mcp__arena_init(&a, memory());
    mcp__arena_raw(&a, 100);
    mcp__arena_raw(&a, 1000000);
    mcp__arena_raw(&a, 100);
    mcp__arena_reset(&a, MCP__ARENA_KEEP);
    CHECK(mem.live < MCP__ARENA_KEEP + 1000);
    CHECK(mem.live > 0);
    CHECK(mcp__arena_raw(&a, 100) != NULL);
    mcp__arena_reset(&a, 0);
    CHECK_INT(mem.live, 0);
    CHECK(mcp__arena_raw(&a, 100) != NULL); /* and lives on */
    mcp__arena_reset(&a, 0);
    returned();
}

TEST(arena_keeps_so_much) { /* many small chunks count together */
    mcp__arena a;
    mcp__arena_init(&a, memory());
    for (int i = 0; i < 1000; i++) mcp__arena_raw(&a, 4000);
    mcp__arena_reset(&a, MCP__ARENA_KEEP);
    CHECK(mem.live < MCP__ARENA_KEEP + 4096);
    mcp__arena_reset(&a, 0);
    returned();
}

TEST(arena_without_memory) { /* a failure leaves it as it was: smaller pieces still fit */
    mcp__arena a;
    mcp__arena_init(&a, memory());
    mem.fail_at = 1;
    CHECK(!mcp__arena_raw(&a, 1));
    CHECK(mcp__arena_raw(&a, 1) != NULL);
    mem.fail_at = mem.calls + 1;
    CHECK(!mcp__arena_raw(&a, 100000));
    CHECK(mcp__arena_raw(&a, 1) != NULL);
    CHECK(!a.at->next || a.at->next->cap);
    mcp__arena_reset(&a, 0);
    returned();
}

TEST(arena_copies) {
    mcp__arena a;
    mcp__arena_init(&a, memory());
    CHECK_MEM(mcp__arena_copy(&a, "a\0b", 3), 4, "a\0b", 4);
    CHECK_STR(mcp__arena_copy(&a, NULL, 0), "");
    char zeros[MCP__PAD + MCP__PAD_BEFORE] = { 0 };
    const char *json = mcp__arena_json(&a, "[1]", 3);
    CHECK_MEM(json, 3, "[1]", 3);
    CHECK_MEM(json + 3, MCP__PAD, zeros, MCP__PAD);
    CHECK_MEM(json - MCP__PAD_BEFORE, MCP__PAD_BEFORE, zeros, MCP__PAD_BEFORE);
    CHECK(mcp__arena_json(&a, NULL, 0) != NULL);
    mcp__arena_reset(&a, 0);
    returned();
}

TEST(without_a_hook) { /* the C library's memory */
    static const mcp__mem none = { { NULL, NULL } };
    void *p = mcp__realloc(&none, NULL, 0, 10);
    CHECK(p != NULL);
    p = mcp__realloc(&none, p, 10, 1000);
    CHECK(p != NULL);
    CHECK(!mcp__realloc(&none, p, 1000, 0));
    CHECK(!mcp__realloc(&none, NULL, 0, 0)); /* nobody is asked to free nothing */
}

TEST(slices) {
    static const struct { mcp__str a, b; bool same; } rows[] = {
        { { "", 0 }, { NULL, 0 }, true }, { { "a", 1 }, { "a", 1 }, true },
        { { "a", 1 }, { "b", 1 }, false }, { { "a", 1 }, { "ab", 2 }, false },
        { { "a\0b", 3 }, { "a\0b", 3 }, true }, { { "a\0b", 3 }, { "a\0c", 3 }, false } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK(mcp__str_same(rows[i].a, rows[i].b) == rows[i].same);
    CHECK_INT(mcp__str_of(NULL).n, 0);
    CHECK_STR(mcp__str_of(NULL).s, "");
}

int main(void) {
    RUN(buffer_grows);
    RUN(buffer_adds_nothing);
    RUN(buffer_limit);
    RUN(buffer_overflow);
    RUN(buffer_without_memory);
    RUN(buffer_forgets_giants);
    RUN(buffer_is_a_message);
    RUN(arena_aligns);
    RUN(arena_zeroes);
    RUN(arena_gives_distinct_pieces);
    RUN(arena_overflow);
    RUN(arena_reuses);
    RUN(arena_settles);
    RUN(arena_forgets_giants);
    RUN(arena_keeps_so_much);
    RUN(arena_without_memory);
    RUN(arena_copies);
    RUN(without_a_hook);
    RUN(slices);
    return DONE();
}
