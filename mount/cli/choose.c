#include "mount/cli/choose.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/columns.h"
#include "core/file/whole.h"
#include "mount/cli/spawn.h"
#include "mount/cli/status.h"
#include "mount/cli/terminal.h"

/* As of a shell that was interrupted, and of fzf. */
#define GIVEN_UP 130

bool choose_has_fzf(void)
{
	return isatty(STDIN_FILENO) && isatty(STDERR_FILENO) &&
	       spawn_finds("fzf");
}

/* The row whose line fzf printed. */
static bool find_line(const struct choose_how *how, struct span line,
		      size_t *which)
{
	struct span key = span_next(&line, '\t');
	struct span rest = buf_span(how->rows);
	for (*which = 0; rest.n > 0; ++*which) {
		struct span row = span_next_line(&rest);
		if (span_eq(key, span_next(&row, '\t')))
			return true;
	}
	return false;
}

static int run_fzf(const struct choose_how *how, struct buf *line)
{
	struct buf preview BUF_SCOPED = { 0 };
	struct buf window BUF_SCOPED = { 0 };
	struct buf start BUF_SCOPED = { 0 };
	struct buf header BUF_SCOPED = { 0 };
	struct buf self BUF_SCOPED = { 0 };
	const char *argv[16] = {
		"fzf",		 "--no-multi",	     "--no-sort",
		"--exact",	 "--layout=reverse", "--delimiter=\t",
		"--with-nth=2.."
	};
	size_t n = 7;
	buf_addf(&preview, "--preview=%s", how->preview ? how->preview : "");
	buf_addf(&window, "--preview-window=%s",
		 how->preview_window ? how->preview_window : "down:50%");
	buf_addf(&start, "--bind=load:pos(%zu)", how->start + 1);
	buf_addf(&header, "--header=%s", how->header ? how->header : "");
	spawn_add_self(&self);
	bool ok = buf_cstr(&header) && buf_cstr(&preview) &&
		  buf_cstr(&window) && buf_cstr(&start) && buf_cstr(&self) &&
		  setenv("SHELL", "/bin/sh", 1) == 0 &&
		  setenv("SESSFS", self.data, 1) == 0;
	if (how->preview) {
		argv[n++] = window.data;
		argv[n++] = preview.data;
	}
	if (how->start > 0)
		argv[n++] = start.data;
	if (how->header)
		argv[n++] = header.data;
	argv[n] = NULL;
	return ok ? spawn_filter(argv, how->rows, line, false) : -ENOMEM;
}

static int ask_fzf(const struct choose_how *how, size_t *which)
{
	struct buf line BUF_SCOPED = { 0 };
	int status = run_fzf(how, &line);
	struct span rest = buf_span(&line);
	if (status < 0)
		status = status_error("fzf", status);
	else if (status || !find_line(how, span_next_line(&rest), which))
		status = GIVEN_UP;
	return status;
}

/* On a narrower terminal rows are not cut. */
#define LEAST_COLUMNS 20

/* Rows of a page on a terminal of unknown size; on others the prompt fits. */
#define PAGE_ROWS ((size_t)30)

/* No row is wider than the terminal, as far as that is known. */
static void add_numbered(const struct choose_how *how, size_t from, size_t to,
			 struct buf *out)
{
	size_t width = terminal_columns(STDERR_FILENO);
	if (width < LEAST_COLUMNS)
		width = SIZE_MAX;
	struct span rest = buf_span(how->rows);
	for (size_t i = 0; rest.n > 0 && i < to; i++) {
		struct span row = span_next_line(&rest);
		size_t at = out->len;
		if (i < from)
			continue;
		(void)span_next(&row, '\t');
		buf_addf(out, "%5zu  ", i + 1);
		columns_add_cut(out, row, width - (out->len - at));
		buf_addc(out, '\n');
	}
}

/* The number of a row, from 0; how->n if the text is none. */
static size_t row_of(const struct choose_how *how, const char *text)
{
	size_t n = strspn(text, "0123456789");
	if (n == 0 || text[n] || n > 9 || text[0] == '0')
		return how->n;
	size_t number = strtoul(text, NULL, 10);
	return number <= how->n ? number - 1 : how->n;
}

/* An empty line is neither a number nor an answer: *which is how->n then. */
static int read_answer(const struct choose_how *how, size_t *which,
		       char **answer)
{
	char *line = NULL;
	size_t size = 0;
	int status = STATUS_OK;
	ssize_t n = getline(&line, &size, stdin);
	if (n > 0 && line[n - 1] == '\n')
		line[--n] = '\0';
	*which = n > 0 ? row_of(how, line) : how->n;
	if (n < 0 || (n == 1 && *line == 'q')) {
		status = GIVEN_UP;
	} else if (n > 0 && *which == how->n && answer) {
		*answer = line;
		return STATUS_OK;
	} else if (n > 0 && *which == how->n) {
		status = status_fail(line, "no number of a row");
	}
	free(line);
	return status;
}

static int ask_number(const struct choose_how *how, size_t *which,
		      char **answer)
{
	size_t rows = terminal_rows(STDERR_FILENO);
	size_t page = !how->pages ? how->n : rows > 2 ? rows - 2 : PAGE_ROWS;
	*which = how->n;
	for (size_t from = 0; from < how->n; from += page) {
		size_t to = page < how->n - from ? from + page : how->n;
		struct buf out = { 0 };
		add_numbered(how, from, to, &out);
		if (to < how->n)
			buf_addf(&out, "Enter: %zu more; ", how->n - to);
		buf_adds(&out, how->prompt ? how->prompt : "number, or q: ");
		int err = whole_write_end(STDERR_FILENO, &out);
		int status = err ? status_error("standard error", err)
				 : read_answer(how, which, answer);
		if (status || *which < how->n || (answer && *answer))
			return status;
	}
	return GIVEN_UP;
}

int choose(const struct choose_how *how, size_t *which, char **answer)
{
	if (answer)
		*answer = NULL;
	if (how->rows->failed)
		return status_error("rows", -ENOMEM);
	return choose_has_fzf() ? ask_fzf(how, which)
				: ask_number(how, which, answer);
}
