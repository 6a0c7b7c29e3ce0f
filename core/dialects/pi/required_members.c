/*
 * The members that Pi and its relatives need to load, show and send an entry
 * (Pi 1.6.0, oh-my-pi 18.3.4). These are not their type
 * declarations, but the members without which their code throws or loses
 * earlier entries. Types and roles without a rule need no members: agents keep
 * such entries and do not send them.
 */
#include "core/dialects/pi/pi.h"

#include "core/session/block.h"

/* Sets of JSON types, and in words what a member must be. */
#define IS(type) (1u << (type))
#define NOTHING (IS(JSON_NULL) | IS(JSON_ABSENT))
#define STRING IS(JSON_STRING), "a string"
#define NUMBER IS(JSON_NUMBER), "a number"
#define ARRAY IS(JSON_ARRAY), "an array"
#define OBJECT IS(JSON_OBJECT), "an object"
#define CONTENT IS(JSON_STRING) | IS(JSON_ARRAY), "a string or an array"
#define STRING_IF_PRESENT IS(JSON_STRING) | NOTHING, "a string, if present"
#define STRING_OR_NULL IS(JSON_STRING) | NOTHING, "a string or null"
#define ARRAY_IF_PRESENT IS(JSON_ARRAY) | NOTHING, "an array, if present"
#define NULL_OR_OBJECT IS(JSON_NULL) | IS(JSON_OBJECT), "null or an object"

#define PI PI_OWNER_PI
#define OMP PI_OWNER_OMP
#define DRAFT PI_OWNER_DRAFT
#define AGENTS (PI | OMP)
#define ALL (AGENTS | DRAFT)

/* The JSON types of a member that an entry type, a role or a block needs. */
struct rule {
	const char *of;
	const char *member;
	unsigned types;
	unsigned owners;
	const char *reason;
};

#define RULE(of, kind, member, ...) RULE_OF(of, kind, member, __VA_ARGS__)
/* clang-format off */
#define RULE_OF(of, kind, member, types, words, owners) \
	{ of, member, types, owners, of kind ": `" member "` must be " words }
/* clang-format on */

static const struct rule entry_rules[] = {
	RULE("message", " entry", "message", OBJECT, ALL),
	RULE("compaction", "", "summary", STRING, ALL),
	RULE("compaction", "", "tokensBefore", NUMBER, AGENTS),
	RULE("branch_summary", "", "summary", STRING, ALL),
	RULE("stack_summary", "", "summary", STRING, DRAFT),
	RULE("custom_message", "", "customType", STRING, AGENTS),
	RULE("custom_message", "", "content", CONTENT, AGENTS),
	RULE("custom", " entry", "customType", STRING, AGENTS),
	RULE("label", " entry", "label", STRING_IF_PRESENT, ALL),
	RULE("session_info", " entry", "name", STRING_IF_PRESENT, PI),
	RULE("model_change", "", "provider", STRING, PI),
	RULE("model_change", "", "modelId", STRING, PI),
	RULE("thinking_level_change", "", "thinkingLevel", STRING, PI),
	RULE("thinking_level_change", "", "thinkingLevel", STRING_OR_NULL, OMP),
	RULE("ttsr_injection", "", "injectedRules", ARRAY, OMP),
	RULE("context_edit", "", "replacement", NULL_OR_OBJECT, PI),
};

static const struct rule message_rules[] = {
	RULE("system", " message", "content", CONTENT, ALL),
	RULE("user", " message", "content", CONTENT, ALL),
	RULE("developer", " message", "content", CONTENT, OMP),
	RULE("custom", " message", "content", CONTENT, ALL),
	RULE("hookMessage", "", "content", CONTENT, ALL),
	RULE("assistant", " message", "content", CONTENT, DRAFT),
	RULE("assistant", " message", "content", ARRAY, AGENTS),
	RULE("assistant", " message", "usage", OBJECT, AGENTS),
	RULE("assistant", " message", "provider", STRING, AGENTS),
	RULE("assistant", " message", "model", STRING, AGENTS),
	RULE("assistant", " message", "stopReason", STRING, AGENTS),
	RULE("toolResult", " message", "toolCallId", STRING, AGENTS),
	RULE("toolResult", " message", "toolName", STRING, AGENTS),
	RULE("toolResult", " message", "content", CONTENT, DRAFT),
	RULE("toolResult", " message", "content", ARRAY, AGENTS),
	RULE("branchSummary", " message", "summary", STRING, AGENTS),
	RULE("compactionSummary", " message", "summary", STRING, AGENTS),
	RULE("compactionSummary", " message", "tokensBefore", NUMBER, AGENTS),
	RULE("bashExecution", " message", "command", STRING, ALL),
	RULE("bashExecution", " message", "images", ARRAY_IF_PRESENT, OMP),
	RULE("bashExecution", " message", "output", STRING, ALL),
	RULE("pythonExecution", " message", "code", STRING, OMP),
	RULE("pythonExecution", " message", "output", STRING, OMP),
	RULE("fileMention", " message", "files", ARRAY, OMP),
};

static const struct rule block_rules[] = {
	RULE("text", " block", "text", STRING, ALL),
	RULE("thinking", " block", "thinking", STRING, ALL),
	RULE("image", " block", "data", STRING, ALL),
	RULE("image", " block", "mimeType", STRING, ALL),
	RULE("toolCall", "", "id", STRING, ALL),
	RULE("toolCall", "", "name", STRING, ALL),
	RULE("toolCall", "", "arguments", OBJECT, ALL),
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
	const char *reason = NULL;
	JSON_EACH_WHILE(!reason, block, content) {
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
	JSON_EACH(element, list) {
		if (json_type(element) != JSON_OBJECT)
			return "`files` and `images` must be lists of objects";
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

/* Nor that of a tool, where it has one: oh-my-pi asks only for task's. */
static const char *tool_usage_fault(struct json message, enum pi_owner owner)
{
	JSON_FIELDS(f, message, toolName, usage, details);
	struct json of_task = json_get(f.details, "usage");
	enum json_type type = json_type(of_task);
	if (owner == PI_OWNER_PI && json_truthy(f.usage))
		return usage_fault(f.usage);
	return owner == PI_OWNER_OMP && json_is(f.toolName, SPAN("task")) &&
			       (type == JSON_OBJECT || type == JSON_ARRAY)
		       ? usage_fault(of_task)
		       : NULL;
}

const char *pi_message_fault(struct json message, enum pi_owner owner)
{
	struct json role = json_get(message, "role");
	if (!json_is_string(role))
		return "message: `role` must be a string";
	const char *reason = broken_rule(message_rules, COUNT(message_rules),
					 role, message, owner);
	if (!reason && (AGENTS & owner) && json_is(role, SPAN("assistant")))
		reason = usage_fault(json_get(message, "usage"));
	if (!reason && json_is(role, SPAN("toolResult")))
		reason = tool_usage_fault(message, owner);
	bool omp = owner == PI_OWNER_OMP;
	if (!reason && omp && json_is(role, SPAN("fileMention")))
		reason = list_fault(json_get(message, "files"));
	if (!reason && omp && json_is(role, SPAN("bashExecution")))
		reason = list_fault(json_get(message, "images"));
	return reason ? reason
		      : content_fault(json_get(message, "content"), owner);
}

static const char *edit_fault(struct json entry)
{
	struct json replacement = json_get(entry, "replacement");
	struct json content = json_get(replacement, "content");
	if (json_type(replacement) == JSON_OBJECT && !block_is_content(content))
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
	struct json usage = json_get(entry, "usage");
	bool counts_usage =
		(owner == PI_OWNER_PI && json_is(type, SPAN("usage"))) ||
		(owner == PI_OWNER_PI && json_truthy(usage) &&
		 JSON_IS(type, "compaction", "branch_summary")) ||
		(owner == PI_OWNER_OMP && json_is(type, SPAN("model_usage")));
	if (counts_usage)
		return usage_fault(usage);
	return owner == PI_OWNER_PI && json_is(type, SPAN("context_edit"))
		       ? edit_fault(entry)
		       : NULL;
}
