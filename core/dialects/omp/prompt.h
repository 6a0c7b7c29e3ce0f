/*
 * oh-my-pi's prompts around texts of a session, and its prompt formatter
 * (pi-utils, prompt.ts, format() in its post-render phase; 18.3.4):
 *
 *   - Blanks at the ends of lines are removed. So are runs of empty lines, and
 *     single ones at the start, at the end, and before a closing XML tag.
 *   - The cells of table rows are trimmed, and separator rows become |---|---|.
 *   - Between lines of ``` or ~~~ only the ends of lines change.
 *
 * Texts are WTF-8. Takes linear time.
 */
#ifndef SESSFS_OMP_PROMPT_H
#define SESSFS_OMP_PROMPT_H

#include "core/base/buf.h"

enum omp_prompt {
	OMP_PROMPT_COMPACTION,
	OMP_PROMPT_HANDOFF,
	OMP_PROMPT_BRANCH,
	OMP_PROMPT_NOTES,
};

/* Append the prompt around a text, formatted. */
void omp_prompt_add(struct buf *out, enum omp_prompt prompt, struct span text);

/* Append a text, formatted. */
void omp_format(struct buf *out, struct span text);

#endif
