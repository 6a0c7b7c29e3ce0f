#include "mount/commands/fast_export/fast_export.h"

#include "core/session/file_name.h"
#include "tests/unit/tables.h"

TABLE(check_row, "refs")
{
	refs_add(made, row_field(r, 0));
}

/* git needs room for ".lock" behind a name. */
TEST(check_long)
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

RUN_TESTS("refs")
