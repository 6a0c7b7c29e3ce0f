/* Ingesting lines of the Pi family: headers, entries, labels, names. */
#ifndef SESSFS_PI_INGEST_H
#define SESSFS_PI_INGEST_H

#include "core/dialects/kit/ingest.h"
#include "core/dialects/pi/v1.h"

#define PI_VERSION 3

/* The members of a line that are ingested, in the order of their names there.
 */
struct pi_line {
	struct json type, id, parentId, timestamp, targetId, label, name,
		customType;
};

void pi_line_read(struct json line, struct pi_line *f);

/*
 * dialect.claims(): a header, or an entry of a file without one.
 * dialect.confirms(): other programs write objects like a header, such as the
 * records of an auth store, and `pi --mode json` prints the header itself. The
 * next object must be an entry, and there must be one, unless the header has
 * all that Pi writes.
 */
const char *pi_claims(struct json line);
int pi_confirms(struct json claimed, struct json next);

/* Is a string the type of an entry of the Pi family? */
bool pi_knows_type(struct json type);

/* The type of an entry, from its member `type`. */
enum entry_type pi_type(const struct pi_line *f);

/* dialect_reading.ingest() of Pi. Turns to a relative that the line marks. */
int pi_ingest(struct session *s, struct json line, const struct line_place *at);

/* ingest_header(), and remember the id that others are derived from. */
int pi_note_header(struct session *s, struct json line,
		   const struct line_place *at);

/*
 * The steps of pi_ingest(). The caller calls pi_count() once for each value,
 * after it was ingested. A header is skipped, as it is no entry.
 */
int pi_ingest_header(struct session *s, struct json line,
		     const struct line_place *at);

/*
 * A line that is no header: an entry if it is an object with an id, or in
 * version 1 any object. Else it is skipped, and *entry is INDEX_NONE.
 */
int pi_ingest_line(struct session *s, struct json line, const struct pi_line *f,
		   enum entry_type type, const struct line_place *at,
		   uint32_t *entry);

/*
 * dialect_agent.unopened(). Pi drops a line that a byte order mark precedes, as
 * it drops others that are not JSON: with it the header.
 */
struct unopened pi_unopened(const struct session *s);

/* The same of an agent that reads over a byte order mark. */
struct unopened pi_lacks_header(const struct session *s);

/*
 * The agent goes on from the last value. If that is no entry, it has no
 * history, and the next entry would begin anew.
 */
void pi_note_stray(const struct session *s, struct unopened *u);

/* The header's version as JavaScript compares it with a number; 1 if absent. */
double pi_version(struct json v);

#endif
