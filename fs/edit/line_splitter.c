#include "fs/edit/line_splitter.h"

#include <errno.h>
#include <string.h>

#include "core/base/text.h"

void line_splitter_free(struct line_splitter *s)
{
	buf_free(&s->line);
	buf_free(&s->refused);
}

bool line_splitter_is_idle(const struct line_splitter *s)
{
	return s->line.len == 0 && s->refused.len == 0 && !s->too_long;
}

size_t line_splitter_size(const struct line_splitter *s)
{
	return s->line.len + s->refused.len;
}

/* Follow the line through a piece of it. True if its object is closed then. */
static bool scan_object(struct line_splitter *s, struct span bytes)
{
	const char *p = bytes.p;
	const char *end = p + bytes.n;
	bool closed = false;
	while ((p = nesting_next(&s->nesting, p, end))) {
		if (p[-1] == '}' || p[-1] == ']')
			closed = s->nesting.depth == 0;
	}
	return closed;
}

static int add_line(const struct line_sink *sink, struct span line)
{
	return text_trim(line).n == 0 ? 0 : sink->add(sink->data, line);
}

static void start_line(struct line_splitter *s)
{
	buf_free(&s->line);
	s->nesting = (struct nesting){ 0 };
}

/* Drop a refused line that arrived in pieces, and remember its tail. */
static void refuse(struct line_splitter *s, struct span tail, int err)
{
	if (s->line.len == 0)
		return;
	start_line(s);
	s->refused_err = err;
	buf_add(&s->refused, tail);
	if (s->refused.failed)
		buf_free(&s->refused);
}

/* Append a piece to the beginning of a line. It is kept only on success. */
static int add_to_line(struct line_splitter *s, struct span piece, bool ends,
		       bool may_keep, const struct line_sink *sink)
{
	size_t before = s->line.len;
	struct nesting nesting = s->nesting;
	buf_add(&s->line, piece);
	if (s->line.failed) {
		s->line.failed = false;
		return -ENOMEM;
	}
	bool is_line = scan_object(s, piece) || ends;
	int err = is_line    ? add_line(sink, buf_span(&s->line))
		  : may_keep ? 0
			     : -ENOBUFS;
	if (err) {
		s->line.len = before;
		s->nesting = nesting;
	} else if (is_line) {
		start_line(s);
	}
	return err;
}

/* A piece has no newline but its last byte; `ends`: it has that. */
static int add_piece(struct line_splitter *s, struct span piece, bool ends,
		     bool may_keep, const struct line_sink *sink)
{
	int err;
	if (s->too_long || s->line.len + piece.n > LINE_SPLITTER_MAX) {
		start_line(s);
		s->too_long = !ends;
		return -EFBIG;
	}
	/*
	 * The tail of the line that was refused last may arrive several times:
	 * programs flush their buffers again when they close a file.
	 */
	if (s->refused.len > 0 && span_eq(piece, buf_span(&s->refused)))
		return s->refused_err;
	buf_free(&s->refused);
	if (ends && s->line.len == 0)
		err = add_line(sink, piece);
	else
		err = add_to_line(s, piece, ends, may_keep, sink);
	if (err == -EINVAL || err == -ELOOP)
		refuse(s, piece, err);
	return err;
}

int line_splitter_feed(struct line_splitter *s, struct span data, bool may_keep,
		       const struct line_sink *sink, size_t *consumed)
{
	int err = 0;
	*consumed = 0;
	while (*consumed < data.n && !err) {
		struct span piece = { data.p + *consumed, data.n - *consumed };
		const char *lf = memchr(piece.p, '\n', piece.n);
		if (lf)
			piece.n = (size_t)(lf - piece.p) + 1;
		err = add_piece(s, piece, lf != NULL, may_keep, sink);
		*consumed += err ? 0 : piece.n;
	}
	return err;
}
