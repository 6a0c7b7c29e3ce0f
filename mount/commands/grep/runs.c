#include "mount/commands/grep/runs.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"

/* What grep's options say of its patterns. */
struct syntax {
	char letter; /* F, E or G */
	bool any_case;
	bool is_clear; /* all of them are known here */
};

/* Does the option have a value, as the next argument? */
static bool has_value(const char *option)
{
	return strlen(option) == 2 && strchr("ABe", option[1]);
}

static void take_option(struct syntax *s, const char *option)
{
	static const char *const plain[] = { "-w",
					     "-x",
					     "-o",
					     "-an",
					     "--color=always",
					     "--color=never",
					     "--no-ignore-case",
					     "--no-group-separator" };
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		if (strcmp(option, plain[i]) == 0)
			return;
	}
	if (strcmp(option, "-i") == 0) {
		s->any_case = true;
		return;
	}
	/* Which of several counts depends on the version of grep. */
	if (strlen(option) == 2 && option[0] == '-' &&
	    strchr("FEG", option[1]) && (!s->letter || s->letter == option[1]))
		s->letter = option[1];
	else
		s->is_clear = false;
}

/* In other encodings a byte of ASCII may be a part of another letter. */
static bool is_known_locale(void)
{
	locale_t l = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
	/* grep takes the C locale then, as every program does. */
	if (!l)
		return true;
	const char *codeset = nl_langinfo_l(CODESET, l);
	bool known = strcmp(codeset, "UTF-8") == 0 ||
		     strcmp(codeset, "ANSI_X3.4-1968") == 0;
	freelocale(l);
	return known;
}

static struct syntax syntax_of(const struct grep_args *a)
{
	struct syntax s = { .is_clear = is_known_locale() };
	for (size_t i = 1; i < a->n; i++) {
		if (has_value(a->argv[i]) && i + 1 < a->n)
			i++;
		else
			take_option(&s, a->argv[i]);
	}
	s.letter = s.letter ? s.letter : 'G';
	return s;
}

/* A pattern that is being read. */
struct reader {
	struct runs *to;
	char letter; /* of its syntax */
	const char *p;
	const char *end;
	unsigned depth;	   /* of groups: what is in one may be optional */
	struct span now;   /* the run that the last bytes make */
	struct span best;  /* of this branch */
	bool is_uncertain; /* the pattern can't be read here */
};

static bool is_run_letter(const struct reader *r, char c)
{
	char low = span_lower(c);
	if (r->to->any_case && (low == 'i' || low == 'k' || low == 's'))
		return false;
	return (low >= 'a' && low <= 'z') || c == '_';
}

/* The part of a run that is looked for; empty: it is too short. */
static struct span usable(struct span run)
{
	if (run.n > 0 && span_lower(run.p[0]) >= 'a' &&
	    span_lower(run.p[0]) <= 'f') {
		run.p++;
		run.n--;
	}
	if (run.n < RUN_LEAST)
		run.n = 0;
	if (run.n > RUN_MOST)
		run.n = RUN_MOST;
	return run;
}

/* The run ends here. */
static void end_run(struct reader *r)
{
	struct span run = usable(r->now);
	if (run.n > r->best.n)
		r->best = run;
	r->now = (struct span){ r->p, 0 };
}

/* It ends before its last letter, which an operator repeats or drops. */
static void end_before_last(struct reader *r)
{
	if (r->now.n > 0)
		r->now.n--;
	end_run(r);
}

/* A branch ends: without a run, any line may be selected. */
static int end_branch(struct reader *r)
{
	struct runs *to = r->to;
	end_run(r);
	if (r->best.n == 0)
		r->is_uncertain = true;
	else if (array_reserve(&to->list, &to->cap, to->n, 1) < 0)
		return -ENOMEM;
	else
		to->list[to->n++] = r->best;
	r->best = (struct span){ 0 };
	return 0;
}

/* Skip a bracket expression, after its first byte. */
static void skip_bracket(struct reader *r)
{
	if (r->p < r->end && *r->p == '^')
		r->p++;
	const char *first = r->p;
	while (r->p < r->end && (*r->p != ']' || r->p == first)) {
		char open = *r->p++;
		if (open != '[' || r->p == r->end || !strchr(":.=", *r->p))
			continue;
		const char close[] = { *r->p++, ']' };
		const char *found = memmem(r->p, (size_t)(r->end - r->p), close,
					   sizeof(close));
		if (!found) {
			r->is_uncertain = true;
			return;
		}
		r->p = found + sizeof(close);
	}
	if (r->p == r->end)
		r->is_uncertain = true;
	else
		r->p++;
}

/*
 * An operator, without its backslash where the syntax has one. All that is
 * neither this nor a letter just ends the run.
 */
static int take_operator(struct reader *r, char c)
{
	switch (c) {
	case '|':
		return r->depth == 0 ? end_branch(r) : 0;
	case '(':
		end_run(r);
		r->depth++;
		return 0;
	case ')':
		/* One that closes nothing may be a letter, or an error. */
		if (r->depth == 0)
			r->is_uncertain = true;
		else
			r->depth--;
		break;
	default: /* *, +, ? and { */
		end_before_last(r);
		return 0;
	}
	r->now = (struct span){ r->p, 0 };
	return 0;
}

static int take_escape(struct reader *r)
{
	if (r->p == r->end) {
		r->is_uncertain = true;
		return 0;
	}
	char c = *r->p++;
	if (c >= '1' && c <= '9')
		r->is_uncertain = true;
	if (r->letter == 'G' && strchr("|()+?{", c) && c)
		return take_operator(r, c);
	end_run(r);
	return 0;
}

static int take_byte(struct reader *r)
{
	char c = *r->p++;
	if (is_run_letter(r, c)) {
		if (r->depth == 0)
			r->now.n++;
		return 0;
	}
	if (r->letter != 'F' && c == '\\')
		return take_escape(r);
	if (r->letter != 'F' && c == '*')
		return take_operator(r, c);
	if (r->letter == 'E' && c && strchr("|()+?{", c))
		return take_operator(r, c);
	end_run(r);
	if (r->letter != 'F' && c == '[')
		skip_bracket(r);
	r->now = (struct span){ r->p, 0 };
	return 0;
}

/* *is_uncertain: it has no run, or can't be read here. */
static int read_pattern(struct runs *to, struct span pattern, char letter,
			bool *is_uncertain)
{
	struct reader r = { .to = to,
			    .letter = letter,
			    .p = pattern.p,
			    .end = pattern.p + pattern.n,
			    .now = { pattern.p, 0 } };
	int err = 0;
	while (!err && !r.is_uncertain && r.p < r.end)
		err = take_byte(&r);
	if (!err)
		err = end_branch(&r);
	*is_uncertain = r.is_uncertain || r.depth > 0;
	return err;
}

/* A newline separates patterns. */
static int read_patterns(struct runs *to, const char *text, char letter,
			 bool *is_uncertain)
{
	int err = 0;
	while (!err && !*is_uncertain) {
		size_t n = strcspn(text, "\n");
		err = read_pattern(to, (struct span){ text, n }, letter,
				   is_uncertain);
		text += n;
		if (!*text)
			break;
		text++;
	}
	return err;
}

int runs_find(struct runs *r, const struct grep_args *a)
{
	struct syntax s = syntax_of(a);
	bool is_uncertain = !s.is_clear;
	int err = 0;
	*r = (struct runs){ .any_case = s.any_case };
	for (size_t i = 1; i + 1 < a->n && !is_uncertain && !err; i++) {
		if (!has_value(a->argv[i]))
			continue;
		if (a->argv[i++][1] == 'e')
			err = read_patterns(r, a->argv[i], s.letter,
					    &is_uncertain);
	}
	if (is_uncertain)
		r->n = 0;
	return err;
}

void runs_free(struct runs *r)
{
	free(r->list);
	*r = (struct runs){ 0 };
}
