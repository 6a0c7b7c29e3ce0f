#include "mount/commands/fast_export/fast_export.h"

#include "core/session/file_name.h"

/* git appends ".lock" to a ref's name while it writes the ref. */
#define NAME_MOST (FILE_NAME_LIMIT - sizeof(".lock") + 1)

static bool is_refused(struct span name, size_t i)
{
	unsigned char c = (unsigned char)name.p[i];
	struct span rest = span_from(name, i);
	if (c == '.')
		return rest.n == 1 || span_eq(rest, SPAN(".lock")) ||
		       (i > 0 && name.p[i - 1] == '.');
	return c <= ' ' || c == 0x7F || strchr("~^:?*[\\/", c) != NULL ||
	       span_starts(rest, SPAN("@{"));
}

void refs_add(struct buf *out, struct span file_name)
{
	struct buf name BUF_SCOPED = BUF_INTO(out);
	/* Git would take it for something else. */
	bool reserved = span_starts(file_name, SPAN("-")) ||
			span_eq(file_name, SPAN("@")) ||
			span_eq(file_name, SPAN("HEAD"));
	for (size_t i = 0; i < file_name.n; i++) {
		if ((i == 0 && reserved) || is_refused(file_name, i))
			buf_addf(&name, "%%%02X",
				 (unsigned char)file_name.p[i]);
		else
			buf_addc(&name, file_name.p[i]);
	}
	if (name.len > NAME_MOST)
		name.len = file_name_cut(name.data, NAME_MOST, file_name);
	buf_add(out, buf_span(&name));
}
