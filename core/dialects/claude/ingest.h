/*
 * The lines of Claude Code (FORMATS.md, section 6.1), and what they leave
 * behind: now.state of the session.
 *
 * A line with a uuid is an entry, whatever its type. One without is metadata:
 * titles and pins are remembered, the rest is passed over. What lines say of
 * the session as a whole (its id, where it ran, what it was forked from) is
 * put together as now.header.
 */
#ifndef SESSFS_CLAUDE_TAKE_H
#define SESSFS_CLAUDE_TAKE_H

#include "core/dialects/kit/ingest.h"

/* What an entry is in the conversation. */
enum claude_part {
	CLAUDE_LINK, /* system, progress, attachment, unknown: not sent */
	CLAUDE_BOUNDARY,
	CLAUDE_USER,
	CLAUDE_RESULT, /* the user's, with results of tools */
	CLAUDE_ASSISTANT,
};

/* Beside an entry in the index, under the same number. */
struct claude_entry {
	uint32_t response; /* of an assistant's line; 0: it is one by itself */
	uint32_t speaker;  /* the nearest user or assistant, from here up */
	uint8_t part;	   /* enum claude_part */
	bool sidechain;
	bool followed; /* it has a child that is on no sidechain */
};

/* Of each kind of title the last. The first kind that there is counts. */
enum claude_title {
	CLAUDE_CUSTOM_TITLE,
	CLAUDE_AI_TITLE,
	CLAUDE_SUMMARY,
	CLAUDE_TITLES
};

/* As the members of a header; the first of each. */
enum claude_fact {
	CLAUDE_ID,
	CLAUDE_CWD,
	CLAUDE_TIMESTAMP,
	CLAUDE_PARENT_SESSION,
	CLAUDE_FACTS
};

/* The sidecar as it was read (claude/sidecar.h). */
struct claude_sidecar {
	bool damaged;	  /* it is there, and can't be read as one */
	struct buf bytes; /* which the rest points into */
	struct json object;
	struct json head; /* null: before the first entry; absent: not moved */
	struct json leaf; /* of the transcript when HEAD was moved */
	struct json labels;
};

/* What claude_find_leaf() keeps up to date (claude/leaf.c). */
struct claude_leaf {
	uint32_t settled; /* entries before this one are seen to */
	uint32_t relinks; /* index.relinks and now.redefined_ids, as they were
			     then */
	uint32_t redefined_ids;
	uint32_t newest; /* of what the tips stand for */
	uint32_t own;	 /* the transcript's leaf, whatever the sidecar says */
};

struct claude {
	struct claude_entry *entries;
	uint32_t n;
	size_t cap;
	struct buf ids;	      /* of responses: a length and the bytes, each */
	struct idtable table; /* of them, by id */
	struct buf titles[CLAUDE_TITLES]; /* JSON */
	struct buf facts[CLAUDE_FACTS];	  /* JSON */
	struct buf pin;			  /* a uuid */
	bool pinned;
	struct claude_leaf leaf;
	struct claude_sidecar sidecar;
};

const char *claude_claims(struct json line);
int claude_ingest(struct session *s, struct json line,
		  const struct line_place *at);

void *claude_state_new(void);
void claude_state_free(void *state);

static inline const struct claude_entry *claude_entry(const struct session *s,
						      uint32_t entry)
{
	const struct claude *c = s->now.state;
	return &c->entries[entry];
}

/*
 * Is the entry's parent what logicalParentUuid says? A boundary is a root for
 * its owner; the tree goes on at what it cut off.
 */
bool claude_joins(enum claude_part part, struct json parent_uuid);

/* Does a user or the assistant say something there? */
static inline bool claude_speaks(const struct claude_entry *e)
{
	return e->part >= CLAUDE_USER;
}

#endif
