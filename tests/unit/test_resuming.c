/*
 * How agents find sessions and copies of them: the facet `resuming` of each
 * dialect.
 */
#include "core/base/text.h"
#include "tests/unit/dialect_test.h"

#define ID "019ca8f0-0000-7000-8000-000000000001"
#define OTHER "019ca8f0-0000-7000-8000-000000000002"
#define ROLLOUT "rollout-2026-03-01T10-00-00-"
#define DAY "h/sessions/2026/03/01/"

static const char *const *folders(const char *name)
{
	static const char *list[2];
	list[0] = test_path(name);
	return list;
}

static void make_folders(const char *path)
{
	char part[100];
	for (const char *at = path; (at = strchr(at, '/')) != NULL; at++) {
		snprintf(part, sizeof(part), "%.*s", (int)(at - path), path);
		mkdir(test_path(part), 0700);
	}
}

/* Open a copy of a session in a folder of its own. */
static struct session *put(const char *file, const char *name,
			   const char *lines)
{
	make_folders(file);
	test_copy(file, lines);
	return dialect_open(file, name);
}

static int find_copy(const struct session *s, const char *id,
		     const char *const *in, struct resuming_copy *c)
{
	struct buf branch = { 0 };
	*c = (struct resuming_copy){ .folders = in };
	CHECK_INT(s->dialect->sending->branch(s, test_find(s, id), 1, &branch),
		  0);
	c->branch = buf_span(&branch);
	int err = s->dialect->resuming->find_copy(s, c);
	buf_free(&branch);
	return err;
}

/* In `want` the first "?" stands for the 36 characters of the new id. */
static void check_copy(const struct session *s, const char *id,
		       const char *want, bool by_path)
{
	struct resuming_copy c;
	const char *mark = strchr(want, '?');
	size_t before = (size_t)(mark - want);
	CHECK_INT(find_copy(s, id, folders("h/sessions"), &c), 0);
	struct span path = buf_span(&c.path);
	size_t from = strlen(test_path("h/sessions/"));
	size_t after = strlen(mark + 1);
	test_row = want;
	if (CHECK_INT(path.n, from + before + 36 + after)) {
		struct span new_id = { path.p + from + before, 36 };
		CHECK_SPAN(((struct span){ path.p + from, before }),
			   ((struct span){ want, before }));
		CHECK(text_is_uuid(new_id));
		CHECK_SPAN(((struct span){ new_id.p + 36, after }),
			   span_of(mark + 1));
		if (!by_path)
			CHECK_SPAN(buf_span(&c.name), new_id);
	}
	CHECK(!by_path || c.name.len == 0);
	test_row = NULL;
	buf_free(&c.path);
	buf_free(&c.name);
}

TEST(check_copies)
{
	static const struct {
		const char *dialect, *lines, *id, *want;
		bool by_path;
	} rows[] = {
		{ "pi", "resuming-pi", "a", "2026-03-01T10-00-00-000Z_?.jsonl",
		  true },
		{ "omp", "resuming-omp", "a",
		  "2026-03-01T10-00-00-000Z_?.jsonl", true },
		{ "claude", "resuming-claude-2.1.332", "b", "?.jsonl", false },
		{ "codex", "resuming-codex-legacy", "a",
		  "2026/03/01/rollout-2026-03-01T10-00-00-?.jsonl", false },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct session *s =
			put("x/s.jsonl", rows[i].dialect, rows[i].lines);
		check_copy(s, rows[i].id, rows[i].want, rows[i].by_path);
		test_close(s);
	}
}

static void check_name(const struct session *s, const char *in,
		       const char *want)
{
	struct buf name = { 0 };
	test_row = in;
	s->dialect->resuming->add_name(s, folders(in), &name);
	CHECK_BUF(&name, want);
	test_row = NULL;
	buf_free(&name);
}

TEST(check_claude)
{
	struct session *s =
		put("p/" ID ".jsonl", "claude", "resuming-claude-2.1.112");
	const struct dialect_resuming *d = s->dialect->resuming;
	check_name(s, "p", ID);
	check_name(s, ".", "");
	/* This version sees no move. */
	CHECK(d->sees_head(s, test_find(s, "b")));
	CHECK(!d->sees_head(s, test_find(s, "a")));
	CHECK(!d->sees_head(s, INDEX_NONE));
	CHECK_INT(dialect_move(s, "a"), 0);
	CHECK(!d->sees_head(s, test_find(s, "a")));
	test_close(s);
	/* This one all but that before the first entry. */
	s = put("p/notes.jsonl", "claude", "resuming-claude-2.1.150");
	check_name(s, "p", "");
	CHECK(d->sees_head(s, test_find(s, "a")));
	CHECK(!d->sees_head(s, INDEX_NONE));
	test_close(s);
}

TEST(check_codex)
{
	struct session *s = put(DAY ROLLOUT ID ".jsonl", "codex",
				"resuming-codex-paginated");
	const struct dialect_resuming *d = s->dialect->resuming;
	struct resuming_copy c;
	check_name(s, "h/sessions", ID);
	check_name(s, "p", "");
	CHECK(d->sees_head(s, test_find(s, "b")));
	CHECK(!d->sees_head(s, test_find(s, "a")));
	check_copy(s, "a", "2026/03/01/rollout-2026-03-01T10-00-00-?.jsonl",
		   false);
	/* Elsewhere nobody finds the base. */
	CHECK_INT(find_copy(s, "a", folders("p"), &c), -ENOENT);
	/* A revert of the thread is newer. */
	make_folders("h/sessions/2026/03/02/");
	test_file("h/sessions/2026/03/02/rollout-2026-03-02T10-00-00-" ID
		  "_" OTHER ".jsonl",
		  "");
	check_name(s, "h/sessions", "");
	CHECK_INT(dialect_move(s, "a"), 0);
	CHECK(!d->sees_head(s, test_find(s, "a")));
	test_close(s);
}

RUN_TESTS("resuming")
