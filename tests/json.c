/* json.c - checking, walking, cooking, writing and pulling JSON */
#define MCP_IMPLEMENTATION
#define MCP_TOOLS_ONLY /* and so on: the layers above compile slowly and are not looked at */
#define MCP_NO_CLIENT
#define MCP_NO_HTTP
#define MCP_ASSERT(x) ((void)0)     /* misuse is among what is tested */
#include "mcp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cost.h"
#include "test.h"

static const mcp_write_hook no_sink = { NULL, NULL };

/* A copy of the text as a connection holds it: zeros before and behind. */
typedef struct message {
    char bytes[4096];
    const char *root, *error;
    int status;
    mcp__top top;
} message;

static const mcp_json *take(message *m, const char *text, size_t n) {
    memset(m, 0, sizeof *m);
    memcpy(m->bytes + 4, text, n);
    const char *end = mcp__json_check(m->bytes + 4, 256, &m->top, &m->error, &m->status);
    if (end && *mcp__json_space(end)) m->error = mcp__json_space(end);
    if (!end || m->error) return NULL;
    m->root = mcp__json_space(m->bytes + 4);
    return (const mcp_json *)m->root;
}

static const mcp_json *json(message *m, const char *text) {
    const mcp_json *v = take(m, text, strlen(text));
    CHECK(v != NULL);
    return v;
}

/* What a value is, copied in one line. */
static const char *copy(const mcp_json *v) {
    static char out[4096];
    mcp_writer w;
    mcp_writer_init(&w, out, sizeof out, no_sink);
    mcp_put_json(&w, NULL, v);
    CHECK_INT(mcp_writer_end(&w), MCP_OK);
    return out;
}

/* -- checking -- */

/* The mark says which byte is wrong. */
TEST(errors_point_at_the_byte) {
    static const char *const bad[][2] = {
        { "",                        "^" },
        { " ",                       " ^" },
        { "{\"a\":}",                "     ^" },
        { "{\"a\" 1}",               "     ^" },
        { "{\"a\":1,}",              "       ^" },
        { "{a:1}",                   " ^" },
        { "[1,]",                    "   ^" },
        { "[1 2]",                   "   ^" },
        { "[1",                      "  ^" },
        { "[1}",                     "  ^" },
        { "[01]",                    "  ^" },
        { "[1.]",                    "   ^" },
        { "[-]",                     "  ^" },
        { "[1e]",                    "   ^" },
        { "[tru]",                   " ^" },
        { "[nul",                    " ^" },
        { "[\"ab",                   "    ^" },
        { "[\"a\nb\"]",              "   ^" },
        { "[\"a\\x\"]",              "   ^" },
        { "[\"a\\n\\u12G4\"]",       "     ^" },
        { "[\"a\\u00",               "   ^" },
        { "[\"ab\xC0\x80\"]",        "    ^" },
        { "[\"ab\xE4\xB8\"]",        "    ^" },
        { "[\"0123456789abcdefghijklmnopqrstuvwxyz\xED\xA0\x80\"]",
          "                                      ^" },
        { "[] []",                   "   ^" },
        { "[]x",                     "  ^" },
        { "\xEF\xBB\xBF[]",          "^" } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        message m;
        CHECK(take(&m, bad[i][0], strlen(bad[i][0])) == NULL);
        CHECK_INT(m.status, MCP_SYNTAX);
        if (!CHECK_INT(m.error - (m.bytes + 4), strlen(bad[i][1]) - 1))
            printf("    %s\n", bad[i][0]);
    }
}

TEST(depth_is_bounded) {
    message m;
    char text[600];
    memset(text, '[', 256);
    memset(text + 256, ']', 256);
    CHECK(take(&m, text, 512) != NULL);
    memset(text, '[', 257);
    memset(text + 257, ']', 257);
    CHECK(take(&m, text, 514) == NULL);
    CHECK_INT(m.status, MCP_LIMIT);
    CHECK_INT(m.error - (m.bytes + 4), 256);
}

TEST(a_raw_nul_is_an_error) {
    message m;
    CHECK(take(&m, "[\"a\0b\"]", 7) == NULL);
    CHECK_INT(m.error - (m.bytes + 4), 3);
    CHECK(take(&m, "[1]\0", 4) != NULL); /* behind the value is the caller's to see */
}

TEST(envelope_members_are_noted) {
    message m;
    json(&m, "{\"jsonrpc\":\"2.0\",\"id\": 7,\"met\\u0068od\":\"ping\",\"other\":{\"id\":1},"
             "\"params\" : {}}");
    CHECK_INT(m.top.seen, 1 << MCP__JSONRPC | 1 << MCP__ID | 1 << MCP__METHOD | 1 << MCP__PARAMS);
    CHECK_INT(m.top.twice, 0);
    CHECK(*m.top.member[MCP__ID] == '7');
    CHECK(mcp__json_is(m.top.member[MCP__METHOD], "ping", 4));
    CHECK(*m.top.member[MCP__PARAMS] == '{');
    CHECK(m.top.member[MCP__RESULT] == NULL);
    json(&m, "{\"id\":1,\"\\u0069d\":2,\"ids\":3,\"i\":4,\"error\":0,\"result\":0}");
    CHECK_INT(m.top.twice, 1 << MCP__ID);
    CHECK(*m.top.member[MCP__ID] == '2');
    json(&m, "[{\"id\":1},{\"id\":1}]");
    CHECK_INT(m.top.seen, 0);
}

TEST(members_of_params_are_noted) {
    message m;
    const mcp__members *x = &m.top.params;
    json(&m, "{\"other\":{\"a\":0},\"params\": {\"name\":\"x\", \"b\" : {\"c\":2,\"name\":3},"
             "\"name\":[{\"d\":4}]},\"result\":{\"e\":5},\"id\":6}");
    CHECK(x->object == m.top.member[MCP__PARAMS]);
    CHECK_INT(x->n, 3);
    CHECK(x->key[0].n == 4 && x->key[1].n == 1 && *x->key[1].s == 'b');
    CHECK_STR(copy((const mcp_json *)mcp__members_get(x, "b")), "{\"c\":2,\"name\":3}");
    CHECK_STR(copy((const mcp_json *)mcp__members_get(x, "name")), "[{\"d\":4}]");
    CHECK(mcp__members_get(x, "c") == NULL && mcp__members_get(x, "e") == NULL);
    CHECK(*m.top.member[MCP__ID] == '6' && *m.top.member[MCP__RESULT] == '{');
    json(&m, "{\"params\":{\"1\":1,\"2\":2,\"3\":3,\"4\":4,\"5\":5,\"6\":6,\"7\":7,\"8\":8,"
             "\"9\":9}}");
    CHECK_INT(x->n, 9);
    CHECK(*mcp__members_get(x, "9") == '9' && *mcp__members_get(x, "1") == '1');
    json(&m, "{\"params\":{\"a\":1,\"na\\u006de\":2,\"c\":3}}");
    CHECK(x->object == NULL); /* an escape: to be gone through again */
    json(&m, "{\"params\":[{\"a\":1}],\"params\":7}");
    CHECK(x->object == NULL);
    json(&m, "[{\"params\":{\"a\":1}}]");
    CHECK(x->object == NULL);
    json(&m, "{\"params\":{}}");
    CHECK(x->object != NULL && x->n == 0 && !mcp__members_get(x, "a"));
}

/* -- values -- */

TEST(getters) {
    message m;
    const mcp_json *v = json(&m, " { \"s\":\"text\", \"e\":\"a\\n\\u00e9\\ud83d\\ude00\", "
                                 "\"i\":42, \"d\":-0.5, \"t\":true, \"f\":false, \"n\":null, "
                                 "\"o\":{\"x\":{\"y\":1}}, \"a\":[1,\"two\",[3],{\"f\":4}], "
                                 "\"big\":1e400, \"\":0 } ");
    size_t n;
    CHECK_STR(mcp_get_str(v, "s"), "text");
    CHECK_STR(mcp_get_str(v, "s"), "text");
    CHECK_STR(mcp_get_str(v, "e"), "a\n\xC3\xA9\xF0\x9F\x98\x80");
    CHECK_STR(mcp_get_strn(v, "e", &n), "a\n\xC3\xA9\xF0\x9F\x98\x80");
    CHECK_INT(n, 8);
    CHECK_INT(mcp_get_int(v, "i"), 42);
    CHECK_NUM(mcp_get_num(v, "d"), -0.5);
    CHECK(mcp_get_bool(v, "t") && !mcp_get_bool(v, "f") && !mcp_get_bool(v, "i"));
    CHECK_INT(mcp_type_of(mcp_get(v, "n")), MCP_NULL);
    CHECK_INT(mcp_type_of(mcp_get(v, "s")), MCP_STRING);
    CHECK_INT(mcp_type_of(mcp_get(v, "e")), MCP_STRING);
    CHECK_INT(mcp_type_of(mcp_get(v, "d")), MCP_NUMBER);
    CHECK_INT(mcp_type_of(mcp_get(v, "t")), MCP_BOOLEAN);
    CHECK_INT(mcp_type_of(mcp_get(v, "a")), MCP_ARRAY);
    CHECK_INT(mcp_type_of(v), MCP_OBJECT);
    CHECK_INT(mcp_type_of(mcp_get(v, "absent")), MCP_ANY);
    CHECK_INT(mcp_get_int(mcp_get(mcp_get(v, "o"), "x"), "y"), 1);
    CHECK_INT(mcp_count(v), 11);
    CHECK_INT(mcp_count(mcp_get(v, "a")), 4);
    CHECK_STR(mcp_get_str(mcp_at(mcp_get(v, "a"), 1), NULL), "two");
    CHECK_INT(mcp_get_int(mcp_at(mcp_get(v, "a"), 3), "f"), 4);
    CHECK(mcp_at(mcp_get(v, "a"), 4) == NULL);
    CHECK_STR(mcp_key(mcp_at(v, 1)), "e");
    CHECK_STR(mcp_key(mcp_get(v, "")), "");
    CHECK(mcp_key(v) == NULL);
    CHECK(mcp_key(mcp_at(mcp_get(v, "a"), 0)) == NULL);
    CHECK(mcp_next(v) == NULL);
    CHECK_NUM(mcp_get_num(v, "big"), 0.0);
}

/* What is not there, or is something else, is nothing. */
TEST(getters_take_anything) {
    message m;
    const mcp_json *v = json(&m, "{\"s\":\"1\",\"a\":[],\"o\":{}}");
    size_t n = 9;
    CHECK(mcp_get(NULL, "a") == NULL && mcp_get(NULL, NULL) == NULL && mcp_at(NULL, 0) == NULL);
    CHECK(mcp_first(NULL) == NULL && mcp_next(NULL) == NULL && mcp_key(NULL) == NULL);
    CHECK(mcp_count(NULL) == 0 && mcp_type_of(NULL) == MCP_ANY);
    CHECK(mcp_first(mcp_get(v, "a")) == NULL && mcp_first(mcp_get(v, "o")) == NULL);
    CHECK(mcp_first(mcp_get(v, "s")) == NULL && mcp_get(mcp_get(v, "s"), "x") == NULL);
    CHECK_STR(mcp_get_str(NULL, NULL), "");
    CHECK_STR(mcp_get_str(v, "a"), "");
    CHECK_STR(mcp_get_strn(v, "none", &n), "");
    CHECK_INT(n, 0);
    CHECK_STR(mcp_get_strn(v, "s", NULL), "1");
    CHECK_STR(mcp_get_raw(v, "none", &n), "");
    CHECK_INT(mcp_get_int(v, "s"), 0);
    CHECK_NUM(mcp_get_num(v, "s"), 0.0);
    CHECK(!mcp_get_bool(v, "s"));
}

TEST(integers_say_why_not) {
    message m;
    const mcp_json *v = json(&m, "{\"a\":3.0,\"b\":1e2,\"c\":1.5,\"d\":9223372036854775808,"
                                 "\"e\":\"1\",\"f\":-9223372036854775808}");
    int64_t i;
    CHECK_INT(mcp_try_int(v, "a", &i), MCP_OK);
    CHECK_INT(i, 3);
    CHECK_INT(mcp_try_int(v, "b", &i), MCP_OK);
    CHECK_INT(i, 100);
    CHECK_INT(mcp_try_int(v, "c", &i), MCP_SYNTAX);
    CHECK_INT(mcp_try_int(v, "d", &i), MCP_LIMIT);
    CHECK_INT(mcp_try_int(v, "e", &i), MCP_SYNTAX);
    CHECK_INT(mcp_try_int(v, "g", &i), MCP_UNSUPPORTED);
    CHECK_INT(mcp_try_int(v, "f", &i), MCP_OK);
    CHECK(i == INT64_MIN);
    CHECK_INT(mcp_get_int(v, "c"), 0);
}

TEST(of_duplicates_the_last_wins) {
    message m;
    const mcp_json *v = json(&m, "{\"a\":1,\"b\":2,\"\\u0061\":3,\"ab\":4,\"A\":5}");
    CHECK_INT(mcp_get_int(v, "a"), 3);
    CHECK_STR(mcp_key(mcp_at(v, 2)), "a");
    CHECK_INT(mcp_get_int(v, "a"), 3);
}

TEST(a_text_with_nul_is_no_c_string) {
    message m;
    const mcp_json *v = json(&m, "{\"k\":\"ping\\u0000x\",\"a\\u0000b\":1}");
    size_t n;
    CHECK_STR(mcp_get_str(v, "k"), "");
    CHECK_MEM(mcp_get_strn(v, "k", &n), 6, "ping\0x", 6);
    CHECK_INT(n, 6);
    CHECK_STR(mcp_get_str(v, "k"), "");
    CHECK(mcp__json_is((const char *)mcp_get(v, "k"), "ping\0x", 6));
    CHECK(!mcp__json_is((const char *)mcp_get(v, "k"), "ping", 4));
    CHECK(mcp_get(v, "a") == NULL);
    CHECK_STR(mcp_key(mcp_at(v, 1)), "");
    CHECK_STR(copy(v), "{\"k\":\"ping\\u0000x\",\"a\\u0000b\":1}");
}

TEST(lone_surrogates_become_replacement_characters) {
    static const char *const t[][2] = {
        { "\"\\ud800\"", "\xEF\xBF\xBD" }, { "\"\\udc00x\"", "\xEF\xBF\xBDx" },
        { "\"\\ud800\\ud83d\\ude00\"", "\xEF\xBF\xBD\xF0\x9F\x98\x80" },
        { "\"\\ud800\\u0041\"", "\xEF\xBF\xBD" "A" }, { "\"\\ud800\\n\"", "\xEF\xBF\xBD\n" },
        { "\"\\ude00\\ud83d\"", "\xEF\xBF\xBD\xEF\xBF\xBD" },
        { "\"\\uD83D\\uDE00\"", "\xF0\x9F\x98\x80" } };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        message m;
        const mcp_json *v = json(&m, t[i][0]);
        CHECK_INT(mcp__json_lone(m.root), i < 6);
        CHECK_INT(mcp__json_chars(m.root), mcp__utf8_count(t[i][1], strlen(t[i][1])));
        CHECK(mcp__json_is(m.root, t[i][1], strlen(t[i][1])));
        CHECK_STR(mcp_get_str(v, NULL), t[i][1]);
        CHECK_INT(mcp__json_chars(m.root), mcp__utf8_count(t[i][1], strlen(t[i][1])));
    }
}

/* Every string is asked for in every order; afterwards all can be walked, both ways, as before. */
TEST(cooked_strings_stay_walkable) {
    static const char text[] =
        "{ \"plain\" : \"x\" , \"q\\\"uo\\\\\" : \"\\\"\", "
        "\"\\u0001\\u0002\\u0003\" : [ \"\\u0002,\\u0001\" , \"\\\\\" , \"\", \"\\\\\\\"\" ],"
        "\"\\\\\":{\"\":\"\",\"\\\\\\\\\\\"\":1},"
        "\"\xE4\xB8\xAD\":\"\xE4\xB8\xAD\\n\xE4\xB8\xAD\","
        "\"long\":\"0123456789abcdef0123456789abcdef\\t0123456789abcdef0123456789abcdef\" }";
    static const char *const keys[] = {
        "plain", "q\"uo\\", "\x01\x02\x03", "\\", "\xE4\xB8\xAD", "long" };
    message m;
    char want[1024];
    strcpy(want, copy(json(&m, text)));
    for (unsigned order = 0; order < 64; order++) {
        const mcp_json *v = json(&m, text), *item;
        int i = 0;
        for (item = mcp_first(v); item; item = mcp_next(item), i++) {
            if (order >> i & 1) CHECK_STR(mcp_key(item), keys[i]);
            if (order >> (i + 2) % 6 & 1) mcp_get_str(item, NULL);
            for (const mcp_json *inner = mcp_first(item); inner; inner = mcp_next(inner)) {
                if (order & 8) mcp_get_str(inner, NULL);
                if (order & 4) mcp_key(inner);
            }
        }
        CHECK_INT(i, 6);
        CHECK_STR(copy(v), want);
        for (i = 5; i >= 0; i--) {
            CHECK_STR(mcp_key(mcp_at(v, (size_t)i)), keys[i]);
            CHECK(mcp_get(v, keys[i]) == mcp_at(v, (size_t)i));
        }
        CHECK_INT(mcp_count(v), 6);
        CHECK_INT(mcp_get_int(mcp_get(v, "\\"), "\\\\\""), 1);
        CHECK_STR(mcp_get_str(v, "plain"), "x");
        size_t n;
        const char *raw = mcp_get_raw(v, NULL, &n); /* raw again, and valid */
        message again;
        const mcp_json *u = take(&again, raw, n);
        if (CHECK(u != NULL)) CHECK_STR(copy(u), want);
        CHECK_STR(copy(v), want);
    }
}

TEST(raw_is_as_it_came) {
    message m;
    const mcp_json *v = json(&m, "{\"n\": 1.2300e+05 ,\"s\":\"a\\u0041\","
                                 "\"o\": {\"x\" : [1, 2 ]} }");
    size_t n;
    const char *raw = mcp_get_raw(v, "n", &n);
    CHECK_MEM(raw, n, "1.2300e+05", 10);
    raw = mcp_get_raw(v, "s", &n);
    CHECK_MEM(raw, n, "\"a\\u0041\"", 9);
    raw = mcp_get_raw(v, "o", &n);
    CHECK_MEM(raw, n, "{\"x\" : [1, 2 ]}", 15);
    CHECK_STR(mcp_get_str(v, "s"), "aA");
    raw = mcp_get_raw(v, "s", &n);
    CHECK_MEM(raw, n, "\"aA\"", 4); /* what was made of it; shorter, so spaces follow */
    CHECK_STR(copy(v), "{\"n\":1.2300e+05,\"s\":\"aA\",\"o\":{\"x\":[1,2]}}");
}

TEST(keys_are_ordered_by_what_they_say) {
    static const char *const up[] = {
        "\"\"", "\"\\u0000\"", "\"A\"", "\"\\u0041B\"", "\"a\"", "\"a\\n\"", "\"aa\"",
        "\"\\u00e9\"", "\"\xE4\xB8\xAD\"" };
    int n = sizeof up / sizeof *up;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int cooked = 0; cooked < 4; cooked++) {
                message a, b;
                const mcp_json *x = json(&a, up[i]), *y = json(&b, up[j]);
                if (cooked & 1) mcp_get_str(x, NULL);
                if (cooked & 2) mcp_get_str(y, NULL);
                CHECK_INT(mcp__json_compare_keys(a.root, b.root), (i > j) - (i < j));
            }
}

TEST(integral_numbers) {
    static const char *const yes[] = {
        "3", "3.0", "1e2", "-0", "0.0e-5", "1e400", "123456789012345678901234567890", "12.5e1",
        "100000000000000000000000e-23" };
    static const char *const no[] = {
        "1.5", "1e-1", "0.1", "123456789012345678901234567890.5", "\"1\"", "true",
        "12345678901234567890123e-1" };
    message m;
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        json(&m, yes[i]);
        if (!CHECK(mcp__json_integral(m.root))) printf("    %s\n", yes[i]);
    }
    for (size_t i = 0; i < sizeof no / sizeof *no; i++) {
        json(&m, no[i]);
        if (!CHECK(!mcp__json_integral(m.root))) printf("    %s\n", no[i]);
    }
}

/* -- writing -- */

/* One of everything. */
static void write_all(mcp_writer *w) {
    message m;
    static const unsigned char blob[] = { 0, 255, 128, 7, 99 };
    mcp_put_str(w, "s", "a\"b\\c\n\t\x01\x1F/\x7F");
    mcp_put_strn(w, "n", "x\0y", 3);
    mcp_put_str(w, "long", "0123456789abcdef0123456789abcdef0123\"456789abcdef0123456789abcdef");
    mcp_put_strf(w, "f", "%d-%s-%.2f", 7, "seven", 7.0);
    mcp_put_num(w, "d", 0.1);
    mcp_put_int(w, "i", -9007199254740993);
    mcp_put_bool(w, "t", true);
    mcp_put_null(w, "null");
    mcp_put_str(w, "none", NULL);
    mcp_put_blob(w, "blob", blob, sizeof blob);
    mcp_put_blob(w, "void", NULL, 0);
    mcp_put_arr(w, "a");
    mcp_put_obj(w, NULL);
    mcp_put_end(w);
    mcp_put_arr(w, NULL);
    mcp_put_int(w, NULL, 1);
    mcp_put_int(w, NULL, 2);
    mcp_put_end(w);
    mcp_put_end(w);
    mcp_put_json(w, "json", json(&m, "{ \"k\" : [ 1.0 , \"a b\" ] }"));
    mcp_put_raw(w, "raw", " { \"r\" : \"sp ace\\\" \" , \"x\" : [ ] } ");
    mcp_put_str(w, "\xC3\xA9\"", "\xC3\xA9");
}

static const char everything[] =
    "{\"s\":\"a\\\"b\\\\c\\n\\t\\u0001\\u001f/\x7F\",\"n\":\"x\\u0000y\","
    "\"long\":\"0123456789abcdef0123456789abcdef0123\\\"456789abcdef0123456789abcdef\","
    "\"f\":\"7-seven-7.00\",\"d\":0.1,\"i\":-9007199254740993,\"t\":true,\"null\":null,"
    "\"none\":null,"
    "\"blob\":\"AP+AB2M=\",\"void\":\"\",\"a\":[{},[1,2]],\"json\":{\"k\":[1.0,\"a b\"]},"
    "\"raw\":{\"r\":\"sp ace\\\" \",\"x\":[]},\"\xC3\xA9\\\"\":\"\xC3\xA9\"}";

/* A sink that keeps what comes, and may break. */
typedef struct sink { char bytes[4096]; size_t n, limit; } sink;

static int swallow(void *user, const void *bytes, size_t n) {
    sink *s = (sink *)user;
    if (s->n + n > s->limit) return MCP_IO;
    memcpy(s->bytes + s->n, bytes, n);
    s->n += n;
    return MCP_OK;
}

/* Into one buffer, through every size of a small one, into one that grows: the same bytes. */
TEST(writers_of_every_size_agree) {
    char buf[1024];
    mcp_writer w;
    mcp_writer_init(&w, buf, sizeof buf, no_sink);
    write_all(&w);
    CHECK_INT(mcp_writer_end(&w), MCP_OK);
    CHECK_STR(buf, everything);
    CHECK_INT(w.size, sizeof everything - 1);
    for (size_t n = 1; n < 300; n++) {
        static sink s;
        s.n = 0;
        s.limit = sizeof s.bytes;
        mcp_write_hook hook = { swallow, &s };
        char *exact = (char *)malloc(n);
        mcp_writer_init(&w, exact, n, hook);
        write_all(&w);
        CHECK_INT(mcp_writer_end(&w), MCP_OK);
        CHECK_MEM(s.bytes, s.n, everything, sizeof everything - 1);
        CHECK_INT(w.size, sizeof everything - 1);
        free(exact);
    }
    for (size_t n = 0; n < sizeof everything + 100; n++) {
        char *exact = (char *)malloc(n + !n);
        mcp_writer_init(&w, exact, n, no_sink);
        write_all(&w);
        bool fits = n >= sizeof everything;
        CHECK_INT(mcp_writer_end(&w), fits ? MCP_OK : MCP_LIMIT);
        if (n) CHECK(!strncmp(exact, everything, strlen(exact)));
        if (fits) CHECK_STR(exact, everything);
        free(exact);
    }
}

TEST(a_writer_on_a_growing_buffer) {
    mcp__mem mem;
    mcp__buf b;
    mcp_writer w;
    memset(&mem, 0, sizeof mem);
    for (size_t max = 0; max < sizeof everything + 64; max++) {
        memset(&b, 0, sizeof b);
        b.mem = &mem;
        b.max = 2 + max;
        mcp__buf_add(&b, ">>", 2);
        mcp__writer_on(&w, &b);
        write_all(&w);
        bool fits = max >= sizeof everything - 1;
        CHECK_INT(mcp__writer_end(&w), fits ? MCP_OK : MCP_LIMIT);
        if (fits) CHECK_MEM(b.ptr + 2, b.len - 2, everything, sizeof everything - 1);
        if (fits) CHECK_INT(w.size, sizeof everything - 1);
        mcp__buf_free(&b);
    }
}

TEST(the_first_thing_says_what_the_whole_is) {
    char buf[256];
    mcp_writer w;
    mcp_writer_init(&w, buf, sizeof buf, no_sink);
    CHECK_INT(mcp_writer_end(&w), MCP_OK);
    CHECK_STR(buf, "{}");
    mcp_writer_init(&w, buf, sizeof buf, no_sink);
    mcp_put_int(&w, NULL, 5);
    CHECK_INT(mcp_writer_end(&w), MCP_OK);
    CHECK_STR(buf, "5");
    mcp_writer_init(&w, buf, sizeof buf, no_sink);
    mcp_put_obj(&w, NULL);
    mcp_put_int(&w, "a", 5);
    mcp_put_end(&w);
    CHECK_INT(mcp_writer_end(&w), MCP_OK);
    CHECK_STR(buf, "{\"a\":5}");
    mcp_writer_init(&w, buf, sizeof buf, no_sink);
    mcp_put_arr(&w, NULL);
    mcp_put_end(&w);
    CHECK_INT(mcp_writer_end(&w), MCP_OK);
    CHECK_STR(buf, "[]");
}

TEST(no_buffer_holds_nothing) {
    char untouched = 'x';
    mcp_writer w;
    mcp_writer_init(&w, &untouched, 0, no_sink);
    CHECK_INT(mcp_writer_end(&w), MCP_LIMIT);
    CHECK_INT(untouched, 'x');
    for (size_t n = 0; n < 2000; n += 100) { /* whatever is said of a size */
        mcp_writer_init(&w, NULL, n, no_sink);
        for (int i = 0; i < 100; i++) mcp_put_int(&w, "a", 1);
        CHECK_INT(mcp_writer_end(&w), MCP_LIMIT);
        CHECK_INT(w.size, 0);
    }
    static const char escaped[] = "\"\\n\"";
    mcp_reader r;
    mcp_reader_init(&r, NULL, 100);
    mcp_reader_feed(&r, escaped, sizeof escaped - 1);
    CHECK_INT(mcp_read(&r), MCP_LIMIT);
}

/* o object, a array, e end; i a number, n none, r raw JSON, q what is none, f a format, g what is
   none; upper case: under a key. What the writer says in the end. */
static const char *steps(const char *s, int *status) {
    static char buf[4096];
    const char *any = "%n";
    mcp_writer w;
    mcp_writer_init(&w, buf, sizeof buf, no_sink);
    for (; *s; s++) {
        const char *key = *s < 'a' ? "k" : NULL;
        switch (*s | 0x20) {
        case 'o': mcp_put_obj(&w, key); break;
        case 'a': mcp_put_arr(&w, key); break;
        case 'e': mcp_put_end(&w); break;
        case 'n': mcp_put_num(&w, key, (double)NAN); break;
        case 'r': mcp_put_raw(&w, key, "[]"); break;
        case 'q': mcp_put_raw(&w, key, "[}"); break;
        case 'f': mcp_put_strf(&w, key, "%d", 1); break;
        case 'g': mcp_put_strf(&w, key, any, 1); break;
        default: mcp_put_int(&w, key, 1); break;
        }
    }
    *status = mcp_writer_end(&w);
    return w.why ? w.why : "";
}

TEST(misuse_sticks) { /* each kind has words of its own */
    static const struct { const char *steps, *why; int status; } rows[] = {
        { "I", "", MCP_OK }, { "IAiieOIeI", "", MCP_OK }, { "IRF", "", MCP_OK },
        { "ii", "a second value beside the first one", MCP_MISUSE },
        { "iI", "a second value beside the first one", MCP_MISUSE },
        { "aea", "a second value beside the first one", MCP_MISUSE },
        { "Ii", "no key in an object", MCP_MISUSE }, { "oi", "no key in an object", MCP_MISUSE },
        { "aI", "a key in an array", MCP_MISUSE },
        { "e", "mcp_put_end where nothing was begun", MCP_MISUSE },
        { "oee", "mcp_put_end where nothing was begun", MCP_MISUSE },
        { "Ie", "mcp_put_end for what the first key began", MCP_MISUSE },
        { "a", "what mcp_put_obj or _arr began has no end", MCP_MISUSE },
        { "OA", "what mcp_put_obj or _arr began has no end", MCP_MISUSE },
        { "IG", "a format has a % that mcp.h does not know", MCP_MISUSE },
        { "IQ", "mcp_put_raw of what is no JSON", MCP_SYNTAX },
        { "IN", "a number was not finite", MCP_UNSUPPORTED },
        { "INii", "a number was not finite", MCP_UNSUPPORTED } };
    char deep[600];
    int status;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CHECK_STR(steps(rows[i].steps, &status), rows[i].why);
        CHECK_INT(status, rows[i].status);
    }
    memset(deep, 'a', 257);
    memset(deep + 257, 'e', 257);
    deep[514] = 0;
    CHECK_STR(steps(deep, &status), "more than 256 objects and arrays, one in the other");
    CHECK_INT(status, MCP_LIMIT);
    deep[513] = 0;
    CHECK_STR(steps(deep + 1, &status), "");
}

TEST(numbers_that_json_lacks) {
    char buf[256];
    mcp_writer w;
    uint64_t infinity = (uint64_t)0x7FF << 52;
    double inf;
    memcpy(&inf, &infinity, sizeof inf);
    for (int i = 0; i < 3; i++) {
        mcp_writer_init(&w, buf, sizeof buf, no_sink);
        mcp_put_num(&w, "x", i == 0 ? inf : i == 1 ? -inf : inf - inf);
        mcp_put_num(&w, "y", 1);
        CHECK_INT(mcp_writer_end(&w), MCP_UNSUPPORTED);
    }
}

TEST(raw_json_is_checked) {
    static const char *const bad[] = {
        "", " ", "{", "{\"a\":1,}", "1 2", "tru", "\"a", "\"\xC0\x80\"", "nul", "[1,]",
        "\xEF\xBB\xBF{}" };
    char buf[256];
    mcp_writer w;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        mcp_writer_init(&w, buf, sizeof buf, no_sink);
        mcp_put_raw(&w, "x", bad[i]);
        if (!CHECK_INT(mcp_writer_end(&w), MCP_SYNTAX)) printf("    %s\n", bad[i]);
    }
    mcp_writer_init(&w, buf, sizeof buf, no_sink);
    mcp_put_raw(&w, "n", "1234567890123456789012345678901234567890123456789012345678901234567890");
    mcp_put_raw(&w, "s", "\"\\\\\"");
    mcp_put_raw(&w, "t", "\n\t[ true , false,null ]\r\n");
    CHECK_INT(mcp_writer_end(&w), MCP_OK);
    CHECK_STR(buf, "{\"n\":1234567890123456789012345678901234567890123456789012345678901234567890,"
                   "\"s\":\"\\\\\",\"t\":[true,false,null]}");
}

/* One U+FFFD for each maximal part of a sequence, as table 3-8 of the Unicode Standard has it. */
TEST(what_is_not_utf8_is_repaired) {
    static const char *const t[][2] = {
        { "\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41", "????????A" },
        { "\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41", "????????A" },
        { "\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42", "?????A??B" },
        { "\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", "????A" },
        { "\xE2\x80\xA8|\xE2\x80\xA9|\xE2\x80\xAA", "\\u2028|\\u2029|\xE2\x80\xAA" },
        { "\xE4\xB8", "?" }, { "a\x80", "a?" } };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        for (size_t before = 0; before < 70; before++) {
            char text[128], want[512], buf[512], *o = want;
            mcp_writer w;
            memset(text, 'x', before);
            strcpy(text + before, t[i][0]);
            *o++ = '"';
            memset(o, 'x', before);
            o += before;
            for (const char *p = t[i][1]; *p; p++) {
                if (*p != '?') *o++ = *p;
                else o = (char *)memcpy(o, "\xEF\xBF\xBD", 3) + 3;
            }
            *o++ = '"';
            mcp_writer_init(&w, buf, sizeof buf, no_sink);
            mcp_put_str(&w, NULL, text);
            mcp_writer_end(&w);
            CHECK_MEM(buf, strlen(buf), want, (size_t)(o - want));
        }
}

/* Every length, and one that needs a look at every place: as a value, as a key, behind a comma; and
   the text ends where its memory does. */
TEST(texts_of_every_length_are_written) {
    static const char *const odd[][2] = {
        { "x", "x" }, { "\"", "\\\"" }, { "\\", "\\\\" }, { "\n", "\\n" }, { "\x01", "\\u0001" },
        { "\x1F", "\\u001f" }, { "\x7F", "\x7F" }, { "\xC3\xA9", "\xC3\xA9" },
        { "\x80", "\xEF\xBF\xBD" }, { "\xE2\x80\xA8", "\\u2028" } };
    for (size_t n = 0; n < 100; n++)
        for (size_t at = 0; at <= n; at++)
            for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
                size_t size = n + strlen(odd[i][0]);
                char *text = (char *)malloc(size + 1), want[512], buf[512];
                mcp_writer w;
                memset(buf, '?', sizeof buf);
                memset(text, 'a', n);
                memcpy(text + at, odd[i][0], size - n);
                memset(text + at + (size - n), 'z', n - at);
                text[size] = 0;
                snprintf(want, sizeof want, "[\"%.*s%s%.*s\",{\"%.*s%s%.*s\":1}]", (int)at, text,
                         odd[i][1], (int)(n - at), text + at + (size - n), (int)at, text,
                         odd[i][1], (int)(n - at), text + at + (size - n));
                mcp_writer_init(&w, buf, sizeof buf, no_sink);
                mcp_put_arr(&w, NULL);
                mcp_put_strn(&w, NULL, text, size);
                mcp_put_obj(&w, NULL);
                mcp_put_int(&w, text, 1);
                mcp_put_end(&w);
                mcp_put_end(&w);
                CHECK_INT(mcp_writer_end(&w), MCP_OK);
                CHECK_STR(buf, want);
                free(text);
            }
}

/* -- pulling -- */

/* All events of a document in one line; parts of strings are put together. */
typedef struct trace { char text[8192]; size_t n; mcp_reader r; int end; } trace;

static void note(trace *t, const char *s, size_t n) {
    if (t->n + n >= sizeof t->text) return;
    memcpy(t->text + t->n, s, n);
    t->n += n;
    t->text[t->n] = 0;
}

static const char *pull(trace *t, const char *s, size_t n, size_t step, size_t scratch_size) {
    static const char *const signs[] = {
        "", "", "{", "}", "[", "]", "k:", "s:", "n:", "T", "F", "N" };
    char *scratch = (char *)malloc(scratch_size + !scratch_size), *piece = NULL;
    size_t at = 0;
    bool inside = false;
    t->n = 0;
    t->text[0] = 0;
    mcp_reader_init(&t->r, scratch, scratch_size);
    while ((t->end = mcp_read(&t->r)) > 0) {
        if (t->end == MCP_READ_MORE) {
            size_t k = n - at < step ? n - at : step;
            free(piece);
            piece = (char *)malloc(k + !k);
            memcpy(piece, s + at, k);
            at += k;
            mcp_reader_feed(&t->r, piece, k);
            continue;
        }
        if (!inside) note(t, signs[t->end], strlen(signs[t->end]));
        if (t->end == MCP_READ_KEY || t->end == MCP_READ_STR || t->end == MCP_READ_NUM) {
            bool whole = mcp__utf8_valid(t->r.text, t->r.size) == t->r.size;
            CHECK(whole); /* no part cuts a character */
            CHECK(t->r.size <= scratch_size || !t->r.partial || step > scratch_size);
            note(t, t->r.text, t->r.size);
            inside = t->r.partial;
            if (!inside) note(t, " ", 1);
        } else CHECK(!t->r.partial && !t->r.size && !*t->r.text); /* nothing of the last one */
    }
    free(piece);
    free(scratch);
    return t->text;
}

static const char document[] =
    "\xEF\xBB\xBF { \"key\" : \"value\", "
    "\"\\u006b\\n\" : [ 1, -2.5e+10, true, false, null, [ ], { } ], "
    "\"\xE4\xB8\xAD\xF0\x9F\x98\x80\" : "
    "\"a\\ud83d\\ude00b\\ud800c\\ud800\\n\\udc00\xF0\x9F\x98\x80\xE4\xB8\xAD and a longer text "
    "\\\\ with escapes \\\" in it\", \"0123456789012345678901234567890123456789\" : "
    "\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\" } ";
static const char events[] =
    "{k:key s:value k:k\n [n:1 n:-2.5e+10 TFN[]{}]k:\xE4\xB8\xAD\xF0\x9F\x98\x80 "
    "s:a\xF0\x9F\x98\x80" "b\xEF\xBF\xBD" "c\xEF\xBF\xBD\n\xEF\xBF\xBD\xF0\x9F\x98\x80\xE4\xB8\xAD "
    "and a longer text \\ with escapes \" in it "
    "k:0123456789012345678901234567890123456789 "
    "s:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef }";

/* However it is cut, and whatever the scratch, the events are the same. */
TEST(a_reader_may_be_fed_in_any_pieces) {
    static trace t;
    for (size_t scratch = 9; scratch < 90; scratch += 1 + scratch / 8)
        for (size_t step = 1; step < sizeof document + 1; step++) {
            if (!CHECK_STR(pull(&t, document, sizeof document - 1, step, scratch), events)) return;
            CHECK_INT(t.end, MCP_READ_DONE);
        }
}

/* The same faults at the same bytes as when a whole message is checked; in words, a byte later.
   Also far from the end of a piece, but for those that are at the end. */
TEST(reader_errors_point_at_the_byte) {
    static const struct { const char *text; int at; } bad[] = {
        { "", 0 }, { "{\"a\":}", 5 }, { "{\"a\" 1}", 5 }, { "{\"a\":1,}", 7 }, { "{a:1}", 1 },
        { "[1,]", 3 }, { "[1 2]", 3 }, { "[1", 2 }, { "[1}", 2 }, { "[01]", 2 }, { "[1.]", 3 },
        { "[-]", 2 }, { "[1e]", 3 }, { "[1-2]", 2 }, { "[tru]", 4 }, { "[\"ab", 4 },
        { "[\"a\nb\"]", 3 }, { "[\"a\\x\"]", 4 }, { "[\"a\\n\\u12G4\"]", 9 },
        { "[\"ab\xC0\x80\"]", 4 }, { "[\"ab\xE4\xB8\"]", 4 }, { "[\"ab\xE4\xB8\\n\"]", 4 },
        { "[] []", 3 }, { "[]x", 2 }, { "[\"\\ud800\\u12x\"]", 12 },
        { "\xEF\xBB[]", 0 }, { " \xEF\xBB\xBF[]", 1 }, { "1 2", 2 }, { "{\"a\":1 \"b\"}", 7 },
        { "\"\\ud800\\", 8 } };
    static trace t;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        for (size_t step = 1; step < 20; step++) {
            pull(&t, bad[i].text, strlen(bad[i].text), step, 64);
            bool ok = CHECK_INT(t.end, MCP_SYNTAX) && CHECK_INT(t.r.offset, bad[i].at);
            if (!ok) printf("    %s, %zu\n", bad[i].text, step);
            CHECK_INT(mcp_read(&t.r), MCP_SYNTAX); /* it sticks */
        }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char wide[256];
        size_t n = strlen(bad[i].text), first = bad[i].text[0] == '\xEF' ? 0 : 40;
        if (bad[i].at == (int)n) continue;
        memset(wide, ' ', sizeof wide);
        memcpy(wide + first, bad[i].text, n);
        pull(&t, wide, sizeof wide, sizeof wide, 64);
        if (!CHECK_INT(t.end, MCP_SYNTAX) || !CHECK_INT(t.r.offset, (int)first + bad[i].at))
            printf("    %s\n", bad[i].text);
    }
}

/* Eight escapes in a row, of which one says each code point in turn, and one has each other byte at
   each of its places: read at once as byte by byte, and as the checker and the walker have it. */
TEST(escapes_in_a_row) {
    static trace t;
    message m;
    char text[160], want[64];
    size_t size;
    for (unsigned u = 0; u < 0x10000; u += u >= 0xD7F0 && u < 0xE010 ? 1 : u < 0x1010 ? 15 : 241)
        for (int place = 0; place < 8; place++) {
            char *p = text, *q = want;
            *p++ = '"';
            for (int i = 0; i < 8; i++) {
                unsigned c = i == place ? u : 0xABCDu + 0x101u * (unsigned)i;
                p += sprintf(p, i & 1 ? "\\u%04x" : "\\u%04X", c);
                q = mcp__utf8_put(q, c >> 11 == 0x1B ? 0xFFFD : c);
            }
            sprintf(p, "\"%60s", "");
            size_t n = strlen(text);
            const mcp_json *v = json(&m, text);
            const char *got = mcp_get_strn(v, NULL, &size);
            if (!CHECK_MEM(got, size, want, (size_t)(q - want))) return;
            pull(&t, text, n, n, 128);
            if (!CHECK_MEM(t.text + 2, t.n - 3, want, (size_t)(q - want))) return;
        }
    for (size_t at = 1; at < 49; at++)
        for (int c = 1; c < 256; c++) {
            static trace slow;
            sprintf(text, "\"\\uABCD\\uacce\\uADCF\\uaed0\\uAFD1\\ub0d2\\uB1D3\\ub2d4\"%60s", "");
            size_t n = strlen(text);
            text[at] = (char)c;
            pull(&t, text, n, n, 128);
            pull(&slow, text, n, 1, 128);
            bool same = CHECK_INT(t.end, slow.end) && CHECK_STR(t.text, slow.text) &&
                        CHECK(t.r.offset == slow.r.offset);
            if (!same || !CHECK_INT(take(&m, text, n) != NULL, t.end == MCP_READ_DONE)) return;
        }
}

/* What stops a string is found at every distance from the end of the piece as when every byte is a
   piece of its own. */
TEST(strings_near_the_end_of_a_piece) {
    static const char *const stops[] = {
        "", "\\\"", "\\\\", "\\n", "\xC3\xA9", "\x01", "\"", "\"\"", "\\\"\\\"", "\\u00e9" };
    static trace t, slow;
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++)
        for (int before = 0; before < 30; before += 3)
            for (int at = 0; at < 3; at++)
                for (int behind = 0; behind < 36; behind += 1 + behind / 18) {
                    char text[128], more[40] = "";
                    memset(more, 'x', (size_t)behind);
                    sprintf(text, "[%*s\"%.*s%s%s\"]", before, "", at, "xxx", stops[i], more);
                    size_t n = strlen(text);
                    pull(&t, text, n, n, 64);
                    pull(&slow, text, n, 1, 64);
                    bool same = CHECK_INT(t.end, slow.end) && CHECK_STR(t.text, slow.text) &&
                                CHECK(t.r.offset == slow.r.offset);
                    if (!same) return;
                }
}

/* An object or an array, at every depth; the wrong bracket is found where it is. */
TEST(a_reader_remembers_what_it_is_in) {
    static trace t;
    for (size_t depth = 1; depth < 300; depth += 1 + depth / 16)
        for (size_t wrong = 0; wrong <= depth; wrong += 1 + depth / 4) {
            char text[2048], *p = text, *fault;
            uint64_t kinds[5] = { 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9,
                                  0xD6E8FEB86659FD93, 0xA0761D6478BD642F };
            for (size_t d = 0; d < depth; d++) {
                bool object = kinds[d / 64] >> d % 64 & 1;
                p = (char *)memcpy(p, object ? "{\"\":" : "[0,", 4) + (object ? 4 : 3);
            }
            *p++ = '1';
            fault = p + wrong; /* the one that is depth - wrong; none: all are right */
            for (size_t d = depth; d--; p++)
                *p = (kinds[d / 64] >> d % 64 & 1) == (p != fault) ? '}' : ']';
            pull(&t, text, (size_t)(p - text), sizeof text, 16);
            CHECK_INT(t.end, wrong < depth ? MCP_SYNTAX : MCP_READ_DONE);
            CHECK_INT(t.r.offset, wrong < depth ? fault - text : p - 1 - text);
        }
}

/* Escapes between text of which the scratch cuts characters. */
static double unescape_seconds(const void *unused, size_t n) {
    size_t unit = 62, size = n * unit + 2, room = size / 2;
    char *text = (char *)malloc(size), *scratch = (char *)malloc(room), *p = text;
    mcp_reader r;
    (void)unused;
    *p++ = '"';
    for (size_t i = 0; i < n; i++) {
        for (int k = 0; k < 20; k++) p = (char *)memcpy(p, "\xE4\xB8\xAD", 3) + 3;
        p = (char *)memcpy(p, "\\n", 2) + 2;
    }
    *p = '"';
    clock_t from = clock();
    mcp_reader_init(&r, scratch, room);
    mcp_reader_feed(&r, text, size);
    for (size_t got = 0; mcp_read(&r) == MCP_READ_STR; got += r.size)
        if (!r.partial) CHECK_INT(got + r.size, n * (unit - 1));
    double took = cost_since(from);
    free(text);
    free(scratch);
    return took;
}

TEST(a_full_scratch_costs_no_more) {
    CHECK(cost_grows(unescape_seconds, NULL, 2000, 8000, 9));
}

TEST(reader_limits) {
    static trace t;
    char deep[2100];
    memset(deep, '[', 1024);
    memset(deep + 1024, ']', 1024);
    pull(&t, deep, 2048, 100, 16);
    CHECK_INT(t.end, MCP_READ_DONE);
    memset(deep, '[', 1025);
    pull(&t, deep, 2048, 100, 16);
    CHECK_INT(t.end, MCP_LIMIT);
    CHECK_INT(t.r.offset, 1024);
    pull(&t, "[12345678901234567]", 19, 4, 16); /* longer than the scratch, and cut */
    CHECK_INT(t.end, MCP_LIMIT);
    CHECK_INT(t.r.offset, 1);
    pull(&t, "[12345678901234567]", 19, 40, 16); /* whole in its piece */
    CHECK_INT(t.end, MCP_READ_DONE);
    pull(&t, "\"\\ud83d\\ude00\"", 14, 40, 3); /* no room for one character */
    CHECK_INT(t.end, MCP_LIMIT);
    pull(&t, "\"\xF0\x9F\x98\x80\"", 6, 4, 2); /* nor for what there is of a cut one */
    CHECK_INT(t.end, MCP_LIMIT);
}

TEST(reader_numbers_and_places) {
    char scratch[64];
    mcp_reader r;
    int64_t i;
    mcp_reader_init(&r, scratch, sizeof scratch);
    mcp_reader_feed(&r, "[12, 1.5, 99999999999999999999, {\"k\":true}]", 43);
    CHECK_INT(mcp_read(&r), MCP_READ_ARR);
    CHECK_INT(r.depth, 1);
    CHECK_INT(mcp_read(&r), MCP_READ_NUM);
    CHECK_INT(mcp_read_int(&r, &i), MCP_OK);
    CHECK_INT(i, 12);
    CHECK_INT(r.offset, 1);
    CHECK_INT(mcp_read(&r), MCP_READ_NUM);
    CHECK_INT(mcp_read_int(&r, &i), MCP_SYNTAX);
    CHECK_NUM(mcp_read_num(&r), 1.5);
    CHECK_INT(mcp_read(&r), MCP_READ_NUM);
    CHECK_INT(mcp_read_int(&r, &i), MCP_LIMIT);
    CHECK_NUM(mcp_read_num(&r), 1e20);
    CHECK_INT(mcp_read(&r), MCP_READ_OBJ);
    CHECK_INT(r.depth, 2);
    CHECK_INT(mcp_read(&r), MCP_READ_KEY);
    CHECK_INT(r.offset, 33);
    CHECK_INT(mcp_read(&r), MCP_READ_TRUE);
    CHECK_INT(r.offset, 37);
    CHECK_INT(mcp_read_int(&r, &i), MCP_SYNTAX); /* the last event was no number */
    CHECK_INT(mcp_read(&r), MCP_READ_OBJ_END);
    CHECK_INT(r.offset, 41);
    CHECK_INT(r.depth, 1);
    CHECK_INT(mcp_read(&r), MCP_READ_ARR_END);
    CHECK_INT(mcp_read(&r), MCP_READ_MORE);
    CHECK_INT(mcp_read(&r), MCP_READ_MORE);
    mcp_reader_feed(&r, NULL, 0);
    CHECK_INT(mcp_read(&r), MCP_READ_DONE);
    CHECK_INT(mcp_read(&r), MCP_READ_DONE);
}

/* A number's value does not depend on where its text was cut, nor does what no int64_t holds. */
TEST(a_number_may_be_fed_in_any_pieces) {
    static const struct { const char *text; double value; int status; } numbers[] = {
        { "9223372036854775807 ", 9223372036854775807.0, MCP_OK },
        { "-9223372036854775808 ", -9223372036854775808.0, MCP_OK },
        { "12345678901234567890123 ", 12345678901234567890123.0, MCP_LIMIT },
        { "77777777777777777777777777777777777777777777777777777777 ",
          77777777777777777777777777777777777777777777777777777777.0, MCP_LIMIT },
        { "0.1000000000000000055511151231257827021181583404541015625 ", 0.1, MCP_SYNTAX },
        { "-1234567890123456789012.5e-3 ", -1234567890123456789.0125, MCP_SYNTAX },
        { "20000000000000000000000e-21", 20, MCP_OK } };
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        const char *text = numbers[k].text;
        for (size_t n = strlen(text), step = 1; step <= n; step++) {
            char scratch[64];
            mcp_reader r;
            int64_t i;
            size_t at = 0;
            int event;
            mcp_reader_init(&r, scratch, sizeof scratch);
            while ((event = mcp_read(&r)) == MCP_READ_MORE) {
                size_t size = n - at < step ? n - at : step;
                mcp_reader_feed(&r, text + at, size);
                at += size;
            }
            if (!CHECK_INT(event, MCP_READ_NUM)) break;
            CHECK_NUM(mcp_read_num(&r), numbers[k].value);
            CHECK_INT(mcp_read_int(&r, &i), numbers[k].status);
        }
    }
}

/* The piece is longer than what can be assembled: it is given from where it is. */
TEST(text_is_given_in_place_where_it_can_be) {
    char scratch[16];
    static const char piece[] = "[\"no escape and longer than the scratch\",\"short\","
                                "\"and one that does not end here";
    mcp_reader r;
    mcp_reader_init(&r, scratch, sizeof scratch);
    mcp_reader_feed(&r, piece, sizeof piece - 1);
    CHECK_INT(mcp_read(&r), MCP_READ_ARR);
    CHECK_INT(mcp_read(&r), MCP_READ_STR);
    CHECK(r.text == piece + 2 && r.size == 37 && !r.partial);
    CHECK_INT(mcp_read(&r), MCP_READ_STR);
    CHECK(r.text == piece + 42 && r.size == 5 && !r.partial);
    CHECK_INT(mcp_read(&r), MCP_READ_STR);
    CHECK(r.text == piece + 50 && r.size == 30 && r.partial);
    CHECK_INT(mcp_read(&r), MCP_READ_MORE);
    mcp_reader_feed(&r, "\"]", 2);
    CHECK_INT(mcp_read(&r), MCP_READ_STR);
    CHECK(r.size == 0 && !r.partial);
}

TEST(a_reader_skips) {
    static const char text[] = "{\"a\":{\"x\":[1,{\"y\":\"\\\"}]\"}]},\"b\":[[[]]],\"c\":3}";
    for (size_t step = 1; step < sizeof text; step++) {
        char scratch[8], keys[8];
        size_t at = 0, n = 0;
        int event;
        mcp_reader r;
        mcp_reader_init(&r, scratch, sizeof scratch);
        while ((event = mcp_read(&r)) > 0) {
            if (event == MCP_READ_MORE) {
                size_t k = sizeof text - 1 - at < step ? sizeof text - 1 - at : step;
                mcp_reader_feed(&r, text + at, k);
                at += k;
            }
            if (event == MCP_READ_KEY) keys[n++] = *r.text;
            if ((event == MCP_READ_OBJ || event == MCP_READ_ARR) && r.depth == 2) mcp_read_skip(&r);
        }
        CHECK_INT(event, MCP_READ_DONE);
        CHECK_MEM(keys, n, "abc", 3);
    }
}

TEST(feeding_too_early_is_misuse) {
    char scratch[16];
    mcp_reader r;
    mcp_reader_init(&r, scratch, sizeof scratch);
    mcp_reader_feed(&r, "[1]", 3);
    mcp_reader_feed(&r, "[1]", 3);
    CHECK_INT(mcp_read(&r), MCP_MISUSE);
}

/* -- both at once -- */

static uint64_t seed = 88172645463325252u;

static uint64_t rnd(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

/* Documents with a few bytes changed: checked and pulled, they are good or bad alike. */
TEST(checker_and_reader_agree) {
    static const char alphabet[] = "{}[]\",:\\ue0123456789.-+truefalsn \n\x80\xE4\xF0\xBF\x01";
    enum { LETTERS = sizeof alphabet - 1 };
    static trace t;
    static message m;
    int good = 0;
    for (int round = 0; round < 60000; round++) {
        char text[sizeof document];
        size_t n = sizeof document - 1 - 3, from = (size_t)(rnd() % 40), size;
        memcpy(text, document + 3, n);
        for (uint64_t k = rnd() % 4; k; k--) text[rnd() % n] = alphabet[rnd() % LETTERS];
        size = round % 4 ? n : (size_t)(rnd() % n);
        if (round % 8 == 5)
            for (size_t i = 0; i < (size = from); i++) text[i] = alphabet[rnd() % LETTERS];
        bool whole = take(&m, text, size) != NULL && !memchr(text, 0, size);
        pull(&t, text, size, 1 + (size_t)(rnd() % 50), 16);
        bool pulled = t.end == MCP_READ_DONE;
        good += whole;
        if (t.end == MCP_LIMIT) continue;
        if (!CHECK_INT(whole, pulled)) test__print("text:", text, size);
        if (!whole) continue;
        copy((const mcp_json *)m.root);
    }
    CHECK(good > 5000);
}

int main(void) {
    RUN(errors_point_at_the_byte);
    RUN(depth_is_bounded);
    RUN(a_raw_nul_is_an_error);
    RUN(envelope_members_are_noted);
    RUN(members_of_params_are_noted);
    RUN(getters);
    RUN(getters_take_anything);
    RUN(integers_say_why_not);
    RUN(of_duplicates_the_last_wins);
    RUN(a_text_with_nul_is_no_c_string);
    RUN(lone_surrogates_become_replacement_characters);
    RUN(cooked_strings_stay_walkable);
    RUN(raw_is_as_it_came);
    RUN(keys_are_ordered_by_what_they_say);
    RUN(integral_numbers);
    RUN(writers_of_every_size_agree);
    RUN(a_writer_on_a_growing_buffer);
    RUN(the_first_thing_says_what_the_whole_is);
    RUN(no_buffer_holds_nothing);
    RUN(misuse_sticks);
    RUN(numbers_that_json_lacks);
    RUN(raw_json_is_checked);
    RUN(what_is_not_utf8_is_repaired);
    RUN(texts_of_every_length_are_written);
    RUN(a_reader_may_be_fed_in_any_pieces);
    RUN(reader_errors_point_at_the_byte);
    RUN(escapes_in_a_row);
    RUN(strings_near_the_end_of_a_piece);
    RUN(a_reader_remembers_what_it_is_in);
    RUN(a_full_scratch_costs_no_more);
    RUN(reader_limits);
    RUN(reader_numbers_and_places);
    RUN(a_number_may_be_fed_in_any_pieces);
    RUN(text_is_given_in_place_where_it_can_be);
    RUN(a_reader_skips);
    RUN(feeding_too_early_is_misuse);
    RUN(checker_and_reader_agree);
    return DONE();
}
