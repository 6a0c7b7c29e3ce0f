/*
 * The lines of Claude Code, and the state that sessfs keeps of them in
 * now.state of the session.
 *
 * A line with a uuid is an entry, whatever its type. A line without is
 * metadata: titles and pins are stored, all else is skipped. A transcript has
 * no header, so now.header is made of the session's id, directory, start and
 * origin, which its lines repeat.
 */
#ifndef SESSFS_CLAUDE_INGEST_H
#define SESSFS_CLAUDE_INGEST_H

#include "core/dialects/claude/outputs.h"
#include "core/dialects/claude/subagents.h"
#include "core/dialects/kit/ingest.h"

/* The part of an entry in the conversation. */
enum claude_part {
	CLAUDE_LINK, /* system, progress, attachment, unknown: not sent */
	CLAUDE_BOUNDARY,
	CLAUDE_USER,
	CLAUDE_RESULT, /* the user's, with results of tools */
	CLAUDE_ASSISTANT,
};

/* An entry; its number is that in the index. */
struct claude_entry {
	uint32_t response; /* a number for message.id; 0: none */
	uint32_t speaker;  /* the nearest user or assistant upwards */
	uint8_t part;	   /* enum claude_part */
	bool sidechain;
	bool followed; /* it has a child that is not on a sidechain */
};

/* The last title of each kind is kept. The first kind that is set counts. */
enum claude_title {
	CLAUDE_CUSTOM_TITLE,
	CLAUDE_AI_TITLE,
	CLAUDE_SUMMARY,
	CLAUDE_TITLES
};

/* The members of now.header. The first value of each counts. */
enum claude_fact {
	CLAUDE_ID,
	CLAUDE_CWD,
	CLAUDE_TIMESTAMP,
	CLAUDE_PARENT_SESSION,
	CLAUDE_FACTS
};

/* The sidecar as it was read (claude/sidecar.h). */
struct claude_sidecar {
	bool damaged;	  /* it exists and is not valid */
	struct buf bytes; /* the values below borrow them */
	struct json object;
	struct json head; /* null: before the first entry; absent: not moved */
	struct json leaf; /* of the transcript when HEAD was moved */
	struct json labels;
};

/* The state of claude_find_leaf() (claude/leaf.c). */
struct claude_leaf {
	uint32_t settled; /* entries before this one have been processed */
	uint32_t relinks; /* index.relinks and now.redefined_ids, as they were
			     then */
	uint32_t redefined_ids;
	uint32_t newest; /* the newest speaker of a tip */
	uint32_t own;	 /* the transcript's leaf, without the sidecar */
};

struct claude {
	struct claude_entry *entries;
	uint32_t n;
	size_t cap;
	struct buf ids;	      /* of responses, each after its length */
	struct idtable table; /* responses by id */
	struct buf titles[CLAUDE_TITLES]; /* JSON */
	struct buf facts[CLAUDE_FACTS];	  /* JSON */
	struct buf pin;			  /* a uuid */
	bool pinned;
	uint32_t version; /* the newest of all lines (claude/rules.h); 0: none
			   */
	struct claude_subagents subagents;
	struct claude_outputs outputs;
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
 * Is logicalParentUuid the parent of the entry? A boundary is a root to the
 * agent; here it is a child of the last entry that it cuts off.
 */
bool claude_joins(enum claude_part part, struct json parent_uuid);

/* Is it a line of a user or the assistant? */
static inline bool claude_speaks(const struct claude_entry *e)
{
	return e->part >= CLAUDE_USER;
}

#endif
