/* client.c - the client: against our own server in this process, and against scripted ones

   The server is at the other end of a stream; what it writes is read in pieces of any size, and when
   there is nothing to read, the clock goes on instead. */
#include "unit.h"

/* ---- our own server at the other end ---- */

static mcp_client *k;
static mcp_client_desc who;             /* of the next meet */
static harness_mem mem;                 /* the client's */
static size_t at, piece = SIZE_MAX;     /* how much of w.out was read, and is at most at a time */
static char logged[512], heard[1024], asked[1024];
static int opened;

static int pipe_write(void *user, const void *bytes, size_t n) {
    (void)user;
    return mcp_feed(w.conn, bytes, n);
}

static ptrdiff_t pipe_read(void *user, void *bytes, size_t n, int64_t ms) {
    (void)user;
    mcp_poll(w.server);
    size_t there = w.out.n - at;
    if (!there) {
        w.now += ms < 0 ? 1000000000 : ms * 1000000;
        return MCP_CANCELLED;
    }
    if (n > piece) n = piece;
    if (n > there) n = there;
    memcpy(bytes, w.out.at + at, n);
    at += n;
    return (ptrdiff_t)n;
}

static void pipe_close(void *user) {
    (void)user;
    mcp_conn_free(w.conn);
    w.conn = NULL;
}

static int pipe_open(void *user, const char *host, int port, mcp_stream *stream) {
    (void)user, (void)port;
    CHECK_STR(host, "");
    if (!harness_connect(&w)) return MCP_NOMEM;
    at = w.out.n = 0;
    opened++;
    stream->read = pipe_read;
    stream->write = pipe_write;
    stream->close = pipe_close;
    return MCP_OK;
}

static void log_line(void *user, int level, int status, const char *text) {
    (void)user, (void)level, (void)status;
    snprintf(logged, sizeof logged, "%s", text);
}

static void hear(void *user, const char *method, const mcp_json *params) {
    (void)user;
    size_t n, have = strlen(heard);
    const char *raw = mcp_get_raw(params, NULL, &n);
    snprintf(heard + have, sizeof heard - have, "%s %.*s\n", method, (int)n, raw);
}

/* Who may be asked, and knows only this much. */
static const char *reply = "{}";
static int reply_status;
static int answer(void *user, const char *method, const mcp_json *params, mcp_writer *to) {
    (void)user;
    snprintf(asked, sizeof asked, "%s %s%s", method, mcp_get_str(params, "message"),
             mcp_get_str(params, "url"));
    if (reply_status == MCP_OK && *reply) mcp_put_raw(to, NULL, reply);
    return reply_status;
}

static void nobody(void) {
    fresh();
    memset(&who, 0, sizeof who);
    memset(&mem, 0, sizeof mem);
    who.name = "test";
    who.alloc.func = harness_alloc;
    who.alloc.user = &mem;
    who.clock.func = harness__clock;
    who.clock.user = &w;
    who.log.func = log_line;
    who.notify.func = hear;
    who.ask.func = answer;
    who.connect.func = pipe_open;
    mem.dirty = true;
    reply = "{}";
    reply_status = MCP_OK;
    piece = SIZE_MAX;
    opened = 0;
    *logged = *heard = *asked = 0;
}

static void meet(void) {
    harness_world_init(&w, NULL, &desc);
    w.mem.dirty = true;
    w.server = mcp_server_new(&w.desc);
    if (!CHECK(w.server != NULL)) harness_die("client", 0, w.log);
    k = mcp_client_new(&who);
    if (!CHECK(k != NULL)) harness_die("client", 0, logged);
}

static void part_ways(void) {
    mcp_client_free(k);
    CHECK_INT(mem.live, 0);
    CHECK_STR(mem.wrong, NULL);
    CHECK(harness_close(&w));
    harness_world_free(&w);
    CHECK_INT(asserted, 0);
}

/* A result's member, as JSON; or why there is none. */
static const char *raw(const mcp_json *v, const char *key) {
    size_t n;
    if (!v) return mcp_client_failure(k)->text;
    const char *s = mcp_get_raw(v, key, &n);
    return keep(s, n);
}

static unsigned bit_of(const char *version) { return harness__versions(version); }

/* ---- what it serves ---- */

static int add(mcp_call *c) {
    mcp_put_num(mcp_structured(c), "sum", mcp_arg_num(c, "a") + mcp_arg_num(c, "b"));
    return MCP_OK;
}
static const mcp_arg add_args[] = {
    { .name = "a", .type = MCP_NUMBER, .flags = MCP_REQUIRED },
    { .name = "b", .type = MCP_NUMBER, .flags = MCP_REQUIRED }, { 0 } };
static const mcp_arg add_out[] = {
    { .name = "sum", .type = MCP_NUMBER, .flags = MCP_REQUIRED }, { 0 } };
static int fails(mcp_call *c) { return mcp_fail(c, "no luck"); }

static const mcp_tool tools[] = {
    { .name = "add", .desc = "Adds.", .args = add_args, .call = add, .out = add_out },
    { .name = "fails", .call = fails }, { 0 } };

/* Every version: met, listed, called, and what goes wrong is told. */
TEST(versions) {
    for (size_t i = 0; i < 5; i++) {
        nobody();
        desc.tools = tools;
        desc.versions = bit_of(versions[i]);
        piece = 1 + 3 * i;
        meet();
        CHECK_STR(mcp_get_str(mcp_client_server(k), "protocolVersion"), versions[i]);
        CHECK_STR(mcp_get_str(mcp_get(mcp_client_server(k), "serverInfo"), "name"), "unit");
        CHECK(mcp_get(mcp_get(mcp_client_server(k), "capabilities"), "tools") != NULL);

        const mcp_json *r = mcp_client_list(k, "tools", NULL);
        CHECK_INT(mcp_count(mcp_get(r, "tools")), 2);
        CHECK_STR(mcp_get_str(mcp_at(mcp_get(r, "tools"), 0), "name"), "add");

        mcp_writer *args = mcp_client_call(k, "add");
        mcp_put_num(args, "a", 2);
        mcp_put_num(args, "b", 40);
        r = mcp_client_wait(k);
        CHECK_STR(mcp_get_str(mcp_at(mcp_get(r, "content"), 0), "text"), "{\"sum\":42}");
        CHECK_INT(mcp_client_failure(k)->status, MCP_OK);

        mcp_client_call(k, "fails");
        r = mcp_client_wait(k);
        CHECK(mcp_get_bool(r, "isError"));

        mcp_client_call(k, "nothing");
        CHECK(mcp_client_wait(k) == NULL);
        CHECK_INT(mcp_client_failure(k)->status, MCP_REFUSED);
        CHECK_INT(mcp_client_failure(k)->code, MCP_INVALID_PARAMS);
        CHECK(strstr(mcp_client_failure(k)->text, "nothing") != NULL);
        CHECK_INT(opened, 1);
        part_ways();
    }
}

/* Whichever versions each side speaks: the newest that both do, or a reason. */
TEST(negotiation) {
    for (unsigned ours = 1; ours < 32; ours++) {
        for (unsigned theirs = 1; theirs < 32; theirs++) {
            size_t best = 5;
            for (size_t i = 0; i < 5; i++)
                if (ours & theirs & bit_of(versions[i])) best = i;
            nobody();
            desc.versions = theirs;
            who.versions = ours;
            meet();
            const mcp_json *server = mcp_client_server(k);
            /* initialize names one version; a server that lacks it answers with its newest */
            if (best == 5) {
                CHECK(!server);
                CHECK(*mcp_client_failure(k)->text);
                CHECK(mcp_client_failure(k)->status != MCP_OK);
            } else if (server) CHECK(bit_of(mcp_get_str(server, "protocolVersion")) & ours & theirs);
            else CHECK_INT(mcp_client_failure(k)->status, MCP_UNSUPPORTED);
            part_ways();
        }
    }
}

int main(void) {
    RUN(versions);
    RUN(negotiation);
    return DONE();
}
