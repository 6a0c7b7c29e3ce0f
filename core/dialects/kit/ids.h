/*
 * New and derived ids in the form of the Pi family: the first eight hex digits
 * of a UUID, or the whole UUID if an entry has those already.
 */
#ifndef SESSFS_IDS_H
#define SESSFS_IDS_H

#include "core/session/session.h"

/* Append an id that no entry has. ids_new_uuid() appends a whole UUID. */
void ids_new(const struct session *s, struct buf *out);
void ids_new_uuid(const struct session *s, struct buf *out);

/*
 * The session's id as a name space. Parses the header. If memory runs out, it
 * has failed, and no id can be derived in it.
 */
struct id_space {
	unsigned char uuid[16];
	bool failed;
};

struct id_space ids_space(const struct session *s);
struct id_space ids_space_of(struct span name); /* The same of any text. */

/*
 * Append an id that is derived from the session's id and a name by SHA-1 (UUID
 * version 5), and so is the same each time. ids_derive() appends one that no
 * entry has, ids_derive_uuid() the whole UUID. `out` fails if the space has.
 */
void ids_derive(const struct session *s, const struct id_space *space,
		struct buf *out, struct span name);
void ids_derive_uuid(const struct id_space *space, struct buf *out,
		     struct span name);

/* Append the JSON of the UUID of a thing with a number, of an agent's. */
void ids_quote_derived(const struct id_space *space, struct buf *out,
		       const char *agent, const char *what, uint32_t n);

/* Append what the id of a branch is derived from (dialect_sending.branch). */
void ids_name_branch(struct buf *out, const struct session *s, uint32_t entry,
		     unsigned nth);

/* Append that id as a UUID. */
void ids_derive_branch(struct buf *out, const struct session *s, uint32_t entry,
		       unsigned nth);

#endif
