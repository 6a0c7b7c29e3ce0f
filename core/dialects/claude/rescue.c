#include "core/dialects/claude/rescue.h"

#include "core/dialects/claude/ingest.h"

#include "core/dialects/kit/line.h"

static void pin(struct json_writer *w, const struct session *s, uint32_t leaf)
{
	json_write_word(w, "type", "last-prompt");
	line_add_id(w, "leafUuid", s, leaf);
	json_write_bool(w, "explicit", true);
}

static uint32_t side(const struct session *s, uint32_t entry)
{
	return claude_entry(s, entry)->sidechain;
}

const struct dialect_rescue claude_rescue = {
	.opens = "claude --resume ",
	.opens_with = " --fork-session",
	.id = "uuid",
	.parent = "parentUuid",
	.time = "timestamp",
	.session = "sessionId",
	.needs_time = true,
	.pin = pin,
	.is_line = claude_is_line,
	.side = side,
};
