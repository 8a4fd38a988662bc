/* server.c - from a desc to a server: every mistake is one line and no server, texts are copied,
   tables may be replaced, memory may end anywhere */
#include "unit.h"

#include "cost.h"

#define LENGTH(rows) (sizeof(rows) / sizeof *(rows))
#define HANDLER(name) static int name(mcp_call *c)

HANDLER(fine) { return mcp_text(c, "fine"); }
static const mcp_arg one[] = { { .name = "a" }, { 0 } };
static const mcp_tool tools[] = { { .name = "fine", .call = fine }, { 0 } };

static char long_name[130];
static char wide_name[140];

/* ---- mistakes ---- */

TEST(mistakes_of_a_desc) {
    static const struct { mcp_server_desc desc; const char *why; } rows[] = {
        { { .name = NULL }, "server \"\": a server needs a name" },
        { { .name = "" }, "server \"\": a server needs a name" },
        { { .name = "s", .versions = 32 }, "server \"s\": versions has unknown bits" },
        { { .name = "s", .versions = MCP_2026_07_28 | 1024 },
          "server \"s\": versions has unknown bits" },
        { { .name = "s", .changes = 8 }, "server \"s\": changes has unknown bits" },
        { { .name = "s", .capabilities = "{" }, "server \"s\": capabilities is not a JSON object" },
        { { .name = "s", .capabilities = "[]" },
          "server \"s\": capabilities is not a JSON object" },
        { { .name = "s", .capabilities = "" }, "server \"s\": capabilities is not a JSON object" },
        { { .name = "s", .capabilities = "{\"x\":1}{}" },
          "server \"s\": capabilities is not a JSON object" },
        { { .name = "s", .capabilities = "{\"extensions\":[1]}" },
          "server \"s\": extensions is not an object" },
        { { .name = "s", .capabilities = "{\"tools\":{}}" },
          "server \"s\": capabilities has a member that the server adds itself" },
        { { .name = "s", .capabilities = "{\"to\\u006fls\":{}}" },
          "server \"s\": capabilities has a member that the server adds itself" },
        { { .name = "s", .capabilities = "{\"logging\":{}}" },
          "server \"s\": capabilities has a member that the server adds itself" },
        { { .name = "s", .website = "example.com" },
          "server \"s\": website is an https: or http: URL" },
        { { .name = "s", .flags = 512 }, "server \"s\": flags has unknown bits" },
        { { .name = "s", .secret = "secret", .secret_size = 6 },
          "server \"s\": a secret has 32 bytes or more" },
        { { .name = "s", .cache = { -2, 0 } }, "server \"s\": cache.ttl_ms is below 0" },
        { { .name = "s", .cache = { 0, 3 } },
          "server \"s\": cache.scope is MCP_PUBLIC or MCP_PRIVATE" },
        { { .name = "s", .cache = { 0, -1 } },
          "server \"s\": cache.scope is MCP_PUBLIC or MCP_PRIVATE" },
        { { .name = "s", .ask_ms = -2 }, "server \"s\": ask_ms is below 0" },
        { { .name = "s", .http = { .port = 65536 } },
          "server \"s\": http.port is not within 1 and 65535" },
        { { .name = "s", .http = { .port = -2 } },
          "server \"s\": http.port is not within 1 and 65535" },
        { { .name = "s", .http = { .path = "mcp" } }, "server \"s\": http.path is not like /mcp" },
        { { .name = "s", .http = { .path = "/m?a" } }, "server \"s\": http.path is not like /mcp" },
        { { .name = "s", .http = { .head_ms = -2 } }, "server \"s\": a time of http is below 0" },
        { { .name = "s", .http = { .session_ms = -9 } },
          "server \"s\": a time of http is below 0" } };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        desc = rows[i].desc;
        CHECK_STR(refused(), text_of("5 -8 %s%s%s", rows[i].why, "", ""));
    }
    fresh();
    CHECK_STR(refused(), "");
}

TEST(desc_not_zeroed) { /* built on the stack and forgotten: asserted while debugging */
    fresh();
    desc._start_canary = 1;
    CHECK_STR(refused(), "");
    CHECK_INT(asserted, 1);
    fresh();
    desc._end_canary = 1;
    mcp_server *s = mcp_server_new(&desc);
    CHECK(!s && asserted == 1);
    asserted = 0;
    CHECK(!mcp_server_new(NULL) && asserted == 1);
    asserted = 0;
    mcp_server_free(NULL);
    const mcp_write_hook none = { NULL, NULL };
    CHECK(!mcp_conn_new(NULL, MCP_LINES, none));
}

static void no_span(void *user, const mcp_span *span) { (void)user, (void)span; }
static int64_t no_clock(void *user) { return (void)user, 0; }
TEST(tracing_needs_hooks) { /* where there is no system that has them */
    static const char why[] = "5 -8 server \"unit\": tracing needs a clock and a random hook";
    for (int clock_given = 0; clock_given < 2; clock_given++) {
        fresh();
        harness_world_init(&w, NULL, &desc);
        w.desc.trace.func = no_span;
        w.desc.clock.func = clock_given ? no_clock : NULL;
        w.desc.random.func = NULL;
        CHECK(!inside_server_without_system(&w.desc));
        CHECK_STR(w.log, why);
        CHECK(harness_close(&w));
        harness_world_free(&w);
    }
}

TEST(mistakes_of_tools) {
    static const struct { mcp_tool row; const char *why; } rows[] = {
        { { .name = "", .call = fine }, "tool \"\": a name has 1 to 128 characters" },
        { { .name = long_name, .call = fine }, "a name has 1 to 128 characters" },
        { { .name = "a b", .call = fine }, "tool \"a b\": a name is made of A-Z a-z 0-9 _ . -" },
        { { .name = "a/b", .call = fine }, "tool \"a/b\": a name is made of A-Z a-z 0-9 _ . -" },
        { { .name = "a@", .call = fine }, "tool \"a@\": a name is made of A-Z a-z 0-9 _ . -" },
        { { .name = "a[", .call = fine }, "tool \"a[\": a name is made of A-Z a-z 0-9 _ . -" },
        { { .name = "a\x7F", .call = fine }, "a name is made of A-Z a-z 0-9 _ . -" },
        { { .name = "a\n", .call = fine }, "a name is made of A-Z a-z 0-9 _ . -" },
        { { .name = "\xC3", .call = fine }, "the name is not UTF-8" },
        { { .name = "t" }, "tool \"t\": it has no handler" },
        { { .name = "t", .call = fine, .hints = MCP_READ_ONLY | MCP_NOT_READ_ONLY },
          "tool \"t\": a hint says yes and no" },
        { { .name = "t", .call = fine,
          .hints = MCP_OPEN_WORLD | MCP_NOT_OPEN_WORLD | MCP_READ_ONLY },
          "tool \"t\": a hint says yes and no" },
        { { .name = "t", .call = fine, .hints = 256 }, "tool \"t\": hints has unknown bits" },
        { { .name = "t", .call = fine, .flags = MCP_REQUIRED },
          "tool \"t\": flags has unknown bits" },
        { { .call = fine }, "tool \"unit\": a row behind it has no name" },
        { { .name = "t", .args = one, .call = fine, .schema = "{\"type\":\"object\"}" },
          "tool \"t\": it has both args and schema" },
        { { .name = "t", .call = fine, .out = one, .out_schema = "{}" },
          "tool \"t\": it has both out and out_schema" },
        { { .name = "t", .call = fine, .schema = "{}" },
          "tool \"t\": schema does not say \"type\":\"object\"" },
        { { .name = "t", .call = fine, .schema = "{\"type\":[\"object\"]}" },
          "tool \"t\": schema does not say \"type\":\"object\"" },
        { { .name = "t", .call = fine, .schema = "true" },
          "tool \"t\": schema is not a JSON object" },
        { { .name = "t", .call = fine, .out_schema = "{]" },
          "tool \"t\": out_schema is not a JSON object" },
        { { .name = "t", .call = fine, .meta = "[]" }, "tool \"t\": meta is not a JSON object" },
        { { .name = "t", .call = fine, .meta = "{\"a\":\"\xFF\"}" },
          "tool \"t\": meta is not a JSON object" } };
    static mcp_tool table[2];
    memset(long_name, 'n', sizeof long_name - 1);
    for (size_t i = 0; i < LENGTH(rows); i++) {
        fresh();
        table[0] = rows[i].row;
        desc.tools = table;
        const char *got = refused();
        if (!CHECK(harness_is(got, "5 -8 tool \"") && strstr(got, rows[i].why))) puts(got);
    }
}

TEST(names_of_tools) { /* at their limits; twins; beyond ASCII with a warning */
    static mcp_tool table[4];
    for (int i = 0; i < 64; i++) memcpy(wide_name + 2 * i, "\xC3\xA9", 2);
    long_name[128] = 0;
    const char *const good[] = { "a", "A-z_0.9", "-", ".", long_name, wide_name };
    for (size_t i = 0; i < LENGTH(good); i++) {
        fresh();
        table[0].name = good[i];
        table[0].call = fine;
        desc.tools = table;
        start();
        CHECK((strstr(w.log, "not ASCII") != NULL) == (good[i] == wide_name));
        CHECK_STR(call(MODERN, good[i], "{}"), "[{\"type\":\"text\",\"text\":\"fine\"}]");
        stop();
    }
    table[0].name = "b", table[1].name = "a", table[2].name = "b";
    table[1].call = table[2].call = fine;
    fresh();
    desc.tools = table;
    CHECK_STR(refused(), "5 -8 tool \"b\": the name appears twice");
    table[2].name = "B";
    CHECK_STR(refused(), "");
    memset(table, 0, sizeof table);
}

TEST(mistakes_of_resources) {
    static const mcp_arg other[] = { { .name = "other" }, { 0 } };
    static const struct { mcp_resource row; const char *why; } rows[] = {
        { { .uri = "", .text = "" }, "the URI is empty, or not UTF-8" },
        { { .text = "" }, "resource \"unit\": a row of resources has no URI" },
        { { .uri = "\xFF", .text = "" }, "the URI is empty, or not UTF-8" },
        { { .uri = "a://b" }, "it needs exactly one of read, text, bytes, file" },
        { { .uri = "a://b", .read = fine, .text = "" },
          "it needs exactly one of read, text, bytes, file" },
        { { .uri = "a://b", .bytes = "x" }, "bytes without a size" },
        { { .uri = "a://b", .text = "", .meta = "1" }, "meta is not a JSON object" },
        { { .uri = "a://b", .text = "", .args = one }, "args and list are for templates" },
        { { .uri = "a://b", .text = "", .list = fine }, "args and list are for templates" },
        { { .uri = "a://{b}", .text = "" }, "a template needs a read handler" },
        { { .uri = "a://{b}", .read = fine, .args = other },
          "args has a row that is no variable of the URI" },
        { { .uri = "a://{b}{b}", .read = fine }, "appears twice" },
        { { .uri = "a://{b", .read = fine }, "a brace has no end" },
          { { .uri = "a://{}", .read = fine }, "an expression is not RFC 6570's" },
        { { .uri = "a://{b*}", .read = fine }, "level 4" },
        { { .uri = "a://b", .text = "", .annotations = { 4, 0, NULL } },
          "annotations.audience must contain only user and assistant." },
        { { .uri = "a://b", .text = "", .annotations = { 0, 2, NULL } },
          "annotations.priority must be a number from 0 to 1." },
        { { .uri = "b", .text = "" }, "the URI has no scheme" },
        { { .uri = ":b", .text = "" }, "the URI has no scheme" },
        { { .uri = "1a:b", .text = "" }, "the URI has no scheme" },
        { { .uri = "a_b:c", .text = "" }, "the URI has no scheme" },
        { { .uri = "note/{b}", .read = fine }, "the URI has no scheme" },
        { { .uri = "a:b c", .text = "" }, "the URI has a byte that must be escaped" },
        { { .uri = "a:b\n", .text = "" }, "the URI has a byte that must be escaped" },
        { { .uri = "a:<b>", .text = "" }, "the URI has a byte that must be escaped" },
        { { .uri = "a:b}", .text = "" }, "the URI has a byte that must be escaped" },
        { { .uri = "a:50%", .text = "" }, "the URI has a % that is no escape" },
        { { .uri = "a:%4G", .text = "" }, "the URI has a % that is no escape" },
        { { .uri = "a:b", .mime = "text", .text = "" }, "mime is not like text/plain" },
        { { .uri = "a:b", .mime = "/plain", .text = "" }, "mime is not like text/plain" },
        { { .uri = "a:b", .mime = "text/;a", .text = "" }, "mime is not like text/plain" },
        { { .uri = "a:b", .mime = "a/b/c", .text = "" }, "mime is not like text/plain" },
        { { .uri = "a:b", .text = "", .size = -2 }, "size is below 0" },
        { { .uri = "a:b", .text = "", .cache = { -2, 0 } }, "cache.ttl_ms is below 0" },
        { { .uri = "a:b", .text = "", .cache = { 1, 4 } },
          "cache.scope is MCP_PUBLIC or MCP_PRIVATE" } };
    static mcp_resource table[3];
    for (size_t i = 0; i < LENGTH(rows); i++) {
        fresh();
        table[0] = rows[i].row;
        desc.resources = table;
        const char *got = refused();
        if (!CHECK(harness_is(got, "5 -8 resource \"") && strstr(got,
            rows[i].why))) printf("%s\n    %s\n", got, rows[i].why);
    }
    memset(table, 0, sizeof table);
    table[0].uri = table[1].uri = "a://b";
    table[0].text = table[1].text = "";
    CHECK_STR(refused(), "5 -8 resource \"a://b\": the name appears twice");
}

TEST(mistakes_of_skills) {
    static const struct { mcp_skill row; const char *why; } rows[] = {
        { { .name = "S", .desc = "d" }, "skill \"S\": a skill's name is 1 to 64 of a-z 0-9 -" },
        { { .name = "", .desc = "d" }, "skill \"\": a skill's name is 1 to 64 of a-z 0-9 -" },
        { { .name = "s" }, "skill \"s\": it has no description" },
        { { .dir = "./nowhere" },
          "skill \"./nowhere\": its folder has no SKILL.md that can be read" } };
    static mcp_skill table[2];
    for (size_t i = 0; i < LENGTH(rows); i++) {
        fresh();
        table[0] = rows[i].row;
        desc.skills = table;
        CHECK_STR(refused(), text_of("5 -8 %s%s%s", rows[i].why, "", ""));
    }
}

/* The same of whatever has icons, and dates: what is good, and what is not. */
TEST(icons_and_dates) {
    static const mcp_icon bad_icons[][2] = {
        { { .src = "http://e/i" }, { 0 } }, { { .src = "i.png" }, { 0 } },
        { { .src = "data:,", .mime = "png" }, { 0 } }, { { .src = "data:,", .sizes = "" }, { 0 } },
        { { .src = "data:,", .sizes = "48" }, { 0 } },
        { { .src = "data:,", .sizes = "48x" }, { 0 } },
        { { .src = "data:,", .sizes = "x48" }, { 0 } },
        { { .src = "data:,", .sizes = "48X48" }, { 0 } },
        { { .src = "data:,", .sizes = "48x48," }, { 0 } },
        { { .src = "data:,", .sizes = "48x48|" }, { 0 } },
        { { .src = "data:,", .sizes = "anyone" }, { 0 } },
        { { .src = "data:,", .theme = "dusk" }, { 0 } } };
    static const mcp_icon good[] = { { .src = "https://e/i", .mime = "image/svg+xml",
        .sizes = "any|1x1|256x256", .theme = "dark" }, { .src = "data:,", .sizes = "any" }, { 0 } };
    static const char *const dates[] = { "2026", "2026-07", "2026-07-28", "2026-07-28T12:00Z",
        "2026-07-28T12:00:00Z", "2024-02-29T23:59:60.123Z", "2026-07-28T12:00:00+02:00",
        "2026-07-28T12:00:00.5-09:30", "", "now", "26", "2026-", "2026-13", "2026-00-01",
        "2026-07-32", "2026-07-28T12", "2026-07-28T12:00", "2026-07-28T12:00:00",
        "2026-07-28 12:00:00Z", "2026-07-28T24:00:00Z", "2026-07-28T12:60:00Z",
        "2026-07-28T12:00:00z", "2026-07-28T12:00:00Z.", "2026-07-28T12:00:00+2",
        "2026-07-28T12:00:00+02:0", "2026-07-28T12:00:00+02:00Z" };
    enum { GOOD_DATES = 8 };
    static mcp_tool tool[2] = { { .name = "t", .call = fine }, { 0 } };
    static mcp_prompt prompt[2] = { { .name = "p", .get = fine }, { 0 } };
    static mcp_resource resource[2] = { { .uri = "a:b", .text = "" }, { 0 } };
    for (size_t i = 0; i < LENGTH(bad_icons); i++)
        for (int at = 0; at < 4; at++) {
            const mcp_icon *icons = bad_icons[i];
            fresh();
            desc.tools = tool, desc.prompts = prompt, desc.resources = resource;
            desc.icons = at == 0 ? icons : good;
            tool[0].icons = at == 1 ? icons : good;
            prompt[0].icons = at == 2 ? icons : good;
            resource[0].icons = at == 3 ? icons : good;
            if (!CHECK(strstr(refused(), "\": an icon's ") != NULL)) printf("    %d\n", (int)i);
        }
    resource[0].icons = NULL;
    for (size_t i = 0; i < LENGTH(dates); i++) {
        fresh();
        desc.resources = resource;
        resource[0].annotations.last_modified = dates[i];
        if (!CHECK_STR(refused(), i < GOOD_DATES ? "" : "5 -8 resource \"a:b\": "
            "last_modified is not like 2026-07-28T12:00:00Z")) puts(dates[i]);
    }
}

TEST(mistakes_of_prompts) {
    static const mcp_arg number[] = { { .name = "n", .type = MCP_NUMBER }, { 0 } };
    static const mcp_arg raw[] = { { .name = "n", .schema = "{}" }, { 0 } };
    static const struct { mcp_prompt row; const char *why; } rows[] = {
        { { .name = "", .get = fine }, "prompt \"\": the name is empty" },
          { { .name = "p" }, "prompt \"p\": it has no handler" },
        { { .get = fine }, "prompt \"unit\": a row behind it has no name" },
        { { .name = "p", .args = number, .get = fine },
          "prompt \"p\": argument \"n\": a prompt's arguments are strings" },
        { { .name = "p", .args = raw, .get = fine },
          "prompt \"p\": argument \"n\": a prompt's arguments are strings" },
        { { .name = "p", .get = fine, .meta = "x" }, "prompt \"p\": meta is not a JSON object" } };
    static mcp_prompt table[3];
    for (size_t i = 0; i < LENGTH(rows); i++) {
        fresh();
        table[0] = rows[i].row;
        desc.prompts = table;
        CHECK_STR(refused(), text_of("5 -8 %s%s%s", rows[i].why, "", ""));
    }
}

/* ---- what is copied ---- */

TEST(texts_are_copied) { /* the desc may go, and its texts with it */
    char name[] = "name", version[] = "7", title[] = "T", instructions[] = "I",
        capabilities[] = "{\"experimental\":{}}";
    fresh();
    desc.name = name, desc.version = version, desc.title = title, desc.instructions = instructions;
    desc.capabilities = capabilities;
    desc.tools = tools;
    start();
    memset(name, '!', 4), memset(version, '!', 1), memset(title, '!', 1),
        memset(instructions, '!', 1);
    memset(capabilities, '!', sizeof capabilities - 1);
    memset(&desc, 0xEE, sizeof desc);
    memset(&w.desc, 0xEE, offsetof(mcp_server_desc, user));
    const char *out = request(MODERN, "server/discover", "");
    CHECK(strstr(out, "\"name\"") && strstr(out, "\"experimental\":{}") && !strchr(out, '!'));
    stop();
}

TEST(limits_have_bounds) { /* nothing overflows */
    fresh();
    desc.tools = tools;
    desc.limits.message = desc.limits.depth = desc.limits.page = desc.limits.calls = SIZE_MAX;
    desc.limits.spill = desc.limits.subscriptions = desc.limits.logs = SIZE_MAX;
    start();
    CHECK_INT(inside_depth(w.server), 1024);
    CHECK_STR(call("2025-11-25", "fine", "{}"), "[{\"type\":\"text\",\"text\":\"fine\"}]");
    CHECK(strstr(request(MODERN, "tools/list", ""), "\"fine\"") != NULL);
    stop();
}

/* ---- memory ---- */

static const mcp_arg rich_args[] = {
    { .name = "a", .def = "x", .choices = "x|y", .labels = "X|Y" },
    { .name = "b", .type = MCP_ARRAY, .items = MCP_OBJECT, .of = one },
    { .name = "c", .schema = "{\"type\":\"string\"}" }, { 0 } };
static const mcp_tool rich_tools[] = { { .name = "r", .args = rich_args, .call = fine, .out = one,
    .meta = "{}" },
                                       { .name = "s", .call = fine,
                                           .schema = "{\"type\":\"object\"}" }, { 0 } };
static const mcp_resource rich_resources[] = { { .uri = "a://{x}/{+y}{?z}", .read = fine },
    { .uri = "b:", .text = "" }, { 0 } };
static const mcp_prompt rich_prompts[] = { { .name = "p", .args = one, .get = fine }, { 0 } };

static void rich(void) {
    fresh();
    desc.tools = rich_tools;
    desc.resources = rich_resources;
    desc.prompts = rich_prompts;
    desc.capabilities = "{\"experimental\":{}}";
    desc.instructions = "I";
}

/* whichever allocation fails: no server, no leak, and a line that says so */
TEST(no_memory_for_a_server) {
    for (size_t n = 1; n < 1000; n++) {
        rich();
        harness_world_init(&w, NULL, &desc);
        w.mem.dirty = true;
        w.mem.fail_at = n;
        w.server = mcp_server_new(&w.desc);
        bool failed = w.mem.failed;
        CHECK((w.server == NULL) == failed);
        if (failed) CHECK_STR(w.log, "5 -1 out of memory");
        CHECK(harness_close(&w));
        CHECK_STR(w.mem.wrong, (const char *)NULL);
        harness_world_free(&w);
        if (!failed) break;
    }
}

TEST(no_memory_for_other_tables) { /* the old ones stay */
    for (size_t n = 1; n < 1000; n++) {
        fresh();
        desc.tools = tools;
        desc.changes = MCP_TOOLS | MCP_RESOURCES | MCP_PROMPTS;
        start();
        hello("2025-11-25");
        w.mem.fail_at = w.mem.calls + n;
        int rc = mcp_server_set_tools(w.server, rich_tools);
        bool failed = w.mem.failed;
        w.mem.fail_at = 0;
        CHECK(rc == MCP_OK || (failed && rc == MCP_NOMEM)); /* to tell of it may fail, too */
        CHECK(strstr(request(MODERN, "tools/list", ""), rc ? "\"fine\"" : "\"r\"") != NULL);
        if (rc) CHECK(strstr(w.log, "out of memory") != NULL);
        stop();
        if (!failed) break;
    }
}

/* ---- other tables ---- */

static mcp_call *kept;
HANDLER(defers) {
    kept = c;
    return mcp_defer(c);
}
static const mcp_tool before[] = { { .name = "t", .args = one, .call = defers, .out = one,
    .user = "before" }, { 0 } };
static const mcp_tool after[] = { { .name = "t", .call = fine, .user = "after" },
    { .name = "u", .call = fine }, { 0 } };
static const mcp_tool broken[] = { { .name = "t", .call = fine }, { .name = "t", .call = fine },
    { 0 } };

TEST(tables_are_replaced) { /* a call in progress keeps its row; a mistake changes nothing */
    fresh();
    desc.tools = before;
    start();
    request(MODERN, "tools/call", "\"name\":\"t\",\"arguments\":{\"a\":\"x\"}");
    CHECK_INT(mcp_server_set_tools(w.server, broken), MCP_MISUSE);
    CHECK_STR(w.log, "5 -8 tool \"t\": the name appears twice");
    CHECK(!strstr(ask("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\",\"params\":{"
        "\"_meta\":{" HARNESS_META "}}}"), "\"u\""));
    for (int i = 0; i < 3; i++) CHECK_INT(mcp_server_set_tools(w.server, i % 2 ? before : after),
        MCP_OK);
    CHECK(strstr(ask("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\",\"params\":{"
        "\"_meta\":{" HARNESS_META "}}}"), "\"u\"") != NULL);
    CHECK_STR((const char *)mcp_row_user(kept), "before");
    CHECK_STR(mcp_arg_str(kept, "a"), "x");
    w.out.n = 0;
    mcp_done(kept, MCP_OK); /* against the table that it was found in */
    harness_add(&w.out, "", 0);
    CHECK(strstr(w.out.at, "Invalid result: no structured content") != NULL);
    CHECK_STR(call(MODERN, "t", "{}"), "[{\"type\":\"text\",\"text\":\"fine\"}]");
    stop();
}

HANDLER(replaces) {
    CHECK_INT(mcp_server_set_tools(mcp_call_server(c), after), MCP_OK);
    return mcp_text(c, (const char *)mcp_row_user(c));
}
TEST(tables_replaced_by_a_handler) { /* under its own feet */
    static const mcp_tool self[] = { { .name = "t", .call = replaces, .user = "self" }, { 0 } };
    fresh();
    desc.tools = self;
    start();
    CHECK_STR(call(MODERN, "t", "{}"), "[{\"type\":\"text\",\"text\":\"self\"}]");
    CHECK_STR(call(MODERN, "u", "{}"), "[{\"type\":\"text\",\"text\":\"fine\"}]");
    CHECK_INT(mcp_server_set_tools(w.server, NULL), MCP_OK);
    CHECK(strstr(request(MODERN, "tools/list", ""), "\"tools\":[]") != NULL);
    stop();
}

TEST(tables_that_were_not_there) { /* offered from then on, if the desc said that they may come */
    fresh();
    desc.changes = MCP_TOOLS;
    start();
    CHECK(strstr(request(MODERN, "tools/list", ""), "\"tools\":[]") != NULL);
    CHECK_INT(mcp_server_set_tools(w.server, tools), MCP_OK);
    CHECK_INT(mcp_server_set_resources(w.server, rich_resources), MCP_OK);
    CHECK_INT(mcp_server_set_prompts(w.server, rich_prompts), MCP_OK);
    CHECK(strstr(request(MODERN, "tools/list", ""), "\"fine\"") != NULL);
    CHECK(strstr(request(MODERN, "resources/templates/list", ""), "a://") != NULL);
    CHECK(strstr(request(MODERN, "prompts/list", ""), "\"p\"") != NULL);
    stop();
}

/* ---- many ---- */

static double starting(const void *nothing, size_t count) {
    (void)nothing;
    mcp_tool *many = (mcp_tool *)calloc(count + 1, sizeof *many);
    char (*names)[32] = (char (*)[32])calloc(count, sizeof *names);
    if (!many || !names) harness_die("server", 0, "out of memory");
    for (size_t i = 0; i < count; i++) {
        snprintf(names[i], sizeof names[i], "tool%lu", (unsigned long)(count - i));
        many[i].name = names[i];
        many[i].call = fine;
        many[i].args = one;
    }
    clock_t from = clock();
    fresh();
    desc.tools = many;
    start();
    CHECK(strlen(request(MODERN, "tools/list", "")) > 50 * count);
    CHECK_STR(call(MODERN, names[count / 2], "{}"), "[{\"type\":\"text\",\"text\":\"fine\"}]");
    stop();
    double t = cost_since(from);
    free(many);
    free(names);
    return t;
}

TEST(many_tools) { /* starting and listing cost what they hold, and no more */
    CHECK(cost_grows(starting, NULL, 2500, 10000, 9));
}

int main(void) {
    RUN(mistakes_of_a_desc);
    RUN(desc_not_zeroed);
    RUN(tracing_needs_hooks);
    RUN(mistakes_of_tools);
    RUN(names_of_tools);
    RUN(mistakes_of_resources);
    RUN(mistakes_of_skills);
    RUN(icons_and_dates);
    RUN(mistakes_of_prompts);
    RUN(texts_are_copied);
    RUN(limits_have_bounds);
    RUN(no_memory_for_a_server);
    RUN(no_memory_for_other_tables);
    RUN(tables_are_replaced);
    RUN(tables_replaced_by_a_handler);
    RUN(tables_that_were_not_there);
    RUN(many_tools);
    return DONE();
}
