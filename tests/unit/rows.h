/*
 * Tables that are files, tests/unit/NAME.txt: a row is a line, of fields with
 * tabs between them, in which <0A> stands for the byte 0x0A. Lines that begin
 * with "# " are comments.
 */
#ifndef SESSFS_ROWS_H
#define SESSFS_ROWS_H

#include "core/json/scan.h"
#include "tests/unit/test.h"

struct rows {
	struct buf file;
	struct span rest;
	struct buf fields[4];
	unsigned n;
};

static inline struct rows rows_begin(const char *name)
{
	char path[PATH_MAX];
	const char *root = getenv("ROOT");
	struct rows r = { 0 };
	snprintf(path, sizeof(path), "%s/tests/unit/%s", root ? root : ".",
		 name);
	r.rest = buf_span(test_read(path, &r.file));
	return r;
}

/* The next row; false behind the last, when all is freed. */
static inline bool rows_next(struct rows *r)
{
	struct span line = { 0 };
	while (r->rest.n > 0 && (line.n == 0 || span_starts(line, SPAN("# "))))
		line = span_next_line(&r->rest);
	bool is_row = line.n > 0 && !span_starts(line, SPAN("# "));
	test_row = NULL;
	for (size_t i = 0; i < COUNT(r->fields); i++) {
		struct buf *b = &r->fields[i];
		struct span f = span_next(&line, '\t');
		buf_free(b);
		for (size_t k = 0; k < f.n; k++) {
			bool is_byte = f.p[k] == '<' && k + 3 < f.n &&
				       f.p[k + 3] == '>';
			buf_addc(b, is_byte ? (char)(scan_hex_digit(f.p[k + 1])
							     << 4 |
						     scan_hex_digit(f.p[k + 2]))
					    : f.p[k]);
			k += is_byte ? 3 : 0;
		}
	}
	if (is_row)
		test_row = buf_cstr(&r->fields[0]);
	else
		buf_free(&r->file);
	return is_row;
}

static inline struct span rows_field(const struct rows *r, unsigned n)
{
	return buf_span(&r->fields[n]);
}

static inline bool rows_is(const struct rows *r, unsigned n, const char *text)
{
	return span_eq(rows_field(r, n), span_of(text));
}

#endif
