#include "fs/kernel/fs.h"

#include "fs/edit/line_file.h"
#include "fs/kernel/notify.h"

const struct places_attachment fs_attachment = {
	.size = sizeof(struct attached),
	.release = notify_release,
};

static void on_deferred(void *data)
{
	struct fs *fs = data;
	watch_wake(&fs->watch.chores);
}

static void on_restored(void *data, uint64_t ino)
{
	notify_attributes(data, ino);
}

static void before_summaries(void *data)
{
	struct fs *fs = data;
	line_file_apply(&fs->edit, LINE_EDITS_ALL, INT64_MAX, false);
}

int fs_init(struct fs *fs, struct places *places, const char *mountpoint,
	    const char *spelled, double poll)
{
	const struct edit_listener listener = { fs, on_deferred, notify_root,
						on_restored };
	int err = tree_init(&fs->tree, places, mountpoint, spelled);
	edit_init(&fs->edit, &fs->tree, &listener);
	fs->resend = (struct resend){ .lock = PTHREAD_MUTEX_INITIALIZER };
	if (!err)
		err = watch_init(&fs->watch, fs, poll);
	if (err)
		return err;
	/* Without it folders are scanned each time. */
	if (poll == 0 && places->source->is_folder)
		places_watch(places);
	fs->tree.hook =
		(struct tree_hook){ fs, notify_enter, before_summaries };
	places->unloaded = notify_unloaded;
	places->unloaded_data = fs;
	return 0;
}

void fs_stop(struct fs *fs)
{
	line_file_apply(&fs->edit, LINE_EDITS_ALL, INT64_MAX, true);
	watch_free(&fs->watch);
	if (fs->tree.places)
		fs->tree.places->unloaded = NULL;
	fs->kernel = NULL;
}

void fs_free(struct fs *fs)
{
	fs_stop(fs);
	pthread_mutex_destroy(&fs->resend.lock);
	edit_free(&fs->edit);
	tree_free(&fs->tree);
}
