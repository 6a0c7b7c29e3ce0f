#include "fs/tree/tree.h"

#include "fs/edit/line_file.h"
#include "tests/unit/tree_test.h"

static struct stat stat_of(struct tree_test *t, const char *path)
{
	struct stat st = { 0 };
	struct node n;
	test_row = path;
	CHECK_INT(edit_enter(&t->edit, tree_test_find(t, path), &n), 0);
	CHECK_INT(attr_fill(&t->tree, &n, &st), 0);
	tree_leave(&n);
	test_row = NULL;
	return st;
}

static bool same_mtime(const struct stat *a, const struct stat *b)
{
	return a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	       a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static const struct {
	const char *path;
	mode_t mode; /* of a session with mode 0640 */
	mode_t ro;   /* of one that can't be written to */
	nlink_t nlink;
} rows[] = {
	{ "", S_IFDIR | 0750, S_IFDIR | 0550, 1 },
	{ "HEAD", S_IFLNK | 0777, S_IFLNK | 0777, 1 },
	{ "info", S_IFREG | 0440, S_IFREG | 0440, 1 },
	{ "name", S_IFREG | 0640, S_IFREG | 0440, 1 },
	{ "append", S_IFREG | 0200, S_IFREG, 1 },
	{ "tree.html", S_IFREG | 0640, S_IFREG | 0640, 1 },
	{ "by-id", S_IFDIR | 0550, S_IFDIR | 0550, 1 },
	{ "by-id/aa000001", S_IFDIR | 0750, S_IFDIR | 0550, 1 },
	{ "by-id/aa000001/label", S_IFREG | 0640, S_IFREG | 0440, 2 },
	{ "by-id/aa000001/content", S_IFREG | 0440, S_IFREG | 0440, 2 },
	{ "tree/aa000001", S_IFDIR | 0550, S_IFDIR | 0550, 1 },
};

static void check_modes(struct tree_test *t, bool ro)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct stat st = stat_of(t, rows[i].path);
		test_row = rows[i].path;
		CHECK_INT(st.st_mode, ro ? rows[i].ro : rows[i].mode);
		CHECK_INT(st.st_nlink, rows[i].nlink);
		CHECK_INT(st.st_uid, geteuid());
	}
	test_row = NULL;
}

/* A folder's mtime changes with each child, and with nothing else. */
static void check_children(struct tree_test *t)
{
	const char *path = "by-id/aa000003";
	struct stat before = stat_of(t, path);
	test_append("s.jsonl", USER("ee000001", "'aa000004'", "elsewhere"));
	struct stat same = stat_of(t, path);
	CHECK(same_mtime(&before, &same));
	test_append("s.jsonl", USER("ee000002", "'aa000003'", "a child"));
	struct stat first = stat_of(t, path);
	CHECK(!same_mtime(&before, &first));
	CHECK_INT(first.st_mtim.tv_sec, before.st_mtim.tv_sec);
	test_append("s.jsonl", USER("ee000003", "'aa000003'", "another"));
	struct stat second = stat_of(t, path);
	CHECK(!same_mtime(&first, &second));
}

/* A label's mtime changes with each line that sets it. */
static void check_labels(struct tree_test *t)
{
	const char *path = "by-id/aa000003/label";
	uint64_t ino = tree_test_find(t, path);
	struct stat before = stat_of(t, path);
	CHECK_INT(line_file_write(&t->edit, ino, 0, SPAN("a")), 0);
	struct stat first = stat_of(t, path);
	CHECK(!same_mtime(&before, &first));
	CHECK_INT(first.st_size, 2);
	CHECK_INT(line_file_write(&t->edit, ino, 0, SPAN("b")), 0);
	struct stat second = stat_of(t, path);
	CHECK(!same_mtime(&first, &second));
}

/* Immutable files are rendered once, others once for each version. */
static void check_cached(struct tree_test *t)
{
	const uint64_t *hits = &t->tree.stats.counts[STAT_CACHE_HITS];
	struct buf bytes = { 0 };
	t->tree.stats.on = true;
	tree_test_read(t, "by-id/aa000001/content", &bytes);
	tree_test_read(t, "context.txt", &bytes);
	uint64_t before = *hits;
	tree_test_read(t, "by-id/aa000001/content", &bytes);
	tree_test_read(t, "context.txt", &bytes);
	CHECK_INT(*hits, before + 2);
	test_append("s.jsonl", USER("ee000009", "'aa000004'", "new"));
	tree_test_read(t, "by-id/aa000001/content", &bytes);
	tree_test_read(t, "context.txt", &bytes);
	CHECK_INT(*hits, before + 3);
	buf_free(&bytes);
}

/* The mtime of a call's folder changes with the link to its subagent. */
static void check_agents(void)
{
	struct tree_test t;
	tree_test_open(&t, test_copy("agents.jsonl", "attr-agents"));
	CHECK_INT(stat_of(&t, "by-id/c").st_mtim.tv_nsec, 0);
	test_need(mkdir(test_path("agents"), 0755) == 0 &&
			  mkdir(test_path("agents/subagents"), 0755) == 0,
		  "mkdir");
	const char *agent = test_file("agents/subagents/agent-a1.jsonl", "");
	CHECK(stat_of(&t, "by-id/c").st_mtim.tv_nsec != 0);
	CHECK_INT(stat_of(&t, "by-id/r").st_mtim.tv_nsec, 0);
	CHECK_INT(stat_of(&t, "tree/c").st_mtim.tv_nsec, 0);
	test_need(unlink(agent) == 0, agent);
	CHECK_INT(stat_of(&t, "by-id/c").st_mtim.tv_nsec, 0);
	tree_test_close(&t);
}

int main(void)
{
	struct tree_test t;
	const char *path = test_file("s.jsonl", TREE_SESSION);
	test_need(chmod(path, 0640) == 0, "chmod");
	tree_test_open(&t, path);
	check_modes(&t, false);
	check_children(&t);
	check_labels(&t);
	check_cached(&t);
	tree_test_close(&t);
	path = test_file("ro.jsonl", TREE_SESSION);
	test_need(chmod(path, 0640) == 0, "chmod");
	tree_test_open_as(&t, path, true);
	check_modes(&t, true);
	tree_test_close(&t);
	check_agents();
	return test_done("attr");
}
