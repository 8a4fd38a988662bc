/* mcp.h - v0.1.0 - Model Context Protocol servers and clients in one C file - MIT, see end of file

   This is a whole server. Build it with "cc hello.c", point any MCP client at ./a.out:

       #define MCP_IMPLEMENTATION              // in one file; include mcp.h bare in every other
       #include "mcp.h"

       static int add(mcp_call *c) {
           return mcp_textf(c, "%g", mcp_arg_num(c, "a") + mcp_arg_num(c, "b"));
       }
       static const mcp_arg add_args[] = {
           { .name = "a", .type = MCP_NUMBER, .flags = MCP_REQUIRED },
           { .name = "b", .type = MCP_NUMBER, .flags = MCP_REQUIRED }, { 0 } };
       static const mcp_tool tools[] = {
           { .name = "add", .desc = "Adds two numbers.", .args = add_args, .call = add }, { 0 } };
       int main(void) {
           static const mcp_server_desc desc = { .name = "hello", .tools = tools };
           return mcp_serve_stdio(&desc);
       }

   When add() runs, a and b are there and are numbers: mcp.h has checked the call against the table,
   and has answered every call that did not fit it. Whatever add() returns is sent; nothing is left
   to free.

   Speaks 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26 and 2024-11-05 over stdio, HTTP or any
   byte stream of yours. Needs C99 or C++11 and the standard library. Nothing is fetched, generated
   or configured.

   TABLE OF CONTENTS (search for ">>name")

       >>rules     the five rules everything else follows from
       >>tour      ten minutes: arguments, results, failures, progress, later answers, tasks,
                   asking back, resources, prompts, pages, tracing, embedding, HTTP, routes,
                   the client, JSON
       >>options   what you may #define before including this file
       >>api       the declarations, and their contracts
       >>config >>memory >>text >>json >>schema >>uri >>versions >>trace >>objects >>content >>call
       >>ask >>tasks >>changes >>dispatch >>conn >>http >>rest >>os >>client >>public
                   the implementation, bottom up
       >>license

   >>rules

       1. A zeroed struct is a sensible one. Set what you care about.
       2. What you hand in is copied before the function returns. Only a desc's tables are borrowed.
       3. What a call hands you lives as long as the call. Never free it.
       4. Handlers return MCP_OK, or what the last mcp_ function returned. Errors stick: check late.
       5. One thread owns a server. Only mcp_post may be called from another.

   >>tour

   ARGUMENTS are a table; the table is the JSON Schema that clients see, and what each call is
   checked against before your handler runs. Defaults are filled in.

       static const mcp_arg forecast_args[] = {
           { .name = "city", .desc = "city name", .flags = MCP_REQUIRED },      // MCP_STRING is 0
           { .name = "days", .type = MCP_INTEGER, .def = "3", .min = "1", .max = "10" },
           { .name = "units", .def = "celsius", .choices = "celsius|fahrenheit" },
           { .name = "hours", .type = MCP_ARRAY, .items = MCP_INTEGER, .max_items = 24 },
           { .name = "where", .type = MCP_OBJECT, .of = where_args },           // nests
           { 0 } };

       const char *city = mcp_arg_str(c, "city");          // lives as long as the call
       int64_t days = mcp_arg_int(c, "days");
       for (const mcp_json *h = mcp_first(mcp_get(mcp_args(c), "hours")); h; h = mcp_next(h))
           use(mcp_get_int(h, NULL));                      // NULL: the value itself

   What a table cannot say is raw JSON Schema: .schema of an argument, or of the whole tool.

   RESULTS are blocks, in the order in which you add them, and a structured value for programs. A
   tool that adds no block sends its structured value as text as well. Each client gets the shape
   that its protocol version knows.

       mcp_textf(c, "%d highs for %s", n, city);
       mcp_image(c, "image/png", bytes, size);             // base64 is ours to write
       mcp_embed(c, "file:///map.svg", "image/svg+xml");   // says what the next block is
       mcp_text(c, svg);
       mcp_annotate(c, &for_people);                       // decorates the block just added
       mcp_writer *w = mcp_structured(c);                  // keys make it an object
       mcp_put_str(w, "city", city);
       mcp_put_arr(w, "highs");
       mcp_put_num(w, NULL, 21.5);                         // no keys in an array
       mcp_put_end(w);

   FAILURES are for the model, which can try again; errors are for the client.

       if (!known(city)) return mcp_failf(c, "no weather station in %s", city);
       if (!licensed) return mcp_error(c, 1001, "no licence");

   A LONG RUN says how far it is, and stops when nobody waits any more.

       for (int i = 0; i < n && !mcp_cancelled(c); i++) {
           mcp_progress(c, i, n, "sorting");               // only if the client asked
           step(i);
       }

   AN ANSWER THAT COMES LATER: the call stays yours until you are done with it.

       static void built(void *call) {                     // on the server's thread
           mcp_done((mcp_call *)call, mcp_text((mcp_call *)call, "built"));
       }
       static int build(mcp_call *c) {
           start_worker(c);                                // whose last act is
           return mcp_defer(c);                            // mcp_post(mcp_call_server(c), built, c)
       }

   What mcp_on_cancel names is called when nobody waits for it any more, or the server ends. There a
   worker is stopped and waited for: it must not post to a server that is gone.

   A TASK outlives its request. Say .task = MCP_TASK_OPTIONAL in a row: when its handler defers, a
   client that knows tasks has a handle at once and fetches the answer when it likes. The handler is
   the same; what mcp_progress says is the task's status, what mcp_ask asks it waits for, and when
   it is cancelled, what mcp_on_cancel named is called.

   ASKING BACK: a person fills in a form, or a model answers. The handler runs again from the top
   each time an answer is there, and finds what was answered by its key: ask first, act last.

       static int deploy(mcp_call *c) {
           int rc = mcp_ask(c, "sure", "Replace what runs now?", sure_form); // an argument table
           if (rc) return rc;                              // not answered yet, or declined
           if (!mcp_get_bool(mcp_answer(c, "sure"), "sure")) return mcp_fail(c, "you said no");
           mcp_sampling note = { .prompt = "Announce it in one line.", .max_tokens = 50 };
           if ((rc = mcp_sample(c, "note", &note)) != MCP_OK) return rc;
           return mcp_text(c, mcp_get_str(mcp_get(mcp_answer(c, "note"), "content"), "text"));
       }

   Since 2026-07-28 the client comes again with the answers and a sealed state, maybe to another
   process: give all of them the same .secret. An older client is asked while its call waits.

   RESOURCES are what clients may read: a text, bytes, a file, or what a handler adds. With
   variables in its URI one row is a template for many.

       static int note(mcp_call *c) {
           const char *text = find(mcp_arg_int(c, "id"));
           return text ? mcp_text(c, text) : mcp_not_found(c, mcp_uri(c));
       }
       static const mcp_arg note_args[] = { { .name = "id", .type = MCP_INTEGER }, { 0 } };
       static const mcp_resource resources[] = {
           { .uri = "about://notes", .name = "about", .text = "Three notes on the sea." },
           { .uri = "note://{id}", .name = "note", .args = note_args, .read = note }, { 0 } };

       mcp_server_touch(server, "note://3");               // it changed. .flags = MCP_SUBSCRIBE in
                                                           // the desc lets clients ask to be told

   PROMPTS are messages that a person chooses from a menu.

       static int review(mcp_call *c) {
           mcp_textf(c, "Review this:\n\n%s", mcp_arg_str(c, "code"));
           mcp_role(c, MCP_ASSISTANT);                     // who says what follows
           return mcp_text(c, "Gladly. How strict shall I be?");
       }
       static const mcp_prompt prompts[] = {
           { .name = "review", .args = review_args, .get = review }, { 0 } };

   PAGES: a tool may have one, which hosts show beside its results (MCP Apps). A client that shows
   none sees an ordinary tool. What a page reaches beyond its host, it must declare.

       static const mcp_app clock_app = { .uri = "ui://clock", .file = "clock.html",
           .connect_domains = "https://time.example" };
       ... .call = show_clock, .app = &clock_app },        // in the tool's row
       ... .app = &clock_app, .visibility = MCP_APP_ONLY } // a tool for the page, not the model

       mcp_textf(c, "It is %s.", now);                     // in the handler: for the model
       mcp_put_str(mcp_structured(c), "time", now);        // for programs, and the page
       mcp_put_str(mcp_result_meta(c), "example.com/face", face);      // for the page alone

   TRACING: one hook gets a span for each request, with OpenTelemetry's names. Yours nest in it.

       mcp_server_desc desc = { .name = "x", .tools = tools, .trace = { mcp_trace_stderr, NULL } };
       mcp_span_begin(c, "GET prices.example");
       request(url, mcp_traceparent(c));                   // the trace goes on upstream
       mcp_span_end(c, MCP_OK);

   EMBEDDING: mcp_serve_stdio is a loop over three calls, which you may make yourself.

       mcp_server *s = mcp_server_new(&desc);
       mcp_conn *k = mcp_conn_new(s, MCP_LINES, (mcp_write_hook){ send, &peer });
       while ((n = receive(&peer, buf)) > 0) mcp_feed(k, buf, n);
       mcp_conn_free(k);
       mcp_server_free(s);

   HTTP: the same desc. One thread serves all; only this machine may ask, unless you say more.

       desc.http.port = 9000;                              // http://127.0.0.1:9000/mcp
       desc.http.authorize = (mcp_auth_hook){ check, NULL };   // a bearer token, an API key
       return mcp_serve_http(&desc);

   Inside a web server that is there already, mcp_http_handle answers one request; behind one that
   starts programs, mcp_serve_cgi does. TLS is for what stands in front.

   ROUTES: a row with a route is a tool and a REST endpoint. Path, query and body are its arguments;
   its structured value is the answer. What the row leaves unsaid, the model is told of the route.

       static int item(mcp_call *c) {
           const char *name = find(mcp_arg_int(c, "id"));
           if (!name) return mcp_not_found(c, "that item");        // REST: 404
           return mcp_put_str(mcp_structured(c), "name", name), MCP_OK;
       }
       static const mcp_arg item_args[] = { { .name = "id", .type = MCP_INTEGER }, { 0 } };
       static const mcp_tool tools[] = {                           // the tool GET__items_id
           { .route = "GET /items/{id}", .title = "One item", .args = item_args, .call = item },
           { .route = "POST /items", .args = new_args, .call = create },   // mcp_http_status: 201
           { .route = "GET /logo.png", .mime = "image/png", .call = logo },  // its one block, as is
           { 0 } };

   mcp_serve_http serves both, and GET /openapi.json; mcp_serve_stdio serves the tools.

   THE CLIENT is the other side, with the same verbs: it spawns a server, reaches one by URL, or
   talks over a stream of yours, and finds out which version both speak.

       const char *argv[] = { "./hello", NULL };           // or desc.url = "http://..."
       mcp_client_desc desc = { .name = "me", .argv = argv, .can = MCP_CAN_ASK,
                                .ask = { answer, NULL }, .notify = { heard, NULL } };
       mcp_client *k = mcp_client_new(&desc);
       const mcp_json *r = mcp_client_list(k, "tools", NULL);      // all pages
       mcp_put_num(mcp_client_call(k, "square"), "x", 7);  // begin, write what it takes, and
       r = mcp_client_wait(k);                             // wait; or send, poll and fetch
       if (!r) puts(mcp_client_failure(k)->text);
       mcp_client_free(k);                                 // the program ends, too

   When the server asks, your hook writes the form's values, which are checked and completed with
   its defaults. Retries, rounds of questions, tasks, sessions and cut streams are the client's.

   JSON by itself: a writer of your own writes into your buffer or through your sink; a reader
   takes a document of any size in pieces.

       char buf[256];
       mcp_writer w;
       mcp_writer_init(&w, buf, sizeof buf, (mcp_write_hook){ 0 });
       mcp_put_num(&w, "pi", 3.14);
       if (mcp_writer_end(&w) == MCP_OK) puts(buf);        // {"pi":3.14}

   >>options (define them before including this file)

       MCP_IMPLEMENTATION     in one file: the implementation comes with the declarations
       MCP_STATIC             everything is static: private to the file that includes it
       MCP_API                what stands before a function, if neither extern nor static will do
       MCP_ASSERT(x)          default: assert, for your mistakes; releases give MCP_MISUSE instead
       MCP_REALLOC, MCP_FREE  default: the C library's; both or neither
       MCP_TOOLS_ONLY         no resources, prompts, completion, skills, tasks, pages, routes: a
                              smaller program
       MCP_NO_TRACE           no spans
       MCP_NO_THREADS         no atomics: mcp_post only from the server's own thread (as with tcc)
       MCP_NO_HTTP            no HTTP, neither as bytes nor as sockets (Windows: no -lws2_32)
       MCP_NO_CLIENT          no clients
       MCP_NO_STDIO           no stdio.h: no hooks that print
       MCP_NO_OS              that, and no mcp_serve_stdio, clock, random: bring hooks
*/
#ifndef MCP_H
#define MCP_H

#if !defined(__cplusplus) && (!defined(__STDC_VERSION__) || __STDC_VERSION__ < 199901L)
#error "mcp.h needs C99 or C++11"
#elif defined(__cplusplus) && __cplusplus < 201103L && !defined(_MSC_VER)
#error "mcp.h needs C99 or C++11"
#endif

#define MCP_VERSION "0.1.0"
#define MCP_VERSION_NUMBER 100 /* major * 10000 + minor * 100 + patch */

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(MCP_NO_OS) && !defined(MCP_NO_STDIO)
#define MCP_NO_STDIO
#endif

#ifndef MCP_API
#ifdef MCP_STATIC
#if defined(__GNUC__)
#define MCP_API static __attribute__((unused))
#else
#define MCP_API static
#endif
#else
#define MCP_API extern
#endif
#endif

#if defined(__MINGW32__) && !defined(__clang__)
#define MCP__PRINTF(fmt, args) __attribute__((format(gnu_printf, fmt, args)))
#elif defined(__GNUC__)
#define MCP__PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define MCP__PRINTF(fmt, args)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- >>api --------------------------------------------------------------------------------------
   Tables are arrays that end with { 0 }. A list in a string is written "a|b|c". A field of 0 takes
   its default; MCP_ZERO says 0 where 0 means something of its own (a priority, a time to live).
   Text is UTF-8. Times are int64_t, in the unit that the name ends with. */

/* ---- status ---- */
#define MCP_STATUSES(X) \
    X(OK,           0, "done") \
    X(PENDING,      1, "the answer comes later") \
    X(NOMEM,       -1, "out of memory") \
    X(SYNTAX,      -2, "malformed JSON") \
    X(LIMIT,       -3, "a limit was exceeded") \
    X(DECLINED,    -4, "the user said no") \
    X(UNSUPPORTED, -5, "the other side cannot do that") \
    X(CANCELLED,   -6, "the client gave up") \
    X(IO,          -7, "the other end is gone") \
    X(MISUSE,      -8, "mcp.h was called out of order") \
    X(REFUSED,     -9, "answered with an error")

#define MCP__X(name, code, text) MCP_##name = code,
enum { MCP_STATUSES(MCP__X) MCP__STATUS_END = 99 };
#undef MCP__X
MCP_API const char *mcp_status_text(int status); /* static text, never NULL */

/* ---- types ---- */
typedef struct mcp_server mcp_server; /* what is offered, and the rules */
typedef struct mcp_conn   mcp_conn;   /* one peer: a pipe, a socket, a test */
typedef struct mcp_call   mcp_call;   /* one request, from arrival to answer */
typedef struct mcp_json   mcp_json;   /* one parsed value, immutable */
typedef struct mcp_writer mcp_writer; /* a JSON value being written */
typedef struct mcp_reader mcp_reader; /* JSON of any size being read, piece by piece */
typedef int mcp_handler(mcp_call *c);

enum { MCP_ZERO = -1 };                     /* 0, where a plain 0 would mean "the default" */
enum { MCP_USER = 1, MCP_ASSISTANT = 2 };   /* a message's role; an audience: either or both */
enum { MCP_TOOLS = 1, MCP_RESOURCES = 2, MCP_PROMPTS = 4 };             /* lists that may change */
enum { MCP_2024_11_05 = 1, MCP_2025_03_26 = 2, MCP_2025_06_18 = 4, MCP_2025_11_25 = 8,
       MCP_2026_07_28 = 16 };                                           /* protocol versions */
enum { MCP_CAN_ASK = 1, MCP_CAN_ASK_URL = 2, MCP_CAN_SAMPLE = 4, MCP_CAN_SAMPLE_TOOLS = 8,
       MCP_CAN_ROOTS = 16, MCP_CAN_APPS = 32, MCP_CAN_TASKS = 64 };     /* what a client declares */
enum { MCP_LOG_DEBUG = 1, MCP_LOG_INFO, MCP_LOG_NOTICE, MCP_LOG_WARNING, MCP_LOG_ERROR,
       MCP_LOG_CRITICAL, MCP_LOG_ALERT, MCP_LOG_EMERGENCY };            /* RFC 5424, ascending */
enum { MCP_INVALID_PARAMS = -32602, MCP_INTERNAL_ERROR = -32603 };      /* for mcp_error */
typedef struct mcp_attr { const char *key, *value; } mcp_attr;          /* a span's attribute */

/* ---- what you offer: arguments ---- */
typedef enum mcp_type { /* 0 is a string */
    MCP_STRING, MCP_NUMBER, MCP_INTEGER, MCP_BOOLEAN, MCP_OBJECT, MCP_ARRAY, MCP_ANY, MCP_NULL
} mcp_type;

enum {                              /* flags of mcp_arg and mcp_tool */
    MCP_REQUIRED = 1,               /* an argument: must be given */
    MCP_NULLABLE = 2,               /* an argument: null is a value too */
    MCP_OPEN = 4,                   /* an object, a tool: members that no row names are allowed */
    MCP_UNCHECKED = 8,              /* a tool: arguments are for the handler to check */
    MCP_HIDDEN = 16                 /* a tool with a route: REST only, no client sees it */
};

/* The members of an object: a tool's arguments, its result, a template's variables, a prompt's
   arguments. In an array, choices, labels, bounds, format and of describe each item. */
typedef struct mcp_arg {
    const char *name;               /* required; 0 ends the list */
    mcp_type type;                  /* default: MCP_STRING */
    const char *desc;               /* for the model; default: none */
    unsigned flags;                 /* MCP_REQUIRED | MCP_NULLABLE | MCP_OPEN; default: optional */
    const char *def;                /* a string's text, JSON for any other type; default: none */
    const char *choices;            /* "celsius|fahrenheit"; default: any value */
    const char *labels;             /* for people: "Celsius|Fahrenheit"; default: choices */
    const char *min, *max;          /* a number's, as text: "1", open ">0", "<1e9"; default: none */
    size_t min_length, max_length;  /* a string's, in characters; default: none */
    size_t min_items, max_items;    /* an array's; default: none */
    mcp_type items;                 /* what an array holds; default: MCP_STRING */
    const struct mcp_arg *of;       /* an object's members; an inner array's row; default: any */
    const char *format;             /* "email", "uri", "date": a hint, unchecked; default: none */
    const char *title;              /* for people; default: name */
    mcp_handler *complete;          /* calls mcp_complete; default: choices, if any */
    const char *header;             /* over HTTP also in Mcp-Param-{this}; default: in none */
    const char *schema;             /* raw JSON Schema, instead of all that; default: none */
} mcp_arg;

/* ---- what you offer: tools, resources, prompts ---- */
typedef struct mcp_icon {
    const char *src;                /* required: an https: or data: URI; 0 ends the list */
    const char *mime;               /* default: not said */
    const char *sizes;              /* "48x48|96x96" or "any"; default: not said */
    const char *theme;              /* "light" or "dark"; default: both */
} mcp_icon;
typedef struct mcp_annotations {
    unsigned audience;              /* MCP_USER | MCP_ASSISTANT; default: not said */
    double priority;                /* MCP_ZERO to 1, the most important; default: not said */
    const char *last_modified;      /* "2026-07-28T12:00:00Z"; default: not said */
} mcp_annotations;
enum { MCP_PUBLIC = 1, MCP_PRIVATE = 2 };
typedef struct mcp_cache {          /* what a client may keep, since 2026-07-28 */
    int64_t ttl_ms;                 /* default: five minutes; what a handler reads, and lists with
                                       what .list adds: MCP_ZERO */
    int scope;                      /* MCP_PRIVATE: for this client alone, which a list with what
                                       .list adds is; default: MCP_PUBLIC; what a handler reads:
                                       MCP_PRIVATE */
} mcp_cache;

/* A page that hosts show beside a tool's results (MCP Apps 2026-01-26). The tools that name it are
   all that registers it: a resource of theirs, listed for clients that show pages. A member of
   _meta that read adds with mcp_block_meta stands instead of what is said here. */
enum { MCP_CAMERA = 1, MCP_MICROPHONE = 2, MCP_GEOLOCATION = 4, MCP_CLIPBOARD_WRITE = 8 };
typedef struct mcp_app {
    const char *uri;                /* required: "ui://clock" */
    const char *html;               /* the page, one of: this text, */
    const char *file;               /* this file, read at each request, */
    mcp_handler *read;              /* what this adds; default: none of the three */
    const char *name;               /* default: what stands behind "ui://" */
    const char *title;              /* for people; default: name */
    const char *desc;               /* default: none */
    const char *connect_domains;    /* CSP: fetch, XHR, WebSocket; default: none */
    const char *resource_domains;   /* CSP: scripts, styles, images, fonts, media; default: none */
    const char *frame_domains;      /* CSP: frames; default: none */
    const char *base_uri_domains;   /* CSP: <base>; default: none */
    unsigned permissions;           /* MCP_CAMERA | ...; default: none */
    const char *domain;             /* a stable origin of its own; default: the host's choice */
    int prefers_border;             /* 1 or MCP_ZERO; default: the host's choice */
    mcp_cache cache;                /* default: see mcp_cache */
    const char *meta;               /* raw JSON object, added to _meta; default: none */
    const void *user;               /* mcp_row_user() returns it; default: 0 */
} mcp_app;

/* Who is offered a tool: hosts see to it. A server cannot, since nothing proves whether a model or
   a page calls: a mark in a call's _meta (mcp_caller.meta) is what the caller says of itself. */
typedef enum mcp_visibility { MCP_MODEL_AND_APP, MCP_MODEL_ONLY, MCP_APP_ONLY } mcp_visibility;

enum {                              /* hints for the model: each says yes or no, or stays unsaid */
    MCP_READ_ONLY = 1,      MCP_NOT_READ_ONLY = 2,
    MCP_DESTRUCTIVE = 4,    MCP_NOT_DESTRUCTIVE = 8,
    MCP_IDEMPOTENT = 16,    MCP_NOT_IDEMPOTENT = 32,
    MCP_OPEN_WORLD = 64,    MCP_NOT_OPEN_WORLD = 128
};

enum {                              /* may a call go on as a task, see mcp_tool.task */
    MCP_TASK_OPTIONAL = 1, MCP_TASK_REQUIRED = 2
};

/* With a route a row has two faces. As REST, the variables of its path, the query and a body (JSON,
   or a form) are the arguments, each given once; the structured value is the answer. As a tool it
   has a name, a title, a description, schemas and hints, made of what the row says and the route.
   A route is "METHOD /path/{variable}/more"; what the path names literally comes first. */
typedef struct mcp_tool {
    const char *name;               /* 1 to 128 of A-Z a-z 0-9 _ . -; default: "GET__items_id" of
                                       its route; a row with neither, and no mount, ends the list */
    const char *desc;               /* for the model; default: none */
    const mcp_arg *args;            /* default: takes none; of a path's variables: strings */
    mcp_handler *call;              /* required */
    const char *route;              /* "GET /items/{id}"; default: no REST */
    const char *mime;               /* of a route's answer, which is then its one block, as it is;
                                       default: "application/json", the structured value */
    const struct mcp_tool *mount;   /* these rows, their routes below this one: "/v2" */
    const char *title;              /* for people; default: name; of a route: itself */
    const mcp_arg *out;             /* shape of the structured result; default: not said */
    unsigned hints;                 /* MCP_READ_ONLY | ...; default: none, or the method's */
    unsigned flags;                 /* MCP_OPEN | MCP_UNCHECKED | MCP_HIDDEN; default: none */
    const mcp_app *app;             /* its page; default: none */
    mcp_visibility visibility;      /* who is offered it; APP_ONLY: no client that shows no pages
                                       may call it; default: MCP_MODEL_AND_APP */
    const mcp_icon *icons;          /* default: none */
    const char *meta;               /* raw JSON object for _meta; default: none */
    const char *schema;             /* raw JSON Schema, instead of args; default: none */
    const char *out_schema;         /* raw JSON Schema, instead of out; default: none */
    const void *user;               /* mcp_row_user() returns it; default: 0 */
    int task;                       /* MCP_TASK_OPTIONAL: a deferred call becomes a task if its
                                       client knows tasks, MCP_TASK_REQUIRED: and must know them;
                                       the handler is the same; default: no task */
    int64_t task_ttl_ms;            /* how long one is kept, from its beginning; default: an hour */
} mcp_tool;

/* Something to read, or with variables in its URI a template for many (RFC 6570 level 1 to 3): {id}
   stops at '/' and takes none that is escaped, {+path} does. An exact URI comes before templates,
   those are tried in the order of the table, and a variable takes as much as it can. Values reach
   the handler decoded, once. */
typedef struct mcp_resource {
    const char *uri;                /* required: "config://app" or "note://{id}"; 0 ends the list */
    const char *name;               /* default: uri */
    const char *desc;               /* default: none */
    const char *mime;               /* default: "text/plain"; of a link: not said */
    mcp_handler *read;              /* the contents, one of: what this adds, */
    const char *text;               /* this text, */
    const void *bytes;              /* these bytes, as many as size says, */
    const char *file;               /* this file, read at each request; default: none of the four */
    const char *title;              /* for people; default: name */
    int64_t size;                   /* in bytes, MCP_ZERO: empty; default: known, or not said */
    const mcp_arg *args;            /* a template's variables; default: strings */
    mcp_handler *list;              /* a template's: mcp_link for each that exists; default: none */
    mcp_annotations annotations;    /* default: none */
    mcp_cache cache;                /* default: see mcp_cache */
    const mcp_icon *icons;          /* default: none */
    const char *meta;               /* raw JSON object for _meta; default: none */
    const void *user;               /* mcp_row_user() returns it; default: 0 */
} mcp_resource;

typedef struct mcp_prompt {
    const char *name;               /* required; 0 ends the list */
    const char *desc;               /* default: none */
    const mcp_arg *args;            /* strings; default: takes none */
    mcp_handler *get;               /* required: what it adds are the messages */
    const char *title;              /* for people; default: name */
    const mcp_icon *icons;          /* default: none */
    const char *meta;               /* raw JSON object for _meta; default: none */
    const void *user;               /* mcp_row_user() returns it; default: 0 */
} mcp_prompt;

/* Instructions for a model, and the files that they speak of, as resources skill://NAME/... with a
   manifest (extension io.modelcontextprotocol/skills, SEP-2640). From a folder, name and desc come
   from the front matter of its SKILL.md, and every file is read at each request. */
typedef struct mcp_skill {
    const char *name;               /* required without a dir: 1 to 64 of a-z 0-9 - */
    const char *desc;               /* required without a dir: when to use it */
    const char *text;               /* SKILL.md behind its front matter, Markdown; default: empty */
    const mcp_resource *files;      /* others: uri is the path, "references/A.md"; default: none */
    const char *dir;                /* this folder, instead of all that; default: none */
} mcp_skill;

/* ---- hooks: all are { func, user } ---- */
typedef struct mcp_span {
    const char *name, *kind;        /* "tools/call add"; "server" or "internal" */
    const char *trace_id, *span_id; /* lowercase hex */
    const char *parent_id;          /* "": none */
    const char *tracestate;         /* as it came, or "" */
    unsigned flags;                 /* as in traceparent: 1 sampled, 2 the trace id is random */
    const char *service;            /* name of the server */
    int64_t start_ns, end_ns;       /* since the Unix epoch; end 0: not finished */
    int status;                     /* MCP_OK, or why not */
    const mcp_attr *attrs;          /* OpenTelemetry names; ends with a key of 0 */
} mcp_span;
typedef struct mcp_clock_hook { /* nanoseconds since the Unix epoch */
    int64_t (*func)(void *user); void *user; } mcp_clock_hook;
typedef struct mcp_random_hook { /* n bytes that nobody can guess; not MCP_OK: there are none */
    int (*func)(void *user, void *bytes, size_t n); void *user; } mcp_random_hook;
typedef struct mcp_write_hook { /* writes all n bytes, or does not return MCP_OK */
    int (*func)(void *user, const void *bytes, size_t n); void *user; } mcp_write_hook;
typedef struct mcp_alloc_hook { /* realloc; a size of 0 frees; NULL: p is as it was */
    void *(*func)(void *user, void *p, size_t was, size_t size); void *user; } mcp_alloc_hook;
typedef struct mcp_log_hook { /* one line, for you and not for the client */
    void (*func)(void *user, int level, int status, const char *text); void *user; } mcp_log_hook;
typedef struct mcp_watch_hook { /* uri has its first subscriber, or lost its last */
    void (*func)(void *user, const char *uri, bool watched); void *user; } mcp_watch_hook;
typedef struct mcp_trace_hook { /* once for each finished span, which lives until this returns */
    void (*func)(void *user, const mcp_span *span); void *user; } mcp_trace_hook;

/* ---- HTTP ---- */
typedef struct mcp_http_request {
    const char *method, *target;    /* "POST", "/mcp?a=1" */
    const mcp_attr *headers;        /* names in any case; ends with a key of 0 */
    const void *body;
    size_t size;
    const char *principal;          /* who sent it, if you know already; default: ask authorize */
} mcp_http_request;
typedef struct mcp_http_part { /* usually all at once; a stream comes in several. To a HEAD the body
                                  is not sent on: it is there to be counted */
    int status;                     /* 200 ...; 0 from the second part on */
    const mcp_attr *headers;        /* with the status; ends with a key of 0 */
    const void *body;
    size_t size;
    bool last;
} mcp_http_part;
typedef struct mcp_reply_hook { /* not MCP_OK: who waited is gone; after the last it is not used */
    int (*func)(void *user, const mcp_http_part *part); void *user; } mcp_reply_hook;
typedef struct mcp_auth {
    const char *principal;          /* who it is: binds sessions to them */
    const char *scope;              /* with MCP_DECLINED: what was missing; default: not said */
} mcp_auth;
typedef struct mcp_auth_hook { /* MCP_OK; MCP_REFUSED: 401; MCP_DECLINED: 403 */
    int (*func)(void *user, const mcp_http_request *request, mcp_auth *auth); void *user;
} mcp_auth_hook;

/* Milliseconds until this request is welcome, which 429 tells; 0: now. Asked of every one but
   OPTIONS, REST and MCP alike, once it is known who sent it. */
typedef struct mcp_rate_hook {
    int64_t (*func)(void *user, const mcp_http_request *request, const char *principal);
    void *user;
} mcp_rate_hook;

typedef struct mcp_http {
    int port;                       /* MCP_ZERO: any, the log says which; default: 8080 */
    const char *host;               /* the address to listen on; default: "127.0.0.1" */
    int socket;                     /* listens already, as systemd passes 3; default: none */
    const char *path;               /* default: "/mcp" */
    const char *prefix;             /* before every route's path: "/api"; default: none */
    const char *origins;            /* "https://a.example|https://b.example"; default: local ones */
    const char *hosts;              /* accepted Host names; default: local ones, if host is */
    mcp_auth_hook authorize;        /* default: everyone is welcome */
    mcp_rate_hook rate;             /* default: at any time */
    const char *issuers;            /* authorization servers, published (RFC 9728); default: none */
    const char *scopes;             /* "read|write", published with them; default: none */
    const char *url;                /* how clients reach us: the tokens' audience; default: Host */
    const char *user_header;        /* a proxy's header that names the principal; default: none */
    int64_t head_ms, body_ms;       /* to send a head, a body; default: 10 seconds, 2 minutes */
    int64_t idle_ms;                /* who is silent, or reads nothing, goes; default: a minute */
    int64_t keepalive_ms;           /* a silent stream gets a comment; default: 15 seconds */
    int64_t session_ms;             /* an unused session ends; default: an hour */
} mcp_http;

/* ---- a server ---- */
typedef struct mcp_limits { /* beyond one, the peer gets a clear error and all else goes on */
    size_t message;                 /* bytes in one; over HTTP also of an answer that a slow client
                                       has not read, beyond which it is cut, unless that is the
                                       rest of a file; default: 10 MiB */
    size_t depth;                   /* of nesting, at most 1024; default: 256 */
    size_t spill;                   /* bytes of a result kept before it streams; default: 256 KiB */
    size_t page;                    /* rows of a list in one answer; default: all */
    size_t calls;                   /* waiting, and deferred, on one connection; default: 64 */
    size_t subscriptions;           /* on one connection; default: 1024 */
    size_t logs;                    /* mcp_logf messages a second that are sent; default: 1000 */
    size_t header;                  /* bytes of an HTTP request's head; default: 16 KiB */
    size_t connections;             /* HTTP's; default: 256 */
    size_t sessions;                /* of older versions over HTTP; default: 256 */
    size_t replay;                  /* bytes of events a session keeps to resume; default: 64 KiB */
    size_t tasks;                   /* kept, running ones included; default: 256 */
} mcp_limits;

enum {                              /* mcp_server_desc.flags */
    MCP_LOGGING = 1,                /* handlers use mcp_logf: tell clients, who may set the level */
    MCP_LENIENT = 2,                /* older versions may skip initialize */
    MCP_PLAIN_STDOUT = 4,           /* leave file descriptor 1 alone while serving stdio */
    MCP_SUBSCRIBE = 8,              /* clients may subscribe to resources; implied by watch */
    MCP_STRICT = 16,                /* HTTP: older versions may not POST without a session */
    MCP_HTTP_INFO = 32,             /* GET on the path tells people what this is */
    MCP_HTTP_SSE = 64,              /* serve the HTTP+SSE transport of 2024-11-05 as well */
    MCP_STATELESS = 128,            /* HTTP: no sessions, so that any process may answer */
    MCP_ABOUT = 256                 /* resources mcp://server/info, /routes and /openapi.json */
};
typedef struct mcp_labels {         /* words of the descriptions that routes get */
    const char *endpoint;           /* default: "Endpoint: " */
    const char *parameters;         /* default: "Parameters:" */
    const char *by_default;         /* default: "default: " */
    const char *method;             /* default: "HTTP Method: " */
    const char *path;               /* default: "Path: " */
    const char *parameter;          /* default: "Parameter " */
    const char *field;              /* default: "Response field: " */
    const char *object;             /* default: "Structured response object" */
    const char *response;           /* default: "Response from the API endpoint" */
} mcp_labels;
typedef struct mcp_server_desc {
    uint32_t _start_canary;
    const char *name;               /* required */
    const char *version;            /* default: "0.0.0" */
    const char *title;              /* for people; default: name */
    const char *desc;               /* default: none */
    const char *website;            /* default: none */
    const char *instructions;       /* for the model: how to use this server; default: none */
    const mcp_icon *icons;          /* default: none */
    const mcp_tool *tools;          /* default: none */
    const mcp_resource *resources;  /* default: none */
    const mcp_prompt *prompts;      /* default: none */
    const mcp_skill *skills;        /* ends with a row without name and dir; default: none */
    const char *include, *exclude;  /* tools by name: "GET__echo|POST__add"; default: all, none */
    const mcp_labels *labels;       /* default: English */
    void *user;                     /* mcp_user() returns it; default: 0 */
    mcp_http http;                  /* default: 127.0.0.1:8080/mcp */
    unsigned flags;                 /* MCP_LOGGING | ...; default: none */
    unsigned changes;               /* lists that may change: MCP_TOOLS | ...; default: none */
    unsigned versions;              /* MCP_2026_07_28 | ...; default: all */
    mcp_cache cache;                /* of lists; default: see mcp_cache */
    const char *capabilities;       /* raw JSON object, merged in: extensions; default: none */
    mcp_watch_hook watch;           /* default: none */
    mcp_trace_hook trace;           /* default: none; mcp_trace_json and _stderr are ready-made */
    const char *ambient;            /* a traceparent, for calls whose _meta brings none;
                                       default: none */
    mcp_log_hook log;               /* default: none; mcp_log_stderr is ready-made */
    mcp_alloc_hook alloc;           /* default: realloc and free */
    mcp_clock_hook clock;           /* default: the system's */
    mcp_random_hook random;         /* default: the system's */
    const void *secret;             /* seals what travels through clients; default: random bytes */
    size_t secret_size;             /* 32 or more, the same in every process; default: 0 */
    int64_t ask_ms;                 /* how long a question may wait; default: ten minutes */
    mcp_limits limits;              /* default: see mcp_limits */
    uint32_t _end_canary;
} mcp_server_desc;

/* Checks the tables: a mistake is a line to desc.log (set one, or nobody hears), and NULL. */
MCP_API mcp_server *mcp_server_new(const mcp_server_desc *desc);
/* With its connections; what is deferred has its mcp_on_cancel called, and is gone. Not from a
   handler: that is mcp_server_stop. NULL is fine. */
MCP_API void mcp_server_free(mcp_server *s);
MCP_API void mcp_server_stop(mcp_server *s); /* the loop ends after what has arrived */
/* Other tables: calls in progress keep theirs; clients are told, if .changes says so. Not MCP_OK:
   the log says why, and the old table stays. */
MCP_API int mcp_server_set_tools(mcp_server *s, const mcp_tool *tools);
MCP_API int mcp_server_set_resources(mcp_server *s, const mcp_resource *resources);
MCP_API int mcp_server_set_prompts(mcp_server *s, const mcp_prompt *prompts);
MCP_API void mcp_server_changed(mcp_server *s, unsigned lists); /* what .list adds: MCP_RESOURCES */
/* This resource changed: who subscribed, by whatever spelling of its URI (RFC 3986 section 6.2.2),
   is told once in that spelling, however often it is touched before that. */
MCP_API void mcp_server_touch(mcp_server *s, const char *uri);

/* ---- serving ---- */
enum { MCP_LINES = 1,               /* a framing: a message a line, which is what stdio speaks */
       MCP_HTTP = 2 };              /* HTTP/1.1: every version, the older ones in sessions */
#ifndef MCP_NO_OS
/* Serves standard input until it ends; an exit status: 0, or 1 after an error that log was told
   (default here: mcp_log_stderr). File descriptors 0 and 1 are its own meanwhile: a stray printf
   goes to stderr, and a program that a handler starts finds no input. SIGPIPE is caught. After the
   end of input, what runs or is deferred has a second to finish. */
MCP_API int mcp_serve_stdio(const mcp_server_desc *desc);
#ifndef MCP_NO_HTTP
/* Serves desc.http until a handler calls mcp_server_stop: one thread, as many connections as limits
   say; when there are more, the longest silent one goes. What runs or is deferred at the end has a
   second to finish. An exit status, likewise. */
MCP_API int mcp_serve_http(const mcp_server_desc *desc);
/* The one request that a web server passes by CGI (RFC 3875): address and path are its business;
   what stands behind the program's own is a route, or else MCP's. Older versions have no sessions.
   An exit status, likewise. */
MCP_API int mcp_serve_cgi(const mcp_server_desc *desc);
#endif
MCP_API int mcp_server_run(mcp_server *s, unsigned where); /* MCP_LINES or MCP_HTTP: the same, for a
                                                              server that you made; a status */
#endif

/* One peer: what write gets is for it, what it sends goes to mcp_feed. NULL: out of memory. With
   MCP_HTTP, write is called with n of 0 to hang up after what was written. */
MCP_API mcp_conn *mcp_conn_new(mcp_server *s, unsigned framing, mcp_write_hook write);
MCP_API void mcp_conn_free(mcp_conn *k);     /* not from its own handler; NULL is fine */
MCP_API int mcp_conn_identify(mcp_conn *k, const char *principal); /* who it is, if you know */
/* Bytes cut anywhere; answers are written before it returns. n of 0: the input ended, and a last
   line without a newline counts. MCP_MISUSE: after the end, or from its own write hook; any other
   status but MCP_OK: it is over, as HTTP is at the latest when the input ended; free it. */
MCP_API int mcp_feed(mcp_conn *k, const void *bytes, size_t n);

/* For a loop of yours: runs what is due, sends what waits; nanoseconds to the next timer, or -1. */
MCP_API int64_t mcp_poll(mcp_server *s);
/* func(arg) on the server's thread: once, after ms milliseconds; as soon as it polls. mcp_post
   is for any thread, and wakes mcp_serve_stdio and mcp_server_run. Not MCP_OK: no memory. What has
   not run when the server is freed never does, and s must live: mcp_on_cancel tells before. */
MCP_API int mcp_after(mcp_server *s, int64_t ms, void (*func)(void *arg), void *arg);
MCP_API int mcp_post(mcp_server *s, void (*func)(void *arg), void *arg);

#ifndef MCP_NO_HTTP
/* A request that a web server of yours received: reply gets the answer. The request is looked at
   before this returns and not after. MCP_OK: answered; MCP_PENDING: the rest comes later, from
   mcp_poll or mcp_done; MCP_UNSUPPORTED: not our path, never; below: no memory, never. */
MCP_API int mcp_http_handle(mcp_server *s, const mcp_http_request *request, mcp_reply_hook reply);
MCP_API void mcp_http_gone(mcp_server *s, void *reply_user); /* who waited for that reply hung up */
#endif

/* ---- in a handler: what was asked ---- */
typedef struct mcp_caller {
    const char *version;            /* "2026-07-28"; "": a REST request */
    const char *transport;          /* "stdio", "http" or "conn"; "none": the peer is gone */
    const char *principal;          /* who it is, proven (authorize, mcp_conn_identify); or "" */
    const char *session;            /* an older version's over HTTP; or "" */
    const char *client, *client_version; /* claimed, not proven; or "" */
    unsigned can;                   /* MCP_CAN_ASK | ... */
    const mcp_json *capabilities;   /* the same, as it came */
    const mcp_json *meta;           /* the request's _meta, or NULL */
    const mcp_attr *headers;        /* of the HTTP request; ends with a key of 0; or NULL */
} mcp_caller;
/* Not given, or of another type: "", 0, false. */
MCP_API const char *mcp_arg_str(mcp_call *c, const char *name);
MCP_API const char *mcp_arg_strn(mcp_call *c, const char *name, size_t *n);
MCP_API double mcp_arg_num(mcp_call *c, const char *name);
MCP_API int64_t mcp_arg_int(mcp_call *c, const char *name);
MCP_API bool mcp_arg_bool(mcp_call *c, const char *name);
MCP_API bool mcp_arg_given(mcp_call *c, const char *name);      /* by the client, or a default */
MCP_API const mcp_json *mcp_args(mcp_call *c);                  /* all of them; defaults included */
MCP_API const mcp_caller *mcp_caller_of(mcp_call *c);
MCP_API const char *mcp_header(mcp_call *c, const char *name);  /* of the HTTP request, or "" */
MCP_API mcp_server *mcp_call_server(mcp_call *c);
MCP_API void *mcp_user(mcp_call *c);                            /* the server's */
MCP_API const void *mcp_row_user(mcp_call *c);                  /* the tool's, prompt's ... */
MCP_API const char *mcp_uri(mcp_call *c);                       /* the resource being read, or "" */
MCP_API void *mcp_alloc(mcp_call *c, size_t n);                 /* zeroed; NULL: sticks as NOMEM */
MCP_API char *mcp_format(mcp_call *c, const char *fmt, ...) MCP__PRINTF(2, 3); /* "" likewise */

/* ---- in a handler: the answer. Each returns what the handler may return ----
   A tool adds blocks, a resource contents, a prompt messages; all by the same verbs. Formats are
   printf's in the C locale, whatever the program's locale is. */

enum { MCP_TEXT, MCP_BLOB, MCP_IMAGE, MCP_AUDIO };         /* kinds of block */
MCP_API int mcp_text(mcp_call *c, const char *text);
MCP_API int mcp_textf(mcp_call *c, const char *fmt, ...) MCP__PRINTF(2, 3);
MCP_API int mcp_textn(mcp_call *c, const char *text, size_t n);
MCP_API mcp_writer *mcp_text_json(mcp_call *c);            /* a block whose text is JSON */
MCP_API int mcp_image(mcp_call *c, const char *mime, const void *bytes, size_t n);
MCP_API int mcp_audio(mcp_call *c, const char *mime, const void *bytes, size_t n);
/* Contents of a resource, or of a route that says its mime. */
MCP_API int mcp_blob(mcp_call *c, const char *mime, const void *bytes, size_t n);
/* In .list: this one exists. A URI is absolute and escaped, or a path of this server's own; what is
   none fails the call, as in mcp_embed. Where a client's version has no links, or no audio, the
   result is an error that says so. */
MCP_API int mcp_link(mcp_call *c, const mcp_resource *to);
#ifndef MCP_NO_OS
/* A file, streamed: text if mime says so ("text/...", JSON, XML), base64 if not. Over HTTP the last
   one that a handler adds leaves as its reader takes it, however slowly, while others are served.
   mcp_file_in never leaves dir: a path that is absolute, goes up or through a symbolic link is not
   found. */
MCP_API int mcp_file(mcp_call *c, const char *mime, const char *path);
MCP_API int mcp_file_in(mcp_call *c, const char *mime, const char *dir, const char *path);
#endif
MCP_API int mcp_block_begin(mcp_call *c, int kind, const char *mime); /* a block in pieces */
MCP_API int mcp_block_write(mcp_call *c, const void *bytes, size_t n);
MCP_API int mcp_block_end(mcp_call *c);

MCP_API int mcp_role(mcp_call *c, int role);              /* who says what follows, in a prompt */
MCP_API int mcp_embed(mcp_call *c, const char *uri, const char *mime); /* the next block is its */
MCP_API int mcp_annotate(mcp_call *c, const mcp_annotations *a); /* the block just added */
MCP_API mcp_writer *mcp_block_meta(mcp_call *c);          /* _meta of the block just added */
MCP_API mcp_writer *mcp_result_meta(mcp_call *c);         /* _meta of the whole result */
MCP_API mcp_writer *mcp_structured(mcp_call *c);          /* for programs; text, too, if alone */
/* In .complete: offers a value. The argument is what was typed so far; begin with that. */
MCP_API int mcp_complete(mcp_call *c, const char *value);

/* The tool ran, and failed: what was added before is dropped. In a resource or prompt, an error. */
MCP_API int mcp_fail(mcp_call *c, const char *text);
MCP_API int mcp_failf(mcp_call *c, const char *fmt, ...) MCP__PRINTF(2, 3);
MCP_API int mcp_not_found(mcp_call *c, const char *what);       /* no such thing; REST: 404 */
MCP_API int mcp_error(mcp_call *c, int code, const char *text); /* the request itself was wrong */
MCP_API int mcp_errorf(mcp_call *c, int code, const char *fmt, ...) MCP__PRINTF(3, 4);
/* Of a route's answer, 200 to 599; a tool's client never sees it. Default: 200; of what failed, or
   says less than 400: 500. 204 and 304 have no body. */
MCP_API int mcp_http_status(mcp_call *c, int status);

/* ---- in a handler: while it works ---- */
/* Sent at once if the client asked for progress; done must rise. total 0: not known. */
MCP_API int mcp_progress(mcp_call *c, double done, double total, const char *text);
MCP_API int mcp_logf(mcp_call *c, int level, const char *fmt, ...) MCP__PRINTF(3, 4); /* if asked */
MCP_API mcp_writer *mcp_log_begin(mcp_call *c, int level); /* the same with structured data, */
MCP_API int mcp_log_end(mcp_call *c);                      /* sent here */
/* The client gave up, is gone, or ended its input a second ago: return soon, whatever you return is
   dropped. Looks at what has just arrived, too, so a plain loop can be cancelled and pings are
   answered meanwhile. */
MCP_API bool mcp_cancelled(mcp_call *c);
/* "return mcp_defer(c);": the call is yours, on the server's thread, until mcp_done, whose status
   is what the handler would have returned: after mcp_ask MCP_PENDING, and it runs again. What the
   handler returns itself no longer counts. Still valid, and to be done, when it is cancelled or its
   peer is gone: func(arg) tells, at once if that is so already, and may be where it is done. */
MCP_API int mcp_defer(mcp_call *c);
MCP_API void mcp_done(mcp_call *c, int status);
MCP_API void mcp_on_cancel(mcp_call *c, void (*func)(void *arg), void *arg);
/* Hangs up on the client, which asks for the rest after so long: 2025-11-25 over HTTP, while a call
   is deferred. Else nothing happens. */
MCP_API int mcp_hang_up(mcp_call *c, int64_t retry_ms);

#ifndef MCP_NO_TRACE
MCP_API void mcp_span_begin(mcp_call *c, const char *name); /* they nest */
MCP_API void mcp_span_attr(mcp_call *c, const char *key, const char *value);
MCP_API void mcp_span_end(mcp_call *c, int status);
MCP_API const mcp_span *mcp_span_current(mcp_call *c);      /* NULL: nobody traces */
MCP_API const char *mcp_traceparent(mcp_call *c);           /* for outgoing requests, or "" */
#endif

/* ---- in a handler: asking back ----
   The handler runs again from the top when an answer is there: ask first, act last. MCP_OK: it is
   answered; MCP_PENDING: asked, return that; MCP_DECLINED: the user said no, or put it away;
   MCP_CANCELLED: nobody answered in time; MCP_UNSUPPORTED: this client cannot, and if you return
   that it is told what is missing; MCP_REFUSED: it answered with an error. What does not fit the
   form is asked again.
   Several questions before the first return travel together. A key is a name of yours. */

typedef struct mcp_sampling {
    const char *prompt;             /* a user's message; default: what messages says */
    const char *messages;           /* raw JSON array, for what prompt cannot say; default: none */
    const char *system;             /* default: none */
    int max_tokens;                 /* default: 1024 */
    double temperature;             /* MCP_ZERO: 0; default: the client's */
    const char *stop;               /* "END|STOP"; default: none */
    const char *models;             /* names to prefer, best first: "sonnet|haiku"; default: any */
    double cost, speed, intelligence; /* how much each counts, up to 1; default: not said */
    const char *context;            /* "thisServer" or "allServers"; default: none */
    const mcp_tool *tools;          /* what the model may ask for: you run it; default: none */
    const char *tool_choice;        /* "auto", "required" or "none"; default: "auto" */
    const char *metadata;           /* raw JSON object for the provider; default: none */
} mcp_sampling;
MCP_API int mcp_ask(mcp_call *c, const char *key, const char *message, const mcp_arg *form);
MCP_API int mcp_ask_url(mcp_call *c, const char *key, const char *message, const char *url);
MCP_API int mcp_sample(mcp_call *c, const char *key, const mcp_sampling *what);
MCP_API int mcp_roots(mcp_call *c, const char *key);
MCP_API const mcp_json *mcp_answer(mcp_call *c, const char *key); /* the form, message or roots */
/* Bytes that the next run of this handler finds, sealed while they travel through the client. With
   MCP_PENDING and no question, that run is when the client comes again, or a second later. */
MCP_API int mcp_keep(mcp_call *c, const void *bytes, size_t n);
MCP_API size_t mcp_kept(mcp_call *c, void *bytes, size_t n);      /* returns its size; 0: nothing */

/* ---- JSON: values. All take NULL, and give NULL, 0, false or "" for what is not there ----
   mcp_get_* read a member, or with a key of NULL the value itself. */

MCP_API const mcp_json *mcp_parse(mcp_call *c, const char *text, size_t n, size_t *error_at);
MCP_API const mcp_json *mcp_get(const mcp_json *v, const char *key);
MCP_API const mcp_json *mcp_at(const mcp_json *v, size_t i);
MCP_API const mcp_json *mcp_first(const mcp_json *v);                      /* item, or member */
MCP_API const mcp_json *mcp_next(const mcp_json *v);
MCP_API const char *mcp_key(const mcp_json *v);                            /* of a member */
MCP_API size_t mcp_count(const mcp_json *v);
MCP_API mcp_type mcp_type_of(const mcp_json *v);                           /* MCP_ANY: not there */
MCP_API const char *mcp_get_str(const mcp_json *v, const char *key);
MCP_API const char *mcp_get_strn(const mcp_json *v, const char *key, size_t *n);
MCP_API const char *mcp_get_raw(const mcp_json *v, const char *key, size_t *n); /* as it came */
MCP_API double mcp_get_num(const mcp_json *v, const char *key);
MCP_API int64_t mcp_get_int(const mcp_json *v, const char *key);
MCP_API bool mcp_get_bool(const mcp_json *v, const char *key);
MCP_API int mcp_try_int(const mcp_json *v, const char *key, int64_t *out); /* says why */

/* ---- JSON: writing. A writer starts at one value ----
   Give keys, and it is an object; give NULL, and it is that value. A string of NULL is null; nobody
   looks for a key that comes twice. Errors stick. The call that gave it to you ends it. */

struct mcp_writer {
    int status;                     /* MCP_OK, or what went wrong first; */
    const char *why;                /* in words, if it was you: "a key in an array"; else NULL */
    size_t size;                    /* bytes so far */
    mcp_write_hook _sink;
    char *_at, *_end, *_buf; void *_owner;
    uint64_t _stack[8], _outer; unsigned _depth, _state;
};

MCP_API void mcp_put_obj(mcp_writer *w, const char *key); /* key is NULL in an array */
MCP_API void mcp_put_arr(mcp_writer *w, const char *key);
MCP_API void mcp_put_end(mcp_writer *w);
MCP_API void mcp_put_str(mcp_writer *w, const char *key, const char *value);
MCP_API void mcp_put_strn(mcp_writer *w, const char *key, const char *value, size_t n);
MCP_API void mcp_put_strf(mcp_writer *w, const char *key, const char *fmt, ...) MCP__PRINTF(3, 4);
MCP_API void mcp_put_num(mcp_writer *w, const char *key, double value);
MCP_API void mcp_put_int(mcp_writer *w, const char *key, int64_t value);
MCP_API void mcp_put_bool(mcp_writer *w, const char *key, bool value);
MCP_API void mcp_put_null(mcp_writer *w, const char *key);
MCP_API void mcp_put_blob(mcp_writer *w, const char *key, const void *bytes, size_t n); /* base64 */
MCP_API void mcp_put_json(mcp_writer *w, const char *key, const mcp_json *value);
MCP_API void mcp_put_raw(mcp_writer *w, const char *key, const char *json);

/* One of your own: into buf, and whenever that is full to sink; a sink of {0}: buf is the limit. */
MCP_API void mcp_writer_init(mcp_writer *w, char *buf, size_t n, mcp_write_hook sink);
MCP_API int mcp_writer_end(mcp_writer *w); /* flushed, or NUL-terminated */

/* ---- JSON: reading what is too large to hold ----
   What fits into scratch comes whole, a longer string or key in parts. Nothing is allocated or
   copied that need not be: what you feed must stay until mcp_read says MCP_READ_MORE. */

enum { /* what mcp_read returns; below 0: a status */
    MCP_READ_DONE, MCP_READ_MORE, /* feed it the next piece */
    MCP_READ_OBJ,  MCP_READ_OBJ_END, MCP_READ_ARR, MCP_READ_ARR_END, MCP_READ_KEY,
    MCP_READ_STR,  MCP_READ_NUM, MCP_READ_TRUE, MCP_READ_FALSE, MCP_READ_NULL
};
struct mcp_reader {
    const char *text;               /* of a key, string or number; until the next mcp_read */
    size_t size;
    size_t depth;                   /* of nesting: 1 inside the outermost; up to 1024 */
    uint64_t offset;                /* of the token, or of the error */
    bool partial;                   /* the same string goes on in the next event */
    unsigned char _state, _comma, _flags, _held, _open; uint16_t _skip;
    const char *_at, *_calm, *_end; char *_scratch;
    size_t _len, _cap; uint64_t _fed, _digits;
    int _status; int32_t _exponent; char _hold[12];
    uint64_t _stack[16];
};

MCP_API void mcp_reader_init(mcp_reader *r, void *scratch, size_t n); /* scratch stays yours */
MCP_API void mcp_reader_feed(mcp_reader *r, const void *bytes, size_t n); /* after MORE; 0: end */
MCP_API int mcp_read(mcp_reader *r);
MCP_API void mcp_read_skip(mcp_reader *r);                   /* the object or array just begun */
MCP_API double mcp_read_num(const mcp_reader *r);
MCP_API int mcp_read_int(const mcp_reader *r, int64_t *out); /* MCP_SYNTAX, MCP_LIMIT */

#ifndef MCP_TOOLS_ONLY
/* ---- for hosts ----
   The Content-Security-Policy that a page is to be shown under, for a header or a meta element. ui:
   _meta.ui of its contents; NULL: it declares nothing. What cannot stand in a policy is left out.
   MCP_LIMIT: buf is too small. */
MCP_API int mcp_app_csp(const mcp_json *ui, char *buf, size_t n);
#endif

/* ---- ready-made hooks ---- */
#ifndef MCP_NO_STDIO
MCP_API void mcp_log_stderr(void *user, int level, int status, const char *text);
#ifndef MCP_NO_TRACE
MCP_API void mcp_trace_stderr(void *user, const mcp_span *span); /* for people */
MCP_API void mcp_trace_json(void *file, const mcp_span *span);   /* OTLP/JSON lines to a FILE * */
#endif
#endif

/* ---- client: the other side, with the same verbs ----
   One server: spawned, reached by URL, or at the other end of a byte stream of yours. Every version
   is spoken; which one, the first request finds out. One thread owns a client, and a hook calls
   nothing of it. */

#ifndef MCP_NO_CLIENT
typedef struct mcp_client mcp_client;

/* The server asks: "elicitation/create", "sampling/createMessage". MCP_OK: you wrote the form's
   values, the message, or for a URL nothing; MCP_DECLINED: the user said no; MCP_CANCELLED: nobody
   answered. Defaults of the form are filled in; what does not fit it counts as not answered. */
typedef struct mcp_ask_hook {
    int (*func)(void *user, const char *method, const mcp_json *params, mcp_writer *answer);
    void *user; } mcp_ask_hook;
typedef struct mcp_notify_hook { /* "notifications/progress", whose token is the request's id ... */
    void (*func)(void *user, const char *method, const mcp_json *params); void *user;
} mcp_notify_hook;
typedef struct mcp_wire_hook { /* n bytes of JSON, sent or come; it calls nothing of its client */
    void (*func)(void *user, bool sent, const char *json, size_t n); void *user; } mcp_wire_hook;

typedef struct mcp_stream { /* bytes both ways: TLS, a serial line */
    /* up to n of them, waiting ms at most; 0: the end; MCP_CANCELLED: none came; below 0: broken */
    ptrdiff_t (*read)(void *user, void *bytes, size_t n, int64_t ms);
    int (*write)(void *user, const void *bytes, size_t n); /* all n, or not MCP_OK */
    void (*close)(void *user);      /* may be 0 */
    void *user;
} mcp_stream;
typedef struct mcp_connect_hook { /* fills in stream; host is "" if there is no url */
    int (*func)(void *user, const char *host, int port, mcp_stream *stream); void *user;
} mcp_connect_hook;

typedef struct mcp_client_desc { /* argv, url, connect or write: one of them */
    uint32_t _start_canary;
    const char *name;               /* required */
    const char *version;            /* default: "0.0.0" */
    const char *title;              /* for people; default: name */
    const char *const *argv;        /* spawn this server: a program and its arguments, then 0; or */
    const mcp_attr *env;            /* its variables beside ours; default: none */
    const char *dir;                /* its working directory; default: ours */
    mcp_write_hook err;             /* what it prints to stderr; default: goes to ours */
    const char *url;                /* reach this one, "http://127.0.0.1:8080/mcp"; or */
    mcp_connect_hook connect;       /* open a stream (for url: its TCP or TLS); or */
    mcp_write_hook write;           /* send lines; what comes goes to mcp_client_feed */
    const mcp_attr *headers;        /* of HTTP requests, read each time; default: none */
    unsigned can;                   /* MCP_CAN_ASK | ...; default: MCP_CAN_ROOTS, with roots */
    const char *roots;              /* "file:///home/me/work|..."; default: none */
    mcp_ask_hook ask;               /* default: every question is declined */
    mcp_notify_hook notify;         /* default: nobody listens */
    int log_level;                  /* MCP_LOG_INFO ...: wanted from the server; default: its own */
    unsigned versions;              /* MCP_2026_07_28 | ...; default: all */
    int64_t timeout_ms;             /* for an answer, anew after progress; default: a minute */
    mcp_log_hook log;               /* what the server does wrong and we can bear; default: none */
    mcp_wire_hook wire;             /* sees each message, both ways; default: none */
    mcp_alloc_hook alloc;           /* default: realloc and free */
    mcp_clock_hook clock;           /* default: the system's */
    mcp_limits limits;              /* message, depth, calls, header; default: see mcp_limits */
    uint32_t _end_canary;
} mcp_client_desc;

typedef struct mcp_failure { /* lives as long as a result does */
    int status;                     /* MCP_OK: there was none; MCP_PENDING: not answered yet;
                                       MCP_REFUSED: see code; MCP_CANCELLED: it took too long */
    int code;                       /* JSON-RPC's, or 0 */
    int http;                       /* HTTP's, or 0 */
    const char *text;               /* for people, never NULL */
    const mcp_json *data;           /* the error's, or NULL */
} mcp_failure;

MCP_API mcp_client *mcp_client_new(const mcp_client_desc *desc); /* connects at the first request */
/* What it spawned ends, by force if need be. NULL is fine. */
MCP_API void mcp_client_free(mcp_client *k);
/* Who answers: protocolVersion, serverInfo, capabilities, instructions. NULL: nobody. */
MCP_API const mcp_json *mcp_client_server(mcp_client *k);

/* Begin a request, write what it takes, wait. A tool that fails is a result with isError. Results
   live until the next wait, list, result or failed send. */
MCP_API mcp_writer *mcp_client_call(mcp_client *k, const char *tool);      /* its arguments */
MCP_API mcp_writer *mcp_client_prompt(mcp_client *k, const char *prompt);  /* its arguments */
MCP_API mcp_writer *mcp_client_read(mcp_client *k, const char *uri);       /* more params */
MCP_API mcp_writer *mcp_client_request(mcp_client *k, const char *method); /* its params */
MCP_API mcp_writer *mcp_client_complete(mcp_client *k, const char *of, const char *arg,
                                        const char *value); /* of: a prompt, a URI or a template
                                                               ("://"); write the other arguments */
MCP_API mcp_writer *mcp_client_meta(mcp_client *k);     /* _meta of the request just begun */
MCP_API const mcp_json *mcp_client_wait(mcp_client *k); /* NULL: mcp_client_failure */
/* what: "tools", "resources/templates" ... With a cursor that page, as it came; with NULL all of
   them as one, from memory as long as the server allows. */
MCP_API const mcp_json *mcp_client_list(mcp_client *k, const char *what, const char *cursor);
MCP_API void mcp_client_forget(mcp_client *k);          /* lists: they are asked for again */
MCP_API const mcp_failure *mcp_client_failure(mcp_client *k); /* of the last wait, list ... */

/* Several at once: send instead of wait, poll, and fetch the result once. */
MCP_API int64_t mcp_client_send(mcp_client *k);                 /* an id; 0: mcp_client_failure */
/* Changes of lists (MCP_TOOLS ...) and of resources ("a://b|c://d"), told to notify until that id
   is cancelled. */
MCP_API int64_t mcp_client_listen(mcp_client *k, unsigned lists, const char *uris);
MCP_API void mcp_client_cancel(mcp_client *k, int64_t id);      /* forgets it; tells the server */
MCP_API const mcp_json *mcp_client_result(mcp_client *k, int64_t id); /* NULL: failure says why */
/* Takes in what comes within so long. Not MCP_OK: the server is gone; a request tries anew. */
MCP_API int mcp_client_poll(mcp_client *k, int64_t timeout_ms);
MCP_API int mcp_client_feed(mcp_client *k, const void *bytes, size_t n); /* 0: end */
#endif

#ifdef __cplusplus
} /* extern "C" */
inline mcp_server *mcp_server_new(const mcp_server_desc &desc) { return mcp_server_new(&desc); }
#ifndef MCP_NO_OS
inline int mcp_serve_stdio(const mcp_server_desc &desc) { return mcp_serve_stdio(&desc); }
#ifndef MCP_NO_HTTP
inline int mcp_serve_http(const mcp_server_desc &desc) { return mcp_serve_http(&desc); }
inline int mcp_serve_cgi(const mcp_server_desc &desc) { return mcp_serve_cgi(&desc); }
#endif
#endif
#ifndef MCP_NO_CLIENT
inline mcp_client *mcp_client_new(const mcp_client_desc &desc) { return mcp_client_new(&desc); }
#endif
#endif

#endif /* MCP_H */

/* ------------------------------------------------------------------------------------------------
   You need not read on to use mcp.h. Below is the implementation.
   ---------------------------------------------------------------------------------------------- */

#if defined(MCP_IMPLEMENTATION) && !defined(MCP__IMPLEMENTED)
#define MCP__IMPLEMENTED

#ifdef __cplusplus
extern "C" {
#endif

/* ---- >>config ----------------------------------------------------------------------------------
   What the machine and the compiler are. Everything below is written once for all of them: the
   SIMD level is a number chosen here from predefined macros; each level has the same results. */

#include <float.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#ifndef MCP_NO_STDIO
#include <stdio.h>
#endif

#if defined(MCP_REALLOC) != defined(MCP_FREE)
#error "define both MCP_REALLOC and MCP_FREE, or neither"
#endif
#ifndef MCP_REALLOC
#define MCP_REALLOC(p, n) realloc(p, n)
#define MCP_FREE(p) free(p)
#endif

#ifndef MCP_ASSERT
#include <assert.h>
#define MCP_ASSERT(x) assert(x)
#endif

/* What was left out, for conditions that the compiler decides. */
#ifdef MCP_TOOLS_ONLY
enum { MCP__TOOLS_ALONE = 1 };
#else
enum { MCP__TOOLS_ALONE = 0 };
#endif
#ifdef MCP_NO_HTTP
enum { MCP__WITH_HTTP = 0 };
#else
enum { MCP__WITH_HTTP = 1 };
#endif

#ifdef __OPTIMIZE_SIZE__
enum { MCP__SMALL = 1 }; /* who builds for size does without some of the shortcuts */
#else
enum { MCP__SMALL = 0 };
#endif

#if defined(__GNUC__) && !defined(__TINYC__)
#define MCP__PRIVATE static __attribute__((unused))
#ifdef __OPTIMIZE_SIZE__
#define MCP__INLINE static __attribute__((unused))
#else
#define MCP__INLINE static inline __attribute__((always_inline, unused))
#endif
#define MCP__NOINLINE __attribute__((noinline))
#ifdef __OPTIMIZE_SIZE__
#define MCP__HOT
#else /* where they happen to lie makes up to a tenth of the time of what is short */
#define MCP__HOT __attribute__((aligned(64)))
#endif
#define MCP__LIKELY(x) __builtin_expect(!!(x), 1)
#define MCP__UNLIKELY(x) __builtin_expect(!!(x), 0)
#define MCP__PREFETCH(p, n) __builtin_prefetch((const void *)((uintptr_t)(p) + (n)))
#else
#define MCP__PRIVATE static
#define MCP__INLINE static inline
#define MCP__NOINLINE
#define MCP__HOT
#define MCP__LIKELY(x) (x)
#define MCP__UNLIKELY(x) (x)
#define MCP__PREFETCH(p, n) ((void)(p))
#endif

/* 0: a byte at a time; 1: eight, in a 64-bit word (little endian); 2: SSE2; 3: AVX2; 4: NEON */
#ifndef MCP__SIMD
#if defined(__TINYC__)
#define MCP__SIMD 0
#elif defined(__AVX2__)
#define MCP__SIMD 3
#elif defined(__SSE2__) || defined(_M_X64) || (defined(_M_IX86_FP) && _M_IX86_FP >= 2)
#define MCP__SIMD 2
#elif (defined(__aarch64__) && defined(__ARM_NEON) && !defined(__AARCH64EB__)) || defined(_M_ARM64)
#define MCP__SIMD 4
#elif defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define MCP__SIMD 1
#else
#define MCP__SIMD 0
#endif
#endif
#if MCP__SIMD == 2
#include <emmintrin.h>
#elif MCP__SIMD == 3
#include <immintrin.h>
#elif MCP__SIMD == 4
#include <arm_neon.h>
#endif
#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif

/* One pointer that other threads push to: see mcp__post. */
#if defined(MCP_NO_THREADS) || defined(__TINYC__)
#define MCP__ATOMIC_CAS(at, was, now) (*(at) == (was) ? (*(at) = (now), true) : false)
#define MCP__ATOMIC_TAKE(at) mcp__take_pointer((void **)(at))
#define MCP__ATOMIC_LOAD(at) (*(at))
#define MCP__ATOMIC_STORE(at, v) (*(at) = (v))
#elif defined(__GNUC__)
#define MCP__ATOMIC_CAS(at, was, now) __sync_bool_compare_and_swap(at, was, now)
#define MCP__ATOMIC_TAKE(at) __atomic_exchange_n(at, NULL, __ATOMIC_SEQ_CST)
#define MCP__ATOMIC_LOAD(at) __atomic_load_n(at, __ATOMIC_SEQ_CST)
#define MCP__ATOMIC_STORE(at, v) __atomic_store_n(at, v, __ATOMIC_SEQ_CST)
#else
#define MCP__ATOMIC_CAS(at, was, now) \
    (_InterlockedCompareExchangePointer((void *volatile *)(at), now, was) == (void *)(was))
#define MCP__ATOMIC_TAKE(at) _InterlockedExchangePointer((void *volatile *)(at), NULL)
#define MCP__ATOMIC_LOAD(at) (*(at)) /* volatile, which this compiler orders */
#define MCP__ATOMIC_STORE(at, v) (*(at) = (v))
#endif

#define MCP__COUNT(array) (sizeof(array) / sizeof *(array))

MCP__PRIVATE void *mcp__take_pointer(void **at) {
    void *p = *at;
    *at = NULL;
    return p;
}

MCP__PRIVATE size_t mcp__min(size_t a, size_t b) { return a < b ? a : b; }
MCP__PRIVATE size_t mcp__max(size_t a, size_t b) { return a > b ? a : b; }

MCP__PRIVATE const char *mcp__status_text(int status) {
#define MCP__X(name, code, text) if (status == code) return text;
    MCP_STATUSES(MCP__X)
#undef MCP__X
    return "an unknown status";
}

/* ---- >>memory ----------------------------------------------------------------------------------
   One hook does it all. A buffer grows and remembers its first failure, so a chain of writes needs
   one check. An arena belongs to something with a life (a server, a call), is given back whole when
   that ends, and keeps its chunks: after warm-up a request allocates nothing. */

typedef struct mcp__str { const char *s; size_t n; } mcp__str; /* a slice: not terminated */

MCP__PRIVATE mcp__str mcp__str_of(const char *s) {
    mcp__str r = { s ? s : "", s ? strlen(s) : 0 };
    return r;
}

MCP__INLINE int mcp__lower(char c) { return c >= 'A' && c <= 'Z' ? c | 0x20 : c; }

/* Names of headers, hosts, schemes: ASCII, in any case. */
MCP__PRIVATE bool mcp__str_like(mcp__str a, mcp__str b) {
    size_t i = 0;
    if (a.n != b.n) return false;
    while (i < a.n && mcp__lower(a.s[i]) == mcp__lower(b.s[i])) i++;
    return i == a.n;
}
MCP__PRIVATE bool mcp__same_name(const char *a, const char *b) {
    return mcp__str_like(mcp__str_of(a), mcp__str_of(b));
}

/* How many bytes of an HTTP token s begins with (RFC 9110 section 5.6.2). */
MCP__PRIVATE size_t mcp__token_size(const char *s) {
    size_t n = 0;
    for (; s[n]; n++) {
        int c = mcp__lower(s[n]);
        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
              strchr("!#$%&'*+-.^_`|~", s[n])))
            break;
    }
    return n;
}

MCP__PRIVATE bool mcp__str_same(mcp__str a, mcp__str b) {
    return a.n == b.n && (a.n == 0 || memcmp(a.s, b.s, a.n) == 0);
}

typedef struct mcp__mem { mcp_alloc_hook hook; } mcp__mem; /* zeroed: the C library's */

MCP__PRIVATE void *mcp__realloc(const mcp__mem *m, void *p, size_t was, size_t size) {
    if (!p && !size) return NULL;
    if (m->hook.func) return m->hook.func(m->hook.user, p, was, size);
    if (size) return MCP_REALLOC(p, size);
    MCP_FREE(p);
    return NULL;
}

/* ---- buffer: contiguous, growing, at most max bytes ---- */
typedef struct mcp__buf {
    const mcp__mem *mem;
    char *ptr;
    size_t len, cap, max;
    int status; /* the first failure sticks until the buffer is reset */
} mcp__buf;

enum { MCP__BUF_MAX_SHIFT = 1 }; /* a buffer is at most SIZE_MAX / 2: sums of two lengths fit */

MCP__PRIVATE void mcp__buf_init(mcp__buf *b, const mcp__mem *mem) {
    memset(b, 0, sizeof *b);
    b->mem = mem;
    b->max = SIZE_MAX >> MCP__BUF_MAX_SHIFT;
}

MCP__PRIVATE bool mcp__buf_fail(mcp__buf *b, int status) {
    if (!b->status) b->status = status;
    return false;
}

/* Grow so that n more bytes fit. On failure the buffer is unchanged and its error sticks. */
MCP__PRIVATE bool mcp__buf_reserve(mcp__buf *b, size_t n) {
    if (b->status) return false;
    if (n <= b->cap - b->len) return true;
    if (n > b->max - b->len) return mcp__buf_fail(b, MCP_LIMIT);
    size_t cap = mcp__min(mcp__max(2 * b->cap, mcp__max(b->len + n, 256)), b->max);
    void *p = mcp__realloc(b->mem, b->ptr, b->cap, cap);
    if (!p) return mcp__buf_fail(b, MCP_NOMEM); /* not committed: ptr, len and cap still agree */
    b->ptr = (char *)p;
    b->cap = cap;
    return true;
}

MCP__PRIVATE bool mcp__buf_add(mcp__buf *b, const void *p, size_t n) {
    if (!mcp__buf_reserve(b, n)) return false;
    if (n) memcpy(b->ptr + b->len, p, n);
    b->len += n;
    return true;
}

MCP__PRIVATE void mcp__buf_free(mcp__buf *b) {
    mcp__realloc(b->mem, b->ptr, b->cap, 0);
    b->ptr = NULL;
    b->len = b->cap = 0;
}

/* Empty, ready for the next use; what a giant left behind goes back. */
MCP__PRIVATE void mcp__buf_reset(mcp__buf *b, size_t keep) {
    if (b->cap > keep) mcp__buf_free(b);
    b->len = 0;
    b->status = MCP_OK;
}

/* ---- arena: a list of chunks, filled in order, rewound whole ---- */
typedef struct mcp__chunk {
    struct mcp__chunk *next;
    size_t cap; /* bytes behind this head */
    union { void *p[2]; double d; int64_t i; } align; /* what follows suits any type, as malloc's */
} mcp__chunk;

typedef struct mcp__arena {
    const mcp__mem *mem;
    mcp__chunk *first, *at; /* at: being filled; those behind it are spare */
    size_t used;            /* of at */
} mcp__arena;

enum { MCP__CHUNK = 4096, MCP__ARENA_KEEP = 128 * 1024 };

MCP__PRIVATE void mcp__arena_init(mcp__arena *a, const mcp__mem *mem) {
    memset(a, 0, sizeof *a);
    a->mem = mem;
}

MCP__PRIVATE bool mcp__arena_grow(mcp__arena *a, size_t n) {
    mcp__chunk *spare = a->at ? a->at->next : a->first;
    if (!spare || spare->cap < n) {
        size_t cap = mcp__max(n, MCP__CHUNK - sizeof(mcp__chunk));
        if (cap > (SIZE_MAX >> 1)) return false;
        mcp__chunk *chunk = (mcp__chunk *)mcp__realloc(a->mem, NULL, 0, sizeof *chunk + cap);
        if (!chunk) return false;
        chunk->cap = cap;
        chunk->next = spare;
        if (a->at) a->at->next = chunk; else a->first = chunk;
        spare = chunk;
    }
    a->at = spare;
    a->used = 0;
    return true;
}

/* n bytes as they are, aligned for any type; NULL: out of memory. */
MCP__PRIVATE void *mcp__arena_raw(mcp__arena *a, size_t n) {
    const size_t unit = sizeof(((mcp__chunk *)0)->align);
    if (n > SIZE_MAX / 4) return NULL;
    n = (n + unit - 1) / unit * unit;
    if ((!a->at || n > a->at->cap - a->used) && !mcp__arena_grow(a, n)) return NULL;
    char *p = (char *)(a->at + 1) + a->used;
    a->used += n;
    return p;
}

MCP__PRIVATE void *mcp__arena_alloc(mcp__arena *a, size_t n) {
    void *p = mcp__arena_raw(a, n ? n : 1);
    if (p) memset(p, 0, n ? n : 1);
    return p;
}

MCP__PRIVATE void *mcp__arena_array(mcp__arena *a, size_t count, size_t size) {
    if (count > SIZE_MAX / 4 / size) return NULL;
    return mcp__arena_alloc(a, count * size);
}

MCP__PRIVATE char *mcp__arena_copy(mcp__arena *a, const char *s, size_t n) {
    char *p = n < SIZE_MAX / 4 ? (char *)mcp__arena_raw(a, n + 1) : NULL;
    if (!p) return NULL;
    if (n) memcpy(p, s, n);
    p[n] = 0;
    return p;
}

/* Everything handed out is gone; chunks of up to keep bytes in all wait for the next use. */
MCP__PRIVATE void mcp__arena_reset(mcp__arena *a, size_t keep) {
    mcp__chunk **link = &a->first;
    for (mcp__chunk *c = *link; c; c = *link) {
        if (c->cap <= keep) {
            keep -= c->cap;
            link = &c->next;
        } else {
            *link = c->next;
            mcp__realloc(a->mem, c, sizeof *c + c->cap, 0);
        }
    }
    a->at = NULL;
    a->used = 0;
}

/* JSON texts are scanned in wide steps: this many zero bytes follow each, and some precede it. */
enum { MCP__PAD = 64, MCP__PAD_BEFORE = 8 };

/* A copy of a JSON text, terminated and padded for the scanner. */
MCP__PRIVATE char *mcp__arena_json(mcp__arena *a, const char *s, size_t n) {
    if (n > SIZE_MAX / 4) return NULL;
    char *p = (char *)mcp__arena_raw(a, MCP__PAD_BEFORE + n + MCP__PAD);
    if (!p) return NULL;
    memset(p, 0, MCP__PAD_BEFORE);
    p += MCP__PAD_BEFORE;
    if (n) memcpy(p, s, n);
    memset(p + n, 0, MCP__PAD);
    return p;
}

/* What a writer left in b, terminated and padded like a message; NULL: out of memory. */
MCP__PRIVATE const char *mcp__buf_json(mcp__buf *b) {
    if (!mcp__buf_reserve(b, MCP__PAD)) return NULL;
    memset(b->ptr + b->len, 0, MCP__PAD);
    return b->ptr;
}

/* ---- >>text ------------------------------------------------------------------------------------
   Bytes to text and back: UTF-8, numbers, printf, base64. Nothing here looks at the locale or uses
   stdio. Wide steps are written once, over a vector that is a byte, a word, SSE2, AVX2 or NEON, and
   every width gives the same results. Numbers stay text until somebody asks: then decimal becomes
   binary by Eisel and Lemire's method, binary becomes decimal by Giulietti's Schubfach, both over
   one table of powers of five; and where 19 digits don't decide, the exact value is written out. */

static const char mcp__hex[] = "0123456789abcdef";
#define MCP__BLANKS 0x2020202020202020u

/* -- words -- */

MCP__INLINE uint64_t mcp__load64(const void *p) {
    uint64_t v;
    memcpy(&v, p, 8);
    return v;
}

/* Fewer than eight bytes, but one at least, as a word: zeros above them. Nothing else is read. */
MCP__INLINE uint64_t mcp__load_few(const char *p, size_t n) {
    const unsigned char *u = (const unsigned char *)p;
    uint32_t a, b;
    if (n < 4)
        return u[0] | (uint32_t)u[n / 2] << n / 2 * 8 | (uint32_t)u[n - 1] << (n - 1) * 8;
    memcpy(&a, p, 4);
    memcpy(&b, p + n - 4, 4);
    return a | (uint64_t)b << (n - 4) * 8;
}

/* The lowest byte first, on every machine. */
MCP__INLINE void mcp__store64(char *p, uint64_t v) {
#if MCP__SIMD
    memcpy(p, &v, 8);
#else
    for (int i = 0; i < 8; i++) p[i] = (char)(v >> 8 * i);
#endif
}

MCP__INLINE uint64_t mcp__reversed(uint64_t v) { /* byte by byte */
#if defined(__GNUC__)
    return __builtin_bswap64(v);
#else
    v = v >> 32 | v << 32;
    v = (v >> 16 & 0x0000FFFF0000FFFF) | (v & 0x0000FFFF0000FFFF) << 16;
    return (v >> 8 & 0x00FF00FF00FF00FF) | (v & 0x00FF00FF00FF00FF) << 8;
#endif
}

/* Zero bits below the lowest one bit, and above the highest; v is not 0. */
MCP__INLINE unsigned mcp__ctz(uint64_t v) {
#if defined(__GNUC__)
    return (unsigned)__builtin_ctzll(v);
#elif defined(_MSC_VER) && defined(_WIN64)
    unsigned long i;
    _BitScanForward64(&i, v);
    return i;
#else
    unsigned n = 0;
    for (; !(v & 0xFF); v >>= 8) n += 8;
    for (; !(v & 1); v >>= 1) n++;
    return n;
#endif
}

MCP__INLINE unsigned mcp__clz(uint64_t v) {
#if defined(__GNUC__)
    return (unsigned)__builtin_clzll(v);
#elif defined(_MSC_VER) && defined(_WIN64)
    unsigned long i;
    _BitScanReverse64(&i, v);
    return 63 - i;
#else
    unsigned n = 0;
    for (; !(v >> 56); v <<= 8) n += 8;
    for (; !(v >> 63); v <<= 1) n++;
    return n;
#endif
}

/* The lower half of a * b; the upper one in *high. */
MCP__INLINE uint64_t mcp__multiply(uint64_t a, uint64_t b, uint64_t *high) {
#if defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 wide;
    wide r = (wide)a * b;
    *high = (uint64_t)(r >> 64);
    return (uint64_t)r;
#else
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t low = a0 * b0, x = a0 * b1, y = a1 * b0;
    uint64_t middle = (low >> 32) + (uint32_t)x + (uint32_t)y;
    *high = a1 * b1 + (x >> 32) + (y >> 32) + (middle >> 32);
    return middle << 32 | (uint32_t)low;
#endif
}

/* -- vectors --
   MCP__V bytes at once. A test gives a mask, and mcp__first says which byte is the first in it. In
   a word, a borrow may set bytes above the first true one: only the first one counts. */

#if MCP__SIMD >= 2
#if MCP__SIMD == 4
#define MCP__V 16
#define MCP__BITS 4                     /* of a mask, for each byte */
typedef uint8x16_t mcp__v;
typedef uint64_t mcp__mask;
#define MCP__ALL(c) vdupq_n_u8((uint8_t)(c))
#define MCP__AND(a, b) vandq_u8(a, b)
#define MCP__OR(a, b) vorrq_u8(a, b)
#define MCP__EQUAL(a, b) vceqq_u8(a, b)
#define MCP__LESS(a, b) vcltq_s8(vreinterpretq_s8_u8(a), vreinterpretq_s8_u8(b))
#define MCP__SIGN_LESS(a, b) /* the same, in the highest bits alone */ \
    vreinterpretq_u8_s8(vqsubq_s8(vreinterpretq_s8_u8(a), vreinterpretq_s8_u8(b)))
#define MCP__MIN(a, b) vminq_u8(a, b)
#define MCP__PLUS(a, b) vaddq_u8(a, b)
#define MCP__MINUS(a, b) vqsubq_u8(a, b)
#define MCP__SHIFT(v, n) vextq_u8(vdupq_n_u8(0), v, 16 - (n))
MCP__INLINE mcp__v mcp__load(const char *p) { return vld1q_u8((const uint8_t *)p); }
MCP__INLINE void mcp__store(char *p, mcp__v v) { vst1q_u8((uint8_t *)p, v); }
MCP__INLINE mcp__mask mcp__high(mcp__v v) { /* bytes of 0x80 and more */
    v = vreinterpretq_u8_s8(vshrq_n_s8(vreinterpretq_s8_u8(v), 7));
    return vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8(v), 4)), 0);
}
#else
#if MCP__SIMD == 2
#define MCP__V 16
#define MCP__MM(op) _mm_##op
#define MCP__SI(op) _mm_##op##_si128
#define MCP__SHIFT(v, n) _mm_slli_si128(v, n)       /* n bytes up, zeros come */
typedef __m128i mcp__v;
#else
#define MCP__V 32
#define MCP__MM(op) _mm256_##op
#define MCP__SI(op) _mm256_##op##_si256
#define MCP__SHIFT(v, n) _mm256_alignr_epi8(v, _mm256_permute2x128_si256(v, v, 8), 16 - (n))
typedef __m256i mcp__v;
#endif
#define MCP__BITS 1
typedef uint32_t mcp__mask;
#define MCP__ALL(c) MCP__MM(set1_epi8)((char)(c))
#define MCP__AND(a, b) MCP__SI(and)(a, b)
#define MCP__OR(a, b) MCP__SI(or)(a, b)
#define MCP__EQUAL(a, b) MCP__MM(cmpeq_epi8)(a, b)
#define MCP__LESS(a, b) MCP__MM(cmpgt_epi8)(b, a)    /* as signed bytes */
#define MCP__SIGN_LESS(a, b) MCP__MM(subs_epi8)(a, b)    /* the same, in the highest bits alone */
#define MCP__MIN(a, b) MCP__MM(min_epu8)(a, b)
#define MCP__PLUS(a, b) MCP__MM(add_epi8)(a, b)
#define MCP__MINUS(a, b) MCP__MM(subs_epu8)(a, b)    /* not below 0 */
MCP__INLINE mcp__v mcp__load(const void *p) { return MCP__SI(loadu)((const mcp__v *)p); }
MCP__INLINE void mcp__store(void *p, mcp__v v) { MCP__SI(storeu)((mcp__v *)p, v); }
MCP__INLINE mcp__mask mcp__high(mcp__v v) { return (mcp__mask)MCP__MM(movemask_epi8)(v); }
#endif

MCP__INLINE mcp__mask mcp__same(mcp__v v, int c) { return mcp__high(MCP__EQUAL(v, MCP__ALL(c))); }

MCP__INLINE mcp__mask mcp__stops(mcp__v v) { /* a quote, a backslash, a control byte */
    mcp__v control = MCP__EQUAL(MCP__MIN(v, MCP__ALL(0x1F)), v);
    mcp__v quote = MCP__EQUAL(v, MCP__ALL('"')), slash = MCP__EQUAL(v, MCP__ALL('\\'));
    return mcp__high(MCP__OR(MCP__OR(quote, slash), control));
}

MCP__INLINE mcp__mask mcp__breaks(mcp__v v) { /* those, and what is not ASCII */
    mcp__v quote = MCP__EQUAL(v, MCP__ALL('"')), slash = MCP__EQUAL(v, MCP__ALL('\\'));
    return mcp__high(MCP__OR(MCP__OR(quote, slash), MCP__SIGN_LESS(v, MCP__ALL(0x20))));
}

MCP__INLINE mcp__mask mcp__solid(mcp__v v) { /* no white space */
    mcp__v blank = MCP__OR(MCP__EQUAL(v, MCP__ALL(' ')), MCP__EQUAL(v, MCP__ALL('\n')));
    mcp__v rare = MCP__OR(MCP__EQUAL(v, MCP__ALL('\r')), MCP__EQUAL(v, MCP__ALL('\t')));
    return mcp__high(MCP__EQUAL(MCP__OR(blank, rare), MCP__ALL(0)));
}

MCP__INLINE mcp__mask mcp__marks(mcp__v v) { /* a quote, a bracket, a byte below 2 or above 0x7F */
    mcp__v low = MCP__OR(v, MCP__ALL(0x20)); /* [ and ] become { and } */
    mcp__v open = MCP__EQUAL(low, MCP__ALL('{')), close = MCP__EQUAL(low, MCP__ALL('}'));
    mcp__v quote = MCP__EQUAL(v, MCP__ALL('"')), odd = MCP__SIGN_LESS(v, MCP__ALL(2));
    return mcp__high(MCP__OR(MCP__OR(quote, odd), MCP__OR(open, close)));
}

#elif MCP__SIMD == 1
#define MCP__V 8
#define MCP__BITS 8
#define MCP__ALL(c) (0x0101010101010101u * (unsigned char)(c))
#define MCP__OR(a, b) ((a) | (b))
#define MCP__BELOW(v, c) (((v) - MCP__ALL(c)) & ~(v)) /* sign bits, for c up to 0x80 */
typedef uint64_t mcp__v;
typedef uint64_t mcp__mask;
MCP__INLINE mcp__v mcp__load(const char *p) { return mcp__load64(p); }
MCP__INLINE void mcp__store(char *p, mcp__v v) { mcp__store64(p, v); }
MCP__INLINE mcp__mask mcp__high(mcp__v v) { return v & MCP__ALL(0x80); }
MCP__INLINE mcp__mask mcp__same(mcp__v v, int c) {
    return mcp__high(MCP__BELOW(v ^ MCP__ALL(c), 1));
}

MCP__INLINE mcp__mask mcp__stops(mcp__v v) {
    return mcp__same(v, '"') | mcp__same(v, '\\') | mcp__high(MCP__BELOW(v, 0x20));
}

MCP__INLINE mcp__mask mcp__breaks(mcp__v v) {
    return mcp__same(v, '"') | mcp__same(v, '\\') | mcp__high(MCP__BELOW(v, 0x20) | v);
}

MCP__INLINE mcp__mask mcp__marks(mcp__v v) {
    mcp__v low = v | MCP__ALL(0x20);
    return mcp__same(v, '"') | mcp__same(low, '{') | mcp__same(low, '}') |
           mcp__high(MCP__BELOW(v, 2) | v);
}

#else
#define MCP__V 1
#define MCP__BITS 8
#define MCP__ALL(c) ((mcp__v)(c))
#define MCP__OR(a, b) ((mcp__v)((a) | (b)))
typedef unsigned char mcp__v;
typedef unsigned mcp__mask;
MCP__INLINE mcp__v mcp__load(const char *p) { return (mcp__v)*p; }
MCP__INLINE void mcp__store(char *p, mcp__v v) { *p = (char)v; }
MCP__INLINE mcp__mask mcp__high(mcp__v v) { return v & 0x80u; }
MCP__INLINE mcp__mask mcp__same(mcp__v v, int c) { return v == c; }
MCP__INLINE mcp__mask mcp__stops(mcp__v v) { return v < 0x20 || v == '"' || v == '\\'; }
MCP__INLINE mcp__mask mcp__breaks(mcp__v v) { return mcp__stops(v) || v > 0x7F; }
MCP__INLINE mcp__mask mcp__marks(mcp__v v) {
    return v < 2 || v == '"' || (v | 0x20) == '{' || (v | 0x20) == '}' || v > 0x7F;
}
#endif

MCP__INLINE unsigned mcp__first(mcp__mask m) { return MCP__V == 1 ? 0 : mcp__ctz(m) / MCP__BITS; }
MCP__INLINE mcp__mask mcp__before(mcp__mask m) { return (m - 1) ^ m; } /* and its own bits */

/* Is there none in many bytes, and no blank either? */
#if MCP__SIMD >= 2
#define MCP__DENSE 64
#define MCP__AHEAD 2048 /* bytes */
#define MCP__THICK(v) MCP__OR(MCP__SIGN_LESS(v, MCP__ALL('"' + 1)), MCP__EQUAL(v, MCP__ALL('\\')))
MCP__INLINE bool mcp__dense(const char *p) {
    mcp__v a = mcp__load(p), b = mcp__load(p + MCP__V), any = MCP__OR(MCP__THICK(a), MCP__THICK(b));
#if MCP__V * 2 < MCP__DENSE
    mcp__v c = mcp__load(p + 2 * MCP__V), d = mcp__load(p + 3 * MCP__V);
    any = MCP__OR(any, MCP__OR(MCP__THICK(c), MCP__THICK(d)));
#endif
    return !mcp__high(any);
}
#else
#define MCP__DENSE MCP__V
#define MCP__AHEAD 0
MCP__INLINE bool mcp__dense(const char *p) { return (void)p, false; }
#endif

/* n bytes, 0 < n < MCP__V, and zeros behind them: where memory may end. */
MCP__INLINE mcp__v mcp__load_part(const char *p, size_t n) {
#if MCP__SIMD == 0
    (void)n;
    return mcp__load(p);
#elif MCP__SIMD == 1
    return mcp__load_few(p, n);
#else
    size_t m = n < 16 ? n : n - 16;
    const char *q = p + (n - m);
    uint64_t low = m >= 8 ? mcp__load64(q) : m ? mcp__load_few(q, m) : 0;
    uint64_t high = m > 8 ? mcp__load64(q + m - 8) >> (128 - m * 8) : 0;
#if MCP__SIMD == 4
    return vcombine_u8(vcreate_u8(low), vcreate_u8(high));
#else
    __m128i part = _mm_set_epi64x((long long)high, (long long)low);
#if MCP__SIMD == 2
    return part;
#else
    if (n < 16) return _mm256_zextsi128_si256(part);
    return _mm256_set_m128i(part, _mm_loadu_si128((const __m128i *)(const void *)p));
#endif
#endif
#endif
}

/* What mcp__breaks finds in two words; 0: nothing. */
MCP__INLINE mcp__mask mcp__breaks_two(uint64_t a, uint64_t b) {
#if MCP__SIMD == 4
    return mcp__breaks(vcombine_u8(vcreate_u8(a), vcreate_u8(b)));
#elif MCP__SIMD == 3
    return mcp__breaks(_mm256_set_epi64x((long long)b, (long long)a, (long long)b, (long long)a));
#elif MCP__SIMD == 2
    return mcp__breaks(_mm_set_epi64x((long long)b, (long long)a));
#elif MCP__SIMD == 1
    return mcp__breaks(a) | mcp__breaks(b);
#else
    return (void)a, (void)b, 1;
#endif
}

/* -- bytes -- */

enum { MCP__HEX = 0x40, MCP__BREAK = 0x80 }; /* a hex digit; ends a number or a word */

static const unsigned char mcp__bytes[256] = { /* and the digit's value */
    0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x80, 0, 0, 0x80, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0,
    0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0, 0, 0, 0, 0, 0,
    0, 0x4A, 0x4B, 0x4C, 0x4D, 0x4E, 0x4F, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0,
    0, 0x4A, 0x4B, 0x4C, 0x4D, 0x4E, 0x4F, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80 };

MCP__INLINE unsigned mcp__byte(char c) { return mcp__bytes[(unsigned char)c]; }
MCP__INLINE bool mcp__is_digit(char c) { return (unsigned)(c - '0') < 10; }

/* What four hex digits say, or -1. */
MCP__INLINE int32_t mcp__hex4(const char *p) {
    unsigned a = mcp__byte(p[0]), b = mcp__byte(p[1]), c = mcp__byte(p[2]), d = mcp__byte(p[3]);
    if (!(a & b & c & d & MCP__HEX)) return -1;
    return (int32_t)(((a << 12) + (b << 8) + (c << 4) + d - MCP__HEX * 0x111u) & 0xFFFF);
}

/* -- UTF-8 -- */

static const char mcp__mark[] = "\xEF\xBB\xBF"; /* of the byte order */

/* A text without the mark that may stand before it. */
MCP__PRIVATE char *mcp__unmarked(char *p, size_t *n) {
    if (*n < 3 || memcmp(p, mcp__mark, 3) != 0) return p;
    *n -= 3;
    return p + 3;
}

/* How many bytes at s fit a well-formed sequence (Unicode 15, table 3-7), and how many it needs, 0
   if none starts so. It is whole if both agree. What fits is also what one U+FFFD replaces. */
MCP__PRIVATE size_t mcp__utf8_fit(const char *s, size_t n, size_t *need) {
    unsigned lead = (unsigned char)s[0], low = 0x80, high = 0xBF;
    if (lead == 0xE0) low = 0xA0;  /* no overlong forms */
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xED) high = 0x9F; /* no surrogates */
    if (lead == 0xF4) high = 0x8F; /* nothing above U+10FFFF */
    *need = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if ((lead > 0x7F && lead < 0xC2) || lead > 0xF4) *need = 0;
    size_t fit = 1;
    for (; fit < *need && fit < n; fit++, low = 0x80, high = 0xBF) {
        unsigned c = (unsigned char)s[fit];
        if (c < low || c > high) break;
    }
    return fit;
}

/* How many bytes before p start a sequence that is not complete at p. */
MCP__INLINE size_t mcp__utf8_open(const char *p) {
    const unsigned char *u = (const unsigned char *)p;
    return u[-1] >= 0xC0 ? 1 : u[-2] >= 0xE0 ? 2 : u[-3] >= 0xF0 ? 3 : 0;
}

#if MCP__SIMD >= 2
/* What is wrong in v, if before each of its bytes stand that of a, of b and of c. No shuffles: any
   SSE2 does it. */
MCP__INLINE mcp__mask mcp__utf8_wrong(mcp__v v, mcp__v a, mcp__v b, mcp__v c) {
    mcp__v due = MCP__OR(MCP__OR(MCP__MINUS(a, MCP__ALL(0xBF)), MCP__MINUS(b, MCP__ALL(0xDF))),
                         MCP__MINUS(c, MCP__ALL(0xEF))); /* not 0: only 80 .. BF is right */
    mcp__v never = MCP__OR(MCP__EQUAL(MCP__OR(v, MCP__ALL(1)), MCP__ALL(0xC1)),
                           MCP__MINUS(v, MCP__ALL(0xF4)));
    mcp__v is = MCP__LESS(v, MCP__ALL(0xC0));            /* 80 .. BF */
    mcp__v bad = MCP__EQUAL(MCP__EQUAL(MCP__OR(due, never), MCP__ALL(0)), is);
    mcp__v low = MCP__LESS(MCP__PLUS(v, MCP__AND(a, MCP__ALL(0x10))), MCP__ALL(0xA0));
    mcp__v least = MCP__EQUAL(MCP__OR(a, MCP__ALL(0x10)), MCP__ALL(0xF0));
    mcp__v most = MCP__OR(MCP__EQUAL(a, MCP__ALL(0xED)), MCP__EQUAL(a, MCP__ALL(0xF4)));
    bad = MCP__OR(bad, MCP__AND(least, low));            /* E0, F0: below A0, below 90 */
    bad = MCP__OR(bad, MCP__MINUS(most, low));           /* ED, F4: A0 and more, 90 and more */
    return mcp__high(bad);
}

MCP__INLINE mcp__mask mcp__utf8_wrong_first(mcp__v v) { /* nothing is before it */
    if (!mcp__high(v)) return 0;
    return mcp__utf8_wrong(v, MCP__SHIFT(v, 1), MCP__SHIFT(v, 2), MCP__SHIFT(v, 3));
}

MCP__INLINE mcp__mask mcp__utf8_wrong_at(const char *p) { /* it follows p[-3] .. p[-1] */
    mcp__v v = mcp__load(p);
    if (!mcp__high(v)) return mcp__utf8_open(p) ? (mcp__mask)-1 : 0;
    return mcp__utf8_wrong(v, mcp__load(p - 1), mcp__load(p - 2), mcp__load(p - 3));
}

/* Right for sure, for less: without C0, C1, E0 and all above EF, which need that closer look, and
   without E1, which one mask takes with E0. A text that has one of these has more. */
MCP__INLINE bool mcp__utf8_usual(mcp__v v, mcp__v a, mcp__v b) {
    mcp__v due = MCP__OR(MCP__MINUS(a, MCP__ALL(0xBF)), MCP__MINUS(b, MCP__ALL(0xDF)));
    mcp__v odd = MCP__OR(MCP__EQUAL(MCP__AND(v, MCP__ALL(0xDE)), MCP__ALL(0xC0)),
                         MCP__MINUS(v, MCP__ALL(0xEF)));
    mcp__v is = MCP__LESS(v, MCP__ALL(0xC0));
    mcp__v bad = MCP__EQUAL(MCP__EQUAL(MCP__OR(due, odd), MCP__ALL(0)), is);
    mcp__v surrogate = MCP__MINUS(MCP__EQUAL(a, MCP__ALL(0xED)), MCP__LESS(v, MCP__ALL(0xA0)));
    return !mcp__high(MCP__OR(bad, surrogate));
}

/* How far whole vectors are usual. */
MCP__INLINE size_t mcp__utf8_run(const char *s, size_t n) {
    size_t i = MCP__V;
    mcp__v v = mcp__load(s);
    if (!mcp__utf8_usual(v, MCP__SHIFT(v, 1), MCP__SHIFT(v, 2))) return 0;
    for (; n - i >= MCP__V; i += MCP__V) {
        const char *p = s + i;
        v = mcp__load(p);
        if (!mcp__high(v) && !mcp__utf8_open(p)) continue;
        if (!mcp__utf8_usual(v, mcp__load(p - 1), mcp__load(p - 2))) break;
    }
    return i;
}

/* How much of this is right for sure: whole vectors, the last of which overlaps the one before. */
MCP__INLINE size_t mcp__utf8_right(const char *s, size_t n) {
    if (n < MCP__V) return mcp__utf8_wrong_first(mcp__load_part(s, n)) ? 0 : n;
    size_t i = MCP__SMALL || n < 2 * MCP__V ? 0 : mcp__utf8_run(s, n);
    if (!i) {
        if (mcp__utf8_wrong_first(mcp__load(s))) return 0;
        i = MCP__V;
    }
    while (n - i >= MCP__V && !mcp__utf8_wrong_at(s + i)) i += MCP__V;
    if (n - i < MCP__V && n >= MCP__V + 3 && !mcp__utf8_wrong_at(s + n - MCP__V)) i = n;
    return i - mcp__utf8_open(s + i);
}
#else
/* Lesser machines know ASCII to be right, and most of what has three bytes. */
MCP__INLINE size_t mcp__utf8_right(const char *s, size_t n) {
    const unsigned char *u = (const unsigned char *)s;
    size_t i = 0;
    while (n - i >= MCP__V && !mcp__high(mcp__load(s + i))) i += MCP__V;
    while (n - i >= 3 && u[i] - 0xE1u < 12 && (u[i + 1] & u[i + 2] & 0xC0) == 0x80 &&
           !((u[i + 1] | u[i + 2]) & 0x40)) i += 3;
    return i;
}
#endif

/* Returns n, or the offset of the first sequence that is not UTF-8. */
MCP__PRIVATE size_t mcp__utf8_valid(const char *s, size_t n) {
    for (size_t i = 0, need; i < n; i += need) {
        i += mcp__utf8_right(s + i, n - i);
        if (i == n) break;
        if (mcp__utf8_fit(s + i, n - i, &need) != need) return i;
    }
    return n;
}

/* Is that so for all of what a quote follows, and behind that a vector? */
MCP__INLINE bool mcp__utf8_quoted(const char *s, size_t n) {
#if MCP__SIMD >= 2
    size_t i = MCP__SMALL || n < MCP__V ? 0 : mcp__utf8_run(s, n + MCP__V);
    for (; i <= n; i += MCP__V) {
        mcp__mask wrong = i ? mcp__utf8_wrong_at(s + i) : mcp__utf8_wrong_first(mcp__load(s));
        if (wrong) return mcp__first(wrong) > n - i;
    }
    return true;
#else
    return mcp__utf8_valid(s, n) == n;
#endif
}

MCP__PRIVATE size_t mcp__utf8_count(const char *s, size_t n) { /* code points of valid UTF-8 */
    size_t count = 0;
    for (size_t i = 0; i < n; i++) count += ((unsigned char)s[i] & 0xC0) != 0x80;
    return count;
}

MCP__INLINE char mcp__utf8_next(uint32_t c) { return (char)(0x80 | (c & 0x3F)); }

MCP__INLINE char *mcp__utf8_put(char *out, uint32_t c) {
    if (c < 0x80) {
        out[0] = (char)c;
        return out + 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xC0 | c >> 6);
        out[1] = mcp__utf8_next(c);
        return out + 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xE0 | c >> 12);
        out[1] = mcp__utf8_next(c >> 6);
        out[2] = mcp__utf8_next(c);
        return out + 3;
    }
    out[0] = (char)(0xF0 | c >> 18);
    out[1] = mcp__utf8_next(c >> 12);
    out[2] = mcp__utf8_next(c >> 6);
    out[3] = mcp__utf8_next(c);
    return out + 4;
}

/* -- powers of five: the 128 leading bits of 5^q, -342 <= q <= 324, in 800 bytes --
   5^q is an entry of every 27th power times a small one, rounded down; where that is too small, the
   correction, two bits for each q, makes up for it. All 667 were compared with the exact ones. */

static const uint64_t mcp__fives_27[26][2] = {
    { 0x8049A4AC0C5811AE, 0x205B896D777D6278 }, { 0xCF42894A5DCE35EA, 0x52064CAC828675B9 },
    { 0xA76C582338ED2621, 0xAF2AF2B80AF6F24E }, { 0x873E4F75E2224E68, 0x5A7744A6E804A291 },
    { 0xDA7F5BF590966848, 0xAF39A475506A899E }, { 0xB080392CC4349DEC, 0xBD8D794D96AACFB3 },
    { 0x8E938662882AF53E, 0x547EB47B7282EE9C }, { 0xE65829B3046B0AFA, 0x0CB4A5A3112A5112 },
    { 0xBA121A4650E4DDEB, 0x92F34D62616CE413 }, { 0x964E858C91BA2655, 0x3A6A07F8D510F86F },
    { 0xF2D56790AB41C2A2, 0xFAE27299423FB9C3 }, { 0xC428D05AA4751E4C, 0xAA97E14C3C26B886 },
    { 0x9E74D1B791E07E48, 0x775EA264CF55347D }, { 0x8000000000000000, 0x0000000000000000 },
    { 0xCECB8F27F4200F3A, 0x0000000000000000 }, { 0xA70C3C40A64E6C51, 0x999090B65F67D924 },
    { 0x86F0AC99B4E8DAFD, 0x69A028BB3DED71A3 }, { 0xDA01EE641A708DE9, 0xE80E6F4820CC9495 },
    { 0xB01AE745B101E9E4, 0x5EC05DCFF72E7F8F }, { 0x8E41ADE9FBEBC27D, 0x14588F13BE847307 },
    { 0xE5D3EF282A242E81, 0x8F1668C8A86DA5FA }, { 0xB9A74A0637CE2EE1, 0x6D953E2BD7173692 },
    { 0x95F83D0A1FB69CD9, 0x4ABDAF101564F98E }, { 0xF24A01A73CF2DCCF, 0xBC633B39673C8CEC },
    { 0xC3B8358109E84F07, 0x0A862F80EC4700C8 }, { 0x9E19DB92B4E31BA9, 0x6C07A2C26A8346D1 } };

static const uint64_t mcp__fives[27] = {
    1, 5, 25, 125, 625, 3125, 15625, 78125, 390625, 1953125, 9765625, 48828125, 244140625,
    1220703125, 6103515625, 30517578125, 152587890625, 762939453125, 3814697265625,
    19073486328125, 95367431640625, 476837158203125, 2384185791015625, 11920928955078125,
    59604644775390625, 298023223876953125, 1490116119384765625 };

static const uint64_t mcp__fives_off[21] = {
    0x1501000455555551, 0x0001400041450500, 0x9565555944541005, 0x4105540544544116,
    0x1041551596525555, 0x4010404441054005, 0x0000000010040015, 0x9551556955400000,
    0x0010000050401165, 0x4515544115051554, 0x0000045451055195, 0x0000000000000000,
    0x0000000000000000, 0x969965A555590000, 0x5050155555455505, 0x0010555514545511,
    0x5515541000110100, 0x4415050445545455, 0x0010000000015414, 0x0000000400400000, 0 };

/* 5^q, normalised and rounded down, or up by one. */
MCP__PRIVATE uint64_t mcp__power5(int q, bool up, uint64_t *low) {
    unsigned k = (unsigned)(q + 342), i = (k + 9) / 27, r = (k + 9) % 27;
    uint64_t high = mcp__fives_27[i][0], rest = mcp__fives_27[i][1];
    if (r) {
        uint64_t top, carry, lowest = mcp__multiply(rest, mcp__fives[r], &carry);
        rest = mcp__multiply(high, mcp__fives[r], &top) + carry;
        top += rest < carry;
        unsigned shift = mcp__clz(top);
        high = shift ? top << shift | rest >> (64 - shift) : top;
        rest = shift ? rest << shift | lowest >> (64 - shift) : rest;
    }
    uint64_t off = (mcp__fives_off[k / 32] >> k % 32 * 2 & 3) + up;
    *low = rest + off;
    return high + (*low < off);
}

/* The upper word of mcp__power5(q, true) for 5^-1 to 5^-26, which most numbers in a text need. */
static const uint64_t mcp__fifths[26] = {
    0xCCCCCCCCCCCCCCCC, 0xA3D70A3D70A3D70A, 0x83126E978D4FDF3B, 0xD1B71758E219652B,
    0xA7C5AC471B478423, 0x8637BD05AF6C69B5, 0xD6BF94D5E57A42BC, 0xABCC77118461CEFC,
    0x89705F4136B4A597, 0xDBE6FECEBDEDD5BE, 0xAFEBFF0BCB24AAFE, 0x8CBCCC096F5088CB,
    0xE12E13424BB40E13, 0xB424DC35095CD80F, 0x901D7CF73AB0ACD9, 0xE69594BEC44DE15B,
    0xB877AA3236A4B449, 0x9392EE8E921D5D07, 0xEC1E4A7DB69561A5, 0xBCE5086492111AEA,
    0x971DA05074DA7BEE, 0xF1C90080BAF72CB1, 0xC16D9A0095928A27, 0x9ABE14CD44753B52,
    0xF79687AED3EEC551, 0xC612062576589DDA };

/* -- numbers to text -- */

#define MCP__ZEROS 0x3030303030303030 /* eight '0' */

/* Eight decimal digits, a byte each, the first in the lowest (after Paul Khuong's itoa). */
MCP__INLINE uint64_t mcp__eight_digits(uint32_t v) {
    uint64_t high = ((uint64_t)v * 109951163) >> 40;         /* v / 10000 */
    uint64_t fours = high | ((uint64_t)v - high * 10000) << 32;
    uint64_t q = (fours * 10486 >> 20) & 0x0000007F0000007F; /* / 100 */
    uint64_t twos = q | (fours - q * 100) << 16;
    q = (twos * 103 >> 10) & 0x000F000F000F000F;             /* / 10 */
    return q | (twos - q * 10) << 8;
}

MCP__INLINE char *mcp__print_eight(char *out, uint32_t v) { /* writes eight bytes, however few */
    uint64_t digits = mcp__eight_digits(v);
    unsigned zeros = mcp__ctz(digits | (uint64_t)1 << 56) / 8;
    mcp__store64(out, (digits | MCP__ZEROS) >> 8 * zeros);
    return out + 8 - zeros;
}

MCP__PRIVATE char *mcp__print_uint(char *out, uint64_t v) { /* may write 7 bytes more */
    const uint64_t step = 100000000;
    if (v < step) return mcp__print_eight(out, (uint32_t)v);
    uint64_t high = v / step;
    if (high < 10) *out++ = (char)('0' + high);
    else if (high < step) out = mcp__print_eight(out, (uint32_t)high);
    else out = mcp__print_uint(out, high);
    mcp__store64(out, mcp__eight_digits((uint32_t)(v - high * step)) | MCP__ZEROS);
    return out + 8;
}

MCP__PRIVATE char *mcp__print_int(char *out, int64_t v) { /* room for 24 */
    if (v >= 0) return mcp__print_uint(out, (uint64_t)v);
    *out = '-';
    return mcp__print_uint(out + 1, 0 - (uint64_t)v);
}

/* n digits of v, with zeros before it. */
MCP__PRIVATE void mcp__digits(char *out, int n, int v) {
    for (; n--; v /= 10) out[n] = (char)('0' + v % 10);
}

/* Year, month, day, hour, minute and second of a time since the Unix epoch, in UTC. */
MCP__PRIVATE void mcp__civil(int64_t second, int part[6]) {
    int64_t day = second / 86400, time = second % 86400;
    int64_t z = day + 719468, era = z / 146097, doe = z - era * 146097; /* Howard Hinnant, */
    int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365; /* civil_from_days */
    int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100), mp = (5 * doy + 2) / 153;
    part[1] = (int)(mp < 10 ? mp + 3 : mp - 9);
    part[0] = (int)(yoe + era * 400 + (part[1] < 3));
    part[2] = (int)(doy - (153 * mp + 2) / 5 + 1);
    part[3] = (int)(time / 3600), part[4] = (int)(time / 60 % 60), part[5] = (int)(time % 60);
}

/* A double is m * 2^e; without its sign, finite. */
enum { MCP__FRACTION_BITS = 52, MCP__INFINITE = 0x7FF };

MCP__INLINE uint64_t mcp__double_split(uint64_t bits, int *e) {
    int biased = (int)(bits >> MCP__FRACTION_BITS);
    uint64_t one = (uint64_t)1 << MCP__FRACTION_BITS, fraction = bits & (one - 1);
    *e = (biased ? biased : 1) - 1075;
    return biased ? fraction | one : fraction;
}

/* The upper 64 bits of g * c, odd if bits were lost. */
MCP__INLINE uint64_t mcp__round_to_odd(uint64_t g_high, uint64_t g_low, uint64_t c) {
    uint64_t carry, high;
    (void)mcp__multiply(g_low, c, &carry);
    uint64_t low = mcp__multiply(g_high, c, &high) + carry;
    high += low < carry;
    return high | (low > 1);
}

/* The shortest digits that read back as this double: digits * 10^exponent. Raffaello Giulietti,
   "The Schubfach way to render doubles", 2020. bits: without sign, finite, not 0. */
MCP__PRIVATE uint64_t mcp__shortest(uint64_t bits, int *exponent) {
    int q;
    uint64_t c = mcp__double_split(bits, &q);
    *exponent = 0;
    if (q <= 0 && q > -53 && !(c & (((uint64_t)1 << -q) - 1))) return c >> -q; /* an integer */
    unsigned uneven = c == (uint64_t)1 << MCP__FRACTION_BITS && q > -1074; /* half a gap below */
    int k = (q * 1262611 - (uneven ? 524031 : 0)) >> 22; /* floor(log10 of the gap) */
    int h = q + ((-k * 1741647) >> 19) + 1;
    uint64_t low, high = mcp__power5(-k, k > 0 || k < -55, &low);
    uint64_t left = mcp__round_to_odd(high, low, (4 * c - 2 + uneven) << h) + (c & 1);
    uint64_t middle = mcp__round_to_odd(high, low, 4 * c << h);
    uint64_t right = mcp__round_to_odd(high, low, (4 * c + 2) << h) - (c & 1);
    uint64_t s = middle / 4, tens = s / 10;
    bool under = left <= 40 * tens, over = 40 * tens + 40 <= right;
    *exponent = k + 1;
    if (tens && under != over) return tens + over; /* a digit less will do */
    *exponent = k;
    under = left <= 4 * s;
    over = 4 * s + 4 <= right;
    if (under != over) return s + over;
    return s + (middle > 4 * s + 2 || (middle == 4 * s + 2 && (s & 1)));
}

/* digits * 10^exponent as JavaScript lays it out. In blocks of fixed size: room for 60. */
MCP__PRIVATE char *mcp__layout(char *out, uint64_t digits, int exponent) {
    uint64_t top = digits / 10000000000000000, rest = digits % 10000000000000000;
    uint64_t a = mcp__eight_digits((uint32_t)(rest / 100000000));
    uint64_t b = mcp__eight_digits((uint32_t)(rest % 100000000));
    unsigned lead = top ? 0 : a ? 1 + mcp__ctz(a) / 8 : 9 + mcp__ctz(b) / 8;
    unsigned tail = b ? mcp__clz(b) / 8 : a ? 8 + mcp__clz(a) / 8 : 16;
    char text[48];
    memset(text, '0', sizeof text);
    text[0] = (char)('0' + top);
    mcp__store64(text + 1, a | MCP__ZEROS);
    mcp__store64(text + 9, b | MCP__ZEROS);
    const char *d = text + lead;
    int n = (int)(17 - lead - tail), point = n + exponent + (int)tail; /* 0.d * 10^point */
    if (point > 0 && point <= 21) {
        memcpy(out, d, 24);
        if (point >= n) return out + point;
        memcpy(out + point + 1, d + point, 24);
        out[point] = '.';
        return out + n + 1;
    }
    if (point > -6 && point <= 0) {
        memcpy(out, "0.000000", 8);
        memcpy(out + 2 - point, d, 24);
        return out + 2 - point + n;
    }
    *out++ = d[0];
    if (n > 1) *out++ = '.';
    memcpy(out, d + 1, 24);
    out += n - 1;
    *out++ = 'e';
    *out++ = point > 0 ? '+' : '-';
    return mcp__print_uint(out, (uint64_t)(point > 0 ? point - 1 : 1 - point));
}

#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD == 0
#define MCP__EXACT_STEPS 1 /* one operation rounds once; on an x87 it would not */
#else
#define MCP__EXACT_STEPS 0
#endif

/* At most six decimals, as most numbers have: n / 10^6 == v proves that the text reads back as v,
   and no other text of 15 digits or fewer does. NULL: it has more. */
MCP__INLINE char *mcp__print_millionths(char *out, double v) {
    if (MCP__SMALL || !MCP__EXACT_STEPS || !(v >= 1e-6 && v < 1e9)) return NULL;
    int64_t n = (int64_t)(v * 1e6 + 0.5);
    if ((double)n / 1e6 != v) return NULL;
    out = mcp__print_uint(out, (uint64_t)n / 1000000);
    uint64_t digits = mcp__eight_digits((uint32_t)(n % 1000000) * 100);
    if (!digits) return out;
    *out = '.';
    mcp__store64(out + 1, digits | MCP__ZEROS);
    return out + 9 - mcp__clz(digits) / 8;
}

MCP__PRIVATE char *mcp__print_double(char *out, double v) { /* finite; room for 64 */
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    if (bits >> 63) {
        *out++ = '-';
        bits &= ~((uint64_t)1 << 63);
        v = -v;
    }
    if (!bits) return mcp__print_uint(out, 0);
    char *end = mcp__print_millionths(out, v);
    if (end) return end;
    int exponent;
    uint64_t digits = mcp__shortest(bits, &exponent);
    return mcp__layout(out, digits, exponent);
}

/* -- text to numbers -- */

/* A number is its text, and what one look at it gave. */
typedef struct mcp__num {
    uint64_t digits;     /* the first 19 that count: digits * 10^exponent */
    int64_t exponent;
    const char *text;
    size_t size;
    ptrdiff_t count;     /* of all its digits, leading zeros too */
    bool negative, more; /* more: digits that are not 0 follow those 19 */
} mcp__num;

/* The byte at p; 0 at the end. An end of NULL: what stands behind will stop every scan. */
MCP__INLINE char mcp__peek(const char *p, const char *end) { return !end || p < end ? *p : 0; }

static const uint64_t mcp__tens[20] = {
    1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, 10000000000,
    100000000000, 1000000000000, 10000000000000, 100000000000000, 1000000000000000,
    10000000000000000, 100000000000000000, 1000000000000000000, 10000000000000000000u };

/* Eight bytes that were XORed with '0': which are no digits, and what do they say if all are? The
   first one is exact (after Daniel Lemire and Wojciech Muła). */
MCP__INLINE uint64_t mcp__no_digits(uint64_t v) {
    return ((v + 0x7676767676767676) | v) & 0x8080808080808080;
}

MCP__INLINE uint32_t mcp__parse_eight(uint64_t v) {
    v = v * 10 + (v >> 8);
    return (uint32_t)(((v & 0x000000FF000000FF) * 0x000F424000000064 +
                       (v >> 16 & 0x000000FF000000FF) * 0x0000271000000001) >> 32);
}

/* Appends digits to v. If there are four, it pays to look at eight. */
MCP__INLINE const char *mcp__scan_digits(const char *p, const char *end, uint64_t *v) {
    while (MCP__SIMD && (!end || end - p >= 8) && mcp__is_digit(p[3])) {
        uint64_t digits = mcp__load64(p) ^ MCP__ZEROS, others = mcp__no_digits(digits);
        if (others) {
            unsigned n = mcp__ctz(others) / 8;
            if (!n) return p;
            *v = *v * mcp__tens[n] + mcp__parse_eight(digits << (64 - 8 * n));
            return p + n;
        }
        *v = *v * 100000000 + mcp__parse_eight(digits);
        p += 8;
    }
    for (; mcp__is_digit(mcp__peek(p, end)); p++) *v = *v * 10 + (unsigned)(*p - '0');
    return p;
}

/* Reads a JSON number at p; returns what is behind it. NULL: there is none, and x->text is where it
   went wrong. Where nothing else is asked, the compiler drops the rest. */
MCP__INLINE const char *mcp__num_check(const char *p, const char *end, mcp__num *x) {
    const char *text = p, *first = p + (mcp__peek(p, end) == '-'), *fraction;
    uint64_t digits = 0;
    int64_t exponent = 0;
    p = mcp__peek(first, end) == '0' ? first + 1 : mcp__scan_digits(first, end, &digits);
    x->text = p;
    x->count = p - first;
    if (!x->count || (*first == '0' && mcp__is_digit(mcp__peek(p, end)))) return NULL;
    if (mcp__peek(p, end) == '.') {
        fraction = p + 1;
        x->text = p = mcp__scan_digits(fraction, end, &digits);
        if (p == fraction) return NULL;
        exponent = fraction - p;
        x->count += p - fraction;
    }
    if ((mcp__peek(p, end) | 0x20) == 'e') {
        bool minus = mcp__peek(++p, end) == '-';
        int64_t e = 0;
        if (minus || mcp__peek(p, end) == '+') p++;
        x->text = p;
        if (!mcp__is_digit(mcp__peek(p, end))) return NULL;
        for (; mcp__is_digit(mcp__peek(p, end)); p++)
            if (e < 100000000000000000) e = e * 10 + (*p - '0'); /* enough: it is far out there */
        exponent += minus ? -e : e;
    }
    x->text = text;
    x->size = (size_t)(p - text);
    x->digits = digits;
    x->exponent = exponent;
    x->negative = first > text;
    x->more = false;
    return p;
}

/* More than 19 digits: the first that count stay, the others move the exponent. */
MCP__PRIVATE MCP__NOINLINE void mcp__num_cut(mcp__num *x) {
    const char *p = x->text + x->negative, *end = x->text + x->size;
    int kept = 0;
    x->digits = 0;
    for (; p < end && (*p | 0x20) != 'e'; p++) {
        if (*p == '.') continue;
        if (kept < 19) {
            x->digits = x->digits * 10 + (unsigned)(*p - '0');
            kept += x->digits != 0;
        } else {
            x->exponent++;
            x->more |= *p != '0';
        }
    }
}

MCP__INLINE const char *mcp__num_scan(const char *p, const char *end, mcp__num *x) {
    p = mcp__num_check(p, end, x);
    if (MCP__UNLIKELY(p && x->count > 19)) mcp__num_cut(x);
    return p;
}

/* The whole text is one number; MCP_SYNTAX: x->text is where it is none. */
MCP__PRIVATE int mcp__num_parse(const char *s, size_t n, mcp__num *x) {
    const char *end = s + n, *p = mcp__num_scan(s, end, x);
    if (p && p < end) x->text = p;
    return p && p == end ? MCP_OK : MCP_SYNTAX;
}

/* Where its decimal point is: 0.ddd * 10^point, the first d not being 0. x is not 0. */
MCP__PRIVATE int64_t mcp__num_point(const mcp__num *x) {
    int n = 0;
    while (n < 20 && x->digits >= mcp__tens[n]) n++;
    return x->exponent + n;
}

/* Its text from the first digit that is not 0 to the last one; a point may be among them. */
MCP__PRIVATE mcp__str mcp__num_digits(const mcp__num *x) {
    const char *p = x->text, *end = p + x->size;
    while (p < end && !(*p > '0' && *p <= '9')) p++;
    const char *last = p;
    for (const char *q = p; q < end && (*q | 0x20) != 'e'; q++)
        if (*q > '0') last = q + 1;
    mcp__str digits = { p, (size_t)(last - p) };
    return digits;
}

MCP__PRIVATE int mcp__next_digit(mcp__str *digits) { /* 0 for ever behind the last */
    if (digits->n && *digits->s == '.') digits->s++, digits->n--;
    if (!digits->n) return 0;
    digits->n--;
    return *digits->s++ - '0';
}

/* Compares the digits behind equal points. */
MCP__PRIVATE int mcp__compare_digits(mcp__str a, mcp__str b) {
    while (a.n || b.n) {
        int difference = mcp__next_digit(&a) - mcp__next_digit(&b);
        if (difference) return difference < 0 ? -1 : 1;
    }
    return 0;
}

MCP__PRIVATE int mcp__num_sign(const mcp__num *x) {
    return !x->digits ? 0 : x->negative ? -1 : 1;
}

/* <0, 0, >0, and exact, however long they are. */
MCP__PRIVATE int mcp__num_compare(const mcp__num *a, const mcp__num *b) {
    int sign = mcp__num_sign(a);
    if (sign != mcp__num_sign(b)) return sign < mcp__num_sign(b) ? -1 : 1;
    if (!sign) return 0;
    int64_t p = mcp__num_point(a), q = mcp__num_point(b);
    if (p != q) return p < q ? -sign : sign;
    return sign * mcp__compare_digits(mcp__num_digits(a), mcp__num_digits(b));
}

MCP__PRIVATE bool mcp__num_integral(const mcp__num *x) { /* 3, 3.0, 1e2, of any size */
    if (!x->digits) return true;
    mcp__str d = mcp__num_digits(x);
    bool point = memchr(d.s, '.', d.n) != NULL;
    return (int64_t)(d.n - point) <= mcp__num_point(x);
}

/* MCP_SYNTAX: it has a fraction. MCP_LIMIT: it does not fit. */
MCP__PRIVATE int mcp__num_int(const mcp__num *x, int64_t *out) {
    uint64_t v = x->digits;
    *out = 0;
    if (!v) return MCP_OK;
    if (x->exponent || x->more) {
        if (!mcp__num_integral(x)) return MCP_SYNTAX;
        if (mcp__num_point(x) > 19) return MCP_LIMIT;
        if (x->exponent < 0) v /= mcp__tens[-x->exponent]; /* without rest */
        else v *= mcp__tens[x->exponent];                  /* below 10^19 */
    }
    if (v > (uint64_t)INT64_MAX + x->negative) return MCP_LIMIT;
    *out = x->negative ? -(int64_t)(v - 1) - 1 : (int64_t)v;
    return MCP_OK;
}

/* -- a double, written out: all its digits, up to 767 of them -- */

typedef struct mcp__exact {
    int count, point; /* 0.digits * 10^point; zeros at neither end; 0: no digits */
    char digits[1440];
} mcp__exact;

/* Limbs of nine digits, the first one highest; those up to UNIT are before the point. */
enum { MCP__UNIT = 36, MCP__LIMBS = MCP__UNIT + 124, MCP__LIMB = 1000000000 };

MCP__PRIVATE void mcp__exact_read(mcp__exact *x, const uint32_t *limb, int first, int last) {
    char *out = x->digits;
    for (int i = first; i <= last; i++, out += 9) {
        mcp__store64(out + 1, mcp__eight_digits(limb[i] % 100000000) | MCP__ZEROS);
        out[0] = (char)('0' + limb[i] / 100000000);
    }
    int zeros = 0;
    x->count = (int)(out - x->digits);
    while (x->count && x->digits[x->count - 1] == '0') x->count--;
    while (zeros < x->count && x->digits[zeros] == '0') zeros++;
    x->count -= zeros;
    x->point = (MCP__UNIT + 1 - first) * 9 - zeros;
    memmove(x->digits, x->digits + zeros, (size_t)x->count);
}

/* m * 2^e: doubled 29 times at once, or halved 9 times at once, as 2^9 divides 10^9. */
MCP__PRIVATE void mcp__exact_set(mcp__exact *x, uint64_t m, int e) {
    uint32_t limb[MCP__LIMBS] = { 0 };
    int first = MCP__UNIT - 1, last = MCP__UNIT;
    limb[first] = (uint32_t)(m / MCP__LIMB);
    limb[last] = (uint32_t)(m % MCP__LIMB);
    for (int step; e > 0; e -= step) {
        uint64_t carry = 0;
        step = e < 29 ? e : 29;
        for (int i = last; i >= first; i--, carry /= MCP__LIMB) {
            carry += (uint64_t)limb[i] << step;
            limb[i] = (uint32_t)(carry % MCP__LIMB);
        }
        if (carry) limb[--first] = (uint32_t)carry;
    }
    for (int step; e < 0; e += step) {
        uint32_t carry = 0;
        step = -e < 9 ? -e : 9;
        for (int i = first; i <= last; i++) {
            uint32_t rest = limb[i] & ((1u << step) - 1);
            limb[i] = (limb[i] >> step) + carry;
            carry = (MCP__LIMB >> step) * rest;
        }
        if (carry) limb[++last] = carry;
        while (first < last && !limb[first]) first++;
    }
    mcp__exact_read(x, limb, first, last);
}

/* digits * 10^exponent as a double's bits; digits is not 0. Daniel Lemire, "Number parsing at a
   gigabyte per second", 2021; that two products always decide: Noble Mushtak and Daniel Lemire,
   "Fast number parsing without fallback", 2023. */
MCP__PRIVATE uint64_t mcp__nearest(uint64_t digits, int64_t exponent) {
    const uint64_t one = (uint64_t)1 << MCP__FRACTION_BITS, infinity = MCP__INFINITE * one;
    if (exponent < -342) return 0;
    if (exponent > 308) return infinity;
    int q = (int)exponent, lead = (int)mcp__clz(digits);
    bool common = !MCP__SMALL && q < 0 && q >= -26;
    uint64_t low, high = common ? mcp__fifths[-q - 1] : mcp__power5(q, q < 0, &low), top, carry;
    uint64_t rest = mcp__multiply(digits << lead, high, &top);
    if (MCP__UNLIKELY((top & 0x1FF) == 0x1FF)) {
        if (common) (void)mcp__power5(q, q < 0, &low); /* seldom: only now is that one needed */
        (void)mcp__multiply(digits << lead, low, &carry);
        rest += carry;
        top += rest < carry;
    }
    int upper = (int)(top >> 63), shift = upper + 9;
    uint64_t m = top >> shift;                             /* 54 bits */
    int e = (217706 * q >> 16) + 63 + upper - lead + 1023; /* floor(q * log2(10)) */
    if (e <= 0) {                                          /* subnormal, or 2^52 and the smallest */
        if (e <= -63) return 0;
        m >>= 1 - e;
        return (m + (m & 1)) >> 1;
    }
    bool tie = rest <= 1 && q >= -4 && q <= 23 && (m & 3) == 1 && m << shift == top;
    m = (m + (tie ? 0 : m & 1)) >> 1;
    if (m == 2 * one) {
        m = one;
        e++;
    }
    return e >= MCP__INFINITE ? infinity : (m & (one - 1)) | (uint64_t)e << MCP__FRACTION_BITS;
}

/* Between the double low and the next one, 19 digits did not decide: compares the text with the
   middle of the two, written out. */
MCP__PRIVATE MCP__NOINLINE uint64_t mcp__num_settle(const mcp__num *x, uint64_t low) {
    mcp__exact middle;
    int e;
    uint64_t m = mcp__double_split(low, &e);
    mcp__exact_set(&middle, 2 * m + 1, e - 1);
    int64_t point = mcp__num_point(x);
    mcp__str digits = { middle.digits, (size_t)middle.count };
    int side = point < middle.point ? -1 : point > middle.point ? 1
             : mcp__compare_digits(mcp__num_digits(x), digits);
    return low + (side > 0 || (side == 0 && (low & 1)));
}

/* Two exact doubles, so one rounding: William Clinger, 1990. False: they are not. */
MCP__INLINE bool mcp__num_exact(uint64_t digits, int64_t exponent, double *out) {
    static const double tens[23] = {
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
        1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
    if (!MCP__EXACT_STEPS || digits > (uint64_t)1 << 53 || exponent < -22 || exponent > 22)
        return false;
    double v = (double)(int64_t)digits;
    *out = exponent < 0 ? v / tens[-exponent] : v * tens[exponent];
    return true;
}

/* A double of these bits, but for its sign. MCP_LIMIT: it is infinite; 0 then. */
MCP__INLINE int mcp__num_signed(uint64_t bits, bool negative, double *out) {
    bool infinite = bits >> MCP__FRACTION_BITS == MCP__INFINITE;
    if (infinite) bits = 0;
    bits |= (uint64_t)negative << 63;
    memcpy(out, &bits, sizeof bits);
    return infinite ? MCP_LIMIT : MCP_OK;
}

/* The nearest double, ties to even, of 19 digits at most. */
MCP__INLINE int mcp__num_short(uint64_t digits, int64_t exponent, bool negative, double *out) {
    if (MCP__LIKELY(mcp__num_exact(digits, exponent, out))) {
        if (negative) *out = -*out;
        return MCP_OK;
    }
    return mcp__num_signed(digits ? mcp__nearest(digits, exponent) : 0, negative, out);
}

/* The same of more digits. */
MCP__PRIVATE MCP__NOINLINE int mcp__num_long(const mcp__num *x, double *out) {
    uint64_t bits = x->digits ? mcp__nearest(x->digits, x->exponent) : 0;
    if (bits != mcp__nearest(x->digits + 1, x->exponent)) bits = mcp__num_settle(x, bits);
    return mcp__num_signed(bits, x->negative, out);
}

/* The nearest double, ties to even. MCP_LIMIT: beyond the largest one; 0 then. */
MCP__INLINE int mcp__num_double(const mcp__num *x, double *out) {
    if (MCP__UNLIKELY(x->more)) return mcp__num_long(x, out);
    return mcp__num_short(x->digits, x->exponent, x->negative, out);
}

/* -- printf -- */

enum { MCP__LEFT = 1, MCP__PLUS = 2, MCP__BLANK = 4, MCP__ALT = 8, MCP__ZERO = 16 };
enum { MCP__SIZE_CHAR = -2, MCP__SIZE_SHORT, MCP__SIZE_INT, MCP__SIZE_LONG, MCP__SIZE_LONG_LONG,
       MCP__SIZE_POINTER, MCP__SIZE_MAX, MCP__SIZE_LONG_DOUBLE };

typedef struct mcp__spec {
    unsigned flags;
    int width, precision; /* precision: -1 is none */
    int size;
    char type;
} mcp__spec;
typedef struct mcp__args { va_list list; } mcp__args; /* so that it can be passed by address */

MCP__PRIVATE void mcp__buf_fill(mcp__buf *b, char c, int64_t n) {
    if (n <= 0 || !mcp__buf_reserve(b, (size_t)n)) return;
    memset(b->ptr + b->len, c, (size_t)n);
    b->len += (size_t)n;
}

/* Brings what was written since `from` to its width: blanks at a side, zeros behind the prefix. */
MCP__PRIVATE void mcp__pad(mcp__buf *b, size_t from, size_t prefix, const mcp__spec *f) {
    size_t n = b->len - from, width = (size_t)f->width;
    bool left = f->flags & MCP__LEFT, zero = !left && f->flags & MCP__ZERO;
    if (b->status || n >= width) return;
    size_t at = from + (left ? n : zero ? prefix : 0), pad = width - n;
    mcp__buf_fill(b, ' ', (int64_t)pad);
    if (b->status) return;
    memmove(b->ptr + at + pad, b->ptr + at, from + n - at);
    memset(b->ptr + at, zero ? '0' : ' ', pad);
}

MCP__PRIVATE void mcp__format_sign(mcp__buf *b, bool negative, unsigned flags) {
    if (negative) mcp__buf_add(b, "-", 1);
    else if (flags & MCP__PLUS) mcp__buf_add(b, "+", 1);
    else if (flags & MCP__BLANK) mcp__buf_add(b, " ", 1);
}

MCP__PRIVATE void mcp__format_uint(mcp__buf *b, uint64_t v, bool negative, mcp__spec *f) {
    char text[32], *p = text + sizeof text;
    const char *digit = f->type == 'X' ? "0123456789ABCDEF" : mcp__hex;
    unsigned base = f->type == 'o' ? 8 : f->type == 'd' || f->type == 'u' ? 10 : 16;
    bool hex = f->type == 'p' || (base == 16 && f->flags & MCP__ALT && v);
    size_t from = b->len;
    for (; v; v /= base) *--p = digit[v % base];
    ptrdiff_t n = text + sizeof text - p, least = f->precision < 0 ? 1 : f->precision;
    if (base == 8 && f->flags & MCP__ALT && least <= n) least = n + 1;
    if (f->precision >= 0) f->flags &= ~(unsigned)MCP__ZERO;
    if (f->type == 'd') mcp__format_sign(b, negative, f->flags);
    if (hex) mcp__buf_add(b, f->type == 'X' ? "0X" : "0x", 2);
    size_t prefix = b->len - from;
    mcp__buf_fill(b, '0', least - n);
    mcp__buf_add(b, p, (size_t)n);
    mcp__pad(b, from, prefix, f);
}

/* Rounds to `keep` digits, ties to even: the digits are exact, so ties are real ones. */
MCP__PRIVATE void mcp__exact_round(mcp__exact *x, int64_t keep) {
    if (keep >= x->count) return;
    bool up = false;
    if (keep >= 0) {
        bool odd = keep && (x->digits[keep - 1] & 1), over = keep + 1 < x->count;
        up = x->digits[keep] > '5' || (x->digits[keep] == '5' && (over || odd));
    }
    x->count = keep < 0 ? 0 : (int)keep;
    while (x->count && x->digits[x->count - 1] == (up ? '9' : '0')) x->count--;
    if (!up) return;
    if (x->count) x->digits[x->count - 1]++;
    else {
        x->digits[x->count++] = '1';
        x->point++;
    }
}

/* n digits from `at` on, counted from the first one; zeros where there are none. */
MCP__PRIVATE void mcp__exact_put(mcp__buf *b, const mcp__exact *x, int64_t at, int64_t n) {
    int64_t zeros = at >= 0 ? 0 : -at < n ? -at : n;
    mcp__buf_fill(b, '0', zeros);
    at += zeros;
    n -= zeros;
    int64_t have = at >= x->count ? 0 : x->count - at < n ? x->count - at : n;
    if (have > 0) mcp__buf_add(b, x->digits + at, (size_t)have);
    mcp__buf_fill(b, '0', n - have);
}

MCP__PRIVATE void mcp__format_fixed(mcp__buf *b, const mcp__exact *x, int64_t decimals, bool dot) {
    int64_t point = x->count ? x->point : 0;
    if (point > 0) mcp__exact_put(b, x, 0, point);
    else mcp__buf_add(b, "0", 1);
    if (decimals > 0 || dot) mcp__buf_add(b, ".", 1);
    if (decimals > 0) mcp__exact_put(b, x, point, decimals);
}

MCP__PRIVATE void mcp__format_exponent(mcp__buf *b, const mcp__exact *x, int64_t decimals, bool dot,
                                       char letter) {
    char text[32], *p = text;
    int e = x->count ? x->point - 1 : 0;
    mcp__exact_put(b, x, 0, 1);
    if (decimals > 0 || dot) mcp__buf_add(b, ".", 1);
    mcp__exact_put(b, x, 1, decimals);
    *p++ = letter;
    *p++ = e < 0 ? '-' : '+';
    if (e > -10 && e < 10) *p++ = '0';
    p = mcp__print_uint(p, (uint64_t)(e < 0 ? -e : e));
    mcp__buf_add(b, text, (size_t)(p - text));
}

/* Finite, without its sign. */
MCP__PRIVATE void mcp__format_finite(mcp__buf *b, uint64_t bits, const mcp__spec *f) {
    mcp__exact x;
    int e;
    uint64_t m = mcp__double_split(bits, &e);
    mcp__exact_set(&x, m, e);
    int64_t precision = f->precision < 0 ? 6 : f->precision;
    char type = (char)(f->type | 0x20), letter = (char)('e' - type + f->type);
    bool alt = f->flags & MCP__ALT;
    if (type == 'f') {
        mcp__exact_round(&x, x.point + precision);
        mcp__format_fixed(b, &x, precision, alt);
        return;
    }
    if (type == 'g' && !precision) precision = 1;
    mcp__exact_round(&x, precision + (type == 'e'));
    int64_t exponent = x.count ? x.point - 1 : 0;
    int64_t shown = alt ? precision : x.count ? x.count : 1; /* %g drops zeros */
    if (type == 'e') mcp__format_exponent(b, &x, precision, alt, letter);
    else if (exponent < -4 || exponent >= precision)
        mcp__format_exponent(b, &x, shown - 1, alt, letter);
    else mcp__format_fixed(b, &x, shown - 1 - exponent, alt);
}

MCP__PRIVATE void mcp__format_double(mcp__buf *b, double v, mcp__spec *f) {
    const uint64_t infinity = (uint64_t)MCP__INFINITE << MCP__FRACTION_BITS;
    const uint64_t sign = (uint64_t)1 << 63;
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    size_t from = b->len;
    mcp__format_sign(b, bits & sign, f->flags);
    size_t prefix = b->len - from;
    bits &= ~sign;
    if (bits < infinity) mcp__format_finite(b, bits, f);
    else {
        f->flags &= ~(unsigned)MCP__ZERO;
        mcp__buf_add(b, (f->type < 'a' ? "INFNAN" : "infnan") + (bits > infinity ? 3 : 0), 3);
    }
    mcp__pad(b, from, prefix, f);
}

MCP__PRIVATE void mcp__format_text(mcp__buf *b, const char *s, size_t n, mcp__spec *f) {
    size_t from = b->len;
    f->flags &= ~(unsigned)MCP__ZERO;
    mcp__buf_add(b, s, n);
    mcp__pad(b, from, 0, f);
}

MCP__PRIVATE void mcp__format_str(mcp__buf *b, const char *s, mcp__spec *f) {
    if (!s) s = "(null)";
    const char *nul = f->precision < 0 ? NULL : (const char *)memchr(s, 0, (size_t)f->precision);
    size_t n = nul ? (size_t)(nul - s) : f->precision < 0 ? strlen(s) : (size_t)f->precision;
    mcp__format_text(b, s, n, f);
}

MCP__PRIVATE int64_t mcp__arg_int(mcp__args *a, int size) {
    switch (size) {
    case MCP__SIZE_CHAR: return (signed char)va_arg(a->list, int);
    case MCP__SIZE_SHORT: return (short)va_arg(a->list, int);
    case MCP__SIZE_INT: return va_arg(a->list, int);
    case MCP__SIZE_LONG: return va_arg(a->list, long);
    case MCP__SIZE_LONG_LONG: return va_arg(a->list, long long);
    case MCP__SIZE_POINTER: return va_arg(a->list, ptrdiff_t);
    default: return va_arg(a->list, intmax_t);
    }
}

MCP__PRIVATE uint64_t mcp__arg_uint(mcp__args *a, int size) {
    switch (size) {
    case MCP__SIZE_CHAR: return (unsigned char)va_arg(a->list, unsigned);
    case MCP__SIZE_SHORT: return (unsigned short)va_arg(a->list, unsigned);
    case MCP__SIZE_INT: return va_arg(a->list, unsigned);
    case MCP__SIZE_LONG: return va_arg(a->list, unsigned long);
    case MCP__SIZE_LONG_LONG: return va_arg(a->list, unsigned long long);
    case MCP__SIZE_POINTER: return va_arg(a->list, size_t);
    default: return va_arg(a->list, uintmax_t);
    }
}

/* A number in the format, or for a * among the arguments. Nobody means more than a million. */
MCP__PRIVATE int mcp__spec_number(const char **p, mcp__args *a) {
    int n = 0, most = 1000000;
    if (**p == '*') {
        ++*p;
        n = va_arg(a->list, int);
        return n > most ? most : n < -most ? -most : n;
    }
    for (; mcp__is_digit(**p); ++*p)
        if (n < most / 10) n = n * 10 + (**p - '0');
    return n;
}

/* Reads what stands behind a %; returns what is behind that. */
MCP__PRIVATE const char *mcp__spec_read(mcp__spec *f, const char *p, mcp__args *a) {
    static const char flags[] = "-+ #0"; /* in the order of their bits */
    memset(f, 0, sizeof *f);
    for (const char *flag; *p && (flag = strchr(flags, *p)) != NULL; p++)
        f->flags |= 1u << (flag - flags);
    f->width = mcp__spec_number(&p, a);
    if (f->width < 0) {
        f->flags |= MCP__LEFT;
        f->width = -f->width;
    }
    f->precision = -1;
    if (*p == '.') {
        p++;
        f->precision = mcp__spec_number(&p, a);
    }
    for (; *p == 'h'; p++) f->size--;
    for (; *p == 'l'; p++) f->size++;
    if (*p == 'z' || *p == 't') p++, f->size = MCP__SIZE_POINTER;
    else if (*p == 'j') p++, f->size = MCP__SIZE_MAX;
    else if (*p == 'L') p++, f->size = MCP__SIZE_LONG_DOUBLE;
    f->type = *p;
    return *p ? p + 1 : p;
}

/* One conversion; false: there is no such. */
MCP__PRIVATE bool mcp__format_one(mcp__buf *b, mcp__spec *f, mcp__args *a) {
    bool wide = f->size == MCP__SIZE_LONG_DOUBLE;
    int64_t v;
    char c;
    switch (f->type) {
    case '%':
        mcp__buf_add(b, "%", 1);
        return true;
    case 'd': case 'i':
        f->type = 'd';
        v = mcp__arg_int(a, f->size);
        mcp__format_uint(b, v < 0 ? 0 - (uint64_t)v : (uint64_t)v, v < 0, f);
        return true;
    case 'u': case 'x': case 'X': case 'o':
        mcp__format_uint(b, mcp__arg_uint(a, f->size), false, f);
        return true;
    case 'f': case 'F': case 'e': case 'E': case 'g': case 'G':
        mcp__format_double(b, wide ? (double)va_arg(a->list, long double)
                                   : va_arg(a->list, double), f);
        return true;
    case 'c':
        c = (char)va_arg(a->list, int);
        mcp__format_text(b, &c, 1, f);
        return f->size == MCP__SIZE_INT;
    case 's':
        if (f->size == MCP__SIZE_INT) mcp__format_str(b, va_arg(a->list, const char *), f);
        return f->size == MCP__SIZE_INT;
    case 'p':
        mcp__format_uint(b, (uintptr_t)va_arg(a->list, void *), false, f);
        return true;
    default:
        return false;
    }
}

/* printf as in the C locale, appended; a NUL follows that does not count. False: see b->status. No
   %n, no %a, no wide text: those are MCP_MISUSE. */
MCP__PRIVATE bool mcp__vformat(mcp__buf *b, const char *fmt, va_list list) {
    mcp__args args;
    va_copy(args.list, list);
    while (*fmt && !b->status) {
        size_t n = strcspn(fmt, "%");
        mcp__buf_add(b, fmt, n);
        fmt += n;
        if (!*fmt) break;
        mcp__spec f;
        fmt = mcp__spec_read(&f, fmt + 1, &args);
        if (!mcp__format_one(b, &f, &args) && !b->status) b->status = MCP_MISUSE;
    }
    va_end(args.list);
    if (!mcp__buf_reserve(b, 1)) return false;
    b->ptr[b->len] = 0;
    return true;
}

/* -- base64: RFC 4648, section 4 --
   The vector steps are Wojciech Muła's and Daniel Lemire's ("Faster Base64 encoding and decoding
   using AVX2 instructions", 2018); SSE2, which cannot look up or shuffle bytes, compares and shifts
   instead. Each takes a vector of digits for MCP__V / 4 * 3 bytes. */

static const char mcp__base64[65] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

#if MCP__SIMD == 3
enum { MCP__BASE64_READS = 28, MCP__BASE64_NEEDS = 40 }; /* bytes, digits that must be left */

#define MCP__TWICE(...) _mm256_setr_epi8(__VA_ARGS__, __VA_ARGS__) /* in both halves */

MCP__INLINE void mcp__base64_put(char *out, const unsigned char *s) {
    const mcp__v spread = MCP__TWICE(1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10);
    const mcp__v step = MCP__TWICE(65, 71, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -19, -16, 0, 0);
    __m128i low = _mm_loadu_si128((const __m128i *)(const void *)s);
    __m128i high = _mm_loadu_si128((const __m128i *)(const void *)(s + 12));
    mcp__v v = _mm256_shuffle_epi8(_mm256_set_m128i(high, low), spread);
    mcp__v odd = MCP__AND(v, _mm256_set1_epi32(0x0FC0FC00));
    mcp__v even = MCP__AND(v, _mm256_set1_epi32(0x003F03F0));
    v = MCP__OR(_mm256_mulhi_epu16(odd, _mm256_set1_epi32(0x04000040)),
                _mm256_mullo_epi16(even, _mm256_set1_epi32(0x01000010)));
    mcp__v range = _mm256_sub_epi8(MCP__MINUS(v, MCP__ALL(51)), MCP__LESS(MCP__ALL(25), v));
    mcp__store(out, _mm256_add_epi8(v, _mm256_shuffle_epi8(step, range)));
}

/* May write four bytes more. False: some are no digits. */
MCP__INLINE bool mcp__base64_get(unsigned char *out, const char *s) {
    const mcp__v bad_low = MCP__TWICE(0x15, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11,
                                      0x13, 0x1A, 0x1B, 0x1B, 0x1B, 0x1A);
    const mcp__v bad_high = MCP__TWICE(0x10, 0x10, 0x01, 0x02, 0x04, 0x08, 0x04, 0x08, 0x10, 0x10,
                                       0x10, 0x10, 0x10, 0x10, 0x10, 0x10);
    const mcp__v step = MCP__TWICE(0, 16, 19, 4, -65, -65, -71, -71, 0, 0, 0, 0, 0, 0, 0, 0);
    const mcp__v pack = MCP__TWICE(2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1);
    mcp__v v = mcp__load(s), slash = MCP__EQUAL(v, MCP__ALL('/'));
    mcp__v low = MCP__AND(v, MCP__ALL(15)), high = MCP__AND(_mm256_srli_epi32(v, 4), MCP__ALL(15));
    mcp__v bad = MCP__AND(_mm256_shuffle_epi8(bad_low, low), _mm256_shuffle_epi8(bad_high, high));
    v = _mm256_add_epi8(v, _mm256_shuffle_epi8(step, _mm256_add_epi8(slash, high)));
    v = _mm256_maddubs_epi16(v, _mm256_set1_epi32(0x01400140)); /* pairs: 12 bits */
    v = _mm256_madd_epi16(v, _mm256_set1_epi32(0x00011000)); /* pairs of pairs: 24 */
    v = _mm256_shuffle_epi8(v, pack);
    _mm_storeu_si128((__m128i *)(void *)out, _mm256_castsi256_si128(v));
    _mm_storeu_si128((__m128i *)(void *)(out + 12), _mm256_extracti128_si256(v, 1));
    return _mm256_testz_si256(bad, MCP__ALL(-1));
}
#undef MCP__TWICE

#elif MCP__SIMD == 2
enum { MCP__BASE64_READS = 16, MCP__BASE64_NEEDS = 24 };

MCP__INLINE mcp__v mcp__when(mcp__v mask, int c) { return MCP__AND(mask, MCP__ALL(c)); }

MCP__INLINE void mcp__base64_put(char *out, const unsigned char *s) {
    int32_t lane[4]; /* of three bytes that count */
    for (int i = 0; i < 4; i++) memcpy(&lane[i], s + 3 * i, 4);
    const mcp__v x = _mm_set_epi32(lane[3], lane[2], lane[1], lane[0]);
#define MCP__BITS_OF(shift, n, bits) MCP__AND(_mm_##shift##_epi32(x, n), _mm_set1_epi32(bits))
    mcp__v v = MCP__OR(MCP__BITS_OF(srli, 2, 0x3F), MCP__BITS_OF(slli, 12, 0x3000));
    v = MCP__OR(v, MCP__OR(MCP__BITS_OF(srli, 4, 0x0F00), MCP__BITS_OF(slli, 10, 0x3C0000)));
    v = MCP__OR(v, MCP__OR(MCP__BITS_OF(srli, 6, 0x030000), MCP__BITS_OF(slli, 8, 0x3F000000)));
#undef MCP__BITS_OF
    mcp__v step = _mm_add_epi8(MCP__ALL('A'), mcp__when(MCP__LESS(MCP__ALL(25), v), 6));
    step = _mm_sub_epi8(step, mcp__when(MCP__LESS(MCP__ALL(51), v), 75));
    step = _mm_sub_epi8(step, mcp__when(MCP__LESS(MCP__ALL(61), v), 15));
    step = _mm_add_epi8(step, mcp__when(MCP__LESS(MCP__ALL(62), v), 3));
    mcp__store(out, _mm_add_epi8(v, step));
}

/* May write two bytes more. False: some are no digits. */
MCP__INLINE bool mcp__base64_get(unsigned char *out, const char *s) {
    mcp__v v = mcp__load(s);
#define MCP__RANGE(a, z) MCP__AND(MCP__LESS(MCP__ALL((a) - 1), v), MCP__LESS(v, MCP__ALL((z) + 1)))
    mcp__v upper = MCP__RANGE('A', 'Z'), lower = MCP__RANGE('a', 'z'), digit = MCP__RANGE('0', '9');
#undef MCP__RANGE
    mcp__v plus = MCP__EQUAL(v, MCP__ALL('+')), slash = MCP__EQUAL(v, MCP__ALL('/'));
    mcp__v good = MCP__OR(MCP__OR(MCP__OR(upper, lower), MCP__OR(plus, slash)), digit);
    mcp__v step = MCP__OR(mcp__when(upper, -65), mcp__when(lower, -71));
    step = MCP__OR(step, MCP__OR(mcp__when(digit, 4), mcp__when(plus, 19)));
    v = _mm_add_epi8(v, MCP__OR(step, mcp__when(slash, 16)));
    v = MCP__OR(MCP__AND(_mm_slli_epi16(v, 6), _mm_set1_epi16(0x0FC0)), _mm_srli_epi16(v, 8));
    v = _mm_madd_epi16(v, _mm_set1_epi32(0x00011000)); /* 24 bits in each lane */
    uint64_t a, b; /* two lanes each */
    _mm_storel_epi64((__m128i *)(void *)&a, v);
    _mm_storel_epi64((__m128i *)(void *)&b, _mm_unpackhi_epi64(v, v));
    mcp__store64((char *)out, mcp__reversed(a << 40 | a >> 32 << 16));
    mcp__store64((char *)out + 6, mcp__reversed(b << 40 | b >> 32 << 16));
    return mcp__high(good) == 0xFFFF;
}
#endif

/* Writes (n + 2) / 3 * 4 digits; returns how many. */
MCP__PRIVATE size_t mcp__base64_encode(char *out, const void *in, size_t n) {
    const unsigned char *s = (const unsigned char *)in;
    char *start = out;
#if MCP__SIMD == 2 || MCP__SIMD == 3
    for (; n >= MCP__BASE64_READS; n -= MCP__V / 4 * 3, s += MCP__V / 4 * 3, out += MCP__V)
        mcp__base64_put(out, s);
#endif
    for (; n; s += 3, out += 4) {
        unsigned v = (unsigned)s[0] << 16 | (n > 1 ? (unsigned)s[1] << 8 : 0) | (n > 2 ? s[2] : 0);
        out[0] = mcp__base64[v >> 18];
        out[1] = mcp__base64[v >> 12 & 63];
        out[2] = n > 1 ? mcp__base64[v >> 6 & 63] : '=';
        out[3] = n > 2 ? mcp__base64[v & 63] : '=';
        n -= n < 3 ? n : 3;
    }
    return (size_t)(out - start);
}

/* The value of a base64 digit, or -1. */
MCP__INLINE int mcp__base64_value(char c) {
    if (c >= 'a') return c <= 'z' ? c - 'a' + 26 : -1;
    if (c >= 'A') return c <= 'Z' ? c - 'A' : -1;
    if (mcp__is_digit(c)) return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Strict: padded, nothing but digits, no bits left over. out may be s itself. */
MCP__PRIVATE int mcp__base64_decode(void *out, const char *s, size_t n, size_t *size) {
    unsigned char *o = (unsigned char *)out;
    *size = 0;
    if (n % 4) return MCP_SYNTAX;
#if MCP__SIMD == 2 || MCP__SIMD == 3
    for (; !MCP__SMALL && n >= MCP__BASE64_NEEDS; n -= MCP__V, s += MCP__V, o += MCP__V / 4 * 3)
        if (!mcp__base64_get(o, s)) return MCP_SYNTAX;
#endif
    for (; n; n -= 4, s += 4) {
        int pad = n > 4 || s[3] != '=' ? 0 : s[2] != '=' ? 1 : 2;
        int a = mcp__base64_value(s[0]), b = mcp__base64_value(s[1]);
        int c = pad > 1 ? 0 : mcp__base64_value(s[2]), d = pad ? 0 : mcp__base64_value(s[3]);
        if ((a | b | c | d) < 0) return MCP_SYNTAX;
        unsigned v = (unsigned)(a << 18 | b << 12 | c << 6 | d);
        if (v & ((1u << 8 * pad) - 1)) return MCP_SYNTAX;
        *o++ = (unsigned char)(v >> 16);
        if (pad < 2) *o++ = (unsigned char)(v >> 8);
        if (!pad) *o++ = (unsigned char)v;
    }
    *size = (size_t)(o - (unsigned char *)out);
    return MCP_OK;
}

/* -- SHA-256 (FIPS 180-4) -- */

typedef struct mcp__sha256 {
    uint32_t state[8];
    uint64_t size;                  /* bytes so far */
    unsigned char block[64];
} mcp__sha256;

/* The fractions of the cube roots of the first 64 primes. */
static const uint32_t mcp__sha256_k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2
};

MCP__PRIVATE void mcp__sha256_init(mcp__sha256 *x) {
    static const uint32_t first[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                                       0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
    memcpy(x->state, first, sizeof first);
    x->size = 0;
}

MCP__INLINE uint32_t mcp__rotate(uint32_t v, int n) { return v >> n | v << (32 - n); }

MCP__PRIVATE void mcp__sha256_block(mcp__sha256 *x, const unsigned char *p) {
    uint32_t w[64], v[8];
    for (int i = 0; i < 16; i++, p += 4)
        w[i] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    for (int i = 16; i < 64; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] + (mcp__rotate(a, 7) ^ mcp__rotate(a, 18) ^ a >> 3) +
               (mcp__rotate(b, 17) ^ mcp__rotate(b, 19) ^ b >> 10);
    }
    memcpy(v, x->state, sizeof v);
    for (int i = 0; i < 64; i++) {
        uint32_t a = v[0], e = v[4];
        uint32_t t = v[7] + (mcp__rotate(e, 6) ^ mcp__rotate(e, 11) ^ mcp__rotate(e, 25)) +
                     ((e & v[5]) ^ (~e & v[6])) + mcp__sha256_k[i] + w[i];
        uint32_t u = (mcp__rotate(a, 2) ^ mcp__rotate(a, 13) ^ mcp__rotate(a, 22)) +
                     ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += t;
        v[0] = t + u;
    }
    for (int i = 0; i < 8; i++) x->state[i] += v[i];
}

MCP__PRIVATE void mcp__sha256_add(mcp__sha256 *x, const void *bytes, size_t n) {
    const unsigned char *p = (const unsigned char *)bytes;
    size_t held = (size_t)(x->size & 63);
    x->size += n;
    while (n) {
        size_t part = 64 - held < n ? 64 - held : n;
        memcpy(x->block + held, p, part);
        held += part;
        p += part;
        n -= part;
        if (held < 64) break;
        mcp__sha256_block(x, x->block);
        held = 0;
    }
}

MCP__PRIVATE void mcp__sha256_end(mcp__sha256 *x, unsigned char digest[32]) {
    static const unsigned char pad[64] = { 0x80 };
    uint64_t bits = x->size * 8;
    unsigned char length[8];
    for (int i = 0; i < 8; i++) length[i] = (unsigned char)(bits >> (56 - 8 * i));
    size_t held = (size_t)(x->size & 63);
    mcp__sha256_add(x, pad, held < 56 ? 56 - held : 120 - held);
    mcp__sha256_add(x, length, 8);
    for (int i = 0; i < 32; i++) digest[i] = (unsigned char)(x->state[i / 4] >> (24 - 8 * (i % 4)));
}

/* ---- >>json ------------------------------------------------------------------------------------
   A message is checked once, whole, before anything is done with it. From then on a value is the
   address of its first byte: there is no tree, and nothing to allocate. Members are found by
   walking, numbers stay text, and a string becomes a C string only when somebody asks, in place:

       raw       " t e x t "           as it came
       plain    01 t e x t 00          had no escape: its closing quote is the terminator
       decoded  FE t e x t 00 FD.. FF  had some, so it got shorter by a byte at least

   FD, FE and FF are in no UTF-8 and 01 is in no JSON text, so all three can be walked in both
   directions, whatever was asked for before. The writer keeps no tree either: two bits a level. The
   reader at the end is the same grammar once more, able to stop between any two bytes. */

enum { MCP__RAW = '"', MCP__PLAIN = 1, MCP__FILL = 0xFD, MCP__DECODED = 0xFE, MCP__CLOSED = 0xFF };
enum { MCP__DEPTH = 1024 }; /* of nesting, at most: the bits of a stack */

static const unsigned char mcp__unescapes[256] = { /* what \" is, and so on; u is for \uXXXX */
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, '"', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '/',
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '\\', 0, 0, 0,
    0, 0, '\b', 0, 0, 0, '\f', 0, 0, 0, 0, 0, 0, 0, '\n', 0,
    0, 0, '\r', 0, '\t', 'u' };

/* -- checking -- */

MCP__INLINE bool mcp__is_space(char c) {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

MCP__PRIVATE MCP__NOINLINE const char *mcp__json_spaces(const char *p) {
#if MCP__SIMD >= 2
    for (;; p += MCP__V) {
        mcp__mask solid = mcp__solid(mcp__load(p));
        if (solid) return p + mcp__first(solid);
    }
#else
    for (;; p++) {
        while (mcp__load64(p) == MCP__BLANKS) p += 8; /* indented text */
        if (!mcp__is_space(*p)) return p;
    }
#endif
}

MCP__INLINE const char *mcp__json_space(const char *p) {
    if (MCP__LIKELY((unsigned char)*p > ' ')) return p;
    if (!MCP__SMALL && *p == ' ' && (unsigned char)p[1] > ' ') return p + 1;
    return mcp__json_spaces(p);
}

/* p is in a string: the next quote, backslash or control byte. */
MCP__INLINE const char *mcp__string_stop(const char *p) {
    for (;; p += MCP__V) {
        mcp__mask stop = mcp__stops(mcp__load(p));
        if (stop) return p + mcp__first(stop);
    }
}

/* Goes past the escapes at p, one after the other; NULL: *bad is no escape. */
MCP__INLINE const char *mcp__check_escapes(const char *p, const char **bad) {
    for (*bad = p; *p == '\\'; *bad = p) {
        unsigned c = mcp__unescapes[(unsigned char)p[1]];
        if (MCP__UNLIKELY(!c)) return NULL;
        if (c == 'u' && mcp__hex4(p + 2) < 0) return NULL;
        p += c == 'u' ? 6 : 2;
    }
    return p;
}

/* Goes past plain ASCII. Where that is long, and as long as there is no blank, as in base64, in
   bigger steps, and so fast that memory must be asked ahead. */
MCP__INLINE const char *mcp__check_ascii(const char *p) {
    if (MCP__SMALL) return p;
    for (const char *block = p + MCP__DENSE;; p += MCP__V) {
        if (MCP__UNLIKELY(p == block))
            for (; mcp__dense(p); p += MCP__DENSE) MCP__PREFETCH(p, MCP__AHEAD);
        mcp__mask stop = mcp__breaks(mcp__load(p));
        if (stop) return p + mcp__first(stop);
    }
}

/* A string that is long, has escapes or is not ASCII; up to p there is plain ASCII. */
MCP__PRIVATE MCP__HOT MCP__NOINLINE const char *mcp__check_text(const char *text, const char *p,
                                                                const char **bad) {
    mcp__mask high = 0; /* of some bytes behind the text too: then it is looked at for nothing */
    if (p - text == MCP__V) p = mcp__check_ascii(p);
    while (*p != '"') {
        const char *at = p;
        mcp__v v = mcp__load(p);
        mcp__mask stops = mcp__stops(v), rest = stops;
        high |= mcp__high(v);
        if (!rest) {
            p += MCP__V;
            continue;
        }
        do {
            p += mcp__first(rest);
            if (MCP__LIKELY(*p == '"')) break;
            *bad = p;
            if (*p != '\\' || !(p = mcp__check_escapes(p, bad))) return NULL;
            if (p - at >= MCP__V || MCP__SIMD < 2) break; /* a word is right about its first */
            rest = stops >> (p - at) * MCP__BITS;
            if (!rest) p = at + MCP__V;
        } while (rest);
    }
    if (MCP__LIKELY(!high) || mcp__utf8_quoted(text, (size_t)(p - text))) return p + 1;
    *bad = text + mcp__utf8_valid(text, (size_t)(p - text));
    return *bad == p ? p + 1 : NULL;
}

/* p is behind a string's first quote; returns what is behind its last one. NULL: *bad is wrong. */
MCP__INLINE const char *mcp__check_string(const char *p, const char **bad) {
    mcp__mask stop = mcp__breaks(mcp__load(p));
    const char *q = p + (stop ? mcp__first(stop) : 0); /* p[0], if none, is no quote */
    return MCP__LIKELY(*q == '"') ? q + 1 : mcp__check_text(p, stop ? q : p + MCP__V, bad);
}

MCP__INLINE const char *mcp__check_word(const char *p, const char *word, const char **bad) {
    size_t n = strlen(word);
    *bad = p;
    return memcmp(p, word, n) ? NULL : p + n;
}

/* The members of an object, gone through once. Of more than a few, only how many there are. */
enum { MCP__FEW = 8 };
typedef struct mcp__members {
    const char *object, *value[MCP__FEW];
    mcp__str key[MCP__FEW];
    size_t n;
} mcp__members;

/* A JSON-RPC message's members: where each value is, and which keys came, and came twice. The
   object of params is NULL where it is none, or has a key with escapes: it is looked at later. */
enum { MCP__JSONRPC, MCP__ID, MCP__METHOD, MCP__PARAMS, MCP__RESULT, MCP__ERROR, MCP__MEMBERS };
typedef struct mcp__top {
    const char *member[MCP__MEMBERS];
    unsigned seen, twice; /* 1u << MCP__ID ... */
    mcp__members params;
} mcp__top;

/* One escape, decoded to *out; returns what is behind it. NULL: it is none. A surrogate that has no
   partner becomes U+FFFD: JavaScript sends such when it cuts a string in the middle of an emoji. */
MCP__INLINE const char *mcp__unescape(const char *p, char **out) {
    unsigned char c = mcp__unescapes[(unsigned char)p[1]];
    if (c != 'u') {
        *(*out)++ = (char)c;
        return c ? p + 2 : NULL;
    }
    uint32_t u = (uint32_t)mcp__hex4(p + 2);
    if (u > 0xFFFF) return NULL;
    p += 6;
    if (MCP__UNLIKELY(u >> 11 == 0xD800 >> 11)) { /* half of a pair */
        bool two = u < 0xDC00 && p[0] == '\\' && p[1] == 'u';
        uint32_t low = two ? (uint32_t)mcp__hex4(p + 2) : 0;
        if (low >> 10 == 0xDC00 >> 10) {
            u = 0x10000 + ((u & 0x3FF) << 10 | (low & 0x3FF));
            p += 6;
        } else u = 0xFFFD;
    }
    *out = mcp__utf8_put(*out, u);
    return p;
}

#if MCP__SIMD == 2 || MCP__SIMD == 3
MCP__INLINE __m128i mcp__load_four(const char *p) {
    int v;
    memcpy(&v, p, 4);
    return _mm_cvtsi32_si128(v);
}

/* Decodes the four \uXXXX at *p, if each is of U+0800 to U+FFFF and no half of a pair: to 12 bytes,
   of the 14 that are written, which may be where the escapes are. False: nothing is done. */
MCP__INLINE bool mcp__unescape_four(const char **p, char **out) {
    __m128i low = _mm_unpacklo_epi32(mcp__load_four(*p + 2), mcp__load_four(*p + 8));
    __m128i high = _mm_unpacklo_epi32(mcp__load_four(*p + 14), mcp__load_four(*p + 20));
    __m128i v = _mm_unpacklo_epi64(low, high);
    __m128i digit = _mm_sub_epi8(v, _mm_set1_epi8('0'));
    __m128i letter = _mm_sub_epi8(_mm_or_si128(v, _mm_set1_epi8(0x20)), _mm_set1_epi8('a'));
    digit = _mm_cmpeq_epi8(_mm_min_epu8(digit, _mm_set1_epi8(9)), digit);
    letter = _mm_cmpeq_epi8(_mm_min_epu8(letter, _mm_set1_epi8(5)), letter);
    v = _mm_add_epi8(_mm_and_si128(v, _mm_set1_epi8(15)), _mm_and_si128(letter, _mm_set1_epi8(9)));
    v = _mm_or_si128(_mm_slli_epi16(v, 4), _mm_srli_epi16(v, 8)); /* two digits in 16 bits */
    v = _mm_madd_epi16(_mm_and_si128(v, _mm_set1_epi16(0xFF)), _mm_set1_epi32(1 << 16 | 1 << 8));
    __m128i top = _mm_srli_epi32(v, 11);
    __m128i other = _mm_or_si128(_mm_cmpeq_epi32(top, _mm_setzero_si128()),
                                 _mm_cmpeq_epi32(top, _mm_set1_epi32(0xD800 >> 11)));
    if (_mm_movemask_epi8(_mm_andnot_si128(other, _mm_or_si128(digit, letter))) != 0xFFFF)
        return false;
    __m128i second = _mm_and_si128(_mm_slli_epi32(v, 2), _mm_set1_epi32(0x3F00));
    __m128i third = _mm_and_si128(_mm_slli_epi32(v, 16), _mm_set1_epi32(0x3F0000));
    v = _mm_or_si128(_mm_srli_epi32(v, 12), _mm_set1_epi32(0x8080E0));
    v = _mm_or_si128(v, _mm_or_si128(second, third));
    low = _mm_and_si128(v, _mm_setr_epi32(0xFFFFFF, 0, 0xFFFFFF, 0));
    high = _mm_and_si128(v, _mm_setr_epi32(0, 0xFFFFFF, 0, 0xFFFFFF));
    v = _mm_or_si128(low, _mm_srli_epi64(high, 8));
    _mm_storel_epi64((__m128i *)*out, v);
    _mm_storel_epi64((__m128i *)(*out + 6), _mm_srli_si128(v, 8));
    *p += 24;
    *out += 12;
    return true;
}

/* Many escapes: Python writes whole texts like that. *four: it went well so far. */
MCP__INLINE bool mcp__unescape_many(const char **at, char **out, bool *four) {
    const char *p = *at;
    if (MCP__SMALL || p[1] != 'u' || !*four || p[6] != '\\' || p[7] != 'u' ||
        memcmp(p + 12, "\\u", 2) != 0 || memcmp(p + 18, "\\u", 2) != 0)
        return false;
    return *four = mcp__unescape_four(at, out);
}
#else
MCP__INLINE bool mcp__unescape_many(const char **at, char **out, bool *four) {
    (void)at, (void)out, (void)four;
    return false;
}
#endif

MCP__INLINE const char *mcp__find_byte(const char *p, int c) {
    for (;; p += MCP__V) {
        mcp__mask same = mcp__same(mcp__load(p), c);
        if (same) return p + mcp__first(same);
    }
}

/* The text of a decoded string, whose NUL may be one of many. */
MCP__PRIVATE mcp__str mcp__decoded_text(const char *v) {
    const char *end = mcp__find_byte(v + 1, MCP__CLOSED);
    while ((unsigned char)end[-1] == MCP__FILL) end--;
    mcp__str text = { v + 1, (size_t)(end - 1 - (v + 1)) };
    return text;
}

/* Walks a string's decoded bytes in whatever state it is. */
typedef struct mcp__walk {
    const char *p, *end; /* end: of decoded text; NULL: a quote or a NUL ends it */
    char unit[4]; /* the bytes of an escape */
    unsigned at, n;
} mcp__walk;

MCP__PRIVATE mcp__walk mcp__walk_string(const char *v) {
    mcp__walk k = { v + 1, NULL, { 0 }, 0, 0 };
    if ((unsigned char)*v == MCP__DECODED) {
        mcp__str text = mcp__decoded_text(v);
        k.end = text.s + text.n;
    }
    return k;
}

MCP__PRIVATE int mcp__walk_byte(mcp__walk *k) { /* -1: the end */
    if (k->at < k->n) return (unsigned char)k->unit[k->at++];
    if (k->end ? k->p == k->end : *k->p == '"' || !*k->p) return -1;
    if (k->end || *k->p != '\\') return (unsigned char)*k->p++;
    char *out = k->unit;
    k->p = mcp__unescape(k->p, &out);
    k->n = (unsigned)(out - k->unit);
    k->at = 1;
    return (unsigned char)k->unit[0];
}

MCP__INLINE bool mcp__is_string(const char *v) {
    return *v == '"' || *v == MCP__PLAIN || (unsigned char)*v == MCP__DECODED;
}

MCP__PRIVATE MCP__NOINLINE bool mcp__walk_is(const char *v, const char *s, size_t n) {
    mcp__walk k = mcp__walk_string(v);
    for (size_t i = 0; i < n; i++)
        if (mcp__walk_byte(&k) != (unsigned char)s[i]) return false;
    return mcp__walk_byte(&k) < 0;
}

/* A string that equals s, without changing its state. */
MCP__PRIVATE bool mcp__json_is(const char *v, const char *s, size_t n) {
    if (!v || !mcp__is_string(v)) return false;
    if ((unsigned char)*v == MCP__DECODED) return mcp__walk_is(v, s, n);
    const char *stop = mcp__string_stop(v + 1);
    if (MCP__UNLIKELY(*stop == '\\')) return mcp__walk_is(v, s, n);
    return (size_t)(stop - v - 1) == n && !memcmp(v + 1, s, n);
}

/* Orders two strings by their decoded bytes. */
MCP__PRIVATE int mcp__json_compare_keys(const char *a, const char *b) {
    mcp__walk x = mcp__walk_string(a), y = mcp__walk_string(b);
    for (;;) {
        int c = mcp__walk_byte(&x), d = mcp__walk_byte(&y);
        if (c != d) return c < d ? -1 : 1;
        if (c < 0) return 0;
    }
}

MCP__PRIVATE size_t mcp__json_chars(const char *v) { /* code points */
    mcp__walk k = mcp__walk_string(v);
    size_t count = 0;
    for (int c; (c = mcp__walk_byte(&k)) >= 0;) count += (c & 0xC0) != 0x80;
    return count;
}

/* At depth 1 a member of the message, at depth 2 one of its params; returns down to which depth the
   next ones are noted. A key with escapes is for later: what is checked is not decoded yet. */
MCP__PRIVATE size_t mcp__top_note(mcp__top *top, size_t depth, mcp__str key, const char *value) {
    static const mcp__str names[MCP__MEMBERS] = {
        { "jsonrpc", 7 }, { "id", 2 }, { "method", 6 },
        { "params", 6 }, { "result", 6 }, { "error", 5 } };
    unsigned i = 0;
    if (depth == 2) {
        mcp__members *x = &top->params;
        if (memchr(key.s, '\\', key.n)) x->object = NULL;
        if (x->n < MCP__FEW) x->key[x->n] = key, x->value[x->n] = value;
        x->n++;
        return 2;
    }
    while (i < MCP__MEMBERS && !mcp__str_same(key, names[i])) i++;
    if (i == MCP__MEMBERS && memchr(key.s, '\\', key.n))
        for (i = 0; i < MCP__MEMBERS && !mcp__json_is(key.s - 1, names[i].s, names[i].n); ) i++;
    if (i == MCP__MEMBERS) return 1;
    top->twice |= top->seen & 1u << i;
    top->seen |= 1u << i;
    top->member[i] = value;
    if (i != MCP__PARAMS || *value != '{') return 1;
    top->params.object = value;
    top->params.n = 0;
    return 2;
}

/* Checks the one value at p, in bytes that a NUL ends and 64 more follow; returns what is behind
   it. NULL: *error is the byte, *status MCP_SYNTAX or, where it is too deep, MCP_LIMIT. With top,
   an object's members are noted, and those of its params. */
MCP__PRIVATE MCP__HOT const char *mcp__json_check(const char *p, size_t max_depth, mcp__top *top,
                                                  const char **error, int *status) {
    uint64_t stack[MCP__DEPTH / 64]; /* a bit a level: is what encloses it an object? */
    size_t depth = 0;
    bool object = false;
    const char *bad;
    mcp__num number;
    if (max_depth > MCP__DEPTH) max_depth = MCP__DEPTH;
    size_t noted = top ? 1 : 0; /* members at this depth are, or at a smaller one */
    mcp__str name;
    if (top) memset(top, 0, offsetof(mcp__top, params.value));
    *status = MCP_SYNTAX;

value:
    p = mcp__json_space(p);
token:
    if (*p == '"') {
        if (!(p = mcp__check_string(p + 1, &bad))) goto fail;
        goto after;
    }
    switch (*p) {
    case '{': case '[':
        if (MCP__UNLIKELY(depth >= max_depth)) {
            *status = MCP_LIMIT;
            goto wrong;
        }
        if (depth % 64 == 0) stack[depth / 64] = 0;
        stack[depth / 64] &= ~((uint64_t)1 << depth % 64);
        stack[depth / 64] |= (uint64_t)object << depth % 64;
        depth++;
        object = *p == '{';
        p = mcp__json_space(p + 1);
        if (*p == (object ? '}' : ']')) goto close;
        if (object) goto member;
        goto value;
    case '-': case '0': case '1': case '2': case '3': case '4': case '5': case '6': case '7':
    case '8': case '9':
        if (!(p = mcp__num_check(p, NULL, &number))) {
            bad = number.text;
            goto fail;
        }
        goto after;
    case 't':
        if (!(p = mcp__check_word(p, "true", &bad))) goto fail;
        goto after;
    case 'f':
        if (!(p = mcp__check_word(p, "false", &bad))) goto fail;
        goto after;
    case 'n':
        if (!(p = mcp__check_word(p, "null", &bad))) goto fail;
        goto after;
    default:
        goto wrong;
    }

member:
    if (MCP__UNLIKELY(*p != '"') && *(p = mcp__json_space(p)) != '"') goto wrong;
    name.s = p + 1;
    if (!(p = mcp__check_string(p + 1, &bad))) goto fail;
    name.n = (size_t)(p - name.s) - 1;
    if (MCP__UNLIKELY(*p != ':') && *(p = mcp__json_space(p)) != ':') goto wrong;
    p = mcp__json_space(p + 1);
    if (depth <= noted) noted = mcp__top_note(top, depth, name, p);
    goto token;

after:
    if (!depth) return p;
    if (*p != ',') p = mcp__json_space(p);
    if (*p == ',') {
        p++;
        if (object) goto member;
        goto value;
    }
    if (MCP__UNLIKELY(*p != (object ? '}' : ']'))) goto wrong;

close:
    p++;
    depth--;
    object = stack[depth / 64] >> depth % 64 & 1;
    goto after;

wrong:
    bad = p;
fail:
    *error = bad;
    return NULL;
}

/* -- walking checked bytes -- */

/* p is a string's first backslash. */
MCP__PRIVATE MCP__NOINLINE const char *mcp__skip_escapes(const char *p) {
    do p = mcp__string_stop(p + 2); while (*p == '\\');
    return p + 1;
}

/* v is a string's first byte; returns what is behind its last one. */
MCP__INLINE const char *mcp__skip_string(const char *v) {
    if (MCP__UNLIKELY((unsigned char)*v == MCP__DECODED))
        return mcp__find_byte(v + 1, MCP__CLOSED) + 1;
    const char *p = mcp__string_stop(v + 1);
    return MCP__LIKELY(*p != '\\') ? p + 1 : mcp__skip_escapes(p);
}

/* The next quote or bracket, past numbers, words and what stands between them. */
MCP__INLINE const char *mcp__next_mark(const char *p) {
    for (;; p += MCP__V) {
        mcp__mask marks = mcp__marks(mcp__load(p));
        if (marks) return p + mcp__first(marks);
    }
}

/* Behind an object or an array. */
MCP__PRIVATE const char *mcp__skip_inside(const char *p) {
    size_t depth = 0;
    for (;;) {
        if (mcp__is_string(p)) {
            p = mcp__skip_string(p);
            if (*p == ':' || *p == ',') p++;
        } else if (*p == '{' || *p == '[') {
            depth++;
            p++;
        } else if (*p == '}' || *p == ']') {
            p++;
            if (!--depth) return p;
        } else p = mcp__next_mark(p);
    }
}

/* Behind a value. */
MCP__PRIVATE const char *mcp__json_skip(const char *v) {
    if (mcp__is_string(v)) return mcp__skip_string(v);
    if (*v == '{' || *v == '[') return mcp__skip_inside(v);
    while (!(mcp__byte(*v) & MCP__BREAK)) v++;
    return v;
}

MCP__PRIVATE mcp_type mcp__json_type(const char *v) {
    if (!v) return MCP_ANY;
    switch (*v) {
    case '{': return MCP_OBJECT;
    case '[': return MCP_ARRAY;
    case 't': case 'f': return MCP_BOOLEAN;
    case 'n': return MCP_NULL;
    default: return mcp__is_string(v) ? MCP_STRING : MCP_NUMBER;
    }
}

MCP__INLINE const char *mcp__member_value(const char *key) {
    const char *colon = mcp__json_space(mcp__skip_string(key));
    return mcp__json_space(colon + 1);
}

/* The first item, or the value of the first member. NULL: there is none. */
MCP__PRIVATE const char *mcp__json_first(const char *v) {
    if (!v || (*v != '{' && *v != '[')) return NULL;
    const char *p = mcp__json_space(v + 1);
    if (*p == '}' || *p == ']') return NULL;
    return *v == '{' ? mcp__member_value(p) : p;
}

/* The last byte before p that is no space. */
MCP__PRIVATE const char *mcp__json_before(const char *p) {
    do p--; while (mcp__is_space(*p));
    return p;
}

/* The next one; NULL: v was the last, or is a whole message. */
MCP__PRIVATE const char *mcp__json_next(const char *v) {
    if (!v) return NULL;
    const char *p = mcp__json_space(mcp__json_skip(v));
    if (*p != ',') return NULL;
    p = mcp__json_space(p + 1);
    return *mcp__json_before(v) == ':' ? mcp__member_value(p) : p;
}

/* The key of a member, found backwards from its value. NULL: v is none. */
MCP__PRIVATE const char *mcp__json_key(const char *v) {
    if (!v) return NULL;
    const char *p = mcp__json_before(v);
    if (*p != ':') return NULL;
    p = mcp__json_before(p);
    int open = (unsigned char)*p == MCP__CLOSED ? MCP__DECODED : *p ? MCP__RAW : MCP__PLAIN;
    for (const char *q;;) {
        do p--; while ((unsigned char)*p != open);
        for (q = p; open == MCP__RAW && q[-1] == '\\'; q--) continue;
        if ((p - q) % 2 == 0) return p; /* an odd number of backslashes escapes the quote */
    }
}

/* A member of an object: k is its key. Returns the next one's key, or the object's end. Where the
   key has escapes, or had some, its name is NULL. */
MCP__INLINE const char *mcp__member_read(const char *k, mcp__str *name, const char **value) {
    const char *end;
    bool raw = (unsigned char)*k != MCP__DECODED;
    name->s = NULL;
    name->n = 0;
    if (MCP__LIKELY(raw && *(end = mcp__string_stop(k + 1)) != '\\')) {
        name->s = k + 1;
        name->n = (size_t)(end - k - 1);
        end++;
    } else end = mcp__skip_string(k);
    *value = mcp__json_space(mcp__json_space(end) + 1);
    k = mcp__json_space(mcp__json_skip(*value));
    return *k == ',' ? mcp__json_space(k + 1) : k;
}

/* The value of a member; of several with one key, the last. */
MCP__PRIVATE const char *mcp__json_get(const char *v, const char *key, size_t n) {
    if (!v || *v != '{') return NULL;
    const char *found = NULL, *value, *next;
    mcp__str name;
    for (const char *k = mcp__json_space(v + 1); *k != '}'; k = next) {
        next = mcp__member_read(k, &name, &value);
        if (name.s ? name.n == n && !memcmp(name.s, key, n) : mcp__walk_is(k, key, n))
            found = value;
    }
    return found;
}

MCP__PRIVATE bool mcp__json_true(const char *v) {
    return v && *v == 't';
}

MCP__PRIVATE int mcp__json_num(const char *v, mcp__num *x) {
    if (mcp__json_type(v) != MCP_NUMBER) return MCP_SYNTAX;
    mcp__num_scan(v, NULL, x);
    return MCP_OK;
}

MCP__PRIVATE bool mcp__json_integral(const char *v) {
    mcp__num x;
    return mcp__json_num(v, &x) == MCP_OK && mcp__num_integral(&x);
}

/* Does this raw string hold a surrogate escape that has no partner? */
MCP__PRIVATE bool mcp__json_lone(const char *v) {
    if (!v || *v != '"') return false;
    const char *p = mcp__string_stop(v + 1);
    while (*p == '\\') {
        char unit[4], *out = unit;
        bool surrogate = p[1] == 'u' && (mcp__hex4(p + 2) & 0xF800) == 0xD800;
        p = mcp__unescape(p, &out);
        if (surrogate && out - unit == 3) return true; /* a pair would be four bytes */
        p = mcp__string_stop(p);
    }
    return false;
}

/* -- cooking: strings turned into C strings, in place -- */

/* Moves plain text down from p to *out, up to the next quote or backslash; returns that. */
MCP__INLINE const char *mcp__move_text(const char *p, char **out) {
    for (;;) {
        mcp__v v = mcp__load(p);
        mcp__mask stop = mcp__stops(v);
        if (!stop) { /* all of it: what the store runs over was loaded before */
            mcp__store(*out, v);
            p += MCP__V;
            *out += MCP__V;
            continue;
        }
        unsigned n = mcp__first(stop);
        if (p - *out >= MCP__V) mcp__store(*out, v);
        else for (unsigned i = 0; i < n; i++) (*out)[i] = p[i];
        *out += n;
        return p + n;
    }
}

/* Finishes a string whose first escape is at p. */
MCP__PRIVATE MCP__NOINLINE void mcp__decode(char *v, char *p, size_t *n) {
    char *out = p;
    const char *in = p;
    bool four = true; /* at once, until that fails */
    while (*in != '"') {
        if (!mcp__unescape_many(&in, &out, &four)) in = mcp__unescape(in, &out);
        if (*in != '\\') in = mcp__move_text(in, &out);
    }
    char *close = p + (in - p);
    *n = (size_t)(out - v - 1);
    *v = (char)MCP__DECODED;
    *out++ = 0;
    memset(out, MCP__FILL, (size_t)(close - out));
    *close = (char)MCP__CLOSED;
}

/* A string's text, decoded, NUL-terminated, and its length. NULL: it is no string. */
MCP__PRIVATE const char *mcp__json_text(const char *v, size_t *n) {
    *n = 0;
    if (!v || !mcp__is_string(v)) return NULL;
    if (*v == MCP__PLAIN) *n = strlen(v + 1);
    else if (*v != '"') *n = mcp__decoded_text(v).n;
    else {
        char *s = (char *)v, *stop = s + (mcp__string_stop(v + 1) - v);
        if (*stop == '\\') mcp__decode(s, stop, n);
        else {
            *n = (size_t)(stop - s - 1);
            *s = MCP__PLAIN;
            *stop = 0;
        }
    }
    return v + 1;
}

/* mcp__member_read, but a key that has escapes is decoded, in place. */
MCP__INLINE const char *mcp__member_take(const char *k, mcp__str *name, const char **value) {
    const char *next = mcp__member_read(k, name, value);
    if (!name->s) name->s = mcp__json_text(k, &name->n);
    return next;
}

MCP__PRIVATE void mcp__members_take(mcp__members *x, const char *object) {
    x->object = object;
    x->n = 0;
    if (!object || *object != '{') return;
    const char *value;
    mcp__str name;
    for (const char *k = mcp__json_space(object + 1); *k != '}'; x->n++) {
        k = mcp__member_take(k, &name, &value);
        if (x->n >= MCP__FEW) continue;
        x->key[x->n] = name;
        x->value[x->n] = value;
    }
}

/* The members y, found in the text at from, as they stand in its copy at to; if there are any. */
MCP__PRIVATE void mcp__members_in_copy(mcp__members *x, const mcp__members *y, const char *to,
                                       const char *from) {
    if (!y->object) return;
    x->object = to + (y->object - from);
    x->n = y->n;
    for (size_t i = 0; i < y->n && i < MCP__FEW; i++) {
        x->value[i] = to + (y->value[i] - from);
        x->key[i].s = to + (y->key[i].s - from);
        x->key[i].n = y->key[i].n;
    }
}

/* The last one of that name, as mcp__json_get has it; or NULL. */
MCP__PRIVATE const char *mcp__members_get(const mcp__members *x, const char *key) {
    const mcp__str wanted = mcp__str_of(key);
    if (x->n > MCP__FEW) return mcp__json_get(x->object, key, wanted.n);
    for (size_t i = x->n; i--; ) if (mcp__str_same(x->key[i], wanted)) return x->value[i];
    return NULL;
}

/* What follows the backslash, up to that of a backslash; u is for \u00XX, and blanks are for what
   needs none. */
static const char mcp__escape_letters[94] =
    "uuuuuuuubtnufruuuuuuuuuuuuuuuuuu" "  \"                             "
    "                            \\";

/* Writes one byte that must be escaped: at most six. */
MCP__INLINE char *mcp__escape_byte(char *out, unsigned char c) {
    char letter = mcp__escape_letters[c];
    out[0] = '\\';
    out[1] = letter;
    if (MCP__LIKELY(letter != 'u')) return out + 2;
    out[2] = out[3] = '0';
    out[4] = (char)('0' + c / 16);
    out[5] = mcp__hex[c % 16];
    return out + 6;
}

/* Makes a string raw again. Its shortest escapes never need more room than those that it came with;
   what is left over becomes spaces behind it. */
MCP__PRIVATE void mcp__restore_string(char *v) {
    if (*v == MCP__PLAIN) {
        v[1 + strlen(v + 1)] = '"';
        *v = '"';
    } else if ((unsigned char)*v == MCP__DECODED) {
        mcp__str text = mcp__decoded_text(v);
        char *end = v + (mcp__find_byte(v + 1, MCP__CLOSED) - v), *out = v + 1, *in = end - text.n;
        memmove(in, text.s, text.n);
        *v = '"';
        while (in < end) {
            unsigned char c = (unsigned char)*in++;
            if (c < 0x20 || c == '"' || c == '\\') out = mcp__escape_byte(out, c);
            else *out++ = (char)c;
        }
        *out++ = '"';
        if (out <= end) memset(out, ' ', (size_t)(end + 1 - out));
    }
}

/* A value's text, as JSON: all that was cooked inside it is raw again. */
MCP__PRIVATE mcp__str mcp__json_raw(const char *v) {
    for (const char *p = v, *next, *end = mcp__json_skip(v); p < end; p = next) {
        next = mcp__is_string(p) ? mcp__skip_string(p) : mcp__next_mark(p + 1);
        if (mcp__is_string(p)) mcp__restore_string((char *)p);
    }
    mcp__str raw = { v, (size_t)(mcp__json_skip(v) - v) };
    return raw;
}

/* -- the writer -- */

enum { /* _state: a comma is due; what encloses the next value, if anything does; how it began */
    MCP__COMMA = 1, MCP__IN_OBJECT = 2, MCP__IN_ARRAY = 4, MCP__BEGUN = 8, MCP__IMPLIED = 16,
    MCP__INSIDE = MCP__IN_OBJECT | MCP__IN_ARRAY
};
enum { MCP__SLACK = 64, MCP__NAME = 48, MCP__LONG = 512, MCP__PIECE = 32768, MCP__NESTING = 256 };

MCP__PRIVATE void mcp__put_fail(mcp_writer *w, int status) {
    if (!w->status) w->status = status;
}

/* What the author did wrong. */
MCP__PRIVATE void mcp__put_wrong(mcp_writer *w, int status, const char *why) {
    if (!w->status) w->status = status, w->why = why;
}

MCP__PRIVATE bool mcp__put_misuse(mcp_writer *w, const char *why) {
    MCP_ASSERT(0 && "a JSON writer was used out of order: its why says how");
    mcp__put_wrong(w, MCP_MISUSE, why);
    return false;
}

/* What went wrong, in words. */
MCP__PRIVATE const char *mcp__put_why(const mcp_writer *w) {
    return w->why ? w->why : mcp__status_text(w->status);
}

MCP__INLINE size_t mcp__writer_room(const mcp_writer *w) { return (size_t)(w->_end - w->_at); }
MCP__INLINE size_t mcp__writer_held(const mcp_writer *w) { return (size_t)(w->_at - w->_buf); }

/* Where there is no buffer, nothing fits into a place of its own: C has no NULL + 0. */
MCP__INLINE void mcp__writer_place(mcp_writer *w, char *buf, size_t held, size_t size) {
    w->_buf = buf ? buf : (char *)w->_stack;
    w->_at = w->_buf + held;
    w->_end = w->_buf + size;
}

/* Room for n bytes, or for as many as there can be; returns how many. 0: none, see status. */
MCP__PRIVATE MCP__NOINLINE size_t mcp__writer_more(mcp_writer *w, size_t n) {
    if (w->status) return 0;
    if (w->_owner) {
        mcp__buf *b = (mcp__buf *)w->_owner;
        b->len = mcp__writer_held(w);
        if (n > b->max - b->len && b->max > b->len) n = b->max - b->len;
        if (!mcp__buf_reserve(b, n)) mcp__put_fail(w, b->status);
        mcp__writer_place(w, b->ptr, b->len, b->cap);
    } else if (w->_sink.func && w->_at > w->_buf) {
        if (w->_sink.func(w->_sink.user, w->_buf, mcp__writer_held(w)) != MCP_OK)
            mcp__put_fail(w, MCP_IO);
        w->_at = w->_buf;
    }
    if (w->_at == w->_end) mcp__put_fail(w, MCP_LIMIT);
    return w->status ? 0 : mcp__writer_room(w);
}

MCP__INLINE size_t mcp__writer_space(mcp_writer *w, size_t n) {
    size_t space = mcp__writer_room(w);
    return MCP__LIKELY(space >= n) ? space : mcp__writer_more(w, n);
}

MCP__INLINE void mcp__writer_used(mcp_writer *w, size_t n) {
    w->_at += n;
    w->size += n;
}

MCP__INLINE void mcp__writer_upto(mcp_writer *w, char *end) { /* what was written there counts */
    w->size += (size_t)(end - w->_at);
    w->_at = end;
}

MCP__PRIVATE void mcp__put_plain(mcp_writer *w, const char *s, size_t n) {
    while (n && !w->status) {
        size_t space = mcp__writer_space(w, n), k = space < n ? space : n;
        if (!k) return;
        memcpy(w->_at, s, k);
        mcp__writer_used(w, k);
        s += k;
        n -= k;
    }
}

MCP__PRIVATE MCP__NOINLINE void mcp__put_char_more(mcp_writer *w, char c) {
    if (!mcp__writer_more(w, 1)) return;
    *w->_at = c;
    mcp__writer_used(w, 1);
}

MCP__INLINE void mcp__put_char(mcp_writer *w, char c) {
    if (MCP__UNLIKELY(w->_at == w->_end)) {
        mcp__put_char_more(w, c);
        return;
    }
    *w->_at = c;
    mcp__writer_used(w, 1);
}

typedef struct mcp__escaped {
    size_t used, size; /* bytes in, out */
    bool high;         /* there may be some that are not ASCII */
} mcp__escaped;

/* Copies two vectors, if nothing in them stops; adds them to all. */
MCP__INLINE bool mcp__copy_two(char *out, const char *s, mcp__v *all) {
    mcp__v a = mcp__load(s), b = mcp__load(s + MCP__V);
    if (mcp__stops(a) | mcp__stops(b)) return false;
    mcp__store(out, a);
    mcp__store(out + MCP__V, b);
    *all = MCP__OR(*all, MCP__OR(a, b));
    return true;
}

/* Text as it stands between quotes, until it ends or, behind an escape, the room might. Needs room
   for n + MCP__SLACK: vectors are stored whole, the last one over the end of the one before it. Of
   long text two go at a time, up to the first byte that stops. */
MCP__INLINE mcp__escaped mcp__escape(char *out, size_t room, const char *s, size_t n) {
    const char *p = s, *end = s + n, *run = s; /* from run on, what comes out is what went in */
    char *o = out, *last = out + (room - MCP__SLACK);
    mcp__v all = MCP__ALL(0);
    if (!MCP__SMALL && n > MCP__LONG) {
        while (end - p >= 2 * MCP__V && mcp__copy_two(o, p, &all)) {
            p += 2 * MCP__V;
            o += 2 * MCP__V;
        }
    }
    while (p < end) {
        size_t rest = (size_t)(end - p), back = MCP__V - rest;
        if (!MCP__SMALL && rest < MCP__V && (size_t)(p - run) >= back) {
            p -= back;
            o -= back;
            rest = MCP__V;
        }
        mcp__v v = MCP__LIKELY(rest >= MCP__V) ? mcp__load(p) : mcp__load_part(p, rest);
        mcp__mask stop = mcp__stops(v);
        mcp__store(o, v);
        all = MCP__OR(all, v);
        if (!stop) {
            p += MCP__V;
            o += MCP__V;
            continue;
        }
        unsigned k = mcp__first(stop);
        p += k;
        o += k;
        if (p == end) break; /* it stopped at the zeros behind a part */
        o = mcp__escape_byte(o, (unsigned char)*p++);
        run = p;
        if (end - p > last - o) break;
    }
    mcp__escaped e = { (size_t)(p - s), (size_t)(o - out), mcp__high(all) != 0 };
    return e;
}

MCP__INLINE bool mcp__is_line_separator(const char *s, size_t n) { /* U+2028, U+2029 */
    return n >= 3 && !memcmp(s, "\xE2\x80", 2) && ((unsigned char)s[2] | 1) == 0xA9;
}

/* How much of this is UTF-8 that JavaScript, too, takes between quotes. */
MCP__PRIVATE size_t mcp__utf8_clean(const char *s, size_t n) {
    n = mcp__utf8_valid(s, n);
    for (const char *p = s; (p = (const char *)memchr(p, 0xE2, n - (size_t)(p - s))) != NULL; p++)
        if (mcp__is_line_separator(p, n - (size_t)(p - s))) return (size_t)(p - s);
    return n;
}

/* One U+FFFD for the maximal part of a sequence that is at s, as the Unicode Standard recommends,
   or the escape of a line separator. Returns how many bytes that was. */
MCP__PRIVATE size_t mcp__put_repair(mcp_writer *w, const char *s, size_t n) {
    size_t need;
    if (mcp__is_line_separator(s, n)) {
        mcp__put_plain(w, (unsigned char)s[2] == 0xA8 ? "\\u2028" : "\\u2029", 6);
        return 3;
    }
    mcp__put_plain(w, "\xEF\xBF\xBD", 3);
    return mcp__utf8_fit(s, n, &need);
}

/* What stands between the quotes, in pieces, so that little room will do. A piece that is not clean
   is written again up to its fault; behind that, pieces begin small, so that many faults take no
   more than linear time. */
MCP__PRIVATE MCP__NOINLINE void mcp__put_escaped(mcp_writer *w, const char *s, size_t n) {
    char spare[4 * MCP__SLACK];
    size_t limit = MCP__PIECE, to_fault = SIZE_MAX;
    while (n && !w->status) {
        if (!to_fault) {
            size_t gone = mcp__put_repair(w, s, n);
            s += gone;
            n -= gone;
            limit = MCP__SLACK;
            to_fault = SIZE_MAX;
            continue;
        }
        size_t piece = n < limit ? n : limit, room = mcp__writer_space(w, piece + MCP__SLACK);
        bool roomy = room > 2 * MCP__SLACK; /* or a buffer's end, where what fits must still fit */
        char *out = roomy ? w->_at : spare;
        if (!roomy) room = sizeof spare;
        if (piece > room - MCP__SLACK) piece = room - MCP__SLACK;
        for (int i = 0; i < 3 && piece < n && (s[piece] & 0xC0) == 0x80; i++) piece--;
        if (piece > to_fault) piece = to_fault;
        mcp__escaped e = mcp__escape(out, room, s, piece);
        size_t clean = e.high ? mcp__utf8_clean(s, e.used) : e.used;
        if (clean < e.used) {
            to_fault = clean;
            continue;
        }
        if (roomy) mcp__writer_used(w, e.size);
        else mcp__put_plain(w, spare, e.size);
        s += e.used;
        n -= e.used;
        if (to_fault < SIZE_MAX) to_fault -= e.used;
        else if (limit < MCP__PIECE) limit *= 2;
    }
}

/* Copies n bytes, MCP__V or more; false: they are not all plain ASCII with nothing to escape. The
   last vector comes first: what it overlaps needs no other step. */
MCP__INLINE bool mcp__copy_calm(char *out, const char *s, size_t n) {
    mcp__v v = mcp__load(s + n - MCP__V);
    if (mcp__breaks(v)) return false;
    mcp__store(out + n - MCP__V, v);
    for (size_t i = 0; i < n - MCP__V; i += MCP__V) {
        v = mcp__load(s + i);
        if (mcp__breaks(v)) return false;
        mcp__store(out + i, v);
    }
    return true;
}

/* Text between quotes. */
MCP__PRIVATE MCP__NOINLINE void mcp__put_quoted(mcp_writer *w, const char *s, size_t n) {
    size_t room = mcp__writer_room(w), size = n;
    if (n < MCP__PIECE && n + MCP__SLACK + 8 < room) { /* at one go, if it is clean */
        char *out = w->_at;
        bool clean = !MCP__SMALL && n >= MCP__V && mcp__copy_calm(out + 1, s, n);
        if (!clean) {
            mcp__escaped e = mcp__escape(out + 1, room - 8, s, n);
            clean = e.used == n && (!e.high || mcp__utf8_clean(s, n) == n);
            size = e.size;
        }
        if (clean) {
            out[0] = out[size + 1] = '"';
            mcp__writer_upto(w, out + size + 2);
            return;
        }
    }
    mcp__put_char(w, '"');
    mcp__put_escaped(w, s, n);
    mcp__put_char(w, '"');
}

/* Copies 8 to 16 bytes; returns what mcp__breaks finds in them. */
MCP__INLINE mcp__mask mcp__copy_words(char *out, const char *s, size_t n) {
    uint64_t a = mcp__load64(s), b = mcp__load64(s + n - 8);
    mcp__store64(out, a);
    mcp__store64(out + n - 8, b);
    return mcp__breaks_two(a, b);
}

/* Puts a name between quotes: 1 to MCP__NAME bytes of plain ASCII with nothing to escape. False: it
   is something else. With a comma before it and a colon behind it, MCP__SLACK bytes hold it. */
MCP__INLINE bool mcp__quote(char *out, const char *s, size_t n) {
    if (!MCP__SIMD || n - 1 >= MCP__NAME) return false;
    if (n < 8) {
        uint64_t a = mcp__load_few(s, n) | MCP__BLANKS << n * 8;
        mcp__store64(out + 1, a);
        out[0] = out[n + 1] = '"';
        return !mcp__breaks_two(a, a);
    }
    out[0] = out[n + 1] = '"';
    if (n <= 16) return !mcp__copy_words(out + 1, s, n);
    if (n >= MCP__V) return mcp__copy_calm(out + 1, s, n);
    return !(mcp__copy_words(out + 1, s, 16) | mcp__copy_words(out + n - 15, s + n - 16, 16));
}

/* _outer has two bits a level, the innermost lowest: what is around it. Every 32 levels it is kept
   in _stack. A brace is 32 above its bracket. */
MCP__PRIVATE void mcp__put_push(mcp_writer *w, bool object) {
    unsigned state = w->_state, kind = object ? MCP__IN_OBJECT : MCP__IN_ARRAY;
    if (MCP__UNLIKELY(w->_depth >= MCP__NESTING)) {
        mcp__put_wrong(w, MCP_LIMIT, "more than 256 objects and arrays, one in the other");
        return;
    }
    if (w->_depth % 32 == 0) w->_stack[w->_depth / 32] = w->_outer;
    w->_depth++;
    w->_outer = w->_outer << 2 | (state & MCP__INSIDE) / MCP__IN_OBJECT;
    w->_state = (state & ~(unsigned)(MCP__INSIDE | MCP__COMMA)) | kind;
    mcp__put_char(w, (char)('[' + (kind & MCP__IN_OBJECT) * 16));
}

MCP__PRIVATE void mcp__put_pop(mcp_writer *w) {
    unsigned state = w->_state, depth = --w->_depth;
    unsigned around = (unsigned)(w->_outer & 3) * MCP__IN_OBJECT;
    w->_outer = depth % 32 ? w->_outer >> 2 : w->_stack[depth / 32];
    w->_state = (state & ~(unsigned)MCP__INSIDE) | around | MCP__COMMA;
    mcp__put_char(w, (char)(']' + (state & MCP__IN_OBJECT) * 16));
}

/* The first thing written says what the whole is. */
MCP__PRIVATE bool mcp__put_root(mcp_writer *w, const char *key) {
    if (w->_state & MCP__BEGUN) return mcp__put_misuse(w, "a second value beside the first one");
    w->_state |= MCP__BEGUN;
    if (!key) return true;
    w->_state |= MCP__IMPLIED;
    mcp__put_push(w, true);
    return !w->status;
}

/* Neither a key in an object nor a value in an array: the first value of all, or a mistake. */
MCP__PRIVATE MCP__NOINLINE bool mcp__put_odd(mcp_writer *w, const char *key) {
    if (!w->_depth) return mcp__put_root(w, key);
    return mcp__put_misuse(w, key ? "a key in an array" : "no key in an object");
}

/* What comes before a value: a comma, a key. False: there must not be a value. */
MCP__PRIVATE MCP__NOINLINE bool mcp__put_slot(mcp_writer *w, const char *key) {
    if (w->status) return false;
    if (!(w->_state & (key ? MCP__IN_OBJECT : MCP__IN_ARRAY)) && !mcp__put_odd(w, key))
        return false;
    if (w->_state & MCP__COMMA) mcp__put_char(w, ',');
    w->_state |= MCP__COMMA;
    if (!key) return true;
    mcp__put_quoted(w, key, strlen(key));
    mcp__put_char(w, ':');
    return true;
}

/* The same where nothing is unusual: where the value goes, before MCP__SLACK bytes of room. What is
   written up to there does not count before mcp__writer_upto. NULL: nothing was done. */
MCP__INLINE char *mcp__put_here(mcp_writer *w, const char *key) {
    unsigned state = w->_state;
    char *out = w->_at;
    if (MCP__SMALL || w->status || mcp__writer_room(w) < 2 * MCP__SLACK ||
        !(state & (key ? MCP__IN_OBJECT : MCP__IN_ARRAY))) return NULL;
    *out = ',';
    out += state & MCP__COMMA;
    if (key) {
        size_t n = strlen(key);
        if (!mcp__quote(out, key, n)) return NULL;
        out[n + 2] = ':';
        out += n + 3;
    }
    w->_state = state | MCP__COMMA;
    return out;
}

MCP__INLINE bool mcp__put_key(mcp_writer *w, const char *key) {
    char *out = mcp__put_here(w, key);
    if (MCP__UNLIKELY(!out)) return mcp__put_slot(w, key);
    mcp__writer_upto(w, out);
    return true;
}

MCP__PRIVATE void mcp__put_obj(mcp_writer *w, const char *key) {
    if (mcp__put_key(w, key)) mcp__put_push(w, true);
}

MCP__PRIVATE void mcp__put_arr(mcp_writer *w, const char *key) {
    if (mcp__put_key(w, key)) mcp__put_push(w, false);
}

MCP__PRIVATE void mcp__put_end(mcp_writer *w) {
    if (w->status) return;
    if (MCP__UNLIKELY(!w->_depth)) mcp__put_misuse(w, "mcp_put_end where nothing was begun");
    else if (MCP__UNLIKELY(w->_depth == 1 && w->_state & MCP__IMPLIED))
        mcp__put_misuse(w, "mcp_put_end for what the first key began");
    else mcp__put_pop(w);
}

MCP__PRIVATE void mcp__put_word(mcp_writer *w, const char *key, const char *word, size_t n) {
    if (mcp__put_key(w, key)) mcp__put_plain(w, word, n);
}

/* The same for a word that is padded to eight bytes: its copy is one store. */
MCP__INLINE void mcp__put_short(mcp_writer *w, const char *key, const char word[8], size_t n) {
    char *out = mcp__put_here(w, key);
    if (MCP__UNLIKELY(!out)) mcp__put_word(w, key, word, n);
    else {
        memcpy(out, word, 8);
        mcp__writer_upto(w, out + n);
    }
}

MCP__PRIVATE void mcp__put_null(mcp_writer *w, const char *key) {
    mcp__put_short(w, key, "null\0\0\0", 4);
}

MCP__PRIVATE void mcp__put_bool(mcp_writer *w, const char *key, bool value) {
    mcp__put_short(w, key, value ? "true\0\0\0" : "false\0\0", value ? 4 : 5);
}

MCP__PRIVATE void mcp__put_strn(mcp_writer *w, const char *key, const char *value, size_t n) {
    if (!value) {
        mcp__put_null(w, key);
        return;
    }
    char *out = mcp__put_here(w, key);
    if (out && mcp__quote(out, value, n)) {
        mcp__writer_upto(w, out + n + 2);
        return;
    }
    if (out) mcp__writer_upto(w, out);
    if (out || mcp__put_slot(w, key)) mcp__put_quoted(w, value, n);
}

MCP__PRIVATE void mcp__put_str(mcp_writer *w, const char *key, const char *value) {
    mcp__put_strn(w, key, value, value ? strlen(value) : 0);
}

/* Short texts are made on the stack, and cost no allocation. */
MCP__PRIVATE void mcp__put_vf(mcp_writer *w, const char *key, const char *fmt, va_list ap) {
    static const mcp__mem heap = { { NULL, NULL } };
    const mcp__buf *owner = (const mcp__buf *)w->_owner;
    char room[512];
    mcp__buf brief = { NULL, room, 0, sizeof room, sizeof room, MCP_OK };
    mcp__buf b = { owner ? owner->mem : &heap, NULL, 0, 0, SIZE_MAX / 2, MCP_OK };
    va_list again;
    if (w->status) return;
    va_copy(again, ap);
    if (mcp__vformat(&brief, fmt, ap)) mcp__put_strn(w, key, brief.ptr, brief.len);
    else if (brief.status == MCP_LIMIT && mcp__vformat(&b, fmt, again))
        mcp__put_strn(w, key, b.ptr, b.len);
    else if ((brief.status == MCP_MISUSE) | (b.status == MCP_MISUSE))
        mcp__put_wrong(w, MCP_MISUSE, "a format has a % that mcp.h does not know");
    else mcp__put_fail(w, b.status);
    va_end(again);
    mcp__buf_free(&b);
}

/* What does not go out in one step, by way of the stack. */
MCP__PRIVATE MCP__NOINLINE void mcp__put_int_apart(mcp_writer *w, const char *key, int64_t value) {
    char text[24];
    mcp__put_word(w, key, text, (size_t)(mcp__print_int(text, value) - text));
}

/* Where the compiler knows that there is no key, no register is saved for a call of strlen. */
MCP__INLINE void mcp__put_int_here(mcp_writer *w, const char *key, int64_t value) {
    char *out = mcp__put_here(w, key);
    if (MCP__LIKELY(out)) mcp__writer_upto(w, mcp__print_int(out, value));
    else mcp__put_int_apart(w, key, value);
}

MCP__PRIVATE MCP__NOINLINE void mcp__put_int_member(mcp_writer *w, const char *key, int64_t value) {
    mcp__put_int_here(w, key, value);
}

MCP__PRIVATE void mcp__put_int(mcp_writer *w, const char *key, int64_t value) {
    if (MCP__SMALL || key) mcp__put_int_member(w, key, value);
    else mcp__put_int_here(w, NULL, value);
}

/* MCP_UNSUPPORTED: JSON has no NaN and no infinity. */
MCP__PRIVATE void mcp__put_num(mcp_writer *w, const char *key, double value) {
    if (value - value != 0) {
        mcp__put_wrong(w, MCP_UNSUPPORTED, "a number was not finite");
        return;
    }
    char text[MCP__SLACK], *out = mcp__put_here(w, key);
    if (MCP__LIKELY(out)) mcp__writer_upto(w, mcp__print_double(out, value));
    else mcp__put_word(w, key, text, (size_t)(mcp__print_double(text, value) - text));
}

/* As it stands between quotes. Pieces but the last come in threes. */
MCP__PRIVATE void mcp__put_base64(mcp_writer *w, const void *bytes, size_t n) {
    const char *s = (const char *)bytes;
    while (n && !w->status) {
        char text[4];
        size_t piece = n < MCP__PIECE / 4 * 3 ? n : MCP__PIECE / 4 * 3;
        size_t fours = mcp__writer_space(w, (piece + 2) / 3 * 4) / 4;
        if (!fours) { /* four bytes across the end of a buffer */
            piece = n < 3 ? n : 3;
            mcp__put_plain(w, text, mcp__base64_encode(text, s, piece));
        } else {
            if (piece > fours * 3) piece = fours * 3;
            mcp__writer_used(w, mcp__base64_encode(w->_at, s, piece));
        }
        s += piece;
        n -= piece;
    }
}

MCP__PRIVATE void mcp__put_blob(mcp_writer *w, const char *key, const void *bytes, size_t n) {
    if (!mcp__put_key(w, key)) return;
    mcp__put_char(w, '"');
    mcp__put_base64(w, bytes, n);
    mcp__put_char(w, '"');
}

MCP__PRIVATE void mcp__copy_string(mcp_writer *w, const char *v, const char *end) {
    mcp__str text = { v + 1, (size_t)(end - v) - 2 };
    size_t n;
    if (*v == '"' && mcp__json_lone(v)) mcp__json_text(v, &n); /* not every peer takes those */
    if (*v == '"') mcp__put_plain(w, v, (size_t)(end - v));
    else if (*v == MCP__PLAIN) {
        mcp__put_char(w, '"');
        mcp__put_plain(w, text.s, text.n);
        mcp__put_char(w, '"');
    } else {
        text = mcp__decoded_text(v);
        mcp__put_quoted(w, text.s, text.n);
    }
}

/* The bytes of values, keys and what stands between them, in one line. */
MCP__PRIVATE void mcp__copy_json(mcp_writer *w, const char *p, const char *end) {
    while (p < end && !w->status) {
        const char *from = p;
        while (p < end && !mcp__is_string(p) && !mcp__is_space(*p)) p++;
        if (p > from) mcp__put_plain(w, from, (size_t)(p - from));
        if (p < end && mcp__is_string(p)) {
            from = p;
            p = mcp__skip_string(p);
            mcp__copy_string(w, from, p);
        } else while (p < end && mcp__is_space(*p)) p++;
    }
}

/* A value of any state. */
MCP__PRIVATE void mcp__put_json(mcp_writer *w, const char *key, const char *v) {
    if (!v) mcp__put_null(w, key);
    else if (mcp__put_key(w, key)) mcp__copy_json(w, v, mcp__json_skip(v));
}

/* A member as it stands elsewhere, with its key. */
MCP__PRIVATE void mcp__put_member(mcp_writer *w, const char *v) {
    if (w->status) return;
    if (w->_state & MCP__COMMA) mcp__put_char(w, ',');
    w->_state |= MCP__COMMA;
    mcp__copy_json(w, mcp__json_key(v), mcp__json_skip(v));
}

MCP__INLINE void mcp__writer_begin(mcp_writer *w, void *owner, mcp_write_hook sink) {
    w->status = MCP_OK;
    w->why = NULL;
    w->size = 0;
    w->_sink = sink;
    w->_owner = owner;
    w->_outer = 0;
    w->_depth = w->_state = 0;
}

MCP__PRIVATE void mcp__writer_init(mcp_writer *w, char *buf, size_t n, mcp_write_hook sink) {
    mcp__writer_begin(w, NULL, sink);
    if (!buf) n = 0;
    if (sink.func || !n) mcp__writer_place(w, n ? buf : NULL, 0, n);
    else mcp__writer_place(w, buf, 0, n - 1); /* the last byte is for a NUL */
}

/* Appends to a buffer; the buffer knows of it once mcp__writer_end or _sync was called. */
MCP__PRIVATE void mcp__writer_on(mcp_writer *w, mcp__buf *b) {
    static const mcp_write_hook none = { NULL, NULL };
    mcp__writer_begin(w, b, none);
    w->status = b->status;
    mcp__writer_place(w, b->ptr, b->len, b->cap);
}

MCP__PRIVATE void mcp__writer_sync(mcp_writer *w) {
    mcp__buf *b = (mcp__buf *)w->_owner;
    if (b) b->len = mcp__writer_held(w);
}

/* Closes what a key began; nothing at all is {}. */
MCP__PRIVATE int mcp__writer_end(mcp_writer *w) {
    if (!w->status && !(w->_state & MCP__BEGUN)) {
        mcp__put_root(w, "");
        mcp__put_pop(w);
    } else if (!w->status && w->_depth == 1 && w->_state & MCP__IMPLIED) mcp__put_pop(w);
    else if (!w->status && w->_depth)
        mcp__put_misuse(w, "what mcp_put_obj or _arr began has no end");
    if (w->_owner) mcp__writer_sync(w);
    else if (w->_sink.func) {
        if (!w->status && w->_at > w->_buf) mcp__writer_more(w, 1);
    } else if (w->_buf) *w->_at = 0;
    return w->status;
}

/* Back to where it was when `to` was taken of it; nothing may have left the buffer since. */
MCP__PRIVATE MCP__NOINLINE void mcp__writer_rewind(mcp_writer *w, const mcp_writer *to) {
    char *buf = w->_buf, *end = w->_end, *at = w->_at - (w->size - to->size);
    *w = *to;
    w->_buf = buf;
    w->_at = at;
    w->_end = end;
}

/* -- the reader: what is too large to hold -- */

enum { /* _state: what may come, or what we are inside of */
    MCP__MAY_VALUE = 1, MCP__MAY_KEY = 2, MCP__MAY_CLOSE = 4, MCP__MAY_COMMA = 8,
    MCP__MAY_COLON = 16, MCP__MAY_END = 32,
    MCP__IN_STRING = 64, MCP__IN_NUMBER = 128, MCP__IN_WORD = 192, MCP__IN_MARK = 224
};
enum { MCP__MINUS = 1, MCP__MORE = 2, MCP__NUMBER = 4 }; /* _open, of a number */
enum { MCP__KEY = 1, MCP__ENDED = 2, MCP__GIVEN = 4 };   /* _flags */

MCP__INLINE uint64_t mcp__read_offset(const mcp_reader *r, const char *p) {
    return r->_fed - (uint64_t)(r->_end - p);
}

MCP__PRIVATE int mcp__read_fail(mcp_reader *r, int status, uint64_t offset) {
    r->offset = offset;
    r->_calm = r->_at;
    return r->_status = status;
}

MCP__PRIVATE int mcp__read_bad(mcp_reader *r, const char *p) {
    return mcp__read_fail(r, MCP_SYNTAX, mcp__read_offset(r, p));
}

/* The piece is used up. */
MCP__PRIVATE int mcp__read_dry(mcp_reader *r) {
    r->_at = r->_end;
    if (!(r->_flags & MCP__ENDED)) return MCP_READ_MORE;
    return r->_state == MCP__MAY_END ? MCP_READ_DONE : mcp__read_bad(r, r->_end);
}

/* Behind a value; most often a comma is there, and then that is done with. _comma is what may come
   behind one: a key in an object, a value in an array, at the top nothing. An end of NULL: there is
   more of the piece. */
MCP__INLINE void mcp__read_after(mcp_reader *r, const char *p, const char *end) {
    unsigned char next = r->_comma;
    if (MCP__LIKELY(mcp__peek(p, end) == ',' && next)) {
        r->_at = p + 1;
        r->_state = next;
        return;
    }
    r->_at = p;
    r->_state = next ? MCP__MAY_COMMA | MCP__MAY_CLOSE : MCP__MAY_END;
}

/* The last part of a string or a key, or all of it; p is behind its quote. */
MCP__INLINE int mcp__read_last(mcp_reader *r, bool key, const char *text, size_t n, const char *p,
                               const char *end) {
    r->text = text;
    r->size = n;
    if (!key) {
        mcp__read_after(r, p, end);
        return MCP_READ_STR;
    }
    r->_at = p;
    r->_state = MCP__MAY_COLON;
    if (MCP__LIKELY(mcp__peek(p, end) == ':')) {
        r->_at = p + 1;
        r->_state = MCP__MAY_VALUE;
    }
    return MCP_READ_KEY;
}

MCP__PRIVATE int mcp__read_part(mcp_reader *r, const char *text, size_t n) {
    r->text = text;
    r->size = n;
    r->partial = true;
    r->_state = MCP__IN_STRING;
    return r->_flags & MCP__KEY ? MCP_READ_KEY : MCP_READ_STR;
}

/* The scratch is full: a part, but for the sequence that is still open. */
MCP__PRIVATE int mcp__read_full(mcp_reader *r) {
    size_t n = r->_len - r->_open;
    if (!n) return mcp__read_fail(r, MCP_LIMIT, r->offset); /* too small for one character */
    r->_flags |= MCP__GIVEN;
    return mcp__read_part(r, r->_scratch, n);
}

/* How many of n bytes are whole sequences; a last one may be cut. False: what is behind is none. */
MCP__PRIVATE bool mcp__utf8_whole(const char *s, size_t n, size_t *whole) {
    size_t need, rest = n - (*whole = mcp__utf8_valid(s, n));
    return !rest || (mcp__utf8_fit(s + *whole, rest, &need) == rest && rest < need);
}

/* Goes past plain ASCII, by whole vectors, of which the last one may begin at `last`. */
MCP__INLINE const char *mcp__read_ascii(const char *p, const char *last) {
    while (!MCP__SMALL && p <= last && !mcp__breaks(mcp__load(p))) p += MCP__V;
    return p;
}

/* Plain text up to the next quote, backslash or control byte, or the end; ORs its high bits. */
MCP__INLINE const char *mcp__read_stop(const char *p, const char *end, mcp__mask *high) {
    if (end - p > MCP__V) p = mcp__read_ascii(p, end - MCP__V);
    while (p < end) {
        size_t rest = (size_t)(end - p);
        mcp__v v = MCP__LIKELY(rest >= MCP__V) ? mcp__load(p) : mcp__load_part(p, rest);
        mcp__mask stop = mcp__stops(v);
        if (stop) {
            *high |= mcp__high(v) & mcp__before(stop);
            return p + mcp__first(stop);
        }
        *high |= mcp__high(v);
        p += MCP__V;
    }
    return p;
}

/* Assembles plain text, as much as there is room for; returns what is behind. NULL: an error. */
MCP__PRIVATE const char *mcp__read_copy(mcp_reader *r, const char *p, size_t n, bool high) {
    size_t whole, from = r->_len - r->_open, space = r->_cap - r->_len;
    bool wide = n <= MCP__V && space >= MCP__V && r->_end - p >= MCP__V;
    if (n > space) n = space;
    if (wide) mcp__store(r->_scratch + r->_len, mcp__load(p));
    else memcpy(r->_scratch + r->_len, p, n);
    r->_len += n;
    if (!high && !r->_open) return p + n;
    bool good = mcp__utf8_whole(r->_scratch + from, r->_len - from, &whole);
    r->_open = (unsigned char)(r->_len - from - whole);
    if (good) return p + n;
    mcp__read_fail(r, MCP_SYNTAX, mcp__read_offset(r, p + n) - (r->_len - from - whole));
    return NULL;
}

/* The size of the escape whose first n bytes are at p. 0: they don't say; below: which is bad. */
MCP__PRIVATE int mcp__escape_size(const char *p, size_t n) {
    if (n < 2) return 0;
    if (p[1] != 'u') return mcp__unescapes[(unsigned char)p[1]] ? 2 : -1;
    for (size_t i = 2; i < 6; i++) {
        if (i == n) return 0;
        if (!(mcp__byte(p[i]) & MCP__HEX)) return -(int)i;
    }
    if ((mcp__hex4(p + 2) & 0xFC00) != 0xD800) return 6;
    for (size_t i = 6; i < 12; i++) { /* is it the first half of a pair? */
        if (i == n) return 0;
        if (i == 6 ? p[i] != '\\' : i == 7 && p[i] != 'u') return 6;
        if (i > 7 && !(mcp__byte(p[i]) & MCP__HEX)) return -(int)i;
    }
    return (mcp__hex4(p + 8) & 0xFC00) == 0xDC00 ? 12 : 6;
}

/* At an escape, or inside one, of which _hold has the beginning. MCP_OK: it is assembled, and *p is
   behind it; else read returns that. */
MCP__PRIVATE int mcp__read_escape(mcp_reader *r, const char **p) {
    const char *escape = *p;
    char *out = r->_scratch + r->_len;
    size_t n = (size_t)(r->_end - *p), held = r->_held;
    uint64_t offset = mcp__read_offset(r, *p);
    if (MCP__UNLIKELY(r->_open)) return mcp__read_fail(r, MCP_SYNTAX, offset - r->_open);
    if (MCP__UNLIKELY(r->_cap - r->_len < 4)) {
        r->_at = *p;
        return mcp__read_full(r);
    }
    if (MCP__UNLIKELY(held || n < sizeof r->_hold)) { /* it may be cut */
        if (n > sizeof r->_hold - held) n = sizeof r->_hold - held;
        memcpy(r->_hold + held, *p, n);
        escape = r->_hold;
    }
    int size = mcp__escape_size(escape, held + n);
    if (size < 0) return mcp__read_fail(r, MCP_SYNTAX, offset - held + (unsigned)-size);
    if (size == 0) {
        r->_held = (unsigned char)(held + n);
        return mcp__read_dry(r);
    }
    mcp__unescape(escape, &out);
    r->_len = (size_t)(out - r->_scratch);
    r->_held = 0;
    if (MCP__LIKELY((size_t)size >= held)) *p += (size_t)size - held;
    else { /* a lone surrogate, and the beginning of another escape */
        r->_held = (unsigned char)(held - (size_t)size);
        memmove(r->_hold, r->_hold + size, r->_held);
    }
    return MCP_OK;
}

/* Gives text from where it is: to the end of the string, or of the piece. */
MCP__INLINE int mcp__read_in_place(mcp_reader *r, const char *p, const char *stop, bool high) {
    size_t n = (size_t)(stop - p), whole = n;
    bool quote = stop < r->_end && *stop == '"', good = !high || mcp__utf8_whole(p, n, &whole);
    if (!good || (whole < n && stop < r->_end)) return mcp__read_bad(r, p + whole);
    if (quote) return mcp__read_last(r, r->_flags & MCP__KEY, p, n, stop + 1, r->_end);
    if (!whole) return mcp__read_fail(r, MCP_LIMIT, r->offset); /* nor has the scratch room */
    r->_at = p + whole;
    return mcp__read_part(r, p, whole);
}

/* Escapes and the text between them, as long as neither piece nor scratch may end. What is odd
   stays where it is, for mcp__read_escape to find. */
MCP__PRIVATE const char *mcp__read_escapes(mcp_reader *r, const char *p) {
    if (r->_end - p < MCP__V + 12 || r->_cap < MCP__V + 4) return p;
    const char *start = p, *last = r->_end - (MCP__V + 12), *next;
    char *from = r->_scratch + r->_len, *out = from;
    char *full = r->_scratch + (r->_cap - (MCP__V + 4));
    mcp__mask high = 0;
    bool four = true; /* at once, until that fails */
    while (p <= last && out <= full) {
        if (*p == '\\') {
            if (mcp__unescape_many(&p, &out, &four)) continue;
            if (!(next = mcp__unescape(p, &out))) break;
            p = next;
            continue;
        }
        mcp__v v = mcp__load(p);
        mcp__mask stop = mcp__stops(v);
        mcp__store(out, v);
        if (!stop) {
            high |= mcp__high(v);
            p += MCP__V;
            out += MCP__V;
            continue;
        }
        unsigned n = mcp__first(stop);
        high |= mcp__high(v) & mcp__before(stop);
        p += n;
        out += n;
        if (*p != '\\') break;
    }
    size_t n = (size_t)(out - from), whole = n;
    if (high && !mcp__utf8_whole(from, n, &whole)) return start;
    r->_open = (unsigned char)(n - whole);
    r->_len += n;
    return p;
}

/* Inside a string. What lies whole in the piece is given from there, so is a run that is longer
   than the scratch; all else is assembled. Up to `seen` there is nothing but text. */
MCP__PRIVATE MCP__NOINLINE int mcp__read_string(mcp_reader *r, const char *p, const char *seen,
                                                mcp__mask high) {
    if (r->_flags & MCP__GIVEN) {
        memmove(r->_scratch, r->_scratch + r->_len - r->_open, r->_open);
        r->_len = r->_open;
        r->_flags &= (unsigned char)~MCP__GIVEN;
    }
    int status;
    for (bool many = true;;) { /* many: escapes at once */
        if (r->_held) {
            if (p == r->_end) return mcp__read_dry(r);
            if ((status = mcp__read_escape(r, &p)) != MCP_OK) return status;
            continue;
        }
        const char *stop = mcp__read_stop(seen > p ? seen : p, r->_end, &high);
        size_t n = (size_t)(stop - p);
        bool over = stop == r->_end, quote = !over && *stop == '"';
        if (!r->_len && (quote || n > r->_cap)) return mcp__read_in_place(r, p, stop, high != 0);
        if (n && !(p = mcp__read_copy(r, p, n, high != 0))) return r->_status;
        high = 0;
        if (p < stop) {
            r->_at = p;
            return mcp__read_full(r);
        }
        if (over) return mcp__read_dry(r);
        if (*p == '\\') {
            const char *q = many && !r->_open ? mcp__read_escapes(r, p) : p;
            many = q > p; /* else an end is near, or an error */
            if (many) p = q;
            else if ((status = mcp__read_escape(r, &p)) != MCP_OK) return status;
            continue;
        }
        if (r->_open || !quote) /* a sequence that is not complete, a control byte */
            return mcp__read_fail(r, MCP_SYNTAX, mcp__read_offset(r, p) - r->_open);
        r->_flags |= MCP__GIVEN;
        return mcp__read_last(r, r->_flags & MCP__KEY, r->_scratch, r->_len, p + 1, r->_end);
    }
}

/* A number's text and what was read of it, which need not be read again. */
MCP__INLINE int mcp__read_num_give(mcp_reader *r, const mcp__num *x, const char *p,
                                   const char *end) {
    const int32_t most = 1000000000; /* as good as any number that is further from 0 */
    r->text = x->text;
    r->size = x->size;
    r->_digits = x->digits;
    r->_exponent = x->exponent > most ? most : x->exponent < -most ? -most
                                                            : (int32_t)x->exponent;
    r->_open = (unsigned char)(MCP__NUMBER | (x->negative ? MCP__MINUS : 0) |
                               (x->more ? MCP__MORE : 0));
    mcp__read_after(r, p, end);
    return MCP_READ_NUM;
}

/* MCP_SYNTAX: the last event was none. */
MCP__PRIVATE int mcp__read_num(const mcp_reader *r, mcp__num *x) {
    mcp__num last = { r->_digits, r->_exponent, r->text, r->size, 0, (r->_open & MCP__MINUS) != 0,
                      (r->_open & MCP__MORE) != 0 };
    *x = last;
    return r->_open & MCP__NUMBER ? MCP_OK : MCP_SYNTAX;
}

MCP__PRIVATE double mcp__read_double(const mcp_reader *r) {
    mcp__num x;
    double v;
    bool brief = (r->_open & (MCP__NUMBER | MCP__MORE)) == MCP__NUMBER;
    if (MCP__LIKELY(brief)) {
        int status = mcp__num_short(r->_digits, r->_exponent, (r->_open & MCP__MINUS) != 0, &v);
        return status ? 0 : v;
    }
    return mcp__read_num(r, &x) || mcp__num_double(&x, &v) ? 0 : v;
}

MCP__INLINE bool mcp__is_number_part(char c) {
    return mcp__is_digit(c) || c == '.' || c == '-' || c == '+' || (c | 0x20) == 'e';
}

/* Inside a number that may be cut: assembled, up to a byte that cannot belong to it. */
MCP__PRIVATE int mcp__read_number(mcp_reader *r, const char *p) {
    const char *from = p;
    mcp__num x;
    while (p < r->_end && mcp__is_number_part(*p)) p++;
    size_t n = (size_t)(p - from);
    if (n > r->_cap - r->_len) return mcp__read_fail(r, MCP_LIMIT, r->offset);
    if (n) memcpy(r->_scratch + r->_len, from, n);
    r->_len += n;
    if (p == r->_end && !(r->_flags & MCP__ENDED)) return mcp__read_dry(r);
    if (mcp__num_parse(r->_scratch, r->_len, &x))
        return mcp__read_fail(r, MCP_SYNTAX, r->offset + (uint64_t)(x.text - r->_scratch));
    return mcp__read_num_give(r, &x, p, r->_end);
}

/* A string begins at p. */
MCP__INLINE int mcp__read_quote(mcp_reader *r, const char *p, const char *seen, mcp__mask high) {
    r->offset = mcp__read_offset(r, p);
    r->_len = 0;
    r->_open = r->_held = 0;
    r->_flags &= (unsigned char)~(MCP__KEY | MCP__GIVEN);
    if (r->_state & MCP__MAY_KEY) r->_flags |= MCP__KEY;
    r->_state = MCP__IN_STRING;
    return mcp__read_string(r, p + 1, seen, high);
}

/* A number begins at p. */
MCP__INLINE int mcp__read_digits(mcp_reader *r, const char *p) {
    mcp__num x;
    const char *end = mcp__num_scan(p, r->_end, &x);
    if (MCP__UNLIKELY((end ? end : x.text) == r->_end) && !(r->_flags & MCP__ENDED)) {
        r->_state = MCP__IN_NUMBER;
        return mcp__read_number(r, p);
    }
    if (!end) return mcp__read_bad(r, x.text);
    return mcp__read_num_give(r, &x, end, r->_end);
}

MCP__PRIVATE int mcp__read_word(mcp_reader *r, const char *p) {
    static const char words[3][6] = { "true", "false", "null" };
    const char *word = words[r->_open] + r->_held;
    for (; *word; p++, word++) {
        if (p == r->_end) {
            r->_held = (unsigned char)(word - words[r->_open]);
            return mcp__read_dry(r);
        }
        if (*p != *word) return mcp__read_bad(r, p);
    }
    mcp__read_after(r, p, r->_end);
    return MCP_READ_TRUE + r->_open;
}

/* A byte order mark may stand before everything else. */
MCP__PRIVATE int mcp__read_mark(mcp_reader *r) {
    for (; r->_held < 3; r->_at++, r->_held++) {
        if (r->_at == r->_end) return mcp__read_dry(r);
        if (*r->_at != mcp__mark[r->_held]) break;
    }
    if (r->_held % 3) return mcp__read_fail(r, MCP_SYNTAX, 0); /* a part of one */
    r->_state = MCP__MAY_VALUE;
    return MCP_OK;
}

/* _stack has a bit a level, the last one lowest: is what encloses it an object? */
MCP__PRIVATE int mcp__read_open(mcp_reader *r, const char *p) {
    bool object = *p == '{';
    uint64_t *bits = &r->_stack[r->depth / 64];
    if (MCP__UNLIKELY(r->depth >= MCP__DEPTH)) return mcp__read_fail(r, MCP_LIMIT, r->offset);
    *bits = *bits << 1 | (r->_comma == MCP__MAY_KEY);
    r->_comma = object ? MCP__MAY_KEY : MCP__MAY_VALUE;
    r->_state = MCP__MAY_CLOSE | r->_comma;
    r->depth++;
    r->_at = p + 1;
    return object ? MCP_READ_OBJ : MCP_READ_ARR;
}

MCP__INLINE int mcp__read_close(mcp_reader *r, const char *p, const char *end) {
    uint64_t *bits = &r->_stack[--r->depth / 64];
    r->_comma = !r->depth ? 0 : *bits & 1 ? MCP__MAY_KEY : MCP__MAY_VALUE;
    *bits >>= 1;
    mcp__read_after(r, p + 1, end);
    return *p == '}' ? MCP_READ_OBJ_END : MCP_READ_ARR_END;
}

/* A token begins at p. */
MCP__PRIVATE int mcp__read_token(mcp_reader *r, const char *p) {
    unsigned char may = r->_state;
    r->offset = mcp__read_offset(r, p);
    r->_len = 0;
    r->_open = r->_held = 0;
    switch (*p) {
    case '"':
        if (!(may & (MCP__MAY_VALUE | MCP__MAY_KEY))) break;
        return mcp__read_quote(r, p, p, 0);
    case '{': case '[':
        if (!(may & MCP__MAY_VALUE)) break;
        return mcp__read_open(r, p);
    case '}': case ']':
        if (!(may & MCP__MAY_CLOSE) || (*p == '}') != (r->_comma == MCP__MAY_KEY)) break;
        return mcp__read_close(r, p, r->_end);
    case '-': case '0': case '1': case '2': case '3': case '4': case '5': case '6': case '7':
    case '8': case '9':
        if (!(may & MCP__MAY_VALUE)) break;
        return mcp__read_digits(r, p);
    case 't': case 'f': case 'n':
        if (!(may & MCP__MAY_VALUE)) break;
        r->_open = *p == 't' ? 0 : *p == 'f' ? 1 : 2;
        r->_state = MCP__IN_WORD;
        return mcp__read_word(r, p);
    default:
        break;
    }
    return mcp__read_bad(r, p);
}

MCP__PRIVATE int mcp__read_event(mcp_reader *r) {
    int status;
    if (r->_state == MCP__IN_STRING) return mcp__read_string(r, r->_at, r->_at, 0);
    if (r->_state == MCP__IN_NUMBER) return mcp__read_number(r, r->_at);
    if (r->_state == MCP__IN_WORD) return mcp__read_word(r, r->_at);
    if (r->_state == MCP__IN_MARK && (status = mcp__read_mark(r)) != MCP_OK) return status;
    for (const char *p = r->_at;; p++) {
        while (p < r->_end && mcp__is_space(*p)) p++;
        if (p == r->_end) return mcp__read_dry(r);
        if (*p == ',' && r->_state & MCP__MAY_COMMA) r->_state = r->_comma;
        else if (*p == ':' && r->_state & MCP__MAY_COLON) r->_state = MCP__MAY_VALUE;
        else return mcp__read_token(r, p);
    }
}

/* A token that begins before _calm needs no look at _end: the byte there ends numbers and spaces,
   and so many follow. */
enum { MCP__CALM = MCP__V + 8 };

/* Field by field: clearing all of it takes longer than reading a small message. The bits of its
   stack are read once they are written. */
MCP__PRIVATE void mcp__reader_init(mcp_reader *r, void *scratch, size_t n) {
    r->text = r->_at = r->_calm = r->_end = "";
    r->_scratch = (char *)scratch;
    r->_cap = scratch ? n : 0;
    r->size = r->depth = r->_len = 0;
    r->offset = r->_fed = r->_digits = 0;
    r->partial = false;
    r->_state = MCP__IN_MARK;
    r->_comma = r->_flags = r->_held = r->_open = 0;
    r->_skip = 0;
    r->_status = MCP_OK;
    r->_exponent = 0;
}

MCP__PRIVATE void mcp__reader_feed(mcp_reader *r, const void *bytes, size_t n) {
    if (r->_status) return;
    if (r->_at != r->_end || (n && r->_flags & MCP__ENDED)) {
        MCP_ASSERT(0 && "a JSON reader was fed before it said MCP_READ_MORE");
        mcp__read_fail(r, MCP_MISUSE, mcp__read_offset(r, r->_at));
        return;
    }
    r->_at = r->_calm = n ? (const char *)bytes : "";
    r->_end = r->_at + n;
    r->_fed += n;
    if (!n) r->_flags |= MCP__ENDED;
    else if (r->_state == MCP__IN_MARK && !r->_held && *r->_at != *mcp__mark)
        r->_state = MCP__MAY_VALUE;
    if (n <= MCP__CALM) return;
    r->_calm = r->_end - MCP__CALM;
    while (r->_calm > r->_at && (mcp__is_space(*r->_calm) || mcp__is_number_part(*r->_calm)))
        r->_calm--;
}

/* A number before _calm. */
MCP__PRIVATE MCP__HOT MCP__NOINLINE int mcp__read_calm_number(mcp_reader *r, const char *p) {
    mcp__num x;
    const char *q = mcp__num_check(p, NULL, &x);
    r->offset = mcp__read_offset(r, p);
    if (MCP__UNLIKELY(!q || x.count > 19)) return mcp__read_token(r, p);
    return mcp__read_num_give(r, &x, q, NULL);
}

/* A string that lies whole between p and quote; an end as in mcp__read_after. */
MCP__INLINE int mcp__read_calm_last(mcp_reader *r, const char *p, const char *quote, bool key,
                                    const char *end) {
    r->offset = mcp__read_offset(r, p);
    r->_open = 0;
    return mcp__read_last(r, key, p + 1, (size_t)(quote - p) - 1, quote + 1, end);
}

/* A string before _calm that is long, has escapes or is not ASCII; up to q there is plain ASCII. */
MCP__PRIVATE MCP__NOINLINE int mcp__read_calm_text(mcp_reader *r, const char *p, const char *q,
                                                   bool key) {
    const char *last = r->_end - MCP__CALM;
    mcp__mask stop = 0, high = 0;
    for (q = mcp__read_ascii(q, last); q <= last; q += MCP__V) {
        mcp__v v = mcp__load(q);
        stop = mcp__stops(v);
        if (stop) {
            high |= mcp__high(v) & mcp__before(stop);
            q += mcp__first(stop);
            break;
        }
        high |= mcp__high(v);
    }
    bool good = !high || (r->_end - q > MCP__V && mcp__utf8_quoted(p + 1, (size_t)(q - p) - 1));
    if (!stop || *q != '"' || !good) return mcp__read_quote(r, p, q, high);
    return mcp__read_calm_last(r, p, q, key, NULL);
}

/* A string before _calm. */
MCP__INLINE int mcp__read_calm_string(mcp_reader *r, const char *p, bool key) {
    mcp__mask stop = mcp__breaks(mcp__load(p + 1));
    const char *q = p + 1 + (stop ? mcp__first(stop) : 0);
    if (MCP__LIKELY(*q == '"')) return mcp__read_calm_last(r, p, q, key, NULL);
    return mcp__read_calm_text(r, p, stop ? q : q + MCP__V, key);
}

/* A word before _calm. */
MCP__PRIVATE MCP__NOINLINE int mcp__read_calm_word(mcp_reader *r, const char *p) {
    const char *q, *bad;
    int event = MCP_READ_NULL;
    if ((q = mcp__check_word(p, "null", &bad)) == NULL) {
        event = *p == 't' ? MCP_READ_TRUE : MCP_READ_FALSE;
        q = *p == 't' ? mcp__check_word(p, "true", &bad) : mcp__check_word(p, "false", &bad);
    }
    r->text = "";
    r->size = 0;
    if (!q) return mcp__read_token(r, p);
    r->offset = mcp__read_offset(r, p);
    r->_open = 0;
    mcp__read_after(r, q, NULL);
    return event;
}

MCP__PRIVATE MCP__HOT MCP__NOINLINE int mcp__read_any(mcp_reader *r) {
    r->text = "";
    r->size = 0;
    r->partial = false;
    return r->_status ? r->_status : mcp__read_event(r);
}

/* A bracket, if one may stand at p; 0: it is none. */
MCP__INLINE int mcp__read_bracket(mcp_reader *r, const char *p, unsigned may, const char *end) {
    bool open = may & MCP__MAY_VALUE && (*p == '{' || *p == '[');
    bool close = may & MCP__MAY_CLOSE && *p == (r->_comma == MCP__MAY_KEY ? '}' : ']');
    if (!open && !close) return 0;
    r->text = "";
    r->size = 0;
    r->offset = mcp__read_offset(r, p);
    r->_open = 0;
    return open ? mcp__read_open(r, p) : mcp__read_close(r, p, end);
}

/* What the end of the piece may cut. Brackets and plain strings that it does not cut are most of
   it. */
MCP__PRIVATE MCP__HOT MCP__NOINLINE int mcp__read_near(mcp_reader *r, const char *p) {
    unsigned may = r->_state;
    size_t rest = (size_t)(r->_end - p);
    if (r->_status || !rest) return mcp__read_any(r);
    if (*p != '"' || !(may & (MCP__MAY_VALUE | MCP__MAY_KEY)) || rest < 2) {
        int event = mcp__read_bracket(r, p, may, r->_end);
        return event ? event : mcp__read_any(r);
    }
    mcp__mask stop;
    if (--rest >= MCP__V) stop = mcp__breaks(mcp__load(p + 1));
    else if (MCP__LIKELY(r->_end - r->_calm >= MCP__V)) /* that load needn't wait for p */
        stop = mcp__breaks(mcp__load(r->_end - MCP__V)) >> (MCP__V - rest) * MCP__BITS;
    else stop = mcp__breaks(mcp__load_part(p + 1, rest));
    size_t n = stop ? mcp__first(stop) : rest;
    if (n >= rest || p[n + 1] != '"') return mcp__read_any(r);
    return mcp__read_calm_last(r, p, p + 1 + n, may & MCP__MAY_KEY, r->_end);
}

MCP__PRIVATE MCP__HOT int mcp__read_next(mcp_reader *r) {
    const char *p = r->_at;
    unsigned may = r->_state;
    if (MCP__UNLIKELY(p >= r->_calm)) return mcp__read_near(r, p);
    p = mcp__json_space(p);
    if (*p == '"' && may & (MCP__MAY_VALUE | MCP__MAY_KEY))
        return mcp__read_calm_string(r, p, may & MCP__MAY_KEY);
    if (may & MCP__MAY_VALUE && (mcp__is_digit(*p) || *p == '-'))
        return mcp__read_calm_number(r, p);
    int event = mcp__read_bracket(r, p, may, NULL);
    if (event) return event;
    return may & MCP__MAY_VALUE ? mcp__read_calm_word(r, p) : mcp__read_any(r);
}

MCP__PRIVATE int mcp__read(mcp_reader *r) {
    for (;;) {
        int event = mcp__read_next(r);
        if (MCP__LIKELY(!r->_skip) || event <= MCP_READ_MORE) return event;
        if (r->depth < r->_skip) r->_skip = 0; /* this was the end of what is skipped */
    }
}

MCP__PRIVATE void mcp__read_skip(mcp_reader *r) {
    bool begun = r->_state & MCP__MAY_CLOSE && r->_state & (MCP__MAY_VALUE | MCP__MAY_KEY);
    if (begun) r->_skip = (uint16_t)r->depth;
}

/* The author's own JSON, in one line. MCP_SYNTAX: it is none. */
MCP__PRIVATE void mcp__put_raw(mcp_writer *w, const char *key, const char *json) {
    char scratch[8];
    mcp_reader r;
    int event;
    mcp__reader_init(&r, scratch, sizeof scratch);
    mcp__reader_feed(&r, json, json ? strlen(json) : 0);
    r._flags |= MCP__ENDED;    /* so that nothing need be assembled but what has escapes */
    r._state = MCP__MAY_VALUE; /* no byte order mark */
    while ((event = mcp__read(&r)) > 0) continue;
    if (event < 0) mcp__put_wrong(w, MCP_SYNTAX, "mcp_put_raw of what is no JSON");
    if (!mcp__put_key(w, key)) return;
    bool string = false;
    for (const char *p = json; *p; ) {
        const char *from = p;
        for (; *p && (string || !mcp__is_space(*p)); p++) {
            if (*p == '\\') p++;
            else if (*p == '"') string = !string;
        }
        mcp__put_plain(w, from, (size_t)(p - from));
        while (mcp__is_space(*p)) p++;
    }
}

/* ---- >>schema ----------------------------------------------------------------------------------
   A table of mcp_arg is compiled once, when a server is made, into rules: one rule says what one
   value must be. The same rules are listed (JSON Schema), checked (problems, each named) and used
   to fill in what was left out (defaults). A mistake in a table is found here, before anything is
   served, and told in one line. Rules nest as deep as the table does, at most MCP__TABLE_DEPTH. */

enum { MCP__TABLE_DEPTH = 32, MCP__PROBLEMS = 8, MCP__SHOWN = 128 };

typedef struct mcp__bound { mcp__str text; mcp__num n; bool set, open; } mcp__bound;
typedef struct mcp__choice { mcp__str text, label; mcp__num n; } mcp__choice;

typedef struct mcp__rule {
    const mcp_arg *row;         /* names, texts, lengths; NULL: the root of a table */
    mcp__str name;              /* of a member */
    mcp_type type;
    unsigned flags;             /* MCP_REQUIRED | MCP_NULLABLE | MCP_OPEN */
    mcp__bound min, max;
    mcp__choice *choice;
    size_t choices;
    struct mcp__rule *item;     /* of an array */
    struct mcp__rule *member;   /* of an object */
    size_t members;
    const char *def;            /* checked JSON, or NULL */
    mcp__str schema;            /* raw JSON Schema: then the value is not for us to judge */
} mcp__rule;

static const char *const mcp__type_names[] = {
    "string", "number", "integer", "boolean", "object", "array", "", "null" };

static const unsigned mcp__in_path = 1u << 16; /* a rule's flag beside its row's: a route's path
                                                  names it, so it is always given */
#define MCP__JSON_TYPE "application/json"
#define MCP__FORM_TYPE "application/x-www-form-urlencoded"

/* ---- names and JSON of people we do not trust, shown in messages ---- */

/* s, cut to MCP__SHOWN bytes between two characters. */
MCP__PRIVATE mcp__str mcp__shown(const char *s, size_t n) {
    mcp__str r = { s, n };
    if (n > MCP__SHOWN)
        for (r.n = MCP__SHOWN; r.n > 0 && ((unsigned char)s[r.n] & 0xC0) == 0x80;) r.n--;
    return r;
}

MCP__PRIVATE bool mcp__add(mcp__buf *b, mcp__str s) { return mcp__buf_add(b, s.s, s.n); }
MCP__PRIVATE bool mcp__adds(mcp__buf *b, const char *s) { return mcp__buf_add(b, s, strlen(s)); }

/* The next part of a list "a|b|c"; false: there was none. An empty text is an empty list. */
MCP__PRIVATE bool mcp__list_next(const char **list, mcp__str *part) {
    if (!*list || (!**list && !part->s)) return false;
    const char *end = strchr(*list, '|');
    part->s = *list;
    part->n = end ? (size_t)(end - *list) : strlen(*list);
    *list = end ? end + 1 : NULL;
    return true;
}

/* ---- checking: v against a rule; every problem is named, up to MCP__PROBLEMS of them ---- */
typedef struct mcp__path { /* where in the arguments: payload.items[2] */
    const struct mcp__path *up;
    mcp__str name;
    size_t index; /* of an item, when there is no name */
} mcp__path;

typedef struct mcp__checker {
    mcp__arena *arena;
    mcp__buf *text;      /* "y: missing; digits: expected integer" */
    size_t problems;
    bool lacks;          /* something that has a default was left out */
    bool exhausted;      /* out of memory: the verdict means nothing */
    const char **found;  /* of the root's members: where each stands, or NULL */
} mcp__checker;

MCP__PRIVATE bool mcp__show_path(mcp__buf *b, const mcp__path *at) {
    if (at->up) mcp__show_path(b, at->up);
    if (at->name.s)
        return (!at->up || mcp__adds(b, ".")) && mcp__add(b, mcp__shown(at->name.s, at->name.n));
    char digits[24];
    *mcp__print_int(digits, (int64_t)at->index) = 0;
    return mcp__adds(b, "[") && mcp__adds(b, digits) && mcp__adds(b, "]");
}

MCP__PRIVATE void mcp__problem(mcp__checker *x, const mcp__path *at, const char *text,
                               mcp__str more) {
    if (x->problems++ >= MCP__PROBLEMS) return;
    if (x->problems > 1) mcp__adds(x->text, "; ");
    if (at) mcp__show_path(x->text, at), mcp__adds(x->text, ": ");
    mcp__adds(x->text, text);
    mcp__add(x->text, more);
}

/* A problem of the form "must be at least 5". */
MCP__PRIVATE void mcp__problem_count(mcp__checker *x, const mcp__path *at, const char *text,
                                     size_t n, const char *unit) {
    char more[64];
    char *end = mcp__print_int(more, (int64_t)n);
    strcpy(end, unit);
    mcp__problem(x, at, text, mcp__str_of(more));
}

MCP__PRIVATE void mcp__check_choices(mcp__checker *x, const mcp__rule *r, const mcp__path *at) {
    mcp__problem(x, at, "must be one of ", mcp__str_of(r->row->choices));
}

MCP__PRIVATE void mcp__check_chars(mcp__checker *x, const mcp__rule *r, const char *v,
                                    const mcp__path *at) {
    const mcp_arg *row = r->row;
    size_t i = 0;
    while (i < r->choices && !mcp__json_is(v, r->choice[i].text.s, r->choice[i].text.n)) i++;
    if (r->choices && i == r->choices) mcp__check_choices(x, r, at);
    if (!row->min_length && !row->max_length) return;
    size_t n = mcp__json_chars(v);
    if (n < row->min_length)
        mcp__problem_count(x, at, "must have at least ", row->min_length, " characters");
    if (row->max_length && n > row->max_length)
        mcp__problem_count(x, at, "must have at most ", row->max_length, " characters");
}

MCP__PRIVATE void mcp__check_number(mcp__checker *x, const mcp__rule *r, const char *v,
                                    const mcp__path *at) {
    mcp__num n;
    int64_t whole;
    double real;
    size_t i = 0;
    if (mcp__json_num(v, &n) != MCP_OK) return;
    if (r->type == MCP_INTEGER ? mcp__num_int(&n, &whole) : mcp__num_double(&n, &real)) {
        mcp__problem(x, at, "out of range", mcp__str_of(NULL)); /* of int64_t, of double */
        return;
    }
    while (i < r->choices && mcp__num_compare(&n, &r->choice[i].n) != 0) i++;
    if (r->choices && i == r->choices) mcp__check_choices(x, r, at);
    if (r->min.set) {
        int order = mcp__num_compare(&n, &r->min.n);
        if (order < 0 || (order == 0 && r->min.open))
            mcp__problem(x, at, r->min.open ? "must be above " : "must be at least ", r->min.text);
    }
    if (r->max.set) {
        int order = mcp__num_compare(&n, &r->max.n);
        if (order > 0 || (order == 0 && r->max.open))
            mcp__problem(x, at, r->max.open ? "must be below " : "must be at most ", r->max.text);
    }
}

MCP__PRIVATE bool mcp__type_fits(mcp_type want, const char *v) {
    if (want == MCP_ANY) return true;
    if (want == MCP_INTEGER) return mcp__json_type(v) == MCP_NUMBER && mcp__json_integral(v);
    return mcp__json_type(v) == want;
}

MCP__PRIVATE const mcp__rule *mcp__rule_of(const mcp__rule *r, const char *key) {
    for (size_t i = 0; i < r->members; i++)
        if (mcp__json_is(key, r->member[i].name.s, r->member[i].name.n)) return &r->member[i];
    return NULL;
}

/* Where each member of the rule stands in the object v; the last of duplicates counts. Members that
   no row names are problems unless the object is open. */
MCP__PRIVATE const char **mcp__match(mcp__checker *x, const mcp__rule *r, const char *v,
                                     const mcp__path *at) {
    const char **found =
        (const char **)mcp__arena_array(x->arena, r->members + 1, sizeof *found);
    if (!found) return x->exhausted = true, (const char **)NULL;
    for (const char *m = mcp__json_first(v); m; m = mcp__json_next(m)) {
        const char *key = mcp__json_key(m);
        const mcp__rule *rule = mcp__rule_of(r, key);
        if (rule) {
            found[rule - r->member] = m;
        } else if (!(r->flags & MCP_OPEN)) {
            mcp__path here = { at, { NULL, 0 }, 0 };
            here.name.s = mcp__json_text(key, &here.name.n);
            mcp__problem(x, &here, "unknown argument", mcp__str_of(NULL));
        }
    }
    return found;
}

MCP__PRIVATE void mcp__check_value(mcp__checker *x, const mcp__rule *r, const char *v,
                                   const mcp__path *at) {
    if (r->schema.n || (mcp__json_type(v) == MCP_NULL && (r->flags & MCP_NULLABLE))) return;
    if (!mcp__type_fits(r->type, v)) {
        mcp__problem(x, at, "expected ", mcp__str_of(mcp__type_names[r->type]));
    } else if (r->type == MCP_STRING) {
        mcp__check_chars(x, r, v, at);
    } else if (r->type == MCP_NUMBER || r->type == MCP_INTEGER) {
        mcp__check_number(x, r, v, at);
    } else if (r->type == MCP_ARRAY) {
        mcp__path here = { at, { NULL, 0 }, 0 };
        for (const char *i = mcp__json_first(v); i; i = mcp__json_next(i), here.index++)
            mcp__check_value(x, r->item, i, &here);
        if (here.index < r->row->min_items)
            mcp__problem_count(x, at, "must have at least ", r->row->min_items, " items");
        if (r->row->max_items && here.index > r->row->max_items)
            mcp__problem_count(x, at, "must have at most ", r->row->max_items, " items");
    } else if (r->type == MCP_OBJECT) {
        const mcp__arena before = *x->arena;
        const char **found = mcp__match(x, r, v, at);
        for (size_t i = 0; found && i < r->members; i++) {
            mcp__path here = { at, r->member[i].name, 0 };
            if (found[i]) mcp__check_value(x, &r->member[i], found[i], &here);
            else if (r->member[i].def) x->lacks = true;
            else if (r->member[i].flags & MCP_REQUIRED)
                mcp__problem(x, &here, "missing", mcp__str_of(NULL));
        }
        if (!at) x->found = found;
        else if (before.at) x->arena->at = before.at, x->arena->used = before.used;
    }
}

/* Checks v against the root of a table. true: it fits. Else text says what does not. */
MCP__PRIVATE bool mcp__check_root(mcp__checker *x, const mcp__rule *r, const char *v) {
    mcp__check_value(x, r, v, NULL);
    if (x->problems > MCP__PROBLEMS) {
        char more[24];
        *mcp__print_int(more, (int64_t)(x->problems - MCP__PROBLEMS)) = 0;
        mcp__adds(x->text, "; and "), mcp__adds(x->text, more), mcp__adds(x->text, " more");
    }
    return !x->problems && !x->exhausted;
}

/* Writes v again, with the default of whatever was left out. */
MCP__PRIVATE void mcp__fill(mcp_writer *w, const char *key, const mcp__rule *r, const char *v) {
    if (!r || r->schema.n || !v || mcp__json_type(v) != r->type ||
        (r->type != MCP_OBJECT && r->type != MCP_ARRAY)) {
        mcp__put_json(w, key, v);
    } else if (r->type == MCP_ARRAY) {
        mcp__put_arr(w, key);
        for (const char *i = mcp__json_first(v); i; i = mcp__json_next(i))
            mcp__fill(w, NULL, r->item, i);
        mcp__put_end(w);
    } else {
        mcp__put_obj(w, key);
        for (const char *m = mcp__json_first(v); m; m = mcp__json_next(m)) {
            const mcp__rule *rule = mcp__rule_of(r, mcp__json_key(m));
            if (rule) mcp__fill(w, rule->name.s, rule, m);
            else mcp__put_member(w, m);
        }
        for (size_t i = 0; i < r->members; i++)
            if (r->member[i].def && !mcp__json_get(v, r->member[i].name.s, r->member[i].name.n))
                mcp__fill(w, r->member[i].name.s, &r->member[i], r->member[i].def);
        mcp__put_end(w);
    }
}

/* ---- listing: a rule as JSON Schema. Key order is a promise; empty lists are left out ---- */
MCP__PRIVATE void mcp__put_type(mcp_writer *w, const mcp__rule *r) {
    if (r->type == MCP_ANY) return;
    if (!(r->flags & MCP_NULLABLE) || r->type == MCP_NULL) {
        mcp__put_str(w, "type", mcp__type_names[r->type]);
        return;
    }
    mcp__put_arr(w, "type");
    mcp__put_str(w, NULL, mcp__type_names[r->type]);
    mcp__put_str(w, NULL, "null");
    mcp__put_end(w);
}

MCP__PRIVATE void mcp__put_choices(mcp_writer *w, const mcp__rule *r) {
    if (!r->choices) return;
    mcp__put_arr(w, "enum");
    for (size_t i = 0; i < r->choices; i++) {
        mcp__str text = r->choice[i].text;
        if (r->type == MCP_STRING) mcp__put_strn(w, NULL, text.s, text.n);
        else mcp__put_word(w, NULL, text.s, text.n);
    }
    if (r->flags & MCP_NULLABLE) mcp__put_null(w, NULL);
    mcp__put_end(w);
    if (!r->choice[0].label.s) return;
    mcp__put_arr(w, "enumNames");
    for (size_t i = 0; i < r->choices; i++)
        mcp__put_strn(w, NULL, r->choice[i].label.s, r->choice[i].label.n);
    if (r->flags & MCP_NULLABLE) mcp__put_str(w, NULL, "null");
    mcp__put_end(w);
}

MCP__PRIVATE void mcp__put_bounds(mcp_writer *w, const mcp__rule *r) {
    if (r->min.set)
        mcp__put_word(w, r->min.open ? "exclusiveMinimum" : "minimum", r->min.text.s,
                      r->min.text.n);
    if (r->max.set)
        mcp__put_word(w, r->max.open ? "exclusiveMaximum" : "maximum", r->max.text.s,
                      r->max.text.n);
    if (r->type != MCP_STRING || !r->row) return;
    if (r->row->min_length) mcp__put_int(w, "minLength", (int64_t)r->row->min_length);
    if (r->row->max_length) mcp__put_int(w, "maxLength", (int64_t)r->row->max_length);
    if (r->row->format) mcp__put_str(w, "format", r->row->format);
}

MCP__PRIVATE void mcp__put_required(mcp_writer *w, const mcp__rule *r) {
    bool any = false;
    for (size_t i = 0; i < r->members; i++) {
        if (!(r->member[i].flags & MCP_REQUIRED)) continue;
        if (!any) mcp__put_arr(w, "required");
        any = true;
        mcp__put_strn(w, NULL, r->member[i].name.s, r->member[i].name.n);
    }
    if (any) mcp__put_end(w);
}

/* described: with the row's own title, description and default, which items leave out. */
MCP__PRIVATE void mcp__put_schema(mcp_writer *w, const char *key, const mcp__rule *r,
                                  bool described) {
    if (r->schema.n) {
        mcp__put_word(w, key, r->schema.s, r->schema.n);
        return;
    }
    mcp__put_obj(w, key);
    mcp__put_type(w, r);
    mcp__put_choices(w, r);
    mcp__put_bounds(w, r);
    if (r->type == MCP_ARRAY) {
        mcp__put_schema(w, "items", r->item, r->item->row != r->row);
        if (r->row->min_items) mcp__put_int(w, "minItems", (int64_t)r->row->min_items);
        if (r->row->max_items) mcp__put_int(w, "maxItems", (int64_t)r->row->max_items);
    } else if (r->type == MCP_OBJECT) {
        mcp__put_obj(w, "properties");
        for (size_t i = 0; i < r->members; i++)
            mcp__put_schema(w, r->member[i].name.s, &r->member[i], true);
        mcp__put_end(w);
        mcp__put_required(w, r);
        mcp__put_bool(w, "additionalProperties", (r->flags & MCP_OPEN) != 0);
    }
    if (described && r->row) {
        if (r->row->title) mcp__put_str(w, "title", r->row->title);
        if (r->row->desc) mcp__put_str(w, "description", r->row->desc);
        if (r->def) mcp__put_json(w, "default", r->def);
        if (r->row->header) mcp__put_str(w, "x-mcp-header", r->row->header);
    }
    mcp__put_end(w);
}

/* ---- compiling ---- */
typedef struct mcp__compiler {
    const mcp_server_desc *desc;
    mcp__arena *arena;
    mcp__buf *why;         /* the one line that says what is wrong */
    const char *kind;      /* "tool" */
    const char *owner;     /* its name */
} mcp__compiler;

/* Says why, once. false, for return. */
MCP__PRIVATE bool mcp__wrong(mcp__compiler *x, const mcp_arg *row, const char *text) {
    if (x->why->len) return false;
    mcp__adds(x->why, x->kind), mcp__adds(x->why, " \"");
    mcp__add(x->why, mcp__shown(x->owner, strlen(x->owner)));
    mcp__adds(x->why, "\": ");
    if (row && row->name) {
        mcp__adds(x->why, "argument \"");
        mcp__add(x->why, mcp__shown(row->name, strlen(row->name)));
        mcp__adds(x->why, "\": ");
    }
    mcp__adds(x->why, text);
    return false;
}

MCP__PRIVATE bool mcp__no_memory(mcp__compiler *x) {
    x->why->len = 0;
    x->why->status = MCP_NOMEM; /* it holds no line any more: mcp__log_wrong knows this one */
    return false;
}

/* Raw JSON of the author's, checked and copied; line breaks become spaces, all else stays byte for
   byte. object: only an object will do. */
MCP__PRIVATE const char *mcp__compile_json(mcp__compiler *x, const mcp_arg *row, const char *what,
                                           const char *text, bool object, mcp__str *copy) {
    const char *error;
    int status;
    char *v = mcp__arena_json(x->arena, text, strlen(text));
    if (!v) return mcp__no_memory(x), (const char *)NULL;
    const char *end = mcp__json_check(v, MCP__TABLE_DEPTH * 4, NULL, &error, &status);
    if (!end || *mcp__json_space(end) || (object && *mcp__json_space(v) != '{')) {
        char line[96] = "";
        strncat(line, what, sizeof line - 32);
        strcat(line, object ? " is not a JSON object" : " is not JSON");
        return mcp__wrong(x, row, line), (const char *)NULL;
    }
    for (char *p = v; p < end; p++)
        if ((unsigned char)*p < 0x20) *p = ' ';
    v = (char *)mcp__json_space(v);
    if (copy) copy->s = v, copy->n = (size_t)(end - v);
    return v;
}

MCP__PRIVATE bool mcp__compile_bound(mcp__compiler *x, const mcp_arg *row, const char *text,
                                     char open, mcp__bound *out) {
    if (!text) return true;
    out->set = true;
    out->open = *text == open;
    out->text = mcp__str_of(text + out->open);
    if (mcp__num_parse(out->text.s, out->text.n, &out->n) == MCP_OK) return true;
    return mcp__wrong(x, row, open == '>' ? "min is not a number" : "max is not a number");
}

MCP__PRIVATE bool mcp__compile_bounds(mcp__compiler *x, const mcp_arg *row, mcp__rule *r) {
    bool number = r->type == MCP_NUMBER || r->type == MCP_INTEGER;
    if ((row->min || row->max) && !number)
        return mcp__wrong(x, row, "min and max are for numbers");
    if ((row->min_length || row->max_length) && r->type != MCP_STRING)
        return mcp__wrong(x, row, "min_length and max_length are for strings");
    if (!mcp__compile_bound(x, row, row->min, '>', &r->min)) return false;
    if (!mcp__compile_bound(x, row, row->max, '<', &r->max)) return false;
    if (r->min.set && r->max.set) {
        int order = mcp__num_compare(&r->min.n, &r->max.n);
        if (order > 0 || (order == 0 && (r->min.open || r->max.open)))
            return mcp__wrong(x, row, "no number is within min and max");
    }
    if (row->max_length && row->min_length > row->max_length)
        return mcp__wrong(x, row, "min_length is above max_length");
    if ((row->items || row->min_items || row->max_items) && row->type != MCP_ARRAY)
        return mcp__wrong(x, row, "items, min_items and max_items are for arrays");
    if (row->of && r->type != MCP_OBJECT && r->type != MCP_ARRAY)
        return mcp__wrong(x, row, "of is for objects and arrays");
    return true;
}

MCP__PRIVATE size_t mcp__list_count(const char *list) {
    mcp__str part = { NULL, 0 };
    size_t n = 0;
    while (mcp__list_next(&list, &part)) n++;
    return n;
}

MCP__PRIVATE bool mcp__compile_choices(mcp__compiler *x, const mcp_arg *row, mcp__rule *r) {
    if (!row->choices) return row->labels ? mcp__wrong(x, row, "labels without choices") : true;
    bool number = r->type == MCP_NUMBER || r->type == MCP_INTEGER;
    if (r->type != MCP_STRING && !number)
        return mcp__wrong(x, row, "choices are for strings and numbers");
    const char *list = row->choices, *labels = row->labels;
    mcp__str part = { NULL, 0 }, label = { NULL, 0 };
    size_t n = mcp__list_count(list);
    if (!n) return mcp__wrong(x, row, "there are no choices");
    if (labels && mcp__list_count(labels) != n)
        return mcp__wrong(x, row, "there are not as many labels as choices");
    r->choice = (mcp__choice *)mcp__arena_array(x->arena, n, sizeof *r->choice);
    if (!r->choice) return mcp__no_memory(x);
    for (; mcp__list_next(&list, &part); r->choices++) {
        mcp__choice *choice = &r->choice[r->choices];
        choice->text = part;
        if (mcp__list_next(&labels, &label)) choice->label = label;
        if (number && mcp__num_parse(part.s, part.n, &choice->n) != MCP_OK)
            return mcp__wrong(x, row, "a choice is not a number");
        if (r->type == MCP_INTEGER && !mcp__num_integral(&choice->n))
            return mcp__wrong(x, row, "a choice is not an integer");
        if (mcp__utf8_valid(part.s, part.n) != part.n)
            return mcp__wrong(x, row, "a choice is not UTF-8");
        for (size_t i = 0; i < r->choices; i++)
            if (number ? !mcp__num_compare(&r->choice[i].n, &choice->n)
                       : mcp__str_same(r->choice[i].text, part))
                return mcp__wrong(x, row, "a choice appears twice");
    }
    return true;
}

MCP__PRIVATE bool mcp__compile_name(mcp__compiler *x, const mcp_arg *row, const mcp__rule *before,
                                    size_t n) {
    mcp__str name = mcp__str_of(row->name);
    if (!name.n) return mcp__wrong(x, NULL, "an argument's name is empty");
    if (mcp__utf8_valid(name.s, name.n) != name.n)
        return mcp__wrong(x, NULL, "an argument's name is not UTF-8");
    for (size_t i = 0; i < n; i++)
        if (mcp__str_same(before[i].name, name)) return mcp__wrong(x, row, "appears twice");
    return true;
}

/* A default is JSON, or the text of a string, and fits its own row. */
MCP__PRIVATE bool mcp__compile_default(mcp__compiler *x, const mcp_arg *row, mcp__rule *r) {
    if (!row->def) return true;
    mcp__buf json, text;
    mcp__buf_init(&json, x->arena->mem), mcp__buf_init(&text, x->arena->mem);
    bool ok = true;
    if (r->type == MCP_STRING) {
        mcp_writer w;
        mcp__writer_on(&w, &json);
        mcp__put_str(&w, NULL, row->def);
        ok = mcp__writer_end(&w) == MCP_OK && mcp__buf_add(&json, "", 1);
    }
    r->def = !ok ? (mcp__no_memory(x), (const char *)NULL)
                 : mcp__compile_json(x, row, "def", json.len ? json.ptr : row->def, false, NULL);
    if (r->def) {
        mcp__checker check = { x->arena, &text, 0, false, false, NULL };
        mcp__path at = { NULL, { "def", 3 }, 0 };
        mcp__check_value(&check, r, r->def, &at);
        if (check.problems && mcp__buf_add(&text, "", 1)) mcp__wrong(x, row, text.ptr);
        if (check.problems || check.exhausted) r->def = NULL;
    }
    mcp__buf_free(&json), mcp__buf_free(&text);
    return r->def != NULL;
}

/* The rule of one row's value, or of its items: then type is what the array holds. */
MCP__PRIVATE bool mcp__compile_rule(mcp__compiler *x, const mcp_arg *row, mcp_type type,
                                    bool item, int depth, mcp__rule *r) {
    if (depth > MCP__TABLE_DEPTH) return mcp__wrong(x, row, "nests too deep");
    if ((unsigned)type > MCP_NULL) return mcp__wrong(x, row, "there is no such type");
    if (row->flags & ~(MCP_REQUIRED | MCP_NULLABLE | MCP_OPEN | mcp__in_path))
        return mcp__wrong(x, row, "flags has unknown bits");
    r->row = row;
    r->type = type;
    r->flags = item ? row->flags & MCP_OPEN : row->flags;
    r->name = mcp__str_of(row->name);
    if (row->schema && !item) {
        if (!mcp__compile_json(x, row, "schema", row->schema, true, &r->schema)) return false;
        return mcp__compile_default(x, row, r);
    }
    if (type == MCP_ARRAY) {
        bool inner = row->items == MCP_ARRAY; /* then of is the inner array's one row */
        if (inner && !row->of) return mcp__wrong(x, row, "an array of arrays needs of");
        if (inner && row->of->type != MCP_ARRAY)
            return mcp__wrong(x, row, "of is not the row of an array");
        if (inner && (!mcp__compile_choices(x, row, r) || !mcp__compile_bounds(x, row, r)))
            return false; /* they would describe nothing */
        if (row->max_items && row->min_items > row->max_items)
            return mcp__wrong(x, row, "min_items is above max_items");
        r->item = (mcp__rule *)mcp__arena_alloc(x->arena, sizeof *r->item);
        if (!r->item) return mcp__no_memory(x);
        if (!mcp__compile_rule(x, inner ? row->of : row, row->items, !inner, depth + 1, r->item))
            return false;
        return mcp__compile_default(x, row, r);
    }
    if (type == MCP_OBJECT) {
        if (!row->of) r->flags |= MCP_OPEN;
        size_t n = 0;
        while (row->of && row->of[n].name) n++;
        r->member = (mcp__rule *)mcp__arena_array(x->arena, n + 1, sizeof *r->member);
        if (!r->member) return mcp__no_memory(x);
        for (; r->members < n; r->members++) {
            const mcp_arg *member = &row->of[r->members];
            if (!mcp__compile_name(x, member, r->member, r->members)) return false;
            if (!mcp__compile_rule(x, member, member->type, false, depth + 1,
                                   &r->member[r->members]))
                return false;
        }
    }
    if (!mcp__compile_choices(x, row, r) || !mcp__compile_bounds(x, row, r)) return false;
    return item || mcp__compile_default(x, row, r);
}

/* The rule of a whole table: an object without a name. No rows: it takes no members. */
MCP__PRIVATE bool mcp__compile_table(mcp__compiler *x, const mcp_arg *rows, unsigned flags,
                                     mcp__rule *r) {
    mcp_arg *root = (mcp_arg *)mcp__arena_alloc(x->arena, sizeof *root);
    if (!root) return mcp__no_memory(x);
    root->of = rows;
    if (!mcp__compile_rule(x, root, MCP_OBJECT, false, 0, r)) return false;
    r->flags = flags & MCP_OPEN;
    return true;
}

/* ---- >>uri -------------------------------------------------------------------------------------
   URI templates, RFC 6570 levels 1 to 3, read backwards: not from values to a URI but from a URI to
   values. A template becomes a line of small steps; one table says from which step and place the
   rest can still be matched, and a walk along it lets each variable take as much as it can. Time
   and memory are steps times length. URIs and literals are compared in one normal form: escapes
   in capitals, none where none is needed, one for all that a URI may not hold (RFC 3986 6.2.2). */

enum { MCP__URI_MAX = 8192, MCP__STEPS = 512 };

typedef enum mcp__step_kind { MCP__BYTE, MCP__MAYBE, MCP__SOME, MCP__ANY, MCP__OPEN, MCP__SHUT,
                              MCP__END } mcp__step_kind;

typedef struct mcp__step {
    mcp__step_kind kind;     /* BYTE: a or b; MAYBE: what follows, or else on at to; */
    char a, b;               /* SOME, ANY: one, or as many bytes as can be, that are not in stop */
    const char *stop;
    size_t to;               /* OPEN, SHUT: the variable */
} mcp__step;

typedef struct mcp__variable {
    mcp__str name;
    size_t prefix;           /* {name:prefix}; 0: all of it */
    bool slashes;            /* its value may hold '/' */
} mcp__variable;

typedef struct mcp__template {
    mcp__step *step;         /* ends with MCP__END */
    size_t steps, cap;
    mcp__variable *variable;
    size_t variables;
} mcp__template;

/* RFC 6570 appendix A: what stands before the first value and between two, which bytes end one. */
static const struct mcp__operator { char op, first, between; bool named, optional, reserved; }
mcp__operators[] = {
    { 0,   0,   ',', 0, 0, 0 }, { '+', 0,   ',', 0, 0, 1 }, { '#', '#', ',', 0, 1, 1 },
    { '.', '.', '.', 0, 1, 0 }, { '/', '/', '/', 0, 1, 0 }, { ';', ';', ';', 1, 1, 0 },
    { '?', '?', '&', 1, 1, 0 }, { '&', '&', '&', 1, 1, 0 } };

MCP__PRIVATE bool mcp__unreserved(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || mcp__is_digit(c) ||
           (c && strchr("-._~", c));
}

/* The byte that %XX at p stands for, or -1. */
MCP__PRIVATE int mcp__escaped_byte(const char *p, size_t n) {
    int value = 0;
    if (n < 3 || *p != '%') return -1;
    for (int i = 1; i < 3; i++) {
        char c = p[i], letter = (char)(c | 0x20);
        if (mcp__is_digit(c)) value = value * 16 + (c - '0');
        else if (letter >= 'a' && letter <= 'f') value = value * 16 + (letter - 'a' + 10);
        else return -1;
    }
    return value;
}

/* Why this is no URI, nor, where that is asked for, a template for some; NULL: it is one. RFC 3986,
   and all of UTF-8. A path of this server's own, "/data/summary", is taken for one. */
MCP__PRIVATE const char *mcp__uri_wrong(const char *uri, bool template_too) {
    const mcp__str text = mcp__str_of(uri);
    const char *p = text.s, *odd = "\"<>\\^`|{}";
    if (!text.n || mcp__utf8_valid(text.s, text.n) != text.n)
        return "the URI is empty, or not UTF-8";
    if (template_too) odd = strchr(uri, '{') ? "\"<>\\^`|" : "\"<>\\^`|}";
    if ((*p | 0x20) >= 'a' && (*p | 0x20) <= 'z')
        while (mcp__unreserved(*p) || *p == '+') p++;
    if (*uri != '/' && *p != '{' &&
        (p == uri || *p != ':' || memchr(uri, '_', (size_t)(p - uri)) ||
         memchr(uri, '~', (size_t)(p - uri)))) return "the URI has no scheme";
    for (; *p; p++) {
        if ((unsigned char)*p <= ' ' || *p == 0x7F || strchr(odd, *p))
            return "the URI has a byte that must be escaped";
        if (*p == '%' && mcp__escaped_byte(p, strlen(p)) < 0)
            return "the URI has a % that is no escape";
    }
    return NULL;
}

/* The next byte of a URI in normal form, 256 more if it stands there as %XX; -1: there is none. */
MCP__PRIVATE int mcp__uri_next(mcp__str *uri) {
    if (!uri->n) return -1;
    int escaped = mcp__escaped_byte(uri->s, uri->n);
    char c = escaped < 0 ? *uri->s : (char)escaped;
    size_t size = escaped < 0 ? 1 : 3;
    uri->s += size;
    uri->n -= size;
    bool as_is = mcp__unreserved(c) || (escaped < 0 && c && strchr(":/?#[]@!$&'()*+,;=", c));
    return as_is ? c : 256 + (unsigned char)c;
}

/* In normal form; s NULL: out of memory. */
MCP__PRIVATE mcp__str mcp__uri_normal(mcp__arena *a, const char *s, size_t n) {
    static const char hex[] = "0123456789ABCDEF";
    mcp__str r = { NULL, 0 }, rest = { s, n };
    char *out = n < SIZE_MAX / 8 ? (char *)mcp__arena_raw(a, 3 * n + 1) : NULL;
    if (!out) return r;
    r.s = out;
    for (int c; (c = mcp__uri_next(&rest)) >= 0;) {
        if (c < 256) *out++ = (char)c;
        else {
            *out++ = '%';
            *out++ = hex[c >> 4 & 15];
            *out++ = hex[c & 15];
        }
    }
    *out = 0;
    r.n = (size_t)(out - r.s);
    return r;
}

MCP__PRIVATE bool mcp__uri_same(mcp__str a, mcp__str b) { /* in normal form */
    int c;
    while ((c = mcp__uri_next(&a)) == mcp__uri_next(&b)) if (c < 0) return true;
    return false;
}

/* ---- from text to steps ---- */
MCP__PRIVATE mcp__step *mcp__step_add(mcp__template *t, mcp__step_kind kind) {
    if (t->steps == t->cap) return NULL;
    mcp__step *step = &t->step[t->steps++];
    step->kind = kind;
    return step;
}

MCP__PRIVATE bool mcp__step_bytes(mcp__template *t, const char *s, size_t n) {
    for (size_t i = 0; i < n; i++) {
        mcp__step *step = mcp__step_add(t, MCP__BYTE);
        if (!step) return false;
        step->a = step->b = s[i];
    }
    return true;
}

/* An empty value, unless another follows. */
MCP__PRIVATE mcp__step *mcp__step_bare(mcp__template *t) {
    mcp__step *open = mcp__step_add(t, MCP__OPEN), *shut = mcp__step_add(t, MCP__SHUT);
    if (shut) open->to = shut->to = t->variables - 1;
    return mcp__step_add(t, MCP__MAYBE);
}

/* One variable of an expression; several: it is one of several. */
MCP__PRIVATE bool mcp__step_variable(mcp__template *t, const struct mcp__operator *op, bool first,
                                     bool several) {
    const mcp__variable *v = &t->variable[t->variables - 1];
    const char *stop = op->reserved ? (several ? "," : "") : !several && !op->named ? "/?#"
        : op->between == '&' ? "/?#&" : op->between == ',' ? "/?#,"
        : op->between == ';' ? "/?#;" : op->between == '.' ? "/?#." : "/?#";
    mcp__step *maybe = op->optional ? mcp__step_add(t, MCP__MAYBE) : NULL;
    if (op->optional && !maybe) return false;
    if (!first || op->first) {
        mcp__step *mark = mcp__step_add(t, MCP__BYTE);
        if (!mark) return false;
        mark->a = op->between;
        mark->b = op->first && !first ? op->first : op->between; /* the ones before may be absent */
        if (first) mark->a = mark->b = op->first;
    }
    if (op->named && !mcp__step_bytes(t, v->name.s, v->name.n)) return false;
    mcp__step *bare = op->op == ';' ? mcp__step_bare(t) : NULL; /* ;x is empty, and has no '=' */
    if (op->named && !mcp__step_bytes(t, "=", 1)) return false;
    mcp__step *open = mcp__step_add(t, MCP__OPEN), *some = NULL;
    if (!op->optional) some = mcp__step_add(t, MCP__SOME);
    mcp__step *any = mcp__step_add(t, MCP__ANY), *shut = mcp__step_add(t, MCP__SHUT);
    if (!shut) return false;
    open->to = shut->to = t->variables - 1;
    if (some) some->stop = stop;
    any->stop = stop;
    if (maybe) maybe->to = t->steps;
    if (bare) bare->to = t->steps;
    return true;
}

/* The 1 to 9999 of {name:9999} at p; behind it, or "". */
MCP__PRIVATE const char *mcp__step_prefix(const char *p, size_t *prefix) {
    for (; mcp__is_digit(*p) && *prefix < 1000; p++) *prefix = *prefix * 10 + (size_t)(*p - '0');
    return *prefix ? p : "";
}

/* {op name, name:3 ...} at p, behind the brace; behind it again, or NULL with a reason. */
MCP__PRIVATE const char *mcp__step_expression(mcp__template *t, const char *p, const char **why) {
    size_t i = 1;
    while (i < MCP__COUNT(mcp__operators) && mcp__operators[i].op != *p) i++;
    const struct mcp__operator *op = &mcp__operators[i % MCP__COUNT(mcp__operators)];
    if (op->op) p++;
    const char *end = strchr(p, '}');
    bool several = end && memchr(p, ',', (size_t)(end - p));
    *why = "a brace has no end";
    for (bool first = true; end; first = false) {
        mcp__variable *v = &t->variable[t->variables++];
        v->name.s = p;
        while (mcp__unreserved(*p) || *p == '%') p++;
        v->name.n = (size_t)(p - v->name.s);
        v->slashes = op->reserved;
        if (*p == ':') p = mcp__step_prefix(p + 1, &v->prefix);
        *why = *p == '*' ? "{name*} is level 4 of RFC 6570, which cannot be read backwards"
                         : "an expression is not RFC 6570's";
        if (!v->name.n || (*p != ',' && *p != '}')) return NULL;
        *why = "the template is too long";
        if (!mcp__step_variable(t, op, first, several)) return NULL;
        if (*p++ == '}') return p;
    }
    return NULL;
}

/* NULL: out of memory, or *why says what is wrong. */
MCP__PRIVATE mcp__template *mcp__template_new(mcp__arena *a, const char *text, const char **why) {
    mcp__template *t = (mcp__template *)mcp__arena_alloc(a, sizeof *t);
    *why = NULL;
    if (t) t->cap = mcp__min(MCP__STEPS, 8 * strlen(text) + 8);
    if (t) t->step = (mcp__step *)mcp__arena_array(a, t->cap, sizeof *t->step);
    if (!t || !t->step) return NULL;
    t->variable = (mcp__variable *)mcp__arena_array(a, strlen(text) + 1, sizeof *t->variable);
    if (!t->variable) return NULL;
    while (*text) {
        size_t n = strcspn(text, "{}");
        mcp__str literal = mcp__uri_normal(a, text, n);
        if (!literal.s) return NULL;
        *why = "the template is too long";
        if (!mcp__step_bytes(t, literal.s, literal.n)) return NULL;
        text += n;
        *why = "a brace has no beginning";
        if (*text == '}') return NULL;
        if (*text && !(text = mcp__step_expression(t, text + 1, why))) return NULL;
    }
    *why = "the template is too long";
    return mcp__step_add(t, MCP__END) ? t : NULL;
}

/* ---- from a URI to values ---- */

/* can[step * (n + 1) + i]: what is left at i can be matched from that step on. */
MCP__PRIVATE void mcp__template_reach(const mcp__template *t, mcp__str uri, char *can) {
    const size_t row = uri.n + 1;
    for (size_t k = t->steps; k-- > 0;) {
        const mcp__step *step = &t->step[k];
        char *now = can + k * row, *next = now + row;
        for (size_t i = row; i-- > 0;) {
            bool left = i < uri.n;
            switch (step->kind) {
            case MCP__END: now[i] = !left; break;
            case MCP__BYTE:
                now[i] = left && (uri.s[i] == step->a || uri.s[i] == step->b) && next[i + 1];
                break;
            case MCP__MAYBE: now[i] = (char)(next[i] | can[step->to * row + i]); break;
            case MCP__SOME: now[i] = left && !strchr(step->stop, uri.s[i]) && next[i + 1]; break;
            case MCP__ANY:
                now[i] = next[i] || (left && !strchr(step->stop, uri.s[i]) && now[i + 1]);
                break;
            default: now[i] = next[i]; break;
            }
        }
    }
}

/* The escaped values of the variables, s NULL where there is none; false: no match. */
MCP__PRIVATE bool mcp__template_walk(const mcp__template *t, mcp__str uri, const char *can,
                                     mcp__str *value) {
    const size_t row = uri.n + 1;
    if (!can[0]) return false;
    for (size_t k = 0, i = 0; t->step[k].kind != MCP__END;) {
        const mcp__step *step = &t->step[k];
        const char *next = can + (k + 1) * row;
        switch (step->kind) {
        case MCP__BYTE: case MCP__SOME: i++, k++; break;
        case MCP__MAYBE: k = next[i] ? k + 1 : step->to; break;
        case MCP__ANY:
            if (i < uri.n && !strchr(step->stop, uri.s[i]) && can[k * row + i + 1]) i++;
            else k++;
            break;
        case MCP__OPEN: value[step->to].s = uri.s + i, k++; break;
        default: value[step->to].n = (size_t)(uri.s + i - value[step->to].s), k++; break;
        }
    }
    return true;
}

/* Decodes into `out`, once. false: not text that this variable can hold. */
MCP__PRIVATE bool mcp__variable_decode(const mcp__variable *v, char *out, mcp__str *value) {
    char *o = out;
    for (size_t i = 0; i < value->n; i++) {
        int escaped = mcp__escaped_byte(value->s + i, value->n - i);
        *o++ = escaped < 0 ? value->s[i] : (char)escaped;
        if (escaped >= 0) i += 2;
    }
    *o = 0;
    value->s = out;
    value->n = (size_t)(o - out);
    return mcp__utf8_valid(out, value->n) == value->n && strlen(out) == value->n &&
           (v->slashes || !memchr(out, '/', value->n)) &&
           (!v->prefix || mcp__utf8_count(out, value->n) <= v->prefix);
}

/* The decoded values of the variables; NULL: it does not match, or (*status) no memory. */
MCP__PRIVATE mcp__str *mcp__template_match(const mcp__template *t, mcp__arena *a, mcp__str uri,
                                           int *status) {
    if (uri.n > MCP__URI_MAX) return NULL;
    char *can = (char *)mcp__arena_raw(a, t->steps * (uri.n + 1));
    mcp__str *value = (mcp__str *)mcp__arena_array(a, t->variables + 1, sizeof *value);
    if (!can || !value) return *status = MCP_NOMEM, (mcp__str *)NULL;
    mcp__template_reach(t, uri, can);
    if (!mcp__template_walk(t, uri, can, value)) return NULL;
    for (size_t i = 0; i < t->variables; i++) {
        if (!value[i].s) continue;
        char *out = (char *)mcp__arena_raw(a, value[i].n + 1);
        if (!out) return *status = MCP_NOMEM, (mcp__str *)NULL;
        if (!mcp__variable_decode(&t->variable[i], out, &value[i])) return NULL;
    }
    return value;
}

/* ---- >>versions --------------------------------------------------------------------------------
   What differs between protocol versions is a column here. Nothing else compares versions: the next
   one is a row and, at most, a column. Newest first, which is the order that peers are told. */

typedef struct mcp__version {
    const char *name;
    unsigned bit;            /* MCP_2026_07_28 ... */
    bool modern;             /* every request says its version; results are typed; hints */
    bool batch;              /* JSON-RPC arrays */
    bool audio, link;        /* kinds of block: audio, resource_link */
    bool meta;               /* title and _meta of rows, _meta and lastModified of blocks */
    int structured;          /* structuredContent and outputSchema: 1 objects, 2 any JSON */
    bool instructions;       /* of the server */
    bool icons;              /* and description, websiteUrl of implementations */
    bool progress_text;      /* message in notifications/progress */
    bool completions;        /* the capability; the method is older */
    int elicits;             /* asks people: 1 by forms, 2 with titled choices, several, URLs; and
                                models with tools */
    bool primes;             /* over HTTP a stream begins with an id, to resume from */
    int tasks;               /* calls that outlive their request: 1 if the client asks for one, 2 if
                                the server makes one, by an extension */
    int not_found;           /* code for a resource that is not there */
} mcp__version;

static const mcp__version mcp__versions[] = {
    /*                             modern     audio    meta    instructions progress_text       */
    /*                                  batch    link     structured icons completions primes    */
    /*                                                                          elicits tasks    */
    { "2026-07-28", MCP_2026_07_28,   1,  0,  1,  1,  1,  2,  1,  1,  1,  1,  2,  0,  2, -32602 },
    { "2025-11-25", MCP_2025_11_25,   0,  0,  1,  1,  1,  1,  1,  1,  1,  1,  2,  1,  1, -32002 },
    { "2025-06-18", MCP_2025_06_18,   0,  0,  1,  1,  1,  1,  1,  0,  1,  1,  1,  0,  0, -32002 },
    { "2025-03-26", MCP_2025_03_26,   0,  1,  1,  0,  0,  0,  1,  0,  1,  1,  0,  0,  0, -32002 },
    { "2024-11-05", MCP_2024_11_05,   0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0, -32002 } };

/* What a REST request can carry, which speaks none of them, and whose client cannot be asked. */
static const mcp__version mcp__version_none =
    { "", 0,                          0,  0,  1,  1,  1,  2,  1,  1,  1,  1,  0,  0,  0, -32602 };

enum { MCP__MODERN = MCP_2026_07_28, MCP__CORE_TASKS = MCP_2025_11_25,
       MCP__TASKS = MCP_2026_07_28 | MCP_2025_11_25,
       MCP__LEGACY = MCP_2025_11_25 | MCP_2025_06_18 | MCP_2025_03_26 | MCP_2024_11_05 };

/* The row of that name among the versions served, or NULL. */
MCP__PRIVATE const mcp__version *mcp__version_named(unsigned served, const char *v) {
    for (size_t i = 0; i < MCP__COUNT(mcp__versions); i++)
        if ((served & mcp__versions[i].bit) &&
            mcp__json_is(v, mcp__versions[i].name, strlen(mcp__versions[i].name)))
            return &mcp__versions[i];
    return NULL;
}

MCP__PRIVATE const mcp__version *mcp__version_of(unsigned served, const char *name) {
    for (size_t i = 0; i < MCP__COUNT(mcp__versions); i++)
        if ((served & mcp__versions[i].bit) && strcmp(name, mcp__versions[i].name) == 0)
            return &mcp__versions[i];
    return NULL;
}

/* The newest version served that has a handshake, or NULL: what an unknown one is answered with. */
MCP__PRIVATE const mcp__version *mcp__version_latest(unsigned served) {
    for (size_t i = 0; i < MCP__COUNT(mcp__versions); i++)
        if ((served & mcp__versions[i].bit) && !mcp__versions[i].modern) return &mcp__versions[i];
    return NULL;
}

/* ---- well-known keys ---- */
#define MCP__KEY(name) "io.modelcontextprotocol/" name
static const char mcp__key_version[] = MCP__KEY("protocolVersion");
static const char mcp__key_capabilities[] = MCP__KEY("clientCapabilities");
static const char mcp__key_client[] = MCP__KEY("clientInfo");
static const char mcp__key_server[] = MCP__KEY("serverInfo");
static const char mcp__key_log_level[] = MCP__KEY("logLevel");
static const char mcp__key_subscription[] = MCP__KEY("subscriptionId");
static const char mcp__key_task[] = MCP__KEY("related-task");
static const char mcp__key_ui[] = MCP__KEY("ui");
static const char mcp__page_type[] = "text/html;profile=mcp-app";

enum { MCP__TTL_MS = 5 * 60 * 1000 }; /* what a client may keep, for so long, unless a desc says */

/* ---- JSON-RPC and MCP error codes ---- */
enum { MCP__PARSE_ERROR = -32700, MCP__INVALID_REQUEST = -32600, MCP__METHOD_NOT_FOUND = -32601,
       MCP__HEADER_MISMATCH = -32020, MCP__MISSING_CAPABILITY = -32021,
       MCP__UNSUPPORTED_VERSION = -32022, MCP__URL_REQUIRED = -32042,
       MCP__HTTP_ERROR = -32000, MCP__NO_SESSION = -32001 }; /* as the official SDKs have them */
#define MCP__INVALID "Invalid params"

/* ---- >>trace ----------------------------------------------------------------------------------
   A call has one server span; what its handler begins nests in it; each goes to the sink as it
   ends. Names and attributes are OpenTelemetry's, ids and parents W3C Trace Context's (level 2).
   Spans live in the arena of their call. Nobody traces: then start opens nothing, top stays NULL,
   and everything else returns on that: no clock is read, no random byte taken, nothing allocated.
   No memory, no random bytes: the span is dropped, with all that would have nested in it, and no
   reply ever notices. Arguments, results, messages and headers are never handed to this layer. */

#ifndef MCP_NO_TRACE

enum { MCP__SPAN_ATTRS = 128 };     /* OpenTelemetry's AttributeCountLimit; more are dropped */

/* 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
   0  3          trace id              36   span id     53 flags */
enum { MCP__TRACE_ID = 3, MCP__SPAN_ID = 36, MCP__FLAGS = 53 };
typedef struct mcp__context { char text[56]; } mcp__context; /* its dashes cut to NULs */

typedef struct mcp__span {
    mcp_span is;                    /* what the sink sees; its texts point into the rest */
    struct mcp__span *up;           /* the span around it; NULL: this is the server span */
    mcp__context own, parent;
    char header[56];                /* own with its dashes, once somebody asked */
    mcp_attr *attrs, first[10];     /* attrs[count].key is 0; first holds all that we set */
    size_t count, cap;
} mcp__span;

typedef struct mcp__trace {
    const mcp_trace_hook *sink;
    const mcp_clock_hook *clock;
    const mcp_random_hook *random;
    mcp__arena *arena;              /* the call's */
    const char *service;            /* the server's name */
    mcp__span *root, *top;          /* the server span, the innermost open one; NULL: not tracing */
    size_t dropped;                 /* spans begun on top of it that could not be recorded */
} mcp__trace;

/* ---- W3C Trace Context ---- */

/* Optional whitespace (OWS) stands around a field and around the members of a list. */
MCP__PRIVATE mcp__str mcp__trim(mcp__str v) {
    while (v.n && (v.s[0] == ' ' || v.s[0] == '\t')) v.s++, v.n--;
    while (v.n && (v.s[v.n - 1] == ' ' || v.s[v.n - 1] == '\t')) v.n--;
    return v;
}

/* An id of nothing but zeros says that there is none. */
MCP__PRIVATE bool mcp__is_id(const char *id, size_t n) {
    return strspn(id, mcp__hex) == n && strspn(id, "0") < n;
}

/* Later versions may go on after another dash, and are read as ours; ff is none. */
MCP__PRIVATE bool mcp__traceparent_parse(const char *s, size_t n, mcp__context *out) {
    mcp__str v = { s, n };
    v = mcp__trim(v);
    memset(out, 0, sizeof *out);
    if (v.n < 55 || v.s[2] != '-' || v.s[35] != '-' || v.s[52] != '-') return false;
    if (v.n > 55 && (memcmp(v.s, "00", 2) == 0 || v.s[55] != '-')) return false;
    char *p = out->text;
    memcpy(p, v.s, 55);
    p[2] = p[35] = p[52] = '\0';
    if (strspn(p, mcp__hex) != 2 || strspn(p + MCP__FLAGS, mcp__hex) != 2) return false;
    if (strcmp(p, "ff") == 0 || !mcp__is_id(p + MCP__TRACE_ID, 32)) return false;
    if (!mcp__is_id(p + MCP__SPAN_ID, 16)) return false;
    memcpy(p, "00", 2);
    char *flag = p + MCP__FLAGS + 1; /* only sampled (1) and random (2) are known and passed on */
    flag[-1] = '0';
    *flag = mcp__hex[(strchr(mcp__hex, *flag) - mcp__hex) & 3];
    return true;
}

/* key=value, without a comma, trimmed. */
MCP__PRIVATE bool mcp__tracestate_member(mcp__str m) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_-*/@"; /* begin: 36 */
    const char *equals = (const char *)memchr(m.s, '=', m.n);
    if (!equals) return false;
    size_t key = (size_t)(equals - m.s), value = m.n - key - 1, i = 0;
    if (key < 1 || key > 256 || value < 1 || value > 256) return false;
    while (i < key && memchr(letters, m.s[i], i ? 41 : 36)) i++;
    if (i < key) return false;
    for (i++; i < m.n && m.s[i] >= ' ' && m.s[i] <= '~' && m.s[i] != '='; i++) {}
    return i == m.n;
}

MCP__PRIVATE bool mcp__tracestate_valid(const char *s, size_t n) {
    size_t members = 0;
    while (n) {
        const char *comma = (const char *)memchr(s, ',', n);
        mcp__str m = { s, comma ? (size_t)(comma - s) : n };
        size_t step = comma ? m.n + 1 : m.n;
        m = mcp__trim(m); /* may be empty */
        if (m.n && (++members > 32 || !mcp__tracestate_member(m))) return false;
        s += step;
        n -= step;
    }
    return true;
}

/* ---- spans ---- */

/* Writes n fresh bytes as hex, never all zeros. */
MCP__PRIVATE bool mcp__span_id(mcp__trace *t, char *hex, size_t n) {
    unsigned char bytes[16], any = 0;
    if (t->random->func(t->random->user, bytes, n) != MCP_OK) return false;
    for (size_t i = 0; i < n; i++) {
        any |= bytes[i];
        hex[2 * i] = mcp__hex[bytes[i] >> 4];
        hex[2 * i + 1] = mcp__hex[bytes[i] & 15];
    }
    if (!any) hex[2 * n - 1] = '1';
    return true;
}

/* No parent: the first span of a new trace. NULL: it cannot be recorded. */
MCP__PRIVATE mcp__span *mcp__span_new(mcp__trace *t, const char *name, const char *kind,
                                      const mcp__context *parent) {
    mcp__span *x = (mcp__span *)mcp__arena_alloc(t->arena, sizeof *x);
    if (!x) return NULL;
    char *own = x->own.text;
    if (parent) {
        x->own = x->parent = *parent;
    } else {
        memcpy(own, "00", 2);
        memcpy(own + MCP__FLAGS, "01", 2);
        if (!mcp__span_id(t, own + MCP__TRACE_ID, 16)) return NULL;
    }
    x->is.name = mcp__arena_copy(t->arena, name, strlen(name));
    if (!x->is.name || !mcp__span_id(t, own + MCP__SPAN_ID, 8)) return NULL;
    x->cap = sizeof x->first / sizeof x->first[0];
    x->is.attrs = x->attrs = x->first;
    x->is.kind = kind;
    x->is.service = t->service;
    x->is.trace_id = own + MCP__TRACE_ID;
    x->is.span_id = own + MCP__SPAN_ID;
    x->is.parent_id = x->parent.text + MCP__SPAN_ID;
    x->is.tracestate = "";
    x->is.flags = (unsigned)(own[MCP__FLAGS + 1] - '0');
    x->is.start_ns = t->clock->func(t->clock->user);
    return x;
}

/* One attribute more, and a key of 0 behind it. */
MCP__PRIVATE bool mcp__span_grow(mcp__trace *t, mcp__span *x) {
    if (x->count + 1 < x->cap) return true;
    mcp_attr *more = (mcp_attr *)mcp__arena_alloc(t->arena, 2 * x->cap * sizeof *more);
    if (!more) return false;
    memcpy(more, x->attrs, x->count * sizeof *more);
    x->is.attrs = x->attrs = more;
    x->cap *= 2;
    return true;
}

/* A key that is there already takes the new value. */
MCP__PRIVATE void mcp__span_set(mcp__trace *t, mcp__span *x, const char *key, const char *s,
                                size_t n) {
    size_t i = 0;
    while (i < x->count && strcmp(x->attrs[i].key, key) != 0) i++;
    if (i == MCP__SPAN_ATTRS || !mcp__span_grow(t, x)) return;
    mcp_attr a = { mcp__arena_copy(t->arena, key, strlen(key)), mcp__arena_copy(t->arena, s, n) };
    if (!a.key || !a.value) return;
    x->attrs[i] = a;
    if (i == x->count) x->count++;
}

MCP__PRIVATE void mcp__span_finish(mcp__trace *t, int status) {
    mcp__span *x = t->top;
    int64_t now = t->clock->func(t->clock->user);
    x->is.end_ns = now > x->is.start_ns ? now : x->is.start_ns; /* clocks are set back */
    x->is.status = status;
    t->top = x->up;
    t->sink->func(t->sink->user, &x->is);
}

/* ---- what calls and handlers do ---- */

/* Begins the server span. parent and state are the peer's; ambient stands in for a bad parent. */
MCP__PRIVATE void mcp__trace_start(mcp__trace *t, const char *name, mcp__str parent,
                                   mcp__str state, const char *ambient) {
    if (!t->sink || !t->sink->func) return;
    mcp__context from;
    bool remote = mcp__traceparent_parse(parent.s, parent.n, &from);
    bool known = remote || (ambient && mcp__traceparent_parse(ambient, strlen(ambient), &from));
    t->root = t->top = mcp__span_new(t, name, "server", known ? &from : NULL);
    if (!t->top || !remote || !state.n || !mcp__tracestate_valid(state.s, state.n)) return;
    const char *copy = mcp__arena_copy(t->arena, state.s, state.n);
    if (copy) t->root->is.tracestate = copy;
}

/* The server span's name goes on with a target that the server knows: "tools/call" + "add". */
MCP__PRIVATE void mcp__trace_target(mcp__trace *t, const char *target) {
    if (!t->top) return;
    size_t n = strlen(t->root->is.name), more = strlen(target);
    char *name = (char *)mcp__arena_alloc(t->arena, n + 1 + more + 1);
    if (!name) return;
    memcpy(name, t->root->is.name, n);
    name[n] = ' ';
    memcpy(name + n + 1, target, more);
    t->root->is.name = name;
}

MCP__PRIVATE void mcp__trace_root_attr(mcp__trace *t, const char *key, const char *s, size_t n) {
    if (t->top) mcp__span_set(t, t->root, key, s, n);
}

MCP__PRIVATE void mcp__trace_attr(mcp__trace *t, const char *key, const char *s, size_t n) {
    if (t->top && !t->dropped) mcp__span_set(t, t->top, key, s, n);
}

MCP__PRIVATE void mcp__trace_push(mcp__trace *t, const char *name) {
    if (!t->top) return;
    mcp__span *x = t->dropped ? NULL : mcp__span_new(t, name, "internal", &t->top->own);
    if (!x) {
        t->dropped++; /* so that its pop does not end the span below */
        return;
    }
    x->is.tracestate = t->top->is.tracestate;
    x->up = t->top;
    t->top = x;
}

/* The server span is not the handler's to end: a pop too many does nothing. */
MCP__PRIVATE void mcp__trace_pop(mcp__trace *t, int status) {
    if (t->dropped) t->dropped--;
    else if (t->top && t->top->up) mcp__span_finish(t, status);
}

/* Ends the server span, and before it what the handler left open. */
MCP__PRIVATE void mcp__trace_end(mcp__trace *t, int status) {
    t->dropped = 0;
    while (t->top) mcp__span_finish(t, status);
}

MCP__PRIVATE const mcp_span *mcp__trace_current(const mcp__trace *t) {
    return t->top ? &t->top->is : NULL;
}

/* The traceparent of the innermost span, for requests that go out. */
MCP__PRIVATE const char *mcp__trace_parent(mcp__trace *t) {
    if (!t->top) return "";
    char *p = t->top->header;
    memcpy(p, t->top->own.text, sizeof t->top->header);
    p[2] = p[35] = p[52] = '-';
    return p;
}

#else /* MCP_NO_TRACE: who calls us finds that nobody traces */

typedef struct mcp__trace { char none; } mcp__trace;
MCP__PRIVATE void mcp__trace_target(mcp__trace *t, const char *target) { (void)t, (void)target; }
MCP__PRIVATE void mcp__trace_root_attr(mcp__trace *t, const char *key, const char *s, size_t n) {
    (void)t, (void)key, (void)s, (void)n;
}
MCP__PRIVATE void mcp__trace_end(mcp__trace *t, int status) { (void)t, (void)status; }

#endif

/* ---- >>objects ---------------------------------------------------------------------------------
   The records and who owns what. A server owns its compiled tables, its connections, its timers and
   a stock of spare calls. A connection owns what has come in, what is to go out, the calls in
   progress in the order in which they came, and what its peer wants to hear of. A call owns its
   message, its arena and the reply that it is writing, and holds on to the table that it was found
   in. mcp__send at the end is the one place where a message leaves. */

/* ---- compiled tables: each row begins with the name that it is found by ---- */
typedef struct mcp__tool {
    mcp__str name;
    const mcp_tool *row;
    mcp__rule args, out;     /* out: only with has_out */
    bool has_out, out_object; /* an output schema is known; its root says "object" */
    bool json;               /* a route that answers with a value: it always has one, out fits it */
    mcp__str schema, out_schema, meta; /* raw, checked; n 0: none */
} mcp__tool;

typedef struct mcp__resource {
    mcp__str uri;
    const mcp_resource *row;
    mcp__template *pattern;  /* NULL: the URI is exact */
    mcp__rule args;          /* of a template */
    mcp__str meta;
    bool page;               /* its contents say the same as it does */
} mcp__resource;

typedef struct mcp__prompt {
    mcp__str name;
    const mcp_prompt *row;
    mcp__rule args;
    mcp__str meta;
} mcp__prompt;

typedef struct mcp__skill {
    mcp__str name, desc;
    mcp__str root;           /* "skill://NAME/" */
    size_t first, count;     /* its files among the rows of resources, SKILL.md first */
} mcp__skill;

typedef enum mcp__kind { MCP__TOOL, MCP__RESOURCE, MCP__PROMPT, MCP__KINDS } mcp__kind;

/* One table of one kind. It lives until it was replaced and the last call that uses it ended. */
typedef struct mcp__table {
    mcp__arena arena;
    size_t users;            /* calls, and the server */
    char *rows;              /* compiled; of resources, those with exact URIs */
    size_t count, size;      /* of rows; bytes in each */
    const mcp__str **sorted; /* the rows, by name */
    mcp__resource *templates;
    size_t template_count;
    mcp__skill *skills;
    size_t skill_count;
    mcp__resource *pages;    /* of tools, */
    const mcp__str **sorted_pages; /* and by URI */
    size_t page_count;
    bool gated;              /* what clients see depends on whether they show pages */
    bool completes;          /* some argument has values to offer */
    bool tasks;              /* some tool's calls may become tasks */
    struct mcp__endpoint *routes; /* of tools, in the order in which paths are searched */
    size_t route_count;
    mcp__str document;       /* the path that describes them; n 0: there is none */
} mcp__table;

typedef struct mcp__timer {
    struct mcp__timer *next; /* due later */
    int64_t due_ns;
    void (*func)(void *arg);
    void *arg;
} mcp__timer;

struct mcp__exchange;

/* What the core needs of routes. */
typedef struct mcp__routing {
    /* the rows of tools, mounted ones in place, what routes leave unsaid said; NULL: refused */
    const mcp_tool *(*rows)(mcp__compiler *x, const mcp_tool *rows);
    /* when they are compiled: filters, and the index of paths */
    bool (*index)(mcp__compiler *x, const mcp_server *s, mcp__table *t);
    bool (*about)(mcp__compiler *x, mcp__table *t); /* adds the resources of MCP_ABOUT */
    bool (*here)(const mcp_server *s, const char *target); /* whether something has that path */
    void (*options)(struct mcp__exchange *x, const char *target);
    void (*serve)(struct mcp__exchange *x, const mcp_http_request *rq, char *body, size_t size);
} mcp__routing;

/* What a system adds to the core; zeroed where there is none. A desc's own hooks come first. */
typedef struct mcp__system {
    mcp_clock_hook clock;
    mcp_random_hook random;
    int64_t (*file_size)(const char *path);     /* MCP_ZERO: empty; 0: not known */
    int (*file_read)(mcp_call *c, const char *path);          /* adds it as a block */
    bool (*file_load)(const char *path, mcp__buf *b);         /* appends it */
    bool (*file_digest)(const char *path, mcp__sha256 *x, int64_t *size);
    /* each file below dir, by its path from there, in no order; false: there is no such folder */
    bool (*walk)(const char *dir, void (*each)(void *user, const char *path), void *user);
    const mcp__routing *routing; /* NULL: rows have no routes */
} mcp__system;

/* A resource whose changes a peer wants to hear of. */
typedef struct mcp__subscription {
    struct mcp__subscription *next; /* of the same peer or call, */
    struct mcp__subscription **list; /* whose list this is */
    struct mcp__subscription *other; /* in the same chain of the server's */
    struct mcp__session *session;
    mcp_conn *conn;          /* that is told; NULL: whoever listens for the session */
    bool dirty;              /* touched, and not told yet */
    size_t n;
    char uri[1];             /* n bytes and a NUL */
} mcp__subscription;

/* A JSON-RPC batch: the answers of its requests leave as one array when the last is there. */
typedef struct mcp__batch {
    mcp__buf out;
    size_t waiting;          /* requests not answered yet, plus one while it is being read */
} mcp__batch;

/* What was sent to a session, kept so that it can be sent again. */
typedef struct mcp__event {
    struct mcp__event *next;
    unsigned stream;
    unsigned number;         /* on that stream */
    size_t n;
    char text[1];            /* n bytes, as they went out */
} mcp__event;

/* What an older version's handshake agreed on, and what its peer hears of. Over lines a connection
   is a session; over HTTP one has many streams, each a connection, and none of them may be open. */
typedef struct mcp__session {
    struct mcp__session *next, **link;
    mcp_conn *streams;       /* its connections */
    mcp_conn *listener;      /* the one that is told of changes; NULL: they wait */
    const mcp__version *version; /* negotiated; NULL: not initialized */
    bool ready;              /* notifications/initialized came */
    int log_level;
    int64_t logs_ns;         /* the second in which */
    size_t logs;             /* so many log messages were sent */
    mcp__arena arena;        /* what initialize told: */
    mcp__str client, client_version;
    const char *capabilities;
    mcp__subscription *subscribed;
    size_t subscriptions;    /* those of listen included */
    unsigned dirty;          /* lists that changed and were not told yet: MCP_TOOLS ... */
    unsigned asked;          /* requests of ours so far */
    /* over HTTP */
    char id[40];             /* "": none */
    unsigned heard, heard_events; /* its own stream, while that is not there: how far it was */
    char *principal;         /* who alone may use it */
    int64_t used_ns;
    unsigned numbered;       /* streams so far */
    mcp__event *events, *last_event; /* sent, oldest first, */
    size_t event_bytes;
} mcp__session;

/* What the core needs of asking back, once a call has asked. */
typedef struct mcp__asking {
    bool (*pend)(mcp_call *c);     /* it wants to be run again; false: for what? */
    void (*lacks)(mcp_call *c);    /* the answer, if the client cannot do what is needed */
    void (*over)(mcp_call *c);     /* before the answer */
    void (*withdraw)(mcp_call *c); /* nobody waits for the answers */
    void (*late)(mcp_call *c);     /* they do not come */
    mcp_call *(*response)(const mcp_conn *k, const mcp__top *top);
} mcp__asking;

/* What is kept of a call that outlives its request. */
typedef struct mcp__task {
    struct mcp__task *next;  /* an older one */
    mcp_call *call;          /* NULL: it is over, */
    const char *answer;      /* and was answered so; NULL: it could not be */
    mcp__arena arena;        /* of that */
    bool failed, cancelled;
    const mcp__version *version; /* of its request */
    const mcp__session *session; /* of an older version, while that lasts */
    int64_t created_ms, updated_ms, ttl_ms;
    char id[40];
    char message[MCP__SHOWN + 1]; /* of the last progress, or "" */
    char principal[1];       /* who alone may ask for it, or "" */
} mcp__task;

/* A task that a subscriptions/listen wants to hear of. */
typedef struct mcp__heard {
    struct mcp__heard *next;
    bool dirty;              /* it changed, and that was not told yet */
    const char *id;
} mcp__heard;

/* How the messages to a peer become bytes. */
typedef struct mcp__framing {
    /* one message; answer: what the peer asked for, and not beside it */
    void (*whole)(mcp_conn *k, bool answer, const mcp__str *part, size_t parts);
    void (*begin)(mcp_conn *k); /* around an answer that leaves in pieces, by mcp__write_out */
    void (*end)(mcp_conn *k);
    void (*idle)(mcp_conn *k);  /* nothing is in progress on it */
} mcp__framing;

struct mcp_conn {
    mcp_server *server;
    const mcp__framing *framing;
    mcp_conn *next, **link;
    mcp__session *session, own; /* the one that it belongs to; over lines, its own */
    mcp_conn *beside;        /* the next stream of its session */
    mcp_write_hook write;
    const char *transport;   /* "stdio" or "conn" */
    int status;              /* the first failure of write: the peer is gone */
    bool writing;            /* that hook runs */
    mcp__buf in;             /* [0, at) is done, [at, seen) holds no newline */
    size_t at, seen;
    bool skipping;           /* a line beyond the limit, up to its newline */
    bool begun, ended;       /* a first byte came; no more will */
    int64_t ended_ns;
    mcp__buf out;            /* whole messages; room for an emergency reply is always there */
    char *principal;
    /* calls */
    mcp_call *calls;         /* waiting or running, in order of arrival */
    mcp_call *open;          /* deferred, and subscriptions/listen */
    size_t waiting, opened;  /* how many of each */
    mcp_call *running;
    mcp__batch *spare_batch;
    mcp_call *spilling;      /* a part of its reply is out: nothing else may leave until its end */
    mcp__buf held;           /* what would have */
    bool to_tell;            /* something that this peer wants to hear of is marked */
    mcp__buf note;           /* the notification being written */
    bool (*ready_to_write)(mcp_conn *k); /* whether a write would not wait; NULL: it never does */
    bool (*backed_up)(mcp_conn *k); /* whether its peer has to read first; NULL: a write waits */
    int out_fd;
    const char *fed;         /* what mcp_feed was given and has not been looked at */
    size_t fed_n;
    int (*feed)(mcp_conn *k, const char *p, size_t n); /* bytes of the peer's; 0: its end */
    void (*pump)(mcp_conn *k); /* takes in what has arrived, without waiting */
    void (*take)(mcp_conn *k); /* takes in the messages that are here */
    void (*free)(mcp_conn *k);
    bool taking;             /* it is at it */
    void *pump_user;
    /* over HTTP */
    struct mcp__exchange *exchange; /* that this is the stream of, or NULL */
    struct mcp__wire *wire;  /* HTTP/1.1 in bytes, or NULL */
    mcp_conn *feeds;         /* the stream of 2024-11-05 that answers what was just posted */
    const mcp_attr *headers; /* of the request, or NULL: not HTTP */
    int http_status;         /* of an answer that would leave now */
    bool deaf;               /* it takes an answer and nothing before it */
    bool whole;              /* and never one in pieces */
};

/* What the core asks of HTTP, once there is any. */
typedef struct mcp__http_side {
    void (*tick)(mcp_server *s);   /* now and then: what took too long */
    void (*finish)(mcp_server *s); /* with the server */
} mcp__http_side;

struct mcp_server {
    mcp__mem mem;
    mcp__arena arena;        /* what lives as long as the server */
    mcp_server_desc desc;    /* texts copied, defaults resolved */
    mcp__str capabilities;   /* raw members to merge in, checked; n 0: none */
    mcp__table *table[MCP__KINDS]; /* never NULL */
    bool offers[MCP__KINDS]; /* the desc has that kind, or says that it may come */
    const struct mcp__system *system; /* what it runs on */
    mcp_conn *conns;
    mcp__session *sessions;
    mcp__subscription *watched[512]; /* all subscriptions, in chains by a hash of their URIs */
    mcp_conn limbo;          /* of deferred calls whose own connection is gone: it sends nothing */
    mcp_conn later;          /* of calls that became tasks: they keep what others send */
    mcp__task *tasks;        /* newest first */
    size_t task_count;
    mcp_call *spare;
    size_t spares;
    mcp_call *running;       /* the innermost */
    const mcp__asking *asking; /* NULL: nobody has asked */
    size_t parked;           /* calls that wait for their client, */
    size_t pulled;           /* and those whose file leaves as its reader takes it */
    unsigned urls;           /* addresses that people were sent to so far */
    unsigned char secret[32]; /* ours, unless the desc has one, */
    bool has_secret;         /* once it was needed */
    struct mcp__exchange *exchanges, *spare_exchange; /* those that are over, and blank ones */
    size_t spare_exchanges;
    size_t http_sessions;
    int64_t http_due_ns;     /* when to look at connections and sessions again */
    const mcp__http_side *http; /* NULL: there is none */
    void (*pump)(mcp_server *s); /* takes in what arrived on all sockets, without waiting */
    void *net;               /* these sockets */
    mcp__timer *timers;      /* by time */
    mcp__timer *volatile posted; /* newest first; other threads push here, see mcp__post */
    void (*volatile wake)(mcp_server *s); /* after that: ends the wait of the loop; or NULL */
    void (*wake_end)(mcp_server *s); /* gives back what waking needs */
    int wake_fd[2];
    void *wake_event;
    volatile bool stopped;
};

/* A method or a notification: where it exists and who serves it. */
typedef struct mcp__method {
    const char *name;
    unsigned versions;       /* in which it exists */
    unsigned flags;          /* MCP__NOTIFICATION | ... */
    void (*func)(mcp_call *c);
} mcp__method;

enum { MCP__NOTIFICATION = 1,
       MCP__ANYTIME = 2,     /* needs no session, even in the older versions */
       MCP__ALONE = 4,       /* not in a batch */
       MCP__AT_ONCE = 8,     /* served even while a handler runs */
       /* unknown unless the server offers it: */
       MCP__NEEDS_TOOLS = 16, MCP__NEEDS_RESOURCES = 32, MCP__NEEDS_PROMPTS = 64,
       MCP__NEEDS_LOGGING = 128, MCP__NEEDS_SUBSCRIBE = 256, MCP__NEEDS_COMPLETES = 512,
       MCP__NEEDS_CHANGES = 1024, MCP__NEEDS_SKILLS = 2048, MCP__NEEDS = 0x40FF0,
       MCP__MAY_STAY = 4096, /* its answer may come later */
       MCP__UNDOES = 8192,   /* the way back of the one before it */
       MCP__BY_NAME = 16384, MCP__BY_URI = 32768, /* params.name, .uri is in the header Mcp-Name */
       MCP__BEGINS = 65536,  /* the handshake */
       MCP__MAY_ASK = 131072, /* its handler may ask back */
       MCP__NEEDS_TASKS = 262144, MCP__BY_TASK = 524288, /* params.taskId is in Mcp-Name */
       MCP__SHOWS_PAGES = 1048576 }; /* who shows pages may be told more */

/* What a handler's verbs add to. */
typedef enum mcp__shape { MCP__NOTHING, MCP__BLOCKS, MCP__CONTENTS, MCP__MESSAGES, MCP__ROWS,
                          MCP__VALUES } mcp__shape;

/* Which rows of a list go into this page. */
typedef struct mcp__page {
    size_t index, limit;     /* the row at which it begins; limit 0: all that follow */
    mcp__str last, next;     /* the rows between which it begins; then, between which it ends */
    bool search;             /* only look where those two stand now */
    bool found, more;
    size_t at, sent;         /* rows seen, rows sent */
    size_t last_at;          /* where the last one stood */
} mcp__page;

typedef enum mcp__fate { MCP__GOOD, MCP__FAILED, MCP__REFUSED } mcp__fate;

/* The buffers of a call: its reply, what the side writers wrote, a line of ours, the arguments with
   defaults filled in. */
enum { MCP__REPLY, MCP__JSON, MCP__STRUCTURED, MCP__META, MCP__BLOCK_META, MCP__NOTE, MCP__LOG,
       MCP__ARGS, MCP__BUFS };

struct mcp_call {
    /* kept from one life to the next */
    mcp_server *server;
    mcp__arena arena;
    mcp__buf buf[MCP__BUFS];
    /* blank at birth, from here on */
    mcp_call *next;
    mcp_conn *conn;
    mcp__batch *batch;       /* that it came in, or NULL */
    /* what was asked: addresses in the call's own copy of the message */
    const char *id;          /* NULL: a notification */
    const char *method, *params, *meta; /* method: its value; the others NULL if absent */
    mcp__members in_params, in_meta;
    const mcp__method *row;
    const mcp__version *version;
    const char *progress;    /* its token, or NULL */
    double progress_last;
    bool progressed;
    int log_level;           /* least that the client wants; 0: nothing */
    mcp__table *table;       /* that the row was found in, held on to */
    const mcp__tool *tool;
    const void *user;        /* of the row */
    mcp__str target;         /* name of the row */
    mcp_cache cache;         /* how long a client may keep what is read */
    bool listed;             /* a handler added to the list */
    const char *uri;         /* of the resource being read */
    const char *mime;        /* what its contents are, unless they say */
    const char *ui;          /* and their _meta: it is a page; or NULL */
    const char *args;        /* the arguments object, defaults filled in */
    const mcp__rule *rule;   /* that they were checked against; NULL: unchecked */
    const char **found;      /* where each of its members stands */
    mcp_caller *caller;      /* made when asked for */
    mcp__task *task;         /* that it has become, or NULL */
    const mcp__task *awaits; /* whose end or questions it waits for, to look again */
    mcp__heard *heard;       /* tasks that a subscriptions/listen names */
    bool running;            /* its handler is */
    bool cancelled;
    bool deferred;           /* open until mcp_done, */
    bool done;               /* which came before the handler returned: */
    int done_status;
    void (*on_cancel)(void *arg);
    void *on_cancel_arg;
    void (*source)(mcp_call *c, bool wanted); /* adds the open block's next piece, or gives up */
    int source_fd;
    bool pulled;             /* all but that is said; then comes done_status */
    unsigned lists;          /* of subscriptions/listen: that it wants to hear of, */
    unsigned dirty;          /* and those of them that changed and were not told yet */
    mcp__subscription *subscribed;
    const mcp__asking *asking; /* it has asked */
    struct mcp__question *questions;
    struct mcp__given *given; /* answers, by key */
    const char *kept;        /* from one run to the next */
    size_t kept_n;
    bool keeps;              /* it was said in this run */
    bool state_read, forged; /* what came back with the request; it is not ours */
    bool unsealed;           /* answers came without one: nothing was kept for them */
    bool parked, resumed;    /* waits for its client; is to be run again */
    unsigned rounds;         /* how often it waited */
    int64_t until_ns;        /* then in any case */
    /* what is answered, in this run */
    int status;              /* the first failure sticks, */
    const char *why;         /* with a text for it, or NULL */
    mcp__fate fate;
    int code;                /* of an error */
    const char *error;       /* its message */
    mcp__shape shape;
    int role;                /* whose message is next */
    mcp__page page;          /* of a list */
    int rest_status;         /* that the handler gave; 0: none */
    size_t offered;          /* values of a completion, those beyond the limit counted as well */
    bool spilled;            /* the reply's beginning is out */
    mcp_writer w;            /* of the reply, a whole message in wire order */
    mcp_writer start;        /* w where the content begins, to go back to */
    size_t blocks;
    bool block_open;         /* the last one takes suffixes */
    bool raw_open;           /* it is being written in pieces: */
    int block_kind;
    const char *block_mime;
    struct {                 /* the same, where the last part of the reply that is out ended */
        mcp_writer w;
        bool block, raw, embedded;
        int kind;
        const char *mime;
    } out;
    unsigned char tail[4];   /* of a block in pieces: bytes that wait for the rest of a unit */
    size_t tail_n;
    bool embed, embedded;    /* the next block, the open one is a resource's */
    mcp__str embed_uri, embed_mime;
    mcp_annotations note;
    bool noted;
    const char *refused[2];  /* kinds of block that the version lacks, in order of first use */
    mcp_writer json_w, structured_w, meta_w, block_meta_w, note_w, log_w; /* each on its buffer */
    bool json_open, has_structured, has_meta, has_block_meta, log_open;
    int log_wanted;          /* level of the message being written; 0: nobody wants it */
    unsigned lacks;          /* MCP_CAN_ASK ...: what is needed and the client cannot */
    mcp__trace trace;        /* of all runs */
};

#ifdef MCP_TOOLS_ONLY
MCP__INLINE const mcp__routing *mcp__routing_of(const mcp_server *s) {
    return (void)s, (const mcp__routing *)NULL;
}
MCP__INLINE bool mcp__answers_json(const mcp_call *c) { return (void)c, false; }
MCP__INLINE bool mcp__answers_bytes(const mcp_call *c) { return (void)c, false; }
#else
MCP__INLINE const mcp__routing *mcp__routing_of(const mcp_server *s) { return s->system->routing; }
/* Whether it is a route's, and its answer a value. */
MCP__INLINE bool mcp__answers_json(const mcp_call *c) { return c->tool && c->tool->json; }
/* The same, and its answer one block. */
MCP__INLINE bool mcp__answers_bytes(const mcp_call *c) { return c->tool && c->tool->row->mime; }
#endif

/* Who the peer is, if that is known; or "". */
MCP__PRIVATE const char *mcp__principal(const mcp_conn *k) {
    return k->principal ? k->principal : "";
}

/* The task that it has become; NULL where there are none. */
MCP__INLINE mcp__task *mcp__its_task(const mcp_call *c) {
    return MCP__TOOLS_ALONE ? NULL : c->task;
}

MCP__PRIVATE void mcp__table_free(mcp_server *s, mcp__table *t) {
    if (!t || --t->users) return;
    mcp__arena_reset(&t->arena, 0);
    mcp__realloc(&s->mem, t, sizeof *t, 0);
}

enum { MCP__KEEP = 64 * 1024,    /* buffers up to this size stay for the next message, */
       MCP__KEEP_REPLY = 512 * 1024, /* so that spilling results do not begin small again */
       MCP__RESERVE = 4096,      /* of in and out: a small line, an emergency reply always fit */
       MCP__COALESCE = 64 * 1024, /* a message from this size on is not copied */
       MCP__SPARES = 8 };

MCP__PRIVATE void mcp__log(const mcp_server_desc *desc, int level, int status, const char *text) {
    if (desc->log.func) desc->log.func(desc->log.user, level, status, text);
}

/* ---- out ---- */
MCP__PRIVATE void mcp__write_out(mcp_conn *k, const char *p, size_t n) {
    if (k->status != MCP_OK || !n) return;
    k->writing = true;
    k->status = k->write.func(k->write.user, p, n);
    k->writing = false;
}

MCP__PRIVATE void mcp__flush(mcp_conn *k) {
    mcp__write_out(k, k->out.ptr, k->out.len);
    k->out.len = 0;
    k->out.status = MCP_OK;
}

MCP__PRIVATE bool mcp__gather(mcp__buf *b, const mcp__str *part, size_t parts, char before) {
    size_t len = b->len;
    bool ok = !before || mcp__buf_add(b, &before, 1);
    for (size_t i = 0; ok && i < parts; i++) ok = mcp__buf_add(b, part[i].s, part[i].n);
    if (ok && mcp__buf_reserve(b, 1)) return true; /* what ends it will fit, too */
    b->len = len;
    b->status = MCP_OK;
    return false;
}

/* Lines. Small ones gather until mcp__flush, so that the answers to what came in one read leave in
   one write; a large one is not copied. Neither needs memory to succeed. */
MCP__PRIVATE void mcp__line_whole(mcp_conn *k, bool answer, const mcp__str *part, size_t parts) {
    size_t n = 0;
    (void)answer;
    for (size_t i = 0; i < parts; i++) n += part[i].n;
    if (k->out.len + n >= MCP__COALESCE) mcp__flush(k);
    if (n < MCP__COALESCE && mcp__gather(&k->out, part, parts, 0)) {
        mcp__buf_add(&k->out, "\n", 1);
        return;
    }
    mcp__flush(k);
    for (size_t i = 0; i < parts; i++) mcp__write_out(k, part[i].s, part[i].n);
    mcp__write_out(k, "\n", 1);
}

MCP__PRIVATE void mcp__line_begin(mcp_conn *k) { mcp__flush(k); }
MCP__PRIVATE void mcp__line_end(mcp_conn *k) { mcp__write_out(k, "\n", 1); }
MCP__PRIVATE void mcp__line_idle(mcp_conn *k) { (void)k; }
static const mcp__framing mcp__lines = { mcp__line_whole, mcp__line_begin, mcp__line_end,
                                         mcp__line_idle };

/* While an answer leaves in pieces, all else waits for its end; without memory, it is lost. */
MCP__PRIVATE bool mcp__hold(mcp_conn *k, const mcp__str *part, size_t parts) {
    if (!k->spilling) return false;
    if (mcp__gather(&k->held, part, parts, 0)) mcp__buf_add(&k->held, "\n", 1);
    return true;
}

/* Sends an answer. In a batch without memory it goes alone, which clients accept as well. */
MCP__PRIVATE void mcp__send(mcp_conn *k, mcp__batch *batch, const mcp__str *part, size_t parts) {
    if (mcp__hold(k, part, parts)) return;
    if (batch && mcp__gather(&batch->out, part, parts, batch->out.len ? ',' : '[')) return;
    k->framing->whole(k, !batch, part, parts);
}

/* Sends what is no answer. While one leaves, the stream of the session's own can take it. */
MCP__PRIVATE void mcp__send_beside(mcp_conn *k, mcp__str message) {
    if (k->spilling && k->session->listener) k = k->session->listener;
    if (!mcp__hold(k, &message, 1)) k->framing->whole(k, false, &message, 1);
}

/* An error that needs no memory; id: the token as it came, n 0 if it could not be read. text needs
   no escapes. JSON-RPC 2.0 section 5 wants null for an unknown id; every SDK survives it. */
MCP__PRIVATE void mcp__send_error(mcp_conn *k, mcp__batch *batch, mcp__str id, int code,
                                  const char *text) {
    char digits[24];
    *mcp__print_int(digits, code) = 0;
    mcp__str part[7] = {
        mcp__str_of("{\"jsonrpc\":\"2.0\",\"id\":"), id.n ? id : mcp__str_of("null"),
        mcp__str_of(",\"error\":{\"code\":"), mcp__str_of(digits),
        mcp__str_of(",\"message\":\""), mcp__str_of(text), mcp__str_of("\"}}") };
    mcp__send(k, batch, part, MCP__COUNT(part));
}

/* ---- >>content ---------------------------------------------------------------------------------
   What a handler adds becomes wire format at once, in the shape that the call's version knows. The
   reply is written front to back into one buffer; what stands behind the content (structured
   content, _meta) is collected beside it, so that handlers may call in any order and the wire order
   is always content, isError, structuredContent, _meta. A block stays open for its suffixes until
   the next one begins. A kind of block that the version lacks is noted and costs the whole result.
   The same verbs make blocks, the contents of a resource and the messages of a prompt: a shape says
   what stands around the payload. */

/* The first failure sticks; with what the writer of the reply has met since. */
MCP__PRIVATE int mcp__settle(mcp_call *c) {
    if (!c->status) c->status = c->w.status;
    return c->status;
}

/* The author's mistake, or a value that no message can carry: told to the client as a failure. */
MCP__PRIVATE int mcp__spoil(mcp_call *c, int status, const char *why) {
    if (!c->status) c->status = status, c->why = why;
    return c->status;
}

/* ---- the reply's frame ---- */

/* A value as it stands in the message: ids and tokens go back byte for byte. */
MCP__PRIVATE mcp__str mcp__token(const char *v) {
    mcp__str token = { v, (size_t)(mcp__json_skip(v) - v) };
    return token;
}

/* {"jsonrpc":"2.0","id":7, */
MCP__PRIVATE mcp_writer *mcp__reply_begin(mcp_call *c) {
    mcp__buf_reset(&c->buf[MCP__REPLY], MCP__KEEP_REPLY);
    mcp__writer_on(&c->w, &c->buf[MCP__REPLY]);
    mcp__put_obj(&c->w, NULL);
    mcp__put_str(&c->w, "jsonrpc", "2.0");
    mcp__str id = mcp__token(c->id);
    mcp__put_word(&c->w, "id", id.s, id.n); /* byte for byte */
    return &c->w;
}

MCP__PRIVATE mcp_writer *mcp__result_begin(mcp_call *c) {
    mcp_writer *w = mcp__reply_begin(c);
    mcp__put_obj(w, "result");
    if (c->version->modern) mcp__put_str(w, "resultType", "complete");
    return w;
}

MCP__PRIVATE void mcp__put_icons(mcp_writer *w, const mcp_icon *icons) {
    if (!icons) return;
    mcp__put_arr(w, "icons");
    for (; icons->src; icons++) {
        mcp__put_obj(w, NULL);
        mcp__put_str(w, "src", icons->src);
        if (icons->mime) mcp__put_str(w, "mimeType", icons->mime);
        if (icons->sizes) {
            const char *list = icons->sizes;
            mcp__str size = { NULL, 0 };
            mcp__put_arr(w, "sizes");
            while (mcp__list_next(&list, &size)) mcp__put_strn(w, NULL, size.s, size.n);
            mcp__put_end(w);
        }
        if (icons->theme) mcp__put_str(w, "theme", icons->theme);
        mcp__put_end(w);
    }
    mcp__put_end(w);
}

/* Who we are, as an Implementation of that version. */
MCP__PRIVATE void mcp__put_server(mcp_writer *w, const char *key, const mcp_server_desc *d,
                                  const mcp__version *v) {
    mcp__put_obj(w, key);
    mcp__put_str(w, "name", d->name);
    if (v->meta && d->title) mcp__put_str(w, "title", d->title);
    mcp__put_str(w, "version", d->version);
    if (v->icons) {
        if (d->desc) mcp__put_str(w, "description", d->desc);
        if (d->website) mcp__put_str(w, "websiteUrl", d->website);
        mcp__put_icons(w, d->icons);
    }
    mcp__put_end(w);
}

/* The handler's _meta; since 2026-07-28 with who we are, which a handler cannot forge. */
MCP__PRIVATE void mcp__put_result_meta(mcp_call *c) {
    const char *own = c->has_meta ? mcp__buf_json(&c->buf[MCP__META]) : NULL;
    const char *member = mcp__json_first(own);
    if (!member && !c->version->modern) return;
    mcp__put_obj(&c->w, "_meta");
    for (; member; member = mcp__json_next(member))
        if (!c->version->modern || !mcp__json_is(mcp__json_key(member), mcp__key_server,
                                                 sizeof mcp__key_server - 1))
            mcp__put_member(&c->w, member);
    if (c->version->modern)
        mcp__put_server(&c->w, mcp__key_server, &c->server->desc, c->version);
    mcp__put_end(&c->w);
}

/* How long may be kept what a row says, or what a handler does. */
MCP__PRIVATE int64_t mcp__ttl(int64_t ms, bool handler) {
    return ms < 0 ? 0 : ms || handler ? ms : (int64_t)MCP__TTL_MS;
}

/* hints: how long a client may keep this, or NULL. */
MCP__PRIVATE void mcp__result_end(mcp_call *c, const mcp_cache *hints) {
    if (hints && c->version->modern) {
        mcp__put_int(&c->w, "ttlMs", hints->ttl_ms);
        mcp__put_str(&c->w, "cacheScope", hints->scope == MCP_PRIVATE ? "private" : "public");
    }
    mcp__put_result_meta(c);
    mcp__put_end(&c->w);
    mcp__put_end(&c->w);
}

/* ---- blocks ---- */

/* Why they cannot be sent, or NULL. */
MCP__PRIVATE const char *mcp__annotations_wrong(const mcp_annotations *a) {
    if (a->audience & ~(unsigned)(MCP_USER | MCP_ASSISTANT))
        return "annotations.audience must contain only user and assistant.";
    if (!(a->priority <= 1) || (a->priority < 0 && a->priority != (double)MCP_ZERO))
        return "annotations.priority must be a number from 0 to 1.";
    return NULL;
}

MCP__PRIVATE void mcp__put_annotations(mcp_writer *w, const mcp_annotations *a,
                                       const mcp__version *v) {
    bool dated = a->last_modified && v->meta;
    if (!a->audience && a->priority == 0 && !dated) return;
    mcp__put_obj(w, "annotations");
    if (a->audience) {
        mcp__put_arr(w, "audience");
        if (a->audience & MCP_USER) mcp__put_str(w, NULL, "user");
        if (a->audience & MCP_ASSISTANT) mcp__put_str(w, NULL, "assistant");
        mcp__put_end(w);
    }
    if (a->priority != 0) mcp__put_num(w, "priority", a->priority < 0 ? 0 : a->priority);
    if (dated) mcp__put_str(w, "lastModified", a->last_modified);
    mcp__put_end(w);
}

/* Ends a writer that was handed out: the JSON that it wrote, or NULL. */
MCP__PRIVATE const char *mcp__side_end(mcp_call *c, mcp_writer *w, mcp__buf *b) {
    mcp__writer_end(w);
    if (w->status) mcp__spoil(c, w->status, mcp__put_why(w));
    const char *json = c->status ? NULL : mcp__buf_json(b);
    if (!json) mcp__spoil(c, MCP_NOMEM, NULL);
    return json;
}

/* The same for a _meta, which is an object. */
MCP__PRIVATE const char *mcp__meta_end(mcp_call *c, mcp_writer *w, mcp__buf *b) {
    const char *json = mcp__side_end(c, w, b);
    if (!json || mcp__json_type(json) == MCP_OBJECT) return json;
    return mcp__spoil(c, MCP_MISUSE, "_meta is not an object"), (const char *)NULL;
}

/* After a failure the writer that is handed out has failed as well. */
MCP__PRIVATE mcp_writer *mcp__side_begin(mcp_call *c, mcp_writer *w, mcp__buf *b) {
    mcp__buf_reset(b, MCP__KEEP);
    mcp__writer_on(w, b);
    w->status = c->status;
    return w;
}

/* What the handler wrote, and what a page says of itself: the handler knows better. */
MCP__PRIVATE void mcp__put_block_meta(mcp_call *c) {
    const char *own = NULL, *page = c->blocks == 1 ? c->ui : NULL;
    size_t n;
    if (c->has_block_meta) own = mcp__meta_end(c, &c->block_meta_w, &c->buf[MCP__BLOCK_META]);
    if (!c->version->meta) own = NULL;
    if (!page) {
        if (own) mcp__put_json(&c->w, "_meta", own);
        return;
    }
    mcp__put_obj(&c->w, "_meta");
    for (const char *m = mcp__json_first(page); m; m = mcp__json_next(m)) {
        const char *key = mcp__json_text(mcp__json_key(m), &n);
        if (!mcp__json_get(own, key, n)) mcp__put_member(&c->w, m);
    }
    for (const char *m = mcp__json_first(own); m; m = mcp__json_next(m)) mcp__put_member(&c->w, m);
    mcp__put_end(&c->w);
}

/* Nothing more belongs to the last block. */
MCP__PRIVATE void mcp__block_close(mcp_call *c) {
    if (!c->block_open) return;
    c->block_open = false;
    if (c->json_open) {
        c->json_open = false;
        if (mcp__side_end(c, &c->json_w, &c->buf[MCP__JSON]))
            mcp__put_strn(&c->w, "text", c->buf[MCP__JSON].ptr, c->buf[MCP__JSON].len);
        if (c->embedded && c->shape != MCP__CONTENTS) mcp__put_end(&c->w);
    }
    if (c->noted) mcp__put_annotations(&c->w, &c->note, c->version);
    mcp__put_block_meta(c);
    mcp__put_end(&c->w);
    if (c->shape == MCP__MESSAGES) mcp__put_end(&c->w);
}

/* A kind that this version lacks costs the whole result; each is named once. */
MCP__PRIVATE void mcp__refuse(mcp_call *c, const char *type) {
    size_t i = 0;
    while (i < MCP__COUNT(c->refused) && c->refused[i] && c->refused[i] != type) i++;
    if (i < MCP__COUNT(c->refused)) c->refused[i] = type;
}

static const char mcp__audio_type[] = "audio", mcp__link_type[] = "resource_link";

/* Where the payload of a resource stands: whose it is. */
MCP__PRIVATE void mcp__block_resource(mcp_call *c, const char *mime) {
    mcp__str uri = c->embed_uri, type = c->embed_mime;
    if (!c->embed) uri = mcp__str_of(c->uri), type.n = 0;
    if (!type.n) type = mcp__str_of(mime ? mime : c->embed ? NULL : c->mime);
    c->embed = false;
    mcp__put_strn(&c->w, "uri", uri.s, uri.n);
    if (type.n) mcp__put_strn(&c->w, "mimeType", type.s, type.n);
}

/* Something else is to follow: what is left of a file comes first, without a rest. */
MCP__PRIVATE void mcp__source_end(mcp_call *c) {
    while (c->source) c->source(c, true);
}

/* Opens the next block up to its payload: {"type":"text", or what the shape wants instead. */
MCP__PRIVATE bool mcp__block_open(mcp_call *c, const char *type, const char *mime) {
    mcp__source_end(c);
    if (c->raw_open)
        return mcp__spoil(c, MCP_MISUSE, "the last block was begun and not ended"), false;
    mcp__block_close(c);
    if (c->shape == MCP__NOTHING || c->shape >= MCP__ROWS)
        mcp__spoil(c, MCP_MISUSE, "this handler adds no content");
    if (c->shape == MCP__CONTENTS && type == mcp__link_type)
        mcp__spoil(c, MCP_MISUSE, "a link is no content of a resource");
    if (mcp__settle(c)) return false;
    c->embedded = c->embed || c->shape == MCP__CONTENTS;
    if (type == mcp__audio_type && !c->embedded && !c->version->audio) mcp__refuse(c, type);
    if (type == mcp__link_type && !c->version->link) mcp__refuse(c, type);
    c->block_open = true;
    c->noted = c->has_block_meta = false;
    c->blocks++;
    mcp__put_obj(&c->w, NULL);
    if (c->shape == MCP__MESSAGES) {
        mcp__put_str(&c->w, "role", c->role == MCP_ASSISTANT ? "assistant" : "user");
        mcp__put_obj(&c->w, "content");
    }
    if (c->shape != MCP__CONTENTS) mcp__put_str(&c->w, "type", c->embedded ? "resource" : type);
    if (c->embedded && c->shape != MCP__CONTENTS) mcp__put_obj(&c->w, "resource");
    if (c->embedded) mcp__block_resource(c, mime);
    return true;
}

/* Behind the payload: an embedded resource is whole; an image still says what it is. */
MCP__PRIVATE int mcp__block_payload_end(mcp_call *c, const char *mime) {
    if (!c->embedded && mime) mcp__put_str(&c->w, "mimeType", mime);
    if (c->embedded && c->shape != MCP__CONTENTS) mcp__put_end(&c->w);
    return mcp__settle(c);
}

MCP__PRIVATE int mcp__textf(mcp_call *c, const char *fmt, va_list ap) {
    if (!mcp__block_open(c, "text", NULL)) return c->status;
    mcp__put_vf(&c->w, "text", fmt, ap);
    return mcp__block_payload_end(c, NULL);
}

MCP__PRIVATE mcp_writer *mcp__text_json(mcp_call *c) {
    if (mcp__block_open(c, "text", "application/json")) c->json_open = true;
    return mcp__side_begin(c, &c->json_w, &c->buf[MCP__JSON]);
}

/* The members of a resource, in a link, in a list: the same. key: "uri" or "uriTemplate". */
MCP__PRIVATE void mcp__put_resource(mcp_writer *w, const char *key, const mcp_resource *r,
                                    const mcp__version *v) {
    mcp__put_str(w, key, r->uri);
    mcp__put_str(w, "name", r->name ? r->name : r->uri);
    if (r->title && v->meta) mcp__put_str(w, "title", r->title);
    if (r->desc) mcp__put_str(w, "description", r->desc);
    if (r->mime) mcp__put_str(w, "mimeType", r->mime);
    if (r->size) mcp__put_int(w, "size", r->size < 0 ? 0 : r->size);
    mcp__put_annotations(w, &r->annotations, v);
    if (v->icons) mcp__put_icons(w, r->icons);
    if (r->meta && v->meta) mcp__put_raw(w, "_meta", r->meta);
}

/* Whether the next row of a list, of that name, goes into this page. */
MCP__PRIVATE bool mcp__page_takes(mcp_call *c, const char *name, size_t n) {
    mcp__page *p = &c->page;
    size_t at = p->at++;
    mcp__str row = { name, n };
    if (p->search) {
        if (mcp__str_same(p->last, row)) p->index = at + 1, p->found = true;
        else if (!p->found && mcp__str_same(p->next, row)) p->index = at;
        return false;
    }
    if (at < p->index || p->more) return false;
    p->more = p->limit && p->sent == p->limit;
    if (p->limit) row.s = mcp__arena_copy(&c->arena, name, n);
    if (!row.s) mcp__spoil(c, MCP_NOMEM, NULL);
    if (p->more) p->next = row; else p->last = row;
    if (p->more) return false;
    p->sent++;
    p->last_at = at;
    return true;
}

MCP__PRIVATE int mcp__link(mcp_call *c, const mcp_resource *to) {
    const char *wrong = mcp__uri_wrong(to->uri, false);
    if (!wrong) wrong = mcp__annotations_wrong(&to->annotations);
    if (to->meta && to->meta[strspn(to->meta, " \t\r\n")] != '{') wrong = "_meta is not an object";
    if (c->embed) wrong = "mcp_embed before a link";
    if (wrong) return mcp__spoil(c, MCP_MISUSE, wrong);
    if (c->shape == MCP__ROWS) { /* in .list: this one exists */
        if (mcp__settle(c) || !mcp__page_takes(c, to->uri, strlen(to->uri))) return c->status;
        mcp__put_obj(&c->w, NULL);
        mcp__put_resource(&c->w, "uri", to, c->version);
        mcp__put_end(&c->w);
        return mcp__settle(c);
    }
    if (mcp__block_open(c, mcp__link_type, NULL))
        mcp__put_resource(&c->w, "uri", to, c->version);
    return mcp__settle(c);
}

/* ---- spilling: a result that is larger than what we keep goes out while it is being written ----
   Not if the version could turn all of it into an error; then, and in a batch, it is kept whole.
   From the first part to the end of the line nothing else leaves; see mcp__send. */

/* What is written leaves, and the place is noted. */
MCP__PRIVATE void mcp__part_out(mcp_call *c) {
    mcp__write_out(c->conn, c->w._buf, mcp__writer_held(&c->w));
    c->w._at = c->w._buf;
    c->out.w = c->w;
    c->out.block = c->block_open;
    c->out.raw = c->raw_open;
    c->out.embedded = c->embedded;
    c->out.kind = c->block_kind;
    c->out.mime = c->block_mime;
}

MCP__PRIVATE void mcp__spill(mcp_call *c) {
    mcp_conn *k = c->conn;
    bool may = c->shape == MCP__CONTENTS || (c->version->audio && c->version->link);
    bool large = mcp__writer_held(&c->w) >= c->server->desc.limits.spill;
    if (!large || !may || c->batch || mcp__its_task(c)) return;
    if (c->cancelled || c->w.status || (!c->spilled && (k->spilling || c->status))) return;
    if (k->whole) return;
    k->spilling = c;
    if (!c->spilled) k->framing->begin(k);
    c->spilled = true;
    mcp__part_out(c);
}

/* ---- a block in pieces: units of 3 bytes or of one character are never cut ---- */

MCP__PRIVATE int mcp__piece_begin(mcp_call *c, int kind, const char *mime) {
    static const char *const types[] = { "text", "resource", "image", mcp__audio_type };
    if (kind < MCP_TEXT || kind > MCP_AUDIO)
        return mcp__spoil(c, MCP_MISUSE, "no such kind of block");
    if (kind == MCP_BLOB && !c->embed && mcp__answers_bytes(c)) { /* a resource by its name */
        static const char scheme[] = "mcp://tool/";
        const size_t n = sizeof scheme - 1;
        char *uri = (char *)mcp__arena_alloc(&c->arena, n + c->tool->name.n + 1);
        if (!uri) return mcp__spoil(c, MCP_NOMEM, NULL);
        memcpy(uri, scheme, n);
        memcpy(uri + n, c->tool->name.s, c->tool->name.n);
        c->embed = true;
        c->embed_uri = mcp__str_of(uri);
        c->embed_mime = mcp__str_of(mime ? mime : c->tool->row->mime);
    }
    if (kind == MCP_BLOB && !c->embed && c->shape != MCP__CONTENTS)
        return mcp__spoil(c, MCP_MISUSE, "a blob is a resource's: mcp_embed says whose");
    if (!mcp__block_open(c, types[kind], mime)) return c->status;
    c->raw_open = true;
    c->block_kind = kind;
    c->tail_n = 0;
    if (kind != MCP_TEXT && !c->embedded) {
        mcp__str copy = mcp__str_of(mime ? mime : "application/octet-stream");
        c->block_mime = mcp__arena_copy(&c->arena, copy.s, copy.n);
        if (!c->block_mime) mcp__put_fail(&c->w, MCP_NOMEM);
    }
    mcp__put_word(&c->w, kind == MCP_TEXT ? "text" : c->embedded ? "blob" : "data", "\"", 1);
    return mcp__settle(c);
}

/* How many of the last bytes of s begin a character that is not complete: 0 to 3. */
MCP__PRIVATE size_t mcp__utf8_unfinished(const unsigned char *s, size_t n) {
    for (size_t i = 1; i <= 3 && i <= n; i++) {
        unsigned char b = s[n - i];
        if (b < 0x80) return 0;
        if (b >= 0xC0) return i < (b >= 0xF0 ? 4u : b >= 0xE0 ? 3u : 2u) ? i : 0;
    }
    return 0;
}

/* How much of s can go out now. */
MCP__PRIVATE size_t mcp__piece_whole(const mcp_call *c, const unsigned char *s, size_t n) {
    return c->block_kind == MCP_TEXT ? n - mcp__utf8_unfinished(s, n) : n / 3 * 3;
}

enum { MCP__CHUNK_OUT = 48 * 1024 };

/* Whole units, so many at a time that a large result can spill between them. */
MCP__PRIVATE void mcp__piece_put(mcp_call *c, const unsigned char *s, size_t n) {
    while (n && !c->w.status) {
        size_t chunk = n > MCP__CHUNK_OUT ? mcp__piece_whole(c, s, MCP__CHUNK_OUT) : n;
        if (c->block_kind == MCP_TEXT) mcp__put_escaped(&c->w, (const char *)s, chunk);
        else mcp__put_base64(&c->w, s, chunk);
        s += chunk;
        n -= chunk;
        mcp__spill(c);
    }
}

MCP__PRIVATE int mcp__piece_write(mcp_call *c, const void *bytes, size_t n) {
    const unsigned char *s = (const unsigned char *)bytes;
    mcp__source_end(c);
    if (!bytes && n) return mcp__spoil(c, MCP_MISUSE, "bytes of NULL");
    if (!c->raw_open) return mcp__spoil(c, MCP_MISUSE, "mcp_block_write without mcp_block_begin");
    while (c->tail_n && n) { /* fill what waits, a byte at a time, until it is a whole unit */
        c->tail[c->tail_n++] = *s++, n--;
        size_t whole = mcp__piece_whole(c, c->tail, c->tail_n);
        if (whole) mcp__piece_put(c, c->tail, whole);
        memmove(c->tail, c->tail + whole, c->tail_n - whole);
        c->tail_n -= whole;
    }
    size_t whole = mcp__piece_whole(c, s, n);
    if (whole) mcp__piece_put(c, s, whole);
    if (n > whole) memcpy(c->tail, s + whole, n - whole), c->tail_n = n - whole;
    return mcp__settle(c);
}

MCP__PRIVATE int mcp__piece_end(mcp_call *c) {
    mcp__source_end(c);
    if (!c->raw_open) return mcp__spoil(c, MCP_MISUSE, "mcp_block_end without mcp_block_begin");
    c->raw_open = false;
    if (c->tail_n) mcp__piece_put(c, c->tail, c->tail_n);
    c->tail_n = 0;
    mcp__put_plain(&c->w, "\"", 1);
    mcp__block_payload_end(c, c->block_kind == MCP_TEXT ? NULL : c->block_mime);
    mcp__spill(c);
    return c->status;
}

/* ---- blocks in one go ---- */
MCP__PRIVATE int mcp__block(mcp_call *c, int kind, const char *mime, const void *bytes, size_t n) {
    if (mcp__piece_begin(c, kind, mime)) return c->status;
    mcp__piece_write(c, bytes, n);
    return mcp__piece_end(c);
}

MCP__PRIVATE int mcp__textn(mcp_call *c, const char *text, size_t n) {
    return mcp__block(c, MCP_TEXT, NULL, text, n);
}

MCP__PRIVATE int mcp__text(mcp_call *c, const char *text) {
    return mcp__textn(c, text ? text : "", text ? strlen(text) : 0);
}

/* ---- what decorates: a prefix says what comes, suffixes what came ---- */

MCP__PRIVATE int mcp__embed(mcp_call *c, const char *uri, const char *mime) {
    const char *wrong = mcp__uri_wrong(uri, false);
    if (wrong) return mcp__spoil(c, MCP_MISUSE, wrong);
    c->embed = true;
    c->embed_uri = mcp__str_of(uri), c->embed_mime = mcp__str_of(mime);
    c->embed_uri.s = mcp__arena_copy(&c->arena, c->embed_uri.s, c->embed_uri.n);
    c->embed_mime.s = mcp__arena_copy(&c->arena, c->embed_mime.s, c->embed_mime.n);
    if (!c->embed_uri.s || !c->embed_mime.s) return mcp__spoil(c, MCP_NOMEM, NULL);
    return mcp__settle(c);
}

MCP__PRIVATE int mcp__role(mcp_call *c, int role) {
    if (role != MCP_USER && role != MCP_ASSISTANT) return mcp__spoil(c, MCP_MISUSE, "no such role");
    if (c->shape != MCP__MESSAGES) return mcp__spoil(c, MCP_MISUSE, "mcp_role outside a prompt");
    c->role = role;
    return mcp__settle(c);
}

MCP__PRIVATE int mcp__annotate(mcp_call *c, const mcp_annotations *a) {
    if (mcp__settle(c)) return c->status;
    if (!a) return MCP_OK;
    if (!c->block_open) return mcp__spoil(c, MCP_MISUSE, "mcp_annotate without a block before it");
    if (c->shape == MCP__CONTENTS)
        return mcp__spoil(c, MCP_MISUSE, "the contents of a resource take no annotations");
    if (mcp__annotations_wrong(a)) return mcp__spoil(c, MCP_MISUSE, mcp__annotations_wrong(a));
    c->note = *a;
    c->noted = true;
    if (a->last_modified) {
        c->note.last_modified =
            mcp__arena_copy(&c->arena, a->last_modified, strlen(a->last_modified));
        if (!c->note.last_modified) return mcp__spoil(c, MCP_NOMEM, NULL);
    }
    return MCP_OK;
}

MCP__PRIVATE mcp_writer *mcp__block_meta(mcp_call *c) {
    if (!c->block_open) mcp__spoil(c, MCP_MISUSE, "mcp_block_meta without a block before it");
    if (c->has_block_meta && !c->status) return &c->block_meta_w;
    c->has_block_meta = true;
    return mcp__side_begin(c, &c->block_meta_w, &c->buf[MCP__BLOCK_META]);
}

MCP__PRIVATE mcp_writer *mcp__result_meta(mcp_call *c) {
    if (c->has_meta) return &c->meta_w;
    c->has_meta = true;
    return mcp__side_begin(c, &c->meta_w, &c->buf[MCP__META]);
}

MCP__PRIVATE mcp_writer *mcp__structured(mcp_call *c) {
    if (c->has_structured) return &c->structured_w;
    c->has_structured = true;
    return mcp__side_begin(c, &c->structured_w, &c->buf[MCP__STRUCTURED]);
}

/* ---- failing ---- */

/* A part is out: the block is ended. If that can't be done, from where the last part ended: what
   failed since leaves no trace, and this end needs no memory. */
MCP__PRIVATE void mcp__part_end(mcp_call *c) {
    if (c->raw_open) mcp__piece_end(c);
    mcp__block_close(c);
    if (!c->w.status) return;
    mcp__writer_rewind(&c->w, &c->out.w);
    c->buf[MCP__REPLY].status = MCP_OK;
    c->block_open = c->out.block;
    c->embedded = c->out.embedded;
    c->json_open = c->noted = c->has_block_meta = false;
    c->ui = NULL;
    if (c->out.raw) {
        mcp__put_plain(&c->w, "\"", 1);
        mcp__block_payload_end(c, c->out.kind == MCP_TEXT ? NULL : c->out.mime);
    }
    mcp__block_close(c);
}

/* Back to where the content begins: what was added is gone, unless a part of it is out already. */
MCP__PRIVATE void mcp__content_restart(mcp_call *c) {
    c->has_structured = c->embed = false;
    if (c->source) c->source(c, false);
    if (c->spilled) {
        mcp__part_end(c);
        return;
    }
    c->block_open = c->raw_open = c->json_open = false;
    c->blocks = 0;
    mcp__writer_rewind(&c->w, &c->start);
}

/* The result up to its content, under that key. */
MCP__PRIVATE void mcp__content_begin(mcp_call *c, mcp__shape shape, const char *key) {
    mcp__put_arr(&c->w, key);
    c->start = c->w;
    c->shape = shape;
    c->role = MCP_USER;
}

/* The text may stand in a buffer that is being reset: it is copied first. */
MCP__PRIVATE int mcp__error(mcp_call *c, int code, const char *text) {
    char *copy = mcp__arena_copy(&c->arena, text ? text : "", text ? strlen(text) : 0);
    if (!copy) return mcp__spoil(c, MCP_NOMEM, NULL);
    mcp__content_restart(c);
    c->fate = MCP__REFUSED;
    c->code = code;
    c->error = copy;
    return MCP_OK;
}

/* Only a tool's result can say that it failed; elsewhere that is an error, in the same words. */
MCP__PRIVATE int mcp__failn(mcp_call *c, const char *text, size_t n) {
    if (mcp__settle(c)) return c->status;
    if (c->shape != MCP__BLOCKS) return mcp__error(c, MCP_INTERNAL_ERROR, text);
    mcp__content_restart(c);
    c->fate = MCP__FAILED;
    return mcp__textn(c, text, n);
}

MCP__PRIVATE int mcp__fail(mcp_call *c, const char *text) {
    return mcp__failn(c, text ? text : "", text ? strlen(text) : 0);
}

/* No such thing: of a resource, the error that its version has for it. */
MCP__PRIVATE int mcp__not_found(mcp_call *c, const char *what) {
    mcp__buf *b = &c->buf[MCP__NOTE];
    bool resource = c->shape == MCP__CONTENTS;
    mcp__str name = mcp__shown(what, strlen(what));
    mcp__buf_reset(b, MCP__KEEP);
    mcp__adds(b, resource ? "Resource not found: " : "not found: ");
    mcp__add(b, name);
    if (!mcp__buf_add(b, "", 1)) return mcp__spoil(c, b->status, NULL);
    if (!resource && !c->rest_status) c->rest_status = 404;
    if (!resource) return mcp__fail(c, b->ptr);
    if (mcp__error(c, c->version->not_found, b->ptr)) return c->status;
    mcp__put_json(mcp__structured(c), "uri", mcp__members_get(&c->in_params, "uri"));
    return MCP_OK;
}

/* ---- >>call ------------------------------------------------------------------------------------
   What a handler asks about its call and does while it runs, and how the call is answered when it
   returns. A call is answered once, or was cancelled, or its peer is gone. */

/* ---- what was asked ---- */

MCP__PRIVATE const char *mcp__param(const mcp_call *c, const char *key) {
    return mcp__members_get(&c->in_params, key);
}

/* Where the argument of that name stands, or NULL. */
MCP__PRIVATE const char *mcp__arg(mcp_call *c, const char *name) {
    if (!name) return NULL;
    size_t n = strlen(name);
    const mcp__rule *r = c->rule;
    if (!r) return mcp__json_get(c->args, name, n);
    for (size_t i = 0; i < r->members; i++)
        if (r->member[i].name.n == n && memcmp(r->member[i].name.s, name, n) == 0)
            return c->found[i];
    return r->flags & MCP_OPEN ? mcp__json_get(c->args, name, n) : NULL;
}

/* Whether these settings of the extension are of a client that shows our kind of pages. */
MCP__PRIVATE bool mcp__shows_pages(const char *ui) {
    const char *types = mcp__json_get(ui, "mimeTypes", 9);
    if (mcp__json_type(ui) != MCP_OBJECT) return false;
    if (!types) return true;
    if (mcp__json_type(types) != MCP_ARRAY) return false;
    for (const char *v = mcp__json_first(types); v; v = mcp__json_next(v))
        if (mcp__json_is(v, mcp__page_type, sizeof mcp__page_type - 1)) return true;
    return false;
}

/* What the client says that it can do, from its capabilities object. */
MCP__PRIVATE unsigned mcp__capabilities_of(const char *v) {
    const char *ask = mcp__json_get(v, "elicitation", 11);
    const char *sample = mcp__json_get(v, "sampling", 8);
    const char *more = mcp__json_get(v, "extensions", 10);
    bool url = mcp__json_get(ask, "url", 3) != NULL;
    unsigned can = 0;
    if (ask && (!url || mcp__json_get(ask, "form", 4))) can |= MCP_CAN_ASK; /* {} is form */
    if (url) can |= MCP_CAN_ASK_URL;
    if (sample) can |= MCP_CAN_SAMPLE;
    if (mcp__json_get(sample, "tools", 5)) can |= MCP_CAN_SAMPLE_TOOLS;
    if (mcp__json_get(v, "roots", 5)) can |= MCP_CAN_ROOTS;
    if (mcp__shows_pages(mcp__json_get(more, mcp__key_ui, sizeof mcp__key_ui - 1)))
        can |= MCP_CAN_APPS;
    if (mcp__json_get(more, MCP__KEY("tasks"), strlen(MCP__KEY("tasks")))) can |= MCP_CAN_TASKS;
    return can;
}

/* That object: the handshake's, or since 2026-07-28 this request's; or NULL. */
MCP__PRIVATE const char *mcp__client_says(const mcp_call *c) {
    if (!c->version->modern) return c->conn->session->capabilities;
    return mcp__members_get(&c->in_meta, mcp__key_capabilities);
}

/* The text of a member, or "". */
MCP__PRIVATE mcp__str mcp__member_text(const char *v, const char *key) {
    mcp__str r = { NULL, 0 };
    r.s = mcp__json_text(mcp__json_get(v, key, strlen(key)), &r.n);
    if (!r.s) r.s = "";
    return r;
}

/* A text of the connection's, which may go before the call does. */
MCP__PRIVATE const char *mcp__own(mcp_call *c, const char *s) {
    const char *copy = s ? mcp__arena_copy(&c->arena, s, strlen(s)) : "";
    return copy ? copy : (mcp__spoil(c, MCP_NOMEM, NULL), "");
}

MCP__PRIVATE const mcp_attr *mcp__own_headers(mcp_call *c) {
    const mcp_attr *h = c->conn->headers;
    size_t n = 0;
    while (h && h[n].key) n++;
    mcp_attr *copy = h ? (mcp_attr *)mcp__arena_array(&c->arena, n + 1, sizeof *copy) : NULL;
    if (h && !copy) mcp__spoil(c, MCP_NOMEM, NULL);
    for (size_t i = 0; copy && i < n; i++) {
        copy[i].key = mcp__own(c, h[i].key);
        copy[i].value = mcp__own(c, h[i].value);
    }
    return copy;
}

MCP__PRIVATE const mcp_caller *mcp__caller(mcp_call *c) {
    static const mcp_caller nobody = { "", "", "", "", "", "", 0, NULL, NULL, NULL };
    if (c->caller) return c->caller;
    mcp_caller *who = (mcp_caller *)mcp__arena_alloc(&c->arena, sizeof *who);
    if (!who) return mcp__spoil(c, MCP_NOMEM, NULL), &nobody;
    const char *can = mcp__client_says(c);
    if (!c->version->modern) {
        who->client = mcp__own(c, c->conn->session->client.s);
        who->client_version = mcp__own(c, c->conn->session->client_version.s);
        if (can) can = mcp__arena_json(&c->arena, can, mcp__token(can).n);
        if (!can && c->conn->session->capabilities) mcp__spoil(c, MCP_NOMEM, NULL);
    } else { /* nothing is remembered: the request says it all */
        const char *info = mcp__members_get(&c->in_meta, mcp__key_client);
        who->client = mcp__member_text(info, "name").s;
        who->client_version = mcp__member_text(info, "version").s;
    }
    who->version = c->version->name;
    who->transport = c->conn->transport;
    who->principal = mcp__own(c, c->conn->principal);
    who->session = mcp__own(c, c->conn->session->id);
    who->can = mcp__capabilities_of(can);
    who->capabilities = (const mcp_json *)can;
    who->meta = (const mcp_json *)c->meta;
    who->headers = mcp__own_headers(c);
    return c->caller = who;
}

/* ---- while it works: notifications go out at once, before the result ---- */

/* {"jsonrpc":"2.0","method":METHOD,"params":{ on the side writer, which a call has idle here */
MCP__PRIVATE mcp_writer *mcp__note_begin(mcp_call *c, const char *method) {
    mcp_writer *w = mcp__side_begin(c, &c->note_w, &c->buf[MCP__NOTE]);
    mcp__put_obj(w, NULL);
    mcp__put_str(w, "jsonrpc", "2.0");
    mcp__put_str(w, "method", method);
    mcp__put_obj(w, "params");
    return w;
}

/* "_meta" of what belongs to a task (2025-11-25). */
MCP__PRIVATE void mcp__put_related(mcp_writer *w, const char *task) {
    mcp__put_obj(w, mcp__key_task);
    mcp__put_str(w, "taskId", task);
    mcp__put_end(w);
}

/* Where it goes: a task of an older version has its session's own stream; NULL: nowhere. */
MCP__PRIVATE mcp_conn *mcp__note_conn(const mcp_call *c) {
    if (c->conn != &c->server->later) return c->conn;
    const mcp__task *t = mcp__its_task(c);
    return t && t->session ? t->session->listener : NULL;
}

MCP__PRIVATE int mcp__note_end(mcp_call *c) {
    mcp_writer *w = &c->note_w;
    mcp_conn *k = mcp__note_conn(c);
    if (mcp__its_task(c)) {
        mcp__put_obj(w, "_meta");
        mcp__put_related(w, mcp__its_task(c)->id);
        mcp__put_end(w);
    }
    mcp__put_end(w);
    mcp__put_end(w);
    if (mcp__writer_end(w)) return mcp__spoil(c, w->status, mcp__put_why(w));
    if (!k) return MCP_OK;
    mcp__str message = { c->buf[MCP__NOTE].ptr, c->buf[MCP__NOTE].len };
    mcp__send_beside(k, message);
    mcp__flush(k);
    return k->status;
}

MCP__PRIVATE int64_t mcp__now(const mcp_server *s) {
    return s->desc.clock.func ? s->desc.clock.func(s->desc.clock.user) : 0;
}

/* A task has changed: who listens is to be told. */
MCP__PRIVATE void mcp__task_touch(mcp_server *s, mcp__task *t) {
    t->updated_ms = mcp__now(s) / 1000000;
    for (mcp_conn *k = s->conns; k; k = k->next)
        for (mcp_call *c = k->open; c; c = c->next)
            for (mcp__heard *h = c->heard; h; h = h->next)
                if (strcmp(h->id, t->id) == 0) h->dirty = k->to_tell = true;
}

/* What it is at, for who asks. */
MCP__PRIVATE void mcp__task_says(mcp_server *s, mcp__task *t, const char *text) {
    mcp__str shown = mcp__shown(text, strlen(text));
    memcpy(t->message, shown.s, shown.n);
    t->message[shown.n] = 0;
    mcp__task_touch(s, t);
}

/* Who cancelled hears nothing more of that request. */
MCP__PRIVATE int mcp__progress(mcp_call *c, double done, double total, const char *text) {
    if (mcp__its_task(c) && text && !c->cancelled) mcp__task_says(c->server, c->task, text);
    if (!c->progress || c->cancelled || c->spilled) return mcp__settle(c);
    if (!(done - done == 0) || !(total - total == 0))
        return mcp__spoil(c, MCP_MISUSE, "progress was not finite");
    if (c->progressed && done <= c->progress_last) return mcp__settle(c); /* it must rise */
    c->progressed = true;
    c->progress_last = done;
    mcp_writer *w = mcp__note_begin(c, "notifications/progress");
    mcp__put_word(w, "progressToken", mcp__token(c->progress).s, mcp__token(c->progress).n);
    mcp__put_num(w, "progress", done);
    if (total > 0) mcp__put_num(w, "total", total);
    if (text && c->version->progress_text) mcp__put_str(w, "message", text);
    return mcp__note_end(c);
}

static const char *const mcp__levels[] = { "", "debug", "info", "notice", "warning", "error",
                                           "critical", "alert", "emergency" };

/* The number of a level's name, or 0. */
MCP__PRIVATE int mcp__level_of(const char *v) {
    for (int i = MCP_LOG_DEBUG; i <= MCP_LOG_EMERGENCY; i++)
        if (mcp__json_is(v, mcp__levels[i], strlen(mcp__levels[i]))) return i;
    return 0;
}

/* Whether a message of that level is wanted, and not one too many in its second. */
MCP__PRIVATE bool mcp__log_wanted(mcp_call *c, int level) {
    mcp__session *session = c->conn->session;
    if (level < MCP_LOG_DEBUG || level > MCP_LOG_EMERGENCY)
        return mcp__spoil(c, MCP_MISUSE, "no such log level"), false;
    bool offered = c->server->desc.flags & MCP_LOGGING;
    if (!offered || !c->log_level || level < c->log_level) return false;
    if (c->cancelled || c->status) return false;
    if (c->spilled && c->version->modern) return false; /* only before the response begins */
    int64_t second = mcp__now(c->server) / 1000000000;
    if (second != session->logs_ns) session->logs_ns = second, session->logs = 0;
    return session->logs++ < c->server->desc.limits.logs;
}

MCP__PRIVATE mcp_writer *mcp__log_note(mcp_call *c, int level) {
    mcp_writer *w = mcp__note_begin(c, "notifications/message");
    mcp__put_str(w, "level", mcp__levels[level]);
    if (c->target.n) mcp__put_strn(w, "logger", c->target.s, c->target.n);
    return w;
}

MCP__PRIVATE int mcp__logf(mcp_call *c, int level, const char *fmt, va_list ap) {
    if (!mcp__log_wanted(c, level)) return mcp__settle(c);
    mcp__put_vf(mcp__log_note(c, level), "data", fmt, ap);
    return mcp__note_end(c);
}

/* Structured data is written aside: what nobody wants to hear is written and dropped. */
MCP__PRIVATE mcp_writer *mcp__log_begin(mcp_call *c, int level) {
    c->log_wanted = mcp__log_wanted(c, level) ? level : 0;
    c->log_open = true;
    return mcp__side_begin(c, &c->log_w, &c->buf[MCP__LOG]);
}

MCP__PRIVATE int mcp__log_end(mcp_call *c) {
    if (!c->log_open) return mcp__spoil(c, MCP_MISUSE, "mcp_log_end without mcp_log_begin");
    c->log_open = false;
    if (!c->log_wanted || mcp__settle(c)) return c->status;
    const char *data = mcp__side_end(c, &c->log_w, &c->buf[MCP__LOG]);
    if (!data) return c->status;
    mcp__put_json(mcp__log_note(c, c->log_wanted), "data", data);
    return mcp__note_end(c);
}

/* When the input has ended, running work gets a second to finish. */
enum { MCP__GRACE_NS = 1000000000, MCP__TICK_NS = 500000000 }; /* how often HTTP is looked at */

/* The client gave up, or is gone. */
MCP__PRIVATE void mcp__cancel_call(mcp_call *c) {
    if (c->cancelled) return;
    c->cancelled = true;
    if (c->on_cancel) c->on_cancel(c->on_cancel_arg);
}

MCP__PRIVATE void mcp__on_cancel(mcp_call *c, void (*func)(void *arg), void *arg) {
    c->on_cancel = func;
    c->on_cancel_arg = arg;
    if (c->cancelled && func) func(arg);
}

MCP__PRIVATE bool mcp__cancelled(mcp_call *c) {
    mcp_conn *k = c->conn, *from = mcp__note_conn(c);
    if (!c->cancelled && k->status == MCP_OK) k->pump(k);
    if (!from || (from != k && from->exchange)) from = k; /* a task outlives a stream of HTTP */
    if (from->ended && mcp__now(c->server) - from->ended_ns >= MCP__GRACE_NS) mcp__cancel_call(c);
    return c->cancelled || from->status != MCP_OK;
}

/* ---- the answer ---- */

/* An error in place of whatever was begun, up to its data. */
MCP__PRIVATE mcp_writer *mcp__error_begin(mcp_call *c, int code, mcp__str text) {
    mcp_writer *w = mcp__reply_begin(c);
    c->fate = MCP__REFUSED;
    c->code = code;
    mcp__put_obj(w, "error");
    mcp__put_int(w, "code", code);
    mcp__put_strn(w, "message", text.s, text.n);
    return w;
}

MCP__PRIVATE void mcp__error_end(mcp_writer *w) {
    mcp__put_end(w);
    mcp__put_end(w);
}

/* The rest of a reply of which a part is out, and then what had to wait for its end. */
MCP__PRIVATE void mcp__deliver_spilled(mcp_call *c) {
    mcp_conn *k = c->conn;
    mcp__write_out(k, c->buf[MCP__REPLY].ptr, c->buf[MCP__REPLY].len);
    k->framing->end(k);
    k->spilling = NULL;
    for (size_t at = 0; at < k->held.len;) {
        mcp__str line = { k->held.ptr + at, 0 };
        const char *lf = (const char *)memchr(line.s, '\n', k->held.len - at);
        if (!lf) break;
        line.n = (size_t)(lf - line.s);
        at += line.n + 1;
        mcp__send_beside(k, line);
    }
    mcp__flush(k);
    mcp__buf_reset(&k->held, MCP__KEEP);
}

/* The reply is written: it leaves, or a reply that was reserved in advance does in its place. */
MCP__PRIVATE void mcp__deliver(mcp_call *c) {
    mcp__writer_sync(&c->w);
    if (c->spilled) {
        mcp__deliver_spilled(c);
    } else if (c->cancelled) {
        return;
    } else if (mcp__settle(c) == MCP_OK) {
        mcp__str message = { c->buf[MCP__REPLY].ptr, c->buf[MCP__REPLY].len };
        mcp__task *t = mcp__its_task(c);
        if (t) t->answer = mcp__arena_json(&t->arena, message.s, message.n);
        else mcp__send(c->conn, c->batch, &message, 1);
    } else if (!mcp__its_task(c)) {
        c->fate = MCP__REFUSED;
        c->code = MCP_INTERNAL_ERROR;
        mcp__send_error(c->conn, c->batch, mcp__token(c->id), MCP_INTERNAL_ERROR,
                        c->status == MCP_NOMEM ? "Out of memory" : "Internal error");
    }
}

MCP__PRIVATE void mcp__refuse_call(mcp_call *c, int code, const char *text, const char *data) {
    mcp_writer *w = mcp__error_begin(c, code, mcp__str_of(text));
    if (data) mcp__put_json(w, "data", data);
    mcp__error_end(w);
}

/* The result does not stand as it is: this text does, as the tool's failure. */
MCP__PRIVATE void mcp__answer_failed(mcp_call *c, const char *text) {
    c->status = MCP_OK;
    mcp__content_restart(c);
    c->fate = MCP__FAILED;
    mcp__text(c, text);
}

/* What the version lacks: "MCP protocol 2024-11-05 does not support ... type(s): audio." */
MCP__PRIVATE void mcp__answer_refused(mcp_call *c) {
    char text[160] = "MCP protocol ";
    strcat(text, c->version->name);
    strcat(text, " does not support ");
    strcat(text, c->shape == MCP__BLOCKS ? "tool-result content type(s): " : "content type(s): ");
    strcat(text, c->refused[0]);
    if (c->refused[1]) strcat(strcat(text, ", "), c->refused[1]);
    strcat(text, ".");
    if (c->shape == MCP__BLOCKS) mcp__answer_failed(c, text);
    else mcp__refuse_call(c, MCP_INTERNAL_ERROR, text, NULL);
}

/* The structured result against the tool's own table: a client may rely on it. */
MCP__PRIVATE bool mcp__answer_fits(mcp_call *c, const char *structured) {
    if (!c->tool->row->out && !mcp__answers_json(c)) return true;
    mcp__buf_reset(&c->buf[MCP__NOTE], MCP__KEEP);
    mcp__adds(&c->buf[MCP__NOTE], "Invalid result: ");
    mcp__checker x = { &c->arena, &c->buf[MCP__NOTE], 0, false, false, NULL };
    if (!structured) mcp__problem(&x, NULL, "no structured content", mcp__str_of(NULL));
    else if (mcp__check_root(&x, &c->tool->out, structured)) return true;
    if (!mcp__buf_add(&c->buf[MCP__NOTE], "", 1)) return mcp__spoil(c, MCP_NOMEM, NULL), false;
    return mcp__spoil(c, MCP_MISUSE, c->buf[MCP__NOTE].ptr), false;
}

/* Behind the content of a tool's result. */
MCP__PRIVATE void mcp__answer_blocks(mcp_call *c, const char *structured) {
    if (c->status) mcp__answer_failed(c, c->why ? c->why : mcp__status_text(c->status));
    else if (c->refused[0]) mcp__answer_refused(c);
    else if (!c->blocks && structured)
        mcp__textn(c, c->buf[MCP__STRUCTURED].ptr, c->buf[MCP__STRUCTURED].len);
    else if (!c->blocks) mcp__text(c, "{}");
    mcp__block_close(c);
    mcp__put_end(&c->w);
    mcp__put_bool(&c->w, "isError", c->fate == MCP__FAILED);
    if (c->fate == MCP__GOOD && structured &&
        c->version->structured >= (mcp__json_type(structured) == MCP_OBJECT ? 1 : 2))
        mcp__put_json(&c->w, "structuredContent", structured);
    mcp__result_end(c, NULL);
}

/* A mistake of the author's, where no result can tell of it. */
MCP__PRIVATE void mcp__answer_broken(mcp_call *c) {
    mcp__log(&c->server->desc, MCP_LOG_ERROR, c->status,
             c->why ? c->why : mcp__status_text(c->status));
    c->status = MCP_OK;
    mcp__refuse_call(c, MCP_INTERNAL_ERROR, "Internal error", NULL);
}

/* Ends the array that the handler added to, and what stands around it. */
MCP__PRIVATE void mcp__answer_items(mcp_call *c) {
    if (!c->blocks && c->shape == MCP__CONTENTS) mcp__text(c, ""); /* it exists: it is empty */
    mcp__block_close(c);
    mcp__put_end(&c->w);
    mcp__result_end(c, c->shape == MCP__CONTENTS ? &c->cache : NULL);
}

/* A part of the reply is out: whatever went wrong since, its line must end, and end well. */
MCP__PRIVATE void mcp__answer_spilled(mcp_call *c, const char *structured) {
    const char *why = c->fate == MCP__REFUSED ? c->error : c->why;
    bool failed = c->status || c->fate == MCP__REFUSED;
    c->status = MCP_OK;
    if (failed) {
        mcp__log(&c->server->desc, MCP_LOG_ERROR, MCP_IO,
                 why ? why : "a streamed result broke off");
        mcp__content_restart(c);
        c->fate = MCP__FAILED;
    }
    mcp__part_out(c);
    if (failed && c->shape == MCP__BLOCKS) mcp__text(c, why ? why : "the result broke off");
    if (c->shape == MCP__BLOCKS) mcp__answer_blocks(c, failed ? NULL : structured);
    else mcp__answer_items(c);
    if (!c->w.status) return;
    mcp__content_restart(c); /* no memory for all that: the shortest end that there is */
    mcp__put_end(&c->w);
    if (c->shape == MCP__BLOCKS) mcp__put_bool(&c->w, "isError", true);
    mcp__put_end(&c->w);
    mcp__put_end(&c->w);
}

/* The handler is through: rc is what it returned. */
MCP__PRIVATE void mcp__answer(mcp_call *c, int rc) {
    const char *structured = NULL;
    if (c->cancelled && !c->spilled) return;
    if (rc == MCP_UNSUPPORTED && c->lacks && !c->spilled && c->fate == MCP__GOOD &&
        !mcp__settle(c)) {
        c->asking->lacks(c);
        return;
    }
    if ((rc == MCP_DECLINED || rc == MCP_CANCELLED) && c->fate == MCP__GOOD)
        mcp__fail(c, mcp__status_text(rc)); /* the client knows why: it is no secret of ours */
    if (rc != MCP_OK && c->fate == MCP__GOOD && !mcp__settle(c))
        mcp__spoil(c, MCP_REFUSED, mcp__status_text(rc)); /* without words of its own */
    if (c->raw_open) {
        mcp__spoil(c, MCP_MISUSE, "the last block was begun and not ended");
        mcp__piece_end(c); /* a part of it may be out */
    }
    mcp__block_close(c);
    if (!c->blocks && c->fate == MCP__GOOD && mcp__answers_json(c))
        mcp__structured(c); /* nothing written is {} */
    if (c->has_structured)
        structured = mcp__side_end(c, &c->structured_w, &c->buf[MCP__STRUCTURED]);
    if (c->embed) mcp__spoil(c, MCP_MISUSE, "mcp_embed without a block after it");
    if (c->has_meta) c->has_meta = mcp__meta_end(c, &c->meta_w, &c->buf[MCP__META]) != NULL;
    if (!mcp__settle(c) && c->fate == MCP__GOOD && c->shape == MCP__BLOCKS)
        mcp__answer_fits(c, structured);
    mcp__settle(c);
    if (c->spilled) mcp__answer_spilled(c, structured);
    else if (c->status == MCP_NOMEM || c->w.status == MCP_LIMIT) return;
    else if (c->fate == MCP__REFUSED && !c->status)
        mcp__refuse_call(c, c->code, c->error, structured);
    else if (c->shape == MCP__BLOCKS) mcp__answer_blocks(c, structured);
    else if (c->status) mcp__answer_broken(c);
    else if (c->refused[0]) mcp__answer_refused(c);
    else mcp__answer_items(c);
}

/* ---- where it waits ---- */
MCP__PRIVATE void mcp__unlink(mcp_call **link, mcp_call *c) {
    while (*link != c) link = &(*link)->next;
    *link = c->next;
    c->next = NULL;
}

/* It is run again when that is resumed, or at that time. */
MCP__PRIVATE void mcp__park(mcp_call *c, int64_t until_ns) {
    c->parked = c->deferred = true;
    c->until_ns = until_ns;
    c->server->parked++;
}

/* From those that wait for others to those that wait for us, before all that came later. */
MCP__PRIVATE void mcp__resume(mcp_call *c) {
    mcp_conn *k = c->conn;
    mcp__unlink(&k->open, c);
    k->opened--;
    c->next = k->calls;
    k->calls = c;
    k->waiting++;
    c->server->parked--;
    c->parked = c->deferred = false;
    c->resumed = true;
}

/* ---- its span: OpenTelemetry's conventions for MCP ---- */

#ifndef MCP_NO_TRACE
/* Begins it, and says what its transport is. */
MCP__PRIVATE void mcp__call_span_open(mcp_call *c, mcp__str name, mcp__str parent,
                                      mcp__str tracestate) {
    const mcp_server_desc *d = &c->server->desc;
    mcp__trace *t = &c->trace;
    t->sink = &d->trace, t->clock = &d->clock, t->random = &d->random;
    t->arena = &c->arena, t->service = d->name;
    const char *copy = mcp__arena_copy(&c->arena, name.s, name.n);
    if (copy) mcp__trace_start(t, copy, parent, tracestate, d->ambient);
    if (strcmp(c->conn->transport, "stdio") == 0)
        mcp__trace_root_attr(t, "network.transport", "pipe", 4);
    if (c->conn->headers) {
        mcp__trace_root_attr(t, "network.transport", "tcp", 3);
        mcp__trace_root_attr(t, "network.protocol.name", "http", 4);
    }
}

/* A context with a tracestate that is not a string is no context at all. */
MCP__PRIVATE void mcp__call_span_begin(mcp_call *c) {
    if (!c->server->desc.trace.func) return;
    mcp__trace *t = &c->trace;
    const char *state = mcp__members_get(&c->in_meta, "tracestate");
    mcp__str parent = mcp__member_text(c->meta, "traceparent");
    mcp__str tracestate = mcp__member_text(c->meta, "tracestate");
    if (state && mcp__json_type(state) != MCP_STRING) parent.n = 0;
    size_t n = 0;
    const char *text = mcp__json_text(c->method, &n);
    mcp__str method = mcp__shown(text, n);
    mcp__call_span_open(c, method, parent, tracestate);
    mcp__trace_root_attr(t, "mcp.method.name", method.s, method.n);
    if (c->conn->session->id[0])
        mcp__trace_root_attr(t, "mcp.session.id", c->conn->session->id,
                             strlen(c->conn->session->id));
    if (!c->id) return;
    mcp__str id = mcp__token(c->id); /* a string without its quotes: escapes stay as they came */
    if (mcp__json_type(c->id) == MCP_STRING) id.s++, id.n -= 2;
    mcp__trace_root_attr(t, "jsonrpc.request.id", id.s, id.n);
}
#else
MCP__PRIVATE void mcp__call_span_begin(mcp_call *c) { (void)c; }
#endif

/* The row that serves it is known. Only a name of ours becomes part of the span's: peers must not
   make up names without end. */
MCP__PRIVATE void mcp__call_found(mcp_call *c, mcp__table *table, mcp__str target,
                                  const void *user, const char *attribute) {
    table->users++;
    mcp__table_free(c->server, c->table); /* of an earlier run */
    c->table = table;
    c->target = target;
    c->user = user;
    if (attribute) mcp__trace_target(&c->trace, target.s);
    if (attribute) mcp__trace_root_attr(&c->trace, attribute, target.s, target.n);
}

MCP__PRIVATE void mcp__call_span_end(mcp_call *c) {
    int status = c->fate == MCP__GOOD ? MCP_OK : MCP_REFUSED;
    const mcp__version *v = c->version;
    if (v && (v->modern || mcp__its_task(c) || v == c->conn->session->version)) /* agreed */
        mcp__trace_root_attr(&c->trace, "mcp.protocol.version", v->name, strlen(v->name));
    if (c->cancelled) {
        status = MCP_CANCELLED;
        mcp__trace_root_attr(&c->trace, "error.type", "cancelled", 9);
    } else if (c->fate == MCP__REFUSED) {
        char code[24];
        char *end = mcp__print_int(code, c->code);
        mcp__trace_root_attr(&c->trace, "error.type", code, (size_t)(end - code));
        mcp__trace_root_attr(&c->trace, "rpc.response.status_code", code, (size_t)(end - code));
    } else if (c->fate == MCP__FAILED) {
        mcp__trace_root_attr(&c->trace, "error.type", "tool_error", 10);
    }
    mcp__trace_end(&c->trace, status);
}

/* ---- >>ask -------------------------------------------------------------------------------------
   Asking back. A handler runs from the top each time an answer is there, and finds answers by key.
   2026-07-28 has the questions in the result, and what was answered before in a sealed state that
   travels with the client, so that any process with the same secret can go on. For older versions
   the call is parked, and each question is a request on its stream. What the core needs of this
   stands behind one pointer: a program that never asks does not pay for it. */

typedef struct mcp__question {
    struct mcp__question *next;
    mcp__str key;
    const char *method;
    const char *params;      /* an object, or NULL */
    unsigned number;         /* of the request to an older client; 0: not sent */
    unsigned again;          /* how often the answer did not fit */
    const char *name;        /* for a task, where no key comes twice */
    bool answered;
    const char *url_id;      /* of a URL, for 2025-11-25; or NULL */
} mcp__question;

typedef struct mcp__given {
    struct mcp__given *next;
    mcp__str key;
    const char *value;       /* as it came: an elicitation's result, a message, roots; NULL: */
    int status;              /* no answer, but this */
    bool bad;                /* it does not fit: asked again */
} mcp__given;

/* -- HMAC-SHA-256 (RFC 2104) -- */
typedef struct mcp__hmac { mcp__sha256 inner, outer; } mcp__hmac;

MCP__PRIVATE void mcp__hmac_init(mcp__hmac *x, const void *key, size_t n) {
    unsigned char block[64] = { 0 }, pad[64];
    if (n > sizeof block) {
        mcp__sha256_init(&x->inner);
        mcp__sha256_add(&x->inner, key, n);
        mcp__sha256_end(&x->inner, block);
    } else if (n) memcpy(block, key, n);
    mcp__sha256_init(&x->inner);
    mcp__sha256_init(&x->outer);
    for (int i = 0; i < 64; i++) pad[i] = block[i] ^ 0x36;
    mcp__sha256_add(&x->inner, pad, sizeof pad);
    for (int i = 0; i < 64; i++) pad[i] = block[i] ^ 0x5C;
    mcp__sha256_add(&x->outer, pad, sizeof pad);
}

MCP__PRIVATE void mcp__hmac_add(mcp__hmac *x, const void *bytes, size_t n) {
    mcp__sha256_add(&x->inner, bytes, n);
}

/* With its size before it, so that two texts are not taken for two others. */
MCP__PRIVATE void mcp__hmac_text(mcp__hmac *x, mcp__str s) {
    char size[24];
    mcp__hmac_add(x, size, (size_t)(mcp__print_int(size, (int64_t)s.n) - size));
    mcp__hmac_add(x, ":", 1);
    mcp__hmac_add(x, s.s, s.n);
}

MCP__PRIVATE void mcp__hmac_end(mcp__hmac *x, unsigned char mac[32]) {
    unsigned char digest[32];
    mcp__sha256_end(&x->inner, digest);
    mcp__sha256_add(&x->outer, digest, sizeof digest);
    mcp__sha256_end(&x->outer, mac);
}

/* A value by what it means: strings decoded, no space between. It nests as deep as messages may. */
MCP__PRIVATE void mcp__hmac_json(mcp__hmac *x, const char *v) {
    mcp_type type = mcp__json_type(v);
    mcp__str s = { NULL, 0 };
    char kind = (char)('0' + (int)type);
    mcp__hmac_add(x, &kind, 1);
    if (!v) return;
    if (type == MCP_STRING) s.s = mcp__json_text(v, &s.n), mcp__hmac_text(x, s);
    else if (type != MCP_OBJECT && type != MCP_ARRAY) mcp__hmac_text(x, mcp__token(v));
    else {
        for (const char *m = mcp__json_first(v); m; m = mcp__json_next(m)) {
            if (type == MCP_OBJECT) mcp__hmac_json(x, mcp__json_key(m));
            mcp__hmac_json(x, m);
        }
        mcp__hmac_add(x, ".", 1);
    }
}

/* ---- the state that travels: a MAC, and JSON ---- */

/* The key that seals; the random one is made when it is first needed. NULL: there is none. */
MCP__PRIVATE const void *mcp__secret(mcp_server *s, size_t *n) {
    const mcp_random_hook *random = &s->desc.random;
    *n = s->desc.secret_size;
    if (s->desc.secret) return s->desc.secret;
    *n = sizeof s->secret;
    if (!s->has_secret)
        s->has_secret = random->func && !random->func(random->user, s->secret, sizeof s->secret);
    return s->has_secret ? s->secret : NULL;
}

MCP__PRIVATE const char *mcp__target_param(const mcp_call *c) {
    return mcp__param(c, c->row->flags & MCP__BY_URI ? "uri" : "name");
}

/* The MAC of a state for this request: nobody else's, and no other's. */
MCP__PRIVATE bool mcp__state_mac(mcp_call *c, mcp__str state, unsigned char mac[32]) {
    mcp__hmac x;
    size_t n;
    const void *secret = mcp__secret(c->server, &n);
    if (!secret) return false;
    mcp__hmac_init(&x, secret, n);
    mcp__hmac_text(&x, mcp__str_of(c->row->name));
    mcp__hmac_text(&x, mcp__str_of(mcp__principal(c->conn)));
    mcp__hmac_json(&x, mcp__target_param(c));
    mcp__hmac_json(&x, mcp__param(c, "arguments"));
    mcp__hmac_text(&x, state);
    mcp__hmac_end(&x, mac);
    return true;
}

MCP__PRIVATE mcp__given *mcp__given_of(const mcp_call *c, mcp__str key) {
    mcp__given *g = c->given;
    while (g && !mcp__str_same(g->key, key)) g = g->next;
    return g;
}

MCP__PRIVATE void mcp__give(mcp_call *c, mcp__str key, const char *value, int status) {
    mcp__given *g = mcp__given_of(c, key);
    if (!g) {
        g = (mcp__given *)mcp__arena_alloc(&c->arena, sizeof *g);
        if (!g) {
            mcp__spoil(c, MCP_NOMEM, NULL);
            return;
        }
        g->next = c->given;
        c->given = g;
    }
    g->key = key;
    g->value = value;
    g->status = status;
    g->bad = false;
}

MCP__PRIVATE const char *mcp__object_of(const char *v) {
    return mcp__json_type(v) == MCP_OBJECT ? v : NULL;
}

/* "answers" and, of what came with this request, that which was asked. */
MCP__PRIVATE void mcp__state_answers(mcp_call *c, const char *state) {
    const char *came = mcp__object_of(mcp__param(c, "inputResponses"));
    mcp__str key;
    for (const char *m = mcp__json_first(mcp__json_get(state, "answers", 7)); m;
         m = mcp__json_next(m)) {
        key.s = mcp__json_text(mcp__json_key(m), &key.n);
        mcp__give(c, key, m, MCP_OK);
    }
    for (const char *m = mcp__json_first(mcp__json_get(state, "asked", 5)); m;
         m = mcp__json_next(m)) {
        key.s = mcp__json_text(m, &key.n);
        const char *v = mcp__json_get(came, key.s, key.n);
        if (v) mcp__give(c, key, v, MCP_OK);
    }
    const char *kept = mcp__json_get(state, "kept", 4);
    if (!kept) return;
    char *bytes = (char *)mcp__json_text(kept, &c->kept_n);
    if (bytes && mcp__base64_decode(bytes, bytes, c->kept_n, &c->kept_n) == MCP_OK) c->kept = bytes;
}

/* Opens what came back. false: it is not ours, or not of this request, or too old. */
MCP__PRIVATE bool mcp__state_read(mcp_call *c) {
    const char *v = mcp__param(c, "requestState"), *error;
    unsigned char mac[32], differs = 0;
    size_t n = 0, size = 0;
    int status;
    if (!v) return true;
    const char *text = mcp__json_type(v) == MCP_STRING ? mcp__json_text(v, &n) : NULL;
    char *copy = text ? mcp__arena_json(&c->arena, text, n) : NULL;
    if (!copy || mcp__base64_decode(copy, copy, n, &size) != MCP_OK || size < 34) return false;
    mcp__str state = { copy + 32, size - 32 };
    if (!mcp__state_mac(c, state, mac)) return false;
    for (int i = 0; i < 32; i++) differs |= mac[i] ^ (unsigned char)copy[i]; /* no early end */
    if (differs) return false;
    char *json = mcp__arena_json(&c->arena, state.s, state.n);
    if (!json || !mcp__json_check(json, 1024, NULL, &error, &status)) return false;
    mcp__num until;
    int64_t ms = 0;
    const char *e = mcp__json_get(json, "until", 5);
    if (!e || mcp__json_num(e, &until) || mcp__num_int(&until, &ms)) return false;
    if (mcp__now(c->server) / 1000000 > ms) return false;
    mcp__state_answers(c, json);
    return true;
}

/* Seals what is known so far into b. false: it cannot be, and the call has failed. */
MCP__PRIVATE bool mcp__state_seal(mcp_call *c, mcp__buf *b) {
    mcp_writer w;
    unsigned char mac[32] = { 0 };
    mcp__buf_add(b, mac, sizeof mac); /* its place */
    mcp__writer_on(&w, b);
    mcp__put_obj(&w, NULL);
    mcp__put_int(&w, "until", mcp__now(c->server) / 1000000 + c->server->desc.ask_ms);
    mcp__put_obj(&w, "answers");
    for (const mcp__given *g = c->given; g; g = g->next)
        if (!g->bad && g->value) mcp__put_json(&w, g->key.s, g->value);
    mcp__put_end(&w);
    mcp__put_arr(&w, "asked");
    for (const mcp__question *q = c->questions; q; q = q->next)
        mcp__put_strn(&w, NULL, q->key.s, q->key.n);
    mcp__put_end(&w);
    if (c->kept) mcp__put_blob(&w, "kept", c->kept, c->kept_n);
    mcp__put_end(&w);
    mcp__writer_end(&w);
    mcp__str state = { b->ptr ? b->ptr + 32 : NULL, b->len > 32 ? b->len - 32 : 0 };
    if (w.status || !b->ptr) mcp__spoil(c, w.status ? w.status : MCP_NOMEM, NULL);
    else if (!mcp__state_mac(c, state, mac)) mcp__spoil(c, MCP_MISUSE, "asking needs random bytes");
    else memcpy(b->ptr, mac, sizeof mac);
    return c->status == MCP_OK;
}

/* ---- questions ---- */

/* An answer that came without a state: to a question that the client knows, or guessed. */
MCP__PRIVATE mcp__given *mcp__given_unasked(mcp_call *c, const char *key) {
    if (!c->version->modern || mcp__param(c, "requestState")) return NULL;
    const char *came = mcp__object_of(mcp__param(c, "inputResponses"));
    mcp__str own = mcp__str_of(key);
    const char *v = mcp__json_get(came, own.s, own.n);
    if (!v) return NULL;
    own.s = mcp__arena_copy(&c->arena, own.s, own.n);
    if (!own.s) mcp__spoil(c, MCP_NOMEM, NULL);
    else mcp__give(c, own, v, MCP_OK);
    c->unsealed = true;
    return own.s ? mcp__given_of(c, own) : NULL;
}

/* Where a key stands: *g is what was given, or NULL. Not MCP_OK: the handler returns that. */
MCP__PRIVATE int mcp__ask_begin(mcp_call *c, const char *key, mcp__given **g) {
    *g = NULL;
    if (mcp__settle(c)) return c->status;
    if (!(c->row->flags & MCP__MAY_ASK) || !key || !*key)
        return mcp__spoil(c, MCP_MISUSE, "only tools, resources and prompts ask, by a key");
    if (c->version->modern && !c->state_read) {
        c->state_read = true;
        c->forged = !mcp__state_read(c);
    }
    if (mcp__settle(c)) return c->status;
    if (c->forged) return mcp__error(c, MCP_INVALID_PARAMS, "Invalid requestState"), MCP_REFUSED;
    *g = mcp__given_of(c, mcp__str_of(key));
    if (!*g) *g = mcp__given_unasked(c, key);
    if (*g && (*g)->bad) *g = NULL;
    return *g && !(*g)->value ? (*g)->status : MCP_OK;
}

/* Beside MCP_CAN_ASK: what a version has, no client says; and its form, if url stands with it. */
enum { MCP__CAN_SEVERAL = 1 << 16, MCP__CAN_FORM = 1 << 17 };

/* The client did not say that it can do that. */
MCP__PRIVATE int mcp__cannot(mcp_call *c, unsigned what) {
    c->lacks |= what;
    return MCP_UNSUPPORTED;
}

MCP__PRIVATE bool mcp__can(mcp_call *c, unsigned what) {
    bool heard = c->version->modern || !c->conn->deaf;
    return heard && (mcp__caller(c)->can & what) == what;
}

/* Its key, and behind it which time it is asked. NULL: out of memory. */
MCP__PRIVATE const char *mcp__question_name(mcp_call *c, const mcp__question *q) {
    if (!q->again) return q->key.s;
    char *name = (char *)mcp__arena_alloc(&c->arena, q->key.n + 24);
    if (!name) return NULL;
    memcpy(name, q->key.s, q->key.n);
    name[q->key.n] = '.';
    *mcp__print_int(name + q->key.n + 1, (int64_t)q->again + 1) = 0;
    return name;
}

/* Its params are what stands in the side writer. */
MCP__PRIVATE int mcp__question_add(mcp_call *c, const char *key, const char *method, bool params) {
    mcp__question **link = &c->questions;
    mcp__question *q = (mcp__question *)mcp__arena_alloc(&c->arena, sizeof *q);
    mcp__buf *b = &c->buf[MCP__JSON];
    if (params && mcp__writer_end(&c->json_w)) return mcp__spoil(c, c->json_w.status, NULL);
    if (!q) return mcp__spoil(c, MCP_NOMEM, NULL);
    q->key = mcp__str_of(mcp__arena_copy(&c->arena, key, strlen(key)));
    q->method = method;
    if (params) q->params = mcp__arena_json(&c->arena, b->ptr, b->len);
    if (!q->key.s || (params && !q->params)) return mcp__spoil(c, MCP_NOMEM, NULL);
    while (*link && !mcp__str_same((*link)->key, q->key)) link = &(*link)->next;
    if (!*link || (*link)->answered) { /* asked twice in one run is asked once */
        if (*link) q->next = (*link)->next, q->again = (*link)->again + 1;
        *link = q;
    }
    q->name = mcp__question_name(c, q);
    if (!q->name) return mcp__spoil(c, MCP_NOMEM, NULL);
    return MCP_PENDING;
}

MCP__PRIVATE mcp_writer *mcp__question_begin(mcp_call *c) {
    mcp_writer *w = mcp__side_begin(c, &c->json_w, &c->buf[MCP__JSON]);
    mcp__put_obj(w, NULL);
    return w;
}

/* ---- elicitation ---- */

/* A form is flat: texts, numbers, yes or no, choices of one or several. */
MCP__PRIVATE bool mcp__form_flat(const mcp__rule *form) {
    for (size_t i = 0; i < form->members; i++) {
        const mcp__rule *m = &form->member[i];
        if (m->schema.n) continue; /* the author's word */
        bool several = m->type == MCP_ARRAY && m->item->type == MCP_STRING && m->item->choices;
        if (m->type > MCP_ARRAY || m->type == MCP_OBJECT ||
            (m->type == MCP_ARRAY && !several)) return false;
    }
    return true;
}

MCP__PRIVATE bool mcp__form_has_several(const mcp__rule *form) {
    for (size_t i = 0; i < form->members; i++)
        if (form->member[i].type == MCP_ARRAY) return true;
    return false;
}

/* "oneOf":[{"const":"eu","title":"Frankfurt"}], or as the version has it. */
MCP__PRIVATE void mcp__put_titled(mcp_writer *w, const char *key, const mcp__rule *r) {
    mcp__put_arr(w, key);
    for (size_t i = 0; i < r->choices; i++) {
        const mcp__choice *x = &r->choice[i];
        mcp__put_obj(w, NULL);
        mcp__put_strn(w, "const", x->text.s, x->text.n);
        mcp__put_strn(w, "title", x->label.s, x->label.n);
        mcp__put_end(w);
    }
    mcp__put_end(w);
}

MCP__PRIVATE void mcp__put_form(mcp_writer *w, const mcp__rule *form, const mcp__version *v) {
    mcp__put_obj(w, "requestedSchema");
    mcp__put_str(w, "type", "object");
    mcp__put_obj(w, "properties");
    for (size_t i = 0; i < form->members; i++) {
        const mcp__rule *m = &form->member[i], *one = m->type == MCP_ARRAY ? m->item : m;
        bool titled = one->choices && one->choice[0].label.s && v->elicits > 1;
        if (m->schema.n) {
            mcp__put_word(w, m->name.s, m->schema.s, m->schema.n);
            continue;
        }
        mcp__put_obj(w, m->name.s);
        mcp__put_str(w, "type", mcp__type_names[m->type]);
        if (m != one) {
            if (m->row->min_items) mcp__put_int(w, "minItems", (int64_t)m->row->min_items);
            if (m->row->max_items) mcp__put_int(w, "maxItems", (int64_t)m->row->max_items);
            mcp__put_obj(w, "items");
            if (!titled) mcp__put_str(w, "type", mcp__type_names[one->type]);
        }
        if (titled) mcp__put_titled(w, m == one ? "oneOf" : "anyOf", one);
        else mcp__put_choices(w, one);
        if (m != one) mcp__put_end(w);
        else mcp__put_bounds(w, m);
        if (m->row->title) mcp__put_str(w, "title", m->row->title);
        if (m->row->desc) mcp__put_str(w, "description", m->row->desc);
        if (m->def && (v->elicits > 1 || m->type == MCP_BOOLEAN))
            mcp__put_json(w, "default", m->def);
        mcp__put_end(w);
    }
    mcp__put_end(w);
    mcp__put_required(w, form);
    mcp__put_end(w);
}

/* What was answered to a form: MCP_OK, MCP_DECLINED; MCP_PENDING: it does not fit, ask again. */
MCP__PRIVATE int mcp__judge(mcp_call *c, mcp__given *g, const mcp__rule *form) {
    const char *action = mcp__json_get(g->value, "action", 6);
    const char *content = mcp__json_get(g->value, "content", 7);
    if (mcp__json_is(action, "decline", 7) || mcp__json_is(action, "cancel", 6))
        return MCP_DECLINED;
    bool ok = mcp__json_is(action, "accept", 6);
    if (ok && form) {
        mcp__buf *why = &c->buf[MCP__NOTE];
        mcp__buf_reset(why, MCP__KEEP);
        mcp__checker x = { &c->arena, why, 0, false, false, NULL };
        if (!content) content = mcp__arena_json(&c->arena, "{}", 2);
        ok = content && mcp__check_root(&x, form, content);
        if (!content || x.exhausted) return mcp__spoil(c, MCP_NOMEM, NULL);
    }
    if (ok) return MCP_OK;
    g->bad = true;
    return MCP_PENDING;
}

MCP__PRIVATE int mcp__ask(mcp_call *c, const char *key, const char *message, const mcp_arg *rows) {
    mcp__given *g;
    mcp__buf why;
    mcp__rule *form;
    int rc = mcp__ask_begin(c, key, &g);
    if (rc) return rc;
    mcp__buf_init(&why, &c->server->mem);
    mcp__compiler x = { &c->server->desc, &c->arena, &why, "form", key };
    form = (mcp__rule *)mcp__arena_alloc(&c->arena, sizeof *form);
    bool ok = form && mcp__compile_table(&x, rows, MCP_OPEN, form);
    mcp__buf_free(&why);
    if (!ok) return mcp__spoil(c, MCP_MISUSE, "a form is not right");
    if (!mcp__form_flat(form)) return mcp__spoil(c, MCP_MISUSE, "a form may not nest");
    if (g && (rc = mcp__judge(c, g, form)) != MCP_PENDING) return rc;
    if (!c->version->elicits || !mcp__can(c, MCP_CAN_ASK)) return mcp__cannot(c, MCP_CAN_ASK);
    if (c->version->elicits < 2 && mcp__form_has_several(form))
        return mcp__cannot(c, MCP__CAN_SEVERAL);
    mcp_writer *w = mcp__question_begin(c);
    if (c->version->elicits > 1) mcp__put_str(w, "mode", "form");
    mcp__put_str(w, "message", message ? message : "");
    mcp__put_form(w, form, c->version);
    mcp__put_end(w);
    return mcp__question_add(c, key, "elicitation/create", true);
}

/* 2025-11-25: nothing can be asked on this stream, but the error can say where to go. */
MCP__PRIVATE int mcp__url_required(mcp_call *c, const char *message, const char *url) {
    char id[24];
    mcp__error(c, MCP__URL_REQUIRED, "URL elicitation required");
    mcp_writer *w = mcp__structured(c);
    *mcp__print_int(id, (int64_t)++c->server->urls) = 0;
    mcp__put_arr(w, "elicitations");
    mcp__put_obj(w, NULL);
    mcp__put_str(w, "mode", "url");
    mcp__put_str(w, "elicitationId", id);
    mcp__put_str(w, "message", message ? message : "");
    mcp__put_str(w, "url", url);
    mcp__put_end(w);
    mcp__put_end(w);
    return MCP_REFUSED;
}

MCP__PRIVATE int mcp__ask_url(mcp_call *c, const char *key, const char *message, const char *url) {
    mcp__given *g;
    char id[48] = "";
    int rc = mcp__ask_begin(c, key, &g);
    if (rc) return rc;
    if (g && (rc = mcp__judge(c, g, NULL)) != MCP_PENDING) return rc;
    if (c->version->elicits == 2 && !c->version->modern && c->conn->deaf &&
        (mcp__caller(c)->can & MCP_CAN_ASK_URL)) return mcp__url_required(c, message, url);
    if (c->version->elicits < 2 || !mcp__can(c, MCP_CAN_ASK_URL))
        return mcp__cannot(c, MCP_CAN_ASK_URL);
    mcp_writer *w = mcp__question_begin(c);
    mcp__put_str(w, "mode", "url");
    mcp__put_str(w, "message", message ? message : "");
    mcp__put_str(w, "url", url);
    if (!c->version->modern) {
        *mcp__print_int(id, (int64_t)++c->server->urls) = 0;
        mcp__put_str(w, "elicitationId", id);
    }
    mcp__put_end(w);
    rc = mcp__question_add(c, key, "elicitation/create", true);
    if (rc != MCP_PENDING || c->version->modern) return rc;
    mcp__question *q = c->questions;
    while (!mcp__str_same(q->key, mcp__str_of(key))) q = q->next;
    if (!q->url_id) q->url_id = mcp__arena_copy(&c->arena, id, strlen(id));
    return q->url_id ? rc : mcp__spoil(c, MCP_NOMEM, NULL);
}

/* ---- sampling and roots ---- */

/* A raw value of the author's, checked. false: it is none, or not of that type. */
MCP__PRIVATE bool mcp__put_own(mcp_call *c, mcp_writer *w, const char *key, const char *json,
                               mcp_type type) {
    const char *error;
    int status;
    const char *v = mcp__arena_json(&c->arena, json, strlen(json));
    if (v) v = mcp__json_space(v);
    const char *end = v ? mcp__json_check(v, 64, NULL, &error, &status) : NULL;
    if (!end || *mcp__json_space(end) || mcp__json_type(v) != type) return false;
    mcp__put_json(w, key, v);
    return true;
}

MCP__PRIVATE void mcp__put_list(mcp_writer *w, const char *key, const char *list) {
    mcp__str item = { NULL, 0 };
    mcp__put_arr(w, key);
    while (mcp__list_next(&list, &item)) mcp__put_strn(w, NULL, item.s, item.n);
    mcp__put_end(w);
}

MCP__PRIVATE void mcp__put_preferences(mcp_writer *w, const mcp_sampling *what) {
    mcp__str item = { NULL, 0 };
    const char *models = what->models;
    if (!models && !(what->cost > 0 || what->speed > 0 || what->intelligence > 0)) return;
    mcp__put_obj(w, "modelPreferences");
    if (models) mcp__put_arr(w, "hints");
    while (models && mcp__list_next(&models, &item)) {
        mcp__put_obj(w, NULL);
        mcp__put_strn(w, "name", item.s, item.n);
        mcp__put_end(w);
    }
    if (what->models) mcp__put_end(w);
    if (what->cost > 0) mcp__put_num(w, "costPriority", what->cost);
    if (what->speed > 0) mcp__put_num(w, "speedPriority", what->speed);
    if (what->intelligence > 0) mcp__put_num(w, "intelligencePriority", what->intelligence);
    mcp__put_end(w);
}

/* What the model may ask for. false: a table is wrong. */
MCP__PRIVATE bool mcp__put_sampling_tools(mcp_call *c, mcp_writer *w, const mcp_sampling *what) {
    mcp__buf why;
    bool ok = true;
    mcp__buf_init(&why, &c->server->mem);
    mcp__compiler x = { &c->server->desc, &c->arena, &why, "tool", "" };
    mcp__put_arr(w, "tools");
    for (const mcp_tool *row = what->tools; ok && row->name; row++) {
        mcp__rule *args = (mcp__rule *)mcp__arena_alloc(&c->arena, sizeof *args);
        ok = args && mcp__compile_table(&x, row->args, row->flags, args);
        if (!ok) break;
        mcp__put_obj(w, NULL);
        mcp__put_str(w, "name", row->name);
        if (row->desc) mcp__put_str(w, "description", row->desc);
        if (row->schema) ok = mcp__put_own(c, w, "inputSchema", row->schema, MCP_OBJECT);
        else mcp__put_schema(w, "inputSchema", args, false);
        mcp__put_end(w);
    }
    mcp__put_end(w);
    if (what->tool_choice) {
        mcp__put_obj(w, "toolChoice");
        mcp__put_str(w, "mode", what->tool_choice);
        mcp__put_end(w);
    }
    mcp__buf_free(&why);
    return ok;
}

MCP__PRIVATE void mcp__put_prompt_message(mcp_writer *w, const char *text) {
    mcp__put_arr(w, "messages");
    mcp__put_obj(w, NULL);
    mcp__put_str(w, "role", "user");
    mcp__put_obj(w, "content");
    mcp__put_str(w, "type", "text");
    mcp__put_str(w, "text", text);
    for (int open = 3; open; open--) mcp__put_end(w);
}

MCP__PRIVATE int mcp__sample(mcp_call *c, const char *key, const mcp_sampling *what) {
    mcp__given *g;
    unsigned needs = what->tools ? MCP_CAN_SAMPLE_TOOLS : MCP_CAN_SAMPLE;
    int rc = mcp__ask_begin(c, key, &g);
    if (rc) return rc;
    if (g && mcp__json_type(mcp__json_get(g->value, "role", 4)) == MCP_STRING &&
        mcp__json_get(g->value, "content", 7)) return MCP_OK;
    if (g) g->bad = true;
    if ((what->tools && c->version->elicits < 2) || !mcp__can(c, needs))
        return mcp__cannot(c, needs);
    mcp_writer *w = mcp__question_begin(c);
    bool ok = true;
    if (what->messages) ok = mcp__put_own(c, w, "messages", what->messages, MCP_ARRAY);
    else mcp__put_prompt_message(w, what->prompt ? what->prompt : "");
    mcp__put_preferences(w, what);
    if (what->system) mcp__put_str(w, "systemPrompt", what->system);
    if (what->context) mcp__put_str(w, "includeContext", what->context);
    if (what->temperature < 0 || what->temperature > 0)
        mcp__put_num(w, "temperature", what->temperature < 0 ? 0 : what->temperature);
    mcp__put_int(w, "maxTokens", what->max_tokens > 0 ? what->max_tokens : 1024);
    if (what->stop) mcp__put_list(w, "stopSequences", what->stop);
    if (what->metadata) ok = ok && mcp__put_own(c, w, "metadata", what->metadata, MCP_OBJECT);
    if (what->tools) ok = ok && mcp__put_sampling_tools(c, w, what);
    mcp__put_end(w);
    if (!ok) return mcp__spoil(c, MCP_MISUSE, "what is asked of a model is not right");
    return mcp__question_add(c, key, "sampling/createMessage", true);
}

MCP__PRIVATE int mcp__roots(mcp_call *c, const char *key) {
    mcp__given *g;
    int rc = mcp__ask_begin(c, key, &g);
    if (rc) return rc;
    if (g && mcp__json_type(mcp__json_get(g->value, "roots", 5)) == MCP_ARRAY) return MCP_OK;
    if (g) g->bad = true;
    if (!mcp__can(c, MCP_CAN_ROOTS)) return mcp__cannot(c, MCP_CAN_ROOTS);
    return mcp__question_add(c, key, "roots/list", false);
}

/* ---- answers ---- */
MCP__PRIVATE const char *mcp__answer_of(mcp_call *c, const char *key) {
    mcp__given *g;
    if (mcp__ask_begin(c, key, &g) || !g) return NULL;
    const char *content = mcp__json_get(g->value, "content", 7);
    const char *roots = mcp__json_get(g->value, "roots", 5);
    if (mcp__json_get(g->value, "action", 6)) return content ? content : g->value;
    return roots ? roots : g->value;
}

MCP__PRIVATE int mcp__keep(mcp_call *c, const void *bytes, size_t n) {
    mcp__given *g;
    int rc = mcp__ask_begin(c, "-", &g); /* what came is read before it is replaced */
    if (rc) return rc;
    char *copy = mcp__arena_copy(&c->arena, (const char *)bytes, n);
    if (!copy) return mcp__spoil(c, MCP_NOMEM, NULL);
    c->kept = copy;
    c->kept_n = n;
    c->keeps = true;
    return MCP_OK;
}

MCP__PRIVATE size_t mcp__kept(mcp_call *c, void *bytes, size_t n) {
    mcp__given *g;
    if (mcp__ask_begin(c, "-", &g) || !c->kept) {
        if (c->unsealed) mcp__error(c, MCP_INVALID_PARAMS, "requestState is missing");
        return 0;
    }
    if (bytes) memcpy(bytes, c->kept, mcp__min(n, c->kept_n));
    return c->kept_n;
}

/* ---- what a run that asked comes to ---- */

/* Those of one name stand together. */
static const struct { unsigned can; const char *name, *of; } mcp__needs[] = {
    { MCP_CAN_TASKS, "extensions", MCP__KEY("tasks") },
    { MCP_CAN_ASK, "elicitation", NULL }, { MCP__CAN_FORM, "elicitation", "form" },
    { MCP_CAN_ASK_URL, "elicitation", "url" },
    { MCP__CAN_SEVERAL, "elicitation", "choices of several" },
    { MCP_CAN_SAMPLE, "sampling", NULL }, { MCP_CAN_SAMPLE_TOOLS, "sampling", "tools" },
    { MCP_CAN_ROOTS, "roots", NULL } };

/* An older client is told in words. */
MCP__PRIVATE void mcp__refuse_lacks(mcp_call *c) {
    char text[180] = "This needs a client that supports ";
    for (size_t i = 0, n = 0; i < MCP__COUNT(mcp__needs); i++) {
        if (!(c->lacks & mcp__needs[i].can)) continue;
        if (n++) strcat(text, " and ");
        strcat(text, mcp__needs[i].name);
        if (mcp__needs[i].of) strcat(strcat(strcat(text, " ("), mcp__needs[i].of), ")");
    }
    if (c->shape == MCP__BLOCKS) {
        mcp__spoil(c, MCP_REFUSED, text);
        mcp__answer_blocks(c, NULL);
    } else mcp__refuse_call(c, MCP_INTERNAL_ERROR, text, NULL);
}

/* {"elicitation":{"url":{}},"roots":{}}: as the client would have declared them. */
MCP__PRIVATE void mcp__put_needs(mcp_writer *w, unsigned lacks) {
    const char *name = NULL;
    if (lacks & MCP_CAN_ASK && lacks & MCP_CAN_ASK_URL) lacks |= MCP__CAN_FORM;
    for (size_t i = 0; i < MCP__COUNT(mcp__needs); i++) {
        if (!(lacks & mcp__needs[i].can)) continue;
        if (name && strcmp(name, mcp__needs[i].name) != 0) mcp__put_end(w), name = NULL;
        if (!name) mcp__put_obj(w, name = mcp__needs[i].name);
        if (mcp__needs[i].of) mcp__put_obj(w, mcp__needs[i].of), mcp__put_end(w);
    }
    mcp__put_end(w);
}

/* The client lacks what is needed: all of it, so that it need not find out one by one. */
MCP__PRIVATE void mcp__answer_lacks(mcp_call *c) {
    if (!c->version->modern) {
        mcp__refuse_lacks(c);
        return;
    }
    mcp_writer *w = mcp__error_begin(c, MCP__MISSING_CAPABILITY,
                                     mcp__str_of("Missing required client capability"));
    mcp__put_obj(w, "data");
    mcp__put_obj(w, "requiredCapabilities");
    mcp__put_needs(w, c->lacks);
    mcp__put_end(w);
    mcp__put_end(w);
    mcp__error_end(w);
    c->conn->http_status = 400;
}

/* Its method and params; task: for an older version, whose question it is, or NULL. */
MCP__PRIVATE void mcp__put_question(mcp_writer *w, const mcp__question *q, const char *task) {
    mcp__put_str(w, "method", q->method);
    mcp__put_obj(w, "params"); /* empty ones too: Go's client misreads what has none */
    for (const char *m = mcp__json_first(q->params); m; m = mcp__json_next(m))
        mcp__put_member(w, m);
    if (task) {
        mcp__put_obj(w, "_meta");
        mcp__put_related(w, task);
        mcp__put_end(w);
    }
    mcp__put_end(w);
}

/* 2026-07-28 MRTR: the questions are the result, with the state that they come back with. */
MCP__PRIVATE void mcp__answer_questions(mcp_call *c, const mcp__buf *state) {
    mcp_writer *w = mcp__reply_begin(c);
    mcp__put_obj(w, "result");
    mcp__put_str(w, "resultType", "input_required");
    if (c->questions) mcp__put_obj(w, "inputRequests");
    for (const mcp__question *q = c->questions; q; q = q->next) {
        mcp__put_obj(w, q->key.s);
        mcp__put_question(w, q, NULL);
        mcp__put_end(w);
    }
    if (c->questions) mcp__put_end(w);
    mcp__put_blob(w, "requestState", state->ptr, state->len);
    c->has_meta = false;
    mcp__result_end(c, NULL);
}

/* Each question of c is a request to the client, on the stream of k; c waits for the answers. */
MCP__PRIVATE void mcp__send_questions(mcp_call *c, mcp_conn *k) {
    for (mcp__question *q = c->questions; q; q = q->next) {
        char id[40] = "mcp-";
        if (q->number || q->answered) continue;
        q->number = ++k->session->asked;
        *mcp__print_int(id + 4, q->number) = 0;
        mcp_writer *w = mcp__side_begin(c, &c->note_w, &c->buf[MCP__NOTE]);
        mcp__put_obj(w, NULL);
        mcp__put_str(w, "jsonrpc", "2.0");
        mcp__put_str(w, "id", id);
        mcp__put_question(w, q, c->task ? c->task->id : NULL);
        mcp__put_end(w);
        mcp__writer_end(w);
        mcp__str message = { c->buf[MCP__NOTE].ptr, c->buf[MCP__NOTE].len };
        if (w->status) mcp__spoil(c, w->status, NULL);
        else mcp__send_beside(k, message);
    }
    mcp__flush(k);
}

/* Whether a question of it is open. */
MCP__PRIVATE bool mcp__waits(const mcp_call *c) {
    const mcp__question *q = c->questions;
    while (q && q->answered) q = q->next;
    return q != NULL;
}

enum { MCP__ROUNDS = 256 }; /* that one call may ask: what does not fit is asked again */

/* The handler wants to be run again. false: there is nothing to wait for. */
MCP__PRIVATE bool mcp__pend(mcp_call *c) {
    if (!mcp__waits(c) && !c->keeps) return false;
    if (c->spilled || mcp__settle(c)) {
        mcp__spoil(c, MCP_MISUSE, "a handler asked after a part of its result was out");
        return false;
    }
    c->keeps = false;
    if (c->version->modern && !c->task) {
        mcp__buf state;
        mcp__buf_init(&state, &c->server->mem);
        bool sealed = mcp__state_seal(c, &state); /* before what the reply was is gone */
        if (sealed) mcp__answer_questions(c, &state);
        mcp__buf_free(&state);
        return sealed;
    }
    if (c->rounds++ == MCP__ROUNDS) mcp__spoil(c, MCP_LIMIT, "it was asked too often");
    else if (!c->task) mcp__send_questions(c, c->conn); /* who waits for a task sends them */
    if (c->status) return false;
    c->on_cancel = NULL; /* it was this run's, and so may be what it points to */
    int64_t wait = MCP__GRACE_NS;
    if (mcp__waits(c)) wait = c->server->desc.ask_ms * 1000000;
    mcp__park(c, mcp__now(c->server) + wait);
    return true;
}

/* {"method":"notifications/cancelled"} for what nobody waits for any more. */
MCP__PRIVATE void mcp__withdraw(mcp_call *c) {
    for (const mcp__question *q = c->questions; q; q = q->next) {
        char id[40] = "mcp-";
        if (!q->number || q->answered) continue;
        *mcp__print_int(id + 4, q->number) = 0;
        mcp__put_str(mcp__note_begin(c, "notifications/cancelled"), "requestId", id);
        mcp__note_end(c);
    }
}

/* 2025-11-25: what was asked out of band has had its effect. */
MCP__PRIVATE void mcp__ask_over(mcp_call *c) {
    for (const mcp__question *q = c->questions; q; q = q->next) {
        const mcp__given *g = q->url_id ? mcp__given_of(c, q->key) : NULL;
        if (!g || !mcp__json_is(mcp__json_get(g->value, "action", 6), "accept", 6)) continue;
        mcp__put_str(mcp__note_begin(c, "notifications/elicitation/complete"), "elicitationId",
                     q->url_id);
        mcp__note_end(c);
    }
}

/* They were not given in time. */
MCP__PRIVATE void mcp__ask_late(mcp_call *c) {
    mcp__withdraw(c);
    for (mcp__question *q = c->questions; q; q = q->next)
        if (!q->answered) mcp__give(c, q->key, NULL, MCP_CANCELLED), q->answered = true;
}

/* The number in one of our ids; 0: it is none. */
MCP__PRIVATE unsigned mcp__ask_number(const char *id) {
    size_t n = 0;
    const char *s = mcp__json_text(id, &n);
    unsigned number = 0;
    if (!s || n < 5 || n > 13 || memcmp(s, "mcp-", 4) != 0 || s[4] == '0') return 0;
    for (size_t i = 4; i < n; i++) {
        if (!mcp__is_digit(s[i])) return 0;
        number = number * 10 + (unsigned)(s[i] - '0');
    }
    return number;
}

/* The question of that number which a call open on k has asked this session; *c: that call. */
MCP__PRIVATE mcp__question *mcp__question_of(const mcp_conn *k, const mcp__session *session,
                                             unsigned number, mcp_call **c) {
    for (*c = k->open; *c; *c = (*c)->next) {
        if (!(*c)->parked || ((*c)->task && (*c)->task->session != session)) continue;
        for (mcp__question *q = (*c)->questions; q; q = q->next)
            if (q->number == number) return q;
    }
    return NULL;
}

/* A response of an older client's: the call whose questions are all answered by now, or NULL. */
MCP__PRIVATE mcp_call *mcp__ask_response(const mcp_conn *k, const mcp__top *top) {
    const char *id = top->member[MCP__ID], *result = top->member[MCP__RESULT];
    const char *code = mcp__json_get(top->member[MCP__ERROR], "code", 4);
    unsigned number = mcp__json_type(id) == MCP_STRING ? mcp__ask_number(id) : 0;
    mcp__question *q = NULL;
    mcp_call *c = NULL;
    for (const mcp_conn *x = k->session->streams; number && x && !q; x = x->beside)
        q = mcp__question_of(x, k->session, number, &c);
    if (number && !q) q = mcp__question_of(&k->server->later, k->session, number, &c);
    if (!q || q->answered) return NULL;
    q->answered = true;
    mcp__str token = mcp__token(result ? result : "null");
    char *copy = result ? mcp__arena_json(&c->arena, token.s, token.n) : NULL;
    bool rejected = code && mcp__str_same(mcp__token(code), mcp__str_of("-1"));
    if (result && !copy) mcp__spoil(c, MCP_NOMEM, NULL);
    else mcp__give(c, q->key, copy, copy ? MCP_OK : rejected ? MCP_DECLINED : MCP_REFUSED);
    return mcp__waits(c) ? NULL : c;
}

static const mcp__asking mcp__asks = { mcp__pend, mcp__answer_lacks, mcp__ask_over, mcp__withdraw,
                                       mcp__ask_late, mcp__ask_response };

/* ---- >>tasks -----------------------------------------------------------------------------------
   Calls that outlive their request. It is answered with a handle; the call goes on at a connection
   of the server's own, where its answer is kept until somebody asks for it. 2025-11-25 has tasks in
   its core, where the client asks for one; 2026-07-28 as an extension, where the server makes one
   when a handler defers. One store serves both. What a task is at is read off its call, so that
   nothing is known twice; whoever waits for it runs again when it moves, and looks. */

#ifdef MCP_TOOLS_ONLY
MCP__INLINE bool mcp__task_demand(mcp_call *c) { return (void)c, true; }
MCP__INLINE void mcp__task_deferred(mcp_call *c) { (void)c; }
MCP__INLINE void mcp__task_moved(mcp_call *c) { (void)c; }
MCP__INLINE void mcp__task_ended(mcp_call *c) { (void)c; }
MCP__INLINE void mcp__tasks_expire(mcp_server *s, bool room) { (void)s, (void)room; }
MCP__INLINE void mcp__tasks_forget(mcp_server *s, const mcp__session *x) { (void)s, (void)x; }
MCP__INLINE int64_t mcp__tasks_due(const mcp_server *s) { return (void)s, INT64_MAX; }
MCP__INLINE void mcp__tasks_free(mcp_server *s) { (void)s; }
MCP__INLINE bool mcp__listen_tasks(mcp_call *c, const char *ids) {
    return (void)c, (void)ids, true;
}
MCP__INLINE void mcp__put_task_notice(mcp_writer *w, mcp_server *s, const char *id) {
    (void)w, (void)s, (void)id;
}
MCP__INLINE mcp__task *mcp__task_of(mcp_server *s, const char *id) {
    return (void)s, (void)id, (mcp__task *)NULL;
}
#else

enum { MCP__POLL_MS = 500 }; /* between two looks at a task */

MCP__PRIVATE bool mcp__task_over(const mcp__task *t) { return t->cancelled || !t->call; }
MCP__PRIVATE bool mcp__task_asks(const mcp__task *t) {
    return !mcp__task_over(t) && t->call->parked && mcp__waits(t->call);
}

/* It is over, asks, or goes on: who waits for it looks again, who listens is told. */
MCP__PRIVATE void mcp__task_changed(mcp_server *s, mcp__task *t) {
    mcp__task_touch(s, t);
    for (mcp_conn *k = s->conns; k; k = k->next)
        for (mcp_call *c = k->open, *next; c; c = next) {
            next = c->next;
            if (c->awaits != t || !c->parked) continue;
            c->awaits = NULL;
            mcp__resume(c);
        }
}

/* After a run that did not end the call. */
MCP__PRIVATE void mcp__task_moved(mcp_call *c) {
    if (c->task) mcp__task_changed(c->server, c->task);
}

/* With the call: what it was answered is there, or never will be. 2025-11-25 tasks: a tool's
   failure is the task's; the extension: only an error is. */
MCP__PRIVATE void mcp__task_ended(mcp_call *c) {
    mcp__task *t = c->task;
    if (!t) return;
    t->failed = !t->answer || c->fate == MCP__REFUSED ||
                (c->fate == MCP__FAILED && c->version->tasks == 1);
    t->call = NULL;
    mcp__task_changed(c->server, t);
}

/* ---- the store ---- */

/* What still runs is cancelled, and sends nothing. */
MCP__PRIVATE void mcp__task_free(mcp_server *s, mcp__task *t) {
    mcp__task **link = &s->tasks;
    mcp_call *c = t->call;
    while (*link != t) link = &(*link)->next;
    *link = t->next;
    s->task_count--;
    t->call = NULL;
    mcp__task_changed(s, t); /* for the last time: it is not found any more */
    mcp__arena_reset(&t->arena, 0);
    mcp__realloc(&s->mem, t, sizeof *t + strlen(t->principal), 0);
    if (!c) return;
    c->task = NULL;
    s->later.to_tell = true;
    mcp__cancel_call(c);
}

MCP__PRIVATE int64_t mcp__task_due(const mcp__task *t) {
    return t->ttl_ms < INT64_MAX - t->created_ms ? t->created_ms + t->ttl_ms : INT64_MAX;
}

/* Those whose time is up go; to make room, the oldest that is over does. */
MCP__PRIVATE void mcp__tasks_expire(mcp_server *s, bool room) {
    mcp__task *oldest = NULL;
    int64_t now = s->tasks ? mcp__now(s) / 1000000 : 0;
    for (mcp__task *t = s->tasks, *next; t; t = next) {
        next = t->next;
        if (now >= mcp__task_due(t)) mcp__task_free(s, t);
        else if (mcp__task_over(t)) oldest = t;
    }
    if (room && s->task_count >= s->desc.limits.tasks && oldest) mcp__task_free(s, oldest);
}

/* When the next one's time is up, in nanoseconds since the Unix epoch. */
MCP__PRIVATE int64_t mcp__tasks_due(const mcp_server *s) {
    int64_t due = INT64_MAX / 1000000;
    for (const mcp__task *t = s->tasks; t; t = t->next)
        if (mcp__task_due(t) < due) due = mcp__task_due(t);
    return due * 1000000;
}

MCP__PRIVATE void mcp__tasks_free(mcp_server *s) {
    while (s->tasks) mcp__task_free(s, s->tasks);
}

/* This session is over. */
MCP__PRIVATE void mcp__tasks_forget(mcp_server *s, const mcp__session *x) {
    for (mcp__task *t = s->tasks; t; t = t->next)
        if (t->session == x) t->session = NULL;
}

/* What the client wants, but no longer than the tool's row has it. */
MCP__PRIVATE int64_t mcp__task_ttl(const mcp_call *c) {
    int64_t most = c->tool->row->task_ttl_ms ? c->tool->row->task_ttl_ms : 3600 * 1000, ms;
    const char *wanted = mcp__json_get(mcp__param(c, "task"), "ttl", 3);
    mcp__num n;
    if (c->version->tasks != 1 || !wanted || mcp__json_num(wanted, &n) != MCP_OK ||
        mcp__num_int(&n, &ms) != MCP_OK || ms < 0) return most;
    return ms < most ? ms : most;
}

/* Its id is all that a client needs in order to ask for it: nobody can guess one. */
MCP__PRIVATE bool mcp__task_name(mcp_server *s, char *out) {
    unsigned char bytes[16];
    const mcp_random_hook *random = &s->desc.random;
    if (!random->func || random->func(random->user, bytes, sizeof bytes)) return false;
    memcpy(out, "task-", 5);
    for (size_t i = 0; i < sizeof bytes; i++) {
        out[5 + 2 * i] = mcp__hex[bytes[i] >> 4];
        out[6 + 2 * i] = mcp__hex[bytes[i] & 15];
    }
    return true;
}

/* NULL: there is no room, no memory, or nothing to make an id of. */
MCP__PRIVATE mcp__task *mcp__task_new(mcp_call *c) {
    mcp_server *s = c->server;
    const char *principal = mcp__principal(c->conn);
    size_t size = sizeof(mcp__task) + strlen(principal);
    mcp__tasks_expire(s, true);
    if (s->task_count >= s->desc.limits.tasks) return NULL;
    mcp__task *t = (mcp__task *)mcp__realloc(&s->mem, NULL, 0, size);
    if (!t) return NULL;
    memset(t, 0, size);
    memcpy(t->principal, principal, strlen(principal));
    if (!mcp__task_name(s, t->id)) {
        mcp__realloc(&s->mem, t, size, 0);
        return NULL;
    }
    mcp__arena_init(&t->arena, &s->mem);
    t->call = c;
    t->version = c->version;
    t->session = c->version->modern ? NULL : c->conn->session;
    t->created_ms = t->updated_ms = mcp__now(s) / 1000000;
    t->ttl_ms = mcp__task_ttl(c);
    t->next = s->tasks;
    s->tasks = t;
    s->task_count++;
    return t;
}

/* ---- what is told of it ---- */

MCP__PRIVATE void mcp__put_time(mcp_writer *w, const char *key, int64_t ms) {
    char text[] = "0000-00-00T00:00:00.000Z";
    int part[6];
    mcp__civil(ms / 1000, part);
    mcp__digits(text, 4, part[0]);
    for (int i = 1; i < 6; i++) mcp__digits(text + 2 + 3 * i, 2, part[i]);
    mcp__digits(text + 20, 3, (int)(ms % 1000));
    mcp__put_str(w, key, text);
}

MCP__PRIVATE void mcp__put_task(mcp_writer *w, const mcp__task *t) {
    bool core = t->version->tasks == 1;
    mcp__put_str(w, "taskId", t->id);
    mcp__put_str(w, "status", t->cancelled ? "cancelled" : mcp__task_asks(t) ? "input_required"
                 : t->call ? "working" : t->failed ? "failed" : "completed");
    if (t->message[0]) mcp__put_str(w, "statusMessage", t->message);
    mcp__put_time(w, "createdAt", t->created_ms);
    mcp__put_time(w, "lastUpdatedAt", t->updated_ms);
    mcp__put_int(w, core ? "ttl" : "ttlMs", t->ttl_ms);
    mcp__put_int(w, core ? "pollInterval" : "pollIntervalMs", MCP__POLL_MS);
}

/* An error where there was no memory for any other. */
MCP__PRIVATE void mcp__put_task_error(mcp_writer *w, const mcp__task *t) {
    const char *error = mcp__json_get(t->answer, "error", 5);
    if (error) {
        mcp__put_json(w, "error", error);
        return;
    }
    mcp__put_obj(w, "error");
    mcp__put_int(w, "code", MCP_INTERNAL_ERROR);
    mcp__put_str(w, "message", t->cancelled ? "The task was cancelled" : "Internal error");
    mcp__put_end(w);
}

/* The extension's: with what it asks, or what came of it. */
MCP__PRIVATE void mcp__put_task_whole(mcp_writer *w, const mcp__task *t) {
    mcp__put_task(w, t);
    if (mcp__task_asks(t)) {
        mcp__put_obj(w, "inputRequests");
        for (const mcp__question *q = t->call->questions; q; q = q->next) {
            if (q->answered) continue;
            mcp__put_obj(w, q->name);
            mcp__put_question(w, q, NULL);
            mcp__put_end(w);
        }
        mcp__put_end(w);
    } else if (mcp__task_over(t) && !t->cancelled) {
        if (t->failed) mcp__put_task_error(w, t);
        else mcp__put_json(w, "result", mcp__json_get(t->answer, "result", 6));
    }
}

MCP__PRIVATE mcp__task *mcp__task_of(mcp_server *s, const char *id) {
    mcp__task *t = s->tasks;
    while (t && strcmp(t->id, id) != 0) t = t->next;
    return t;
}

/* params of notifications/tasks, but for their _meta. */
MCP__PRIVATE void mcp__put_task_notice(mcp_writer *w, mcp_server *s, const char *id) {
    const mcp__task *t = mcp__task_of(s, id);
    if (t) mcp__put_task_whole(w, t);
}

/* ---- from a call to a task ---- */

/* The handle, in place of a result; what the handler has written stays where it is. */
MCP__PRIVATE bool mcp__task_tell(mcp_call *c, const mcp__task *t) {
    mcp_writer *w = mcp__side_begin(c, &c->note_w, &c->buf[MCP__NOTE]);
    mcp__str id = mcp__token(c->id);
    mcp__put_obj(w, NULL);
    mcp__put_str(w, "jsonrpc", "2.0");
    mcp__put_word(w, "id", id.s, id.n);
    mcp__put_obj(w, "result");
    if (t->version->tasks == 1) {
        mcp__put_obj(w, "task");
        mcp__put_task(w, t);
    } else {
        mcp__put_str(w, "resultType", "task");
        mcp__put_task(w, t);
        mcp__put_obj(w, "_meta");
        mcp__put_server(w, mcp__key_server, &c->server->desc, c->version);
    }
    for (int open = 3; open; open--) mcp__put_end(w);
    if (mcp__writer_end(w)) return false;
    mcp__str message = { c->buf[MCP__NOTE].ptr, c->buf[MCP__NOTE].len };
    mcp__send(c->conn, NULL, &message, 1);
    mcp__flush(c->conn);
    return true;
}

/* It goes on without its request. false: it does not. */
MCP__PRIVATE bool mcp__task_begin(mcp_call *c) {
    mcp__caller(c); /* while its connection can tell */
    mcp__task *t = mcp__settle(c) ? NULL : mcp__task_new(c);
    if (!t) return false;
    if (!mcp__task_tell(c, t)) {
        t->call = NULL;
        mcp__task_free(c->server, t);
        return false;
    }
    c->task = t;
    c->conn = &c->server->later;
    if (c->version->modern) c->progress = NULL, c->log_level = 0; /* the extension has neither */
    return true;
}

MCP__PRIVATE bool mcp__knows_tasks(mcp_call *c) {
    return (mcp__caller(c)->can & MCP_CAN_TASKS) != 0;
}

/* 2026-07-28: the client does not say that it knows tasks. */
MCP__PRIVATE void mcp__task_unknown(mcp_call *c) {
    c->lacks = MCP_CAN_TASKS;
    mcp__answer_lacks(c);
}

/* What a tool's row says about tasks, before its handler runs. false: it is answered. */
MCP__PRIVATE bool mcp__task_demand(mcp_call *c) {
    const char *wanted = mcp__param(c, "task");
    const int task = c->tool->row->task;
    if (c->task || !c->table->tasks || !c->version->tasks) return true;
    if (c->version->tasks == 2) {
        if (task != MCP_TASK_REQUIRED || mcp__knows_tasks(c)) return true;
        mcp__task_unknown(c);
        return false;
    }
    if (!wanted && task != MCP_TASK_REQUIRED) return true;
    if (!wanted) mcp__refuse_call(c, MCP__METHOD_NOT_FOUND, "This tool runs as a task only", NULL);
    else if (!task)
        mcp__refuse_call(c, MCP__METHOD_NOT_FOUND, "This tool does not run as a task", NULL);
    else if (mcp__json_type(wanted) != MCP_OBJECT)
        mcp__refuse_call(c, MCP_INVALID_PARAMS, MCP__INVALID, NULL);
    else if (mcp__task_begin(c)) return true;
    else mcp__refuse_call(c, MCP_INTERNAL_ERROR, "Too many tasks", NULL);
    return false;
}

/* Its handler deferred. */
MCP__PRIVATE void mcp__task_deferred(mcp_call *c) {
    if (c->tool && c->tool->row->task && c->version->tasks == 2 && !c->task &&
        mcp__knows_tasks(c)) mcp__task_begin(c);
}

/* ---- its methods ---- */

MCP__PRIVATE bool mcp__task_is_of(const mcp__task *t, const mcp_call *c) {
    const char *principal = mcp__principal(c->conn);
    return t->version->tasks == c->version->tasks && strcmp(t->principal, principal) == 0;
}

/* The task of that id, if it is this client's; NULL: it is answered. */
MCP__PRIVATE mcp__task *mcp__task_find(mcp_call *c, const char *id) {
    if (c->version->tasks == 2 && !mcp__knows_tasks(c))
        return mcp__task_unknown(c), (mcp__task *)NULL;
    mcp__tasks_expire(c->server, false);
    for (mcp__task *t = c->server->tasks; t; t = t->next)
        if (mcp__json_is(id, t->id, strlen(t->id)) && mcp__task_is_of(t, c)) return t;
    return mcp__refuse_call(c, MCP_INVALID_PARAMS, "Unknown task", NULL), (mcp__task *)NULL;
}

MCP__PRIVATE mcp__task *mcp__task_param(mcp_call *c) {
    return mcp__task_find(c, mcp__param(c, "taskId"));
}

MCP__PRIVATE void mcp__tasks_get(mcp_call *c) {
    const mcp__task *t = mcp__task_param(c);
    if (!t) return;
    mcp_writer *w = mcp__result_begin(c);
    if (c->version->tasks == 1) mcp__put_task(w, t);
    else mcp__put_task_whole(w, t);
    mcp__result_end(c, NULL);
}

/* Cancelling is a request; what a handler makes of it, nobody hears. */
MCP__PRIVATE void mcp__tasks_cancel(mcp_call *c) {
    mcp__task *t = mcp__task_param(c);
    if (!t) return;
    bool core = c->version->tasks == 1, over = mcp__task_over(t);
    if (over && core) {
        mcp__refuse_call(c, MCP_INVALID_PARAMS, "The task is over", NULL);
        return;
    }
    if (!over) {
        t->cancelled = true;
        c->server->later.to_tell = true; /* what waits there can go */
        mcp__task_changed(c->server, t);
        mcp__cancel_call(t->call);
    }
    mcp_writer *w = mcp__result_begin(c);
    if (core) mcp__put_task(w, t);
    mcp__result_end(c, NULL);
}

/* Answers to what a task asked; others are ignored. */
MCP__PRIVATE void mcp__tasks_update(mcp_call *c) {
    mcp__task *t = mcp__task_param(c);
    const char *came = mcp__param(c, "inputResponses");
    if (!t) return;
    if (mcp__json_type(came) != MCP_OBJECT) {
        mcp__refuse_call(c, MCP_INVALID_PARAMS, MCP__INVALID, NULL);
        return;
    }
    mcp_call *asks = mcp__task_asks(t) ? t->call : NULL;
    bool answered = false;
    for (mcp__question *q = asks ? asks->questions : NULL; q; q = q->next) {
        const char *v = mcp__json_get(came, q->name, strlen(q->name));
        if (!v || q->answered) continue;
        mcp__str token = mcp__token(v);
        char *copy = mcp__arena_json(&asks->arena, token.s, token.n);
        if (!copy) {
            mcp__spoil(c, MCP_NOMEM, NULL);
            return;
        }
        q->answered = answered = true;
        mcp__give(asks, q->key, copy, MCP_OK);
    }
    if (answered && !mcp__waits(asks)) mcp__resume(asks);
    if (answered) mcp__task_changed(c->server, t);
    mcp__result_begin(c);
    mcp__result_end(c, NULL);
}

/* What the call would have been answered, with whose it is. */
MCP__PRIVATE void mcp__task_result(mcp_call *c, const mcp__task *t) {
    const char *result = t->cancelled ? NULL : mcp__json_get(t->answer, "result", 6);
    if (!result) {
        mcp_writer *w = mcp__reply_begin(c);
        mcp__put_task_error(w, t);
        mcp__put_end(w);
        c->fate = MCP__REFUSED;
        c->code = MCP_INTERNAL_ERROR;
        return;
    }
    mcp_writer *w = mcp__result_begin(c), *meta = mcp__result_meta(c);
    const char *own = mcp__json_get(result, "_meta", 5);
    for (const char *m = mcp__json_first(own); m; m = mcp__json_next(m)) mcp__put_member(meta, m);
    mcp__put_related(meta, t->id);
    mcp__writer_end(meta);
    for (const char *m = mcp__json_first(result); m; m = mcp__json_next(m))
        if (m != own) mcp__put_member(w, m);
    mcp__result_end(c, NULL);
}

MCP__PRIVATE void mcp__wait_nothing(mcp_call *c) { (void)c; }
static const mcp__asking mcp__task_waits = { NULL, NULL, mcp__wait_nothing, mcp__wait_nothing,
                                             mcp__wait_nothing, NULL };

/* 2025-11-25: blocks until the task is over; what it asks meanwhile goes out on this stream. */
MCP__PRIVATE void mcp__tasks_result(mcp_call *c) {
    mcp__task *t = mcp__task_param(c);
    if (!t) return;
    if (mcp__task_over(t)) {
        mcp__task_result(c, t);
        return;
    }
    if (mcp__task_asks(t)) {
        if (!c->asking) /* a new stream: the one of before may be gone */
            for (mcp__question *q = t->call->questions; q; q = q->next) q->number = 0;
        mcp__send_questions(t->call, c->conn);
    }
    c->awaits = t;
    c->asking = &mcp__task_waits;
    mcp__park(c, INT64_MAX);
}

MCP__PRIVATE void mcp__task_rows(mcp_call *c) {
    for (const mcp__task *t = c->server->tasks; t; t = t->next) {
        if (!mcp__task_is_of(t, c) || !(t->principal[0] || t->session == c->conn->session) ||
            !mcp__page_takes(c, t->id, strlen(t->id))) continue;
        mcp__put_obj(&c->w, NULL);
        mcp__put_task(&c->w, t);
        mcp__put_end(&c->w);
    }
}

/* ---- 2026-07-28: subscriptions/listen ---- */

/* Which of these it may hear of. false: it is answered. */
MCP__PRIVATE bool mcp__listen_tasks(mcp_call *c, const char *ids) {
    size_t room = c->server->desc.limits.subscriptions;
    if (!ids || !c->server->table[MCP__TOOL]->tasks) return true;
    if (!mcp__knows_tasks(c)) return mcp__task_unknown(c), false;
    mcp__tasks_expire(c->server, false);
    for (const char *v = mcp__json_first(ids); v; v = mcp__json_next(v)) {
        for (const mcp__task *t = c->server->tasks; t; t = t->next) {
            if (!mcp__json_is(v, t->id, strlen(t->id)) || !mcp__task_is_of(t, c)) continue;
            mcp__heard *h = (mcp__heard *)mcp__arena_alloc(&c->arena, sizeof *h);
            const char *id = mcp__arena_copy(&c->arena, t->id, strlen(t->id));
            if (!h || !id) return mcp__spoil(c, MCP_NOMEM, NULL), false;
            h->id = id;
            h->dirty = true; /* it is told at once what it is at */
            h->next = c->heard;
            c->heard = h;
        }
        if (!room--) break;
    }
    return true;
}
#endif

/* ---- >>changes ---------------------------------------------------------------------------------
   What peers want to hear of and are told. A change only marks what is to be told; telling happens
   when no handler runs and a write would not wait. So a resource that is touched a thousand times
   before that is told once, and a peer that does not read costs no memory and no time. The older
   versions subscribe for a connection, 2026-07-28 for as long as a subscriptions/listen is open;
   there every message carries the id of that request. */

/* The chain in which all that is subscribed to this URI stands, however it is written (Fowler,
   Noll, Vo: FNV-1a). */
MCP__PRIVATE mcp__subscription **mcp__chain(mcp_server *s, mcp__str uri) {
    uint32_t hash = 2166136261u;
    for (int c; (c = mcp__uri_next(&uri)) >= 0;) hash = (hash ^ (uint32_t)c) * 16777619u;
    return &s->watched[hash % MCP__COUNT(s->watched)];
}

MCP__PRIVATE bool mcp__subscribes(const mcp__subscription *x, mcp__str uri) {
    const mcp__str own = { x->uri, x->n };
    return mcp__uri_same(own, uri);
}

/* The link to that of this list in its chain, written so, or the one at the end. */
MCP__PRIVATE mcp__subscription **mcp__subscription_at(mcp_server *s, mcp__subscription **list,
                                                      mcp__str uri) {
    mcp__subscription **link = mcp__chain(s, uri);
    for (mcp__subscription *x; (x = *link) != NULL; link = &x->other)
        if (x->list == list && x->n == uri.n && !memcmp(x->uri, uri.s, uri.n)) break;
    return link;
}

/* Whether anybody on this server wants to hear of it. */
MCP__PRIVATE bool mcp__is_watched(mcp_server *s, mcp__str uri) {
    const mcp__subscription *x = *mcp__chain(s, uri);
    while (x && !mcp__subscribes(x, uri)) x = x->other;
    return x != NULL;
}

MCP__PRIVATE void mcp__watch(const mcp_server *s, mcp__str uri, bool watched) {
    if (s->desc.watch.func) s->desc.watch.func(s->desc.watch.user, uri.s, watched);
}

/* For a session, or with a connection for one of its calls. MCP_OK, also if it is there already;
   MCP_LIMIT, MCP_NOMEM. */
MCP__PRIVATE int mcp__subscribe(mcp__session *session, mcp_conn *k, mcp__subscription **list,
                                mcp_server *s, mcp__str uri) {
    mcp__subscription **link = mcp__subscription_at(s, list, uri);
    if (*link) return MCP_OK;
    if (session->subscriptions >= s->desc.limits.subscriptions) return MCP_LIMIT;
    bool first = s->desc.watch.func && !mcp__is_watched(s, uri);
    mcp__subscription *x =
        (mcp__subscription *)mcp__realloc(&s->mem, NULL, 0, sizeof *x + uri.n);
    if (!x) return MCP_NOMEM;
    memset(x, 0, sizeof *x);
    x->next = *list;
    x->list = list;
    x->session = session;
    x->conn = k;
    x->n = uri.n;
    memcpy(x->uri, uri.s, uri.n);
    x->uri[uri.n] = 0;
    *list = *link = x;
    session->subscriptions++;
    if (first) mcp__watch(s, uri, true);
    return MCP_OK;
}

/* The one that link leads to, which is in no list any more. */
MCP__PRIVATE void mcp__subscription_end(mcp_server *s, mcp__subscription *x) {
    mcp__str gone = { x->uri, x->n };
    mcp__subscription **link = mcp__subscription_at(s, x->list, gone);
    *link = x->other;
    x->session->subscriptions--;
    if (s->desc.watch.func && !mcp__is_watched(s, gone)) mcp__watch(s, gone, false);
    mcp__realloc(&s->mem, x, sizeof *x + x->n, 0);
}

MCP__PRIVATE void mcp__unsubscribe(mcp_server *s, mcp__subscription **list, mcp__str uri) {
    mcp__subscription *x = *mcp__subscription_at(s, list, uri), **link = list;
    if (!x) return;
    while (*link != x) link = &(*link)->next;
    *link = x->next;
    mcp__subscription_end(s, x);
}

MCP__PRIVATE void mcp__unsubscribe_all(mcp_server *s, mcp__subscription **list) {
    while (*list) {
        mcp__subscription *x = *list;
        *list = x->next;
        mcp__subscription_end(s, x);
    }
}

/* ---- marking ---- */
MCP__PRIVATE void mcp__touch(mcp_server *s, const char *text) {
    mcp__str uri = mcp__str_of(text);
    for (mcp__subscription *x = *mcp__chain(s, uri); x; x = x->other) {
        if (!mcp__subscribes(x, uri)) continue;
        mcp_conn *k = x->conn ? x->conn : x->session->listener;
        x->dirty = true;
        if (k) k->to_tell = true;
    }
}

/* Lists that a peer was told may change. */
MCP__PRIVATE void mcp__changed(mcp_server *s, unsigned lists) {
    lists &= s->desc.changes;
    for (mcp__session *x = s->sessions; x; x = x->next) {
        if (x->version && x->ready) x->dirty |= lists;
        if (x->listener) x->listener->to_tell |= x->dirty != 0;
    }
    for (mcp_conn *k = s->conns; k; k = k->next) {
        for (mcp_call *c = k->open; c; c = c->next) {
            c->dirty |= lists & c->lists;
            k->to_tell |= c->dirty != 0;
        }
    }
}

/* ---- telling ---- */
static const char *const mcp__list_methods[] = { "notifications/tools/list_changed",
                                                 "notifications/resources/list_changed",
                                                 "notifications/prompts/list_changed" };

/* One notification, made without memory but for an escaped URI; of a URI, a task or neither; id: of
   the subscription, or n 0. */
MCP__PRIVATE void mcp__tell(mcp_conn *k, const char *method, mcp__str uri, const char *task,
                            mcp__str id) {
    mcp_writer w;
    mcp__buf_reset(&k->note, MCP__KEEP);
    mcp__writer_on(&w, &k->note);
    mcp__put_obj(&w, NULL);
    mcp__put_str(&w, "jsonrpc", "2.0");
    mcp__put_str(&w, "method", method);
    if (uri.s || id.n) mcp__put_obj(&w, "params");
    if (uri.s) mcp__put_strn(&w, "uri", uri.s, uri.n);
    if (task) mcp__put_task_notice(&w, k->server, task);
    if (id.n) {
        mcp__put_obj(&w, "_meta");
        mcp__put_word(&w, mcp__key_subscription, id.s, id.n);
        mcp__put_end(&w);
    }
    if (uri.s || id.n) mcp__put_end(&w);
    mcp__put_end(&w);
    mcp__writer_end(&w);
    mcp__str message = { k->note.ptr, k->note.len };
    if (!w.status) mcp__send_beside(k, message);
    mcp__flush(k);
}

/* Whether something may be told now. */
MCP__PRIVATE bool mcp__may_tell(mcp_conn *k) {
    return !k->status && !k->spilling && (!k->ready_to_write || k->ready_to_write(k));
}

/* The marks of one peer or subscription; false: it must wait. */
MCP__PRIVATE bool mcp__tell_marks(mcp_conn *k, unsigned *dirty, mcp__subscription *list,
                                  mcp__str id) {
    const mcp__str none = { NULL, 0 };
    for (unsigned i = 0; *dirty && i < MCP__COUNT(mcp__list_methods); i++) {
        if (!(*dirty & 1u << i)) continue;
        if (!mcp__may_tell(k)) return false;
        *dirty &= ~(1u << i);
        mcp__tell(k, mcp__list_methods[i], none, NULL, id);
    }
    for (; list; list = list->next) {
        if (!list->dirty) continue;
        if (!mcp__may_tell(k)) return false;
        list->dirty = false;
        mcp__str uri = { list->uri, list->n };
        mcp__tell(k, "notifications/resources/updated", uri, NULL, id);
    }
    return true;
}

/* The tasks that one subscription names; one that is gone is told no more. */
MCP__PRIVATE bool mcp__tell_tasks(mcp_conn *k, mcp_call *c) {
    const mcp__str none = { NULL, 0 };
    for (mcp__heard *h = c->heard; h; h = h->next) {
        if (!h->dirty) continue;
        if (!mcp__may_tell(k)) return false;
        h->dirty = false;
        if (mcp__task_of(k->server, h->id))
            mcp__tell(k, "notifications/tasks", none, h->id, mcp__token(c->id));
    }
    return true;
}

MCP__PRIVATE void mcp__tell_all(mcp_conn *k) {
    const mcp__str none = { NULL, 0 };
    mcp__session *x = k->session;
    if (!k->to_tell || k->running) return;
    if (x->listener == k && !mcp__tell_marks(k, &x->dirty, x->subscribed, none)) return;
    for (mcp_call *c = k->open; c; c = c->next)
        if (!mcp__tell_marks(k, &c->dirty, c->subscribed, mcp__token(c->id)) ||
            !mcp__tell_tasks(k, c)) return;
    k->to_tell = false;
}

/* ---- 2026-07-28: subscriptions/listen ---- */
static const char *const mcp__listen_keys[] = { "toolsListChanged", "resourcesListChanged",
                                                "promptsListChanged" };

/* false: it is answered. */
MCP__PRIVATE bool mcp__subscribe_call(mcp_call *c, mcp__subscription **list, mcp__str uri) {
    mcp__session *session = c->conn->session;
    mcp_conn *told = list == &c->subscribed ? c->conn : NULL;
    int rc = mcp__subscribe(session, told, list, c->server, uri);
    if (rc == MCP_NOMEM) mcp__spoil(c, MCP_NOMEM, NULL);
    else if (rc) mcp__refuse_call(c, MCP_INTERNAL_ERROR, "Too many subscriptions", NULL);
    return rc == MCP_OK;
}

MCP__PRIVATE bool mcp__texts_or_none(const char *v) {
    if (v && mcp__json_type(v) != MCP_ARRAY) return false;
    for (const char *item = mcp__json_first(v); item; item = mcp__json_next(item))
        if (mcp__json_type(item) != MCP_STRING) return false;
    return true;
}

/* What of the wanted lists, URIs and tasks can be honoured. false: it is answered. */
MCP__PRIVATE bool mcp__listen_read(mcp_call *c, const char *wanted) {
    const mcp_server_desc *d = &c->server->desc;
    const char *uris = mcp__json_get(wanted, "resourceSubscriptions", 21);
    const char *tasks = mcp__json_get(wanted, "taskIds", 7);
    bool ok = mcp__json_type(wanted) == MCP_OBJECT && mcp__texts_or_none(uris) &&
              mcp__texts_or_none(tasks);
    for (unsigned i = 0; ok && i < MCP__COUNT(mcp__listen_keys); i++) {
        const char *v = mcp__json_get(wanted, mcp__listen_keys[i], strlen(mcp__listen_keys[i]));
        ok = !v || mcp__json_type(v) == MCP_BOOLEAN;
        if (mcp__json_true(v)) c->lists |= 1u << i & d->changes;
    }
    size_t room = d->flags & MCP_SUBSCRIBE ? d->limits.subscriptions : 0;
    for (const char *v = mcp__json_first(uris); ok && v; v = mcp__json_next(v)) {
        mcp__str uri;
        uri.s = mcp__json_text(v, &uri.n);
        if (!(d->flags & MCP_SUBSCRIBE)) break;
        if (!room--) mcp__refuse_call(c, MCP_INTERNAL_ERROR, "Too many subscriptions", NULL);
        if (c->fate == MCP__REFUSED || !mcp__subscribe_call(c, &c->subscribed, uri)) return false;
    }
    if (!ok) mcp__refuse_call(c, MCP_INVALID_PARAMS, MCP__INVALID, NULL);
    return ok && mcp__listen_tasks(c, tasks);
}

MCP__PRIVATE void mcp__listen(mcp_call *c) {
    const char *wanted = mcp__param(c, "notifications");
    if (!mcp__listen_read(c, wanted)) {
        mcp__unsubscribe_all(c->server, &c->subscribed);
        return;
    }
    mcp_writer *w = mcp__note_begin(c, "notifications/subscriptions/acknowledged");
    mcp__put_obj(w, "notifications");
    for (unsigned i = 0; i < MCP__COUNT(mcp__listen_keys); i++)
        if (c->lists & 1u << i) mcp__put_bool(w, mcp__listen_keys[i], true);
    if (c->subscribed) {
        mcp__put_arr(w, "resourceSubscriptions");
        const char *v = mcp__json_first(mcp__json_get(wanted, "resourceSubscriptions", 21));
        for (; v; v = mcp__json_next(v)) mcp__put_json(w, NULL, v);
        mcp__put_end(w);
    }
    if (c->heard) mcp__put_arr(w, "taskIds");
    for (const mcp__heard *h = c->heard; h; h = h->next) mcp__put_str(w, NULL, h->id);
    if (c->heard) mcp__put_end(w);
    mcp__put_end(w);
    mcp__put_obj(w, "_meta");
    mcp__put_word(w, mcp__key_subscription, mcp__token(c->id).s, mcp__token(c->id).n);
    mcp__put_end(w);
    if (c->heard) c->conn->to_tell = true;
    if (mcp__note_end(c) == MCP_OK) c->deferred = true;
    else mcp__unsubscribe_all(c->server, &c->subscribed); /* refused: it was not acknowledged */
}

/* The server ends a subscription: a last word, and the answer. 2026-07-28 patterns/cancellation
   asks for the one on stdio, patterns/subscriptions for the other; clients take the first. */
MCP__PRIVATE void mcp__listen_end(mcp_call *c) {
    mcp_writer *w = mcp__note_begin(c, "notifications/cancelled");
    mcp__str id = mcp__token(c->id);
    mcp__put_word(w, "requestId", id.s, id.n);
    mcp__put_obj(w, "_meta");
    mcp__put_word(w, mcp__key_subscription, id.s, id.n);
    mcp__put_end(w);
    mcp__note_end(c);
    mcp__result_begin(c);
    mcp__put_word(mcp__result_meta(c), mcp__key_subscription, id.s, id.n);
    mcp__writer_end(&c->meta_w);
    mcp__result_end(c, NULL);
    mcp__deliver(c);
}

/* ---- >>dispatch --------------------------------------------------------------------------------
   From a message whose envelope is right to the function that serves it. The era is decided for
   each message: a request whose _meta names a protocol version is modern and carries all it needs;
   any other belongs to the session that initialize began. Then the method table decides: unknown,
   gone, not yet there and not offered are one answer. */

/* An error whose text ends in a name that the client sent: cut, and escaped by the writer. */
MCP__PRIVATE void mcp__refuse_named(mcp_call *c, int code, const char *text, const char *name) {
    size_t n = 0;
    const char *s = mcp__json_text(name, &n);
    mcp__buf_reset(&c->buf[MCP__NOTE], MCP__KEEP);
    mcp__adds(&c->buf[MCP__NOTE], text);
    if (s) mcp__add(&c->buf[MCP__NOTE], mcp__shown(s, n));
    mcp__str message = { c->buf[MCP__NOTE].ptr, c->buf[MCP__NOTE].len };
    mcp__error_end(mcp__error_begin(c, code, message));
    if (c->buf[MCP__NOTE].status) mcp__spoil(c, c->buf[MCP__NOTE].status, NULL);
}

MCP__PRIVATE void mcp__put_versions(mcp_writer *w, const char *key, unsigned served) {
    mcp__put_arr(w, key);
    for (size_t i = 0; i < MCP__COUNT(mcp__versions); i++)
        if (served & mcp__versions[i].bit) mcp__put_str(w, NULL, mcp__versions[i].name);
    mcp__put_end(w);
}

/* 2026-07-28 versioning: what is served and what was asked for. */
MCP__PRIVATE void mcp__refuse_version(mcp_call *c, const char *requested) {
    mcp_writer *w = mcp__error_begin(c, MCP__UNSUPPORTED_VERSION,
                                     mcp__str_of("Unsupported protocol version"));
    mcp__put_obj(w, "data");
    mcp__put_versions(w, "supported", c->server->desc.versions);
    if (requested) mcp__put_json(w, "requested", requested);
    mcp__put_end(w);
    mcp__error_end(w);
}

/* ---- over HTTP, what stands in headers is what stands in the body (2026-07-28) ---- */

#ifdef MCP_NO_HTTP
MCP__INLINE const char *mcp__header_of(const mcp_attr *h, const char *name, bool *twice) {
    return (void)h, (void)name, (void)twice, (const char *)NULL;
}
MCP__INLINE bool mcp__header_modern(const mcp_conn *k) { return (void)k, false; }
MCP__INLINE bool mcp__version_agrees(mcp_call *c, const char *v) { return (void)c, (void)v, true; }
MCP__INLINE bool mcp__route_headers(mcp_call *c) { return (void)c, true; }
MCP__INLINE bool mcp__headers_agree(mcp_call *c, const mcp__rule *r, const char *args) {
    return (void)c, (void)r, (void)args, true;
}
#else

/* The value of a header, or NULL; twice: it came more than once. */
MCP__PRIVATE const char *mcp__header_of(const mcp_attr *h, const char *name, bool *twice) {
    const char *value = NULL;
    if (twice) *twice = false;
    for (; h && h->key; h++) {
        if (!mcp__same_name(h->key, name)) continue;
        if (value && twice) *twice = true;
        if (!value) value = h->value;
    }
    return value;
}

static const char mcp__header_version[] = "MCP-Protocol-Version";

/* Whether the header says that this is a modern request. */
MCP__PRIVATE bool mcp__header_modern(const mcp_conn *k) {
    const char *value = mcp__header_of(k->headers, mcp__header_version, NULL);
    const mcp__version *v = value ? mcp__version_of(k->server->desc.versions, value) : NULL;
    return v && v->modern;
}

/* "Header mismatch: NAME header WHAT." */
MCP__PRIVATE bool mcp__refuse_header(mcp_call *c, const char *name, const char *what) {
    mcp__buf *b = &c->buf[MCP__NOTE];
    mcp__buf_reset(b, MCP__KEEP);
    mcp__adds(b, "Header mismatch: ");
    mcp__adds(b, name);
    mcp__adds(b, what);
    mcp__str message = { b->ptr, b->len };
    mcp__error_end(mcp__error_begin(c, MCP__HEADER_MISMATCH, message));
    if (b->status) mcp__spoil(c, b->status, NULL);
    c->conn->http_status = 400;
    return false;
}

MCP__PRIVATE bool mcp__refuse_value(mcp_call *c, const char *name, mcp__str is, mcp__str wanted) {
    mcp__buf what;
    mcp__buf_init(&what, &c->server->mem);
    mcp__adds(&what, " header '");
    mcp__add(&what, mcp__shown(is.s, is.n));
    mcp__adds(&what, "' does not match body value '");
    mcp__add(&what, mcp__shown(wanted.s, wanted.n));
    bool told = mcp__buf_add(&what, "'.", 3); /* with its NUL */
    mcp__refuse_header(c, name, told ? what.ptr : " header does not match.");
    mcp__buf_free(&what);
    return false;
}

/* Plain ASCII, or base64 of UTF-8 between =?base64? and ?=; false: neither. */
MCP__PRIVATE bool mcp__header_decode(mcp_call *c, const char *value, mcp__str *out) {
    size_t n = strlen(value);
    *out = mcp__str_of(value);
    if (n >= 11 && memcmp(value, "=?base64?", 9) == 0 && memcmp(value + n - 2, "?=", 2) == 0) {
        char *copy = mcp__arena_copy(&c->arena, value + 9, n - 11);
        if (!copy) return mcp__spoil(c, MCP_NOMEM, NULL), false;
        out->s = copy;
        return mcp__base64_decode(copy, copy, n - 11, &out->n) == MCP_OK &&
               mcp__utf8_valid(out->s, out->n) == out->n;
    }
    for (size_t i = 0; i < n; i++)
        if ((value[i] < ' ' && value[i] != '\t') || value[i] > '~') return false;
    return true;
}

/* Whether that header is there and says what this value of the body says; else it is refused. A
   value that is no text has to have no header. */
MCP__PRIVATE bool mcp__header_is(mcp_call *c, const char *name, const char *v, bool encoded) {
    if (!c->conn->headers) return true;
    bool twice, same;
    const char *value = mcp__header_of(c->conn->headers, name, &twice);
    mcp_type type = mcp__json_type(v);
    mcp__str is, wanted = { NULL, 0 };
    if (type == MCP_STRING) wanted.s = mcp__json_text(v, &wanted.n);
    else if (type == MCP_INTEGER || type == MCP_NUMBER || type == MCP_BOOLEAN)
        wanted = mcp__token(v);
    if (!value) return !wanted.s || mcp__refuse_header(c, name, " header is required.");
    if (twice) return mcp__refuse_header(c, name, " header is given twice.");
    is = mcp__str_of(value);
    if (encoded && !mcp__header_decode(c, value, &is))
        return mcp__refuse_header(c, name, " header is not a valid encoded value.");
    if (!wanted.s) return mcp__refuse_header(c, name, " header has no value in the body.");
    same = mcp__str_same(is, wanted);
    mcp__num x, y;
    if (!same && (type == MCP_INTEGER || type == MCP_NUMBER)) /* 42.0 is 42 */
        same = mcp__num_parse(is.s, is.n, &x) == MCP_OK && mcp__json_num(v, &y) == MCP_OK &&
               mcp__num_compare(&x, &y) == 0;
    return same || mcp__refuse_value(c, name, is, wanted);
}

MCP__PRIVATE bool mcp__version_agrees(mcp_call *c, const char *v) {
    return mcp__header_is(c, mcp__header_version, v, false);
}

MCP__PRIVATE bool mcp__route_headers(mcp_call *c) {
    unsigned by = c->row ? c->row->flags & (MCP__BY_NAME | MCP__BY_URI | MCP__BY_TASK) : 0;
    const char *key = by & MCP__BY_NAME ? "name" : by & MCP__BY_URI ? "uri" : "taskId";
    if (!mcp__header_is(c, "Mcp-Method", c->method, false)) return false;
    return !by || mcp__header_is(c, "Mcp-Name", mcp__param(c, key), true);
}

/* Mcp-Param-*: what a tool's rows say, however deep. */
MCP__PRIVATE bool mcp__headers_agree(mcp_call *c, const mcp__rule *r, const char *args) {
    char name[160] = "Mcp-Param-";
    for (size_t i = 0; c->conn->headers && i < r->members; i++) {
        const mcp__rule *m = &r->member[i];
        const char *v = mcp__json_get(args, m->name.s, m->name.n);
        if (m->schema.n) continue;
        if (m->type == MCP_OBJECT && !mcp__headers_agree(c, m, v)) return false;
        if (!m->row->header) continue;
        strcpy(name + 10, m->row->header);
        if (!mcp__header_is(c, name, v, true)) return false;
    }
    return true;
}
#endif

/* ---- the session of the older versions ---- */

MCP__PRIVATE void mcp__put_flag_object(mcp_writer *w, const char *key, const char *flag, bool on) {
    mcp__put_obj(w, key);
    if (flag) mcp__put_bool(w, flag, on);
    mcp__put_end(w);
}

MCP__PRIVATE bool mcp__completes(const mcp_server *s) {
    return s->table[MCP__PROMPT]->completes || s->table[MCP__RESOURCE]->completes;
}

/* Ours, and those of the desc. */
MCP__PRIVATE void mcp__put_extensions(mcp_writer *w, const mcp_server *s, const mcp__version *v,
                                      const char *more) {
    bool skills = !MCP__TOOLS_ALONE && s->table[MCP__RESOURCE]->skill_count;
    bool tasks = !MCP__TOOLS_ALONE && s->table[MCP__TOOL]->tasks && v->tasks == 2;
    bool ui = !MCP__TOOLS_ALONE && s->table[MCP__TOOL]->page_count &&
              !mcp__json_get(more, mcp__key_ui, sizeof mcp__key_ui - 1);
    if (!more && !skills && !tasks && !ui) return;
    mcp__put_obj(w, "extensions");
    if (tasks) mcp__put_flag_object(w, MCP__KEY("tasks"), NULL, false);
    if (skills) mcp__put_flag_object(w, MCP__KEY("skills"), "directoryRead", true);
    if (ui) mcp__put_flag_object(w, mcp__key_ui, NULL, false);
    for (const char *m = mcp__json_first(more); m; m = mcp__json_next(m)) mcp__put_member(w, m);
    mcp__put_end(w);
}

/* 2025-11-25: "tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}} */
MCP__PRIVATE void mcp__put_task_capability(mcp_writer *w) {
    mcp__put_obj(w, "tasks");
    mcp__put_flag_object(w, "list", NULL, false);
    mcp__put_flag_object(w, "cancel", NULL, false);
    mcp__put_obj(w, "requests");
    mcp__put_obj(w, "tools");
    mcp__put_flag_object(w, "call", NULL, false);
    for (int open = 3; open; open--) mcp__put_end(w);
}

MCP__PRIVATE void mcp__put_capabilities(mcp_writer *w, const mcp_server *s,
                                        const mcp__version *v) {
    mcp__put_obj(w, "capabilities");
    if (s->desc.flags & MCP_LOGGING) mcp__put_flag_object(w, "logging", NULL, false);
    if (!MCP__TOOLS_ALONE && v->completions && mcp__completes(s))
        mcp__put_flag_object(w, "completions", NULL, false);
    if (!MCP__TOOLS_ALONE && s->offers[MCP__PROMPT])
        mcp__put_flag_object(w, "prompts", "listChanged", s->desc.changes & MCP_PROMPTS);
    if (!MCP__TOOLS_ALONE && s->offers[MCP__RESOURCE]) {
        mcp__put_obj(w, "resources");
        mcp__put_bool(w, "subscribe", s->desc.flags & MCP_SUBSCRIBE);
        mcp__put_bool(w, "listChanged", s->desc.changes & MCP_RESOURCES);
        mcp__put_end(w);
    }
    if (s->offers[MCP__TOOL])
        mcp__put_flag_object(w, "tools", "listChanged", s->desc.changes & MCP_TOOLS);
    if (!MCP__TOOLS_ALONE && s->table[MCP__TOOL]->tasks && v->tasks == 1)
        mcp__put_task_capability(w);
    const char *more = mcp__json_get(s->capabilities.s, "extensions", 10);
    for (const char *m = mcp__json_first(s->capabilities.s); m; m = mcp__json_next(m))
        if (m == more) mcp__put_extensions(w, s, v, more);
        else if (!mcp__json_is(mcp__json_key(m), "extensions", 10)) mcp__put_member(w, m);
    if (!more) mcp__put_extensions(w, s, v, NULL);
    mcp__put_end(w);
}

MCP__PRIVATE bool mcp__filled_text(const char *v) {
    return mcp__json_type(v) == MCP_STRING && mcp__json_chars(v) > 0;
}

/* What initialize tells outlives its call. false: out of memory. */
MCP__PRIVATE bool mcp__session_keep(mcp__session *x, const char *client,
                                    const char *capabilities) {
    mcp__arena_reset(&x->arena, MCP__KEEP);
    mcp__str name = mcp__member_text(client, "name");
    mcp__str version = mcp__member_text(client, "version");
    size_t n = (size_t)(mcp__json_skip(capabilities) - capabilities);
    x->client.s = mcp__arena_copy(&x->arena, name.s, name.n);
    x->client_version.s = mcp__arena_copy(&x->arena, version.s, version.n);
    x->capabilities = mcp__arena_json(&x->arena, capabilities, n);
    if (x->client.s && x->client_version.s && x->capabilities) return true;
    x->client.s = x->client_version.s = x->capabilities = NULL;
    return false;
}

MCP__PRIVATE void mcp__initialize(mcp_call *c) {
    mcp__session *x = c->conn->session;
    const char *wanted = mcp__param(c, "protocolVersion");
    const char *can = mcp__param(c, "capabilities"), *client = mcp__param(c, "clientInfo");
    const char *title = mcp__json_get(client, "title", 5);
    if (!mcp__filled_text(wanted) || mcp__json_type(can) != MCP_OBJECT ||
        (title && !mcp__filled_text(title)) ||
        !mcp__filled_text(mcp__json_get(client, "name", 4)) ||
        !mcp__filled_text(mcp__json_get(client, "version", 7))) {
        mcp__refuse_call(c, MCP_INVALID_PARAMS, "Invalid initialize params", NULL);
        return;
    }
    const mcp__version *v = mcp__version_named(c->server->desc.versions & MCP__LEGACY, wanted);
    if (!v) v = mcp__version_latest(c->server->desc.versions);
    if (!v) {
        mcp__refuse_version(c, wanted);
        return;
    }
    if (!mcp__session_keep(x, client, can)) {
        mcp__spoil(c, MCP_NOMEM, NULL);
        return;
    }
    x->version = c->version = v;
    x->log_level = MCP_LOG_INFO; /* the specification lets the server choose until setLevel */
    mcp_writer *w = mcp__result_begin(c);
    mcp__put_str(w, "protocolVersion", v->name);
    mcp__put_capabilities(w, c->server, v);
    mcp__put_server(w, "serverInfo", &c->server->desc, v);
    if (c->server->desc.instructions && v->instructions)
        mcp__put_str(w, "instructions", c->server->desc.instructions);
    mcp__result_end(c, NULL);
}

MCP__PRIVATE void mcp__ping(mcp_call *c) {
    mcp__result_begin(c);
    mcp__result_end(c, NULL);
}

MCP__PRIVATE void mcp__set_level(mcp_call *c) {
    int level = mcp__level_of(mcp__param(c, "level"));
    if (!level) {
        mcp__refuse_call(c, MCP_INVALID_PARAMS, MCP__INVALID, NULL);
        return;
    }
    c->conn->session->log_level = level;
    mcp__ping(c);
}

MCP__PRIVATE void mcp__discover(mcp_call *c) {
    static const mcp_cache lasting = { MCP__TTL_MS, MCP_PUBLIC }; /* it depends on nobody */
    const mcp_server_desc *d = &c->server->desc;
    mcp_writer *w = mcp__result_begin(c);
    mcp__put_versions(w, "supportedVersions", d->versions);
    mcp__put_capabilities(w, c->server, c->version);
    if (d->instructions) mcp__put_str(w, "instructions", d->instructions);
    mcp__result_end(c, &lasting);
}

/* ---- lists: pages and their cursors ----
   A cursor is the base64 of where the last row stood, its name, and that of the next. A page begins
   behind the one, wherever it stands by then; if it is gone, at the other; else where it stood. */

/* The order in which a table is searched. */
MCP__PRIVATE int mcp__order_names(const mcp__str *a, const mcp__str *b) {
    int order = memcmp(a->s, b->s, mcp__min(a->n, b->n));
    return order ? order : (a->n > b->n) - (a->n < b->n);
}

/* The compiled row of that name, or NULL. */
MCP__PRIVATE const void *mcp__sorted_find(const mcp__str **sorted, size_t count, mcp__str wanted) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = mcp__order_names(sorted[middle], &wanted);
        if (!order) return sorted[middle];
        if (order < 0) low = middle + 1; else high = middle;
    }
    return NULL;
}

MCP__PRIVATE const void *mcp__table_find(const mcp__table *t, const char *name, size_t n) {
    const mcp__str wanted = { name, n };
    return mcp__sorted_find(t->sorted, t->count, wanted);
}

/* ---- pages (MCP Apps): who does not show them sees neither them nor what is for them ---- */

#ifdef MCP_TOOLS_ONLY
MCP__INLINE bool mcp__for_pages(const mcp_call *c) { return (void)c, false; }
MCP__INLINE bool mcp__offered_to(const mcp__tool *t, bool pages) {
    return (void)t, (void)pages, true;
}
#else
/* Whether this client shows pages. */
MCP__PRIVATE bool mcp__for_pages(const mcp_call *c) {
    return c->server->table[MCP__TOOL]->gated &&
           (mcp__capabilities_of(mcp__client_says(c)) & MCP_CAN_APPS) != 0;
}

MCP__PRIVATE bool mcp__offered_to(const mcp__tool *t, bool pages) {
    return pages || t->row->visibility != MCP_APP_ONLY;
}
#endif

MCP__PRIVATE void mcp__put_cursor(mcp_call *c) {
    mcp__buf *b = &c->buf[MCP__NOTE];
    const mcp__page *p = &c->page;
    char digits[48], *end = mcp__print_int(digits, (int64_t)p->last_at);
    *end++ = ':';
    end = mcp__print_int(end, (int64_t)p->last.n);
    *end++ = ':';
    mcp__buf_reset(b, MCP__KEEP);
    mcp__buf_add(b, digits, (size_t)(end - digits));
    mcp__add(b, p->last);
    if (!mcp__add(b, p->next)) mcp__spoil(c, MCP_NOMEM, NULL);
    else mcp__put_blob(&c->w, "nextCursor", b->ptr, b->len);
}

/* How many bytes of "12:" stand at s, up to nine digits; 0: no number. */
MCP__PRIVATE size_t mcp__cursor_number(const char *s, size_t n, size_t *number) {
    size_t i = 0;
    for (; i < n && i < 9 && mcp__is_digit(s[i]); i++)
        *number = *number * 10 + (size_t)(s[i] - '0');
    return i && i < n && s[i] == ':' ? i + 1 : 0;
}

/* Where the page of this cursor begins; false: we never gave it out. */
MCP__PRIVATE bool mcp__cursor_read(mcp_call *c, const char *cursor) {
    mcp__page *p = &c->page;
    size_t n = 0, size = 0;
    p->limit = c->server->desc.limits.page;
    if (!cursor || mcp__json_type(cursor) == MCP_NULL) return true;
    char *s = (char *)mcp__json_text(cursor, &n);
    if (!s || !p->limit || mcp__base64_decode(s, s, n, &size) != MCP_OK) return false;
    size_t index = mcp__cursor_number(s, size, &p->index);
    size_t names = index + mcp__cursor_number(s + index, size - index, &p->last.n);
    if (!index || names == index || !p->last.n || p->last.n >= size - names) return false;
    p->last.s = s + names;
    p->next.s = p->last.s + p->last.n;
    p->next.n = size - names - p->last.n;
    return true;
}

/* Another client may be shown another list, if it depends on what that can or on a handler. */
MCP__PRIVATE void mcp__list_end(mcp_call *c) {
    mcp_cache cache = c->server->desc.cache;
    bool gated = c->server->table[MCP__TOOL]->gated && c->row->flags & MCP__SHOWS_PAGES;
    if (gated || c->listed) cache.scope = MCP_PRIVATE;
    cache.ttl_ms = mcp__ttl(cache.ttl_ms, c->listed);
    mcp__result_end(c, &cache);
}

/* A list takes a cursor and nothing else. rows adds all that there are; it runs twice if the place
   at which to go on must be looked for first. */
MCP__PRIVATE void mcp__list(mcp_call *c, const char *key, void (*rows)(mcp_call *c)) {
    bool ok = true;
    for (const char *m = mcp__json_first(c->params); ok && m; m = mcp__json_next(m)) {
        const char *name = mcp__json_key(m);
        ok = mcp__json_is(name, "cursor", 6) || mcp__json_is(name, "_meta", 5);
    }
    if (!ok || !mcp__cursor_read(c, mcp__param(c, "cursor"))) {
        mcp__refuse_call(c, MCP_INVALID_PARAMS, MCP__INVALID, NULL);
        return;
    }
    mcp__result_begin(c);
    mcp__content_begin(c, MCP__ROWS, key);
    mcp__page *p = &c->page;
    if (p->last.s) {
        p->search = true;
        rows(c);
        p->search = false;
        p->at = 0;
    }
    rows(c);
    mcp__put_end(&c->w);
    if (p->more) mcp__put_cursor(c);
    if (c->has_meta) c->has_meta = mcp__meta_end(c, &c->meta_w, &c->buf[MCP__META]) != NULL;
    mcp__list_end(c);
    if (c->fate == MCP__REFUSED) mcp__refuse_call(c, c->code, c->error, NULL); /* .list says so */
    if (c->status && c->status != MCP_NOMEM) mcp__answer_broken(c);
}

/* ---- the rows of each list ---- */

MCP__PRIVATE void mcp__put_hints(mcp_writer *w, const mcp_tool *row, const mcp__version *v) {
    static const char *const names[] = { "readOnlyHint", "destructiveHint", "idempotentHint",
                                         "openWorldHint" };
    if (!row->hints && (!row->title || v->meta)) return;
    mcp__put_obj(w, "annotations");
    for (unsigned i = 0; i < MCP__COUNT(names); i++) {
        unsigned pair = row->hints >> (2 * i) & 3;
        if (pair) mcp__put_bool(w, names[i], pair == 1);
    }
    if (row->title) mcp__put_str(w, "title", row->title);
    mcp__put_end(w);
}

#ifdef MCP_TOOLS_ONLY
MCP__INLINE bool mcp__put_tool_ui(mcp_writer *w, const mcp__tool *t, bool named, bool pages) {
    return (void)w, (void)t, (void)named, (void)pages, false;
}
#else
/* _meta of a tool that has to do with pages: of its own for who shows them, in every version, since
   both sides have agreed on it; then what the author adds, if the version has that. false: it has
   nothing to do with them. */
MCP__PRIVATE bool mcp__put_tool_ui(mcp_writer *w, const mcp__tool *t, bool named, bool pages) {
    static const char flat[] = "ui/resourceUri"; /* the older spelling of the same */
    const mcp_tool *row = t->row;
    bool begun = pages;
    if (!row->app && !row->visibility) return false;
    if (pages) {
        mcp__put_obj(w, "_meta");
        mcp__put_obj(w, "ui");
        if (row->app) mcp__put_str(w, "resourceUri", row->app->uri);
        if (row->visibility) {
            mcp__put_arr(w, "visibility");
            mcp__put_str(w, NULL, row->visibility == MCP_APP_ONLY ? "app" : "model");
            mcp__put_end(w);
        }
        mcp__put_end(w);
    }
    for (const char *m = named ? mcp__json_first(t->meta.s) : NULL; m; m = mcp__json_next(m)) {
        if (!pages && mcp__json_is(mcp__json_key(m), flat, sizeof flat - 1)) continue;
        if (!begun) mcp__put_obj(w, "_meta");
        begun = true;
        mcp__put_member(w, m);
    }
    if (begun) mcp__put_end(w);
    return true;
}
#endif

MCP__PRIVATE void mcp__put_tool(mcp_writer *w, const mcp__tool *t, const mcp__version *v,
                                bool pages) {
    const mcp_tool *row = t->row;
    mcp__put_obj(w, NULL);
    mcp__put_str(w, "name", row->name);
    if (row->title && v->meta) mcp__put_str(w, "title", row->title);
    if (row->desc) mcp__put_str(w, "description", row->desc);
    if (t->schema.n) mcp__put_word(w, "inputSchema", t->schema.s, t->schema.n);
    else mcp__put_schema(w, "inputSchema", &t->args, false);
    mcp__put_hints(w, row, v);
    if (t->has_out && v->structured >= (t->out_object ? 1 : 2)) {
        if (t->out_schema.n)
            mcp__put_word(w, "outputSchema", t->out_schema.s, t->out_schema.n);
        else mcp__put_schema(w, "outputSchema", &t->out, true);
    }
    if (v->icons) mcp__put_icons(w, row->icons);
    if (row->task && v->tasks == 1) {
        mcp__put_obj(w, "execution");
        mcp__put_str(w, "taskSupport", row->task == MCP_TASK_REQUIRED ? "required" : "optional");
        mcp__put_end(w);
    }
    if (!mcp__put_tool_ui(w, t, v->meta, pages) && t->meta.n && v->meta)
        mcp__put_word(w, "_meta", t->meta.s, t->meta.n);
    mcp__put_end(w);
}

MCP__PRIVATE void mcp__tool_rows(mcp_call *c) {
    const mcp__table *t = c->server->table[MCP__TOOL];
    const mcp__tool *tool = (const mcp__tool *)(const void *)t->rows;
    bool pages = mcp__for_pages(c);
    for (size_t i = 0; i < t->count; i++)
        if (mcp__offered_to(&tool[i], pages) &&
            mcp__page_takes(c, tool[i].name.s, tool[i].name.n))
            mcp__put_tool(&c->w, &tool[i], c->version, pages);
}

/* Text, bytes and files say how large they are; every row says what it is. */
MCP__PRIVATE void mcp__resource_row(mcp_call *c, const mcp__resource *r, const char *key) {
    mcp_resource row = *r->row;
    if (!mcp__page_takes(c, r->uri.s, r->uri.n)) return;
    if (!row.mime) row.mime = "text/plain";
    if (row.text && !row.size) row.size = (int64_t)strlen(row.text);
    if (row.text && !row.size) row.size = MCP_ZERO;
    if (row.file && !row.size && c->server->system->file_size)
        row.size = c->server->system->file_size(row.file);
    mcp__put_obj(&c->w, NULL);
    mcp__put_resource(&c->w, key, &row, c->version);
    if (r->page && r->meta.n && !c->version->meta)
        mcp__put_json(&c->w, "_meta", r->meta.s); /* agreed on, like that of its tool */
    mcp__put_end(&c->w);
}

/* A template's .list adds what exists; the call that it runs in is the list's own. */
MCP__PRIVATE void mcp__resource_rows(mcp_call *c) {
    const mcp__table *tools = c->server->table[MCP__TOOL];
    size_t pages = mcp__for_pages(c) ? tools->page_count : 0;
    for (size_t i = 0; i < pages; i++) mcp__resource_row(c, &tools->pages[i], "uri");
    if (!c->table) c->table = c->server->table[MCP__RESOURCE], c->table->users++;
    const mcp__table *t = c->table; /* held: .list may have the server take another */
    const mcp__resource *r = (const mcp__resource *)(const void *)t->rows;
    for (size_t i = 0; i < t->count; i++) mcp__resource_row(c, &r[i], "uri");
    for (size_t i = 0; i < t->template_count; i++) {
        const mcp_resource *row = t->templates[i].row;
        if (!row->list) continue;
        c->listed = true;
        c->user = row->user;
        int rc = row->list(c);
        if (rc) mcp__spoil(c, rc < 0 ? rc : MCP_MISUSE, NULL);
    }
}

MCP__PRIVATE void mcp__template_rows(mcp_call *c) {
    const mcp__table *t = c->server->table[MCP__RESOURCE];
    for (size_t i = 0; i < t->template_count; i++)
        mcp__resource_row(c, &t->templates[i], "uriTemplate");
}

MCP__PRIVATE void mcp__put_prompt_args(mcp_writer *w, const mcp__prompt *p, const mcp__version *v) {
    if (!p->args.members) return;
    mcp__put_arr(w, "arguments");
    for (size_t i = 0; i < p->args.members; i++) {
        const mcp__rule *arg = &p->args.member[i];
        mcp__put_obj(w, NULL);
        mcp__put_strn(w, "name", arg->name.s, arg->name.n);
        if (arg->row->title && v->meta) mcp__put_str(w, "title", arg->row->title);
        if (arg->row->desc) mcp__put_str(w, "description", arg->row->desc);
        mcp__put_bool(w, "required", (arg->flags & MCP_REQUIRED) != 0);
        mcp__put_end(w);
    }
    mcp__put_end(w);
}

MCP__PRIVATE void mcp__prompt_rows(mcp_call *c) {
    const mcp__table *t = c->server->table[MCP__PROMPT];
    const mcp__prompt *p = (const mcp__prompt *)(const void *)t->rows;
    mcp_writer *w = &c->w;
    for (size_t i = 0; i < t->count; i++, p++) {
        if (!mcp__page_takes(c, p->name.s, p->name.n)) continue;
        mcp__put_obj(w, NULL);
        mcp__put_strn(w, "name", p->name.s, p->name.n);
        if (p->row->title && c->version->meta) mcp__put_str(w, "title", p->row->title);
        if (p->row->desc) mcp__put_str(w, "description", p->row->desc);
        mcp__put_prompt_args(w, p, c->version);
        if (c->version->icons) mcp__put_icons(w, p->row->icons);
        if (p->meta.n && c->version->meta) mcp__put_word(w, "_meta", p->meta.s, p->meta.n);
        mcp__put_end(w);
    }
}

MCP__PRIVATE void mcp__tools_list(mcp_call *c) { mcp__list(c, "tools", mcp__tool_rows); }
MCP__PRIVATE void mcp__resources_list(mcp_call *c) {
    mcp__list(c, "resources", mcp__resource_rows);
}
MCP__PRIVATE void mcp__templates_list(mcp_call *c) {
    mcp__list(c, "resourceTemplates", mcp__template_rows);
}
MCP__PRIVATE void mcp__prompts_list(mcp_call *c) { mcp__list(c, "prompts", mcp__prompt_rows); }
#ifndef MCP_TOOLS_ONLY
MCP__PRIVATE void mcp__tasks_list(mcp_call *c) { mcp__list(c, "tasks", mcp__task_rows); }
#endif

/* ---- arguments ---- */
static const char mcp__empty_object[MCP__PAD_BEFORE + MCP__PAD] = "\0\0\0\0\0\0\0\0{}";

/* Arguments that we write: begun on that writer, and ended in c->args. NULL: out of memory. */
MCP__PRIVATE void mcp__args_begin(mcp_call *c, mcp_writer *w) {
    mcp__buf *b = &c->buf[MCP__ARGS];
    mcp__buf_reset(b, MCP__KEEP);
    mcp__buf_add(b, mcp__empty_object, MCP__PAD_BEFORE);
    mcp__writer_on(w, b);
}

MCP__PRIVATE const char *mcp__args_end(mcp_call *c, mcp_writer *w) {
    mcp__writer_end(w);
    c->args = w->status ? NULL : mcp__buf_json(&c->buf[MCP__ARGS]);
    if (c->args) c->args += MCP__PAD_BEFORE;
    else mcp__spoil(c, MCP_NOMEM, NULL);
    return c->args;
}

/* Checks c->args against a table and fills in defaults. MCP_OK; MCP_REFUSED: buf[MCP__NOTE] says
   what does not fit, behind "Invalid arguments: "; MCP_NOMEM. */
MCP__PRIVATE int mcp__arguments(mcp_call *c, const mcp__rule *r) {
    mcp__buf *why = &c->buf[MCP__NOTE];
    mcp__buf_reset(why, MCP__KEEP);
    mcp__adds(why, "Invalid arguments: ");
    mcp__checker x = { &c->arena, why, 0, false, false, NULL };
    if (mcp__check_root(&x, r, c->args) && x.lacks) {
        mcp_writer w;
        mcp__args_begin(c, &w);
        mcp__fill(&w, NULL, r, c->args);
        if (mcp__args_end(c, &w)) x.found = mcp__match(&x, r, c->args, NULL);
    }
    c->rule = r;
    c->found = x.found;
    if (!c->args || x.exhausted || !mcp__buf_add(why, "", 1)) return mcp__spoil(c, MCP_NOMEM, NULL);
    return x.problems ? MCP_REFUSED : MCP_OK;
}

/* An object, or what stands for an empty one. */
MCP__PRIVATE const char *mcp__object_param(const char *v) {
    return v && mcp__json_type(v) != MCP_NULL ? v : mcp__empty_object + MCP__PAD_BEFORE;
}

/* All is said but the rest of a file, which leaves as its reader takes it. */
MCP__PRIVATE void mcp__pull_begin(mcp_call *c, int status) {
    c->deferred = c->pulled = true;
    c->done = false;
    c->on_cancel = NULL; /* it was the handler's, and so may be what it points to */
    c->done_status = status;
    c->server->pulled++;
}

/* What a handler returned. A call that it kept is its own until mcp_done, whatever it returned. */
MCP__PRIVATE void mcp__returned(mcp_call *c, int rc) {
    if (c->deferred && !c->done) {
        if (rc != MCP_PENDING)
            mcp__log(&c->server->desc, MCP_LOG_ERROR, MCP_MISUSE,
                     "a handler deferred, and returned something else");
        mcp__task_deferred(c);
        return;
    }
    if (c->done) rc = c->done_status; /* deferred, and done at once */
    c->deferred = false;
    if (rc == MCP_PENDING && c->asking && c->asking->pend(c)) return;
    if (rc > 0) {
        mcp__log(&c->server->desc, MCP_LOG_ERROR, MCP_MISUSE,
                 "a handler returned what is no status, or MCP_PENDING without mcp_defer");
        mcp__spoil(c, MCP_MISUSE, "its handler returned no status");
    }
    rc = rc < 0 ? rc : MCP_OK;
    if (MCP__WITH_HTTP && c->source) mcp__pull_begin(c, rc);
    else mcp__answer(c, rc);
}

/* Runs c->tool on c->args. */
MCP__PRIVATE void mcp__tool_run(mcp_call *c) {
    mcp__result_begin(c);
    mcp__content_begin(c, MCP__BLOCKS, "content");
    bool checked = !c->tool->schema.n && !(c->tool->row->flags & MCP_UNCHECKED);
    int rc = checked ? mcp__arguments(c, &c->tool->args) : MCP_OK;
    if (rc == MCP_OK) rc = c->tool->row->call(c);
    else if (rc == MCP_REFUSED) { /* SEP-1303: so that the model can correct itself */
        c->rest_status = 400;
        rc = mcp__failn(c, c->buf[MCP__NOTE].ptr, c->buf[MCP__NOTE].len - 1);
    }
    mcp__returned(c, rc);
}

MCP__PRIVATE void mcp__tools_call(mcp_call *c) {
    const char *name = mcp__param(c, "name");
    size_t n = 0;
    mcp__trace_root_attr(&c->trace, "gen_ai.operation.name", "execute_tool", 12);
    c->args = mcp__object_param(mcp__param(c, "arguments"));
    if (mcp__json_type(name) != MCP_STRING || mcp__json_type(c->args) != MCP_OBJECT) {
        mcp__refuse_call(c, MCP_INVALID_PARAMS, MCP__INVALID, NULL);
        return;
    }
    const char *text = mcp__json_text(name, &n);
    mcp__table *t = c->server->table[MCP__TOOL];
    c->tool = (const mcp__tool *)mcp__table_find(t, text, n);
    if (!c->tool || !mcp__offered_to(c->tool, c->tool->row->visibility && mcp__for_pages(c))) {
        c->tool = NULL;
        mcp__refuse_named(c, MCP_INVALID_PARAMS, "Unknown tool: ", name);
        return;
    }
    mcp__call_found(c, t, c->tool->name, c->tool->row->user, "gen_ai.tool.name");
    if (c->version->modern && !mcp__headers_agree(c, &c->tool->args, c->args)) return;
    if (!mcp__task_demand(c)) return;
    mcp__tool_run(c);
}

/* ---- prompts ---- */

/* A required argument that did not come; true: it is answered. */
MCP__PRIVATE bool mcp__prompt_lacks(mcp_call *c, const mcp__prompt *p) {
    mcp__buf *text = &c->buf[MCP__NOTE];
    const mcp__rule *arg = p->args.member, *end = arg + p->args.members;
    while (arg < end && (!(arg->flags & MCP_REQUIRED) || arg->def ||
                         mcp__json_get(c->args, arg->name.s, arg->name.n))) arg++;
    if (arg == end) return false;
    mcp__buf_reset(text, MCP__KEEP);
    mcp__adds(text, "Missing required argument: ");
    mcp__add(text, arg->name);
    if (!mcp__buf_add(text, "", 1)) mcp__spoil(c, MCP_NOMEM, NULL);
    else mcp__refuse_call(c, MCP_INVALID_PARAMS, text->ptr, NULL);
    return true;
}

MCP__PRIVATE void mcp__prompts_get(mcp_call *c) {
    const char *name = mcp__param(c, "name");
    size_t n = 0;
    c->args = mcp__object_param(mcp__param(c, "arguments"));
    if (mcp__json_type(name) != MCP_STRING || mcp__json_type(c->args) != MCP_OBJECT) {
        mcp__refuse_call(c, MCP_INVALID_PARAMS, MCP__INVALID, NULL);
        return;
    }
    const char *text = mcp__json_text(name, &n);
    mcp__table *t = c->server->table[MCP__PROMPT];
    const mcp__prompt *p = (const mcp__prompt *)mcp__table_find(t, text, n);
    if (!p) {
        mcp__refuse_named(c, MCP_INVALID_PARAMS, "Unknown prompt: ", name);
        return;
    }
    mcp__call_found(c, t, p->name, p->row->user, "gen_ai.prompt.name");
    if (mcp__prompt_lacks(c, p)) return;
    int rc = mcp__arguments(c, &p->args);
    if (rc == MCP_REFUSED) mcp__refuse_call(c, MCP_INVALID_PARAMS, c->buf[MCP__NOTE].ptr, NULL);
    if (rc != MCP_OK) return;
    mcp_writer *w = mcp__result_begin(c);
    if (p->row->desc) mcp__put_str(w, "description", p->row->desc);
    mcp__content_begin(c, MCP__MESSAGES, "messages");
    mcp__returned(c, p->row->get(c));
}

/* ---- resources ---- */

/* The values of a template's variables as an arguments object, each in the type of its row. */
MCP__PRIVATE bool mcp__template_args(mcp_call *c, const mcp__resource *r, const mcp__str *value) {
    mcp_writer w;
    mcp__num number;
    mcp__args_begin(c, &w);
    for (size_t i = 0; i < r->pattern->variables; i++) {
        const mcp__rule *rule = &r->args.member[i];
        if (!value[i].s) continue;
        bool word = rule->type != MCP_STRING && rule->type != MCP_ANY &&
                    (mcp__num_parse(value[i].s, value[i].n, &number) == MCP_OK ||
                     mcp__str_same(value[i], mcp__str_of("true")) ||
                     mcp__str_same(value[i], mcp__str_of("false")));
        if (word) mcp__put_word(&w, rule->name.s, value[i].s, value[i].n);
        else mcp__put_strn(&w, rule->name.s, value[i].s, value[i].n);
    }
    if (!mcp__args_end(c, &w)) return false;
    c->args = mcp__arena_json(&c->arena, c->args, c->buf[MCP__ARGS].len - MCP__PAD_BEFORE);
    return c->args || mcp__spoil(c, MCP_NOMEM, NULL) == MCP_OK; /* defaults want the buffer */
}

MCP__PRIVATE mcp__table *mcp__resource_table(const mcp_server *s, const mcp__resource *r) {
    return s->table[r->page ? MCP__TOOL : MCP__RESOURCE];
}

/* The row that serves a URI: the exact one, a page, or the first template that fits. */
MCP__PRIVATE const mcp__resource *mcp__resource_find(mcp_call *c, mcp__str uri) {
    mcp__table *t = c->server->table[MCP__RESOURCE], *tools = c->server->table[MCP__TOOL];
    const mcp__resource *r = (const mcp__resource *)mcp__table_find(t, uri.s, uri.n);
    if (!r)
        r = (const mcp__resource *)mcp__sorted_find(tools->sorted_pages, tools->page_count, uri);
    c->args = mcp__empty_object + MCP__PAD_BEFORE;
    if (r || !t->template_count) return r;
    mcp__str normal = mcp__uri_normal(&c->arena, uri.s, uri.n);
    if (!normal.s) return mcp__spoil(c, MCP_NOMEM, NULL), (const mcp__resource *)NULL;
    const mcp__arena before = c->arena;
    for (size_t i = 0; i < t->template_count; i++) {
        int status = MCP_OK;
        const mcp__str *value =
            mcp__template_match(t->templates[i].pattern, &c->arena, normal, &status);
        if (value) return mcp__template_args(c, &t->templates[i], value) ? &t->templates[i] : NULL;
        if (status) return mcp__spoil(c, status, NULL), (const mcp__resource *)NULL;
        c->arena.at = before.at, c->arena.used = before.used; /* the next one takes its place */
    }
    return NULL;
}

/* What a row holds by itself. */
MCP__PRIVATE int mcp__resource_static(mcp_call *c, const mcp_resource *row) {
    size_t n = row->size > 0 ? (size_t)row->size : 0;
    if (row->text) return mcp__text(c, row->text);
    if (row->bytes) return mcp__block(c, MCP_BLOB, NULL, row->bytes, n);
    if (row->file && c->server->system->file_read)
        return c->server->system->file_read(c, row->file);
    return MCP_OK;
}

MCP__PRIVATE void mcp__resources_read(mcp_call *c) {
    const char *v = mcp__param(c, "uri");
    mcp__str uri = { NULL, 0 };
    uri.s = mcp__json_text(v, &uri.n);
    if (!uri.s) {
        mcp__refuse_call(c, MCP_INVALID_PARAMS, MCP__INVALID, NULL);
        return;
    }
    mcp__trace_root_attr(&c->trace, "mcp.resource.uri", uri.s, uri.n);
    c->uri = uri.s;
    const mcp__resource *r = strlen(uri.s) == uri.n ? mcp__resource_find(c, uri) : NULL;
    if (c->status) return;
    mcp__result_begin(c);
    mcp__content_begin(c, MCP__CONTENTS, "contents");
    if (!r) {
        mcp__returned(c, mcp__not_found(c, uri.s));
        return;
    }
    const mcp_resource *row = r->row;
    mcp__call_found(c, mcp__resource_table(c->server, r), r->uri, row->user, NULL);
    c->mime = row->mime ? row->mime : "text/plain";
    if (r->page && (c->version->meta || mcp__for_pages(c))) c->ui = r->meta.s;
    c->cache = row->cache;
    if (!c->cache.scope) c->cache.scope = row->read ? MCP_PRIVATE : MCP_PUBLIC;
    c->cache.ttl_ms = mcp__ttl(c->cache.ttl_ms, row->read != NULL);
    int rc = r->pattern ? mcp__arguments(c, &r->args) : MCP_OK;
    if (rc == MCP_REFUSED) {
        mcp__refuse_call(c, MCP_INVALID_PARAMS, c->buf[MCP__NOTE].ptr, NULL);
        return;
    }
    if (rc == MCP_OK) rc = row->read ? row->read(c) : mcp__resource_static(c, row);
    mcp__returned(c, rc);
}

/* Both ways: subscribe and unsubscribe of the older versions. */
MCP__PRIVATE void mcp__resources_subscribe(mcp_call *c) {
    mcp__str uri = { NULL, 0 };
    uri.s = mcp__json_text(mcp__param(c, "uri"), &uri.n);
    if (!uri.s) {
        mcp__refuse_call(c, MCP_INVALID_PARAMS, MCP__INVALID, NULL);
        return;
    }
    mcp__session *x = c->conn->session;
    if (c->row->flags & MCP__UNDOES) mcp__unsubscribe(c->server, &x->subscribed, uri);
    else if (!mcp__subscribe_call(c, &x->subscribed, uri)) return;
    mcp__ping(c);
}

/* ---- skills: a manifest over rows of resources (SEP-2640) ---- */

/* {"uri":...,"digest":"sha256:...","size":...}; false: the file cannot be read. */
MCP__PRIVATE bool mcp__put_skill_file(mcp_call *c, const mcp__resource *r) {
    const mcp_resource *row = r->row;
    unsigned char digest[32];
    char text[8 + 64] = "sha256:";
    int64_t size = row->text ? (int64_t)strlen(row->text) : row->size > 0 ? row->size : 0;
    mcp__sha256 x;
    mcp__sha256_init(&x);
    if (row->file && !c->server->system->file_digest(row->file, &x, &size)) return false;
    if (!row->file) mcp__sha256_add(&x, row->text ? row->text : row->bytes, (size_t)size);
    mcp__sha256_end(&x, digest);
    for (size_t i = 0; i < 32; i++) {
        text[7 + 2 * i] = mcp__hex[digest[i] >> 4];
        text[8 + 2 * i] = mcp__hex[digest[i] & 15];
    }
    mcp__put_obj(&c->w, NULL);
    mcp__put_strn(&c->w, "uri", r->uri.s, r->uri.n);
    mcp__put_strn(&c->w, "digest", text, 7 + 64);
    mcp__put_int(&c->w, "size", size);
    mcp__put_end(&c->w);
    return true;
}

/* False: a file of it is gone. */
MCP__PRIVATE bool mcp__put_skill(mcp_call *c, const char *key, const mcp__skill *skill) {
    const mcp__table *t = c->server->table[MCP__RESOURCE];
    const mcp__resource *r = (const mcp__resource *)(const void *)t->rows + skill->first;
    mcp_writer *w = &c->w;
    mcp__put_obj(w, key);
    mcp__put_strn(w, "uri", r->uri.s, r->uri.n);
    mcp__put_obj(w, "frontmatter");
    mcp__put_strn(w, "name", skill->name.s, skill->name.n);
    mcp__put_strn(w, "description", skill->desc.s, skill->desc.n);
    mcp__put_end(w);
    mcp__put_arr(w, "resources");
    size_t n = 0;
    while (n < skill->count && mcp__put_skill_file(c, &r[n])) n++;
    mcp__put_end(w);
    mcp__put_end(w);
    return n == skill->count;
}

MCP__PRIVATE void mcp__skill_rows(mcp_call *c) {
    const mcp__table *t = c->server->table[MCP__RESOURCE];
    for (size_t i = 0; i < t->skill_count; i++) {
        if (!mcp__page_takes(c, t->skills[i].name.s, t->skills[i].name.n)) continue;
        mcp_writer before = c->w;
        if (mcp__put_skill(c, NULL, &t->skills[i])) continue;
        mcp__writer_rewind(&c->w, &before); /* the others are as good as they were */
        mcp__log(&c->server->desc, MCP_LOG_ERROR, MCP_IO, "a skill is not listed: a file is gone");
    }
}

MCP__PRIVATE void mcp__skills_list(mcp_call *c) { mcp__list(c, "skills", mcp__skill_rows); }

MCP__PRIVATE void mcp__skills_get(mcp_call *c) {
    const mcp__table *t = c->server->table[MCP__RESOURCE];
    const mcp__resource *r = (const mcp__resource *)(const void *)t->rows;
    const char *uri = mcp__param(c, "uri");
    size_t i = 0;
    while (i < t->skill_count &&
           !mcp__json_is(uri, r[t->skills[i].first].uri.s, r[t->skills[i].first].uri.n)) i++;
    if (i == t->skill_count) {
        mcp__refuse_named(c, MCP_INVALID_PARAMS, "Unknown skill: ", uri);
        return;
    }
    mcp__result_begin(c);
    if (!mcp__put_skill(c, "skill", &t->skills[i])) mcp__spoil(c, MCP_IO, NULL);
    if (mcp__settle(c) && c->status != MCP_NOMEM) mcp__answer_broken(c);
    else mcp__list_end(c);
}

/* What stands directly in a directory of a skill: files, and each further directory once. */
MCP__PRIVATE size_t mcp__put_children(mcp_call *c, mcp__str dir) {
    const mcp__table *t = c->server->table[MCP__RESOURCE];
    const mcp__resource *r = (const mcp__resource *)(const void *)t->rows;
    mcp__str last = { NULL, 0 };
    size_t n = 0;
    for (size_t i = t->skill_count ? t->skills[0].first : t->count; i < t->count; i++) {
        mcp__str uri = r[i].uri;
        if (uri.n <= dir.n + 1 || memcmp(uri.s, dir.s, dir.n) || uri.s[dir.n] != '/') continue;
        const char *name = uri.s + dir.n + 1;
        const char *slash = (const char *)memchr(name, '/', (size_t)(uri.s + uri.n - name));
        mcp__str child = { name, slash ? (size_t)(slash - name) : (size_t)(uri.s + uri.n - name) };
        if (slash && last.s && mcp__str_same(last, child)) continue; /* paths are sorted */
        last = slash ? child : last;
        n++;
        mcp__put_obj(&c->w, NULL);
        mcp__put_strn(&c->w, "uri", uri.s, (size_t)(name + child.n - uri.s));
        mcp__put_strn(&c->w, "name", child.s, child.n);
        mcp__put_str(&c->w, "mimeType", slash ? "inode/directory" : r[i].row->mime);
        mcp__put_end(&c->w);
    }
    return n;
}

MCP__PRIVATE void mcp__directory_read(mcp_call *c) {
    const char *v = mcp__param(c, "uri");
    mcp__str dir = { NULL, 0 };
    dir.s = mcp__json_text(v, &dir.n);
    while (dir.s && dir.n && dir.s[dir.n - 1] == '/') dir.n--;
    mcp__result_begin(c);
    mcp__put_arr(&c->w, "resources");
    if (dir.s && mcp__put_children(c, dir)) {
        mcp__put_end(&c->w);
        mcp__result_end(c, NULL);
    } else {
        mcp__refuse_named(c, MCP_INVALID_PARAMS, "Not a directory: ", v);
    }
}

/* ---- completion ---- */
enum { MCP__VALUES_MAX = 100 };

MCP__PRIVATE int mcp__complete(mcp_call *c, const char *value, size_t n) {
    if (c->shape != MCP__VALUES) return mcp__spoil(c, MCP_MISUSE, "mcp_complete outside .complete");
    if (c->offered++ < MCP__VALUES_MAX) mcp__put_strn(&c->w, NULL, value, n);
    return mcp__settle(c);
}

/* The table whose argument is to be completed, or NULL. */
MCP__PRIVATE const mcp__rule *mcp__complete_table(mcp_call *c, const char *ref) {
    const char *type = mcp__json_get(ref, "type", 4);
    bool prompt = mcp__json_is(type, "ref/prompt", 10);
    if (!prompt && !mcp__json_is(type, "ref/resource", 12)) return NULL;
    mcp__str name = { NULL, 0 };
    name.s = mcp__json_text(mcp__json_get(ref, prompt ? "name" : "uri", prompt ? 4 : 3), &name.n);
    mcp__table *t = c->server->table[prompt ? MCP__PROMPT : MCP__RESOURCE];
    if (!name.s) return NULL;
    if (prompt) {
        const mcp__prompt *p = (const mcp__prompt *)mcp__table_find(t, name.s, name.n);
        if (p) mcp__call_found(c, t, p->name, p->row->user, "gen_ai.prompt.name");
        return p ? &p->args : NULL;
    }
    for (size_t i = 0; i < t->template_count; i++) {
        if (!mcp__str_same(t->templates[i].uri, name)) continue;
        mcp__call_found(c, t, t->templates[i].uri, t->templates[i].row->user, NULL);
        return &t->templates[i].args;
    }
    const mcp__resource *r = mcp__resource_find(c, name); /* a URI, too, may name a template */
    if (r) mcp__call_found(c, mcp__resource_table(c->server, r), r->uri, r->row->user, NULL);
    return r ? &r->args : NULL;
}

/* In .complete, what is typed so far is the argument itself, and the context's are the others. */
MCP__PRIVATE bool mcp__complete_args(mcp_call *c, const mcp__rule *rule, const char *typed) {
    const char *others = mcp__json_get(mcp__param(c, "context"), "arguments", 9);
    mcp_writer w;
    mcp__args_begin(c, &w);
    mcp__put_json(&w, rule->name.s, typed);
    for (const char *m = mcp__json_first(others); m; m = mcp__json_next(m))
        if (!mcp__json_is(mcp__json_key(m), rule->name.s, rule->name.n)) mcp__put_member(&w, m);
    return mcp__args_end(c, &w) != NULL;
}

MCP__PRIVATE void mcp__complete_choices(mcp_call *c, const mcp__rule *rule, mcp__str typed) {
    for (size_t i = 0; i < rule->choices; i++) {
        mcp__str text = rule->choice[i].text;
        if (text.n >= typed.n && (!typed.n || memcmp(text.s, typed.s, typed.n) == 0))
            mcp__complete(c, text.s, text.n);
    }
}

MCP__PRIVATE void mcp__completion(mcp_call *c) {
    const char *argument = mcp__param(c, "argument");
    const char *name = mcp__json_get(argument, "name", 4);
    const char *value = mcp__json_get(argument, "value", 5);
    const mcp__rule *table = mcp__complete_table(c, mcp__param(c, "ref"));
    const mcp__rule *rule = table && mcp__json_type(name) == MCP_STRING ? mcp__rule_of(table, name)
                                                                         : NULL;
    const char *others = mcp__json_get(mcp__param(c, "context"), "arguments", 9);
    if (c->status) return;
    if (!rule || mcp__json_type(value) != MCP_STRING ||
        (others && mcp__json_type(others) != MCP_OBJECT)) {
        mcp__refuse_call(c, MCP_INVALID_PARAMS, MCP__INVALID, NULL);
        return;
    }
    if (!mcp__complete_args(c, rule, value)) return;
    mcp__put_obj(mcp__result_begin(c), "completion");
    mcp__content_begin(c, MCP__VALUES, "values");
    mcp__str typed = { NULL, 0 };
    typed.s = mcp__json_text(value, &typed.n);
    int rc = MCP_OK;
    if (rule->row->complete) rc = rule->row->complete(c);
    else mcp__complete_choices(c, rule, typed);
    if (c->has_meta) c->has_meta = mcp__meta_end(c, &c->meta_w, &c->buf[MCP__META]) != NULL;
    if (rc || mcp__settle(c) || c->fate != MCP__GOOD) {
        mcp__answer(c, rc);
        return;
    }
    mcp__put_end(&c->w);
    mcp__put_int(&c->w, "total", (int64_t)c->offered);
    mcp__put_bool(&c->w, "hasMore", c->offered > MCP__VALUES_MAX);
    mcp__put_end(&c->w);
    mcp__result_end(c, NULL);
}

/* ---- notifications ---- */

MCP__PRIVATE bool mcp__same_id(const char *a, const char *b) {
    mcp__num x, y;
    if (mcp__json_type(a) != mcp__json_type(b)) return false;
    if (mcp__json_type(a) == MCP_STRING) return mcp__json_compare_keys(a, b) == 0;
    return mcp__json_num(a, &x) == MCP_OK && mcp__json_num(b, &y) == MCP_OK &&
           mcp__num_compare(&x, &y) == 0;
}

MCP__PRIVATE mcp_call *mcp__call_of(const mcp__session *x, const char *id) {
    mcp_call *c = NULL;
    for (const mcp_conn *k = x->streams; k && !c; k = k->beside) {
        for (c = k->calls; c && !(c->id && mcp__same_id(c->id, id));) c = c->next;
        if (!c)
            for (c = k->open; c && !mcp__same_id(c->id, id);) c = c->next;
    }
    return c;
}

/* Ids that are unknown, finished or malformed are ignored; so is initialize's. */
MCP__PRIVATE void mcp__cancel(mcp_call *c) {
    const char *id = mcp__param(c, "requestId");
    mcp_call *target = id ? mcp__call_of(c->conn->session, id) : NULL;
    if (target && !(target->row && target->row->flags & MCP__BEGINS)) mcp__cancel_call(target);
}

/* From now on the peer may be told of changes. */
MCP__PRIVATE void mcp__initialized(mcp_call *c) {
    c->conn->session->ready = c->conn->session->version != NULL;
}

/* ---- the method table ---- */
#define MCP__BOTH (MCP__LEGACY | MCP__MODERN)
static const mcp__method mcp__methods[] = {
    { "initialize",             MCP__LEGACY, MCP__ANYTIME | MCP__ALONE | MCP__BEGINS,
      mcp__initialize },
    { "ping",                   MCP__LEGACY, MCP__ANYTIME | MCP__AT_ONCE, mcp__ping },
    { "server/discover",        MCP__MODERN, 0, mcp__discover },
    { "tools/list",             MCP__BOTH, MCP__NEEDS_TOOLS | MCP__SHOWS_PAGES, mcp__tools_list },
    { "tools/call",             MCP__BOTH,
      MCP__NEEDS_TOOLS | MCP__MAY_STAY | MCP__MAY_ASK | MCP__BY_NAME, mcp__tools_call },
    { "subscriptions/listen",   MCP__MODERN,
      MCP__NEEDS_CHANGES | MCP__MAY_STAY | MCP__ALONE, mcp__listen },
#ifndef MCP_TOOLS_ONLY
    { "resources/list",         MCP__BOTH, MCP__NEEDS_RESOURCES | MCP__SHOWS_PAGES,
      mcp__resources_list },
    { "resources/templates/list", MCP__BOTH, MCP__NEEDS_RESOURCES, mcp__templates_list },
    { "resources/read",         MCP__BOTH,
      MCP__NEEDS_RESOURCES | MCP__MAY_STAY | MCP__MAY_ASK | MCP__BY_URI, mcp__resources_read },
    { "resources/subscribe",    MCP__LEGACY, MCP__NEEDS_RESOURCES | MCP__NEEDS_SUBSCRIBE,
      mcp__resources_subscribe },
    { "resources/unsubscribe",  MCP__LEGACY,
      MCP__NEEDS_RESOURCES | MCP__NEEDS_SUBSCRIBE | MCP__UNDOES, mcp__resources_subscribe },
    { "resources/directory/read", MCP__BOTH, MCP__NEEDS_SKILLS, mcp__directory_read },
    { "skills/list",            MCP__BOTH, MCP__NEEDS_SKILLS, mcp__skills_list },
    { "skills/get",             MCP__BOTH, MCP__NEEDS_SKILLS, mcp__skills_get },
    { "prompts/list",           MCP__BOTH, MCP__NEEDS_PROMPTS, mcp__prompts_list },
    { "prompts/get",            MCP__BOTH,
      MCP__NEEDS_PROMPTS | MCP__MAY_STAY | MCP__MAY_ASK | MCP__BY_NAME, mcp__prompts_get },
    { "completion/complete",    MCP__BOTH, MCP__NEEDS_COMPLETES, mcp__completion },
    { "tasks/get",              MCP__TASKS,
      MCP__NEEDS_TASKS | MCP__BY_TASK | MCP__AT_ONCE, mcp__tasks_get },
    { "tasks/cancel",           MCP__TASKS,
      MCP__NEEDS_TASKS | MCP__BY_TASK | MCP__AT_ONCE, mcp__tasks_cancel },
    { "tasks/update",           MCP__MODERN, MCP__NEEDS_TASKS | MCP__BY_TASK, mcp__tasks_update },
    { "tasks/result",           MCP__CORE_TASKS, MCP__NEEDS_TASKS | MCP__MAY_STAY,
      mcp__tasks_result },
    { "tasks/list",             MCP__CORE_TASKS, MCP__NEEDS_TASKS, mcp__tasks_list },
#endif
    { "logging/setLevel",       MCP__LEGACY, MCP__NEEDS_LOGGING, mcp__set_level },
    { "notifications/initialized", MCP__LEGACY, MCP__NOTIFICATION, mcp__initialized },
    { "notifications/cancelled", MCP__BOTH, MCP__NOTIFICATION | MCP__AT_ONCE, mcp__cancel } };

/* What of the things that a method may need this server has. */
MCP__PRIVATE unsigned mcp__has(const mcp_server *s) {
    const mcp_server_desc *d = &s->desc;
    unsigned has = 0;
    if (s->offers[MCP__TOOL]) has |= MCP__NEEDS_TOOLS;
    if (s->offers[MCP__RESOURCE]) has |= MCP__NEEDS_RESOURCES;
    if (s->offers[MCP__PROMPT]) has |= MCP__NEEDS_PROMPTS;
    if (d->flags & MCP_LOGGING) has |= MCP__NEEDS_LOGGING;
    if (d->flags & MCP_SUBSCRIBE) has |= MCP__NEEDS_SUBSCRIBE | MCP__NEEDS_CHANGES;
    if (d->changes) has |= MCP__NEEDS_CHANGES;
    if (mcp__completes(s)) has |= MCP__NEEDS_COMPLETES;
    if (s->table[MCP__RESOURCE]->skill_count) has |= MCP__NEEDS_SKILLS;
    if (s->table[MCP__TOOL]->tasks || s->tasks) has |= MCP__NEEDS_TASKS | MCP__NEEDS_CHANGES;
    return has;
}

MCP__PRIVATE const mcp__method *mcp__method_named(const char *method) {
    mcp__str name;
    name.s = mcp__json_text(method, &name.n);
    for (size_t i = 0; name.s && i < MCP__COUNT(mcp__methods); i++)
        if (mcp__str_same(name, mcp__str_of(mcp__methods[i].name))) return &mcp__methods[i];
    return NULL;
}

/* ---- routing ---- */

MCP__PRIVATE int mcp__order_keys(const void *a, const void *b) {
    return mcp__order_names((const mcp__str *)a, (const mcp__str *)b);
}

/* Two members of one name in params or _meta mean different things to different readers. Few are
   compared as they are, many are sorted. */
MCP__PRIVATE bool mcp__has_twins(mcp_call *c, const mcp__members *x) {
    const mcp__str *names = x->key;
    size_t i, j;
    if (x->n > MCP__FEW) {
        mcp__str *many = (mcp__str *)mcp__arena_array(&c->arena, x->n, sizeof *many);
        if (!many) return mcp__spoil(c, MCP_NOMEM, NULL), true;
        const char *value;
        mcp__str *next = many;
        for (const char *k = mcp__json_space(x->object + 1); *k != '}';)
            k = mcp__member_take(k, next++, &value);
        qsort(many, x->n, sizeof *many, mcp__order_keys);
        names = many;
    }
    for (i = 1; i < x->n; i++)
        for (j = x->n > MCP__FEW ? i - 1 : 0; j < i; j++)
            if (mcp__str_same(names[i], names[j])) return true;
    return false;
}

/* A modern request names its version and what its client can do. false: it is answered. */
MCP__PRIVATE bool mcp__route_modern(mcp_call *c, const char *version, const char *can) {
    const char *bad = !version ? "Missing _meta key " MCP__KEY("protocolVersion")
        : mcp__json_type(version) != MCP_STRING ? "Invalid _meta key " MCP__KEY("protocolVersion")
        : !can ? "Missing _meta key " MCP__KEY("clientCapabilities")
        : mcp__json_type(can) != MCP_OBJECT ? "Invalid _meta key " MCP__KEY("clientCapabilities")
        : NULL;
    if (bad) return mcp__refuse_call(c, MCP_INVALID_PARAMS, bad, NULL), false;
    if (!mcp__version_agrees(c, version)) return false;
    c->version = mcp__version_named(c->server->desc.versions & MCP__MODERN, version);
    if (!c->version) return mcp__refuse_version(c, version), false;
    const char *level = mcp__members_get(&c->in_meta, mcp__key_log_level);
    c->log_level = level ? mcp__level_of(level) : 0;
    if (!level || c->log_level) return true;
    return mcp__refuse_call(c, MCP_INVALID_PARAMS, "Invalid _meta key " MCP__KEY("logLevel"), NULL),
           false;
}

/* Any other request belongs to the session. false: it is answered. */
MCP__PRIVATE bool mcp__route_legacy(mcp_call *c) {
    const mcp_server *s = c->server;
    c->version = c->conn->session->version;
    c->log_level = c->conn->session->log_level;
    bool anytime = c->row && (c->row->flags & MCP__ANYTIME);
    if (!c->version && (anytime || (s->desc.flags & MCP_LENIENT)))
        c->version = mcp__version_latest(s->desc.versions);
    bool modern_only = (c->row && !(c->row->versions & MCP__LEGACY)) ||
                       !(s->desc.versions & MCP__LEGACY);
    if (c->version && !modern_only) return true;
    if (modern_only && anytime && c->row->flags & MCP__BEGINS)
        mcp__refuse_version(c, mcp__param(c, "protocolVersion"));
    else if (modern_only)
        mcp__refuse_call(c, MCP_INVALID_PARAMS, "Missing _meta key " MCP__KEY("protocolVersion"),
                         NULL);
    else mcp__refuse_call(c, MCP__INVALID_REQUEST, "Server not initialized", NULL);
    return false;
}

/* How many calls have stayed, on all of its streams. */
MCP__PRIVATE size_t mcp__session_opened(const mcp__session *session) {
    size_t n = 0;
    for (const mcp_conn *k = session->streams; k; k = k->beside) n += k->opened;
    return n;
}

/* Decides who serves a request. false: it is answered. */
MCP__PRIVATE bool mcp__route(mcp_call *c) {
    const char *version = mcp__members_get(&c->in_meta, mcp__key_version);
    const char *can = mcp__members_get(&c->in_meta, mcp__key_capabilities);
    if (mcp__has_twins(c, &c->in_params) || mcp__has_twins(c, &c->in_meta) ||
        (c->row && (c->row->flags & MCP__NOTIFICATION)) ||
        (c->batch && c->row && (c->row->flags & MCP__ALONE)))
        return mcp__refuse_call(c, MCP__INVALID_REQUEST, "Invalid Request", NULL), false;
    bool modern = version || can || mcp__header_modern(c->conn);
    if (modern ? !mcp__route_modern(c, version, can) : !mcp__route_legacy(c)) return false;
    if (c->batch && !c->version->batch)
        return mcp__refuse_call(c, MCP__INVALID_REQUEST, "Invalid Request", NULL), false;
    if (modern && c->conn->headers && !mcp__route_headers(c)) return false;
    if (!c->row || !(c->row->versions & c->version->bit))
        return mcp__refuse_call(c, MCP__METHOD_NOT_FOUND, "Method not found", NULL), false;
    if (c->params && mcp__json_type(c->params) != MCP_OBJECT)
        return mcp__refuse_call(c, MCP_INVALID_PARAMS, MCP__INVALID, NULL), false;
    if ((c->row->flags & MCP__MAY_STAY) &&
        mcp__session_opened(c->conn->session) >= c->server->desc.limits.calls)
        return mcp__refuse_call(c, MCP_INTERNAL_ERROR, "Too many calls in flight", NULL), false;
    const char *token = mcp__members_get(&c->in_meta, "progressToken");
    if (mcp__json_type(token) == MCP_STRING || mcp__json_integral(token)) c->progress = token;
    return true;
}

/* The specification fixes few; the others are the official SDKs'. */
MCP__PRIVATE int mcp__http_status_of(const mcp_call *c, bool routed) {
    bool unknown = c->code == MCP__METHOD_NOT_FOUND, modern = c->version && c->version->modern;
    return routed || (unknown && !modern) ? 200 : unknown ? 404
        : c->code == MCP_INTERNAL_ERROR ? 503 : 400;
}

/* Serves one message whose envelope is right and whose row is known, up to its reply. */
MCP__PRIVATE void mcp__serve(mcp_call *c) {
    if (c->row && c->row->flags & MCP__NEEDS & ~mcp__has(c->server)) c->row = NULL; /* by now */
    if (mcp__json_type(c->params) == MCP_NULL) c->params = NULL;
    if (c->in_params.object != c->params) /* not noted: see mcp__top */
        mcp__members_take(&c->in_params, c->params);
    const char *meta = mcp__param(c, "_meta");
    if (mcp__json_type(meta) == MCP_OBJECT) c->meta = meta;
    mcp__members_take(&c->in_meta, c->meta);
    mcp__call_span_begin(c);
    if (c->id) {
        bool routed = mcp__route(c);
        c->conn->http_status = mcp__http_status_of(c, routed);
        if (routed) c->row->func(c);
        if (c->deferred) return; /* open: its answer and its span end later */
        mcp__deliver(c);
    } else {
        c->version = c->conn->session->version;
        if (c->row && (c->row->flags & MCP__NOTIFICATION)) c->row->func(c);
    }
    mcp__call_span_end(c);
}

/* ---- >>conn ------------------------------------------------------------------------------------
   Bytes to messages. Lines are cut at LF and nothing else; each is checked where it lies, whole,
   before anything happens, and its envelope is known before any memory is asked for. Then it gets a
   call, with a copy of its own, and a place in line. While a handler runs, what arrives is taken in
   only as far as it must be: cancellations take effect, pings are answered, the rest waits.

       in:  | done ...   at | a line \n another line \n   seen | unfinished ...
*/

/* ---- calls ---- */
MCP__PRIVATE void mcp__call_destroy(mcp_call *c) {
    for (size_t i = 0; i < MCP__BUFS; i++) mcp__buf_free(&c->buf[i]);
    mcp__arena_reset(&c->arena, 0);
    mcp__realloc(&c->server->mem, c, sizeof *c, 0);
}

/* A blank call; what it grew in earlier lives is kept. NULL: out of memory. */
MCP__PRIVATE mcp_call *mcp__call_new(mcp_server *s) {
    mcp_call *c = s->spare;
    if (c) {
        s->spare = c->next;
        s->spares--;
    } else {
        c = (mcp_call *)mcp__realloc(&s->mem, NULL, 0, sizeof *c);
        if (!c) return NULL;
        c->server = s;
        mcp__arena_init(&c->arena, &s->mem);
        for (size_t i = 0; i < MCP__BUFS; i++) mcp__buf_init(&c->buf[i], &s->mem);
    }
    const size_t kept = offsetof(mcp_call, next);
    memset((char *)c + kept, 0, sizeof *c - kept);
    return c;
}

/* The call is over: its memory waits for the next one, but for what was a giant's. */
MCP__PRIVATE void mcp__call_free(mcp_call *c) {
    mcp_server *s = c->server;
    if (s->spares == MCP__SPARES) {
        mcp__call_destroy(c);
        return;
    }
    mcp__arena_reset(&c->arena, MCP__ARENA_KEEP);
    for (size_t i = 0; i < MCP__BUFS; i++) mcp__buf_reset(&c->buf[i], MCP__KEEP);
    c->next = s->spare;
    s->spare = c;
    s->spares++;
}

/* ---- batches ---- */
MCP__PRIVATE void mcp__batch_free(mcp_server *s, mcp__batch *b) {
    if (!b) return;
    mcp__buf_free(&b->out);
    mcp__realloc(&s->mem, b, sizeof *b, 0);
}

/* NULL: out of memory. */
MCP__PRIVATE mcp__batch *mcp__batch_new(mcp_conn *k) {
    mcp__batch *b = k->spare_batch;
    k->spare_batch = NULL;
    if (!b) {
        b = (mcp__batch *)mcp__realloc(&k->server->mem, NULL, 0, sizeof *b);
        if (b) mcp__buf_init(&b->out, &k->server->mem);
    }
    if (b) b->waiting = 1;
    return b;
}

MCP__PRIVATE void mcp__batch_done(mcp_conn *k, mcp__batch *b) {
    if (--b->waiting) return;
    mcp__str part[2] = { { b->out.ptr, b->out.len }, { "]", 1 } };
    if (b->out.len) mcp__send(k, NULL, part, MCP__COUNT(part));
    mcp__buf_reset(&b->out, MCP__KEEP);
    if (!k->spare_batch) k->spare_batch = b; /* for the next one */
    else mcp__batch_free(k->server, b);
}

/* ---- calls in line ---- */
/* Over, and in no list any more. */
MCP__PRIVATE void mcp__call_end(mcp_call *c) {
    if (c->batch) mcp__batch_done(c->conn, c->batch);
    mcp__task_ended(c);
    if (c->source) c->source(c, false);
    if (c->pulled) c->server->pulled--;
    mcp__unsubscribe_all(c->server, &c->subscribed);
    if (c->table) mcp__table_free(c->server, c->table);
    mcp__call_free(c);
}

MCP__PRIVATE void mcp__close(mcp_call *c) {
    mcp_conn *k = c->conn;
    mcp__unlink(&k->open, c);
    k->opened--;
    if (c->parked) c->server->parked--, c->asking->withdraw(c);
    mcp__call_span_end(c);
    mcp__call_end(c);
}

MCP__PRIVATE bool mcp__is_listen(const mcp_call *c) { return c->row->func == mcp__listen; }

/* Whether what arrives on it must wait: over HTTP one thread serves all, one after another, and
   a task's handler runs alone as well. */
MCP__PRIVATE bool mcp__busy(const mcp_conn *k) {
    return k->running || k->server->later.running || (k->exchange && k->server->running);
}

/* What waits in vain goes: it was cancelled, or at the end of input nobody will answer; who still
   listens is told of that. */
MCP__PRIVATE void mcp__close_idle(mcp_conn *k) {
    bool over = k->ended && !k->calls;
    for (mcp_call *c = k->open, *next; c; c = next) {
        next = c->next;
        if (!(mcp__is_listen(c) || c->parked) || !(c->cancelled || over)) continue;
        if (!c->cancelled && !c->parked) mcp__listen_end(c);
        mcp__close(c);
    }
}

/* When no handler runs: changes are told, and what waits in vain goes. */
MCP__PRIVATE void mcp__settle_conn(mcp_conn *k) {
    if (k->running) return;
    mcp__tell_all(k);
    mcp__close_idle(k);
    if (!k->calls && !k->open) k->framing->idle(k);
}

/* Whether another line may be taken in now. */
MCP__PRIVATE bool mcp__has_room(const mcp_conn *k) {
    const mcp_limits *limits = &k->server->desc.limits; /* held: until a large reply has ended */
    return k->held.len <= limits->spill && (!k->running || k->waiting < limits->calls);
}

/* Answers are there, or it came as REST and knows all: the handler runs from the top. What it said
   before is forgotten. */
MCP__PRIVATE void mcp__serve_again(mcp_call *c) {
    const size_t from = offsetof(mcp_call, status);
    memset((char *)c + from, 0, offsetof(mcp_call, trace) - from);
    c->resumed = c->done = false;
    c->row->func(c);
    if (c->deferred) return;
    if (c->asking) c->asking->over(c);
    mcp__deliver(c);
    mcp__call_span_end(c);
}

/* It goes on where it belongs by now: a task is nobody's but the server's. */
MCP__PRIVATE void mcp__stay(mcp_call *c) {
    mcp_conn *k = c->conn;
    c->next = k->open;
    k->open = c;
    k->opened++;
    mcp__task_moved(c);
}

/* The first in line. */
MCP__PRIVATE void mcp__run_one(mcp_conn *k) {
    mcp_server *s = k->server;
    mcp_call *c = k->calls, *outer = s->running;
    k->running = s->running = c;
    bool wanted = !c->cancelled && k->status == MCP_OK;
    c->running = true;
    if (wanted && c->resumed) mcp__serve_again(c);
    else if (wanted) mcp__serve(c);
    else if (c->resumed) mcp__call_span_end(c);
    c->running = false;
    k->running = NULL;
    s->running = outer;
    mcp__unlink(&k->calls, c);
    k->waiting--;
    if (c->deferred) mcp__stay(c);
    else mcp__call_end(c);
}

/* Tasks whose questions are answered, and those that were cancelled. */
MCP__PRIVATE void mcp__run_later(mcp_server *s) {
    mcp_conn *k = &s->later;
    if (MCP__TOOLS_ALONE) return;
    while (k->calls && !k->running) mcp__run_one(k);
    if (!k->to_tell || k->running) return;
    k->to_tell = false;
    mcp__close_idle(k);
}

/* Serves what waits, in order; what stays open makes room. */
MCP__PRIVATE void mcp__run(mcp_conn *k) {
    while (!mcp__busy(k) && k->calls && mcp__has_room(k)) {
        if (k->ended) k->ended_ns = mcp__now(k->server); /* each gets its grace */
        mcp__run_one(k);
        mcp__settle_conn(k); /* so that changes are told wherever the input was cut */
        mcp__run_later(k->server);
    }
}

MCP__PRIVATE int mcp__defer(mcp_call *c) {
    if (!(c->row->flags & MCP__MAY_STAY))
        return mcp__spoil(c, MCP_MISUSE, "this handler has to answer at once");
    c->deferred = true;
    return MCP_PENDING;
}

/* What had to wait, on every connection. */
MCP__PRIVATE void mcp__take_all(mcp_server *s) {
    for (mcp_conn *k = s->conns; k; k = k->next) {
        if (!k->running && !k->taking) k->take(k);
        mcp__settle_conn(k);
        if (!k->running) mcp__flush(k);
    }
}

MCP__PRIVATE void mcp__done(mcp_call *c, int status) {
    mcp_conn *k = c->conn;
    MCP_ASSERT(c->deferred && !c->done && (status != MCP_PENDING || c->asking));
    if (c->running) {
        c->done = true;
        c->done_status = status;
        return;
    }
    bool asks = status == MCP_PENDING && c->asking && !c->cancelled && c->asking->pend(c);
    if (MCP__WITH_HTTP && c->source) {
        mcp__pull_begin(c, status < 0 ? status : MCP_OK);
        return;
    }
    if (c->parked) {
        mcp__task_moved(c);
    } else {
        if (!asks) mcp__answer(c, status < 0 ? status : MCP_OK);
        if (c->asking) c->asking->over(c);
        mcp__deliver(c);
        c->deferred = false;
        mcp__close(c);
    }
    if (k == &k->server->later) mcp__take_all(k->server);
    if (!k->taking) k->take(k); /* what had to wait for it */
    mcp__settle_conn(k);
    mcp__flush(k);
}

/* The message at [text, end) gets a call; top has its members, method and id are right. */
MCP__PRIVATE void mcp__admit(mcp_conn *k, mcp__batch *batch, const char *text, const char *end,
                             const mcp__top *top) {
    const char *id = top->member[MCP__ID];
    mcp__str token = { NULL, 0 };
    if (id) token = mcp__token(id);
    if (id && mcp__call_of(k->session, id)) { /* 2026-07-28 basic: not an id still in flight */
        mcp__send_error(k, batch, token, MCP__INVALID_REQUEST, "Invalid Request");
        return;
    }
    mcp_call *c = mcp__call_new(k->server);
    const char *copy = c ? mcp__arena_json(&c->arena, text, (size_t)(end - text)) : NULL;
    if (!copy) {
        if (c) mcp__call_free(c);
        if (id) mcp__send_error(k, batch, token, MCP_INTERNAL_ERROR, "Out of memory");
        return;
    }
    const char *params = top->member[MCP__PARAMS];
    c->conn = k;
    c->batch = batch;
    c->id = id ? copy + (id - text) : NULL;
    c->method = copy + (top->member[MCP__METHOD] - text);
    c->params = params ? copy + (params - text) : NULL;
    mcp__members_in_copy(&c->in_params, &top->params, copy, text);
    mcp_call **link = &k->calls;
    while (*link) link = &(*link)->next;
    *link = c;
    k->waiting++;
    if (batch) batch->waiting++;
    c->row = mcp__method_named(c->method);
    if (!c->row || !(c->row->flags & MCP__AT_ONCE)) return;
    if (!mcp__busy(k) && c->row->func != mcp__cancel) return; /* in a batch, beside its target */
    mcp_call *running = k->running;
    if (!running) k->running = c; /* what mcp_on_cancel calls may feed must not run it again */
    mcp__serve(c);
    k->running = running;
    mcp__unlink(&k->calls, c);
    k->waiting--;
    mcp__call_end(c);
    mcp__settle_conn(k);
}

/* Any integer that is a number to every peer: not 1e400. */
MCP__PRIVATE bool mcp__is_number_id(const char *v) {
    mcp__num n;
    double real;
    return mcp__json_num(v, &n) == MCP_OK && mcp__num_integral(&n) &&
           mcp__num_double(&n, &real) == MCP_OK;
}

/* JSON-RPC 2.0 section 4; MCP: an id is a string or an integer. */
MCP__PRIVATE void mcp__message(mcp_conn *k, mcp__batch *batch, const char *text, const char *end,
                               const mcp__top *top) {
    const unsigned id_bit = 1u << MCP__ID;
    const char *id = top->member[MCP__ID];
    bool id_ok = !(top->twice & id_bit) &&
                 (mcp__json_type(id) == MCP_STRING || mcp__is_number_id(id));
    mcp__str token = { NULL, 0 };
    if (id_ok) token = mcp__token(id);
    bool version = mcp__json_is(top->member[MCP__JSONRPC], "2.0", 3);
    bool response = top->member[MCP__RESULT] || top->member[MCP__ERROR];
    if (version && !top->member[MCP__METHOD] && response) {
        mcp_call *c = k->server->asking ? k->server->asking->response(k, top) : NULL;
        if (c) mcp__resume(c); /* else nobody waits for it, or for more */
        if (c && !mcp__busy(k)) mcp__run_later(k->server);
        return;
    }
    if (!version || top->twice || (id && !id_ok) ||
        mcp__json_type(top->member[MCP__METHOD]) != MCP_STRING)
        mcp__send_error(k, batch, token, MCP__INVALID_REQUEST, "Invalid Request");
    else mcp__admit(k, batch, text, end, top);
}

/* 2025-03-26: every element is a message of its own; the answers come back as an array. */
MCP__PRIVATE void mcp__batch_message(mcp_conn *k, const char *array) {
    const mcp__str none = { NULL, 0 };
    const size_t max = k->server->desc.limits.calls;
    size_t n = 0;
    for (const char *v = mcp__json_first(array); v && n <= max; v = mcp__json_next(v)) n++;
    if (n == 0 || n > max) {
        k->http_status = 400;
        mcp__send_error(k, NULL, none, MCP__INVALID_REQUEST,
                        n ? "Too many messages in a batch" : "Invalid Request");
        return;
    }
    mcp__batch *b = mcp__batch_new(k); /* NULL: answers go one by one, which clients accept too */
    for (const char *v = mcp__json_first(array); v; v = mcp__json_next(v)) {
        mcp__top top;
        const char *error;
        int status;
        const char *end = mcp__json_check(v, k->server->desc.limits.depth, &top, &error, &status);
        if (*v == '{') mcp__message(k, b, v, end, &top);
        else mcp__send_error(k, b, none, MCP__INVALID_REQUEST, "Invalid Request");
    }
    if (b) mcp__batch_done(k, b);
}

/* ---- lines ---- */

/* One line, p[n] is ours to overwrite. */
MCP__PRIVATE void mcp__line(mcp_conn *k, char *p, size_t n) {
    const mcp__str none = { NULL, 0 };
    const mcp_limits *limits = &k->server->desc.limits;
    mcp__top top;
    const char *error;
    int status = MCP_SYNTAX;
    if (!k->begun) p = mcp__unmarked(p, &n);
    p[n] = 0;
    const char *v = mcp__json_space(p), *stop = p + n;
    if (v == stop) return;
    const char *end = mcp__json_check(v, limits->depth, &top, &error, &status);
    if (!end || mcp__json_space(end) != stop)
        mcp__send_error(k, NULL, none, MCP__PARSE_ERROR,
                        status == MCP_LIMIT ? "Nesting too deep" : "Parse error");
    else if (*v == '{') mcp__message(k, NULL, v, end, &top);
    else if (*v == '[' && k->session->version && k->session->version->batch)
        mcp__batch_message(k, v);
    else mcp__send_error(k, NULL, none, MCP__INVALID_REQUEST, "Invalid Request");
}

/* An empty buffer gives back what is beyond cap. */
MCP__PRIVATE void mcp__buf_shrink(mcp__buf *b, size_t cap) {
    void *less = b->len || b->cap <= cap ? NULL : mcp__realloc(b->mem, b->ptr, b->cap, cap);
    if (!less) return;
    b->ptr = (char *)less;
    b->cap = cap;
}

/* Done bytes make room; what a giant needed goes back. */
MCP__PRIVATE void mcp__compact(mcp_conn *k) {
    size_t rest = k->in.len - k->at;
    if (!k->at) return;
    if (rest) memmove(k->in.ptr, k->in.ptr + k->at, rest);
    k->in.len = rest;
    k->seen -= k->at;
    k->at = 0;
    if (!rest && k->in.cap > 4 * MCP__KEEP) mcp__buf_shrink(&k->in, MCP__KEEP);
}

/* The lines that are complete; when no handler runs, each is served before the next is read. At the
   end of input, what is left counts as a line. */
MCP__PRIVATE void mcp__take(mcp_conn *k) {
    static const char too_long[] = "Message too long";
    const mcp__str none = { NULL, 0 };
    const size_t max = k->server->desc.limits.message;
    const bool was_taking = k->taking;
    k->taking = true;
    for (mcp__run(k); mcp__has_room(k) && k->in.len > k->at; mcp__run(k)) {
        char *line = k->in.ptr + k->at, *end = k->in.ptr + k->in.len;
        char *lf = (char *)memchr(k->in.ptr + k->seen, '\n', k->in.len - k->seen);
        k->seen = k->in.len;
        if (!lf && !k->ended) break;
        k->at = k->seen = lf ? (size_t)(lf + 1 - k->in.ptr) : k->in.len;
        size_t n = (size_t)((lf ? lf : end) - line);
        if (!k->skipping && n > max) mcp__send_error(k, NULL, none, MCP__PARSE_ERROR, too_long);
        else if (!k->skipping) mcp__line(k, line, n);
        k->skipping = false;
        k->begun = true;
    }
    k->taking = was_taking;
    if (k->skipping) k->at = k->seen;
    if (k->seen - k->at <= max) return;
    k->at = k->seen;
    k->skipping = true;
    mcp__send_error(k, NULL, none, MCP__PARSE_ERROR, too_long);
}

/* Where n bytes of input may be put, with the pad behind them; fewer, if memory is short. NULL: the
   line is longer than what there is. */
MCP__PRIVATE char *mcp__input_room(mcp_conn *k, size_t *n) {
    if (k->at > k->in.len / 2) mcp__compact(k);
    k->in.status = MCP_OK;
    if (!mcp__buf_reserve(&k->in, *n + MCP__PAD)) {
        mcp__compact(k);
        *n = mcp__min(*n, k->in.cap - k->in.len - MCP__PAD);
    }
    return *n ? k->in.ptr + k->in.len : NULL;
}

/* n bytes were put there. */
MCP__PRIVATE int mcp__input_added(mcp_conn *k, size_t n) {
    k->in.len += n;
    memset(k->in.ptr + k->in.len, 0, MCP__PAD);
    k->take(k);
    mcp__settle_conn(k);
    mcp__flush(k);
    return k->status;
}

/* There is no memory for these bytes: their line is lost, up to its newline. Returns how many. */
MCP__PRIVATE size_t mcp__input_lost(mcp_conn *k, const char *p, size_t n) {
    const mcp__str none = { NULL, 0 };
    const char *lf = (const char *)memchr(p, '\n', n);
    if (!k->skipping) mcp__send_error(k, NULL, none, MCP_INTERNAL_ERROR, "Out of memory");
    k->skipping = !lf;
    k->begun = true;
    k->at = k->seen = k->in.len;
    mcp__flush(k);
    return lf ? (size_t)(lf + 1 - p) : n;
}

MCP__PRIVATE int mcp__input_end(mcp_conn *k) {
    if (k->ended) return k->status;
    k->ended = true;
    k->ended_ns = mcp__now(k->server);
    k->take(k);
    mcp__settle_conn(k);
    mcp__flush(k);
    return k->status;
}

enum { MCP__READ_SIZE = 32 * 1024 };

/* One piece of what was fed. */
MCP__PRIVATE void mcp__feed_piece(mcp_conn *k) {
    const char *p = k->fed;
    size_t n = mcp__min(k->fed_n, MCP__READ_SIZE);
    char *room = mcp__input_room(k, &n);
    if (!room) n = mcp__input_lost(k, p, mcp__min(k->fed_n, MCP__READ_SIZE));
    else memcpy(room, p, n);
    k->fed += n;
    k->fed_n -= n;
    if (room) mcp__input_added(k, n);
}

MCP__PRIVATE int mcp__feed(mcp_conn *k, const char *p, size_t n) {
    MCP_ASSERT(!k->writing); /* what is being written must stay where it is */
    if (k->writing || (n && k->ended)) return k->status ? k->status : MCP_MISUSE;
    while (k->fed_n && k->status == MCP_OK) mcp__feed_piece(k); /* fed from a handler: in order */
    if (!n) return mcp__input_end(k);
    k->fed = p;
    k->fed_n = n;
    while (k->fed_n && k->status == MCP_OK) mcp__feed_piece(k);
    k->fed_n = 0;
    return k->status;
}

/* While a handler runs: the lines that are here, and the rest of what was fed. */
MCP__PRIVATE void mcp__feed_pump(mcp_conn *k) {
    mcp__take(k);
    while (k->fed_n && k->status == MCP_OK && mcp__has_room(k)) mcp__feed_piece(k);
    mcp__flush(k);
}

/* ---- sessions ---- */
MCP__PRIVATE void mcp__session_init(mcp__session *x, mcp_server *s) {
    memset(x, 0, sizeof *x);
    mcp__arena_init(&x->arena, &s->mem);
    x->next = s->sessions;
    x->link = &s->sessions;
    if (x->next) x->next->link = &x->next;
    s->sessions = x;
}

MCP__PRIVATE void mcp__session_leave(mcp_server *s, mcp__session *x) {
    mcp__unsubscribe_all(s, &x->subscribed);
    mcp__tasks_forget(s, x);
    if (x->link) *x->link = x->next;
    if (x->link && x->next) x->next->link = x->link;
    x->link = NULL;
}

MCP__PRIVATE void mcp__session_end(mcp_server *s, mcp__session *x) {
    mcp__session_leave(s, x);
    mcp__arena_reset(&x->arena, 0);
}

/* ---- connections ---- */

/* A task that looks whether it was cancelled: what has arrived anywhere may say so. */
MCP__PRIVATE void mcp__later_pump(mcp_conn *later) {
    for (mcp_conn *k = later->server->conns, *next; k; k = next) {
        next = k->next;
        k->pump(k);
    }
}

MCP__PRIVATE void mcp__later_take(mcp_conn *later) { mcp__run_later(later->server); }

MCP__PRIVATE void mcp__conn_init(mcp_conn *k, mcp_server *s) {
    mcp__buf *const bufs[] = { &k->in, &k->out, &k->held, &k->note };
    memset(k, 0, sizeof *k);
    for (size_t i = 0; i < MCP__COUNT(bufs); i++) mcp__buf_init(bufs[i], &s->mem);
    mcp__session_init(&k->own, s);
    k->session = &k->own;
    k->own.streams = k->own.listener = k;
    k->server = s;
    k->framing = &mcp__lines;
    k->feed = mcp__feed;
    k->pump = mcp__feed_pump;
    k->take = mcp__take;
}

MCP__PRIVATE void mcp__conn_release(mcp_conn *k) {
    mcp__buf *const bufs[] = { &k->in, &k->out, &k->held, &k->note };
    for (size_t i = 0; i < MCP__COUNT(bufs); i++) mcp__buf_free(bufs[i]);
    mcp__batch_free(k->server, k->spare_batch);
    mcp__session_end(k->server, &k->own);
    if (k->principal) mcp__realloc(&k->server->mem, k->principal, strlen(k->principal) + 1, 0);
}

/* Its deferred calls go on without it: they are told, and stay valid until they are done. */
MCP__PRIVATE void mcp__conn_orphan(mcp_conn *k) {
    mcp_conn *limbo = &k->server->limbo;
    while (k->open) {
        mcp_call *c = k->open;
        if (mcp__is_listen(c) || c->parked || c->pulled) {
            mcp__close(c);
            continue;
        }
        if (c->batch) mcp__batch_done(k, c->batch);
        if (c->source) c->source(c, false);
        c->batch = NULL;
        mcp__unlink(&k->open, c);
        c->conn = limbo;
        c->next = limbo->open;
        limbo->open = c;
        limbo->opened++;
        mcp__cancel_call(c);
    }
}

/* It leaves its server, and whatever ran on it. */
MCP__PRIVATE void mcp__conn_close(mcp_conn *k) {
    k->status = MCP_IO; /* nothing more is sent */
    while (k->calls) {
        mcp_call *c = k->calls;
        mcp__unlink(&k->calls, c);
        mcp__call_end(c);
    }
    mcp__conn_orphan(k);
    *k->link = k->next;
    if (k->next) k->next->link = k->link;
}

MCP__PRIVATE void mcp__conn_free(mcp_conn *k) {
    mcp_server *s = k->server;
    MCP_ASSERT(!k->running);
    if (k->running) return; /* a leak is the lesser evil */
    mcp__conn_close(k);
    mcp__conn_release(k);
    mcp__realloc(&s->mem, k, sizeof *k, 0);
}

MCP__PRIVATE void mcp__conn_enter(mcp_conn *k) {
    mcp_server *s = k->server;
    k->link = &s->conns;
    k->next = s->conns;
    if (k->next) k->next->link = &k->next;
    s->conns = k;
}

MCP__PRIVATE mcp_conn *mcp__conn_new(mcp_server *s, unsigned framing, mcp_write_hook write,
                                     const char *transport) {
    if (framing != MCP_LINES || !write.func) return NULL;
    mcp_conn *k = (mcp_conn *)mcp__realloc(&s->mem, NULL, 0, sizeof *k);
    if (!k) return NULL;
    mcp__conn_init(k, s);
    k->free = mcp__conn_free;
    if (!mcp__buf_reserve(&k->out, MCP__RESERVE) || !mcp__buf_reserve(&k->in, MCP__RESERVE)) {
        mcp__conn_release(k);
        mcp__realloc(&s->mem, k, sizeof *k, 0);
        return NULL;
    }
    k->write = write;
    k->transport = transport;
    mcp__conn_enter(k);
    return k;
}

MCP__PRIVATE int mcp__conn_identify(mcp_conn *k, const char *principal) {
    const mcp__mem *mem = &k->server->mem;
    size_t n = strlen(principal) + 1;
    char *copy = (char *)mcp__realloc(mem, NULL, 0, n);
    if (!copy) return MCP_NOMEM;
    memcpy(copy, principal, n);
    if (k->principal) mcp__realloc(mem, k->principal, strlen(k->principal) + 1, 0);
    k->principal = copy;
    return MCP_OK;
}

/* ---- what is due, and what other threads have posted ---- */
MCP__PRIVATE int mcp__after(mcp_server *s, int64_t ms, void (*func)(void *arg), void *arg) {
    mcp__timer *t = (mcp__timer *)mcp__realloc(&s->mem, NULL, 0, sizeof *t), **link = &s->timers;
    if (!t) return MCP_NOMEM;
    const int64_t most = INT64_MAX / 2 / 1000000; /* 146 years */
    t->due_ns = mcp__now(s) + (ms < 0 ? 0 : ms < most ? ms : most) * 1000000;
    t->func = func;
    t->arg = arg;
    while (*link && (*link)->due_ns <= t->due_ns) link = &(*link)->next;
    t->next = *link;
    *link = t;
    return MCP_OK;
}

MCP__PRIVATE void mcp__wake(mcp_server *s) {
    void (*wake)(mcp_server *) = MCP__ATOMIC_LOAD(&s->wake);
    if (wake) wake(s);
}

/* Any thread. The node is the C library's, since a desc's allocator is the server's thread's. */
MCP__PRIVATE int mcp__post(mcp_server *s, void (*func)(void *arg), void *arg) {
    mcp__timer *t = (mcp__timer *)MCP_REALLOC(NULL, sizeof *t);
    if (!t) return MCP_NOMEM;
    t->func = func;
    t->arg = arg;
    t->due_ns = 0;
    mcp__timer *head;
    do t->next = head = MCP__ATOMIC_LOAD(&s->posted);
    while (!MCP__ATOMIC_CAS(&s->posted, head, t));
    mcp__wake(s);
    return MCP_OK;
}

MCP__PRIVATE void mcp__run_posted(mcp_server *s, bool call) {
    mcp__timer *list = (mcp__timer *)MCP__ATOMIC_TAKE(&s->posted), *first = NULL;
    while (list) { /* oldest first */
        mcp__timer *next = list->next;
        list->next = first;
        first = list;
        list = next;
    }
    while (first) {
        mcp__timer t = *first;
        MCP_FREE(first);
        first = t.next;
        if (call) t.func(t.arg);
    }
}

/* Clients that were asked and do not answer; calls that asked nothing and only kept something. */
MCP__PRIVATE void mcp__expire(mcp_conn *k, int64_t now) {
    for (mcp_call *c = k->open, *next; c; c = next) {
        next = c->next;
        if (!c->parked || now < c->until_ns) continue;
        c->asking->late(c);
        mcp__resume(c);
    }
}

MCP__PRIVATE void mcp__expire_all(mcp_server *s) {
    int64_t now = mcp__now(s);
    mcp__expire(&s->later, now);
    for (mcp_conn *k = s->conns; k; k = k->next) mcp__expire(k, now);
}

/* In how many nanoseconds to look again; -1: never. */
MCP__PRIVATE int64_t mcp__poll_again(const mcp_server *s) {
    bool http = s->http && (s->conns || s->http_sessions);
    int64_t most = http ? MCP__TICK_NS : s->parked ? MCP__GRACE_NS : -1;
    int64_t due = s->timers ? s->timers->due_ns : INT64_MAX;
    if (s->tasks && mcp__tasks_due(s) < due) due = mcp__tasks_due(s);
    if (due == INT64_MAX) return most;
    int64_t wait = due - mcp__now(s);
    return wait <= 0 ? 0 : most >= 0 && wait > most ? most : wait;
}

enum { MCP__PULLS = 64 }; /* pieces of one file in a row, before others have their turn */

/* Each reader gets as much of its file as it takes. true: there is more to do at once. */
MCP__PRIVATE bool mcp__pull(mcp_server *s) {
    bool more = false;
    for (mcp_conn *k = s->conns; k; k = k->next)
        for (mcp_call *c = k->open; c; c = c->next) {
            if (!c->pulled) continue;
            if (c->cancelled) mcp__spoil(c, MCP_CANCELLED, "who read a file gave up");
            for (int n = 0; c->source && n < MCP__PULLS && !k->backed_up(k); n++)
                c->source(c, !c->cancelled);
            more |= c->source && !k->backed_up(k);
        }
    return more;
}

/* One whose file is through, or NULL. */
MCP__PRIVATE mcp_call *mcp__pulled(mcp_server *s) {
    for (mcp_conn *k = s->conns; k; k = k->next)
        for (mcp_call *c = k->open; c; c = c->next)
            if (c->pulled && !c->source) return c;
    return NULL;
}

/* Files that leave as their readers take them. true: there is more to do at once. */
MCP__PRIVATE bool mcp__pull_all(mcp_server *s) {
    bool more = s->pulled && mcp__pull(s);
    mcp_call *c;
    while (s->pulled && (c = mcp__pulled(s)) != NULL) {
        c->pulled = false;
        s->pulled--;
        mcp__done(c, c->done_status);
    }
    return more;
}

MCP__PRIVATE int64_t mcp__poll(mcp_server *s) {
    mcp__run_posted(s, true);
    int64_t now = s->timers ? mcp__now(s) : 0;
    mcp__timer *due = s->timers, **end = &due; /* not those that they begin */
    while (*end && (*end)->due_ns <= now) end = &(*end)->next;
    s->timers = *end;
    for (*end = NULL; due;) {
        mcp__timer t = *due;
        mcp__realloc(&s->mem, due, sizeof t, 0);
        due = t.next;
        t.func(t.arg);
    }
    if (s->http) s->http->tick(s);
    if (s->parked) mcp__expire_all(s);
    mcp__tasks_expire(s, false);
    mcp__run_later(s);
    bool more = MCP__WITH_HTTP && mcp__pull_all(s);
    mcp__take_all(s);
    return more ? 0 : mcp__poll_again(s);
}

/* ---- servers: from a desc to compiled tables ---- */

/* Texts are copied, so that a desc may live on the stack; NULL stays NULL. */
MCP__PRIVATE bool mcp__own_text(mcp_server *s, const char **text) {
    if (!*text) return true;
    *text = mcp__arena_copy(&s->arena, *text, strlen(*text));
    return *text != NULL;
}

MCP__PRIVATE bool mcp__own_desc(mcp_server *s) {
    mcp_server_desc *d = &s->desc;
    mcp_http *h = &d->http;
    const char **texts[] = { &d->name, &d->version, &d->title, &d->desc, &d->website,
                             &d->instructions, &d->ambient, &h->host, &h->path, &h->origins,
                             &h->hosts, &h->issuers, &h->scopes, &h->url, &h->user_header,
#ifndef MCP_TOOLS_ONLY
                             &h->prefix, &d->include, &d->exclude
#endif
    };
    for (size_t i = 0; i < MCP__COUNT(texts); i++)
        if (!mcp__own_text(s, texts[i])) return false;
    if (!d->version) d->version = "0.0.0";
    if (!d->versions) d->versions = MCP__LEGACY | MCP__MODERN;
    if (!d->limits.message) d->limits.message = 10u << 20;
    if (!d->limits.depth) d->limits.depth = 256;
    if (!d->limits.calls) d->limits.calls = 64;
    if (!d->limits.spill) d->limits.spill = 256 * 1024;
    if (!d->limits.subscriptions) d->limits.subscriptions = 1024;
    if (!d->limits.logs) d->limits.logs = 1000;
    if (!d->limits.header) d->limits.header = 16 * 1024;
    if (!d->limits.connections) d->limits.connections = 256;
    if (!d->limits.sessions) d->limits.sessions = 256;
    if (!d->limits.replay) d->limits.replay = 64 * 1024;
    if (!d->limits.tasks) d->limits.tasks = 256;
    if (!d->ask_ms) d->ask_ms = 10 * 60 * 1000;
    if (!h->port) h->port = 8080;
    if (!h->host) h->host = "127.0.0.1";
    if (!h->path) h->path = "/mcp";
    if (!h->head_ms) h->head_ms = 10 * 1000;
    if (!h->body_ms) h->body_ms = 120 * 1000;
    if (!h->idle_ms) h->idle_ms = 60 * 1000;
    if (!h->keepalive_ms) h->keepalive_ms = 15 * 1000;
    if (!h->session_ms) h->session_ms = 3600 * 1000;
    if (d->watch.func) d->flags |= MCP_SUBSCRIBE;
    d->limits.message = mcp__min(d->limits.message, SIZE_MAX / 8);
    d->limits.depth = mcp__min(d->limits.depth, 1024);
    return true;
}

/* 2025-11-25 tools: 1 to 128 of A-Z a-z 0-9 _ . -; beyond ASCII a SHOULD forbids, and we warn. */
MCP__PRIVATE bool mcp__compile_tool_name(mcp__compiler *x, mcp__str name) {
    bool foreign = false;
    if (!name.n || name.n > 128) return mcp__wrong(x, NULL, "a name has 1 to 128 characters");
    for (size_t i = 0; i < name.n; i++) {
        unsigned char b = (unsigned char)name.s[i], letter = b | 0x20;
        if (b >= 0x80) foreign = true;
        else if (!((letter >= 'a' && letter <= 'z') || (b >= '0' && b <= '9') || b == '_' ||
                   b == '.' || b == '-'))
            return mcp__wrong(x, NULL, "a name is made of A-Z a-z 0-9 _ . -");
    }
    if (mcp__utf8_valid(name.s, name.n) != name.n)
        return mcp__wrong(x, NULL, "the name is not UTF-8");
    if (foreign)
        mcp__log(x->desc, MCP_LOG_WARNING, MCP_OK,
                 "a tool's name is not ASCII: some hosts refuse it");
    return true;
}

/* A raw schema or _meta of a row: NULL stays out. */
MCP__PRIVATE bool mcp__compile_raw(mcp__compiler *x, const char *what, const char *text,
                                   mcp__str *out) {
    return !text || mcp__compile_json(x, NULL, what, text, true, out);
}

MCP__PRIVATE bool mcp__object_root(mcp__str schema) {
    return mcp__json_is(mcp__json_get(schema.s, "type", 4), "object", 6);
}

/* type/subtype, and perhaps parameters behind a ';'. */
MCP__PRIVATE bool mcp__is_mime(const char *s) {
    size_t type = strcspn(s, "/; ");
    if (!type || s[type] != '/') return false;
    s += type + 1;
    size_t subtype = strcspn(s, "/; ");
    return subtype && (!s[subtype] || s[subtype] == ';');
}

/* "48x48|96x96", "any". */
MCP__PRIVATE bool mcp__are_sizes(const char *s) {
    static const char digits[] = "0123456789";
    do {
        bool any = strncmp(s, "any", 3) == 0;
        size_t w = strspn(s, digits), h = w && s[w] == 'x' ? strspn(s + w + 1, digits) : 0;
        if (!any && !h) return false;
        s += any ? 3 : w + 1 + h;
    } while (*s++ == '|');
    return !s[-1];
}

/* A date of ISO 8601, of any precision: 2026, 2026-07-28, 2026-07-28T12:00:00.5+02:00. */
MCP__PRIVATE bool mcp__is_date(const char *s) {
    static const struct { char before; int size, least, most; } parts[] = {
        { 0, 4, 0, 9999 }, { '-', 2, 1, 12 }, { '-', 2, 1, 31 },
        { 'T', 2, 0, 23 }, { ':', 2, 0, 59 }, { ':', 2, 0, 60 },
        { 0, 2, 0, 23 }, { ':', 2, 0, 59 } };
    for (size_t i = 0; i < MCP__COUNT(parts); i++) {
        int value = 0;
        if (i == 3 && !*s) return true; /* a day */
        if (i == 6 && *s == '.')
            do s++; while (mcp__is_digit(*s));
        if ((i == 5 || i == 6) && *s == 'Z') return !s[1];
        if (i == 6 && *s != '+' && *s != '-') return false;
        if (parts[i].before && *s != parts[i].before) return !*s && i && i < 3;
        s += i == 6 || parts[i].before;
        for (int k = 0; k < parts[i].size; k++, s++) {
            if (!mcp__is_digit(*s)) return false;
            value = value * 10 + (*s - '0');
        }
        if (value < parts[i].least || value > parts[i].most) return false;
    }
    return !*s;
}

MCP__PRIVATE bool mcp__compile_cache(mcp__compiler *x, const mcp_cache *cache) {
    if (cache->ttl_ms < MCP_ZERO) return mcp__wrong(x, NULL, "cache.ttl_ms is below 0");
    if (cache->scope && cache->scope != MCP_PUBLIC && cache->scope != MCP_PRIVATE)
        return mcp__wrong(x, NULL, "cache.scope is MCP_PUBLIC or MCP_PRIVATE");
    return true;
}

MCP__PRIVATE bool mcp__compile_icons(mcp__compiler *x, const mcp_icon *icon) {
    for (; icon && icon->src; icon++) {
        if (strncmp(icon->src, "https:", 6) && strncmp(icon->src, "data:", 5))
            return mcp__wrong(x, NULL, "an icon's src is an https: or data: URI");
        if (icon->mime && !mcp__is_mime(icon->mime))
            return mcp__wrong(x, NULL, "an icon's mime is not like image/png");
        if (icon->sizes && !mcp__are_sizes(icon->sizes))
            return mcp__wrong(x, NULL, "an icon's sizes are not like 48x48|96x96, and not any");
        if (icon->theme && strcmp(icon->theme, "light") && strcmp(icon->theme, "dark"))
            return mcp__wrong(x, NULL, "an icon's theme is light or dark");
    }
    return true;
}

#ifdef MCP_NO_HTTP
MCP__INLINE bool mcp__compile_headers(mcp__compiler *x, const mcp__rule *root, const mcp__rule *r,
                                      bool reachable) {
    return (void)x, (void)root, (void)r, (void)reachable, true;
}
#else
/* How many rows have that header; those behind an array's items do not count. */
MCP__PRIVATE size_t mcp__count_header(const mcp__rule *r, const char *header) {
    size_t n = 0;
    for (size_t i = 0; i < r->members; i++) {
        const mcp__rule *m = &r->member[i];
        n += (m->row->header && mcp__same_name(m->row->header, header)) +
             mcp__count_header(m, header);
    }
    return n;
}

/* 2026-07-28 streamable HTTP, x-mcp-header: tokens, each once, on what is no more than a word and
   is not behind an array's items. reachable: it is in a tool's arguments. */
MCP__PRIVATE bool mcp__compile_headers(mcp__compiler *x, const mcp__rule *root, const mcp__rule *r,
                                       bool reachable) {
    for (size_t i = 0; i < r->members; i++) {
        const mcp__rule *m = &r->member[i];
        const char *header = m->row->header;
        size_t n = header ? strlen(header) : 0;
        if (header && !reachable) return mcp__wrong(x, m->row, "header is for a tool's arguments");
        if (header && (!n || n > 128 || mcp__token_size(header) != n))
            return mcp__wrong(x, m->row, "header is a name of 1 to 128 characters");
        if (header && m->type != MCP_STRING && m->type != MCP_INTEGER && m->type != MCP_BOOLEAN)
            return mcp__wrong(x, m->row, "header is for strings, integers and booleans");
        if (header && mcp__count_header(root, header) > 1)
            return mcp__wrong(x, m->row, "header appears twice");
        if (!mcp__compile_headers(x, root, m, reachable)) return false;
        if (m->item && !mcp__compile_headers(x, root, m->item, false)) return false;
    }
    return true;
}
#endif

MCP__PRIVATE bool mcp__compile_tool(mcp__compiler *x, mcp__tool *t) {
    const mcp_tool *row = t->row;
    if (!mcp__compile_tool_name(x, t->name)) return false;
    if (!row->call) return mcp__wrong(x, NULL, "it has no handler");
    if ((unsigned)row->visibility > MCP_APP_ONLY)
        return mcp__wrong(x, NULL, "no such visibility");
    if (row->hints & (row->hints >> 1) & 0x55) return mcp__wrong(x, NULL, "a hint says yes and no");
    if (row->hints > 0xFF) return mcp__wrong(x, NULL, "hints has unknown bits");
    if (row->flags & ~(unsigned)(MCP_OPEN | MCP_UNCHECKED | MCP_HIDDEN))
        return mcp__wrong(x, NULL, "flags has unknown bits");
    if (row->task < 0 || row->task > MCP_TASK_REQUIRED)
        return mcp__wrong(x, NULL, "task is neither MCP_TASK_OPTIONAL nor MCP_TASK_REQUIRED");
    if (row->task_ttl_ms < 0) return mcp__wrong(x, NULL, "task_ttl_ms is negative");
    if (!mcp__compile_icons(x, row->icons)) return false;
    if (row->schema && row->args) return mcp__wrong(x, NULL, "it has both args and schema");
    if (row->out_schema && row->out) return mcp__wrong(x, NULL, "it has both out and out_schema");
    if (!mcp__compile_raw(x, "schema", row->schema, &t->schema) ||
        !mcp__compile_raw(x, "out_schema", row->out_schema, &t->out_schema) ||
        !mcp__compile_raw(x, "meta", row->meta, &t->meta)) return false;
    if ((row->app || row->visibility) && mcp__json_get(t->meta.s, "ui", 2))
        return mcp__wrong(x, NULL, "meta has a member ui, which app and visibility write");
    if (t->schema.n && !mcp__object_root(t->schema))
        return mcp__wrong(x, NULL, "schema does not say \"type\":\"object\"");
    t->has_out = row->out || row->out_schema;
    t->out_object = row->out || mcp__object_root(t->out_schema);
    return mcp__compile_table(x, row->args, row->flags, &t->args) &&
           mcp__compile_table(x, row->out, 0, &t->out) &&
           mcp__compile_headers(x, &t->args, &t->args, true) &&
           mcp__compile_headers(x, &t->out, &t->out, false);
}

MCP__PRIVATE bool mcp__compile_prompt(mcp__compiler *x, mcp__prompt *p) {
    if (!p->name.n) return mcp__wrong(x, NULL, "the name is empty");
    if (!p->row->get) return mcp__wrong(x, NULL, "it has no handler");
    if (!mcp__compile_icons(x, p->row->icons)) return false;
    for (const mcp_arg *arg = p->row->args; arg && arg->name; arg++)
        if (arg->type != MCP_STRING || arg->schema)
            return mcp__wrong(x, arg, "a prompt's arguments are strings");
    return mcp__compile_raw(x, "meta", p->row->meta, &p->meta) &&
           mcp__compile_table(x, p->row->args, 0, &p->args) &&
           mcp__compile_headers(x, &p->args, &p->args, false);
}

/* The rows of a template's variables, in its order: the author's, or a string. */
MCP__PRIVATE bool mcp__compile_variables(mcp__compiler *x, mcp__resource *r) {
    const mcp__template *t = r->pattern;
    mcp_arg *rows = (mcp_arg *)mcp__arena_array(x->arena, t->variables + 1, sizeof *rows);
    size_t named = 0, given = 0;
    if (!rows) return mcp__no_memory(x);
    for (size_t i = 0; i < t->variables; i++) {
        mcp__str name = t->variable[i].name;
        const mcp_arg *arg = r->row->args;
        while (arg && arg->name && !mcp__str_same(mcp__str_of(arg->name), name)) arg++;
        if (arg && arg->name) rows[i] = *arg, named++;
        rows[i].name = mcp__arena_copy(x->arena, name.s, name.n);
        if (!rows[i].name) return mcp__no_memory(x);
    }
    for (const mcp_arg *arg = r->row->args; arg && arg->name; arg++) given++;
    if (named != given) return mcp__wrong(x, NULL, "args has a row that is no variable of the URI");
    return mcp__compile_table(x, rows, 0, &r->args);
}

MCP__PRIVATE bool mcp__compile_resource(mcp__compiler *x, mcp__resource *r) {
    const mcp_resource *row = r->row;
    const char *why;
    int sources = !!row->read + !!row->text + !!row->bytes + !!row->file;
    if ((why = mcp__uri_wrong(row->uri, true)) != NULL) return mcp__wrong(x, NULL, why);
    if (sources != 1) return mcp__wrong(x, NULL, "it needs exactly one of read, text, bytes, file");
    if (!mcp__compile_icons(x, row->icons) || !mcp__compile_cache(x, &row->cache)) return false;
    if (row->mime && !mcp__is_mime(row->mime))
        return mcp__wrong(x, NULL, "mime is not like text/plain");
    if (row->bytes && !row->size) return mcp__wrong(x, NULL, "bytes without a size");
    if (row->size < MCP_ZERO) return mcp__wrong(x, NULL, "size is below 0");
    if ((why = mcp__annotations_wrong(&row->annotations)) != NULL) return mcp__wrong(x, NULL, why);
    if (row->annotations.last_modified && !mcp__is_date(row->annotations.last_modified))
        return mcp__wrong(x, NULL, "last_modified is not like 2026-07-28T12:00:00Z");
    if (!mcp__compile_raw(x, "meta", row->meta, &r->meta)) return false;
    if (!strchr(row->uri, '{')) {
        if (row->args || row->list) return mcp__wrong(x, NULL, "args and list are for templates");
        return mcp__compile_table(x, NULL, 0, &r->args);
    }
    if (!row->read) return mcp__wrong(x, NULL, "a template needs a read handler");
    r->pattern = mcp__template_new(x->arena, row->uri, &why);
    if (!r->pattern) return why ? mcp__wrong(x, NULL, why) : mcp__no_memory(x);
    return mcp__compile_variables(x, r);
}

MCP__PRIVATE int mcp__order_rows(const void *a, const void *b) {
    return mcp__order_names(*(const mcp__str *const *)a, *(const mcp__str *const *)b);
}

/* Rows of that size by name; NULL: why is said. */
MCP__PRIVATE const mcp__str **mcp__compile_sorted(mcp__compiler *x, const void *rows, size_t count,
                                                  size_t size) {
    const mcp__str **sorted =
        (const mcp__str **)mcp__arena_array(x->arena, count + 1, sizeof *sorted);
    if (!sorted) return mcp__no_memory(x), (const mcp__str **)NULL;
    for (size_t i = 0; i < count; i++)
        sorted[i] = (const mcp__str *)(const void *)((const char *)rows + i * size);
    qsort(sorted, count, sizeof *sorted, mcp__order_rows);
    for (size_t i = 1; i < count; i++) {
        if (!mcp__str_same(*sorted[i - 1], *sorted[i])) continue;
        x->owner = sorted[i]->s;
        return mcp__wrong(x, NULL, "the name appears twice"), (const mcp__str **)NULL;
    }
    return sorted;
}

MCP__PRIVATE bool mcp__compile_index(mcp__compiler *x, mcp__table *t) {
    t->sorted = mcp__compile_sorted(x, t->rows, t->count, t->size);
    return t->sorted != NULL;
}

#define MCP__ONLY_TOOLS "MCP_TOOLS_ONLY is defined"

MCP__PRIVATE void mcp__note_completes(mcp__table *t, const mcp__rule *r) {
    for (size_t i = 0; i < r->members; i++)
        if (r->member[i].choices || r->member[i].row->complete) t->completes = true;
}

/* ---- pages become rows of resources ---- */

#ifdef MCP_TOOLS_ONLY
MCP__INLINE bool mcp__compile_pages(mcp__compiler *x, const mcp__table *t, mcp__table *others) {
    const mcp__tool *tool = (const mcp__tool *)(const void *)t->rows;
    (void)others;
    for (size_t i = 0; i < t->count; i++)
        if (tool[i].row->app || tool[i].row->visibility)
            return x->owner = tool[i].name.s, mcp__wrong(x, NULL, MCP__ONLY_TOOLS);
    return true;
}
#else
static const char *const mcp__csp_keys[] = { "connectDomains", "resourceDomains", "frameDomains",
                                             "baseUriDomains" };

/* Whether it may stand among the sources of a policy, where it ends no list and begins no other. */
MCP__PRIVATE bool mcp__csp_source(mcp__str s) {
    for (size_t i = 0; i < s.n; i++)
        if (s.s[i] <= ' ' || s.s[i] > '~' || strchr(";,'\"", s.s[i])) return false;
    return s.n > 0;
}

MCP__PRIVATE bool mcp__put_csp(mcp__compiler *x, mcp_writer *w, const mcp_app *app) {
    const char *lists[] = { app->connect_domains, app->resource_domains, app->frame_domains,
                            app->base_uri_domains };
    bool begun = false;
    for (size_t i = 0; i < MCP__COUNT(lists); i++) {
        mcp__str part = { NULL, 0 };
        if (!lists[i] || !*lists[i]) continue;
        if (!begun) mcp__put_obj(w, "csp");
        begun = true;
        mcp__put_arr(w, mcp__csp_keys[i]);
        while (mcp__list_next(&lists[i], &part)) {
            if (!mcp__csp_source(part))
                return mcp__wrong(x, NULL, "a domain is empty, or has one of space ; , ' \" in it");
            mcp__put_strn(w, NULL, part.s, part.n);
        }
        mcp__put_end(w);
    }
    if (begun) mcp__put_end(w);
    return true;
}

/* {"ui":{...}} and what the author adds; nothing at all if there is nothing to say. */
MCP__PRIVATE bool mcp__put_page_meta(mcp__compiler *x, mcp_writer *w, const mcp_app *app,
                                     mcp__str more) {
    static const char *const names[] = { "camera", "microphone", "geolocation", "clipboardWrite" };
    bool domains = app->connect_domains || app->resource_domains || app->frame_domains ||
                   app->base_uri_domains;
    if (domains || app->permissions || app->domain || app->prefers_border) {
        mcp__put_obj(w, "ui");
        if (!mcp__put_csp(x, w, app)) return false;
        if (app->permissions) {
            mcp__put_obj(w, "permissions");
            for (unsigned i = 0; i < MCP__COUNT(names); i++)
                if (app->permissions >> i & 1) mcp__put_obj(w, names[i]), mcp__put_end(w);
            mcp__put_end(w);
        }
        if (app->domain) mcp__put_str(w, "domain", app->domain);
        if (app->prefers_border) mcp__put_bool(w, "prefersBorder", app->prefers_border > 0);
        mcp__put_end(w);
    }
    for (const char *m = mcp__json_first(more.s); m; m = mcp__json_next(m)) mcp__put_member(w, m);
    return true;
}

/* The same as text in the arena; false: why is said. */
MCP__PRIVATE bool mcp__page_meta(mcp__compiler *x, const mcp_app *app, const char **text) {
    mcp__str more = { NULL, 0 };
    mcp__buf b;
    mcp_writer w;
    if (!mcp__compile_raw(x, "meta", app->meta, &more)) return false;
    if (mcp__json_get(more.s, "ui", 2))
        return mcp__wrong(x, NULL, "meta has a member ui, which the other fields write");
    mcp__buf_init(&b, x->arena->mem);
    mcp__writer_on(&w, &b);
    bool ok = mcp__put_page_meta(x, &w, app, more);
    bool some = w._state & MCP__BEGUN;
    if (ok && (mcp__writer_end(&w) ||
               (some && !(*text = mcp__arena_copy(x->arena, b.ptr, b.len)))))
        ok = mcp__no_memory(x);
    mcp__buf_free(&b);
    return ok;
}

MCP__PRIVATE bool mcp__compile_page(mcp__compiler *x, const mcp_app *app, mcp__resource *r) {
    x->kind = "app";
    x->owner = app->uri ? app->uri : "";
    if (strncmp(x->owner, "ui://", 5) || !app->uri[5])
        return mcp__wrong(x, NULL, "its URI does not begin with ui:// and a name");
    if (!!app->html + !!app->file + !!app->read != 1)
        return mcp__wrong(x, NULL, "it needs exactly one of html, file, read");
    if (app->permissions > 15) return mcp__wrong(x, NULL, "permissions has unknown bits");
    if (app->prefers_border < MCP_ZERO || app->prefers_border > 1)
        return mcp__wrong(x, NULL, "prefers_border is 1 or MCP_ZERO");
    mcp_resource *row = (mcp_resource *)mcp__arena_array(x->arena, 1, sizeof *row);
    if (!row) return mcp__no_memory(x);
    if (!mcp__page_meta(x, app, &row->meta)) return false;
    row->uri = app->uri;
    row->name = app->name ? app->name : app->uri + 5;
    row->desc = app->desc;
    row->mime = mcp__page_type;
    row->read = app->read;
    row->text = app->html;
    row->file = app->file;
    row->title = app->title;
    row->cache = app->cache;
    row->user = app->user;
    r->row = row;
    r->uri = mcp__str_of(app->uri);
    r->page = true;
    if (strchr(app->uri, '{')) return mcp__wrong(x, NULL, "its URI is no template");
    return mcp__compile_resource(x, r);
}

/* Each page once, however many tools share it. others: the resources, whose URIs are taken. */
MCP__PRIVATE bool mcp__compile_pages(mcp__compiler *x, mcp__table *t, const mcp__table *others) {
    const mcp__tool *tool = (const mcp__tool *)(const void *)t->rows;
    t->pages = (mcp__resource *)mcp__arena_array(x->arena, t->count + 1, sizeof *t->pages);
    const mcp_app **seen = (const mcp_app **)mcp__arena_array(x->arena, t->count + 1, sizeof *seen);
    if (!t->pages || !seen) return mcp__no_memory(x);
    for (size_t i = 0; i < t->count; i++) {
        const mcp_app *app = tool[i].row->app;
        size_t at = 0;
        if (app || tool[i].row->visibility) t->gated = true;
        while (at < t->page_count && seen[at] != app) at++;
        if (!app || at < t->page_count) continue;
        if (!mcp__compile_page(x, app, &t->pages[at])) return false;
        if (others && mcp__table_find(others, app->uri, strlen(app->uri)))
            return mcp__wrong(x, NULL, "a resource has the same URI");
        seen[t->page_count++] = app;
    }
    t->sorted_pages = mcp__compile_sorted(x, t->pages, t->page_count, sizeof *t->pages);
    return t->sorted_pages != NULL;
}
#endif

MCP__PRIVATE bool mcp__compile_tools(mcp__compiler *x, const mcp_server *s, mcp__table *t,
                                     const mcp_tool *rows) {
    const mcp__routing *routing = mcp__routing_of(s);
    size_t n = 0;
    if (rows && routing && (rows = routing->rows(x, rows)) == NULL) return false;
    bool routed = x->desc->include || x->desc->exclude;
    for (; rows && rows[n].name; n++) routed |= rows[n].route != NULL;
    routed |= rows && (rows[n].route || rows[n].mount);
    if (routed && !routing) return mcp__wrong(x, NULL, MCP__ONLY_TOOLS);
    if (rows && (rows[n].desc || rows[n].call || rows[n].args))
        return mcp__wrong(x, NULL, "a row behind it has no name");
    mcp__tool *tool = (mcp__tool *)mcp__arena_array(x->arena, n + 1, sizeof *tool);
    if (!tool) return mcp__no_memory(x);
    t->rows = (char *)tool;
    for (; t->count < n; t->count++, tool++) {
        tool->row = &rows[t->count];
        tool->name = mcp__str_of(x->owner = tool->row->name);
        if (!mcp__compile_tool(x, tool)) return false;
        t->tasks |= tool->row->task != 0;
    }
    return (!routing || routing->index(x, s, t)) && mcp__compile_index(x, t) &&
           mcp__compile_pages(x, t, s->table[MCP__RESOURCE]);
}

/* More rows of resources, behind those that are there. */
MCP__PRIVATE bool mcp__compile_rows(mcp__compiler *x, mcp__table *t, const mcp_resource *rows,
                                    size_t n) {
    size_t all = t->count + n;
    mcp__resource *exact = (mcp__resource *)mcp__arena_array(x->arena, all + 1, sizeof *exact);
    mcp__resource *open = (mcp__resource *)mcp__arena_array(x->arena, n + 1, sizeof *open);
    if (!exact || !open) return mcp__no_memory(x);
    if (t->count) memcpy(exact, t->rows, t->count * sizeof *exact);
    t->rows = (char *)exact;
    if (!t->templates) t->templates = open; /* only the author's rows have any: they come first */
    for (size_t i = 0; i < n; i++) {
        bool is_template = strchr(rows[i].uri, '{') != NULL;
        mcp__resource *r = is_template ? &t->templates[t->template_count++] : &exact[t->count++];
        r->row = &rows[i];
        r->uri = mcp__str_of(x->owner = rows[i].uri);
        if (!mcp__compile_resource(x, r)) return false;
        mcp__note_completes(t, &r->args);
    }
    return true;
}

/* ---- skills become rows of resources ---- */

/* name or desc from "name: value" lines between two of "---"; quotes are taken off. */
MCP__PRIVATE mcp__str mcp__front_matter(mcp__str text, const char *key) {
    mcp__str none = { NULL, 0 };
    const char *p = text.s, *end = text.s + text.n;
    size_t n = strlen(key);
    for (size_t line = 0; p < end; line++) {
        const char *lf = (const char *)memchr(p, '\n', (size_t)(end - p));
        mcp__str at = { p, (size_t)((lf ? lf : end) - p) };
        p = lf ? lf + 1 : end;
        if (at.n && at.s[at.n - 1] == '\r') at.n--;
        bool fence = at.n == 3 && memcmp(at.s, "---", 3) == 0;
        if (fence != (line == 0)) return none;
        if (at.n <= n || memcmp(at.s, key, n) || at.s[n] != ':') continue;
        for (at.s += n + 1, at.n -= n + 1; at.n && *at.s == ' ';) at.s++, at.n--;
        while (at.n && at.s[at.n - 1] == ' ') at.n--;
        bool quoted = at.n >= 2 && (*at.s == '"' || *at.s == '\'') && at.s[at.n - 1] == *at.s;
        if (quoted) at.s++, at.n -= 2;
        return at;
    }
    return none;
}

MCP__PRIVATE bool mcp__compile_skill_name(mcp__compiler *x, const mcp__skill *skill) {
    bool ok = skill->name.n >= 1 && skill->name.n <= 64;
    for (size_t i = 0; ok && i < skill->name.n; i++) {
        char c = skill->name.s[i];
        ok = (c >= 'a' && c <= 'z') || mcp__is_digit(c) || c == '-';
    }
    if (!ok) return mcp__wrong(x, NULL, "a skill's name is 1 to 64 of a-z 0-9 -");
    return skill->desc.n ? true : mcp__wrong(x, NULL, "it has no description");
}

typedef struct mcp__skill_files {
    mcp__arena *arena;
    char **path;
    size_t count, cap;
    bool failed;
} mcp__skill_files;

MCP__PRIVATE void mcp__skill_file_found(void *user, const char *path) {
    mcp__skill_files *f = (mcp__skill_files *)user;
    if (f->count == f->cap) {
        size_t cap = f->cap ? 2 * f->cap : 16;
        char **more = (char **)mcp__arena_array(f->arena, cap, sizeof *more);
        if (more && f->count) memcpy(more, f->path, f->count * sizeof *more);
        f->failed |= !more;
        if (more) f->path = more, f->cap = cap;
    }
    char *copy = mcp__arena_copy(f->arena, path, strlen(path));
    if (!copy || f->failed) f->failed = true;
    else f->path[f->count++] = copy;
}

MCP__PRIVATE int mcp__order_paths(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* a then b, in the arena; NULL: out of memory. */
MCP__PRIVATE char *mcp__joined(mcp__arena *arena, mcp__str a, const char *b) {
    size_t n = strlen(b);
    char *p = (char *)mcp__arena_raw(arena, a.n + n + 1);
    if (!p) return NULL;
    memcpy(p, a.s, a.n);
    memcpy(p + a.n, b, n + 1);
    return p;
}

/* The type of a file by the end of its name. */
MCP__PRIVATE const char *mcp__type_of_name(const char *path) {
    static const char *const types[][2] = {
        { ".md", "text/markdown" }, { ".txt", "text/plain" }, { ".json", "application/json" },
        { ".py", "text/x-python" }, { ".sh", "text/x-shellscript" }, { ".js", "text/javascript" },
        { ".html", "text/html" }, { ".css", "text/css" }, { ".csv", "text/csv" },
        { ".xml", "application/xml" }, { ".yaml", "text/yaml" }, { ".yml", "text/yaml" },
        { ".png", "image/png" }, { ".jpg", "image/jpeg" }, { ".svg", "image/svg+xml" },
        { ".pdf", "application/pdf" } };
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < MCP__COUNT(types); i++)
        if (strcmp(dot, types[i][0]) == 0) return types[i][1];
    return "application/octet-stream";
}

/* The row of one file: what is in it comes from the caller. */
MCP__PRIVATE mcp_resource *mcp__skill_row(mcp__compiler *x, const mcp__skill *skill,
                                          const char *path, mcp_resource *row) {
    const char *slash = strrchr(path, '/');
    mcp__str normal = mcp__uri_normal(x->arena, path, strlen(path));
    row->uri = normal.s ? mcp__joined(x->arena, skill->root, normal.s) : NULL;
    if (!row->uri) return mcp__no_memory(x), (mcp_resource *)NULL;
    if (!row->mime) row->mime = mcp__type_of_name(path);
    if (!row->name) row->name = slash ? slash + 1 : path;
    return row;
}

MCP__PRIVATE void mcp__put_chars(mcp_writer *w, const char *s) { mcp__put_plain(w, s, strlen(s)); }

/* SKILL.md of a table: front matter that YAML reads back as it was, then the text. */
MCP__PRIVATE char *mcp__skill_text(mcp__compiler *x, const mcp_skill *row) {
    mcp__buf b;
    mcp_writer w;
    mcp__buf_init(&b, x->arena->mem);
    mcp__writer_on(&w, &b);
    mcp__put_chars(&w, "---\nname: ");
    mcp__put_chars(&w, row->name);
    mcp__put_chars(&w, "\ndescription: \"");
    mcp__put_escaped(&w, row->desc, strlen(row->desc)); /* JSON's strings are YAML's, too */
    mcp__put_chars(&w, "\"\n---\n");
    mcp__put_chars(&w, row->text ? row->text : "");
    mcp__writer_sync(&w);
    char *copy = w.status ? NULL : mcp__arena_copy(x->arena, b.ptr, b.len);
    mcp__buf_free(&b);
    return copy;
}

/* Rows for a skill that the author wrote out. */
MCP__PRIVATE size_t mcp__skill_written(mcp__compiler *x, mcp__skill *skill, const mcp_skill *row,
                                       mcp_resource *out) {
    size_t n = 1;
    out[0].text = mcp__skill_text(x, row);
    if (!out[0].text) return mcp__no_memory(x), (size_t)0;
    for (const mcp_resource *f = row->files; f && f->uri; f++, n++) {
        out[n] = *f;
        if (!mcp__skill_row(x, skill, f->uri, &out[n])) return 0;
    }
    return n;
}

/* Rows for a folder. */
MCP__PRIVATE size_t mcp__skill_folder(mcp__compiler *x, mcp__skill *skill, const char *dir,
                                      mcp__skill_files *files, mcp_resource *out) {
    mcp__str base = mcp__str_of(mcp__joined(x->arena, mcp__str_of(dir), "/"));
    size_t n = 1;
    for (size_t i = 0; i < files->count; i++) {
        bool main_file = strcmp(files->path[i], "SKILL.md") == 0;
        mcp_resource *row = main_file ? &out[0] : &out[n++];
        row->file = mcp__joined(x->arena, base, files->path[i]);
        if (!row->file) return mcp__no_memory(x), (size_t)0;
        if (!main_file && !mcp__skill_row(x, skill, files->path[i], row)) return 0;
    }
    return n;
}

/* Reads SKILL.md of a folder for the name and the description. */
MCP__PRIVATE bool mcp__skill_read(mcp__compiler *x, const mcp__system *system, const char *dir,
                                  mcp__skill *skill) {
    const char *path = mcp__joined(x->arena, mcp__str_of(dir), "/SKILL.md");
    mcp__buf b;
    mcp__buf_init(&b, x->arena->mem);
    bool ok = path && system->file_load && system->file_load(path, &b);
    const char *copy = ok ? mcp__arena_copy(x->arena, b.ptr, b.len) : NULL;
    mcp__str text = { copy, b.len };
    bool exhausted = !path || b.status || (ok && !copy);
    mcp__buf_free(&b);
    if (exhausted) return mcp__no_memory(x);
    if (!copy) return mcp__wrong(x, NULL, "its folder has no SKILL.md that can be read");
    skill->name = mcp__front_matter(text, "name");
    skill->desc = mcp__front_matter(text, "description");
    return true;
}

/* One skill's rows, compiled behind those that are there. */
MCP__PRIVATE bool mcp__compile_skill(mcp__compiler *x, const mcp__system *system, mcp__table *t,
                                     const mcp_skill *row, mcp__skill *skill) {
    mcp__skill_files files = { x->arena, NULL, 0, 0, false };
    size_t n = 1;
    x->kind = "skill";
    x->owner = row->name ? row->name : row->dir;
    skill->name = mcp__str_of(row->name);
    skill->desc = mcp__str_of(row->desc);
    if (row->dir && !mcp__skill_read(x, system, row->dir, skill)) return false;
    if (!mcp__compile_skill_name(x, skill)) return false;
    if (row->dir) {
        if (!system->walk(row->dir, mcp__skill_file_found, &files))
            return mcp__wrong(x, NULL, "its folder cannot be read");
        if (files.failed) return mcp__no_memory(x);
        qsort(files.path, files.count, sizeof *files.path, mcp__order_paths);
        n = files.count;
    } else {
        for (const mcp_resource *f = row->files; f && f->uri; f++) n++;
    }
    char root[80] = "skill://";
    strncat(root, skill->name.s, skill->name.n);
    skill->root = mcp__str_of(mcp__joined(x->arena, mcp__str_of(root), "/"));
    mcp_resource *rows = (mcp_resource *)mcp__arena_array(x->arena, n + 1, sizeof *rows);
    if (!rows || !skill->root.n) return mcp__no_memory(x);
    rows[0].name = mcp__arena_copy(x->arena, skill->name.s, skill->name.n);
    rows[0].desc = mcp__arena_copy(x->arena, skill->desc.s, skill->desc.n);
    if (!rows[0].name || !rows[0].desc) return mcp__no_memory(x);
    if (!mcp__skill_row(x, skill, "SKILL.md", &rows[0])) return false;
    skill->count = row->dir ? mcp__skill_folder(x, skill, row->dir, &files, rows)
                            : mcp__skill_written(x, skill, row, rows);
    skill->first = t->count;
    return skill->count && mcp__compile_rows(x, t, rows, skill->count);
}

MCP__PRIVATE bool mcp__compile_skills(mcp__compiler *x, const mcp__system *system, mcp__table *t,
                                      const mcp_skill *rows) {
    size_t n = 0;
    while (rows && (rows[n].name || rows[n].dir)) n++;
    t->skills = (mcp__skill *)mcp__arena_array(x->arena, n + 1, sizeof *t->skills);
    if (!t->skills) return mcp__no_memory(x);
    for (; t->skill_count < n; t->skill_count++) {
        size_t i = t->skill_count;
        if (!mcp__compile_skill(x, system, t, &rows[i], &t->skills[i])) return false;
    }
    return true;
}

MCP__PRIVATE bool mcp__compile_resources(mcp__compiler *x, const mcp_server *s, mcp__table *t,
                                         const mcp_resource *rows) {
    size_t n = 0;
    while (rows && rows[n].uri) n++;
    if (rows && (rows[n].name || rows[n].desc || rows[n].read || rows[n].text))
        return mcp__wrong(x, NULL, "a row of resources has no URI");
    const mcp__routing *about = s->desc.flags & MCP_ABOUT ? mcp__routing_of(s) : NULL;
    if (!mcp__compile_rows(x, t, rows, n) || (about && !about->about(x, t)) ||
        !mcp__compile_skills(x, s->system, t, s->desc.skills) || !mcp__compile_index(x, t))
        return false;
    const mcp__table *tools = s->table[MCP__TOOL];
    for (size_t i = 0; tools && i < tools->page_count; i++)
        if (mcp__table_find(t, tools->pages[i].uri.s, tools->pages[i].uri.n))
            return x->owner = tools->pages[i].uri.s, mcp__wrong(x, NULL, "a page has the same URI");
    return true;
}

MCP__PRIVATE bool mcp__compile_prompts(mcp__compiler *x, mcp__table *t, const mcp_prompt *rows) {
    size_t n = 0;
    while (rows && rows[n].name) n++;
    if (rows && (rows[n].desc || rows[n].get || rows[n].args))
        return mcp__wrong(x, NULL, "a row behind it has no name");
    mcp__prompt *prompt = (mcp__prompt *)mcp__arena_array(x->arena, n + 1, sizeof *prompt);
    if (!prompt) return mcp__no_memory(x);
    t->rows = (char *)prompt;
    for (; t->count < n; t->count++, prompt++) {
        prompt->row = &rows[t->count];
        prompt->name = mcp__str_of(x->owner = prompt->row->name);
        if (!mcp__compile_prompt(x, prompt)) return false;
        mcp__note_completes(t, &prompt->args);
    }
    return mcp__compile_index(x, t);
}

/* A table of that kind in place of what is there, which lives on for the calls that use it. */
MCP__PRIVATE bool mcp__compile_kind(mcp__compiler *x, mcp_server *s, mcp__kind kind,
                                    const void *rows) {
    static const char *const names[] = { "tool", "resource", "prompt" };
    static const size_t sizes[] = { sizeof(mcp__tool), sizeof(mcp__resource), sizeof(mcp__prompt) };
    mcp__table *t = (mcp__table *)mcp__realloc(&s->mem, NULL, 0, sizeof *t);
    if (!t) return mcp__no_memory(x);
    memset(t, 0, sizeof *t);
    mcp__arena_init(&t->arena, &s->mem);
    t->users = 1;
    t->size = sizes[kind];
    x->arena = &t->arena;
    x->kind = names[kind];
#ifdef MCP_TOOLS_ONLY
    bool ok = mcp__compile_tools(x, s, t, kind == MCP__TOOL ? (const mcp_tool *)rows : NULL);
    if (rows && kind != MCP__TOOL) ok = mcp__wrong(x, NULL, MCP__ONLY_TOOLS);
#else
    bool ok = kind == MCP__TOOL ? mcp__compile_tools(x, s, t, (const mcp_tool *)rows)
            : kind == MCP__RESOURCE ? mcp__compile_resources(x, s, t, (const mcp_resource *)rows)
                                    : mcp__compile_prompts(x, t, (const mcp_prompt *)rows);
#endif
    mcp__table *old = ok ? s->table[kind] : t;
    if (ok) s->table[kind] = t;
    mcp__table_free(s, old);
    return ok;
}

/* What the author adds; what the server declares by itself is not said twice. */
MCP__PRIVATE bool mcp__compile_capabilities(mcp__compiler *x, mcp_server *s) {
    static const char *const ours[] = { "logging", "completions", "prompts", "resources", "tools",
                                        "tasks" };
    if (!mcp__compile_raw(x, "capabilities", s->desc.capabilities, &s->capabilities)) return false;
    for (size_t i = 0; i < MCP__COUNT(ours); i++)
        if (mcp__json_get(s->capabilities.s, ours[i], strlen(ours[i])))
            return mcp__wrong(x, NULL, "capabilities has a member that the server adds itself");
    const char *more = mcp__json_get(s->capabilities.s, "extensions", 10);
    return !more || mcp__json_type(more) == MCP_OBJECT ||
           mcp__wrong(x, NULL, "extensions is not an object");
}

MCP__PRIVATE bool mcp__compile_http(mcp__compiler *x, const mcp_http *h) {
    if (h->port < MCP_ZERO || h->port > 65535)
        return mcp__wrong(x, NULL, "http.port is not within 1 and 65535");
    if (h->path[0] != '/' || strpbrk(h->path, " ?#"))
        return mcp__wrong(x, NULL, "http.path is not like /mcp");
    if (h->head_ms < MCP_ZERO || h->body_ms < MCP_ZERO || h->idle_ms < MCP_ZERO ||
        h->keepalive_ms < MCP_ZERO || h->session_ms < MCP_ZERO)
        return mcp__wrong(x, NULL, "a time of http is below 0");
    return true;
}

MCP__PRIVATE bool mcp__compile_server(mcp__compiler *x, mcp_server *s) {
    const mcp_server_desc *d = &s->desc;
    x->owner = d->name ? d->name : "";
    if (!d->name || !*d->name) return mcp__wrong(x, NULL, "a server needs a name");
    if (d->versions & ~(unsigned)(MCP__LEGACY | MCP__MODERN))
        return mcp__wrong(x, NULL, "versions has unknown bits");
    if (d->website && strncmp(d->website, "https:", 6) && strncmp(d->website, "http:", 5))
        return mcp__wrong(x, NULL, "website is an https: or http: URL");
    if (!mcp__compile_icons(x, d->icons) || !mcp__compile_cache(x, &x->desc->cache)) return false;
    if (d->flags > 0x1FF) return mcp__wrong(x, NULL, "flags has unknown bits");
    if (d->ask_ms < MCP_ZERO) return mcp__wrong(x, NULL, "ask_ms is below 0");
    if (!mcp__compile_http(x, &d->http)) return false;
    if (d->changes & ~(unsigned)(MCP_TOOLS | MCP_RESOURCES | MCP_PROMPTS))
        return mcp__wrong(x, NULL, "changes has unknown bits");
    if (d->secret && d->secret_size < 32)
        return mcp__wrong(x, NULL, "a secret has 32 bytes or more");
    if (d->trace.func && (!d->clock.func || !d->random.func))
        return mcp__wrong(x, NULL, "tracing needs a clock and a random hook");
    if (!mcp__compile_capabilities(x, s)) return false;
    const void *rows[MCP__KINDS] = { d->tools, d->resources, d->prompts };
    for (int kind = 0; kind < MCP__KINDS; kind++) {
        s->offers[kind] = rows[kind] || d->changes >> kind & 1; /* MCP_TOOLS ... in that order */
        bool about = mcp__routing_of(s) && d->flags & MCP_ABOUT;
        if (kind == MCP__RESOURCE && (d->skills || about || s->table[MCP__TOOL]->page_count))
            s->offers[kind] = true;
        if (!mcp__compile_kind(x, s, (mcp__kind)kind, rows[kind])) return false;
    }
    return true;
}

/* The one line that says what is wrong with a table. */
MCP__PRIVATE void mcp__log_wrong(const mcp_server_desc *d, mcp__buf *why) {
    bool told = why->len && mcp__buf_add(why, "", 1);
    mcp__log(d, MCP_LOG_ERROR, told ? MCP_MISUSE : MCP_NOMEM,
             told ? why->ptr : mcp__status_text(MCP_NOMEM));
}

/* Other rows at run time. */
MCP__PRIVATE int mcp__replace(mcp_server *s, mcp__kind kind, const void *rows) {
    mcp__buf why;
    mcp__buf_init(&why, &s->mem);
    mcp__compiler x = { &s->desc, &s->arena, &why, "server", s->desc.name };
    size_t pages = s->table[MCP__TOOL]->page_count;
    bool ok = mcp__compile_kind(&x, s, kind, rows);
    if (ok && rows) s->offers[kind] = true;
    pages += s->table[MCP__TOOL]->page_count;
    if (kind == MCP__TOOL && pages) s->offers[MCP__RESOURCE] = true;
    if (ok) mcp__changed(s, 1u << kind | (pages ? (unsigned)MCP_RESOURCES : 0u));
    else mcp__log_wrong(&s->desc, &why);
    int rc = ok ? MCP_OK : why.status ? MCP_NOMEM : MCP_MISUSE;
    mcp__buf_free(&why);
    for (mcp_conn *k = s->conns; ok && k; k = k->next) mcp__settle_conn(k);
    return rc;
}

/* Nobody waits for them any more. */
MCP__PRIVATE void mcp__drop_open(mcp_conn *k) {
    while (k->open) {
        mcp_call *c = k->open;
        mcp__unlink(&k->open, c);
        mcp__call_end(c);
    }
}

MCP__PRIVATE void mcp__server_free(mcp_server *s) {
    if (!s) return;
    for (mcp_conn *k = s->conns; k; k = k->next) {
        MCP_ASSERT(!k->running && "mcp_server_free in a handler");
        if (k->running) return;
    }
    if (s->http) s->http->finish(s);
    while (s->conns) mcp__conn_free(s->conns);
    if (s->wake_end) s->wake_end(s);
    mcp__tasks_free(s);
    mcp__drop_open(&s->later);
    mcp__drop_open(&s->limbo);
    mcp__run_posted(s, false);
    while (s->timers) {
        mcp__timer *t = s->timers;
        s->timers = t->next;
        mcp__realloc(&s->mem, t, sizeof *t, 0);
    }
    while (s->spare) {
        mcp_call *c = s->spare;
        s->spare = c->next;
        mcp__call_destroy(c);
    }
    for (int kind = 0; kind < MCP__KINDS; kind++) mcp__table_free(s, s->table[kind]);
    mcp__arena_reset(&s->arena, 0);
    mcp__mem mem = s->mem; /* the hook outlives what it frees */
    mcp__realloc(&mem, s, sizeof *s, 0);
}

MCP__PRIVATE mcp_server *mcp__server_new(const mcp_server_desc *desc, const mcp__system *system) {
    MCP_ASSERT(desc && !desc->_start_canary && !desc->_end_canary); /* not zeroed? */
    if (!desc || desc->_start_canary || desc->_end_canary) return NULL;
    mcp__mem mem = { desc->alloc };
    mcp_server *s = (mcp_server *)mcp__realloc(&mem, NULL, 0, sizeof *s);
    mcp__buf why;
    mcp__buf_init(&why, &mem);
    mcp__compiler x = { desc, NULL, &why, "server", "" };
    bool ok = s != NULL;
    if (ok) {
        memset(s, 0, sizeof *s);
        s->mem = mem;
        s->desc = *desc;
        mcp__arena_init(&s->arena, &s->mem);
        mcp__conn_init(&s->limbo, s);
        mcp__conn_init(&s->later, s);
        s->limbo.status = MCP_IO;
        s->limbo.transport = s->later.transport = "none";
        s->later.pump = mcp__later_pump;
        s->later.take = mcp__later_take;
        x.arena = &s->arena;
        if (!s->desc.clock.func) s->desc.clock = system->clock;
        if (!s->desc.random.func) s->desc.random = system->random;
        s->system = system;
        ok = mcp__own_desc(s) ? mcp__compile_server(&x, s) : mcp__no_memory(&x);
    }
    if (!ok) {
        mcp__log_wrong(desc, &why);
        mcp__server_free(s);
        s = NULL;
    }
    mcp__buf_free(&why);
    return s;
}

#ifndef MCP_TOOLS_ONLY
/* ---- the policy of a page, for hosts ----
   MCP Apps 2026-01-26: what is not declared is blocked, and who declares nothing connects to
   nothing. What stands in a page's _meta is a stranger's: it must not end a directive. */

typedef struct mcp__csp_row {
    const char *name, *plain; /* without a declaration, or if nothing else stands there */
    const char *declared;     /* with one, before the domains of */
    int key;                  /* mcp__csp_keys; -1: of none */
} mcp__csp_row;

static const mcp__csp_row mcp__csp_rows[] = {
    { "default-src", "'none'", "'none'", -1 },
    { "script-src", "'self' 'unsafe-inline'", "'self' 'unsafe-inline'", 1 },
    { "style-src", "'self' 'unsafe-inline'", "'self' 'unsafe-inline'", 1 },
    { "connect-src", "'none'", "'self'", 0 },
    { "img-src", "'self' data:", "'self' data: blob:", 1 },
    { "font-src", NULL, "'self' data:", 1 },
    { "media-src", "'self' data:", "'self' data: blob:", 1 },
    { "frame-src", "'none'", NULL, 2 },
    { "object-src", "'none'", "'none'", -1 },
    { "base-uri", "'self'", NULL, 3 } };

MCP__PRIVATE void mcp__put_policy(mcp_writer *w, const mcp__csp_row *row, const char *csp) {
    const char *key = row->key < 0 ? NULL : mcp__csp_keys[row->key];
    const char *list = key ? mcp__json_get(csp, key, strlen(key)) : NULL;
    const char *fixed = csp ? row->declared : row->plain;
    bool some = fixed != NULL;
    mcp__put_chars(w, row->name);
    if (fixed) mcp__put_chars(w, " "), mcp__put_chars(w, fixed);
    for (const char *v = mcp__json_type(list) == MCP_ARRAY ? mcp__json_first(list) : NULL; v;
         v = mcp__json_next(v)) {
        mcp__str source = { NULL, 0 };
        source.s = mcp__json_text(v, &source.n);
        if (!mcp__csp_source(source)) continue;
        some = true;
        mcp__put_chars(w, " ");
        mcp__put_plain(w, source.s, source.n);
    }
    if (!some) mcp__put_chars(w, " "), mcp__put_chars(w, row->plain);
}

MCP__PRIVATE int mcp__app_csp(const char *ui, char *buf, size_t n) {
    static const mcp_write_hook none = { NULL, NULL };
    const char *csp = mcp__json_get(ui, "csp", 3);
    mcp_writer w;
    if (mcp__json_type(csp) != MCP_OBJECT) csp = NULL;
    mcp__writer_init(&w, buf, n, none);
    for (size_t i = 0; i < MCP__COUNT(mcp__csp_rows); i++) {
        if (!csp && !mcp__csp_rows[i].plain) continue;
        if (i) mcp__put_chars(&w, "; ");
        mcp__put_policy(&w, &mcp__csp_rows[i], csp);
    }
    if (n) buf[w.status ? 0 : w.size] = 0;
    return n ? w.status : MCP_LIMIT;
}
#endif

#ifndef MCP_NO_STDIO
/* ---- the ready-made log hook: a line on stderr ---- */
MCP__PRIVATE void mcp__log_stderr(void *user, int level, int status, const char *text) {
    (void)user;
    if (level < MCP_LOG_DEBUG || level > MCP_LOG_EMERGENCY) level = MCP_LOG_ERROR;
    (void)status; /* text says it in words */
    const char *const part[] = { "mcp: ", mcp__levels[level], ": ", text, "\n" };
    for (size_t i = 0; i < MCP__COUNT(part); i++) fputs(part[i], stderr); /* not all of printf */
    fflush(stderr); /* which Windows buffers, if it is no console */
}
#endif

/* ---- >>http ------------------------------------------------------------------------------------
   HTTP as a second face of the same core, still without I/O. A request becomes an exchange: a
   connection of its own, whose stream is the reply. Of 2026-07-28 it is all that there is; of the
   older versions it joins a session. A reply is JSON, whole, unless there is something to tell
   before the answer: then it turns into a stream of events. Below that, HTTP/1.1 in bytes: one
   exchange at a time, and what is not plainly right is refused and hung up on, so that nobody in
   front of us can take it for something else.

       bytes -> mcp__wire -> mcp__exchange -> messages     RFC 9112, RFC 9110, WHATWG HTML 9.2
*/
#ifndef MCP_NO_HTTP

typedef enum mcp__mode {
    MCP__SILENT,             /* nothing has left */
    MCP__WHOLE,              /* JSON that leaves in pieces */
    MCP__EVENTS,
    MCP__REPLIED             /* nothing more may leave */
} mcp__mode;

typedef struct mcp__exchange {
    mcp_conn conn;           /* the stream; first, so that one is the other */
    struct mcp__exchange *next; /* of those that are over, or spare */
    mcp_reply_hook reply;    /* func NULL: nobody waits */
    mcp__arena arena;        /* the request's headers */
    mcp__mode mode;
    bool may_whole, may_events; /* what the client accepts */
    bool received;           /* the request is all in: what is idle is over */
    bool asked;              /* a request of JSON-RPC's is in it: 202 is no answer */
    bool standing;           /* stays without calls: a session's stream of its own */
    bool named;              /* event: message, as 2024-11-05 has it */
    bool begun, over;        /* the status is out; it waits to be reused */
    bool lost;               /* the reply was not taken: who waited is gone */
    bool moved;              /* the reply is another's now, which goes on */
    bool rest;               /* it speaks REST: */
    mcp_call *call;          /* what runs for it, */
    const char *args;        /* with these arguments; */
    const char *type;        /* what the answer is; NULL: JSON */
    int status;              /* instead of http_status, or 0 */
    unsigned number;         /* among the session's streams, */
    unsigned events;         /* and how many it had; no ids without a session */
    mcp_conn *wire;          /* that waits for it, or NULL */
    bool begins;             /* a session, of which the reply tells */
    mcp_attr header[12];     /* of the reply */
    size_t headers;
    int64_t spoke_ns;
} mcp__exchange;

/* ---- the reply ---- */
MCP__PRIVATE void mcp__reply_header(mcp__exchange *x, const char *key, const char *value) {
    if (x->headers + 1 < MCP__COUNT(x->header)) {
        mcp_attr header = { key, value };
        x->header[x->headers++] = header;
    }
}

/* A piece of the body; the first brings the head along. */
MCP__PRIVATE int mcp__reply_part(mcp__exchange *x, const void *p, size_t n, bool last) {
    mcp_reply_hook reply = x->reply;
    mcp_http_part part = { 0, NULL, p, n, last };
    if (!reply.func) return MCP_OK;
    if (!x->begun) {
        part.status = x->status ? x->status : x->conn.http_status;
        if (x->mode == MCP__EVENTS) {
            part.status = 200;
            mcp__reply_header(x, "Content-Type", "text/event-stream");
            mcp__reply_header(x, "Cache-Control", "no-cache");
            mcp__reply_header(x, "X-Accel-Buffering", "no"); /* nginx, and who follows it */
        } else if (n) mcp__reply_header(x, "Content-Type", x->type ? x->type : MCP__JSON_TYPE);
        if (x->begins && x->conn.session->version)
            mcp__reply_header(x, "Mcp-Session-Id", x->conn.session->id);
        x->header[x->headers].key = NULL;
        part.headers = x->header;
        x->begun = true;
    }
    if (last) x->reply.func = NULL;
    x->spoke_ns = mcp__now(x->conn.server);
    if (reply.func(reply.user, &part) == MCP_OK) return MCP_OK;
    x->reply.func = NULL;
    x->lost = true;
    return x->conn.session->id[0] ? MCP_OK : MCP_IO; /* in a session the work goes on */
}

MCP__PRIVATE int mcp__exchange_write(void *user, const void *p, size_t n) {
    return mcp__reply_part((mcp__exchange *)user, p, n, false);
}

/* Nothing more leaves. */
MCP__PRIVATE void mcp__reply_end(mcp__exchange *x) {
    mcp__flush(&x->conn);
    if (x->mode != MCP__REPLIED) mcp__reply_part(x, NULL, 0, true);
    x->mode = MCP__REPLIED;
}

/* ---- events ---- */

/* Kept in the session, the oldest making room; without memory it cannot be sent again. */
MCP__PRIVATE void mcp__event_keep(mcp__exchange *x, const char *text, size_t n) {
    mcp__session *session = x->conn.session;
    mcp_server *s = x->conn.server;
    size_t max = s->desc.limits.replay;
    if (!session->id[0] || x->named) return;
    while (session->events && session->event_bytes + n > max) {
        mcp__event *old = session->events;
        session->events = old->next;
        if (!old->next) session->last_event = NULL;
        session->event_bytes -= old->n;
        mcp__realloc(&s->mem, old, sizeof *old + old->n, 0);
    }
    if (n > max) return;
    mcp__event *e = (mcp__event *)mcp__realloc(&s->mem, NULL, 0, sizeof *e + n);
    if (!e) return;
    e->next = NULL;
    e->stream = x->number;
    e->number = x->events;
    e->n = n;
    memcpy(e->text, text, n);
    if (session->last_event) session->last_event->next = e;
    else session->events = e;
    session->last_event = e;
    session->event_bytes += n;
}

/* "id: 3-7" */
MCP__PRIVATE char *mcp__event_id(mcp__exchange *x, char *p) {
    memcpy(p, "id: ", 4);
    p = mcp__print_int(p + 4, x->number);
    *p++ = '-';
    p = mcp__print_int(p, ++x->events);
    *p++ = '\n';
    return p;
}

/* What stands before the message. */
MCP__PRIVATE mcp__str mcp__event_head(mcp__exchange *x, char *buf) {
    char *p = buf;
    if (x->named) memcpy(p, "event: message\n", 15), p += 15;
    else if (x->conn.session->id[0]) p = mcp__event_id(x, p);
    memcpy(p, "data: ", 6);
    mcp__str head = { buf, (size_t)(p + 6 - buf) };
    return head;
}

/* 2025-11-25: a stream begins with an id and no data; the client comes back after so long. */
MCP__PRIVATE void mcp__event_prime(mcp__exchange *x, int64_t retry_ms) {
    const mcp__version *v = x->conn.session->version;
    char text[100], *p;
    if (!v || !v->primes || !x->conn.session->id[0]) return;
    p = mcp__event_id(x, text);
    memcpy(p, "retry: ", 7);
    p = mcp__print_int(p + 7, retry_ms);
    memcpy(p, "\ndata:\n\n", 8);
    mcp__event_keep(x, text, (size_t)(p + 8 - text));
    mcp__buf_add(&x->conn.out, text, (size_t)(p + 8 - text));
}

/* The reply turns into a stream of events; false: it may not. */
MCP__PRIVATE bool mcp__events_begin(mcp__exchange *x) {
    if (x->mode == MCP__SILENT && x->may_events) {
        x->mode = MCP__EVENTS;
        mcp__event_prime(x, 1000);
    }
    return x->mode == MCP__EVENTS;
}

MCP__PRIVATE void mcp__http_whole(mcp_conn *k, bool answer, const mcp__str *part, size_t parts) {
    mcp__exchange *x = k->exchange;
    char buf[80];
    mcp__str all[10] = { { NULL, 0 } };
    size_t n = 0, from;
    bool whole = answer && x->mode == MCP__SILENT && (x->may_whole || !x->may_events);
    if (!whole && !mcp__events_begin(x)) return; /* the client cannot take it */
    if (!whole) all[n++] = mcp__event_head(x, buf);
    for (size_t i = 0; i < parts && n < 9; i++) all[n++] = part[i];
    if (!whole) all[n++] = mcp__str_of("\n\n");
    from = k->out.len;
    if (mcp__gather(&k->out, all, n, 0)) {
        if (!whole) mcp__event_keep(x, k->out.ptr + from, k->out.len - from);
        if (k->out.len >= MCP__COALESCE && !whole) mcp__flush(k);
    } else { /* no memory for it in one */
        mcp__flush(k);
        if (whole) x->mode = MCP__WHOLE;
        for (size_t i = 0; i < n; i++) mcp__write_out(k, all[i].s, all[i].n);
    }
    if (!whole) return;
    bool pieces = x->mode == MCP__WHOLE;
    if (mcp__reply_part(x, k->out.ptr, pieces ? 0 : k->out.len, true)) k->status = MCP_IO;
    x->mode = MCP__REPLIED;
    k->out.len = 0;
}

/* An answer in pieces: JSON if nothing was told before and nothing may come behind it, which are an
   older version's logs; else one event, which is not kept. */
MCP__PRIVATE void mcp__http_begin(mcp_conn *k) {
    mcp__exchange *x = k->exchange;
    const mcp_call *c = k->spilling;
    bool logs = c->log_level && !c->version->modern && (k->server->desc.flags & MCP_LOGGING);
    char buf[80];
    if (x->mode == MCP__SILENT && x->may_whole && !(logs && x->may_events)) x->mode = MCP__WHOLE;
    else if (mcp__events_begin(x)) {
        mcp__str head = mcp__event_head(x, buf);
        mcp__buf_add(&k->out, head.s, head.n);
    }
    mcp__flush(k);
}

MCP__PRIVATE void mcp__http_end(mcp_conn *k) {
    if (k->exchange->mode == MCP__EVENTS) mcp__write_out(k, "\n\n", 2);
    else mcp__reply_end(k->exchange);
}

MCP__PRIVATE void mcp__http_idle(mcp_conn *k) {
    mcp__exchange *x = k->exchange;
    if (!x->received || x->standing || x->over) return;
    if (x->mode == MCP__SILENT && x->asked && x->may_events) x->mode = MCP__EVENTS; /* cancelled */
    if (x->mode == MCP__SILENT) x->status = 202; /* a notification, a response */
    mcp__reply_end(x);
    x->over = true;
    x->next = k->server->exchanges;
    k->server->exchanges = x;
}

static const mcp__framing mcp__http_framing = { mcp__http_whole, mcp__http_begin, mcp__http_end,
                                                mcp__http_idle };

/* A short answer with no message in it; text: JSON, or NULL. */
MCP__PRIVATE void mcp__reply_plain(mcp__exchange *x, int status, const char *json) {
    x->status = status;
    if (json) mcp__reply_part(x, json, strlen(json), true);
    else mcp__reply_part(x, NULL, 0, true);
    x->mode = MCP__REPLIED;
    x->received = true;
    mcp__http_idle(&x->conn);
}

/* {"error":TEXT}, as REST has it; without memory NULL. It lives until the next one. */
MCP__PRIVATE const char *mcp__rest_error(mcp__exchange *x, mcp__str text) {
    mcp__buf *b = &x->conn.note;
    mcp_writer w;
    mcp__buf_reset(b, MCP__KEEP);
    mcp__writer_on(&w, b);
    mcp__put_strn(&w, "error", text.s, text.n);
    return mcp__writer_end(&w) == MCP_OK && mcp__buf_add(b, "", 1) ? b->ptr : NULL;
}

/* An error of HTTP's, as JSON-RPC has it, or REST; text needs no escapes. */
MCP__PRIVATE void mcp__reply_error(mcp__exchange *x, int status, int code, const char *text) {
    const mcp__str none = { NULL, 0 };
    if (x->rest) {
        mcp__reply_plain(x, status, mcp__rest_error(x, mcp__str_of(text)));
        return;
    }
    x->status = status;
    x->may_whole = true;
    mcp__send_error(&x->conn, NULL, none, code, text);
    x->received = true;
    mcp__http_idle(&x->conn);
}

/* ---- sessions ---- */
MCP__PRIVATE mcp__session *mcp__session_find(mcp_server *s, const char *id, const char *principal) {
    mcp__session *x = *id ? s->sessions : NULL;
    while (x && strcmp(x->id, id) != 0) x = x->next;
    const char *owner = x && x->principal ? x->principal : "";
    if (!x || strcmp(owner, principal ? principal : "") != 0) return NULL;
    x->used_ns = mcp__now(s);
    return x;
}

MCP__PRIVATE void mcp__stream_leave(mcp_conn *k) {
    mcp_conn **link = &k->session->streams;
    while (*link && *link != k) link = &(*link)->beside;
    if (*link) *link = k->beside;
    if (k->session->listener == k) {
        k->session->listener = NULL;
        k->session->heard = k->exchange->number;
        k->session->heard_events = k->exchange->events;
    }
    k->session = &k->own;
    k->own.streams = k;
    k->beside = NULL;
}

MCP__PRIVATE void mcp__stream_join(mcp_conn *k, mcp__session *session) {
    k->session = session;
    k->beside = session->streams;
    session->streams = k;
    k->exchange->number = ++session->numbered;
}

/* Its streams end, what runs in them is cancelled, and it is forgotten. */
MCP__PRIVATE void mcp__session_close(mcp_server *s, mcp__session *session) {
    while (session->streams) {
        mcp_conn *k = session->streams;
        for (mcp_call *c = k->calls; c; c = c->next) mcp__cancel_call(c);
        mcp__conn_orphan(k);
        k->exchange->standing = false;
        mcp__stream_leave(k);
        mcp__settle_conn(k);
    }
    while (session->events) {
        mcp__event *e = session->events;
        session->events = e->next;
        mcp__realloc(&s->mem, e, sizeof *e + e->n, 0);
    }
    if (session->principal)
        mcp__realloc(&s->mem, session->principal, strlen(session->principal) + 1, 0);
    mcp__session_end(s, session);
    mcp__realloc(&s->mem, session, sizeof *session, 0);
    s->http_sessions--;
}

/* When there are too many, the one that nobody used for the longest time goes. */
MCP__PRIVATE bool mcp__session_room(mcp_server *s) {
    if (s->http_sessions < s->desc.limits.sessions) return true;
    mcp__session *oldest = NULL;
    for (mcp__session *x = s->sessions; x; x = x->next)
        if (x->id[0] && !x->streams && (!oldest || x->used_ns < oldest->used_ns)) oldest = x;
    if (oldest) mcp__session_close(s, oldest);
    return oldest != NULL;
}

/* A session that nobody can guess, and this exchange in it; NULL: no memory, no randomness. */
MCP__PRIVATE mcp__session *mcp__session_open(mcp__exchange *x) {
    mcp_server *s = x->conn.server;
    unsigned char bytes[16];
    const mcp_random_hook *random = &s->desc.random;
    if (!random->func || random->func(random->user, bytes, sizeof bytes)) return NULL;
    mcp__session *session = (mcp__session *)mcp__realloc(&s->mem, NULL, 0, sizeof *session);
    if (!session) return NULL;
    mcp__session_init(session, s);
    s->http_sessions++;
    if (x->conn.principal) {
        size_t n = strlen(x->conn.principal) + 1;
        session->principal = (char *)mcp__realloc(&s->mem, NULL, 0, n);
        if (!session->principal) return mcp__session_close(s, session), (mcp__session *)NULL;
        memcpy(session->principal, x->conn.principal, n);
    }
    memcpy(session->id, "mcp-", 4);
    for (size_t i = 0; i < sizeof bytes; i++) {
        session->id[4 + 2 * i] = mcp__hex[bytes[i] >> 4];
        session->id[5 + 2 * i] = mcp__hex[bytes[i] & 15];
    }
    session->used_ns = mcp__now(s);
    mcp__stream_join(&x->conn, session);
    return session;
}

/* ---- exchanges ---- */
MCP__PRIVATE void mcp__exchange_take(mcp_conn *k) { mcp__run(k); }

/* Whether a write would not wait; who hung up is told when it is back. */
MCP__PRIVATE bool mcp__exchange_ready(mcp_conn *k) {
    const mcp__exchange *x = k->exchange;
    mcp_conn *w = x->wire;
    return x->reply.func && (!w || !w->ready_to_write || w->ready_to_write(w));
}

/* Nobody has to read what nobody waits for. */
MCP__PRIVATE bool mcp__exchange_backed_up(mcp_conn *k) {
    return k->exchange->reply.func && !mcp__exchange_ready(k);
}

/* While a handler runs: what has arrived on any socket. */
MCP__PRIVATE void mcp__exchange_pump(mcp_conn *k) {
    if (k->server->pump) k->server->pump(k->server);
}

MCP__PRIVATE void mcp__exchange_destroy(mcp__exchange *x) {
    mcp__mem mem = x->conn.server->mem;
    mcp__conn_release(&x->conn);
    mcp__arena_reset(&x->arena, 0);
    mcp__realloc(&mem, x, sizeof *x, 0);
}

/* With the server: whatever runs in it is cancelled, nobody hears of it. */
MCP__PRIVATE void mcp__exchange_drop(mcp_conn *k) {
    k->exchange->reply.func = NULL;
    if (k->session != &k->own) mcp__stream_leave(k);
    mcp__conn_close(k);
    mcp__exchange_destroy(k->exchange);
}

/* A blank one; what it grew in earlier lives is kept. NULL: out of memory. */
MCP__PRIVATE mcp__exchange *mcp__exchange_new(mcp_server *s) {
    mcp__exchange *x = s->spare_exchange;
    mcp_conn *k;
    if (x) {
        s->spare_exchange = x->next;
        s->spare_exchanges--;
        k = &x->conn;
        mcp__buf in = k->in, out = k->out, held = k->held, note = k->note;
        mcp__arena own = k->own.arena, arena = x->arena;
        mcp__batch *batch = k->spare_batch;
        memset(x, 0, sizeof *x);
        mcp__conn_init(k, s);
        k->in = in, k->out = out, k->held = held, k->note = note;
        k->own.arena = own;
        k->spare_batch = batch;
        x->arena = arena;
    } else {
        x = (mcp__exchange *)mcp__realloc(&s->mem, NULL, 0, sizeof *x);
        if (!x) return NULL;
        memset(x, 0, sizeof *x);
        k = &x->conn;
        mcp__conn_init(k, s);
        mcp__arena_init(&x->arena, &s->mem);
    }
    if (!mcp__buf_reserve(&k->out, MCP__RESERVE)) {
        mcp__exchange_destroy(x);
        return NULL;
    }
    k->exchange = x;
    k->framing = &mcp__http_framing;
    k->transport = "http";
    k->http_status = 400; /* until something is served */
    k->write.func = mcp__exchange_write;
    k->write.user = x;
    k->take = mcp__exchange_take;
    k->pump = mcp__exchange_pump;
    k->ready_to_write = mcp__exchange_ready;
    k->own.listener = NULL;
    k->free = mcp__exchange_drop;
    mcp__conn_enter(k);
    return x;
}

/* Those that are over wait for the next request. Not while anything may still look at them. */
MCP__PRIVATE void mcp__exchanges_reuse(mcp_server *s) {
    while (!s->running && s->exchanges) {
        mcp__exchange *x = s->exchanges;
        mcp_conn *k = &x->conn;
        s->exchanges = x->next;
        if (k->session != &k->own) mcp__stream_leave(k);
        *k->link = k->next;
        if (k->next) k->next->link = k->link;
        if (k->principal) mcp__realloc(&s->mem, k->principal, strlen(k->principal) + 1, 0);
        k->principal = NULL;
        if (s->spare_exchanges == MCP__SPARES) {
            mcp__exchange_destroy(x);
            continue;
        }
        mcp__session_leave(s, &k->own);
        mcp__arena_reset(&k->own.arena, MCP__ARENA_KEEP);
        mcp__arena_reset(&x->arena, MCP__ARENA_KEEP);
        mcp__buf *const bufs[] = { &k->in, &k->out, &k->held, &k->note };
        for (size_t i = 0; i < MCP__COUNT(bufs); i++) mcp__buf_reset(bufs[i], MCP__KEEP);
        x->next = s->spare_exchange;
        s->spare_exchange = x;
        s->spare_exchanges++;
    }
}

/* Who waited hung up. 2026-07-28: that cancels. In a session the work goes on, and what it says is
   kept; without one nobody could ever fetch it. */
MCP__PRIVATE void mcp__exchange_gone(mcp__exchange *x) {
    mcp_conn *k = &x->conn;
    if (x->over) return;
    x->reply.func = NULL;
    x->lost = false;
    bool kept = k->session->id[0] && !x->standing;
    for (mcp_call *c = k->open; c; c = c->next) {
        if (!c->source) continue;
        c->source(c, false); /* what leaves in pieces is not kept */
        mcp__spoil(c, MCP_IO, "who read a file is gone");
    }
    if (!kept) {
        k->status = MCP_IO;
        for (mcp_call *c = k->calls; c; c = c->next) mcp__cancel_call(c);
        mcp__conn_orphan(k);
    }
    if (x->named && k->session->id[0]) { /* 2024-11-05: the session is that stream */
        mcp__session_close(k->server, k->session);
        return;
    }
    if (x->standing) mcp__stream_leave(k);
    x->standing = false;
    mcp__settle_conn(k);
}

/* Hangs up, so that the client polls. */
MCP__PRIVATE int mcp__hang_up(mcp_call *c, int64_t retry_ms) {
    mcp__exchange *x = c->conn->exchange;
    const mcp__version *v = c->version;
    if (!x || !v->primes || !c->conn->session->id[0] || !c->conn->session->version ||
        x->mode == MCP__WHOLE || x->mode == MCP__REPLIED || !x->may_events || c->spilled)
        return mcp__settle(c);
    bool silent = x->mode == MCP__SILENT;
    x->mode = MCP__EVENTS;
    if (silent || retry_ms > 0) mcp__event_prime(x, retry_ms > 0 ? retry_ms : 1000);
    mcp__flush(&x->conn);
    mcp__reply_part(x, NULL, 0, true);
    return mcp__settle(c);
}

/* ---- who may ask ---- */
MCP__PRIVATE const char *mcp__asked(const mcp__exchange *x, const char *name) {
    return mcp__header_of(x->conn.headers, name, NULL);
}

/* The name in "name:port" or "[::1]:port". */
MCP__PRIVATE mcp__str mcp__host_name(const char *host) {
    const char *end = *host == '[' ? strchr(host, ']') : NULL;
    mcp__str name = { host, end ? (size_t)(end + 1 - host) : strcspn(host, ":") };
    return name;
}

/* Whether it is that, and nothing else is there (RFC 9112 section 3.2, RFC 3986 section 3.2). */
MCP__PRIVATE bool mcp__host_right(const char *host) {
    mcp__str name = mcp__host_name(host);
    const char *port = name.s + name.n;
    bool right = *host != '[' ? strcspn(host, " \t\"#/<>?@[\\]^`{|}") >= name.n
        : name.n > 2 && port[-1] == ']' &&
          strspn(host + 1, "0123456789abcdefABCDEF:.") == name.n - 2;
    return right && (!*port || (*port == ':' && !port[1 + strspn(port + 1, "0123456789")]));
}

/* Digits and dots, or in brackets: no name, so nobody can point it elsewhere. */
MCP__PRIVATE bool mcp__host_is_address(mcp__str name) {
    return name.n && (*name.s == '[' || strspn(name.s, "0123456789.") >= name.n);
}

MCP__PRIVATE bool mcp__host_is_local(mcp__str name) {
    return mcp__str_like(name, mcp__str_of("localhost")) ||
           mcp__str_like(name, mcp__str_of("[::1]")) ||
           (mcp__host_is_address(name) && name.n > 4 && memcmp(name.s, "127.", 4) == 0);
}

MCP__PRIVATE bool mcp__serves_local(const mcp_server *s) {
    const char *host = s->desc.http.host;
    mcp__str name = mcp__host_name(host);
    return mcp__host_is_local(name) || strcmp(host, "::1") == 0;
}

/* Whether it stands in a list "a|b", in any case; "*" stands for all. */
MCP__PRIVATE bool mcp__list_has(const char *list, mcp__str what) {
    mcp__str item = { NULL, 0 };
    while (list && mcp__list_next(&list, &item))
        if (mcp__str_like(item, what) || mcp__str_same(item, mcp__str_of("*"))) return true;
    return false;
}

MCP__PRIVATE bool mcp__host_allowed(const mcp_server *s, const char *host) {
    mcp__str name = mcp__host_name(host);
    if (!mcp__host_right(host)) return false;
    if (mcp__list_has(s->desc.http.hosts, mcp__str_of(host)) ||
        mcp__list_has(s->desc.http.hosts, name)) return true;
    if (!mcp__serves_local(s)) return !s->desc.http.hosts;
    return mcp__host_is_local(name) || mcp__host_is_address(name);
}

/* Exactly: scheme, host and port. "null" is nobody. */
MCP__PRIVATE bool mcp__origin_allowed(const mcp_server *s, const char *origin, const char *host) {
    size_t scheme = strncmp(origin, "http://", 7) == 0 ? 7 : strncmp(origin, "https://", 8) ? 0 : 8;
    if (mcp__list_has(s->desc.http.origins, mcp__str_of(origin)))
        return strcmp(origin, "null") != 0;
    if (!scheme || origin[scheme + strcspn(origin + scheme, "/?#@")]) return false;
    if (host && mcp__same_name(origin + scheme, host)) return true;
    mcp__str name = mcp__host_name(origin + scheme);
    const char *port = name.s + name.n; /* behind the name: a port, or nothing */
    if (*port && (*port != ':' || !port[1] || port[1 + strspn(port + 1, "0123456789")]))
        return false;
    return mcp__serves_local(s) && mcp__host_is_local(name);
}

/* "Forbidden host: X", X as far as it is harmless. */
MCP__PRIVATE void mcp__http_forbidden(mcp__exchange *x, const char *text, const char *what) {
    char shown[128];
    size_t n = 0;
    const char *const part[] = { text, what };
    for (size_t i = 0; i < 2; i++)
        for (const char *p = part[i]; *p && n + 1 < sizeof shown; p++)
            shown[n++] = *p < ' ' || *p > '~' || *p == '"' || *p == '\\' ? '?' : *p;
    shown[n] = 0;
    mcp__reply_error(x, 403, MCP__INVALID_REQUEST, shown);
}

/* false: it is answered. */
MCP__PRIVATE bool mcp__http_known(mcp__exchange *x) {
    bool twice_host, twice_origin;
    const char *host = mcp__header_of(x->conn.headers, "Host", &twice_host);
    const char *origin = mcp__header_of(x->conn.headers, "Origin", &twice_origin);
    const mcp_server *s = x->conn.server;
    if (twice_host || twice_origin || (host && !mcp__host_allowed(s, host))) {
        mcp__http_forbidden(x, "Forbidden host: ", host ? host : "");
        return false;
    }
    if (!origin) return true;
    mcp__reply_header(x, "Vary", "Origin");
    if (!mcp__origin_allowed(s, origin, host)) {
        mcp__http_forbidden(x, "Forbidden origin: ", origin);
        return false;
    }
    mcp__reply_header(x, "Access-Control-Allow-Origin", origin);
    mcp__reply_header(x, "Access-Control-Expose-Headers", "Mcp-Session-Id, WWW-Authenticate");
    return true;
}

/* Where our description as a protected resource is (RFC 9728 section 3). */
static const char mcp__well_known[] = "/.well-known/oauth-protected-resource";

/* The URL of this endpoint, as clients know it; without memory "". */
MCP__PRIVATE const char *mcp__http_url(mcp__exchange *x, const char *before_path) {
    const mcp_http *h = &x->conn.server->desc.http;
    const char *host = mcp__asked(x, "Host");
    mcp__buf b;
    mcp__buf_init(&b, &x->conn.server->mem);
    if (h->url) { /* scheme and host of it, then the path */
        const char *path = strstr(h->url, "://");
        path = path ? path + 3 + strcspn(path + 3, "/") : h->url + strlen(h->url);
        mcp__buf_add(&b, h->url, (size_t)(path - h->url));
        mcp__adds(&b, before_path);
        mcp__adds(&b, *path ? path : h->path);
    } else {
        mcp__adds(&b, "http://");
        mcp__adds(&b, host ? host : h->host);
        mcp__adds(&b, before_path);
        mcp__adds(&b, h->path);
    }
    const char *copy = b.status ? NULL : mcp__arena_copy(&x->arena, b.ptr, b.len);
    mcp__buf_free(&b);
    return copy ? copy : "";
}

/* 401 or 403, with what a client needs to do better (RFC 6750 section 3, RFC 9728 section 5.1). */
MCP__PRIVATE void mcp__http_unauthorized(mcp__exchange *x, bool known, const char *scope) {
    mcp__buf b;
    mcp__buf_init(&b, &x->conn.server->mem);
    mcp__adds(&b, "Bearer ");
    if (known) mcp__adds(&b, "error=\"insufficient_scope\", ");
    if (scope && mcp__token_size(scope)) {
        mcp__adds(&b, "scope=\"");
        mcp__adds(&b, scope);
        mcp__adds(&b, "\", ");
    }
    mcp__adds(&b, "resource_metadata=\"");
    mcp__adds(&b, mcp__http_url(x, mcp__well_known));
    mcp__buf_add(&b, "\"", 2);
    char *copy = b.status ? NULL : mcp__arena_copy(&x->arena, b.ptr, b.len);
    mcp__buf_free(&b);
    mcp__reply_header(x, "WWW-Authenticate", copy ? copy : "Bearer");
    mcp__reply_error(x, known ? 403 : 401, MCP__HTTP_ERROR, known ? "Forbidden" : "Unauthorized");
}

/* false: it is answered. */
MCP__PRIVATE bool mcp__http_authorized(mcp__exchange *x, const mcp_http_request *rq) {
    const mcp_http *h = &x->conn.server->desc.http;
    mcp_auth auth = { NULL, NULL };
    const char *who = rq->principal;
    if (!who && h->user_header) who = mcp__asked(x, h->user_header);
    if (!who && h->authorize.func) {
        int rc = h->authorize.func(h->authorize.user, rq, &auth);
        if (rc == MCP_OK) who = auth.principal;
        else if (rc == MCP_REFUSED || rc == MCP_DECLINED)
            return mcp__http_unauthorized(x, rc == MCP_DECLINED, auth.scope), false;
        else return mcp__reply_error(x, 500, MCP_INTERNAL_ERROR, "Internal error"), false;
    }
    if (!who || mcp__conn_identify(&x->conn, who) == MCP_OK) return true;
    mcp__reply_error(x, 500, MCP_INTERNAL_ERROR, "Out of memory");
    return false;
}

/* false: it is answered, with seconds to wait (RFC 6585 section 4, RFC 9110 section 10.2.3). */
MCP__PRIVATE bool mcp__http_welcome(mcp__exchange *x, const mcp_http_request *rq) {
    const mcp_rate_hook *rate = &x->conn.server->desc.http.rate;
    const char *who = mcp__principal(&x->conn);
    int64_t ms = rate->func ? rate->func(rate->user, rq, who) : 0;
    char seconds[24];
    if (ms <= 0) return true;
    *mcp__print_int(seconds, (ms - 1) / 1000 + 1) = 0;
    mcp__reply_header(x, "Retry-After", seconds);
    mcp__reply_error(x, 429, MCP__HTTP_ERROR, "Too many requests");
    return false;
}

/* {"resource":...,"authorization_servers":[...]} (RFC 9728 section 2) */
MCP__PRIVATE void mcp__http_describe(mcp__exchange *x) {
    const mcp_http *h = &x->conn.server->desc.http;
    const char *lists[] = { h->issuers, h->scopes, "header" };
    static const char *const keys[] = { "authorization_servers", "scopes_supported",
                                        "bearer_methods_supported" };
    mcp__buf b;
    mcp_writer w;
    mcp__buf_init(&b, &x->conn.server->mem);
    mcp__writer_on(&w, &b);
    mcp__put_str(&w, "resource", mcp__http_url(x, ""));
    for (size_t i = 0; i < MCP__COUNT(keys); i++) {
        mcp__str item = { NULL, 0 };
        if (!lists[i]) continue;
        mcp__put_arr(&w, keys[i]);
        while (mcp__list_next(&lists[i], &item)) mcp__put_strn(&w, NULL, item.s, item.n);
        mcp__put_end(&w);
    }
    mcp__writer_end(&w);
    bool ok = !w.status && mcp__buf_add(&b, "", 1);
    mcp__reply_plain(x, ok ? 200 : 500, ok ? b.ptr : NULL);
    mcp__buf_free(&b);
}

/* ---- what is asked ---- */

typedef enum mcp__where { MCP__NOWHERE, MCP__ENDPOINT, MCP__METADATA, MCP__SSE_GET, MCP__SSE_POST,
                          MCP__ROUTED } mcp__where;

/* Whether the peer may have one here. */
MCP__PRIVATE bool mcp__http_has_sessions(const mcp__exchange *x) {
    const mcp_server_desc *d = &x->conn.server->desc;
    return (d->versions & MCP__LEGACY) && !(d->flags & MCP_STATELESS) &&
           !mcp__header_modern(&x->conn);
}

MCP__PRIVATE void mcp__http_no_method(mcp__exchange *x, mcp__where where) {
    mcp__reply_header(x, "Allow", where == MCP__METADATA || where == MCP__SSE_GET ? "GET, OPTIONS"
        : where == MCP__SSE_POST || !mcp__http_has_sessions(x) ? "POST, OPTIONS"
        : "GET, POST, DELETE, OPTIONS");
    mcp__reply_error(x, 405, MCP__HTTP_ERROR, "Method not allowed");
}

/* A browser asks first (the Fetch standard, CORS preflight). */
MCP__PRIVATE void mcp__http_options(mcp__exchange *x) {
    const char *wanted = mcp__asked(x, "Access-Control-Request-Headers");
    if (mcp__asked(x, "Origin") && mcp__asked(x, "Access-Control-Request-Method")) {
        mcp__reply_header(x, "Access-Control-Allow-Methods", "POST, GET, DELETE, OPTIONS");
        mcp__reply_header(x, "Access-Control-Allow-Headers", wanted && *wanted ? wanted
            : "Content-Type, Accept, Authorization, MCP-Protocol-Version, Mcp-Session-Id, "
              "Last-Event-ID, Mcp-Method, Mcp-Name");
        mcp__reply_header(x, "Access-Control-Max-Age", "86400");
    } else mcp__reply_header(x, "Allow", "GET, POST, DELETE, OPTIONS");
    mcp__reply_plain(x, 204, NULL);
}

/* How much an Accept header likes a type: the most exact range decides; 0: not at all. */
MCP__PRIVATE bool mcp__accepts_one(const char *list, const char *type, int *exact, bool *likes) {
    size_t major = strcspn(type, "/") + 1;
    for (const char *p = list; *p;) {
        size_t n = strcspn(p, ","), name;
        while (n && (*p == ' ' || *p == '\t')) p++, n--;
        for (name = 0; name < n && !strchr("; \t", p[name]);) name++;
        mcp__str range = { p, name }, kind = { type, major };
        int how = mcp__str_like(range, mcp__str_of(type)) ? 3
            : name == major + 1 && p[major] == '*' && (range.n = major, mcp__str_like(range, kind))
            ? 2 : name == 3 && memcmp(p, "*/*", 3) == 0 ? 1 : 0;
        bool zero = false;
        for (size_t i = name; i + 2 < n; i++)
            if (p[i] == ';') {
                size_t q = i + 1 + strspn(p + i + 1, " \t");
                if ((p[q] | 0x20) != 'q' || p[q + 1] != '=') continue;
                zero = p[q + 2] == '0' && strspn(p + q + 2, "0.") >= strcspn(p + q + 2, ",; \t");
            }
        if (how > *exact) *exact = how, *likes = !zero;
        p += n + (p[n] == ',');
    }
    return *exact != 0;
}

MCP__PRIVATE bool mcp__accepts(const mcp__exchange *x, const char *type) {
    bool any = false, likes = false;
    int exact = 0;
    for (const mcp_attr *h = x->conn.headers; h && h->key; h++)
        if (mcp__same_name(h->key, "Accept")) {
            any = true;
            mcp__accepts_one(h->value, type, &exact, &likes);
        }
    return !any || likes;
}

/* Whether a Content-Type says that, whatever its parameters. */
MCP__PRIVATE bool mcp__is_type(const char *type, const char *name) {
    mcp__str bare = { type, type ? strcspn(type, "; \t") : 0 };
    return type && mcp__str_like(bare, mcp__str_of(name));
}

/* The session that a request belongs to. false: it is answered. */
MCP__PRIVATE bool mcp__http_session(mcp__exchange *x, bool begins, bool needed) {
    mcp_server *s = x->conn.server;
    bool twice;
    const char *id = mcp__header_of(x->conn.headers, "Mcp-Session-Id", &twice);
    const char *named = mcp__asked(x, mcp__header_version);
    const mcp__version *v = named ? mcp__version_of(s->desc.versions, named) : NULL;
    if (named && !v) return true; /* refused where the message is known */
    if (id) {
        mcp__session *session = twice ? NULL : mcp__session_find(s, id, x->conn.principal);
        if (!session) mcp__reply_error(x, 404, MCP__NO_SESSION, "Session not found");
        else if (begins)
            mcp__reply_error(x, 400, MCP__INVALID_REQUEST, "Session already initialized");
        else mcp__stream_join(&x->conn, session);
        return x->mode == MCP__SILENT;
    }
    if (begins && !(s->desc.flags & MCP_STATELESS)) {
        mcp__session *session = mcp__session_room(s) ? mcp__session_open(x) : NULL;
        x->begins = session != NULL;
        if (!session) mcp__reply_error(x, 503, MCP__HTTP_ERROR, "Too many sessions");
        return session != NULL;
    }
    if (needed || (s->desc.flags & MCP_STRICT)) {
        mcp__reply_error(x, 400, MCP__HTTP_ERROR, "Mcp-Session-Id header is required");
        return false;
    }
    x->conn.own.version = v && !v->modern ? v : mcp__version_latest(s->desc.versions);
    x->conn.own.log_level = MCP_LOG_INFO;
    return true;
}

/* An older version's request names one that is not served. */
MCP__PRIVATE void mcp__http_bad_version(mcp__exchange *x, const char *named) {
    mcp__buf b;
    mcp_writer w;
    mcp__buf_init(&b, &x->conn.server->mem);
    mcp__writer_on(&w, &b);
    mcp__put_str(&w, "jsonrpc", "2.0");
    mcp__put_null(&w, "id");
    mcp__put_obj(&w, "error");
    mcp__put_int(&w, "code", MCP__INVALID_REQUEST);
    mcp__str text = mcp__str_of("Unsupported MCP-Protocol-Version: ");
    mcp__put_str(&w, "message", mcp__joined(&x->arena, text, named));
    mcp__put_obj(&w, "data");
    mcp__put_versions(&w, "supported", x->conn.server->desc.versions);
    mcp__put_str(&w, "requested", named);
    mcp__put_end(&w);
    mcp__put_end(&w);
    mcp__writer_end(&w);
    bool ok = !w.status && mcp__buf_add(&b, "", 1);
    mcp__reply_plain(x, ok ? 400 : 500, ok ? b.ptr : NULL);
    mcp__buf_free(&b);
}

/* The message, checked as a whole: p[n] is ours to overwrite, and zeros follow. */
MCP__PRIVATE void mcp__http_message(mcp__exchange *x, mcp_conn *to, char *p, size_t n) {
    const mcp__str none = { NULL, 0 };
    mcp_conn *k = &x->conn;
    mcp_server *s = k->server;
    mcp__top top;
    const char *error, *named = mcp__asked(x, mcp__header_version);
    int status = MCP_SYNTAX;
    p = mcp__unmarked(p, &n);
    p[n] = 0;
    const char *v = mcp__json_space(p), *stop = p + n;
    size_t depth = s->desc.limits.depth;
    const char *end = v == stop ? NULL : mcp__json_check(v, depth, &top, &error, &status);
    if (!end || mcp__json_space(end) != stop) {
        mcp__send_error(k, NULL, none, MCP__PARSE_ERROR,
                        status == MCP_LIMIT ? "Nesting too deep" : "Parse error");
        return;
    }
    bool object = *v == '{';
    const char *method = object ? top.member[MCP__METHOD] : NULL;
    const char *meta = object ? mcp__json_get(top.member[MCP__PARAMS], "_meta", 5) : NULL;
    bool enveloped = mcp__json_get(meta, mcp__key_version, strlen(mcp__key_version)) ||
                     mcp__json_get(meta, mcp__key_capabilities, strlen(mcp__key_capabilities));
    bool modern = enveloped || mcp__header_modern(k);
    if (modern && (!object || to != k || (!method && top.member[MCP__ID]))) {
        mcp__send_error(k, NULL, none, MCP__INVALID_REQUEST, "Invalid Request");
        return;
    }
    if (!modern && named && !mcp__version_of(s->desc.versions, named)) {
        mcp__http_bad_version(x, named);
        return;
    }
    bool begins = mcp__json_is(method, "initialize", 10) && top.member[MCP__ID];
    if (!modern && to == k && (s->desc.versions & MCP__LEGACY) &&
        !mcp__http_session(x, begins, false)) return;
    if (object) mcp__message(to, NULL, v, end, &top);
    else if (*v == '[' && to->session->version && to->session->version->batch) {
        to->http_status = 200;
        mcp__batch_message(to, v);
    } else mcp__send_error(to, NULL, none, MCP__INVALID_REQUEST, "Invalid Request");
    if (to != k) return;
    for (mcp_call *c = k->calls; c; c = c->next) x->asked |= c->id != NULL;
    mcp__run(k);
    if (begins && !modern && !k->session->version && k->session != &k->own && !k->calls) {
        mcp__session *failed = k->session; /* it was refused */
        mcp__stream_leave(k);
        mcp__session_close(s, failed);
    }
}

/* A body of the peer's: p[n] is ours to overwrite, and zeros follow. */
MCP__PRIVATE void mcp__http_post(mcp__exchange *x, mcp_conn *to, char *p, size_t n) {
    x->may_whole = mcp__accepts(x, "application/json");
    x->may_events = mcp__accepts(x, "text/event-stream") && mcp__asked(x, "Accept");
    x->conn.deaf = !x->may_events;
    if (!mcp__is_type(mcp__asked(x, "Content-Type"), MCP__JSON_TYPE))
        mcp__reply_error(x, 415, MCP__HTTP_ERROR, "Content-Type must be application/json");
    else if (!x->may_whole && !x->may_events)
        mcp__reply_error(x, 406, MCP__HTTP_ERROR,
                         "Accept must list application/json and text/event-stream");
    else if (n > x->conn.server->desc.limits.message)
        mcp__reply_error(x, 413, MCP__HTTP_ERROR, "Message too long");
    else mcp__http_message(x, to, p, n);
    x->received = true;
    mcp__settle_conn(&x->conn);
    mcp__flush(&x->conn);
    for (mcp_conn *k = x->conn.session->streams; k; k = k->beside) mcp__run(k); /* now answered */
}

/* From now on the session's own stream. */
MCP__PRIVATE void mcp__http_stand(mcp__exchange *x) {
    x->standing = true;
    x->conn.session->listener = &x->conn;
    x->conn.to_tell = true;
}

/* Sends again what came behind that event, and goes on where the stream is now. */
MCP__PRIVATE void mcp__http_resume(mcp__exchange *x, mcp__session *session, const char *last) {
    unsigned long stream = strtoul(last, NULL, 10), number = 0;
    const char *dash = strchr(last, '-');
    if (dash) number = strtoul(dash + 1, NULL, 10);
    if (!dash || !mcp__is_digit(*last) || !mcp__is_digit(dash[1]) || !stream ||
        stream > session->numbered) {
        mcp__reply_error(x, 400, MCP__HTTP_ERROR, "Unknown Last-Event-ID");
        return;
    }
    mcp_conn *k = session->streams;
    while (k && (k->exchange->number != stream || k == &x->conn)) k = k->beside;
    mcp__exchange *to = k && !k->exchange->over ? k->exchange : x;
    if (to == x && stream == session->heard && !session->listener) { /* it goes on */
        x->number = session->heard;
        x->events = session->heard_events;
        mcp__http_stand(x);
    }
    if (to != x) { /* it lives: it gets this reply in place of its own */
        if (to->reply.func) mcp__reply_part(to, NULL, 0, true);
        memcpy(to->header, x->header, sizeof x->header);
        to->headers = x->headers;
        to->reply = x->reply;
        to->wire = x->wire;
        to->begun = to->lost = to->moved = false;
        x->reply.func = NULL;
        x->moved = true;
        if (!to->standing && !to->conn.calls && !to->conn.open) to->received = true;
    }
    to->mode = MCP__EVENTS;
    to->may_events = true;
    for (mcp__event *e = session->events; e; e = e->next)
        if (e->stream == stream && e->number > number) mcp__write_out(&to->conn, e->text, e->n);
    if (!to->begun) mcp__write_out(&to->conn, ":\n\n", 3); /* so that the client sees it open */
    x->mode = to == x ? x->mode : MCP__REPLIED;
}

/* The stream on which a session hears of what belongs to no request. */
MCP__PRIVATE void mcp__http_get(mcp__exchange *x) {
    const char *last = mcp__asked(x, "Last-Event-ID");
    bool events = mcp__accepts(x, "text/event-stream") && mcp__asked(x, "Accept");
    x->may_whole = true;
    if (!events || !mcp__http_has_sessions(x)) {
        mcp__http_no_method(x, MCP__ENDPOINT);
        return;
    }
    if (!mcp__http_session(x, false, true)) return;
    mcp__session *session = x->conn.session;
    if (session == &x->conn.own) {
        mcp__reply_error(x, 400, MCP__HTTP_ERROR, "Unsupported MCP-Protocol-Version");
        return;
    }
    x->may_whole = false;
    x->may_events = true;
    if (last) mcp__http_resume(x, session, last);
    else if (session->listener) {
        mcp__reply_error(x, 409, MCP__HTTP_ERROR, "Only one stream per session");
        return;
    } else {
        mcp__http_stand(x);
        mcp__events_begin(x);
        if (!x->conn.out.len) mcp__buf_add(&x->conn.out, ":\n\n", 3);
    }
    x->received = true;
    mcp__settle_conn(&x->conn);
    mcp__flush(&x->conn);
}

MCP__PRIVATE void mcp__http_delete(mcp__exchange *x) {
    x->may_whole = true;
    if (!mcp__http_has_sessions(x)) {
        mcp__http_no_method(x, MCP__ENDPOINT);
        return;
    }
    if (!mcp__http_session(x, false, true)) return;
    mcp__session *session = x->conn.session;
    if (session != &x->conn.own) {
        mcp__stream_leave(&x->conn);
        mcp__session_close(x->conn.server, session);
        mcp__reply_plain(x, 200, NULL);
    } else mcp__reply_error(x, 400, MCP__HTTP_ERROR, "Unsupported MCP-Protocol-Version");
}

/* ---- HTTP+SSE of 2024-11-05: all that the server says is on one stream ---- */
MCP__PRIVATE void mcp__sse_get(mcp__exchange *x) {
    mcp__session *session = mcp__session_room(x->conn.server) ? mcp__session_open(x) : NULL;
    char text[160] = "event: endpoint\ndata: /messages?sessionId=";
    x->may_whole = !session;
    x->may_events = true;
    if (!session) {
        mcp__reply_error(x, 503, MCP__HTTP_ERROR, "Too many sessions");
        return;
    }
    x->named = x->standing = true;
    session->listener = &x->conn;
    x->mode = MCP__EVENTS;
    strcat(strcat(text, session->id), "\n\n");
    mcp__write_out(&x->conn, text, strlen(text));
    x->received = true;
}

/* What a POST brought, once its connection is free for the next one. */
MCP__PRIVATE void mcp__sse_run(mcp_conn *stream) {
    mcp__run(stream);
    mcp__settle_conn(stream);
    mcp__flush(stream);
}

MCP__PRIVATE void mcp__sse_post(mcp__exchange *x, const char *query, char *p, size_t n) {
    const char *id = query ? strstr(query, "sessionId=") : NULL;
    char name[40] = "";
    size_t size = id ? strcspn(id + 10, "&") : 0;
    if (size < sizeof name) memcpy(name, id ? id + 10 : "", size), name[size] = 0;
    mcp__session *session = mcp__session_find(x->conn.server, name, x->conn.principal);
    x->may_whole = true;
    if (!session || !session->listener || !session->listener->exchange->named) {
        mcp__reply_error(x, 404, MCP__NO_SESSION, "Session not found");
        return;
    }
    mcp__http_post(x, session->listener, p, n);
    if (x->wire) x->wire->feeds = session->listener;
    else mcp__sse_run(session->listener);
}

/* ---- from a request to what serves it ---- */

/* Headers outlive the request: handlers may ask for them until they are done. */
MCP__PRIVATE bool mcp__http_copy(mcp__exchange *x, const mcp_http_request *rq) {
    size_t n = 0;
    while (rq->headers && rq->headers[n].key) n++;
    mcp_attr *copy = (mcp_attr *)mcp__arena_array(&x->arena, n + 1, sizeof *copy);
    for (size_t i = 0; copy && i < n; i++) {
        const mcp_attr *h = &rq->headers[i];
        copy[i].key = mcp__arena_copy(&x->arena, h->key, strlen(h->key));
        copy[i].value = mcp__arena_copy(&x->arena, h->value ? h->value : "",
                                        h->value ? strlen(h->value) : 0);
        if (!copy[i].key || !copy[i].value) return false;
    }
    if (!copy) return false;
    copy[n].key = NULL;
    x->conn.headers = copy;
    return true;
}

/* Which of our paths a target names. */
MCP__PRIVATE mcp__where mcp__http_where(const mcp_server *s, const char *target) {
    const mcp_http *h = &s->desc.http;
    mcp__str path = { target, strcspn(target, "?") };
    size_t at = strlen(h->path), known = strlen(mcp__well_known);
    bool sse = s->desc.flags & MCP_HTTP_SSE;
    while (path.n > 1 && path.s[path.n - 1] == '/') path.n--;
    if (mcp__str_same(path, mcp__str_of(h->path))) return MCP__ENDPOINT;
    if (sse && mcp__str_same(path, mcp__str_of("/sse"))) return MCP__SSE_GET;
    if (sse && mcp__str_same(path, mcp__str_of("/messages"))) return MCP__SSE_POST;
    if (path.n == at + 9 && memcmp(path.s, h->path, at) == 0 &&
        memcmp(path.s + at, "/messages", 9) == 0) return MCP__ENDPOINT;
    if (!h->issuers || path.n < known || memcmp(path.s, mcp__well_known, known) != 0)
        return MCP__NOWHERE;
    mcp__str rest = { path.s + known, path.n - known };
    return !rest.n || mcp__str_same(rest, mcp__str_of(h->path)) ? MCP__METADATA : MCP__NOWHERE;
}

/* GET for people: what this is. */
MCP__PRIVATE void mcp__http_info(mcp__exchange *x) {
    const mcp_server_desc *d = &x->conn.server->desc;
    const mcp__version *v = mcp__version_latest(d->versions);
    mcp__buf b;
    mcp_writer w;
    mcp__buf_init(&b, &x->conn.server->mem);
    mcp__writer_on(&w, &b);
    mcp__put_str(&w, "name", d->name);
    mcp__put_str(&w, "version", d->version);
    if (v) mcp__put_str(&w, "protocol_version", v->name);
    mcp__put_versions(&w, "supported_versions", d->versions);
    if (v) mcp__put_capabilities(&w, x->conn.server, v);
    mcp__writer_end(&w);
    bool ok = !w.status && mcp__buf_add(&b, "", 1);
    mcp__reply_plain(x, ok ? 200 : 500, ok ? b.ptr : NULL);
    mcp__buf_free(&b);
}

/* What a request asks for. body[size] is ours to overwrite, and zeros follow. */
MCP__PRIVATE void mcp__http_serve(mcp__exchange *x, const mcp_http_request *rq, mcp__where where,
                                  char *body, size_t size) {
    const mcp_server *s = x->conn.server;
    const char *method = rq->method;
    bool get = strcmp(method, "GET") == 0, post = strcmp(method, "POST") == 0;
    bool options = strcmp(method, "OPTIONS") == 0;
    x->may_whole = true; /* for what is refused */
    x->rest = where == MCP__ROUTED;
    if (!mcp__http_known(x)) return;
    if (options && x->rest) mcp__routing_of(s)->options(x, rq->target);
    else if (options) mcp__http_options(x);
    else if (where == MCP__METADATA && get) mcp__http_describe(x);
    else if (!mcp__http_authorized(x, rq) || !mcp__http_welcome(x, rq)) return;
    else if (x->rest) mcp__routing_of(s)->serve(x, rq, body, size);
    else if (where == MCP__ENDPOINT && post) mcp__http_post(x, &x->conn, body, size);
    else if (where == MCP__ENDPOINT && get && (s->desc.flags & MCP_HTTP_INFO) &&
             !(mcp__asked(x, "Accept") && strstr(mcp__asked(x, "Accept"), "text/event-stream")))
        mcp__http_info(x);
    else if (where == MCP__ENDPOINT && get) mcp__http_get(x);
    else if (where == MCP__ENDPOINT && strcmp(method, "DELETE") == 0) mcp__http_delete(x);
    else if (where == MCP__SSE_GET && get) mcp__sse_get(x);
    else if (where == MCP__SSE_POST && post) mcp__sse_post(x, strchr(rq->target, '?'), body, size);
    else mcp__http_no_method(x, where);
}

/* A new exchange for a request; NULL: not our path, or no memory. */
MCP__PRIVATE mcp__exchange *mcp__exchange_open(mcp_server *s, const mcp_http_request *rq,
                                               mcp_reply_hook reply, mcp__where *where, int *rc) {
    mcp__exchanges_reuse(s); /* so that a pipeline needs no more of them than a single request */
    *where = mcp__http_where(s, rq->target);
    const mcp__routing *routing = *where == MCP__NOWHERE ? mcp__routing_of(s) : NULL;
    if (routing && routing->here(s, rq->target)) *where = MCP__ROUTED;
    *rc = *where == MCP__NOWHERE ? MCP_UNSUPPORTED : MCP_NOMEM;
    mcp__exchange *x = *where == MCP__NOWHERE ? NULL : mcp__exchange_new(s);
    if (!x) return NULL;
    if (!mcp__http_copy(x, rq)) {
        x->over = true;
        x->next = s->exchanges;
        s->exchanges = x;
        return NULL;
    }
    x->reply = reply;
    *rc = MCP_OK;
    return x;
}

MCP__PRIVATE void mcp__http_gone(mcp_server *s, const void *user) {
    for (mcp_conn *k = s->conns; k; k = k->next)
        if (k->exchange && k->exchange->reply.func && k->exchange->reply.user == user) {
            mcp__exchange_gone(k->exchange);
            break;
        }
    mcp__exchanges_reuse(s);
}

/* ---- HTTP/1.1 in bytes: RFC 9112, and nothing that it forgives ---- */

typedef enum mcp__phase { MCP__HEAD, MCP__BODY, MCP__CHUNK_SIZE, MCP__CHUNK_DATA, MCP__CHUNK_END,
                          MCP__TRAILER } mcp__phase;

typedef struct mcp__wire {
    bool busy;               /* an exchange is being answered */
    mcp__phase phase;
    bool keep;               /* the connection, after this answer */
    bool old;                /* HTTP/1.0 */
    bool bare;               /* HEAD: no body goes back */
    bool chunked;            /* a body of unknown length goes back */
    bool expects;            /* 100-continue */
    mcp__arena arena;        /* the head: */
    mcp_http_request rq;
    size_t body;             /* bytes of it, decoded, from at on; */
    size_t raw;              /* how far behind at the next of it stands */
    size_t left;             /* of it or of its chunk */
    size_t trailer;          /* bytes of them */
    int64_t since_ns;        /* the phase's first byte, or the end of the last answer */
    bool waiting;            /* for that first byte */
} mcp__wire;


MCP__PRIVATE const char *mcp__http_reason(int status) {
    static const struct { int status; const char *text; } reasons[] = {
        { 200, "OK" }, { 201, "Created" }, { 202, "Accepted" }, { 204, "No Content" },
        { 304, "Not Modified" }, { 400, "Bad Request" }, { 401, "Unauthorized" },
        { 403, "Forbidden" }, { 404, "Not Found" }, { 405, "Method Not Allowed" },
        { 406, "Not Acceptable" }, { 408, "Request Timeout" }, { 409, "Conflict" },
        { 413, "Content Too Large" }, { 414, "URI Too Long" }, { 415, "Unsupported Media Type" },
        { 417, "Expectation Failed" }, { 422, "Unprocessable Content" },
        { 429, "Too Many Requests" }, { 431, "Request Header Fields Too Large" },
        { 500, "Internal Server Error" }, { 501, "Not Implemented" },
        { 503, "Service Unavailable" }, { 505, "HTTP Version Not Supported" } };
    for (size_t i = 0; i < MCP__COUNT(reasons); i++)
        if (reasons[i].status == status) return reasons[i].text;
    return "Status";
}

/* "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110 section 5.6.7) */
MCP__PRIVATE void mcp__http_date(char *out, int64_t ns) {
    static const char days[] = "ThuFriSatSunMonTueWed", months[] =
        "JanFebMarAprMayJunJulAugSepOctNovDec";
    int part[6];
    mcp__civil(ns / 1000000000, part);
    memcpy(out, "Thu, 00 Jan 0000 00:00:00 GMT", 30);
    memcpy(out, days + ns / 1000000000 / 86400 % 7 * 3, 3);
    mcp__digits(out + 5, 2, part[2]);
    memcpy(out + 8, months + (part[1] - 1) * 3, 3);
    mcp__digits(out + 12, 4, part[0]);
    for (int i = 3; i < 6; i++) mcp__digits(out + 8 + 3 * i, 2, part[i]);
}

MCP__PRIVATE void mcp__wire_text(mcp_conn *k, const char *s) { mcp__adds(&k->out, s); }

MCP__PRIVATE void mcp__wire_header(mcp_conn *k, const char *key, const char *value) {
    mcp__wire_text(k, key);
    mcp__wire_text(k, ": ");
    for (; *value; value++) /* whatever a handler put there, it stays one line */
        mcp__buf_add(&k->out, *value == '\r' || *value == '\n' ? " " : value, 1);
    mcp__wire_text(k, "\r\n");
}

MCP__PRIVATE void mcp__wire_head(mcp_conn *k, const mcp_http_part *part) {
    mcp__wire *w = k->wire;
    char digits[32];
    *mcp__print_int(digits, part->status) = 0;
    mcp__wire_text(k, "HTTP/1.1 ");
    mcp__wire_text(k, digits);
    mcp__wire_text(k, " ");
    mcp__wire_text(k, mcp__http_reason(part->status));
    mcp__wire_text(k, "\r\n");
    if (k->server->desc.clock.func) {
        mcp__http_date(digits, mcp__now(k->server));
        mcp__wire_header(k, "Date", digits);
    }
    for (const mcp_attr *h = part->headers; h && h->key; h++) mcp__wire_header(k, h->key, h->value);
    w->chunked = !part->last && !w->old;
    if (!part->last && w->old) w->keep = false; /* its end is the end */
    if (part->last && part->status != 204 && part->status != 304) {
        *mcp__print_int(digits, (int64_t)part->size) = 0;
        mcp__wire_header(k, "Content-Length", digits);
    } else if (w->chunked) mcp__wire_header(k, "Transfer-Encoding", "chunked");
    if (!w->keep) mcp__wire_header(k, "Connection", "close");
    else if (w->old) mcp__wire_header(k, "Connection", "keep-alive");
    mcp__wire_text(k, "\r\n");
}

/* What was written leaves; a connection that does not go on is hung up on. */
MCP__PRIVATE void mcp__wire_out(mcp_conn *k) {
    if (k->out.status) k->status = MCP_NOMEM; /* half a head is none */
    mcp__flush(k);
    if (k->status || k->wire->keep || k->wire->busy) return;
    k->writing = true;
    k->write.func(k->write.user, NULL, 0);
    k->writing = false;
    k->status = MCP_IO;
}

/* The reply hook of what came in bytes. */
MCP__PRIVATE int mcp__wire_reply(void *user, const mcp_http_part *part) {
    mcp_conn *k = (mcp_conn *)user;
    mcp__wire *w = k->wire;
    char size[24];
    if (part->status) mcp__wire_head(k, part);
    bool body = part->size && !w->bare;
    if (body && w->chunked) {
        char *p = size + sizeof size - 3;
        memcpy(p, "\r\n", 3);
        for (size_t n = part->size; n; n >>= 4) *--p = "0123456789abcdef"[n & 15];
        mcp__wire_text(k, p);
    }
    if (body && part->size >= MCP__COALESCE) {
        mcp__flush(k);
        mcp__write_out(k, (const char *)part->body, part->size);
    } else if (body) mcp__buf_add(&k->out, (const char *)part->body, part->size);
    if (body && w->chunked) mcp__wire_text(k, "\r\n");
    if (part->last && w->chunked && !w->bare) mcp__wire_text(k, "0\r\n\r\n");
    if (part->last) {
        w->busy = false;
        w->waiting = true;
        w->since_ns = mcp__now(k->server);
    }
    mcp__wire_out(k);
    return k->status;
}

/* HTTP itself was broken: an answer, and the end. */
MCP__PRIVATE bool mcp__wire_refuse(mcp_conn *k, int status) {
    static const mcp_attr plain[] = { { "Content-Type", "text/plain" }, { NULL, NULL } };
    const char *text = mcp__http_reason(status);
    mcp_http_part part = { status, plain, text, strlen(text), true };
    k->wire->keep = false;
    k->at = k->seen = k->in.len;
    mcp__wire_reply(k, &part);
    return false;
}

/* One "name: value" line of a head, NUL where its CR was. 0, or the status to refuse with. */
MCP__PRIVATE int mcp__wire_field(mcp__wire *w, char *line, mcp_attr *h, size_t *length,
                                 bool *sized) {
    size_t n = mcp__token_size(line), end;
    char *value = line + n + 1;
    if (!n || line[n] != ':') return 400; /* also a folded line, and a space before the colon */
    line[n] = 0;
    value += strspn(value, " \t");
    end = strlen(value);
    while (end && (value[end - 1] == ' ' || value[end - 1] == '\t')) end--;
    value[end] = 0;
    h->key = line;
    h->value = value;
    if (mcp__same_name(line, "Content-Length")) {
        if (*sized || !end || strspn(value, "0123456789") != end) return 400;
        *sized = true;
        for (*length = 0; *value; value++) {
            if (*length > SIZE_MAX / 16) return 413;
            *length = *length * 10 + (size_t)(*value - '0');
        }
    } else if (mcp__same_name(line, "Transfer-Encoding")) {
        if (w->phase != MCP__HEAD || w->old) return 400;
        if (!mcp__same_name(value, "chunked")) return 501;
        w->phase = MCP__CHUNK_SIZE;
    } else if (mcp__same_name(line, "Expect")) {
        if (!mcp__same_name(value, "100-continue")) return 417;
        w->expects = !w->old;
    } else if (mcp__same_name(line, "Connection")) {
        mcp__str item = { value, 0 };
        for (const char *p = value; *p; p += item.n + (p[item.n] != 0)) {
            item.s = p;
            item.n = strcspn(p, ", \t");
            if (mcp__str_like(item, mcp__str_of("close"))) w->keep = false;
            else if (mcp__str_like(item, mcp__str_of("keep-alive")) && w->old) w->keep = true;
        }
    }
    return 0;
}

/* "POST /mcp HTTP/1.1". 0, or the status to refuse with. */
MCP__PRIVATE int mcp__wire_request_line(mcp__wire *w, char *line) {
    size_t method = mcp__token_size(line);
    char *target = line + method + 1, *version;
    if (!method || line[method] != ' ' || *target != '/') return 400;
    version = strchr(target, ' ');
    if (!version || strncmp(version + 1, "HTTP/", 5) != 0) return 400;
    if (strlen(version + 6) != 3 || !mcp__is_digit(version[6]) || version[7] != '.' ||
        !mcp__is_digit(version[8])) return 400;
    if (version[6] != '1') return 505;
    line[method] = *version = 0;
    for (const char *p = target; *p; p++)
        if (*p <= ' ' || *p > '~') return 400;
    w->old = version[8] == '0';
    w->keep = !w->old;
    w->rq.method = line;
    w->rq.target = target;
    w->bare = strcmp(line, "HEAD") == 0;
    return 0;
}

enum { MCP__FIELDS = 100 };

/* A whole head of n bytes, up to its empty line. 0, or the status to refuse with. */
MCP__PRIVATE int mcp__wire_parse(mcp_conn *k, const char *p, size_t n) {
    mcp__wire *w = k->wire;
    size_t fields = 0, length = 0, hosts = 0;
    bool sized = false;
    mcp__arena_reset(&w->arena, MCP__ARENA_KEEP);
    char *line = mcp__arena_copy(&w->arena, p, n);
    mcp_attr *h = (mcp_attr *)mcp__arena_array(&w->arena, MCP__FIELDS + 1, sizeof *h);
    if (!line || !h) return 503;
    const char *const end = line + n;
    for (const char *q = p; q < p + n; q++) { /* no control bytes but tabs, CR and LF in pairs */
        unsigned char c = (unsigned char)*q;
        if (c == '\r' ? q[1] != '\n' : c == '\n' ? q == p || q[-1] != '\r'
                                                 : (c < ' ' && c != '\t') || c == 0x7F) return 400;
    }
    w->phase = MCP__HEAD;
    w->expects = false;
    for (bool first = true; line < end; first = false) {
        char *cr = strchr(line, '\r');
        int status;
        *cr = 0;
        if (!*line) break;
        if (fields == MCP__FIELDS) return 431;
        status = first ? mcp__wire_request_line(w, line)
                       : mcp__wire_field(w, line, &h[fields], &length, &sized);
        if (status) return status;
        if (!first && mcp__same_name(h[fields].key, "Host")) {
            if (!mcp__host_right(h[fields].value)) return 400;
            hosts++;
        }
        fields += !first;
        line = cr + 2;
    }
    h[fields].key = NULL;
    w->rq.headers = h;
    if (hosts > 1 || (!hosts && !w->old)) return 400;
    if (sized && w->phase == MCP__CHUNK_SIZE) return 400; /* two lengths: who is right? */
    if (length > k->server->desc.limits.message) return 413;
    w->left = length;
    if (w->phase == MCP__HEAD) w->phase = MCP__BODY;
    return 0;
}

/* Looks for the end of the head; false: it is not here. */
MCP__PRIVATE bool mcp__wire_take_head(mcp_conn *k) {
    mcp__wire *w = k->wire;
    const size_t max = k->server->desc.limits.header;
    char *p = k->in.ptr + k->at;
    size_t n = k->in.len - k->at, line;
    while (w->waiting && n >= 2 && p[0] == '\r' && p[1] == '\n') /* behind a body, by old clients */
        p += 2, n -= 2, k->at += 2;
    if (k->seen < k->at) k->seen = k->at; /* also if that was all: what is done goes */
    if (!n || (w->waiting && n == 1 && *p == '\r')) return false;
    if (w->waiting) w->waiting = w->bare = w->old = false, w->since_ns = mcp__now(k->server);
    for (;;) {
        char *from = k->in.ptr + k->seen, *lf = (char *)memchr(from, '\n', k->in.len - k->seen);
        line = lf ? (size_t)(lf - p) : max;
        if (line >= max) break; /* not here, or too far behind */
        k->seen = (size_t)(lf + 1 - k->in.ptr);
        if (!line || lf[-1] != '\r') return mcp__wire_refuse(k, 400);
        if (line >= 3 && lf[-2] == '\n') { /* an empty line */
            int status = mcp__wire_parse(k, p, line + 1);
            if (status) return mcp__wire_refuse(k, status);
            k->at = k->seen = (size_t)(lf + 1 - k->in.ptr);
            w->body = w->raw = 0;
            w->since_ns = mcp__now(k->server);
            return true;
        }
    }
    if (n > max) return mcp__wire_refuse(k, memchr(p, '\n', max) ? 431 : 414);
    return false;
}

/* One line of a chunked body, its bytes checked; NULL: it is not here, or it was refused. */
MCP__PRIVATE char *mcp__wire_line(mcp_conn *k, size_t most, size_t *n) {
    mcp__wire *w = k->wire;
    char *p = k->in.ptr + k->at + w->raw;
    size_t here = k->in.len - k->at - w->raw;
    char *lf = (char *)memchr(p, '\n', here);
    if (!lf && here <= most) return NULL;
    bool right = lf && lf > p && lf[-1] == '\r' && (size_t)(lf - p) <= most;
    *n = right ? (size_t)(lf - 1 - p) : 0;
    for (size_t i = 0; i < *n; i++) /* no control bytes but tabs */
        if (((unsigned char)p[i] < ' ' && p[i] != '\t') || p[i] == 0x7F) right = false;
    if (!right) return mcp__wire_refuse(k, 400), (char *)NULL;
    w->raw += *n + 2;
    return p;
}

/* "1a;name=value"; false: not here, or refused. */
MCP__PRIVATE bool mcp__wire_chunk(mcp_conn *k) {
    mcp__wire *w = k->wire;
    size_t n, i, size = 0;
    const char *p = mcp__wire_line(k, 256, &n);
    if (!p) return false;
    for (i = 0; i < n && (mcp__byte(p[i]) & MCP__HEX); i++) {
        if (size > SIZE_MAX >> 8) return mcp__wire_refuse(k, 413);
        size = size << 4 | (size_t)(mcp__is_digit(p[i]) ? p[i] - '0' : (p[i] | 0x20) - 'a' + 10);
    }
    if (!i || (i < n && p[i] != ';')) return mcp__wire_refuse(k, 400);
    if (size > k->server->desc.limits.message - w->body) return mcp__wire_refuse(k, 413);
    w->left = size;
    w->trailer = 0;
    w->phase = size ? MCP__CHUNK_DATA : MCP__TRAILER;
    return true;
}

/* The body's next bytes move to the others. true: it is whole. */
MCP__PRIVATE bool mcp__wire_take_body(mcp_conn *k) {
    mcp__wire *w = k->wire;
    for (;;) {
        size_t here = k->in.len - k->at - w->raw, n = mcp__min(here, w->left);
        if (w->phase == MCP__BODY || w->phase == MCP__CHUNK_DATA) {
            char *to = k->in.ptr + k->at + w->body, *from = k->in.ptr + k->at + w->raw;
            if (n && to != from) memmove(to, from, n);
            w->body += n, w->raw += n, w->left -= n;
            if (w->left) return false;
            if (w->phase == MCP__BODY) return true;
            w->phase = MCP__CHUNK_END;
        } else if (w->phase == MCP__CHUNK_END) {
            const char *p = mcp__wire_line(k, 2, &n);
            if (p && n) mcp__wire_refuse(k, 400);
            if (!p || n) return false;
            w->phase = MCP__CHUNK_SIZE;
        } else if (w->phase == MCP__CHUNK_SIZE) {
            if (!mcp__wire_chunk(k)) return false;
        } else { /* trailers are read and dropped */
            const char *p = mcp__wire_line(k, k->server->desc.limits.header, &n);
            if (!p || !n) return p != NULL;
            size_t name = mcp__token_size(p);
            w->trailer += n;
            if (!name || p[name] != ':') return mcp__wire_refuse(k, 400);
            if (w->trailer > k->server->desc.limits.header) return mcp__wire_refuse(k, 431);
        }
    }
}

/* A whole request: an exchange begins, and may end at once. Zeros must stand behind its body. */
MCP__PRIVATE void mcp__wire_serve(mcp_conn *k) {
    static const mcp_attr none[] = { { NULL, NULL } };
    static const mcp_attr json[] = { { "Content-Type", MCP__JSON_TYPE }, { NULL, NULL } };
    static const char not_found[] = "{\"error\":\"Not found\"}";
    mcp__wire *w = k->wire;
    mcp_reply_hook reply = { mcp__wire_reply, k };
    mcp__where where;
    int rc;
    char *body = k->in.ptr + k->at;
    bool more = k->in.len > k->at + w->raw; /* the next request is here, too */
    w->rq.body = body;
    w->rq.size = w->body;
    w->rq.principal = k->principal;
    w->phase = MCP__HEAD;
    mcp__exchange *x = mcp__exchange_open(k->server, &w->rq, reply, &where, &rc);
    if (x && more && !mcp__buf_reserve(&x->conn.in, w->body + MCP__PAD)) {
        x->reply.func = NULL;
        mcp__reply_plain(x, 503, NULL);
        x = NULL;
    }
    if (x && more) body = (char *)memcpy(x->conn.in.ptr, body, w->body);
    k->at = k->seen = k->at + w->raw; /* what a handler lets in may move what is behind */
    w->busy = true;
    if (x) {
        memset(body + w->body, 0, MCP__PAD);
        x->wire = k;
        if (k->ready_to_write) x->conn.backed_up = mcp__exchange_backed_up;
        mcp__http_serve(x, &w->rq, where, body, w->body);
        return;
    }
    mcp_http_part part = { rc == MCP_UNSUPPORTED ? 404 : 503, none, NULL, 0, true };
    if (part.status == 404 && k->server->table[MCP__TOOL]->route_count)
        part.headers = json, part.body = not_found, part.size = sizeof not_found - 1;
    mcp__wire_reply(k, &part);
}

/* All that is here, as long as nothing is being answered. */
MCP__PRIVATE void mcp__wire_take(mcp_conn *k) {
    mcp__wire *w = k->wire;
    if (k->taking) return;
    k->taking = true;
    while (k->status == MCP_OK && !w->busy) {
        if (w->phase == MCP__HEAD && !mcp__wire_take_head(k)) break;
        if (w->expects && k->in.len == k->at + w->raw && w->phase != MCP__HEAD &&
            (w->left || w->phase == MCP__CHUNK_SIZE)) {
            w->expects = false;
            mcp__wire_text(k, "HTTP/1.1 100 Continue\r\n\r\n");
            mcp__flush(k);
        }
        if (!mcp__wire_take_body(k)) break;
        mcp__wire_serve(k);
        mcp_conn *stream = k->feeds;
        if (!stream) continue;
        k->feeds = NULL;
        k->taking = false; /* a cancellation may come on this very connection */
        mcp__sse_run(stream);
        k->taking = true;
    }
    k->taking = false;
    if (!w->busy && k->status == MCP_OK) mcp__compact(k);
    mcp__exchanges_reuse(k->server);
}

/* How much of the next requests is kept while one is answered. */
MCP__PRIVATE bool mcp__wire_has_room(const mcp_conn *k) {
    return !k->wire->busy || k->in.len - k->at < k->server->desc.limits.header;
}

/* Its peer waits for nothing any more. */
MCP__PRIVATE void mcp__wire_gone(mcp_conn *k) {
    k->wire->busy = false;
    mcp__http_gone(k->server, k);
}

MCP__PRIVATE int mcp__wire_feed(mcp_conn *k, const char *p, size_t n) {
    mcp__wire *w = k->wire;
    MCP_ASSERT(!k->writing);
    if (k->writing || (n && k->ended)) return k->status ? k->status : MCP_MISUSE;
    if (!n) { /* nobody waits for an answer any more */
        k->ended = true;
        mcp__wire_gone(k);
        return k->status ? k->status : (k->status = MCP_IO);
    }
    while (n && k->status == MCP_OK) {
        size_t size = mcp__min(n, MCP__READ_SIZE);
        char *room = mcp__input_room(k, &size);
        size_t most = 2 * k->server->desc.limits.message + k->server->desc.limits.header;
        if (!room || k->in.len - k->at > most) { /* no memory; or it never waits for an answer */
            if (!w->busy) mcp__wire_refuse(k, 503);
            k->status = MCP_NOMEM;
            break;
        }
        memcpy(room, p, size);
        p += size;
        n -= size;
        mcp__input_added(k, size);
    }
    return k->status;
}

MCP__PRIVATE void mcp__wire_free(mcp_conn *k) {
    mcp__wire *w = k->wire;
    mcp_server *s = k->server;
    if (w->busy) mcp__wire_gone(k);
    mcp__arena_reset(&w->arena, 0);
    mcp__realloc(&s->mem, w, sizeof *w, 0);
    k->wire = NULL;
    mcp__conn_free(k);
    mcp__exchanges_reuse(s);
}

/* ---- what takes too long ---- */
/* Many are silent most of the time: what their last request needed goes back. */
MCP__PRIVATE void mcp__wire_rest(mcp_conn *k) {
    mcp__buf_shrink(&k->in, MCP__RESERVE);
    mcp__buf_shrink(&k->out, MCP__RESERVE);
    mcp__arena_reset(&k->wire->arena, 0);
}

MCP__PRIVATE void mcp__wire_tick(mcp_conn *k, int64_t now) {
    const mcp_http *h = &k->server->desc.http;
    mcp__wire *w = k->wire;
    if (w->busy || k->status || k->taking) return;
    int64_t ms = w->waiting ? h->idle_ms : w->phase == MCP__HEAD ? h->head_ms : h->body_ms;
    if (now - w->since_ns < ms * 1000000) {
        if (w->waiting && now - w->since_ns >= MCP__TICK_NS) mcp__wire_rest(k);
        return;
    }
    w->keep = false;
    if (w->waiting) mcp__wire_out(k); /* silent: hung up on without a word */
    else mcp__wire_refuse(k, 408);
}

MCP__PRIVATE void mcp__http_tick(mcp_server *s) {
    int64_t now = mcp__now(s);
    mcp__exchanges_reuse(s);
    for (mcp_conn *k = s->conns; k; k = k->next)
        if (k->exchange && k->exchange->lost) mcp__exchange_gone(k->exchange);
    if (now < s->http_due_ns) return;
    s->http_due_ns = now + MCP__TICK_NS;
    for (mcp_conn *k = s->conns; k; k = k->next) {
        mcp__exchange *x = k->exchange;
        if (k->wire) mcp__wire_tick(k, now);
        if (!x || x->mode != MCP__EVENTS || !x->reply.func || k->spilling) continue;
        if (now - x->spoke_ns < s->desc.http.keepalive_ms * 1000000) continue;
        mcp__buf_add(&k->out, ":\n\n", 3);
        mcp__flush(k);
    }
    for (mcp__session *x = s->sessions, *next; x; x = next) {
        next = x->next;
        if (!x->id[0]) continue;
        if (x->streams) x->used_ns = now;
        else if (now - x->used_ns >= s->desc.http.session_ms * 1000000)
            mcp__session_close(s, x);
    }
}

/* With the server. */
MCP__PRIVATE void mcp__http_finish(mcp_server *s) {
    mcp_conn *k;
    do {
        for (k = s->conns; k && !k->wire;) k = k->next;
        if (k) mcp__wire_free(k);
    } while (k);
    mcp__exchanges_reuse(s);
    do {
        for (k = s->conns; k && !k->exchange;) k = k->next;
        if (k) mcp__exchange_drop(k);
    } while (k);
    for (mcp__session *x = s->sessions, *next; x; x = next) {
        next = x->next;
        if (x->id[0]) mcp__session_close(s, x);
    }
    while (s->spare_exchange) {
        mcp__exchange *x = s->spare_exchange;
        s->spare_exchange = x->next;
        mcp__exchange_destroy(x);
    }
}

static const mcp__http_side mcp__http = { mcp__http_tick, mcp__http_finish };

MCP__PRIVATE mcp_conn *mcp__wire_new(mcp_server *s, mcp_write_hook write) {
    mcp_conn *k = mcp__conn_new(s, MCP_LINES, write, "http");
    mcp__wire *w = k ? (mcp__wire *)mcp__realloc(&s->mem, NULL, 0, sizeof *w) : NULL;
    if (!w) {
        if (k) mcp__conn_free(k);
        return NULL;
    }
    memset(w, 0, sizeof *w);
    mcp__arena_init(&w->arena, &s->mem);
    w->keep = w->waiting = true;
    w->since_ns = mcp__now(s);
    k->wire = w;
    k->feed = mcp__wire_feed;
    k->take = mcp__wire_take;
    k->free = mcp__wire_free;
    s->http = &mcp__http;
    return k;
}

MCP__PRIVATE int mcp__http_handle(mcp_server *s, const mcp_http_request *rq, mcp_reply_hook reply) {
    mcp__where where;
    int rc;
    s->http = &mcp__http;
    mcp__exchange *x = mcp__exchange_open(s, rq, reply, &where, &rc);
    if (!x) return rc;
    mcp__buf *in = &x->conn.in;
    size_t n = rq->size > s->desc.limits.message ? 0 : rq->size; /* too long: refused unread */
    if (!mcp__buf_reserve(in, n + MCP__PAD)) {
        x->may_whole = true;
        mcp__reply_error(x, 500, MCP_INTERNAL_ERROR, "Out of memory");
    } else {
        if (n) memcpy(in->ptr, rq->body, n);
        memset(in->ptr + n, 0, MCP__PAD);
        mcp__http_serve(x, rq, where, in->ptr, rq->size);
    }
    rc = x->over && !x->moved ? MCP_OK : MCP_PENDING;
    mcp__exchanges_reuse(s);
    return rc;
}

#endif /* MCP_NO_HTTP */

/* ---- >>rest ------------------------------------------------------------------------------------
   A row with a route has two faces, and neither knows of the other. For MCP it is filled in when
   tables are compiled: name, title, description, schemas and hints are made of the row and its
   route, and from there on it is a tool like any other. For HTTP its path, query and body become
   the same arguments object, checked by the same rules, given to the same call; only the way back
   differs: a framing that turns the result into a status and a body. So what defers, is cancelled,
   is traced or runs out of memory does so by the same code.

       GET /items/7?deep=true   ->   {"id":7,"deep":true}   ->   structuredContent   ->   200, body

   Paths are kept sorted, segment by segment, what is literal before what is variable: a walk with
   two binary searches a segment finds a route among any number. */
#ifndef MCP_TOOLS_ONLY

static const struct { const char *name; unsigned hints; bool body; } mcp__verbs[] = {
    { "GET", MCP_READ_ONLY, false }, { "HEAD", MCP_READ_ONLY, false }, { "POST", 0, true },
    { "PUT", MCP_IDEMPOTENT, true }, { "PATCH", 0, true },
    { "DELETE", MCP_DESTRUCTIVE | MCP_IDEMPOTENT, false } };

enum { MCP__GET, MCP__HEAD_VERB, MCP__VERBS = MCP__COUNT(mcp__verbs), /* the last: none of them */
       MCP__SEGMENTS = 32, MCP__MOUNTS = 8, MCP__PAIRS = 4096 };

typedef struct mcp__segment {
    mcp__str text;           /* literal, or the variable's name */
    const mcp__rule *rule;   /* of a variable; NULL: it is literal */
} mcp__segment;

typedef struct mcp__endpoint {
    const mcp__tool *tool;
    size_t verb;
    mcp__str path;           /* as the row has it, behind the prefix */
    mcp__segment *segment;
    size_t segments;
    mcp__rule body;          /* the arguments that the path does not name */
} mcp__endpoint;

/* ---- paths ---- */

/* A path as segments are taken from it: "/" has none, "/a/" has two. */
MCP__PRIVATE mcp__str mcp__path_of(const char *text) {
    mcp__str path = { text, strcspn(text, "?") };
    if (path.n == 1) path.n = 0;
    return path;
}

MCP__PRIVATE bool mcp__segment_next(mcp__str *path, mcp__str *segment) {
    if (!path->n) return false;
    const char *slash = (const char *)memchr(path->s + 1, '/', path->n - 1);
    segment->s = path->s + 1;
    segment->n = slash ? (size_t)(slash - segment->s) : path->n - 1;
    path->s += segment->n + 1;
    path->n -= segment->n + 1;
    return true;
}

/* {id}, <id:int>, <id> and :id name a variable. */
MCP__PRIVATE bool mcp__segment_variable(mcp__str segment, mcp__str *name) {
    char first = segment.n ? segment.s[0] : 0, last = segment.n ? segment.s[segment.n - 1] : 0;
    bool angled = first == '<' && last == '>';
    *name = segment;
    if (first != ':' && !angled && !(first == '{' && last == '}')) return false;
    name->s++;
    name->n -= first == ':' ? 1 : 2;
    const char *colon = angled ? (const char *)memchr(name->s, ':', name->n) : NULL;
    if (colon) name->n = (size_t)(colon - name->s);
    return true;
}

/* Why that is no segment of a route, or NULL. */
MCP__PRIVATE const char *mcp__segment_wrong(mcp__str segment) {
    mcp__str name;
    if (!segment.n) return "the path has an empty segment";
    bool variable = mcp__segment_variable(segment, &name);
    if (!name.n) return "a variable has no name";
    for (size_t i = 0; i < name.n; i++) {
        unsigned char b = (unsigned char)name.s[i];
        if (variable ? !mcp__unreserved(name.s[i])
                     : b < 0x80 && !mcp__unreserved(name.s[i]) && !strchr("!$&'()*+,;=:@", b))
            return strchr("{}<>", b) ? "a variable is a whole segment of the path"
                                     : "the path has a character that has to be escaped";
    }
    return mcp__utf8_valid(name.s, name.n) == name.n ? NULL : "the path is not UTF-8";
}

/* ---- the row as a tool: what it leaves unsaid is said ---- */

MCP__PRIVATE const char *mcp__label(const char *own, const char *english) {
    return own ? own : english;
}

/* What was written into b becomes a text of the table's; NULL: out of memory. */
MCP__PRIVATE const char *mcp__buf_text(mcp__compiler *x, mcp__buf *b) {
    const char *copy = b->status ? NULL : mcp__arena_copy(x->arena, b->ptr ? b->ptr : "", b->len);
    mcp__buf_free(b);
    return copy ? copy : (mcp__no_memory(x), (const char *)NULL);
}

MCP__PRIVATE const char *mcp__text_of(mcp__compiler *x, const char *a, mcp__str b) {
    mcp__buf text;
    mcp__buf_init(&text, x->arena->mem);
    mcp__adds(&text, a);
    mcp__add(&text, b);
    return mcp__buf_text(x, &text);
}

/* "GET__items_id" of "GET /items/{id}". */
MCP__PRIVATE const char *mcp__route_name(mcp__compiler *x, const char *verb, const char *path) {
    mcp__buf b;
    mcp__str rest = mcp__path_of(path), segment;
    mcp__buf_init(&b, x->arena->mem);
    mcp__adds(&b, verb);
    mcp__adds(&b, rest.n ? "_" : "__");
    while (mcp__segment_next(&rest, &segment)) {
        mcp__segment_variable(segment, &segment);
        mcp__adds(&b, "_");
        mcp__add(&b, segment);
    }
    return mcp__buf_text(x, &b);
}

/* "\n- days (integer) [default: 3]: how far ahead" */
MCP__PRIVATE void mcp__describe_arg(mcp__buf *b, const mcp_arg *arg, const char *by_default) {
    bool known = !arg->schema && arg->type != MCP_ANY && (unsigned)arg->type <= MCP_NULL;
    const char *type = known ? mcp__type_names[arg->type] : "any";
    const char *const part[] = { "\n- ", arg->name, " (", type, ")", arg->def ? " [" : "",
                                 arg->def ? by_default : "", arg->def ? arg->def : "",
                                 arg->def ? "]" : "", ": ", arg->desc };
    for (size_t i = 0; i < MCP__COUNT(part); i++) mcp__adds(b, part[i]);
}

/* Title, text, those parameters that have a description, method and path. */
MCP__PRIVATE const char *mcp__route_desc(mcp__compiler *x, const mcp_tool *row, const char *verb,
                                         const char *path) {
    static const mcp_labels english = { NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL };
    const mcp_labels *l = x->desc->labels ? x->desc->labels : &english;
    const char *prefix = x->desc->http.prefix ? x->desc->http.prefix : "";
    const char *title = row->title ? row->title : "", *desc = row->desc ? row->desc : "";
    bool listed = false;
    mcp__buf b;
    mcp__buf_init(&b, x->arena->mem);
    mcp__adds(&b, title);
    if (*title && *desc) mcp__adds(&b, "\n\n");
    mcp__adds(&b, desc);
    if (*prefix && !path[1]) path++;
    const char *const endpoint[] = { mcp__label(l->endpoint, "Endpoint: "), verb, " ", prefix,
                                     path };
    for (size_t i = 0; !*title && !*desc && i < MCP__COUNT(endpoint); i++)
        mcp__adds(&b, endpoint[i]);
    for (const mcp_arg *arg = row->args; arg && arg->name; arg++) {
        if (!arg->desc) continue;
        if (!listed) mcp__adds(&b, "\n\n"), mcp__adds(&b, mcp__label(l->parameters, "Parameters:"));
        listed = true;
        mcp__describe_arg(&b, arg, mcp__label(l->by_default, "default: "));
    }
    const char *const end[] = { "\n\n", mcp__label(l->method, "HTTP Method: "), verb, "\n",
                                mcp__label(l->path, "Path: "), prefix, path };
    for (size_t i = 0; i < MCP__COUNT(end); i++) mcp__adds(&b, end[i]);
    return mcp__buf_text(x, &b);
}

/* A copy of rows, behind room for `more`; who has no description gets one. */
MCP__PRIVATE mcp_arg *mcp__route_rows(mcp__compiler *x, const mcp_arg *rows, size_t more,
                                      const char *label) {
    size_t n = 0;
    while (rows && rows[n].name) n++;
    mcp_arg *copy = (mcp_arg *)mcp__arena_array(x->arena, more + n + 1, sizeof *copy);
    if (!copy) return mcp__no_memory(x), (mcp_arg *)NULL;
    if (n) memcpy(copy + more, rows, n * sizeof *copy);
    for (size_t i = more; i < more + n; i++) {
        if (copy[i].desc || copy[i].schema) continue;
        copy[i].desc = mcp__text_of(x, label, mcp__str_of(copy[i].name));
        if (!copy[i].desc) return NULL;
    }
    return copy;
}

MCP__PRIVATE mcp_arg *mcp__row_named(mcp_arg *rows, mcp__str name) {
    for (; rows->name; rows++)
        if (mcp__str_same(mcp__str_of(rows->name), name)) return rows;
    return NULL;
}

/* The rows of the arguments: a path's variables are always given, and are strings unless a row says
   something else. */
MCP__PRIVATE bool mcp__route_args(mcp__compiler *x, mcp_tool *row, const char *path, bool body) {
    const mcp_labels *l = x->desc->labels;
    const char *label = mcp__label(l ? l->parameter : NULL, "Parameter ");
    mcp_arg added[MCP__SEGMENTS], *rows = mcp__route_rows(x, row->args, 0, label);
    mcp__str rest = mcp__path_of(path), segment, name;
    size_t n = 0, variables = 0, segments = 0;
    if (!rows) return false;
    memset(added, 0, sizeof added);
    for (; mcp__segment_next(&rest, &segment); segments++) {
        const char *wrong = segments == MCP__SEGMENTS ? "the path has too many segments"
                                                      : mcp__segment_wrong(segment);
        if (wrong) return mcp__wrong(x, NULL, wrong);
        if (!mcp__segment_variable(segment, &name)) continue;
        mcp_arg *arg = mcp__row_named(rows, name);
        variables++;
        if (mcp__row_named(added, name) || (arg && arg->flags & mcp__in_path))
            return mcp__wrong(x, NULL, "a variable stands twice in the path");
        if (arg && ((unsigned)arg->type > MCP_BOOLEAN || arg->schema || arg->flags & MCP_NULLABLE))
            return mcp__wrong(x, arg, "a variable of a path is a string, a number or a boolean");
        if (arg) arg->flags |= MCP_REQUIRED | mcp__in_path;
        else if (!(added[n++].name = mcp__arena_copy(x->arena, name.s, name.n)))
            return mcp__no_memory(x);
    }
    if (row->schema && (variables || !body))
        return mcp__wrong(x, NULL, "a path and a query need args, which a schema cannot be");
    if (row->schema) return true;
    mcp_arg *all = n ? mcp__route_rows(x, rows, n, label) : rows;
    for (size_t i = 0; all && i < n; i++) {
        all[i].name = added[i].name;
        all[i].flags = MCP_REQUIRED | mcp__in_path;
        all[i].desc = mcp__text_of(x, label, mcp__str_of(added[i].name));
        if (!all[i].desc) return false;
    }
    row->args = all;
    return all != NULL;
}

/* What comes back: the author's table with descriptions, or any object. */
MCP__PRIVATE bool mcp__route_out(mcp__compiler *x, mcp_tool *row) {
    const mcp_labels *l = x->desc->labels;
    if (row->mime && (row->out || row->out_schema))
        return mcp__wrong(x, NULL, "it has both a mime and a shape of its value");
    if (row->out) {
        row->out = mcp__route_rows(x, row->out, 0, mcp__label(l ? l->field : NULL,
                                                              "Response field: "));
        return row->out != NULL;
    }
    if (row->mime || row->out_schema) return true;
    mcp__buf b;
    mcp_writer w;
    mcp__buf_init(&b, x->arena->mem);
    mcp__writer_on(&w, &b);
    mcp__put_str(&w, "type", "object");
    mcp__put_str(&w, "description",
                 mcp__label(l ? l->response : NULL, "Response from the API endpoint"));
    if (mcp__writer_end(&w)) b.status = MCP_NOMEM;
    row->out_schema = mcp__buf_text(x, &b);
    return row->out_schema != NULL;
}

/* "GET" of "GET /items"; MCP__VERBS: it is none. */
MCP__PRIVATE size_t mcp__verb_of(const char *s, size_t n) {
    mcp__str verb = { s, n };
    size_t i = 0;
    while (i < MCP__VERBS && !mcp__str_same(verb, mcp__str_of(mcp__verbs[i].name))) i++;
    return i;
}

/* Completes a copy of a row, mounted below that path. */
MCP__PRIVATE bool mcp__route_row(mcp__compiler *x, mcp_tool *row, mcp__str below) {
    size_t n = strcspn(row->route, " "), verb = mcp__verb_of(row->route, n);
    if (verb == MCP__VERBS || row->route[n] != ' ' || row->route[n + 1] != '/')
        return mcp__wrong(x, NULL, "a route is GET, HEAD, POST, PUT, PATCH or DELETE, a space and "
                                   "a path: \"GET /items/{id}\"");
    const char *method = mcp__verbs[verb].name, *path = row->route + n + 1;
    if (below.n) path = mcp__joined(x->arena, below, path[1] ? path : "");
    if (!path) return mcp__no_memory(x);
    mcp__str head = mcp__str_of(mcp__joined(x->arena, mcp__str_of(method), " "));
    if (!head.n) return mcp__no_memory(x);
    const mcp_tool said = *row;
    row->route = mcp__joined(x->arena, head, path);
    if (!row->route) return mcp__no_memory(x);
    if (strchr(path, '?')) return mcp__wrong(x, NULL, "a route has no query: its args are that");
    if (!mcp__route_args(x, row, path, mcp__verbs[verb].body) || !mcp__route_out(x, row))
        return false;
    row->desc = mcp__route_desc(x, &said, method, path);
    if (row->desc && !said.name) row->name = mcp__route_name(x, method, path);
    if (!row->desc || !row->name) return false;
    if (!said.title) row->title = row->route;
    for (unsigned pair = 3; pair < 0x100; pair <<= 2)
        if (!(said.hints & pair)) row->hints |= mcp__verbs[verb].hints & pair;
    return true;
}

MCP__PRIVATE bool mcp__rows_end(const mcp_tool *row) {
    return !row->name && !row->route && !row->mount;
}

MCP__PRIVATE size_t mcp__rows_count(const mcp_tool *rows, int depth) {
    size_t n = 0;
    for (; depth <= MCP__MOUNTS && !mcp__rows_end(rows); rows++)
        n += rows->mount ? mcp__rows_count(rows->mount, depth + 1) : 1;
    return n;
}

/* Adds copies of rows, those that are mounted in place of their mount. */
MCP__PRIVATE bool mcp__rows_add(mcp__compiler *x, const mcp_tool *rows, mcp__str below, int depth,
                                mcp_tool **out) {
    for (; !mcp__rows_end(rows); rows++) {
        x->kind = rows->route ? "route" : "tool";
        x->owner = rows->route ? rows->route : rows->name ? rows->name : "";
        if (rows->mount) {
            if (rows->name || rows->call || rows->args || !rows->route || *rows->route != '/' ||
                mcp__segment_wrong(mcp__str_of(strrchr(rows->route, '/') + 1)))
                return mcp__wrong(x, NULL, "a mount has a path, \"/v2\", rows, and nothing else");
            if (depth == MCP__MOUNTS) return mcp__wrong(x, NULL, "mounts nest too deep");
            const char *path = mcp__joined(x->arena, below, rows->route);
            if (!path) return mcp__no_memory(x);
            if (!mcp__rows_add(x, rows->mount, mcp__str_of(path), depth + 1, out)) return false;
            continue;
        }
        mcp_tool *row = (*out)++;
        *row = *rows;
        if (!row->route && (row->mime || row->flags & MCP_HIDDEN))
            return mcp__wrong(x, NULL, "mime and MCP_HIDDEN are for rows with a route");
        if (row->route && !mcp__route_row(x, row, below)) return false;
    }
    if (rows->desc || rows->call || rows->args)
        return mcp__wrong(x, NULL, "a row behind it has no name");
    return true;
}

MCP__PRIVATE const mcp_tool *mcp__routing_rows(mcp__compiler *x, const mcp_tool *rows) {
    size_t n = mcp__rows_count(rows, 0);
    mcp_tool *all = (mcp_tool *)mcp__arena_array(x->arena, n + 1, sizeof *all), *at = all;
    const char *prefix = x->desc->http.prefix;
    const mcp__str nowhere = { "", 0 };
    if (!all) return mcp__no_memory(x), (const mcp_tool *)NULL;
    if (prefix && (*prefix != '/' || strpbrk(prefix, "{}<>?%") || strstr(prefix, "/:") ||
                   prefix[strlen(prefix) - 1] == '/')) {
        x->kind = "prefix", x->owner = prefix;
        return mcp__wrong(x, NULL, "it is not a path like \"/api\""), (const mcp_tool *)NULL;
    }
    if (!mcp__rows_add(x, rows, nowhere, 0, &at)) return NULL;
    x->kind = "tool";
    return all;
}

/* ---- the index of paths, and filters ---- */

MCP__PRIVATE int mcp__order_segments(const mcp__endpoint *a, const mcp__endpoint *b) {
    for (size_t i = 0; i < a->segments && i < b->segments; i++) {
        const mcp__segment *p = &a->segment[i], *q = &b->segment[i];
        if (!p->rule != !q->rule) return p->rule ? 1 : -1;
        int order = p->rule ? 0 : mcp__order_names(&p->text, &q->text);
        if (order) return order;
    }
    return (a->segments > b->segments) - (a->segments < b->segments);
}

MCP__PRIVATE int mcp__order_routes(const void *a, const void *b) {
    const mcp__endpoint *p = (const mcp__endpoint *)a, *q = (const mcp__endpoint *)b;
    int order = mcp__order_segments(p, q);
    return order ? order : (p->verb > q->verb) - (p->verb < q->verb);
}

/* The same, and who is alike stays in the order of the table. */
MCP__PRIVATE int mcp__sort_routes(const void *a, const void *b) {
    const mcp__endpoint *x = (const mcp__endpoint *)a, *y = (const mcp__endpoint *)b;
    int order = mcp__order_routes(x, y);
    return order ? order : (x->tool > y->tool) - (x->tool < y->tool);
}

/* Which arguments are not in the path, as a rule of their own. */
MCP__PRIVATE bool mcp__route_body(mcp__compiler *x, mcp__endpoint *route) {
    const mcp__rule *all = &route->tool->args;
    mcp__rule *member = (mcp__rule *)mcp__arena_array(x->arena, all->members + 1, sizeof *member);
    if (!member) return mcp__no_memory(x);
    route->body = *all;
    route->body.member = member;
    route->body.members = 0;
    for (size_t i = 0; i < all->members; i++)
        if (!(all->member[i].flags & mcp__in_path)) member[route->body.members++] = all->member[i];
    return true;
}

/* The record of a compiled row. */
MCP__PRIVATE bool mcp__route_index(mcp__compiler *x, const mcp__tool *tool, mcp__endpoint *route) {
    const char *path = strchr(tool->row->route, ' '), *prefix = x->desc->http.prefix;
    mcp__str segment, name;
    route->tool = tool;
    route->verb = mcp__verb_of(tool->row->route, (size_t)(path - tool->row->route));
    path += prefix && !path[2] ? 2 : 1; /* behind a prefix, "/" is the prefix itself */
    path = mcp__joined(x->arena, mcp__str_of(prefix), path);
    if (!path) return mcp__no_memory(x);
    route->path = mcp__str_of(path);
    for (mcp__str rest = mcp__path_of(path); mcp__segment_next(&rest, &segment);)
        route->segments++;
    route->segment = (mcp__segment *)mcp__arena_array(x->arena, route->segments + 1,
                                                      sizeof *route->segment);
    if (!route->segment) return mcp__no_memory(x);
    mcp__segment *to = route->segment;
    for (mcp__str rest = mcp__path_of(path); mcp__segment_next(&rest, &segment); to++) {
        bool variable = mcp__segment_variable(segment, &name);
        to->text = name;
        for (size_t i = 0; variable && i < tool->args.members; i++)
            if (mcp__str_same(tool->args.member[i].name, name)) to->rule = &tool->args.member[i];
    }
    return mcp__route_body(x, route);
}

/* What a route adds to its compiled row. */
MCP__PRIVATE bool mcp__route_tool(mcp__compiler *x, mcp__tool *tool) {
    const mcp_labels *l = x->desc->labels;
    tool->json = !tool->row->mime;
    if (tool->row->out) {
        mcp_arg *root = (mcp_arg *)mcp__arena_alloc(x->arena, sizeof *root);
        if (!root) return mcp__no_memory(x);
        *root = *tool->out.row;
        root->desc = mcp__label(l ? l->object : NULL, "Structured response object");
        tool->out.row = root;
    } else if (tool->json) {
        tool->out.flags |= MCP_OPEN;
        if (!tool->out_object) tool->out.type = MCP_ANY;
    }
    return true;
}

/* Whether every name of a filter is a tool's. */
MCP__PRIVATE bool mcp__filter_known(mcp__compiler *x, const mcp__table *t, const char *list) {
    const mcp__tool *tool = (const mcp__tool *)(const void *)t->rows;
    mcp__str name = { NULL, 0 };
    while (list && mcp__list_next(&list, &name)) {
        size_t i = 0;
        while (i < t->count && !mcp__str_same(tool[i].name, name)) i++;
        if (i < t->count) continue;
        x->kind = "filter";
        x->owner = mcp__arena_copy(x->arena, name.s, name.n);
        if (!x->owner) return mcp__no_memory(x);
        return mcp__wrong(x, NULL, "there is no tool of that name to include or exclude");
    }
    return true;
}

MCP__PRIVATE bool mcp__filter_has(const char *list, mcp__str name) {
    mcp__str item = { NULL, 0 };
    while (list && mcp__list_next(&list, &item))
        if (mcp__str_same(item, name)) return true;
    return false;
}

/* Those that clients see first, in their order; behind them those that only have a route. */
MCP__PRIVATE bool mcp__filter(mcp__compiler *x, mcp__table *t) {
    const char *include = x->desc->include, *exclude = x->desc->exclude;
    mcp__tool *from = (mcp__tool *)(void *)t->rows;
    mcp__tool *to = (mcp__tool *)mcp__arena_array(x->arena, t->count + 1, sizeof *to);
    size_t all = 0, visible = 0;
    if (!to) return mcp__no_memory(x);
    if (!mcp__filter_known(x, t, include) || !mcp__filter_known(x, t, exclude)) return false;
    for (int hidden = 0; hidden < 2; hidden++) {
        for (size_t i = 0; i < t->count; i++) {
            mcp__str name = from[i].name;
            bool out = (from[i].row->flags & MCP_HIDDEN) || mcp__filter_has(exclude, name) ||
                       (include && !mcp__filter_has(include, name));
            if (out == (hidden == 1)) to[all++] = from[i];
        }
        if (!hidden) visible = all;
    }
    t->rows = (char *)to;
    t->count = visible;
    for (size_t i = 0; i < all; i++) t->route_count += to[i].row->route != NULL;
    t->routes = (mcp__endpoint *)mcp__arena_array(x->arena, t->route_count + 1, sizeof *t->routes);
    if (!t->routes) return mcp__no_memory(x);
    mcp__endpoint *route = t->routes;
    for (size_t i = 0; i < all; i++) {
        if (!to[i].row->route) continue;
        x->kind = "route", x->owner = to[i].row->route;
        if (!mcp__route_tool(x, &to[i]) || !mcp__route_index(x, &to[i], route++)) return false;
    }
    return true;
}

/* MCP's own paths, and the one of the document unless a row has that. */
MCP__PRIVATE bool mcp__paths_free(mcp__compiler *x, const mcp_server *s, mcp__table *t) {
    const char *document = mcp__joined(x->arena, mcp__str_of(x->desc->http.prefix),
                                       "/openapi.json");
    if (!document) return mcp__no_memory(x);
    if (t->route_count) t->document = mcp__str_of(document);
    for (size_t i = 0; i < t->route_count; i++) {
        const mcp__endpoint *route = &t->routes[i];
        x->owner = route->tool->row->route;
        if (i && mcp__order_routes(&t->routes[i - 1], route) == 0)
            return mcp__wrong(x, NULL, "another row has the same method and path");
        if (mcp__str_same(route->path, t->document)) t->document.n = 0;
#ifndef MCP_NO_HTTP
        if (mcp__http_where(s, route->path.s) != MCP__NOWHERE)
            return mcp__wrong(x, NULL, "its path is one of MCP's own");
#endif
    }
    (void)s;
    return true;
}

MCP__PRIVATE bool mcp__routing_index(mcp__compiler *x, const mcp_server *s, mcp__table *t) {
    if (!mcp__filter(x, t)) return false;
    if (t->route_count) qsort(t->routes, t->route_count, sizeof *t->routes, mcp__sort_routes);
    if (!mcp__paths_free(x, s, t)) return false;
    x->kind = "tool";
    return true;
}

/* ---- OpenAPI 3.1: the same tables, told to programs that know no MCP ---- */

MCP__PRIVATE bool mcp__is_scalar(const mcp__rule *r) {
    return !r->schema.n && (unsigned)r->type <= MCP_BOOLEAN;
}

/* Whether each item is a parameter of its own, all of one name; else an array is a text of JSON. */
MCP__PRIVATE bool mcp__is_spread(const mcp__rule *r) {
    return !r->schema.n && r->type == MCP_ARRAY && mcp__is_scalar(r->item);
}

MCP__PRIVATE void mcp__put_content(mcp_writer *w, const char *mime, const mcp__rule *r) {
    mcp__put_obj(w, mime);
    mcp__put_schema(w, "schema", r, true);
    mcp__put_end(w);
}

MCP__PRIVATE void mcp__put_parameter(mcp_writer *w, const mcp__rule *r) {
    bool in_path = r->flags & mcp__in_path;
    mcp__put_obj(w, NULL);
    mcp__put_strn(w, "name", r->name.s, r->name.n);
    mcp__put_str(w, "in", in_path ? "path" : "query");
    mcp__put_bool(w, "required", (r->flags & MCP_REQUIRED) != 0);
    if (r->row->desc) mcp__put_str(w, "description", r->row->desc);
    if (mcp__is_scalar(r) || mcp__is_spread(r)) mcp__put_schema(w, "schema", r, true);
    else {
        mcp__put_obj(w, "content");
        mcp__put_content(w, MCP__JSON_TYPE, r);
        mcp__put_end(w);
    }
    mcp__put_end(w);
}

MCP__PRIVATE void mcp__put_request_body(mcp_writer *w, const mcp__endpoint *route) {
    const mcp__rule *r = &route->body;
    bool required = false, form = !route->tool->schema.n; /* of a list a form cannot say "none" */
    for (size_t i = 0; i < r->members; i++) {
        const mcp__rule *m = &r->member[i];
        required |= (m->flags & MCP_REQUIRED) != 0;
        form &= !(m->flags & MCP_NULLABLE) && mcp__is_scalar(m);
    }
    mcp__put_obj(w, "requestBody");
    mcp__put_bool(w, "required", required);
    mcp__put_obj(w, "content");
    mcp__put_obj(w, MCP__JSON_TYPE);
    if (route->tool->schema.n)
        mcp__put_word(w, "schema", route->tool->schema.s, route->tool->schema.n);
    else mcp__put_schema(w, "schema", r, false);
    mcp__put_end(w);
    if (form) mcp__put_content(w, MCP__FORM_TYPE, r);
    mcp__put_end(w);
    mcp__put_end(w);
}

MCP__PRIVATE void mcp__put_ok(mcp_writer *w, const mcp__tool *tool) {
    mcp__put_obj(w, "200");
    mcp__put_str(w, "description", "Done");
    mcp__put_obj(w, "content");
    mcp__put_obj(w, tool->json ? MCP__JSON_TYPE : tool->row->mime);
    if (tool->out_schema.n) mcp__put_word(w, "schema", tool->out_schema.s, tool->out_schema.n);
    else if (tool->json) mcp__put_schema(w, "schema", &tool->out, true);
    for (int open = 3; open; open--) mcp__put_end(w);
}

MCP__PRIVATE void mcp__put_operation(mcp_writer *w, const mcp__endpoint *route) {
    static const char *const failures[] = { "4XX", "5XX" };
    const mcp__tool *tool = route->tool;
    char verb[8] = "";
    for (size_t i = 0; mcp__verbs[route->verb].name[i]; i++)
        verb[i] = (char)mcp__lower(mcp__verbs[route->verb].name[i]);
    bool body = mcp__verbs[route->verb].body;
    mcp__put_obj(w, verb);
    mcp__put_strn(w, "operationId", tool->name.s, tool->name.n);
    mcp__put_str(w, "summary", tool->row->title);
    mcp__put_str(w, "description", tool->row->desc);
    mcp__put_arr(w, "parameters");
    for (size_t i = 0; i < tool->args.members; i++)
        if (!body || tool->args.member[i].flags & mcp__in_path)
            mcp__put_parameter(w, &tool->args.member[i]);
    mcp__put_end(w);
    if (body && (route->body.members || tool->schema.n)) mcp__put_request_body(w, route);
    mcp__put_obj(w, "responses");
    mcp__put_ok(w, tool);
    for (size_t i = 0; i < MCP__COUNT(failures); i++) {
        mcp__put_obj(w, failures[i]);
        mcp__put_str(w, "$ref", "#/components/responses/Error");
        mcp__put_end(w);
    }
    mcp__put_obj(w, "default"); /* what else a handler makes the status */
    mcp__put_str(w, "description", "Done");
    for (int open = 3; open; open--) mcp__put_end(w);
}

/* "/items/{id}", however the row spells its variables. */
MCP__PRIVATE void mcp__put_path(mcp_writer *w, const mcp__endpoint *route, mcp__buf *b) {
    mcp__buf_reset(b, MCP__KEEP);
    for (size_t i = 0; i < route->segments; i++) {
        const mcp__segment *segment = &route->segment[i];
        mcp__adds(b, segment->rule ? "/{" : "/");
        mcp__add(b, segment->text);
        if (segment->rule) mcp__adds(b, "}");
    }
    if (!route->segments) mcp__adds(b, "/");
    if (mcp__buf_add(b, "", 1)) mcp__put_obj(w, b->ptr);
    else mcp__put_fail(w, MCP_NOMEM);
}

MCP__PRIVATE void mcp__put_error_response(mcp_writer *w) {
    mcp__put_obj(w, "components");
    mcp__put_obj(w, "responses");
    mcp__put_obj(w, "Error");
    mcp__put_str(w, "description", "It was not done");
    mcp__put_obj(w, "content");
    mcp__put_obj(w, MCP__JSON_TYPE);
    mcp__put_raw(w, "schema",
                 "{\"type\":\"object\",\"properties\":{\"error\":{\"type\":\"string\"}},"
                 "\"required\":[\"error\"]}");
    for (int open = 5; open; open--) mcp__put_end(w);
}

/* The document in b, with a NUL behind it; false: out of memory. */
MCP__PRIVATE bool mcp__openapi(const mcp_server *s, mcp__buf *b) {
    const mcp_server_desc *d = &s->desc;
    const mcp__table *t = s->table[MCP__TOOL];
    mcp_writer w;
    mcp__buf path;
    mcp__buf_init(&path, &s->mem);
    mcp__writer_on(&w, b);
    mcp__put_str(&w, "openapi", "3.1.0");
    mcp__put_obj(&w, "info");
    mcp__put_str(&w, "title", d->title ? d->title : d->name);
    mcp__put_str(&w, "version", d->version);
    if (d->desc) mcp__put_str(&w, "description", d->desc);
    mcp__put_end(&w);
    mcp__put_obj(&w, "paths");
    for (size_t i = 0; i < t->route_count; i++) {
        const mcp__endpoint *route = &t->routes[i];
        if (!i || mcp__order_segments(route - 1, route)) {
            if (i) mcp__put_end(&w);
            mcp__put_path(&w, route, &path);
        }
        mcp__put_operation(&w, route);
    }
    if (t->route_count) mcp__put_end(&w);
    mcp__put_end(&w);
    mcp__put_error_response(&w);
    mcp__buf_free(&path);
    return mcp__writer_end(&w) == MCP_OK && mcp__buf_add(b, "", 1);
}

/* ---- what MCP_ABOUT adds: texts about the server ---- */

/* Gives what is in b, without its NUL, as the contents. */
MCP__PRIVATE int mcp__about_text(mcp_call *c, mcp__buf *b) {
    int rc = b->status ? mcp__spoil(c, MCP_NOMEM, NULL) : mcp__textn(c, b->ptr, b->len);
    mcp__buf_free(b);
    return rc;
}

MCP__PRIVATE void mcp__about_line(mcp__buf *b, const char *a, const char *c) {
    mcp__adds(b, a);
    mcp__adds(b, c);
    mcp__adds(b, "\n");
}

MCP__PRIVATE int mcp__about_info(mcp_call *c) {
    const mcp_server_desc *d = &c->server->desc;
    const struct { const char *name; size_t n; } limits[] = {
        { "bytes of a message: ", d->limits.message }, { "depth of nesting: ", d->limits.depth },
        { "calls on a connection: ", d->limits.calls },
        { "connections: ", d->limits.connections }, { "sessions: ", d->limits.sessions } };
    char digits[24];
    mcp__buf b;
    mcp__buf_init(&b, &c->server->mem);
    mcp__adds(&b, d->name);
    mcp__about_line(&b, " ", d->version);
    if (d->title) mcp__about_line(&b, "title: ", d->title);
    if (d->desc) mcp__about_line(&b, "description: ", d->desc);
    if (d->website) mcp__about_line(&b, "website: ", d->website);
    mcp__about_line(&b, "library: mcp.h ", MCP_VERSION);
    mcp__adds(&b, "protocol versions:");
    for (size_t i = 0; i < MCP__COUNT(mcp__versions); i++)
        if (d->versions & mcp__versions[i].bit)
            mcp__adds(&b, " "), mcp__adds(&b, mcp__versions[i].name);
    mcp__adds(&b, "\n");
    for (size_t i = 0; i < MCP__COUNT(limits); i++) {
        *mcp__print_int(digits, (int64_t)limits[i].n) = 0;
        mcp__about_line(&b, limits[i].name, digits);
    }
    return mcp__about_text(c, &b);
}

/* "GET /items/{id}  One item  (GET__items_id)" */
MCP__PRIVATE int mcp__about_routes(mcp_call *c) {
    const mcp__table *t = c->server->table[MCP__TOOL];
    mcp__buf b;
    mcp__buf_init(&b, &c->server->mem);
    if (!t->route_count) mcp__adds(&b, "There are no routes.\n");
    for (size_t i = 0; i < t->route_count; i++) {
        const mcp__endpoint *route = &t->routes[i];
        const char *first = t->rows, *at = (const char *)route->tool;
        bool seen = at < first + t->count * t->size; /* those that clients see stand first */
        const char *const part[] = { mcp__verbs[route->verb].name, " ", route->path.s, "  ",
                                     route->tool->row->title, "  (",
                                     seen ? route->tool->row->name : "no tool", ")\n" };
        for (size_t k = 0; k < MCP__COUNT(part); k++) mcp__adds(&b, part[k]);
    }
    return mcp__about_text(c, &b);
}

MCP__PRIVATE int mcp__about_openapi(mcp_call *c) {
    mcp__buf b;
    mcp__buf_init(&b, &c->server->mem);
    if (mcp__openapi(c->server, &b)) b.len--;
    return mcp__about_text(c, &b);
}

MCP__PRIVATE bool mcp__routing_about(mcp__compiler *x, mcp__table *t) {
    static const struct { const char *uri, *name, *desc, *mime; mcp_handler *read; } about[] = {
        { "mcp://server/info", "info", "What this server is: versions and limits.", "text/plain",
          mcp__about_info },
        { "mcp://server/routes", "routes", "Every route, and the tool that it is.", "text/plain",
          mcp__about_routes },
        { "mcp://server/openapi.json", "openapi.json", "The routes as an OpenAPI 3.1 document.",
          MCP__JSON_TYPE, mcp__about_openapi } };
    const size_t n = MCP__COUNT(about);
    mcp_resource *rows = (mcp_resource *)mcp__arena_array(x->arena, n + 1, sizeof *rows);
    if (!rows) return mcp__no_memory(x);
    for (size_t i = 0; i < n; i++) {
        rows[i].uri = about[i].uri;
        rows[i].name = about[i].name;
        rows[i].desc = about[i].desc;
        rows[i].mime = about[i].mime;
        rows[i].read = about[i].read;
    }
    return mcp__compile_rows(x, t, rows, n);
}

#ifndef MCP_NO_HTTP

/* ---- from a request to its route ---- */

/* The order of a segment as it came, escapes and all, and a literal one. */
MCP__PRIVATE int mcp__order_escaped(mcp__str came, mcp__str literal) {
    size_t i = 0, k = 0;
    for (; i < came.n && k < literal.n; i++, k++) {
        int escaped = mcp__escaped_byte(came.s + i, came.n - i);
        unsigned char a = (unsigned char)(escaped < 0 ? came.s[i] : escaped);
        unsigned char b = (unsigned char)literal.s[k];
        if (escaped >= 0) i += 2;
        if (a != b) return a < b ? -1 : 1;
    }
    return (i < came.n) - (k < literal.n);
}

/* Decodes s where it stands, once, and ends it with a NUL; form: '+' is a space. false: it is
   escaped wrongly, or not UTF-8. */
MCP__PRIVATE bool mcp__unescape_text(char *s, mcp__str *text, bool form) {
    char *out = s;
    for (size_t i = 0; i < text->n; i++) {
        int escaped = mcp__escaped_byte(s + i, text->n - i);
        if (escaped < 0 && s[i] == '%') return false;
        *out++ = escaped >= 0 ? (char)escaped : form && s[i] == '+' ? ' ' : s[i];
        if (escaped >= 0) i += 2;
    }
    text->s = s;
    text->n = (size_t)(out - s);
    bool valid = mcp__utf8_valid(s, text->n) == text->n;
    *out = 0;
    return valid;
}

/* Whether a variable may take that segment: text in one piece, and no way to leave a folder. */
MCP__PRIVATE bool mcp__segment_fits(mcp__str segment) {
    size_t n = 0;
    bool dots = true;
    for (size_t i = 0; i < segment.n; i++, n++) {
        int escaped = mcp__escaped_byte(segment.s + i, segment.n - i);
        if (escaped < 0 && segment.s[i] == '%') return false;
        char c = escaped < 0 ? segment.s[i] : (char)escaped;
        if (!c || c == '/') return false;
        if (escaped >= 0) i += 2;
        dots &= c == '.';
    }
    return n && !(dots && n <= 2);
}

typedef struct mcp__search {
    const mcp__endpoint *route;   /* the sorted ones */
    size_t verb;
    unsigned allowed;          /* the methods that the path has, one bit each */
    const mcp__endpoint *found;
} mcp__search;

/* Routes [low, high) agree in `depth` segments, which match what stood before rest. */
MCP__PRIVATE void mcp__route_walk(mcp__search *x, size_t low, size_t high, size_t depth,
                                  mcp__str rest) {
    mcp__str segment;
    bool more = mcp__segment_next(&rest, &segment);
    for (; low < high && x->route[low].segments == depth; low++) { /* these end here */
        if (more) continue;
        x->allowed |= 1u << x->route[low].verb;
        if (!x->found && x->route[low].verb == x->verb) x->found = &x->route[low];
    }
    if (!more || low == high) return;
    size_t variable = low, end = high;
    while (variable < end) { /* the first of those that go on with a variable */
        size_t middle = variable + (end - variable) / 2;
        if (x->route[middle].segment[depth].rule) end = middle;
        else variable = middle + 1;
    }
    size_t first = low, last = variable;
    for (end = variable; first < end;) { /* the first that is not before this segment */
        size_t middle = first + (end - first) / 2;
        if (mcp__order_escaped(segment, x->route[middle].segment[depth].text) <= 0) end = middle;
        else first = middle + 1;
    }
    for (size_t at = first; at < last;) { /* the first that is behind it */
        size_t middle = at + (last - at) / 2;
        if (mcp__order_escaped(segment, x->route[middle].segment[depth].text) < 0) last = middle;
        else at = middle + 1;
    }
    if (first < last) mcp__route_walk(x, first, last, depth + 1, rest);
    if (!x->found && variable < high && mcp__segment_fits(segment))
        mcp__route_walk(x, variable, high, depth + 1, rest);
}

MCP__PRIVATE mcp__search mcp__route_find(const mcp__table *t, const char *target, size_t verb) {
    mcp__search x = { t->routes, verb, 0, NULL };
    if (*target == '/') mcp__route_walk(&x, 0, t->route_count, 0, mcp__path_of(target));
    return x;
}

MCP__PRIVATE bool mcp__is_document(const mcp__table *t, const char *target) {
    mcp__str path = { target, strcspn(target, "?") };
    return t->document.n && mcp__str_same(path, t->document);
}

MCP__PRIVATE bool mcp__routing_here(const mcp_server *s, const char *target) {
    const mcp__table *t = s->table[MCP__TOOL];
    if (!t->route_count) return false;
    return mcp__is_document(t, target) || mcp__route_find(t, target, MCP__VERBS).allowed;
}

/* "GET, HEAD, OPTIONS" of what a path has. */
MCP__PRIVATE char *mcp__allowed(const mcp_server *s, const char *target, char *text) {
    const mcp__table *t = s->table[MCP__TOOL];
    bool document = mcp__is_document(t, target);
    unsigned allowed = document ? 1u << MCP__GET : mcp__route_find(t, target, MCP__VERBS).allowed;
    if (allowed & 1u << MCP__GET) allowed |= 1u << MCP__HEAD_VERB;
    *text = 0;
    for (size_t i = 0; i < MCP__VERBS; i++)
        if (allowed & 1u << i) strcat(strcat(text, mcp__verbs[i].name), ", ");
    return strcat(text, "OPTIONS");
}

MCP__PRIVATE void mcp__routing_options(mcp__exchange *x, const char *target) {
    char allowed[64];
    const char *wanted = mcp__asked(x, "Access-Control-Request-Headers");
    mcp__allowed(x->conn.server, target, allowed);
    if (mcp__asked(x, "Origin") && mcp__asked(x, "Access-Control-Request-Method")) {
        mcp__reply_header(x, "Access-Control-Allow-Methods", allowed);
        mcp__reply_header(x, "Access-Control-Allow-Headers",
                          wanted && *wanted ? wanted : "Content-Type, Accept, Authorization");
        mcp__reply_header(x, "Access-Control-Max-Age", "86400");
    } else mcp__reply_header(x, "Allow", allowed);
    mcp__reply_plain(x, 204, NULL);
}

/* ---- from texts and a body to arguments ---- */

typedef struct mcp__pair { mcp__str key, value; const mcp__rule *rule; } mcp__pair;

typedef struct mcp__reading {
    mcp_call *c;
    const mcp__endpoint *route;
    mcp_writer w;
    mcp__pair *pair;
    size_t pairs;
    bool *given;             /* of each argument: it stands in the path or the query */
    const char *body;        /* an object, or NULL */
    int status;              /* that refuses it, with */
    const char *why;
} mcp__reading;

MCP__PRIVATE bool mcp__unreadable(mcp__reading *r, int status, const char *why) {
    if (!r->status) r->status = status, r->why = why;
    return false;
}

/* JSON that stands in a text; NULL: it is none. */
MCP__PRIVATE const char *mcp__text_value(mcp__reading *r, mcp__str text) {
    const char *error;
    int status;
    while (text.n && mcp__is_space(*text.s)) text.s++, text.n--;
    char *v = mcp__arena_json(&r->c->arena, text.s, text.n);
    if (!v) return mcp__unreadable(r, 503, "Out of memory"), (const char *)NULL;
    const char *end = text.n ? mcp__json_check(v, r->c->server->desc.limits.depth, NULL, &error,
                                               &status) : NULL;
    return end && mcp__json_space(end) == v + text.n ? v : NULL;
}

/* A text as the value that its rule wants; what cannot be one stays a string, which the check tells
   of in the same words as of a tool's argument. */
MCP__PRIVATE void mcp__put_text(mcp__reading *r, const char *key, const mcp__rule *rule,
                                mcp__str text) {
    mcp__num number;
    bool scalar = !rule || mcp__is_scalar(rule), word = false;
    mcp_type type = rule ? rule->type : MCP_STRING;
    if (!scalar) {
        const char *v = mcp__text_value(r, text);
        if (v) mcp__put_json(&r->w, key, v);
        else mcp__put_strn(&r->w, key, text.s, text.n);
        return;
    }
    if (type == MCP_NUMBER || type == MCP_INTEGER)
        word = mcp__num_parse(text.s, text.n, &number) == MCP_OK;
    if (type == MCP_BOOLEAN)
        word = mcp__str_same(text, mcp__str_of("true")) ||
               mcp__str_same(text, mcp__str_of("false"));
    if (type != MCP_STRING && rule->flags & MCP_NULLABLE)
        word |= mcp__str_same(text, mcp__str_of("null"));
    if (word) mcp__put_word(&r->w, key, text.s, text.n);
    else mcp__put_strn(&r->w, key, text.s, text.n);
}

/* "a=1&b=2", decoded where it stands. */
MCP__PRIVATE bool mcp__read_pairs(mcp__reading *r, char *s, size_t n) {
    const mcp__rule *args = &r->route->tool->args;
    for (char *end = s + n, *next; s < end; s = next + 1) {
        next = (char *)memchr(s, '&', (size_t)(end - s));
        if (!next) next = end;
        if (next == s) continue;
        if (r->pairs == MCP__PAIRS) return mcp__unreadable(r, 413, "Too many parameters");
        char *equals = (char *)memchr(s, '=', (size_t)(next - s));
        mcp__pair *pair = &r->pair[r->pairs++];
        pair->key.n = (size_t)((equals ? equals : next) - s);
        pair->value.n = equals ? (size_t)(next - equals - 1) : 0;
        if ((equals && !mcp__unescape_text(equals + 1, &pair->value, true)) ||
            !mcp__unescape_text(s, &pair->key, true) || strlen(pair->key.s) != pair->key.n)
            return mcp__unreadable(r, 400, "A parameter is escaped wrongly, or not UTF-8");
        if (!equals) pair->value.s = "";
        for (size_t i = 0; i < args->members && !pair->rule; i++)
            if (mcp__str_same(args->member[i].name, pair->key)) pair->rule = &args->member[i];
    }
    return true;
}

/* How many pairs `text` can be, at most. */
MCP__PRIVATE size_t mcp__pairs_in(const char *text, size_t n) {
    size_t count = n != 0;
    for (size_t i = 0; i < n; i++) count += text[i] == '&';
    return count;
}

/* An argument that comes from two places has no value that everybody would agree on. */
MCP__PRIVATE bool mcp__give_once(mcp__reading *r, const mcp__rule *rule) {
    const mcp__rule *args = &r->route->tool->args;
    bool *given = &r->given[rule - args->member];
    if (!*given) return *given = true;
    mcp__buf *why = &r->c->buf[MCP__NOTE];
    mcp__buf_reset(why, MCP__KEEP);
    mcp__adds(why, "Invalid arguments: ");
    mcp__add(why, rule->name);
    bool told = mcp__buf_add(why, ": given more than once", 23); /* with its NUL */
    return mcp__unreadable(r, told ? 400 : 503, told ? why->ptr : "Out of memory");
}

/* All values of one name, each an item. */
MCP__PRIVATE void mcp__put_spread(mcp__reading *r, size_t from) {
    const mcp__rule *rule = r->pair[from].rule;
    mcp__put_arr(&r->w, rule->name.s);
    for (size_t i = from; i < r->pairs; i++) {
        if (r->pair[i].rule != rule) continue;
        mcp__put_text(r, NULL, rule->item, r->pair[i].value);
        r->pair[i].key.s = NULL; /* taken */
    }
    mcp__put_end(&r->w);
}

MCP__PRIVATE bool mcp__put_pairs(mcp__reading *r) {
    for (size_t i = 0; i < r->pairs; i++) {
        const mcp__pair *pair = &r->pair[i];
        if (!pair->key.s) continue;
        if (pair->rule && !mcp__give_once(r, pair->rule)) return false;
        if (pair->rule && mcp__is_spread(pair->rule)) mcp__put_spread(r, i);
        else mcp__put_text(r, pair->key.s, pair->rule, pair->value);
    }
    return true;
}

/* The values of the path's variables, escaped as they came. */
MCP__PRIVATE bool mcp__put_variables(mcp__reading *r, const char *target) {
    mcp__str rest = mcp__path_of(target), segment;
    for (size_t i = 0; mcp__segment_next(&rest, &segment); i++) {
        const mcp__rule *rule = r->route->segment[i].rule;
        if (!rule) continue;
        char *copy = mcp__arena_copy(&r->c->arena, segment.s, segment.n);
        if (!copy) return mcp__unreadable(r, 503, "Out of memory");
        if (!mcp__unescape_text(copy, &segment, false))
            return mcp__unreadable(r, 400, "The path is not UTF-8");
        r->given[rule - r->route->tool->args.member] = true;
        mcp__put_text(r, rule->name.s, rule, segment);
    }
    return true;
}

/* The members of a JSON body, as they came. */
MCP__PRIVATE bool mcp__put_body(mcp__reading *r) {
    const mcp__rule *args = &r->route->tool->args;
    for (const char *m = mcp__json_first(r->body); m; m = mcp__json_next(m)) {
        const mcp__rule *rule = mcp__rule_of(args, mcp__json_key(m));
        if (rule && r->given[rule - args->member]) return mcp__give_once(r, rule);
        mcp__put_member(&r->w, m);
    }
    return true;
}

/* What kind of body it is, checked. p[n] is ours to overwrite, and zeros follow. */
MCP__PRIVATE bool mcp__read_body(mcp__reading *r, const mcp__exchange *x, char *p, size_t n) {
    const char *type = mcp__asked(x, "Content-Type"), *coding = mcp__asked(x, "Content-Encoding");
    const char *error;
    int status = MCP_SYNTAX;
    if (!n) return true;
    if (!mcp__verbs[r->route->verb].body)
        return mcp__unreadable(r, 400, "This method takes no body: its arguments are the query");
    if (coding && !mcp__same_name(coding, "identity"))
        return mcp__unreadable(r, 415, "Content-Encoding is not supported");
    if (mcp__is_type(type, MCP__FORM_TYPE)) return mcp__read_pairs(r, p, n);
    if (!mcp__is_type(type, MCP__JSON_TYPE))
        return mcp__unreadable(r, 415,
                               "Content-Type must be " MCP__JSON_TYPE " or " MCP__FORM_TYPE);
    p = mcp__unmarked(p, &n);
    p[n] = 0;
    const char *v = mcp__json_space(p), *stop = p + n;
    size_t depth = r->c->server->desc.limits.depth;
    const char *end = v == stop ? NULL : mcp__json_check(v, depth, NULL, &error, &status);
    if (!end || mcp__json_space(end) != stop)
        return mcp__unreadable(r, 400, status == MCP_LIMIT ? "Nesting too deep" : "Parse error");
    if (*v != '{') return mcp__unreadable(r, 400, "The body is not a JSON object");
    r->body = v;
    return true;
}

/* Path, query and body as one object in x->args. */
MCP__PRIVATE bool mcp__rest_read(mcp__reading *r, mcp__exchange *x, const char *target, char *body,
                                 size_t size) {
    mcp_call *c = r->c;
    const char *type = r->route->tool->json ? MCP__JSON_TYPE : x->type;
    mcp__str query = mcp__str_of(strchr(target, '?'));
    if (query.n) query.s++, query.n--;
    bool form = mcp__is_type(mcp__asked(x, "Content-Type"), MCP__FORM_TYPE);
    char bare[128] = "";
    strncat(bare, type, mcp__min(sizeof bare - 1, strcspn(type, "; ")));
    if (!mcp__accepts(x, bare)) return mcp__unreadable(r, 406, "Accept leaves out what this gives");
    if (size > c->server->desc.limits.message) return mcp__unreadable(r, 413, "Message too long");
    size_t pairs = mcp__pairs_in(query.s, query.n) + (form ? mcp__pairs_in(body, size) : 0);
    char *copy = mcp__arena_copy(&c->arena, query.s, query.n);
    r->pair = (mcp__pair *)mcp__arena_array(&c->arena, mcp__min(pairs, MCP__PAIRS) + 1,
                                            sizeof *r->pair);
    r->given = (bool *)mcp__arena_array(&c->arena, r->route->tool->args.members + 1,
                                        sizeof *r->given);
    if (!copy || !r->pair || !r->given) return mcp__unreadable(r, 503, "Out of memory");
    mcp__args_begin(c, &r->w);
    mcp__put_obj(&r->w, NULL);
    if (!mcp__put_variables(r, target) || !mcp__read_pairs(r, copy, query.n) ||
        !mcp__read_body(r, x, body, size) || !mcp__put_pairs(r) || !mcp__put_body(r)) return false;
    mcp__put_end(&r->w);
    if (!mcp__args_end(c, &r->w)) return mcp__unreadable(r, 503, "Out of memory");
    x->args = mcp__arena_json(&c->arena, c->args, c->buf[MCP__ARGS].len - MCP__PAD_BEFORE);
    return x->args ? true : mcp__unreadable(r, 503, "Out of memory");
}

/* ---- the way back: a result becomes a status and a body ---- */

/* The request's span ends with its answer. A client's mistake is no failure of ours. */
MCP__PRIVATE void mcp__rest_span_end(mcp_call *c, int status) {
    char code[24];
    char *end = mcp__print_int(code, status);
    mcp__trace_root_attr(&c->trace, "http.response.status_code", code, (size_t)(end - code));
    if (status >= 500) mcp__trace_root_attr(&c->trace, "error.type", code, (size_t)(end - code));
    mcp__trace_end(&c->trace, status >= 500 ? MCP_REFUSED : MCP_OK);
}

MCP__PRIVATE int mcp__rest_status(const mcp_call *c) {
    if (c->fate == MCP__GOOD) return c->rest_status ? c->rest_status : 200;
    if (c->lacks) return 501; /* it would have to ask somebody */
    if (c->rest_status >= 400) return c->rest_status;
    return c->fate == MCP__REFUSED && c->code == MCP_INVALID_PARAMS ? 400 : 500;
}

/* The one block of a result as the bytes that it stands for; false: there is not one. */
MCP__PRIVATE bool mcp__rest_block(const char *result, mcp__str *out) {
    const char *block = mcp__json_first(mcp__json_get(result, "content", 7));
    const char *inside = mcp__json_get(block, "resource", 8);
    const char *from = inside ? inside : block, *v = mcp__json_get(from, "text", 4);
    bool text = v != NULL;
    if (!block || mcp__json_next(block)) return false;
    if (!v) v = mcp__json_get(from, "data", 4);
    if (!v) v = mcp__json_get(from, "blob", 4);
    char *s = v ? (char *)mcp__json_text(v, &out->n) : NULL;
    out->s = s;
    return s && (text || mcp__base64_decode(s, s, out->n, &out->n) == MCP_OK);
}

/* What a message of ours says, as REST has it; what is returned lives as long as the message. */
MCP__PRIVATE mcp__str mcp__rest_body(mcp__exchange *x, const char *message, int *status) {
    mcp_call *c = x->call;
    const char *result = mcp__json_get(message, "result", 6);
    mcp__str body = { NULL, 0 };
    *status = mcp__rest_status(c);
    if (c->fate == MCP__GOOD && c->tool->json)
        return mcp__token(mcp__json_get(result, "structuredContent", 17));
    if (c->fate == MCP__GOOD && mcp__rest_block(result, &body)) return body;
    mcp__str text = mcp__str_of("A route that says its mime answers with one block");
    if (c->fate == MCP__GOOD) *status = 500;
    else if (result) mcp__rest_block(result, &text);
    else text = mcp__member_text(mcp__json_get(message, "error", 5), "message");
    x->type = NULL;
    body = mcp__str_of(mcp__rest_error(x, text));
    return body;
}

MCP__PRIVATE void mcp__rest_whole(mcp_conn *k, bool answer, const mcp__str *part, size_t parts) {
    mcp__exchange *x = k->exchange;
    mcp_call *c = x->call;
    bool exhausted = c->status == MCP_NOMEM;
    int status = exhausted ? 503 : 500; /* of several parts: what was reserved in advance */
    mcp__str body = mcp__str_of(exhausted ? "{\"error\":\"Out of memory\"}"
                                          : "{\"error\":\"Internal error\"}");
    (void)part;
    if (!answer || x->mode != MCP__SILENT) return; /* nobody listens to what is no answer */
    const char *message = parts == 1 ? mcp__buf_json(&c->buf[MCP__REPLY]) : NULL;
    if (message) body = mcp__rest_body(x, message, &status);
    else x->type = NULL;
    if (status == 204 || status == 304) body.n = 0;
    x->status = status;
    x->mode = MCP__REPLIED;
    if (mcp__reply_part(x, body.s, body.n, true)) k->status = MCP_IO;
    mcp__rest_span_end(c, status);
}

static const mcp__framing mcp__rest_framing = { mcp__rest_whole, mcp__line_idle, mcp__line_idle,
                                                mcp__http_idle };

/* ---- one request ---- */

MCP__PRIVATE void mcp__rest_run(mcp_call *c) {
    c->args = c->conn->exchange->args;
    mcp__tool_run(c);
}

static const mcp__method mcp__rest_method = { "", 0, MCP__MAY_STAY | MCP__MAY_ASK, mcp__rest_run };
static const char mcp__rest_id[MCP__PAD_BEFORE + MCP__PAD] = "\0\0\0\0\0\0\0\0" "0";

/* Its span has HTTP's attributes; the trace goes on from the request's headers. */
MCP__PRIVATE void mcp__rest_span_begin(mcp__exchange *x, const mcp__endpoint *route, size_t verb) {
#ifndef MCP_NO_TRACE
    mcp_call *c = x->call;
    if (!c->server->desc.trace.func) return;
    const char *method = mcp__verbs[verb].name;
    mcp__str name = mcp__str_of(method);
    mcp__call_span_open(c, name, mcp__str_of(mcp__asked(x, "traceparent")),
                        mcp__str_of(mcp__asked(x, "tracestate")));
    mcp__trace_target(&c->trace, route->path.s);
    mcp__trace_root_attr(&c->trace, "http.request.method", method, name.n);
    mcp__trace_root_attr(&c->trace, "http.route", route->path.s, route->path.n);
#else
    (void)x, (void)route, (void)verb;
#endif
}

/* The document, which changes only with the table. */
MCP__PRIVATE void mcp__rest_document(mcp__exchange *x, const char *method) {
    const char *known = mcp__asked(x, "If-None-Match");
    char tag[40] = "\"", allowed[64];
    unsigned char digest[32];
    mcp__sha256 hash;
    mcp__buf b;
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0) {
        mcp__reply_header(x, "Allow", strcpy(allowed, "GET, HEAD, OPTIONS"));
        mcp__reply_error(x, 405, MCP__HTTP_ERROR, "Method not allowed");
        return;
    }
    if (!mcp__accepts(x, MCP__JSON_TYPE)) {
        mcp__reply_error(x, 406, MCP__HTTP_ERROR, "Accept leaves out what this gives");
        return;
    }
    mcp__buf_init(&b, &x->conn.server->mem);
    if (!mcp__openapi(x->conn.server, &b)) {
        mcp__buf_free(&b);
        mcp__reply_error(x, 503, MCP__HTTP_ERROR, "Out of memory");
        return;
    }
    mcp__sha256_init(&hash);
    mcp__sha256_add(&hash, b.ptr, b.len);
    mcp__sha256_end(&hash, digest);
    for (size_t i = 0; i < 16; i++) {
        tag[1 + 2 * i] = mcp__hex[digest[i] >> 4];
        tag[2 + 2 * i] = mcp__hex[digest[i] & 15];
    }
    strcpy(tag + 33, "\"");
    mcp__reply_header(x, "ETag", tag);
    bool same = known && (strcmp(known, "*") == 0 || strstr(known, tag));
    mcp__reply_plain(x, same ? 304 : 200, same ? NULL : b.ptr);
    mcp__buf_free(&b);
}

/* A call for that route, in the stream of its exchange; NULL: out of memory. */
MCP__PRIVATE mcp_call *mcp__rest_call(mcp__exchange *x, mcp__table *t, const mcp__endpoint *route) {
    mcp_conn *k = &x->conn;
    mcp_call *c = mcp__call_new(k->server);
    if (!c) return NULL;
    k->whole = k->deaf = true;
    k->framing = &mcp__rest_framing;
    x->call = c;
    x->type = route->tool->row->mime;
    c->conn = k;
    c->id = mcp__rest_id + MCP__PAD_BEFORE;
    c->version = &mcp__version_none;
    c->row = &mcp__rest_method;
    c->tool = route->tool;
    c->resumed = true; /* nothing is left to be decided: it only has to run */
    mcp__call_found(c, t, c->tool->name, c->tool->row->user, NULL);
    return c;
}

MCP__PRIVATE void mcp__routing_serve(mcp__exchange *x, const mcp_http_request *rq, char *body,
                                     size_t size) {
    mcp_conn *k = &x->conn;
    mcp__table *t = k->server->table[MCP__TOOL];
    size_t verb = mcp__verb_of(rq->method, strlen(rq->method));
    char allowed[64];
    if (mcp__is_document(t, rq->target)) {
        mcp__rest_document(x, rq->method);
        return;
    }
    const mcp__endpoint *route = mcp__route_find(t, rq->target, verb).found;
    if (!route && verb == MCP__HEAD_VERB) route = mcp__route_find(t, rq->target, MCP__GET).found;
    if (!route) {
        mcp__reply_header(x, "Allow", mcp__allowed(k->server, rq->target, allowed));
        mcp__reply_error(x, 405, MCP__HTTP_ERROR, "Method not allowed");
        return;
    }
    mcp_call *c = mcp__rest_call(x, t, route);
    mcp__reading r;
    memset(&r, 0, sizeof r);
    r.c = c;
    r.route = route;
    if (!c) {
        mcp__reply_error(x, 503, MCP__HTTP_ERROR, "Out of memory");
        return;
    }
    mcp__rest_span_begin(x, route, verb);
    if (!mcp__rest_read(&r, x, rq->target, body, size)) {
        x->type = NULL;
        mcp__rest_span_end(c, r.status);
        mcp__reply_error(x, r.status, MCP__HTTP_ERROR, r.why);
        mcp__call_end(c);
        return;
    }
    k->calls = c;
    k->waiting++;
    x->received = true;
    mcp__run(k);
    mcp__settle_conn(k);
    mcp__flush(k);
}

#endif /* MCP_NO_HTTP */

static const mcp__routing mcp__routes = {
    mcp__routing_rows, mcp__routing_index, mcp__routing_about,
#ifdef MCP_NO_HTTP
    NULL, NULL, NULL
#else
    mcp__routing_here, mcp__routing_options, mcp__routing_serve
#endif
};

#endif /* MCP_TOOLS_ONLY */

/* ---- >>os --------------------------------------------------------------------------------------
   The operating system is one small user of what stands above: two descriptors, a clock, random
   bytes. POSIX and Windows stand side by side. Only calls that strict ISO modes of the compilers
   still declare are used, so that "cc -std=c99 server.c" needs no feature macros. */

#ifndef MCP_NO_OS

#include <errno.h>
#include <signal.h>
#ifdef _WIN32
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#ifndef MCP_NO_HTTP
#include <winsock2.h>
#include <ws2tcpip.h>
#endif
#include <windows.h>
#include <fcntl.h>
#include <io.h>
#define MCP__IO_SIZE int
#else
#include <fcntl.h>
#include <dirent.h>
#include <poll.h>
#ifndef MCP_NO_HTTP
#include <arpa/inet.h>
#ifndef MCP_NO_CLIENT
#include <netdb.h>
#endif
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#endif
#define MCP__IO_SIZE size_t
#include <sys/time.h>
#ifndef MCP_NO_CLIENT
#include <sys/wait.h>
#endif
#include <unistd.h>
#endif
#include <sys/stat.h>
#include <sys/types.h>

/* ---- the two systems, call by call ---- */
#ifdef _WIN32

#ifdef __cplusplus
extern "C"
#endif
BOOLEAN NTAPI SystemFunction036(PVOID bytes, ULONG n); /* RtlGenRandom, of advapi32 */

MCP__PRIVATE int64_t mcp__os_clock(void *user) {
    FILETIME t; /* 100 ns since 1601 */
    (void)user;
    GetSystemTimeAsFileTime(&t);
    uint64_t ticks = (uint64_t)t.dwHighDateTime << 32 | t.dwLowDateTime;
    return (int64_t)(ticks - 116444736000000000u) * 100;
}

MCP__PRIVATE int mcp__os_random(void *user, void *bytes, size_t n) {
    (void)user;
    return n <= ULONG_MAX && SystemFunction036(bytes, (ULONG)n) ? MCP_OK : MCP_IO;
}

MCP__PRIVATE ptrdiff_t mcp__os_read(int fd, void *p, size_t n) {
    return _read(fd, p, (unsigned)mcp__min(n, INT_MAX));
}
MCP__PRIVATE ptrdiff_t mcp__os_write(int fd, const void *p, size_t n) {
    return _write(fd, p, (unsigned)mcp__min(n, INT_MAX));
}
MCP__PRIVATE int mcp__os_dup(int fd) { /* no standard one, which may be closed */
    int copy = _dup(fd), above = copy >= 0 && copy <= 2 ? mcp__os_dup(fd) : copy;
    if (above != copy) _close(copy);
    return above;
}
MCP__PRIVATE int mcp__os_dup2(int from, int to) { return _dup2(from, to); }
MCP__PRIVATE int mcp__os_null(void) { return _open("NUL", _O_RDWR); }
MCP__PRIVATE void mcp__os_close(int fd) { _close(fd); }
typedef int mcp__os_pipe;
MCP__PRIVATE mcp__os_pipe mcp__os_pipe_begin(void) { return 0; } /* a broken one raises nothing */
MCP__PRIVATE void mcp__os_pipe_end(mcp__os_pipe was) { (void)was; }
MCP__PRIVATE void mcp__os_binary(int fd) { _setmode(fd, _O_BINARY); } /* no CR, no ^Z */
MCP__PRIVATE bool mcp__os_is_file(int mode) { return (mode & _S_IFMT) == _S_IFREG; }
MCP__PRIVATE int mcp__os_open(const char *path) { return _open(path, _O_RDONLY | _O_BINARY); }

typedef struct mcp__os_dir { intptr_t handle; struct _finddata_t entry; bool first; } mcp__os_dir;

MCP__PRIVATE bool mcp__os_dir_open(mcp__os_dir *d, const char *path) {
    char pattern[1032];
    if (strlen(path) + 3 > sizeof pattern) return false;
    d->handle = _findfirst(strcat(strcpy(pattern, path), "/*"), &d->entry);
    d->first = true;
    return d->handle != -1;
}
MCP__PRIVATE const char *mcp__os_dir_next(mcp__os_dir *d) {
    if (!d->first && _findnext(d->handle, &d->entry)) return NULL;
    d->first = false;
    return d->entry.name;
}
MCP__PRIVATE void mcp__os_dir_close(mcp__os_dir *d) { _findclose(d->handle); }

/* What stands in dir by that name and is neither a link nor a junction; -1: there is none. */
MCP__PRIVATE int mcp__os_open_in(const char *dir, const char *path) {
    char full[MAX_PATH], *p;
    if (strlen(dir) + strlen(path) + 2 > sizeof full) return -1;
    strcat(strcat(strcpy(full, dir), "/"), path);
    for (p = full + strlen(dir) + 1; p; p = strchr(p + 1, '/')) {
        char *slash = strchr(p, '/');
        if (slash) *slash = 0;
        DWORD what = GetFileAttributesA(full);
        if (slash) *slash = '/';
        if (what == INVALID_FILE_ATTRIBUTES || (what & FILE_ATTRIBUTE_REPARSE_POINT)) return -1;
        if (!slash) break;
        p = slash;
    }
    return mcp__os_open(full);
}

MCP__PRIVATE bool mcp__os_retry(int fd) { (void)fd; return errno == EINTR; }

/* Whether a read would not wait: bytes are there, or the end is. */
MCP__PRIVATE bool mcp__os_ready(int fd) {
    HANDLE h = (HANDLE)_get_osfhandle(fd);
    DWORD n = 0;
    if (GetFileType(h) != FILE_TYPE_PIPE) return GetFileType(h) == FILE_TYPE_DISK;
    return !PeekNamedPipe(h, NULL, 0, NULL, &n, NULL) || n > 0;
}

/* ---- waiting: an anonymous pipe cannot be waited for, so it is looked at, the more seldom the
   longer nothing came; mcp_post wakes at once ---- */
MCP__PRIVATE void mcp__os_wake(mcp_server *s) { SetEvent((HANDLE)s->wake_event); }

MCP__PRIVATE void mcp__os_wake_end(mcp_server *s) { CloseHandle((HANDLE)s->wake_event); }

MCP__PRIVATE bool mcp__os_wake_begin(mcp_server *s) {
    if (s->wake_end) return true; /* it ran before */
    s->wake_event = CreateEventA(NULL, FALSE, FALSE, NULL);
    if (!s->wake_event) return false;
    s->wake_end = mcp__os_wake_end;
    MCP__ATOMIC_STORE(&s->wake, &mcp__os_wake); /* C++ wants the & */
    return true;
}

MCP__PRIVATE bool mcp__os_wait_begin(mcp_server *s, mcp_conn *k, const int *out) {
    (void)k, (void)out;
    return mcp__os_wake_begin(s);
}

/* Until mcp_post, or for so long. */
MCP__PRIVATE void mcp__os_sleep(mcp_server *s, int64_t ns) {
    int64_t ms = ns < 0 ? 1000 : (ns + 999999) / 1000000;
    WaitForSingleObject((HANDLE)s->wake_event, (DWORD)(ms < 1000 ? ms : 1000));
}

MCP__PRIVATE bool mcp__os_wait(mcp_server *s, mcp_conn *k, int in, int out, int64_t ns) {
    int64_t ms = ns < 0 ? INT64_MAX : (ns + 999999) / 1000000;
    (void)out;
    for (DWORD nap = 0; ; nap = nap < 10 ? nap + 1 : 10) {
        if (!k->ended && mcp__has_room(k) && mcp__os_ready(in)) return true;
        DWORD n = ms < (int64_t)nap ? (DWORD)ms : nap;
        bool woken = WaitForSingleObject((HANDLE)s->wake_event, n) == WAIT_OBJECT_0;
        if (woken || s->stopped || ms <= (int64_t)n) return false;
        ms -= n;
    }
}

#else

MCP__PRIVATE int64_t mcp__os_clock(void *user) {
    struct timeval t;
    (void)user;
    gettimeofday(&t, NULL);
    return (int64_t)t.tv_sec * 1000000000 + (int64_t)t.tv_usec * 1000;
}

MCP__PRIVATE int mcp__os_random(void *user, void *bytes, size_t n) {
    char *p = (char *)bytes;
    int fd = open("/dev/urandom", O_RDONLY);
    (void)user;
    while (fd >= 0 && n) {
        ssize_t got = read(fd, p, n);
        if (got <= 0 && !(got < 0 && errno == EINTR)) break;
        if (got > 0) p += got, n -= (size_t)got;
    }
    if (fd >= 0) close(fd);
    return n ? MCP_IO : MCP_OK;
}

MCP__PRIVATE ptrdiff_t mcp__os_read(int fd, void *p, size_t n) { return read(fd, p, n); }
MCP__PRIVATE ptrdiff_t mcp__os_write(int fd, const void *p, size_t n) { return write(fd, p, n); }
MCP__PRIVATE int mcp__os_dup(int fd) {
    int copy = fcntl(fd, F_DUPFD, 3); /* no standard one, which may be closed */
    if (copy >= 0) fcntl(copy, F_SETFD, FD_CLOEXEC); /* a child must not hold the stream open */
    return copy;
}
MCP__PRIVATE int mcp__os_dup2(int from, int to) { return dup2(from, to); }
MCP__PRIVATE int mcp__os_null(void) { return open("/dev/null", O_RDWR); }
MCP__PRIVATE void mcp__os_close(int fd) { close(fd); }

/* From _begin to _end a broken pipe is an error of write's and no more. It has a handler, since
   programs that are started meanwhile inherit what is ignored; some systems forget it each time. */
typedef void (*mcp__os_pipe)(int);
MCP__PRIVATE void mcp__os_pipe_broke(int broken) { signal(broken, mcp__os_pipe_broke); }
MCP__PRIVATE mcp__os_pipe mcp__os_pipe_begin(void) {
    mcp__os_pipe was = signal(SIGPIPE, mcp__os_pipe_broke);
    if (was == SIG_IGN) signal(SIGPIPE, SIG_IGN);
    return was;
}
MCP__PRIVATE void mcp__os_pipe_end(mcp__os_pipe was) {
    if (was != SIG_ERR) signal(SIGPIPE, was);
}

MCP__PRIVATE void mcp__os_binary(int fd) { (void)fd; }
MCP__PRIVATE bool mcp__os_is_file(mode_t mode) { return S_ISREG(mode); }

MCP__PRIVATE int mcp__os_open(const char *path) { return open(path, O_RDONLY | O_NONBLOCK); }

typedef struct mcp__os_dir { DIR *dir; } mcp__os_dir;

MCP__PRIVATE bool mcp__os_dir_open(mcp__os_dir *d, const char *path) {
    d->dir = opendir(path);
    return d->dir != NULL;
}
MCP__PRIVATE const char *mcp__os_dir_next(mcp__os_dir *d) {
    struct dirent *entry = readdir(d->dir);
    return entry ? entry->d_name : NULL;
}
MCP__PRIVATE void mcp__os_dir_close(mcp__os_dir *d) { closedir(d->dir); }

/* The compilers' strict modes hide these two; their values differ by machine. */
#if !defined(O_NOFOLLOW) && defined(__O_NOFOLLOW)
#define MCP__NOFOLLOW __O_NOFOLLOW
#else
#define MCP__NOFOLLOW O_NOFOLLOW
#endif
#ifndef __cplusplus
extern int openat(int dir, const char *path, int flags, ...);
#endif

/* What stands in dir by that name, through no symbolic link; -1: there is none. Step by step, so
   that nobody can swap one in on the way. */
MCP__PRIVATE int mcp__os_open_in(const char *dir, const char *path) {
    char name[256];
    int fd = open(dir, O_RDONLY);
    while (fd >= 0 && *path) {
        size_t n = strcspn(path, "/");
        if (n >= sizeof name) break;
        memcpy(name, path, n);
        name[n] = 0;
        path += n;
        while (*path == '/') path++;
        int next = openat(fd, name, O_RDONLY | O_NONBLOCK | MCP__NOFOLLOW);
        close(fd);
        fd = next;
    }
    if (fd >= 0 && *path) close(fd), fd = -1;
    return fd;
}

/* After a failed call: whether it may succeed now. A descriptor that somebody made non-blocking is
   waited for. */
MCP__PRIVATE bool mcp__os_retry(int fd) {
    if (errno == EINTR) return true;
    if (errno != EAGAIN && errno != EWOULDBLOCK) return false;
    struct pollfd p = { fd, POLLIN | POLLOUT, 0 };
    return poll(&p, 1, -1) >= 0 || errno == EINTR;
}

MCP__PRIVATE bool mcp__os_ready(int fd) {
    struct pollfd p = { fd, POLLIN, 0 };
    return poll(&p, 1, 0) > 0;
}

/* ---- waiting: for input, for mcp_post, for room to tell of changes ---- */
MCP__PRIVATE void mcp__os_wake(mcp_server *s) {
    int keep = errno;
    if (write(s->wake_fd[1], "", 1) < 0) errno = keep; /* full: it will wake anyway */
}

MCP__PRIVATE bool mcp__os_writable(mcp_conn *k) {
    struct pollfd p = { k->out_fd, POLLOUT, 0 };
    return poll(&p, 1, 0) > 0;
}

MCP__PRIVATE void mcp__os_wake_end(mcp_server *s) {
    close(s->wake_fd[0]);
    close(s->wake_fd[1]);
}

MCP__PRIVATE bool mcp__os_wake_begin(mcp_server *s) {
    if (s->wake_end) return true; /* it ran before */
    bool ok = pipe(s->wake_fd) == 0;
    if (!ok) return false;
    for (int i = 0; i < 2; i++) {
        fcntl(s->wake_fd[i], F_SETFD, FD_CLOEXEC);
        ok = fcntl(s->wake_fd[i], F_SETFL, O_NONBLOCK) == 0 && ok;
    }
    if (!ok) {
        mcp__os_wake_end(s);
        return false;
    }
    s->wake_end = mcp__os_wake_end;
    MCP__ATOMIC_STORE(&s->wake, &mcp__os_wake); /* C++ wants the & */
    return true;
}

MCP__PRIVATE bool mcp__os_wait_begin(mcp_server *s, mcp_conn *k, const int *out) {
    k->out_fd = *out;
    k->ready_to_write = mcp__os_writable;
    return mcp__os_wake_begin(s);
}

/* Until mcp_post, or for so long. */
MCP__PRIVATE void mcp__os_sleep(mcp_server *s, int64_t ns) {
    struct pollfd p = { s->wake_fd[0], POLLIN, 0 };
    int64_t ms = ns < 0 ? 1000 : (ns + 999999) / 1000000;
    char bytes[64];
    if (poll(&p, 1, ms < 1000 ? (int)ms : 1000) <= 0) return;
    while (read(s->wake_fd[0], bytes, sizeof bytes) == (ssize_t)sizeof bytes) {}
}

/* Waits up to ns (below 0: without end); true: input is there. */
MCP__PRIVATE bool mcp__os_wait(mcp_server *s, mcp_conn *k, int in, int out, int64_t ns) {
    struct pollfd p[3] = { { k->ended || !mcp__has_room(k) ? -1 : in, POLLIN, 0 },
                           { s->wake_fd[0], POLLIN, 0 },
                           { k->to_tell ? out : -1, POLLOUT, 0 } };
    int64_t ms = ns < 0 ? -1 : (ns + 999999) / 1000000;
    char bytes[64];
    if (poll(p, 3, ms > INT_MAX ? INT_MAX : (int)ms) <= 0) return false;
    while (p[1].revents && read(s->wake_fd[0], bytes, sizeof bytes) == (ssize_t)sizeof bytes) {}
    return p[0].revents != 0;
}

#endif

/* ---- files ---- */
MCP__PRIVATE int64_t mcp__os_file_size(const char *path) {
    struct stat st;
    if (stat(path, &st)) return 0;
    return st.st_size ? (int64_t)st.st_size : (int64_t)MCP_ZERO;
}

/* A piece of an open file to func. 0: there was none; below 0: it could not be read, or func said
   no. */
MCP__PRIVATE int mcp__os_piece(int fd, bool (*func)(void *to, const char *p, size_t n), void *to) {
    char piece[32 * 1024];
    ptrdiff_t n = mcp__os_read(fd, piece, sizeof piece);
    while (n < 0 && mcp__os_retry(fd)) n = mcp__os_read(fd, piece, sizeof piece);
    return n > 0 ? func(to, piece, (size_t)n) ? 1 : -1 : (int)n;
}

/* All of them, and closes it; false: it could not be read to its end. */
MCP__PRIVATE bool mcp__os_pieces(int fd, bool (*func)(void *to, const char *p, size_t n),
                                 void *to) {
    int more = fd < 0 ? -1 : 1;
    while (more > 0) more = mcp__os_piece(fd, func, to);
    if (fd >= 0) mcp__os_close(fd);
    return more == 0;
}

MCP__PRIVATE bool mcp__piece_load(void *to, const char *p, size_t n) {
    return mcp__buf_add((mcp__buf *)to, p, n);
}
MCP__PRIVATE bool mcp__os_file_load(const char *path, mcp__buf *b) {
    return mcp__os_pieces(mcp__os_open(path), mcp__piece_load, b);
}

MCP__PRIVATE bool mcp__piece_digest(void *to, const char *p, size_t n) {
    mcp__sha256_add((mcp__sha256 *)to, p, n);
    return true;
}
MCP__PRIVATE bool mcp__os_file_digest(const char *path, mcp__sha256 *x, int64_t *size) {
    bool ok = mcp__os_pieces(mcp__os_open(path), mcp__piece_digest, x);
    *size = (int64_t)x->size;
    return ok;
}

/* The paths below dir/path, folders first opened then left, at most so many levels. */
MCP__PRIVATE bool mcp__os_walk_in(const char *dir, const char *path, int levels,
                                  void (*each)(void *user, const char *path), void *user) {
    char full[1024], below[512];
    const char *name;
    mcp__os_dir d;
    struct stat st;
    if (strlen(dir) + strlen(path) + 2 > sizeof full) return false;
    strcpy(full, dir);
    if (*path) strcat(strcat(full, "/"), path);
    if (!levels || !mcp__os_dir_open(&d, full)) return false;
    size_t at = strlen(full);
    while ((name = mcp__os_dir_next(&d)) != NULL) {
        size_t n = strlen(name);
        if (*name == '.' || at + n + 2 > sizeof full) continue;
        if (strlen(path) + n + 2 > sizeof below) continue;
        strcpy(below, path);
        strcat(*path ? strcat(below, "/") : below, name);
        strcat(strcpy(full + at, "/"), name);
        if (stat(full, &st) == 0 && mcp__os_is_file(st.st_mode)) each(user, below);
        else mcp__os_walk_in(dir, below, levels - 1, each, user);
    }
    mcp__os_dir_close(&d);
    return true;
}

MCP__PRIVATE bool mcp__os_walk(const char *dir, void (*each)(void *user, const char *path),
                               void *user) {
    return mcp__os_walk_in(dir, "", 16, each, user);
}

/* Whether that type is text: "text/...", JSON, XML, JavaScript. */
MCP__PRIVATE bool mcp__text_type(const char *mime) {
    return strncmp(mime, "text/", 5) == 0 || strstr(mime, "json") || strstr(mime, "xml") ||
           strstr(mime, "javascript");
}

MCP__PRIVATE bool mcp__piece_block(void *to, const char *p, size_t n) {
    mcp_call *c = (mcp_call *)to;
    return mcp__piece_write(c, p, n) == MCP_OK && !c->conn->status;
}

/* The next piece of a file, or its end, with the block's. It is no source while it is at it. */
MCP__PRIVATE void mcp__os_source(mcp_call *c, bool wanted) {
    int more = 0;
    c->source = NULL;
    if (wanted) more = mcp__os_piece(c->source_fd, mcp__piece_block, c);
    if (more > 0) {
        c->source = mcp__os_source;
        return;
    }
    mcp__os_close(c->source_fd);
    if (!wanted) return;
    mcp__piece_end(c);
    if (more < 0) mcp__spoil(c, MCP_IO, "a file could not be read to its end");
}

/* As much of it as its reader takes, and not too much in a row. What is left leaves from the loop:
   a slow reader holds up nobody, and needs no memory. */
MCP__PRIVATE void mcp__os_read_out(mcp_call *c) {
    mcp_conn *k = c->conn;
    for (int n = 0; c->source; n++) {
        bool rests = c->spilled && k->backed_up && !c->status;
        if (rests && (n >= MCP__PULLS || k->backed_up(k))) return;
        c->source(c, true);
    }
}

/* Adds an open file as a block, piece by piece. fd < 0: there is none. */
MCP__PRIVATE int mcp__os_file(mcp_call *c, const char *mime, const char *path, int fd) {
    struct stat st;
    bool file = fd >= 0 && fstat(fd, &st) == 0 && mcp__os_is_file(st.st_mode);
    if (fd >= 0 && !file) mcp__os_close(fd);
    if (!file) return mcp__not_found(c, c->shape == MCP__CONTENTS ? c->uri : path);
    if (!mime) mime = c->mime ? c->mime : "text/plain";
    int kind = mcp__text_type(mime) ? MCP_TEXT : c->embed || c->shape == MCP__CONTENTS ? MCP_BLOB
        : strncmp(mime, "image/", 6) == 0 ? MCP_IMAGE : strncmp(mime, "audio/", 6) == 0 ? MCP_AUDIO
        : MCP_BLOB;
    if (mcp__piece_begin(c, kind, mime)) {
        mcp__os_close(fd);
        return c->status;
    }
    c->source = mcp__os_source;
    c->source_fd = fd;
    mcp__os_read_out(c);
    return mcp__settle(c);
}

MCP__PRIVATE int mcp__file(mcp_call *c, const char *mime, const char *path) {
    return mcp__os_file(c, mime, path, mcp__os_open(path));
}

MCP__PRIVATE int mcp__file_read(mcp_call *c, const char *path) { return mcp__file(c, NULL, path); }

/* Whether path, as text, stays where it is: relative, no way up, no drive, no backslash. */
MCP__PRIVATE bool mcp__stays_inside(const char *path) {
    if (!*path || *path == '/' || strpbrk(path, "\\:")) return false;
    for (const char *p = path; *p;) {
        size_t n = strcspn(p, "/");
        if (n == 0 || (n == 1 && *p == '.') || (n == 2 && p[0] == '.' && p[1] == '.')) return false;
#ifdef _WIN32
        if (p[n - 1] == '.' || p[n - 1] == ' ') return false; /* Windows drops it: an alias */
#endif
        p += n;
        if (*p && !*++p) return false; /* a slash at its end: no file */
    }
    return true;
}

MCP__PRIVATE int mcp__file_in(mcp_call *c, const char *mime, const char *dir, const char *path) {
    int fd = mcp__stays_inside(path) ? mcp__os_open_in(dir, path) : -1;
    return mcp__os_file(c, mime, path, fd);
}

/* ---- stdio ---- */
typedef struct mcp__stdio { int in, out; } mcp__stdio;

MCP__PRIVATE int mcp__stdio_write(void *user, const void *bytes, size_t n) {
    const char *p = (const char *)bytes;
    int fd = ((mcp__stdio *)user)->out;
    while (n) {
        ptrdiff_t put = mcp__os_write(fd, p, n);
        if (put < 0 && !mcp__os_retry(fd)) return MCP_IO;
        if (put > 0) p += put, n -= (size_t)put;
    }
    return MCP_OK;
}

/* One read, straight into the connection. */
MCP__PRIVATE void mcp__stdio_read(mcp_conn *k, int fd) {
    char waste[512]; /* without memory the line is lost, and reading goes on */
    size_t size = MCP__READ_SIZE;
    char *room = mcp__input_room(k, &size);
    ptrdiff_t n = mcp__os_read(fd, room ? room : waste, room ? size : sizeof waste);
    if (n < 0 && errno == EINTR) return; /* the loop looks whether it was told to stop */
    if (n < 0 && mcp__os_retry(fd)) return;
    if (n <= 0) mcp__input_end(k);
    else if (room) mcp__input_added(k, (size_t)n);
    else mcp__input_lost(k, waste, (size_t)n);
}

/* While a handler runs: what is here, and what has arrived as long as there is room to keep it. */
MCP__PRIVATE void mcp__stdio_pump(mcp_conn *k) {
    int fd = ((mcp__stdio *)k->pump_user)->in;
    mcp__take(k);
    while (!k->ended && k->status == MCP_OK && mcp__has_room(k) && mcp__os_ready(fd))
        mcp__stdio_read(k, fd);
    mcp__flush(k);
}

/* Descriptors 0 and 1 become private copies: whatever prints to stdout prints to stderr, and who
   reads stdin, as a program that a handler starts, finds it empty. */
MCP__PRIVATE int mcp__stdio_guard(mcp__stdio *io) {
    io->out = mcp__os_dup(1);
    if (io->out < 0) return MCP_IO;
#ifndef MCP_NO_STDIO
    fflush(stdout);
#endif
    int in = mcp__os_dup(0), null = mcp__os_null();
    if (in >= 0 && null >= 0 && mcp__os_dup2(null, 0) >= 0) io->in = in;
    else if (in >= 0) mcp__os_close(in);
    if (mcp__os_dup2(2, 1) < 0 && null >= 0) mcp__os_dup2(null, 1); /* no stderr */
    if (null > 2) mcp__os_close(null);
    return MCP_OK;
}

MCP__PRIVATE void mcp__stdio_unguard(mcp__stdio *io) {
#ifndef MCP_NO_STDIO
    fflush(stdout);
#endif
    mcp__os_dup2(io->out, 1);
    mcp__os_close(io->out);
    if (io->in == 0) return;
    mcp__os_dup2(io->in, 0);
    mcp__os_close(io->in);
}

/* Whether deferred calls still have time to end after the input did. */
MCP__PRIVATE bool mcp__lingers(mcp_conn *k) {
    bool deferred = false;
    for (mcp_call *c = k->open; c; c = c->next) deferred |= !mcp__is_listen(c) && !c->parked;
    return deferred && mcp__now(k->server) - k->ended_ns < MCP__GRACE_NS;
}

/* Sends and receives until the input ends, the peer is gone, or the server is stopped. */
MCP__PRIVATE int mcp__stdio_loop(mcp_server *s, mcp_conn *k, mcp__stdio *io) {
    while (k->status == MCP_OK && !s->stopped && (!k->ended || mcp__lingers(k))) {
        int64_t ns = mcp__poll(s);
        if (k->ended && (ns < 0 || ns > MCP__GRACE_NS)) ns = MCP__GRACE_NS;
        if (k->status == MCP_OK && mcp__os_wait(s, k, io->in, io->out, ns))
            mcp__stdio_read(k, io->in);
    }
    k->ended = true; /* for who was listening */
    mcp__settle_conn(k);
    mcp__flush(k);
    return k->status;
}

MCP__PRIVATE int mcp__serve_lines(mcp_server *s) {
    mcp__stdio io = { 0, 1 };
    mcp_write_hook write = { mcp__stdio_write, &io };
    bool guard = !(s->desc.flags & MCP_PLAIN_STDOUT);
    mcp_conn *k = mcp__conn_new(s, MCP_LINES, write, "stdio");
    if (!k) return MCP_NOMEM;
    int rc = guard ? mcp__stdio_guard(&io) : MCP_OK;
    mcp__os_pipe pipe_was = mcp__os_pipe_begin();
    mcp__os_binary(io.in);
    mcp__os_binary(io.out);
    k->pump = mcp__stdio_pump;
    k->pump_user = &io;
    if (rc == MCP_OK && !mcp__os_wait_begin(s, k, &io.out)) rc = MCP_IO;
    if (rc == MCP_OK) rc = mcp__stdio_loop(s, k, &io);
    mcp__conn_free(k);
    mcp__os_pipe_end(pipe_was);
    if (guard && io.out != 1) mcp__stdio_unguard(&io);
    return rc;
}

#ifndef MCP_NO_HTTP

/* ---- sockets, call by call ---- */
#ifdef _WIN32
typedef SOCKET mcp__socket;
typedef WSAPOLLFD mcp__pollfd;
#define MCP__NO_SOCKET INVALID_SOCKET
enum { MCP__NAP_MS = 10 }; /* no event ends WSAPoll, so mcp_post is looked for */

MCP__PRIVATE bool mcp__net_begin(void) {
    WSADATA data;
    return WSAStartup(MAKEWORD(2, 2), &data) == 0;
}
MCP__PRIVATE void mcp__net_end(void) { WSACleanup(); }
MCP__PRIVATE void mcp__socket_close(mcp__socket fd) { closesocket(fd); }
MCP__PRIVATE bool mcp__socket_again(void) { return WSAGetLastError() == WSAEWOULDBLOCK; }
MCP__PRIVATE bool mcp__socket_none_left(void) { return WSAGetLastError() == WSAEMFILE; }
MCP__PRIVATE bool mcp__socket_begun(void) { return WSAGetLastError() == WSAEWOULDBLOCK; }
MCP__PRIVATE bool mcp__socket_setup(mcp__socket fd) {
    u_long on = 1;
    return ioctlsocket(fd, FIONBIO, &on) == 0;
}
MCP__PRIVATE int mcp__socket_poll(mcp__pollfd *fds, size_t n, int ms) {
    return WSAPoll(fds, (ULONG)n, ms < 0 || ms > MCP__NAP_MS ? MCP__NAP_MS : ms);
}
#else
typedef int mcp__socket;
typedef struct pollfd mcp__pollfd;
#define MCP__NO_SOCKET (-1)

MCP__PRIVATE bool mcp__net_begin(void) { return true; }
MCP__PRIVATE void mcp__net_end(void) {}
MCP__PRIVATE void mcp__socket_close(mcp__socket fd) { close(fd); }
MCP__PRIVATE bool mcp__socket_again(void) {
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}
MCP__PRIVATE bool mcp__socket_none_left(void) { return errno == EMFILE; }
MCP__PRIVATE bool mcp__socket_begun(void) { return errno == EINPROGRESS || errno == EINTR; }
MCP__PRIVATE bool mcp__socket_setup(mcp__socket fd) { /* one that waits would hold up everybody */
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    return fcntl(fd, F_SETFL, O_NONBLOCK) == 0;
}
MCP__PRIVATE int mcp__socket_poll(mcp__pollfd *fds, size_t n, int ms) {
    return poll(fds, (nfds_t)n, ms);
}
#endif

typedef union mcp__address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
} mcp__address;

/* A socket that listens at host and port; MCP__NO_SOCKET: it could not be had. */
MCP__PRIVATE mcp__socket mcp__socket_listen(const char *host, int port) {
    mcp__address a;
    bool v6 = strchr(host, ':') != NULL;
    int on = 1;
    memset(&a, 0, sizeof a);
    if (strcmp(host, "localhost") == 0) host = "127.0.0.1";
    if (strcmp(host, "*") == 0) host = "0.0.0.0";
    if (v6) a.v6.sin6_family = AF_INET6, a.v6.sin6_port = htons((uint16_t)port);
    else a.v4.sin_family = AF_INET, a.v4.sin_port = htons((uint16_t)port);
    void *to = v6 ? (void *)&a.v6.sin6_addr : (void *)&a.v4.sin_addr;
    if (inet_pton(v6 ? AF_INET6 : AF_INET, host, to) != 1) return MCP__NO_SOCKET;
    mcp__socket fd = socket(v6 ? AF_INET6 : AF_INET, SOCK_STREAM, 0);
    if (fd == MCP__NO_SOCKET) return fd;
#ifndef _WIN32
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on); /* after a restart */
#else
    setsockopt(fd, SOL_SOCKET, SO_EXCLUSIVEADDRUSE, (const char *)&on, sizeof on);
#endif
    if (bind(fd, &a.any, v6 ? (socklen_t)sizeof a.v6 : (socklen_t)sizeof a.v4) == 0 &&
        listen(fd, 1024) == 0) return fd;
    mcp__socket_close(fd);
    return MCP__NO_SOCKET;
}

MCP__PRIVATE int mcp__socket_port(mcp__socket fd, int otherwise) {
    mcp__address a;
    socklen_t n = sizeof a;
    memset(&a, 0, sizeof a);
    if (getsockname(fd, &a.any, &n)) return otherwise;
    return ntohs(a.any.sa_family == AF_INET6 ? a.v6.sin6_port : a.v4.sin_port);
}

/* ---- HTTP over sockets: one thread, readiness, no waiting but for all at once ---- */
typedef struct mcp__peer {
    struct mcp__peer *next;
    struct mcp__net *net;
    mcp_conn *k;
    mcp__socket fd;
    mcp__buf out;            /* what the socket did not take, */
    size_t at;               /* from here on */
    unsigned waits;          /* for it, by handlers, until all of that is out */
    int64_t used_ns;         /* when it moved */
    bool closing;            /* after that is out; */
    bool lingers;            /* it is: the peer may read it, and hangs up */
    bool dead;
    short events;            /* that the last poll told of */
} mcp__peer;

typedef struct mcp__net {
    mcp_server *s;
    mcp__socket listener;
    mcp__peer *peers;
    size_t count;
    mcp__pollfd *fds[2];     /* of the loop, and while a handler runs */
    size_t caps[2];
    int depth;
    bool full;               /* the system gives no more sockets */
    bool over;               /* nobody comes any more */
} mcp__net;

enum { MCP__WAIT_MS = 10, MCP__WAITS = 100, MCP__LINGER_NS = 1000000000 };

/* As much as the socket takes now. */
MCP__PRIVATE void mcp__peer_flush(mcp__peer *p) {
    while (p->at < p->out.len && !p->dead) {
        size_t n = mcp__min(p->out.len - p->at, 1 << 20);
        ptrdiff_t sent = (ptrdiff_t)send(p->fd, p->out.ptr + p->at, (MCP__IO_SIZE)n, 0);
        if (sent < 0 && mcp__socket_again()) break;
        if (sent <= 0) p->dead = true;
        else p->at += (size_t)sent;
        if (sent > 0 && !p->closing) p->used_ns = mcp__now(p->net->s);
    }
    size_t rest = p->out.len - p->at;
    if (rest > p->at) return;
    if (rest) memmove(p->out.ptr, p->out.ptr + p->at, rest); /* what is sent makes room */
    p->at = 0;
    p->out.len = rest;
    if (rest) return;
    mcp__buf_reset(&p->out, MCP__KEEP);
    p->waits = 0;
}

/* What a peer does not read is kept, as much as limits.message. Beyond that its handler waits, and
   with it everybody: a second in all, then it is too slow to be served. */
MCP__PRIVATE void mcp__peer_drain(mcp__peer *p) {
    while (p->out.len - p->at > p->net->s->desc.limits.message && !p->dead) {
        mcp__pollfd fd = { p->fd, POLLOUT, 0 };
        if (mcp__socket_poll(&fd, 1, MCP__WAIT_MS) <= 0 && ++p->waits > MCP__WAITS) p->dead = true;
        mcp__peer_flush(p);
    }
}

MCP__PRIVATE int mcp__peer_write(void *user, const void *bytes, size_t n) {
    mcp__peer *p = (mcp__peer *)user;
    const char *from = (const char *)bytes;
    if (!n) p->closing = true;
    if (!n || p->out.len == p->at) p->used_ns = mcp__now(p->net->s);
    while (n && p->out.len == p->at && !p->dead) { /* nothing is before it */
        ptrdiff_t sent = (ptrdiff_t)send(p->fd, from, (MCP__IO_SIZE)mcp__min(n, 1 << 20), 0);
        if (sent < 0 && mcp__socket_again()) break;
        if (sent <= 0) p->dead = true;
        else from += sent, n -= (size_t)sent;
    }
    if (n && !p->dead && !mcp__buf_add(&p->out, from, n)) p->dead = true;
    mcp__peer_drain(p);
    return p->dead ? MCP_IO : MCP_OK;
}

MCP__PRIVATE bool mcp__peer_ready(mcp_conn *k) {
    const mcp__peer *p = (const mcp__peer *)k->write.user;
    return p->out.len - p->at < MCP__COALESCE;
}

/* One read, straight into the connection. */
MCP__PRIVATE void mcp__peer_read(mcp__peer *p) {
    mcp_conn *k = p->k;
    char waste[4096];
    size_t size = MCP__READ_SIZE;
    char *room = p->closing ? NULL : mcp__input_room(k, &size);
    ptrdiff_t n = (ptrdiff_t)recv(p->fd, room ? room : waste,
                                  (MCP__IO_SIZE)(room ? size : sizeof waste), 0);
    if (n < 0 && mcp__socket_again()) return;
    if (!n && p->at < p->out.len) { /* it will not ask again, but may read on */
        mcp__wire_feed(k, NULL, 0);
        p->closing = true;
    } else if (n <= 0 || (!room && !p->closing)) p->dead = true; /* hung up, or no memory */
    else if (room) {
        p->used_ns = mcp__now(p->net->s);
        mcp__input_added(k, (size_t)n);
    }
}

MCP__PRIVATE void mcp__peer_free(mcp__peer *p) {
    mcp_server *s = p->net->s;
    mcp__wire_free(p->k);
    mcp__socket_close(p->fd);
    mcp__buf_free(&p->out);
    p->net->count--;
    mcp__realloc(&s->mem, p, sizeof *p, 0);
}

/* Those that are through. Not while a handler runs. */
MCP__PRIVATE void mcp__net_sweep(mcp__net *net) {
    int64_t now = mcp__now(net->s);
    for (mcp__peer **link = &net->peers, *p = *link; p; p = *link) {
        if (p->closing && !p->lingers && !p->dead && p->at == p->out.len) {
            shutdown(p->fd, 1); /* so that what is still under way does not reset what was sent */
            p->lingers = true;
            p->used_ns = now;
        }
        if (p->lingers && now - p->used_ns > MCP__LINGER_NS) p->dead = true;
        if ((p->closing || p->at < p->out.len) &&
            now - p->used_ns > net->s->desc.http.idle_ms * 1000000) p->dead = true;
        if (!p->dead) {
            link = &p->next;
            continue;
        }
        *link = p->next;
        mcp__peer_free(p);
    }
}

/* That waits for nothing and has sent no whole head for the longest time; NULL: there is none. */
MCP__PRIVATE mcp__peer *mcp__net_oldest(const mcp__net *net) {
    mcp__peer *oldest = NULL;
    for (mcp__peer *p = net->peers; p; p = p->next) {
        const mcp__wire *w = p->k->wire;
        if (w->busy || w->phase != MCP__HEAD || p->closing || p->dead) continue;
        if (p->at < p->out.len) continue;
        if (!oldest || w->since_ns < oldest->k->wire->since_ns) oldest = p;
    }
    return oldest;
}

/* It makes room. Not while a handler runs. */
MCP__PRIVATE bool mcp__net_evict(mcp__net *net) {
    mcp__peer *oldest = net->s->running ? NULL : mcp__net_oldest(net);
    if (!oldest) return false;
    oldest->dead = true;
    mcp__net_sweep(net);
    return true;
}

/* Whether one more may come. */
MCP__PRIVATE bool mcp__net_room(const mcp__net *net) {
    return net->count < net->s->desc.limits.connections ||
           (!net->s->running && mcp__net_oldest(net));
}

/* A small write leaves at once; and the system takes no more ahead than this, so that who reads
   slowly is seen to move, where megabytes of buffer would hide it. */
MCP__PRIVATE void mcp__peer_setup(mcp__socket fd) {
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, (const char *)&on, sizeof on);
    int ahead = 128 * 1024;
#ifdef TCP_NOTSENT_LOWAT
    setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, (const char *)&ahead, sizeof ahead);
#else
    ahead *= 2; /* what is under way counts, too */
    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, (const char *)&ahead, sizeof ahead);
#endif
}

MCP__PRIVATE void mcp__net_accept(mcp__net *net) {
    mcp_server *s = net->s;
    while (mcp__net_room(net)) {
        mcp__socket fd = accept(net->listener, NULL, NULL);
        if (fd == MCP__NO_SOCKET) {
            bool none_left = mcp__socket_none_left();
            net->full = !mcp__socket_again();
            mcp__pollfd listener = { net->listener, POLLIN, 0 };
            if (none_left && mcp__socket_poll(&listener, 1, 0) <= 0) /* nobody came who needs one */
                net->full = none_left = false;
            if (!none_left || !mcp__net_evict(net)) return;
            net->full = false;
            continue;
        }
        if (net->count >= s->desc.limits.connections) mcp__net_evict(net);
        mcp__peer_setup(fd);
        mcp__peer *p = NULL;
        if (mcp__socket_setup(fd)) p = (mcp__peer *)mcp__realloc(&s->mem, NULL, 0, sizeof *p);
        mcp_write_hook write = { mcp__peer_write, p };
        if (p) memset(p, 0, sizeof *p);
        mcp_conn *k = p ? mcp__wire_new(s, write) : NULL;
        if (!k) {
            if (p) mcp__realloc(&s->mem, p, sizeof *p, 0);
            mcp__socket_close(fd);
            return;
        }
        mcp__buf_init(&p->out, &s->mem);
        p->net = net;
        p->k = k;
        p->fd = fd;
        p->used_ns = mcp__now(s);
        p->next = net->peers;
        net->peers = p;
        net->count++;
        k->ready_to_write = mcp__peer_ready;
    }
}

/* Waits up to ms (below 0: without end), and takes in what has arrived. */
MCP__PRIVATE void mcp__net_turn(mcp__net *net, int ms) {
    mcp_server *s = net->s;
    size_t n = 0, need = net->count + 2;
    int depth = net->depth;
    if (depth >= 2) return;
    if (net->caps[depth] < need) {
        size_t cap = need + need / 2;
        void *more = mcp__realloc(&s->mem, net->fds[depth], net->caps[depth] * sizeof(mcp__pollfd),
                                  cap * sizeof(mcp__pollfd));
        if (!more) return;
        net->fds[depth] = (mcp__pollfd *)more;
        net->caps[depth] = cap;
    }
    mcp__pollfd *fds = net->fds[depth];
    bool accepts = !net->full && !net->over && mcp__net_room(net);
    mcp__pollfd listener = { net->listener, (short)(accepts ? POLLIN : 0), 0 };
    fds[n++] = listener;
    for (mcp__peer *p = net->peers; p; p = p->next) {
        int in = !p->k->ended && (p->closing || mcp__wire_has_room(p->k)) ? POLLIN : 0;
        mcp__pollfd fd = { p->fd, (short)(in | (p->at < p->out.len ? POLLOUT : 0)), 0 };
        fds[n++] = fd;
    }
#ifndef _WIN32
    mcp__pollfd wake = { s->wake_fd[0], POLLIN, 0 };
    fds[n++] = wake;
#endif
    net->full = false;
    if (mcp__socket_poll(fds, n, ms) <= 0) return;
#ifndef _WIN32
    char bytes[64];
    ssize_t full = sizeof bytes;
    while (fds[n - 1].revents && read(s->wake_fd[0], bytes, sizeof bytes) == full) {}
#endif
    n = 1;
    for (mcp__peer *p = net->peers; p; p = p->next) p->events = fds[n++].revents;
    net->depth++;
    if (fds[0].revents) mcp__net_accept(net); /* at the head of the list: their turn is the next */
    for (mcp__peer *p = net->peers; p; p = p->next) {
        short events = p->events;
        p->events = 0;
        if (p->dead || !events) continue;
        if (events & POLLOUT) mcp__peer_flush(p);
        if (events & ~POLLOUT) mcp__peer_read(p);
    }
    net->depth--;
}

MCP__PRIVATE void mcp__net_pump(mcp_server *s) {
    mcp__net *net = (mcp__net *)s->net;
    if (net) mcp__net_turn(net, 0);
    for (mcp__peer *p = net ? net->peers : NULL; p; p = p->next)
        if (p->dead && p->k->wire->busy) mcp__wire_gone(p->k); /* so that its handler hears of it */
}

/* Whether anybody waits for an answer or its end. Who does not is hung up on. */
MCP__PRIVATE bool mcp__net_works(mcp__net *net) {
    bool works = false;
    for (mcp__peer *p = net->peers; p; p = p->next) {
        if (p->k->wire->waiting && !p->k->wire->busy && p->at == p->out.len && !p->closing)
            p->dead = true;
        works |= !p->dead && !p->lingers;
    }
    return works;
}

/* What has arrived is served, who listens is told that it is over, and what runs or is deferred has
   a second to finish. */
MCP__PRIVATE void mcp__net_stop(mcp__net *net) {
    mcp_server *s = net->s;
    int64_t until = mcp__now(s) + MCP__GRACE_NS;
    mcp__net_turn(net, 0);
    net->over = true;
    for (mcp_conn *k = s->conns; k; k = k->next) {
        if (!k->exchange) continue;
        k->ended = true;
        k->ended_ns = mcp__now(s);
        k->exchange->standing = false;
        mcp__settle_conn(k);
    }
    do {
        mcp__poll(s);
        mcp__net_sweep(net);
        if (!mcp__net_works(net)) break;
        mcp__net_turn(net, MCP__WAIT_MS);
    } while (mcp__now(s) < until);
    for (mcp__peer *p = net->peers; p; p = p->next) p->dead = true;
    mcp__net_sweep(net);
}

/* "listening on http://127.0.0.1:8080/mcp" */
MCP__PRIVATE void mcp__net_tell(mcp_server *s, mcp__socket fd) {
    const mcp_http *h = &s->desc.http;
    bool v6 = strchr(h->host, ':') != NULL;
    char port[24];
    mcp__buf b;
    *mcp__print_int(port, mcp__socket_port(fd, h->port)) = 0;
    const char *const part[] = { "listening on http://", v6 ? "[" : "", h->host, v6 ? "]:" : ":",
                                 port, h->path };
    mcp__buf_init(&b, &s->mem);
    for (size_t i = 0; i < MCP__COUNT(part); i++) mcp__adds(&b, part[i]);
    if (mcp__buf_add(&b, "", 1)) mcp__log(&s->desc, MCP_LOG_INFO, MCP_OK, b.ptr);
    mcp__buf_free(&b);
}

MCP__PRIVATE int mcp__serve_sockets(mcp_server *s) {
    const mcp_http *h = &s->desc.http;
    mcp__net net;
    memset(&net, 0, sizeof net);
    net.s = s;
    if (!mcp__net_begin()) return MCP_IO;
    net.listener = h->socket ? (mcp__socket)h->socket
                             : mcp__socket_listen(h->host, h->port == MCP_ZERO ? 0 : h->port);
    bool ok = net.listener != MCP__NO_SOCKET && mcp__socket_setup(net.listener);
    int rc = ok && mcp__os_wake_begin(s) ? MCP_OK : MCP_IO;
    if (rc) mcp__log(&s->desc, MCP_LOG_ERROR, rc, "that address cannot be listened on");
    mcp__os_pipe pipe_was = mcp__os_pipe_begin();
    if (rc == MCP_OK) {
        mcp__net_tell(s, net.listener);
        s->net = &net;
        s->pump = mcp__net_pump;
    }
    while (rc == MCP_OK && !s->stopped) {
        int64_t ns = mcp__poll(s), ms = ns < 0 ? -1 : (ns + 999999) / 1000000;
        mcp__net_sweep(&net);
        if (net.count && (ms < 0 || ms > 500)) ms = 500; /* for what takes too long */
        if (net.full) ms = ms < 0 || ms > 100 ? 100 : ms;
        if (!s->stopped) mcp__net_turn(&net, ms > INT_MAX ? INT_MAX : (int)ms);
    }
    if (rc == MCP_OK) mcp__net_stop(&net);
    s->pump = NULL;
    s->net = NULL;
    for (int i = 0; i < 2; i++)
        mcp__realloc(&s->mem, net.fds[i], net.caps[i] * sizeof(mcp__pollfd), 0);
    if (net.listener != MCP__NO_SOCKET) mcp__socket_close(net.listener);
    mcp__os_pipe_end(pipe_was);
    mcp__net_end();
    return rc;
}

/* ---- CGI: RFC 3875 ---- */
typedef struct mcp__cgi {
    mcp__stdio io;
    bool bare;               /* HEAD: no body goes back */
    bool over;
    int status;
} mcp__cgi;

MCP__PRIVATE int mcp__cgi_reply(void *user, const mcp_http_part *part) {
    mcp__cgi *g = (mcp__cgi *)user;
    char digits[24];
    if (part->status && !g->status) {
        *mcp__print_int(digits, part->status) = 0;
        const char *const head[] = { "Status: ", digits, " ", mcp__http_reason(part->status),
                                     "\r\n" };
        for (size_t i = 0; i < MCP__COUNT(head) && !g->status; i++)
            g->status = mcp__stdio_write(&g->io, head[i], strlen(head[i]));
        for (const mcp_attr *h = part->headers; h && h->key && !g->status; h++) {
            const char *const line[] = { h->key, ": ", h->value, "\r\n" };
            for (size_t i = 0; i < MCP__COUNT(line) && !g->status; i++)
                g->status = mcp__stdio_write(&g->io, line[i], strlen(line[i]));
        }
        if (!g->status) g->status = mcp__stdio_write(&g->io, "\r\n", 2);
    }
    if (part->size && !g->bare && !g->status)
        g->status = mcp__stdio_write(&g->io, part->body, part->size);
    g->over |= part->last;
    return g->status;
}

#ifdef _WIN32
#define MCP__ENVIRON _environ
#else
extern char **environ;
#define MCP__ENVIRON environ
#endif

/* HTTP_MCP_METHOD=x is the header MCP-METHOD. NULL: out of memory. */
MCP__PRIVATE const mcp_attr *mcp__cgi_headers(mcp__arena *a) {
    size_t n = 0, count = 0;
    while (MCP__ENVIRON && MCP__ENVIRON[n]) n++;
    mcp_attr *h = (mcp_attr *)mcp__arena_array(a, n + 2, sizeof *h);
    for (size_t i = 0; h && i < n; i++) {
        const char *line = MCP__ENVIRON[i], *equals = strchr(line, '=');
        bool type = strncmp(line, "CONTENT_TYPE=", 13) == 0;
        if (!equals || (!type && strncmp(line, "HTTP_", 5) != 0)) continue;
        if (!type) line += 5;
        char *key = mcp__arena_copy(a, line, (size_t)(equals - line));
        if (!key) return NULL;
        for (char *p = key; *p; p++)
            if (*p == '_') *p = '-';
        h[count].key = key;
        h[count++].value = equals + 1;
    }
    return h;
}

/* PATH_INFO, which the web server has decoded, as a target again; NULL: out of memory. */
MCP__PRIVATE const char *mcp__cgi_target(mcp__arena *a, const char *path) {
    const char *query = getenv("QUERY_STRING");
    size_t n = strlen(path), more = query ? strlen(query) : 0;
    char *target = n < SIZE_MAX / 8 ? (char *)mcp__arena_raw(a, 3 * n + 1 + more + 1) : NULL;
    char *out = target;
    for (; target && *path; path++) {
        unsigned char c = (unsigned char)*path;
        if (mcp__unreserved(*path) || *path == '/') *out++ = *path;
        else *out++ = '%', *out++ = mcp__hex[c >> 4], *out++ = mcp__hex[c & 15];
    }
    if (target && more) *out++ = '?', memcpy(out, query, more), out += more;
    if (target) *out = 0;
    return target;
}

/* The body, as long as CONTENT_LENGTH says. One that came in chunks goes to its end: Apache takes
   them apart and does not count. size is above the limit, and the rest unread: it is too long. */
MCP__PRIVATE int mcp__cgi_body(const mcp_server *s, int in, mcp__buf *body, size_t *size) {
    const size_t max = s->desc.limits.message;
    const char *length = getenv("CONTENT_LENGTH"), *coding = getenv("HTTP_TRANSFER_ENCODING");
    bool counted = length && *length;
    size_t left = counted || !coding ? 0 : max + 1;
    for (; counted && mcp__is_digit(*length) && left <= max; length++)
        left = left * 10 + (size_t)(*length - '0');
    if (counted && left > max) return *size = left, MCP_OK;
    while (left) {
        if (!mcp__buf_reserve(body, mcp__min(left, MCP__READ_SIZE))) return MCP_NOMEM;
        ptrdiff_t n = mcp__os_read(in, body->ptr + body->len, mcp__min(left, MCP__READ_SIZE));
        if (n < 0 && mcp__os_retry(in)) continue;
        if (n == 0 && !counted) break;
        if (n <= 0) return MCP_IO;
        body->len += (size_t)n;
        left -= (size_t)n;
    }
    return *size = body->len, MCP_OK;
}

MCP__PRIVATE int mcp__cgi_serve(mcp_server *s, mcp__cgi *g, mcp__arena *a, mcp__buf *body) {
    const char *method = getenv("REQUEST_METHOD"), *user = getenv("REMOTE_USER");
    const char *path = getenv("PATH_INFO"), *address = getenv("SERVER_ADDR");
    mcp_http_request rq = { method ? method : "GET", NULL, NULL, NULL, 0, NULL };
    mcp_reply_hook reply = { mcp__cgi_reply, g };
    s->desc.flags |= MCP_STATELESS;
    g->bare = strcmp(rq.method, "HEAD") == 0;
    if (address) s->desc.http.host = address; /* whether the world can reach us */
    rq.headers = mcp__cgi_headers(a);
    rq.target = mcp__joined(a, mcp__str_of(s->desc.http.path), path ? path : "");
    const char *route = path && *path ? mcp__cgi_target(a, path) : NULL;
    if (!rq.headers || !rq.target || (path && *path && !route)) return MCP_NOMEM;
    if (route && mcp__routing_of(s) && mcp__routing_of(s)->here(s, route)) rq.target = route;
    if (user && *user) rq.principal = user;
    int rc = mcp__cgi_body(s, g->io.in, body, &rq.size);
    rq.body = body->ptr;
    if (rc == MCP_OK) rc = mcp__http_handle(s, &rq, reply);
    if (rc == MCP_UNSUPPORTED) {
        mcp_http_part part = { 404, NULL, NULL, 0, true };
        rc = mcp__cgi_reply(g, &part);
    }
    while (rc == MCP_PENDING && !g->over && !g->status && !s->stopped) {
        int64_t ns = mcp__poll(s);
        if (!g->over && !g->status) mcp__os_sleep(s, ns);
    }
    if (g->status) mcp__http_gone(s, g);
    return rc < 0 ? rc : g->status;
}

MCP__PRIVATE int mcp__serve_cgi(mcp_server *s) {
    mcp__cgi g = { { 0, 1 }, false, false, MCP_OK };
    bool guard = !(s->desc.flags & MCP_PLAIN_STDOUT);
    mcp__arena a;
    mcp__buf body;
    mcp__arena_init(&a, &s->mem);
    mcp__buf_init(&body, &s->mem);
    int rc = guard ? mcp__stdio_guard(&g.io) : MCP_OK;
    mcp__os_pipe pipe_was = mcp__os_pipe_begin();
    mcp__os_binary(g.io.in);
    mcp__os_binary(g.io.out);
    if (rc == MCP_OK && !mcp__os_wake_begin(s)) rc = MCP_IO;
    if (rc == MCP_OK) rc = mcp__cgi_serve(s, &g, &a, &body);
    mcp__os_pipe_end(pipe_was);
    if (guard && g.io.out != 1) mcp__stdio_unguard(&g.io);
    mcp__buf_free(&body);
    mcp__arena_reset(&a, 0);
    return rc;
}

#endif /* MCP_NO_HTTP */

#endif /* MCP_NO_OS */

#if !defined MCP_NO_TRACE && !defined MCP_NO_STDIO

/* ---- what the ready-made trace hooks print: a line a span ---- */

/* A call says best itself how it failed; for what a handler did, there is its status. */
MCP__PRIVATE const char *mcp__span_outcome(const mcp_span *span) {
    if (span->status == MCP_OK) return "ok";
    for (const mcp_attr *a = span->attrs; a->key; a++) {
        if (strcmp(a->key, "error.type") == 0) return a->value;
    }
    return mcp__status_text(span->status);
}

/* Peers choose ids and unknown methods: control characters (C0, DEL, C1) must not reach the
   terminal, and a line stays a line. */
MCP__PRIVATE void mcp__line_text(mcp_writer *w, const char *s) {
    for (; *s; s++) {
        unsigned char c = (unsigned char)s[0], next = (unsigned char)s[1];
        bool c1 = c == 0xC2 && next >= 0x80 && next < 0xA0;
        mcp__put_plain(w, c < ' ' || c == 0x7F || c1 ? "?" : s, 1);
        if (c1) s++;
    }
}

MCP__PRIVATE void mcp__line_pair(mcp_writer *w, const char *key, const char *value) {
    mcp__put_plain(w, " ", 1);
    mcp__line_text(w, key);
    mcp__put_plain(w, "=", 1);
    mcp__line_text(w, value);
}

/* 1.234 ms */
MCP__PRIVATE void mcp__line_ms(mcp_writer *w, int64_t ns) {
    char text[40], *p = mcp__print_int(text, ns / 1000000);
    int us = (int)(ns / 1000 % 1000);
    *p++ = '.';
    for (int unit = 100; unit; unit /= 10) *p++ = (char)('0' + us / unit % 10);
    memcpy(p, " ms", 3);
    mcp__put_plain(w, text, (size_t)(p + 3 - text));
}

/* tools/call add  1.234 ms  ok  trace=0af7... span=b7ad... mcp.method.name=tools/call */
MCP__PRIVATE void mcp__line_span(mcp_writer *w, const mcp_span *span) {
    mcp__line_text(w, span->name);
    mcp__put_plain(w, "  ", 2);
    mcp__line_ms(w, span->end_ns - span->start_ns);
    mcp__put_plain(w, "  ", 2);
    mcp__line_text(w, mcp__span_outcome(span));
    mcp__put_plain(w, " ", 1);
    mcp__line_pair(w, "trace", span->trace_id);
    mcp__line_pair(w, "span", span->span_id);
    if (span->parent_id[0]) mcp__line_pair(w, "parent", span->parent_id);
    for (const mcp_attr *a = span->attrs; a->key; a++) mcp__line_pair(w, a->key, a->value);
    mcp__put_plain(w, "\n", 1);
}

/* ---- OTLP/JSON (opentelemetry-proto, trace.proto): 64-bit numbers are strings, ids hex ---- */

MCP__PRIVATE void mcp__otlp_attr(mcp_writer *w, const char *key, const char *value) {
    mcp__put_obj(w, NULL);
    mcp__put_str(w, "key", key);
    mcp__put_obj(w, "value");
    mcp__put_str(w, "stringValue", value);
    mcp__put_end(w);
    mcp__put_end(w);
}

MCP__PRIVATE void mcp__otlp_time(mcp_writer *w, const char *key, int64_t ns) {
    char text[24];
    mcp__put_strn(w, key, text, (size_t)(mcp__print_int(text, ns) - text));
}

MCP__PRIVATE void mcp__otlp_status(mcp_writer *w, const mcp_span *span) {
    mcp__put_obj(w, "status"); /* empty: unset, for what went well needs no judgement */
    if (span->status != MCP_OK && span->status != MCP_PENDING) {
        mcp__put_int(w, "code", 2); /* STATUS_CODE_ERROR */
        mcp__put_str(w, "message", mcp__span_outcome(span));
    }
    mcp__put_end(w);
}

MCP__PRIVATE void mcp__otlp_span(mcp_writer *w, const mcp_span *span) {
    int kind = span->kind[0] == 's' ? 2 : span->kind[0] == 'c' ? 3 : 1;
    unsigned remote = kind == 2 && span->parent_id[0] ? 0x200 : 0; /* a server span's parent is */
    mcp__put_obj(w, NULL);
    mcp__put_str(w, "traceId", span->trace_id);
    mcp__put_str(w, "spanId", span->span_id);
    if (span->tracestate[0]) mcp__put_str(w, "traceState", span->tracestate);
    if (span->parent_id[0]) mcp__put_str(w, "parentSpanId", span->parent_id);
    mcp__put_int(w, "flags", span->flags | 0x100 | remote); /* 0x100: whether remote is known */
    mcp__put_str(w, "name", span->name);
    mcp__put_int(w, "kind", kind);
    mcp__otlp_time(w, "startTimeUnixNano", span->start_ns);
    mcp__otlp_time(w, "endTimeUnixNano", span->end_ns);
    mcp__put_arr(w, "attributes");
    for (const mcp_attr *a = span->attrs; a->key; a++) mcp__otlp_attr(w, a->key, a->value);
    mcp__put_end(w);
    mcp__otlp_status(w, span);
    mcp__put_end(w);
}

/* An ExportTraceServiceRequest of one span. */
MCP__PRIVATE void mcp__otlp_request(mcp_writer *w, const mcp_span *span) {
    mcp__put_obj(w, NULL);
    mcp__put_arr(w, "resourceSpans");
    mcp__put_obj(w, NULL);
    mcp__put_obj(w, "resource");
    mcp__put_arr(w, "attributes");
    mcp__otlp_attr(w, "service.name", span->service);
    mcp__put_end(w);
    mcp__put_end(w);
    mcp__put_arr(w, "scopeSpans");
    mcp__put_obj(w, NULL);
    mcp__put_obj(w, "scope");
    mcp__put_str(w, "name", "mcp.h");
    mcp__put_str(w, "version", MCP_VERSION);
    mcp__put_end(w);
    mcp__put_arr(w, "spans");
    mcp__otlp_span(w, span);
    for (int open = 6; open; open--) mcp__put_end(w); /* spans and what stands around it */
    mcp__put_plain(w, "\n", 1);
}

/* One fwrite a line, unless the line is longer than buf. */
MCP__PRIVATE int mcp__line_write(void *file, const void *bytes, size_t n) {
    return fwrite(bytes, 1, n, (FILE *)file) == n ? MCP_OK : MCP_IO;
}

MCP__PRIVATE void mcp__line_print(FILE *file, const mcp_span *span,
                                  void (*print)(mcp_writer *w, const mcp_span *span)) {
    char buf[4096];
    mcp_writer w;
    mcp_write_hook sink = { mcp__line_write, file };
    mcp__writer_init(&w, buf, sizeof buf, sink);
    print(&w, span);
    mcp__line_write(file, buf, mcp__writer_held(&w));
    fflush(file);
}

#endif

/* ---- >>client ----------------------------------------------------------------------------------
   The other side, again without I/O. What its author calls a request may be many messages: a try
   with another version, the pages of a list, rounds of questions, looks at a task. It is queued
   until the server is known: a probe, and for older ones a handshake, come first. Bytes that arrive
   only change how it stands with a request; what follows from that, an answer to the server's
   questions or the next message, happens in mcp__client_settle and nowhere else: no hook of the
   author's runs inside another, and nothing here calls itself.

       queued -> sent -> over           asked: the server has questions
            ^     |  \-> asked -+       resting: until it is time to look again
            +-----+  \-> resting -> sent

   Below a client is its carrier, which moves the bytes of channels (a spawned program, sockets, the
   author's streams), and its manner, which makes them of messages (lines, HTTP). */

#ifndef MCP_NO_CLIENT

typedef enum mcp__stand { MCP__QUEUED, MCP__SENT, MCP__ASKED, MCP__RESTING, MCP__OVER } mcp__stand;
typedef enum mcp__place { MCP__IN_PARAMS, MCP__IN_ARGUMENTS, MCP__IN_CONTEXT } mcp__place;
typedef enum mcp__errand { MCP__ITSELF, MCP__TASK_GET, MCP__TASK_UPDATE, MCP__TASK_RESULT,
                           MCP__SUBSCRIBE } mcp__errand; /* what its next message is for */

enum { MCP__OF_METHOD, MCP__OF_BASE, MCP__OF_VALUE, MCP__OF_META, MCP__OF_ROUND, MCP__OF_TASK,
       MCP__OF_PAGES, MCP__OF_ANSWER, MCP__OF_WHY, MCP__OF_EVENT,
       MCP__OFS }; /* a request's buffers */

typedef struct mcp__request {
    struct mcp__request *next;
    int64_t id;                  /* its author's name for it, and its progress token */
    int64_t wire;                /* what it was sent by, new each time; 0: nothing is awaited */
    mcp__stand stand;
    mcp__errand errand;
    mcp__place place;            /* of what its author wrote */
    bool early;                  /* goes out before the server is known */
    bool patient;                /* no timeout: it listens */
    bool all;                    /* every page of a list */
    bool standing;               /* listens by a stream of an older server's */
    bool refreshed, renewed;     /* tried again with fresh schemas, in a new session */
    bool visited;                /* tried again after people were where it sent them */
    bool again;                  /* tried again on a connection of its own */
    unsigned rounds, tries, fruitless;
    int64_t retry_ms;            /* one more than what a stream said; 0: nothing */
    int64_t due_ns, until_ns;    /* when to give up; beyond what no progress helps */
    int64_t go_ns;               /* when to go on, of one that rests */
    int status, code, http;      /* the outcome */
    const char *result, *data;   /* in its answer */
    void (*then)(mcp_client *k, struct mcp__request *r); /* ours: what follows, then it is freed */
    struct mcp__channel *channel; /* where its answer will come */
    mcp__buf buf[MCP__OFS];
} mcp__request;

typedef struct mcp__channel {
    struct mcp__channel *next;
    mcp_client *client;
    mcp__buf in, out;            /* of in, [0, at) is done and [at, seen) holds no newline */
    size_t at, seen, sent;       /* of out, [0, sent) is gone */
    bool skipping, begun;        /* a line beyond the limit; a first one came */
    bool ended;                  /* nothing more comes */
    int status;                  /* why, if not by its end */
    mcp__request *request;       /* whose answer comes here; NULL: nobody's */
    bool connected;
    mcp_stream stream;           /* the author's */
#ifndef MCP_NO_OS
    struct mcp__child *child;
#endif
#ifndef MCP_NO_HTTP
    mcp__wire wire;              /* busy, phase, left, keep, old: of the answer */
    int code;                    /* its status */
    bool events, json, used;     /* what it is; an answer came here before */
    bool stream_of_all;          /* 2024-11-05's: every answer comes here */
    bool quiet;                  /* no byte of this one did */
    bool after_cr;
    mcp__buf body, line;         /* content, decoded: as it comes; a line of a stream */
    char event[16];              /* the type of the event, cut */
    mcp__str note;               /* WWW-Authenticate, Location; in the head at: */
    mcp__buf head;
#ifndef MCP_NO_OS
    mcp__socket fd;
    unsigned tried;              /* addresses */
#endif
#endif
} mcp__channel;

/* How bytes move. None of these waits but turn, and read of an author's stream. */
typedef struct mcp__carrier {
    int (*open)(mcp__channel *h, mcp__buf *why);
    ptrdiff_t (*write)(mcp__channel *h, const char *p, size_t n); /* how many; below 0: broken */
    void (*close)(mcp__channel *h, mcp__buf *why);  /* says how it ended, if it knows */
    void (*turn)(mcp_client *k, int64_t ms);        /* moves what can be, waiting so long for it */
    bool again;                                     /* it can be opened again */
} mcp__carrier;

/* How messages become bytes, and bytes messages. */
typedef struct mcp__manner {
    int (*begin)(mcp_client *k, mcp__buf *why);
    int (*send)(mcp_client *k, mcp__request *r);    /* k->message: r's, or NULL: nobody's */
    void (*drop)(mcp_client *k, mcp__request *r);   /* its answer is not wanted any more */
    bool (*take)(mcp_client *k);                    /* what has arrived; false: nothing */
    bool (*older)(const mcp__request *r);           /* is that how old servers take a probe? */
    /* what only HTTP has, or NULL: */
    void (*refresh)(mcp_client *k, mcp__request *r); /* its headers were wrong */
    void (*stand)(mcp_client *k, mcp__request *r);   /* hears what older servers tell unasked */
    void (*resume)(mcp_client *k, mcp__request *r);  /* its stream was cut */
    bool (*oldest)(mcp_client *k, const mcp__request *r); /* tries 2024-11-05's; false: not that */
    void (*end)(mcp_client *k);                      /* says goodbye */
} mcp__manner;

typedef enum mcp__meeting { MCP__APART, MCP__MEETING, MCP__MET } mcp__meeting;
typedef enum mcp__era { MCP__NO_ERA, MCP__OLD_ERA, MCP__NEW_ERA } mcp__era;

enum { MCP__CACHES = 4 };
typedef struct mcp__kept_list { mcp__buf json; bool there; int64_t until_ns; } mcp__kept_list;

struct mcp_client {
    mcp__mem mem;
    mcp_client_desc desc;
    mcp__arena arena;            /* the desc's texts */
    mcp__arena scratch;          /* while one thing is looked at */
    const mcp__carrier *carrier;
    const mcp__manner *manner;
    mcp__meeting met;
    const mcp__version *version; /* spoken, or being tried */
    unsigned refusals;           /* of a version, so that nobody asks for ever */
    mcp__era era;
    bool busy;                   /* a hook, or what must not be entered twice, is running */
    bool gone, lost;             /* the channel ended; and cannot be opened again */
    const char *host;            /* of the URL; "" without one */
    int port;
    char *authority, *target;    /* "127.0.0.1:8080", "/mcp" */
    mcp__buf session;            /* an older version's, with its NUL */
    mcp__buf post;               /* where 2024-11-05 posts, once the server said so */
    bool sse;                    /* it speaks that */
    bool net;                    /* sockets were begun */
    mcp__channel *channels;
    mcp__request *requests, *draft;
    int64_t ids;
    mcp_writer writer, meta;     /* of the draft */
    mcp__buf message;            /* being sent */
    mcp__buf heard;              /* being looked at: nobody's answer */
    mcp__buf said;               /* what a hook answers */
    mcp__buf server;             /* who answers, as JSON */
    mcp__request *shown;         /* whose result its author looks at */
    mcp_failure failure;
    mcp__kept_list list[MCP__CACHES];
};

static const char *const mcp__kept_names[MCP__CACHES] = {
    "tools", "prompts", "resources", "resources/templates" };

enum { MCP__PROBE_MS = 5000,    /* for servers that are silent about what they do not know */
       MCP__LONGEST = 60,       /* times the timeout, whatever progress there is */
       MCP__LIST_MS = 60000,    /* an older server's list is kept */
       MCP__REST_MS = 1000,     /* between two looks, unless the server says */
       MCP__LULL_MS = 50,       /* at least that, whatever it says: no storm of requests */
       MCP__BYE_MS = 1000,
       MCP__SLICE_MS = 10,      /* of waiting, where several things cannot be waited for at once */
       MCP__PAGES = 10000, MCP__FRUITLESS = 8, MCP__REFUSALS = 4, MCP__SOCKETS = 256 };

/* ---- small things ---- */

MCP__PRIVATE int64_t mcp__client_now(const mcp_client *k) {
    return k->desc.clock.func ? k->desc.clock.func(k->desc.clock.user) : 0;
}

MCP__PRIVATE void mcp__client_log(const mcp_client *k, int level, int status, const char *text) {
    if (k->desc.log.func) k->desc.log.func(k->desc.log.user, level, status, text);
}

/* A line of the log that goes on with something of the server's. */
MCP__PRIVATE void mcp__client_warn(mcp_client *k, int status, const char *text, mcp__str more) {
    mcp__buf b;
    mcp__buf_init(&b, &k->mem);
    mcp__adds(&b, text);
    mcp__add(&b, mcp__shown(more.s, more.n));
    if (mcp__buf_add(&b, "", 1)) mcp__client_log(k, MCP_LOG_WARNING, status, b.ptr);
    mcp__buf_free(&b);
}

MCP__PRIVATE const char *mcp__member(const char *v, const char *key) {
    return mcp__json_get(v, key, strlen(key));
}

MCP__PRIVATE bool mcp__says(const char *v, const char *s) { return mcp__json_is(v, s, strlen(s)); }

/* The integer that a member is, or otherwise. */
MCP__PRIVATE int64_t mcp__member_int(const char *v, const char *key, int64_t otherwise) {
    mcp__num x;
    int64_t i;
    return mcp__json_num(mcp__member(v, key), &x) || mcp__num_int(&x, &i) ? otherwise : i;
}

/* ---- requests ---- */

MCP__PRIVATE void mcp__request_free(mcp_client *k, mcp__request *r) {
    if (!r) return;
    for (size_t i = 0; i < MCP__OFS; i++) mcp__buf_free(&r->buf[i]);
    mcp__realloc(&k->mem, r, sizeof *r, 0);
}

/* NULL: out of memory. */
MCP__PRIVATE mcp__request *mcp__request_new(mcp_client *k, const char *method) {
    mcp__request *r = (mcp__request *)mcp__realloc(&k->mem, NULL, 0, sizeof *r);
    if (!r) return NULL;
    memset(r, 0, sizeof *r);
    for (size_t i = 0; i < MCP__OFS; i++) mcp__buf_init(&r->buf[i], &k->mem);
    r->buf[MCP__OF_PAGES].max = k->desc.limits.message;
    if (mcp__buf_add(&r->buf[MCP__OF_METHOD], method, strlen(method) + 1)) return r;
    mcp__request_free(k, r);
    return NULL;
}

/* In its place in line; its numbers rise with the order in which requests were made. */
MCP__PRIVATE void mcp__request_enter(mcp_client *k, mcp__request *r) {
    mcp__request **link = &k->requests;
    while (*link) link = &(*link)->next;
    r->next = NULL;
    *link = r;
    r->id = ++k->ids;
}

MCP__PRIVATE void mcp__request_leave(mcp_client *k, mcp__request *r) {
    mcp__request **link = &k->requests;
    while (*link != r) link = &(*link)->next;
    *link = r->next;
    r->next = NULL;
    for (mcp__channel *h = k->channels; h; h = h->next)
        if (h->request == r) h->request = NULL;
}

MCP__PRIVATE mcp__request *mcp__request_find(mcp_client *k, int64_t id) {
    mcp__request *r = k->requests;
    while (r && (r->id != id || r->then)) r = r->next;
    return r;
}

/* It is over: text and more say why. */
MCP__PRIVATE void mcp__request_end(mcp__request *r, int status, const char *text, mcp__str more) {
    mcp__buf *why = &r->buf[MCP__OF_WHY];
    mcp__buf_reset(why, MCP__KEEP);
    mcp__adds(why, text);
    mcp__add(why, mcp__shown(more.s, more.n));
    mcp__buf_add(why, "", 1);
    r->status = status;
    r->stand = MCP__OVER;
    r->wire = 0;
    r->result = NULL;
}

MCP__PRIVATE void mcp__request_fail(mcp__request *r, int status, const char *text) {
    mcp__request_end(r, status, text, mcp__str_of(NULL));
}

/* Why it failed, also when there was no memory to say so. */
MCP__PRIVATE const char *mcp__request_why(const mcp__request *r) {
    const mcp__buf *why = &r->buf[MCP__OF_WHY];
    return r->status && !why->status && why->len > 1 ? why->ptr : mcp__status_text(r->status);
}

/* The failure of another one. */
MCP__PRIVATE void mcp__request_share(mcp__request *r, const mcp__request *from) {
    mcp__request_fail(r, from->status, mcp__request_why(from));
    r->code = from->code;
    r->http = from->http;
}

/* All that were sent, or all that were not, by the author. */
MCP__PRIVATE void mcp__requests_end(mcp_client *k, mcp__stand stand, int status, const char *text,
                                    mcp__str more) {
    for (mcp__request *r = k->requests; r; r = r->next)
        if (r->stand == stand) mcp__request_end(r, status, text, more);
}

/* ---- a message: the request as its author wrote it, and what the version wants with it ---- */

/* The methods that say more than that they are there: what a header repeats. */
static const struct { const char *method, *by; } mcp__named_methods[] = {
    { "tools/call", "name" }, { "prompts/get", "name" }, { "resources/read", "uri" },
    { "tasks/get", "taskId" }, { "tasks/update", "taskId" }, { "tasks/cancel", "taskId" } };

/* May it ask back, take its time, become a task? */
MCP__PRIVATE bool mcp__request_works(const mcp__request *r) {
    for (size_t i = 0; i < 3; i++)
        if (strcmp(r->buf[MCP__OF_METHOD].ptr, mcp__named_methods[i].method) == 0) return true;
    return false;
}

/* The method of its next message. */
MCP__PRIVATE const char *mcp__request_method(const mcp__request *r) {
    static const char *const errands[] = { NULL, "tasks/get", "tasks/update", "tasks/result",
                                           "resources/subscribe" };
    return r->errand ? errands[r->errand] : r->buf[MCP__OF_METHOD].ptr;
}

MCP__PRIVATE const char *mcp__request_json(mcp__request *r, int of) {
    return r->buf[of].len ? mcp__buf_json(&r->buf[of]) : NULL;
}

MCP__PRIVATE void mcp__put_client(mcp_writer *w, const char *key, const mcp_client *k) {
    mcp__put_obj(w, key);
    mcp__put_str(w, "name", k->desc.name);
    mcp__put_str(w, "version", k->desc.version);
    if (k->desc.title) mcp__put_str(w, "title", k->desc.title);
    mcp__put_end(w);
}

MCP__PRIVATE void mcp__put_none(mcp_writer *w, const char *key) {
    mcp__put_obj(w, key);
    mcp__put_end(w);
}

/* What this client declares, as the version has it. */
MCP__PRIVATE void mcp__put_can(mcp_writer *w, const char *key, const mcp_client *k) {
    const unsigned can = k->desc.can;
    const mcp__version *v = k->version;
    mcp__put_obj(w, key);
    if (can & MCP_CAN_ROOTS) mcp__put_none(w, "roots");
    if (can & (MCP_CAN_SAMPLE | MCP_CAN_SAMPLE_TOOLS)) {
        mcp__put_obj(w, "sampling");
        if (can & MCP_CAN_SAMPLE_TOOLS && v->elicits > 1) mcp__put_none(w, "tools");
        mcp__put_end(w);
    }
    unsigned asks = v->elicits > 1 ? MCP_CAN_ASK | MCP_CAN_ASK_URL : v->elicits ? MCP_CAN_ASK : 0;
    if (can & asks) {
        mcp__put_obj(w, "elicitation");
        if (can & MCP_CAN_ASK && v->elicits > 1) mcp__put_none(w, "form");
        if (can & MCP_CAN_ASK_URL && v->elicits > 1) mcp__put_none(w, "url");
        mcp__put_end(w);
    }
    if (can & MCP_CAN_APPS || (can & MCP_CAN_TASKS && v->modern)) {
        mcp__put_obj(w, "extensions");
        if (can & MCP_CAN_APPS) {
            mcp__put_obj(w, MCP__KEY("ui"));
            mcp__put_arr(w, "mimeTypes");
            mcp__put_str(w, NULL, "text/html;profile=mcp-app");
            mcp__put_end(w);
            mcp__put_end(w);
        }
        if (can & MCP_CAN_TASKS && v->modern) mcp__put_none(w, MCP__KEY("tasks"));
        mcp__put_end(w);
    }
    mcp__put_end(w);
}

/* The members of an object that are not written otherwise. */
MCP__PRIVATE void mcp__put_others(mcp_writer *w, const char *object, const char *const *ours,
                                  size_t n) {
    for (const char *m = mcp__json_first(object); m; m = mcp__json_next(m)) {
        size_t i = 0;
        while (i < n && !mcp__says(mcp__json_key(m), ours[i])) i++;
        if (i == n) mcp__put_member(w, m);
    }
}

MCP__PRIVATE void mcp__put_client_meta(mcp_writer *w, const mcp_client *k, mcp__request *r) {
    static const char *const ours[] = { "progressToken", mcp__key_version, mcp__key_client,
                                        mcp__key_capabilities };
    const char *own = mcp__request_json(r, MCP__OF_META);
    if (!own && r->place == MCP__IN_PARAMS)
        own = mcp__member(mcp__request_json(r, MCP__OF_VALUE), "_meta");
    bool works = mcp__request_works(r), modern = k->version->modern;
    if (r->errand) own = NULL, works = false;
    if (!own && !works && !modern) return;
    mcp__put_obj(w, "_meta");
    mcp__put_others(w, own, ours, MCP__COUNT(ours));
    if (works) mcp__put_int(w, "progressToken", r->id);
    if (modern) {
        mcp__put_str(w, mcp__key_version, k->version->name);
        mcp__put_client(w, mcp__key_client, k);
        mcp__put_can(w, mcp__key_capabilities, k);
        if (k->desc.log_level && !mcp__member(own, mcp__key_log_level))
            mcp__put_str(w, mcp__key_log_level, mcp__levels[k->desc.log_level]);
    }
    mcp__put_end(w);
}

/* The nth resource that a request listens for, or NULL. */
MCP__PRIVATE const char *mcp__listened_uri(mcp__request *r, unsigned n) {
    const char *wanted = mcp__member(mcp__request_json(r, MCP__OF_VALUE), "notifications");
    const char *uri = mcp__json_first(mcp__member(wanted, "resourceSubscriptions"));
    while (uri && n--) uri = mcp__json_next(uri);
    return uri;
}

MCP__PRIVATE const char *mcp__kept_json(mcp__kept_list *l) {
    const char *json = mcp__buf_json(&l->json);
    return json ? json + MCP__PAD_BEFORE : NULL;
}

/* What is known of a tool, since its list was asked for. */
MCP__PRIVATE const char *mcp__known_tool(mcp_client *k, mcp__request *r) {
    const char *base = mcp__request_json(r, MCP__OF_BASE), *list = NULL;
    if (r->place != MCP__IN_ARGUMENTS) base = mcp__request_json(r, MCP__OF_VALUE);
    const char *name = mcp__member(base, "name");
    if (strcmp(r->buf[MCP__OF_METHOD].ptr, "tools/call") != 0 || !name) return NULL;
    if (k->list[0].there) list = mcp__member(mcp__kept_json(&k->list[0]), "tools");
    for (const char *t = mcp__json_first(list); t; t = mcp__json_next(t)) {
        const char *own = mcp__member(t, "name");
        if (own && mcp__json_compare_keys(own, name) == 0) return t;
    }
    return NULL;
}

/* A tool of 2025-11-25 that runs as a task and not otherwise is asked for one. */
MCP__PRIVATE bool mcp__wants_task(mcp_client *k, mcp__request *r) {
    if (k->version->modern || !(k->desc.can & MCP_CAN_TASKS) || r->place != MCP__IN_ARGUMENTS)
        return false;
    const char *how = mcp__member(mcp__known_tool(k, r), "execution");
    return mcp__says(mcp__member(how, "taskSupport"), "required");
}

MCP__PRIVATE void mcp__put_params(mcp_writer *w, mcp_client *k, mcp__request *r) {
    static const char *const ours[] = { "_meta" };
    const char *base = mcp__request_json(r, MCP__OF_BASE);
    const char *value = mcp__request_json(r, MCP__OF_VALUE);
    const char *round = mcp__request_json(r, MCP__OF_ROUND); /* answers and state, or a cursor */
    mcp__put_obj(w, "params");
    if (r->errand == MCP__SUBSCRIBE)
        mcp__put_json(w, "uri", mcp__listened_uri(r, r->rounds));
    else if (r->errand) {
        const char *task = mcp__request_json(r, MCP__OF_TASK);
        mcp__put_json(w, "taskId", mcp__member(task, "taskId"));
        if (r->errand == MCP__TASK_UPDATE) mcp__put_others(w, round, NULL, 0);
    } else {
        mcp__put_others(w, base, NULL, 0);
        if (r->place == MCP__IN_PARAMS) mcp__put_others(w, value, ours, 1);
        else if (r->place == MCP__IN_ARGUMENTS) mcp__put_json(w, "arguments", value);
        else if (mcp__json_first(value)) {
            mcp__put_obj(w, "context");
            mcp__put_json(w, "arguments", value);
            mcp__put_end(w);
        }
        if (mcp__wants_task(k, r)) mcp__put_none(w, "task");
        mcp__put_others(w, round, NULL, 0);
    }
    mcp__put_client_meta(w, k, r);
    mcp__put_end(w);
}

/* {"jsonrpc":"2.0", of what goes out. */
/* For who looks on. */
MCP__PRIVATE void mcp__wire_seen(const mcp_client *k, bool sent, const char *json, size_t n) {
    if (k->desc.wire.func) k->desc.wire.func(k->desc.wire.user, sent, json, n);
}

/* k->message: r's, or NULL: nobody's. */
MCP__PRIVATE int mcp__post_message(mcp_client *k, mcp__request *r) {
    mcp__wire_seen(k, true, k->message.ptr, k->message.len);
    return k->manner->send(k, r);
}

MCP__PRIVATE void mcp__message_begin(mcp_client *k, mcp_writer *w) {
    mcp__buf_reset(&k->message, MCP__KEEP);
    mcp__writer_on(w, &k->message);
    mcp__put_str(w, "jsonrpc", "2.0");
}

MCP__PRIVATE int mcp__compose(mcp_client *k, mcp__request *r) {
    mcp_writer w;
    mcp__message_begin(k, &w);
    mcp__put_int(&w, "id", r->wire);
    mcp__put_str(&w, "method", mcp__request_method(r));
    mcp__put_params(&w, k, r);
    return mcp__writer_end(&w);
}

/* A notification that names one thing at most. */
MCP__PRIVATE int mcp__client_notify(mcp_client *k, const char *method, const char *key, int64_t id,
                                    const char *text) {
    mcp_writer w;
    mcp__message_begin(k, &w);
    mcp__put_str(&w, "method", method);
    if (key) {
        mcp__put_obj(&w, "params");
        mcp__put_int(&w, key, id);
        if (text) mcp__put_str(&w, "reason", text);
        mcp__put_end(&w);
    }
    int rc = mcp__writer_end(&w);
    return rc ? rc : mcp__post_message(k, NULL);
}

/* Sends its next message, by a number of its own. */
MCP__PRIVATE void mcp__transmit(mcp_client *k, mcp__request *r) {
    int64_t now = mcp__client_now(k), ns = k->desc.timeout_ms * 1000000;
    r->stand = MCP__OVER;
    if (!*r->buf[MCP__OF_METHOD].ptr) return; /* it only waited until the server is known */
    if (r->patient && !k->version->modern) {
        r->errand = MCP__SUBSCRIBE;
        r->stand = MCP__SENT; /* also when there is none to subscribe to: it is told unasked */
        if (!mcp__listened_uri(r, r->rounds)) return;
    }
    if (r->early && k->era == MCP__NO_ERA && ns > MCP__PROBE_MS * INT64_C(1000000))
        ns = MCP__PROBE_MS * INT64_C(1000000);
    if (!r->until_ns) r->until_ns = now + ns * MCP__LONGEST;
    r->wire = r->tries++ ? ++k->ids : r->id;
    r->stand = MCP__SENT;
    r->due_ns = now + ns;
    r->status = r->code = r->http = 0;
    r->result = r->data = NULL;
    mcp__buf_reset(&r->buf[MCP__OF_ANSWER], MCP__KEEP);
    int rc = mcp__compose(k, r);
    if (rc == MCP_OK) rc = mcp__post_message(k, r);
    if (rc && r->stand == MCP__SENT) mcp__request_fail(r, rc, mcp__status_text(rc));
}

/* ---- channels ---- */

#ifdef MCP_NO_HTTP
#define MCP__CHANNEL_BUFS(h) { &(h)->in, &(h)->out }
#else
#define MCP__CHANNEL_BUFS(h) { &(h)->in, &(h)->out, &(h)->body, &(h)->line, &(h)->head }
#endif

MCP__PRIVATE void mcp__channel_close(mcp__channel *h, mcp__buf *why) {
    mcp_client *k = h->client;
    mcp__channel **link = &k->channels;
    while (*link != h) link = &(*link)->next;
    *link = h->next;
    k->carrier->close(h, why);
    for (mcp__request *r = k->requests; r; r = r->next)
        if (r->channel == h) r->channel = NULL;
    mcp__buf *bufs[] = MCP__CHANNEL_BUFS(h);
    for (size_t i = 0; i < MCP__COUNT(bufs); i++) mcp__buf_free(bufs[i]);
    mcp__realloc(&k->mem, h, sizeof *h, 0);
}

/* NULL: *status says why, and why more. */
MCP__PRIVATE mcp__channel *mcp__channel_open(mcp_client *k, mcp__buf *why, int *status) {
    mcp__channel *h = (mcp__channel *)mcp__realloc(&k->mem, NULL, 0, sizeof *h);
    *status = MCP_NOMEM;
    if (!h) return NULL;
    memset(h, 0, sizeof *h);
    h->client = k;
    mcp__buf *bufs[] = MCP__CHANNEL_BUFS(h);
    for (size_t i = 0; i < MCP__COUNT(bufs); i++) mcp__buf_init(bufs[i], &k->mem);
    *status = k->carrier->open(h, why);
    if (*status) {
        mcp__realloc(&k->mem, h, sizeof *h, 0);
        return NULL;
    }
    h->next = k->channels;
    return k->channels = h;
}

/* As much as is taken now. */
MCP__PRIVATE void mcp__channel_flush(mcp__channel *h) {
    const mcp__carrier *carrier = h->client->carrier;
    while (h->sent < h->out.len && !h->status) {
        ptrdiff_t n = carrier->write(h, h->out.ptr + h->sent, h->out.len - h->sent);
        if (n < 0) h->status = (int)n;
        if (n <= 0) break;
        h->sent += (size_t)n;
    }
    if (h->sent < h->out.len && !h->status) return;
    h->sent = 0;
    mcp__buf_reset(&h->out, MCP__KEEP);
}

/* Bytes that were read, or fed. Without memory for them nothing that follows makes sense. */
MCP__PRIVATE void mcp__channel_add(mcp__channel *h, const void *p, size_t n) {
    if (h->at > h->in.len / 2) { /* done bytes make room */
        memmove(h->in.ptr, h->in.ptr + h->at, h->in.len - h->at);
        h->in.len -= h->at;
        h->seen -= h->at;
        h->at = 0;
        if (!h->in.len && h->in.cap > 4 * MCP__KEEP) mcp__buf_shrink(&h->in, MCP__KEEP);
    }
    if (!n) h->ended = true;
    else if (!mcp__buf_reserve(&h->in, n + MCP__PAD)) h->status = MCP_NOMEM, h->ended = true;
    else mcp__buf_add(&h->in, p, n), mcp__buf_json(&h->in);
}

/* What a carrier read: n bytes, the end, or why not. */
MCP__PRIVATE void mcp__channel_got(mcp__channel *h, const char *p, ptrdiff_t n) {
    if (n == MCP_CANCELLED) return;
    if (n < 0) h->status = (int)n;
    mcp__channel_add(h, p, n < 0 ? 0 : (size_t)n);
}

/* ---- JSON Schema that others wrote, as far as rules can say it; beyond that all is well ---- */

typedef struct mcp__learner { mcp__arena *arena; bool exhausted; } mcp__learner;

/* The texts or numbers of an enum, or of [{"const":"eu","title":"Frankfurt"}]. */
MCP__PRIVATE void mcp__learn_choices(mcp__learner *x, const char *list, mcp__rule *r,
                                     mcp_arg *row) {
    bool number = r->type != MCP_STRING;
    size_t n = 0, size = 0;
    for (const char *v = mcp__json_first(list); v; v = mcp__json_next(v), n++) {
        const char *one = *v == '{' ? mcp__member(v, "const") : v;
        if (mcp__json_type(one) != (number ? MCP_NUMBER : MCP_STRING)) return;
        size += mcp__token(one).n;
    }
    r->choice = (mcp__choice *)mcp__arena_array(x->arena, n + 1, sizeof *r->choice);
    char *shown = (char *)mcp__arena_alloc(x->arena, size + n + 1), *p = shown;
    x->exhausted |= !r->choice || !shown;
    if (x->exhausted) return;
    row->choices = shown;
    for (const char *v = mcp__json_first(list); v; v = mcp__json_next(v)) {
        const char *one = *v == '{' ? mcp__member(v, "const") : v;
        mcp__choice *choice = &r->choice[r->choices++];
        if (!number) choice->text.s = mcp__json_text(one, &choice->text.n);
        else if (mcp__json_num(one, &choice->n) == MCP_OK) choice->text = mcp__token(one);
        if (p > shown) *p++ = '|';
        memcpy(p, choice->text.s, choice->text.n);
        p += choice->text.n;
    }
}

/* [{"const":"eu","title":"Frankfurt"}]: choices that need not say that they are texts. */
MCP__PRIVATE bool mcp__learn_titled(const char *list) {
    const char *v = mcp__json_first(list);
    while (v && mcp__json_type(mcp__member(v, "const")) == MCP_STRING) v = mcp__json_next(v);
    return mcp__json_first(list) && !v;
}

/* "minimum":1, or open "exclusiveMinimum":1, or as it once was "exclusiveMinimum":true. */
MCP__PRIVATE void mcp__learn_bound(const char *closed, const char *open, mcp__bound *b) {
    const char *v = mcp__json_type(open) == MCP_NUMBER ? open : closed;
    if (mcp__json_num(v, &b->n)) return;
    b->text = mcp__token(v);
    b->set = true;
    b->open = v == open || mcp__json_true(open);
}

/* The one type, and perhaps null beside it; MCP_ANY: not to be judged. */
MCP__PRIVATE mcp_type mcp__learn_type(const char *type, unsigned *flags) {
    mcp_type found = MCP_ANY;
    const char *v = mcp__json_type(type) == MCP_ARRAY ? mcp__json_first(type) : type;
    for (; v; v = v == type ? NULL : mcp__json_next(v)) {
        int i = MCP_STRING;
        while (i <= MCP_NULL && !(*mcp__type_names[i] && mcp__says(v, mcp__type_names[i]))) i++;
        if (i > MCP_NULL || (i != MCP_NULL && found != MCP_ANY)) return MCP_ANY;
        if (i == MCP_NULL && v != type) *flags |= MCP_NULLABLE;
        else found = (mcp_type)i;
    }
    return found;
}

MCP__PRIVATE size_t mcp__learn_size(const char *schema, const char *key) {
    int64_t n = mcp__member_int(schema, key, 0);
    return n > 0 && (uint64_t)n < SIZE_MAX / 2 ? (size_t)n : 0;
}

MCP__PRIVATE void mcp__learn_flat(mcp__learner *x, const char *v, mcp__rule *r, mcp_arg *row) {
    const char *choices = mcp__member(v, "enum");
    if (!choices) choices = mcp__member(v, "oneOf");
    if (!choices) choices = mcp__member(v, "anyOf"); /* of an array's items */
    if (choices && r->type <= MCP_INTEGER) mcp__learn_choices(x, choices, r, row);
    mcp__learn_bound(mcp__member(v, "minimum"), mcp__member(v, "exclusiveMinimum"), &r->min);
    mcp__learn_bound(mcp__member(v, "maximum"), mcp__member(v, "exclusiveMaximum"), &r->max);
    row->min_length = mcp__learn_size(v, "minLength");
    row->max_length = mcp__learn_size(v, "maxLength");
    row->min_items = mcp__learn_size(v, "minItems");
    row->max_items = mcp__learn_size(v, "maxItems");
    r->def = mcp__member(v, "default");
}

/* The rule that v is, as deep as levels. */
MCP__PRIVATE void mcp__learn(mcp__learner *x, const char *v, mcp__rule *r, int levels) {
    mcp_arg *row = (mcp_arg *)mcp__arena_alloc(x->arena, sizeof *row);
    x->exhausted |= !row;
    r->row = row;
    r->type = mcp__learn_type(mcp__member(v, "type"), &r->flags);
    if (r->type == MCP_ANY && mcp__learn_titled(mcp__member(v, "anyOf"))) r->type = MCP_STRING;
    if (!row || !levels || mcp__member(v, "$ref")) r->type = MCP_ANY;
    if (r->type == MCP_ANY) return;
    mcp__learn_flat(x, v, r, row);
    if (r->type == MCP_ARRAY) {
        r->item = (mcp__rule *)mcp__arena_alloc(x->arena, sizeof *r->item);
        x->exhausted |= !r->item;
        if (r->item) mcp__learn(x, mcp__member(v, "items"), r->item, levels - 1);
    }
    const char *members = r->type == MCP_OBJECT ? mcp__member(v, "properties") : NULL;
    if (mcp__json_type(mcp__member(v, "additionalProperties")) != MCP_BOOLEAN ||
        mcp__json_true(mcp__member(v, "additionalProperties")) ||
        mcp__member(v, "patternProperties")) r->flags |= MCP_OPEN;
    size_t n = 0;
    for (const char *m = mcp__json_first(members); m; m = mcp__json_next(m)) n++;
    r->member = (mcp__rule *)mcp__arena_array(x->arena, n + 1, sizeof *r->member);
    x->exhausted |= !r->member;
    for (const char *m = mcp__json_first(members); m && !x->exhausted; m = mcp__json_next(m)) {
        mcp__rule *one = &r->member[r->members++];
        mcp__learn(x, m, one, levels - 1);
        one->name.s = mcp__json_text(mcp__json_key(m), &one->name.n);
    }
    const char *required = mcp__member(v, "required");
    for (const char *k = mcp__json_first(required); k; k = mcp__json_next(k)) {
        const mcp__rule *one = mcp__rule_of(r, k);
        if (one) r->member[one - r->member].flags |= MCP_REQUIRED;
    }
}

/* Whether v fits; MCP_SYNTAX: why says what does not. */
MCP__PRIVATE int mcp__client_check(mcp_client *k, const char *schema, const char *v,
                                   mcp__rule *rule, mcp__buf *why) {
    mcp__arena_reset(&k->scratch, MCP__ARENA_KEEP);
    mcp__learner x = { &k->scratch, false };
    mcp__checker check = { &k->scratch, why, 0, false, false, NULL };
    memset(rule, 0, sizeof *rule);
    mcp__buf_reset(why, MCP__KEEP);
    mcp__learn(&x, schema, rule, MCP__TABLE_DEPTH);
    if (x.exhausted) return MCP_NOMEM;
    bool fits = mcp__check_root(&check, rule, v);
    return check.exhausted ? MCP_NOMEM : fits ? MCP_OK : MCP_SYNTAX;
}

/* ---- the server's questions ---- */

enum { MCP__MODE_LACKS = -100 }; /* beside a status: a mode or a tool that was never declared */

/* What an answer to an elicitation holds. */
MCP__PRIVATE void mcp__put_filled(mcp_client *k, mcp_writer *w, const char *params, bool url,
                                  int rc) {
    mcp__rule form;
    mcp__buf why;
    mcp__buf_init(&why, &k->mem);
    const char *said = rc == MCP_OK && !url ? mcp__buf_json(&k->said) : NULL;
    const char *schema = mcp__member(params, "requestedSchema");
    int fits = said ? mcp__client_check(k, schema, said, &form, &why) : MCP_OK;
    if (rc == MCP_OK && !url && !said) fits = MCP_NOMEM;
    if (fits) {
        mcp__str text = { why.ptr, why.len };
        mcp__client_warn(k, fits, "the answer does not fit the form: ", text);
    }
    bool accept = rc == MCP_OK && fits == MCP_OK;
    mcp__put_str(w, "action", accept ? "accept" : rc == MCP_DECLINED ? "decline" : "cancel");
    if (accept && said) mcp__fill(w, "content", &form, said);
    mcp__buf_free(&why);
}

/* One question's answer is written as the object that w is inside of. MCP_OK; MCP_DECLINED: there
   is none; MCP_UNSUPPORTED, MCP__MODE_LACKS: it must not be asked. */
MCP__PRIVATE int mcp__client_asked(mcp_client *k, const char *method, const char *params,
                                   mcp_writer *w) {
    const mcp_ask_hook ask = k->desc.ask;
    const unsigned can = k->desc.can;
    bool form = mcp__says(method, "elicitation/create");
    bool url = form && mcp__says(mcp__member(params, "mode"), "url");
    bool tools = mcp__member(params, "tools") || mcp__member(params, "toolChoice");
    if (mcp__says(method, "roots/list") && can & MCP_CAN_ROOTS) {
        const char *list = k->desc.roots;
        mcp__str root = { NULL, 0 };
        mcp__put_arr(w, "roots");
        while (list && mcp__list_next(&list, &root)) {
            mcp__put_obj(w, NULL);
            mcp__put_strn(w, "uri", root.s, root.n);
            mcp__put_end(w);
        }
        mcp__put_end(w);
        return MCP_OK;
    }
    if (form && !(can & (MCP_CAN_ASK | MCP_CAN_ASK_URL))) return MCP_UNSUPPORTED;
    if (form && !(can & (url ? MCP_CAN_ASK_URL : MCP_CAN_ASK))) return MCP__MODE_LACKS;
    if (!form && (!mcp__says(method, "sampling/createMessage") ||
                  !(can & (MCP_CAN_SAMPLE | MCP_CAN_SAMPLE_TOOLS)))) return MCP_UNSUPPORTED;
    if (!form && tools && !(can & MCP_CAN_SAMPLE_TOOLS)) return MCP__MODE_LACKS;
    mcp_writer said;
    mcp__buf_reset(&k->said, MCP__KEEP);
    mcp__writer_on(&said, &k->said);
    int rc = !ask.func ? MCP_DECLINED
        : ask.func(ask.user, form ? "elicitation/create" : "sampling/createMessage",
                   (const mcp_json *)params, &said);
    if (rc == MCP_OK) rc = mcp__writer_end(&said);
    if (form) {
        mcp__put_filled(k, w, params, url, rc);
        return MCP_OK;
    }
    const char *message = rc == MCP_OK ? mcp__buf_json(&k->said) : NULL;
    if (mcp__json_type(message) != MCP_OBJECT) return MCP_DECLINED;
    mcp__put_others(w, message, NULL, 0);
    return MCP_OK;
}

/* A request of an older server's, answered at once. */
MCP__PRIVATE void mcp__client_answer(mcp_client *k, const char *id, const char *method,
                                     const char *params) {
    static const struct { int status, code; const char *text; } refusals[] = {
        { MCP_DECLINED, -1, "The user said no" },
        { MCP__MODE_LACKS, MCP_INVALID_PARAMS, "Not declared by this client" },
        { MCP_UNSUPPORTED, MCP__METHOD_NOT_FOUND, "Method not found" } };
    mcp_writer w;
    mcp__message_begin(k, &w);
    mcp__str token = mcp__token(id);
    mcp__put_word(&w, "id", token.s, token.n);
    mcp_writer before = w;
    mcp__put_obj(&w, "result");
    int rc = mcp__says(method, "ping") ? MCP_OK : mcp__client_asked(k, method, params, &w);
    mcp__put_end(&w);
    for (size_t i = 0; i < MCP__COUNT(refusals); i++) {
        if (rc != refusals[i].status) continue;
        mcp__writer_rewind(&w, &before);
        mcp__put_obj(&w, "error");
        mcp__put_int(&w, "code", refusals[i].code);
        mcp__put_str(&w, "message", refusals[i].text);
        mcp__put_end(&w);
    }
    rc = mcp__writer_end(&w);
    if (rc == MCP_OK) rc = mcp__post_message(k, NULL);
    if (rc) mcp__client_log(k, MCP_LOG_WARNING, rc, "a question of the server's is not answered");
}

/* 2025-11-25: an error said where people have to go first; then the request again, once. */
MCP__PRIVATE void mcp__client_visit(mcp_client *k, mcp__request *r) {
    static const char method[32 + MCP__PAD] = "\"elicitation/create\"";
    const char *places = mcp__member(r->data, "elicitations");
    mcp__buf *said = &r->buf[MCP__OF_ROUND];
    bool accepted = true;
    for (const char *p = mcp__json_first(places); p && accepted; p = mcp__json_next(p)) {
        mcp_writer w;
        mcp__buf_reset(said, MCP__KEEP);
        mcp__writer_on(&w, said);
        accepted = mcp__client_asked(k, method, p, &w) == MCP_OK &&
                   mcp__writer_end(&w) == MCP_OK &&
                   mcp__says(mcp__member(mcp__buf_json(said), "action"), "accept");
    }
    mcp__buf_reset(said, MCP__KEEP);
    r->visited = true;
    r->stand = accepted ? MCP__QUEUED : MCP__OVER; /* by the error */
}

/* What a modern server wants to know before it goes on: all of it, then the request again. */
MCP__PRIVATE void mcp__client_answer_all(mcp_client *k, mcp__request *r) {
    const char *questions = mcp__member(r->result, "inputRequests");
    const char *state = mcp__member(r->result, "requestState");
    mcp__buf *round = &r->buf[MCP__OF_ROUND];
    mcp_writer w;
    int rc = MCP_OK;
    mcp__buf_reset(round, MCP__KEEP);
    mcp__writer_on(&w, round);
    mcp__put_obj(&w, NULL);
    if (questions) mcp__put_obj(&w, "inputResponses");
    for (const char *q = mcp__json_first(questions); q && rc == MCP_OK; q = mcp__json_next(q)) {
        size_t n;
        const char *key = mcp__json_text(mcp__json_key(q), &n), *method = mcp__member(q, "method");
        if (strlen(key) != n) rc = MCP_SYNTAX; /* it could not be said back */
        mcp__put_obj(&w, key);
        if (rc == MCP_OK) rc = mcp__client_asked(k, method, mcp__member(q, "params"), &w);
        mcp__put_end(&w);
    }
    if (questions) mcp__put_end(&w);
    if (state && !r->errand) mcp__put_json(&w, "requestState", state);
    mcp__put_end(&w);
    if (rc == MCP_OK) rc = mcp__writer_end(&w);
    if (rc) {
        mcp__request_fail(r, rc == MCP__MODE_LACKS ? MCP_UNSUPPORTED : rc,
                          rc == MCP_DECLINED ? "the user said no"
                          : rc == MCP_NOMEM ? mcp__status_text(rc)
                          : "the server asks for what this client has not declared");
        return;
    }
    if (r->errand) r->errand = MCP__TASK_UPDATE;
    r->stand = MCP__RESTING; /* without a question there is no hurry */
    r->go_ns = questions ? 0 : mcp__client_now(k) + MCP__REST_MS * INT64_C(1000000);
}

/* ---- answers ---- */

/* Which of the lists that are kept is meant; MCP__CACHES: none. */
MCP__PRIVATE size_t mcp__kept_of(const char *what, size_t n) {
    size_t i = 0;
    while (i < MCP__CACHES && (strlen(mcp__kept_names[i]) != n ||
                               memcmp(mcp__kept_names[i], what, n))) i++;
    return i;
}

/* A tool that said what its result looks like keeps to it. */
MCP__PRIVATE void mcp__result_check(mcp_client *k, mcp__request *r) {
    const char *tool = mcp__known_tool(k, r), *schema = mcp__member(tool, "outputSchema");
    const char *value = mcp__member(r->result, "structuredContent");
    mcp__rule rule;
    mcp__buf why;
    if (!schema || mcp__json_true(mcp__member(r->result, "isError")) || !k->version->structured)
        return;
    mcp__buf_init(&why, &k->mem);
    int rc = value ? mcp__client_check(k, schema, value, &rule, &why) : MCP_SYNTAX;
    mcp__str text = { why.ptr, why.len };
    if (!value) text = mcp__str_of("there is none");
    if (rc) {
        const char *result = r->result; /* for who wants it nevertheless */
        mcp__request_end(r, rc, rc == MCP_NOMEM ? mcp__status_text(rc) : "structuredContent: ",
                         text);
        r->data = result;
    }
    mcp__buf_free(&why);
}

/* Whether a schema's x-mcp-header annotations are as they must be (2026-07-28 tools): names that
   are tokens, none twice, on texts, integers and booleans. seen collects them. */
MCP__PRIVATE bool mcp__headers_valid(const char *schema, mcp__buf *seen, bool reachable) {
    for (const char *m = mcp__json_first(schema); m; m = mcp__json_next(m)) {
        const char *key = mcp__json_key(m);
        bool deeper = reachable && mcp__says(key, "properties");
        if (reachable && mcp__says(key, "x-mcp-header")) {
            const char *type = mcp__member(schema, "type");
            size_t n;
            const char *name = mcp__json_text(m, &n);
            if (!name || !n || mcp__token_size(name) != n) return false;
            if (!mcp__says(type, "string") && !mcp__says(type, "integer") &&
                !mcp__says(type, "boolean")) return false;
            for (size_t at = 0; at < seen->len; at += strlen(seen->ptr + at) + 1)
                if (mcp__same_name(seen->ptr + at, name)) return false;
            mcp__buf_add(seen, name, n + 1);
        } else if (mcp__says(key, "x-mcp-header") && mcp__json_type(m) == MCP_STRING) return false;
        else if (deeper) {
            for (const char *p = mcp__json_first(m); p; p = mcp__json_next(p))
                if (!mcp__headers_valid(p, seen, true)) return false;
        } else if ((*m == '{' || *m == '[') && !mcp__says(key, "default") &&
                   !mcp__says(key, "enum") && !mcp__says(key, "const") &&
                   !mcp__says(key, "examples") && !mcp__headers_valid(m, seen, false)) return false;
    }
    return true;
}

/* Over HTTP a tool whose headers cannot be right is none (2026-07-28 streamable-http). */
MCP__PRIVATE bool mcp__tool_usable(mcp_client *k, const char *tool) {
    mcp__buf seen;
    mcp__buf_init(&seen, &k->mem);
    bool ok = mcp__headers_valid(mcp__member(tool, "inputSchema"), &seen, true);
    mcp__buf_free(&seen);
    if (!ok) mcp__client_warn(k, MCP_SYNTAX, "a tool's x-mcp-header is invalid, it is left out: ",
                              mcp__member_text(tool, "name"));
    return ok;
}

/* The rows of a list stand in its one array. NULL: it has none. */
MCP__PRIVATE const char *mcp__rows_of(const char *result) {
    const char *m = mcp__json_first(result);
    while (m && mcp__json_type(m) != MCP_ARRAY) m = mcp__json_next(m);
    return m;
}

/* The rows of this page, behind those before it. */
MCP__PRIVATE void mcp__page_add(mcp_client *k, mcp__request *r, const char *rows) {
    mcp__buf *pages = &r->buf[MCP__OF_PAGES];
    bool tools = mcp__says(mcp__json_key(rows), "tools") && k->manner->refresh;
    for (const char *v = mcp__json_first(rows); v; v = mcp__json_next(v)) {
        if (tools && k->version->modern && !mcp__tool_usable(k, v)) continue;
        if (pages->len) mcp__adds(pages, ",");
        mcp__add(pages, mcp__json_raw(v));
    }
}

/* The pages become one result, which is kept as long as the server allows. */
MCP__PRIVATE int mcp__pages_end(mcp_client *k, mcp__request *r, const char *key) {
    const char *ours[] = { "nextCursor", key };
    mcp__buf *pages = &r->buf[MCP__OF_PAGES], *whole = &r->buf[MCP__OF_ROUND];
    mcp__str what = mcp__str_of(r->buf[MCP__OF_METHOD].ptr);
    size_t i = mcp__kept_of(what.s, what.n - 5); /* without /list */
    int64_t ms = mcp__member_int(r->result, "ttlMs", k->version->modern ? 0 : (int)MCP__LIST_MS);
    mcp_writer w;
    mcp__buf_reset(whole, MCP__KEEP);
    mcp__buf_add(whole, "\0\0\0\0\0\0\0", MCP__PAD_BEFORE);
    mcp__writer_on(&w, whole);
    mcp__put_obj(&w, NULL);
    mcp__put_others(&w, r->result, ours, 2);
    mcp__put_arr(&w, key);
    mcp__put_plain(&w, pages->ptr, pages->len);
    mcp__put_end(&w);
    mcp__put_end(&w);
    int rc = mcp__writer_end(&w);
    if (rc) return rc;
    if (!mcp__buf_json(whole)) return MCP_NOMEM;
    r->result = whole->ptr + MCP__PAD_BEFORE;
    if (i == MCP__CACHES) return MCP_OK;
    mcp__buf_reset(&k->list[i].json, 0);
    k->list[i].there = mcp__buf_add(&k->list[i].json, whole->ptr, whole->len);
    k->list[i].until_ns = ms > 0 && ms < INT32_MAX ? mcp__client_now(k) + ms * 1000000 : 0;
    return MCP_OK;
}

/* One page of a list that is wanted whole. */
MCP__PRIVATE void mcp__paged(mcp_client *k, mcp__request *r) {
    const char *next = mcp__member(r->result, "nextCursor"), *rows = mcp__rows_of(r->result);
    if (!rows) {
        mcp__request_fail(r, MCP_SYNTAX, "a list without rows");
        return;
    }
    mcp__page_add(k, r, rows);
    int rc = r->buf[MCP__OF_PAGES].status;
    size_t n;
    if (rc == MCP_OK && mcp__json_type(next) != MCP_STRING)
        rc = mcp__pages_end(k, r, mcp__json_text(mcp__json_key(rows), &n));
    else if (rc == MCP_OK && ++r->rounds < MCP__PAGES) {
        mcp_writer w;
        mcp__buf_reset(&r->buf[MCP__OF_ROUND], MCP__KEEP);
        mcp__writer_on(&w, &r->buf[MCP__OF_ROUND]);
        mcp__put_json(&w, "cursor", next);
        rc = mcp__writer_end(&w);
        r->stand = MCP__QUEUED;
    } else if (rc == MCP_OK) rc = MCP_LIMIT;
    if (rc) mcp__request_fail(r, rc, rc == MCP_LIMIT ? "the list is too long"
                                                     : mcp__status_text(rc));
}

/* ---- tasks: a result that comes later, looked for now and then ---- */

/* It is looked at again when the server says. */
MCP__PRIVATE void mcp__task_rest(mcp_client *k, mcp__request *r, const char *task) {
    int64_t ms = mcp__member_int(task, "pollIntervalMs", mcp__member_int(task, "pollInterval",
                                                                         MCP__REST_MS));
    r->errand = MCP__TASK_GET;
    r->stand = MCP__RESTING;
    r->until_ns = 0; /* a task takes as long as it takes: the server says when it is over */
    r->go_ns = mcp__client_now(k) + (ms > 0 && ms < INT32_MAX ? ms : 0) * 1000000;
}

MCP__PRIVATE void mcp__task_begun(mcp_client *k, mcp__request *r, const char *task) {
    mcp_writer w;
    const char *id = mcp__member(task, "taskId");
    mcp__buf_reset(&r->buf[MCP__OF_TASK], MCP__KEEP);
    mcp__writer_on(&w, &r->buf[MCP__OF_TASK]);
    mcp__put_json(&w, "taskId", id);
    int rc = mcp__json_type(id) == MCP_STRING ? mcp__writer_end(&w) : MCP_SYNTAX;
    if (rc == MCP_OK) mcp__task_rest(k, r, task);
    else mcp__request_fail(r, rc, rc == MCP_NOMEM ? mcp__status_text(rc) : "a task without an id");
}

/* What tasks/get said. */
MCP__PRIVATE void mcp__task_looked(mcp_client *k, mcp__request *r) {
    const char *status = mcp__member(r->result, "status");
    bool failed = mcp__says(status, "failed"), modern = k->version->modern;
    if (mcp__says(status, "cancelled"))
        mcp__request_fail(r, MCP_CANCELLED, "the task was cancelled");
    else if (modern && failed) {
        r->data = mcp__member(r->result, "error");
        r->code = (int)mcp__member_int(r->data, "code", MCP_INTERNAL_ERROR);
        mcp__request_end(r, MCP_REFUSED, "", mcp__member_text(r->data, "message"));
        r->data = mcp__member(r->data, "data");
    } else if (modern && mcp__says(status, "completed")) {
        r->errand = MCP__ITSELF;
        r->result = mcp__member(r->result, "result");
        if (mcp__json_type(r->result) == MCP_OBJECT) mcp__result_check(k, r);
        else mcp__request_fail(r, MCP_SYNTAX, "a task that ended without its result");
    } else if (modern && mcp__says(status, "input_required") &&
               mcp__json_first(mcp__member(r->result, "inputRequests"))) {
        r->stand = MCP__ASKED;
    } else if (!modern && (failed || mcp__says(status, "completed") ||
                           mcp__says(status, "input_required"))) {
        r->errand = MCP__TASK_RESULT; /* which asks on its way, and waits */
        r->stand = MCP__RESTING;
        r->go_ns = 0;
    } else mcp__task_rest(k, r, r->result);
}

/* ---- what an answer means ---- */

/* The newest version of a list that both sides speak; mask: of which era. */
MCP__PRIVATE const mcp__version *mcp__mutual(const mcp_client *k, const char *list, unsigned mask) {
    for (size_t i = 0; i < MCP__COUNT(mcp__versions); i++) {
        const mcp__version *v = &mcp__versions[i];
        if (!(v->bit & mask & k->desc.versions)) continue;
        for (const char *name = mcp__json_first(list); name; name = mcp__json_next(name))
            if (mcp__says(name, v->name)) return v;
    }
    return NULL;
}

/* The server does not speak this version: again with one that it does. */
MCP__PRIVATE bool mcp__other_version(mcp_client *k, mcp__request *r) {
    const char *list = mcp__member(r->data, "supported");
    const mcp__version *v = mcp__mutual(k, list, MCP__MODERN), *old = NULL;
    if (!v) old = mcp__mutual(k, list, MCP__LEGACY);
    if (++k->refusals > MCP__REFUSALS) return false;
    if (v) k->version = v;
    else if (old) k->met = MCP__APART, k->era = MCP__OLD_ERA;
    else return false;
    r->stand = MCP__QUEUED;
    return true;
}

MCP__PRIVATE void mcp__answer_error(mcp_client *k, mcp__request *r, const char *error) {
    int64_t code = mcp__member_int(error, "code", 0);
    mcp__str text = mcp__member_text(error, "message");
    r->data = mcp__member(error, "data");
    r->code = code > INT_MIN && code < INT_MAX ? (int)code : 0;
    const char *data = r->data;
    mcp__request_end(r, MCP_REFUSED, text.n ? "" : mcp__status_text(MCP_REFUSED), text);
    r->data = data;
    if (r->code == MCP__URL_REQUIRED && !r->visited && mcp__request_works(r) &&
        mcp__member(data, "elicitations") && !k->version->modern &&
        k->desc.can & MCP_CAN_ASK_URL) r->stand = MCP__ASKED;
    if (!k->version->modern || r->then) return;
    if (r->code == MCP__UNSUPPORTED_VERSION) mcp__other_version(k, r);
    if (r->code == MCP__HEADER_MISMATCH && k->manner->refresh && !r->refreshed)
        k->manner->refresh(k, r);
}

MCP__PRIVATE void mcp__answer_result(mcp_client *k, mcp__request *r) {
    const char *type = k->version->modern ? mcp__member(r->result, "resultType") : NULL;
    const char *task = mcp__member(r->result, "task");
    bool works = mcp__request_works(r);
    r->stand = MCP__OVER;
    if (r->errand == MCP__SUBSCRIBE) r->rounds++, r->stand = MCP__QUEUED;
    else if (r->errand == MCP__TASK_GET) mcp__task_looked(k, r);
    else if (r->errand == MCP__TASK_UPDATE) mcp__task_rest(k, r, r->result);
    else if (mcp__says(type, "input_required") && works && ++r->rounds < MCP__ROUNDS)
        r->stand = MCP__ASKED;
    else if (mcp__says(type, "task") && works && k->desc.can & MCP_CAN_TASKS)
        mcp__task_begun(k, r, r->result);
    else if (type && !mcp__says(type, "complete"))
        mcp__request_end(r, r->rounds == MCP__ROUNDS ? MCP_LIMIT : MCP_SYNTAX,
                         "a result of a type that cannot be: ",
                         mcp__member_text(r->result, "resultType"));
    else if (!k->version->modern && works && mcp__json_type(task) == MCP_OBJECT && !r->errand)
        mcp__task_begun(k, r, task);
    else if (r->all) mcp__paged(k, r);
    else if (works) mcp__result_check(k, r);
}

/* An answer is r's from now on; its members stay where they were in the message at text. */
MCP__PRIVATE void mcp__answered(mcp_client *k, mcp__request *r, const char *text, const char *end,
                                const mcp__top *top) {
    mcp__buf *b = &r->buf[MCP__OF_ANSWER];
    const char *result = top->member[MCP__RESULT], *error = top->member[MCP__ERROR];
    r->wire = 0;
    r->channel = NULL;
    mcp__buf_reset(b, MCP__KEEP);
    mcp__buf_add(b, "\0\0\0\0\0\0\0", MCP__PAD_BEFORE);
    mcp__buf_add(b, text, (size_t)(end - text));
    const char *copy = mcp__buf_json(b);
    if (!copy) {
        mcp__request_fail(r, MCP_NOMEM, mcp__status_text(MCP_NOMEM));
        return;
    }
    copy += MCP__PAD_BEFORE;
    if (mcp__json_type(error) == MCP_OBJECT && !result)
        mcp__answer_error(k, r, copy + (error - text));
    else if (mcp__json_type(result) == MCP_OBJECT && !error) {
        r->result = copy + (result - text);
        mcp__answer_result(k, r);
    } else mcp__request_fail(r, MCP_SYNTAX, "an answer with neither a result nor an error");
}

/* ---- messages ---- */

/* The one that waits, if there is one and no other. */
MCP__PRIVATE mcp__request *mcp__only_waiting(mcp_client *k) {
    mcp__request *only = NULL;
    for (mcp__request *r = k->requests; r; r = r->next) {
        if (!r->wire || r->patient) continue;
        if (only) return NULL;
        only = r;
    }
    return only;
}

/* What came is no message. Who alone waits for one hears of it; else it may be noise. */
MCP__PRIVATE void mcp__garbled(mcp_client *k, mcp__request *r, int status, const char *text,
                               mcp__str what) {
    mcp__client_warn(k, status, text, what);
    if (!r) r = mcp__only_waiting(k);
    if (r) mcp__request_end(r, status, text, what);
}

MCP__PRIVATE mcp__request *mcp__wire_request(mcp_client *k, const char *id) {
    mcp__num x;
    int64_t wire;
    mcp__request *r = k->requests;
    if (mcp__json_num(id, &x) || mcp__num_int(&x, &wire) || wire <= 0) return NULL;
    while (r && r->wire != wire) r = r->next;
    return r;
}

MCP__PRIVATE void mcp__list_stale(mcp_client *k, const char *method) {
    static const struct { const char *method; size_t first, n; } changes[] = {
        { "notifications/tools/list_changed", 0, 1 },
        { "notifications/prompts/list_changed", 1, 1 },
        { "notifications/resources/list_changed", 2, 2 } };
    for (size_t i = 0; i < MCP__COUNT(changes); i++)
        for (size_t j = 0; mcp__says(method, changes[i].method) && j < changes[i].n; j++)
            k->list[changes[i].first + j].until_ns = 0;
}

MCP__PRIVATE void mcp__client_hears(mcp_client *k, const char *method, const char *params) {
    if (mcp__says(method, "notifications/progress")) {
        int64_t now = mcp__client_now(k), id = mcp__member_int(params, "progressToken", 0);
        for (mcp__request *r = k->requests; r; r = r->next) {
            if (r->id != id || r->stand != MCP__SENT) continue;
            r->due_ns = now + k->desc.timeout_ms * 1000000;
            if (r->due_ns > r->until_ns) r->due_ns = r->until_ns;
        }
    }
    mcp__list_stale(k, method);
    size_t n;
    const char *name = mcp__json_text(method, &n);
    if (k->desc.notify.func && strlen(name) == n)
        k->desc.notify.func(k->desc.notify.user, name, (const mcp_json *)params);
}

/* A request or a notification, copied: while a hook looks at it, more may be fed. */
MCP__PRIVATE void mcp__client_told(mcp_client *k, const char *text, const char *end,
                                   const mcp__top *top) {
    const char *part[] = { top->member[MCP__ID], top->member[MCP__METHOD],
                           top->member[MCP__PARAMS] };
    mcp__buf_reset(&k->heard, MCP__KEEP);
    mcp__buf_add(&k->heard, "\0\0\0\0\0\0\0", MCP__PAD_BEFORE);
    mcp__buf_add(&k->heard, text, (size_t)(end - text));
    const char *copy = mcp__buf_json(&k->heard);
    if (!copy) {
        mcp__client_log(k, MCP_LOG_WARNING, MCP_NOMEM, mcp__status_text(MCP_NOMEM));
        return;
    }
    for (size_t i = 0; i < 3; i++)
        if (part[i]) part[i] = copy + MCP__PAD_BEFORE + (part[i] - text);
    if (!part[0]) mcp__client_hears(k, part[1], part[2]);
    else if (!k->version->modern) mcp__client_answer(k, part[0], part[1], part[2]);
    else mcp__client_log(k, MCP_LOG_WARNING, MCP_SYNTAX, "the server sent a request"); /* never */
}

/* One message. r: the request that it came for, as HTTP knows. */
MCP__PRIVATE void mcp__client_message(mcp_client *k, mcp__request *r, const char *text,
                                      const char *end, const mcp__top *top) {
    const char *id = top->member[MCP__ID], *method = top->member[MCP__METHOD];
    const mcp__str start = { text, (size_t)(end - text) };
    bool answer = top->member[MCP__RESULT] || top->member[MCP__ERROR];
    if (!mcp__says(top->member[MCP__JSONRPC], "2.0") || top->twice ||
        (method ? mcp__json_type(method) != MCP_STRING : !answer)) {
        mcp__garbled(k, r, MCP_SYNTAX, "the server sent what is no message: ", start);
        return;
    }
    if (method) {
        mcp__client_told(k, text, end, top);
        return;
    }
    mcp__request *to = mcp__wire_request(k, id);
    if (!to && top->member[MCP__ERROR] && (!id || mcp__json_type(id) == MCP_NULL))
        to = r ? r : mcp__only_waiting(k); /* it could not read the id */
    if (to) mcp__answered(k, to, text, end, top);
    else mcp__client_warn(k, MCP_OK, "an answer that nobody waits for: ", start);
}

/* A text of n bytes that should be a message, or an array of them; text[n] is ours. */
MCP__PRIVATE void mcp__client_text(mcp_client *k, mcp__request *r, char *text, size_t n) {
    mcp__top top;
    const char *error;
    int status = MCP_SYNTAX;
    const mcp__str whole = { text, n };
    text[n] = 0;
    const char *v = mcp__json_space(text), *stop = text + n;
    if (v == stop) return;
    mcp__wire_seen(k, false, v, (size_t)(stop - v));
    const char *end = mcp__json_check(v, k->desc.limits.depth, &top, &error, &status);
    if (!end || mcp__json_space(end) != stop) {
        if (*v == '{' || *v == '[' || r)
            mcp__garbled(k, r, status, status == MCP_LIMIT ? "the server's answer nests too deep: "
                                                           : "the server's answer is no JSON: ",
                         whole);
        else mcp__client_warn(k, status, "the server printed: ", whole);
    } else if (*v == '{') mcp__client_message(k, r, v, end, &top);
    else {
        for (v = mcp__json_first(v); v; v = mcp__json_next(v)) { /* 2025-03-26 batches */
            end = mcp__json_check(v, k->desc.limits.depth, &top, &error, &status);
            if (*v == '{') mcp__client_message(k, r, v, end, &top);
        }
    }
}

/* ---- lines ---- */

MCP__PRIVATE int mcp__lines_begin(mcp_client *k, mcp__buf *why) {
    int status = MCP_OK;
    if (!k->channels) mcp__channel_open(k, why, &status);
    return status;
}

MCP__PRIVATE int mcp__lines_send(mcp_client *k, mcp__request *r) {
    mcp__channel *h = k->channels;
    (void)r;
    if (!h || h->ended) return MCP_IO;
    if (!mcp__buf_reserve(&h->out, k->message.len + 1)) {
        h->out.status = MCP_OK; /* the others' messages are whole */
        return MCP_NOMEM;
    }
    mcp__buf_add(&h->out, k->message.ptr, k->message.len);
    mcp__buf_add(&h->out, "\n", 1);
    mcp__channel_flush(h);
    return MCP_OK; /* if it is broken, reading says more */
}

MCP__PRIVATE void mcp__lines_drop(mcp_client *k, mcp__request *r) {
    if (r->wire) mcp__client_notify(k, "notifications/cancelled", "requestId", r->wire,
                                    "nobody waits any more");
}

/* The channel is no more: who waits hears why, who comes next tries again. */
MCP__PRIVATE void mcp__lines_lost(mcp_client *k, mcp__channel *h) {
    mcp__buf why;
    int status = h->status ? h->status : MCP_IO;
    mcp__buf_init(&why, &k->mem);
    mcp__channel_close(h, &why);
    mcp__str more = { why.ptr, why.len };
    mcp__requests_end(k, MCP__SENT, status, status == MCP_NOMEM ? mcp__status_text(status)
                                            : "the server is gone", more);
    mcp__buf_free(&why);
    k->met = MCP__APART;
    k->lost = true;
    k->gone = !k->carrier->again;
}

/* The lines that are complete; at the end, what is left counts as one. */
MCP__PRIVATE bool mcp__lines_take(mcp_client *k) {
    mcp__channel *h = k->channels;
    const size_t max = k->desc.limits.message;
    bool any = false;
    while (h && h->in.len > h->at) {
        char *line = h->in.ptr + h->at, *end = h->in.ptr + h->in.len;
        char *lf = (char *)memchr(h->in.ptr + h->seen, '\n', h->in.len - h->seen);
        h->seen = h->in.len;
        size_t n = (size_t)((lf ? lf : end) - line);
        if (!h->skipping && n > max)
            mcp__garbled(k, NULL, MCP_LIMIT, "the server's answer is longer than the limit",
                         mcp__str_of(NULL));
        if (!lf && n > max) h->skipping = true, h->at = h->seen;
        if (!lf && !h->ended) break;
        h->at = h->seen = lf ? (size_t)(lf + 1 - h->in.ptr) : h->in.len;
        if (!h->begun) line = mcp__unmarked(line, &n);
        if (!h->skipping && n <= max) mcp__client_text(k, NULL, line, n);
        h->skipping = false;
        h->begun = any = true;
    }
    if (h && h->ended) {
        mcp__lines_lost(k, h);
        any = true;
    }
    return any;
}

/* Whatever it is, silence and an end of the program included: some cannot take a stranger. */
MCP__PRIVATE bool mcp__lines_older(const mcp__request *r) { return r->status != MCP_NOMEM; }

static const mcp__manner mcp__in_lines = { mcp__lines_begin, mcp__lines_send, mcp__lines_drop,
                                           mcp__lines_take, mcp__lines_older, NULL, NULL,
                                           NULL, NULL, NULL };

/* ---- meeting the server: PROTOCOL, client probe order ---- */

/* No server was met: all that wait for it hear why. */
MCP__PRIVATE void mcp__meeting_failed(mcp_client *k, const mcp__request *from) {
    for (mcp__request *r = k->requests; r; r = r->next)
        if (r->stand == MCP__QUEUED && !r->early) mcp__request_share(r, from);
    k->met = MCP__APART;
    k->era = MCP__NO_ERA;
}

/* Who answers, in one shape for both eras: what it said, and the version that is spoken. */
MCP__PRIVATE int mcp__server_note(mcp_client *k, const char *result) {
    static const char *const ours[] = { "protocolVersion", "resultType", "ttlMs", "cacheScope",
                                        "serverInfo" };
    const char *info = mcp__member(result, "serverInfo");
    mcp_writer w;
    if (!info) info = mcp__member(mcp__member(result, "_meta"), mcp__key_server);
    mcp__buf_reset(&k->server, MCP__KEEP);
    mcp__buf_add(&k->server, "\0\0\0\0\0\0\0", MCP__PAD_BEFORE);
    mcp__writer_on(&w, &k->server);
    mcp__put_obj(&w, NULL);
    mcp__put_str(&w, "protocolVersion", k->version->name);
    if (info) mcp__put_json(&w, "serverInfo", info);
    mcp__put_others(&w, result, ours, MCP__COUNT(ours));
    mcp__put_end(&w);
    int rc = mcp__writer_end(&w);
    return rc ? rc : mcp__buf_json(&k->server) ? MCP_OK : MCP_NOMEM;
}

MCP__PRIVATE const char *mcp__server_json(const mcp_client *k) {
    return k->server.len ? k->server.ptr + MCP__PAD_BEFORE : NULL;
}

/* A request of ours, which goes out at once. NULL: out of memory. */
MCP__PRIVATE mcp__request *mcp__our_request(mcp_client *k, const char *method,
                                            void (*then)(mcp_client *k, mcp__request *r)) {
    mcp__request *r = mcp__request_new(k, method);
    if (!r) return NULL;
    r->early = true;
    r->then = then;
    mcp__request_enter(k, r);
    return r;
}

MCP__PRIVATE void mcp__set_level_done(mcp_client *k, mcp__request *r) {
    if (r->status) mcp__client_log(k, MCP_LOG_WARNING, r->status, "the log level was not set");
}

MCP__PRIVATE void mcp__ignored(mcp_client *k, mcp__request *r) { (void)k, (void)r; }

/* Over HTTP what an older server tells or asks unasked has a stream of its own. */
MCP__PRIVATE void mcp__stand_by(mcp_client *k) {
    for (mcp__request *r = k->requests; r; r = r->next)
        if (r->standing) mcp__request_fail(r, MCP_OK, ""); /* the one of the session before */
    if (!k->manner->stand || !(k->desc.can || k->desc.notify.func)) return;
    mcp__request *r = mcp__our_request(k, "", mcp__ignored);
    if (!r) return;
    r->patient = r->standing = true;
    k->manner->stand(k, r);
}

/* A handshake was refused with newer versions: the server was slow to answer the probe. */
MCP__PRIVATE bool mcp__probe_again(mcp_client *k, const mcp__request *r) {
    if (r->code != MCP__UNSUPPORTED_VERSION || ++k->refusals > MCP__REFUSALS ||
        !mcp__mutual(k, mcp__member(r->data, "supported"), MCP__MODERN)) return false;
    k->era = MCP__NO_ERA;
    k->met = MCP__APART;
    return true;
}

MCP__PRIVATE void mcp__handshake_done(mcp_client *k, mcp__request *r) {
    const char *said = mcp__member(r->result, "protocolVersion");
    if (r->status == MCP_OK) {
        const mcp__version *v = mcp__version_named(k->desc.versions & MCP__LEGACY, said);
        if (v) k->version = v;
        else mcp__request_end(r, MCP_UNSUPPORTED, "the server speaks another version: ",
                              mcp__member_text(r->result, "protocolVersion"));
    }
    if (r->status == MCP_OK) r->status = mcp__server_note(k, r->result);
    if (r->status == MCP_OK)
        r->status = mcp__client_notify(k, "notifications/initialized", NULL, 0, NULL);
    if (r->status) {
        if (!mcp__probe_again(k, r) && !(k->manner->oldest && k->manner->oldest(k, r)))
            mcp__meeting_failed(k, r);
        return;
    }
    k->era = MCP__OLD_ERA;
    k->met = MCP__MET;
    mcp__stand_by(k);
    const char *can = mcp__member(mcp__server_json(k), "capabilities");
    if (!k->desc.log_level || !mcp__member(can, "logging")) return;
    mcp__request *level = mcp__our_request(k, "logging/setLevel", mcp__set_level_done);
    mcp_writer w;
    if (!level) return;
    mcp__writer_on(&w, &level->buf[MCP__OF_BASE]);
    mcp__put_str(&w, "level", mcp__levels[k->desc.log_level]);
    mcp__writer_end(&w);
}

/* initialize, with the newest version that has it. */
MCP__PRIVATE int mcp__handshake(mcp_client *k) {
    mcp__request *r = mcp__our_request(k, "initialize", mcp__handshake_done);
    mcp_writer w;
    if (!r) return MCP_NOMEM;
    k->version = mcp__version_latest(k->desc.versions);
    mcp__writer_on(&w, &r->buf[MCP__OF_BASE]);
    mcp__put_str(&w, "protocolVersion", k->version->name);
    mcp__put_can(&w, "capabilities", k);
    mcp__put_client(&w, "clientInfo", k);
    int rc = mcp__writer_end(&w);
    if (rc) mcp__request_fail(r, rc, mcp__status_text(rc));
    return MCP_OK;
}

/* Is this how a server answers that knows of requests without a handshake? */
MCP__PRIVATE bool mcp__modern_error(int code) {
    return code == MCP__UNSUPPORTED_VERSION || code == MCP__HEADER_MISMATCH ||
           code == MCP__MISSING_CAPABILITY;
}

MCP__PRIVATE void mcp__probed(mcp_client *k, mcp__request *r) {
    const bool speaks_old = mcp__version_latest(k->desc.versions) != NULL;
    const char *list = r->status ? mcp__member(r->data, "supported")
                                 : mcp__member(r->result, "supportedVersions");
    const mcp__version *v = mcp__mutual(k, list, MCP__MODERN);
    bool named = mcp__json_type(list) == MCP_ARRAY &&
                 (r->status == MCP_OK || r->code == MCP__UNSUPPORTED_VERSION);
    if (named && v && (!r->status || ++k->refusals <= MCP__REFUSALS)) {
        k->version = v;
        if (r->status) k->met = MCP__APART; /* again, in its words */
        else if ((r->status = mcp__server_note(k, r->result)) == MCP_OK) {
            k->era = MCP__NEW_ERA;
            k->met = MCP__MET;
            k->refusals = 0;
        } else mcp__meeting_failed(k, r);
    } else if (speaks_old && (named ? !v && mcp__mutual(k, list, MCP__LEGACY)
                                    : !r->status || (!mcp__modern_error(r->code) &&
                                                     k->manner->older(r)))) {
        k->era = MCP__OLD_ERA;
        k->met = MCP__APART; /* a program that ended over it is spawned again */
    } else {
        if (!r->status) mcp__request_fail(r, MCP_UNSUPPORTED, "no version is common");
        mcp__meeting_failed(k, r);
    }
}

/* The first request, or the first after the server was lost: meets it. */
MCP__PRIVATE int mcp__meet_as(mcp_client *k, mcp__buf *why) {
    const mcp__version *v = mcp__versions;
    int rc = k->gone ? MCP_IO : k->manner->begin(k, why);
    if (rc < 0) return rc;
    k->lost = false;
    k->met = MCP__MEETING;
    if (rc == MCP_PENDING) return MCP_OK; /* it says when to go on */
    while (v->modern && !(v->bit & k->desc.versions)) v++;
    if (!v->modern || k->era == MCP__OLD_ERA) return mcp__handshake(k);
    if (k->era == MCP__NEW_ERA) k->met = MCP__MET;
    else if (!k->version || !k->version->modern) k->version = v;
    return k->era == MCP__NEW_ERA || mcp__our_request(k, "server/discover", mcp__probed)
               ? MCP_OK : MCP_NOMEM;
}

MCP__PRIVATE void mcp__meet(mcp_client *k) {
    mcp__request none; /* whose failure all will share */
    memset(&none, 0, sizeof none);
    mcp__buf *why = &none.buf[MCP__OF_WHY];
    mcp__buf_init(why, &k->mem);
    none.status = mcp__meet_as(k, why);
    mcp__buf_add(why, "", 1);
    if (none.status) mcp__meeting_failed(k, &none);
    mcp__buf_free(why);
}

/* ---- HTTP: each message is a request of its own, on a channel that is free or a new one ----
   An answer is one JSON text or a stream of events. A stream that an older server cuts is asked for
   again; by one that no message of ours began it tells things unasked. The oldest servers have only
   that stream, and say in it where to post. */

#ifndef MCP_NO_HTTP

MCP__PRIVATE void mcp__head_line(mcp__buf *b, const char *key, mcp__str value) {
    mcp__adds(b, key);
    mcp__adds(b, ": ");
    mcp__add(b, value);
    mcp__adds(b, "\r\n");
}

/* A text that a header cannot hold as it is goes as base64 (2026-07-28 streamable-http). */
MCP__PRIVATE void mcp__head_text(mcp__buf *b, const char *key, mcp__str value) {
    static const char before[] = "=?base64?", after[] = "?=";
    const size_t n = value.n;
    bool plain = !n || (value.s[0] != ' ' && value.s[n - 1] != ' ');
    for (size_t i = 0; plain && i < n; i++) plain = value.s[i] >= ' ' && value.s[i] <= '~';
    if (n >= 11 && !memcmp(value.s, before, 9) && !memcmp(value.s + n - 2, after, 2)) plain = false;
    if (plain) {
        mcp__head_line(b, key, value);
        return;
    }
    mcp__adds(b, key);
    mcp__adds(b, ": ");
    mcp__adds(b, before);
    if (mcp__buf_reserve(b, n / 3 * 4 + 8))
        b->len += mcp__base64_encode(b->ptr + b->len, value.s, n);
    mcp__adds(b, after);
    mcp__adds(b, "\r\n");
}

/* Mcp-Param-*: the arguments that the tool's schema wants to see there, however deep. */
MCP__PRIVATE void mcp__head_params(mcp__buf *b, const char *schema, const char *args) {
    const char *members = mcp__member(schema, "properties");
    for (const char *m = mcp__json_first(members); m && args; m = mcp__json_next(m)) {
        const char *header = mcp__member(m, "x-mcp-header"), *v = NULL;
        char name[160] = "Mcp-Param-", digits[24];
        mcp__str value, key;
        mcp__num x;
        int64_t whole;
        size_t n;
        for (const char *a = mcp__json_first(args); a; a = mcp__json_next(a))
            if (mcp__json_compare_keys(mcp__json_key(a), mcp__json_key(m)) == 0) v = a;
        mcp__head_params(b, m, v);
        key.s = mcp__json_text(header, &key.n);
        if (!key.s || key.n > sizeof name - 11 || strlen(key.s) != key.n) continue;
        strcat(name, key.s);
        if ((value.s = mcp__json_text(v, &n)) != NULL) value.n = n;
        else if (mcp__json_num(v, &x) == MCP_OK && mcp__num_int(&x, &whole) == MCP_OK) {
            *mcp__print_int(digits, whole) = 0;
            value = mcp__str_of(digits);
        } else if (mcp__json_type(v) == MCP_BOOLEAN || mcp__json_type(v) == MCP_NUMBER)
            value = mcp__token(v);
        else continue;
        mcp__head_text(b, name, value);
    }
}

MCP__PRIVATE void mcp__head_modern(mcp_client *k, mcp__request *r, mcp__buf *b) {
    const char *method = mcp__request_method(r);
    mcp__head_line(b, "Mcp-Method", mcp__str_of(method));
    const char *message = mcp__buf_json(&k->message), *params = NULL;
    if (message) params = mcp__member(message, "params");
    for (size_t i = 0; i < MCP__COUNT(mcp__named_methods); i++)
        if (strcmp(method, mcp__named_methods[i].method) == 0)
            mcp__head_text(b, "Mcp-Name", mcp__member_text(params, mcp__named_methods[i].by));
    const char *tool = r->errand ? NULL : mcp__known_tool(k, r);
    if (tool)
        mcp__head_params(b, mcp__member(tool, "inputSchema"), mcp__member(params, "arguments"));
    if (message) mcp__json_raw(message); /* what was looked at is as it was */
}

/* The author's own, but for what would be more than a header. */
MCP__PRIVATE void mcp__head_own(mcp_client *k, mcp__buf *b) {
    for (const mcp_attr *h = k->desc.headers; h && h->key; h++) {
        const char *value = h->value ? h->value : "";
        size_t n = mcp__token_size(h->key);
        if (!n || h->key[n] || strpbrk(value, "\r\n"))
            mcp__client_warn(k, MCP_MISUSE, "this is no header: ", mcp__str_of(h->key));
        else mcp__head_line(b, h->key, mcp__str_of(value));
    }
}

/* Writes a request: method, and with a body k->message. r: whose it is, or NULL. */
MCP__PRIVATE int mcp__web_write(mcp_client *k, mcp__channel *h, mcp__request *r, const char *method,
                                bool body) {
    mcp__buf *b = &h->out;
    char digits[24];
    bool greets = r && strcmp(mcp__request_method(r), "initialize") == 0;
    const char *target = body && k->post.len ? k->post.ptr : k->target;
    const char *const part[] = { method, " ", target, " HTTP/1.1\r\nHost: ", k->authority, "\r\n" };
    for (size_t i = 0; i < MCP__COUNT(part); i++) mcp__adds(b, part[i]);
    if (body) mcp__head_line(b, "Content-Type", mcp__str_of("application/json"));
    mcp__head_line(b, "Accept", mcp__str_of(body ? "application/json, text/event-stream"
                                                 : "text/event-stream"));
    if (!greets) mcp__head_line(b, mcp__header_version, mcp__str_of(k->version->name));
    if (r && body && k->version->modern) mcp__head_modern(k, r, b);
    if (!greets && k->session.len) mcp__head_line(b, "Mcp-Session-Id", mcp__str_of(k->session.ptr));
    if (r && !body && r->buf[MCP__OF_EVENT].len) {
        const mcp__str last = { r->buf[MCP__OF_EVENT].ptr, r->buf[MCP__OF_EVENT].len };
        mcp__head_line(b, "Last-Event-ID", last);
    }
    mcp__head_own(k, b);
    if (body) {
        *mcp__print_int(digits, (int64_t)k->message.len) = 0;
        mcp__head_line(b, "Content-Length", mcp__str_of(digits));
    }
    mcp__adds(b, "\r\n");
    if (body) mcp__buf_add(b, k->message.ptr, k->message.len);
    return b->status;
}

/* Sends a request whose answer comes on a channel of its own. */
MCP__PRIVATE int mcp__web_ask(mcp_client *k, mcp__request *r, const char *method, bool body) {
    mcp__buf why;
    mcp__channel *h = k->channels;
    int rc = MCP_OK;
    mcp__buf_init(&why, &k->mem);
    while (h && (h->wire.busy || h->ended || h->status)) h = h->next;
    if (!h) h = mcp__channel_open(k, &why, &rc);
    if (h) {
        memset(&h->wire, 0, sizeof h->wire);
        h->wire.busy = h->quiet = true;
        h->events = h->json = h->after_cr = h->begun = false;
        h->code = 0;
        h->request = r;
        *h->event = 0;
        mcp__buf_reset(&h->body, MCP__KEEP);
        mcp__buf_reset(&h->line, MCP__KEEP);
        if (r) r->channel = h;
        rc = mcp__web_write(k, h, r, method, body);
        if (rc) mcp__channel_close(h, NULL);
        else mcp__channel_flush(h);
    } else if (r && why.len) {
        mcp__str text = { why.ptr, why.len };
        mcp__request_end(r, rc, "", text);
    }
    mcp__buf_free(&why);
    return rc;
}

MCP__PRIVATE int mcp__web_send(mcp_client *k, mcp__request *r) {
    return mcp__web_ask(k, r, "POST", true);
}

/* A stream of r's, or what was cut of it. */
MCP__PRIVATE void mcp__web_get(mcp_client *k, mcp__request *r) {
    r->stand = MCP__SENT;
    if (k->sse) return; /* there is one already */
    int rc = mcp__web_ask(k, r, "GET", false);
    if (rc && r->stand == MCP__SENT) mcp__request_fail(r, rc, mcp__status_text(rc));
}

/* Who hangs up on a modern server cancels; an older one is told. */
MCP__PRIVATE void mcp__web_drop(mcp_client *k, mcp__request *r) {
    if (r->channel) mcp__channel_close(r->channel, NULL);
    if (r->wire && !k->version->modern)
        mcp__client_notify(k, "notifications/cancelled", "requestId", r->wire,
                           "nobody waits any more");
}

/* ---- what a stream's events hold ---- */

/* Who waits for what comes here, or NULL. */
MCP__PRIVATE mcp__request *mcp__web_waiting(const mcp__channel *h) {
    mcp__request *r = h->request;
    return r && r->channel == h && r->stand == MCP__SENT ? r : NULL;
}

/* The oldest servers say where to post: a path, or a URL that begins as ours does. */
MCP__PRIVATE void mcp__event_endpoint(mcp_client *k, mcp__channel *h, mcp__str where) {
    mcp__request *r = h->request;
    const char *url = k->desc.url, *path = strstr(url, "://") + 3;
    size_t origin = (size_t)(path - url) + strcspn(path, "/?#");
    if (!r || !k->sse || k->post.len) return;
    if (where.n > origin && !memcmp(where.s, url, origin) && where.s[origin] == '/')
        where.s += origin, where.n -= origin;
    bool ok = where.n && where.s[0] == '/' && !(where.n > 1 && where.s[1] == '/');
    for (size_t i = 0; i < where.n; i++) ok = ok && where.s[i] > ' ' && where.s[i] <= '~';
    mcp__buf_reset(&k->post, 0);
    if (!ok) mcp__request_end(r, MCP_REFUSED, "the server wants posts elsewhere: ", where);
    else if (mcp__buf_add(&k->post, where.s, where.n) && mcp__buf_add(&k->post, "", 1))
        mcp__request_fail(r, MCP_OK, "");
    else {
        mcp__buf_reset(&k->post, 0);
        mcp__request_fail(r, MCP_NOMEM, mcp__status_text(MCP_NOMEM));
    }
}

/* An empty line: the event is whole. */
MCP__PRIVATE void mcp__event_end(mcp_client *k, mcp__channel *h) {
    mcp__buf *data = &h->body;
    mcp__request *r = mcp__web_waiting(h);
    const mcp__str text = { data->ptr, data->len ? data->len - 1 : 0 };
    if (data->len && strcmp(h->event, "endpoint") == 0) mcp__event_endpoint(k, h, text);
    else if (data->len && (!*h->event || strcmp(h->event, "message") == 0)) {
        if (mcp__buf_json(data)) mcp__client_text(k, r && !r->standing ? r : NULL,
                                                   data->ptr, text.n);
        else h->status = MCP_NOMEM;
    }
    mcp__buf_reset(data, MCP__KEEP);
    *h->event = 0;
}

MCP__PRIVATE void mcp__event_line(mcp_client *k, mcp__channel *h) {
    mcp__str line = { h->line.ptr, h->line.len }, value;
    const char *colon = line.n ? (const char *)memchr(line.s, ':', line.n) : NULL;
    mcp__request *r = mcp__web_waiting(h);
    if (!h->begun) line.s = mcp__unmarked(h->line.ptr, &line.n);
    h->begun = true;
    value.s = colon ? colon + 1 : "";
    value.n = colon ? line.n - (size_t)(colon + 1 - line.s) : 0;
    mcp__str name = { line.s, colon ? (size_t)(colon - line.s) : line.n };
    if (value.n && *value.s == ' ') value.s++, value.n--;
    if (!line.n) mcp__event_end(k, h);
    else if (mcp__str_same(name, mcp__str_of("data"))) {
        mcp__add(&h->body, value);
        mcp__adds(&h->body, "\n");
    } else if (mcp__str_same(name, mcp__str_of("event"))) {
        size_t n = mcp__min(value.n, sizeof h->event - 1);
        memcpy(h->event, value.s, n);
        h->event[n] = 0;
    } else if (mcp__str_same(name, mcp__str_of("id")) && r && value.n <= 1024) {
        mcp__buf_reset(&r->buf[MCP__OF_EVENT], MCP__KEEP);
        if (!value.n || !memchr(value.s, 0, value.n)) mcp__add(&r->buf[MCP__OF_EVENT], value);
        r->fruitless = 0;
    } else if (mcp__str_same(name, mcp__str_of("retry")) && value.n && value.n < 9) {
        int64_t ms = 0;
        for (size_t i = 0; i < value.n && ms >= 0; i++)
            ms = mcp__is_digit(value.s[i]) ? ms * 10 + (value.s[i] - '0') : -1;
        if (r && ms >= 0) r->retry_ms = ms + 1;
    }
}

/* A piece of a stream; its lines end with CR, LF or both. */
MCP__PRIVATE void mcp__web_events(mcp_client *k, mcp__channel *h, const char *p, size_t n) {
    const char *end = p + n;
    while (p < end && !h->status) {
        const char *q = p;
        bool second = h->after_cr && *p == '\n';
        h->after_cr = false;
        if (second && p++) continue;
        while (q < end && *q != '\r' && *q != '\n') q++;
        mcp__buf_add(&h->line, p, (size_t)(q - p));
        if (q < end) {
            h->after_cr = *q++ == '\r';
            mcp__event_line(k, h);
            mcp__buf_reset(&h->line, MCP__KEEP);
        }
        p = q;
        if (h->line.len + h->body.len > k->desc.limits.message) h->status = MCP_LIMIT;
        if (h->line.status || h->body.status) h->status = MCP_NOMEM;
    }
}

/* ---- answers, in bytes: RFC 9112 ---- */

/* "HTTP/1.1 200 OK"; 0: it is none. */
MCP__PRIVATE int mcp__status_line(mcp__wire *w, const char *line) {
    int code = 0;
    if (strncmp(line, "HTTP/1.", 7) != 0 || !mcp__is_digit(line[7]) || line[8] != ' ') return 0;
    for (int i = 9; i < 12; i++) {
        if (!mcp__is_digit(line[i])) return 0;
        code = code * 10 + (line[i] - '0');
    }
    w->old = line[7] == '0';
    w->keep = !w->old;
    return line[12] && line[12] != ' ' ? 0 : code;
}

MCP__PRIVATE void mcp__web_session(mcp_client *k, const char *id) {
    size_t n = 0;
    while (id[n] > ' ' && id[n] <= '~') n++;
    mcp__buf_reset(&k->session, MCP__KEEP);
    if (n && !id[n]) mcp__buf_add(&k->session, id, n + 1);
}

/* One field, NUL-terminated. */
MCP__PRIVATE void mcp__web_field(mcp_client *k, mcp__channel *h, const mcp_attr *a) {
    const mcp__request *r = h->request;
    const mcp__str value = mcp__str_of(a->value);
    mcp__str type = value;
    if (mcp__same_name(a->key, "Content-Type")) {
        type.n = strcspn(type.s, "; \t");
        h->events = mcp__str_like(type, mcp__str_of("text/event-stream")) && h->code == 200;
        h->json = mcp__str_like(type, mcp__str_of("application/json"));
    } else if (mcp__same_name(a->key, "Mcp-Session-Id") && r && h->code < 300 &&
               strcmp(mcp__request_method(r), "initialize") == 0) mcp__web_session(k, a->value);
    else if (mcp__same_name(a->key, "WWW-Authenticate") || mcp__same_name(a->key, "Location"))
        h->note = mcp__shown(value.s, value.n);
}

/* A head of n bytes, with the line end of its last field. false: it is none. */
MCP__PRIVATE bool mcp__web_head(mcp_client *k, mcp__channel *h, const char *p, size_t n) {
    mcp__wire *w = &h->wire;
    size_t length = 0;
    bool sized = false, first = true;
    h->note.n = 0;
    h->code = 0;
    w->phase = MCP__HEAD;
    mcp__buf_reset(&h->head, MCP__KEEP);
    if (!mcp__buf_add(&h->head, p, n) || !mcp__buf_add(&h->head, "", 1)) return false;
    for (char *line = h->head.ptr, *lf; (lf = strchr(line, '\n')) != NULL; first = false) {
        mcp_attr field;
        *lf = 0;
        if (lf > line && lf[-1] == '\r') lf[-1] = 0;
        if (first && !(h->code = mcp__status_line(w, line))) return false;
        if (!first && mcp__wire_field(w, line, &field, &length, &sized)) return false;
        if (!first) mcp__web_field(k, h, &field);
        line = lf + 1;
    }
    w->left = length;
    if (first || (sized && w->phase == MCP__CHUNK_SIZE)) return false;
    if (h->code < 200) return true; /* more will come */
    if (w->phase == MCP__HEAD) w->phase = MCP__BODY;
    else w->left = 0;
    if (w->phase == MCP__BODY && !sized && h->code != 204) {
        w->left = SIZE_MAX; /* up to its end */
        w->keep = false;
    }
    return true;
}

/* The content goes on. */
MCP__PRIVATE void mcp__web_content(mcp_client *k, mcp__channel *h, const char *p, size_t n) {
    if (h->events) mcp__web_events(k, h, p, n);
    else if (n > k->desc.limits.message - h->body.len) h->status = MCP_LIMIT;
    else if (!mcp__buf_add(&h->body, p, n)) h->status = MCP_NOMEM;
}

/* The server has forgotten the session: once more from the start. */
MCP__PRIVATE bool mcp__web_renew(mcp_client *k, mcp__channel *h, mcp__request *r) {
    if (h->code != 404 || !k->session.len || k->version->modern || r->renewed || r->then)
        return false;
    mcp__buf_reset(&k->session, MCP__KEEP);
    r->renewed = true;
    r->stand = MCP__QUEUED;
    r->wire = 0;
    if (k->met == MCP__MET) k->met = MCP__APART;
    return true;
}

/* What an answer means that came to its end without the message that r waits for. */
MCP__PRIVATE void mcp__web_refused(mcp_client *k, mcp__channel *h, mcp__request *r) {
    char text[64] = "the server answered with HTTP status ";
    mcp__str note = h->note;
    if (r->standing) {
        mcp__request_fail(r, MCP_OK, ""); /* it does not tell things */
    } else if (h->code >= 200 && h->code < 300) {
        if (!k->sse || h->code != 202)
            mcp__request_fail(r, MCP_SYNTAX, "the answer holds no response to the request");
    } else {
        *mcp__print_int(text + strlen(text), h->code) = 0;
        if (note.n) strcat(text, ": ");
        mcp__request_end(r, MCP_REFUSED, text, note);
    }
    if (r->stand == MCP__OVER) r->http = h->code;
}

/* A stream of r's was cut: it goes on where it was, if the server can do that. */
MCP__PRIVATE void mcp__web_cut(mcp_client *k, mcp__request *r) {
    bool resumes = r->standing || (r->buf[MCP__OF_EVENT].len && !k->version->modern);
    if (resumes && r->fruitless++ < MCP__FRUITLESS) {
        int64_t ms = r->retry_ms ? r->retry_ms - 1 : (int64_t)MCP__REST_MS;
        if (ms < MCP__LULL_MS) ms = MCP__LULL_MS;
        r->stand = MCP__RESTING;
        r->go_ns = mcp__client_now(k) + ms * 1000000;
    } else mcp__request_fail(r, MCP_IO, "the stream ended before the answer");
}

/* An error's body may say more than its status, by whatever id. true: it did. */
MCP__PRIVATE bool mcp__web_error(mcp_client *k, mcp__channel *h, mcp__request *r) {
    mcp__top top;
    const char *error;
    int status;
    const char *v = mcp__json_space(h->body.ptr);
    const char *end = mcp__json_check(v, k->desc.limits.depth, &top, &error, &status);
    if (!end || *v != '{' || !top.member[MCP__ERROR]) return false;
    mcp__answered(k, r, v, end, &top);
    if (r->stand == MCP__OVER) r->http = h->code;
    return true;
}

/* An answer is whole. */
MCP__PRIVATE void mcp__web_done(mcp_client *k, mcp__channel *h) {
    mcp__request *r = mcp__web_waiting(h);
    h->wire.busy = false;
    h->used = true;
    h->request = NULL;
    if (!r) return;
    r->channel = NULL;
    if (h->events) {
        mcp__web_cut(k, r);
        return;
    }
    if (!mcp__buf_json(&h->body)) {
        mcp__request_fail(r, MCP_NOMEM, mcp__status_text(MCP_NOMEM));
        return;
    }
    const int64_t wire = r->wire;
    if (mcp__web_renew(k, h, r)) return;
    if (h->code >= 300 ? !mcp__web_error(k, h, r) : !h->body.len) mcp__web_refused(k, h, r);
    else if (h->code < 300) {
        mcp__client_text(k, r, h->body.ptr, h->body.len);
        if (r->wire == wire) mcp__web_refused(k, h, r);
    }
}

/* A line of what frames chunks, without its end; NULL: it is not here, or too long. */
MCP__PRIVATE char *mcp__web_line(mcp__channel *h, size_t *n) {
    char *p = h->in.ptr + h->at, *lf = (char *)memchr(p, '\n', h->in.len - h->at);
    if (!lf && h->in.len - h->at > 4096) h->status = MCP_SYNTAX;
    if (!lf) return NULL;
    *n = (size_t)(lf - p);
    h->at += *n + 1;
    if (*n && p[*n - 1] == '\r') --*n;
    return p;
}

/* The size of a chunk, or what stands between and behind them. */
MCP__PRIVATE void mcp__web_chunk(mcp__channel *h, const char *p, size_t n, bool *over) {
    mcp__wire *w = &h->wire;
    size_t i, size = 0;
    if (w->phase == MCP__CHUNK_END) {
        w->phase = MCP__CHUNK_SIZE;
        if (n) h->status = MCP_SYNTAX;
    } else if (w->phase == MCP__TRAILER) *over = !n;
    else {
        for (i = 0; i < n && (mcp__byte(p[i]) & MCP__HEX) && size <= SIZE_MAX >> 8; i++)
            size = size << 4 |
                   (size_t)(mcp__is_digit(p[i]) ? p[i] - '0' : (p[i] | 0x20) - 'a' + 10);
        if (!i || (i < n && p[i] != ';' && p[i] != ' ')) h->status = MCP_SYNTAX;
        w->left = size;
        w->phase = size ? MCP__CHUNK_DATA : MCP__TRAILER;
    }
}

/* The head, if its empty line is here. */
MCP__PRIVATE bool mcp__web_step_head(mcp_client *k, mcp__channel *h) {
    char *p = h->in.ptr + h->at, *end = h->in.ptr + h->in.len;
    for (char *lf = p; (lf = (char *)memchr(lf, '\n', (size_t)(end - lf))) != NULL; lf++) {
        size_t gap = lf + 1 < end && lf[1] == '\n' ? 1 : lf + 2 < end && lf[1] == '\r' &&
                                                         lf[2] == '\n' ? 2 : 0;
        if (!gap) continue;
        h->at = (size_t)(lf + 1 - h->in.ptr) + gap;
        if (!mcp__web_head(k, h, p, (size_t)(lf + 1 - p))) h->status = MCP_SYNTAX;
        return true;
    }
    if ((size_t)(end - p) > k->desc.limits.header) h->status = MCP_LIMIT;
    return false;
}

/* As much of an answer as is here; false: more must come. */
MCP__PRIVATE bool mcp__web_step(mcp_client *k, mcp__channel *h) {
    mcp__wire *w = &h->wire;
    bool over = false;
    size_t here = h->in.len - h->at, n;
    if (here) h->quiet = false;
    if (w->phase == MCP__HEAD) {
        if (!here || !mcp__web_step_head(k, h)) return false;
        over = w->phase == MCP__BODY && !w->left;
    } else if (w->phase == MCP__BODY || w->phase == MCP__CHUNK_DATA) {
        n = mcp__min(here, w->left);
        if (!n) return false;
        const char *p = h->in.ptr + h->at;
        h->at += n;
        if (w->left != SIZE_MAX) w->left -= n;
        mcp__web_content(k, h, p, n);
        over = !w->left && w->phase == MCP__BODY;
        if (!w->left && !over) w->phase = MCP__CHUNK_END;
    } else {
        char *line = mcp__web_line(h, &n);
        if (!line) return false;
        mcp__web_chunk(h, line, n, &over);
    }
    if (over && !h->status) mcp__web_done(k, h);
    return true;
}

/* A connection ended, or nobody wants more of it. */
MCP__PRIVATE void mcp__web_lost(mcp_client *k, mcp__channel *h) {
    mcp__request *r;
    mcp__buf why;
    const bool cut = h->events, again = h->used && h->quiet && !h->status;
    const int status = h->status ? h->status : MCP_IO;
    const bool stream = h->stream_of_all, met = h->connected;
    mcp__buf_init(&why, &k->mem);
    if (h->wire.busy && h->wire.left == SIZE_MAX && !h->status && h->code) mcp__web_done(k, h);
    r = mcp__web_waiting(h);
    mcp__channel_close(h, &why);
    mcp__str more = { why.ptr, why.len };
    if (stream && k->post.len) { /* all answers came there */
        mcp__requests_end(k, MCP__SENT, MCP_IO, "the server's stream ended", more);
        mcp__buf_reset(&k->post, 0);
        k->met = MCP__APART;
    } else if (r) {
        if (again && !r->again) { /* it was closed while we were writing */
            r->again = true;
            r->wire = 0;
            r->stand = MCP__QUEUED;
        } else if (cut && status == MCP_IO) mcp__web_cut(k, r);
        else
            mcp__request_end(r, status, status == MCP_IO && !met ? "the server cannot be reached"
                             : status == MCP_IO ? "the server hung up"
                             : status == MCP_LIMIT ? "the server's answer is beyond the limit"
                             : status == MCP_SYNTAX ? "the server's answer is no HTTP"
                             : mcp__status_text(status), more);
    }
    mcp__buf_free(&why);
}

MCP__PRIVATE bool mcp__web_take(mcp_client *k) {
    for (mcp__channel *h = k->channels; h; h = h->next) {
        bool any = false;
        while (h->wire.busy && !h->status && mcp__web_step(k, h)) any = true;
        bool idle = !h->wire.busy, waits = mcp__web_waiting(h) != NULL;
        if (h->ended || h->status || (idle && (!h->wire.keep || h->at < h->in.len)) ||
            (!idle && h->events && !waits && !h->stream_of_all)) {
            mcp__web_lost(k, h);
            return true;
        }
        if (any) return true;
    }
    return false;
}

/* ---- what only HTTP has ---- */

/* An old server knows nothing of a request without a handshake; a web server that is none of ours
   or is in trouble is not an old one. */
MCP__PRIVATE bool mcp__web_older(const mcp__request *r) {
    return r->status == MCP_REFUSED && r->http != 401 && r->http != 403 && r->http < 500;
}

MCP__PRIVATE void mcp__refreshed(mcp_client *k, mcp__request *list) {
    (void)list;
    for (mcp__request *r = k->requests; r; r = r->next)
        if (r->stand == MCP__RESTING && r->refreshed) r->go_ns = 0;
}

/* Its headers were not what the tool's schema wants: the schema is asked for again. */
MCP__PRIVATE void mcp__web_refresh(mcp_client *k, mcp__request *r) {
    mcp__request *list = mcp__our_request(k, "tools/list", mcp__refreshed);
    if (!list) return;
    list->all = true;
    r->refreshed = true;
    r->stand = MCP__RESTING;
    r->go_ns = INT64_MAX;
}

MCP__PRIVATE void mcp__endpoint_found(mcp_client *k, mcp__request *r) {
    if (r->status) {
        k->sse = false;
        mcp__meeting_failed(k, r);
    } else k->met = MCP__APART; /* and now the handshake */
}

/* Of the oldest kind the stream comes first, and says where to post. */
MCP__PRIVATE int mcp__web_begin(mcp_client *k, mcp__buf *why) {
    (void)why;
    if (!k->sse || k->post.len) return MCP_OK;
    mcp__request *r = mcp__our_request(k, "", mcp__endpoint_found);
    if (!r) return MCP_NOMEM;
    r->stand = MCP__SENT;
    r->due_ns = mcp__client_now(k) + k->desc.timeout_ms * 1000000;
    int rc = mcp__web_ask(k, r, "GET", false);
    if (r->channel) r->channel->stream_of_all = true;
    if (rc && r->stand == MCP__SENT) mcp__request_fail(r, rc, mcp__status_text(rc));
    return MCP_PENDING;
}

/* Where nothing can be posted there may be the oldest kind of server: its stream says more. */
MCP__PRIVATE bool mcp__web_oldest(mcp_client *k, const mcp__request *failed) {
    if (k->sse || failed->http < 400 || failed->http >= 500 || failed->http == 401 ||
        failed->http == 403 || mcp__modern_error(failed->code)) return false;
    k->sse = true;
    k->era = MCP__OLD_ERA;
    k->met = MCP__APART;
    return true;
}

/* The session ends; an answer is waited for, but not for long. */
MCP__PRIVATE void mcp__web_end(mcp_client *k) {
    if (!k->session.len || mcp__web_ask(k, NULL, "DELETE", false)) return;
    int64_t until = mcp__client_now(k) + MCP__BYE_MS * INT64_C(1000000);
    for (mcp__channel *h = k->channels; h && h->wire.busy && mcp__client_now(k) < until;) {
        k->carrier->turn(k, MCP__BYE_MS / 10);
        while (mcp__web_take(k)) continue;
        for (h = k->channels; h && !h->wire.busy;) h = h->next;
    }
}

static const mcp__manner mcp__in_http = {
    mcp__web_begin, mcp__web_send, mcp__web_drop, mcp__web_take, mcp__web_older, mcp__web_refresh,
    mcp__web_get, mcp__web_get, mcp__web_oldest, mcp__web_end };

#endif /* MCP_NO_HTTP */

/* ---- what follows ---- */

/* What follows from one request of ours that is over; false: there is none. */
MCP__PRIVATE bool mcp__client_follow(mcp_client *k) {
    mcp__request *r = k->requests;
    while (r && !(r->stand == MCP__OVER && r->then)) r = r->next;
    if (!r) return false;
    mcp__request_leave(k, r);
    r->then(k, r);
    mcp__request_free(k, r);
    return true;
}

/* One that rested: its answer is asked for again, or its next message goes out. */
MCP__PRIVATE void mcp__go_on(mcp_client *k, mcp__request *r) {
    r->stand = r->wire ? MCP__SENT : MCP__QUEUED;
    if (r->wire || r->standing) k->manner->resume(k, r);
}

/* One step for one request; false: there is none to be taken. */
MCP__PRIVATE bool mcp__client_step(mcp_client *k) {
    int64_t now = 0;
    for (mcp__request *r = k->requests; r; r = r->next) {
        if (r->stand == MCP__RESTING && r->go_ns && !now) now = mcp__client_now(k);
        if (r->stand == MCP__ASKED && r->status) mcp__client_visit(k, r);
        else if (r->stand == MCP__ASKED) mcp__client_answer_all(k, r);
        else if (r->stand == MCP__RESTING && r->go_ns <= now) mcp__go_on(k, r);
        else if (r->stand == MCP__QUEUED && (k->met == MCP__MET || (r->early && k->met)))
            mcp__transmit(k, r);
        else if (r->stand == MCP__QUEUED && k->met == MCP__APART) mcp__meet(k);
        else continue;
        return true;
    }
    return false;
}

/* Takes in what is here, and does what follows from it, until there is no more to do. */
MCP__PRIVATE void mcp__client_settle(mcp_client *k) {
    if (k->busy) return;
    k->busy = true;
    while (k->manner->take(k) || mcp__client_follow(k) || mcp__client_step(k)) continue;
    k->busy = false;
}

/* Nobody waits any longer: the server is told, the author learns why. */
MCP__PRIVATE void mcp__request_expire(mcp_client *k, mcp__request *r) {
    const bool was_busy = k->busy;
    char ms[32];
    memcpy(mcp__print_int(ms, k->desc.timeout_ms), " ms", 4);
    k->busy = true;
    if (!r->early) k->manner->drop(k, r);
    k->busy = was_busy;
    mcp__request_end(r, MCP_CANCELLED, "no answer within ", mcp__str_of(ms));
}

/* Who waited long enough is told; when the next one has: in so many ns; below 0: nobody waits. */
MCP__PRIVATE int64_t mcp__client_expire(mcp_client *k) {
    int64_t next = -1, now = mcp__client_now(k);
    for (mcp__request *r = k->requests; r; r = r->next) {
        bool waits = (r->stand == MCP__SENT || (r->stand == MCP__RESTING && r->wire)) &&
                     !r->patient && k->desc.timeout_ms > 0;
        if (waits && r->due_ns <= now) mcp__request_expire(k, r);
        int64_t at = waits ? r->due_ns : INT64_MAX;
        if (r->stand == MCP__RESTING && r->go_ns < at) at = r->go_ns;
        if (r->stand == MCP__OVER && waits) at = now;
        if (at == INT64_MAX) continue;
        int64_t left = at > now ? at - now : 0;
        if (next < 0 || left < next) next = left;
    }
    return next;
}

/* There is no channel, and something to do later. In slices: the clock may be another's. */
MCP__PRIVATE void mcp__client_nap(int64_t ms) {
#ifdef MCP_NO_OS
    (void)ms;
#elif defined _WIN32
    Sleep(ms < MCP__SLICE_MS ? (DWORD)ms : (DWORD)MCP__SLICE_MS);
#else
    poll(NULL, 0, ms < MCP__SLICE_MS ? (int)ms : (int)MCP__SLICE_MS);
#endif
}

/* Waits at most so long for what comes, takes it in, and does what follows. */
MCP__PRIVATE int mcp__client_poll(mcp_client *k, int64_t ms) {
    MCP_ASSERT(!k->busy); /* a hook calls nothing of its client */
    if (k->busy) return MCP_MISUSE;
    mcp__client_settle(k);
    int64_t next = mcp__client_expire(k);
    int64_t most = next < 0 ? ms : (next + 999999) / 1000000;
    if (ms >= 0 && most > ms) most = ms;
    k->busy = true;
    if (k->channels && k->carrier->turn) k->carrier->turn(k, most);
    else if (most > 0) mcp__client_nap(most);
    k->busy = false;
    mcp__client_settle(k);
    mcp__client_expire(k);
    mcp__client_settle(k);
    return k->lost ? MCP_IO : MCP_OK;
}

/* ---- what authors do ---- */

MCP__PRIVATE const mcp_failure *mcp__client_failed(mcp_client *k, int status, const char *text) {
    mcp_failure f = { status, 0, 0, text, NULL };
    k->failure = f;
    mcp__request_free(k, k->shown);
    k->shown = NULL;
    return NULL;
}

/* The request that is written next. Its writer is never NULL: errors stick to it. */
MCP__PRIVATE mcp_writer *mcp__client_begin(mcp_client *k, const char *method, mcp__place place,
                                           const char *key, const char *value) {
    mcp__request_free(k, k->draft);
    mcp__request *r = k->draft = mcp__request_new(k, method);
    memset(&k->meta, 0, sizeof k->meta);
    memset(&k->writer, 0, sizeof k->writer);
    k->writer.status = k->meta.status = MCP_NOMEM;
    if (!r) return &k->writer;
    r->place = place;
    if (key) {
        mcp_writer w;
        mcp__writer_on(&w, &r->buf[MCP__OF_BASE]);
        mcp__put_str(&w, key, value);
        if (mcp__writer_end(&w)) return &k->writer;
    }
    mcp__writer_on(&k->writer, &r->buf[MCP__OF_VALUE]);
    mcp__writer_on(&k->meta, &r->buf[MCP__OF_META]);
    return &k->writer;
}

MCP__PRIVATE mcp_writer *mcp__client_complete(mcp_client *k, const char *of, const char *arg,
                                              const char *value) {
    mcp_writer w, *context = mcp__client_begin(k, "completion/complete", MCP__IN_CONTEXT, NULL,
                                               NULL);
    bool uri = strstr(of, "://") != NULL;
    if (!k->draft) return context;
    mcp__writer_on(&w, &k->draft->buf[MCP__OF_BASE]);
    mcp__put_obj(&w, "ref");
    mcp__put_str(&w, "type", uri ? "ref/resource" : "ref/prompt");
    mcp__put_str(&w, uri ? "uri" : "name", of);
    mcp__put_end(&w);
    mcp__put_obj(&w, "argument");
    mcp__put_str(&w, "name", arg);
    mcp__put_str(&w, "value", value);
    mcp__put_end(&w);
    if (mcp__writer_end(&w)) k->writer.status = w.status;
    return context;
}

MCP__PRIVATE size_t mcp__client_count(const mcp_client *k) {
    size_t n = 0;
    for (const mcp__request *r = k->requests; r; r = r->next) n += r->then == NULL;
    return n;
}

/* The draft is whole: it takes its place in line. NULL: k->failure says why. */
MCP__PRIVATE mcp__request *mcp__client_send(mcp_client *k) {
    mcp__request *r = k->draft;
    int status = k->busy ? MCP_MISUSE : r ? MCP_OK : k->writer.status;
    MCP_ASSERT(status != MCP_MISUSE); /* begin one first; not in a hook */
    if (status == MCP_OK) status = mcp__writer_end(&k->writer);
    if (status == MCP_OK && k->meta.size) status = mcp__writer_end(&k->meta);
    if (status == MCP_OK && mcp__json_type(mcp__request_json(r, MCP__OF_VALUE)) != MCP_OBJECT)
        status = MCP_MISUSE;
    if (status == MCP_OK && mcp__client_count(k) >= k->desc.limits.calls) status = MCP_LIMIT;
    if (status) {
        mcp__client_failed(k, status, mcp__status_text(status));
        return NULL;
    }
    k->draft = NULL;
    k->writer.status = MCP_MISUSE; /* until the next one begins */
    mcp__request_enter(k, r);
    mcp__client_settle(k);
    return r;
}

/* r is over: its author gets its result, or learns why there is none. */
MCP__PRIVATE const char *mcp__client_show(mcp_client *k, mcp__request *r) {
    mcp__request_leave(k, r);
    mcp__client_failed(k, r->status, mcp__request_why(r));
    k->failure.code = r->code;
    k->failure.http = r->http;
    k->failure.data = (const mcp_json *)r->data;
    k->shown = r;
    return r->result;
}

MCP__PRIVATE const char *mcp__client_result(mcp_client *k, int64_t id) {
    mcp__request *r = mcp__request_find(k, id);
    if (r && r->stand == MCP__OVER) return mcp__client_show(k, r);
    int status = r ? MCP_PENDING : MCP_MISUSE;
    mcp__client_failed(k, status, mcp__status_text(status));
    return NULL;
}

/* An older server learns what is not listened for any more. */
MCP__PRIVATE void mcp__unsubscribe_from(mcp_client *k, mcp__request *from) {
    const char *uri;
    for (unsigned i = 0; i < from->rounds && (uri = mcp__listened_uri(from, i)) != NULL; i++) {
        mcp__request *r = mcp__our_request(k, "resources/unsubscribe", mcp__ignored);
        mcp_writer w;
        if (!r) return;
        mcp__writer_on(&w, &r->buf[MCP__OF_BASE]);
        mcp__put_json(&w, "uri", uri);
        mcp__writer_end(&w);
    }
}

/* A task goes on by itself, unless it is told. */
MCP__PRIVATE void mcp__task_cancel(mcp_client *k, mcp__request *from) {
    mcp__request *r = mcp__our_request(k, "tasks/cancel", mcp__ignored);
    mcp_writer w;
    if (!r) return;
    mcp__writer_on(&w, &r->buf[MCP__OF_BASE]);
    mcp__put_json(&w, "taskId", mcp__member(mcp__request_json(from, MCP__OF_TASK), "taskId"));
    mcp__writer_end(&w);
}

/* Changes are told until its id is cancelled: by one long request, or, of older servers, after a
   subscription to each resource; of their lists they tell unasked. */
MCP__PRIVATE mcp__request *mcp__client_listen(mcp_client *k, unsigned lists, const char *uris) {
    mcp_writer *w = mcp__client_begin(k, "subscriptions/listen", MCP__IN_PARAMS, NULL, NULL);
    mcp__put_obj(w, "notifications");
    for (size_t i = 0; i < MCP__COUNT(mcp__listen_keys); i++)
        if (lists & 1u << i) mcp__put_bool(w, mcp__listen_keys[i], true);
    if (uris) mcp__put_list(w, "resourceSubscriptions", uris);
    mcp__put_end(w);
    if (k->draft) k->draft->patient = true;
    return mcp__client_send(k);
}

MCP__PRIVATE void mcp__client_cancel(mcp_client *k, int64_t id) {
    mcp__request *r = mcp__request_find(k, id);
    MCP_ASSERT(!k->busy);
    if (!r || k->busy) return;
    k->busy = true;
    if (r->errand == MCP__SUBSCRIBE) mcp__unsubscribe_from(k, r);
    else if (r->errand) mcp__task_cancel(k, r);
    if (r->channel || !r->errand) k->manner->drop(k, r);
    k->busy = false;
    mcp__request_leave(k, r);
    mcp__request_free(k, r);
    mcp__client_settle(k);
}

/* Until r is over. */
MCP__PRIVATE const char *mcp__client_until(mcp_client *k, mcp__request *r) {
    while (r->stand != MCP__OVER) {
        if (!k->carrier->turn) { /* nobody feeds while we wait */
            mcp__request_fail(r, MCP_MISUSE, "nothing to wait for: feed, and fetch the result");
            break;
        }
        mcp__client_poll(k, -1);
    }
    return mcp__client_show(k, r);
}

MCP__PRIVATE const char *mcp__client_wait(mcp_client *k) {
    mcp__request *r = mcp__client_send(k);
    return r ? mcp__client_until(k, r) : NULL;
}

MCP__PRIVATE const char *mcp__client_list(mcp_client *k, const char *what, const char *cursor) {
    size_t i = mcp__kept_of(what, strlen(what));
    char method[128] = "";
    strncat(method, what, sizeof method - 6);
    strcat(method, "/list");
    mcp__client_begin(k, method, MCP__IN_PARAMS, cursor ? "cursor" : NULL, cursor);
    mcp__request *r = k->draft;
    if (r && !cursor) r->all = true;
    if (!r || cursor || i == MCP__CACHES || !k->list[i].there ||
        k->list[i].until_ns <= mcp__client_now(k)) return mcp__client_wait(k);
    mcp__buf *answer = &r->buf[MCP__OF_ANSWER]; /* from memory: nothing is sent */
    k->draft = NULL;
    mcp__request_enter(k, r);
    mcp__buf_add(answer, k->list[i].json.ptr, k->list[i].json.len);
    r->stand = MCP__OVER;
    if (!mcp__buf_json(answer)) mcp__request_fail(r, MCP_NOMEM, mcp__status_text(MCP_NOMEM));
    else r->result = answer->ptr + MCP__PAD_BEFORE;
    return mcp__client_show(k, r);
}

/* Who the server is: a meeting, if there was none, that nobody's request waits for. */
MCP__PRIVATE const char *mcp__client_server(mcp_client *k) {
    mcp__client_failed(k, MCP_OK, mcp__status_text(MCP_OK));
    if (k->met != MCP__MET && !k->busy) {
        mcp__request *r = mcp__request_new(k, "");
        if (!r) return mcp__client_failed(k, MCP_NOMEM, mcp__status_text(MCP_NOMEM)), (char *)NULL;
        mcp__request_enter(k, r);
        mcp__client_settle(k);
        while (r->stand == MCP__QUEUED && k->carrier->turn) mcp__client_poll(k, -1);
        if (r->stand == MCP__QUEUED) mcp__request_fail(r, MCP_PENDING, "feed what comes");
        mcp__client_show(k, r);
    }
    return k->failure.status ? NULL : mcp__server_json(k);
}

MCP__PRIVATE int mcp__client_feed(mcp_client *k, const char *p, size_t n) {
    int status = MCP_OK;
    if (k->carrier->turn || k->gone) return k->gone ? MCP_IO : MCP_MISUSE;
    if (!k->channels && !mcp__channel_open(k, NULL, &status)) return status;
    mcp__channel_add(k->channels, p, n);
    mcp__client_settle(k);
    return k->lost ? MCP_IO : MCP_OK;
}

/* ---- carriers: the author's hook, the author's stream ---- */

MCP__PRIVATE int mcp__fed_open(mcp__channel *h, mcp__buf *why) {
    (void)h, (void)why;
    return MCP_OK;
}
MCP__PRIVATE void mcp__fed_close(mcp__channel *h, mcp__buf *why) { (void)h, (void)why; }
MCP__PRIVATE ptrdiff_t mcp__fed_write(mcp__channel *h, const char *p, size_t n) {
    const mcp_write_hook *write = &h->client->desc.write;
    int rc = write->func(write->user, p, n);
    return rc == MCP_OK ? (ptrdiff_t)n : rc < 0 ? rc : MCP_IO;
}
static const mcp__carrier mcp__fed = { mcp__fed_open, mcp__fed_write, mcp__fed_close, NULL, false };

MCP__PRIVATE int mcp__stream_open(mcp__channel *h, mcp__buf *why) {
    mcp_client *k = h->client;
    int rc = k->desc.connect.func(k->desc.connect.user, k->host, k->port, &h->stream);
    h->connected = rc == MCP_OK;
    if (rc) mcp__adds(why, "the stream cannot be opened");
    return rc;
}
MCP__PRIVATE void mcp__stream_close(mcp__channel *h, mcp__buf *why) {
    (void)why;
    if (h->stream.close) h->stream.close(h->stream.user);
}
MCP__PRIVATE ptrdiff_t mcp__stream_write(mcp__channel *h, const char *p, size_t n) {
    int rc = h->stream.write(h->stream.user, p, n);
    return rc == MCP_OK ? (ptrdiff_t)n : rc < 0 ? rc : MCP_IO;
}

enum { MCP__TURN = 32 * 1024 };

MCP__PRIVATE bool mcp__stream_read(mcp__channel *h, int64_t ms) {
    char piece[MCP__TURN];
    ptrdiff_t n = h->stream.read(h->stream.user, piece, sizeof piece, ms);
    if (n < 0 && n != MCP_CANCELLED) n = MCP_IO; /* broken, whatever its number means to others */
    mcp__channel_got(h, piece, n);
    return n != MCP_CANCELLED;
}

/* One after the other; when nothing is there, they share the time to wait. */
MCP__PRIVATE void mcp__stream_turn(mcp_client *k, int64_t ms) {
    const bool several = k->channels->next != NULL;
    bool any = false;
    for (mcp__channel *h = k->channels; h; h = h->next)
        any |= mcp__stream_read(h, several ? 0 : ms);
    if (any || !several || !ms) return;
    if (ms < 0 || ms > MCP__SLICE_MS) ms = MCP__SLICE_MS;
    for (mcp__channel *h = k->channels; h; h = h->next) mcp__stream_read(h, ms);
}
static const mcp__carrier mcp__streams = { mcp__stream_open, mcp__stream_write, mcp__stream_close,
                                           mcp__stream_turn, true };

#ifndef MCP_NO_OS

/* ---- carriers: a program that is spawned ---- */

enum { MCP__CHILD_MS = 2000, MCP__CHILD_NAP_MS = 5 }; /* to end by itself, then after SIGTERM */

/* "name: text", for why something did not work. */
MCP__PRIVATE int mcp__because(mcp__buf *why, const char *name, const char *text) {
    mcp__adds(why, name);
    mcp__adds(why, ": ");
    mcp__adds(why, text);
    return MCP_IO;
}

#ifdef _WIN32

typedef struct mcp__child { HANDLE process, in, out, err; } mcp__child;

/* As a program's own start-up takes it apart again: quotes around, and backslashes before quotes
   doubled. */
MCP__PRIVATE void mcp__child_quote(mcp__buf *b, const char *s) {
    bool plain = *s && !strpbrk(s, " \t\"");
    size_t slashes = 0;
    if (!plain) mcp__adds(b, "\"");
    for (; *s; s++) {
        if (*s == '"')
            for (slashes++; slashes; slashes--) mcp__adds(b, "\\");
        slashes = *s == '\\' ? slashes + 1 : 0;
        mcp__buf_add(b, s, 1);
    }
    for (; !plain && slashes; slashes--) mcp__adds(b, "\\");
    if (!plain) mcp__adds(b, "\"");
}

/* NAME=value, each with its NUL, and one more behind the last. */
MCP__PRIVATE void mcp__child_variables(mcp__buf *b, const mcp_attr *env) {
    char *ours = GetEnvironmentStringsA();
    for (const char *s = ours; s && *s; s += strlen(s) + 1) {
        const mcp_attr *e = env;
        size_t n = strcspn(s + 1, "=") + 1; /* "=C:=C:\\dir" is one of theirs */
        mcp__str name = { s, n };
        while (e->key && !mcp__str_like(name, mcp__str_of(e->key))) e++;
        if (!e->key) mcp__buf_add(b, s, strlen(s) + 1);
    }
    for (; env->key; env++) {
        mcp__adds(b, env->key);
        mcp__adds(b, "=");
        mcp__buf_add(b, env->value, strlen(env->value) + 1);
    }
    mcp__buf_add(b, "", 1);
    if (ours) FreeEnvironmentStringsA(ours);
}

/* A pipe of which one end goes to the program. */
MCP__PRIVATE bool mcp__child_pipe(HANDLE *ours, HANDLE *its, bool it_reads) {
    SECURITY_ATTRIBUTES inherits = { sizeof inherits, NULL, TRUE };
    HANDLE read, write;
    if (!CreatePipe(&read, &write, &inherits, 64 * 1024)) return false;
    *ours = it_reads ? write : read;
    *its = it_reads ? read : write;
    SetHandleInformation(*ours, HANDLE_FLAG_INHERIT, 0);
    return true;
}

MCP__PRIVATE bool mcp__child_start(mcp_client *k, mcp__child *c, STARTUPINFOA *how) {
    PROCESS_INFORMATION started;
    mcp__buf line, env;
    mcp__buf_init(&line, &k->mem);
    mcp__buf_init(&env, &k->mem);
    for (const char *const *arg = k->desc.argv; *arg; arg++) {
        if (line.len) mcp__adds(&line, " ");
        mcp__child_quote(&line, *arg);
    }
    mcp__buf_add(&line, "", 1);
    if (k->desc.env) mcp__child_variables(&env, k->desc.env);
    bool ok = !line.status && !env.status &&
              CreateProcessA(NULL, line.ptr, NULL, NULL, TRUE, 0, env.ptr, k->desc.dir, how,
                             &started);
    if (ok) {
        c->process = started.hProcess;
        CloseHandle(started.hThread);
    }
    mcp__buf_free(&line);
    mcp__buf_free(&env);
    return ok;
}

MCP__PRIVATE void mcp__child_shut(HANDLE *h) {
    if (*h) CloseHandle(*h);
    *h = NULL;
}

MCP__PRIVATE int mcp__child_open(mcp__channel *h, mcp__buf *why) {
    mcp_client *k = h->client;
    STARTUPINFOA how;
    memset(&how, 0, sizeof how);
    mcp__child *c = (mcp__child *)mcp__realloc(&k->mem, NULL, 0, sizeof *c);
    if (!c) return MCP_NOMEM;
    memset(c, 0, sizeof *c);
    h->child = c;
    how.cb = sizeof how;
    how.dwFlags = STARTF_USESTDHANDLES;
    how.hStdError = GetStdHandle(STD_ERROR_HANDLE);
    HANDLE err = NULL;
    bool ok = mcp__child_pipe(&c->in, &how.hStdInput, true) &&
              mcp__child_pipe(&c->out, &how.hStdOutput, false) &&
              (!k->desc.err.func || mcp__child_pipe(&c->err, &err, false));
    if (err) how.hStdError = err;
    DWORD no_wait = PIPE_NOWAIT;
    ok = ok && SetNamedPipeHandleState(c->in, &no_wait, NULL, NULL) && mcp__child_start(k, c, &how);
    mcp__child_shut(&how.hStdInput);
    mcp__child_shut(&how.hStdOutput);
    mcp__child_shut(&err);
    if (ok) return MCP_OK;
    mcp__child_shut(&c->in);
    mcp__child_shut(&c->out);
    mcp__child_shut(&c->err);
    mcp__realloc(&k->mem, c, sizeof *c, 0);
    return mcp__because(why, k->desc.argv[0], "cannot be started");
}

MCP__PRIVATE ptrdiff_t mcp__child_write(mcp__channel *h, const char *p, size_t n) {
    DWORD put = 0;
    if (!WriteFile(h->child->in, p, (DWORD)mcp__min(n, 4096), &put, NULL)) return MCP_IO;
    return (ptrdiff_t)put;
}

/* What is there to be read: its bytes, its end, or nothing yet. */
MCP__PRIVATE ptrdiff_t mcp__child_read(HANDLE from, char *p, size_t n) {
    DWORD there = 0, got = 0;
    if (!PeekNamedPipe(from, NULL, 0, NULL, &there, NULL)) return 0;
    if (!there) return MCP_CANCELLED;
    if (!ReadFile(from, p, (DWORD)mcp__min(n, there), &got, NULL)) return 0;
    return (ptrdiff_t)got;
}

/* A pipe cannot be waited for: it is looked at, the more seldom the longer nothing came. */
MCP__PRIVATE void mcp__child_turn(mcp_client *k, int64_t ms) {
    char piece[MCP__TURN];
    mcp__channel *h = k->channels;
    for (DWORD nap = 0;; nap = nap < 10 ? nap + 1 : 10) {
        mcp__channel_flush(h);
        ptrdiff_t n = mcp__child_read(h->child->out, piece, sizeof piece);
        mcp__channel_got(h, piece, n);
        ptrdiff_t noise = h->child->err ? mcp__child_read(h->child->err, piece, sizeof piece) : 0;
        if (noise > 0) k->desc.err.func(k->desc.err.user, piece, (size_t)noise);
        if (n != MCP_CANCELLED || noise > 0 || (ms >= 0 && ms <= (int64_t)nap)) break;
        Sleep(nap);
        if (ms >= 0) ms -= nap;
    }
}

MCP__PRIVATE void mcp__child_close(mcp__channel *h, mcp__buf *why) {
    mcp_client *k = h->client;
    mcp__child *c = h->child;
    DWORD status = 0;
    char piece[4096], digits[24];
    mcp__child_shut(&c->in);
    for (int left = MCP__CHILD_MS; left > 0; left -= MCP__CHILD_NAP_MS) {
        if (WaitForSingleObject(c->process, 0) == WAIT_OBJECT_0) break;
        if (mcp__child_read(c->out, piece, sizeof piece) <= 0) Sleep(MCP__CHILD_NAP_MS);
    }
    if (WaitForSingleObject(c->process, 0) != WAIT_OBJECT_0) TerminateProcess(c->process, 1);
    WaitForSingleObject(c->process, INFINITE);
    if (why && GetExitCodeProcess(c->process, &status)) {
        *mcp__print_int(digits, (int64_t)status) = 0;
        mcp__adds(why, ": it ended with status ");
        mcp__adds(why, digits);
    }
    mcp__child_shut(&c->out);
    mcp__child_shut(&c->err);
    mcp__child_shut(&c->process);
    mcp__realloc(&k->mem, c, sizeof *c, 0);
}

#else

/* The compilers' strict modes hide this one; C++ has it. */
#ifndef __cplusplus
extern int kill(pid_t pid, int sig);
#endif
extern char **environ;

typedef struct mcp__child { pid_t pid; int in, out, err; } mcp__child;

/* A pipe whose ends are neither 0, 1 nor 2, and stay with us. */
MCP__PRIVATE bool mcp__child_pipe(int fd[2]) {
    if (pipe(fd)) return fd[0] = fd[1] = -1, false;
    for (int i = 0; i < 2; i++) {
        int high = fcntl(fd[i], F_DUPFD, 3);
        close(fd[i]);
        fd[i] = high;
        if (high >= 0) fcntl(high, F_SETFD, FD_CLOEXEC);
    }
    return fd[0] >= 0 && fd[1] >= 0;
}

MCP__PRIVATE void mcp__child_shut(int *fd) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

/* Our variables but for those that env names, and env's. NULL: out of memory. */
MCP__PRIVATE char **mcp__child_variables(mcp_client *k, const mcp_attr *env) {
    size_t n = 0, ours = 0, m = 0;
    while (environ && environ[ours]) ours++;
    for (const mcp_attr *e = env; e->key; e++) m++;
    mcp__arena_reset(&k->scratch, MCP__ARENA_KEEP);
    char **list = (char **)mcp__arena_array(&k->scratch, ours + m + 1, sizeof *list);
    for (size_t i = 0; list && i < ours; i++) {
        const mcp_attr *e = env;
        mcp__str name = { environ[i], strcspn(environ[i], "=") };
        while (e->key && !mcp__str_same(name, mcp__str_of(e->key))) e++;
        if (!e->key) list[n++] = environ[i];
    }
    for (const mcp_attr *e = env; list && e->key; e++) {
        size_t key = strlen(e->key), value = strlen(e->value);
        char *one = (char *)mcp__arena_alloc(&k->scratch, key + value + 2);
        if (!one) return NULL;
        memcpy(one, e->key, key);
        one[key] = '=';
        memcpy(one + key + 1, e->value, value);
        list[n++] = one;
    }
    return list;
}

/* In the new process: becomes the program, or says why not. */
MCP__PRIVATE void mcp__child_become(const mcp_client *k, int in, int out, int err, int told,
                                    char **env) {
    const char *const *argv = k->desc.argv;
    int why = 0;
    setpgid(0, 0); /* a terminal's Ctrl-C is for its client, who says goodbye */
    if (k->desc.dir && chdir(k->desc.dir)) why = errno;
    if (!why && (dup2(in, 0) < 0 || dup2(out, 1) < 0 || (err >= 0 && dup2(err, 2) < 0)))
        why = errno;
    if (env) environ = env;
#ifdef SIGPIPE
    signal(SIGPIPE, SIG_DFL);
#endif
    if (!why) {
        execvp(argv[0], (char *const *)argv);
        why = errno;
    }
    if (write(told, &why, sizeof why) < 0) _exit(126);
    _exit(127);
}

MCP__PRIVATE int mcp__child_spawn(mcp_client *k, mcp__child *c, int in[2], int out[2], int err[2],
                                  mcp__buf *why) {
    int told[2], wrong = 0;
    char **env = k->desc.env ? mcp__child_variables(k, k->desc.env) : NULL;
    if (k->desc.env && !env) return MCP_NOMEM;
    if (!mcp__child_pipe(told)) return mcp__because(why, k->desc.argv[0], strerror(errno));
    c->pid = fork();
    if (c->pid == 0) mcp__child_become(k, in[0], out[1], err[1], told[1], env);
    if (c->pid < 0) wrong = errno;
    close(told[1]);
    while (c->pid > 0 && read(told[0], &wrong, sizeof wrong) < 0 && errno == EINTR) {}
    close(told[0]);
    if (!wrong) return MCP_OK;
    while (c->pid > 0 && waitpid(c->pid, NULL, 0) < 0 && errno == EINTR) {}
    return mcp__because(why, k->desc.argv[0], strerror(wrong));
}

MCP__PRIVATE int mcp__child_open(mcp__channel *h, mcp__buf *why) {
    mcp_client *k = h->client;
    int in[2] = { -1, -1 }, out[2] = { -1, -1 }, err[2] = { -1, -1 };
    mcp__child *c = (mcp__child *)mcp__realloc(&k->mem, NULL, 0, sizeof *c);
    if (!c) return MCP_NOMEM;
    bool ok = mcp__child_pipe(in) && mcp__child_pipe(out) &&
              (!k->desc.err.func || mcp__child_pipe(err));
    int rc = ok ? mcp__child_spawn(k, c, in, out, err, why)
                : mcp__because(why, k->desc.argv[0], strerror(errno));
    mcp__child_shut(&in[0]);
    mcp__child_shut(&out[1]);
    mcp__child_shut(&err[1]);
    if (rc) {
        mcp__child_shut(&in[1]);
        mcp__child_shut(&out[0]);
        mcp__child_shut(&err[0]);
        mcp__realloc(&k->mem, c, sizeof *c, 0);
        return rc;
    }
    fcntl(in[1], F_SETFL, O_NONBLOCK);
    c->in = in[1];
    c->out = out[0];
    c->err = err[0];
    h->child = c;
    return MCP_OK;
}

MCP__PRIVATE ptrdiff_t mcp__child_write(mcp__channel *h, const char *p, size_t n) {
    mcp__os_pipe pipe_was = mcp__os_pipe_begin();
    ssize_t put = write(h->child->in, p, n);
    bool again = put < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
    mcp__os_pipe_end(pipe_was);
    return again ? 0 : put < 0 ? (ssize_t)MCP_IO : put;
}

MCP__PRIVATE void mcp__child_turn(mcp_client *k, int64_t ms) {
    char piece[MCP__TURN];
    mcp__channel *h = k->channels;
    mcp__child *c = h->child;
    mcp__channel_flush(h);
    struct pollfd p[3] = { { c->out, POLLIN, 0 },
                           { h->sent < h->out.len ? c->in : -1, POLLOUT, 0 },
                           { c->err, POLLIN, 0 } };
    if (poll(p, 3, ms < 0 ? -1 : ms > INT_MAX ? INT_MAX : (int)ms) <= 0) return;
    if (p[1].revents) mcp__channel_flush(h);
    if (p[0].revents) {
        ssize_t n = read(c->out, piece, sizeof piece);
        if (n >= 0 || errno != EINTR) mcp__channel_got(h, piece, n > 0 ? n : 0);
    }
    if (p[2].revents) {
        ssize_t n = read(c->err, piece, sizeof piece);
        if (n > 0) k->desc.err.func(k->desc.err.user, piece, (size_t)n);
        else if (n == 0) mcp__child_shut(&c->err);
    }
}

/* Whether it ended within so long; what it still prints goes nowhere. */
MCP__PRIVATE bool mcp__child_ends(mcp__child *c, int *status, int ms) {
    char waste[4096];
    for (;; ms -= MCP__CHILD_NAP_MS) {
        pid_t ended = waitpid(c->pid, status, WNOHANG);
        if (ended == c->pid || (ended < 0 && errno != EINTR)) return true;
        if (ms <= 0) return false;
        struct pollfd p[2] = { { c->out, POLLIN, 0 }, { c->err, POLLIN, 0 } };
        bool any = poll(p, 2, MCP__CHILD_NAP_MS) > 0;
        if (any && p[0].revents && read(c->out, waste, sizeof waste) <= 0) mcp__child_shut(&c->out);
        if (any && p[1].revents && read(c->err, waste, sizeof waste) <= 0) mcp__child_shut(&c->err);
    }
}

MCP__PRIVATE void mcp__child_close(mcp__channel *h, mcp__buf *why) {
    mcp_client *k = h->client;
    mcp__child *c = h->child;
    int status = 0;
    char digits[24];
    mcp__child_shut(&c->in);
    if (!mcp__child_ends(c, &status, MCP__CHILD_MS)) {
        kill(c->pid, SIGTERM);
        if (!mcp__child_ends(c, &status, MCP__CHILD_MS)) {
            kill(c->pid, SIGKILL);
            while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR) {}
        }
    }
    if (why) {
        *mcp__print_int(digits, WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status)) = 0;
        mcp__adds(why, WIFSIGNALED(status) ? ": it ended by signal " : ": it ended with status ");
        mcp__adds(why, digits);
    }
    mcp__child_shut(&c->out);
    mcp__child_shut(&c->err);
    mcp__realloc(&k->mem, c, sizeof *c, 0);
}

#endif

static const mcp__carrier mcp__children = { mcp__child_open, mcp__child_write, mcp__child_close,
                                            mcp__child_turn, true };

#ifndef MCP_NO_HTTP

/* ---- carriers: sockets ---- */

#if !defined _WIN32 && !defined __cplusplus /* some strict modes hide it; it is everywhere */
extern struct hostent *gethostbyname(const char *name);
#endif

/* The nth address of a host by name; false: there are not as many. The resolver waits. */
MCP__PRIVATE bool mcp__address_of(const char *host, int port, unsigned n, mcp__address *a) {
    const bool local = strcmp(host, "localhost") == 0;
    const char *name = local ? n ? "::1" : "127.0.0.1" : host;
    const bool v6 = strchr(name, ':') != NULL;
    memset(a, 0, sizeof *a);
    if (v6) a->v6.sin6_family = AF_INET6, a->v6.sin6_port = htons((uint16_t)port);
    else a->v4.sin_family = AF_INET, a->v4.sin_port = htons((uint16_t)port);
    void *to = v6 ? (void *)&a->v6.sin6_addr : (void *)&a->v4.sin_addr;
    if (inet_pton(v6 ? AF_INET6 : AF_INET, name, to) == 1) return n < (local ? 2u : 1u);
    const struct hostent *e = v6 ? NULL : gethostbyname(host);
    if (!e || e->h_addrtype != AF_INET || e->h_length != (int)sizeof a->v4.sin_addr) return false;
    for (unsigned i = 0; i < n; i++)
        if (!e->h_addr_list[i]) return false;
    if (e->h_addr_list[n]) memcpy(to, e->h_addr_list[n], sizeof a->v4.sin_addr);
    return e->h_addr_list[n] != NULL;
}

/* Begins to connect to the next address; false: there is none. */
MCP__PRIVATE bool mcp__socket_dial(mcp__channel *h) {
    mcp_client *k = h->client;
    mcp__address a;
    const int on = 1;
    h->fd = MCP__NO_SOCKET;
    while (h->fd == MCP__NO_SOCKET && mcp__address_of(k->host, k->port, h->tried++, &a)) {
        const bool v6 = a.any.sa_family == AF_INET6;
        h->fd = socket(a.any.sa_family, SOCK_STREAM, 0);
        if (h->fd == MCP__NO_SOCKET) continue;
        setsockopt(h->fd, IPPROTO_TCP, TCP_NODELAY, (const char *)&on, sizeof on);
        if (mcp__socket_setup(h->fd) &&
            (connect(h->fd, &a.any, (socklen_t)(v6 ? sizeof a.v6 : sizeof a.v4)) == 0 ||
             mcp__socket_begun())) return true;
        mcp__socket_close(h->fd);
        h->fd = MCP__NO_SOCKET;
    }
    return false;
}

MCP__PRIVATE int mcp__socket_open(mcp__channel *h, mcp__buf *why) {
    mcp_client *k = h->client;
    if (!k->net && !mcp__net_begin()) return MCP_IO;
    k->net = true;
    if (mcp__socket_dial(h)) return MCP_OK;
    return mcp__because(why, k->authority, "cannot be reached");
}

/* Until a connection is there, nothing is taken; if none can be had, the next address is tried. */
MCP__PRIVATE ptrdiff_t mcp__socket_write(mcp__channel *h, const char *p, size_t n) {
    mcp__pollfd fd = { h->fd, POLLOUT, 0 };
    if (!h->connected && mcp__socket_poll(&fd, 1, 0) <= 0) return 0;
    mcp__os_pipe pipe_was = mcp__os_pipe_begin();
    ptrdiff_t put = (ptrdiff_t)send(h->fd, p, (MCP__IO_SIZE)mcp__min(n, 1 << 20), 0);
    bool again = put < 0 && mcp__socket_again();
    mcp__os_pipe_end(pipe_was);
    if (put >= 0) h->connected = true;
    if (put >= 0 || again) return again ? 0 : put;
    if (h->connected) return MCP_IO;
    mcp__socket_close(h->fd);
    return mcp__socket_dial(h) ? 0 : (ptrdiff_t)MCP_IO;
}

MCP__PRIVATE void mcp__socket_end(mcp__channel *h, mcp__buf *why) {
    (void)why;
    if (h->fd != MCP__NO_SOCKET) mcp__socket_close(h->fd);
}

MCP__PRIVATE void mcp__socket_turn(mcp_client *k, int64_t ms) {
    char piece[MCP__TURN];
    mcp__pollfd fds[MCP__SOCKETS];
    size_t n = 0, i = 0;
    for (mcp__channel *h = k->channels; h && n < MCP__SOCKETS; h = h->next) {
        mcp__channel_flush(h);
        int want = h->connected ? POLLIN : 0;
        mcp__pollfd fd = { h->fd, (short)(want | (h->sent < h->out.len ? POLLOUT : 0)), 0 };
        if (h->status) ms = 0;
        fds[n++] = fd;
    }
    if (mcp__socket_poll(fds, n, ms < 0 ? -1 : ms > INT_MAX ? INT_MAX : (int)ms) <= 0) return;
    for (mcp__channel *h = k->channels; h && i < n; h = h->next) {
        short events = fds[i++].revents;
        if (!events) continue;
        if (h->sent < h->out.len) mcp__channel_flush(h);
        if (!h->connected || !(events & ~POLLOUT)) continue;
        ptrdiff_t got = (ptrdiff_t)recv(h->fd, piece, (MCP__IO_SIZE)sizeof piece, 0);
        if (got < 0 && mcp__socket_again()) continue;
        mcp__channel_got(h, piece, got < 0 ? (ptrdiff_t)MCP_IO : got);
    }
}

static const mcp__carrier mcp__sockets = { mcp__socket_open, mcp__socket_write, mcp__socket_end,
                                           mcp__socket_turn, true };
#endif /* MCP_NO_HTTP */
#endif /* MCP_NO_OS */

/* ---- clients ---- */

MCP__PRIVATE bool mcp__client_own(mcp_client *k, const char **text) {
    if (!*text) return true;
    *text = mcp__arena_copy(&k->arena, *text, strlen(*text));
    return *text != NULL;
}

/* The desc's texts and lists are copied, so that it may live on a stack; but headers. */
MCP__PRIVATE bool mcp__client_own_desc(mcp_client *k) {
    mcp_client_desc *d = &k->desc;
    const char **texts[] = { &d->name, &d->version, &d->title, &d->dir, &d->url, &d->roots };
    size_t n = 0;
    for (size_t i = 0; i < MCP__COUNT(texts); i++)
        if (!mcp__client_own(k, texts[i])) return false;
    for (n = 0; d->argv && d->argv[n];) n++;
    if (d->argv) {
        const char **argv = (const char **)mcp__arena_array(&k->arena, n + 1, sizeof *argv);
        for (size_t i = 0; argv && i < n; i++) {
            argv[i] = d->argv[i];
            if (!mcp__client_own(k, &argv[i])) return false;
        }
        d->argv = argv;
        if (!argv) return false;
    }
    for (n = 0; d->env && d->env[n].key;) n++;
    if (d->env) {
        mcp_attr *env = (mcp_attr *)mcp__arena_array(&k->arena, n + 1, sizeof *env);
        for (size_t i = 0; env && i < n; i++) {
            env[i] = d->env[i];
            if (!mcp__client_own(k, &env[i].key)) return false;
            if (!mcp__client_own(k, &env[i].value)) return false;
        }
        d->env = env;
        if (!env) return false;
    }
    if (!d->version) d->version = "0.0.0";
    if (!d->versions) d->versions = MCP__LEGACY | MCP__MODERN;
    if (!d->timeout_ms) d->timeout_ms = 60 * 1000;
    if (d->roots) d->can |= MCP_CAN_ROOTS;
    if (d->log_level < 0 || d->log_level > MCP_LOG_EMERGENCY) d->log_level = 0;
    if (!d->limits.message) d->limits.message = 10u << 20;
    if (!d->limits.depth) d->limits.depth = 256;
    if (!d->limits.calls) d->limits.calls = 64;
    if (!d->limits.header) d->limits.header = 16 * 1024;
    d->limits.message = mcp__min(d->limits.message, SIZE_MAX / 8);
    d->limits.depth = mcp__min(d->limits.depth, 1024);
    return true;
}

MCP__PRIVATE void mcp__client_free(mcp_client *k) {
    if (!k) return;
    MCP_ASSERT(!k->busy && "mcp_client_free in a hook");
    if (k->busy) return;
    k->busy = true;
    if (k->manner && k->manner->end) k->manner->end(k);
    while (k->channels) mcp__channel_close(k->channels, NULL);
    while (k->requests) {
        mcp__request *r = k->requests;
        mcp__request_leave(k, r);
        mcp__request_free(k, r);
    }
    mcp__request_free(k, k->draft);
    mcp__request_free(k, k->shown);
    mcp__buf_free(&k->message);
    mcp__buf_free(&k->heard);
    mcp__buf_free(&k->said);
    mcp__buf_free(&k->server);
    mcp__buf_free(&k->session);
    mcp__buf_free(&k->post);
#if !defined MCP_NO_HTTP && !defined MCP_NO_OS
    if (k->net) mcp__net_end();
#endif
    for (size_t i = 0; i < MCP__CACHES; i++) mcp__buf_free(&k->list[i].json);
    mcp__arena_reset(&k->scratch, 0);
    mcp__arena_reset(&k->arena, 0);
    mcp__mem mem = k->mem; /* the hook outlives what it frees */
    mcp__realloc(&mem, k, sizeof *k, 0);
}

#ifndef MCP_NO_HTTP
/* "http://host:8080/mcp", https with a stream of the author's. false: it is no such URL. */
MCP__PRIVATE bool mcp__client_url(mcp_client *k) {
    const char *url = k->desc.url, *from = url + 7;
    const bool tls = strncmp(url, "https://", 8) == 0;
    if (tls ? !k->desc.connect.func : strncmp(url, "http://", 7) != 0) return false;
    from += tls;
    size_t n = strcspn(from, "/?#"), whole = n;
    const char *port = (const char *)memchr(from, ']', n), *host = from, *digits;
    digits = strchr(port ? port : from, ':');
    if (digits && digits >= from + n) digits = NULL;
    size_t name = digits ? (size_t)(digits - from) : n;
    if (*from == '[' && port) host++, name = (size_t)(port - host);
    k->port = tls ? 443 : 80;
    if (digits) {
        const char *p = digits + 1;
        for (k->port = 0; p < from + whole && mcp__is_digit(*p) && k->port < 65536; p++)
            k->port = k->port * 10 + (*p - '0');
        if (p < from + whole || k->port < 1 || k->port > 65535) return false;
    }
    if (!name || memchr(from, '@', whole)) return false;
    for (const char *p = url; *p; p++)
        if (*p <= ' ' || *p > '~') return false;
    k->host = mcp__arena_copy(&k->arena, host, name);
    k->authority = mcp__arena_copy(&k->arena, from, whole);
    size_t path = strcspn(from + whole, "#"), root = from[whole] != '/';
    k->target = mcp__arena_copy(&k->arena, from + whole - root, path + root);
    if (k->target && root) k->target[0] = '/';
    k->manner = &mcp__in_http;
    return k->host && k->authority && k->target;
}
#endif

/* How it is reached; false: no way is given, or none that there is. */
MCP__PRIVATE bool mcp__client_ways(mcp_client *k) {
    const mcp_client_desc *d = &k->desc;
    k->host = "";
    k->manner = &mcp__in_lines;
#ifndef MCP_NO_OS
    if (d->argv && d->argv[0]) return k->carrier = &mcp__children, true;
#endif
#ifndef MCP_NO_HTTP
    if (d->url && !mcp__client_url(k)) return false;
#ifndef MCP_NO_OS
    if (d->url && !d->connect.func) return k->carrier = &mcp__sockets, true;
#endif
    if (d->url && !d->connect.func) return false;
#else
    if (d->url) return false;
#endif
    if (d->connect.func) return k->carrier = &mcp__streams, true;
    if (d->write.func) return k->carrier = &mcp__fed, true;
    return false;
}

MCP__PRIVATE mcp_client *mcp__client_new(const mcp_client_desc *desc, mcp_clock_hook clock) {
    MCP_ASSERT(desc && !desc->_start_canary && !desc->_end_canary); /* not zeroed? */
    if (!desc || desc->_start_canary || desc->_end_canary) return NULL;
    mcp__mem mem = { desc->alloc };
    mcp_client *k = (mcp_client *)mcp__realloc(&mem, NULL, 0, sizeof *k);
    bool ok = k != NULL, way = false;
    if (k) {
        memset(k, 0, sizeof *k);
        k->mem = mem;
        k->desc = *desc;
        k->failure.text = mcp__status_text(MCP_OK);
        k->writer.status = MCP_MISUSE;
        mcp__arena_init(&k->arena, &k->mem);
        mcp__arena_init(&k->scratch, &k->mem);
        mcp__buf *bufs[] = { &k->message, &k->heard, &k->said, &k->server, &k->session, &k->post };
        for (size_t i = 0; i < MCP__COUNT(bufs); i++) mcp__buf_init(bufs[i], &k->mem);
        for (size_t i = 0; i < MCP__CACHES; i++) mcp__buf_init(&k->list[i].json, &k->mem);
        if (!k->desc.clock.func) k->desc.clock = clock;
        ok = mcp__client_own_desc(k);
        way = ok && k->desc.name && mcp__client_ways(k);
    }
    if (way) return k;
    const char *why = !ok ? mcp__status_text(MCP_NOMEM)
                      : !desc->name ? "a client needs a name"
                                    : "a client needs argv, an http URL, connect or write";
    if (desc->log.func)
        desc->log.func(desc->log.user, MCP_LOG_ERROR, ok ? MCP_MISUSE : MCP_NOMEM, why);
    mcp__client_free(k);
    return NULL;
}

#endif /* MCP_NO_CLIENT */

/* ---- >>public ----------------------------------------------------------------------------------
   The face: each function checks what it was given and hands on. Nothing above calls one of
   these. */

MCP_API const char *mcp_status_text(int status) { return mcp__status_text(status); }

#ifndef MCP_NO_STDIO
MCP_API void mcp_log_stderr(void *user, int level, int status, const char *text) {
    mcp__log_stderr(user, level, status, text);
}
#endif

/* ---- servers and connections ---- */
static const mcp__system mcp__the_system = {
#ifdef MCP_NO_OS
    { NULL, NULL }, { NULL, NULL }, NULL, NULL, NULL, NULL, NULL,
#else
    { mcp__os_clock, NULL }, { mcp__os_random, NULL },
#ifdef MCP_TOOLS_ONLY
    NULL, NULL, NULL, NULL, NULL,
#else
    mcp__os_file_size, mcp__file_read, mcp__os_file_load, mcp__os_file_digest, mcp__os_walk,
#endif
#endif
#ifdef MCP_TOOLS_ONLY
    NULL
#else
    &mcp__routes
#endif
};

MCP_API mcp_server *mcp_server_new(const mcp_server_desc *desc) {
    return mcp__server_new(desc, &mcp__the_system);
}

MCP_API void mcp_server_free(mcp_server *s) { mcp__server_free(s); }
MCP_API void mcp_server_stop(mcp_server *s) {
    s->stopped = true;
    mcp__wake(s);
}
MCP_API int mcp_server_set_tools(mcp_server *s, const mcp_tool *tools) {
    return mcp__replace(s, MCP__TOOL, tools);
}
MCP_API int mcp_server_set_resources(mcp_server *s, const mcp_resource *resources) {
    return mcp__replace(s, MCP__RESOURCE, resources);
}
MCP_API int mcp_server_set_prompts(mcp_server *s, const mcp_prompt *prompts) {
    return mcp__replace(s, MCP__PROMPT, prompts);
}
MCP_API void mcp_server_changed(mcp_server *s, unsigned lists) { mcp__changed(s, lists); }
MCP_API void mcp_server_touch(mcp_server *s, const char *uri) { mcp__touch(s, uri ? uri : ""); }
#ifndef MCP_NO_HTTP
MCP_API int mcp_http_handle(mcp_server *s, const mcp_http_request *request, mcp_reply_hook reply) {
    MCP_ASSERT(s && request && request->method && request->target && reply.func);
    return mcp__http_handle(s, request, reply);
}
MCP_API void mcp_http_gone(mcp_server *s, void *reply_user) { mcp__http_gone(s, reply_user); }
#endif

MCP_API int64_t mcp_poll(mcp_server *s) { return mcp__poll(s); }
MCP_API int mcp_after(mcp_server *s, int64_t ms, void (*func)(void *arg), void *arg) {
    return mcp__after(s, ms, func, arg);
}
MCP_API int mcp_post(mcp_server *s, void (*func)(void *arg), void *arg) {
    return mcp__post(s, func, arg);
}

#ifndef MCP_NO_OS
MCP_API int mcp_server_run(mcp_server *s, unsigned where) {
    MCP_ASSERT(where == MCP_LINES || where == MCP_HTTP);
#ifndef MCP_NO_HTTP
    if (where == MCP_HTTP) return mcp__serve_sockets(s);
#endif
    return where == MCP_LINES ? mcp__serve_lines(s) : MCP_MISUSE;
}

static int mcp__serve_desc(const mcp_server_desc *desc, int (*serve)(mcp_server *s)) {
    mcp_server_desc d;
    MCP_ASSERT(desc);
    d = *desc;
#ifndef MCP_NO_STDIO
    if (!d.log.func) d.log.func = mcp__log_stderr;
#endif
    mcp_server *s = mcp__server_new(&d, &mcp__the_system);
    if (!s) return 1;
    int rc = serve(s);
    if (rc) mcp__log(&s->desc, MCP_LOG_ERROR, rc, mcp__status_text(rc));
    mcp__server_free(s);
    return rc ? 1 : 0;
}

MCP_API int mcp_serve_stdio(const mcp_server_desc *desc) {
    return mcp__serve_desc(desc, mcp__serve_lines);
}

#ifndef MCP_NO_HTTP
MCP_API int mcp_serve_http(const mcp_server_desc *desc) {
    return mcp__serve_desc(desc, mcp__serve_sockets);
}
MCP_API int mcp_serve_cgi(const mcp_server_desc *desc) {
    return mcp__serve_desc(desc, mcp__serve_cgi);
}
#endif
#endif

#ifndef MCP_TOOLS_ONLY
MCP_API int mcp_app_csp(const mcp_json *ui, char *buf, size_t n) {
    MCP_ASSERT(buf || !n);
    return mcp__app_csp((const char *)ui, buf, n);
}
#endif

MCP_API mcp_conn *mcp_conn_new(mcp_server *s, unsigned framing, mcp_write_hook write) {
    if (!s) return NULL; /* as mcp_server_new may have said */
    MCP_ASSERT((framing == MCP_LINES || framing == MCP_HTTP) && write.func);
#ifndef MCP_NO_HTTP
    if (framing == MCP_HTTP) return mcp__wire_new(s, write);
#endif
    return mcp__conn_new(s, framing, write, "conn");
}
MCP_API void mcp_conn_free(mcp_conn *k) {
    if (k) k->free(k);
}
MCP_API int mcp_conn_identify(mcp_conn *k, const char *principal) {
    return mcp__conn_identify(k, principal ? principal : "");
}
MCP_API int mcp_feed(mcp_conn *k, const void *bytes, size_t n) {
    return k->feed(k, (const char *)bytes, n);
}

/* ---- in a handler: what was asked ---- */
MCP_API const char *mcp_arg_strn(mcp_call *c, const char *name, size_t *n) {
    size_t size = 0;
    const char *s = mcp__json_text(mcp__arg(c, name), &size);
    if (n) *n = s ? size : 0;
    return s ? s : "";
}

MCP_API const char *mcp_arg_str(mcp_call *c, const char *name) {
    size_t n = 0;
    const char *s = mcp__json_text(mcp__arg(c, name), &n);
    return s && strlen(s) == n ? s : ""; /* a C string cannot hold a NUL: rather none than half */
}

MCP_API double mcp_arg_num(mcp_call *c, const char *name) {
    double v = 0;
    mcp__num n;
    if (mcp__json_num(mcp__arg(c, name), &n) != MCP_OK) return 0;
    return mcp__num_double(&n, &v) == MCP_OK ? v : 0;
}

MCP_API int64_t mcp_arg_int(mcp_call *c, const char *name) {
    int64_t v = 0;
    mcp__num n;
    if (mcp__json_num(mcp__arg(c, name), &n) != MCP_OK) return 0;
    return mcp__num_int(&n, &v) == MCP_OK ? v : 0;
}

MCP_API bool mcp_arg_bool(mcp_call *c, const char *name) {
    return mcp__json_true(mcp__arg(c, name));
}
MCP_API bool mcp_arg_given(mcp_call *c, const char *name) { return mcp__arg(c, name) != NULL; }
MCP_API const mcp_json *mcp_args(mcp_call *c) { return (const mcp_json *)c->args; }
MCP_API const mcp_caller *mcp_caller_of(mcp_call *c) { return mcp__caller(c); }
MCP_API const char *mcp_header(mcp_call *c, const char *name) {
    const char *value = mcp__header_of(c->conn->headers, name, NULL);
    return value ? value : "";
}
MCP_API mcp_server *mcp_call_server(mcp_call *c) { return c->server; }
MCP_API void *mcp_user(mcp_call *c) { return c->server->desc.user; }
MCP_API const void *mcp_row_user(mcp_call *c) { return c->user; }
MCP_API const char *mcp_uri(mcp_call *c) { return c->uri ? c->uri : ""; }

MCP_API void *mcp_alloc(mcp_call *c, size_t n) {
    void *p = mcp__arena_alloc(&c->arena, n);
    if (!p) mcp__spoil(c, MCP_NOMEM, NULL);
    return p;
}

/* Formats into the call's note buffer; NULL: the failure sticks. */
MCP__PRIVATE const char *mcp__note_vf(mcp_call *c, const char *fmt, va_list ap) {
    mcp__buf *b = &c->buf[MCP__NOTE];
    mcp__buf_reset(b, MCP__KEEP);
    if (mcp__vformat(b, fmt, ap)) return b->ptr;
    return mcp__spoil(c, b->status, NULL), (const char *)NULL;
}

MCP_API char *mcp_format(mcp_call *c, const char *fmt, ...) {
    static char none[1];
    va_list ap;
    va_start(ap, fmt);
    const char *text = mcp__note_vf(c, fmt ? fmt : "", ap);
    va_end(ap);
    char *copy = text ? mcp__arena_copy(&c->arena, text, c->buf[MCP__NOTE].len) : NULL;
    if (!copy) mcp__spoil(c, MCP_NOMEM, NULL);
    return copy ? copy : none;
}

MCP_API const mcp_json *mcp_parse(mcp_call *c, const char *text, size_t n, size_t *error_at) {
    const char *error = NULL;
    int status = MCP_OK;
    size_t skip = 0;
    if (error_at) *error_at = 0;
    if (!c || !text) return NULL;
    while (skip < n && mcp__is_space(text[skip])) skip++;
    char *v = mcp__arena_json(&c->arena, text + skip, n - skip);
    if (!v) return mcp__spoil(c, MCP_NOMEM, NULL), (const mcp_json *)NULL;
    const char *end = mcp__json_check(v, c->server->desc.limits.depth, NULL, &error, &status);
    if (end) error = mcp__json_space(end);
    if (end && error == v + (n - skip)) return (const mcp_json *)v;
    if (error_at) *error_at = skip + (size_t)(error - v);
    return NULL;
}

/* ---- in a handler: the answer ---- */
MCP_API int mcp_text(mcp_call *c, const char *text) { return mcp__text(c, text); }
MCP_API int mcp_textn(mcp_call *c, const char *text, size_t n) { return mcp__textn(c, text, n); }
MCP_API int mcp_textf(mcp_call *c, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    int rc = mcp__textf(c, fmt ? fmt : "", ap);
    va_end(ap);
    return rc;
}
MCP_API mcp_writer *mcp_text_json(mcp_call *c) { return mcp__text_json(c); }
MCP_API int mcp_image(mcp_call *c, const char *mime, const void *bytes, size_t n) {
    return mcp__block(c, MCP_IMAGE, mime, bytes, n);
}
MCP_API int mcp_audio(mcp_call *c, const char *mime, const void *bytes, size_t n) {
    return mcp__block(c, MCP_AUDIO, mime, bytes, n);
}
MCP_API int mcp_blob(mcp_call *c, const char *mime, const void *bytes, size_t n) {
    return mcp__block(c, MCP_BLOB, mime, bytes, n);
}
MCP_API int mcp_link(mcp_call *c, const mcp_resource *to) {
    MCP_ASSERT(to && to->uri);
    return to && to->uri ? mcp__link(c, to) : mcp__spoil(c, MCP_MISUSE, "a link without a URI");
}
#ifndef MCP_NO_OS
MCP_API int mcp_file(mcp_call *c, const char *mime, const char *path) {
    return mcp__file(c, mime, path ? path : "");
}
MCP_API int mcp_file_in(mcp_call *c, const char *mime, const char *dir, const char *path) {
    return mcp__file_in(c, mime, dir ? dir : "", path ? path : "");
}
#endif
MCP_API int mcp_block_begin(mcp_call *c, int kind, const char *mime) {
    return mcp__piece_begin(c, kind, mime);
}
MCP_API int mcp_block_write(mcp_call *c, const void *bytes, size_t n) {
    return mcp__piece_write(c, bytes, n);
}
MCP_API int mcp_block_end(mcp_call *c) { return mcp__piece_end(c); }
MCP_API int mcp_embed(mcp_call *c, const char *uri, const char *mime) {
    return mcp__embed(c, uri, mime);
}
MCP_API int mcp_role(mcp_call *c, int role) { return mcp__role(c, role); }
MCP_API int mcp_annotate(mcp_call *c, const mcp_annotations *a) { return mcp__annotate(c, a); }
MCP_API mcp_writer *mcp_block_meta(mcp_call *c) { return mcp__block_meta(c); }
MCP_API mcp_writer *mcp_result_meta(mcp_call *c) { return mcp__result_meta(c); }
MCP_API mcp_writer *mcp_structured(mcp_call *c) { return mcp__structured(c); }
MCP_API int mcp_complete(mcp_call *c, const char *value) {
    return value ? mcp__complete(c, value, strlen(value)) : MCP_OK;
}
MCP_API int mcp_not_found(mcp_call *c, const char *what) {
    return mcp__not_found(c, what ? what : "");
}
MCP_API int mcp_fail(mcp_call *c, const char *text) { return mcp__fail(c, text); }
MCP_API int mcp_failf(mcp_call *c, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    const char *text = mcp__note_vf(c, fmt ? fmt : "", ap);
    va_end(ap);
    return text ? mcp__fail(c, text) : c->status;
}
MCP_API int mcp_error(mcp_call *c, int code, const char *text) { return mcp__error(c, code, text); }
MCP_API int mcp_http_status(mcp_call *c, int status) {
    if (status < 200 || status > 599) return mcp__spoil(c, MCP_MISUSE, "no such HTTP status");
    c->rest_status = status;
    return mcp__settle(c);
}
MCP_API int mcp_errorf(mcp_call *c, int code, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    const char *text = mcp__note_vf(c, fmt ? fmt : "", ap);
    va_end(ap);
    return text ? mcp__error(c, code, text) : c->status;
}

/* ---- in a handler: while it works ---- */
MCP_API int mcp_progress(mcp_call *c, double done, double total, const char *text) {
    return mcp__progress(c, done, total, text);
}
MCP_API int mcp_logf(mcp_call *c, int level, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    int rc = mcp__logf(c, level, fmt ? fmt : "", ap);
    va_end(ap);
    return rc;
}
MCP_API mcp_writer *mcp_log_begin(mcp_call *c, int level) { return mcp__log_begin(c, level); }
MCP_API int mcp_log_end(mcp_call *c) { return mcp__log_end(c); }
MCP_API bool mcp_cancelled(mcp_call *c) { return mcp__cancelled(c); }
MCP_API int mcp_defer(mcp_call *c) { return mcp__defer(c); }
MCP_API void mcp_done(mcp_call *c, int status) { mcp__done(c, status); }
MCP_API void mcp_on_cancel(mcp_call *c, void (*func)(void *arg), void *arg) {
    mcp__on_cancel(c, func, arg);
}
/* -- asking back -- */

static mcp_call *mcp__asks_now(mcp_call *c) {
    c->asking = c->server->asking = &mcp__asks;
    return c;
}

MCP_API int mcp_ask(mcp_call *c, const char *key, const char *message, const mcp_arg *form) {
    return mcp__ask(mcp__asks_now(c), key, message, form);
}
MCP_API int mcp_ask_url(mcp_call *c, const char *key, const char *message, const char *url) {
    return mcp__ask_url(mcp__asks_now(c), key, message, url);
}
MCP_API int mcp_sample(mcp_call *c, const char *key, const mcp_sampling *what) {
    return mcp__sample(mcp__asks_now(c), key, what);
}
MCP_API int mcp_roots(mcp_call *c, const char *key) { return mcp__roots(mcp__asks_now(c), key); }
MCP_API const mcp_json *mcp_answer(mcp_call *c, const char *key) {
    return (const mcp_json *)mcp__answer_of(mcp__asks_now(c), key);
}
MCP_API int mcp_keep(mcp_call *c, const void *bytes, size_t n) {
    return mcp__keep(mcp__asks_now(c), bytes, n);
}
MCP_API size_t mcp_kept(mcp_call *c, void *bytes, size_t n) {
    return mcp__kept(mcp__asks_now(c), bytes, n);
}

MCP_API int mcp_hang_up(mcp_call *c, int64_t retry_ms) {
#ifndef MCP_NO_HTTP
    if (c->conn->exchange) return mcp__hang_up(c, retry_ms);
#endif
    (void)retry_ms;
    return mcp__settle(c);
}

/* ---- clients ---- */
#ifndef MCP_NO_CLIENT
MCP_API mcp_client *mcp_client_new(const mcp_client_desc *desc) {
    return mcp__client_new(desc, mcp__the_system.clock);
}
MCP_API void mcp_client_free(mcp_client *k) { mcp__client_free(k); }
MCP_API const mcp_json *mcp_client_server(mcp_client *k) {
    return (const mcp_json *)mcp__client_server(k);
}
MCP_API mcp_writer *mcp_client_request(mcp_client *k, const char *method) {
    return mcp__client_begin(k, method ? method : "", MCP__IN_PARAMS, NULL, NULL);
}
MCP_API mcp_writer *mcp_client_call(mcp_client *k, const char *tool) {
    return mcp__client_begin(k, "tools/call", MCP__IN_ARGUMENTS, "name", tool ? tool : "");
}
MCP_API mcp_writer *mcp_client_prompt(mcp_client *k, const char *prompt) {
    return mcp__client_begin(k, "prompts/get", MCP__IN_ARGUMENTS, "name", prompt ? prompt : "");
}
MCP_API mcp_writer *mcp_client_read(mcp_client *k, const char *uri) {
    return mcp__client_begin(k, "resources/read", MCP__IN_PARAMS, "uri", uri ? uri : "");
}
MCP_API mcp_writer *mcp_client_complete(mcp_client *k, const char *of, const char *arg,
                                        const char *value) {
    return mcp__client_complete(k, of ? of : "", arg ? arg : "", value ? value : "");
}
MCP_API mcp_writer *mcp_client_meta(mcp_client *k) { return &k->meta; }
MCP_API const mcp_json *mcp_client_wait(mcp_client *k) {
    return (const mcp_json *)mcp__client_wait(k);
}
MCP_API const mcp_json *mcp_client_list(mcp_client *k, const char *what, const char *cursor) {
    return (const mcp_json *)mcp__client_list(k, what ? what : "", cursor);
}
MCP_API void mcp_client_forget(mcp_client *k) {
    for (size_t i = 0; i < MCP__CACHES; i++) k->list[i].until_ns = 0;
}
MCP_API const mcp_failure *mcp_client_failure(mcp_client *k) { return &k->failure; }
MCP_API int64_t mcp_client_send(mcp_client *k) {
    const mcp__request *r = mcp__client_send(k);
    return r ? r->id : 0;
}
MCP_API int64_t mcp_client_listen(mcp_client *k, unsigned lists, const char *uris) {
    const mcp__request *r = mcp__client_listen(k, lists, uris);
    return r ? r->id : 0;
}
MCP_API void mcp_client_cancel(mcp_client *k, int64_t id) { mcp__client_cancel(k, id); }
MCP_API const mcp_json *mcp_client_result(mcp_client *k, int64_t id) {
    return (const mcp_json *)mcp__client_result(k, id);
}
MCP_API int mcp_client_poll(mcp_client *k, int64_t timeout_ms) {
    return mcp__client_poll(k, timeout_ms);
}
MCP_API int mcp_client_feed(mcp_client *k, const void *bytes, size_t n) {
    return mcp__client_feed(k, (const char *)bytes, n);
}
#endif

/* -- JSON values -- */

struct mcp_json { char _at; };      /* never one of its own: the first byte of a checked value */

MCP__PRIVATE const char *mcp__value(const mcp_json *v, const char *key) {
    const char *p = (const char *)v;
    return key ? mcp__json_get(p, key, strlen(key)) : p;
}

MCP_API const mcp_json *mcp_get(const mcp_json *v, const char *key) {
    return (const mcp_json *)mcp__value(v, key);
}

MCP_API const mcp_json *mcp_at(const mcp_json *v, size_t i) {
    const char *p = mcp__json_first((const char *)v);
    while (p && i--) p = mcp__json_next(p);
    return (const mcp_json *)p;
}

MCP_API const mcp_json *mcp_first(const mcp_json *v) {
    return (const mcp_json *)mcp__json_first((const char *)v);
}

MCP_API const mcp_json *mcp_next(const mcp_json *v) {
    return (const mcp_json *)mcp__json_next((const char *)v);
}

MCP_API const char *mcp_key(const mcp_json *v) {
    size_t n;
    const char *text = mcp__json_text(mcp__json_key((const char *)v), &n);
    return !text ? NULL : strlen(text) == n ? text : "";
}

MCP_API size_t mcp_count(const mcp_json *v) {
    size_t n = 0;
    for (const char *p = mcp__json_first((const char *)v); p; p = mcp__json_next(p)) n++;
    return n;
}

MCP_API mcp_type mcp_type_of(const mcp_json *v) {
    return mcp__json_type((const char *)v);
}

MCP_API const char *mcp_get_strn(const mcp_json *v, const char *key, size_t *n) {
    size_t unused;
    const char *text = mcp__json_text(mcp__value(v, key), n ? n : &unused);
    return text ? text : "";
}

MCP_API const char *mcp_get_str(const mcp_json *v, const char *key) {
    size_t n;
    const char *text = mcp__json_text(mcp__value(v, key), &n);
    return text && strlen(text) == n ? text : "";   /* text that holds a NUL is no C string */
}

MCP_API const char *mcp_get_raw(const mcp_json *v, const char *key, size_t *n) {
    const char *p = mcp__value(v, key);
    mcp__str raw = { "", 0 };
    if (p) raw = mcp__json_raw(p);
    if (n) *n = raw.n;
    return raw.s;
}

MCP_API double mcp_get_num(const mcp_json *v, const char *key) {
    mcp__num x;
    double d;
    if (mcp__json_num(mcp__value(v, key), &x) || mcp__num_double(&x, &d)) return 0;
    return d;
}

MCP_API int mcp_try_int(const mcp_json *v, const char *key, int64_t *out) {
    const char *p = mcp__value(v, key);
    mcp__num x;
    *out = 0;
    if (!p) return MCP_UNSUPPORTED;
    return mcp__json_num(p, &x) ? MCP_SYNTAX : mcp__num_int(&x, out);
}

MCP_API int64_t mcp_get_int(const mcp_json *v, const char *key) {
    mcp__num x;
    int64_t i;
    return mcp__json_num(mcp__value(v, key), &x) || mcp__num_int(&x, &i) ? 0 : i;
}

MCP_API bool mcp_get_bool(const mcp_json *v, const char *key) {
    return mcp__json_true(mcp__value(v, key));
}

/* -- JSON writing -- */

MCP_API void mcp_put_obj(mcp_writer *w, const char *key) { mcp__put_obj(w, key); }
MCP_API void mcp_put_arr(mcp_writer *w, const char *key) { mcp__put_arr(w, key); }
MCP_API void mcp_put_end(mcp_writer *w) { mcp__put_end(w); }

MCP_API void mcp_put_str(mcp_writer *w, const char *key, const char *value) {
    mcp__put_str(w, key, value);
}

MCP_API void mcp_put_strn(mcp_writer *w, const char *key, const char *value, size_t n) {
    mcp__put_strn(w, key, value, n);
}

MCP_API void mcp_put_strf(mcp_writer *w, const char *key, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    mcp__put_vf(w, key, fmt, ap);
    va_end(ap);
}

MCP_API void mcp_put_num(mcp_writer *w, const char *key, double value) {
    mcp__put_num(w, key, value);
}

MCP_API void mcp_put_int(mcp_writer *w, const char *key, int64_t value) {
    mcp__put_int(w, key, value);
}

MCP_API void mcp_put_bool(mcp_writer *w, const char *key, bool value) {
    mcp__put_bool(w, key, value);
}

MCP_API void mcp_put_null(mcp_writer *w, const char *key) { mcp__put_null(w, key); }

MCP_API void mcp_put_blob(mcp_writer *w, const char *key, const void *bytes, size_t n) {
    mcp__put_blob(w, key, bytes, n);
}

MCP_API void mcp_put_json(mcp_writer *w, const char *key, const mcp_json *value) {
    mcp__put_json(w, key, (const char *)value);
}

MCP_API void mcp_put_raw(mcp_writer *w, const char *key, const char *json) {
    mcp__put_raw(w, key, json);
}

MCP_API void mcp_writer_init(mcp_writer *w, char *buf, size_t n, mcp_write_hook sink) {
    mcp__writer_init(w, buf, n, sink);
}

MCP_API int mcp_writer_end(mcp_writer *w) { return mcp__writer_end(w); }

/* -- JSON reading in pieces -- */

MCP_API void mcp_reader_init(mcp_reader *r, void *scratch, size_t n) {
    mcp__reader_init(r, scratch, n);
}

MCP_API void mcp_reader_feed(mcp_reader *r, const void *bytes, size_t n) {
    mcp__reader_feed(r, bytes, n);
}

MCP_API int mcp_read(mcp_reader *r) { return mcp__read(r); }

MCP_API void mcp_read_skip(mcp_reader *r) { mcp__read_skip(r); }

MCP_API double mcp_read_num(const mcp_reader *r) {
    return mcp__read_double(r);
}

MCP_API int mcp_read_int(const mcp_reader *r, int64_t *out) {
    mcp__num x;
    *out = 0;
    return mcp__read_num(r, &x) ? MCP_SYNTAX : mcp__num_int(&x, out);
}

#ifndef MCP_NO_TRACE

#ifndef MCP_NO_STDIO
MCP_API void mcp_trace_stderr(void *user, const mcp_span *span) {
    (void)user;
    mcp__line_print(stderr, span, mcp__line_span);
}

MCP_API void mcp_trace_json(void *file, const mcp_span *span) {
    mcp__line_print(file ? (FILE *)file : stderr, span, mcp__otlp_request);
}
#endif

MCP_API void mcp_span_begin(mcp_call *c, const char *name) {
    mcp__trace_push(&c->trace, name ? name : "");
}

MCP_API void mcp_span_attr(mcp_call *c, const char *key, const char *value) {
    if (key && value) mcp__trace_attr(&c->trace, key, value, strlen(value));
}

MCP_API void mcp_span_end(mcp_call *c, int status) { mcp__trace_pop(&c->trace, status); }
MCP_API const mcp_span *mcp_span_current(mcp_call *c) { return mcp__trace_current(&c->trace); }
MCP_API const char *mcp_traceparent(mcp_call *c) { return mcp__trace_parent(&c->trace); }

#endif

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* MCP_IMPLEMENTATION */

/* ---- >>license ---------------------------------------------------------------------------------
   Revision history

       0.1.0   servers over stdio, or a byte stream of yours, in five protocol versions

   MIT License

   Copyright (c) 2026 the mcp.h authors

   Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
   associated documentation files (the "Software"), to deal in the Software without restriction,
   including without limitation the rights to use, copy, modify, merge, publish, distribute,
   sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
   furnished to do so, subject to the following conditions:

   The above copyright notice and this permission notice shall be included in all copies or
   substantial portions of the Software.

   THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT
   NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
   NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM,
   DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
   OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
*/
