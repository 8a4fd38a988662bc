/* inline.c - makes one self-contained page of many files: what its <script src> and stylesheet
   links name is written into it, as pages of MCP Apps load nothing

       inline page.html >whole.html              the page
       inline page.html page_html >page_html.h   the same as a C array: { .html = page_html } */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *array;   /* its name; NULL: HTML */
static unsigned column;

static void die(const char *what, const char *name) {
    fprintf(stderr, "inline: %s %s\n", what, name);
    exit(1);
}

/* Numbers, as no compiler need take a string that is this long. */
static void put(const char *s, size_t n) {
    if (!array) fwrite(s, 1, n, stdout);
    else for (; n; n--, s++) {
        unsigned char c = (unsigned char)*s;
        const char *form = c < 128 ? "%u,%s" : "'\\x%02X',%s"; /* char may have a sign */
        printf(form, c, ++column % 20 ? "" : "\n");
        if (!*s) die("a NUL byte in", "the page");
    }
}

/* The file, and a NUL. */
static char *load(const char *path, size_t *n) {
    FILE *f = fopen(path, "rb");
    size_t room = 1 << 16;
    char *text = (char *)malloc(room);
    *n = 0;
    if (!f || !text) die("cannot read", path);
    for (size_t got; (got = fread(text + *n, 1, room - *n - 1, f)) > 0;) {
        *n += got;
        if (*n + 1 < room) continue;
        text = (char *)realloc(text, room *= 2);
        if (!text) die("no memory for", path);
    }
    if (ferror(f)) die("cannot read", path);
    fclose(f);
    text[*n] = 0;
    return text;
}

/* What the tag at s loads: its attribute's value, a path beside the page; NULL: nothing. */
static char *loads(const char *s, const char *end, const char *attribute, const char *page) {
    const char *slash = strrchr(page, '/');
    size_t dir = slash ? (size_t)(slash + 1 - page) : 0;
    while (s < end && strncmp(s, attribute, strlen(attribute))) s++;
    if (s == end) return NULL;
    s += strlen(attribute);
    const char *quote = (const char *)memchr(s, '"', (size_t)(end - s));
    if (!quote || strstr(s, "://") == s + strcspn(s, ":\"")) return NULL;
    size_t n = (size_t)(quote - s);
    char *path = (char *)malloc(dir + n + 1);
    if (!path) die("no memory for", page);
    memcpy(path, page, dir);
    memcpy(path + dir, s, n);
    path[dir + n] = 0;
    return path;
}

static void put_within(const char *open, char *path, const char *close) {
    size_t n;
    char *text = load(path, &n);
    if (strstr(text, close)) die("its own end stands in", path);
    put(open, strlen(open));
    put(text, n);
    put(close, strlen(close));
    free(text);
    free(path);
}

int main(int argc, char **argv) {
    if (argc < 2) die("usage: inline page.html", "[array]");
    size_t n;
    char *page = load(argv[1], &n), *from = page;
    array = argc > 2 ? argv[2] : NULL;
    if (array) printf("/* %s, made by inline */\nstatic const char %s[] = {\n", argv[1], array);
    for (char *s = page; (s = strchr(s, '<')) != NULL; s++) {
        int script = !strncmp(s, "<script src=", 12);
        if (!script && strncmp(s, "<link rel=\"stylesheet\"", 22)) continue;
        char *end = strchr(s, '>');
        char *path = end ? loads(s, end, script ? "src=\"" : "href=\"", argv[1]) : NULL;
        if (!path) continue;
        put(from, (size_t)(s - from));
        if (script) put_within("<script>\n", path, "</script>");
        else put_within("<style>\n", path, "</style>");
        from = script && !strncmp(end, "></script>", 10) ? end + 10 : end + 1;
        s = from - 1;
    }
    put(from, strlen(from));
    if (array) puts("0 };");
    free(page);
    return ferror(stdout) || fflush(stdout) ? 1 : 0;
}
