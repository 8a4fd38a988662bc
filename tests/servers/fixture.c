/* fixture.c - the server that the interop scripts and many transcripts call

   Its names and behaviour are fixed: clients in several languages are written against them. */
#if !defined _POSIX_C_SOURCE && !defined _WIN32
#define _POSIX_C_SOURCE 200809L   /* nanosleep, also under -std=c99 */
#endif
#define MCP_IMPLEMENTATION
#include "mcp.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#ifdef _WIN32
#include <windows.h>
#else
#include <time.h>
#endif

static void nap(int64_t ms) {
#ifdef _WIN32
    Sleep((DWORD)ms);
#else
    struct timespec t = { 0, 0 };
    t.tv_nsec = (long)ms * 1000000;
    nanosleep(&t, NULL);
#endif
}

static int ok(mcp_call *c) { return mcp_text(c, "ok"); }
static int fail(mcp_call *c) { return mcp_fail(c, "boom"); }
static int empty(mcp_call *c) { (void)c; return MCP_OK; }
static int blob(mcp_call *c) { return mcp_image(c, "image/png", "\x00\xFF\x10", 3); }

static int echo(mcp_call *c) {
    size_t n;
    const char *text = mcp_arg_strn(c, "text", &n);
    return mcp_textn(c, text, n);
}

static int add(mcp_call *c) {
    int64_t a = mcp_arg_int(c, "a"), b = mcp_arg_int(c, "b");
    if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b)
        return mcp_fail(c, "the sum has more than 64 bits");
    mcp_put_int(mcp_structured(c), "sum", a + b);
    return MCP_OK;
}

static int big_int(mcp_call *c) {
    mcp_put_int(mcp_structured(c), "n", mcp_arg_int(c, "n"));
    return MCP_OK;
}

static int not_a_number(mcp_call *c) {
    volatile double zero = 0;
    mcp_put_num(mcp_structured(c), "n", zero / zero);
    return MCP_OK;
}

/* Sleeps in slices, so that it notices soon that nobody waits for it any more. */
static bool rest(mcp_call *c, int64_t ms) {
    for (; ms > 0 && !mcp_cancelled(c); ms -= 10) nap(ms < 10 ? ms : 10);
    return !mcp_cancelled(c);
}

static int slow(mcp_call *c) {
    int64_t ms = mcp_arg_int(c, "ms"), steps = mcp_arg_int(c, "steps");
    for (int64_t i = 0; i < steps; i++) {
        if (!rest(c, ms * (i + 1) / steps - ms * i / steps)) return MCP_CANCELLED;
        mcp_progress(c, (double)(i + 1), (double)steps, NULL);
    }
    return mcp_text(c, "done");
}

static int print(mcp_call *c) {
    printf("noise\n");
    fflush(stdout);
    return mcp_text(c, "ok");
}

static int logs(mcp_call *c) {
    mcp_logf(c, MCP_LOG_DEBUG, "a %s message", "debug");
    mcp_logf(c, MCP_LOG_INFO, "an info message");
    mcp_logf(c, MCP_LOG_ERROR, "an error message");
    return mcp_text(c, "ok");
}

static const mcp_arg echo_args[] = {
    { .name = "text", .desc = "what to say back", .flags = MCP_REQUIRED }, { 0 } };
static const mcp_arg add_args[] = {
    { .name = "a", .type = MCP_INTEGER, .flags = MCP_REQUIRED },
    { .name = "b", .type = MCP_INTEGER, .flags = MCP_REQUIRED },
    { 0 } };
static const mcp_arg add_out[] = {
    { .name = "sum", .type = MCP_INTEGER, .flags = MCP_REQUIRED }, { 0 } };
static const mcp_arg big_int_args[] = {
    { .name = "n", .type = MCP_INTEGER, .flags = MCP_REQUIRED }, { 0 } };
static const mcp_arg slow_args[] = {
    { .name = "ms", .type = MCP_INTEGER, .desc = "how long it takes", .def = "200",
      .min = "0", .max = "3600000" },
    { .name = "steps", .type = MCP_INTEGER, .desc = "progress messages on the way", .def = "1",
      .min = "1", .max = "1000000" },
    { 0 } };

static const mcp_tool tools[] = {
    { .name = "echo", .desc = "Says the text back.", .args = echo_args, .call = echo,
      .flags = MCP_OPEN },
    { .name = "noargs", .desc = "Takes nothing.", .call = ok,
      .schema = "{\"type\":\"object\",\"properties\":{}}" },
    { .name = "add", .desc = "Adds two integers.", .args = add_args, .call = add, .out = add_out },
    { .name = "big_int", .desc = "An integer, every digit of it.", .args = big_int_args,
      .call = big_int },
    { .name = "fail",  .desc = "Fails.", .call = fail },
    { .name = "empty", .desc = "Adds no content.", .call = empty },
    { .name = "nan",   .desc = "Tries to return a number that JSON does not have.",
      .call = not_a_number },
    { .name = "blob",  .desc = "An image of three bytes.", .call = blob },
    { .name = "slow",  .desc = "Takes its time.", .args = slow_args, .call = slow },
    { .name = "printf", .desc = "Prints to stdout.", .call = print },
    { .name = "log",   .desc = "Sends log messages.", .call = logs },
    { .name = "gr\xC3\xB6\xC3\x9F" "e", .desc = "Has a name outside ASCII.", .call = ok },
    { .name = "app",   .desc = "Has a page.", .call = ok,
      .meta = "{\"ui\":{\"resourceUri\":\"ui://fixture/app.html\"}}" },
    { 0 } };

/* ---- resources, a template, a prompt ---- */

static int read_item(mcp_call *c) { return mcp_text(c, mcp_arg_str(c, "id")); }
static int read_cafe(mcp_call *c) { return mcp_text(c, mcp_arg_str(c, "name")); }

static const unsigned char bin[] = { 0x00, 0xFF, 0x10 };
static const mcp_resource resources[] = {
    { .uri = "test://static/hello", .name = "hello", .text = "hello" },
    { .uri = "test://static/bin", .name = "bin", .mime = "application/octet-stream",
      .bytes = bin, .size = sizeof bin },
    { .uri = "ui://fixture/app.html", .name = "app", .mime = "text/html;profile=mcp-app",
      .text = "<!doctype html><title>fixture</title>" },
    { .uri = "test://item/{id}", .name = "item", .read = read_item },
    { .uri = "test://caf\xC3\xA9/{name}", .name = "cafe", .read = read_cafe },
    { 0 } };

static int greet(mcp_call *c) { return mcp_textf(c, "Greet %s.", mcp_arg_str(c, "who")); }

static int complete_who(mcp_call *c) { /* 150 names that begin with n */
    for (int i = 0; i < 150; i++) mcp_complete(c, mcp_format(c, "n%d", i));
    return MCP_OK;
}

static const mcp_arg greet_args[] = {
    { .name = "who", .desc = "whom to greet", .flags = MCP_REQUIRED, .complete = complete_who },
    { 0 } };
static const mcp_prompt prompts[] = {
    { .name = "greet", .desc = "A greeting.", .args = greet_args, .get = greet }, { 0 } };

int main(int argc, char **argv) {
    mcp_server_desc desc = {
        .name = "fixture",
        .version = "1.0.0",
        .tools = tools,
        .resources = resources,
        .prompts = prompts,
        .flags = MCP_LOGGING | MCP_SUBSCRIBE | MCP_HTTP_SSE,
        .changes = MCP_TOOLS | MCP_RESOURCES | MCP_PROMPTS };
    setlocale(LC_ALL, "");   /* a comma locale in the environment is really in force */
    if (argc < 3 || strcmp(argv[1], "--http") != 0) return mcp_serve_stdio(&desc);
    desc.http.port = atoi(argv[2]);
    return mcp_serve_http(&desc);
}
