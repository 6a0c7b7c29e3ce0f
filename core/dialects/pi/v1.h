/*
 * Version 1 of Pi's sessions, and the hookMessage of version 2, which Pi
 * rewrites when it opens a file.
 *
 * Version 1 is linear (now.linear): entries have no ids and follow each other.
 * They get ids derived from the session's id and the number of the line, which
 * are the same each time; migration writes them into the file. A compaction
 * names the first entry that it keeps by its position among the values, the
 * header being 0.
 */
#ifndef SESSFS_PI_V1_H
#define SESSFS_PI_V1_H

#include "core/dialects/kit/ids.h"
#include "core/dialects/kit/line.h"
#include "core/session/dialect.h"

/*
 * The Pi family's own part of the contents, now.state. A dialect of the family
 * that needs more has it as the first member of its own state.
 */
struct pi_state {
	uint32_t values; /* lines that the agent parses */
	/* The positions that are no entries, ascending. */
	uint32_t *skipped;
	uint32_t n_skipped;
	size_t cap_skipped;
	bool has_space;
	struct id_space space; /* the header's id */
};

void pi_state_clear(void *state);

/* The lines that the agent parses, so far. */
uint32_t pi_values(const struct session *s);

/* ids_space() of the session, from memory once there is a header. */
struct id_space pi_id_space(const struct session *s);

/* Count a value that is no entry as skipped; pi_count() follows. */
int pi_skip(struct session *s);
void pi_count(struct session *s);

/*
 * Would the value be the first entry of a linear session? pi_note_linear() sets
 * now.linear by it, before a line is ingested that may be the first entry.
 */
bool pi_begins_linear(const struct session *s, struct json line);
void pi_note_linear(struct session *s, struct json line);

/* ingest_entry() with a derived id and parent. */
int pi_ingest_linear(struct session *s, struct index_line *l,
		     const struct line_place *at, uint32_t *entry);

/* The first entry that a compaction of a linear session keeps. */
uint32_t pi_linear_first_kept(const struct session *s, uint32_t entry,
			      struct json compaction);

/* Is it the role of a message that later became `custom`? */
bool pi_is_hook(const struct session *s, struct json role);

/* Change the role of an entry's message to `custom` if it is hookMessage. */
void pi_change_hook(struct line_changes *c, struct json line);

/*
 * Change a linear entry's line to one of version 3. Fails as session_read() of
 * the later entry whose position a compaction has for the first that it keeps.
 */
int pi_change_linear(struct line_changes *c, const struct session *s,
		     uint32_t entry, struct json line, uint32_t parent,
		     uint32_t first_kept);

/*
 * Append the rewritten line, with its LF. `entry` is the entry of the line in a
 * linear session, else INDEX_NONE.
 */
typedef int line_rewriter(const struct session *s, uint32_t entry,
			  struct json line, struct buf *out);

/*
 * Append all lines of the file, without its byte order mark, each rewritten by
 * `line`. Lines that are not JSON stay as they are. -ESTALE if the entries of
 * the file are not those of the index; -EOPNOTSUPP if a line is no entry of a
 * known type, because the file may then be another program's.
 */
int pi_rewrite_file(const struct session *s, line_rewriter *line,
		    struct buf *out);

/*
 * Version 1 is migrated before a line is appended: its entries have no ids that
 * a head or label could refer to, and Pi gives new ids even to those that have
 * one. They get the ids that the mount shows. oh-my-pi does the same.
 */
extern const struct dialect_migration pi_migration;

#endif
