/* files.c - a directory for a model to work in: read, write, edit, search; clients hear of changes

       files [DIRECTORY] [--http [PORT]]

   Nothing outside is reached: not by "..", not by a path from elsewhere, not over a symbolic link.
   What is written replaces its file whole, or not at all. */
#if !defined _POSIX_C_SOURCE && !defined _WIN32
#define _POSIX_C_SOURCE 200809L
#endif
#define MCP_IMPLEMENTATION
#include "mcp.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#ifdef _WIN32
#include <direct.h>
#include <windows.h>
#define mkdir(path, mode) _mkdir(path)
#define rename(from, to) (!MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING))
#define NEW_FILE "wb"
#define S_IFLNK 0120000
#define S_ISLNK(mode) ((mode) == S_IFLNK)
static int lstat(const char *path, struct stat *st) {
    DWORD what = GetFileAttributesA(path);
    st->st_mode = S_IFLNK;
    if (what != INVALID_FILE_ATTRIBUTES && (what & FILE_ATTRIBUTE_REPARSE_POINT)) return 0;
    return stat(path, st);
}
#else
#define NEW_FILE "wbx"
#endif

enum { DEPTH = 60, FOUND = 10000, LARGEST = 64 << 20, LONGEST = 4096, WATCHED = 64 };
static char root[LONGEST];   /* where we work: every path below is within it, "." all of it */

/* ---- names ---- */

static struct stat look_at(const char *path) {   /* nothing there: a mode of 0 */
    struct stat st;
    if (lstat(path, &st)) memset(&st, 0, sizeof st);
    return st;
}
static bool is_file(const char *path) { return S_ISREG(look_at(path).st_mode); }
static bool is_there(const char *path) { return look_at(path).st_mode != 0; }

/* Whether no name on the way is a link, or could lead elsewhere on some system. */
static bool inside(const char *path) {
    char way[LONGEST];
    for (size_t i = 0, name = 0; i < sizeof way; way[i] = path[i], i++) {
        if (path[i] && path[i] != '/') continue;
        way[i] = 0;
        bool odd = i == name || strpbrk(way + name, "\\:") || strchr(". ", way[i - 1]);
        if (odd || S_ISLNK(look_at(way).st_mode)) return false;
        if (!path[i]) return true;
        name = i + 1;
    }
    return false;
}

/* The path that an argument means; NULL: outside, and the call has failed. */
static const char *place(mcp_call *c, const char *path) {
    size_t n = strlen(root);
    if (!strncmp(path, root, n) && (path[n] == '/' || !path[n])) path += n + (path[n] == '/');
    if (!*path || !strcmp(path, ".")) return ".";
    if (inside(path)) return path;
    return mcp_failf(c, "%s is outside of %s, or behind a link", path, root), (char *)NULL;
}
static const char *path_arg(mcp_call *c) { return place(c, mcp_arg_str(c, "path")); }

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

static char *uri_of(mcp_call *c, const char *path) {
    char *uri = (char *)mcp_alloc(c, 3 * strlen(path) + 9), *p = uri;
    if (uri) p += sprintf(p, "file:///");
    for (; uri && *path; path++) {
        bool plain = isalnum((unsigned char)*path) || strchr("/-._~", *path);
        p += sprintf(p, plain ? "%c" : "%%%02X", (unsigned char)*path);
    }
    return uri;
}

/* The same, read backwards into LONGEST bytes. */
static bool path_of(const char *uri, char *path) {
    if (strncmp(uri, "file:///", 8) || strlen(uri) >= LONGEST) return false;
    for (uri += 8; *uri; uri++, path++) {
        unsigned byte = (unsigned char)*uri;
        int size = 0;
        if (sscanf(uri, "%%%2x%n", &byte, &size) == 1) uri += size - 1;
        *path = (char)byte;
    }
    *path = 0;
    return true;
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

/* ---- reading and writing ---- */

static char *slurp(mcp_call *c, const char *path) {   /* NULL: the call has failed */
    struct stat st = look_at(path);
    FILE *f = S_ISREG(st.st_mode) && st.st_size < LARGEST ? fopen(path, "rb") : NULL;
    char *text = f ? (char *)mcp_alloc(c, (size_t)st.st_size + 1) : NULL;
    bool ok = text && fread(text, 1, (size_t)st.st_size, f) == strlen(text);   /* no NUL in it */
    if (f) fclose(f);
    if (!ok) mcp_failf(c, "%s is no text that can be read", path);
    return ok ? text : NULL;
}

static int replace(mcp_call *c, const char *path, const char *text, size_t n) {
    unsigned old = (unsigned)look_at(path).st_mode;
    const char *temp = NULL;
    FILE *f = NULL;
    for (int i = 0; !f && i < 10; i++) {   /* what has that name already stays as it is */
        temp = mcp_format(c, "%s.new%d", path, i);
        if (!is_there(temp)) f = fopen(temp, NEW_FILE);
    }
    bool ok = f && fwrite(text, 1, n, f) == n;
    if (f) ok = !fclose(f) && ok;
    if (ok && old) chmod(temp, old & 0777);
    ok = ok && !rename(temp, path);
    if (f && !ok) remove(temp);
    if (!ok) return mcp_failf(c, "%s cannot be written", path);
    mcp_server_touch(mcp_call_server(c), uri_of(c, path));
    if (!old) mcp_server_changed(mcp_call_server(c), MCP_RESOURCES);
    return mcp_textf(c, "%s has %lld bytes now", path, (long long)n);
}

/* Visits everything in a directory and so deep below it; links do not count. */
static int walk(mcp_call *c, const char *dir, int depth, int seen,
                void (*visit)(mcp_call *c, const char *path, const struct stat *st)) {
    DIR *d = opendir(dir);
    for (struct dirent *in; d && seen < FOUND && (in = readdir(d)) != NULL;) {
        if (seen % 256 == 255 && mcp_cancelled(c)) break;   /* nobody waits any more */
        if (!strcmp(in->d_name, ".") || !strcmp(in->d_name, "..")) continue;
        bool top = !strcmp(dir, ".");
        const char *path = mcp_format(c, "%s%s%s", top ? "" : dir, top ? "" : "/", in->d_name);
        struct stat st = look_at(path);
        if (!st.st_mode || S_ISLNK(st.st_mode)) continue;
        visit(c, path, &st);
        seen++;
        if (depth && S_ISDIR(st.st_mode)) seen = walk(c, path, depth - 1, seen, visit);
    }
    if (d) closedir(d);
    return seen;
}

/* ---- tools ---- */

static int read_part(mcp_call *c, const char *path, int64_t head, int64_t tail) {
    char *text = slurp(c, path), *end = text ? text + strlen(text) : NULL;
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
        const char *path = place(c, mcp_get_str(p, NULL));
        if (!path) return MCP_OK;
        const char *mime = mime_of(path);
        bool shown = !strncmp(mime, "image/", 6) || !strncmp(mime, "audio/", 6);
        if (!is_file(path)) mcp_textf(c, "%s is no file", path);
        else {
            if (!shown) mcp_embed(c, uri_of(c, path), mime);
            if (head || tail) read_part(c, path, head, tail);
            else mcp_file_in(c, mime, ".", path);   /* streamed, of any size */
        }
    }
    return MCP_OK;
}

static int write_file(mcp_call *c) {
    size_t n;
    const char *path = path_arg(c), *content = mcp_arg_strn(c, "content", &n);
    return path ? replace(c, path, content, n) : MCP_OK;
}

static int edit_file(mcp_call *c) {   /* all of it, or nothing */
    const char *path = path_arg(c), *text = path ? slurp(c, path) : NULL;
    if (!text) return MCP_OK;
    for (const mcp_json *e = mcp_first(mcp_get(mcp_args(c), "edits")); e; e = mcp_next(e)) {
        const char *from = mcp_get_str(e, "oldText"), *to = mcp_get_str(e, "newText");
        const char *at = *from ? strstr(text, from) : NULL;
        if (!at) return mcp_failf(c, "%s does not hold: %s", path, from);
        if (strstr(at + 1, from)) return mcp_failf(c, "%s holds several: %s", path, from);
        text = mcp_format(c, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    }
    return mcp_arg_bool(c, "dryRun") ? mcp_text(c, text) : replace(c, path, text, strlen(text));
}

static int create_directory(mcp_call *c) {
    const char *path = path_arg(c);
    if (!path) return MCP_OK;
    if (mkdir(path, 0777) && !S_ISDIR(look_at(path).st_mode))
        return mcp_failf(c, "%s cannot be made", path);
    return mcp_textf(c, "%s is there", path);
}

static int move_file(mcp_call *c) {
    const char *from = place(c, mcp_arg_str(c, "source"));
    const char *to = from ? place(c, mcp_arg_str(c, "destination")) : NULL;
    if (!to) return MCP_OK;
    if (is_there(to)) return mcp_failf(c, "%s is there already", to);
    if (rename(from, to)) return mcp_failf(c, "%s cannot be moved", from);
    mcp_server_changed(mcp_call_server(c), MCP_RESOURCES);
    return mcp_textf(c, "moved to %s", to);
}

static void list_one(mcp_call *c, const char *path, const struct stat *st) {
    if (!matches(mcp_arg_str(c, "pattern"), path)) return;
    if (matches(mcp_arg_str(c, "exclude"), path)) return;
    const char *line = S_ISDIR(st->st_mode) ? mcp_format(c, "[DIR] %s\n", path)
        : mcp_format(c, "[FILE] %s (%lld bytes)\n", path, (long long)st->st_size);
    mcp_block_write(c, line, strlen(line));
}

static int list_files(mcp_call *c, int depth) {
    const char *path = path_arg(c);
    if (!path) return MCP_OK;
    if (is_file(path)) return mcp_failf(c, "%s is no directory", path);
    mcp_block_begin(c, MCP_TEXT, NULL);
    walk(c, path, depth, 0, list_one);
    return mcp_block_end(c);
}
static int list_directory(mcp_call *c) { return list_files(c, 0); }
static int search_files(mcp_call *c) { return list_files(c, DEPTH); }

static int get_file_info(mcp_call *c) {
    const char *path = path_arg(c);
    if (!path) return MCP_OK;
    struct stat st = look_at(path);
    if (!st.st_mode) return mcp_failf(c, "%s is not there", path);
    char day[32];
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
    const char *path = mcp_arg_str(c, "path");
    return mcp_file_in(c, mime_of(path), ".", path);
}

static void link_one(mcp_call *c, const char *path, const struct stat *st) {
    mcp_resource row = { 0 };
    row.uri = uri_of(c, path);
    row.name = path;
    row.mime = mime_of(path);
    row.size = st->st_size ? (int64_t)st->st_size : (int64_t)MCP_ZERO;
    if (S_ISREG(st->st_mode)) mcp_link(c, &row);
}
static int list_resources(mcp_call *c) { return walk(c, ".", DEPTH, 0, link_one), MCP_OK; }

/* What clients subscribe to is looked at each second; so is the root, for new names in it. */
static struct { char uri[LONGEST], path[LONGEST]; time_t time; } watched[WATCHED];

static time_t time_of(const char *path) { return inside(path) ? look_at(path).st_mtime : 0; }

static void watch(void *user, const char *uri, bool on) {
    int i = 0;
    (void)user;
    while (i < WATCHED && strcmp(watched[i].uri, on ? "" : uri)) i++;
    if (i == WATCHED || !path_of(uri, watched[i].path)) return;
    strcpy(watched[i].uri, on ? uri : "");
    watched[i].time = time_of(watched[i].path);
}

static void look(void *arg) {
    static time_t names;
    mcp_server *server = (mcp_server *)arg;
    for (int i = 0; i < WATCHED; i++) {
        time_t now = time_of(watched[i].path);
        if (now != watched[i].time) mcp_server_touch(server, watched[i].uri);
        watched[i].time = now;
    }
    if (names && names != look_at(".").st_mtime) mcp_server_changed(server, MCP_RESOURCES);
    names = look_at(".").st_mtime;
    mcp_after(server, 1000, look, server);
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
