/*
 * Read entries of a mount from several processes at the same time.
 *
 *   readers N BY-ID LIST
 *
 * LIST has the name of an entry in each line, and BY-ID is the folder they are
 * in. Each process reads the contents of its share. Prints the seconds until
 * the last process has finished.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/array.h"

#define CHUNK (128 * 1024)

struct list {
	char **ids;
	size_t n;
	size_t cap;
};

static int list_add(struct list *l, const char *id)
{
	if (array_reserve(&l->ids, &l->cap, l->n, 1) < 0)
		return -ENOMEM;
	l->ids[l->n] = strdup(id);
	if (!l->ids[l->n])
		return -ENOMEM;
	l->n++;
	return 0;
}

static int list_read(struct list *l, const char *path)
{
	FILE *f = fopen(path, "re");
	if (!f)
		return -errno;
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	int err = 0;
	while (!err && (n = getline(&line, &cap, f)) > 0) {
		line[n - (line[n - 1] == '\n')] = '\0';
		err = list_add(l, line);
	}
	if (!err && ferror(f))
		err = -EIO;
	free(line);
	fclose(f);
	return err;
}

static void list_free(struct list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->ids[i]);
	free(l->ids);
}

static int read_content(int folder, const char *id)
{
	static char bytes[CHUNK];
	char path[512];
	int len = snprintf(path, sizeof(path), "%s/content", id);
	if (len < 0 || (size_t)len >= sizeof(path))
		return -ENAMETOOLONG;
	int fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ssize_t n;
	do
		n = read(fd, bytes, sizeof(bytes));
	while (n > 0);
	int err = n < 0 ? -errno : 0;
	close(fd);
	return err;
}

static int read_share(int folder, const struct list *l, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		int err = read_content(folder, l->ids[i]);
		if (err) {
			fprintf(stderr, "readers: %s: %s\n", l->ids[i],
				strerror(-err));
			return 1;
		}
	}
	return 0;
}

/* Read in n processes and wait for them. Returns false if one failed. */
static bool read_all(int folder, const struct list *l, size_t n)
{
	bool good = true;
	size_t started = 0;
	for (; started < n; started++) {
		pid_t child = fork();
		if (child < 0) {
			perror("readers: fork");
			good = false;
			break;
		}
		if (child == 0)
			_exit(read_share(folder, l, l->n * started / n,
					 l->n * (started + 1) / n));
	}
	for (size_t i = 0; i < started; i++) {
		int status;
		if (wait(&status) < 0 || status != 0)
			good = false;
	}
	return good;
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The seconds that n processes take, or a negative value on failure. */
static double time_reading(const char *by_id, const struct list *l, size_t n)
{
	int folder = open(by_id, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0) {
		perror(by_id);
		return -1;
	}
	double from = now();
	bool good = read_all(folder, l, n);
	double to = now();
	close(folder);
	return good ? to - from : -1;
}

int main(int argc, char **argv)
{
	long n = argc == 4 ? strtol(argv[1], NULL, 10) : 0;
	if (n < 1 || n > 1000) {
		fputs("usage: readers N BY-ID LIST\n", stderr);
		return 2;
	}
	struct list l = { 0 };
	double took = -1;
	int err = list_read(&l, argv[3]);
	if (err)
		fprintf(stderr, "readers: %s: %s\n", argv[3], strerror(-err));
	else
		took = time_reading(argv[2], &l, (size_t)n);
	list_free(&l);
	if (took < 0)
		return 1;
	printf("%.6f\n", took);
	return 0;
}
