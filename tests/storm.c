/* storm.c - handlers, peers and timers that do anything in any order: what must be true stays true

   Three peers of any version send requests, batches, cancellations and nonsense, cut anywhere. The
   handlers call a random series of functions, with good and bad values; some defer, and are gone on
   with and done by whoever comes along; memory or writes fail as it happens. Each line that leaves
   is one valid message, a request is answered once at most, and if nothing failed exactly once;
   nothing leaks. The seed of a storm is told when it fails:  build/test/storm SEED  repeats it. */
#include "unit.h"

#include <math.h>

static uint32_t seed;
static uint32_t chance(uint32_t n) {
    return (seed = seed * 1664525u + 1013904223u) / 65536u % n;
}

enum { PEERS = 3, KEPT = 8, REQUESTS = 2000 };
enum { CALM, NO_MEMORY, NO_WRITES };

static struct peer {
    mcp_conn *conn;
    harness_bytes out;
    bool gone, halfway;         /* freed or failed; a line is being sent in pieces */
} peers[PEERS];
static struct request { int peer; bool cancelled, batch; int answers; } requests[REQUESTS];
static int count;               /* of requests: their ids */
static mcp_call *kept[KEPT];    /* deferred */
static size_t kept_count;
static int weather, depth;      /* depth: handlers within handlers */

static int write_peer(void *user, const void *bytes, size_t n) {
    struct peer *p = (struct peer *)user;
    if (weather == NO_WRITES && chance(400) == 0) return p->gone = true, MCP_IO;
    harness_add(&p->out, bytes, n);
    return MCP_OK;
}

/* ---- what handlers do ---- */

static char junk[70000];        /* text and bytes, seldom UTF-8 */
static const char *some(size_t *n) {
    *n = chance(8) ? chance(12) : chance(20) ? chance(300) : chance(60000);
    return junk + chance(256);
}

static void put_some(mcp_writer *j, uint32_t n) {
    while (n-- > 0) {
        const char *key = chance(5) ? "k" : NULL;
        size_t size;
        const char *text = some(&size);
        switch (chance(14)) {
        case 0: mcp_put_obj(j, key); break;
        case 1: mcp_put_arr(j, key); break;
        case 2: case 3: mcp_put_end(j); break;
        case 4: mcp_put_strn(j, key, text, size); break;
        case 5: mcp_put_num(j, key, chance(30) ? chance(1000) / 7.0 : (double)NAN); break;
        case 6: mcp_put_int(j, key, (int64_t)chance(1000) - 500); break;
        case 7: mcp_put_bool(j, key, chance(2)); break;
        case 8: mcp_put_null(j, key); break;
        case 9: mcp_put_blob(j, key, text, size); break;
        case 10: mcp_put_raw(j, key, chance(20) ? "{\"a\" : [1, \"\\u00e9\"]}" : "{]"); break;
        case 11: mcp_put_strf(j, key, "%s%d", "x\xFF", 3); break;
        case 12: mcp_put_str(j, key, NULL); break;
        default: mcp_put_int(j, "k", 1); break;
        }
    }
}

static int add_block(mcp_call *c) {
    size_t n;
    const char *s = some(&n);
    mcp_annotations a = { 0, 0.5, NULL };
    mcp_resource to = { .uri = "u" };
    a.audience = chance(5);
    a.priority = chance(10) ? 0.5 : 3;
    a.last_modified = chance(2) ? "d" : NULL;
    if (chance(3) == 0) to.annotations = a;
    if (chance(4) == 0) to.meta = chance(3) ? "{}" : "[1]";
    switch (chance(18)) {
    case 0: case 1: return mcp_textn(c, s, n);
    case 2: return mcp_textf(c, "%.*s|%d", (int)n, s, 7);
    case 3: return put_some(mcp_text_json(c), chance(6)), MCP_OK;
    case 4: return mcp_image(c, chance(2) ? "m" : NULL, s, n);
    case 5: return mcp_audio(c, "a", s, n);
    case 6: return mcp_embed(c, chance(9) ? "u:v" : "\xFF", chance(2) ? NULL : "m");
    case 7: return mcp_blob(c, NULL, s, n);
    case 8: return mcp_link(c, &to);
    case 9: return mcp_annotate(c, &a);
    case 10: return put_some(mcp_block_meta(c), 1 + chance(3)), MCP_OK;
    case 11: case 12:
        return mcp_block_begin(c, (int)chance(5) - (chance(9) == 0), chance(2) ? "m" : NULL);
    case 13: case 14: case 15: return mcp_block_write(c, s, n);
    default: return mcp_block_end(c);
    }
}

static void send_some(int to);
static int do_one(mcp_call *c) {
    switch (chance(22)) {
    case 0: return put_some(mcp_result_meta(c), 1 + chance(3)), MCP_OK;
    case 1: case 2: return put_some(mcp_structured(c), 1 + chance(4)), MCP_OK;
    case 3: return mcp_fail(c, chance(2) ? "f\xFF" : NULL);
    case 4: return mcp_failf(c, "%s", "f");
    case 5: return mcp_error(c, (int)chance(100), "e");
    case 6: return mcp_errorf(c, -5, "%d", 3);
    case 7: return mcp_not_found(c, "x");
    case 8: return mcp_progress(c, chance(100), chance(3), chance(2) ? "p" : NULL);
    case 9: return mcp_logf(c, 1 + (int)chance(8), "%s", "l\xFE");
    case 10:
        put_some(mcp_log_begin(c, 1 + (int)chance(8)), chance(3));
        return chance(2) ? mcp_log_end(c) : MCP_OK;
    case 11: return mcp_cancelled(c), MCP_OK;
    case 12:
        if (depth < 4) send_some((int)chance(PEERS));
        return MCP_OK;
    case 13: return mcp_poll(w.server), MCP_OK;
    case 14: return mcp_format(c, "%d", 3), mcp_alloc(c, chance(5000)), MCP_OK;
    case 15:
        mcp_put_json(mcp_structured(c), "p", mcp_parse(c, "{\"a\":[1,\"\\u0041\"]}", 17, NULL));
        return MCP_OK;
    case 16: return mcp_put_json(mcp_structured(c), "args", mcp_args(c)), MCP_OK;
    case 17: return mcp_caller_of(c), mcp_arg_str(c, "a"), mcp_role(c, (int)chance(4));
    case 18:
#ifndef MCP_NO_TRACE
        mcp_span_begin(c, "s");
        mcp_span_attr(c, "k", mcp_traceparent(c));
        if (chance(2)) mcp_span_end(c, MCP_OK);
#endif
        return MCP_OK;
    case 19:
        mcp_server_touch(w.server, "a://b");
        mcp_server_changed(w.server, chance(8));
        return MCP_OK;
    default: return add_block(c);
    }
}

static int do_some(mcp_call *c, uint32_t n) {
    int rc = MCP_OK;
    while (n-- > 0) rc = chance(2) ? do_one(c) : add_block(c);
    return chance(3) ? rc : chance(2) ? MCP_OK : -(int)chance(10);
}

/* ---- deferred calls ---- */

static bool take(const mcp_call *c) { /* nobody else must end it meanwhile */
    for (size_t i = 0; i < kept_count; i++) {
        if (kept[i] != c) continue;
        kept[i] = kept[--kept_count];
        return true;
    }
    return false;
}

static void end_call(void *arg) { /* cancelled, timed or posted: if it is still there */
    mcp_call *c = (mcp_call *)arg;
    if (!take(c)) return;
    do_some(c, chance(3));
    mcp_done(c, chance(4) ? MCP_OK : -(int)chance(9));
}
static void go_on(mcp_call *c) {
    take(c);
    do_some(c, chance(5));
    if (kept_count < KEPT) kept[kept_count++] = c;
    else mcp_done(c, MCP_OK);
}
static void cancel_call(void *arg) { if (chance(2)) end_call(arg); }

static int handler(mcp_call *c) {
    int rc;
    depth++;
    if (chance(3) == 0 && kept_count < KEPT) {
        mcp_on_cancel(c, cancel_call, c);
        do_some(c, chance(4));
        rc = mcp_defer(c);
        if (rc == MCP_PENDING) {
            kept[kept_count++] = c;
            if (chance(2)) mcp_after(w.server, chance(50), end_call, c);
            if (chance(9) == 0) mcp_post(w.server, end_call, c);
        }
    } else rc = do_some(c, chance(10));
    depth--;
    return rc;
}
static int list(mcp_call *c) {
    mcp_resource r = { .uri = "l" };
    for (uint32_t n = chance(4); n > 0; n--) mcp_link(c, &r);
    return chance(5) ? MCP_OK : do_some(c, 2);
}
static int complete(mcp_call *c) {
    for (uint32_t n = chance(150); n > 0; n--) mcp_complete(c, "v\xFF");
    return chance(5) ? MCP_OK : do_some(c, 2);
}

static const mcp_arg args[] = {
    { .name = "a", .def = "d" },
    { .name = "n", .type = MCP_INTEGER, .choices = "1|2", .min = "1" }, { 0 } };
static const mcp_arg out[] = {
    { .name = "k", .type = MCP_INTEGER, .flags = MCP_REQUIRED | MCP_NULLABLE }, { 0 } };
static const mcp_arg words[] = { { .name = "c", .complete = complete }, { 0 } };
static const mcp_tool tools[] = {
    { .name = "t", .args = args, .call = handler, .flags = MCP_OPEN },
    { .name = "o", .call = handler, .out = out, .flags = MCP_OPEN },
    { .name = "u", .call = handler, .flags = MCP_UNCHECKED }, { 0 } };
static const mcp_tool fewer[] = { { .name = "t", .call = handler }, { 0 } };
static const mcp_resource resources[] = {
    { .uri = "a://b", .text = "x" },
    { .uri = "r://{c}", .read = handler, .args = words, .list = list }, { 0 } };
static const mcp_prompt prompts[] = { { .name = "p", .args = words, .get = handler }, { 0 } };

/* ---- what peers send ---- */

static void put(harness_bytes *b, const char *s) { harness_add(b, s, strlen(s)); }

static void put_cancel(harness_bytes *b, int from) {
    char line[120];
    int id = count - 1 - (int)chance(12);
    if (id < 0 || requests[id].peer != from) return;
    requests[id].cancelled = true;
    snprintf(line, sizeof line, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
             "\"params\":{\"requestId\":%d}}", id);
    put(b, line);
}

static void put_request(harness_bytes *b, int from, bool batch) {
    static const char *const methods[] = { "tools/call", "tools/call", "tools/call", "tools/call",
        "tools/list", "resources/list", "resources/read", "prompts/get", "completion/complete",
        "ping", "resources/subscribe", "resources/unsubscribe", "server/discover", "no/such",
        "logging/setLevel", "resources/templates/list" };
    static const char *const names[] = { "t", "o", "u", "x" };
    char line[1000];
    if (count == REQUESTS) return;
    const char *method = methods[chance(16)];
    bool prompt = !strcmp(method, "prompts/get"), modern = chance(2);
    struct request fresh_one = { from, false, batch, 0 };
    requests[count] = fresh_one;
    snprintf(line, sizeof line, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"%s\","
             "\"params\":{", count, method);
    put(b, line);
    if (!strstr(method, "/list")) {
        snprintf(line, sizeof line, "\"name\":\"%s\",\"arguments\":{%s},\"uri\":\"%s\","
                 "\"level\":\"debug\",\"ref\":{\"type\":\"ref/prompt\",\"name\":\"p\"},"
                 "\"argument\":{\"name\":\"c\",\"value\":\"\"},", prompt ? "p" : names[chance(4)],
                 prompt ? "" : chance(3) ? "\"a\":\"x\"" : chance(2) ? "" : "\"n\":9",
                 chance(2) ? "r://zz" : "a://b");
        put(b, line);
    }
    snprintf(line, sizeof line, "\"_meta\":{\"progressToken\":%d%s%s}}}", count++,
             modern ? "," HARNESS_META : "",
             modern && chance(2) ? ",\"io.modelcontextprotocol/logLevel\":\"debug\"" : "");
    put(b, line);
}

static void put_hello(harness_bytes *b) {
    char line[sizeof HARNESS_HELLO + 64];
    snprintf(line, sizeof line, HARNESS_HELLO, versions[chance(4)]);
    put(b, line);
}

static void send_some(int to) {
    harness_bytes b = { NULL, 0, 0 };
    if (peers[to].halfway) return;
    for (uint32_t n = 1 + chance(4); n > 0; n--) {
        uint32_t what = chance(40);
        if (what < 4) {
            put(&b, "[");
            for (uint32_t k = chance(4); k > 0; k--) put_request(&b, to, true), put(&b, ",");
            put_request(&b, to, true);
            put(&b, "]");
        } else if (what == 4) put(&b, "{\"bad");
        else if (what == 5) put_hello(&b);
        else if (what < 12) put_cancel(&b, to);
        else put_request(&b, to, false);
        put(&b, "\n");
    }
    for (size_t at = 0, n; at < b.n && peers[to].conn; at += n) {
        n = chance(3) ? b.n : 1 + chance(100);
        if (n > b.n - at) n = b.n - at;
        peers[to].halfway = at + n < b.n;
        mcp_feed(peers[to].conn, b.at + at, n);
    }
    peers[to].halfway = false;
    free(b.at);
}

/* ---- one storm ---- */

static void look_at(void *arg, const char *s, size_t n) {
    const int peer = *(const int *)arg;
    size_t size = 0;
    if (!CHECK(harness_is_message(s, n))) printf("    %.*s\n", (int)(n < 300 ? n : 300), s);
    if (harness_member(s, n, "method", &size)) return;
    const char *id = harness_member(s, n, "id", &size);
    if (!id || *id < '0' || *id > '9') return;
    long i = strtol(id, NULL, 10);
    if (!CHECK(i < count && requests[i].peer == peer)) return;
    CHECK(++requests[i].answers == 1);
}

static void look_at_peer(int i) {
    const struct peer *p = &peers[i];
    size_t at = 0, n;
    const char *line;
    while (harness_line(&p->out, &at, &line, &n)) {
        if (p->gone && at == p->out.n) break; /* it went in the middle of a line */
        if (!CHECK(harness_is_json(line, n))) printf("    %.*s\n", (int)(n < 300 ? n : 300), line);
        else harness_messages(line, n, look_at, &i);
    }
    for (int id = 0; weather == CALM && !p->gone && id < count; id++)
        if (requests[id].peer == i && !requests[id].cancelled && !requests[id].batch)
            CHECK_INT(requests[id].answers, 1);
}

static void blow_once(void) {
    int to = (int)chance(PEERS);
    switch (chance(12)) {
    case 0: case 1:
        if (kept_count) go_on(kept[chance((uint32_t)kept_count)]);
        break;
    case 2: case 3:
        if (kept_count) end_call(kept[chance((uint32_t)kept_count)]);
        break;
    case 4: mcp_poll(w.server); break;
    case 5:
        if (chance(10) == 0) mcp_server_set_tools(w.server, chance(2) ? tools : fewer);
        break;
    case 6:
        if (chance(40) || !peers[to].conn) break;
        peers[to].gone = true;
        mcp_conn_free(peers[to].conn);
        peers[to].conn = NULL;
        break;
    default: send_some(to); break;
    }
}

#ifndef MCP_NO_TRACE
static void sink(void *user, const mcp_span *span) {
    (void)user;
    CHECK(span->name && strlen(span->span_id) == 16 && span->end_ns >= span->start_ns);
}
#endif

static void begin_storm(void) {
    fresh();
    desc.tools = tools;
    desc.resources = resources;
    desc.prompts = prompts;
    desc.flags = MCP_LOGGING | MCP_SUBSCRIBE;
    desc.changes = MCP_TOOLS | MCP_RESOURCES | MCP_PROMPTS;
    desc.limits.spill = chance(2) ? 1 + chance(5000) : 0;
    desc.limits.calls = 2 + chance(6);
    desc.limits.page = chance(3) ? 0 : 1 + chance(2);
    harness_world_init(&w, NULL, &desc);
    w.mem.dirty = true;
#ifndef MCP_NO_TRACE
    if (chance(2)) w.desc.trace.func = sink;
#endif
    w.server = mcp_server_new(&w.desc);
    for (int i = 0; i < PEERS; i++) {
        mcp_write_hook hook = { write_peer, NULL };
        harness_bytes hello_line = { NULL, 0, 0 };
        hook.user = &peers[i];
        peers[i].out.n = 0;
        peers[i].gone = peers[i].halfway = false;
        peers[i].conn = mcp_conn_new(w.server, MCP_LINES, hook);
        put_hello(&hello_line);
        if (chance(5)) mcp_feed(peers[i].conn, hello_line.at, hello_line.n);
        free(hello_line.at);
    }
}

static void storm(uint32_t number) {
    int bad = test__bad;
    seed = number * 7919u;
    count = depth = 0;
    kept_count = 0;
    begin_storm();
    for (int i = 0; i < 60; i++) {
        if (weather == NO_MEMORY && chance(3) == 0) w.mem.fail_at = w.mem.calls + 1 + chance(60);
        blow_once();
    }
    w.mem.fail_at = 0;
    depth = 9; /* handlers send no more */
    for (int i = 0; i < PEERS; i++)
        if (peers[i].conn && chance(2)) mcp_feed(peers[i].conn, NULL, 0);
    while (kept_count) end_call(kept[0]);
    mcp_poll(w.server);
    for (int i = 0; i < PEERS; i++) look_at_peer(i);
    CHECK(harness_close(&w));
    CHECK_STR(w.mem.wrong, (const char *)NULL);
    harness_world_free(&w);
    if (test__bad > bad) printf("    storm %lu\n", (unsigned long)number);
}

static uint32_t first = 1, last = 300;
TEST(calm) { weather = CALM; for (uint32_t i = first; i <= last; i++) storm(i); }
TEST(without_memory) { weather = NO_MEMORY; for (uint32_t i = first; i <= last; i++) storm(i); }
TEST(without_peers) { weather = NO_WRITES; for (uint32_t i = first; i <= last; i++) storm(i); }

int main(int argc, char **argv) {
    if (argc > 1) first = last = (uint32_t)strtoul(argv[1], NULL, 10);
    if (argc > 2) last = (uint32_t)strtoul(argv[2], NULL, 10);
    for (size_t i = 0; i < sizeof junk; i++)
        junk[i] = (char)((i * 31 + i / 32) % (i % 3 ? 120 : 256));
    RUN(calm);
    RUN(without_memory);
    RUN(without_peers);
    for (int i = 0; i < PEERS; i++) free(peers[i].out.at);
    return DONE();
}
