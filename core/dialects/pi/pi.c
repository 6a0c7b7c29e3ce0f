/* Pi's sessions, versions 1 to 3 (Pi 1.5.2). */
#include "core/dialects/pi/changes.h"
#include "core/dialects/pi/context.h"
#include "core/dialects/pi/entry.h"
#include "core/dialects/pi/ingest.h"
#include "core/dialects/pi/pi.h"
#include "core/dialects/pi/rescue.h"
#include "core/dialects/pi/show.h"

const struct dialect dialect_pi = {
	.name = "pi",
	.agent_faults = {
		.null_line = "Pi 0.73.1 can't open the file",
		.last_line = "Pi resumes with an empty history",
		.cycle = "Pi hangs or runs out of memory",
	},
	.rescue = &pi_rescue,
	.claims = pi_claims,
	.confirms = pi_confirms,
	.has_version = true,
	.unopened = pi_unopened,
	.ingest = pi_ingest,
	.new_state = pi_state_new,
	.free_state = pi_state_free,
	.bookkeeping = ENTRY_BIT(ENTRY_LABEL) | ENTRY_BIT(ENTRY_HEAD) |
		       ENTRY_BIT(ENTRY_NAME),
	.envelope = pi_envelope,
	.role_or_type = pi_role_or_type,
	.read_block = block_read_pi,
	.blocks = pi_blocks,
	.text = pi_text,
	.result = pi_result,
	.preview = pi_preview,
	.tokens_before = pi_meta_tokens_before,
	.meta = pi_meta,
	.n_meta = PI_META_ROWS,
	.usage = pi_usage,
	.meta_grows = pi_is_linear,
	.context = pi_context,
	.settings = pi_settings,
	.branch = pi_branch,
	.move_head = pi_move_head,
	.set_label = pi_set_label,
	.add_entry = pi_add_entry,
	.set_name = pi_set_name,
	.needs_migration = pi_needs_migration,
	.migrate = pi_migrate,
	.backup_suffix = ".v1.bak",
};
