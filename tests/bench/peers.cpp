/* peers.cpp - the lanes of others, as Debian packages them: simdjson, RapidJSON, cJSON, fast_float,
   libstdc++'s to_chars (Ryu), and the C library */
#include "bench.h"
#include "lanes.h"

#include <charconv>
#include <cjson/cJSON.h>
#include <fast_float/fast_float.h>
#define RAPIDJSON_SSE2 1 /* as JSON.md measured it */
#include <rapidjson/document.h>
#include <rapidjson/reader.h>
#include <rapidjson/writer.h>
#include <simdjson.h>

/* ---- cJSON ---- */

static void cjson_walk(const cJSON *v, digest *d) {
    for (; v; v = v->next) {
        if (v->string) d->chars += strlen(v->string);
        if (v->valuestring) d->chars += strlen(v->valuestring);
        if (cJSON_IsNumber(v)) {
            d->sum += v->valuedouble;
            d->numbers++;
        }
        if (v->child) cjson_walk(v->child, d);
    }
}

static cJSON *cjson_parse(const char *text, size_t n) {
    cJSON *v = cJSON_ParseWithLength(text, n);
    if (!v) die("cJSON", "cannot read it");
    return v;
}

digest cjson_read(char *text, size_t n) {
    digest d = { 0, 0, 0 };
    cJSON *v = cjson_parse(text, n);
    cjson_walk(v, &d);
    cJSON_Delete(v);
    return d;
}

static size_t cjson_size(const cJSON *object, const char *key) {
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(object, key);
    return v && v->valuestring ? strlen(v->valuestring) : 0;
}

uint64_t cjson_dispatch(char *line, size_t n) {
    size_t sum = 0;
    cJSON *v = cjson_parse(line, n);
    const cJSON *id = cJSON_GetObjectItemCaseSensitive(v, "id");
    const cJSON *method = cJSON_GetObjectItemCaseSensitive(v, "method");
    const cJSON *params = cJSON_GetObjectItemCaseSensitive(v, "params");
    if (id) {                                   /* our lane gives the size of its text */
        char text[32];
        sum += (size_t)(std::to_chars(text, text + sizeof text, id->valueint).ptr - text);
    }
    sum += method && !strcmp(method->valuestring, "tools/call");
    sum += cjson_size(params, "name");
    const cJSON *args = cJSON_GetObjectItemCaseSensitive(params, "arguments");
    sum += cjson_size(args, "query");
    sum += cjson_size(args, "path");
    const cJSON *most = cJSON_GetObjectItemCaseSensitive(args, "maxResults");
    sum += most ? (size_t)most->valueint : 0;
    cJSON_Delete(v);
    return sum;
}

void *cjson_tree(const char *text, size_t n) { return cjson_parse(text, n); }

size_t cjson_write(void *tree) {
    char *text = cJSON_PrintUnformatted((cJSON *)tree);
    size_t n = strlen(text);
    cJSON_free(text);
    return n;
}

/* ---- RapidJSON ---- */

using namespace rapidjson;

struct rapid_handler : BaseReaderHandler<UTF8<>, rapid_handler> {
    digest d = { 0, 0, 0 };
    bool number(double v) { d.sum += v; d.numbers++; return true; }
    bool Int(int v) { return number(v); }
    bool Uint(unsigned v) { return number(v); }
    bool Int64(int64_t v) { return number((double)v); }
    bool Uint64(uint64_t v) { return number((double)v); }
    bool Double(double v) { return number(v); }
    bool String(const char *, SizeType n, bool) { d.chars += n; return true; }
    bool Key(const char *, SizeType n, bool) { d.chars += n; return true; }
};

digest rapid_read(char *text, size_t) {
    rapid_handler handler;
    InsituStringStream in(text);
    Reader reader;
    if (!reader.Parse<kParseInsituFlag | kParseFullPrecisionFlag>(in, handler))
        die("RapidJSON", "cannot read it");
    return handler.d;
}

struct rapid_document { Document document; StringBuffer out; };

void *rapid_tree(const char *text, size_t n) {
    rapid_document *d = new rapid_document;
    if (d->document.Parse<kParseFullPrecisionFlag>(text, n).HasParseError())
        die("RapidJSON", "cannot read it");
    return d;
}

size_t rapid_write(void *tree) {
    rapid_document *d = (rapid_document *)tree;
    d->out.Clear();
    Writer<StringBuffer> writer(d->out);
    d->document.Accept(writer);
    return d->out.GetSize();
}

/* ---- simdjson ---- */

static void simd_walk(simdjson::dom::element v, digest *d) {
    using simdjson::dom::element_type;
    switch (v.type()) {
    case element_type::OBJECT:
        for (auto member : simdjson::dom::object(v)) {
            d->chars += member.key.size();
            simd_walk(member.value, d);
        }
        break;
    case element_type::ARRAY:
        for (auto item : simdjson::dom::array(v)) simd_walk(item, d);
        break;
    case element_type::STRING: d->chars += v.get_string_length(); break;
    case element_type::INT64: case element_type::UINT64: case element_type::DOUBLE:
        d->sum += double(v.get_double());
        d->numbers++;
        break;
    default: break;
    }
}

digest simd_read(char *text, size_t n) {
    static simdjson::dom::parser parser;
    digest d = { 0, 0, 0 };
    simd_walk(parser.parse(text, n, false), &d);    /* the documents are padded */
    return d;
}

bool simd_utf8(const char *s, size_t n) { return simdjson::validate_utf8(s, n); }

bool simd_kernel(const char *name) {
    const simdjson::implementation *k = simdjson::get_available_implementations()[name];
    if (!k || !k->supported_by_runtime_system()) return false;
    simdjson::get_active_implementation() = k;
    return true;
}

/* ---- numbers ---- */

double strtod_parse(const numbers *x) {
    double sum = 0;
    for (size_t i = 0; i < x->n; i++) sum += strtod(x->text[i], NULL);
    return sum;
}

double fast_float_parse(const numbers *x) {
    double sum = 0, v = 0;
    for (size_t i = 0; i < x->n; i++) {
        fast_float::from_chars(x->text[i], x->text[i] + x->size[i], v);
        sum += v;
    }
    return sum;
}

size_t printf_print(const numbers *x) {
    char out[64];
    size_t sum = 0;
    for (size_t i = 0; i < x->n; i++)
        sum += (size_t)snprintf(out, sizeof out, "%.17g", x->value[i]);
    return sum;
}

size_t to_chars_print(const numbers *x) {
    char out[64];
    size_t sum = 0;
    for (size_t i = 0; i < x->n; i++)
        sum += (size_t)(std::to_chars(out, out + sizeof out, x->value[i]).ptr - out);
    return sum;
}

/* Digits but for zeros at either end. */
static size_t significant(const char *s, const char *end) {
    size_t n = 0, zeros = 0;
    for (; s < end && (*s | 0x20) != 'e'; s++) {
        if (*s < '0' || *s > '9' || (*s == '0' && !n)) continue;
        n++;
        zeros = *s == '0' ? zeros + 1 : 0;
    }
    return n - zeros;
}

/* Half of them have random bits, half at most three decimals. */
size_t not_shortest(size_t n) {
    uint64_t state = 88172645463325252u;
    size_t bad = 0;
    for (size_t i = 0; i < n; i++) {
        state ^= state << 13;                   /* xorshift64 (Marsaglia) */
        state ^= state >> 7;
        state ^= state << 17;
        double v, back = 0;
        memcpy(&v, &state, sizeof v);
        if (i % 2) v = (double)(state >> 40) / 1000;
        if (v - v != 0) continue;
        char ours[64], theirs[64];
        size_t size = mine_double(ours, v);
        fast_float::from_chars(ours, ours + size, back);
        char *end = std::to_chars(theirs, theirs + sizeof theirs, v,
                                  std::chars_format::scientific).ptr;
        bad += memcmp(&back, &v, sizeof v) != 0 ||
               significant(ours, ours + size) != significant(theirs, end);
    }
    return bad;
}
