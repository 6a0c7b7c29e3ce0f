/*
 * Are two results of stat(2) of one file? Its number may be used again once it
 * is gone.
 */
#ifndef SESSFS_SAME_H
#define SESSFS_SAME_H

#include <stdbool.h>
#include <sys/stat.h>

static inline bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

#endif
