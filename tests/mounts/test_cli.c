/* The command line: options, messages, exit statuses, signals. */
#include "tests/mounts/mounts.h"

#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mount.h>
#include <sys/statvfs.h>

#define BRANCHES "pi-v3-branches.jsonl"
#define FOUR "by-id/aa000004/label"
#define USAGE                                                          \
	"usage: sessfs COMMAND ..., or sessfs [-o OPTIONS] SOURCE... " \
	"MOUNTPOINT (-h for help)\n"

/* Wait until a daemon in the foreground answers. */
static void wait_for_mount(void)
{
	WAIT_UNTIL(is_mounted(mounts_at));
	CHECK(exists(join(mounts_at, "HEAD")));
}

/* sessfs mounts nothing, and prints only this to stderr. */
#define CHECK_NO_MOUNT(status, line, ...)                     \
	do {                                                  \
		CHECK_COMMAND(status, "", line, __VA_ARGS__); \
		CHECK(!is_mounted(mounts_at));                \
	} while (0)

static bool is_version(struct span s)
{
	char text[64], *at = text;
	snprintf(text, sizeof(text), "%.*s", (int)s.n, s.p);
	if (strncmp(at, "sessfs ", 7) != 0)
		return false;
	at += 7;
	for (int i = 0; i < 3; i++) {
		size_t n = strspn(at, "0123456789");
		if (n == 0 || (i < 2 && at[n] != '.'))
			return false;
		at += n + (i < 2);
	}
	/* Of a clone. */
	if (strncmp(at, "+git.", 5) == 0)
		at += 5 + strspn(at + 5, "0123456789abcdefknouw");
	return strcmp(at, "\n") == 0;
}

/* Does a program print this to stdout? */
static bool is_printed(const struct buf *want, const char *const argv[])
{
	CHECK_INT(hear_apart(argv), 0);
	return span_eq(buf_span(&mounts_output), buf_span(want));
}

static void help_and_version(void)
{
	static const char usage[] = "usage: sessfs COMMAND [OPTIONS] ...\n";
	size_t lines = 0;
	CHECK_INT(HEAR(sessfs_program(), "-h"), 0);
	CHECK(span_starts(buf_span(&mounts_output), span_of(usage)));
	CHECK_INT(HEAR_APART(sessfs_program(), "--help"), 0);
	/* A terminal of 24 lines and 80 columns, and its prompt. */
	for (struct span rest = buf_span(&mounts_output); rest.n > 0; lines++) {
		struct span line = span_next(&rest, '\n');
		CHECK(characters_in(line) < 80);
	}
	CHECK(lines > 0 && lines <= 23);
	struct buf said = { 0 };
	buf_add(&said, buf_span(&mounts_output));
	CHECK(is_printed(&said, PIECES(sessfs_program(), "help")));
	buf_free(&said);
	CHECK_INT(HEAR(sessfs_program(), "--version"), 0);
	CHECK(is_version(buf_span(&mounts_output)));
}

static void wrong(void)
{
	test_copy(fixture(BRANCHES), mounts_session);
	CHECK(program_says(2, "", USAGE, PIECES(sessfs_program())));
	CHECK_NO_MOUNT(2, USAGE, mounts_session);
	CHECK_NO_MOUNT(2,
		       filled("sessfs: unexpected argument with --all: %s\n",
			      mounts_session),
		       "--all", mounts_session, mounts_at);
	CHECK_NO_MOUNT(2, "sessfs: unknown option(s): `-o nosuch'\n", "-o",
		       "nosuch", mounts_session, mounts_at);
	CHECK_NO_MOUNT(2, "sessfs: unknown option(s): `-x'\n", "-x",
		       mounts_session, mounts_at);
}

static void unknown_first(void)
{
	const char *none = join(test_folder, "none"),
		   *new = join(test_folder, "new");
	CHECK_NO_MOUNT(2, "sessfs: unknown option(s): `--nosuch'\n",
		       "--nosuch");
	CHECK_NO_MOUNT(2, "sessfs: unknown option(s): `-x'\n", "-x", none,
		       mounts_at);
	CHECK_NO_MOUNT(2, "sessfs: unknown option(s): `-o nosuch'\n", "-o",
		       "nosuch,ro", none);
	CHECK_NO_MOUNT(2, "sessfs: unknown option(s): `-o nosuch'\n", "check",
		       "-o", "nosuch", none);
	CHECK_NO_MOUNT(2, "sessfs: unknown option(s): `--check'\n", "--check",
		       none);
	CHECK_NO_MOUNT(2, "sessfs: unknown option(s): `--export=x'\n",
		       "--export=x", none);
	CHECK_NO_MOUNT(2, "sessfs: unknown option(s): `-o nosuch'\n", "export",
		       new, "-o", "nosuch", none);
	CHECK_NO_MOUNT(2, "sessfs: keep=0: must be a number from 1 to 131072\n",
		       "-o", "keep=0", none, mounts_at);
	CHECK(!exists(new));
}

/* What check prints of a session, behind the file's name. */
static struct span below_name(struct span printed)
{
	span_next(&printed, ':');
	return printed;
}

static void commands(void)
{
	struct buf named = { 0 };
	test_copy(fixture(BRANCHES), mounts_session);
	test_need(chdir(test_folder) == 0, test_folder);
	CHECK_COMMAND(0, NULL, NULL, "check", mounts_session);
	buf_add(&named, buf_span(&mounts_output));
	CHECK(named.len > 0);
	CHECK_COMMAND(0, NULL, NULL, "check", "-o", "dialect=lines",
		      mounts_session);
	CHECK(!span_eq(buf_span(&named), buf_span(&mounts_output)));
	CHECK_COMMAND(2, "",
		      "sessfs: check: no option -z (sessfs check -h for "
		      "help)\n",
		      "check", "-z", mounts_session);
	CHECK_COMMAND(2, "",
		      "sessfs: check: no value for -o (sessfs check -h for "
		      "help)\n",
		      "check", mounts_session, "-o");
	CHECK_COMMAND(2, "",
		      "sessfs: keep=0: must be a number from 1 to 131072\n",
		      "check", "-o", "keep=0", mounts_session);
	test_copy(mounts_session, "check");
	CHECK_COMMAND(0, NULL, NULL, "check", "--", "check");
	CHECK_SPAN(below_name(buf_span(&mounts_output)),
		   below_name(buf_span(&named)));
	buf_free(&named);
}

static void check_help(const char *command)
{
	struct buf said = { 0 };
	test_row = command;
	CHECK_COMMAND(0, NULL, NULL, command, "-h");
	buf_add(&said, buf_span(&mounts_output));
	const char *usage = filled("usage: sessfs %s [OPTIONS]", command);
	size_t usages = 0;
	for (struct span rest = buf_span(&said); rest.n > 0;) {
		struct span line = span_next(&rest, '\n');
		usages += span_starts(line, span_of(usage));
		CHECK(characters_in(line) <= 80 && !span_ends(line, SPAN(" ")));
	}
	CHECK(usages > 0);
	CHECK(is_printed(&said, PIECES(sessfs_program(), command, "--help")));
	CHECK(is_printed(&said, PIECES(sessfs_program(), "help", command)));
	buf_free(&said);
	test_row = NULL;
}

static void help_of_each(void)
{
	struct buf names = { 0 };
	add_commands(&names);
	for (struct span rest = buf_span(&names); rest.n > 0;) {
		char command[64];
		struct span name = span_next(&rest, ' ');
		snprintf(command, sizeof(command), "%.*s", (int)name.n, name.p);
		check_help(command);
	}
	buf_free(&names);
}

static void bad_operands(void)
{
	static const char *const sources[][2] = {
		{ "none", "No such file or directory" },
		{ "fifo", "not a regular file" },
	};
	static const char *const points[][2] = {
		{ "nowhere", "No such file or directory" },
		{ "file", "not a directory" },
	};
	test_copy(fixture(BRANCHES), mounts_session);
	CHECK_INT(ERRNO(mkfifo(test_path("fifo"), 0644)), 0);
	test_file("file", "");
	for (size_t i = 0; i < COUNT(sources); i++) {
		const char *at = join(test_folder, sources[i][0]);
		CHECK_NO_MOUNT(1, filled("sessfs: %s: %s\n", at, sources[i][1]),
			       at, mounts_at);
	}
	CHECK_NO_MOUNT(1, filled("sessfs: %s: is inside SOURCE\n", mounts_at),
		       test_folder, mounts_at);
	CHECK_NO_MOUNT(1, "sessfs: /dev/null: not a regular file\n",
		       "/dev/null", mounts_at);
	for (size_t i = 0; i < COUNT(points); i++) {
		const char *at = join(test_folder, points[i][0]);
		CHECK_NO_MOUNT(1, filled("sessfs: %s: %s\n", at, points[i][1]),
			       mounts_session, at);
		CHECK(!is_mounted(at));
	}
	CHECK_NO_MOUNT(1,
		       filled("sessfs: %s: the mount would hide the "
			      "session\n",
			      test_folder),
		       mounts_session, test_folder);
	CHECK(!is_mounted(test_folder));
}

static void no_start(void)
{
	static const char *const errors[][2] = {
		{ "CALL_DO=EMFILE", "Too many open files" },
		{ "CALL_DO=ENOMEM", "out of memory" },
	};
	test_copy(fixture(BRANCHES), mounts_session);
	for (size_t i = 0; i < COUNT(errors); i++) {
		CHECK_INT(hear_apart(intercepted(
				  PIECES("CALL_NTH=1", "CALL_KINDS=eventfd",
					 errors[i][0]),
				  COMMAND(mounts_session, mounts_at))),
			  1);
		CHECK_SPAN(buf_span(&mounts_output), SPAN(""));
		CHECK_SPAN(buf_span(&mounts_errors),
			   span_of(filled("sessfs: %s: %s\n", mounts_at,
					  errors[i][1])));
		CHECK(!is_mounted(mounts_at));
	}
}

static void mounted_when_it_returns(void)
{
	mount_fixture(BRANCHES);
	CHECK(is_mounted(mounts_at));
	CHECK_HEAD("by-id/aa000025");
	const char *of = filled(" - fuse.sessfs %s ", mounts_session);
	bool is = false;
	for (struct span rest = text_of("/proc/self/mountinfo"); rest.n > 0;) {
		struct span line = span_next(&rest, '\n');
		is |= memmem(line.p, line.n, mounts_at, strlen(mounts_at)) &&
		      memmem(line.p, line.n, of, strlen(of));
	}
	CHECK(is);
	/* The daemon is the only process. */
	struct span children =
		text_of(filled("/proc/self/task/%d/children", (int)getpid()));
	span_next(&children, ' ');
	CHECK_INT(children.n, 0);
}

static void odd_name(void)
{
	char session[PATH_MAX];
	const char *own = mounts_session;
	snprintf(session, sizeof(session), "%s", test_path("a, b\\c.jsonl"));
	mounts_session = session;
	mount_fixture(BRANCHES);
	CHECK_HEAD("by-id/aa000025");
	CHECK_INT(move_head("by-id/aa000004"), 0);
	CHECK_HEAD("by-id/aa000004");
	mounts_session = own;
}

static void relative_names(void)
{
	test_copy(fixture(BRANCHES), mounts_session);
	test_need(chdir(test_folder) == 0, test_folder);
	CHECK_INT(RUN(sessfs_program(), "./session.jsonl", "mnt"), 0);
	/* As ln -sfn does, from outside of the mount. */
	CHECK_INT(ERRNO(symlink("mnt/by-id/aa000004", "mnt/CuXXXXXX")), 0);
	CHECK_INT(ERRNO(rename("mnt/CuXXXXXX", "mnt/HEAD")), 0);
	CHECK_LINK("mnt/HEAD", "by-id/aa000004");
	CHECK_LINK(filled("/proc/%d/cwd", (int)daemon_pid()), "/");
	unmount_at("mnt");
}

static void print_to(int fd)
{
	if (dup2(fd, 1) < 0 || dup2(fd, 2) < 0)
		_exit(126);
}

/* Who reads it sees its end, while the mount is there. */
static void output_ends(void)
{
	int ends[2];
	char byte;
	test_copy(fixture(BRANCHES), mounts_session);
	test_need(pipe2(ends, O_CLOEXEC) == 0, "pipe");
	pid_t pid = start_prepared(
		print_to, ends[1],
		PIECES(sessfs_program(), mounts_session, mounts_at));
	close(ends[1]);
	CHECK_INT(wait_program(pid), 0);
	struct pollfd reader = { .fd = ends[0], .events = POLLIN };
	bool has_come = poll(&reader, 1, 10000) == 1;
	CHECK(has_come);
	if (has_come)
		CHECK_INT(read(ends[0], &byte, 1), 0);
	close(ends[0]);
	CHECK(is_mounted(mounts_at));
}

static void linked_session(void)
{
	test_copy(fixture(BRANCHES), test_path("real.jsonl"));
	CHECK_INT(ERRNO(symlink("real.jsonl", mounts_session)), 0);
	mount_session();
	CHECK_INT(put(FOUR, "x\n"), 0);
	CHECK_FILE(FOUR, "x\n");
	CHECK(S_ISLNK(stat_of(mounts_session).st_mode));
}

static void foreground(void)
{
	test_copy(fixture(BRANCHES), mounts_session);
	pid_t pid = start_prepared(
		NULL, 0,
		PIECES(sessfs_program(), "-f", mounts_session, mounts_at));
	wait_for_mount();
	CHECK_INT(RUN("fusermount3", "-u", mounts_at), 0);
	CHECK_INT(wait_program(pid), 0);
}

/* A shell without job control lets its children ignore SIGINT, and nohup
 * SIGHUP. */
static void heed(int number)
{
	if (signal(number, SIG_DFL) == SIG_ERR)
		_exit(126);
}

static void signals(void)
{
	static const int numbers[] = { SIGTERM, SIGHUP, SIGINT };
	test_copy(fixture(BRANCHES), mounts_session);
	for (size_t i = 0; i < COUNT(numbers); i++) {
		test_row = strsignal(numbers[i]);
		pid_t pid = start_prepared(heed, numbers[i],
					   PIECES(sessfs_program(), "-f",
						  mounts_session, mounts_at));
		wait_for_mount();
		CHECK_INT(ERRNO(kill(pid, numbers[i])), 0);
		CHECK_INT(wait_program(pid), 0);
		CHECK(!is_mounted(mounts_at));
	}
	test_row = NULL;
}

static void one_thread_and_debug(void)
{
	const char *at = test_path("log");
	test_copy(fixture(BRANCHES), mounts_session);
	CHECK_INT(RUN(sessfs_program(), "-s", mounts_session, mounts_at), 0);
	CHECK_INT(test_count_names(join(mounts_at, "by-id"), ""), 24);
	unmount();
	int fd = open(at, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	test_need(fd >= 0, at);
	pid_t pid = start_prepared(
		print_to, fd,
		PIECES(sessfs_program(), "-d", mounts_session, mounts_at));
	close(fd);
	wait_for_mount();
	CHECK(test_count_names(mounts_at, "") > 0);
	CHECK_INT(RUN("fusermount3", "-u", mounts_at), 0);
	CHECK_INT(wait_program(pid), 0);
	CHECK_HAS(test_path("log"), "READDIR");
}

static void read_only(void)
{
	struct statvfs st;
	test_copy(fixture(BRANCHES), mounts_session);
	mount_with("ro");
	CHECK_INT(move_head("by-id/aa000004"), EROFS);
	CHECK_INT(put(FOUR, "x\n"), EROFS);
	CHECK_INT(ERRNO(unlink("HEAD")), EROFS);
	CHECK_INT(ERRNO(mkdir("x", 0777)), EROFS);
	CHECK(came(0, BRANCHES));
	CHECK_INT(stat_of(FOUR).st_mode, S_IFREG | 0444);
	CHECK_INT(ERRNO(statvfs(".", &st)), 0);
	CHECK(st.f_flag & ST_RDONLY);
}

/* Fill the disk, leaving less space than a line needs. */
static void fill_disk(const char *fill)
{
	static const char zeros[4096];
	enum { LEFT = 60, LINE = 69 };
	long long size = stat_of(mounts_session).st_size;
	long long pad = 4096 - LEFT - size % 4096 - LINE;
	struct buf line = { 0 };
	test_put(fill, O_TRUNC, SPAN("0"));
	buf_adds(&line, "{\"type\":\"custom\",\"id\":\"filler\","
			"\"parentId\":\"dd000004\",\"customType\":\"");
	buf_fill(&line, 'x', pad > 0 ? (size_t)pad : 0);
	buf_adds(&line, "\"}\n");
	test_put(mounts_session, O_APPEND, buf_span(&line));
	buf_free(&line);
	int fd = open(fill, O_WRONLY | O_TRUNC | O_CLOEXEC);
	test_need(fd >= 0, fill);
	while (write(fd, zeros, sizeof(zeros)) > 0)
		;
	CHECK_INT(errno, ENOSPC);
	close(fd);
}

/* The session and the file `fill` are in a file system of 16 KiB. */
static void on_a_full_disk(const char *fill)
{
	mount_fixture("pi-v3-headmove.jsonl");
	fill_disk(fill);
	keep_session();
	int moved = move_head("by-id/dd000001"),
	    labelled = put("by-id/dd000001/label", "label\n");
	CHECK_INT(ERRNO(unlink(fill)), 0);
	CHECK_KEPT();
	CHECK_INT(moved, ENOSPC);
	CHECK_INT(labelled, ENOSPC);
	CHECK_INT(move_head("by-id/dd000001"), 0);
	CHECK_HEAD("by-id/dd000001");
}

static void no_space(void)
{
	char small[PATH_MAX], session[PATH_MAX], fill[PATH_MAX];
	const char *own = mounts_session;
	snprintf(small, sizeof(small), "%s", test_path("small"));
	snprintf(session, sizeof(session), "%s",
		 test_path("small/session.jsonl"));
	snprintf(fill, sizeof(fill), "%s", test_path("small/fill"));
	CHECK_INT(ERRNO(mkdir(small, 0755)), 0);
	int err = ERRNO(mount("tmpfs", small, "tmpfs", 0, "size=16k"));
	CHECK_INT(err, 0);
	if (err)
		return;
	mounts_session = session;
	on_a_full_disk(fill);
	mounts_session = own;
	/* The daemon has a file of it open until it ends. */
	CHECK_INT(ERRNO(umount2(small, MNT_DETACH)), 0);
}

static void limit_size(int bytes)
{
	const struct rlimit limit = { (rlim_t)bytes, (rlim_t)bytes };
	if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
		_exit(126);
}

/* Mount the session from a process that is prepared like this. */
static void mount_prepared(void (*prepare)(int), int number)
{
	test_copy(fixture(BRANCHES), mounts_session);
	pid_t pid = start_prepared(
		prepare, number,
		PIECES(sessfs_program(), mounts_session, mounts_at));
	CHECK_INT(wait_program(pid), 0);
	test_need(chdir(mounts_at) == 0, mounts_at);
}

static void size_limit(void)
{
	mount_prepared(limit_size, 1024);
	keep_session();
	CHECK_INT(move_head("by-id/aa000004"), EFBIG);
	CHECK_KEPT();
	CHECK_HEAD("by-id/aa000025");
}

static void close_below(int end)
{
	for (int fd = 0; fd < end; fd++)
		close(fd);
}

static void closed_files(void)
{
	mount_prepared(close_below, 3);
	CHECK_FILE("by-id/aa000004/content", "list the files\n");
}

static const struct mounts_test tests[] = {
	TEST("-h and -V", help_and_version),
	TEST("a wrong command line: one line, status 2", wrong),
	TEST("an unknown option is named before anything else is looked at",
	     unknown_first),
	TEST("a command by its name, as an option, and by a link to the "
	     "program",
	     commands),
	TEST("each command has its help", help_of_each),
	TEST("a source or mount point that will not do: one line that names "
	     "it, status 1",
	     bad_operands),
	TEST("what fails at start-up is named: open files that ran out, or "
	     "memory",
	     no_start),
	TEST("the parent returns when the mount answers; it is named in the "
	     "mount table",
	     mounted_when_it_returns),
	TEST("a name with commas and spaces is no trouble", odd_name),
	TEST("relative names work, and the daemon does not hold its directory",
	     relative_names),
	TEST("the daemon does not hold the output of the command that mounts",
	     output_ends),
	TEST("a link to the session is followed", linked_session),
	TEST("in the foreground: fusermount3 -u ends it with status 0",
	     foreground),
	TEST("SIGTERM, SIGINT and SIGHUP unmount, with status 0", signals),
	TEST("-s and -d serve as well", one_thread_and_debug),
	TEST("-o ro refuses every write with EROFS", read_only),
	ROOT_TEST("no space in the middle of a write: an error, and the file "
		  "is unchanged",
		  no_space),
	TEST("a file-size limit: an error, the daemon lives, and the file is "
	     "unchanged",
	     size_limit),
	TEST("standard files that are closed are no trouble", closed_files),
};
RUN_TESTS(tests)
