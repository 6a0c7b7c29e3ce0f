/*
 * Qwen Code's chats (sessfs-formats(5)), by the rules of 0.24.4. In the order
 * in which they act:
 *
 *   home      Where a chat and its subagents are, who has it open, and how
 *             it is resumed.
 *   ingest    Which lines are records, how they hang, and the leaf.
 *   show      Roles, contents and `meta` of entries.
 *   history   Which messages the agent goes on from: compressions, commands.
 *   context   What it posts of them.
 *   write     Moves of HEAD, messages, names; an entry's branch as a chat.
 *   receive   What another agent's conversation is as a chat.
 *
 * Labels are in a file of sessfs's own (kit/own_file.h).
 */
#include "core/dialects/qwen/qwen.h"

static int settings(const struct session *s, uint32_t leaf, struct buf *model,
		    struct buf *thinking)
{
	struct buf line = { 0 };
	struct json json;
	int err = 0;
	(void)thinking;
	for (; !err && leaf != INDEX_NONE && model->len == 0;
	     leaf = session_entry(s, leaf)->parent) {
		if (session_entry(s, leaf)->type != ENTRY_MESSAGE)
			continue;
		err = session_read(s, leaf, &line, &json);
		if (!err)
			json_decode(model, json_get(json, "model"));
	}
	buf_free(&line);
	return err ? err : buf_error(model);
}

static const struct dialect_telling telling = { .settings = settings };

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
