/*
 * The lines that sessfs appends to sessions of Pi, its relatives and the
 * drafts. For the contracts of the functions see struct dialect_writing.
 *
 * Entries are made from the lines that are written to `append`, as
 * sessfs-mount(7) says under WRITING A SESSION. The members of a line keep
 * their bytes, and missing ones are added after them. A compaction that keeps
 * nothing has its own id for an anchor.
 *
 * Parents and the targets of labels must be entries of the session. The anchor
 * of a compaction and the target of a context edit must be on the path.
 * required_members.c has the other conditions.
 */
#ifndef SESSFS_PI_WRITE_H
#define SESSFS_PI_WRITE_H

#include "core/dialects/pi/pi.h"
#include "core/json/writer.h"
#include "core/session/dialect.h"

/*
 * Appends a `custom` entry below the target, which agents keep and ignore. For
 * INDEX_NONE its parent is null.
 */
int pi_move_head(const struct session *s, uint32_t target, struct change *c);

/* Appends a `label` entry below the leaf; it clears without a `label`. */
int pi_set_label(const struct session *s, uint32_t entry, struct span text,
		 struct change *c);

/* Appends a `session_info` entry below the leaf; an empty name removes it. */
int pi_set_name(const struct session *s, struct span name, struct change *c);

/* Write the members of every entry: a new id, its parent, a time in ms. */
void pi_add_envelope(struct json_writer *w, const struct session *s,
		     uint32_t parent, int64_t time);

/* The `fromId` of a branch_summary whose line has none. */
enum pi_from {
	PI_FROM_NONE,
	PI_FROM_LEAF,	/* the entry that is left (Pi) */
	PI_FROM_PARENT, /* the one that is returned to (omp) */
};

/* How the entries of a dialect refer to each other. */
struct pi_entry_form {
	enum pi_owner owner;
	enum pi_from from;
	const char *id; /* NULL: entries have none */
	const char *parent;
	const char *anchor;
	const char *target;
	void (*new_id)(const struct session *s, struct buf *out);
	/* The entry that a value refers to, or INDEX_NONE. */
	uint32_t (*find)(const struct session *s, struct json ref);
	/* Is a value the parent of a root? */
	bool (*is_root)(struct json parent);
	/* Append a reference as JSON; for INDEX_NONE that of a root. */
	void (*quote)(struct buf *out, const struct session *s, uint32_t entry);
	/* Optional: may an entry have this parent? 0 or -errno. */
	int (*check)(const struct session *s, uint32_t parent);
	/* Optional: the parent of a line without one; else the leaf. */
	uint32_t (*parent_of)(const struct session *s, struct json line);
};

int pi_entry_add(const struct session *s, const struct pi_entry_form *form,
		 struct json line, struct change *c, const char **reason);

/* The form of a dialect whose entries refer to each other as Pi's do. */
struct pi_entry_form pi_form(enum pi_owner owner, enum pi_from from);

/* pi_entry_add() with Pi's form. */
int pi_add_entry(const struct session *s, struct json line, struct change *c,
		 const char **reason);

#endif
