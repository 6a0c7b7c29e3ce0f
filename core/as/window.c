#include "core/as/conversation.h"
#include "core/as/form.h"
#include "core/session/dialect.h"

/* Of more entries the conversation is not loaded to count its tokens. */
#define ENTRIES_MOST 100000

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
