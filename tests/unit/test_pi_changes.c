/* What goes wrong in the middle of a change; the lines are in the corpus. */
#include "core/dialects/pi/pi.h"

#include "tests/unit/dialect_test.h"

#define CHAIN                                                    \
	HEADER USER("a", "null", "1") ASSISTANT("b", "'a'", "2") \
		USER("c", "'b'", "3")

static int move(struct session *s, const char *id)
{
	struct writer w;
	int err = writer_begin(&w, s);
	if (err)
		return err;
	err = writer_set_head(&w, test_find(s, id));
	writer_end(&w);
	return err;
}

static int label(struct session *s, const char *id, struct span text)
{
	struct writer w;
	int err = writer_begin(&w, s);
	if (err)
		return err;
	err = writer_set_label(&w, test_find(s, id), text);
	writer_end(&w);
	return err;
}

static void check_head_is(struct session *s, const char *id)
{
	CHECK_INT(session_enter(s), 0);
	CHECK_ID(s, session_head(s), id);
	session_leave(s);
	/* As somebody sees it who opens the file now. */
	struct session *fresh = test_open(s->log.path);
	CHECK_INT(session_enter(fresh), 0);
	CHECK_ID(fresh, session_head(fresh), id);
	test_close(fresh);
}

static void check_read_only(void)
{
	struct session *s = NULL;
	const char *reason;
	const struct session_opening how = { .dialects = &dialect_registry,
					     .read_only = true };
	CHECK_INT(session_open(&s, test_file("s.jsonl", CHAIN), &how, &reason),
		  0);
	CHECK_INT(move(s, "-"), -EROFS);
	CHECK_INT(label(s, "a", SPAN("x")), -EROFS);
	/* The lock and the session are free again. */
	CHECK_INT(session_enter(s), 0);
	session_leave(s);
	struct buf want = test_quoted(CHAIN);
	struct buf got = { 0 };
	CHECK_SPAN(buf_span(test_read(s->log.path, &got)), buf_span(&want));
	session_free(s);
	buf_free(&want);
	buf_free(&got);
}

/* No room, or not enough: the file and the session stay as they were. */
static void check_no_room(void)
{
	struct buf before = { 0 };
	struct buf after = { 0 };
	static const char *const tails[] = { "",
					     "{'type':'message','id':'d'}" };
	for (size_t row = 0; row < COUNT(tails); row++) {
		const char *path = test_file("s.jsonl", CHAIN);
		test_append("s.jsonl", tails[row]);
		test_read(path, &before);
		struct session *s = test_open(path);
		const char *head = row ? "d" : "c";
		for (rlim_t more = 0; more < 100; more += 33) {
			test_limit_size(before.len + more);
			int err = move(s, "a");
			CHECK(err == -EFBIG || err == -ENOSPC);
			err = label(s, "a", SPAN("x"));
			CHECK(err == -EFBIG || err == -ENOSPC);
			test_limit_size(RLIM_INFINITY);
			CHECK_SPAN(buf_span(test_read(path, &after)),
				   buf_span(&before));
			check_head_is(s, head);
		}
		CHECK_INT(move(s, "a"), 0);
		check_head_is(s, "a");
		session_free(s);
	}
	buf_free(&before);
	buf_free(&after);
}

/* Between begin and end the decision holds: what was appended is seen. */
static void check_begin(void)
{
	struct session *s = test_open(test_file("s.jsonl", CHAIN));
	struct writer w;
	test_append("s.jsonl", USER("d", "'a'", "4"));
	CHECK_INT(writer_begin(&w, s), 0);
	CHECK_ID(s, session_head(s), "d");
	/* Several changes at once. */
	CHECK_INT(writer_set_label(&w, test_find(s, "a"), SPAN("x")), 0);
	CHECK_INT(writer_set_label(&w, test_find(s, "b"), SPAN("y")), 0);
	CHECK_INT(writer_set_head(&w, test_find(s, "b")), 0);
	CHECK_ID(s, session_head(s), "b");
	writer_end(&w);
	check_head_is(s, "b");
	session_free(s);
}

int main(void)
{
	check_read_only();
	check_no_room();
	check_begin();
	return test_done("pi_changes");
}
