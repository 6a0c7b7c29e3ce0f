/* The agent's lock; the lines that are written are in the corpus. */
#include "tests/unit/dialect_test.h"

#define CHAIN                                                        \
	OMP_HEADER USER("a", "null", "1") ASSISTANT("b", "'a'", "2") \
		USER("c", "'b'", "3")

/* Somebody holds the agent's lock, and lives. */
TEST(check_busy)
{
	struct session *s = test_session(CHAIN);
	struct buf chain = test_quoted(CHAIN);
	struct buf file = { 0 };
	char owner[32];
	int n = snprintf(owner, sizeof(owner), "%d:99999999999999\n",
			 (int)getpid());
	test_put(test_path(".s.jsonl.lock"), O_TRUNC,
		 (struct span){ owner, (size_t)n });
	CHECK_INT(dialect_move(s, "b"), -EBUSY);
	CHECK_INT(dialect_label(s, "a", "L"), -EBUSY);
	CHECK_SPAN(buf_span(test_read(test_path("s.jsonl"), &file)),
		   buf_span(&chain));
	unlink(test_path(".s.jsonl.lock"));
	CHECK_INT(dialect_move(s, "b"), 0);
	/* The lock has been given back. */
	CHECK_INT(access(test_path(".s.jsonl.lock"), F_OK), -1);
	test_close(s);
	buf_free(&chain);
	buf_free(&file);
}

RUN_TESTS("omp_write")
