/*
 * What a session itself has used: not the answers that it has a copy of, from
 * the session that it was forked from (dialect_bases), or that are in that.
 *
 * Lines are told by what dialect_showing.usage() says of them: a response, or a
 * copy of a line with the same usage. Only the session's own base is looked at,
 * which has what its base has in turn. What the base has besides does not
 * matter. All counts if the base is not there or can't be read, and in sessions
 * that would be their own ancestors.
 */
#ifndef SESSFS_OWN_USAGE_H
#define SESSFS_OWN_USAGE_H

#include "core/session/session.h"

struct usage;

/*
 * The sum of a session that is entered and goes on from the one with this id
 * (empty: from none). Appends the path of the base if something of it was left
 * out, and says whether there is no base of which something could be. Opens the
 * base and reads both files. -ENOMEM, an error of fault_is_shortage(), or
 * -ESTALE if the file was rewritten.
 */
int own_usage(const struct session *s, struct span base_id, struct usage *sum,
	      struct buf *base, bool *lacks_base);

#endif
