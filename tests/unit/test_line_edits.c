#include "fs/edit/line_edits.h"

#include "core/json/timestamp.h"
#include "tests/unit/test.h"

static const struct span none = { "", 0 };

static bool is_active(struct line_edits *e, uint64_t ino)
{
	const struct line_edit *edit = line_edits_lock(e, ino);
	bool active = edit && !edit->ended;
	line_edits_unlock(e, edit);
	return active;
}

static bool is_result(struct line_edits *e, uint64_t ino, struct span line)
{
	const struct line_edit *edit = line_edits_lock(e, ino);
	bool is = line_edit_has(edit, line);
	line_edits_unlock(e, edit);
	return is;
}

static void postpone(struct line_edits *e, uint64_t ino, int64_t ms)
{
	struct line_edit *edit = line_edits_lock(e, ino);
	if (CHECK(edit))
		edit->due = timestamp_monotonic() + ms;
	line_edits_unlock(e, edit);
}

/* The only file of a place with a pending truncation; 0: none. */
static uint64_t next_of(struct line_edits *e, uint32_t home)
{
	uint64_t inos[LINE_EDITS];
	size_t n = line_edits_list_due(e, home, INT64_MAX, inos);
	CHECK(n <= 1);
	return n > 0 ? inos[0] : 0;
}

/* Open with O_TRUNC, and two writes; the second is refused. */
TEST(check_undo)
{
	struct line_edits e = { .lock = PTHREAD_MUTEX_INITIALIZER };
	struct buf before = { 0 };
	CHECK(!is_active(&e, 7));
	line_edits_begin(&e, 7, true, SPAN("old"), none);
	CHECK(is_active(&e, 7));
	CHECK(is_result(&e, 7, SPAN("old")));
	line_edits_begin(&e, 7, false, SPAN("old"), none);
	line_edits_set(&e, 7, SPAN("one"), SPAN("one "));
	line_edits_begin(&e, 7, false, SPAN("one"), SPAN("one "));
	CHECK(line_edits_get_bytes(&e, 7, SPAN("one"), &before));
	CHECK_BUF(&before, "one ");
	CHECK(!line_edits_get_bytes(&e, 7, SPAN("other"), &before));
	CHECK(line_edits_undo(&e, 7, SPAN("one"), &before));
	CHECK_BUF(&before, "old");
	CHECK(!is_active(&e, 7));
	CHECK(!line_edits_undo(&e, 7, SPAN("one"), &before));
	/* Not if somebody else has set another line meanwhile. */
	line_edits_begin(&e, 7, true, SPAN("old"), none);
	line_edits_set(&e, 7, SPAN("one"), SPAN("one"));
	CHECK(!line_edits_undo(&e, 7, SPAN("other"), &before));
	CHECK_INT(before.len, 0);
	buf_free(&before);
	line_edits_free(&e);
}

/* A GETATTR ends an edit, but not a truncation without a write. */
TEST(check_end)
{
	struct line_edits e = { .lock = PTHREAD_MUTEX_INITIALIZER };
	struct buf before = { 0 };
	line_edits_end(&e, 7);
	line_edits_begin(&e, 7, true, SPAN("old"), none);
	line_edits_end(&e, 7);
	CHECK(is_active(&e, 7));
	line_edits_begin(&e, 7, false, SPAN("old"), none);
	line_edits_end(&e, 7);
	CHECK(!is_active(&e, 7));
	CHECK(!line_edits_undo(&e, 7, SPAN("old"), &before));
	buf_free(&before);
	line_edits_free(&e);
}

TEST(check_pending)
{
	struct line_edits e = { .lock = PTHREAD_MUTEX_INITIALIZER };
	uint64_t inos[LINE_EDITS];
	CHECK(!line_edits_any_pending(&e));
	CHECK_INT(line_edits_due(&e), INT64_MAX);
	CHECK(!line_edits_defer(&e, 7, 1, 100));
	line_edits_begin(&e, 7, true, SPAN("a"), none);
	line_edits_begin(&e, 8, true, SPAN("b"), none);
	int64_t now = timestamp_monotonic();
	CHECK(line_edits_defer(&e, 7, 1, 100000));
	CHECK(line_edits_defer(&e, 7, 1, 200000));
	CHECK(line_edits_defer(&e, 8, 2, 50000));
	CHECK(line_edits_any_pending(&e));
	CHECK(line_edits_is_pending(&e, 7));
	CHECK(!line_edits_is_pending(&e, 9));
	CHECK(line_edits_due(&e) >= now + 50000);
	CHECK(line_edits_due(&e) < now + 100000);
	CHECK_INT(next_of(&e, 1), 7);
	CHECK_INT(next_of(&e, 2), 8);
	CHECK_INT(next_of(&e, 3), 0);
	CHECK_INT(line_edits_list_due(&e, LINE_EDITS_ALL, now, inos), 0);
	CHECK_INT(line_edits_list_due(&e, LINE_EDITS_ALL, now + 90000, inos),
		  1);
	CHECK_INT(inos[0], 8);
	CHECK_INT(line_edits_list_due(&e, LINE_EDITS_ALL, INT64_MAX, inos), 2);
	postpone(&e, 8, 100000);
	CHECK(line_edits_due(&e) >= now + 100000);
	CHECK(line_edits_undefer(&e, 8));
	CHECK(!line_edits_undefer(&e, 8));
	CHECK_INT(next_of(&e, 2), 0);
	CHECK(line_edits_due(&e) >= now + 100000);
	CHECK(line_edits_undefer(&e, 7));
	CHECK(!line_edits_any_pending(&e));
	CHECK_INT(line_edits_list_due(&e, LINE_EDITS_ALL, INT64_MAX, inos), 0);
	line_edits_free(&e);
}

/* The oldest edit makes room, but never a pending one. */
TEST(check_slots)
{
	struct line_edits e = { .lock = PTHREAD_MUTEX_INITIALIZER };
	for (uint64_t ino = 1; ino <= LINE_EDITS; ino++)
		line_edits_begin(&e, ino, true, none, none);
	CHECK(line_edits_defer(&e, 1, 1, 100));
	line_edits_begin(&e, 100, true, none, none);
	CHECK(is_active(&e, 1));
	CHECK(!is_active(&e, 2));
	CHECK(is_active(&e, 100));
	for (uint64_t ino = 3; ino <= LINE_EDITS; ino++)
		CHECK(line_edits_defer(&e, ino, 1, 100));
	CHECK(line_edits_defer(&e, 100, 1, 100));
	line_edits_begin(&e, 200, true, none, none);
	CHECK(!is_active(&e, 200));
	CHECK(!line_edits_defer(&e, 200, 1, 100));
	line_edits_free(&e);
}

RUN_TESTS("line_edits")
