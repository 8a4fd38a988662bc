/* app.c - a tool with a page (MCP Apps): a data explorer for two readers. The model gets words and
   numbers; the page gets a chart that is drawn here, and tells the model what a person picks.

   The page is app/explorer.html with app/bridge.js inside; "make" embeds it. A copy that you build
   yourself reads explorer.html, which "inline app/explorer.html >explorer.html" makes. */
#define MCP_IMPLEMENTATION
#include "mcp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- data: made up, and the same each time ---- */

static double noise(int row, int kind) { /* -1 to 1 */
    uint32_t x = (uint32_t)row * 2654435761u + (uint32_t)kind * 40503u + 977u;
    x ^= x >> 15, x *= 2246822519u, x ^= x >> 13, x *= 3266489917u, x ^= x >> 16;
    return (double)x / 2147483648.0 - 1;
}
static double turn(int row, double period) { /* nearly a sine, and no -lm */
    double t = (row + 100 * period) / period;
    t -= (double)(long)t;
    return t < 0.5 ? 16 * t * (0.5 - t) : -16 * (t - 0.5) * (1 - t);
}

static double tide(int h) { return 2.4 + 1.7 * turn(h + 2, 12.42) + 0.4 * turn(h, 24.8); }
static double water(int h) { return 14.2 + 0.8 * turn(h - 9, 24) + 0.15 * noise(h, 1); }
static double wind(int h) { return 6.5 + 3 * turn(h - 4, 31) + 1.6 * noise(h, 2); }
static double high(int w) { return 13 - 9.5 * turn(w + 13, 52) + 2.2 * noise(w, 3); }
static double low(int w) { return high(w) - 7 - 2 * noise(w, 4); }
static double rain(int w) { return (1 + noise(w, 5)) * (1 + noise(w, 8)) * (9 + 4 * turn(w, 52)); }
static double age(int t) { return 3 + (t * 7) % 38; }
static double tall(int t) { return 7.8 * age(t) / (age(t) + 6) + 0.5 * noise(t, 6); }
static double apples(int t) { return 4 + 9 * tall(t) - 0.02 * age(t) * age(t) + 9 * noise(t, 7); }

typedef struct variable { const char *name, *title, *unit; double (*at)(int row); } variable;
typedef struct dataset {
    const char *name, *title, *row; /* "Hour": what a row is */
    int rows;
    variable of[4];
} dataset;
static const dataset sets[] = {
    { "harbour", "Two days at the harbour", "Hour", 48,
      { { "tide", "Tide", "m", tide }, { "water", "Water", "\xC2\xB0" "C", water },
        { "wind", "Wind", "m/s", wind } } },
    { "station", "A year at the weather station", "Week", 52,
      { { "high", "Highest", "\xC2\xB0" "C", high }, { "low", "Lowest", "\xC2\xB0" "C", low },
        { "rain", "Rain", "mm", rain } } },
    { "orchard", "Forty apple trees", "Tree", 40,
      { { "apples", "Apples", "kg", apples }, { "tall", "Height", "m", tall },
        { "age", "Age", "years", age } } } };

static const dataset *set_of(mcp_call *c) { /* the table of arguments allows no other */
    size_t i = 0;
    while (i + 1 < sizeof sets / sizeof *sets && strcmp(sets[i].name, mcp_arg_str(c, "data"))) i++;
    return &sets[i];
}

static const variable *variable_of(const dataset *d, const char *name) {
    for (const variable *v = d->of; v->name; v++)
        if (!strcmp(v->name, name)) return v;
    return *name ? NULL : d->of;
}

/* ---- the chart: SVG in colours that the page's style sheet names ---- */

typedef struct canvas { char *svg; size_t n, room; } canvas;
enum { WIDE = 720, HIGH = 300, LEFT = 52, RIGHT = 16, TOP = 18, BOTTOM = 34 };

static void draw(canvas *k, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(k->svg + k->n, k->room - k->n, fmt, ap);
    va_end(ap);
    if (n > 0) k->n += (size_t)n < k->room - k->n ? (size_t)n : k->room - k->n - 1;
}

typedef struct scale { double from, to, step; } scale;
static scale scale_of(double min, double max) { /* round numbers around them, up to eight steps */
    static const double more[] = { 2, 2.5, 2 };
    double step = 0.01;
    for (int i = 0; (max - min) / step > 8; i++) step *= more[i % 3]; /* 1 2 5 10 ... */
    scale s = { step * (double)(long)(min / step), step * (double)(long)(max / step), step };
    if (s.from > min) s.from -= step;
    if (s.to < max || s.to <= s.from) s.to += step;
    return s;
}

static double x_at(const dataset *d, int i) {
    return (double)LEFT + (double)(WIDE - LEFT - RIGHT) * (i + 0.5) / d->rows;
}
static double y_at(scale s, double v) {
    return (double)TOP + (double)(HIGH - TOP - BOTTOM) * (1 - (v - s.from) / (s.to - s.from));
}

static void draw_axes(canvas *k, const dataset *d, scale s) {
    for (double v = s.from; v <= s.to + s.step / 2; v += s.step) {
        draw(k, "<line class='grid' x1='%d' x2='%d' y1='%.1f' y2='%.1f'/>", LEFT, WIDE - RIGHT,
             y_at(s, v), y_at(s, v));
        draw(k, "<text class='y' x='%d' y='%.1f'>%g</text>", LEFT - 8, y_at(s, v) + 4,
             v * v < s.step * s.step / 100 ? 0 : v);
    }
    for (int i = 0; i < d->rows; i += d->rows / 8)
        draw(k, "<text class='x' x='%.1f' y='%d'>%d</text>", x_at(d, i), HIGH - 10, i + 1);
}

static const char *chart(mcp_call *c, const dataset *d, const variable *v, const char *how,
                         double min, double max) {
    canvas k = { (char *)mcp_alloc(c, 32 * 1024), 0, 32 * 1024 };
    if (!k.svg) return "";
    bool bars = !strcmp(how, "bars"), dots = !strcmp(how, "dots");
    scale s = scale_of(bars && min > 0 ? 0 : min, max);
    double zero = y_at(s, s.from > 0 ? s.from : s.to < 0 ? s.to : 0);
    draw(&k, "<svg viewBox='0 0 %d %d' role='img' aria-label='%s by %s'>", WIDE, HIGH, v->title,
         d->row);
    draw_axes(&k, d, s);
    if (!bars && !dots) {
        draw(&k, "<path class='area' d='M%.1f %.1f", x_at(d, 0), zero);
        for (int i = 0; i < d->rows; i++) draw(&k, "L%.1f %.1f", x_at(d, i), y_at(s, v->at(i)));
        draw(&k, "L%.1f %.1fZ'/><path class='line' d='", x_at(d, d->rows - 1), zero);
        for (int i = 0; i < d->rows; i++)
            draw(&k, "%c%.1f %.1f", i ? 'L' : 'M', x_at(d, i), y_at(s, v->at(i)));
        draw(&k, "'/>");
    }
    for (int i = 0; i < d->rows; i++) {
        double y = y_at(s, v->at(i)), wide = 0.72 * (x_at(d, 1) - x_at(d, 0));
        if (bars)
            draw(&k, "<rect class='bar' x='%.1f' y='%.1f' width='%.1f' height='%.1f' rx='2'>",
                 x_at(d, i) - wide / 2, y < zero ? y : zero, wide, y < zero ? zero - y : y - zero);
        else draw(&k, "<circle class='%s' cx='%.1f' cy='%.1f' r='%d'>", dots ? "dot" : "point",
                  x_at(d, i), y, dots ? 4 : 7);
        draw(&k, "<title>%s %d: %.2f %s</title></%s>", d->row, i + 1, v->at(i), v->unit,
             bars ? "rect" : "circle");
    }
    draw(&k, "</svg>");
    return k.svg;
}

/* ---- the tools ---- */

/* For the page alone: it never reaches the model. */
static void put_view(mcp_call *c, const dataset *d, const variable *v, double min, double max) {
    mcp_writer *w = mcp_result_meta(c);
    mcp_put_obj(w, "example.com/explorer");
    mcp_put_str(w, "title", d->title);
    mcp_put_strf(w, "caption", "%s, %s", v->title, v->unit);
    mcp_put_str(w, "chart", chart(c, d, v, mcp_arg_str(c, "chart"), min, max));
    mcp_put_arr(w, "variables");
    for (const variable *each = d->of; each->name; each++) {
        mcp_put_obj(w, NULL);
        mcp_put_str(w, "name", each->name);
        mcp_put_str(w, "title", each->title);
        mcp_put_end(w);
    }
    mcp_put_end(w);
    mcp_put_obj(w, "table");
    mcp_put_arr(w, "columns");
    mcp_put_str(w, NULL, d->row);
    for (const variable *each = d->of; each->name; each++)
        mcp_put_strf(w, NULL, "%s (%s)", each->title, each->unit);
    mcp_put_end(w);
    mcp_put_arr(w, "rows");
    for (int i = 0; i < d->rows; i++) {
        mcp_put_arr(w, NULL);
        mcp_put_int(w, NULL, i + 1);
        for (const variable *each = d->of; each->name; each++)
            mcp_put_strf(w, NULL, "%.2f", each->at(i));
        mcp_put_end(w);
    }
    mcp_put_end(w);
    mcp_put_end(w);
    mcp_put_end(w);
}

static double rounded(double x) { return (double)(long)(x * 100 + (x < 0 ? -0.5 : 0.5)) / 100; }

static int explore(mcp_call *c) {
    const dataset *d = set_of(c);
    const variable *v = variable_of(d, mcp_arg_str(c, "variable"));
    if (!v)
        return mcp_failf(c, "%s has no variable %s; it has %s, %s and %s", d->name,
                         mcp_arg_str(c, "variable"), d->of[0].name, d->of[1].name, d->of[2].name);
    double min = v->at(0), max = min, sum = 0;
    int lowest = 0, highest = 0;
    for (int i = 0; i < d->rows; i++) {
        double x = v->at(i);
        sum += x;
        if (x < min) min = x, lowest = i;
        if (x > max) max = x, highest = i;
    }
    mcp_textf(c, "%s: %s of %d rows is %.2f %s on average, from %.2f (%s %d) to %.2f (%s %d).",
              d->title, v->title, d->rows, sum / d->rows, v->unit, min, d->row, lowest + 1, max,
              d->row, highest + 1);
    mcp_writer *w = mcp_structured(c);
    mcp_put_str(w, "data", d->name);
    mcp_put_str(w, "variable", v->name);
    mcp_put_str(w, "unit", v->unit);
    mcp_put_int(w, "rows", d->rows);
    mcp_put_num(w, "lowest", rounded(min));
    mcp_put_num(w, "mean", rounded(sum / d->rows));
    mcp_put_num(w, "highest", rounded(max));
    put_view(c, d, v, min, max);
    return MCP_OK;
}

static struct { char note[160]; } pins[20];
static size_t pinned;

/* Changes something: a page that is bound to it runs it by a click, and never by itself. */
static int pin(mcp_call *c) {
    const dataset *d = set_of(c);
    const variable *v = variable_of(d, mcp_arg_str(c, "variable"));
    if (!v) return mcp_fail(c, "no such variable");
    if (pinned == sizeof pins / sizeof *pins) return mcp_fail(c, "the board is full");
    snprintf(pins[pinned++].note, sizeof pins->note, "%s: %s", d->title, v->title);
    mcp_writer *w = mcp_structured(c);
    mcp_put_arr(w, "pins");
    for (size_t i = 0; i < pinned; i++) mcp_put_str(w, NULL, pins[i].note);
    mcp_put_end(w);
    return mcp_textf(c, "Pinned. There are %d on the board.", (int)pinned);
}

#ifdef EXPLORER /* the file with the array */
#include EXPLORER
#define PAGE .html = explorer_html
#else
#define PAGE .file = "explorer.html"
#endif
static const mcp_app explorer = { .uri = "ui://explorer", PAGE, .title = "Data explorer",
    .desc = "Charts and tables of the data sets here.", .prefers_border = MCP_ZERO };

#define WHICH \
    { .name = "data", .desc = "data set", .def = "harbour", .choices = "harbour|station|orchard", \
      .labels = "Harbour|Weather station|Orchard" }, \
    { .name = "variable", .desc = "tide, water, wind; high, low, rain; apples, tall, age. " \
                                  "The first, if not given" }
static const mcp_arg explore_args[] = {
    WHICH,
    { .name = "chart", .desc = "how it is drawn", .def = "line", .choices = "line|bars|dots" },
    { 0 } };
static const mcp_arg pin_args[] = { WHICH, { 0 } };
static const mcp_arg explore_out[] = {
    { .name = "data", .flags = MCP_REQUIRED }, { .name = "variable", .flags = MCP_REQUIRED },
    { .name = "unit", .flags = MCP_REQUIRED },
    { .name = "rows", .type = MCP_INTEGER, .flags = MCP_REQUIRED },
    { .name = "lowest", .type = MCP_NUMBER, .flags = MCP_REQUIRED },
    { .name = "mean", .type = MCP_NUMBER, .flags = MCP_REQUIRED },
    { .name = "highest", .type = MCP_NUMBER, .flags = MCP_REQUIRED }, { 0 } };

static const mcp_tool tools[] = {
    { .name = "explore", .desc = "Shows a variable of a data set, as a chart and a table.",
      .args = explore_args, .call = explore, .title = "Explore data", .out = explore_out,
      .hints = MCP_READ_ONLY | MCP_NOT_OPEN_WORLD, .app = &explorer },
    { .name = "pin", .desc = "Pins a variable to the board.", .args = pin_args, .call = pin,
      .hints = MCP_NOT_READ_ONLY | MCP_NOT_DESTRUCTIVE, .app = &explorer,
      .visibility = MCP_APP_ONLY },
    { 0 } };

int main(int argc, char **argv) {
    mcp_server_desc desc = { .name = "explorer", .version = "1.0.0", .tools = tools };
    if (argc < 2 || strcmp(argv[1], "--http") != 0) return mcp_serve_stdio(&desc);
    if (argc > 2) desc.http.port = atoi(argv[2]);
    return mcp_serve_http(&desc);
}
