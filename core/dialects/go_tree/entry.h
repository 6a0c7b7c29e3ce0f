/*
 * Entries of a Go tree made of lines that people and programs write
 * (core/session/writer.h; FORMATS.md, section 7).
 *
 * A line with a `kind` is an entry, whose payload is its maker's own. One with
 * a `role` is a message, and becomes the payload of the kind that says so. What
 * is missing of id, parentId and ts is added behind what the line says; a line
 * with a kind and an id is a copy, whose id and parent are said anew.
 */
#ifndef SESSFS_GO_ENTRY_H
#define SESSFS_GO_ENTRY_H

#include "core/session/dialect.h"

/*
 * The entry's line, with its LF, below the leaf or the parent that the line
 * names; and its id. `kind_of` gives the kind for a role, or NULL. -EINVAL with
 * *reason for what the package would not read back.
 */
int go_entry_add(const struct session *s, struct json line,
		 const char *(*kind_of)(struct json role), struct buf *out,
		 struct buf *id, const char **reason);

/* A ULID that no entry has: 48 bits of time in ms, 80 of chance. */
void go_add_ulid(struct buf *out, const struct session *s, int64_t now);

/*
 * Would Replay fail at an entry, because its path begins below one that is
 * missing?
 */
bool go_path_is_broken(const struct session *s, uint32_t leaf);

#endif
