/* pty.c - runs a program on a terminal of its own, and types what is asked for

       pty COLUMNS [EXPECT TYPED]... -- PROGRAM [ARGUMENT...]

   Types TYPED and a newline each time after EXPECT was printed; "^C" and "^D" are what they are on
   a keyboard. Prints what the terminal got, without carriage returns; ends as the program does,
   with 200 and more after a signal, and with 99 when it says nothing for ten seconds. */
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

static int become(const char *name, char **argv, const char *columns) {
    struct winsize size = { 24, 80, 0, 0 };
    size.ws_col = (unsigned short)atoi(columns);
    setsid();
    int fd = open(name, O_RDWR);   /* its controlling terminal */
    if (fd < 0 || ioctl(fd, TIOCSWINSZ, &size)) return 98;
    for (int i = 0; i < 3; i++) dup2(fd, i);
    if (fd > 2) close(fd);
    execvp(argv[0], argv);
    return 97;
}

static void type(int fd, const char *what) {
    char line[256];
    if (!strcmp(what, "^C")) strcpy(line, "\003");
    else if (!strcmp(what, "^D")) strcpy(line, "\004");
    else snprintf(line, sizeof line, "%s\n", what);
    if (write(fd, line, strlen(line)) < 0) perror("pty");
}

int main(int argc, char **argv) {
    static char got[1 << 20];
    size_t n = 0, seen = 0;
    int next = 2, status = 0, program = 2;
    while (program < argc && strcmp(argv[program], "--") != 0) program++;
    int fd = posix_openpt(O_RDWR | O_NOCTTY);
    if (program >= argc || fd < 0 || grantpt(fd) || unlockpt(fd)) return 96;
    pid_t pid = fork();
    if (pid == 0) _exit(become(ptsname(fd), argv + program + 1, argv[1]));
    for (;;) {
        struct pollfd p = { fd, POLLIN, 0 };
        if (poll(&p, 1, 10000) <= 0) {
            printf("%s\n(nothing more came)\n", got);
            kill(pid, SIGKILL);
            return 99;
        }
        ssize_t more = read(fd, got + n, sizeof got - 1 - n);
        if (more <= 0) break;   /* all who had it open are gone */
        n += (size_t)more;
        got[n] = 0;
        char *found = next + 1 < program ? strstr(got + seen, argv[next]) : NULL;
        if (!found) continue;
        seen = (size_t)(found - got) + strlen(argv[next]);
        type(fd, argv[next + 1]);
        next += 2;
    }
    waitpid(pid, &status, 0);
    for (size_t i = 0; i < n; i++)
        if (got[i] != '\r' || got[i + 1] != '\n') putchar(got[i]);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 200 + WTERMSIG(status);
}
