/*
 * Pictures: of which format their bytes are, and whether these can be one.
 */
#ifndef SESSFS_PICTURE_H
#define SESSFS_PICTURE_H

#include <stdbool.h>

#include "core/base/span.h"

/*
 * The media type of bytes that begin as a PNG, JPEG, GIF or WebP do; empty for
 * others. The same of bytes in base64; and of a name, in any case, of one of
 * these types.
 */
struct span picture_mime(struct span bytes);
struct span picture_base64_mime(struct span text);
struct span picture_named_mime(struct span name);

/*
 * Are they a picture of that format, up to the end of its first image? Its
 * chunks and headers are looked at, and the checksums of those of a PNG, but
 * not what is compressed: of that, all has to be there, but of a JPEG, whose
 * decoders make do with what they get.
 */
bool picture_is_whole(struct span bytes);

#endif
