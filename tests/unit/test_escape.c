#include "core/base/escape.h"

#include "tests/unit/test.h"

static void check_length(void)
{
	static const struct {
		struct span text;
		size_t length;
	} rows[] = {
		{ SPAN(""), 0 },
		{ SPAN("a"), 0 },
		{ SPAN("\033"), 0 },
		{ SPAN("\033\0x\007"), 0 },
		/* CSI */
		{ SPAN("\033[m"), 3 },
		{ SPAN("\033[42;30mgreen"), 8 },
		{ SPAN("\033[38:2::1:2:3mx"), 14 },
		{ SPAN("\033[?25lx"), 6 },
		{ SPAN("\033[2 qx"), 5 },
		{ SPAN("\033[12;"), 5 },
		{ SPAN("\033["), 2 },
		{ SPAN("\033[1\nm"), 0 },
		{ SPAN("\033[1\303\244m"), 0 },
		{ SPAN("\302\23331mx"), 5 },
		/* Strings */
		{ SPAN("\033]0;title\007x"), 10 },
		{ SPAN("\033]0;t\303\244\033\\x"), 9 },
		{ SPAN("\033]0;t\302\234x"), 7 },
		{ SPAN("\302\2350;t\033\\x"), 7 },
		{ SPAN("\033Pq\033\\x"), 5 },
		{ SPAN("\033_x\033\\x"), 5 },
		{ SPAN("\033]8;;http://a\033\\link\033]8;;\033\\"), 15 },
		{ SPAN("\033]0;title"), 0 },
		{ SPAN("\033]0;title\n\007"), 0 },
		{ SPAN("\033]0;\033[m\007"), 0 },
		{ SPAN("\033]0;\302\23331m\007"), 0 },
		{ SPAN("\302\2350;\302\2350;t\007"), 0 },
		/* Others */
		{ SPAN("\033(Bx"), 3 },
		{ SPAN("\033=x"), 2 },
		{ SPAN("\033cx"), 2 },
		{ SPAN("\033("), 0 },
		{ SPAN("\033\n"), 0 },
		{ SPAN("\302\205x"), 0 },
		{ SPAN("\302"), 0 },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		test_row = rows[i].text.p;
		CHECK_INT(escape_length(rows[i].text), rows[i].length);
	}
	test_row = NULL;
}

static void check_plain(void)
{
	static const struct {
		struct span text;
		const char *plain;
	} rows[] = {
		{ SPAN(""), "" },
		{ SPAN("plain \303\244\302\265"), "plain \303\244\302\265" },
		{ SPAN("\033[42;30m PASS \033[m wc\n\tx"), " PASS  wc\n\tx" },
		{ SPAN("\033[1mbo\033[22mld"), "bold" },
		{ SPAN("a\r\nb\bc\177d\302\205e"), "a\nbcde" },
		{ SPAN("\033]0;no end"), "]0;no end" },
		{ SPAN("cut \033[3"), "cut " },
		{ SPAN("NUL\0."), "NUL." },
		{ SPAN("\033]8;;u\033\\link\033]8;;\033\\."), "link." },
	};
	struct buf out = { 0 };
	for (size_t i = 0; i < COUNT(rows); i++) {
		test_row = rows[i].plain;
		escape_add_plain(&out, rows[i].text);
		CHECK_BUF(&out, rows[i].plain);
		buf_clear(&out);
	}
	test_row = NULL;
	buf_free(&out);
}

int main(void)
{
	check_length();
	check_plain();
	return test_done("escape");
}
