#include "mount/commands/agent_sessions.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/pathname.h"
#include "core/base/text.h"
#include "core/dialects/registry.h"
#include "core/file/whole.h"
#include "core/json/json.h"
#include "core/json/timestamp.h"
#include "core/show/words.h"
#include "mount/cli/status.h"

/* The first lines of a session have its directory, unless it may move. */
#define HEAD_SIZE ((size_t)64 << 10)

static const struct agent_folder *folder_of(const struct agent_sessions *s,
					    const struct list_file *f)
{
	return &s->folders.list[f->source];
}

const struct dialect *agent_sessions_agent(const struct agent_sessions *s,
					   const struct summaries_row *row)
{
	return folder_of(s, row->owned)->agent;
}

static bool is_subagent_file(const struct dialect_home *home, struct span name)
{
	return home->is_subagent_file && home->is_subagent_file(name);
}

/* Is it of an id that starts so? */
static bool has_id(struct span name, struct span start)
{
	struct span ids = agent_ids_in_name(name);
	if (span_starts(ids, start))
		return true;
	(void)span_next(&ids, '_');
	return span_starts(ids, start);
}

static bool wants(void *data, const struct list_file *f)
{
	const struct agent_sessions *s = data;
	const struct agent_folder *folder = folder_of(s, f);
	struct span name = span_last_part(span_of(f->path));
	if (is_subagent_file(folder->agent->home, name) ||
	    (s->how->is_kept && !folder->kept))
		return false;
	return !s->how->id || has_id(name, span_of(s->how->id));
}

/* Is this text the rest of a member, after its name, with such a string? */
static bool has_value(struct span rest, struct span value)
{
	const char *end = rest.p + rest.n;
	const char *p = scan_past_space(rest.p, end);
	if (p == end || *p != ':')
		return false;
	p = scan_past_space(p + 1, end);
	const char *past = p < end && *p == '"' ? scan_string(p, end) : NULL;
	struct json v;
	return past &&
	       json_check((struct span){ p, (size_t)(past - p) }, &v) == 0 &&
	       json_is(v, value);
}

/* Is there a member "cwd" with this value in bytes that need not be JSON? */
static bool has_cwd(struct span rest, struct span cwd)
{
	static const struct span name = SPAN("\"cwd\"");
	bool has = false;
	const char *at;
	while (!has && rest.n > 0 &&
	       (at = memmem(rest.p, rest.n, name.p, name.n))) {
		rest.n -= (size_t)(at + name.n - rest.p);
		rest.p = at + name.n;
		has = has_value(rest, cwd);
	}
	return has;
}

static bool starts_with_cwd(const char *path, struct span cwd)
{
	struct buf head = { 0 };
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	bool has = fd >= 0 && whole_read_file(fd, HEAD_SIZE, &head) == 0 &&
		   has_cwd(buf_span(&head), cwd);
	if (fd >= 0)
		close(fd);
	buf_free(&head);
	return has;
}

/* In a shared folder most sessions are of other directories. */
static bool reads(void *data, const struct list_file *f)
{
	const struct agent_sessions *s = data;
	const struct agent_folder *folder = folder_of(s, f);
	struct buf cwd = { 0 };
	if (!s->how->dir || !folder->shared || folder->agent->home->moves)
		return true;
	text_add_utf8(&cwd, span_of(s->how->dir));
	bool has = !cwd.failed && starts_with_cwd(f->path, buf_span(&cwd));
	buf_free(&cwd);
	return has;
}

/* `dir` is the directory as a row has it. */
static bool is_row(const struct agent_sessions *s,
		   const struct summaries_row *row, struct span dir)
{
	const struct agent_folder *folder = folder_of(s, row->owned);
	if (row->is_listed && s->how->dir && folder->shared &&
	    !span_eq(summary_column(&row->summary, SUMMARY_CWD), dir))
		return false;
	if (s->how->is_newest)
		return row->is_listed || !folder->shared;
	/* An id names a session, whoever wrote it. */
	if (row->summary.subagent && !s->how->id)
		return false;
	return row->is_listed &&
	       !span_eq(summary_column(&row->summary, SUMMARY_ENTRIES),
			SPAN("0"));
}

static int take_rows(struct agent_sessions *s)
{
	const struct summaries *table = &s->listing.table;
	struct buf dir = { 0 };
	if (s->how->dir)
		words_add_plain(&dir, span_of(s->how->dir));
	s->rows = calloc(table->n + 1, sizeof(*s->rows));
	for (size_t i = 0; i < table->n && s->rows; i++) {
		if (is_row(s, &table->rows[i], buf_span(&dir)))
			s->rows[s->n++] = &table->rows[i];
	}
	int err = s->rows ? buf_error(&dir) : -ENOMEM;
	buf_free(&dir);
	return err;
}

int agent_sessions_find(struct agent_sessions *s,
			const struct agent_sessions_how *how)
{
	s->how = how;
	s->listing = (struct listing){ .is_quiet = how->is_quiet,
				       .wants = wants,
				       .reads = reads,
				       .data = s };
	int err = agent_folders_find(&s->folders, &dialect_registry, how->agent,
				     how->dir, false);
	for (size_t i = 0; i < s->folders.n && !err; i++)
		listing_add(&s->listing, s->folders.list[i].path);
	if (!err)
		err = listing_make(&s->listing);
	if (!err)
		err = take_rows(s);
	return err ? status_error("sessions", err) : STATUS_OK;
}

void agent_sessions_free(struct agent_sessions *s)
{
	free(s->rows);
	listing_free(&s->listing);
	agent_folders_free(&s->folders);
}

/* Is the file where its agent looks for sessions to go on from? */
static bool is_in_place(const struct agent_sessions *s,
			const struct list_file *f)
{
	const struct agent_folder *folder = folder_of(s, f);
	size_t n = strlen(folder->path);
	unsigned slashes = 0;
	for (const char *p = f->shown + n + (f->shown[n] == '/'); *p; p++)
		slashes += *p == '/';
	return slashes == (folder->agent->home->by_day ? 3 : 0);
}

/* Names begin with the time, so of files of one second the last is newer. */
static bool is_newer(const struct summaries_row *a,
		     const struct summaries_row *b, bool by_entry)
{
	const struct list_file *x = a->owned;
	const struct list_file *y = b->owned;
	if (by_entry && a->summary.time != b->summary.time)
		return a->summary.time > b->summary.time;
	for (size_t i = 0; i < 2; i++) {
		if (x->was.mtime[i] != y->was.mtime[i])
			return x->was.mtime[i] > y->was.mtime[i];
	}
	return strcmp(x->path, y->path) > 0;
}

const struct summaries_row *
agent_sessions_newest(const struct agent_sessions *s)
{
	const struct summaries_row *newest = NULL;
	const struct summaries_row *passed = NULL;
	for (size_t i = 0; i < s->n; i++) {
		const struct summaries_row *row = s->rows[i];
		const struct list_file *f = row->owned;
		if (!is_in_place(s, f) || f->was.size == 0)
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

static void add_when(int64_t time, struct buf *out)
{
	struct buf text = { 0 };
	timestamp_add_local(&text, time, TIMESTAMP_MINUTE);
	const char *when = buf_cstr(&text);
	buf_addf(out, "%-16s", when ? when : "");
	buf_free_into(&text, out);
}

/* A path below the home directory begins with "~". */
static void add_where(struct span cwd, struct buf *out)
{
	const char *home = getenv("HOME");
	char *real = home && *home ? realpath(home, NULL) : NULL;
	pathname_begin_home(out, &cwd, real);
	buf_add(out, cwd);
	free(real);
}

void agent_sessions_add_text(const struct agent_sessions *s,
			     const struct summaries_row *row, struct buf *out)
{
	buf_addf(out, "%-6s  ", agent_sessions_agent(s, row)->name);
	add_when(row->summary.time, out);
	buf_adds(out, "  ");
	add_where(summary_column(&row->summary, SUMMARY_CWD), out);
	buf_adds(out, "  ");
	summary_add_drawn(&row->summary, out);
}

static int print_rows(const struct agent_sessions *s)
{
	struct buf out = { 0 };
	for (size_t i = 0; i < s->n; i++) {
		const struct summaries_row *row = s->rows[i];
		buf_addf(&out, "%s\t", agent_sessions_agent(s, row)->name);
		summary_add_line(&row->summary, span_of(row->shown), &out);
	}
	int err = buf_error(&out);
	if (!err)
		err = whole_write(STDOUT_FILENO, buf_span(&out));
	buf_free(&out);
	return err ? status_output(err) : s->listing.status;
}

int agent_sessions_print(const struct agent_sessions_how *how)
{
	struct agent_sessions s = { 0 };
	int status = agent_sessions_find(&s, how);
	if (!status)
		status = print_rows(&s);
	agent_sessions_free(&s);
	return status;
}
