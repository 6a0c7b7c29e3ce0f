/*
 * The sessions of oh-my-pi (18.3.4).
 */
#include "core/dialects/omp/changes.h"
#include "core/dialects/omp/context.h"
#include "core/dialects/omp/ingest.h"
#include "core/dialects/omp/omp.h"
#include "core/dialects/omp/owner.h"
#include "core/dialects/omp/rescue.h"
#include "core/dialects/omp/settings.h"
#include "core/dialects/omp/show.h"
#include "core/dialects/pi/changes.h"
#include "core/dialects/pi/pi.h"
#include "core/dialects/pi/show.h"
#include "core/dialects/pi/state.h"

const struct dialect dialect_omp = {
	.name = "omp",
	.agent_faults = {
		.last_line = "oh-my-pi resumes with an empty history",
	},
	.rescue = &omp_rescue,
	.claims = omp_claims,
	.confirms = omp_confirms,
	.relative_of = &dialect_pi,
	.marks = omp_marks,
	.has_version = true,
	.unopened = omp_unopened,
	.needs_folder = true,
	.ingest = omp_ingest,
	.new_state = omp_state_new,
	.free_state = omp_state_free,
	.bookkeeping = ENTRY_BIT(ENTRY_LABEL) | ENTRY_BIT(ENTRY_HEAD) |
		       ENTRY_BIT(ENTRY_NAME),
	.takes_record = omp_takes_record,
	.ingest_invalid = omp_ingest_invalid,

	.envelope = pi_envelope,
	.role_or_type = pi_role_or_type,
	.is_typed = omp_is_typed,
	.read_block = omp_read_block,
	.blocks = pi_blocks,
	.text = omp_text,
	.picture = omp_picture,
	.result = pi_result,
	.preview = omp_preview,
	.tokens_before = pi_meta_tokens_before,
	.meta = omp_meta,
	.n_meta = OMP_META_ROWS,
	.usage = omp_usage,
	.meta_grows = pi_is_linear,
	.context = omp_context,
	.settings = omp_settings,
	.branch = omp_branch,
	.move_head = omp_move_head,
	.set_label = omp_set_label,
	.add_entry = omp_add_entry,
	.set_name = omp_set_name,
	.in_use = omp_in_use,
	.lock = omp_lock_session,
	.unlock = omp_unlock_session,
	.needs_migration = pi_needs_migration,
	.migrate = pi_migrate,
	.backup_suffix = ".v1.bak",
};
