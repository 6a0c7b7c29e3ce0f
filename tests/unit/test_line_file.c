#include "fs/edit/line_file.h"

#include <signal.h>

#include "tests/unit/tree_test.h"

static const struct {
	const char *text;
	bool valid;
} rows[] = {
	{ "", true },
	{ "a", true },
	{ "two words", true },
	{ "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x99\x82", true },
	{ "\xC2\xA0", true },
	{ "a\nb", false },
	{ "a\n", false },
	{ "\t", false },
	{ "\x01", false },
	{ "\x7F", false },
	{ "\xC2\x80", false }, /* a C1 control character */
	{ "\xC2\x9F", false },
	{ "\xFF", false },
	{ "\xC3", false },
	{ "\xED\xA0\x80", false }, /* half of a surrogate pair */
};

static void check_valid(void)
{
	char longest[LINE_FILE_MAX + 1];
	for (size_t i = 0; i < COUNT(rows); i++) {
		test_row = rows[i].text;
		CHECK_INT(line_file_is_valid(span_of(rows[i].text)),
			  rows[i].valid);
	}
	test_row = NULL;
	CHECK(!line_file_is_valid(SPAN("a\0b")));
	memset(longest, 'x', sizeof(longest));
	CHECK(line_file_is_valid((struct span){ longest, LINE_FILE_MAX }));
	CHECK(!line_file_is_valid((struct span){ longest, sizeof(longest) }));
}

#define LABEL "by-id/aa000003/label"

/* The label lines in the session file. */
static size_t count_lines(void)
{
	struct buf bytes = { 0 };
	size_t n = 0;
	test_read(test_path("s.jsonl"), &bytes);
	for (size_t i = 0; i < bytes.len; i++)
		n += bytes.data[i] == '\n';
	buf_free(&bytes);
	return n;
}

static void write_at(struct tree_test *t, uint64_t ino, uint64_t offset,
		     const char *text, int err)
{
	CHECK_INT(line_file_write(&t->edit, ino, offset, span_of(text)), err);
}

static void check_write(struct tree_test *t)
{
	uint64_t ino = tree_test_find(t, LABEL);
	size_t lines = count_lines();
	write_at(t, ino, 0, "first\n", 0);
	CHECK_FILE(t, LABEL, "first\n");
	CHECK_FILE(t, "by-label/first", "../by-id/aa000003");
	CHECK_INT(count_lines(), lines + 1);
	/* The bytes from the offset on are replaced. */
	write_at(t, ino, 2, "x", 0);
	CHECK_FILE(t, LABEL, "fix\n");
	line_edits_end(&t->edit.lines, ino);
	/* A refused write changes nothing. */
	lines = count_lines();
	write_at(t, ino, 0, "a\nb\n", -EINVAL);
	write_at(t, ino, 99, "far", -EINVAL);
	CHECK_FILE(t, LABEL, "fix\n");
	CHECK_INT(count_lines(), lines);
	/* Only the name and labels can be written to. */
	write_at(t, tree_test_find(t, "info"), 0, "x", -EPERM);
	write_at(t, 0, 0, "x", -ESTALE);
}

/* What was written in pieces is undone when a later piece is refused. */
static void check_pieces(struct tree_test *t)
{
	uint64_t ino = tree_test_find(t, LABEL);
	CHECK_INT(line_file_truncate(&t->edit, ino, 0, true), 0);
	write_at(t, ino, 0, "one\n", 0);
	write_at(t, ino, 4, "two\n", -EINVAL);
	CHECK_FILE(t, LABEL, "fix\n");
}

/* A write replaces the truncation before it: one line is appended. */
static void check_deferred(struct tree_test *t)
{
	uint64_t ino = tree_test_find(t, LABEL);
	size_t lines = count_lines();
	unsigned deferred = t->deferred;
	CHECK_INT(line_file_truncate(&t->edit, ino, 0, true), 0);
	CHECK_INT(t->deferred, deferred + 1);
	CHECK_INT(count_lines(), lines);
	CHECK(line_edits_due(&t->edit.lines) != INT64_MAX);
	write_at(t, ino, 0, "new", 0);
	CHECK_INT(line_edits_due(&t->edit.lines), INT64_MAX);
	CHECK_FILE(t, LABEL, "new\n");
	CHECK_INT(count_lines(), lines + 1);
	/* Any other request applies it. */
	CHECK_INT(line_file_truncate(&t->edit, ino, 0, true), 0);
	CHECK_INT(count_lines(), lines + 1);
	CHECK_FILE(t, LABEL, "");
	CHECK_INT(count_lines(), lines + 2);
	CHECK_INT(line_edits_due(&t->edit.lines), INT64_MAX);
	/* ftruncate(2) is applied at once. */
	write_at(t, ino, 0, "again", 0);
	CHECK_INT(line_file_truncate(&t->edit, ino, 0, false), 0);
	CHECK_INT(count_lines(), lines + 4);
}

/* What could not be written is no part of a later write. */
static void check_failed(struct tree_test *t)
{
	uint64_t ino = tree_test_find(t, LABEL);
	struct rlimit was;
	struct stat st;
	write_at(t, ino, 0, "abc\n", 0);
	test_need(stat(test_path("s.jsonl"), &st) == 0, "stat");
	test_need(getrlimit(RLIMIT_FSIZE, &was) == 0, "getrlimit");
	const struct rlimit full = { (rlim_t)st.st_size, was.rlim_max };
	signal(SIGXFSZ, SIG_IGN);
	test_need(setrlimit(RLIMIT_FSIZE, &full) == 0, "setrlimit");
	write_at(t, ino, 0, "wxyz\n", -EFBIG);
	CHECK_INT(line_file_truncate(&t->edit, ino, 0, true), 0);
	write_at(t, ino, 0, "wxyz\n", -EFBIG);
	/* A truncation that fails is told of, as nobody waits for it. */
	CHECK_INT(line_file_truncate(&t->edit, ino, 0, true), 0);
	line_file_apply(&t->edit, LINE_EDITS_ALL, INT64_MAX, true);
	CHECK_INT(t->restored, 1);
	test_need(setrlimit(RLIMIT_FSIZE, &was) == 0, "setrlimit");
	CHECK_FILE(t, LABEL, "abc\n");
	/* Behind the newline, as >> does. */
	line_edits_end(&t->edit.lines, ino);
	write_at(t, ino, 4, "!", -EINVAL);
	CHECK_FILE(t, LABEL, "abc\n");
	write_at(t, ino, 3, "d", 0);
	CHECK_FILE(t, LABEL, "abcd\n");
}

static void check_name(struct tree_test *t)
{
	write_at(t, tree_test_find(t, "name"), 0, "a name\n", 0);
	CHECK_FILE(t, "name", "a name\n");
}

/* The session was replaced before a truncation was applied. */
static void check_replaced(struct tree_test *t)
{
	uint64_t ino = tree_test_find(t, "by-id/aa000002/label");
	CHECK_INT(line_file_truncate(&t->edit, ino, 0, true), 0);
	test_need(unlink(test_path("s.jsonl")) == 0, "unlink");
	test_file("s.jsonl", HEADER USER("bb000001", "null", "other"));
	line_file_apply(&t->edit, LINE_EDITS_ALL, INT64_MAX, true);
	CHECK_INT(line_edits_due(&t->edit.lines), INT64_MAX);
	CHECK_INT(t->restored, 2);
}

int main(void)
{
	struct tree_test t;
	check_valid();
	tree_test_open(&t, test_file("s.jsonl", TREE_SESSION));
	check_write(&t);
	check_pieces(&t);
	check_deferred(&t);
	check_failed(&t);
	check_name(&t);
	check_replaced(&t);
	tree_test_close(&t);
	return test_done("line_file");
}
