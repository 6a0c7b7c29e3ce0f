#include "core/session/labels.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/session/file_name.h"

static struct span target_key(const void *owner, uint32_t value,
			      struct idtable_scratch *scratch)
{
	const struct labels *l = owner;
	(void)scratch;
	return label_target(l, &l->list[value]);
}

static struct span text_at(const struct labels *l, uint32_t at)
{
	return buf_kept(&l->bytes, l->texts[at].at);
}

static struct span name_key(const void *owner, uint32_t value,
			    struct idtable_scratch *scratch)
{
	size_t n = file_name_make(scratch->name, text_at(owner, value),
				  FILE_NAME_ALONE);
	return (struct span){ scratch->name, n };
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
	free(l->lines);
	free(l->texts);
	bits_free(&l->shown);
	buf_free(&l->bytes);
	idtable_free(&l->targets);
	idtable_free(&l->names);
	*l = (struct labels){ 0 };
}

static int new_label(struct labels *l, const struct index *x,
		     struct span target, uint32_t *at)
{
	if (array_reserve(&l->list, &l->cap, l->n, 1) < 0)
		return -ENOMEM;
	struct label *label = &l->list[l->n];
	*label = (struct label){ .entry = index_find(x, target),
				 .text = LABEL_NONE };
	int err = buf_keep(&l->bytes, target, &label->target);
	if (!err)
		err = idtable_add(&l->targets, target, l->n);
	if (err)
		return err;
	if (label->entry == INDEX_NONE && l->n_pending++ == 0)
		l->looked_up = x->n;
	*at = l->n++;
	return 0;
}

/* Find a text, or add it. *at is LABEL_NONE for the empty one. */
static int find_text(struct labels *l, struct span text, uint32_t *at)
{
	char made[FILE_NAME_LIMIT];
	size_t place = 0;
	*at = LABEL_NONE;
	if (text.n == 0)
		return 0;
	const struct span name = { made, file_name_make(made, text,
							FILE_NAME_ALONE) };
	do
		*at = idtable_next(&l->names, l, name, &place);
	while (*at != IDTABLE_NONE && !span_eq(text_at(l, *at), text));
	if (*at != IDTABLE_NONE)
		return 0;
	int err = array_reserve(&l->texts, &l->cap_texts, l->n_texts, 1);
	struct label_text t = { .shown = LABEL_NONE };
	if (!err)
		err = buf_keep(&l->bytes, text, &t.at);
	if (!err)
		err = idtable_add(&l->names, name, l->n_texts);
	if (err)
		return err;
	l->texts[l->n_texts] = t;
	*at = l->n_texts++;
	return 0;
}

/* Show a label with a text and an entry, unless one was set after it. */
static int show(struct labels *l, uint32_t at)
{
	const struct label *label = &l->list[at];
	if (label->text == LABEL_NONE || label->entry == INDEX_NONE)
		return 0;
	struct label_text *t = &l->texts[label->text];
	if (t->shown != LABEL_NONE) {
		if (l->list[t->shown].at.number > label->at.number)
			return 0;
		bits_remove(&l->shown, l->list[t->shown].entry);
	}
	t->shown = at;
	return bits_add(&l->shown, label->entry);
}

static void clear_text(struct labels *l, uint32_t at)
{
	struct label *label = &l->list[at];
	if (label->text == LABEL_NONE)
		return;
	struct label_text *t = &l->texts[label->text];
	label->text = LABEL_NONE;
	l->n_set -= label->entry != INDEX_NONE;
	if (t->shown != at)
		return;
	bits_remove(&l->shown, label->entry);
	t->shown = LABEL_NONE;
	l->stale = true;
}

int labels_set(struct labels *l, const struct index *x, struct span target,
	       struct span text, const struct label_line *line)
{
	uint32_t wanted;
	uint32_t at = idtable_find(&l->targets, l, target);
	int err = at == IDTABLE_NONE ? new_label(l, x, target, &at) : 0;
	if (!err)
		err = find_text(l, text, &wanted);
	if (!err)
		err = array_add(&l->lines, &l->cap_lines, &l->n_lines, at);
	if (err)
		return err;
	struct label *label = &l->list[at];
	if (label->text == LABEL_NONE)
		label->since = line->number;
	clear_text(l, at);
	label->at = *line;
	label->text = wanted;
	l->n_set += wanted != LABEL_NONE && label->entry != INDEX_NONE;
	return show(l, at);
}

int labels_link(struct labels *l, const struct index *x)
{
	int err = 0;
	for (; l->looked_up < x->n && l->n_pending > 0; l->looked_up++) {
		uint32_t at =
			idtable_find(&l->targets, l, index_id(x, l->looked_up));
		if (at == IDTABLE_NONE || l->list[at].entry != INDEX_NONE)
			continue;
		l->list[at].entry = l->looked_up;
		l->n_pending--;
		l->n_set += l->list[at].text != LABEL_NONE;
		if (!err)
			err = show(l, at);
	}
	for (uint32_t i = 0; l->stale && i < l->n && !err; i++)
		err = show(l, i);
	l->stale = false;
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

int labels_on(const struct labels *l, const bool *on,
	      const struct label ***list, uint32_t *n)
{
	const struct label **all = malloc((l->n + 1) * sizeof(*all));
	if (!all)
		return -ENOMEM;
	*n = 0;
	for (uint32_t i = 0; i < l->n; i++) {
		const struct label *label = &l->list[i];
		if (label->text != LABEL_NONE && label->entry != INDEX_NONE &&
		    on[label->entry])
			all[(*n)++] = label;
	}
	qsort(all, *n, sizeof(const struct label *), by_since);
	*list = all;
	return 0;
}

struct span label_target(const struct labels *l, const struct label *label)
{
	return buf_kept(&l->bytes, label->target);
}

struct span label_text(const struct labels *l, const struct label *label)
{
	return label->text == LABEL_NONE ? (struct span){ "", 0 }
					 : text_at(l, label->text);
}

void label_add_name(const struct labels *l, struct buf *out,
		    const struct label *label)
{
	file_name_add(out, label_text(l, label), FILE_NAME_ALONE);
}

const struct label *labels_find_name(const struct labels *l, struct span name)
{
	size_t place = 0;
	uint32_t at;
	while ((at = idtable_next(&l->names, l, name, &place)) !=
	       IDTABLE_NONE) {
		if (l->texts[at].shown != LABEL_NONE)
			return &l->list[l->texts[at].shown];
	}
	return NULL;
}
