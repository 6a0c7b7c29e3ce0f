/*
 * What the mount asks of the kernel, of what it is capable of.
 *
 * As bits of fuse_conn_info.want. Newer versions of libfuse have want_ext
 * besides; they take the lower 32 bits from `want` if that was changed, and
 * refuse to start if both were.
 */
#ifndef SESSFS_CAPABILITIES_H
#define SESSFS_CAPABILITIES_H

#define FUSE_USE_VERSION 314
#include <fuse_lowlevel.h>

/* The same for what libfuse wants by default. */
static inline unsigned capabilities_wanted(unsigned want, unsigned capable)
{
	/* Without an OPEN, O_TRUNC has to arrive as a SETATTR. */
	want &= ~(unsigned)FUSE_CAP_ATOMIC_O_TRUNC;
	want &= ~(unsigned)FUSE_CAP_EXPORT_SUPPORT;
	/* The pieces of one write(2) must arrive one after the other. */
	want &= ~(unsigned)FUSE_CAP_ASYNC_DIO;
	/* Always READDIRPLUS: it saves a LOOKUP for each listed name. */
	want &= ~(unsigned)FUSE_CAP_READDIRPLUS_AUTO;
#ifdef FUSE_CAP_OVER_IO_URING
	/*
	 * A queue has one thread. If that stores pages, it would wait for a
	 * READ that is in its own queue (fs/kernel/page_cache.h).
	 */
	want &= ~(unsigned)FUSE_CAP_OVER_IO_URING;
#endif
	want |= capable & FUSE_CAP_AUTO_INVAL_DATA;
	/* Each target of a symlink has a number of its own: node_kinds.h. */
	want |= capable & FUSE_CAP_CACHE_SYMLINKS;
	return want;
}

#endif
