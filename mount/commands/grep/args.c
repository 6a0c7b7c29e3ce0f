#include "mount/commands/grep/args.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/buf.h"
#include "core/file/whole.h"
#include "mount/cli/status.h"

/* Options that rows are made without. */
#define NOT_OF_ROWS "mABColq"

#define CHUNK ((size_t)64 << 10)

/* What is being made. */
struct maker {
	struct grep_args *a;
	int64_t before; /* -1: not given */
	int64_t after;	/* the same */
	int64_t around; /* the same */
	int64_t most;	/* the same */
};

static bool no_memory(void)
{
	(void)status_fail("grep", strerror(ENOMEM));
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

static bool push_value(struct grep_args *a, const char *option,
		       const char *value)
{
	return push(a, option) && push(a, value);
}

/* A number as grep reads it: too large ones are the largest. */
static bool read_number(int64_t *to, const char *text)
{
	char *end;
	unsigned long long n = strtoull(text, &end, 10);
	if (isdigit((unsigned char)text[0]) && !*end) {
		*to = n > INT64_MAX ? INT64_MAX : (int64_t)n;
		return true;
	}
	(void)status_fail(text, "not a number of lines");
	return false;
}

static int read_all(const char *name, struct buf *out)
{
	bool is_standard = strcmp(name, "-") == 0;
	int fd = is_standard ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
	char *chunk = malloc(CHUNK);
	ssize_t n = fd < 0 ? -errno : chunk ? 1 : -ENOMEM;
	while (n > 0) {
		n = whole_read(fd, chunk, CHUNK);
		if (n > 0)
			buf_add(out, (struct span){ chunk, (size_t)n });
	}
	free(chunk);
	if (fd >= 0 && !is_standard)
		close(fd);
	return n < 0 ? (int)n : buf_error(out);
}

/*
 * A file of patterns. Each grep reads it, so one that can be read only once,
 * such as a pipe, becomes patterns on the command line.
 */
static bool push_file(struct grep_args *a, const char *name)
{
	struct stat st;
	struct buf text = { 0 };
	if (strcmp(name, "-") != 0 && stat(name, &st) == 0 &&
	    (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)) &&
	    strncmp(name, "/dev/", 5) != 0 && strncmp(name, "/proc/", 6) != 0)
		return push_value(a, "-f", name);
	int err = read_all(name, &text);
	if (text.len > 0 && text.data[text.len - 1] == '\n')
		text.data[text.len - 1] = '\0';
	const char *patterns = err ? NULL : buf_cstr(&text);
	if (err)
		(void)status_error(name, err);
	bool ok = patterns && (text.len > 0 ? push_value(a, "-e", patterns)
					    : push_value(a, "-f", "/dev/null"));
	buf_free(&text);
	return ok;
}

static bool take(struct maker *m, char letter, const char *value)
{
	const char option[] = { '-', letter, '\0' };
	switch (letter) {
	case 'A':
		return read_number(&m->after, value);
	case 'B':
		return read_number(&m->before, value);
	case 'C':
		return read_number(&m->around, value);
	case 'm':
		return read_number(&m->most, value);
	case 'e':
		return push_value(m->a, option, value);
	case 'f':
		return push_file(m->a, value);
	case 'q':
		m->a->quiet = true;
		return true;
	case 'l':
		m->a->list = true;
		return true;
	case 'o':
		m->a->only_matching = true;
		return push(m->a, option);
	case 'y':
		return push(m->a, "-i");
	default:
		return push(m->a, option);
	}
}

static bool push_context(struct grep_args *a, const char *option,
			 uint64_t lines)
{
	char number[24];
	snprintf(number, sizeof(number), "%llu", (unsigned long long)lines);
	return push_value(a, option, number);
}

/* Numbers, as they are after all options were seen. */
static bool take_numbers(const struct maker *m)
{
	struct grep_args *a = m->a;
	int64_t around = m->around >= 0 ? m->around : 0;
	a->most = (uint64_t)m->most;
	a->before = (uint64_t)(m->before >= 0 ? m->before : around);
	a->after = (uint64_t)(m->after >= 0 ? m->after : around);
	a->contexts = m->before >= 0 || m->after >= 0 || m->around >= 0;
	/* Groups are separated when it is known which content they are in. */
	return !a->contexts || (push_context(a, "-B", a->before) &&
				push_context(a, "-A", a->after) &&
				push(a, "--no-group-separator"));
}

bool grep_args_make(struct grep_args *a, const struct passed *passed,
		    const char *pattern, enum grep_output output)
{
	struct maker m = {
		.a = a, .before = -1, .after = -1, .around = -1, .most = -1
	};
	*a = (struct grep_args){ 0 };
	if (!push(a, "grep") || !push(a, "-an") ||
	    !push(a,
		  output == GREP_COLORED ? "--color=always" : "--color=never"))
		return false;
	for (size_t i = 0; i < passed->n; i++) {
		const struct passed_option *p = &passed->list[i];
		bool skipped = output == GREP_ROWS &&
			       strchr(NOT_OF_ROWS, p->letter) != NULL;
		if (!skipped && !take(&m, p->letter, p->value))
			return false;
	}
	if (pattern && !push_value(a, "-e", pattern))
		return false;
	return take_numbers(&m);
}

bool grep_args_have_pattern(const struct passed *passed)
{
	for (size_t i = 0; i < passed->n; i++) {
		char letter = passed->list[i].letter;
		if (letter == 'e' || letter == 'f')
			return true;
	}
	return false;
}

void grep_args_free(struct grep_args *a)
{
	for (size_t i = 0; i < a->n; i++)
		free(a->argv[i]);
	free(a->argv);
	*a = (struct grep_args){ 0 };
}
