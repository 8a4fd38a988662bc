/* client.c - spawn a server, list its tools, call one, answer when it asks: client ./hello */
#define MCP_IMPLEMENTATION
#include "mcp.h"

#include <stdio.h>
#include <string.h>

static int answer(void *user, const char *method, const mcp_json *params, mcp_writer *w) {
    (void)user;
    if (strcmp(method, "elicitation/create")) return MCP_DECLINED;
    fprintf(stderr, "? %s\n", mcp_get_str(params, "message"));
    mcp_put_str(w, "region", "eu");
    return MCP_OK;
}

static void heard(void *user, const char *method, const mcp_json *params) {
    (void)user;
    if (!strcmp(method, "notifications/progress"))
        fprintf(stderr, "%g %s\n", mcp_get_num(params, "progress"), mcp_get_str(params, "message"));
}

int main(int argc, char **argv) {
    const char *hello[] = { "./hello", NULL };
    mcp_client_desc desc = { .name = "client", .argv = argc > 1 ? (const char **)argv + 1 : hello,
                             .can = MCP_CAN_ASK, .ask = { answer, NULL },
                             .notify = { heard, NULL }, .log = { mcp_log_stderr, NULL } };
    mcp_client *k = mcp_client_new(&desc);
    const mcp_json *r = mcp_client_list(k, "tools", NULL);
    for (const mcp_json *t = mcp_first(mcp_get(r, "tools")); t; t = mcp_next(t))
        printf("%s: %s\n", mcp_get_str(t, "name"), mcp_get_str(t, "description"));

    mcp_writer *w = mcp_client_call(k, "add");
    mcp_put_num(w, "a", 2);
    mcp_put_num(w, "b", 40);
    r = mcp_client_wait(k);
    if (r) puts(mcp_get_str(mcp_at(mcp_get(r, "content"), 0), "text"));
    else fprintf(stderr, "%s\n", mcp_client_failure(k)->text);
    mcp_client_free(k);
    return r ? 0 : 1;
}
