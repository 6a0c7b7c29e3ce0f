#include <string.h>

#include "core/session/dialect.h"
#include "mount/operands/selection.h"

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
