/* Sessions of a Go package: a tree of entries, with its head in a sidecar. */
#ifndef SESSFS_GO_TREE_H
#define SESSFS_GO_TREE_H

#include "core/session/dialect.h"

extern const struct dialect dialect_go_tree;

/* The kind of messages of a role, or NULL. */
const char *go_kind_for(struct json role);

/* -- entry.c */

struct go_entry {
	struct json id; /* these are strings or absent */
	struct json parent;
	struct json kind;
	int64_t time;	     /* ms since 1970; TIMESTAMP_NONE without ts */
	struct json payload; /* an object, or absent */
};

/* Decode an object. 0, or -EBADMSG if the package skips it as invalid. */
int go_decode(struct json line, struct go_entry *e);

/* The value of the field of that name, or absent. */
struct json go_field(struct json object, const char *name);

/*
 * Append the entry's line, with its LF, to `out` and its id to `id`. Its parent
 * is the one that the line names, else the leaf. Returns 0 or -errno: -EINVAL,
 * with *reason, if the package would not read it.
 */
int go_entry_add(const struct session *s, struct json line, struct buf *out,
		 struct buf *id, const char **reason);

/* Append a ULID that no entry has: 48 bits of time in ms, 80 random bits. */
void go_add_ulid(struct buf *out, const struct session *s, int64_t now);

/*
 * Would Replay fail at an entry, because its path begins below one that is
 * missing?
 */
bool go_path_is_broken(const struct session *s, uint32_t leaf);

#endif
