#include "mount/commands/candidates.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/array.h"
#include "core/base/pathname.h"
#include "core/dialects/registry.h"
#include "core/places/agents.h"
#include "core/session/bookkeeping.h"
#include "core/session/file_name.h"
#include "core/show/rows.h"
#include "core/show/words.h"
#include "mount/operands/target.h"

/* Columns of an entry's words. */
#define WORDS_COLUMNS 60

/* A record: w for a word, p for one that more follows, f for a file. */
static void put(char kind, struct span prefix, struct span word,
		struct span help)
{
	putchar(kind);
	fwrite(prefix.p, 1, prefix.n, stdout);
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
	size_t line = help ? strcspn(help, "\n") : 0;
	bool continues = n > 0 && word[n - 1] == '=';
	put(continues ? 'p' : 'w', span_of(c->prefix), span_of(word),
	    (struct span){ help, line });
}

/* -- files, the newest first */

struct found {
	char *path; /* as it is offered */
	struct timespec time;
};

struct found_files {
	struct found *list;
	size_t n;
	size_t cap;
};

static void add_file(struct found_files *f, char *path, struct timespec time)
{
	if (path && array_reserve(&f->list, &f->cap, f->n, 1) == 0)
		f->list[f->n++] = (struct found){ path, time };
	else
		free(path);
}

static bool is_digits(const char *name)
{
	return *name && name[strspn(name, "0123456789")] == '\0';
}

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
		const char *text = buf_cstr(&path);
		add_file(to, text ? strdup(text) : NULL, own.st_mtim);
		buf_free(&path);
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

static void sort_files(struct found_files *f)
{
	if (f->n > 1)
		qsort(f->list, f->n, sizeof(*f->list), by_time);
}

static void free_files(struct found_files *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->list[i].path);
	free(f->list);
}

/* In the folder that is typed; "~" is the home directory. */
static void find_typed(const struct candidates *c, mode_t type,
		       const char *suffix, struct found_files *to)
{
	const char *slash = strrchr(c->word, '/');
	const char *home = getenv("HOME");
	size_t n = slash ? (size_t)(slash + 1 - c->word) : 0;
	char *typed = strndup(c->word, n);
	struct buf real = { 0 };
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
	buf_free(&real);
	free(typed);
}

static void put_files(const struct candidates *c, struct found_files *f,
		      const char *end)
{
	static const struct span none = { "", 0 };
	sort_files(f);
	for (size_t i = 0; i < f->n; i++) {
		struct buf path = { 0 };
		buf_addf(&path, "%s%s", f->list[i].path, end);
		put('f', span_of(c->prefix), buf_span(&path), none);
		buf_free(&path);
	}
	free_files(f);
}

static void add_folders(const struct candidates *c)
{
	struct found_files f = { 0 };
	find_typed(c, S_IFDIR, "", &f);
	put_files(c, &f, "/");
}

/*
 * The sessions in a folder of an agent, and in those in it. Codex has folders
 * of years, months and days.
 */
static void find_sessions_below(const char *top, struct found_files *to)
{
	struct found_files folders = { 0 };
	struct timespec none = { 0 };
	add_file(&folders, strdup(top), none);
	for (size_t i = 0; i < folders.n; i++) {
		const char *at = folders.list[i].path;
		const char *name = strrchr(at, '/');
		char *shown = pathname_join(at, "");
		if (shown)
			find_in(at, shown, S_IFREG, ".jsonl", false, to);
		if (shown && (i == 0 || (name && is_digits(name + 1))))
			find_in(at, shown, S_IFDIR, "", false, &folders);
		free(shown);
	}
	free_files(&folders);
}

static void find_sessions_of_agents(struct found_files *to)
{
	struct agent_folders f = { 0 };
	if (agent_folders_find(&f, &dialect_registry, NULL, NULL, false) == 0) {
		for (size_t i = 0; i < f.n; i++)
			find_sessions_below(f.list[i].path, to);
	}
	agent_folders_free(&f);
}

/* Before anything is typed, also the sessions of the agents. */
static void add_sessions(const struct candidates *c)
{
	struct found_files f = { 0 };
	find_typed(c, S_IFREG, ".jsonl", &f);
	if (!*c->word)
		find_sessions_of_agents(&f);
	put_files(c, &f, "");
	add_folders(c);
}

static void add_any_files(const struct candidates *c)
{
	struct found_files f = { 0 };
	find_typed(c, S_IFREG, "", &f);
	put_files(c, &f, "");
	add_folders(c);
}

/* The ids of the agents' sessions, which are what their names end with. */
static void add_session_ids(const struct candidates *c)
{
	static const struct span none = { "", 0 };
	struct found_files f = { 0 };
	if (!*c->word || strchr(c->word, '/'))
		return;
	find_sessions_of_agents(&f);
	sort_files(&f);
	for (size_t i = 0; i < f.n; i++) {
		struct span name = agent_id_in_name(
			span_last_part(span_of(f.list[i].path)));
		put('w', span_of(c->prefix), name, none);
	}
	free_files(&f);
}

/* -- entries */

/* "user  Write a word counter", with an entry's label and HEAD's mark. */
static void add_words(struct words *w, const struct session *s, uint32_t entry,
		      struct buf *out)
{
	struct buf line = { 0 };
	struct json json;
	struct span label = session_label(s, entry);
	if (session_read(s, entry, &line, &json) == 0) {
		words_add_kind(w, out, json, WORDS_COLUMNS);
		buf_adds(out, "  ");
		(void)words_add(w, out, entry, json, WORDS_COLUMNS);
	}
	if (label.n > 0) {
		buf_adds(out, " [");
		(void)words_add_fit(&w->columns, out, label, WORDS_COLUMNS);
		buf_addc(out, ']');
	}
	if (entry == session_head(s))
		buf_adds(out, " ← HEAD");
	buf_free(&line);
}

static void add_entry(const struct candidates *c, struct words *w,
		      const struct session *s, uint32_t entry, struct span name)
{
	struct buf text = { 0 };
	/* It would be taken for an option. */
	if (name.n == 0 || name.p[0] == '-')
		return;
	/* Lines of thousands of entries are not read to offer one of them. */
	if (entry != INDEX_NONE && span_starts(name, span_of(c->word)))
		add_words(w, s, entry, &text);
	put('w', span_of(c->prefix), name, buf_span(&text));
	buf_free(&text);
}

static void add_entry_by_id(const struct candidates *c, struct words *w,
			    const struct session *s, uint32_t entry)
{
	struct buf name = { 0 };
	file_name_add(&name, index_id(&s->now.index, entry), FILE_NAME_ALONE);
	add_entry(c, w, s, entry, buf_span(&name));
	buf_free(&name);
}

static void add_labels(const struct candidates *c, struct words *w,
		       const struct session *s)
{
	const struct labels *l = &s->now.labels;
	for (uint32_t i = labels_next(l, 0); i != INDEX_NONE;
	     i = labels_next(l, i + 1)) {
		struct buf name = { 0 };
		file_name_add(&name, session_label(s, i), FILE_NAME_ALONE);
		add_entry(c, w, s, i, buf_span(&name));
		buf_free(&name);
	}
}

static void add_entries_of(const struct candidates *c, const struct session *s)
{
	const struct index *x = &s->now.index;
	uint32_t head = session_head(s);
	uint32_t parent = head == INDEX_NONE
				  ? INDEX_NONE
				  : bookkeeping_shown_parent(x, head);
	struct words w;
	words_begin(&w, s);
	add_entry(c, &w, s, head, SPAN("HEAD"));
	add_entry(c, &w, s, parent, SPAN("HEAD/parent"));
	add_labels(c, &w, s);
	for (uint32_t i = 0; i < x->n; i++) {
		if (bookkeeping_is_tip(x, i))
			add_entry_by_id(c, &w, s, i);
	}
	for (uint32_t i = 0; i < x->n; i++) {
		if (!bookkeeping_is_tip(x, i))
			add_entry_by_id(c, &w, s, i);
	}
	words_end(&w);
}

/*
 * The entries of the session that the last word after the cursor is in, or the
 * working directory. Without a session there are folders, which lead to one.
 */
static void add_entries(const struct candidates *c)
{
	struct target t;
	int status = c->after ? target_find(&t, c->after) : target_here(&t);
	if (!status)
		status = target_open(&t);
	if (!status)
		add_entries_of(c, t.session);
	target_free(&t);
	if (status || strchr(c->word, '/'))
		add_folders(c);
}

/* -- words */

static void add_list(const struct candidates *c, const char *const *words)
{
	for (; *words; words++)
		candidates_add(c, *words, NULL);
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

/* A list with commas: what is before the last one stays. */
static void add_mount_options(const struct candidates *c)
{
	static const struct {
		const char *word;
		const char *help;
	} rows[] = {
		{ "ro", "refuse every write" },
		{ "force", "write even if a running agent has it open" },
		{ "stats", "count requests, and show the counts in info" },
		{ "color", "color tree.txt" },
		{ "columns=", "the width of tree.txt" },
		{ "keep=", "how many sessions to keep in memory" },
		{ "poll=", "check files for changes so often, in seconds" },
		{ "resumable", "list what agents would go on from" },
		{ "allow_other", "let other users in" },
		{ "auto_unmount", "unmount when the daemon dies" },
	};
	const char *comma = strrchr(c->word, ',');
	struct buf prefix = { 0 };
	buf_adds(&prefix, c->prefix);
	if (comma)
		buf_add(&prefix, (struct span){ c->word, (size_t)(comma + 1 -
								  c->word) });
	struct candidates list = *c;
	list.prefix = buf_cstr(&prefix);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && list.prefix;
	     i++)
		candidates_add(&list, rows[i].word, rows[i].help);
	for (size_t i = 0; i < dialect_registry.n && list.prefix; i++) {
		struct buf word = { 0 };
		buf_addf(&word, "dialect=%s", dialect_registry.rows[i]->name);
		const char *text = buf_cstr(&word);
		if (text)
			candidates_add(&list, text, "read it in this format");
		buf_free(&word);
	}
	buf_free(&prefix);
}

void candidates_add_kind(const struct candidates *c, enum word kind)
{
	switch (kind) {
	case WORD_NONE:
	case WORD_ANY:
		break;
	case WORD_FILE:
		add_any_files(c);
		break;
	case WORD_FOLDER:
	case WORD_MOUNT:
		add_folders(c);
		break;
	case WORD_SESSION:
		add_sessions(c);
		break;
	case WORD_ENTRY:
		add_entries(c);
		break;
	case WORD_AGENT:
		add_agents(c);
		break;
	case WORD_ROLE:
		add_list(c, rows_roles);
		break;
	case WORD_TOOL:
		add_kinds_of_tools(c);
		break;
	case WORD_MOUNT_OPTIONS:
		add_mount_options(c);
		break;
	}
}

void candidates_add_named(const struct candidates *c, struct span name)
{
	static const char *const keys[] = { "file", "cwd", "parent-session",
					    NULL };
	static const struct {
		const char *name;
		enum word kind;
	} rows[] = {
		{ "FILE", WORD_SESSION },      { "SOURCE", WORD_SESSION },
		{ "SESSION", WORD_SESSION },   { "PATH", WORD_SESSION },
		{ "OUT", WORD_FILE },	       { "DIR", WORD_FOLDER },
		{ "ENTRY", WORD_ENTRY },       { "A", WORD_ENTRY },
		{ "B", WORD_ENTRY },	       { "AGENT", WORD_AGENT },
		{ "MOUNTPOINT", WORD_FOLDER },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (span_eq(name, span_of(rows[i].name)))
			candidates_add_kind(c, rows[i].kind);
	}
	if (span_eq(name, SPAN("ID")))
		add_session_ids(c);
	else if (span_eq(name, SPAN("KEY")))
		add_list(c, keys);
	else if (name.n > 0 && islower((unsigned char)name.p[0]))
		put('w', span_of(c->prefix), name, (struct span){ "", 0 });
}
