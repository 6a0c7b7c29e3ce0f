#include "core/show/patch.h"

#include "tests/unit/test.h"

static const struct {
	const char *patch;
	const char *files; /* "ACT PATH>TO{BODY}" of each */
} rows[] = {
	{ "", "" },
	{ "no patch\n[x]\n*** Add File: \n", "" },
	{ "*** Begin Patch\n*** Add File: a.c\n+x\n*** End Patch",
	  "write a.c{+x\n}" },
	{ "*** Update File: a b.c\r\n@@\n-x\n+y\n*** Delete File: /c\n"
	  "*** Update File: d\n*** Move to: e/f\n@@\n",
	  "edit a b.c{@@\n-x\n+y\n}delete /c{}move d>e/f{*** Move to: "
	  "e/f\n@@\n}" },
	/* A hunk may have what looks like the other form. */
	{ "*** Update File: a\n[b#1A2B]\n MV c\nREM\n", "edit a{[b#1A2B]\n MV "
							"c\nREM\n}" },
	{ "[src/wc.c#1A2B]\nPUT 3.=3:\n+[x#y]\n[b#0000]\nREM\n[c#0000]\nMV "
	  "d/e\n",
	  "edit src/wc.c{PUT 3.=3:\n+[x#y]\n}delete b{REM\n}move c>d/e{MV "
	  "d/e\n}" },
	{ "*** Begin Patch\n[a#b#1A2B]\n+x\n*** End Patch\nrest",
	  "edit a#b{+x\n}" },
};

int main(void)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct span rest = span_of(rows[i].patch);
		struct patch_file f;
		struct buf got = { 0 };
		test_row = rows[i].patch;
		while (patch_next(&rest, &f)) {
			buf_addf(&got, "%s ", file_act_name(f.act));
			buf_add(&got, f.path);
			buf_adds(&got, f.to.n > 0 ? ">" : "");
			buf_add(&got, f.to);
			buf_addc(&got, '{');
			buf_add(&got, f.body);
			buf_addc(&got, '}');
		}
		CHECK_BUF(&got, rows[i].files);
		buf_free(&got);
	}
	return test_done("patch");
}
