#include "core/as/form.h"

#include <errno.h>

#include "core/as/api.h"
#include "core/as/conversation.h"

/* Of more entries the conversation is not loaded to count its tokens. */
#define ENTRIES_MOST 100000

static const struct api {
	const char *name;
	int (*write)(const struct conversation *c, struct buf *out);
} apis[] = {
	{ "anthropic", as_anthropic },
	{ "openai", as_openai },
	{ "responses", as_responses },
};

#define N_APIS (sizeof(apis) / sizeof(apis[0]))

/* The dialect of a form; NULL: it is an API's, or there is no such form. */
static const struct dialect *receiver(const struct dialect_registry *r,
				      unsigned form)
{
	unsigned n = N_APIS;
	for (size_t i = 0; i < r->n; i++) {
		if (r->rows[i]->receiving && n++ == form)
			return r->rows[i];
	}
	return NULL;
}

unsigned as_form_count(const struct dialect_registry *r)
{
	unsigned n = N_APIS;
	while (receiver(r, n))
		n++;
	return n;
}

void as_form_add_name(const struct dialect_registry *r, unsigned form,
		      struct buf *out)
{
	const struct dialect *d = receiver(r, form);
	if (form < N_APIS)
		buf_addf(out, "%s.json", apis[form].name);
	else if (d)
		buf_addf(out, "%s.jsonl", d->name);
}

int as_form_find(const struct dialect_registry *r, struct span name,
		 unsigned *form)
{
	struct buf shown = { 0 };
	unsigned n = as_form_count(r);
	bool found = false;
	for (*form = 0; *form < n && !found; *form += !found) {
		buf_clear(&shown);
		as_form_add_name(r, *form, &shown);
		found = span_eq(buf_span(&shown), name);
	}
	int err = buf_end(&shown);
	return err ? err : found ? 0 : -ENOENT;
}

int as_form_of(const struct dialect_registry *r, const struct dialect *d,
	       unsigned *form)
{
	*form = N_APIS;
	while (receiver(r, *form) && receiver(r, *form) != d)
		++*form;
	return receiver(r, *form) ? 0 : -ENOENT;
}

int as_form_add(const struct session *s, unsigned form, uint32_t entry,
		unsigned nth, struct buf *out)
{
	const struct dialect *d = receiver(session_dialects(s), form);
	struct conversation c;
	if (d && d == s->dialect && entry != INDEX_NONE)
		return d->sending->branch(s, entry, nth, out);
	int err = conversation_load(&c, s, entry);
	/* Sessions of several agents that are made of one have ids of their
	 * own. */
	if (!err && d)
		buf_addf(&c.key, " %s", d->name);
	if (!err && nth > 1)
		buf_addf(&c.key, " %u", nth);
	if (!err && c.key.failed)
		err = -ENOMEM;
	if (!err && form < N_APIS)
		err = apis[form].write(&c, out);
	else if (!err)
		err = d ? d->receiving->write(&c, out) : -ENOENT;
	conversation_free(&c);
	return err ? err : buf_error(out);
}

/* -- `info` */

/* The smallest window of other agents; 0: there are none. */
static uint32_t smallest_window(const struct session *s)
{
	const struct dialect_registry *r = session_dialects(s);
	uint32_t least = 0;
	for (size_t i = 0; i < r->n; i++) {
		const struct dialect *d = r->rows[i];
		if (d->receiving && d != s->dialect &&
		    (least == 0 || d->receiving->window < least))
			least = d->receiving->window;
	}
	return least;
}

/* Can the context have so many tokens? Only its bytes are looked at. */
static bool may_exceed(const struct session *s, uint32_t window)
{
	uint64_t most = (uint64_t)window * BYTES_A_TOKEN;
	uint64_t bytes = 0;
	uint32_t n = 0;
	if (log_size(&s->log) <= most)
		return false;
	for (uint32_t i = session_at_leaf(s);
	     i != INDEX_NONE && n <= ENTRIES_MOST;
	     i = session_entry(s, i)->parent) {
		bytes += session_entry(s, i)->length;
		n++;
	}
	return bytes > most && n <= ENTRIES_MOST;
}

int as_add_over_window(const struct session *s, struct buf *out)
{
	const struct dialect_registry *r = session_dialects(s);
	uint32_t least = smallest_window(s);
	struct conversation c = { 0 };
	if (least == 0 || !may_exceed(s, least))
		return 0;
	int err = conversation_load(&c, s, session_at_leaf(s));
	for (size_t i = 0; i < r->n && !err; i++) {
		const struct dialect *d = r->rows[i];
		if (d->receiving && d != s->dialect &&
		    c.tokens > d->receiving->window)
			buf_addf(out,
				 "over-window: %s (about %llu tokens of %u)\n",
				 d->name, (unsigned long long)c.tokens,
				 d->receiving->window);
	}
	conversation_free(&c);
	return err ? err : buf_error(out);
}
