#include "mount/operands/select.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/pathname.h"
#include "core/base/text.h"
#include "core/catalogue/session_name.h"
#include "core/json/timestamp.h"
#include "core/places/agents.h"
#include "core/session/dialect.h"
#include "core/session/kept.h"
#include "core/show/words.h"
#include "mount/cli/status.h"
#include "mount/operands/source.h"

/* -- times as people write them */

/* Larger numbers of anything are before all sessions. */
#define MOST_UNITS 1000000

/* A number of units ago; false: it is something else. */
static bool parse_ago(const char *text, int64_t *ms)
{
	static const struct {
		char letter;
		int64_t ms;
	} units[] = { { 'm', 60000 },
		      { 'h', 3600000 },
		      { 'd', 86400000 },
		      { 'w', 604800000 } };
	char *end;
	if (!isdigit((unsigned char)text[0]))
		return false;
	unsigned long n = strtoul(text, &end, 10);
	if (!*end || end[1])
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (units[i].letter != *end)
			continue;
		if (n > MOST_UNITS)
			n = MOST_UNITS;
		*ms = timestamp_now() - (int64_t)n * units[i].ms;
		return true;
	}
	return false;
}

/* A day by its name, from its midnight on, or up to the next. */
static bool parse_day(const char *text, bool end, int64_t *ms)
{
	static const char *const days[] = { "today", "yesterday" };
	for (int i = 0; i < 2; i++) {
		time_t now = (time_t)(timestamp_now() / 1000);
		struct tm tm;
		if (strcmp(text, days[i]) != 0 || !localtime_r(&now, &tm))
			continue;
		tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
		tm.tm_mday += end - i;
		tm.tm_isdst = -1;
		*ms = (int64_t)mktime(&tm) * 1000;
		return true;
	}
	return false;
}

/* A local time, and what is the first after it in ms. */
static bool parse_time(const char *text, bool end, int64_t *ms)
{
	static const char *const forms[] = {
		"%Y-%m-%d",	     "%Y-%m-%d %H:%M",	  "%Y-%m-%dT%H:%M",
		"%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S",
	};
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct tm tm = { .tm_isdst = -1 };
		const char *rest = strptime(text, forms[i], &tm);
		if (!rest || *rest)
			continue;
		/* Of 30 February it would make 2 March. */
		struct tm day = tm;
		if (mktime(&day) == (time_t)-1 || day.tm_mday != tm.tm_mday)
			return false;
		tm.tm_mday += end && i == 0;
		tm.tm_min += end && (i == 1 || i == 2);
		tm.tm_sec += end && i > 2;
		time_t t = mktime(&tm);
		*ms = (int64_t)t * 1000;
		return t != (time_t)-1;
	}
	return false;
}

/*
 * How long ago a time was, a number and one of m, h, d and w (minutes to
 * weeks), as "3d"; a day's name; or a local time: 2026-03-01, 2026-03-01 10:00
 * (or T between both) or with seconds. Of a time that is not exact *ms is its
 * beginning, or with `end` the beginning of what follows it. False after
 * reporting that it is none, with the option's name.
 */
static bool parse_when(const char *option, const char *text, bool end,
		       int64_t *ms)
{
	if (parse_ago(text, ms) || parse_day(text, end, ms) ||
	    parse_time(text, end, ms))
		return true;
	fprintf(stderr,
		"sessfs: %s=%s: must be as 3d, 12h, today, yesterday, "
		"2026-03-01 or 2026-03-01T10:00\n",
		option, text);
	return false;
}

/* -- the options */

static int parse_agents(struct select_by *by, const struct texts *names)
{
	size_t cap = 0;
	for (size_t i = 0; i < names->n; i++) {
		const struct dialect *agent = NULL;
		if (!options_agent(names->list[i], &agent))
			return STATUS_USAGE;
		if (array_add(&by->agents, &cap, &by->n_agents, agent))
			return status_error("--agent", -ENOMEM);
	}
	return STATUS_OK;
}

/* A name, or a directory, which need not be there. */
static char *project_of(const char *text)
{
	struct buf path = { 0 };
	if (!strchr(text, '/') && strcmp(text, ".") != 0 &&
	    strcmp(text, "..") != 0)
		return strdup(text);
	char *real = realpath(text, NULL);
	if (real)
		return real;
	char *here = getcwd(NULL, 0);
	pathname_add_normal(&path, span_of(here ? here : "/"), span_of(text));
	free(here);
	return buf_take(&path);
}

static int add_project(struct select_by *by, size_t *cap, const char *text)
{
	char *project = project_of(text);
	int err = project ? array_add(&by->projects, cap, &by->n_projects,
				      project)
			  : -ENOMEM;
	if (err)
		free(project);
	return err;
}

/* A comma may be one of the name, or stand between two. */
static int parse_projects(struct select_by *by, const struct texts *names)
{
	size_t cap = 0;
	int err = 0;
	for (size_t i = 0; i < names->n && !err; i++) {
		const char *all = names->list[i];
		char *copy = strdup(all);
		char *rest = copy && strchr(copy, ',') ? copy : NULL;
		err = copy ? add_project(by, &cap, all) : -ENOMEM;
		while (rest && !err) {
			const char *part = strsep(&rest, ",");
			err = *part ? add_project(by, &cap, part) : 0;
		}
		free(copy);
	}
	return err;
}

/* Where `sessfs keep` has what agents have deleted. */
static int find_kept(struct select_by *by)
{
	struct buf path BUF_SCOPED = { 0 };
	kept_add_folder(&path);
	const char *text = buf_cstr(&path);
	char *real = text && *text ? realpath(text, NULL) : NULL;
	by->kept = real ? real : text ? strdup(text) : NULL;
	return by->kept ? STATUS_OK : status_error("--kept", -ENOMEM);
}

bool select_is_given(const struct select_options *o)
{
	return o->agents.n > 0 || o->here > 0 || o->projects.n > 0 ||
	       o->since || o->until || o->kept > 0 || o->sort;
}

int select_parse(struct select_by *by, const struct select_options *o,
		 const char *command)
{
	int status = parse_agents(by, &o->agents);
	if (status)
		return status;
	if ((o->since && !parse_when("--since", o->since, false, &by->since)) ||
	    (o->until && !parse_when("--until", o->until, true, &by->until)))
		return STATUS_USAGE;
	by->by_path = o->sort && strcmp(o->sort, "path") == 0;
	if (o->sort && !by->by_path && strcmp(o->sort, "time") != 0) {
		fprintf(stderr, "sessfs: --sort=%s: must be path or time\n",
			o->sort);
		return STATUS_USAGE;
	}
	if (o->kept && (status = find_kept(by)))
		return status;
	if (o->here && !(by->dir = source_directory(".")))
		return STATUS_FAILED;
	int err = parse_projects(by, &o->projects);
	return err ? status_error(command, err) : STATUS_OK;
}

/* " of project ", and after other words ", of project ". */
static void add_word(struct buf *out, size_t from, const char *what,
		     const char *value)
{
	buf_adds(out, out->len > from ? ", " : " ");
	buf_adds(out, what);
	text_add_one_line(out, span_of(value));
}

/* " of project A or B" */
static void add_any(struct buf *out, size_t from, const char *what,
		    const struct texts *values)
{
	for (size_t i = 0; i < values->n; i++) {
		if (i == 0) {
			add_word(out, from, what, values->list[i]);
		} else {
			buf_adds(out, " or ");
			text_add_one_line(out, span_of(values->list[i]));
		}
	}
}

void select_add_words(const struct select_options *o, struct buf *out)
{
	size_t from = out->len;
	if (o->here)
		add_word(out, from, "of this directory and below", "");
	add_any(out, from, "of project ", &o->projects);
	add_any(out, from, "of ", &o->agents);
	if (o->since)
		add_word(out, from, "since ", o->since);
	if (o->until)
		add_word(out, from, "until ", o->until);
	if (o->kept)
		buf_adds(out, " that are kept");
}

int select_report_none(const struct select_options *o, const char *command)
{
	struct buf reason = { 0 };
	buf_adds(&reason, "there are no sessions");
	select_add_words(o, &reason);
	return status_fail_made(command, &reason);
}

void select_by_free(struct select_by *by)
{
	free(by->agents);
	free(by->dir);
	for (size_t i = 0; i < by->n_projects; i++)
		free(by->projects[i]);
	free(by->projects);
	free(by->kept);
}

/* -- what is selected */

/* Is it of an id that starts, or ends so? */
bool select_has_id(const struct select_by *by, struct span name)
{
	struct span part = span_of(by->id);
	struct span ids = agent_ids_in_name(name);
	struct span own = ids;
	struct span before = span_next(&own, '_');
	if (own.n == 0)
		own = before;
	/* Lists have the end alone. */
	struct span end = own;
	if (end.n > SESSION_NAME_ID) {
		end.p += end.n - SESSION_NAME_ID;
		end.n = SESSION_NAME_ID;
	}
	return span_starts(ids, part) || span_ends(ids, part) ||
	       span_starts(own, part) || span_starts(end, part);
}

/* A directory as a row has it. */
static bool is_cwd_in(struct span cwd, const char *dir, bool alone)
{
	struct buf shown BUF_SCOPED = { 0 };
	words_add_plain(&shown, span_of(dir));
	struct span at = buf_span(&shown);
	cwd = pathname_trim(cwd);
	return alone ? span_eq(cwd, at) : pathname_is_in(cwd, at);
}

static bool is_of_project(struct span cwd, const char *project)
{
	if (*project == '/')
		return is_cwd_in(cwd, project, false);
	return span_eq(span_last_part(pathname_trim(cwd)), span_of(project));
}

bool select_is_in(const struct summary *s, const char *dir, bool alone)
{
	return is_cwd_in(summary_column(s, SUMMARY_CWD), dir, alone);
}

bool select_go_up(char *dir)
{
	const char *home = getenv("HOME");
	char *real = home ? realpath(home, NULL) : NULL;
	char *slash = strrchr(dir, '/');
	bool is_more = slash && slash != dir;
	if (is_more)
		*slash = '\0';
	if (is_more && real)
		is_more = !pathname_is_below(real, dir);
	free(real);
	return is_more;
}

bool select_has(const struct select_by *by, const struct summary *s,
		bool by_agent, const char *dir)
{
	if (dir && !select_is_in(s, dir, by->dir_alone))
		return false;
	bool is_one = by->n_projects == 0;
	for (size_t i = 0; i < by->n_projects && !is_one; i++)
		is_one = is_of_project(summary_column(s, SUMMARY_CWD),
				       by->projects[i]);
	if (!is_one)
		return false;
	if ((by->since && s->time < by->since) ||
	    (by->until && !by->of_entries && s->time >= by->until))
		return false;
	bool is = !by_agent || by->n_agents == 0;
	for (size_t i = 0; i < by->n_agents && !is; i++)
		is = span_eq(span_of(by->agents[i]->name),
			     summary_column(s, SUMMARY_DIALECT));
	return is;
}
