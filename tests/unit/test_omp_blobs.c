#include "core/dialects/omp/omp.h"

#include "core/show/content.h"
#include "tests/unit/tables.h"

#define HASH_A \
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define HASH_B \
	"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define A "'blob:sha256:" HASH_A "'"
#define B "'blob:sha256:" HASH_B "'"
#define NONE            \
	"'blob:sha256:" \
	"0000000000000000000000000000000000000000000000000000000000000000'"
static void put_blobs(void)
{
	static const char *const folders[] = { "home", "home/.omp",
					       "home/.omp/agent",
					       "home/.omp/agent/blobs" };
	for (size_t i = 0; i < COUNT(folders); i++)
		test_need(mkdir(test_path(folders[i]), 0755) == 0, folders[i]);
	test_put(test_path("home/.omp/agent/blobs/" HASH_A), 0, SPAN("\0a"));
	test_put(test_path("home/.omp/agent/blobs/" HASH_B), 0,
		 SPAN("data:\x01"));
	setenv("HOME", test_path("home"), 1);
}

/* Where references are resolved (session-loader.ts). */
static void check_row(struct row *r, struct buf *made)
{
	uint64_t room = 8;
	int err = omp_resolve_blobs(made, row_json(r, 0), &room);
	CHECK_INT(err, row_field(r, 1).n > 0);
}

/* What the environment makes of the folder (pi-utils, dirs.ts). */
static const struct {
	const char *name;
	const char *value;
	const char *other;
	const char *other_value;
	const char *folder; /* below the test's own, if it is relative */
} folders[] = {
	{ NULL, NULL, NULL, NULL, "home/.omp/agent/blobs" },
	{ "PI_CONFIG_DIR", ".pi", NULL, NULL, "home/.pi/agent/blobs" },
	{ "OMP_PROFILE", "work", NULL, NULL,
	  "home/.omp/profiles/work/agent/blobs" },
	{ "PI_PROFILE", " work ", NULL, NULL,
	  "home/.omp/profiles/work/agent/blobs" },
	{ "OMP_PROFILE", "", "PI_PROFILE", "work", "home/.omp/agent/blobs" },
	{ "OMP_PROFILE", "default", NULL, NULL, "home/.omp/agent/blobs" },
	{ "OMP_PROFILE", "../x", NULL, NULL, "home/.omp/agent/blobs" },
	{ "PI_CODING_AGENT_DIR", "/else", NULL, NULL, "/else/blobs" },
	{ "PI_CODING_AGENT_DIR", "/else", "OMP_PROFILE", "work",
	  "home/.omp/profiles/work/agent/blobs" },
	{ "PI_CODING_AGENT_DIR", "else", "PWD", "/at", "/at/else/blobs" },
	/* Only where it is there. */
	{ "XDG_DATA_HOME", "/nowhere", NULL, NULL, "home/.omp/agent/blobs" },
	{ "XDG_DATA_HOME", "@", NULL, NULL, "xdg/omp/blobs" },
	{ "XDG_DATA_HOME", "@", "OMP_PROFILE", "work",
	  "home/.omp/profiles/work/agent/blobs" },
};

static void check_folders(void)
{
	struct buf b = { 0 };
	test_need(mkdir(test_path("xdg"), 0755) == 0, "xdg");
	test_need(mkdir(test_path("xdg/omp"), 0755) == 0, "xdg/omp");
	for (size_t i = 0; i < COUNT(folders); i++) {
		const char *value = folders[i].value;
		if (value && *value == '@')
			value = test_path("xdg");
		if (folders[i].name)
			setenv(folders[i].name, value, 1);
		if (folders[i].other)
			setenv(folders[i].other, folders[i].other_value, 1);
		omp_blobs_folder(&b);
		test_row = folders[i].folder;
		CHECK_BUF(&b, *folders[i].folder == '/'
				      ? folders[i].folder
				      : test_path(folders[i].folder));
		if (folders[i].name)
			unsetenv(folders[i].name);
		if (folders[i].other)
			unsetenv(folders[i].other);
	}
	test_row = NULL;
	buf_free(&b);
}

/* A picture of an entry, and one whose blob is not there. */
static void check_content(void)
{
	struct session *s = test_session(
		"{'type':'session','version':3,'id':'s','title':'T'}\n" MESSAGE(
			"a", "null", "user",
			",'content':[{'type':'image','data':" A
			",'mimeType':'image/png'},{'type':'image','data':" NONE
			",'mimeType':'image/png'}]"));
	struct buf b = { 0 };
	uint32_t a = test_find(s, "a");
	unsigned n;
	CHECK_INT(content_pictures(s, a, &n), 0);
	CHECK_INT(n, 1);
	CHECK_INT(content_add_picture(s, a, 1, &b), 0);
	CHECK_SPAN(buf_span(&b), SPAN("\0a"));
	buf_clear(&b);
	CHECK_INT(content_add(s, a, &b), 0);
	CHECK(span_starts(buf_span(&b),
			  SPAN("[image/png 2 bytes: 1.png]\n\n{\n")));
	static const char reference[] = "\"data\": \"blob:sha256:00000000";
	CHECK(memmem(b.data, b.len, reference, strlen(reference)));
	buf_clear(&b);
	CHECK_INT(context_add(s, a, MESSAGE_FORM_JSON, &b), 0);
	CHECK(memmem(b.data, b.len, "\"data\":\"AGE=\"", 13));
	CHECK(memmem(b.data, b.len, "\"data\":\"blob:sha256:0000", 24));
	buf_clear(&b);
	/* It is as large as it was, until it turns out to have gone. */
	uint64_t size = 0;
	test_need(unlink(test_path("home/.omp/agent/blobs/" HASH_A)) == 0,
		  "unlink");
	CHECK_INT(content_picture_size(s, a, 1, &size), 0);
	CHECK_INT(size, 2);
	CHECK_INT(content_add_picture(s, a, 1, &b), -ESTALE);
	CHECK_INT(content_picture_size(s, a, 1, &size), -ENOENT);
	CHECK_INT(content_add_picture(s, a, 1, &b), -ENOENT);
	CHECK_INT(b.len, 0);
	buf_free(&b);
	test_close(s);
}

/* 100,000 levels, with a reference in each. */
static void check_deep(void)
{
	struct buf text = { 0 };
	struct buf b = { 0 };
	struct json v;
	for (int i = 0; i < 100000; i++)
		buf_adds(&text, "{\"image_url\":\"blob:sha256:\",\"x\":[");
	for (int i = 0; i < 100000; i++)
		buf_adds(&text, "]}");
	CHECK_INT(json_check(buf_span(&text), &v), 0);
	uint64_t room = 0;
	CHECK_INT(omp_resolve_blobs(&b, v, &room), 1);
	CHECK_SPAN(buf_span(&b), buf_span(&text));
	buf_free(&text);
	buf_free(&b);
}

/* The blobs of a context have room for so many bytes together. */
static void check_room(void)
{
	struct buf text = test_quoted("{'x':{'image_url':" A "},'y':{"
				      "'image_url':" A "}}");
	struct buf b = { 0 };
	struct json v;
	uint64_t room = 4;
	CHECK_INT(json_check(buf_span(&text), &v), 0);
	CHECK_INT(omp_resolve_blobs(&b, v, &room), 1);
	CHECK_INT(room, 0);
	room = 3;
	CHECK_INT(omp_resolve_blobs(&b, v, &room), -EFBIG);
	CHECK_INT(omp_resolve_blobs(&b, v, &room), -EFBIG);
	buf_free(&text);
	buf_free(&b);
}

/* What is in the place of a blob and can't be one, in no time. */
static void check_strange_files(void)
{
	static const char hash[] = "home/.omp/agent/blobs/"
				   "cccccccccccccccccccccccccccccccc"
				   "cccccccccccccccccccccccccccccccc";
	struct json v = { .raw = SPAN("\"blob:sha256:"
				      "cccccccccccccccccccccccccccccccc"
				      "cccccccccccccccccccccccccccccccc\"") };
	struct buf b = { 0 };
	test_need(mkfifo(test_path(hash), 0600) == 0, "mkfifo");
	CHECK(!omp_blob_exists(v));
	CHECK_INT(omp_blob_read(&b, v), -ENOENT);
	unlink(test_path(hash));
	test_need(symlink("/dev/zero", test_path(hash)) == 0, "symlink");
	CHECK(!omp_blob_exists(v));
	unlink(test_path(hash));
	test_put(test_path(hash), 0, SPAN("x"));
	test_need(truncate(test_path(hash), OMP_BLOB_LIMIT + 1) == 0,
		  "truncate");
	CHECK(!omp_blob_exists(v));
	CHECK_INT(omp_blob_read(&b, v), -ENOENT);
	CHECK_INT(b.len, 0);
	unlink(test_path(hash));
	buf_free(&b);
}

int main(void)
{
	static const char *const names[] = { "OMP_PROFILE", "PI_PROFILE",
					     "PI_CONFIG_DIR",
					     "PI_CODING_AGENT_DIR",
					     "XDG_DATA_HOME" };
	for (size_t i = 0; i < COUNT(names); i++)
		unsetenv(names[i]);
	put_blobs();
	rows_check("omp_blobs", check_row);
	check_folders();
	check_deep();
	check_room();
	check_content();
	check_strange_files();
	return test_done("omp_blobs");
}
