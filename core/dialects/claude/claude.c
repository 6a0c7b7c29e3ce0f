/*
 * Claude Code's transcripts (FORMATS.md, section 6). The transcript is only
 * read: HEAD and labels are in a sidecar of sessfs's own.
 */
#include "core/dialects/claude/branch.h"
#include "core/dialects/claude/claude.h"
#include "core/dialects/claude/context.h"
#include "core/dialects/claude/ingest.h"
#include "core/dialects/claude/leaf.h"
#include "core/dialects/claude/show.h"
#include "core/dialects/claude/sidecar.h"

const struct dialect dialect_claude = {
	.name = "claude",
	.claims = claude_claims,
	.needs_folder = true,
	.take = claude_take,
	.settle = claude_settle,
	.sidecar = CLAUDE_SIDECAR_SUFFIX,
	.take_sidecar = claude_take_sidecar,

	.envelope = claude_envelope,
	.kind = claude_kind,
	.read_block = block_read_api,
	.blocks = claude_blocks,
	.preview = claude_preview,
	.meta = claude_meta,
	.n_meta = CLAUDE_META_ROWS,
	.context = claude_context,
	.context_grows = true,
	.settings = claude_settings,
	.branch = claude_branch,
	.move_head = claude_move_head,
	.set_label = claude_set_label,
};
