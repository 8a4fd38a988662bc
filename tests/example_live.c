/* example_live.c - examples/live.c on a machine that we make up: views, revisions, what an output
   depends on, and what becomes of a view that is closed, crowded out or somebody else's */
#ifndef _WIN32
#define _XOPEN_SOURCE 700
#endif
#include "unit.h"

#include "folder.h"

#include "served.h"
#define main live_main
#include "../examples/live.c"
#undef main

static char home[600];

#ifdef __linux__
static const char *const files[] = { "stat", "meminfo", "loadavg", "7/stat", "7/statm", "9/stat",
                                     "9/statm" };

static void put_text(const char *name, const char *text) {
    FILE *f = fopen(text_of("%s/%s%s", home, name, ""), "wb");
    if (!f || fwrite(text, 1, strlen(text), f) != strlen(text) || fclose(f))
        harness_die(name, 0, "cannot be written");
}

static void clean(void) {
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        remove(text_of("%s/%s%s", home, files[i], ""));
    remove_dir(text_of("%s/7%s%s", home, "", ""));
    remove_dir(text_of("%s/9%s%s", home, "", ""));
    remove_dir(home);
}

/* Ten seconds of four processors later: 7 has used a quarter of them, and so has nobody else. */
static void later(void) {
    put_text("stat", "cpu 1100 0 0 12900 0 0 0 0\ncpu0 1 2 3\n");
    put_text("7/stat", "7 (a) b) S 1 7 7 0 -1 0 0 0 0 0 1100 0 0 0\n");
}

static void begin(void) {
    clean();
    if (make_dir(home) || make_dir(text_of("%s/7%s%s", home, "", "")) ||
        make_dir(text_of("%s/9%s%s", home, "", ""))) harness_die(home, 0, "cannot be made");
    put_text("stat", "cpu 100 0 0 9900 0 0 0 0\n");
    put_text("meminfo", "MemTotal: 4194304 kB\nMemAvailable: 3145728 kB\n");
    put_text("loadavg", "0.50 0.25 0.10 1/100 9\n");
    put_text("7/stat", "7 (a) b) S 1 7 7 0 -1 0 0 0 0 0 60 40 0 0\n");
    put_text("7/statm", "1 256 0\n");
    put_text("9/stat", "9 (big) S 1 9 9 0 -1 0 0 0 0 0 0 0 0 0\n");
    put_text("9/statm", "1 2560 0\n");
    memset(&now, 0, sizeof now);
    memset(&store, 0, sizeof store);
    proc = home;
    fresh();
    live_main(1, NULL);
    desc = served;
    start();
}

/* What the page is told. */
static const char *view_of(const char *tool, const char *args) {
    const char *params = text_of("\"name\":\"%s\",\"arguments\":%s%s", tool, args, "");
    const char *line = text_of(
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
        "\"params\":{%s,\"_meta\":{%s%s", params,
        "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",",
        "\"io.modelcontextprotocol/clientCapabilities\":{\"extensions\":"
        "{\"io.modelcontextprotocol/ui\":{}}}}}}");
    return part(part(part(ask(line), "result"), "_meta"), "example.com/live");
}
static const char *page_of(const char *args) { return view_of("live_view", args); }
static const char *output(const char *view, const char *name) {
    return part(part(view, "outputs"), name);
}

TEST(the_model_opens_a_view) {
    begin();
    const char *v = view_of("live", "{\"top\":1,\"sort\":\"memory\"}");
    CHECK_STR(part(v, "view"), "\"v1\"");
    CHECK_STR(part(v, "revision"), "1");
    CHECK_STR(part(v, "restarted"), "false");
    CHECK_STR(part(v, "nextTick"), "2000");
    CHECK_STR(part(v, "inputs"), J({"sort":"memory","filter":"","top":1,"rate":2000}));
    CHECK_STR(output(v, "memory"), "\"1.0 of 4.0 GiB\"");
    CHECK_STR(output(v, "load"), "\"0.50  0.25  0.10\"");
    CHECK_STR(part(output(v, "processes"), "rows"), J([["big",9,"0.0","10.0"]]));
    /* and changes it as a client that shows no pages */
    const char *r = result(MODERN, "live", "{\"view\":\"v1\",\"sort\":\"cpu\"}");
    CHECK_STR(part(part(r, "structuredContent"), "view"), "\"v1\"");
    CHECK(strstr(part(r, "content"), "View v1 shows it.") != NULL);
    CHECK_STR(result(MODERN, "live_view", "{\"view\":\"v1\"}"), "");
    stop();
}

TEST(a_page_is_told_what_it_lacks) {
    begin();
    view_of("live", "{}");
    const char *v = page_of("{\"view\":\"v1\",\"revision\":1,\"inputs\":{\"filter\":\"big\"}}");
    CHECK_STR(part(v, "revision"), "2");
    CHECK_STR(part(v, "inputs"), "");
    CHECK_STR(output(v, "cpu"), "");
    CHECK_STR(output(v, "memory"), "");
    CHECK_STR(part(output(v, "processes"), "rows"), J([["big",9,"0.0","10.0"]]));
    v = page_of("{\"view\":\"v1\",\"revision\":2,\"inputs\":{\"rate\":500}}");
    CHECK_STR(part(v, "outputs"), "{}");
    CHECK_STR(part(v, "nextTick"), "500");
    later();
    v = page_of("{\"view\":\"v1\",\"revision\":3,\"tick\":true,\"inputs\":{\"filter\":\"\"}}");
    CHECK_STR(output(v, "cpu"), "\"25\"");
    CHECK(strstr(output(v, "chart"), "L89 75.0'") != NULL);
    CHECK_STR(part(output(v, "processes"), "rows"),
              J([["a) b",7,"25.0","1.0"],["big",9,"0.0","10.0"]]));
    v = page_of("{\"view\":\"v1\",\"revision\":3}"); /* it has missed something */
    CHECK_STR(part(v, "revision"), "5");
    CHECK_STR(part(v, "restarted"), "false");
    CHECK_STR(part(v, "inputs"), J({"sort":"cpu","filter":"","top":12,"rate":500}));
    CHECK_STR(output(v, "cpu"), "\"25\"");
    stop();
}

TEST(a_view_that_is_gone_begins_again) {
    begin();
    view_of("live", "{\"top\":1}");
    CHECK_STR(page_of("{\"view\":\"v1\",\"action\":\"close\"}"), "");
    const char *v = page_of("{\"view\":\"v1\",\"revision\":1,\"inputs\":{\"top\":2}}");
    CHECK_STR(part(v, "view"), "\"v2\"");
    CHECK_STR(part(v, "restarted"), "true");
    CHECK_STR(part(v, "revision"), "1");
    CHECK_STR(part(v, "inputs"), J({"sort":"cpu","filter":"","top":2,"rate":2000}));
    for (int i = 0; i < VIEWS - 1; i++) view_of("live", "{}"); /* full: v2 is the oldest */
    v = page_of("{\"view\":\"v2\",\"revision\":1}");
    CHECK_STR(part(v, "restarted"), "false"); /* and now v3 is */
    view_of("live", "{}");
    CHECK_STR(part(page_of("{\"view\":\"v2\",\"revision\":2}"), "restarted"), "false");
    CHECK_STR(part(page_of("{\"view\":\"v3\",\"revision\":1}"), "restarted"), "true");
    stop();
}

TEST(a_view_is_its_owners) {
    begin();
    CHECK_INT(mcp_conn_identify(w.conn, "ann"), MCP_OK);
    view_of("live", "{}");
    CHECK_STR(part(page_of("{\"view\":\"v1\",\"revision\":1}"), "restarted"), "false");
    CHECK_INT(mcp_conn_identify(w.conn, "bob"), MCP_OK);
    CHECK_STR(part(page_of("{\"view\":\"v1\",\"revision\":2}"), "restarted"), "true");
    char name[100];
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = 0;
    CHECK_INT(mcp_conn_identify(w.conn, name), MCP_OK);
    CHECK_STR(failure(MODERN, "live", "{}"), "\"the name of who asks is too long\"");
    stop();
}

TEST(without_proc) {
    begin();
    clean();
    CHECK_STR(failure(MODERN, "live", "{}"), "\"this machine has no /proc to read\"");
    stop();
}
#endif

TEST(views_end_after_an_idle_hour) {
    memset(&store, 0, sizeof store);
    view *v = view_open(&store, "", 1000);
    CHECK(view_find(&store, "v1", "", 1000 + VIEW_IDLE_S) == v);
    CHECK(view_find(&store, "v1", "", 1000 + 2 * VIEW_IDLE_S) == v); /* used meanwhile */
    CHECK(!view_find(&store, "v1", "", 1001 + 3 * VIEW_IDLE_S));
    CHECK(!view_find(&store, "", "", 1000));
}

int main(void) {
    snprintf(home, sizeof home, "%s", "example_live.d");
#ifdef __linux__
    RUN(the_model_opens_a_view);
    RUN(a_page_is_told_what_it_lacks);
    RUN(a_view_that_is_gone_begins_again);
    RUN(a_view_is_its_owners);
    RUN(without_proc);
    clean();
#else
    SKIP(live, "it reads /proc");
#endif
    RUN(views_end_after_an_idle_hour);
    return DONE();
}
