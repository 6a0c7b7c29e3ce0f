/*
 * Changing members of a JSON object, at most 64, whose other members keep their
 * bytes. A key is a string that needs no escapes.
 */
#ifndef SESSFS_JSON_SPLICE_H
#define SESSFS_JSON_SPLICE_H

#include "core/json/json.h"

struct json_change {
	const char *key;
	struct span value; /* JSON; empty to remove the member */
};

/*
 * Append the object as JavaScript prints it after the changes: a value takes
 * the place of the first member of that key, or comes last; other members of
 * that key are removed; so is white space between members.
 */
void json_rewrite(struct buf *out, struct json object,
		  const struct json_change *changes, size_t n);

/*
 * Append the object with the values (none empty) in place of those of every
 * member of that key, or at the end. Every other byte stays, white space too.
 * `same` tells whether a member is that of a change; NULL: if its key is equal.
 */
void json_splice(struct buf *out, struct json object,
		 const struct json_change *changes, size_t n,
		 bool (*same)(struct json key, const char *name));

#endif
