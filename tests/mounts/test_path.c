/* path/: the way from the root to HEAD. */
#include <stdatomic.h>

#include "tests/mounts/mounts.h"

#define FIRST "0001-user-Write-a-word-counter-in-C "
#define SECOND "0002-assistant-Done-wc-c "
#define THIRD "0003-user-Test-it "
#define FOURTH "0004-user-And-commit "

/* path/ lists these names, in this order. */
static void check_path(const char *names)
{
	CHECK_SPAN(listed_in("path"), span_of(names));
	CHECK_NAMES("path", names);
}

static size_t count_path(void)
{
	return test_count_names("path", "");
}

static int lstat_error(const char *path)
{
	struct stat st;
	return ERRNO(lstat(path, &st));
}

/* A chain of messages from both sides. */
static void write_talk(void)
{
	test_file("session.jsonl",
		  HEADER USER("00000001", "null", "Write a word counter in C!")
			  ASSISTANT("00000002", "'00000001'", "Done: wc.c")
				  USER("00000003", "'00000002'", "Test it")
					  USER("00000004", "'00000003'",
					       "And commit"));
}

static void mount_talk(void)
{
	write_talk();
	mount_session();
}

/* Rules: R1 */
static void numbered(void)
{
	mount_talk();
	check_path(FIRST SECOND THIRD FOURTH);
	CHECK_LINK("path/0002-assistant-Done-wc-c", "../by-id/00000002");
	CHECK_FILE("path/0001-user-Write-a-word-counter-in-C/content",
		   "Write a word counter in C!\n");
	CHECK_FILE("path/0002-assistant-Done-wc-c/content", "Done: wc.c\n");
	CHECK_FILE("path/0003-user-Test-it/content", "Test it\n");
	CHECK_FILE("path/0004-user-And-commit/content", "And commit\n");
	struct stat link = stat_of("path/0003-user-Test-it");
	CHECK_INT(link.st_mtime, stat_of("by-id/00000003").st_mtime);
	CHECK_INT(link.st_size, strlen("../by-id/00000003"));
}

/* Rules: R1 */
static void by_name_or_number(void)
{
	static const char *const absent[] = {
		"0003-user-Test",
		"0003-user-Test-it-",
		"0003-",
		"0003-x",
		"03-user-Test-it",
		"0003user",
		"0000",
		"0",
		"0005",
		"-3",
		"99999999999999999999",
		"user-Test-it",
		".git",
	};
	mount_talk();
	CHECK_FILE("path/0003-user-Test-it/content", "Test it\n");
	CHECK_FILE("path/0003/content", "Test it\n");
	CHECK_FILE("path/3/content", "Test it\n");
	for (size_t i = 0; i < COUNT(absent); i++) {
		char path[64];
		snprintf(path, sizeof(path), "path/%s", absent[i]);
		test_row = path;
		CHECK_INT(lstat_error(path), ENOENT);
		test_row = NULL;
	}
	CHECK_INT(count_path(), 4);
}

/* All spellings are in unit/test_head_target.c. */
static void head_by_number(void)
{
	mount_talk();
	CHECK_INT(move_head("path/2"), 0);
	CHECK_HEAD("by-id/00000002");
	CHECK_INT(move_head("path/0004"), ENOENT);
	CHECK_INT(move_head("by-id/00000004"), 0);
	CHECK_INT(move_head("path/0002-assistant-Done-wc-c/content"), 0);
	CHECK_HEAD("by-id/00000002");
	/* As ln -sf does, through the folder that HEAD points to. */
	CHECK_INT(ERRNO(symlink("path/0001-user-Write-a-word-counter-in-C",
				"HEAD/0001-user-Write-a-word-counter-in-C")),
		  0);
	CHECK_HEAD("by-id/00000001");
}

static void nothing_can_be_made(void)
{
	int for_root = geteuid() == 0 ? EPERM : EACCES;
	mount_talk();
	keep_session();
	CHECK_INT(ERRNO(symlink("../by-id/00000001", "path/0009")), for_root);
	CHECK_INT(ERRNO(mkdir("path/0009", 0755)), for_root);
	CHECK_INT(ERRNO(unlink("path/0003")), for_root);
	CHECK_INT(ERRNO(rename("path/0003", "path/0004")), for_root);
	CHECK_KEPT();
}

static void recursive_grep(void)
{
	const struct dirent *d;
	size_t n = 0;
	mount_talk();
	CHECK_INT(HEAR("grep", "-r", "And commit", "by-id", "path"), 0);
	CHECK_BUF(&mounts_output, "by-id/00000004/content:And commit\n");
	DIR *dir = opendir("path");
	test_need(dir != NULL, "path");
	while ((d = readdir(dir))) {
		if (d->d_name[0] == '.')
			continue;
		CHECK_INT(d->d_type, DT_LNK);
		n++;
	}
	closedir(dir);
	CHECK_INT(n, 4);
}

/* Add entries, each fifth of which is below the 1,500th. */
static void *disturb(void *data)
{
	atomic_bool *stop = data;
	for (unsigned n = 3000; !atomic_load(stop); n++) {
		char id[16], up[16], text[32];
		snprintf(id, sizeof(id), "%08x", n);
		snprintf(up, sizeof(up), "%08x", n % 5 ? n - 1 : 1499);
		snprintf(text, sizeof(text), "entry %u", n);
		append_user(id, up, text);
		nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
	}
	return NULL;
}

/* All names are in order, and below the fork nothing changes. */
static void check_while_disturbed(int number)
{
	enum { FORK = 1500 };
	struct dirent **found;
	char path[NAME_MAX + 16], want[64];
	int n = scandir("path", &found, NULL, NULL), i = 0, names = 0;
	test_need(n >= 0, "path");
	const char *before = "";
	for (i = 0; i < n; i++) {
		const char *name = found[i]->d_name;
		if (name[0] == '.')
			continue;
		CHECK(strcmp(before, name) < 0);
		before = name;
		snprintf(want, sizeof(want), "%04d-user-entry-%d", names + 1,
			 names);
		if (names < FORK)
			CHECK_SPAN(span_of(name), span_of(want));
		if (names == number) {
			snprintf(path, sizeof(path), "path/%s", name);
			snprintf(want, sizeof(want), "../by-id/%08x", number);
			CHECK_LINK(path, want);
		}
		names++;
	}
	for (i = 0; i < n; i++)
		free(found[i]);
	free(found);
	CHECK(names >= FORK);
}

static void grows_while_listed(void)
{
	atomic_bool stop = false;
	pthread_t thread;
	write_many("chain", 3000);
	mount_session();
	test_need(pthread_create(&thread, NULL, disturb, &stop) == 0,
		  "pthread_create");
	for (int i = 0; i < 30; i++)
		check_while_disturbed(i);
	atomic_store(&stop, true);
	CHECK_INT(pthread_join(thread, NULL), 0);
	CHECK(session_lines() > 3001);
}

static void long_way(void)
{
	static const struct {
		size_t place;
		const char *name;
	} rows[] = {
		{ 1, "0001-user-entry-0" },
		{ 9999, "9999-user-entry-9998" },
		{ 10000, "10000-user-entry-9999" },
		{ 100000, "100000-user-entry-99999" },
	};
	size_t n = 0, row = 0;
	write_many("chain", 100000);
	mount_session();
	for (struct span rest = listed_in("path"); rest.n > 0;) {
		struct span name = span_next(&rest, ' ');
		if (row < COUNT(rows) && ++n == rows[row].place)
			CHECK_SPAN(name, span_of(rows[row++].name));
	}
	CHECK_INT(row, COUNT(rows));
	CHECK_INT(count_path(), 100000);
	CHECK_LINK("path/100000-user-entry-99999", "../by-id/0001869f");
	CHECK_INT(move_head("path/50000"), 0);
	CHECK_HEAD("by-id/0000c34f");
	CHECK_INT(count_path(), 50000);
}

static void check_as_user(void)
{
	CHECK_FILE("path/0003-user-Test-it/content", "Test it\n");
	CHECK_INT(move_head("path/0002"), 0);
	CHECK_HEAD("by-id/00000002");
	CHECK_INT(count_path(), 2);
}

static void another_user(void)
{
	write_talk();
	check_as_nobody(check_as_user);
}

static const struct mounts_test tests[] = {
	TEST("path/ is the way to HEAD, numbered, with kinds and words",
	     numbered),
	TEST("a link is found by its whole name, or by its number alone",
	     by_name_or_number),
	TEST("ln moves HEAD to a number", head_by_number),
	TEST("nothing can be made, removed or renamed in path/",
	     nothing_can_be_made),
	TEST("a recursive grep over the root reads no entry by path/",
	     recursive_grep),
	TEST("the session grows, and HEAD moves, while path/ is listed",
	     grows_while_listed),
	FULL_TEST("a way of 100,000 entries", long_way),
	ROOT_TEST("another user reads path/ as far as the session",
		  another_user),
};
RUN_TESTS(tests)
