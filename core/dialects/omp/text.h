/*
 * JavaScript's functions for text and numbers that oh-my-pi uses.
 *
 * Texts are WTF-8 (core/base/text.h). White space is JavaScript's, with line
 * terminators: trim() and \s agree on it.
 */
#ifndef SESSFS_OMP_TEXT_H
#define SESSFS_OMP_TEXT_H

#include "core/json/json.h"

/* String.prototype.trimStart() and trimEnd(). */
struct span omp_trim_start(struct span s);
struct span omp_trim_end(struct span s);

/* /\S/.test(s), negated. */
bool omp_is_blank(struct span s);

/* The length of the run of white space that s starts with. */
size_t omp_space_run(struct span s);

/*
 * Does s have a line terminator? These are the characters that . does not
 * match: LF, CR, U+2028 and U+2029.
 */
bool omp_has_terminator(struct span s);

/* s.length: UTF-16 units. */
size_t omp_units(struct span s);

/*
 * Number(v), as far as sessions need it: numbers, numeric strings, null and
 * booleans; NaN for the rest.
 */
double omp_number(struct json v);

/* d.toFixed(1) */
void omp_add_fixed(struct buf *out, double d);

/* d.toLocaleString() in en-US: 1,234,567.891 */
void omp_add_grouped(struct buf *out, double d);

#endif
