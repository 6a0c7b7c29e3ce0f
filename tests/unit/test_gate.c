#include "core/file/gate.h"

#include "core/file/nofollow.h"
#include "tests/unit/test.h"

static void make_folder(const char *name)
{
	test_need(mkdir(test_path(name), 0755) == 0, name);
}

/* What a path leads to, by one call and by a walk: equal sizes, or -errno. */
static int size_at(struct gate *g, const char *name)
{
	struct stat st;
	struct stat walked;
	int err = gate_stat(g, test_path(name), &st);
	CHECK_INT(nofollow_stat(g, test_path(name), &walked), err);
	if (err)
		return err;
	CHECK_INT(walked.st_size, st.st_size);
	return (int)st.st_size;
}

/* No mount is needed: another folder hides the one that was opened. */
TEST(check_hidden)
{
	char room[GATE_PATH_SIZE];
	struct stat st;
	struct gate *g = gate_new();
	test_need(g != NULL, "gate");
	make_folder("m");
	make_folder("m/in");
	test_file("m/in/f", "four");
	test_file("m2", "m2");
	CHECK(gate_path(g, test_path("m/in/f"), room) != room);
	char *source = strdup(test_path("m/in/f"));
	const char *const sources[] = { source, NULL };
	CHECK_INT(gate_hide(g, test_path("m"), sources), 0);
	test_need(rename(test_path("m"), test_path("moved")) == 0, "m");
	make_folder("m");
	test_file("m/other", "other");

	CHECK_INT(gate_stat(g, test_path("m/in/f"), &st), 0);
	CHECK_INT(st.st_size, 4);
	CHECK_INT(gate_stat(g, test_path("m/other"), &st), -ENOENT);
	CHECK_INT(gate_stat(g, test_path("m"), &st), 0);
	CHECK(S_ISDIR(st.st_mode));
	CHECK_INT(access(gate_path(g, test_path("m/in"), room), X_OK), 0);
	/* Beside it, and names that only begin so. */
	CHECK_INT(size_at(g, "moved/in/f"), 4);
	CHECK_INT(size_at(g, "m2"), 2);
	CHECK_INT(size_at(g, "m3"), -ENOENT);
	/* No mount begins here: a walk goes where the path leads. */
	gate_close(g);
	CHECK_INT(nofollow_stat(g, test_path("m/other"), &st), 0);
	gate_free(g);
	free(source);
}

TEST(check_none)
{
	char room[GATE_PATH_SIZE];
	CHECK_INT(size_at(NULL, "m2"), 2);
	const char *path = test_path("m2");
	CHECK(gate_path(NULL, path, room) == path);
	gate_free(NULL);
}

TEST(check_failure)
{
	struct gate *g = gate_new();
	test_need(g != NULL, "gate");
	const char *const sources[] = { test_path("m2"), NULL };
	CHECK_INT(gate_hide(g, test_path("none"), sources), -ENOENT);
	gate_free(g);
	g = gate_new();
	CHECK_INT(gate_hide(g, test_path("m2"), sources), -ENOTDIR);
	gate_free(g);
}

RUN_TESTS("gate")
