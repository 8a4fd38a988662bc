/* spawn.c - the client and real programs: our servers, and some that behave badly

   The bad ones are this program itself, told by its argument what to do. It stands beside bin/,
   where the suite puts servers. RUN, if set, runs programs of another machine. */
#if !defined _POSIX_C_SOURCE && !defined _WIN32
#define _POSIX_C_SOURCE 200809L
#endif
#include "mcp.h"
#include "test.h"

#include <stdlib.h>
#include <time.h>
#ifdef _WIN32
#include <io.h>
#include <fcntl.h>
#include <windows.h>
static void nap(int ms) { Sleep((DWORD)ms); }
static const char *runner(void) { return NULL; } /* we are run by it already */
#else
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
static void nap(int ms) {
    struct timespec t;
    t.tv_sec = ms / 1000;
    t.tv_nsec = (long)(ms % 1000) * 1000000;
    nanosleep(&t, NULL);
}
#endif

#ifndef _WIN32
static const char *runner(void) {
    const char *run = getenv("RUN");
    return run && *run ? run : NULL;
}
#endif

static const char *self; /* how to run this program */
static char heard[4096], printed[4096];

static void hear(void *user, const char *method, const mcp_json *params) {
    (void)user;
    size_t n, have = strlen(heard);
    const char *raw = mcp_get_raw(params, NULL, &n);
    snprintf(heard + have, sizeof heard - have, "%s %.*s\n", method, (int)n, raw);
}

static int print(void *user, const void *bytes, size_t n) {
    size_t *count = (size_t *)user, have = strlen(printed);
    if (count) *count += n;
    snprintf(printed + have, sizeof printed - have, "%.*s", (int)n, (const char *)bytes);
    return MCP_OK;
}

static void wrong(void *user, int level, int status, const char *text) {
    (void)level, (void)status;
    print(user, text, strlen(text));
}

static const char *argv[8];
static mcp_client_desc desc;

/* The desc of a client that spawns program, from where the suite put it. */
static void program(const char *name, const char *arg) {
    const char *run = runner();
    size_t n = 0;
    memset(&desc, 0, sizeof desc);
    for (size_t i = 0; i < sizeof argv / sizeof *argv; i++) argv[i] = NULL;
    if (run) argv[n++] = run;
    argv[n++] = name;
    argv[n++] = arg;
    desc.name = "test";
    desc.argv = argv;
    desc.notify.func = hear;
    desc.timeout_ms = 20000;
    *heard = *printed = 0;
}

static double seconds_since(time_t then) { return difftime(time(NULL), then); }

#ifdef _WIN32
#define EXE ".exe"
#else
#define EXE ""
#endif

/* hello: listed, called, ended without a trace of it. */
TEST(hello) {
    program("../bin/hello" EXE, NULL);
    mcp_client *k = mcp_client_new(&desc);
    CHECK(k != NULL);
    const mcp_json *r = mcp_client_list(k, "tools", NULL);
    CHECK_STR(mcp_get_str(mcp_at(mcp_get(r, "tools"), 0), "name"), "add");
    mcp_writer *w = mcp_client_call(k, "add");
    mcp_put_num(w, "a", 2);
    mcp_put_num(w, "b", 40);
    r = mcp_client_wait(k);
    CHECK_STR(mcp_get_str(mcp_at(mcp_get(r, "content"), 0), "text"), "42");
    mcp_client_free(k);
#ifndef _WIN32
    CHECK(waitpid(-1, NULL, WNOHANG) < 0); /* nobody is left to wait for */
#endif
}

/* Every version; a call that takes its time tells how far it is. */
TEST(fixture) {
    static const unsigned bits[] = { MCP_2024_11_05, MCP_2025_03_26, MCP_2025_06_18,
                                     MCP_2025_11_25, MCP_2026_07_28 };
    for (size_t i = 0; i < 5; i++) {
        program("../bin/fixture" EXE, NULL);
        desc.versions = bits[i];
        mcp_client *k = mcp_client_new(&desc);
        mcp_writer *w = mcp_client_call(k, "slow");
        mcp_put_int(w, "ms", 40);
        mcp_put_int(w, "steps", 2);
        const mcp_json *r = mcp_client_wait(k);
        CHECK_STR(mcp_get_str(mcp_at(mcp_get(r, "content"), 0), "text"), "done");
        CHECK(strstr(heard, "\"progress\":1") && strstr(heard, "\"progress\":2"));
        mcp_client_free(k);
    }
}

/* A megabyte there and back, although neither side can keep it in a pipe. */
TEST(big) {
    enum { BIG = 1 << 20 };
    char *text = (char *)malloc(BIG + 1);
    CHECK(text != NULL);
    if (!text) return;
    memset(text, 'x', BIG);
    text[BIG] = 0;
    program("../bin/fixture" EXE, NULL);
    mcp_client *k = mcp_client_new(&desc);
    mcp_put_str(mcp_client_call(k, "echo"), "text", text);
    const mcp_json *r = mcp_client_wait(k);
    CHECK(strcmp(mcp_get_str(mcp_at(mcp_get(r, "content"), 0), "text"), text) == 0);
    mcp_client_free(k);
    free(text);
}

/* Real sockets: the fixture says on stderr where it listens, and is asked there, in every version,
   from two clients at once; its oldest transport as well. */
TEST(http) {
    static const unsigned bits[] = { MCP_2024_11_05, MCP_2025_03_26, MCP_2025_06_18,
                                     MCP_2025_11_25, MCP_2026_07_28, 0 };
    program("../bin/fixture" EXE, "--http");
    for (size_t n = 1; n < 8; n++)
        if (!argv[n]) { argv[n] = "-1"; break; }
    desc.err.func = print;
    mcp_client *server = mcp_client_new(&desc);
    mcp_client_request(server, "nobody/answers");
    mcp_client_send(server);
    char url[128] = "";
    for (int i = 0; i < 200 && !*url; i++) {
        mcp_client_poll(server, 50);
        const char *at = strstr(printed, "http://");
        if (at && strchr(at, '\n')) snprintf(url, sizeof url, "%.*s", (int)strcspn(at, "\r\n"), at);
    }
    CHECK(*url);
    char *host = strstr(url, "127.0.0.1");
    if (host) { /* a name is looked up */
        char rest[64];
        snprintf(rest, sizeof rest, "%s", host + 9);
        strcat(strcpy(host, "localhost"), rest);
    }
    for (size_t i = 0; *url && i < 6; i++) {
        mcp_client *k[2];
        int64_t id[2];
        if (!bits[i]) strcpy(strrchr(url, '/'), "/sse");
        for (int j = 0; j < 2; j++) {
            memset(&desc, 0, sizeof desc);
            desc.name = "test";
            desc.url = url;
            desc.versions = bits[i];
            desc.timeout_ms = 20000;
            desc.notify.func = hear;
            k[j] = mcp_client_new(&desc);
            mcp_writer *w = mcp_client_call(k[j], "slow");
            mcp_put_int(w, "ms", 10);
            mcp_put_int(w, "steps", 2);
            id[j] = mcp_client_send(k[j]);
        }
        for (int j = 0; j < 2; j++) {
            const mcp_json *r = NULL;
            for (int turn = 0; turn < 2000 && !(r = mcp_client_result(k[j], id[j])); turn++)
                mcp_client_poll(k[turn % 2], 10);
            CHECK_STR(mcp_get_str(mcp_at(mcp_get(r, "content"), 0), "text"), "done");
            if (!r) printf("    %s\n", mcp_client_failure(k[j])->text);
        }
        for (int j = 0; j < 2; j++) mcp_client_free(k[j]);
    }
    memset(&desc, 0, sizeof desc);
    desc.name = "test";
    desc.url = "http://127.0.0.1:1/mcp"; /* nobody listens there */
    mcp_client *k = mcp_client_new(&desc);
    CHECK(mcp_client_server(k) == NULL);
    CHECK_STR(mcp_client_failure(k)->text, "the server cannot be reached");
    mcp_client_free(k);
    mcp_client_free(server);
}

/* A program that is not there, a folder that is not. */
TEST(missing) {
    program("../bin/there-is-no-such-program", NULL);
    if (runner()) argv[0] = argv[1], argv[1] = NULL;
    mcp_client *k = mcp_client_new(&desc);
    CHECK(mcp_client_list(k, "tools", NULL) == NULL);
    CHECK_INT(mcp_client_failure(k)->status, MCP_IO);
    CHECK(strstr(mcp_client_failure(k)->text, "no-such-program") != NULL);
    CHECK(mcp_client_server(k) == NULL);
    mcp_client_free(k);
    program("../bin/hello" EXE, NULL);
    desc.dir = "there/is/none";
    k = mcp_client_new(&desc);
    CHECK(mcp_client_server(k) == NULL);
    CHECK_INT(mcp_client_failure(k)->status, MCP_IO);
    mcp_client_free(k);
}

/* ---- programs that behave badly ---- */

static const char discovered[] =
    "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{\"resultType\":\"complete\","
    "\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{\"tools\":{}}}}\n";
static const char empty[] =
    "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{\"resultType\":\"complete\",\"content\":[]}}\n";

static void say(const char *format, long id) {
    printf(format, id);
    fflush(stdout);
}

static bool does(const char *what, const char *told) { return strcmp(what, told) == 0; }

/* ---- servers of ours whose descriptors are not what they usually are ---- */

static int prints(mcp_call *c) {
    printf("stray\n");
    fflush(stdout);
    fprintf(stderr, "stray, too\n");
    return mcp_text(c, "printed");
}

enum { MUCH = 1 << 20 };
static int much(mcp_call *c) {
    char *text = (char *)mcp_alloc(c, MUCH + 1);
    if (text) memset(text, 'x', MUCH);
    return text ? mcp_text(c, text) : MCP_NOMEM;
}

static int starts(mcp_call *c) { /* a program that reads to the end and asks for a SIGPIPE */
    char text[64] = "";
#ifndef _WIN32
    FILE *f = popen("wc -c; kill -PIPE $$; echo ignored", "r");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    text[n] = 0;
    if (f) pclose(f);
#endif
    return mcp_textf(c, "%ld%s", strtol(text, NULL, 10), strstr(text, "ignored") ? ", lives" : "");
}

static int serve(const char *what) {
    static const mcp_tool tools[] = { { .name = "prints", .call = prints },
                                      { .name = "much", .call = much },
                                      { .name = "starts", .call = starts }, { 0 } };
    mcp_server_desc d;
    memset(&d, 0, sizeof d);
    d.log.func = mcp_log_stderr;
    if (does(what, "tells")) {
        d.trace.func = mcp_trace_stderr;
        if (mcp_server_new(&d)) return 9; /* it has no name, and says so */
    }
    if (does(what, "mute")) close(2);
#ifndef _WIN32
    if (does(what, "busy")) fcntl(1, F_SETFL, O_NONBLOCK);
#endif
    d.name = "spawned";
    d.tools = tools;
    return mcp_serve_stdio(&d);
}

/* Once it was met, it does what it was told. */
static int behave(const char *what) {
    static char line[65536];
    long id = 0;
    if (does(what, "mute") || does(what, "tells") || does(what, "busy")) return serve(what);
    for (int n = 0; fgets(line, sizeof line, stdin); n++) {
        const char *at = strstr(line, "\"id\":");
        if (at) id = strtol(at + 5, NULL, 10);
        bool probe = strstr(line, "server/discover") != NULL;
        if (does(what, "shy") && probe) return 3; /* dies of what it does not know */
        if (strstr(line, "\"initialize\""))
            say("{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{\"protocolVersion\":\"2025-11-25\","
                "\"capabilities\":{},\"serverInfo\":{\"name\":\"shy\",\"version\":\"1\"}}}\n", id);
        else if (probe) say(discovered, id);
        else if (does(what, "shy") || does(what, "stubborn")) { if (at) say(empty, id); }
        else if (does(what, "dies")) return 7;
        else if (does(what, "silent")) continue;
        else if (does(what, "noisy")) {
            for (int i = 0; i < 20000; i++) fputs("all is well, all is well\n", stderr);
            say(empty, id);
        } else if (does(what, "endless")) {
            for (int i = 0; i < 40000; i++) fputs("endless and endless and endless ", stdout);
        } else if (does(what, "told")) {
            const char *said = getenv("MCP_TEST_SAYS"), *inherited = getenv("MCP_TEST_OURS");
            printf("{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{\"resultType\":\"complete\","
                   "\"said\":\"%s\",\"inherited\":\"%s\"}}\n", id, said ? said : "",
                   inherited ? inherited : "");
            fflush(stdout);
        }
    }
#ifndef _WIN32
    if (does(what, "stubborn")) signal(SIGTERM, SIG_IGN);
#endif
    while (does(what, "stubborn")) nap(1000); /* does not end with its input */
    return 0;
}

static mcp_client *bad(const char *what) {
    program(self, what);
    desc.timeout_ms = 5000;
    return mcp_client_new(&desc);
}

TEST(dies) {
    mcp_client *k = bad("dies");
    for (int i = 0; i < 2; i++) { /* the second time it is spawned again */
        mcp_client_call(k, "x");
        CHECK(mcp_client_wait(k) == NULL);
        CHECK_INT(mcp_client_failure(k)->status, MCP_IO);
        CHECK_STR(mcp_client_failure(k)->text, "the server is gone: it ended with status 7");
    }
    mcp_client_free(k);
}

/* An old server that dies of the probe is spawned again, and greeted as old servers are. */
TEST(shy) {
    mcp_client *k = bad("shy");
    mcp_client_call(k, "x");
    CHECK(mcp_client_wait(k) != NULL);
    CHECK_STR(mcp_get_str(mcp_client_server(k), "protocolVersion"), "2025-11-25");
    mcp_client_free(k);
}

TEST(silent) {
    program(self, "silent");
    desc.timeout_ms = 200;
    mcp_client *k = mcp_client_new(&desc);
    mcp_client_call(k, "x");
    CHECK(mcp_client_wait(k) == NULL);
    CHECK_INT(mcp_client_failure(k)->status, MCP_CANCELLED);
    CHECK_STR(mcp_client_failure(k)->text, "no answer within 200 ms");
    mcp_client_free(k);
}

/* Half a megabyte on stderr before the answer: read, and handed on. */
TEST(noisy) {
    size_t count = 0;
    program(self, "noisy");
    desc.err.func = print;
    desc.err.user = &count;
    mcp_client *k = mcp_client_new(&desc);
    mcp_client_call(k, "x");
    CHECK(mcp_client_wait(k) != NULL);
    for (int i = 0; i < 100 && count < 500000; i++) mcp_client_poll(k, 50);
    CHECK(count >= 500000);
    mcp_client_free(k);
}

TEST(endless) {
    program(self, "endless");
    desc.limits.message = 100000;
    mcp_client *k = mcp_client_new(&desc);
    mcp_client_call(k, "x");
    CHECK(mcp_client_wait(k) == NULL);
    CHECK_INT(mcp_client_failure(k)->status, MCP_LIMIT);
    mcp_client_free(k);
}

static const char *said(mcp_client *k, const char *tool) {
    mcp_client_call(k, tool);
    return mcp_get_str(mcp_at(mcp_get(mcp_client_wait(k), "content"), 0), "text");
}

/* Without a stderr there is no place for what handlers print, and the stream is not one. */
TEST(mute) {
    program(self, "mute");
    desc.log.func = wrong;
    mcp_client *k = mcp_client_new(&desc);
    for (int i = 0; i < 2; i++) CHECK_STR(said(k, "prints"), "printed");
    CHECK_STR(printed, "");
    mcp_client_free(k);
}

#ifndef _WIN32
/* A stdout that somebody made non-blocking is waited for. */
TEST(busy) {
    program(self, "busy");
    mcp_client *k = mcp_client_new(&desc);
    CHECK_STR(said(k, "prints"), "printed");
    mcp_client_call(k, "much");
    int64_t id = mcp_client_send(k);
    nap(50); /* the pipe is full */
    const mcp_json *r = NULL;
    for (int i = 0; i < 2000 && !(r = mcp_client_result(k, id)); i++) mcp_client_poll(k, 10);
    CHECK_INT(strlen(mcp_get_str(mcp_at(mcp_get(r, "content"), 0), "text")), MUCH);
    mcp_client_free(k);
}
#endif

#ifndef _WIN32
/* What a handler starts finds no input, which would be ours, and SIGPIPE as it usually is. */
TEST(started) {
    program(self, "tells");
    desc.err.func = print;
    mcp_client *k = mcp_client_new(&desc);
    mcp_client_call(k, "starts");
    int64_t first = mcp_client_send(k);
    mcp_client_call(k, "prints"); /* waits in the pipe meanwhile */
    int64_t second = mcp_client_send(k);
    const mcp_json *r = NULL;
    for (int i = 0; i < 2000 && !(r = mcp_client_result(k, first)); i++) mcp_client_poll(k, 10);
    CHECK_STR(mcp_get_str(mcp_at(mcp_get(r, "content"), 0), "text"), "0");
    for (int i = 0; i < 500 && !(r = mcp_client_result(k, second)); i++) mcp_client_poll(k, 10);
    CHECK_STR(mcp_get_str(mcp_at(mcp_get(r, "content"), 0), "text"), "printed");
    mcp_client_free(k);
}
#endif

/* The ready-made hooks print to stderr: a line for what is wrong, and for each span. */
TEST(tells) {
    program(self, "tells");
    desc.err.func = print;
    mcp_client *k = mcp_client_new(&desc);
    CHECK_STR(said(k, "prints"), "printed");
    for (int i = 0; i < 100 && !strstr(printed, "tools/call"); i++) mcp_client_poll(k, 50);
    CHECK(strstr(printed, "mcp: error: ") == printed);
    CHECK(strstr(printed, "tools/call prints") != NULL);
    CHECK(strstr(printed, "stray\n") != NULL || strstr(printed, "stray\r\n") != NULL);
    mcp_client_free(k);
}

/* Its variables are ours and what the desc adds. */
TEST(told) {
    static const mcp_attr env[] = { { "MCP_TEST_SAYS", "good day" }, { NULL, NULL } };
    program(self, "told");
    desc.env = env;
    mcp_client *k = mcp_client_new(&desc);
    mcp_client_request(k, "x");
    const mcp_json *r = mcp_client_wait(k);
    CHECK_STR(mcp_get_str(r, "said"), "good day");
    CHECK_STR(mcp_get_str(r, "inherited"), "inherited");
    mcp_client_free(k);
}

/* Who does not end when its input does, and not of SIGTERM, is ended. */
TEST(stubborn) {
    time_t then = time(NULL);
    mcp_client *k = bad("stubborn");
    mcp_client_call(k, "x");
    CHECK(mcp_client_wait(k) != NULL);
    mcp_client_free(k);
    CHECK(seconds_since(then) < 10);
#ifndef _WIN32
    CHECK(waitpid(-1, NULL, WNOHANG) < 0);
#endif
}

int main(int argc, char **args) {
    if (argc > 1) {
#ifdef _WIN32
        _setmode(0, _O_BINARY);
        _setmode(1, _O_BINARY);
#endif
        return behave(args[1]);
    }
    self = args[0];
#ifdef _WIN32
    _putenv("MCP_TEST_OURS=inherited");
#else
    setenv("MCP_TEST_OURS", "inherited", 1);
#endif
    RUN(hello);
    RUN(fixture);
    RUN(big);
    RUN(http);
    RUN(missing);
    RUN(dies);
    RUN(shy);
    RUN(silent);
    RUN(noisy);
    RUN(endless);
    RUN(mute);
#ifndef _WIN32
    RUN(busy);
    RUN(started);
#else
    SKIP(busy, "its pipes always wait");
    SKIP(started, "it has no signals to ignore");
#endif
    RUN(tells);
    RUN(told);
    RUN(stubborn);
    return DONE();
}
