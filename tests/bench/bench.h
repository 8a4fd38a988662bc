/* bench.h - what the benchmark's programs share: rows of the table, documents, and races

   Every program prints its rows with row(), tab separated; table.awk makes the table and the
   verdicts of them. In a race the same work is done by several lanes, round by round, each lane in
   every round, and what counts is the median of the ratios within one round: other load on the
   machine slows all of them. Times are the thread's CPU time. */
#ifndef BENCH_H
#define BENCH_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static inline void die(const char *what, const char *why) {
    fflush(stdout);
    fprintf(stderr, "bench: %s: %s\n", what, why);
    exit(1);
}

static inline void *bench_alloc(size_t n) {
    void *p = calloc(1, n);
    if (!p) die("memory", "there is not enough");
    return p;
}

/* ---- rows ---- */

enum { GATE = 'g', RATIO = 't', INFO = 'i' };   /* must be met; prints MISSED; has no goal */

/* sense is '>' or '<': value must be at least, or at most, the goal. */
static inline void row(const char *number, const char *what, double value, const char *unit,
                       char sense, double goal, char kind, const char *notes) {
    printf("%s\t%s\t%.6g\t%s\t%c\t%.6g\t%c\t%s\n", number, what, value, unit, sense, goal, kind,
           notes);
}

/* ---- documents ---- */

enum { BEFORE = 64, BEHIND = 256 };             /* zero bytes around a document */

typedef struct bytes { char *at; size_t n; } bytes;

static inline bytes bench_file(const char *folder, const char *name) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "rb");
    if (!f) die(path, "cannot be read");
    fseek(f, 0, SEEK_END);
    bytes b = { NULL, (size_t)ftell(f) };
    rewind(f);
    b.at = (char *)bench_alloc(BEFORE + b.n + BEHIND) + BEFORE;
    if (!b.n || fread(b.at, 1, b.n, f) != b.n) die(path, "cannot be read whole");
    fclose(f);
    return b;
}

/* ---- races ---- */

enum { ROUNDS = 41, LANES = 8 };

typedef struct lane {
    void (*reset)(void *at);                    /* undoes what a run changed, not timed; or NULL */
    void (*run)(void *at);
    void *at;
    unsigned times;                             /* runs a round */
    double took[ROUNDS];                        /* seconds a run */
} lane;

static inline double bench_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds a run; the first is not timed: other lanes had the caches. */
static inline double bench_run(lane *l) {
    double took = 0;
    for (unsigned i = 0; i <= l->times; i++) {
        double from = bench_now();
        l->run(l->at);
        if (i) took += bench_now() - from;
        if (l->reset) l->reset(l->at);
    }
    return took / l->times;
}

/* As many rounds as the time allows, at least 5; returns how many, always odd. */
static inline size_t race(lane *lanes, size_t n, double seconds) {
    size_t round = 0;
    double begun = bench_now();
    for (size_t i = 0; i < n; i++) {            /* see how long it takes */
        lanes[i].times = 1;
        double one = bench_run(&lanes[i]);
        lanes[i].times = one < 1e-3 ? (unsigned)(1e-3 / (one + 1e-6)) + 1 : 1;
    }
    while (round < ROUNDS && (round < 5 || round % 2 == 0 || bench_now() - begun < seconds)) {
        for (size_t i = 0; i < n; i++) {
            lane *l = &lanes[(i + round) % n];
            l->took[round] = bench_run(l);
        }
        round++;
    }
    return round;
}

static inline int bench_order(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static inline double median(double *v, size_t n) {
    qsort(v, n, sizeof *v, bench_order);
    return v[n / 2];
}

/* How many times as fast as its peer a lane was. */
static inline double faster(const lane *mine, const lane *peer, size_t rounds) {
    double v[ROUNDS];
    for (size_t i = 0; i < rounds; i++) v[i] = peer->took[i] / mine->took[i];
    return median(v, rounds);
}

#endif
