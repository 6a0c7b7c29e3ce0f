#include "core/dialects/codex/output.h"

static const struct {
	struct span start;
	bool code; /* the rest is an exit code */
} lines[] = {
	{ SPAN("Chunk ID: "), false },
	{ SPAN("Exit code: "), true },
	{ SPAN("Wall time: "), false },
	{ SPAN("Process exited with code "), true },
	{ SPAN("Process running with session ID "), false },
	{ SPAN("Original token count: "), false },
	{ SPAN("Total output lines: "), false },
	{ SPAN("Script completed"), false },
	{ SPAN("Script failed"), false },
	{ SPAN("Script running with cell ID "), false },
	{ SPAN("Wall time "), false },
};

size_t codex_heading(struct span text, bool *failed)
{
	struct span rest = text;
	bool bad = false;
	bool any = false;
	while (rest.n > 0) {
		struct span line = span_next_line(&rest);
		size_t i = 0;
		if (any && span_eq(line, SPAN("Output:"))) {
			if (failed)
				*failed = bad;
			return text.n - rest.n;
		}
		while (i < sizeof(lines) / sizeof(lines[0]) &&
		       !span_starts(line, lines[i].start))
			i++;
		if (i == sizeof(lines) / sizeof(lines[0]))
			break;
		line.p += lines[i].start.n;
		line.n -= lines[i].start.n;
		bad = bad || (lines[i].code && !span_eq(line, SPAN("0")));
		any = true;
	}
	return 0;
}
