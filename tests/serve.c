/* serve.c - the server's loop over real sockets, and peers that live in the same thread

   A play is a table of acts. The loop's own timer goes through it: an act that has to wait is tried
   again a moment later, and one that waits too long fails. */
#if !defined _XOPEN_SOURCE && !defined _WIN32
#define _XOPEN_SOURCE 700
#endif
#ifdef _WIN32
#include <winsock2.h>
#include <ws2tcpip.h>
#else
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#endif
#include "unit.h"

#include <time.h>

#ifdef _WIN32
typedef SOCKET handle;
#define NOBODY INVALID_SOCKET
static void hang_up(handle fd) { closesocket(fd); }
static void never_wait(handle fd) { u_long on = 1; ioctlsocket(fd, FIONBIO, &on); }
static void nap(void) { Sleep(1); }
#else
typedef int handle;
#define NOBODY (-1)
static void hang_up(handle fd) { close(fd); }
static void never_wait(handle fd) { fcntl(fd, F_SETFL, O_NONBLOCK); }
static void nap(void) {
    struct timespec t;
    t.tv_sec = 0, t.tv_nsec = 1000000;
    nanosleep(&t, NULL);
}
#endif

/* ---- who comes ---- */

enum { PEERS = 3 };
static struct { handle fd; harness_bytes got; bool gone; } peer[PEERS];
static mcp_server *server;
static char logged[600];
static int port;

static void log_line(void *user, int level, int status, const char *text) {
    size_t n = strlen(logged);
    const char *at = strstr(text, "listening on http://127.0.0.1:");
    (void)user, (void)level;
    snprintf(logged + n, sizeof logged - n, "%d %s\n", status, text);
    if (at) port = atoi(strrchr(at, ':') + 1);
}

static bool come(int who) {
    struct sockaddr_in to;
    memset(&to, 0, sizeof to);
    to.sin_family = AF_INET;
    to.sin_port = htons((unsigned short)port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    peer[who].fd = socket(AF_INET, SOCK_STREAM, 0);
    peer[who].got.n = 0;
    peer[who].gone = false;
    if (connect(peer[who].fd, (struct sockaddr *)&to, sizeof to)) return false;
    never_wait(peer[who].fd);
    return true;
}

static void leave(int who) {
    if (peer[who].fd != NOBODY) hang_up(peer[who].fd);
    peer[who].fd = NOBODY;
}

/* What has come until now. */
static void hear(int who) {
    char piece[65536];
    int n = 0;
    while (!peer[who].gone && (n = (int)recv(peer[who].fd, piece, sizeof piece, 0)) > 0)
        harness_add(&peer[who].got, piece, (size_t)n);
    if (n == 0) peer[who].gone = true;
    harness_add(&peer[who].got, "", 0);
}

/* ---- what they do ---- */

typedef enum { END, COME, SAY, HEAR, SHUT, GONE, DO } deed;
typedef struct act {
    deed what;
    int who;
    const char *text;      /* SAY: this; HEAR: until this came */
    void (*func)(void);
} act;

enum { TOO_LONG = 8000 };  /* milliseconds, or tries */
static const act *now;
static int tries;

static bool done(const act *a) {
    size_t n = a->what == SAY ? strlen(a->text) : 0;
    switch (a->what) {
    case COME: return come(a->who);
    case SAY: return send(peer[a->who].fd, a->text, (int)n, 0) == (int)n;
    case SHUT: return shutdown(peer[a->who].fd, 1) == 0;
    case DO: return a->func(), true;
    default: hear(a->who); break;
    }
    if (a->what == GONE) return peer[a->who].gone;
    return strstr(peer[a->who].got.at, a->text) != NULL;
}

static void go_on(void *arg) {
    (void)arg;
    while (now->what != END && done(now)) {
        if (now->what == HEAR) peer[now->who].got.n = 0;
        now++, tries = 0;
    }
    if (now->what != END && tries++ == TOO_LONG) {
        printf("    waits in vain: act %d of %d, %s; there is: %.300s\n", (int)now->what, now->who,
               now->text ? now->text : "", peer[now->who].got.at);
        CHECK(!"the play goes on");
        while (now->what != END) now++;
    }
    if (now->what == END) mcp_server_stop(server);
    else mcp_after(server, 1, go_on, NULL);
}

static void finish(void) { mcp_server_stop(server); }

/* Serves desc until the acts are over; those behind finish() are played without the server. */
static int play(const act *acts) {
    desc.log.func = log_line;
    desc.http.port = MCP_ZERO;
    *logged = 0;
    for (int i = 0; i < PEERS; i++) peer[i].fd = NOBODY;
    server = mcp_server_new(&desc);
    if (!CHECK(server != NULL)) return MCP_NOMEM;
    now = acts, tries = 0;
    mcp_after(server, 0, go_on, NULL);
    int rc = mcp_server_run(server, MCP_HTTP);
    while (now->what != END && tries < TOO_LONG) go_on(NULL), nap();
    mcp_server_free(server);
    for (int i = 0; i < PEERS; i++) leave(i);
    return rc;
}

/* ---- what is served ---- */

static int echo(mcp_call *c) { return mcp_text(c, mcp_arg_str(c, "text")); }

enum { LARGE = 4 << 20 };
static int large(mcp_call *c) { /* and "end" behind it */
    static char piece[4096];
    memset(piece, 'x', sizeof piece);
    mcp_block_begin(c, MCP_TEXT, "text/plain");
    for (size_t n = 0; n < LARGE; n += sizeof piece)
        if (mcp_block_write(c, piece, sizeof piece)) break;
    mcp_block_write(c, "end", 3);
    return mcp_block_end(c);
}

static void answer(void *arg) {
    mcp_text((mcp_call *)arg, "later");
    mcp_done((mcp_call *)arg, MCP_OK);
}
static int later(mcp_call *c) {
    mcp_after(mcp_call_server(c), 60, answer, c);
    return mcp_defer(c);
}

static bool told;          /* a handler, that its peer is gone */
static int left_alone(mcp_call *c) {
    leave(0);
    for (int i = 0; i < 2000 && !(told = mcp_cancelled(c)); i++) nap();
    return mcp_text(c, "nobody reads this");
}

static int stop_it(mcp_call *c) {
    mcp_server_stop(mcp_call_server(c));
    return mcp_text(c, "the end");
}

static const mcp_arg echo_args[] = { { .name = "text" }, { 0 } };
static const mcp_tool tools[] = {
    { .args = echo_args, .call = echo, .route = "GET /echo", .mime = "text/plain" },
    { .call = large, .route = "GET /large", .mime = "text/plain" },
    { .call = later, .route = "GET /later", .mime = "text/plain" },
    { .call = left_alone, .route = "GET /left", .mime = "text/plain" },
    { .call = stop_it, .route = "GET /stop", .mime = "text/plain" },
    { 0 } };
#define GET(path) "GET " path " HTTP/1.1\r\nHost: localhost\r\n\r\n"

static void begin(void) {
    fresh();
    desc.tools = tools;
}

/* ---- the plays ---- */

TEST(answers) { /* one after the other, cut anywhere */
    static const act acts[] = {
        { .what = COME },
        { .what = SAY, .text = GET("/echo?text=one") GET("/echo?text=two") },
        { .what = HEAR, .text = "two" },
        { .what = COME, .who = 1 },
        { .what = SAY, .who = 1, .text = "GET /echo?te" },
        { .what = SAY, .text = GET("/echo?text=three") },
        { .what = HEAR, .text = "three" },
        { .what = SAY, .who = 1, .text = "xt=four HTTP/1.1\r\nHost: localhost\r\n\r\n" },
        { .what = HEAR, .who = 1, .text = "four" },
        { .what = END } };
    begin();
    CHECK_INT(play(acts), MCP_OK);
    CHECK(port > 0 && strstr(logged, "/mcp\n") != NULL);
}

TEST(makes_room) { /* when there are too many, the one that was silent for the longest time goes */
    static const act acts[] = {
        { .what = COME, .who = 0 },
        { .what = SAY, .who = 0, .text = GET("/echo?text=first") },
        { .what = HEAR, .who = 0, .text = "first" },
        { .what = COME, .who = 1 },
        { .what = SAY, .who = 1, .text = GET("/echo?text=second") },
        { .what = HEAR, .who = 1, .text = "second" },
        { .what = SAY, .who = 0, .text = GET("/echo?text=again") },
        { .what = HEAR, .who = 0, .text = "again" },
        { .what = COME, .who = 2 },
        { .what = SAY, .who = 2, .text = GET("/echo?text=third") },
        { .what = HEAR, .who = 2, .text = "third" },
        { .what = GONE, .who = 1 },
        { .what = SAY, .who = 0, .text = GET("/echo?text=still") },
        { .what = HEAR, .who = 0, .text = "still" },
        { .what = END } };
    begin();
    desc.limits.connections = 2;
    CHECK_INT(play(acts), MCP_OK);
}

static size_t came;
static void count(void) { came = peer[0].got.n; }
static void count_all(void) { hear(0), came = peer[0].got.n; }

TEST(slow_reader) { /* what it does not read is kept for it, and others are served */
    static const act acts[] = {
        { .what = COME, .who = 0 },
        { .what = SAY, .who = 0, .text = GET("/large") },
        { .what = COME, .who = 1 },
        { .what = SAY, .who = 1, .text = GET("/echo?text=quick") },
        { .what = HEAR, .who = 1, .text = "quick" },
        { .what = DO, .func = count },
        { .what = SHUT, .who = 0 }, /* it has said all that it wants to say */
        { .what = HEAR, .who = 0, .text = "xend" },
        { .what = GONE, .who = 0 },
        { .what = END } };
    begin();
    came = 1;
    CHECK_INT(play(acts), MCP_OK);
    CHECK_INT(came, 0); /* it had read nothing */
}

TEST(too_slow) { /* who reads nothing for a second, with more in its way than is kept */
    static const act acts[] = {
        { .what = COME, .who = 0 },
        { .what = SAY, .who = 0, .text = GET("/large") },
        { .what = COME, .who = 1 },
        { .what = SAY, .who = 1, .text = GET("/echo?text=after") },
        { .what = HEAR, .who = 1, .text = "after" },
        { .what = GONE, .who = 0 },
        { .what = DO, .func = count_all },
        { .what = END } };
    begin();
    desc.limits.message = 256 * 1024;
    desc.limits.spill = 4096;
    CHECK_INT(play(acts), MCP_OK);
    CHECK(came < LARGE);
}

TEST(left) { /* a handler hears that its peer has hung up */
    static const act acts[] = {
        { .what = COME, .who = 0 },
        { .what = SAY, .who = 0, .text = GET("/left") },
        { .what = COME, .who = 1 },
        { .what = SAY, .who = 1, .text = GET("/echo?text=next") },
        { .what = HEAR, .who = 1, .text = "next" },
        { .what = END } };
    begin();
    told = false;
    CHECK_INT(play(acts), MCP_OK);
    CHECK(told);
}

TEST(silent) { /* who sends no whole head in time */
    static const act acts[] = {
        { .what = COME, .who = 0 },
        { .what = SAY, .who = 0, .text = "GET /echo" },
        { .what = GONE, .who = 0 },
        { .what = END } };
    begin();
    desc.http.head_ms = 30;
    CHECK_INT(play(acts), MCP_OK);
    CHECK(strstr(peer[0].got.at, "HTTP/1.1 408 ") == peer[0].got.at);
}

TEST(stops) { /* what is deferred is answered before */
    static const act acts[] = {
        { .what = COME, .who = 0 },
        { .what = SAY, .who = 0, .text = GET("/later") },
        { .what = COME, .who = 1 },
        { .what = SAY, .who = 1, .text = GET("/echo?text=now") },
        { .what = HEAR, .who = 1, .text = "now" },
        { .what = DO, .func = finish },
        { .what = HEAR, .who = 0, .text = "later" },
        { .what = GONE, .who = 0 },
        { .what = GONE, .who = 1 },
        { .what = END } };
    begin();
    CHECK_INT(play(acts), MCP_OK);
}

static void change(void) { mcp_server_changed(server, MCP_TOOLS); }

TEST(changes) { /* reach who listens, without a request */
    static char listens[1000];
    static const act acts[] = {
        { .what = COME, .who = 0 },
        { .what = SAY, .who = 0, .text = listens },
        { .what = HEAR, .who = 0, .text = "acknowledged" },
        { .what = DO, .func = change },
        { .what = HEAR, .who = 0, .text = "notifications/tools/list_changed" },
        { .what = END } };
    static const char body[] = J({"jsonrpc":"2.0","id":1,"method":"subscriptions/listen",)
        "\"params\":{\"notifications\":{\"toolsListChanged\":true},\"_meta\":{" HARNESS_META "}}}";
    begin();
    desc.changes = MCP_TOOLS;
    snprintf(listens, sizeof listens, "POST /mcp HTTP/1.1\r\nHost: localhost\r\n"
             "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
             "MCP-Protocol-Version: " MODERN "\r\nMcp-Method: subscriptions/listen\r\n"
             "Content-Length: %d\r\n\r\n%s", (int)sizeof body - 1, body);
    CHECK_INT(play(acts), MCP_OK);
}

static void ask_to_stop(void *user, int level, int status, const char *text) {
    log_line(user, level, status, text);
    if (port && come(0)) send(peer[0].fd, GET("/stop"), sizeof GET("/stop") - 1, 0);
}

TEST(in_one_call) { /* mcp_serve_http ends when a handler wants it, with its answer out */
    begin();
    desc.log.func = ask_to_stop;
    desc.http.port = MCP_ZERO;
    port = 0;
    CHECK_INT(mcp_serve_http(&desc), 0);
    hear(0);
    CHECK(strstr(peer[0].got.at, "\r\n\r\nthe end") != NULL);
    leave(0);
    desc.name = NULL;
    CHECK_INT(mcp_serve_http(&desc), 1);
}

/* ---- addresses ---- */

static int second_rc;
static void serve_there(void) { /* where somebody listens already */
    mcp_server_desc other = desc;
    other.http.port = port;
    mcp_server *s = mcp_server_new(&other);
    second_rc = mcp_server_run(s, MCP_HTTP);
    mcp_server_free(s);
}

TEST(addresses) {
    static const act acts[] = { { .what = DO, .func = serve_there }, { .what = END } };
    static const act none[] = { { .what = END } };
    begin();
    CHECK_INT(play(acts), MCP_OK);
    CHECK_INT(second_rc, MCP_IO);
    CHECK(strstr(logged, "-7 that address cannot be listened on\n") != NULL);
    desc.http.host = "no address";
    CHECK_INT(play(none), MCP_IO);
    CHECK_STR(logged, "-7 that address cannot be listened on\n");
    desc.http.host = "localhost";
    CHECK_INT(play(none), MCP_OK);
    desc.http.host = "*";
    CHECK_INT(play(none), MCP_OK);
    CHECK(strstr(logged, "listening on http://*:") != NULL);
}

/* ---- the system has no more sockets ---- */
#ifndef _WIN32
static int taken[256], takes;
static void take_all(void) {
    struct rlimit most;
    getrlimit(RLIMIT_NOFILE, &most);
    most.rlim_cur = 64;
    setrlimit(RLIMIT_NOFILE, &most);
    while (takes < 256 && (taken[takes] = dup(0)) >= 0) takes++;
}

TEST(none_left) { /* the oldest gives way, as if there were too many */
    static const act acts[] = {
        { .what = COME, .who = 0 },
        { .what = SAY, .who = 0, .text = GET("/echo?text=first") },
        { .what = HEAR, .who = 0, .text = "first" },
        { .what = COME, .who = 1 },
        { .what = DO, .func = take_all },
        { .what = SAY, .who = 1, .text = GET("/echo?text=second") },
        { .what = HEAR, .who = 1, .text = "second" },
        { .what = GONE, .who = 0 },
        { .what = END } };
    struct rlimit was;
    begin();
    getrlimit(RLIMIT_NOFILE, &was);
    CHECK_INT(play(acts), MCP_OK);
    CHECK(takes > 0);
    while (takes) close(taken[--takes]);
    setrlimit(RLIMIT_NOFILE, &was);
}
#endif

int main(void) {
#ifdef _WIN32
    WSADATA data;
    if (WSAStartup(MAKEWORD(2, 2), &data)) return 1;
#endif
    RUN(answers);
    RUN(makes_room);
    RUN(slow_reader);
    RUN(too_slow);
    RUN(left);
    RUN(silent);
    RUN(stops);
    RUN(changes);
    RUN(in_one_call);
    RUN(addresses);
#ifndef _WIN32
    RUN(none_left);
#else
    SKIP(none_left, "this system has no limit that a program sets");
#endif
    return DONE();
}
