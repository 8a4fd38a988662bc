/* uri.c - URI templates read backwards: which URI fits which template, what its variables hold */
#define MCP_IMPLEMENTATION
#include "unit.h"

#include "cost.h"

/* ---- one template, one URI ---- */

/* "a=1|b=2", variables without a value left out; NULL: it does not match. */
static const char *matched(const char *text, const char *uri, size_t n) {
    harness_mem mem;
    mcp__mem hook = { { harness_alloc, NULL } };
    mcp__arena arena;
    const char *why = NULL, *found = NULL;
    harness_bytes b = { NULL, 0, 0 };
    memset(&mem, 0, sizeof mem);
    mem.dirty = true;
    hook.hook.user = &mem;
    mcp__arena_init(&arena, &hook);
    mcp__template *t = mcp__template_new(&arena, text, &why);
    if (!t) harness_die(text, 0, why ? why : "no memory");
    int status = MCP_OK;
    mcp__str normal = mcp__uri_normal(&arena, uri, n);
    const mcp__str *value = mcp__template_match(t, &arena, normal, &status);
    CHECK_INT(status, MCP_OK);
    harness_add(&b, "", 0);
    for (size_t i = 0; value && i < t->variables; i++) {
        if (!value[i].s) continue;
        if (b.n) harness_add(&b, "|", 1);
        harness_add(&b, t->variable[i].name.s, t->variable[i].name.n);
        harness_add(&b, "=", 1);
        harness_add(&b, value[i].s, value[i].n);
    }
    if (value) found = keep(b.at, b.n);
    free(b.at);
    mcp__arena_reset(&arena, 0);
    CHECK_INT(mem.live, 0);
    return found;
}

typedef struct row { const char *text, *uri, *values; } row;

static void check_rows(const row *r) {
    for (; r->text; r++) {
        const char *got = matched(r->text, r->uri, strlen(r->uri));
        if (!CHECK_STR(got, r->values)) printf("    %s against %s\n", r->uri, r->text);
    }
}

TEST(simple) { /* RFC 6570 3.2.2; a value ends at / ? #, several at a comma, too; none is empty */
    static const row rows[] = {
        { "item://{id}", "item://7", "id=7" },
        { "item://{id}", "item://a,b", "id=a,b" },
        { "item://{id}", "item://", NULL },
        { "item://{id}", "item://a/b", NULL },
        { "item://{id}", "item://a?b", NULL },
        { "item://{id}", "item://a#b", NULL },
        { "item://{id}", "ITEM://7", NULL },
        { "item://{id}", "item://7/", NULL },
        { "item://{id}", "item:/7", NULL },
        { "item://{id}/", "item://7/", "id=7" },
        { "item://{id}/data", "item://7/data", "id=7" },
        { "item://{id}/data", "item://7/date", NULL },
        { "{x}", "value", "x=value" },
        { "{hello}", "Hello%20World%21", "hello=Hello World!" },
        { "O{x}X", "OyX", "x=y" },
        { "O{x}X", "OX", NULL },
        { "O{x}X", "OXX", "x=X" },
        { "map?{x,y}", "map?1024,768", "x=1024|y=768" },
        { "map?{x,y}", "map?1024", NULL },
        { "map?{x,y}", "map?1,2,3", NULL },
        { "{x,hello,y}", "1024,Hello%20World%21,768", "x=1024|hello=Hello World!|y=768" },
        { "{a.b_c}", "1", "a.b_c=1" },
        { "plain", "plain", "" },
        { "plain", "plains", NULL },
        { 0 } };
    check_rows(rows);
}

TEST(reserved) { /* 3.2.3: goes on over slashes; nothing may be hidden in an escape but itself */
    static const row rows[] = {
        { "dir://{+path}", "dir://a/b/c.txt", "path=a/b/c.txt" },
        { "dir://{+path}", "dir://", NULL },
        { "dir://{+path}/end", "dir://a/end/end", "path=a/end" },
        { "{+path}/here", "/foo/bar/here", "path=/foo/bar" },
        { "here?ref={+path}", "here?ref=/foo/bar", "path=/foo/bar" },
        { "up{+path}{x}/here", "up/foo/bar1024/here", "path=/foo/bar102|x=4" },
        { "{+x,hello,y}", "1024,Hello%20World!,768", "x=1024|hello=Hello World!|y=768" },
        { "{+path,x}/here", "/foo/bar,1024/here", "path=/foo/bar|x=1024" },
        { "{+base}index", "http://example.com/home/index", "base=http://example.com/home/" },
        { "{+q}", "a?b#c&d=e", "q=a?b#c&d=e" },
        { 0 } };
    check_rows(rows);
}

TEST(fragment) { /* 3.2.4 */
    static const row rows[] = {
        { "X{#var}", "X#value", "var=value" },
        { "X{#var}", "X", "" },
        { "X{#hello}", "X#Hello%20World!", "hello=Hello World!" },
        { "{#x,hello,y}", "#1024,Hello%20World!,768", "x=1024|hello=Hello World!|y=768" },
        { "{#path,x}/here", "#/foo/bar,1024/here", "path=/foo/bar|x=1024" },
        { "foo{#empty}", "foo#", "empty=" },
        { "X{#var}", "X#a/b", "var=a/b" },
        { 0 } };
    check_rows(rows);
}

TEST(label) { /* 3.2.5 */
    static const row rows[] = {
        { "X{.var}", "X.value", "var=value" },
        { "X{.var}", "X", "" },
        { "X{.var}", "Xvalue", NULL },
        { "X{.x,y}", "X.1024.768", "x=1024|y=768" },
        { "X{.x,y}", "X.1024", "x=1024" },
        { "X{.empty}", "X.", "empty=" },
        { "www{.dom}", "www.example.com", "dom=example.com" },
        { "X{.var}", "X.a/b", NULL },
        { 0 } };
    check_rows(rows);
}

TEST(path) { /* 3.2.6 */
    static const row rows[] = {
        { "x:{/var}", "x:/value", "var=value" },
        { "x:{/var}", "x:", "" },
        { "x:{/var,x}/here", "x:/value/1024/here", "var=value|x=1024" },
        { "x:{/var,x}/here", "x:/value/here", "var=value" },
        { "x:{/var,x}/here", "x:/here", "" },
        { "x:{/var,empty}", "x:/value/", "var=value|empty=" },
        { "x:{/a,b}", "x:/1/2/3", NULL },
        { 0 } };
    check_rows(rows);
}

TEST(parameters) { /* 3.2.7: an empty one has no equals sign */
    static const row rows[] = {
        { "x:{;who}", "x:;who=fred", "who=fred" },
        { "x:{;x,y}", "x:;x=1024;y=768", "x=1024|y=768" },
        { "x:{;x,y,empty}", "x:;x=1024;y=768;empty", "x=1024|y=768|empty=" },
        { "x:{;v,empty,who}", "x:;v=6;empty;who=fred", "v=6|empty=|who=fred" },
        { "x:{;v,bar,who}", "x:;v=6;who=fred", "v=6|who=fred" },
        { "x:{;x}", "x:;xy=1", NULL },
        { "x:{;x}", "x:", "" },
        { 0 } };
    check_rows(rows);
}

TEST(query) { /* 3.2.8 and 3.2.9 */
    static const row rows[] = {
        { "x:{?who}", "x:?who=fred", "who=fred" },
        { "x:{?x,y}", "x:?x=1024&y=768", "x=1024|y=768" },
        { "x:{?x,y}", "x:?x=1024", "x=1024" },
        { "x:{?x,y}", "x:?y=768", "y=768" },
        { "x:{?x,y}", "x:", "" },
        { "x:{?x,y,empty}", "x:?x=1024&y=768&empty=", "x=1024|y=768|empty=" },
        { "x:{?x,y}", "x:?x=1024&z=1", NULL },
        { "x:{?x,y}", "x:&x=1024", NULL },
        { "x:{?who}", "x:?who=half%20dry", "who=half dry" },
        { "x:?fixed=yes{&x}", "x:?fixed=yes&x=1024", "x=1024" },
        { "x:?fixed=yes{&x}", "x:?fixed=yes", "" },
        { "x:?fixed=yes{&x,y}", "x:?fixed=yes&y=768", "y=768" },
        { "x:{&x,y,empty}", "x:&x=1024&y=768&empty=", "x=1024|y=768|empty=" },
        { "find:{/in}{?q}", "find:/docs?q=a", "in=docs|q=a" },
        { "find:{/in}{?q}", "find:?q=a", "q=a" },
        { 0 } };
    check_rows(rows);
}

TEST(prefix) { /* {name:n}: up to n characters, which are not bytes */
    static const row rows[] = {
        { "{var:3}", "val", "var=val" },
        { "{var:3}", "va", "var=va" },
        { "{var:3}", "valu", NULL },
        { "{var:30}", "value", "var=value" },
        { "/{w:1}/{word}", "/d/dog", "w=d|word=dog" },
        { "/{w:1}/{word}", "/do/dog", NULL },
        { "{+path:6}/here", "/foo/b/here", "path=/foo/b" },
        { "{v:3}", "\xC3\xA4\xC3\xB6\xC3\xBC", "v=\xC3\xA4\xC3\xB6\xC3\xBC" },
        { "{v:3}", "%C3%A4%C3%B6%C3%BC", "v=\xC3\xA4\xC3\xB6\xC3\xBC" },
        { "{v:2}", "%C3%A4%C3%B6%C3%BC", NULL },
        { "{v:9999}", "x", "v=x" },
        { 0 } };
    check_rows(rows);
}

TEST(normal_form) { /* RFC 3986 6.2.2; RFC 6570 3.1: literals are expanded in escapes */
    static const row rows[] = {
        { "t://caf\xC3\xA9/{name}", "t://caf\xC3\xA9/a", "name=a" },
        { "t://caf\xC3\xA9/{name}", "t://caf%C3%A9/a", "name=a" },
        { "t://caf\xC3\xA9/{name}", "t://caf%c3%a9/a", "name=a" },
        { "t://caf%C3%A9/{name}", "t://caf\xC3\xA9/a", "name=a" },
        { "t://caf%c3%a9/{name}", "t://caf%C3%A9/a", "name=a" },
        { "t://caf\xC3\xA9/{name}", "t://cafe\xCC\x81/a", NULL }, /* another form in Unicode */
        { "t://caf\xC3\xA9/{name}", "t://CAF\xC3\x89/a", NULL },
        { "t://a/{name}", "t://%61/a", "name=a" },
        { "t://%61/{name}", "t://a/a", "name=a" },
        { "t://a b/{name}", "t://a%20b/a", "name=a" },
        { "t://a b/{name}", "t://a b/a", "name=a" },
        { "t://a/{name}", "t:%2F%2Fa/a", NULL }, /* an escaped reserved byte is another */
        { "t://a%2Fb/{name}", "t://a%2fb/a", "name=a" },
        { "t://a%2Fb/{name}", "t://a/b/a", NULL },
        { "t://{name}", "t://%E4%B8%AD", "name=\xE4\xB8\xAD" },
        { "t://{name}", "t://\xE4\xB8\xAD", "name=\xE4\xB8\xAD" },
        { "t://{name}", "t://~a-b.c_d", "name=~a-b.c_d" },
        { 0 } };
    check_rows(rows);
}

TEST(decoding) { /* once; and what no text of this variable can be does not match */
    static const row rows[] = {
        { "t://{v}", "t://a%20b", "v=a b" },
        { "t://{v}", "t://a+b", "v=a+b" }, /* a plus sign is a plus sign */
        { "t://{v}", "t://%2541", "v=%41" },
        { "t://{v}", "t://%252F", "v=%2F" },
        { "t://{v}", "t://100%25", "v=100%" },
        { "t://{v}", "t://100%", "v=100%" },
        { "t://{v}", "t://%zz", "v=%zz" },
        { "t://{v}", "t://%4", "v=%4" },
        { "t://{v}", "t://%3F%23", "v=?#" },
        { "t://{v}", "t://a%2Fb", NULL }, /* {v} holds no slash, */
        { "t://{v}", "t://%2e%2E%2f", NULL },
        { "t://{+v}", "t://a%2Fb", "v=a/b" }, /* {+v} may */
        { "t://{#v}", "t://#a%2Fb", "v=a/b" },
        { "t://{v}", "t://..", "v=.." }, /* what it means is the handler's business */
        { "t://{v}", "t://a%00", NULL },
        { "t://{+v}", "t://a%00b", NULL },
        { "t://{v}", "t://%FF", NULL },
        { "t://{v}", "t://%C3", NULL },
        { "t://{v}", "t://%C0%AF", NULL },
        { "t://{v}", "t://%ED%A0%80", NULL },
        { "t://{v}", "t://%C3%A", NULL },
        { "t://{v}", "t://%5C", "v=\\" },
        { 0 } };
    check_rows(rows);
}

TEST(greedy) { /* a variable takes as much as it can, the first one first */
    static const row rows[] = {
        { "{a}-{b}", "x-y-z", "a=x-y|b=z" },
        { "{a}{b}", "xyz", "a=xy|b=z" },
        { "{a}{b}{c}", "xyz", "a=x|b=y|c=z" },
        { "{a}{b}", "x", NULL },
        { "{+dir}/{name}", "a/b/c", "dir=a/b|name=c" },
        { "{+a}/{+b}", "1/2/3/4", "a=1/2/3|b=4" },
        { "{a}.{b}", "..", NULL },
        { "{a}.{b}", "...", "a=.|b=." },
        { "{+a}{?q}", "x?q=1", "a=x?q=1" },
        { "{a}%41{b}", "xAyAz", "a=xAy|b=z" },
        { 0 } };
    check_rows(rows);
}

TEST(nul_in_uri) { CHECK_STR(matched("t://{v}", "t://a\0b", 7), (const char *)NULL); }

/* ---- bounds ---- */

static char *filled(size_t n) { /* "t://aaa...", n bytes */
    char *s = (char *)malloc(n + 1);
    if (!s) harness_die("uri", 0, "out of memory");
    memset(s, 'a', n);
    memcpy(s, "t://", 4);
    s[n] = 0;
    return s;
}

TEST(length) { /* up to 8192 bytes */
    char *s = filled(8193);
    CHECK(matched("t://{v}", s, 8192) != NULL);
    CHECK_STR(matched("t://{v}", s, 8193), (const char *)NULL);
    CHECK(matched("t://{+v}", s, 8192) != NULL);
    CHECK_STR(matched("t://{+v}", s, 8193), (const char *)NULL);
    free(s);
}

static double seconds(const void *text, size_t n) {
    char *s = filled(n);
    s[n - 1] = '!'; /* matches nothing, whatever is tried */
    clock_t from = clock();
    for (int j = 0; j < 4; j++) CHECK_STR(matched((const char *)text, s, n), (const char *)NULL);
    double t = cost_since(from);
    free(s);
    return t;
}

TEST(linear) { /* templates that make a backtracking matcher explode */
    static const char *const texts[] = {
        "t://{a}{b}{c}{d}{e}{f}{g}{h}.", "t://{+a}{+b}{+c}{+d}{+e}b",
        "t://{a}a{b}a{c}a{d}a{e}a{f}a{g}a{h}b" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!CHECK(cost_grows(seconds, texts[i], 2000, 8000, 9))) printf("    %s\n", texts[i]);
}

/* ---- templates that are refused at the start ---- */

static int nothing(mcp_call *c) { return mcp_text(c, mcp_uri(c)); }
static mcp_resource rows[3];

static const char *refused_uri(const char *uri) {
    fresh();
    memset(rows, 0, sizeof rows);
    rows[0].uri = uri;
    rows[0].read = nothing;
    desc.resources = rows;
    return refused();
}

TEST(refusals) {
    static const char *const bad[] = {
        "t://{", "t://{}", "t://{id", "t://{id}}", "t://}{a}", "t://{a}{", "t://{{a}}",
        "t://{a{b}}",
        "t://{a*}", "t://{?a*}", "t://{a:3*}", "t://{a,}", "t://{,a}", "t://{a b}", "t://{+}",
        "t://{a:}", "t://{a:0}", "t://{a:10000}", "t://{a:x}", "t://{a:-1}", "t://{:3}",
        "t://{=a}", "t://{!a}", "t://{@a}", "t://{|a}", "t://{a}/{a}", "t://{\xC3\xA9}" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (!CHECK(*refused_uri(bad[i]))) printf("    %s is served\n", bad[i]);
    CHECK_STR(refused_uri("t://{a}"), "");
    CHECK(strstr(refused_uri("t://{a*}"), "level 4") != NULL);
    char *s = filled(2000);
    memcpy(s + 4, "{x}", 3);
    CHECK(strstr(refused_uri(s), "too long") != NULL);
    free(s);
}

/* ---- which row serves a URI ---- */

static int first(mcp_call *c) { return mcp_textf(c, "first %s", mcp_arg_str(c, "x")); }
static int second(mcp_call *c) { return mcp_textf(c, "second %s", mcp_arg_str(c, "x")); }

/* The text of what is read, or the code of the error. */
static const char *reads(const char *uri) {
    const char *params = text_of("\"uri\":\"%s\"%s%s", uri, "", "");
    const char *r = request(MODERN, "resources/read", params);
    const char *one = part(part(r, "result"), "contents");
    return *one ? part(one + 1, "text") : part(part(r, "error"), "code");
}

TEST(order) { /* exact before any template, templates in the table's order */
    static const mcp_resource table[] = {
        { .uri = "p://{x}", .read = first }, { .uri = "p://{+x}", .read = second },
        { .uri = "p://exact", .text = "exact" }, { .uri = "p://a%20b", .text = "as spelt" },
        { 0 } };
    fresh();
    desc.resources = table;
    start();
    CHECK_STR(reads("p://exact"), "\"exact\"");
    CHECK_STR(reads("p://exacts"), "\"first exacts\"");
    CHECK_STR(reads("p://a/b"), "\"second a/b\"");
    CHECK_STR(reads("p://a%2Fb"), "\"second a/b\"");
    CHECK_STR(reads("p://a%20b"), "\"as spelt\"");
    CHECK_STR(reads("p://a b"), "\"first a b\"");
    CHECK_STR(reads("q://a"), "-32602");
    stop();
}

TEST(typed) { /* a variable in the type of its row; a number is one by its spelling */
    static const mcp_arg args[] = {
        { .name = "on", .type = MCP_BOOLEAN },
        { .name = "id", .type = MCP_INTEGER, .min = "1", .max = "100" }, { 0 } };
    static mcp_resource table[] = {
        { .uri = "n://{id}{?on}", .read = nothing, .args = args }, { 0 } };
    fresh();
    desc.resources = table;
    start();
    CHECK_STR(reads("n://7"), "\"n://7\"");
    CHECK_STR(reads("n://7?on=true"), "\"n://7?on=true\"");
    CHECK_STR(reads("n://0"), "-32602");
    CHECK_STR(reads("n://101"), "-32602");
    CHECK_STR(reads("n://1.5"), "-32602");
    CHECK_STR(reads("n://x"), "-32602");
    CHECK_STR(reads("n://007"), "-32602");
    CHECK_STR(reads("n://7?on=yes"), "-32602");
    stop();
}

/* Without memory it is not known whether it fits: no answer, and not the answer "no". */
TEST(without_memory) {
    char uri[4096] = "a://";
    size_t failures = 0;
    memset(uri + 4, 'x', sizeof uri - 5); /* too much for what the arena has left */
    for (size_t n = 1; n < 8; n++) {
        harness_mem mem = { 0, 0, 0, 0, false, false, true, NULL };
        mcp__mem hook = { { harness_alloc, NULL } };
        mcp__arena arena;
        const char *why = NULL;
        int status = MCP_OK;
        hook.hook.user = &mem;
        mcp__arena_init(&arena, &hook);
        mcp__template *t = mcp__template_new(&arena, "a://{x}", &why);
        if (!CHECK(t != NULL)) return;
        mem.fail_at = mem.calls + n;
        mcp__str text = { uri, strlen(uri) };
        const mcp__str *value = mcp__template_match(t, &arena, text, &status);
        failures += mem.failed;
        CHECK(mem.failed ? !value && status == MCP_NOMEM : value && status == MCP_OK);
        mcp__arena_reset(&arena, 0);
        CHECK_INT(mem.live, 0);
    }
    CHECK(failures > 0);
}

int main(void) {
    RUN(simple);
    RUN(reserved);
    RUN(fragment);
    RUN(label);
    RUN(path);
    RUN(parameters);
    RUN(query);
    RUN(prefix);
    RUN(normal_form);
    RUN(decoding);
    RUN(greedy);
    RUN(nul_in_uri);
    RUN(length);
    RUN(linear);
    RUN(refusals);
    RUN(order);
    RUN(typed);
    RUN(without_memory);
    return DONE();
}
