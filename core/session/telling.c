#include "core/session/dialect/telling.h"

#include "core/json/js.h"
#include "core/session/dialect.h"

/* Of the nearest entry, from the leaf upwards, that sets it. */
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
	return err ? err : buf_error(out);
}

int settings_at(const struct session *s, uint32_t leaf, struct buf *model,
		struct buf *thinking)
{
	const struct dialect_telling *d = s->dialect->telling;
	int err = 0;
	if (!d)
		return 0;
	for (int i = 0; i < 2 && d->model[i].types && model->len == 0; i++) {
		err = find(s, leaf, &d->model[i], model);
		if (err)
			return err;
	}
	if (d->thinking.types)
		err = find(s, leaf, &d->thinking, thinking);
	if (thinking->len == 0 && d->no_thinking)
		buf_adds(thinking, d->no_thinking);
	return err;
}
