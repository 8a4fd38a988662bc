/* example_rest.c - examples/rest.c: the quick start as it is printed, over HTTP and as tools */
#include "web.h"

#include "served.h"
#define main rest_main
#include "../examples/rest.c"
#undef main

#define FORM "Content-Type: application/x-www-form-urlencoded\n"
#define BODY_JSON "Content-Type: application/json\n"

static int run(const char *a, const char *b, const char *c) {
    static char words[4][32] = { "rest", "", "", "" };
    char *argv[5] = { words[0], NULL, NULL, NULL, NULL };
    const char *const given[3] = { a, b, c };
    int n = 1;
    for (int i = 0; i < 3; i++)
        if (given[i]) strcpy(words[n], given[i]), argv[n] = words[n], n++;
    memset(&served, 0, sizeof served);
    return rest_main(n, argv);
}

TEST(it_says_how_to_be_used) {
    CHECK_INT(run(NULL, NULL, NULL), 2);
    CHECK_INT(run("--http", NULL, NULL), 2);
    CHECK_INT(run("--http", "many", NULL), 2);
    CHECK_INT(run("--stdio", "--http", "80"), 2);
    CHECK_INT(run("--help", NULL, NULL), 2);
    CHECK(!served.name);
    CHECK_INT(run("--http", "8000", NULL), 0);
    CHECK_INT(served.http.port, 8000);
    CHECK_INT(run("--stdio", "--path", "/my-mcp-server"), 0);
    CHECK_STR(served.http.path, "/my-mcp-server");
}

TEST(the_quick_start_is_as_documented_both_ways) {
    static const struct {
        const char *method, *target, *headers, *body, *tool, *args, *value;
    } rows[] = {
        { "POST", "/calculate", FORM, "numbers=1,2,3,4,5", "POST__calculate",
          "{\"numbers\":\"1,2,3,4,5\"}",
          "{\"result\":3,\"operation\":\"mean\",\"count\":5,\"input_length\":5}" },
        { "POST", "/calculate", BODY_JSON, "{\"numbers\":\"4, NA,1 ,9\",\"operation\":\"median\"}",
          "POST__calculate", "{\"numbers\":\"4, NA,1 ,9\",\"operation\":\"median\"}",
          "{\"result\":4,\"operation\":\"median\",\"count\":3,\"input_length\":4}" },
        { "POST", "/calculate?digits=4&operation=sd", FORM, "numbers=2,4,4,4,5,5,7,9",
          "POST__calculate", "{\"digits\":4,\"operation\":\"sd\",\"numbers\":\"2,4,4,4,5,5,7,9\"}",
          "{\"result\":2.1381,\"operation\":\"sd\",\"count\":8,\"input_length\":8}" },
        { "POST", "/calculate?operation=sum", FORM, "numbers=-1.256,-1", "POST__calculate",
          "{\"operation\":\"sum\",\"numbers\":\"-1.256,-1\"}",
          "{\"result\":-2.26,\"operation\":\"sum\",\"count\":2,\"input_length\":2}" },
        { "GET", "/echo", "", "", "GET__echo", "{}", "{\"message\":\"Echo: Hello World\"}" },
        { "GET", "/echo?msg=hi", "", "", "GET__echo", "{\"msg\":\"hi\"}",
          "{\"message\":\"Echo: hi\"}" },
        { "POST", "/add?a=1.25&b=2", "", "", "POST__add", "{\"a\":1.25,\"b\":2}",
          "{\"result\":3.25,\"operation\":\"addition\",\"inputs\":[1.25,2]}" } };
    run("--stdio", NULL, NULL);
    desc = served;
    serve();
    CHECK(harness_connect(&w));
    harness_add(&w.out, "", 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *mcp = result(MODERN, rows[i].tool, rows[i].args);
        CHECK_STR(part(mcp, "structuredContent"), rows[i].value);
        const reply *r = request_of(rows[i].method, rows[i].target, rows[i].headers, rows[i].body,
                                    strlen(rows[i].body), NULL);
        CHECK_INT(r->status, 200);
        CHECK_STR(r->body.at, rows[i].value);
    }
    stop();
}

TEST(numbers_that_are_none_are_422_and_a_failure_that_says_which) {
    static const struct { const char *body, *error; } rows[] = {
        { "numbers=1,x", "not a number: x" }, { "numbers=", "no mean of no numbers" },
        { "numbers=NA", "no mean of no numbers" }, { "numbers=NA&na_rm=false", "not a number: NA" },
        { "numbers=1,,2", "not a number: " }, { "numbers=1 2", "not a number: 1 2" } };
    run("--stdio", NULL, NULL);
    desc = served;
    serve();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *body = rows[i].body;
        const reply *r = request_of("POST", "/calculate", FORM, body, strlen(body), NULL);
        CHECK_INT(r->status, 422);
        CHECK_STR(r->body.at, text_of("{\"error\":\"%s\"}%s%s", rows[i].error, "", ""));
    }
    stop();
}

TEST(prompts_and_data_are_there) {
    run("--stdio", NULL, NULL);
    desc = served;
    start();
    request(MODERN, "prompts/get", "\"name\":\"analyze-dataset\",\"arguments\":"
                                   "{\"dataset\":\"/data/iris-summary\"}");
    CHECK(strstr(w.out.at, "how its columns depend") != NULL);
    request(MODERN, "prompts/get", "\"name\":\"code-review\",\"arguments\":{\"code\":\"x = 1\"}");
    CHECK(strstr(w.out.at, "```\\nx = 1\\n```") != NULL);
    CHECK(strstr(request(MODERN, "resources/read", "\"uri\":\"/data/iris-summary\""),
                 "50 setosa") != NULL);
    stop();
}

int main(void) {
    fresh();
    RUN(it_says_how_to_be_used);
    RUN(the_quick_start_is_as_documented_both_ways);
    RUN(numbers_that_are_none_are_422_and_a_failure_that_says_which);
    RUN(prompts_and_data_are_there);
    return DONE();
}
