#include "fs/tree/head_target.h"

#include "tests/unit/tables.h"

/* Rules: H4 */
static struct session *session;

static void check_row(struct row *r, struct buf *made)
{
	uint32_t entry = INDEX_NONE;
	int err = target_resolve_below(session, row_field(r, 0),
				       row_field(r, 1), &entry);
	buf_add(made,
		err ? span_of(strerrorname_np(-err)) : test_id(session, entry));
}

int main(void)
{
	session = test_open(test_copy("s.jsonl", "head-target"));
	CHECK_INT(session_enter(session), 0);
	rows_check("head_target/tree", check_row);
	test_close(session);
	session = test_session(HEADER);
	rows_check("head_target/empty", check_row);
	test_close(session);
	return test_done("head_target");
}
