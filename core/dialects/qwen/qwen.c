/*
 * Qwen Code's chats (sessfs-formats(5)), by the rules of 0.24.4. In the order
 * in which they act:
 *
 *   home      Where a chat and its subagents are, who has it open, and how
 *             it is resumed.
 *   ingest    Which lines are records, how they hang, and the leaf.
 *   show      Roles, contents and `meta` of entries.
 *   history   Which messages the agent goes on from: compressions, commands.
 *   pictures  Which of their pictures it names, and does not post.
 *   context   What it posts of them, message by message (draft).
 *   write     Moves of HEAD, messages, names; an entry's branch as a chat.
 *   receive   What another agent's conversation is as a chat.
 *
 * Labels are in a file of sessfs's own (kit/own_file.h).
 */
#include "core/dialects/qwen/qwen.h"

static bool read_model(struct buf *out, struct json entry)
{
	json_decode(out, json_get(entry, "model"));
	return out->len > 0;
}

static const struct dialect_telling telling = {
	.model = { { ENTRY_BIT(ENTRY_MESSAGE), .read = read_model } },
};

static const struct dialect_touching touching = { .dir = "cwd" };

static const struct dialect_adding adding = { 0 };

static bool is_line(struct json object)
{
	return qwen_claims(object) != NULL;
}

static const struct dialect_rescue rescue = {
	.opens = "qwen --resume ",
	.opens_with = " --fork-session",
	.id = "uuid",
	.parent = "parentUuid",
	.time = "timestamp",
	.session = "sessionId",
	.leaf_is_last = true,
	.is_line = is_line,
};

const struct dialect dialect_qwen = {
	.name = "qwen",
	.claims = qwen_claims,
	.reading = &qwen_reading,
	.showing = &qwen_showing,
	.sending = &qwen_sending,
	.telling = &telling,
	.writing = &qwen_writing,
	.agent = &qwen_agent,
	.home = &qwen_home,
	.bases = &qwen_bases,
	.subagents = &qwen_subagents,
	.adding = &adding,
	.rescue = &rescue,
	.touching = &touching,
	.filing = &qwen_filing,
	.resuming = &qwen_resuming,
	.receiving = &qwen_receiving,
};
