/*
 * The lines of a Go tree, decoded as encoding/json decodes them into the
 * package's Entry:
 *
 *   - Keys match fields in any case. Of several the last one counts; null
 *     changes nothing.
 *   - `ts` is a time of RFC 3339.
 */
#ifndef SESSFS_GO_DECODE_H
#define SESSFS_GO_DECODE_H

#include <stdint.h>

#include "core/json/json.h"

struct go_entry {
	struct json id; /* these are strings or absent */
	struct json parent;
	struct json kind;
	int64_t time;	     /* ms since 1970; TIMESTAMP_NONE without ts */
	struct json payload; /* an object, or absent */
};

/* Decode an object. 0, or -EBADMSG if the package skips it as invalid. */
int go_decode(struct json line, struct go_entry *e);

/* The value of the field of that name, or absent. */
struct json go_field(struct json object, const char *name);

#endif
