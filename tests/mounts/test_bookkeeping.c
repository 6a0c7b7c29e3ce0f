/*
 * Bookkeeping: entries that only describe others (labels, head marks, names) do
 * not change HEAD, the drawn tree or the tips. by-id/ and tree/ have them all.
 */
#include "tests/mounts/claude.h"
#include "tests/mounts/mounts.h"

#define BRANCHES "pi-v3-branches.jsonl"
#define LABEL(id, parent, target, text) \
	ENTRY("label", id, parent,      \
	      ",'targetId':'" target "','label':'" text "'")

/* A line of tree.txt without HEAD's mark, and then without labels. */
static struct span unmarked(struct span line)
{
	if (span_ends(line, SPAN(" ← HEAD")))
		line.n -= strlen(" ← HEAD");
	if (!span_ends(line, SPAN("]")))
		return line;
	size_t at = line.n - 1;
	while (at > 0 && line.p[at] != '[' && line.p[at - 1] != ']')
		at--;
	if (at > 0 && line.p[at] == '[' && line.p[at - 1] == ' ')
		line.n = at - 1;
	return line;
}

/* tree.txt without marks, and the tips. The caller frees it. */
static struct buf look(void)
{
	struct buf b = { 0 };
	for (struct span rest = text_of("tree.txt"); rest.n > 0;) {
		buf_add(&b, unmarked(span_next_line(&rest)));
		buf_addc(&b, '\n');
	}
	buf_adds(&b, "tips: ");
	buf_add(&b, names_in("branches"));
	buf_adds(&b, "\nbranches: ");
	buf_add(&b, value_in("info", "branches"));
	buf_addc(&b, '\n');
	return b;
}

static void check_looks_as(const struct buf *seen)
{
	struct buf now = look();
	CHECK_SPAN(buf_span(&now), buf_span(seen));
	buf_free(&now);
}

static size_t count_lines(struct span s)
{
	size_t n = 0;
	while (s.n > 0)
		n += span_next_line(&s).n > 0;
	return n;
}

static size_t folders;
static int count_folder(const char *path, const struct stat *st, int type,
			struct FTW *ftw)
{
	(void)path;
	(void)st;
	folders += type == FTW_D && ftw->level > 0;
	return 0;
}

static size_t count_in_tree(void)
{
	folders = 0;
	CHECK_INT(nftw("tree", count_folder, 64, FTW_PHYS), 0);
	return folders;
}

struct books {
	const char *first, *second, *name; /* NULL for a format without one */
	size_t more;			   /* entries that this makes */
};

/* Move HEAD six times, to two entries in turn; label both; set the name. */
static void keep_books(struct books b)
{
	char first[128], second[128], label[160], name[64];
	size_t n = test_count_names("by-id", "");
	snprintf(first, sizeof(first), "by-id/%s", b.first);
	snprintf(second, sizeof(second), "by-id/%s", b.second);
	for (int i = 0; i < 3; i++) {
		CHECK_INT(move_head(first), 0);
		CHECK_HEAD(first);
		CHECK_INT(move_head(second), 0);
		CHECK_HEAD(second);
	}
	snprintf(label, sizeof(label), "%s/label", first);
	CHECK_INT(put(label, "one\n"), 0);
	CHECK_INT(put("HEAD/label", "two\n"), 0);
	snprintf(label, sizeof(label), "%s/label", second);
	CHECK_FILE(label, "two\n");
	if (b.name) {
		snprintf(name, sizeof(name), "%s\n", b.name);
		CHECK_INT(put("name", name), 0);
		CHECK_FILE("name", name);
	}
	CHECK_HEAD(second);
	CHECK_INT(test_count_names("by-id", ""), n + b.more);
	CHECK_INT(count_in_tree(), n + b.more);
}

/* keep_books in a fixture. It looks the same before, after and when mounted
 * again, and HEAD stays. The caller frees how it looks. */
static struct buf books_in(const char *name, struct books b)
{
	char head[128];
	mount_fixture(name);
	struct buf seen = look();
	keep_books(b);
	check_looks_as(&seen);
	unmount();
	mount_session();
	check_looks_as(&seen);
	snprintf(head, sizeof(head), "by-id/%s", b.second);
	CHECK_HEAD(head);
	return seen;
}

/* A folder's path and the id of the last line; good for the next seven calls
 * of test_path(). */
static const char *of_last(const char *before, const char *after)
{
	char path[128];
	struct span id = last("id");
	snprintf(path, sizeof(path), "%s%.*s%s", before, (int)id.n, id.p,
		 after);
	return test_path(path) + strlen(test_folder) + 1;
}

/* How many lines of the session have this type? */
static size_t count_type(const char *type)
{
	char member[64];
	size_t n = 0;
	snprintf(member, sizeof(member), "\"type\":\"%s\"", type);
	for (struct span rest = text_of(mounts_session); rest.n > 0;) {
		struct span line = span_next_line(&rest);
		n += memmem(line.p, line.n, member, strlen(member)) != NULL;
	}
	return n;
}

/* Rules: H6 */
static void of_pi(void)
{
	struct buf seen =
		books_in(BRANCHES,
			 (struct books){ "aa000004", "aa000011", "a name", 9 });
	CHECK_INT(append("{\"role\":\"user\",\"content\":\"go on\"}\n"), 0);
	CHECK_HEAD(of_last("by-id/", ""));
	CHECK_LAST("type", "message");
	/* One line more, and one tip in another's place. */
	struct buf now = look();
	CHECK_INT(count_lines(buf_span(&now)),
		  count_lines(buf_span(&seen)) + 1);
	CHECK_HAS("tree.txt", "user  go on ← HEAD\n");
	CHECK(S_ISLNK(stat_of(of_last("branches/", "")).st_mode));
	CHECK_INT(ERRNO(access("branches/aa000011", F_OK)), ENOENT);
	buf_free(&now);
	buf_free(&seen);
}

static void of_omp(void)
{
	struct buf seen = books_in(
		"omp-v3-basic.jsonl",
		(struct books){ "11000004", "11000010", "a title", 9 });
	CHECK_LAST("type", "title_change");
	buf_free(&seen);
}

static void without_a_name(void)
{
	struct buf seen = books_in("draft000-uuid.jsonl",
				   (struct books){ "m2", "m4", NULL, 8 });
	CHECK_INT(count_type("head"), 6);
	buf_free(&seen);
	unmount();
	seen = books_in("draft003-index.jsonl",
			(struct books){ "2", "4", NULL, 8 });
	buf_free(&seen);
	unmount();
	/* HEAD and labels: a file of its own, and entries. */
	mount_fixture("go-tree.jsonl");
	seen = look();
	struct buf ids = { 0 };
	buf_add(&ids, listed_in("by-id"));
	struct span rest = buf_span(&ids);
	struct span one = span_next(&rest, ' '), two = span_next(&rest, ' ');
	char first[64], second[64];
	snprintf(first, sizeof(first), "%.*s", (int)one.n, one.p);
	snprintf(second, sizeof(second), "%.*s", (int)two.n, two.p);
	keep_books((struct books){ first, second, NULL, 2 });
	check_looks_as(&seen);
	buf_free(&ids);
	buf_free(&seen);
}

static void of_claude(void)
{
	static const char *const types[] = { "assistant", "last-prompt",
					     "user" };
	size_t n = 0;
	mount_lines(CLAUDE_USER("1", "null", "one") CLAUDE_ANSWER(
		"2", BELOW("1"), "two") CLAUDE_USER("3", BELOW("2"), "three"));
	struct buf seen = look();
	keep_books((struct books){ UUID("1"), UUID("3"), NULL, 0 });
	check_looks_as(&seen);
	buf_free(&seen);
	/* There is no line of another type. */
	for (struct span rest = text_of(mounts_session); rest.n > 0;) {
		struct span line = span_next_line(&rest), type;
		cJSON *json = cJSON_ParseWithLength(line.p, line.n);
		type = span_of(cJSON_GetStringValue(
			cJSON_GetObjectItem(json, "type")));
		size_t i = 0;
		while (i < COUNT(types) && !span_eq(type, span_of(types[i])))
			i++;
		CHECK(i < COUNT(types));
		n |= (size_t)1 << i;
		cJSON_Delete(json);
	}
	CHECK_INT(n, 7);
}

#define EXITED                                                           \
	ENTRY("mode_change", "00000003", "'00000002'", ",'mode':'none'") \
	ENTRY("custom", "00000004", "'00000003'",                        \
	      ",'customType':'session_exit','data':{}")

/* Rules: H6 */
static void notes(void)
{
	mount_lines(HEADER USER("00000001", "null", "one")
			    ASSISTANT("00000002", "'00000001'", "two") EXITED);
	CHECK_VALUE("info", "dialect", "omp");
	CHECK_HEAD("by-id/00000002");
	CHECK_FILE("HEAD/content", "two\n");
	CHECK_VALUE("info", "leaf", "00000004");
	CHECK_NAMES("path", "0001-user-one 0002-assistant-two ");
	CHECK_NAMES("branches", "00000004 ");
	/* The agent goes on below them. */
	append_user("00000005", "00000004", "three");
	CHECK_HEAD("by-id/00000005");
	CHECK_NAMES("path", "0001-user-one 0002-assistant-two "
			    "0003-mode_change 0004-custom 0005-user-three ");
	/* Who moves HEAD to one of them is shown what is above it. */
	CHECK_INT(move_head("by-id/00000004"), 0);
	CHECK_HEAD("by-id/00000002");
	CHECK_LAST("parentId", "00000004");
	CHECK_INT(move_head("by-id/00000004"), 0);
	CHECK_INT(session_lines(), 7);
	/* Its answer is another place than below the notes. */
	CHECK_INT(move_head("by-id/00000002"), 0);
	CHECK_HEAD("by-id/00000002");
	CHECK_LAST("parentId", "00000002");
	unmount();
	mount_session();
	CHECK_HEAD("by-id/00000002");
}

enum { TIPS = 3000 };

/* The number of a tip, TIPS for "later"; -1 for another name. */
static int tip_of(const char *name)
{
	char again[16];
	int n = (int)strtol(name + 1, NULL, 10);
	if (strcmp(name, "later") == 0)
		return TIPS;
	snprintf(again, sizeof(again), "t%04d", n);
	return n >= 0 && n < TIPS && strcmp(name, again) == 0 ? n : -1;
}

/* List branches: each tip's inode number. After a hundred names, an entry is
 * added. */
static void list_tips(ino_t *inodes, bool adds)
{
	const struct dirent *d;
	int n = 0;
	DIR *dir = opendir("branches");
	test_need(dir != NULL, "branches");
	while ((d = readdir(dir))) {
		if (d->d_name[0] == '.')
			continue;
		int tip = tip_of(d->d_name);
		test_row = d->d_name;
		if (CHECK(tip >= 0) && CHECK(inodes[tip] == 0))
			inodes[tip] = d->d_ino;
		test_row = NULL;
		if (n++ == 100 && adds)
			append_user("later", "l0000", "y");
	}
	closedir(dir);
}

static void open_listing(void)
{
	static ino_t inodes[TIPS + 1], again[TIPS + 1];
	struct buf b = { 0 };
	buf_adds(&b, HEADER USER("root", "null", "x"));
	for (int i = 0; i < TIPS; i++)
		buf_addf(&b,
			 USER("t%04d", "'root'", "x")
				 LABEL("l%04d", "'t%04d'", "root", "x"),
			 i, i, i);
	buf_addc(&b, '\0');
	mount_lines(b.data);
	buf_free(&b);
	list_tips(inodes, true);
	list_tips(again, false);
	CHECK(again[0] == 0);
	for (int i = 1; i <= TIPS; i++) {
		CHECK(inodes[i] != 0);
		CHECK_INT(again[i], inodes[i]);
	}
}

static void long_chain(void)
{
	struct buf b = { 0 };
	char up[16] = "root";
	buf_adds(&b, HEADER USER("root", "null", "x"));
	for (int i = 0; i < 100000; i++) {
		buf_addf(&b,
			 LABEL("l%d", "'%s'", "root", "x")
				 USER("m%d", "'l%d'", "y"),
			 i, up, i, i);
		snprintf(up, sizeof(up), "l%d", i);
	}
	buf_addc(&b, '\0');
	mount_lines(b.data);
	buf_free(&b);
	CHECK_INT(test_count_names("branches", ""), 100000);
	CHECK_INT(count_lines(text_of("tree.txt")), 100001);
	CHECK_HEAD("by-id/m99999");
	CHECK_INT(move_head("by-id/l99999"), 0);
	CHECK_HEAD("by-id/root");
}

static void label_on_it(void)
{
	char link[80];
	mount_fixture(BRANCHES);
	CHECK_INT(put("name", "x\n"), 0);
	snprintf(link, sizeof(link), "../%s", of_last("by-id/", ""));
	const char *label = of_last("by-id/", "/label");
	CHECK_INT(put(label, "odd\n"), 0);
	CHECK_FILE(label, "odd\n");
	CHECK_LINK("by-label/odd", link);
	CHECK_HEAD("by-id/aa000025");
}

static void no_tip(void)
{
	mount_fixture(BRANCHES);
	CHECK_INT(put("name", "x\n"), 0);
	CHECK_INT(move_head(of_last("branches/", "")), ENOENT);
	CHECK_INT(move_head("branches/aa000011"), 0);
	CHECK_HEAD("by-id/aa000011");
}

static const struct mounts_test tests[] = {
	TEST("pi: moves, labels and a name do not change the drawn tree",
	     of_pi),
	TEST("omp: the same, with title_change", of_omp),
	TEST("drafts and Go trees: the same, without a name", without_a_name),
	TEST("Claude Code: moves are lines that are no entries, and labels are "
	     "elsewhere",
	     of_claude),
	TEST("HEAD looks through notes, below which the agent goes on", notes),
	TEST("a listing of branches that is open goes on where it was",
	     open_listing),
	FULL_TEST(
		"tips and bookkeeping are found in a chain of 100,000 of each",
		long_chain),
	TEST("a label on bookkeeping is set, and found by its name",
	     label_on_it),
	TEST("branches/ID leads nowhere for bookkeeping, and HEAD can't be "
	     "moved by it",
	     no_tip),
};
RUN_TESTS(tests)
