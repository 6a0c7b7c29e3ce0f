#include "mount/commands/commands.h"

#include <limits.h>
#include <unistd.h>

#include "core/file/whole.h"
#include "core/show/lines.h"
#include "mount/cli/status.h"
#include "mount/operands/pieces.h"

/* Large enough to keep a thread busy, and to be written at once. */
#define BATCH_BYTES ((uint64_t)256 << 10)

struct printing {
	struct span prefix;
	struct buf *out;
	size_t from; /* where the piece begins */
};

static int add_entry(void *data, const struct session *s, uint32_t entry)
{
	const struct printing *p = data;
	return lines_add(s, entry, p->prefix, p->out);
}

static void drop(void *data)
{
	const struct printing *p = data;
	p->out->len = p->from;
}

static void add_batch(struct pieces *pieces, const struct batch *b,
		      struct buf *out)
{
	for (size_t i = 0; i < b->n; i++) {
		struct printing p = { buf_span(&b->list[i].of->prefix), out,
				      out->len };
		const struct piece_visitor v = { &p, add_entry, drop };
		piece_visit(pieces, &b->list[i], &v);
	}
}

static int write_batch(struct pieces *pieces, const struct buf *out)
{
	(void)pieces;
	return whole_write(STDOUT_FILENO, buf_span(out));
}

static int lines_print(const struct options *o)
{
	const struct select_by by = { .of_entries = true,
				      .as_mounted = true,
				      .by_path = true,
				      .forced = o->dialect };
	struct pieces p = { .o = o,
			    .by = &by,
			    .paths = o->names,
			    .n_paths = o->n_names,
			    .bytes = BATCH_BYTES,
			    .work = add_batch,
			    .emit = write_batch };
	int err = pieces_run(&p);
	return err ? status_output(err) : p.status;
}

static const struct option_row rows[] = {
	OPTION_ROW_SESSION,
	OPTION_ROW_END,
};

const struct command command_lines = {
	.name = "lines",
	.usage = "SOURCE...",
	.help = "Print the lines of all entries, each after its path.",
	.options = rows,
	.least = 1,
	.most = UINT_MAX,
	.once = true,
	.run = lines_print,
};
