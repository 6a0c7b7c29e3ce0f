/*
 * The lines of a Go tree, decoded as encoding/json decodes them into the
 * package's Entry:
 *
 *   - Keys match fields in any case, with the long s for s and the Kelvin sign
 *     for k. Of several the last one counts; null changes nothing.
 *   - `ts` is a time.Time: RFC 3339 without escapes, and with the deviations of
 *     time.Parse: an hour of one digit, a comma before the fraction, an offset
 *     up to 24:60.
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

/* Does a key match the field of that name, in lower case? */
bool go_names_field(struct json key, const char *name);

/* The value of the field of that name, in lower case, or absent. */
struct json go_field(struct json object, const char *name);

/* Parse a time, given as the bytes between the quotes; false if invalid. */
bool go_time(struct span text, int64_t *ms);

#endif
