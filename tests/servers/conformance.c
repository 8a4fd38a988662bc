/* conformance.c - the server that the official conformance suite calls

   Its names, texts and behaviour are the suite's: it looks for them. */
#define MCP_IMPLEMENTATION
#include "mcp.h"

#include <stdlib.h>
#include <string.h>

static const unsigned char png[] = { /* one pixel */
    0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0x00, 0x00, 0x0D, 0x49, 0x48, 0x44,
    0x52, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x02, 0x00, 0x00, 0x00, 0x90,
    0x77, 0x53, 0xDE, 0x00, 0x00, 0x00, 0x0C, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9C, 0x63, 0xF8,
    0xCF, 0xC0, 0x00, 0x00, 0x03, 0x01, 0x01, 0x00, 0xC9, 0xFE, 0x92, 0xEF, 0x00, 0x00, 0x00,
    0x00, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82
};
static const unsigned char wav[] = { /* one sample */
    0x52, 0x49, 0x46, 0x46, 0x26, 0x00, 0x00, 0x00, 0x57, 0x41, 0x56, 0x45, 0x66, 0x6D, 0x74,
    0x20, 0x10, 0x00, 0x00, 0x00, 0x01, 0x00, 0x01, 0x00, 0x40, 0x1F, 0x00, 0x00, 0x80, 0x3E,
    0x00, 0x00, 0x02, 0x00, 0x10, 0x00, 0x64, 0x61, 0x74, 0x61, 0x02, 0x00, 0x00, 0x00, 0x00,
    0x00
};

/* ---- tools: kinds of content ---- */

static int simple(mcp_call *c) {
    return mcp_text(c, "This is a simple text response for testing.");
}
static int image(mcp_call *c) { return mcp_image(c, "image/png", png, sizeof png); }
static int audio(mcp_call *c) { return mcp_audio(c, "audio/wav", wav, sizeof wav); }

static int embedded(mcp_call *c) {
    mcp_embed(c, "test://embedded-resource", "text/plain");
    return mcp_text(c, "This is an embedded resource content.");
}

static int mixed(mcp_call *c) {
    mcp_text(c, "Multiple content types test:");
    mcp_image(c, "image/png", png, sizeof png);
    mcp_embed(c, "test://mixed-content-resource", "application/json");
    return mcp_text(c, "{\"test\":\"data\",\"value\":123}");
}

static int fails(mcp_call *c) {
    return mcp_fail(c, "This tool intentionally returns an error for testing");
}

static int linked(mcp_call *c) {
    static const mcp_resource to = { .uri = "test://static-text", .name = "static-text" };
    return mcp_link(c, &to);
}

static int structured(mcp_call *c) {
    int64_t value = mcp_arg_int(c, "value");
    mcp_writer *w = mcp_structured(c);
    mcp_put_int(w, "value", value);
    mcp_put_int(w, "next", value + 1);
    return MCP_OK;
}

static int shown(mcp_call *c) {
    size_t n;
    const char *args = mcp_get_raw(mcp_args(c), NULL, &n);
    return mcp_textf(c, "JSON Schema 2020-12 tool called with: %.*s", (int)n, args);
}

static int region(mcp_call *c) {
    return mcp_textf(c, "region=%s",
                     mcp_arg_given(c, "region") ? mcp_arg_str(c, "region") : "<none>");
}

static int greet(mcp_call *c) { return mcp_textf(c, "Hello, %s!", mcp_arg_str(c, "name")); }

/* ---- tools: what happens before the answer ---- */

static int log_once(mcp_call *c) {
    mcp_logf(c, MCP_LOG_INFO, "test_logging_tool ran");
    return mcp_text(c, "logged");
}

enum { STEPS = 3, PAUSE_MS = 50 };
typedef struct work { mcp_call *call; int step; } work;

/* Goes on in PAUSE_MS; false: that was the last step, or nobody waits any more. */
static bool again(work *w, void (*step)(void *w)) {
    return ++w->step < STEPS && !mcp_cancelled(w->call) &&
           mcp_after(mcp_call_server(w->call), PAUSE_MS, step, w) == MCP_OK;
}

static void log_step(void *arg) {
    static const char *const texts[STEPS] = {
        "Tool execution started", "Tool processing data", "Tool execution completed" };
    work *w = (work *)arg;
    mcp_logf(w->call, MCP_LOG_INFO, "%s", texts[w->step]);
    if (!again(w, log_step))
        mcp_done(w->call, mcp_text(w->call, "Tool with logging executed successfully"));
}

static void progress_step(void *arg) {
    work *w = (work *)arg;
    int done = 50 * w->step;
    mcp_progress(w->call, done, 100, mcp_format(w->call, "Completed step %d of 100", done));
    if (!again(w, progress_step)) mcp_done(w->call, mcp_text(w->call, "Progressed"));
}

static void reconnected(void *call) {
    mcp_call *c = (mcp_call *)call;
    mcp_done(c, mcp_text(c, "Reconnection test completed successfully."));
}

static int begin(mcp_call *c, void (*step)(void *w)) {
    work *w = (work *)mcp_alloc(c, sizeof *w);
    if (!w) return MCP_NOMEM;
    w->call = c;
    int rc = mcp_after(mcp_call_server(c), 0, step, w);
    return rc ? rc : mcp_defer(c);
}

static int logging(mcp_call *c) { return begin(c, log_step); }
static int progressing(mcp_call *c) { return begin(c, progress_step); }

static int reconnection(mcp_call *c) { /* the client has to fetch the answer */
    int rc = mcp_after(mcp_call_server(c), 100, reconnected, c);
    if (rc) return rc;
    rc = mcp_defer(c);
    mcp_hang_up(c, 500);
    return rc;
}

/* ---- asking back ---- */

static const mcp_arg name_form[] = { { .name = "name", .flags = MCP_REQUIRED }, { 0 } };
static const mcp_arg color_form[] = { { .name = "color", .flags = MCP_REQUIRED }, { 0 } };
static const mcp_arg context_form[] = { { .name = "context", .flags = MCP_REQUIRED }, { 0 } };
static const mcp_arg ok_form[] = {
    { .name = "ok", .type = MCP_BOOLEAN, .flags = MCP_REQUIRED }, { 0 } };
static const mcp_arg confirm_form[] = {
    { .name = "confirm", .type = MCP_BOOLEAN, .flags = MCP_REQUIRED }, { 0 } };
static const mcp_arg user_form[] = {
    { .name = "username", .desc = "User's response", .flags = MCP_REQUIRED },
    { .name = "email", .desc = "User's email address", .flags = MCP_REQUIRED },
    { 0 } };
static const mcp_arg defaults_form[] = {
    { .name = "name", .def = "John Doe" },
    { .name = "age", .type = MCP_INTEGER, .def = "30" },
    { .name = "score", .type = MCP_NUMBER, .def = "95.5" },
    { .name = "status", .def = "active", .choices = "active|inactive|pending" },
    { .name = "verified", .type = MCP_BOOLEAN, .def = "true" },
    { 0 } };
static const mcp_arg enums_form[] = {
    { .name = "untitledSingle", .choices = "option1|option2|option3" },
    { .name = "titledSingle", .choices = "value1|value2|value3",
      .labels = "First Option|Second Option|Third Option" },
    { .name = "legacyEnum",
      .schema = "{\"type\":\"string\",\"enum\":[\"opt1\",\"opt2\",\"opt3\"],"
                "\"enumNames\":[\"Option One\",\"Option Two\",\"Option Three\"]}" },
    { .name = "untitledMulti", .type = MCP_ARRAY, .choices = "option1|option2|option3" },
    { .name = "titledMulti", .type = MCP_ARRAY, .choices = "value1|value2|value3",
      .labels = "First Choice|Second Choice|Third Choice" },
    { 0 } };

static int ask_model(mcp_call *c, const char *key, const char *prompt, int max_tokens) {
    mcp_sampling what = { 0 };
    what.prompt = prompt;
    what.max_tokens = max_tokens;
    return mcp_sample(c, key, &what);
}
static const char *said(mcp_call *c, const char *key) {
    return mcp_get_str(mcp_get(mcp_answer(c, key), "content"), "text");
}

static int sampling(mcp_call *c) {
    int rc = ask_model(c, "llm", mcp_arg_str(c, "prompt"), 100);
    return rc ? rc : mcp_textf(c, "LLM response: %s", said(c, "llm"));
}

/* What people did with the form, and what they filled in. */
static int told(mcp_call *c, int rc, const char *what) {
    size_t n;
    const char *content = mcp_get_raw(mcp_answer(c, "form"), NULL, &n);
    if (rc == MCP_PENDING || rc == MCP_UNSUPPORTED) return rc;
    const char *action = rc == MCP_OK ? "accept" : rc == MCP_DECLINED ? "decline" : "cancel";
    return mcp_textf(c, "%s: action=%s, content=%.*s", what, action, n ? (int)n : 2,
                     n ? content : "{}");
}
static int elicitation(mcp_call *c) {
    return told(c, mcp_ask(c, "form", mcp_arg_str(c, "message"), user_form), "User response");
}
static int defaults(mcp_call *c) {
    return told(c, mcp_ask(c, "form", "Please review the form", defaults_form),
                "Elicitation completed");
}
static int enums(mcp_call *c) {
    return told(c, mcp_ask(c, "form", "Please select", enums_form), "Elicitation completed");
}

static int missing_capability(mcp_call *c) {
    int rc = ask_model(c, "answer", "Say pong", 16);
    return rc ? rc : mcp_text(c, "sampling round trip complete");
}

static int ask_name(mcp_call *c) {
    return mcp_ask(c, "user_name", "What is your name?", name_form);
}
static const char *name_of(mcp_call *c) { return mcp_get_str(mcp_answer(c, "user_name"), "name"); }

static int input_elicitation(mcp_call *c) {
    int rc = ask_name(c);
    return rc ? rc : mcp_textf(c, "Hello, %s!", name_of(c));
}

static int input_sampling(mcp_call *c) {
    int rc = ask_model(c, "capital_question", "What is the capital of France?", 100);
    return rc ? rc : mcp_textf(c, "Sampling response: %s", said(c, "capital_question"));
}

static int input_roots(mcp_call *c) {
    int rc = mcp_roots(c, "client_roots");
    if (rc) return rc;
    const char *all = "Roots:";
    for (const mcp_json *r = mcp_first(mcp_answer(c, "client_roots")); r; r = mcp_next(r))
        all = mcp_format(c, "%s %s", all, mcp_get_str(r, "uri"));
    return mcp_text(c, all);
}

static int confirmed(mcp_call *c) { /* with a state that travels, which nobody may change */
    char state[8] = "";
    int rc = mcp_ask(c, "confirm", "Please confirm", ok_form);
    if (rc == MCP_PENDING) mcp_keep(c, "asked", 5);
    if (rc) return rc;
    return mcp_textf(c, "%s: requestState verified",
                     mcp_kept(c, state, sizeof state) == 5 ? "state-ok" : "no state");
}

static int several(mcp_call *c) { /* all at once */
    int asked[3];
    asked[0] = ask_name(c);
    asked[1] = ask_model(c, "greeting", "Generate a greeting", 50);
    asked[2] = mcp_roots(c, "client_roots");
    for (int i = 0; i < 3; i++)
        if (asked[i]) return mcp_keep(c, "asked", 5), asked[i];
    return mcp_textf(c, "%s %s, %d root(s)", said(c, "greeting"), name_of(c),
                     (int)mcp_count(mcp_answer(c, "client_roots")));
}

static int rounds(mcp_call *c) { /* one after the other */
    int rc = mcp_ask(c, "step1", "Step 1: What is your name?", name_form);
    if (rc) return mcp_keep(c, "1", 1), rc;
    rc = mcp_ask(c, "step2", "Step 2: What is your favorite color?", color_form);
    if (rc) return mcp_keep(c, "2", 1), rc;
    return mcp_textf(c, "%s likes %s", mcp_get_str(mcp_answer(c, "step1"), "name"),
                     mcp_get_str(mcp_answer(c, "step2"), "color"));
}

static int capable(mcp_call *c) { /* asks only what the client can do */
    unsigned can = mcp_caller_of(c)->can;
    int asked[3] = { 0, 0, 0 };
    if (can & MCP_CAN_ASK) asked[0] = ask_name(c);
    if (can & MCP_CAN_SAMPLE)
        asked[1] = ask_model(c, "greeting", "Generate a short greeting", 50);
    if (can & MCP_CAN_ROOTS) asked[2] = mcp_roots(c, "client_roots");
    for (int i = 0; i < 3; i++)
        if (asked[i]) return asked[i];
    return mcp_text(c, "Asked what there was to ask");
}

static int get_asked(mcp_call *c) {
    int rc = mcp_ask(c, "user_context", "What context should the prompt use?", context_form);
    return rc ? rc : mcp_textf(c, "Use the following context: %s",
                               mcp_get_str(mcp_answer(c, "user_context"), "context"));
}

/* ---- tools: tasks ---- */

static int later(mcp_call *c, int64_t ms, void (*func)(void *call)) {
    int rc = mcp_after(mcp_call_server(c), ms, func, c);
    return rc ? rc : mcp_defer(c);
}

static void computed(void *call) {
    mcp_call *c = (mcp_call *)call;
    mcp_done(c, mcp_textf(c, "computed %s", mcp_arg_str(c, "label")));
}
static int compute(mcp_call *c) {
    return later(c, (int64_t)(mcp_arg_num(c, "seconds") * 1000), computed);
}

static void failed(void *call) {
    mcp_done((mcp_call *)call, mcp_fail((mcp_call *)call, "job failed"));
}
static int failing(mcp_call *c) { return later(c, 1000, failed); }

static void crashed(void *call) {
    mcp_done((mcp_call *)call, mcp_error((mcp_call *)call, MCP_INTERNAL_ERROR, "job crashed"));
}
static int crashing(mcp_call *c) { return later(c, 100, crashed); }

static int ask_delete(mcp_call *c) {
    return mcp_ask(c, "confirm", mcp_format(c, "Delete %s?", mcp_arg_str(c, "filename")),
                   confirm_form);
}
static void deleting(void *call) { mcp_done((mcp_call *)call, ask_delete((mcp_call *)call)); }

static int delete_confirmed(mcp_call *c) { /* asks when it is a task already */
    if (!mcp_answer(c, "confirm")) return later(c, 10, deleting);
    int rc = ask_delete(c);
    return rc ? rc : mcp_textf(c, "deleted %s", mcp_arg_str(c, "filename"));
}

static int ask_both(mcp_call *c) {
    int first = mcp_ask(c, "first", "First?", confirm_form);
    int second = mcp_ask(c, "second", "Second?", confirm_form);
    return first ? first : second;
}
static void asking_both(void *call) { mcp_done((mcp_call *)call, ask_both((mcp_call *)call)); }

static int two_inputs(mcp_call *c) {
    if (!mcp_answer(c, "first") && !mcp_answer(c, "second")) return later(c, 10, asking_both);
    int rc = ask_both(c);
    return rc ? rc : mcp_text(c, "both answered");
}

static void named(void *call) {
    mcp_call *c = (mcp_call *)call;
    mcp_done(c, mcp_textf(c, "Task done for %s", name_of(c)));
}
static int asked_before(mcp_call *c) { /* asks while it is none yet */
    int rc = ask_name(c);
    return rc ? rc : later(c, 100, named);
}

/* ---- tools: changes ---- */

static int announce(mcp_call *c) { /* which list is the row's */
    mcp_server_changed(mcp_call_server(c), *(const unsigned *)mcp_row_user(c));
    return mcp_text(c, "announced");
}

static int touch(mcp_call *c) {
    mcp_server_touch(mcp_call_server(c), "test://watched-resource");
    return mcp_text(c, "announced");
}

/* ---- the tools' table: a plain one first, that is what the suite calls when any will do ---- */

static const unsigned of_tools = MCP_TOOLS, of_prompts = MCP_PROMPTS;
static const mcp_arg value_args[] = {
    { .name = "value", .type = MCP_INTEGER, .flags = MCP_REQUIRED }, { 0 } };
static const mcp_arg value_out[] = {
    { .name = "value", .type = MCP_INTEGER, .flags = MCP_REQUIRED },
    { .name = "next", .type = MCP_INTEGER, .flags = MCP_REQUIRED },
    { 0 } };
static const mcp_arg prompt_args[] = {
    { .name = "prompt", .desc = "for the model", .flags = MCP_REQUIRED }, { 0 } };
static const mcp_arg message_args[] = {
    { .name = "message", .desc = "for people", .flags = MCP_REQUIRED }, { 0 } };
static const mcp_arg name_args[] = { { .name = "name", .flags = MCP_REQUIRED }, { 0 } };
static const mcp_arg compute_args[] = {
    { .name = "seconds", .type = MCP_NUMBER, .flags = MCP_REQUIRED }, { .name = "label" }, { 0 } };
static const mcp_arg file_args[] = { { .name = "filename", .flags = MCP_REQUIRED }, { 0 } };
static const mcp_arg region_args[] = {
    { .name = "region", .header = "Region" }, { .name = "level", .type = MCP_INTEGER }, { 0 } };

static const mcp_tool tools[] = {
    { .name = "test_simple_text", .desc = "Returns a text.", .call = simple },
    { .name = "test_image_content", .desc = "Returns an image.", .call = image },
    { .name = "test_audio_content", .desc = "Returns a sound.", .call = audio },
    { .name = "test_embedded_resource", .desc = "Returns a resource.", .call = embedded },
    { .name = "test_multiple_content_types", .desc = "Returns a text, an image and a resource.",
      .call = mixed },
    { .name = "test_error_handling", .desc = "Fails.", .call = fails },
    { .name = "test_tool_with_logging", .desc = "Logs three times.", .call = logging },
    { .name = "test_tool_with_progress", .desc = "Reports progress.", .call = progressing },
    { .name = "test_reconnection", .desc = "Hangs up before it answers.", .call = reconnection },
    { .name = "test_logging_tool", .desc = "Logs once.", .call = log_once },
    { .name = "test_streaming_elicitation", .desc = "Asks nothing while it works.",
      .call = simple },
    { .name = "test_sampling", .desc = "Asks the client's model.", .args = prompt_args,
      .call = sampling },
    { .name = "test_elicitation", .desc = "Asks the user.", .args = message_args,
      .call = elicitation },
    { .name = "test_elicitation_sep1034_defaults", .desc = "Has a form with defaults.",
      .call = defaults },
    { .name = "test_elicitation_sep1330_enums", .desc = "Has a form with every kind of choice.",
      .call = enums },
    { .name = "test_missing_capability", .desc = "Needs the client's model.",
      .call = missing_capability },
    { .name = "test_input_required_result_elicitation", .desc = "Asks the user for a name.",
      .call = input_elicitation },
    { .name = "test_input_required_result_sampling", .desc = "Asks the model for a capital.",
      .call = input_sampling },
    { .name = "test_input_required_result_list_roots", .desc = "Asks for the roots.",
      .call = input_roots },
    { .name = "test_input_required_result_request_state", .desc = "Asks, and keeps a state.",
      .call = confirmed },
    { .name = "test_input_required_result_tampered_state", .desc = "Refuses a changed state.",
      .call = confirmed },
    { .name = "test_input_required_result_multiple_inputs", .desc = "Asks three at once.",
      .call = several },
    { .name = "test_input_required_result_multi_round", .desc = "Asks twice.", .call = rounds },
    { .name = "test_input_required_result_capabilities",
      .desc = "Asks what the client can answer.", .call = capable },
    { .name = "test_x_mcp_header", .desc = "Has an argument that is a header, too.",
      .args = region_args, .call = region },
    { .name = "test_trigger_tool_change", .desc = "Says that the tools changed.",
      .call = announce, .user = &of_tools },
    { .name = "test_trigger_prompt_change", .desc = "Says that the prompts changed.",
      .call = announce, .user = &of_prompts },
    { .name = "test_trigger_resource_update", .desc = "Says that a resource changed.",
      .call = touch },
    { .name = "test_structured_content", .desc = "Counts one further.", .args = value_args,
      .call = structured, .out = value_out },
    { .name = "test_resource_link", .desc = "Returns a link.", .call = linked },
    { .name = "greet", .desc = "Greets.", .args = name_args, .call = greet },
    { .name = "slow_compute", .desc = "Sleeps, then answers.", .args = compute_args,
      .call = compute, .task = MCP_TASK_OPTIONAL },
    { .name = "failing_job", .desc = "Fails.", .call = failing, .task = MCP_TASK_REQUIRED },
    { .name = "protocol_error_job", .desc = "Ends in an error.", .call = crashing,
      .task = MCP_TASK_REQUIRED },
    { .name = "confirm_delete", .desc = "Asks while it works.", .args = file_args,
      .call = delete_confirmed, .task = MCP_TASK_REQUIRED },
    { .name = "multi_input", .desc = "Asks two things while it works.", .call = two_inputs,
      .task = MCP_TASK_REQUIRED },
    { .name = "test_tool_with_task", .desc = "Asks, and then works.", .call = asked_before,
      .task = MCP_TASK_REQUIRED },
    { .name = "json_schema_2020_12_tool", .desc = "Has a schema that a table cannot say.",
      .call = shown,
      .schema = "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\","
          "\"type\":\"object\",\"$defs\":{\"address\":{\"$anchor\":\"addressDef\","
          "\"type\":\"object\",\"properties\":{\"street\":{\"type\":\"string\"},"
          "\"city\":{\"type\":\"string\"}}}},\"properties\":{\"name\":{\"type\":\"string\"},"
          "\"address\":{\"$ref\":\"#/$defs/address\"},\"contactMethod\":{\"type\":\"string\","
          "\"enum\":[\"phone\",\"email\"]},\"phone\":{\"type\":\"string\"},"
          "\"email\":{\"type\":\"string\"}},\"allOf\":[{\"anyOf\":[{\"required\":[\"phone\"]},"
          "{\"required\":[\"email\"]}]}],\"if\":{\"properties\":{\"contactMethod\":"
          "{\"const\":\"phone\"}},\"required\":[\"contactMethod\"]},\"then\":{\"required\":"
          "[\"phone\"]},\"else\":{\"required\":[\"email\"]},\"additionalProperties\":false}" },
    { 0 } };

/* ---- resources, skills ---- */

static int read_template(mcp_call *c) {
    mcp_writer *w = mcp_text_json(c);
    mcp_put_str(w, "id", mcp_arg_str(c, "id"));
    mcp_put_bool(w, "templateTest", true);
    mcp_put_strf(w, "data", "Data for ID: %s", mcp_arg_str(c, "id"));
    return MCP_OK;
}

static int complete(mcp_call *c, const char *typed) {
    static const char *const words[] = { "test", "testing", "paris", "park", "party", "123" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strncmp(words[i], typed, strlen(typed))) mcp_complete(c, words[i]);
    return MCP_OK;
}
static int complete_id(mcp_call *c) { return complete(c, mcp_arg_str(c, "id")); }
static int complete_arg1(mcp_call *c) { return complete(c, mcp_arg_str(c, "arg1")); }

static const mcp_arg id_args[] = { { .name = "id", .complete = complete_id }, { 0 } };
static const mcp_resource resources[] = {
    { .uri = "test://static-text", .name = "static-text", .desc = "A text.",
      .text = "This is the content of the static text resource." },
    { .uri = "test://static-binary", .name = "static-binary", .desc = "An image.",
      .mime = "image/png", .bytes = png, .size = sizeof png },
    { .uri = "test://watched-resource", .name = "watched-resource",
      .desc = "Changes, or says so.", .text = "Watched resource content" },
    { .uri = "test://template/{id}/data", .name = "template", .desc = "Data of an id.",
      .mime = "application/json", .read = read_template, .args = id_args },
    { 0 } };

static const mcp_resource greeting_files[] = {
    { .uri = "references/NOTES.md", .name = "NOTES.md", .desc = "Notes on greeting.",
      .mime = "text/markdown", .text = "Always smile.\n" },
    { 0 } };
static const mcp_skill skills[] = {
    { .name = "greeting", .desc = "How to greet people politely.",
      .text = "# Greeting\n\nSay hello.\n", .files = greeting_files },
    { 0 } };

/* ---- prompts ---- */

static int get_simple(mcp_call *c) { return mcp_text(c, "This is a simple prompt for testing."); }

static int get_arguments(mcp_call *c) {
    return mcp_textf(c, "Prompt with arguments: arg1='%s', arg2='%s'", mcp_arg_str(c, "arg1"),
                     mcp_arg_str(c, "arg2"));
}

static int get_embedded(mcp_call *c) {
    mcp_embed(c, mcp_arg_str(c, "resourceUri"), "text/plain");
    mcp_text(c, "Embedded resource content for testing.");
    return mcp_text(c, "Please process the embedded resource above.");
}

static int get_image(mcp_call *c) {
    mcp_image(c, "image/png", png, sizeof png);
    return mcp_text(c, "Please analyze the image above.");
}

static const mcp_arg two_args[] = {
    { .name = "arg1", .desc = "the first", .flags = MCP_REQUIRED, .complete = complete_arg1 },
    { .name = "arg2", .desc = "the second", .flags = MCP_REQUIRED },
    { 0 } };
static const mcp_arg uri_args[] = {
    { .name = "resourceUri", .desc = "what to embed", .flags = MCP_REQUIRED }, { 0 } };

static const mcp_prompt prompts[] = {
    { .name = "test_simple_prompt", .desc = "A message.", .get = get_simple },
    { .name = "test_prompt_with_arguments", .desc = "A message of two arguments.",
      .args = two_args, .get = get_arguments },
    { .name = "test_prompt_with_embedded_resource", .desc = "A resource and a message.",
      .args = uri_args, .get = get_embedded },
    { .name = "test_prompt_with_image", .desc = "An image and a message.", .get = get_image },
    { .name = "test_input_required_result_prompt", .desc = "A message that needs an answer.",
      .get = get_asked },
    { 0 } };

int main(int argc, char **argv) {
    mcp_server_desc desc = {
        .name = "conformance",
        .version = "1.0.0",
        .tools = tools,
        .resources = resources,
        .prompts = prompts,
        .skills = skills,
        .flags = MCP_LOGGING | MCP_SUBSCRIBE,
        .changes = MCP_TOOLS | MCP_RESOURCES | MCP_PROMPTS };
    if (argc < 3 || strcmp(argv[1], "--http") != 0) return mcp_serve_stdio(&desc);
    desc.http.port = atoi(argv[2]);
    return mcp_serve_http(&desc);
}
