#include "fs/edit/head.h"

#include <stdio.h>

#include "tests/unit/tree_test.h"

static int symlink_in(struct tree_test *t, uint64_t dir, const char *name,
		      const char *target)
{
	struct node made;
	struct place *at = places_get(&t->places, ino_place(dir));
	test_need(at != NULL, name);
	int err = head_symlink(&t->edit, dir, name, target, &made);
	if (!err) {
		CHECK(made.place == at);
		place_put(made.place);
	}
	place_put(at);
	return err;
}

static int symlink_at(struct tree_test *t, const char *dir, const char *name,
		      const char *target)
{
	return symlink_in(t, tree_test_find(t, dir), name, target);
}

static int rename_at(struct tree_test *t, const char *dir, const char *name,
		     const char *newname, unsigned flags)
{
	uint64_t ino = tree_test_find(t, dir);
	return head_rename(&t->edit, ino, name, ino, newname, flags);
}

static int unlink_at(struct tree_test *t, const char *dir, const char *name)
{
	return head_unlink(&t->edit, tree_test_find(t, dir), name);
}

/* ln -sfn, os.replace: a temporary name at the root. */
static void check_replace(struct tree_test *t)
{
	CHECK_FILE(t, "HEAD", "by-id/aa000004");
	CHECK_INT(symlink_at(t, "", "HEAD", "by-id/aa000001"), -EEXIST);
	CHECK_INT(symlink_at(t, "", "tmp", "by-id/aa000003"), 0);
	CHECK_FILE(t, "tmp", "by-id/aa000003");
	CHECK_FILE(t, "HEAD", "by-id/aa000004");
	CHECK_INT(rename_at(t, "", "tmp", "HEAD", RENAME_NOREPLACE), -EEXIST);
	CHECK_INT(rename_at(t, "", "tmp", "HEAD", RENAME_EXCHANGE), -EINVAL);
	CHECK_INT(rename_at(t, "", "tmp", "HEAD", 0), 0);
	CHECK_FILE(t, "HEAD", "by-id/aa000003");
	CHECK(!tree_test_find(t, "tmp"));
}

/* GNU ln -sf follows HEAD into its folder. */
static void check_followed(struct tree_test *t)
{
	const char *dir = "by-id/aa000003";
	CHECK_INT(symlink_at(t, dir, "aa000001", "by-id/aa000001"), 0);
	CHECK_FILE(t, "HEAD", "by-id/aa000001");
	/* The folder is not that of HEAD any more. */
	CHECK_INT(symlink_at(t, dir, "aa000002", "by-id/aa000002"), -EPERM);
	/* The name is taken by a child: a temporary name, and RENAME. */
	dir = "by-id/aa000001";
	CHECK_INT(symlink_at(t, dir, "aa000002", "by-id/aa000002"), -EEXIST);
	CHECK_INT(symlink_at(t, dir, "tmp", "by-id/aa000002"), 0);
	CHECK_FILE(t, "by-id/aa000001/tmp", "by-id/aa000002");
	CHECK_INT(rename_at(t, dir, "tmp", "aa000002", 0), 0);
	CHECK_FILE(t, "HEAD", "by-id/aa000002");
}

/* rm and ln -s, and busybox. */
static void check_unlinked(struct tree_test *t)
{
	CHECK_INT(unlink_at(t, "", "HEAD"), 0);
	CHECK(!tree_test_find(t, "HEAD"));
	CHECK_INT(symlink_at(t, "", "HEAD", "by-id/aa000001"), 0);
	CHECK_INT(t->root_changed, 1);
	CHECK_FILE(t, "HEAD", "by-id/aa000001");
	/* Although it fails, HEAD is found again. */
	CHECK_INT(unlink_at(t, "", "HEAD"), 0);
	CHECK_INT(symlink_at(t, "", "HEAD", "by-id/none"), -ENOENT);
	CHECK_INT(t->root_changed, 2);
	CHECK_FILE(t, "HEAD", "by-id/aa000001");
	/* In its folder. */
	CHECK_INT(unlink_at(t, "by-id/aa000001", "aa000002"), 0);
	CHECK(!tree_test_find(t, "by-id/aa000001/aa000002"));
	CHECK_INT(symlink_at(t, "by-id/aa000001", "aa000002", "aa000002"), 0);
	CHECK_FILE(t, "HEAD", "by-id/aa000002");
	CHECK(tree_test_find(t, "by-id/aa000001/aa000002"));
}

static void check_refused(struct tree_test *t)
{
	uint64_t root = tree_test_find(t, "");
	uint64_t by_id = tree_test_find(t, "by-id");
	CHECK_INT(symlink_at(t, "", "tmp", "nowhere"), -ENOENT);
	CHECK_INT(symlink_at(t, "by-id", "tmp", "by-id/aa000001"), -EPERM);
	CHECK_INT(unlink_at(t, "", "info"), -EPERM);
	CHECK_INT(unlink_at(t, "", "none"), -ENOENT);
	CHECK_INT(rename_at(t, "", "info", "HEAD", 0), -EPERM);
	CHECK_INT(symlink_at(t, "", "tmp", "by-id/aa000001"), 0);
	CHECK_INT(rename_at(t, "", "tmp", "info", 0), -EPERM);
	CHECK_INT(head_rename(&t->edit, root, "tmp", by_id, "tmp", 0), -EPERM);
	CHECK_INT(rename_at(t, "", "tmp", "tmp2", 0), 0);
	CHECK(!tree_test_find(t, "tmp"));
	CHECK_FILE(t, "tmp2", "by-id/aa000001");
	CHECK_INT(unlink_at(t, "", "tmp2"), 0);
	CHECK(!tree_test_find(t, "tmp2"));
	CHECK_INT(symlink_in(t, root, "absolute",
			     TREE_MOUNTPOINT "/by-id/aa000001"),
		  0);
	CHECK_INT(unlink_at(t, "", "absolute"), 0);
}

static unsigned released;

static void count_release(void *attached)
{
	(void)attached;
	released++;
}

/* A place that was looked up is put back: it is freed with its folder. */
static void check_pins(void)
{
	struct tree_test t;
	const char *own = test_path("own");
	const char *below = test_path("own/subagents");
	tree_test_open(&t, test_copy("own.jsonl", "head-claude"));
	t.places.attachment.release = count_release;
	test_need(mkdir(own, 0755) == 0 && mkdir(below, 0755) == 0, own);
	CHECK_INT(unlink_at(&t, "", "subagents"), -EPERM);
	CHECK_INT(rename_at(&t, "", "subagents", "new", 0), -EPERM);
	CHECK_INT(symlink_at(&t, "", "subagents", "by-id/u1"), -EEXIST);
	CHECK_INT(symlink_at(&t, "", "tmp", "by-id/u1"), 0);
	CHECK_INT(rename_at(&t, "", "tmp", "subagents", 0), -EPERM);
	CHECK_INT(rename_at(&t, "", "tmp", "subagents", RENAME_NOREPLACE),
		  -EEXIST);
	test_need(rmdir(below) == 0 && rmdir(own) == 0, own);
	CHECK(!tree_test_find(&t, "subagents"));
	CHECK_INT(released, 1);
	tree_test_close(&t);
}

int main(void)
{
	check_pins();
	struct tree_test t;
	tree_test_open(&t, test_file("s.jsonl", TREE_SESSION));
	check_replace(&t);
	check_followed(&t);
	check_unlinked(&t);
	check_refused(&t);
	tree_test_close(&t);
	return test_done("head");
}
