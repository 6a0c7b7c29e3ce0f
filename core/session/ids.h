/*
 * New and derived ids, in the form of the Pi family: the first eight hex digits
 * of a UUID, or all of it should those be taken.
 */
#ifndef SESSFS_IDS_H
#define SESSFS_IDS_H

#include "core/session/session.h"

/* Append an id that no entry has; ids_new_uuid() always a whole UUID. */
void ids_new(const struct session *s, struct buf *out);
void ids_new_uuid(const struct session *s, struct buf *out);

/*
 * Append an id derived from the session's id and a name, by SHA-1 (UUID version
 * 5): the same for the same file, every time. ids_derive() gives one that no
 * entry has; ids_derive_uuid() the whole UUID.
 */
void ids_derive(const struct session *s, struct buf *out, struct span name);
void ids_derive_uuid(const struct session *s, struct buf *out,
		     struct span name);

/*
 * The header has come: remember the session's id, so that it is not looked for
 * again with each id that is derived.
 */
void ids_note_header(struct session *s);

#endif
