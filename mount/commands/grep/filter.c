#include "mount/commands/grep/filter.h"

#include <errno.h>

#include "fs/tree/head_target.h"

static int add_subtree(struct bits *b, const struct index *x, uint32_t top)
{
	if (top == INDEX_NONE)
		return 0;
	int err = bits_add(b, top);
	for (uint32_t i = x->entries[top].first_child; i != INDEX_NONE && !err;
	     i = index_next_below(x, top, i, true))
		err = bits_add(b, i);
	return err;
}

/* The entry of an id, or of the start of one; INDEX_NONE: there is none. */
static int find_entry(const struct session *s, const char *name,
		      uint32_t *entry)
{
	struct buf target BUF_SCOPED = { 0 };
	buf_addf(&target, "by-id/%s", name);
	int err = buf_error(&target);
	if (!err)
		err = target_resolve_below(s, buf_span(&target), SPAN(""),
					   entry);
	if (!err)
		return 0;
	*entry = INDEX_NONE;
	return err == -ENOMEM ? err : 0;
}

/* A session that is split has its subtree found once. */
static int begin(struct grep_filter *f, const struct session *s)
{
	const struct grep_options *how = f->how;
	const struct index *x = &s->now.index;
	struct chosen *chosen = &f->piece->of->chosen;
	bool split = f->piece->to != INDEX_NONE;
	f->is_begun = true;
	f->entries.o = &how->entries;
	f->entries.file = &how->touched;
	f->entries.by = &how->by;
	f->entry = INDEX_NONE;
	int err = 0;
	if (how->entry)
		err = find_entry(s, how->entry, &f->entry);
	if (err)
		return err;
	bool has_chosen = f->entry != INDEX_NONE;
	uint32_t top = INDEX_NONE;
	if (how->subtree) {
		top = index_find_name(x, span_of(how->subtree));
		has_chosen = top != INDEX_NONE && (!how->entry || has_chosen);
	}
	f->has_chosen = has_chosen;
	f->subtree = split ? &chosen->entries : &f->own;
	if (!split)
		return add_subtree(&f->own, x, top);
	/* Threads that do it at once add the same entries. */
	if (__atomic_load_n(&chosen->known, __ATOMIC_ACQUIRE))
		return 0;
	err = add_subtree(&chosen->entries, x, top);
	if (!err)
		__atomic_store_n(&chosen->known, true, __ATOMIC_RELEASE);
	return err;
}

void grep_filter_end(struct grep_filter *f)
{
	bits_free(&f->own);
	entry_filter_end(&f->entries);
	f->is_begun = false;
}

int grep_filter_entry(struct grep_filter *f, const struct session *s,
		      uint32_t entry, bool *passes)
{
	const struct grep_options *how = f->how;
	int err = f->is_begun ? 0 : begin(f, s);
	if (err)
		return err;
	*passes = (!how->entry || entry == f->entry) &&
		  (!how->subtree || bits_has(f->subtree, entry));
	return *passes ? entry_filter_has(&f->entries, s, entry, passes) : 0;
}
