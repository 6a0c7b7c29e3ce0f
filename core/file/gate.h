/*
 * The gate: reaching files by their paths so that no request of the mount waits
 * for the mount itself, or for another sessfs that waits for this one.
 *
 * A session's files may be anywhere, also where the session is mounted: a
 * session of Claude Code is most naturally mounted on its own folder, in which
 * its subagents' sessions are. A daemon that looked for them through its mount
 * would wait for its own answer. Two rules prevent that:
 *
 * 1. The folder that the mount hides is opened before the mount is made. What
 *    is below the mount point is reached from that descriptor.
 * 2. The mount of another sessfs is not entered, as nothing in it is a session,
 *    and its daemon may be waiting for this one. SOURCE itself may be in such a
 *    mount. That one was there first, and its daemon does not enter this one.
 *
 * Both ask statx(2) for the device with AT_STATX_DONT_SYNC, which sends no
 * request to any daemon. core/file/nofollow.h walks along a path through the
 * gate. A path that such a walk has led along, whose files are open or read,
 * may be looked at in one call after that: gate_stat().
 *
 * A struct gate * may be NULL, for files that nothing is mounted over. Paths
 * that are given with one are absolute and without symlinks. Until gate_close()
 * all files pass. The gate outlives all that holds it. Threads may share it,
 * but not while it is hidden or closed.
 */
#ifndef SESSFS_GATE_H
#define SESSFS_GATE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "core/file/held_folders.h"
#include "core/file/open_files.h"

struct gate;

/* NULL without memory. */
struct gate *gate_new(void);
void gate_free(struct gate *g); /* NULL is allowed */

/*
 * A gate to the files of another one, or of none, for one reader of many of
 * them: it holds folders of its own (core/file/held_folders.h). NULL without
 * memory. The caller calls gate_free() before the other one is freed.
 */
struct gate *gate_view(struct gate *g);

/*
 * Open the folder at `mountpoint` before SOURCE is mounted there. The paths are
 * absolute, without symlinks. Those of SOURCE, which may be several, are
 * borrowed; NULL ends them.
 */
int gate_hide(struct gate *g, const char *mountpoint,
	      const char *const *sources);

/* The mount is made, and no request has been served yet. */
void gate_close(struct gate *g);

/*
 * The gate for the component that ends at path[n]: g, or NULL if this part of
 * the path is SOURCE, or a folder that SOURCE is in.
 */
struct gate *gate_at(struct gate *g, const char *path, size_t n);

/*
 * whole_open() of a name in a folder, without O_CREAT. -ELOOP if another sessfs
 * is mounted there.
 */
int gate_open(struct gate *g, int folder, const char *name, int flags);

/*
 * lstat(2) of a name in a folder, or of the folder if the name is empty. -ELOOP
 * if another sessfs is mounted there.
 */
int gate_stat_in(struct gate *g, int folder, const char *name, struct stat *st);

/*
 * The same of a name that readdir(3) has just returned as a regular file's: a
 * mount of sessfs is a folder, which the kernel mounts only on folders.
 */
int gate_stat_file(int folder, const char *name, struct stat *st);

/* The descriptors that are kept open; NULL without a gate. */
struct open_files *gate_files(struct gate *g);

/*
 * Hold the folders that are opened through it, for a command. They outlive the
 * gate. gate_folders() returns them; NULL: none are held.
 */
void gate_hold_folders(struct gate *g, struct held_folders *folders);
struct held_folders *gate_folders(const struct gate *g);

#define GATE_PATH_SIZE (PATH_MAX + 32)

/*
 * An absolute path for calls that take one: `path` itself, or, if it is below
 * the mount point, one in `room` that leads past the mount.
 */
const char *gate_path(const struct gate *g, const char *path,
		      char room[GATE_PATH_SIZE]);

/* The extended attribute with a file's access control list, if it has one. */
#define GATE_ACL "system.posix_acl_access"

/* lstat(2) of such a path, and whether it has an access control list. */
int gate_stat(const struct gate *g, const char *path, struct stat *st);
bool gate_has_acl(const struct gate *g, const char *path);

/*
 * The mode of a file that has a list, without the list: its group bits are the
 * list's mask, which is no right of the owning group.
 */
mode_t gate_mode_beside_acl(mode_t mode);

#endif
