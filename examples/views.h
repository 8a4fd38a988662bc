/* views.h - what lives on a server while a page looks at it: a fixed number of views, of which the
   least recently used makes room; none outlives an idle hour, and each is its owner's alone.

   VIEW_STATE: what a view is about; the includer defines that type. A view's revision counts what
   its page was told: a page that is at another one has missed something, and is told all. */
#ifndef VIEWS_H
#define VIEWS_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { VIEWS = 50, VIEW_IDLE_S = 3600 };
typedef struct view {
    char id[24], owner[64];         /* id "": this one is free */
    int64_t revision, used_s;
    uint64_t turn;                  /* of its last use: seconds are too coarse to tell the oldest */
    VIEW_STATE state;
} view;
typedef struct view_store { view views[VIEWS]; uint64_t turns, opened; } view_store;

/* The owner's view of that name, used now; NULL: it never was, is closed, or made room. */
static view *view_find(view_store *s, const char *id, const char *owner, int64_t now_s) {
    for (size_t i = 0; *id && i < VIEWS; i++) {
        view *v = &s->views[i];
        if (strcmp(v->id, id) || strcmp(v->owner, owner)) continue;
        if (now_s - v->used_s > VIEW_IDLE_S) return NULL;
        v->used_s = now_s;
        v->turn = ++s->turns;
        return v;
    }
    return NULL;
}

/* A blank one; NULL: nobody has so long a name. */
static view *view_open(view_store *s, const char *owner, int64_t now_s) {
    view *v = s->views;
    if (strlen(owner) >= sizeof v->owner) return NULL;
    for (size_t i = 1; i < VIEWS; i++)
        if (s->views[i].turn < v->turn) v = &s->views[i]; /* a free one has had no turn */
    memset(v, 0, sizeof *v);
    snprintf(v->id, sizeof v->id, "v%llu", (unsigned long long)++s->opened);
    strcpy(v->owner, owner);
    v->used_s = now_s;
    v->turn = ++s->turns;
    return v;
}

static void view_close(view *v) { memset(v, 0, sizeof *v); }

#endif
