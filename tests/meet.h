/* meet.h - what the tests of the client share: who it is, what it hears, and its memory. Include
   instead of unit.h. */
#ifndef MEET_H
#define MEET_H

#include "unit.h"

static TEST__UNUSED mcp_client *k;
static TEST__UNUSED mcp_client_desc who; /* of the next meeting */
static harness_mem mem;                 /* the client's */
static char logged[512], heard[1024], asked[1024];

static TEST__UNUSED void log_line(void *user, int level, int status, const char *text) {
    (void)user, (void)level, (void)status;
    snprintf(logged, sizeof logged, "%s", text);
}

static TEST__UNUSED void hear(void *user, const char *method, const mcp_json *params) {
    (void)user;
    size_t n, have = strlen(heard);
    const char *raw = mcp_get_raw(params, NULL, &n);
    snprintf(heard + have, sizeof heard - have, "%s %.*s\n", method, (int)n, raw);
}

/* Who may be asked, and knows only this much. */
static const char *reply = "{}";
static int reply_status;
static TEST__UNUSED int answer(void *user, const char *method, const mcp_json *params,
                               mcp_writer *to) {
    (void)user;
    snprintf(asked, sizeof asked, "%s %s%s", method, mcp_get_str(params, "message"),
             mcp_get_str(params, "url"));
    if (reply_status == MCP_OK && *reply) mcp_put_raw(to, NULL, reply);
    return reply_status;
}

static TEST__UNUSED void stranger(void) {
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
    mem.dirty = true;
    reply = "{}";
    reply_status = MCP_OK;
    *logged = *heard = *asked = 0;
}

/* A result's member, as JSON; or why there is none. */
static TEST__UNUSED const char *raw(const mcp_json *v, const char *key) {
    size_t n;
    if (!v) return mcp_client_failure(k)->text;
    const char *s = mcp_get_raw(v, key, &n);
    return keep(s, n);
}

static TEST__UNUSED unsigned bit_of(const char *version) { return harness__versions(version); }

/* It is gone, and left nothing behind. */
static TEST__UNUSED void leave(void) {
    mcp_client_free(k);
    k = NULL;
    CHECK_INT(mem.live, 0);
    CHECK_STR(mem.wrong, NULL);
    CHECK_INT(asserted, 0);
}

#endif
