/*
 * Claude Code's transcripts. The rules are those of 2.1.332, whichever version
 * wrote the transcript: the agent updates itself. In the order in which they
 * act (sessfs-formats(5)):
 *
 *   1. Which lines are the agent's: claims.c. Which are entries, and how
 *      they hang: ingest.c. An orphan hangs on an older entry:
 *      core/session/bridge.h.
 *   2. What a compaction keeps, and what the agent forgets: kept.c.
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
 * while an agent has the session open: agent.c. Labels are in a sidecar. An
 * entry's branch is a transcript that the agent resumes: branch.c. So is what
 * is made of another agent's conversation: receive.c. Where the agent finds
 * one: resume.c. What people see of an entry: show.c. What all of them know of
 * a transcript is in state.h.
 */
#include "core/dialects/claude/agent.h"
#include "core/dialects/claude/branch.h"
#include "core/dialects/claude/claims.h"
#include "core/dialects/claude/claude.h"
#include "core/dialects/claude/context.h"
#include "core/dialects/claude/home.h"
#include "core/dialects/claude/ingest.h"
#include "core/dialects/claude/leaf.h"
#include "core/dialects/claude/outputs.h"
#include "core/dialects/claude/receive.h"
#include "core/dialects/claude/resume.h"
#include "core/dialects/claude/show.h"
#include "core/dialects/claude/subagents.h"
#include "core/dialects/claude/typed.h"
#include "core/dialects/claude/write.h"
#include "core/dialects/kit/parent.h"

static const struct dialect_reading reading = {
	.bookkeeping = ENTRY_BIT(ENTRY_SILENT),
	.ingest = claude_ingest,
	.takes_record = claude_takes_record,
	.new_state = claude_state_new,
	.free_state = claude_state_free,
	.find_leaf = claude_find_leaf,
	.beside[BESIDE_OWN] = { own_file_path, claude_ingest_sidecar },
};

static const struct dialect_showing showing = {
	.rows = &claude_lines,
	.envelope = claude_envelope,
	.role_or_type = claude_role_or_type,
	.is_typed = claude_is_typed,
	.typed = claude_typed,
	.one_text_entitles = true,
	.is_said = claude_is_said,
	.read_block = block_read_api,
	.text = claude_text,
	.preview = claude_preview,
	.meta = claude_meta,
	.usage = claude_usage,
	.total = CLAUDE_COST_STATE,
};

static const struct dialect_sending sending = {
	.context = claude_context,
	.context_grows = true,
	.branch = claude_branch,
};

static const struct dialect_telling telling = {
	.settings = claude_settings,
	.unseen_moves = claude_unseen_moves,
};

static const struct dialect_writing writing = {
	.needs_folder = true,
	.move_head = claude_move_head,
	.set_label = claude_set_label,
	.head_is_fixed = claude_is_subagent,
};

static const struct dialect_resuming resuming = {
	.program = "claude",
	.opens = "--resume",
	.forks = "--resume",
	.forks_with = "--fork-session",
	.add_name = claude_add_name,
	.sees_head = claude_sees_head,
	.find_copy = claude_find_copy,
};

static const struct dialect_agent agent = {
	.faults = {
		.null_line = "Claude Code 2.1.112 loses the lines after it",
		.timeless = "Claude Code 2.1.112 finds no conversation",
		.cycle = "Claude Code 2.0.76 sends nothing",
	},
	.unopened = claude_unopened,
	.in_use = claude_in_use,
	.process = claude_process,
};

static const struct dialect_subagents subagents = {
	.folder = "subagents",
	.add_name = claude_subagent,
	.caller = claude_subagent_caller,
};

static const struct dialect_outside outside = {
	.of_entry = claude_outside,
	.of_all = claude_outside_all,
	.add_text = claude_outside_text,
};

/* A fork is a copy. The first line of the assistant tells, or one before it. */
static int read_origin(struct json line, struct buf *out)
{
	json_decode(out, claude_origin(line));
	return out->len > 0 ||
	       json_is(json_get(line, "type"), SPAN("assistant"));
}

static int base_id(const struct log *log, struct buf *out)
{
	int err = parent_read(log, read_origin, out);
	return err ? err : out->len > 0;
}

static const struct dialect_bases bases = {
	.file_id = parent_file_id,
	.base_id = base_id,
	.find_file = parent_find_beside,
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

static const struct tool_row tools[] = {
	{ "Bash", TOOL_SHELL, FILE_NONE, NULL },
	{ "BashOutput", TOOL_SHELL, FILE_NONE, NULL },
	{ "PowerShell", TOOL_SHELL, FILE_NONE, NULL },
	{ "Edit", TOOL_EDIT, FILE_EDIT, NULL },
	{ "MultiEdit", TOOL_EDIT, FILE_EDIT, NULL },
	{ "Write", TOOL_EDIT, FILE_WRITE, NULL },
	{ "NotebookEdit", TOOL_EDIT, FILE_EDIT, "notebook_path" },
	{ "Read", TOOL_READ, FILE_READ, NULL },
	{ "NotebookRead", TOOL_READ, FILE_READ, "notebook_path" },
	{ "Grep", TOOL_SEARCH, FILE_TOUCH, NULL },
	{ "Glob", TOOL_SEARCH, FILE_TOUCH, NULL },
	{ "LS", TOOL_SEARCH, FILE_TOUCH, NULL },
	{ "WebFetch", TOOL_WEB, FILE_NONE, NULL },
	{ "WebSearch", TOOL_WEB, FILE_NONE, NULL },
	{ 0 },
};

/* Each line has the working directory of its own. */
static const struct dialect_touching touching = { .dir = "cwd" };

const struct dialect dialect_claude = {
	.name = "claude",
	.claims = claude_claims,
	.reading = &reading,
	.showing = &showing,
	.sending = &sending,
	.telling = &telling,
	.writing = &writing,
	.agent = &agent,
	.home = &claude_home,
	.bases = &bases,
	.subagents = &subagents,
	.outside = &outside,
	.adding = &claude_adding,
	.rescue = &rescue,
	.tools = tools,
	.touching = &touching,
	.resuming = &resuming,
	.receiving = &claude_receiving,
};
