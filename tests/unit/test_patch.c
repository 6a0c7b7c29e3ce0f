#include "core/show/patch.h"

#include "tests/unit/tables.h"

static void check_row(struct row *r, struct buf *made)
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

int main(void)
{
	rows_check("patch", check_row);
	return test_done("patch");
}
