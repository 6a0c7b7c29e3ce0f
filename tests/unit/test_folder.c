#include "core/places/folder.h"

#include "core/session/dialect.h"
#include "tests/unit/real.h"
#include "tests/unit/test.h"

static int readdir_error;

/* libc's, but the end of a folder can't be read while the test says so. */
struct dirent *readdir(DIR *dir)
{
	static struct dirent *(*real)(DIR * dir);
	real_find((void **)&real, "readdir");
	struct dirent *d = real(dir);
	if (!d && readdir_error)
		errno = readdir_error;
	return d;
}

/* "name=file" of each item, folders with a slash. */
static void list(const char *path, struct buf *out)
{
	struct folder_list items;
	CHECK_INT(folder_read(NULL, path, &items), 0);
	for (size_t i = 0; i < items.n; i++) {
		const struct folder_item *item = &items.items[i];
		buf_addf(out, "%s=%s%s ", item->name, item->file,
			 S_ISDIR(item->st.st_mode) ? "/" : "");
	}
	folder_list_free(&items);
}

static void make_folder(const char *name)
{
	test_need(mkdir(test_path(name), 0700) == 0, name);
}

/* What is found by name is what is listed, and nothing else is. */
TEST(check_names)
{
	static const char *const files[] = {
		"x.jsonl",	 "y.jsonl",	    ".jsonl",	  "..jsonl",
		"...jsonl",	 "z.txt",	    "%2F.jsonl",  "w%2F.jsonl",
		".hidden.jsonl", "two.jsonl.jsonl", "a\nb.jsonl",
	};
	static const char *const folders[] = { "x", "plain", "p%2F",
					       "two.jsonl", "dir.jsonl" };
	make_folder("names");
	for (size_t i = 0; i < COUNT(files); i++) {
		char path[64];
		snprintf(path, sizeof(path), "names/%s", files[i]);
		test_file(path, "");
	}
	for (size_t i = 0; i < COUNT(folders); i++) {
		char path[64];
		snprintf(path, sizeof(path), "names/%s", folders[i]);
		make_folder(path);
	}
	const char *path = test_path("names");
	test_need(symlinkat("x.jsonl", AT_FDCWD, test_path("names/l.jsonl")) ==
				  0 &&
			  symlinkat("x", AT_FDCWD, test_path("names/l")) == 0 &&
			  mkfifo(test_path("names/f.jsonl"), 0600) == 0,
		  "names");
	struct buf got = { 0 };
	list(path, &got);
	CHECK_BUF(&got, ".hidden=.hidden.jsonl a\nb=a\nb.jsonl "
			"dir.jsonl=dir.jsonl/ p%2F%2F=p%2F/ plain=plain/ "
			"two.jsonl=two.jsonl.jsonl two.jsonl%2F=two.jsonl/ "
			"x=x.jsonl x%2F=x/ y=y.jsonl ");
	buf_free(&got);

	struct folder_list items;
	CHECK_INT(folder_read(NULL, path, &items), 0);
	for (size_t i = 0; i < items.n; i++) {
		struct folder_item item;
		test_row = items.items[i].name;
		if (!CHECK_INT(
			    folder_find(NULL, path, span_of(test_row), &item),
			    0))
			continue;
		CHECK(strcmp(item.name, items.items[i].name) == 0);
		CHECK(strcmp(item.file, items.items[i].file) == 0);
		CHECK(item.st.st_ino == items.items[i].st.st_ino);
		folder_item_free(&item);
	}
	folder_list_free(&items);
	static const char *const none[] = {
		"",  ".",  "..",    "z",    "z.txt",  "x.jsonl",
		"l", "f",  "w%2F",  "p%2F", "%2F",    "plain%2F",
		"p", "x/", "names", "y%2F", ".jsonl",
	};
	for (size_t i = 0; i < COUNT(none); i++) {
		struct folder_item item;
		test_row = none[i];
		CHECK_INT(folder_find(NULL, path, span_of(none[i]), &item),
			  -ENOENT);
	}
	test_row = NULL;
}

/* Names that would be too long are not shown. */
TEST(check_long_names)
{
	static const struct {
		size_t session; /* letters in front of .jsonl */
		size_t folder;	/* of a folder that needs its suffix */
		size_t shown;
	} rows[] = { { 249, 0, 1 }, { 249, 249, 2 } };
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf name = { 0 };
		struct folder_list items;
		buf_addf(&name, "long%zu", i);
		const char *folder = test_path(buf_cstr(&name));
		test_need(mkdir(folder, 0700) == 0, folder);
		int fd = open(folder, O_RDONLY | O_DIRECTORY);
		buf_clear(&name);
		buf_fill(&name, 'n', rows[i].session);
		buf_adds(&name, ".jsonl");
		test_need(fd >= 0 && mknodat(fd, buf_cstr(&name),
					     S_IFREG | 0600, 0) == 0,
			  folder);
		buf_clear(&name);
		buf_fill(&name, 'n', rows[i].folder);
		if (rows[i].folder)
			test_need(mkdirat(fd, buf_cstr(&name), 0700) == 0,
				  folder);
		close(fd);
		CHECK_INT(folder_read(NULL, folder, &items), 0);
		CHECK_INT(items.n, rows[i].shown);
		for (size_t k = 0; k < items.n; k++)
			CHECK(strlen(items.items[k].name) <= 255);
		folder_list_free(&items);
		buf_free(&name);
	}
}

TEST(check_errors)
{
	struct folder_list items;
	struct folder_item item;
	CHECK_INT(folder_read(NULL, test_path("none"), &items), -ENOENT);
	folder_list_free(&items);
	CHECK_INT(folder_find(NULL, test_path("none"), SPAN("x"), &item),
		  -ENOENT);
	const char *file = test_file("file.jsonl", "");
	CHECK_INT(folder_read(NULL, file, &items), -ENOTDIR);
	folder_list_free(&items);
	readdir_error = EIO;
	CHECK_INT(folder_read(NULL, test_path("names"), &items), -EIO);
	folder_list_free(&items);
	readdir_error = 0;
}

TEST(check_has_session)
{
	static const struct {
		const char *text;
		bool is_one;
	} rows[] = {
		{ "", true },
		{ HEADER, true },
		{ "{'type':'ses", true }, /* it is being written */
		{ "\n\n", false },
		{ "nothing\n", false },
		{ "{'hello':1}", false },
		{ "{'hello':1}\n" HEADER, true },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct session_opening how = { .dialects =
							     &dialect_registry,
						     .read_only = true };
		struct session *s;
		const char *reason;
		test_row = rows[i].text;
		const char *path = test_file("is.jsonl", rows[i].text);
		const struct dialect *d;
		CHECK_INT(folder_has_session(NULL, path, &dialect_registry,
					     NULL, &d),
			  rows[i].is_one);
		CHECK(folder_has_session(NULL, path, &dialect_registry,
					 dialect_named(SPAN("lines")), &d));
		CHECK(d == dialect_named(SPAN("lines")));
		/* As it is when it is opened. */
		bool opens = session_open(&s, path, &how, &reason) == 0;
		CHECK_INT(opens, rows[i].is_one);
		if (opens)
			session_free(s);
	}
	test_row = NULL;
	const struct dialect *none;
	CHECK(!folder_has_session(NULL, test_path("nothing"), &dialect_registry,
				  NULL, &none));
	CHECK(!none);
}

RUN_TESTS("folder")
