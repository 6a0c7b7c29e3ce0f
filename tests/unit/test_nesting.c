#include "core/json/nesting.h"
#include "tests/unit/tables.h"

/* In two pieces, cut anywhere. */
TABLE(check_row, "nesting")
{
	struct span text = row_field(r, 0);
	for (size_t cut = 0; cut <= text.n; cut++) {
		struct nesting n = { 0 };
		const char *p = text.p;
		if (cut > 0)
			CHECK_SPAN(buf_span(made), row_field(r, 1));
		buf_clear(made);
		while ((p = nesting_next(&n, p, text.p + cut)))
			buf_addf(made, "%zu", n.depth);
		p = text.p + cut;
		while ((p = nesting_next(&n, p, text.p + text.n)))
			buf_addf(made, "%zu", n.depth);
	}
}

RUN_TESTS("nesting")
