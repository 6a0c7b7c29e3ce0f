#include "core/show/step_name.h"

#include "core/session/file_name.h"
#include "tests/unit/tables.h"

#define ACUTE "\xCC\x81" /* combining */
static struct columns columns;

static void check_squeezed(struct row *r, struct buf *made)
{
	step_name_squeeze(&columns, made, row_field(r, 0), row_text(r, 1),
			  strtoul(row_text(r, 2), NULL, 10),
			  strtoul(row_text(r, 3), NULL, 10));
}

static void check_number(struct row *r, struct buf *made)
{
	bool whole = true;
	uint32_t number = step_name_number(row_field(r, 0), &whole);
	buf_addf(made, number ? "%u" : "none", number);
	buf_adds(made, number && !whole ? " and more" : "");
}

static void check_name(const struct session *s, const char *id,
		       const char *want)
{
	struct buf b = { 0 };
	test_row = id;
	CHECK_INT(step_name_add(s, 12, test_find(s, id), &b), 0);
	CHECK_BUF(&b, want);
	buf_free(&b);
	test_row = NULL;
}

static void check_names(void)
{
	struct session *s = test_session(
		HEADER USER("a", "null", "Write a word counter, in C!")
			ASSISTANT("b", "'a'", "...") MESSAGE(
				"c", "'b'", "x/y\\n z", ",'content':'w'")
				MESSAGE("d", "'c'", "../..", "")
					MESSAGE("e", "'d'", "system",
						",'content':'You are Pi.'"));
	check_name(s, "a", "0012-user-Write-a-word-counter-in-C");
	check_name(s, "b", "0012-assistant");
	check_name(s, "c", "0012-x-y-z-w");
	check_name(s, "d", "0012-unknown");
	/* Nobody said it. */
	check_name(s, "e", "0012-system");
	test_close(s);
}

/* Letters with many marks: the name is cut before one, at 255 bytes. */
static void check_long(void)
{
	struct buf text = { 0 };
	struct buf name = { 0 };
	buf_adds(&text, HEADER "{'type':'message','id':'a','parentId':null,"
			       "'message':{'role':'user','content':'");
	for (int i = 0; i < 30; i++)
		buf_adds(&text, "e" ACUTE ACUTE ACUTE ACUTE ACUTE);
	buf_adds(&text, "'}}\n");
	struct session *s = test_session(buf_cstr(&text));
	CHECK_INT(step_name_add(s, 1, 0, &name), 0);
	CHECK(name.len <= FILE_NAME_LIMIT && name.len > FILE_NAME_LIMIT - 11);
	CHECK_INT((name.len - strlen("0001-user-")) % 11, 0);
	test_close(s);
	buf_free(&text);
	buf_free(&name);
}

int main(void)
{
	columns_begin(&columns);
	rows_check("step_name/squeezed", check_squeezed);
	columns_end(&columns);
	rows_check("step_name/numbers", check_number);
	check_names();
	check_long();
	return test_done("step_name");
}
