/* mount.c - MCP inside a web server that is already there: here GNU libmicrohttpd serves its pages,
   and /mcp beside them; no sockets of ours

   cc -I. examples/mount.c -lmicrohttpd && ./a.out 8080. One thread runs both. Another server needs
   the same three: what a request is, how a reply leaves, and who hung up. */
#define MCP_IMPLEMENTATION
#include "mcp.h"

#include <microhttpd.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct visit {             /* one request, until libmicrohttpd says that it is over */
    struct MHD_Connection *peer;
    struct MHD_Response *response; /* when its status is known */
    char *body, *out;              /* what came; what a stream has not sent yet */
    size_t size, waits;
    unsigned status;
    bool asked, sleeps, last;
} visit;

enum { LARGEST = 10 << 20 };       /* bytes of a body */
static mcp_server *server;

static bool append(char **to, size_t *n, const void *bytes, size_t size) {
    char *more = (char *)realloc(*to, *n + size + 1);
    if (!more) return false;
    *to = more;
    if (size) memcpy(more + *n, bytes, size);
    *n += size;
    return true;
}

static void rest(visit *v) {       /* until there is something to send */
    v->sleeps = true;
    MHD_suspend_connection(v->peer);
}

/* libmicrohttpd asks for more of a stream. */
static ssize_t more(void *user, uint64_t at, char *buf, size_t max) {
    visit *v = (visit *)user;
    size_t n = v->waits < max ? v->waits : max;
    (void)at;
    if (!n && v->last) return MHD_CONTENT_READER_END_OF_STREAM;
    if (!n) return rest(v), 0;
    memcpy(buf, v->out, n);
    memmove(v->out, v->out + n, v->waits -= n);
    return (ssize_t)n;
}

/* mcp.h has something to say: all at once, or a stream in several parts. */
static int reply(void *user, const mcp_http_part *part) {
    visit *v = (visit *)user;
    v->last = part->last;
    if (!append(&v->out, &v->waits, part->body, part->size)) return MCP_NOMEM;
    if (part->status) {
        uint64_t size = part->last ? part->size : MHD_SIZE_UNKNOWN;
        v->response = MHD_create_response_from_callback(size, 32768, more, v, NULL);
        v->status = (unsigned)part->status;
        if (!v->response) return MCP_NOMEM;
        for (const mcp_attr *h = part->headers; h->key; h++)
            MHD_add_response_header(v->response, h->key, h->value);
    }
    if (v->sleeps) MHD_resume_connection(v->peer);
    v->sleeps = false;
    return MCP_OK;
}

typedef struct fields { mcp_attr at[64]; int n; } fields;

static enum MHD_Result field(void *user, enum MHD_ValueKind kind, const char *key,
                             const char *value) {
    fields *f = (fields *)user;
    (void)kind;
    f->at[f->n].key = key;
    f->at[f->n++].value = value;
    return f->n < 63 ? MHD_YES : MHD_NO;
}

static enum MHD_Result page(visit *v) { /* what this server was there for */
    static char text[] = "Welcome. There is an MCP server at /mcp.\n";
    v->last = true;
    v->status = 200;
    v->response = MHD_create_response_from_buffer(sizeof text - 1, text, MHD_RESPMEM_PERSISTENT);
    return v->response ? MHD_YES : MHD_NO;
}

static enum MHD_Result ask(visit *v, const char *url, const char *method) {
    fields f = { { { NULL, NULL } }, 0 };
    MHD_get_connection_values(v->peer, MHD_HEADER_KIND, field, &f);
    f.at[f.n].key = NULL;
    mcp_http_request request = { .method = method, .target = url, .headers = f.at,
                                 .body = v->body, .size = v->size };
    mcp_reply_hook hook = { reply, v };
    int rc = mcp_http_handle(server, &request, hook);
    v->asked = true;
    if (rc == MCP_UNSUPPORTED) return page(v);
    return rc < 0 ? MHD_NO : MHD_YES;
}

/* Called when the head is here, for each piece of the body, behind it, and after each rest. */
static enum MHD_Result on_request(void *user, struct MHD_Connection *peer, const char *url,
                                  const char *method, const char *version, const char *piece,
                                  size_t *n, void **of) {
    visit *v = (visit *)*of;
    (void)user, (void)version;
    if (!v) {
        *of = v = (visit *)calloc(1, sizeof *v);
        if (v) v->peer = peer;
        return v ? MHD_YES : MHD_NO;
    }
    if (*n) {
        if (v->size + *n > LARGEST || !append(&v->body, &v->size, piece, *n)) return MHD_NO;
        *n = 0;
        return MHD_YES;
    }
    if (!v->asked && ask(v, url, method) != MHD_YES) return MHD_NO;
    if (!v->response) return rest(v), MHD_YES;
    return MHD_queue_response(peer, v->status, v->response);
}

static void on_close(void *user, struct MHD_Connection *peer, void **of,
                     enum MHD_RequestTerminationCode why) {
    visit *v = (visit *)*of;
    (void)user, (void)peer, (void)why;
    if (!v) return;
    if (v->asked && !v->last) mcp_http_gone(server, v); /* cancels what it waited for */
    if (v->response) MHD_destroy_response(v->response);
    free(v->body);
    free(v->out);
    free(v);
}

/* ---- a tool that answers later, with progress meanwhile ---- */

typedef struct countdown { mcp_call *call; int64_t n, done; } countdown;

static void step(void *arg) {
    countdown *d = (countdown *)arg;
    if (d->done == d->n) {
        mcp_text(d->call, "lift-off");
        mcp_done(d->call, MCP_OK);
        return;
    }
    mcp_progress(d->call, (double)++d->done, (double)d->n, "counting");
    mcp_after(mcp_call_server(d->call), 100, step, d);
}

static int count_down(mcp_call *c) {
    countdown *d = (countdown *)mcp_alloc(c, sizeof *d);
    if (!d) return MCP_NOMEM;
    d->call = c;
    d->n = mcp_arg_int(c, "n");
    mcp_after(mcp_call_server(c), 100, step, d);
    return mcp_defer(c);
}

static const mcp_arg args[] = {
    { .name = "n", .type = MCP_INTEGER, .def = "3", .min = "1", .max = "100" }, { 0 } };
static const mcp_tool tools[] = {
    { .name = "count_down", .desc = "Counts down, ten a second.", .args = args,
      .call = count_down }, { 0 } };

int main(int argc, char **argv) {
    static const mcp_server_desc desc = { .name = "mount", .tools = tools,
                                          .log = { mcp_log_stderr, NULL } };
    int port = argc > 1 ? atoi(argv[1]) : 8080;
    struct sockaddr_in here;
    memset(&here, 0, sizeof here);
    here.sin_family = AF_INET;
    here.sin_port = htons((uint16_t)port);
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    server = mcp_server_new(&desc);
    struct MHD_Daemon *web = server ? MHD_start_daemon(
        MHD_ALLOW_SUSPEND_RESUME, (uint16_t)port, NULL, NULL, on_request, NULL,
        MHD_OPTION_SOCK_ADDR, &here, MHD_OPTION_NOTIFY_COMPLETED, on_close, NULL, MHD_OPTION_END)
        : NULL;
    if (!web) return fprintf(stderr, "port %d cannot be had\n", port), 1;
    for (;;) { /* timers, timeouts and deferred answers of ours; then theirs */
        int64_t ns = mcp_poll(server), ms = ns < 0 ? 500 : ns / 1000000 + 1;
        if (MHD_run_wait(web, ms > 500 ? 500 : (int)ms) != MHD_YES) return 1;
    }
}
