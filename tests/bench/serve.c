/* serve.c - a client of a server and of a program that only echoes: serve SERVER ECHO

   Both get the same lines through pipes, in turn, so that other load slows both. Start-up: from
   before the exec to the whole first answer. Calls: one at a time, and sixteen in one write.
   Memory: what /proc says after some calls. */
#include "bench.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char call[] =
    "{\"jsonrpc\":\"2.0\",\"id\":42,\"method\":\"tools/call\",\"params\":{\"_meta\":{"
    "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
    "\"io.modelcontextprotocol/clientCapabilities\":{}},"
    "\"name\":\"add\",\"arguments\":{\"a\":1,\"b\":2.5}}}\n";

typedef struct program { char *path; pid_t pid; int in, out; const char *expect; } program;

static double wall(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void program_start(program *p) {
    int in[2], out[2];
    char *argv[] = { p->path, NULL };
    posix_spawn_file_actions_t actions;
    if (pipe(in) || pipe(out)) die("pipe", "there is none");
    for (int i = 0; i < 2; i++)
        if (fcntl(in[i], F_SETFD, FD_CLOEXEC) || fcntl(out[i], F_SETFD, FD_CLOEXEC))
            die("fcntl", "FD_CLOEXEC");
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    if (posix_spawn(&p->pid, p->path, &actions, NULL, argv, environ))
        die(p->path, "does not start");
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    p->in = in[1];
    p->out = out[0];
}

static void program_end(program *p) {
    int status;
    close(p->in);
    close(p->out);
    if (waitpid(p->pid, &status, 0) != p->pid || status) die(p->path, "ended badly");
}

/* Sends n calls in one write and waits for as many lines. */
static void program_call(program *p, unsigned n) {
    static char lines[64 * sizeof call], buf[65536];
    size_t size = n * (sizeof call - 1);
    for (unsigned i = 0; i < n; i++) memcpy(lines + i * (sizeof call - 1), call, sizeof call - 1);
    if (write(p->in, lines, size) != (ssize_t)size) die(p->path, "does not take its input");
    for (unsigned seen = 0; seen < n;) {
        ssize_t got = read(p->out, buf, sizeof buf - 1);
        if (got <= 0) die(p->path, "does not answer");
        buf[got] = 0;
        if (!seen && !strstr(buf, p->expect)) die(p->path, "answers something else");
        for (const char *s = buf; (s = strchr(s, '\n')) != NULL; s++) seen++;
    }
}

static double start_up(program *p) {
    double from = wall();
    program_start(p);
    program_call(p, 1);
    double took = wall() - from;
    program_end(p);
    return took;
}

static double calls(program *p, unsigned together) {
    enum { TIMES = 512 };
    double from = wall();
    for (unsigned i = 0; i < TIMES; i += together) program_call(p, together);
    return wall() - from;
}

/* A line of /proc/PID/status, in KiB: VmHWM is the peak of what was resident. */
static double memory(const program *p, const char *line) {
    char path[64], text[256];
    double kib = 0;
    snprintf(path, sizeof path, "/proc/%ld/status", (long)p->pid);
    FILE *f = fopen(path, "r");
    if (!f) die(path, "cannot be read");
    while (fgets(text, sizeof text, f))
        if (!strncmp(text, line, strlen(line))) kib = strtod(text + strlen(line), NULL);
    fclose(f);
    if (kib <= 0) die(path, line);
    return kib;
}

int main(int argc, char **argv) {
    enum { STARTS = 301, CALLS = 41, PEAKS = 15 };
    static double ratios[STARTS];
    if (argc != 3) die("serve", "SERVER ECHO");
    program server = { argv[1], 0, 0, 0, "\"3.5\"" }, echo = { argv[2], 0, 0, 0, "\"method\"" };
    for (size_t i = 0; i < STARTS; i++) {
        double first = i % 2 ? start_up(&echo) : 0, ours = start_up(&server);
        ratios[i] = ours / (i % 2 ? first : start_up(&echo));
    }
    row("start", "first answer after exec", median(ratios, STARTS), "x echo's time", '<', 2,
        RATIO, "");

    program_start(&server);
    program_start(&echo);
    for (unsigned together = 1; together <= 16; together += 15) {
        for (size_t i = 0; i < CALLS; i++) {
            double theirs = i % 2 ? calls(&echo, together) : 0, ours = calls(&server, together);
            ratios[i] = (i % 2 ? theirs : calls(&echo, together)) / ours;
        }
        row("calls", together == 1 ? "calls a second over a pipe" : "the same, 16 in one write",
            median(ratios, CALLS), "x echo's", '>', 0, INFO, "");
    }
    program_end(&server);
    program_end(&echo);

    for (size_t i = 0; i < PEAKS; i++) {
        program_start(&server);
        program_start(&echo);
        calls(&server, 16);
        calls(&echo, 16);
        ratios[i] = memory(&server, "VmHWM:") - memory(&echo, "VmHWM:");
        program_end(&server);
        program_end(&echo);
    }
    row("rss", "peak memory over the echo program's", median(ratios, PEAKS), "KiB", '<', 1536,
        GATE, "");
    return 0;
}
