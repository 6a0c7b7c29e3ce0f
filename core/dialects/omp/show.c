/*
 * How entries of oh-my-pi's sessions are shown (messages.ts; 18.3.4), and the
 * settings at one (session-context.ts). What is not here is Pi's (pi/show.c).
 */
#include "core/dialects/omp/omp.h"

#include "core/base/hash.h"
#include "core/dialects/pi/pi.h"
#include "core/json/js.h"
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

/*
 * The agent also attaches files that a message names, and skills; and it has
 * notes of its own. What a person chooses, such as a model, is said.
 */
static bool is_said(struct json entry)
{
	JSON_FIELDS(f, entry, type, message, customType);
	JSON_FIELDS(m, f.message, role, synthetic, customType);
	static const struct span skill = SPAN("skill-prompt");
	return !json_is(m.role, SPAN("fileMention")) &&
	       !json_is(f.customType, skill) && !json_is(m.customType, skill) &&
	       !json_truthy(m.synthetic) &&
	       !JSON_IS(f.type, "mode_change", "service_tier_change",
			"ttsr_injection", "session_init", "credential_pin",
			"model_usage") &&
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
	"Ran Python:\n```python\n{code}\n```\n",
	"Output:\n```\n{output}\n```",
	"\n\n(execution cancelled)",
	"\n\nExecution failed with code {exitCode}",
};

bool omp_add_files(struct buf *out, struct json files, enum omp_files which)
{
	bool any = false;
	JSON_EACH(file, files) {
		JSON_FIELDS(f, file, content, image);
		if (which != OMP_FILES_ALL &&
		    json_truthy(f.image) != (which == OMP_FILES_IMAGE))
			continue;
		buf_adds(out, any ? "\n" : "");
		pi_add_template(out, file,
				json_truthy(f.content)
					? "<file path=\"{path}\">\n"
					  "{content}\n</file>"
					: "<file path=\"{path}\">\n</file>");
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

static bool add_text(struct buf *out, struct json entry)
{
	JSON_FIELDS(f, entry, type, message);
	if (json_is(f.type, SPAN("message")) &&
	    omp_message_text(out, f.message))
		return true;
	return pi_text(out, entry);
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
	if (json_is_string(id))
		used->copied = hash_bytes(0, id.raw);
}

/* A model that was set as the default. */
static bool read_default(struct buf *out, struct json entry)
{
	JSON_FIELDS(f, entry, model, role);
	bool is = (js_is_nullish(f.role) || json_is(f.role, SPAN("default"))) &&
		  json_truthy(f.model);
	if (is)
		js_to_string(out, f.model);
	return is;
}

/* Pi's of a message is an assistant's. */
static bool read_assistant(struct buf *out, struct json entry)
{
	pi_model(out, entry);
	return out->len > 0;
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
	.preview = pi_preview,
	.meta = pi_meta,
	.usage = usage,
};

/* The last default model that was set on the path, else an assistant's. */
const struct dialect_telling omp_telling = {
	.model = { { ENTRY_BIT(ENTRY_MODEL), .read = read_default },
		   { ENTRY_BIT(ENTRY_MESSAGE), .read = read_assistant } },
	.thinking = { ENTRY_BIT(ENTRY_THINKING), .at = "thinkingLevel" },
	.no_thinking = "off",
};
