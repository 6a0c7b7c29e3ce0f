/*
 * What a person typed of a text in a user's message. Claude Code, its editors'
 * extensions and its hooks put their own into such texts, in tags: the file
 * that is open, reminders, messages of teammates, the output of a command. Its
 * own lists of sessions leave them out, too.
 */
#include "core/dialects/claude/claude.h"

#include <ctype.h>

#include "core/base/text.h"

/* What becomes of an element, which is a tag, what it is around, and its end.
 */
enum part {
	PART_OTHER, /* it is a person's, or of a version that is not known */
	PART_MADE,  /* the agent's: it is dropped */
	PART_NAME,  /* of a command */
	PART_ARGUMENTS,
	PART_SHELL, /* a command for the shell */
};

/* The agent's tags. */
static const struct span made = SPAN(
	"command-message|command-contents|skill-format|local-command-caveat|"
	"local-command-stdout|local-command-stderr|bash-stdout|bash-stderr|"
	"bash-exit-code|system-reminder|system_reminder|terminal|browser|"
	"browser_instruction|user-memory-input|fork-boilerplate|"
	"task-notification|tick|teammate-message|agent-message|"
	"cross-session-message|coordinator-relay|channel|slack-ping|"
	"slack-tag-message|remote-review|mcp-resource-update|"
	"mcp-polling-update|fetched-web-content|untrusted-widget-state|"
	"artifact-type-instructions|artifact-file-content|"
	"artifact-origin-notes|artifact-stored-declaration|"
	"cowritten-artifact-html|function_results|tool_use_error|"
	"sandbox_violations|persisted-output|total_tokens");

/* Editors' have names that begin with "ide_", and hooks' end with "-hook". */
static enum part part_of(struct span name)
{
	if (span_eq(name, SPAN("command-name")))
		return PART_NAME;
	if (span_eq(name, SPAN("command-args")))
		return PART_ARGUMENTS;
	if (span_eq(name, SPAN("bash-input")))
		return PART_SHELL;
	bool is = span_starts(name, SPAN("ide_")) ||
		  span_ends(name, SPAN("-hook"));
	for (struct span rest = made; rest.n > 0 && !is;)
		is = span_eq(name, span_next(&rest, '|'));
	return is ? PART_MADE : PART_OTHER;
}

/* The name in a tag at the start of s; empty if there is none. */
static struct span tag_name(struct span s)
{
	size_t i = 1;
	if (s.n < 2 || s.p[0] != '<' || !islower((unsigned char)s.p[1]))
		return (struct span){ 0 };
	while (i < s.n && (isalnum((unsigned char)s.p[i]) || s.p[i] == '-' ||
			   s.p[i] == '_'))
		i++;
	bool ends = i < s.n && (s.p[i] == '>' || s.p[i] == '/' ||
				(s.p[i] <= ' ' && s.p[i] > 0));
	return (struct span){ s.p + 1, ends ? i - 1 : 0 };
}

static struct span after(struct span s, const char *at)
{
	return (struct span){ at, s.n - (size_t)(at - s.p) };
}

/* Is there "</NAME" at the start of s? Its end may have an id. */
static bool closes(struct span s, struct span name)
{
	return s.n > name.n + 2 && s.p[1] == '/' &&
	       span_eq((struct span){ s.p + 2, name.n }, name) &&
	       (s.p[name.n + 2] == '>' || s.p[name.n + 2] == ' ');
}

/* What is between the tags of an element, up to the first that ends it. */
static bool find_inner(struct span s, struct span name, struct span *inner,
		       struct span *rest)
{
	const char *open = memchr(s.p, '>', s.n);
	if (!open)
		return false;
	*inner = (struct span){ open + 1, 0 };
	*rest = after(s, open + 1);
	if (open[-1] == '/')
		return true;
	const char *at;
	while ((at = memchr(rest->p, '<', rest->n))) {
		*rest = after(*rest, at);
		if (closes(*rest, name)) {
			inner->n = (size_t)(at - inner->p);
			(void)span_next(rest, '>');
			return true;
		}
		*rest = after(*rest, at + 1);
	}
	return false;
}

/* What was found at the start of a text. */
struct found {
	struct span name;
	struct span arguments;
	struct span shell;
	struct span tag; /* of the first that is the agent's */
	struct span made;
};

/* Leave out one element at the start. */
static bool cut_first(struct span *s, struct found *f)
{
	static const struct span interrupted =
		SPAN("[Request interrupted by user");
	struct span inner;
	struct span rest = *s;
	if (span_starts(rest, interrupted)) {
		(void)span_next(&rest, ']');
		*s = text_trim(rest);
		return true;
	}
	struct span name = tag_name(*s);
	enum part part = part_of(name);
	if (part == PART_OTHER || !find_inner(*s, name, &inner, &rest))
		return false;
	struct span *to = part == PART_NAME	   ? &f->name
			  : part == PART_ARGUMENTS ? &f->arguments
						   : &f->shell;
	inner = text_trim(inner);
	if (part != PART_MADE && to->n == 0)
		*to = inner;
	if (part == PART_MADE && f->made.n == 0) {
		f->tag = name;
		f->made = inner;
	}
	*s = text_trim(rest);
	return true;
}

/*
 * The same at the end, where it begins a line: one in a line is a person's, who
 * speaks of it.
 */
static bool cut_last(struct span *s)
{
	struct span before = *s;
	if (s->n == 0 || s->p[s->n - 1] != '>')
		return false;
	const char *end = memrchr(s->p, '<', s->n);
	if (!end || end + 1 == s->p + s->n || end[1] != '/')
		return false;
	struct span name = { end + 2, 0 };
	while (name.p[name.n] != '>' && name.p[name.n] != ' ')
		name.n++;
	if (part_of(name) != PART_MADE)
		return false;
	before.n = (size_t)(end - s->p);
	const char *at;
	while ((at = memrchr(before.p, '<', before.n))) {
		struct span open = tag_name(after(*s, at));
		before.n = (size_t)(at - s->p);
		if (span_eq(open, name))
			break;
	}
	if (!at || at == s->p || at[-1] != '\n')
		return false;
	*s = text_trim(before);
	return true;
}

/*
 * Append a text with what was pasted in the place of what is around it:
 *
 *     <pasted_content id="0a1b">
 *     WHAT WAS PASTED
 *     </pasted_content id="0a1b">
 */
static void add_pasted(struct buf *out, struct span s)
{
	static const struct span open = SPAN("<pasted_content id=\"");
	static const struct span close = SPAN("\n</pasted_content id=\"");
	enum { ID = 4, TAG_END = ID + 2 };
	const char *end = NULL;
	const char *at;
	while ((at = memmem(s.p, s.n, open.p, open.n))) {
		struct span inner = after(s, at + open.n);
		if (inner.n < TAG_END)
			break;
		struct span body = after(s, inner.p + TAG_END);
		if (!end || end < body.p)
			end = memmem(body.p, body.n, close.p, close.n);
		if (!end)
			break;
		struct span rest = after(s, end + close.n);
		bool pasted = memcmp(inner.p + ID, "\">", 2) == 0 &&
			      rest.n >= TAG_END &&
			      memcmp(rest.p, inner.p, TAG_END) == 0;
		body.n = pasted ? (size_t)(end - body.p) : 0;
		buf_add(out,
			(struct span){
				s.p, (size_t)((pasted ? at : inner.p) - s.p) });
		buf_add(out, body);
		s = pasted ? after(s, rest.p + TAG_END) : inner;
	}
	buf_add(out, s);
}

static enum typed add_found(struct buf *out, const struct found *f,
			    struct span rest)
{
	if (f->name.n > 0) {
		buf_adds(out, f->name.p[0] == '/' ? "" : "/");
		buf_add(out, f->name);
		buf_adds(out, f->arguments.n > 0 ? " " : "");
		buf_add(out, f->arguments);
	} else if (f->shell.n > 0) {
		buf_adds(out, "! ");
		buf_add(out, f->shell);
	} else {
		struct span tag = tag_name(rest);
		bool tagged = tag.n > 0 && tag.p[tag.n] != '/';
		buf_add(out, rest);
		return tagged ? TYPED_TAGGED : TYPED_WORDS;
	}
	buf_adds(out, rest.n > 0 ? "\n" : "");
	buf_add(out, rest);
	return f->name.n > 0 ? TYPED_COMMAND : TYPED_WORDS;
}

enum typed claude_typed(struct buf *out, struct span text)
{
	static const struct span caveat = SPAN("Caveat: The messages below ");
	struct buf whole BUF_SCOPED = BUF_INTO(out);
	struct found found = { 0 };
	add_pasted(&whole, text);
	const struct span all = text_trim(buf_span(&whole));
	struct span rest = all;
	while (cut_first(&rest, &found))
		;
	while (cut_last(&rest))
		;
	enum typed typed = TYPED_NOTHING;
	if ((rest.n > 0 && !span_starts(rest, caveat)) || found.name.n > 0 ||
	    found.shell.n > 0) {
		typed = add_found(out, &found, rest);
	} else if (found.made.n > 0) {
		buf_addc(out, '[');
		buf_add(out, found.tag);
		buf_adds(out, "] ");
		buf_add(out, found.made);
	} else {
		buf_add(out, all);
	}
	return typed;
}
