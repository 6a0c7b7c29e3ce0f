#include "mount/operands/session_line.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/columns.h"
#include "core/base/pathname.h"
#include "core/base/text.h"
#include "core/json/timestamp.h"
#include "core/session/dialect.h"
#include "core/show/session_title.h"
#include "core/show/words.h"

/* Of a longer working directory the last folders are kept. */
#define CWD_COLUMNS 30

/* The title has so many columns at least. */
#define TITLE_LEAST 20

/* A directory with "~" for the home directory, the end of it if it is long. */
static void add_directory(struct buf *out, struct span dir)
{
	pathname_begin_home(out, &dir, getenv("HOME"));
	if (dir.n > CWD_COLUMNS) {
		const char *end = dir.p + dir.n;
		const char *from = end - CWD_COLUMNS;
		const char *slash = memchr(from, '/', CWD_COLUMNS);
		from = slash ? slash : memrchr(dir.p, '/', dir.n);
		if (from && from > dir.p) {
			buf_adds(out, out->len > 0 ? "/…" : "…");
			dir = (struct span){ from, (size_t)(end - from) };
		}
	}
	words_add_plain(out, dir);
}

static int add_place(const struct session *s, struct buf *out)
{
	struct buf cwd BUF_SCOPED = BUF_INTO(out);
	struct buf shown BUF_SCOPED = BUF_INTO(out);
	json_decode(&cwd, session_header(s, "cwd"));
	text_finish(&cwd, 0);
	add_directory(&shown, buf_span(&cwd));
	buf_adds(out, s->dialect->name);
	if (shown.len > 0)
		buf_addc(out, ' ');
	buf_add(out, buf_span(&shown));
	int64_t ms = session_title_time(s);
	if (ms != TIMESTAMP_NONE)
		buf_addc(out, ' ');
	timestamp_add_local(out, ms, TIMESTAMP_DAY);
	return buf_error(out);
}

int session_line_add(const struct session *s, size_t columns, struct buf *out)
{
	struct buf title BUF_SCOPED = BUF_INTO(out);
	size_t from = out->len;
	int err = add_place(s, out);
	if (err)
		return err;
	size_t taken =
		columns_of((struct span){ out->data + from, out->len - from }) +
		3;
	err = session_title_add(s,
				taken + TITLE_LEAST < columns ? columns - taken
							      : TITLE_LEAST,
				&title);
	if (title.len > 0) {
		buf_adds(out, " \"");
		buf_add(out, buf_span(&title));
		buf_addc(out, '"');
	}
	return err ? err : buf_error(out);
}
