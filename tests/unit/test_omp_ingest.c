#include "core/dialects/pi/v1.h"

#include "core/dialects/omp/omp.h"
#include "core/show/info.h"
#include "tests/unit/test.h"

#define SLOT(title, rest)                                \
	"{'type':'title','v':1,'title':'" title "'" rest \
	",'updatedAt':'2026-03-01T10:00:30.000Z','pad':'  '}\n"
#define TITLED(rest)                                          \
	"{'type':'session','version':3,'id':'s','timestamp':" \
	"'2026-03-01T10:00:00.000Z','cwd':'/w'" rest "}\n"

/* What a file is taken for (sessfs-formats(5)), and its name. */
static const struct {
	const char *text;
	const char *dialect;
	const char *reason;
	const char *name;
} files[] = {
	{ SLOT("T", "") HEADER, "omp", "a title slot", "T" },
	{ SLOT("", ",'source':'user'") TITLED(",'title':'H'"), "omp",
	  "a title slot", "" },
	{ SLOT(" T ", ",'source':'auto'") TITLED(",'title':'H'"), "omp",
	  "a title slot", " T " },
	{ TITLED(",'title':'H'"), "omp", "a header with a title", "H" },
	{ TITLED(",'titleSource':'auto'"), "omp", "a header with titleSource",
	  "" },
	{ TITLED(",'previousSessionFiles':[]"), "omp",
	  "a header with previousSessionFiles", "" },
	{ HEADER USER("a", "null", "q") ENTRY("reset_boundary", "b", "'a'", ""),
	  "omp", "a reset_boundary entry", "" },
	{ HEADER ENTRY("model_change", "a", "null", ",'model':'p/m'"), "omp",
	  "a model_change entry with `model`", "" },
	/* The name that Pi gives says nothing here. */
	{ TITLED(",'title':'H'")
		  ENTRY("session_info", "a", "null", ",'name':'N'"),
	  "omp", "a header with a title", "H" },
	{ TITLED(",'title':'H'")
		  ENTRY("title_change", "a", "null", ",'title':'N'"),
	  "omp", "a header with a title", "H" },
	/* Pi's. */
	{ HEADER ENTRY("model_change", "a", "null",
		       ",'provider':'p','modelId':'m'"),
	  "pi", "a header with an id", "" },
	{ HEADER ENTRY("session_info", "a", "null", ",'name':'N'"), "pi",
	  "a header with an id", "N" },
};

static void check_files(void)
{
	for (size_t i = 0; i < COUNT(files); i++) {
		test_row = files[i].text;
		struct session *s = test_session(files[i].text);
		CHECK_SPAN(span_of(s->dialect->name),
			   span_of(files[i].dialect));
		CHECK_SPAN(span_of(s->reason), span_of(files[i].reason));
		CHECK_SPAN(buf_span(&s->now.name), span_of(files[i].name));
		CHECK_INT(session_writable(s), 0);
		test_close(s);
	}
	test_row = NULL;
}

/* Slots that are none; the agent would refuse such a file. */
static const char *const no_slots[] = {
	"{'type':'title','v':2,'title':'T','updatedAt':'x','pad':''}",
	"{'type':'title','v':1,'title':5,'updatedAt':'x','pad':''}",
	"{'type':'title','v':1,'title':'T','updatedAt':'x'}",
	"{'type':'title','v':1,'title':'T','pad':''}",
	"{'type':'title','v':1,'title':'T','updatedAt':'x','pad':'',"
	"'source':'else'}",
	"{'type':'title','v':1,'title':'T','updatedAt':'x','pad':'',"
	"'source':null}",
	"{'type':'other','v':1,'title':'T','updatedAt':'x','pad':''}",
	"[]",
};

static void check_slots(void)
{
	for (size_t i = 0; i < COUNT(no_slots); i++) {
		struct buf text = test_quoted(no_slots[i]);
		struct json v;
		test_row = no_slots[i];
		CHECK_INT(json_check(buf_span(&text), &v), 0);
		CHECK(!omp_is_slot(v));
		buf_free(&text);
	}
	test_row = NULL;
	/* One that is not the first line is what any other line is. */
	struct session *s =
		test_session(HEADER USER("a", "null", "q") SLOT("T", ""));
	CHECK_SPAN(span_of(s->dialect->name), SPAN("pi"));
	CHECK_SPAN(buf_span(&s->now.name), SPAN(""));
	test_close(s);
}

/* Written slots are 256 bytes, whatever the title. */
static void check_written_slots(void)
{
	static const struct {
		const char *title; /* said over and over */
		size_t times;
		size_t fit; /* bytes */
	} rows[] = {
		{ "", 0, 0 },
		{ "T", 1, 1 },
		{ "T", 500, 174 },
		{ "\"", 500, 87 },
		{ "\xF0\x9F\x98\x80", 100, 172 },
		{ "\n", 500, 87 },
		{ "\x01", 500, 29 },
		{ "\xED\xA0\xBD", 500, 87 },
	};
	const struct json time = { .raw = SPAN(
					   "\"2026-03-01T10:00:30.000Z\"") };
	const struct json none = { 0 };
	struct buf title = { 0 };
	struct buf slot = { 0 };
	struct buf read = { 0 };
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct json v;
		buf_clear(&title);
		buf_clear(&slot);
		for (size_t k = 0; k < rows[i].times; k++)
			buf_adds(&title, rows[i].title);
		omp_add_slot(&slot, buf_span(&title), none, time);
		CHECK_INT(slot.len, OMP_SLOT_BYTES);
		CHECK_INT(slot.data[slot.len - 1], '\n');
		CHECK_INT(json_check(buf_span(&slot), &v), 0);
		CHECK(omp_is_slot(v));
		json_decode(&read, json_get(v, "title"));
		CHECK_INT(read.len, rows[i].fit);
		CHECK(span_starts(buf_span(&title), buf_span(&read)));
		buf_clear(&read);
	}
	buf_free(&title);
	buf_free(&slot);
	buf_free(&read);
}

/* A second header is an entry, with its own id and no parent. */
static void check_second_header(void)
{
	struct session *s = test_session(
		SLOT("T", "") HEADER USER("a", "null", "q") TITLED(""));
	struct buf info = { 0 };
	CHECK_ID(s, s->now.leaf, "s");
	CHECK_ID(s, session_head(s), "s");
	CHECK_INT(session_entry(s, s->now.leaf)->parent, INDEX_NONE);
	CHECK_INT(s->now.index.n, 2);
	CHECK_INT(info_add(s, &info), 0);
	CHECK(memmem(info.data, info.len, "headers: 1 (line 4)\n", 20));
	buf_free(&info);
	test_close(s);
}

/* A line counts as far as its first value goes. */
static void check_glued(void)
{
	struct session *s = test_session(
		SLOT("T", "") HEADER
		"{'type':'custom','id':'a','parentId':null}{'type':'custom',"
		"'id':'b','parentId':'a'}\n"
		" {'type':'message','id':'c','parentId':'a','message':{"
		"'role':'user','content':'}{\\\\'}} junk\n"
		"{'type':'custom','id':'d'\n{'id':\n}\n[5]{}\n\"x\"{}\n");
	struct buf line = { 0 };
	struct json json;
	CHECK_INT(s->now.index.n, 2);
	CHECK_ID(s, s->now.leaf, "c");
	CHECK_ID(s, session_entry(s, s->now.leaf)->parent, "a");
	CHECK_INT(session_read(s, s->now.leaf, &line, &json), 0);
	CHECK_SPAN(json_get(json_get(json, "message"), "content").raw,
		   SPAN("\"}{\\\\\""));
	CHECK_INT(s->now.problems.of[PROBLEM_JSON].n, 7);
	buf_free(&line);
	test_close(s);
}

/* A value may go over several lines, and the last one may have no newline. */
static void check_records(void)
{
	struct session *s = test_session(
		SLOT("T", "") HEADER "{'type':'custom',\n'id':'a',\n"
				     "'parentId':null}\n"
				     "{'type':'custom','id':'b','parentId':'a'}"
				     "\001\001");
	CHECK_INT(s->now.index.n, 2);
	CHECK_ID(s, s->now.leaf, "b");
	CHECK_INT(s->now.problems.of[PROBLEM_JSON].n, 1);
	CHECK_INT(s->now.indexed, log_size(&s->log));
	test_close(s);
}

/* Migration knows whole lines only, from the first on. */
static void check_glued_linear(void)
{
	struct session *s = test_session(
		SLOT("T", "") "{'type':'session','id':'s','cwd':'/w'}\n"
			      "{'type':'message','message':{}} junk\n"
			      "{'type':'message','message':{'role':'user'}}\n");
	struct buf file = { 0 };
	CHECK(s->now.linear);
	CHECK_INT(s->now.index.n, 1);
	CHECK_INT(s->dialect->writing->migration->migrate(s, &file), 0);
	buf_free(&file);
	test_close(s);
}

static void check_labels(void)
{
	struct session *s = test_session(SLOT("T", "") HEADER USER(
		"a", "null", "q") ENTRY("label", "b", "'a'",
					",'targetId':'a',"
					"'label':' L '"));
	CHECK_SPAN(session_label(s, test_find(s, "a")), SPAN(" L "));
	CHECK_ID(s, s->now.leaf, "b");
	CHECK_ID(s, session_head(s), "a");
	test_close(s);
}

int main(void)
{
	check_files();
	check_slots();
	check_written_slots();
	check_second_header();
	check_glued();
	check_glued_linear();
	check_records();
	check_labels();
	return test_done("omp_ingest");
}
