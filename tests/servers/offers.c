/* offers.c - every kind of row, and tools that answer late, touch, change and replace */
#define MCP_IMPLEMENTATION
#include "mcp.h"

#include <string.h>

static const char digits[] = "0123456789";

/* ---- resources ---- */

static int read_many(mcp_call *c) {
    mcp_text(c, "the first");
    mcp_embed(c, "many://contents/pixel", "image/png");
    mcp_blob(c, NULL, "\x00\xFF\x10", 3);
    mcp_put_int(mcp_block_meta(c), "com.example/n", 2);
    mcp_embed(c, "many://contents/data", "application/json");
    mcp_put_int(mcp_text_json(c), "n", 3);
    mcp_put_bool(mcp_result_meta(c), "com.example/whole", true);
    return MCP_OK;
}

static int read_nothing(mcp_call *c) { (void)c; return MCP_OK; }
static int read_io(mcp_call *c) { (void)c; return MCP_IO; }
static int read_fails(mcp_call *c) { return mcp_fail(c, "the disk is on fire"); }
static int read_gone(mcp_call *c) { return mcp_not_found(c, mcp_uri(c)); }
static int read_link(mcp_call *c) {
    static const mcp_resource there = { .uri = "text://plain", .name = "there" };
    return mcp_link(c, &there);
}

static int read_refused(mcp_call *c) {
    int rc = mcp_error(c, 1001, "no licence");
    mcp_put_int(mcp_structured(c), "days", 3);
    return rc;
}

static int read_args(mcp_call *c) { /* the variables, as they arrive */
    mcp_writer *w = mcp_text_json(c);
    mcp_put_json(w, NULL, mcp_args(c));
    return MCP_OK;
}

static int read_large(mcp_call *c) { /* large://{n} and largeblob://{n}: ten digits, n times */
    bool blob = !strncmp(mcp_uri(c), "largeblob", 9);
    mcp_block_begin(c, blob ? MCP_BLOB : MCP_TEXT, NULL);
    for (int64_t i = mcp_arg_int(c, "n"); i > 0; i--) mcp_block_write(c, digits, 10);
    return mcp_block_end(c);
}

static int list_notes(mcp_call *c) { /* which ones there are is the row's */
    for (const char *name = (const char *)mcp_row_user(c); *name; name += strlen(name) + 1) {
        mcp_resource note = { 0 };
        note.uri = mcp_format(c, "note://%s", name);
        note.name = name;
        mcp_link(c, &note);
    }
    return MCP_OK;
}

static int list_fails(mcp_call *c) { return mcp_fail(c, "nobody can count them"); }

static int complete_word(mcp_call *c) { /* depends on what is chosen already */
    bool german = !strcmp(mcp_arg_str(c, "lang"), "de");
    const char *typed = mcp_arg_str(c, "word");
    const char *const words[] = { german ? "gut" : "good", german ? "gerne" : "gladly", "ok" };
    for (int i = 0; i < 3; i++)
        if (!strncmp(words[i], typed, strlen(typed))) mcp_complete(c, words[i]);
    return MCP_OK;
}

static int complete_n(mcp_call *c) { /* n values of "0", "1" ...: as many as are typed */
    int n = 0;
    for (const char *p = mcp_arg_str(c, "n"); *p >= '0' && *p <= '9'; p++) n = n * 10 + *p - '0';
    for (int i = 0; i < n; i++) mcp_complete(c, mcp_format(c, "%d", i));
    return MCP_OK;
}

static int complete_fails(mcp_call *c) { return mcp_fail(c, "no dictionary"); }

static const mcp_icon icons[] = {
    { .src = "https://s.example/r.svg", .mime = "image/svg+xml", .sizes = "any" }, { 0 } };
static const mcp_arg item_args[] = {
    { .name = "id", .type = MCP_INTEGER, .min = "1", .max = "100" }, { 0 } };
static const mcp_arg word_args[] = {
    { .name = "lang", .choices = "de|en|en-GB|fr" }, { .name = "word", .complete = complete_word },
    { 0 } };
static const mcp_arg find_args[] = {
    { .name = "q", .complete = complete_fails },
    { .name = "limit", .type = MCP_INTEGER, .def = "10" }, { 0 } };
static const mcp_arg n_args[] = {
    { .name = "n", .type = MCP_INTEGER, .max = "100000", .complete = complete_n }, { 0 } };

static const mcp_resource resources[] = {
    { .uri = "text://plain", .text = "plain" },
    { .uri = "text://full", .name = "full", .desc = "Says \"all\" it can.", .mime = "text/markdown",
      .text = "# H\xC3\xA9", .title = "In full",
      .annotations = { .audience = MCP_USER | MCP_ASSISTANT, .priority = 0.5,
                       .last_modified = "2026-07-28T12:00:00Z" },
      .cache = { .ttl_ms = 1000, .scope = MCP_PRIVATE }, .icons = icons,
      .meta = "{\"com.example/k\": [1, 2.50]}" },
    { .uri = "text://empty", .text = "" },
    { .uri = "bytes://three", .mime = "image/png", .bytes = "\x00\xFF\x10", .size = 3 },
    { .uri = "bytes://none", .mime = "application/octet-stream", .bytes = "", .size = MCP_ZERO,
      .annotations = { .priority = MCP_ZERO } },
    { .uri = "file:///no/such/file", .file = "no/such/file" },
    { .uri = "many://contents", .read = read_many, .size = 12 },
    { .uri = "empty://handler", .read = read_nothing,
      .cache = { .ttl_ms = 5, .scope = MCP_PUBLIC } },
    { .uri = "broken://io", .read = read_io },
    { .uri = "broken://fails", .read = read_fails },
    { .uri = "broken://gone", .read = read_gone },
    { .uri = "broken://refused", .read = read_refused },
    { .uri = "broken://link", .read = read_link },
    { .uri = "ui://offers/page", .mime = "text/html;profile=mcp-app", .text = "<!doctype html>" },
    { .uri = "pick://exact", .text = "exact" },
    { .uri = "item://{id}", .name = "item", .read = read_args, .args = item_args },
    { .uri = "word://{lang}/{word}", .desc = "A word.", .mime = "application/json",
      .read = read_args, .title = "Word", .args = word_args,
      .annotations = { .audience = MCP_ASSISTANT }, .icons = icons, .meta = "{\"k\":null}" },
    { .uri = "find://{where}{?q,limit}", .read = read_args, .args = find_args },
    { .uri = "dir:///{+path}", .read = read_args },
    { .uri = "pick://{x}", .name = "pick one", .read = read_args },
    { .uri = "pick://{+rest}", .name = "pick the rest", .read = read_args },
    { .uri = "large://{n}", .read = read_large, .args = n_args },
    { .uri = "largeblob://{n}", .mime = "application/octet-stream", .read = read_large,
      .args = n_args },
    { .uri = "note://{name}", .read = read_args, .list = list_notes,
      .user = "ant\0bee\0cat\0dog\0eel\0" },
    { 0 } };
static const mcp_resource resources_2[] = { /* two went, two came, the rest stands elsewhere */
    { .uri = "text://new", .text = "new" },
    { .uri = "text://empty", .text = "no longer" },
    { .uri = "pick://exact", .text = "exact" },
    { .uri = "note://{name}", .read = read_args, .list = list_notes,
      .user = "ant\0bug\0cat\0cow\0dog\0elk\0" },
    { 0 } };
static const mcp_resource resources_bad[] = {
    { .uri = "text://a", .text = "a" }, { .uri = "text://b" }, { 0 } };
static const mcp_resource resources_failing[] = {
    { .uri = "note://{name}", .read = read_args, .list = list_fails }, { 0 } };

/* ---- prompts ---- */

static int get_simple(mcp_call *c) { return mcp_text(c, "One message."); }
static int get_silent(mcp_call *c) { (void)c; return MCP_OK; }
static int get_io(mcp_call *c) { (void)c; return MCP_IO; }
static int get_fails(mcp_call *c) { return mcp_fail(c, "out of ideas"); }
static int get_refused(mcp_call *c) { return mcp_error(c, 1001, "no licence"); }

static int get_assistant(mcp_call *c) {
    mcp_role(c, MCP_ASSISTANT);
    return mcp_text(c, "Yes?");
}

static int get_dialogue(mcp_call *c) {
    mcp_textf(c, "Review this %s code:\n%s", mcp_arg_str(c, "language"), mcp_arg_str(c, "code"));
    mcp_role(c, MCP_ASSISTANT);
    mcp_text(c, "What shall I look for?");
    mcp_role(c, MCP_USER);
    mcp_text(c, mcp_arg_given(c, "focus") ? mcp_arg_str(c, "focus") : "Nothing in particular.");
    return MCP_OK;
}

static int get_mixed(mcp_call *c) {
    static const mcp_annotations for_model = { .audience = MCP_ASSISTANT, .priority = 1 };
    mcp_image(c, "image/png", "\x00\xFF\x10", 3);
    mcp_annotate(c, &for_model);
    mcp_put_int(mcp_block_meta(c), "com.example/n", 1);
    mcp_embed(c, "file:///style.md", "text/markdown");
    mcp_text(c, "# Style");
    mcp_role(c, MCP_ASSISTANT);
    mcp_embed(c, "file:///pixel", "image/png");
    mcp_blob(c, NULL, "\x00\xFF\x10", 3);
    mcp_put_str(mcp_result_meta(c), "com.example/from", "mixed");
    return MCP_OK;
}

static int get_audio(mcp_call *c) { return mcp_audio(c, "audio/wav", "\x00\xFF\x10", 3); }
static int get_link(mcp_call *c) { return mcp_link(c, &resources[1]); }
static int get_both(mcp_call *c) { get_link(c); return get_audio(c); }

static const mcp_arg dialogue_args[] = {
    { .name = "code", .desc = "the code", .flags = MCP_REQUIRED },
    { .name = "language", .def = "C", .choices = "C|C++|Python|R", .title = "Language" },
    { .name = "focus", .desc = "what to look for" },
    { .name = "n", .complete = complete_n },
    { 0 } };

static const mcp_prompt prompts[] = {
    { .name = "simple", .get = get_simple },
    { .name = "dialogue", .desc = "A code review.", .args = dialogue_args, .get = get_dialogue,
      .title = "Dialogue", .icons = icons, .meta = "{\"com.example/k\":1}" },
    { .name = "assistant", .desc = "It begins.", .get = get_assistant },
    { .name = "mixed", .get = get_mixed },
    { .name = "audio", .get = get_audio },
    { .name = "link", .get = get_link },
    { .name = "both", .get = get_both },
    { .name = "silent", .get = get_silent },
    { .name = "io", .get = get_io },
    { .name = "fails", .get = get_fails },
    { .name = "refused", .get = get_refused },
    { .name = "a name with spaces", .get = get_simple },
    { 0 } };
static const mcp_prompt prompts_2[] = { { .name = "simple", .get = get_assistant }, { 0 } };
static const mcp_prompt prompts_bad[] = { { .name = "simple" }, { 0 } };

/* ---- tools: changes ---- */

static int touch(mcp_call *c) {
    for (int64_t i = mcp_arg_int(c, "times"); i > 0; i--)
        mcp_server_touch(mcp_call_server(c), mcp_arg_str(c, "uri"));
    return mcp_text(c, "touched");
}

static int change(mcp_call *c) {
    const char *which = mcp_arg_str(c, "list");
    mcp_server_changed(mcp_call_server(c), !strcmp(which, "tools")     ? MCP_TOOLS
                                           : !strcmp(which, "prompts") ? MCP_PROMPTS
                                                                       : MCP_RESOURCES);
    return mcp_text(c, "changed");
}

static mcp_handler replace; /* its own table is among those that it sets */

/* ---- tools: late answers ---- */

typedef struct job { mcp_call *call; int64_t ms, step, steps; } job;

static void go_on(void *arg) { /* step by step, until it is done */
    job *j = (job *)arg;
    j->step++;
    mcp_progress(j->call, (double)j->step, (double)j->steps, "working");
    if (j->step < j->steps && !mcp_after(mcp_call_server(j->call), j->ms, go_on, j)) return;
    mcp_text(j->call, mcp_arg_str(j->call, "text"));
    mcp_done(j->call, MCP_OK);
}

static int slow(mcp_call *c) {
    job *j = (job *)mcp_alloc(c, sizeof *j);
    if (!j) return MCP_NOMEM;
    j->call = c;
    j->ms = mcp_arg_int(c, "ms");
    j->steps = mcp_arg_int(c, "steps");
    int rc = mcp_after(mcp_call_server(c), j->ms, go_on, j);
    return rc ? rc : mcp_defer(c);
}

/* ---- tools: large results, logs ---- */

static int large(mcp_call *c) {
    const char *end = mcp_arg_str(c, "end");
    int kind = !strcmp(mcp_arg_str(c, "kind"), "image") ? MCP_IMAGE : MCP_TEXT;
    int64_t n = mcp_arg_int(c, "n");
    mcp_text(c, "first");
    mcp_block_begin(c, kind, "image/png");
    for (int64_t i = 0; i < n; i++) mcp_block_write(c, digits, 10);
    mcp_progress(c, (double)n, 0, NULL);
    mcp_logf(c, MCP_LOG_ERROR, "written");
    if (!strcmp(end, "fail")) return mcp_fail(c, "it broke");
    if (!strcmp(end, "error")) return mcp_error(c, 1001, "no licence");
    if (!strcmp(end, "open")) return MCP_OK;
    mcp_block_end(c);
    if (!strcmp(end, "io")) return MCP_IO;
    if (!strcmp(end, "audio")) mcp_audio(c, "audio/wav", digits, 3);
    if (!strcmp(end, "more")) mcp_put_int(mcp_structured(c), "n", n);
    return MCP_OK;
}

static int logs(mcp_call *c) {
    mcp_writer *w = mcp_log_begin(c, MCP_LOG_WARNING);
    mcp_put_str(w, "disk", "/dev/sda");
    mcp_put_num(w, "free", 0.5);
    mcp_put_arr(w, "tags");
    mcp_put_end(w);
    mcp_log_end(c);
    mcp_put_str(mcp_log_begin(c, MCP_LOG_DEBUG), NULL, "a \"text\"");
    mcp_log_end(c);
    mcp_log_begin(c, MCP_LOG_NOTICE);
    mcp_log_end(c);
    mcp_put_null(mcp_log_begin(c, MCP_LOG_EMERGENCY), NULL);
    mcp_log_end(c);
    return mcp_text(c, "logged");
}

static int levels(mcp_call *c) {
    for (int level = MCP_LOG_DEBUG; level <= MCP_LOG_EMERGENCY; level += 2)
        mcp_logf(c, level, "level %d", level);
    return mcp_text(c, "logged");
}

static int burst(mcp_call *c) {
    for (int64_t i = 0; i < mcp_arg_int(c, "n"); i++)
        mcp_logf(c, MCP_LOG_INFO, "%d", (int)i);
    return mcp_text(c, "logged");
}

static int echo(mcp_call *c) { return mcp_text(c, mcp_arg_str(c, "text")); }
static int other(mcp_call *c) { return mcp_text(c, "another"); }

/* ---- the tables ---- */

static const mcp_arg touch_args[] = {
    { .name = "uri", .def = "text://plain" },
    { .name = "times", .type = MCP_INTEGER, .def = "1" }, { 0 } };
static const mcp_arg change_args[] = {
    { .name = "list", .flags = MCP_REQUIRED, .choices = "tools|resources|prompts" }, { 0 } };
static const mcp_arg replace_args[] = {
    { .name = "list", .flags = MCP_REQUIRED, .choices = "tools|resources|prompts" },
    { .name = "by", .def = "second", .choices = "first|second|bad|failing|none" }, { 0 } };
static const mcp_arg slow_args[] = {
    { .name = "ms", .type = MCP_INTEGER, .def = "5" }, { .name = "text", .def = "at last" },
    { .name = "steps", .type = MCP_INTEGER, .def = "1" }, { 0 } };
static const mcp_arg large_args[] = {
    { .name = "n", .type = MCP_INTEGER, .def = "400" }, { .name = "kind", .choices = "text|image" },
    { .name = "end", .choices = "fail|error|open|io|audio|more" }, { 0 } };
static const mcp_arg n_only[] = {
    { .name = "n", .type = MCP_INTEGER, .flags = MCP_REQUIRED }, { 0 } };
static const mcp_arg text_only[] = { { .name = "text" }, { 0 } };

static const mcp_tool tools[] = {
    { .name = "touch", .args = touch_args, .call = touch },
    { .name = "change", .args = change_args, .call = change },
    { .name = "replace", .args = replace_args, .call = replace },
    { .name = "slow", .args = slow_args, .call = slow },
    { .name = "large", .args = large_args, .call = large },
    { .name = "logs", .call = logs },
    { .name = "levels", .call = levels },
    { .name = "burst", .args = n_only, .call = burst },
    { .name = "echo", .args = text_only, .call = echo },
    { 0 } };
static const mcp_tool tools_2[] = {
    { .name = "added", .call = other },
    { .name = "replace", .args = replace_args, .call = replace },
    { .name = "echo", .args = text_only, .call = other }, { 0 } };
static const mcp_tool tools_bad[] = {
    { .name = "echo", .call = echo }, { .name = "echo", .call = echo }, { 0 } };

static int replace(mcp_call *c) {
    static const struct { const char *list, *by; const void *table; } tables[] = {
        { "tools", "first", tools }, { "tools", "second", tools_2 }, { "tools", "bad", tools_bad },
        { "resources", "first", resources }, { "resources", "second", resources_2 },
        { "resources", "bad", resources_bad }, { "resources", "failing", resources_failing },
        { "prompts", "first", prompts }, { "prompts", "second", prompts_2 },
        { "prompts", "bad", prompts_bad } };
    mcp_server *s = mcp_call_server(c);
    const char *list = mcp_arg_str(c, "list"), *by = mcp_arg_str(c, "by");
    const void *table = NULL;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (!strcmp(tables[i].list, list) && !strcmp(tables[i].by, by)) table = tables[i].table;
    int rc = *list == 't'   ? mcp_server_set_tools(s, (const mcp_tool *)table)
             : *list == 'p' ? mcp_server_set_prompts(s, (const mcp_prompt *)table)
                            : mcp_server_set_resources(s, (const mcp_resource *)table);
    return rc ? mcp_failf(c, "not replaced: %s", mcp_status_text(rc)) : mcp_text(c, "replaced");
}

int main(void) {
    static const mcp_server_desc desc = {
        .name = "offers",
        .version = "1.0.0",
        .tools = tools,
        .resources = resources,
        .prompts = prompts,
        .flags = MCP_LOGGING | MCP_SUBSCRIBE,
        .changes = MCP_TOOLS | MCP_RESOURCES | MCP_PROMPTS,
        .limits = { .spill = 2000, .calls = 4, .subscriptions = 4, .logs = 20 } };
    return mcp_serve_stdio(&desc);
}
