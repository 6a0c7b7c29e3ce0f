/* Versions of files, without a session. */
#include "core/file/fault.h"
#include "core/file/version.h"

#include "tests/unit/test.h"

static struct version take(const char *path)
{
	struct version v;
	CHECK_INT(version_take(NULL, path, &v), 0);
	return v;
}

/* By a path, a descriptor and a stat; none of a path without a file. */
TEST(check_take)
{
	const char *path = test_file("a", "one");
	struct version v = take(path);
	struct version other;
	struct stat st;
	test_need(stat(path, &st) == 0, path);
	CHECK(version_eq(v, version_of_stat(&st)));
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	CHECK_INT(version_take_open(fd, &other), 0);
	CHECK(version_eq(v, other));
	close(fd);
	CHECK_INT(v.size, 3);
	CHECK_INT(v.mode, st.st_mode);
	CHECK_INT(version_take_open(-1, &other), -EBADF);
	CHECK_INT(version_take(NULL, test_path("none"), &other), -ENOENT);
	CHECK(version_eq(other, (struct version){ 0 }));
	CHECK(!version_eq(other, VERSION_UNKNOWN));

	/* Its bytes are those of the same version later. */
	memcpy(&other, &v, sizeof(other));
	CHECK(version_eq(v, other));
	CHECK_INT(sizeof(v), 9 * sizeof(uint64_t));
}

/* Each member on its own is another version, and which change that is. */
TEST(check_change)
{
	const struct version was = { 1, 2, 30, { 4, 5 }, { 6, 7 }, 8, 9 };
	struct version now = was;
	CHECK_INT(version_change(was, now), VERSION_SAME);
	now.size = 31;
	CHECK_INT(version_change(was, now), VERSION_GREW);
	now.mtime[0]--;
	now.ctime[1]++;
	CHECK_INT(version_change(was, now), VERSION_GREW);
	now.size = 29;
	CHECK_INT(version_change(was, now), VERSION_REPLACED);
	const struct {
		struct version now;
		bool same_file;
		bool same_bytes;
	} rows[] = {
		{ { 0, 2, 30, { 4, 5 }, { 6, 7 }, 8, 9 }, false, true },
		{ { 1, 0, 30, { 4, 5 }, { 6, 7 }, 8, 9 }, false, true },
		{ { 1, 2, 30, { 0, 5 }, { 6, 7 }, 8, 9 }, true, false },
		{ { 1, 2, 30, { 4, 0 }, { 6, 7 }, 8, 9 }, true, false },
		{ { 1, 2, 30, { 4, 5 }, { 0, 7 }, 8, 9 }, true, true },
		{ { 1, 2, 30, { 4, 5 }, { 6, 0 }, 8, 9 }, true, true },
		{ { 1, 2, 30, { 4, 5 }, { 6, 7 }, 0, 9 }, true, true },
		{ { 1, 2, 30, { 4, 5 }, { 6, 7 }, 8, 0 }, true, true },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct version v = rows[i].now;
		CHECK(!version_eq(was, v));
		CHECK_INT(version_same_file(was, v), rows[i].same_file);
		CHECK_INT(version_same_bytes(was, v), rows[i].same_bytes);
		CHECK_INT(version_change(was, v), rows[i].same_file
							  ? VERSION_TOUCHED
							  : VERSION_REPLACED);
	}
}

TEST(check_look)
{
	const char *path = test_file("b", "one");
	const struct version none = { 0 };
	struct version was = take(path);
	CHECK_INT(version_look(NULL, path, was), VERSION_SAME);
	CHECK_INT(version_look(NULL, path, none), VERSION_REPLACED);
	CHECK_INT(version_look(NULL, path, VERSION_UNKNOWN), VERSION_REPLACED);
	test_append("b", "two");
	CHECK_INT(version_look(NULL, path, was), VERSION_GREW);
	was = take(path);
	CHECK_INT(chmod(path, 0600), 0);
	CHECK_INT(version_look(NULL, path, was), VERSION_TOUCHED);
	was = take(path);
	test_set_time(path, 1000);
	CHECK_INT(version_look(NULL, path, was), VERSION_TOUCHED);
	was = take(path);
	CHECK_INT(truncate(path, 1), 0);
	CHECK_INT(version_look(NULL, path, was), VERSION_REPLACED);
	CHECK_INT(unlink(path), 0);
	CHECK_INT(version_look(NULL, path, was), VERSION_REPLACED);
	CHECK_INT(version_look(NULL, path, none), VERSION_SAME);
	CHECK_INT(version_look(NULL, path, VERSION_UNKNOWN), VERSION_REPLACED);
}

/* Long enough ago for the ticks of the clock, or for whole seconds. */
TEST(check_settled)
{
	static const struct {
		struct timespec changed;
		struct timespec time;
		bool settled;
	} rows[] = {
		{ { 100, 5 }, { 100, 5 }, false },
		{ { 100, 5 }, { 100, 20000005 }, false },
		{ { 100, 5 }, { 100, 20000006 }, true },
		{ { 100, 990000000 }, { 101, 10000000 }, false },
		{ { 100, 990000000 }, { 101, 10000001 }, true },
		{ { 100, 5 }, { 102, 0 }, true },
		{ { 100, 5 }, { 99, 999999999 }, false },
		{ { 100, 0 }, { 102, 999999999 }, false },
		{ { 100, 0 }, { 103, 0 }, true },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct timespec *t = &rows[i].changed;
		const struct version v = { .mtime = { t->tv_sec, t->tv_nsec },
					   .ctime = { t->tv_sec, t->tv_nsec },
					   .mode = S_IFREG };
		struct version kept = version_settled(v, rows[i].time);
		bool is = rows[i].settled;
		CHECK_INT(version_is_settled(v, rows[i].time), is);
		CHECK(version_eq(kept, is ? v : VERSION_UNKNOWN));
	}
}

/* What a search has looked at: one change is enough. */
TEST(check_several)
{
	struct versions v = { 0 };
	const char *file = test_file("old", "x");
	CHECK(!versions_have_changed(&v));
	usleep(50000);
	CHECK_INT(versions_add(&v, NULL, file), 0);
	CHECK_INT(versions_add(&v, NULL, test_path("absent")), 0);
	CHECK_INT(versions_add(&v, NULL, test_path("no/folder")), 0);
	CHECK(!versions_have_changed(&v));
	test_append("old", "y");
	CHECK(versions_have_changed(&v));
	versions_free(&v);

	CHECK_INT(versions_add(&v, NULL, test_path("absent")), 0);
	CHECK(!versions_have_changed(&v));
	test_file("absent", "");
	CHECK(versions_have_changed(&v));
	versions_free(&v);

	/*
	 * Something may be added to a folder in the tick that it was made in. A
	 * busy machine may take longer than that to look at it.
	 */
	bool changed = false;
	for (int i = 0; i < 100 && !changed; i++) {
		char name[16];
		snprintf(name, sizeof(name), "new-%d", i);
		test_need(mkdir(test_path(name), 0755) == 0, "mkdir");
		CHECK_INT(versions_add(&v, NULL, test_path(name)), 0);
		changed = versions_have_changed(&v);
		versions_free(&v);
	}
	CHECK(changed);
}

TEST(check_faults)
{
	CHECK(fault_is_shortage(-EMFILE) && fault_is_shortage(-ENFILE));
	CHECK(!fault_is_shortage(EMFILE) && !fault_is_shortage(0));
	CHECK(fault_is_unreachable(-EIO) && fault_is_unreachable(-ETIMEDOUT));
	CHECK(!fault_is_unreachable(-ENOENT) && !fault_is_unreachable(EIO));
	CHECK(fault_tells_nothing(-ENFILE) && fault_tells_nothing(-EIO));
	CHECK(fault_tells_nothing(-ENOMEM) && fault_tells_nothing(-EINTR));
	CHECK(!fault_tells_nothing(-ENOENT) && !fault_tells_nothing(-EACCES));
	CHECK(!fault_tells_nothing(-ELOOP) && !fault_tells_nothing(3));
}

RUN_TESTS("version")
