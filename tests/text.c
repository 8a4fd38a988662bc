/* text.c - UTF-8, numbers, printf and base64 against the plainest code that does the same */
#define MCP_IMPLEMENTATION
#define MCP_TOOLS_ONLY /* and so on: the layers above compile slowly and are not looked at */
#define MCP_NO_CLIENT
#define MCP_NO_HTTP
#include "mcp.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "test.h"

static uint64_t seed = 88172645463325252u;

static uint64_t rnd(void) { /* xorshift: the same numbers every time */
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static double from_bits(uint64_t bits) {
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

/* An allocator that gives dirty memory and knows what is still out. */
static size_t allocated;

static void *dirty(void *user, void *p, size_t was, size_t size) {
    (void)user;
    allocated += size - was;
    if (!size) {
        free(p);
        return NULL;
    }
    char *fresh = (char *)realloc(p, size);
    if (fresh && size > was) memset(fresh + was, 0xA5, size - was);
    return fresh;
}

static const mcp__mem heap = { { dirty, NULL } };

static mcp__buf new_buf(size_t max) {
    mcp__buf b;
    memset(&b, 0, sizeof b);
    b.mem = &heap;
    b.max = max;
    return b;
}

/* -- UTF-8 -- */

/* Decodes one code point after the other, and looks at what came out. */
static size_t plain_valid(const char *s, size_t n) {
    const unsigned char *u = (const unsigned char *)s;
    static const uint32_t least[5] = { 0, 0, 0x80, 0x800, 0x10000 };
    for (size_t i = 0, k; i < n; i += k) {
        uint32_t c = u[i];
        k = c < 0x80 ? 1 : c < 0xC0 ? 0 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : c < 0xF8 ? 4 : 0;
        if (k == 1) continue;
        if (!k || i + k > n) return i;
        c &= 0x7Fu >> k;
        for (size_t j = 1; j < k; j++) {
            if ((u[i + j] & 0xC0) != 0x80) return i;
            c = c << 6 | (u[i + j] & 63);
        }
        if (c < least[k] || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) return i;
    }
    return n;
}

/* Every four bytes that border on something, at every distance from a vector's end, in plain text,
   behind all lengths of sequences, and amid sequences of three bytes. Then once more as a string in
   its quotes, with anything behind them. */
TEST(utf8_boundaries) {
    static const unsigned char edge[] = {
        0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF,
        0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xF8, 0xFF };
    static const char wide[] = "\xE4\xB8\xAD\xC3\xA9\xF0\x9F\x98\x80", *const three = wide;
    enum { EDGES = sizeof edge };
    long wrong = 0;
    for (unsigned long t = 0; t < (unsigned long)EDGES * EDGES * EDGES * EDGES; t++) {
        size_t before = t % 71, after = t % 67;
        char text[160 + MCP__V], *end;
        memset(text, 'a', sizeof text);
        end = text + before;
        for (size_t i = 0; t % 3 == 1 && i + 3 <= before; i += 3) memcpy(text + i, three, 3);
        for (unsigned long u = t, i = 0; i < 4; i++, u /= EDGES) *end++ = (char)edge[u % EDGES];
        for (size_t i = 0; t % 3 == 1 && i + 3 <= after; i += 3) memcpy(end + i, three, 3);
        if (t % 3 == 2) memcpy(text, wide, before < 9 ? 0 : 9);
        size_t n = (size_t)(end - text) + after, valid = plain_valid(text, n);
        char *exact = (char *)malloc(n); /* so that a byte too far is seen */
        memcpy(exact, text, n);
        bool same = mcp__utf8_valid(exact, n) == valid;
        free(exact);
        exact = (char *)malloc(n + 1 + MCP__V);
        memset(exact, (int)edge[t / 71 % EDGES], n + 1 + MCP__V);
        memcpy(exact, text, n);
        exact[n] = '"';
        same = same && mcp__utf8_quoted(exact, n) == (valid == n);
        free(exact);
        if (!same && wrong++ < 5) printf("    case %lu: %zu before, %zu after\n", t, before, after);
    }
    CHECK_INT(wrong, 0);
}

TEST(utf8_counts_and_parts) {
    size_t need;
    CHECK_INT(mcp__utf8_valid(NULL, 0), 0);
    CHECK_INT(mcp__utf8_count("a\xC3\xA9\xE4\xB8\xAD\xF0\x9F\x98\x80", 10), 4);
    CHECK_INT(mcp__utf8_fit("\xF0\x9F\x98", 3, &need), 3); /* three of four */
    CHECK_INT(need, 4);
    CHECK_INT(mcp__utf8_fit("\xE0\x80\x80", 3, &need), 1); /* an overlong form starts nothing */
    CHECK_INT(mcp__utf8_fit("\xC0\x80", 2, &need), 1);
    CHECK_INT(need, 0);
    char out[5];
    *mcp__utf8_put(out, 0x20AC) = 0;
    CHECK_STR(out, "\xE2\x82\xAC");
    *mcp__utf8_put(out, 0x10FFFF) = 0;
    CHECK_STR(out, "\xF4\x8F\xBF\xBF");
}

/* -- numbers -- */

static const char *shown(double v) {
    static char text[65];
    *mcp__print_double(text, v) = 0;
    return text;
}

/* ECMA-262 Number::toString, with its borders */
TEST(doubles_as_javascript_writes_them) {
    CHECK_STR(shown(0), "0");
    CHECK_STR(shown(-0.0), "-0");
    CHECK_STR(shown(0.1), "0.1");
    CHECK_STR(shown(-1.5), "-1.5");
    CHECK_STR(shown(100), "100");
    CHECK_STR(shown(1e21), "1e+21");
    CHECK_STR(shown(123456789012345680000.0), "123456789012345680000");
    CHECK_STR(shown(1e-6), "0.000001");
    CHECK_STR(shown(1.25e-7), "1.25e-7");
    CHECK_STR(shown(5e-324), "5e-324");
    CHECK_STR(shown(1.7976931348623157e308), "1.7976931348623157e+308");
    CHECK_STR(shown(2.2250738585072014e-308), "2.2250738585072014e-308");
    CHECK_STR(shown(9007199254740993.0), "9007199254740992");
    CHECK_STR(shown(0.30000000000000004), "0.30000000000000004");
    CHECK_STR(shown(1099511627775.999), "1099511627775.999");
    CHECK_STR(shown(123456.7), "123456.7");
    CHECK_STR(shown(0.001), "0.001");
    CHECK_STR(shown(4.35), "4.35");
}

static size_t digits_of(const char *s) { /* that count */
    size_t n = 0, zeros = 0;
    for (; *s && *s != 'e'; s++) {
        if (*s < '0' || *s > '9' || (!n && *s == '0')) continue;
        zeros = *s == '0' ? zeros + 1 : 0;
        n++;
    }
    return n - zeros;
}

/* Random doubles of five kinds come back as they were, and no shorter text does; those of few
   decimals are written as all the others are. */
TEST(doubles_round_trip_and_are_shortest) {
    static const double ten_to[10] = { 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9 };
    long wrong = 0, other = 0;
    for (long i = 0; i < 500000; i++) {
        uint64_t bits = rnd();
        double v = from_bits(bits), back;
        if (i % 5 == 1) v = (double)(int64_t)(bits % 2000001) / 1000 - 1000;
        if (i % 5 == 2) v = (double)(bits >> 11) / 9007199254740992.0;
        if (i % 5 == 3) v = from_bits(bits & (uint64_t)0xFFF << 52);
        if (i % 5 == 4) v = (double)(bits >> (12 + bits % 50)) / ten_to[i % 10];
        if (i % 5 == 4 && bits & 1) memcpy(&bits, &v, 8), v = from_bits(bits + (i & 2) - 1);
        if (v - v != 0) continue;
        const char *text = shown(v);
        memcpy(&bits, &v, 8);
        if (bits << 1) {
            char long_way[65], *end = long_way;
            int exponent;
            if (bits >> 63) *end++ = '-';
            uint64_t digits = mcp__shortest(bits << 1 >> 1, &exponent);
            *mcp__layout(end, digits, exponent) = 0;
            if (strcmp(text, long_way) && other++ < 5) printf("    %s: %s\n", long_way, text);
        }
        mcp__num x;
        char fewer[64];
        CHECK_INT(mcp__num_parse(text, strlen(text), &x), MCP_OK);
        CHECK_INT(mcp__num_double(&x, &back), MCP_OK);
        bool same = !memcmp(&back, &v, sizeof v);
        size_t n = digits_of(text);
        snprintf(fewer, sizeof fewer, "%.*e", n > 1 ? (int)n - 2 : 0, v);
        CHECK_INT(mcp__num_parse(fewer, strlen(fewer), &x), MCP_OK);
        int status = mcp__num_double(&x, &back); /* beyond all doubles if it was rounded up */
        bool shortest = n <= 1 || status != MCP_OK || back != v;
        if ((!same || !shortest) && wrong++ < 5) printf("    %.17g: %s\n", v, text);
    }
    CHECK_INT(wrong, 0);
    CHECK_INT(other, 0);
}

TEST(integers_print) {
    char out[32];
    for (long i = 0; i < 200000; i++) {
        int64_t v = (int64_t)rnd() >> i % 64;
        char want[32];
        snprintf(want, sizeof want, "%lld", (long long)v);
        *mcp__print_int(out, v) = 0;
        if (strcmp(out, want)) CHECK_STR(out, want);
    }
    *mcp__print_int(out, INT64_MIN) = 0;
    CHECK_STR(out, "-9223372036854775808");
}

static int parse(const char *s, mcp__num *x) { /* from memory that ends with the text */
    size_t n = strlen(s);
    char *exact = (char *)malloc(n + !n);
    memcpy(exact, s, n);
    int status = mcp__num_parse(exact, n, x);
    if (status == MCP_OK) x->text = s;
    else x->text = s + (x->text - exact);
    free(exact);
    return status;
}

/* Grammar: the ^ says which byte is the first that cannot be. */
TEST(number_grammar) {
    static const struct { const char *text; int at; } bad[] = {
        { "", 0 },    { "-", 1 },      { "01", 1 },    { "-01", 2 },   { "1.", 2 },
        /* ^             -^               0^              -0^             1.^ */
        { ".5", 0 },  { "+1", 0 },     { "1e", 2 },    { "1e+", 3 },   { "1.e1", 2 },
        { "1 ", 1 },  { "0x10", 1 },   { "--1", 1 },   { "1-2", 1 },   { "NaN", 0 },
        { "1_0", 1 }, { "1.5e3x", 5 }, { "1e5.5", 3 } };
    mcp__num x;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_INT(parse(bad[i].text, &x), MCP_SYNTAX);
        if (!CHECK_INT(x.text - bad[i].text, bad[i].at)) printf("    %s\n", bad[i].text);
    }
    static const char *const good[] = {
        "0", "-0", "10", "0.0", "1e5", "1E+5", "1.25e-5", "123456789.125" };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) CHECK_INT(parse(good[i], &x), MCP_OK);
}

static int integer(const char *s, int64_t *v) {
    mcp__num x;
    CHECK_INT(parse(s, &x), MCP_OK);
    return mcp__num_int(&x, v);
}

TEST(integers_of_any_spelling) {
    static const struct { const char *text; int status; int64_t v; } t[] = {
        { "3", MCP_OK, 3 }, { "3.0", MCP_OK, 3 }, { "1e2", MCP_OK, 100 }, { "-0", MCP_OK, 0 },
        { "1.5", MCP_SYNTAX, 0 }, { "1e-1", MCP_SYNTAX, 0 }, { "150e-1", MCP_OK, 15 },
        { "9223372036854775807", MCP_OK, INT64_MAX }, { "9223372036854775808", MCP_LIMIT, 0 },
        { "-9223372036854775808", MCP_OK, INT64_MIN }, { "-9223372036854775809", MCP_LIMIT, 0 },
        { "9223372036854775807.000000000000", MCP_OK, INT64_MAX },
        { "9223372036854775807.000000000001", MCP_SYNTAX, 0 },
        { "922337203685477580.7e1", MCP_OK, INT64_MAX }, { "18446744073709551616", MCP_LIMIT, 0 },
        { "1e400", MCP_LIMIT, 0 }, { "1e-400", MCP_SYNTAX, 0 },
        { "0e99999999999999999999", MCP_OK, 0 },
        { "1e99999999999999999999", MCP_LIMIT, 0 }, { "1e-99999999999999999999", MCP_SYNTAX, 0 },
        { "100000000000000000000e-20", MCP_OK, 1 },
        { "100000000000000000000000000e-26", MCP_OK, 1 },
        { "123456789012345678901234567890", MCP_LIMIT, 0 },
        { "1.0000000000000000000000001", MCP_SYNTAX, 0 },
        { "0.00000000000000000000000000000001e32", MCP_OK, 1 },
        { "12345678901234567890e-1", MCP_OK, 1234567890123456789 } };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        int64_t v = -1;
        if (!CHECK_INT(integer(t[i].text, &v), t[i].status)) printf("    %s\n", t[i].text);
        CHECK_INT(v, t[i].v);
    }
}

static int compare(const char *a, const char *b) {
    mcp__num x, y;
    CHECK_INT(parse(a, &x), MCP_OK);
    CHECK_INT(parse(b, &y), MCP_OK);
    return mcp__num_compare(&x, &y);
}

/* In order, with neighbours that no double can tell apart. */
TEST(numbers_compare_exactly) {
    static const char *const up[] = {
        "-1e400", "-2", "-1.00000000000000000000000000000001", "-1", "-1e-400", "0", "1e-400",
        "0.1", "0.10000000000000000000000000000001", "1", "9", "10",
        "9007199254740992", "9007199254740993",
        "9007199254740993.5", "123456789012345678901234567890", "123456789012345678901234567891",
        "1e400", "1e401", "1e99999999999999999" };
    int n = sizeof up / sizeof *up;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int c = compare(up[i], up[j]), want = (i > j) - (i < j);
            if (!CHECK_INT(c, want)) printf("    %s, %s\n", up[i], up[j]);
        }
    CHECK_INT(compare("100", "1e2"), 0);
    CHECK_INT(compare("0.001", "1E-3"), 0);
    CHECK_INT(compare("-0", "0e5"), 0);
    CHECK_INT(compare("1000000000000000000000000000000", "1e30"), 0);
}

/* Half of the smallest double there is, to the last digit */
#define HALF_OF_LEAST "2." \
    "4703282292062327208828439643411068618252990130716238221279284125033775363510437593264991" \
    "8180817996189898282347722858865463328355177969898199387398005390939063150356595155702263" \
    "9229085839244910518443593180284993653615250031937045767824921936562366986365848075700158" \
    "5769269903706311928279558551332927834338409351978015531246597263579574622766465272827220" \
    "0563740064854999770965994704540208281662262378573934507363390079677619305775067401763246" \
    "7360096895134053553745851666113422376667860416215968046191446729184030053005753084904876" \
    "5391711386591646239524912623653881879636239373280423891018672348497668235089863388587925" \
    "6283027559956575244555072551893136908362547791869486679949683240497058210285131854513962" \
    "13837722826145437693412532098591327667236328125"

/* Halfway between two doubles, and a little more and less, with very many digits. */
TEST(doubles_of_long_texts) {
    static const struct { const char *text; double v; } t[] = {
        { "9007199254740993", 9007199254740992.0 }, /* a tie: to even */
        { "9007199254740993.00000000000000000000000000000000001", 9007199254740994.0 },
        { "9007199254740992.99999999999999999999999999999999999", 9007199254740992.0 },
        { "9007199254740995", 9007199254740996.0 },
        { HALF_OF_LEAST "e-324", 0 },
        { HALF_OF_LEAST "0000000000000001e-324", 5e-324 },
        { "1.00000000000000011102230246251565404236316680908203125", 1.0 },
        { "1.00000000000000011102230246251565404236316680908203126", 1.0000000000000002 },
        { "179769313486231580793728971405301e276", 1.7976931348623157e308 },
        { "0.000000000000000000000000000000000000000000000000000000000001e60", 1.0 },
        { "1e-400", 0 }, { "-1e-400", -0.0 } };
    mcp__num x;
    double v;
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        CHECK_INT(parse(t[i].text, &x), MCP_OK);
        CHECK_INT(mcp__num_double(&x, &v), MCP_OK);
        CHECK_NUM(v, t[i].v);
    }
    CHECK_INT(parse("1.7976931348623159e308", &x), MCP_OK); /* just beyond */
    CHECK_INT(mcp__num_double(&x, &v), MCP_LIMIT);
    CHECK_NUM(v, 0.0);
    CHECK_INT(parse("-1e400", &x), MCP_OK);
    CHECK_INT(mcp__num_double(&x, &v), MCP_LIMIT);
}

/* Random texts of up to 800 digits against strtod, which is exact in the C libraries we know. */
TEST(doubles_against_strtod) {
    long wrong = 0;
    for (long i = 0; i < 80000; i++) {
        char text[1100], *p = text;
        double got;
        mcp__num x;
        if (i % 4 < 2) { /* around a real one: its exact value, cut or made longer */
            double v = from_bits(rnd() & ~((uint64_t)1 << 63));
            if (v - v != 0) continue;
            snprintf(text, sizeof text, "%.*e", (int)(rnd() % 780), v);
        } else if (i % 4 == 2) { /* of 14 to 19 digits, as one measures */
            double v = (double)(rnd() >> 11) / (double)((rnd() >> (1 + rnd() % 60)) + 1);
            snprintf(text, sizeof text, "%.*e", (int)(rnd() % 6) + 13, v);
        } else {
            for (uint64_t n = rnd() % 60 + 1; n; n--) *p++ = (char)('1' + rnd() % 9);
            snprintf(p, 32, "e%d", (int)(rnd() % 700) - 360);
        }
        CHECK_INT(parse(text, &x), MCP_OK);
        int status = mcp__num_double(&x, &got);
        double want = strtod(text, NULL);
        bool same = status == MCP_LIMIT ? want - want != 0 : got == want;
        if (!same && wrong++ < 5) printf("    %s\n", text);
    }
    CHECK_INT(wrong, 0);
}

/* Where the upper half of a power of five does not decide. */
TEST(doubles_near_a_border) {
    long wrong = 0, seen = 0;
    for (int q = -26; q < 0; q++) {
        uint64_t low;
        CHECK(mcp__fifths[-q - 1] == mcp__power5(q, true, &low));
    }
    for (long i = 0; i < 2000000; i++) {
        int q = -1 - (int)(i % 26);
        uint64_t digits = rnd() % 10000000000000000000u + 1, top, low, bits;
        (void)mcp__multiply(digits << mcp__clz(digits), mcp__power5(q, true, &low), &top);
        if ((top & 0x1FF) != 0x1FF) continue;
        char text[48];
        snprintf(text, sizeof text, "%" PRIu64 "e%d", digits, q);
        double want = strtod(text, NULL);
        memcpy(&bits, &want, 8);
        if (mcp__nearest(digits, q) != bits && wrong++ < 5) printf("    %s\n", text);
        seen++;
    }
    CHECK_INT(wrong, 0);
    CHECK(seen > 1000);
}

/* -- printf -- */

static bool format(mcp__buf *b, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    bool ok = mcp__vformat(b, fmt, ap);
    va_end(ap);
    return ok;
}

/* Both say the same. In a macro, so that the compiler checks the arguments. */
#define SAME(...) do { \
        char want_[4096]; \
        mcp__buf b_ = new_buf(SIZE_MAX / 2); \
        int n_ = snprintf(want_, sizeof want_, __VA_ARGS__); \
        CHECK(format(&b_, __VA_ARGS__)); \
        CHECK_MEM(b_.ptr, b_.len, want_, (size_t)n_); \
        mcp__buf_free(&b_); \
    } while (0)

TEST(printf_integers) {
    SAME("%d %i %u %x %X %o %c %%", -5, 7, 8u, 255u, 255u, 8u, 'z');
    SAME("[%5d] [%-5d] [%05d] [%+d] [% d] [%.3d] [%8.3d] [%-8.3d]", 42, 42, 42, 42, 42, 42, 42, 42);
    SAME("[%5d] [%-5d] [%05d] [%+d] [%.3d] [%8.3d]", -42, -42, -42, -42, -42, -42);
    SAME("[%#x] [%#o] [%#X] [%#08x] [%#.5x] [%#x] [%#o] [%.0d] [%5.0d]", 255u, 8u, 255u, 255u,
         255u, 0u, 0u, 0, 0);
    SAME("%ld %lld %zu %jd %td %hd %hhd %lu %llx", -1L, -2LL, (size_t)3, (intmax_t)-4,
         (ptrdiff_t)-5, (short)-6, (signed char)-7, 8ul, 0xABCDEF0123456789ull);
    SAME("%hhu %hu %ju %hhx %ho", (unsigned char)250, (unsigned short)65000, (uintmax_t)1 << 60,
         (unsigned char)171, (unsigned short)8);
    SAME("[%*d] [%-*d] [%.*d] [%*.*d]", 6, 1, 6, 2, 4, 3, 7, 3, 4);
    SAME("[%*d]", -6, 1);
    SAME("%lld %lld", (long long)INT64_MIN, (long long)INT64_MAX);
    mcp__buf b = new_buf(1000);
    CHECK(format(&b, "%#.0o", 0u)); /* C11 7.21.6.1: "a single 0"; mingw-w64 prints nothing */
    CHECK_STR(b.ptr, "0");
    mcp__buf_free(&b);
}

TEST(printf_texts) {
    SAME("%s|%10s|%-10s|%.2s|%10.2s|%.0s", "abc", "abc", "abc", "abc", "abc", "abc");
    SAME("plain text, no argument");
    SAME("%s", "");
    char exact[3] = { 'a', 'b', 'c' }; /* not terminated: the precision is a promise */
    SAME("%.3s", exact);
    SAME("[%c%5c%-5c]", 'a', 'b', 'c');
    mcp__buf b = new_buf(1000);
    CHECK(format(&b, "%s", (const char *)NULL));
    CHECK_STR(b.ptr, "(null)");
    CHECK(format(&b, "+%d", 1)); /* appended */
    CHECK_STR(b.ptr, "(null)+1");
    mcp__buf_free(&b);
}

TEST(printf_doubles) {
    static const char *const formats[] = {
        "%f", "%e", "%g", "%G", "%E", "%.0f", "%.0e", "%.0g", "%.1f", "%.3g", "%.17g", "%.20f",
        "%.40e", "%#.0f", "%#.0e", "%+f", "% g", "%12.3f", "%-12.3f|", "%012.3f", "%+012.3e",
        "%012g", "%.15g", "%.100f", "%.2f" };
    static const double values[] = {
        0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, 0.125, 0.375, 9.5, 9.995, 99.5, 999999.5, 1e5,
        123456.0, 1234567.0, 1e-4, 1e-5, 0.0001234, 1e21, 1e22, 1e23, 1e100, 1.7976931348623157e308,
        5e-324, 2.2250738585072014e-308, 0.1, 1.0 / 3, 3.14159265358979, 123456789.987654321,
        4503599627370496.5, 1e15, 1e16, 1e17, 0.045, 1.005 };
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        for (size_t j = 0; j < sizeof values / sizeof *values; j++) {
            char want[2048];
            mcp__buf b = new_buf(SIZE_MAX / 2);
            int n = snprintf(want, sizeof want, formats[i], values[j]);
            CHECK(format(&b, formats[i], values[j]));
            if (!CHECK_MEM(b.ptr, b.len, want, (size_t)n)) printf("    %s\n", formats[i]);
            mcp__buf_free(&b);
        }
    for (int i = 0; i < 20000; i++) {
        double v = from_bits(rnd());
        int precision = (int)(rnd() % 25);
        if (v - v != 0) continue;
        SAME("%.*e %.*g", precision, v, precision, v);
        if (i % 4 == 0) SAME("%.*f", precision, v);
    }
    double inf = from_bits((uint64_t)0x7FF << 52), nan = from_bits((uint64_t)0x7FF8 << 48);
    SAME("%f %e %G %5g|%-6f|%06f %+f", inf, -inf, inf, inf, inf, inf, inf);
    SAME("%f %G", nan, nan);
    SAME("%#g %#g %#.3g", 0.0, 1.0, 1e-7);
    SAME("%Lf %.3Lg", 1.5L, 2.25L);
}

TEST(printf_refuses_what_it_lacks) {
    static const char *const bad[] = { "%n", "%y", "%ls", "%lc", "a %", "%5" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        mcp__buf b = new_buf(1000);
        int unused = 0;
        CHECK(!format(&b, bad[i], &unused));
        CHECK_INT(b.status, MCP_MISUSE);
        mcp__buf_free(&b);
    }
    mcp__buf b = new_buf(8); /* no room: 8 bytes and a NUL */
    CHECK(!format(&b, "%s", "12345678"));
    CHECK_INT(b.status, MCP_LIMIT);
    mcp__buf_free(&b);
    b = new_buf(9);
    CHECK(format(&b, "%s", "12345678"));
    mcp__buf_free(&b);
}

/* -- base64 -- */

TEST(base64_round_trips) {
    char bytes[200], text[300], back[300];
    size_t size;
    for (size_t n = 0; n < sizeof bytes; n++) {
        for (size_t i = 0; i < n; i++) bytes[i] = (char)rnd();
        char *exact = (char *)malloc(n + !n), *out = (char *)malloc((n + 2) / 3 * 4 + !n);
        memcpy(exact, bytes, n);
        size_t m = mcp__base64_encode(out, exact, n);
        CHECK_INT(m, (n + 2) / 3 * 4);
        memcpy(text, out, m);
        CHECK_INT(mcp__base64_decode(back, out, m, &size), MCP_OK);
        CHECK_MEM(back, size, bytes, n);
        CHECK_INT(mcp__base64_decode(out, out, m, &size), MCP_OK); /* in place */
        CHECK_MEM(out, size, bytes, n);
        for (size_t i = 0; i < m; i++) { /* any byte that does not belong there is seen */
            char was = text[i];
            text[i] = "-_= \n\x80\xFF.@[`{"[rnd() % 12];
            bool pads = text[i] == '=' && (i + 1 == m || (i + 2 == m && text[m - 1] == '='));
            if (text[i] != was && !pads)
                CHECK_INT(mcp__base64_decode(back, text, m, &size), MCP_SYNTAX);
            text[i] = was;
        }
        free(exact);
        free(out);
    }
}

TEST(base64_of_rfc_4648) {
    static const char *const t[][2] = {
        { "", "" }, { "f", "Zg==" }, { "fo", "Zm8=" }, { "foo", "Zm9v" },
        { "foob", "Zm9vYg==" }, { "fooba", "Zm9vYmE=" }, { "foobar", "Zm9vYmFy" } };
    static const char *const bad[] = {
        "Zg", "Zg=", "Zg===", "Z===", "====", "Zh==", "Zm9=", "Zg==Zg==", "Zm=v", "Zm9v\n" };
    char out[16];
    size_t size;
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        size_t n = mcp__base64_encode(out, t[i][0], strlen(t[i][0]));
        CHECK_MEM(out, n, t[i][1], strlen(t[i][1]));
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (!CHECK_INT(mcp__base64_decode(out, bad[i], strlen(bad[i]), &size), MCP_SYNTAX))
            printf("    %s\n", bad[i]);
}

TEST(nothing_leaks) { CHECK_INT(allocated, 0); }

int main(void) {
    RUN(utf8_boundaries);
    RUN(utf8_counts_and_parts);
    RUN(doubles_as_javascript_writes_them);
    RUN(doubles_round_trip_and_are_shortest);
    RUN(integers_print);
    RUN(number_grammar);
    RUN(integers_of_any_spelling);
    RUN(numbers_compare_exactly);
    RUN(doubles_of_long_texts);
    RUN(doubles_against_strtod);
    RUN(doubles_near_a_border);
    RUN(printf_integers);
    RUN(printf_texts);
    RUN(printf_doubles);
    RUN(printf_refuses_what_it_lacks);
    RUN(base64_round_trips);
    RUN(base64_of_rfc_4648);
    RUN(nothing_leaks);
    return DONE();
}
