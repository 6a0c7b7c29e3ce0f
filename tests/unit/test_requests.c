/* tests/requests: which contexts are what was sent, as the file says. */
#include "tests/requests/requests.h"
#include "tests/unit/dialect_test.h"

#define UUID "c1a0de00-0000-4000-8000-00000000000"

/* Check a session; what is printed, and how many differ. */
static void check(const char *dialect, struct span lines, const char *want,
		  size_t different)
{
	struct buf out = { 0 };
	test_put(test_path("s.jsonl"), O_TRUNC, lines);
	struct session *s = dialect_open("s.jsonl", dialect);
	struct request_check c = { .file = "s.jsonl", .out = &out };
	CHECK_INT(requests_check(s, &c), 0);
	requests_add_count(&c);
	CHECK_SPAN(buf_span(&out), span_of(want));
	CHECK_INT(c.different, different);
	buf_free(&out);
	test_close(s);
}

/* One of Claude Code's in tests/unit/requests/. */
static void check_file(const char *name, const char *want, size_t different)
{
	char path[PATH_MAX];
	const char *root = getenv("ROOT");
	struct buf lines = { 0 };
	snprintf(path, sizeof(path), "%s/tests/unit/requests/%s",
		 root ? root : ".", name);
	check("claude", buf_span(test_read(path, &lines)), want, different);
	buf_free(&lines);
}

int main(void)
{
	check_file("equal.jsonl",
		   "s.jsonl: 3 of 3 recorded requests are the contexts\n", 0);
	/* Other words, another message that is an entry's, another note, and no
	 * base. */
	check_file("different.jsonl",
		   "s.jsonl:3: not the context of " UUID "1: block 1: "
		   "sent \"user\" \"text\":\"hullo\",\"type\":\"text\",, "
		   "here \"user\" \"text\":\"hello\",\"type\":\"text\",\n"
		   "s.jsonl:6: not the context of " UUID "3: block 2: "
		   "sent a message with the hash ffff, here \"assistant\" "
		   "\"text\":\"first\",\"type\":\"text\",\n"
		   "s.jsonl:9: not the context of " UUID "1: note 1: "
		   "sent \"the date\", here nothing\n"
		   "s.jsonl: 0 of 3 recorded requests are the contexts; "
		   "of 1 more the beginning is missing\n",
		   3);
	/* Other agents record none. */
	check("pi", SPAN("{\"type\":\"session\",\"version\":3,\"id\":\"x\"}\n"),
	      "s.jsonl: the agent has recorded no requests here\n", 0);
	return test_done("requests");
}
