/*
 * Passing over files, lines and contents of which nothing can be selected.
 *
 * The content of an entry has what the strings of its line have, and what
 * sessfs adds (core/session/dialect/outside.h). So it can have a run of letters
 * only if the line has it, or an escape that may stand for a part of
 * it, or if the run may be added.
 *
 * Threads may share it.
 */
#ifndef SESSFS_GREP_SKIP_H
#define SESSFS_GREP_SKIP_H

#include "core/session/session.h"
#include "mount/commands/grep/pattern.h"

struct piece_file;
struct skip;

/*
 * *s is NULL if nothing may be passed over. It keeps parts of the texts.
 * Returns 0 or -ENOMEM.
 */
int skip_new(struct skip **s, const struct pattern_texts *t,
	     const struct dialect_registry *dialects);
void skip_free(struct skip *s);

/* May a line, of a session's entry, have a content that is selected? */
bool skip_may_match(const struct skip *s, struct span line);

/*
 * May any entry of a session, whose file was opened? True if it can't be read.
 * An entry may also be of another file, which this one names. *f is as its
 * struct says.
 */
bool skip_may_match_file(const struct skip *s, int fd, struct piece_file *f);

/* A place in the first line of a content that may be selected, or NULL. */
const char *skip_find(const struct skip *s, struct span content);

/* -- runs.c */

/*
 * The runs of letters that a line must have to be selected by a search.
 *
 * Each pattern, and each branch of one, gives one run, which every match of it
 * contains: a line that has none of them is not selected. A run has letters of
 * ASCII and "_" only. Runs are in no group, class or option of a pattern, where
 * they might not be needed, or mean something else; patterns that begin with
 * "(*", quote, or set options are not read at all.
 */

/* Shorter runs are in most lines, and longer ones are no rarer than this. */
#define RUN_LEAST ((size_t)3)
#define RUN_MOST ((size_t)32)

/* Of more runs, one or another is begun everywhere. */
#define RUNS_MOST ((size_t)32)

struct runs {
	struct span *list; /* parts of the texts */
	size_t n;	   /* 0: any line may be selected */
	size_t cap;
	bool any_case; /* the case of letters does not count */
};

/*
 * Find the runs of patterns. There are none if any pattern has none, if there
 * are too many, and where it is not certain what a pattern means. 0 or -ENOMEM.
 *
 * If the case does not count, the letters k and s are in no run: U+212A and
 * U+017F are the same letters.
 *
 * The first letter of a run is dropped if it is one of a to f: what a content
 * has as \u007f, with an f in it, may be one byte in the session.
 */
int runs_find(struct runs *r, const struct pattern_texts *t);
void runs_free(struct runs *r);

#endif
