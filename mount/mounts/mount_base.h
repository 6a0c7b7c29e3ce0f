/*
 * The folder of the mounts that `sessfs open` makes: $XDG_RUNTIME_DIR/sessfs if
 * that lasts for the login, else /tmp/sessfs-UID.
 *
 *     wc-pi-01a21645/    a mount: project, agent and id of the session
 *     all/               that of all agents' folders
 *     .mounts/NAME       the record of the mount NAME: options, a NUL, the file
 *     +home+me+wc/last   a link to the mount that open last printed for a
 *                        working directory
 *     +home+me+a.jsonl/head
 *                        where the session's HEAD was before it was switched
 *     lock               held while any of that changes
 */
#ifndef SESSFS_MOUNT_BASE_H
#define SESSFS_MOUNT_BASE_H

#include "core/base/buf.h"

/* The link to the mount that was printed last for a directory. */
#define MOUNT_BASE_LAST "last"

/* The folder, locked. */
struct mount_base {
	char *path;
	char *records;
	int lock;
};

/*
 * Make the folder if it is not there, and lock it. Returns an exit status after
 * reporting an error. The caller calls mount_base_end() in any case.
 */
int mount_base_begin(struct mount_base *b);
void mount_base_end(struct mount_base *b);

/* Append a record, or write it: 0 or -errno. */
int mount_record_read(const struct mount_base *b, const char *name,
		      struct buf *out);
int mount_record_write(const struct mount_base *b, const char *name,
		       const struct buf *record);
void mount_record_drop(const struct mount_base *b, const char *name);

/* All records that can be read, sorted by name. Zeroed: before the first. */
struct mount_records {
	const char *name; /* of this one */
	struct buf text;
	/* private */
	struct dirent **names;
	int n;
	int next;
};

/* Go to the next one. False, and all is freed, if there is none. */
bool mount_records_next(struct mount_records *r, const struct mount_base *b);
void mount_records_end(struct mount_records *r);

/* -- unmount.c */

/* Is it the mount of a daemon that has died? */
bool unmount_is_dead(const char *mnt);

/*
 * Unmount, at once even if it is in use if it is `lazy`. Exit status, after
 * reporting why it can't be, and the `cause` for which it had to be, or NULL.
 */
int unmount(const char *mnt, const char *cause, bool lazy);

#endif
