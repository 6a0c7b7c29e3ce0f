#include "mount/commands/candidates.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/array.h"
#include "core/base/text.h"
#include "core/catalogue/session_name.h"
#include "core/dialects/registry.h"
#include "core/places/agents.h"
#include "core/session/file_name.h"
#include "core/show/rows.h"
#include "core/show/touches.h"
#include "core/show/words.h"
#include "mount/commands/commands.h"
#include "mount/operands/selection.h"
#include "mount/operands/target.h"

/* Columns of an entry's words. */
#define WORDS_COLUMNS 60

/* Print a record: w for a word, p for one that more follows, f for a file. */
static void put(const struct candidates *c, char kind, struct span word,
		struct span help)
{
	putchar(kind);
	fputs(c->prefix, stdout);
	fwrite(word.p, 1, word.n, stdout);
	if (help.n > 0) {
		putchar('\t');
		fwrite(help.p, 1, help.n, stdout);
	}
	putchar('\0');
}

void candidates_add(const struct candidates *c, const char *word,
		    const char *help)
{
	size_t n = strlen(word);
	bool continues = n > 0 && word[n - 1] == '=';
	struct span rest = span_of(help ? help : "");
	struct buf text BUF_SCOPED = { 0 };
	struct span line;
	while ((line = span_next_line(&rest)).n > 0) {
		buf_adds(&text, text.len > 0 ? " " : "");
		buf_add(&text, line);
	}
	put(c, continues ? 'p' : 'w', span_of(word), buf_span(&text));
}

void candidates_add_commands(const struct candidates *c)
{
	for (const struct command *const *k = commands; *k; k++)
		candidates_add(c, (*k)->name, (*k)->help);
}

/* -- files and sessions */

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
		struct buf path = { 0 };
		buf_addf(&path, "%s%s", shown, name);
		struct found file = { buf_take(&path), own.st_mtim };
		if (!file.path || array_add(&to->list, &to->cap, &to->n, file))
			free(file.path);
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
		put(c, 'f', buf_span(&path), SPAN(""));
		free(f->list[i].path);
	}
	free(f->list);
}

/* Of candidates that are files, the newest first. */
static void add_folders(const struct candidates *c)
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
		put(c, 'w', buf_span(&id), text_trim(rest));
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

/* The sessions of the agents, too, by their ids. */
static void add_sessions(const struct candidates *c)
{
	struct found_files f = { 0 };
	find_typed(c, S_IFREG, ".jsonl", &f);
	put_files(c, &f, "");
	put_sessions(c);
	add_folders(c);
}

static void add_files(const struct candidates *c)
{
	struct found_files f = { 0 };
	find_typed(c, S_IFREG, "", &f);
	put_files(c, &f, "");
	add_folders(c);
}

/* The last parts of the working directories of the agents' sessions. */
static void add_projects(const struct candidates *c)
{
	const struct select_by by = { .is_quiet = true, .is_known = true };
	struct selection s = { 0 };
	(void)selection_make(&s, &by, NULL, 0);
	for (size_t i = 0; i < s.rows.n; i++) {
		struct span cwd =
			summary_column(&s.rows.list[i]->summary, SUMMARY_CWD);
		struct span name = span_last_part(cwd);
		if (s.rows.list[i]->is_listed && name.n > 0)
			put(c, 'w', name, SPAN(""));
	}
	selection_free(&s);
}

/* -- entries */

/* "user  Write a word counter", with an entry's label and HEAD's mark. */
static void add_words(struct words *w, const struct session *s, uint32_t entry,
		      struct buf *out)
{
	struct buf line BUF_SCOPED = { 0 };
	struct json json;
	struct span label = session_label(s, entry);
	if (session_read(s, entry, &line, &json) == 0) {
		words_add_kind(w, out, json, WORDS_COLUMNS);
		buf_adds(out, "  ");
		(void)words_add(w, out, entry, json, WORDS_COLUMNS);
	}
	if (label.n > 0) {
		buf_adds(out, " [");
		(void)words_add_fit(out, label, WORDS_COLUMNS);
		buf_addc(out, ']');
	}
	if (entry == session_head(s))
		buf_adds(out, " ← HEAD");
}

static void add_entry(const struct candidates *c, struct words *w,
		      const struct session *s, uint32_t entry, struct span name)
{
	struct buf text BUF_SCOPED = { 0 };
	/* It would be taken for an option. */
	if (name.n == 0 || name.p[0] == '-')
		return;
	/* Lines of thousands of entries are not read to offer one of them. */
	if (entry != INDEX_NONE && span_starts(name, span_of(c->word)))
		add_words(w, s, entry, &text);
	put(c, 'w', name, buf_span(&text));
}

static void add_entry_by_id(const struct candidates *c, struct words *w,
			    const struct session *s, uint32_t entry)
{
	struct buf name BUF_SCOPED = { 0 };
	file_name_add(&name, index_id(&s->now.index, entry), FILE_NAME_ALONE);
	add_entry(c, w, s, entry, buf_span(&name));
}

static void add_entries_of(const struct candidates *c, const struct session *s)
{
	const struct index *x = &s->now.index;
	const struct labels *l = &s->now.labels;
	uint32_t head = session_head(s);
	uint32_t parent = head == INDEX_NONE
				  ? INDEX_NONE
				  : bookkeeping_shown_parent(x, head);
	struct words w;
	words_begin(&w, s);
	add_entry(c, &w, s, head, SPAN("HEAD"));
	add_entry(c, &w, s, parent, SPAN("HEAD/parent"));
	for (uint32_t i = labels_next(l, 0); i != INDEX_NONE;
	     i = labels_next(l, i + 1)) {
		struct buf name BUF_SCOPED = { 0 };
		file_name_add(&name, session_label(s, i), FILE_NAME_ALONE);
		add_entry(c, &w, s, i, buf_span(&name));
	}
	for (uint32_t i = 0; i < x->n; i++) {
		if (bookkeeping_is_tip(x, i))
			add_entry_by_id(c, &w, s, i);
	}
	for (uint32_t i = 0; i < x->n; i++) {
		if (!bookkeeping_is_tip(x, i) && !x->entries[i].bookkeeping)
			add_entry_by_id(c, &w, s, i);
	}
	words_end(&w);
}

/* In the session that the last word after the cursor is in, or the working
   directory. A session stands for its HEAD. */
static void add_entries(const struct candidates *c)
{
	struct target t;
	int status = target_session(&t, c->after);
	if (!status)
		add_entries_of(c, t.session);
	target_free(&t);
	if (status || *c->word)
		add_sessions(c);
}

/* -- files that were touched */

void candidates_add_touched(const struct candidates *c)
{
	struct target t;
	struct touch touch;
	int status = target_session(&t, c->after);
	for (uint32_t i = 0; !status && touches_get(t.session, i, &touch) == 1;
	     i++) {
		struct buf path BUF_SCOPED = { 0 };
		if (touch.number == 1 &&
		    touches_add_line(t.session, touch.folder, &path) == 0)
			put(c, 'w', buf_span(&path), SPAN(""));
	}
	target_free(&t);
	if (status)
		add_files(c);
}

/* -- words */

static void add_roles(const struct candidates *c)
{
	for (const char *const *role = rows_roles; *role; role++)
		candidates_add(c, *role, NULL);
}

static void add_agents(const struct candidates *c)
{
	for (size_t i = 0; i < dialect_registry.n; i++) {
		const struct dialect *d = dialect_registry.rows[i];
		if (agent_named(&dialect_registry, d->name))
			candidates_add(c, d->name, NULL);
	}
}

static void add_kinds_of_tools(const struct candidates *c)
{
	for (int kind = 0; kind < TOOL_KINDS; kind++)
		candidates_add(c, tool_kind_name(kind), NULL);
}

static void add_orders(const struct candidates *c)
{
	candidates_add(c, "time", "the newest first");
	candidates_add(c, "path", NULL);
}

static void add_mount_option(const struct candidates *c,
			     const struct mount_option *row)
{
	bool is_dialect = row->kind == MOUNT_OPTION_DIALECT;
	for (size_t i = 0; i < (is_dialect ? dialect_registry.n : 1); i++) {
		char word[80];
		snprintf(word, sizeof(word), "%s%s%s", row->name,
			 row->value ? "=" : "",
			 is_dialect ? dialect_registry.rows[i]->name : "");
		candidates_add(c, word, row->help);
	}
}

void candidates_add_mount_options(const struct candidates *c, unsigned takers)
{
	const char *comma = strrchr(c->word, ',');
	struct buf prefix BUF_SCOPED = { 0 };
	buf_adds(&prefix, c->prefix);
	if (comma)
		buf_add(&prefix, (struct span){ c->word, (size_t)(comma + 1 -
								  c->word) });
	struct candidates list = *c;
	list.prefix = buf_cstr(&prefix);
	for (const struct mount_option *row = mount_options;
	     row->name && list.prefix; row++) {
		if (row->takers & takers)
			add_mount_option(&list, row);
	}
}

void candidates_add_named(const struct candidates *c, struct span name,
			  bool is_value)
{
	static const struct {
		const char *name;
		void (*add)(const struct candidates *c);
		void (*add_value)(const struct candidates *c);
	} rows[] = {
		{ "FILE", add_sessions, add_files },
		{ "PATH", add_sessions, add_files },
		{ "SOURCE", add_sessions, NULL },
		{ "SESSION", add_sessions, NULL },
		{ "OUT", add_files, NULL },
		{ "NAME", candidates_add_touched, add_projects },
		{ "ORDER", NULL, add_orders },
		{ "DIR", add_folders, add_folders },
		{ "MOUNTPOINT", add_folders, NULL },
		{ "ENTRY", add_entries, add_entries },
		{ "A", add_entries, NULL },
		{ "B", add_entries, NULL },
		{ "AGENT", add_agents, add_agents },
		{ "ROLE", NULL, add_roles },
		{ "TOOL", NULL, add_kinds_of_tools },
		{ "COMMAND", candidates_add_commands, NULL },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		void (*add)(const struct candidates *c) =
			is_value ? rows[i].add_value : rows[i].add;
		if (add && span_eq(name, span_of(rows[i].name)))
			add(c);
	}
	/* "install" is a word of its own. */
	if (name.n > 0 && islower((unsigned char)name.p[0]))
		put(c, 'w', name, SPAN(""));
}
