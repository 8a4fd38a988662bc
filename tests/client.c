/* client.c - the client: against our own server in this process, and against scripted ones

   The server is at the other end of a stream; what it writes is read in pieces of any size, and
   when there is nothing to read, the clock goes on instead. */
#include "meet.h"

/* ---- our own server at the other end ---- */

static size_t at, piece = SIZE_MAX;     /* how much of w.out was read, and is at most at a time */
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
        w.now += (ms < 0 || ms > 100 ? 100 : ms) * 1000000;
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

static void nobody(void) {
    stranger();
    who.connect.func = pipe_open;
    piece = SIZE_MAX;
    opened = 0;
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
    leave();
    CHECK(harness_close(&w));
    harness_world_free(&w);
}

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
            } else if (server)
                CHECK(bit_of(mcp_get_str(server, "protocolVersion")) & ours & theirs);
            else CHECK_INT(mcp_client_failure(k)->status, MCP_UNSUPPORTED);
            part_ways();
        }
    }
}

/* ---- asked back, in both eras ---- */

static const mcp_arg sure_form[] = {
    { .name = "region", .flags = MCP_REQUIRED, .def = "eu", .choices = "eu|us" },
    { .name = "n", .type = MCP_INTEGER, .def = "3", .min = "1", .max = "9" }, { 0 } };
static int sure(mcp_call *c) {
    int rc = mcp_ask(c, "sure", "Sure?", sure_form);
    if (rc) return rc;
    const mcp_json *a = mcp_answer(c, "sure");
    return mcp_textf(c, "%s %d", mcp_get_str(a, "region"), (int)mcp_get_int(a, "n"));
}
static int link(mcp_call *c) {
    int rc = mcp_ask_url(c, "in", "Sign in:", "https://example.com/in");
    return rc ? rc : mcp_text(c, "in");
}
static int model(mcp_call *c) {
    mcp_sampling what = { .prompt = "Hello?", .max_tokens = 9 };
    int rc = mcp_sample(c, "model", &what);
    if (rc) return rc;
    return mcp_text(c, mcp_get_str(mcp_get(mcp_answer(c, "model"), "content"), "text"));
}
static int folders(mcp_call *c) {
    int rc = mcp_roots(c, "roots");
    if (rc) return rc;
    return mcp_text(c, mcp_get_str(mcp_at(mcp_answer(c, "roots"), 1), "uri"));
}
static int both(mcp_call *c) { /* two questions at once, something kept, and then one more */
    int rc = mcp_ask(c, "a", "First?", sure_form), rd = mcp_roots(c, "b");
    if (rc || rd) return rc ? rc : rd;
    if (!mcp_kept(c, NULL, 0) && (rc = mcp_keep(c, "x", 1)) != MCP_OK) return rc;
    rc = mcp_ask(c, "c", "Last?", sure_form);
    return rc ? rc : mcp_text(c, "all");
}
static int again(mcp_call *c) { /* no question: only once more, please */
    if (mcp_kept(c, NULL, 0)) return mcp_text(c, "kept");
    int rc = mcp_keep(c, "x", 1);
    return rc ? rc : MCP_PENDING;
}
static const mcp_tool asking[] = {
    { .name = "sure", .call = sure }, { .name = "link", .call = link },
    { .name = "model", .call = model }, { .name = "folders", .call = folders },
    { .name = "both", .call = both }, { .name = "again", .call = again }, { 0 } };

/* What a tool without arguments says; or why it does not. */
static const char *says(const char *tool) {
    mcp_client_call(k, tool);
    const mcp_json *r = mcp_client_wait(k);
    if (!r) return keep(mcp_client_failure(k)->text, strlen(mcp_client_failure(k)->text));
    const char *text = mcp_get_str(mcp_at(mcp_get(r, "content"), 0), "text");
    return keep(text, strlen(text));
}

static void can_all(void) {
    desc.tools = asking;
    who.can = MCP_CAN_ASK | MCP_CAN_ASK_URL | MCP_CAN_SAMPLE | MCP_CAN_ROOTS;
    who.roots = "file:///a|file:///b";
}

static int tells_can(mcp_call *c) { return mcp_textf(c, "%u", mcp_caller_of(c)->can); }

TEST(can) { /* what a client says that it can is what a server reads, as far as the version goes */
    static const mcp_tool able[] = { { .name = "can", .call = tells_can }, { 0 } };
#define FIRST (MCP_CAN_SAMPLE | MCP_CAN_ROOTS | MCP_CAN_APPS)
    const unsigned every = 127;
    static const unsigned in[] = { FIRST, FIRST, FIRST | MCP_CAN_ASK, 127 - MCP_CAN_TASKS, 127 };
    for (size_t i = 0; i < 5; i++)
        for (unsigned only = 1; only <= every; only = only < 64 ? 2 * only : only + 63) {
            nobody();
            desc.tools = able;
            who.versions = bit_of(versions[i]);
            who.can = only;
            who.roots = only & MCP_CAN_ROOTS ? "file:///a" : NULL;
            meet();
            unsigned got = (unsigned)atoi(says("can")), want = only & in[i];
            if (only & MCP_CAN_SAMPLE_TOOLS) want |= MCP_CAN_SAMPLE; /* one says the other */
            if (!CHECK_INT(got, want)) printf("    %s: %u\n", versions[i], only);
            part_ways();
        }
}

TEST(asks) {
    for (size_t i = 2; i < 5; i++) {
        nobody();
        can_all();
        desc.versions = bit_of(versions[i]);
        meet();
        reply = i == 2 ? "{\"region\":\"eu\",\"n\":3}" : "{}"; /* it has few defaults */
        CHECK_STR(says("sure"), "eu 3");
        CHECK_STR(asked, "elicitation/create Sure?");
        reply = "{\"region\":\"us\",\"n\":9}";
        CHECK_STR(says("sure"), "us 9");
        reply = "{\"n\":10}";
        const char *text = says("sure");
        CHECK(strstr(text, "declined") || strstr(text, "said no") || strstr(text, "cancel"));
        CHECK(strstr(logged, "n: must be at most 9") != NULL);
        reply = "{\"region\":\"mars\"}";
        says("sure");
        CHECK(strstr(logged, "region: must be one of eu|us") != NULL);
        reply = "{}";
        reply_status = MCP_DECLINED;
        text = says("sure");
        CHECK(strcmp(text, "eu 3") != 0);
        reply_status = MCP_OK;
        if (i > 2) {
            CHECK_STR(says("link"), "in");
            CHECK_STR(asked, "elicitation/create Sign in:https://example.com/in");
        }
        if (i == 2) reply = "{\"region\":\"eu\"}";
        CHECK_STR(says("both"), "all");
        CHECK_STR(says("again"), "kept");
        part_ways();
    }
}

TEST(asks_models_and_roots) {
    for (size_t i = 0; i < 5; i++) {
        nobody();
        can_all();
        desc.versions = bit_of(versions[i]);
        meet();
        reply = "{\"role\":\"assistant\",\"content\":{\"type\":\"text\",\"text\":\"Hi\"},"
                "\"model\":\"m\",\"stopReason\":\"endTurn\"}";
        CHECK_STR(says("model"), "Hi");
        CHECK_STR(says("folders"), "file:///b");
        reply_status = MCP_DECLINED;
        CHECK(strcmp(says("model"), "Hi") != 0);
        part_ways();
    }
}

/* What was not declared is not asked; the server says so. */
TEST(cannot) {
    for (size_t i = 0; i < 5; i++) {
        nobody();
        desc.tools = asking;
        desc.versions = bit_of(versions[i]);
        meet();
        CHECK(strcmp(says("sure"), "eu 3") != 0);
        CHECK(strcmp(says("folders"), "") != 0);
        CHECK_STR(asked, "");
        part_ways();
    }
}

/* ---- while it works ---- */

static mcp_call *waiting[4];
static size_t waits;
static bool stopped;
static void stop_waiting(void *c) {
    (void)c;
    stopped = true;
}
static int later(mcp_call *c) {
    waiting[waits++ % 4] = c;
    mcp_on_cancel(c, stop_waiting, c);
    return mcp_defer(c);
}
static int tells(mcp_call *c) {
    mcp_progress(c, 1, 2, "half");
    mcp_logf(c, MCP_LOG_ERROR, "oh");
    return mcp_text(c, "told");
}
static int meta_of(mcp_call *c) {
    return mcp_text(c, mcp_get_str(mcp_caller_of(c)->meta, "x.example/y"));
}
static const mcp_tool working[] = {
    { .name = "later", .call = later }, { .name = "tells", .call = tells },
    { .name = "meta", .call = meta_of }, { 0 } };

TEST(tells_on_its_way) {
    for (size_t i = 0; i < 5; i++) {
        nobody();
        desc.tools = working;
        desc.flags = MCP_LOGGING;
        desc.versions = bit_of(versions[i]);
        who.log_level = MCP_LOG_WARNING;
        meet();
        mcp_client_call(k, "tells");
        int64_t id = mcp_client_send(k);
        while (!mcp_client_result(k, id) && mcp_client_failure(k)->status == MCP_PENDING)
            CHECK_INT(mcp_client_poll(k, 100), MCP_OK);
        CHECK_INT(mcp_client_failure(k)->status, MCP_OK);
        CHECK(strstr(heard, "notifications/progress {") && strstr(heard, "\"progress\":1"));
        CHECK(strstr(heard, "notifications/message {") && strstr(heard, "\"oh\""));
        char token[64];
        snprintf(token, sizeof token, "\"progressToken\":%d", (int)id);
        CHECK(strstr(heard, token) != NULL);
        part_ways();
    }
}

/* _meta goes with a request, beside what the version wants in it. */
TEST(meta) {
    for (size_t i = 0; i < 5; i++) {
        nobody();
        desc.tools = working;
        desc.versions = bit_of(versions[i]);
        meet();
        mcp_client_call(k, "meta");
        mcp_put_str(mcp_client_meta(k), "x.example/y", "seen");
        const mcp_json *r = mcp_client_wait(k);
        CHECK_STR(mcp_get_str(mcp_at(mcp_get(r, "content"), 0), "text"), "seen");
        mcp_writer *to = mcp_client_request(k, "tools/call");
        mcp_put_str(to, "name", "meta");
        mcp_put_obj(to, "_meta");
        mcp_put_str(to, "x.example/y", "too");
        mcp_put_end(to);
        r = mcp_client_wait(k);
        CHECK_STR(mcp_get_str(mcp_at(mcp_get(r, "content"), 0), "text"), "too");
        part_ways();
    }
}

/* Nobody waits for ever; the server learns of it, and its late answer is nobody's. */
TEST(timeout) {
    for (size_t i = 0; i < 5; i++) {
        nobody();
        desc.tools = working;
        desc.versions = bit_of(versions[i]);
        who.timeout_ms = 500;
        meet();
        waits = 0;
        stopped = false;
        mcp_client_call(k, "later");
        CHECK(mcp_client_wait(k) == NULL);
        CHECK_INT(mcp_client_failure(k)->status, MCP_CANCELLED);
        CHECK_STR(mcp_client_failure(k)->text, "no answer within 500 ms");
        CHECK(stopped);
        mcp_done(waiting[0], MCP_OK);
        CHECK(strcmp(says("tells"), "told") == 0);
        part_ways();
    }
}

/* Progress is a sign of life: each one gives it as much time again. */
TEST(progress_helps) {
    nobody();
    desc.tools = working;
    who.timeout_ms = 500;
    meet();
    waits = 0;
    mcp_client_call(k, "later");
    int64_t id = mcp_client_send(k);
    for (int i = 0; i < 10; i++) {
        mcp_client_poll(k, 100);
        CHECK(!mcp_client_result(k, id));
        CHECK_INT(mcp_client_failure(k)->status, MCP_PENDING);
        if (waits) mcp_progress(waiting[0], i, 10, NULL);
        for (int j = 0; j < 3; j++) mcp_client_poll(k, 100);
    }
    mcp_done(waiting[0], mcp_text(waiting[0], "at last"));
    mcp_client_poll(k, 100);
    CHECK_STR(raw(mcp_at(mcp_get(mcp_client_result(k, id), "content"), 0), "text"),
              "\"at last\"");
    part_ways();
}

/* Several at once, answered in any order; one is given up. */
TEST(several) {
    for (size_t i = 0; i < 5; i++) {
        nobody();
        desc.tools = working;
        desc.versions = bit_of(versions[i]);
        meet();
        waits = 0;
        stopped = false;
        int64_t id[3];
        for (int j = 0; j < 3; j++) {
            mcp_client_call(k, "later");
            id[j] = mcp_client_send(k);
            CHECK(id[j] > 0);
        }
        while (waits < 3) mcp_client_poll(k, 10);
        mcp_done(waiting[2], mcp_text(waiting[2], "third"));
        mcp_client_cancel(k, id[1]);
        CHECK(stopped);
        mcp_done(waiting[1], MCP_OK);
        mcp_done(waiting[0], mcp_text(waiting[0], "first"));
        mcp_client_poll(k, 10);
        CHECK(strstr(raw(mcp_client_result(k, id[0]), "content"), "first") != NULL);
        CHECK(strstr(raw(mcp_client_result(k, id[2]), "content"), "third") != NULL);
        CHECK(mcp_client_result(k, id[1]) == NULL);
        CHECK_INT(mcp_client_failure(k)->status, MCP_MISUSE);
        CHECK(mcp_client_result(k, id[0]) == NULL); /* once is enough */
        part_ways();
    }
}

/* As many as the limit at a time. */
TEST(too_many) {
    nobody();
    desc.tools = working;
    who.limits.calls = 2;
    meet();
    waits = 0;
    for (int i = 0; i < 3; i++) {
        mcp_client_call(k, "later");
        CHECK_INT(mcp_client_send(k) > 0, i < 2);
    }
    CHECK_INT(mcp_client_failure(k)->status, MCP_LIMIT);
    while (waits < 2) mcp_client_poll(k, 10);
    mcp_done(waiting[0], MCP_OK);
    mcp_done(waiting[1], MCP_OK);
    part_ways();
}

/* ---- lists, resources, prompts, completion ---- */

static int note(mcp_call *c) { return mcp_textf(c, "note %s", mcp_arg_str(c, "id")); }
static const mcp_resource resources[] = {
    { .uri = "about://us", .text = "us" }, { .uri = "about://you", .text = "you" },
    { .uri = "note://{id}", .name = "note", .read = note }, { 0 } };
static int greet(mcp_call *c) { return mcp_textf(c, "Hello %s", mcp_arg_str(c, "who")); }
static int names(mcp_call *c) {
    return mcp_complete(c, mcp_arg_given(c, "how") ? "bob" : "ann");
}
static const mcp_arg greet_args[] = {
    { .name = "who", .flags = MCP_REQUIRED, .complete = names }, { .name = "how" }, { 0 } };
static const mcp_prompt prompts[] = { { .name = "greet", .args = greet_args, .get = greet },
                                      { 0 } };

static void offer(void) {
    desc.tools = tools;
    desc.resources = resources;
    desc.prompts = prompts;
    desc.flags = MCP_SUBSCRIBE;
    desc.changes = MCP_TOOLS | MCP_RESOURCES | MCP_PROMPTS;
}

TEST(offers) {
    for (size_t i = 0; i < 5; i++) {
        nobody();
        offer();
        desc.limits.page = 1; /* every row is a page */
        desc.versions = bit_of(versions[i]);
        meet();
        CHECK_INT(mcp_count(mcp_get(mcp_client_list(k, "tools", NULL), "tools")), 2);
        CHECK_INT(mcp_count(mcp_get(mcp_client_list(k, "resources", NULL), "resources")), 2);
        CHECK_INT(mcp_count(mcp_get(mcp_client_list(k, "resources/templates", NULL),
                                    "resourceTemplates")), 1);
        CHECK_INT(mcp_count(mcp_get(mcp_client_list(k, "prompts", NULL), "prompts")), 1);
        mcp_client_request(k, "tools/list");
        const mcp_json *page = mcp_client_wait(k);
        CHECK_INT(mcp_count(mcp_get(page, "tools")), 1);
        page = mcp_client_list(k, "tools", mcp_get_str(page, "nextCursor"));
        CHECK_STR(mcp_get_str(mcp_at(mcp_get(page, "tools"), 0), "name"), "fails");
        CHECK(mcp_client_list(k, "tools", "nonsense") == NULL);
        CHECK_INT(mcp_client_failure(k)->code, MCP_INVALID_PARAMS);

        mcp_client_read(k, "note://7");
        CHECK(strstr(raw(mcp_client_wait(k), "contents"), "note 7") != NULL);
        mcp_client_read(k, "nowhere://");
        CHECK(mcp_client_wait(k) == NULL);
        CHECK_INT(mcp_client_failure(k)->code, i == 4 ? -32602 : -32002);
        CHECK_STR(mcp_get_str(mcp_client_failure(k)->data, "uri"), "nowhere://");
        mcp_put_str(mcp_client_prompt(k, "greet"), "who", "Ann");
        CHECK(strstr(raw(mcp_client_wait(k), "messages"), "Hello Ann") != NULL);
        mcp_client_complete(k, "greet", "who", "a");
        CHECK(strstr(raw(mcp_client_wait(k), "completion"), "[\"ann\"]") != NULL);
        if (i > 1) { /* beside the arguments that are known */
            mcp_put_str(mcp_client_complete(k, "greet", "who", "b"), "how", "loud");
            CHECK(strstr(raw(mcp_client_wait(k), "completion"), "[\"bob\"]") != NULL);
        }
        part_ways();
    }
}

/* A list comes from memory until it is old, changes or is forgotten. */
TEST(memory_of_lists) {
    for (size_t i = 0; i < 5; i++) {
        nobody();
        offer();
        desc.cache.ttl_ms = 30000;
        desc.versions = bit_of(versions[i]);
        meet();
        mcp_client_list(k, "tools", NULL);
        size_t writes = w.writes;
        CHECK_INT(mcp_count(mcp_get(mcp_client_list(k, "tools", NULL), "tools")), 2);
        CHECK_INT(w.writes, writes);
        mcp_client_forget(k);
        CHECK_INT(mcp_count(mcp_get(mcp_client_list(k, "tools", NULL), "tools")), 2);
        CHECK(w.writes > writes);
        writes = w.writes;
        w.now += INT64_C(61000) * 1000000;
        mcp_client_list(k, "tools", NULL);
        CHECK(w.writes > writes);
        int64_t id = mcp_client_listen(k, MCP_TOOLS, NULL);
        CHECK(id > 0);
        mcp_client_poll(k, 10);
        mcp_server_set_tools(w.server, working);
        mcp_client_poll(k, 10);
        CHECK(strstr(heard, "notifications/tools/list_changed") != NULL);
        CHECK_INT(mcp_count(mcp_get(mcp_client_list(k, "tools", NULL), "tools")), 3);
        part_ways();
    }
}

/* Resources that change are told of until nobody listens. */
TEST(listens) {
    for (size_t i = 0; i < 5; i++) {
        nobody();
        offer();
        desc.versions = bit_of(versions[i]);
        meet();
        int64_t id = mcp_client_listen(k, MCP_RESOURCES, "about://us|about://you");
        for (int j = 0; j < 4; j++) mcp_client_poll(k, 10);
        mcp_server_touch(w.server, "about://you");
        mcp_client_poll(k, 10);
        CHECK(strstr(heard, "notifications/resources/updated") && strstr(heard, "about://you"));
        CHECK(!mcp_client_result(k, id));
        CHECK_INT(mcp_client_failure(k)->status, MCP_PENDING);
        for (int j = 0; j < 2000; j++) mcp_client_poll(k, 100); /* it may listen for ever */
        CHECK(!mcp_client_result(k, id));
        CHECK_INT(mcp_client_failure(k)->status, MCP_PENDING);
        mcp_client_cancel(k, id);
        mcp_client_poll(k, 10);
        *heard = 0;
        mcp_server_touch(w.server, "about://you");
        mcp_client_poll(k, 10);
        CHECK_STR(heard, "");
        part_ways();
    }
}

/* ---- tasks of our own server ---- */

static void finish(void *call) {
    mcp_call *c = (mcp_call *)call;
    mcp_put_int(mcp_structured(c), "n", 7);
    mcp_done(c, mcp_text(c, "finished"));
}
static int batch(mcp_call *c) { /* asks first, and takes its time */
    int rc = mcp_ask(c, "sure", "Sure?", sure_form);
    if (rc || (rc = mcp_after(mcp_call_server(c), 2500, finish, c)) != MCP_OK) return rc;
    return mcp_defer(c);
}
static const mcp_arg batch_out[] = { { .name = "n", .type = MCP_INTEGER }, { 0 } };
static const mcp_tool batches[] = {
    { .name = "may", .call = batch, .out = batch_out, .task = MCP_TASK_OPTIONAL },
    { .name = "must", .call = batch, .out = batch_out, .task = MCP_TASK_REQUIRED }, { 0 } };

/* A call becomes a task, or is one from the start, and its author hardly notices. */
TEST(own_tasks) {
    for (size_t i = 3; i < 5; i++) {
        nobody();
        desc.tools = batches;
        desc.versions = bit_of(versions[i]);
        who.can = MCP_CAN_ASK | MCP_CAN_TASKS;
        meet();
        CHECK(mcp_client_list(k, "tools", NULL) != NULL);
        size_t from = w.out.n;
        CHECK_STR(says("may"), "finished");
        CHECK_INT(strstr(w.out.at + from, "taskId") != NULL, i == 4);
        from = w.out.n;
        CHECK_STR(says("must"), "finished");
        CHECK(strstr(w.out.at + from, "taskId") != NULL);
        CHECK_STR(asked, "elicitation/create Sure?");
        part_ways();
    }
}

/* ---- memory that fails: at every allocation once, and ever after ---- */

/* A life: met, listed, called, asked, listened, several at once. Whatever fails says so. */
static void live(void) {
    int64_t ids[2];
    const mcp_failure *f;
    if (!mcp_client_list(k, "tools", NULL)) CHECK(mcp_client_failure(k)->status != MCP_OK);
    for (int i = 0; i < 2; i++) {
        mcp_client_call(k, "sure");
        mcp_put_str(mcp_client_meta(k), "x.example/y", "z");
        if (mcp_client_wait(k)) continue;
        f = mcp_client_failure(k);
        CHECK(f->status != MCP_OK && f->text && *f->text);
    }
    int64_t listens = mcp_client_listen(k, MCP_TOOLS, "about://us");
    for (int i = 0; i < 2; i++) {
        mcp_client_call(k, "both");
        ids[i] = mcp_client_send(k);
    }
    for (int i = 0; i < 2; i++) {
        while (ids[i] && !mcp_client_result(k, ids[i]) &&
               mcp_client_failure(k)->status == MCP_PENDING) mcp_client_poll(k, 100);
    }
    mcp_client_cancel(k, listens);
    mcp_client_server(k);
}

TEST(out_of_memory) {
    for (size_t i = 0; i < 5; i++) {
        for (int on = 0; on < 2; on++) {
            for (size_t n = 1; n < 2000; n++) {
                nobody();
                can_all();
                desc.resources = resources;
                desc.flags = MCP_SUBSCRIBE;
                desc.changes = MCP_TOOLS;
                desc.versions = bit_of(versions[i]);
                who.timeout_ms = 2000;
                mem.fail_at = n;
                mem.fail_on = on != 0;
                harness_world_init(&w, NULL, &desc);
                w.server = mcp_server_new(&w.desc);
                if (!CHECK(w.server != NULL)) return;
                k = mcp_client_new(&who);
                if (k) live();
                bool failed = mem.failed;
                if (failed && k && !on) { /* it is as good as new */
                    mem.fail_at = 0;
                    CHECK(mcp_client_list(k, "tools", NULL) != NULL);
                }
                part_ways();
                if (!failed) break;
                CHECK(n < 1999);
            }
        }
    }
}

int main(void) {
    RUN(versions);
    RUN(negotiation);
    RUN(can);
    RUN(asks);
    RUN(asks_models_and_roots);
    RUN(cannot);
    RUN(tells_on_its_way);
    RUN(meta);
    RUN(timeout);
    RUN(progress_helps);
    RUN(several);
    RUN(too_many);
    RUN(offers);
    RUN(memory_of_lists);
    RUN(listens);
    RUN(own_tasks);
    RUN(out_of_memory);
    return DONE();
}
