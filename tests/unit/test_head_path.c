#include "core/show/step_name.h"

#include <stdlib.h>

#include "tests/unit/test.h"

/*
 * The path is what the parents make, and has that many steps: how many of them
 * are wrong.
 */
static unsigned check_path(const struct session *s)
{
	uint32_t number = 0;
	uint32_t entry = INDEX_NONE;
	unsigned wrong = 0;
	while (head_path_entry(s, number + 1, &entry) == 0)
		number++;
	wrong += head_path_entry(s, 0, &entry) != -ENOENT;
	wrong += head_path_entry(s, number + 1, &entry) != -ENOENT;
	wrong += head_path_entry(s, UINT32_MAX, &entry) != -ENOENT;
	for (uint32_t i = session_head(s); i != INDEX_NONE;
	     i = bookkeeping_shown_parent(&s->now.index, i))
		wrong +=
			head_path_entry(s, number--, &entry) != 0 || entry != i;
	return wrong + (number != 0);
}

/* Any tree, grown by any steps: parents come late, and ids come again. */
static void check_random(bool anew)
{
	struct session *s = test_session(HEADER);
	unsigned wrong = check_path(s);
	for (unsigned n = 0; n < 600; n++) {
		struct buf line = { 0 };
		char parent[16] = "null";
		unsigned id = !anew || test_random() % 15
				      ? n
				      : test_random() % (n + 1);
		unsigned late = anew && test_random() % 15 == 0 ? 3 : 0;
		if (n > 0 && test_random() % 40 != 0)
			snprintf(parent, sizeof(parent), "\"e%u\"",
				 (test_random() % 3 ? n - 1
						    : test_random() % n) +
					 late);
		buf_addf(&line,
			 "{\"type\":\"%s\",\"id\":\"e%u\",\"parentId\":%s}\n",
			 test_random() % 4 == 0 ? "label"
			 : test_random() % 2	? "message"
						: "custom",
			 id, parent);
		session_leave(s);
		test_append("s.jsonl", buf_cstr(&line));
		CHECK_INT(session_enter(s), 0);
		buf_free(&line);
		if (test_random() % 3)
			wrong += check_path(s);
	}
	CHECK_INT(wrong, 0);
	/* Another file in its place. */
	session_leave(s);
	test_file("s.jsonl", HEADER USER("a", "null", "x"));
	CHECK_INT(session_enter(s), 0);
	CHECK_INT(check_path(s), 0);
	test_close(s);
}

int main(void)
{
	check_random(false);
	check_random(true);
	return test_done("head_path");
}
