/* tools.c - one tool for each thing that a tool can take, return or get wrong */
#define MCP_IMPLEMENTATION
#include "mcp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what tools take: every row below becomes JSON Schema, and is checked before the call ---- */

static const mcp_arg add_numbers_args[] = {
    { .name = "x", .type = MCP_NUMBER, .desc = "First number.", .flags = MCP_REQUIRED },
    { .name = "y", .type = MCP_NUMBER, .desc = "Second number.", .flags = MCP_REQUIRED },
    { 0 } };

static int add_numbers(mcp_call *c) {
    mcp_put_num(mcp_text_json(c), NULL, mcp_arg_num(c, "x") + mcp_arg_num(c, "y"));
    return MCP_OK;
}

/* Every type at once. A row that is not flagged MCP_REQUIRED may be left out. */
static const mcp_arg payload[] = {
    { .name = "label", .desc = "Label.", .flags = MCP_REQUIRED },
    { .name = "score", .type = MCP_NUMBER, .desc = "Score." },
    { 0 } };
static const mcp_arg nothing[] = { { 0 } };
static const mcp_arg schema_tool_args[] = {
    { .name = "flag",    .type = MCP_BOOLEAN, .desc = "A flag.", .flags = MCP_REQUIRED },
    { .name = "count",   .type = MCP_INTEGER, .desc = "Optional count." },
    { .name = "choice",  .desc = "Choice.", .flags = MCP_REQUIRED, .choices = "a|b" },
    { .name = "nchoice", .type = MCP_INTEGER, .flags = MCP_REQUIRED, .choices = "1|2|3" },
    { .name = "items",   .type = MCP_ARRAY, .flags = MCP_REQUIRED, .items = MCP_NUMBER },
    { .name = "payload", .type = MCP_OBJECT, .desc = "Payload.", .flags = MCP_REQUIRED,
      .of = payload },
    { .name = "open",    .type = MCP_OBJECT, .flags = MCP_REQUIRED | MCP_OPEN, .of = nothing },
    { .name = "raw",     .flags = MCP_REQUIRED, .schema = "{\"type\":\"string\",\"minLength\":1}" },
    { 0 } };
static const mcp_arg schema_tool_out[] = {
    { .name = "ok", .type = MCP_BOOLEAN, .flags = MCP_REQUIRED }, { 0 } };

static int schema_tool(mcp_call *c) {
    mcp_put_bool(mcp_structured(c), "ok", mcp_arg_bool(c, "flag"));
    return MCP_OK;
}

/* Integers keep every digit, up to 64 bits; 3.0 and 1e2 are integers too, 1.5 is not. */
static const mcp_arg exact_args[] = {
    { .name = "n", .type = MCP_INTEGER, .flags = MCP_REQUIRED }, { 0 } };

static int exact(mcp_call *c) {
    mcp_put_int(mcp_structured(c), "n", mcp_arg_int(c, "n"));
    return MCP_OK;
}

/* Bounds are text, so that they are exact; ">" and "<" leave the bound itself out. */
static const mcp_arg bounds_args[] = {
    { .name = "percent", .type = MCP_INTEGER, .min = "0", .max = "100" },
    { .name = "ratio",   .type = MCP_NUMBER, .min = ">0", .max = "<1e9" },
    { .name = "code",    .min_length = 2, .max_length = 3 },
    { .name = "pair",    .type = MCP_ARRAY, .min_items = 2, .max_items = 2, .items = MCP_INTEGER },
    { .name = "mail",    .format = "email", .title = "Mail address" },
    { 0 } };

static int count(mcp_call *c) {
    return mcp_textf(c, "%d given", (int)mcp_count(mcp_args(c)));
}

/* A default is listed, and filled in. Without one, mcp_arg_given tells whether there is a value. */
static const mcp_arg box[] = {
    { .name = "w", .type = MCP_INTEGER, .def = "1" },
    { .name = "h", .type = MCP_INTEGER, .def = "2" },
    { 0 } };
static const mcp_arg defaults_args[] = {
    { .name = "who",   .def = "world" },
    { .name = "times", .type = MCP_INTEGER, .def = "1", .min = "1" },
    { .name = "loud",  .type = MCP_BOOLEAN, .def = "false" },
    { .name = "tags",  .type = MCP_ARRAY, .def = "[\"a\",\"b\"]" },
    { .name = "none",  .type = MCP_INTEGER, .flags = MCP_NULLABLE, .def = "null" },
    { .name = "box",   .type = MCP_OBJECT, .of = box },
    { .name = "note" },
    { 0 } };

static int defaults(mcp_call *c) {
    mcp_writer *w = mcp_text_json(c);
    mcp_put_json(w, "args", mcp_args(c));
    mcp_put_bool(w, "given", mcp_arg_given(c, "note"));
    return MCP_OK;
}

/* .items says what an array holds, .of describes an object's members or an inner array. */
static const mcp_arg row[] = { { .name = "row", .type = MCP_ARRAY, .items = MCP_NUMBER }, { 0 } };
static const mcp_arg point[] = {
    { .name = "x", .type = MCP_NUMBER, .flags = MCP_REQUIRED },
    { .name = "y", .type = MCP_NUMBER, .flags = MCP_REQUIRED },
    { .name = "name" },
    { 0 } };
static const mcp_arg nested_args[] = {
    { .name = "matrix", .type = MCP_ARRAY, .items = MCP_ARRAY, .of = row },
    { .name = "points", .type = MCP_ARRAY, .items = MCP_OBJECT, .of = point },
    { .name = "colors", .type = MCP_ARRAY, .choices = "red|green|blue" },
    { .name = "any",    .type = MCP_ANY },
    { 0 } };

static int nested(mcp_call *c) {
    double sum = 0;
    const mcp_json *matrix = mcp_get(mcp_args(c), "matrix");
    for (const mcp_json *r = mcp_first(matrix); r; r = mcp_next(r))
        for (const mcp_json *v = mcp_first(r); v; v = mcp_next(v)) sum += mcp_get_num(v, NULL);
    for (const mcp_json *p = mcp_first(mcp_get(mcp_args(c), "points")); p; p = mcp_next(p))
        sum += mcp_get_num(p, "x") * mcp_get_num(p, "y");
    return mcp_textf(c, "%g", sum);
}

/* MCP_OPEN: members that no row names are allowed, and arrive as they came. */
static int echo(mcp_call *c) {
    mcp_put_json(mcp_text_json(c), NULL, mcp_args(c));
    return MCP_OK;
}

/* A text may hold a NUL: mcp_arg_strn gives its length. */
static const mcp_arg length_args[] = { { .name = "text", .flags = MCP_REQUIRED }, { 0 } };

static int length(mcp_call *c) {
    size_t n;
    mcp_arg_strn(c, "text", &n);
    return mcp_textf(c, "%lu", (unsigned long)n);
}

/* MCP_UNCHECKED: listed by its rows, but the handler wants to answer for itself. */
static int unchecked(mcp_call *c) {
    if (mcp_type_of(mcp_get(mcp_args(c), "x")) != MCP_NUMBER)
        return mcp_error(c, MCP_INVALID_PARAMS, "x, please");
    return mcp_text(c, "thank you");
}

/* ---- what tools return ---- */

static const mcp_arg vals_args[] = { { .name = "k", .flags = MCP_REQUIRED }, { 0 } };

static int vals(mcp_call *c) { /* one text block, whatever it says */
    const char *k = mcp_arg_str(c, "k");
    if (!strcmp(k, "vec")) return mcp_text(c, "a\nb");
    if (!strcmp(k, "num")) return mcp_textf(c, "%g", 3.5);
    if (!strcmp(k, "null")) return MCP_OK;   /* nothing was added: the text is {} */
    mcp_writer *w = mcp_text_json(c);        /* text that is JSON */
    if (!strcmp(k, "t")) mcp_put_bool(w, NULL, true);
    if (!strcmp(k, "lst")) mcp_put_str(w, "label", "x");
    if (!strcmp(k, "df")) mcp_put_raw(w, NULL, "[{\"x\":1}, {\"x\":2}]");
    return MCP_OK;
}

static int sc(mcp_call *c) { /* for programs; models that read only text get the same as text */
    mcp_writer *w = mcp_structured(c);
    mcp_put_num(w, "n", 1.5);
    mcp_put_arr(w, "v");
    mcp_put_int(w, NULL, 1);
    mcp_put_int(w, NULL, 2);
    mcp_put_end(w);
    return MCP_OK;
}

static int rich(mcp_call *c) { /* blocks, each decorated after it was added, in any order */
    const mcp_annotations first = { .audience = MCP_USER | MCP_ASSISTANT, .priority = 0.5,
                                    .last_modified = "2026-07-18T12:00:00Z" };
    mcp_put_str(mcp_result_meta(c), "trace_id", "z");
    mcp_put_bool(mcp_structured(c), "ok", true);
    mcp_text(c, "first");
    mcp_annotate(c, &first);
    mcp_put_str(mcp_block_meta(c), "t", "m");
    mcp_image(c, "image/png", "image", 5);
    mcp_embed(c, "urn:x", "text/plain");   /* the next block is a resource of its own */
    mcp_text(c, "body");
    mcp_put_int(mcp_block_meta(c), "q", 1);
    return MCP_OK;
}

static int audio(mcp_call *c) { /* what a version lacks becomes a failure that says so */
    const mcp_resource link = { .uri = "https://e/x", .name = "x", .size = 42 };
    mcp_text(c, "no");
    mcp_audio(c, "audio/wav", "a", 1);
    return mcp_link(c, &link);
}

static int links(mcp_call *c) { /* everything that a link and a resource can say */
    const mcp_annotations for_user = { .audience = MCP_USER, .priority = 1 };
    const mcp_resource report = { .uri = "file:///report.csv", .name = "report",
        .desc = "The whole of it.", .mime = "text/csv", .title = "Report", .size = 1 };
    mcp_link(c, &report);
    mcp_annotate(c, &for_user);
    mcp_embed(c, "file:///pixel.png", "image/png");
    return mcp_blob(c, "image/png", "\x00\xFF\x10", 3);
}

static int pieces(mcp_call *c) { /* a block of any size, written as it comes */
    mcp_block_begin(c, MCP_TEXT, "text/plain");
    for (int i = 0; i < 3; i++) mcp_block_write(c, "tick ", 5);
    mcp_block_write(c, "\xE2", 1);   /* cut anywhere, even inside a character */
    mcp_block_write(c, "\x82\xAC", 2);
    mcp_block_end(c);
    mcp_block_begin(c, MCP_IMAGE, "image/png");
    mcp_block_write(c, "\x00", 1);
    mcp_block_write(c, "\xFF\x10", 2);
    return mcp_block_end(c);
}

static int numbers(mcp_call *c) { /* shortest digits that read back exactly; raw text kept */
    mcp_writer *w = mcp_structured(c);
    mcp_put_num(w, "tenth", 0.1);
    mcp_put_num(w, "large", 1e21);
    mcp_put_num(w, "third", 1.0 / 3);
    mcp_put_num(w, "minus", -0.0);
    mcp_put_int(w, "int", INT64_MIN);
    mcp_put_raw(w, "digits", "123456789012345678901234567890.10");
    return MCP_OK;
}

/* Only 2026-07-28 has structured values that are no objects; older clients get the text alone. */
static int arr(mcp_call *c) {
    mcp_writer *w = mcp_structured(c);
    mcp_put_arr(w, NULL);
    mcp_put_int(w, NULL, 1);
    mcp_put_int(w, NULL, 2);
    mcp_put_end(w);
    return MCP_OK;
}

static int null_value(mcp_call *c) {
    mcp_put_null(mcp_structured(c), NULL);
    return MCP_OK;
}

static int found(mcp_call *c) {
    mcp_put_bool(mcp_structured(c), "found", true);
    return MCP_OK;
}

static int emptys(mcp_call *c) { mcp_structured(c); return MCP_OK; }   /* {} */

static int emptym(mcp_call *c) { /* a _meta without members is left out */
    mcp_result_meta(c);
    return mcp_text(c, "x");
}

static int emptyc(mcp_call *c) { (void)c; return MCP_OK; }

static int meta_spoof(mcp_call *c) { /* in 2026-07-28 the server's identity is the library's */
    mcp_writer *w = mcp_result_meta(c);
    mcp_put_obj(w, "io.modelcontextprotocol/serverInfo");
    mcp_put_str(w, "name", "somebody else");
    mcp_put_end(w);
    mcp_put_bool(w, "kept", true);
    return mcp_text(c, "x");
}

static int where(mcp_call *c) { /* who calls, and in which version */
    const mcp_caller *who = mcp_caller_of(c);
    mcp_writer *w = mcp_text_json(c);
    mcp_put_str(w, "version", who->version);
    mcp_put_str(w, "client", who->client);
    mcp_put_str(w, "traceparent", mcp_traceparent(c));
    mcp_put_str(w, "note", mcp_get_str(who->meta, "com.example/note"));
    return MCP_OK;
}

/* ---- what goes wrong, and stays inside the call ---- */

static int boom(mcp_call *c) {
    mcp_text(c, "what was added before is dropped");
    mcp_put_str(mcp_structured(c), "this", "too");
    return mcp_fail(c, "boom");
}

static int status(mcp_call *c) { (void)c; return MCP_IO; }   /* the text is mcp_status_text's */

static int refused(mcp_call *c) { /* a protocol error, not a result: the request itself was wrong */
    mcp_errorf(c, -32000, "not on a %s", "Sunday");
    mcp_put_str(mcp_structured(c), "try", "Monday");   /* the error's data */
    return MCP_OK;
}

static int bad_utf8(mcp_call *c) { return mcp_text(c, "a\xFF" "b\xC3"); }   /* U+FFFD instead */

static int nan_value(mcp_call *c) { /* no JSON for it: the call fails, and says why */
    volatile double zero = 0;
    mcp_put_num(mcp_structured(c), "n", zero / zero);
    return MCP_OK;
}

static int misfit(mcp_call *c) { /* a client may rely on what .out says, so this is not sent */
    mcp_put_str(mcp_structured(c), "n", "not a number");
    return MCP_OK;
}

static int misuse(mcp_call *c) { /* bytes without a name: no block of a tool's result is that */
    return mcp_blob(c, "image/png", "x", 1);
}

static int badaud(mcp_call *c) {
    const mcp_annotations martian = { .audience = 8 };
    mcp_text(c, "x");
    return mcp_annotate(c, &martian);
}

static int badpri(mcp_call *c) {
    const mcp_annotations urgent = { .priority = 2 };
    mcp_text(c, "x");
    return mcp_annotate(c, &urgent);
}

static int prints(mcp_call *c) { /* stray output goes to stderr while stdio is served */
    printf("noise\n");
    fflush(stdout);
    return mcp_text(c, "ok");
}

/* ---- the table ---- */

static const mcp_tool tools[] = {
    { .name = "add_numbers", .desc = "Add two numbers and return the result.",
      .args = add_numbers_args, .call = add_numbers },
    { .name = "schema_tool", .desc = "Takes an argument of every type.", .args = schema_tool_args,
      .call = schema_tool, .title = "T", .out = schema_tool_out, .hints = MCP_READ_ONLY },
    { .name = "rich",  .desc = "Blocks with annotations and metadata.", .call = rich },
    { .name = "audio", .desc = "A sound and a link.", .call = audio },
    { .name = "sc",    .desc = "A structured result.", .call = sc },
    { .name = "boom",  .desc = "Fails.", .call = boom },
    { .name = "vals",  .desc = "Plain results.", .args = vals_args, .call = vals },

    { .name = "exact",     .desc = "An integer, exactly.", .args = exact_args, .call = exact,
      .out = exact_args },
    { .name = "bounds",    .desc = "Arguments within bounds.", .args = bounds_args,
      .call = count },
    { .name = "defaults",  .desc = "Arguments with defaults.", .args = defaults_args,
      .call = defaults },
    { .name = "nested",    .desc = "Arrays of arrays and of objects.", .args = nested_args,
      .call = nested },
    { .name = "echo",      .desc = "Any arguments, as they came.", .call = echo,
      .flags = MCP_OPEN },
    { .name = "length",    .desc = "A text's length in bytes.", .args = length_args,
      .call = length },
    /* what rows cannot say is said by raw JSON Schema: listed as it stands, and not checked */
    { .name = "raw",       .desc = "Arguments by raw JSON Schema.", .call = count,
      .schema = "{\"type\":\"object\", \"anyOf\":[{\"required\":[\"lat\"]},"
                "{\"required\":[\"q\"]}]}" },
    { .name = "unchecked", .desc = "Checks for itself.", .args = add_numbers_args,
      .call = unchecked, .flags = MCP_UNCHECKED },

    { .name = "links",   .desc = "A link and a resource, in full.", .call = links },
    { .name = "pieces",  .desc = "Blocks written in pieces.", .call = pieces },
    { .name = "numbers", .desc = "Numbers as JSON.", .call = numbers },
    { .name = "arr",     .desc = "A structured array.", .call = arr,
      .out_schema = "{\"type\":\"array\",\"items\":{\"type\":\"integer\"}}" },
    { .name = "null_value", .desc = "A structured null.", .call = null_value,
      .out_schema = "{\"type\":[\"object\",\"null\"]}" },
    { .name = "found",   .desc = "An object that the schema allows among others.", .call = found,
      .out_schema = "{\"anyOf\":[{\"type\":\"object\"},{\"type\":\"null\"}]}" },
    { .name = "emptys",  .desc = "A structured object without members.", .call = emptys },
    { .name = "emptym",  .desc = "Metadata without members.", .call = emptym },
    { .name = "emptyc",  .desc = "Adds nothing at all.", .call = emptyc },
    { .name = "meta_spoof", .desc = "Claims to be another server.", .call = meta_spoof },
    { .name = "where",   .desc = "Who is calling.", .call = where },

    { .name = "status",    .desc = "Fails with a status alone.", .call = status },
    { .name = "refused",   .desc = "Answers with a protocol error.", .call = refused },
    { .name = "bad_utf8",  .desc = "Text that is not UTF-8.", .call = bad_utf8 },
    { .name = "nan_value", .desc = "A number that JSON does not have.", .call = nan_value },
    { .name = "misfit",    .desc = "A result that its schema forbids.", .call = misfit,
      .out = exact_args },
    { .name = "misuse",    .desc = "A block that cannot be.", .call = misuse },
    { .name = "badaud",    .desc = "An audience that there is not.", .call = badaud },
    { .name = "badpri",    .desc = "A priority beyond 1.", .call = badpri },
    { .name = "prints",    .desc = "Prints to stdout.", .call = prints },
    { 0 } };

int main(int argc, char **argv) {
    mcp_server_desc desc = {
        .name = "tools",
        .version = "1.0.0",
        .instructions = "Use me.",
        .tools = tools };
    if (argc < 2 || strcmp(argv[1], "--http") != 0) return mcp_serve_stdio(&desc);
    if (argc > 2) desc.http.port = atoi(argv[2]);
    return mcp_serve_http(&desc); /* --http [PORT]: http://127.0.0.1:8080/mcp */
}
