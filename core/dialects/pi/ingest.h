/*
 * The lines of the Pi family (FORMATS.md, section 3): header, entries, labels,
 * names. Dialects that begin as Pi's do take their lines with these.
 *
 * Version 1 is linear: entries have no ids and follow each other. They get ids
 * derived from the session's id and the line's number, the same at every
 * reading, which migration then writes into the file.
 */
#ifndef SESSFS_PI_INGEST_H
#define SESSFS_PI_INGEST_H

#include "core/dialects/kit/ingest.h"
#include "core/dialects/pi/state.h"

#define PI_VERSION 3

enum pi_field {
	PI_TYPE,
	PI_ID,
	PI_PARENT,
	PI_TIMESTAMP,
	PI_TARGET,
	PI_LABEL,
	PI_NAME,
	PI_CUSTOM_TYPE,
	PI_FIELDS
};

void pi_fields(struct json line, struct json f[PI_FIELDS]);

/* A header, or an entry that stands without one: see dialect.h, claims(). */
const char *pi_claims(struct json line);

/* What an entry is, by its type alone. */
enum entry_type pi_type(const struct json f[PI_FIELDS]);

/* Take any line as Pi does, or as one of its relatives if it marks one. */
int pi_ingest(struct session *s, struct json line, const struct line_place *at);

/* ingest_header(), and remember the id that others are derived from. */
int pi_note_header(struct session *s, struct json line,
		   const struct line_place *at);

/*
 * The steps of pi_ingest(). Each value is counted once, by pi_count() after it
 * was ingested. One that is no entry is skipped before, by pi_skip().
 */
int pi_ingest_header(struct session *s, struct json line,
		     const struct line_place *at);

/* Has the line what an entry must have? In version 1 any object has. */
bool pi_is_entry(struct session *s, struct json line,
		 const struct json f[PI_FIELDS]);

/* Enter it; *entry is its number, INDEX_NONE if there was no room. */
int pi_ingest_entry(struct session *s, const struct json f[PI_FIELDS],
		    enum entry_type type, const struct line_place *at,
		    uint32_t *entry);

/* header.version ?? 1, as JavaScript compares it with a number. */
double pi_version(struct json v);

/* The same for a line of version 1, whose id and parent are derived. */
int pi_ingest_linear(struct session *s, struct index_line *l,
		     const struct line_place *at, uint32_t *entry);

#endif
