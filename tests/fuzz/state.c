/* state.c - what comes back from a client: only the state that was given, byte for byte, counts
   clang -g -O1 -fsanitize=fuzzer,address,undefined -I. -Itests tests/fuzz/state.c

   The input's first byte says what the rest of it does to a valid round: 0 replaces requestState,
   1 changes the state's bytes, 2 replaces inputResponses, 3 the arguments. */
#define MCP_IMPLEMENTATION
#include "fuzz.h"

static int ask(mcp_call *c) {
    static const mcp_arg form[] = { { .name = "n", .flags = MCP_REQUIRED }, { 0 } };
    int rc = mcp_ask(c, "a", "A?", form);
    if (rc) return rc;
    size_t n = 0;
    mcp_keep(c, mcp_get_strn(mcp_answer(c, "a"), "n", &n), 3);
    rc = mcp_ask(c, "b", "B?", form);
    return rc ? rc : mcp_text(c, "accepted");
}

static const mcp_arg args[] = { { .name = "x" }, { 0 } };
static const mcp_tool tools[] = { { .name = "t", .args = args, .call = ask }, { 0 } };
static bytes out, in, state;

static int take(void *user, const void *p, size_t n) {
    (void)user;
    bytes_add(&out, p, n);
    return MCP_OK;
}
static int64_t clock_of(void *user) {
    (void)user;
    return INT64_C(1785240000000000000);
}

static void add(const char *s) { bytes_add(&in, s, strlen(s)); }

/* One request on a connection of its own, so that no line that does not end stays for the next. */
static const char *play(mcp_server *s, const void *given, size_t given_n, const void *answers,
                        size_t answers_n, const void *x, size_t x_n) {
    mcp_write_hook hook = { take, NULL };
    mcp_conn *k = mcp_conn_new(s, MCP_LINES, hook);
    must(k != NULL);
    in.n = out.n = 0;
    add("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"t\","
        "\"arguments\":{\"x\":");
    bytes_add(&in, x, x_n);
    add("},\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
        "\"io.modelcontextprotocol/clientCapabilities\":{\"elicitation\":{}}},\"inputResponses\":");
    bytes_add(&in, answers, answers_n);
    if (given) add(",\"requestState\":"), bytes_add(&in, given, given_n);
    add("}}\n");
    must(mcp_feed(k, in.at, in.n) == MCP_OK);
    mcp_conn_free(k);
    bytes_add(&out, "", 1);
    return out.at;
}

static bool accepted(const char *answer) { return strstr(answer, "\"accepted\"") != NULL; }

#define A "{\"a\":{\"action\":\"accept\",\"content\":{\"n\":\"ann\"}}}"
#define B "{\"b\":{\"action\":\"accept\",\"content\":{\"n\":\"bob\"}}}"

static void keep_state(const char *answer) {
    const char *s = strstr(answer, "\"requestState\":");
    must(s != NULL);
    s = strchr(s, ':') + 1;
    state.n = 0;
    bytes_add(&state, s, (size_t)(strchr(s + 1, '"') + 1 - s));
}

/* Whether the text, read as JSON, is a string that says the state: escapes are no change. */
static bool says_state(const void *p, size_t n) {
    static bytes b;
    const char *s = mcp__json_space(padded(&b, p, n));
    size_t size = 0;
    const char *text = is_json(p, n, 64) && *s == '"' ? mcp__json_text(s, &size) : NULL;
    return text && size == state.n - 2 && !memcmp(text, state.at + 1, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char secret[] = "thirty-two bytes and some more of them";
    static mcp_server *s;
    static bytes changed;
    if (!s) {
        mcp_server_desc desc = { .name = "fuzz", .tools = tools, .clock = { clock_of, NULL },
                                 .secret = secret, .secret_size = sizeof secret };
        must((s = mcp_server_new(&desc)) != NULL);
        keep_state(play(s, NULL, 0, "{}", 2, "\"1\"", 3));
        keep_state(play(s, state.at, state.n, A, sizeof A - 1, "\"1\"", 3));
        must(accepted(play(s, state.at, state.n, B, sizeof B - 1, "\"1\"", 3)));
    }
    if (!size) return 0;
    int how = *data++ % 4;
    size--;
    for (size_t i = 0; i < size; i++) if (data[i] == '\n') return 0; /* a line is a message */
    changed.n = 0;
    if (how == 0) { /* not a value: another message, or none */
        if (!is_json(data, size, 64)) return 0;
        must(!accepted(play(s, data, size, B, sizeof B - 1, "\"1\"", 3)) || says_state(data, size));
    } else if (how == 1) { /* pairs: where, and how */
        bytes_add(&changed, state.at, state.n);
        for (size_t i = 0; i + 1 < size; i += 2)
            changed.at[1 + (data[i] * 7 + i) % (state.n - 2)] ^= (char)(data[i + 1] & 0x5F);
        if (memchr(changed.at, '\n', changed.n)) return 0;
        bool same = bytes_same(&changed, &state);
        if (!is_json(changed.at, changed.n, 64)) return 0;
        must(accepted(play(s, changed.at, changed.n, B, sizeof B - 1, "\"1\"", 3)) ==
             (same || says_state(changed.at, changed.n)));
    } else if (how == 2) { /* the first question is asked again, whatever its answer is now */
        if (!is_json(data, size, 64)) return 0;
        const char *answer = play(s, state.at, state.n, data, size, "\"1\"", 3);
        must(!strstr(answer, "requestState") || !strstr(answer, "\"A?\""));
        must(!accepted(answer) || memchr(data, 'n', size) || memchr(data, '\\', size));
    } else {
        static bytes b;
        size_t n = 0;
        if (!is_json(data, size, 64)) return 0;
        bool ok = accepted(play(s, state.at, state.n, B, sizeof B - 1, data, size));
        const char *v = mcp__json_space(padded(&b, data, size));
        const char *text = *v == '"' ? mcp__json_text(v, &n) : NULL;
        must(ok == (text && n == 1 && *text == '1'));
    }
    return 0;
}
