#include "core/dialects/drafts/draft.h"

#include "core/dialects/kit/compacted.h"
#include "core/dialects/pi/context.h"
#include "core/dialects/pi/show.h"
#include "core/json/timestamp.h"

enum entry_type draft_type(struct json type)
{
	static const struct row {
		struct span name;
		enum entry_type type;
	} types[] = {
		{ SPAN("message"), ENTRY_MESSAGE },
		{ SPAN("stack_summary"), ENTRY_BRANCH_SUMMARY },
		{ SPAN("branch_summary"), ENTRY_BRANCH_SUMMARY },
		{ SPAN("compaction"), ENTRY_COMPACTION },
		{ SPAN("model_change"), ENTRY_MODEL },
		{ SPAN("thinking_level_change"), ENTRY_THINKING },
		{ SPAN("head"), ENTRY_HEAD },
		{ SPAN("label"), ENTRY_LABEL },
	};
	const struct row *row = JSON_ROW(type, types);
	return row ? row->type : ENTRY_OTHER;
}

struct json draft_blocks(struct json entry)
{
	JSON_FIELDS(f, entry, type, summary);
	return json_is(f.type, SPAN("stack_summary")) &&
			       json_type(f.summary) == JSON_STRING
		       ? f.summary
		       : pi_blocks(entry);
}

/* Messages are sent as in Pi; all other entries in a context are summaries. */
static int messages(const struct session *s, struct json entry,
		    struct json edit, bool kept, struct messages *to)
{
	(void)kept;
	JSON_FIELDS(f, entry, type, message, summary, timestamp);
	if (json_is(f.type, SPAN("message")))
		pi_add_message(s, to, f.message, true, edit);
	else
		messages_add_summary(to, f.summary,
				     timestamp_parse(f.timestamp));
	return buf_error(to->out);
}

int draft_context(const struct session *s, const struct path *p,
		  uint32_t (*first_kept)(const struct session *s,
					 uint32_t entry,
					 struct json compaction),
		  struct messages *to)
{
	const struct compaction_rules rules = {
		.first_kept = first_kept,
		.messages = messages,
	};
	return compacted_context(s, p, &rules, to);
}
