#include "fs/tree/head_target.h"

#include "tests/unit/tables.h"

#define ROOT "/mnt/x/s"

/* An entry that touches two files. */
#define FILES                                                          \
	MESSAGE("bb000001", "null", "user",                            \
		",'content':[{'type':'toolCall','name':'read','"       \
		"arguments':{'path':'src/wc.c'}},{'type':'toolCall','" \
		"name':'edit','arguments':{'path':'src'}}]")

/* Rules: H4 */
static void check(const struct session *s, const char *target, const char *root,
		  const char *id, int want)
{
	uint32_t entry = 12345;
	test_row = target;
	int err =
		target_resolve_below(s, span_of(target), span_of(root), &entry);
	CHECK_INT(err, want);
	if (!err && !want)
		CHECK_ID(s, entry, id);
	test_row = NULL;
}

static struct session *session;

static void check_row(struct row *r, struct buf *made)
{
	uint32_t entry = INDEX_NONE;
	int err = target_resolve_below(session, row_field(r, 0), SPAN(ROOT),
				       &entry);
	buf_add(made,
		err ? span_of(strerrorname_np(-err)) : test_id(session, entry));
}

int main(void)
{
	struct session *s = test_session(
		HEADER USER("aa000001", "null", "1") USER(
			"aa000002", "'aa000001'",
			"2") FILES USER("content", "'bb000001'",
					"4") USER("s/x", "'bb000001'", "5")
			ENTRY("label", "cc1", "'bb000001'",
			      ",'targetId':'aa000002','label':'good'")
				ENTRY("label", "cc2", "'cc1'",
				      ",'targetId':'bb000001','label':'a/b'")
					USER("aa000003", "'aa000002'", "6"));
	session = s;
	rows_check("head_target", check_row);
	/* The mount's own name looks like the start of an id, or of two. */
	check(s, "bb00/by-id/aa000002", "/bb00", "aa000002", 0);
	check(s, "aa00/by-id/aa000002", "/mnt/aa00", "aa000002", 0);
	check(s, "aa000001/by-id/aa000002", "/aa000001", "aa000002", 0);
	/* A mount at the root folder of its own name space. */
	check(s, "/by-id/aa000002", "/", "aa000002", 0);
	check(s, "/tree", "/", "-", 0);
	test_close(s);

	s = test_session(HEADER);
	check(s, "HEAD", ROOT, "-", 0);
	check(s, "tree", ROOT, "-", 0);
	check(s, "HEAD/parent", ROOT, NULL, -ENOENT);
	check(s, "HEAD/content", ROOT, NULL, -ENOENT);
	check(s, "abcd", ROOT, NULL, -ENOENT);
	check(s, "path/0001", ROOT, NULL, -ENOENT);
	test_close(s);
	return test_done("head_target");
}
