/*
 * Base64. It is read as leniently as JavaScript's Buffer does: both alphabets,
 * what is no digit is passed over, the first "=" ends it.
 */
#ifndef SESSFS_BASE64_H
#define SESSFS_BASE64_H

#include "core/base/buf.h"

void base64_decode(struct buf *out, struct span text);

/* The usual alphabet, padded, on one line. */
void base64_encode(struct buf *out, struct span bytes);

#endif
