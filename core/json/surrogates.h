/*
 * Lone surrogates in JSON: an escape such as \ud83d without its other half. Old
 * code that cut strings in the middle of a character left them in sessions.
 */
#ifndef SESSFS_SURROGATES_H
#define SESSFS_SURROGATES_H

#include "core/base/buf.h"

/* Has the JSON none of them, in a value or in a name? */
bool json_is_well_formed(struct span json);

/* Append JSON, with each lone surrogate escape replaced by U+FFFD. */
void json_add_well_formed(struct buf *out, struct span json);

#endif
