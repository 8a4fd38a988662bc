/* trace.c - spans, W3C trace context, and what the ready-made hooks print */
#define MCP_IMPLEMENTATION
#define MCP_TOOLS_ONLY /* and so on: the layers above compile slowly and are not looked at */
#define MCP_NO_CLIENT
#define MCP_NO_HTTP
#include "mcp.h"

#include "test.h"

#include <stdlib.h>

/* ---- a call's trace with hooks that count, and a sink that remembers ---- */

enum { MOST = 16 };

static struct {
    mcp__mem mem;
    mcp__arena arena;
    mcp__trace trace;
    int64_t now, step;              /* the clock, and how far each reading moves it */
    unsigned char next;             /* the random byte to come; zeros: always 0 */
    bool zeros, random_fails, no_memory;
    int clocks, randoms, allocations, count;
    const mcp_span *done[MOST];     /* in the order in which they ended */
} world;

static void *allocate(void *user, void *p, size_t was, size_t size) {
    (void)user, (void)was;
    if (size == 0) {
        free(p);
        return NULL;
    }
    world.allocations++;
    return world.no_memory ? NULL : realloc(p, size);
}

static int64_t read_clock(void *user) {
    (void)user;
    world.clocks++;
    return world.now += world.step;
}

static int read_random(void *user, void *bytes, size_t n) {
    (void)user;
    world.randoms++;
    for (size_t i = 0; i < n; i++) {
        ((unsigned char *)bytes)[i] = world.zeros ? 0 : world.next++;
    }
    return world.random_fails ? MCP_IO : MCP_OK;
}

static void remember(void *user, const mcp_span *span) {
    (void)user;
    if (world.count < MOST) world.done[world.count++] = span;
}

static const mcp_trace_hook remembers = { remember, NULL };
static const mcp_clock_hook ticks = { read_clock, NULL };
static const mcp_random_hook counts_up = { read_random, NULL };

static mcp__trace *begin(void) {
    memset(&world, 0, sizeof world);
    world.step = 1000000;
    world.next = 1;
    world.mem.hook.func = allocate;
    mcp__arena_init(&world.arena, &world.mem);
    world.trace.sink = &remembers;
    world.trace.clock = &ticks;
    world.trace.random = &counts_up;
    world.trace.arena = &world.arena;
    world.trace.service = "test";
    return &world.trace;
}

static void end(void) { mcp__arena_reset(&world.arena, 0); }

/* From now on the arena has so many bytes, and gets no more. */
static void leave(size_t bytes) {
    mcp__arena *a = &world.arena;
    if (!a->at) mcp__arena_raw(a, 8);
    size_t left = a->at->cap - a->used;
    if (left > bytes) mcp__arena_raw(a, left - bytes);
    world.no_memory = true;
}

static mcp__str str(const char *s) {
    mcp__str v = { s, s ? strlen(s) : 0 };
    return v;
}

static void start(mcp__trace *t, const char *parent, const char *state, const char *ambient) {
    mcp__trace_start(t, "tools/call", str(parent), str(state), ambient);
}

static void attr(mcp__trace *t, const char *key, const char *value) {
    mcp__trace_attr(t, key, value, strlen(value));
}

static const char *value_of(const mcp_span *span, const char *key) {
    for (const mcp_attr *a = span->attrs; a->key; a++) {
        if (strcmp(a->key, key) == 0) return a->value;
    }
    return NULL;
}

static size_t attrs_of(const mcp_span *span) {
    size_t n = 0;
    while (span->attrs[n].key) n++;
    return n;
}

static char filled[40000]; /* repeat() writes here */
static const char *repeat(const char *what, size_t times) {
    size_t n = strlen(what);
    for (size_t i = 0; i < times; i++) memcpy(filled + i * n, what, n);
    filled[times * n] = '\0';
    return filled;
}

#define TRACE "12345678901234567890123456789012"
#define SPAN "1234567890123456"
#define GOOD "00-" TRACE "-" SPAN "-01"

/* ---- traceparent ---- */

typedef struct vector { bool valid; unsigned flags; const char *text; } vector;

/* The W3C suite's, and A-68's shapes. */
static const vector parents[] = {
    { true, 1, GOOD },
    { true, 0, "00-" TRACE "-" SPAN "-00" },
    { true, 2, "00-" TRACE "-" SPAN "-02" },
    { true, 3, "00-" TRACE "-" SPAN "-ff" },     /* unknown flags are not passed on */
    { true, 0, "00-" TRACE "-" SPAN "-fc" },
    { true, 2, "00-" TRACE "-" SPAN "-0a" },
    { true, 1, "00-abcdef78901234567890123456789012-abcdef6789012345-01" },
    { true, 1, "00-00000000000000000000000000000001-0000000000000001-01" },
    { true, 1, "cc-" TRACE "-" SPAN "-01" },     /* a version to come */
    { true, 1, "cc-" TRACE "-" SPAN "-01-what-the-future-will-be-like" },
    { true, 1, "cc-" TRACE "-" SPAN "-01-" },
    { true, 1, "01-" TRACE "-" SPAN "-01" },
    { true, 1, "fe-" TRACE "-" SPAN "-01" },
    { true, 1, " \t" GOOD "\t " },
    { false, 0, "cc-" TRACE "-" SPAN "-01.what-the-future-will-be-like" },
    { false, 0, "cc-" TRACE "-" SPAN "-010" },   /*          ^ */
    { false, 0, GOOD "-what" },
    { false, 0, GOOD "-" },
    { false, 0, GOOD "." },
    { false, 0, GOOD "0" },                      /* 56 characters */
    { false, 0, "00-" TRACE "-" SPAN "-0" },     /* 54 */
    { false, 0, "00-" TRACE "-" SPAN "-" },
    { false, 0, "00-" TRACE "-" SPAN },
    { false, 0, "ff-" TRACE "-" SPAN "-01" },
    { false, 0, "00-00000000000000000000000000000000-" SPAN "-01" },
    { false, 0, "00-" TRACE "-0000000000000000-01" },
    { false, 0, "0-" TRACE "-" SPAN "-01" },
    { false, 0, "000-" TRACE "-" SPAN "-01" },
    { false, 0, "0000-" TRACE "-" SPAN "-01" },
    { false, 0, ".0-" TRACE "-" SPAN "-01" },
    { false, 0, "0.-" TRACE "-" SPAN "-01" },
    { false, 0, "0G-" TRACE "-" SPAN "-01" },
    { false, 0, "CC-" TRACE "-" SPAN "-01" },
    { false, 0, "00-1234567890123456789012345678901-" SPAN "-01" },
    { false, 0, "00-123456789012345678901234567890123-" SPAN "-01" },
    { false, 0, "00-.2345678901234567890123456789012-" SPAN "-01" },
    { false, 0, "00-1234567890123456789012345678901.-" SPAN "-01" },
    { false, 0, "00-ABCDEF78901234567890123456789012-" SPAN "-01" },
    { false, 0, "00-" TRACE "-123456789012345-01" },
    { false, 0, "00-" TRACE "-12345678901234567-01" },
    { false, 0, "00-" TRACE "-.234567890123456-01" },
    { false, 0, "00-" TRACE "-123456789012345.-01" },
    { false, 0, "00-" TRACE "-ABCDEF6789012345-01" },
    { false, 0, "00-" TRACE "-" SPAN "-1" },
    { false, 0, "00-" TRACE "-" SPAN "-001" },
    { false, 0, "00-" TRACE "-" SPAN "-.0" },
    { false, 0, "00-" TRACE "-" SPAN "-0." },
    { false, 0, "00-" TRACE "-" SPAN "-0F" },
    { false, 0, "00-" TRACE "-" SPAN "-zz" },
    { false, 0, "00" TRACE "-" SPAN "-01" },     /* a dash is missing */
    { false, 0, "00-" TRACE SPAN "-01" },
    { false, 0, "00-" TRACE "-" SPAN "01" },
    { false, 0, "00_" TRACE "_" SPAN "_01" },
    { false, 0, "00-" TRACE "- " SPAN "-01" },
    { false, 0, "\n" GOOD },
    { false, 0, GOOD "\xC2\xA0" },
    { false, 0, GOOD ", " GOOD },                /* two headers, joined */
    { false, 0, "" }, { false, 0, " " }, { false, 0, "00" }, { false, 0, "00-" } };

enum { PARENTS = sizeof parents / sizeof parents[0] };

TEST(traceparent) {
    for (size_t i = 0; i < PARENTS; i++) {
        const vector *v = &parents[i];
        mcp__context c;
        bool valid = mcp__traceparent_parse(v->text, strlen(v->text), &c);
        if (!CHECK(valid == v->valid)) printf("    %s\n", v->text);
        if (valid) CHECK_INT(c.text[54] - '0', v->flags);
    }
    mcp__context c;
    CHECK(!mcp__traceparent_parse(NULL, 0, &c));
    CHECK(!mcp__traceparent_parse(GOOD, 54, &c));                       /* the length counts */
    CHECK(!mcp__traceparent_parse("00-" TRACE "-" SPAN "-0\0", 55, &c)); /* a NUL is no digit */
    CHECK(!mcp__traceparent_parse("00-\0" TRACE "-" SPAN "-0", 55, &c));
}

/* Each bad one changes nothing but the parent: a new trace, and nothing of its tracestate. */
TEST(bad_parents_are_ignored) {
    for (size_t i = 0; i < PARENTS; i++) {
        if (parents[i].valid) continue;
        mcp__trace *t = begin();
        start(t, parents[i].text, "foo=1", NULL);
        mcp__trace_end(t, MCP_OK);
        CHECK_INT(world.count, 1);
        CHECK_STR(world.done[0]->trace_id, "0102030405060708090a0b0c0d0e0f10");
        CHECK_STR(world.done[0]->span_id, "1112131415161718");
        CHECK_STR(world.done[0]->parent_id, "");
        CHECK_STR(world.done[0]->tracestate, "");
        CHECK_INT(world.done[0]->flags, 1);
        end();
    }
}

TEST(ambient_parent) {
    static const struct { const char *parent, *ambient, *trace_id, *tracestate; } rows[] = {
        { NULL, GOOD, TRACE, "" },
        { "", GOOD, TRACE, "" },
        { "00-bad", GOOD, TRACE, "" },
        { GOOD, "00-99999999999999999999999999999999-" SPAN "-00", TRACE, "foo=1" },
        { GOOD, "bad", TRACE, "foo=1" },
        { NULL, "bad", "0102030405060708090a0b0c0d0e0f10", "" },
        { NULL, "", "0102030405060708090a0b0c0d0e0f10", "" } };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        mcp__trace *t = begin();
        start(t, rows[i].parent, "foo=1", rows[i].ambient);
        const mcp_span *span = mcp__trace_current(t);
        CHECK_STR(span->trace_id, rows[i].trace_id);
        CHECK_STR(span->tracestate, rows[i].tracestate);
        mcp__trace_end(t, MCP_OK);
        end();
    }
}

/* The trace goes on: same trace id and flags, our span id, version 00 whatever came. */
TEST(outgoing_traceparent) {
    mcp__trace *t = begin();
    start(t, "cc-" TRACE "-" SPAN "-fe-more", "a=1,b=2", NULL);
    CHECK_STR(mcp__trace_parent(t), "00-" TRACE "-0102030405060708-02");
    CHECK_STR(mcp__trace_current(t)->parent_id, SPAN);
    mcp__trace_push(t, "child");
    CHECK_STR(mcp__trace_parent(t), "00-" TRACE "-090a0b0c0d0e0f10-02");
    CHECK_STR(mcp__trace_current(t)->tracestate, "a=1,b=2");
    CHECK_INT(mcp__trace_current(t)->flags, 2);
    mcp__trace_pop(t, MCP_OK);
    CHECK_STR(mcp__trace_parent(t), "00-" TRACE "-0102030405060708-02");
    mcp__trace_end(t, MCP_OK);
    CHECK_STR(mcp__trace_parent(t), "");
    CHECK(!mcp__trace_current(t));
    end();
}

/* ---- tracestate ---- */

static bool state_valid(const char *s) { return mcp__tracestate_valid(s, strlen(s)); }

TEST(tracestate) {
    static const vector states[] = {
        { true, 0, "" }, { true, 0, "foo=1" }, { true, 0, "foo=1,bar=2" },
        { true, 0, "foo=1 \t , \t bar=2, \t baz=3" }, { true, 0, " foo=1" }, { true, 0, "foo=1 " },
        { true, 0, "foo=1,,bar=2" }, { true, 0, "foo=1,bar=2," }, { true, 0, ", ,\t," },
        { true, 0, "foo@=1,bar=2" }, { true, 0, "foo@@bar=1,bar=2" },
        { true, 0, "foo@bar@baz=1,bar=2" }, { true, 0, "0f-_*/@=1" }, { true, 0, "foo=1,foo=2" },
        { true, 0, "foo= leading" }, { true, 0, "foo=a b" },
        { true, 0, "foo= !\"#$%&'()*+-./0123456789:;<>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`"
                   "abcdefghijklmnopqrstuvwxyz{|}~" },
        { false, 0, "foo =1" }, { false, 0, "FOO=1" }, { false, 0, "foo.bar=1" },
        /*              ^                     ^                        ^       */
        { false, 0, "@foo=1,bar=2" }, { false, 0, "_foo=1" }, { false, 0, "foo=bar=baz" },
        { false, 0, "foo=,bar=3" }, { false, 0, "foo= ,bar=3" }, { false, 0, "foo" },
        { false, 0, "=1" }, { false, 0, "foo=1,bar" }, { false, 0, "foo=1;bar=2" "\x7F" },
        { false, 0, "foo=a\tb" }, { false, 0, "foo=\xC3\xA9" }, { false, 0, "f\xC3\xA9=1" } };
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++) {
        if (!CHECK(state_valid(states[i].text) == states[i].valid)) {
            printf("    %s\n", states[i].text);
        }
    }
    CHECK(!mcp__tracestate_valid("a\0=1", 4));
    CHECK(!mcp__tracestate_valid("a=\0", 3));
    CHECK(mcp__tracestate_valid(NULL, 0));
}

TEST(tracestate_lengths) {
    char text[700];
    static const struct { size_t key, value; bool valid; } rows[] = {
        { 256, 1, true }, { 257, 1, false }, { 1, 256, true }, { 1, 257, false },
        { 256, 256, true } };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        memset(text, 'z', sizeof text);
        text[rows[i].key] = '=';
        CHECK(mcp__tracestate_valid(text, rows[i].key + 1 + rows[i].value) == rows[i].valid);
    }
    CHECK(state_valid(strcat(strcpy(text, repeat("t", 241)), "@vvvvvvvvvvvvvv=1")));
    CHECK(state_valid(strcat(strcpy(text, repeat("t", 242)), "@v=1")));
    CHECK(state_valid("t@vvvvvvvvvvvvvvv=1"));
    CHECK(state_valid(repeat("a=1,", 32)));
    CHECK(!state_valid(repeat("a=1,", 33)));
    CHECK(state_valid(repeat(",", 1000)));
}

/* A bad tracestate goes alone: the parent stays. */
TEST(tracestate_is_dropped_alone) {
    static const struct { const char *state, *kept; } rows[] = {
        { " foo=1 , bar=2", " foo=1 , bar=2" }, { "FOO=1", "" }, { "", "" }, { NULL, "" } };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        mcp__trace *t = begin();
        start(t, GOOD, rows[i].state, NULL);
        CHECK_STR(mcp__trace_current(t)->trace_id, TRACE);
        CHECK_STR(mcp__trace_current(t)->parent_id, SPAN);
        CHECK_STR(mcp__trace_current(t)->tracestate, rows[i].kept);
        mcp__trace_end(t, MCP_OK);
        end();
    }
}

/* ---- spans ---- */

TEST(server_span) {
    mcp__trace *t = begin();
    start(t, GOOD, NULL, NULL);
    CHECK_INT(mcp__trace_current(t)->end_ns, 0);
    mcp__trace_target(t, "add");
    mcp__trace_root_attr(t, "mcp.method.name", "tools/callXXX", 10);
    mcp__trace_end(t, MCP_IO);
    CHECK_INT(world.count, 1);
    const mcp_span *span = world.done[0];
    CHECK_STR(span->name, "tools/call add");
    CHECK_STR(span->kind, "server");
    CHECK_STR(span->trace_id, TRACE);
    CHECK_STR(span->parent_id, SPAN);
    CHECK_STR(span->service, "test");
    CHECK_INT(span->start_ns, 1000000);
    CHECK_INT(span->end_ns, 2000000);
    CHECK_INT(span->status, MCP_IO);
    CHECK_INT(attrs_of(span), 1);
    CHECK_STR(value_of(span, "mcp.method.name"), "tools/call");
    end();
}

/* Children end first, and each knows the one around it. */
TEST(nesting) {
    mcp__trace *t = begin();
    char name[] = "outer", key[] = "key", value[] = "value";
    start(t, NULL, NULL, NULL);
    mcp__trace_push(t, name);
    attr(t, key, value);
    mcp__trace_push(t, "inner");
    attr(t, "depth", "2");
    memset(name, 'x', 5), memset(key, 'x', 3), memset(value, 'x', 5); /* all was copied */
    mcp__trace_root_attr(t, "depth", "0", 1);
    mcp__trace_pop(t, MCP_IO);
    attr(t, "depth", "1");
    mcp__trace_pop(t, MCP_OK);
    mcp__trace_push(t, "second");
    mcp__trace_pop(t, MCP_OK);
    mcp__trace_end(t, MCP_OK);

    static const char *const names[] = { "inner", "outer", "second", "tools/call" };
    static const char *const depths[] = { "2", "1", NULL, "0" };
    static const int parent[] = { 1, 3, 3, -1 };
    CHECK_INT(world.count, 4);
    for (int i = 0; i < 4; i++) {
        const mcp_span *span = world.done[i];
        CHECK_STR(span->name, names[i]);
        CHECK_STR(span->kind, i < 3 ? "internal" : "server");
        CHECK_STR(span->trace_id, world.done[3]->trace_id);
        CHECK_STR(span->parent_id, parent[i] < 0 ? "" : world.done[parent[i]]->span_id);
        CHECK_STR(value_of(span, "depth"), depths[i]);
        CHECK_INT(span->status, i == 0 ? MCP_IO : MCP_OK);
    }
    CHECK_STR(value_of(world.done[1], "key"), "value");
    end();
}

TEST(unbalanced) {
    mcp__trace *t = begin();
    start(t, NULL, NULL, NULL);
    mcp__trace_pop(t, MCP_IO); /* the server span is not the handler's */
    mcp__trace_pop(t, MCP_IO);
    CHECK_INT(world.count, 0);
    mcp__trace_push(t, "open");
    mcp__trace_push(t, "open too");
    mcp__trace_end(t, MCP_CANCELLED);
    CHECK_INT(world.count, 3);
    CHECK_STR(world.done[0]->name, "open too");
    CHECK_STR(world.done[2]->name, "tools/call");
    CHECK_INT(world.done[0]->status, MCP_CANCELLED);
    mcp__trace_push(t, "late"); /* all of it after the end, too */
    attr(t, "late", "1");
    mcp__trace_root_attr(t, "late", "1", 1);
    mcp__trace_target(t, "late");
    mcp__trace_pop(t, MCP_OK);
    mcp__trace_end(t, MCP_OK);
    CHECK_INT(world.count, 3);
    CHECK(!value_of(world.done[2], "late"));
    end();
}

TEST(attributes) {
    mcp__trace *t = begin();
    char key[] = "k000";
    start(t, NULL, NULL, NULL);
    for (int i = 0; i < 200; i++) {
        key[1] = (char)('0' + i / 100), key[2] = (char)('0' + i / 10 % 10);
        key[3] = (char)('0' + i % 10);
        attr(t, key, "old");
        attr(t, key, key); /* the last one counts */
        CHECK_INT(attrs_of(mcp__trace_current(t)), i < 128 ? i + 1 : 128);
    }
    attr(t, "k005", "new"); /* what is there can change at the limit, too */
    attr(t, "k127", "");
    mcp__trace_end(t, MCP_OK);
    CHECK_STR(value_of(world.done[0], "k004"), "k004");
    CHECK_STR(value_of(world.done[0], "k005"), "new");
    CHECK_STR(value_of(world.done[0], "k127"), "");
    CHECK(!value_of(world.done[0], "k128"));
    end();
}

TEST(clock_set_back) {
    mcp__trace *t = begin();
    world.now = 5000;
    world.step = -100;
    start(t, NULL, NULL, NULL);
    mcp__trace_end(t, MCP_OK);
    CHECK_INT(world.done[0]->start_ns, 4900);
    CHECK_INT(world.done[0]->end_ns, 4900);
    end();
}

TEST(random_bytes_that_are_no_id) {
    mcp__trace *t = begin();
    world.zeros = true;
    start(t, NULL, NULL, NULL);
    CHECK_STR(mcp__trace_parent(t), "00-00000000000000000000000000000001-0000000000000001-01");
    mcp__trace_end(t, MCP_OK);
    end();

    t = begin();
    world.random_fails = true;
    start(t, NULL, NULL, NULL);
    start(t, GOOD, NULL, NULL);
    mcp__trace_end(t, MCP_OK);
    CHECK_INT(world.count, 0);
    end();
}

/* ---- nobody traces, and no memory ---- */

static void everything(mcp__trace *t) {
    start(t, GOOD, "foo=1", GOOD);
    mcp__trace_target(t, "add");
    mcp__trace_root_attr(t, "mcp.method.name", "tools/call", 10);
    mcp__trace_push(t, "outer");
    attr(t, "n", "1");
    mcp__trace_push(t, "inner");
    for (char key[] = "a"; key[0] <= 'z'; key[0]++) attr(t, key, "x");
    mcp__trace_parent(t);
    mcp__trace_pop(t, MCP_OK);
    attr(t, "n", "2");
    mcp__trace_pop(t, MCP_OK);
    mcp__trace_end(t, MCP_OK);
}

TEST(nobody_traces) {
    static const mcp_trace_hook nobody = { NULL, NULL };
    for (int zeroed = 0; zeroed < 2; zeroed++) {
        mcp__trace *t = begin();
        t->sink = &nobody;
        if (zeroed) memset(t, 0, sizeof *t);
        everything(t);
        CHECK(!mcp__trace_current(t));
        CHECK_STR(mcp__trace_parent(t), "");
        CHECK_INT(world.clocks + world.randoms + world.allocations + world.count, 0);
        end();
    }
}

/* Wherever memory ends: what comes out is whole, in order, and less. */
TEST(no_memory) {
    static const char *const names[] = { "inner", "outer", "tools/call" };
    int last = 0;
    for (size_t bytes = 0; bytes <= 3840; bytes += 16) {
        mcp__trace *t = begin();
        leave(bytes);
        everything(t);
        CHECK(!t->top && world.count >= last && world.count <= 3);
        last = world.count;
        for (int i = 0; i < last; i++) {
            const mcp_span *span = world.done[i];
            CHECK(strncmp(span->name, names[3 - last + i], 5) == 0);
            CHECK_STR(span->parent_id, i + 1 < last ? world.done[i + 1]->span_id : SPAN);
            CHECK(strlen(span->trace_id) == 32 && strlen(span->span_id) == 16);
            CHECK(attrs_of(span) <= 26 && span->end_ns > span->start_ns);
        }
        if (bytes == 3840) CHECK_INT(attrs_of(world.done[0]), 26); /* that was enough */
        end();
    }
    CHECK_INT(last, 3);
}

/* A span that could not be recorded takes its attributes and its children along. */
TEST(dropped_spans_stay_balanced) {
    mcp__trace *t = begin();
    start(t, NULL, NULL, NULL);
    mcp__trace_push(t, "kept");
    leave(0);
    mcp__trace_push(t, "dropped");
    world.no_memory = false; /* too late */
    attr(t, "lost", "1");
    mcp__trace_push(t, "dropped too");
    CHECK_STR(mcp__trace_current(t)->name, "kept");
    mcp__trace_pop(t, MCP_IO);
    mcp__trace_pop(t, MCP_IO);
    CHECK_INT(world.count, 0);
    attr(t, "found", "1");
    mcp__trace_pop(t, MCP_OK);
    CHECK_INT(world.count, 1);
    CHECK_STR(world.done[0]->name, "kept");
    CHECK_STR(value_of(world.done[0], "found"), "1");
    CHECK(!value_of(world.done[0], "lost"));
    mcp__trace_end(t, MCP_OK);
    CHECK_INT(world.count, 2);
    end();
}

/* ---- what the ready-made hooks print ---- */

static char printed[200000];
static size_t printed_size;

static int keep(void *user, const void *bytes, size_t n) {
    (void)user;
    memcpy(printed + printed_size, bytes, n);
    printed_size += n;
    return MCP_OK;
}

static const char *print(void (*line)(mcp_writer *w, const mcp_span *span),
                         const mcp_span *span) {
    char buf[300];
    mcp_writer w;
    mcp_write_hook sink = { keep, NULL };
    printed_size = 0;
    mcp__writer_init(&w, buf, sizeof buf, sink);
    line(&w, span);
    keep(NULL, buf, mcp__writer_held(&w));
    printed[printed_size] = '\0';
    return printed;
}

static const mcp_attr failed[] = { { "error.type", "tool_error" }, { NULL, NULL } };
static const mcp_attr two[] = { { "mcp.method.name", "tools/call" },
                                { "jsonrpc.request.id", "\"1\"" }, { NULL, NULL } };

static mcp_span sample(void) {
    mcp_span span;
    memset(&span, 0, sizeof span);
    span.name = "tools/call add";
    span.kind = "server";
    span.trace_id = TRACE;
    span.span_id = "b7ad6b7169203331";
    span.parent_id = SPAN;
    span.tracestate = "foo=1";
    span.flags = 1;
    span.service = "caf\xC3\xA9";
    span.start_ns = 1785196800123456789;
    span.end_ns = 1785196800124690789;
    span.attrs = two;
    return span;
}

TEST(json_line) {
    mcp_span span = sample();
    CHECK_STR(print(mcp__otlp_request, &span),
        "{\"resourceSpans\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\","
        "\"value\":{\"stringValue\":\"caf\xC3\xA9\"}}]},\"scopeSpans\":[{\"scope\":{"
        "\"name\":\"mcp.h\",\"version\":\"" MCP_VERSION "\"},\"spans\":[{"
        "\"traceId\":\"" TRACE "\",\"spanId\":\"b7ad6b7169203331\",\"traceState\":\"foo=1\","
        "\"parentSpanId\":\"" SPAN "\",\"flags\":769,\"name\":\"tools/call add\",\"kind\":2,"
        "\"startTimeUnixNano\":\"1785196800123456789\","
        "\"endTimeUnixNano\":\"1785196800124690789\",\"attributes\":["
        "{\"key\":\"mcp.method.name\",\"value\":{\"stringValue\":\"tools/call\"}},"
        "{\"key\":\"jsonrpc.request.id\",\"value\":{\"stringValue\":\"\\\"1\\\"\"}}],"
        "\"status\":{}}]}]}]}\n");
}

/* No parent, no tracestate, no attribute; a status that is an error. */
TEST(json_line_of_a_child) {
    static const struct { const char *kind; int status; const char *tail; } rows[] = {
        { "internal", MCP_NOMEM, "\"kind\":1,\"startTimeUnixNano\":\"0\","
          "\"endTimeUnixNano\":\"7\",\"attributes\":[],"
          "\"status\":{\"code\":2,\"message\":\"out of memory\"}}]}]}]}\n" },
        { "client", MCP_PENDING, "\"kind\":3,\"startTimeUnixNano\":\"0\","
          "\"endTimeUnixNano\":\"7\",\"attributes\":[],\"status\":{}}]}]}]}\n" } };
    for (size_t i = 0; i < 2; i++) {
        mcp_span span = sample();
        span.kind = rows[i].kind;
        span.status = rows[i].status;
        span.parent_id = span.tracestate = "";
        span.attrs = &two[2];
        span.start_ns = 0;
        span.end_ns = 7;
        print(mcp__otlp_request, &span);
        CHECK(!strstr(printed, "parentSpanId") && !strstr(printed, "traceState"));
        CHECK(strstr(printed, "\"flags\":257,") != NULL);
        const char *tail = strstr(printed, "\"kind\":");
        CHECK_STR(tail, rows[i].tail);
    }
}

TEST(line_for_people) {
    mcp_span span = sample();
    CHECK_STR(print(mcp__line_span, &span),
        "tools/call add  1.234 ms  ok  trace=" TRACE " span=b7ad6b7169203331 parent=" SPAN
        " mcp.method.name=tools/call jsonrpc.request.id=\"1\"\n");
    span.parent_id = "";
    span.attrs = &two[2];
    span.status = MCP_IO;
    span.end_ns = span.start_ns + 12005999999;
    CHECK_STR(print(mcp__line_span, &span),
        "tools/call add  12005.999 ms  the other end is gone  trace=" TRACE
        " span=b7ad6b7169203331\n");
    span.attrs = failed; /* says more than the status */
    CHECK_STR(print(mcp__line_span, &span),
        "tools/call add  12005.999 ms  tool_error  trace=" TRACE
        " span=b7ad6b7169203331 error.type=tool_error\n");
    print(mcp__otlp_request, &span);
    CHECK(strstr(printed, "\"status\":{\"code\":2,\"message\":\"tool_error\"}") != NULL);
}

/* A peer's method name must not move the cursor or fake a line; text stays text. */
TEST(line_steers_no_terminal) {
    mcp_span span = sample();
    span.name = "a\x1B[2Jb\nc\x7F" "d\xC2\x9B" "e\xC3\xA9\xC2\xA0\xC2";
    print(mcp__line_span, &span);
    CHECK(strncmp(printed, "a?[2Jb?c?d?e\xC3\xA9\xC2\xA0\xC2  1.234", 24) == 0);
    CHECK(strchr(printed, '\n') == printed + printed_size - 1);
}

/* Far more than any buffer: nothing is lost, and it is one line. */
TEST(huge_attribute) {
    mcp_attr attrs[] = { { "big", NULL }, { NULL, NULL } };
    mcp_span span = sample();
    attrs[0].value = repeat("0123456789\n", 3000);
    span.attrs = attrs;
    print(mcp__otlp_request, &span);
    CHECK(printed_size > 12 * 3000);
    CHECK(strchr(printed, '\n') == printed + printed_size - 1);
    CHECK(strstr(printed, "9\\n\"}}],\"status\":{}}]}]}]}\n") != NULL);
    print(mcp__line_span, &span);
    CHECK(strncmp(printed + printed_size - 13, "?0123456789?\n", 13) == 0);
}

/* The hook itself, into a file: two spans, two lines. */
TEST(json_file) {
    FILE *file = tmpfile();
    if (!CHECK(file != NULL)) return;
    mcp_span span = sample();
    mcp_trace_hook hook = { mcp_trace_json, file };
    hook.func(hook.user, &span);
    hook.func(hook.user, &span);
    print(mcp__otlp_request, &span);
    static char text[5000];
    rewind(file);
    size_t n = fread(text, 1, sizeof text, file);
    CHECK_INT(n, 2 * printed_size);
    CHECK(memcmp(text, printed, printed_size) == 0);
    CHECK(memcmp(text + printed_size, printed, printed_size) == 0);
    fclose(file);
}

int main(void) {
    RUN(traceparent);
    RUN(bad_parents_are_ignored);
    RUN(ambient_parent);
    RUN(outgoing_traceparent);
    RUN(tracestate);
    RUN(tracestate_lengths);
    RUN(tracestate_is_dropped_alone);
    RUN(server_span);
    RUN(nesting);
    RUN(unbalanced);
    RUN(attributes);
    RUN(clock_set_back);
    RUN(random_bytes_that_are_no_id);
    RUN(nobody_traces);
    RUN(no_memory);
    RUN(dropped_spans_stay_balanced);
    RUN(json_line);
    RUN(json_line_of_a_child);
    RUN(line_for_people);
    RUN(line_steers_no_terminal);
    RUN(huge_attribute);
    RUN(json_file);
    return DONE();
}
