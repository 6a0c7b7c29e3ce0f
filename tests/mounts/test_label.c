/* Labels, but for what the model has of them (tests/model): when a truncation
 * counts, attributes, names. */
#include "tests/mounts/mounts.h"

#define BRANCHES "pi-v3-branches.jsonl"
#define FOUR "by-id/aa000004/label"
#define EIGHT "by-id/aa000008/label"  /* "good" */
#define ELEVEN "by-id/aa000011/label" /* "dead end" */
#define LABEL(id, parent, target, text) \
	ENTRY("label", id, parent,      \
	      ",'targetId':'" target "','label':'" text "'")

/* As rsync --inplace and cp --preserve do. */
static void own_mode_and_owner(void)
{
	static const char *const files[] = { "HEAD/label", "name", "append" };
	mount_fixture(BRANCHES);
	keep_session();
	for (size_t i = 0; i < COUNT(files); i++) {
		struct stat st;
		CHECK_INT(ERRNO(stat(files[i], &st)), 0);
		CHECK_INT(ERRNO(chmod(files[i], st.st_mode & 07777)), 0);
		CHECK_INT(ERRNO(chown(files[i], st.st_uid, st.st_gid)), 0);
		CHECK_INT(ERRNO(chmod(files[i], 0600)), EPERM);
	}
	CHECK_INT(ERRNO(chmod("info", 0444)), EPERM);
	CHECK_KEPT();
}

/* Truncate a label; meanwhile set another; then write no label. */
static void refused_while(const char *label, const char *other,
			  const char *text)
{
	int fd = open(label, O_WRONLY | O_TRUNC | O_CLOEXEC);
	CHECK_INT(put(other, text), 0);
	CHECK_INT(write(fd, "a\nb", 3) < 0 ? errno : 0, EINVAL);
	close(fd);
}

static void refused_after_waiting(void)
{
	mount_fixture(BRANCHES);
	/* A text that comes after the truncation was applied. */
	int fd = open(EIGHT, O_WRONLY | O_TRUNC | O_CLOEXEC);
	WAIT_UNTIL(span_eq(last("targetId"), SPAN("aa000008")));
	CHECK_INT(write(fd, "a\nb", 3) < 0 ? errno : 0, EINVAL);
	close(fd);
	CHECK_FILE(EIGHT, "good\n");
	/* Other labels are not changed, and changing them does not end the
	 * wait. */
	refused_while(EIGHT, FOUR, "other\n");
	CHECK_FILE(EIGHT, "good\n");
	CHECK_FILE(FOUR, "other\n");
}

static void set_by_another_mount(void)
{
	mount_fixture(BRANCHES);
	mount_second();
	refused_while(EIGHT, in_second(EIGHT), "newer\n");
	CHECK_FILE(EIGHT, "newer\n");
}

/* It is set while the truncation waits for its text, and none comes. */
static void set_while_emptied(void)
{
	mount_fixture(BRANCHES);
	mount_second();
	int fd = open(EIGHT, O_WRONLY | O_TRUNC | O_CLOEXEC);
	CHECK_INT(put(in_second(EIGHT), "newer\n"), 0);
	CHECK_INT(ERRNO(close(fd)), 0);
	unmount();
	CHECK_LAST("targetId", "aa000008");
	CHECK_LAST("label", "newer");
}

/* Reading it again makes no request until the kernel is notified. */
static void read_again(void)
{
	char text[16];
	mount_fixture(BRANCHES);
	int fd = open(EIGHT, O_RDONLY | O_CLOEXEC);
	CHECK_INT(pread(fd, text, sizeof(text), 0), 5);
	test_append("session.jsonl",
		    LABEL("0000000a", "'aa000025'", "aa000008", "best"));
	WAIT_UNTIL(pread(fd, text, sizeof(text), 0) == 5 &&
		   memcmp(text, "best\n", 5) == 0);
	CHECK_INT(ERRNO(close(fd)), 0);
}

/* Rules: L2 */
static void only_emptied(void)
{
	mount_fixture(BRANCHES);
	CHECK_INT(put(EIGHT, ""), 0);
	WAIT_UNTIL(span_eq(last("targetId"), SPAN("aa000008")) &&
		   span_eq(last("label"), SPAN("-")));
	CHECK_INT(put(ELEVEN, ""), 0);
	CHECK_NAMES("by-label", "");
	CHECK_LAST("targetId", "aa000011");
	CHECK_INT(put("name", ""), 0);
	CHECK(!has("info", "\nname:"));
	CHECK_LAST("type", "session_info");
}

static void emptied_at_the_end(void)
{
	mount_fixture(BRANCHES);
	CHECK_INT(put(EIGHT, ""), 0);
	unmount();
	CHECK_LAST("targetId", "aa000008");
	CHECK_LAST("label", "-");
}

static void *empty_it(void *path)
{
	put(path, "");
	return NULL;
}

static void emptied_at_once(void)
{
	enum { N = 20 };
	char paths[N][64];
	pthread_t threads[N];
	mount_fixture(BRANCHES);
	for (int i = 0; i < N; i++) {
		snprintf(paths[i], sizeof(paths[i]), "by-id/aa0000%02d/label",
			 i + 1);
		if (access(paths[i], F_OK) != 0)
			snprintf(paths[i], sizeof(paths[i]), FOUR);
		CHECK_INT(put(paths[i], "x\n"), 0);
	}
	for (int i = 0; i < N; i++)
		CHECK_INT(pthread_create(&threads[i], NULL, empty_it, paths[i]),
			  0);
	for (int i = 0; i < N; i++)
		CHECK_INT(pthread_join(threads[i], NULL), 0);
	for (int i = 0; i < N; i++)
		CHECK_FILE(paths[i], "");
	CHECK_NAMES("by-label", "");
	CHECK_VALUE("info", "labels", "0");
}

static const struct mounts_test tests[] = {
	TEST("the mode and the owner that a file has can be set, and no others",
	     own_mode_and_owner),
	TEST("a refused text keeps the old label, after the wait as well",
	     refused_after_waiting),
	TEST("a label that another mount has set meanwhile is kept",
	     set_by_another_mount),
	TEST("a label that another mount sets is not cleared by a truncation "
	     "before",
	     set_while_emptied),
	TEST("a program that has a label open reads the one that the agent "
	     "sets",
	     read_again),
	TEST("a label that is only emptied is cleared soon, or when anybody "
	     "looks",
	     only_emptied),
	TEST("a label that is emptied is cleared when the mount ends",
	     emptied_at_the_end),
	TEST("labels that are truncated at the same time are all cleared",
	     emptied_at_once),
};
RUN_TESTS(tests)
