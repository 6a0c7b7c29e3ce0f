/* Pi's sessions, versions 1 to 3 (Pi 1.5.2). */
#include "core/dialects/pi/branch.h"
#include "core/dialects/pi/context.h"
#include "core/dialects/pi/ingest.h"
#include "core/dialects/pi/pi.h"
#include "core/dialects/pi/rescue.h"
#include "core/dialects/pi/show.h"
#include "core/dialects/pi/v1.h"
#include "core/dialects/pi/write.h"

static const struct dialect_reading reading = {
	.ingest = pi_ingest,
	.new_state = pi_state_new,
	.free_state = pi_state_free,
	.bookkeeping = ENTRY_BIT(ENTRY_LABEL) | ENTRY_BIT(ENTRY_HEAD) |
		       ENTRY_BIT(ENTRY_NAME),
};

const struct dialect_showing pi_showing = {
	.envelope = pi_envelope,
	.role_or_type = pi_role_or_type,
	.read_block = block_read_pi,
	.blocks = pi_blocks,
	.text = pi_text,
	.result = pi_result,
	.preview = pi_preview,
	.meta = pi_meta,
	.usage = pi_usage,
};

static const struct dialect_sending sending = {
	.context = pi_context,
	.branch = pi_branch,
};

static const struct dialect_telling telling = {
	.has_version = true,
	.settings = pi_settings,
};

static const struct dialect_writing writing = {
	.migration = &pi_migration,
	.move_head = pi_move_head,
	.set_label = pi_set_label,
	.add_entry = pi_add_entry,
	.set_name = pi_set_name,
};

static const struct dialect_agent agent = {
	.faults = {
		.null_line = "Pi 0.73.1 can't open the file",
		.last_line = "Pi resumes with an empty history",
		.cycle = "Pi hangs or runs out of memory",
	},
	.unopened = pi_unopened,
};

const struct dialect dialect_pi = {
	.name = "pi",
	.claims = pi_claims,
	.confirms = pi_confirms,
	.reading = &reading,
	.showing = &pi_showing,
	.sending = &sending,
	.telling = &telling,
	.writing = &writing,
	.agent = &agent,
	.rescue = &pi_rescue,
};
