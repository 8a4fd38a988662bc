/* tls.h - TLS for a client whose library has none: openssl s_client, on a socket pair

   For an https URL: mcp_client_desc.connect = { tls_connect, NULL }. Certificates are checked, and
   that they are the host's. Not on Windows. */
#ifndef _WIN32
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

typedef struct tls { int fd; pid_t pid; } tls;

static ptrdiff_t tls_read(void *user, void *bytes, size_t n, int64_t ms) {
    struct pollfd p = { ((tls *)user)->fd, POLLIN, 0 };
    int ready = poll(&p, 1, ms < 0 ? -1 : ms > 60000 ? 60000 : (int)ms);
    return ready > 0 ? read(p.fd, bytes, n) : (ptrdiff_t)MCP_CANCELLED;
}

static int tls_write(void *user, const void *bytes, size_t n) {
    for (size_t sent = 0; sent < n;) {
        ssize_t more = send(((tls *)user)->fd, (const char *)bytes + sent, n - sent, MSG_NOSIGNAL);
        if (more <= 0) return MCP_IO;
        sent += (size_t)more;
    }
    return MCP_OK;
}

static void tls_close(void *user) {
    tls *t = (tls *)user;
    close(t->fd);
    kill(t->pid, SIGTERM);
    waitpid(t->pid, NULL, 0);
    free(t);
}

static void tls_become(int fd, const char *host, int port) { /* in the new process */
    char where[300];
    snprintf(where, sizeof where, strchr(host, ':') ? "[%s]:%d" : "%s:%d", host, port);
    const char *argv[] = { "openssl", "s_client", "-quiet", "-verify_quiet", "-verify_return_error",
                           "-verify_hostname", host, "-servername", host, "-connect", where, NULL };
    if (dup2(fd, 0) >= 0 && dup2(fd, 1) >= 0) execvp(argv[0], (char **)(void *)argv);
    perror("openssl");
    _exit(127);
}

static int tls_connect(void *user, const char *host, int port, mcp_stream *stream) {
    int pair[2];
    tls *t = (tls *)malloc(sizeof *t);
    (void)user;
    if (!t || socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) return free(t), MCP_IO;
    fcntl(t->fd = pair[0], F_SETFD, FD_CLOEXEC);
    t->pid = fork();
    if (t->pid == 0) tls_become(pair[1], host, port);
    close(pair[1]);
    stream->read = tls_read;
    stream->write = tls_write;
    stream->close = tls_close;
    stream->user = t;
    return t->pid > 0 ? MCP_OK : MCP_IO;
}
#endif
