/*
 * Contexts of Pi's sessions, as buildSessionProjection() and convertToLlm() in
 * Pi 1.5.2 make them.
 */
#ifndef SESSFS_PI_CONTEXT_H
#define SESSFS_PI_CONTEXT_H

#include "core/session/dialect.h"

/* The first entry that a compaction keeps; INDEX_NONE if it keeps none. */
uint32_t pi_first_kept(const struct session *s, uint32_t entry,
		       struct json compaction);

int pi_context(const struct session *s, const struct path *p,
	       struct messages *to);

/*
 * Parts of pi_context(), for relatives. pi_add_message() is convertToLlm() of
 * one message of any role. `fill`: content that is null or missing becomes
 * empty. `edit`: the context edit of its entry, or absent. The summaries are
 * put into Pi's sentences; `m` has the time.
 */
void pi_add_message(const struct session *s, struct messages *to,
		    struct json message, bool fill, struct json edit);
void pi_add_branch_summary(struct messages *to, struct json summary,
			   struct message m);
void pi_add_compaction_summary(struct messages *to, struct json summary,
			       struct message m);

/* Set a message's content. `wrap`: a string becomes a text block. */
void pi_set_content(struct message *m, struct json content, bool wrap);

/*
 * Append the last model and the last thinking level that are set on the path to
 * the leaf; "off" if no level is.
 */
int pi_settings(const struct session *s, uint32_t leaf, struct buf *model,
		struct buf *thinking);

#endif
