/*
 * What every unit test uses. Each test_*.c is a program, with a main(), or with
 * TEST(name) { ... } for what is checked, and RUN_TESTS("program") at its end,
 * which runs them in the order of the file.
 *
 * A check that fails prints its place and the values, and the program goes on;
 * test_done() prints the count and gives the exit status. test_row names the
 * row of a table that is being checked, for the message.
 *
 * Sessions are written as C strings in which ' stands for ", into a private
 * folder that is removed when the program exits.
 *
 * The state is shared by all files of a program (a weak definition is).
 */
#ifndef SESSFS_TEST_H
#define SESSFS_TEST_H

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/dialects/registry.h"
#include "core/show/content.h"

int main(void); /* maybe by another name: tests/lib/programs.c */

#define TEST_SHARED __attribute__((weak))
TEST_SHARED unsigned test_checks;
TEST_SHARED unsigned test_failures;
TEST_SHARED const char *test_row;

static inline bool test_check(bool ok, const char *file, int line,
			      const char *what)
{
	test_checks++;
	if (ok)
		return true;
	test_failures++;
	fprintf(stderr, "%s:%d: failed: %s", file, line, what);
	if (test_row)
		fprintf(stderr, "  [%s]", test_row);
	fputc('\n', stderr);
	return false;
}

static inline void test_print(const char *what, struct span s)
{
	fprintf(stderr, "    %s (%zu bytes): ", what, s.n);
	for (size_t i = 0; i < s.n && i < 1000; i++) {
		unsigned char c = (unsigned char)s.p[i];
		if (c == '\n' && i + 1 < s.n)
			fputs("\\n\n        ", stderr);
		else if (c < 0x20 || c >= 0x7F)
			fprintf(stderr, "\\x%02x", c);
		else
			fputc(c, stderr);
	}
	fputc('\n', stderr);
}

static inline bool test_check_int(long long got, long long want,
				  const char *file, int line, const char *what)
{
	if (test_check(got == want, file, line, what))
		return true;
	fprintf(stderr, "    got %lld, want %lld\n", got, want);
	return false;
}

static inline bool test_check_span(struct span got, struct span want,
				   const char *file, int line, const char *what)
{
	if (test_check(span_eq(got, want), file, line, what))
		return true;
	const size_t before = 80; /* of what is equal, for long texts */
	size_t at = 0;
	while (at < got.n && at < want.n && got.p[at] == want.p[at])
		at++;
	at = at > before ? at - before : 0;
	if (at > 0)
		fprintf(stderr, "    from byte %zu on:\n", at);
	test_print("got ", (struct span){ got.p + at, got.n - at });
	test_print("want", (struct span){ want.p + at, want.n - at });
	return false;
}

#define CHECK(cond) test_check(!!(cond), __FILE__, __LINE__, #cond)
#define CHECK_INT(got, want)                                          \
	test_check_int((long long)(got), (long long)(want), __FILE__, \
		       __LINE__, #got " == " #want)
#define CHECK_SPAN(got, want) \
	test_check_span((got), (want), __FILE__, __LINE__, #got)
/* A buffer against a C string; the buffer is emptied. */
#define CHECK_BUF(b, want)                              \
	do {                                            \
		CHECK_SPAN(buf_span(b), span_of(want)); \
		buf_clear(b);                           \
	} while (0)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The private folder and files in it. */

TEST_SHARED char test_folder[256];
TEST_SHARED bool test_folder_made;

static inline void test_need(bool ok, const char *what)
{
	if (!ok) {
		perror(what);
		exit(1);
	}
}

static inline int test_unlink(const char *path, const struct stat *st, int type,
			      struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline void test_remove(void)
{
	/* Never into a mount that could not be unmounted. */
	nftw(test_folder, test_unlink, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

/* The path of a file in the folder; good for the next seven calls. */
static inline const char *test_path(const char *name)
{
	static char paths[8][PATH_MAX];
	static unsigned next;
	char *path = paths[next++ % 8];
	if (!test_folder_made) {
		const char *tmp = getenv("TMPDIR");
		snprintf(test_folder, sizeof(test_folder),
			 "%s/test-of-sessfs-XXXXXX", tmp ? tmp : "/tmp");
		test_need(mkdtemp(test_folder) != NULL, test_folder);
		atexit(test_remove); /* children leave by _exit() */
	}
	test_folder_made = true;
	snprintf(path, PATH_MAX, "%s/%s", test_folder, name);
	return path;
}

static inline int test_done(const char *name)
{
	if (test_failures > 0) {
		fprintf(stderr, "FAILED %s (%u of %u checks)\n", name,
			test_failures, test_checks);
		return 1;
	}
	printf("ok %s (%u checks)\n", name, test_checks);
	return 0;
}

static inline void test_put(const char *path, int flags, struct span bytes)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0644);
	test_need(fd >= 0, path);
	test_need(write(fd, bytes.p, bytes.n) == (ssize_t)bytes.n, path);
	close(fd);
}

/* `text` with " for '. */
static inline struct buf test_quoted(const char *text)
{
	struct buf b = { 0 };
	for (; *text; text++)
		buf_addc(&b, *text == '\'' ? '"' : *text);
	return b;
}

/* Write, or append to, a file of the folder; gives its path. */
static inline const char *test_file(const char *name, const char *text)
{
	const char *path = test_path(name);
	struct buf b = test_quoted(text);
	test_put(path, O_TRUNC, buf_span(&b));
	buf_free(&b);
	return path;
}

static inline void test_append(const char *name, const char *text)
{
	struct buf b = test_quoted(text);
	test_put(test_path(name), O_APPEND, buf_span(&b));
	buf_free(&b);
}

/* The bytes of a file; gives the buffer, emptied before. */
static inline struct buf *test_read(const char *path, struct buf *b)
{
	struct stat st;
	buf_clear(b);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	test_need(fd >= 0 && fstat(fd, &st) == 0, path);
	char *to = buf_reserve(b, (size_t)st.st_size + 1);
	test_need(to && read(fd, to, (size_t)st.st_size) == st.st_size, path);
	b->len = (size_t)st.st_size;
	close(fd);
	return b;
}

/* How many names a folder has that begin like this, but for "." and "..". */
static inline size_t test_count_names(const char *folder, const char *prefix)
{
	size_t n = 0;
	const struct dirent *d;
	DIR *dir = opendir(folder);
	test_need(dir != NULL, folder);
	while ((d = readdir(dir)))
		n += strncmp(d->d_name, prefix, strlen(prefix)) == 0 &&
		     strcmp(d->d_name, ".") != 0 &&
		     strcmp(d->d_name, "..") != 0;
	closedir(dir);
	return n;
}

/* No file may grow beyond this, RLIM_INFINITY for any size. */
static inline void test_limit_size(rlim_t size)
{
	struct rlimit l = { .rlim_cur = size, .rlim_max = RLIM_INFINITY };
	signal(SIGXFSZ, SIG_IGN);
	test_need(setrlimit(RLIMIT_FSIZE, &l) == 0, "setrlimit");
}

/* Only so many descriptors may be open; -1: as many as at first. */
static inline void test_limit_files(long n)
{
	static struct rlimit was;
	if (was.rlim_max == 0)
		test_need(getrlimit(RLIMIT_NOFILE, &was) == 0, "getrlimit");
	const struct rlimit l = { n < 0 ? was.rlim_cur : (rlim_t)n,
				  was.rlim_max };
	test_need(setrlimit(RLIMIT_NOFILE, &l) == 0, "setrlimit");
}

/* It was last written at that second. */
static inline void test_set_time(const char *path, time_t second)
{
	const struct timespec t = { .tv_sec = second };
	const struct timespec times[2] = { t, t };
	test_need(utimensat(AT_FDCWD, path, times, 0) == 0, path);
}

/* Sessions. */

#define HEADER                                         \
	"{'type':'session','version':3,"               \
	"'id':'0198f000-0000-7000-8000-000000000001'," \
	"'timestamp':'2026-03-01T10:00:00.000Z','cwd':'/work/demo'}\n"
/*
 * The same of oh-my-pi, which walks a cycle of parents once around. No session
 * of Pi in a test has one.
 */
#define OMP_HEADER                                                   \
	"{'type':'session','version':3,"                             \
	"'id':'0198f000-0000-7000-8000-000000000001',"               \
	"'timestamp':'2026-03-01T10:00:00.000Z','cwd':'/work/demo'," \
	"'titleSource':'auto'}\n"
/* `parent` is JSON: null or a string; `rest` is members, each after a comma. */
#define ENTRY(type, id, parent, rest)                         \
	"{'type':'" type "','id':'" id "','parentId':" parent \
	",'timestamp':'2026-03-01T10:00:01.000Z'" rest "}\n"
#define MESSAGE(id, parent, role, rest) \
	ENTRY("message", id, parent, ",'message':{'role':'" role "'" rest "}")
#define USER(id, parent, text) \
	MESSAGE(id, parent, "user", ",'content':'" text "','timestamp':7")
#define ASSISTANT(id, parent, text)                        \
	MESSAGE(id, parent, "assistant",                   \
		",'content':[{'type':'text','text':'" text \
		"'}],'provider':'prov','model':'m','timestamp':8")

/* Open the session that a file holds; the program ends if it can't be. */
static inline struct session *test_open(const char *path)
{
	struct session *s = NULL;
	const char *reason = NULL;
	int err = session_open(
		&s, path,
		&(struct session_opening){ .dialects = &dialect_registry },
		&reason);
	if (err) {
		errno = -err;
		test_need(false, reason ? reason : path);
	}
	return s;
}

/* Write s.jsonl, open and enter it; test_close() leaves and frees. */
static inline struct session *test_session(const char *text)
{
	struct session *s = test_open(test_file("s.jsonl", text));
	CHECK_INT(session_enter(s), 0);
	return s;
}

static inline void test_close(struct session *s)
{
	session_leave(s);
	session_free(s);
}

static inline uint32_t test_find(const struct session *s, const char *id)
{
	return index_find(&s->now.index, span_of(id));
}

/* The id of an entry, "-" for none; as a span for CHECK_SPAN. */
static inline struct span test_id(const struct session *s, uint32_t entry)
{
	return entry == INDEX_NONE ? SPAN("-") : index_id(&s->now.index, entry);
}

#define CHECK_ID(s, entry, want) CHECK_SPAN(test_id(s, entry), span_of(want))

/* Pseudo-random numbers, the same in every run. */
static inline uint32_t test_random(void)
{
	static uint64_t state = 88172645463325252u;
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 16);
}

/* The size of an entry's content, known or made. */
static inline int test_content_size(const struct session *s, uint32_t entry,
				    uint64_t *size)
{
	uint32_t lines;
	if (content_knows_size(s, entry, size, &lines))
		return 0;
	struct buf text = { 0 };
	int err = content_add(s, entry, &text);
	*size = text.len;
	buf_free(&text);
	return err;
}

/* Close a file as if its descriptor was needed for another one. */
static inline void test_evict(struct regular *f)
{
	test_need(f->held.fd >= 0 && close(f->held.fd) == 0, "close");
	f->held.fd = -1;
	f->held.was_evicted = true;
}

/* A function that RUN_TESTS() runs. */
struct test_entry {
	void (*run)(void);
	int line;
	struct test_entry *next;
};

__attribute__((unused)) static struct test_entry *test_entries;

static inline void test_add(struct test_entry *e)
{
	struct test_entry **at = &test_entries;
	while (*at && (*at)->line < e->line)
		at = &(*at)->next;
	e->next = *at;
	*at = e;
}

#define TEST_AT(name, place)                                         \
	static void name(void);                                      \
	__attribute__((constructor)) static void name##_is_run(void) \
	{                                                            \
		static struct test_entry e = { name, place, NULL };  \
		test_add(&e);                                        \
	}                                                            \
	static void name(void)

#define TEST(name) TEST_AT(name, __LINE__)
/* Before all others. */
#define SET_UP(name) TEST_AT(name, 0)

#define RUN_TESTS(program)                                                  \
	int main(void)                                                      \
	{                                                                   \
		for (struct test_entry *e = test_entries; e; e = e->next) { \
			e->run();                                           \
			test_row = NULL;                                    \
		}                                                           \
		return test_done(program);                                  \
	}

/* Write one of tests/unit/sessions/ to a file of the folder; gives its path. */
static inline const char *test_copy_to(const char *name, int flags,
				       const char *session)
{
	char from[PATH_MAX];
	const char *root = getenv("ROOT");
	const char *path = test_path(name);
	struct buf b = { 0 };
	snprintf(from, sizeof(from), "%s/tests/unit/sessions/%s.jsonl",
		 root ? root : ".", session);
	test_put(path, flags, buf_span(test_read(from, &b)));
	buf_free(&b);
	return path;
}

static inline const char *test_copy(const char *name, const char *session)
{
	return test_copy_to(name, O_TRUNC, session);
}

static inline void test_append_copy(const char *name, const char *session)
{
	test_copy_to(name, O_APPEND, session);
}

#endif
