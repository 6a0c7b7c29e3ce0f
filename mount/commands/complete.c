/*
 * complete WORD...: what the shells offer for the last word of a command line
 * (mount/share/completion.*). Made of the rows of each command's options, and
 * of its usage, which names the operands.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "mount/cli/status.h"
#include "mount/commands/candidates.h"
#include "mount/commands/commands.h"

struct complete_options {
	const char *after;
};

static const struct option_row mount_rows[] = {
	{ 'o', NULL, OPTION_SESSION, TAKEN_BY_MOUNT, "OPTIONS",
	  "options of the mount" },
	{ 'f', NULL, OPTION_FLAG, 0, NULL, "stay in the foreground" },
	{ 'd', NULL, OPTION_FLAG, 0, NULL,
	  "stay in the foreground, and print every request" },
	{ 's', NULL, OPTION_FLAG, 0, NULL, "use one thread" },
	{ 0, "all", OPTION_FLAG, 0, NULL, "mount the folders of all agents" },
	{ 'V', "version", OPTION_FLAG, 0, NULL, "print the version" },
	{ 0 },
};

static const struct command mounting = {
	.name = "",
	/* A SOURCE may follow, too. */
	.usage = "SOURCE MOUNTPOINT...",
	.options = mount_rows,
};

/* The words before the one to complete. */
struct line {
	const struct command *command;
	const struct option_row *valued; /* whose value the word is, or NULL */
	bool ended;			 /* "--" was given */
	bool has_pattern; /* an option stands for the operand PATTERN */
	unsigned operands;
};

static const struct option_row *find_row(const struct command *c, char letter,
					 struct span name)
{
	const struct option_row *row = c->options;
	for (; row && (row->letter || row->name); row++) {
		if (letter ? row->letter == letter
			   : row->name && span_eq(span_of(row->name), name))
			return row;
	}
	return NULL;
}

static void take_row(struct line *l, const struct option_row *row,
		     bool has_value)
{
	if (!row || !row->value || row->value[0] == '[')
		return;
	l->has_pattern =
		l->has_pattern || row->letter == 'e' || row->letter == 'f';
	l->valued = has_value ? NULL : row;
}

static void take_option(struct line *l, const char *word)
{
	/* It stands for the SOURCE. */
	l->operands += l->command == &mounting && strcmp(word, "--all") == 0;
	if (word[1] == '-') {
		size_t n = strcspn(word + 2, "=");
		take_row(l,
			 find_row(l->command, '\0',
				  (struct span){ word + 2, n }),
			 word[2 + n] == '=');
		return;
	}
	for (const char *p = word + 1; *p; p++) {
		const struct option_row *row =
			find_row(l->command, *p, SPAN(""));
		take_row(l, row, p[1] != '\0');
		if (row && row->value)
			return;
	}
}

static void take_word(struct line *l, const char *word)
{
	if (l->valued)
		l->valued = NULL;
	else if (l->ended || word[0] != '-' || !word[1])
		l->operands++;
	else if (strcmp(word, "--") == 0)
		l->ended = true;
	else
		take_option(l, word);
}

static void offer_value(const struct candidates *c, const struct command *of,
			const struct option_row *row)
{
	if (row->kind == OPTION_SESSION)
		candidates_add_mount_options(c, (unsigned)row->at);
	else if (of == &command_log && strcmp(row->value, "PATH") == 0)
		candidates_add_touched(c);
	else if (strcmp(row->value, "OPTIONS") == 0)
		candidates_add_mount_options(c, TAKEN_BY_MOUNT);
	else
		candidates_add_named(c, span_of(row->value), true);
}

static void offer_option(const struct candidates *c, char letter,
			 const char *name, const char *help)
{
	char word[80];
	snprintf(word, sizeof(word), "-%c", letter);
	if (letter)
		candidates_add(c, word, help);
	snprintf(word, sizeof(word), "--%s", name ? name : "");
	if (name)
		candidates_add(c, word, help);
}

/* --NAME=VALUE */
static bool offer_joined_value(const struct candidates *c,
			       const struct command *of)
{
	const char *equals = strchr(c->word, '=');
	const struct option_row *row = NULL;
	char prefix[80];
	if (strncmp(c->word, "--", 2) == 0 && equals)
		row = find_row(of, '\0',
			       (struct span){ c->word + 2,
					      (size_t)(equals - c->word) - 2 });
	if (!row || !row->value)
		return false;
	snprintf(prefix, sizeof(prefix), "--%s=", row->name);
	const struct candidates value = { .word = equals + 1,
					  .prefix = prefix,
					  .after = c->after };
	offer_value(&value, of, row);
	return true;
}

/* The next word of a usage without its brackets and dots; empty at the end. */
static struct span next_part(struct span *usage, bool *repeated)
{
	struct span part = span_next(usage, ' ');
	while (part.n > 0 && strchr("[]", part.p[0])) {
		part.p++;
		part.n--;
	}
	while (part.n > 0 && strchr("[].", part.p[part.n - 1])) {
		*repeated = *repeated || part.p[part.n - 1] == '.';
		part.n--;
	}
	return part;
}

/*
 * Offer what the n-th operand can be. In a usage its names have "|" between
 * them, and dots after an operand that is repeated.
 */
static void offer_operand(const struct candidates *c, const struct line *l)
{
	struct span rest = span_of(l->command->usage);
	unsigned n = 0;
	bool joined = true; /* to the part before, as the first one is */
	bool repeated = false;
	bool any = false;
	while (rest.n > 0) {
		struct span part = next_part(&rest, &repeated);
		if (span_eq(part, SPAN("|"))) {
			joined = true;
			continue;
		}
		/* A word of its own may stand in place of the one before. */
		if (part.n > 0 && part.p[0] == '-')
			joined = joined && !any;
		if (part.n == 0 || part.p[0] == '-' ||
		    (l->has_pattern && span_eq(part, SPAN("PATTERN"))))
			continue;
		n += !joined;
		joined = false;
		any = true;
		if (n == l->operands || (repeated && n < l->operands &&
					 memchr(rest.p, ' ', rest.n) == NULL))
			candidates_add_named(c, part, false);
	}
}

static void offer(const struct candidates *c, const struct line *l)
{
	bool is_option = !l->ended && c->word[0] == '-';
	if (l->valued) {
		offer_value(c, l->command, l->valued);
		return;
	}
	if (is_option && offer_joined_value(c, l->command))
		return;
	if (is_option) {
		const struct option_row *row = l->command->options;
		for (; row && (row->letter || row->name); row++)
			offer_option(c, row->letter, row->name, row->help);
		offer_option(c, 'h', "help", "print help");
		return;
	}
	bool is_first =
		l->command == &mounting && l->operands == 0 && !l->ended;
	if (is_first)
		candidates_add_commands(c);
	/* Before anything is typed, it is rather a command. */
	if (!is_first || *c->word)
		offer_operand(c, l);
}

/* The first word is the program's. */
static int complete(const struct options *o)
{
	const struct complete_options *own = o->own;
	size_t last = o->n_names - 1;
	const struct command *named =
		last > 1 ? command_named(o->names[1]) : NULL;
	struct line l = { .command = named ? named : &mounting };
	const struct candidates c = { .word = o->names[last],
				      .prefix = "",
				      .after = own->after };
	for (size_t i = named ? 2 : 1; i < last; i++)
		take_word(&l, o->names[i]);
	offer(&c, &l);
	return STATUS_OK;
}

static const struct option_row rows[] = {
	{ 0, "after", OPTION_TEXT, offsetof(struct complete_options, after),
	  "WORD", "the last word after the cursor" },
	{ 0 },
};

const struct command command_complete = {
	.name = "complete",
	.usage = "WORD...",
	.help = "Print what can be the last WORD of a command line.",
	.options = rows,
	.size = sizeof(struct complete_options),
	.least = 2,
	.most = UINT_MAX,
	.texts = UINT_MAX,
	.run = complete,
};
