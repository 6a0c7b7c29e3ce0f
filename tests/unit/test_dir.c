#include "fs/tree/dir.h"

#include "fs/tree/tree.h"
#include "fs/tree/xattr.h"
#include "tests/unit/tables.h"
#include "tests/unit/tree_test.h"

/* The kinds that were seen. */
struct seen {
	bool kinds[KIND_COUNT];
	uint64_t folders[64]; /* still to be listed */
	size_t n;
};

/* The size that stat(2) reports is that of the bytes that read(2) returns. */
static void check_size(struct tree_test *t, const struct node *n)
{
	struct stat st;
	struct rendering *r;
	struct buf target = { 0 };
	CHECK_INT(attr_fill(&t->tree, n, &st), 0);
	CHECK_INT(st.st_mode & S_IFMT, node_kinds[n->kind].type);
	CHECK(st.st_ino == ino_shown(n));
	if (S_ISLNK(st.st_mode)) {
		CHECK_INT(render_link(&t->tree, n, &target), 0);
		CHECK_INT(st.st_size, target.len);
		buf_free(&target);
	} else if (S_ISREG(st.st_mode)) {
		CHECK_INT(render_file(&t->tree, n, &r), 0);
		CHECK_INT(st.st_size, r->bytes.len);
		CHECK(render_link(&t->tree, n, &target) == -EINVAL);
		cache_put(r);
	}
}

/* Looking up a listed name finds the listed file. */
static void check_listed(struct tree_test *t, const struct node *dir,
			 const struct buf *name, const struct node *n,
			 struct seen *seen)
{
	struct node found = { 0 };
	CHECK_INT(dir_lookup(&t->tree, dir, buf_span(name), &found), 0);
	CHECK(ino_of(&found) == ino_of(n));
	dir_put(dir, &found);
	/* As in its parent, or below one that is not listed. */
	CHECK(!(node_kinds[n->kind].traits & NODE_UNLISTED) || n->nth > 0);
	check_size(t, n);
	seen->kinds[n->kind] = true;
	if (node_kinds[n->kind].type == S_IFDIR && seen->n < 64)
		seen->folders[seen->n++] = ino_of(n);
}

static void list(struct tree_test *t, uint64_t ino, struct seen *seen)
{
	struct node dir;
	struct node n;
	struct buf name = { 0 };
	uint64_t position = 0;
	uint64_t before = 0;
	int got;
	CHECK_INT(edit_enter(&t->edit, ino, &dir), 0);
	for (unsigned i = 0;
	     (got = dir_next(&t->tree, &dir, &position, &name, &n)) > 0; i++) {
		test_row = buf_cstr(&name);
		CHECK(position > before);
		before = position;
		if (i < 2)
			CHECK_SPAN(buf_span(&name), span_of(&".."[1 - i]));
		else
			check_listed(t, &dir, &name, &n, seen);
		dir_put(&dir, &n);
		buf_clear(&name);
	}
	test_row = NULL;
	CHECK_INT(got, 0);
	buf_free(&name);
	tree_leave(&dir);
}

/* Every kind that is listed is found, and as listed. */
static void check_all(struct tree_test *t)
{
	struct seen seen = { .folders = { KIND_ROOT }, .n = 1 };
	seen.kinds[KIND_ROOT] = true;
	/* These are not listed, but list files. */
	seen.folders[seen.n++] = tree_test_find(t, "as");
	seen.folders[seen.n++] = tree_test_find(t, "by-id/aa000001/as");
	seen.folders[seen.n++] = tree_test_find(t, "tree/aa000001/as");
	seen.folders[seen.n++] = tree_test_find(t, "by-id/aa00000f/files");
	for (size_t i = 0; i < seen.n; i++)
		list(t, seen.folders[i], &seen);
	for (int k = KIND_ROOT; k < KIND_COUNT; k++) {
		/* These need other sessions, or a link. */
		if ((k >= KIND_FOLDER && k < KIND_SESSIONS) ||
		    k == KIND_NAMED_BRANCH || k == KIND_AGENT_LINK ||
		    k == KIND_BESIDE_LINK || k == KIND_PARENT_SESSION ||
		    k == KIND_FORKS || k == KIND_STAGED ||
		    k == KIND_ENTRY_FILES || k == KIND_TREE_FILES)
			continue;
		test_row = node_kinds[k].name;
		CHECK_INT(seen.kinds[k],
			  !(node_kinds[k].traits & NODE_UNLISTED));
	}
	test_row = NULL;
}

/* A folder of its own in each view, with the same files, and a way back. */
static void check_forms(struct tree_test *t)
{
	static const char *const folders[] = { "by-id/aa000001",
					       "tree/aa000001", "" };
	for (size_t i = 0; i < COUNT(folders); i++) {
		char path[64];
		struct node dir;
		struct node n;
		struct buf name = { 0 };
		uint64_t position = 1;
		test_row = folders[i];
		snprintf(path, sizeof(path), "%s%sas", folders[i],
			 *folders[i] ? "/" : "");
		uint64_t ino = tree_test_find(t, path);
		CHECK_INT(edit_enter(&t->edit, ino, &dir), 0);
		CHECK_INT(dir_next(&t->tree, &dir, &position, &name, &n), 1);
		CHECK_BUF(&name, "..");
		CHECK(ino_of(&n) == tree_test_find(t, folders[i]));
		tree_leave(&dir);
		buf_free(&name);
	}
	test_row = NULL;
	CHECK(tree_test_find(t, "by-id/aa000001/as") !=
	      tree_test_find(t, "tree/aa000001/as"));
	CHECK(tree_test_find(t, "by-id/aa000001/as/openai.json") ==
	      tree_test_find(t, "tree/aa000001/as/openai.json"));
	CHECK(tree_test_find(t, "by-id/aa000004/as/openai.json") !=
	      tree_test_find(t, "as/openai.json"));
}

static struct tree_test *looked_in;

static void check_lookup(struct row *r, struct buf *made)
{
	bool found = tree_test_find(looked_in, row_text(r, 0)) != 0;
	buf_adds(made, found ? "found" : "-");
}

static void check_lookups(struct tree_test *t)
{
	looked_in = t;
	rows_check("dir", check_lookup);
	/* In what is no folder. */
	struct node file;
	struct node n;
	uint64_t ino = tree_test_find(t, "info");
	CHECK_INT(edit_enter(&t->edit, ino, &file), 0);
	CHECK_INT(dir_lookup(&t->tree, &file, SPAN("x"), &n), -ENOTDIR);
	tree_leave(&file);
	/* Each lookup of `append` is an opening of its own. */
	CHECK(tree_test_find(t, "append") != tree_test_find(t, "append"));
}

/* Entries that are appended do not move the others. */
static void check_positions(struct tree_test *t)
{
	struct node dir;
	struct node n;
	struct buf name = { 0 };
	uint64_t ino = tree_test_find(t, "by-id");
	uint64_t position = 0;
	CHECK_INT(edit_enter(&t->edit, ino, &dir), 0);
	for (int i = 0; i < 9; i++) {
		buf_clear(&name);
		CHECK_INT(dir_next(&t->tree, &dir, &position, &name, &n), 1);
	}
	CHECK_SPAN(buf_span(&name), SPAN("aa00000f"));
	tree_leave(&dir);
	test_append("s.jsonl", USER("aa000007", "'aa000006'", "new"));
	CHECK_INT(edit_enter(&t->edit, ino, &dir), 0);
	buf_clear(&name);
	CHECK_INT(dir_next(&t->tree, &dir, &position, &name, &n), 1);
	CHECK_BUF(&name, "aa000007");
	CHECK_INT(dir_next(&t->tree, &dir, &position, &name, &n), 0);
	tree_leave(&dir);
	buf_free(&name);
}

static void check_xattrs(struct tree_test *t)
{
	struct node n;
	struct buf out = { 0 };
	uint64_t ino = tree_test_find(t, "by-id/aa000001/content");
	CHECK_INT(edit_enter(&t->edit, ino, &n), 0);
	CHECK_INT(xattr_get(&t->tree, &n, SPAN("user.sessfs.id"), &out), 0);
	CHECK_BUF(&out, "aa000001");
	CHECK_INT(xattr_get(&t->tree, &n, SPAN("user.sessfs.x"), &out),
		  -ENODATA);
	CHECK_INT(xattr_get(&t->tree, &n, SPAN("user.x"), &out), -ENODATA);
	CHECK_INT(xattr_get(&t->tree, &n, SPAN("system.x"), &out), -EOPNOTSUPP);
	CHECK_INT(xattr_list(&t->tree, &n, &out), 0);
	CHECK(memmem(out.data, out.len, "user.sessfs.id", 15));
	tree_leave(&n);
	buf_clear(&out);
	CHECK_INT(edit_enter(&t->edit, tree_test_find(t, "info"), &n), 0);
	CHECK_INT(xattr_get(&t->tree, &n, SPAN("user.sessfs.id"), &out),
		  -ENODATA);
	CHECK_INT(xattr_list(&t->tree, &n, &out), 0);
	CHECK_INT(out.len, 0);
	tree_leave(&n);
	buf_free(&out);
}

/* A folder of sessions: its files are outside of them. */
static void check_folder(void)
{
	struct tree_test t;
	struct node n;
	struct stat st;
	test_need(mkdir(test_path("folder"), 0700) == 0, "mkdir");
	test_file("folder/a.jsonl", TREE_SESSION);
	tree_test_open(&t, test_path("folder"));
	CHECK_INT(tree_find_outside(&t.tree, KIND_ROOT, &n), 0);
	CHECK_INT(n.kind, KIND_FOLDER);
	CHECK_INT(attr_fill(&t.tree, &n, &st), 0);
	CHECK_INT(st.st_ino, 1);
	place_put(n.place);
	uint64_t a = tree_test_find(&t, "a");
	CHECK(a != 0 && !tree_test_find(&t, "b"));
	CHECK_INT(tree_find_outside(&t.tree, a, &n), 0);
	CHECK_INT(n.kind, KIND_ROOT);
	CHECK(!place_is_loaded(n.place));
	place_put(n.place);
	CHECK_FILE(&t, "a/HEAD", "by-id/aa000004");
	uint64_t content = tree_test_find(&t, "a/by-id/aa000001/content");
	CHECK_INT(tree_find_outside(&t.tree, content, &n), -ENOENT);
	CHECK_INT(tree_enter(&t.tree, 0, &n), -ESTALE);
	uint64_t sessions = tree_test_find(&t, "sessions.txt");
	if (CHECK_INT(tree_enter(&t.tree, sessions, &n), 0)) {
		CHECK_INT(n.kind, KIND_SESSIONS);
		tree_leave(&n);
	}
	/* Numbers of an epoch that has ended name no file. */
	test_need(unlink(test_path("folder/a.jsonl")) == 0, "unlink");
	test_file("folder/a.jsonl", HEADER USER("bb000001", "null", "x"));
	CHECK_INT(tree_enter(&t.tree, content, &n), -ESTALE);
	CHECK(tree_test_find(&t, "a/by-id/bb000001"));
	tree_test_close(&t);
}

int main(void)
{
	struct tree_test t;
	tree_test_open(&t, test_copy("s.jsonl", "dir"));
	check_all(&t);
	check_lookups(&t);
	check_forms(&t);
	check_xattrs(&t);
	check_positions(&t);
	tree_test_close(&t);
	check_folder();
	return test_done("dir");
}
