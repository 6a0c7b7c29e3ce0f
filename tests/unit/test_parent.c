#include "core/dialects/kit/parent.h"

#include "core/file/folder_index.h"
#include "core/file/gate.h"
#include "tests/unit/test.h"

static void check_id(const char *path, const char *want)
{
	test_row = path;
	CHECK_SPAN(parent_file_id(span_of(path)), span_of(want));
	test_row = NULL;
}

TEST(check_ids)
{
	check_id("/x/2026-03-01T10-00-00-000Z_0198aaaa-1111.jsonl",
		 "0198aaaa-1111");
	check_id("/x/0198aaaa-1111.jsonl", "0198aaaa-1111");
	check_id("0198aaaa.jsonl", "0198aaaa");
	check_id("/x/0198aaaa-1111.json", "");
	check_id("/x.jsonl/", "x");
	check_id("/x/.jsonl", "");
	check_id("", "");
}

/* A line {'of':ID} tells, one that is marked is passed over. */
static int read_of(struct json line, struct buf *out)
{
	json_decode(out, json_get(line, "of"));
	return json_type(json_get(line, "skip")) == JSON_ABSENT;
}

static void check_read(const char *text, const char *want)
{
	struct log log;
	struct buf got = { 0 };
	test_row = text;
	CHECK_INT(log_open(&log, NULL, test_file("s.jsonl", text)), 0);
	CHECK_INT(parent_read(&log, read_of, &got), 0);
	CHECK_BUF(&got, want);
	log_close(&log);
	buf_free(&got);
	test_row = NULL;
}

TEST(check_reading)
{
	check_read("", "");
	check_read("{'of':'a'}\n{'of':'b'}\n", "a");
	check_read("\xEF\xBB\xBF{'of':'a'}\n", "a");
	check_read("{'skip':1}\n{'of':'b'}\n", "b");
	/* What is no JSON tells nothing. */
	check_read("none\n\n{'of':'b'}\n", "b");
	check_read("{'none':1}\n{'of':'b'}\n", "");
}

/* Lines that begin late are not read. */
TEST(check_limit)
{
	struct buf text = { 0 };
	while (text.len < PARENT_LIMIT)
		buf_adds(&text,
			 "{'skip':'................................'}\n");
	buf_adds(&text, "{'of':'late'}\n");
	check_read(buf_cstr(&text), "");
	buf_free(&text);
}

static void check_find(struct gate *g, const char *path, const char *id,
		       const char *want)
{
	struct folder_index *names = folder_index_new();
	struct versions searched = { 0 };
	const struct finding how = { names, &searched, g };
	struct buf got = { 0 };
	test_row = id;
	CHECK_INT(parent_find_beside(path, span_of(id), &how, &got),
		  *want != '\0');
	CHECK_BUF(&got, *want ? test_path(want) : "");
	/* What comes into the folder is to be news. */
	CHECK_INT(searched.n, 1);
	versions_free(&searched);
	folder_index_free(names);
	buf_free(&got);
	test_row = NULL;
}

TEST(check_finding)
{
	struct gate *g = gate_new();
	test_need(mkdir(test_path("all"), 0700) == 0, "all");
	test_file("all/2026_0198aaaa-1111.jsonl", "");
	test_file("all/0198bbbb.txt", "");
	const char *from = test_path("all/x.jsonl");
	check_find(g, from, "0198aaaa-1111", "all/2026_0198aaaa-1111.jsonl");
	check_find(g, from, "0198aaaa", "");
	check_find(g, from, "0198bbbb", "");
	check_find(g, from, "", "");
	check_find(g, test_path("none/x.jsonl"), "0198aaaa-1111", "");
	gate_free(g);
}

RUN_TESTS("parent")
