/*
 * Data URLs in archived text, which oh-my-pi does not send (snapcompact.ts,
 * elideDataUrls for archives; 18.3.4). Each is replaced by "[data URL omitted:
 * image/png, 1234 base64 chars]", together with the Markdown around it if that
 * is complete: ![label](data:…).
 */
#include "core/dialects/omp/omp.h"

#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

#include "core/base/text.h"
#include "core/json/js.h"

/* A data URL in a text; offsets are into the text. */
struct data_url {
	struct span mime; /* with its parameters */
	double chars;	  /* the length of its base64 */
	struct span tail; /* white space and ")", if they follow */
	size_t end;	  /* after the tail */
};

static bool starts_any_case(struct span s, const char *prefix)
{
	size_t n = strlen(prefix);
	return s.n >= n && strncasecmp(s.p, prefix, n) == 0;
}

/* How many characters from `at` on are letters, digits or of these. */
static size_t run_of(struct span text, size_t at, const char *more)
{
	size_t n = 0;
	while (at + n < text.n && (isalnum((unsigned char)text.p[at + n]) ||
				   memchr(more, text.p[at + n], strlen(more))))
		n++;
	return n;
}

/* The length of a type/subtype at an offset, or 0. */
static size_t media_type(struct span text, size_t at)
{
	if (at >= text.n || !isalpha((unsigned char)text.p[at]))
		return 0;
	size_t n = run_of(text, at, "_.+-");
	if (at + n >= text.n || text.p[at + n] != '/')
		return 0;
	size_t subtype = run_of(text, at + n + 1, "_.+-");
	return subtype > 0 ? n + 1 + subtype : 0;
}

/*
 * Match the part after "data:": the media type, parameters ;name=value, and
 * ";base64,". Returns the offset of the base64, or 0.
 */
static size_t match_head(struct span text, size_t at, struct span *mime)
{
	static const char token[] = "_!#$%&'*+.^|~-";
	size_t from = at;
	size_t n = media_type(text, at);
	if (n == 0)
		return 0;
	at += n;
	for (;;) {
		struct span rest = span_from(text, at);
		if (starts_any_case(rest, ";base64,")) {
			*mime = (struct span){ text.p + from, at - from };
			return at + strlen(";base64,");
		}
		n = rest.n > 0 && *rest.p == ';' ? run_of(text, at + 1, token)
						 : 0;
		if (n == 0 || n + 1 >= rest.n || rest.p[n + 1] != '=')
			return 0;
		at += n + 2;
		n = run_of(text, at, token);
		if (n == 0)
			return 0;
		at += n;
	}
}

/* The length of … or ... at the start of s, or 0. */
static size_t ellipsis(struct span s)
{
	return span_starts(s, SPAN("\xE2\x80\xA6")) ||
			       span_starts(s, SPAN("..."))
		       ? 3
		       : 0;
}

/*
 * Match "[…123ch elided…]" with white space around it. Returns its length, or
 * 0. *chars is set to the number if the words are in lower case, else to the
 * length of the match.
 */
static size_t match_marker(struct span text, size_t at, double *chars)
{
	static const char words[] = "ch elided";
	size_t from = at;
	at += omp_space_run(span_from(text, at));
	if (at >= text.n || text.p[at] != '[')
		return 0;
	size_t dots = ellipsis(span_from(text, at + 1));
	at += 1 + dots;
	size_t digits = 0;
	while (at + digits < text.n &&
	       isdigit((unsigned char)text.p[at + digits]))
		digits++;
	struct span number = { text.p + at, digits };
	at += digits;
	if (dots == 0 || digits == 0 ||
	    !starts_any_case(span_from(text, at), words))
		return 0;
	bool known = memcmp(text.p + at, words, strlen(words)) == 0;
	at += strlen(words);
	dots = ellipsis(span_from(text, at));
	if (dots == 0 || at + dots >= text.n || text.p[at + dots] != ']')
		return 0;
	at += dots + 1;
	at += omp_space_run(span_from(text, at));
	*chars = known ? strtod(number.p, NULL) /* ends at "c" */
		       : (double)text_js_length(
				 (struct span){ text.p + from, at - from });
	return at - from;
}

/* Match a data URL at an offset. */
static bool match_url(struct span text, size_t at, struct data_url *url)
{
	if (!starts_any_case(span_from(text, at), "data:"))
		return false;
	at = match_head(text, at + strlen("data:"), &url->mime);
	if (at == 0)
		return false;
	double elided = 0;
	size_t base64 = run_of(text, at, "+/=");
	at += base64;
	size_t marker = match_marker(text, at, &elided);
	size_t more = marker > 0 ? run_of(text, at + marker, "+/=") : 0;
	at += marker + more;
	url->chars = (double)(base64 + more) + elided;
	size_t space = omp_space_run(span_from(text, at));
	bool closed = at + space < text.n && text.p[at + space] == ')';
	url->tail = (struct span){ text.p + at, closed ? space + 1 : 0 };
	url->end = at + url->tail.n;
	return true;
}

/*
 * The start of the Markdown, "![label](" or "[label](", that ends before `at`
 * and begins at `from` or later; `at` if there is none.
 */
static size_t markdown_start(struct span text, size_t from, size_t at)
{
	struct span before = { text.p + from, at - from };
	size_t end = from + text_trim_end(before).n;
	size_t start = at;
	if (end < from + 2 || text.p[end - 1] != '(' || text.p[end - 2] != ']')
		return at;
	for (size_t i = end - 2; i > from; i--) {
		char c = text.p[i - 1];
		if (c == ']' || c == '\n')
			break;
		if (c == '[')
			start = i - 1;
	}
	if (start < at && start > from && text.p[start - 1] == '!')
		start--;
	return start;
}

/* Append the text from `from` on, with the data URL at `at` replaced. */
static void add_replaced(struct buf *out, struct span text, size_t from,
			 size_t at, const struct data_url *url)
{
	size_t markdown = markdown_start(text, from, at);
	bool whole = markdown < at && url->tail.n > 0;
	size_t kept = whole ? markdown : at;
	buf_add(out, (struct span){ text.p + from, kept - from });
	buf_adds(out, "[data URL omitted: ");
	buf_add(out, url->mime);
	buf_adds(out, ", ");
	js_add_number(out, url->chars);
	buf_adds(out, " base64 chars]");
	if (!whole)
		buf_add(out, url->tail);
}

void omp_add_without_data_urls(struct buf *out, struct span text)
{
	size_t from = 0;
	size_t at = 0;
	while (at < text.n) {
		struct data_url url;
		if (!match_url(text, at, &url)) {
			at++;
			continue;
		}
		add_replaced(out, text, from, at, &url);
		from = url.end;
		at = url.end;
	}
	buf_add(out, span_from(text, from));
}
