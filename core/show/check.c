#include "core/show/check.h"

#include "core/base/text.h"
#include "core/session/dialect.h"

/* Links between entries can be checked only when all have been read. */
static void note_links(const struct index *x, struct problems *p)
{
	for (uint32_t i = 0; i < x->n; i++) {
		const struct entry *e = &x->entries[i];
		if (e->orphan)
			problems_note(p, PROBLEM_ORPHAN, e->line);
		if (e->bridged)
			problems_note(p, PROBLEM_BRIDGED, e->line);
		if (e->cut)
			problems_note(p, PROBLEM_CYCLE, e->line);
	}
}

void check_session(const struct session *s, struct check *c)
{
	const struct lineage *before = &s->log.before;
	*c = (struct check){ .unopened = session_unopened(s),
			     .sidecar = s->now.sidecar_fault,
			     .problems = s->now.problems };
	if (before->agent_reads) {
		c->base = before->fault;
		c->base_name = buf_span(&before->fault_name);
	}
	note_links(&s->now.index, &c->problems);
	if (s->now.indexed < log_size(&s->log))
		problems_note(&c->problems, PROBLEM_TORN, s->now.lines + 1);
}

/* A fault of the file, or of one that it goes on from. */
static void add_fault(struct span name, const char *why, struct buf *out)
{
	if (name.n > 0)
		buf_adds(out, "base ");
	text_add_one_line(out, name);
	buf_addf(out, "%s%s", name.n > 0 ? ": " : "", why);
}

void check_add_info(const struct check *c, struct buf *out)
{
	const struct unopened *u = &c->unopened;
	if (u->why) {
		buf_adds(out, "not-opened: ");
		add_fault(u->base, u->why, out);
		if (u->happens)
			buf_addf(out, ": %s", u->happens);
		if (u->line > 0)
			buf_addf(out, " (line %u)", u->line);
		buf_addc(out, '\n');
	}
	problems_add(&c->problems, out);
}

void check_add_lines(const struct check *c, struct span file, struct buf *out)
{
	const struct unopened *u = &c->unopened;
	struct buf name = { 0 };
	text_add_one_line(&name, file);
	const char *shown = buf_cstr(&name);
	out->failed = out->failed || !shown;
	if (shown && u->why) {
		buf_adds(out, shown);
		if (u->line > 0)
			buf_addf(out, ":%u", u->line);
		buf_adds(out, ": ");
		add_fault(u->base, u->why, out);
		buf_addf(out, ": %s\n",
			 u->happens ? u->happens
				    : "the agent will not open it");
	}
	if (shown && c->base) {
		buf_addf(out, "%s: ", shown);
		add_fault(c->base_name, c->base, out);
		buf_addc(out, '\n');
	}
	if (shown && c->sidecar)
		buf_addf(out, "%s: sidecar: %s\n", shown, c->sidecar);
	if (shown)
		problems_add_lines(&c->problems, shown, out);
	buf_free(&name);
}
