/* http.c - the same call, over keep-alive connections: http WEB NGINX_CONF_FOLDER SDK_OR_-

   Three servers get the same bytes in turn, so that other load slows all of them: ours, nginx with
   one worker, which answers the text that we did, and the official Go SDK, stateless as we are. One
   connection tells the latency, 32 the rate. Memory: what RESIDENT connections add, each used once,
   then silent. */
#include "bench.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { ROUND_MS = 300, PAIRS = 9, MANY = 32, RESIDENT = 500, SAMPLES = 1 << 16 };
enum { RATE, MEDIAN, TAIL, ALONE_RATE, ALONE_MEDIAN, ALONE_TAIL, FIGURES };

static const char body[] =
    "{\"jsonrpc\":\"2.0\",\"id\":42,\"method\":\"tools/call\",\"params\":"
    "{\"name\":\"add\",\"arguments\":{\"a\":1,\"b\":2.5}}}";
static char request[1024];

typedef struct program {
    const char *name, *expect;
    pid_t pid, worker;              /* worker: whose memory counts */
    int port;
    double figure[FIGURES][PAIRS];
} program;

static double wall(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- programs ---- */

static int dial(int port) {
    struct sockaddr_in a;
    int on = 1, fd = socket(AF_INET, SOCK_STREAM, 0);
    memset(&a, 0, sizeof a);
    a.sin_family = AF_INET;
    a.sin_port = htons((uint16_t)port);
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof a)) {
        if (fd >= 0) close(fd);
        return -1;
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
}

static int free_port(void) {
    struct sockaddr_in a;
    socklen_t n = sizeof a;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    memset(&a, 0, sizeof a);
    a.sin_family = AF_INET;
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0 || bind(fd, (struct sockaddr *)&a, n) || getsockname(fd, (struct sockaddr *)&a, &n))
        die("a port", "there is none");
    close(fd);
    return ntohs(a.sin_port);
}

static void start(program *p, char **argv) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 2, "build/bench/http.log",
                                     O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (posix_spawnp(&p->pid, argv[0], &actions, NULL, argv, environ))
        die(argv[0], "does not start");
    posix_spawn_file_actions_destroy(&actions);
    p->worker = p->pid;
    for (int i = 0; ; i++) {
        int fd = dial(p->port);
        if (fd >= 0) { close(fd); return; }
        if (i > 200) die(argv[0], "does not listen");
        usleep(20000);
    }
}

static void stop(program *p) {
    kill(p->pid, SIGTERM);
    for (int i = 0; i < 200 && waitpid(p->pid, NULL, WNOHANG) != p->pid; i++) usleep(20000);
}

/* ---- requests ---- */

typedef struct link { int fd; size_t n; double sent; char in[8192]; } link_;

static void ask(const program *p, link_ *l) {
    size_t n = strlen(request);
    l->n = 0;
    l->sent = wall();
    if (send(l->fd, request, n, 0) != (ssize_t)n) die(p->name, "does not take a request");
}

/* Reads; true: an answer is whole, and it is the right one. */
static bool hear(const program *p, link_ *l) {
    ssize_t got = recv(l->fd, l->in + l->n, sizeof l->in - 1 - l->n, 0);
    if (got <= 0) die(p->name, "hung up");
    l->in[l->n += (size_t)got] = 0;
    const char *end = strstr(l->in, "\r\n\r\n"), *size = strstr(l->in, "Content-Length: ");
    if (!end || !size) return false;
    if (l->n < (size_t)(end + 4 - l->in) + strtoul(size + 16, NULL, 10)) return false;
    if (strncmp(l->in, "HTTP/1.1 200", 12) != 0 || !strstr(end, p->expect)) die(p->name, l->in);
    return true;
}

/* What n connections do; figure is RATE or ALONE_RATE, its two others follow. */
static void load(program *p, size_t n, int figure, size_t round) {
    static link_ links[MANY];
    static double took[SAMPLES];
    struct epoll_event events[MANY];
    size_t samples = 0, answers = 0;
    int poller = epoll_create1(0);
    for (size_t i = 0; i < n; i++) {
        struct epoll_event e;
        e.events = EPOLLIN;
        e.data.ptr = &links[i];
        links[i].fd = dial(p->port);
        if (links[i].fd < 0 || epoll_ctl(poller, EPOLL_CTL_ADD, links[i].fd, &e))
            die(p->name, "does not listen");
        ask(p, &links[i]);
    }
    double from = wall(), now = from;
    while (now - from < ROUND_MS / 1e3) {
        int ready = epoll_wait(poller, events, MANY, 5000);
        if (ready <= 0) die(p->name, "does not answer");
        for (int i = 0; i < ready; i++) {
            link_ *l = (link_ *)events[i].data.ptr;
            if (!hear(p, l)) continue;
            now = wall();
            answers++;
            if (samples < SAMPLES) took[samples++] = now - l->sent;
            ask(p, l);
        }
        now = wall();
    }
    qsort(took, samples, sizeof *took, bench_order);
    p->figure[figure][round] = (double)answers / (now - from);
    p->figure[figure + 1][round] = took[samples / 2] * 1e6;
    p->figure[figure + 2][round] = took[samples * 99 / 100] * 1e6;
    for (size_t i = 0; i < n; i++) close(links[i].fd);
    close(poller);
}

static double resident(pid_t pid) {
    char path[64], text[256];
    double kib = 0;
    snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
    FILE *f = fopen(path, "r");
    if (!f) die(path, "cannot be read");
    while (fgets(text, sizeof text, f))
        if (!strncmp(text, "VmRSS:", 6)) kib = strtod(text + 6, NULL);
    fclose(f);
    return kib;
}

static double memory(program *p) {
    static link_ links[RESIDENT];
    double before = resident(p->worker);
    for (size_t i = 0; i < RESIDENT; i++) {
        links[i].fd = dial(p->port);
        if (links[i].fd < 0) die(p->name, "does not listen");
        ask(p, &links[i]);
        while (!hear(p, &links[i])) {}
    }
    usleep(1500000);
    double kib = (resident(p->worker) - before) / RESIDENT;
    for (size_t i = 0; i < RESIDENT; i++) close(links[i].fd);
    return kib;
}

/* ---- the table ---- */

/* The only child of nginx's master. */
static pid_t child_of(pid_t pid) {
    char path[64];
    long child = pid;
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", (long)pid, (long)pid);
    FILE *f = fopen(path, "r");
    if (f && fscanf(f, "%ld", &child) != 1) child = pid;
    if (f) fclose(f);
    return (pid_t)child;
}

/* Ours against each peer's: the median of the ratios of each round. */
static void compare(const char *what, const char *unit, program *p, size_t n, int figure,
                    char sense, const double *goals) {
    for (size_t i = 1; i < n; i++) {
        double ratio[PAIRS], ours[PAIRS], theirs[PAIRS];
        char name[64], notes[80];
        memcpy(ours, p[0].figure[figure], sizeof ours);
        memcpy(theirs, p[i].figure[figure], sizeof theirs);
        for (size_t k = 0; k < PAIRS; k++) ratio[k] = ours[k] / theirs[k];
        snprintf(name, sizeof name, "x %s's", p[i].name);
        snprintf(notes, sizeof notes, "%.0f to %.0f %s", median(ours, PAIRS),
                 median(theirs, PAIRS), unit);
        row("http", what, median(ratio, PAIRS), name, sense, goals[i - 1], RATIO, notes);
    }
}

static void start_ours(program *p, char *path, char *answer, size_t size) {
    static link_ l;
    char port[16];
    snprintf(port, sizeof port, "%d", p->port);
    char *argv[] = { path, port, "connections=2000", NULL };
    start(p, argv);
    l.fd = dial(p->port);
    ask(p, &l);
    while (!hear(p, &l)) {}
    snprintf(answer, size, "%s", strstr(l.in, "\r\n\r\n") + 4);
    close(l.fd);
}

/* It says what we said. */
static void start_nginx(program *p, char *folder, const char *answer) {
    static const char *const temp[] = { "client_body", "proxy", "fastcgi", "uwsgi", "scgi" };
    char path[1024], log[1024];
    snprintf(path, sizeof path, "%s/nginx.conf", folder);
    snprintf(log, sizeof log, "%s/error.log", folder);
    FILE *f = fopen(path, "w");
    if (!f) die(path, "cannot be written");
    fprintf(f, "worker_processes 1; daemon off; pid %s/pid; %s\n"
            "events { worker_connections 4096; }\nhttp { access_log off;\n", folder,
            getuid() ? "" : "user root;");
    for (size_t i = 0; i < COUNT_OF(temp); i++)
        fprintf(f, "%s_temp_path %s/%s;\n", temp[i], folder, temp[i]);
    fprintf(f, "keepalive_requests 100000000; default_type application/json;\n"
            "server { listen 127.0.0.1:%d; location / { return 200 '%s'; } } }\n", p->port,
            answer);
    fclose(f);
    char *argv[] = { "/usr/sbin/nginx", "-p", folder, "-e", log, "-c", path, NULL };
    start(p, argv);
    p->worker = child_of(p->pid);
}

static void start_sdk(program *p, char *path) {
    char port[16];
    snprintf(port, sizeof port, "%d", p->port);
    char *argv[] = { path, port, NULL };
    start(p, argv);
}

int main(int argc, char **argv) {
    static const double rates[] = { 0.5, 3 }, times[] = { 2, 0.5 }; /* nginx, the SDK */
    static program p[3];
    static const char *const names[] = { "mcp.h", "nginx", "Go SDK" };
    char answer[512], notes[80];
    if (argc != 4) die("http", "what to run is missing");
    size_t n = strcmp(argv[3], "-") ? 3 : 2;
    signal(SIGPIPE, SIG_IGN);
    snprintf(request, sizeof request, "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n"
             "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
             "MCP-Protocol-Version: 2025-11-25\r\nContent-Length: %zu\r\n\r\n%s",
             sizeof body - 1, body);
    for (size_t i = 0; i < n; i++) {
        p[i].name = names[i];
        p[i].expect = "3.5";
        p[i].port = free_port();
    }
    start_ours(&p[0], argv[1], answer, sizeof answer);
    start_nginx(&p[1], argv[2], answer);
    if (n == 3) start_sdk(&p[2], argv[3]);

    for (size_t i = 0; i < n; i++) load(&p[i], MANY, RATE, 0); /* it does not count */
    for (size_t round = 0; round < PAIRS; round++)
        for (size_t i = 0; i < n; i++) {
            program *x = &p[(i + round) % n];
            load(x, 1, ALONE_RATE, round);
            load(x, MANY, RATE, round);
        }
    compare("calls a second, 32 connections", "/s", p, n, RATE, '>', rates);
    compare("their median latency", "us", p, n, MEDIAN, '<', times);
    compare("their 99th percentile", "us", p, n, TAIL, '<', times);
    compare("calls a second, one connection", "/s", p, n, ALONE_RATE, '>', rates);
    compare("their median latency", "us", p, n, ALONE_MEDIAN, '<', times);
    compare("their 99th percentile", "us", p, n, ALONE_TAIL, '<', times);
    double kib[3] = { 0, 0, 0 };
    for (size_t i = 0; i < n; i++) kib[i] = memory(&p[i]);
    snprintf(notes, sizeof notes, "nginx %.1f, Go SDK %.1f", kib[1], kib[2]);
    row("http", "memory of an idle connection", kib[0], "KiB", '<', 20, GATE, notes);
    if (n < 3) row("http", "the Go SDK", 0, "", '>', 0, INFO, "not measured: no Go to build it");
    for (size_t i = 0; i < n; i++) stop(&p[i]);
    return 0;
}
