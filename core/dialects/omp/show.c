#include "core/dialects/omp/show.h"

#include "core/dialects/omp/blobs.h"
#include "core/dialects/omp/message_text.h"
#include "core/dialects/pi/show.h"
#include "core/json/js.h"
#include "core/show/meta.h"
#include "core/show/usage.h"

/* The agent writes messages of the user's role, too. */
bool omp_is_typed(struct json entry)
{
	JSON_FIELDS(f, json_get(entry, "message"), role, synthetic,
		    attribution);
	return json_is(json_get(entry, "type"), SPAN("message")) &&
	       json_is(f.role, SPAN("user")) && !json_truthy(f.synthetic) &&
	       !json_is(f.attribution, SPAN("agent"));
}

struct block omp_read_block(struct json v)
{
	struct block b = block_read_pi(v);
	if (b.type == BLOCK_PICTURE && omp_blob_is_named(b.data) &&
	    !omp_blob_exists(b.data))
		b.type = BLOCK_OTHER;
	return b;
}

bool omp_picture(struct buf *out, struct json data)
{
	if (!omp_blob_is_named(data))
		return false;
	/* A blob that was deleted meanwhile is empty. */
	omp_blob_read(out, data);
	return true;
}

bool omp_text(const struct session *s, struct buf *out, struct json entry)
{
	JSON_FIELDS(f, entry, type, message);
	if (json_is(f.type, SPAN("message")) &&
	    omp_message_text(out, f.message))
		return true;
	return pi_text(s, out, entry);
}

/* The model that an entry sets or was made with. */
static void meta_model(struct buf *out, struct json entry)
{
	JSON_FIELDS(f, entry, type, model, provider);
	if (json_is(f.type, SPAN("model_change")) &&
	    json_type(f.model) != JSON_ABSENT) {
		js_to_string(out, f.model);
	} else if (json_is(f.type, SPAN("model_usage"))) {
		js_to_string(out, f.provider);
		buf_addc(out, '/');
		js_to_string(out, f.model);
	} else {
		pi_model(out, entry);
	}
}

/* The object with the usage that the agent counts; absent if there is none. */
static struct json counted(struct json line)
{
	struct json type = json_get(line, "type");
	if (json_is(type, SPAN("model_usage")))
		return json_get(line, "usage");
	if (!json_is(type, SPAN("message")))
		return (struct json){ 0 };
	JSON_FIELDS(f, json_get(line, "message"), role, usage, toolName,
		    details);
	if (json_is(f.role, SPAN("assistant")))
		return f.usage;
	if (json_is(f.role, SPAN("toolResult")) &&
	    json_is(f.toolName, SPAN("task")))
		return json_get(f.details, "usage");
	return (struct json){ 0 };
}

void omp_usage(struct json line, struct used *used)
{
	JSON_FIELDS(f, counted(line), totalTokens, cost);
	usage_add(&used->usage.tokens, f.totalTokens);
	usage_add(&used->usage.cost, json_get(f.cost, "total"));
}

const struct meta_row omp_meta[] = {
	{ "role", .at = PI_AT_ROLE "|role" },
	{ "model", .add = meta_model },
	{ "thinking", .at = PI_AT_THINKING },
	{ "mode", .at = "mode" },
	{ "tokens", .add = pi_meta_tokens },
	{ "cost", .at = PI_AT_COST },
	{ "stop", .at = PI_AT_STOP },
	{ "tool", .add = pi_meta_tool },
	{ "command", .at = PI_AT_COMMAND },
	{ "error", .at = PI_AT_ERROR },
	{ "custom-type", .at = PI_AT_CUSTOM_TYPE },
	{ "attribution", .at = "attribution|message.attribution" },
	{ "target", .at = PI_AT_TARGET },
	{ "from", .at = PI_AT_FROM },
	{ "first-kept", .at = PI_AT_FIRST_KEPT },
	{ "tokens-before", .at = PI_AT_TOKENS_BEFORE },
	{ "method", .at = "method" },
	{ 0 },
};

/* The member to preview of an entry that is not a message. */
void omp_preview(struct buf *out, struct json entry)
{
	size_t from = out->len;
	if (json_is(json_get(entry, "type"), SPAN("message"))) {
		pi_add_message_words(out, json_get(entry, "message"));
		return;
	}
	meta_model(out, entry);
	if (out->len == from)
		meta_add_at(out, entry,
			    "thinkingLevel|label|title|mode|customType|task|"
			    "targetId|purpose|provider|serviceTier|"
			    "injectedRules");
}
