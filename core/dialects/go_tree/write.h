/*
 * Entries of a Go tree made from appended lines (core/session/writer.h).
 *
 * A line with a `kind` is an entry with any payload. A line with a `role` is a
 * message, and becomes the payload of an entry of the kind for that role.
 * Members id, parentId and ts are added at the end if they are missing. A line
 * with a kind and an id is a copy of an entry, and gets a new id and parent.
 */
#ifndef SESSFS_GO_WRITE_H
#define SESSFS_GO_WRITE_H

#include "core/session/dialect.h"

/*
 * Append the entry's line, with its LF, to `out` and its id to `id`. Its parent
 * is the one that the line names, else the leaf. `kind_of` returns the kind for
 * a role, or NULL. Returns 0 or -errno: -EINVAL, with *reason, if the package
 * would not read it.
 */
int go_entry_add(const struct session *s, struct json line,
		 const char *(*kind_of)(struct json role), struct buf *out,
		 struct buf *id, const char **reason);

/* Append a ULID that no entry has: 48 bits of time in ms, 80 random bits. */
void go_add_ulid(struct buf *out, const struct session *s, int64_t now);

/*
 * Would Replay fail at an entry, because its path begins below one that is
 * missing?
 */
bool go_path_is_broken(const struct session *s, uint32_t leaf);

#endif
