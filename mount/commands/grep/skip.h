/*
 * Passing over files, lines and contents of which nothing can be selected.
 *
 * The content of an entry has what the strings of its line have, and what
 * sessfs adds (core/session/dialect/outside.h). So it can have a run of letters
 * (runs.h) only if the line has it, or an escape that may stand for a part of
 * it, or if the run may be added.
 *
 * Threads may share it.
 */
#ifndef SESSFS_GREP_SKIP_H
#define SESSFS_GREP_SKIP_H

#include "core/session/session.h"
#include "mount/commands/grep/runs.h"

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
 * An entry may also be of another file, which this one names.
 */
bool skip_may_match_file(const struct skip *s, int fd, struct piece_file *f);

/* A place in the first line of a content that may be selected, or NULL. */
const char *skip_find(const struct skip *s, struct span content);

#endif
