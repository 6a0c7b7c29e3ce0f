/* What the kernel may cache, and what of it is invalidated (fs/kernel). */
#include "fs/kernel/notify.h"

#include <sys/eventfd.h>

#include "core/session/writer.h"
#include "fs/edit/line_file.h"
#include "fs/kernel/timeouts.h"
#include "fs/tree/tree.h"
#include "fs/tree/views.h"
#include "tests/unit/fake_clock.h"
#include "tests/unit/fake_kernel.h"

struct mount {
	struct places places;
	struct fs fs;
	struct fuse_session kernel;
	struct place *at; /* SOURCE */
};

/* `poll` is as for fs_init(). One session stays in memory. */
static void open_source(struct mount *m, const char *path, double poll)
{
	const struct session_opening how = { .dialects = &dialect_registry };
	const char *why = NULL;
	*m = (struct mount){ .kernel.fs = &m->fs };
	test_need(places_init(&m->places, path, &how, 1, &fs_attachment,
			      &why) == 0,
		  path);
	test_need(fs_init(&m->fs, &m->places, "/mnt/s", "/mnt/s", poll) == 0,
		  "fs_init");
	m->fs.kernel = &m->kernel;
	m->fs.edit.may_defer = true;
	m->at = places_get(&m->places, 0);
}

static void open_mount(struct mount *m, const char *session)
{
	open_source(m, test_file("s.jsonl", session), 0);
}

static void close_mount(struct mount *m)
{
	place_put(m->at);
	fs_free(&m->fs);
	places_free(&m->places);
	buf_free(&m->kernel.calls);
	buf_free(&m->kernel.inos);
}

static void enter(struct mount *m)
{
	CHECK_INT(notify_enter(&m->fs, m->at), 0);
}

/* Enter and leave; the kernel was notified of these files. */
static void check_enter(struct mount *m, const char *want)
{
	enter(m);
	place_leave(m->at);
	CHECK_BUF(&m->kernel.calls, want);
}

/* The kernel caches the attributes of an entry's file. */
static void cache(struct mount *m, enum node_kind kind, uint32_t entry)
{
	const struct node n = { .kind = kind, .entry = entry, .place = m->at };
	enter(m);
	CHECK_INT(notify_caching(&n), 0);
	place_leave(m->at);
}

/* It caches those of by-id/ and tree/, and of an entry's folders in them. */
static void cache_views(struct mount *m, uint32_t entry)
{
	cache(m, KIND_BY_ID, 0);
	cache(m, KIND_TREE, 0);
	cache(m, KIND_TREE_ENTRY, entry);
	cache(m, KIND_ID_ENTRY, entry);
}

#define PI HEADER USER("a0", "null", "x") USER("a1", "'a0'", "y")

TEST(check_children)
{
	struct mount m;
	open_mount(&m, PI);
	check_enter(&m, "");
	check_enter(&m, "");
	/* The kernel has nothing that it was not sent. */
	test_append("s.jsonl", USER("a2", "'a0'", "z"));
	check_enter(&m, "");
	cache_views(&m, 0);
	test_append("s.jsonl", USER("a3", "'a0'", "z"));
	check_enter(&m, "tree by-id tree/0 by-id/0");
	check_enter(&m, "");
	/* Nor has it what was invalidated, until it asks again. */
	test_append("s.jsonl", USER("a4", "'a0'", "z"));
	check_enter(&m, "");
	cache(&m, KIND_TREE_ENTRY, 0);
	test_append("s.jsonl", USER("a5", "'a0'", "z") USER("a6", "'a1'", "z")
				       USER("a7", "'a0'", "z"));
	check_enter(&m, "tree/0");
	close_mount(&m);
}

/* Another line arrives while the kernel is notified of the first one. */
static void append_more(struct fs *fs)
{
	(void)fs;
	test_append("s.jsonl", USER("a3", "'a1'", "z"));
}

TEST(check_during)
{
	struct mount m;
	open_mount(&m, PI);
	cache_views(&m, 0);
	cache_views(&m, 1);
	m.kernel.during = append_more;
	test_append("s.jsonl", USER("a2", "'a0'", "z"));
	check_enter(&m, "tree by-id tree/0 by-id/0 tree/1 by-id/1");
	close_mount(&m);
}

#define LABEL(id, parent, target, text) \
	ENTRY("label", id, parent,      \
	      ",'targetId':'" target "','label':'" text "'")

/* The links of a call to the subagents that it has started since. */
TEST(check_subagents)
{
	struct mount m;
	open_source(&m, test_copy("s.jsonl", "notify-calls"), 0);
	cache_views(&m, 0);
	test_append_copy("s.jsonl", "notify-started-1");
	check_enter(&m, "tree by-id by-id/0");
	cache_views(&m, 0);
	test_append_copy("s.jsonl", "notify-started-2");
	check_enter(&m, "tree by-id by-id/0");
	cache_views(&m, 0);
	test_append_copy("s.jsonl", "notify-started-3");
	check_enter(&m, "tree by-id");
	close_mount(&m);
}

/* Other lines: nothing of what was cached is valid. */
TEST(check_epoch)
{
	struct mount m;
	open_mount(&m, PI);
	for (enum node_kind k = KIND_TREE_ENTRY; k < KIND_COUNT; k++)
		if (k <= KIND_ENTRY_AS_FILE && k != KIND_PICTURE)
			cache(&m, k, 1);
	cache_views(&m, 0);
	const struct node picture = {
		.kind = KIND_PICTURE, .entry = 0, .nth = 2, .place = m.at
	};
	enter(&m);
	uint32_t old = m.at->epoch_number;
	CHECK_INT(notify_caching(&picture), 0);
	place_leave(m.at);
	test_file("s.jsonl", HEADER USER("b0", "null", "x"));
	check_enter(&m, "tree by-id tree/0 tree/1 by-id/0 by-id/1 1/content "
			"1/label 1/meta 0/1.ext 0/2.ext 1/context.txt "
			"1/context.json 1/branch.jsonl 1/raw.json 1/words "
			"1/as 1/as/0");
	CHECK_INT(m.kernel.place, old);
	CHECK(m.at->epoch_number != old);
	/* It has none of the new ones. */
	test_append("s.jsonl", USER("b1", "'b0'", "x"));
	check_enter(&m, "");
	close_mount(&m);
}

/* Enter a session of the folder that is mounted. */
static void check_enter_in(struct mount *m, const char *name, const char *want)
{
	struct place *folder = m->at;
	if (!CHECK_INT(place_find(folder, span_of(name), &m->at), 0))
		exit(test_done("notify"));
	check_enter(m, want);
	cache_views(m, 0);
	place_put(m->at);
	m->at = folder;
}

/* Files of which the kernel has attributes that it may keep. */
struct kept {
	struct {
		struct node n;
		uint64_t ino;
		struct stat st;
	} list[256];
	size_t n;
};

/* The kernel asks for the attributes of a file. */
static void look_at(struct mount *m, struct kept *k, const struct node *n)
{
	struct stat st;
	if (!CHECK_INT(attr_fill(&m->fs.tree, n, &st), 0) ||
	    timeout_of_attr(&m->fs, n) == 0)
		return;
	test_need(k->n < COUNT(k->list), "room");
	CHECK_INT(notify_caching(n), 0);
	k->list[k->n].n = *n;
	k->list[k->n].ino = ino_of(n);
	k->list[k->n++].st = st;
}

/* It asks for those of all files that are no links: of all kinds of a session.
 */
static void look_at_all(struct mount *m, struct kept *k)
{
	struct node n = { .kind = KIND_CONTEXT, .place = m->at };
	k->n = 0;
	enter(m);
	for (; n.kind < KIND_COUNT; n.kind++) {
		const struct node_kind_row *row = &node_kinds[n.kind];
		uint32_t end = node_kind_has_entry(n.kind)
				       ? m->at->session->now.index.n
				       : 1;
		if (row->type == S_IFLNK || n.kind == KIND_PICTURE ||
		    files_is_file(&n))
			continue;
		for (n.entry = 0; n.entry < end; n.entry++)
			look_at(m, k, &n);
	}
	place_leave(m->at);
}

/* The file is invalidated. False if the kernel does not have it. */
static bool take(struct kept *k, uint64_t ino)
{
	for (size_t i = 0; i < k->n; i++) {
		if (k->list[i].ino != ino)
			continue;
		k->list[i] = k->list[--k->n];
		return true;
	}
	return false;
}

/*
 * A change was made: so many invalidations are sent, each of a file that the
 * kernel has, and what it has besides is as it was.
 */
static void check_sent(struct mount *m, struct kept *k, unsigned want)
{
	m->kernel.n = 0;
	buf_clear(&m->kernel.calls);
	buf_clear(&m->kernel.inos);
	enter(m);
	const uint64_t *inos = (const uint64_t *)(void *)m->kernel.inos.data;
	CHECK_INT(m->kernel.n, want);
	CHECK_INT(m->kernel.inos.len / sizeof(*inos), want);
	for (size_t i = 0; i < m->kernel.inos.len / sizeof(*inos); i++)
		CHECK(take(k, inos[i]));
	for (size_t i = 0; i < k->n; i++) {
		struct stat st;
		CHECK_INT(attr_fill(&m->fs.tree, &k->list[i].n, &st), 0);
		CHECK(memcmp(&st, &k->list[i].st, sizeof(st)) == 0);
	}
	place_leave(m->at);
	CHECK_INT(resend_due(&m->fs.resend), INT64_MAX);
}

/* With everything of a session cached, what a change costs. */
TEST(check_few)
{
	struct mount m;
	struct kept k;
	struct writer w;
	open_mount(&m, PI USER("a2", "'a1'", "z") USER("a3", "'a2'", "z"));
	enter(&m);
	place_leave(m.at);

	/* by-id/ and tree/: nothing that changes of the leaf is cached. */
	look_at_all(&m, &k);
	test_append("s.jsonl", USER("a4", "'a3'", "z"));
	check_sent(&m, &k, 2);
	/* Nobody has looked since. */
	test_append("s.jsonl", USER("a5", "'a4'", "z"));
	check_sent(&m, &k, 0);

	/* And both folders of another parent. */
	look_at_all(&m, &k);
	test_append("s.jsonl", USER("a6", "'a1'", "z") USER("a7", "'a1'", "z"));
	check_sent(&m, &k, 4);

	/* A label; the second time HEAD moves to the parent. */
	look_at_all(&m, &k);
	test_append("s.jsonl", LABEL("a8", "'a7'", "a0", "one"));
	check_sent(&m, &k, 3);
	look_at_all(&m, &k);
	test_append("s.jsonl", LABEL("a9", "'a2'", "a0", "two"));
	check_sent(&m, &k, 6);

	/* The folders and the label of what HEAD points to. */
	look_at_all(&m, &k);
	CHECK_INT(writer_begin(&w, m.at->session), 0);
	CHECK_INT(writer_set_head(&w, 0), 0);
	writer_end(&w);
	check_sent(&m, &k, 5);
	close_mount(&m);
}

/* Without the session in memory no change of it would be noticed. */
TEST(check_evicted)
{
	struct mount m;
	test_need(mkdir(test_path("f"), 0755) == 0, "f");
	test_file("f/a.jsonl", PI);
	test_file("f/b.jsonl", PI);
	open_source(&m, test_path("f"), 0);
	check_enter_in(&m, "a", "");
	check_enter_in(&m, "a", "");
	CHECK_INT(m.fs.watch.n, 1);
	check_enter_in(&m, "b", "tree by-id tree/0 by-id/0");
	CHECK_INT(m.fs.watch.n, 1);
	close_mount(&m);
}

/* The root is cached in a burst alone, which a change ends. */
TEST(check_burst)
{
	struct mount m;
	double timeout = 0;
	open_mount(&m, PI);
	const struct node n = { .kind = KIND_ROOT, .place = m.at };
	enter(&m);
	for (int i = 0; i < BURST_REPLIES; i++)
		timeout = timeout_of_attr(&m.fs, &n);
	CHECK(timeout > 0);
	place_leave(m.at);
	test_append("s.jsonl", USER("a2", "'a0'", "z"));
	check_enter(&m, "root");
	enter(&m);
	CHECK(timeout_of_attr(&m.fs, &n) == 0);
	place_leave(m.at);
	close_mount(&m);
}

/* Send all that is due when it is due; how often that was. */
static unsigned resend(struct mount *m)
{
	int64_t due;
	m->kernel.n = 0;
	while ((due = resend_due(&m->fs.resend)) != INT64_MAX &&
	       m->kernel.n < 100) {
		CHECK(due > fake_now);
		fake_now = due - 1;
		unsigned n = m->kernel.n;
		resend_now(&m->fs, false);
		CHECK_INT(m->kernel.n, n);
		fake_now = due;
		resend_now(&m->fs, false);
		CHECK_INT(m->kernel.n, n + 1);
	}
	buf_clear(&m->kernel.calls);
	return m->kernel.n;
}

/* The kernel has no such inode yet, or never will. */
TEST(check_resend)
{
	struct mount m;
	eventfd_t woken;
	int64_t start = fake_now;
	open_mount(&m, PI);
	cache(&m, KIND_LABEL, 0);
	m.kernel.answer = -ENOENT;
	resend_add(&m.fs.resend, KIND_ROOT);
	CHECK_INT(resend(&m), 12);
	CHECK_INT(fake_now - start, 4095);

	/* A change of which it cannot be notified yet. */
	test_append("s.jsonl", LABEL("a2", "'a1'", "a0", "one"));
	check_enter(&m, "0/label");
	CHECK_INT(resend_due(&m.fs.resend), fake_now + 1);
	CHECK_INT(eventfd_read(m.fs.watch.events.wake, &woken), 0);
	/* A lookup sends all again, which does not count. */
	resend_now(&m.fs, true);
	CHECK_BUF(&m.kernel.calls, "0/label");
	CHECK_INT(resend_due(&m.fs.resend), fake_now + 1);
	m.kernel.answer = 0;
	resend_now(&m.fs, true);
	CHECK_BUF(&m.kernel.calls, "0/label");
	CHECK_INT(resend_due(&m.fs.resend), INT64_MAX);
	close_mount(&m);
}

/* The oldest makes room. */
TEST(check_resend_many)
{
	struct mount m;
	struct buf want = { 0 };
	open_mount(&m, PI);
	for (uint32_t i = 0; i <= RESEND_MAX; i++) {
		const struct node n = { .kind = KIND_LABEL, .entry = i };
		resend_add(&m.fs.resend, ino_encode(1, &n));
		resend_add(&m.fs.resend, ino_encode(1, &n));
		if (i > 0)
			fake_kernel_add(&want, ino_encode(1, &n), false);
	}
	resend_now(&m.fs, true);
	CHECK_SPAN(buf_span(&m.kernel.calls), buf_span(&want));
	close_mount(&m);
	buf_free(&want);
}

/* May the kernel cache the attributes of an entry's file, or others? */
static bool may_cache(struct mount *m, enum node_kind kind, uint32_t entry)
{
	const struct node n = { .kind = kind, .entry = entry, .place = m->at };
	enter(m);
	bool may = timeout_of_attr(&m->fs, &n) > 0;
	place_leave(m->at);
	return may;
}

TEST(check_timeouts)
{
	struct mount m;
	open_mount(&m, PI);
	check_enter(&m, "");
	CHECK(may_cache(&m, KIND_CONTENT, 0));
	CHECK(may_cache(&m, KIND_BY_ID, 0));
	CHECK(may_cache(&m, KIND_TREE_ENTRY, 0));
	CHECK(may_cache(&m, KIND_LABEL, 0));
	CHECK(!may_cache(&m, KIND_ROOT, 0));
	CHECK(!may_cache(&m, KIND_INFO, 0));
	/* The leaf's. */
	CHECK(may_cache(&m, KIND_CONTENT, 1));
	CHECK(!may_cache(&m, KIND_ID_ENTRY, 1));
	CHECK(!may_cache(&m, KIND_LABEL, 1));

	/* The next open must ask for the attributes: that ends the edit. */
	const struct node label = { .kind = KIND_LABEL, .place = m.at };
	enter(&m);
	uint64_t ino = ino_of(&label);
	place_leave(m.at);
	CHECK_INT(line_file_truncate(&m.fs.edit, ino, 0, true), 0);
	CHECK(!may_cache(&m, KIND_LABEL, 0));
	CHECK_INT(line_file_write(&m.fs.edit, ino, 0, SPAN("one\n")), 0);
	CHECK(!may_cache(&m, KIND_LABEL, 0));
	line_edits_end(&m.fs.edit.lines, ino);
	CHECK(may_cache(&m, KIND_LABEL, 0));
	close_mount(&m);

	/* A change is not noticed at once. */
	open_source(&m, test_file("s.jsonl", PI), 1);
	check_enter(&m, "");
	CHECK(may_cache(&m, KIND_CONTENT, 0));
	CHECK(!may_cache(&m, KIND_BY_ID, 0));
	CHECK(!may_cache(&m, KIND_LABEL, 0));
	close_mount(&m);
}

RUN_TESTS("notify")
