/*
 * Changes of the file by another process are seen at once: what the model does
 * not draw. What tail -f shows is in tests/live.bats.
 */
#include "tests/mounts/mounts.h"

#include <sched.h>
#include <signal.h>
#include <sys/mount.h>

#define BRANCHES "pi-v3-branches.jsonl"
#define LABEL(id, target, text)                               \
	"{'type':'label','id':'" id "','parentId':'00000001'" \
	",'targetId':'" target "','label':'" text "'}\n"

static void same_size_and_second(void)
{
	static const char label[] = "by-id/00000001/label";
	mount_lines(HEADER USER("00000001", "null", "one"));
	for (int i = 1; i <= 30; i++) {
		char line[256], want[16];
		snprintf(line, sizeof(line), LABEL("l%d", "00000001", "%d"), i,
			 i % 10);
		snprintf(want, sizeof(want), "%d\n", i % 10);
		test_append("session.jsonl", line);
		CHECK_FILE(label, want);
	}
	for (int i = 1; i <= 30; i++) {
		char text[16];
		snprintf(text, sizeof(text), "%d\n", i % 7);
		CHECK_INT(put(label, text), 0);
		CHECK_FILE(label, text);
	}
}

/* As rsync --inplace --times does, and editors that keep times. */
static void old_time_put_back(void)
{
	const struct timespec times[2] = { { .tv_sec = 1772323200 },
					   { .tv_sec = 1772323200 } };
	test_file("session.jsonl", HEADER USER("00000001", "null", "one") USER(
					   "00000002", "'00000001'", "two"));
	test_need(utimensat(AT_FDCWD, mounts_session, times, 0) == 0, "utime");
	mount_session();
	CHECK_FILE("by-id/00000001/content", "one\n");
	CHECK_FILE("by-id/00000002/content", "two\n");
	CHECK_FILE("path/0001-user-one/content", "one\n");
	keep_session();
	char *at = memmem(mounts_kept.data, mounts_kept.len, "one", 3);
	test_need(at != NULL, "one");
	memcpy(at, "six", 3);
	test_put(mounts_session, 0, buf_span(&mounts_kept));
	test_need(utimensat(AT_FDCWD, mounts_session, times, 0) == 0, "utime");
	CHECK_FILE("by-id/00000001/content", "six\n");
	CHECK_FILE("path/0001-user-six/content", "six\n");
	CHECK_NAMES("path", "0001-user-six 0002-user-two ");
}

#define PICTURE(type, data)                            \
	"{'type':'image','mimeType':'image/" type "'," \
	"'data':'" data "'}"
#define PICTURES(list) \
	MESSAGE("00000001", "null", "user", ",'content':[" list "]")

/* Are the pictures of the first entry these, "NAME SIZE" each? */
static void check_pictures(const char *want)
{
	struct buf got = { 0 };
	for (struct span rest = names_in("by-id/00000001"); rest.n > 0;) {
		char path[300], line[300];
		struct span name = span_next(&rest, ' ');
		if (!isdigit((unsigned char)name.p[0]) ||
		    !memchr(name.p, '.', name.n))
			continue;
		snprintf(path, sizeof(path), "by-id/00000001/%.*s", (int)name.n,
			 name.p);
		snprintf(line, sizeof(line), "%.*s %lld\n", (int)name.n, name.p,
			 (long long)stat_of(path).st_size);
		buf_add(&got, span_of(line));
	}
	CHECK_SPAN(buf_span(&got), span_of(want));
	buf_free(&got);
}

static void pictures_of_last_line(void)
{
	static const char two[] = USER("00000002", "'00000001'", "two");
	struct buf lines = { 0 };
	mount_lines(HEADER PICTURES(PICTURE("png", "QQ==") "," PICTURE(
		"gif", "QUI=")) USER("00000002", "'00000001'", "two"));
	check_pictures("1.png 1\n2.gif 2\n");
	CHECK_FILE("by-id/00000001/1.png", "A");
	/* The same id again, with other pictures. */
	test_append("session.jsonl", PICTURES(PICTURE("jpeg", "QkJC")));
	check_pictures("1.jpg 3\n");
	CHECK_FILE("by-id/00000001/1.jpg", "BBB");
	CHECK_INT(ERRNO(access("by-id/00000001/2.gif", F_OK)), ENOENT);
	/* Written anew, in as many bytes. */
	static const char *const anew[] = {
		HEADER PICTURES(
			PICTURE("png", "QkI=") "," PICTURE("gif", "Qw==")),
		HEADER PICTURES(
			PICTURE("gif", "Qw==") "," PICTURE("png", "QkI=")),
	};
	static const char *const shown[] = { "1.png 2\n2.gif 1\n",
					     "1.gif 1\n2.png 2\n" };
	for (size_t i = 0; i < COUNT(anew); i++) {
		buf_clear(&lines);
		buf_add(&lines, span_of(anew[i]));
		buf_add(&lines, span_of(two));
		buf_addc(&lines, '\0');
		test_file("session.jsonl", lines.data);
		check_pictures(shown[i]);
	}
	CHECK_FILE("by-id/00000001/1.gif", "C");
	CHECK_FILE("by-id/00000001/2.png", "BB");
	buf_free(&lines);
}

static void new_state(void)
{
	mount_fixture(BRANCHES);
	CHECK_FILE("by-id/aa000004/content", "list the files\n");
	/* In place, as Pi does when it migrates. */
	test_file("session.jsonl",
		  HEADER USER("aa000004", "null", "rewritten"));
	CHECK_FILE("by-id/aa000004/content", "rewritten\n");
	CHECK_NAMES("by-id", "aa000004 ");
	/* By rename, as oh-my-pi does. */
	test_copy(fixture("pi-v3-headmove.jsonl"), test_path("new"));
	CHECK_INT(ERRNO(rename(test_path("new"), mounts_session)), 0);
	CHECK_NAMES("by-id", "dd000001 dd000002 dd000003 dd000004 dd000005 ");
	CHECK_HEAD("by-id/dd000002");
	CHECK_INT(ERRNO(truncate(mounts_session, 0)), 0);
	CHECK_HEAD("tree");
	CHECK_NAMES("by-id", "");
	CHECK_INT(ERRNO(unlink(mounts_session)), 0);
	CHECK_NAMES("by-id", "");
	CHECK_INT(put("by-id/dd000001/label", "x\n"), ENOENT);
	test_copy(fixture(BRANCHES), mounts_session);
	CHECK_FILE("by-id/aa000004/content", "list the files\n");
	CHECK_HEAD("by-id/aa000025");
	test_put(mounts_session, O_TRUNC, SPAN("no session at all\n"));
	CHECK_NAMES("by-id", "");
	CHECK_HEAD("tree");
}

static void stale_folder(void)
{
	mount_fixture(BRANCHES);
	CHECK_INT(ERRNO(chdir("by-id/aa000004")), 0);
	CHECK_FILE("content", "list the files\n");
	test_file("session.jsonl", HEADER USER("00000001", "null", "other"));
	/* Without any other request: the kernel, which has the contents, is
	 * told. */
	WAIT_UNTIL(span_eq(text_of("content"), SPAN("Stale file handle")));
	CHECK_NAMES(test_path("mnt/by-id"), "00000001 ");
	CHECK_NAMES(".", "Stale file handle");
}

static void header_rewritten(void)
{
	static const char old[] = "\"version\":2";
	mount_fixture("pi-v2-hook.jsonl");
	CHECK_VALUE("info", "version", "2");
	keep_session();
	char *at = memmem(mounts_kept.data, mounts_kept.len, old, strlen(old));
	test_need(at != NULL, old);
	at[strlen(old) - 1] = '3';
	struct buf more =
		test_quoted("{'type':'message','id':'new','parentId':null,"
			    "'message':{'role':'user','content':'x'}}\n");
	buf_add(&mounts_kept, buf_span(&more));
	test_put(mounts_session, 0, buf_span(&mounts_kept));
	CHECK_VALUE("info", "version", "3");
	CHECK_HEAD("by-id/new");
	buf_free(&more);
}

/* Move a HEAD at an absolute path, whoever else does so. */
static int move_by(const char *at, int who, const char *target)
{
	char staged[PATH_MAX];
	snprintf(staged, sizeof(staged), "%s.%d", at, who);
	return symlink(target, staged) < 0 ? errno : ERRNO(rename(staged, at));
}

/* A chain from 00000001. */
static void write_three(const char *file)
{
	test_file(file, HEADER USER("00000001", "null",
				    "one") USER("00000002", "'00000001'", "two")
				USER("00000003", "'00000002'", "three"));
}

static void mount_three(void)
{
	write_three("session.jsonl");
	mount_session();
}

/* Rules: C1 */
static void in_the_leaf(void)
{
	static const char *const views[] = { "by-id",
					     "tree/00000001/00000002" };
	mount_three();
	for (size_t v = 0; v < COUNT(views); v++) {
		char path[64];
		snprintf(path, sizeof(path), "mnt/%s/00000003", views[v]);
		CHECK_INT(ERRNO(chdir(test_path(path))), 0);
		for (int i = 1; i <= 5; i++) {
			char id[16], end[32];
			snprintf(id, sizeof(id), "%.5s%d", v ? "tree" : "by-id",
				 i);
			snprintf(end, sizeof(end), " %s ", id);
			struct span names = listed_in(".");
			CHECK(!span_ends(names, span_of(end)));
			append_user(id, "00000003", "said");
			CHECK_INT(ERRNO(access(id, F_OK)), 0);
			names = listed_in(".");
			CHECK(span_ends(names, span_of(end)));
			/* The leaf, and with it what is expected, moves back.
			 */
			CHECK_INT(move_by(test_path("mnt/HEAD"), i,
					  "by-id/00000003"),
				  0);
		}
	}
}

/* How often an open folder lists a name. No request but this is made. */
static int times_in(DIR *dir, const char *name)
{
	const struct dirent *d;
	int n = 0;
	rewinddir(dir);
	while ((d = readdir(dir)))
		n += strcmp(d->d_name, name) == 0;
	return n;
}

/* With the folder open and listed, append messages with ids from `first` on,
 * which are hexadecimal, below its entry. The process that has it open sees all
 * of them without any other request. */
static void check_told(const char *folder, unsigned first, unsigned n)
{
	char id[16];
	const char *parent = strrchr(folder, '/') + 1;
	DIR *dir = opendir(folder);
	test_need(dir != NULL, folder);
	for (unsigned i = 0; i < n; i++) {
		snprintf(id, sizeof(id), "%08x", first + i);
		CHECK_INT(times_in(dir, id), 0);
		append_user(id, parent, "new");
	}
	for (unsigned i = 0; i < n; i++) {
		snprintf(id, sizeof(id), "%08x", first + i);
		WAIT_UNTIL(times_in(dir, id) == 1);
	}
	closedir(dir);
}

static void older_folder(void)
{
	static const char *const options[] = { NULL, "poll=0.1" };
	for (size_t i = 0; i < COUNT(options); i++) {
		write_three("session.jsonl");
		mount_with(options[i]);
		check_told("by-id/00000001", 4, 1);
		CHECK_FILE("by-id/00000001/00000004/content", "new\n");
		/* What is not looked at in the other view yet. */
		check_told("tree/00000001/00000002", 5, 1);
		CHECK_FILE("tree/00000001/00000002/00000005/content", "new\n");
		unmount();
	}
}

/* Mount the session; the Nth poll(2) of the daemon fails. */
static void mount_failing(int nth)
{
	char which[32], report[PATH_MAX + 16];
	snprintf(which, sizeof(which), "CALL_NTH=%d", nth);
	snprintf(report, sizeof(report), "CALL_REPORT=%s", test_path("met"));
	test_copy(fixture(BRANCHES), mounts_session);
	mount_intercepted(
		mounts_session,
		PIECES("CALL_DO=ENOMEM", "CALL_KINDS=poll", which, report));
}

static void wait_that_fails(void)
{
	for (int nth = 1; nth <= 2; nth++) {
		mount_failing(nth);
		WAIT_UNTIL(has(test_path("met"), "met poll\n"));
		check_told("by-id/aa000004", 0xbb000001, 1);
		/* Nobody asks for anything after this. */
		CHECK_INT(put("by-id/aa000008/label", ""), 0);
		WAIT_UNTIL(has(mounts_session, "\"targetId\":\"aa000008\"}\n"));
		unmount();
		unlink(test_path("met"));
	}
}

/* No name is listed twice. */
static void check_names_differ(DIR *dir)
{
	char names[64][NAME_MAX + 1];
	size_t n = 0;
	const struct dirent *d;
	rewinddir(dir);
	while ((d = readdir(dir)) && n < COUNT(names)) {
		for (size_t i = 0; i < n; i++)
			CHECK(strcmp(names[i], d->d_name) != 0);
		snprintf(names[n++], sizeof(names[0]), "%s", d->d_name);
	}
	CHECK(!d);
}

static void read_again(void)
{
	static const char *const at[] = { ".", "by-id", "branches", "tree",
					  "by-id/00000003" };
	DIR *dirs[COUNT(at)];
	mount_three();
	for (size_t i = 0; i < COUNT(at); i++)
		test_need((dirs[i] = opendir(at[i])) != NULL, at[i]);
	for (int n = 0; n < 20; n++) {
		char id[16], head[32] = "", want[32];
		snprintf(id, sizeof(id), "new%05d", n);
		snprintf(want, sizeof(want), "by-id/%s", id);
		for (size_t i = 0; i < COUNT(at); i++)
			CHECK_INT(times_in(dirs[i], id), 0);
		append_user(id, "00000003", "x");
		for (size_t i = 0; i < COUNT(at); i++) {
			test_row = at[i];
			if (i == 0 || i == 3)
				continue;
			CHECK_INT(times_in(dirs[i], id), 1);
			check_names_differ(dirs[i]);
		}
		test_row = NULL;
		CHECK(readlinkat(dirfd(dirs[0]), "HEAD", head,
				 sizeof(head) - 1) > 0);
		CHECK_SPAN(span_of(head), span_of(want));
	}
	for (size_t i = 0; i < COUNT(at); i++)
		closedir(dirs[i]);
}

/* List a folder while it grows: what was in it is listed once, and what comes
 * once at most. New ids are f0000000 and so on, from `first` on. */
static void list_growing(const char *folder, unsigned first)
{
	enum { OLD = 3000, NEW = 16 };
	static unsigned char seen[OLD], is_new[NEW];
	unsigned i = 0, made = first;
	const struct dirent *d;
	DIR *dir = opendir(folder);
	test_need(dir != NULL, folder);
	memset(seen, 0, sizeof(seen));
	memset(is_new, 0, sizeof(is_new));
	while ((d = readdir(dir))) {
		unsigned long id = strtoul(d->d_name, NULL, 16);
		if (d->d_name[0] == '.')
			continue;
		if (id < OLD)
			seen[id]++;
		else if (id - 0xf0000000 < NEW)
			is_new[id - 0xf0000000]++;
		if (i++ % 500 == 0 && made < NEW) {
			char text[16];
			snprintf(text, sizeof(text), "%08x",
				 0xf0000000 + made++);
			append_user(text, NULL, "x");
		}
	}
	closedir(dir);
	CHECK(made >= first + 6);
	for (i = 0; i < OLD; i++)
		CHECK_INT(seen[i], 1);
	for (i = 0; i < NEW; i++)
		CHECK(is_new[i] <= 1);
}

static void grows_while_listed(void)
{
	write_many("roots", 3000);
	mount_session();
	list_growing("by-id", 0);
	list_growing("tree", 8);
}

/* What an open file has from where it was read to. */
static struct span rest_of(int fd)
{
	static char text[4096];
	ssize_t n = read(fd, text, sizeof(text));
	return n < 0 ? span_of(strerror(errno))
		     : (struct span){ text, (size_t)n };
}

static void open_files(void)
{
	mount_three();
	int content = open("by-id/00000001/content", O_RDONLY | O_CLOEXEC);
	int context = open("context.txt", O_RDONLY | O_CLOEXEC);
	append_user("00000004", "00000003", "said by four");
	CHECK_SPAN(rest_of(content), SPAN("one\n"));
	struct span s = rest_of(context);
	CHECK(span_ends(s, SPAN("\n[User]: said by four\n")));
	close(content);
	close(context);
	content = open("by-id/00000002/content", O_RDONLY | O_CLOEXEC);
	context = open("context.txt", O_RDONLY | O_CLOEXEC);
	CHECK(content >= 0 && context >= 0);
	test_file("session.jsonl", HEADER USER("00000001", "null", "other"));
	CHECK_SPAN(rest_of(content), SPAN("Stale file handle"));
	CHECK_SPAN(rest_of(context), SPAN("Stale file handle"));
	close(content);
	close(context);
	CHECK_FILE("context.txt", "[User]: other\n");
}

#define SAID(id, parent, text)                                           \
	"{\"type\":\"message\",\"id\":\"" id "\",\"parentId\":\"" parent \
	"\",\"message\":{\"role\":\"user\",\"content\":\"" text "\"}}\n"

/* Rename over the session what it has, with a part of it written otherwise, and
 * a line more. */
static void write_anew(const char *old, const char *new, const char *line)
{
	struct buf text = { 0 };
	struct span was = text_of(mounts_session);
	const char *at = memmem(was.p, was.n, old, strlen(old));
	test_need(at != NULL, old);
	buf_add(&text, (struct span){ was.p, (size_t)(at - was.p) });
	buf_adds(&text, new);
	at += strlen(old);
	buf_add(&text, (struct span){ at, (size_t)(was.p + was.n - at) });
	buf_adds(&text, line);
	test_put(test_path("anew"), 0, buf_span(&text));
	test_need(rename(test_path("anew"), mounts_session) == 0, "anew");
	buf_free(&text);
}

/* As tail -f: oh-my-pi writes a title over the first line, or all anew. */
static void titles_come(void)
{
	static const struct span slot =
		SPAN("{\"type\":\"title\",\"v\":1,\"title\":\"X");
	mount_fixture("omp-v3-basic.jsonl");
	int lines = open("lines.txt", O_RDONLY | O_CLOEXEC);
	while (rest_of(lines).n > 0)
		;
	test_append("session.jsonl", SAID("00000001", "11000021", "one"));
	test_put(mounts_session, 0, slot);
	CHECK_SPAN(rest_of(lines), SPAN("by-id/00000001/content:1:one\n"));
	write_anew("{\"type\":\"session\"",
		   "{\"type\":\"session\",\"title\":\"new\"",
		   SAID("00000002", "00000001", "two"));
	CHECK_SPAN(rest_of(lines), SPAN("by-id/00000002/content:1:two\n"));
	write_anew("x", "x", SAID("00000003", "00000002", "three"));
	CHECK_SPAN(rest_of(lines), SPAN("by-id/00000003/content:1:three\n"));
	/* What was read is not there any more. */
	write_anew("\"content\":\"two\"", "\"content\":\"owt\"", "");
	CHECK_SPAN(rest_of(lines), SPAN("Stale file handle"));
	close(lines);
}

/* The first title comes in a line before all others. */
static void a_first_title_comes(void)
{
	struct buf line = { 0 };
	test_file("session.jsonl", "{\"type\":\"session\",\"version\":3,\"id\":"
				   "\"s\",\"cwd\":\"/\","
				   "\"additionalDirectories\":[]}\n" SAID(
					   "00000001", "00000000", "one"));
	mount_session();
	int lines = open("lines.txt", O_RDONLY | O_CLOEXEC);
	CHECK_SPAN(rest_of(lines), SPAN("by-id/00000001/content:1:one\n"));
	buf_addf(&line, "%-255s\n{\"type\":\"session\"",
		 "{\"type\":\"title\",\"v\":1,\"title\":\"T\",\"updatedAt\":"
		 "\"2026-11-28T12:00:00.000Z\",\"pad\":\"\"}");
	write_anew("{\"type\":\"session\"", buf_cstr(&line),
		   SAID("00000002", "00000001", "two"));
	CHECK_SPAN(rest_of(lines), SPAN("by-id/00000002/content:1:two\n"));
	CHECK_FILE("name", "T\n");
	close(lines);
	buf_free(&line);
}

/* The inotify watches of a process. */
static size_t watches(pid_t pid)
{
	char path[64];
	size_t n = 0;
	struct dirent **found;
	snprintf(path, sizeof(path), "/proc/%d/fdinfo", (int)pid);
	int files = scandir(path, &found, NULL, NULL);
	test_need(files >= 0, path);
	for (int i = 0; i < files; free(found[i++])) {
		snprintf(path, sizeof(path), "/proc/%d/fdinfo/%.16s", (int)pid,
			 found[i]->d_name);
		for (struct span rest = text_of(path); rest.n > 0;)
			n += span_starts(span_next(&rest, '\n'),
					 SPAN("inotify "));
	}
	free(found);
	return n;
}

/* The daemon that is not this one. */
static pid_t other_daemon(pid_t known)
{
	char path[64];
	pid_t pid = 0;
	snprintf(path, sizeof(path), "/proc/self/task/%d/children",
		 (int)getpid());
	for (struct span rest = text_of(path); rest.n > 0;) {
		pid_t its = (pid_t)strtol(span_next(&rest, ' ').p, NULL, 10);
		if (its > 0 && its != known)
			pid = its;
	}
	test_need(pid > 0, "there is no other daemon");
	return pid;
}

static void no_changes_reported(void)
{
	mount_fixture(BRANCHES);
	pid_t first = daemon_pid();
	CHECK_FILE("HEAD/content", "Final.\n");
	CHECK_INT(watches(first), 1);
	/* Another sessfs is such a filesystem. */
	CHECK_INT(ERRNO(mkdir(mounts_second, 0755)), 0);
	CHECK_INT(RUN(sessfs_program(), test_path("mnt/HEAD/branch.jsonl"),
		      mounts_second),
		  0);
	CHECK_FILE(in_second("HEAD/content"), "Final.\n");
	CHECK_INT(watches(other_daemon(first)), 0);
	/* Each request checks the file. */
	CHECK_INT(put("by-id/aa000004/label", "seen\n"), 0);
	CHECK_FILE(in_second("by-id/aa000004/label"), "seen\n");
	/* It has a file of the first one open until it has ended. */
	unmount_at(mounts_second);
}

static void more_events_than_queued(void)
{
	static const char *const names[] = { "all/a.jsonl", "all/b.jsonl",
					     "all/c.jsonl" };
	int files[COUNT(names)];
	CHECK_INT(ERRNO(mkdir(test_path("all"), 0755)), 0);
	for (size_t i = 0; i < COUNT(names); i++) {
		write_three(names[i]);
		files[i] = open(test_path(names[i]),
				O_WRONLY | O_APPEND | O_CLOEXEC);
	}
	long queued = strtol(
		text_of("/proc/sys/fs/inotify/max_queued_events").p, NULL, 10);
	mount_source(test_path("all"));
	CHECK_FILE("a/HEAD/content", "three\n");
	CHECK_FILE("b/HEAD/content", "three\n");
	CHECK_FILE("c/HEAD/content", "three\n");
	DIR *dir = opendir("c/by-id/00000001");
	test_need(dir != NULL, "c/by-id/00000001");
	CHECK_INT(times_in(dir, "00000004"), 0);
	pid_t pid = daemon_pid();
	CHECK_INT(ERRNO(kill(pid, SIGSTOP)), 0);
	for (long i = 0; i < queued + 100; i++) {
		char line[128];
		int n = snprintf(line, sizeof(line),
				 "{\"type\":\"label\",\"id\":\"l%ld\","
				 "\"parentId\":null,\"targetId\":\"x\","
				 "\"label\":\"y\"}\n",
				 i);
		if (write(files[i % 2], line, (size_t)n) != n)
			break;
	}
	test_append("all/c.jsonl", USER("00000004", "'00000001'", "new"));
	CHECK_INT(ERRNO(kill(pid, SIGCONT)), 0);
	WAIT_UNTIL(times_in(dir, "00000004") == 1);
	closedir(dir);
	for (size_t i = 0; i < COUNT(names); i++)
		close(files[i]);
}

/* Be root in namespaces of one's own, in which no file can be watched. */
static bool enter_namespaces(void)
{
	char map[32];
	unsigned user = geteuid(), group = getegid();
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) != 0)
		return false;
	snprintf(map, sizeof(map), "0 %u 1", user);
	if (write_with(0, "/proc/self/setgroups", SPAN("deny")) != 0 ||
	    write_with(0, "/proc/self/uid_map", span_of(map)) != 0)
		return false;
	snprintf(map, sizeof(map), "0 %u 1", group);
	return write_with(0, "/proc/self/gid_map", span_of(map)) == 0;
}

/* In a process of its own: its exit status. */
static int look_every_second(void)
{
	if (!enter_namespaces()) {
		fputs("# no user namespaces here\n", stderr);
		return 0;
	}
	unsigned failed = test_failures;
	CHECK_INT(write_with(0, "/proc/sys/user/max_inotify_watches",
			     SPAN("0\n")),
		  0);
	CHECK_INT(RUN(sessfs_program(), mounts_session, mounts_at), 0);
	CHECK_INT(ERRNO(chdir(mounts_at)), 0);
	check_told("by-id/00000001", 4, 1);
	CHECK_INT(ERRNO(chdir("/")), 0);
	CHECK_INT(RUN("fusermount3", "-u", mounts_at), 0);
	return test_failures > failed;
}

static void nothing_watched(void)
{
	int status;
	write_three("session.jsonl");
	pid_t pid = fork();
	test_need(pid >= 0, "fork");
	if (pid == 0)
		_exit(look_every_second());
	test_need(waitpid(pid, &status, 0) == pid, "waitpid");
	CHECK_INT(status, 0);
}

static void made_again(void)
{
	mount_three();
	for (int i = 0; i < 2; i++) {
		CHECK_INT(ERRNO(unlink(mounts_session)), 0);
		CHECK_NAMES("by-id", "");
		write_three("session.jsonl");
		check_told("by-id/00000001", 4, 1);
	}
}

static const struct mounts_test tests[] = {
	TEST("same size, same second: still seen", same_size_and_second),
	TEST("same size, and the old time put back: still seen",
	     old_time_put_back),
	TEST("the pictures of an entry are those of its last line",
	     pictures_of_last_line),
	TEST("a file that is rewritten, replaced, truncated or deleted is "
	     "shown in its new state",
	     new_state),
	TEST("a shell in a stale folder gets ESTALE, not other contents",
	     stale_folder),
	TEST("a header that is rewritten in place while the file grows is "
	     "noticed",
	     header_rewritten),
	TEST("a program in the leaf's folder sees each child at once",
	     in_the_leaf),
	TEST("an older folder that is open shows its new child without a "
	     "request",
	     older_folder),
	TEST("a wait of sessfs that fails ends no watching", wait_that_fails),
	TEST("a folder that is open shows what is new when it is read again",
	     read_again),
	TEST("a large folder that grows while it is listed shows nothing twice "
	     "and misses nothing",
	     grows_while_listed),
	TEST("a file that is open when its session grows reads on, when it is "
	     "replaced it is stale",
	     open_files),
	TEST("oh-my-pi's title comes while lines.txt is followed: it goes on",
	     titles_come),
	TEST("its first title, in a new first line, does no harm to that",
	     a_first_title_comes),
	TEST("a source on a filesystem that reports no changes is looked at "
	     "instead",
	     no_changes_reported),
	TEST("more events than the kernel queues: no change is lost",
	     more_events_than_queued),
	TEST("where no file can be watched, files are looked at every second",
	     nothing_watched),
	TEST("a file that is made again under its old number is watched again",
	     made_again),
};
RUN_TESTS(tests)
