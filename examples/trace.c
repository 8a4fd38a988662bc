/* trace.c - spans to a file that an OpenTelemetry collector reads; the trace goes on upstream */
#define MCP_IMPLEMENTATION
#include "mcp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where your HTTP client would be. The header makes the other service's spans children of ours. */
static int fetch(mcp_call *c, const char *url, char *out, size_t n) {
    const char *parent = mcp_traceparent(c);   /* "": nobody traces */
    return snprintf(out, n, "GET %s, traceparent: %s", url, parent) > 0 ? MCP_OK : MCP_IO;
}

static int lookup(mcp_call *c) {
    char answer[512];
    mcp_span_begin(c, "GET prices.example");   /* a child of the span of this call */
    mcp_span_attr(c, "server.address", "prices.example");
    int rc = fetch(c, "https://prices.example/v1", answer, sizeof answer);
    mcp_span_end(c, rc);
    return rc ? mcp_fail(c, "no answer") : mcp_text(c, answer);
}

static const mcp_tool tools[] = {
    { .name = "lookup", .desc = "Looks up prices.", .call = lookup, .hints = MCP_READ_ONLY },
    { 0 } };

/* SPANS names the file. Stdout is the protocol's, so without it they go to stderr. */
int main(int argc, char **argv) {
    const char *path = getenv("SPANS");
    FILE *spans = path ? fopen(path, "a") : stderr;
    mcp_server_desc desc = { .name = "trace", .tools = tools, .ambient = getenv("TRACEPARENT") };
    if (spans) desc.trace = (mcp_trace_hook){ mcp_trace_json, spans };
    bool http = argc > 1 && strcmp(argv[1], "--http") == 0; /* [PORT]: http://127.0.0.1:8080/mcp */
    if (http && argc > 2) desc.http.port = atoi(argv[2]);
    int rc = http ? mcp_serve_http(&desc) : mcp_serve_stdio(&desc);
    if (spans && spans != stderr) fclose(spans);
    return rc;
}
