/*
 * Where a branch is put for its agent to find it (dialect_resuming.find_copy).
 */
#ifndef SESSFS_KIT_COPY_H
#define SESSFS_KIT_COPY_H

#include "core/json/json.h"
#include "core/session/dialect/resuming.h"

/* The first line of a branch that is an object with this member; or absent. */
struct json copy_line_with(struct span branch, const char *member);

/*
 * Append a time as it is in names of files: the string up to its n-th byte,
 * with dashes for ":" and "."; 1970 if it is no such time.
 */
void copy_add_time(struct buf *out, struct json time, size_t n);

/* Append a path for glob(3), in which it stands for itself. */
void copy_add_literal(struct buf *out, struct span path);

/* Do two paths lead to the same file or folder? */
bool copy_is_same(const char *a, const char *b);

/* Is the file in one of the folders? */
bool copy_is_in_one(const char *path, const char *const *folders);

/*
 * For dialect_resuming.find_copy: the branch of an agent that finds a session
 * as ID.jsonl in its first folder, by the sessionId in its lines; or as
 * TIME_ID.jsonl, by the header's.
 */
int copy_find_by_id(const struct session *s, struct resuming_copy *c);
int copy_find_by_time(const struct session *s, struct resuming_copy *c);

#endif
