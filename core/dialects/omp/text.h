/*
 * JavaScript's functions for text and numbers that oh-my-pi uses. Texts are
 * WTF-8, white space is JavaScript's (core/base/text.h).
 */
#ifndef SESSFS_OMP_TEXT_H
#define SESSFS_OMP_TEXT_H

#include "core/base/buf.h"

/* String.prototype.trimEnd(). */
struct span omp_trim_end(struct span s);

/* The length of the run of white space that s starts with. */
size_t omp_space_run(struct span s);

/* d.toFixed(1) */
void omp_add_fixed(struct buf *out, double d);

/* d.toLocaleString() of a whole number: 1,234,567. Others are not grouped. */
void omp_add_grouped(struct buf *out, double d);

#endif
