#include "mount/commands/candidates.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/array.h"
#include "core/base/text.h"
#include "core/catalogue/session_name.h"
#include "core/places/agents.h"
#include "mount/operands/selection.h"

struct found {
	char *path; /* as it is offered */
	struct timespec time;
};

struct found_files {
	struct found *list;
	size_t n;
	size_t cap;
};

/*
 * Add what a folder has of a type and a suffix, each as `shown` and its name;
 * hidden ones only if they are asked for.
 */
static void find_in(const char *folder, const char *shown, mode_t type,
		    const char *suffix, bool hidden, struct found_files *to)
{
	DIR *dir = opendir(folder);
	const struct dirent *e;
	while (dir && (e = readdir(dir)) != NULL) {
		struct stat own;
		struct stat st;
		const char *name = e->d_name;
		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
		    (*name == '.') != hidden ||
		    !span_ends(span_of(name), span_of(suffix)) ||
		    fstatat(dirfd(dir), name, &st, 0) < 0 ||
		    (st.st_mode & S_IFMT) != type ||
		    fstatat(dirfd(dir), name, &own, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		struct buf path BUF_SCOPED = { 0 };
		buf_addf(&path, "%s%s", shown, name);
		const char *text = buf_cstr(&path);
		char *copy = text ? strdup(text) : NULL;
		struct found file = { copy, own.st_mtim };
		if (!copy || array_add(&to->list, &to->cap, &to->n, file))
			free(copy);
	}
	if (dir)
		closedir(dir);
}

static int by_time(const void *a, const void *b)
{
	const struct found *x = a;
	const struct found *y = b;
	if (x->time.tv_sec != y->time.tv_sec)
		return x->time.tv_sec < y->time.tv_sec ? 1 : -1;
	if (x->time.tv_nsec != y->time.tv_nsec)
		return x->time.tv_nsec < y->time.tv_nsec ? 1 : -1;
	return -strcmp(x->path, y->path);
}

/* In the folder that is typed; "~" is the home directory. */
static void find_typed(const struct candidates *c, mode_t type,
		       const char *suffix, struct found_files *to)
{
	const char *slash = strrchr(c->word, '/');
	const char *home = getenv("HOME");
	size_t n = slash ? (size_t)(slash + 1 - c->word) : 0;
	char *typed = strndup(c->word, n);
	struct buf real BUF_SCOPED = { 0 };
	bool tilde = strncmp(c->word, "~/", 2) == 0 && n > 0 && home;
	if (tilde)
		buf_addf(&real, "%s/", home);
	if (typed)
		buf_adds(&real, tilde ? typed + 2 : typed);
	if (n == 0)
		buf_adds(&real, "./");
	const char *folder = buf_cstr(&real);
	if (folder && typed)
		find_in(folder, typed, type, suffix, c->word[n] == '.', to);
	free(typed);
}

static void put_files(const struct candidates *c, struct found_files *f,
		      const char *end)
{
	if (f->n > 1)
		qsort(f->list, f->n, sizeof(*f->list), by_time);
	for (size_t i = 0; i < f->n; i++) {
		struct buf path BUF_SCOPED = { 0 };
		buf_addf(&path, "%s%s", f->list[i].path, end);
		candidates_put(c, 'f', buf_span(&path), SPAN(""));
		free(f->list[i].path);
	}
	free(f->list);
}

void candidates_add_folders(const struct candidates *c)
{
	struct found_files f = { 0 };
	find_typed(c, S_IFDIR, "", &f);
	put_files(c, &f, "/");
}

/* So many are offered before anything is typed. */
#define SESSIONS_OFFERED 50

/*
 * Put the id of a session: its end, as lists have it, or the whole of one of
 * which something else is typed. What is known of the session is behind it.
 */
static void put_session(const struct candidates *c,
			const struct session_row *row)
{
	struct buf id BUF_SCOPED = { 0 };
	struct buf text BUF_SCOPED = { 0 };
	struct span name = agent_id_in_name(span_last_part(span_of(row->path)));
	session_name_add_id(&id, row->path);
	if (!span_starts(buf_span(&id), span_of(c->word)) ||
	    !span_ends(name, buf_span(&id))) {
		buf_clear(&id);
		buf_add(&id, name);
	}
	if (row->is_listed && span_starts(buf_span(&id), span_of(c->word)))
		selection_add_text(row, &text);
	struct span rest = buf_span(&text);
	(void)span_next(&rest, ' '); /* the id again */
	if (id.len >= SELECTION_ID_LEAST)
		candidates_put(c, 'w', buf_span(&id), text_trim(rest));
}

/* The newest first; those that were never read come last. */
static void put_sessions(const struct candidates *c)
{
	const struct select_by by = { .is_quiet = true, .is_known = true };
	struct selection s = { 0 };
	if (strchr(c->word, '/'))
		return;
	(void)selection_make(&s, &by, NULL, 0);
	for (size_t i = 0; i < s.rows.n && (*c->word || i < SESSIONS_OFFERED);
	     i++)
		put_session(c, s.rows.list[i]);
	selection_free(&s);
}

void candidates_add_sessions(const struct candidates *c)
{
	struct found_files f = { 0 };
	find_typed(c, S_IFREG, ".jsonl", &f);
	put_files(c, &f, "");
	put_sessions(c);
	candidates_add_folders(c);
}

void candidates_add_files(const struct candidates *c)
{
	struct found_files f = { 0 };
	find_typed(c, S_IFREG, "", &f);
	put_files(c, &f, "");
	candidates_add_folders(c);
}

void candidates_add_projects(const struct candidates *c)
{
	const struct select_by by = { .is_quiet = true, .is_known = true };
	struct selection s = { 0 };
	(void)selection_make(&s, &by, NULL, 0);
	for (size_t i = 0; i < s.rows.n; i++) {
		struct span cwd =
			summary_column(&s.rows.list[i]->summary, SUMMARY_CWD);
		struct span name = span_last_part(cwd);
		if (s.rows.list[i]->is_listed && name.n > 0)
			candidates_put(c, 'w', name, SPAN(""));
	}
	selection_free(&s);
}
