#include "core/catalogue/summary.h"

#include <errno.h>

#include "core/base/text.h"
#include "core/json/timestamp.h"
#include "core/session/dialect.h"
#include "core/show/meta.h"
#include "core/show/session_title.h"
#include "core/show/usage.h"
#include "core/show/words.h"

int summary_rename(struct summary *s, struct names *names,
		   const struct dialect_registry *dialects, const char *path)
{
	struct buf name BUF_SCOPED = BUF_INTO(&s->given);
	int got = names_look_up(names, dialects, path, &name);
	buf_clear(&s->given);
	if (name.len > 0)
		words_add_fit(&s->given, buf_span(&name), SUMMARY_WORDS);
	return got < 0 ? got : buf_error(&s->given);
}

static void add_cwd(const struct session *s, struct buf *out)
{
	struct buf cwd BUF_SCOPED = BUF_INTO(out);
	meta_add_value(&cwd, session_header(s, "cwd"));
	text_finish(&cwd, 0);
	words_add_plain(out, buf_span(&cwd));
}

/* The parts of a summary before they are packed. */
struct parts {
	struct buf row;
	struct buf base;
	struct buf copied;
	struct buf lineage;
	bool lacks_base;
};

/* Nothing, if it can't be read: the file is being rewritten. */
static int add_usage(const struct session *s, struct parts *to)
{
	struct usage sum = { 0 };
	struct buf *out = &to->row;
	int err = own_usage(s, buf_span(&to->base), &sum, &to->copied,
			    &to->lacks_base);
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

static int make_parts(const struct session *s, struct parts *out)
{
	const struct index *x = &s->now.index;
	uint32_t tips = 0;
	for (uint32_t i = 0; i < x->n; i++)
		tips += bookkeeping_is_tip(x, i);
	buf_addf(&out->row, "\t%s\t%u\t%u", s->dialect->name, x->n, tips);
	lineage_pack(&s->log.before, &out->lineage);
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
		err = session_title_add_named(s, name, SUMMARY_WORDS,
					      &out->row);
	if (!err)
		err = buf_error(&out->lineage);
	if (!err)
		err = buf_error(&out->copied);
	return err ? err : buf_error(&out->row);
}

int summary_make(const struct session *s, struct summary *out)
{
	struct parts p = { 0 };
	int err = make_parts(s, &p);
	out->time = session_title_time(s);
	out->resumable = s->now.index.n > 0 && !session_unopened(s).why;
	out->subagent = session_is_subagent(s);
	out->lacks_base = p.lacks_base;
	out->row = buf_span(&p.row);
	out->base = buf_span(&p.base);
	out->copied = buf_span(&p.copied);
	out->lineage = buf_span(&p.lineage);
	if (!err)
		err = summary_pack(out);
	if (err)
		summary_free(out);
	buf_free(&p.row);
	buf_free(&p.base);
	buf_free(&p.copied);
	buf_free(&p.lineage);
	return err;
}

void summary_free(struct summary *s)
{
	buf_free(&s->given);
	buf_free(&s->packed);
	*s = (struct summary){ .time = TIMESTAMP_NONE };
}

/* Before the lineage, the base, the path with a NUL, and the row. */
struct head {
	int64_t time;
	uint32_t flags;
	uint32_t base; /* how many bytes they have */
	uint32_t copied;
	uint32_t lineage;
};

#define FLAG_RESUMABLE 1U
#define FLAG_SUBAGENT 2U
#define FLAG_LACKS_BASE 4U

/* Find the parts in the bytes. */
static bool find_parts(struct summary *s)
{
	struct span rest = buf_span(&s->packed);
	struct head h;
	if (rest.n < sizeof(h))
		return false;
	memcpy(&h, span_take(&rest, sizeof(h)).p, sizeof(h));
	if ((uint64_t)h.lineage + h.base + h.copied + 1 >= rest.n)
		return false;
	s->time = h.time;
	s->resumable = h.flags & FLAG_RESUMABLE;
	s->subagent = h.flags & FLAG_SUBAGENT;
	s->lacks_base = h.flags & FLAG_LACKS_BASE;
	s->lineage = span_take(&rest, h.lineage);
	s->base = span_take(&rest, h.base);
	s->copied = span_take(&rest, h.copied);
	bool ends = *span_take(&rest, 1).p == '\0';
	s->row = rest;
	return ends && *rest.p == '\t';
}

int summary_pack(struct summary *s)
{
	const struct head h = {
		.time = s->time,
		.flags = (s->resumable ? FLAG_RESUMABLE : 0) |
			 (s->subagent ? FLAG_SUBAGENT : 0) |
			 (s->lacks_base ? FLAG_LACKS_BASE : 0),
		.base = (uint32_t)s->base.n,
		.copied = (uint32_t)s->copied.n,
		.lineage = (uint32_t)s->lineage.n,
	};
	struct buf *out = &s->packed;
	buf_add(out, (struct span){ (const char *)&h, sizeof(h) });
	buf_add(out, s->lineage);
	buf_add(out, s->base);
	buf_add(out, s->copied);
	buf_addc(out, '\0');
	buf_add(out, s->row);
	return buf_error(out) || !find_parts(s) ? -ENOMEM : 0;
}

/* A column as the row has it. */
static struct span own_column(const struct summary *s, unsigned column)
{
	struct span rest = s->row;
	(void)span_next(&rest, '\t');
	for (unsigned i = 0; i < column; i++)
		(void)span_next(&rest, '\t');
	return span_next(&rest, '\t');
}

struct span summary_column(const struct summary *s, enum summary_column column)
{
	return column == SUMMARY_LAST_COLUMN && s->given.len > 0
		       ? buf_span(&s->given)
		       : own_column(s, column);
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
	struct span words = own_column(s, SUMMARY_LAST_COLUMN);
	buf_add(out, (struct span){ s->row.p, s->row.n - words.n });
	summary_add_drawn(s, out);
	buf_addc(out, '\n');
}

bool summary_is_current(struct gate *g, const struct summary *s)
{
	struct version v;
	return lineage_is_as_packed(g, s->lineage) &&
	       (s->copied.n == 0 || version_take(g, s->copied.p, &v) == 0);
}

bool summary_unpack(struct gate *g, struct span bytes, struct summary *out)
{
	*out = (struct summary){ .time = TIMESTAMP_NONE };
	buf_add(&out->packed, bytes);
	if (!buf_error(&out->packed) && find_parts(out) &&
	    summary_is_current(g, out))
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
