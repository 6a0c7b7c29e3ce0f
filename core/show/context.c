#include "core/show/context.h"

#include "core/base/text.h"
#include "core/session/dialect.h"

int context_add(const struct session *s, uint32_t entry, enum message_form form,
		struct buf *out)
{
	struct path path;
	bool as_json = form == MESSAGE_FORM_JSON;
	size_t from = out->len;
	struct messages to = { .out = out,
			       .form = form,
			       .read_block = s->dialect->read_block };

	int err = path_load(&path, s, entry);
	if (err)
		return err;
	buf_adds(out, as_json ? "[" : "");
	size_t first = out->len;
	buf_adds(out, as_json ? "\n" : "");
	err = s->dialect->context(s, &path, &to);
	if (as_json) {
		/* Nothing was added: [] */
		if (to.n == 0 && !out->failed)
			out->len = first;
		buf_adds(out, to.n > 0 ? "\n]\n" : "]\n");
	} else if (to.n > 0) {
		buf_addc(out, '\n');
		text_finish(out, from);
	}
	path_free(&path);
	return err ? err : buf_error(out);
}
