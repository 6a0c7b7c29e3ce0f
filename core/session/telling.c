#include "core/session/dialect/telling.h"

#include "core/json/js.h"
#include "core/session/dialect.h"

/*
 * Append what the nearest entry sets, from the leaf upwards: 1, which may be an
 * empty text, 0 if none sets it, or -errno.
 */
static int find(const struct session *s, uint32_t leaf,
		const struct setting_row *row, struct buf *out)
{
	struct buf line BUF_SCOPED = { 0 };
	bool found = false;
	int err = 0;
	for (uint32_t i = leaf; i != INDEX_NONE && !err && !found;
	     i = session_entry(s, i)->parent) {
		struct json entry;
		if (!bookkeeping_has(row->types, session_entry(s, i)->type) ||
		    (row->may && !row->may(s, i)))
			continue;
		err = session_read(s, i, &line, &entry);
		found = !err && (row->at || row->read(out, entry));
		struct json v = { 0 };
		if (found && row->at)
			v = json_at(entry, span_of(row->at));
		if (!js_is_nullish(v))
			js_to_string(out, v);
	}
	if (!err)
		err = buf_error(out);
	return err ? err : found;
}

int settings_at(const struct session *s, uint32_t leaf, struct buf *model,
		struct buf *thinking)
{
	const struct dialect_telling *d = s->dialect->telling;
	int found = 0;
	if (!d)
		return 0;
	for (int i = 0; i < 2 && d->model[i].types && found == 0; i++)
		found = find(s, leaf, &d->model[i], model);
	if (found >= 0 && d->thinking.types)
		found = find(s, leaf, &d->thinking, thinking);
	if (found < 0)
		return found;
	if (thinking->len == 0 && d->no_thinking)
		buf_adds(thinking, d->no_thinking);
	return 0;
}
