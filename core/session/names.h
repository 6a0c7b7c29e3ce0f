/*
 * The names that an agent keeps in one file for many sessions
 * (BESIDE_NAMES): JSON lines, each with the id of a session and a name.
 * Of several with the same id the last one counts. A file of more than 16 MiB
 * is not read (SIDECAR_LIMIT).
 */
#ifndef SESSFS_NAMES_H
#define SESSFS_NAMES_H

#include "core/base/buf.h"
#include "core/base/idset.h"

struct dialect;
struct dialect_registry;
struct session;
struct versions;

/* Append the name that the bytes of such a file have for an id. 0 or -ENOMEM.
 */
int names_find(const struct dialect *d, struct span bytes, struct span id,
	       struct buf *name);

/* For dialect_reading.beside: the session's name is the one in such a file. */
int names_ingest(struct session *s, struct span bytes, bool there);

/*
 * The file of names looked up last, parsed. Looking up a session of another
 * file replaces it. Zeroed: of none.
 */
struct names {
	/* Optional: the files are added to it before they are read. */
	struct versions *read;
	char *file;
	struct idset ids;
	uint32_t *names; /* by number, in `text` */
	size_t cap;
	struct buf text;
};

/*
 * Append the name of the session at a path, which one of the dialects may know
 * by the path alone. Another file of names is read then, in place of the last
 * one. One that can't be read counts as empty. 1 if the names are in such a
 * file, whether there is one for this session or not; 0 if they are not; or
 * -ENOMEM.
 */
int names_look_up(struct names *n, const struct dialect_registry *dialects,
		  const char *path, struct buf *name);
void names_free(struct names *n);

#endif
