/*
 * Sessions of many entries, in the shapes that could cost their square, or a
 * stack: all that is made of the whole is made in a moment.
 */
#include "tests/unit/dialect_test.h"

#define MANY 100000

/* The parent of the i-th, from 1 on. */
typedef int parent_fn(int i);

static int parent_in_chain(int i)
{
	return i - 1;
}

static int parent_behind(int i)
{
	return i + 1;
}

static int parent_that_is_none(int i)
{
	return -i - 1;
}

static int parent_in_cycle(int i)
{
	return i % MANY + 1;
}

static int parent_before_bad_line(int i)
{
	return i - 2;
}

/* In lines, # is the number, and @ the parent's. */
#define PI(rest) "{'type':'message','id':'#','parentId':'@'," rest "}\n"
#define DRAFT_UUID(type)                                  \
	"{'type':'" type "','uuid':'#','parentUuid':'@'," \
	"'summary':'#','firstKeptEntryUuid':'@'}\n"
#define DRAFT_INDEX(type)                                     \
	"{'type':'" type "','parent':@,'name':'#','summary':" \
	"'#'}\n"
#define GO_TREE(kind)                                            \
	"{'id':'#','parentId':'@','kind':'" kind "','payload':{" \
	"'text':'x'}}\n"
#define UUID_HEADER                                                         \
	"{'type':'session','version':2,'uuid':'0','parentUuid':null,'id':'" \
	"abc','cwd':'/work/demo'}\n"
#define INDEX_HEADER "{'type':'session','id':'abc','parent':-1,'cwd':'/w'}\n"

static const struct large {
	const char *dialect;
	const char *header;
	const char *line;
	parent_fn *parent;
	const char *odd; /* each second line, or NULL */
} rows[] = {
	{ "pi", HEADER, PI("'message':{'role':'user','content':'x'}"),
	  parent_in_chain, NULL },
	{ "draft-uuid", UUID_HEADER, DRAFT_UUID("stack_summary"),
	  parent_in_chain, NULL },
	{ "draft-uuid", UUID_HEADER, DRAFT_UUID("stack_summary"), parent_behind,
	  NULL },
	{ "draft-uuid", UUID_HEADER, DRAFT_UUID("stack_summary"),
	  parent_that_is_none, NULL },
	{ "draft-uuid", UUID_HEADER, DRAFT_UUID("stack_summary"),
	  parent_in_cycle, NULL },
	{ "draft-uuid", UUID_HEADER, DRAFT_UUID("compaction"), parent_in_chain,
	  NULL },
	{ "draft-index", INDEX_HEADER, DRAFT_INDEX("stack_summary"),
	  parent_in_chain, NULL },
	{ "draft-index", INDEX_HEADER, DRAFT_INDEX("stack_summary"),
	  parent_behind, NULL },
	{ "draft-index", INDEX_HEADER, DRAFT_INDEX("stack_summary"),
	  parent_that_is_none, NULL },
	{ "draft-index", INDEX_HEADER, DRAFT_INDEX("stack_summary"),
	  parent_in_cycle, NULL },
	{ "draft-index", INDEX_HEADER, DRAFT_INDEX("stack_summary"),
	  parent_before_bad_line, "{bad\n" },
	{ "draft-index", INDEX_HEADER, DRAFT_INDEX("head"), parent_in_chain,
	  NULL },
	{ "go-tree", "", GO_TREE("turn.user"), parent_in_chain, NULL },
	{ "go-tree", "", GO_TREE("turn.user"), parent_behind, NULL },
	{ "go-tree", "", GO_TREE("turn.user"), parent_that_is_none, NULL },
	{ "go-tree", "", GO_TREE("turn.user"), parent_in_cycle, NULL },
	{ "go-tree", "", GO_TREE("compaction"), parent_in_chain, NULL },
};

static void add_line(struct buf *out, const char *line, int number, int parent)
{
	for (; *line; line++) {
		if (*line == '#')
			buf_addf(out, "%d", number);
		else if (*line == '@')
			buf_addf(out, "%d", parent);
		else
			buf_addc(out, *line == '\'' ? '"' : *line);
	}
}

static void check_row(const struct large *row)
{
	struct buf b = test_quoted(row->header);
	test_row = row->line;
	for (int i = 1; i <= MANY; i++) {
		if (row->odd && i % 2 == 1)
			buf_adds(&b, row->odd);
		else
			add_line(&b, row->line, i, row->parent(i));
	}
	test_put(test_path("s.jsonl"), O_TRUNC, buf_span(&b));
	/* The Go tree's. */
	test_file("s.head.json", "{'head':'99999'}");
	struct session *s = dialect_open("s.jsonl", row->dialect);
	uint32_t last = s->now.index.n - 1;
	CHECK(s->now.index.n >= MANY / (row->odd ? 2 : 1));
	if (strcmp(row->dialect, "go-tree") == 0)
		CHECK_ID(s, session_head(s), "99999");
	buf_clear(&b);
	CHECK_INT(context_add(s, s->now.leaf, MESSAGE_FORM_TEXT, &b), 0);
	CHECK_INT(s->dialect->sending->branch(s, last, 1, &b), 0);
	CHECK_INT(info_add(s, &b), 0);
	if (row == rows) {
		CHECK_INT(page_add(s, &b), 0);
		CHECK_INT(outline_add(s, false, 0, &b), 0);
		/* It is indented only where it branches. */
		CHECK(memmem(b.data, b.len, "\n99998 user  x\n", 15) != NULL);
	}
	test_close(s);
	buf_free(&b);
}

/* A long header is not read again for each line after it. */
static void check_long_header(void)
{
	struct buf b = test_quoted("{'type':'session','id':'i','x':'");
	struct timespec before;
	struct timespec after;
	buf_fill(&b, 'x', 4 << 20);
	buf_adds(&b, "\"}\n");
	for (int i = 0; i < 20000; i++)
		buf_adds(&b, "{\"type\":\"message\"}\n");
	test_put(test_path("s.jsonl"), O_TRUNC, buf_span(&b));
	buf_free(&b);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
	struct session *s = dialect_open("s.jsonl", "draft-uuid");
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
	CHECK_INT(s->now.index.n, 20001);
	CHECK(after.tv_sec - before.tv_sec < 5);
	test_close(s);
}

/* What is in a context is whole. */
static void check_long_result(void)
{
	struct buf b = { 0 };
	struct buf want = { 0 };
	buf_adds(&b, HEADER MESSAGE("a", "null", "toolResult",
				    ",'content':[{'type':'text','text':'"));
	b.len -= strlen("}}\n");
	buf_fill(&b, 'x', 300000);
	buf_adds(&b, "'}]}}\n");
	buf_adds(&want, "[Tool result]: ");
	buf_fill(&want, 'x', 300000);
	struct session *s = test_session(buf_cstr(&b));
	dialect_check_text(s, "a", buf_cstr(&want));
	test_close(s);
	buf_free(&b);
	buf_free(&want);
}

int main(void)
{
	for (size_t i = 0; i < COUNT(rows); i++)
		check_row(&rows[i]);
	test_row = NULL;
	check_long_header();
	check_long_result();
	return test_done("large");
}
