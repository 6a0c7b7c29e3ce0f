#include "core/session/labels.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/session/file_name.h"

#define WORD_BITS 64

static struct span target_key(const void *owner, uint32_t value,
			      struct idtable_scratch *scratch)
{
	const struct labels *l = owner;
	(void)scratch;
	return label_target(l, &l->list[value]);
}

static struct span text_at(const struct labels *l, uint32_t at)
{
	const struct label_text *t = &l->texts[at];
	return (struct span){ l->bytes.data + t->at, t->n };
}

static struct span name_key(const void *owner, uint32_t value,
			    struct idtable_scratch *scratch)
{
	size_t n = file_name_make(scratch->name, text_at(owner, value), false);
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
	free(l->shown);
	buf_free(&l->bytes);
	idtable_free(&l->targets);
	idtable_free(&l->names);
	*l = (struct labels){ 0 };
}

static int add_bytes(struct labels *l, struct span s, uint32_t *at)
{
	if (l->bytes.len + s.n >= UINT32_MAX)
		return -EFBIG;
	*at = (uint32_t)l->bytes.len;
	buf_add(&l->bytes, s);
	if (!l->bytes.failed)
		return 0;
	l->bytes.failed = false;
	return -ENOMEM;
}

/* Make room for a bit for each entry. */
static int reserve(struct labels *l, const struct index *x)
{
	size_t words = l->words;
	int err = array_reserve(&l->shown, &l->words, 0, x->n / WORD_BITS + 1);
	if (!err)
		memset(l->shown + words, 0,
		       (l->words - words) * sizeof(*l->shown));
	return err;
}

static int new_label(struct labels *l, const struct index *x,
		     struct span target, uint32_t *at)
{
	if (array_reserve(&l->list, &l->cap, l->n, 1) < 0)
		return -ENOMEM;
	struct label *label = &l->list[l->n];
	*label = (struct label){ .target_n = (uint32_t)target.n,
				 .entry = index_find(x, target),
				 .text = LABEL_NONE,
				 .older = LABEL_NONE,
				 .newer = LABEL_NONE };
	int err = add_bytes(l, target, &label->target);
	if (!err)
		err = idtable_add(&l->targets, target, l->n);
	if (err)
		return err;
	if (label->entry == INDEX_NONE && l->n_pending++ == 0)
		l->looked_up = x->n;
	*at = l->n++;
	return 0;
}

static int new_text(struct labels *l, struct span text, struct span name,
		    uint32_t *at)
{
	if (array_reserve(&l->texts, &l->cap_texts, l->n_texts, 1) < 0)
		return -ENOMEM;
	struct label_text *t = &l->texts[l->n_texts];
	*t = (struct label_text){ .n = (uint32_t)text.n,
				  .newest = LABEL_NONE,
				  .shown = LABEL_NONE };
	int err = add_bytes(l, text, &t->at);
	if (!err)
		err = idtable_add(&l->names, name, l->n_texts);
	if (!err)
		*at = l->n_texts++;
	return err;
}

/* Find a text, or add it. *at is LABEL_NONE for the empty one. */
static int find_text(struct labels *l, struct span text, uint32_t *at)
{
	char made[FILE_NAME_LIMIT];
	size_t place = 0;
	*at = LABEL_NONE;
	if (text.n == 0)
		return 0;
	const struct span name = { made, file_name_make(made, text, false) };
	do
		*at = idtable_next(&l->names, l, name, &place);
	while (*at != IDTABLE_NONE && !span_eq(text_at(l, *at), text));
	return *at == IDTABLE_NONE ? new_text(l, text, name, at) : 0;
}

static void mark(struct labels *l, uint32_t label, bool shown)
{
	if (label == LABEL_NONE)
		return;
	uint32_t entry = l->list[label].entry;
	uint64_t bit = (uint64_t)1 << entry % WORD_BITS;
	uint64_t *word = &l->shown[entry / WORD_BITS];
	*word = shown ? *word | bit : *word & ~bit;
}

/* Show the last set of the labels with a text that has an entry. */
static void show(struct labels *l, struct label_text *t)
{
	uint32_t i = t->newest;
	while (i != LABEL_NONE && l->list[i].entry == INDEX_NONE)
		i = l->list[i].older;
	mark(l, t->shown, false);
	mark(l, i, true);
	t->shown = i;
}

/* Take the label out of the list of its text. */
static void clear_text(struct labels *l, struct label *label)
{
	if (label->text == LABEL_NONE)
		return;
	struct label_text *t = &l->texts[label->text];
	if (label->newer == LABEL_NONE)
		t->newest = label->older;
	else
		l->list[label->newer].older = label->older;
	if (label->older != LABEL_NONE)
		l->list[label->older].newer = label->newer;
	label->text = LABEL_NONE;
	l->n_set -= label->entry != INDEX_NONE;
	show(l, t);
}

/* Put a label without a text in front of the list of one. */
static void set_text(struct labels *l, uint32_t at, uint32_t text)
{
	if (text == LABEL_NONE)
		return;
	struct label *label = &l->list[at];
	struct label_text *t = &l->texts[text];
	label->text = text;
	label->newer = LABEL_NONE;
	label->older = t->newest;
	if (t->newest != LABEL_NONE)
		l->list[t->newest].newer = at;
	t->newest = at;
	l->n_set += label->entry != INDEX_NONE;
	show(l, t);
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
		err = reserve(l, x);
	if (!err)
		err = array_reserve(&l->lines, &l->cap_lines, l->n_lines, 1);
	if (err)
		return err;
	l->lines[l->n_lines++] = at;
	struct label *label = &l->list[at];
	if (label->text == LABEL_NONE)
		label->since = line->number;
	clear_text(l, label);
	label->line = line->number;
	label->offset = line->offset;
	label->length = line->length;
	label->time = line->time;
	label->version = line->version;
	set_text(l, at, wanted);
	return 0;
}

int labels_link(struct labels *l, const struct index *x)
{
	int err = l->n_pending > 0 ? reserve(l, x) : 0;
	if (err)
		return err;
	for (; l->looked_up < x->n && l->n_pending > 0; l->looked_up++) {
		uint32_t at =
			idtable_find(&l->targets, l, index_id(x, l->looked_up));
		if (at == IDTABLE_NONE || l->list[at].entry != INDEX_NONE)
			continue;
		struct label *label = &l->list[at];
		label->entry = l->looked_up;
		l->n_pending--;
		if (label->text != LABEL_NONE) {
			l->n_set++;
			show(l, &l->texts[label->text]);
		}
	}
	return 0;
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

int labels_on(const struct labels *l, const bool *on, bool cleared,
	      const struct label ***list, uint32_t *n)
{
	const struct label **all = malloc((l->n + 1) * sizeof(*all));
	if (!all)
		return -ENOMEM;
	*n = 0;
	for (uint32_t i = 0; i < l->n; i++) {
		const struct label *label = &l->list[i];
		bool counts = label->text != LABEL_NONE || cleared;
		if (counts && label->entry != INDEX_NONE && on[label->entry])
			all[(*n)++] = label;
	}
	qsort(all, *n, sizeof(const struct label *), by_since);
	*list = all;
	return 0;
}

struct span label_target(const struct labels *l, const struct label *label)
{
	return (struct span){ buf_span(&l->bytes).p + label->target,
			      label->target_n };
}

struct span label_text(const struct labels *l, const struct label *label)
{
	return label->text == LABEL_NONE ? (struct span){ "", 0 }
					 : text_at(l, label->text);
}

void label_add_name(const struct labels *l, struct buf *out,
		    const struct label *label)
{
	file_name_add(out, label_text(l, label), false);
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

uint32_t labels_next(const struct labels *l, uint32_t from)
{
	size_t first = from / WORD_BITS;
	for (size_t i = first; i < l->words; i++) {
		uint64_t bits = l->shown[i];
		if (i == first)
			bits &= UINT64_MAX << from % WORD_BITS;
		if (bits)
			return (uint32_t)(i * WORD_BITS) +
			       (uint32_t)__builtin_ctzll(bits);
	}
	return INDEX_NONE;
}
