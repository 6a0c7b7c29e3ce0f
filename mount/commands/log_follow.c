#include "mount/commands/log_show.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/escape.h"

/* Where changes are not reported, they are looked for so often. */
#define LOOK_MS 1000

#define CHANGES (IN_MODIFY | IN_ATTRIB | IN_MOVE_SELF | IN_DELETE_SELF)

struct follow {
	struct log_show *l;
	struct session *s;
	uint32_t epoch;
	uint32_t seen;	/* entries */
	uint32_t at;	/* the last that was printed, or INDEX_NONE */
	unsigned shown; /* rows */
	struct log_list list;
	size_t cap;
};

/* Print where the list goes on, unless that is the last entry. */
static int print_place(const struct follow *f, uint32_t parent)
{
	struct buf out BUF_SCOPED = { 0 };
	struct buf line BUF_SCOPED = BUF_INTO(&out);
	struct buf id BUF_SCOPED = BUF_INTO(&out);
	if (parent == f->at)
		return 0;
	buf_adds(&line, parent == INDEX_NONE ? "begins anew" : "goes on from ");
	if (parent != INDEX_NONE)
		short_ids_add(&f->l->ids, &id, parent);
	escape_add_plain(&line, buf_span(&id));
	if (!f->l->oneline)
		buf_addc(&out, '\n');
	log_show_dim(f->l, buf_span(&line), &out);
	return log_show_write(f->l, &out);
}

static int print_list(struct follow *f)
{
	uint32_t parent;
	int err = 0;
	if (f->list.n == 0)
		return 0;
	parent = bookkeeping_shown_parent(&f->s->now.index, f->list.list[0]);
	if (f->shown > 0)
		err = print_place(f, parent);
	if (!err)
		err = log_show_list(f->l, &f->list, UINT_MAX, &f->shown);
	f->at = f->list.list[f->list.n - 1];
	f->list.n = 0;
	return err;
}

/* Print the entries that have come, a list for each that go on. */
static int print_new(struct follow *f)
{
	const struct index *x = &f->s->now.index;
	int err = 0;
	for (; f->seen < x->n && !err; f->seen++) {
		struct log_list *e = &f->list;
		if (x->entries[f->seen].bookkeeping)
			continue;
		if (e->n > 0 &&
		    bookkeeping_shown_parent(x, f->seen) != e->list[e->n - 1])
			err = print_list(f);
		if (!err)
			err = array_add(&e->list, &f->cap, &e->n, f->seen);
	}
	return err ? err : print_list(f);
}

/* The session has other entries, or may have more. */
static int look(struct follow *f)
{
	const struct session *s = f->s;
	if (s->epoch != f->epoch) {
		struct buf out BUF_SCOPED = { 0 };
		log_show_dim(f->l, SPAN("the session was written anew"), &out);
		int err = log_show_write(f->l, &out);
		f->epoch = s->epoch;
		f->seen = s->now.index.n;
		f->at = session_at_leaf(s);
		if (err)
			return err;
	}
	if (f->seen == s->now.index.n)
		return 0;
	short_ids_end(&f->l->ids);
	int err = short_ids_begin(&f->l->ids, &s->now.index);
	return err ? err : print_new(f);
}

/* The session is entered all the time, but for being refreshed. */
static int follow(struct follow *f)
{
	char events[4096];
	int watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	struct pollfd p = { .fd = watch, .events = POLLIN };
	int err = 0;
	while (!err) {
		/* Before it is looked at, so that no change is missed. */
		if (watch >= 0)
			(void)inotify_add_watch(watch, f->s->log.path, CHANGES);
		session_leave(f->s);
		err = session_enter_again(f->s);
		bool changing = err == -EAGAIN || err == -ESTALE;
		if (!err && !f->s->log.exists)
			break;
		if (changing)
			err = 0;
		else if (!err)
			err = look(f);
		/* Of the file, which may be another one by now. */
		if (!err && poll(&p, 1, LOOK_MS) > 0)
			(void)!read(watch, events, sizeof(events));
	}
	if (watch >= 0)
		close(watch);
	return err;
}

int log_follow(struct log_show *l, struct session *s, struct log_list *e,
	       unsigned most)
{
	struct follow f = { .l = l,
			    .s = s,
			    .epoch = s->epoch,
			    .seen = s->now.index.n,
			    .at = e->n > 0 ? e->list[e->n - 1] : INDEX_NONE,
			    .list = { .oldest_first = true,
				      .unfolded = e->unfolded } };
	size_t n = e->n < most ? e->n : most;
	struct log_list last = *e;
	/* It goes on below the notes that HEAD looks through. */
	if (e->n == 0 || f.at == session_head(s))
		f.at = session_at_leaf(s);
	last.list += e->n - n;
	last.n = n;
	int err = short_ids_begin(&l->ids, &s->now.index);
	if (!err)
		err = log_show_list(l, &last, UINT_MAX, &f.shown);
	if (!err)
		err = follow(&f);
	short_ids_end(&l->ids);
	free(f.list.list);
	return err == -EPIPE ? 0 : err;
}
