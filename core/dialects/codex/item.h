/*
 * The items of a Codex rollout: what the agent sends to the model, as the
 * Responses API has them. They are in lines of type response_item, and in the
 * lists of compactions.
 *
 * The agent decodes an item into a structure of its type (item.c) and posts
 * that again. So unknown members are dropped, and codex_item_write()
 * (posted.c) writes what is left, as 0.171.0 posts it to a provider of its
 * configuration:
 *
 *   - without `metadata`, `internal_chat_message_metadata_passthrough`, and
 *     `encrypted_content` where that is not the content itself
 *   - without members that are null, but for those that are null when they are
 *     missing, too: encrypted_content and content of reasoning, the call_id of
 *     some calls, and the members of a shell's action
 *   - with an `id` only if it has a prefix: msg_1
 *   - with pictures and sounds as in medium.c
 *   - with compaction_summary as another name of compaction
 *
 * The agent also scales pictures of more than 2048 pixels, makes PNGs of GIFs,
 * and cuts long outputs as its model wants it. That is not done here, but for
 * what outputs in lines always lose: texts that are empty, and sounds that are
 * files of the API, of which a text behind says how many there were.
 */
#ifndef SESSFS_CODEX_ITEM_H
#define SESSFS_CODEX_ITEM_H

#include "core/session/message.h"

enum codex_item_type {
	CODEX_NO_ITEM, /* it says none */
	CODEX_OTHER,   /* of a type that it does not know, or never sends */
	CODEX_MESSAGE,
	CODEX_AGENT_MESSAGE,
	CODEX_REASONING,
	CODEX_SHELL_CALL,
	CODEX_FUNCTION_CALL,
	CODEX_SEARCH_CALL,
	CODEX_CUSTOM_CALL,
	CODEX_FUNCTION_OUTPUT,
	CODEX_SEARCH_OUTPUT,
	CODEX_CUSTOM_OUTPUT,
	CODEX_WEB_SEARCH,
	CODEX_IMAGE,
	CODEX_COMPACTION,
	CODEX_CONTEXT_COMPACTION,
	CODEX_TOOLS,
};

/* What a member has to be, and how it is written. */
enum codex_rule {
	RULE_TEXT,	    /* a string */
	RULE_MAYBE_TEXT,    /* a string, null or missing */
	RULE_NULL_TEXT,	    /* the same; null where it is missing */
	RULE_HIDDEN_TEXT,   /* the same; never written */
	RULE_HIDDEN_TEXTS,  /* an array of strings, null or missing; never
			       written */
	RULE_ANY,	    /* any value, null if it is missing */
	RULE_VALUES,	    /* an array of any values */
	RULE_PHASE,	    /* of a message, null or missing */
	RULE_SHELL_STATUS,  /* of a shell's call */
	RULE_CONTENT,	    /* parts of a message */
	RULE_AGENT_CONTENT, /* parts of an agent's message */
	RULE_OUTPUT,	    /* a string, or parts */
	RULE_SUMMARIES,	    /* of reasoning */
	RULE_THOUGHTS,	    /* of reasoning: parts, null or missing */
	RULE_SHELL_ACTION,
	RULE_SEARCH_ACTION, /* null or missing, or an object with a type */
};

#define CODEX_MOST_MEMBERS 8

/* A type of items. Each has an id, too. */
struct codex_item_row {
	struct span type_name;
	enum codex_item_type type;
	enum message_role role; /* of messages, their own role counts */
	struct codex_member {
		const char *name;
		enum codex_rule rule;
	} members[CODEX_MOST_MEMBERS];
};

/* The row of an item; NULL for a type that is never sent. */
const struct codex_item_row *codex_item_row(struct json item);

/* Read the members of a row. Returns how many it has. */
size_t codex_item_members(const struct codex_item_row *row, struct json item,
			  struct json values[]);

/* The type that a value says it has; CODEX_NO_ITEM if it says none. */
enum codex_item_type codex_item_type(struct json item);

/* Whose message it is; the system's if nobody says it. */
enum message_role codex_role(struct json item);

/* Has it all that the agent's decoder asks of an item of its type? */
bool codex_item_decodes(struct json item);

/*
 * Write an item that the agent decodes. One of CODEX_OTHER is written as
 * the agent posts it where it is in a list. `listed`: it is in one.
 */
void codex_item_write(struct json_writer *w, struct json item, bool listed);

/* Write a text, or a string, as a part of a message's content. */
void codex_write_text(struct json_writer *w, struct span text);
void codex_write_quoted(struct json_writer *w, struct json text);

#endif
