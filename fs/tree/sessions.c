#include "fs/tree/sessions.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>

/* The memory of so many rows is returned to the system at once. */
#define TRIM_FROM 1000

/* What has changed is stored so often, in ms. */
#define STORE_MS 60000

/* What the functions of a catalogue need. */
struct scope {
	struct tree *tree;
	bool is_folder; /* it is of a folder below SOURCE */
	int err;	/* of that, or of SOURCE, if it is one */
};

struct sessions {
	pthread_mutex_t lock; /* protects these; its order: fs/kernel/fs.h */
	struct scope scope;
	struct catalogue catalogue;
	uint64_t begun; /* refreshes; atomic */
	uint64_t done;	/* the last one that has ended well */
	uint64_t epoch; /* of that one: places_epoch() */
	bool is_kept;	/* it is current for good */
};

struct sessions *sessions_new(void)
{
	struct sessions *s = calloc(1, sizeof(*s));
	if (s)
		s->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	return s;
}

void sessions_free(struct sessions *s)
{
	if (!s)
		return;
	catalogue_free(&s->catalogue);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

/* -- a catalogue of SOURCE, or of a folder below it */

/* Of a session in memory the appended lines alone have to be read. */
static bool visit(void *data, const char *path, catalogue_take *take, void *arg,
		  int *err)
{
	const struct scope *scope = data;
	struct places *p = scope->tree->places;
	struct place *at;
	uint32_t number = 0;
	bool found = false;
	while (!found && (at = places_next_loaded(p, &number))) {
		found = strcmp(at->path, path) == 0;
		if (found)
			*err = tree_enter_place(scope->tree, at);
		if (found && !*err) {
			*err = take(arg, at->session);
			place_leave(at);
		}
		place_put(at);
	}
	return found;
}

static void enters(void *data, int folder)
{
	const struct scope *scope = data;
	places_watch_folder(scope->tree->places, folder);
}

static void unread(void *data, const struct session_row *row)
{
	struct scope *scope = data;
	const struct place *source = scope->tree->places->source;
	places_miss_after(scope->tree->places, row->err);
	if (row->is_source && (!source->set || scope->is_folder))
		scope->err = row->err == -ENOENT ? -ESTALE : row->err;
}

static struct catalogue catalogue_for(struct scope *scope)
{
	const struct session_opening *o = &scope->tree->places->opening;
	return (struct catalogue){ .dialects = o->dialects,
				   .forced = o->forced,
				   .gate = o->gate,
				   .as_mounted = true,
				   .keeps_repeated = true,
				   .store_ms = STORE_MS,
				   .data = scope,
				   .visit = visit,
				   .enters = enters,
				   .unread = unread };
}

static int add_sources(struct catalogue *c, const struct place *folder)
{
	const struct source_set *set = folder->set;
	int err = set ? 0 : catalogue_add(c, folder->path, "");
	for (size_t i = 0; set && i < set->n && !err; i++)
		err = catalogue_add(c, set->list[i].path, set->list[i].name);
	return err;
}

static int refresh(struct catalogue *c, struct scope *scope)
{
	uint64_t before = c->changes;
	scope->err = 0;
	places_watch_sources(scope->tree->places);
	int err = catalogue_refresh(c);
	bool trims = c->lines.n >= TRIM_FROM && c->changes != before;
#ifdef __GLIBC__
	/* Any thread may be asked next, and each has its own free memory. */
	if (trims)
		malloc_trim(0);
#else
	(void)trims;
#endif
	return err ? err : scope->err;
}

/* -- SOURCE */

static void before_summaries(const struct tree *t)
{
	const struct tree_hook *h = &t->hook;
	if (h->before_summaries)
		h->before_summaries(h->data);
}

/* Under the lock. */
static uint64_t epoch_of(struct tree *t)
{
	before_summaries(t);
	if (versions_have_changed(&t->sessions->catalogue.names_read))
		places_miss(t->places);
	return places_epoch(t->places);
}

uint64_t sessions_epoch(struct tree *t)
{
	pthread_mutex_lock(&t->sessions->lock);
	uint64_t epoch = epoch_of(t);
	pthread_mutex_unlock(&t->sessions->lock);
	return epoch;
}

static int begin(struct sessions *s, struct tree *t)
{
	if (s->catalogue.dialects)
		return 0;
	s->scope = (struct scope){ .tree = t };
	s->catalogue = catalogue_for(&s->scope);
	int err = add_sources(&s->catalogue, t->places->source);
	if (err)
		catalogue_free(&s->catalogue);
	return err;
}

int sessions_lock(struct tree *t, struct catalogue **c)
{
	struct sessions *s = t->sessions;
	uint64_t wanted = __atomic_load_n(&s->begun, __ATOMIC_ACQUIRE) + 1;
	pthread_mutex_lock(&s->lock);
	*c = &s->catalogue;
	int err = begin(s, t);
	bool asks = !err && s->done < wanted && !s->is_kept;
	uint64_t epoch = asks ? epoch_of(t) : 0;
	if (asks && (epoch == 0 || epoch != s->epoch)) {
		uint64_t own =
			__atomic_add_fetch(&s->begun, 1, __ATOMIC_ACQ_REL);
		err = refresh(&s->catalogue, &s->scope);
		/* After a failure nobody shares what there was before. */
		s->epoch = err ? 0 : epoch;
		s->done = err ? 0 : own;
	}
	return err;
}

int sessions_keep(struct tree *t)
{
	struct catalogue *c;
	int err = sessions_lock(t, &c);
	t->sessions->is_kept = true;
	sessions_unlock(t);
	return err;
}

void sessions_unlock(struct tree *t)
{
	pthread_mutex_unlock(&t->sessions->lock);
}

bool sessions_has(const struct tree *t, const struct session_row *row)
{
	return !t->places->source->set || row->is_source ||
	       !row->summary.subagent;
}

bool sessions_is_current(struct tree *t, uint32_t number)
{
	const struct catalogue *c = &t->sessions->catalogue;
	pthread_mutex_lock(&t->sessions->lock);
	const struct session_row *row = catalogue_row(c, number);
	/* A refresh has led to it, and it was read. */
	bool is = row && row_is_current(row, c->gate);
	pthread_mutex_unlock(&t->sessions->lock);
	return is;
}

int sessions_add_shown(struct tree *t, uint32_t number, struct buf *out)
{
	pthread_mutex_lock(&t->sessions->lock);
	const struct session_row *row =
		catalogue_row(&t->sessions->catalogue, number);
	if (row)
		buf_adds(out, row->shown);
	pthread_mutex_unlock(&t->sessions->lock);
	return row ? buf_error(out) : -ENOENT;
}

/* -- sessions.txt */

static int add_all(struct tree *t, struct buf *out)
{
	struct catalogue *c;
	int err = sessions_lock(t, &c);
	for (size_t i = 0; i < c->lines.n && !err; i++) {
		const struct session_row *row = c->lines.list[i];
		if (sessions_has(t, row))
			summary_add_line(&row->summary, span_of(row->shown),
					 out);
	}
	sessions_unlock(t);
	return err ? err : buf_error(out);
}

/* Of a folder below SOURCE, or of a session's own. */
static int add_folder(struct tree *t, const struct place *folder,
		      struct buf *out)
{
	struct scope scope = { .tree = t, .is_folder = true };
	struct catalogue c = catalogue_for(&scope);
	before_summaries(t);
	int err = add_sources(&c, folder);
	if (!err)
		err = refresh(&c, &scope);
	for (size_t i = 0; i < c.lines.n && !err; i++)
		summary_add_line(&c.lines.list[i]->summary,
				 span_of(c.lines.list[i]->shown), out);
	catalogue_free(&c);
	return err ? err : buf_error(out);
}

int sessions_add(struct tree *t, struct place *folder, struct buf *out)
{
	return folder == t->places->source ? add_all(t, out)
					   : add_folder(t, folder, out);
}
