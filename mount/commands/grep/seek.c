#include "mount/commands/grep/search.h"

/* The lines of a content from one on. */
struct cursor {
	struct span rest;
	uint64_t number; /* of the first of them */
};

static struct grep_line next_line(struct cursor *c)
{
	return (struct grep_line){ .text = span_next_line(&c->rest),
				   .number = c->number++ };
}

/* Go to the line with a place. */
static void go_to(struct cursor *c, const char *place)
{
	while (c->rest.n > 0) {
		struct cursor next = *c;
		(void)next_line(&next);
		if (place < next.rest.p)
			break;
		*c = next;
	}
}

/* Step over the next line that is selected: 1, 0 if there is none, or -1. */
static int next_selected(struct grep_seek *k, struct cursor *c,
			 struct grep_line *line)
{
	bool invert = k->to->how->invert > 0;
	while (c->rest.n > 0) {
		if (k->skip) {
			const char *place = skip_find(k->skip, c->rest);
			if (!place)
				break;
			go_to(c, place);
		}
		*line = next_line(c);
		k->line = line->number;
		int found = matcher_find(k->to->matcher, line->text, 0, NULL);
		if (found < 0)
			return -1;
		if ((found > 0) != invert) {
			line->selected = true;
			return 1;
		}
	}
	return 0;
}

int grep_seek_count(struct grep_seek *k, struct span content, uint64_t most)
{
	struct cursor c = { content, 1 };
	struct grep_line line;
	int found = 1;
	for (k->selected = 0; k->selected < most; k->selected++) {
		found = next_selected(k, &c, &line);
		if (found <= 0)
			break;
	}
	return found < 0 ? -1 : 0;
}

/* Print the lines up to one that are context of it, or of the one before. */
static int print_context(struct grep_seek *k, struct cursor *shown,
			 uint64_t last, uint64_t next)
{
	const struct grep_options *how = k->to->how;
	int err = 0;
	while (!err && shown->rest.n > 0 && shown->number < next) {
		struct grep_line line = next_line(shown);
		bool after = last > 0 && line.number - last <= how->after;
		if (after || next - line.number <= how->before)
			err = grep_print_line(k->to, &line);
		else if (next == UINT64_MAX)
			break;
	}
	return err;
}

int grep_seek_print(struct grep_seek *k, struct span content)
{
	const struct grep_options *how = k->to->how;
	struct cursor c = { content, 1 };
	struct cursor shown = c;
	struct grep_line line;
	uint64_t last = 0;
	int found = 1;
	int err = 0;
	for (k->selected = 0; k->selected < how->most && !err; k->selected++) {
		found = next_selected(k, &c, &line);
		if (found <= 0)
			break;
		if (how->contexts)
			err = print_context(k, &shown, last, line.number);
		if (!err)
			err = grep_print_line(k->to, &line);
		last = line.number;
		shown = c;
	}
	if (how->contexts && last > 0 && found >= 0 && !err)
		err = print_context(k, &shown, last, UINT64_MAX);
	return found < 0 ? -1 : err;
}
