#include "core/session/session.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "core/session/private.h"
#include "core/session/writer.h"
#include "tests/unit/tables.h"

/* The ids in the order of their numbers, then the head. */
static void list(struct session *s, struct buf *out)
{
	int err = session_enter(s);
	CHECK_INT(err, 0);
	if (err)
		return;
	for (uint32_t i = 0; i < s->now.index.n; i++) {
		buf_add(out, index_id(&s->now.index, i));
		buf_addc(out, ' ');
	}
	buf_adds(out, "@");
	buf_add(out, test_id(s, session_head(s)));
	session_leave(s);
}

#define CHECK_LIST(s, want)                 \
	do {                                \
		struct buf got_ids = { 0 }; \
		list(s, &got_ids);          \
		CHECK_BUF(&got_ids, want);  \
		buf_free(&got_ids);         \
	} while (0)

/* What readers compare, as it was at the last look. */
struct marks {
	uint32_t epoch;
	uint32_t epoch_entries;
	uint64_t version;
	struct timespec stamp;
};

/* Enter; say whether the epoch changed; stamp and version must have grown. */
static bool new_epoch(struct session *s, struct marks *m)
{
	CHECK_INT(session_enter(s), 0);
	bool changed = s->epoch != m->epoch;
	CHECK(s->version > m->version);
	CHECK(s->stamp.tv_sec > m->stamp.tv_sec ||
	      (s->stamp.tv_sec == m->stamp.tv_sec &&
	       s->stamp.tv_nsec > m->stamp.tv_nsec));
	CHECK(s->stamp.tv_nsec >= 0 && s->stamp.tv_nsec < 1000000000);
	CHECK_INT(s->epoch_entries,
		  changed ? s->now.index.n : m->epoch_entries);
	*m = (struct marks){ s->epoch, s->epoch_entries, s->version, s->stamp };
	session_leave(s);
	return changed;
}

static struct marks marks_of(const struct session *s)
{
	return (struct marks){ s->epoch, s->epoch_entries, s->version,
			       s->stamp };
}

/* What lines come to is in the corpus. */
static void check_open(void)
{
	struct session *s = NULL;
	const char *reason = NULL;
	const struct session_opening ro = { .dialects = &dialect_registry,
					    .read_only = true };
	CHECK_INT(session_open(&s, test_path("none"), &ro, &reason), -ENOENT);
	CHECK_INT(
		session_open(&s, test_file("s.jsonl", "\n  \n"), &ro, &reason),
		-EPROTO);
	CHECK(reason != NULL);
	CHECK_INT(session_open(&s, test_path("."), &ro, &reason), -EISDIR);
	CHECK_INT(session_open(&s, test_file("s.jsonl", HEADER), &ro, &reason),
		  0);
	CHECK_INT(session_writable(s), -EROFS);
	session_free(s);
}

/* Reading never writes. */
static void check_untouched(void)
{
	struct buf before = { 0 };
	struct buf after = { 0 };
	const char *path =
		test_file("s.jsonl", "{'type':'session','id':'x','cwd':'/'}\n"
				     "{'type':'message','message':{}}\n{'torn");
	test_read(path, &before);
	struct session *s = test_open(path);
	CHECK_INT(session_enter(s), 0);
	test_close(s);
	CHECK_SPAN(buf_span(test_read(path, &after)), buf_span(&before));
	buf_free(&before);
	buf_free(&after);
}

/* "H + a<b": pieces as tests/unit/session.txt has them. */
static struct buf text_of(struct span pieces)
{
	static const struct span plus = SPAN(" + ");
	struct buf out = { 0 };
	while (pieces.n > 0) {
		const char *end = memmem(pieces.p, pieces.n, plus.p, plus.n);
		size_t n = end ? (size_t)(end - pieces.p) : pieces.n;
		struct span rest = { pieces.p, n };
		struct span id = span_next(&rest, '<');
		struct span parent = span_next(&rest, '=');
		bool is_root = parent.n == 0;
		if (span_eq(id, SPAN("H")))
			buf_adds(&out, HEADER);
		else if (id.n < n)
			buf_addf(&out, USER("%.*s", "%s%.*s%s", "%.*s"),
				 (int)id.n, id.p, is_root ? "null" : "'",
				 (int)parent.n, parent.p, is_root ? "" : "'",
				 (int)rest.n, rest.p);
		else
			buf_add(&out, (struct span){ pieces.p, n });
		n += end ? plus.n : 0;
		pieces = (struct span){ pieces.p + n, pieces.n - n };
	}
	struct buf quoted = test_quoted(buf_cstr(&out));
	buf_free(&out);
	return quoted;
}

/* Change the file. */
static void do_step(struct span verb, struct span rest)
{
	char path[PATH_MAX];
	struct stat st;
	struct buf text = text_of(rest);
	snprintf(path, sizeof(path), "%s", test_path("s.jsonl"));
	if (span_eq(verb, SPAN("append"))) {
		test_put(path, O_APPEND, buf_span(&text));
	} else if (span_eq(verb, SPAN("write"))) {
		test_put(path, O_TRUNC, buf_span(&text));
	} else if (span_eq(verb, SPAN("rename"))) {
		test_put(test_path("t"), O_TRUNC, buf_span(&text));
		test_need(rename(test_path("t"), path) == 0, path);
	} else if (span_eq(verb, SPAN("cut"))) {
		test_need(stat(path, &st) == 0, path);
		off_t to = span_eq(rest, SPAN("-10")) ? st.st_size - 10
						      : (off_t)text.len;
		test_need(truncate(path, to) == 0, path);
	} else if (span_eq(verb, SPAN("remove"))) {
		test_need(unlink(path) == 0, path);
	}
	buf_free(&text);
}

/* Who opens the file now sees the same. */
static void check_fresh(struct session *s)
{
	const struct session_opening how = { .dialects = &dialect_registry };
	struct session *fresh = NULL;
	const char *reason;
	struct buf ids = { 0 };
	if (session_open(&fresh, test_path("s.jsonl"), &how, &reason) != 0)
		return;
	list(s, &ids);
	CHECK_LIST(fresh, buf_cstr(&ids));
	CHECK_INT(fresh->now.lines, s->now.lines);
	CHECK_INT(fresh->now.problems.of[PROBLEM_JSON].n,
		  s->now.problems.of[PROBLEM_JSON].n);
	session_free(fresh);
	buf_free(&ids);
}

static struct session *stepped;

static void check_step(struct row *r, struct buf *made)
{
	static struct marks m;
	struct session_memory memory = { 0 };
	const struct session_opening how = { .dialects = &dialect_registry,
					     .memory = &memory };
	struct span rest = row_field(r, 1);
	struct span verb = row_field(r, 0);
	bool away = row_is(r, 0, "away");
	bool evicted = row_is(r, 0, "evict");
	bool opens = row_is(r, 0, "open");
	const char *reason;
	test_row = row_text(r, 1);
	if (opens || away) {
		if (stepped)
			session_remember(stepped, &memory);
		session_free(stepped);
	}
	if (evicted)
		test_evict(stepped->log.file);
	if (away || evicted)
		verb = span_next(&rest, ' ');
	do_step(opens ? SPAN("write") : verb, rest);
	if (opens)
		stepped = test_open(test_path("s.jsonl"));
	if (away)
		test_need(session_open(&stepped, test_path("s.jsonl"), &how,
				       &reason) == 0,
			  "away");
	CHECK_LIST(stepped, row_text(r, 2));
	if (row_is(r, 0, "remove")) {
		struct writer w;
		CHECK_INT(session_writable(stepped), -EROFS);
		CHECK(writer_begin(&w, stepped) < 0);
		CHECK_LIST(stepped, row_text(r, 2));
	}
	if (opens)
		m = marks_of(stepped);
	else if (evicted && span_eq(verb, SPAN("nothing")))
		CHECK_INT(stepped->version, m.version);
	else
		buf_adds(made, new_epoch(stepped, &m) ? "new" : "same");
	if (evicted && span_eq(verb, SPAN("nothing")))
		buf_adds(made, "same");
	if (row_field(r, 3).n == 0)
		buf_clear(made);
	check_fresh(stepped);
}

/* Every way of cutting a file in two gives the same session. */
static void check_cuts(void)
{
	static const char text[] =
		OMP_HEADER USER("a", "'b'", "x") "\nbad\n" ENTRY(
			"label", "l", "'a'", ",'targetId':'a','label':'L'")
			USER("b", "null", "\xC3\xA4\\\\n") USER("b", "'a'", "");
	struct buf all = test_quoted(text);
	for (size_t n = 0; n <= all.len; n++) {
		const char *path = test_file("s.jsonl", "");
		test_put(path, O_APPEND, (struct span){ all.data, n });
		struct session *s = NULL;
		const struct session_opening how = {
			.dialects = &dialect_registry
		};
		const char *reason;
		if (!CHECK_INT(session_open(&s, path, &how, &reason), 0))
			continue;
		test_put(path, O_APPEND,
			 (struct span){ all.data + n, all.len - n });
		CHECK_LIST(s, "a l b @b");
		CHECK_INT(s->now.lines, 7);
		CHECK_INT(s->now.problems.of[PROBLEM_JSON].n, 1);
		CHECK_INT(s->now.problems.of[PROBLEM_DUPLICATE].n, 1);
		CHECK_INT(s->now.index.cycles, 1);
		CHECK_SPAN(session_label(s, 0), SPAN("L"));
		session_free(s);
	}
	buf_free(&all);
}

/* The stamp grows even when the file's time goes back, or stands still. */
static void check_stamp(void)
{
	const char *path = test_file("s.jsonl", HEADER USER("a", "null", "x"));
	static const struct timespec times[][2] = {
		{ { .tv_sec = 5000 }, { .tv_sec = 5000 } },
		{ { .tv_sec = 5000 }, { .tv_sec = 5000 } },
		{ { .tv_sec = 4000 }, { .tv_sec = 4000 } },
		{ { .tv_sec = 4000, .tv_nsec = 999999999 },
		  { .tv_sec = 4000, .tv_nsec = 999999999 } },
		{ { .tv_sec = 9000, .tv_nsec = 999999999 },
		  { .tv_sec = 9000, .tv_nsec = 999999999 } },
		{ { .tv_sec = 9000 }, { .tv_sec = 9000 } },
	};
	test_need(utimensat(AT_FDCWD, path, times[0], 0) == 0, path);
	struct session *s = test_open(path);
	struct marks m = marks_of(s);
	CHECK_INT(m.stamp.tv_sec, 5000);
	for (size_t i = 0; i < COUNT(times); i++) {
		test_append("s.jsonl", USER("b", "'a'", "y"));
		test_need(utimensat(AT_FDCWD, path, times[i], 0) == 0, path);
		new_epoch(s, &m);
	}
	CHECK_INT(m.stamp.tv_sec, 9001);
	/* Mode and owner are shown: a change of them is a change. */
	test_need(chmod(path, 0600) == 0, path);
	new_epoch(s, &m);
	session_free(s);
}

/* Another time: perhaps other bytes, as many as before. */
static void check_touched(void)
{
	static const char *const ends[] = { "", "\n", "\r\n", "\n{torn" };
	for (size_t i = 0; i < COUNT(ends); i++) {
		const char *path = test_file(
			"s.jsonl",
			HEADER USER("a", "null",
				    "x") "{'type':'message','id':'b'}");
		struct session *s = test_open(path);
		CHECK_LIST(s, "a b @b");
		test_append("s.jsonl", ends[i]);
		CHECK_LIST(s, "a b @b");
		test_row = i == 2 ? "CRLF" : ends[i];
		uint32_t epoch = s->epoch;
		test_set_time(path, 7);
		CHECK_LIST(s, "a b @b");
		CHECK_INT(s->epoch, epoch);
		struct buf b = { 0 };
		test_read(path, &b);
		char *id = memmem(b.data, b.len, "\"b\"", 3);
		if (CHECK(id != NULL))
			id[1] = 'c';
		test_put(path, 0, buf_span(&b));
		test_set_time(path, 6);
		CHECK_LIST(s, "a c @c");
		CHECK(s->epoch != epoch);
		buf_free(&b);
		session_free(s);
	}
	test_row = NULL;
}

static void check_read(void)
{
	struct buf line = { 0 };
	struct json json;
	const char *path =
		test_file("s.jsonl", HEADER "  " USER("a", "null", "x")
					     USER("a", "null", "last"));
	struct session *s = test_open(path);
	CHECK_INT(session_enter(s), 0);
	CHECK_INT(session_read(s, 0, &line, &json), 0);
	struct buf want = test_quoted(USER("a", "null", "last"));
	want.len--;
	CHECK_SPAN(buf_span(&line), buf_span(&want));
	CHECK(json_is(json_get(json_get(json, "message"), "content"),
		      SPAN("last")));
	CHECK(json_is(session_header(s, "cwd"), SPAN("/work/demo")));
	CHECK_INT(json_type(session_header(s, "none")), JSON_ABSENT);
	buf_clear(&line);
	session_id(s, &line);
	CHECK_BUF(&line, "0198f000-0000-7000-8000-000000000001");
	/* Rewritten between entering and reading: another line, and no line. */
	struct buf other = test_quoted(HEADER "  " USER("a", "null", "x")
					       USER("a", "null", "LAST"));
	test_put(path, 0, buf_span(&other));
	CHECK_INT(session_read(s, 0, &line, &json), -ESTALE);
	buf_free(&other);
	test_need(truncate(path, 60) == 0, path);
	CHECK_INT(session_read(s, 0, &line, &json), -ESTALE);
	test_close(s);
	buf_free(&line);
	buf_free(&want);
}

/* A session that keeps its lines; enter it. */
static struct session *open_kept(const struct dialect *forced, bool once)
{
	const struct session_opening how = { .dialects = &dialect_registry,
					     .forced = forced,
					     .once = once,
					     .keeps_lines = true };
	const char *reason = NULL;
	struct session *s = NULL;
	/* Long ago: all bytes of a new file are compared when it is entered. */
	const struct timespec times[2] = { { 1000, 1 }, { 1000, 1 } };
	const char *path = test_path("s.jsonl");
	test_need(utimensat(AT_FDCWD, path, times, 0) == 0, path);
	int err = session_open(&s, path, &how, &reason);
	test_need(err == 0, path);
	CHECK_INT(session_enter(s), 0);
	return s;
}

/* All entries of a session, each as it is read or with its error. */
static void add_lines(const struct session *s, struct buf *out, bool peek)
{
	static const char *const names[] = { "type", "id", "x", "message" };
	for (uint32_t i = 0; i < s->now.index.n; i++) {
		struct buf line = { 0 };
		struct span text = { "", 0 };
		struct json json = { 0 };
		struct json got[COUNT(names)];
		int err = peek ? session_peek(s, i, &line, &text, &json)
			       : session_read(s, i, &line, &json);
		if (!peek && !err)
			text = buf_span(&line);
		buf_addf(out, "%d ", err);
		buf_add(out, text);
		buf_addf(out, " at %td ", err ? 0 : json.raw.p - text.p);
		json_get_all(json, COUNT(names), names, got);
		for (size_t k = 0; k < COUNT(names); k++)
			buf_add(out, got[k].raw);
		buf_addc(out, '\n');
		buf_free(&line);
	}
}

/* What is kept is what would be read. */
static void check_same_lines(const struct session *kept, uint32_t entries)
{
	struct buf want = { 0 };
	struct buf got = { 0 };
	CHECK_INT(kept->now.index.n, entries);
	add_lines(kept, &want, false);
	add_lines(kept, &got, true);
	CHECK_SPAN(buf_span(&got), buf_span(&want));
	buf_free(&want);
	buf_free(&got);
}

/* Once: for one visit. */
static void check_kept(bool once)
{
	struct span text;
	struct json json;
	struct buf line = { 0 };
	const struct dialect *d = dialect_named(SPAN("lines"));
	test_file("s.jsonl", "\xEF\xBB\xBF" HEADER "\n  " USER("a", "null", "x")
				     USER("b", "'a'", "y"));
	test_append("s.jsonl", "no JSON\n[7]\nnull\n \t\r\n");
	test_append("s.jsonl",
		    "\t" USER("c", "'b'", "z")
			    USER("a", "null",
				 "x") "{'type':'x','id':'d','x':[[[{},[]],{"
				      "}],[],{},[],{},[],{},[],{},[],{}]} \r\n"
				      "{'type':'x','id':'e'}");
	struct session *s = open_kept(d, once);
	CHECK(s->now.kept != NULL);
	check_same_lines(s, 9);
	test_close(s);
	s = open_kept(NULL, once);
	CHECK(s->now.kept != NULL);
	check_same_lines(s, 5);
	/* Lines that are appended are read. */
	session_leave(s);
	test_append("s.jsonl", "\n" USER("f", "'e'", "new"));
	CHECK_INT(session_enter(s), 0);
	check_same_lines(s, 6);
	/* Rewritten after it was entered, and entered again. */
	test_file("s.jsonl", HEADER USER("f", "null", "other"));
	CHECK_INT(session_peek(s, 1, &line, &text, &json), 0);
	CHECK(json_is(json_get(json, "id"), SPAN("b")));
	CHECK_INT(session_peek(s, 5, &line, &text, &json), -ESTALE);
	session_leave(s);
	CHECK_INT(session_enter(s), 0);
	CHECK(s->now.kept == NULL);
	check_same_lines(s, 1);
	test_close(s);
	/* Rewritten with as many bytes: what is read is not what was indexed.
	 */
	s = open_kept(NULL, once);
	test_file("s.jsonl", HEADER USER("f", "null", "OTHER"));
	CHECK_INT(session_peek(s, 0, &line, &text, &json), 0);
	CHECK_INT(session_read(s, 0, &line, &json), -ESTALE);
	test_close(s);
	buf_free(&line);
}

/* Larger files, and empty ones, are not kept; the lines are the same. */
static void check_not_kept(void)
{
	struct buf text = { 0 };
	test_file("s.jsonl", "");
	struct session *s = open_kept(NULL, false);
	check_same_lines(s, 0);
	test_close(s);
	buf_adds(&text, HEADER);
	for (unsigned i = 0; i < 12000; i++)
		buf_addf(&text, USER("a%u", "null", "x"), i);
	test_file("s.jsonl", buf_cstr(&text));
	CHECK(text.len > 1 << 20);
	s = open_kept(NULL, false);
	CHECK(s->now.kept == NULL);
	check_same_lines(s, 12000);
	test_close(s);
	/* The ends of values that are kept do not suffice for all lines. */
	test_need(truncate(test_path("s.jsonl"), 1 << 20) == 0, "s.jsonl");
	s = open_kept(NULL, false);
	CHECK(s->now.kept != NULL);
	check_same_lines(s, s->now.index.n);
	test_close(s);
	buf_free(&text);
}

/*
 * HEAD looks through books and notes: one line at a time comes to the same as
 * all read at once, also when older lines are said again as something else.
 */
static void check_head(void)
{
	static const char *const types[] = { "message", "label", "custom",
					     "label" };
	static const char *const customs[] = { "sessfs.head", "note" };
	for (int round = 0; round < 100; round++) {
		struct session *s = test_open(test_file("s.jsonl", HEADER));
		for (int k = 0; k < 12; k++) {
			bool below = test_random() % 4 != 0;
			struct buf line = { 0 };
			buf_addf(&line,
				 "{'type':'%s','customType':'%s',"
				 "'id':'%c','parentId':'%c'}\n",
				 types[test_random() % COUNT(types)],
				 customs[test_random() % COUNT(customs)],
				 'a' + (below ? k : (int)(test_random() % 12)),
				 'a' + (below ? k - 1
					      : (int)(test_random() % 14)));
			test_append("s.jsonl", buf_cstr(&line));
			struct session *fresh = test_open(test_path("s.jsonl"));
			CHECK_INT(session_enter(s), 0);
			CHECK_INT(session_enter(fresh), 0);
			CHECK_INT(session_head(s), session_head(fresh));
			session_leave(s);
			test_close(fresh);
			buf_free(&line);
		}
		session_free(s);
	}
}

/* A line longer than what is read at a time, and many lines. */
static void check_big(void)
{
	struct buf b = test_quoted(HEADER USER("a", "null", "x"));
	struct buf line = { 0 };
	struct json json;
	static const struct span start = SPAN("{\"type\":\"message\",\"id\":"
					      "\"big\",\"pad\":\"");
	buf_add(&b, start);
	buf_fill(&b, 'x', 3 << 20);
	buf_adds(&b, "\"}\n");
	for (int i = 0; i < 20000; i++)
		buf_addf(&b, "{\"type\":\"message\",\"id\":\"n%d\"}\n", i);
	const char *path = test_path("s.jsonl");
	test_put(path, O_TRUNC, buf_span(&b));
	struct session *s = test_open(path);
	CHECK_INT(session_enter(s), 0);
	CHECK_INT(s->now.index.n, 20002);
	CHECK_INT(s->now.lines, 20003);
	CHECK_INT(session_read(s, 1, &line, &json), 0);
	CHECK_INT(line.len, start.n + (3 << 20) + 2);
	CHECK_INT(session_read(s, 20001, &line, &json), 0);
	CHECK_SPAN(buf_span(&line),
		   SPAN("{\"type\":\"message\",\"id\":\"n19999\"}"));
	test_close(s);
	buf_free(&b);
	buf_free(&line);
}

/* Open a file that was written long ago: it has settled. */
static struct session *open_settled(const char *path)
{
	test_set_time(path, 1000);
	return test_open(path);
}

/* A session whose closed file goes, comes back, or gets another mode. */
static void check_evicted(void)
{
	const char *path = test_file("s.jsonl", HEADER USER("a", "null", "x"));
	struct session *s = open_settled(path);
	struct marks m = marks_of(s);

	test_evict(s->log.file);
	if (CHECK(session_enter_if_fresh(s)))
		session_leave(s);
	test_append("s.jsonl", USER("b", "'a'", "y"));
	CHECK(!session_enter_if_fresh(s));
	CHECK_LIST(s, "a b @b");
	CHECK(!new_epoch(s, &m));
	test_evict(s->log.file);
	test_need(chmod(path, 0640) == 0, path);
	CHECK_LIST(s, "a b @b");
	CHECK(new_epoch(s, &m));
	test_evict(s->log.file);
	test_need(rename(path, test_path("away")) == 0, path);
	CHECK_LIST(s, "@-");
	CHECK(new_epoch(s, &m));
	CHECK_SPAN(span_of(s->reason), SPAN("the file does not say"));
	CHECK_LIST(s, "@-");
	test_need(rename(test_path("away"), path) == 0, path);
	CHECK_LIST(s, "a b @b");
	session_free(s);
}

/* A line of a relative: the session is its own, whose old entries may differ.
 */
static void check_turned(void)
{
	const char *path = test_file("s.jsonl", HEADER USER("a", "null", "x"));
	struct session *s = open_settled(path);
	struct marks m = marks_of(s);
	CHECK_SPAN(span_of(s->dialect->name), SPAN("pi"));
	test_append("s.jsonl",
		    "{'type':'mode_change','id':'b','parentId':'a'}\n");
	CHECK_LIST(s, "a b @a");
	CHECK_SPAN(span_of(s->dialect->name), SPAN("omp"));
	CHECK(new_epoch(s, &m));
	session_free(s);
}

/* Longer, with the same first and last bytes: only some in the middle differ.
 */
static void check_evicted_middle(void)
{
#define FILLED(text)                                         \
	HEADER USER("a", "null", "x") USER("b", "'a'", "y")  \
		USER("c", "'b'", text) USER("d", "'c'", "y") \
			USER("e", "'d'", "y") USER("f", "'e'", "y")
	struct session *s = open_settled(test_file("s.jsonl", FILLED("one")));
	struct marks m = marks_of(s);
	test_evict(s->log.file);
	test_file("s.jsonl", FILLED("two") USER("g", "'f'", "z"));
	CHECK_LIST(s, "a b c d e f g @g");
	CHECK(new_epoch(s, &m));
	session_free(s);
#undef FILLED
}

/* Without a descriptor nothing is known; with one all is as it was. */
static void check_shortage(void)
{
	const char *path = test_file("s.jsonl", HEADER USER("a", "null", "x"));
	struct session *s = test_open(path);
	uint32_t epoch = s->epoch;
	test_evict(s->log.file);
	test_append("s.jsonl", USER("b", "'a'", "y"));
	test_limit_files(0);
	CHECK_INT(session_enter(s), -EMFILE);
	CHECK_INT(session_enter(s), -EMFILE);
	test_limit_files(-1);
	CHECK_LIST(s, "a b @b");
	CHECK_INT(s->epoch, epoch);
	session_free(s);
}

/*
 * A file that can't be read for a while, as when a connection has broken: after
 * that the same bytes are the same entries, and more bytes are growth.
 */
static void check_unreadable(void)
{
	const char *more[] = { "", USER("b", "'a'", "y") };
	for (size_t i = 0; i < COUNT(more); i++) {
		const char *path =
			test_file("s.jsonl", HEADER USER("a", "null", "x"));
		struct session *s = open_settled(path);
		struct marks m = marks_of(s);
		int kept = dup(s->log.file->held.fd);
		int folder = open("/", O_RDONLY | O_DIRECTORY);
		test_need(kept >= 0 && folder >= 0 &&
				  dup2(folder, s->log.file->held.fd) >= 0,
			  "dup2");
		test_append("s.jsonl", more[i]);
		test_need(utimensat(AT_FDCWD, path, NULL, 0) == 0, path);
		CHECK_INT(session_enter(s), -EISDIR);
		CHECK_INT(session_enter(s), -EISDIR);
		test_need(dup2(kept, s->log.file->held.fd) >= 0, "dup2");
		CHECK(!new_epoch(s, &m));
		CHECK_LIST(s, i == 0 ? "a @a" : "a b @b");
		close(kept);
		close(folder);
		session_free(s);
	}
}

/* Another mode: what the kernel keeps of its files has to go. */
static void check_memory_mode(void)
{
	struct session_memory m = { 0 };
	const char *reason;
	const char *path = test_file("s.jsonl", HEADER USER("a", "null", "x"));
	struct session *s = test_open(path);
	uint32_t epoch = s->epoch;
	s->refused.reason = "why";
	session_remember(s, &m);
	session_free(s);
	test_need(chmod(path, 0400) == 0, path);
	const struct session_opening how = { .dialects = &dialect_registry,
					     .read_only = true,
					     .memory = &m };
	if (CHECK_INT(session_open(&s, path, &how, &reason), 0)) {
		CHECK(s->epoch != epoch);
		CHECK_SPAN(span_of(s->refused.reason), SPAN("why"));
		session_free(s);
	}
	test_need(unlink(path) == 0, path);
	CHECK_INT(session_open(&s, path, &how, &reason), -ENOENT);
}

/* What is read of several lines while entered: is it of one piece? */
static void check_whole(void)
{
	const char *path = test_file("s.jsonl", HEADER USER("a", "null", "x"));
	struct session *s = test_open(path);
	CHECK_INT(session_enter(s), 0);
	CHECK(session_is_whole(s));
	test_append("s.jsonl", USER("b", "'a'", "y"));
	CHECK(session_is_whole(s));
	test_file("s.jsonl", HEADER USER("a", "null", "z") USER("b", "'a'", "")
				     USER("c", "'a'", ""));
	CHECK(!session_is_whole(s));
	test_need(truncate(path, 0) == 0, path);
	CHECK(!session_is_whole(s));
	test_need(unlink(path) == 0, path);
	CHECK(!session_is_whole(s));
	/* Nothing is there, and nothing was: until something is. */
	session_leave(s);
	CHECK_INT(session_enter(s), 0);
	CHECK(session_is_whole(s));
	test_file("s.jsonl", HEADER);
	CHECK(!session_is_whole(s));
	test_close(s);
}

struct tellings {
	uint64_t done;
	uint64_t total;
	unsigned n;
	bool back; /* it was less than before */
};

static void count_telling(void *data, uint64_t done, uint64_t total)
{
	struct tellings *t = data;
	t->back = t->back || done <= t->done;
	t->done = done;
	t->total = total;
	t->n++;
}

/* How far it is, is told while it is opened, and not afterwards. */
static void check_progress(void)
{
	static char text[64 << 10];
	struct tellings t = { 0 };
	const struct session_opening how = { .dialects = &dialect_registry,
					     .progress = count_telling,
					     .progress_data = &t };
	const char *reason;
	struct session *s;
	struct buf lines = { 0 };
	memset(text, 'x', sizeof(text) - 1);
	buf_adds(&lines, HEADER);
	for (int i = 0; i < 100; i++)
		buf_addf(&lines, USER("e%d", "null", "%s"), i, text);
	const char *path = test_file("s.jsonl", buf_cstr(&lines));
	if (CHECK_INT(session_open(&s, path, &how, &reason), 0)) {
		CHECK(t.n > 20 && t.n <= 26);
		CHECK(!t.back);
		CHECK_INT(t.total, lines.len);
		t.n = 0;
		test_append("s.jsonl", buf_cstr(&lines));
		CHECK_INT(session_enter(s), 0);
		CHECK_INT(t.n, 0);
		test_close(s);
	}
	buf_free(&lines);
}

/* What its opener has read is taken if the file is still of that version. */
static void check_read_before(void)
{
	struct buf bytes = { 0 };
	const char *path =
		test_file("s.jsonl", HEADER USER("old", "null", "x"));
	test_read(path, &bytes);
	path = test_file("s.jsonl", HEADER USER("new", "null", "x"));
	test_set_time(path, 1000);
	for (int same = 0; same < 2; same++) {
		struct session_opening how = { .dialects = &dialect_registry,
					       .read_only = true,
					       .once = true,
					       .keeps_lines = true,
					       .bytes = buf_span(&bytes) };
		const char *reason;
		struct session *s = NULL;
		CHECK_INT(version_take(NULL, path, &how.version), 0);
		how.version.size += !same;
		if (CHECK_INT(session_open(&s, path, &how, &reason), 0)) {
			CHECK_LIST(s, same ? "old @old" : "new @new");
			session_free(s);
		}
	}
	buf_free(&bytes);
}

/*
 * A file that has just been written may have other bytes than its opener has
 * read, and the same version. It is read again, and not taken from there again.
 */
static void check_read_just_before(void)
{
	struct buf bytes = { 0 };
	struct session *s = NULL;
	const char *path =
		test_file("s.jsonl", HEADER USER("old", "null", "x"));
	test_read(path, &bytes);
	path = test_file("s.jsonl", HEADER USER("new", "null", "x"));
	/* If this process waits meanwhile, it is too late for that. */
	while (!s) {
		struct session_opening how = { .dialects = &dialect_registry,
					       .read_only = true,
					       .bytes = buf_span(&bytes) };
		const char *reason;
		test_need(utimensat(AT_FDCWD, path, NULL, 0) == 0, path);
		test_need(version_take(NULL, path, &how.version) == 0, path);
		test_need(session_open(&s, path, &how, &reason) == 0, path);
		if (s->private->unsettled_until == 0) {
			session_free(s);
			s = NULL;
		}
	}
	CHECK_LIST(s, "new @new");
	session_free(s);
	buf_free(&bytes);
}

int main(void)
{
	check_open();
	check_read_before();
	check_read_just_before();
	check_untouched();
	rows_check("session", check_step);
	session_free(stepped);
	check_cuts();
	check_stamp();
	check_touched();
	check_read();
	check_kept(false);
	check_kept(true);
	check_not_kept();
	check_head();
	check_big();
	check_evicted();
	check_evicted_middle();
	check_turned();
	check_shortage();
	check_unreadable();
	check_memory_mode();
	check_whole();
	check_progress();
	return test_done("session");
}
