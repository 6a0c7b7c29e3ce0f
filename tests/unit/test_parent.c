#include "core/dialects/kit/parent.h"

#include "core/file/folder_index.h"
#include "core/file/gate.h"
#include "tests/unit/tables.h"

TABLE(check_id, "parent/ids")
{
	buf_add(made, parent_file_id(row_field(r, 0)));
}

/* A line {'of':ID} tells, one that is marked is passed over. */
static int read_of(struct json line, struct buf *out)
{
	json_decode(out, json_get(line, "of"));
	return json_type(json_get(line, "skip")) == JSON_ABSENT;
}

static void read_parent(struct span text, struct buf *got)
{
	struct log log;
	test_put(test_path("s.jsonl"), O_TRUNC, text);
	CHECK_INT(log_open(&log, NULL, test_path("s.jsonl")), 0);
	CHECK_INT(parent_read(&log, read_of, got), 0);
	log_close(&log);
}

TABLE(check_read, "parent/lines")
{
	read_parent(row_field(r, 0), made);
}

/* Lines that begin late are not read. */
TEST(check_limit)
{
	struct buf text = { 0 };
	struct buf got = { 0 };
	while (text.len < PARENT_LIMIT)
		buf_adds(&text,
			 "{\"skip\":\"............................\"}\n");
	buf_adds(&text, "{\"of\":\"late\"}\n");
	read_parent(buf_span(&text), &got);
	CHECK_BUF(&got, "");
	buf_free(&got);
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
