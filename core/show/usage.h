/*
 * What a session has used: tokens, and money as far as the agent noted it.
 *
 * Sums are those of the agents: each line that dialect_showing.usage() counts
 * adds to them. A response that is written in several lines, each with its
 * usage so far, counts once, with the most that one of them says, wherever they
 * are.
 *
 * Nothing is read before the first question, unless the opener of the session
 * asks for the total (usage_ingest). What was summed is kept (derived.h), so
 * that an append costs what it appends. A reader that asks while another one is
 * summing waits for it.
 *
 * Errors are -ENOMEM, and those of reading; -ESTALE if the file was rewritten.
 */
#ifndef SESSFS_USAGE_H
#define SESSFS_USAGE_H

#include "core/session/dialect/showing.h"
#include "core/session/session.h"

/*
 * The sum of all lines. The first call reads the file once. Only lines that may
 * count are parsed. Costs 40 bytes of memory for each response that has an id
 * (Claude Code's), and nothing for other entries.
 */
int usage_total(const struct session *s, struct usage *sum);

/*
 * session_opening.ingested of an opener that asks for the total: add a line to
 * it while it is ingested, so that usage_total() need not read it again. 0 or
 * -ENOMEM.
 */
int usage_ingest(const struct session *s, struct json line);

/*
 * The sum of the lines of a session that are no copies of lines of another one
 * (dialect_showing.usage()), its base. Both are entered. Reads both files, and
 * keeps nothing.
 */
int usage_beyond(const struct session *s, const struct session *base,
		 struct usage *sum);

/*
 * The sum from the root to an entry (INDEX_NONE: zeroes). `line` is the
 * entry's, if the caller has it, or absent. Reads the lines on the way to the
 * nearest ancestor whose sum is kept, so asking for all entries in file order
 * reads none twice. Costs 24 bytes of memory an entry from the first call on,
 * and some 60 more for each entry whose response has an id.
 */
int usage_to(const struct session *s, uint32_t entry, struct json line,
	     struct usage *sum);

/* Append a cost with six decimals at most, as many as the agents show. */
void usage_add_cost(struct buf *out, double cost);

/* Append "PREFIX-tokens" and "PREFIX-cost" lines, each unless it is 0. */
void usage_add_lines(struct buf *out, const char *prefix,
		     const struct usage *sum);

/* Add a number to a sum, unless it is none, or negative. */
void usage_add(double *sum, struct json number);

/*
 * own_usage.c: what a session itself has used: not the answers that it has a
 * copy of, from the session that it was forked from (dialect_bases), or that
 * are in that.
 *
 * Lines are told by what dialect_showing.usage() says of them: a response, or a
 * copy of a line with the same usage. Only the session's own base is looked at,
 * which has what its base has in turn. What the base has besides does not
 * matter. All counts if the base is not there or can't be read, and in sessions
 * that would be their own ancestors.
 *
 * The sum of a session that is entered and goes on from the one with this id
 * (empty: from none). Appends the path of the base if something of it was left
 * out, and says whether there is no base of which something could be. Opens the
 * base and reads both files. -ENOMEM, an error of fault_is_shortage(), or
 * -ESTALE if the file was rewritten.
 */
int own_usage(const struct session *s, struct span base_id, struct usage *sum,
	      struct buf *base, bool *lacks_base);

#endif
