/* preview.c - a host for the pages of any MCP server: what a person sees, what the model gets

       preview [--tool T] [--args JSON] [--open CARD] [--port N] [--deny TOOL]... -- ./server ARG...
       preview [...] --url http://127.0.0.1:8080/mcp

   Open the address that it prints. The host and the pages that it shows have two origins, a port
   each. Between the host and a page stands preview/proxy.js, under the policy that the page
   declared, which leaves as a header and is the page's, too. What a page asks for is looked at
   twice, by preview/host.js and here: only what a page may do reaches the server. "make" writes
   preview/host.html and proxy.html into the program. POSIX. */
#define _POSIX_C_SOURCE 200809L
#define MCP_IMPLEMENTATION
#include "mcp.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#ifdef HOST /* the files with the arrays */
#include HOST
#include PROXY
#else
static const char host_html[] = "<!doctype html><p>Built without its page: see the Makefile.";
static const char proxy_html[] = "";
#endif

static mcp_client *client;
static const char *start_tool = "", *start_args = "{}", *denied[32];
static size_t denials;
static char token[33], *card;       /* who may ask us; what --open brought */
static char page_token[33];         /* where proxies are: the pages behind them see it */
static int port, page_port;

static void die(const char *what, const char *why) {
    fprintf(stderr, "preview: %s%s%s\n", what, *why ? ": " : "", why);
    exit(1);
}

/* ---- text that grows ---- */

typedef struct text { char *at; size_t n, room; } text;
static int add(void *user, const void *bytes, size_t n) {
    text *t = (text *)user;
    if (t->n + n + 1 > t->room) {
        t->room = 2 * (t->n + n) + 4096;
        t->at = (char *)realloc(t->at, t->room);
        if (!t->at) die("out of memory", "");
    }
    memcpy(t->at + t->n, bytes, n);
    t->n += n;
    t->at[t->n] = 0;
    return MCP_OK;
}
static void add_text(text *t, const char *s) { add(t, s, strlen(s)); }

/* html, with a value for the mark in it. */
static void add_filled(text *t, const char *html, const char *mark, const char *value) {
    const char *at = strstr(html, mark);
    add(t, html, at ? (size_t)(at - html) : strlen(html));
    if (at) add_text(t, value), add_text(t, at + strlen(mark));
}

static void writer_on(mcp_writer *w, char *buf, size_t n, text *t) {
    mcp_write_hook sink = { add, t };
    mcp_writer_init(w, buf, n, sink);
}

/* What the server says besides: it rides along with the next answer. */
static text events;
static void heard(void *user, const char *method, const mcp_json *params) {
    char buf[512];
    mcp_writer w;
    (void)user;
    if (events.n > 1 << 20) return; /* nobody looks */
    if (events.n) add_text(&events, ",");
    writer_on(&w, buf, sizeof buf, &events);
    mcp_put_str(&w, "method", method);
    mcp_put_json(&w, "params", params);
    mcp_writer_end(&w);
}

/* ---- pages that were opened: their policies ---- */

static char policies[256][2048];    /* the oldest makes room */
static size_t opened;

static size_t base64(const char *s, char *out) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t n = 0;
    unsigned bits = 0, have = 0;
    for (const char *at; *s && (at = strchr(digits, *s)) != NULL; s++) {
        bits = bits << 6 | (unsigned)(at - digits), have += 6;
        if (have >= 8) out[n++] = (char)(bits >> (have -= 8) & 255);
    }
    return n;
}

/* Writes the page of a resources/read, and keeps its policy; false: there was no page. */
static bool put_page(const mcp_json *result, mcp_writer *w) {
    const mcp_json *item = mcp_at(mcp_get(result, "contents"), 0);
    const mcp_json *ui = mcp_get(mcp_get(item, "_meta"), "ui");
    bool blob = mcp_get(item, "blob") != NULL;
    size_t n;
    const char *s = mcp_get_strn(item, blob ? "blob" : "text", &n);
    char *csp = policies[opened % (sizeof policies / sizeof *policies)];
    if (strcmp(mcp_get_str(item, "mimeType"), "text/html;profile=mcp-app")) return false;
    char *bytes = (char *)malloc(n + 1);
    if (!bytes) die("out of memory", "");
    if (blob) n = base64(s, bytes);
    mcp_put_strn(w, "html", blob ? bytes : s, n);
    free(bytes);
    if (mcp_app_csp(ui, csp, sizeof *policies)) mcp_app_csp(NULL, csp, sizeof *policies);
    mcp_put_strf(w, "url", "http://127.0.0.1:%d/%s/%d", page_port, page_token, (int)opened++);
    mcp_put_str(w, "csp", csp);
    mcp_put_json(w, "ui", ui);
    return true;
}

/* ---- connections: one request each ---- */

typedef struct peer {
    int fd;
    bool pages;                     /* came to the other origin */
    text in;
    int64_t waits;                  /* for this answer of the server's, or 0 */
    bool begun;                     /* the head of our answer is out */
    bool opens;                     /* which is to become a page */
} peer;
static peer peers[64];

static void hang_up(peer *p) {
    if (p->waits) mcp_client_cancel(client, p->waits);
    close(p->fd);
    free(p->in.at);
    memset(p, 0, sizeof *p);
    p->fd = -1;
}

static void send_all(int fd, const char *s, size_t n) {
    struct pollfd wait = { fd, POLLOUT, 0 };
    while (n) {
        ssize_t sent = send(fd, s, n, 0);
        if (sent < 0 && errno != EAGAIN && errno != EINTR) return;
        if (sent > 0) s += sent, n -= (size_t)sent;
        else if (poll(&wait, 1, 5000) <= 0) return;
    }
}

/* length: a header, or "": the body ends with the connection. */
static bool send_head(peer *p, const char *status, const char *headers, const char *length) {
    char head[4096];
    int size = snprintf(head, sizeof head, "HTTP/1.1 %s\r\n%s"
                        "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
                        "Referrer-Policy: no-referrer\r\nConnection: close\r\n%s\r\n", status,
                        length, headers);
    p->begun = size > 0 && size < (int)sizeof head;
    if (p->begun) send_all(p->fd, head, (size_t)size);
    return p->begun;
}

static void respond(peer *p, const char *status, const char *headers, const char *s, size_t n) {
    char length[64];
    snprintf(length, sizeof length, "Content-Length: %zu\r\n", n);
    p->waits = 0;
    if (p->begun || send_head(p, status, headers, length)) send_all(p->fd, s, n);
    hang_up(p);
}

static void respond_json(peer *p, const text *t) {
    respond(p, "200 OK", "Content-Type: application/json\r\n", t->at, t->n);
}

/* The answer will take its time; which request it is to is told now. */
static void promise_json(peer *p) {
    char headers[100];
    snprintf(headers, sizeof headers, "Content-Type: application/json\r\nX-Request: %lld\r\n",
             (long long)p->waits);
    send_head(p, "200 OK", headers, "");
}

/* {"result":...,"events":[...]} or {"error":{"code","message"},...} */
static void answer(peer *p, const mcp_json *result, int code, const char *why) {
    char buf[4096];
    text t = { NULL, 0, 0 };
    mcp_writer w;
    writer_on(&w, buf, sizeof buf, &t);
    if (result && p->opens) {
        mcp_put_obj(&w, "result");
        bool there = put_page(result, &w);
        mcp_put_end(&w);
        if (!there) mcp_put_str(&w, "missing", "the resource is no page");
    } else if (result) mcp_put_json(&w, "result", result);
    else {
        mcp_put_obj(&w, "error");
        mcp_put_int(&w, "code", code ? code : MCP_INTERNAL_ERROR);
        mcp_put_str(&w, "message", why);
        mcp_put_end(&w);
    }
    text list = { NULL, 0, 0 };
    add_text(&list, "[");
    if (events.n) add(&list, events.at, events.n);
    add_text(&list, "]");
    events.n = 0;
    mcp_put_raw(&w, "events", list.at);
    mcp_writer_end(&w);
    respond_json(p, &t);
    free(list.at);
    free(t.at);
}

static void refuse(peer *p, int code, const char *fmt, const char *name) {
    char why[400];
    snprintf(why, sizeof why, fmt, name);
    answer(p, NULL, code, why);
}

/* ---- what may be asked ---- */

/* Whether that tool is for "model" or "app"; unknown ones are the server's to refuse. */
static bool tool_is_for(const char *name, const char *whom) {
    const mcp_json *tools = mcp_get(mcp_client_list(client, "tools", NULL), "tools");
    for (const mcp_json *t = mcp_first(tools); t; t = mcp_next(t)) {
        if (strcmp(mcp_get_str(t, "name"), name)) continue;
        const mcp_json *list = mcp_get(mcp_get(mcp_get(t, "_meta"), "ui"), "visibility");
        for (const mcp_json *v = mcp_first(list); v; v = mcp_next(v))
            if (!strcmp(mcp_get_str(v, NULL), whom)) return true;
        return !list;
    }
    return true;
}

typedef struct query { char method[64], name[256], uri[1024], who[8]; } query;

static int hex(char c) {
    const char *at = c ? strchr("0123456789abcdef0123456789ABCDEF", c) : NULL;
    return at ? (int)(at - "0123456789abcdef0123456789ABCDEF") % 16 : -1;
}

/* ?method=tools%2Fcall&name=x: false, if something is too long, is not known or holds a NUL */
static bool query_read(const char *s, query *q) {
    struct { const char *key; char *value; size_t room; } rows[] = {
        { "method=", q->method, sizeof q->method }, { "name=", q->name, sizeof q->name },
        { "uri=", q->uri, sizeof q->uri }, { "who=", q->who, sizeof q->who } };
    memset(q, 0, sizeof *q);
    while (*s) {
        size_t i = 0, n = 0;
        while (i < 4 && strncmp(s, rows[i].key, strlen(rows[i].key))) i++;
        if (i == 4 || *rows[i].value) return false;
        for (s += strlen(rows[i].key); *s && *s != '&'; s++) {
            int c = *s;
            if (c == '%' && (hex(s[1]) < 0 || hex(s[2]) < 0)) return false;
            if (c == '%') c = hex(s[1]) << 4 | hex(s[2]), s += 2;
            if (!c || n + 1 == rows[i].room) return false;
            rows[i].value[n++] = (char)c;
        }
        if (*s) s++;
    }
    return true;
}

/* Passes a request on to the server, if who asks may. body: a tool's arguments; in a second line
   what a page's call says in _meta. */
static void relay(peer *p, const query *q, char *body) {
    static const char *const methods[] = { "tools/call", "resources/read", "resources/list",
                                           "resources/templates/list", "ping", "tools/list" };
    bool app = strcmp(q->who, "host") != 0, call = !strcmp(q->method, "tools/call");
    size_t i = 0, count = sizeof methods / sizeof *methods - (app ? 1 : 0);
    while (i < count && strcmp(methods[i], q->method)) i++;
    if (i == count) {
        refuse(p, -32601, "Method not supported by this host: %s", q->method);
        return;
    }
    for (size_t d = 0; call && app && d < denials; d++)
        if (!strcmp(denied[d], q->name)) {
            refuse(p, -32000, "The host was told to refuse the tool \"%s\".", q->name);
            return;
        }
    if (call && !tool_is_for(q->name, app ? "app" : "model")) {
        refuse(p, MCP_INVALID_PARAMS, app ? "The app can't call the tool \"%s\"."
                                          : "The model can't call the tool \"%s\".", q->name);
        return;
    }
    mcp_writer *w = call ? mcp_client_call(client, q->name)
                  : *q->uri ? mcp_client_read(client, q->uri)
                            : mcp_client_request(client, q->method);
    char *meta = call ? strchr(body, '\n') : NULL;
    if (meta) *meta++ = 0;
    if (*body && call) mcp_put_raw(w, NULL, body);
    if (meta) mcp_put_raw(mcp_client_meta(client), NULL, meta);
    p->waits = mcp_client_send(client);
    if (p->waits) promise_json(p);
    else {
        const mcp_failure *f = mcp_client_failure(client);
        answer(p, NULL, f->code, f->text);
    }
}

/* Everything that the host's page needs to begin. */
static void respond_state(peer *p) {
    char buf[4096];
    text t = { NULL, 0, 0 };
    mcp_writer w;
    const mcp_json *list = mcp_client_list(client, "tools", NULL);
    writer_on(&w, buf, sizeof buf, &t);
    mcp_put_json(&w, "tools", mcp_get(list, "tools"));
    if (!list) mcp_put_str(&w, "error", mcp_client_failure(client)->text);
    mcp_put_json(&w, "server", mcp_client_server(client));
    mcp_put_str(&w, "tool", start_tool);
    mcp_put_raw(&w, "arguments", start_args);
    if (card) mcp_put_raw(&w, "card", card);
    mcp_writer_end(&w);
    respond_json(p, &t);
    free(t.at);
}

static void respond_host(peer *p) {
    text t = { NULL, 0, 0 };
    char headers[512];
    snprintf(headers, sizeof headers, "Content-Type: text/html; charset=utf-8\r\n"
             "Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; "
             "style-src 'unsafe-inline'; img-src data:; connect-src 'self'; "
             "frame-src http://127.0.0.1:%d; frame-ancestors 'none'\r\n", page_port);
    add_filled(&t, host_html, "@TOKEN@", token);
    respond(p, "200 OK", headers, t.at, t.n);
    free(t.at);
}

/* The other origin: a proxy under a page's policy, which the page inherits; for our frame alone. */
static void respond_proxy(peer *p, const char *path) {
    enum { KEPT = sizeof policies / sizeof *policies };
    size_t n = strlen(path) > 34 ? (size_t)atol(path + 34) : opened;
    char headers[3000], host[64];
    text t = { NULL, 0, 0 };
    if (n >= opened || opened - n > KEPT || path[33] != '/' || strncmp(path + 1, page_token, 32)) {
        respond(p, "404 Not Found", "", "", 0);
        return;
    }
    snprintf(host, sizeof host, "http://127.0.0.1:%d", port);
    snprintf(headers, sizeof headers, "Content-Type: text/html; charset=utf-8\r\n"
             "Content-Security-Policy: %s; frame-ancestors %s\r\n", policies[n % KEPT], host);
    add_filled(&t, proxy_html, "@HOST@", host);
    respond(p, "200 OK", headers, t.at, t.n);
    free(t.at);
}

/* The value of a header in a head that ends with an empty line; "": it is not there. */
static const char *header(const char *head, const char *name, char *value, size_t room) {
    size_t n = strlen(name), i = 0;
    *value = 0;
    for (const char *s = strstr(head, "\r\n"); s && s[2] != '\r'; s = strstr(s + 2, "\r\n")) {
        const char *at = s + 2;
        while (i < n && (at[i] | 32) == name[i]) i++;
        if (i < n || at[n] != ':') { i = 0; continue; }
        for (at += n + 1; *at == ' ';) at++;
        for (i = 0; at[i] != '\r' && i + 1 < room; i++) value[i] = at[i];
        value[i] = 0;
        break;
    }
    return value;
}

/* A whole request: GET /, GET /state, POST /relay?..., POST /open?...; who asks over POST knows the
   token, which no other origin can read, and came by our own name. */
static void serve(peer *p, char *head, char *body) {
    char value[128], own[64], verb[8] = "", target[4096] = "";
    query q;
    sscanf(head, "%7s %4095s", verb, target);
    snprintf(own, sizeof own, "127.0.0.1:%d", p->pages ? page_port : port);
    bool post = !strcmp(verb, "POST");
    if (strcmp(header(head, "host", value, sizeof value), own) || (!post && strcmp(verb, "GET")))
        respond(p, "403 Forbidden", "", "", 0);
    else if (p->pages) respond_proxy(p, target);
    else if (!post && !strcmp(target, "/")) respond_host(p);
    else if (strcmp(header(head, "x-preview", value, sizeof value), token))
        respond(p, "403 Forbidden", "", "", 0);
    else if (!post && !strcmp(target, "/state")) respond_state(p);
    else if (post && (!strncmp(target, "/relay?", 7) || !strncmp(target, "/open?", 6))) {
        p->opens = target[1] == 'o';
        if (query_read(strchr(target, '?') + 1, &q)) relay(p, &q, body);
        else refuse(p, MCP_INVALID_PARAMS, "Invalid request%s", "");
    } else respond(p, "404 Not Found", "", "", 0);
}

static void receive(peer *p) {
    char buf[16384], value[32];
    ssize_t got = recv(p->fd, buf, sizeof buf, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0 || p->waits || p->in.n > 16u << 20) { hang_up(p); return; }
    add(&p->in, buf, (size_t)got);
    char *end = strstr(p->in.at, "\r\n\r\n");
    if (!end) return;
    size_t head = (size_t)(end + 4 - p->in.at);
    size_t size = strtoul(header(p->in.at, "content-length", value, sizeof value), NULL, 10);
    if (p->in.n < head + size) return;
    char *body = (char *)malloc(size + 1);
    if (!body) die("out of memory", "");
    memcpy(body, p->in.at + head, size);
    body[size] = 0;
    serve(p, p->in.at, body);
    free(body);
}

static void look_at(peer *p) { /* has the server answered? */
    const mcp_json *result = mcp_client_result(client, p->waits);
    const mcp_failure *f = mcp_client_failure(client);
    if (!result && f->status == MCP_PENDING) return;
    p->waits = 0; /* it is taken: there is nothing to cancel */
    answer(p, result, f->code, f->text);
}

/* ---- the loop ---- */

static int listen_on(int *at) { /* 0: any port */
    struct sockaddr_in a;
    socklen_t n = sizeof a;
    int fd = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
    memset(&a, 0, sizeof a);
    a.sin_family = AF_INET;
    a.sin_port = htons((uint16_t)*at);
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof a) || listen(fd, 64) ||
        getsockname(fd, (struct sockaddr *)&a, &n)) die("cannot listen", strerror(errno));
    *at = ntohs(a.sin_port);
    return fd;
}

static void accept_one(int listener, bool to_pages) {
    int fd = accept(listener, NULL, NULL);
    size_t i = 0;
    while (i < sizeof peers / sizeof *peers && peers[i].fd >= 0) i++;
    if (fd < 0) return;
    if (i == sizeof peers / sizeof *peers) { close(fd); return; }
    fcntl(fd, F_SETFL, O_NONBLOCK);
    peers[i].fd = fd;
    peers[i].pages = to_pages;
}

static void run(int host_fd, int page_fd) {
    enum { PEERS = sizeof peers / sizeof *peers };
    struct pollfd fds[PEERS + 2];
    for (;;) {
        bool waiting = false;
        for (int i = 0; i < PEERS; i++) {
            fds[i].fd = peers[i].fd, fds[i].events = POLLIN, fds[i].revents = 0;
            waiting |= peers[i].waits != 0;
        }
        fds[PEERS].fd = host_fd, fds[PEERS + 1].fd = page_fd;
        fds[PEERS].events = fds[PEERS + 1].events = POLLIN;
        fds[PEERS].revents = fds[PEERS + 1].revents = 0;
        poll(fds, PEERS + 2, waiting ? 3 : 500);
        mcp_client_poll(client, 0);
        for (int i = 0; i < PEERS; i++) {
            if (fds[i].revents) receive(&peers[i]);
            if (peers[i].waits) look_at(&peers[i]);
        }
        if (fds[PEERS].revents) accept_one(host_fd, false);
        if (fds[PEERS + 1].revents) accept_one(page_fd, true);
    }
}

static char *load(const char *path) {
    char buf[4096];
    text t = { NULL, 0, 0 };
    FILE *f = fopen(path, "rb");
    if (!f) die(path, strerror(errno));
    for (size_t n; (n = fread(buf, 1, sizeof buf, f)) > 0;) add(&t, buf, n);
    fclose(f);
    if (!t.n) die(path, "it is empty");
    return t.at;
}

static void check_json(const char *what, const char *json) {
    char buf[256];
    text t = { NULL, 0, 0 };
    mcp_writer w;
    writer_on(&w, buf, sizeof buf, &t);
    mcp_put_raw(&w, NULL, json);
    if (mcp_writer_end(&w) != MCP_OK || !t.n || *t.at != '{') die(what, "no JSON object");
    free(t.at);
}

static void make_token(char *out) {
    unsigned char bytes[16];
    FILE *f = fopen("/dev/urandom", "rb");
    if (!f || fread(bytes, 1, sizeof bytes, f) != sizeof bytes) die("no random bytes", "");
    fclose(f);
    for (int i = 0; i < 16; i++) snprintf(out + 2 * i, 3, "%02x", bytes[i]);
}

int main(int argc, char **argv) {
    mcp_client_desc desc = { .name = "preview", .version = "1.0.0", .can = MCP_CAN_APPS,
                             .notify = { heard, NULL }, .timeout_ms = 10 * 60 * 1000,
                             .log = { mcp_log_stderr, NULL } };
    int i = 1;
    for (; i + 1 < argc && strcmp(argv[i], "--"); i += 2) {
        if (!strcmp(argv[i], "--tool")) start_tool = argv[i + 1];
        else if (!strcmp(argv[i], "--args")) start_args = argv[i + 1];
        else if (!strcmp(argv[i], "--open")) card = load(argv[i + 1]);
        else if (!strcmp(argv[i], "--port")) port = atoi(argv[i + 1]);
        else if (!strcmp(argv[i], "--url")) desc.url = argv[i + 1];
        else if (!strcmp(argv[i], "--deny") && denials < 32) denied[denials++] = argv[i + 1];
        else break;
    }
    if (i + 1 < argc && !strcmp(argv[i], "--")) desc.argv = (const char *const *)argv + i + 1;
    if (!desc.argv == !desc.url) die("which server? --url URL, or -- PROGRAM ARG...", "");
    check_json("--args", start_args);
    if (card) check_json("--open", card);
    signal(SIGPIPE, SIG_IGN);
    for (i = 0; i < (int)(sizeof peers / sizeof *peers); i++) peers[i].fd = -1;
    make_token(token);
    make_token(page_token);
    client = mcp_client_new(&desc);
    if (!client) die("no client", "");
    int host_fd = listen_on(&port), page_fd = listen_on(&page_port);
    if (!mcp_client_server(client)) die("the server", mcp_client_failure(client)->text);
    printf("http://127.0.0.1:%d/\n", port);
    fflush(stdout);
    run(host_fd, page_fd);
    return 0;
}
