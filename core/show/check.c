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
	*c = (struct check){ .base = before->fault,
			     .base_is_agents = before->agent_reads,
			     .base_name = buf_span(&before->fault_name),
			     .sidecar = s->now.sidecar_fault,
			     .problems = s->now.problems };
	if (s->dialect->needs_header && !s->now.header_first)
		c->header = s->now.header.len == 0 ? "no" : "late";
	note_links(&s->now.index, &c->problems);
	if (s->now.indexed < log_size(&s->log))
		problems_note(&c->problems, PROBLEM_TORN, s->now.lines + 1);
}

void check_add_info(const struct check *c, struct buf *out)
{
	if (c->header)
		buf_addf(out, "%s-header: the agent will not open this file\n",
			 c->header);
	problems_add(&c->problems, out);
}

void check_add_lines(const struct check *c, struct span file, struct buf *out)
{
	struct buf name = { 0 };
	text_add_one_line(&name, file);
	const char *shown = buf_cstr(&name);
	out->failed = out->failed || !shown;
	if (shown && c->header)
		buf_addf(out, "%s: %s header: the agent will not open it\n",
			 shown, c->header);
	if (shown && c->base) {
		buf_addf(out, "%s: base ", shown);
		text_add_one_line(out, c->base_name);
		buf_addf(out, ": %s%s\n", c->base,
			 c->base_is_agents ? ""
					   : "; the agent will not open it");
	}
	if (shown && c->sidecar)
		buf_addf(out, "%s: sidecar: %s\n", shown, c->sidecar);
	if (shown)
		problems_add_lines(&c->problems, shown, out);
	buf_free(&name);
}
