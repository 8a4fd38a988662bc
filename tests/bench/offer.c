/* offer.c - what many rows, many subscriptions and a large file cost: offer SCRATCH
   (and, as the server of the large file, which tells its peak memory: offer serve FILE PEAK)

   Calls of one tool among ten and among ten thousand; a thousand subscribed resources touched, told
   and held against as many pings; 1 GiB read through a pipe, against cat of as many bytes as its
   base64 has. The files are sparse: what is measured is the way, not the disk. */
#define _XOPEN_SOURCE 700
#define MCP_IMPLEMENTATION
#include "mcp.h"

#include <unistd.h>

#include "bench.h"

enum { FEW = 10, MANY = 10000, SUBSCRIBED = 1000 };
static const int64_t large = (int64_t)1 << 30;

#define META "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"," \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}"

static size_t lines; /* that were sent */

static int count(void *user, const void *sent, size_t n) {
    const char *p = (const char *)sent, *end = p + n;
    (void)user;
    while ((p = (const char *)memchr(p, '\n', (size_t)(end - p))) != NULL) lines++, p++;
    return MCP_OK;
}

static void feed(mcp_conn *k, const char *line, size_t expect) {
    lines = 0;
    if (mcp_feed(k, line, strlen(line)) != MCP_OK || lines != expect) die(line, "no answer");
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- many tools ---- */

static int twice(mcp_call *c) { return mcp_textf(c, "%g", 2 * mcp_arg_num(c, "n")); }
static const mcp_arg args[] = { { .name = "n", .type = MCP_NUMBER }, { 0 } };

/* A peer of a new server, both to the end of the program. */
static mcp_conn *peer(const mcp_server_desc *desc, mcp_server **server) {
    mcp_server *s = *server = mcp_server_new(desc);
    mcp_write_hook write = { count, NULL };
    mcp_conn *k = s ? mcp_conn_new(s, MCP_LINES, write) : NULL;
    if (!k) die(desc->name, "does not start");
    return k;
}

static mcp_conn *with_tools(size_t n) {
    mcp_tool *tools = (mcp_tool *)bench_alloc((n + 1) * sizeof *tools);
    char (*names)[16] = (char (*)[16])bench_alloc(n * sizeof *names);
    mcp_server_desc desc = { .name = "tools", .tools = tools };
    mcp_server *s;
    for (size_t i = 0; i < n; i++) {
        snprintf(names[i], sizeof names[i], "tool%05lu", (unsigned long)i);
        tools[i].name = names[i];
        tools[i].args = args;
        tools[i].call = twice;
    }
    return peer(&desc, &s);
}

static double calls(mcp_conn *k, size_t tools) {
    char line[512];
    double from = bench_now();
    for (size_t i = 0; i < 2000; i++) {
        snprintf(line, sizeof line, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
                 "\"params\":{" META ",\"name\":\"tool%05lu\",\"arguments\":{\"n\":2}}}\n",
                 (unsigned long)(i * 7919 % tools));
        feed(k, line, 1);
    }
    return bench_now() - from;
}

static void many_tools(void) {
    double ratios[ROUNDS];
    mcp_conn *few = with_tools(FEW), *many = with_tools(MANY);
    for (size_t i = 0; i < ROUNDS; i++) {
        double first = i % 2 ? calls(few, FEW) : 0, of_many = calls(many, MANY);
        ratios[i] = of_many / (i % 2 ? first : calls(few, FEW));
    }
    row("tools", "a call among 10,000 tools", median(ratios, ROUNDS), "x among 10", '<', 2, RATIO,
        "");
}

/* ---- many subscriptions ---- */

static void subscriptions(void) {
    static mcp_resource rows[SUBSCRIBED + 1];
    static char uris[SUBSCRIBED][24];
    char line[256];
    double ratios[ROUNDS];
    mcp_server_desc desc = { .name = "resources", .resources = rows,
                             .flags = MCP_SUBSCRIBE };
    desc.limits.subscriptions = SUBSCRIBED;
    for (size_t i = 0; i < SUBSCRIBED; i++) {
        snprintf(uris[i], sizeof uris[i], "note://%lu", (unsigned long)i);
        rows[i].uri = uris[i];
        rows[i].text = "text";
    }
    mcp_server *s;
    mcp_conn *k = peer(&desc, &s);
    feed(k, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
         "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},"
         "\"clientInfo\":{\"name\":\"n\",\"version\":\"1\"}}}\n", 1);
    feed(k, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n", 0);
    for (size_t i = 0; i < SUBSCRIBED; i++) {
        snprintf(line, sizeof line, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":"
                 "\"resources/subscribe\",\"params\":{\"uri\":\"note://%lu\"}}\n",
                 (unsigned long)i);
        feed(k, line, 1);
    }
    for (size_t i = 0; i < ROUNDS; i++) {
        double from = bench_now(), told;
        lines = 0;
        for (size_t j = 0; j < SUBSCRIBED; j++) mcp_server_touch(s, uris[j]);
        mcp_poll(s);
        told = bench_now() - from;
        if (lines != SUBSCRIBED) die("subscriptions", "not everything was told");
        from = bench_now();
        for (size_t j = 0; j < SUBSCRIBED; j++)
            feed(k, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\"}\n", 1);
        ratios[i] = told / (bench_now() - from);
    }
    row("touch", "1,000 subscriptions touched and told", median(ratios, ROUNDS), "x 1,000 pings",
        '<', 2, RATIO, "");
}

/* ---- a large file ---- */

static void sparse(const char *path, int64_t size) {
    FILE *f = fopen(path, "wb");
    if (!f || ftruncate(fileno(f), (off_t)size) || fclose(f)) die(path, "cannot be made");
}

/* How long it takes to read what a command writes, which must be at least so much. */
static double drained(const char *command, int64_t least) {
    static char buf[1 << 18];
    double from = seconds();
    int64_t size = 0;
    ssize_t n;
    FILE *f = popen(command, "r");
    if (!f) die(command, "does not start");
    while ((n = read(fileno(f), buf, sizeof buf)) > 0) size += n;
    if (pclose(f) || size < least) die(command, "does not write all of it");
    return seconds() - from;
}

static void large_file(const char *self, const char *scratch) {
    enum { TIMES = 5 };
    char file[512], encoded[512], request[512], peak[512], ours[2400], theirs[600];
    double ratios[TIMES], kib = 0;
    snprintf(file, sizeof file, "%s/large", scratch);
    snprintf(encoded, sizeof encoded, "%s/encoded", scratch);
    snprintf(request, sizeof request, "%s/request", scratch);
    snprintf(peak, sizeof peak, "%s/peak", scratch);
    snprintf(ours, sizeof ours, "%s serve %s %s <%s", self, file, peak, request);
    snprintf(theirs, sizeof theirs, "cat %s", encoded);
    int64_t size = (large + 2) / 3 * 4;
    sparse(file, large);
    sparse(encoded, size);
    FILE *f = fopen(request, "w");
    if (!f || fputs("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",\"params\":{" META
                    ",\"uri\":\"file:///large\"}}\n", f) < 0 || fclose(f))
        die(request, "cannot be written");
    for (size_t i = 0; i < TIMES; i++) {
        double cat = i % 2 ? drained(theirs, size) : 0, us = drained(ours, size);
        ratios[i] = (i % 2 ? cat : drained(theirs, size)) / us;
    }
    f = fopen(peak, "r");
    if (!f || fscanf(f, "%lf", &kib) != 1 || fclose(f)) die(peak, "cannot be read");
    remove(file);
    remove(encoded);
    row("large", "1 GiB through a pipe, bytes a second", median(ratios, TIMES), "x cat's", '>', 0,
        INFO, "");
    row("large", "and peak memory", kib, "KiB", '<', 4096, GATE, "");
}

static int serve(const char *file, const char *peak) {
    const mcp_resource rows[] = {
        { .uri = "file:///large", .mime = "application/octet-stream", .file = file }, { 0 } };
    const mcp_server_desc desc = { .name = "large", .resources = rows };
    int status = mcp_serve_stdio(&desc);
    char line[256];
    FILE *in = fopen("/proc/self/status", "r"), *out = fopen(peak, "w");
    if (!in || !out) die(peak, "cannot be written");
    while (fgets(line, sizeof line, in))
        if (!strncmp(line, "VmHWM:", 6)) fprintf(out, "%ld\n", strtol(line + 6, NULL, 10));
    fclose(in);
    if (fclose(out)) die(peak, "cannot be written");
    return status;
}

int main(int argc, char **argv) {
    if (argc == 4 && !strcmp(argv[1], "serve")) return serve(argv[2], argv[3]);
    if (argc != 2) die("offer", "SCRATCH");
    many_tools();
    subscriptions();
    large_file(argv[0], argv[1]);
    return 0;
}
