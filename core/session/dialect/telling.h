/* What the file `info` tells of a session, besides what all dialects have. */
#ifndef SESSFS_DIALECT_TELLING_H
#define SESSFS_DIALECT_TELLING_H

#include "core/json/json.h"

struct session;

/*
 * What sets a model or a thinking level, for those below it: entries of these
 * types (ENTRY_BIT()), optionally those that may. `at` is the path of what one
 * sets, where that is all; else read() appends it, and returns false if the one
 * above is asked.
 */
struct setting_row {
	uint32_t types; /* 0: nothing does */
	bool (*may)(const struct session *s, uint32_t entry);
	bool (*read)(struct buf *out, struct json entry);
	const char *at;
};

struct dialect_telling {
	/* The second one counts only where no entry sets the first. */
	struct setting_row model[2];
	struct setting_row thinking;
	const char *no_thinking; /* where none is set, for people; or NULL */

	/*
	 * Optional: which moves of HEAD the agent does not see, because they
	 * are kept beside the session; NULL if it sees all.
	 */
	const char *(*unseen_moves)(const struct session *s);
};

/*
 * Append the model and the thinking level that are set on the way to a leaf, if
 * the dialect tells them. 0 or -errno.
 */
int settings_at(const struct session *s, uint32_t leaf, struct buf *model,
		struct buf *thinking);

#endif
