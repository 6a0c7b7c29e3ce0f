/*
 * Contexts of Pi's sessions (FORMATS.md, sections 3.3 to 3.5; Pi 1.5.2,
 * buildSessionProjection and convertToLlm).
 */
#ifndef SESSFS_PI_CONTEXT_H
#define SESSFS_PI_CONTEXT_H

#include "core/session/dialect.h"

/* The first entry that a compaction keeps, INDEX_NONE for nothing. */
uint32_t pi_first_kept(const struct session *s, uint32_t entry,
		       struct json compaction);

int pi_context(const struct session *s, const struct path *p,
	       struct messages *to);

/*
 * Parts of that, for relatives. pi_add_message() is convertToLlm of one
 * message, whatever its role; `fill`: content that is null or missing is made
 * empty; `edit`: the context edit of its entry, or absent. The summaries are in
 * the words that frame them; `m` has the time.
 */
void pi_add_message(const struct session *s, struct messages *to,
		    struct json message, bool fill, struct json edit);
void pi_add_branch_summary(struct messages *to, struct json summary,
			   struct message m);
void pi_add_compaction_summary(struct messages *to, struct json summary,
			       struct message m);

/* A message's content; `wrap`: a string is made a text block. */
void pi_set_content(struct message *m, struct json content, bool wrap);

/*
 * The last model and the last thinking level that the path to the leaf sets;
 * "off" if it sets none.
 */
int pi_settings(const struct session *s, uint32_t leaf, struct buf *model,
		struct buf *thinking);

#endif
