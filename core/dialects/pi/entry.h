/*
 * Entries made of lines that people and programs write (core/session/writer.h),
 * for Pi, its relatives and the drafts.
 *
 * A line with a `type` is an entry; one with a `role` and no type is a message,
 * and an entry is put around it. What is missing of the envelope is added
 * behind what the line says, which keeps its bytes:
 *
 *   id         a new one
 *   parent     the leaf. A line that names one has that: a branch.
 *   timestamp  now; also of a message that has none
 *
 * and what the agent's own code would add to a branch_summary (`fromId`) and to
 * a compaction that keeps nothing (itself as its anchor). A line with a type
 * and an id is a copy of another entry: its id and parent are said anew, and
 * nothing else is.
 *
 * The parent, the anchor of a compaction, the targets of labels and of context
 * edits must be there, and the last but labels' on the path; what else has to
 * be is in rules.h.
 */
#ifndef SESSFS_PI_ENTRY_H
#define SESSFS_PI_ENTRY_H

#include "core/dialects/pi/rules.h"
#include "core/session/dialect.h"

/* What the `fromId` of a branch_summary is, if the line has none. */
enum pi_from {
	PI_FROM_NONE,
	PI_FROM_LEAF,	/* which is left behind (Pi) */
	PI_FROM_PARENT, /* which is returned to (oh-my-pi, the library) */
};

/* How the entries of a dialect name each other. */
struct pi_entry_form {
	enum pi_owner owner;
	enum pi_from from;
	const char *id; /* NULL: entries have none */
	const char *parent;
	const char *anchor;
	const char *target;
	void (*new_id)(const struct session *s, struct buf *out);
	/* The entry that a value names, INDEX_NONE if there is none. */
	uint32_t (*find)(const struct session *s, struct json ref);
	/* Is a value what a root has for its parent? */
	bool (*is_root)(struct json parent);
	/* An entry as a value; INDEX_NONE: what is_root() takes. */
	void (*quote)(struct buf *out, const struct session *s, uint32_t entry);
	/* Optional: 0 if an entry may be put there, or -errno. */
	int (*check)(const struct session *s, uint32_t parent);
	/* Optional: where a line goes that names no parent; else the leaf. */
	uint32_t (*parent_of)(const struct session *s, struct json line);
};

/* See dialect.h, add_entry(). */
int pi_entry_add(const struct session *s, const struct pi_entry_form *form,
		 struct json line, struct change *c, const char **why);

/* A form by which entries name each other as in Pi. */
struct pi_entry_form pi_form(enum pi_owner owner, enum pi_from from);

/* By Pi's own. */
int pi_add_entry(const struct session *s, struct json line, struct change *c,
		 const char **why);

#endif
