#include "core/places/walk.h"

#include <errno.h>

#include "core/places/private.h"
#include "tests/unit/test.h"

static const char *folder;

static void start(struct places *p, const char *path)
{
	const struct session_opening how = { .dialects = &dialect_registry };
	const char *reason;
	CHECK_INT(places_init(p, path, &how, 2, NULL, &reason), 0);
}

static void make_folder(const char *name)
{
	test_need(mkdir(test_path(name), 0700) == 0, name);
}

static int by_path(const void *a, const void *b)
{
	const struct place *x = *(struct place *const *)a;
	const struct place *y = *(struct place *const *)b;
	return strcmp(x->mount_path, y->mount_path);
}

/* The paths of the sessions below a place, sorted. */
static int list_below(struct place *from, struct buf *paths)
{
	struct walk w = { .from = from };
	struct place *found[16] = { NULL };
	struct place *at;
	size_t n = 0;
	int err = walk_start(&w);
	while ((at = walk_next(&w))) {
		CHECK(at->state->pins > 0);
		test_need(n < COUNT(found), "found");
		found[n++] = at;
	}
	qsort(found, n, sizeof(struct place *), by_path);
	for (size_t i = 0; i < n; i++) {
		buf_addf(paths, "%s ", found[i]->mount_path);
		place_put(found[i]);
	}
	walk_end(&w);
	return err;
}

static void check_found(void)
{
	struct places p;
	struct buf paths = { 0 };
	start(&p, folder);
	make_folder("folder/a");
	make_folder("folder/a/d");
	make_folder("folder/empty");
	test_file("folder/a/d/deep.jsonl", HEADER);
	test_file("folder/a/b.jsonl", HEADER);
	test_file("folder/a/none.jsonl", "no session\n");
	test_file("folder/a.jsonl", HEADER);
	test_file("folder/a-.jsonl", HEADER);
	test_file("folder/b.txt", "");
	CHECK_INT(list_below(p.source, &paths), 0);
	CHECK_BUF(&paths, "a a%2F/b a%2F/d/deep a- ");
	struct place *a = NULL;
	CHECK_INT(place_find(p.source, SPAN("a%2F"), &a), 0);
	CHECK_INT(list_below(a, &paths), 0);
	CHECK_BUF(&paths, "a%2F/b a%2F/d/deep ");
	place_put(a);
	unlink(test_path("folder/a.jsonl"));
	test_file("folder/a/c.jsonl", HEADER);
	CHECK_INT(list_below(p.source, &paths), 0);
	CHECK_BUF(&paths, "a- a/b a/c a/d/deep ");
	buf_free(&paths);
	places_free(&p);
}

/* A session alone is all that there is. */
static void check_session(void)
{
	struct places p;
	struct buf paths = { 0 };
	start(&p, test_path("folder/a-.jsonl"));
	CHECK_INT(list_below(p.source, &paths), 0);
	CHECK_BUF(&paths, " ");
	buf_free(&paths);
	places_free(&p);
}

/* No session is read, and those in memory stay the ones that were used last. */
static void check_no_use(void)
{
	struct places p;
	struct place *first;
	struct buf paths = { 0 };
	start(&p, folder);
	CHECK_INT(place_find(p.source, SPAN("a-"), &first), 0);
	CHECK_INT(place_enter(first), 0);
	place_leave(first);
	uint64_t last_use = first->state->last_use;
	CHECK_INT(list_below(p.source, &paths), 0);
	CHECK_INT(first->state->last_use, last_use);
	CHECK_INT(p.state->loaded.n, 1);
	place_put(first);
	buf_free(&paths);
	places_free(&p);
}

/* Sessions and folders that are deleted during the walk cost nothing else. */
static void check_vanished(void)
{
	struct places p;
	struct place *at;
	struct stat st;
	start(&p, folder);
	make_folder("folder/z");
	test_file("folder/z/1.jsonl", HEADER);
	test_file("folder/z/2.jsonl", HEADER);
	struct place *z = NULL;
	CHECK_INT(place_find(p.source, SPAN("z"), &z), 0);
	struct walk w = { .from = z };
	CHECK_INT(walk_start(&w), 0);
	unlink(test_path("folder/z/1.jsonl"));
	CHECK_INT(place_scan(z), 0);
	at = walk_next(&w);
	CHECK(at && place_stat(at, &st) == -ESTALE);
	place_put(at);
	walk_end(&w); /* the second is unpinned unseen */
	unlink(test_path("folder/z/2.jsonl"));
	rmdir(test_path("folder/z"));
	struct buf paths = { 0 };
	CHECK_INT(list_below(z, &paths), -ESTALE);
	CHECK_BUF(&paths, "");
	place_put(z);
	CHECK_INT(list_below(p.source, &paths), 0);
	CHECK_BUF(&paths, "a- a/b a/c a/d/deep ");
	buf_free(&paths);
	places_free(&p);
}

/* What can't be read hides nothing else. */
static void check_unread(void)
{
	struct places p;
	struct buf paths = { 0 };
	if (geteuid() == 0)
		test_need(seteuid(65534) == 0, "seteuid");
	start(&p, folder);
	CHECK_INT(list_below(p.source, &paths), 0);
	CHECK_BUF(&paths, "a- a/b ");
	buf_free(&paths);
	places_free(&p);
}

int main(void)
{
	folder = strdup(test_path("folder"));
	test_need(folder && mkdir(folder, 0755) == 0, "folder");
	check_found();
	check_session();
	check_no_use();
	check_vanished();
	rmdir(test_path("folder/empty"));
	/* Another user, if these run as root, finds the way to the folders. */
	test_need(chmod(test_folder, 0755) == 0, test_folder);
	test_need(chmod(test_path("folder/a"), 0755) == 0, "a");
	test_need(chmod(test_path("folder/a/c.jsonl"), 0) == 0, "a/c");
	test_need(chmod(test_path("folder/a/d"), 0) == 0, "a/d");
	uid_t user = geteuid();
	check_unread();
	test_need(geteuid() == user || seteuid(user) == 0, "seteuid");
	test_need(chmod(test_path("folder/a/d"), 0700) == 0, "a/d");
	free((char *)folder);
	return test_done("walk");
}
