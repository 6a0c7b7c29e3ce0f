/*
 * Claude Code's transcripts. sessfs appends the place of HEAD to them (head.h);
 * labels are in a sidecar of its own.
 */
#include "core/dialects/claude/branch.h"
#include "core/dialects/claude/claude.h"
#include "core/dialects/claude/context.h"
#include "core/dialects/claude/write.h"
#include "core/dialects/claude/ingest.h"
#include "core/dialects/claude/outputs.h"
#include "core/dialects/claude/leaf.h"
#include "core/dialects/claude/requests.h"
#include "core/dialects/claude/rescue.h"
#include "core/dialects/claude/agent.h"
#include "core/dialects/claude/show.h"
#include "core/dialects/claude/subagents.h"

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
	.envelope = claude_envelope,
	.role_or_type = claude_role_or_type,
	.is_typed = claude_is_typed,
	.read_block = block_read_api,
	.blocks = claude_blocks,
	.text = claude_text,
	.preview = claude_preview,
	.meta = claude_meta,
	.usage = claude_usage,
};

static const struct dialect_sending sending = {
	.context = claude_context,
	.context_grows = true,
	.check_requests = claude_check_requests,
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

static const struct dialect_agent agent = {
	.faults = {
		.null_line = "Claude Code 2.1.112 loses the lines after it",
		.timeless = "Claude Code 2.1.112 finds no conversation",
		.cycle = "Claude Code 2.0.76 sends nothing",
	},
	.unopened = claude_unopened,
	.in_use = claude_in_use,
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

const struct dialect dialect_claude = {
	.name = "claude",
	.claims = claude_claims,
	.reading = &reading,
	.showing = &showing,
	.sending = &sending,
	.telling = &telling,
	.writing = &writing,
	.agent = &agent,
	.subagents = &subagents,
	.outside = &outside,
	.rescue = &claude_rescue,
};
