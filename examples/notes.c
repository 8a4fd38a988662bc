/* notes.c - a directory of notes: a template whose notes are listed, completed and watched

       notes [DIRECTORY] [--http [PORT]]     note://ID is ID.txt in there */
#define MCP_IMPLEMENTATION
#include "mcp.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *dir = ".";

static int read_note(mcp_call *c) {   /* mcp_file_in never leaves dir */
    const char *id = mcp_arg_str(c, "id");
    if (*id == '.') return mcp_not_found(c, mcp_uri(c));
    return mcp_file_in(c, NULL, dir, mcp_format(c, "%s.txt", id));
}

/* Calls found for each note that is there. */
static int each_note(mcp_call *c, void (*found)(mcp_call *c, const char *id)) {
    DIR *d = opendir(dir);
    if (!d) return mcp_failf(c, "%s cannot be read", dir);
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        size_t n = strlen(e->d_name);
        if (n > 4 && *e->d_name != '.' && !strcmp(e->d_name + n - 4, ".txt"))
            found(c, mcp_format(c, "%.*s", (int)n - 4, e->d_name));
    }
    closedir(d);
    return MCP_OK;
}

static void link_note(mcp_call *c, const char *id) {
    mcp_resource note = { 0 };
    note.uri = mcp_format(c, "note://%s", id);
    note.name = id;
    mcp_link(c, &note);
}

static void offer_note(mcp_call *c, const char *id) {   /* if it begins with what is typed */
    const char *typed = mcp_arg_str(c, "id");
    if (!strncmp(id, typed, strlen(typed))) mcp_complete(c, id);
}

static int list_notes(mcp_call *c) { return each_note(c, link_note); }
static int complete_id(mcp_call *c) { return each_note(c, offer_note); }

static char *path_of(mcp_call *c) {   /* of the note that a tool was given; NULL: it has failed */
    const char *id = mcp_arg_str(c, "id");
    if (*id && *id != '.' && !strpbrk(id, "/\\:")) return mcp_format(c, "%s/%s.txt", dir, id);
    mcp_fail(c, "an id has no slash, and no dot at its beginning");
    return NULL;
}

static int write_note(mcp_call *c) {
    size_t n;
    const char *path = path_of(c), *text = mcp_arg_strn(c, "text", &n);
    FILE *f = path ? fopen(path, "rb") : NULL;
    bool fresh = !f;
    if (!path) return MCP_OK;
    if (f) fclose(f);
    f = fopen(path, "wb");
    bool ok = f && fwrite(text, 1, n, f) == n;
    if (f) ok = !fclose(f) && ok;
    if (!ok) return mcp_failf(c, "%s cannot be written", path);
    if (fresh) mcp_server_changed(mcp_call_server(c), MCP_RESOURCES);   /* the list grew */
    else mcp_server_touch(mcp_call_server(c), mcp_format(c, "note://%s", mcp_arg_str(c, "id")));
    return mcp_text(c, fresh ? "added" : "replaced");
}

static int delete_note(mcp_call *c) {
    const char *path = path_of(c);
    if (!path) return MCP_OK;
    if (remove(path)) return mcp_not_found(c, mcp_arg_str(c, "id"));
    mcp_server_changed(mcp_call_server(c), MCP_RESOURCES);
    return mcp_text(c, "deleted");
}

static const mcp_arg note_args[] = {
    { .name = "id", .desc = "the note's name", .complete = complete_id }, { 0 } };
static const mcp_arg id_args[] = {
    { .name = "id", .flags = MCP_REQUIRED, .min_length = 1, .max_length = 60 }, { 0 } };
static const mcp_arg write_args[] = {
    { .name = "id", .flags = MCP_REQUIRED, .min_length = 1, .max_length = 60 },
    { .name = "text", .flags = MCP_REQUIRED }, { 0 } };

static const mcp_resource resources[] = {
    { .uri = "note://", .name = "help", .text = "One note an id: write_note, delete_note." },
    { .uri = "note://{id}", .name = "note", .read = read_note, .args = note_args,
      .list = list_notes },
    { 0 } };
static const mcp_tool tools[] = {
    { .name = "write_note", .desc = "Adds or replaces a note.", .args = write_args,
      .call = write_note, .hints = MCP_DESTRUCTIVE | MCP_IDEMPOTENT | MCP_NOT_OPEN_WORLD },
    { .name = "delete_note", .desc = "Deletes a note.", .args = id_args, .call = delete_note,
      .hints = MCP_DESTRUCTIVE | MCP_NOT_OPEN_WORLD },
    { 0 } };

int main(int argc, char **argv) {
    mcp_server_desc desc = { .name = "notes", .tools = tools, .resources = resources,
                             .flags = MCP_SUBSCRIBE, .changes = MCP_RESOURCES };
    int http = 1;
    while (http < argc && strcmp(argv[http], "--http")) http++;
    if (http > 1) dir = argv[1];
    if (http >= argc) return mcp_serve_stdio(&desc);
    if (http + 1 < argc) desc.http.port = atoi(argv[http + 1]);
    return mcp_serve_http(&desc); /* http://127.0.0.1:8080/mcp */
}
