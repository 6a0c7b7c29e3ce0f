/*
 * Changes of a file during a write to it: sessfs waits a moment for a torn last
 * line, and for locks of other processes.
 */
#include "tests/mounts/mounts.h"

#define FIRST "by-id/00000001/label"
#define TWO USER("00000002", "'00000001'", "two")

enum { MISSING = 21 }; /* of the torn line's bytes, with its newline */

/* A head and its first entry; the second is torn until the agent ends it. */
static void write_torn(void)
{
	test_file("session.jsonl", HEADER USER("00000001", "null", "one") TWO);
	test_need(truncate(mounts_session,
			   (off_t)text_of(mounts_session).n - MISSING) == 0,
		  "truncate");
}

/* What the agent writes to end it. */
static void end_line(void)
{
	struct buf line = test_quoted(TWO);
	struct span s = buf_span(&line);
	test_put(mounts_session, O_APPEND,
		 (struct span){ s.p + s.n - MISSING, MISSING });
	buf_free(&line);
}

/* Mount so that the next write, once it waits for something, waits until the
 * file "while" has gone. */
static void mount_waiting(void)
{
	mount_meeting("hold", "sleep");
	test_file("while", "");
}

/* A write by another thread. */
struct writing {
	pthread_t thread;
	/* To which it writes "tested". NULL: it moves HEAD to tree. */
	const char *label;
	int err;
};

static void *write_it(void *data)
{
	struct writing *w = data;
	w->err = w->label ? put(w->label, "tested\n") : move_head("tree");
	return NULL;
}

/* Returns when the write waits. */
static void begin_write(struct writing *w)
{
	test_need(pthread_create(&w->thread, NULL, write_it, w) == 0,
		  "pthread_create");
	WAIT_UNTIL(has(test_path("met"), "met nanosleep\n"));
}

/* Let it go on: its result. */
static int end_write(struct writing *w)
{
	CHECK_INT(ERRNO(unlink(test_path("while"))), 0);
	CHECK_INT(pthread_join(w->thread, NULL), 0);
	return w->err;
}

static void line_is_ended(void)
{
	struct writing w = { .label = FIRST };
	write_torn();
	mount_waiting();
	begin_write(&w);
	end_line();
	CHECK_INT(end_write(&w), 0);
	CHECK_FILE(FIRST, "tested\n");
	CHECK_HEAD("by-id/00000002");
	CHECK_HAS("context.txt", "\n[User]: two\n");
	CHECK_INT(session_lines(), 4);
}

static void stays_torn(void)
{
	write_torn();
	mount_session();
	CHECK_INT(put(FIRST, "tested\n"), 0);
	CHECK_FILE(FIRST, "tested\n");
	CHECK_HEAD("by-id/00000001");
}

static void replaced_by_shorter(void)
{
	struct writing w = { .label = FIRST };
	const char *new = test_file("new", HEADER);
	test_read(new, &mounts_kept);
	write_torn();
	mount_waiting();
	begin_write(&w);
	CHECK_INT(ERRNO(rename(test_path("new"), mounts_session)), 0);
	/* The write is stale; if it was the open that truncates, the kernel
	 * looks the name up again. */
	int err = end_write(&w);
	CHECK(err == ESTALE || err == ENOENT);
	CHECK_KEPT();
	CHECK_HEAD("tree");
}

static void line_on_its_way(void)
{
	char label[PATH_MAX];
	test_copy(fixture("pi-v1-linear.jsonl"), mounts_session);
	test_append("session.jsonl", "{'type':'message','message':{'role':"
				     "'user','content':'la");
	mount_waiting();
	struct span names = listed_in("by-id"), first = span_next(&names, ' ');
	CHECK(first.n > 0);
	snprintf(label, sizeof(label), "by-id/%.*s/label", (int)first.n,
		 first.p);
	struct writing w = { .label = label };
	begin_write(&w);
	test_append("session.jsonl", "te'}}\n");
	CHECK_INT(end_write(&w), 0);
	CHECK_FILE(label, "tested\n");
	CHECK_FILE("HEAD/content", "late\n");
	CHECK(has(mounts_session, "\"content\":\"late\""));
}

/* Has a folder a name with this in it? */
static bool has_name_with(const char *folder, const char *part)
{
	const struct dirent *d;
	bool found = false;
	DIR *dir = opendir(folder);
	while (dir && (d = readdir(dir)))
		found |= strstr(d->d_name, part) != NULL;
	if (dir)
		closedir(dir);
	return found;
}

/* An agent that puts its file in place as soon as the migrated one is begun. */
struct replacing {
	char incoming[PATH_MAX];
	bool ready; /* it looks; atomic access */
	bool done;
};

static void *replace_it(void *data)
{
	struct replacing *r = data;
	time_t end = time(NULL) + 30;
	bool begun;
	do {
		begun = has_name_with(test_folder, ".sessfs-");
		__atomic_store_n(&r->ready, true, __ATOMIC_RELEASE);
	} while (!begun && time(NULL) < end);
	r->done = begun && rename(r->incoming, mounts_session) == 0;
	return NULL;
}

static void replaced_while_migrated(void)
{
	struct replacing r = { .ready = false };
	struct buf old = { 0 };
	pthread_t agent;
	buf_adds(&old, "{\"type\":\"session\",\"id\":\"v1\",\"timestamp\":"
		       "\"2026-03-01T10:00:00.000Z\",\"cwd\":\"/\"}\n");
	for (int i = 0; i < 5000; i++) {
		buf_adds(&old, "{\"type\":\"message\",\"message\":{\"role\":"
			       "\"user\",\"content\":\"");
		buf_fill(&old, 'x', 4000);
		buf_adds(&old, "\"}}\n");
	}
	test_put(mounts_session, O_TRUNC, buf_span(&old));
	buf_free(&old);
	snprintf(r.incoming, sizeof(r.incoming), "%s",
		 test_file("incoming", HEADER USER("00000001", "null", "new")));
	test_read(r.incoming, &mounts_kept);
	mount_session();
	test_need(pthread_create(&agent, NULL, replace_it, &r) == 0,
		  "pthread_create");
	WAIT_UNTIL(__atomic_load_n(&r.ready, __ATOMIC_ACQUIRE));
	/* It may fail, or move HEAD in the new file. */
	(void)move_head("tree");
	CHECK_INT(pthread_join(agent, NULL), 0);
	CHECK(r.done);
	CHECK(span_starts(text_of(mounts_session), buf_span(&mounts_kept)));
	CHECK_FILE("by-id/00000001/content", "new\n");
	CHECK(!has_name_with(test_folder, ".sessfs-"));
}

static void turns_read_only(void)
{
	struct writing w = { .label = NULL };
	char lock[PATH_MAX], owner[64];
	test_copy(fixture("omp-v3-basic.jsonl"), mounts_session);
	mount_waiting();
	snprintf(lock, sizeof(lock), "%s", test_path(".session.jsonl.lock"));
	/* A living owner: this program. */
	snprintf(owner, sizeof(owner), "%d:%lld000\n", (int)getpid(),
		 (long long)time(NULL));
	test_put(lock, O_TRUNC, span_of(owner));
	begin_write(&w);
	test_file("session.jsonl",
		  "{'v':4,'kind':'header','id':'x','storageVersion':1,"
		  "'cwd':'/'}\n{'kind':'tx'}\n");
	keep_session();
	CHECK_INT(ERRNO(unlink(lock)), 0);
	CHECK_INT(end_write(&w), EROFS);
	CHECK_KEPT();
	CHECK_VALUE("info", "dialect", "lines");
}

static const struct mounts_test tests[] = {
	TEST("a label hangs on the line that the agent ends meanwhile",
	     line_is_ended),
	TEST("a line that stays torn is not waited for without end",
	     stays_torn),
	TEST("a session that is replaced by a shorter one: only the write "
	     "fails",
	     replaced_by_shorter),
	TEST("a version 1 file with a line on its way is migrated with all of "
	     "it",
	     line_on_its_way),
	TEST("a version 1 file that is replaced while it is migrated stays "
	     "replaced",
	     replaced_while_migrated),
	TEST("a session that turns read-only while a lock is waited for: EROFS",
	     turns_read_only),
};
RUN_TESTS(tests)
