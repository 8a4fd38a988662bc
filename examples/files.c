/* files.c - a directory for a model to work in: read, write, edit, search; clients hear of changes

       files [DIRECTORY] [--http [PORT]]

   Nothing outside is reached: not by "..", not by a path from elsewhere, not over a symbolic link.
   What is written replaces its file whole, or not at all. */
#if !defined _POSIX_C_SOURCE && !defined _WIN32
#define _POSIX_C_SOURCE 200809L
#endif
#define MCP_IMPLEMENTATION
#include "mcp.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#ifdef _WIN32
#include <direct.h>
#include <windows.h>
#define mkdir(path, mode) _mkdir(path)
#define chdir(path) _chdir(path)
#define getcwd(buf, n) _getcwd(buf, n)
#define S_ISLNK(mode) 0
#define NEW_FILE "wb"
#else
#include <unistd.h>
#define NEW_FILE "wbx"
#endif

enum { DEPTH = 60, FOUND = 10000, LARGEST = 64 << 20, WATCHED = 64 };
static char root[1024];   /* absolute, no slash at its end */

/* 'f' for a file, 'd' for a directory, 'l' for a link, '?' for something else, 0 for nothing. */
static char kind(const char *full, struct stat *st) {
#ifdef _WIN32
    DWORD what = GetFileAttributesA(full);
    if (what != INVALID_FILE_ATTRIBUTES && (what & FILE_ATTRIBUTE_REPARSE_POINT)) return 'l';
    if (stat(full, st)) return 0;
#else
    if (lstat(full, st)) return 0;
#endif
    if (S_ISLNK(st->st_mode)) return 'l';
    return S_ISREG(st->st_mode) ? 'f' : S_ISDIR(st->st_mode) ? 'd' : '?';
}

/* Where that is, in the call's memory; NULL: outside, and the call has failed. */
static char *place(mcp_call *c, const char *path) {
    size_t n = strlen(root);
    struct stat st;
    if (!strncmp(path, root, n) && (path[n] == '/' || !path[n])) path += n + (path[n] == '/');
    if (!*path || !strcmp(path, ".")) return mcp_format(c, "%s", root);
    char *full = mcp_format(c, "%s/%s", root, path);
    if (!*full) return NULL;   /* no memory */
    for (char *end, *name = full + n + 1; name; name = end ? end + 1 : NULL) {
        if ((end = strchr(name, '/')) != NULL) *end = 0;
        bool odd = !*name || strpbrk(name, "\\:") || strchr(". ", name[strlen(name) - 1]);
        if (odd || kind(full, &st) == 'l')   /* a dot at the end: "..", or what Windows drops */
            return mcp_failf(c, "%s is outside of %s, or behind a link", path, root), (char *)NULL;
        if (end) *end = '/';
    }
    return full;
}
static char *path_arg(mcp_call *c) { return place(c, mcp_arg_str(c, "path")); }

static const char *below(const char *full) {
    return full + strlen(root) + (full[strlen(root)] == '/');
}
static char *uri_of(mcp_call *c, const char *full) {
    return mcp_format(c, "file:///%s", below(full));
}

static const char *mime_of(const char *path) {
    static const char *const known[][2] = { { ".png", "image/png" }, { ".jpg", "image/jpeg" },
        { ".gif", "image/gif" }, { ".wav", "audio/wav" }, { ".mp3", "audio/mpeg" },
        { ".md", "text/markdown" }, { ".html", "text/html" }, { ".json", "application/json" },
        { ".pdf", "application/pdf" }, { ".zip", "application/zip" } };
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof known / sizeof *known; i++)
        if (!strcmp(dot, known[i][0])) return known[i][1];
    return "text/plain";
}

/* '*' stands for anything, '?' for one character; a pattern without a slash is for names alone. */
static bool matches(const char *p, const char *s) {
    const char *star = NULL, *from = NULL;
    if (!strchr(p, '/') && strrchr(s, '/')) s = strrchr(s, '/') + 1;
    while (*s || *p) {
        if (*p == '*') star = ++p, from = s;
        else if (*s && (*p == *s || *p == '?')) p++, s++;
        else if (star && *from) p = star, s = ++from;
        else return false;
    }
    return true;
}

static char *slurp(mcp_call *c, const char *full) {   /* NULL: the call has failed */
    struct stat st;
    FILE *f = kind(full, &st) == 'f' && st.st_size < LARGEST ? fopen(full, "rb") : NULL;
    char *text = f ? (char *)mcp_alloc(c, (size_t)st.st_size + 1) : NULL;
    bool ok = text && fread(text, 1, (size_t)st.st_size, f) == strlen(text);   /* no NUL in it */
    if (f) fclose(f);
    if (!ok) mcp_failf(c, "%s is no text that can be read", below(full));
    return ok ? text : NULL;
}

static int replace(mcp_call *c, const char *full, const char *text, size_t n) {
    struct stat st, other;
    const char *temp = NULL;
    FILE *f = NULL;
    bool old = kind(full, &st);
    for (int i = 0; !f && i < 10; i++) /* what has that name already stays as it is */
        f = kind(temp = mcp_format(c, "%s.new%d", full, i), &other) ? NULL : fopen(temp, NEW_FILE);
    bool ok = f && fwrite(text, 1, n, f) == n;
    if (f) ok = !fclose(f) && ok;
    if (ok && old) chmod(temp, st.st_mode & 0777);
#ifdef _WIN32
    if (ok && old) remove(full);
#endif
    ok = ok && !rename(temp, full);
    if (f && !ok) remove(temp);
    if (!ok) return mcp_failf(c, "%s cannot be written", below(full));
    mcp_server_touch(mcp_call_server(c), uri_of(c, full));
    if (!old) mcp_server_changed(mcp_call_server(c), MCP_RESOURCES);
    return mcp_textf(c, "%s has %lld bytes now", below(full), (long long)n);
}

/* Visits everything in a directory and so deep below it; links do not count. */
static int walk(mcp_call *c, const char *dir, int depth, int seen,
                void (*visit)(mcp_call *c, const char *full, const struct stat *st)) {
    DIR *d = opendir(dir);
    for (struct dirent *e; d && seen < FOUND && (e = readdir(d)) != NULL;) {
        struct stat st;
        if (seen % 256 == 255 && mcp_cancelled(c)) break;   /* nobody waits any more */
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")) continue;
        char *full = mcp_format(c, "%s/%s", dir, e->d_name), what = kind(full, &st);
        if (!what || what == 'l') continue;
        visit(c, full, &st);
        seen++;
        if (depth && what == 'd') seen = walk(c, full, depth - 1, seen, visit);
    }
    if (d) closedir(d);
    return seen;
}

/* ---- tools ---- */

static int read_part(mcp_call *c, const char *full, int64_t head, int64_t tail) {
    char *text = slurp(c, full), *end = text ? text + strlen(text) : NULL;
    if (!text) return MCP_OK;
    for (char *p = text; head && p < end; p++)
        if (*p == '\n' && !--head) *(end = p + 1) = 0;
    const char *from = tail ? end - (end > text && end[-1] == '\n') : text;
    while (from > text && (from[-1] != '\n' || --tail)) from--;
    return mcp_text(c, from);
}

static int read_files(mcp_call *c) {   /* each as what it is; what is not there stops no other */
    int64_t head = mcp_arg_int(c, "head"), tail = mcp_arg_int(c, "tail");
    for (const mcp_json *p = mcp_first(mcp_get(mcp_args(c), "paths")); p; p = mcp_next(p)) {
        const char *full = place(c, mcp_get_str(p, NULL)), *mime = full ? mime_of(full) : "";
        bool shown = !strncmp(mime, "image/", 6) || !strncmp(mime, "audio/", 6);
        struct stat st;
        if (!full) return MCP_OK;
        if (kind(full, &st) != 'f') mcp_textf(c, "%s is no file", below(full));
        else {
            if (!shown) mcp_embed(c, uri_of(c, full), mime);
            if (head || tail) read_part(c, full, head, tail);
            else mcp_file_in(c, mime, root, below(full));   /* streamed, of any size */
        }
    }
    return MCP_OK;
}

static int write_file(mcp_call *c) {
    size_t n;
    const char *full = path_arg(c), *content = mcp_arg_strn(c, "content", &n);
    return full ? replace(c, full, content, n) : MCP_OK;
}

static int edit_file(mcp_call *c) {   /* all of it, or nothing */
    const char *full = path_arg(c), *text = full ? slurp(c, full) : NULL;
    if (!text) return MCP_OK;
    for (const mcp_json *e = mcp_first(mcp_get(mcp_args(c), "edits")); e; e = mcp_next(e)) {
        const char *from = mcp_get_str(e, "oldText"), *to = mcp_get_str(e, "newText");
        const char *at = *from ? strstr(text, from) : NULL;
        if (!at) return mcp_failf(c, "%s does not hold: %s", below(full), from);
        if (strstr(at + 1, from)) return mcp_failf(c, "%s holds several: %s", below(full), from);
        text = mcp_format(c, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    }
    return mcp_arg_bool(c, "dryRun") ? mcp_text(c, text) : replace(c, full, text, strlen(text));
}

static int create_directory(mcp_call *c) {
    const char *full = path_arg(c);
    struct stat st;
    if (!full) return MCP_OK;
    bool there = !mkdir(full, 0777) || kind(full, &st) == 'd';
    return there ? mcp_textf(c, "%s is there", below(full))
                 : mcp_failf(c, "%s cannot be made", below(full));
}

static int move_file(mcp_call *c) {
    const char *from = place(c, mcp_arg_str(c, "source"));
    const char *to = from ? place(c, mcp_arg_str(c, "destination")) : NULL;
    struct stat st;
    if (!to) return MCP_OK;
    if (kind(to, &st)) return mcp_failf(c, "%s is there already", below(to));
    if (rename(from, to)) return mcp_failf(c, "%s cannot be moved", below(from));
    mcp_server_changed(mcp_call_server(c), MCP_RESOURCES);
    return mcp_textf(c, "moved to %s", below(to));
}

static void list_one(mcp_call *c, const char *full, const struct stat *st) {
    bool wanted = matches(mcp_arg_str(c, "pattern"), below(full));
    if (!wanted || matches(mcp_arg_str(c, "exclude"), below(full))) return;
    const char *line = S_ISDIR(st->st_mode) ? mcp_format(c, "[DIR] %s\n", below(full))
        : mcp_format(c, "[FILE] %s (%lld bytes)\n", below(full), (long long)st->st_size);
    mcp_block_write(c, line, strlen(line));
}

static int list_files(mcp_call *c, int depth) {
    const char *full = path_arg(c);
    struct stat st;
    if (!full) return MCP_OK;
    if (kind(full, &st) == 'f') return mcp_failf(c, "%s is no directory", below(full));
    mcp_block_begin(c, MCP_TEXT, NULL);
    walk(c, full, depth, 0, list_one);
    return mcp_block_end(c);
}
static int list_directory(mcp_call *c) { return list_files(c, 0); }
static int search_files(mcp_call *c) { return list_files(c, DEPTH); }

static int get_file_info(mcp_call *c) {
    const char *full = path_arg(c);
    struct stat st;
    char day[32];
    if (!full) return MCP_OK;
    if (!kind(full, &st)) return mcp_failf(c, "%s is not there", below(full));
    strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%SZ", gmtime(&st.st_mtime));
    mcp_writer *w = mcp_structured(c);
    mcp_put_str(w, "type", S_ISDIR(st.st_mode) ? "directory" : "file");
    mcp_put_int(w, "size", (int64_t)st.st_size);
    mcp_put_str(w, "modified", day);
    mcp_put_strf(w, "permissions", "%03o", (unsigned)st.st_mode & 0777);
    return MCP_OK;
}

/* ---- resources ---- */

static int read_resource(mcp_call *c) {
    return mcp_file_in(c, mime_of(mcp_arg_str(c, "path")), root, mcp_arg_str(c, "path"));
}

static void link_one(mcp_call *c, const char *full, const struct stat *st) {
    mcp_resource row = { 0 };
    row.uri = uri_of(c, full), row.name = below(full), row.mime = mime_of(full);
    row.size = st->st_size ? (int64_t)st->st_size : (int64_t)MCP_ZERO;
    if (S_ISREG(st->st_mode)) mcp_link(c, &row);
}
static int list_resources(mcp_call *c) { return walk(c, root, DEPTH, 0, link_one), MCP_OK; }

/* What clients subscribe to is looked at each second; so is the root, for new names in it. */
static struct { char uri[512]; time_t time; } watched[WATCHED];

static time_t stamp(const char *uri) {   /* file:///NAME */
    char full[2048];
    struct stat st;
    snprintf(full, sizeof full, "%s/%s", root, strlen(uri) > 8 ? uri + 8 : "");
    return stat(full, &st) ? 0 : st.st_mtime;
}

static void watch(void *user, const char *uri, bool on) {
    int i = 0;
    (void)user;
    while (i < WATCHED && strcmp(watched[i].uri, on ? "" : uri)) i++;
    if (i == WATCHED || strlen(uri) >= sizeof watched[i].uri) return;
    strcpy(watched[i].uri, on ? uri : "");
    watched[i].time = stamp(uri);
}

static void look(void *server) {
    static time_t names;
    for (int i = 0; i < WATCHED; i++) {
        time_t now = *watched[i].uri ? stamp(watched[i].uri) : watched[i].time;
        if (now != watched[i].time) mcp_server_touch((mcp_server *)server, watched[i].uri);
        watched[i].time = now;
    }
    if (names && names != stamp("")) mcp_server_changed((mcp_server *)server, MCP_RESOURCES);
    names = stamp("");
    mcp_after((mcp_server *)server, 1000, look, server);
}

#define PATH { .name = "path", .desc = "within the directory", .flags = MCP_REQUIRED }
#define GIVEN(name_) { .name = name_, .flags = MCP_REQUIRED }
#define LINES(name_) { .name = name_, .type = MCP_INTEGER, .desc = "so many lines", .min = "1" }
static const mcp_arg path_args[] = { PATH, { 0 } };
static const mcp_arg read_args[] = {
    { .name = "paths", .type = MCP_ARRAY, .flags = MCP_REQUIRED, .min_items = 1, .max_items = 100 },
    LINES("head"), LINES("tail"), { 0 } };
static const mcp_arg write_args[] = { PATH, GIVEN("content"), { 0 } };
static const mcp_arg edit_of[] = { GIVEN("oldText"), GIVEN("newText"), { 0 } };
static const mcp_arg edit_args[] = { PATH,
    { .name = "edits", .type = MCP_ARRAY, .flags = MCP_REQUIRED, .items = MCP_OBJECT,
      .of = edit_of },
    { .name = "dryRun", .type = MCP_BOOLEAN, .desc = "only show what would be there" }, { 0 } };
static const mcp_arg move_args[] = { GIVEN("source"), GIVEN("destination"), { 0 } };
static const mcp_arg list_args[] = { { .name = "path", .def = "." },
    { .name = "pattern", .desc = "such as *.txt", .def = "*" }, { .name = "exclude" }, { 0 } };

#define TOOL(call_, args_, hints_, what_) \
    { .name = #call_, .desc = what_, .args = args_, .call = call_, .hints = (hints_) }
#define DOES MCP_NOT_READ_ONLY | MCP_NOT_OPEN_WORLD
static const mcp_tool tools[] = {
    TOOL(read_files, read_args, MCP_READ_ONLY, "Texts, images, sounds."),
    TOOL(list_directory, list_args, MCP_READ_ONLY, "What is in a directory."),
    TOOL(search_files, list_args, MCP_READ_ONLY, "What is in a directory, and below."),
    TOOL(get_file_info, path_args, MCP_READ_ONLY, "Type, size, time, permissions."),
    TOOL(write_file, write_args, DOES | MCP_DESTRUCTIVE | MCP_IDEMPOTENT,
         "Creates a file, or replaces it."),
    TOOL(edit_file, edit_args, DOES | MCP_DESTRUCTIVE | MCP_NOT_IDEMPOTENT,
         "Replaces texts that stand once in a file."),
    TOOL(create_directory, path_args, DOES | MCP_NOT_DESTRUCTIVE | MCP_IDEMPOTENT, "Makes one."),
    TOOL(move_file, move_args, DOES | MCP_DESTRUCTIVE | MCP_NOT_IDEMPOTENT, "Moves or renames."),
    { 0 } };
static const mcp_resource resources[] = {
    { .uri = "file:///{+path}", .name = "file", .read = read_resource, .list = list_resources },
    { 0 } };

int main(int argc, char **argv) {
    mcp_server_desc desc = { .name = "files", .instructions = root, .tools = tools,
                             .resources = resources, .changes = MCP_RESOURCES,
                             .watch = { watch, NULL } };
    int http = 1;
    while (http < argc && strcmp(argv[http], "--http")) http++;
    if ((http > 1 && chdir(argv[1])) || !getcwd(root, sizeof root)) return perror("files"), 1;
    for (char *p = root; *p; p++) if (*p == '\\') *p = '/';
    if (http + 1 < argc) desc.http.port = atoi(argv[http + 1]);
    desc.log.func = mcp_log_stderr;
    mcp_server *s = mcp_server_new(&desc);
    if (!s) return 1;
    look(s);
    int rc = mcp_server_run(s, http < argc ? MCP_HTTP : MCP_LINES);
    mcp_server_free(s);
    return rc != MCP_OK;
}
