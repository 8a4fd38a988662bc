/* content.c - what handlers add: every kind of block in every version, its prefixes and suffixes,
   structured values, _meta, failures, and what misuse looks like to the client */
#include "unit.h"

#include <math.h>

#define LENGTH(rows) (sizeof(rows) / sizeof *(rows))
#define HANDLER(name) static int name(mcp_call *c)

static mcp_handler *does;
HANDLER(tool) { return does(c); }
HANDLER(fine) { return mcp_text(c, "fine"); }
static const mcp_tool tools[] = { { .name = "t", .call = tool }, { .name = "fine", .call = fine },
                                  { 0 } };

static void serve(void) {
    fresh();
    desc.tools = tools;
    start();
}

/* The content in the oldest versions and in the three that agree; "!..." is a failure's text. */
static void blocks(mcp_handler *handler, const char *what, const char *v1, const char *v2,
                   const char *v3) {
    does = handler;
    serve();
    for (size_t i = 0; i < LENGTH(versions); i++) {
        const char *expected = i == 0 ? v1 : i == 1 ? v2 : v3;
        const char *r = result(versions[i], "t", "{}");
        bool fails = *expected == '!';
        if (fails) expected = text_of("[{\"type\":\"text\",\"text\":\"%s%s%s\"}]", expected + 1, "",
            "");
        if (!CHECK_STR(part(r, "content"), expected)) printf("    %s, %s\n", what, versions[i]);
        CHECK_STR(part(r, "isError"), fails ? "true" : "false");
    }
    end_after(0);
}
#define BLOCKS(handler, v1, v2, v3) blocks(handler, #handler, v1, v2, v3)
#define SAME(handler, v) blocks(handler, #handler, v, v, v)

/* ---- kinds of block ---- */

HANDLER(text_null) { return mcp_text(c, NULL); }
HANDLER(text_nul) { return mcp_textn(c, "a\0b", 3); }
HANDLER(text_dirty) { return mcp_text(c, "\xC3(\xF0\x9F\x98\xED\xA0\x80\xFF\"\\\n\x01\x7F"); }
HANDLER(text_format) { return mcp_textf(c, "%d|%5.2f|%s|%%|%c", -3, 2.5, "x\"y", 'z'); }
HANDLER(text_json) {
    mcp_writer *j = mcp_text_json(c);
    mcp_put_str(j, "a", "x\"y");
    mcp_put_arr(j, "b");
    mcp_put_num(j, NULL, 1.5);
    mcp_put_end(j);
    return MCP_OK;
}
HANDLER(text_json_nothing) {
    mcp_text_json(c);
    return MCP_OK;
}
HANDLER(text_json_value) {
    mcp_put_null(mcp_text_json(c), NULL);
    mcp_put_str(mcp_text_json(c), NULL, "s");
    return MCP_OK;
}
HANDLER(nothing) { return (void)c, MCP_OK; }

TEST(texts) {
    SAME(text_null, "[{\"type\":\"text\",\"text\":\"\"}]");
    SAME(text_nul, "[{\"type\":\"text\",\"text\":\"a\\u0000b\"}]");
    SAME(text_dirty, "[{\"type\":\"text\",\"text\":"
        "\"\xEF\xBF\xBD(\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"
                     "\xEF\xBF\xBD\xEF\xBF\xBD\\\"\\\\\\n\\u0001\x7F\"}]");
    SAME(text_format, "[{\"type\":\"text\",\"text\":\"-3| 2.50|x\\\"y|%|z\"}]");
    SAME(text_json, "[{\"type\":\"text\",\"text\":\"{\\\"a\\\":\\\"x\\\\\\\"y\\\",\\\"b\\\":"
        "[1.5]}\"}]");
    SAME(text_json_nothing, "[{\"type\":\"text\",\"text\":\"{}\"}]");
    SAME(text_json_value, "[{\"type\":\"text\",\"text\":\"null\"},{\"type\":\"text\",\"text\":"
        "\"\\\"s\\\"\"}]");
    SAME(nothing, "[{\"type\":\"text\",\"text\":\"{}\"}]");
}

HANDLER(images) {
    for (size_t n = 0; n < 5; n++) mcp_image(c, n % 2 ? "image/png" : NULL, "\0\xFF\x10\x80", n);
    return MCP_OK;
}
HANDLER(audio) { return mcp_audio(c, "audio/wav", "abc", 3); }
HANDLER(link_bare) {
    mcp_resource to = { .uri = "x://y" };
    return mcp_link(c, &to);
}
HANDLER(link_full) {
    static const mcp_icon icons[] = { { .src = "https://e/i", .sizes = "1x1|any" }, { 0 } };
    mcp_resource to = { .uri = "x://y", .name = "n", .desc = "d", .mime = "m", .title = "t",
        .size = MCP_ZERO, .annotations = { MCP_USER, MCP_ZERO, "2026" }, .icons = icons,
        .meta = " {\n\"k\": [1] }" };
    return mcp_link(c, &to);
}

TEST(binaries) {
    SAME(images, "[{\"type\":\"image\",\"data\":\"\",\"mimeType\":\"application/octet-stream\"},"
                 "{\"type\":\"image\",\"data\":\"AA==\",\"mimeType\":\"image/png\"},"
                 "{\"type\":\"image\",\"data\":\"AP8=\",\"mimeType\":\"application/octet-stream\"},"
                 "{\"type\":\"image\",\"data\":\"AP8Q\",\"mimeType\":\"image/png\"},"
                 "{\"type\":\"image\",\"data\":\"AP8QgA==\","
                 "\"mimeType\":\"application/octet-stream\"}]");
    BLOCKS(audio, "!MCP protocol 2024-11-05 does not support tool-result content type(s): audio.",
           "[{\"type\":\"audio\",\"data\":\"YWJj\",\"mimeType\":\"audio/wav\"}]",
           "[{\"type\":\"audio\",\"data\":\"YWJj\",\"mimeType\":\"audio/wav\"}]");
}

#define NO_LINK(version) "!MCP protocol " version \
    " does not support tool-result content type(s): resource_link."

TEST(links) { /* icons came later than links: 2025-06-18 knows none */
    BLOCKS(link_bare, NO_LINK("2024-11-05"), NO_LINK("2025-03-26"),
           "[{\"type\":\"resource_link\",\"uri\":\"x://y\",\"name\":\"x://y\"}]");
    does = link_full;
    serve();
    static const char before[] = "[{\"type\":\"resource_link\",\"uri\":\"x://y\",\"name\":\"n\","
        "\"title\":\"t\",\"description\":\"d\",\"mimeType\":\"m\",\"size\":0,"
        "\"annotations\":{\"audience\":[\"user\"],\"priority\":0,\"lastModified\":\"2026\"}";
    static const char icons[] =
        ",\"icons\":[{\"src\":\"https://e/i\",\"sizes\":[\"1x1\",\"any\"]}]";
    static const char meta[] = ",\"_meta\":{\"k\":[1]}}]";
    CHECK_STR(call(MODERN, "t", "{}"), text_of("%s%s%s", before, icons, meta));
    CHECK_STR(call("2025-11-25", "t", "{}"), text_of("%s%s%s", before, icons, meta));
    CHECK_STR(call("2025-06-18", "t", "{}"), text_of("%s%s%s", before, "", meta));
    end_after(0);
}

HANDLER(both_lacking) {
    mcp_resource to = { .uri = "u:v" };
    mcp_text(c, "lost");
    mcp_link(c, &to);
    mcp_audio(c, "a", "", 0);
    mcp_link(c, &to);
    return mcp_audio(c, "a", "", 0);
}

TEST(lacking_kinds_are_named_once) { /* in order of first use; nothing of the result is left */
    does = both_lacking;
    serve();
    CHECK_STR(failure("2024-11-05", "t", "{}"),
        "\"MCP protocol 2024-11-05 does not support tool-result "
              "content type(s): resource_link, audio.\"");
    CHECK_STR(failure("2025-03-26", "t", "{}"),
        "\"MCP protocol 2025-03-26 does not support tool-result "
              "content type(s): resource_link.\"");
    CHECK_STR(failure("2025-06-18", "t", "{}"), "");
    end_after(0);
}

/* ---- prefix: embedded resources ---- */

HANDLER(embed_text) { return mcp_embed(c, "u:1", "text/x"), mcp_text(c, "hi"); }
HANDLER(embed_text_plain) { return mcp_embed(c, "u:1", NULL), mcp_textf(c, "%d", 7); }
HANDLER(embed_blob) { return mcp_embed(c, "u:1", NULL), mcp_blob(c, "b/x", "abc", 3); }
HANDLER(embed_blob_untyped) { return mcp_embed(c, "u:1", NULL), mcp_blob(c, NULL, "abc", 3); }
HANDLER(embed_first_type) { return mcp_embed(c, "u:1", "first/x"), mcp_image(c, "b/x", "abc", 3); }
HANDLER(embed_audio) { return mcp_embed(c, "u:1", NULL), mcp_audio(c, "a/x", "abc", 3); }
HANDLER(embed_json) {
    mcp_embed(c, "u:1", NULL);
    mcp_put_int(mcp_text_json(c), "n", 1);
    return MCP_OK;
}
HANDLER(embed_one) { /* it holds for one block */
    mcp_embed(c, "u:1", NULL);
    mcp_text(c, "in");
    return mcp_text(c, "out");
}
HANDLER(embed_decorated) {
    mcp_annotations a = { MCP_ASSISTANT, 1, NULL };
    mcp_embed(c, "u:1", NULL);
    mcp_text(c, "in");
    mcp_put_int(mcp_block_meta(c), "k", 1);
    return mcp_annotate(c, &a);
}

#define EMBEDDED(members) "[{\"type\":\"resource\",\"resource\":{\"uri\":\"u:1\"," members "}}]"

TEST(embedded) { /* a kind that the version lacks is a plain resource here */
    SAME(embed_text, EMBEDDED("\"mimeType\":\"text/x\",\"text\":\"hi\""));
    SAME(embed_text_plain, EMBEDDED("\"text\":\"7\""));
    SAME(embed_blob, EMBEDDED("\"mimeType\":\"b/x\",\"blob\":\"YWJj\""));
    SAME(embed_blob_untyped, EMBEDDED("\"blob\":\"YWJj\""));
    SAME(embed_first_type, EMBEDDED("\"mimeType\":\"first/x\",\"blob\":\"YWJj\""));
    SAME(embed_audio, EMBEDDED("\"mimeType\":\"a/x\",\"blob\":\"YWJj\""));
    SAME(embed_json, EMBEDDED("\"mimeType\":\"application/json\",\"text\":\"{\\\"n\\\":1}\""));
    SAME(embed_one, "[{\"type\":\"resource\",\"resource\":{\"uri\":\"u:1\",\"text\":\"in\"}},"
                    "{\"type\":\"text\",\"text\":\"out\"}]");
    static const char old[] =
        "[{\"type\":\"resource\",\"resource\":{\"uri\":\"u:1\",\"text\":\"in\"},"
        "\"annotations\":{\"audience\":[\"assistant\"],\"priority\":1}}]";
    BLOCKS(embed_decorated, old, old,
           "[{\"type\":\"resource\",\"resource\":{\"uri\":\"u:1\",\"text\":\"in\"},"
           "\"annotations\":{\"audience\":[\"assistant\"],\"priority\":1},\"_meta\":{\"k\":1}}]");
}

/* ---- suffixes ---- */

HANDLER(annotated) {
    static const mcp_annotations all[] = { { MCP_USER | MCP_ASSISTANT, 0.25, "2026" },
        { 0, MCP_ZERO, NULL }, { 0, 0, "2026" }, { 0, 0, NULL } };
    for (size_t i = 0; i < LENGTH(all); i++) mcp_text(c, ""), mcp_annotate(c, &all[i]);
    return MCP_OK;
}
HANDLER(annotated_late) { /* the text of a date may go, and the last word counts */
    char date[] = "then";
    mcp_annotations a = { MCP_USER, 0, NULL };
    a.last_modified = date;
    mcp_text(c, "one");
    mcp_annotate(c, &a);
    a.audience = MCP_ASSISTANT;
    int rc = mcp_annotate(c, &a);
    memset(date, '!', 4);
    return rc;
}
HANDLER(with_meta) {
    mcp_put_int(mcp_result_meta(c), "r", 1);
    mcp_text(c, "one");
    mcp_put_int(mcp_block_meta(c), "a", 1);
    mcp_put_int(mcp_block_meta(c), "b", 2); /* the same once more */
    mcp_text(c, "two");
    mcp_block_meta(c); /* nothing written */
    mcp_put_int(mcp_result_meta(c), "s", 2);
    return MCP_OK;
}

TEST(annotations) {
    static const char old[] =
        "[{\"type\":\"text\",\"text\":\"\",\"annotations\":{\"audience\":[\"user\","
        "\"assistant\"],\"priority\":0.25}},{\"type\":\"text\",\"text\":\"\",\"annotations\":"
        "{\"priority\":0}},{\"type\":\"text\",\"text\":\"\"},{\"type\":\"text\",\"text\":\"\"}]";
    BLOCKS(annotated, old, old,
           "[{\"type\":\"text\",\"text\":\"\",\"annotations\":{\"audience\":[\"user\","
               "\"assistant\"],"
           "\"priority\":0.25,\"lastModified\":\"2026\"}},{\"type\":\"text\",\"text\":\"\","
           "\"annotations\":{\"priority\":0}},{\"type\":\"text\",\"text\":\"\",\"annotations\":"
           "{\"lastModified\":\"2026\"}},{\"type\":\"text\",\"text\":\"\"}]");
    static const char late[] = "[{\"type\":\"text\",\"text\":\"one\",\"annotations\":"
        "{\"audience\":[\"assistant\"]}}]";
    BLOCKS(annotated_late, late, late,
           "[{\"type\":\"text\",\"text\":\"one\",\"annotations\":{\"audience\":[\"assistant\"],"
           "\"lastModified\":\"then\"}}]");
}

TEST(metadata) {
    static const char old[] =
        "[{\"type\":\"text\",\"text\":\"one\"},{\"type\":\"text\",\"text\":\"two\"}]";
    BLOCKS(with_meta, old, old,
           "[{\"type\":\"text\",\"text\":\"one\",\"_meta\":{\"a\":1,\"b\":2}},"
           "{\"type\":\"text\",\"text\":\"two\",\"_meta\":{}}]");
    serve();
    for (size_t i = 0; i + 1 < LENGTH(versions); i++)
        CHECK_STR(part(result(versions[i], "t", "{}"), "_meta"), "{\"r\":1,\"s\":2}");
    CHECK_STR(part(result(MODERN, "t", "{}"), "_meta"), "{\"r\":1,\"s\":2,"
              "\"io.modelcontextprotocol/serverInfo\":{\"name\":\"unit\",\"version\":\"0.0.0\"}}");
    end_after(0);
}

HANDLER(meta_empty) { return mcp_result_meta(c), mcp_text(c, ""); }
HANDLER(meta_forged) { /* with an escape in the key, too */
    mcp_writer *m = mcp_result_meta(c);
    mcp_put_str(m, "io.modelcontextprotocol/serverInfo", "me");
    mcp_put_raw(m, "x", "{\"io.modelcontextprotocol\\u002fserverInfo\":1}");
    return mcp_text(c, "");
}

TEST(result_metadata) {
    does = meta_empty;
    serve();
    CHECK_STR(part(result("2025-11-25", "t", "{}"), "_meta"), "");
    does = meta_forged;
    CHECK_STR(part(result(MODERN, "t", "{}"), "_meta"),
              "{\"x\":{\"io.modelcontextprotocol\\u002fserverInfo\":1},"
              "\"io.modelcontextprotocol/serverInfo\":{\"name\":\"unit\",\"version\":\"0.0.0\"}}");
    CHECK(strstr(part(result("2025-11-25", "t", "{}"), "_meta"), "\"me\"") != NULL);
    end_after(0);
}

/* ---- blocks in pieces: wherever they are cut, the block is the same ---- */

static struct { int kind; const char *bytes; size_t n, cut; bool bytewise, embed; } pieces;
HANDLER(in_pieces) {
    if (pieces.embed) mcp_embed(c, "u:1", NULL);
    mcp_block_begin(c, pieces.kind, "m/x");
    if (pieces.bytewise) {
        for (size_t i = 0; i < pieces.n; i++) mcp_block_write(c, pieces.bytes + i, 1);
    } else {
        mcp_block_write(c, pieces.bytes, pieces.cut);
        mcp_block_write(c, NULL, 0);
        mcp_block_write(c, pieces.bytes + pieces.cut, pieces.n - pieces.cut);
    }
    return mcp_block_end(c);
}
HANDLER(in_one) {
    if (pieces.embed) mcp_embed(c, "u:1", NULL);
    if (pieces.kind == MCP_TEXT) return mcp_textn(c, pieces.bytes, pieces.n);
    if (pieces.kind == MCP_IMAGE) return mcp_image(c, "m/x", pieces.bytes, pieces.n);
    if (pieces.kind == MCP_AUDIO) return mcp_audio(c, "m/x", pieces.bytes, pieces.n);
    return mcp_blob(c, "m/x", pieces.bytes, pieces.n);
}

static void cut_everywhere(int kind, const char *bytes, size_t n, bool embed) {
    pieces.kind = kind, pieces.bytes = bytes, pieces.n = n, pieces.embed = embed;
    does = in_one;
    const char *whole = call(MODERN, "t", "{}");
    /* an embedded text in pieces was given a type, mcp_text has none to give */
    bool typed = embed && kind == MCP_TEXT;
    does = in_pieces;
    for (size_t cut = 0; cut <= n + 1; cut++) {
        pieces.bytewise = cut > n;
        pieces.cut = cut;
        const char *got = call(MODERN, "t", "{}");
        if (typed) CHECK(strstr(got, strstr(whole, "\"text\":")) != NULL);
        else if (!CHECK_STR(got, whole)) printf("    cut at %lu\n", (unsigned long)cut);
    }
}

TEST(pieces_of_text) {
    static const char *const texts[] = { "", "abc", "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80",
        "\"\\\n\x01", "\xE2\x80\xA8\xE2\x80\xA9", "a\xC3", "a\xE2\x82", "a\xF0\x9F\x98",
        "\xE2\x82" "A", "\xF0\x80\x80\x80", "\xE0\x80\x80", "\xED\xA0\x80\xED\xB0\x80",
            "\x80\x80\x80\x80\x80",
        "\xC3\xC3\xA9\xE2\xE2\x82\xAC\xF0\xF0\x9F", "\xFF\x80\x80\x80\x80", "\xF8\x88\x80\x80\x80",
            "\xC0\xAF",
        "\xF4\x90\x80\x80", "\xF0\x9F\xE2\x82\xC3(", "\xE1\x80\xE2\xF0\x91\x92\xF1\xBF" "A" };
    serve();
    for (size_t i = 0; i < LENGTH(texts); i++) {
        cut_everywhere(MCP_TEXT, texts[i], strlen(texts[i]), false);
        cut_everywhere(MCP_TEXT, texts[i], strlen(texts[i]), true);
    }
    cut_everywhere(MCP_TEXT, "a\0b", 3, false);
    end_after(0);
}

TEST(pieces_of_bytes) { /* base64 goes by threes */
    static const char bytes[] = "\0\x01\xFF\xFE\x80\x7F\"\\\n";
    serve();
    for (size_t n = 0; n < sizeof bytes; n++) {
        cut_everywhere(MCP_IMAGE, bytes, n, false);
        cut_everywhere(MCP_AUDIO, bytes, n, false);
        cut_everywhere(MCP_BLOB, bytes, n, true);
        cut_everywhere(MCP_IMAGE, bytes, n, true);
    }
    end_after(0);
}

static char large[300000];
TEST(pieces_of_much) { /* cut into threes, sevens, whatever */
    static const size_t cuts[] = { 1, 2, 3, 100, 299997, 299998, 299999 };
    serve();
    for (size_t i = 0; i < sizeof large; i++) large[i] = (char)(i * 7 + i / 251);
    for (int kind = MCP_TEXT; kind <= MCP_IMAGE; kind += MCP_IMAGE) {
        pieces.kind = kind, pieces.bytes = large, pieces.n = sizeof large, pieces.embed = false;
        does = in_one;
        const char *whole = call(MODERN, "t", "{}");
        CHECK(strlen(whole) > sizeof large);
        does = in_pieces;
        for (size_t k = 0; k < LENGTH(cuts); k++) {
            pieces.bytewise = k == 0;
            pieces.cut = cuts[k];
            CHECK(!strcmp(call(MODERN, "t", "{}"), whole));
        }
    }
    end_after(0);
}

HANDLER(piece_decorated) { /* suffixes may come before the block has ended */
    mcp_annotations a = { MCP_USER, 0, NULL };
    mcp_block_begin(c, MCP_TEXT, NULL);
    mcp_annotate(c, &a);
    mcp_put_int(mcp_block_meta(c), "k", 1);
    mcp_block_write(c, "x", 1);
    mcp_block_end(c);
    return mcp_text(c, "y");
}

TEST(pieces_with_suffixes) {
    static const char old[] =
        "[{\"type\":\"text\",\"text\":\"x\",\"annotations\":{\"audience\":[\"user\"]}},"
        "{\"type\":\"text\",\"text\":\"y\"}]";
    BLOCKS(piece_decorated, old, old,
           "[{\"type\":\"text\",\"text\":\"x\",\"annotations\":{\"audience\":[\"user\"]},"
           "\"_meta\":{\"k\":1}},{\"type\":\"text\",\"text\":\"y\"}]");
}

/* ---- structured values ---- */

HANDLER(value_object) { return mcp_put_int(mcp_structured(c), "a", 1), MCP_OK; }
HANDLER(value_empty) { return mcp_structured(c), MCP_OK; }
HANDLER(value_array) {
    mcp_writer *s = mcp_structured(c);
    mcp_put_arr(s, NULL);
    mcp_put_int(s, NULL, 1);
    mcp_put_end(s);
    return MCP_OK;
}
HANDLER(value_null) { return mcp_put_null(mcp_structured(c), NULL), MCP_OK; }
HANDLER(value_text) { return mcp_put_str(mcp_structured(c), NULL, "s"), MCP_OK; }
HANDLER(value_twice) { /* goes on where it was, with blocks in between */
    mcp_put_int(mcp_structured(c), "a", 1);
    mcp_text(c, "own");
    mcp_put_int(mcp_structured(c), "b", 2);
    return MCP_OK;
}

TEST(structured) { /* text for everybody, the value for those who know */
    static const struct { mcp_handler *handler; const char *text, *value; int since; } rows[] = {
        { value_object, "{\\\"a\\\":1}", "{\"a\":1}", 2 }, { value_empty, "{}", "{}", 2 },
        { value_array, "[1]", "[1]", 4 }, { value_null, "null", "null", 4 },
        { value_text, "\\\"s\\\"", "\"s\"", 4 }, { value_twice, "own", "{\"a\":1,\"b\":2}", 2 } };
    serve();
    for (size_t i = 0; i < LENGTH(rows); i++) {
        does = rows[i].handler;
        for (int v = 0; v < 5; v++) {
            const char *r = result(versions[v], "t", "{}");
            CHECK_STR(part(r, "content"),
                      text_of("[{\"type\":\"text\",\"text\":\"%s%s%s\"}]", rows[i].text, "", ""));
            CHECK_STR(part(r, "structuredContent"), v >= rows[i].since ? rows[i].value : "");
            CHECK_STR(part(r, "isError"), "false");
        }
    }
    end_after(0);
}

HANDLER(any_order) { /* meta, structure and text interleaved: the wire has one order */
    mcp_put_int(mcp_result_meta(c), "m", 1);
    mcp_put_int(mcp_structured(c), "s", 1);
    mcp_writer *j = mcp_text_json(c);
    mcp_put_int(j, "j", 1);
    mcp_put_int(mcp_structured(c), "t", 2);
    mcp_put_int(j, "k", 2);
    mcp_put_int(mcp_block_meta(c), "b", 1);
    mcp_put_int(j, "l", 3);
    mcp_put_int(mcp_result_meta(c), "n", 2);
    return mcp_text(c, "last");
}

TEST(wire_order) {
    does = any_order;
    serve();
    CHECK_STR(result("2025-06-18", "t", "{}"),
              "{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"j\\\":1,\\\"k\\\":2,\\\"l\\\":3}\","
              "\"_meta\":{\"b\":1}},{\"type\":\"text\",\"text\":\"last\"}],\"isError\":false,"
              "\"structuredContent\":{\"s\":1,\"t\":2},\"_meta\":{\"m\":1,\"n\":2}}");
    end_after(0);
}

/* ---- failures and errors ---- */

HANDLER(fails) {
    mcp_text(c, "gone");
    mcp_put_int(mcp_structured(c), "gone", 1);
    mcp_put_int(mcp_result_meta(c), "stays", 1);
    return mcp_failf(c, "%s %d", "no", 1);
}
HANDLER(fails_and_goes_on) {
    mcp_fail(c, "first");
    mcp_fail(c, "second");
    mcp_text(c, "more");
    mcp_put_int(mcp_structured(c), "dropped", 1);
    return MCP_OK;
}
HANDLER(fails_in_pieces) {
    mcp_block_begin(c, MCP_IMAGE, "m");
    mcp_block_write(c, "ab", 2);
    mcp_fail(c, "no");
    return mcp_text(c, "and more");
}
HANDLER(fails_embedding) { return mcp_embed(c, "u:v", NULL), mcp_fail(c, NULL); }
HANDLER(errs) {
    mcp_text(c, "gone");
    return mcp_error(c, 1001, "no \"licence\"");
}
HANDLER(errs_with_data) {
    mcp_errorf(c, MCP_INVALID_PARAMS, "%s", "bad");
    mcp_put_int(mcp_structured(c), "why", 3);
    return MCP_OK;
}
HANDLER(errs_then_adds) { return mcp_error(c, 0, NULL), mcp_text(c, "gone"); }
HANDLER(fails_then_errs) { return mcp_fail(c, "gone"), mcp_error(c, 7, "last"); }
HANDLER(errs_then_fails) { return mcp_error(c, 7, "gone"), mcp_fail(c, "last"); }
HANDLER(returns_odd) { return (void)c, 12345; }
HANDLER(returns_limit) { return (void)c, MCP_LIMIT; }
HANDLER(returns_nomem) { return (void)c, MCP_NOMEM; }
HANDLER(returns_pending) { return (void)c, MCP_PENDING; }

TEST(failures) {
    SAME(fails, "!no 1");
    SAME(fails_embedding, "!");
    SAME(errs_then_fails, "!last");
    SAME(returns_odd, "!its handler returned no status");
    SAME(returns_limit, "!a limit was exceeded");
    SAME(returns_nomem, "!out of memory");
    SAME(returns_pending, "!its handler returned no status");
    serve();
    does = fails;
    CHECK_STR(part(result("2025-06-18", "t", "{}"), "structuredContent"), "");
    CHECK_STR(part(result("2025-06-18", "t", "{}"), "_meta"), "{\"stays\":1}");
    does = fails_and_goes_on;
    CHECK_STR(result("2025-06-18", "t", "{}"),
        "{\"content\":[{\"type\":\"text\",\"text\":\"second\"},"
              "{\"type\":\"text\",\"text\":\"more\"}],\"isError\":true}");
    does = fails_in_pieces;
    CHECK_STR(result("2025-06-18", "t", "{}"), "{\"content\":[{\"type\":\"text\",\"text\":\"no\"},"
              "{\"type\":\"text\",\"text\":\"and more\"}],\"isError\":true}");
    end_after(0);
}

TEST(errors) {
    static const struct { mcp_handler *handler; const char *error; } rows[] = {
        { errs, "{\"code\":1001,\"message\":\"no \\\"licence\\\"\"}" },
        { errs_with_data, "{\"code\":-32602,\"message\":\"bad\",\"data\":{\"why\":3}}" },
        { errs_then_adds, "{\"code\":0,\"message\":\"\"}" },
        { fails_then_errs, "{\"code\":7,\"message\":\"last\"}" } };
    serve();
    for (size_t i = 0; i < LENGTH(rows); i++) {
        does = rows[i].handler;
        for (size_t v = 0; v < LENGTH(versions); v++) {
            CHECK_STR(result(versions[v], "t", "{}"), "");
            CHECK_STR(part(w.out.at, "error"), rows[i].error);
        }
    }
    end_after(0);
}

/* ---- misuse: the text names it, the stream is whole, the next call works ---- */

HANDLER(blob_alone) { return mcp_blob(c, NULL, "x", 1); }
HANDLER(blob_late) {
    mcp_embed(c, "u:v", NULL);
    mcp_text(c, "took it");
    return mcp_blob(c, NULL, "x", 1);
}
HANDLER(begin_unknown) { return mcp_block_begin(c, 9, NULL); }
HANDLER(begin_blob) { return mcp_block_begin(c, MCP_BLOB, NULL); }
HANDLER(begin_twice) { return mcp_block_begin(c, MCP_TEXT, NULL),
    mcp_block_begin(c, MCP_TEXT, NULL); }
HANDLER(begin_text) { return mcp_block_begin(c, MCP_IMAGE, "m"), mcp_text(c, "x"); }
HANDLER(begin_only) {
    mcp_block_begin(c, MCP_IMAGE, "m");
    return mcp_block_write(c, "ab", 2);
}
HANDLER(write_alone) { return mcp_block_write(c, "x", 1); }
HANDLER(end_alone) { return mcp_block_end(c); }
HANDLER(end_twice) { return mcp_block_begin(c, MCP_TEXT, NULL), mcp_block_end(c),
    mcp_block_end(c); }
HANDLER(annotate_first) {
    mcp_annotations a = { MCP_USER, 0, NULL };
    return mcp_annotate(c, &a);
}
HANDLER(meta_first) { return mcp_put_int(mcp_block_meta(c), "a", 1), MCP_OK; }
static mcp_annotations wrong;
HANDLER(annotate_wrong) { return mcp_text(c, "x"), mcp_annotate(c, &wrong); }
HANDLER(link_wrong) {
    mcp_resource to = { .uri = "u:v" };
    to.annotations = wrong;
    return mcp_link(c, &to);
}
HANDLER(embed_nothing) { return mcp_embed(c, "u:v", NULL); }
HANDLER(embed_link) {
    mcp_resource to = { .uri = "u:v" };
    mcp_embed(c, "e:e", NULL);
    mcp_link(c, &to);
    return mcp_text(c, "not embedded");
}
HANDLER(value_nan) { return mcp_put_num(mcp_structured(c), "a", (double)NAN), MCP_OK; }
HANDLER(text_infinite) { return mcp_put_num(mcp_text_json(c), "a", (double)INFINITY), MCP_OK; }
HANDLER(value_raw) { return mcp_put_raw(mcp_structured(c), "a", "{]"), MCP_OK; }
HANDLER(value_raw_bom) { return mcp_put_raw(mcp_structured(c), "a", "\xEF\xBB\xBF{}"), MCP_OK; }
HANDLER(value_deep) {
    mcp_writer *s = mcp_structured(c);
    for (int i = 0; i < 1000; i++) mcp_put_arr(s, NULL);
    return MCP_OK;
}
HANDLER(format_unknown) {
    const char *format = "%a"; /* so that the compiler does not check it */
    return mcp_put_strf(mcp_structured(c), "a", format, 1.0), MCP_OK;
}
HANDLER(meta_nan) {
    mcp_put_int(mcp_result_meta(c), "good", 1);
    mcp_put_obj(mcp_result_meta(c), "open");
    mcp_put_num(mcp_result_meta(c), "bad", (double)NAN);
    return mcp_text(c, "x");
}
HANDLER(meta_array) {
    mcp_put_arr(mcp_result_meta(c), NULL);
    mcp_put_int(mcp_result_meta(c), NULL, 1);
    mcp_put_end(mcp_result_meta(c));
    return mcp_text(c, "x");
}
HANDLER(meta_number) { return mcp_put_int(mcp_result_meta(c), NULL, 1), mcp_text(c, "x"); }
HANDLER(block_meta_text) {
    mcp_text(c, "x");
    mcp_put_str(mcp_block_meta(c), NULL, "not an object");
    return MCP_OK;
}
static const char *link_meta;
HANDLER(link_with_meta) {
    mcp_resource to = { .uri = "u:v" };
    to.meta = link_meta;
    return mcp_link(c, &to);
}
static const char *named; /* by a link, or as the resource that a text is of */
HANDLER(links_named) {
    mcp_resource to = { .uri = named };
    return mcp_link(c, &to);
}
HANDLER(embeds_named) { return mcp_embed(c, named, NULL), mcp_text(c, "x"); }

HANDLER(spoils_twice) { return mcp_block_end(c), mcp_blob(c, NULL, "", 0); }
HANDLER(spoils_and_fails) { return mcp_block_end(c), mcp_fail(c, "too late"); }
HANDLER(spoils_and_errs) { return mcp_block_end(c), mcp_error(c, 5, "too late"); }
HANDLER(spoils_and_is_fine) {
    mcp_block_end(c);
    mcp_text(c, "x");
    return MCP_OK;
}

#define META_WRONG "!_meta is not an object"

TEST(misuse_is_told) {
    SAME(blob_alone, "!a blob is a resource's: mcp_embed says whose");
    SAME(blob_late, "!a blob is a resource's: mcp_embed says whose");
    SAME(begin_unknown, "!no such kind of block");
    SAME(begin_blob, "!a blob is a resource's: mcp_embed says whose");
    SAME(begin_twice, "!the last block was begun and not ended");
    SAME(begin_text, "!the last block was begun and not ended");
    SAME(begin_only, "!the last block was begun and not ended");
    SAME(write_alone, "!mcp_block_write without mcp_block_begin");
    SAME(end_alone, "!mcp_block_end without mcp_block_begin");
    SAME(end_twice, "!mcp_block_end without mcp_block_begin");
    SAME(annotate_first, "!mcp_annotate without a block before it");
    SAME(meta_first, "!mcp_block_meta without a block before it");
    SAME(embed_nothing, "!mcp_embed without a block after it");
    SAME(embed_link, "!mcp_embed before a link");
    SAME(spoils_twice, "!mcp_block_end without mcp_block_begin");
    SAME(spoils_and_fails, "!mcp_block_end without mcp_block_begin");
    SAME(spoils_and_errs, "!mcp_block_end without mcp_block_begin");
    SAME(spoils_and_is_fine, "!mcp_block_end without mcp_block_begin");
}

TEST(values_that_cannot_be_sent) {
    SAME(value_nan, "!a number was not finite");
    SAME(text_infinite, "!a number was not finite");
    SAME(value_raw, "!mcp_put_raw of what is no JSON");
    SAME(value_raw_bom, "!mcp_put_raw of what is no JSON");
    SAME(value_deep, "!more than 256 objects and arrays, one in the other");
    SAME(format_unknown, "!a format has a % that mcp.h does not know");
}

TEST(metadata_is_an_object) { /* or the call fails, and what was written of it is gone */
    SAME(meta_nan, "!a number was not finite");
    SAME(meta_array, META_WRONG);
    SAME(meta_number, META_WRONG);
    SAME(block_meta_text, META_WRONG);
    serve();
    does = meta_nan;
    CHECK_STR(part(result("2025-11-25", "t", "{}"), "_meta"), "");
    does = link_with_meta;
    static const char *const bad[] = { "[1]", " 1", "null", "{]", "{}{}" };
    for (size_t i = 0; i < LENGTH(bad); i++) {
        link_meta = bad[i];
        CHECK(*failure(MODERN, "t", "{}"));
    }
    link_meta = " {} ";
    CHECK_STR(failure(MODERN, "t", "{}"), "");
    end_after(0);
}

TEST(uris_that_are_none) { /* what a table must not say, a handler must not either */
    static const char *const rows[][2] = {
        { "", "\"the URI is empty, or not UTF-8\"" },
        { "x:\xFF", "\"the URI is empty, or not UTF-8\"" },
        { "report.txt", "\"the URI has no scheme\"" },
        { "{a}", "\"the URI has a byte that must be escaped\"" },
        { "file:///{name}", "\"the URI has a byte that must be escaped\"" },
        { "file:///my report.txt", "\"the URI has a byte that must be escaped\"" },
        { "file:///100%.txt", "\"the URI has a % that is no escape\"" },
        { "file:///my%20report.txt", "" },
        { "file:///caf\xC3\xA9", "" },
        { "/of/mine", "" } };
    serve();
    for (size_t i = 0; i < LENGTH(rows); i++) {
        named = rows[i][0];
        does = links_named;
        CHECK_STR(failure(MODERN, "t", "{}"), rows[i][1]);
        does = embeds_named;
        CHECK_STR(failure(MODERN, "t", "{}"), rows[i][1]);
    }
    named = NULL;
    CHECK_STR(failure(MODERN, "t", "{}"), rows[0][1]);
    end_after(0);
}

TEST(annotations_in_range) { /* of blocks and of links */
    static const struct { mcp_annotations a; const char *why; } rows[] = {
        { { 4, 0, NULL }, "\"annotations.audience must contain only user and assistant.\"" },
        { { 8 | MCP_USER, 0, NULL },
          "\"annotations.audience must contain only user and assistant.\"" },
        { { 0, 1.0001, NULL }, "\"annotations.priority must be a number from 0 to 1.\"" },
        { { 0, -0.5, NULL }, "\"annotations.priority must be a number from 0 to 1.\"" },
        { { 0, (double)INFINITY, NULL }, "\"annotations.priority must be a number from 0 to 1.\"" },
        { { 0, (double)NAN, NULL }, "\"annotations.priority must be a number from 0 to 1.\"" } };
    serve();
    for (size_t i = 0; i < LENGTH(rows); i++) {
        wrong = rows[i].a;
        does = annotate_wrong;
        CHECK_STR(failure(MODERN, "t", "{}"), rows[i].why);
        does = link_wrong;
        CHECK_STR(failure(MODERN, "t", "{}"), rows[i].why);
    }
    end_after(0);
}

HANDLER(value_order) { return mcp_put_int(mcp_structured(c), NULL, 1),
    mcp_put_int(mcp_structured(c), NULL, 2), MCP_OK; }
HANDLER(value_unended) { return mcp_put_arr(mcp_structured(c), "a"), MCP_OK; }
HANDLER(value_end) { return mcp_put_end(mcp_structured(c)), MCP_OK; }
HANDLER(meta_unended) { return mcp_put_obj(mcp_result_meta(c), "a"), mcp_text(c, "x"); }
HANDLER(block_meta_keyless) {
    mcp_text(c, "x");
    mcp_put_int(mcp_block_meta(c), "a", 1);
    mcp_put_int(mcp_block_meta(c), NULL, 1);
    return MCP_OK;
}
HANDLER(json_unended) { return mcp_put_arr(mcp_text_json(c), "a"), mcp_text(c, "x"); }

TEST(writers_out_of_order) { /* asserted while debugging; a failure in a release, which says why */
    static const struct { mcp_handler *handler; const char *why; } rows[] = {
        { value_order, "\"a second value beside the first one\"" },
        { value_unended, "\"what mcp_put_obj or _arr began has no end\"" },
        { value_end, "\"mcp_put_end where nothing was begun\"" },
        { meta_unended, "\"what mcp_put_obj or _arr began has no end\"" },
        { block_meta_keyless, "\"no key in an object\"" },
        { json_unended, "\"what mcp_put_obj or _arr began has no end\"" } };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        does = rows[i].handler;
        serve();
        for (size_t v = 0; v < LENGTH(versions); v++) {
            CHECK_STR(failure(versions[v], "t", "{}"), rows[i].why);
            CHECK_STR(part(part(w.out.at, "result"), "structuredContent"), "");
            CHECK(harness_is_json(w.out.at, strlen(w.out.at)));
        }
        end_after(LENGTH(versions));
    }
}

HANDLER(link_nowhere) {
    mcp_resource to = { .uri = NULL, .name = "x" };
    return mcp_link(c, &to);
}
TEST(link_without_uri) {
    does = link_nowhere;
    serve();
    CHECK_STR(failure(MODERN, "t", "{}"), "\"a link without a URI\"");
    end_after(1);
}

/* ---- memory ---- */

static mcp_handler *const everything[] = { text_json, images, annotated, with_meta, in_pieces,
    any_order,
    link_full, embed_json, value_twice, fails, errs_with_data, piece_decorated, text_format };

TEST(no_memory_anywhere) { /* each allocation of each call fails once: one answer, and no leak */
    for (size_t i = 0; i < LENGTH(everything); i++)
        for (size_t n = 1; n < 200; n++) {
            does = everything[i];
            pieces.kind = MCP_TEXT, pieces.bytes = "a\xC3\xA9", pieces.n = 3,
                pieces.bytewise = true;
            pieces.embed = false;
            serve();
            w.mem.fail_at = w.mem.calls + n;
            const char *out = request(MODERN, "tools/call", "\"name\":\"t\"");
            if (!CHECK(harness_is_json(out, strlen(out)) && harness_is_message(out,
                strlen(out)))) puts(out);
            bool done = !w.mem.failed;
            w.mem.fail_at = 0;
            end_after(0);
            if (done) break;
        }
}

int main(void) {
    RUN(texts);
    RUN(binaries);
    RUN(links);
    RUN(lacking_kinds_are_named_once);
    RUN(embedded);
    RUN(annotations);
    RUN(metadata);
    RUN(result_metadata);
    RUN(pieces_of_text);
    RUN(pieces_of_bytes);
    RUN(pieces_of_much);
    RUN(pieces_with_suffixes);
    RUN(structured);
    RUN(wire_order);
    RUN(failures);
    RUN(errors);
    RUN(misuse_is_told);
    RUN(values_that_cannot_be_sent);
    RUN(metadata_is_an_object);
    RUN(uris_that_are_none);
    RUN(annotations_in_range);
    RUN(writers_out_of_order);
    RUN(link_without_uri);
    RUN(no_memory_anywhere);
    return DONE();
}
