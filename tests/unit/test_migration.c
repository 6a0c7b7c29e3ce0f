/* What a migration keeps, and when it fails: its lines are in the corpus. */
#include "core/dialects/pi/pi.h"
#include "core/session/writer.h"
#include "tests/unit/test.h"

#define V1 "{'type':'session','id':'v1','timestamp':'t','cwd':'/w','x':1.50}\n"
#define LINE(rest) "{'type':'message'" rest "}\n"
#define SAYS(role, text) \
	LINE(",'message':{'role':'" role "','content':'" text "'}")

static const char v1_lines[] =
	V1 SAYS("user", "one") "{bad\n\n" LINE(",'odd' : 1.50 ,'id':7")
		SAYS("hookMessage", "two") LINE("") SAYS("user", "three");

static bool exists(const char *name)
{
	return access(test_path(name), F_OK) == 0;
}

static void remove_backups(void)
{
	unlink(test_path("s.jsonl.v1.bak"));
	unlink(test_path("s.jsonl.v1.bak.2"));
}

static int write_first(struct session *s)
{
	struct writer w;
	int err = writer_begin(&w, s);
	if (err)
		return err;
	err = writer_set_head(&w, 0);
	writer_end(&w);
	return err;
}

/* Mode and owner are the original's. */
static void check_mode(void)
{
	struct stat old;
	struct stat new;
	remove_backups();
	const char *path = test_file("s.jsonl", v1_lines);
	test_need(chmod(path, 0640) == 0, path);
	test_need(geteuid() != 0 || chown(path, 1234, 5678) == 0, path);
	test_need(stat(path, &old) == 0, path);
	struct session *s = test_open(path);
	CHECK_INT(write_first(s), 0);
	CHECK(exists("s.jsonl.v1.bak"));
	test_need(stat(path, &new) == 0, path);
	CHECK_INT(new.st_mode, old.st_mode);
	CHECK_INT(new.st_uid, old.st_uid);
	CHECK_INT(new.st_gid, old.st_gid);
	session_free(s);
}

static void check_no_room(void)
{
	struct buf before = { 0 };
	struct buf b = { 0 };
	remove_backups();
	const char *path = test_file("s.jsonl", v1_lines);
	test_read(path, &before);
	struct session *s = test_open(path);
	uint32_t epoch = s->epoch;
	for (rlim_t size = 0; size < before.len; size += 100) {
		test_limit_size(size);
		int err = write_first(s);
		test_limit_size(RLIM_INFINITY);
		CHECK(err == -EFBIG || err == -ENOSPC);
		CHECK_SPAN(buf_span(test_read(path, &b)), buf_span(&before));
		CHECK(!exists("s.jsonl.v1.bak"));
	}
	CHECK_INT(s->epoch, epoch);
	CHECK_INT(session_enter(s), 0);
	CHECK_INT(s->now.index.n, 5);
	CHECK_INT(session_at_leaf(s), 4);
	session_leave(s);
	CHECK_INT(write_first(s), 0);
	session_free(s);
	buf_free(&before);
	buf_free(&b);
}

static int fail(const struct session *s, struct buf *out)
{
	(void)s;
	buf_adds(out, "half of it");
	return -EIO;
}

/* A file that can't be migrated stays as it is. */
static void check_failing(void)
{
	struct dialect dialect = *dialect_named(SPAN("pi"));
	struct dialect_writing writing = *dialect.writing;
	struct dialect_migration migration = *writing.migration;
	const struct session_opening how = { .dialects = &dialect_registry,
					     .forced = &dialect };
	const char *path = test_file("s.jsonl", v1_lines);
	const char *why = NULL;
	struct buf before = { 0 };
	struct buf b = { 0 };
	struct session *s = NULL;
	remove_backups();
	test_read(path, &before);
	migration.migrate = fail;
	writing.migration = &migration;
	dialect.writing = &writing;
	CHECK_INT(session_open(&s, path, &how, &why), 0);
	CHECK_INT(write_first(s), -EIO);
	CHECK_SPAN(buf_span(test_read(path, &b)), buf_span(&before));
	CHECK(!exists("s.jsonl.v1.bak"));
	session_free(s);
	buf_free(&before);
	buf_free(&b);
}

int main(void)
{
	check_mode();
	check_no_room();
	check_failing();
	return test_done("migration");
}
