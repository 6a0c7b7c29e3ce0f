/* Rewriting all lines of a log, for migration. */
#ifndef SESSFS_PI_V1_H
#define SESSFS_PI_V1_H

#include "core/json/json.h"
#include "core/session/session.h"

/*
 * Append the rewritten line, with its LF. `entry` is the entry of the line in a
 * linear log (pi/state.h), else INDEX_NONE.
 */
typedef void line_rewriter(const struct session *s, uint32_t entry,
			   struct json line, struct buf *out);

/*
 * Append all lines of the file, without its byte order mark, each rewritten by
 * `line`. Lines that are not JSON stay as they are. -ESTALE if the entries of
 * the file are not those of the index; -EOPNOTSUPP if a line is no entry of a
 * known type, because the file may then be another program's.
 */
int rewrite_file(const struct session *s, line_rewriter *line, struct buf *out);

#endif
