/*
 * The mount point, and what can be checked before libfuse mounts on it.
 *
 * FUSE can mount anything over anything. sessfs refuses only to mount a session
 * over a session: the daemon below would keep running, out of reach, and the
 * user has always just given the same command twice.
 */
#ifndef SESSFS_MOUNTPOINT_H
#define SESSFS_MOUNTPOINT_H

struct mountpoint {
	char *path;    /* absolute, symlinks resolved */
	char *spelled; /* absolute, as the user wrote it */
};

/*
 * Check the directory `name`, on which the sources (absolute, symlinks
 * resolved; NULL ends them) are to be mounted, and what else a mount needs.
 * Returns an exit status after reporting why not. The caller calls
 * mountpoint_free() in either case.
 */
int mountpoint_init(struct mountpoint *m, const char *name,
		    const char *const *sources);
void mountpoint_free(struct mountpoint *m);

#endif
