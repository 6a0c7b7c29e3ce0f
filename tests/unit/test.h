/*
 * What every unit test uses. Each test_*.c is a program, with a main(), or with
 * TEST(name) { ... } for what is checked, and RUN_TESTS("program") at its end,
 * which runs them in the order of the file.
 */
#ifndef SESSFS_TEST_H
#define SESSFS_TEST_H

#include "tests/unit/check.h"

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
