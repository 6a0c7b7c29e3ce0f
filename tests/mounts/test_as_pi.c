/* as/pi.jsonl and as/omp.jsonl: sessions of Pi and oh-my-pi, made of other
 * agents' contexts. */
#include "tests/mounts/mounts.h"

/* A session, and the agent whose form of it is looked at. */
static const struct {
	const char *session, *agent;
} forms[] = {
	{ "claude-basic", "pi" },      { "claude-basic", "omp" },
	{ "claude-compact", "pi" },    { "claude-compact", "omp" },
	{ "codex-legacy", "pi" },      { "codex-legacy", "omp" },
	{ "draft000-uuid", "pi" },     { "draft000-uuid", "omp" },
	{ "omp-v3-compaction", "pi" }, { "pi-v3-compaction", "omp" },
};

/* Copy a file of the mount. */
static void keep(const char *path, const char *to)
{
	struct buf b = { 0 };
	buf_add(&b, text_of(path));
	test_put(test_path(to), O_TRUNC, buf_span(&b));
	buf_free(&b);
}

/* Is this the name of one who speaks: a letter in upper case, then letters and
 * spaces? */
static bool is_speaker(struct span s)
{
	if (s.n == 0 || !isupper((unsigned char)*s.p))
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (!isalpha((unsigned char)s.p[i]) && s.p[i] != ' ')
			return false;
	return true;
}

/* The line without the name of who speaks. */
static struct span words_of(struct span line)
{
	const char *end = memmem(line.p, line.n, "]: ", 3);
	size_t n = end ? (size_t)(end - line.p) : 0;
	if (n == 0 || *line.p != '[' ||
	    !is_speaker((struct span){ line.p + 1, n - 1 }))
		return line;
	return (struct span){ end + 3, line.n - n - 3 };
}

/* Consume a line that is not empty, and empty ones before it. False at the end.
 */
static bool next_line(struct span *rest, struct span *words)
{
	struct span line = { "", 0 };
	while (line.n == 0 && rest->n > 0)
		line = span_next_line(rest);
	*words = words_of(line);
	return line.n > 0;
}

/*
 * A form says what the session says. It may say more: what was thought, which
 * a context.txt leaves out. Agents name who speaks in their own ways.
 */
static void check_same(struct span session, struct span form)
{
	unsigned n = 0;
	struct span want, got;
	for (; next_line(&session, &want); n++) {
		bool found = false;
		while (!found && next_line(&form, &got))
			found = span_eq(got, want);
		if (!CHECK(found))
			test_print("not said", want);
	}
	CHECK(n > 0);
}

/* The name of a form, with what comes before it and after it. */
static const char *form_name(size_t i, const char *before, const char *after)
{
	static char names[4][256];
	static unsigned next;
	char *name = names[next++ % 4];
	snprintf(name, sizeof(names[0]), "%s%s@%s%s", before, forms[i].session,
		 forms[i].agent, after);
	return name;
}

static void keep_form(size_t i)
{
	char path[256], said[256];
	snprintf(path, sizeof(path), "%s/as/%s.jsonl", forms[i].session,
		 forms[i].agent);
	keep(path, form_name(i, "forms/", ".jsonl"));
	snprintf(path, sizeof(path), "%s/context.txt", forms[i].session);
	snprintf(said, sizeof(said), "%s.said", forms[i].session);
	keep(path, said);
}

static void check_form(size_t i)
{
	char path[256];
	struct buf session = { 0 };
	test_row = form_name(i, "", "");
	CHECK_VALUE(form_name(i, "", "/info"), "dialect", forms[i].agent);
	snprintf(path, sizeof(path), "%s.said", forms[i].session);
	test_read(test_path(path), &session);
	check_same(buf_span(&session),
		   text_of(form_name(i, "", "/context.txt")));
	test_row = NULL;
	buf_free(&session);
}

static void say_the_same(void)
{
	CHECK(copy_fixtures("all", ".jsonl") > 0);
	CHECK_INT(ERRNO(mkdir(test_path("forms"), 0755)), 0);
	mount_source(test_path("all"));
	for (size_t i = 0; i < COUNT(forms); i++)
		keep_form(i);
	unmount();
	if (!CHECK_INT(HEAR("sh", "-c", "exec \"$SESSFS\" check \"$1\"/*.jsonl",
			    "-", test_path("forms")),
		       0))
		test_print("said", buf_span(&mounts_output));
	mount_source(test_path("forms"));
	for (size_t i = 0; i < COUNT(forms); i++)
		check_form(i);
}

static void goes_on(void)
{
	static const char said[] = "\n[User]: and now in Pi\n";
	struct buf parent = { 0 };
	mount_fixture("claude-basic.jsonl");
	keep("as/pi.jsonl", "form.jsonl");
	unmount();
	mount_source(test_path("form.jsonl"));
	struct span head = link_at("HEAD");
	CHECK(span_starts(head, SPAN("by-id/")));
	buf_adds(&parent, "../");
	span_next(&head, '/');
	buf_add(&parent, head);
	CHECK_INT(append("{\"role\":\"user\","
			 "\"content\":\"and now in Pi\"}\n"),
		  0);
	CHECK_SPAN(link_at("HEAD/parent"), buf_span(&parent));
	CHECK(span_ends(text_of("context.txt"), span_of(said)));
	buf_free(&parent);
}

static const struct mounts_test tests[] = {
	TEST("as/pi.jsonl and as/omp.jsonl are sessions of these agents, and "
	     "say the same",
	     say_the_same),
	TEST("what is appended to such a session goes on there", goes_on),
};
RUN_TESTS(tests)
