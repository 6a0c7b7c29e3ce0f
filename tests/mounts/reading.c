#include "tests/mounts/mounts.h"

static struct buf text; /* what was read last */

bool span_has(struct span s, const char *want)
{
	return s.n > 0 && memmem(s.p, s.n, want, strlen(want)) != NULL;
}

size_t lines_in(struct span s)
{
	size_t n = 0;
	for (size_t i = 0; i < s.n; i++)
		n += s.p[i] == '\n';
	return n;
}

size_t characters_in(struct span s)
{
	size_t n = 0;
	for (size_t i = 0; i < s.n; i++)
		n += ((unsigned char)s.p[i] & 0xC0) != 0x80;
	return n;
}

struct span text_of(const char *path)
{
	buf_clear(&text);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : 1;
	while (n > 0) {
		char *to = buf_reserve(&text, 65536);
		test_need(to != NULL, path);
		n = read(fd, to, 65536);
		text.len += n > 0 ? (size_t)n : 0;
	}
	if (n < 0)
		buf_add(&text, span_of(strerror(errno)));
	if (fd >= 0)
		close(fd);
	return buf_span(&text);
}

static struct span names(const char *path, int (*order)(const struct dirent **,
							const struct dirent **))
{
	struct dirent **found;
	buf_clear(&text);
	int n = scandir(path, &found, NULL, order);
	if (n < 0)
		return span_of(strerror(errno));
	for (int i = 0; i < n; free(found[i++]))
		if (found[i]->d_name[0] != '.') {
			buf_add(&text, span_of(found[i]->d_name));
			buf_addc(&text, ' ');
		}
	free(found);
	return buf_span(&text);
}

struct span names_in(const char *path)
{
	return names(path, alphasort);
}

struct span listed_in(const char *path)
{
	return names(path, NULL);
}

struct span link_at(const char *path)
{
	static char target[PATH_MAX];
	ssize_t n = readlink(path, target, sizeof(target));
	return (struct span){ target, n < 0 ? 0 : (size_t)n };
}

bool has(const char *path, const char *want)
{
	return span_has(text_of(path), want);
}

struct span value_in(const char *path, const char *key)
{
	for (struct span rest = text_of(path); rest.n > 0;) {
		struct span line = span_next(&rest, '\n');
		if (!span_starts(line, span_of(key)) ||
		    line.n < strlen(key) + 2 ||
		    memcmp(line.p + strlen(key), ": ", 2) != 0)
			continue;
		line.p += strlen(key) + 2;
		line.n -= strlen(key) + 2;
		return line;
	}
	return SPAN("");
}

long long number_in(const char *path, const char *key)
{
	struct span s = value_in(path, key);
	return s.n > 0 && isdigit((unsigned char)s.p[0])
		       ? strtoll(s.p, NULL, 10)
		       : -1;
}

struct stat stat_of(const char *path)
{
	struct stat st = { 0 };
	test_check(lstat(path, &st) == 0, __FILE__, __LINE__, path);
	return st;
}

bool exists(const char *path)
{
	struct stat st;
	return lstat(path, &st) == 0;
}

/* Trees of files. */
