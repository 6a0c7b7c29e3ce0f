#include "core/catalogue/session_name.h"

#include <ctype.h>

#include "core/json/timestamp.h"
#include "core/places/agents.h"
#include "core/show/step_name.h"

/* Letters of a project in the name of a mount. */
#define PROJECT_LIMIT 24

/* "2026-11-26 14:32", in two parts; both are empty without a time. */
static void make_time(struct buf *text, int64_t time, struct span *day,
		      struct span *minute)
{
	timestamp_add_local(text, time, TIMESTAMP_MINUTE);
	*minute = buf_span(text);
	*day = span_next(minute, ' ');
}

void session_name_add_day(struct buf *out, const struct summary *s)
{
	struct buf text = { 0 };
	struct span day;
	struct span minute;
	make_time(&text, s->time, &day, &minute);
	buf_add(out, day.n > 0 ? day : SPAN("undated"));
	buf_free_into(&text, out);
}

static void add_time(struct buf *out, int64_t time, enum session_name_form form)
{
	struct buf text = { 0 };
	struct span day;
	struct span minute;
	make_time(&text, time, &day, &minute);
	if (form == SESSION_NAME_DAY)
		buf_add(out, day);
	for (size_t i = 0; form == SESSION_NAME_MINUTE && i < minute.n; i++) {
		if (minute.p[i] != ':')
			buf_addc(out, minute.p[i]);
	}
	if (day.n > 0)
		buf_addc(out, '-');
	buf_free_into(&text, out);
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

void session_name_add(const struct columns *c, struct buf *out,
		      const struct session_row *row,
		      enum session_name_form form)
{
	const struct summary *s = &row->summary;
	size_t limit = out->len + SESSION_NAME_LIMIT - SESSION_NAME_ID - 1;
	add_time(out, s->time, form);
	buf_add(out, summary_column(s, SUMMARY_DIALECT));
	size_t at = out->len;
	buf_addc(out, '-');
	step_name_squeeze(c, out, summary_column(s, SUMMARY_LAST_COLUMN), "",
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
	while (text.n > 0 && !isalnum((unsigned char)text.p[0])) {
		text.p++;
		text.n--;
	}
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
