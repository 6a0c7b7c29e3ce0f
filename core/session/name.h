/*
 * File names for entry ids and labels.
 *
 * An id is its own name where it can be. What can't stand in a name is
 * percent-escaped, byte by byte, so that different ids have different names:
 *
 *     "/", NUL, control bytes, DEL, halves of surrogate pairs   %2F, %00, …
 *     a leading dot                                             %2E
 *     a name that an entry folder uses already                  %63ontent
 *     "%" before two hex digits or "-"                          %25
 *     over 255 bytes: the first of them, then "%-" and 32 hex digits of a
 *     name-based UUID (SHA-1) of the whole id
 *     the empty text                                            %-
 */
#ifndef SESSFS_NAME_H
#define SESSFS_NAME_H

#include "core/base/buf.h"

#define NAME_LIMIT 255

/* Does the id or label stand as it is? `in_entry`: inside an entry's folder. */
bool name_is_plain(struct span text, bool in_entry);

/* Append the name of an id or label (WTF-8). */
void name_add(struct buf *out, struct span text, bool in_entry);

#endif
