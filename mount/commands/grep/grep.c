/*
 * The command grep: its options, where it searches, and what is done with the
 * hits. search.h has how a search goes.
 */
#include "mount/commands/commands.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/dialects/registry.h"
#include "mount/cli/status.h"
#include "mount/cli/terminal.h"
#include "mount/commands/grep/search.h"
#include "mount/operands/selection.h"
#include "mount/operands/target.h"

/* One run of the command. */
struct grep_run {
	const struct options *o;
	struct grep_options *how;
	char **paths;
	size_t n;
	struct pattern_texts texts;
	struct buf *files; /* of patterns, as they were read */
	struct patterns *patterns;
	struct skip *skip;
	struct grep_search search;
	bool is_terminal; /* what is printed goes to one, or its pager */
	bool found;
	bool failed;
};

static int no_memory(void)
{
	return status_trouble("grep", strerror(ENOMEM));
}

/* -- the command line */

/* A number as grep reads it: too large ones are the largest. */
static bool read_number(uint64_t *to, const char *text)
{
	char *end;
	if (!text)
		return true;
	*to = strtoull(text, &end, 10);
	if (isdigit((unsigned char)text[0]) && !*end)
		return true;
	(void)status_fail(text, "not a number of lines");
	return false;
}

static bool use_numbers(struct grep_options *how)
{
	how->most = UINT64_MAX;
	if (!read_number(&how->before, how->around_given) ||
	    !read_number(&how->after, how->around_given) ||
	    !read_number(&how->before, how->before_given) ||
	    !read_number(&how->after, how->after_given) ||
	    !read_number(&how->most, how->most_given))
		return false;
	how->contexts =
		how->before_given || how->after_given || how->around_given;
	return true;
}

/* The pattern is an operand, unless options have one. */
static bool use_operands(struct grep_run *r)
{
	r->paths = r->o->names;
	r->n = r->o->n_names;
	if (r->how->patterns.n + r->how->pattern_files.n > 0)
		return options_have_names(&command_grep, r->o, 0);
	if (r->n == 0) {
		fprintf(stderr,
			"usage: sessfs grep [OPTIONS] PATTERN [PATH...] "
			"(-h for help)\n");
		return false;
	}
	r->paths++;
	r->n--;
	return true;
}

static int read_patterns(struct grep_run *r)
{
	const struct texts *files = &r->how->pattern_files;
	const struct texts *given = &r->how->patterns;
	int err = 0;
	r->files = calloc(files->n + 1, sizeof(*r->files));
	if (!r->files)
		return -ENOMEM;
	for (size_t i = 0; i < given->n && !err; i++)
		err = pattern_texts_add(&r->texts, span_of(given->list[i]));
	if (given->n + files->n == 0)
		err = pattern_texts_add(&r->texts, span_of(r->o->names[0]));
	for (size_t i = 0; i < files->n && !err; i++) {
		err = pattern_texts_add_file(&r->texts, files->list[i],
					     &r->files[i]);
		if (err && err != -ENOMEM)
			(void)status_error(files->list[i], err);
	}
	return err;
}

static bool use_patterns(struct grep_run *r)
{
	const struct grep_options *how = r->how;
	r->texts = (struct pattern_texts){ .fixed = how->fixed > 0,
					   .any_case = how->any_case > 0,
					   .word = how->word > 0,
					   .line = how->line > 0 };
	int err = read_patterns(r);
	if (err && err != -ENOMEM)
		return false;
	if (!err)
		err = patterns_new(&r->patterns, &r->texts);
	/* What is searched without escape sequences has other words. */
	if (!err && r->patterns && !how->plain && !how->invert)
		err = skip_new(&r->skip, &r->texts, &dialect_registry);
	if (err)
		(void)no_memory();
	return !err && r->patterns;
}

static bool use_color(struct grep_options *how)
{
	const char *when = how->color_when ? how->color_when : "auto";
	if (strcmp(when, "auto") == 0)
		how->color = terminal_has_colors(STDOUT_FILENO);
	else if (!*when || strcmp(when, "always") == 0)
		how->color = true;
	else if (strcmp(when, "never") != 0)
		return status_fail("grep", "--color: must be always, never or "
					   "auto") == STATUS_OK;
	return true;
}

/* What is printed, and which text: of system texts people want none. */
static void use_output(struct grep_options *how)
{
	bool is_terminal = isatty(STDOUT_FILENO);
	how->table = how->open || how->resume;
	how->color = how->color && !how->table;
	how->heading = !how->table && !how->no_heading &&
		       (how->heading || is_terminal);
	how->only_said = !how->all && (how->said || how->table || is_terminal);
	how->counts_rest = how->only_said && (how->table || how->heading);
	if (how->table) {
		how->quiet = how->list = how->count = how->without = 0;
		how->only_matching = how->contexts = 0;
		how->most = UINT64_MAX;
	}
	if (how->list)
		how->count = how->without = 0;
	how->tells = how->quiet || how->list || how->count || how->without;
}

static bool begin(struct grep_run *r)
{
	struct grep_options *how = r->how;
	const char *wrong = how->basic ? "-G: patterns are Perl's (-F: fixed "
					 "strings)"
			    : how->open && how->resume
				    ? "--open and --resume exclude each other"
				    : NULL;
	if (wrong) {
		(void)status_fail("grep", wrong);
		return false;
	}
	how->by.of_entries = how->by.as_mounted = true;
	if (!use_operands(r) || !use_numbers(how) || !use_color(how) ||
	    select_parse(&how->by, &how->select, "grep") != STATUS_OK)
		return false;
	use_output(how);
	how->touched = touched_begin(how->entries.file);
	if (!use_patterns(r))
		return false;
	r->search = (struct grep_search){ .how = how,
					  .patterns = r->patterns,
					  .skip = r->skip };
	return true;
}

static void end(struct grep_run *r)
{
	for (size_t i = 0; r->files && i < r->how->pattern_files.n; i++)
		buf_free(&r->files[i]);
	free(r->files);
	skip_free(r->skip);
	patterns_free(r->patterns);
	pattern_texts_free(&r->texts);
	select_by_free(&r->how->by);
	touched_end(&r->how->touched);
	buf_free(&r->search.rows);
}

/* -- where it searches */

/* Search a PATH, or those of the agents. */
static void search(struct grep_run *r, const struct select_by *by, char *path)
{
	enum grep_status status =
		grep_search_run(&r->search, by, &path, path ? 1 : 0);
	r->found = r->found || status == GREP_FOUND;
	r->failed = r->failed || status == GREP_FAILED;
}

static void search_target(struct grep_run *r, const struct target *t,
			  const char *path)
{
	struct grep_options *how = r->how;
	bool shows_other =
		t->is_set || (t->is_folder && strcmp(t->source, path) != 0);
	how->files = !t->root && !shows_other;
	how->shows_path = true;
	how->entry = t->entry;
	how->subtree = t->subtree;
	struct select_by by = how->by;
	/* Where sessions are named, a file has its own name. */
	bool is_file = !t->is_folder && !t->root && !t->entry;
	by.name = how->tells && is_file	     ? path
		  : how->tells && !*t->shown ? "."
					     : t->shown;
	by.called = path;
	by.forced = t->file.how.forced ? t->file.how.forced : r->o->dialect;
	search(r, &by, t->source);
}

static void search_path(struct grep_run *r, const char *path)
{
	struct group g = { 0 };
	int err = group_add(&g, path);
	for (size_t i = 0; i < g.n && !err && !r->search.failed; i++) {
		struct target t;
		if (target_find(&t, g.list[i]))
			r->failed = true;
		else
			search_target(r, &t, g.list[i]);
		target_free(&t);
	}
	group_free(&g);
	if (err)
		r->failed = status_error(path, err) != STATUS_OK;
}

static void search_all(struct grep_run *r)
{
	struct grep_options *how = r->how;
	for (size_t i = 0; i < r->n && !r->search.failed; i++)
		search_path(r, r->paths[i]);
	if (r->n == 0) {
		how->files = true;
		how->shows_path = false;
		how->by.forced = r->o->dialect;
		search(r, &how->by, NULL);
	}
}

/* -- what is done with the hits */

/* Say how many hits are not shown. */
static int print_rest(const struct grep_run *r)
{
	struct buf line = { 0 };
	buf_addf(&line, "%s%llu more in system texts: --all\n",
		 r->search.printed && !r->how->tells ? "\n" : "",
		 (unsigned long long)r->search.rest);
	return status_print(&line);
}

static int report_nothing(const struct grep_run *r)
{
	struct buf reason = { 0 };
	if (r->failed)
		return GREP_FAILED;
	buf_adds(&reason, "nothing found");
	if (select_is_given(&r->how->select))
		buf_adds(&reason, " in sessions");
	select_add_words(&r->how->select, &reason);
	if (r->search.rest > 0)
		buf_addf(&reason, ", but %llu in system texts: --all",
			 (unsigned long long)r->search.rest);
	(void)status_fail_made("grep", &reason);
	return GREP_NOT_FOUND;
}

static int status_of(const struct grep_run *r)
{
	/* As of grep: -q asks for a hit only, wherever else it fails. */
	bool failed = r->failed && !(r->how->quiet && r->found);
	bool none = r->n == 0 && !r->search.selected &&
		    select_is_given(&r->how->select);
	if (!r->found && !failed && none && !r->how->quiet) {
		(void)select_report_none(&r->how->select, "grep");
		return GREP_NOT_FOUND;
	}
	if (!r->found && !failed && r->search.rest == 0)
		entries_report_unknown(&r->how->entries);
	if (r->is_terminal && !r->found && !r->how->quiet &&
	    r->search.rest == 0)
		return report_nothing(r);
	if (r->how->heading && r->search.rest > 0 && !r->how->quiet)
		failed = print_rest(r) != STATUS_OK || failed;
	return failed ? GREP_FAILED : r->found ? GREP_FOUND : GREP_NOT_FOUND;
}

/* Let the user choose a hit, and go on from there. */
static int go_on(const struct grep_run *r)
{
	struct grep_hits hits;
	const struct grep_row *hit = NULL;
	int status = grep_hits_sort(&hits, buf_span(&r->search.rows))
			     ? no_memory()
		     : hits.n == 0 ? report_nothing(r)
				   : grep_hits_choose(&hits, &hit);
	if (hit) {
		status = r->how->open ? grep_open_hit(hit)
				      : grep_resume_hit(hit);
		status = status ? GREP_FAILED : GREP_FOUND;
	}
	grep_hits_free(&hits);
	return status;
}

static int grep_run(const struct options *o)
{
	struct grep_options *how = o->own;
	struct grep_run r = { .o = o,
			      .how = how,
			      .is_terminal = isatty(STDOUT_FILENO) };
	int status = GREP_FAILED;
	if (begin(&r)) {
		struct pager pager = { 0 };
		/* The newest hits come first: they would scroll away. */
		if (how->heading && !how->tells)
			(void)pager_begin(&pager);
		search_all(&r);
		status = how->table ? go_on(&r) : status_of(&r);
		(void)pager_end(&pager, 0);
	}
	end(&r);
	return status;
}

#define AT(member) offsetof(struct grep_options, member)
#define FLAG(letter, name, member, help)                          \
	{                                                         \
		letter, name, OPTION_FLAG, AT(member), NULL, help \
	}
#define NUMBER(letter, name, member, help)                       \
	{                                                        \
		letter, name, OPTION_TEXT, AT(member), "N", help \
	}

static const struct option_row rows[] = {
	{ 'e', "regexp", OPTION_TEXTS, AT(patterns), "PATTERN",
	  "search for it as well" },
	{ 'f', NULL, OPTION_TEXTS, AT(pattern_files), "FILE",
	  "search for its lines" },
	FLAG('E', "extended-regexp", usual, NULL),
	FLAG('P', "perl-regexp", usual, "patterns are Perl's anyway"),
	FLAG('G', "basic-regexp", basic, "is refused"),
	FLAG('F', "fixed-strings", fixed, "patterns are plain text"),
	FLAG('i', "ignore-case", any_case, "upper case is lower case"),
	FLAG('y', NULL, any_case, "the same"),
	FLAG('v', "invert-match", invert, "lines without a match"),
	FLAG('w', "word-regexp", word, "only whole words"),
	FLAG('x', "line-regexp", line, "only whole lines"),
	FLAG('o', "only-matching", only_matching, "print only matches"),
	FLAG('q', "quiet", quiet, "print nothing"),
	FLAG('q', "silent", quiet, "the same"),
	NUMBER('m', "max-count", most_given, "lines of an entry at most"),
	NUMBER('A', "after-context", after_given, "and N lines after it"),
	NUMBER('B', "before-context", before_given, "and N lines before it"),
	NUMBER('C', "context", around_given, "both"),
	FLAG('c', "count", count,
	     "print the sessions with a hit, and how many lines"),
	FLAG('l', "files-with-matches", list, "print the sessions with a hit"),
	FLAG('L', "files-without-match", without, "print those without"),
	SELECT_ROWS(AT(select)),
	ENTRY_ROWS(AT(entries), "only entries that did something with a file, "
				"or in a folder"),
	FLAG(0, "said", said,
	     "only what was said or done: no prompts of the system,\n"
	     "environment notes, skills, attachments; usual on a terminal\n"
	     "and with --open and --resume"),
	FLAG(0, "all", all, "these, too"),
	FLAG(0, "plain", plain,
	     "search what one saw: without escape sequences"),
	FLAG(0, "heading", heading,
	     "group hits below their session and entry, as on a terminal"),
	FLAG(0, "no-heading", no_heading, "print paths, as into a pipe"),
	{ 0, "color", OPTION_TEXT, AT(color_when), "[=WHEN]",
	  "print colors, as on a terminal; WHEN: always, never, auto" },
	FLAG(0, "open", open,
	     "mount the session of the newest hit, print the entry's\n"
	     "folder, and on a terminal show the content there"),
	FLAG(0, "resume", resume,
	     "print the command with which the agent goes on from there;\n"
	     "with fzf and a terminal, both let you choose among the hits"),
	FLAG('a', "text", usual, NULL),
	FLAG('H', "with-filename", usual, NULL),
	FLAG('n', "line-number", usual, NULL),
	FLAG('r', "recursive", usual, "what it does anyway"),
	{ 0 },
};

const struct command command_grep = {
	.name = "grep",
	.usage = "PATTERN [PATH...]",
	.help = "Search every entry's content as grep -P does.\n\n"
		"Patterns are Perl's, and lines are UTF-8.\n"
		"Each hit is printed after the path of the content: "
		"SESSION/by-id/ID/content:\n"
		"LINE:TEXT. PATH is a mounted session, a folder of them or "
		"anything in one, a\n"
		"session file, a folder of session files, or a printed "
		"SESSION/by-id/ID; by\n"
		"default all sessions of all your agents. The status is 0 if "
		"there is a hit,\n"
		"1 if there is none, and 2 after an error.",
	.options = rows,
	.size = sizeof(struct grep_options),
	.most = UINT_MAX,
	.texts = 1,
	.once = true,
	.run = grep_run,
};
