/*
 * The files as they were (core/files/files_at.h), for the folder files/ of a
 * commit.
 *
 *     files/src/wc.c         below the session's working directory
 *     files/@/etc/passwd     elsewhere, as in by-file/
 *
 * A file whose text is no longer known is removed until it is known again.
 */
#ifndef SESSFS_FILES_H
#define SESSFS_FILES_H

#include "core/session/session.h"

/*
 * Append the commands for what changed with an entry, which may be none. 0 or
 * an error of core/files/files_at.h.
 */
int files_add(const struct session *s, uint32_t entry, struct buf *out);

/*
 * What is appended from stream_begin_data() on, which returns where that is, is
 * the command's data; stream_end_data() fills in its size.
 */
size_t stream_begin_data(struct buf *out);
void stream_end_data(struct buf *out, size_t from);

#endif
