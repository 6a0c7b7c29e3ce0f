/*
 * Changing up to 64 members of a JSON object. All other members keep their
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
 * Append the object after the changes, without white space between members. A
 * new value replaces that of the first member with its key; later members with
 * that key are removed. If there is none, the member is added at the end.
 */
void json_rewrite(struct buf *out, struct json object,
		  const struct json_change *changes, size_t n);

/*
 * Append the object after the changes, none of which removes a member. All
 * other bytes stay, white space too. A new value replaces those of all members
 * with its key. If there is none, the member is added at the end.
 */
void json_splice(struct buf *out, struct json object,
		 const struct json_change *changes, size_t n);

#endif
