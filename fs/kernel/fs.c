#include "fs/kernel/fs.h"

#include "fs/kernel/notify.h"

static bool is_hidden(void *fs, const struct node *n)
{
	return head_is_hidden(fs, n);
}

static bool find_link(void *fs, const struct node *dir, struct span name,
		      struct node *n)
{
	return head_find_staged(fs, dir, name, n);
}

static bool next_link(void *fs, const struct node *dir, uint32_t after,
		      struct node *n, struct buf *name)
{
	return head_next_staged(fs, dir, after, n, name);
}

static int read_link(void *fs, const struct node *n, struct buf *out)
{
	return head_staged_target(fs, n, out);
}

static void number_opening(void *data, struct node *n)
{
	struct fs *fs = data;
	append_number(&fs->appends, n);
}

static void connect(struct fs *fs)
{
	fs->overlay = (struct overlay){ fs,	   is_hidden, find_link,
					next_link, read_link, number_opening };
	fs->tree.overlay = &fs->overlay;
	fs->tree.hook = (struct tree_enter_hook){ notify_enter, fs };
	fs->tree.places->closed = notify_closed;
	fs->tree.places->closed_data = fs;
}

int fs_init(struct fs *fs, struct places *places, const char *mountpoint,
	    const char *spelled, double poll)
{
	int err = tree_init(&fs->tree, places, mountpoint, spelled);
	if (!err)
		err = head_links_init(&fs->links);
	if (!err)
		err = oneline_edits_init(&fs->edits);
	if (!err)
		err = appends_init(&fs->appends);
	if (!err)
		err = resend_init(&fs->resend);
	if (!err)
		err = watch_init(&fs->watch, fs, poll);
	if (!err)
		connect(fs);
	return err;
}

void fs_stop(struct fs *fs)
{
	oneline_settle(fs);
	watch_free(&fs->watch);
	if (fs->tree.places)
		fs->tree.places->closed = NULL;
	fs->kernel = NULL;
}

void fs_free(struct fs *fs)
{
	fs_stop(fs);
	resend_free(&fs->resend);
	appends_free(&fs->appends);
	oneline_edits_free(&fs->edits);
	head_links_free(&fs->links);
	tree_free(&fs->tree);
}

int fs_enter(struct fs *fs, fuse_ino_t ino, struct node *n)
{
	/* A truncation of this very file waits for the write after it. */
	if (!oneline_is_emptied(&fs->edits, ino))
		oneline_settle(fs);
	return tree_enter(&fs->tree, ino, n);
}
