/*
 * What can't be said in a file `written` of the corpus, which has the lines
 * that writing makes.
 */
#include "core/dialects/omp/omp.h"
#include "core/json/timestamp.h"
#include "tests/unit/dialect_test.h"

/* A line that is too long for its owner. */
TEST(check_long)
{
	struct writer w;
	struct buf line = { 0 };
	struct session *s = dialect_session(
		"go-tree", "{'id':'a','kind':'turn.user',"
			   "'ts':'2026-03-01T10:00:00Z','payload':{}}\n");
	session_leave(s);
	buf_adds(&line, "{\"role\":\"user\",\"text\":\"");
	buf_fill(&line, 'x', 1 << 20);
	buf_adds(&line, "\"}");
	CHECK_INT(writer_begin(&w, s), 0);
	CHECK_INT(writer_add_entry(&w, buf_span(&line)), -EINVAL);
	writer_end(&w);
	CHECK(s->refused.reason && strstr(s->refused.reason, "1 MiB"));
	session_free(s);
	buf_free(&line);
}

static int name(struct session *s, const char *text)
{
	struct writer w;
	session_leave(s);
	int err = writer_begin(&w, s);
	if (!err) {
		err = writer_set_name(&w, span_of(text));
		writer_end(&w);
	}
	CHECK_INT(session_enter(s), 0);
	return err;
}

/*
 * The agent appends and then writes over its slot, under the time that was seen
 * between the two: in the same tick of the clock, or with the time set first.
 * False if that has taken so long that nobody could look for it any more.
 */
static bool retitle(struct session *s, const char *line, struct span title)
{
	struct buf slot = { 0 };
	/* 2026-03-01T10:00:00.000Z */
	omp_add_slot(&slot, title, (struct json){ 0 }, 1772359200000);
	int64_t began = timestamp_monotonic();
	test_append("s.jsonl", line);
	CHECK_INT(session_enter(s), 0);
	const struct timespec times[2] = { s->log.st.st_mtim,
					   s->log.st.st_mtim };
	session_leave(s);
	int fd = open(test_path("s.jsonl"), O_WRONLY | O_CLOEXEC);
	test_need(pwrite(fd, slot.data, slot.len, 0) == OMP_SLOT_BYTES &&
			  futimens(fd, times) == 0,
		  "s.jsonl");
	close(fd);
	CHECK_INT(session_enter(s), 0);
	bool soon = timestamp_monotonic() - began < 80;
	if (soon)
		CHECK_SPAN(buf_span(&s->now.name), title);
	session_leave(s);
	buf_free(&slot);
	return soon;
}

TEST(check_retitled)
{
	static const char *const lines[] = {
		ENTRY("custom", "z", "'a'", ",'customType':'t'"),
		ENTRY("custom", "y", "'a'", ",'customType':'t'"),
	};
	struct session *s =
		dialect_session("omp", OMP_HEADER USER("a", "null", "1"));
	CHECK_INT(name(s, "one"), 0);
	session_leave(s);
	bool soon = false;
	for (int tries = 0; tries < 50 && !soon; tries++) {
		/* All of what was read anew is looked at for a moment. */
		usleep(150000);
		CHECK_INT(session_enter(s), 0);
		session_leave(s);
		soon = retitle(s, lines[tries % 2],
			       tries % 2 ? SPAN("two") : SPAN("three"));
	}
	CHECK(soon);
	session_free(s);
}

RUN_TESTS("entry")
