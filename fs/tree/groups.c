#include "fs/tree/groups.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/pathname.h"
#include "core/json/timestamp.h"
#include "fs/tree/dir.h"
#include "fs/tree/groups_table.h"
#include "fs/tree/sessions.h"

struct groups {
	struct groups_keys keys[GROUPS_KEPT]; /* with the sessions' lock */
	uint64_t lines; /* catalogue.changes that the table was made of; also */

	pthread_mutex_t lock; /* protects these */
	struct groups_table table;
	struct stat source; /* the attributes of SOURCE then */
	bool is_known;
	unsigned changes[GROUPS_VIEWS]; /* of the set of groups */
};

struct groups *groups_new(void)
{
	struct groups *g = calloc(1, sizeof(*g));
	if (!g)
		return NULL;
	g->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	for (int v = 0; v < GROUPS_KEPT; v++)
		groups_keys_init(&g->keys[v]);
	return g;
}

void groups_free(struct groups *g)
{
	if (!g)
		return;
	for (int v = 0; v < GROUPS_KEPT; v++)
		groups_keys_free(&g->keys[v]);
	groups_table_free(&g->table);
	pthread_mutex_destroy(&g->lock);
	free(g);
}

bool groups_is_folder(const struct node *n)
{
	return n->kind == KIND_BY_PROJECT || n->kind == KIND_BY_DAY ||
	       n->kind == KIND_GROUP || n->kind == KIND_FORKS;
}

static enum groups_view view_of(const struct node *n)
{
	if (n->kind == KIND_GROUP || n->kind == KIND_SESSION_LINK)
		return n->nth < GROUPS_VIEWS ? (enum groups_view)n->nth
					     : GROUPS_BY_PROJECT;
	return n->kind == KIND_FORKS	? GROUPS_FORKS
	       : n->kind == KIND_BY_DAY ? GROUPS_BY_DAY
					: GROUPS_BY_PROJECT;
}

/* Has it links to sessions? Others have groups. */
static bool has_links(const struct node *dir)
{
	return dir->kind == KIND_GROUP || dir->kind == KIND_FORKS;
}

/* Under the lock: the group that a folder with links is; NULL: none. */
static const struct group *group_of(const struct groups_table *t,
				    const struct node *dir)
{
	return dir->kind == KIND_FORKS
		       ? groups_table_group(t, GROUPS_FORKS,
					    span_of(dir->place->mount_path))
		       : groups_table_number(t, view_of(dir), dir->entry);
}

/* -- scanning */

/* Under the sessions' lock. */
static int make_table(struct tree *t, const struct catalogue *c)
{
	struct groups *g = t->groups;
	struct session_rows rows = { 0 };
	struct groups_table new = { 0 };
	int err = array_reserve(&rows.list, &rows.cap, 0, c->lines.n + 1);
	for (size_t i = 0; i < c->lines.n && !err; i++) {
		struct session_row *row = c->lines.list[i];
		/* Elsewhere than in a set there are forks alone. */
		if (t->places->source->set ? sessions_has(t, row)
					   : row->base != NULL)
			rows.list[rows.n++] = row;
	}
	if (!err)
		err = groups_table_make(&new, g->keys, &rows);
	if (!err) {
		pthread_mutex_lock(&g->lock);
		struct groups_table old = g->table;
		g->table = new;
		for (int v = 0; v < GROUPS_VIEWS && g->is_known; v++)
			g->changes[v] += old.views[v].sum != new.views[v].sum;
		g->is_known = true;
		pthread_mutex_unlock(&g->lock);
		new = old;
	}
	groups_table_free(&new);
	free(rows.list);
	return err;
}

int groups_scan(struct tree *t)
{
	struct groups *g = t->groups;
	struct catalogue *c;
	struct stat st;
	int err = sessions_lock(t, &c);
	if (!err)
		err = place_stat(t->places->source, &st);
	if (!err && (!g->is_known || g->lines != c->changes)) {
		err = make_table(t, c);
		if (!err)
			g->lines = c->changes;
	}
	if (!err) {
		pthread_mutex_lock(&g->lock);
		g->source = st;
		pthread_mutex_unlock(&g->lock);
	}
	sessions_unlock(t);
	return err;
}

/* -- finding */

/* A name as the table has it. */
struct found {
	struct node n;
	/* The session that it leads to, or one in the group. */
	uint32_t number;
};

static struct node node_of(const struct node *dir, enum node_kind kind,
			   uint32_t entry)
{
	return (struct node){ .kind = kind,
			      .entry = entry,
			      .nth = view_of(dir),
			      .place = dir->place->places->source };
}

/* For dir_put(). */
static void pin(const struct node *dir, const struct node *n)
{
	if (n->place != dir->place)
		(void)places_peek(n->place->places, n->place->home);
}

/* Under the lock. */
static bool look_up(const struct groups_table *t, const struct node *dir,
		    struct span name, struct found *f)
{
	enum groups_view view = view_of(dir);
	const struct grouped_session *s = NULL;
	if (has_links(dir)) {
		const struct group *in = group_of(t, dir);
		if (in)
			s = groups_table_session(t, view, in->number, name);
		if (s)
			f->n = node_of(dir, KIND_SESSION_LINK, s->number);
	} else {
		const struct group *g = groups_table_group(t, view, name);
		if (g) {
			f->n = node_of(dir, KIND_GROUP, g->number);
			s = groups_table_next(t, view, g->number, 0);
		}
	}
	if (s)
		f->number = s->number;
	return s != NULL;
}

static bool find(struct groups *g, const struct node *dir, struct span name,
		 struct found *f)
{
	pthread_mutex_lock(&g->lock);
	bool found = look_up(&g->table, dir, name, f);
	pthread_mutex_unlock(&g->lock);
	return found;
}

int groups_find(struct tree *t, const struct node *dir, struct span name,
		struct node *n)
{
	struct found f;
	if (!find(t->groups, dir, name, &f) ||
	    !sessions_is_current(t, f.number)) {
		int err = groups_scan(t);
		if (err)
			return err;
		if (!find(t->groups, dir, name, &f))
			return -ENOENT;
	}
	*n = f.n;
	pin(dir, n);
	return 0;
}

/* -- listing */

/* Under the lock: the first file from *at on, which is advanced. */
static bool next_in(const struct groups_table *t, const struct node *dir,
		    uint32_t *at, struct buf *name, struct node *n)
{
	enum groups_view view = view_of(dir);
	if (has_links(dir)) {
		const struct group *in = group_of(t, dir);
		const struct grouped_session *s =
			in ? groups_table_next(t, view, in->number, *at) : NULL;
		if (!s)
			return false;
		*n = node_of(dir, KIND_SESSION_LINK, s->number);
		buf_add(name, buf_kept(&t->texts, s->name[view]));
	} else {
		const struct groups_order *o = &t->views[view];
		size_t i = 0;
		while (i < o->n && o->groups[i].number < *at)
			i++;
		if (i == o->n)
			return false;
		*n = node_of(dir, KIND_GROUP, o->groups[i].number);
		buf_add(name, buf_kept(&t->texts, o->groups[i].name));
	}
	*at = n->entry + 1;
	return true;
}

int groups_next(struct tree *t, const struct node *dir, uint64_t *position,
		struct buf *name, struct node *n)
{
	struct groups *g = t->groups;
	uint32_t at = (uint32_t)(*position - DIR_AFTER_DOTS);
	pthread_mutex_lock(&g->lock);
	bool found = next_in(&g->table, dir, &at, name, n);
	pthread_mutex_unlock(&g->lock);
	*position = (uint64_t)at + DIR_AFTER_DOTS;
	if (found)
		pin(dir, n);
	return found;
}

struct node groups_above(const struct node *dir)
{
	struct node n = { .kind = KIND_FOLDER, .place = dir->place };
	if (dir->kind == KIND_FORKS)
		n.kind = KIND_ROOT;
	if (dir->kind == KIND_GROUP)
		n.kind = view_of(dir) == GROUPS_BY_DAY ? KIND_BY_DAY
						       : KIND_BY_PROJECT;
	return n;
}

/* -- attributes */

bool groups_stat(const struct tree *t, const struct node *n, struct stat *st)
{
	struct groups *g = t->groups;
	int64_t ms = TIMESTAMP_NONE;
	if (n->kind != KIND_GROUP && n->kind != KIND_SESSION_LINK)
		return false;
	pthread_mutex_lock(&g->lock);
	*st = g->source;
	if (n->kind == KIND_GROUP) {
		const struct group *of =
			groups_table_number(&g->table, view_of(n), n->entry);
		ms = of ? of->time : TIMESTAMP_NONE;
	} else {
		const struct grouped_session *s =
			groups_table_numbered(&g->table, n->entry);
		ms = s ? s->time : TIMESTAMP_NONE;
	}
	bool known = g->is_known;
	pthread_mutex_unlock(&g->lock);
	if (ms != TIMESTAMP_NONE)
		st->st_mtim = timestamp_spec(ms);
	return known;
}

uint64_t groups_version(const struct tree *t, const struct node *dir)
{
	struct groups *g = t->groups;
	enum groups_view view = view_of(dir);
	pthread_mutex_lock(&g->lock);
	uint64_t version = g->changes[view];
	if (dir->kind == KIND_GROUP) {
		const struct group *of =
			groups_table_number(&g->table, view, dir->entry);
		version = of ? of->sum : 0;
	}
	pthread_mutex_unlock(&g->lock);
	return version;
}

int groups_render(struct tree *t, const struct node *n, struct buf *out)
{
	struct groups *g = t->groups;
	struct buf folder BUF_SCOPED = { 0 };
	struct buf to BUF_SCOPED = { 0 };
	int err = sessions_add_shown(t, n->entry, &to);
	if (view_of(n) == GROUPS_FORKS) {
		pthread_mutex_lock(&g->lock);
		const struct grouped_session *s =
			groups_table_numbered(&g->table, n->entry);
		const struct group *base = NULL;
		if (s)
			base = groups_table_number(&g->table, GROUPS_FORKS,
						   s->group[GROUPS_FORKS]);
		/* Where it is shown. */
		if (base)
			buf_add(&folder, buf_kept(&g->table.texts, base->name));
		pthread_mutex_unlock(&g->lock);
		buf_addf(&folder, "/%s", node_kinds[KIND_FORKS].name);
	} else {
		/* Out of a group, and its view. */
		buf_adds(out, "../../");
	}
	if (!err)
		err = buf_error(&folder);
	pathname_add_way(out, buf_span(&folder), buf_span(&to));
	return err ? err : buf_error(out);
}
