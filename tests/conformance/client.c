/* client.c - the client of the official conformance suite: client URL, told the rest by variables

   MCP_CONFORMANCE_SCENARIO says what is looked at, ..._PROTOCOL_VERSION what to speak, ..._CONTEXT
   what to call. What a scenario's server makes wrong must be refused: then it exits with 1. */
#define MCP_IMPLEMENTATION
#include "mcp.h"

static mcp_client *k;

/* The form's defaults are the answer; a model says the same to all. */
static int answer(void *user, const char *method, const mcp_json *params, mcp_writer *w) {
    (void)user, (void)params;
    if (strcmp(method, "elicitation/create") == 0) return MCP_OK;
    mcp_put_str(w, "role", "assistant");
    mcp_put_obj(w, "content");
    mcp_put_str(w, "type", "text");
    mcp_put_str(w, "text", "Paris");
    mcp_put_end(w);
    mcp_put_str(w, "model", "test");
    mcp_put_str(w, "stopReason", "endTurn");
    return MCP_OK;
}

static int must(const mcp_json *result, const char *what) {
    if (result) return 1;
    fprintf(stderr, "%s: %s\n", what, mcp_client_failure(k)->text);
    exit(1);
}

/* The rows of a list, on their own: a result lives only until the next. */
static const mcp_json *list(const char *what) {
    static char copies[8][100000];
    static int next;
    const mcp_json *r = mcp_client_list(k, what, NULL);
    size_t n;
    const char *raw = mcp_get_raw(r, NULL, &n), *error;
    int status;
    must(r, what);
    char *copy = copies[next++ % 8] + MCP__PAD_BEFORE;
    if (n > sizeof copies[0] - MCP__PAD_BEFORE - MCP__PAD) exit(1);
    memcpy(copy, raw, n);
    memset(copy + n, 0, MCP__PAD);
    if (!mcp__json_check(copy, 256, NULL, &error, &status)) exit(1);
    const mcp_json *rows = mcp_first((const mcp_json *)copy);
    while (rows && mcp_type_of(rows) != MCP_ARRAY) rows = mcp_next(rows);
    return rows;
}

static int has(const char *name, const char *part) { return strstr(name, part) != NULL; }

/* Every tool that is listed, with arguments that do for all. */
static void call_all(void) {
    for (const mcp_json *t = mcp_first(list("tools")); t; t = mcp_next(t)) {
        mcp_writer *w = mcp_client_call(k, mcp_get_str(t, "name"));
        if (has(mcp_get_str(t, "name"), "add_numbers")) {
            mcp_put_num(w, "a", 2);
            mcp_put_num(w, "b", 3);
        } else if (has(mcp_get_str(t, "name"), "valid_tool")) mcp_put_str(w, "region", "eu");
        must(mcp_client_wait(k), mcp_get_str(t, "name"));
    }
}

/* All at once. */
static void call_together(void) {
    int64_t ids[16];
    size_t n = 0;
    for (const mcp_json *t = mcp_first(list("tools")); t && n < 16; t = mcp_next(t)) {
        mcp_client_call(k, mcp_get_str(t, "name"));
        ids[n++] = mcp_client_send(k);
    }
    for (size_t i = 0; i < n; i++) {
        const mcp_json *r;
        while (!(r = mcp_client_result(k, ids[i])) && mcp_client_failure(k)->status == MCP_PENDING)
            mcp_client_poll(k, 1000);
        must(r, "a call among others");
    }
}

static void read_all(void) {
    for (const mcp_json *r = mcp_first(list("resources")); r; r = mcp_next(r)) {
        mcp_client_read(k, mcp_get_str(r, "uri"));
        must(mcp_client_wait(k), mcp_get_str(r, "uri"));
    }
    for (const mcp_json *p = mcp_first(list("prompts")); p; p = mcp_next(p)) {
        mcp_client_prompt(k, mcp_get_str(p, "name"));
        must(mcp_client_wait(k), mcp_get_str(p, "name"));
    }
}

/* The calls that the suite asks for: {"toolCalls":[{"name":...,"arguments":{...}}]} */
static void call_told(const char *context) {
    static char copy[100000];
    const char *error;
    int status;
    list("tools");
    strncat(copy + MCP__PAD_BEFORE, context, sizeof copy - MCP__PAD_BEFORE - MCP__PAD);
    if (!mcp__json_check(copy + MCP__PAD_BEFORE, 256, NULL, &error, &status)) exit(1);
    const mcp_json *calls = mcp_get((const mcp_json *)(copy + MCP__PAD_BEFORE), "toolCalls");
    for (const mcp_json *c = mcp_first(calls); c; c = mcp_next(c)) {
        mcp_put_json(mcp_client_call(k, mcp_get_str(c, "name")), NULL, mcp_get(c, "arguments"));
        must(mcp_client_wait(k), mcp_get_str(c, "name"));
    }
}

static void echo_schema(void) {
    for (const mcp_json *t = mcp_first(list("tools")); t; t = mcp_next(t)) {
        if (strcmp(mcp_get_str(t, "name"), "json_schema_2020_12_tool")) continue;
        mcp_put_json(mcp_client_call(k, "json_schema_echo"), "schema", mcp_get(t, "inputSchema"));
        must(mcp_client_wait(k), "json_schema_echo");
    }
}

/* ---- skills: what is read is what was listed, or is not used ---- */

static bool same_digest(const char *text, size_t n, const char *listed) {
    unsigned char digest[32];
    char hex[80] = "sha256:";
    mcp__sha256 x;
    mcp__sha256_init(&x);
    mcp__sha256_add(&x, text, n);
    mcp__sha256_end(&x, digest);
    for (int i = 0; i < 32; i++) sprintf(hex + 7 + 2 * i, "%02x", digest[i]);
    return strcmp(hex, listed) == 0;
}

static bool same_front(const char *text, const mcp_json *front) {
    for (const mcp_json *m = mcp_first(front); m; m = mcp_next(m)) {
        mcp__str whole = mcp__str_of(text), value = mcp__front_matter(whole, mcp_key(m));
        if (!mcp__str_same(value, mcp__str_of(mcp_get_str(m, NULL)))) return false;
    }
    return true;
}

static void load_skills(void) {
    for (const mcp_json *s = mcp_first(list("skills")); s; s = mcp_next(s)) {
        for (const mcp_json *f = mcp_first(mcp_get(s, "resources")); f; f = mcp_next(f)) {
            const char *uri = mcp_get_str(f, "uri");
            size_t n;
            mcp_client_read(k, uri);
            const mcp_json *r = mcp_client_wait(k);
            must(r, uri);
            const char *text = mcp_get_strn(mcp_at(mcp_get(r, "contents"), 0), "text", &n);
            bool right = (int64_t)n == mcp_get_int(f, "size") &&
                         same_digest(text, n, mcp_get_str(f, "digest")) &&
                         (strcmp(uri, mcp_get_str(s, "uri")) ||
                          same_front(text, mcp_get(s, "frontmatter")));
            if (right) continue;
            fprintf(stderr, "%s is not what was listed\n", uri);
            exit(1);
        }
    }
}

static const char *variable(const char *name) {
    const char *value = getenv(name);
    return value ? value : "";
}

int main(int argc, char **argv) {
    const char *scenario = variable("MCP_CONFORMANCE_SCENARIO");
    const mcp__version *v = mcp__version_of(MCP__LEGACY | MCP__MODERN,
                                            variable("MCP_CONFORMANCE_PROTOCOL_VERSION"));
    mcp_client_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.name = "conformance";
    desc.url = argc > 1 ? argv[1] : NULL;
    desc.can = MCP_CAN_ASK | MCP_CAN_SAMPLE | MCP_CAN_ROOTS;
    desc.roots = "file:///home/me";
    desc.ask.func = answer;
    desc.log.func = mcp_log_stderr;
    desc.versions = v ? v->bit : 0;
    desc.timeout_ms = 20000;
    k = mcp_client_new(&desc);
    if (!k) return 1;
    if (has(scenario, "custom-headers")) call_told(variable("MCP_CONFORMANCE_CONTEXT"));
    else if (has(scenario, "preservation")) echo_schema();
    else if (has(scenario, "2322")) call_together();
    else if (has(scenario, "verify")) load_skills();
    else if (has(scenario, "prefetch")) list("skills");
    else if (has(scenario, "deref")) list("tools");
    else call_all();
    if (has(scenario, "standard-headers")) read_all();
    mcp_client_free(k);
    return 0;
}
