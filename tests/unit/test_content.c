#include "core/show/content.h"

#include <pthread.h>

#include "core/session/dialect.h"
#include "tests/unit/dialect_test.h"

/* Pictures that are not there; which are is in the corpus. */
TEST(check_pictures)
{
	struct session *s = test_session(HEADER MESSAGE(
		"a", "null", "user",
		",'content':[{'type':'image','mimeType':'image/png',"
		"'data':'iVBORw0KGgo='}]") USER("b", "null", "none"));
	static const unsigned none[] = { 0, 2, 1000, UINT_MAX };
	struct buf b = { 0 };
	for (size_t i = 0; i < COUNT(none); i++) {
		CHECK_INT(content_picture_name(s, 0, none[i], &b), -ENOENT);
		CHECK_INT(content_add_picture(s, 0, none[i], &b), -ENOENT);
	}
	CHECK_INT(content_picture_name(s, 1, 1, &b), -ENOENT);
	CHECK_INT(b.len, 0);
	test_close(s);
	buf_free(&b);
}

/* NUL is a byte like others, and another line for the id is seen. */
TEST(check_changes)
{
	struct buf b = { 0 };
	uint64_t size = 0;
	struct session *s = test_session(HEADER USER("a", "null", "x\\u0000y"));
	CHECK_INT(content_add(s, 0, &b), 0);
	CHECK_SPAN(buf_span(&b), SPAN("x\0y\n"));
	buf_clear(&b);
	session_leave(s);
	test_append("s.jsonl", USER("a", "null", "longer than that"));
	CHECK_INT(session_enter(s), 0);
	CHECK_INT(test_content_size(s, 0, &size), 0);
	CHECK_INT(size, strlen("longer than that\n"));
	test_close(s);
	buf_free(&b);
}

/* An entry of n pictures, of 3 bytes, 6 bytes and so on up to 3 * longest. */
static void add_many(struct buf *out, const char *id, unsigned n,
		     unsigned longest)
{
	buf_addf(out,
		 "{'type':'message','id':'%s','parentId':null,"
		 "'message':{'role':'user','content':[",
		 id);
	for (unsigned i = 0; i < n; i++) {
		buf_addf(out, "%s{'type':'image','mimeType':'image/%s',",
			 i > 0 ? "," : "", i % 2 ? "gif" : "png");
		buf_adds(out, "'data':'");
		for (unsigned k = 0; k <= i % longest; k++)
			buf_adds(out, "QUFB");
		buf_adds(out, "'}");
	}
	buf_adds(out, "]}}\n");
}

static struct session *session_of_many(unsigned entries, unsigned n)
{
	struct buf text = { 0 };
	char id[16];
	buf_adds(&text, HEADER);
	for (unsigned i = 0; i < entries; i++) {
		snprintf(id, sizeof(id), "e%u", i);
		add_many(&text, id, n, 100);
	}
	struct session *s = test_session(buf_cstr(&text));
	buf_free(&text);
	return s;
}

static unsigned blocks_read;

static struct block count_block(struct json v)
{
	blocks_read++;
	return block_read_pi(v);
}

static void check_nth(const struct session *s, uint32_t entry, unsigned nth)
{
	char want[32];
	struct buf b = { 0 };
	uint64_t size = 0;
	snprintf(want, sizeof(want), "%u.%s", nth, nth % 2 ? "png" : "gif");
	CHECK_INT(content_picture_name(s, entry, nth, &b), 0);
	CHECK_BUF(&b, want);
	CHECK_INT(content_picture_size(s, entry, nth, &size), 0);
	CHECK_INT(size, 3 * ((nth - 1) % 100 + 1));
	CHECK_INT(content_add_picture(s, entry, nth, &b), 0);
	CHECK_INT(b.len, size);
	buf_free(&b);
}

/* However many there are, each block is looked at once. */
TEST(check_many)
{
	enum { MANY = 16000 };
	struct session *s = session_of_many(1, MANY);
	const struct dialect *d = s->dialect;
	struct dialect_showing showing = *d->showing;
	struct dialect counting = *d;
	unsigned n = 0;
	showing.read_block = count_block;
	counting.showing = &showing;
	s->dialect = &counting;
	CHECK_INT(content_pictures(s, 0, &n), 0);
	CHECK_INT(n, MANY);
	/* The first that is too many ends it: what is quadratic takes hours. */
	for (unsigned i = 1; i <= MANY && blocks_read <= MANY; i++)
		check_nth(s, 0, i);
	CHECK_INT(blocks_read, MANY);
	s->dialect = d;
	test_close(s);
}

#define ONE(mime, data)                                   \
	MESSAGE("e0", "null", "user",                     \
		",'content':[{'type':'image','mimeType':" \
		"'image/" mime "','data':'" data "'}]")

static void check_one(struct session *s, const char *name, const char *bytes)
{
	struct buf b = { 0 };
	CHECK_INT(session_enter(s), 0);
	CHECK_INT(content_picture_name(s, 0, 1, &b), 0);
	CHECK_BUF(&b, name);
	CHECK_INT(content_add_picture(s, 0, 1, &b), 0);
	CHECK_BUF(&b, bytes);
	session_leave(s);
	buf_free(&b);
}

/* What is known of an entry's pictures goes with the line that says them. */
TEST(check_said_again)
{
	uint64_t size;
	struct session *s = session_of_many(1, 3);
	check_nth(s, 0, 3);
	session_leave(s);
	test_append("s.jsonl", ONE("jpeg", "eA=="));
	check_one(s, "1.jpg", "x");
	CHECK_INT(session_enter(s), 0);
	CHECK_INT(content_picture_size(s, 0, 2, &size), -ENOENT);
	session_leave(s);
	/* As long as before, at the same place. */
	test_file("s.jsonl", HEADER ONE("png", "YWI="));
	check_one(s, "1.png", "ab");
	test_file("s.jsonl", HEADER ONE("gif", "Yw=="));
	check_one(s, "1.gif", "c");
	session_free(s);
}

/* Put one byte over the first one behind `behind` in the session's file. */
static void overwrite(const char *behind, char c)
{
	struct buf b = { 0 };
	const char *path = test_path("s.jsonl");
	test_read(path, &b);
	char *at = memmem(b.data, b.len, behind, strlen(behind));
	test_need(at != NULL, behind);
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	off_t to = at - b.data + (off_t)strlen(behind);
	test_need(fd >= 0 && pwrite(fd, &c, 1, to) == 1, path);
	close(fd);
	buf_free(&b);
}

/*
 * A picture costs its own part of the line: the others may turn into anything
 * meanwhile. One that is not what it was says so.
 */
TEST(check_only_its_own)
{
	struct buf b = { 0 };
	struct session *s = session_of_many(1, 3);
	check_nth(s, 0, 1);
	overwrite("image/gif\",\"data\":", '[');
	check_nth(s, 0, 1);
	check_nth(s, 0, 3);
	CHECK_INT(content_add_picture(s, 0, 2, &b), -ESTALE);
	CHECK_INT(b.len, 0);
	overwrite("image/png\",\"data\":\"QUF", '=');
	CHECK_INT(content_add_picture(s, 0, 1, &b), -ESTALE);
	CHECK_INT(b.len, 0);
	buf_free(&b);
	test_close(s);
}

struct reader {
	pthread_t thread;
	struct session *s;
	unsigned seed;
	unsigned failures;
};

static void *read_pictures(void *data)
{
	struct reader *r = data;
	for (unsigned i = 0; i < 400; i++) {
		struct buf b = { 0 };
		uint64_t size = 0;
		uint32_t entry = (r->seed + i * 7) % 40;
		unsigned nth = (r->seed + i) % 5 + 1;
		int err = session_enter(r->s);
		if (err) {
			r->failures++;
			continue;
		}
		if (content_picture_size(r->s, entry, nth, &size) ||
		    content_add_picture(r->s, entry, nth, &b) ||
		    size != nth * 3 || b.len != size)
			r->failures++;
		session_leave(r->s);
		buf_free(&b);
	}
	return NULL;
}

/* Readers beside each other, of more entries than are kept. */
TEST(check_readers)
{
	struct reader readers[4] = { 0 };
	struct session *s = session_of_many(40, 5);
	session_leave(s);
	for (unsigned i = 0; i < COUNT(readers); i++) {
		readers[i].s = s;
		readers[i].seed = i;
		test_need(pthread_create(&readers[i].thread, NULL,
					 read_pictures, &readers[i]) == 0,
			  "pthread_create");
	}
	/* Read again from the start, and grown, under their eyes. */
	for (unsigned i = 0; i < 20; i++) {
		test_append("s.jsonl", i % 2 ? USER("z", "null", "more")
					     : USER("z", "'e0'", "more"));
		usleep(1000);
	}
	for (unsigned i = 0; i < COUNT(readers); i++) {
		pthread_join(readers[i].thread, NULL);
		CHECK_INT(readers[i].failures, 0);
	}
	session_free(s);
}

RUN_TESTS("content")
