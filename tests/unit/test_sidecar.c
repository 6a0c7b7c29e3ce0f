#include "core/file/sidecar.h"

#include "tests/unit/test.h"

/* Beside a session. */
static void begin(struct sidecar *c, const char *session)
{
	struct buf path = { 0 };
	sidecar_add_path(&path, session, ".x.json");
	CHECK_INT(sidecar_init(c, NULL, &path), 0);
}

static void check_path(const char *session, const char *want)
{
	struct sidecar c;
	begin(&c, session);
	CHECK_SPAN(span_of(c.path), span_of(want));
	sidecar_free(&c);
}

static void check_reads(struct sidecar *c, bool there, const char *want)
{
	struct buf b = { 0 };
	CHECK_INT(sidecar_read(c, &b), 0);
	CHECK_INT(c->was.mode != 0, there);
	CHECK_BUF(&b, want);
	CHECK(!sidecar_is_stale(c));
	buf_free(&b);
}

static void check_life(void)
{
	struct sidecar c;
	struct stat like;
	const char *session = test_file("s.jsonl", "");
	const char *path = test_path("s.x.json");
	CHECK_INT(chmod(session, 0640), 0);
	CHECK_INT(stat(session, &like), 0);
	begin(&c, session);
	CHECK(!sidecar_is_stale(&c));
	check_reads(&c, false, "");

	test_file("s.x.json", "one");
	CHECK(sidecar_is_stale(&c));
	check_reads(&c, true, "one");

	/* By another file, of the session's mode; nothing else is left. */
	CHECK_INT(sidecar_replace(NULL, path, SPAN("two"), &like), 0);
	CHECK(sidecar_is_stale(&c));
	check_reads(&c, true, "two");
	CHECK_INT(c.was.mode & 07777, 0640);

	CHECK_INT(unlink(path), 0);
	CHECK(sidecar_is_stale(&c));
	check_reads(&c, false, "");
	sidecar_free(&c);
}

/* What is there but can't be read is there, and says nothing. */
static void check_odd_files(void)
{
	struct sidecar c;
	const char *path = test_path("odd.x.json");
	begin(&c, test_path("odd.jsonl"));
	CHECK_INT(mkfifo(path, 0644), 0);
	check_reads(&c, true, "");
	CHECK_INT(unlink(path), 0);
	CHECK_INT(symlink(test_file("else", "secret"), path), 0);
	check_reads(&c, true, "");
	CHECK_INT(unlink(path), 0);
	CHECK_INT(mkdir(path, 0755), 0);
	check_reads(&c, true, "");
	CHECK_INT(rmdir(path), 0);
	test_file("odd.x.json", "");
	CHECK_INT(truncate(path, SIDECAR_LIMIT + 1), 0);
	check_reads(&c, true, "");
	sidecar_free(&c);
}

int main(void)
{
	struct sidecar none = { 0 };
	CHECK(!sidecar_is_stale(&none));
	check_path("/a/b.jsonl", "/a/b.x.json");
	check_path("/a/b", "/a/b.x.json");
	check_path("/a/b.json", "/a/b.json.x.json");
	check_path("b.jsonl", "b.x.json");
	check_life();
	check_odd_files();
	return test_done("sidecar");
}
