#include "core/dialects/pi/rescue.h"

#include "core/dialects/pi/ingest.h"
#include "core/json/writer.h"

bool pi_is_header(struct json object)
{
	return json_is(json_get(object, "type"), SPAN("session"));
}

/* Entries of version 1 have no ids, and only these types. */
static bool is_linear_type(struct json type)
{
	return json_is(type, SPAN("message")) ||
	       json_is(type, SPAN("compaction")) ||
	       json_is(type, SPAN("model_change")) ||
	       json_is(type, SPAN("thinking_level_change"));
}

/* Parts of entries have no ISO timestamp, and no parent. */
bool pi_is_line(struct json object)
{
	static const char *const names[] = { "type", "timestamp", "id",
					     "parentId" };
	struct json f[4];
	json_get_all(object, 4, names, f);
	bool timed = json_type(f[1]) == JSON_STRING;
	if (json_type(f[2]) == JSON_STRING)
		return timed || json_type(f[3]) != JSON_ABSENT ||
		       pi_is_header(object);
	return timed && is_linear_type(f[0]);
}

void pi_make_header(struct buf *out, const struct json facts[HEADER_FACTS],
		    bool has_ids)
{
	struct json version = facts[HEADER_VERSION];
	struct json_writer w = { .out = out };
	json_begin_object(&w, NULL);
	json_write_word(&w, "type", "session");
	if (json_type(version) == JSON_NUMBER)
		json_write_value(&w, "version", version);
	else if (has_ids)
		json_write_number(&w, "version", PI_VERSION);
	json_write_value(&w, "id", facts[HEADER_ID]);
	json_write_value(&w, "timestamp", facts[HEADER_TIME]);
	json_write_value(&w, "cwd", facts[HEADER_CWD]);
	json_end_object(&w);
}

const struct rescue_rules pi_rescue = {
	.opens = "pi --session ",
	.id = "id",
	.parent = "parentId",
	.time = "timestamp",
	.leaf_is_last = true,
	.is_line = pi_is_line,
	.is_header = pi_is_header,
	.make_header = pi_make_header,
};
