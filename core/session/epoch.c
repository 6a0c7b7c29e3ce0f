#include "core/session/epoch.h"

#include "core/base/hash.h"
#include "core/session/session.h"

void reading_take(const struct session *s, struct session_reading *r)
{
	*r = (struct session_reading){ .dialect = s->dialect,
				       .entries = s->now.index.n,
				       .bytes = s->now.indexed,
				       .before = s->log.before.size,
				       .digest = s->now.fingerprint.digest,
				       .mode = log_mode(&s->log),
				       .uid = s->log.st.st_uid,
				       .gid = s->log.st.st_gid,
				       .epoch = s->epoch,
				       .epoch_entries = s->epoch_entries,
				       .since = s->since };
}

bool reading_same_owner(const struct session_reading *a,
			const struct session_reading *b)
{
	return a->mode == b->mode && a->uid == b->uid && a->gid == b->gid;
}

void epoch_begin(struct session *s)
{
	s->epoch++;
	s->since = s->stamp;
}

void epoch_continue(struct session *s, const struct session_reading *r)
{
	s->epoch = r->epoch;
	s->epoch_entries = r->epoch_entries;
	s->since = r->since;
}

struct reading_plan reading_plan(const struct reading_news *news)
{
	static const struct reading_plan plans[] = {
		[VERSION_SAME] = { COMPARE_NOTHING, THEN_KEEP },
		[VERSION_TOUCHED] = { COMPARE_ALL, THEN_KEEP },
		[VERSION_GREW] = { COMPARE_ENDS, THEN_GROW },
		[VERSION_GREW_TOUCHED] = { COMPARE_ALL, THEN_GROW },
		[VERSION_REPLACED] = { COMPARE_NOTHING, THEN_READ },
		[VERSION_DELETED] = { COMPARE_NOTHING, THEN_READ },
	};
	struct reading_plan plan = plans[news->change];
	if (news->change == VERSION_SAME)
		plan.compare = news->unsettled;
	bool other_file = news->reopened && plan.compare == COMPARE_ENDS;
	if (plan.then != THEN_READ && (news->doubted || other_file))
		plan.compare = COMPARE_ALL;
	return plan;
}

/* What of the header contents and paths are made with. */
static bool same_header(const struct contents *old, const struct contents *now)
{
	static const char *const names[] = { "id", "cwd", "version",
					     "parentSession" };
	struct json x = { 0 };
	struct json y = { 0 };
	if (json_check(buf_span(&old->header), &x) < 0 ||
	    json_check(buf_span(&now->header), &y) < 0)
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!span_eq(json_get(x, names[i]).raw,
			     json_get(y, names[i]).raw))
			return false;
	return true;
}

/* Is an entry's line, `by` lines further down, the same? */
static bool same_line(const struct session *s, const struct entry *was,
		      uint32_t entry, uint32_t by, struct buf *line)
{
	const struct entry *e = session_entry(s, entry);
	struct span text;
	if (e->line != was->line + by || e->length != was->length ||
	    e->parent != was->parent || e->bookkeeping != was->bookkeeping)
		return false;
	if (e->offset == was->offset)
		return e->digest == was->digest;
	return session_peek_text(s, entry, line, &text) == 0 &&
	       (uint32_t)hash_line(text, was->offset) == was->digest;
}

/*
 * Has the file all lines that it had after the header, and nothing but entries
 * among them? oh-my-pi writes the whole file anew when it sets a title, which
 * is in the header, too, or in a line that is new before it. Reads the lines if
 * they have moved.
 */
static bool same_lines(const struct session *s, const struct contents *old)
{
	const struct index *x = &old->index;
	struct buf line = { 0 };
	bool same = x->n > 0 && s->now.index.n >= x->n &&
		    !old->fingerprint.lacks_newline &&
		    same_header(old, &s->now);
	uint32_t by =
		same ? s->now.index.entries[0].line - x->entries[0].line : 0;
	for (uint32_t i = 0; same && i < x->n; i++)
		same = x->entries[i].line == x->entries[0].line + i &&
		       same_line(s, &x->entries[i], i, by, &line);
	buf_free(&line);
	return same && old->lines == x->entries[0].line + x->n - 1;
}

bool epoch_same_lines(const struct session *s, const struct contents *old,
		      bool turned)
{
	const struct contents *now = &s->now;
	const struct fingerprint *x = &old->fingerprint;
	const struct fingerprint *y = &now->fingerprint;
	/*
	 * Are all lines but the first the same, and is that one no entry or
	 * header? oh-my-pi writes over it when a session is renamed.
	 */
	bool only_first_differs =
		old->indexed == now->indexed &&
		x->digest - x->first_line == y->digest - y->first_line &&
		span_eq(buf_span(&old->header), buf_span(&now->header)) &&
		now->index.n > 0 && now->index.entries[0].line > 1;
	return only_first_differs || (!turned && same_lines(s, old));
}
