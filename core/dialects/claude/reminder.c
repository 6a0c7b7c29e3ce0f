/*
 * Reminders, in which Claude Code sends the model what is not the user's own
 * text: the text between two tags, each on a line of its own.
 */
#include "core/dialects/claude/claude.h"

#include <ctype.h>

#include "core/base/text.h"

static size_t skip_spaces(struct span s, size_t i)
{
	while (i < s.n && isspace((unsigned char)s.p[i]))
		i++;
	return i;
}

/* Where the name of a tag at the start of s would be. */
static size_t name_at(struct span s, bool *closes)
{
	size_t i = skip_spaces(s, 1);
	*closes = i < s.n && s.p[i] == '/';
	return *closes ? skip_spaces(s, i + 1) : i;
}

/* A tag at the start of s: the length up to its name's end, or 0. */
static size_t tag_length(struct span s, bool *closes)
{
	static const struct span name = { "system-reminder", 15 };
	size_t i = name_at(s, closes);
	if (!span_starts_any_case(span_from(s, i), name))
		return 0;
	i += name.n;
	bool goes_on =
		i < s.n && (isalnum((unsigned char)s.p[i]) || s.p[i] == '_');
	return goes_on ? 0 : i;
}

/* Append what stands for the < at the start of s, and return its length. */
static size_t add_guarded_tag(struct buf *out, struct span s,
			      enum claude_guard guard)
{
	bool closes;
	size_t n = tag_length(s, &closes);
	/* Of a hook's text, also one that is cut before the name. */
	if (guard == CLAUDE_GUARD_HOOK ? n > 0 || name_at(s, &closes) == s.n
				       : n > 0 && closes) {
		size_t end = skip_spaces(s, n);
		if (guard == CLAUDE_GUARD_WHOLE && end < s.n &&
		    s.p[end] == '>') {
			buf_adds(out, "&lt;/system-reminder&gt;");
			return end + 1;
		}
		if (guard != CLAUDE_GUARD_WHOLE) {
			buf_adds(out,
				 guard == CLAUDE_GUARD_SLASH ? "<\\" : "&lt;");
			return 1;
		}
	}
	buf_addc(out, '<');
	return 1;
}

void claude_add_guarded(struct buf *out, struct span s, enum claude_guard guard)
{
	while (s.n > 0) {
		const char *tag = memchr(s.p, '<', s.n);
		size_t n = tag ? (size_t)(tag - s.p) : s.n;
		if (guard == CLAUDE_GUARD_NONE)
			n = s.n;
		buf_add(out, (struct span){ s.p, n });
		s = span_from(s, n);
		if (s.n == 0)
			break;
		n = add_guarded_tag(out, s, guard);
		s = span_from(s, n);
	}
}

void claude_add_reminder(struct buf *out, struct span text)
{
	buf_adds(out, CLAUDE_OPEN_TAG "\n");
	buf_add(out, text);
	buf_adds(out, "\n" CLAUDE_CLOSE_TAG);
}

void claude_add_bare(struct buf *out, struct span text)
{
	const struct span open = SPAN(CLAUDE_OPEN_TAG);
	const struct span close = SPAN(CLAUDE_CLOSE_TAG);
	if (span_starts(text, open) && span_ends(text, close)) {
		text.p += open.n;
		text.n -= open.n + close.n;
		if (span_starts(text, SPAN("\n")))
			text = span_from(text, 1);
		if (span_ends(text, SPAN("\n")))
			text.n--;
	}
	buf_add(out, text);
}

static bool is_newline(char c)
{
	return c == '\n' || c == '\r';
}

static bool cut_first(struct span *s)
{
	static const struct span close = SPAN(CLAUDE_CLOSE_TAG);
	size_t i = skip_spaces(*s, 0);
	const struct span rest = span_from(*s, i);
	const char *end = NULL;
	if (span_starts(rest, SPAN(CLAUDE_OPEN_TAG)))
		end = memmem(rest.p, rest.n, close.p, close.n);
	if (!end)
		return false;
	end += close.n;
	while (end < s->p + s->n && is_newline(*end))
		end++;
	*s = (struct span){ end, s->n - (size_t)(end - s->p) };
	return true;
}

static bool starts_at(struct span s, size_t at, struct span word)
{
	return span_starts(span_from(s, at), word);
}

/* The opening tag has to stand at the start of a line. */
static bool cut_last(struct span *s)
{
	static const struct span open = SPAN("\n" CLAUDE_OPEN_TAG);
	static const struct span close = SPAN(CLAUDE_CLOSE_TAG);
	size_t n = s->n;
	while (n > 0 && isspace((unsigned char)s->p[n - 1]))
		n--;
	if (!span_ends((struct span){ s->p, n }, close) || n < open.n + close.n)
		return false;
	n -= close.n + open.n;
	while (n > 0 && !starts_at(*s, n, open))
		n--;
	if (!starts_at(*s, n, open))
		return false;
	while (n > 0 && is_newline(s->p[n - 1]))
		n--;
	s->n = n;
	return true;
}

bool claude_cut_reminders(struct span *text)
{
	bool any = false;
	while (cut_first(text) || cut_last(text))
		any = true;
	return any;
}

/* U+2028 and U+2029 are E2 80 A8 and A9; U+0080 to U+009F are C2 80 to 9F. */
static size_t control_length(struct span s)
{
	unsigned char c = (unsigned char)s.p[0];
	if (c < ' ' || c == 0x7f)
		return 1;
	if (text_is_c1(s))
		return 2;
	return span_starts(s, SPAN("\xE2\x80\xA8")) ||
			       span_starts(s, SPAN("\xE2\x80\xA9"))
		       ? 3
		       : 0;
}

void claude_add_escaped(struct buf *out, struct span s, char also)
{
	while (s.n > 0) {
		char c = s.p[0];
		size_t n = control_length(s);
		size_t len;
		if (n > 0)
			buf_addf(out, "&#%u;",
				 (unsigned)text_code_point(s, &len));
		else if (c == '<')
			buf_adds(out, "&lt;");
		else if (c == '>')
			buf_adds(out, "&gt;");
		else if (c == also)
			buf_adds(out, c == '&' ? "&amp;" : "&quot;");
		else
			buf_addc(out, c);
		s = span_from(s, n > 0 ? n : 1);
	}
}
