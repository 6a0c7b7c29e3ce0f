/*
 * Names of git's refs, made of the names of files in by-id/, by-label/ and
 * branches/.
 *
 * A name is one component, which `git check-ref-format` allows. Bytes that git
 * refuses are percent-escaped, as are those at the start of a name with a
 * meaning of its own ("HEAD", a dash). Different names stay different: one that
 * would be too long for a file ends with a digest.
 */
#ifndef SESSFS_REFS_H
#define SESSFS_REFS_H

#include "core/base/buf.h"

void refs_add(struct buf *out, struct span file_name);

#endif
