#include "core/file/gate.h"
#include "core/file/nofollow.h"
#include "tests/unit/test.h"

static struct span path_of(int i)
{
	static char path[20];
	snprintf(path, sizeof(path), "/f%d/", i);
	return span_of(path);
}

static int new_fd(void)
{
	return open("/", O_PATH | O_CLOEXEC);
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

/* The folder that was used longest ago gives way, unless it is in use. */
TEST(test_order)
{
	struct held_folders h;
	int fds[HELD_FOLDERS + 2];
	held_folders_init(&h);
	h.most = HELD_FOLDERS;
	for (int i = 0; i < HELD_FOLDERS; i++) {
		CHECK_INT(held_folders_use(&h, path_of(i)), -1);
		fds[i] = new_fd();
		held_folders_keep(&h, path_of(i), fds[i]);
		if (i > 0)
			held_folders_done(&h, fds[i]);
	}
	/* 0 is still in use, and 1 is used last. */
	CHECK_INT(held_folders_use(&h, path_of(1)), fds[1]);
	held_folders_done(&h, fds[1]);
	fds[HELD_FOLDERS] = new_fd();
	held_folders_keep(&h, path_of(HELD_FOLDERS), fds[HELD_FOLDERS]);
	held_folders_done(&h, fds[HELD_FOLDERS]);
	CHECK(is_open(fds[0]) && is_open(fds[1]) && !is_open(fds[2]));
	CHECK(is_open(fds[HELD_FOLDERS]));
	CHECK_INT(held_folders_use(&h, path_of(2)), -1);
	held_folders_done(&h, fds[0]);
	held_folders_free(&h);
	CHECK(!is_open(fds[0]) && !is_open(fds[HELD_FOLDERS]));
}

/* One that is not held is closed after its use. */
TEST(test_surplus)
{
	struct held_folders h;
	held_folders_init(&h);
	int first = new_fd();
	int again = new_fd();
	held_folders_keep(&h, path_of(1), first);
	held_folders_keep(&h, path_of(1), again);
	held_folders_done(&h, again);
	CHECK(is_open(first) && !is_open(again));
	h.most = 1;
	int other = new_fd();
	held_folders_keep(&h, path_of(2), other);
	held_folders_done(&h, other);
	CHECK(is_open(first) && !is_open(other));
	held_folders_done(&h, first);
	held_folders_free(&h);
}

/* A gate that holds folders finds what is in them, under their old path. */
TEST(test_gate)
{
	struct held_folders h;
	struct gate *g = gate_new();
	struct stat st;
	held_folders_init(&h);
	test_need(g && mkdir(test_path("a"), 0755) == 0, "a");
	test_file("a/s", "text");
	CHECK_INT(nofollow_stat(g, test_path("a/s"), &st), 0);
	gate_hold_folders(g, &h);
	CHECK_INT(nofollow_stat(g, test_path("a/s"), &st), 0);
	CHECK_INT((int)h.n, 1);
	test_need(rename(test_path("a"), test_path("b")) == 0, "b");
	CHECK_INT(nofollow_stat(g, test_path("a/s"), &st), 0);
	CHECK_INT(nofollow_stat(g, test_path("b/s"), &st), 0);
	CHECK_INT((int)h.n, 2);
	gate_free(g);
	held_folders_free(&h);
}

RUN_TESTS("held_folders")
