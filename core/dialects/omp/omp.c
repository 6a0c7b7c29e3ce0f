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
#include "core/dialects/pi/branch.h"
#include "core/dialects/pi/pi.h"
#include "core/dialects/pi/show.h"
#include "core/dialects/pi/v1.h"

static const struct dialect_reading reading = {
	.ingest = omp_ingest,
	.new_state = omp_state_new,
	.free_state = omp_state_free,
	.bookkeeping = ENTRY_BIT(ENTRY_LABEL) | ENTRY_BIT(ENTRY_HEAD) |
		       ENTRY_BIT(ENTRY_NAME),
	.takes_record = omp_takes_record,
};

static const struct dialect_showing showing = {
	.envelope = pi_envelope,
	.rows = &pi_rows,
	.is_typed = omp_is_typed,
	.read_block = omp_read_block,
	.blocks = pi_blocks,
	.text = omp_text,
	.picture = omp_picture,
	.result = pi_result,
	.preview = omp_preview,
	.meta = omp_meta,
	.usage = omp_usage,
};

static const struct dialect_sending sending = {
	.context = omp_context,
	.branch = omp_branch,
};

static const struct dialect_telling telling = {
	.has_version = true,
	.settings = omp_settings,
};

static const struct dialect_writing writing = {
	.needs_folder = true,
	.migration = &pi_migration,
	.move_head = omp_move_head,
	.set_label = omp_set_label,
	.add_entry = omp_add_entry,
	.set_name = omp_set_name,
};

static const struct dialect_agent agent = {
	.faults = {
		.last_line = "oh-my-pi resumes with an empty history",
	},
	.unopened = omp_unopened,
	.in_use = omp_in_use,
	.lock = omp_lock_session,
	.unlock = omp_unlock_session,
};

const struct dialect dialect_omp = {
	.name = "omp",
	.claims = omp_claims,
	.confirms = omp_confirms,
	.relative_of = &dialect_pi,
	.marks = omp_marks,
	.reading = &reading,
	.showing = &showing,
	.sending = &sending,
	.telling = &telling,
	.writing = &writing,
	.agent = &agent,
	.rescue = &omp_rescue,
};
