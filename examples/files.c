/* files.c - a directory for a model to work in: read, write, edit, search; clients hear of changes

       files [DIRECTORY]

   Nothing outside is reached: not by "..", not by a path from elsewhere, not over a symbolic link.
   What is written replaces its file whole or not at all. (Who shares the directory with people that
   he does not trust needs the system's walls as well: between a look and a step it may change.) */
#if !defined _POSIX_C_SOURCE && !defined _WIN32
#define _POSIX_C_SOURCE 200809L
#endif
#define MCP_IMPLEMENTATION
#include "mcp.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#ifdef _WIN32
#include <direct.h>
#include <io.h>
#include <windows.h>
#define chdir(path) _chdir(path)
#define getcwd(buf, n) _getcwd(buf, n)
#define mkdir(path, mode) _mkdir(path)
#define fdopen(fd, mode) _fdopen(fd, mode)
#define create_new(path) _open(path, _O_WRONLY | _O_CREAT | _O_EXCL | _O_BINARY, 0600)
#else
#include <unistd.h>
#define create_new(path) open(path, O_WRONLY | O_CREAT | O_EXCL, 0666)
#endif

enum { DEPTH = 60, FOUND = 10000, LARGEST = 64 << 20, WATCHED = 64, SECOND = 1000 };
static char root[1024];   /* absolute, without a slash at its end */

/* ---- paths ---- */

static bool is_link(const char *full) {
#ifdef _WIN32
    DWORD what = GetFileAttributesA(full);
    return what != INVALID_FILE_ATTRIBUTES && (what & FILE_ATTRIBUTE_REPARSE_POINT);
#else
    struct stat st;
    return !lstat(full, &st) && S_ISLNK(st.st_mode);
#endif
}

static bool is_dir(const char *full) { struct stat st; return !stat(full, &st) && S_ISDIR(st.st_mode); }
static bool is_file(const char *full) { struct stat st; return !stat(full, &st) && S_ISREG(st.st_mode); }

/* The path of what is meant, in the call's memory; NULL: it leads out of the root, or over a link. */
static char *inside(mcp_call *c, const char *path) {
    size_t n = strlen(root);
    if (!strncmp(path, root, n) && (path[n] == '/' || !path[n])) path += n + (path[n] == '/');
    if (!*path || !strcmp(path, ".")) return mcp_format(c, "%s", root);
    if (strpbrk(path, "\\:")) return NULL;
    char *full = mcp_format(c, "%s/%s", root, path);
    for (char *name = full + n; *name;) {
        char *end = ++name + strcspn(name, "/"), was = *end;
        *end = 0;
        if (!*name || !strcmp(name, ".") || !strcmp(name, "..") || is_link(full)) return NULL;
        *(name = end) = was;
    }
    return full;
}

static char *place(mcp_call *c, const char *arg) {   /* the same, of an argument; or it has failed */
    char *full = inside(c, mcp_arg_str(c, arg));
    if (!full) mcp_failf(c, "%s is outside of %s, or behind a link", mcp_arg_str(c, arg), root);
    return full;
}

static const char *below(const char *full) {   /* what of it stands below the root */
    full += strlen(root);
    return full + (*full == '/');
}

static const char *mime_of(const char *path) {
    static const char *const known[][2] = {
        { ".png", "image/png" }, { ".jpg", "image/jpeg" }, { ".jpeg", "image/jpeg" },
        { ".gif", "image/gif" }, { ".webp", "image/webp" }, { ".svg", "image/svg+xml" },
        { ".mp3", "audio/mpeg" }, { ".wav", "audio/wav" }, { ".ogg", "audio/ogg" },
        { ".md", "text/markdown" }, { ".html", "text/html" }, { ".json", "application/json" },
        { ".pdf", "application/pdf" }, { ".zip", "application/zip" }, { ".gz", "application/gzip" } };
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof known / sizeof *known; i++)
        if (!strcmp(dot, known[i][0])) return known[i][1];
    return "text/plain";
}

static const char *uri_of(mcp_call *c, const char *full) {
    char *uri = (char *)mcp_alloc(c, 3 * strlen(full) + 10), *p = uri;
    if (!uri) return "";
    p += sprintf(p, "file://%s", *full == '/' ? "" : "/");
    for (unsigned char b; (b = (unsigned char)*full) != 0; full++) {
        bool plain = (b | 32) >= 'a' && (b | 32) <= 'z';
        if (plain || (b >= '0' && b <= '9') || strchr("/-._~:", b)) *p++ = (char)b;
        else p += sprintf(p, "%%%02X", b);
    }
    return uri;
}

/* "*" and "?" stop at a slash, "**" does not; a pattern without a slash is for names, anywhere. */
static bool matches(const char *p, const char *s) {
    const char *star = NULL, *from = NULL, *deep = NULL, *next = NULL;   /* where to try again */
    if (!strchr(p, '/') && strrchr(s, '/')) s = strrchr(s, '/') + 1;
    for (;;) {
        if (!strcmp(p, "**")) return true;
        if (!strncmp(p, "**/", 3)) p += 3, deep = p, next = s, star = NULL;
        else if (*p == '*') star = ++p, from = s;
        else if (*s && (*p == *s || (*p == '?' && *s != '/'))) p++, s++;
        else if (!*p && !*s) return true;
        else if (star && *from && *from != '/') p = star, s = ++from;
        else if (deep && (next = strchr(next, '/')) != NULL) p = deep, s = ++next, star = NULL;
        else return false;
    }
}

static bool excluded(mcp_call *c, const char *path) {
    const mcp_json *p = mcp_first(mcp_get(mcp_args(c), "excludePatterns"));
    while (p && !matches(mcp_get_str(p, NULL), path)) p = mcp_next(p);
    return p != NULL;
}

/* ---- whole files and directories ---- */

static char *slurp(mcp_call *c, const char *full, size_t *n) {
    struct stat st;
    bool file = !stat(full, &st) && S_ISREG(st.st_mode) && st.st_size <= LARGEST;
    FILE *f = file ? fopen(full, "rb") : NULL;
    char *text = f ? (char *)mcp_alloc(c, (size_t)st.st_size + 1) : NULL;
    *n = text ? fread(text, 1, (size_t)st.st_size, f) : 0;
    if (f) fclose(f);
    if (!text) mcp_failf(c, "%s cannot be read", below(full));
    return text;
}

static int replace(mcp_call *c, const char *full, const char *text, size_t n) {
    struct stat st;
    char *temp = NULL;
    int fd = -1, old = !stat(full, &st);
    for (int i = 0; fd < 0 && i < 10; i++) fd = create_new(temp = mcp_format(c, "%s.%d.tmp", full, i));
    FILE *f = fd < 0 ? NULL : fdopen(fd, "wb");
    bool ok = f && fwrite(text, 1, n, f) == n;
    if (f) ok = !fclose(f) && ok;
    if (ok && old) chmod(temp, st.st_mode & 0777);
#ifdef _WIN32
    if (ok && old) remove(full);
#endif
    ok = ok && !rename(temp, full);
    if (!ok && fd >= 0) remove(temp);
    if (!ok) return mcp_failf(c, "%s cannot be written", below(full));
    if (old) mcp_server_touch(mcp_call_server(c), uri_of(c, full));
    else mcp_server_changed(mcp_call_server(c), MCP_RESOURCES);
    return MCP_OK;
}

typedef struct entry { const char *full, *name, *kind; int64_t size; } entry;

static int by_name(const void *a, const void *b) {
    return strcmp(((const entry *)a)->name, ((const entry *)b)->name);
}
static int by_size(const void *a, const void *b) {   /* the largest first */
    int64_t x = ((const entry *)a)->size, y = ((const entry *)b)->size;
    return x != y ? (x < y) - (x > y) : by_name(a, b);
}

/* What is in a directory, by name; nothing, if it cannot be read. */
static entry *entries(mcp_call *c, const char *full, size_t *n) {
    DIR *d = opendir(full);
    entry *list = NULL;
    *n = 0;
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")) continue;
        if (!(*n & (*n - 1))) {   /* a power of two: full */
            entry *more = (entry *)mcp_alloc(c, (*n ? 2 * *n : 1) * sizeof *more);
            if (!more) break;
            list = *n ? (entry *)memcpy(more, list, *n * sizeof *more) : more;
        }
        struct stat st;
        entry *x = &list[(*n)++];
        x->full = mcp_format(c, "%s/%s", full, e->d_name);
        x->name = x->full + strlen(full) + 1;
        x->kind = is_link(x->full) ? "link" : is_dir(x->full) ? "directory" : "file";
        x->size = !stat(x->full, &st) ? (int64_t)st.st_size : 0;
    }
    if (d) closedir(d);
    if (*n) qsort(list, *n, sizeof *list, by_name);
    return list;
}

static void line(mcp_call *c, const char *text) { mcp_block_write(c, text, strlen(text)); }

/* ---- tools that read ---- */

static int read_text(mcp_call *c) {
    char *full = place(c, "path");
    int64_t head = mcp_arg_int(c, "head"), tail = mcp_arg_int(c, "tail");
    size_t n, from = 0;
    if (!full) return MCP_OK;
    if (head && tail) return mcp_fail(c, "give head or tail, not both");
    if (!head && !tail) return mcp_file_in(c, "text/plain", root, below(full));
    char *text = slurp(c, full, &n);
    if (!text) return MCP_OK;
    for (size_t i = 0; head && i < n; i++)
        if (text[i] == '\n' && !--head) n = i + 1;
    if (tail)
        for (from = n - (n && text[n - 1] == '\n'); from && (text[from - 1] != '\n' || --tail);) from--;
    return mcp_textn(c, text + from, n - from);
}

static int show(mcp_call *c, const char *full) {   /* as what it is */
    const char *mime = mime_of(full);
    if (strncmp(mime, "image/", 6) && strncmp(mime, "audio/", 6)) mcp_embed(c, uri_of(c, full), mime);
    return mcp_file_in(c, mime, root, below(full));
}

static int read_media(mcp_call *c) {
    char *full = place(c, "path");
    return full ? show(c, full) : MCP_OK;
}

static int read_several(mcp_call *c) {   /* one that cannot be read does not hold up the others */
    const mcp_json *p = mcp_first(mcp_get(mcp_args(c), "paths"));
    for (; p; p = mcp_next(p)) {
        char *full = inside(c, mcp_get_str(p, NULL));
        if (full && is_file(full)) show(c, full);
        else mcp_textf(c, "%s: no such file here", mcp_get_str(p, NULL));
    }
    return MCP_OK;
}

static int list(mcp_call *c) {
    char *full = place(c, "path");
    size_t n;
    int64_t total = 0;
    if (full && !is_dir(full)) return mcp_failf(c, "%s is not a directory", mcp_arg_str(c, "path"));
    if (!full) return MCP_OK;
    entry *x = entries(c, full, &n);
    if (!strcmp(mcp_arg_str(c, "sortBy"), "size") && n) qsort(x, n, sizeof *x, by_size);
    mcp_block_begin(c, MCP_TEXT, NULL);
    for (size_t i = 0; i < n; i++) {
        bool file = *x[i].kind == 'f';
        line(c, file ? mcp_format(c, "[FILE] %s (%lld bytes)\n", x[i].name, (long long)x[i].size)
                     : mcp_format(c, *x[i].kind == 'd' ? "[DIR] %s\n" : "[LINK] %s\n", x[i].name));
        if (file) total += x[i].size;
    }
    line(c, mcp_format(c, "%d entries, %lld bytes in files\n", (int)n, (long long)total));
    return mcp_block_end(c);
}

static void tree_of(mcp_call *c, mcp_writer *w, const char *full, int depth) {
    size_t n;
    entry *x = entries(c, full, &n);
    for (size_t i = 0; i < n && !mcp_cancelled(c); i++) {
        if (excluded(c, below(x[i].full))) continue;
        mcp_put_obj(w, NULL);
        mcp_put_str(w, "name", x[i].name);
        mcp_put_str(w, "type", x[i].kind);
        if (*x[i].kind == 'd') {
            mcp_put_arr(w, "children");
            if (depth < DEPTH) tree_of(c, w, x[i].full, depth + 1);
            mcp_put_end(w);
        }
        mcp_put_end(w);
    }
}

static int tree(mcp_call *c) {
    char *full = place(c, "path");
    if (!full) return MCP_OK;
    mcp_writer *w = mcp_text_json(c);
    mcp_put_arr(w, NULL);
    tree_of(c, w, full, 0);
    mcp_put_end(w);
    return MCP_OK;
}

static int search_in(mcp_call *c, const char *full, int depth, int found) {
    size_t n;
    entry *x = entries(c, full, &n);
    for (size_t i = 0; i < n && found < FOUND && !mcp_cancelled(c); i++) {
        if (excluded(c, below(x[i].full))) continue;
        if (matches(mcp_arg_str(c, "pattern"), x[i].full + strlen(mcp_arg_str(c, "path"))))
            line(c, mcp_format(c, "%s\n", below(x[i].full))), found++;
        if (*x[i].kind == 'd' && depth < DEPTH) found = search_in(c, x[i].full, depth + 1, found);
    }
    return found;
}
