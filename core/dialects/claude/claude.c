/*
 * Claude Code's transcripts. sessfs appends the place of HEAD to them (head.h);
 * labels are in a sidecar of its own.
 */
#include "core/dialects/claude/branch.h"
#include "core/dialects/claude/claude.h"
#include "core/dialects/claude/context.h"
#include "core/dialects/claude/head.h"
#include "core/dialects/claude/ingest.h"
#include "core/dialects/claude/outputs.h"
#include "core/dialects/claude/leaf.h"
#include "core/dialects/claude/requests.h"
#include "core/dialects/claude/rescue.h"
#include "core/dialects/claude/rules.h"
#include "core/dialects/claude/running.h"
#include "core/dialects/claude/show.h"
#include "core/dialects/claude/subagents.h"

const struct dialect dialect_claude = {
	.name = "claude",
	.agent_faults = {
		.null_line = "Claude Code 2.1.112 loses the lines after it",
		.timeless = "Claude Code 2.1.112 finds no conversation",
		.cycle = "Claude Code 2.0.76 sends nothing",
	},
	.rescue = &claude_rescue,
	.claims = claude_claims,
	.subagents = "subagents",
	.subagent = claude_subagent,
	.subagent_caller = claude_subagent_caller,
	.needs_folder = true,
	.bookkeeping = ENTRY_BIT(ENTRY_SILENT),
	.ingest = claude_ingest,
	.takes_record = claude_takes_record,
	.new_state = claude_state_new,
	.free_state = claude_state_free,
	.find_leaf = claude_find_leaf,
	.unopened = claude_unopened,
	.beside[BESIDE_OWN] = { own_file_path, claude_ingest_sidecar },

	.envelope = claude_envelope,
	.role_or_type = claude_role_or_type,
	.is_typed = claude_is_typed,
	.read_block = block_read_api,
	.blocks = claude_blocks,
	.text = claude_text,
	.outside = claude_outside,
	.outside_all = claude_outside_all,
	.outside_text = claude_outside_text,
	.preview = claude_preview,
	.tokens_before = claude_tokens_before,
	.meta = claude_meta,
	.n_meta = CLAUDE_META_ROWS,
	.usage = claude_usage,
	.context = claude_context,
	.context_grows = true,
	.settings = claude_settings,
	.rules = claude_rules_name,
	.check_requests = claude_check_requests,
	.branch = claude_branch,
	.move_head = claude_move_head,
	.set_label = claude_set_label,
	.head_is_fixed = claude_is_subagent,
	.in_use = claude_in_use,
};
