/*
 * Finding the files below sources that may be sessions: regular files called
 * NAME.jsonl, at any depth (core/places/folder.h). Folders of runs are left out
 * (folder_item_has_runs()); the agent resumes none of them.
 *
 * Folders of one depth are read on all processors. A source's own path is
 * looked at without following symlinks.
 */
#ifndef SESSFS_FIND_H
#define SESSFS_FIND_H

#include "core/file/version.h"
#include "core/places/folder.h"

struct catalogue_source;

struct found {
	char *path;	/* absolute */
	char *shown;	/* below the source's own, or the same */
	size_t source;	/* index */
	bool is_source; /* the source itself */
	struct version version;
};

struct found_list {
	struct found *list;
	size_t n;
	size_t cap;
};

struct finding_files {
	struct catalogue_source *sources; /* `compressed` is set */
	size_t n_sources;
	bool as_mounted; /* shown: names in a mount, and not of files */
	struct gate *gate;
	const struct dialect_registry *dialects;
	const struct dialect *forced; /* or NULL */
	void *data;
	/* Optional: a folder is about to be read. In any thread. */
	void (*enters)(void *data, const char *path);
	/*
	 * Optional: is the file of this version known to be a session of an
	 * agent? 1 or 0; -1: nobody knows, and it is read. In any thread.
	 */
	int (*is_session)(void *data, const char *path, struct version v);
	/* A source or folder could not be read. */
	void (*unread)(void *data, const struct found *at, int err);

	/* The results. */
	struct found_list files; /* in no order */
	bool is_partial; /* files are missing whose attributes can't be read */
};

/* 0 or -ENOMEM. The caller calls find_free() in either case. */
int find_files(struct finding_files *f);
void find_free(struct finding_files *f);

#endif
