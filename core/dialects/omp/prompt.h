/*
 * oh-my-pi's prompts around what a session holds: the texts, and how its
 * prompt formatter tidies what comes out (pi-utils, prompt.ts, format() in its
 * post-render phase; 18.2.0):
 *
 *   - blanks at the ends of lines go; runs of empty lines go, a single one
 *     stays, but not first, last or before a closing XML tag;
 *   - the cells of table rows are trimmed, separator rows made |---|---|;
 *   - between lines of ``` or ~~~ nothing but the ends of lines is touched.
 *
 * Texts are WTF-8. The cost is linear.
 */
#ifndef SESSFS_OMP_PROMPT_H
#define SESSFS_OMP_PROMPT_H

#include "core/base/buf.h"

enum omp_prompt {
	OMP_PROMPT_COMPACTION,
	OMP_PROMPT_HANDOFF,
	OMP_PROMPT_BRANCH,
	OMP_PROMPT_NOTES,
	OMP_PROMPT_STEERING,
};

/* Append the prompt around a text, formatted. */
void omp_prompt_add(struct buf *out, enum omp_prompt prompt, struct span text);

/* Append a text, formatted. */
void omp_format(struct buf *out, struct span text);

#endif
