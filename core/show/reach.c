#include "core/show/check.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/text.h"
#include "core/file/feed.h"
#include "core/json/timestamp.h"
#include "core/session/dialect.h"
#include "core/session/file_name.h"

static const struct entry *root_of(const struct reach *r,
				   const struct session *s, uint32_t entry)
{
	return session_entry(s, r->root[entry]);
}

/* The tips that stop short, or the others. */
static void list_tips(struct reach *r, const struct session *s, bool shorts)
{
	for (uint32_t i = 0; i < s->now.index.n; i++) {
		const struct entry *root = root_of(r, s, i);
		if (bookkeeping_is_tip(&s->now.index, i) &&
		    (root->orphan || root->cut) == shorts)
			r->tips[r->n_tips++] = i;
	}
}

/* The parents that the first tips miss, as they are in JSON. */
struct search {
	struct reach *r;
	const struct session *s;
	struct buf ids[REACH_TIPS];
	struct record_reader records;
	uint32_t line; /* number of the line in hand */
};

static int examine_line(void *data, struct span line, uint64_t offset)
{
	struct search *f = data;
	struct json json;
	f->line++;
	if (offset == 0)
		line = log_skip_bom(line);
	if (text_trim(line).n == 0 || record_has(&f->records, offset))
		return 0;
	int err = json_check(line, &json);
	if (err == -EBADMSG && f->s->dialect->reading->takes_record)
		err = record_check(&f->records, &f->s->log,
				   log_size(&f->s->log), line, offset, &json);
	if (err != -EBADMSG)
		return err;
	for (uint32_t i = 0; i < REACH_TIPS; i++) {
		struct span id = buf_span(&f->ids[i]);
		if (id.n > 0 && f->r->bad_line[i] == 0 &&
		    memmem(line.p, line.n, id.p, id.n))
			f->r->bad_line[i] = f->line;
	}
	return 0;
}

static int search_lines(struct reach *r, const struct session *s)
{
	struct search f = { .r = r, .s = s };
	int err = 0;
	for (uint32_t i = 0; i < r->n_short && i < REACH_TIPS && !err; i++) {
		struct json_writer w = { .out = &f.ids[i] };
		struct span id =
			index_missed_id(&s->now.index, r->root[r->tips[i]]);
		if (id.n > 0)
			json_write_string(&w, NULL, id);
		err = buf_error(&f.ids[i]);
	}
	if (!err)
		err = feed_lines(&s->log, 0, log_size(&s->log), examine_line,
				 &f);
	for (uint32_t i = 0; i < REACH_TIPS; i++)
		buf_free(&f.ids[i]);
	record_free(&f.records);
	return err;
}

int reach_load(struct reach *r, const struct session *s)
{
	const struct index *x = &s->now.index;
	size_t n = x->n ? x->n : 1;
	*r = (struct reach){ 0 };
	r->tips = calloc(n, sizeof(*r->tips));
	r->depth = calloc(n, sizeof(*r->depth));
	r->root = calloc(n, sizeof(*r->root));
	if (!r->tips || !r->depth || !r->root)
		return -ENOMEM;
	for (uint32_t i = x->first_root; i != INDEX_NONE;
	     i = index_next_below(x, INDEX_NONE, i, true)) {
		uint32_t parent = x->entries[i].parent;
		bool root = parent == INDEX_NONE;
		r->depth[i] = root ? 1 : r->depth[parent] + 1;
		r->root[i] = root ? i : r->root[parent];
	}
	list_tips(r, s, true);
	r->n_short = r->n_tips;
	list_tips(r, s, false);
	for (uint32_t i = 0; i < x->n && r->timeless == 0; i++) {
		if (x->entries[i].time == TIMESTAMP_NONE)
			r->timeless = x->entries[i].line;
	}
	/* May a bad line have the id of a parent that is missing? */
	bool bad_lines = s->now.problems.of[PROBLEM_JSON].n > 0 ||
			 s->now.indexed < log_size(&s->log);
	return r->n_short > 0 && bad_lines ? search_lines(r, s) : 0;
}

void reach_free(struct reach *r)
{
	free(r->tips);
	free(r->depth);
	free(r->root);
}

static struct agent_faults faults_of(const struct session *s)
{
	const struct dialect_agent *agent = s->dialect->agent;
	struct agent_faults none = { 0 };
	return agent ? agent->faults : none;
}

bool reach_is_short(const struct reach *r, const struct session *s)
{
	struct agent_faults f = faults_of(s);
	return r->n_short > 0 || (f.null_line && s->now.null_line) ||
	       (f.timeless && r->timeless);
}

static void add_fault(struct buf *out, const char *file, uint32_t line,
		      const char *what, const char *happens)
{
	if (line > 0 && happens)
		buf_addf(out, "%s:%u: %s: %s\n", file, line, what, happens);
}

static void add_entries(struct buf *out, uint32_t n)
{
	buf_addf(out, "%u %s", n, n == 1 ? "entry" : "entries");
}

/* Where and why the agent stops. */
static void add_stop(const struct reach *r, const struct session *s,
		     uint32_t place, struct buf *out)
{
	const struct entry *root = root_of(r, s, r->tips[place]);
	const char *happens = faults_of(s).cycle;
	buf_addf(out, ", up to line %u, ", root->line);
	if (root->cut) {
		buf_adds(out, "where parents form a cycle");
		if (happens)
			buf_addf(out, ": %s", happens);
		return;
	}
	buf_adds(out, "whose parent ");
	file_name_add(out,
		      index_missed_id(&s->now.index, r->root[r->tips[place]]),
		      FILE_NAME_IN_ENTRY);
	if (r->bad_line[place] > 0)
		buf_addf(out, " is on line %u, which is not JSON",
			 r->bad_line[place]);
	else
		buf_adds(out, " is missing");
}

static void add_tip(const struct reach *r, const struct session *s,
		    uint32_t place, const char *file, struct buf *out)
{
	uint32_t tip = r->tips[place];
	buf_addf(out, "%s: tip ", file);
	index_add_name(&s->now.index, out, tip);
	buf_addf(out, ", line %u%s: the agent reaches ",
		 session_entry(s, tip)->line,
		 tip == session_at_leaf(s) ? ", the leaf" : "");
	add_entries(out, r->depth[tip]);
	if (place < r->n_short)
		add_stop(r, s, place, out);
	else
		buf_adds(out, ", up to a root");
	buf_addc(out, '\n');
}

/* All tips lead to roots. */
static void add_whole(const struct reach *r, const struct session *s,
		      const char *file, struct buf *out)
{
	uint32_t head = session_at_leaf(s);
	buf_addf(out, "%s: ", file);
	add_entries(out, s->now.index.n);
	buf_addf(out, ", %u %s: the agent reaches a root from each", r->n_tips,
		 r->n_tips == 1 ? "tip" : "tips");
	if (head != INDEX_NONE) {
		buf_adds(out, ", and ");
		add_entries(out, r->depth[head]);
		buf_adds(out, " from its leaf ");
		index_add_name(&s->now.index, out, head);
	}
	buf_addc(out, '\n');
}

void reach_add_lines(const struct reach *r, const struct session *s,
		     const char *file, struct buf *out)
{
	struct agent_faults f = faults_of(s);
	add_fault(out, file, s->now.null_line, "null", f.null_line);
	add_fault(out, file, r->timeless, "no timestamp", f.timeless);
	for (uint32_t i = 0; i < r->n_tips && i < REACH_TIPS && r->n_short; i++)
		add_tip(r, s, i, file, out);
	if (r->n_short > 0 && r->n_tips > REACH_TIPS) {
		uint32_t rest = r->n_tips - REACH_TIPS;
		buf_addf(out,
			 "%s: %u more %s: the agent stops short of a root at "
			 "%u\n",
			 file, rest, rest == 1 ? "tip" : "tips",
			 r->n_short > REACH_TIPS ? r->n_short - REACH_TIPS : 0);
	}
	if (r->n_short == 0 && r->n_tips > 0 && !session_unopened(s).why)
		add_whole(r, s, file, out);
}
