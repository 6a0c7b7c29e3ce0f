#include "core/show/touch_path.h"

#include <ctype.h>

#include "core/base/pathname.h"

static unsigned hex(char c)
{
	return (unsigned)(isdigit((unsigned char)c) ? c - '0'
						    : span_lower(c) - 'a' + 10);
}

/* Append what "%2F" and so on stand for. */
static void add_unescaped(struct buf *out, struct span s)
{
	for (size_t i = 0; i < s.n; i++) {
		bool is = s.p[i] == '%' && i + 2 < s.n &&
			  isxdigit((unsigned char)s.p[i + 1]) &&
			  isxdigit((unsigned char)s.p[i + 2]);
		buf_addc(out,
			 is ? (char)(hex(s.p[i + 1]) << 4 | hex(s.p[i + 2]))
			    : s.p[i]);
		i += is ? 2 : 0;
	}
}

/* The length of "SCHEME://" at the start; 0: there is none. */
static size_t scheme_length(struct span s)
{
	size_t i = 0;
	while (i < s.n && (isalnum((unsigned char)s.p[i]) ||
			   (i > 0 && memchr("+.-", s.p[i], 3))))
		i++;
	return i > 1 && span_starts(span_from(s, i), SPAN("://")) ? i + 3 : 0;
}

static bool is_file_url(struct span s)
{
	return s.n >= 7 &&
	       span_eq_any_case((struct span){ s.p, 7 }, SPAN("file://"));
}

/* Does a path begin with "/" or "~", or with "./" or "../"? */
static bool is_plain_start(struct span s)
{
	return span_starts(s, SPAN("/")) || span_starts(s, SPAN("~")) ||
	       span_starts(s, SPAN("./")) || span_starts(s, SPAN("../"));
}

static struct span without_prefix(struct span s, unsigned spelling)
{
	struct span rest = s.n > 0 ? span_from(s, 1) : s;
	bool full =
		span_starts(rest, SPAN("/")) || span_starts(rest, SPAN("~"));
	if (span_starts(s, SPAN("@")) &&
	    (spelling & PATH_AT || (spelling & PATH_AT_FULL && full)))
		return rest;
	if (span_starts(s, SPAN(":")) && spelling & PATH_COLON &&
	    is_plain_start(rest))
		return rest;
	return s;
}

static size_t count_digits(struct span s)
{
	size_t n = 0;
	while (n < s.n && isdigit((unsigned char)s.p[n]))
		n++;
	return n;
}

/* Take the number of a line off a text: "12" or "L12". */
static bool take_line(struct span *s)
{
	size_t from = s->n > 0 && span_lower(s->p[0]) == 'l';
	size_t n = count_digits(span_from(*s, from));
	*s = span_from(*s, n > 0 ? from + n : 0);
	return n > 0;
}

/* "5", "1-40", "1..40", "7-" or "50+3" */
static bool is_range(struct span s)
{
	if (!take_line(&s))
		return false;
	bool counted = span_starts(s, SPAN("+"));
	size_t n = counted || span_starts(s, SPAN("-")) ? 1 : 0;
	n = span_starts(s, SPAN("..")) ? 2 : n;
	s = span_from(s, n);
	bool ends = n > 0 && take_line(&s);
	return s.n == 0 && (ends || !counted);
}

/* Ranges, or the last lines: "-60". */
static bool is_lines(struct span s)
{
	struct span count = span_from(s, s.n > 0);
	if (span_starts(s, SPAN("-")))
		return count.n > 0 && count_digits(count) == count.n;
	bool is = s.n > 0 && !span_ends(s, SPAN(","));
	while (is && s.n > 0)
		is = is_range(span_next(&s, ','));
	return is;
}

/* What is read of a file. */
enum read_part { PART_NONE, PART_LINES, PART_RAW, PART_OTHER };

static enum read_part read_part(struct span s)
{
	if (span_eq_any_case(s, SPAN("raw")))
		return PART_RAW;
	if (span_eq_any_case(s, SPAN("conflicts")) ||
	    span_eq_any_case(s, SPAN("img")))
		return PART_OTHER;
	return is_lines(s) ? PART_LINES : PART_NONE;
}

/* A path without that. Two parts are lines and "raw", in any order. */
static struct span without_lines(struct span s)
{
	enum read_part last = PART_NONE;
	for (int i = 0; i < 2 && last != PART_OTHER; i++) {
		const char *colon = s.n > 0 ? memrchr(s.p, ':', s.n) : NULL;
		size_t n = colon ? (size_t)(colon - s.p) : 0;
		enum read_part part =
			n > 0 ? read_part(span_from(s, n + 1)) : PART_NONE;
		if (part == PART_NONE || part == last ||
		    (i > 0 && part == PART_OTHER))
			break;
		last = part;
		s.n = n;
	}
	return s;
}

static struct span first_part(struct span path)
{
	return span_next(&path, '/');
}

enum touch_root touch_path_split(struct span *path)
{
	struct span first = first_part(*path);
	if (span_eq(first, SPAN("~"))) {
		span_next(path, '/');
		return TOUCH_HOME;
	}
	if (span_starts(*path, SPAN("/"))) {
		span_next(path, '/');
		return TOUCH_OUTSIDE;
	}
	if (span_eq(first, SPAN(".")))
		span_next(path, '/');
	return span_eq(first, SPAN("..")) ? TOUCH_OUTSIDE : TOUCH_BELOW;
}

void touch_path_begin(struct buf *out, enum touch_root root, struct span parts)
{
	struct span first = first_part(parts);
	if (root == TOUCH_HOME)
		buf_adds(out, parts.n > 0 ? "~/" : "~");
	else if (root == TOUCH_OUTSIDE && !span_eq(first, SPAN("..")))
		buf_addc(out, '/');
	else if (root == TOUCH_BELOW && span_eq(first, SPAN("~")))
		buf_adds(out, "./");
}

/* Append a path in its one spelling. */
static void add_path(struct buf *out, const struct touch_view *v,
		     struct span path)
{
	struct buf full BUF_SCOPED = BUF_INTO(out);
	struct buf dir BUF_SCOPED = BUF_INTO(out);
	if (span_eq(first_part(path), SPAN("~"))) {
		pathname_add_normal(&full, SPAN("/"), span_from(path, 1));
		struct span parts = span_from(buf_span(&full), full.len > 0);
		touch_path_begin(out, TOUCH_HOME, parts);
		buf_add(out, parts);
		return;
	}
	pathname_add_normal(&dir, v->cwd, v->dir);
	pathname_add_normal(&full, buf_span(&dir), path);
	struct span s = buf_span(&full);
	struct span below = s;
	if (span_eq(s, v->cwd))
		below.n = 0;
	else if (span_eq(v->cwd, SPAN("/")))
		below = span_from(s, s.n > 0);
	else
		below = pathname_from(s, v->cwd);
	if (below.n == 0 || !span_starts(below, SPAN("/")))
		touch_path_begin(out,
				 span_eq(first_part(below), SPAN(".."))
					 ? TOUCH_OUTSIDE
					 : TOUCH_BELOW,
				 below);
	buf_add(out, below);
}

bool touch_path_add(struct buf *out, const struct touch_view *v,
		    enum file_act act, struct span text)
{
	struct buf url BUF_SCOPED = BUF_INTO(out);
	struct span path = without_prefix(text, v->spelling);
	if (is_file_url(path)) {
		add_unescaped(&url, span_from(path, 7));
		path = buf_span(&url);
	}
	if (act == FILE_READ && v->spelling & PATH_LINES)
		path = without_lines(path);
	bool is = path.n > 0 && path.n <= TOUCH_PATH_LIMIT &&
		  scheme_length(path) == 0;
	size_t from = out->len;
	if (is)
		add_path(out, v, path);
	size_t parts = 1;
	for (size_t i = from; i < out->len; i++)
		parts += out->data[i] == '/';
	if (is &&
	    (out->len - from > TOUCH_PATH_LIMIT || parts > TOUCH_PARTS_LIMIT)) {
		out->len = from;
		is = false;
	}
	return is && !out->failed;
}

void touch_path_add_dir(struct buf *out, struct span text)
{
	struct buf path BUF_SCOPED = BUF_INTO(out);
	if (is_file_url(text))
		add_unescaped(&path, span_from(text, 7));
	else
		buf_add(&path, text);
	pathname_add_normal(out, (struct span){ 0 }, buf_span(&path));
}
