/* terminal.h - text for people: what a terminal must not see, lines that fit, tables, near misses

   Buffers that grow; when memory runs out, the program ends. */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <io.h>
#define isatty _isatty
#define fileno _fileno
#else
#include <sys/ioctl.h>
#include <unistd.h>
#endif

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define BOLD "\033[1m"
#define PLAIN "\033[0m"
#ifdef __GNUC__
#define FORMAT(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define FORMAT(fmt, args)
#endif

static bool piped;              /* standard output is no terminal */
static const char *bold = "", *plain = "";
static size_t wide = SIZE_MAX;  /* columns of a line */

static void look_at_terminal(void) {
    const char *columns = getenv("COLUMNS"), *term = getenv("TERM"), *no = getenv("NO_COLOR");
    piped = !isatty(fileno(stdout));
    if (!piped) wide = 80;
#ifdef TIOCGWINSZ
    struct winsize size;
    if (!piped && !ioctl(fileno(stdout), TIOCGWINSZ, &size) && size.ws_col) wide = size.ws_col;
#endif
    if (columns && atoi(columns) > 0) wide = (size_t)atoi(columns);
    if (wide < 40) wide = 40;
    if (piped || (no && *no) || (term && !strcmp(term, "dumb"))) return;
    bold = BOLD;
    plain = PLAIN;
}

static void *room(void *p, size_t n) {
    p = realloc(p, n);
    if (!p) {
        fputs("out of memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    return p;
}

typedef struct strings { char **at; size_t n; } strings;

static void add_string(strings *s, char *one) {
    s->at = (char **)room(s->at, (s->n + 1) * sizeof *s->at);
    s->at[s->n++] = one;
}

/* ---- text: a buffer that grows; what a terminal must not see; lines of so many columns ---- */

typedef struct text { char *at; size_t n, cap; } text; /* NUL behind it, once it holds anything */

static void reserve(text *t, size_t n) {
    if (t->cap - t->n <= n) t->at = (char *)room(t->at, t->cap = 2 * t->cap + n + 64);
}

static void add(text *t, const char *s, size_t n) {
    reserve(t, n);
    if (n) memcpy(t->at + t->n, s, n);
    t->at[t->n += n] = 0;
}

static FORMAT(2, 3) void addf(text *t, const char *fmt, ...) {
    va_list list, again;
    va_start(list, fmt);
    va_copy(again, list);
    int n = vsnprintf(NULL, 0, fmt, list);
    if (n >= 0) {
        reserve(t, (size_t)n);
        vsnprintf(t->at + t->n, (size_t)n + 1, fmt, again);
        t->n += (size_t)n;
    }
    va_end(again);
    va_end(list);
}

/* The character at *s, which moves behind it; what is not UTF-8 is a byte. */
static unsigned long rune(const char **s, const char *end) {
    unsigned char c = (unsigned char)*(*s)++;
    int more = c >= 0xF0 ? 3 : c >= 0xE0 ? 2 : c >= 0xC0 ? 1 : 0;
    unsigned long u = more ? c & (0x3FUL >> more) : c;
    for (; more && *s < end && (**s & 0xC0) == 0x80; more--)
        u = u << 6 | ((unsigned char)*(*s)++ & 0x3F);
    return u;
}

typedef struct range { unsigned long first, last; size_t columns; } range;
static const range widths[] = { /* all others have one column */
    { 0x300, 0x36F, 0 }, { 0x200B, 0x200F, 0 }, { 0xFE00, 0xFE0F, 0 }, { 0x1100, 0x115F, 2 },
    { 0x2E80, 0xA4CF, 2 }, { 0xAC00, 0xD7A3, 2 }, { 0xF900, 0xFAFF, 2 }, { 0xFE30, 0xFE6F, 2 },
    { 0xFF00, 0xFF60, 2 }, { 0xFFE0, 0xFFE6, 2 }, { 0x1F300, 0x1FAFF, 2 },
    { 0x20000, 0x3FFFD, 2 } };
static const range unsafe[] = { /* controls; what turns the direction of text */
    { 0, 0x1F, 0 }, { 0x7F, 0x9F, 0 }, { 0x202A, 0x202E, 0 }, { 0x2066, 0x2069, 0 } };

static const range *range_of(const range *table, size_t n, unsigned long u) {
    for (; n; table++, n--)
        if (table->first <= u && u <= table->last) return table;
    return NULL;
}

static size_t columns_of(const char *s, size_t n) {
    size_t sum = 0;
    for (const char *end = s + n; s < end;) {
        const range *r = range_of(widths, COUNT(widths), rune(&s, end));
        sum += r ? r->columns : 1;
    }
    return sum;
}

/* What a server said: controls as \u001b, except that lines may stay lines. */
static void add_safe(text *t, const char *s, size_t n, bool lines) {
    for (const char *end = s + n, *from; s < end;) {
        from = s;
        unsigned long u = rune(&s, end);
        if (u == '\r' && s < end && *s == '\n') continue;
        if (!range_of(unsafe, COUNT(unsafe), u)) add(t, from, (size_t)(s - from));
        else if (u == '\n' || u == '\t') add(t, lines ? from : " ", 1);
        else addf(t, "\\u%04lx", u);
    }
}
static void add_str(text *t, const char *s) { add_safe(t, s, strlen(s), false); }

/* The next line of *s, at most so many columns, and cut at a space if there is one: its length. */
static size_t next_line(const char **s, size_t columns) {
    const char *from = *s, *p = from, *end = from + strlen(from), *cut = NULL;
    for (size_t used = 0; p < end && *p != '\n';) {
        const char *was = p;
        rune(&p, end);
        used += columns_of(was, (size_t)(p - was));
        if (*was == ' ' && was > from) cut = was;
        if (used <= columns || was == from) continue;
        if (!cut) cut = was;
        *s = cut + strspn(cut, " ");
        return (size_t)(cut - from);
    }
    *s = p + (p < end);
    return (size_t)(p - from);
}

static void add_wrapped(text *t, const char *s, int indent) {
    text safe = { 0 };
    add_safe(&safe, s, strlen(s), true);
    for (const char *rest = safe.n ? safe.at : "", *from; *(from = rest);) {
        int n = (int)next_line(&rest, wide - (size_t)indent);
        addf(t, "%*s%.*s\n", n ? indent : 0, "", n, from);
    }
    free(safe.at);
}

static int print(text *t) {
    if (t->n) fwrite(t->at, 1, t->n, stdout);
    free(t->at);
    return 0;
}

/* ---- tables: cells are wrapped until the columns fit ---- */

enum { CELLS = 3, NARROW = 10, GAP = 2 };
typedef struct table { text (*row)[CELLS]; size_t n; } table;

static text *add_row(table *t, const char *a, const char *b, const char *c) { /* its cells */
    t->row = (text(*)[CELLS])room(t->row, (t->n + 1) * sizeof *t->row);
    text *cell = t->row[t->n++];
    memset(cell, 0, sizeof *t->row);
    for (int i = 0; i < CELLS; i++) add(&cell[i], "", 0);
    add_str(&cell[0], a);
    add_str(&cell[1], b);
    add_str(&cell[2], c);
    return cell;
}

static void fit(const table *t, size_t indent, size_t columns[CELLS]) {
    size_t sum = indent;
    for (int i = 0; i < CELLS; i++) {
        columns[i] = 0;
        for (size_t r = 0; r < t->n; r++) {
            size_t n = columns_of(t->row[r][i].at, t->row[r][i].n);
            if (n > columns[i]) columns[i] = n;
        }
        if (columns[i]) sum += columns[i] + (i ? GAP : 0);
    }
    for (; sum > wide; sum--) {   /* the widest gives way */
        int widest = columns[1] > columns[0];
        if (columns[2] > columns[widest]) widest = 2;
        if (columns[widest] <= NARROW) break;
        columns[widest]--;
    }
}

/* A line of a row: from each cell what fits; false: there is no more. */
static bool add_line(text *out, const char *rest[CELLS], const size_t columns[CELLS],
                     size_t indent) {
    size_t blank = indent;   /* spaces that are owed until something follows */
    if (!*rest[0] && !*rest[1] && !*rest[2]) return false;
    for (int i = 0; i < CELLS; i++) {
        const char *from = rest[i];
        size_t n = *from ? next_line(&rest[i], columns[i]) : 0;
        if (n) addf(out, "%*s%s%.*s%s", (int)blank, "", i ? "" : bold, (int)n, from,
                    i ? "" : plain);
        blank = (n ? 0 : blank) + columns[i] - columns_of(from, n) + (columns[i] ? GAP : 0);
    }
    addf(out, "\n");
    return true;
}

static void add_table(text *out, table *t, size_t indent) {
    size_t columns[CELLS];
    fit(t, indent, columns);
    for (size_t r = 0; r < t->n; r++) {
        const char *rest[CELLS];
        for (int i = 0; i < CELLS; i++) rest[i] = t->row[r][i].at;
        while (add_line(out, rest, columns, indent)) continue;
        for (int i = 0; i < CELLS; i++) free(t->row[r][i].at);
    }
    free(t->row);
}

static void add_title(text *t, const char *title) { addf(t, "\n%s%s%s\n", bold, title, plain); }

/* ---- JSON ---- */

/* JSON in one line, as many: one for each member and item. */
static void add_pretty(text *t, const char *p) {
    for (int depth = 0; *p;) {
        const char *from = p++;
        if (*from == '"') {
            while (*p != '"') p += *p == '\\' ? 2 : 1;
            add_safe(t, from, (size_t)(++p - from), false);
            continue;
        }
        if (*from == '}' || *from == ']') addf(t, "\n%*s", 2 * --depth, "");
        add(t, from, 1);
        if (*from == ',') addf(t, "\n%*s", 2 * depth, "");
        else if (*from == ':') add(t, " ", 1);
        else if (*from == '{' || *from == '[') {
            if (*p == '}' || *p == ']') add(t, p++, 1);
            else addf(t, "\n%*s", 2 * ++depth, "");
        }
    }
}

/* ---- names: what was meant ---- */

/* The candidate that is most like a name; none that is far off. */
typedef struct guess { const char *name, *best; size_t off; } guess;

static void consider(guess *g, const char *candidate) {
    size_t row[65], n = strlen(candidate), before;
    if (n > 64 || strlen(g->name) > 64) return;
    for (size_t j = 0; j <= n; j++) row[j] = j;
    for (size_t i = 1; g->name[i - 1]; i++) {   /* Levenshtein's distance */
        before = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t change = before + (g->name[i - 1] != candidate[j - 1]);
            size_t move = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            before = row[j];
            row[j] = change < move ? change : move;
        }
    }
    if (row[n] > 1 + strlen(g->name) / 4 || (g->best && row[n] >= g->off)) return;
    g->best = candidate;
    g->off = row[n];
}
