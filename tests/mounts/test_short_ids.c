/* Ids as grep and log print them: short, and good for whatever takes an entry.
 */
#include "tests/mounts/mounts.h"

#define ONE "deadbeef-0000-4000-8000-000000000001"
#define TWO "deadbeef-0002-4000-8000-000000000002"
#define TIP "cafe0003-0000-4000-8000-000000000003"

static void write_session(void)
{
	make_home();
	setenv("TZ", "UTC", 1);
	ADD_LINES(HEADER, USER(ONE, "null", "one"),
		  USER(TWO, "'" ONE "'", "two"),
		  USER(TIP, "'" ONE "'", "three"));
	CHECK_INT(ERRNO(chdir(test_folder)), 0);
}

#define CHECK_HEARD(begin, want) CHECK_SPAN(lines_heard(begin), span_of(want))

/* The ids of what `sessfs grep` and `sessfs log` head entries with. */
static void check_printed(const char *session)
{
	CHECK_INT(HEAR(sessfs_program(), "grep", "--heading", ".", session), 0);
	CHECK_HEARD("by-id/",
		    "by-id/deadbeef-0000  2026-03-01 10:00  user  HEAD\n"
		    "by-id/deadbeef-0002  2026-03-01 10:00  user  "
		    "branches/deadbeef-0002\n"
		    "by-id/cafe0003  2026-03-01 10:00  user  HEAD\n");
	CHECK_INT(HEAR(sessfs_program(), "log", session), 0);
	CHECK_HEARD("entry", "entry cafe0003 (HEAD)\nentry deadbeef-0000\n");
}

/* Is it the second entry to log? */
static void check_logged(const char *entry)
{
	CHECK_INT(HEAR(sessfs_program(), "log", "-n", "1", entry), 0);
	CHECK_HEARD("entry", "entry deadbeef-0002\n");
}

/* Is it the second entry to these commands? */
static void check_taken(const char *entry, const char *head)
{
	test_row = entry;
	check_logged(entry);
	CHECK_INT(
		HEAR(sessfs_program(), "log", "-n", "1", "--after", ONE, entry),
		0);
	CHECK_HEARD("entry", "entry deadbeef-0002\n");
	CHECK_INT(HEAR(sessfs_program(), "resume", entry), 0);
	struct span said = buf_span(&mounts_output);
	CHECK(memmem(said.p, said.n, TWO, strlen(TWO)) != NULL);
	CHECK_INT(HEAR(sessfs_program(), "diff", entry, head), 1);
	CHECK(span_starts(buf_span(&mounts_output), SPAN("--- " TWO "\n")));
	test_row = NULL;
}

/* `sessfs grep t` finds the second entry's line in a place. */
static void check_found(const char *at)
{
	char entry[64], want[128];
	snprintf(entry, sizeof(entry), "%s/by-id/deadbeef-0002", at);
	snprintf(want, sizeof(want), "%s/by-id/" TWO "/content:1:two\n", at);
	CHECK_INT(HEAR(sessfs_program(), "grep", "t", entry), 0);
	CHECK_SPAN(buf_span(&mounts_output), span_of(want));
}

/* `sessfs log` fails, and all that it prints is a line on stderr with this. */
static void check_not_logged(const char *at, const char *id, const char *why)
{
	char entry[64];
	const char *printed = test_path("printed");
	snprintf(entry, sizeof(entry), "%s/by-id/%s", at, id);
	test_row = entry;
	CHECK_INT(HEAR("sh", "-c",
		       "printed=$1; shift; exec \"$@\" 2>&1 >\"$printed\"", "-",
		       printed, sessfs_program(), "log", entry),
		  1);
	struct span rest = buf_span(&mounts_output),
		    line = span_next_line(&rest);
	CHECK(memmem(line.p, line.n, why, strlen(why)) != NULL);
	CHECK_SPAN(rest, SPAN(""));
	CHECK_FILE(printed, "");
	test_row = NULL;
}

static void of_a_file(void)
{
	static const char *const spellings[] = { "session", "session.jsonl" };
	write_session();
	check_printed("session.jsonl");
	for (size_t i = 0; i < COUNT(spellings); i++) {
		char entry[64];
		snprintf(entry, sizeof(entry), "%s/by-id/deadbeef-0002",
			 spellings[i]);
		check_logged(entry);
		check_found(spellings[i]);
		check_not_logged(spellings[i], "deadbeef",
				 "deadbeef: several entries start with this");
		check_not_logged(spellings[i], "deadbeef-3",
				 "deadbeef-3: no such entry");
	}
}

/* `sessfs switch`, told this, says where HEAD leads now. */
static void check_switched(const char *entry, const char *want)
{
	CHECK_INT(HEAR("sh", "-c",
		       "echo \"$1\" | \"$SESSFS\" switch 2>/dev/null", "-",
		       entry),
		  0);
	CHECK_SPAN(buf_span(&mounts_output), span_of(want));
}

static void of_a_mount(void)
{
	write_session();
	mount_session();
	CHECK_INT(ERRNO(chdir(test_folder)), 0);
	check_printed("mnt");
	check_taken("mnt/by-id/deadbeef-0002", "mnt");
	check_found("mnt");
	check_not_logged("mnt", "deadbeef",
			 "deadbeef: several entries start with this");
	check_not_logged("mnt", "deadbeef-3", "no such entry");
	CHECK_INT(ERRNO(chdir(mounts_at)), 0);
	check_taken("deadbeef-0002", "HEAD");
	check_taken("by-id/deadbeef-0002", "HEAD");
	check_taken("branches/deadbeef-0002", "HEAD");
	check_switched("branches/deadbeef-0002", "by-id/" TWO "\n");
	check_switched("cafe0003", "by-id/" TIP "\n");
	CHECK_INT(move_head("branches/deadbeef-0002"), 0);
	CHECK_HEAD("by-id/" TWO);
	/* The first is no tip. */
	CHECK_INT(move_head("branches/deadbeef-0000"), ENOENT);
	CHECK_HEAD("by-id/" TWO);
}

static const struct mounts_test tests[] = {
	TEST("short ids are printed of a file, and taken", of_a_file),
	TEST("short ids are printed of a mount, and taken", of_a_mount),
};
RUN_TESTS(tests)
