#include "core/session/block.h"

#include "tests/unit/test.h"

static const char type_marks[] = {
	[BLOCK_OTHER] = 'o', [BLOCK_TEXT] = 't',   [BLOCK_THINKING] = 'k',
	[BLOCK_CALL] = 'c',  [BLOCK_RESULT] = 'r', [BLOCK_PICTURE] = 'p',
};

/* A letter for each block, and what text it has. */
static void check(block_reader *read, const char *content, const char *want)
{
	struct buf text = test_quoted(content);
	struct buf got = { 0 };
	struct json v = { 0 };
	struct json raw;
	struct block b;
	test_row = content;
	CHECK_INT(json_check(buf_span(&text), &v), 0);
	struct block_walk w = block_walk(read, v);
	while (block_next(&w, &b, &raw)) {
		buf_addc(&got, got.len > 0 ? ' ' : '|');
		buf_addc(&got, type_marks[b.type]);
		json_decode(&got, b.text);
		json_decode(&got, b.name);
		if (block_has_picture(&b))
			buf_addc(&got, '!');
		CHECK(raw.raw.n > 0);
	}
	CHECK_BUF(&got, want);
	test_row = NULL;
	buf_free(&text);
	buf_free(&got);
}

int main(void)
{
	check(block_read_pi, "'plain'", "|tplain");
	check(block_read_pi, "''", "|t");
	check(block_read_pi, "[]", "");
	check(block_read_pi, "null", "");
	check(block_read_pi, "{'type':'text','text':'x'}", "|tx");
	check(block_read_pi,
	      "[{'type':'text','text':'a'},{'type':'thinking','thinking':'b'},"
	      "{'type':'toolCall','name':'ls'},"
	      "{'type':'image','data':'AA=='},{'type':'image'},"
	      "{'type':'tool_use','name':'n'},{},5,null,'s',[[]]]",
	      "|ta kb cls p! p o o o o o o");
	check(block_read_api,
	      "[{'type':'text','text':'a'},{'type':'thinking','thinking':'b'},"
	      "{'type':'tool_use','name':'ls'},"
	      "{'type':'image','source':{'type':'base64','data':'AA=='}},"
	      "{'type':'image','source':{'type':'url','url':'u'}},"
	      "{'type':'toolCall','name':'n'}]",
	      "|ta kb cls p! p o");
	/* A result is followed by what is in it, one level down. */
	check(block_read_api,
	      "[{'type':'tool_result','content':'s'},"
	      "{'type':'tool_result','content':[{'type':'text','text':'t'},"
	      "{'type':'tool_result','content':'deep'}]},"
	      "{'type':'tool_result'},{'type':'tool_result','content':5},"
	      "{'type':'text','text':'end'}]",
	      "|r ts r tt o o o tend");
	return test_done("block");
}
