#include "core/show/head_path.h"

#include <stdlib.h>

#include "core/session/bookkeeping.h"
#include "tests/unit/test.h"

/* The ids on the way, as "a b c". */
static void check_path(const struct session *s, const char *want)
{
	struct buf got = { 0 };
	uint32_t entry;
	uint32_t n = 0;
	while (head_path_entry(s, n + 1, &entry) == 0) {
		if (n++ > 0)
			buf_addc(&got, ' ');
		buf_add(&got, test_id(s, entry));
	}
	CHECK_INT(head_path_entry(s, 0, &entry), -ENOENT);
	CHECK_INT(head_path_entry(s, n + 1, &entry), -ENOENT);
	CHECK_INT(head_path_entry(s, UINT32_MAX, &entry), -ENOENT);
	CHECK_BUF(&got, want);
	buf_free(&got);
}

static void append(struct session *s, const char *lines, const char *want)
{
	test_row = lines;
	session_leave(s);
	test_append("s.jsonl", lines);
	CHECK_INT(session_enter(s), 0);
	check_path(s, want);
	test_row = NULL;
}

static void check_growing(void)
{
	struct session *s = test_session(HEADER);
	check_path(s, "");
	append(s, USER("a", "null", "x"), "a");
	append(s, USER("b", "'a'", "x") USER("c", "'b'", "x"), "a b c");
	/* Bookkeeping is left out. */
	append(s, ENTRY("label", "l", "'c'", ",'targetId':'a','label':'x'"),
	       "a b c");
	append(s, USER("d", "'l'", "x"), "a b c d");
	/* Another branch, another root, and back. */
	append(s, USER("e", "'b'", "x"), "a b e");
	append(s, USER("f", "null", "x"), "f");
	append(s, USER("g", "'d'", "x"), "a b c d g");
	/* An orphan, whose parent comes later: the epoch ends. */
	append(s, USER("h", "'late'", "x"), "h");
	append(s, USER("late", "'e'", "x") USER("i", "'h'", "x"),
	       "a b e late h i");
	/* Another parent for a known id. */
	append(s, USER("e", "'f'", "x") USER("j", "'i'", "x"),
	       "f e late h i j");
	test_close(s);
}

static void check_rewritten(void)
{
	struct session *s = test_session(HEADER USER("a", "null", "x")
						 USER("b", "'a'", "x"));
	check_path(s, "a b");
	session_leave(s);
	test_file("s.jsonl", HEADER USER("c", "null", "x"));
	CHECK_INT(session_enter(s), 0);
	check_path(s, "c");
	test_close(s);
}

/* Any tree, grown by any steps, has the path that the parents make. */
static void check_random(void)
{
	struct session *s = test_session(HEADER);
	unsigned wrong = 0;
	for (unsigned n = 0; n < 600; n++) {
		struct buf line = { 0 };
		char parent[16] = "null";
		if (n > 0 && test_random() % 40 != 0)
			snprintf(parent, sizeof(parent), "\"e%u\"",
				 test_random() % 3 ? n - 1 : test_random() % n);
		buf_addf(&line,
			 "{\"type\":\"%s\",\"id\":\"e%u\",\"parentId\":%s}\n",
			 test_random() % 4 ? "custom" : "label", n, parent);
		session_leave(s);
		test_append("s.jsonl", buf_cstr(&line));
		CHECK_INT(session_enter(s), 0);
		buf_free(&line);
		if (test_random() % 3 == 0)
			continue;
		uint32_t number = 0;
		uint32_t entry = INDEX_NONE;
		while (head_path_entry(s, number + 1, &entry) == 0)
			number++;
		for (uint32_t i = session_head(s); i != INDEX_NONE;
		     i = bookkeeping_shown_parent(&s->now.index, i))
			wrong += head_path_entry(s, number--, &entry) != 0 ||
				 entry != i;
		wrong += number != 0;
	}
	CHECK_INT(wrong, 0);
	test_close(s);
}

int main(void)
{
	check_growing();
	check_rewritten();
	check_random();
	return test_done("head_path");
}
