#include "core/places/agents.h"

#include <stdlib.h>

#include "core/base/pathname.h"
#include "core/dialects/registry.h"
#include "tests/unit/tables.h"

/* Which folder an agent has for a directory, by the last part of its path. */
static void check_folder(struct row *r, struct buf *made)
{
	struct agent_folders f = { 0 };
	const struct dialect *agent =
		agent_named(&dialect_registry, row_text(r, 0));
	CHECK_INT(agent_folders_find(&f, &dialect_registry, agent,
				     row_text(r, 1), AGENTS_MISSING),
		  0);
	test_need(f.n > 0, row_text(r, 0));
	buf_add(made, span_last_part(span_of(f.list[0].path)));
	CHECK_INT(f.list[0].shared, row_is(r, 2, "shared"));
	CHECK(f.list[0].agent == agent);
	agent_folders_free(&f);
}

/* The ids in a file's name, and the last of them. */
static void check_ids(struct row *r, struct buf *made)
{
	CHECK_SPAN(agent_ids_in_name(row_field(r, 0)), row_field(r, 1));
	buf_add(made, agent_id_in_name(row_field(r, 0)));
}

/* A path, the home directory, and how it is shown. */
static void check_home(struct row *r, struct buf *made)
{
	struct span path = row_field(r, 0);
	pathname_begin_home(made, &path, row_text(r, 1));
	buf_add(made, path);
}

static void check_no_home(void)
{
	struct buf out = { 0 };
	struct span path = SPAN("/a");
	pathname_begin_home(&out, &path, NULL);
	CHECK_INT(out.len, 0);
	CHECK_SPAN(path, SPAN("/a"));
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
	rows_check("agents/folders", check_folder);
	CHECK_INT(agent_named(&dialect_registry, "lines") == NULL, true);
	rows_check("agents/ids", check_ids);
	rows_check("agents/homes", check_home);
	check_no_home();
	return test_done("agents");
}
