/*
 * The lines of a Go tree as Go's encoding/json decodes them into the package's
 * Entry (FORMATS.md, section 7; seed 004):
 *
 *   - A key names a field whatever its case, the long s and the Kelvin sign
 *     included. Of several the last one counts; null changes nothing.
 *   - `ts` is what time.Time takes from JSON: RFC 3339, not unescaped, and with
 *     the three liberties of time.Parse: an hour of one digit, a comma before
 *     the fraction, an offset up to 24:60.
 */
#ifndef SESSFS_GO_DECODE_H
#define SESSFS_GO_DECODE_H

#include <stdint.h>

#include "core/json/json.h"

struct go_entry {
	struct json id; /* these are strings or absent */
	struct json parent;
	struct json kind;
	int64_t time;	     /* ms since 1970; without ts TIMESTAMP_NONE */
	struct json payload; /* an object, or absent */
};

/* 0; -EBADMSG for an object that the package can't decode, and skips. */
int go_decode(struct json line, struct go_entry *e);

/* Is a key a field's, by its name? Its case does not matter. */
bool go_names_field(struct json key, const char *name);

/* The value of a field, by its name in lower case; absent if there is none. */
struct json go_field(struct json object, const char *name);

/* A time as above, from the bytes between the quotes; false if it is none. */
bool go_time(struct span text, int64_t *ms);

#endif
