/*
 * What the result of a call makes of files (dialect_filing), and what the agent
 * has saved beside the session.
 */
#ifndef SESSFS_RESULT_H
#define SESSFS_RESULT_H

#include "core/files/file_text.h"
#include "core/session/dialect/touching.h"
#include "core/session/session.h"
#include "core/show/touches.h"

/* A state that is found (way.c): where texts come from, and where they go. */
struct step;

/* The text of a file, begun; the caller frees it. 0 or -errno. */
int step_load(struct step *f, uint32_t folder, struct file_text *t);

/* Keep it, by the entry of a call, and free it. 0 or -errno. */
int step_keep(struct step *f, uint32_t folder, uint32_t call,
	      struct file_text *t);

/* 0 or -errno. */
int result_apply(const struct session *s, const struct touch_result *r,
		 struct step *to);

/*
 * The same of a line that tells what the agent has saved, on the way to an
 * entry: a note, or for NULL the entry itself.
 */
int result_apply_saved(const struct session *s, uint32_t entry,
		       const struct note_place *at, struct step *to);

#endif
