#include "core/dialects/pi/rules.h"

/* Sets of JSON types. */
#define IS(type) (1u << (type))
#define STRING IS(JSON_STRING)
#define NUMBER IS(JSON_NUMBER)
#define ARRAY IS(JSON_ARRAY)
#define OBJECT IS(JSON_OBJECT)
#define MISSING IS(JSON_ABSENT)
#define NOTHING (IS(JSON_NULL) | MISSING)

#define PI PI_OWNER_PI
#define OMP PI_OWNER_OMP
#define HARNESS PI_OWNER_HARNESS
#define DRAFT PI_OWNER_DRAFT
#define AGENTS (PI | OMP | HARNESS)
#define ALL (AGENTS | DRAFT)

/* What a member has to be in entries of a type, messages of a role, blocks. */
struct rule {
	const char *of;
	const char *member;
	unsigned types;
	unsigned owners;
	const char *why;
};

static const struct rule entry_rules[] = {
	{ "message", "message", OBJECT, ALL,
	  "a message entry needs a `message`, an object" },
	{ "compaction", "summary", STRING, ALL,
	  "a compaction needs a `summary`, a string" },
	{ "compaction", "tokensBefore", NUMBER, AGENTS,
	  "a compaction needs `tokensBefore`, a number" },
	{ "branch_summary", "summary", STRING, ALL,
	  "a branch_summary needs a `summary`, a string" },
	{ "stack_summary", "summary", STRING, DRAFT,
	  "a stack_summary needs a `summary`, a string" },
	{ "custom_message", "customType", STRING, AGENTS,
	  "a custom_message needs a `customType`, a string" },
	{ "custom_message", "content", STRING | ARRAY, AGENTS,
	  "a custom_message needs `content`, a string or an array" },
	{ "custom", "customType", STRING, AGENTS,
	  "a custom entry needs a `customType`, a string" },
	{ "label", "label", STRING | NOTHING, ALL,
	  "a label entry's `label` is a string, or left out" },
	{ "session_info", "name", STRING | NOTHING, PI | HARNESS,
	  "a session_info entry's `name` is a string, or left out" },
	{ "model_change", "provider", STRING, PI | HARNESS,
	  "a model_change needs a `provider`, a string" },
	{ "model_change", "modelId", STRING, PI | HARNESS,
	  "a model_change needs a `modelId`, a string" },
	{ "thinking_level_change", "thinkingLevel", STRING, PI | HARNESS,
	  "a thinking_level_change needs a `thinkingLevel`, a string" },
	{ "thinking_level_change", "thinkingLevel", STRING | NOTHING, OMP,
	  "a thinking_level_change's `thinkingLevel` is a string or null" },
	{ "ttsr_injection", "injectedRules", ARRAY, OMP,
	  "a ttsr_injection needs `injectedRules`, an array" },
	{ "active_tools_change", "activeToolNames", ARRAY, HARNESS,
	  "an active_tools_change needs `activeToolNames`, an array" },
	{ "compaction", "retainedTail", ARRAY | NOTHING, HARNESS,
	  "a compaction's `retainedTail` is an array, or left out" },
	{ "context_edit", "replacement", IS(JSON_NULL) | OBJECT, PI,
	  "a context_edit needs a `replacement`, null or an object" },
};

static const struct rule message_rules[] = {
	{ "system", "content", STRING | ARRAY, ALL,
	  "a system message needs `content`, a string or an array" },
	{ "user", "content", STRING | ARRAY, ALL,
	  "a user message needs `content`, a string or an array" },
	{ "developer", "content", STRING | ARRAY, OMP,
	  "a developer message needs `content`, a string or an array" },
	{ "custom", "content", STRING | ARRAY, ALL,
	  "a custom message needs `content`, a string or an array" },
	{ "hookMessage", "content", STRING | ARRAY, ALL,
	  "a hookMessage needs `content`, a string or an array" },
	{ "assistant", "content", STRING | ARRAY, DRAFT,
	  "an assistant message needs `content`, a string or an array" },
	{ "assistant", "content", ARRAY, AGENTS,
	  "an assistant message needs `content`, an array" },
	{ "assistant", "usage", OBJECT, AGENTS,
	  "an assistant message needs `usage`, an object" },
	{ "assistant", "provider", STRING, AGENTS,
	  "an assistant message needs `provider`, a string" },
	{ "assistant", "model", STRING, AGENTS,
	  "an assistant message needs `model`, a string" },
	{ "assistant", "stopReason", STRING, AGENTS,
	  "an assistant message needs `stopReason`, a string" },
	{ "toolResult", "toolCallId", STRING, AGENTS,
	  "a toolResult message needs `toolCallId`, a string" },
	{ "toolResult", "toolName", STRING, AGENTS,
	  "a toolResult message needs `toolName`, a string" },
	{ "toolResult", "content", STRING | ARRAY, DRAFT,
	  "a toolResult message needs `content`, a string or an array" },
	{ "toolResult", "content", ARRAY, AGENTS,
	  "a toolResult message needs `content`, an array" },
	{ "bashExecution", "command", STRING, ALL,
	  "a bashExecution message needs `command`, a string" },
	{ "bashExecution", "images", ARRAY | NOTHING, OMP,
	  "a bashExecution message's `images` is an array, or left out" },
	{ "bashExecution", "output", STRING, ALL,
	  "a bashExecution message needs `output`, a string" },
	{ "pythonExecution", "code", STRING, OMP,
	  "a pythonExecution message needs `code`, a string" },
	{ "pythonExecution", "output", STRING, OMP,
	  "a pythonExecution message needs `output`, a string" },
	{ "fileMention", "files", ARRAY, OMP,
	  "a fileMention message needs `files`, an array" },
};

static const struct rule block_rules[] = {
	{ "text", "text", STRING, ALL, "a text block needs `text`, a string" },
	{ "thinking", "thinking", STRING, ALL,
	  "a thinking block needs `thinking`, a string" },
	{ "image", "data", STRING, ALL,
	  "an image block needs `data`, a string" },
	{ "image", "mimeType", STRING, ALL,
	  "an image block needs `mimeType`, a string" },
	{ "toolCall", "id", STRING, ALL, "a toolCall needs an `id`, a string" },
	{ "toolCall", "name", STRING, ALL,
	  "a toolCall needs a `name`, a string" },
	{ "toolCall", "arguments", OBJECT, ALL,
	  "a toolCall needs `arguments`, an object" },
};

#define COUNT(rules) (sizeof(rules) / sizeof((rules)[0]))

/* The first of the rules that an object breaks, which is what `of` says. */
static const char *broken_rule(const struct rule *rules, size_t n,
			       struct json of, struct json object,
			       enum pi_owner owner)
{
	for (size_t i = 0; i < n; i++) {
		const struct rule *r = &rules[i];
		if ((r->owners & owner) && json_is(of, span_of(r->of)) &&
		    !(r->types & IS(json_type(json_get(object, r->member)))))
			return r->why;
	}
	return NULL;
}

static const char *content_fault(struct json content, enum pi_owner owner)
{
	struct json_walk w = json_walk(content);
	struct json block;
	const char *why = NULL;
	if (json_type(content) != JSON_ARRAY)
		return NULL;
	while (!why && json_next_element(&w, &block)) {
		why = json_type(block) == JSON_OBJECT
			      ? broken_rule(block_rules, COUNT(block_rules),
					    json_get(block, "type"), block,
					    owner)
			      : "a block of `content` is no object";
	}
	return why;
}

/* Lists besides `content` whose elements are taken for objects. */
static const char *list_fault(struct json list)
{
	struct json_walk w = json_walk(list);
	struct json element;
	if (json_type(list) != JSON_ARRAY)
		return NULL;
	while (json_next_element(&w, &element)) {
		if (json_type(element) != JSON_OBJECT)
			return "what `files`, `images` and `retainedTail` "
			       "list is objects";
	}
	return NULL;
}

/* Footers and statistics add up usage.cost.total without asking. */
static const char *usage_fault(struct json usage)
{
	struct json cost = json_get(usage, "cost");
	return json_type(json_get(cost, "total")) == JSON_NUMBER
		       ? NULL
		       : "`usage` needs a `cost` with `total`, a number";
}

const char *pi_message_fault(struct json message, enum pi_owner owner)
{
	struct json role = json_get(message, "role");
	if (json_type(role) != JSON_STRING)
		return "a message needs a `role`, a string";
	const char *why = broken_rule(message_rules, COUNT(message_rules), role,
				      message, owner);
	if (!why && (AGENTS & owner) && json_is(role, SPAN("assistant")))
		why = usage_fault(json_get(message, "usage"));
	bool omp = owner == PI_OWNER_OMP;
	if (!why && omp && json_is(role, SPAN("fileMention")))
		why = list_fault(json_get(message, "files"));
	if (!why && omp && json_is(role, SPAN("bashExecution")))
		why = list_fault(json_get(message, "images"));
	return why ? why : content_fault(json_get(message, "content"), owner);
}

/* The messages that a compaction of the library's keeps itself. */
static const char *tail_fault(struct json tail)
{
	struct json_walk w = json_walk(tail);
	struct json message;
	const char *why = list_fault(tail);
	while (!why && json_type(tail) == JSON_ARRAY &&
	       json_next_element(&w, &message))
		why = pi_message_fault(message, PI_OWNER_HARNESS);
	return why;
}

static const char *edit_fault(struct json entry)
{
	struct json replacement = json_get(entry, "replacement");
	struct json content = json_get(replacement, "content");
	if (json_type(replacement) == JSON_OBJECT &&
	    !((STRING | ARRAY) & IS(json_type(content))))
		return "a context_edit's `replacement` needs `content`, "
		       "a string or an array";
	return content_fault(content, PI_OWNER_PI);
}

const char *pi_entry_fault(struct json entry, enum pi_owner owner)
{
	struct json type = json_get(entry, "type");
	const char *why = broken_rule(entry_rules, COUNT(entry_rules), type,
				      entry, owner);
	if (why)
		return why;
	if (json_is(type, SPAN("message")))
		return pi_message_fault(json_get(entry, "message"), owner);
	if (json_is(type, SPAN("custom_message")))
		return content_fault(json_get(entry, "content"), owner);
	if (owner == PI_OWNER_HARNESS && json_is(type, SPAN("compaction")))
		return tail_fault(json_get(entry, "retainedTail"));
	bool counts_usage =
		(owner == PI_OWNER_PI && json_is(type, SPAN("usage"))) ||
		(owner == PI_OWNER_OMP && json_is(type, SPAN("model_usage")));
	if (counts_usage)
		return usage_fault(json_get(entry, "usage"));
	return owner == PI_OWNER_PI && json_is(type, SPAN("context_edit"))
		       ? edit_fault(entry)
		       : NULL;
}
