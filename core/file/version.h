/*
 * The version of a file: its identity, size, times, mode and owner at one
 * moment. Comparing it with a later one tells whether the file has changed.
 *
 * A version is a value that can be copied, compared and stored. All members
 * have 64 bits, so there is no padding, and a later process can read the bytes.
 * A zeroed version is that of a path without a file.
 *
 * Any change to a file's bytes, mode or owner gives it another version: a
 * program can put the mtime back, but not the ctime. A new file that got the
 * inode number of a deleted one differs in ctime, too. The exception is a
 * second change within one tick of the kernel's clock. A caller that keeps a
 * version for long keeps a settled one (version_settled()).
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
 * Take the version of a file: version_reach() by nofollow_stat(), for any path;
 * version_take() by gate_stat(), for the paths that gate.h allows; the others
 * by fstat(2), and of a name in a folder. 0, or -errno and a zeroed *v.
 */
int version_reach(struct gate *g, const char *path, struct version *v);
int version_take(const struct gate *g, const char *path, struct version *v);
int version_take_open(int fd, struct version *v);
int version_take_in(int folder, const char *name, struct version *v);

bool version_eq(struct version a, struct version b);

/* One file? Its inode number may be used again once it is deleted. */
bool version_same_file(struct version a, struct version b);

/* Equal in size and mtime? Renaming a file changes its ctime. */
bool version_same_bytes(struct version a, struct version b);

/* In this order: the later, the less of an earlier reading is of use. */
enum version_change {
	VERSION_SAME,
	VERSION_GREW, /* one file, more bytes */
	/*
	 * One file of one size, but another mtime, ctime, mode or owner: its
	 * bytes may have changed. Or a process is appending to it, as the
	 * kernel sets the mtime first.
	 */
	VERSION_TOUCHED,
	VERSION_REPLACED, /* another file, or fewer bytes */
	/* Of a log (core/file/log.h): */
	VERSION_GREW_TOUCHED, /* both: a file of the lineage was touched */
	VERSION_DELETED,      /* or it is no regular file any more */
};

enum version_change version_change(struct version was, struct version now);

/*
 * The change of a path's file since `was`, by version_take(). A file that
 * version_take() fails for counts as missing.
 */
enum version_change version_look(const struct gate *g, const char *path,
				 struct version was);

/*
 * A version is settled if any change after `time` gives the file another one.
 * version_settled() returns the version if it is, else VERSION_UNKNOWN. The
 * caller takes the time from version_clock() before it takes the version, or
 * before it reads what it keeps of the file.
 *
 * The kernel's clock for files may lag behind by a tick. Some filesystems
 * (sshfs, vfat) have whole seconds, or every second one.
 */
struct version version_settled(struct version v, struct timespec time);
bool version_is_settled(struct version v, struct timespec time);
struct timespec version_clock(void);

/*
 * The paths that the result of a search depends on, such as the folders where
 * it found nothing. Once one of them has changed, the caller repeats the
 * search. The paths need not exist. A zeroed struct has none.
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
