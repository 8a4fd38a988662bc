/* capture.h - makes an ordinary server program part of the test runner

   Force-included (-include capture.h -DSERVER=tools) before the program's first line: main becomes
   tools_main, mcp_serve_stdio hands the desc to the runner (harness.h), the implementation stays
   out, since one object of the runner has it. Sleeping costs nothing, printing says nothing, files
   that are written are temporary. */
#if !defined _POSIX_C_SOURCE && !defined _WIN32
#define _POSIX_C_SOURCE 200809L
#endif
#include <stdio.h>
#include <time.h>
#ifdef _WIN32
#include <windows.h>
#endif

#define MCP__IMPLEMENTED
#include "mcp.h"

int harness_serve(const mcp_server_desc *desc);
int harness_sleep(void);

#define HARNESS_PASTE(a, b) HARNESS_PASTE_(a, b)
#define HARNESS_PASTE_(a, b) a##b

/* main(void) and main(int argc, char **argv) alike: the first word of the list picks a macro. */
#define HARNESS_LIST_ int harness_argc, char **harness_argv
#define HARNESS_LIST_void int harness_argc, char **harness_argv
#define HARNESS_LIST_int int
#define HARNESS_LIST(...) HARNESS_LIST_##__VA_ARGS__
#define main(...) HARNESS_PASTE(SERVER, _main)(HARNESS_LIST(__VA_ARGS__))
int HARNESS_PASTE(SERVER, _main)(int argc, char **argv);

#define mcp_serve_stdio(desc) harness_serve(desc)
#define mcp_serve_http(desc) harness_serve(desc)

/* The long form, for programs that need their server before it serves: the runner plays on servers
   of its own, main frees the one that it made. */
#ifdef __GNUC__
__attribute__((unused))
#endif
static mcp_server_desc harness_desc;
#define mcp_server_new(desc) (harness_desc = *(desc), mcp_server_new(desc))
#define mcp_server_run(s, where) ((void)(s), harness_serve(&harness_desc))

#define nanosleep(want, left) ((void)(want), (void)(left), harness_sleep())
#define Sleep(ms) ((void)(ms), (void)harness_sleep())
#define printf(...) ((void)sizeof(snprintf(NULL, 0, __VA_ARGS__)))
#define fopen(path, mode) (*(mode) == 'r' ? fopen(path, mode) : tmpfile())
