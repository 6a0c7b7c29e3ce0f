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
#ifndef SESSFS_DIALECT_ADDING_H
#define SESSFS_DIALECT_ADDING_H

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
