/*
 * Sessions that go on from a part of another file: how its bytes are found, and
 * which sessions go on from which (core/catalogue/families.c).
 */
#ifndef SESSFS_DIALECT_BASES_H
#define SESSFS_DIALECT_BASES_H

#include "core/file/log.h"

struct gate;
struct folder_index;
struct versions;

/* How files are looked for beside a session. */
struct finding {
	struct folder_index *names; /* or NULL */
	/* The folders that were looked through are added to it. */
	struct versions *searched;
	struct gate *gate; /* or NULL */
};

struct dialect_bases {
	/*
	 * Optional; without it a session has a copy of what it goes on from.
	 * Add the files of which the session continues a part, given its log
	 * without a lineage (core/file/lineage.h). Called each time the file is
	 * read from the start, when its dialect is known. Returns 0, or -errno
	 * after an error that says nothing of the files; where the lineage
	 * can't be followed further, lineage.fault says why. Called again, with
	 * a zeroed lineage, when one of lineage.searched has changed. `names`
	 * may be NULL.
	 */
	int (*find_lineage)(const struct log *log, struct lineage *l,
			    struct folder_index *names);

	/* The id that a session's file has in its name (empty: none). */
	struct span (*file_id)(struct span path);

	/*
	 * Append the id of the file from which the session of a log goes on: 1,
	 * 0 if there is none, or -errno.
	 */
	int (*base_id)(const struct log *log, struct buf *out);

	/*
	 * Append the path of the file with an id, as seen from another one: the
	 * same results.
	 */
	int (*find_file)(const char *path, struct span id,
			 const struct finding *how, struct buf *out);
};

#endif
