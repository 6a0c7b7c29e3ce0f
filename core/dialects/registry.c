#include "core/dialects/registry.h"

#include "core/dialects/claude/claude.h"
#include "core/dialects/codex/codex.h"
#include "core/dialects/drafts/draft.h"
#include "core/dialects/go_tree/go_tree.h"
#include "core/dialects/omp/omp.h"
#include "core/dialects/pi/pi.h"
#include "core/dialects/qwen/qwen.h"
#include "core/session/detect.h"

static const struct dialect *const rows[] = {
	&dialect_pi,	      &dialect_omp,   &dialect_draft_uuid,
	&dialect_draft_index, &dialect_lines, &dialect_go_tree,
	&dialect_claude,      &dialect_codex, &dialect_qwen,
};

const struct dialect_registry dialect_registry = {
	.rows = rows,
	.n = sizeof(rows) / sizeof(rows[0]),
	.fallback = &dialect_pi,
	.foreign = foreign_reason,
};

const struct dialect *dialect_named(struct span name)
{
	return dialect_in(&dialect_registry, name);
}

void dialect_add_names(struct buf *out)
{
	const struct dialect_registry *r = &dialect_registry;
	for (size_t i = 0; i < r->n; i++) {
		buf_adds(out, i > 0 ? ", " : "");
		buf_adds(out, r->rows[i]->name);
	}
}
