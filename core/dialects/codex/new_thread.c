/*
 * What is the same of all threads that are made here and not by the agent: the
 * id of one, and its session_meta.
 */
#include "core/dialects/codex/codex.h"

#include <string.h>

#include "core/base/text.h"
#include "core/json/timestamp.h"

void codex_new_id(const struct id_space *space, struct span name, int64_t time,
		  struct buf *id)
{
	uint64_t ms = time == TIMESTAMP_NONE || time < 0 ? 0 : (uint64_t)time;
	size_t from = id->len;
	struct buf start = { 0 };
	ids_derive_uuid(space, id, name);
	buf_addf(&start, "%08x-%04x-7", (unsigned)(ms >> 16),
		 (unsigned)(ms & 0xffff));
	if (!id->failed && !start.failed)
		memcpy(id->data + from, start.data, start.len);
	buf_free_into(&start, id);
}

void codex_write_meta(struct json_writer *w, struct span id, struct span from,
		      struct json time, struct json cwd)
{
	json_write_string(w, "id", id);
	json_write_string(w, "session_id", id);
	if (text_is_uuid(from))
		json_write_string(w, "forked_from_id", from);
	json_write_value(w, "timestamp", time);
	json_write_value(w, "cwd", cwd);
	json_write_word(w, "originator", "sessfs");
	json_write_word(w, "cli_version", CODEX_VERSION);
	json_write_word(w, "source", "cli");
	json_write_word(w, "history_mode", "paginated");
}
