/*
 * Each row of a format fits a line of some case of the corpus, and finds the
 * content that it says is there: a path that is misspelt, or a row that another
 * one hides, shows nothing and says nothing. Formats with the same rows share
 * them.
 */
#include "core/show/rows.h"

#include <glob.h>
#include <limits.h>
#include <string.h>

#include "tests/unit/test.h"

#define MOST_ROWS ((size_t)256)

/* The rows that did what they say. */
static const struct line_row *good[MOST_ROWS];
static size_t n_good;

static bool is_good(const struct line_row *row)
{
	for (size_t i = 0; i < n_good; i++) {
		if (good[i] == row)
			return true;
	}
	return false;
}

static void read_line(const struct dialect_showing *d, struct json line)
{
	const struct line_row *row = rows_find(d->rows, line);
	bool found = (!row->content && !row->block) ||
		     json_type(rows_content(d, line)) != JSON_ABSENT;
	if (found && !is_good(row) && n_good < MOST_ROWS)
		good[n_good++] = row;
}

static void read_case(const char *name)
{
	char path[PATH_MAX];
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	test_need(realpath(name, path) != NULL, name);
	FILE *file = fopen(path, "re");
	test_need(file != NULL, path);
	const struct session_opening how = { .dialects = &dialect_registry,
					     .read_only = true };
	const char *reason;
	struct session *s = NULL;
	/* Of some, the lines don't say the format. */
	const struct dialect_showing *d =
		session_open(&s, path, &how, &reason) == 0 ? s->dialect->showing
							   : NULL;
	while (d && d->rows && (n = getline(&line, &cap, file)) > 0) {
		struct json v;
		if (json_check((struct span){ line, (size_t)n - 1 }, &v) == 0)
			read_line(d, v);
	}
	free(line);
	fclose(file);
	session_free(s);
}

static void check_rows(const struct dialect *d)
{
	const struct line_rows *rows = d->showing->rows;
	for (size_t i = 0; rows && (i == 0 || rows->list[i - 1].type); i++) {
		const struct line_row *row = &rows->list[i];
		if (!CHECK(is_good(row)))
			printf("# %s: no case of the corpus has \"%s\", "
			       "\"%s\"\n",
			       d->name, row->type ? row->type : "any",
			       row->kind ? row->kind : "any");
	}
}

int main(void)
{
	glob_t found;
	test_need(glob("tests/corpus/*/*/in.jsonl", 0, NULL, &found) == 0,
		  "tests/corpus");
	for (size_t i = 0; i < found.gl_pathc; i++)
		read_case(found.gl_pathv[i]);
	globfree(&found);
	for (size_t i = 0; i < dialect_registry.n; i++)
		check_rows(dialect_registry.rows[i]);
	return test_done("rows");
}
