#include "core/catalogue/catalogue.h"

#include <errno.h>

#include "core/dialects/registry.h"
#include "core/places/agents.h"
#include "tests/unit/test.h"

#define MESSAGE_AT(id, parent, second, text)                             \
	"{'type':'message','id':'" id "','parentId':" parent             \
	",'timestamp':'2026-03-01T10:00:" second "Z','message':{'role':" \
	"'user','content':'" text "'}}\n"
#define SESSION_AT(second, text) HEADER MESSAGE_AT("a", "null", second, text)

/* What the functions of a catalogue have been asked. */
struct asked {
	int visits; /* of all files */
	int failures;
	const char *fails; /* the end of a path; the first `failures` visits */
	int err;
	struct buf unread;
};

static bool visit(void *data, const char *path, catalogue_take *take, void *arg,
		  int *err)
{
	struct asked *asked = data;
	bool fails = asked->fails &&
		     span_ends(span_of(path), span_of(asked->fails)) &&
		     asked->failures > 0;
	(void)take;
	(void)arg;
	__atomic_fetch_add(&asked->visits, 1, __ATOMIC_RELAXED);
	if (fails)
		asked->failures--;
	*err = asked->err;
	return fails;
}

static void unread(void *data, const struct session_row *row)
{
	struct asked *asked = data;
	buf_addf(&asked->unread, "%s:%d ", row->shown, row->err);
}

static struct catalogue begin(struct asked *asked, const char *folder)
{
	struct catalogue c = { .dialects = &dialect_registry,
			       .data = asked,
			       .visit = visit,
			       .unread = unread };
	CHECK_INT(catalogue_add(&c, test_path(folder), "F"), 0);
	return c;
}

/* "SHOWN/WORDS " of each line, two spaces before one that goes on. */
static void check_lines(const struct catalogue *c, const char *want)
{
	struct buf got = { 0 };
	for (size_t i = 0; i < c->lines.n; i++) {
		const struct session_row *row = c->lines.list[i];
		CHECK(catalogue_row(c, row->number) == row);
		buf_addf(&got, "%s/", row->shown);
		buf_add(&got,
			summary_column(&row->summary, SUMMARY_LAST_COLUMN));
		buf_addc(&got, ' ');
	}
	CHECK_BUF(&got, want);
	buf_free(&got);
}

static void make_folder(const char *name)
{
	test_need(mkdir(test_path(name), 0700) == 0, name);
}

static void write_three(void)
{
	make_folder("f");
	make_folder("f/d");
	test_file("f/a.jsonl", SESSION_AT("01", "one"));
	test_file("f/d/b.jsonl", SESSION_AT("03", "three"));
	test_file("f/c.jsonl", SESSION_AT("02", "two"));
	test_file("f/none.jsonl", "no session\n");
	test_file("f/other", "");
}

/* Only what has changed is read again, and `changes` tells of it. */
TEST(check_refresh)
{
	struct asked asked = { 0 };
	struct catalogue c = begin(&asked, "f");
	CHECK_INT(catalogue_refresh(&c), 0);
	check_lines(&c, "F/d/b.jsonl/three F/c.jsonl/two F/a.jsonl/one ");
	uint64_t changes = c.changes;
	uint32_t number = c.lines.list[2]->number;
	/* Soon a change gives the files another version. */
	do {
		asked.visits = 0;
		CHECK_INT(catalogue_refresh(&c), 0);
	} while (asked.visits > 0);
	CHECK_INT(c.changes, changes);
	test_append("f/a.jsonl", MESSAGE_AT("b", "'a'", "09", "new"));
	CHECK_INT(catalogue_refresh(&c), 0);
	CHECK_INT(asked.visits, 1);
	CHECK(c.changes != changes);
	check_lines(&c, "F/a.jsonl/one F/d/b.jsonl/three F/c.jsonl/two ");
	CHECK_INT(c.lines.list[0]->number, number);
	/* A file of its name is another session. */
	test_need(unlink(test_path("f/a.jsonl")) == 0, "a");
	CHECK_INT(catalogue_refresh(&c), 0);
	CHECK(!catalogue_row(&c, number));
	test_file("f/a.jsonl", SESSION_AT("04", "four"));
	CHECK_INT(catalogue_refresh(&c), 0);
	check_lines(&c, "F/a.jsonl/four F/d/b.jsonl/three F/c.jsonl/two ");
	CHECK(c.lines.list[0]->number > number);
	CHECK(span_starts(buf_span(&asked.unread), SPAN("F/none.jsonl:-71 ")));
	catalogue_free(&c);
	buf_free(&asked.unread);
}

/* Several threads together may lack descriptors, which one alone does not. */
TEST(check_shortage)
{
	struct asked asked = { .fails = "c.jsonl",
			       .failures = 1,
			       .err = -EMFILE };
	struct catalogue c = begin(&asked, "f");
	c.forced = agent_named(&dialect_registry, "pi");
	CHECK_INT(catalogue_refresh(&c), 0);
	CHECK_INT(c.lines.n, 4);
	asked.failures = 2;
	test_append("f/c.jsonl", MESSAGE_AT("b", "'a'", "08", "new"));
	CHECK_INT(catalogue_refresh(&c), -EMFILE);
	buf_free(&asked.unread);
	asked = (struct asked){ .fails = "c.jsonl",
				.failures = 1,
				.err = -ENOMEM };
	CHECK_INT(catalogue_refresh(&c), -ENOMEM);
	CHECK_INT(catalogue_refresh(&c), 0);
	catalogue_free(&c);
	buf_free(&asked.unread);
}

/* A file below two sources has one line, but two in a mount. */
TEST(check_sources)
{
	struct asked asked = { 0 };
	struct catalogue c = begin(&asked, "f");
	CHECK_INT(catalogue_add(&c, test_path("f/d"), "D"), 0);
	CHECK_INT(catalogue_refresh(&c), 0);
	check_lines(&c, "F/c.jsonl/two F/a.jsonl/four F/d/b.jsonl/three ");
	catalogue_free(&c);
	c = begin(&asked, "f");
	c.as_mounted = true;
	c.keeps_repeated = true;
	CHECK_INT(catalogue_add(&c, test_path("f/d"), "D"), 0);
	CHECK_INT(catalogue_add(&c, test_path("f/c.jsonl"), "C"), 0);
	CHECK_INT(catalogue_add(&c, test_path("f/missing"), "M"), 0);
	buf_clear(&asked.unread);
	CHECK_INT(catalogue_refresh(&c), 0);
	check_lines(&c, "C/two F/c/two F/a/four D/b/three F/d/b/three ");
	CHECK_BUF(&asked.unread, "M:-2 ");
	catalogue_free(&c);
	buf_free(&asked.unread);
}

/* Read by another process: how many files it had to look into. */
static int visits_of_another(const char *want)
{
	struct asked asked = { 0 };
	struct catalogue c = begin(&asked, "f");
	CHECK_INT(catalogue_refresh(&c), 0);
	check_lines(&c, want);
	catalogue_free(&c);
	buf_free(&asked.unread);
	return asked.visits;
}

/* Soon no file has to be looked into any more. */
static void check_settles(const char *want)
{
	int tries = 0;
	while (visits_of_another(want) > 0 && tries < 1000)
		tries++;
	CHECK(tries < 1000);
}

/* What one has found out, all know, and a change of one file loses nothing. */
TEST(check_stored)
{
	check_settles("F/c.jsonl/two F/a.jsonl/four F/d/b.jsonl/three ");
	/* The last file by path. */
	test_append("f/d/b.jsonl", MESSAGE_AT("b", "'a'", "50", "new"));
	CHECK_INT(visits_of_another("F/d/b.jsonl/three F/c.jsonl/two "
				    "F/a.jsonl/four "),
		  1);
	check_settles("F/d/b.jsonl/three F/c.jsonl/two F/a.jsonl/four ");
}

/*
 * A mount has made a row that it has yet to store; another process stores a
 * newer one. The older one is not stored for that.
 */
TEST(check_older_row)
{
	struct asked asked = { 0 };
	struct catalogue c = begin(&asked, "g");
	make_folder("g");
	test_file("g/s.jsonl", SESSION_AT("01", "one"));
	c.store_ms = INT64_MAX;
	for (int i = 0; i == 0 || (asked.visits > 0 && i < 1000); i++) {
		asked.visits = 0;
		CHECK_INT(catalogue_refresh(&c), 0);
	}
	test_append("g/s.jsonl", MESSAGE_AT("b", "'a'", "02", "more"));
	struct asked other = { 0 };
	for (int i = 0; i == 0 || (other.visits > 0 && i < 1000); i++) {
		struct catalogue d = begin(&other, "g");
		other.visits = 0;
		CHECK_INT(catalogue_refresh(&d), 0);
		catalogue_free(&d);
	}
	CHECK_INT(other.visits, 0);
	CHECK_INT(catalogue_refresh(&c), 0);
	catalogue_free(&c);
	c = begin(&asked, "g");
	CHECK_INT(catalogue_refresh(&c), 0);
	CHECK_SPAN(summary_column(&c.lines.list[0]->summary, SUMMARY_ENTRIES),
		   SPAN("2"));
	catalogue_free(&c);
	buf_free(&asked.unread);
	buf_free(&other.unread);
}

/* What a folder is called depends on what is beside it. */
TEST(check_called)
{
	struct asked asked = { 0 };
	struct catalogue c = begin(&asked, "h");
	c.as_mounted = true;
	make_folder("h");
	make_folder("h/p");
	test_file("h/p/t.jsonl", SESSION_AT("01", "one"));
	CHECK_INT(catalogue_refresh(&c), 0);
	check_lines(&c, "F/p/t/one ");
	uint64_t changes = c.changes;
	test_file("h/p.jsonl", "no session\n");
	CHECK_INT(catalogue_refresh(&c), 0);
	check_lines(&c, "F/p%2F/t/one ");
	CHECK(c.changes != changes);
	catalogue_free(&c);
	buf_free(&asked.unread);
}

SET_UP(set_up)
{
	setenv("XDG_CACHE_HOME", test_path("cache"), 1);
	make_folder("cache");
	write_three();
}

RUN_TESTS("catalogue")
