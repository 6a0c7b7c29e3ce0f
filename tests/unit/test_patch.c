#include "core/show/call_files.h"

#include "tests/unit/tables.h"

TABLE(check_row, "patch")
{
	struct span rest = row_field(r, 0);
	struct patch_file f;
	while (patch_next(&rest, &f)) {
		buf_addf(made, "%s ", file_act_name(f.act));
		buf_add(made, f.path);
		buf_adds(made, f.to.n > 0 ? ">" : "");
		buf_add(made, f.to);
		buf_addc(made, '{');
		buf_add(made, f.body);
		buf_addc(made, '}');
	}
}

RUN_TESTS("patch")
