#include "core/dialects/drafts/draft.h"

#include "core/dialects/kit/ingest.h"
#include "core/dialects/pi/pi.h"
#include "core/json/timestamp.h"
#include "core/show/rows.h"

static const struct line_row rows[] = {
	{ "message", .entry = ENTRY_MESSAGE, .content = "message.content",
	  .role = "message.role" },
	{ "stack_summary", .entry = ENTRY_BRANCH_SUMMARY,
	  .content = "summary" },
	{ "branch_summary", .entry = ENTRY_BRANCH_SUMMARY,
	  .content = "summary" },
	{ "compaction", .entry = ENTRY_COMPACTION, .content = "summary" },
	{ "custom_message", .entry = ENTRY_OTHER, .content = "content" },
	{ "model_change", .entry = ENTRY_MODEL },
	{ "thinking_level_change", .entry = ENTRY_THINKING },
	{ "head", .entry = ENTRY_HEAD },
	{ "label", .entry = ENTRY_LABEL },
	{ 0 },
};

static const struct line_rows draft_rows = { .type = "type", .list = rows };

enum entry_type draft_type(struct json type)
{
	return rows_of(&draft_rows, type, (struct json){ 0 })->entry;
}

static struct json blocks(struct json entry)
{
	struct json v = { 0 };
	if (!pi_is_system(json_get(entry, "message")))
		v = rows_content_at(&draft_rows, entry);
	return v;
}

static const char *const envelope[] = { "uuid", "parentUuid", "parent",
					"type", "timestamp",  "version",
					NULL };

const struct dialect_showing draft_showing = {
	.rows = &draft_rows,
	.envelope = envelope,
	.read_block = block_read_pi,
	.blocks = blocks,
	.text = pi_text,
	.result = pi_result,
	.preview = pi_preview,
	.meta = pi_meta,
	.usage = pi_usage,
};

const struct dialect_agent draft_agent = {
	.unopened = ingest_lacks_header,
};

int draft_messages(const struct session *s, struct json entry, struct json edit,
		   bool kept, struct messages *to)
{
	(void)kept;
	JSON_FIELDS(f, entry, type, message, summary, timestamp);
	if (json_is(f.type, SPAN("message")))
		pi_add_message(s, to, f.message, f.timestamp, true, edit);
	else
		messages_add_summary(to, f.summary,
				     timestamp_parse(f.timestamp));
	return buf_error(to->out);
}
