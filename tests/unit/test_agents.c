#include "core/places/agents.h"

#include <stdlib.h>

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

int main(void)
{
	const char *const unset[] = { "PI_CODING_AGENT_DIR",
				      "PI_CODING_AGENT_SESSION_DIR",
				      "PI_CONFIG_DIR",
				      "XDG_DATA_HOME",
				      "CLAUDE_CONFIG_DIR",
				      "CODEX_HOME",
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
					     rows[i].dir, true),
			  0);
		CHECK(f.n > 0);
		CHECK_SPAN(span_last_part(span_of(f.list[0].path)),
			   span_of(rows[i].name));
		CHECK_INT(f.list[0].shared, rows[i].shared);
		CHECK_INT(f.list[0].agent == agent, true);
		agent_folders_free(&f);
	}
	CHECK_INT(agent_named(&dialect_registry, "lines") == NULL, true);
	return test_done("agents");
}
