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

/* The role of a message, or of a model's use. */
static void meta_role(struct buf *out, struct json entry)
{
	pi_meta_role(out, entry);
	if (out->len == 0)
		meta_add_value(out, json_get(entry, "role"));
}

static void meta_mode(struct buf *out, struct json entry)
{
	meta_add_value(out, json_get(entry, "mode"));
}

static void meta_method(struct buf *out, struct json entry)
{
	meta_add_value(out, json_get(entry, "method"));
}

static void meta_attribution(struct buf *out, struct json entry)
{
	struct json v = json_get(entry, "attribution");
	if (json_type(v) == JSON_ABSENT)
		v = json_get(json_get(entry, "message"), "attribution");
	meta_add_value(out, v);
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
	{ "role", meta_role },
	{ "model", meta_model },
	{ "thinking", pi_meta_thinking },
	{ "mode", meta_mode },
	{ "tokens", pi_meta_tokens },
	{ "cost", pi_meta_cost },
	{ "stop", pi_meta_stop },
	{ "tool", pi_meta_tool },
	{ "command", pi_meta_command },
	{ "error", pi_meta_error },
	{ "custom-type", pi_meta_custom_type },
	{ "attribution", meta_attribution },
	{ "target", pi_meta_target },
	{ "from", pi_meta_from },
	{ "first-kept", pi_meta_first_kept },
	{ "tokens-before", pi_meta_tokens_before },
	{ "method", meta_method },
	{ 0 },
};

/* The member to preview of an entry that is not a message. */
void omp_preview(struct buf *out, struct json entry)
{
	static const char *const names[] = {
		"thinkingLevel", "label",	"title",	 "mode",
		"customType",	 "task",	"targetId",	 "purpose",
		"provider",	 "serviceTier", "injectedRules",
	};
	size_t from = out->len;
	if (json_is(json_get(entry, "type"), SPAN("message"))) {
		pi_add_message_words(out, json_get(entry, "message"));
		return;
	}
	meta_model(out, entry);
	for (size_t i = 0;
	     i < sizeof(names) / sizeof(names[0]) && out->len == from; i++)
		meta_add_value(out, json_get(entry, names[i]));
}
