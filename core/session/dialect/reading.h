/*
 * How a dialect's lines are read: into the index, the labels and so on, which
 * make the contents of the session.
 *
 * All functions but takes_record() change the session, and have its write lock.
 */
#ifndef SESSFS_DIALECT_READING_H
#define SESSFS_DIALECT_READING_H

#include "core/json/json.h"
#include "core/session/session.h"

/* The place of a line in the file. */
struct line_place {
	uint64_t offset;
	uint64_t length;
	uint32_t number;
	uint32_t digest;
};

/* A file beside the session, which is read with it. */
struct beside {
	/* Append its path, as seen from the session's; nothing: it has none. */
	void (*path)(const char *session, struct buf *out);
	/*
	 * Ingest its bytes in place of those before. Called when it has
	 * changed, and each time the session is read from the start. `there`:
	 * it exists.
	 */
	int (*ingest)(struct session *s, struct span bytes, bool there);
};

struct dialect_reading {
	/*
	 * Ingest a line that is not blank: add it to the index, the labels and
	 * so on. It is absent if the line is not JSON. May return
	 * SESSION_TURNED, from session_turn().
	 */
	int (*ingest)(struct session *s, struct json line,
		      const struct line_place *at);

	/*
	 * Optional: the agent reads the value that a line begins with, or that
	 * goes over several lines (core/session/record.h). Is such a value to
	 * be ingested? Then ingest() is called with it, and after that
	 * for the line, which is absent.
	 */
	bool (*takes_record)(const struct session *s, struct json value);

	/*
	 * The size of the dialect's own part of the contents, now.state; 0: it
	 * has none. It is zeroed, and what is not zero at first is set, before
	 * the first line is ingested. It is cleared with the contents. NULL
	 * while the session could not be read.
	 */
	size_t state_size;
	void (*begin_state)(void *state); /* optional */
	void (*clear_state)(void *state); /* optional */

	bool has_version; /* headers have one: now.version */

	/*
	 * ENTRY_BIT()s of the types of bookkeeping entries: they describe other
	 * entries or the session, and have no content of their own.
	 */
	uint32_t bookkeeping;

	/*
	 * Optional: set now.leaf. Called after new lines were linked, and after
	 * the sidecar has changed. Without it the last entry is the leaf. Must
	 * cost time proportional to the new lines.
	 */
	int (*find_leaf)(struct session *s);

	/*
	 * Optional, each: the files beside the session. A struct change
	 * replaces BESIDE_OWN. BESIDE_NAMES has changed for a session only if
	 * its name has; if the file can't be read, the session keeps its name.
	 */
	struct beside beside[BESIDE_COUNT];

	/*
	 * With BESIDE_NAMES: the part of a session's path that is its id there,
	 * and the id and the name in a line, or false.
	 */
	struct span (*name_id)(struct span path);
	bool (*read_name)(struct json line, struct json *id, struct json *name);
};

#endif
