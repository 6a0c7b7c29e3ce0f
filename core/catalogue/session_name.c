#include "core/catalogue/session_name.h"

#include <ctype.h>

#include "core/places/agents.h"
#include "core/show/step_name.h"

/* Letters of a project in the name of a mount. */
#define PROJECT_LIMIT 24

void session_name_add_day(struct buf *out, const struct summary *s)
{
	size_t from = out->len;
	timestamp_add_local(out, s->time, TIMESTAMP_DAY);
	if (out->len == from)
		buf_adds(out, "undated");
}

void session_name_add_id(struct buf *out, const char *path)
{
	struct span id = agent_id_in_name(span_last_part(span_of(path)));
	char end[SESSION_NAME_ID];
	size_t n = 0;
	while (id.n > 0 && n < sizeof(end)) {
		unsigned char c = (unsigned char)id.p[--id.n];
		if (c < 0x80 && isalnum(c))
			end[sizeof(end) - ++n] = (char)c;
	}
	buf_add(out, (struct span){ end + sizeof(end) - n, n });
}

void session_name_add(struct buf *out, const struct session_row *row,
		      enum timestamp_form form)
{
	const struct summary *s = &row->summary;
	size_t from = out->len;
	size_t limit = from + SESSION_NAME_LIMIT - SESSION_NAME_ID - 1;
	timestamp_add_local(out, s->time, form);
	if (out->len > from)
		buf_addc(out, '-');
	buf_add(out, summary_column(s, SUMMARY_DIALECT));
	size_t at = out->len;
	buf_addc(out, '-');
	step_name_squeeze(out, summary_column(s, SUMMARY_LAST_COLUMN), "",
			  STEP_NAME_LETTERS, limit);
	if (out->len > at + 1)
		buf_addc(out, '-');
	session_name_add_id(out, row->path);
	if (out->len == at + 1)
		out->len = at;
}

/* Append what a file name may have of a text; other bytes are "_". */
static void add_plain(struct buf *out, struct span text, size_t limit)
{
	size_t from = out->len;
	while (text.n > 0 && !isalnum((unsigned char)text.p[0]))
		text = span_from(text, 1);
	for (size_t i = 0; i < text.n && out->len - from < limit; i++) {
		unsigned char c = (unsigned char)text.p[i];
		bool is_kept = c < 0x80 && (isalnum(c) || memchr(".-", c, 2));
		bool again = !is_kept && out->len > from && !out->failed &&
			     out->data[out->len - 1] == '_';
		if (!again)
			buf_addc(out, is_kept ? (char)c : '_');
	}
}

void session_name_add_mount(struct buf *out, const struct session_row *row,
			    const char *agent)
{
	const struct summary *s = &row->summary;
	struct span parts[] = { summary_column(s, SUMMARY_CWD),
				agent ? span_of(agent)
				      : summary_column(s, SUMMARY_DIALECT) };
	size_t start = out->len;
	parts[0] = span_last_part(parts[0]);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		size_t from = out->len;
		add_plain(out, parts[i], PROJECT_LIMIT);
		if (out->len > from)
			buf_addc(out, '-');
	}
	size_t from = out->len;
	session_name_add_id(out, row->path);
	if (out->len == from && out->len > start && !out->failed)
		out->len--;
}
