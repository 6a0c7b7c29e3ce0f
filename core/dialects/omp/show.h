/*
 * The content and `meta` of entries in oh-my-pi's sessions. The functions are
 * those of struct dialect (dialect.h); all others are Pi's (pi/show.h).
 */
#ifndef SESSFS_OMP_SHOW_H
#define SESSFS_OMP_SHOW_H

#include "core/session/dialect.h"

bool omp_is_typed(struct json entry);

/* Pi's blocks, but a picture without its blob is not a picture. */
struct block omp_read_block(struct json v);

/* Append a blob's bytes. */
bool omp_picture(struct buf *out, struct json data);

bool omp_text(const struct session *s, struct buf *out, struct json entry);
void omp_preview(struct buf *out, struct json entry);

/* What oh-my-pi counts in /usage: also what its task tool has used. */
void omp_usage(struct json line, struct used *used);

extern const struct meta_row omp_meta[];

#endif
