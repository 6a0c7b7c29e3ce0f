/*
 * Comparing two results of stat(2).
 */
#ifndef SESSFS_SAME_H
#define SESSFS_SAME_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/* One file? Its inode number may be used again once it is deleted. */
static inline bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static inline bool same_time(struct timespec a, struct timespec b)
{
	return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

/* Equal in size and mtime? */
static inline bool same_bytes(const struct stat *a, const struct stat *b)
{
	return a->st_size == b->st_size && same_time(a->st_mtim, b->st_mtim);
}

/*
 * Was the last change so long before a time that a change after it has another
 * ctime? The kernel's clock for files may lag behind by a tick. Some
 * filesystems (sshfs, vfat) have whole seconds, or every second one.
 */
static inline bool same_is_settled(const struct stat *st, struct timespec time)
{
	int64_t s = (int64_t)time.tv_sec - st->st_ctim.tv_sec;
	if (st->st_ctim.tv_nsec == 0 && st->st_mtim.tv_nsec == 0)
		return s > 2;
	if (s < 0 || s > 1)
		return s > 1;
	return s * 1000000000 + time.tv_nsec - st->st_ctim.tv_nsec > 20000000;
}

/* Equal in ctime? */
static inline bool same_change(const struct stat *a, const struct stat *b)
{
	return same_time(a->st_ctim, b->st_ctim);
}

/* One version of one file, or of a folder? */
static inline bool same_version(const struct stat *a, const struct stat *b)
{
	return same_file(a, b) && same_bytes(a, b) && same_change(a, b);
}

#endif
