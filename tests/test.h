/* test.h - a test suite is one C file: TEST(name) { CHECK(...); } and at its end

       int main(void) { RUN(name); RUN(other); return DONE(); }

   A failed check prints where and what, and the test goes on. DONE prints "N passed, N failed" and
   gives the exit status. A TEST that nobody RUNs is an unused function: the compiler tells. What
   cannot run on this platform is SKIPped and never counted as passed. */
#ifndef TEST_H
#define TEST_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define TEST(name) static void test_##name(void)
#define RUN(name) test__run(#name, test_##name)
#define SKIP(name, why) (test__skipped++, printf("  %s: not built: %s\n", #name, why))
#define DONE() test__done()

#define CHECK(x) test__check(!!(x), __FILE__, __LINE__, #x)
#define CHECK_INT(a, b) test__int((intmax_t)(a), (intmax_t)(b), __FILE__, __LINE__, #a " == " #b)
#define CHECK_NUM(a, b) test__num(a, b, __FILE__, __LINE__, #a " == " #b)
#define CHECK_STR(a, b) test__str(a, b, __FILE__, __LINE__, #a " == " #b)
#define CHECK_MEM(a, n, b, m) test__mem(a, n, b, m, __FILE__, __LINE__, #a " == " #b)

#ifdef __GNUC__
#define TEST__UNUSED __attribute__((unused))
#else
#define TEST__UNUSED
#endif

static int test__passed, test__failed, test__skipped;
static const char *test__name = "";
static int test__bad; /* checks failed in the test that runs */

static TEST__UNUSED bool test__check(bool ok, const char *file, int line, const char *what) {
    if (ok) return true;
    test__bad++;
    printf("%s:%d: %s: failed: %s\n", file, line, test__name, what);
    return false;
}

static TEST__UNUSED bool test__int(intmax_t a, intmax_t b, const char *file, int line,
                                   const char *what) {
    if (test__check(a == b, file, line, what)) return true;
    printf("    left:  %lld\n    right: %lld\n", (long long)a, (long long)b);
    return false;
}

static TEST__UNUSED bool test__num(double a, double b, const char *file, int line,
                                   const char *what) {
    if (test__check(!memcmp(&a, &b, sizeof a), file, line, what)) return true; /* -0 is not 0 */
    printf("    left:  %.17g\n    right: %.17g\n", a, b);
    return false;
}

static TEST__UNUSED void test__print(const char *side, const char *s, size_t n) {
    printf("    %s ", side);
    for (size_t i = 0; s && i < n; i++)
        if ((unsigned char)s[i] < 32 || s[i] == '\\') printf("\\x%02x", (unsigned)s[i]);
        else putchar(s[i]);
    printf("%s\n", s ? "" : "(null)");
}

static TEST__UNUSED bool test__mem(const void *a, size_t n, const void *b, size_t m,
                                   const char *file, int line, const char *what) {
    bool same = n == m && (!n || !memcmp(a, b, n));
    if (test__check(same, file, line, what)) return true;
    test__print("left: ", (const char *)a, n);
    test__print("right:", (const char *)b, m);
    return false;
}

static TEST__UNUSED bool test__str(const char *a, const char *b, const char *file, int line,
                                   const char *what) {
    if (a && b) return test__mem(a, strlen(a), b, strlen(b), file, line, what);
    if (test__check(a == b, file, line, what)) return true;
    test__print("left: ", a, a ? strlen(a) : 0);
    test__print("right:", b, b ? strlen(b) : 0);
    return false;
}

static TEST__UNUSED void test__run(const char *name, void (*func)(void)) {
    test__name = name;
    test__bad = 0;
    func();
    if (test__bad) test__failed++;
    else test__passed++;
}

static TEST__UNUSED int test__done(void) {
    printf("%d passed, %d failed", test__passed, test__failed);
    if (test__skipped) printf(", %d skipped", test__skipped);
    return puts(""), test__failed || !test__passed;
}

#endif
