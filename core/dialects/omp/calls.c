#include "core/dialects/omp/calls.h"

#include <errno.h>

#include "core/dialects/omp/assistant.h"
#include "core/json/js.h"

#define NOWHERE UINT32_MAX

/* The calls and results with the same id. */
struct group {
	uint32_t key; /* in keys */
	uint32_t key_n;
	bool answered;	 /* it has a result */
	uint32_t result; /* in the cleanup: the first one after this turn */
};

static struct omp_item *item_at(const struct omp_list *l, uint32_t i)
{
	return (struct omp_item *)(void *)l->items.data + i;
}

static struct group *group_at(const struct omp_list *l, uint32_t i)
{
	return (struct group *)(void *)l->groups.data + i;
}

/* The group of the n-th call of a turn. */
static struct group *call_at(const struct omp_list *l,
			     const struct omp_item *item, uint32_t n)
{
	const uint32_t *calls = (const void *)l->calls.data;
	return group_at(l, calls[item->calls + n]);
}

static struct span key_of_group(const void *owner, uint32_t value,
				struct idtable_scratch *scratch)
{
	const struct omp_list *l = owner;
	const struct group *g = group_at(l, value);
	(void)scratch;
	return (struct span){ l->keys.data + g->key, g->key_n };
}

void omp_list_init(struct omp_list *l)
{
	*l = (struct omp_list){ .first = NOWHERE, .last = NOWHERE };
	idtable_init(&l->by_key, key_of_group);
}

void omp_list_free(struct omp_list *l)
{
	idtable_free(&l->by_key);
	buf_free(&l->items);
	buf_free(&l->calls);
	buf_free(&l->groups);
	buf_free(&l->keys);
}

static int add_group(struct omp_list *l, struct group g, uint32_t *number)
{
	*number = (uint32_t)(l->groups.len / sizeof(g));
	buf_add(&l->groups, (struct span){ (const char *)&g, sizeof(g) });
	return buf_error(&l->groups);
}

/* The group of a call's id, which is created if it is new. */
static int find_group(struct omp_list *l, struct json id, uint32_t *number)
{
	enum json_type type = json_type(id);
	struct group g = { .key = (uint32_t)l->keys.len, .result = NOWHERE };
	if (type == JSON_OBJECT || type == JSON_ARRAY)
		return add_group(l, g, number);
	buf_addc(&l->keys, (char)('0' + type));
	js_to_string(&l->keys, id);
	if (l->keys.failed || l->keys.len > UINT32_MAX)
		return -ENOMEM;
	g.key_n = (uint32_t)l->keys.len - g.key;
	struct span key = { l->keys.data + g.key, g.key_n };
	*number = idtable_find(&l->by_key, l, key);
	if (*number != IDTABLE_NONE) {
		l->keys.len = g.key;
		return 0;
	}
	int err = add_group(l, g, number);
	return err ? err : idtable_add(&l->by_key, key, *number);
}

int omp_list_add(struct omp_list *l, struct omp_item item)
{
	uint32_t n = (uint32_t)(l->items.len / sizeof(item));
	item.before = l->last;
	item.after = NOWHERE;
	item.next_result = NOWHERE;
	buf_add(&l->items, (struct span){ (const char *)&item, sizeof(item) });
	if (l->items.failed)
		return -ENOMEM;
	if (l->last != NOWHERE)
		item_at(l, l->last)->after = n;
	else
		l->first = n;
	l->last = n;
	return 0;
}

int omp_list_add_turn(struct omp_list *l, struct omp_item item,
		      struct json message)
{
	struct json_walk w = omp_assistant_blocks(message);
	struct json block;
	item.role = OMP_ASSISTANT;
	item.calls = (uint32_t)(l->calls.len / sizeof(uint32_t));
	while (json_next_element(&w, &block)) {
		uint32_t group;
		JSON_FIELDS(f, block, type, id);
		if (!json_is(f.type, SPAN("toolCall"))) {
			item.n_blocks +=
				!json_is(f.type, SPAN("redactedThinking"));
			continue;
		}
		int err = find_group(l, f.id, &group);
		if (err)
			return err;
		buf_add(&l->calls,
			(struct span){ (const char *)&group, sizeof(group) });
		item.n_calls++;
	}
	int err = buf_error(&l->calls);
	return err ? err : omp_list_add(l, item);
}

int omp_list_add_result(struct omp_list *l, struct omp_item item,
			struct json call)
{
	int err = find_group(l, call, &item.group);
	if (err)
		return err;
	group_at(l, item.group)->answered = true;
	item.role = OMP_RESULT;
	return omp_list_add(l, item);
}

/* Cleaning up. */

static void take_off(struct omp_list *l, uint32_t i)
{
	const struct omp_item *item = item_at(l, i);
	if (item->before != NOWHERE)
		item_at(l, item->before)->after = item->after;
	else
		l->first = item->after;
	if (item->after != NOWHERE)
		item_at(l, item->after)->before = item->before;
	else
		l->last = item->before;
}

/* Remove calls without a result, and turns that are empty then. */
static void strip_calls(struct omp_list *l)
{
	for (uint32_t i = l->first; i != NOWHERE; i = item_at(l, i)->after) {
		struct omp_item *item = item_at(l, i);
		uint32_t answered = 0;
		for (uint32_t n = 0; n < item->n_calls; n++)
			answered += call_at(l, item, n)->answered;
		item->stripped = answered < item->n_calls;
		if (item->stripped && answered + item->n_blocks == 0)
			take_off(l, i);
	}
}

/* Remove the later results of a turn's calls. */
static void take_off_results(struct omp_list *l, const struct omp_item *turn)
{
	for (uint32_t n = 0; n < turn->n_calls; n++) {
		struct group *g = call_at(l, turn, n);
		while (g->result != NOWHERE) {
			take_off(l, g->result);
			g->result = item_at(l, g->result)->next_result;
		}
	}
}

static void take_off_failed(struct omp_list *l)
{
	uint32_t before;
	for (uint32_t i = l->last; i != NOWHERE; i = before) {
		struct omp_item *item = item_at(l, i);
		before = item->before;
		if (item->role == OMP_RESULT) {
			struct group *g = group_at(l, item->group);
			item->next_result = g->result;
			g->result = i;
		}
		if (item->role != OMP_ASSISTANT || !item->failed ||
		    omp_list_has_note(l, item))
			continue;
		take_off(l, i);
		take_off_results(l, item);
	}
}

void omp_list_clean(struct omp_list *l)
{
	strip_calls(l);
	take_off_failed(l);
}

/* The items that are left. */

static const struct omp_item *item_or_null(const struct omp_list *l, uint32_t i)
{
	return i != NOWHERE ? item_at(l, i) : NULL;
}

const struct omp_item *omp_list_first(const struct omp_list *l)
{
	return item_or_null(l, l->first);
}

const struct omp_item *omp_list_next(const struct omp_list *l,
				     const struct omp_item *item)
{
	return item_or_null(l, item->after);
}

bool omp_list_has_note(const struct omp_list *l, const struct omp_item *item)
{
	const struct omp_item *next = omp_list_next(l, item);
	return next && next->role == OMP_INTERRUPTED;
}

bool omp_list_is_answered(const struct omp_list *l, const struct omp_item *item,
			  uint32_t n)
{
	return call_at(l, item, n)->answered;
}
