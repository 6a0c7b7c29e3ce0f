/*
 * What a file was when it was looked at, and whether it still is that.
 *
 * A version is a value: compare it, copy it, or store its bytes. All its
 * members have 64 bits, so it has no padding, and its bytes mean the same to a
 * later process. A zeroed version is that of a path without a file.
 *
 * After any change to its bytes, mode or owner a file has another version, as
 * programs can put back the mtime, but not the ctime. So has another file that
 * got its inode number. The one exception is a second change within one tick of
 * the kernel's clock: what is kept for long is kept of a settled version.
 *
 * Paths are absolute and without symlinks, and looked at through a gate
 * (core/file/gate.h), which may be NULL.
 */
#ifndef SESSFS_VERSION_H
#define SESSFS_VERSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

struct gate;

struct version {
	uint64_t dev;
	uint64_t ino;
	int64_t size;
	int64_t mtime[2]; /* in s, and ns */
	int64_t ctime[2];
	uint64_t mode;	/* with the type; 0: there is no file */
	uint64_t owner; /* the user, and above it the group */
};

/* Equal to no version of a file, nor to that of a path without one. */
#define VERSION_UNKNOWN ((struct version){ .ino = UINT64_MAX })

struct version version_of_stat(const struct stat *st);

/*
 * Look at a file: along its path, by nofollow_stat(); in one call, by
 * gate_stat(), which says what paths that is for; or an open one. On an error
 * *v is zeroed, and -errno returned.
 */
int version_reach(struct gate *g, const char *path, struct version *v);
int version_take(const struct gate *g, const char *path, struct version *v);
int version_take_open(int fd, struct version *v);

bool version_eq(struct version a, struct version b);

/* One file? Its inode number may be used again once it is deleted. */
bool version_same_file(struct version a, struct version b);

/* Equal in size and mtime? Renaming a file changes its ctime. */
bool version_same_bytes(struct version a, struct version b);

/* In the order of how little of what was read can still be used. */
enum version_change {
	VERSION_SAME,
	VERSION_GREW, /* one file, more bytes */
	/*
	 * One file and size, another mtime, ctime, mode or owner: its bytes may
	 * have changed. Or an append is under way, as the kernel sets the mtime
	 * first.
	 */
	VERSION_TOUCHED,
	VERSION_REPLACED, /* another file, or fewer bytes */
};

enum version_change version_change(struct version was, struct version now);

/*
 * The change of the file at a path, by version_take(). One that can't be looked
 * at counts as missing.
 */
enum version_change version_look(const struct gate *g, const char *path,
				 struct version was);

/*
 * The version if it is settled: any change after `time` gives the file another
 * one. Else VERSION_UNKNOWN. The time is that of version_clock() before the
 * file was looked at, or before what is kept of it was read.
 *
 * The kernel's clock for files may lag behind by a tick. Some filesystems
 * (sshfs, vfat) have whole seconds, or every second one.
 */
struct version version_settled(struct version v, struct timespec time);
bool version_is_settled(struct version v, struct timespec time);
struct timespec version_clock(void);

/*
 * The paths that the result of a search depends on, such as those where it
 * found nothing. It has to be repeated once one of them has changed. A zeroed
 * struct has none. The paths need not exist.
 */
struct versions {
	struct gate *gate;
	struct versions_path *list;
	size_t n;
	size_t cap;
};

/* Add a path, before it is searched through the same gate. 0 or -ENOMEM. */
int versions_add(struct versions *v, struct gate *g, const char *path);

/* Has any of them changed, or may it have? One version_reach() for each. */
bool versions_have_changed(const struct versions *v);

void versions_free(struct versions *v);

#endif
