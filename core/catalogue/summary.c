#include "core/catalogue/summary.h"

#include <errno.h>

#include "core/base/text.h"
#include "core/json/timestamp.h"
#include "core/session/bookkeeping.h"
#include "core/session/dialect.h"
#include "core/show/meta.h"
#include "core/show/own_usage.h"
#include "core/show/rows.h"
#include "core/show/usage.h"
#include "core/show/words.h"

/* The lines of messages that are read at most to find what a person typed. */
#define LINES_LIMIT 200
#define BYTES_LIMIT ((uint64_t)8 << 20)

/* The tabs of a row. */
#define ROW_TABS 7

int64_t summary_time(const struct session *s)
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
	struct buf role = { 0 };
	rows_add_role(d, &role, entry);
	int typed =
		role.failed ? -ENOMEM : span_eq(buf_span(&role), SPAN("user"));
	buf_free(&role);
	return typed;
}

/* The first of the best that a person typed, within limits. */
static int add_first_words(struct words *w, size_t max, struct buf *out)
{
	const struct index *x = &w->s->now.index;
	enum typed best = TYPED_NOTHING;
	struct buf line = { 0 };
	struct buf found = { 0 };
	struct buf title = { 0 };
	struct span text;
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
		err = session_peek(w->s, i, &line, &text, &json);
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
	buf_free_into(&found, out);
	buf_free_into(&title, out);
	buf_free(&line);
	/* A file that is being rewritten has none for now. */
	return err == -ESTALE ? 0 : err;
}

/* The name, unless it has no words. */
static int add_words(const struct session *s, struct span name, size_t max,
		     struct buf *out)
{
	struct words w;
	size_t before = out->len;
	int err = 0;
	words_begin(&w, s);
	words_add_fit(&w.columns, out, name, max);
	if (out->len == before)
		err = add_first_words(&w, max, out);
	words_end(&w);
	return err;
}

int summary_add_words(const struct session *s, size_t max, struct buf *out)
{
	return add_words(s, buf_span(&s->now.name), max, out);
}

int summary_rename(struct summary *s, struct names *names,
		   const struct dialect_registry *dialects, const char *path)
{
	struct columns c;
	struct buf name = { 0 };
	struct buf words = { 0 };
	int got = names_look_up(names, dialects, path, &name);
	columns_begin(&c);
	words_add_fit(&c, &words, buf_span(&name), SUMMARY_WORDS);
	columns_end(&c);
	if (words.len > 0) {
		while (s->row.data[s->row.len - 1] != '\t')
			s->row.len--;
		buf_add(&s->row, buf_span(&words));
	}
	int err = name.failed || words.failed ? -ENOMEM : buf_error(&s->row);
	buf_free(&name);
	buf_free(&words);
	return got < 0 ? got : err;
}

static void add_cwd(const struct session *s, struct buf *out)
{
	struct buf cwd = { 0 };
	meta_add_value(&cwd, session_header(s, "cwd"));
	text_finish(&cwd, 0);
	words_add_plain(out, buf_span(&cwd));
	buf_free_into(&cwd, out);
}

/* Nothing, if it can't be read: the file is being rewritten. */
static int add_usage(const struct session *s, struct summary *to)
{
	struct usage sum = { 0 };
	struct buf *out = &to->row;
	int err = own_usage(s, buf_span(&to->base), &sum, &to->copied);
	buf_addc(out, '\t');
	if (!err && sum.tokens > 0)
		buf_addf(out, "%.0f", sum.tokens);
	buf_addc(out, '\t');
	if (!err && sum.cost > 0)
		usage_add_cost(out, sum.cost);
	return err == -ESTALE ? 0 : err;
}

/*
 * Its own file says so, not the first of its lineage. One that can't be read
 * has none.
 */
static int add_base(const struct session *s, struct buf *out)
{
	struct log log = s->log;
	log.before = (struct lineage){ 0 };
	log.kept = (struct span){ 0 };
	if (s->log.before.size == 0)
		log.kept = session_kept(s);
	int err = s->dialect->bases->base_id(&log, out);
	if (err == -ENOMEM || out->failed)
		return -ENOMEM;
	if (err < 0)
		buf_clear(out);
	return 0;
}

int summary_make(const struct session *s, struct summary *out)
{
	const struct index *x = &s->now.index;
	const struct dialect_home *home = s->dialect->home;
	uint32_t tips = 0;
	for (uint32_t i = 0; i < x->n; i++)
		tips += bookkeeping_is_tip(x, i);
	out->time = summary_time(s);
	out->resumable = x->n > 0 && !session_unopened(s).why;
	out->subagent = home && home->is_subagent && home->is_subagent(s);
	buf_addf(&out->row, "\t%s\t%u\t%u", s->dialect->name, x->n, tips);
	int err = s->dialect->bases && s->log.exists ? add_base(s, &out->base)
						     : 0;
	if (!err)
		err = add_usage(s, out);
	buf_addc(&out->row, '\t');
	add_cwd(s, &out->row);
	buf_addc(&out->row, '\t');
	struct span name = buf_span(&s->now.name);
	if (s->beside[BESIDE_NAMES].path)
		name.n = 0;
	if (!err)
		err = add_words(s, name, SUMMARY_WORDS, &out->row);
	return err ? err : buf_error(&out->row);
}

void summary_free(struct summary *s)
{
	buf_free(&s->row);
	buf_free(&s->base);
	buf_free(&s->copied);
}

/* Before the lineage and the row. */
struct packed {
	int64_t time;
	uint32_t lineage; /* how many bytes it has */
	uint32_t flags;
	uint64_t base; /* the same, after those */
	uint64_t copied;
};

#define FLAG_RESUMABLE 1U
#define FLAG_SUBAGENT 2U

void summary_pack(const struct summary *s, const struct lineage *before,
		  struct buf *out)
{
	struct buf lineage = { 0 };
	lineage_pack(before, &lineage);
	const struct packed p = {
		.time = s->time,
		.lineage = (uint32_t)lineage.len,
		.flags = (s->resumable ? FLAG_RESUMABLE : 0) |
			 (s->subagent ? FLAG_SUBAGENT : 0),
		.base = s->base.len,
		.copied = s->copied.len,
	};
	buf_add(out, (struct span){ (const char *)&p, sizeof(p) });
	buf_add(out, buf_span(&lineage));
	buf_add(out, buf_span(&s->base));
	buf_add(out, buf_span(&s->copied));
	buf_add(out, buf_span(&s->row));
	buf_free_into(&lineage, out);
}

struct span summary_column(const struct summary *s, enum summary_column column)
{
	struct span rest = buf_span(&s->row);
	(void)span_next(&rest, '\t');
	for (unsigned i = 0; i < (unsigned)column; i++)
		(void)span_next(&rest, '\t');
	return span_next(&rest, '\t');
}

/* Of those that are deeper. */
#define DEPTH_DRAWN 8

void summary_add_drawn(const struct summary *s, struct buf *out)
{
	unsigned depth = s->depth < DEPTH_DRAWN ? s->depth : DEPTH_DRAWN;
	if (depth > 0) {
		buf_fill(out, ' ', 2 * (size_t)(depth - 1));
		buf_adds(out, "└ ");
	}
	buf_add(out, summary_column(s, SUMMARY_LAST_COLUMN));
}

void summary_add_line(const struct summary *s, struct span path,
		      struct buf *out)
{
	timestamp_add(out, s->time);
	buf_addc(out, '\t');
	text_add_one_line(out, path);
	struct span words = summary_column(s, SUMMARY_LAST_COLUMN);
	buf_add(out, (struct span){ s->row.data, s->row.len - words.n });
	summary_add_drawn(s, out);
	buf_addc(out, '\n');
}

static bool is_row(struct span row)
{
	unsigned tabs = 0;
	for (size_t i = 0; i < row.n; i++) {
		unsigned char c = (unsigned char)row.p[i];
		tabs += c == '\t';
		if ((c < 0x20 && c != '\t') || c == 0x7F)
			return false;
	}
	return tabs == ROW_TABS && row.p[0] == '\t' && text_is_utf8(row);
}

/* Is the file there whose answers are left out? */
static bool has_copied(struct gate *g, struct summary *s)
{
	struct version v;
	const char *path = buf_cstr(&s->copied);
	return path && (!*path || version_take(g, path, &v) == 0);
}

bool summary_unpack(struct gate *g, struct span bytes, struct summary *out)
{
	struct packed p;
	*out = (struct summary){ .time = TIMESTAMP_NONE };
	if (bytes.n < sizeof(p))
		return false;
	memcpy(&p, bytes.p, sizeof(p));
	bytes.p += sizeof(p);
	bytes.n -= sizeof(p);
	if (p.lineage >= bytes.n || p.base >= bytes.n - p.lineage ||
	    p.copied >= bytes.n - p.lineage - p.base)
		return false;
	struct span base = { bytes.p + p.lineage, (size_t)p.base };
	struct span copied = { base.p + base.n, (size_t)p.copied };
	struct span row = { copied.p + copied.n,
			    bytes.n - (size_t)p.lineage - base.n - copied.n };
	struct span lineage = { bytes.p, (size_t)p.lineage };
	if (!is_row(row) || !lineage_is_as_packed(g, lineage))
		return false;
	out->time = p.time;
	out->resumable = p.flags & FLAG_RESUMABLE;
	out->subagent = p.flags & FLAG_SUBAGENT;
	buf_add(&out->row, row);
	buf_add(&out->base, base);
	buf_add(&out->copied, copied);
	if (!buf_error(&out->row) && !buf_error(&out->base) &&
	    !buf_error(&out->copied) && has_copied(g, out))
		return true;
	summary_free(out);
	return false;
}

int summary_compare(const struct summary *a, struct span a_path,
		    const struct summary *b, struct span b_path)
{
	if (a->time != b->time)
		return a->time > b->time ? -1 : 1;
	return span_compare(a_path, b_path);
}
