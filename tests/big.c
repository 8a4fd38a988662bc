/* big.c - results larger than memory: a file, an image made in pieces, readers fast and slow

       big [MEBIBYTES]     how large; default: 48, which takes a moment; 1024 is the promise

   Whatever the size, the server needs less than 1 MiB from its allocator, and its process, where
   the system can tell, less than 4 MiB. */
#ifndef _WIN32
#define _XOPEN_SOURCE 700
#endif
#include "unit.h"

#ifndef _WIN32
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#endif

enum { MIB = 1 << 20, HEAP = MIB, PROCESS = 4 << 10 /* KiB */ };
static uint64_t size = (uint64_t)48 * MIB;
static char big_file[600];
static unsigned char piece[MIB];

/* ---- a server of large things ---- */

static int image(mcp_call *c) {
    mcp_server *s = mcp_call_server(c);
    int rc = mcp_block_begin(c, MCP_IMAGE, "image/x-raw");
    for (uint64_t at = 0; at < size && !rc; at += sizeof piece) {
        rc = mcp_block_write(c, piece, sizeof piece);
        mcp_server_touch(s, "big://file"); /* told once, when the line has ended */
        mcp_server_changed(s, MCP_TOOLS);
        if (at == 0) mcp_logf(c, MCP_LOG_ERROR, "under way");
        if (mcp_cancelled(c)) return MCP_CANCELLED; /* takes in the ping that waits */
    }
    return mcp_block_end(c);
}

static const mcp_tool tools[] = { { .name = "image", .call = image }, { 0 } };
static mcp_resource resources[] = {
    { .uri = "big://file", .mime = "application/octet-stream" }, { 0 } };

static void offer(void) {
    fresh();
    resources[0].file = big_file;
    desc.tools = tools;
    desc.resources = resources;
    desc.flags = MCP_LOGGING | MCP_SUBSCRIBE;
    desc.changes = MCP_TOOLS;
}

#define J(...) #__VA_ARGS__ /* JSON as it is */
#define HELLO J({"jsonrpc":"2.0","id":0,"method":"initialize",)                                \
    J("params":{"protocolVersion":"2025-11-25","capabilities":{},)                              \
    J("clientInfo":{"name":"t","version":"0"}}}) "\n"                                           \
    J({"jsonrpc":"2.0","method":"notifications/initialized"}) "\n"                              \
    J({"jsonrpc":"2.0","id":1,"method":"resources/subscribe",)                                  \
    J("params":{"uri":"big://file"}}) "\n"
#define IMAGE J({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"image"}}) "\n"  \
    J({"jsonrpc":"2.0","id":3,"method":"ping"}) "\n"
#define FILE_ J({"jsonrpc":"2.0","id":4,"method":"resources/read",)                             \
    J("params":{"uri":"big://file"}}) "\n"

/* ---- what comes, looked at as it passes: long lines by their ends ---- */

typedef struct seen {
    uint64_t bytes;                 /* of the line */
    char head[200], tail[200];
    size_t lines, notes, pings, images, files, bad;
} seen;

/* A line of so much base64 between that beginning and that end. */
static bool framed(const seen *s, const char *head, const char *tail) {
    size_t before = strlen(head), behind = strlen(tail);
    uint64_t base64 = (size + 2) / 3 * 4;
    return s->bytes == before + base64 + behind && !memcmp(s->head, head, before) &&
           !memcmp(s->tail + sizeof s->tail - behind, tail, behind);
}

static void line_ends(seen *s) {
    s->lines++;
    if (framed(s, J({"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"image","data":) "\"",
               "\"" J(,"mimeType":"image/x-raw"}],"isError":false}}))) s->images++;
    else if (framed(s, J({"jsonrpc":"2.0","id":4,"result":{"contents":[{"uri":"big://file",)
                    J("mimeType":"application/octet-stream","blob":) "\"", "\"}]}}")) s->files++;
    else if (strstr(s->head, "\"method\":\"notifications/")) s->notes++;
    else if (strstr(s->head, J("id":3,"result":{}}))) s->pings++;
    else if (!strstr(s->head, "\"result\"") || s->bytes > 1000) s->bad++;
    s->bytes = 0;
    memset(s->head, 0, sizeof s->head);
}

static void look_at(seen *s, const char *p, size_t n) {
    while (n) {
        const char *lf = (const char *)memchr(p, '\n', n);
        size_t part_ = lf ? (size_t)(lf - p) : n;
        if (s->bytes < sizeof s->head - 1) {
            size_t room = sizeof s->head - 1 - (size_t)s->bytes;
            memcpy(s->head + s->bytes, p, part_ < room ? part_ : room);
        }
        size_t had = s->bytes < sizeof s->tail ? (size_t)s->bytes : sizeof s->tail;
        if (part_ >= sizeof s->tail) memcpy(s->tail, p + part_ - sizeof s->tail, sizeof s->tail);
        else {
            size_t stay = had + part_ > sizeof s->tail ? sizeof s->tail - part_ : had;
            memmove(s->tail, s->tail + had - stay, stay);
            memcpy(s->tail + stay, p, part_);
        }
        s->bytes += part_;
        if (lf) line_ends(s), part_++;
        p += part_;
        n -= part_;
    }
}

static void check_seen(const seen *s) {
    CHECK_INT(s->images, 1);
    CHECK_INT(s->files, 1);
    CHECK_INT(s->pings, 1);
    CHECK_INT(s->notes, 3); /* a log message, an update, a list: each once, none inside of a line */
    CHECK_INT(s->bad, 0);
}

/* ---- in this process ---- */

static seen passed;
static int count_bytes(void *user, const void *bytes, size_t n) {
    (void)user;
    look_at(&passed, (const char *)bytes, n);
    return MCP_OK;
}

TEST(in_this_process) {
    mcp_write_hook hook = { count_bytes, NULL };
    offer();
    start();
    mcp_conn_free(w.conn);
    memset(&passed, 0, sizeof passed);
    w.conn = mcp_conn_new(w.server, MCP_LINES, hook);
    const char *lines = HELLO IMAGE FILE_;
    CHECK_INT(mcp_feed(w.conn, lines, strlen(lines)), MCP_OK);
    check_seen(&passed);
    if (!CHECK(w.mem.peak < HEAP)) printf("    %lu bytes\n", (unsigned long)w.mem.peak);
    stop();
}

/* ---- through pipes ---- */

#ifndef _WIN32

/* The child: serves, and leaves by its status whether its heap stayed small. */
static void serve(int in, int out) {
    static harness_mem mem;
    offer();
    desc.alloc.func = harness_alloc, desc.alloc.user = &mem;
    dup2(in, 0);
    dup2(out, 1);
    for (int fd = 3; fd < 64; fd++) close(fd);
    int rc = mcp_serve_stdio(&desc);
    _exit(rc ? 2 : mem.peak < HEAP ? 0 : 1);
}

static void rest(long ns) {
    struct timespec t = { 0, ns };
    nanosleep(&t, NULL);
}

/* Asks, and reads at that pace; the child's largest size in KiB. */
static long run(const char *lines, int slow_reads, seen *s) {
    int in[2], out[2], status = -1, pieces = 0;
    struct rusage children;
    static char buf[65536];
    memset(s, 0, sizeof *s);
    fflush(stdout);
    if (pipe(in) || pipe(out)) harness_die("big", 0, "no pipes");
    pid_t child = fork();
    if (!child) serve(in[0], out[1]);
    close(in[0]), close(out[1]);
    if (write(in[1], lines, strlen(lines)) < 0) harness_die("big", 0, "no child");
    size_t want = strstr(lines, FILE_) ? 8 : 1;
    for (ssize_t n; s->lines < want && (n = read(out[0], buf, sizeof buf)) > 0;) {
        look_at(s, buf, (size_t)n);
        if (pieces++ < slow_reads) rest(1000000);
    }
    close(in[1]);
    while (read(out[0], buf, sizeof buf) > 0) {}
    close(out[0]);
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status));
    CHECK_INT(WEXITSTATUS(status), 0);
    getrusage(RUSAGE_CHILDREN, &children); /* the largest so far */
    return children.ru_maxrss;
}

static long idle; /* size of a process that does nothing much */

static void through_pipes(int slow_reads) {
    seen s;
    if (!idle) idle = run("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\"}\n", 0, &s);
    long kib = run(HELLO IMAGE FILE_, slow_reads, &s);
    check_seen(&s);
#ifdef __linux__ /* ru_maxrss is in KiB; under an emulator or a sanitizer it says nothing */
    if (idle < PROCESS && !CHECK(kib < PROCESS)) printf("    %ld KiB, idle %ld\n", kib, idle);
#else
    (void)kib;
#endif
}

TEST(fast_reader) { through_pipes(0); }
TEST(slow_reader) { through_pipes(300); }

TEST(reader_gone) { /* in the middle: the server ends at once, and is not killed by a signal */
    int in[2], out[2], status = -1;
    char buf[4096];
    if (pipe(in) || pipe(out)) harness_die("big", 0, "no pipes");
    fflush(stdout);
    pid_t child = fork();
    if (!child) serve(in[0], out[1]);
    close(in[0]), close(out[1]);
    if (write(in[1], HELLO IMAGE, sizeof HELLO IMAGE - 1) < 0) harness_die("big", 0, "no child");
    for (int i = 0; i < 20 && read(out[0], buf, sizeof buf) > 0; i++) {}
    close(out[0]);
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 2);
    close(in[1]);
}
#endif

int main(int argc, char **argv) {
    if (argc > 1) size = (uint64_t)strtoul(argv[1], NULL, 10) * MIB;
    snprintf(big_file, sizeof big_file, "%s.file", argv[0]);
    FILE *f = fopen(big_file, "wb"); /* full of holes */
    for (uint64_t at = 0; f && at < size; at += 1 << 30)
        fseek(f, size - at > 1 << 30 ? 1 << 30 : (long)(size - at) - 1, SEEK_CUR);
    if (!f || fputc(0, f) == EOF || fclose(f)) harness_die(big_file, 0, "cannot be written");
    RUN(in_this_process);
#ifndef _WIN32
    RUN(fast_reader);
    RUN(slow_reader);
    RUN(reader_gone);
#else
    SKIP(fast_reader, "needs fork and pipes");
    SKIP(slow_reader, "needs fork and pipes");
    SKIP(reader_gone, "needs fork and pipes");
#endif
    remove(big_file);
    return DONE();
}
