#include "mount/commands/grep/skip.h"

#include <stdlib.h>

#include "core/base/array.h"

/* A pattern that is being read. */
struct reader {
	struct runs *to;
	const char *p;
	const char *end;
	unsigned depth;	   /* of groups: what is in one may be optional */
	struct span now;   /* the run that the last bytes make */
	struct span best;  /* of this branch */
	bool is_uncertain; /* the pattern can't be read here */
};

/* Is the byte one of these? */
static bool is_any(char c, const char *of)
{
	return c && strchr(of, c);
}

static bool is_letter(char c)
{
	return span_lower(c) >= 'a' && span_lower(c) <= 'z';
}

static bool is_run_letter(const struct reader *r, char c)
{
	if (r->to->any_case && is_any(c, "kKsS"))
		return false;
	return is_letter(c) || c == '_';
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

/* A branch ends: without a run, any line may be selected. */
static int end_branch(struct reader *r)
{
	struct runs *to = r->to;
	end_run(r);
	struct span best = r->best;
	r->best = (struct span){ 0 };
	if (best.n == 0)
		r->is_uncertain = true;
	return best.n > 0 ? array_add(&to->list, &to->cap, &to->n, best) : 0;
}

/* Skip the name of a class in brackets, after its "[:". */
static void skip_name(struct reader *r)
{
	while (r->p < r->end && (*r->p == '^' || is_letter(*r->p)))
		r->p++;
	if (r->end - r->p < 2 || r->p[0] != ':' || r->p[1] != ']')
		r->is_uncertain = true;
	else
		r->p += 2;
}

/* Skip a class, after its bracket. */
static void skip_class(struct reader *r)
{
	if (r->p < r->end && *r->p == '^')
		r->p++;
	const char *first = r->p;
	while (r->p < r->end && !r->is_uncertain &&
	       (*r->p != ']' || r->p == first)) {
		char c = *r->p++;
		char next = r->p < r->end ? *r->p : '\0';
		if (c == '[' && next == ':') {
			r->p++;
			skip_name(r);
		} else if (c == '[' && is_any(next, ".=")) {
			r->is_uncertain = true;
		} else if (c == '\\') {
			r->is_uncertain = is_any(next, "QEc");
			r->p++;
		}
	}
	if (r->p >= r->end)
		r->is_uncertain = true;
	else
		r->p++;
}

/* After a backslash: what stands for one character or a place is known. */
static void skip_escape(struct reader *r)
{
	char c = r->p < r->end ? *r->p++ : 'Q';
	char next = r->p < r->end ? *r->p : '\0';
	bool is_one = is_any(c, "wWdDsSbBhHvVRNXKAzZGnrtfea") && next != '{';
	if ((is_letter(c) && !is_one) || (c >= '0' && c <= '9'))
		r->is_uncertain = true;
}

/* After a parenthesis: a plain group, one with a name, or one that looks. */
static void begin_group(struct reader *r)
{
	r->depth++;
	char c = r->p < r->end ? *r->p : '\0';
	char next = r->end - r->p > 1 ? r->p[1] : '\0';
	if (c == '*' || (c == '?' && !is_any(next, ":=!|><P'")))
		r->is_uncertain = true;
}

static int take_operator(struct reader *r, char c)
{
	/* These repeat or drop the last letter. */
	if (is_any(c, "*+?{") && r->now.n > 0)
		r->now.n--;
	if (c == '|' && r->depth == 0)
		return end_branch(r);
	end_run(r);
	if (c == '[')
		skip_class(r);
	else if (c == '\\')
		skip_escape(r);
	else if (c == '(')
		begin_group(r);
	else if (c == ')' && r->depth > 0)
		r->depth--;
	else if (c == ')')
		r->is_uncertain = true;
	r->now = (struct span){ r->p, 0 };
	return 0;
}

/* *is_uncertain: it has no run, or can't be read here. */
static int read_pattern(struct runs *to, struct span pattern, bool fixed,
			bool *is_uncertain)
{
	struct reader r = { .to = to,
			    .p = pattern.p,
			    .end = pattern.p + pattern.n,
			    .now = { pattern.p, 0 } };
	int err = 0;
	while (!err && !r.is_uncertain && r.p < r.end) {
		char c = *r.p++;
		if (is_run_letter(&r, c))
			r.now.n += r.depth == 0;
		else
			err = take_operator(&r, fixed ? '\0' : c);
	}
	if (!err && !r.is_uncertain)
		err = end_branch(&r);
	*is_uncertain = r.is_uncertain || r.depth > 0;
	return err;
}

int runs_find(struct runs *r, const struct pattern_texts *t)
{
	bool is_uncertain = false;
	int err = 0;
	*r = (struct runs){ .any_case = t->any_case };
	for (size_t i = 0; i < t->n && !is_uncertain && !err; i++)
		err = read_pattern(r, t->list[i], t->fixed, &is_uncertain);
	if (is_uncertain || r->n > RUNS_MOST)
		r->n = 0;
	return err;
}

void runs_free(struct runs *r)
{
	free(r->list);
	*r = (struct runs){ 0 };
}
