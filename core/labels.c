#include "core/labels.h"

#include <errno.h>
#include <stdlib.h>

#include "core/name.h"

static struct span target_key(const void *owner, uint32_t value,
			      struct buf *scratch)
{
	const struct labels *l = owner;
	(void)scratch;
	return label_target(l, &l->list[value]);
}

static struct span name_key(const void *owner, uint32_t value,
			    struct buf *scratch)
{
	const struct labels *l = owner;
	label_link_name(l, scratch, &l->links[value]);
	return buf_span(scratch);
}

void labels_init(struct labels *l)
{
	*l = (struct labels){ 0 };
	idtable_init(&l->targets, target_key);
	idtable_init(&l->names, name_key);
}

void labels_free(struct labels *l)
{
	free(l->list);
	free(l->links);
	buf_free(&l->text);
	idtable_free(&l->targets);
	idtable_free(&l->names);
	*l = (struct labels){ 0 };
}

static int store(struct labels *l, struct span s, uint32_t *at)
{
	if (l->text.len + s.n >= UINT32_MAX)
		return -EFBIG;
	*at = (uint32_t)l->text.len;
	buf_add(&l->text, s);
	if (!l->text.failed)
		return 0;
	l->text.failed = false;
	return -ENOMEM;
}

static int new_label(struct labels *l, struct span target, uint32_t *at)
{
	if (l->n == l->cap) {
		uint32_t cap = l->cap ? l->cap * 2 : 16;
		struct label *list = realloc(l->list, cap * sizeof(*list));
		if (!list)
			return -ENOMEM;
		l->list = list;
		l->cap = cap;
	}
	l->list[l->n] = (struct label){ .target_n = (uint32_t)target.n };
	int err = store(l, target, &l->list[l->n].target);
	if (!err)
		err = idtable_add(&l->targets, l, target, l->n);
	if (!err)
		*at = l->n++;
	return err;
}

int labels_set(struct labels *l, struct span target, struct span text,
	       const struct label_line *line)
{
	uint32_t at = idtable_find(&l->targets, l, target);
	if (at == IDTABLE_NONE) {
		int err = new_label(l, target, &at);
		if (err)
			return err;
	}
	struct label *label = &l->list[at];
	int err = store(l, text, &label->text);
	if (err)
		return err;
	if (label->text_n == 0)
		label->since = line->number;
	label->text_n = (uint32_t)text.n;
	label->line = line->number;
	label->offset = line->offset;
	label->length = line->length;
	label->time = line->time;
	label->version = line->version;
	l->changed = true;
	return 0;
}

/* Same text together, the one that was said last first. */
static int by_text(const void *a, const void *b, void *owner)
{
	const struct labels *l = owner;
	const struct label *x = &l->list[((const struct label_link *)a)->label];
	const struct label *y = &l->list[((const struct label_link *)b)->label];
	uint32_t n = x->text_n < y->text_n ? x->text_n : y->text_n;
	int c = memcmp(l->text.data + x->text, l->text.data + y->text, n);
	if (c != 0)
		return c;
	if (x->text_n != y->text_n)
		return x->text_n < y->text_n ? -1 : 1;
	return x->line > y->line ? -1 : 1;
}

static int by_entry(const void *a, const void *b)
{
	uint32_t x = ((const struct label_link *)a)->entry;
	uint32_t y = ((const struct label_link *)b)->entry;
	return x < y ? -1 : x > y;
}

static void keep_last_said(struct labels *l)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < l->n_links; i++) {
		struct span text = label_text(l, &l->list[l->links[i].label]);
		if (kept == 0 ||
		    !span_eq(text,
			     label_text(l, &l->list[l->links[kept - 1].label])))
			l->links[kept++] = l->links[i];
	}
	l->n_links = kept;
}

int labels_link(struct labels *l, const struct index *x, bool entries_came)
{
	/* An entry that comes may be what an earlier label meant. */
	if (!l->changed && !(entries_came && l->n_unknown > 0))
		return 0;
	struct label_link *links =
		realloc(l->links, (l->n + 1) * sizeof(*links));
	if (!links)
		return -ENOMEM;
	l->links = links;
	l->n_links = 0;
	l->n_unknown = 0;
	for (uint32_t i = 0; i < l->n; i++) {
		struct span target = label_target(l, &l->list[i]);
		uint32_t entry = index_find(x, target);
		l->n_unknown += entry == INDEX_NONE;
		if (entry != INDEX_NONE && l->list[i].text_n > 0)
			l->links[l->n_links++] =
				(struct label_link){ entry, i };
	}
	l->n_set = l->n_links;
	qsort_r(l->links, l->n_links, sizeof(*l->links), by_text, l);
	keep_last_said(l);
	qsort(l->links, l->n_links, sizeof(*l->links), by_entry);

	idtable_clear(&l->names);
	struct buf name = { 0 };
	int err = 0;
	for (uint32_t i = 0; i < l->n_links && !err; i++) {
		buf_clear(&name);
		label_link_name(l, &name, &l->links[i]);
		err = buf_error(&name);
		if (!err)
			err = idtable_add(&l->names, l, buf_span(&name), i);
	}
	buf_free(&name);
	l->changed = err != 0;
	return err;
}

const struct label *labels_of(const struct labels *l, struct span target)
{
	uint32_t at = idtable_find(&l->targets, l, target);
	return at == IDTABLE_NONE ? NULL : &l->list[at];
}

static int by_since(const void *a, const void *b)
{
	const struct label *x = *(const struct label *const *)a;
	const struct label *y = *(const struct label *const *)b;
	return x->since < y->since ? -1 : x->since > y->since;
}

int labels_on(const struct labels *l, const struct index *x, const bool *on,
	      bool cleared, const struct label ***list, uint32_t *n)
{
	const struct label **all = malloc((l->n + 1) * sizeof(*all));
	if (!all)
		return -ENOMEM;
	*n = 0;
	for (uint32_t i = 0; i < l->n; i++) {
		const struct label *label = &l->list[i];
		uint32_t entry = index_find(x, label_target(l, label));
		bool says = label->text_n > 0 || cleared;
		if (says && entry != INDEX_NONE && on[entry])
			all[(*n)++] = label;
	}
	qsort(all, *n, sizeof(const struct label *), by_since);
	*list = all;
	return 0;
}

struct span label_target(const struct labels *l, const struct label *label)
{
	return (struct span){ l->text.data + label->target, label->target_n };
}

struct span label_text(const struct labels *l, const struct label *label)
{
	return (struct span){ l->text.data + label->text, label->text_n };
}

void label_link_name(const struct labels *l, struct buf *out,
		     const struct label_link *link)
{
	name_add(out, label_text(l, &l->list[link->label]), false);
}

const struct label_link *labels_find_link(const struct labels *l,
					  struct span name)
{
	uint32_t at = idtable_find(&l->names, l, name);
	return at == IDTABLE_NONE ? NULL : &l->links[at];
}

const struct label_link *labels_link_of(const struct labels *l, uint32_t entry)
{
	struct label_link key = { .entry = entry };
	if (l->n_links == 0)
		return NULL;
	return bsearch(&key, l->links, l->n_links, sizeof(*l->links), by_entry);
}
