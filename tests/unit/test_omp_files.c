/* Files in sessions of oh-my-pi (core/dialects/omp/filing.c). */
#include "core/files/files_at.h"

#include "tests/unit/dialect_test.h"
#include "tests/unit/no_memory.h"

static const char lines[] =
	"{'type':'session','version':3,'id':'s','timestamp':"
	"'2026-03-01T10:00:00.000Z','cwd':'/w'}\n"
	"{'type':'message','id':'a','parentId':null,'timestamp':"
	"'2026-03-01T10:00:01.000Z','message':{'role':'assistant','content':["
	"{'type':'toolCall','id':'c','name':'write','arguments':"
	"{'path':'one','content':'text'}}]}}\n"
	"{'type':'message','id':'r','parentId':'a','timestamp':"
	"'2026-03-01T10:00:02.000Z','message':{'role':'toolResult',"
	"'toolCallId':'c','toolName':'write','content':[],"
	"'details':{'resolvedPath':'/w/one'}}}\n";

/* files.txt of the last entry, where memory ends once after so many growths. */
static int read_table(unsigned left, struct buf *table)
{
	struct session *s = dialect_session("omp", lines);
	memory_left = left;
	no_memory = true;
	int err = files_at_add_table(s, s->now.leaf, table);
	no_memory = false;
	test_close(s);
	return err;
}

/* Without memory it is not known which file a result is of. */
int main(void)
{
	struct buf want = { 0 };
	struct buf table = { 0 };
	int err = -ENOMEM;
	unsigned n;
	memory_returns = true;
	CHECK_INT(read_table(UINT_MAX, &want), 0);
	CHECK(memmem(want.data, want.len, "known", 5) != NULL);
	for (n = 0; err == -ENOMEM; n++) {
		buf_free(&table);
		err = read_table(n, &table);
	}
	CHECK_INT(err, 0);
	CHECK_SPAN(buf_span(&table), buf_span(&want));
	CHECK(n > 20);
	buf_free(&want);
	buf_free(&table);
	return test_done("omp_files");
}
