/* faults.c - web.c's server, one of whose system calls fails

   faults PORT...: as web. FAULT=ERRNO:N in the environment makes the Nth call fail like that,
   FAULT=0:N has every send and receive move N bytes at most. What it comes to is told at the end:
   "calls: how many there were; left: allocations and descriptors that nobody gave back". */
#if !defined _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int calls, fails_at, fails_as, at_most;
static long blocks;

static bool fault(void) {
    if (++calls != fails_at) return false;
    errno = fails_as;
    return true;
}
static size_t part(size_t n) { return at_most && n > (size_t)at_most ? (size_t)at_most : n; }

static void *counted_realloc(void *p, size_t n) {
    void *more = realloc(p, n);
    if (more && !p) blocks++;
    return more;
}
static void counted_free(void *p) {
    if (p) blocks--;
    free(p);
}
#define MCP_REALLOC(p, n) counted_realloc(p, n)
#define MCP_FREE(p) counted_free(p)

static int faulty_socket(int family, int type, int protocol) {
    return fault() ? -1 : socket(family, type, protocol);
}
static int faulty_bind(int fd, const struct sockaddr *address, socklen_t n) {
    return fault() ? -1 : bind(fd, address, n);
}
static int faulty_listen(int fd, int backlog) { return fault() ? -1 : listen(fd, backlog); }
static int faulty_accept(int fd, struct sockaddr *address, socklen_t *n) {
    return fault() ? -1 : accept(fd, address, n);
}
static ssize_t faulty_recv(int fd, void *p, size_t n, int flags) {
    return fault() ? -1 : recv(fd, p, part(n), flags);
}
static ssize_t faulty_send(int fd, const void *p, size_t n, int flags) {
    return fault() ? -1 : send(fd, p, part(n), flags);
}
static int faulty_poll(struct pollfd *fds, nfds_t n, int ms) {
    return fault() ? -1 : poll(fds, n, ms);
}
static int faulty_pipe(int *fds) { return fault() ? -1 : pipe(fds); }
static int faulty_fcntl(int fd, int what, int how) { return fault() ? -1 : fcntl(fd, what, how); }
static int faulty_setsockopt(int fd, int level, int name, const void *p, socklen_t n) {
    return fault() ? -1 : setsockopt(fd, level, name, p, n);
}
static int faulty_getsockname(int fd, struct sockaddr *address, socklen_t *n) {
    return fault() ? -1 : getsockname(fd, address, n);
}
static int faulty_shutdown(int fd, int how) { return fault() ? -1 : shutdown(fd, how); }
static ssize_t faulty_read(int fd, void *p, size_t n) { return fault() ? -1 : read(fd, p, n); }
static ssize_t faulty_write(int fd, const void *p, size_t n) {
    return fault() ? -1 : write(fd, p, n);
}

#define socket faulty_socket
#define bind faulty_bind
#define listen faulty_listen
#define accept faulty_accept
#define recv faulty_recv
#define send faulty_send
#define poll faulty_poll
#define pipe faulty_pipe
#define fcntl faulty_fcntl
#define setsockopt faulty_setsockopt
#define getsockname faulty_getsockname
#define shutdown faulty_shutdown
#define read faulty_read
#define write faulty_write
#define main web_main
#include "web.c"
#undef main

static int descriptors(void) {
    int n = 0;
    struct stat st;
    for (int fd = 0; fd < 100; fd++) n += fstat(fd, &st) == 0;
    return n;
}

int main(int argc, char **argv) {
    const char *what = getenv("FAULT");
    int open = descriptors(), as = 0, at = 0;
    if (what && sscanf(what, "%d:%d", &as, &at) == 2) {
        if (as) fails_as = as, fails_at = at;
        else at_most = at;
    }
    int rc = web_main(argc, argv);
    fprintf(stderr, "calls: %d; left: %ld %d\n", calls, blocks, descriptors() - open);
    return rc;
}
