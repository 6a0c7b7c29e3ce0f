/*
 * The tree of a session, or of a folder of sessions, with the editing layer
 * overlaid on it, for tests of fs/tree and fs/edit. There is no mount.
 */
#ifndef SESSFS_TREE_TEST_H
#define SESSFS_TREE_TEST_H

#include "fs/edit/edit.h"
#include "fs/tree/dir.h"
#include "fs/tree/ino.h"
#include "fs/tree/render.h"
#include "tests/unit/test.h"

#define TREE_MOUNTPOINT "/mnt/s"

struct tree_test {
	struct places places;
	struct tree tree;
	struct edit edit;
	/* Calls of the listener. */
	unsigned deferred;
	unsigned root_changed;
	unsigned restored;
};

static inline void tree_test_deferred(void *data)
{
	((struct tree_test *)data)->deferred++;
}

static inline void tree_test_root_changed(void *data, struct place *at)
{
	(void)at;
	((struct tree_test *)data)->root_changed++;
}

static inline void tree_test_restored(void *data, uint64_t ino)
{
	(void)ino;
	((struct tree_test *)data)->restored++;
}

/* Open the session or folder at a path; the program ends if it can't. */
static inline void tree_test_open_by(struct tree_test *t, const char *path,
				     const struct session_opening *opening)
{
	const struct places_attachment attachment = {
		.size = sizeof(struct edit_place)
	};
	const char *why = NULL;
	*t = (struct tree_test){ 0 };
	const struct edit_listener listener = { t, tree_test_deferred,
						tree_test_root_changed,
						tree_test_restored };
	test_need(places_init(&t->places, path, opening, 4, &attachment,
			      &why) == 0,
		  path);
	test_need(tree_init(&t->tree, &t->places, TREE_MOUNTPOINT,
			    TREE_MOUNTPOINT) == 0,
		  "tree_init");
	edit_init(&t->edit, &t->tree, &listener);
	t->edit.may_defer = true;
}

static inline void tree_test_open_as(struct tree_test *t, const char *path,
				     bool read_only)
{
	tree_test_open_by(t, path,
			  &(struct session_opening){
				  .dialects = &dialect_registry,
				  .read_only = read_only,
			  });
}

static inline void tree_test_open(struct tree_test *t, const char *path)
{
	tree_test_open_as(t, path, false);
}

static inline void tree_test_close(struct tree_test *t)
{
	edit_free(&t->edit);
	tree_free(&t->tree);
	places_free(&t->places);
}

/*
 * The inode number of a path below SOURCE, "" for SOURCE itself; 0 if it is not
 * found. Symlinks are not followed.
 */
static inline uint64_t tree_test_find(struct tree_test *t, const char *path)
{
	uint64_t ino = KIND_ROOT;
	struct span rest = span_of(path);
	while (rest.n > 0 && ino != 0) {
		struct node dir;
		struct node n;
		const char *slash = memchr(rest.p, '/', rest.n);
		size_t len = slash ? (size_t)(slash - rest.p) : rest.n;
		test_need(edit_enter(&t->edit, ino, &dir) == 0, path);
		ino = 0;
		if (dir_lookup(&t->tree, &dir, (struct span){ rest.p, len },
			       &n) == 0) {
			if (n.kind == KIND_APPEND)
				append_stream_number(&t->edit.streams, &n);
			ino = ino_of(&n);
			dir_put(&dir, &n);
		}
		tree_leave(&dir);
		len += slash != NULL;
		rest = (struct span){ rest.p + len, rest.n - len };
	}
	return ino;
}

/* Append the bytes of a file, or the target of a symlink. 0 or -errno. */
static inline int tree_test_read(struct tree_test *t, const char *path,
				 struct buf *out)
{
	const struct render_request whole = { .size = 1 << 30, .direct = true };
	struct node n;
	struct rendering *r;
	uint64_t at;
	uint64_t ino = tree_test_find(t, path);
	if (ino == 0)
		return -ENOENT;
	int err = edit_enter(&t->edit, ino, &n);
	if (err)
		return err;
	if (node_kinds[n.kind].type == S_IFLNK) {
		err = render_link(&t->tree, &n, out);
	} else {
		err = render_read(&t->tree, &n, &whole, &r, &at);
		if (!err) {
			buf_add(out, buf_span(&r->bytes));
			cache_put(r);
		}
	}
	tree_leave(&n);
	return err;
}

#define CHECK_FILE(t, path, want)                               \
	do {                                                    \
		struct buf bytes_ = { 0 };                      \
		CHECK_INT(tree_test_read(t, path, &bytes_), 0); \
		CHECK_BUF(&bytes_, want);                       \
		buf_free(&bytes_);                              \
	} while (0)

/* A small session: a chain 1, 2, 3, and 4 as another child of 1. */
#define TREE_SESSION                                                          \
	HEADER USER("aa000001", "null", "one") ASSISTANT("aa000002",          \
							 "'aa000001'", "two") \
		USER("aa000003", "'aa000002'", "three")                       \
			USER("aa000004", "'aa000001'", "four")                \
				ENTRY("label", "aa000005", "'aa000004'",      \
				      ",'targetId':'aa000002','label':'mark'")

#endif
