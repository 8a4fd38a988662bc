/* rest.c - rows with routes over HTTP: the same as their tools say, byte for byte; what is refused,
   at the start and later; OpenAPI; filters, mounts, prefixes */
#include "web.h"

#include "served.h"
#define main routes_main
#include "servers/routes.c"
#undef main

/* ---- a server ---- */

#define FORM "Content-Type: application/x-www-form-urlencoded\n"
#define BODY_JSON "Content-Type: application/json\n"

static void set(void) {
    static char program[] = "routes";
    char *argv[] = { program, NULL };
    fresh();
    routes_main(1, argv);
    desc = served;
}
static void serve_traced(mcp_trace_hook hook) {
    harness_world_init(&w, NULL, &desc);
    w.mem.dirty = true;
    w.desc.clock.func = web_clock;
    w.desc.trace = hook;
    w.server = mcp_server_new(&w.desc);
    if (!CHECK(w.server != NULL)) harness_die("rest", 0, w.log);
}
static void begin(void) {
    set();
    serve();
}
static void end(void) {
    stop();
    fresh();
}

static reply *rest(const char *method, const char *target, const char *headers, const char *body) {
    return request_of(method, target, headers, body, strlen(body), NULL);
}
static reply *get(const char *target) { return rest("GET", target, "", ""); }

/* Why desc is not served, without level and status; "" if it is. */
static const char *why(void) {
    const char *line = refused(), *space = strchr(line, ' ');
    return space ? strchr(space + 1, ' ') + 1 : line;
}

/* "200 {...}" */
static const char *outcome(const reply *r) {
    char status[16];
    snprintf(status, sizeof status, "%d ", r->status);
    return text_of("%s%s%s", status, r->body.at, "");
}

/* ---- both faces ---- */

/* The result of a tool's call over HTTP, as JSON. */
static const char *over_http(const char *tool, const char *args) {
    const char *head = text_of("%sMCP-Protocol-Version: 2026-07-28\nMcp-Method: tools/call\n"
                               "Mcp-Name: %s\n%s", JSON, tool, "");
    const char *body = text_of("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
                               "\"params\":{\"name\":\"%s\",\"arguments\":%s,\"_meta\":{%s}}}",
                               tool, args, HARNESS_META);
    return part(request_of("POST", "/mcp", head, body, strlen(body), NULL)->body.at, "result");
}

/* The text of a result's only block, as JSON. */
static const char *only_text(const char *result_json) {
    static const char before[] = "[{\"type\":\"text\",\"text\":";
    const char *content = part(result_json, "content");
    if (!harness_is(content, before)) return content;
    return keep(content + sizeof before - 1, strlen(content) - sizeof before - 1);
}

typedef struct both { const char *method, *target, *headers, *body, *tool, *args; } both;

/* What REST says is what the tool says, over lines and over HTTP. */
static void check_both(const both *b) {
    const char *mcp = result(MODERN, b->tool, b->args);
    const char *http = over_http(b->tool, b->args);
    const reply *r = rest(b->method, b->target, b->headers, b->body);
    bool good = CHECK_STR(mcp, http) && CHECK(*mcp && r->last);
    if (!strcmp(part(mcp, "isError"), "true")) {
        good &= CHECK(r->status >= 400);
        good &= CHECK_STR(part(r->body.at, "error"), only_text(mcp));
    } else {
        good &= CHECK(r->status >= 200 && r->status < 300);
        good &= CHECK_STR(r->body.at, part(mcp, "structuredContent"));
    }
    good &= CHECK_STR(header(r, "Content-Type"), "application/json");
    if (!good) printf("    %s %s: %d %s\n", b->method, b->target, r->status, r->body.at);
}

TEST(every_route_says_the_same_both_ways_over_both_transports) {
    static const both rows[] = {
        { "POST", "/calculate", FORM, "numbers=1,2,3,4,5", "POST__calculate",
          "{\"numbers\":\"1,2,3,4,5\"}" },
        { "POST", "/calculate", BODY_JSON, "{\"numbers\":\"1\",\"digits\":2.0}", "POST__calculate",
          "{\"numbers\":\"1\",\"digits\":2.0}" },
        { "POST", "/calculate?na_rm=false", BODY_JSON, "{\"numbers\":\"4\"}", "POST__calculate",
          "{\"na_rm\":false,\"numbers\":\"4\"}" },
        { "POST", "/calculate", "", "", "POST__calculate", "{}" },
        { "GET", "/echo", "", "", "GET__echo", "{}" },
        { "GET", "/echo?msg=", "", "", "GET__echo", "{\"msg\":\"\"}" },
        { "GET", "/echo?msg", "", "", "GET__echo", "{\"msg\":\"\"}" },
        { "GET", "/echo?msg=a+b%2Bc%26d%3D%25", "", "", "GET__echo", "{\"msg\":\"a b+c&d=%\"}" },
        { "GET", "/echo?&&msg=%E4%BD%A0%e5%a5%bd&", "", "", "GET__echo",
          "{\"msg\":\"\xE4\xBD\xA0\xE5\xA5\xBD\"}" },
        { "GET", "/echo?msg=%22%5C%0A%00", "", "", "GET__echo",
          "{\"msg\":\"\\\"\\\\\\n\\u0000\"}" },
        { "GET", "/echo?bogus=1", "", "", "GET__echo", "{\"bogus\":1}" },
        { "GET", "/%65ch%6F", "", "", "GET__echo", "{}" },
        { "POST", "/add?a=1.25&b=2", "", "", "POST__add", "{\"a\":1.25,\"b\":2}" },
        { "POST", "/add", FORM, "a=1e400&b=x", "POST__add", "{\"a\":1e400,\"b\":\"x\"}" },
        { "GET", "/boom", "", "", "GET__boom", "{}" },
        { "GET", "/items/9007199254740993/detail", "", "", "GET__items_id_detail",
          "{\"id\":9007199254740993}" },
        { "GET", "/items/7/detail?tags=x&tags=y%2Fz", "", "", "GET__items_id_detail",
          "{\"id\":7,\"tags\":[\"x\",\"y/z\"]}" },
        { "GET", "/items/1.5/detail", "", "", "GET__items_id_detail", "{\"id\":1.5}" },
        { "GET", "/items/seven/detail", "", "", "GET__items_id_detail", "{\"id\":\"seven\"}" },
        { "POST", "/items/-0/detail", BODY_JSON, "{\"tags\":[]}", "POST__items_id_detail",
          "{\"id\":-0,\"tags\":[]}" },
        { "GET", "/", "", "", "GET__", "{}" },
        { "GET", "/every?list=1&names=a&list=2&names=&flag=true&whole=-5&real=1e3&text=x", "", "",
          "GET__every", "{\"list\":[1,2],\"names\":[\"a\",\"\"],\"flag\":true,\"whole\":-5,"
          "\"real\":1e3,\"text\":\"x\"}" },
        { "GET", "/every?maybe=null&any=%5B1%5D&raw=5&point=%7B%22x%22%3A1%7D", "", "",
          "GET__every", "{\"maybe\":null,\"any\":[1],\"raw\":5,\"point\":{\"x\":1}}" },
        { "GET", "/every?points=%5B%7B%22x%22:1%7D,%7B%22x%22:2,%22y%22:3%7D%5D", "", "",
          "GET__every", "{\"points\":[{\"x\":1},{\"x\":2,\"y\":3}]}" },
        { "GET", "/every?point=nonsense&any=words&flag=1&whole=-6&list=1&list=2&list=3&list=4", "",
          "", "GET__every", "{\"point\":\"nonsense\",\"any\":\"words\",\"flag\":\"1\",\"whole\":-6,"
          "\"list\":[1,2,3,4]}" },
        { "POST", "/every", FORM, "list=x&unit=mile&real=1e9&text=&maybe=", "POST__every",
          "{\"list\":[\"x\"],\"unit\":\"mile\",\"real\":1e9,\"text\":\"\",\"maybe\":\"\"}" },
        { "POST", "/every", BODY_JSON, " {\"point\":{\"x\":1,\"z\":2},\"list\":[1,\"2\"]} ",
          "POST__every", "{\"point\":{\"x\":1,\"z\":2},\"list\":[1,\"2\"]}" },
        { "POST", "/every", BODY_JSON, "\xEF\xBB\xBF{\"text\":\"\\ud83d\"}", "POST__every",
          "{\"text\":\"\\ud83d\"}" },
        { "PATCH", "/open?more=1&more=2", BODY_JSON, "{\"name\":\"a\",\"deep\":[{}]}", "open",
          "{\"more\":\"1\",\"more\":\"2\",\"name\":\"a\",\"deep\":[{}]}" },
        { "POST", "/things", BODY_JSON "Accept: application/*;q=0.1\n", "{\"name\":\"new\"}",
          "POST__things", "{\"name\":\"new\"}" },
        { "GET", "/things/known", "", "", "GET__things_name", "{\"name\":\"known\"}" },
        { "GET", "/things/lost", "", "", "GET__things_name", "{\"name\":\"lost\"}" },
        { "PUT", "/things/a%20b+c", BODY_JSON, "{}", "PUT__things_name", "{\"name\":\"a b+c\"}" },
        { "DELETE", "/things/lost", "", "", "DELETE__things_name", "{\"name\":\"lost\"}" },
        { "GET", "/things/special", "", "", "GET__things_special", "{}" },
        { "GET", "/x/y/z", "", "", "GET__a_b_c", "{\"a\":\"x\",\"b\":\"y\",\"c\":\"z\"}" },
        { "GET", "/items/7/details", "", "", "GET__a_b_c",
          "{\"a\":\"items\",\"b\":\"7\",\"c\":\"details\"}" },
        { "GET", "/list?n=3", "", "", "GET__list", "{\"n\":3}" },
        { "POST", "/ask", "", "", "POST__ask", "{}" },
        { "GET", "/words", "", "", "GET__words", "{}" },
        { "GET", "/wrong", "", "", "GET__wrong", "{}" },
        { "GET", "/nothing", "", "", "GET__nothing", "{}" },
        { "POST", "/raw", BODY_JSON, "{\"deep\":[[1]]}", "raw", "{\"deep\":[[1]]}" },
        { "GET", "/v2/things?name=x", "", "", "GET__v2_things", "{\"name\":\"x\"}" },
        { "GET", "/v2?name=x", "", "", "GET__v2", "{\"name\":\"x\"}" } };
    begin();
    CHECK(harness_connect(&w));
    harness_add(&w.out, "", 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].target, "/ask")) check_both(&rows[i]);
    end();
}

TEST(a_status_says_how_it_went) {
    static const struct { const char *method, *target, *outcome; } rows[] = {
        { "POST", "/things?name=new", "201 {\"name\":\"new\"}" },
        { "DELETE", "/things/known", "204 " },
        { "DELETE", "/things/lost", "404 {\"error\":\"not found: lost\"}" },
        { "GET", "/boom", "500 {\"error\":\"kaboom\"}" },
        { "GET", "/items/x/detail", "400 {\"error\":\"Invalid arguments: id: expected integer\"}" },
        { "GET", "/refuses", "400 {\"error\":\"not like this\"}" },
        { "GET", "/wrong", "500 {\"error\":\"Invalid result: n: expected integer\"}" },
        { "GET", "/words", "500 {\"error\":\"Invalid result: no structured content\"}" },
        { "GET", "/two", "500 {\"error\":\"A route that says its mime answers with one block\"}" },
        { "POST", "/ask", "501 {\"error\":\"This needs a client that supports elicitation\"}" },
        { "GET", "/excluded", "200 {}" }, { "GET", "/internal", "200 {}" } };
    begin();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const reply *r = rest(rows[i].method, rows[i].target, "", "");
        if (!CHECK_STR(outcome(r), rows[i].outcome)) printf("    %s\n", rows[i].target);
        CHECK_INT(r->rc, MCP_OK);
        CHECK_INT(r->parts, 1);
    }
    end();
}

TEST(one_block_is_sent_as_it_is) {
    begin();
    const reply *r = get("/greeting?name=you");
    CHECK_STR(outcome(r), "200 hello, you\n");
    CHECK_STR(header(r, "Content-Type"), "text/plain; charset=utf-8");
    r = get("/dot.png");
    CHECK_INT(r->status, 200);
    CHECK_MEM(r->body.at, r->body.n, "\x89PNG\r\n\x1A\n\0\xFF", 10);
    CHECK_STR(header(r, "Content-Type"), "image/png");
    r = get("/all.zip");
    CHECK_MEM(r->body.at, r->body.n, "PK\3\4\0\377", 6);
    CHECK_STR(header(r, "Content-Type"), "application/zip");
    CHECK_STR(part(over_http("GET__all.zip", "{}"), "content"),
              "[{\"type\":\"resource\",\"resource\":{\"uri\":\"mcp://tool/GET__all.zip\","
              "\"mimeType\":\"application/zip\",\"blob\":\"UEsDBAD/\"}}]");
    CHECK_STR(outcome(get("/greeting")), "400 {\"error\":\"Invalid arguments: name: missing\"}");
    CHECK_STR(header(get("/greeting"), "Content-Type"), "application/json");
    end();
}

/* ---- what is refused ---- */

TEST(hostile_targets_are_told_what_is_wrong_with_them) {
    static const struct { const char *target; int rc, status; } rows[] = {
        { "/echo/", MCP_UNSUPPORTED, 0 }, { "//echo", MCP_UNSUPPORTED, 0 },
        { "/echo%", MCP_UNSUPPORTED, 0 }, { "/echo%2F", MCP_UNSUPPORTED, 0 },
        { "/ECHO", MCP_UNSUPPORTED, 0 }, { "/ech", MCP_UNSUPPORTED, 0 },
        { "/echoo", MCP_UNSUPPORTED, 0 }, { "", MCP_UNSUPPORTED, 0 },
        { "echo", MCP_UNSUPPORTED, 0 },
        { "*", MCP_UNSUPPORTED, 0 }, { "http://host/echo", MCP_UNSUPPORTED, 0 },
        { "/things/", MCP_UNSUPPORTED, 0 }, { "/things/.", MCP_UNSUPPORTED, 0 },
        { "/things/..", MCP_UNSUPPORTED, 0 }, { "/things/%2e%2E", MCP_UNSUPPORTED, 0 },
        { "/things/a%2fb", MCP_UNSUPPORTED, 0 }, { "/things/a%00", MCP_UNSUPPORTED, 0 },
        { "/things/%zz", MCP_UNSUPPORTED, 0 }, { "/things/%f", MCP_UNSUPPORTED, 0 },
        { "/things/known/x", MCP_OK, 200 }, { "/a/b", MCP_UNSUPPORTED, 0 },
        { "/a//c", MCP_UNSUPPORTED, 0 }, { "/a/b/c/d", MCP_UNSUPPORTED, 0 },
        { "/things/%FF", MCP_OK, 400 }, { "/things/...", MCP_OK, 404 },
        { "/things/%252e", MCP_OK, 404 }, { "/things/a\\..", MCP_OK, 404 },
        { "/echo?msg=%", MCP_OK, 400 }, { "/echo?msg=%4", MCP_OK, 400 },
        { "/echo?msg=%FF", MCP_OK, 400 }, { "/echo?%FF=1", MCP_OK, 400 },
        { "/echo?msg%00=1", MCP_OK, 400 }, { "/echo?msg=1&msg=2", MCP_OK, 400 },
        { "/echo?msg=%C0%80", MCP_OK, 400 }, { "/echo?=1", MCP_OK, 400 },
        { "/echo?msg[]=1", MCP_OK, 400 }, { "/echo?Msg=1", MCP_OK, 400 },
        { "/things/known?name=other", MCP_OK, 400 }, { "/echo?", MCP_OK, 200 },
        { "/echo??", MCP_OK, 400 }, { "/echo?msg=?x", MCP_OK, 200 },
        { "/every?any=[[[[[[[[[[", MCP_OK, 200 }, { "/every?point={\"x\":1}}", MCP_OK, 400 },
        { "/every?list=", MCP_OK, 400 }, { "/every?maybe=NULL", MCP_OK, 400 },
        { "/every?flag=TRUE", MCP_OK, 400 }, { "/every?whole=0x10", MCP_OK, 400 },
        { "/every?whole=%2B1", MCP_OK, 400 }, { "/every?real=NaN", MCP_OK, 400 },
        { "/every?whole=99999999999999999999", MCP_OK, 400 } };
    begin();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const reply *r = get(rows[i].target);
        bool good = CHECK_INT(r->rc, rows[i].rc) && CHECK_INT(r->status, rows[i].status);
        if (good && r->status >= 400) good = CHECK(*part(r->body.at, "error") == '"');
        if (!good) printf("    %s: %s\n", rows[i].target, r->body.at);
        CHECK(harness_is_json(r->body.at, r->body.n) || !r->body.n);
    }
    CHECK_STR(outcome(get("/echo?msg=1&msg=2")),
              "400 {\"error\":\"Invalid arguments: msg: given more than once\"}");
    end();
}

TEST(hostile_bodies_are_told_what_is_wrong_with_them) {
    static const struct { const char *method, *target, *headers, *body, *outcome; } rows[] = {
        { "POST", "/add", BODY_JSON, "{", "400 {\"error\":\"Parse error\"}" },
        { "POST", "/add", BODY_JSON, " ", "400 {\"error\":\"Parse error\"}" },
        { "POST", "/add", BODY_JSON, "{} {}", "400 {\"error\":\"Parse error\"}" },
        { "POST", "/add", BODY_JSON, "{\"a\":\"\xFF\"}", "400 {\"error\":\"Parse error\"}" },
        { "POST", "/add", BODY_JSON, "[]", "400 {\"error\":\"The body is not a JSON object\"}" },
        { "POST", "/add", BODY_JSON, "null", "400 {\"error\":\"The body is not a JSON object\"}" },
        { "POST", "/add", BODY_JSON, "{\"a\":1,\"b\":NaN}", "400 {\"error\":\"Parse error\"}" },
        { "POST", "/add?a=1", BODY_JSON, "{\"a\":1,\"b\":2}",
          "400 {\"error\":\"Invalid arguments: a: given more than once\"}" },
        { "POST", "/add?a=1", FORM, "a=1&b=2",
          "400 {\"error\":\"Invalid arguments: a: given more than once\"}" },
        { "PUT", "/things/x", BODY_JSON, "{\"name\":\"y\"}",
          "400 {\"error\":\"Invalid arguments: name: given more than once\"}" },
        { "POST", "/add", "", "{}",
          "415 {\"error\":\"Content-Type must be application/json or "
          "application/x-www-form-urlencoded\"}" },
        { "POST", "/add", "Content-Type: multipart/form-data; boundary=x\n", "--x--",
          "415 {\"error\":\"Content-Type must be application/json or "
          "application/x-www-form-urlencoded\"}" },
        { "POST", "/add", BODY_JSON "Content-Encoding: gzip\n", "{}",
          "415 {\"error\":\"Content-Encoding is not supported\"}" },
        { "GET", "/echo", BODY_JSON, "{}",
          "400 {\"error\":\"This method takes no body: its arguments are the query\"}" },
        { "POST", "/add", FORM, "a=%", "400 {\"error\":\"A parameter is escaped wrongly, or not "
          "UTF-8\"}" },
        { "POST", "/add", BODY_JSON "Accept: text/html\n", "{\"a\":1,\"b\":2}",
          "406 {\"error\":\"Accept leaves out what this gives\"}" },
        { "POST", "/add", BODY_JSON "Accept: application/json;q=0\n", "{\"a\":1,\"b\":2}",
          "406 {\"error\":\"Accept leaves out what this gives\"}" },
        { "GET", "/dot.png", "Accept: application/json\n", "",
          "406 {\"error\":\"Accept leaves out what this gives\"}" },
        { "POST", "/raw?x=1", BODY_JSON, "{\"x\":2}", "200 {\"x\":\"1\",\"x\":2}" },
        { "POST", "/add", "Content-Type: Application/JSON; charset=utf-8\n", "{\"a\":1,\"b\":2}",
          "200 {\"result\":3,\"operation\":\"addition\",\"inputs\":[1,2]}" } };
    begin();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const reply *r = rest(rows[i].method, rows[i].target, rows[i].headers, rows[i].body);
        if (!CHECK_STR(outcome(r), rows[i].outcome)) printf("    row:   %u\n", (unsigned)i);
    }
    end();
}

TEST(what_is_too_much_is_refused_and_nothing_else_is_lost) {
    static char body[70000];
    set();
    desc.limits.message = 60000;
    desc.limits.depth = 20;
    serve();
    memset(body, 'x', sizeof body - 1);
    CHECK_STR(outcome(rest("POST", "/things", FORM, body)), "413 {\"error\":\"Message too long\"}");
    for (size_t i = 0; i < sizeof body - 1; i += 2) memcpy(body + i, "x&", 2);
    body[20000] = 0;
    CHECK_STR(outcome(rest("POST", "/things", FORM, body)),
              "413 {\"error\":\"Too many parameters\"}");
    memset(body, '[', 5000);
    memcpy(body, "{\"any\":", 7);
    body[5000] = 0;
    CHECK_STR(outcome(rest("POST", "/every", BODY_JSON, body)),
              "400 {\"error\":\"Nesting too deep\"}");
    memcpy(body, "/every?any=", 11); /* as a text it is one */
    CHECK_INT(get(body)->status, 200);
    CHECK_STR(outcome(get("/nothing")), "200 {}");
    end();
}

TEST(a_method_that_a_path_lacks_is_405_and_allow_has_the_others) {
    static const struct { const char *method, *target, *allow; } rows[] = {
        { "POST", "/echo", "GET, HEAD, OPTIONS" }, { "get", "/echo", "GET, HEAD, OPTIONS" },
        { "TRACE", "/echo", "GET, HEAD, OPTIONS" }, { "GET", "/add", "POST, OPTIONS" },
        { "HEAD", "/add", "POST, OPTIONS" },
        { "POST", "/things/x", "GET, HEAD, PUT, DELETE, OPTIONS" },
        { "POST", "/things/special", "GET, HEAD, PUT, DELETE, OPTIONS" },
        { "PUT", "/openapi.json", "GET, HEAD, OPTIONS" } };
    begin();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const reply *r = rest(rows[i].method, rows[i].target, "", "");
        CHECK_STR(outcome(r), "405 {\"error\":\"Method not allowed\"}");
        CHECK_STR(header(r, "Allow"), rows[i].allow);
        r = rest("OPTIONS", rows[i].target, "", "");
        CHECK_STR(outcome(r), "204 ");
        CHECK_STR(header(r, "Allow"), rows[i].allow);
    }
    CHECK_STR(outcome(rest("PUT", "/things/special", "", "")), "200 {\"name\":\"special\"}");
    const reply *r = rest("OPTIONS", "/add", "Origin: http://localhost:3000\n"
                          "Access-Control-Request-Method: POST\n", "");
    CHECK_STR(header(r, "Access-Control-Allow-Origin"), "http://localhost:3000");
    CHECK_STR(header(r, "Access-Control-Allow-Methods"), "POST, OPTIONS");
    CHECK_STR(header(r, "Access-Control-Allow-Headers"), "Content-Type, Accept, Authorization");
    CHECK_INT(rest("OPTIONS", "/nowhere", "", "")->rc, MCP_UNSUPPORTED);
    end();
}

TEST(a_head_is_a_get_without_its_body) {
    peer p = { NULL, { NULL, 0, 0 }, 0, 0, false, false };
    begin();
    CHECK(peer_open(&p));
    say(&p, "HEAD /echo HTTP/1.1\r\nHost: localhost\r\n\r\nGET /no HTTP/1.1\r\nHost: localhost\r\n"
            "\r\nDELETE /things/known HTTP/1.1\r\nHost: localhost\r\n\r\n");
    CHECK_STR(peer_came(&p),
              "HTTP/1.1 200 OK\r\nDate: Tue, 28 Jul 2026 12:00:00 GMT\r\n"
              "Content-Type: application/json\r\nContent-Length: 31\r\n\r\n"
              "HTTP/1.1 404 Not Found\r\nDate: Tue, 28 Jul 2026 12:00:00 GMT\r\n"
              "Content-Type: application/json\r\nContent-Length: 21\r\n\r\n"
              "{\"error\":\"Not found\"}"
              "HTTP/1.1 204 No Content\r\nDate: Tue, 28 Jul 2026 12:00:00 GMT\r\n\r\n");
    say(&p, "GET /openapi.json HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: *\r\n\r\n");
    const char *came = peer_came(&p); /* no length: it would be that of the document */
    CHECK(harness_is(came, "HTTP/1.1 304 Not Modified\r\n") && !strstr(came, "Content-Length"));
    peer_close(&p);
    end();
}

/* ---- who asks ---- */

static int only_ann(void *user, const mcp_http_request *rq, mcp_auth *auth) {
    (void)user;
    for (const mcp_attr *h = rq->headers; h->key; h++)
        if (!strcmp(h->key, "Authorization") && !strcmp(h->value, "Bearer ann"))
            return auth->principal = "ann", MCP_OK;
    return MCP_REFUSED;
}
static int64_t busy_ms;
static int64_t welcome(void *user, const mcp_http_request *rq, const char *principal) {
    CHECK(user == &busy_ms && *rq->method);
    CHECK_STR(principal, "ann");
    return busy_ms;
}

TEST(a_route_is_for_who_may_ask_and_when) {
    set();
    desc.http.authorize = (mcp_auth_hook){ only_ann, NULL };
    desc.http.rate = (mcp_rate_hook){ welcome, &busy_ms };
    serve();
    const reply *r = get("/caller");
    CHECK_STR(outcome(r), "401 {\"error\":\"Unauthorized\"}");
    CHECK(*header(r, "WWW-Authenticate"));
    CHECK_INT(get("/openapi.json")->status, 401);
    r = rest("GET", "/caller", "Authorization: Bearer ann\nX-Test: a b\n", "");
    CHECK_STR(outcome(r), "200 {\"version\":\"\",\"transport\":\"http\",\"principal\":\"ann\","
                          "\"header\":\"a b\",\"same\":\"a b\",\"can\":0}");
    busy_ms = 1001;
    r = rest("GET", "/caller", "Authorization: Bearer ann\n", "");
    CHECK_STR(outcome(r), "429 {\"error\":\"Too many requests\"}");
    CHECK_STR(header(r, "Retry-After"), "2");
    r = post(JSON "Authorization: Bearer ann\n",
             "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
    CHECK_INT(r->status, 429);
    CHECK_STR(header(r, "Retry-After"), "2");
    CHECK_INT(rest("OPTIONS", "/caller", "", "")->status, 204);
    busy_ms = 0;
    CHECK_INT(rest("GET", "/caller", "Authorization: Bearer ann\n", "")->status, 200);
    end();
}

TEST(a_page_of_elsewhere_is_forbidden) {
    begin();
    CHECK_STR(outcome(rest("POST", "/things?name=x", "Host: evil.example\n", "")),
              "403 {\"error\":\"Forbidden host: evil.example\"}");
    const reply *r = rest("POST", "/things?name=x",
                          "Host: localhost\nOrigin: https://evil.example\n", "");
    CHECK_STR(outcome(r), "403 {\"error\":\"Forbidden origin: https://evil.example\"}");
    r = rest("GET", "/nothing", "Host: localhost\nOrigin: http://localhost:99\n", "");
    CHECK_STR(outcome(r), "200 {}");
    CHECK_STR(header(r, "Access-Control-Allow-Origin"), "http://localhost:99");
    end();
}

/* ---- what takes longer ---- */

static unsigned gave_up;
static mcp_call *held;
static void be_told(void *arg) { (void)arg, gave_up++; }
static int holds(mcp_call *c) {
    held = c;
    mcp_on_cancel(c, be_told, NULL);
    return mcp_defer(c);
}
static reply *inner;
static int nests(mcp_call *c) { /* another request arrives while this one runs */
    inner = get("/hold");
    CHECK_INT(inner->rc, MCP_PENDING);
    CHECK(!mcp_cancelled(c));
    return MCP_OK;
}
static const mcp_tool slow[] = { { .call = holds, .route = "GET /hold" },
                                 { .call = nests, .route = "GET /nest" }, { 0 } };

TEST(an_answer_may_come_later) {
    begin();
    reply *r = get("/later");
    CHECK_INT(r->rc, MCP_PENDING);
    CHECK_INT(r->parts, 0);
    sleep_ms(10);
    CHECK_STR(outcome(r), "200 {\"when\":\"later\"}");
    r = get("/again"); /* it kept something, and runs again a second later */
    CHECK_INT(r->rc, MCP_PENDING);
    sleep_ms(1000);
    CHECK_STR(outcome(r), "200 {\"kept\":\"kept\"}");
    end();
}

TEST(who_hangs_up_cancels_and_the_call_stays_valid) {
    fresh();
    desc.tools = slow;
    gave_up = 0;
    serve();
    reply *r = get("/hold");
    mcp_http_gone(w.server, r);
    CHECK_INT(gave_up, 1);
    mcp_put_str(mcp_structured(held), "too", "late");
    mcp_done(held, MCP_OK);
    CHECK_INT(r->parts, 0);
    r = get("/nest");
    CHECK_STR(outcome(r), "200 {}");
    CHECK_INT(inner->parts, 0);
    mcp_poll(w.server);
    mcp_done(held, MCP_OK);
    CHECK_STR(outcome(inner), "200 {}");
    r = get("/hold");
    r->fail_at = 1; /* who waited does not take it */
    mcp_done(held, MCP_OK);
    CHECK_INT(r->parts, 1);
    get("/hold"); /* open when the server goes */
    mcp_server_free(w.server);
    w.server = NULL;
    CHECK_INT(gave_up, 2);
    end();
}

/* ---- spans ---- */

static const char *span_text;
static void trace(void *user, const mcp_span *span) {
    harness_bytes b = { NULL, 0, 0 };
    (void)user;
    harness_add(&b, span->name, strlen(span->name));
    for (const mcp_attr *a = span->attrs; a->key; a++) {
        const char *pair = text_of(" %s=%s%s", a->key, a->value, "");
        harness_add(&b, pair, strlen(pair));
    }
    const char *end = text_of(" parent=%s state=%s %s", span->parent_id, span->tracestate,
                              span->status == MCP_OK ? "ok" : "failed");
    harness_add(&b, end, strlen(end));
    span_text = keep(b.at, b.n);
    free(b.at);
}

TEST(a_request_has_one_span_with_the_names_of_http) {
    static const char tcp[] = "network.transport=tcp network.protocol.name=http ";
    set();
    desc.http.prefix = "/api";
    serve_traced((mcp_trace_hook){ trace, NULL });
    rest("GET", "/api/things/secret?x=secret",
         "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\n"
         "tracestate: a=b\n", "");
    CHECK_STR(span_text, text_of("GET /api/things/{name} %shttp.request.method=GET "
                                 "http.route=/api/things/{name} http.response.status_code=400 "
                                 "parent=b7ad6b7169203331 state=a=b ok%s%s", tcp, "", ""));
    rest("GET", "/api/boom", "traceparent: junk\n", "");
    CHECK_STR(span_text, text_of("GET /api/boom %shttp.request.method=GET http.route=/api/boom "
                                 "http.response.status_code=500 error.type=500 parent= state= "
                                 "failed%s%s", tcp, "", ""));
    rest("HEAD", "/api/echo", "Accept: text/html\n", "");
    CHECK_STR(span_text, text_of("HEAD /api/echo %shttp.request.method=HEAD http.route=/api/echo "
                                 "http.response.status_code=406 parent= state= ok%s%s", tcp, "",
                                 ""));
    span_text = "";
    reply *r = get("/api/later");
    CHECK_STR(span_text, "");
    mcp_http_gone(w.server, r);
    sleep_ms(10);
    CHECK_STR(span_text, text_of("GET /api/later %shttp.request.method=GET http.route=/api/later "
                                 "error.type=cancelled parent= state= failed%s%s", tcp, "", ""));
    end();
}

/* ---- OpenAPI ---- */

TEST(the_document_is_there_and_has_a_tag) {
    set();
    desc.exclude = NULL;
    serve();
    const reply *r = get("/openapi.json");
    const char *tag = header(r, "ETag");
    CHECK_INT(r->status, 200);
    CHECK_INT(strlen(tag), 34);
    CHECK_STR(part(r->body.at, "openapi"), "\"3.1.0\"");
    CHECK_STR(part(part(r->body.at, "info"), "title"), "\"routes\"");
    const char *paths = part(r->body.at, "paths");
    CHECK_STR(part(part(part(paths, "/items/{id}/detail"), "get"), "operationId"),
              "\"GET__items_id_detail\"");
    CHECK(*part(part(paths, "/internal"), "get"));
    CHECK_STR(part(part(part(paths, "/dot.png"), "get"), "parameters"), "[]");
    const char *again = keep(r->body.at, r->body.n);
    const char *if_same = text_of("If-None-Match: \"other\", W/%s\n%s%s", tag, "", "");
    r = rest("GET", "/openapi.json?x=1", if_same, "");
    CHECK_STR(outcome(r), "304 ");
    CHECK_STR(header(r, "ETag"), tag);
    CHECK_STR(outcome(rest("HEAD", "/openapi.json", "If-None-Match: *\n", "")), "304 ");
    r = rest("GET", "/openapi.json", "If-None-Match: \"other\"\n", "");
    CHECK_STR(r->body.at, again);
    CHECK_INT(rest("GET", "/openapi.json", "Accept: text/html\n", "")->status, 406);
    CHECK(harness_connect(&w));
    harness_add(&w.out, "", 0);
    const char *read = request(MODERN, "resources/read", "\"uri\":\"mcp://server/openapi.json\"");
    mcp_writer out;
    static char quoted[200000];
    mcp_write_hook none = { NULL, NULL };
    mcp_writer_init(&out, quoted, sizeof quoted, none);
    mcp_put_str(&out, NULL, again);
    CHECK_INT(mcp_writer_end(&out), MCP_OK);
    CHECK(strstr(read, quoted) != NULL); /* the resource is the same text */
    CHECK_INT(mcp_server_set_tools(w.server, slow), MCP_OK);
    r = rest("GET", "/openapi.json", if_same, "");
    CHECK_INT(r->status, 200);
    CHECK(strcmp(header(r, "ETag"), tag) != 0);
    CHECK_INT(mcp_server_set_tools(w.server, NULL), MCP_OK);
    CHECK_INT(get("/openapi.json")->rc, MCP_UNSUPPORTED);
    end();
}

TEST(a_row_may_have_the_path_of_the_document) {
    static const mcp_tool own[] = { { .name = "own", .call = words, .route = "GET /openapi.json",
                                      .mime = "text/plain" }, { 0 } };
    static const mcp_tool any[] = { { .call = given, .route = "GET /{any}" }, { 0 } };
    fresh();
    desc.tools = own;
    serve();
    CHECK_STR(outcome(get("/openapi.json")), "200 only words");
    CHECK_INT(mcp_server_set_tools(w.server, any), MCP_OK);
    CHECK(harness_is(get("/openapi.json")->body.at, "{\"openapi\":\"3.1.0\""));
    CHECK_STR(outcome(get("/other.json")), "200 {\"any\":\"other.json\"}");
    end();
}

TEST(info_says_what_the_server_is) {
    begin();
    CHECK(harness_connect(&w));
    harness_add(&w.out, "", 0);
    const char *read = request(MODERN, "resources/read", "\"uri\":\"mcp://server/info\"");
    CHECK(strstr(read, "routes 0.0.0\\nlibrary: mcp.h " MCP_VERSION "\\nprotocol versions: "
                       "2026-07-28 2025-11-25 2025-06-18 2025-03-26 2024-11-05\\n"
                       "bytes of a message: 10485760") != NULL);
    end();
}

/* ---- names, filters, mounts, prefixes ---- */

#define ROW(...) static const mcp_tool rows[] = { __VA_ARGS__, { 0 } }; desc.tools = rows
#define REFUSED(line, ...) do { fresh(); ROW(__VA_ARGS__); CHECK_STR(why(), line); } while (0)
#define R(path) { .call = given, .route = path }

TEST(a_mistake_in_a_route_is_one_line_at_the_start) {
    static const mcp_arg array_args[] = { { .name = "id", .type = MCP_ARRAY }, { 0 } };
    static const char form[] = "route \"%s\": a route is GET, HEAD, POST, PUT, PATCH or DELETE, a "
                               "space and a path: \"GET /items/{id}\"";
    static const char *const bad[] = { "GET", "GET items", "/items", "get /items", "GET  /items",
                                       "OPTIONS /items", "GET/items", " GET /items" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        mcp_tool rows[] = { { .call = given }, { 0 } };
        rows[0].route = bad[i];
        fresh();
        desc.tools = rows;
        CHECK_STR(why(), text_of(form, bad[i], "", ""));
    }
    REFUSED("tool \"GET__a_b\": the name appears twice", R("GET /a/b"), R("GET /a_b"));
    REFUSED("tool \"GET__x\": the name appears twice", R("GET /x"),
            { .name = "GET__x", .call = given });
    REFUSED("route \"GET /a/{y}\": another row has the same method and path", R("GET /a/{x}"),
            R("GET /a/{y}"));
    REFUSED("tool \"GET__a~b\": a name is made of A-Z a-z 0-9 _ . -", R("GET /a~b"));
    REFUSED("route \"GET /a b\": the path has a character that has to be escaped", R("GET /a b"));
    REFUSED("route \"GET /a%20b\": the path has a character that has to be escaped",
            R("GET /a%20b"));
    REFUSED("route \"GET /a/\": the path has an empty segment", R("GET /a/"));
    REFUSED("route \"GET //a\": the path has an empty segment", R("GET //a"));
    REFUSED("route \"GET /a/x{id}\": a variable is a whole segment of the path",
            R("GET /a/x{id}"));
    REFUSED("route \"GET /a/{id\": a variable is a whole segment of the path", R("GET /a/{id"));
    REFUSED("route \"GET /{}\": a variable has no name", R("GET /{}"));
    REFUSED("route \"GET /<:int>\": a variable has no name", R("GET /<:int>"));
    REFUSED("route \"GET /{a}/{a}\": a variable stands twice in the path", R("GET /{a}/{a}"));
    REFUSED("route \"GET /a?b=1\": a route has no query: its args are that", R("GET /a?b=1"));
    REFUSED("route \"GET /{id}\": argument \"id\": a variable of a path is a string, a number or a "
            "boolean", { .args = array_args, .call = given, .route = "GET /{id}" });
    REFUSED("route \"GET /mcp\": its path is one of MCP's own", R("GET /mcp"));
    REFUSED("route \"GET /mcp/messages\": its path is one of MCP's own", R("GET /mcp/messages"));
    REFUSED("route \"GET /x\": a path and a query need args, which a schema cannot be",
            { .call = given, .route = "GET /x", .schema = "{\"type\":\"object\"}" });
    REFUSED("route \"GET /x\": it has both a mime and a shape of its value",
            { .call = given, .route = "GET /x", .mime = "text/csv", .out = name_out });
    REFUSED("tool \"x\": mime and MCP_HIDDEN are for rows with a route",
            { .name = "x", .call = given, .flags = MCP_HIDDEN });
    REFUSED("tool \"GET__x\": it has no handler", { .route = "GET /x" });
    REFUSED("route \"/v2\": a mount has a path, \"/v2\", rows, and nothing else",
            { .call = given, .route = "/v2", .mount = second });
    REFUSED("route \"v2\": a mount has a path, \"/v2\", rows, and nothing else",
            { .route = "v2", .mount = second });
    REFUSED("tool \"x\": a row behind it has no name", { .name = "x", .call = given },
            { .call = given });
}

TEST(a_name_has_128_characters_at_most_and_a_path_32_segments) {
    char path[300] = "GET /", line[400];
    mcp_tool rows[] = { { .call = given }, { 0 } };
    memset(path + 5, 'x', 123);
    rows[0].route = path;
    fresh();
    desc.tools = rows;
    CHECK_STR(why(), "");
    strcat(path, "x");
    desc.tools = rows;
    snprintf(line, sizeof line, "tool \"GET__%.123s\": a name has 1 to 128 characters", path + 5);
    CHECK_STR(why(), line);
    strcpy(path, "GET ");
    for (int i = 0; i < 33; i++) strcat(path, "/a");
    desc.tools = rows;
    snprintf(line, sizeof line, "route \"%s\": the path has too many segments", path);
    CHECK_STR(why(), line);
}

TEST(filters_are_of_tools_and_rest_stays) {
    ROW(R("GET /a"), R("GET /b"), R("GET /c"), { .name = "d", .call = given });
    fresh();
    desc.tools = rows;
    desc.include = "GET__a|GET__b|d";
    desc.exclude = "GET__b";
    serve();
    CHECK(harness_connect(&w));
    harness_add(&w.out, "", 0);
    const char *list_json = request("2025-03-26", "tools/list", "");
    CHECK(strstr(list_json, "\"GET__a\"") && strstr(list_json, "\"d\""));
    CHECK(!strstr(list_json, "\"GET__b\"") && !strstr(list_json, "\"GET__c\""));
    CHECK_STR(result(MODERN, "GET__b", "{}"), "");
    CHECK(strstr(w.out.at, "Unknown tool: GET__b") != NULL);
    CHECK_STR(outcome(get("/b")), "200 {}");
    CHECK_STR(outcome(get("/c")), "200 {}");
    end();
    desc.tools = rows;
    desc.include = "GET__a|GET__z";
    CHECK_STR(why(), "filter \"GET__z\": there is no tool of that name to include or exclude");
    desc.include = NULL;
    desc.exclude = "";
    CHECK_STR(why(), "");
    desc.exclude = "|";
    CHECK_STR(why(), "filter \"\": there is no tool of that name to include or exclude");
}

TEST(a_prefix_is_before_every_path_and_in_no_name) {
    static const char *const bad[] = { "api", "/", "/api/", "/{x}", "/a/:x" };
    ROW(R("GET /"), R("GET /mcp"), { .route = "/v2", .mount = second });
    fresh();
    desc.tools = rows;
    desc.http.prefix = "/api";
    serve();
    CHECK_STR(outcome(get("/api")), "200 {}");
    CHECK_STR(outcome(get("/api/mcp")), "200 {}");
    CHECK_STR(outcome(get("/api/v2?name=x")), "200 {\"name\":\"x\"}");
    CHECK_INT(get("/")->rc, MCP_UNSUPPORTED);
    CHECK_INT(get("/openapi.json")->rc, MCP_UNSUPPORTED);
    const char *paths = part(get("/api/openapi.json")->body.at, "paths");
    CHECK(*part(paths, "/api") && *part(paths, "/api/mcp") && *part(paths, "/api/v2/things"));
    CHECK(harness_connect(&w));
    harness_add(&w.out, "", 0);
    CHECK(strstr(request(MODERN, "tools/list", ""), "\"name\":\"GET__v2_things\"") != NULL);
    CHECK(strstr(w.out.at, "Path: /api/v2/things") && strstr(w.out.at, "Endpoint: GET /api\\n"));
    end();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        desc.tools = rows;
        desc.http.prefix = bad[i];
        CHECK_STR(why(), text_of("prefix \"%s\": it is not a path like \"/api\"%s%s", bad[i], "",
                                     ""));
    }
}

TEST(mounts_nest_and_do_not_go_on_for_ever) {
    static mcp_tool deep[12][2];
    memset(deep, 0, sizeof deep);
    for (int i = 0; i < 12; i++) deep[i][0].route = "/m", deep[i][0].mount = deep[(i + 1) % 12];
    fresh();
    desc.tools = deep[0];
    CHECK_STR(why(), "route \"/m\": mounts nest too deep");
    deep[8][0].mount = NULL, deep[8][0].route = "GET /", deep[8][0].call = given;
    serve();
    CHECK_STR(outcome(get("/m/m/m/m/m/m/m/m")), "200 {}");
    end();
}

TEST(hints_are_the_methods_unless_the_row_says_otherwise) {
    static const char expected[] =
        "GET {\"readOnlyHint\":true}HEAD {\"readOnlyHint\":true}POST PUT {\"idempotentHint\":true}"
        "PATCH DELETE {\"destructiveHint\":true,\"idempotentHint\":true}"
        "DELETE {\"destructiveHint\":false,\"idempotentHint\":true}";
    ROW(R("GET /x"), R("HEAD /x"), R("POST /x"), R("PUT /x"), R("PATCH /x"), R("DELETE /x"),
        { .call = given, .route = "DELETE /y", .hints = MCP_NOT_DESTRUCTIVE });
    harness_bytes got = { NULL, 0, 0 };
    fresh();
    desc.tools = rows;
    start();
    const char *tools = part(part(request("2025-06-18", "tools/list", ""), "result"), "tools");
    const char *end_of = tools + strlen(tools);
    for (const char *s = tools + 1; *s == '{'; s += *s == ',') {
        const char *tool = keep(s, (size_t)(harness_skip(s, end_of) - s));
        const char *title = part(tool, "title"), *hints = part(tool, "annotations");
        const char *last = strstr(hints, ",\"title\"");
        const char *bare = *hints ? keep(hints, (size_t)(last - hints)) : "";
        const char *line = text_of("%s %s%s", keep(title + 1, strcspn(title, " ") - 1), bare,
                                   *hints ? "}" : "");
        harness_add(&got, line, strlen(line));
        s = harness_skip(s, end_of);
    }
    CHECK_STR(got.at, expected);
    free(got.at);
    stop();
}

TEST(without_routing_a_route_is_refused) {
    mcp_server *s;
    set();
    harness_world_init(&w, NULL, &desc);
    s = inside_server_without_system(&w.desc);
    CHECK(!s);
    CHECK_STR(w.log, "5 -8 tool \"routes\": MCP_TOOLS_ONLY is defined");
    harness_close(&w);
    harness_world_free(&w);
    fresh();
}

/* ---- many, and at random ---- */

static uint32_t seed;
static uint32_t chance(uint32_t n) {
    return (seed = seed * 1664525u + 1013904223u) / 65536u % n;
}

/* A matcher that tries one route after another: does a route (its path) fit, and how literal? */
static int fits(const char *route, const char *path, int *literal) {
    *literal = 0;
    for (int bit = 1 << 20; *route && *path; bit >>= 1) {
        size_t n = strcspn(route + 1, "/"), m = strcspn(path + 1, "/");
        if (*route != '/' || *path != '/' || !m) return 0;
        if (route[1] != '{') {
            if (n != m || memcmp(route + 1, path + 1, n)) return 0;
            *literal |= bit;
        }
        route += n + 1, path += m + 1;
    }
    return !*route && !*path;
}

enum { MANY = 300 };
TEST(a_walk_finds_what_trying_them_all_would) {
    static char route[MANY][40], shape[MANY][40], name[MANY][8];
    static mcp_tool rows[MANY + 1];
    static const char *const words_of[] = { "a", "b", "ab", "{v}" };
    seed = 7;
    memset(rows, 0, sizeof rows);
    size_t n = 0;
    for (int tries = 0; tries < 2000 && n < MANY; tries++) {
        char *r = route[n], *s = shape[n];
        size_t i = 0;
        strcpy(r, "GET ");
        *s = 0;
        for (uint32_t segments = 1 + chance(5), k = 0; k < segments; k++) {
            uint32_t word = chance(4);
            char variable[16];
            snprintf(variable, sizeof variable, "{v%u}", (unsigned)k);
            strcat(strcat(s, "/"), words_of[word]);
            strcat(strcat(r, "/"), word == 3 ? variable : words_of[word]);
        }
        while (i < n && strcmp(shape[i], s)) i++;
        if (i < n) continue;
        snprintf(name[n], sizeof name[n], "t%u", (unsigned)n);
        rows[n].name = name[n];
        rows[n].route = r;
        rows[n++].call = given;
    }
    CHECK(n > 100);
    fresh();
    desc.tools = rows;
    serve();
    for (int tries = 0; tries < 3000; tries++) {
        char path[60] = "";
        static const char *const asked[] = { "a", "b", "ab", "c", "aa" };
        for (uint32_t segments = 1 + chance(6); segments; segments--)
            strcat(strcat(path, "/"), asked[chance(5)]);
        int best = -1, literal, most = -1;
        for (size_t i = 0; i < n; i++)
            if (fits(shape[i], path, &literal) && literal > most) most = literal, best = (int)i;
        const reply *r = rest("PUT", path, "", ""); /* 405: the path is there */
        CHECK_INT(r->rc, best < 0 ? MCP_UNSUPPORTED : MCP_OK);
        if (best < 0) continue;
        r = get(path);
        size_t variables = 0, members = 0;
        for (const char *s = shape[best]; (s = strchr(s, '{')) != NULL; s++) variables++;
        for (const char *s = r->body.at; (s = strchr(s, ':')) != NULL; s++) members++;
        if (!CHECK_INT(members, variables)) printf("    %s: %s\n", path, r->body.at);
    }
    end();
}

/* A random text: what needs escapes, and what does not. */
static void random_text(harness_bytes *plain) {
    static const char *const parts[] = {
        "a", "7", " ", "+", "&", "=", "%", "/", "\"", "\\", "?", "#", "\xC3\xA9",
        "\xF0\x9F\x8E\x89", "null", "true", "1e5", "," };
    for (uint32_t n = chance(4); n; n--) {
        const char *s = parts[chance(sizeof parts / sizeof *parts)];
        harness_add(plain, s, strlen(s));
    }
    harness_add(plain, "", 0);
}

static void add_escaped(harness_bytes *to, const char *s) {
    char hex[8];
    for (; *s; s++) {
        bool bare = (*s >= 'a' && *s <= 'z') || (*s >= '0' && *s <= '9');
        if (bare && chance(8)) harness_add(to, s, 1);
        else if (*s == ' ' && chance(2)) harness_add(to, "+", 1);
        else snprintf(hex, sizeof hex, chance(2) ? "%%%02x" : "%%%02X", (unsigned char)*s),
             harness_add(to, hex, 3);
    }
}

/* One value for that row: as a text for the query, as JSON for a tool. */
static void random_value(mcp_type type, harness_bytes *text, mcp_writer *w_, const char *key) {
    static const char *const numbers[] = {
        "0", "-0", "1", "-1", "2.5", "1.0", "1e2", "-3E-1", "12345678901", "9007199254740993",
        "1e400", "99999999999999999999" };
    text->n = 0;
    if (type == MCP_INTEGER || type == MCP_NUMBER) {
        const char *s = numbers[chance(12)];
        if (chance(6)) {
            harness_add(text, s, strlen(s) + 1);
            mcp_put_raw(w_, key, s);
            return;
        }
    } else if (type == MCP_BOOLEAN && chance(6)) {
        const char *s = chance(2) ? "true" : "false";
        harness_add(text, s, strlen(s) + 1);
        mcp_put_bool(w_, key, *s == 't');
        return;
    }
    if (type != MCP_STRING) harness_add(text, "x", 1); /* never a number */
    random_text(text);
    mcp_put_str(w_, key, text->at);
}

TEST(random_tables_and_requests_mean_the_same_both_ways) {
    static const mcp_type types[] = { MCP_STRING, MCP_NUMBER, MCP_INTEGER, MCP_BOOLEAN, MCP_ARRAY };
    static const char *const names[] = { "a", "b", "c d", "e&f", "g=", "\xC3\xBC", "h" };
    static char json[20000];
    harness_bytes query = { NULL, 0, 0 }, text = { NULL, 0, 0 };
    int good = 0, bad = 0;
    seed = 42;
    for (int table = 0; table < 60; table++) {
        mcp_arg args[8];
        size_t n = 1 + chance(6);
        memset(args, 0, sizeof args);
        for (size_t i = 0; i < n; i++) {
            args[i].name = names[i];
            args[i].type = types[chance(5)];
            if (args[i].type == MCP_ARRAY) args[i].items = types[chance(4)];
            if (args[i].type == MCP_INTEGER && chance(2)) args[i].min = "0";
            bool text_row = args[i].type == MCP_STRING && chance(2);
            if (text_row) args[i].def = "left out", args[i].max_length = 9;
            else if (!chance(3)) args[i].flags = MCP_REQUIRED;
        }
        mcp_tool rows[] = { { .name = "got", .args = args, .call = given, .route = "GET /x" },
                            { .name = "posted", .args = args, .call = given, .route = "POST /x" },
                            { 0 } };
        fresh();
        desc.tools = rows;
        serve();
        CHECK(harness_connect(&w));
        harness_add(&w.out, "", 0);
        for (int tries = 0; tries < 20; tries++) {
            mcp_writer out;
            mcp_write_hook none = { NULL, NULL };
            mcp_writer_init(&out, json, sizeof json, none);
            mcp_put_obj(&out, NULL);
            query.n = 0;
            for (size_t i = 0; i < n; i++) {
                bool many = args[i].type == MCP_ARRAY;
                uint32_t items_n = !chance(4) ? 0 : many ? 1 + chance(3) : 1;
                if (many && items_n) mcp_put_arr(&out, args[i].name);
                for (uint32_t k = 0; k < items_n; k++) {
                    random_value(many ? args[i].items : args[i].type, &text, &out,
                                 many ? NULL : args[i].name);
                    if (query.n) harness_add(&query, "&", 1);
                    add_escaped(&query, args[i].name);
                    harness_add(&query, "=", 1);
                    add_escaped(&query, text.at);
                }
                if (many && items_n) mcp_put_end(&out);
            }
            if (!chance(10)) {
                mcp_put_str(&out, "unknown", "");
                harness_add(&query, query.n ? "&unknown" : "unknown", query.n ? 8 : 7);
            }
            mcp_put_end(&out);
            CHECK_INT(mcp_writer_end(&out), MCP_OK);
            harness_add(&query, "", 0);
            const char *target = text_of("/x?%s%s%s", query.at, "", "");
            both ways[] = { { "GET", target, "", "", "got", json },
                            { "POST", "/x", FORM, query.at, "posted", json },
                            { "POST", "/x", BODY_JSON, json, "posted", json } };
            for (size_t i = 0; i < 3; i++) check_both(&ways[i]);
            if (strcmp(part(result(MODERN, "got", json), "isError"), "true")) good++;
            else bad++;
        }
        end();
    }
    CHECK(good > 100 && bad > 100); /* both kinds were seen */
    free(query.at);
    free(text.at);
}

/* ---- memory ---- */

TEST(after_a_while_a_request_costs_no_allocation) {
    static const both rows[] = {
        { "GET", "/things/known", "", "", NULL, NULL }, { "GET", "/boom", "", "", NULL, NULL },
        { "GET", "/every?list=1&list=2&any=[1]", "", "", NULL, NULL },
        { "POST", "/add?a=1", BODY_JSON, "{\"b\":2}", NULL, NULL },
        { "GET", "/echo?msg=%", "", "", NULL, NULL }, { "PUT", "/echo", "", "", NULL, NULL },
        { "GET", "/dot.png", "", "", NULL, NULL },
        { "GET", "/caller", "X-Test: 1\n", "", NULL, NULL } };
    const size_t n = sizeof rows / sizeof *rows;
    begin();
    for (size_t i = 0; i < 3 * n; i++) {
        const both *b = &rows[i % n];
        size_t before = w.mem.calls;
        rest(b->method, b->target, b->headers, b->body);
        if (i >= n && !CHECK_INT(w.mem.calls, before)) printf("    %s\n", b->target);
    }
    end();
}

TEST(each_allocation_of_the_start_may_fail) {
    for (size_t at = 1;; at++) {
        set();
        harness_world_init(&w, NULL, &desc);
        w.mem.dirty = true;
        w.mem.fail_at = at;
        w.server = mcp_server_new(&w.desc);
        bool failed = w.mem.failed;
        CHECK(!w.server == failed);
        if (failed) CHECK_STR(w.log, "5 -1 out of memory");
        CHECK(harness_close(&w));
        harness_world_free(&w);
        if (!failed) break;
        CHECK(at < 3000);
    }
    fresh();
}

TEST(each_allocation_of_a_request_may_fail_and_the_next_one_works) {
    static const both rows[] = {
        { "GET", "/things/known", "", "", NULL, NULL },
        { "GET", "/openapi.json", "", "", NULL, NULL },
        { "GET", "/every?list=1&list=2&any=[1]&bogus=1", "", "", NULL, NULL },
        { "POST", "/every", FORM, "names=a&names=b&text=c", NULL, NULL },
        { "POST", "/add?a=1", BODY_JSON, "{\"b\":2}", NULL, NULL },
        { "POST", "/add?a=1", BODY_JSON, "{\"a\":2}", NULL, NULL },
        { "GET", "/dot.png", "", "", NULL, NULL }, { "GET", "/two", "", "", NULL, NULL },
        { "GET", "/refuses", "", "", NULL, NULL },
        { "GET", "/caller", "X-Test: 1\n", "", NULL, NULL },
        { "GET", "/later", "", "", NULL, NULL }, { "GET", "/again", "", "", NULL, NULL } };
    set();
    serve_traced((mcp_trace_hook){ trace, NULL });
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t at = 1;; at++) {
            w.mem.fail_at = w.mem.calls + at;
            w.mem.failed = false;
            reply *r = rest(rows[i].method, rows[i].target, rows[i].headers, rows[i].body);
            sleep_ms(1000);
            bool failed = w.mem.failed;
            w.mem.fail_at = 0;
            bool good = CHECK(r->last || (failed && r->rc == MCP_NOMEM));
            if (r->body.n && r->status != 200)
                good &= CHECK(harness_is_json(r->body.at, r->body.n));
            if (!good) printf("    %s at %u: %s\n", rows[i].target, (unsigned)at, outcome(r));
            mcp_http_gone(w.server, r);
            CHECK_STR(outcome(get("/nothing")), "200 {}");
            if (!failed) break;
            CHECK(at < 1000);
        }
    end();
}

int main(void) {
    fresh();
    RUN(every_route_says_the_same_both_ways_over_both_transports);
    RUN(a_status_says_how_it_went);
    RUN(one_block_is_sent_as_it_is);
    RUN(hostile_targets_are_told_what_is_wrong_with_them);
    RUN(hostile_bodies_are_told_what_is_wrong_with_them);
    RUN(what_is_too_much_is_refused_and_nothing_else_is_lost);
    RUN(a_method_that_a_path_lacks_is_405_and_allow_has_the_others);
    RUN(a_head_is_a_get_without_its_body);
    RUN(a_route_is_for_who_may_ask_and_when);
    RUN(a_page_of_elsewhere_is_forbidden);
    RUN(an_answer_may_come_later);
    RUN(who_hangs_up_cancels_and_the_call_stays_valid);
    RUN(a_request_has_one_span_with_the_names_of_http);
    RUN(the_document_is_there_and_has_a_tag);
    RUN(a_row_may_have_the_path_of_the_document);
    RUN(info_says_what_the_server_is);
    RUN(a_mistake_in_a_route_is_one_line_at_the_start);
    RUN(a_name_has_128_characters_at_most_and_a_path_32_segments);
    RUN(filters_are_of_tools_and_rest_stays);
    RUN(a_prefix_is_before_every_path_and_in_no_name);
    RUN(mounts_nest_and_do_not_go_on_for_ever);
    RUN(hints_are_the_methods_unless_the_row_says_otherwise);
    RUN(without_routing_a_route_is_refused);
    RUN(a_walk_finds_what_trying_them_all_would);
    RUN(random_tables_and_requests_mean_the_same_both_ways);
    RUN(after_a_while_a_request_costs_no_allocation);
    RUN(each_allocation_of_the_start_may_fail);
    RUN(each_allocation_of_a_request_may_fail_and_the_next_one_works);
    return DONE();
}
