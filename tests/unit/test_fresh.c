/*
 * What a file changes with (fs/tree/fresh.h): whenever the bytes of a file or
 * the listing of a folder are others, its time is another.
 */
#include "fs/tree/fresh.h"

#include "core/base/hash.h"
#include "core/session/writer.h"
#include "fs/edit/line_file.h"
#include "fs/tree/tree.h"
#include "tests/unit/tree_test.h"

struct seen {
	uint64_t ino;
	enum node_kind kind;
	struct timespec time;
	uint64_t bytes; /* a digest, or that of the names in it */
};

/* All files and folders of a session, in the order in which they are found. */
struct all {
	struct seen list[512];
	size_t n;
};

static void add(struct all *a, const struct node *n)
{
	const uint64_t ino = ino_of(n);
	if (node_kinds[n->kind].type == S_IFLNK || n->kind == KIND_APPEND)
		return;
	for (size_t i = 0; i < a->n; i++)
		if (a->list[i].ino == ino)
			return;
	test_need(a->n < COUNT(a->list), "room");
	a->list[a->n++] = (struct seen){ .ino = ino, .kind = n->kind };
}

/* The files in a folder, and their names. */
static void list(struct tree_test *t, struct all *a, const struct node *dir,
		 struct buf *names)
{
	uint64_t position = DIR_AFTER_DOTS;
	struct node n;
	while (dir_next(&t->tree, dir, &position, names, &n) > 0) {
		buf_addc(names, '/');
		if (n.place == dir->place)
			add(a, &n);
		dir_put(dir, &n);
	}
	/* And those that are not listed. */
	for (int k = 0; k < KIND_COUNT; k++) {
		const char *name = node_kinds[k].name;
		if (!name || dir_lookup(&t->tree, dir, span_of(name), &n) != 0)
			continue;
		if (n.place == dir->place)
			add(a, &n);
		dir_put(dir, &n);
	}
}

/* Rendered anew; the cache has the same. */
static void read_file(struct tree_test *t, const struct node *n,
		      struct buf *bytes)
{
	const struct render_request want = { .size = 1 << 20 };
	struct rendering *r;
	uint64_t at;
	if (!CHECK_INT(render_read(&t->tree, n, &want, &r, &at), 0))
		return;
	if (node_kinds[n->kind].parts || n->kind == KIND_SESSIONS)
		buf_add(bytes, buf_span(&r->bytes));
	else
		CHECK_INT(node_render(n, bytes), 0);
	CHECK_SPAN(buf_span(&r->bytes), buf_span(bytes));
	cache_put(r);
}

/* Look at everything from the root on. */
static void look(struct tree_test *t, struct all *a)
{
	*a = (struct all){ .n = 1, .list[0] = { .ino = KIND_ROOT } };
	for (size_t i = 0; i < a->n; i++) {
		struct seen *seen = &a->list[i];
		struct buf bytes = { 0 };
		struct node n;
		struct stat st;
		test_need(edit_enter(&t->edit, seen->ino, &n) == 0, "enter");
		seen->kind = n.kind;
		CHECK_INT(attr_fill(&t->tree, &n, &st), 0);
		seen->time = st.st_mtim;
		if (S_ISDIR(st.st_mode))
			list(t, a, &n, &bytes);
		else
			read_file(t, &n, &bytes);
		tree_leave(&n);
		seen->bytes = hash_line(buf_span(&bytes), 0);
		buf_free(&bytes);
	}
}

static const struct seen *find(const struct all *a, uint64_t ino)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->list[i].ino == ino)
			return &a->list[i];
	return NULL;
}

/* Something was done: at least so many files have other bytes than before. */
static void check_change(struct tree_test *t, struct all *before,
			 const char *what, unsigned least)
{
	struct all after;
	unsigned n = 0;
	look(t, &after);
	for (size_t i = 0; i < before->n; i++) {
		const struct seen *x = &before->list[i];
		const struct seen *y = find(&after, x->ino);
		if (!y || x->bytes == y->bytes)
			continue;
		n++;
		test_row = node_kinds[x->kind].name;
		CHECK(x->time.tv_sec != y->time.tv_sec ||
		      x->time.tv_nsec != y->time.tv_nsec);
	}
	test_row = what;
	CHECK(n >= least);
	test_row = NULL;
	*before = after;
}

static void set_line(struct tree_test *t, const char *path, const char *line)
{
	CHECK_INT(line_file_write(&t->edit, tree_test_find(t, path), 0,
				  span_of(line)),
		  0);
}

static void move_head(struct tree_test *t, uint32_t entry)
{
	struct writer w;
	struct place *at = places_get(&t->places, 0);
	CHECK_INT(writer_begin(&w, at->session), 0);
	CHECK_INT(writer_set_head(&w, entry), 0);
	writer_end(&w);
	place_put(at);
}

static void hide_head(struct tree_test *t)
{
	struct node root;
	test_need(edit_enter(&t->edit, KIND_ROOT, &root) == 0, "enter");
	const struct node head = node_head(root.place);
	staged_hide(&t->edit.staged, &head);
	tree_leave(&root);
}

TEST(check_pi)
{
	struct tree_test t;
	struct all a;
	tree_test_open(&t, test_file("s.jsonl", TREE_SESSION));
	look(&t, &a);
	CHECK(a.n > 50);
	check_change(&t, &a, "nothing", 0);
	/* by-id/ and its parent's two folders; the files of the root. */
	test_append("s.jsonl", USER("ee000001", "'aa000004'", "new"));
	check_change(&t, &a, "a child", 8);
	test_append("s.jsonl", USER("ee000002", "'aa000001'", "more"));
	check_change(&t, &a, "another child", 8);
	set_line(&t, "by-id/aa000003/label", "x");
	check_change(&t, &a, "a label", 5);
	set_line(&t, "by-id/aa000003/label", "y");
	check_change(&t, &a, "another label", 5);
	set_line(&t, "by-id/aa000003/label", "");
	check_change(&t, &a, "no label", 5);
	set_line(&t, "name", "x");
	check_change(&t, &a, "a name", 2);
	/* A file that is touched, and the result of that, which renames. */
	test_append("s.jsonl",
		    MESSAGE("ee000003", "'aa000001'", "assistant",
			    ",'content':[{'type':'toolCall','id':'c','name':'"
			    "edit','arguments':{'path':'src/wc.c'}}]"));
	check_change(&t, &a, "a touch", 9);
	test_append("s.jsonl",
		    MESSAGE("ee000004", "'ee000003'", "toolResult",
			    ",'toolCallId':'c','isError':true,'content':[]"));
	check_change(&t, &a, "a touch that failed", 9);
	move_head(&t, 1);
	check_change(&t, &a, "HEAD", 3);
	hide_head(&t);
	check_change(&t, &a, "no HEAD", 1);
	tree_test_close(&t);
}

/* A linear session, to whose entries migration gives ids. */
TEST(check_migration)
{
	struct tree_test t;
	struct all a;
	tree_test_open(&t, test_copy("v1.jsonl", "fresh-v1"));
	look(&t, &a);
	set_line(&t, "name", "x");
	check_change(&t, &a, "migrated", 4);
	tree_test_close(&t);
}

/* The files of subagents come later than their lines, and go. */
TEST(check_files_beside)
{
	struct tree_test t;
	struct all a;
	tree_test_open(&t, test_copy("c.jsonl", "fresh-beside"));
	look(&t, &a);
	test_need(mkdir(test_path("c"), 0755) == 0 &&
			  mkdir(test_path("c/subagents"), 0755) == 0 &&
			  mkdir(test_path("c/tool-results"), 0755) == 0,
		  "mkdir");
	check_change(&t, &a, "subagents/", 1);
	const char *agent = test_file("c/subagents/agent-a1.jsonl", "");
	check_change(&t, &a, "a subagent", 1);
	test_need(unlink(agent) == 0, agent);
	check_change(&t, &a, "no subagent", 1);
	test_file("c/tool-results/t.txt", "one\n");
	check_change(&t, &a, "an output", 2);
	test_file("c/tool-results/t.txt", "two, longer\n");
	check_change(&t, &a, "another output", 2);
	tree_test_close(&t);
}

/* The result of a call that was made at once with another one. */
TEST(check_context)
{
	struct tree_test t;
	struct all a;
	tree_test_open(&t, test_copy("g.jsonl", "fresh-calls"));
	look(&t, &a);
	test_append_copy("g.jsonl", "fresh-result");
	check_change(&t, &a, "another result", 10);
	tree_test_close(&t);
}

RUN_TESTS("fresh")
