#include "core/places/agents.h"

#include <stdlib.h>

#include "core/base/pathname.h"
#include "core/dialects/registry.h"
#include "tests/unit/test.h"

/* Which folder an agent has for a directory, by the last part of its path. */
static const struct row {
	const char *agent;
	const char *dir;
	const char *name;
	bool shared;
} rows[] = {
	{ "pi", "/a/b:c", "--a-b-c--", false },
	{ "omp", "/home/u", "-", false },
	{ "omp", "/home/u/a/b", "-a-b", false },
	{ "omp", "/tmp/x", "-tmp-x", false },
	{ "omp", "/srv/x", "--srv-x--", false },
	{ "claude", "/a_b .c-\xC3\xA9\xF0\x9F\x98\x80", "-a-b--c----", false },
	{ "codex", "/a", "sessions", true },
};

/* The ids in a file's name, and the last of them. */
static const struct id_row {
	const char *file;
	const char *ids;
	const char *id;
} id_rows[] = {
	{ "01a2-b.jsonl", "01a2-b", "01a2-b" },
	{ "2026-03-01T10-00-00-000Z_01a2.jsonl",
	  "2026-03-01T10-00-00-000Z_01a2", "01a2" },
	{ "rollout-2026-03-01T10-00-00-aa_bb.jsonl", "aa_bb", "bb" },
	{ "rollout-short.jsonl", "rollout-short", "rollout-short" },
	{ "bare", "bare", "bare" },
};

static void check_ids(void)
{
	for (size_t i = 0; i < COUNT(id_rows); i++) {
		const struct id_row *r = &id_rows[i];
		test_row = r->file;
		CHECK_SPAN(agent_ids_in_name(span_of(r->file)),
			   span_of(r->ids));
		CHECK_SPAN(agent_id_in_name(span_of(r->file)), span_of(r->id));
	}
}

/* A path, the home directory, and how it is shown. */
static const char *const home_rows[][3] = {
	{ "/home/u", "/home/u", "~" },
	{ "/home/u/a", "/home/u", "~/a" },
	{ "/home/user", "/home/u", "/home/user" },
	{ "/home", "/home/u", "/home" },
	{ "/a", "/", "/a" },
	{ "/a", "", "/a" },
	{ "/a", NULL, "/a" },
};

static void check_homes(void)
{
	for (size_t i = 0; i < COUNT(home_rows); i++) {
		struct buf out = { 0 };
		struct span path = span_of(home_rows[i][0]);
		test_row = home_rows[i][0];
		pathname_begin_home(&out, &path, home_rows[i][1]);
		buf_add(&out, path);
		CHECK_SPAN(buf_span(&out), span_of(home_rows[i][2]));
		buf_free(&out);
	}
}

int main(void)
{
	const char *const unset[] = { "PI_CODING_AGENT_DIR",
				      "PI_CODING_AGENT_SESSION_DIR",
				      "PI_CONFIG_DIR",
				      "XDG_DATA_HOME",
				      "CLAUDE_CONFIG_DIR",
				      "CODEX_HOME",
				      "QWEN_HOME",
				      "QWEN_RUNTIME_DIR",
				      "TMPDIR",
				      "TMP",
				      "TEMP" };
	for (size_t i = 0; i < COUNT(unset); i++)
		unsetenv(unset[i]);
	setenv("HOME", "/home/u", 1);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct agent_folders f = { 0 };
		const struct dialect *agent =
			agent_named(&dialect_registry, rows[i].agent);
		test_row = rows[i].name;
		CHECK_INT(agent_folders_find(&f, &dialect_registry, agent,
					     rows[i].dir, AGENTS_MISSING),
			  0);
		CHECK(f.n > 0);
		CHECK_SPAN(span_last_part(span_of(f.list[0].path)),
			   span_of(rows[i].name));
		CHECK_INT(f.list[0].shared, rows[i].shared);
		CHECK_INT(f.list[0].agent == agent, true);
		agent_folders_free(&f);
	}
	CHECK_INT(agent_named(&dialect_registry, "lines") == NULL, true);
	check_ids();
	check_homes();
	return test_done("agents");
}
