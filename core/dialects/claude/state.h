/* What sessfs keeps of a transcript, in now.state of the session. */
#ifndef SESSFS_CLAUDE_STATE_H
#define SESSFS_CLAUDE_STATE_H

#include "core/base/idset.h"
#include "core/dialects/claude/claude.h"
#include "core/dialects/kit/ingest.h"
#include "core/dialects/kit/own_file.h"

/* The part of an entry in the conversation. */
enum claude_part {
	CLAUDE_LINK,	/* progress and unknown: never sent */
	CLAUDE_SYSTEM,	/* never sent either, but may be the leaf */
	CLAUDE_COMMAND, /* a local command, of type system, not isDisplayOnly */
	CLAUDE_ATTACHMENT,
	CLAUDE_BOUNDARY,
	CLAUDE_USER,
	CLAUDE_RESULT, /* the user's, with results of tools */
	CLAUDE_ASSISTANT,
};

/* An entry; its number is that in the index. */
struct claude_entry {
	uint32_t response; /* a number for message.id, from 1; 0: none */
	uint32_t speaker;  /* the nearest user or assistant upwards */
	uint32_t tools;	   /* where in now.state's those of its calls, or of its
			      results, begin: as many as these */
	uint8_t calls;	   /* of tools in it, at most 255 */
	uint8_t results;   /* the same */
	uint8_t answers;   /* the results of its children, at most 255 */
	enum claude_part part : 3;
	bool sidechain : 1;
	bool silent : 1;   /* nothing is sent for it, whatever the chain */
	bool wordless : 1; /* it has only thinking and blank texts */
	bool keeps : 1;	   /* a boundary that says what to keep */
	bool kept : 1;	   /* by now.state's kept */
};

/* The newest last-prompt line, unless a boundary follows it
 * (sessfs-formats(5)). */
enum claude_pin {
	CLAUDE_NO_PIN,
	CLAUDE_PLAIN, /* counts if it is off the conversation */
	CLAUDE_EXPLICIT,
};

/* The last title of each kind is kept. The first kind that is set counts. */
enum claude_title {
	CLAUDE_CUSTOM_TITLE,
	CLAUDE_AI_TITLE,
	CLAUDE_SUMMARY,
	CLAUDE_TITLES
};

/* The lines that have them, by kind. */
extern const struct claude_title_row {
	struct span type;
	const char *member;
} claude_titles[CLAUDE_TITLES];

/*
 * The members of now.header. The first value of each counts, but for the
 * directory: it is the one that the session has moved to last.
 */
enum claude_fact {
	CLAUDE_ID,
	CLAUDE_CWD,
	CLAUDE_TIMESTAMP,
	CLAUDE_PARENT_SESSION,
	CLAUDE_FACTS
};

/*
 * What a compaction keeps of the messages before it, and where
 * (sessfs-formats(5)). To the agent the first of them is a child of the anchor,
 * each other one a child of the one before it, and the anchor's own children
 * are those of the last one.
 */
struct claude_kept {
	uint32_t boundary; /* or INDEX_NONE */
	uint32_t anchor;   /* or INDEX_NONE */
	uint32_t last;	   /* or INDEX_NONE if none is kept */
	struct claude_kept_place {
		uint32_t entry;
		uint32_t parent;
	} * places; /* by entry */
	uint32_t n;
};

/* The state of claude_find_leaf() (claude/leaf.c). */
struct claude_leaf {
	uint32_t settled; /* entries before this one have been processed */
	uint32_t relinks; /* index.relinks and now.redefined_ids, as they were
			     then */
	uint32_t redefined_ids;
	uint32_t last; /* the line of the main chain that rule 1 chooses */
	uint32_t side; /* the same on sidechains */
	uint32_t own;  /* the transcript's leaf, without the sidecar */
};

/* The files that outputs.c has found, by entry. */
struct claude_outputs {
	struct claude_output {
		uint32_t entry;
		uint32_t name; /* where in names; ends with a NUL */
		uint64_t seen; /* struct outside; of the entry's first one */
	} * list;
	size_t n;
	size_t cap;
	struct buf names;
};

struct claude {
	struct claude_entry *entries;
	uint32_t n;
	size_t cap;
	/* The ids of calls, in calls and results: hashes, which are the same
	   on the same side (sidechain or not). */
	uint32_t *tools;
	size_t n_tools;
	size_t cap_tools;
	struct idset responses;		  /* by message.id */
	struct buf titles[CLAUDE_TITLES]; /* JSON */
	struct buf facts[CLAUDE_FACTS];	  /* JSON */
	enum claude_pin pinned;
	struct buf pin; /* a uuid; empty: before the first entry */
	/* The last boundary, and the last that says what to keep. */
	uint32_t boundary;
	uint32_t keeper;
	struct buf keeping; /* the keeper's compactMetadata, as JSON */
	struct claude_kept kept;
	bool prunes; /* the agent forgets what precedes kept.boundary */
	/* For write.c: the newest version that lines name (0: none), and
	   whether a line pins the leaf as only agents do that honour pins. */
	uint64_t version;
	bool pins;
	struct claude_outputs outputs;
	struct claude_leaf leaf;
};

static inline const struct claude_entry *claude_entry(const struct session *s,
						      uint32_t entry)
{
	const struct claude *c = s->now.state;
	return &c->entries[entry];
}

/* Can the line be the leaf, or end a pin? */
static inline bool claude_is_main(const struct claude_entry *e)
{
	return e->part != CLAUDE_LINK && !e->sidechain;
}

/* Is it a line of a user or the assistant? */
static inline bool claude_speaks(const struct claude_entry *e)
{
	return e->part >= CLAUDE_USER;
}

/*
 * Is logicalParentUuid the parent of the entry? A boundary is a root to the
 * agent; here it is a child of the last entry that it cuts off.
 */
static inline bool claude_joins(enum claude_part part, struct json parent_uuid)
{
	return part == CLAUDE_BOUNDARY && !json_has_text(parent_uuid);
}

#endif
