#include "mount/cli/progress.h"

#include <string.h>
#include <unistd.h>

#include "core/base/columns.h"
#include "core/base/text.h"
#include "core/json/timestamp.h"
#include "mount/cli/terminal.h"

/* The least time between two drawings, in ms. */
#define REDRAW_MS 100

/* Columns of the bar, of " []", of " 43%", and of the shortest useful name. */
#define BAR 24
#define AROUND_BAR 3
#define PERCENT 4
#define SHORT_NAME 12

#define WIPE "\r\033[K"

/* "sessfs: reading NAME", cut to the given columns. */
static void add_words(const struct progress *p, size_t most, struct buf *out)
{
	struct buf name BUF_SCOPED = BUF_INTO(out);
	struct buf words BUF_SCOPED = BUF_INTO(out);
	text_add_utf8(&name, span_last_part(span_of(p->name)));
	buf_addf(&words, "sessfs: %s ", p->doing);
	text_add_one_line(&words, buf_span(&name));
	columns_add_cut(out, buf_span(&words), most);
}

static void draw(struct progress *p, unsigned percent)
{
	struct buf line BUF_SCOPED = { 0 };
	size_t columns = terminal_columns(STDERR_FILENO);
	/* Without the last one: some terminals wrap after writing to it. */
	columns = columns > 0 ? columns - 1 : 79;
	size_t words = strlen("sessfs:  ") + strlen(p->doing) + SHORT_NAME;
	bool bar = columns >= words + BAR + AROUND_BAR + PERCENT + 1;
	size_t rest = PERCENT + 1 + (bar ? BAR + AROUND_BAR : 0);
	buf_adds(&line, WIPE);
	add_words(p, columns > rest ? columns - rest : 0, &line);
	if (bar) {
		buf_adds(&line, " [");
		buf_fill(&line, '#', percent * BAR / 100);
		buf_fill(&line, '.', BAR - percent * BAR / 100);
		buf_addc(&line, ']');
	}
	if (columns >= PERCENT + 1)
		buf_addf(&line, " %3u%%", percent);
	/* A failed drawing is not an error. */
	p->drawn = !buf_error(&line) &&
		   write(STDERR_FILENO, line.data, line.len) > 0;
}

void progress_start(struct progress *p, const char *doing, const char *name,
		    int64_t delay)
{
	/* Can a line be wiped? */
	bool can_draw = terminal_is(STDERR_FILENO) && !terminal_is_dumb();
	p->doing = doing;
	p->name = name;
	p->next = can_draw ? timestamp_monotonic() + delay : INT64_MAX;
	if (delay == 0)
		progress_at(p, 0, 1);
}

void progress_at(void *progress, uint64_t done, uint64_t total)
{
	struct progress *p = progress;
	if (p->next == INT64_MAX)
		return;
	int64_t now = timestamp_monotonic();
	if (now < p->next)
		return;
	p->next = now + REDRAW_MS;
	draw(p, done < total ? (unsigned)(done * 100 / total) : 100);
}

void progress_end(struct progress *p)
{
	if (p->drawn && write(STDERR_FILENO, WIPE, strlen(WIPE)) < 0)
		return;
	p->drawn = false;
}
