#include "core/show/calls.h"

#include "core/base/text.h"
#include "core/json/js.h"
#include "core/session/dialect.h"
#include "core/show/tool_call.h"
#include "core/show/words.h"

/* The most bytes of an argument: more than anybody shows. */
#define ARGUMENT_BYTES 4096

/* In front of a call's texts. */
struct head {
	size_t id;
	size_t name;
	size_t argument;
	bool failed;
};

void calls_put(struct call_list *l, const struct call *c)
{
	struct head h = { c->id.n, c->name.n, c->argument.n, c->failed };
	/* All of it or nothing: calls_next() relies on the head. */
	if (!buf_reserve(&l->bytes, sizeof(h) + h.id + h.name + h.argument))
		return;
	buf_add(&l->bytes, (struct span){ (char *)&h, sizeof(h) });
	buf_add(&l->bytes, c->id);
	buf_add(&l->bytes, c->name);
	buf_add(&l->bytes, c->argument);
	l->n++;
}

static struct span take(struct span *rest, size_t n)
{
	struct span s = { rest->p, n };
	rest->p += n;
	rest->n -= n;
	return s;
}

bool calls_next(struct span *rest, struct call *c)
{
	struct head h;
	if (rest->n < sizeof(h))
		return false;
	memcpy(&h, take(rest, sizeof(h)).p, sizeof(h));
	c->id = take(rest, h.id);
	c->name = take(rest, h.name);
	c->argument = take(rest, h.argument);
	c->failed = h.failed;
	return true;
}

void calls_begin(struct calls *c, const struct session *s)
{
	*c = (struct calls){ .s = s };
}

void calls_end(struct calls *c)
{
	for (size_t i = 0; i < CALLS_KEPT; i++)
		buf_free(&c->kept[i].list.bytes);
	buf_free(&c->cwd);
	buf_free(&c->line);
}

static struct span find_cwd(struct calls *c)
{
	if (!c->has_cwd)
		json_decode(&c->cwd, session_header(c->s, "cwd"));
	c->has_cwd = true;
	return buf_span(&c->cwd);
}

void calls_add_block(struct calls *c, struct call_list *l,
		     const struct block *b)
{
	struct buf id = { 0 };
	struct buf name = { 0 };
	struct buf argument = { 0 };
	if (l->n >= CALLS_OF_ENTRY)
		return;
	if (b->id.raw.n <= CALL_ID_BYTES)
		json_decode(&id, b->id);
	js_to_string(&name, b->name);
	words_make_plain(&name, ARGUMENT_BYTES);
	struct buf scratch = { 0 };
	tool_call_add_argument(&argument, b->name, block_arguments(b, &scratch),
			       find_cwd(c));
	words_make_plain(&argument, ARGUMENT_BYTES);
	calls_put(l, &(struct call){ .id = buf_span(&id),
				     .name = buf_span(&name),
				     .argument = buf_span(&argument) });
	buf_inherit(&l->bytes, &c->cwd);
	buf_free_into(&id, &l->bytes);
	buf_free_into(&name, &l->bytes);
	buf_free_into(&argument, &l->bytes);
	buf_free_into(&scratch, &l->bytes);
}

void calls_keep(struct calls *c, uint32_t entry, struct call_list *l)
{
	struct calls_kept *k = &c->kept[entry % CALLS_KEPT];
	struct call_list old = k->list;
	buf_clear(&old.bytes);
	old.n = 0;
	*k = (struct calls_kept){ true, entry, *l };
	*l = old;
}

static void add_calls(struct calls *c, struct call_list *l, struct json entry)
{
	const struct dialect_showing *d = c->s->dialect->showing;
	struct block_walk w = block_walk(d->read_block, d->blocks(entry));
	struct block b;
	struct json raw;
	while (block_next(&w, &b, &raw)) {
		if (b.type == BLOCK_CALL)
			calls_add_block(c, l, &b);
	}
}

/* The calls of an entry, which are read if they are not remembered. */
static int load(struct calls *c, uint32_t entry, struct span *calls)
{
	const struct calls_kept *k = &c->kept[entry % CALLS_KEPT];
	int err = 0;
	if (!k->is_used || k->entry != entry) {
		struct call_list l = { 0 };
		struct json json;
		err = session_read(c->s, entry, &c->line, &json);
		if (!err) {
			add_calls(c, &l, json);
			err = buf_error(&l.bytes);
		}
		if (!err)
			calls_keep(c, entry, &l);
		buf_free(&l.bytes);
	}
	*calls = buf_span(&k->list.bytes);
	return err;
}

int calls_find(struct calls *c, uint32_t entry, struct span id,
	       struct call *found)
{
	uint64_t bytes = 0;
	uint32_t at = session_entry(c->s, entry)->parent;
	*found = (struct call){ 0 };
	for (int i = 0; i < CALLS_ABOVE && at != INDEX_NONE; i++) {
		const struct entry *e = session_entry(c->s, at);
		struct span rest;
		bytes += e->length;
		if (bytes > CALLS_BYTES)
			break;
		int err = load(c, at, &rest);
		if (err)
			return err;
		while (calls_next(&rest, found)) {
			if (span_eq(found->id, id))
				return 0;
		}
		at = e->parent;
	}
	*found = (struct call){ 0 };
	return 0;
}
