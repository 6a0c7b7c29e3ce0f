#include "core/dialects/pi/pi.h"

#include <signal.h>

#include "tests/unit/dialect_test.h"

#define CHAIN                                                    \
	HEADER USER("a", "null", "1") ASSISTANT("b", "'a'", "2") \
		USER("c", "'b'", "3")

static bool is_string(struct json v, const char *want)
{
	return json_is(v, span_of(want));
}

/* A new id: eight hex digits. */
static bool is_new_id(struct json v)
{
	bool ok = json_type(v) == JSON_STRING && v.raw.n == 10;
	for (size_t i = 1; ok && i < 9; i++)
		ok = strchr("0123456789abcdef", v.raw.p[i]) != NULL;
	return ok;
}

/* Members of an object, in all. */
static size_t count(struct json v)
{
	struct json_walk w = json_walk(v);
	struct json key;
	struct json value;
	size_t n = 0;
	while (json_next_member(&w, &key, &value))
		n++;
	return n;
}

/* What was appended to `before`: one line, parsed. */
static struct json appended(struct buf *before, struct buf *after)
{
	struct json line = { 0 };
	test_read(test_path("s.jsonl"), after);
	if (!CHECK(span_starts(buf_span(after), buf_span(before))))
		return line;
	struct span rest = { after->data + before->len,
			     after->len - before->len };
	CHECK(rest.n > 0 && rest.p[rest.n - 1] == '\n');
	CHECK(rest.n > 0 && !memchr(rest.p, '\n', rest.n - 1));
	CHECK_INT(json_check(rest, &line), 0);
	return line;
}

static int move(struct session *s, const char *id)
{
	struct writer w;
	int err = writer_begin(&w, s);
	if (err)
		return err;
	err = writer_set_head(&w, test_find(s, id));
	writer_end(&w);
	return err;
}

static int label(struct session *s, const char *id, struct span text)
{
	struct writer w;
	int err = writer_begin(&w, s);
	if (err)
		return err;
	err = writer_set_label(&w, test_find(s, id), text);
	writer_end(&w);
	return err;
}

static void check_head_is(struct session *s, const char *id)
{
	CHECK_INT(session_enter(s), 0);
	CHECK_ID(s, session_head(s), id);
	session_leave(s);
	/* As somebody sees it who opens the file now. */
	struct session *fresh = test_open(s->log.path);
	CHECK_INT(session_enter(fresh), 0);
	CHECK_ID(fresh, session_head(fresh), id);
	test_close(fresh);
}

static void check_head_line(void)
{
	struct buf before = { 0 };
	struct buf after = { 0 };
	static const char *const targets[] = { "b", "a", "-", "c" };
	struct session *s = test_open(test_file("s.jsonl", CHAIN));
	struct buf leaf = { 0 };
	buf_adds(&leaf, "c");
	for (size_t i = 0; i < COUNT(targets); i++) {
		test_row = targets[i];
		test_read(test_path("s.jsonl"), &before);
		uint32_t epoch = s->epoch;
		CHECK_INT(move(s, targets[i]), 0);
		struct json v = appended(&before, &after);
		CHECK_INT(count(v), 6);
		CHECK(is_string(json_get(v, "type"), "custom"));
		CHECK(is_string(json_get(v, "customType"), "sessfs.head"));
		CHECK(is_new_id(json_get(v, "id")));
		CHECK(dialect_is_now(json_get(v, "timestamp")));
		CHECK_INT(count(json_get(v, "data")), 1);
		CHECK(is_string(json_get(json_get(v, "data"), "from"),
				buf_cstr(&leaf)));
		if (targets[i][0] == '-')
			CHECK_INT(json_type(json_get(v, "parentId")),
				  JSON_NULL);
		else
			CHECK(is_string(json_get(v, "parentId"), targets[i]));
		check_head_is(s, targets[i]);
		CHECK_INT(s->epoch, epoch);
		buf_clear(&leaf);
		json_decode(&leaf, json_get(v, "id"));

		/* There already: nothing is written. */
		CHECK_INT(move(s, targets[i]), 0);
		CHECK_SPAN(buf_span(test_read(test_path("s.jsonl"), &before)),
			   buf_span(&after));
	}
	test_row = NULL;
	/* The agent appends: the later write wins. */
	test_append("s.jsonl", USER("d", "'c'", "4"));
	check_head_is(s, "d");
	session_free(s);
	buf_free(&before);
	buf_free(&after);
	buf_free(&leaf);
}

/* What is at the file's end already needs no line, whatever it is. */
static void check_nothing_to_write(void)
{
	static const struct {
		const char *lines;
		const char *target;
	} rows[] = {
		{ CHAIN, "c" },
		{ HEADER, "-" },
		{ "", "-" },
		{ CHAIN ENTRY("label", "l", "'c'",
			      ",'targetId':'a','label':'x'"),
		  "c" },
		/* sessfs-formats(5): the target is last in the file. */
		{ CHAIN ENTRY("label", "l", "'c'",
			      ",'targetId':'a','label':'x'"),
		  "l" },
		{ CHAIN ENTRY("custom", "h", "'a'",
			      ",'customType':'sessfs.head'"),
		  "h" },
	};
	struct buf before = { 0 };
	struct buf after = { 0 };
	for (size_t i = 0; i < COUNT(rows); i++) {
		test_row = rows[i].target;
		const char *path = test_file("s.jsonl", rows[i].lines);
		test_read(path, &before);
		struct session *s = test_open(path);
		int err = move(s, rows[i].target);
		CHECK(err == 0 || rows[i].lines[0] == '\0');
		CHECK_SPAN(buf_span(test_read(path, &after)),
			   buf_span(&before));
		session_free(s);
	}
	test_row = NULL;
	buf_free(&before);
	buf_free(&after);
}

static void check_label_line(void)
{
	static const struct {
		const char *id;
		struct span text;
	} rows[] = {
		{ "a", SPAN("tested") },
		{ "a", SPAN("again") },
		{ "b", SPAN("again") },
		{ "a", SPAN("") },
		{ "c", SPAN("\"q\" \\ / \xC3\xA4 \xF0\x9F\x98\x80 %s") },
	};
	struct buf before = { 0 };
	struct buf after = { 0 };
	struct buf leaf = { 0 };
	struct session *s = test_open(test_file("s.jsonl", CHAIN));
	buf_adds(&leaf, "c");
	for (size_t i = 0; i < COUNT(rows); i++) {
		test_row = rows[i].text.p;
		test_read(test_path("s.jsonl"), &before);
		CHECK_INT(label(s, rows[i].id, rows[i].text), 0);
		struct json v = appended(&before, &after);
		bool clears = rows[i].text.n == 0;
		CHECK_INT(count(v), clears ? 5 : 6);
		CHECK(is_string(json_get(v, "type"), "label"));
		CHECK(is_new_id(json_get(v, "id")));
		CHECK(dialect_is_now(json_get(v, "timestamp")));
		CHECK(is_string(json_get(v, "parentId"), buf_cstr(&leaf)));
		CHECK(is_string(json_get(v, "targetId"), rows[i].id));
		if (!clears)
			CHECK(json_is(json_get(v, "label"), rows[i].text));
		CHECK_INT(session_enter(s), 0);
		CHECK_SPAN(session_label(s, test_find(s, rows[i].id)),
			   rows[i].text);
		CHECK_ID(s, session_head(s), "c");
		session_leave(s);
		buf_clear(&leaf);
		json_decode(&leaf, json_get(v, "id"));

		/* Said already: nothing is written. */
		CHECK_INT(label(s, rows[i].id, rows[i].text), 0);
		CHECK_SPAN(buf_span(test_read(test_path("s.jsonl"), &before)),
			   buf_span(&after));
	}
	test_row = NULL;
	session_free(s);
	buf_free(&before);
	buf_free(&after);
	buf_free(&leaf);
}

/* Ids that JSON has to escape are written so that they are found again. */
static void check_odd_ids(void)
{
	static const struct span ids[] = { SPAN("\"\\"), SPAN("a\0b"),
					   SPAN("\xC3\xA4"),
					   SPAN("\xED\xA0\xBD"), SPAN("\n") };
	struct session *s = test_open(test_file(
		"s.jsonl",
		HEADER USER("\\\"\\\\", "null", "1") USER(
			"a\\u0000b", "null", "2") USER("\\u00e4", "null", "3")
			USER("\\ud83d", "null", "4") USER("\\n", "null", "5")));
	for (uint32_t i = 0; i < COUNT(ids); i++) {
		struct writer w;
		if (!CHECK_INT(writer_begin(&w, s), 0))
			continue;
		uint32_t entry = index_find(&s->now.index, ids[i]);
		CHECK_INT(entry, i);
		CHECK_INT(writer_set_label(&w, entry, SPAN("l")), 0);
		CHECK_SPAN(session_label(s, entry), SPAN("l"));
		CHECK_INT(writer_set_head(&w, entry), 0);
		CHECK_INT(session_head(s), i);
		writer_end(&w);
	}
	session_free(s);
}

/* A missing final newline is supplied; a torn line becomes a bad one. */
static void check_missing_newline(void)
{
	static const struct {
		const char *tail;
		const char *entries; /* how many there are then */
	} rows[] = {
		{ "{'type':'message','id':'d','parentId':'c'}", "5" },
		{ "{'type':'message','id':'d','par", "4" },
		{ "{'type':'message','id':'d','parentId':'c'}\r", "5" },
	};
	struct buf before = { 0 };
	struct buf after = { 0 };
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct session *s = test_open(test_file("s.jsonl", CHAIN));
		test_row = rows[i].tail;
		test_append("s.jsonl", rows[i].tail);
		test_read(test_path("s.jsonl"), &before);
		buf_addc(&before, '\n');
		CHECK_INT(move(s, "a"), 0);
		appended(&before, &after);
		check_head_is(s, "a");
		CHECK_INT(s->now.index.n, atoi(rows[i].entries));
		session_free(s);
	}
	test_row = NULL;
	buf_free(&before);
	buf_free(&after);
}

static void check_refused(void)
{
	struct buf before = { 0 };
	struct buf after = { 0 };
	static const char *const lines[] = {
		CHAIN,
		USER("a", "null", "1"),
		USER("a", "null", "1") HEADER,
	};
	for (size_t i = 0; i < COUNT(lines); i++) {
		struct session *s = NULL;
		const char *reason;
		const char *path = test_file("s.jsonl", lines[i]);
		test_read(path, &before);
		const struct session_opening how = { .dialects =
							     &dialect_registry,
						     .read_only = i == 0 };
		CHECK_INT(session_open(&s, path, &how, &reason), 0);
		CHECK_INT(move(s, "-"), -EROFS);
		CHECK_INT(label(s, "a", SPAN("x")), -EROFS);
		/* The lock and the session are free again. */
		CHECK_INT(session_enter(s), 0);
		session_leave(s);
		CHECK_SPAN(buf_span(test_read(path, &after)),
			   buf_span(&before));
		session_free(s);
	}
	buf_free(&before);
	buf_free(&after);
}

/* No room, or not enough: the file and the session stay as they were. */
static void check_no_room(void)
{
	struct buf before = { 0 };
	struct buf after = { 0 };
	static const char *const tails[] = { "",
					     "{'type':'message','id':'d'}" };
	for (size_t row = 0; row < COUNT(tails); row++) {
		const char *path = test_file("s.jsonl", CHAIN);
		test_append("s.jsonl", tails[row]);
		test_read(path, &before);
		struct session *s = test_open(path);
		const char *head = row ? "d" : "c";
		for (rlim_t more = 0; more < 100; more += 33) {
			test_limit_size(before.len + more);
			int err = move(s, "a");
			CHECK(err == -EFBIG || err == -ENOSPC);
			err = label(s, "a", SPAN("x"));
			CHECK(err == -EFBIG || err == -ENOSPC);
			test_limit_size(RLIM_INFINITY);
			CHECK_SPAN(buf_span(test_read(path, &after)),
				   buf_span(&before));
			check_head_is(s, head);
		}
		CHECK_INT(move(s, "a"), 0);
		check_head_is(s, "a");
		session_free(s);
	}
	buf_free(&before);
	buf_free(&after);
}

/* Between begin and end the decision holds: what was appended is seen. */
static void check_begin(void)
{
	struct session *s = test_open(test_file("s.jsonl", CHAIN));
	struct writer w;
	test_append("s.jsonl", USER("d", "'a'", "4"));
	CHECK_INT(writer_begin(&w, s), 0);
	CHECK_ID(s, session_head(s), "d");
	/* Several changes at once. */
	CHECK_INT(writer_set_label(&w, test_find(s, "a"), SPAN("x")), 0);
	CHECK_INT(writer_set_label(&w, test_find(s, "b"), SPAN("y")), 0);
	CHECK_INT(writer_set_head(&w, test_find(s, "b")), 0);
	CHECK_ID(s, session_head(s), "b");
	writer_end(&w);
	check_head_is(s, "b");
	session_free(s);
}

int main(void)
{
	signal(SIGXFSZ, SIG_IGN);
	check_head_line();
	check_nothing_to_write();
	check_label_line();
	check_odd_ids();
	check_missing_newline();
	check_refused();
	check_no_room();
	check_begin();
	return test_done("pi_changes");
}
