/*
 * Finding files by a part of their names.
 */
#include "core/file/folder_index.h"

#include "tests/unit/no_memory.h"
#include "tests/unit/test.h"

/* What is before a dot. */
static struct span stem(struct span name)
{
	const char *dot = memchr(name.p, '.', name.n);
	return (struct span){ name.p, dot ? (size_t)(dot - name.p) : 0 };
}

static struct span whole(struct span name)
{
	return name;
}

static void check(struct folder_index *c, name_key *key, struct span wanted,
		  int got, const char *name)
{
	struct buf found = { 0 };
	CHECK_INT(
		folder_index_find(c, NULL, test_path("."), key, wanted, &found),
		got);
	CHECK_BUF(&found, name);
	buf_free(&found);
}

static void check_cache(struct folder_index *c)
{
	char last[32];
	test_file("one.a", "");
	test_file("Two.b", "");
	test_file("dotless", "");
	check(c, stem, SPAN("one"), 1, "one.a");
	check(c, stem, SPAN("ONE"), 1, "one.a");
	check(c, stem, SPAN("two"), 1, "Two.b");
	check(c, stem, SPAN("dotless"), 0, "");
	check(c, whole, SPAN("dotless"), 1, "dotless");
	/* Right after a change, and later. */
	for (int i = 0; i < 40; i++) {
		snprintf(last, sizeof(last), "f%d", i);
		check(c, whole, span_of(last), 0, "");
		test_file(last, "");
		check(c, whole, span_of(last), 1, last);
		usleep(i * 1000);
	}
	test_need(unlink(test_path("one.a")) == 0, "one.a");
	check(c, stem, SPAN("one"), 0, "");
	struct buf found = { 0 };
	CHECK_INT(folder_index_find(c, NULL, test_path("none"), stem,
				    SPAN("one"), &found),
		  -ENOENT);
	CHECK_INT(folder_index_find(c, NULL, test_path("Two.b"), stem,
				    SPAN("one"), &found),
		  -ENOTDIR);
	/* More folders than are kept. */
	for (int i = 0; i < 20; i++) {
		snprintf(last, sizeof(last), "d%d", i % 10);
		mkdir(test_path(last), 0755);
		CHECK_INT(folder_index_find(c, NULL, test_path(last), stem,
					    SPAN("one"), &found),
			  0);
	}
	check(c, stem, SPAN("two"), 1, "Two.b");
	buf_free(&found);
}

/* Without memory a name is not missing: that can't be told. */
static void check_no_memory(void)
{
	struct buf found = { 0 };
	int got = -ENOMEM;
	unsigned n;
	memory_returns = true;
	for (n = 0; got == -ENOMEM; n++) {
		memory_left = n;
		no_memory = true;
		buf_free(&found);
		got = folder_index_find(NULL, NULL, test_path("."), whole,
					SPAN("dotless"), &found);
		no_memory = false;
	}
	CHECK_INT(got, 1);
	CHECK_BUF(&found, "dotless");
	CHECK(n > 4);
	buf_free(&found);
}

int main(void)
{
	struct folder_index *c = folder_index_new();
	test_need(c != NULL, "folder_index_new");
	check_cache(c);
	folder_index_free(c);
	for (int i = 0; i < 40; i++) {
		char name[32];
		snprintf(name, sizeof(name), "f%d", i);
		unlink(test_path(name));
	}
	check_cache(NULL);
	check_no_memory();
	return test_done("folder_index");
}
