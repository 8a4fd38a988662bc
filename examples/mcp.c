/* mcp.c - curl for MCP: a client that learns at run time what a server offers, and types it

       mcp tools -- npx -y @modelcontextprotocol/server-everything
       mcp call add a=2 b=40 http://127.0.0.1:8080/mcp

   What a server says is made safe before a terminal sees it. mcp --help tells more, mcp.1 all. */
#if !defined _POSIX_C_SOURCE && !defined _WIN32
#define _POSIX_C_SOURCE 200809L
#endif
#define MCP_IMPLEMENTATION
#include "mcp.h"

#include "terminal.h"
#include "tls.h"

#include <signal.h>
#ifdef _WIN32
#include <direct.h>
#define chdir _chdir
#define getcwd _getcwd
#define popen _popen
#define pclose _pclose
#define setenv(name, value, over) _putenv_s(name, value)
#define NEW_FILE "wb"
#else
#include <unistd.h>
#define NEW_FILE "wbx"
#endif

enum { FAILED = 1, USAGE = 2, REFUSED = 3, GONE = 4, LATE = 5, STOPPED = 130 }; /* exit statuses */
static struct {
    bool json, quiet, trace, help;
    const char *args, *save, *timeout, *era, *version, *log, *sample;
    strings headers, roots, answers;
} o;                            /* the command line's options */
static mcp_client *client;
static volatile sig_atomic_t waiting, stopped; /* for a result; by Ctrl-C */
static bool listening, bar_is_drawn;

/* ---- complaints and endings ---- */

static void clear_bar(void) {
    if (bar_is_drawn) fputs("\r\033[K", stderr);
    bar_is_drawn = false;
}

static void quit(int status) {
    clear_bar();
    mcp_client_free(client);   /* ends the server that was started */
    if ((fflush(stdout) || ferror(stdout)) && !status) status = GONE;
    exit(status);
}

static void complain_of(const char *fmt, va_list list) {
    char line[2048];
    text safe = { 0 };
    vsnprintf(line, sizeof line, fmt, list);
    add_safe(&safe, line, strlen(line), true);
    clear_bar();
    fprintf(stderr, "mcp: %s\n", safe.at);
    free(safe.at);
}

static FORMAT(1, 2) void complain(const char *fmt, ...) {
    va_list list;
    va_start(list, fmt);
    complain_of(fmt, list);
    va_end(list);
}

static FORMAT(2, 3) void leave(int status, const char *fmt, ...) {
    va_list list;
    va_start(list, fmt);
    complain_of(fmt, list);
    va_end(list);
    quit(status);
}

static void unknown(const char *what, const guess *g) {
    if (g->best) leave(USAGE, "no %s is called %s; did you mean %s?", what, g->name, g->best);
    leave(USAGE, "no %s is called %s", what, g->name);
}

/* ---- JSON for people ---- */

static int add_bytes(void *user, const void *bytes, size_t n) { /* a writer's sink */
    add((text *)user, (const char *)bytes, n);
    return MCP_OK;
}

static bool add_json(text *t, const mcp_json *v) {
    char buf[512];
    mcp_writer w;
    mcp_write_hook sink = { add_bytes, t };
    mcp_writer_init(&w, buf, sizeof buf, sink);
    mcp_put_json(&w, NULL, v);
    return !mcp_writer_end(&w);
}

static void add_quoted(text *t, const char *s) {
    char buf[256];
    mcp_writer w;
    mcp_write_hook sink = { add_bytes, t };
    mcp_writer_init(&w, buf, sizeof buf, sink);
    mcp_put_str(&w, NULL, s);
    mcp_writer_end(&w);
}

static void add_shown(text *t, const mcp_json *v) { /* a line; on a terminal, many */
    text json = { 0 };
    add_json(&json, v);
    if (piped) add(t, json.at, json.n);
    else add_pretty(t, json.at);
    addf(t, "\n");
    free(json.at);
}

static int print_json(const mcp_json *v) {
    text t = { 0 };
    add_shown(&t, v);
    return print(&t);
}

static void add_value(text *t, const mcp_json *v) { /* a string without its quotes */
    text json = { 0 };
    if (!v) return;
    if (mcp_type_of(v) == MCP_STRING) add_str(t, mcp_get_str(v, NULL));
    else if (add_json(&json, v)) add_str(t, json.at);
    free(json.at);
}

static bool value_is(const mcp_json *v, const char *s) {
    text t = { 0 };
    add_value(&t, v);
    bool same = !strcmp(t.n ? t.at : "", s);
    free(t.at);
    return same;
}

/* ---- schemas: what a value may be, and text made that ---- */

static const char *const type_names[] = {
    "string", "number", "integer", "boolean", "object", "array", "any", "null" };
#define BIT(type) (1U << (type))

/* The schema itself, or what its "#/..." refers to. */
static const mcp_json *resolve(const mcp_json *root, const mcp_json *schema) {
    for (int hops = 0; hops < 8 && mcp_get(schema, "$ref"); hops++) {
        const char *p = mcp_get_str(schema, "$ref");
        if (*p++ != '#') return NULL;
        for (schema = root; schema && *p == '/';) {
            char key[128];
            size_t n = strcspn(++p, "/");
            snprintf(key, sizeof key, "%.*s", (int)n, p);
            schema = mcp_get(schema, key);
            p += n;
        }
    }
    return schema;
}

static unsigned bit_of(const mcp_json *name) {
    for (unsigned i = 0; i < COUNT(type_names); i++)
        if (!strcmp(mcp_get_str(name, NULL), type_names[i])) return BIT(i);
    return 0;
}

/* The types that it allows, a bit each; 0: it does not say. */
static unsigned types_of(const mcp_json *root, const mcp_json *schema, int depth) {
    static const char *const either[] = { "anyOf", "oneOf", "allOf" };
    const mcp_json *s = resolve(root, schema), *type = mcp_get(s, "type");
    unsigned bits = bit_of(type);
    for (const mcp_json *t = mcp_first(type); t; t = mcp_next(t)) bits |= bit_of(t);
    for (size_t i = 0; i < COUNT(either) && !bits && depth < 8; i++)
        for (const mcp_json *m = mcp_first(mcp_get(s, either[i])); m; m = mcp_next(m))
            bits |= types_of(root, m, depth + 1);
    return bits;
}

typedef struct choice { const mcp_json *value; const char *title; } choice;

/* Its i-th choice: enum, with enumNames or not; oneOf or anyOf of constants; or within these. */
static bool choice_at(const mcp_json *root, const mcp_json *schema, size_t i, choice *c,
                      int depth) {
    const mcp_json *s = resolve(root, schema), *list = mcp_get(s, "enum");
    if (list) {
        c->value = mcp_at(list, i);
        c->title = mcp_get_str(mcp_at(mcp_get(s, "enumNames"), i), NULL);
        return c->value != NULL;
    }
    list = mcp_get(s, "oneOf") ? mcp_get(s, "oneOf") : mcp_get(s, "anyOf");
    if (mcp_get(mcp_first(list), "const")) {
        c->value = mcp_get(mcp_at(list, i), "const");
        c->title = mcp_get_str(mcp_at(list, i), "title");
        return c->value != NULL;
    }
    for (const mcp_json *m = mcp_first(list); m && depth < 8; m = mcp_next(m))
        if (choice_at(root, m, i, c, depth + 1)) return true;
    return false;
}

/* "integer", "array of string", "one of eu, us", "string or null". */
static void add_type(text *t, const mcp_json *root, const mcp_json *schema, int depth) {
    choice c;
    const mcp_json *items = mcp_get(resolve(root, schema), "items");
    unsigned bits = types_of(root, schema, 0), more = 0;
    for (size_t i = 0; choice_at(root, schema, i, &c, 0); i++) {
        addf(t, i ? ", " : "one of ");
        add_value(t, c.value);
        if (!*c.title || value_is(c.value, c.title)) continue;
        addf(t, " (");
        add_str(t, c.title);
        addf(t, ")");
    }
    if (choice_at(root, schema, 0, &c, 0)) return;
    for (unsigned i = 0; i < COUNT(type_names); i++) {
        if (!(bits & BIT(i))) continue;
        addf(t, "%s%s", more++ ? " or " : "", type_names[i]);
        if (i != MCP_ARRAY || !items || depth > 8) continue;
        addf(t, " of ");
        add_type(t, root, items, depth + 1);
    }
    if (!bits) addf(t, "any");
}

/* What JSON a text is; MCP_ANY: none. *at: where it stops being JSON. */
static mcp_type type_of_text(const char *s, size_t n, unsigned long *at) {
    static const mcp_type types[] = { MCP_OBJECT, MCP_ANY, MCP_ARRAY, MCP_ANY, MCP_ANY, MCP_STRING,
                                      MCP_NUMBER, MCP_BOOLEAN, MCP_BOOLEAN, MCP_NULL };
    char scratch[512];
    int event, first = 0;
    mcp_reader r;
    mcp_reader_init(&r, scratch, sizeof scratch);
    mcp_reader_feed(&r, s, n);
    while ((event = mcp_read(&r)) > 0)
        if (event == MCP_READ_MORE) mcp_reader_feed(&r, "", 0);
        else if (!first) first = event;
    if (at) *at = (unsigned long)r.offset;
    if (event < 0) return MCP_ANY;
    if (first == MCP_READ_NUM && !memchr(s, '.', n)) return MCP_INTEGER;
    return types[first - MCP_READ_OBJ];
}

static bool add_typed(text *json, const mcp_json *root, const mcp_json *schema, const char *s,
                      text *why);

static void add_items(text *json, const mcp_json *root, const mcp_json *items, const char *s,
                      text *why) { /* from "a, b" */
    for (const char *end; *s; s = end + strspn(end, ", ")) {
        text one = { 0 };
        end = s + strcspn(s, ",");
        add(&one, s, (size_t)(end - s));
        while (one.n && one.at[one.n - 1] == ' ') one.at[--one.n] = 0;
        addf(json, json->at[json->n - 1] == '[' ? "" : ",");
        add_typed(json, root, items, one.at, why);
        free(one.at);
    }
}

static const char *truth(const char *s) { /* true or false, if people say so; or NULL */
    static const char *const words[] = { "true", "yes", "y", "false", "no", "n" };
    for (size_t i = 0; i < COUNT(words); i++)
        if (!strcmp(s, words[i])) return i < 3 ? "true" : "false";
    return NULL;
}

/* Adds to json what the schema makes of a text: a choice by its value or title, JSON, a string, an
   array of items between commas. False: it cannot be that, see why. */
static bool add_typed(text *json, const mcp_json *root, const mcp_json *schema, const char *s,
                      text *why) {
    choice c;
    size_t n = strlen(s);
    unsigned bits = types_of(root, schema, 0), is = BIT(type_of_text(s, n, NULL));
    bool some = choice_at(root, schema, 0, &c, 0), any = !bits && !some;
    for (size_t i = 0; choice_at(root, schema, i, &c, 0); i++)
        if (value_is(c.value, s) || !strcmp(c.title, s)) return add_json(json, c.value);
    if (is == BIT(MCP_INTEGER) && bits & BIT(MCP_NUMBER)) is = BIT(MCP_NUMBER);
    if (some) bits &= BIT(MCP_NULL);
    if (is != BIT(MCP_ANY) && (any || (bits & is & ~BIT(MCP_STRING)))) add(json, s, n);
    else if (any || bits & BIT(MCP_STRING)) add_quoted(json, s);
    else if (bits & BIT(MCP_BOOLEAN) && truth(s)) addf(json, "%s", truth(s));
    else if (bits & BIT(MCP_ARRAY)) {
        addf(json, "[");
        add_items(json, root, mcp_get(resolve(root, schema), "items"), s, why);
        addf(json, "]");
    } else {
        addf(why, "%s: it must be ", s);
        add_type(why, root, schema, 0);
    }
    return !why->n;
}

static bool is_required(const mcp_json *schema, const char *name) {
    for (const mcp_json *r = mcp_first(mcp_get(schema, "required")); r; r = mcp_next(r))
        if (!strcmp(mcp_get_str(r, NULL), name)) return true;
    return false;
}

/* ---- arguments: name=value, name:=JSON ---- */

/* What an object schema says of a member; NULL: nothing, and others are welcome. */
static const mcp_json *member(const mcp_json *schema, const char *name) {
    const mcp_json *all = mcp_get(schema, "properties"), *one = mcp_get(all, name);
    const mcp_json *more = mcp_get(schema, "additionalProperties");
    guess g = { name, NULL, 0 };
    if (one) return one;
    for (const mcp_json *p = mcp_first(all); p; p = mcp_next(p)) consider(&g, mcp_key(p));
    if (g.best || (mcp_type_of(more) == MCP_BOOLEAN && !mcp_get_bool(more, NULL)))
        unknown("argument", &g);
    return NULL;
}

static bool is_among(const char *name, char **words, size_t n) {
    while (n--) if (!strcmp(words[n], name)) return true;
    return false;
}

/* The words as a JSON object: of strings, if there is no schema. What does not fit ends it all. */
static void add_words(text *t, const mcp_json *schema, char **words, size_t n) {
    addf(t, "{");
    for (size_t i = 0; i < n; i++) {
        text why = { 0 };
        char *name = words[i], *value = strchr(name, '=');
        if (!value || value == name) leave(USAGE, "%s is not NAME=VALUE", name);
        bool raw = value[-1] == ':';
        value[-raw] = 0;
        value++;
        if (is_among(name, words, i)) leave(USAGE, "%s is given twice", name);
        if (i) addf(t, ",");
        add_quoted(t, name);
        addf(t, ":");
        if (raw && type_of_text(value, strlen(value), NULL) == MCP_ANY)
            leave(USAGE, "%s:=%s: it must be JSON", name, value);
        if (raw) addf(t, "%s", value);
        else if (!schema) add_quoted(t, value);
        else if (!add_typed(t, schema, member(schema, name), value, &why))
            leave(USAGE, "%s=%s", name, why.at);
    }
    addf(t, "}");
}

/* --args JSON, or from standard input; false: there is no such option. */
static bool add_args(text *t, size_t words) {
    unsigned long at;
    char part[4096];
    if (!o.args) return false;
    if (words) leave(USAGE, "either --args or NAME=VALUE");
    if (strcmp(o.args, "-") != 0) addf(t, "%s", o.args);
    else for (size_t n; (n = fread(part, 1, sizeof part, stdin)) > 0;) add(t, part, n);
    if (type_of_text(t->n ? t->at : "", t->n, &at) != MCP_OBJECT)
        leave(USAGE, "--args is not a JSON object (byte %lu)", at);
    return true;
}

/* ---- content ---- */

static size_t decode(char *to, const char *from, size_t n) { /* base64; to may be from */
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t len = 0;
    uint32_t bits = 0, have = 0;
    for (; n && *from && *from != '='; from++, n--) {
        const char *d = strchr(digits, *from);
        if (!d) continue;
        bits = (bits << 6 | (uint32_t)(d - digits)) & 0xFFFF;
        if ((have += 6) >= 8) to[len++] = (char)(bits >> (have -= 8) & 0xFF);
    }
    return len;
}

static const char *ending_of(const char *mime) {
    static const char *const known[][2] = {
        { "image/png", "png" }, { "image/jpeg", "jpg" }, { "image/gif", "gif" },
        { "image/webp", "webp" }, { "image/svg+xml", "svg" }, { "audio/wav", "wav" },
        { "audio/mpeg", "mp3" }, { "audio/ogg", "ogg" }, { "application/pdf", "pdf" } };
    for (size_t i = 0; i < COUNT(known); i++)
        if (!strcmp(mime, known[i][0])) return known[i][1];
    return "bin";
}

/* A new file in --save, named after a tool or the end of a URI; never in another one's place. */
static FILE *new_file(text *path, const char *stem, const char *mime) {
    FILE *f;
    text name = { 0 };
    const char *slash = strrchr(stem, '/');
    for (const char *c = slash && slash[1] ? slash + 1 : stem; *c; c++) {
        bool plain_one = strchr("._-", *c) || (*c >= '0' && *c <= '9') ||
                         ((*c | 32) >= 'a' && (*c | 32) <= 'z');
        add(&name, plain_one && (name.n || *c != '.') ? c : "_", 1);
    }
    if (!name.n || !strchr(name.at, '.')) addf(&name, ".%s", ending_of(mime));
    for (int i = 0; i < 10000; i++) {
        path->n = 0;
        addf(path, "%s/", o.save ? o.save : ".");
        if (i) addf(path, "%d-", i);
        addf(path, "%s", name.at);
        if ((f = fopen(path->at, "rb")) == NULL) break;
        fclose(f);
    }
    free(name.at);
    return fopen(path->at, NEW_FILE);
}

static void save(text *t, const mcp_json *block, const char *key, const char *stem) {
    size_t n;
    const char *mime = mcp_get_str(block, "mimeType"), *data = mcp_get_strn(block, key, &n);
    char *bytes = (char *)room(NULL, n + 1);
    text path = { 0 };
    FILE *f = new_file(&path, stem, mime);
    n = decode(bytes, data, n);
    bool ok = f && fwrite(bytes, 1, n, f) == n;
    if (f) ok = !fclose(f) && ok;
    if (!ok) leave(GONE, "%s cannot be written", path.at);
    add_str(t, *mime ? mime : "something");
    addf(t, ", %lu bytes: %s\n", (unsigned long)n, path.at);
    free(bytes);
    free(path.at);
}

static void add_text(text *t, const mcp_json *v) { /* and a newline */
    size_t n;
    const char *s = mcp_get_strn(v, "text", &n);
    if (piped) add(t, s, n);
    else add_safe(t, s, n, true);
    if (n && s[n - 1] != '\n') addf(t, "\n");
}

static void add_contents(text *t, const mcp_json *c) { /* one of a resource */
    if (mcp_get(c, "blob")) save(t, c, "blob", mcp_get_str(c, "uri"));
    else add_text(t, c);
}

static void add_block(text *t, const mcp_json *b, const char *stem) {
    const char *type = mcp_get_str(b, "type");
    if (!strcmp(type, "text")) add_text(t, b);
    else if (!strcmp(type, "image") || !strcmp(type, "audio")) save(t, b, "data", stem);
    else if (!strcmp(type, "resource")) add_contents(t, mcp_get(b, "resource"));
    else if (!strcmp(type, "resource_link")) {
        add_str(t, mcp_get_str(b, "uri"));
        addf(t, "  ");
        add_str(t, mcp_get_str(b, "name"));
        addf(t, "\n");
    } else add_shown(t, b);
}

/* ---- what the server tells while it works ---- */

static void draw_bar(const mcp_json *p) {
    text t = { 0 };
    double done = mcp_get_num(p, "progress"), total = mcp_get_num(p, "total");
    double part = total > 0 && done > 0 ? done < total ? done / total : 1 : 0;
    if (!isatty(fileno(stderr)) || o.quiet) return;
    if (total > 0) {
        addf(&t, "[");
        for (int i = 0; i < 24; i++) addf(&t, i < 24 * part ? "#" : "-");
        addf(&t, "] %3.0f%% ", 100 * part);
    } else addf(&t, "%g ", done);
    add_str(&t, mcp_get_str(p, "message"));
    const char *s = t.at;
    int n = (int)next_line(&s, wide < 200 ? wide - 1 : 79);
    fprintf(stderr, "\r\033[K%.*s", n, t.at);
    bar_is_drawn = true;
    free(t.at);
}

static const char *const levels[] = { "debug", "info", "notice", "warning", "error", "critical",
                                      "alert", "emergency" };

static bool is_loud(const char *level) { /* enough for --log: not every server heeds that */
    for (size_t i = 0; o.log && i < COUNT(levels) && strcmp(levels[i], level) != 0; i++)
        if (!strcmp(levels[i], o.log)) return true;
    return o.log && !strcmp(level, o.log);
}

static void seen(void *user, bool sent, const char *json, size_t n) { /* --trace */
    text t = { 0 };
    (void)user;
    add_safe(&t, json, n, true);
    clear_bar();
    fprintf(stderr, "%c %s\n", sent ? '>' : '<', t.at);
    free(t.at);
}

static void heard(void *user, const char *method, const mcp_json *params) {
    const char *name = strchr(method, '/') ? strchr(method, '/') + 1 : method;
    const mcp_json *data = mcp_get(params, "data");
    bool loud = data && is_loud(mcp_get_str(params, "level"));
    text t = { 0 };
    (void)user;
    if (!strcmp(name, "progress")) draw_bar(params);
    else if (listening && o.json) {
        addf(&t, "{\"method\":\"%s\",\"params\":", method);
        if (!params || !add_json(&t, params)) addf(&t, "{}");
        addf(&t, "}");
    } else if ((listening && strncmp(name, "subscriptions/", 14)) || loud) {
        add_str(&t, data ? mcp_get_str(params, "level") : name);
        addf(&t, data ? ": " : mcp_get(params, "uri") ? "  " : "");
        add_value(&t, data ? data : mcp_get(params, "uri"));
    }
    if (t.n) {
        clear_bar();
        fprintf(listening ? stdout : stderr, "%s\n", t.at);
        fflush(stdout);
    }
    free(t.at);
}

static int printed(void *user, const void *bytes, size_t n) { /* by the server, to stderr */
    text t = { 0 };
    (void)user;
    if (o.quiet) return MCP_OK;
    if (isatty(fileno(stderr))) add_safe(&t, (const char *)bytes, n, true);
    else add(&t, (const char *)bytes, n);
    clear_bar();
    fwrite(t.at, 1, t.n, stderr);
    free(t.at);
    return MCP_OK;
}

static void noted(void *user, int level, int status, const char *said) {
    (void)user, (void)status;
    if (level > MCP_LOG_WARNING || !o.quiet) complain("%s", said);
}

/* ---- what the server asks: on the terminal, or by --answer and --sample ---- */

static bool read_line(text *t) { /* what was typed, without its end; false: there is no more */
    int c;
#ifndef _WIN32   /* Ctrl-C may come just before a read that would wait for ever */
    struct pollfd p = { 0, POLLIN, 0 };
    setvbuf(stdin, NULL, _IONBF, 0);
    while (!stopped && poll(&p, 1, 200) <= 0) continue;
    if (stopped) return add(t, "", 0), false;
#endif
    t->n = 0;
    add(t, "", 0);
    while ((c = getchar()) != EOF && c != '\n') {
        char one = (char)c;
        add(t, &one, 1);
    }
    return c != EOF;
}

static bool somebody(void) { return isatty(fileno(stdin)) && isatty(fileno(stderr)); }

static bool ask_yes(const char *question) {
    text typed = { 0 };
    if (somebody()) fputs(question, stderr);
    bool yes = somebody() && read_line(&typed) && (*typed.at | 32) == 'y';
    free(typed.at);
    return yes;
}

static const char *answer_of(const char *name) { /* of --answer NAME=VALUE, or NULL */
    size_t n = strlen(name);
    for (size_t i = 0; i < o.answers.n; i++)
        if (!strncmp(o.answers.at[i], name, n) && o.answers.at[i][n] == '=')
            return o.answers.at[i] + n + 1;
    return NULL;
}

static void show_field(const mcp_json *root, const mcp_json *field) {
    text t = { 0 };
    const mcp_json *def = mcp_get(field, "default");
    const char *title = mcp_get_str(field, "title"), *desc = mcp_get_str(field, "description");
    add_wrapped(&t, desc, 0);
    add_str(&t, *title ? title : mcp_key(field));
    addf(&t, " (");
    add_type(&t, root, field, 0);
    if (def) addf(&t, "; default ");
    add_value(&t, def);
    fprintf(stderr, "%s): ", t.at);
    free(t.at);
}

/* One answer as JSON, asked for until it fits; nothing: it is left out. */
static int ask_field(text *json, const mcp_json *root, const mcp_json *field) {
    const char *name = mcp_key(field), *known = answer_of(name);
    const mcp_json *def = mcp_get(field, "default");
    text typed = { 0 }, why = { 0 };
    int status = MCP_PENDING;
    while (status == MCP_PENDING) {
        bool ended = false;
        json->n = typed.n = why.n = 0;
        add(&typed, "", 0);
        if (known) addf(&typed, "%s", known);
        else if (somebody()) {
            show_field(root, field);
            ended = !read_line(&typed);
        }
        if (ended || !strcmp(typed.at, "/decline")) status = MCP_DECLINED;
        else if (!strcmp(typed.at, "/cancel")) status = MCP_CANCELLED;
        else if (!typed.n && def) status = add_json(json, def) ? MCP_OK : MCP_NOMEM;
        else if (!typed.n && !is_required(root, name)) status = MCP_OK;
        else if (!typed.n && !known && !somebody()) status = MCP_DECLINED;
        else if (add_typed(json, root, field, typed.at, &why)) status = MCP_OK;
        else complain("%s=%s", name, why.at);
        if (why.n && known) status = MCP_DECLINED;
    }
    free(typed.at);
    free(why.at);
    return status;
}

static int elicit(const mcp_json *params, mcp_writer *w) {
    static bool hinted;
    const char *url = mcp_get_str(params, "url");
    const mcp_json *schema = mcp_get(params, "requestedSchema");
    const mcp_json *field = mcp_first(mcp_get(schema, "properties"));
    text t = { 0 };
    int status = MCP_OK;
    add_wrapped(&t, mcp_get_str(params, "message"), 0);
    add_wrapped(&t, url, 0);
    fputs(t.at ? t.at : "", stderr);
    if (*url) status = ask_yes("Have you been there? [y/N] ") ? MCP_OK : MCP_DECLINED;
    else if (!field) status = ask_yes("Yes? [y/N] ") ? MCP_OK : MCP_DECLINED;
    else if (somebody() && !hinted) fputs("(/decline says no, /cancel stops)\n", stderr);
    hinted = true;
    for (; field && !status; field = mcp_next(field)) {
        t.n = 0;
        status = ask_field(&t, schema, field);
        if (!status && t.n) mcp_put_raw(w, mcp_key(field), t.at);
    }
    if (status && !somebody()) complain("declined: no terminal to ask on, no --answer that fits");
    free(t.at);
    return status;
}

/* --sample COMMAND: finds the request in $MCP_REQUEST, prints what the model says. */
static int sample(const mcp_json *params, mcp_writer *w) {
    char part[4096];
    text request = { 0 }, said = { 0 };
    add_json(&request, params);
    setenv("MCP_REQUEST", request.at, 1);
    FILE *p = popen(o.sample, "r");
    for (size_t n; p && (n = fread(part, 1, sizeof part, p)) > 0;) add(&said, part, n);
    bool ok = p && !pclose(p) && said.n;
    if (ok) {
        mcp_put_str(w, "role", "assistant");
        mcp_put_obj(w, "content");
        mcp_put_str(w, "type", "text");
        mcp_put_strn(w, "text", said.at, said.n - (said.at[said.n - 1] == '\n'));
        mcp_put_end(w);
        mcp_put_str(w, "model", o.sample);
    }
    free(request.at);
    free(said.at);
    return ok ? MCP_OK : MCP_DECLINED;
}

static int asked(void *user, const char *method, const mcp_json *params, mcp_writer *w) {
    (void)user;
    clear_bar();
    if (!strcmp(method, "elicitation/create")) return elicit(params, w);
    if (strcmp(method, "sampling/createMessage") != 0) return MCP_UNSUPPORTED;
    return o.sample ? sample(params, w) : MCP_DECLINED;
}

/* ---- commands: each gets its row and its words, and gives an exit status ---- */

typedef struct command command;
typedef int runner(const command *c, char **w, size_t n);
struct command {
    const char *name, *words;   /* as they are typed */
    size_t least, most;         /* how many words */
    runner *run;
    const char *help;
    const char *list, *of, *key; /* of a list: its method, member, and what tells items apart */
};

/* A reply, or why there is none, and out. */
static const mcp_json *need(const mcp_json *reply) {
    const mcp_failure *f = mcp_client_failure(client);
    text data = { 0 };
    clear_bar();
    if (reply) return reply;
    if (stopped) quit(STOPPED);
    add_value(&data, f->data);
    if (f->code) complain("%s (error %d)", f->text, f->code);
    else complain("%s", f->text);
    if (data.n) complain("%s", data.at);
    free(data.at);
    quit(f->status == MCP_REFUSED ? REFUSED : f->status == MCP_CANCELLED ? LATE : GONE);
    return NULL;
}

static const mcp_json *find(const mcp_json *all, const char *what, const char *name) {
    guess g = { name, NULL, 0 };
    for (const mcp_json *one = mcp_first(all); one; one = mcp_next(one)) {
        if (!strcmp(mcp_get_str(one, "name"), name)) return one;
        consider(&g, mcp_get_str(one, "name"));
    }
    unknown(what, &g);
    return NULL;
}

/* What may follow a name on the command line: "city [days]". */
static void add_usage(text *t, const mcp_json *item) {
    const mcp_json *schema = mcp_get(item, "inputSchema");
    const mcp_json *args = mcp_get(schema ? schema : item, schema ? "properties" : "arguments");
    for (const mcp_json *a = mcp_first(args); a; a = mcp_next(a)) {
        const char *name = schema ? mcp_key(a) : mcp_get_str(a, "name");
        bool needed = schema ? is_required(schema, name) : mcp_get_bool(a, "required");
        addf(t, "%s%s", t->n ? " " : "", needed ? "" : "[");
        add_str(t, name);
        addf(t, "%s", needed ? "" : "]");
    }
}

/* The members of an object, and what is said of each. */
static void add_members(text *t, const char *title, const mcp_json *schema) {
    table rows = { 0 };
    for (const mcp_json *m = mcp_first(mcp_get(schema, "properties")); m; m = mcp_next(m)) {
        const mcp_json *def = mcp_get(m, "default");
        text *cell = add_row(&rows, mcp_key(m), "", mcp_get_str(m, "description"));
        add_type(&cell[1], schema, m, 0);
        if (is_required(schema, mcp_key(m))) addf(&cell[1], "; required");
        if (def) addf(&cell[1], "; default ");
        add_value(&cell[1], def);
    }
    if (rows.n) add_title(t, title);
    add_table(t, &rows, 2);
}

static int describe(const mcp_json *item) { /* a tool or a prompt */
    text t = { 0 };
    table rows = { 0 }, hints = { 0 };
    if (o.json) return print_json(item);
    addf(&t, "%s", bold);
    add_str(&t, mcp_get_str(item, "name"));
    addf(&t, "%s\n", plain);
    add_wrapped(&t, mcp_get_str(item, "description"), 2);
    add_members(&t, "Arguments", mcp_get(item, "inputSchema"));
    for (const mcp_json *a = mcp_first(mcp_get(item, "arguments")); a; a = mcp_next(a))
        add_row(&rows, mcp_get_str(a, "name"), mcp_get_bool(a, "required") ? "required" : "",
                mcp_get_str(a, "description"));
    if (rows.n) add_title(&t, "Arguments");
    add_table(&t, &rows, 2);
    add_members(&t, "Result", mcp_get(item, "outputSchema"));
    for (const mcp_json *h = mcp_first(mcp_get(item, "annotations")); h; h = mcp_next(h))
        add_value(&add_row(&hints, mcp_key(h), "", "")[1], h);
    if (hints.n) add_title(&t, "Hints");
    add_table(&t, &hints, 2);
    return print(&t);
}

static int do_list(const command *c, char **w, size_t n) {
    const mcp_json *r = need(mcp_client_list(client, c->list, NULL)), *all = mcp_get(r, c->of);
    table rows = { 0 };
    text t = { 0 };
    if (n) return describe(find(all, c->key, w[0]));
    if (o.json) return print_json(r);
    for (const mcp_json *i = mcp_first(all); i; i = mcp_next(i)) {
        const char *desc = mcp_get_str(i, "description"), *title = mcp_get_str(i, "title");
        const char *said = *desc ? desc : *title ? title : mcp_get_str(i, "name");
        text *cell = add_row(&rows, mcp_get_str(i, c->key), mcp_get_str(i, "mimeType"), "");
        add_usage(&cell[1], i);
        add_safe(&cell[2], said, strcspn(said, "\n"), false);
    }
    add_table(&t, &rows, 0);
    return print(&t);
}

static int do_info(const command *c, char **w, size_t n) {
    static const char *const facts[] = { "title", "description", "websiteUrl" };
    const mcp_json *all = need(mcp_client_server(client)), *who = mcp_get(all, "serverInfo");
    table rows = { 0 };
    text t = { 0 };
    (void)c, (void)w, (void)n;
    if (o.json) return print_json(all);
    add_str(&t, mcp_get_str(who, "name"));
    addf(&t, " ");
    add_str(&t, mcp_get_str(who, "version"));
    addf(&t, "\n");
    for (size_t i = 0; i < COUNT(facts); i++)
        if (mcp_get(who, facts[i])) add_row(&rows, facts[i], mcp_get_str(who, facts[i]), "");
    add_row(&rows, "protocol", mcp_get_str(all, "protocolVersion"), "");
    for (const mcp_json *m = mcp_first(mcp_get(all, "capabilities")); m; m = mcp_next(m)) {
        text *cell = &add_row(&rows, mcp_key(m), "", "")[1];
        for (const mcp_json *one = mcp_first(m); one; one = mcp_next(one)) {
            if (mcp_type_of(one) == MCP_BOOLEAN && !mcp_get_bool(one, NULL)) continue;
            addf(cell, cell->n ? ", " : "");
            add_str(cell, mcp_key(one));
        }
        if (!cell->n) addf(cell, "yes");
    }
    add_table(&t, &rows, 2);
    if (mcp_get(all, "instructions")) addf(&t, "\n");
    add_wrapped(&t, mcp_get_str(all, "instructions"), 0);
    return print(&t);
}

/* The result of the request that w began, with these arguments. Ctrl-C cancels it. */
static const mcp_json *result(mcp_writer *w, text *args) {
    const mcp_json *r = NULL;
    if (args->n) mcp_put_raw(w, NULL, args->at);
    free(args->at);
    waiting = 1;
    int64_t id = mcp_client_send(client);
    while (id && !stopped && !(r = mcp_client_result(client, id))) {
        if (mcp_client_failure(client)->status != MCP_PENDING) break;
        mcp_client_poll(client, 1000);
    }
    if (stopped) mcp_client_cancel(client, id);
    return need(r);
}

static int do_call(const command *c, char **w, size_t n) {
    text args = { 0 }, t = { 0 };
    if (!add_args(&args, n - 1)) {
        const mcp_json *r = need(mcp_client_list(client, "tools", NULL));
        const mcp_json *tool = find(mcp_get(r, "tools"), "tool", w[0]);
        const mcp_json *schema = mcp_get(tool, "inputSchema"), *all = mcp_get(schema, "properties");
        add_words(&args, schema, w + 1, n - 1);
        for (const mcp_json *a = mcp_first(all); a; a = mcp_next(a))
            if (is_required(schema, mcp_key(a)) && !is_among(mcp_key(a), w + 1, n - 1)) {
                add_type(&t, schema, a, 0);
                leave(USAGE, "%s needs %s: %s", w[0], mcp_key(a), t.at);
            }
    }
    const mcp_json *r = result(mcp_client_call(client, w[0]), &args);
    const mcp_json *b = mcp_first(mcp_get(r, "content")), *data = mcp_get(r, "structuredContent");
    bool failed = mcp_get_bool(r, "isError");
    (void)c;
    if (o.json || (!b && data)) add_shown(&t, o.json ? r : data);
    else for (; b; b = mcp_next(b)) add_block(&t, b, w[0]);
    if (failed && !o.json && t.n) {
        fwrite(t.at, 1, t.n, stderr);
        t.n = 0;
    }
    print(&t);
    return failed ? FAILED : 0;
}

static int do_get(const command *c, char **w, size_t n) {
    text args = { 0 }, t = { 0 };
    if (!add_args(&args, n - 1)) {
        const mcp_json *r = need(mcp_client_list(client, "prompts", NULL));
        const mcp_json *prompt = find(mcp_get(r, "prompts"), "prompt", w[0]);
        add_words(&args, NULL, w + 1, n - 1);
        for (const mcp_json *a = mcp_first(mcp_get(prompt, "arguments")); a; a = mcp_next(a))
            if (mcp_get_bool(a, "required") && !is_among(mcp_get_str(a, "name"), w + 1, n - 1))
                leave(USAGE, "%s needs %s", w[0], mcp_get_str(a, "name"));
    }
    const mcp_json *r = result(mcp_client_prompt(client, w[0]), &args);
    (void)c;
    if (o.json) return print_json(r);
    for (const mcp_json *m = mcp_first(mcp_get(r, "messages")); m; m = mcp_next(m)) {
        addf(&t, "%s", bold);
        add_str(&t, mcp_get_str(m, "role"));
        addf(&t, "%s\n", plain);
        add_block(&t, mcp_get(m, "content"), w[0]);
    }
    return print(&t);
}

static int do_read(const command *c, char **w, size_t n) {
    text none = { 0 }, t = { 0 };
    const mcp_json *r = result(mcp_client_read(client, w[0]), &none), *all = mcp_get(r, "contents");
    const mcp_json *one = mcp_first(all);
    bool binary = mcp_get(one, "blob") != NULL;
    (void)c;
    if (o.json) return print_json(r);
    if (piped && !o.save && mcp_count(all) == 1) {   /* byte for byte */
        const char *s = mcp_get_strn(one, binary ? "blob" : "text", &n);
        add(&t, s, n);
        if (binary) t.n = decode(t.at, t.at, t.n);
    } else for (; one; one = mcp_next(one)) add_contents(&t, one);
    return print(&t);
}

static int do_complete(const command *c, char **w, size_t n) {
    text none = { 0 }, t = { 0 };
    const mcp_json *r = result(mcp_client_complete(client, w[0], w[1], n > 2 ? w[2] : ""), &none);
    const mcp_json *found = mcp_get(r, "completion"), *v = mcp_first(mcp_get(found, "values"));
    (void)c;
    if (o.json) return print_json(r);
    for (; v; v = mcp_next(v)) {
        add_str(&t, mcp_get_str(v, NULL));
        addf(&t, "\n");
    }
    if (mcp_get_bool(found, "hasMore")) complain("there are more: type a longer beginning");
    return print(&t);
}

static int do_listen(const command *c, char **w, size_t n) {
    text uris = { 0 };
    double left = o.timeout ? 1000 * strtod(o.timeout, NULL) : 1e18;
    (void)c;
    for (size_t i = 0; i < n; i++) addf(&uris, "%s%s", i ? "|" : "", w[i]);
    waiting = 1;
    if (!mcp_client_listen(client, MCP_TOOLS | MCP_RESOURCES | MCP_PROMPTS, uris.at)) need(NULL);
    free(uris.at);
    for (; !stopped && left > 0; left -= 100)
        if (mcp_client_poll(client, left < 100 ? (int64_t)left : 100)) need(NULL);
    return 0;
}

static int do_request(const command *c, char **w, size_t n) {
    text args = { 0 };
    (void)c;
    add_args(&args, n - 1);
    return print_json(result(mcp_client_request(client, w[0]), &args));
}

static runner do_completion, do_help;
enum { MANY = 1000000 };
static const command commands[] = {
    { "info", "", 0, 0, do_info, "what the server is and can do", NULL, NULL, NULL },
    { "tools", "[TOOL]", 0, 1, do_list, "its tools, or all about one", "tools", "tools", "name" },
    { "call", "TOOL [NAME=VALUE...]", 1, MANY, do_call, "call a tool", NULL, NULL, NULL },
    { "resources", "", 0, 0, do_list, "what can be read", "resources", "resources", "uri" },
    { "templates", "", 0, 0, do_list, "patterns of what can be read", "resources/templates",
      "resourceTemplates", "uriTemplate" },
    { "read", "URI", 1, 1, do_read, "read a resource", NULL, NULL, NULL },
    { "prompts", "[PROMPT]", 0, 1, do_list, "its prompts, or all about one", "prompts", "prompts",
      "name" },
    { "get", "PROMPT [NAME=VALUE...]", 1, MANY, do_get, "get a prompt", NULL, NULL, NULL },
    { "complete", "PROMPT|TEMPLATE NAME [START]", 2, 3, do_complete, "what an argument may be",
      NULL, NULL, NULL },
    { "listen", "[URI...]", 0, MANY, do_listen, "tell of changes until Ctrl-C", NULL, NULL, NULL },
    { "request", "METHOD", 1, 1, do_request, "any method, with --args", NULL, NULL, NULL },
    { "completion", "bash|zsh|fish", 1, 1, do_completion, "a script for your shell", NULL, NULL,
      NULL },
    { "help", "", 0, 0, do_help, "this", NULL, NULL, NULL } };

typedef struct option {
    char letter;                /* 0: none */
    const char *name, *value, *help;
    bool *flag;                 /* one of the three */
    const char **word;
    strings *all;
} option;
static const option options[] = {
    { 'a', "args", "JSON", "all arguments at once; - reads them", NULL, &o.args, NULL },
    { 'A', "answer", "NAME=VALUE", "to what the server may ask", NULL, NULL, &o.answers },
    { 'j', "json", NULL, "what the server sent", &o.json, NULL, NULL },
    { 'o', "save", "DIR", "where images and the like go (.)", NULL, &o.save, NULL },
    { 't', "timeout", "SECONDS", "for an answer (60); to listen", NULL, &o.timeout, NULL },
    { 'H', "header", "NAME:VALUE", "of HTTP requests", NULL, NULL, &o.headers },
    { 'r', "root", "DIR", "that the server may know of", NULL, NULL, &o.roots },
    { 0, "sample", "COMMAND", "answers $MCP_REQUEST for a model", NULL, &o.sample, NULL },
    { 0, "era", "auto|modern|legacy", "with a handshake or without", NULL, &o.era, NULL },
    { 0, "version", "VERSION", "of the protocol, no other", NULL, &o.version, NULL },
    { 'l', "log", "LEVEL", "log messages to show", NULL, &o.log, NULL },
    { 'q', "quiet", NULL, "no progress", &o.quiet, NULL, NULL },
    { 0, "trace", NULL, "every message, on stderr", &o.trace, NULL, NULL },
    { 'h', "help", NULL, "this", &o.help, NULL, NULL } };

static int do_help(const command *c, char **w, size_t n) {
    table of_commands = { 0 }, of_options = { 0 };
    text t = { 0 };
    (void)c, (void)w, (void)n;
    for (size_t i = 0; i < COUNT(commands); i++)
        add_row(&of_commands, commands[i].name, commands[i].words, commands[i].help);
    for (const option *p = options; p < options + COUNT(options); p++) {
        text *cell = add_row(&of_options, "", p->value ? p->value : "", p->help);
        if (p->letter) addf(&cell[0], "-%c, --%s", p->letter, p->name);
        else addf(&cell[0], "    --%s", p->name);
    }
    addf(&t, "curl for MCP: talks to a server that it starts, or to one that runs\n\n"
             "  mcp COMMAND [OPTIONS] -- PROGRAM [ARGUMENT...]\n"
             "  mcp COMMAND [OPTIONS] URL\n");
    add_title(&t, "Commands");
    add_table(&t, &of_commands, 2);
    add_title(&t, "Options");
    add_table(&t, &of_options, 2);
    addf(&t, "\n");
    add_wrapped(&t, "A VALUE is what the tool's schema makes of it: text, a number, true, one of "
                "its choices, items between commas, JSON. NAME:=JSON is JSON in any case.\n\n"
                "Exit status: 0 done, 1 the tool failed, 2 wrong usage, 3 the server refused, "
                "4 it is not there, 5 no answer in time, 130 Ctrl-C. mcp(1) tells more.\n", 0);
    return print(&t);
}

/* How a shell's script begins and ends, and a line for each command and option. */
typedef struct shell { const char *name, *head, *command, *between, *option, *tail; } shell;
static const shell shells[] = {
    { "bash", "_mcp() {\n  local w='", "%s ", "'\n  [[ $2 == -* ]] && w='", "--%s ",
      "'\n  COMPREPLY=($(compgen -W \"$w\" -- \"$2\"))\n}\ncomplete -o default -F _mcp mcp\n" },
    { "zsh", "#compdef mcp\nlocal -a c=(\n", "  '%s:%s'\n", ")\n_arguments -S \\\n",
      "  '--%s[%s]' \\\n", "  '1: :{_describe command c}' '*: :_default'\n" },
    { "fish", "complete -c mcp -n __fish_use_subcommand -f\n",
      "complete -c mcp -n __fish_use_subcommand -a %s -d '%s'\n", "",
      "complete -c mcp -l %s -d '%s'\n", "" } };

/* What a name stands for among a few. */
static size_t name_in(const char *what, const char *name, const char *const *names, size_t n) {
    text all = { 0 };
    for (size_t i = 0; i < n; i++) {
        if (!strcmp(names[i], name)) return free(all.at), i;
        addf(&all, "%s%s", i ? ", " : "", names[i]);
    }
    leave(USAGE, "%s %s: it must be one of %s", what, name, all.at);
    return 0;
}

static int do_completion(const command *c, char **w, size_t n) {
    static const char *const names[] = { "bash", "zsh", "fish" };
    const shell *s = &shells[name_in("completion", w[0], names, COUNT(names))];
    text t = { 0 };
    (void)c, (void)n;
    addf(&t, "%s", s->head);
    for (size_t i = 0; i < COUNT(commands); i++)
        addf(&t, s->command, commands[i].name, commands[i].help);
    addf(&t, "%s", s->between);
    for (size_t i = 0; i < COUNT(options); i++)
        addf(&t, s->option, options[i].name, options[i].help);
    addf(&t, "%s", s->tail);
    return print(&t);
}

/* ---- the command line ---- */

/* An option and its value, which may be part of its word; returns how many words it took. */
static int take_option(char **word) {
    bool full = word[0][1] == '-';
    char *name = *word + 1 + full;
    guess g = { name, NULL, 0 };
    for (const option *p = options; p < options + COUNT(options); p++) {
        size_t n = full ? strlen(p->name) : 1;
        consider(&g, p->name);
        if (full ? strncmp(name, p->name, n) || (name[n] && name[n] != '=') : *name != p->letter)
            continue;
        if (p->flag) return *p->flag = true, 1;
        char *value = name[n] ? name + n + full : word[1];
        if (!value) leave(USAGE, "--%s needs %s", p->name, p->value);
        if (p->word) *p->word = value;
        else add_string(p->all, value);
        return name[n] ? 1 : 2;
    }
    unknown("option", &g);
    return 0;
}

/* The words before "--"; returns where the program behind it begins, or argc. */
static int take_words(int argc, char **argv, strings *words) {
    for (int i = 1; i < argc;) {
        if (!strcmp(argv[i], "--")) return i + 1;
        if (argv[i][0] == '-' && argv[i][1]) i += take_option(argv + i);
        else add_string(words, argv[i++]);
    }
    return argc;
}

static void set_limits(mcp_client_desc *desc) { /* what is spoken, how loud, how long */
    static const char *const eras[] = { "auto", "modern", "legacy" };
    static const unsigned bits[] = { 0, MCP_2026_07_28, MCP_2026_07_28 - 1 };
    static const char *const versions[] = { "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25",
                                            "2026-07-28" };
    char *end;
    if (o.era) desc->versions = bits[name_in("--era", o.era, eras, 3)];
    if (o.version) desc->versions = 1U << name_in("--version", o.version, versions, 5);
    if (o.log) desc->log_level = MCP_LOG_DEBUG + (int)name_in("--log", o.log, levels, 8);
    if (o.trace) desc->wire.func = seen;
    double seconds = o.timeout ? strtod(o.timeout, &end) : 60;
    if ((o.timeout && *end) || !(seconds > 0 && seconds < 1e9))
        leave(USAGE, "--timeout %s: it must be a number of seconds", o.timeout);
    if (!listening) desc->timeout_ms = (int64_t)(1000 * seconds);
}

static void set_headers(mcp_client_desc *desc) {
    mcp_attr *all = (mcp_attr *)room(NULL, (o.headers.n + 1) * sizeof *all);
    for (size_t i = 0; i < o.headers.n; i++) {
        char *colon = strchr(o.headers.at[i], ':');
        if (!colon) leave(USAGE, "--header %s: it must be NAME:VALUE", o.headers.at[i]);
        *colon = 0;
        all[i].key = o.headers.at[i];
        all[i].value = colon + 1 + strspn(colon + 1, " ");
    }
    memset(&all[o.headers.n], 0, sizeof *all);
    desc->headers = all;
}

static void add_root(text *t, const char *dir) { /* as a URI, absolute; it must be there */
    char here[4096], path[4096];
    if (!getcwd(here, sizeof here) || chdir(dir) || !getcwd(path, sizeof path) || chdir(here))
        leave(USAGE, "--root %s: it must be a directory", dir);
    addf(t, "%sfile://%s", t->n ? "|" : "", *path == '/' ? "" : "/");
    for (const char *p = path; *p; p++)
        if (*p == '\\') addf(t, "/");
        else if (*p <= ' ' || *p >= 0x7F || strchr("|%?#\"<>^`{}", *p))
            addf(t, "%%%02X", (unsigned)(unsigned char)*p);
        else add(t, p, 1);
}

static void interrupted(int number) {
    (void)number;
    if (!waiting) _exit(STOPPED);   /* nothing to cancel; the server sees its input end */
    stopped = 1;
}

/* The second time it ends us at once. */
static void catch_signals(void) {
#ifdef _WIN32
    signal(SIGINT, interrupted);
#else
    struct sigaction once;
    memset(&once, 0, sizeof once);
    once.sa_handler = interrupted;
    once.sa_flags = (int)SA_RESETHAND;
    sigaction(SIGINT, &once, NULL);
    sigaction(SIGTERM, &once, NULL);
#endif
}

static void set_up(mcp_client_desc *desc) {
    static text roots;
    for (size_t i = 0; i < o.roots.n; i++) add_root(&roots, o.roots.at[i]);
    desc->name = "mcp";
    desc->version = MCP_VERSION;
    desc->roots = roots.at;
    desc->can = MCP_CAN_ASK | MCP_CAN_ASK_URL | MCP_CAN_TASKS;
    if (o.sample) desc->can |= MCP_CAN_SAMPLE;
    if (roots.n) desc->can |= MCP_CAN_ROOTS;
    desc->ask.func = asked;
    desc->notify.func = heard;
    desc->err.func = printed;
    desc->log.func = noted;
#ifndef _WIN32
    if (desc->url && !strncmp(desc->url, "https:", 6)) desc->connect.func = tls_connect;
#endif
    set_limits(desc);
    set_headers(desc);
    client = mcp_client_new(desc);
    if (!client) quit(GONE);
    catch_signals();
}

int main(int argc, char **argv) {
    static mcp_client_desc desc;
    strings words = { 0 };
    int after = take_words(argc, argv, &words);
    look_at_terminal();
    if (o.help || !words.n) quit(do_help(NULL, NULL, 0) + (o.help ? 0 : USAGE));
    guess g = { words.at[0], NULL, 0 };
    const command *c = commands;
    for (; c < commands + COUNT(commands) && strcmp(c->name, g.name) != 0; c++)
        consider(&g, c->name);
    if (c == commands + COUNT(commands)) unknown("command", &g);
    bool local = c->run == do_help || c->run == do_completion;
    const char *last = words.at[words.n - 1];
    if (after < argc) desc.argv = (const char *const *)argv + after;
    else if (words.n > 1 && (!strncmp(last, "http:", 5) || !strncmp(last, "https:", 6)))
        desc.url = words.at[--words.n];
    else if (!local) leave(USAGE, "which server? end with -- PROGRAM, or with its URL");
    if (words.n - 1 < c->least || words.n - 1 > c->most)
        leave(USAGE, "usage: mcp %s %s", c->name, c->words);
    listening = c->run == do_listen;
    if (!local) set_up(&desc);
    quit(c->run(c, words.at + 1, words.n - 1));
}
