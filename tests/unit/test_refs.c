#include "mount/commands/fast_export/refs.h"

#include "core/session/file_name.h"
#include "tests/unit/test.h"

static void check_table(void)
{
	static const struct {
		const char *name;
		const char *ref; /* NULL: the same */
	} rows[] = {
		{ "9f3c1a2b", NULL },
		{ "\xC3\xA4-b_c%2F", NULL },
		{ "a.b.c", NULL },
		{ "lock", NULL },
		{ "a.lock.b", NULL },
		{ "a.lock", "a%2Elock" },
		{ "a.", "a%2E" },
		{ "a..b", "a.%2Eb" },
		{ "a...", "a.%2E%2E" },
		{ "a@", NULL },
		{ "@a", NULL },
		{ "@", "%40" },
		{ "a@{1}", "a%40{1}" },
		{ "HEAD", "%48EAD" },
		{ "HEADS", NULL },
		{ "-x", "%2Dx" },
		{ "x-", NULL },
		{ "a b~^:?*[\\\x7F", "a%20b%7E%5E%3A%3F%2A%5B%5C%7F" },
	};
	struct buf b = { 0 };
	for (size_t i = 0; i < COUNT(rows); i++) {
		test_row = rows[i].name;
		refs_add(&b, span_of(rows[i].name));
		CHECK_BUF(&b, rows[i].ref ? rows[i].ref : rows[i].name);
	}
	test_row = NULL;
	buf_free(&b);
}

/* git needs room for ".lock" behind a name. */
static void check_long(void)
{
	const size_t most = FILE_NAME_LIMIT - strlen(".lock");
	struct buf name = { 0 };
	struct buf a = { 0 };
	struct buf b = { 0 };
	buf_fill(&name, 'x', most);
	refs_add(&a, buf_span(&name));
	CHECK_SPAN(buf_span(&a), buf_span(&name));
	buf_clear(&a);
	/* Of which only the last byte differs. */
	buf_fill(&name, ' ', 5);
	refs_add(&a, buf_span(&name));
	name.data[name.len - 1] = '~';
	refs_add(&b, buf_span(&name));
	CHECK(a.len <= most && b.len <= most);
	CHECK(!span_eq(buf_span(&a), buf_span(&b)));
	CHECK(span_starts(buf_span(&a), SPAN("xxxxxxxxxxxxxxxx")));
	buf_free(&name);
	buf_free(&a);
	buf_free(&b);
}

int main(void)
{
	check_table();
	check_long();
	return test_done("refs");
}
