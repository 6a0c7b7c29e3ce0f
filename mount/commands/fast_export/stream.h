/*
 * Parts of a stream for `git fast-import`.
 */
#ifndef SESSFS_STREAM_H
#define SESSFS_STREAM_H

#include "core/base/buf.h"

/*
 * What is appended from stream_begin_data() on, which returns where that is, is
 * the command's data; stream_end_data() fills in its size.
 */
size_t stream_begin_data(struct buf *out);
void stream_end_data(struct buf *out, size_t from);

#endif
