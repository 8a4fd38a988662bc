/* web.h - a server over HTTP in this process: bytes on connections, or requests as a web server
   hands them on. The clock stands still unless a test moves it. Include instead of unit.h.

       serve();
       reply *r = post(JSON, "{...}");
       CHECK_INT(r->status, 200);
       CHECK_STR(header(r, "Content-Type"), "application/json");
       CHECK_STR(r->body.at, "{...}");
       stop();                                                                                 */
#ifndef WEB_H
#define WEB_H

#include "unit.h"

/* ---- the server ---- */

static int64_t web_now;
static int64_t web_clock(void *user) { return (void)user, web_now; }

static TEST__UNUSED void sleep_ms(int64_t ms) {
    web_now += ms * 1000000;
    mcp_poll(w.server);
}

static TEST__UNUSED void web_new(void) {
    harness_world_init(&w, NULL, &desc);
    w.mem.dirty = true;
    w.desc.clock.func = web_clock;
    web_now = INT64_C(1785240000) * 1000000000; /* 2026-07-28T12:00:00Z */
    w.server = mcp_server_new(&w.desc);
}

/* ---- requests and replies: mcp_http_handle ---- */

typedef struct reply {
    int rc, status, parts;
    bool last;
    int fail_at;               /* this part is not taken; 0: all are */
    harness_bytes head, body;  /* "Name: value\n" ... */
} reply;

enum { REPLIES = 64 };
static reply web_replies[REPLIES];
static unsigned web_next;

static int web_part(void *user, const mcp_http_part *part) {
    reply *r = (reply *)user;
    CHECK(!r->last && (part->status != 0) == (r->parts == 0));
    if (++r->parts == r->fail_at) return MCP_IO;
    if (part->status) r->status = part->status;
    for (const mcp_attr *h = part->headers; h && h->key; h++) {
        harness_add(&r->head, h->key, strlen(h->key));
        harness_add(&r->head, ": ", 2);
        harness_add(&r->head, h->value, strlen(h->value));
        harness_add(&r->head, "\n", 1);
    }
    if (part->size) harness_add(&r->body, part->body, part->size);
    r->last = part->last;
    return MCP_OK;
}

/* A reply's header, or "". */
static TEST__UNUSED const char *header(const reply *r, const char *name) {
    size_t n = strlen(name);
    for (const char *s = r->head.at; s && *s; s = strchr(s, '\n') + 1)
        if (!strncmp(s, name, n) && s[n] == ':')
            return keep(s + n + 2, strcspn(s + n + 2, "\n"));
    return "";
}

/* One request; headers: "Name: value\n" ... The reply may go on later. */
static TEST__UNUSED reply *request_of(const char *method, const char *target, const char *headers,
                                      const void *body, size_t size, const char *principal) {
    mcp_attr h[80];
    size_t n = 0;
    harness_bytes text = { NULL, 0, 0 };
    harness_add(&text, headers, strlen(headers));
    for (char *s = text.at; *s && n < 79; n++) {
        char *colon = strchr(s, ':'), *end = strchr(s, '\n');
        if (!colon || !end) harness_die("web", 0, headers);
        *colon = *end = 0;
        h[n].key = s;
        h[n].value = colon + 1 + strspn(colon + 1, " \t");
        s = end + 1;
    }
    h[n].key = h[n].value = NULL;
    reply *r = &web_replies[web_next++ % REPLIES];
    harness_bytes head = r->head, old = r->body;
    memset(r, 0, sizeof *r);
    r->head = head, r->body = old;
    r->head.n = r->body.n = 0;
    harness_add(&r->head, "", 0);
    harness_add(&r->body, "", 0);
    mcp_http_request rq = { method, target, h, body, size, principal };
    mcp_reply_hook hook = { web_part, r };
    r->rc = mcp_http_handle(w.server, &rq, hook);
    free(text.at); /* nobody may look at it any more */
    return r;
}

static TEST__UNUSED reply *ask_http(const char *method, const char *headers, const char *body) {
    return request_of(method, "/mcp", headers, body, strlen(body), NULL);
}

#define JSON "Content-Type: application/json\nAccept: application/json, text/event-stream\n"
static TEST__UNUSED reply *post(const char *headers, const char *body) {
    return ask_http("POST", headers, body);
}

/* What came since the last look; the reply forgets it. */
static TEST__UNUSED const char *since(reply *r) {
    const char *s = keep(r->body.at, r->body.n);
    r->body.n = 0;
    harness_add(&r->body, "", 0);
    return s;
}

static TEST__UNUSED void serve(void) {
    web_new();
    if (!CHECK(w.server != NULL)) harness_die("web", 0, w.log);
}

/* ---- bytes: a connection ---- */

typedef struct peer {
    mcp_conn *conn;
    harness_bytes out;
    size_t writes, fail_at;    /* this write fails, counted from 1; 0: none */
    bool hung_up, failed;
} peer;

static int web_write(void *user, const void *bytes, size_t n) {
    peer *p = (peer *)user;
    CHECK(!p->hung_up);
    CHECK(!p->failed);
    if (++p->writes == p->fail_at) {
        p->failed = true;
        return MCP_IO;
    }
    if (!n) p->hung_up = true;
    harness_add(&p->out, bytes, n);
    return MCP_OK;
}

static TEST__UNUSED bool peer_open(peer *p) {
    mcp_write_hook hook = { web_write, p };
    harness_bytes out = p->out;
    memset(p, 0, sizeof *p);
    p->out = out;
    p->out.n = 0;
    harness_add(&p->out, "", 0);
    p->conn = mcp_conn_new(w.server, MCP_HTTP, hook);
    return p->conn != NULL;
}

static TEST__UNUSED void peer_close(peer *p) {
    mcp_conn_free(p->conn);
    free(p->out.at);
    memset(p, 0, sizeof *p);
}

static TEST__UNUSED const char *peer_came(peer *p) {
    const char *s = keep(p->out.at, p->out.n);
    p->out.n = 0;
    harness_add(&p->out, "", 0);
    return s;
}

static TEST__UNUSED int say(peer *p, const char *bytes) {
    return mcp_feed(p->conn, bytes, strlen(bytes));
}

#endif
