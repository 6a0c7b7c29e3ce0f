#include "core/places/set.h"

#include "core/file/gate.h"
#include "tests/unit/test.h"

static struct gate *gate;

static void make_set(struct source_set *set)
{
	*set = (struct source_set){ .since = { .tv_sec = 1000 } };
	CHECK_INT(set_add(set, SPAN("pi"), test_path("pi")), 0);
	CHECK_INT(set_add(set, SPAN("one"), test_path("one.jsonl")), 0);
	CHECK_INT(set_add(set, SPAN("link"), test_path("link")), 0);
	CHECK_INT(set_add(set, SPAN("none"), test_path("none")), 0);
}

/* "pi:PATH one:PATH", with the folder cut off. */
static void add_items(const struct source_set *set, struct buf *out)
{
	struct folder_list list;
	CHECK_INT(set_read(set, gate, &list), 0);
	for (size_t i = 0; i < list.n; i++)
		buf_addf(out, "%s:%s ", list.items[i].name,
			 list.items[i].file + strlen(test_path("")));
	buf_adds(out, list.partial ? "partial" : "");
	folder_list_free(&list);
}

/* Only what is there, in the order in which it was named. */
static void check_items(void)
{
	struct source_set set;
	struct folder_item item;
	struct buf got = { 0 };
	make_set(&set);
	add_items(&set, &got);
	CHECK_BUF(&got, "pi:pi one:one.jsonl ");
	CHECK_INT(set_find(&set, gate, SPAN("one"), &item), 0);
	CHECK(S_ISREG(item.st.st_mode));
	CHECK_SPAN(span_of(item.file), span_of(test_path("one.jsonl")));
	folder_item_free(&item);
	CHECK_INT(set_find(&set, gate, SPAN("none"), &item), -ENOENT);
	CHECK_INT(set_find(&set, gate, SPAN("link"), &item), -ENOENT);
	CHECK_INT(set_find(&set, gate, SPAN("pi/"), &item), -ENOENT);
	CHECK_INT(set_find(&set, gate, SPAN("other"), &item), -ENOENT);
	/* One that is made later appears, and a FIFO is no source. */
	test_need(mkfifo(test_path("none"), 0600) == 0, "none");
	CHECK_INT(set_find(&set, gate, SPAN("none"), &item), -ENOENT);
	unlink(test_path("none"));
	test_file("none", "");
	add_items(&set, &got);
	CHECK_BUF(&got, "pi:pi one:one.jsonl none:none ");
	unlink(test_path("none"));
	set_free(&set);
	CHECK_INT(set.n, 0);
	buf_free(&got);
}

static mode_t mode_with(const struct source_set *set, mode_t folder,
			mode_t file)
{
	struct stat st;
	test_need(chmod(test_path("pi"), folder) == 0, "pi");
	test_need(chmod(test_path("one.jsonl"), file) == 0, "one");
	set_stat(set, gate, &st);
	return st.st_mode;
}

/* Who may read all of them may read the set. */
static void check_modes(void)
{
	struct source_set set;
	struct stat st;
	make_set(&set);
	CHECK_INT(mode_with(&set, 0755, 0644), S_IFDIR | 0555);
	CHECK_INT(mode_with(&set, 0777, 0666), S_IFDIR | 0555);
	CHECK_INT(mode_with(&set, 0755, 0600), S_IFDIR | 0500);
	CHECK_INT(mode_with(&set, 0750, 0644), S_IFDIR | 0550);
	CHECK_INT(mode_with(&set, 0700, 0640), S_IFDIR | 0500);
	set_stat(&set, gate, &st);
	CHECK_INT(st.st_uid, geteuid());
	/* Another owner's is read by this process, and by others if they may.
	 */
	if (geteuid() == 0) {
		test_need(chown(test_path("one.jsonl"), 1234, 1234) == 0,
			  "one");
		CHECK_INT(mode_with(&set, 0755, 0644), S_IFDIR | 0555);
		CHECK_INT(mode_with(&set, 0755, 0640), S_IFDIR | 0500);
		set_stat(&set, gate, &st);
		CHECK_INT(st.st_uid, 0);
	}
	test_need(chmod(test_path("one.jsonl"), 0644) == 0, "one");
	set_free(&set);
}

static struct timespec time_of(const struct source_set *set)
{
	struct stat st;
	set_stat(set, gate, &st);
	return st.st_mtim;
}

/* It differs with the sources that are there, by less than a millisecond. */
static void check_time(void)
{
	struct source_set set;
	make_set(&set);
	struct timespec two = time_of(&set);
	CHECK_INT(two.tv_sec, 1000);
	CHECK(two.tv_nsec < 1000000);
	test_append("one.jsonl", "more");
	CHECK_INT(time_of(&set).tv_nsec, two.tv_nsec);
	test_file("none", "");
	CHECK(time_of(&set).tv_nsec != two.tv_nsec);
	unlink(test_path("none"));
	CHECK_INT(time_of(&set).tv_nsec, two.tv_nsec);
	unlink(test_path("one.jsonl"));
	long one = time_of(&set).tv_nsec;
	CHECK(one != two.tv_nsec);
	set.since.tv_nsec = 999999999;
	CHECK(time_of(&set).tv_nsec < 1000000000);
	set_free(&set);
	/* Without any it is there, and nobody's but ours. */
	struct stat st;
	set_stat(&set, gate, &st);
	CHECK_INT(st.st_mode, S_IFDIR | 0555);
	CHECK_INT(st.st_uid, geteuid());
}

int main(void)
{
	gate = gate_new();
	test_need(gate != NULL, "gate");
	test_need(mkdir(test_path("pi"), 0755) == 0, "pi");
	test_file("one.jsonl", HEADER);
	test_need(symlink(test_path("pi"), test_path("link")) == 0, "link");
	check_items();
	check_modes();
	check_time();
	gate_free(gate);
	return test_done("set");
}
