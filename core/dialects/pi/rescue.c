#include "core/dialects/pi/pi.h"

#include "core/dialects/pi/ingest.h"
#include "core/json/writer.h"

bool pi_is_header(struct json object)
{
	return json_is(json_get(object, "type"), SPAN("session"));
}

/* Parts of entries have no parent, and no ISO timestamp. */
bool pi_is_line(struct json object)
{
	struct pi_line f;
	pi_line_read(object, &f);
	enum json_type time = json_type(f.timestamp);
	bool known =
		pi_type(&f) != ENTRY_OTHER || json_is(f.type, SPAN("custom"));
	/* Entries of version 1 have no ids, and only these types. */
	if (!json_is_string(f.id))
		return time == JSON_STRING &&
		       JSON_IS(f.type, "message", "compaction", "model_change",
			       "thinking_level_change");
	return time == JSON_STRING || (known && time != JSON_ABSENT) ||
	       json_type(f.parentId) != JSON_ABSENT || pi_is_header(object);
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
	else
		json_write_number(&w, "version", has_ids ? PI_VERSION : 1);
	json_write_value(&w, "id", facts[HEADER_ID]);
	json_write_value(&w, "timestamp", facts[HEADER_TIME]);
	json_write_value(&w, "cwd", facts[HEADER_CWD]);
	json_end_object(&w);
}

const struct dialect_rescue pi_rescue = {
	.opens = "pi --session ",
	.id = "id",
	.parent = "parentId",
	.time = "timestamp",
	.leaf_is_last = true,
	.is_line = pi_is_line,
	.is_header = pi_is_header,
	.make_header = pi_make_header,
};
