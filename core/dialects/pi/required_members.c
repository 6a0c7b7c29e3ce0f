#include "core/dialects/pi/required_members.h"

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

/* The JSON types of a member that an entry type, a role or a block needs. */
struct rule {
	const char *of;
	const char *member;
	unsigned types;
	unsigned owners;
	const char *reason;
};

static const struct rule entry_rules[] = {
	{ "message", "message", OBJECT, ALL,
	  "message entry: `message` must be an object" },
	{ "compaction", "summary", STRING, ALL,
	  "compaction: `summary` must be a string" },
	{ "compaction", "tokensBefore", NUMBER, AGENTS,
	  "compaction: `tokensBefore` must be a number" },
	{ "branch_summary", "summary", STRING, ALL,
	  "branch_summary: `summary` must be a string" },
	{ "stack_summary", "summary", STRING, DRAFT,
	  "stack_summary: `summary` must be a string" },
	{ "custom_message", "customType", STRING, AGENTS,
	  "custom_message: `customType` must be a string" },
	{ "custom_message", "content", STRING | ARRAY, AGENTS,
	  "custom_message: `content` must be a string or an array" },
	{ "custom", "customType", STRING, AGENTS,
	  "custom entry: `customType` must be a string" },
	{ "label", "label", STRING | NOTHING, ALL,
	  "label entry: `label` must be a string, if present" },
	{ "session_info", "name", STRING | NOTHING, PI | HARNESS,
	  "session_info entry: `name` must be a string, if present" },
	{ "model_change", "provider", STRING, PI | HARNESS,
	  "model_change: `provider` must be a string" },
	{ "model_change", "modelId", STRING, PI | HARNESS,
	  "model_change: `modelId` must be a string" },
	{ "thinking_level_change", "thinkingLevel", STRING, PI | HARNESS,
	  "thinking_level_change: `thinkingLevel` must be a string" },
	{ "thinking_level_change", "thinkingLevel", STRING | NOTHING, OMP,
	  "thinking_level_change: `thinkingLevel` must be a string or null" },
	{ "ttsr_injection", "injectedRules", ARRAY, OMP,
	  "ttsr_injection: `injectedRules` must be an array" },
	{ "active_tools_change", "activeToolNames", ARRAY, HARNESS,
	  "active_tools_change: `activeToolNames` must be an array" },
	{ "compaction", "retainedTail", ARRAY | NOTHING, HARNESS,
	  "compaction: `retainedTail` must be an array, if present" },
	{ "context_edit", "replacement", IS(JSON_NULL) | OBJECT, PI,
	  "context_edit: `replacement` must be null or an object" },
};

static const struct rule message_rules[] = {
	{ "system", "content", STRING | ARRAY, ALL,
	  "system message: `content` must be a string or an array" },
	{ "user", "content", STRING | ARRAY, ALL,
	  "user message: `content` must be a string or an array" },
	{ "developer", "content", STRING | ARRAY, OMP,
	  "developer message: `content` must be a string or an array" },
	{ "custom", "content", STRING | ARRAY, ALL,
	  "custom message: `content` must be a string or an array" },
	{ "hookMessage", "content", STRING | ARRAY, ALL,
	  "hookMessage: `content` must be a string or an array" },
	{ "assistant", "content", STRING | ARRAY, DRAFT,
	  "assistant message: `content` must be a string or an array" },
	{ "assistant", "content", ARRAY, AGENTS,
	  "assistant message: `content` must be an array" },
	{ "assistant", "usage", OBJECT, AGENTS,
	  "assistant message: `usage` must be an object" },
	{ "assistant", "provider", STRING, AGENTS,
	  "assistant message: `provider` must be a string" },
	{ "assistant", "model", STRING, AGENTS,
	  "assistant message: `model` must be a string" },
	{ "assistant", "stopReason", STRING, AGENTS,
	  "assistant message: `stopReason` must be a string" },
	{ "toolResult", "toolCallId", STRING, AGENTS,
	  "toolResult message: `toolCallId` must be a string" },
	{ "toolResult", "toolName", STRING, AGENTS,
	  "toolResult message: `toolName` must be a string" },
	{ "toolResult", "content", STRING | ARRAY, DRAFT,
	  "toolResult message: `content` must be a string or an array" },
	{ "toolResult", "content", ARRAY, AGENTS,
	  "toolResult message: `content` must be an array" },
	{ "bashExecution", "command", STRING, ALL,
	  "bashExecution message: `command` must be a string" },
	{ "bashExecution", "images", ARRAY | NOTHING, OMP,
	  "bashExecution message: `images` must be an array, if present" },
	{ "bashExecution", "output", STRING, ALL,
	  "bashExecution message: `output` must be a string" },
	{ "pythonExecution", "code", STRING, OMP,
	  "pythonExecution message: `code` must be a string" },
	{ "pythonExecution", "output", STRING, OMP,
	  "pythonExecution message: `output` must be a string" },
	{ "fileMention", "files", ARRAY, OMP,
	  "fileMention message: `files` must be an array" },
};

static const struct rule block_rules[] = {
	{ "text", "text", STRING, ALL, "text block: `text` must be a string" },
	{ "thinking", "thinking", STRING, ALL,
	  "thinking block: `thinking` must be a string" },
	{ "image", "data", STRING, ALL,
	  "image block: `data` must be a string" },
	{ "image", "mimeType", STRING, ALL,
	  "image block: `mimeType` must be a string" },
	{ "toolCall", "id", STRING, ALL, "toolCall: `id` must be a string" },
	{ "toolCall", "name", STRING, ALL,
	  "toolCall: `name` must be a string" },
	{ "toolCall", "arguments", OBJECT, ALL,
	  "toolCall: `arguments` must be an object" },
};

#define COUNT(rules) (sizeof(rules) / sizeof((rules)[0]))

/* The first of the rules for `of` that an object breaks, or NULL. */
static const char *broken_rule(const struct rule *rules, size_t n,
			       struct json of, struct json object,
			       enum pi_owner owner)
{
	for (size_t i = 0; i < n; i++) {
		const struct rule *r = &rules[i];
		if ((r->owners & owner) && json_is(of, span_of(r->of)) &&
		    !(r->types & IS(json_type(json_get(object, r->member)))))
			return r->reason;
	}
	return NULL;
}

static const char *content_fault(struct json content, enum pi_owner owner)
{
	struct json_walk w = json_walk(content);
	struct json block;
	const char *reason = NULL;
	if (json_type(content) != JSON_ARRAY)
		return NULL;
	while (!reason && json_next_element(&w, &block)) {
		reason = json_type(block) == JSON_OBJECT
				 ? broken_rule(block_rules, COUNT(block_rules),
					       json_get(block, "type"), block,
					       owner)
				 : "every block of `content` must be an object";
	}
	return reason;
}

/* Agents expect the elements of other lists than `content` to be objects. */
static const char *list_fault(struct json list)
{
	struct json_walk w = json_walk(list);
	struct json element;
	if (json_type(list) != JSON_ARRAY)
		return NULL;
	while (json_next_element(&w, &element)) {
		if (json_type(element) != JSON_OBJECT)
			return "`files`, `images` and `retainedTail` must "
			       "be lists of objects";
	}
	return NULL;
}

/* Agents add up usage.cost.total without checking it. */
static const char *usage_fault(struct json usage)
{
	struct json cost = json_get(usage, "cost");
	return json_type(json_get(cost, "total")) == JSON_NUMBER
		       ? NULL
		       : "`usage` must have a `cost` with a number `total`";
}

const char *pi_message_fault(struct json message, enum pi_owner owner)
{
	struct json role = json_get(message, "role");
	if (json_type(role) != JSON_STRING)
		return "message: `role` must be a string";
	const char *reason = broken_rule(message_rules, COUNT(message_rules),
					 role, message, owner);
	if (!reason && (AGENTS & owner) && json_is(role, SPAN("assistant")))
		reason = usage_fault(json_get(message, "usage"));
	bool omp = owner == PI_OWNER_OMP;
	if (!reason && omp && json_is(role, SPAN("fileMention")))
		reason = list_fault(json_get(message, "files"));
	if (!reason && omp && json_is(role, SPAN("bashExecution")))
		reason = list_fault(json_get(message, "images"));
	return reason ? reason
		      : content_fault(json_get(message, "content"), owner);
}

/* The messages in a compaction of the library. */
static const char *tail_fault(struct json tail)
{
	struct json_walk w = json_walk(tail);
	struct json message;
	const char *reason = list_fault(tail);
	while (!reason && json_type(tail) == JSON_ARRAY &&
	       json_next_element(&w, &message))
		reason = pi_message_fault(message, PI_OWNER_HARNESS);
	return reason;
}

static const char *edit_fault(struct json entry)
{
	struct json replacement = json_get(entry, "replacement");
	struct json content = json_get(replacement, "content");
	if (json_type(replacement) == JSON_OBJECT &&
	    !((STRING | ARRAY) & IS(json_type(content))))
		return "context_edit: `replacement` must have a `content` "
		       "that is a string or an array";
	return content_fault(content, PI_OWNER_PI);
}

const char *pi_entry_fault(struct json entry, enum pi_owner owner)
{
	struct json type = json_get(entry, "type");
	const char *reason = broken_rule(entry_rules, COUNT(entry_rules), type,
					 entry, owner);
	if (reason)
		return reason;
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
