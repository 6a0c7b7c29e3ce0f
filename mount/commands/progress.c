#include "mount/commands/progress.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/base/columns.h"
#include "core/base/text.h"
#include "core/json/timestamp.h"

/* The least time between two drawings, in ms. */
#define REDRAW_MS 100

/* Columns of the bar, of " []", of " 43%", and of the shortest useful name. */
#define BAR 24
#define AROUND_BAR 3
#define PERCENT 4
#define SHORT_NAME 12

#define WIPE "\r\033[K"

/* Is stderr a terminal on which a line can be wiped? */
static bool can_draw(void)
{
	const char *term = getenv("TERM");
	return isatty(STDERR_FILENO) && term && term[0] &&
	       strcmp(term, "dumb") != 0;
}

/* Without the last column: some terminals wrap after writing to it. */
static size_t columns_of_terminal(void)
{
	struct winsize size;
	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_col == 0)
		return 79;
	return size.ws_col - 1u;
}

/* Append text, cut to the given columns. */
static void add_fitting(struct buf *out, struct span text, size_t columns)
{
	struct columns c;
	columns_begin(&c);
	struct span fits = columns_fit(&c, text, columns);
	bool cut = fits.n < text.n && columns > 0;
	if (cut)
		fits = columns_fit(&c, text, columns - 1);
	buf_add(out, fits);
	buf_adds(out, cut ? "…" : "");
	columns_end(&c);
}

/* "sessfs: reading NAME", cut to the given columns. */
static void add_words(const struct progress *p, size_t columns, struct buf *out)
{
	struct buf name = { 0 };
	struct buf words = { 0 };
	text_add_utf8(&name, span_last_part(span_of(p->name)));
	buf_addf(&words, "sessfs: %s ", p->doing);
	text_add_one_line(&words, buf_span(&name));
	add_fitting(out, buf_span(&words), columns);
	buf_free_into(&name, out);
	buf_free_into(&words, out);
}

static void add_bar(unsigned percent, struct buf *out)
{
	unsigned full = percent * BAR / 100;
	buf_adds(out, " [");
	buf_fill(out, '#', full);
	buf_fill(out, '.', BAR - full);
	buf_addc(out, ']');
}

static void draw(struct progress *p, unsigned percent)
{
	struct buf line = { 0 };
	size_t columns = columns_of_terminal();
	size_t words = strlen("sessfs:  ") + strlen(p->doing) + SHORT_NAME;
	bool bar = columns >= words + BAR + AROUND_BAR + PERCENT + 1;
	size_t rest = PERCENT + 1 + (bar ? BAR + AROUND_BAR : 0);
	buf_adds(&line, WIPE);
	add_words(p, columns > rest ? columns - rest : 0, &line);
	if (bar)
		add_bar(percent, &line);
	if (columns >= PERCENT + 1)
		buf_addf(&line, " %3u%%", percent);
	/* A failed drawing is not an error. */
	p->drawn = !buf_error(&line) &&
		   write(STDERR_FILENO, line.data, line.len) > 0;
	buf_free(&line);
}

void progress_start(struct progress *p, const char *doing, const char *name,
		    int64_t delay)
{
	p->doing = doing;
	p->name = name;
	p->next = can_draw() ? timestamp_monotonic() + delay : INT64_MAX;
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
