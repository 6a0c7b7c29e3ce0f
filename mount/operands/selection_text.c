#include <stdlib.h>

#include "core/base/pathname.h"
#include "core/catalogue/session_name.h"
#include "core/json/timestamp.h"
#include "mount/operands/selection.h"

/* A shorter directory is padded, so that titles are below each other. */
#define WHERE_COLUMNS 14

/* Of "2026-03-01 10:00". */
#define WHEN_COLUMNS 16

/* Frees the text. */
static void add_padded(struct buf *out, struct buf *text, int columns)
{
	const char *padded = buf_cstr(text);
	buf_addf(out, "%-*s  ", columns, padded ? padded : "");
	buf_free_into(text, out);
}

void selection_add_text(const struct session_row *row, struct buf *out)
{
	struct buf id = { 0 };
	struct buf when = { 0 };
	struct buf where = { 0 };
	timestamp_add_local(&when, row->summary.time, TIMESTAMP_MINUTE);
	session_name_add_id(&id, row->path);
	/* A path below the home directory begins with "~". */
	const char *home = getenv("HOME");
	char *real = home && *home ? realpath(home, NULL) : NULL;
	struct span cwd = summary_column(&row->summary, SUMMARY_CWD);
	pathname_begin_home(&where, &cwd, real);
	buf_add(&where, cwd);
	free(real);
	add_padded(out, &id, SESSION_NAME_ID);
	struct span agent = summary_column(&row->summary, SUMMARY_DIALECT);
	buf_addf(out, "%-6.*s  ", (int)agent.n, agent.p);
	add_padded(out, &when, WHEN_COLUMNS);
	add_padded(out, &where, WHERE_COLUMNS);
	summary_add_drawn(&row->summary, out);
}
