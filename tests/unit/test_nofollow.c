#include "core/file/log_write.h"
#include "core/file/nofollow.h"

#include "core/dialects/omp/lock.h"
#include "core/file/newfile.h"
#include "core/file/sidecar.h"
#include "tests/unit/test.h"

static void make_folder(const char *name)
{
	test_need(mkdir(test_path(name), 0755) == 0, name);
}

static void make_link(const char *to, const char *name)
{
	test_need(symlink(to, test_path(name)) == 0, name);
}

static int opens(const char *name)
{
	int fd = nofollow_open(NULL, test_path(name), O_RDONLY);
	if (fd < 0)
		return fd;
	CHECK(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	close(fd);
	return 0;
}

static void check_open(void)
{
	char name[NAME_MAX + sizeof("x/s")] = "";
	make_folder("a");
	make_folder("a/b");
	test_file("a/b/s", "text");
	make_link("s", "a/b/link");
	make_link("b", "a/link");
	make_link("..", "a/b/up");

	CHECK_INT(opens("a/b/s"), 0);
	CHECK_INT(opens("a//b///s"), 0);
	CHECK_INT(opens("a/b"), 0);
	CHECK_INT(opens("a/b/none"), -ENOENT);
	CHECK_INT(opens("a/none/s"), -ENOENT);
	CHECK_INT(opens("a/b/s/x"), -ENOTDIR);
	CHECK_INT(opens("a/b/"), -ENOENT);
	CHECK_INT(opens("a/b/link"), -ELOOP);
	CHECK_INT(opens("a/link/s"), -ENOTDIR);
	CHECK_INT(opens("a/b/up/b/s"), -ENOTDIR);
	memset(name, 'n', NAME_MAX + 1);
	CHECK_INT(opens(name), -ENAMETOOLONG);
	strcpy(name + NAME_MAX + 1, "/s");
	CHECK_INT(opens(name), -ENAMETOOLONG);
	CHECK_INT(nofollow_open(NULL, "a", O_RDONLY), -EINVAL);
	CHECK_INT(nofollow_open(NULL, "", O_RDONLY), -EINVAL);

	/* Of what is not there, too. */
	int fd = nofollow_open_folder(NULL, test_path("a/b/none"));
	CHECK(fd >= 0 && fcntl(fd, F_GETFD) & FD_CLOEXEC);
	CHECK(faccessat(fd, "s", F_OK, 0) == 0);
	close(fd);
	fd = nofollow_open_folder(NULL, "/none");
	CHECK(fd >= 0 && faccessat(fd, "proc", F_OK, 0) == 0);
	close(fd);

	CHECK_SPAN(span_of(nofollow_name("/a/b")), SPAN("b"));
	CHECK_SPAN(span_of(nofollow_name("/a/")), SPAN(""));
	CHECK_SPAN(span_of(nofollow_name("a")), SPAN("a"));
}

/* Put a link to `to` in the place of the folder `at`, which stays as at.old. */
static void swap(const char *at, const char *to)
{
	struct buf old = { 0 };
	buf_addf(&old, "%s.old", at);
	test_need(rename(test_path(at), test_path(buf_cstr(&old))) == 0, at);
	make_link(to, at);
	buf_free(&old);
}

static void swap_back(const char *at)
{
	struct buf old = { 0 };
	buf_addf(&old, "%s.old", at);
	test_need(unlink(test_path(at)) == 0, at);
	test_need(rename(test_path(buf_cstr(&old)), test_path(at)) == 0, at);
	buf_free(&old);
}

static unsigned files_in(const char *name)
{
	struct buf command = { 0 };
	unsigned n = 0;
	buf_addf(&command, "ls -A '%s' | wc -l", test_path(name));
	FILE *p = popen(buf_cstr(&command), "re");
	test_need(p && fscanf(p, "%u", &n) == 1, name);
	pclose(p);
	buf_free(&command);
	return n;
}

/* Nothing of a folder that was exchanged for a link is read or written. */
static void check_swapped(const char *at)
{
	struct log log;
	struct sidecar c;
	struct omp_lock l;
	struct buf b = { 0 };
	CHECK_INT(log_open(&log, NULL, test_path("m/n/s.jsonl")), 0);
	struct buf path = { 0 };
	sidecar_add_path(&path, log.path, ".x.json");
	CHECK_INT(sidecar_init(&c, NULL, &path), 0);
	const struct stat seen = log.st;
	int lock = log_lock(&log, true);
	CHECK(lock >= 0);

	swap(at, at[1] ? "../other/n" : "other");
	CHECK_INT(log_lock(&log, true), -ENOTDIR);
	CHECK(log_is_replaced(&log, lock));
	CHECK_INT(log_replace(&log, lock, &seen, SPAN("x\n"), ".bak"),
		  -ENOTDIR);
	CHECK_INT(sidecar_replace(NULL, c.path, SPAN("x"), &seen), -ENOTDIR);
	CHECK_INT(omp_lock_acquire(&l, log.path), -ENOTDIR);
	CHECK_INT(sidecar_read(&c, &b), 0);
	CHECK_BUF(&b, "");
	CHECK(log_is_stale(&log));
	CHECK_INT(log_refresh(&log), VERSION_DELETED);
	CHECK_INT(log_refresh(&log), VERSION_SAME);
	CHECK_INT(files_in("other/n"), 2);
	CHECK_BUF(test_read(test_path("other/n/s.jsonl"), &b), "theirs\n");
	log_unlock(lock);

	swap_back(at);
	CHECK_INT(log_refresh(&log), VERSION_REPLACED);
	CHECK_INT(log.st.st_ino, seen.st_ino);
	CHECK_INT(files_in("m/n"), 1);
	sidecar_free(&c);
	log_close(&log);
	buf_free(&b);
}

/* A new file stays in the folder in which it was begun. */
static void check_moved_folder(void)
{
	struct newfile f;
	struct stat like;
	struct buf b = { 0 };
	char path[PATH_MAX];
	strcpy(path, test_path("m/n/new"));
	CHECK_INT(stat(test_path("m/n/s.jsonl"), &like), 0);
	CHECK_INT(newfile_write(&f, NULL, path, SPAN("new"), &like, true), 0);
	swap("m/n", "../other/n");
	CHECK_INT(newfile_commit(&f), 0);
	swap_back("m/n");
	CHECK_INT(files_in("other/n"), 2);
	CHECK_BUF(test_read(path, &b), "new");
	CHECK_INT(unlink(path), 0);

	CHECK_INT(newfile_write(&f, NULL, path, SPAN("new"), &like, true), 0);
	CHECK_INT(files_in("m/n"), 2);
	swap("m", "other");
	newfile_discard(&f);
	swap_back("m");
	CHECK_INT(files_in("m/n"), 1);
	CHECK_INT(files_in("other/n"), 2);
	buf_free(&b);
}

int main(void)
{
	check_open();
	make_folder("m");
	make_folder("m/n");
	make_folder("other");
	make_folder("other/n");
	test_file("m/n/s.jsonl", "ours\n");
	test_file("other/n/s.jsonl", "theirs\n");
	test_file("other/n/s.x.json", "theirs");
	check_swapped("m/n");
	check_swapped("m");
	check_moved_folder();
	return test_done("nofollow");
}
