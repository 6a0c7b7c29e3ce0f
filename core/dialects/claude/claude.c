/*
 * Claude Code's transcripts. The rules are those of 2.1.332, whichever version
 * wrote the transcript: the agent updates itself. In the order in which they
 * act (sessfs-formats(5)):
 *
 *   1. Which lines are the agent's: claims.c. Which are entries, and how
 *      they hang: ingest.c. An orphan hangs on an older entry:
 *      core/session/bridge.h.
 *   2. What a compaction keeps, and what the agent forgets: chain.c.
 *   3. Where the agent resumes: the last line, a pin, or an open call:
 *      leaf.c.
 *   4. Which lines it goes on from there: chain.c. Their responses
 *      are completed by lines of other branches: response.c.
 *   5. Which of these it sends: sent.c. Attachments: attachment.c.
 *      What it puts into reminders: reminder.c.
 *   6. Which calls are sent, dropped or answered: calls.c.
 *   7. How lines become messages: context.c, which lists the passes. The
 *      user's messages: turn.c. Too many pictures: media.c.
 *
 * Beside the conversation there are sessions of subagents: subagents.c, files
 * with long outputs: outputs.c, and records of what was sent, with which
 * tests/requests compares contexts.
 *
 * A move of HEAD appends the agent's own line: write.c. It is refused
 * while an agent has the session open. Labels are in a sidecar. An
 * entry's branch is a transcript that the agent resumes: branch.c. So is what
 * is made of another agent's conversation: receive.c. Where the agent finds
 * one: home.c. What people see of an entry: show.c. What all of them know of
 * a transcript is in state.h.
 */
#include "core/dialects/claude/state.h"

static const struct dialect_sending sending = {
	.context = claude_context,
	.context_grows = true,
	.branch = claude_branch,
};

static const char *unseen_moves(const struct session *s)
{
	if (!claude_pins(s, false))
		return "all";
	return claude_pins(s, true) ? NULL : "before the first entry";
}

static bool is_response(const struct session *s, uint32_t entry)
{
	return claude_entry(s, entry)->part == CLAUDE_ASSISTANT;
}

static bool read_model(struct buf *out, struct json entry)
{
	struct json model = json_at(entry, SPAN("message.model"));
	if (!json_is(model, SPAN("<synthetic>")))
		json_decode(out, model);
	return out->len > 0;
}

static const struct dialect_telling telling = {
	.model = { { UINT32_MAX, is_response, .read = read_model } },
	.unseen_moves = unseen_moves,
};

/* A sidechain is a conversation of its own. */
static uint32_t side(const struct session *s, uint32_t entry)
{
	return claude_entry(s, entry)->sidechain;
}

static const struct dialect_rescue rescue = {
	.opens = "claude --resume ",
	.opens_with = " --fork-session",
	.id = "uuid",
	.parent = "parentUuid",
	.time = "timestamp",
	.session = "sessionId",
	.needs_time = true,
	.pin = claude_pin,
	.is_line = claude_is_line,
	.side = side,
};

static const struct dialect_agent agent = {
	.faults = {
		.null_line = "Claude Code 2.1.112 loses the lines after it",
		.timeless = "Claude Code 2.1.112 finds no conversation",
		.cycle = "Claude Code 2.0.76 sends nothing",
	},
	.unopened = claude_unopened,
	.depth = 2, /* projects/NAME/ID.jsonl */
	.refuses = "Claude Code has this session open and would go on from its "
		   "own place: quit it, or mount with -o force",
};

/* Each line has the working directory of its own. */
static const struct dialect_touching touching = { .dir = "cwd" };

const struct dialect dialect_claude = {
	.name = "claude",
	.claims = claude_claims,
	.reading = &claude_reading,
	.showing = &claude_showing,
	.sending = &sending,
	.telling = &telling,
	.writing = &claude_writing,
	.agent = &agent,
	.home = &claude_home,
	.bases = &claude_bases,
	.subagents = &claude_subagents,
	.outside = &claude_outside,
	.adding = &claude_adding,
	.rescue = &rescue,
	.touching = &touching,
	.filing = &claude_filing,
	.resuming = &claude_resuming,
	.receiving = &claude_receiving,
};
