/*
 * Qwen Code's sessions: the facets that stand beside their functions, and what
 * files have for the others.
 */
#ifndef SESSFS_QWEN_H
#define SESSFS_QWEN_H

#include "core/dialects/kit/own_file.h"
#include "core/dialects/kit/sending.h"
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

/* The parts of a message; absent if it has no list of them. */
static inline struct json qwen_parts(struct json message)
{
	struct json parts = json_get(message, "parts");
	return json_type(parts) == JSON_ARRAY ? parts : (struct json){ 0 };
}

/* What its tools make of files. */
extern const struct dialect_filing qwen_filing;

/* -- history.c */

/* Of a piece: a part of a content. One with an id has it as a call. */
enum qwen_kind {
	QWEN_TEXT,
	QWEN_THOUGHT,
	QWEN_MEDIUM,
	QWEN_CALL,
	QWEN_RESULT,
};

struct qwen_content {
	bool model; /* else the user */
	bool dropped;
	bool has_parts; /* also such as say nothing */
	bool invalid;	/* (4) */
	bool calls;	/* has calls with ids */
	bool stands_in; /* for an answer that never came */
	uint32_t entry;
	uint32_t first; /* part; the next content's is behind its last one */
};

/* sending.own begins with it. Zeroed at first; the caller frees the contents.
 */
struct qwen_history {
	struct sending *parts;
	struct qwen_content *contents; /* one more, which ends the list */
	uint32_t n;
	/* private */
	size_t cap;
	bool typed; /* the last content may be a command's line */
	bool fails;
};

/* Load the history of the path. */
sending_pass qwen_load_history;

/* Where the turn of the model (4) ends that begins at a content, if one does.
 */
uint32_t qwen_turn_end(const struct qwen_history *h, uint32_t from);

static inline struct json qwen_part_json(const struct qwen_history *h,
					 uint32_t part)
{
	return sending_json(h->parts, &h->parts->list[part]);
}

/* sent_id.flags */
enum {
	QWEN_SENT = 1,	   /* the call's result was */
	QWEN_APPROVED = 2, /* the call's plan was */
};

/* Have a text in the place of each plan that its file still has. */
sending_pass qwen_name_plans;

/* -- pictures.c */

#define QWEN_AGAIN 3

/* Zeroed: all are posted. */
struct qwen_pictures {
	uint32_t end; /* parts before it name their pictures */
	/* Are posted behind the next prompt. */
	struct json again[QWEN_AGAIN];
	uint32_t n;
};

/* Find which are named. 0, -ENOMEM or -EFBIG. */
int qwen_find_pictures(const struct qwen_history *h, struct qwen_pictures *p);

/* Is it a picture of a part, and only named? */
bool qwen_is_named(const struct qwen_pictures *p, uint32_t part,
		   struct json picture);

/* The same, and append what stands in its place. */
bool qwen_add_name(const struct qwen_pictures *p, uint32_t part,
		   struct json picture, struct buf *out);

/* -- draft.c */

/* Zeroed, then begun. */
struct qwen_draft {
	struct json_writer w;	 /* the message's members */
	struct json_writer list; /* its parts */
	/* private */
	struct buf json;
	struct buf parts;
};

void qwen_begin(struct qwen_draft *d, const char *role);
void qwen_drop(struct qwen_draft *d);

/* Add it, as of an entry. 0 or -errno; it is empty again in either case. */
int qwen_end(struct qwen_draft *d, const struct sending *x, uint32_t entry,
	     enum message_role role, struct block result);

/* What the result in a part says: texts, or one where media follow in another
 * message. */
void qwen_write_result(struct qwen_draft *d, const struct qwen_history *h,
		       const struct qwen_pictures *p, uint32_t part);

/* Add the pictures that are posted again. */
void qwen_add_again(struct qwen_draft *d, const struct qwen_pictures *p);

/* A call as it is posted; a medium. */
void qwen_write_call(struct json_writer *w, struct json part);
void qwen_write_medium(struct json_writer *w, struct json part);

/* Is a medium neither a picture nor a video? It is posted as a text. */
bool qwen_is_document(struct json part);

#endif
