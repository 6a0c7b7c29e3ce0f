#include "core/dialects/omp/show.h"

#include "core/base/hash.h"
#include "core/dialects/omp/blobs.h"
#include "core/dialects/omp/notice.h"
#include "core/dialects/omp/omp.h"
#include "core/dialects/pi/pi.h"
#include "core/dialects/pi/show.h"
#include "core/json/js.h"
#include "core/show/meta.h"
#include "core/show/usage.h"

/* The agent writes messages of the user's role, too. */
static bool is_typed(struct json entry)
{
	JSON_FIELDS(f, json_get(entry, "message"), role, synthetic,
		    attribution);
	return json_is(json_get(entry, "type"), SPAN("message")) &&
	       json_is(f.role, SPAN("user")) && !json_truthy(f.synthetic) &&
	       !json_is(f.attribution, SPAN("agent"));
}

/* The agent's own notes. What a person chooses, such as a model, is said. */
static bool is_note(struct json type)
{
	return JSON_IS(type, "mode_change", "service_tier_change",
		       "ttsr_injection", "session_init", "credential_pin",
		       "model_usage");
}

/* The agent also attaches files that a message names, and skills. */
static bool is_said(struct json entry)
{
	JSON_FIELDS(f, entry, type, message, customType);
	JSON_FIELDS(m, f.message, role, synthetic, customType);
	static const struct span skill = SPAN("skill-prompt");
	return !json_is(m.role, SPAN("fileMention")) &&
	       !json_is(f.customType, skill) && !json_is(m.customType, skill) &&
	       !json_truthy(m.synthetic) && !is_note(f.type) &&
	       pi_is_said(entry);
}

/* Pi's blocks, but a picture without its blob is not a picture. */
static struct block read_block(struct json v)
{
	struct block b = block_read_pi(v);
	if (b.type == BLOCK_PICTURE && omp_blob_is_named(b.data) &&
	    !omp_blob_exists(b.data))
		b.type = BLOCK_OTHER;
	return b;
}

static bool picture(struct buf *out, struct json data)
{
	if (!omp_blob_is_named(data))
		return false;
	/* A blob that was deleted meanwhile is empty. */
	omp_blob_read(out, data);
	return true;
}

static const struct pi_execution python = {
	"code",
	"Ran Python:\n```python\n",
	"\n```\n",
	"Output:\n```\n",
	"\n\n(execution cancelled)",
	"\n\nExecution failed with code ",
};

bool omp_add_files(struct buf *out, struct json files, enum omp_files which)
{
	struct json_walk w = json_walk(files);
	struct json file;
	bool any = false;
	while (json_type(files) == JSON_ARRAY && json_next_element(&w, &file)) {
		JSON_FIELDS(f, file, path, content, image);
		if (which != OMP_FILES_ALL &&
		    json_truthy(f.image) != (which == OMP_FILES_IMAGE))
			continue;
		buf_adds(out, any ? "\n<file path=\"" : "<file path=\"");
		js_to_string(out, f.path);
		buf_adds(out, "\">\n");
		if (json_truthy(f.content)) {
			js_to_string(out, f.content);
			buf_addc(out, '\n');
		}
		buf_adds(out, "</file>");
		any = true;
	}
	return any;
}

bool omp_message_text(struct buf *out, struct json message)
{
	struct json role = json_get(message, "role");
	bool bash = json_is(role, SPAN("bashExecution"));
	if (bash || json_is(role, SPAN("pythonExecution"))) {
		pi_add_execution(out, bash ? &pi_bash : &python, message);
		omp_notice_add(out, json_get(message, "meta"));
	} else if (json_is(role, SPAN("fileMention"))) {
		omp_add_files(out, json_get(message, "files"), OMP_FILES_ALL);
	} else {
		return false;
	}
	return true;
}

static bool add_text(const struct session *s, struct buf *out,
		     struct json entry)
{
	JSON_FIELDS(f, entry, type, message);
	if (json_is(f.type, SPAN("message")) &&
	    omp_message_text(out, f.message))
		return true;
	return pi_text(s, out, entry);
}

static const struct added_words adding[] = {
	PI_ADDING_ROWS,
	{ .words = OMP_NOTICE_WORDS, .marker = "Execution" },
	{ .words = "Ran Python python Output output execution cancelled "
		   "Execution failed with code",
	  .marker = "pythonExecution" },
	{ .words = "file path", .marker = "fileMention" },
	{ 0 },
};

const struct dialect_adding omp_adding = { .rows = adding };

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
	JSON_FIELDS(l, line, type, message, usage);
	if (json_is(l.type, SPAN("model_usage")))
		return l.usage;
	if (!json_is(l.type, SPAN("message")))
		return (struct json){ 0 };
	JSON_FIELDS(f, l.message, role, usage, toolName, details);
	if (json_is(f.role, SPAN("assistant")))
		return f.usage;
	if (json_is(f.role, SPAN("toolResult")) &&
	    json_is(f.toolName, SPAN("task")))
		return json_get(f.details, "usage");
	return (struct json){ 0 };
}

/* What oh-my-pi counts in /usage: also what its task tool has used. */
static void usage(struct json line, struct used *used)
{
	JSON_FIELDS(f, counted(line), totalTokens, cost);
	usage_add(&used->usage.tokens, f.totalTokens);
	usage_add(&used->usage.cost, json_get(f.cost, "total"));
	struct json id = json_get(line, "id");
	if (json_type(id) == JSON_STRING)
		used->copied = hash_bytes(0, id.raw);
}

static const struct meta_row meta[] = {
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
static void preview(struct buf *out, struct json entry)
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

/* Read an entry's model. *found: it was set as the default. */
static void read_model(struct json entry, struct buf *model, bool *found)
{
	JSON_FIELDS(f, entry, type, model, role, message);
	if (json_is(f.type, SPAN("model_change"))) {
		bool is_default = js_is_nullish(f.role) ||
				  json_is(f.role, SPAN("default"));
		*found = is_default && json_truthy(f.model);
		if (*found) {
			buf_clear(model);
			js_to_string(model, f.model);
		}
		return;
	}
	JSON_FIELDS(m, f.message, role, provider, model);
	if (model->len == 0 && json_is(m.role, SPAN("assistant"))) {
		js_to_string(model, m.provider);
		buf_addc(model, '/');
		js_to_string(model, m.model);
	}
}

static int find_model(const struct session *s, uint32_t leaf, struct buf *model)
{
	struct buf line = { 0 };
	bool found = false;
	int err = 0;
	for (uint32_t i = leaf; i != INDEX_NONE && !err && !found;
	     i = session_entry(s, i)->parent) {
		enum entry_type type = session_entry(s, i)->type;
		struct json entry;
		if (type != ENTRY_MODEL &&
		    (type != ENTRY_MESSAGE || model->len > 0))
			continue;
		err = session_read(s, i, &line, &entry);
		if (!err)
			read_model(entry, model, &found);
	}
	buf_free(&line);
	return err;
}

static int find_thinking(const struct session *s, uint32_t leaf,
			 struct buf *level)
{
	struct buf line = { 0 };
	struct json entry = { 0 };
	uint32_t i = leaf;
	while (i != INDEX_NONE && session_entry(s, i)->type != ENTRY_THINKING)
		i = session_entry(s, i)->parent;
	int err = i == INDEX_NONE ? 0 : session_read(s, i, &line, &entry);
	struct json v = json_get(entry, "thinkingLevel");
	if (!err && js_is_nullish(v))
		buf_adds(level, "off");
	else if (!err)
		js_to_string(level, v);
	buf_free(&line);
	return err;
}

/*
 * The default model on the path to the leaf: the last one that was set, else
 * the last assistant's; and its thinking level, "off" if it is not set.
 */
static int settings(const struct session *s, uint32_t leaf, struct buf *model,
		    struct buf *thinking)
{
	int err = find_model(s, leaf, model);
	return err ? err : find_thinking(s, leaf, thinking);
}

const struct dialect_showing omp_showing = {
	.envelope = pi_envelope,
	.rows = &pi_rows,
	.is_typed = is_typed,
	.is_said = is_said,
	.read_block = read_block,
	.blocks = pi_blocks,
	.text = add_text,
	.picture = picture,
	.result = pi_result,
	.preview = preview,
	.meta = meta,
	.usage = usage,
};

const struct dialect_telling omp_telling = {
	.has_version = true,
	.settings = settings,
};
