#include "mount/commands/grep/args.h"

#include <ctype.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"

/* Long options without a short one. */
enum long_option {
	OPTION_NO_IGNORE_CASE = 256,
	OPTION_IGNORED,
};

/* A colon is after those that have a value. */
#define LETTERS "0123456789A:B:C:EFGHPUae:f:hilm:noqsvwxy"

static const struct option options[] = {
	{ "after-context", required_argument, NULL, 'A' },
	{ "basic-regexp", no_argument, NULL, 'G' },
	{ "before-context", required_argument, NULL, 'B' },
	{ "binary", no_argument, NULL, 'U' },
	{ "color", optional_argument, NULL, OPTION_IGNORED },
	{ "colour", optional_argument, NULL, OPTION_IGNORED },
	{ "context", required_argument, NULL, 'C' },
	{ "extended-regexp", no_argument, NULL, 'E' },
	{ "file", required_argument, NULL, 'f' },
	{ "files-with-matches", no_argument, NULL, 'l' },
	{ "fixed-strings", no_argument, NULL, 'F' },
	{ "ignore-case", no_argument, NULL, 'i' },
	{ "invert-match", no_argument, NULL, 'v' },
	{ "line-buffered", no_argument, NULL, OPTION_IGNORED },
	{ "line-number", no_argument, NULL, 'n' },
	{ "line-regexp", no_argument, NULL, 'x' },
	{ "max-count", required_argument, NULL, 'm' },
	{ "no-ignore-case", no_argument, NULL, OPTION_NO_IGNORE_CASE },
	{ "no-messages", no_argument, NULL, 's' },
	{ "only-matching", no_argument, NULL, 'o' },
	{ "perl-regexp", no_argument, NULL, 'P' },
	{ "quiet", no_argument, NULL, 'q' },
	{ "regexp", required_argument, NULL, 'e' },
	{ "silent", no_argument, NULL, 'q' },
	{ "text", no_argument, NULL, 'a' },
	{ "with-filename", no_argument, NULL, 'H' },
	{ "word-regexp", no_argument, NULL, 'w' },
	{ NULL, 0, NULL, 0 },
};

/* What is being parsed. */
struct parser {
	struct grep_args *a;
	int64_t before;	 /* -1: not given */
	int64_t after;	 /* the same */
	int64_t around;	 /* the same */
	int64_t most;	 /* the same */
	char digits[20]; /* of -NUM */
	int digits_in;	 /* where the argument is that they are in */
	bool has_pattern;
};

static bool no_memory(void)
{
	fputs("sessfs: out of memory\n", stderr);
	return false;
}

static bool push(struct grep_args *a, const char *word)
{
	if (array_reserve(&a->argv, &a->cap, a->n, 2) < 0)
		return no_memory();
	a->argv[a->n] = strdup(word);
	if (!a->argv[a->n])
		return no_memory();
	a->argv[++a->n] = NULL;
	return true;
}

static bool push_option(struct grep_args *a, int c, const char *value)
{
	const char option[] = { '-', (char)c, '\0' };
	return push(a, option) && (!value || push(a, value));
}

static bool refuse(const char *what, const char *word)
{
	fprintf(stderr, "sessfs: --grep: %s%s\n", what, word);
	return false;
}

/* A number as grep reads it: too large ones are the largest. */
static bool read_number(int64_t *to, const char *text, const char *what)
{
	char *end;
	unsigned long long n = strtoull(text, &end, 10);
	if (!isdigit((unsigned char)text[0]) || *end)
		return refuse(what, text);
	*to = n > INT64_MAX ? INT64_MAX : (int64_t)n;
	return true;
}

static bool set_context(struct parser *p, int c, const char *text)
{
	int64_t *to = c == 'A' ? &p->after : c == 'B' ? &p->before : &p->around;
	return read_number(to, text, "invalid context length: ");
}

/* A digit of -NUM. */
static bool add_digit(struct parser *p, int c, int in)
{
	size_t n = p->digits_in == in ? strlen(p->digits) : 0;
	p->digits_in = in;
	if (n + 1 == sizeof(p->digits))
		return refuse("invalid context length: ", p->digits);
	p->digits[n] = (char)c;
	p->digits[n + 1] = '\0';
	return set_context(p, 'C', p->digits);
}

/* optind is not behind a letter yet that others follow. */
static bool refuse_option(const char *word)
{
	const char letter[] = { '-', (char)optopt, '\0' };
	bool has_letter = optopt > 0 && optopt <= UCHAR_MAX;
	return refuse("not supported: ", has_letter ? letter : word);
}

static bool take_option(struct parser *p, int c, char **argv)
{
	p->digits_in = -1;
	switch (c) {
	case 'A':
	case 'B':
	case 'C':
		return set_context(p, c, optarg);
	case 'm':
		return read_number(&p->most, optarg, "invalid max count: ");
	case 'q':
		p->a->quiet = true;
		return true;
	case 'l':
		p->a->list = true;
		return true;
	case 'o':
		p->a->only_matching = true;
		return push_option(p->a, c, NULL);
	case 'f':
		if (strcmp(optarg, "-") == 0)
			return refuse("patterns can't be read from ",
				      "standard input");
		/* fall through */
	case 'e':
		p->has_pattern = true;
		return push_option(p->a, c, optarg);
	case 'y':
		return push_option(p->a, 'i', NULL);
	case OPTION_NO_IGNORE_CASE:
		return push(p->a, "--no-ignore-case");
	case 'a':
	case 'H':
	case 'h':
	case 'n':
	case 's':
	case 'U':
	case OPTION_IGNORED:
		return true;
	case '?':
	case ':':
		return refuse_option(argv[optind - 1]);
	default:
		return push_option(p->a, c, NULL);
	}
}

static bool push_context(struct grep_args *a, int c, uint64_t lines)
{
	char number[24];
	snprintf(number, sizeof(number), "%llu", (unsigned long long)lines);
	return push_option(a, c, number);
}

/* Numbers, as they are after all options were seen. */
static bool take_numbers(struct parser *p)
{
	struct grep_args *a = p->a;
	int64_t around = p->around >= 0 ? p->around : 0;
	a->most = (uint64_t)p->most;
	a->before = (uint64_t)(p->before >= 0 ? p->before : around);
	a->after = (uint64_t)(p->after >= 0 ? p->after : around);
	a->contexts = p->before >= 0 || p->after >= 0 || p->around >= 0;
	/* Groups are separated when it is known which content they are in. */
	return !a->contexts || (push_context(a, 'B', a->before) &&
				push_context(a, 'A', a->after) &&
				push(a, "--no-group-separator"));
}

bool grep_args_parse(struct grep_args *a, int n, char **args, bool color)
{
	struct parser p = { .a = a,
			    .before = -1,
			    .after = -1,
			    .around = -1,
			    .most = -1,
			    .digits_in = -1 };
	int c;
	int at = 1;
	*a = (struct grep_args){ 0 };
	optind = 0;
	opterr = 0;
	if (!push(a, "grep") || !push(a, "-an") ||
	    !push(a, color ? "--color=always" : "--color=never"))
		return false;
	while ((c = getopt_long(n, args, LETTERS, options, NULL)) != -1) {
		bool ok = c < 256 && isdigit(c) ? add_digit(&p, c, at)
						: take_option(&p, c, args);
		if (!ok)
			return false;
		at = optind;
	}
	if (!p.has_pattern) {
		if (optind == n)
			return refuse("a pattern is missing", "");
		if (!push_option(a, 'e', args[optind++]))
			return false;
	}
	if (optind < n)
		return refuse("unexpected argument: ", args[optind]);
	return take_numbers(&p);
}

void grep_args_free(struct grep_args *a)
{
	for (size_t i = 0; i < a->n; i++)
		free(a->argv[i]);
	free(a->argv);
	*a = (struct grep_args){ 0 };
}
