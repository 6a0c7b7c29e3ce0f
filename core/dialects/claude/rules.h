/*
 * The rules of Claude Code that changed from version to version, and which of
 * them a transcript follows.
 *
 * The newest `version` in a transcript's lines decides: the agent that wrote it
 * last is the one that will most likely resume it. Who writes explicit pins
 * heeds them, and has at least that version. A transcript that names no version
 * follows the newest rules, those of 2.1.332. FORMATS section 6 has the rules;
 * each version here was found by running the agents around it.
 */
#ifndef SESSFS_CLAUDE_RULES_H
#define SESSFS_CLAUDE_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/json/json.h"

struct session;

/* In the order of their versions. */
enum claude_rule {
	/* Local commands are sent. */
	CLAUDE_SENDS_COMMANDS,
	/* Calls of Task are sent with the tool's new name, Agent. */
	CLAUDE_RENAMES_TASK,
	/* A compaction keeps what its preservedSegment names. */
	CLAUDE_KEEPS_SEGMENT,
	/* Parallel results beside the chain are sent. */
	CLAUDE_COMPLETES,
	/* An orphan hangs on the newest line that is no newer. */
	CLAUDE_BRIDGES,
	/* The last line is the leaf, not the one with the newest time. */
	CLAUDE_LEAF_BY_PLACE,
	/* A last-prompt line pins the leaf. */
	CLAUDE_PINS,
	/* A response that says only "(no content)" is not sent. */
	CLAUDE_DROPS_PLACEHOLDERS,
	/* A compaction keeps what its preservedMessages name. */
	CLAUDE_KEEPS_MESSAGES,
	/* Blank texts of the user and thinking of other models are not sent. */
	CLAUDE_DROPS_BLANKS,
	/* A last-prompt line with null pins the place before all entries. */
	CLAUDE_PINS_NOTHING,
	/* What tells of a task is sent as a reminder. */
	CLAUDE_WRAPS_TASKS,
	/* Parallel results are sent in file order. */
	CLAUDE_SORTS_RESULTS,
	/* A first message that has only results of no call leaves a text. */
	CLAUDE_TELLS_OF_RESULTS,
	/* Empty texts beside other blocks of a response are not sent. */
	CLAUDE_DROPS_EMPTY_TEXTS,
	/* Calls at the tip without results are sent. */
	CLAUDE_SENDS_OPEN_CALLS,
	CLAUDE_RULES
};

/*
 * The number of a version like "2.1.330": later ones have higher numbers. 0 for
 * values that are no version.
 */
uint32_t claude_version(struct json version);

/* The first version with a rule. */
uint32_t claude_rule_version(enum claude_rule rule);

/* Does the transcript follow the rule? One without a version follows all. */
bool claude_follows(const struct session *s, enum claude_rule rule);

/*
 * Append the name of the set of rules: the version that brought the last of
 * them.
 */
void claude_rules_name(const struct session *s, struct buf *out);

#endif
