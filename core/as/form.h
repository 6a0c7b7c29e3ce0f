/*
 * The forms of a context in `as/`: the messages as an API takes them, and
 * sessions that other agents go on from (dialect_receiving). A session's own
 * agent gets what branch.jsonl has.
 *
 *     anthropic.json  openai.json  responses.json    an array, a message a line
 *     pi.jsonl  omp.jsonl  claude.jsonl  codex.jsonl
 *     qwen.jsonl                                     named after the dialects
 *
 * A form has a number from 0 on, which is the same as long as the program runs.
 */
#ifndef SESSFS_AS_FORM_H
#define SESSFS_AS_FORM_H

#include "core/session/dialect.h"

unsigned as_form_count(const struct dialect_registry *r);

void as_form_add_name(const struct dialect_registry *r, unsigned form,
		      struct buf *out);

/* The form with this file name: 0 or -ENOENT. */
int as_form_find(const struct dialect_registry *r, struct span name,
		 unsigned *form);

/* The form for an agent: 0 or -ENOENT. */
int as_form_of(const struct dialect_registry *r, const struct dialect *d,
	       unsigned *form);

/*
 * Append the context of an entry in a form; INDEX_NONE: before the first one.
 * Sessions are the nth of it (dialect_sending.branch). 0 or -errno.
 */
int as_form_add(const struct session *s, unsigned form, uint32_t entry,
		unsigned nth, struct buf *out);

/*
 * Append a line for each other agent that the context at HEAD is too
 * large for (dialect_receiving.window), as a guess:
 *
 *     over-window: codex (about 410000 tokens of 272000)
 *
 * The context is made only if the lines of the path to HEAD are large enough.
 * 0 or -errno.
 */
int as_add_over_window(const struct session *s, struct buf *out);

#endif
