#include "core/catalogue/summary.h"

#include <errno.h>

#include "core/base/text.h"
#include "core/json/timestamp.h"
#include "core/session/bookkeeping.h"
#include "core/session/dialect.h"
#include "core/show/meta.h"
#include "core/show/own_usage.h"
#include "core/show/session_title.h"
#include "core/show/usage.h"
#include "core/show/words.h"

/* The tabs of a row. */
#define ROW_TABS 7

int summary_rename(struct summary *s, struct names *names,
		   const struct dialect_registry *dialects, const char *path)
{
	struct columns c;
	struct buf name = { 0 };
	int got = names_look_up(names, dialects, path, &name);
	buf_clear(&s->given);
	columns_begin(&c);
	words_add_fit(&c, &s->given, buf_span(&name), SUMMARY_WORDS);
	columns_end(&c);
	buf_free_into(&name, &s->given);
	return got < 0 ? got : buf_error(&s->given);
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
	out->time = session_title_time(s);
	out->resumable = x->n > 0 && !session_unopened(s).why;
	out->subagent = home && home->is_subagent && home->is_subagent(s);
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
	return err ? err : buf_error(&out->row);
}

void summary_free(struct summary *s)
{
	buf_free(&s->row);
	buf_free(&s->given);
	buf_free(&s->base);
	buf_free(&s->copied);
	buf_free(&s->lineage);
	*s = (struct summary){ .time = TIMESTAMP_NONE };
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

void summary_pack(const struct summary *s, struct buf *out)
{
	const struct packed p = {
		.time = s->time,
		.lineage = (uint32_t)s->lineage.len,
		.flags = (s->resumable ? FLAG_RESUMABLE : 0) |
			 (s->subagent ? FLAG_SUBAGENT : 0),
		.base = s->base.len,
		.copied = s->copied.len,
	};
	buf_add(out, (struct span){ (const char *)&p, sizeof(p) });
	buf_add(out, buf_span(&s->lineage));
	buf_add(out, buf_span(&s->base));
	buf_add(out, buf_span(&s->copied));
	buf_add(out, buf_span(&s->row));
}

/* A column as the row has it. */
static struct span own_column(const struct summary *s, unsigned column)
{
	struct span rest = buf_span(&s->row);
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

bool summary_is_current(struct gate *g, struct summary *s)
{
	struct version v;
	const char *copied = buf_cstr(&s->copied);
	return copied && lineage_is_as_packed(g, buf_span(&s->lineage)) &&
	       (!*copied || version_take(g, copied, &v) == 0);
}

static struct span take(struct span *rest, uint64_t n)
{
	struct span taken = { rest->p, (size_t)n };
	rest->p += n;
	rest->n -= (size_t)n;
	return taken;
}

bool summary_unpack(struct gate *g, struct span bytes, struct summary *out)
{
	struct packed p;
	*out = (struct summary){ .time = TIMESTAMP_NONE };
	if (bytes.n < sizeof(p))
		return false;
	memcpy(&p, take(&bytes, sizeof(p)).p, sizeof(p));
	if (p.lineage >= bytes.n || p.base >= bytes.n - p.lineage ||
	    p.copied >= bytes.n - p.lineage - p.base)
		return false;
	out->time = p.time;
	out->resumable = p.flags & FLAG_RESUMABLE;
	out->subagent = p.flags & FLAG_SUBAGENT;
	buf_add(&out->lineage, take(&bytes, p.lineage));
	buf_add(&out->base, take(&bytes, p.base));
	buf_add(&out->copied, take(&bytes, p.copied));
	buf_add(&out->row, bytes);
	if (!buf_error(&out->lineage) && !buf_error(&out->base) &&
	    !buf_error(&out->copied) && !buf_error(&out->row) &&
	    is_row(bytes) && summary_is_current(g, out))
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
