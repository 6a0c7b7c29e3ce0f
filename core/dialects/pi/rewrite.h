/*
 * A whole log with its lines rewritten, as migration does it.
 */
#ifndef SESSFS_REWRITE_H
#define SESSFS_REWRITE_H

#include "core/json/json.h"
#include "core/session/session.h"

/*
 * Append what becomes of a line that is JSON, with its LF. `entry` is its entry
 * in a linear log (pi/state.h), else INDEX_NONE.
 */
typedef void line_rewriter(const struct session *s, uint32_t entry,
			   struct json line, struct buf *out);

/*
 * Append what `line` makes of each line of the file, without a byte order mark;
 * bad lines stay as they are. -ESTALE if the file is not what was indexed.
 */
int rewrite_file(const struct session *s, line_rewriter *line, struct buf *out);

#endif
