#include "core/show/content.h"

#include <pthread.h>

#include "core/session/dialect.h"
#include "tests/unit/dialect_test.h"

/* An entry's line, and what it says. */
static const struct {
	const char *line;
	const char *text;
	unsigned pictures;
} rows[] = {
	{ USER("a", "null", "hello"), "hello\n", 0 },
	{ USER("a", "null", "two\\nlines\\n"), "two\nlines\n", 0 },
	{ USER("a", "null", ""), "", 0 },
	{ USER("a", "null", "\\ud83d\\ude00 \\ud83d"),
	  "\xF0\x9F\x98\x80 \xEF\xBF\xBD\n", 0 },
	{ USER("a", "null", "\xFF"), "\xEF\xBF\xBD\n", 0 },
	{ MESSAGE("a", "null", "user",
		  ",'content':[{'type':'text','text':'one'},"
		  "{'type':'text','text':'two\\n'},"
		  "{'type':'text','text':''},{'type':'text','text':'three'}]"),
	  "one\ntwo\nthree\n", 0 },
	{ MESSAGE("a", "null", "user", ",'content':[]"), "", 0 },
	{ MESSAGE("a", "null", "system", ",'content':'rules'"), "rules\n", 0 },
	/* Pi's prompt, as its getSystemMessageText() joins it; and changes. */
	{ MESSAGE("a", "null", "system",
		  ",'content':'','sections':{'preamble':'You help.',"
		  "'rules':'<rules>\\n- one\\n</rules>','none':'','2':'x'},"
		  "'toolsAdded':[{'name':'read','description':'d'},"
		  "{'name':'e\\n'}]"),
	  "x\n\nYou help.\n\n<rules>\n- one\n</rules>\n\n"
	  "[tools added] read, e\\n\n",
	  0 },
	{ MESSAGE("a", "null", "system",
		  ",'content':[{'type':'text','text':'more'},"
		  "{'type':'text','text':''},{'type':'text','text':'text'},"
		  "{'type':'odd'}],'sections':{'a':null,'b':'new','c\\n':null,"
		  "'d':[1]},'toolsRemoved':[{'name':'ls'}]"),
	  "more\ntext\n{\n  \"type\": \"odd\"\n}\n\nnew\n\n[\n  1\n]\n\n"
	  "[section removed] a\n[section removed] c\\n\n"
	  "[tools removed] ls\n",
	  0 },
	{ MESSAGE("a", "null", "system",
		  ",'content':null,'toolsAdded':[{'name':'ls'}]"),
	  "[tools added] ls\n", 0 },
	{ MESSAGE("a", "null", "system",
		  ",'content':'only','sections':{},'toolsAdded':7"),
	  "only\n", 0 },
	{ MESSAGE("a", "null", "user", ",'content':'u','sections':{'a':'b'}"),
	  "u\n", 0 },
	{ MESSAGE("a", "null", "toolResult",
		  ",'toolName':'ls','content':[{'type':'text','text':'x'}]"),
	  "x\n", 0 },
	{ ENTRY("custom_message", "a", "null",
		",'customType':'t','content':'note'"),
	  "note\n", 0 },
	{ MESSAGE("a", "null", "assistant",
		  ",'content':[{'type':'thinking','thinking':'hm\\nso'},"
		  "{'type':'text','text':'Look.'},"
		  "{'type':'toolCall','id':'c','name':'write','arguments':{"
		  "'path':'a.c','body':'int x;\\n\\n\\tint y;\\n','n':1.50,"
		  "'2':true,'1':[1, {'k':null}],'empty':'','e\\n':'x'}},"
		  "{'type':'toolCall','id':'d','name':'ls','arguments':{}}]"),
	  "[thinking]\nhm\nso\n\n"
	  "Look.\n\n"
	  "[tool call] write\n"
	  "1[0]: 1\n"
	  "1[1].k: null\n"
	  "2: true\n"
	  "path: a.c\n"
	  "body:\n"
	  "  int x;\n"
	  "\n"
	  "  \tint y;\n"
	  "n: 1.5\n"
	  "empty:\n"
	  "[\"e\\n\"]: x\n\n"
	  "[tool call] ls\n",
	  0 },
	{ MESSAGE("a", "null", "user",
		  ",'content':[{'type':'image','mimeType':'image/png',"
		  "'data':'iVBORw0KGgo='},{'type':'text','text':'see'},"
		  "{'type':'image','mimeType':'image/jpeg','data':'YQ=='},"
		  "{'type':'image','data':''},"
		  "{'type':'image','mimeType':'image/svg+xml','data':'YWI='},"
		  "{'type':'image','mimeType':'../../x','data':''}]"),
	  "[image/png 8 bytes: 1.png]\n\nsee\n\n"
	  "[image/jpeg 1 bytes: 2.jpg]\n\n"
	  "[image 0 bytes: 3.bin]\n\n"
	  "[image/svg+xml 2 bytes: 4.svg]\n\n"
	  "[../../x 0 bytes: 5.bin]\n",
	  5 },
	{ MESSAGE("a", "null", "bashExecution",
		  ",'command':'make','output':'ok\\n','exitCode':2"),
	  "Ran `make`\n```\nok\n\n```\n\nCommand exited with code 2\n", 0 },
	{ ENTRY("compaction", "a", "null",
		",'summary':'S','firstKeptEntryId':'x'"),
	  "S\n", 0 },
	{ ENTRY("branch_summary", "a", "null", ",'summary':'B\\n'"), "B\n", 0 },
	{ ENTRY("branch_summary", "a", "null", ",'summary':''"), "", 0 },
	/* Any other type: its own fields. */
	{ ENTRY("new", "a", "null", ",'z':{'b':1,'1':[]},'s':'\\u00e4'"),
	  "{\n  \"z\": {\n    \"1\": [],\n    \"b\": 1\n  },\n"
	  "  \"s\": \"\xC3\xA4\"\n}\n",
	  0 },
	{ ENTRY("new", "a", "null", ""), "{}\n", 0 },
	{ ENTRY("label", "a", "null", ",'targetId':'b'"),
	  "{\n  \"targetId\": \"b\"\n}\n", 0 },
	/* A block of a kind that is not known. */
	{ MESSAGE("a", "null", "user", ",'content':[{'type':'odd','x':[1]}]"),
	  "{\n  \"type\": \"odd\",\n  \"x\": [\n    1\n  ]\n}\n", 0 },
	{ "{'id':'a'}\n", "{}\n", 0 },
};

/* The size and the number of pictures are known before and after. */
static void check_row(const struct session *s, const char *text,
		      unsigned pictures, bool size_first)
{
	struct buf b = { 0 };
	uint64_t size = 0;
	unsigned n = 99;
	if (size_first) {
		CHECK_INT(test_content_size(s, 0, &size), 0);
		CHECK_INT(size, strlen(text));
	}
	CHECK_INT(content_pictures(s, 0, &n), 0);
	CHECK_INT(n, pictures);
	CHECK_INT(content_add(s, 0, &b), 0);
	dialect_check_listed(s, 0, buf_span(&b));
	CHECK_BUF(&b, text);
	CHECK_INT(test_content_size(s, 0, &size), 0);
	CHECK_INT(size, strlen(text));
	buf_adds(&b, "before ");
	CHECK_INT(content_add(s, 0, &b), 0);
	CHECK_INT(b.len, size + 7);
	buf_free(&b);
}

static void check_pictures(void)
{
	static const struct {
		const char *name;
		struct span bytes;
	} pictures[] = {
		{ "1.png", SPAN("\x89PNG\r\n\x1A\n") },
		{ "2.bin", SPAN("") },
		{ "3.gif", SPAN("a") },
	};
	struct session *s = test_session(HEADER MESSAGE(
		"a", "null", "toolResult",
		",'content':[{'type':'text','text':'x'},"
		"{'type':'image','mimeType':'image/png',"
		"'data':'iVBORw0KGgo='},"
		"{'type':'image','mimeType':7,'data':''},"
		"{'type':'image','mimeType':'image/none'},"
		"{'type':'image','mimeType':'image/gif','data':'YQ=='}]")
						 USER("b", "null", "none"));
	struct buf b = { 0 };
	for (unsigned i = 0; i < COUNT(pictures); i++) {
		CHECK_INT(content_picture_name(s, 0, i + 1, &b), 0);
		CHECK_BUF(&b, pictures[i].name);
		CHECK_INT(content_add_picture(s, 0, i + 1, &b), 0);
		CHECK_SPAN(buf_span(&b), pictures[i].bytes);
		buf_clear(&b);
	}
	unsigned n = 0;
	CHECK_INT(content_pictures(s, 0, &n), 0);
	CHECK_INT(n, COUNT(pictures));
	static const unsigned none[] = { 0, 4, 1000, UINT_MAX };
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
static void check_changes(void)
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
static void check_many(void)
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
static void check_said_again(void)
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
static void check_only_its_own(void)
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
static void check_readers(void)
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

int main(void)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		for (int size_first = 0; size_first < 2; size_first++) {
			struct buf text = { 0 };
			test_row = rows[i].line;
			buf_adds(&text, HEADER);
			buf_adds(&text, rows[i].line);
			struct session *s = test_session(buf_cstr(&text));
			CHECK_INT(s->now.index.n, 1);
			if (s->now.index.n == 1)
				check_row(s, rows[i].text, rows[i].pictures,
					  size_first);
			test_close(s);
			buf_free(&text);
		}
	}
	test_row = NULL;
	check_pictures();
	check_many();
	check_said_again();
	check_only_its_own();
	check_readers();
	check_changes();
	return test_done("content");
}
