/*
 * Finding the files below sources that may be sessions: regular files called
 * NAME.jsonl, at any depth (core/places/folder.h).
 *
 * Runs. A folder beside a session of its name, which an agent wrote, has what
 * the session's subagents wrote, at any depth: so have Claude Code's
 * subagents/, oh-my-pi's tasks, and folders of Pi's extensions. The agent
 * resumes none of them.
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
	char *shown;	/* below the source's; NULL: as the path is */
	bool is_plain;	/* that is so */
	size_t source;	/* index */
	bool is_source; /* the source itself */
	bool is_run;	/* in a folder of runs */
	struct version version;
};

void found_free(struct found *at);

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
	/* Optional: a folder was opened, and is about to be read. In any
	   thread. */
	void (*enters)(void *data, int folder);
	/*
	 * Optional: is the file of this version known? Then *d is the dialect
	 * of its session, or NULL if it is none. It is read otherwise. In any
	 * thread.
	 */
	bool (*is_known)(void *data, const char *path, struct version v,
			 const struct dialect **d);
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
