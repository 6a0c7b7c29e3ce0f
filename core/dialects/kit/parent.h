/*
 * The session that another one was forked from (struct dialect_bases), where
 * the fork is a whole copy that names it at its start, and files are named
 * after ids.
 */
#ifndef SESSFS_KIT_PARENT_H
#define SESSFS_KIT_PARENT_H

#include "core/file/folder_index.h"
#include "core/json/json.h"
#include "core/session/dialect/bases.h"

/* The id in a file's name, for dialect_bases.file_id. */
struct span parent_file_id(struct span path);

/*
 * Read a line at the start of a session: 1 with what it says of the parent
 * appended, which may be nothing; 0 if a later line tells.
 */
typedef int parent_line_fn(struct json line, struct buf *out);

/*
 * Append what the first lines say of the parent: 0, or -errno. Lines after
 * PARENT_LIMIT bytes are not read.
 */
#define PARENT_LIMIT ((uint64_t)1 << 20)
int parent_read(const struct log *log, parent_line_fn *read, struct buf *out);

/*
 * Append the path of the file with an id in a folder, whose path ends with a
 * slash: 1, 0 if there is none, or -errno.
 */
int parent_find_in(struct span folder, name_key *key, struct span id,
		   const struct finding *how, struct buf *out);

/* The same in the folder of another file: for bases.find_file. */
int parent_find_beside(const char *path, struct span id,
		       const struct finding *how, struct buf *out);

#endif
