#include <signal.h>

#include "core/dialects/pi/v1.h"
#include "core/session/writer.h"
#include "core/show/context.h"
#include "tests/unit/test.h"

#define V1 "{'type':'session','id':'v1','timestamp':'t','cwd':'/w','x':1.50}\n"
#define LINE(rest) "{'type':'message'" rest "}\n"
#define SAYS(role, text) \
	LINE(",'message':{'role':'" role "','content':'" text "'}")

static const char v1_lines[] = V1 SAYS("user", "one") "{bad\n\n" LINE(
	",'odd' : 1.50 ,'id':7,'parentId':'x'") "null\n" V1
						"{'type':'compaction','summary'"
						":'S','firstKeptEntryIndex':2}"
						"\n" SAYS("hookMessage",
							  "three");

/* The ids as they are shown, then what they say. */
static void describe(const struct session *s, struct buf *out)
{
	for (uint32_t i = 0; i < s->now.index.n; i++) {
		buf_add(out, index_id(&s->now.index, i));
		buf_adds(out, "<");
		buf_add(out, test_id(s, session_entry(s, i)->parent));
		buf_addc(out, '\n');
	}
	CHECK_INT(context_add(s, session_at_leaf(s), MESSAGE_FORM_TEXT, out),
		  0);
}

static bool exists(const char *name)
{
	return access(test_path(name), F_OK) == 0;
}

static void remove_backups(void)
{
	unlink(test_path("s.jsonl.v1.bak"));
	unlink(test_path("s.jsonl.v1.bak.2"));
}

static int write_first(struct session *s, bool head)
{
	struct writer w;
	int err = writer_begin(&w, s);
	if (err)
		return err;
	err = head ? writer_set_head(&w, 0)
		   : writer_set_label(&w, 1, SPAN("L"));
	writer_end(&w);
	return err;
}

/* Linear: ids are made, the same at every reading, one below the other. */
static void check_reading(void)
{
	struct buf a = { 0 };
	struct buf b = { 0 };
	struct session *s = test_session(v1_lines);
	CHECK_INT(s->now.index.n, 4);
	CHECK(s->now.linear);
	for (uint32_t i = 0; i < s->now.index.n; i++) {
		CHECK_INT(session_entry(s, i)->parent, i ? i - 1 : INDEX_NONE);
		CHECK_INT(index_id(&s->now.index, i).n, 8);
	}
	describe(s, &a);
	test_close(s);
	s = test_session(v1_lines);
	describe(s, &b);
	CHECK_SPAN(buf_span(&b), buf_span(&a));
	/* An append does not change the ids before it. */
	session_leave(s);
	test_append("s.jsonl", SAYS("user", "more"));
	CHECK_INT(session_enter(s), 0);
	buf_clear(&b);
	describe(s, &b);
	CHECK_INT(s->now.index.n, 5);
	CHECK(b.len > 20 && memcmp(a.data, b.data, 20) == 0);
	test_close(s);
	buf_free(&a);
	buf_free(&b);
}

static void check_migration(bool head)
{
	struct buf before = { 0 };
	struct buf after = { 0 };
	struct buf shown = { 0 };
	struct buf again = { 0 };
	remove_backups();
	const char *path = test_file("s.jsonl", v1_lines);
	test_read(path, &before);
	test_need(chmod(path, 0640) == 0, path);
	test_need(geteuid() != 0 || chown(path, 1234, 5678) == 0, path);
	struct stat old;
	struct stat new;
	test_need(stat(path, &old) == 0, path);

	struct session *s = test_open(path);
	CHECK_INT(session_enter(s), 0);
	describe(s, &shown);
	uint32_t epoch = s->epoch;
	session_leave(s);
	CHECK_INT(write_first(s, head), 0);

	/* The numbers mean what they meant. */
	CHECK_INT(session_enter(s), 0);
	CHECK_INT(s->epoch, epoch);
	CHECK(!s->now.linear);
	CHECK_INT(s->now.version, 3);
	CHECK_INT(s->now.index.n, 5);
	CHECK_INT(session_at_leaf(s), head ? 0 : 3);
	CHECK_SPAN(session_label(s, 1), head ? SPAN("") : SPAN("L"));
	CHECK_INT(session_entry(s, 4)->parent, head ? 0 : 3);
	session_leave(s);

	/* The original is kept beside it; mode and owner are. */
	CHECK_SPAN(buf_span(test_read(test_path("s.jsonl.v1.bak"), &after)),
		   buf_span(&before));
	test_need(stat(path, &new) == 0, path);
	CHECK_INT(new.st_mode, old.st_mode);
	CHECK_INT(new.st_uid, old.st_uid);
	CHECK_INT(new.st_gid, old.st_gid);

	/* As somebody reads it who comes now: the same ids, the same text. */
	struct session *fresh = test_open(path);
	CHECK_INT(session_enter(fresh), 0);
	CHECK_INT(fresh->now.index.orphans, 0);
	CHECK_INT(fresh->now.problems.of[PROBLEM_JSON].n, 1);
	CHECK(json_is(session_header(fresh, "cwd"), SPAN("/w")));
	CHECK(json_is(session_header(fresh, "id"), SPAN("v1")));
	CHECK_SPAN(session_header(fresh, "x").raw, SPAN("1.50"));
	CHECK_SPAN(session_header(fresh, "version").raw, SPAN("3"));
	for (uint32_t i = 0; i < 4; i++) {
		buf_add(&again, index_id(&fresh->now.index, i));
		buf_adds(&again, "<");
		buf_add(&again,
			test_id(fresh, session_entry(fresh, i)->parent));
		buf_addc(&again, '\n');
	}
	CHECK_INT(context_add(fresh, 3, MESSAGE_FORM_TEXT, &again), 0);
	CHECK_SPAN(buf_span(&again), buf_span(&shown));

	/* Lines as Pi migrates them. */
	struct json json;
	CHECK_INT(session_read(fresh, 1, &after, &json), 0);
	CHECK(json_is(json_get(json, "id"), index_id(&s->now.index, 1)));
	CHECK(json_is(json_get(json, "parentId"), index_id(&s->now.index, 0)));
	CHECK_SPAN(json_get(json, "odd").raw, SPAN("1.50"));
	CHECK_INT(session_read(fresh, 2, &after, &json), 0);
	CHECK(json_is(json_get(json, "firstKeptEntryId"),
		      index_id(&s->now.index, 1)));
	CHECK_INT(json_type(json_get(json, "firstKeptEntryIndex")),
		  JSON_ABSENT);
	CHECK_INT(session_read(fresh, 3, &after, &json), 0);
	CHECK(json_is(json_get(json_get(json, "message"), "role"),
		      SPAN("custom")));
	test_close(fresh);

	/* Once: the next write appends. */
	test_read(path, &before);
	CHECK_INT(write_first(s, !head), 0);
	test_read(path, &after);
	CHECK(after.len > before.len &&
	      span_starts(buf_span(&after), buf_span(&before)));
	CHECK(!exists("s.jsonl.v1.bak.2"));
	session_free(s);
	buf_free(&before);
	buf_free(&after);
	buf_free(&shown);
	buf_free(&again);
}

#define KEEPS(rest) "{'type':'compaction','summary':'S'" rest "}\n"

/*
 * A compaction that keeps a later entry gets what Pi, which has not been there
 * yet, finds as its id.
 */
static void check_later_kept(void)
{
	static const char lines[] =
		V1 SAYS("user", "one") KEEPS(",'firstKeptEntryIndex':4")
			KEEPS(",'firstKeptEntryIndex':5,"
			      "'firstKeptEntryId':'x'") LINE(",'id':'own'")
				SAYS("user", "two")
					KEEPS(",'firstKeptEntryIndex':9,"
					      "'firstKeptEntryId':'x'");
	struct buf after = { 0 };
	struct json json;
	remove_backups();
	struct session *s = test_open(test_file("s.jsonl", lines));
	CHECK_INT(write_first(s, true), 0);
	CHECK_INT(session_enter(s), 0);
	CHECK_INT(session_read(s, 1, &after, &json), 0);
	CHECK(json_is(json_get(json, "firstKeptEntryId"), SPAN("own")));
	CHECK_INT(session_read(s, 2, &after, &json), 0);
	CHECK_INT(json_type(json_get(json, "firstKeptEntryId")), JSON_ABSENT);
	CHECK_INT(session_read(s, 5, &after, &json), 0);
	CHECK(json_is(json_get(json, "firstKeptEntryId"), SPAN("x")));
	session_leave(s);
	test_close(s);
	buf_free(&after);
}

/* A backup that is there already is somebody's. */
static void check_backup_kept(void)
{
	struct buf before = { 0 };
	struct buf b = { 0 };
	remove_backups();
	test_file("s.jsonl.v1.bak", "precious");
	const char *path = test_file("s.jsonl", v1_lines);
	test_read(path, &before);
	struct session *s = test_open(path);
	CHECK_INT(write_first(s, true), 0);
	CHECK_BUF(test_read(test_path("s.jsonl.v1.bak"), &b), "precious");
	CHECK_SPAN(buf_span(test_read(test_path("s.jsonl.v1.bak.2"), &b)),
		   buf_span(&before));
	session_free(s);
	buf_free(&before);
	buf_free(&b);
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
		int err = write_first(s, true);
		test_limit_size(RLIM_INFINITY);
		CHECK(err == -EFBIG || err == -ENOSPC);
		CHECK_SPAN(buf_span(test_read(path, &b)), buf_span(&before));
		CHECK(!exists("s.jsonl.v1.bak"));
	}
	CHECK_INT(s->epoch, epoch);
	CHECK_INT(session_enter(s), 0);
	CHECK_INT(s->now.index.n, 4);
	CHECK_INT(session_at_leaf(s), 3);
	session_leave(s);
	CHECK_INT(write_first(s, true), 0);
	session_free(s);
	buf_free(&before);
	buf_free(&b);
}

/* Nothing to write is no reason to migrate. */
static void check_nothing_to_write(void)
{
	struct buf before = { 0 };
	struct buf b = { 0 };
	struct writer w;
	remove_backups();
	const char *path = test_file("s.jsonl", v1_lines);
	test_read(path, &before);
	struct session *s = test_open(path);
	CHECK_INT(writer_begin(&w, s), 0);
	CHECK_INT(writer_set_head(&w, 3), 0);
	CHECK_INT(writer_set_label(&w, 0, SPAN("")), 0);
	CHECK_INT(writer_set_name(&w, SPAN("")), 0);
	writer_end(&w);
	CHECK_SPAN(buf_span(test_read(path, &b)), buf_span(&before));
	CHECK(!exists("s.jsonl.v1.bak"));
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
	CHECK_INT(write_first(s, true), -EIO);
	CHECK_SPAN(buf_span(test_read(path, &b)), buf_span(&before));
	CHECK(!exists("s.jsonl.v1.bak"));
	session_free(s);
	buf_free(&before);
	buf_free(&b);
}

/* Files with a fault at an end, in which the next line must be a line. */
static void check_ends(void)
{
	static const struct {
		const char *lines;
		uint32_t entries;
		uint32_t bad;
	} rows[] = {
		{ V1 SAYS("user", "x") LINE(",'a':1") "{'type':'mess", 2, 1 },
		{ V1 SAYS("user", "x") LINE("") "{'type':'message'}", 3, 0 },
		{ "\xEF\xBB\xBF\n" V1 SAYS("user", "x") LINE(""), 2, 0 },
		{ "{'type':'session','id':'v1','version':1,"
		  "'timestamp':'t','cwd':'/'}\r\n"
		  "{'type':'message'}\r\n{'type':'message'}\r\n",
		  2, 0 },
		{ "junk\n" V1 LINE("") LINE(""), 2, 1 },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf b = { 0 };
		remove_backups();
		test_row = rows[i].lines;
		const char *path = test_file("s.jsonl", rows[i].lines);
		struct session *s = test_open(path);
		CHECK_INT(session_enter(s), 0);
		CHECK_INT(s->now.index.n, rows[i].entries);
		session_leave(s);
		CHECK_INT(write_first(s, true), 0);
		struct session *fresh = test_open(path);
		CHECK_INT(session_enter(fresh), 0);
		CHECK_INT(fresh->now.index.n, rows[i].entries + 1);
		CHECK_INT(fresh->now.problems.of[PROBLEM_JSON].n, rows[i].bad);
		CHECK_INT(session_head(fresh), 0);
		CHECK_SPAN(session_header(fresh, "version").raw, SPAN("3"));
		test_read(path, &b);
		CHECK(b.len > 0 && b.data[0] != '\xEF');
		test_close(fresh);
		session_free(s);
		buf_free(&b);
	}
	test_row = NULL;
}

/*
 * A header without a version, whose entries do have ids, is read as a tree. Pi
 * would flatten it, and with it the head (sessfs-formats(5)), so
 * a move has to make it version 3 first.
 */
static void check_tree_without_version(void)
{
	struct session *s = test_open(test_file(
		"s.jsonl", V1 USER("a", "null", "1") USER("b", "'a'", "2")
				   USER("c", "'a'", "3")));
	CHECK_INT(session_enter(s), 0);
	CHECK_ID(s, session_entry(s, 2)->parent, "a");
	session_leave(s);
	CHECK_INT(write_first(s, true), 0);
	struct session *fresh = test_open(test_path("s.jsonl"));
	CHECK_INT(session_enter(fresh), 0);
	CHECK_ID(fresh, session_head(fresh), "a");
	CHECK_ID(fresh, session_entry(fresh, 2)->parent, "a");
	CHECK_SPAN(session_header(fresh, "version").raw, SPAN("3"));
	test_close(fresh);
	session_free(s);
}

/* Lines that are no entries keep their bytes, whatever they are. */
static void check_other_lines(void)
{
	static const char others[] = "5\n[1, {'type':'session'}]\n'text'\n";
	struct buf b = { 0 };
	struct buf want = test_quoted(others);
	struct buf lines = { 0 };
	buf_adds(&lines, V1 USER("a", "null", "1") USER("b", "'a'", "2"));
	buf_adds(&lines, others);
	remove_backups();
	const char *path = test_file("s.jsonl", buf_cstr(&lines));
	struct session *s = test_open(path);
	CHECK_INT(write_first(s, true), 0);
	test_read(path, &b);
	CHECK(memmem(b.data, b.len, want.data, want.len) != NULL);
	session_free(s);
	buf_free(&b);
	buf_free(&want);
	buf_free(&lines);
}

/* Lines of no known type: the file may be another program's, and stays. */
static void check_unknown(void)
{
	static const char *const others[] = {
		"{'type':'login'}\n",
		"{'message':{'role':'hookMessage'}}\n",
		"{'type':7}\n",
	};
	for (size_t i = 0; i < COUNT(others); i++) {
		struct buf before = { 0 };
		struct buf b = { 0 };
		test_row = others[i];
		remove_backups();
		buf_adds(&b, V1 SAYS("user", "one") SAYS("user", "two"));
		buf_adds(&b, others[i]);
		const char *path = test_file("s.jsonl", buf_cstr(&b));
		test_read(path, &before);
		struct session *s = test_open(path);
		CHECK_INT(write_first(s, true), -EOPNOTSUPP);
		CHECK_INT(write_first(s, false), -EOPNOTSUPP);
		CHECK_SPAN(buf_span(test_read(path, &b)), buf_span(&before));
		CHECK(!exists("s.jsonl.v1.bak"));
		CHECK(s->refused.reason &&
		      strstr(s->refused.reason, "rewritten"));
		session_free(s);
		buf_free(&before);
		buf_free(&b);
	}
	test_row = NULL;
}

int main(void)
{
	check_unknown();
	signal(SIGXFSZ, SIG_IGN);
	check_reading();
	check_migration(true);
	check_migration(false);
	check_later_kept();
	check_backup_kept();
	check_no_room();
	check_nothing_to_write();
	check_failing();
	check_ends();
	check_tree_without_version();
	check_other_lines();
	return test_done("migration");
}
