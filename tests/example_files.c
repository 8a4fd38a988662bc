/* example_files.c - examples/files.c at work in a directory of its own */
#ifndef _WIN32
#define _XOPEN_SOURCE 700 /* symlink */
#endif
#include "unit.h"

/* Its main makes a server and runs it; here it only leaves what it would serve. */
static mcp_server_desc served;
static void (*after_func)(void *);
static int set_timer(mcp_server *s, int64_t ms, void (*func)(void *), void *arg) {
    after_func = func;
    return (void)ms, s == arg ? MCP_OK : MCP_MISUSE;
}
#if defined __GNUC__
#pragma GCC diagnostic ignored "-Wshadow" /* of unit.h's names */
#endif
#define MCP__IMPLEMENTED /* it is linked */
#define mcp_server_new(d) (served = *(d), mcp_server_new(d))
#define mcp_server_run(s, where) ((void)(s), MCP_OK)
#define mcp_after set_timer
#define main files_main
#include "../examples/files.c"
#undef main
#undef mcp_server_new

#include "folder.h"

/* ---- a directory to work in, and one beside it: DIR/in and DIR/out ---- */

static char home[600], top[700], where[900];

static const char *at_top(const char *name) {
    snprintf(where, sizeof where, "%s/%s", top, name);
    return where;
}

static const char *const dirs[] = { "", "in", "in/sub", "in/sub/deep", "in/made", "out" };
static const char *const names[] = {
    "in/a.txt", "in/b.md", "in/new.txt", "in/moved.txt", "in/pixel.png", "in/a.txt.new0",
    "in/link.txt", "in/way", "in/with space.txt", "in/made/new.txt", "in/lines.txt", "in/sub/c.txt",
    "in/sub/deep/d.txt", "out/secret.txt", "out/new.txt" };

static void put_file(const char *name, const char *bytes, size_t n) {
    FILE *f = fopen(at_top(name), "wb");
    if (!f || fwrite(bytes, 1, n, f) != n || fclose(f)) harness_die(where, 0, "cannot be written");
}
static void put_text(const char *name, const char *text) { put_file(name, text, strlen(text)); }

static const char *text_in(const char *name) { /* what a file holds, or "(none)" */
    char buf[1000];
    FILE *f = fopen(at_top(name), "rb");
    size_t n = f ? fread(buf, 1, sizeof buf, f) : 0;
    if (f) fclose(f);
    return f ? keep(buf, n) : "(none)";
}

static void clean(void) {
    if (chdir(home)) harness_die(home, 0, "is gone");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) remove(at_top(names[i]));
    for (size_t i = sizeof dirs / sizeof *dirs; i-- > 0;) remove_dir(at_top(dirs[i]));
}

static void begin(void) {
    static char program[] = "files";
    char *argv[] = { program, NULL, NULL };
    clean();
    for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++)
        if (strcmp(dirs[i], "in/made") && make_dir(at_top(dirs[i])))
            harness_die(where, 0, "cannot be made");
    put_text("in/a.txt", "alpha");
    put_text("in/b.md", "# beta\n");
    put_text("in/sub/c.txt", "gamma");
    put_text("in/sub/deep/d.txt", "delta");
    put_text("out/secret.txt", "secret");
    at_top("in");
    argv[1] = where;
    if (files_main(2, argv) ) harness_die("files", 0, "does not start");
    fresh();
    desc = served;
    start();
}

/* The text of the first block, or of the failure with a bang before it. */
static const char *said(const char *tool, const char *args) {
    const char *r = result("2025-11-25", tool, args), *blocks = part(r, "content");
    if (!*blocks) return part(w.out.at, "error");
    const char *failed = strcmp(part(r, "isError"), "true") ? "" : "!";
    return text_of("%s%s%s", failed, part(blocks + 1, "text"), "");
}
static const char *content(const char *tool, const char *args) {
    return part(result("2025-11-25", tool, args), "content");
}
/* The same with one path where args say %s. */
static const char *said_of(const char *path, const char *tool, const char *args) {
    return said(tool, text_of(text_of("%s%s%s", args, "%s%s", ""), path, "", ""));
}

#define TEXT_OF(uri, text) "{\"type\":\"resource\",\"resource\":{\"uri\":\"file:///" uri "\"," \
    "\"mimeType\":\"text/plain\",\"text\":\"" text "\"}}"

/* ---- reading ---- */

TEST(reads) {
    begin();
    CHECK_STR(content("read_files", J({"paths":["a.txt"]})),
              "[" TEXT_OF("a.txt", "alpha") "]");
    put_file("in/pixel.png", "\x00\xFF\x10", 3);
    CHECK_STR(content("read_files", J({"paths":["pixel.png","nope","sub","sub/c.txt"]})),
              "[{\"type\":\"image\",\"data\":\"AP8Q\",\"mimeType\":\"image/png\"},"
              "{\"type\":\"text\",\"text\":\"nope is no file\"},"
              "{\"type\":\"text\",\"text\":\"sub is no file\"}," TEXT_OF("sub/c.txt", "gamma") "]");
    CHECK_STR(content("read_files", text_of(J({"paths":["%s/a.txt"]}) "%s%s", root, "", "")),
              content("read_files", J({"paths":["a.txt"]}))); /* the whole path is its name, too */
    stop();
}

static const char *lines_of(const char *how) {
    const char *args = text_of(J({"paths":["lines.txt"],%s}) "%s%s", how, "", "");
    const char *blocks = content("read_files", args);
    return part(part(blocks + 1, "resource"), "text");
}

TEST(reads_some_lines) {
    begin();
    put_text("in/lines.txt", "1\n2\n3\n4\n");
    CHECK_STR(lines_of("\"head\":2"), "\"1\\n2\\n\"");
    CHECK_STR(lines_of("\"head\":9"), "\"1\\n2\\n3\\n4\\n\"");
    CHECK_STR(lines_of("\"tail\":1"), "\"4\\n\"");
    CHECK_STR(lines_of("\"tail\":4"), "\"1\\n2\\n3\\n4\\n\"");
    CHECK_STR(lines_of("\"tail\":9"), "\"1\\n2\\n3\\n4\\n\"");
    put_text("in/lines.txt", "1\n\n3");
    CHECK_STR(lines_of("\"tail\":1"), "\"3\"");
    CHECK_STR(lines_of("\"tail\":2"), "\"\\n3\"");
    CHECK_STR(lines_of("\"head\":3,\"tail\":2"), "\"\\n3\"");
    put_text("in/lines.txt", "");
    CHECK_STR(lines_of("\"head\":1"), "\"\"");
    CHECK_STR(lines_of("\"tail\":1"), "\"\"");
    stop();
}

TEST(never_outside) { /* every tool, every way */
    static const char *const paths[] = {
        "../out/secret.txt", "sub/../../out/secret.txt", "..", "sub/..", "./a.txt", "/etc/passwd",
        "sub//c.txt",
        "..\\\\out\\\\secret.txt", "C:/secret", "sub/./c.txt",
        "sub./c.txt", "sub /c.txt", ".. /out/secret.txt"
#ifndef _WIN32
        , "link.txt", "way/secret.txt", "way", "way/new.txt"
#endif
    };
    static const struct { const char *tool, *args; } tries[] = {
        { "read_files", J({"paths":["a.txt","%s"]}) },
        { "write_file", J({"path":"%s","content":"x"}) },
        { "edit_file", J({"path":"%s","edits":[{"oldText":"s","newText":"x"}]}) },
        { "create_directory", J({"path":"%s"}) }, { "list_directory", J({"path":"%s"}) },
        { "search_files", J({"path":"%s"}) }, { "get_file_info", J({"path":"%s"}) },
        { "move_file", J({"source":"%s","destination":"moved.txt"}) },
        { "move_file", J({"source":"a.txt","destination":"%s"}) } };
    begin();
#ifndef _WIN32
    CHECK(!symlink("../out/secret.txt", at_top("in/link.txt")));
    CHECK(!symlink("../out", at_top("in/way")));
#endif
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        for (size_t j = 0; j < sizeof tries / sizeof *tries; j++) {
            const char *got = said_of(paths[i], tries[j].tool, tries[j].args);
            if (!CHECK(harness_is(got, "!") && strstr(got, "is outside of")))
                printf("    %s %s: %s\n", tries[j].tool, paths[i], got);
        }
    CHECK_STR(text_in("out/secret.txt"), "secret");
    CHECK_STR(text_in("out/new.txt"), "(none)");
    CHECK_STR(text_in("in/a.txt"), "alpha");
    const char *all = said("search_files", "{}");
    CHECK(!strstr(all, "way") && !strstr(all, "secret"));
    stop();
}

/* ---- writing ---- */

TEST(writes) {
    begin();
    CHECK_STR(said("write_file", J({"path":"new.txt","content":"n\u00e9w"})),
              "\"new.txt has 4 bytes now\"");
    CHECK_STR(text_in("in/new.txt"), "n\xC3\xA9w");
    CHECK_STR(said("write_file", J({"path":"new.txt","content":""})),
              "\"new.txt has 0 bytes now\"");
    CHECK_STR(text_in("in/new.txt"), "");
    CHECK_STR(said("write_file", J({"path":"new.txt","content":"a\u0000b"})),
              "\"new.txt has 3 bytes now\"");
    CHECK(harness_is(said("write_file", J({"path":"no/such/dir.txt","content":"x"})), "!"));
    CHECK(harness_is(said("write_file", J({"path":"sub","content":"x"})), "!"));
    CHECK(harness_is(said("write_file", J({"path":".","content":"x"})), "!"));
    CHECK_STR(text_in("in/new.txt.new0"), "(none)"); /* nothing is left behind */
    put_text("in/a.txt.new0", "somebody's");
    CHECK_STR(said("write_file", J({"path":"a.txt","content":"x"})), "\"a.txt has 1 bytes now\"");
    CHECK_STR(text_in("in/a.txt.new0"), "somebody's");
    CHECK_STR(text_in("in/a.txt"), "x");
    stop();
}

TEST(keeps_permissions) {
#ifndef _WIN32
    struct stat st;
    begin();
    chmod(at_top("in/a.txt"), 0640);
    said("write_file", J({"path":"a.txt","content":"x"}));
    CHECK(!stat(at_top("in/a.txt"), &st) && (st.st_mode & 0777) == 0640);
    stop();
#endif
}

/* What becomes of new.txt. */
static const char *edit(const char *edits) {
    return said("edit_file", text_of(J({"path":"new.txt","edits":[%s]}) "%s%s", edits, "", ""));
}
static bool refuses(const char *edits, const char *why) {
    return harness_is(edit(edits), text_of("!\"new.txt %s%s%s", why, "", ""));
}

TEST(edits) { /* all of them or none; each text stands there once */
    begin();
    put_text("in/new.txt", "one two three two");
    CHECK_STR(said("edit_file", J({"path":"new.txt","dryRun":true,
                                   "edits":[{"oldText":"one","newText":"1"},
                                            {"oldText":"three","newText":"one"}]})),
              "\"1 two one two\"");
    CHECK_STR(text_in("in/new.txt"), "one two three two");
    CHECK(refuses(J({"oldText":"one","newText":"1"},{"oldText":"two","newText":"2"}),
                  "holds several: two"));
    CHECK(refuses(J({"oldText":"six","newText":"6"}), "does not hold: six"));
    CHECK(refuses(J({"oldText":"","newText":"6"}), "does not hold: "));
    CHECK_STR(text_in("in/new.txt"), "one two three two");
    CHECK_STR(edit(J({"oldText":" three two","newText":""})), "\"new.txt has 7 bytes now\"");
    CHECK_STR(text_in("in/new.txt"), "one two");
    put_file("in/new.txt", "a\0b", 3);
    CHECK(refuses(J({"oldText":"a","newText":"b"}), "is no text"));
    stop();
}

TEST(makes_and_moves) {
    begin();
    CHECK_STR(said("create_directory", J({"path":"made"})), "\"made is there\"");
    CHECK_STR(said("create_directory", J({"path":"made"})), "\"made is there\"");
    CHECK(harness_is(said("create_directory", J({"path":"a.txt"})), "!"));
    CHECK_STR(said("move_file", J({"source":"a.txt","destination":"made/new.txt"})),
              "\"moved to made/new.txt\"");
    CHECK_STR(text_in("in/made/new.txt"), "alpha");
    CHECK_STR(text_in("in/a.txt"), "(none)");
    CHECK_STR(said("move_file", J({"source":"made/new.txt","destination":"b.md"})),
              "!\"b.md is there already\"");
    CHECK_STR(text_in("in/b.md"), "# beta\n");
    CHECK(harness_is(said("move_file", J({"source":"nope","destination":"moved.txt"})), "!"));
    stop();
}

/* ---- looking around ---- */

TEST(lists_and_searches) {
    begin();
    const char *all = said("list_directory", "{}");
    CHECK(strstr(all, "[DIR] sub\\n") && strstr(all, "[FILE] a.txt (5 bytes)\\n"));
    CHECK(!strstr(all, "c.txt"));
    CHECK_STR(said("list_directory", J({"path":"sub/deep"})),
              "\"[FILE] sub/deep/d.txt (5 bytes)\\n\"");
    CHECK_STR(said("list_directory", J({"pattern":"*.md"})), "\"[FILE] b.md (7 bytes)\\n\"");
    CHECK(harness_is(said("list_directory", J({"path":"a.txt"})), "!"));
    CHECK_STR(said("search_files", J({"pattern":"d.txt"})),
              "\"[FILE] sub/deep/d.txt (5 bytes)\\n\"");
    CHECK_STR(said("search_files", J({"pattern":"sub/*.txt","exclude":"c.*"})),
              "\"[FILE] sub/deep/d.txt (5 bytes)\\n\"");
    CHECK_STR(said("search_files", J({"path":"sub","pattern":"?.txt","exclude":"d*"})),
              "\"[FILE] sub/c.txt (5 bytes)\\n\"");
    CHECK_STR(said("search_files", J({"pattern":"nothing"})), "\"\"");
    const char *r = result("2025-11-25", "get_file_info", J({"path":"a.txt"}));
    const char *info = part(r, "structuredContent");
    CHECK_STR(part(info, "type"), "\"file\"");
    CHECK_STR(part(info, "size"), "5");
    CHECK_INT(strlen(part(info, "modified")), 22);
    info = part(result("2025-11-25", "get_file_info", J({"path":"."})), "structuredContent");
    CHECK_STR(part(info, "type"), "\"directory\"");
    CHECK(harness_is(said("get_file_info", J({"path":"nope"})), "!"));
    stop();
}

TEST(patterns) {
    static const struct { const char *pattern, *path; bool match; } rows[] = {
        { "*", "a/b", true }, { "*.c", "x/y.c", true }, { "*.c", "y.h", false },
        { "x/*", "x/y/z", true }, { "x/*", "y/x/z", false }, { "?", "a", true }, { "?", "", false },
        { "a*b*c", "aXbXbc", true },
        { "a*b*c", "aXbXb", false }, { "", "a", false }, { "a", "", false }, { "", "", true } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!CHECK(matches(rows[i].pattern, rows[i].path) == rows[i].match))
            printf("    %s: %s\n", rows[i].pattern, rows[i].path);
}

static const char *asked(const char *method, const char *uri) {
    const char *params = text_of(J({"uri":"%s"}) "%s%s", uri, "", "");
    return ask(text_of(J({"jsonrpc":"2.0","id":1,"method":"resources/%s","params":%s}) "%s",
                       method, params, ""));
}
#define UPDATED "notifications/resources/updated\",\"params\":{\"uri\":\"file:///a.txt\"}"

TEST(resources) {
    begin();
    hello("2025-11-25");
    CHECK(strstr(ask(J({"jsonrpc":"2.0","id":1,"method":"resources/list"})),
                 "{\"uri\":\"file:///sub/c.txt\",\"name\":\"sub/c.txt\","
                 "\"mimeType\":\"text/plain\",\"size\":5}") != NULL);
    put_text("in/with space.txt", "spaced");
    CHECK(strstr(ask(J({"jsonrpc":"2.0","id":1,"method":"resources/list"})),
                 "{\"uri\":\"file:///with%20space.txt\",\"name\":\"with space.txt\"") != NULL);
    CHECK(strstr(asked("read", "file:///sub/c.txt"), "\"text\":\"gamma\"") != NULL);
    CHECK(strstr(asked("read", "file:///with%20space.txt"), "\"text\":\"spaced\"") != NULL);
    CHECK(strstr(asked("read", "file:///..%2Fout%2Fsecret.txt"), "-32002") != NULL);
    stop();
}

TEST(changes) { /* told by the tools at once, of others' work at the next look */
    begin();
    hello("2025-11-25");
    asked("subscribe", "file:///a.txt");
    after_func(w.server);
    mcp_poll(w.server);
    said("write_file", J({"path":"a.txt","content":"x"}));
    CHECK(strstr(w.out.at, UPDATED) && !strstr(w.out.at, "list_changed"));
    said("write_file", J({"path":"new.txt","content":"x"}));
    CHECK(!strstr(w.out.at, UPDATED) && strstr(w.out.at, "resources/list_changed"));
    watched[0].time = 1; /* as if it had been changed a while ago */
    w.out.n = 0;
    after_func(w.server);
    mcp_poll(w.server);
    harness_add(&w.out, "", 0);
    CHECK(strstr(w.out.at, UPDATED) != NULL);
    asked("unsubscribe", "file:///a.txt");
    CHECK_STR(watched[0].uri, "");
    stop();
}

TEST(watches) { /* a name by its escapes; nothing outside, whose time is nobody's business */
    static const char *const outside[] = { "file:///../out/secret.txt",
                                           "file:///%2E%2E/out/secret.txt", "12345678/etc/passwd" };
    begin();
    hello("2025-11-25");
    put_text("in/with space.txt", "spaced");
    asked("subscribe", "file:///with%20space.txt");
    CHECK(time_of("with space.txt") && watched[0].time == time_of("with space.txt"));
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        asked("subscribe", outside[i]);
        CHECK_INT(watched[i + 1].time, 0);
    }
    said("write_file", J({"path":"with space.txt","content":"x"}));
    CHECK(strstr(w.out.at, "updated\",\"params\":{\"uri\":\"file:///with%20space.txt\"}") != NULL);
    stop();
}

int main(int argc, char **argv) {
    (void)argc;
    if (!getcwd(home, sizeof home)) return 1;
    for (char *p = home; *p; p++) if (*p == '\\') *p = '/';
    bool absolute = argv[0][0] == '/' || strchr(argv[0], ':');
    snprintf(top, sizeof top, "%s%s%s.dir", absolute ? "" : home, absolute ? "" : "/", argv[0]);
    for (char *p = top; *p; p++) if (*p == '\\') *p = '/';
    RUN(reads);
    RUN(reads_some_lines);
    RUN(never_outside);
    RUN(writes);
    RUN(keeps_permissions);
    RUN(edits);
    RUN(makes_and_moves);
    RUN(lists_and_searches);
    RUN(patterns);
    RUN(resources);
    RUN(changes);
    RUN(watches);
    clean();
    return DONE();
}
