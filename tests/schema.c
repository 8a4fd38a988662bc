/* schema.c - tables: what they list, what they let pass, what they fill in, and their mistakes */
#include "unit.h"

#define LENGTH(rows) (sizeof(rows) / sizeof *(rows))

static int echo(mcp_call *c) { /* the arguments as the handler finds them */
    size_t n;
    const char *s = mcp_get_raw(mcp_args(c), NULL, &n);
    return mcp_textn(c, s, n);
}

static mcp_tool tools[2];
static mcp_arg one[2]; /* a table of a single row */

static void serve(const mcp_arg *args, unsigned flags) {
    fresh();
    memset(tools, 0, sizeof tools);
    tools[0].name = "t";
    tools[0].call = echo;
    tools[0].args = args;
    tools[0].flags = flags;
    desc.tools = tools;
}

static const mcp_arg *only(const mcp_arg *row) {
    one[0] = *row;
    return one;
}

/* The table's schema; of a single row, that of its value. */
static const char *listed(const mcp_arg *args, unsigned flags) {
    serve(args, flags);
    start();
    const char *list = part(request(MODERN, "tools/list", ""), "result");
    const char *schema = part(part(list, "tools") + 1, "inputSchema");
    stop();
    return schema;
}
static const char *listed_row(const mcp_arg *row) {
    return part(part(listed(only(row), 0), "properties"), row->name);
}

/* What is wrong with these arguments, or "". */
static const char *problem(const mcp_arg *args, unsigned flags, const char *given) {
    static const char before[] = "\"Invalid arguments: ";
    serve(args, flags);
    start();
    const char *text = failure(MODERN, "t", given);
    stop();
    if (!harness_is(text, before)) return text;
    return keep(text + sizeof before - 1, strlen(text) - sizeof before);
}

/* The arguments that arrive, as JSON in a string: "" if they are refused. */
static const char *filled(const mcp_arg *args, unsigned flags, const char *given) {
    serve(args, flags);
    start();
    const char *r = result(MODERN, "t", given);
    const char *text = part(part(r, "content") + 1, "text");
    bool good = !strcmp(part(r, "isError"), "false");
    stop();
    return good ? text : "";
}

/* ---- listing ---- */

static const mcp_arg pair[] = { { .name = "x", .type = MCP_NUMBER, .flags = MCP_REQUIRED },
                                { .name = "y", .type = MCP_NUMBER }, { 0 } };
static const mcp_arg numbers[] = { { .name = "inner", .type = MCP_ARRAY, .max_items = 2,
                                     .items = MCP_NUMBER }, { 0 } };
static const mcp_arg cube[] = { { .type = MCP_ARRAY, .items = MCP_ARRAY, .of = numbers }, { 0 } };
static const mcp_arg none[] = { { 0 } };

TEST(every_row_listed) { /* key order is a promise */
    static const struct { mcp_arg row; const char *schema; } rows[] = {
        { { .name = "a" }, "{\"type\":\"string\"}" },
        { { .name = "a", .type = MCP_NUMBER }, "{\"type\":\"number\"}" },
        { { .name = "a", .type = MCP_INTEGER }, "{\"type\":\"integer\"}" },
        { { .name = "a", .type = MCP_BOOLEAN }, "{\"type\":\"boolean\"}" },
        { { .name = "a", .type = MCP_NULL }, "{\"type\":\"null\"}" },
        { { .name = "a", .type = MCP_ANY }, "{}" },
        { { .name = "a", .type = MCP_OBJECT },
          "{\"type\":\"object\",\"properties\":{},\"additionalProperties\":true}" },
        { { .name = "a", .type = MCP_OBJECT, .of = none },
          "{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}" },
        { { .name = "a", .type = MCP_OBJECT, .flags = MCP_OPEN, .of = pair },
          "{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"number\"},"
          "\"y\":{\"type\":\"number\"}},\"required\":[\"x\"],\"additionalProperties\":true}" },
        { { .name = "a", .type = MCP_ARRAY },
          "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}" },
        { { .name = "a", .type = MCP_ARRAY, .items = MCP_ANY },
          "{\"type\":\"array\",\"items\":{}}" },
        { { .name = "a", .type = MCP_ARRAY, .desc = "d", .min_items = 1, .max_items = 2,
            .items = MCP_OBJECT, .of = pair, .title = "T" },
          "{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":"
          "{\"x\":{\"type\":\"number\"},\"y\":{\"type\":\"number\"}},\"required\":[\"x\"],"
          "\"additionalProperties\":false},\"minItems\":1,\"maxItems\":2,\"title\":\"T\","
          "\"description\":\"d\"}" },
        { { .name = "a", .type = MCP_ARRAY, .items = MCP_ARRAY, .of = cube },
          "{\"type\":\"array\",\"items\":{\"type\":\"array\",\"items\":{\"type\":\"array\","
          "\"items\":{\"type\":\"number\"},\"maxItems\":2}}}" },
        { { .name = "a", .type = MCP_ARRAY, .def = "[\"x\"]", .choices = "x|y", .labels = "X|Y" },
          "{\"type\":\"array\",\"items\":{\"type\":\"string\",\"enum\":[\"x\",\"y\"],"
          "\"enumNames\":[\"X\",\"Y\"]},\"default\":[\"x\"]}" },
        { { .name = "a", .def = "a\"b", .title = "T" },
          "{\"type\":\"string\",\"title\":\"T\",\"default\":\"a\\\"b\"}" },
        { { .name = "a", .min_length = 1, .max_length = 2, .format = "email" },
          "{\"type\":\"string\",\"minLength\":1,\"maxLength\":2,\"format\":\"email\"}" },
        { { .name = "a", .type = MCP_NUMBER, .min = "0.10", .max = "<1E9" },
          "{\"type\":\"number\",\"minimum\":0.10,\"exclusiveMaximum\":1E9}" },
        { { .name = "a", .type = MCP_INTEGER, .min = ">-1", .max = "18446744073709551617" },
          "{\"type\":\"integer\",\"exclusiveMinimum\":-1,\"maximum\":18446744073709551617}" },
        { { .name = "a", .type = MCP_NUMBER, .def = " 1.50 ", .choices = "1.50|2e3" },
          "{\"type\":\"number\",\"enum\":[1.50,2e3],\"default\":1.50}" },
        { { .name = "a", .flags = MCP_NULLABLE }, "{\"type\":[\"string\",\"null\"]}" },
        { { .name = "a", .type = MCP_INTEGER, .flags = MCP_NULLABLE, .def = "null" },
          "{\"type\":[\"integer\",\"null\"],\"default\":null}" },
        { { .name = "a", .flags = MCP_NULLABLE, .choices = "x|y" },
          "{\"type\":[\"string\",\"null\"],\"enum\":[\"x\",\"y\",null]}" },
        { { .name = "a", .type = MCP_ARRAY, .flags = MCP_NULLABLE },
          "{\"type\":[\"array\",\"null\"],\"items\":{\"type\":\"string\"}}" },
        { { .name = "a", .type = MCP_ANY, .flags = MCP_NULLABLE }, "{}" },
        { { .name = "a", .choices = "|b" }, "{\"type\":\"string\",\"enum\":[\"\",\"b\"]}" },
        { { .name = "a", .desc = "ignored", .schema = " {\n\t\"type\" : [ \"string\" ] }\r\n" },
          "{  \"type\" : [ \"string\" ] }" } };
    for (size_t i = 0; i < LENGTH(rows); i++) CHECK_STR(listed_row(&rows[i].row), rows[i].schema);
}

TEST(null_is_listed_once) { /* JSON Schema: the types of a list are unique */
    static const mcp_arg row = { .name = "a", .type = MCP_NULL, .flags = MCP_NULLABLE };
    CHECK_STR(listed_row(&row), "{\"type\":\"null\"}");
}

TEST(labels_match_choices) { /* as many enumNames as there are in enum, null among them */
    static const mcp_arg row = { .name = "a", .flags = MCP_NULLABLE, .choices = "x|y",
                                 .labels = "X|Y" };
    const char *schema = listed_row(&row);
    CHECK_STR(part(schema, "enum"), "[\"x\",\"y\",null]");
    CHECK_STR(part(schema, "enumNames"), "[\"X\",\"Y\",\"null\"]");
}

TEST(tables_listed) {
    CHECK_STR(listed(NULL, 0),
              "{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}");
    CHECK_STR(listed(NULL, MCP_OPEN),
              "{\"type\":\"object\",\"properties\":{},\"additionalProperties\":true}");
    CHECK_STR(listed(none, 0),
              "{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}");
    CHECK_STR(listed(pair, MCP_UNCHECKED),
              "{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"number\"},"
              "\"y\":{\"type\":\"number\"}},\"required\":[\"x\"],\"additionalProperties\":false}");
}

TEST(names_and_texts_are_escaped) {
    static const mcp_arg row = { .name = "a\"b\\\n\xC3\xA9", .desc = "\x01\xFF\xE2\x80\xA8" };
    CHECK_STR(part(listed(only(&row), 0), "properties"),
              "{\"a\\\"b\\\\\\n\xC3\xA9\":{\"type\":\"string\","
              "\"description\":\"\\u0001\xEF\xBF\xBD\\u2028\"}}");
}

/* ---- checking ---- */

static void check_row(const mcp_arg *row, const char *value, const char *expected) {
    const char *given = text_of("{\"%s\":%s%s}", row->name, value, "");
    const char *got = problem(only(row), 0, given);
    if (*expected) expected = text_of("%s%s%s", row->name, expected, "");
    if (!CHECK_STR(got, expected)) printf("    of:    %s\n", given);
}

TEST(types) {
    static const char *const values[] = { "\"3\"", "1.5", "3", "true", "{}", "[]", "null" };
    static const struct { mcp_type type; const char *fits, *name; } rows[] = {
        { MCP_STRING, "1000000", "string" }, { MCP_NUMBER, "0110000", "number" },
        { MCP_INTEGER, "0010000", "integer" }, { MCP_BOOLEAN, "0001000", "boolean" },
        { MCP_OBJECT, "0000100", "object" }, { MCP_ARRAY, "0000010", "array" },
        { MCP_NULL, "0000001", "null" }, { MCP_ANY, "1111111", "" } };
    for (size_t i = 0; i < LENGTH(rows); i++)
        for (size_t k = 0; k < LENGTH(values); k++)
            for (unsigned flags = 0; flags <= MCP_NULLABLE; flags += MCP_NULLABLE) {
                mcp_arg row = { .name = "a" };
                row.type = rows[i].type;
                row.flags = flags;
                bool fits = rows[i].fits[k] == '1' || (flags && !strcmp(values[k], "null"));
                check_row(&row, values[k],
                          fits ? "" : text_of(": expected %s%s%s", rows[i].name, "", ""));
            }
}

TEST(numbers_with_bounds) { /* exact, where doubles are not */
    static const mcp_arg tenth = { .name = "a", .type = MCP_NUMBER, .min = "0.1", .max = "<1e9" };
    static const mcp_arg above = { .name = "a", .type = MCP_NUMBER, .min = ">0" };
    static const mcp_arg most = { .name = "a", .type = MCP_NUMBER, .max = "9007199254740992" };
    static const mcp_arg whole = { .name = "a", .type = MCP_INTEGER, .min = "-5", .max = "5" };
    static const mcp_arg half = { .name = "a", .type = MCP_INTEGER, .min = ">0.5", .max = "1.5" };
    static const struct { const mcp_arg *row; const char *value, *problem; } rows[] = {
        { &tenth, "0.1", "" }, { &tenth, "1e-1", "" }, { &tenth, "0.10000000000000000000000", "" },
        { &tenth, "0.09999999999999999999999999", ": must be at least 0.1" },
        { &tenth, "0.1000000000000000000000001", "" }, { &tenth, "-1", ": must be at least 0.1" },
        { &tenth, "999999999.99999999999999999999", "" },
        { &tenth, "1000000000", ": must be below 1e9" },
        { &tenth, "10e8", ": must be below 1e9" }, { &tenth, "1e308", ": must be below 1e9" },
        { &tenth, "1e309", ": out of range" }, { &tenth, "-1e99999999999999999999",
            ": out of range" },
        { &above, "0", ": must be above 0" }, { &above, "-0.0", ": must be above 0" },
        { &above, "1e-400", "" }, { &above, "0e5", ": must be above 0" },
        { &above, "0.000000000000000000000000000000000000000000001", "" },
        { &most, "9007199254740992", "" }, { &most, "9007199254740992.0", "" },
        { &most, "9007199254740993", ": must be at most 9007199254740992" },
        { &most, "9007199254740992.00000000000000001", ": must be at most 9007199254740992" },
        { &whole, "5", "" }, { &whole, "-5.0", "" }, { &whole, "0.5e1", "" },
        { &whole, "6", ": must be at most 5" }, { &whole, "-6", ": must be at least -5" },
        { &whole, "5.5", ": expected integer" },
        { &whole, "9223372036854775808", ": out of range" },
        { &half, "1", "" }, { &half, "0", ": must be above 0.5" },
        { &half, "2", ": must be at most 1.5" } };
    for (size_t i = 0; i < LENGTH(rows); i++)
        check_row(rows[i].row, rows[i].value, rows[i].problem);
}

TEST(integers) { /* of 64 bits, however they are written */
    static const mcp_arg row = { .name = "a", .type = MCP_INTEGER };
    static const char *const good[] = { "9223372036854775807", "-9223372036854775808", "-0", "1.0",
        "1e2", "1E+2", "100e-2", "9223372036854775807.000", "92233720368547758.07e2", "0e999999999",
        "0.00e-5", "1000000000000000000000000000000e-30" };
    static const char *const beyond[] = { "9223372036854775808", "-9223372036854775809", "1e19",
        "18446744073709551616", "1e400", "1e99999999999999999999" };
    static const char *const broken[] = { "0.5", "1e-1", "9223372036854775807.5",
        "1e-99999999999999" };
    for (size_t i = 0; i < LENGTH(good); i++) check_row(&row, good[i], "");
    for (size_t i = 0; i < LENGTH(beyond); i++) check_row(&row, beyond[i], ": out of range");
    for (size_t i = 0; i < LENGTH(broken); i++) check_row(&row, broken[i], ": expected integer");
}

TEST(lengths) { /* in code points, escaped or not */
    static const mcp_arg row = { .name = "a", .min_length = 2, .max_length = 3 };
    static const mcp_arg least = { .name = "a", .min_length = 1 };
    static const struct { const mcp_arg *row; const char *value, *problem; } rows[] = {
        { &row, "\"ab\"", "" }, { &row, "\"abc\"", "" },
        { &row, "\"a\"", ": must have at least 2 characters" },
        { &row, "\"abcd\"", ": must have at most 3 characters" },
        { &row, "\"\xC3\xA9\"", ": must have at least 2 characters" },
        { &row, "\"\xF0\x9F\x98\x80\xF0\x9F\x98\x80\xF0\x9F\x98\x80\"", "" },
        { &row, "\"\\ud83d\\ude00\"", ": must have at least 2 characters" },
        { &row, "\"\\ud83d\\ude00\\u00e9\"", "" }, { &row, "\"\\u0000\\u0000\"", "" },
        { &row, "\"\\ud83d\\ud83d\\\"\"", "" }, { &row, "\"\\n\\n\\n\\n\"",
          ": must have at most 3 characters" },
        { &least, "\"\"", ": must have at least 1 characters" }, { &least, "\"\\u0000\"", "" } };
    for (size_t i = 0; i < LENGTH(rows); i++)
        check_row(rows[i].row, rows[i].value, rows[i].problem);
}

TEST(choices) {
    static const mcp_arg words = { .name = "a", .choices = "a|b c||\xC3\xA9" };
    static const mcp_arg values = { .name = "a", .type = MCP_NUMBER, .choices = "1|2.5|1e2" };
    static const mcp_arg many = { .name = "a", .type = MCP_ARRAY, .flags = MCP_NULLABLE,
                                  .choices = "1|2", .max_items = 2, .items = MCP_INTEGER };
    static const struct { const mcp_arg *row; const char *value, *problem; } rows[] = {
        { &words, "\"a\"", "" }, { &words, "\"\\u0061\"", "" }, { &words, "\"b c\"", "" },
        { &words, "\"\"", "" }, { &words, "\"\\u00e9\"", "" }, { &words, "\"\xC3\xA9\"", "" },
        { &words, "\"A\"", ": must be one of a|b c||\xC3\xA9" },
        { &words, "\"a|b c\"", ": must be one of a|b c||\xC3\xA9" },
        { &words, "\"a\\u0000\"", ": must be one of a|b c||\xC3\xA9" },
        { &values, "1", "" }, { &values, "1.0", "" }, { &values, "2.50", "" },
            { &values, "100", "" },
        { &values, "25e-1", "" }, { &values, "2.5000000000000000000001",
            ": must be one of 1|2.5|1e2" },
        { &values, "-1", ": must be one of 1|2.5|1e2" },
        { &many, "[]", "" }, { &many, "[1,2.0]", "" }, { &many, "null", "" },
        { &many, "[1,3]", "[1]: must be one of 1|2" },
        { &many, "[1,null]", "[1]: expected integer" },
        { &many, "[1,1,1]", ": must have at most 2 items" } };
    for (size_t i = 0; i < LENGTH(rows); i++)
        check_row(rows[i].row, rows[i].value, rows[i].problem);
}

TEST(arrays) { /* counts, items, and arrays of arrays, each with its place */
    static const mcp_arg some = { .name = "a", .type = MCP_ARRAY, .min_items = 1, .max_items = 2 };
    static const mcp_arg deep = { .name = "a", .type = MCP_ARRAY, .items = MCP_ARRAY, .of = cube };
    static const mcp_arg points = { .name = "a", .type = MCP_ARRAY, .items = MCP_OBJECT,
        .of = pair };
    static const mcp_arg any = { .name = "a", .type = MCP_ARRAY, .items = MCP_ANY };
    static const struct { const mcp_arg *row; const char *value, *problem; } rows[] = {
        { &some, "[\"x\"]", "" }, { &some, "[\"x\",\"\"]", "" },
        { &some, "[]", ": must have at least 1 items" },
        { &some, "[\"\",\"\",\"\"]", ": must have at most 2 items" },
        { &some, "[1]", "[0]: expected string" }, { &some, "\"x\"", ": expected array" },
        { &deep, "[]", "" }, { &deep, "[[],[[]],[[1,2],[3]]]", "" },
        { &deep, "[[],[[1],[2,\"x\"]]]", "[1][1][1]: expected number" },
        { &deep, "[[[1,2,3]]]", "[0][0]: must have at most 2 items" },
        { &deep, "[[1]]", "[0][0]: expected array" }, { &deep, "[{}]", "[0]: expected array" },
        { &points, "[{\"x\":1},{\"y\":2,\"x\":1}]", "" },
        { &points, "[{\"x\":1},{\"y\":2}]", "[1].x: missing" },
        { &points, "[{\"x\":1,\"z\":0}]", "[0].z: unknown argument" },
        { &points, "[{\"x\":\"1\"}]", "[0].x: expected number" },
        { &any, "[1,null,[[]],{\"a\":[]}]", "" } };
    for (size_t i = 0; i < LENGTH(rows); i++)
        check_row(rows[i].row, rows[i].value, rows[i].problem);
}

static const mcp_arg inside[] = {
    { .name = "p", .type = MCP_OBJECT, .flags = MCP_REQUIRED, .of = pair },
    { .name = "free", .type = MCP_OBJECT },
    { .name = "wide", .type = MCP_OBJECT, .flags = MCP_OPEN, .of = pair }, { 0 } };

TEST(objects) { /* nested; closed unless they say otherwise */
    static const mcp_arg row = { .name = "a", .type = MCP_OBJECT, .of = inside };
    static const struct { const char *value, *problem; } rows[] = {
        { "{\"p\":{\"x\":1}}", "" },
        { "{}", ".p: missing" },
        { "{\"p\":{}}", ".p.x: missing" },
        { "{\"p\":null}", ".p: expected object" },
        { "{\"p\":{\"x\":1},\"free\":{\"any\":{\"thing\":[1]}}}", "" },
        { "{\"p\":{\"x\":1},\"wide\":{\"x\":1,\"more\":2}}", "" },
        { "{\"p\":{\"x\":1},\"wide\":{\"more\":2}}", ".wide.x: missing" },
        { "{\"p\":{\"x\":1,\"q\":{\"r\":1}}}", ".p.q: unknown argument" } };
    for (size_t i = 0; i < LENGTH(rows); i++) check_row(&row, rows[i].value, rows[i].problem);
}

TEST(problems_are_counted) { /* eight are named, the others are only counted */
    static const mcp_arg ten[] = {
        { .name = "a", .flags = MCP_REQUIRED }, { .name = "b", .flags = MCP_REQUIRED },
        { .name = "c", .flags = MCP_REQUIRED }, { .name = "d", .flags = MCP_REQUIRED },
        { .name = "e", .flags = MCP_REQUIRED }, { .name = "f", .flags = MCP_REQUIRED },
        { .name = "g", .flags = MCP_REQUIRED }, { .name = "h", .flags = MCP_REQUIRED },
        { .name = "i", .flags = MCP_REQUIRED }, { .name = "j", .flags = MCP_REQUIRED }, { 0 } };
    CHECK_STR(problem(ten, 0, "{\"a\":\"\",\"b\":\"\"}"),
              "c: missing; d: missing; e: missing; f: missing; g: missing; h: missing; i: missing; "
              "j: missing");
    CHECK_STR(problem(ten, 0, "{\"a\":\"\",\"c\":1,\"z\":0}"),
              "z: unknown argument; b: missing; c: expected string; d: missing; e: missing; "
              "f: missing; g: missing; h: missing; and 2 more");
    CHECK_STR(problem(ten, 0, "{}"),
              "a: missing; b: missing; c: missing; d: missing; e: missing; f: missing; g: missing; "
              "h: missing; and 2 more");
}

TEST(unknown_names_are_shown) { /* cut between two characters, escaped by the writer */
    char given[400], expected[400], name[301] = "";
    for (int i = 0; i < 100; i++) strcat(name, "\xE2\x82\xAC");
    snprintf(given, sizeof given, "{\"%s\":1}", name);
    name[126] = 0; /* of 128 bytes, 42 characters of 3 */
    snprintf(expected, sizeof expected, "%s: unknown argument", name);
    CHECK_STR(problem(NULL, 0, given), expected);
    CHECK_STR(problem(NULL, 0, "{\"a\\n\\\"b\":1}"), "a\\n\\\"b: unknown argument");
    CHECK_STR(problem(NULL, 0, "{\"\":1}"), ": unknown argument");
    CHECK_STR(problem(NULL, MCP_OPEN, "{\"\":1,\"z\":{}}"), "");
}

TEST(last_of_twins_counts) { /* whatever getters find is what was checked */
    static const mcp_arg row = { .name = "a", .type = MCP_INTEGER };
    CHECK_STR(problem(only(&row), 0, "{\"a\":\"x\",\"a\":1}"), "");
    CHECK_STR(problem(only(&row), 0, "{\"a\":1,\"a\":\"x\"}"), "a: expected integer");
    CHECK_STR(problem(only(&row), 0, "{\"a\":1,\"\\u0061\":\"x\"}"), "a: expected integer");
}

TEST(raw_schemas_are_not_judged) { /* neither the value nor the whole */
    static const mcp_arg row = { .name = "a", .flags = MCP_REQUIRED,
        .schema = "{\"pattern\":\"^x\"}" };
    static const char *const values[] = { "1", "null", "[[1]]", "\"y\"" };
    for (size_t i = 0; i < LENGTH(values); i++) check_row(&row, values[i], "");
    CHECK_STR(problem(only(&row), 0, "{}"), "a: missing");
    serve(NULL, 0);
    tools[0].schema = "{\"type\":\"object\",\"required\":[\"z\"]}";
    start();
    CHECK_STR(failure(MODERN, "t", "{\"q\":1}"), "");
    stop();
}

TEST(unchecked) { /* the rows are listed and mean nothing */
    CHECK_STR(problem(pair, MCP_UNCHECKED, "{\"x\":\"no\",\"q\":1}"), "");
    static const mcp_arg row = { .name = "a", .def = "d" };
    CHECK_STR(filled(only(&row), MCP_UNCHECKED, "{ }"), "\"{ }\"");
}

/* ---- defaults ---- */

static const mcp_arg home[] = { { .name = "city", .def = "B\xC3\xA9" }, { .name = "zip" }, { 0 } };
static const mcp_arg person[] = {
    { .name = "name", .flags = MCP_REQUIRED },
    { .name = "age", .type = MCP_INTEGER, .def = "3" },
    { .name = "tags", .type = MCP_ARRAY, .def = "[ \"x\" ]" },
    { .name = "home", .type = MCP_OBJECT, .of = home }, { 0 } };

TEST(defaults) { /* of every type; what is given stays as it came */
    static const mcp_arg rows[] = {
        { .name = "s", .def = "a\"b" }, { .name = "e", .def = "" },
        { .name = "n", .type = MCP_NUMBER, .def = "1.50" },
        { .name = "b", .type = MCP_BOOLEAN, .def = "true" },
        { .name = "z", .type = MCP_INTEGER, .flags = MCP_NULLABLE, .def = "null" },
        { .name = "any", .type = MCP_ANY, .def = "{\"a\": [1]}" }, { .name = "no" }, { 0 } };
    CHECK_STR(filled(rows, 0, "{}"),
              "\"{\\\"s\\\":\\\"a\\\\\\\"b\\\",\\\"e\\\":\\\"\\\",\\\"n\\\":1.50,\\\"b\\\":true,"
              "\\\"z\\\":null,\\\"any\\\":{\\\"a\\\":[1]}}\"");
    CHECK_STR(filled(rows, MCP_OPEN, "{\"q\": 1.0, \"n\":2.0,\"s\":\"\\u0041\"}"),
              "\"{\\\"q\\\":1.0,\\\"n\\\":2.0,\\\"s\\\":\\\"\\\\u0041\\\",\\\"e\\\":\\\"\\\","
              "\\\"b\\\":true,\\\"z\\\":null,\\\"any\\\":{\\\"a\\\":[1]}}\"");
}

TEST(defaults_at_every_level) {
    static const mcp_arg row = { .name = "p", .type = MCP_ARRAY, .items = MCP_OBJECT,
        .of = person };
    static const mcp_arg of[] = { { .type = MCP_ARRAY, .items = MCP_OBJECT, .of = home }, { 0 } };
    static const mcp_arg grid = { .name = "g", .type = MCP_ARRAY, .items = MCP_ARRAY, .of = of };
    CHECK_STR(filled(only(&row), 0,
        "{\"p\":[{\"name\":\"n\"},{\"home\":{},\"name\":\"m\",\"age\":4}]}"),
              "\"{\\\"p\\\":[{\\\"name\\\":\\\"n\\\",\\\"age\\\":3,\\\"tags\\\":[\\\"x\\\"]},"
              "{\\\"home\\\":{\\\"city\\\":\\\"B\xC3\xA9\\\"},\\\"name\\\":\\\"m\\\",\\\"age\\\":4,"
              "\\\"tags\\\":[\\\"x\\\"]}]}\"");
    CHECK_STR(filled(only(&grid), 0, "{\"g\":[[],[{}],[{\"city\":\"\"}]]}"),
              "\"{\\\"g\\\":[[],[{\\\"city\\\":\\\"B\xC3\xA9\\\"}],[{\\\"city\\\":\\\"\\\"}]]}\"");
}

TEST(defaults_of_defaults) { /* a default object lacks nothing either */
    static const mcp_arg row = { .name = "h", .type = MCP_OBJECT, .def = "{}", .of = home };
    CHECK_STR(filled(only(&row), 0, "{}"),
              "\"{\\\"h\\\":{\\\"city\\\":\\\"B\xC3\xA9\\\"}}\"");
    CHECK_STR(filled(only(&row), 0, "{\"h\":{}}"),
              "\"{\\\"h\\\":{\\\"city\\\":\\\"B\xC3\xA9\\\"}}\"");
}

TEST(defaults_beside_twins) { /* given twice is given */
    static const mcp_arg rows[] = { { .name = "a", .type = MCP_INTEGER, .def = "1" },
                                    { .name = "b", .def = "d" }, { 0 } };
    CHECK_STR(filled(rows, 0, "{\"a\":2,\"a\":3}"),
              "\"{\\\"a\\\":2,\\\"a\\\":3,\\\"b\\\":\\\"d\\\"}\"");
}

/* ---- mistakes in a table: one clear line each, and nothing is served ---- */

static mcp_arg nest[40]; /* a table in a table in a table */
static const mcp_arg *nested(size_t depth) {
    memset(nest, 0, sizeof nest);
    for (size_t i = 0; i < depth; i++) {
        nest[2 * i].name = "n";
        nest[2 * i].type = i + 1 < depth ? MCP_OBJECT : MCP_STRING;
        nest[2 * i].of = i + 1 < depth ? &nest[2 * i + 2] : NULL;
    }
    return nest;
}

static const mcp_arg loop[] = { { .name = "l", .type = MCP_OBJECT, .of = loop },
                                { .name = "m", .type = MCP_OBJECT, .of = loop }, { 0 } };

TEST(mistakes) {
    static const mcp_arg twice[] = { { .name = "x" }, { .name = "y" }, { .name = "x" }, { 0 } };
    static const mcp_arg word[] = { { .name = "w" }, { 0 } };
    static const struct { mcp_arg row; const char *why; } rows[] = {
        { { .name = "" }, "an argument's name is empty" },
        { { .name = "\xC3" }, "an argument's name is not UTF-8" },
        { { .name = "a", .type = MCP_OBJECT, .of = twice }, "argument \"x\": appears twice" },
        { { .name = "a", .flags = 8 }, "argument \"a\": flags has unknown bits" },
        { { .name = "a", .min = "1" }, "argument \"a\": min and max are for numbers" },
        { { .name = "a", .type = MCP_BOOLEAN, .max = "1" },
          "argument \"a\": min and max are for numbers" },
        { { .name = "a", .type = MCP_INTEGER, .min = "" }, "argument \"a\": min is not a number" },
        { { .name = "a", .type = MCP_INTEGER, .min = ">" }, "argument \"a\": min is not a number" },
        { { .name = "a", .type = MCP_INTEGER, .min = "<1" },
          "argument \"a\": min is not a number" },
        { { .name = "a", .type = MCP_INTEGER, .max = ">1" },
          "argument \"a\": max is not a number" },
        { { .name = "a", .type = MCP_INTEGER, .max = "01" },
          "argument \"a\": max is not a number" },
        { { .name = "a", .type = MCP_INTEGER, .max = "+1" },
          "argument \"a\": max is not a number" },
        { { .name = "a", .type = MCP_INTEGER, .max = " 1" },
          "argument \"a\": max is not a number" },
        { { .name = "a", .type = MCP_INTEGER, .max = "1 " },
          "argument \"a\": max is not a number" },
        { { .name = "a", .type = MCP_INTEGER, .max = "1." },
          "argument \"a\": max is not a number" },
        { { .name = "a", .type = MCP_NUMBER, .max = "Infinity" },
          "argument \"a\": max is not a number" },
        { { .name = "a", .type = MCP_NUMBER, .min = "1.0000000000000000001", .max = "1" },
          "argument \"a\": no number is within min and max" },
        { { .name = "a", .type = MCP_NUMBER, .min = "1", .max = "<1.0" },
          "argument \"a\": no number is within min and max" },
        { { .name = "a", .type = MCP_NUMBER, .min_length = 1 },
          "argument \"a\": min_length and max_length are for strings" },
        { { .name = "a", .min_length = 2, .max_length = 1 },
          "argument \"a\": min_length is above max_length" },
        { { .name = "a", .type = MCP_ARRAY, .min_items = 2, .max_items = 1 },
          "argument \"a\": min_items is above max_items" },
        { { .name = "a", .type = MCP_ARRAY, .items = MCP_ARRAY },
          "argument \"a\": an array of arrays needs of" },
        { { .name = "a", .type = MCP_ARRAY, .min = "1" },
          "argument \"a\": min and max are for numbers" },
        { { .name = "a", .type = MCP_BOOLEAN, .choices = "true" },
          "argument \"a\": choices are for strings and numbers" },
        { { .name = "a", .labels = "A" }, "argument \"a\": labels without choices" },
        { { .name = "a", .choices = "a|b", .labels = "A" },
          "argument \"a\": there are not as many labels as choices" },
        { { .name = "a", .choices = "a", .labels = "A|B" },
          "argument \"a\": there are not as many labels as choices" },
        { { .name = "a", .choices = "a|b|a" }, "argument \"a\": a choice appears twice" },
        { { .name = "a", .type = MCP_NUMBER, .choices = "1|x" },
          "argument \"a\": a choice is not a number" },
        { { .name = "a", .type = MCP_INTEGER, .def = "" }, "argument \"a\": def is not JSON" },
        { { .name = "a", .type = MCP_INTEGER, .def = "1 2" }, "argument \"a\": def is not JSON" },
        { { .name = "a", .type = MCP_INTEGER, .def = "1.5" },
          "argument \"a\": def: expected integer" },
        { { .name = "a", .type = MCP_INTEGER, .def = "11", .max = "10" },
          "argument \"a\": def: must be at most 10" },
        { { .name = "a", .def = "c", .choices = "a|b" },
          "argument \"a\": def: must be one of a|b" },
        { { .name = "a", .def = "c", .min_length = 2 },
          "argument \"a\": def: must have at least 2 characters" },
        { { .name = "a", .type = MCP_ARRAY, .def = "[1]" },
          "argument \"a\": def[0]: expected string" },
        { { .name = "a", .type = MCP_OBJECT, .def = "{}", .of = pair },
          "argument \"a\": def.x: missing" },
        { { .name = "a", .type = MCP_OBJECT, .of = loop }, "argument \"l\": nests too deep" },
        { { .name = "a", .schema = "{" }, "argument \"a\": schema is not a JSON object" },
        { { .name = "a", .schema = "[]" }, "argument \"a\": schema is not a JSON object" },
        { { .name = "a", .schema = "{}x" }, "argument \"a\": schema is not a JSON object" },
        { { .name = "a", .schema = "\xEF\xBB\xBF{}" },
          "argument \"a\": schema is not a JSON object" },
        { { .name = "a", .type = (mcp_type)8 }, "argument \"a\": there is no such type" },
        { { .name = "a", .type = MCP_ARRAY, .items = (mcp_type)8 },
          "argument \"a\": there is no such type" },
        { { .name = "a", .min_items = 1 },
          "argument \"a\": items, min_items and max_items are for arrays" },
        { { .name = "a", .items = MCP_NUMBER },
          "argument \"a\": items, min_items and max_items are for arrays" },
        { { .name = "a", .of = pair }, "argument \"a\": of is for objects and arrays" },
        { { .name = "a", .type = MCP_ARRAY, .of = pair },
          "argument \"a\": of is for objects and arrays" },
        { { .name = "a", .choices = "" }, "argument \"a\": there are no choices" },
        { { .name = "a", .choices = "\xFF" }, "argument \"a\": a choice is not UTF-8" },
        { { .name = "a", .type = MCP_INTEGER, .choices = "1|1.5" },
          "argument \"a\": a choice is not an integer" },
        { { .name = "a", .type = MCP_NUMBER, .choices = "1|2|1.0" },
          "argument \"a\": a choice appears twice" },
        { { .name = "a", .type = MCP_ARRAY, .items = MCP_ARRAY, .of = word },
          "argument \"a\": of is not the row of an array" },
        { { .name = "a", .type = MCP_ARRAY, .choices = "a|b", .items = MCP_ARRAY, .of = numbers },
          "argument \"a\": choices are for strings and numbers" } };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        serve(only(&rows[i].row), 0);
        if (!CHECK_STR(refused(), text_of("5 -8 tool \"t\": %s%s%s", rows[i].why, "", "")))
            printf("    row:   %lu\n", (unsigned long)i);
    }
}

TEST(depth_of_a_table) {
    enum { DEEPEST = 32 };
    serve(nested(20), 0);
    CHECK_STR(refused(), "");
    static mcp_arg deep[DEEPEST + 2][2];
    for (size_t n = DEEPEST; n < DEEPEST + 2; n++) {
        for (size_t i = 0; i < n; i++) {
            deep[i][0].name = "n";
            deep[i][0].type = i + 1 < n ? MCP_OBJECT : MCP_STRING;
            deep[i][0].of = i + 1 < n ? deep[i + 1] : NULL;
        }
        serve(deep[0], 0);
        CHECK_STR(refused(), n == DEEPEST
            ? "" : "5 -8 tool \"t\": argument \"n\": nests too deep");
    }
}

TEST(long_names_are_cut_in_mistakes) {
    char name[300];
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = 0;
    mcp_arg row = { .name = "a" };
    row.name = name;
    row.min = "1";
    serve(only(&row), 0);
    const char *why = refused();
    name[128] = 0;
    CHECK_STR(why, text_of("5 -8 tool \"t\": argument \"%s\": min and max are for numbers%s%s",
        name, "", ""));
}

/* ---- memory ---- */

/* items that are objects: no more than their bytes a few times */
TEST(small_input_needs_little_memory) {
    static const mcp_arg ten[] = { { .name = "a" }, { .name = "b" }, { .name = "c" },
        { .name = "d" },
        { .name = "e" }, { .name = "f" }, { .name = "g" }, { .name = "h" }, { .name = "i" },
        { .name = "j" }, { 0 } };
    static const mcp_arg row = { .name = "p", .type = MCP_ARRAY, .items = MCP_OBJECT, .of = ten };
    enum { ITEMS = 100000 };
    static char given[3 * ITEMS + 20] = "{\"p\":[{}";
    size_t n = strlen(given);
    for (int i = 1; i < ITEMS; i++) memcpy(given + n, ",{}", 3), n += 3;
    memcpy(given + n, "]}", 3);
    serve(only(&row), 0);
    start();
    size_t before = w.mem.live;
    w.mem.peak = before;
    CHECK_STR(part(result(MODERN, "t", given), "isError"), "false");
    if (!CHECK(w.mem.peak - before < 12 * sizeof given))
        printf("    %lu bytes of input take %lu\n", (unsigned long)n,
            (unsigned long)(w.mem.peak - before));
    stop();
}

int main(void) {
    RUN(every_row_listed);
    RUN(null_is_listed_once);
    RUN(labels_match_choices);
    RUN(tables_listed);
    RUN(names_and_texts_are_escaped);
    RUN(types);
    RUN(numbers_with_bounds);
    RUN(integers);
    RUN(lengths);
    RUN(choices);
    RUN(arrays);
    RUN(objects);
    RUN(problems_are_counted);
    RUN(unknown_names_are_shown);
    RUN(last_of_twins_counts);
    RUN(raw_schemas_are_not_judged);
    RUN(unchecked);
    RUN(defaults);
    RUN(defaults_at_every_level);
    RUN(defaults_of_defaults);
    RUN(defaults_beside_twins);
    RUN(mistakes);
    RUN(depth_of_a_table);
    RUN(long_names_are_cut_in_mistakes);
    RUN(small_input_needs_little_memory);
    return DONE();
}
