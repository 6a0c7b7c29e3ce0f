#include "core/show/session_title.h"

#include <errno.h>

#include "core/base/columns.h"
#include "core/base/text.h"
#include "core/json/timestamp.h"
#include "core/session/dialect.h"
#include "core/show/rows.h"
#include "core/show/words.h"

/* The lines of messages that are read at most to find what a person typed. */
#define LINES_LIMIT 200
#define BYTES_LIMIT ((uint64_t)8 << 20)

int64_t session_title_time(const struct session *s)
{
	const struct index *x = &s->now.index;
	for (uint32_t i = x->n; i-- > 0;)
		if (x->entries[i].time != TIMESTAMP_NONE &&
		    !x->entries[i].bookkeeping)
			return x->entries[i].time;
	return timestamp_parse(session_header(s, "timestamp"));
}

/* Has a person typed it? 1, 0 or -ENOMEM. */
static int is_typed(const struct session *s, struct json entry)
{
	const struct dialect_showing *d = s->dialect->showing;
	if (d->is_typed)
		return d->is_typed(entry);
	struct buf role BUF_SCOPED = { 0 };
	rows_add_role(d, &role, entry);
	return role.failed ? -ENOMEM : span_eq(buf_span(&role), SPAN("user"));
}

/* The first of the best that a person typed, within limits. */
static int add_first_words(struct words *w, size_t max, struct buf *out)
{
	const struct index *x = &w->s->now.index;
	enum typed best = TYPED_NOTHING;
	struct buf line BUF_SCOPED = { 0 };
	struct buf found BUF_SCOPED = BUF_INTO(out);
	struct buf title BUF_SCOPED = BUF_INTO(out);
	struct json json;
	uint64_t bytes = 0;
	unsigned lines = 0;
	int err = 0;
	for (uint32_t i = 0; i < x->n && err >= 0 && best < TYPED_WORDS; i++) {
		enum typed typed = TYPED_NOTHING;
		if (x->entries[i].type != ENTRY_MESSAGE)
			continue;
		bytes += x->entries[i].length;
		if (++lines > LINES_LIMIT || bytes > BYTES_LIMIT)
			break;
		buf_clear(&title);
		err = session_peek(w->s, i, &line, NULL, &json);
		if (!err)
			err = is_typed(w->s, json);
		if (err > 0)
			err = words_add_title(w, &title, i, json, max, &typed);
		if (title.len == 0 || typed <= best)
			continue;
		best = typed;
		buf_clear(&found);
		buf_add(&found, buf_span(&title));
	}
	buf_add(out, buf_span(&found));
	/* A file that is being rewritten has none for now. */
	return err == -ESTALE ? 0 : err;
}

int session_title_add_named(const struct session *s, struct span name,
			    size_t max, struct buf *out)
{
	struct words w;
	struct buf plain BUF_SCOPED = BUF_INTO(out);
	size_t before = out->len;
	int err = 0;
	words_begin(&w, s);
	words_add_plain(&plain, name);
	text_finish(&plain, 0);
	columns_add_cut(out, buf_span(&plain), max);
	if (out->len == before)
		err = add_first_words(&w, max, out);
	words_end(&w);
	return err;
}

int session_title_add(const struct session *s, size_t max, struct buf *out)
{
	return session_title_add_named(s, buf_span(&s->now.name), max, out);
}
