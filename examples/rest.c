/* rest.c - a small HTTP API whose endpoints are tools as well: GET /echo, POST /add and /calculate

       rest --http 8000     curl 'http://127.0.0.1:8000/echo?msg=hi', and MCP at /mcp
       rest --stdio         the same as tools                                                   */
#define MCP_IMPLEMENTATION
#include "mcp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int echo(mcp_call *c) {
    mcp_put_strf(mcp_structured(c), "message", "Echo: %s", mcp_arg_str(c, "msg"));
    return MCP_OK;
}

static double rounded(double x, int64_t digits) {
    double scale = 1, size = x < 0 ? -x : x;
    while (digits-- > 0) scale *= 10;
    if (size * scale > 1e15) return x; /* it has no such digits */
    return (double)(int64_t)(x * scale + (x < 0 ? -0.5 : 0.5)) / scale;
}

static int add(mcp_call *c) {
    double a = mcp_arg_num(c, "a"), b = mcp_arg_num(c, "b");
    mcp_writer *w = mcp_structured(c); /* the REST body, and the tool's structured content */
    mcp_put_num(w, "result", rounded(a + b, mcp_arg_int(c, "precision")));
    mcp_put_str(w, "operation", "addition");
    mcp_put_arr(w, "inputs");
    mcp_put_num(w, NULL, a);
    mcp_put_num(w, NULL, b);
    mcp_put_end(w);
    return MCP_OK;
}

enum { MOST = 1000 };
typedef struct list { double at[MOST]; int count, length; } list; /* length: with what is NA */

/* "1, 2.5, NA": false, and what is wrong, if that is no list of numbers. */
static bool parse(mcp_call *c, const char *text, bool skip_na, list *out) {
    for (const char *p = text, *end; *p; p = end + (*end == ',')) {
        size_t n = strcspn(p, ","), space = strspn(p, " ");
        char *stop;
        end = p + n;
        if (out->length++ == MOST) return mcp_failf(c, "more than %d numbers", MOST), false;
        if (skip_na && n == space + 2 && !strncmp(p + space, "NA", 2)) continue;
        out->at[out->count++] = strtod(p, &stop);
        if (stop == p || stop + strspn(stop, " ") != end)
            return mcp_failf(c, "not a number: %.*s", (int)(n < 40 ? n : 40), p), false;
    }
    return true;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double square_root(double x) { /* Newton's, so that nobody has to link with -lm */
    double r = x > 1 ? x : 1;
    for (int i = 0; i < 1100 && r * r > x; i++) r = (r + x / r) / 2;
    return x > 0 ? r : 0;
}

static double compute(list *v, const char *operation) {
    double sum = 0, squares = 0;
    for (int i = 0; i < v->count; i++) sum += v->at[i];
    double mean = sum / v->count;
    for (int i = 0; i < v->count; i++) squares += (v->at[i] - mean) * (v->at[i] - mean);
    if (!strcmp(operation, "sum")) return sum;
    if (!strcmp(operation, "sd")) return v->count < 2 ? 0 : square_root(squares / (v->count - 1));
    if (!strcmp(operation, "mean")) return mean;
    qsort(v->at, (size_t)v->count, sizeof *v->at, ascending);
    return (v->at[(v->count - 1) / 2] + v->at[v->count / 2]) / 2;
}

static int calculate(mcp_call *c) {
    const char *operation = mcp_arg_str(c, "operation");
    list *numbers = (list *)mcp_alloc(c, sizeof *numbers);
    if (!numbers) return MCP_NOMEM;
    mcp_http_status(c, 422); /* if it fails: REST sees that, the model a text that it can act on */
    if (!parse(c, mcp_arg_str(c, "numbers"), mcp_arg_bool(c, "na_rm"), numbers)) return MCP_OK;
    if (!numbers->count) return mcp_failf(c, "no %s of no numbers", operation);
    mcp_http_status(c, 200);
    mcp_writer *w = mcp_structured(c);
    mcp_put_num(w, "result", rounded(compute(numbers, operation), mcp_arg_int(c, "digits")));
    mcp_put_str(w, "operation", operation);
    mcp_put_int(w, "count", numbers->count);
    mcp_put_int(w, "input_length", numbers->length);
    return MCP_OK;
}

static const mcp_arg echo_args[] = {
    { .name = "msg", .desc = "The message to echo", .def = "Hello World" }, { 0 } };
static const mcp_arg echo_out[] = { { .name = "message" }, { 0 } };
static const mcp_arg add_args[] = {
    { .name = "a", .type = MCP_NUMBER, .desc = "First number to add", .flags = MCP_REQUIRED },
    { .name = "b", .type = MCP_NUMBER, .desc = "Second number to add", .flags = MCP_REQUIRED },
    { .name = "precision", .type = MCP_INTEGER, .desc = "Decimal places for result", .def = "2",
      .min = "0", .max = "15" },
    { 0 } };
static const mcp_arg add_out[] = {
    { .name = "result", .type = MCP_NUMBER }, { .name = "operation" },
    { .name = "inputs", .type = MCP_ARRAY, .items = MCP_NUMBER }, { 0 } };
static const mcp_arg calculate_args[] = {
    { .name = "numbers", .desc = "Numeric vector to compute statistics on", .flags = MCP_REQUIRED },
    { .name = "operation", .desc = "Statistical operation", .def = "mean",
      .choices = "mean|median|sum|sd" },
    { .name = "na_rm", .type = MCP_BOOLEAN, .desc = "Whether to remove NA values", .def = "true" },
    { .name = "digits", .type = MCP_INTEGER, .desc = "Number of decimal places", .def = "2",
      .min = "0", .max = "15" },
    { 0 } };
static const mcp_arg calculate_out[] = {
    { .name = "result", .type = MCP_NUMBER }, { .name = "operation" },
    { .name = "count", .type = MCP_NUMBER }, { .name = "input_length", .type = MCP_NUMBER },
    { 0 } };

static const mcp_tool routes[] = { /* tools named GET__echo, POST__add, POST__calculate */
    { .desc = "Simple endpoint that echoes whatever message is sent to it",
      .args = echo_args, .call = echo, .route = "GET /echo", .title = "Echo the input",
      .out = echo_out },
    { .desc = "Performs arithmetic addition on two numeric values", .args = add_args, .call = add,
      .route = "POST /add", .title = "Add two numbers", .out = add_out },
    { .desc = "This endpoint performs various statistical computations on numeric vectors.\n"
              "It supports multiple operations and handles missing values.",
      .args = calculate_args, .call = calculate, .route = "POST /calculate",
      .title = "Compute statistics on numeric data", .out = calculate_out },
    { 0 } };

/* ---- and what is no route ---- */

static int analyze(mcp_call *c) {
    return mcp_textf(c, "Please analyze the dataset %s. Look at:\n\n1. its structure and types\n"
                        "2. missing values and outliers\n3. %s\n\nUse the tool POST__calculate for "
                        "numbers.", mcp_arg_str(c, "dataset"), mcp_arg_str(c, "focus"));
}

static int review(mcp_call *c) {
    mcp_textf(c, "Please review this code:\n\n```\n%s\n```", mcp_arg_str(c, "code"));
    mcp_role(c, MCP_ASSISTANT);
    return mcp_text(c, "I will look at correctness, clarity and speed, in that order.");
}

static const mcp_arg analyze_args[] = {
    { .name = "dataset", .desc = "Its name or URI", .flags = MCP_REQUIRED },
    { .name = "focus", .desc = "What matters most", .def = "how its columns depend on each other",
      .choices = "distributions|how its columns depend on each other|trends" }, { 0 } };
static const mcp_arg review_args[] = {
    { .name = "code", .desc = "The code to review", .flags = MCP_REQUIRED }, { 0 } };
static const mcp_prompt prompts[] = {
    { .name = "analyze-dataset", .desc = "Plan the analysis of a dataset", .args = analyze_args,
      .get = analyze },
    { .name = "code-review", .desc = "Review code", .args = review_args, .get = review }, { 0 } };

static const mcp_resource resources[] = {
    { .uri = "/data/iris-summary", .name = "Iris summary", .desc = "Statistics of 150 flowers",
      .text = "                min   median  mean   max\n"
              "sepal length    4.3   5.80    5.84   7.9\n"
              "sepal width     2.0   3.00    3.06   4.4\n"
              "petal length    1.0   4.35    3.76   6.9\n"
              "petal width     0.1   1.30    1.20   2.5\n"
              "species: 50 setosa, 50 versicolor, 50 virginica\n" }, { 0 } };

static int usage(void) {
    fputs("usage: rest --stdio | --http PORT [--path /mcp] [-v]\n", stderr);
    return 2;
}

int main(int argc, char **argv) {
    mcp_server_desc desc = { .name = "plumber-mcp", .version = "0.3.0", .tools = routes,
                             .resources = resources, .prompts = prompts,
                             .flags = MCP_ABOUT | MCP_HTTP_INFO };
    bool http = false, stdio = false;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--stdio")) stdio = true;
        else if (!strcmp(argv[i], "-v")) desc.trace.func = mcp_trace_stderr;
        else if (!strcmp(argv[i], "--path") && i + 1 < argc) desc.http.path = argv[++i];
        else if (!strcmp(argv[i], "--http") && i + 1 < argc && atoi(argv[i + 1]) > 0)
            http = true, desc.http.port = atoi(argv[++i]);
        else return usage();
    }
    if (http == stdio) return usage();
    return http ? mcp_serve_http(&desc) : mcp_serve_stdio(&desc);
}
