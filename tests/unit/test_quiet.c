/* Whether anything has changed below SOURCE: places_epoch(). */
#include "core/catalogue/catalogue.h"
#include "core/places/places.h"
#include "tests/unit/fake_clock.h"
#include "tests/unit/real.h"
#include "tests/unit/test.h"

/* What fails once, by the number of the call from now on. */
static int failing_folder; /* the opening of one */
static int failing_stat;   /* a file's attributes */
static int failing_read;

static bool fails(int *call)
{
	if (*call == 0 || --*call > 0)
		return false;
	errno = EIO;
	return true;
}

/* libc's */
DIR *fdopendir(int fd)
{
	static DIR *(*real)(int fd);
	real_find((void **)&real, "fdopendir");
	return fails(&failing_folder) ? NULL : real(fd);
}

int fstatat(int folder, const char *restrict name, struct stat *restrict st,
	    int flags)
{
	static int (*real)(int folder, const char *name, struct stat *st,
			   int flags);
	real_find((void **)&real, "fstatat");
	return fails(&failing_stat) ? -1 : real(folder, name, st, flags);
}

ssize_t pread(int fd, void *to, size_t n, off_t at)
{
	static ssize_t (*real)(int fd, void *to, size_t n, off_t at);
	real_find((void **)&real, "pread");
	return fails(&failing_read) ? -1 : real(fd, to, n, at);
}

static uint64_t last;

static void enters(void *data, int folder)
{
	places_watch_folder(data, folder);
}

static void unread(void *data, const struct session_row *row)
{
	places_miss_after(data, row->err);
}

/* As a mount looks at all files. */
static void look(struct places *p)
{
	struct catalogue c = { .dialects = &dialect_registry,
			       .gate = p->opening.gate,
			       .data = p,
			       .enters = enters,
			       .unread = unread };
	for (size_t i = 0; p->paths[i]; i++)
		CHECK_INT(catalogue_add(&c, p->paths[i], ""), 0);
	places_watch_sources(p);
	CHECK_INT(catalogue_refresh(&c), 0);
	catalogue_free(&c);
}

/* Is the number another one than at the last call? */
static bool has_changed(struct places *p)
{
	uint64_t now = places_epoch(p);
	bool is = now != last;
	CHECK(now > 0);
	last = now;
	return is;
}

/* The same before a look, which is to find the change. */
static bool look_finds(struct places *p)
{
	bool is = has_changed(p);
	look(p);
	CHECK(!has_changed(p));
	return is;
}

static void start(struct places *p, const char *path)
{
	const struct session_opening how = { .dialects = &dialect_registry };
	const char *reason;
	CHECK_INT(places_init(p, path, &how, 2, NULL, &reason), 0);
}

static void make_folder(const char *name)
{
	test_need(mkdir(test_path(name), 0700) == 0, name);
}

TEST(check_unwatched)
{
	struct places p;
	start(&p, test_path("all"));
	look(&p);
	CHECK_INT(places_epoch(&p), 0);
	places_free(&p);
}

TEST(check_folder)
{
	struct places p;
	start(&p, test_path("all"));
	places_watch(&p);
	CHECK(look_finds(&p));
	CHECK(!look_finds(&p));
	test_file("all/a.jsonl", HEADER);
	CHECK(look_finds(&p));
	test_append("all/a.jsonl", USER("a", "null", "one"));
	CHECK(look_finds(&p));
	test_need(chmod(test_path("all/a.jsonl"), 0600) == 0, "a");
	CHECK(look_finds(&p));
	/* A folder is watched by the look that finds it. */
	make_folder("all/deep");
	CHECK(look_finds(&p));
	test_file("all/deep/b.jsonl", HEADER);
	CHECK(look_finds(&p));
	test_need(rename(test_path("all/deep"), test_path("gone")) == 0,
		  "deep");
	CHECK(look_finds(&p));
	/* After that all are watched anew. */
	test_file("all/c.jsonl", HEADER);
	CHECK(look_finds(&p));
	test_need(rename(test_path("gone"), test_path("all/deep")) == 0,
		  "gone");
	CHECK(look_finds(&p));
	test_append("all/deep/b.jsonl", USER("a", "null", "one"));
	CHECK(look_finds(&p));
	CHECK(!look_finds(&p));
	places_free(&p);
}

/* What no event tells of shows after a second, and what a caller knows now. */
TEST(check_limits)
{
	struct places p;
	start(&p, test_path("all"));
	places_watch(&p);
	CHECK(look_finds(&p));
	fake_now += 1000;
	CHECK(!look_finds(&p));
	fake_now += 1;
	CHECK(look_finds(&p));
	fake_now += 1000;
	CHECK(!look_finds(&p));
	places_miss(&p);
	CHECK(look_finds(&p));
	CHECK(!look_finds(&p));
	places_free(&p);
}

/* What can't be read now may be readable in a moment. */
static void check_fault(struct places *p, int *failing, int nth)
{
	*failing = nth;
	look(p);
	CHECK_INT(*failing, 0);
	CHECK(look_finds(p));
	CHECK(!look_finds(p));
}

TEST(check_faults)
{
	struct places p;
	start(&p, test_path("all"));
	places_watch(&p);
	CHECK(look_finds(&p));
	check_fault(&p, &failing_folder, 2);
	check_fault(&p, &failing_stat, 1);
	test_file("all/new.jsonl", HEADER);
	CHECK(has_changed(&p));
	check_fault(&p, &failing_read, 1);
	places_free(&p);
}

/* A source that is missing is made, with a folder around it. */
TEST(check_set)
{
	const struct session_opening how = { .dialects = &dialect_registry };
	struct source_set set = { 0 };
	struct places p;
	CHECK_INT(set_add(&set, SPAN("a"), test_path("all")), 0);
	CHECK_INT(set_add(&set, SPAN("b"), test_path("later/sessions")), 0);
	CHECK_INT(places_init_set(&p, &set, &how, 2, NULL), 0);
	places_watch(&p);
	CHECK(look_finds(&p));
	CHECK(!look_finds(&p));
	make_folder("later");
	CHECK(has_changed(&p));
	places_free(&p);
}

SET_UP(set_up)
{
	setenv("XDG_CACHE_HOME", test_path("cache"), 1);
	make_folder("all");
}

RUN_TESTS("quiet")
