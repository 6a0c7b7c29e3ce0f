#include "fs/tree/head_target.h"

#include "tests/unit/test.h"

#define ROOT "/mnt/x/s"

/* An entry that touches two files. */
#define FILES                                                          \
	MESSAGE("bb000001", "null", "user",                            \
		",'content':[{'type':'toolCall','name':'read','"       \
		"arguments':{'path':'src/wc.c'}},{'type':'toolCall','" \
		"name':'edit','arguments':{'path':'src'}}]")

/*
 * Found: the id, or "-" for before the first entry. Else the error.
 * Rules: H4
 */
static const struct {
	const char *target;
	const char *id;
	int err;
} rows[] = {
	{ "by-id/aa000001", "aa000001", 0 },
	{ "by-id/aa000003", "aa000003", 0 },
	{ "./by-id//aa000003/", "aa000003", 0 },
	{ "by-id/aa000003/content", "aa000003", 0 },
	{ "by-id/aa000003/parent", "aa000002", 0 },
	{ "by-id/aa000003/parent/parent/", "aa000001", 0 },
	{ "by-id/aa000001/aa000002", "aa000002", 0 },
	{ "by-id/x/../aa000001", "aa000001", 0 },
	{ "by-id/%63ontent", "content", 0 },
	{ "by-id/%63ontent/content", "content", 0 },
	{ "by-id/s%2Fx", "s/x", 0 },
	{ "tree", "-", 0 },
	{ "tree/", "-", 0 },
	{ "./tree/.", "-", 0 },
	{ "tree/aa000001", "aa000001", 0 },
	{ "tree/aa000001/aa000002/aa000003/", "aa000003", 0 },
	{ "tree/aa000001/aa000002/content", "aa000002", 0 },
	{ "by-label/good", "aa000002", 0 },
	{ "by-label/good/content", "aa000002", 0 },
	{ "by-label/good/parent", "aa000001", 0 },
	{ "by-label/a%2Fb", "bb000001", 0 },
	{ "branches/aa000003", "aa000003", 0 },
	{ "path/0001", "aa000001", 0 },
	{ "path/2", "aa000002", 0 },
	{ "path/0002-user-anything", "aa000002", 0 },
	{ "./path//0003/", "aa000003", 0 },
	{ "path/0002/content", "aa000002", 0 },
	{ "path/0002-user-2/parent", "aa000001", 0 },
	{ "../path/0002", "aa000002", 0 },
	{ ROOT "/path/0002-x/", "aa000002", 0 },
	{ "x/s/path/0002", "aa000002", 0 },
	{ "by-file/src/wc.c/0001-read", "bb000001", 0 },
	{ "./by-file//src/wc.c/0001-read/content", "bb000001", 0 },
	{ ROOT "/by-file/src/wc.c/0001-read/s%2Fx/", "s/x", 0 },
	{ "x/s/by-file/src/0001-edit", "bb000001", 0 },
	{ "HEAD", "aa000003", 0 },
	{ "HEAD/", "aa000003", 0 },
	{ "HEAD/content", "aa000003", 0 },
	{ "HEAD/parent", "aa000002", 0 },
	{ "HEAD/parent/parent", "aa000001", 0 },
	{ "HEAD/parent/aa000003", "aa000003", 0 },
	{ "aa000002", "aa000002", 0 },
	{ "aa000002/", "aa000002", 0 },
	{ "aa000002/parent", "aa000001", 0 },
	{ "content", "content", 0 },
	{ "s/x", "-", -ENOENT },
	{ "bb00", "bb000001", 0 },
	{ "bb00/content", "bb000001", 0 },
	{ "../aa000002", "aa000002", 0 },
	{ "../by-id/aa000002", "aa000002", 0 },
	{ "../../by-id/aa000002", "aa000002", 0 },
	/* Behind the way to the mount, absolute and relative. */
	{ ROOT "/by-id/aa000002", "aa000002", 0 },
	{ ROOT "//./by-id/aa000002/", "aa000002", 0 },
	{ ROOT "/HEAD/parent", "aa000002", 0 },
	{ ROOT "/tree", "-", 0 },
	{ ROOT "/aa000002", "aa000002", 0 },
	{ "/mnt/../mnt/x/s/by-label/good", "aa000002", 0 },
	{ "s/by-id/aa000002", "aa000002", 0 },
	{ "x/s/by-id/aa000002", "aa000002", 0 },
	{ "mnt/x/s/HEAD", "aa000003", 0 },
	{ "./s/tree/", "-", 0 },
	{ "../x/s/aa000001", "aa000001", 0 },
	/* Nothing is named. */
	{ "", NULL, -ENOENT },
	{ "/", NULL, -ENOENT },
	{ ".", NULL, -ENOENT },
	{ "s", NULL, -ENOENT },
	{ ROOT, NULL, -ENOENT },
	{ "/mnt", NULL, -ENOENT },
	{ "none", NULL, -ENOENT },
	{ "aa0", NULL, -ENOENT },
	{ "bb0", NULL, -ENOENT },
	{ "by-id", NULL, -ENOENT },
	{ "by-id/none", NULL, -ENOENT },
	{ "by-id/bb00", "bb000001", 0 },
	{ "by-id/bb00/parent", "-", 0 },
	{ "by-id/content", NULL, -ENOENT },
	{ "by-id/aa000001/aa000003", NULL, -ENOENT },
	{ "by-id/aa000001/parent", "-", 0 },
	{ "by-id/aa000003/label", NULL, -ENOENT },
	{ "tree/aa000002", NULL, -ENOENT },
	{ "tree/content", NULL, -ENOENT },
	{ "tree/parent", NULL, -ENOENT },
	{ "by-label", NULL, -ENOENT },
	{ "by-label/bad", NULL, -ENOENT },
	{ "branches/aa000001", NULL, -ENOENT },
	{ "branches/none", NULL, -ENOENT },
	{ "path", NULL, -ENOENT },
	{ "path/", NULL, -ENOENT },
	{ "path/0000", NULL, -ENOENT },
	{ "path/0004", NULL, -ENOENT },
	{ "path/0002x", NULL, -ENOENT },
	{ "path/user", NULL, -ENOENT },
	{ "path/-1", NULL, -ENOENT },
	{ "path/99999999999999999999", NULL, -ENOENT },
	{ "path/4294967298", NULL, -ENOENT },
	{ "by-file", NULL, -ENOENT },
	{ "by-file/src", NULL, -ENOENT },
	{ "by-file/src/wc.c", NULL, -ENOENT },
	{ "by-file/src/wc.c/0002-read", NULL, -ENOENT },
	{ "by-file/src/wc.c/0001-read/x", NULL, -ENOENT },
	{ "by-file/@/src", NULL, -ENOENT },
	{ "info", NULL, -ENOENT },
	{ "context.txt", NULL, -ENOENT },
	{ "/elsewhere/by-id/aa000002", NULL, -ENOENT },
	{ "/mnt/x/t/by-id/aa000002", NULL, -ENOENT },
	{ "/by-id/aa000002", NULL, -ENOENT },
	{ "t/by-id/aa000002", NULL, -ENOENT },
	/* Several are. */
	{ "aa00", NULL, -EINVAL },
	{ "by-id/aa00", NULL, -EINVAL },
	{ "aa00000", NULL, -EINVAL },
};

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
	for (size_t i = 0; i < COUNT(rows); i++)
		check(s, rows[i].target, ROOT, rows[i].id, rows[i].err);
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
