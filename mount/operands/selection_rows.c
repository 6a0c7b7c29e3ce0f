#include <stdlib.h>
#include <string.h>

#include "core/base/columns.h"
#include "core/base/pathname.h"
#include "core/catalogue/session_name.h"
#include "core/json/timestamp.h"
#include "mount/operands/selection.h"
#include "mount/operands/session_file.h"

/* Is the file where its agent looks for sessions to go on from? */
static bool is_in_place(const struct selection *s,
			const struct session_row *row)
{
	const struct agent_folder *folder = &s->folders.list[row->source];
	size_t n = strlen(folder->path);
	unsigned slashes = 0;
	for (const char *p = row->shown + n + (row->shown[n] == '/'); *p; p++)
		slashes += *p == '/';
	return slashes == (folder->agent->home->by_day ? 3 : 0);
}

/* Names begin with the time, so of files of one second the last is newer. */
static bool is_newer(const struct session_row *a, const struct session_row *b,
		     bool by_entry)
{
	if (by_entry && a->summary.time != b->summary.time)
		return a->summary.time > b->summary.time;
	for (size_t i = 0; i < 2; i++) {
		if (a->version.mtime[i] != b->version.mtime[i])
			return a->version.mtime[i] > b->version.mtime[i];
	}
	return strcmp(a->path, b->path) > 0;
}

bool selection_is_kept(const struct selection *s, const struct session_row *row)
{
	return s->folders.n > 0 && s->folders.list[row->source].kept;
}

const struct session_row *selection_last_used(const struct selection *s)
{
	const struct session_row *newest = NULL;
	for (size_t i = 0; i < s->rows.n; i++) {
		const struct session_row *row = s->rows.list[i];
		if (!row->is_listed)
			continue;
		bool kept = selection_is_kept(s, row);
		bool other = newest && selection_is_kept(s, newest) != kept;
		if (!newest || (other ? !kept : is_newer(row, newest, true)))
			newest = row;
	}
	return newest;
}

const struct session_row *selection_newest(const struct selection *s)
{
	const struct session_row *newest = NULL;
	const struct session_row *passed = NULL;
	for (size_t i = 0; i < s->rows.n; i++) {
		const struct session_row *row = s->rows.list[i];
		if (!is_in_place(s, row) || row->version.size == 0)
			continue;
		if (!row->is_listed || !row->summary.resumable) {
			if (!passed || is_newer(row, passed, false))
				passed = row;
		} else if (!row->summary.subagent &&
			   (!newest || is_newer(row, newest, true))) {
			newest = row;
		}
	}
	return newest ? newest : passed;
}

/* A shorter directory is padded, so that titles are below each other. Of a
   longer one the last folders are kept, and so much of a long name, so that
   there is a title on a terminal of 80 columns. */
#define WHERE_COLUMNS 14
#define WHERE_LENGTH 24
#define WHERE_MOST 28

/* Of "2026-03-01 10:00". */
#define WHEN_COLUMNS 16

static void add_padded(struct buf *out, const struct buf *text, size_t columns)
{
	size_t n = columns_of(buf_span(text));
	buf_add(out, buf_span(text));
	buf_addf(out, "%*s  ", n < columns ? (int)(columns - n) : 0, "");
}

void selection_add_text(const struct session_row *row, struct buf *out)
{
	struct buf id BUF_SCOPED = BUF_INTO(out);
	struct buf when BUF_SCOPED = BUF_INTO(out);
	struct buf dir BUF_SCOPED = BUF_INTO(out);
	struct buf where BUF_SCOPED = BUF_INTO(out);
	timestamp_add_local(&when, row->summary.time, TIMESTAMP_MINUTE);
	session_name_add_id(&id, row->path);
	/* A path below the home directory begins with "~". */
	const char *home = getenv("HOME");
	char *real = home && *home ? realpath(home, NULL) : NULL;
	session_line_add_directory(&dir,
				   summary_column(&row->summary, SUMMARY_CWD),
				   real, WHERE_LENGTH);
	columns_add_cut(&where, buf_span(&dir), WHERE_MOST);
	free(real);
	add_padded(out, &id, SESSION_NAME_ID);
	struct span agent = summary_column(&row->summary, SUMMARY_DIALECT);
	buf_addf(out, "%-6.*s  ", (int)agent.n, agent.p);
	add_padded(out, &when, WHEN_COLUMNS);
	add_padded(out, &where, WHERE_COLUMNS);
	summary_add_drawn(&row->summary, out);
}
