/* count.c - instructions a byte, under valgrind --tool=callgrind --collect-atstart=no: count FOLDER

   Each piece of work is done once to warm up, then once counted, on fresh copies. Callgrind writes
   one file for each, which says in its trigger what was counted and in how many bytes:
   "200433 tools_list pull". */
#include "bench.h"
#include "lanes.h"

#include <valgrind/callgrind.h>

static void count(const char *what, const char *name, bytes text, read_func *read) {
    char trigger[128];
    const size_t whole = BEFORE + text.n + BEHIND;
    char *copy = (char *)bench_alloc(whole);
    snprintf(trigger, sizeof trigger, "%zu %s %s", text.n, name, what);
    memcpy(copy, text.at - BEFORE, whole);
    read(copy + BEFORE, text.n);
    memcpy(copy, text.at - BEFORE, whole);
    CALLGRIND_TOGGLE_COLLECT;
    read(copy + BEFORE, text.n);
    CALLGRIND_TOGGLE_COLLECT;
    CALLGRIND_DUMP_STATS_AT(trigger);
    free(copy);
}


int main(int argc, char **argv) {
    static const char *const names[] = {
        "call_small", "tools_list", "str_code_1m", "str_escapes_1m", "str_plain_1m", "image_64k",
        "num_int", "num_double17", "num_double_short", "uni_cjk", "uni_mixed", "uni_cjk_escaped",
        "twitter", "canada", "citm_catalog" };
    if (argc != 2) die("count", "FOLDER");
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        char file[64];
        snprintf(file, sizeof file, "%s.json", names[i]);
        bytes text = bench_file(argv[1], file);
        count("pull", names[i], text, mine_pull);
        count("check", names[i], text, mine_check);
        count("check + walk", names[i], text, mine_walk);
        free(text.at - BEFORE);
    }
    return 0;
}
