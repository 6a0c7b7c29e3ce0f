#include "fs/kernel/fs.h"

#include "fs/kernel/notify.h"

const struct places_attachment fs_attachment = {
	.size = sizeof(struct attached),
	.release = notify_release,
};

static void on_deferred(void *data)
{
	struct fs *fs = data;
	watch_settle(&fs->watch);
}

static void on_root_changed(void *data, struct place *at)
{
	notify_root(data, at);
}

static void on_restored(void *data, uint64_t ino)
{
	notify_attributes(data, ino);
}

int fs_init(struct fs *fs, struct places *places, const char *mountpoint,
	    const char *spelled, double poll)
{
	const struct edit_listener listener = { fs, on_deferred,
						on_root_changed, on_restored };
	int err = tree_init(&fs->tree, places, mountpoint, spelled);
	if (!err)
		err = edit_init(&fs->edit, &fs->tree, &listener);
	if (!err)
		err = resend_init(&fs->resend);
	if (!err)
		err = watch_init(&fs->watch, fs, poll);
	if (err)
		return err;
	fs->tree.hook = (struct tree_enter_hook){ notify_enter, fs };
	places->unloaded = notify_unloaded;
	places->unloaded_data = fs;
	return 0;
}

void fs_stop(struct fs *fs)
{
	edit_settle_all(&fs->edit);
	watch_free(&fs->watch);
	if (fs->tree.places)
		fs->tree.places->unloaded = NULL;
	fs->kernel = NULL;
}

void fs_free(struct fs *fs)
{
	fs_stop(fs);
	resend_free(&fs->resend);
	edit_free(&fs->edit);
	tree_free(&fs->tree);
}
