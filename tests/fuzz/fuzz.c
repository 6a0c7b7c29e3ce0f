#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/dialects/registry.h"

void fuzz_check(bool ok, const char *file, int line, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
	abort();
}

static void print(const char *what, struct span s)
{
	fprintf(stderr, "  %s: ", what);
	for (size_t i = 0; i < s.n && i < 400; i++) {
		unsigned char c = (unsigned char)s.p[i];
		fprintf(stderr, c < 0x20 || c >= 0x7F ? "\\x%02x" : "%c", c);
	}
	fputc('\n', stderr);
}

void fuzz_check_same(const char *what, struct span a, struct span b)
{
	size_t at = 0;
	if (span_eq(a, b))
		return;
	while (at < a.n && at < b.n && a.p[at] == b.p[at])
		at++;
	/* A little of what they have in common shows where it is. */
	at = at > 100 ? at - 100 : 0;
	fprintf(stderr, "not the same: %s, from byte %zu of %zu and %zu\n",
		what, at, a.n, b.n);
	print("one", (struct span){ a.p + at, a.n - at });
	print("two", (struct span){ b.p + at, b.n - at });
	abort();
}

void fuzz_check_text(const struct buf *b)
{
	FUZZ_CHECK(buf_error(b) == 0);
	FUZZ_CHECK(text_is_utf8(buf_span(b)));
}

struct span fuzz_input(const uint8_t *data, size_t size)
{
	return (struct span){ size > 0 ? (const char *)data : "", size };
}

bool fuzz_split(struct span *rest, char c, struct span *before)
{
	const char *at = rest->n > 0 ? memchr(rest->p, c, rest->n) : NULL;
	if (!at)
		return false;
	*before = (struct span){ rest->p, (size_t)(at - rest->p) };
	rest->p += before->n + 1;
	rest->n -= before->n + 1;
	return true;
}

size_t fuzz_choose(struct span bytes, uint64_t seed, size_t n)
{
	return hash_bytes(seed, bytes) % n;
}

/* -- the private folder */

static char folder[PATH_MAX];

void fuzz_clean(void)
{
	DIR *d = folder[0] ? opendir(folder) : NULL;
	struct dirent *e;
	while (d && (e = readdir(d)))
		unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
}

static void remove_folder(void)
{
	fuzz_clean();
	rmdir(folder);
}

const char *fuzz_path(const char *name)
{
	static char path[PATH_MAX + 64];
	if (!folder[0]) {
		const char *tmp = getenv("TMPDIR");
		snprintf(folder, sizeof(folder), "%s/sessfs-fuzz-XXXXXX",
			 tmp ? tmp : "/tmp");
		FUZZ_CHECK(mkdtemp(folder));
		atexit(remove_folder);
		/* oh-my-pi's blobs are looked for at home. */
		setenv("HOME", folder, 1);
	}
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void put(const char *name, int flags, struct span bytes)
{
	int fd = open(fuzz_path(name), O_WRONLY | O_CREAT | O_CLOEXEC | flags,
		      0600);
	FUZZ_CHECK(fd >= 0);
	FUZZ_CHECK(write(fd, bytes.p, bytes.n) == (ssize_t)bytes.n);
	close(fd);
}

void fuzz_write(const char *name, struct span bytes)
{
	put(name, O_TRUNC, bytes);
}

void fuzz_append(const char *name, struct span bytes)
{
	put(name, O_APPEND, bytes);
}

/* By another file. */
void fuzz_replace(const char *name, struct span bytes)
{
	char from[PATH_MAX + 64];
	fuzz_write("new", bytes);
	strcpy(from, fuzz_path("new"));
	FUZZ_CHECK(rename(from, fuzz_path(name)) == 0);
}

void fuzz_remove(const char *name)
{
	FUZZ_CHECK(unlink(fuzz_path(name)) == 0 || errno == ENOENT);
}

void fuzz_read(const char *name, struct buf *bytes)
{
	struct stat st;
	int fd = open(fuzz_path(name), O_RDONLY | O_CLOEXEC);
	FUZZ_CHECK(fd >= 0 && fstat(fd, &st) == 0);
	buf_clear(bytes);
	char *to = buf_reserve(bytes, (size_t)st.st_size + 1);
	FUZZ_CHECK(to && read(fd, to, (size_t)st.st_size) == st.st_size);
	bytes->len = (size_t)st.st_size;
	close(fd);
}

struct session *fuzz_open(const char *name, const struct dialect *forced)
{
	struct session *s = NULL;
	const char *reason = NULL;
	/* By force, whatever agents run on this machine. */
	const struct session_opening how = { .dialects = &dialect_registry,
					     .forced = forced,
					     .force = true };
	int err = session_open(&s, fuzz_path(name), &how, &reason);
	FUZZ_CHECK(err == 0 || (err == -EPROTO && reason && !forced && !s));
	if (s)
		FUZZ_CHECK(session_enter(s) == 0);
	return s;
}

void fuzz_close(struct session *s)
{
	session_leave(s);
	session_free(s);
}
