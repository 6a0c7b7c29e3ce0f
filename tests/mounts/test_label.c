/* Labels: set, replaced, cleared, and the same everywhere. */
#include "tests/mounts/mounts.h"

#define BRANCHES "pi-v3-branches.jsonl"
#define FOUR "by-id/aa000004/label"
#define EIGHT "by-id/aa000008/label"  /* "good" */
#define ELEVEN "by-id/aa000011/label" /* "dead end" */
#define IN_TREE                                                                \
	"tree/aa000001/aa000003/aa000004/aa000005/aa000006/aa000007/aa000008/" \
	"label"

#define LABEL(id, parent, target, text) \
	ENTRY("label", id, parent,      \
	      ",'targetId':'" target "','label':'" text "'")

static void in_both_views(void)
{
	mount_fixture(BRANCHES);
	size_t n = session_lines();
	CHECK_INT(put(FOUR, "tested\n"), 0);
	CHECK_FILE(FOUR, "tested\n");
	CHECK_FILE("tree/aa000001/aa000003/aa000004/label", "tested\n");
	CHECK_LINK("by-label/tested", "../by-id/aa000004");
	CHECK_INT(session_lines(), n + 1);
	CHECK_LAST("type", "label");
	CHECK_LAST("targetId", "aa000004");
	CHECK_LAST("label", "tested");
	CHECK_LAST("parentId", "aa000025");
	CHECK_HAS("tree.txt", "list the files [tested]");
	CHECK_HEAD("by-id/aa000025");
}

static void through_tree(void)
{
	mount_fixture(BRANCHES);
	CHECK_FILE(EIGHT, "good\n");
	CHECK_INT(put(IN_TREE, "better\n"), 0);
	CHECK_FILE(EIGHT, "better\n");
	CHECK_NAMES("by-label", "better dead end ");
	CHECK_INT(put(EIGHT, "worse1\n"), 0);
	CHECK_FILE(IN_TREE, "worse1\n");
}

static void cleared(void)
{
	mount_fixture(BRANCHES);
	CHECK_INT(put(EIGHT, ""), 0);
	CHECK_FILE(EIGHT, "");
	CHECK_NAMES("by-label", "dead end ");
	CHECK_LAST("targetId", "aa000008");
	CHECK_LAST("label", "-");
	CHECK_INT(put(ELEVEN, "\n"), 0);
	CHECK_NAMES("by-label", "");
	keep_session();
	CHECK_INT(put(EIGHT, ""), 0);
	CHECK_INT(ERRNO(truncate(FOUR, 0)), 0);
	CHECK_KEPT();
}

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

static void survive_a_mount(void)
{
	mount_fixture(BRANCHES);
	CHECK_INT(put(FOUR, "kept\n"), 0);
	CHECK_INT(put(EIGHT, ""), 0);
	unmount();
	mount_session();
	CHECK_FILE(FOUR, "kept\n");
	CHECK_NAMES("by-label", "dead end kept ");
}

/* Rules: L1 */
static void any_utf8(void)
{
	static const char text[] = "größe ✓ \"x\" \\";
	struct stat st;
	mount_fixture(BRANCHES);
	CHECK_INT(put(FOUR, text), 0);
	CHECK_FILE(FOUR, "größe ✓ \"x\" \\\n");
	CHECK_INT(ERRNO(lstat("by-label/größe ✓ \"x\" \\", &st)), 0);
	CHECK_INT(ERRNO(stat(FOUR, &st)), 0);
	CHECK_INT(st.st_size, sizeof(text));
}

static void bad_text(void)
{
	static char longer[100000];
	memset(longer, 'x', sizeof(longer));
	const struct span bad[] = {
		SPAN("two\nlines"),
		SPAN("two\nlines\n"),
		SPAN("\n\n"),
		SPAN("tab\there"),
		SPAN("nul\0"),
		SPAN("\x7f"),
		SPAN("\xff"),
		SPAN("\xc3"),
		SPAN("\xc2\x85"),
		{ longer, 1025 },
		{ longer, sizeof(longer) },
	};
	static const char *const files[][2] = { { EIGHT, "good\n" },
						{ FOUR, "" } };
	mount_fixture(BRANCHES);
	for (size_t f = 0; f < COUNT(files); f++) {
		for (size_t i = 0; i < COUNT(bad); i++) {
			CHECK_INT(write_with(O_TRUNC, files[f][0], bad[i]),
				  EINVAL);
			CHECK_FILE(files[f][0], files[f][1]);
		}
		CHECK_INT(write_with(0, files[f][0], SPAN("a\nb")), EINVAL);
		CHECK_FILE(files[f][0], files[f][1]);
	}
	longer[1024] = '\n';
	CHECK_INT(write_with(O_TRUNC, EIGHT, (struct span){ longer, 1025 }), 0);
	CHECK_SPAN(text_of(EIGHT), ((struct span){ longer, 1025 }));
}

static void bad_text_in_pieces(void)
{
	mount_fixture(BRANCHES);
	CHECK_INT(put_pieces(O_TRUNC, EIGHT, PIECES("two\n", "lines\n")),
		  EINVAL);
	CHECK_FILE(EIGHT, "good\n");
	CHECK_INT(put_pieces(O_TRUNC, FOUR, PIECES("two\n", "lines\n")),
		  EINVAL);
	CHECK_FILE(FOUR, "");
	CHECK_INT(put(FOUR, "one\n"), 0);
	CHECK_INT(put_pieces(O_APPEND, FOUR, PIECES("two\n")), EINVAL);
	CHECK_FILE(FOUR, "one\n");
}

static void pieces(void)
{
	mount_fixture(BRANCHES);
	CHECK_INT(put_pieces(O_TRUNC, FOUR,
			     PIECES("p", "i", "e", "c", "e", "s", "\n")),
		  0);
	CHECK_FILE(FOUR, "pieces\n");
	CHECK_FILE(EIGHT, "good\n");
	/* The written bytes end the line, whatever came after them. */
	CHECK_INT(put_pieces(0, EIGHT, PIECES("X")), 0);
	CHECK_FILE(EIGHT, "X\n");
}

static void escaped(void)
{
	mount_lines(HEADER USER("00000001", "null",
				"one") USER("00000002", "'00000001'", "two")
			    LABEL("00000003", "'00000002'", "00000001",
				  "a/b\\nc") LABEL("00000004", "'00000003'",
						   "00000002", "content"));
	CHECK_NAMES("by-label", "a%2Fb%0Ac content ");
	CHECK_FILE("by-label/content/content", "two\n");
}

static void one_label_twice(void)
{
	mount_fixture(BRANCHES);
	CHECK_INT(put(FOUR, "good\n"), 0);
	CHECK_LINK("by-label/good", "../by-id/aa000004");
	CHECK_FILE(EIGHT, "good\n");
	CHECK_INT(put(FOUR, ""), 0);
	CHECK_LINK("by-label/good", "../by-id/aa000008");
}

static void before_its_entry(void)
{
	mount_lines(HEADER USER("00000001", "null", "one") LABEL(
		"00000002", "'00000001'", "00000009", "early"));
	CHECK_NAMES("by-label", "");
	test_append("session.jsonl", USER("00000009", "'00000002'", "late"));
	CHECK_FILE("by-id/00000009/label", "early\n");
	CHECK_NAMES("by-label", "early ");
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

/* A truncated file waits a tenth of a second for its text: only a faster writer
 * counts. */
static void refused_writes_nothing(void)
{
	static const char *const files[] = { EIGHT, FOUR, "HEAD/label",
					     "name" };
	static char longer[1026];
	memset(longer, 'x', 1025);
	const char *const texts[] = { "a\nb", "a\nb\n", "\t", longer };
	mount_fixture(BRANCHES);
	keep_session();
	bool was_late = false;
	for (size_t f = 0; f < COUNT(files) && !was_late; f++) {
		struct buf old = { 0 };
		buf_add(&old, text_of(files[f]));
		for (size_t i = 0; i < COUNT(texts); i++) {
			CHECK_INT(write_with(0, files[f], span_of(texts[i])),
				  EINVAL);
			CHECK_SPAN(text_of(files[f]), buf_span(&old));
			struct timespec from, to;
			clock_gettime(CLOCK_MONOTONIC, &from);
			CHECK_INT(put(files[f], texts[i]), EINVAL);
			clock_gettime(CLOCK_MONOTONIC, &to);
			was_late |= to.tv_sec - from.tv_sec > 1 ||
				    (to.tv_sec - from.tv_sec) * 1000000000L +
						    to.tv_nsec - from.tv_nsec >
					    90000000;
			CHECK_SPAN(text_of(files[f]), buf_span(&old));
			if (!was_late)
				CHECK_KEPT();
		}
		buf_free(&old);
	}
	unmount();
	if (!was_late)
		CHECK_KEPT();
}

static void replaced_in_one_line(void)
{
	mount_fixture(BRANCHES);
	size_t n = session_lines();
	CHECK_INT(put(EIGHT, "better\n"), 0);
	CHECK_INT(session_lines(), n + 1);
	CHECK_LAST("label", "better");
	CHECK_INT(put("name", "other name\n"), 0);
	CHECK_INT(session_lines(), n + 2);
	/* The same again is none. */
	CHECK_INT(put(EIGHT, "better\n"), 0);
	CHECK_INT(session_lines(), n + 2);
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

/* Rules: L2 */
static void line_by_line(void)
{
	mount_fixture(BRANCHES);
	size_t n = session_lines();
	CHECK_INT(put_pieces(O_TRUNC, EIGHT, PIECES("a\n", "b\n")), EINVAL);
	CHECK_FILE(EIGHT, "good\n");
	/* The first line was a label, on the disk; and then the old one again.
	 */
	CHECK_INT(session_lines(), n + 2);
	CHECK_HEAD("by-id/aa000025");
}

static const struct mounts_test tests[] = {
	TEST("a write sets a label, in both views and by-label, and writes one "
	     "line",
	     in_both_views),
	TEST("a label set through tree is seen in by-id at once", through_tree),
	TEST("truncating clears; so does an empty line", cleared),
	TEST("the mode and the owner that a file has can be set, and no others",
	     own_mode_and_owner),
	TEST("labels survive a new mount", survive_a_mount),
	TEST("no newline is needed, and any UTF-8 will do", any_utf8),
	TEST("bad text is EINVAL from write, and the old label stays",
	     bad_text),
	TEST("a refused text in several writes leaves the label of before",
	     bad_text_in_pieces),
	TEST("a label in several pieces is put together", pieces),
	TEST("labels that can't be file names are escaped in by-label",
	     escaped),
	TEST("of two entries with one label by-label shows the one labelled "
	     "last",
	     one_label_twice),
	TEST("a label for a later entry counts when the entry is appended",
	     before_its_entry),
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
	TEST("a refused text writes nothing, and the old label or name stays",
	     refused_writes_nothing),
	TEST("another label in a label's place is one line",
	     replaced_in_one_line),
	TEST("a label that is only emptied is cleared soon, or when anybody "
	     "looks",
	     only_emptied),
	TEST("a label that is emptied is cleared when the mount ends",
	     emptied_at_the_end),
	TEST("labels that are truncated at the same time are all cleared",
	     emptied_at_once),
	TEST("who writes line by line gets the old label back", line_by_line),
};
RUN_TESTS(tests)
