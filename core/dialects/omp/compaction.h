/*
 * Compactions of oh-my-pi (18.3.4: session-context.ts,
 * compaction/anthropic.ts): what one keeps, and the message that the agent
 * makes of it.
 */
#ifndef SESSFS_OMP_COMPACTION_H
#define SESSFS_OMP_COMPACTION_H

#include "core/session/path.h"

/* No place on the path. */
#define OMP_NOWHERE UINT32_MAX

struct omp_kept {
	uint32_t named; /* the place of the entry that it names as the first */
	uint32_t from;	/* messages from this place up to it are sent */
	/*
	 * When it rewrote the history, in ms. One that Anthropic replays says
	 * just before the next message, whose thinking would be dropped
	 * otherwise.
	 */
	int64_t rewritten_at;
};

/*
 * Has it OpenAI's own history, which only its maker can read? Its summary says
 * nothing then.
 */
bool omp_compaction_is_opaque(struct json entry);

/*
 * Where the messages that a compaction keeps begin: after what its provider
 * replays, or at the entry that it names. Both may be OMP_NOWHERE. `place` is
 * its own place on the path.
 */
struct omp_kept omp_compaction_kept(const struct session *s,
				    const struct path *p, uint32_t place,
				    struct json entry);

/*
 * Append its message: the summary, the blocks of its archive (archive.c), and
 * the payload for the provider, which is OpenAI's own history in place of the
 * messages, or Anthropic's own compaction.
 */
void omp_compaction_message(struct buf *out, struct json entry,
			    int64_t rewritten_at);

#endif
