/*
 * Tables that are files: in tests/unit/NAME.txt a row is a line, of fields with
 * tabs between them, in which <0A> stands for the byte 0x0A. Lines that begin
 * with "# " are comments; one with [SECTION] begins another table.
 */
#ifndef SESSFS_TEST_TABLES_H
#define SESSFS_TEST_TABLES_H

#include "core/json/scan.h"
#include "tests/unit/test.h"

struct row {
	struct buf fields[8];
	unsigned n;
};

static inline struct span row_field(const struct row *r, unsigned n)
{
	return buf_span(&r->fields[n]);
}

/* "" for a field that is not there. */
static inline const char *row_text(struct row *r, unsigned n)
{
	return buf_cstr(&r->fields[n]);
}

static inline bool row_is(const struct row *r, unsigned n, const char *text)
{
	return span_eq(row_field(r, n), span_of(text));
}

/* A field that is JSON. */
static inline struct json row_json(const struct row *r, unsigned n)
{
	struct json v = { 0 };
	CHECK_INT(json_check(row_field(r, n), &v), 0);
	return v;
}

static inline void row_load(struct row *r, struct span line)
{
	bool more = true;
	for (r->n = 0; more && r->n < COUNT(r->fields); r->n++) {
		more = line.n > 0 && memchr(line.p, '\t', line.n);
		struct span f = span_next(&line, '\t');
		struct buf *b = &r->fields[r->n];
		while (f.n > 0) {
			int high = f.n > 3 && *f.p == '<' && f.p[3] == '>'
					   ? scan_hex_digit(f.p[1])
					   : -1;
			int low = high >= 0 ? scan_hex_digit(f.p[2]) : -1;
			size_t n = low >= 0 ? 4 : 1;
			buf_addc(b, low >= 0 ? (char)(high << 4 | low) : *f.p);
			f = (struct span){ f.p + n, f.n - n };
		}
	}
}

/* Makes of a row what its last field says, or checks it otherwise. */
typedef void row_fn(struct row *r, struct buf *made);

/* Each row of a table, "NAME" or "NAME/SECTION"; what is made is the last. */
static inline void rows_check(const char *table, row_fn *check)
{
	char path[PATH_MAX];
	const char *root = getenv("ROOT");
	struct span section = span_of(table);
	struct span name = span_next(&section, '/');
	bool here = section.n == 0;
	unsigned rows = 0;
	struct buf file = { 0 };
	snprintf(path, sizeof(path), "%s/tests/unit/%.*s.txt",
		 root ? root : ".", (int)name.n, name.p);
	struct span rest = buf_span(test_read(path, &file));
	while (rest.n > 0) {
		struct row r = { 0 };
		struct buf made = { 0 };
		struct span line = span_next_line(&rest);
		if (line.n == 0 || span_starts(line, SPAN("# ")))
			continue;
		if (*line.p == '[' && !memchr(line.p, '\t', line.n)) {
			here = line.n == section.n + 2 &&
			       memcmp(line.p + 1, section.p, section.n) == 0;
			continue;
		}
		if (!here)
			continue;
		rows++;
		row_load(&r, line);
		test_row = row_text(&r, 0);
		check(&r, &made);
		CHECK_SPAN(buf_span(&made), row_field(&r, r.n - 1));
		for (unsigned i = 0; i < r.n; i++)
			buf_free(&r.fields[i]);
		buf_free(&made);
	}
	test_row = NULL;
	CHECK(rows > 0);
	buf_free(&file);
}

/* TABLE(name, "TABLE") { ... } is a row_fn that RUN_TESTS() checks rows by. */
#define TABLE(name, table)               \
	static row_fn name;              \
	TEST(name##_rows)                \
	{                                \
		rows_check(table, name); \
	}                                \
	static void name(struct row *r, struct buf *made)

#endif
