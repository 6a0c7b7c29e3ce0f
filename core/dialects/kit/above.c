#include "core/dialects/kit/above.h"

#include "core/session/bookkeeping.h"

int above_read(const struct session *s, uint32_t leaf, uint32_t top,
	       uint32_t types, bool (*read)(struct buf *out, struct json entry),
	       struct buf *out)
{
	struct buf line = { 0 };
	bool found = false;
	int err = 0;
	for (uint32_t i = leaf; i != INDEX_NONE && !err && !found;
	     i = i == top ? INDEX_NONE : session_entry(s, i)->parent) {
		struct json entry;
		if (!bookkeeping_has(types, session_entry(s, i)->type))
			continue;
		err = session_read(s, i, &line, &entry);
		found = !err && read(out, entry);
	}
	buf_free(&line);
	return err ? err : buf_error(out);
}
