/*
 * Small documents that are no sessions, such as settings of agents and what
 * they note of a process: read whole, by cJSON.
 *
 * Its rules are not those of json.h, and so no line of a session is read here:
 * a string ends at \u0000, half a surrogate pair is no JSON, values are nested
 * 1,000 deep at most, and all numbers are doubles. Of equal members the last
 * counts, as in JavaScript: cJSON by itself would take the first.
 */
#ifndef SESSFS_DOCUMENT_H
#define SESSFS_DOCUMENT_H

#include "core/base/buf.h"

/* A larger file is none. */
#define DOCUMENT_LIMIT ((size_t)4 << 20)

struct document {
	struct cJSON *root;
};

/* False if the bytes are no JSON, or without memory. document_free() follows a
   true one. */
bool document_parse(struct document *d, struct span bytes);
void document_free(struct document *d);

/* The text of a member of the document; NULL if that is no string. */
const char *document_text(const struct document *d, const char *key);

#endif
