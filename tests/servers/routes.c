/* routes.c - rows with routes: those whose listing is known word for word, and one of each kind

       routes               as tools over stdio
       routes --http PORT   with REST                                                             */
#define MCP_IMPLEMENTATION
#include "mcp.h"

#include <stdlib.h>
#include <string.h>

/* ---- known word for word ---- */

static int calculate(mcp_call *c) {
    double sum = 0;
    int n = 0;
    for (const char *p = mcp_arg_str(c, "numbers"); p; p = strchr(p, ','), p = p ? p + 1 : NULL)
        sum += atof(p), n++;
    mcp_writer *w = mcp_structured(c);
    mcp_put_num(w, "result", n ? sum / n : 0);
    mcp_put_str(w, "operation", mcp_arg_str(c, "operation"));
    mcp_put_int(w, "count", n);
    mcp_put_int(w, "input_length", n);
    return MCP_OK;
}

static int echo(mcp_call *c) {
    mcp_put_strf(mcp_structured(c), "message", "Echo: %s", mcp_arg_str(c, "msg"));
    return MCP_OK;
}

static int add(mcp_call *c) {
    mcp_writer *w = mcp_structured(c);
    mcp_put_num(w, "result", mcp_arg_num(c, "a") + mcp_arg_num(c, "b"));
    mcp_put_str(w, "operation", "addition");
    mcp_put_arr(w, "inputs");
    mcp_put_num(w, NULL, mcp_arg_num(c, "a"));
    mcp_put_num(w, NULL, mcp_arg_num(c, "b"));
    mcp_put_end(w);
    return MCP_OK;
}

static int boom(mcp_call *c) { return mcp_fail(c, "kaboom"); }

static int items(mcp_call *c) {
    mcp_put_json(mcp_structured(c), "id", mcp_get(mcp_args(c), "id"));
    mcp_put_json(mcp_structured(c), "tags", mcp_get(mcp_args(c), "tags"));
    return MCP_OK;
}

static int root(mcp_call *c) { return mcp_put_bool(mcp_structured(c), "ok", true), MCP_OK; }

static const mcp_arg calculate_args[] = {
    { .name = "numbers", .desc = "Numeric vector to compute statistics on", .flags = MCP_REQUIRED },
    { .name = "operation", .desc = "Statistical operation: \"mean\", \"median\", "
      "\"sum\", \"sd\" (default: \"mean\")", .def = "mean" },
    { .name = "na_rm", .type = MCP_BOOLEAN, .desc = "Whether to remove NA values (default: TRUE)",
      .def = "true" },
    { .name = "digits", .type = MCP_INTEGER, .desc = "Number of decimal places (default: 2)",
      .def = "2" },
    { 0 } };
static const mcp_arg calculate_out[] = {
    { .name = "result", .type = MCP_NUMBER }, { .name = "operation" },
    { .name = "count", .type = MCP_NUMBER }, { .name = "input_length", .type = MCP_NUMBER },
    { 0 } };
static const mcp_arg echo_args[] = {
    { .name = "msg", .desc = "The message to echo (default: \"Hello World\")",
      .def = "Hello World" }, { 0 } };
static const mcp_arg echo_out[] = { { .name = "message" }, { 0 } };
static const mcp_arg add_args[] = {
    { .name = "a", .type = MCP_NUMBER, .desc = "First number to add", .flags = MCP_REQUIRED },
    { .name = "b", .type = MCP_NUMBER, .desc = "Second number to add", .flags = MCP_REQUIRED },
    { .name = "precision", .type = MCP_INTEGER, .desc = "Decimal places for result (default: 2)",
      .def = "2" },
    { 0 } };
static const mcp_arg add_out[] = {
    { .name = "result", .type = MCP_NUMBER }, { .name = "operation" },
    { .name = "inputs", .type = MCP_ARRAY, .items = MCP_ANY }, { 0 } };
static const mcp_arg items_args[] = {
    { .name = "id", .type = MCP_INTEGER, .desc = "The id" },
    { .name = "tags", .type = MCP_ARRAY, .def = "[\"a\",\"b\"]" }, { 0 } };
static const mcp_arg items_out[] = {
    { .name = "id", .type = MCP_INTEGER }, { .name = "tags", .type = MCP_ARRAY }, { 0 } };
static const mcp_arg root_out[] = { { .name = "ok", .type = MCP_BOOLEAN }, { 0 } };

/* ---- one of each kind ---- */

/* Everything that it was given. */
static int given(mcp_call *c) {
    mcp_writer *w = mcp_structured(c);
    mcp_put_json(w, NULL, mcp_args(c));
    return MCP_OK;
}

static int create(mcp_call *c) {
    mcp_http_status(c, 201);
    mcp_put_str(mcp_structured(c), "name", mcp_arg_str(c, "name"));
    return MCP_OK;
}

static int find(mcp_call *c) {
    const char *name = mcp_arg_str(c, "name");
    if (strcmp(name, "known")) return mcp_not_found(c, name);
    mcp_put_str(mcp_structured(c), "name", name);
    return MCP_OK;
}

static int drop(mcp_call *c) {
    const char *name = mcp_arg_str(c, "name");
    return strcmp(name, "known") ? mcp_not_found(c, name) : mcp_http_status(c, 204);
}

static int greet(mcp_call *c) { return mcp_textf(c, "hello, %s\n", mcp_arg_str(c, "name")); }

static int dot(mcp_call *c) {
    static const unsigned char png[] = { 0x89, 'P', 'N', 'G', 13, 10, 26, 10, 0, 255 };
    return mcp_image(c, "image/png", png, sizeof png);
}

static int zip(mcp_call *c) { return mcp_blob(c, NULL, "PK\3\4\0\377", 6); }

static int list(mcp_call *c) {
    mcp_writer *w = mcp_structured(c);
    mcp_put_arr(w, NULL);
    for (int64_t i = 0; i < mcp_arg_int(c, "n"); i++) mcp_put_int(w, NULL, i);
    mcp_put_end(w);
    return MCP_OK;
}

static void late(void *arg) {
    mcp_call *c = (mcp_call *)arg;
    mcp_put_str(mcp_structured(c), "when", "later");
    mcp_done(c, MCP_OK);
}
static int later(mcp_call *c) {
    return mcp_after(mcp_call_server(c), 10, late, c) ? MCP_NOMEM : mcp_defer(c);
}

static const mcp_arg sure_form[] = { { .name = "sure", .type = MCP_BOOLEAN }, { 0 } };
static int asks(mcp_call *c) {
    int rc = mcp_ask(c, "sure", "Sure?", sure_form);
    return rc ? rc : (mcp_put_bool(mcp_structured(c), "sure", true), MCP_OK);
}

static int again(mcp_call *c) { /* twice, with what the first run kept */
    char kept[8] = "";
    if (!mcp_kept(c, kept, sizeof kept)) return mcp_keep(c, "kept", 5), MCP_PENDING;
    mcp_put_str(mcp_structured(c), "kept", kept);
    return MCP_OK;
}

static int words(mcp_call *c) { return mcp_text(c, "only words"); }
static int two(mcp_call *c) { return mcp_text(c, "one"), mcp_text(c, "two"); }
static int wrong(mcp_call *c) { return mcp_put_str(mcp_structured(c), "n", "no number"), MCP_OK; }
static int refuses(mcp_call *c) { return mcp_error(c, MCP_INVALID_PARAMS, "not like this"); }
static int nothing(mcp_call *c) { return (void)c, MCP_OK; }

static int caller(mcp_call *c) {
    const mcp_caller *by = mcp_caller_of(c);
    const mcp_attr *h = by->headers;
    while (h && h->key && strcmp(h->key, "X-Test")) h++;
    mcp_writer *w = mcp_structured(c);
    mcp_put_str(w, "version", by->version);
    mcp_put_str(w, "transport", by->transport);
    mcp_put_str(w, "principal", by->principal);
    mcp_put_str(w, "header", h && h->key ? h->value : "");
    mcp_put_str(w, "same", mcp_header(c, "x-test"));
    mcp_put_int(w, "can", by->can);
    return MCP_OK;
}

static const mcp_arg point_args[] = { { .name = "x", .type = MCP_NUMBER, .flags = MCP_REQUIRED },
                                      { .name = "y", .type = MCP_NUMBER, .def = "0" }, { 0 } };
static const mcp_arg every_args[] = {
    { .name = "text", .min_length = 1 },
    { .name = "real", .type = MCP_NUMBER, .max = "<1e9" },
    { .name = "whole", .type = MCP_INTEGER, .min = "-5", .max = "1000000" },
    { .name = "flag", .type = MCP_BOOLEAN },
    { .name = "unit", .def = "m", .choices = "m|km" },
    { .name = "maybe", .type = MCP_INTEGER, .flags = MCP_NULLABLE, .min = "0", .max = "9" },
    { .name = "list", .type = MCP_ARRAY, .min = "-999", .max = "999", .max_items = 3,
      .items = MCP_INTEGER },
    { .name = "names", .type = MCP_ARRAY },
    { .name = "point", .type = MCP_OBJECT, .of = point_args },
    { .name = "points", .type = MCP_ARRAY, .items = MCP_OBJECT, .of = point_args },
    { .name = "any", .type = MCP_ANY },
    { .name = "raw", .schema = "{\"description\":\"whatever it is\"}" }, { 0 } };
static const mcp_arg name_args[] = { { .name = "name", .flags = MCP_REQUIRED }, { 0 } };
static const mcp_arg name_out[] = {
    { .name = "name", .desc = "Its name", .flags = MCP_REQUIRED }, { 0 } };
static const mcp_arg n_args[] = { { .name = "n", .type = MCP_INTEGER, .def = "2", .min = "0",
                                    .max = "100" }, { 0 } };
static const mcp_arg n_out[] = { { .name = "n", .type = MCP_INTEGER }, { 0 } };

static const mcp_tool second[] = {
    { .args = name_args, .call = given, .route = "GET /things" },
    { .args = name_args, .call = given, .route = "GET /" }, { 0 } };

static const mcp_tool routes[] = {
    { .desc = "This endpoint performs various statistical computations on numeric vectors.\n"
              "It supports multiple operations and handles missing values.",
      .args = calculate_args, .call = calculate, .route = "POST /calculate",
      .title = "Compute statistics on numeric data", .out = calculate_out },
    { .desc = "Simple endpoint that echoes whatever message is sent to it", .args = echo_args,
      .call = echo, .route = "GET /echo", .title = "Echo the input", .out = echo_out },
    { .desc = "Performs arithmetic addition on two numeric values", .args = add_args, .call = add,
      .route = "POST /add", .title = "Add two numbers", .out = add_out },
    { .call = boom, .route = "GET /boom", .title = "Boom" },
    { .args = items_args, .call = items, .route = "GET /items/<id:int>/detail", .title = "Items",
      .out = items_out },
    { .args = items_args, .call = items, .route = "POST /items/<id:int>/detail", .title = "Items",
      .out = items_out },
    { .call = root, .route = "GET /", .out = root_out },
    { .args = every_args, .call = given, .route = "GET /every" },
    { .args = every_args, .call = given, .route = "POST /every" },
    { .name = "open", .args = name_args, .call = given, .route = "PATCH /open", .flags = MCP_OPEN },
    { .args = name_args, .call = create, .route = "POST /things", .out = name_out },
    { .call = find, .route = "GET /things/{name}", .title = "A thing", .out = name_out },
    { .call = given, .route = "PUT /things/:name" },
    { .call = drop, .route = "DELETE /things/{name}", .hints = MCP_NOT_DESTRUCTIVE },
    { .call = given, .route = "GET /things/special" },
    { .call = given, .route = "GET /{a}/{b}/{c}" },
    { .args = name_args, .call = greet, .route = "GET /greeting",
      .mime = "text/plain; charset=utf-8" },
    { .call = dot, .route = "GET /dot.png", .mime = "image/png" },
    { .call = zip, .route = "GET /all.zip", .mime = "application/zip" },
    { .args = n_args, .call = list, .route = "GET /list", .out_schema = "{\"type\":\"array\"}" },
    { .call = later, .route = "GET /later" },
    { .call = asks, .route = "POST /ask" },
    { .call = again, .route = "GET /again" },
    { .call = words, .route = "GET /words" },
    { .call = two, .route = "GET /two", .mime = "text/plain" },
    { .call = wrong, .route = "GET /wrong", .out = n_out },
    { .call = refuses, .route = "GET /refuses" },
    { .call = nothing, .route = "GET /nothing" },
    { .call = caller, .route = "GET /caller" },
    { .name = "raw", .call = given, .route = "POST /raw",
      .schema = "{\"type\":\"object\",\"required\":[\"deep\"]}" },
    { .call = given, .route = "GET /internal", .flags = MCP_HIDDEN },
    { .call = given, .route = "GET /excluded" },
    { .route = "/v2", .mount = second },
    { .name = "plain", .desc = "A tool without a route.", .args = name_args, .call = greet },
    { 0 } };

int main(int argc, char **argv) {
    mcp_server_desc desc = { .name = "routes", .tools = routes, .exclude = "GET__excluded",
                             .flags = MCP_ABOUT };
    if (argc < 3 || strcmp(argv[1], "--http") != 0) return mcp_serve_stdio(&desc);
    desc.http.port = atoi(argv[2]);
    return mcp_serve_http(&desc);
}
