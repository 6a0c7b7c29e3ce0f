#include "core/show/context.h"

#include "core/base/text.h"
#include "core/json/writer.h"
#include "core/session/dialect.h"

int context_add(const struct session *s, uint32_t entry, enum message_form form,
		struct buf *out)
{
	struct path path;
	bool as_json = form == MESSAGE_FORM_JSON;
	size_t from = out->len;
	struct messages to = { .out = out,
			       .form = form,
			       .json = { .out = out, .utf8 = true },
			       .read_block = s->dialect->showing->read_block };

	int err = path_load(&path, s, entry);
	if (err)
		return err;
	if (as_json)
		json_begin_array(&to.json, NULL);
	err = s->dialect->sending->context(s, &path, &to);
	if (as_json) {
		json_end_lines(&to.json);
	} else if (to.n > 0) {
		buf_addc(out, '\n');
		text_finish(out, from);
	}
	path_free(&path);
	return err ? err : buf_error(out);
}
