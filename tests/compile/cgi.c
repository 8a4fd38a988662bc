/* cgi.c - a route by CGI: the path that the web server decoded, the query as it came; an answer
   that takes its time */
#if !defined _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#define MCP_IMPLEMENTATION
#include "mcp.h"

#include <stdlib.h>
#ifdef _WIN32
#define putenv _putenv
#endif

static int given(mcp_call *c) {
    mcp_put_json(mcp_structured(c), NULL, mcp_args(c));
    return MCP_OK;
}

static int told(mcp_call *c) {
    mcp_writer *w = mcp_structured(c);
    mcp_put_json(w, "args", mcp_args(c));
    mcp_put_str(w, "note", mcp_header(c, "X-Some-Note"));
    return MCP_OK;
}

static void answer(void *call) {
    mcp_put_bool(mcp_structured((mcp_call *)call), "late", true);
    mcp_done((mcp_call *)call, MCP_OK);
}
static int later(mcp_call *c) {
    return mcp_after(mcp_call_server(c), 20, answer, c) ? MCP_NOMEM : mcp_defer(c);
}

/* What one request is answered with; "" if it cannot be read back. */
static const char *serve(const char *file, const char *method, const char *path) {
    static char said[2000], env[2][80];
    static mcp_arg args[2];
    static mcp_tool tools[4];
    mcp_server_desc desc;
    memset(&desc, 0, sizeof desc);
    args[0].name = "q";
    tools[0].route = "GET /x/{id}";
    tools[0].args = args;
    tools[0].call = given;
    tools[1].route = "GET /later";
    tools[1].args = args;
    tools[1].call = later;
    tools[2].route = "POST /told";
    tools[2].args = args;
    tools[2].call = told;
    desc.name = "cgi";
    desc.tools = tools;
    putenv(strcat(strcpy(env[0], "REQUEST_METHOD="), method));
    putenv(strcat(strcpy(env[1], "PATH_INFO="), path));
    memset(said, 0, sizeof said);
    if (!freopen(file, "wb", stdout) || mcp_serve_cgi(&desc)) return said;
    FILE *f = fopen(file, "rb");
    if (f && !fread(said, 1, sizeof said - 1, f)) said[0] = 0;
    if (f) fclose(f);
    return said;
}

/* The same with a body that is counted, or, by Apache, not. */
static const char *post(const char *file, const char *body, const char *counted) {
    static char env[40], in[1010];
    FILE *f = fopen(strcat(strcpy(in, file), ".in"), "wb");
    bool ok = f && fwrite(body, 1, strlen(body), f) == strlen(body);
    if (f) ok = !fclose(f) && ok;
    if (!ok || !freopen(in, "rb", stdin)) return "no body";
    putenv(strcat(strcpy(env, "CONTENT_LENGTH="), counted));
    const char *said = serve(file, "POST", "/told");
    remove(in);
    return said;
}

int main(int argc, char **argv) {
    static char query[] = "QUERY_STRING=q=1%202", none[] = "QUERY_STRING=";
    static char note[] = "HTTP_X_SOME_NOTE=n", type[] = "CONTENT_TYPE=application/json";
    static char chunked[] = "HTTP_TRANSFER_ENCODING=chunked";
#define HEAD "Status: 200 OK\r\nContent-Type: application/json\r\n\r\n"
    char file[1000] = "";
    strncat(strncat(file, argc ? argv[0] : "cgi", sizeof file - 8), ".out", 5);
    putenv(query);
    bool bad = strcmp(serve(file, "HEAD", "/x/1"), HEAD) ||
               strcmp(serve(file, "GET", "/x/a %41?"), HEAD "{\"id\":\"a %41?\",\"q\":\"1 2\"}") ||
               strcmp(serve(file, "GET", "/later"), HEAD "{\"late\":true}") ||
               strcmp(serve(file, "GET", "/y"), "Status: 404 Not Found\r\n\r\n");
    putenv(none), putenv(note), putenv(type);
#define TOLD HEAD "{\"args\":{\"q\":\"3\"},\"note\":\"n\"}"
    bad = bad || strcmp(post(file, "{\"q\":\"3\"} ", "9"), TOLD); /* and no byte more */
    putenv(chunked);
    bad = bad || strcmp(post(file, "{\"q\":\"3\"}", ""), TOLD);
    remove(file);
    return bad;
}
