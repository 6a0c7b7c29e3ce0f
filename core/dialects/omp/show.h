/*
 * How entries of oh-my-pi's sessions are shown (messages.ts; 18.3.4), and the
 * settings at one (session-context.ts). The functions are those of struct
 * dialect (dialect.h); all others are Pi's (pi/show.h).
 */
#ifndef SESSFS_OMP_SHOW_H
#define SESSFS_OMP_SHOW_H

#include "core/session/dialect.h"

bool omp_is_typed(struct json entry);
bool omp_is_said(struct json entry);

/* Pi's blocks, but a picture without its blob is not a picture. */
struct block omp_read_block(struct json v);

/* Append a blob's bytes. */
bool omp_picture(struct buf *out, struct json data);

bool omp_text(const struct session *s, struct buf *out, struct json entry);
void omp_preview(struct buf *out, struct json entry);

/*
 * Append the text of a bashExecution, a pythonExecution or a fileMention (with
 * all its files). Returns false for any other role.
 */
bool omp_message_text(struct buf *out, struct json message);

enum omp_files {
	OMP_FILES_ALL,
	OMP_FILES_TEXT,	 /* without a picture */
	OMP_FILES_IMAGE, /* with one */
};

/* Append the files of a mention as text; false if there are none. */
bool omp_add_files(struct buf *out, struct json files, enum omp_files which);

/* What oh-my-pi counts in /usage: also what its task tool has used. */
void omp_usage(struct json line, struct used *used);

extern const struct meta_row omp_meta[];

/*
 * The default model on the path to the leaf: the last one that was set, else
 * the last assistant's; and its thinking level, "off" if it is not set.
 */
int omp_settings(const struct session *s, uint32_t leaf, struct buf *model,
		 struct buf *thinking);

#endif
