/* embed.c - no I/O in mcp.h at all: bytes in, bytes out, your loop */
#define MCP_NO_OS
#define MCP_IMPLEMENTATION
#include "mcp.h"

#include <stdio.h>

/* Anything that carries bytes will do: a serial line, a socket of your event loop, a test. */
static int to_stdout(void *user, const void *bytes, size_t n) {
    FILE *out = (FILE *)user;
    return fwrite(bytes, 1, n, out) == n && fflush(out) == 0 ? MCP_OK : MCP_IO;
}

/* Up to one line, so that a person at a keyboard is answered at once; 0 at the end of input.
   How the bytes are cut does not matter to mcp_feed. */
static size_t from_stdin(char *buf, size_t size) {
    size_t n = 0;
    for (int ch; n < size && (ch = getchar()) != EOF; )
        if ((buf[n++] = (char)ch) == '\n') break;
    return n;
}

static int reverse(mcp_call *c) {
    size_t n;
    const char *text = mcp_arg_strn(c, "text", &n);
    char *out = (char *)mcp_alloc(c, n + 1);   /* freed with the call */
    if (!out) return MCP_NOMEM;
    for (size_t i = 0; i < n; i++) out[i] = text[n - 1 - i];
    return mcp_textn(c, out, n);
}

static const mcp_arg reverse_args[] = {
    { .name = "text", .desc = "ASCII text", .flags = MCP_REQUIRED }, { 0 } };
static const mcp_tool tools[] = {
    { .name = "reverse", .desc = "Reverses a text.", .args = reverse_args, .call = reverse },
    { 0 } };

int main(void) {
    static const mcp_server_desc desc = { .name = "embed", .tools = tools };
    const mcp_write_hook out = { to_stdout, stdout };
    mcp_server *s = mcp_server_new(&desc);
    mcp_conn *k = s ? mcp_conn_new(s, MCP_LINES, out) : NULL;
    int rc = k ? MCP_OK : MCP_NOMEM;
    char buf[4096];
    for (size_t n = 1; rc == MCP_OK && n > 0; )
        rc = mcp_feed(k, buf, n = from_stdin(buf, sizeof buf));   /* 0 says: that was all */
    mcp_conn_free(k);
    mcp_server_free(s);
    return rc == MCP_OK ? 0 : 1;
}
