#include "core/session/block.h"

#include "tests/unit/tables.h"

static const char type_marks[] = {
	[BLOCK_OTHER] = 'o', [BLOCK_TEXT] = 't',   [BLOCK_THINKING] = 'k',
	[BLOCK_CALL] = 'c',  [BLOCK_RESULT] = 'r', [BLOCK_PICTURE] = 'p',
};

/* A letter for each block, and what text it has. */
TABLE(check_row, "block")
{
	block_reader *read =
		row_is(r, 0, "pi") ? block_read_pi : block_read_api;
	test_row = row_text(r, 1);
	BLOCK_EACH(b, read, row_json(r, 1)) {
		buf_addc(made, made->len > 0 ? ' ' : '|');
		buf_addc(made, type_marks[b.type]);
		json_decode(made, b.text);
		json_decode(made, b.name);
		if (b.type == BLOCK_PICTURE && json_is_string(b.data))
			buf_addc(made, '!');
		CHECK(b.json.raw.n > 0);
	}
}

RUN_TESTS("block")
