/* files.c - files as content: what they become, and that mcp_file_in never leaves its directory */
#ifndef _WIN32
#define _XOPEN_SOURCE 700 /* symlink, mkfifo */
#endif
#include "unit.h"

#include "folder.h"

/* ---- a directory, and one beside it that nobody may reach ----

       ROOT/in/plain.txt  empty.txt  pixel.png  caf<C3 A9>.txt  %41.txt  sub/inner.txt  pipe
       ROOT/in/link.txt -> plain.txt   way -> ../out   deep -> sub   broken -> nothing
       ROOT/out/secret.txt */

static char root[400];

static const char *at(const char *name) { return text_of("%s/%s%s", root, name, ""); }

static void put_file(const char *name, const char *bytes, size_t n) {
    FILE *f = fopen(at(name), "wb");
    if (!f || fwrite(bytes, 1, n, f) != n || fclose(f))
        harness_die(at(name), 0, "cannot be written");
}
static void put_text(const char *name, const char *text) { put_file(name, text, strlen(text)); }

static const char *const dirs[] = { "", "in", "in/sub", "out" };
static const char *const files[] = {
    "in/plain.txt", "in/empty.txt", "in/pixel.png", "in/caf\xC3\xA9.txt", "in/%41.txt",
    "in/sub/inner.txt", "in/large.txt", "in/pipe", "in/link.txt", "in/way", "in/deep", "in/broken",
    "in/changing.txt", "out/secret.txt" };

static void clean(void) {
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) remove(at(files[i]));
    for (size_t i = sizeof dirs / sizeof *dirs; i-- > 0;) remove_dir(at(dirs[i]));
}

static void lay_out(void) {
    clean();
    for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++)
        if (make_dir(at(dirs[i]))) harness_die(at(dirs[i]), 0, "cannot be made");
    put_text("in/plain.txt", "plain");
    put_text("in/empty.txt", "");
    put_file("in/pixel.png", "\x00\xFF\x10", 3);
    put_text("in/%41.txt", "percent");
    put_text("in/sub/inner.txt", "inner");
    put_text("out/secret.txt", "secret");
#ifndef _WIN32
    put_text("in/caf\xC3\xA9.txt", "coffee");
    if (mkfifo(at("in/pipe"), 0600) || symlink("plain.txt", at("in/link.txt")) ||
        symlink("../out", at("in/way")) || symlink("sub", at("in/deep")) ||
        symlink("nothing", at("in/broken"))) harness_die(root, 0, "no links");
#endif
}

/* ---- a server over it ---- */

static char inside[420];

static int read_in(mcp_call *c) {
    return mcp_file_in(c, NULL, inside, mcp_arg_str(c, "path"));
}
static int read_bytes(mcp_call *c) {
    return mcp_file_in(c, "application/octet-stream", inside, mcp_arg_str(c, "path"));
}
static int open_in(mcp_call *c) { /* a tool: {mime, dir, path} */
    const char *mime = mcp_arg_str(c, "mime"), *dir = mcp_arg_str(c, "dir");
    if (mcp_arg_bool(c, "embed")) mcp_embed(c, "e://it", *mime ? mime : NULL);
    return mcp_file_in(c, *mime ? mime : NULL, *dir ? dir : inside, mcp_arg_str(c, "path"));
}
static int open_any(mcp_call *c) {
    return mcp_file(c, "text/plain", mcp_arg_str(c, "path"));
}

static const mcp_arg file_args[] = {
    { .name = "path" }, { .name = "mime" }, { .name = "dir" },
    { .name = "embed", .type = MCP_BOOLEAN }, { 0 } };
static const mcp_tool tools[] = {
    { .name = "in", .args = file_args, .call = open_in },
    { .name = "any", .args = file_args, .call = open_any }, { 0 } };

static mcp_resource resources[] = {
    { .uri = "f:///{+path}", .mime = "text/plain", .read = read_in },
    { .uri = "b:///{+path}", .read = read_bytes },
    { .uri = "one:///{path}", .read = read_in },
    { .uri = "row://changing" }, { .uri = "row://png", .mime = "image/png" },
    { .uri = "row://missing" }, { 0 } };

static void begin_spilling(size_t spill) {
    static char changing[420], png[420], missing[420];
    fresh();
    snprintf(inside, sizeof inside, "%s/in", root);
    snprintf(changing, sizeof changing, "%s/in/changing.txt", root);
    snprintf(png, sizeof png, "%s/in/pixel.png", root);
    snprintf(missing, sizeof missing, "%s/in/missing.txt", root);
    resources[3].file = changing;
    resources[4].file = png;
    resources[5].file = missing;
    desc.tools = tools;
    desc.resources = resources;
    desc.limits.spill = spill;
    start();
}
static void begin(void) { begin_spilling(0); }

/* What is read: the text or blob, as JSON; or the error's code. */
static const char *reads(const char *uri) {
    const char *params = text_of("\"uri\":\"%s\"%s%s", uri, "", "");
    const char *r = request(MODERN, "resources/read", params), *one;
    one = part(part(r, "result"), "contents");
    if (!*one) return part(part(r, "error"), "code");
    return *part(one + 1, "text") ? part(one + 1, "text") : part(one + 1, "blob");
}

#define GONE "-32602" /* not found, in 2026-07-28 */

TEST(found) {
    begin();
    CHECK_STR(reads("f:///plain.txt"), "\"plain\"");
    CHECK_STR(reads("b:///plain.txt"), "\"cGxhaW4=\"");
    CHECK_STR(reads("b:///pixel.png"), "\"AP8Q\"");
    CHECK_STR(reads("f:///sub/inner.txt"), "\"inner\"");
    CHECK_STR(reads("f:///sub%2Finner.txt"), "\"inner\""); /* {+path} takes either slash */
    CHECK_STR(reads("f:///%70lain.txt"), "\"plain\"");
    CHECK_STR(reads("f:///%2541.txt"), "\"percent\""); /* decoded once */
    CHECK_STR(reads("f:///A.txt"), GONE);
    CHECK_STR(reads("one:///plain.txt"), "\"plain\"");
    CHECK_STR(reads("f:///empty.txt"), "\"\"");
    CHECK_STR(reads("b:///empty.txt"), "\"\"");
#ifndef _WIN32
    CHECK_STR(reads("f:///caf\xC3\xA9.txt"), "\"coffee\"");
    CHECK_STR(reads("f:///caf%c3%a9.txt"), "\"coffee\"");
#endif
    stop();
}

TEST(never_outside) { /* whatever the path says */
    static const char *const uris[] = {
        "f:///../out/secret.txt", "f:///%2e%2e/out/secret.txt", "f:///..%2Fout%2Fsecret.txt",
        "f:///%2E%2E%2Fout/secret.txt", "f:///%252e%252e/out/secret.txt",
        "f:///sub/../../out/secret.txt", "f:///sub/../plain.txt", "f:///./plain.txt", "f:///.",
        "f:///..", "f:///sub/..", "f:////etc/passwd", "f:///%2Fetc/passwd", "f:////plain.txt",
        "f:///sub//inner.txt", "f:///..\\\\out\\\\secret.txt", "f:///sub\\\\inner.txt",
        "f:///%5Cwindows", "f:///C:/windows/win.ini", "f:///plain.txt:stream", "f:///",
        "f:///..%20/out/secret.txt", "f:///.%2E%20./out/secret.txt", "f:///.../out/secret.txt",
        "f:///sub%20/../../out/secret.txt", "f:///sub./inner.txt", "f:///plain.txt.",
        "f:///plain.txt%00", "f:///plain.txt%00.png", "f:///%00", "f:///way%00/secret.txt",
        "one:///..%2Fout%2Fsecret.txt", "one:///sub%2Finner.txt", "one:///.." };
    begin();
    for (size_t i = 0; i < sizeof uris / sizeof *uris; i++)
        if (!CHECK_STR(reads(uris[i]), GONE)) printf("    %s\n", uris[i]);
    stop();
}

TEST(not_a_file) { /* nothing there, or something else: never waited for */
    static const char *const uris[] = {
        "f:///missing.txt", "f:///sub", "f:///sub/", "f:///plain.txt/", "f:///plain.txt/x",
        "f:///missing/plain.txt", "f:///PLAIN", "f:///plain.txt%20" };
    begin();
    for (size_t i = 0; i < sizeof uris / sizeof *uris; i++)
        if (!CHECK_STR(reads(uris[i]), GONE)) printf("    %s\n", uris[i]);
    char *name = (char *)malloc(5001);
    if (!name) harness_die("files", 0, "out of memory");
    memset(name, 'n', 5000);
    name[5000] = 0;
    CHECK_STR(reads(text_of("f:///%s%s%s", name, "", "")), GONE);
    for (size_t i = 255; i < 5000; i += 256) name[i] = '/';
    CHECK_STR(reads(text_of("f:///%s%s%s", name, "", "")), GONE);
    free(name);
    stop();
}

#ifndef _WIN32
TEST(links) { /* not followed: to a file, on the way, out, to nothing; nor is a pipe read */
    begin();
    CHECK_STR(reads("f:///link.txt"), GONE);
    CHECK_STR(reads("f:///deep/inner.txt"), GONE);
    CHECK_STR(reads("f:///deep"), GONE);
    CHECK_STR(reads("f:///way/secret.txt"), GONE);
    CHECK_STR(reads("f:///way"), GONE);
    CHECK_STR(reads("f:///broken"), GONE);
    CHECK_STR(reads("f:///pipe"), GONE);
    CHECK_STR(call(MODERN, "any", text_of(J({"path":"%s"}) "%s%s", at("in/link.txt"), "", "")),
              "[{\"type\":\"text\",\"text\":\"plain\"}]"); /* the author's own path may */
    CHECK_STR(call(MODERN, "in", text_of(J({"dir":"%s",)
                                         J("path":"inner.txt"}) "%s%s", at("in/deep"), "", "")),
              "[{\"type\":\"text\",\"text\":\"inner\"}]"); /* and the author's own directory */
    stop();
}
#endif

TEST(not_found_says_which) { /* as the version says it, with the URI as it came */
    begin();
    hello("2025-11-25");
    CHECK_STR(ask(J({"jsonrpc":"2.0","id":1,"method":"resources/read",)
                  J("params":{"uri":"f:///..%2Fout"}})),
              J({"jsonrpc":"2.0","id":1,"error":{"code":-32002,)
              J("message":"Resource not found: f:///..%2Fout","data":{"uri":"f:///..%2Fout"}}}));
    CHECK_STR(failure("2025-11-25", "in", J({"path":"../out/secret.txt"})),
              "\"not found: ../out/secret.txt\"");
    CHECK_STR(failure("2025-11-25", "in", J({"path":"plain.txt","dir":"no/such/dir"})),
              "\"not found: plain.txt\"");
    CHECK_STR(failure("2025-11-25", "any", J({"path":"no/such/file"})),
              "\"not found: no/such/file\"");
    CHECK_STR(failure("2025-11-25", "any", J({"path":""})), "\"not found: \"");
    stop();
}

TEST(kinds_of_block) { /* in a tool the type decides what a file becomes */
    begin();
    CHECK_STR(call(MODERN, "in", J({"path":"plain.txt"})),
              "[{\"type\":\"text\",\"text\":\"plain\"}]");
    CHECK_STR(call(MODERN, "in", J({"path":"plain.txt","mime":"application/json"})),
              "[{\"type\":\"text\",\"text\":\"plain\"}]");
    CHECK_STR(call(MODERN, "in", J({"path":"pixel.png","mime":"image/png"})),
              "[{\"type\":\"image\",\"data\":\"AP8Q\",\"mimeType\":\"image/png\"}]");
    CHECK_STR(call(MODERN, "in", J({"path":"pixel.png","mime":"audio/wav"})),
              "[{\"type\":\"audio\",\"data\":\"AP8Q\",\"mimeType\":\"audio/wav\"}]");
    CHECK_STR(call(MODERN, "in", J({"path":"plain.txt","mime":"text/x","embed":true})),
              "[{\"type\":\"resource\",\"resource\":{\"uri\":\"e://it\",\"mimeType\":\"text/x\","
              "\"text\":\"plain\"}}]");
    CHECK_STR(call(MODERN, "in", J({"path":"pixel.png","mime":"image/png","embed":true})),
              "[{\"type\":\"resource\",\"resource\":{\"uri\":\"e://it\",\"mimeType\":\"image/png\","
              "\"blob\":\"AP8Q\"}}]");
    CHECK_STR(failure(MODERN, "in", J({"path":"plain.txt","mime":"application/zip"})),
              "\"a blob is a resource's: mcp_embed says whose\"");
    CHECK_STR(failure(MODERN, "in", J({"path":"missing","embed":true})), "\"not found: missing\"");
    stop();
}

TEST(pieces) { /* characters are not cut between reads; what is no UTF-8 is repaired */
    harness_bytes b = { NULL, 0, 0 }, want = { NULL, 0, 0 };
    harness_add(&b, "x", 1);
    harness_add(&want, "\"x", 2);
    for (int i = 0; i < 40000; i++) {
        harness_add(&b, "\xE4\xB8\xAD", 3);
        harness_add(&want, "\xE4\xB8\xAD", 3);
    }
    harness_add(&b, "\xFF\xC3", 2);
    harness_add(&want, "\xEF\xBF\xBD\xEF\xBF\xBD\"", 7);
    begin();
    put_file("in/large.txt", b.at, b.n);
    CHECK_STR(reads("f:///large.txt"), want.at);
    stop();
    begin_spilling(1000);
    CHECK_STR(reads("f:///large.txt"), want.at);
    stop();
    free(b.at);
    free(want.at);
}

TEST(rows) { /* .file is read at each request; its size is listed, if it is there */
    begin();
    put_text("in/changing.txt", "one");
    CHECK_STR(reads("row://changing"), "\"one\"");
    put_text("in/changing.txt", "three");
    CHECK_STR(reads("row://changing"), "\"three\"");
    CHECK_STR(reads("row://png"), "\"AP8Q\"");
    CHECK_STR(reads("row://missing"), GONE);
    CHECK_STR(part(part(request(MODERN, "resources/list", ""), "result"), "resources"),
              J([{"uri":"row://changing","name":"row://changing","mimeType":"text/plain","size":5},)
              J({"uri":"row://png","name":"row://png","mimeType":"image/png","size":3},)
              J({"uri":"row://missing","name":"row://missing","mimeType":"text/plain"}]));
    put_text("in/changing.txt", "");
    CHECK(strstr(request(MODERN, "resources/list", ""), "\"size\":0}") != NULL);
    stop();
}

/* Whichever allocation fails: not a word of a folder that cannot be read. */
TEST(skill_without_memory) {
    lay_out();
    put_text("in/sub/SKILL.md", "---\nname: sub\ndescription: d\n---\n");
    const mcp_skill skills[] = { { .dir = keep(at("in/sub"), strlen(at("in/sub"))) }, { 0 } };
    size_t n = 1;
    for (bool failed = true; failed && n < 1000; n++) {
        fresh();
        desc.skills = skills;
        harness_world_init(&w, NULL, &desc);
        w.mem.fail_at = n;
        w.server = mcp_server_new(&w.desc);
        failed = w.mem.failed;
        CHECK((w.server == NULL) == failed);
        if (failed) CHECK_STR(w.log, "5 -1 out of memory");
        CHECK(harness_close(&w));
        harness_world_free(&w);
    }
    CHECK(n > 5);
    remove(at("in/sub/SKILL.md"));
    clean();
}

TEST(skill_folder) { /* every file of it is looked at anew for each request */
    lay_out();
    put_text("in/sub/SKILL.md", "---\nname: sub\ndescription: d\n---\nDo it.\n");
    static const mcp_resource notes[] = { { .uri = "N.md", .text = "n" }, { 0 } };
    const mcp_skill skills[] = { { .dir = keep(at("in/sub"), strlen(at("in/sub"))) },
                                 { .name = "still", .desc = "d", .files = notes }, { 0 } };
    if (make_dir(at("in/sub/more"))) harness_die(at("in/sub/more"), 0, "cannot be made");
    put_text("in/sub/more/A.md", "a");
    fresh();
    desc.skills = skills;
    start();
    const char *list = request(MODERN, "skills/list", "");
    CHECK(strstr(list, "\"uri\":\"skill://sub/more/A.md\"") != NULL);
    CHECK(strstr(list, "\"uri\":\"skill://sub/SKILL.md\",\"digest\":\"sha256:9b6df13cbb73d1135d560"
                       "ec0f54c3bf9ca16100f5b581d9ad4e31965eb6ac708\",\"size\":40}") != NULL);
    CHECK(strstr(list, "\"uri\":\"skill://sub/inner.txt\",\"digest\":\"sha256:33bf6fbd7cd8379785a2"
                       "1e233d8e09f824e7bab459168a96312c1c882c1d7e1f\",\"size\":5}") != NULL);
    put_text("in/sub/inner.txt", "other");
    CHECK(strstr(request(MODERN, "skills/list", ""), "\"digest\":\"sha256:d9298a10d1b0735837dc4bd85"
                 "dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa\",\"size\":5}") != NULL);
    CHECK_STR(reads("skill://sub/inner.txt"), "\"other\"");
    remove(at("in/sub/inner.txt"));
    CHECK_STR(reads("skill://sub/inner.txt"), GONE);
    list = request(MODERN, "skills/list", "");
    CHECK(!strstr(list, "skill://sub") && strstr(list, "\"uri\":\"skill://still/N.md\""));
    CHECK_STR(w.log, "5 -7 a skill is not listed: a file is gone");
    CHECK_STR(part(part(request(MODERN, "skills/get", "\"uri\":\"skill://sub/SKILL.md\""), "error"),
                   "code"), "-32603");
    stop();
    remove(at("in/sub/SKILL.md"));
    remove(at("in/sub/more/A.md"));
    remove_dir(at("in/sub/more"));
    clean();
}

TEST(skill_file_names) { /* what a URI may not hold is escaped */
    static const mcp_resource notes[] = { { .uri = "My 50% \xC3\xA9.md", .text = "hi" }, { 0 } };
    static const mcp_skill skills[] = { { .name = "s", .desc = "d", .files = notes }, { 0 } };
    fresh();
    desc.skills = skills;
    start();
    CHECK(strstr(request(MODERN, "resources/list", ""),
                 "\"uri\":\"skill://s/My%2050%25%20%C3%A9.md\"") != NULL);
    CHECK_STR(reads("skill://s/My%2050%25%20%C3%A9.md"), "\"hi\"");
    stop();
}

int main(int argc, char **argv) {
    (void)argc;
    snprintf(root, sizeof root, "%s.dir", argv[0]);
    for (char *p = root; *p; p++) if (*p == '\\') *p = '/';
    lay_out();
    RUN(found);
    RUN(never_outside);
    RUN(not_a_file);
#ifndef _WIN32
    RUN(links);
#else
    SKIP(links, "this system makes none without privileges");
#endif
    RUN(not_found_says_which);
    RUN(kinds_of_block);
    RUN(pieces);
    RUN(rows);
    RUN(skill_without_memory);
    RUN(skill_folder);
    RUN(skill_file_names);
    clean();
    return DONE();
}
