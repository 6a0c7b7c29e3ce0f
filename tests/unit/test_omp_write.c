
#include "core/dialects/omp/omp.h"
#include "core/dialects/pi/v1.h"
#include "tests/unit/dialect_test.h"

#define OMP_TITLED                                            \
	"{'type':'session','version':3,'id':'s','timestamp':" \
	"'2026-03-01T10:00:00.000Z','cwd':'/w','title':'H',"  \
	"'titleSource':'auto','additionalDirectories':['/x']}\n"
#define CHAIN                                                        \
	OMP_TITLED USER("a", "null", "1") ASSISTANT("b", "'a'", "2") \
		USER("c", "'b'", "3")

static int move(struct session *s, uint32_t to)
{
	struct writer w;
	session_leave(s);
	int err = writer_begin(&w, s);
	if (!err) {
		err = writer_set_head(&w, to);
		writer_end(&w);
	}
	CHECK_INT(session_enter(s), 0);
	return err;
}

/* How many lines the file has, and whether it begins with `before`. */
static size_t lines_behind(const char *before)
{
	struct buf file = { 0 };
	struct buf start = test_quoted(before);
	size_t n = 0;
	test_read(test_path("s.jsonl"), &file);
	CHECK(span_starts(buf_span(&file), buf_span(&start)));
	for (size_t i = start.len; i < file.len; i++)
		n += file.data[i] == '\n';
	CHECK_INT(file.data[file.len - 1], '\n');
	buf_free(&file);
	buf_free(&start);
	return n;
}

static void check_writes(void)
{
	struct session *s = test_session(CHAIN);
	CHECK_INT(move(s, test_find(s, "b")), 0);
	CHECK_ID(s, session_head(s), "b");
	CHECK_INT(lines_behind(CHAIN), 1);
	CHECK_INT(dialect_label(s, "a", "L"), 0);
	CHECK_SPAN(session_label(s, test_find(s, "a")), SPAN("L"));
	CHECK_INT(lines_behind(CHAIN), 2);
	CHECK_INT(move(s, INDEX_NONE), 0);
	CHECK_INT(session_head(s), INDEX_NONE);
	/* The locks have been given back. */
	CHECK_INT(access(test_path(".s.jsonl.lock"), F_OK), -1);
	test_close(s);
}

/* Somebody holds the agent's lock, and lives. */
static void check_busy(void)
{
	struct session *s = test_session(CHAIN);
	char owner[32];
	int n = snprintf(owner, sizeof(owner), "%d:99999999999999\n",
			 (int)getpid());
	test_put(test_path(".s.jsonl.lock"), O_TRUNC,
		 (struct span){ owner, (size_t)n });
	CHECK_INT(move(s, test_find(s, "b")), -EBUSY);
	CHECK_INT(dialect_label(s, "a", "L"), -EBUSY);
	CHECK_INT(lines_behind(CHAIN), 0);
	unlink(test_path(".s.jsonl.lock"));
	CHECK_INT(move(s, test_find(s, "b")), 0);
	test_close(s);
}

/*
 * Behind a broken line: a head mark comes first, because the agent's parser
 * would lose a single line.
 */
static void check_torn(void)
{
	static const char torn[] = CHAIN "{'type':'custom','data':[1,";
	struct session *s = test_session(torn);
	CHECK_INT(move(s, test_find(s, "b")), 0);
	CHECK_ID(s, session_head(s), "b");
	CHECK_INT(lines_behind(torn), 3);
	test_close(s);

	s = test_session(torn);
	CHECK_INT(dialect_label(s, "a", "L"), 0);
	CHECK_ID(s, session_head(s), "c");
	CHECK_SPAN(session_label(s, test_find(s, "a")), SPAN("L"));
	CHECK_INT(lines_behind(torn), 3);
	/* It is a bad line like any other now. */
	CHECK_INT(dialect_label(s, "a", ""), 0);
	CHECK_INT(lines_behind(torn), 4);
	test_close(s);

	/* The same with a newline behind it, and empty lines. */
	static const char ended[] = CHAIN "{'type':'custom','data':[1,\n\n";
	s = test_session(ended);
	CHECK_INT(move(s, test_find(s, "b")), 0);
	CHECK_INT(lines_behind(ended), 2);
	CHECK_INT(move(s, test_find(s, "a")), 0);
	CHECK_INT(lines_behind(ended), 3);
	test_close(s);
}

/* A version 1 file keeps its slot, to the byte. */
static void check_migration(void)
{
	static const char slot[] = "{'type':'title','v':1,'title':'T',"
				   "'updatedAt':'x','pad':'  '}\n";
	static const char rest[] =
		"{'type':'session','id':'s','timestamp':"
		"'2026-03-01T10:00:00.000Z','cwd':'/w'}\n"
		"{'type':'message','timestamp':'2026-03-01T10:00:01.000Z',"
		"'message':{'role':'user','content':'q'}}\n"
		"{'type':'message','timestamp':'2026-03-01T10:00:02.000Z',"
		"'message':{'role':'hookMessage','content':'h'}}\n";
	struct buf text = { 0 };
	buf_adds(&text, slot);
	buf_adds(&text, rest);
	struct session *s = test_session(buf_cstr(&text));
	CHECK(s->now.linear);
	CHECK_INT(s->now.index.n, 2);
	CHECK_INT(move(s, 0), 0);
	CHECK_INT(session_head(s), 0);
	CHECK(!s->now.linear);
	CHECK_INT(lines_behind(slot), 4);
	buf_free(&text);
	test_close(s);
}

int main(void)
{
	check_writes();
	check_busy();
	check_torn();
	check_migration();
	return test_done("omp_write");
}
