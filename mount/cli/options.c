#include "mount/cli/options.h"

#include <ctype.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/buf.h"
#include "core/base/span.h"
#include "core/dialects/registry.h"
#include "core/places/agents.h"
#include "core/places/places.h"
#include "core/show/outline.h"
#include "mount/cli/status.h"

/* -- options of -o */

#define MOUNT TAKEN_BY_MOUNT
#define EXPORT TAKEN_BY_EXPORT
#define READING (TAKEN_BY_READING | TAKEN_BY_EXPORT)
#define LIST TAKEN_BY_LIST

#define AT(member) .at = offsetof(struct options, member)
#define NUMBER(member, from, to)                               \
	.kind = MOUNT_OPTION_NUMBER, .value = "N", AT(member), \
	.least = (from), .most = (to)

const struct mount_option mount_options[] = {
	{ "ro", "refuse every write", MOUNT | EXPORT, AT(read_only) },
	{ "force", "write even if a running agent has the session open",
	  MOUNT | EXPORT, AT(force) },
	{ "dialect", "read sessions in this format, whatever their lines say",
	  MOUNT | READING | LIST, .kind = MOUNT_OPTION_DIALECT, .value = "NAME",
	  AT(dialect) },
	{ "keep", "keep at most N sessions of a folder in memory",
	  MOUNT | READING, true, NUMBER(keep, 1, PLACES_KEEP_MAX) },
	{ "poll", "check files this often (1 on network filesystems)", MOUNT,
	  true, MOUNT_OPTION_SECONDS, "SECONDS", AT(poll) },
	{ "stats", "count requests, and show the counts in info",
	  MOUNT | EXPORT, true, AT(stats) },
	{ "color", "color tree.txt (less -R)", MOUNT | EXPORT, AT(color) },
	{ "columns", "cut the lines of tree.txt (100)", MOUNT | EXPORT, true,
	  NUMBER(columns, OUTLINE_COLUMNS_LEAST, OUTLINE_COLUMNS_MOST) },
	{ "resumable", "only what agents would go on from", LIST,
	  AT(resumable) },
	{ "allow_other", "let other users in, if the mode of SOURCE allows it",
	  MOUNT, .kind = MOUNT_OPTION_OTHER },
	{ "auto_unmount", "unmount when the daemon dies", MOUNT, true,
	  .kind = MOUNT_OPTION_OTHER },
	{ "max_read", "read N bytes in a request at most", MOUNT, true,
	  NUMBER(max_read, 0, INT_MAX) },
	{ 0 },
};

static bool take_seconds(const char *option, const char *text, double *to)
{
	char *end;
	double seconds = strtod(text, &end);
	if (end != text && !*end && seconds >= 0.01 && seconds <= 86400) {
		*to = seconds;
		return true;
	}
	fprintf(stderr,
		"sessfs: %s=%s: must be a number of seconds from 0.01 to "
		"86400\n",
		option, text);
	return false;
}

static bool set_dialect(const char *name, const struct dialect **to)
{
	*to = dialect_named(span_of(name));
	if (*to)
		return true;
	struct buf names BUF_SCOPED = { 0 };
	dialect_add_names(&names);
	const char *list = buf_cstr(&names);
	fprintf(stderr, "sessfs: unknown dialect '%s'; known: %s\n", name,
		list ? list : "");
	return false;
}

static bool set_option(const struct mount_option *row, struct options *o,
		       const char *value)
{
	void *at = (char *)o + row->at;
	switch (row->kind) {
	case MOUNT_OPTION_FLAG:
		*(int *)at = 1;
		return true;
	case MOUNT_OPTION_NUMBER:
		return options_number(row->name, value, row->least, row->most,
				      at);
	case MOUNT_OPTION_SECONDS:
		return take_seconds(row->name, value, at);
	case MOUNT_OPTION_DIALECT:
		return set_dialect(value, at);
	case MOUNT_OPTION_OTHER:
		break;
	}
	return true;
}

enum mount_option_taken mount_option_take(unsigned takers, struct options *o,
					  const char *option)
{
	const char *equals = strchr(option, '=');
	struct span name = { option, equals ? (size_t)(equals - option)
					    : strlen(option) };
	const struct mount_option *row = mount_options;
	while (row->name && !span_eq(span_of(row->name), name))
		row++;
	if (!row->name || !(row->takers & takers) ||
	    row->kind == MOUNT_OPTION_OTHER || !row->value != !equals)
		return MOUNT_OPTION_UNKNOWN;
	return set_option(row, o, equals ? equals + 1 : "")
		       ? MOUNT_OPTION_TAKEN
		       : MOUNT_OPTION_WRONG;
}

void mount_options_print(unsigned takers)
{
	for (const struct mount_option *row = mount_options; row->name; row++) {
		char left[64];
		snprintf(left, sizeof(left), "-o %s%s%s", row->name,
			 row->value ? "=" : "", row->value ? row->value : "");
		bool is_left_out = row->is_rare && takers == TAKEN_BY_MOUNT;
		if (row->takers & takers && !is_left_out)
			printf("  %-18s %s\n", left, row->help);
	}
}

/* -- rows of options */

/* Values of getopt_long() for rows without a letter, from this on. */
#define ROW_BASE 256

static const struct option_row *row_end(const struct command *c)
{
	const struct option_row *row = c->options;
	while (row && (row->letter || row->name))
		row++;
	return row;
}

/* Those of a list that the command has. */
static bool take_session_options(unsigned takers, struct options *o,
				 const char *list)
{
	char *copy = strdup(list);
	char *rest = copy;
	bool ok = true;
	if (!copy)
		fputs("sessfs: out of memory\n", stderr);
	while (ok && rest) {
		const char *option = strsep(&rest, ",");
		enum mount_option_taken taken =
			*option ? mount_option_take(takers, o, option)
				: MOUNT_OPTION_TAKEN;
		if (taken == MOUNT_OPTION_UNKNOWN)
			fprintf(stderr, "sessfs: unknown option(s): `-o %s'\n",
				option);
		ok = taken == MOUNT_OPTION_TAKEN;
	}
	free(copy);
	return ok && copy;
}

static bool has_optional_value(const struct option_row *row)
{
	return row->value && row->value[0] == '[';
}

static bool push(struct texts *t, const char *text)
{
	return array_add(&t->list, &t->cap, &t->n, text) == 0;
}

static bool take(const struct option_row *row, struct options *o, char *value)
{
	void *at = (char *)o->own + row->at;
	bool ok = true;
	switch (row->kind) {
	case OPTION_FLAG:
		++*(int *)at;
		return true;
	case OPTION_TEXT:
		*(const char **)at = value ? value : "";
		return true;
	case OPTION_SESSION:
		return take_session_options((unsigned)row->at, o, value);
	case OPTION_TEXTS:
		ok = push(at, value);
		break;
	case OPTION_LIST:
		while (ok && value) {
			const char *part = strsep(&value, ",");
			/* "pi," is "pi"; "" is wrong. */
			if (*part || ((struct texts *)at)->n == 0)
				ok = push(at, part);
		}
		break;
	}
	if (!ok)
		fputs("sessfs: out of memory\n", stderr);
	return ok;
}

/* The rows for getopt_long(), with -h and --help. */
struct getopt_rows {
	char letters[160];
	struct option names[64];
};

static void make_rows(const struct command *c, struct getopt_rows *to)
{
	size_t l = 0;
	size_t n = 0;
	*to = (struct getopt_rows){ .letters = ":" };
	l++;
	for (const struct option_row *row = c->options; row < row_end(c);
	     row++) {
		int value = has_optional_value(row) ? optional_argument
			    : row->value	    ? required_argument
						    : no_argument;
		if (row->letter) {
			to->letters[l++] = row->letter;
			if (row->value)
				to->letters[l++] = ':';
		}
		if (row->name)
			to->names[n++] = (struct option){
				row->name, value, NULL,
				ROW_BASE + (int)(row - c->options)
			};
	}
	to->letters[l] = 'h';
	to->names[n] = (struct option){ "help", no_argument, NULL, 'h' };
}

static const struct option_row *find_row(const struct command *c, int key)
{
	if (key >= ROW_BASE)
		return &c->options[key - ROW_BASE];
	const struct option_row *row = c->options;
	while (row < row_end(c) && row->letter != key)
		row++;
	return row;
}

/* The words are right, and the command is to run; else an exit status. */
#define TO_RUN (-1)

static int refuse(const struct command *c, const char *what, const char *word)
{
	fprintf(stderr, "sessfs: %s: %s%s (sessfs %s -h for help)\n", c->name,
		what, word, c->name);
	return STATUS_USAGE;
}

/* getopt_long() found no such option, or no value for it. */
static int refuse_option(const struct command *c, int key, char **argv)
{
	const char letter[] = { '-', (char)optopt, '\0' };
	bool is_letter = optopt > 0 && optopt < ROW_BASE;
	/* The option is known, but takes no value. */
	if (key == '?' && optopt >= ROW_BASE)
		return refuse(c, "no value is taken by --",
			      find_row(c, optopt)->name);
	/* argv[optind - 1] is not the word yet if other letters follow. */
	const char *word = is_letter ? letter : argv[optind - 1];
	return refuse(c, key == ':' ? "no value for " : "no option ", word);
}

/* A search that found nothing gave an empty one. */
bool options_have_names(const struct command *c, const struct options *o,
			size_t from)
{
	for (size_t i = from; i < o->n_names; i++) {
		if (!*o->names[i]) {
			(void)refuse(c, "an operand can't be empty", "");
			return false;
		}
	}
	return true;
}

static int take_operands(const struct command *c, int n, char **words,
			 struct options *o)
{
	if ((unsigned)n < c->least) {
		fprintf(stderr, "usage: sessfs %s [OPTIONS] %s (-h for help)\n",
			c->name, c->usage);
		return STATUS_USAGE;
	}
	if ((unsigned)n > c->most)
		return refuse(c, "unexpected argument: ", words[c->most]);
	o->names = words;
	o->n_names = (size_t)n;
	o->source = n > 0 ? words[0] : NULL;
	return options_have_names(c, o, c->texts) ? TO_RUN : STATUS_USAGE;
}

static void print_row(const struct option_row *row)
{
	char left[64];
	const char letter[] = { '-', row->letter, '\0' };
	snprintf(left, sizeof(left), "%s%s%s%s%s%s", row->letter ? letter : "",
		 row->letter && row->name ? ", " : "", row->name ? "--" : "",
		 row->name ? row->name : "",
		 row->value && !has_optional_value(row) ? " " : "",
		 row->value ? row->value : "");
	if (!row->help) {
		printf("  %s\n", left);
		return;
	}
	/* Further lines of the text are below its first one. */
	for (const char *text = row->help; *text;) {
		int n = (int)strcspn(text, "\n");
		printf("  %-18s %.*s\n", text == row->help ? left : "", n,
		       text);
		text += n + (text[n] == '\n');
	}
}

void options_print_usage(const struct command *c)
{
	printf("usage: sessfs %s [OPTIONS]%s%s\n\n%s\n\n", c->name,
	       c->usage[0] ? " " : "", c->usage, c->help);
	for (const struct option_row *row = c->options; row < row_end(c);
	     row++) {
		if (row->kind == OPTION_SESSION)
			mount_options_print((unsigned)row->at);
		else
			print_row(row);
	}
	printf("  %-18s %s\n", "-h, --help", "print this");
}

static int parse(const struct command *c, int argc, char **argv,
		 struct options *o)
{
	struct getopt_rows rows;
	int key;
	make_rows(c, &rows);
	optind = 0;
	opterr = 0;
	if (c->takes_rest) {
		int n = 1;
		while (n < argc && strcmp(argv[n], "--") != 0)
			n++;
		o->rest = n < argc ? argv + n + 1 : argv + argc;
		argc = n;
	}
	while ((key = getopt_long(argc, argv, rows.letters, rows.names,
				  NULL)) != -1) {
		if (key == '?' || key == ':')
			return refuse_option(c, key, argv);
		if (key == 'h' && find_row(c, key) == row_end(c)) {
			options_print_usage(c);
			return STATUS_OK;
		}
		if (!take(find_row(c, key), o, optarg))
			return STATUS_USAGE;
	}
	return take_operands(c, argc - optind, argv + optind, o);
}

static void free_lists(const struct command *c, void *own)
{
	for (const struct option_row *row = c->options; row < row_end(c);
	     row++) {
		void *at = (char *)own + row->at;
		struct texts *texts = at;
		/* Several rows may add to one list. */
		if (row->kind == OPTION_TEXTS || row->kind == OPTION_LIST) {
			free(texts->list);
			*texts = (struct texts){ 0 };
		}
	}
}

int command_run(const struct command *c, int argc, char **argv)
{
	struct options o = { .keep = c->once ? 1 : PLACES_KEEP,
			     .own = calloc(1, c->size ? c->size : 1) };
	if (!o.own)
		return status_fail(c->name, "out of memory");
	int status = parse(c, argc, argv, &o);
	if (status == TO_RUN)
		status = c->run(&o);
	free_lists(c, o.own);
	free(o.own);
	/* What is printed may be written, and fail, only now. */
	int flushed = status_flush();
	return status ? status : flushed;
}

bool options_number(const char *option, const char *text, unsigned least,
		    unsigned most, unsigned *n)
{
	char *end;
	if (!text)
		return true;
	unsigned long long v = strtoull(text, &end, 10);
	if (isdigit((unsigned char)text[0]) && !*end && v >= least &&
	    v <= most) {
		*n = (unsigned)v;
		return true;
	}
	fprintf(stderr, "sessfs: %s=%s: must be a number from %u to %u\n",
		option, text, least, most);
	return false;
}

bool options_agent(const char *name, const struct dialect **to)
{
	if (!name)
		return true;
	*to = agent_named(&dialect_registry, name);
	if (*to)
		return true;
	struct buf reason = { 0 };
	buf_adds(&reason, "no such agent; there are ");
	agent_add_names(&dialect_registry, false, "and", &reason);
	(void)status_fail_made(name, &reason);
	return false;
}
