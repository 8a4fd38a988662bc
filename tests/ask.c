/* ask.c - asking back: forms, models and roots; the same handlers in rounds and by requests */
#include "unit.h"

/* ---- one handler for all, and both ways to answer it ---- */

static int (*body)(mcp_call *c); /* what the tool, prompt or resource does */
static unsigned runs;

static int go(mcp_call *c) {
    runs++;
    return body(c);
}

static const mcp_arg x_args[] = { { .name = "x" }, { .name = "y" }, { 0 } };
static const mcp_arg z_args[] = { { .name = "z" }, { 0 } };
static const mcp_tool tools[] = {
    { .name = "t", .args = x_args, .call = go }, { .name = "u", .args = x_args, .call = go },
    { 0 } };
static const mcp_prompt prompts[] = { { .name = "p", .args = x_args, .get = go }, { 0 } };
static const mcp_resource resources[] = {
    { .uri = "r://one", .read = go }, { .uri = "r://{z}", .read = go, .args = z_args }, { 0 } };

static const char secret[] = "a secret of thirty-two bytes or more";

/* What the client says that it can, and what it asks for: members of params. */
#define ALL J({"elicitation":{"form":{},"url":{}},"sampling":{"tools":{}},"roots":{}})
static const char *can, *method, *target;
static char state[8192];         /* the last requestState, as JSON; or "" */
static char last[32768];         /* the last request, without its end */

static void begin(int (*what)(mcp_call *c)) {
    fresh();
    desc.tools = tools;
    desc.prompts = prompts;
    desc.resources = resources;
    desc.secret = secret;
    desc.secret_size = sizeof secret;
    body = what;
    runs = 0;
    can = ALL;
    method = "tools/call";
    target = "\"name\":\"t\"";
    *state = 0;
    start();
}

/* 2026-07-28: a request with these further members, each followed by a comma. */
static const char *sends(const char *more) {
    snprintf(last, sizeof last, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":{%s,%s"
             "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
             "\"io.modelcontextprotocol/clientCapabilities\":%s}}}", method, target, more, can);
    const char *out = ask(last);
    const char *came = part(part(out, "result"), "requestState");
    if (*came) snprintf(state, sizeof state, "%s", came);
    return out;
}
static const char *answers(const char *responses) {
    return sends(text_of("\"inputResponses\":%s,\"requestState\":%s,", responses, state, ""));
}

/* Older ones. */
static void greets(const char *version) {
    ask(text_of("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
                "\"protocolVersion\":\"%s\",\"capabilities\":%s,\"clientInfo\":{\"name\":\"c\","
                "\"version\":\"1\"}}}", version, can, ""));
    CHECK(strstr(w.out.at, version) != NULL);
    ask(J({"jsonrpc":"2.0","method":"notifications/initialized"}));
}
static const char *calls(const char *id) {
    return ask(text_of("{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"%s\",\"params\":{%s}}",
                       id, method, target));
}
static const char *replies(const char *id, const char *result) {
    return ask(text_of("{\"jsonrpc\":\"2.0\",\"id\":\"%s\",\"result\":%s%s}", id, result, ""));
}
static const char *errs(const char *id, const char *error) {
    return ask(text_of("{\"jsonrpc\":\"2.0\",\"id\":\"%s\",\"error\":%s%s}", id, error, ""));
}

/* Parts of answers. */
static const char *question(const char *out, const char *key) {
    return part(part(part(out, "result"), "inputRequests"), key);
}
static const char *params_of(const char *out, const char *key) {
    return part(question(out, key), "params");
}
static const char *content(const char *out) { return part(part(out, "result"), "content"); }
static const char *code(const char *out) { return part(part(out, "error"), "code"); }
static const char *text(const char *s) {
    return text_of("[{\"type\":\"text\",\"text\":\"%s\"}]", s, "", "");
}
#define DONE_AS(out, what) CHECK_STR(content(out), text(what))
#define ACCEPT(...) "{\"action\":\"accept\",\"content\":" #__VA_ARGS__ "}"
#define ANN "{\"who\":" ACCEPT({"name":"Ann"}) "}"
#define NO J({"action":"decline"})
#define CANCEL J({"action":"cancel"})
#define CANCELLED(id) "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"," \
    "\"params\":{\"requestId\":\"" id "\"}}"

static const mcp_arg name_form[] = { { .name = "name", .flags = MCP_REQUIRED }, { 0 } };
static const mcp_arg age_form[] = {
    { .name = "age", .type = MCP_INTEGER, .flags = MCP_REQUIRED, .min = "1", .max = "99" }, { 0 } };

static int ask_name(mcp_call *c) {
    int rc = mcp_ask(c, "who", "Name?", name_form);
    if (rc) return rc;
    return mcp_textf(c, "Hello, %s!", mcp_get_str(mcp_answer(c, "who"), "name"));
}

/* ---- HMAC ---- */

static const char *hmac(const char *key, size_t n, const char *data, size_t size) {
    unsigned char mac[32];
    static char hex[65];
    inside_hmac(key, n, data, size, mac);
    for (int i = 0; i < 32; i++) snprintf(hex + 2 * i, 3, "%02x", mac[i]);
    return hex;
}

TEST(hmac_sha_256) { /* RFC 4231, all seven; the fifth is cut to 128 bits there */
    char a[131], b[50], k[25];
    const char *s = "what do ya want for nothing?";
    memset(a, 0x0b, 20);
    CHECK_STR(hmac(a, 20, "Hi There", 8),
              "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    CHECK_STR(hmac("Jefe", 4, s, strlen(s)),
              "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    memset(a, 0xaa, sizeof a);
    memset(b, 0xdd, sizeof b);
    CHECK_STR(hmac(a, 20, b, 50),
              "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
    for (int i = 0; i < 25; i++) k[i] = (char)(i + 1);
    memset(b, 0xcd, sizeof b);
    CHECK_STR(hmac(k, 25, b, 50),
              "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b");
    memset(b, 0x0c, 20);
    s = "Test With Truncation";
    CHECK_MEM(hmac(b, 20, s, strlen(s)), 32, "a3b6167473100ee06e0c796c2955552b", 32);
    s = "Test Using Larger Than Block-Size Key - Hash Key First";
    CHECK_STR(hmac(a, 131, s, strlen(s)),
              "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
    s = "This is a test using a larger than block-size key and a larger than block-size data. "
        "The key needs to be hashed before being used by the HMAC algorithm.";
    CHECK_STR(hmac(a, 131, s, strlen(s)),
              "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2");
}

/* ---- forms ---- */

static const mcp_arg every_form[] = {
    { .name = "text", .desc = "a text", .def = "abc", .min_length = 2, .max_length = 5,
      .title = "Text" },
    { .name = "mail", .format = "email" },
    { .name = "real", .type = MCP_NUMBER, .def = "1.5", .min = "0.5", .max = "9.5" },
    { .name = "whole", .type = MCP_INTEGER, .flags = MCP_REQUIRED, .def = "3", .min = "1",
      .max = "10" },
    { .name = "yes", .type = MCP_BOOLEAN, .def = "true" },
    { .name = "one", .def = "a", .choices = "a|b" },
    { .name = "titled", .flags = MCP_REQUIRED, .choices = "a|b", .labels = "A|B" }, { 0 } };
static const mcp_arg several_form[] = {
    { .name = "many", .type = MCP_ARRAY, .def = "[\"a\"]", .choices = "a|b|c", .min_items = 1,
      .max_items = 2 },
    { .name = "titled", .type = MCP_ARRAY, .choices = "a|b", .labels = "A|B", .title = "T" },
    { 0 } };

static int ask_every(mcp_call *c) {
    int rc = mcp_ask(c, "f", "Fill it in", every_form);
    return rc ? rc : mcp_text(c, "ok");
}
static int ask_several(mcp_call *c) {
    int rc = mcp_ask(c, "f", "Pick", several_form);
    return rc ? rc : mcp_textf(c, "%lu", (unsigned long)mcp_count(mcp_get(mcp_answer(c, "f"),
                                                                           "many")));
}

#define NEW_FORM J("message":"Fill it in","requestedSchema":{"type":"object","properties":{) \
    J("text":{"type":"string","minLength":2,"maxLength":5,"title":"Text",) \
    J("description":"a text","default":"abc"},) \
    J("mail":{"type":"string","format":"email"},) \
    J("real":{"type":"number","minimum":0.5,"maximum":9.5,"default":1.5},) \
    J("whole":{"type":"integer","minimum":1,"maximum":10,"default":3},) \
    J("yes":{"type":"boolean","default":true},) \
    J("one":{"type":"string","enum":["a","b"],"default":"a"},) \
    J("titled":{"type":"string","oneOf":[{"const":"a","title":"A"},{"const":"b","title":"B"}]}},) \
    J("required":["whole","titled"]}})

TEST(form_of_each_version) { /* every kind of property in the words that the version knows */
    begin(ask_every);
    CHECK_STR(question(sends(""), "f"),
              "{\"method\":\"elicitation/create\",\"params\":{\"mode\":\"form\"," NEW_FORM "}");
    greets("2025-11-25");
    CHECK_STR(calls("7"), "{\"jsonrpc\":\"2.0\",\"id\":\"mcp-1\",\"method\":\"elicitation/create\","
              "\"params\":{\"mode\":\"form\"," NEW_FORM "}");
    greets("2025-06-18");
    CHECK_STR(part(part(calls("8"), "params"), "requestedSchema"),
        J({"type":"object","properties":{"text":{"type":"string","minLength":2,"maxLength":5,)
        J("title":"Text","description":"a text"},"mail":{"type":"string","format":"email"},)
        J("real":{"type":"number","minimum":0.5,"maximum":9.5},)
        J("whole":{"type":"integer","minimum":1,"maximum":10},)
        J("yes":{"type":"boolean","default":true},"one":{"type":"string","enum":["a","b"]},)
        J("titled":{"type":"string","enum":["a","b"],"enumNames":["A","B"]}},)
        J("required":["whole","titled"]}));
    CHECK_STR(part(w.out.at, "id"), "\"mcp-2\"");
    CHECK_STR(part(part(w.out.at, "params"), "mode"), "");
    stop();
}

static const mcp_arg raw_form[] = {
    { .name = "n", .flags = MCP_REQUIRED, .schema = "{\"type\":\"integer\",\"multipleOf\":3}" },
    { 0 } };
static int ask_raw(mcp_call *c) {
    int rc = mcp_ask(c, "f", "Three times what?", raw_form);
    return rc ? rc : mcp_textf(c, "%d", (int)mcp_get_int(mcp_answer(c, "f"), "n"));
}

TEST(form_of_raw_schemas) { /* as they stand, in every version */
    static const char form[] = J({"type":"object","properties":{"n":{"type":"integer",)
                               J("multipleOf":3}},"required":["n"]});
    begin(ask_raw);
    CHECK_STR(part(params_of(sends(""), "f"), "requestedSchema"), form);
    DONE_AS(answers("{\"f\":" ACCEPT({"n":9}) "}"), "9");
    greets("2025-06-18");
    CHECK_STR(part(part(calls("7"), "params"), "requestedSchema"), form);
    DONE_AS(replies("mcp-1", ACCEPT({"n":9})), "9");
    stop();
}

TEST(form_of_several) { /* choices of several: two versions know them, one fails politely */
    static const char form[] =
        J({"type":"object","properties":{"many":{"type":"array","minItems":1,"maxItems":2,)
        J("items":{"type":"string","enum":["a","b","c"]},"default":["a"]},)
        J("titled":{"type":"array","items":{"anyOf":[{"const":"a","title":"A"},)
        J({"const":"b","title":"B"}]},"title":"T"}}});
    begin(ask_several);
    CHECK_STR(part(params_of(sends(""), "f"), "requestedSchema"), form);
    DONE_AS(answers("{\"f\":" ACCEPT({"many":["a","c"]}) "}"), "2");
    greets("2025-11-25");
    CHECK_STR(part(part(calls("7"), "params"), "requestedSchema"), form);
    DONE_AS(replies("mcp-1", ACCEPT({"many":["b"]})), "1");
    greets("2025-06-18");
    const char *r = part(calls("8"), "result");
    CHECK_STR(part(r, "isError"), "true");
    CHECK_STR(part(r, "content"),
              text("This needs a client that supports elicitation (choices of several)"));
    stop();
}

TEST(several_are_checked) { /* too few, too many, none of the choices, none of the type */
    static const char *const bad[] = {
        J({"many":[]}), J({"many":["a","b","c"]}), J({"many":["d"]}), J({"many":"a"}),
        J({"many":[1]}), J({"titled":["A"]}) };
    begin(ask_several);
    sends("");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK(*question(answers(text_of("{\"f\":{\"action\":\"accept\",\"content\":%s}}", bad[i],
                                        "", "")), "f"));
    CHECK_INT(runs, 1 + sizeof bad / sizeof *bad);
    DONE_AS(answers("{\"f\":" ACCEPT({"titled":["a","b"]}) "}"), "0");
    stop();
}

TEST(form_is_checked) { /* what does not fit is asked again, in both eras alike */
    static const char *const bad[] = {
        J({"titled":"a","whole":0}), J({"titled":"a","whole":11}), J({"titled":"a","whole":1.5}),
        J({"titled":"a","whole":"1"}), J({"titled":"c","whole":1}), J({"whole":1}),
        J({"titled":"a","whole":1,"text":"a"}), J({"titled":"a","whole":1,"text":"abcdef"}),
        J({"titled":"a","whole":1,"yes":1}), J({"titled":"a","whole":1,"real":10}),
        J({"titled":"a","whole":1,"one":null}), "[]", "null", "1", "\"accept\"" };
    static const char *const odd[] = {
        J({"action":"maybe","content":{"titled":"a","whole":1}}), J({"action":1}), "{}", "[]",
        "null", "\"accept\"", "7", "true", J({"content":{"titled":"a","whole":1}}),
        J({"action":null}) };
    const size_t bads = sizeof bad / sizeof *bad, odds = sizeof odd / sizeof *odd;
    for (int modern = 0; modern < 2; modern++) {
        char id[16] = "";
        begin(ask_every);
        if (modern) sends("");
        else greets("2025-11-25"), calls("7");
        for (size_t i = 0; i < bads + odds; i++) {
            const char *a = i < bads ? text_of("{\"action\":\"accept\",\"content\":%s}", bad[i], "",
                                               "") : odd[i - bads];
            snprintf(id, sizeof id, "mcp-%d", (int)i + 1);
            const char *out = modern ? answers(text_of("{\"f\":%s}", a, "", "")) : replies(id, a);
            snprintf(id, sizeof id, "\"mcp-%d\"", (int)i + 2);
            if (!(modern ? CHECK(*question(out, "f")) : CHECK_STR(part(out, "id"), id)))
                printf("    after %s\n", a);
        }
        CHECK_INT(runs, bads + odds + 1);
        snprintf(id, sizeof id, "mcp-%d", (int)(bads + odds) + 1);
        const char *a = ACCEPT({"titled":"a","whole":1,"more":[2],"text":"\u00e9\u00e9"});
        DONE_AS(modern ? answers(text_of("{\"f\":%s}", a, "", "")) : replies(id, a), "ok");
        stop();
    }
}

static int say_status(mcp_call *c) { /* what the author sees */
    int rc = mcp_ask(c, "who", "Name?", name_form);
    if (rc == MCP_PENDING) return rc;
    return mcp_textf(c, "%d %s", rc, mcp_get_str(mcp_answer(c, "who"), "name"));
}

TEST(accept_decline_cancel) {
    begin(say_status);
    sends("");
    DONE_AS(answers("{\"who\":" ACCEPT({"name":"Ann"}) "}"), "0 Ann");
    DONE_AS(answers("{\"who\":" NO "}"), "-4 ");
    DONE_AS(answers("{\"who\":" CANCEL "}"), "-4 ");
    greets("2025-06-18");
    calls("1");
    DONE_AS(replies("mcp-1", ACCEPT({"name":"Ann"})), "0 Ann");
    calls("1");
    DONE_AS(replies("mcp-2", NO), "-4 ");
    calls("1");
    DONE_AS(replies("mcp-3", CANCEL), "-4 ");
    calls("1");
    DONE_AS(errs("mcp-4", J({"code":-1,"message":"User rejected"})), "-4 ");
    calls("1");
    DONE_AS(errs("mcp-5", J({"code":-32603,"message":"broken"})), "-9 ");
    stop();
}

TEST(declined_and_returned) { /* the model is told, in words */
    begin(ask_name);
    sends("");
    const char *r = part(answers("{\"who\":" NO "}"), "result");
    CHECK_STR(part(r, "isError"), "true");
    CHECK_STR(part(r, "content"), text("the user said no"));
    greets("2025-11-25");
    calls("1");
    r = part(replies("mcp-1", NO), "result");
    CHECK_STR(part(r, "isError"), "true");
    CHECK_STR(part(r, "content"), text("the user said no"));
    stop();
}

static int nested(mcp_call *c) {
    static const mcp_arg inner[] = { { .name = "o", .type = MCP_OBJECT }, { 0 } };
    return mcp_ask(c, "f", "m", inner);
}
static int wrong(mcp_call *c) {
    static const mcp_arg inner[] = { { .name = "o", .type = MCP_INTEGER, .def = "x" }, { 0 } };
    return mcp_ask(c, "f", "m", inner);
}
static int keyless(mcp_call *c) { return mcp_ask(c, "", "m", name_form); }

TEST(forms_that_are_wrong) { /* the call fails, and nobody is asked */
    int (*const bodies[])(mcp_call *c) = { nested, wrong, keyless };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        begin(bodies[i]);
        CHECK_STR(part(part(sends(""), "result"), "isError"), "true");
        greets("2025-11-25");
        CHECK_STR(part(part(calls("1"), "result"), "isError"), "true");
        stop();
    }
}

/* ---- rounds ---- */

static int two_at_once(mcp_call *c) {
    int a = mcp_ask(c, "who", "Name?", name_form), b = mcp_ask(c, "age", "Age?", age_form);
    if (a || b) return a ? a : b;
    return mcp_textf(c, "%s %d", mcp_get_str(mcp_answer(c, "who"), "name"),
                     (int)mcp_get_int(mcp_answer(c, "age"), "age"));
}
static int one_by_one(mcp_call *c) {
    int rc = mcp_ask(c, "who", "Name?", name_form);
    if (rc) return rc;
    const char *name = mcp_get_str(mcp_answer(c, "who"), "name");
    rc = mcp_ask(c, "age", mcp_format(c, "How old are you, %s?", name), age_form);
    if (rc) return rc;
    return mcp_textf(c, "%s %d %s", name, (int)mcp_get_int(mcp_answer(c, "age"), "age"),
                     mcp_arg_str(c, "x"));
}

TEST(several_in_one_round) {
    begin(two_at_once);
    const char *out = sends("");
    CHECK_STR(part(params_of(out, "who"), "message"), "\"Name?\"");
    CHECK_STR(part(params_of(out, "age"), "message"), "\"Age?\"");
    CHECK_STR(part(part(out, "result"), "resultType"), "\"input_required\"");
    DONE_AS(answers("{\"age\":" ACCEPT({"age":7}) ",\"who\":" ACCEPT({"name":"Ann"}) "}"), "Ann 7");
    CHECK_INT(runs, 2);
    greets("2025-11-25");
    calls("1");
    const char *second = strchr(w.out.at, '\n');
    CHECK(second && strstr(second, "Age?") != NULL);
    CHECK_STR(replies("mcp-2", ACCEPT({"age":7})), "");
    CHECK_INT(runs, 3);
    DONE_AS(replies("mcp-1", ACCEPT({"name":"Ann"})), "Ann 7");
    CHECK_INT(runs, 4);
    stop();
}

TEST(missing_answers) { /* what was answered stays, the rest is asked again */
    begin(two_at_once);
    sends("");
    const char *out = answers("{\"who\":" ACCEPT({"name":"Ann"}) "}");
    CHECK_STR(question(out, "who"), "");
    CHECK(*question(out, "age"));
    out = answers("{}");
    CHECK_STR(question(out, "who"), "");
    CHECK(*question(out, "age"));
    DONE_AS(answers("{\"age\":" ACCEPT({"age":7}) "}"), "Ann 7");
    stop();
}

TEST(bad_beside_good) { /* only the bad one is asked again; what it said is forgotten */
    begin(two_at_once);
    sends("");
    const char *out = answers("{\"age\":" ACCEPT({"age":100}) ",\"who\":" ACCEPT({"name":"A"}) "}");
    CHECK_STR(question(out, "who"), "");
    CHECK(*question(out, "age"));
    CHECK(*question(answers("{}"), "age"));
    DONE_AS(answers("{\"age\":" ACCEPT({"age":7}) "}"), "A 7");
    greets("2025-11-25");
    calls("1");
    CHECK_STR(replies("mcp-1", ACCEPT({"name":"A"})), "");
    CHECK_STR(part(replies("mcp-2", ACCEPT({"age":100})), "id"), "\"mcp-3\"");
    DONE_AS(replies("mcp-3", ACCEPT({"age":7})), "A 7");
    stop();
}

/* The server goes, another process with the same secret goes on. */
static void elsewhere(void) {
    mcp_server_desc was = desc;
    stop();
    desc = was;
    start();
}

TEST(same_end_in_every_version) { /* a fresh server for each round, a parked call, the same end */
    static const char *const older[] = { "2025-11-25", "2025-06-18" };
    begin(one_by_one);
    target = J("name":"t","arguments":{"x":"z"});
    sends("");
    elsewhere();
    const char *out = answers("{\"who\":" ACCEPT({"name":"Ann"}) "}");
    CHECK_STR(part(params_of(out, "age"), "message"), "\"How old are you, Ann?\"");
    CHECK_STR(question(out, "who"), "");
    elsewhere();
    DONE_AS(answers("{\"age\":" ACCEPT({"age":7}) "}"), "Ann 7 z");
    for (size_t i = 0; i < sizeof older / sizeof *older; i++) {
        elsewhere();
        greets(older[i]);
        calls("1");
        out = replies("mcp-1", ACCEPT({"name":"Ann"}));
        CHECK_STR(part(part(out, "params"), "message"), "\"How old are you, Ann?\"");
        DONE_AS(replies("mcp-2", ACCEPT({"age":7})), "Ann 7 z");
    }
    stop();
}

TEST(escapes_in_keys_and_answers) { /* any text goes through the state and comes back the same */
    begin(one_by_one);
    sends("");
    answers("{\"\\u0077ho\":" ACCEPT({"na\u006de":"A\"\\\n\u00e9\ud83d\ude00"}) "}");
    CHECK(strstr(w.out.at, "How old are you, A\\\"\\\\\\n\xC3\xA9\xF0\x9F\x98\x80?") != NULL);
    const char *out = answers("{\"age\":" ACCEPT({"age":7}) "}");
    CHECK_STR(content(out), text("A\\\"\\\\\\n\xC3\xA9\xF0\x9F\x98\x80 7 "));
    stop();
}

/* ---- what a run leaves ---- */

static int says_before(mcp_call *c) { /* a part of the result, before it asks */
    mcp_text(c, "a");
    mcp_put_int(mcp_structured(c), "n", 1);
    mcp_put_int(mcp_result_meta(c), "m", 1);
    int rc = mcp_ask(c, "who", "Name?", name_form);
    return rc ? rc : mcp_text(c, "b");
}

TEST(said_before_asking) { /* is said by the last run alone */
    begin(says_before);
    CHECK(!strstr(sends(""), "\"m\":1"));
    CHECK_STR(part(part(w.out.at, "result"), "content"), "");
    const char *both = J([{"type":"text","text":"a"},{"type":"text","text":"b"}]);
    const char *r = part(answers(ANN), "result");
    CHECK_STR(part(r, "content"), both);
    CHECK_STR(part(r, "structuredContent"), J({"n":1}));
    CHECK_STR(part(part(r, "_meta"), "m"), "1");
    greets("2025-11-25");
    calls("1");
    r = part(replies("mcp-1", ACCEPT({"name":"Ann"})), "result");
    CHECK_STR(part(r, "content"), both);
    CHECK_STR(part(r, "structuredContent"), J({"n":1}));
    CHECK_STR(part(r, "_meta"), J({"m":1}));
    stop();
}

static int says_much(mcp_call *c) { /* so that it is out */
    static char kilobyte[1024];
    memset(kilobyte, 'k', sizeof kilobyte);
    mcp_block_begin(c, MCP_TEXT, NULL);
    for (int i = 0; i < 8; i++) mcp_block_write(c, kilobyte, sizeof kilobyte);
    mcp_block_end(c);
    return ask_name(c);
}

TEST(asked_too_late) { /* the line ends well, and nobody is asked */
    begin(says_much);
    stop();
    desc.limits.spill = 1024;
    start();
    const char *out = sends("");
    CHECK(harness_is_message(out, strlen(out)));
    CHECK_STR(part(part(out, "result"), "isError"), "true");
    greets("2025-11-25");
    out = calls("1");
    CHECK(harness_is_message(out, strlen(out)));
    CHECK_STR(part(part(out, "result"), "isError"), "true");
    CHECK(!strstr(out, "elicitation"));
    stop();
}

static int asks_and_goes_on(mcp_call *c) {
    mcp_ask(c, "who", "Name?", name_form);
    return mcp_text(c, "done");
}
static int asks_twice(mcp_call *c) {
    mcp_ask(c, "who", "Name?", name_form);
    return mcp_ask(c, "who", "Name, again?", name_form);
}

TEST(asked_and_not_waited_for) { /* nobody is asked */
    begin(asks_and_goes_on);
    DONE_AS(sends(""), "done");
    greets("2025-11-25");
    DONE_AS(calls("1"), "done");
    CHECK(!strchr(w.out.at, '\n'));
    stop();
}

TEST(asked_twice_in_one_run) { /* is asked once, in the first words */
    begin(asks_twice);
    CHECK_STR(part(params_of(sends(""), "who"), "message"), "\"Name?\"");
    CHECK(!strstr(w.out.at, "again"));
    greets("2025-11-25");
    CHECK_STR(part(part(calls("1"), "params"), "message"), "\"Name?\"");
    CHECK(!strchr(w.out.at, '\n'));
    stop();
}

/* ---- what travels with the call ---- */

static int counts(mcp_call *c) { /* how often it ran, without a question */
    int n = 0;
    size_t had = mcp_kept(c, &n, sizeof n);
    if (had && had != sizeof n) return mcp_fail(c, "another size");
    if (n == 3) return mcp_text(c, "three");
    n++;
    int rc = mcp_keep(c, &n, sizeof n);
    return rc ? rc : MCP_PENDING;
}
static int keeps(mcp_call *c) { /* and with one */
    char bytes[64] = "";
    size_t n = mcp_kept(c, bytes, 4);
    int rc = n ? MCP_OK : mcp_keep(c, "\0\xFFkept\0", 7);
    if (rc || (rc = mcp_ask(c, "who", "Name?", name_form)) != MCP_OK) return rc;
    size_t after = mcp_kept(c, NULL, 0);
    return mcp_textf(c, "%d %d %d%d", (int)n, (int)after, !memcmp(bytes, "\0\xFFke", 4), bytes[4]);
}

TEST(kept) { /* bytes of any kind; what does not fit is cut, its size is told */
    begin(keeps);
    sends("");
    elsewhere();
    DONE_AS(answers("{\"who\":" ACCEPT({"name":"Ann"}) "}"), "7 7 10");
    greets("2025-11-25");
    calls("1");
    DONE_AS(replies("mcp-1", ACCEPT({"name":"Ann"})), "7 7 10");
    stop();
}

TEST(kept_alone) { /* no question: the client comes again; an older one waits a second */
    begin(counts);
    for (int i = 0; i < 3; i++) {
        const char *r = part(i ? answers("{}") : sends(""), "result");
        CHECK_STR(part(r, "resultType"), "\"input_required\"");
        CHECK_STR(part(r, "inputRequests"), "");
        elsewhere();
    }
    DONE_AS(sends(text_of("\"requestState\":%s,", state, "", "")), "three");
    greets("2025-11-25");
    CHECK_STR(calls("1"), "");
    w.out.n = 0;
    for (int i = 0; i < 5 && !w.out.n; i++) {
        int64_t left = mcp_poll(w.server);
        CHECK(w.out.n || (left >= 0 && left <= INT64_C(1000000000)));
        w.now += INT64_C(1000000000);
    }
    CHECK_INT(runs, 8);
    harness_add(&w.out, "", 0);
    DONE_AS(w.out.at, "three");
    stop();
}

static int insists(mcp_call *c) { /* answered, and nothing else to wait for */
    int rc = mcp_ask(c, "who", "Name?", name_form);
    return rc ? rc : MCP_PENDING;
}

TEST(pending_for_nothing) { /* is the author's mistake, in both eras */
    begin(insists);
    sends("");
    CHECK_STR(part(part(answers(ANN), "result"), "isError"), "true");
    greets("2025-11-25");
    calls("1");
    CHECK_STR(part(part(replies("mcp-1", ACCEPT({"name":"A"})), "result"), "isError"), "true");
    stop();
}

/* ---- a state that is not what was given ---- */

#define REFUSES(out) \
    CHECK_STR(part(out, "error"), J({"code":-32602,"message":"Invalid requestState"}))

TEST(state_changed) { /* any bit of it, any part of it, anything else */
    static const char *const others[] = { "\"\"", "\"AAAA\"", "1", "null", "true", "[]", "{}",
                                          "\"-TAMPERED\"" };
    begin(ask_name);
    sends("");
    char was[sizeof state];
    strcpy(was, state);
    size_t n = strlen(was);
    for (size_t i = 1; i + 1 < n; i++) {
        strcpy(state, was);
        state[i] = state[i] == 'A' ? 'B' : 'A';
        REFUSES(answers(ANN));
    }
    for (size_t i = 1; i + 1 < n; i++) {
        snprintf(state, sizeof state, "%.*s\"", (int)i, was);
        REFUSES(answers(ANN));
    }
    snprintf(state, sizeof state, "%.*s-TAMPERED\"", (int)n - 1, was);
    REFUSES(answers(ANN));
    snprintf(state, sizeof state, "%.*s%s", (int)n - 1, was, was + 1);
    REFUSES(answers(ANN));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        strcpy(state, others[i]);
        REFUSES(answers(ANN));
    }
    strcpy(state, was);
    CHECK_INT(runs > 100, true);
    DONE_AS(answers(ANN), "Hello, Ann!");
    stop();
}

TEST(state_of_another_request) { /* tool, arguments, principal, method, secret */
    begin(ask_name);
    target = J("name":"t","arguments":{"x":"1","y":"2"});
    sends("");
    char was[sizeof state];
    strcpy(was, state);
    static const char *const others[] = {
        J("name":"u","arguments":{"x":"1","y":"2"}), J("name":"t","arguments":{"x":"1","y":"3"}),
        J("name":"t","arguments":{"x":"1"}), J("name":"t"), J("name":"t","arguments":{}),
        J("name":"t","arguments":{"x":"12","y":""}), J("name":"t","arguments":{"x":"2","y":"1"}) };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        target = others[i];
        REFUSES(answers(ANN));
    }
    method = "prompts/get";
    target = J("name":"p","arguments":{"x":"1","y":"2"});
    REFUSES(answers(ANN));
    method = "tools/call";
    target = J("name":"t","arguments":{"x":"1","y":"2"});
    CHECK_INT(mcp_conn_identify(w.conn, "mallory"), MCP_OK);
    REFUSES(answers(ANN));
    stop();
    desc.secret = "a secret of thirty-two bytes or less";
    start();
    REFUSES(answers(ANN));
    stop();
    desc.secret = secret;
    start();
    DONE_AS(answers(ANN), "Hello, Ann!");
    stop();
    desc.secret = NULL; /* random: of one server */
    desc.secret_size = 0;
    start();
    REFUSES(answers(ANN));
    sends("");
    DONE_AS(answers(ANN), "Hello, Ann!");
    stop();
}

TEST(state_of_a_principal) {
    begin(ask_name);
    mcp_conn_identify(w.conn, "ann");
    sends("");
    mcp_conn_identify(w.conn, "bob");
    REFUSES(answers(ANN));
    mcp_conn_identify(w.conn, "ann");
    DONE_AS(answers(ANN), "Hello, Ann!");
    stop();
}

TEST(state_says_the_same) { /* other white space, other escapes: the same arguments */
    begin(ask_name);
    target = J("name":"t","arguments":{"x":"a\u00e9/","y":"\n"});
    sends("");
    target = "\"name\" : \"\\u0074\" , \"arguments\" : { \"\\u0078\" : \"\\u0061\xC3\xA9\\/\" ,"
             "\t\"y\" : \"\\u000a\" } ";
    DONE_AS(answers(ANN), "Hello, Ann!");
    stop();
}

TEST(state_expires) { /* by the clock, after ask_ms */
    begin(ask_name);
    sends("");
    w.now += INT64_C(599) * 1000000000;
    DONE_AS(answers(ANN), "Hello, Ann!");
    w.now += INT64_C(2) * 1000000000;
    REFUSES(answers(ANN));
    stop();
    desc.ask_ms = 50;
    start();
    sends("");
    DONE_AS(answers(ANN), "Hello, Ann!");
    w.now += 51000000;
    REFUSES(answers(ANN));
    stop();
}

TEST(never_asked) { /* answers under other keys count for nothing; a state is not needed */
    begin(one_by_one);
    CHECK(*question(sends("\"inputResponses\":" ANN ","), "age"));
    CHECK(*question(sends(""), "who"));
    const char *out = answers("{\"age\":" ACCEPT({"age":7}) ",\"who\":" ACCEPT({"name":"Ann"})
                              ",\"more\":1}");
    CHECK(*question(out, "age")); /* its answer came before it was asked */
    CHECK_STR(question(out, "who"), "");
    out = answers("{\"who\":" ACCEPT({"name":"Eve"}) ",\"age\":" ACCEPT({"age":7}) "}");
    DONE_AS(out, "Ann 7 "); /* it was answered before */
    stop();
}

TEST(responses_of_other_types) { /* no answers: asked again */
    static const char *const odd[] = { "null", "1", "[]", "\"who\"", "true", "[{\"who\":1}]" };
    begin(ask_name);
    sends("");
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        CHECK(*question(answers(odd[i]), "who"));
        CHECK(*question(sends(text_of("\"inputResponses\":%s,", odd[i], "", "")), "who"));
    }
    CHECK(*question(sends(text_of("\"requestState\":%s,", state, "", "")), "who"));
    DONE_AS(answers(ANN), "Hello, Ann!");
    stop();
}

static int no_random(void *user, void *bytes, size_t n) {
    (void)user;
    (void)bytes;
    (void)n;
    return MCP_IO;
}

TEST(no_random_bytes) { /* nothing can be sealed: the call fails, in one message */
    begin(ask_name);
    stop();
    harness_world_init(&w, NULL, &desc);
    w.desc.secret = NULL;
    w.desc.secret_size = 0;
    w.desc.random.func = no_random;
    if (!CHECK(harness_open(&w))) return;
    const char *out = sends("");
    CHECK(harness_is_message(out, strlen(out)));
    CHECK_STR(part(part(out, "result"), "isError"), "true");
    CHECK_STR(part(part(out, "result"), "requestState"), "");
    stop();
}

/* ---- what a client lacks ---- */

static const mcp_tool model_tools[] = {
    { .name = "w", .desc = "weather", .args = x_args }, { .name = "v" }, { 0 } };
static const mcp_sampling plain = { .prompt = "q" }, armed = { .prompt = "q",
                                                               .tools = model_tools };
static const mcp_sampling *what;

static int sample(mcp_call *c) {
    int rc = mcp_sample(c, "llm", what);
    if (rc == MCP_PENDING || rc == MCP_UNSUPPORTED) return rc;
    const mcp_json *m = mcp_answer(c, "llm");
    return mcp_textf(c, "%d %s %s", rc, mcp_get_str(m, "model"),
                     mcp_get_str(mcp_get(m, "content"), "text"));
}
static int sign_in(mcp_call *c) {
    int rc = mcp_ask_url(c, "auth", "Sign in", "https://s.example/login");
    return rc ? rc : mcp_text(c, "in");
}
static int list_roots(mcp_call *c) {
    int rc = mcp_roots(c, "dirs");
    if (rc) return rc;
    const mcp_json *first = mcp_first(mcp_answer(c, "dirs"));
    return mcp_textf(c, "%d %s", (int)mcp_count(mcp_answer(c, "dirs")),
                     mcp_get_str(first, "uri"));
}
static int needs_both(mcp_call *c) {
    int a = mcp_roots(c, "dirs"), b = mcp_ask(c, "who", "Name?", name_form);
    return a ? a : b;
}
static int needs_all(mcp_call *c) {
    int a = sign_in(c), b = needs_both(c);
    mcp_sample(c, "armed", &armed);
    mcp_sample(c, "plain", &plain);
    return a ? a : b;
}

static const struct { int (*body)(mcp_call *c); const mcp_sampling *what;
                      const char *has, *needs, *text; } lacking[] = {
    { ask_name, NULL, "{}", J({"elicitation":{}}), "elicitation" },
    { ask_name, NULL, J({"elicitation":{"url":{}}}), J({"elicitation":{}}), "elicitation" },
    { sign_in, NULL, "{}", J({"elicitation":{"url":{}}}), "elicitation (url)" },
    { sign_in, NULL, J({"elicitation":{}}), J({"elicitation":{"url":{}}}), "elicitation (url)" },
    { sign_in, NULL, J({"elicitation":{"form":{}}}), J({"elicitation":{"url":{}}}),
      "elicitation (url)" },
    { sample, &plain, J({"elicitation":{},"roots":{}}), J({"sampling":{}}), "sampling" },
    { sample, &armed, "{}", J({"sampling":{"tools":{}}}), "sampling (tools)" },
    { sample, &armed, J({"sampling":{}}), J({"sampling":{"tools":{}}}), "sampling (tools)" },
    { list_roots, NULL, J({"sampling":{"tools":{}},"elicitation":{}}), J({"roots":{}}), "roots" },
    { needs_both, NULL, J({"elicitation":{}}), J({"roots":{}}), "roots" },
    { needs_both, NULL, "{}", J({"elicitation":{},"roots":{}}), "elicitation and roots" },
    { needs_all, NULL, J({"elicitation":{}}),
      J({"elicitation":{"url":{}},"sampling":{"tools":{}},"roots":{}}),
      "elicitation (url) and sampling and sampling (tools) and roots" },
    { needs_all, NULL, "{}",
      J({"elicitation":{"form":{},"url":{}},"sampling":{"tools":{}},"roots":{}}),
      "elicitation and elicitation (url) and sampling and sampling (tools) and roots" } };

TEST(lacking_capability) { /* -32021 names it; an older client is told in words */
    for (size_t i = 0; i < sizeof lacking / sizeof *lacking; i++) {
        begin(lacking[i].body);
        what = lacking[i].what;
        can = lacking[i].has;
        CHECK_STR(part(sends(""), "error"),
                  text_of(J({"code":-32021,"message":"Missing required client capability",)
                          J("data":{"requiredCapabilities":%s}}), lacking[i].needs, "", ""));
        greets("2025-11-25");
        const char *words = text_of("This needs a client that supports %s%s%s", lacking[i].text, "",
                                    "");
        const char *r = part(calls("1"), "result");
        CHECK_STR(part(r, "isError"), "true");
        CHECK_STR(part(r, "content"), text(words));
        method = "prompts/get";
        target = J("name":"p");
        CHECK_STR(part(calls("2"), "error"), text_of("{\"code\":-32603,\"message\":\"%s\"}", words,
                                                     "", ""));
        stop();
    }
}

static int goes_on(mcp_call *c) { /* an author may do without */
    int rc = mcp_ask(c, "who", "Name?", name_form);
    if (rc == MCP_UNSUPPORTED) return mcp_text(c, "nobody");
    return rc ? rc : mcp_text(c, "somebody");
}

TEST(lacking_and_done_without) {
    begin(goes_on);
    can = "{}";
    DONE_AS(sends(""), "nobody");
    greets("2025-11-25");
    DONE_AS(calls("1"), "nobody");
    stop();
}

TEST(versions_that_lack_it) { /* whatever the client declares */
    static const char *const old[] = { "2024-11-05", "2025-03-26", "2025-06-18" };
    for (size_t i = 0; i < 3; i++) {
        begin(ask_name);
        greets(old[i]);
        if (i < 2) CHECK_STR(content(calls("1")),
                             text("This needs a client that supports elicitation"));
        body = sign_in;
        CHECK_STR(content(calls("1")), text("This needs a client that supports elicitation (url)"));
        body = sample;
        what = &armed;
        CHECK_STR(content(calls("1")), text("This needs a client that supports sampling (tools)"));
        what = &plain;
        CHECK_STR(part(calls("1"), "method"), "\"sampling/createMessage\"");
        body = list_roots;
        CHECK_STR(part(calls("2"), "method"), "\"roots/list\"");
        stop();
    }
}

/* ---- models and roots ---- */

#define REPLY J({"role":"assistant","content":{"type":"text","text":"a"},"model":"m",) \
    J("stopReason":"endTurn"})
#define DEFAULTS J({"messages":[{"role":"user","content":{"type":"text","text":"q"}}],) \
    J("maxTokens":1024})

TEST(sampling) {
    begin(sample);
    what = &plain;
    CHECK_STR(question(sends(""), "llm"),
              "{\"method\":\"sampling/createMessage\",\"params\":" DEFAULTS "}");
    DONE_AS(answers("{\"llm\":" REPLY "}"), "0 m a");
    for (size_t i = 0; i < 4; i++) {
        elsewhere();
        greets(versions[i]);
        CHECK_STR(calls("1"), "{\"jsonrpc\":\"2.0\",\"id\":\"mcp-1\",\"method\":"
                  "\"sampling/createMessage\",\"params\":" DEFAULTS "}");
        DONE_AS(replies("mcp-1", REPLY), "0 m a");
        calls("1");
        DONE_AS(errs("mcp-2", J({"code":-1,"message":"User rejected sampling request"})), "-4  ");
        calls("1");
        DONE_AS(errs("mcp-3", J({"code":-32602,"message":"no such model"})), "-9  ");
        calls("1");
        DONE_AS(errs("mcp-4", "{}"), "-9  ");
    }
    stop();
}

TEST(sampling_answers_that_do_not_fit) {
    static const char *const odd[] = { "null", "[]", "\"a\"", "{}", J({"role":"assistant"}),
                                       J({"content":{"type":"text","text":"a"}}),
                                       J({"role":1,"content":{}}), J({"action":"accept"}) };
    begin(sample);
    what = &plain;
    sends("");
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        CHECK(*question(answers(text_of("{\"llm\":%s}", odd[i], "", "")), "llm"));
    DONE_AS(answers("{\"llm\":" REPLY "}"), "0 m a");
    stop();
}

TEST(sampling_params) { /* every field, and none that was not given */
    static const mcp_sampling full = {
        .prompt = "q", .system = "be brief", .max_tokens = 50, .temperature = MCP_ZERO,
        .stop = "END|STOP", .models = "sonnet|haiku", .cost = 0.25, .speed = 0.5,
        .intelligence = 1, .context = "thisServer", .tools = model_tools,
        .tool_choice = "required", .metadata = " {\"k\" : [1, 2]} " };
    static const mcp_sampling raw = { .messages = "\n[{\"role\":\"user\",\"content\":[]}]",
                                      .temperature = 0.7, .speed = 1 };
    begin(sample);
    what = &full;
    CHECK_STR(params_of(sends(""), "llm"),
        J({"messages":[{"role":"user","content":{"type":"text","text":"q"}}],)
        J("modelPreferences":{"hints":[{"name":"sonnet"},{"name":"haiku"}],"costPriority":0.25,)
        J("speedPriority":0.5,"intelligencePriority":1},"systemPrompt":"be brief",)
        J("includeContext":"thisServer","temperature":0,"maxTokens":50,)
        J("stopSequences":["END","STOP"],"metadata":{"k":[1,2]},"tools":[{"name":"w",)
        J("description":"weather","inputSchema":{"type":"object","properties":{"x":)
        J({"type":"string"},"y":{"type":"string"}},"additionalProperties":false}},{"name":"v",)
        J("inputSchema":{"type":"object","properties":{},"additionalProperties":false}}],)
        J("toolChoice":{"mode":"required"}}));
    what = &raw;
    CHECK_STR(params_of(sends(""), "llm"),
        J({"messages":[{"role":"user","content":[]}],"modelPreferences":{"speedPriority":1},)
        J("temperature":0.7,"maxTokens":1024}));
    stop();
}

TEST(sampling_params_that_are_wrong) { /* raw JSON that is none, or of another type */
    static const mcp_sampling bad[] = {
        { .messages = "[" }, { .messages = "" }, { .messages = "[] []" }, { .messages = "{}" },
        { .prompt = "q", .metadata = "{" }, { .prompt = "q", .metadata = "[]" } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        begin(sample);
        what = &bad[i];
        if (!CHECK_STR(part(part(sends(""), "result"), "isError"), "true"))
            printf("    %d\n", (int)i);
        stop();
    }
}

TEST(roots) {
    begin(list_roots);
    const char *two = J({"roots":[{"uri":"file:///w","name":"w"},{"uri":"file:///v"}]});
    CHECK_STR(question(sends(""), "dirs"), J({"method":"roots/list","params":{}}));
    CHECK(*question(answers(J({"dirs":{"roots":{}}})), "dirs"));
    CHECK(*question(answers(J({"dirs":[]})), "dirs"));
    DONE_AS(answers(J({"dirs":{"roots":[]}})), "0 ");
    sends("");
    DONE_AS(answers(text_of("{\"dirs\":%s}", two, "", "")), "2 file:///w");
    greets("2024-11-05");
    CHECK_STR(calls("1"), J({"jsonrpc":"2.0","id":"mcp-1","method":"roots/list","params":{}}));
    DONE_AS(replies("mcp-1", two), "2 file:///w");
    calls("1");
    errs("mcp-2", J({"code":-32601,"message":"Roots not supported"}));
    CHECK_STR(part(part(w.out.at, "result"), "isError"), "true");
    stop();
}

/* ---- URLs ---- */

static mcp_call *held;
static int defers(mcp_call *c) {
    held = c;
    return mcp_defer(c);
}

TEST(url) { /* 2025-11-25 has an id for it, and hears when it is over; consent alone ends it */
    begin(sign_in);
    CHECK_STR(question(sends(""), "auth"), J({"method":"elicitation/create","params":{"mode":"url",)
              J("message":"Sign in","url":"https://s.example/login"}}));
    CHECK(*question(answers(J({"auth":{"action":"later"}})), "auth"));
    DONE_AS(answers(J({"auth":{"action":"accept"}})), "in");
    CHECK_STR(content(answers("{\"auth\":" NO "}")), text("the user said no"));
    greets("2025-11-25");
    CHECK_STR(calls("1"), J({"jsonrpc":"2.0","id":"mcp-1","method":"elicitation/create","params":)
              J({"mode":"url","message":"Sign in","url":"https://s.example/login",)
              J("elicitationId":"1"}}));
    CHECK_STR(replies("mcp-1", J({"action":"accept"})),
              J({"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":)
              J({"elicitationId":"1"}}) "\n"
              J({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"in"}],)
              J("isError":false}}));
    CHECK_STR(part(part(calls("2"), "params"), "elicitationId"), "\"2\"");
    CHECK_STR(replies("mcp-2", NO), /* nothing came of it */
              J({"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text",)
              J("text":"the user said no"}],"isError":true}}));
    body = defers;
    CHECK_STR(calls("3"), "");
    mcp_done(held, sign_in(held));
    CHECK_STR(replies("mcp-3", J({"action":"accept"})), "");
    w.out.n = 0;
    mcp_done(held, sign_in(held));
    CHECK(strstr(w.out.at, J("params":{"elicitationId":"3"})) != NULL);
    stop();
}

/* ---- who may ask ---- */

TEST(prompts_ask) {
    begin(ask_name);
    method = "prompts/get";
    target = J("name":"p","arguments":{"x":"1"});
    CHECK(*question(sends(""), "who"));
    elsewhere();
    CHECK_STR(part(part(answers(ANN), "result"), "messages"),
              J([{"role":"user","content":{"type":"text","text":"Hello, Ann!"}}]));
    CHECK_STR(part(answers("{\"who\":" NO "}"), "error"),
              J({"code":-32603,"message":"the user said no"}));
    greets("2025-11-25");
    calls("1");
    CHECK_STR(part(part(replies("mcp-1", ACCEPT({"name":"Ann"})), "result"), "messages"),
              J([{"role":"user","content":{"type":"text","text":"Hello, Ann!"}}]));
    stop();
}

TEST(resources_ask) { /* a fixed one and a template; a state is of one URI */
    begin(ask_name);
    method = "resources/read";
    target = J("uri":"r://one");
    CHECK(*question(sends(""), "who"));
    CHECK_STR(part(part(answers(ANN), "result"), "contents"),
              J([{"uri":"r://one","mimeType":"text/plain","text":"Hello, Ann!"}]));
    target = J("uri":"r://two");
    REFUSES(answers(ANN));
    CHECK(*question(sends(""), "who"));
    target = J("uri":"r://three");
    REFUSES(answers(ANN));
    greets("2025-11-25");
    calls("1");
    CHECK_STR(part(part(replies("mcp-1", ACCEPT({"name":"Ann"})), "result"), "contents"),
              J([{"uri":"r://three","mimeType":"text/plain","text":"Hello, Ann!"}]));
    stop();
}

TEST(others_do_not_ask) { /* a completion, a list: an error, and the server goes on */
    static const mcp_arg args[] = { { .name = "z", .complete = ask_name }, { 0 } };
    static const mcp_resource rows[] = {
        { .uri = "r://{z}", .read = ask_name, .args = args, .list = ask_name }, { 0 } };
    begin(ask_name);
    stop();
    desc.resources = rows;
    start();
    for (int i = 0; i < 2; i++) {
        if (i) greets("2025-11-25");
        method = "completion/complete";
        target = J("ref":{"type":"ref/resource","uri":"r://{z}"},)
                 J("argument":{"name":"z","value":""});
        CHECK_STR(code(i ? calls("1") : sends("")), "-32603");
        method = "resources/list";
        target = "\"cursor\":null";
        CHECK_STR(code(i ? calls("1") : sends("")), "-32603");
    }
    method = "resources/read";
    target = J("uri":"r://a");
    CHECK_STR(part(calls("1"), "method"), "\"elicitation/create\"");
    stop();
}

/* ---- deferred ---- */

static int defers_inside(mcp_call *c) {
    mcp_defer(c);
    mcp_done(c, ask_name(c));
    return MCP_PENDING;
}
static const char *finish(void) {
    w.out.n = 0;
    mcp_done(held, ask_name(held));
    harness_add(&w.out, "", 0);
    if (w.out.n) w.out.at[w.out.n - 1] = 0;
    return w.out.at;
}

TEST(deferred_asks) { /* it is run again from the top, and may be deferred again */
    begin(defers);
    CHECK_STR(sends(""), "");
    const char *out = finish();
    CHECK(*question(out, "who"));
    snprintf(state, sizeof state, "%s", part(part(out, "result"), "requestState"));
    CHECK_STR(answers(ANN), "");
    DONE_AS(finish(), "Hello, Ann!");
    greets("2025-11-25");
    CHECK_STR(calls("1"), "");
    CHECK_STR(part(finish(), "id"), "\"mcp-1\"");
    CHECK_STR(replies("mcp-1", ACCEPT({"name":"Ann"})), "");
    CHECK_INT(runs, 4);
    DONE_AS(finish(), "Hello, Ann!");
    body = defers_inside;
    CHECK_STR(part(calls("1"), "id"), "\"mcp-2\"");
    DONE_AS(replies("mcp-2", ACCEPT({"name":"Eve"})), "Hello, Eve!");
    sends("");
    DONE_AS(answers(ANN), "Hello, Ann!");
    stop();
}
static int tells(mcp_call *c) {
    held = c;
    return mcp_answer(c, "who") ? mcp_defer(c) : ask_name(c);
}

TEST(deferred_after_an_answer) { /* cancelled then, it is the handler's until it is done */
    begin(tells);
    greets("2025-11-25");
    calls("1");
    CHECK_STR(replies("mcp-1", ACCEPT({"name":"Ann"})), "");
    CHECK_STR(ask(J({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})),
              "");
    CHECK(mcp_cancelled(held));
    CHECK_STR(finish(), "");
    stop();
}

/* ---- parked: an older client's call while it waits ---- */

#define CALL_OFF(id) J({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":) \
    #id "}}"
#define CALL_T J({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}})
#define PONG(id) "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"result\":{}}"
#define PING(id) "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"method\":\"ping\"}"

static const char *poll_after(int64_t ms) {
    w.out.n = 0;
    w.now += ms * 1000000;
    mcp_poll(w.server);
    harness_add(&w.out, "", 0);
    if (w.out.n) w.out.at[w.out.n - 1] = 0;
    return w.out.at;
}

TEST(others_are_served_meanwhile) { /* pings, calls that ask as well; each answer finds its own */
    begin(one_by_one);
    greets("2025-11-25");
    calls("1");
    CHECK_STR(ask(PING(2)), PONG(2));
    CHECK_STR(part(calls("3"), "id"), "\"mcp-2\"");
    CHECK_STR(part(part(calls("1"), "error"), "code"), "-32600"); /* still in flight */
    CHECK(strstr(replies("mcp-2", ACCEPT({"name":"Eve"})), "How old are you, Eve?") != NULL);
    CHECK(strstr(replies("mcp-1", ACCEPT({"name":"Ann"})), "How old are you, Ann?") != NULL);
    CHECK(strstr(sends(""), "input_required") == NULL); /* 1 is in flight, whatever its version */
    DONE_AS(replies("mcp-4", ACCEPT({"age":7})), "Ann 7 ");
    CHECK_STR(part(w.out.at, "id"), "1");
    DONE_AS(replies("mcp-3", ACCEPT({"age":8})), "Eve 8 ");
    CHECK_STR(part(w.out.at, "id"), "3");
    CHECK(strstr(sends(""), "input_required") != NULL);
    stop();
}

TEST(all_in_one_piece) { /* the call, its answer and what comes behind, fed at once */
    static const char lines[] =
        CALL_T "\n"
        J({"jsonrpc":"2.0","id":"mcp-1","result":{"action":"accept","content":{"name":"A"}}}) "\n"
        PING(2) "\n";
    begin(ask_name);
    greets("2025-11-25");
    CHECK_INT(feed(lines, sizeof lines - 1), MCP_OK);
    const char *second = strchr(w.out.at, '\n');
    CHECK(second && strstr(second, "Hello, A!") != NULL && strstr(second, PONG(2)) != NULL);
    stop();
}

TEST(responses_of_nobody) { /* unknown, malformed, twice, late: ignored */
    static const char *const ids[] = { "\"mcp-3\"", "\"mcp-0\"", "\"mcp-\"", "\"mcp-1x\"", "\"1\"",
                                       "1", "null", "\"mcp-99999999999999999999\"", "\"mcp--1\"",
                                       "\"mcp-01\"", "\"MCP-1\"", "\"mcp-1 \"",
                                       "\"mcp-4294967297\"", "[]", "{}", "true" };
    begin(two_at_once);
    greets("2025-11-25");
    calls("1");
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        CHECK_STR(ask(text_of("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}", ids[i],
                              ACCEPT({"name":"Eve"}), "")), "");
    CHECK_STR(ask(J({"jsonrpc":"2.0","result":{"action":"accept","content":{"name":"Eve"}}})), "");
    CHECK_INT(runs, 1);
    replies("mcp-1", ACCEPT({"name":"Ann"}));
    CHECK_STR(replies("mcp-1", ACCEPT({"name":"Eve"})), "");
    DONE_AS(replies("mcp-2", ACCEPT({"age":7})), "Ann 7");
    CHECK_STR(replies("mcp-2", ACCEPT({"age":8})), "");
    CHECK_INT(runs, 2);
    stop();
}

TEST(parked_and_cancelled) { /* our question is withdrawn; its answer, late, is nobody's */
    begin(two_at_once);
    greets("2025-11-25");
    calls("1");
    replies("mcp-1", ACCEPT({"name":"Ann"}));
    CHECK_STR(ask(CALL_OFF(2)), "");
    CHECK_STR(ask(CALL_OFF(1)), CANCELLED("mcp-2"));
    CHECK_STR(replies("mcp-2", ACCEPT({"age":7})), "");
    CHECK_STR(ask(CALL_OFF(1)), "");
    CHECK_INT(runs, 1);
    CHECK(strstr(calls("1"), "\"mcp-3\"") != NULL); /* its id is free, ours are new */
    stop();
}

static unsigned told;
static void be_told(void *arg) { ++*(unsigned *)arg; }
static int listens(mcp_call *c) {
    mcp_on_cancel(c, be_told, &told);
    return ask_name(c);
}

TEST(on_cancel_of_a_run) { /* is over with it: what it points to may be gone while we wait */
    begin(listens);
    told = 0;
    greets("2025-11-25");
    calls("1");
    CHECK_STR(ask(CALL_OFF(1)), CANCELLED("mcp-1"));
    CHECK_INT(told, 0);
    body = defers;
    calls("2");
    mcp_on_cancel(held, be_told, &told);
    finish();
    CHECK_STR(ask(CALL_OFF(2)), CANCELLED("mcp-2"));
    CHECK_INT(told, 0);
    calls("3");
    mcp_on_cancel(held, be_told, &told);
    CHECK_STR(ask(CALL_OFF(3)), "");
    CHECK_INT(told, 1);
    CHECK_STR(finish(), "");
    stop();
}

TEST(not_answered_in_time) { /* ask_ms: withdrawn, and the handler hears of it */
    begin(say_status);
    stop();
    desc.ask_ms = 5000;
    start();
    greets("2025-06-18");
    calls("1");
    CHECK_STR(poll_after(4000), "");
    CHECK_INT(runs, 1);
    CHECK_STR(poll_after(1500), CANCELLED("mcp-1") "\n"
              J({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"-6 "}],)
              J("isError":false}}));
    CHECK_STR(replies("mcp-1", ACCEPT({"name":"Ann"})), "");
    CHECK_INT(mcp_poll(w.server), -1);
    calls("1");
    DONE_AS(replies("mcp-2", ACCEPT({"name":"Ann"})), "0 Ann");
    stop();
}

TEST(unfit_for_ever) { /* a client that never gives what fits gets an end, not all our memory */
    char id[24];
    begin(ask_name);
    greets("2025-11-25");
    const char *out = calls("1");
    for (int i = 1; i < 1000 && !strstr(out, "\"result\""); i++) {
        snprintf(id, sizeof id, "mcp-%d", i);
        out = replies(id, ACCEPT({"name":7}));
    }
    CHECK(strstr(out, "\"isError\":true") && strstr(out, "asked too often"));
    CHECK_INT(runs, 257);
    stop();
}

TEST(time_begins_with_each_round) {
    begin(one_by_one);
    stop();
    desc.ask_ms = 5000;
    start();
    greets("2025-11-25");
    calls("1");
    CHECK_STR(poll_after(4000), "");
    replies("mcp-1", ACCEPT({"name":"Ann"}));
    CHECK_STR(poll_after(4000), "");
    DONE_AS(replies("mcp-2", ACCEPT({"age":7})), "Ann 7 ");
    stop();
}

TEST(peer_gone) { /* while it is asked; the next peer is another */
    begin(two_at_once);
    greets("2025-11-25");
    calls("1");
    calls("2");
    mcp_conn_free(w.conn);
    CHECK_INT(mcp_poll(w.server), -1);
    CHECK(harness_connect(&w));
    greets("2025-11-25");
    CHECK_STR(replies("mcp-1", ACCEPT({"name":"Eve"})), "");
    CHECK_INT(runs, 2);
    CHECK(strstr(calls("1"), "\"mcp-1\"") != NULL);
    stop(); /* and the server goes with a call that waits */
}

TEST(input_ends) { /* nobody can answer any more */
    begin(ask_name);
    greets("2025-11-25");
    calls("1");
    CHECK_INT(feed(NULL, 0), MCP_OK);
    CHECK_STR(w.out.at, CANCELLED("mcp-1") "\n");
    CHECK_INT(mcp_poll(w.server), -1);
    CHECK_INT(runs, 1);
    stop();
}

TEST(write_fails) { /* the question does not reach anybody */
    begin(ask_name);
    greets("2025-11-25");
    w.write_fail_at = w.writes + 1;
    const char *line = CALL_T "\n";
    CHECK_INT(feed(line, strlen(line)), MCP_IO);
    CHECK(!w.wrote_after);
    stop();
}

TEST(too_many_parked) { /* they count among the calls that wait */
    begin(ask_name);
    stop();
    desc.limits.calls = 2;
    start();
    greets("2025-11-25");
    calls("1");
    calls("2");
    CHECK_STR(code(calls("3")), "-32603");
    DONE_AS(replies("mcp-1", ACCEPT({"name":"Ann"})), "Hello, Ann!");
    CHECK(strstr(calls("3"), "elicitation/create") != NULL);
    stop();
}

TEST(another_table) { /* set while the call waits: it is looked for in the new one */
    static const mcp_tool other[] = { { .name = "t", .args = x_args, .call = list_roots }, { 0 } };
    static const mcp_tool none[] = { { .name = "n", .call = go }, { 0 } };
    begin(ask_name);
    greets("2025-11-25");
    calls("1");
    calls("2");
    CHECK_INT(mcp_server_set_tools(w.server, other), MCP_OK);
    CHECK(strstr(replies("mcp-1", ACCEPT({"name":"Ann"})), "roots/list") != NULL);
    CHECK_INT(mcp_server_set_tools(w.server, none), MCP_OK);
    CHECK_STR(code(replies("mcp-2", ACCEPT({"name":"Ann"}))), "-32602");
    CHECK_STR(code(replies("mcp-3", J({"roots":[]}))), "-32602");
    stop();
}

TEST(in_a_batch) { /* 2025-03-26: the question goes out at once, the array waits */
    begin(sample);
    what = &plain;
    greets("2025-03-26");
    CHECK_STR(part(ask("[" CALL_T "," PING(2) "]"), "id"), "\"mcp-1\"");
    CHECK_STR(ask("[" J({"jsonrpc":"2.0","id":"mcp-1","result":)  REPLY "}," PING(3) "]"),
              "[" PONG(2) ","
              J({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"0 m a"}],)
              J("isError":false}}) "]\n[" PONG(3) "]");
    stop();
}

static int looks(mcp_call *c) { /* at what has arrived, before it asks */
    int rc = mcp_ask(c, "who", "Name?", name_form);
    if (mcp_cancelled(c)) return MCP_CANCELLED;
    return rc ? rc : mcp_text(c, mcp_get_str(mcp_answer(c, "who"), "name"));
}

TEST(answer_while_another_runs) { /* it is taken in, and its call runs when that is through */
    static const char lines[] =
        J({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t"}}) "\n"
        J({"jsonrpc":"2.0","id":"mcp-1","result":{"action":"accept","content":{"name":"A"}}}) "\n"
        J({"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"t"}}) "\n"
        CALL_OFF(3) "\n";
    begin(looks);
    greets("2025-11-25");
    calls("1");
    CHECK_INT(feed(lines, sizeof lines - 1), MCP_OK);
    CHECK(strstr(w.out.at, "\"id\":\"mcp-2\"") != NULL);
    CHECK(strstr(w.out.at, J("id":1,"result":{"content":[{"type":"text","text":"A"}])) != NULL);
    CHECK(strstr(w.out.at, "\"id\":3") == NULL);
    DONE_AS(replies("mcp-2", ACCEPT({"name":"B"})), "B");
    stop();
}

#ifndef MCP_NO_HTTP
/* ---- over HTTP ---- */

typedef struct reply { int status, parts; bool last; char session[64], type[64];
                       harness_bytes body; } reply;

static int on_reply(void *user, const mcp_http_part *p) {
    reply *r = (reply *)user;
    if (p->status) r->status = p->status;
    for (const mcp_attr *h = p->headers; h && h->key; h++) {
        if (!strcmp(h->key, "Mcp-Session-Id")) snprintf(r->session, 64, "%s", h->value);
        if (!strcmp(h->key, "Content-Type")) snprintf(r->type, 64, "%s", h->value);
    }
    harness_add(&r->body, p->body, p->size);
    r->parts++;
    r->last = r->last || p->last;
    return MCP_OK;
}

#define BOTH "application/json, text/event-stream"
static char session[64];

/* POSTs body; what comes is in r, which is begun anew. */
static int post(reply *r, const char *version, const char *accept, const char *text) {
    mcp_attr headers[] = { { "Host", "127.0.0.1" }, { "Content-Type", "application/json" },
                           { "Accept", accept }, { "MCP-Protocol-Version", version },
                           { "Mcp-Session-Id", session }, { NULL, NULL } };
    if (!*session) headers[4].key = NULL;
    mcp_http_request request = { "POST", "/mcp", headers, text, strlen(text), NULL };
    mcp_reply_hook hook = { on_reply, r };
    free(r->body.at);
    memset(r, 0, sizeof *r);
    harness_add(&r->body, "", 0);
    return mcp_http_handle(w.server, &request, hook);
}

static void open_session(const char *version) {
    reply r;
    memset(&r, 0, sizeof r);
    *session = 0;
    CHECK_INT(post(&r, version, BOTH, text_of("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":"
        "\"initialize\",\"params\":{\"protocolVersion\":\"%s\",\"capabilities\":%s,\"clientInfo\":"
        "{\"name\":\"c\",\"version\":\"1\"}}}", version, can, "")), MCP_OK);
    snprintf(session, sizeof session, "%s", r.session);
    CHECK(*session);
    CHECK_INT(post(&r, version, BOTH, J({"jsonrpc":"2.0","method":"notifications/initialized"})),
              MCP_OK);
    CHECK_INT(r.status, 202);
    free(r.body.at);
}

#define ANSWER_1 J({"jsonrpc":"2.0","id":"mcp-1","result":{"action":"accept",) \
    J("content":{"name":"Ann"}}})

TEST(http_stream) { /* the question is an event, its answer another POST, the end on the first */
    static const char *const older[] = { "2025-06-18", "2025-11-25" };
    for (int i = 0; i < 2; i++) {
        reply stream, other;
        memset(&stream, 0, sizeof stream);
        memset(&other, 0, sizeof other);
        begin(ask_name);
        open_session(older[i]);
        CHECK_INT(post(&stream, older[i], BOTH, CALL_T), MCP_PENDING);
        CHECK_INT(stream.status, 200);
        CHECK_STR(stream.type, "text/event-stream");
        CHECK(strstr(stream.body.at, "data: {\"jsonrpc\":\"2.0\",\"id\":\"mcp-1\",\"method\":"
                     "\"elicitation/create\"") != NULL);
        CHECK(!stream.last);
        CHECK_INT(post(&other, older[i], BOTH, PING(2)), MCP_OK);
        CHECK_STR(other.body.at, PONG(2));
        CHECK_INT(post(&other, older[i], BOTH, ANSWER_1), MCP_OK);
        CHECK_INT(other.status, 202);
        CHECK_STR(other.body.at, "");
        mcp_poll(w.server);
        CHECK(strstr(stream.body.at, "\"id\":1,\"result\":{\"content\":[{\"type\":\"text\","
                     "\"text\":\"Hello, Ann!\"}]") != NULL);
        CHECK(stream.last);
        CHECK_INT(runs, 2);
        free(stream.body.at);
        free(other.body.at);
        stop();
    }
}

TEST(http_other_session) { /* cannot answer what this one was asked */
    reply stream, other;
    char first[64];
    memset(&stream, 0, sizeof stream);
    memset(&other, 0, sizeof other);
    begin(ask_name);
    open_session("2025-11-25");
    CHECK_INT(post(&stream, "2025-11-25", BOTH, CALL_T), MCP_PENDING);
    strcpy(first, session);
    open_session("2025-11-25");
    CHECK(strcmp(first, session) != 0);
    CHECK_INT(post(&other, "2025-11-25", BOTH, ANSWER_1), MCP_OK);
    mcp_poll(w.server);
    CHECK_INT(runs, 1);
    strcpy(session, first);
    CHECK_INT(post(&other, "2025-11-25", BOTH, CALL_OFF(1)), MCP_OK);
    mcp_poll(w.server);
    CHECK(strstr(stream.body.at, CANCELLED("mcp-1")) != NULL);
    CHECK_INT(runs, 1);
    free(stream.body.at);
    free(other.body.at);
    stop();
}

TEST(http_without_events) { /* a client that takes JSON alone cannot be asked; but sent to a URL */
    reply r;
    memset(&r, 0, sizeof r);
    begin(ask_name);
    open_session("2025-11-25");
    CHECK_INT(post(&r, "2025-11-25", "application/json", CALL_T), MCP_OK);
    CHECK_STR(content(r.body.at), text("This needs a client that supports elicitation"));
    body = sign_in;
    CHECK_INT(post(&r, "2025-11-25", "application/json", CALL_T), MCP_OK);
    CHECK_INT(r.status, 200);
    CHECK_STR(r.body.at, J({"jsonrpc":"2.0","id":1,"error":{"code":-32042,)
              J("message":"URL elicitation required","data":{"elicitations":[{"mode":"url",)
              J("elicitationId":"1","message":"Sign in","url":"https://s.example/login"}]}}}));
    open_session("2025-06-18");
    CHECK_INT(post(&r, "2025-06-18", "application/json", CALL_T), MCP_OK);
    CHECK_STR(content(r.body.at), text("This needs a client that supports elicitation (url)"));
    free(r.body.at);
    stop();
}

TEST(http_stateless) { /* no session: nobody knows what the client can, or whose an answer is */
    reply r;
    memset(&r, 0, sizeof r);
    begin(ask_name);
    stop();
    desc.flags = MCP_STATELESS;
    start();
    *session = 0;
    CHECK_INT(post(&r, "2025-11-25", BOTH, CALL_T), MCP_OK);
    CHECK_STR(content(r.body.at), text("This needs a client that supports elicitation"));
    free(r.body.at);
    stop();
}

TEST(http_gone) { /* who waited hung up: the call may go on, and the server ends with it */
    reply stream;
    memset(&stream, 0, sizeof stream);
    begin(ask_name);
    open_session("2025-06-18");
    CHECK_INT(post(&stream, "2025-06-18", BOTH, CALL_T), MCP_PENDING);
    mcp_http_gone(w.server, &stream);
    int parts = stream.parts;
    for (int i = 0; i < 3; i++) poll_after(1000);
    CHECK_INT(stream.parts, parts);
    CHECK_INT(runs, 1);
    free(stream.body.at);
    stop();
}

TEST(http_rounds) { /* 2026-07-28: plain answers, the state goes through the client */
    reply r;
    memset(&r, 0, sizeof r);
    begin(ask_name);
    sends(""); /* over lines: the state is not the connection's */
    *session = 0;
    snprintf(last, sizeof last, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
             "\"params\":{\"name\":\"t\",\"inputResponses\":%s,\"requestState\":%s,\"_meta\":{"
             "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
             "\"io.modelcontextprotocol/clientCapabilities\":%s}}}", ANN, state, can);
    mcp_attr headers[] = { { "Host", "127.0.0.1" }, { "Content-Type", "application/json" },
                           { "Accept", BOTH }, { "MCP-Protocol-Version", "2026-07-28" },
                           { "Mcp-Method", "tools/call" }, { "Mcp-Name", "t" }, { NULL, NULL } };
    mcp_http_request request = { "POST", "/mcp", headers, last, strlen(last), NULL };
    mcp_reply_hook hook = { on_reply, &r };
    CHECK_INT(mcp_http_handle(w.server, &request, hook), MCP_OK);
    DONE_AS(r.body.at, "Hello, Ann!");
    free(r.body.at);
    memset(&r, 0, sizeof r);
    request.principal = "mallory";
    CHECK_INT(mcp_http_handle(w.server, &request, hook), MCP_OK);
    REFUSES(r.body.at);
    free(r.body.at);
    memset(&r, 0, sizeof r);
    snprintf(last, sizeof last, "%s", J({"jsonrpc":"2.0","id":1,"method":"tools/call",)
             J("params":{"name":"t","_meta":{) HARNESS_META "}}}");
    request.size = strlen(last);
    CHECK_INT(mcp_http_handle(w.server, &request, hook), MCP_OK);
    CHECK_STR(code(r.body.at), "-32021");
    CHECK_INT(r.status, 400);
    free(r.body.at);
    stop();
}
#endif

int main(void) {
    fresh();
    RUN(hmac_sha_256);
    RUN(form_of_each_version);
    RUN(form_of_raw_schemas);
    RUN(form_of_several);
    RUN(several_are_checked);
    RUN(form_is_checked);
    RUN(accept_decline_cancel);
    RUN(declined_and_returned);
    RUN(forms_that_are_wrong);
    RUN(several_in_one_round);
    RUN(missing_answers);
    RUN(bad_beside_good);
    RUN(same_end_in_every_version);
    RUN(escapes_in_keys_and_answers);
    RUN(said_before_asking);
    RUN(asked_too_late);
    RUN(asked_and_not_waited_for);
    RUN(asked_twice_in_one_run);
    RUN(kept);
    RUN(kept_alone);
    RUN(pending_for_nothing);
    RUN(state_changed);
    RUN(state_of_another_request);
    RUN(state_of_a_principal);
    RUN(state_says_the_same);
    RUN(state_expires);
    RUN(never_asked);
    RUN(responses_of_other_types);
    RUN(no_random_bytes);
    RUN(lacking_capability);
    RUN(lacking_and_done_without);
    RUN(versions_that_lack_it);
    RUN(sampling);
    RUN(sampling_answers_that_do_not_fit);
    RUN(sampling_params);
    RUN(sampling_params_that_are_wrong);
    RUN(roots);
    RUN(url);
    RUN(prompts_ask);
    RUN(resources_ask);
    RUN(others_do_not_ask);
    RUN(deferred_asks);
    RUN(deferred_after_an_answer);
    RUN(others_are_served_meanwhile);
    RUN(all_in_one_piece);
    RUN(responses_of_nobody);
    RUN(parked_and_cancelled);
    RUN(on_cancel_of_a_run);
    RUN(not_answered_in_time);
    RUN(unfit_for_ever);
    RUN(time_begins_with_each_round);
    RUN(peer_gone);
    RUN(input_ends);
    RUN(write_fails);
    RUN(too_many_parked);
    RUN(another_table);
    RUN(in_a_batch);
    RUN(answer_while_another_runs);
#ifndef MCP_NO_HTTP
    RUN(http_stream);
    RUN(http_other_session);
    RUN(http_without_events);
    RUN(http_stateless);
    RUN(http_gone);
    RUN(http_rounds);
#else
    SKIP(http_stream, "without HTTP");
#endif
    return DONE();
}
