#include "mount/commands/restore/change.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mount/cli/status.h"
#include "mount/cli/terminal.h"
#include "mount/cli/text_diff.h"

void change_free(struct change *c)
{
	free(c->path);
	buf_free(&c->name);
	buf_free(&c->old);
	buf_free(&c->new);
}

static void show_line(const struct change *c, const char *name)
{
	printf("%s %s\n",
	       c->refused   ? "refused"
	       : c->removes ? "remove"
			    : "write",
	       name);
}

static int show_diff(const struct change *c, const char *name, bool shows,
		     bool colors)
{
	const struct diff_side old = { c->exists ? name : "/dev/null",
				       buf_span(&c->old) };
	const struct diff_side new = { c->removes ? "/dev/null" : name,
				       buf_span(&c->new) };
	int status = text_diff_print(old, new, shows, colors);
	return status < 0 ? status_error("diff", status) : STATUS_OK;
}

static int show_all(const struct change *list, size_t n, bool patch, bool shows,
		    bool colors)
{
	int status = STATUS_OK;
	for (size_t i = 0; !status && i < n; i++) {
		const struct change *c = &list[i];
		struct buf name = { 0 };
		/* No diff tells of an empty file that comes or goes. */
		bool differs = patch && (c->old.len > 0 || c->new.len > 0);
		buf_add(&name, buf_span(&c->name));
		/* patch(1) would end the name at a blank. */
		if (differs && memchr(name.data, ' ', name.len))
			buf_addc(&name, '\t');
		const char *text = buf_cstr(&name);
		if (!text)
			status = status_error(c->path, -ENOMEM);
		else if (differs)
			status = show_diff(c, text, shows, colors);
		else
			show_line(c, text);
		buf_free(&name);
	}
	return status;
}

int change_show(const struct change *list, size_t n, bool patch)
{
	struct pager pager = { 0 };
	bool shows = terminal_is(STDOUT_FILENO);
	bool colors = terminal_has_colors(STDOUT_FILENO);
	int err = patch ? pager_begin(&pager) : 0;
	int status = err ? status_output(err)
			 : show_all(list, n, patch, shows, colors);
	(void)pager_end(&pager, 0);
	return status;
}
