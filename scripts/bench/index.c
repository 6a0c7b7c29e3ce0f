/*
 * The time to index a session, compared with building a DOM of each of its
 * lines.
 *
 *   index session FILE    open it as sessfs does, and free it
 *   index dom FILE        let cJSON parse each line
 *
 * Prints the seconds this took, without starting the process.
 */
#include <cjson/cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/dialects/registry.h"
#include "core/session/session.h"

#define CHUNK ((size_t)1 << 20)

static int time_session(const char *path)
{
	struct session *s;
	const char *reason = NULL;
	const struct session_opening how = { .dialects = &dialect_registry,
					     .read_only = true };
	int err = session_open(&s, path, &how, &reason);
	if (!err)
		session_free(s);
	return err;
}

/* Parse the complete lines. Returns their length in bytes. */
static size_t parse_lines(const char *bytes, size_t n)
{
	const char *at = bytes;
	const char *end = bytes + n;
	const char *newline;
	while ((newline = memchr(at, '\n', (size_t)(end - at)))) {
		cJSON_Delete(cJSON_ParseWithLength(at, (size_t)(newline - at)));
		at = newline + 1;
	}
	return (size_t)(at - bytes);
}

static int parse_file(int fd, struct buf *bytes)
{
	for (;;) {
		char *to = buf_reserve(bytes, CHUNK);
		if (!to)
			return -ENOMEM;
		ssize_t got = read(fd, to, CHUNK);
		if (got < 0)
			return -errno;
		if (got == 0)
			return 0;
		bytes->len += (size_t)got;
		size_t parsed = parse_lines(bytes->data, bytes->len);
		bytes->len -= parsed;
		memmove(bytes->data, bytes->data + parsed, bytes->len);
	}
}

static int time_dom(const char *path)
{
	struct buf bytes = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	int err = parse_file(fd, &bytes);
	buf_free(&bytes);
	close(fd);
	return err;
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	int (*run)(const char *) = NULL;
	if (argc == 3 && strcmp(argv[1], "session") == 0)
		run = time_session;
	else if (argc == 3 && strcmp(argv[1], "dom") == 0)
		run = time_dom;
	if (!run) {
		fputs("usage: index session|dom FILE\n", stderr);
		return 2;
	}
	/* A session's path is absolute. */
	char *path = realpath(argv[2], NULL);
	if (!path) {
		perror(argv[2]);
		return 1;
	}
	double from = now();
	int err = run(path);
	double to = now();
	free(path);
	if (err) {
		fprintf(stderr, "index: %s: %s\n", argv[2], strerror(-err));
		return 1;
	}
	printf("%.6f\n", to - from);
	return 0;
}
