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

/* The paths of the sessions below a place. */
static int list_below(struct place *from, struct buf *paths)
{
	struct walk w = { .from = from };
	struct place *at;
	int err = walk_start(&w);
	while ((at = walk_next(&w))) {
		CHECK(at->state->pins > 0);
		buf_addf(paths, "%s ", at->mount_path);
		place_put(at);
	}
	walk_end(&w);
	return err;
}

/* The whole path counts, as bytes: "a-" is before "a/". */
static void check_order(void)
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
	CHECK_INT(place_scan(z, NULL), 0);
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

static void note_unread(void *data, const struct place *at, int err)
{
	CHECK_INT(err, -EACCES);
	buf_addf(data, "[%s] ", at->mount_path);
}

/* What can't be read is reported, and hides nothing else. */
static void check_unread(void)
{
	struct places p;
	struct place *at;
	struct buf paths = { 0 };
	if (geteuid() == 0)
		test_need(seteuid(65534) == 0, "seteuid");
	start(&p, folder);
	struct walk w = { .from = p.source,
			  .unread = note_unread,
			  .unread_data = &paths };
	CHECK_INT(walk_start(&w), 0);
	while ((at = walk_next(&w))) {
		buf_addf(&paths, "%s ", at->mount_path);
		place_put(at);
	}
	walk_end(&w);
	CHECK_BUF(&paths, "[a/d] [a/c] a- a/b ");
	buf_free(&paths);
	places_free(&p);
}

static int visit_nothing(void *data, struct session *s)
{
	(void)data;
	(void)s;
	return 0;
}

/* The sessions below a folder that a walk finds by visiting them, and, with
 * their errors, the other files that it visits. */
static void visit_below(struct place *from, bool enters, struct buf *out)
{
	struct walk w = { .from = from, .defers = true };
	struct place *at;
	CHECK_INT(walk_start(&w), 0);
	while ((at = walk_next(&w))) {
		int err = enters ? place_enter(at)
				 : place_visit_once(at, &at->places->opening,
						    visit_nothing, NULL);
		if (enters && !err)
			place_leave(at);
		buf_addf(out, err ? "%s:%s " : "%s ", at->mount_path,
			 err ? strerrorname_np(-err) : "");
		place_put(at);
	}
	walk_end(&w);
}

static void check_visits(struct place *from, bool enters, const char *want)
{
	struct buf got = { 0 };
	visit_below(from, enters, &got);
	CHECK_BUF(&got, want);
	buf_free(&got);
}

#define CLAUDE                                         \
	"{'type':'user','uuid':'u','parentUuid':null," \
	"'sessionId':'5e55f500-0000-4000-8000-000000000001'}\n"
#define LATE "late/"

/* Another file in place of one. */
static void replace(const char *name, const char *text)
{
	test_file(LATE "new", text);
	test_need(rename(test_path(LATE "new"), test_path(name)) == 0, name);
}

/* Files are recognized when they are visited, as a scan would. */
static void check_deferred(bool enters)
{
	struct places p;
	struct buf paths = { 0 };
	make_folder("late");
	make_folder("late/c");
	make_folder("late/c/subagents");
	make_folder("late/none");
	test_file(LATE "a.jsonl", HEADER);
	test_file(LATE "c.jsonl", CLAUDE);
	test_file(LATE "c/subagents/agent-1.jsonl", CLAUDE);
	test_file(LATE "empty.jsonl", "");
	test_file(LATE "none.jsonl", "no session\n");
	test_file(LATE "none/x.jsonl", HEADER);
	start(&p, test_path("late"));
	check_visits(p.source, enters,
		     "a c c/subagents/agent-1 empty none%2F/x ");
	CHECK_INT(list_below(p.source, &paths), 0);
	CHECK_BUF(&paths, "a c c/subagents/agent-1 empty none%2F/x ");
	/* Nobody has seen other names before. */
	CHECK_INT(p.source->changes, 0);
	/* One that is no session is visited once. */
	test_file(LATE "b.jsonl", "no session\n");
	test_file(LATE "d.jsonl", HEADER);
	check_visits(p.source, enters,
		     "a b:ESTALE c c/subagents/agent-1 d empty none%2F/x ");
	CHECK_INT(p.source->changes, 1);
	check_visits(p.source, enters,
		     "a c c/subagents/agent-1 d empty none%2F/x ");
	replace(LATE "b.jsonl", HEADER);
	replace(LATE "d.jsonl", "no session\n");
	unlink(test_path(LATE "empty.jsonl"));
	check_visits(p.source, enters,
		     "a b c c/subagents/agent-1 d:ESTALE none%2F/x ");
	CHECK_INT(p.source->changes, 4);
	check_visits(p.source, enters, "a b c c/subagents/agent-1 none%2F/x ");
	buf_free(&paths);
	places_free(&p);
}

/* What happens to a file between a walk and the visit. */
static void check_late_changes(void)
{
	struct places p;
	struct place *at;
	unlink(test_path(LATE "c.jsonl"));
	unlink(test_path(LATE "none/x.jsonl"));
	unlink(test_path(LATE "c/subagents/agent-1.jsonl"));
	unlink(test_path(LATE "d.jsonl"));
	unlink(test_path(LATE "none.jsonl"));
	start(&p, test_path("late"));
	struct walk w = { .from = p.source, .defers = true };
	CHECK_INT(walk_start(&w), 0);
	/* Another file: it is recognized by what it is when it is read. */
	replace(LATE "a.jsonl", "no session\n");
	at = walk_next(&w);
	CHECK_INT(place_visit_once(at, &p.opening, visit_nothing, NULL),
		  -ESTALE);
	CHECK_INT(place_is_session(at), 0);
	replace(LATE "a.jsonl", HEADER);
	CHECK_INT(place_is_session(at), 0);
	place_put(at);
	at = walk_next(&w);
	CHECK_SPAN(span_of(at->name), SPAN("b"));
	unlink(test_path(LATE "b.jsonl"));
	test_need(mkfifo(test_path(LATE "b.jsonl"), 0600) == 0, "b");
	CHECK_INT(place_visit_once(at, &p.opening, visit_nothing, NULL),
		  -EINVAL);
	place_put(at);
	walk_end(&w);
	CHECK_INT(walk_start(&w), 0);
	at = walk_next(&w);
	CHECK_INT(place_is_session(p.source), 1);
	CHECK_INT(place_is_session(at), 1);
	CHECK(!at->state->is_pending);
	place_put(at);
	walk_end(&w);
	/* What was found of a file that is another one is not kept. */
	check_visits(p.source, false, "a ");
	/* One that was scanned again meanwhile is still to be looked at. */
	CHECK_INT(place_find(p.source, SPAN("a"), &at), 0);
	struct version old = at->state->checked;
	replace(LATE "a.jsonl", "no session\n");
	CHECK_INT(walk_start(&w), 0);
	place_settle(at, old, 1, NULL);
	CHECK(at->state->is_pending);
	walk_end(&w);
	place_put(at);
	check_visits(p.source, false, "a:ESTALE ");
	check_visits(p.source, false, "");
	places_free(&p);
}

/* Without read permission a file is visited once, too. */
static void check_late_forbidden(void)
{
	struct places p;
	replace(LATE "a.jsonl", HEADER);
	test_need(chmod(test_path(LATE "a.jsonl"), 0) == 0, "a");
	if (geteuid() == 0)
		test_need(seteuid(65534) == 0, "seteuid");
	start(&p, test_path("late"));
	check_visits(p.source, false, "a:EACCES ");
	check_visits(p.source, false, "");
	places_free(&p);
}

int main(void)
{
	folder = strdup(test_path("folder"));
	test_need(folder && mkdir(folder, 0755) == 0, "folder");
	check_order();
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
	check_deferred(false);
	test_need(rename(test_path("late"), test_path("visited")) == 0, "late");
	check_deferred(true);
	check_late_changes();
	test_need(chmod(test_path("late"), 0755) == 0, "late");
	check_late_forbidden();
	test_need(geteuid() == user || seteuid(user) == 0, "seteuid");
	free((char *)folder);
	return test_done("walk");
}
