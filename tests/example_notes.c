/* example_notes.c - examples/notes.c at work in a directory of its own */
#ifndef _WIN32
#define _XOPEN_SOURCE 700
#endif
#include "unit.h"

#include "folder.h"

#include "served.h"
#define main notes_main
#include "../examples/notes.c"
#undef main

static char home[600];

static const char *at_home(const char *name) { return text_of("%s/%s%s", home, name, ""); }

static void clean(void) {
    static const char *const names[] = { "a.txt", "ab.txt", "b.txt", ".hidden.txt", "other.md" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) remove(at_home(names[i]));
    remove_dir(home);
}

static void put_text(const char *name, const char *text) {
    FILE *f = fopen(at_home(name), "wb");
    if (!f || fwrite(text, 1, strlen(text), f) != strlen(text) || fclose(f))
        harness_die(name, 0, "cannot be written");
}

static void begin(void) {
    static char program[] = "notes";
    char *argv[] = { program, home, NULL };
    clean();
    if (make_dir(home)) harness_die(home, 0, "cannot be made");
    put_text("ab.txt", "second");
    put_text(".hidden.txt", "never");
    put_text("other.md", "never");
    fresh();
    notes_main(2, argv);
    desc = served;
    start();
    hello("2025-11-25");
}

#define TOOL(name, args) "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"," \
    "\"params\":{\"name\":\"" name "\",\"arguments\":{" args "}}}"
#define READ(uri) "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\"," \
    "\"params\":{\"uri\":\"" uri "\"}}"
#define LIST J({"jsonrpc":"2.0","id":1,"method":"resources/list"})
#define HELP J({"uri":"note://","name":"help","mimeType":"text/plain","size":40})

static const char *listed(void) { return part(part(ask(LIST), "result"), "resources"); }

TEST(notes) { /* written, listed, read, told of, deleted */
    begin();
    CHECK_STR(listed(), "[" HELP ",{\"uri\":\"note://ab\",\"name\":\"ab\"}]");
    const char *out = ask(TOOL("write_note", "\"id\":\"a\",\"text\":\"first\""));
    CHECK(strstr(out, "\"added\"") && strstr(out, "resources/list_changed"));
    CHECK(strstr(ask(LIST), "note://a\"") && strstr(w.out.at, "note://ab\""));
    CHECK(strstr(ask(READ("note://a")), "\"text\":\"first\"") != NULL);
    ask(J({"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"note://a"}}));
    out = ask(TOOL("write_note", "\"id\":\"a\",\"text\":\"h\\u00e9\""));
    CHECK(strstr(out, "\"replaced\"") != NULL);
    CHECK(strstr(out, "resources/updated\",\"params\":{\"uri\":\"note://a\"}") != NULL);
    CHECK(!strstr(out, "list_changed"));
    CHECK(strstr(ask(READ("note://a")), "\"text\":\"h\xC3\xA9\"") != NULL);
    out = ask(TOOL("delete_note", "\"id\":\"a\""));
    CHECK(strstr(out, "\"deleted\"") && strstr(out, "list_changed"));
    CHECK(strstr(ask(READ("note://a")), "-32002") != NULL);
    out = ask(TOOL("delete_note", "\"id\":\"a\""));
    CHECK(strstr(out, "not found: a\"}],\"isError\":true") != NULL);
    stop();
}

static bool fails(const char *line) { return strstr(ask(line), "\"isError\":true") != NULL; }

TEST(only_notes) { /* no way out of the directory, and nothing else in it */
    begin();
    CHECK(strstr(ask(READ("note://.hidden")), "-32002") != NULL);
    CHECK(strstr(ask(READ("note://other.md")), "-32002") != NULL);
    CHECK(strstr(ask(READ("note://..%2Fx")), "-32002") != NULL);
    CHECK(strstr(ask(READ("note://..")), "-32002") != NULL);
    CHECK(fails(TOOL("write_note", "\"id\":\"../x\",\"text\":\"\"")));
    CHECK(fails(TOOL("write_note", "\"id\":\"..\",\"text\":\"\"")));
    CHECK(fails(TOOL("write_note", "\"id\":\"a\\\\b\",\"text\":\"\"")));
    CHECK(fails(TOOL("write_note", "\"id\":\"a\\u0000\",\"text\":\"\"")));
    CHECK(fails(TOOL("write_note", "\"id\":\"\",\"text\":\"\"")));
    CHECK(fails(TOOL("delete_note", "\"id\":\".hidden\"")));
    CHECK_STR(listed(), "[" HELP ",{\"uri\":\"note://ab\",\"name\":\"ab\"}]");
    stop();
}

TEST(completes) {
    begin();
    put_text("a.txt", "1");
    put_text("b.txt", "2");
    const char *r = part(ask(J({"jsonrpc":"2.0","id":1,"method":"completion/complete",)
                             J("params":{"ref":{"type":"ref/resource","uri":"note://{id}"},)
                             J("argument":{"name":"id","value":"a"}}})), "result");
    CHECK(strstr(r, "\"total\":2,\"hasMore\":false") && strstr(r, "\"ab\"") && !strstr(r, "\"b\""));
    stop();
}

TEST(no_directory) { /* says so */
    begin();
    clean();
    CHECK(strstr(ask(LIST), "cannot be read") != NULL);
    CHECK(strstr(ask(READ("note://ab")), "-32002") != NULL);
    CHECK(strstr(ask(READ("note://")), "One note an id") != NULL);
    stop();
}

int main(int argc, char **argv) {
    (void)argc;
    snprintf(home, sizeof home, "%s.dir", argv[0]);
    for (char *p = home; *p; p++) if (*p == '\\') *p = '/';
    RUN(notes);
    RUN(only_notes);
    RUN(completes);
    RUN(no_directory);
    clean();
    return DONE();
}
