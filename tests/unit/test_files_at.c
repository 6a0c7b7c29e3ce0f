/*
 * How versions of files are kept, and what edits have in common. What agents'
 * tools make of files is in the corpus, and in mounts tests/commands/files.md.
 */
#include <stdlib.h>

#include "core/files/edits.h"
#include "core/files/slots.h"
#include "core/files/texts.h"
#include "tests/unit/tables.h"

/* -- slots */

#define SETS 40
#define KEYS 3000

/* Sets that are copies of earlier ones, and are changed then. */
TEST(check_slots)
{
	static uint32_t want[SETS][KEYS];
	struct slots_set sets[SETS] = { { 0, 0 } };
	struct slots s = { 0 };
	for (size_t i = 0; i < SETS; i++) {
		if (i > 0) {
			size_t from = test_random() % i;
			memcpy(want[i], want[from], sizeof(want[i]));
			sets[i] = sets[from];
		}
		slots_share(&s);
		for (int n = 0; n < 30; n++) {
			/* The first keys are small, so that trees grow. */
			uint32_t key =
				test_random() % (i < SETS / 2 ? 20 : KEYS);
			want[i][key] = test_random() % 100;
			CHECK_INT(slots_put(&s, &sets[i], key, want[i][key]),
				  0);
		}
	}
	for (size_t i = 0; i < SETS; i++) {
		for (uint32_t key = 0; key < KEYS; key++)
			CHECK_INT(slots_get(&s, sets[i], key), want[i][key]);
	}
	CHECK_INT(slots_put(&s, &sets[0], UINT32_MAX, 7), 0);
	CHECK_INT(slots_get(&s, sets[0], UINT32_MAX), 7);
	CHECK_INT(slots_get(&s, sets[1], UINT32_MAX), 0);
	slots_free(&s);
}

/* -- texts */

#define VERSIONS 300

static void change(struct file_text *t, struct buf *model)
{
	static const char *const words[] = { "", "a", "two\n", "three three" };
	struct span with = span_of(words[test_random() % 4]);
	size_t at = test_random() % (model->len + 1);
	size_t n = test_random() % (model->len - at + 1);
	struct buf new = { 0 };
	buf_add(&new, (struct span){ model->data, at });
	buf_add(&new, with);
	buf_add(&new,
		(struct span){ model->data + at + n, model->len - at - n });
	if (test_random() % 4 == 0)
		file_text_write(t, buf_span(&new));
	else
		file_text_splice(t, at, n, with);
	buf_free(model);
	*model = new;
}

/* Each version is the text that it was, whichever one it is made from. */
TEST(check_texts)
{
	struct texts texts = { 0 };
	struct buf models[VERSIONS] = { { 0 } };
	uint32_t numbers[VERSIONS] = { 0 };
	for (size_t i = 0; i < VERSIONS; i++) {
		struct text_version v = { 0 };
		struct file_text t;
		size_t from = i > 0 ? test_random() % i : 0;
		v.before = i > 0 ? numbers[from] : 0;
		CHECK_INT(texts_load(&texts, v.before, &t), 0);
		buf_add(&models[i],
			i > 0 ? buf_span(&models[from]) : SPAN("one\n"));
		if (i == 0)
			file_text_write(&t, buf_span(&models[0]));
		for (uint32_t n = test_random() % 4; n > 0; n--)
			change(&t, &models[i]);
		CHECK_INT(texts_put(&texts, &v, &t, &numbers[i]), 0);
	}
	for (size_t i = 0; i < VERSIONS; i++) {
		struct buf got = { 0 };
		CHECK_INT(texts_add(&texts, numbers[i], &got), 0);
		CHECK_SPAN(buf_span(&got), buf_span(&models[i]));
		CHECK_INT(texts_get(&texts, numbers[i])->size, got.len);
		buf_free(&got);
		buf_free(&models[i]);
	}
	texts_free(&texts);
}

/* What is kept of an edit is what it changes, of however large a file. */
TEST(check_cost)
{
	struct texts texts = { 0 };
	struct file_text t;
	struct buf large = { 0 };
	uint32_t number = 0;
	buf_fill(&large, 'x', (size_t)1 << 20);
	CHECK_INT(texts_load(&texts, 0, &t), 0);
	file_text_write(&t, buf_span(&large));
	struct text_version v = { 0 };
	CHECK_INT(texts_put(&texts, &v, &t, &number), 0);
	size_t before = texts.bytes.len;
	for (size_t i = 0; i < 100; i++) {
		v.before = number;
		CHECK_INT(texts_load(&texts, number, &t), 0);
		file_text_splice(&t, i * 1000, 1, SPAN("yz"));
		CHECK_INT(texts_put(&texts, &v, &t, &number), 0);
	}
	CHECK_INT(texts.bytes.len, before + 200);
	buf_free(&large);
	texts_free(&texts);
}

/* -- what was there before */

static struct file_text known(const char *text)
{
	struct file_text t = { 0 };
	file_text_write(&t, span_of(text));
	t.created = false;
	file_text_begin(&t);
	return t;
}

TEST(check_seen)
{
	struct file_text t = { 0 };
	file_text_see(&t, SPAN("one"));
	CHECK(!t.created && !t.outside);
	file_text_splice(&t, 0, 1, SPAN("O"));
	file_text_splice(&t, 0, 1, SPAN("X"));
	CHECK_SPAN(buf_span(&t.before), SPAN("one"));
	file_text_see(&t, SPAN("two"));
	CHECK(t.outside);
	file_text_write(&t, SPAN("two"));
	CHECK(!t.outside);
	file_text_free(&t);
	t = (struct file_text){ .state = FILE_IS_PENDING };
	file_text_write(&t, SPAN("new"));
	CHECK(t.created);
	file_text_free(&t);
	t = (struct file_text){ .state = FILE_IS_PART };
	file_text_write(&t, SPAN("new"));
	CHECK(!t.created);
	file_text_lose(&t, FILE_IS_DELETED);
	file_text_see(&t, SPAN("again"));
	CHECK(t.outside);
	file_text_free(&t);
}

/* -- diffs */

TABLE(check_diff, "files_at/diffs")
{
	struct file_text t = known(row_text(r, 0));
	if (edits_unified(&t, row_field(r, 1), row_is(r, 2, "CR")))
		buf_add(made, buf_span(&t.text));
	else
		buf_adds(made, "does not fit");
	file_text_free(&t);
}

TABLE(check_whole, "files_at/wholes")
{
	if (edits_unified_whole(row_field(r, 0), made))
		return;
	buf_clear(made);
	buf_adds(made, "not whole");
}

/* -- ends of lines */

TEST(check_ends)
{
	struct buf out = { 0 };
	CHECK_INT(edits_line_ends(SPAN("a\nb")), LINE_ENDS_NONE);
	CHECK_INT(edits_line_ends(SPAN("a\r\nb\r\n")), LINE_ENDS_CRLF);
	CHECK_INT(edits_line_ends(SPAN("a\r\nb\n")), LINE_ENDS_MIXED);
	CHECK_INT(edits_line_ends(SPAN("a\rb")), LINE_ENDS_MIXED);
	CHECK_INT(edits_line_ends(SPAN("a\r")), LINE_ENDS_MIXED);
	edits_add_lf(&out, SPAN("a\r\nb\rc\r\n\r\n"));
	CHECK_BUF(&out, "a\nb\rc\n\n");
	buf_clear(&out);
	edits_add_crlf(&out, SPAN("a\nb\r\n\nc"));
	CHECK_BUF(&out, "a\r\nb\r\n\r\nc");
	CHECK_INT(edits_same_lf(SPAN("\xEF\xBB\xBF"
				     "a\r\n"),
				SPAN("a\n")),
		  1);
	CHECK_INT(edits_same_lf(SPAN("a\n"), SPAN("b\n")), 0);
	buf_free(&out);
}

RUN_TESTS("files_at")
