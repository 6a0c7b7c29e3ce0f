/*
 * Making JSON out of JSON: objects and arrays that are written member by member
 * into a buffer, with values that are taken over as they are. What is written
 * is trusted afterwards like what json_check() has accepted.
 */
#ifndef SESSFS_OMP_JSON_H
#define SESSFS_OMP_JSON_H

#include "core/dialects/kit/line.h"

/* Is it absent or null, so that ?? and ?. pass over it? */
bool omp_is_nullish(struct json v);

/* A comma, unless a container has just begun. */
void omp_add_comma(struct buf *out);

/* A key, after a comma where one is due. */
void omp_add_key(struct buf *out, const char *key);

/* A member; nothing if the value is absent. */
void omp_add_member(struct buf *out, const char *key, struct json value);

/* An element of an array; nothing if it is absent. */
void omp_add_element(struct buf *out, struct json value);

/* All elements of an array, or those blocks of one type; none of others. */
void omp_add_elements(struct buf *out, struct json array);
void omp_add_blocks_of(struct buf *out, struct json array, struct span type);

/* {"type":"text","text":…} as an element; the text is WTF-8. */
void omp_add_text_block(struct buf *out, struct span text);

#endif
