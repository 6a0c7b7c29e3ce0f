/*
 * How entries of oh-my-pi's sessions are shown (messages.ts; 18.3.4), and the
 * settings at one (session-context.ts). What is not here is Pi's (pi/show.h).
 */
#ifndef SESSFS_OMP_SHOW_H
#define SESSFS_OMP_SHOW_H

#include "core/session/dialect.h"

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

#endif
