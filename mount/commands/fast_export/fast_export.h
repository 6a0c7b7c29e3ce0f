/*
 * What a stream for git is made of: names of refs, and the files that tools
 * wrote.
 */
#ifndef SESSFS_FAST_EXPORT_H
#define SESSFS_FAST_EXPORT_H

#include "core/session/session.h"

/*
 * Names of git's refs, made of the names of files in by-id/, by-label/ and
 * branches/.
 *
 * A name is one component, which `git check-ref-format` allows. Bytes that git
 * refuses are percent-escaped, as are those at the start of a name with a
 * meaning of its own ("HEAD", a dash). Different names stay different: one that
 * would be too long for a file ends with a digest.
 */
void refs_add(struct buf *out, struct span file_name);

/*
 * The files as they were (core/files/files_at.h), for the folder files/ of a
 * commit.
 *
 *     files/src/wc.c         below the session's working directory
 *     files/@/etc/passwd     elsewhere, as in by-file/
 *
 * A file whose text is no longer known is removed until it is known again.
 */

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
