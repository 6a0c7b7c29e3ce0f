/*
 * Which sessions: the options that all commands have for that, with the meaning
 * that SELECTION in sessfs(1) says. selection.h has the sessions: by time, with
 * forks below what they go on from, or by path.
 */
#ifndef SESSFS_SELECT_H
#define SESSFS_SELECT_H

#include "core/catalogue/summary.h"
#include "mount/cli/options.h"

/* As they were given. */
struct select_options {
	struct texts agents;
	int here;
	struct texts projects;
	const char *since;
	const char *until;
	int kept;
	const char *sort;
};

/* Their rows, for a command whose own struct has them at `at`. */
#define SELECT_ROW(at, ...) \
	OPTION_ROW_AT(struct select_options, at, __VA_ARGS__)
#define SELECT_ROWS(at)                                                        \
	SELECT_ROW(                                                            \
		at, "agent", OPTION_LIST, agents, "AGENT",                     \
		"only sessions of one, or several: pi,omp,claude,codex,qwen"), \
		SELECT_ROW(at, "here", OPTION_FLAG, here, NULL,                \
			   "only sessions of this directory, and those "       \
			   "below, or of\n"                                    \
			   "the project that it is in"),                       \
		SELECT_ROW(                                                    \
			at, "project", OPTION_TEXTS, projects, "NAME",         \
			"only those of directories called NAME, or below a\n"  \
			"directory, if it has a /; several: NAME,NAME"),       \
		SELECT_ROW(at, "since", OPTION_TEXT, since, "TIME",            \
			   "only of this time and later: 3d (ago; m, h, d, "   \
			   "w), today,\n"                                      \
			   "yesterday, 2026-03-01 or 2026-03-01T10:00"),       \
		SELECT_ROW(at, "until", OPTION_TEXT, until, "TIME",            \
			   "only up to it"),                                   \
		SELECT_ROW(at, "kept", OPTION_FLAG, kept, NULL,                \
			   "only those that their agents had deleted when "    \
			   "sessfs keep\n"                                     \
			   "ran last"),                                        \
		SELECT_ROW(at, "sort", OPTION_TEXT, sort, "ORDER",             \
			   "sessions by time, the newest first, as usual, or " \
			   "by path")

/* What follows from them. Zeroed: all sessions of all agents. */
struct select_by {
	const struct dialect **agents; /* n_agents; none: all */
	size_t n_agents;
	char *dir;	 /* NULL: any */
	bool dir_alone;	 /* not those below it */
	char **projects; /* n_projects: their names, or paths; none: any */
	size_t n_projects;
	int64_t since; /* in ms; 0: any time */
	int64_t until; /* 0: any time */
	char *kept;    /* the folder of those that are selected; NULL: any */
	bool by_path;
	/* The caller sets these: */
	const char *id; /* the start or the end of an id; NULL: any */
	bool is_quiet;	/* does not report what can't be read */
	bool is_newest; /* for selection_newest(): keeps all rows */
	bool is_known;	/* reads no file: rows may lack their summary */
	/*
	 * Entries are looked for: the sessions of subagents and those without
	 * entries count, too, and --until leaves out none.
	 */
	bool of_entries;
	bool as_mounted;    /* rows are shown as in a mount */
	const char *called; /* in messages: the PATH; NULL: by itself */
	const char *name;   /* then: in place of the PATHs, before that */
	const struct dialect *forced;
};

/* Is any of them given? */
bool select_is_given(const struct select_options *o);

/* Parse them: STATUS_OK, or STATUS_USAGE or _FAILED after a report. */
int select_parse(struct select_by *by, const struct select_options *o,
		 const char *command);
void select_by_free(struct select_by *by);

/*
 * Is a session selected, by what its summary has? Its agent counts only if the
 * caller does not know it otherwise, and so does its directory: NULL then.
 */
bool select_has(const struct select_by *by, const struct summary *s,
		bool by_agent, const char *dir);

/* Is its directory this one or, unless that is wanted alone, below it? */
bool select_is_in(const struct summary *s, const char *dir, bool alone);

/*
 * Cut off a directory's last part. False at the user's home and what is around
 * that: no project is there.
 */
bool select_go_up(char *dir);

/* Append what was to be selected: " of pi, since 3d". */
void select_add_words(const struct select_options *o, struct buf *out);
/* Report that there are no such sessions. */
int select_report_none(const struct select_options *o, const char *command);

/* Has a file of this name an id that starts or ends as by->id? */
bool select_has_id(const struct select_by *by, struct span name);

#endif
