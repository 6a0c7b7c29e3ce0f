/*
 * Files beside the session that the contents of entries have text of, such as
 * outputs of tools that were too long for a line.
 */
#ifndef SESSFS_DIALECT_OUTSIDE_H
#define SESSFS_DIALECT_OUTSIDE_H

#include "core/json/json.h"

struct session;

/*
 * The files that one entry has text of. The version changes when they do, and
 * is not 0. `seen` is the version that the entry's content_size and
 * content_lines are of: atomic access.
 */
struct outside {
	uint64_t version;
	uint64_t *seen;
};

struct dialect_outside {
	/*
	 * False for an entry that has text of no file. *o may be NULL;
	 * otherwise the files are looked at.
	 */
	bool (*of_entry)(const struct session *s, uint32_t entry,
			 struct outside *o);

	/* A version of all such files, 0 if there are none. */
	uint64_t (*of_all)(const struct session *s);

	/*
	 * Append the file that a text of a result stands for: 1, 0 if the text
	 * stands for itself, or -errno.
	 */
	int (*add_text)(const struct session *s, struct buf *out,
			struct json text);
};

/*
 * What the contents of a dialect's entries have that does not stand in their
 * lines: a search passes over a line without its words only if they can't be
 * added, either.
 *
 * The texts in a line count as they stand there, whatever escapes the line has:
 * the search looks after those. Numbers do not count, and neither do words of
 * fewer than three letters.
 *
 * Each content that a unit test expects, or a fuzz target makes, is checked
 * for words that no list has (tests/unit/unlisted.h).
 */

/*
 * Words that may be added to a line with the marker. They are in any order,
 * with any separators. A word that is made of two parts, of which one is in the
 * line, must not be: there is a separator between what is added and the rest.
 */
struct added_words {
	const char *words;  /* NULL: any, such as those of another file */
	const char *marker; /* bytes of the line; NULL: every line may */
};

/* All members are optional. */
struct dialect_adding {
	const struct added_words *rows; /* up to a zeroed one */
	/*
	 * Bytes that a file has if the session has entries from other files
	 * (dialect_bases).
	 */
	const char *other_files;
};

#endif
