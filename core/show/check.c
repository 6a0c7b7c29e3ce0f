#include "core/show/check.h"

#include "core/base/text.h"

/* Of all lines. The links between them can be checked only when all are read.
 */
static struct problems find_problems(const struct session *s)
{
	struct problems p = s->now.problems;
	for (uint32_t i = 0; i < s->now.index.n; i++) {
		const struct entry *e = session_entry(s, i);
		if (e->orphan)
			problems_note(&p, PROBLEM_ORPHAN, e->line);
		if (e->bridged)
			problems_note(&p, PROBLEM_BRIDGED, e->line);
		if (e->cut)
			problems_note(&p, PROBLEM_CYCLE, e->line);
	}
	if (s->now.indexed < log_size(&s->log))
		problems_note(&p, PROBLEM_TORN, s->now.lines + 1);
	return p;
}

/* A fault of the file, or of one that it goes on from. */
static void add_fault(struct span name, const char *why, struct buf *out)
{
	if (name.n > 0)
		buf_adds(out, "base ");
	text_add_one_line(out, name);
	buf_addf(out, "%s%s", name.n > 0 ? ": " : "", why);
}

void check_add_info(const struct session *s, struct buf *out)
{
	const struct unopened u = session_unopened(s);
	const struct problems p = find_problems(s);
	if (u.why) {
		buf_adds(out, "not-opened: ");
		add_fault(u.base, u.why, out);
		if (u.happens)
			buf_addf(out, ": %s", u.happens);
		if (u.line > 0)
			buf_addf(out, " (line %u)", u.line);
		buf_addc(out, '\n');
	}
	problems_add(&p, out);
}

void check_add_lines(const struct session *s, struct span file, struct buf *out)
{
	const struct unopened u = session_unopened(s);
	const struct problems p = find_problems(s);
	const struct lineage *before = &s->log.before;
	struct buf name BUF_SCOPED = { 0 };
	text_add_one_line(&name, file);
	const char *shown = buf_cstr(&name);
	if (!shown)
		buf_fail(out);
	if (shown && u.why) {
		buf_adds(out, shown);
		if (u.line > 0)
			buf_addf(out, ":%u", u.line);
		buf_adds(out, ": ");
		add_fault(u.base, u.why, out);
		buf_addf(out, ": %s\n",
			 u.happens ? u.happens : "the agent will not open it");
	}
	if (shown && before->agent_reads && before->fault) {
		buf_addf(out, "%s: ", shown);
		add_fault(buf_span(&before->fault_name), before->fault, out);
		buf_addc(out, '\n');
	}
	if (shown && s->now.sidecar_fault)
		buf_addf(out, "%s: sidecar: %s\n", shown, s->now.sidecar_fault);
	if (shown)
		problems_add_lines(&p, shown, out);
}
