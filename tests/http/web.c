/* web.c - an HTTP server with short time limits, for what tests/http does to it

   web PORT [KEY=VALUE...]: connections, message, idle, head, body (milliseconds), keepalive;
   secret=TEXT; fd=N: a socket that listens already. SIGTERM ends it gracefully. Started by a web
   server as a CGI program it answers one request. */
#if !defined _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L   /* nanosleep, also under -std=c99 */
#endif
#define MCP_IMPLEMENTATION
#include "mcp.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static mcp_server *server;
static int64_t gave_up, finished;   /* calls that were cancelled, or not */

static void nap(long ms) {
    struct timespec t = { ms / 1000, ms % 1000 * 1000000 };
    nanosleep(&t, NULL);
}

static int echo(mcp_call *c) { return mcp_text(c, mcp_arg_str(c, "text")); }
static int add(mcp_call *c) {
    mcp_put_num(mcp_structured(c), "sum", mcp_arg_num(c, "a") + mcp_arg_num(c, "b"));
    return MCP_OK;
}
static int pid(mcp_call *c) { return mcp_textf(c, "%ld", (long)getpid()); }

/* A plain loop that looks whether anybody still waits. */
static int count(mcp_call *c) {
    int64_t ms = mcp_arg_int(c, "ms");
    for (int64_t i = 0; i < ms; i += 10) {
        if (mcp_cancelled(c)) return gave_up++, MCP_CANCELLED;
        nap(10);
        if (i % 100 == 90) mcp_progress(c, (double)i, (double)ms, "counting");
    }
    finished++;
    return mcp_text(c, "counted");
}

/* Sleeps without a look. */
static int block(mcp_call *c) {
    nap((long)mcp_arg_int(c, "ms"));
    return mcp_text(c, "blocked");
}

/* Answered by a timer. */
static void wake(void *arg) {
    mcp_text((mcp_call *)arg, "deferred");
    mcp_done((mcp_call *)arg, MCP_OK);
}
static void lost(void *arg) {
    (void)arg;
    gave_up++;
}
static int later(mcp_call *c) {
    if (mcp_after(mcp_call_server(c), mcp_arg_int(c, "ms"), wake, c)) return MCP_NOMEM;
    mcp_on_cancel(c, lost, NULL);
    return mcp_defer(c);
}

static int large(mcp_call *c) {
    static const char text[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde\n";
    mcp_block_begin(c, MCP_TEXT, NULL);
    for (int64_t n = mcp_arg_int(c, "kib") * 16; n > 0; n--)
        if (mcp_block_write(c, text, 64)) break;
    return mcp_block_end(c);
}

static int file(mcp_call *c) { return mcp_file(c, "text/plain", mcp_arg_str(c, "text")); }

/* Two of them, and a word behind each. */
static int files(mcp_call *c) {
    for (int i = 0; i < 2; i++) {
        mcp_embed(c, "file:///large", "application/octet-stream");
        mcp_file(c, "application/octet-stream", mcp_arg_str(c, "text"));
        mcp_text(c, i ? "second" : "first");
    }
    return MCP_OK;
}

/* Asks, and tells who asked and who got the answer. */
static int confirm(mcp_call *c) {
    static const mcp_arg form[] = { { .name = "sure", .type = MCP_BOOLEAN }, { 0 } };
    long asked = (long)getpid();
    if (!mcp_kept(c, &asked, sizeof asked)) mcp_keep(c, &asked, sizeof asked);
    int rc = mcp_ask(c, "sure", "Sure?", form);
    return rc ? rc : mcp_textf(c, "%ld %ld %d", asked, (long)getpid(),
                               mcp_get_bool(mcp_answer(c, "sure"), "sure"));
}

/* Another thread ends the server. */
static void ends(void *arg) { mcp_server_stop((mcp_server *)arg); }
static void *waits(void *arg) {
    nap(100);
    while (mcp_post((mcp_server *)arg, ends, arg)) nap(1);
    return NULL;
}
static int stop_soon(mcp_call *c) {
    pthread_t thread;
    bool ok = !pthread_create(&thread, NULL, waits, mcp_call_server(c));
    if (ok) pthread_detach(thread);
    return ok ? mcp_text(c, "soon") : mcp_fail(c, "no thread");
}

static int stats(mcp_call *c) {
    mcp_writer *w = mcp_structured(c);
    mcp_put_int(w, "gave_up", gave_up);
    mcp_put_int(w, "finished", finished);
    return MCP_OK;
}

static int touch(mcp_call *c) {
    mcp_server_touch(mcp_call_server(c), "web://page");
    return MCP_OK;
}

static const mcp_arg echo_args[] = { { .name = "text", .flags = MCP_REQUIRED }, { 0 } };
static const mcp_arg add_args[] = { { .name = "a", .type = MCP_NUMBER, .flags = MCP_REQUIRED },
                                    { .name = "b", .type = MCP_NUMBER, .flags = MCP_REQUIRED },
                                    { 0 } };
static const mcp_arg add_out[] = { { .name = "sum", .type = MCP_NUMBER, .flags = MCP_REQUIRED },
                                   { 0 } };
static const mcp_arg ms_args[] = { { .name = "ms", .type = MCP_INTEGER, .def = "1000" }, { 0 } };
static const mcp_arg large_args[] = {
    { .name = "kib", .type = MCP_INTEGER, .def = "1024" }, { 0 } };
static const mcp_tool tools[] = {
    { .name = "echo", .args = echo_args, .call = echo },
    { .name = "add", .args = add_args, .call = add, .out = add_out },
    { .name = "pid", .call = pid },
    { .name = "count", .args = ms_args, .call = count },
    { .name = "block", .args = ms_args, .call = block },
    { .name = "later", .args = ms_args, .call = later },
    { .name = "large", .args = large_args, .call = large },
    { .name = "file", .args = echo_args, .call = file },
    { .name = "files", .args = echo_args, .call = files },
    { .name = "confirm", .call = confirm },
    { .name = "stop_soon", .call = stop_soon },
    { .name = "stats", .call = stats },
    { .name = "touch", .call = touch },
    { 0 } };
static const mcp_resource resources[] = { { .uri = "web://page", .text = "page" }, { 0 } };

static void stop(int signal_number) {
    (void)signal_number;
    mcp_server_stop(server);
}

static void option(mcp_server_desc *d, const char *text) {
    if (strncmp(text, "secret=", 7) == 0) {
        d->secret = text + 7;
        d->secret_size = strlen(text + 7);
        return;
    }
    struct { const char *key; size_t *size; int64_t *ms; int *number; } rows[] = {
        { "connections=", &d->limits.connections, NULL, NULL },
        { "message=", &d->limits.message, NULL, NULL },
        { "idle=", NULL, &d->http.idle_ms, NULL }, { "head=", NULL, &d->http.head_ms, NULL },
        { "body=", NULL, &d->http.body_ms, NULL },
        { "keepalive=", NULL, &d->http.keepalive_ms, NULL },
        { "fd=", NULL, NULL, &d->http.socket } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t n = strlen(rows[i].key);
        if (strncmp(text, rows[i].key, n) != 0) continue;
        if (rows[i].size) *rows[i].size = (size_t)atol(text + n);
        if (rows[i].ms) *rows[i].ms = atol(text + n);
        if (rows[i].number) *rows[i].number = atoi(text + n);
        return;
    }
    fprintf(stderr, "web: what is %s?\n", text);
    exit(2);
}

int main(int argc, char **argv) {
    mcp_server_desc desc = { .name = "web", .tools = tools, .resources = resources,
                             .flags = MCP_SUBSCRIBE, .log = { mcp_log_stderr, NULL } };
    if (getenv("GATEWAY_INTERFACE")) return mcp_serve_cgi(&desc);
    desc.http.port = argc > 1 && atoi(argv[1]) ? atoi(argv[1]) : MCP_ZERO;
    for (int i = 2; i < argc; i++) option(&desc, argv[i]);
    server = mcp_server_new(&desc);
    if (!server) return 1;
    signal(SIGTERM, stop);
    int rc = mcp_server_run(server, MCP_HTTP);
    mcp_server_free(server);
    fprintf(stderr, "web: over\n");
    return rc ? 1 : 0;
}
