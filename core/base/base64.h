/*
 * Base64. Decoding is as lenient as JavaScript's Buffer: it accepts the digits
 * of both alphabets, skips other characters, and stops at the first "=".
 */
#ifndef SESSFS_BASE64_H
#define SESSFS_BASE64_H

#include "core/base/buf.h"

void base64_decode(struct buf *out, struct span text);

/*
 * Is a text some bytes as base64_encode() writes them? Strict decoders take
 * nothing else: no white space, no missing padding, no bits left over.
 */
bool base64_is_strict(struct span text);

/* In the standard alphabet, padded, on one line. */
void base64_encode(struct buf *out, struct span bytes);

#endif
