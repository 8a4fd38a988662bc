/* slow.c - a worker thread computes, the server's thread answers; progress, and giving up

   The worker touches its job and nothing else. What concerns the call goes to the server's thread
   by mcp_post. (A C library older than 2021 wants -lpthread.) */
#define MCP_IMPLEMENTATION
#include "mcp.h"
#include <string.h>
#include <stdlib.h>

#ifdef _WIN32
#include <windows.h>
typedef HANDLE thread;
typedef CRITICAL_SECTION lock;
#define WORKER(name) static DWORD WINAPI name(LPVOID arg)
#define launch(t, f, arg) ((*(t) = CreateThread(NULL, 0, f, arg, 0, NULL)) != NULL)
#define join(t) (WaitForSingleObject(t, INFINITE), CloseHandle(t))
#define lock_init(l) InitializeCriticalSection(l)
#define enter(l) EnterCriticalSection(l)
#define leave(l) LeaveCriticalSection(l)
#else
#include <pthread.h>
typedef pthread_t thread;
typedef pthread_mutex_t lock;
#define WORKER(name) static void *name(void *arg)
#define launch(t, f, arg) (!pthread_create(t, NULL, f, arg))
#define join(t) pthread_join(t, NULL)
#define lock_init(l) pthread_mutex_init(l, NULL)
#define enter(l) pthread_mutex_lock(l)
#define leave(l) pthread_mutex_unlock(l)
#endif

enum { SLICE = 10000 };   /* numbers between two looks at stop */

typedef struct job {      /* in the call's memory, so it lives until mcp_done */
    mcp_server *server;
    mcp_call *call;
    thread worker;
    bool running;         /* and not joined yet */
    int64_t n, told, count;
    lock guard;           /* of */
    bool stop;
} job;

static void end(job *j) {
    if (j->running) join(j->worker);
    j->running = false;
}

static void report(void *arg) {    /* server's thread */
    job *j = (job *)arg;
    mcp_progress(j->call, (double)(j->told += SLICE), (double)j->n, "counting");
}

static void finish(void *arg) {    /* server's thread: the last that it hears of this job */
    job *j = (job *)arg;
    end(j);
    mcp_textf(j->call, "%lld primes below %lld", (long long)j->count, (long long)j->n);
    mcp_done(j->call, MCP_OK);     /* if it was cancelled, nothing is sent */
}

static void give_up(void *arg) {   /* server's thread: the client cancelled, or is gone */
    job *j = (job *)arg;
    enter(&j->guard);
    j->stop = true;
    leave(&j->guard);
    end(j);                        /* soon: the worker looks often */
}

static bool stopped(job *j) {
    enter(&j->guard);
    bool stop = j->stop;
    leave(&j->guard);
    return stop;
}

WORKER(work) {
    job *j = (job *)arg;
    for (int64_t i = 2; i < j->n; i++) {
        int64_t d = 2;
        while (d * d <= i && i % d) d++;
        j->count += d * d > i;
        if (i % SLICE) continue;
        if (stopped(j)) break;
        mcp_post(j->server, report, j);
    }
    while (mcp_post(j->server, finish, j)) {}   /* no memory: sooner or later there is */
    return 0;
}

static int primes(mcp_call *c) {
    job *j = (job *)mcp_alloc(c, sizeof *j);
    if (!j) return MCP_NOMEM;
    j->server = mcp_call_server(c);
    j->call = c;
    j->n = mcp_arg_int(c, "n");
    lock_init(&j->guard);
    j->running = launch(&j->worker, work, j);
    if (!j->running) return mcp_fail(c, "no thread to run on");
    mcp_on_cancel(c, give_up, j);
    return mcp_defer(c);
}

static const mcp_arg primes_args[] = {
    { .name = "n", .type = MCP_INTEGER, .desc = "count those below n", .flags = MCP_REQUIRED,
      .min = "2", .max = "10000000" },
    { 0 } };
static const mcp_tool tools[] = {
    { .name = "primes", .desc = "Counts primes.", .args = primes_args, .call = primes,
      .hints = MCP_READ_ONLY }, { 0 } };

int main(int argc, char **argv) {
    mcp_server_desc desc = { .name = "slow", .tools = tools };
    if (argc < 2 || strcmp(argv[1], "--http") != 0) return mcp_serve_stdio(&desc);
    if (argc > 2) desc.http.port = atoi(argv[2]);
    return mcp_serve_http(&desc); /* --http [PORT]: http://127.0.0.1:8080/mcp */
}
