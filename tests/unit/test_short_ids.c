#include "core/session/short_ids.h"

#include "tests/unit/dialect_test.h"
#include "tests/unit/tables.h"

/* Rules: K3 */
/* Rules: K3 */
static void check_row(struct row *r, struct buf *got)
{
	struct buf all = { 0 };
	struct short_ids ids;
	struct span rest = row_field(r, 0);
	buf_adds(&all, HEADER);
	while (rest.n > 0) {
		struct span id = span_next(&rest, ' ');
		buf_addf(&all, USER("%.*s", "null", ""), (int)id.n, id.p);
	}
	struct session *s = test_session(buf_cstr(&all));
	const struct index *x = &s->now.index;
	CHECK_INT(short_ids_begin(&ids, x), 0);
	for (uint32_t i = 0; i < x->n; i++) {
		uint32_t found = INDEX_NONE;
		size_t from = got->len;
		short_ids_add(&ids, got, i);
		struct span id = { got->data + from, got->len - from };
		CHECK(id.n <= ids.longest);
		/* The whole name of one may begin that of another. */
		if (index_find_name(x, id) != i) {
			CHECK_INT(index_find_prefix(x, id, &found), 0);
			CHECK_INT(found, i);
		}
		buf_addc(got, ' ');
	}
	short_ids_end(&ids);
	test_close(s);
	buf_free(&all);
}

int main(void)
{
	rows_check("short_ids", check_row);
	return test_done("short_ids");
}
