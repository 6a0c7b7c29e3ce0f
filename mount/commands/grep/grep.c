/*
 * The command grep: its options, and what is done with the hits. search.h has
 * how a search goes.
 */
#include "mount/commands/commands.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/file/whole.h"
#include "mount/cli/status.h"
#include "mount/cli/terminal.h"
#include "mount/commands/grep/go_on.h"
#include "mount/commands/grep/hits.h"
#include "mount/commands/grep/preview.h"
#include "mount/commands/grep/run.h"

static int no_memory(void)
{
	return status_trouble("grep", strerror(ENOMEM));
}

/* -- the command line */

static bool use_operands(struct grep_run *r)
{
	r->paths = r->o->names;
	r->n = r->o->n_names;
	if (grep_args_have_pattern(&r->how->passed))
		return options_have_names(&command_grep, r->o, 0);
	if (r->n == 0) {
		fprintf(stderr,
			"usage: sessfs grep [OPTIONS] PATTERN [PATH...] "
			"(-h for help)\n");
		return false;
	}
	r->pattern = *r->paths++;
	r->n--;
	return true;
}

/* What is printed, and which text: of system texts people want none. */
static void use_output(struct grep_options *how)
{
	bool is_terminal = terminal_is(STDOUT_FILENO);
	how->table = how->open || how->resume;
	how->color = !how->table &&
		     (how->color || terminal_has_colors(STDOUT_FILENO));
	how->heading = !how->table && (how->heading || is_terminal);
	how->only_said = !how->all && (how->said || how->table || is_terminal);
	how->counts_rest = how->only_said && (how->table || how->heading);
}

static bool begin(struct grep_run *r)
{
	struct grep_options *how = r->how;
	if (how->open && how->resume) {
		(void)status_fail("grep", "--open and --resume exclude each "
					  "other");
		return false;
	}
	how->by.of_entries = how->by.as_mounted = true;
	if (!use_operands(r) ||
	    select_parse(&how->by, &how->select, "grep") != STATUS_OK)
		return false;
	use_output(how);
	how->touched = touched_begin(how->entries.file);
	enum grep_output output = how->table   ? GREP_ROWS
				  : how->color ? GREP_COLORED
					       : GREP_PLAIN;
	if (!grep_args_make(&r->args, &how->passed, r->pattern, output))
		return false;
	how->list = r->args.list;
	r->search = (struct grep_search){ .how = how,
					  .args = &r->args,
					  .colors = &r->colors,
					  .rows = &r->rows };
	int err = grep_unknown_begin(&r->unknown, how);
	if (err)
		(void)status_error("grep", err);
	return !err && grep_child_begin(&r->colors, &r->args) == 0;
}

/* -- what is done with the hits */

/* Say how many hits are not shown. */
static int print_rest(const struct grep_run *r)
{
	struct buf line = { 0 };
	buf_addf(&line, "%s%llu more in system texts: --all\n",
		 r->search.printed && !r->how->list ? "\n" : "",
		 (unsigned long long)r->search.rest);
	int err = buf_error(&line);
	if (!err)
		err = whole_write(STDOUT_FILENO, buf_span(&line));
	buf_free(&line);
	return err ? status_output(err) : STATUS_OK;
}

static int report_nothing(const struct grep_run *r)
{
	struct buf reason = { 0 };
	if (r->failed)
		return GREP_FAILED;
	buf_adds(&reason, "nothing found");
	if (r->how->select.here)
		buf_adds(&reason, " in sessions of this directory and below");
	if (r->search.rest > 0)
		buf_addf(&reason, ", but %llu in system texts: --all",
			 (unsigned long long)r->search.rest);
	(void)status_fail_made("grep", &reason);
	return GREP_NOT_FOUND;
}

static int status_of(const struct grep_run *r)
{
	/* As of grep: -q asks for a hit only, wherever else it fails. */
	bool failed = r->failed && !(r->args.quiet && r->found);
	if (r->is_terminal && !r->found && !r->args.quiet &&
	    r->search.rest == 0)
		return report_nothing(r);
	if (r->how->heading && r->search.rest > 0 && !r->args.quiet)
		failed = print_rest(r) != STATUS_OK || failed;
	return failed ? GREP_FAILED : r->found ? GREP_FOUND : GREP_NOT_FOUND;
}

/* Let the user choose a hit, and go on from there. */
static int go_on(const struct grep_run *r)
{
	struct grep_hits hits;
	const struct grep_row *hit = NULL;
	int status = grep_hits_sort(&hits, buf_span(&r->rows)) ? no_memory()
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
			      .is_terminal = terminal_is(STDOUT_FILENO) };
	int status = GREP_FAILED;
	if (how->preview)
		return grep_preview_print(how->preview);
	if (begin(&r)) {
		struct pager pager = { 0 };
		/* The newest hits come first: they would scroll away. */
		if (how->heading && !how->list && !r.args.quiet)
			(void)pager_begin(&pager, "FRX");
		grep_run_search(&r);
		status = how->table ? go_on(&r) : status_of(&r);
		(void)pager_end(&pager);
	}
	grep_args_free(&r.args);
	grep_unknown_free(&r.unknown);
	select_by_free(&how->by);
	touched_end(&how->touched);
	buf_free(&r.rows);
	return status;
}

#define AT(member) offsetof(struct grep_options, member)
#define PASSED(letter, name, value, word, help)                            \
	{                                                                  \
		letter, name, OPTION_PASSED, AT(passed), value, word, help \
	}
#define USUAL(letter, name, help)                                           \
	{                                                                   \
		letter, name, OPTION_FLAG, AT(usual), NULL, WORD_NONE, help \
	}

static const struct option_row rows[] = {
	PASSED('e', "regexp", "PATTERN", WORD_ANY, "search for it as well"),
	PASSED('f', NULL, "FILE", WORD_FILE, "search for its lines"),
	PASSED('E', "extended-regexp", NULL, WORD_NONE, NULL),
	PASSED('F', "fixed-strings", NULL, WORD_NONE, NULL),
	PASSED('G', "basic-regexp", NULL, WORD_NONE, NULL),
	PASSED('P', "perl-regexp", NULL, WORD_NONE,
	       "what patterns are, as for grep"),
	PASSED('i', "ignore-case", NULL, WORD_NONE, "upper case is lower case"),
	PASSED('y', NULL, NULL, WORD_NONE, "the same"),
	PASSED('v', "invert-match", NULL, WORD_NONE, "lines without a match"),
	PASSED('w', "word-regexp", NULL, WORD_NONE, "only whole words"),
	PASSED('x', "line-regexp", NULL, WORD_NONE, "only whole lines"),
	PASSED('o', "only-matching", NULL, WORD_NONE, "print only matches"),
	PASSED('q', "quiet", NULL, WORD_NONE, "print nothing"),
	PASSED('q', "silent", NULL, WORD_NONE, "the same"),
	PASSED('m', "max-count", "N", WORD_ANY, "lines of an entry at most"),
	PASSED('A', "after-context", "N", WORD_ANY, "and N lines after it"),
	PASSED('B', "before-context", "N", WORD_ANY, "and N lines before it"),
	PASSED('C', "context", "N", WORD_ANY, "both"),
	PASSED('l', "files-with-matches", NULL, WORD_NONE,
	       "print the sessions with a hit"),
	SELECT_ROWS(AT(select)),
	ENTRY_ROWS(AT(entries), "only entries that did something with a file, "
				"or in a folder"),
	{ 0, "said", OPTION_FLAG, AT(said), NULL, WORD_NONE,
	  "only what was said or done: no prompts of the system,\n"
	  "environment notes, skills, attachments; usual on a terminal\n"
	  "and with --open and --resume" },
	{ 0, "all", OPTION_FLAG, AT(all), NULL, WORD_NONE, "these, too" },
	{ 0, "plain", OPTION_FLAG, AT(plain), NULL, WORD_NONE,
	  "search what one saw: without escape sequences" },
	{ 0, "heading", OPTION_FLAG, AT(heading), NULL, WORD_NONE,
	  "group hits below their session and entry, as on a terminal" },
	{ 0, "color", OPTION_FLAG, AT(color), NULL, WORD_NONE,
	  "print colors, as on a terminal" },
	{ 0, "open", OPTION_FLAG, AT(open), NULL, WORD_NONE,
	  "mount the session of the newest hit, print the entry's\n"
	  "folder, and on a terminal show the content there" },
	{ 0, "resume", OPTION_FLAG, AT(resume), NULL, WORD_NONE,
	  "print the command with which the agent goes on from there;\n"
	  "with fzf and a terminal, both let you choose among the hits" },
	{ 0, "preview", OPTION_TEXT, AT(preview), "HIT", WORD_ANY,
	  "print what fzf shows of a hit" },
	USUAL('a', "text", NULL),
	USUAL('H', "with-filename", NULL),
	USUAL('n', "line-number", NULL),
	USUAL('r', "recursive", "what it does anyway"),
	OPTION_ROW_END,
};

const struct command command_grep = {
	.name = "grep",
	.usage = "PATTERN [PATH...]",
	.help = "Search every entry's content as grep does.\n\n"
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
