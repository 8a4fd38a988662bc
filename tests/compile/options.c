/* options.c - an author's own assert and memory; nothing else of the C library's is called for
   them; no atomics, so that mcp_post is for the server's own thread */
#include <stddef.h>
#include <stdint.h>

static int asserted, reallocated, freed;
void *own_realloc(void *p, size_t n);
void own_free(void *p);

#define MCP_ASSERT(x) ((x) ? (void)0 : (void)asserted++)
#define MCP_REALLOC(p, n) own_realloc(p, n)
#define MCP_FREE(p) own_free(p)
#define MCP_API extern
#define MCP_NO_THREADS
#define MCP_IMPLEMENTATION
#include "mcp.h"

#include <stdlib.h>

void *own_realloc(void *p, size_t n) {
    reallocated++;
    return realloc(p, n);
}

void own_free(void *p) {
    freed++;
    free(p);
}

static int nothing(void *user, const void *bytes, size_t n) {
    (void)user, (void)bytes, (void)n;
    return MCP_OK;
}

static void count(void *n) { ++*(int *)n; }

int main(void) {
    int posted = 0;
    mcp_server_desc desc;
    mcp_write_hook hook = { nothing, NULL };
    memset(&desc, 0, sizeof desc);
    desc.name = "options";
    mcp_server *s = mcp_server_new(&desc);
    mcp_conn *k = s ? mcp_conn_new(s, MCP_LINES, hook) : NULL;
    bool ok = k && !mcp_post(s, count, &posted) && !mcp_post(s, count, &posted);
    if (ok) mcp_poll(s);
    mcp_conn_free(k);
    mcp_server_free(s);
    return !ok || posted != 2 || !reallocated || !freed || asserted;
}
