/*
 * The mount point: what can be said against it before libfuse is asked.
 */
#ifndef SESSFS_MOUNTPOINT_H
#define SESSFS_MOUNTPOINT_H

struct mountpoint {
	char *path;    /* absolute, links resolved */
	char *spelled; /* absolute, as the user has it */
};

/*
 * Look at the directory `name`, on which `source` (absolute, links resolved) is
 * to be mounted. NULL if it will do, else the reason in words. Either way
 * mountpoint_free() it.
 */
const char *mountpoint_init(struct mountpoint *m, const char *name,
			    const char *source);
void mountpoint_free(struct mountpoint *m);

#endif
