#include "mount/commands/grep/child.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "mount/cli/spawn.h"
#include "mount/cli/status.h"

/*
 * Take NAME=VALUE, with parameters of SGR as the value, of a text in which a
 * colon or a NUL is after it. Paths, line numbers and separators are painted by
 * sessfs, because those that grep prints have to be parsed. All other colors
 * are passed on.
 */
static void take_color(struct grep_colors *c, struct buf *out, struct span item)
{
	bool valued = item.n >= 3 && item.p[2] == '=';
	size_t n = valued ? strspn(item.p + 3, "0123456789;") : 0;
	char *own = span_starts(item, SPAN("fn"))   ? c->path
		    : span_starts(item, SPAN("ln")) ? c->line
		    : span_starts(item, SPAN("se")) ? c->separator
						    : NULL;
	if (!valued || n != item.n - 3)
		return;
	if (own && n < sizeof(c->path))
		snprintf(own, sizeof(c->path), "%.*s", (int)n, item.p + 3);
	if (span_starts(item, SPAN("m")) || span_starts(item, SPAN("sl")) ||
	    span_starts(item, SPAN("cx"))) {
		buf_add(out, item);
		buf_addc(out, ':');
	}
}

/* Set what the greps that are started inherit. */
static int set_environment(struct grep_colors *c)
{
	struct buf out = { 0 };
	const char *colors = getenv("GREP_COLORS");
	*c = (struct grep_colors){ "35", "32", "36" };
	for (const char *p = colors; p && *p;) {
		size_t n = strcspn(p, ":");
		take_color(c, &out, (struct span){ p, n });
		p += n + (p[n] == ':');
	}
	buf_adds(&out, "fn=:ln=:bn=:se=");
	const char *made = buf_cstr(&out);
	int err = made && setenv("GREP_COLORS", made, 1) == 0 &&
				  unsetenv("GREP_COLOR") == 0 &&
				  unsetenv("GREP_OPTIONS") == 0
			  ? 0
			  : -ENOMEM;
	buf_free(&out);
	return err;
}

int grep_child_run(const struct grep_args *a, const struct buf *text,
		   struct buf *found)
{
	int status =
		spawn_filter((const char *const *)a->argv, text, found, false);
	/* 1: nothing is selected. */
	return status == 1 ? 0 : status;
}

int grep_child_begin(struct grep_colors *c, const struct grep_args *a)
{
	const struct buf empty = { 0 };
	struct buf found = { 0 };
	int err = set_environment(c);
	if (!err)
		err = grep_child_run(a, &empty, &found);
	if (err < 0)
		status_error("grep", err);
	buf_free(&found);
	return err ? -1 : 0;
}
