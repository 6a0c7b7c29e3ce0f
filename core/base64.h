/*
 * Base64, read as leniently as JavaScript's Buffer does: both alphabets, what
 * is no digit is passed over, the first "=" ends it.
 */
#ifndef SESSFS_BASE64_H
#define SESSFS_BASE64_H

#include "core/buf.h"

void base64_decode(struct buf *out, struct span text);

#endif
