#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file/whole.h"
#include "core/session/path.h"
#include "core/show/outline.h"
#include "mount/cli/status.h"
#include "mount/cli/terminal.h"
#include "mount/commands/commands.h"
#include "mount/commands/log_show.h"
#include "mount/operands/entries.h"
#include "mount/operands/selection.h"
#include "mount/operands/target.h"

struct log_options {
	const char *n;
	const char *after;
	const char *at;
	struct select_options select;
	struct entry_options entries;
	int oneline;
	int said;
	int all;
	int follow;
	int tree;
};

/* The entries from `last` up to `stop`, which is none of them. */
struct stretch {
	uint32_t last; /* INDEX_NONE: none */
	uint32_t stop; /* INDEX_NONE: up to the root */
	bool is_head;  /* `last` is HEAD: nothing was named */
	bool is_all;   /* on any branch */
	bool oldest_first;
};

static bool is_filtered(const struct log_options *own)
{
	const struct entry_options *e = &own->entries;
	return e->file || e->roles.n > 0 || e->tools.n > 0;
}

/* -- which session, and which entries */

/*
 * The newest session that the options select, of the operand or of the agents.
 * *path is the caller's to free.
 */
static int select_newest(const struct log_options *own, const char *operand,
			 char **path)
{
	struct select_by by = { .is_quiet = true };
	struct selection s = { 0 };
	char *names[] = { (char *)operand };
	int status = select_parse(&by, &own->select, "log");
	if (!status)
		status = selection_make(&s, &by, names, operand ? 1 : 0);
	const struct session_row *row = selection_last_used(&s);
	if (!status && !row)
		status = select_report_none(&own->select, "log");
	if (!status && row && !(*path = strdup(row->path)))
		status = status_error("log", -ENOMEM);
	selection_free(&s);
	select_by_free(&by);
	return status;
}

/* "A..B": *from and *to are its parts, HEAD if empty, for the caller to free.
 */
static bool is_range(const char *operand, char **from, char **to)
{
	struct stat st;
	const char *dots = strstr(operand, "..");
	if (!dots || stat(operand, &st) == 0 || dots[2] == '/' ||
	    (dots > operand && dots[-1] == '/'))
		return false;
	*from = dots > operand ? strndup(operand, (size_t)(dots - operand))
			       : strdup("HEAD");
	*to = strdup(dots[2] ? dots + 2 : "HEAD");
	return true;
}

/* The last entry that is on the paths to both. */
static int find_parting(const struct session *s, uint32_t a, uint32_t b,
			uint32_t *entry)
{
	struct path x = { 0 };
	struct path y = { 0 };
	int err = path_load(&x, s, a);
	if (!err)
		err = path_load(&y, s, b);
	*entry = INDEX_NONE;
	for (uint32_t i = 0; !err && i < x.n && i < y.n; i++) {
		if (x.list[i] != y.list[i])
			break;
		*entry = x.list[i];
	}
	path_free(&x);
	path_free(&y);
	return err;
}

static int find_range(struct target *t, const char *from, const char *to,
		      const char *path, struct stretch *of)
{
	int status = from && to ? target_entry(t, from, path)
				: status_error("log", -ENOMEM);
	if (!status)
		status = target_other(t, to, &of->last);
	int err = status ? 0
			 : find_parting(t->session, t->at, of->last, &of->stop);
	return err ? status_error(to, err) : status;
}

/* The newest tip below an entry, by way of HEAD if that is below it. */
static uint32_t tip_below(const struct session *s, uint32_t entry)
{
	const struct index *x = &s->now.index;
	uint32_t head = session_head(s);
	if (head != INDEX_NONE &&
	    (entry == INDEX_NONE || path_has(s, head, entry)))
		entry = head;
	uint32_t newest = entry;
	for (uint32_t i = index_child_from(x, entry, 0); i != INDEX_NONE;
	     i = index_next_below(x, entry, i, true)) {
		if (bookkeeping_is_tip(x, i) && (newest == entry || i > newest))
			newest = i;
	}
	return newest;
}

/* What comes after an entry: down to the operand, or to a tip. */
static int find_after(struct target *t, const char *after, const char *operand,
		      const char *path, struct stretch *of)
{
	of->oldest_first = true;
	int status = target_entry(t, operand ? operand : after, path);
	of->last = t->at;
	of->stop = t->at;
	if (!status && operand)
		status = target_other(t, after, &of->stop);
	if (status)
		return status;
	if (!operand || t->is_session)
		of->last = tip_below(t->session, of->stop);
	else if (of->stop != INDEX_NONE &&
		 !path_has(t->session, of->last, of->stop))
		return status_fail(after, "is not above the entry");
	return STATUS_OK;
}

static int find_stretch(struct target *t, const struct log_options *own,
			const char *operand, const char *path,
			struct stretch *of)
{
	char *from = NULL;
	char *to = NULL;
	int status;
	*of = (struct stretch){ .stop = INDEX_NONE };
	*t = (struct target){ .at = INDEX_NONE };
	/* As an operand that is empty: not HEAD. */
	if (own->after && !*own->after)
		return status_trouble("log", "an entry's name can't be empty");
	if (operand && !own->after && is_range(operand, &from, &to)) {
		status = find_range(t, from, to, path, of);
	} else if (own->after) {
		status = find_after(t, own->after, operand, path, of);
	} else {
		status = target_entry(t, operand, path);
		of->last = t->at;
		of->is_head = !operand || t->is_session;
		of->is_all = own->entries.file && (!operand || t->is_session);
	}
	free(from);
	free(to);
	return status;
}

/* Without bookkeeping, unless it is the entry that was asked for. */
static int list_entries(const struct session *s, const struct stretch *of,
			struct log_list *e)
{
	const struct entry *entries = s->now.index.entries;
	uint32_t *list = malloc(((size_t)s->now.index.n + 1) * sizeof(*list));
	e->list = list;
	if (!list)
		return -ENOMEM;
	uint32_t from = of->last == of->stop ? INDEX_NONE : of->last;
	if (of->is_all)
		from = s->now.index.n - 1;
	for (uint32_t i = from, next; i != INDEX_NONE; i = next) {
		if (i == of->last || !entries[i].bookkeeping)
			list[e->n++] = i;
		/* On all branches, or on the way. Before 0 is INDEX_NONE. */
		next = of->is_all ? i - 1 : entries[i].parent;
		if (!of->is_all && next == of->stop)
			next = INDEX_NONE;
	}
	for (size_t i = 0, k = e->n; of->oldest_first && i < e->n / 2; i++) {
		uint32_t other = list[--k];
		list[k] = list[i];
		list[i] = other;
	}
	return 0;
}

/* Keep those that pass. */
static int filter(const struct session *s, struct entry_filter *f,
		  struct log_list *e)
{
	size_t kept = 0;
	int err = 0;
	for (size_t i = 0; i < e->n && !err; i++) {
		bool passes;
		err = entry_filter_has(f, s, e->list[i], &passes);
		e->list[kept] = e->list[i];
		kept += !err && passes;
	}
	entry_filter_end(f);
	e->n = kept;
	return err;
}

/* -- showing them */

static int show_all(struct log_show *l, const struct log_list *e, unsigned most)
{
	struct pager pager;
	unsigned shown = 0;
	int err = short_ids_begin(&l->ids, &l->s->now.index);
	if (!err)
		err = pager_begin(&pager);
	if (!err)
		err = pager_end(&pager, log_show_list(l, e, most, &shown));
	short_ids_end(&l->ids);
	return err;
}

/* Show the entries of a stretch. 0 or -errno, with l->unwritten. */
static int show_stretch(struct log_show *l, const struct log_options *own,
			struct target *t, struct stretch *of,
			const struct touched_path *file, unsigned most)
{
	struct entry_filter entries = { .o = &own->entries, .file = file };
	struct log_list e = { 0 };
	of->oldest_first = of->oldest_first || own->follow > 0;
	int err = list_entries(t->session, of, &e);
	e.oldest_first = of->oldest_first;
	/* An entry that was named is shown. */
	e.unfolded = l->said || is_filtered(own) || own->all > 0 ? SIZE_MAX
		     : t->entry && !of->oldest_first		 ? 1
								 : 0;
	if (!err)
		err = filter(t->session, &entries, &e);
	if (!err && e.n == 0 && is_filtered(own))
		err = -ESRCH;
	else if (!err && of->last == INDEX_NONE && of->is_head &&
		 own->follow == 0)
		status_report(t->root ? t->root : t->source,
			      t->session->now.index.n == 0
				      ? "there are no entries yet"
				      : "HEAD is before the first entry");
	if (!err)
		err = own->follow > 0 ? log_follow(l, t->session, &e, most)
				      : show_all(l, &e, most);
	free(e.list);
	return err;
}

/* -- the whole tree */

/* As wide as the terminal, within the limits; 0: as tree.txt. */
static unsigned tree_columns(void)
{
	size_t columns = terminal_columns(STDOUT_FILENO);
	if (columns > OUTLINE_COLUMNS_MOST)
		columns = OUTLINE_COLUMNS_MOST;
	else if (columns > 0 && columns < OUTLINE_COLUMNS_LEAST)
		columns = OUTLINE_COLUMNS_LEAST;
	return (unsigned)columns;
}

/* Returns an exit status. */
static int show_tree(const struct target *t)
{
	struct buf out BUF_SCOPED = { 0 };
	struct pager pager;
	int err = outline_add(t->session, terminal_has_colors(STDOUT_FILENO),
			      tree_columns(), &out);
	int status = err ? status_unread(t->source, err) : STATUS_OK;
	err = status ? 0 : pager_begin(&pager);
	if (!status && !err)
		err = pager_end(&pager,
				whole_write(STDOUT_FILENO, buf_span(&out)));
	return err ? status_output(err) : status;
}

/* Returns an exit status. */
static int show(const struct log_options *own, struct target *t,
		struct stretch *of, unsigned most, unsigned at)
{
	struct touched_path file = touched_begin(own->entries.file);
	bool oneline = own->oneline > 0;
	struct log_show l = {
		.s = t->session,
		.colors = terminal_has_colors(STDOUT_FILENO),
		.oneline = oneline,
		.columns = oneline ? terminal_columns(STDOUT_FILENO) : 0,
		.follows = own->follow > 0,
		.said = own->said > 0,
		.at = at,
		.file = own->entries.file ? &file : NULL,
	};
	int err = show_stretch(&l, own, t, of, &file, most);
	touched_end(&file);
	const char *session = t->root ? t->root : t->source;
	if (err == -ESRCH && own->entries.file)
		return status_failf(own->entries.file,
				    "no entry touched it in %s", session);
	if (err == -ESRCH) {
		entries_report_unknown(&own->entries);
		return status_fail(session, "no such entries");
	}
	if (err && l.unwritten)
		return status_output(err);
	return err ? status_unread(t->source, err) : STATUS_OK;
}

static int print_log(const struct options *o)
{
	const struct log_options *own = o->own;
	struct target t = { .at = INDEX_NONE };
	struct stretch of = { .stop = INDEX_NONE };
	unsigned most = UINT_MAX;
	unsigned at = 0;
	char *selected = NULL;
	if (!options_number("-n", own->n, 0, UINT_MAX, &most) ||
	    !options_number("--at", own->at, 1, INT_MAX, &at))
		return STATUS_USAGE;
	if (own->follow > 0 && is_filtered(own))
		return status_trouble("log",
				      "-f takes no --role, --tool or --file");
	/* All entries are in the tree. */
	if (own->tree > 0 &&
	    (own->n || own->at || own->after || own->oneline > 0 ||
	     own->said > 0 || own->all > 0 || own->follow > 0 ||
	     is_filtered(own)))
		return status_trouble(
			"log", "with --tree only a session can be chosen");
	const char *entry = o->n_names > 0 ? o->names[0] : NULL;
	const char *path = o->n_names > 1 ? o->names[1] : NULL;
	bool selects = select_is_given(&own->select);
	/* A PATH alone may be an ENTRY, too. */
	if (selects && !path) {
		path = entry;
		entry = NULL;
	}
	int status = selects ? select_newest(own, path, &selected) : STATUS_OK;
	if (!status)
		status = find_stretch(&t, own, entry,
				      selected ? selected : path, &of);
	if (!status)
		status = own->tree > 0 ? show_tree(&t)
				       : show(own, &t, &of, most, at);
	free(selected);
	target_free(&t);
	return status;
}

#define AT(member) offsetof(struct log_options, member)

static const struct option_row rows[] = {
	{ 'n', NULL, OPTION_TEXT, AT(n), "N", "at most N entries" },
	{ 0, "after", OPTION_TEXT, AT(after), "ENTRY",
	  "what came after ENTRY, oldest first, down to the tip" },
	{ 0, "at", OPTION_TEXT, AT(at), "LINE",
	  "of the first entry, the lines around this one" },
	ENTRY_ROWS(AT(entries),
		   "what was done with a file, or in a folder, with diffs;\n"
		   "on any branch, unless an ENTRY or A..B is named"),
	{ 0, "oneline", OPTION_FLAG, AT(oneline), NULL,
	  "a line for each entry" },
	{ 0, "said", OPTION_FLAG, AT(said), NULL,
	  "without what nobody said or did: system prompts, notes\n"
	  "of the environment, skills, attachments" },
	{ 'a', "all", OPTION_FLAG, AT(all), NULL,
	  "each note, not one row for those in a row" },
	{ 'f', "follow", OPTION_FLAG, AT(follow), NULL,
	  "oldest first, and then what the agent appends;\n"
	  "with -n, the last N entries first" },
	{ 0, "tree", OPTION_FLAG, AT(tree), NULL,
	  "the whole tree, as in tree.txt" },
	SELECT_ROWS(AT(select)),
	{ 0 },
};

const struct command command_log = {
	.name = "log",
	.usage = "[ENTRY | A..B] [PATH]",
	.help = "Show the entries from HEAD back to the root.\n\n"
		"ENTRY " ENTRY_HELP ".\nPATH is the session, or in it.",
	.options = rows,
	.size = sizeof(struct log_options),
	.most = 2,
	.run = print_log,
};
