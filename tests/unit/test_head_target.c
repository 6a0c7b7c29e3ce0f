#include "fs/tree/head_target.h"

#include "tests/unit/tables.h"

/* An entry that touches two files. */
#define FILES                                                          \
	MESSAGE("bb000001", "null", "user",                            \
		",'content':[{'type':'toolCall','name':'read','"       \
		"arguments':{'path':'src/wc.c'}},{'type':'toolCall','" \
		"name':'edit','arguments':{'path':'src'}}]")

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
	session = test_session(
		HEADER USER("aa000001", "null", "1") USER(
			"aa000002", "'aa000001'",
			"2") FILES USER("content", "'bb000001'",
					"4") USER("s/x", "'bb000001'", "5")
			ENTRY("label", "cc1", "'bb000001'",
			      ",'targetId':'aa000002','label':'good'")
				ENTRY("label", "cc2", "'cc1'",
				      ",'targetId':'bb000001','label':'a/b'")
					USER("aa000003", "'aa000002'", "6"));
	rows_check("head_target/tree", check_row);
	test_close(session);
	session = test_session(HEADER);
	rows_check("head_target/empty", check_row);
	test_close(session);
	return test_done("head_target");
}
