/* Qwen Code's sessions, and the facets that stand beside their functions. */
#ifndef SESSFS_QWEN_H
#define SESSFS_QWEN_H

#include "core/dialects/kit/own_file.h"
#include "core/session/dialect.h"

/* The version whose rules are followed. */
#define QWEN_VERSION "0.24.4"

extern const struct dialect dialect_qwen;

extern const struct dialect_agent qwen_agent;
extern const struct dialect_bases qwen_bases;
extern const struct dialect_home qwen_home;
extern const struct dialect_reading qwen_reading;
extern const struct dialect_receiving qwen_receiving;
extern const struct dialect_resuming qwen_resuming;
extern const struct dialect_sending qwen_sending;
extern const struct dialect_showing qwen_showing;
extern const struct dialect_subagents qwen_subagents;
extern const struct dialect_writing qwen_writing;

/* The session's now.state. */
struct qwen {
	uint32_t other_id; /* the first line with another sessionId; 0: none */
};

/* See struct dialect. */
const char *qwen_claims(struct json line);

/*
 * A further part of an entry: a line with a uuid that an earlier one has. It is
 * an entry below that one, and the parts of its message are sent with it.
 */
static inline bool qwen_is_more(const struct session *s, uint32_t entry)
{
	return session_entry(s, entry)->type == ENTRY_CONTEXT_EDIT;
}

/* The first further part of an entry after another one (INDEX_NONE: of all). */
static inline uint32_t qwen_next_more(const struct session *s, uint32_t entry,
				      uint32_t after)
{
	uint32_t i = after == INDEX_NONE
			     ? session_entry(s, entry)->first_child
			     : session_entry(s, after)->next_sibling;
	while (i != INDEX_NONE && !qwen_is_more(s, i))
		i = session_entry(s, i)->next_sibling;
	return i;
}

/* The entry's branch as a session of its own (dialect_sending.branch). */
int qwen_branch(const struct session *s, uint32_t entry, unsigned nth,
		struct buf *out);

/* What the agent sends (dialect_sending.context). */
int qwen_context(const struct session *s, const struct path *p,
		 struct messages *to);

/* The parts of a message; absent if it has no list of them. */
static inline struct json qwen_parts(struct json message)
{
	struct json parts = json_get(message, "parts");
	return json_type(parts) == JSON_ARRAY ? parts : (struct json){ 0 };
}

/* What its tools make of files. */
extern const struct dialect_filing qwen_filing;

#endif
