/* unit.h - one server in this process, asked in one line: what the tests of the layers share

       desc.tools = tools;
       start();
       CHECK_STR(call("2025-11-25", "add", "{\"a\":1}"), "[{\"type\":\"text\",\"text\":\"1\"}]");
       stop();

   The header asserts that it is not misused. Here such assertions are counted instead, so that what
   a release does can be looked at: a test that misuses says how often. Include before all else.

   The implementation is linked, once for all of them: compile/unit.c. A test of private functions
   has one of its own: #define MCP_IMPLEMENTATION before this. */
#ifndef UNIT_H
#define UNIT_H

#define MCP_ASSERT(x) ((x) ? (void)0 : (void)asserted++)
#ifdef MCP_IMPLEMENTATION
static unsigned asserted; /* how many assertions of the header have failed */
#include "harness.h"
#else
#include "harness.h"

#include "inside.h"
#endif

#define MODERN "2026-07-28"
static TEST__UNUSED const char *const versions[] = { "2024-11-05", "2025-03-26", "2025-06-18",
                                                     "2025-11-25", MODERN };

#define J(...) #__VA_ARGS__ /* JSON as it is */

static harness_world w;
static mcp_server_desc desc; /* of the next start */

/* A part of a message, as a C string of its own; up to 32 of them at a time. */
static TEST__UNUSED const char *keep(const char *s, size_t n) {
    static harness_bytes kept[32];
    static unsigned next;
    harness_bytes *b = &kept[next++ % 32];
    b->n = 0;
    harness_add(b, s, n);
    return b->at;
}

/* The member's JSON, or "" when there is none. */
static TEST__UNUSED const char *part(const char *json, const char *key) {
    size_t n = 0;
    const char *s = harness_member(json, strlen(json), key, &n);
    return s ? keep(s, n) : "";
}

static TEST__UNUSED const char *text_of(const char *format, const char *a, const char *b,
                                        const char *c) {
    size_t n = strlen(format) + strlen(a) + strlen(b) + strlen(c) + 1;
    char *s = (char *)malloc(n);
    if (!s) harness_die("unit", 0, "out of memory");
    snprintf(s, n, format, a, b, c);
    const char *kept = keep(s, strlen(s));
    free(s);
    return kept;
}

static TEST__UNUSED void fresh(void) {
    memset(&desc, 0, sizeof desc);
    desc.name = "unit";
    asserted = 0;
}

/* Serves desc, which must be right. */
static TEST__UNUSED void start(void) {
    harness_world_init(&w, NULL, &desc);
    w.mem.dirty = true;
    if (!CHECK(harness_open(&w))) harness_die("unit", 0, w.log);
    harness_add(&w.out, "", 0);
}

/* What came of these bytes is w.out, a C string as well. */
static TEST__UNUSED int feed(const char *bytes, size_t n) {
    w.out.n = 0;
    int status = mcp_feed(w.conn, bytes, n);
    harness_add(&w.out, "", 0);
    return status;
}

/* The lines that answer this one, without the last newline. */
static TEST__UNUSED const char *ask(const char *line) {
    harness_bytes in = { NULL, 0, 0 };
    harness_add(&in, line, strlen(line));
    harness_add(&in, "\n", 1);
    CHECK_INT(feed(in.at, in.n), MCP_OK);
    free(in.at);
    if (w.out.n) w.out.at[w.out.n - 1] = 0;
    return w.out.at;
}

static TEST__UNUSED void hello(const char *version) {
    char line[sizeof HARNESS_HELLO + 64];
    snprintf(line, sizeof line, HARNESS_HELLO, version);
    CHECK_INT(feed(line, strlen(line)), MCP_OK);
    CHECK(strstr(w.out.at, version) != NULL);
}

/* A request in a version's own shape; of an older one after its handshake. */
static TEST__UNUSED const char *request(const char *version, const char *method,
                                        const char *params) {
    bool modern = !strcmp(version, MODERN);
    if (!modern) hello(version);
    const char *meta = !modern ? "" : *params ? "\"_meta\":{" HARNESS_META "},"
                                              : "\"_meta\":{" HARNESS_META "}";
    return ask(text_of("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":{%s%s}}",
                       method, meta, params));
}

/* The result of a tool's call; "" if it was refused: then w.out says why. */
static TEST__UNUSED const char *result(const char *version, const char *tool, const char *args) {
    const char *params = text_of("\"name\":\"%s\",\"arguments\":%s%s", tool, args, "");
    return part(request(version, "tools/call", params), "result");
}

/* Its content. */
static TEST__UNUSED const char *call(const char *version, const char *tool, const char *args) {
    return part(result(version, tool, args), "content");
}

/* The text of a call that failed, as JSON; "" if it did not. */
static TEST__UNUSED const char *failure(const char *version, const char *tool, const char *args) {
    static const char before[] = "[{\"type\":\"text\",\"text\":";
    const char *r = result(version, tool, args);
    if (strcmp(part(r, "isError"), "true") != 0) return "";
    const char *content = part(r, "content");
    return harness_is(content, before)
               ? keep(content + sizeof before - 1, strlen(content) - sizeof before - 1) : content;
}

/* Why desc is not served, or "" if it is. */
static TEST__UNUSED const char *refused(void) {
    harness_world_init(&w, NULL, &desc);
    w.mem.dirty = true;
    w.server = mcp_server_new(&w.desc);
    const char *why = w.server ? "" : keep(w.log, strlen(w.log));
    CHECK(harness_close(&w));
    harness_world_free(&w);
    return why;
}

/* Nothing leaks, nothing was asserted but what the test expects. */
static TEST__UNUSED void stop_after(unsigned misuses) {
    CHECK_INT(asserted, misuses);
    asserted = 0;
    CHECK(harness_close(&w));
    CHECK_STR(w.mem.wrong, (const char *)NULL);
    harness_world_free(&w);
}
static TEST__UNUSED void stop(void) { stop_after(0); }

/* The same, and whatever happened before, the next call of the tool "fine" works. */
static TEST__UNUSED void end_after(unsigned misuses) {
    CHECK_STR(call(MODERN, "fine", "{}"), "[{\"type\":\"text\",\"text\":\"fine\"}]");
    stop_after(misuses);
}

#endif
