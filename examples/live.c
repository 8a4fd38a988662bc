/* live.c - a view that lives on the server (MCP Apps): the model opens a monitor of this machine,
   its page keeps it up to date. Nothing is pushed: the page comes back after nextTick milliseconds,
   says which revision it has, and is told what that one lacks.

   The page is app/monitor.html, as in app.c. Linux: it reads /proc. */
#define MCP_IMPLEMENTATION
#include "mcp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __linux__
#include <dirent.h>
#endif

/* ---- inputs and outputs: which depend on which ---- */

enum { SORT = 1, FILTER = 2, TOP = 4, RATE = 8 };                       /* inputs */
enum { CPU = 1, MEMORY = 2, LOAD = 4, PROCESSES = 8, ALL = 15 };        /* outputs: all by time, */
static unsigned depends(unsigned inputs) { return inputs & (SORT | FILTER | TOP) ? PROCESSES : 0; }

typedef struct monitor { char sort[8], filter[32]; int top, rate; } monitor;
#define VIEW_STATE monitor
#include "views.h"
static view_store store;

static unsigned changed(bool is, unsigned input) { return is ? input : 0; }

/* Takes in what is given; which inputs that changed. */
static unsigned set_inputs(monitor *m, const mcp_json *given) {
    monitor was = *m;
    if (!m->top) strcpy(m->sort, "cpu"), m->top = 12, m->rate = 2000;
    if (mcp_get(given, "sort")) snprintf(m->sort, sizeof m->sort, "%s", mcp_get_str(given, "sort"));
    if (mcp_get(given, "filter"))
        snprintf(m->filter, sizeof m->filter, "%s", mcp_get_str(given, "filter"));
    if (mcp_get(given, "top")) m->top = (int)mcp_get_int(given, "top");
    if (mcp_get(given, "rate")) m->rate = (int)mcp_get_int(given, "rate");
    return changed(strcmp(was.sort, m->sort) != 0, SORT) |
           changed(strcmp(was.filter, m->filter) != 0, FILTER) |
           changed(was.top != m->top, TOP) | changed(was.rate != m->rate, RATE);
}

static void put_inputs(mcp_writer *w, const monitor *m) {
    mcp_put_obj(w, "inputs");
    mcp_put_str(w, "sort", m->sort);
    mcp_put_str(w, "filter", m->filter);
    mcp_put_int(w, "top", m->top);
    mcp_put_int(w, "rate", m->rate);
    mcp_put_end(w);
}

/* ---- what there is to see ---- */

typedef struct process {
    int pid; char name[32];
    double cpu, mib;                /* percent of the machine's processors, as one whole */
    unsigned long long ticks;
} process;
enum { PROCESS_MAX = 2048, HISTORY = 90 };
static struct {
    process list[PROCESS_MAX], before[PROCESS_MAX]; /* by pid; of this sample, of the one before */
    size_t count, before_count;
    double cpu, total_mib, free_mib, load[3];
    double history[HISTORY];        /* of cpu, the latest last */
    unsigned long long busy, all;   /* ticks since the machine started */
    bool there;
} now;

#ifdef __linux__
static const char *proc = "/proc";

static bool read_file(char *buf, size_t n, const char *dir, const char *name) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s/%s", proc, dir, name);
    FILE *f = fopen(path, "r");
    size_t got = f ? fread(buf, 1, n - 1, f) : 0;
    if (f) fclose(f);
    buf[got] = 0;
    return got > 0;
}

static unsigned long long number_after(const char *text, const char *key) {
    const char *at = strstr(text, key);
    return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

static int by_pid(const void *a, const void *b) {
    return ((const process *)a)->pid - ((const process *)b)->pid;
}

/* pid (name) state ppid ...: the name may hold anything; what follows begins at the last ')' */
static void add_process(const char *dir) {
    char text[1024];
    process p = { atoi(dir), "", 0, 0, 0 };
    if (p.pid <= 0 || now.count == PROCESS_MAX) return;
    if (!read_file(text, sizeof text, dir, "stat")) return; /* it has just ended */
    char *name = strchr(text, '('), *end = strrchr(text, ')');
    if (!name || !end || end < name) return;
    snprintf(p.name, sizeof p.name, "%.*s", (int)(end - name - 1), name + 1);
    unsigned long long user = 0, system = 0;
    if (sscanf(end + 1, " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu %llu", &user,
               &system) != 2) return;
    p.ticks = user + system;
    unsigned long long pages = 0;
    if (read_file(text, sizeof text, dir, "statm")) sscanf(text, "%*s %llu", &pages);
    p.mib = (double)pages / 256;
    now.list[now.count++] = p;
}

/* Of the ticks of all processors since the last look, those that were busy. false: no /proc. */
static bool sample_processors(unsigned long long *passed) {
    char text[1024];
    unsigned long long t[8] = { 0 }, all = 0;
    if (!read_file(text, sizeof text, ".", "stat") ||
        sscanf(text, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &t[0], &t[1], &t[2], &t[3],
               &t[4], &t[5], &t[6], &t[7]) < 4) return false;
    for (int i = 0; i < 8; i++) all += t[i];
    unsigned long long busy = all - t[3] - t[4];
    *passed = all - now.all;
    if (now.there && *passed) now.cpu = 100.0 * (double)(busy - now.busy) / (double)*passed;
    now.busy = busy, now.all = all;
    return true;
}

static void sample_processes(DIR *d, unsigned long long passed) {
    memcpy(now.before, now.list, sizeof now.list);
    now.before_count = now.count;
    now.count = 0;
    for (struct dirent *e; (e = readdir(d)) != NULL;) add_process(e->d_name);
    qsort(now.list, now.count, sizeof *now.list, by_pid);
    for (size_t i = 0, j = 0; i < now.count; i++) {
        process *p = &now.list[i];
        while (j < now.before_count && now.before[j].pid < p->pid) j++;
        bool known = j < now.before_count && now.before[j].pid == p->pid &&
                     now.before[j].ticks <= p->ticks;
        if (known) p->cpu = 100.0 * (double)(p->ticks - now.before[j].ticks) / (double)passed;
    }
}

static bool sample(void) {
    char text[8192];
    unsigned long long passed = 0;
    DIR *d = opendir(proc);
    bool ok = d && sample_processors(&passed);
    if (ok && passed) { /* else it is asked again within one tick */
        sample_processes(d, passed);
        if (read_file(text, sizeof text, ".", "meminfo")) {
            now.total_mib = (double)number_after(text, "MemTotal:") / 1024;
            now.free_mib = (double)number_after(text, "MemAvailable:") / 1024;
        }
        if (read_file(text, sizeof text, ".", "loadavg"))
            sscanf(text, "%lf %lf %lf", &now.load[0], &now.load[1], &now.load[2]);
        memmove(now.history, now.history + 1, (HISTORY - 1) * sizeof *now.history);
        now.history[HISTORY - 1] = now.cpu;
        now.there = true;
    }
    if (d) closedir(d);
    return ok;
}
#else
static bool sample(void) { return false; }
#endif

static int by_cpu(const void *a, const void *b) {
    const process *p = (const process *)a, *q = (const process *)b;
    return p->cpu != q->cpu ? (p->cpu < q->cpu) - (p->cpu > q->cpu) : p->pid - q->pid;
}
static int by_memory(const void *a, const void *b) {
    const process *p = (const process *)a, *q = (const process *)b;
    return p->mib != q->mib ? (p->mib < q->mib) - (p->mib > q->mib) : p->pid - q->pid;
}
static int by_name(const void *a, const void *b) {
    const process *p = (const process *)a, *q = (const process *)b;
    int order = strcmp(p->name, q->name);
    return order ? order : p->pid - q->pid;
}

/* What this view looks at, in its order. */
static const process *chosen(const monitor *m, size_t *n) {
    static process some[PROCESS_MAX];
    *n = 0;
    for (size_t i = 0; i < now.count; i++)
        if (strstr(now.list[i].name, m->filter)) some[(*n)++] = now.list[i];
    qsort(some, *n, sizeof *some, *m->sort == 'm' ? by_memory : *m->sort == 'n' ? by_name : by_cpu);
    if (*n > (size_t)m->top) *n = (size_t)m->top;
    return some;
}

static void put_chart(mcp_call *c, mcp_writer *w) {
    size_t room = 16 * HISTORY, n = 0;
    char *line = (char *)mcp_alloc(c, room); /* "M0 100.0L1 99.9..." */
    if (!line) return;
    for (int i = 0; i < HISTORY; i++)
        n += (size_t)snprintf(line + n, room - n, "%c%d %.1f", i ? 'L' : 'M', i,
                              100 - now.history[i]);
    mcp_put_strf(w, "chart", "<svg viewBox='0 0 %d 100' preserveAspectRatio='none' role='img' "
                 "aria-label='Processors over time'><path class='area' d='%sV100H0Z'/>"
                 "<path class='line' d='%s'/></svg>", HISTORY - 1, line, line);
}

static void put_processes(mcp_writer *w, const monitor *m) {
    size_t n;
    const process *p = chosen(m, &n);
    mcp_put_obj(w, "processes");
    mcp_put_arr(w, "columns");
    mcp_put_str(w, NULL, "Process"), mcp_put_str(w, NULL, "PID");
    mcp_put_str(w, NULL, "CPU %"), mcp_put_str(w, NULL, "MiB");
    mcp_put_end(w);
    mcp_put_arr(w, "rows");
    for (size_t i = 0; i < n; i++) {
        mcp_put_arr(w, NULL);
        mcp_put_str(w, NULL, p[i].name);
        mcp_put_int(w, NULL, p[i].pid);
        mcp_put_strf(w, NULL, "%.1f", p[i].cpu);
        mcp_put_strf(w, NULL, "%.1f", p[i].mib);
        mcp_put_end(w);
    }
    mcp_put_end(w);
    mcp_put_end(w);
}

static void put_outputs(mcp_call *c, mcp_writer *w, const monitor *m, unsigned outputs,
                        bool chart) {
    mcp_put_obj(w, "outputs");
    if (outputs & CPU) mcp_put_strf(w, "cpu", "%.0f", now.cpu);
    if (outputs & CPU && chart) put_chart(c, w);
    if (outputs & MEMORY) {
        double used = now.total_mib - now.free_mib;
        mcp_put_strf(w, "memory", "%.1f of %.1f GiB", used / 1024, now.total_mib / 1024);
        mcp_put_strf(w, "memoryPercent", "%.0f", 100 * used / (now.total_mib + 1e-9));
    }
    if (outputs & LOAD)
        mcp_put_strf(w, "load", "%.2f  %.2f  %.2f", now.load[0], now.load[1], now.load[2]);
    if (outputs & PROCESSES) put_processes(w, m);
    mcp_put_end(w);
}

/* ---- the tools ---- */

/* For the page: what its revision lacks. */
static void put_view(mcp_call *c, view *v, unsigned outputs, bool restarted) {
    mcp_writer *w = mcp_result_meta(c);
    mcp_put_obj(w, "example.com/live");
    mcp_put_str(w, "view", v->id);
    mcp_put_int(w, "revision", ++v->revision);
    mcp_put_bool(w, "restarted", restarted);
    mcp_put_int(w, "nextTick", v->state.rate);
    if (outputs == ALL) put_inputs(w, &v->state);
    put_outputs(c, w, &v->state, outputs, true);
    mcp_put_end(w);
}

/* The view that is meant, or a new one in its place; NULL: it is answered. */
static view *view_meant(mcp_call *c, bool *gone) {
    const char *id = mcp_arg_str(c, "view"), *owner = mcp_caller_of(c)->principal;
    view *v = view_find(&store, id, owner, (int64_t)time(NULL));
    *gone = !v && *id;
    if (!v) v = view_open(&store, owner, (int64_t)time(NULL));
    if (!v) mcp_fail(c, "the name of who asks is too long");
    if (v && !sample()) mcp_fail(c, "this machine has no /proc to read"), view_close(v), v = NULL;
    return v;
}

/* The model opens a view, or changes one that is open. */
static int live(mcp_call *c) {
    bool gone;
    view *v = view_meant(c, &gone);
    if (!v) return MCP_OK;
    set_inputs(&v->state, mcp_args(c));
    size_t n;
    const process *p = chosen(&v->state, &n);
    mcp_textf(c, "Processors are %.0f%% busy, %.1f of %.1f GiB of memory are in use. %s: %s. "
              "View %s shows it.", now.cpu, (now.total_mib - now.free_mib) / 1024,
              now.total_mib / 1024, *v->state.sort == 'm' ? "Largest" : "First",
              n ? p->name : "nothing", v->id);
    mcp_writer *w = mcp_structured(c);
    mcp_put_str(w, "view", v->id);
    put_inputs(w, &v->state);
    put_outputs(c, w, &v->state, ALL, false);
    put_view(c, v, ALL, gone);
    return MCP_OK;
}

/* Its page: an update by revision, or the end. */
static int live_view(mcp_call *c) {
    bool gone, tick = mcp_arg_bool(c, "tick");
    if (!strcmp(mcp_arg_str(c, "action"), "close")) {
        view *v = view_find(&store, mcp_arg_str(c, "view"), mcp_caller_of(c)->principal,
                            (int64_t)time(NULL));
        if (v) view_close(v);
        return mcp_text(c, v ? "Closed." : "It was not open.");
    }
    view *v = view_meant(c, &gone);
    if (!v) return MCP_OK;
    bool stale = gone || mcp_arg_int(c, "revision") != v->revision;
    unsigned news = depends(set_inputs(&v->state, mcp_get(mcp_args(c), "inputs")));
    unsigned outputs = stale || tick ? (unsigned)ALL : news;
    put_view(c, v, outputs, gone);
    return mcp_textf(c, "View %s is at revision %d.", v->id, (int)v->revision);
}

#ifdef MONITOR /* the file with the array */
#include MONITOR
#define PAGE .html = monitor_html
#else
#define PAGE .file = "monitor.html"
#endif
static const mcp_app page = { .uri = "ui://live", PAGE, .title = "Monitor",
                              .desc = "Processors, memory and processes, as they change." };

#define INPUTS \
    { .name = "sort", .desc = "what comes first", .choices = "cpu|memory|name" }, \
    { .name = "filter", .desc = "part of a process's name", .max_length = 31 }, \
    { .name = "top", .type = MCP_INTEGER, .desc = "how many processes", .min = "1", .max = "50" }, \
    { .name = "rate", .type = MCP_INTEGER, .desc = "ms from look to look", .min = "250", \
      .max = "60000" }
static const mcp_arg inputs[] = { INPUTS, { 0 } };
static const mcp_arg live_args[] = {
    { .name = "view", .desc = "an open view; a new one if absent", .max_length = 23 }, INPUTS,
    { 0 } };
static const mcp_arg view_args[] = {
    { .name = "action", .def = "update", .choices = "update|close" },
    { .name = "view", .flags = MCP_REQUIRED, .max_length = 23 },
    { .name = "revision", .type = MCP_INTEGER, .desc = "that the page has", .def = "0" },
    { .name = "inputs", .type = MCP_OBJECT,
      .desc = "that changed; all of them, if the page has no revision", .of = inputs },
    { .name = "tick", .type = MCP_BOOLEAN, .desc = "nextTick has passed", .def = "false" },
    { 0 } };

static const mcp_tool tools[] = {
    { .name = "live", .desc = "Opens or changes a live monitor of this machine.",
      .args = live_args, .call = live, .title = "Monitor this machine", .hints = MCP_READ_ONLY,
      .app = &page },
    { .name = "live_view", .desc = "What a monitor's page lacks.", .args = view_args,
      .call = live_view, .hints = MCP_READ_ONLY, .app = &page, .visibility = MCP_APP_ONLY },
    { 0 } };

int main(int argc, char **argv) {
    mcp_server_desc desc = { .name = "live", .version = "1.0.0", .tools = tools };
    if (argc < 2 || strcmp(argv[1], "--http") != 0) return mcp_serve_stdio(&desc);
    if (argc > 2) desc.http.port = atoi(argv[2]);
    return mcp_serve_http(&desc);
}
