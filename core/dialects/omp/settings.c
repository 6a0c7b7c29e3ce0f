#include "core/dialects/omp/settings.h"

#include "core/json/js.h"

/* Read an entry's model. *found: it was set as the default. */
static void read_model(struct json entry, struct buf *model, bool *found)
{
	JSON_FIELDS(f, entry, type, model, role, message);
	if (json_is(f.type, SPAN("model_change"))) {
		bool is_default = js_is_nullish(f.role) ||
				  json_is(f.role, SPAN("default"));
		*found = is_default && json_truthy(f.model);
		if (*found) {
			buf_clear(model);
			js_to_string(model, f.model);
		}
		return;
	}
	JSON_FIELDS(m, f.message, role, provider, model);
	if (model->len == 0 && json_is(m.role, SPAN("assistant"))) {
		js_to_string(model, m.provider);
		buf_addc(model, '/');
		js_to_string(model, m.model);
	}
}

static int find_model(const struct session *s, uint32_t leaf, struct buf *model)
{
	struct buf line = { 0 };
	bool found = false;
	int err = 0;
	for (uint32_t i = leaf; i != INDEX_NONE && !err && !found;
	     i = session_entry(s, i)->parent) {
		enum entry_type type = session_entry(s, i)->type;
		struct json entry;
		if (type != ENTRY_MODEL &&
		    (type != ENTRY_MESSAGE || model->len > 0))
			continue;
		err = session_read(s, i, &line, &entry);
		if (!err)
			read_model(entry, model, &found);
	}
	buf_free(&line);
	return err;
}

static int find_thinking(const struct session *s, uint32_t leaf,
			 struct buf *level)
{
	struct buf line = { 0 };
	struct json entry = { 0 };
	uint32_t i = leaf;
	while (i != INDEX_NONE && session_entry(s, i)->type != ENTRY_THINKING)
		i = session_entry(s, i)->parent;
	int err = i == INDEX_NONE ? 0 : session_read(s, i, &line, &entry);
	struct json v = json_get(entry, "thinkingLevel");
	if (!err && js_is_nullish(v))
		buf_adds(level, "off");
	else if (!err)
		js_to_string(level, v);
	buf_free(&line);
	return err;
}

int omp_settings(const struct session *s, uint32_t leaf, struct buf *model,
		 struct buf *thinking)
{
	int err = find_model(s, leaf, model);
	return err ? err : find_thinking(s, leaf, thinking);
}
