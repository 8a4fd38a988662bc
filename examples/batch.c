/* batch.c - work that outlives its request: a client that knows tasks gets a handle at once */
#define MCP_IMPLEMENTATION
#include "mcp.h"

#include <stdlib.h>
#include <string.h>

enum { SLICE_MS = 20 };

typedef struct batch { /* in the call's memory */
    mcp_call *call;
    int64_t done, total;
    bool stop;
} batch;

static void stop(void *arg) { ((batch *)arg)->stop = true; } /* by the request, or by the task */

static void step(void *arg) { /* a slice; between two of them others are served */
    batch *b = (batch *)arg;
    b->done++;
    mcp_progress(b->call, (double)b->done, (double)b->total, /* a task's status */
                 mcp_format(b->call, "%d of %d", (int)b->done, (int)b->total));
    if (!b->stop && b->done < b->total &&
        mcp_after(mcp_call_server(b->call), SLICE_MS, step, b) == MCP_OK) return;
    mcp_done(b->call, mcp_textf(b->call, "%d of %d converted", (int)b->done, (int)b->total));
}

static int convert(mcp_call *c) { /* the same handler with tasks and without */
    batch *b = (batch *)mcp_alloc(c, sizeof *b);
    if (!b) return MCP_NOMEM;
    b->call = c;
    b->total = mcp_arg_int(c, "files");
    int rc = mcp_after(mcp_call_server(c), SLICE_MS, step, b);
    if (rc) return rc;
    mcp_on_cancel(c, stop, b);
    return mcp_defer(c);
}

static const mcp_arg convert_args[] = {
    { .name = "files", .type = MCP_INTEGER, .flags = MCP_REQUIRED, .min = "1", .max = "9999" },
    { 0 } };
static const mcp_tool tools[] = {
    { .name = "convert", .desc = "Converts files.", .args = convert_args, .call = convert,
      .task = MCP_TASK_OPTIONAL, .task_ttl_ms = 10 * 60 * 1000 },
    { 0 } };

int main(int argc, char **argv) {
    mcp_server_desc desc = { .name = "batch", .tools = tools, .limits = { .tasks = 32 } };
    if (argc < 2 || strcmp(argv[1], "--http") != 0) return mcp_serve_stdio(&desc);
    if (argc > 2) desc.http.port = atoi(argv[2]);
    return mcp_serve_http(&desc);
}
