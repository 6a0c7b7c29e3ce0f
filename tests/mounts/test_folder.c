/*
 * SOURCE is a folder: its folders as folders, and each session in them as one.
 * What tar says is in tests/folder.bats.
 */
#include <stdatomic.h>

#include "tests/mounts/mounts.h"

#define BRANCHES "pi-v3-branches.jsonl"
#define HEADMOVE "pi-v3-headmove.jsonl"

/* A path in the folder of sessions; good for the next seven calls of
 * test_path(). */
static const char *in_all(const char *name)
{
	char path[256];
	snprintf(path, sizeof(path), "all/%s", name);
	return test_path(path);
}

/* An absolute path in the mount; good until the next call. */
static const char *in_mount(const char *name)
{
	static char path[PATH_MAX];
	snprintf(path, sizeof(path), "%s/%s", mounts_at, name);
	return path;
}

static void make_sessions(const char *path)
{
	test_need(mkdir(path, 0755) == 0, path);
}

static void mount_all(const char *options)
{
	test_need(RUN(sessfs_program(), "-o", options, in_all(""), mounts_at) ==
				  0 &&
			  chdir(mounts_at) == 0,
		  "mounting failed");
}

/* A tree of sessions, mounted with options of -o. */
static void mount_tree(const char *options)
{
	static const char *const folders[] = { "", "a", "a/deep", "b" };
	static const char *const files[][2] = {
		{ BRANCHES, "a/one.jsonl" },
		{ "omp-v3-basic.jsonl", "a/two.jsonl" },
		{ "pi-v1-linear.jsonl", "a/deep/old.jsonl" },
		{ "go-tree.jsonl", "b/go-tree.jsonl" },
		{ "go-tree.head.json", "b/go-tree.head.json" },
		{ "claude-basic.jsonl", "top.jsonl" },
	};
	for (size_t i = 0; i < COUNT(folders); i++)
		make_sessions(in_all(folders[i]));
	for (size_t i = 0; i < COUNT(files); i++)
		test_copy(fixture(files[i][0]), in_all(files[i][1]));
	mount_all(options);
}

/* So many small sessions. The texts have the numbers. */
static void write_sessions(int n)
{
	make_sessions(in_all(""));
	for (int i = 1; i <= n; i++) {
		char name[32], lines[1024];
		snprintf(name, sizeof(name), "all/s%d.jsonl", i);
		snprintf(lines, sizeof(lines),
			 HEADER USER("00000001", "null", "I am %d")
				 USER("00000002", "'00000001'", "still %d"),
			 i, i);
		test_file(name, lines);
	}
}

/* Append a message to one of these. */
static void append_to(int session, const char *id, const char *parent,
		      const char *text)
{
	char name[32], line[512];
	snprintf(name, sizeof(name), "all/s%d.jsonl", session);
	snprintf(line, sizeof(line), USER("%s", "'%s'", "%s"), id, parent,
		 text);
	test_append(name, line);
}

/* What a walk has met: lines, in the order of their bytes. */
static struct buf met;

/* `note` adds texts to `met`, each with a NUL. */
static void walk(const char *from, __nftw_func_t note)
{
	struct buf sorted = { 0 };
	size_t n = 0;
	buf_clear(&met);
	CHECK_INT(nftw(from, note, 64, FTW_PHYS), 0);
	const char **texts = calloc(met.len + 1, sizeof(*texts));
	test_need(texts != NULL, "memory");
	for (size_t at = 0; at < met.len; at += strlen(texts[n++]) + 1)
		texts[n] = met.data + at;
	qsort(texts, n, sizeof(*texts), by_bytes);
	for (size_t i = 0; i < n; i++)
		buf_addf(&sorted, "%s\n", texts[i]);
	free(texts);
	buf_free(&met);
	met = sorted;
}

static int note_session(const char *path, const struct stat *st, int type,
			struct FTW *ftw)
{
	(void)st;
	if (type == FTW_D && strcmp(path + ftw->base, "by-id") == 0) {
		buf_add(&met, (struct span){ path, (size_t)ftw->base - 1 });
		buf_addc(&met, '\0');
	}
	return 0;
}

/* All names of a folder, hidden ones included, but for forks: only in a folder
 * others can go on from a session. */
static void add_names(struct buf *b, const char *path)
{
	struct dirent **found;
	int n = scandir(path, &found, NULL, alphasort);
	test_need(n >= 0, path);
	for (int i = 0; i < n; free(found[i++]))
		if (strcmp(found[i]->d_name, "forks") != 0)
			buf_addf(b, "%s\n", found[i]->d_name);
	free(found);
}

/* Is a file the same in the mount as in the mounts of single sessions? As
 * diff -r --no-dereference says. */
static size_t alone_length, compared;
static int compare(const char *path, const struct stat *st, int type,
		   struct FTW *ftw)
{
	struct buf alone = { 0 }, here = { 0 };
	const char *other = in_mount(path + alone_length);
	(void)ftw;
	test_row = path;
	CHECK_INT(stat_of(other).st_mode & S_IFMT, st->st_mode & S_IFMT);
	if (type == FTW_D) {
		add_names(&alone, path);
		add_names(&here, other);
	} else if (type == FTW_SL) {
		buf_add(&alone, link_at(path));
		buf_add(&here, link_at(other));
	} else {
		buf_add(&alone, text_of(path));
		buf_add(&here, text_of(other));
	}
	CHECK_SPAN(buf_span(&here), buf_span(&alone));
	compared++;
	buf_free(&alone);
	buf_free(&here);
	test_row = NULL;
	return 0;
}

/* Rules: F1 */
static void as_if_alone(void)
{
	static const char *const folders[] = { "alone",
					       "alone/a",
					       "alone/b",
					       "alone/a/deep",
					       "alone/a/one",
					       "alone/a/two",
					       "alone/a/deep/old",
					       "alone/b/go-tree",
					       "alone/top" };
	static const char *const sessions[] = { "a/one", "a/two", "a/deep/old",
						"b/go-tree", "top" };
	mount_tree("rw");
	walk(".", note_session);
	CHECK_BUF(&met, "./a/deep/old\n"
			"./a/one\n"
			"./a/two\n"
			"./b/go-tree\n"
			"./top\n");
	CHECK_NAMES(".", "a b top ");
	CHECK_NAMES("a", "deep one two ");
	for (size_t i = 0; i < COUNT(folders); i++)
		make_sessions(test_path(folders[i]));
	for (size_t i = 0; i < COUNT(sessions); i++) {
		char session[64], at[64], context[96];
		struct buf alone = { 0 };
		snprintf(session, sizeof(session), "%s.jsonl", sessions[i]);
		snprintf(at, sizeof(at), "alone/%s", sessions[i]);
		CHECK_INT(RUN(sessfs_program(), in_all(session), test_path(at)),
			  0);
		snprintf(context, sizeof(context), "%s/HEAD/context.json", at);
		buf_add(&alone, text_of(test_path(context)));
		CHECK(exists(context + strlen("alone/")));
		CHECK_SPAN(text_of(context + strlen("alone/")),
			   buf_span(&alone));
		buf_free(&alone);
	}
	compared = 0;
	alone_length = strlen(test_path("alone"));
	CHECK_INT(nftw(test_path("alone"), compare, 64, FTW_PHYS), 0);
	CHECK(compared > 500);
}

/* Rules: F3 */
static void no_sessions(void)
{
	static const char *const absent[] = {
		"other",    "junk",	  "hello",  "zero", "sparse",
		"fifo",	    "link",	  "out",    "none", "good.txt",
		"sub/loop", "good.jsonl", ".jsonl",
	};
	static const char *const copies[] = { "good.jsonl", "good.txt",
					      ".jsonl", "...jsonl" };
	static char junk[100000];
	struct stat st;
	make_sessions(in_all(""));
	make_sessions(in_all("sub"));
	make_sessions(test_path("outside"));
	test_copy(fixture(BRANCHES), test_path("outside/secret.jsonl"));
	for (size_t i = 0; i < COUNT(copies); i++)
		test_copy(fixture(BRANCHES), in_all(copies[i]));
	test_file("all/other.jsonl", "{'hello':'world'}\n");
	for (size_t i = 0; i < sizeof(junk); i++)
		junk[i] = (char)test_random();
	test_put(in_all("junk.jsonl"), O_TRUNC,
		 (struct span){ junk, sizeof(junk) });
	test_file("all/hello.jsonl", "hello");
	memset(junk, 0, 3000);
	test_put(in_all("zero.jsonl"), O_TRUNC, (struct span){ junk, 3000 });
	test_file("all/sparse.jsonl", "");
	CHECK_INT(ERRNO(truncate(in_all("sparse.jsonl"), (off_t)4 << 30)), 0);
	test_file("all/begun.jsonl", "{'type':'sess");
	CHECK_INT(ERRNO(mkfifo(in_all("fifo.jsonl"), 0644)), 0);
	CHECK_INT(
		ERRNO(symlink("../outside/secret.jsonl", in_all("link.jsonl"))),
		0);
	CHECK_INT(ERRNO(symlink("../outside", in_all("out"))), 0);
	CHECK_INT(ERRNO(symlink(".", in_all("sub/loop"))), 0);
	test_file("all/new.jsonl", "");
	mount_all("rw");
	CHECK_NAMES(".", "begun good new sub ");
	CHECK_INT(test_count_names(".", ""), 4);
	CHECK_INT(test_count_names("sub", ""), 0);
	for (size_t i = 0; i < COUNT(absent); i++) {
		test_row = absent[i];
		CHECK_INT(ERRNO(lstat(absent[i], &st)), ENOENT);
	}
	test_row = NULL;
	CHECK_LINK("new/HEAD", "tree");
	/* A file that stops being a session, and one that becomes one. */
	test_file("all/good.jsonl", "{'hello':'world'}\n");
	test_copy(fixture(BRANCHES), in_all("other.jsonl"));
	CHECK_NAMES(".", "begun new other sub ");
	CHECK_NAMES("good", strerror(ENOENT));
	CHECK_FILE("other/by-id/aa000004/content", "list the files\n");
}

static void any_dialect(void)
{
	make_sessions(in_all(""));
	test_file("all/other.jsonl", "{'hello':'world'}\n");
	mount_all("dialect=lines");
	CHECK_LINK("other/HEAD", "by-id/1");
}

/* Rules: F1 */
static void beside_its_name(void)
{
	make_sessions(in_all(""));
	make_sessions(in_all("x"));
	make_sessions(in_all("y%2F"));
	test_copy(fixture(BRANCHES), in_all("x.jsonl"));
	test_copy(fixture(HEADMOVE), in_all("x/sub.jsonl"));
	test_copy(fixture(HEADMOVE), in_all("y%2F/sub.jsonl"));
	mount_all("rw");
	CHECK_NAMES(".", "x x%2F y%2F%2F ");
	CHECK_LINK("x/HEAD", "by-id/aa000025");
	CHECK_LINK("x%2F/sub/HEAD", "by-id/dd000002");
	CHECK_LINK("y%2F%2F/sub/HEAD", "by-id/dd000002");
	CHECK_INT(ERRNO(unlink(in_all("x.jsonl"))), 0);
	CHECK_NAMES(".", "x y%2F%2F ");
	CHECK_LINK("x/sub/HEAD", "by-id/dd000002");
}

static void come_and_go(void)
{
	static const char *const names[] = { "a b new1 top ",
					     "a b new1 new2 top ",
					     "a b new1 new2 new3 top " };
	struct stat st;
	mount_tree("rw");
	CHECK_LINK("a/one/HEAD", "by-id/aa000025");
	for (int i = 1; i <= 3; i++) {
		char path[64];
		snprintf(path, sizeof(path), "new%d", i);
		make_sessions(in_all(path));
		CHECK_NAMES(".", names[i - 1]);
		snprintf(path, sizeof(path), "new%d/s.jsonl", i);
		test_copy(fixture(HEADMOVE), in_all(path));
		snprintf(path, sizeof(path), "new%d", i);
		CHECK_NAMES(path, "s ");
		snprintf(path, sizeof(path), "new%d/s/HEAD", i);
		CHECK_LINK(path, "by-id/dd000002");
	}
	CHECK_INT(ERRNO(chdir("new1/s/by-id/dd000001")), 0);
	CHECK_INT(ERRNO(unlink(in_all("new1/s.jsonl"))), 0);
	CHECK_INT(ERRNO(rmdir(in_all("new1"))), 0);
	CHECK_NAMES(in_mount("new1"), strerror(ENOENT));
	CHECK_FILE("content", strerror(ESTALE));
	test_need(chdir(mounts_at) == 0, mounts_at);
	CHECK_NAMES(".", "a b new2 new3 top ");
	/* Back again, as another. */
	make_sessions(in_all("new1"));
	test_file("all/new1/s.jsonl",
		  HEADER USER("00000001", "null", "another"));
	CHECK_FILE("new1/s/HEAD/content", "another\n");
	CHECK_INT(
		ERRNO(rename(in_all("new1/s.jsonl"), in_all("b/moved.jsonl"))),
		0);
	CHECK_INT(test_count_names("new1", ""), 0);
	CHECK_FILE("b/moved/HEAD/content", "another\n");
	/* A session in the place of a folder, and the other way round. */
	CHECK_INT(ERRNO(unlink(in_all("new2/s.jsonl"))), 0);
	CHECK_INT(ERRNO(rmdir(in_all("new2"))), 0);
	test_copy(fixture(HEADMOVE), in_all("new2.jsonl"));
	CHECK_LINK("new2/HEAD", "by-id/dd000002");
	CHECK_INT(ERRNO(unlink(in_all("new2.jsonl"))), 0);
	make_sessions(in_all("new2"));
	CHECK_INT(test_count_names("new2", ""), 0);
	CHECK_INT(ERRNO(stat("new2", &st)), 0);
	CHECK(S_ISDIR(st.st_mode));
}

/* The content at a session's HEAD. */
static void check_content(int session, const char *want)
{
	char path[64], line[64];
	snprintf(path, sizeof(path), "s%d/HEAD/content", session);
	snprintf(line, sizeof(line), "%s %d\n", want, session);
	CHECK_FILE(in_mount(path), line);
}

static void appended_lines(void)
{
	enum { N = 20 };
	write_sessions(N);
	mount_all("keep=4");
	for (int i = 1; i <= N; i++)
		check_content(i, "still");
	for (int i = 1; i <= N; i++) {
		char path[64], text[32];
		struct stat st;
		snprintf(text, sizeof(text), "more of %d", i);
		append_to(i, "00000003", "00000002", text);
		check_content(i, "more of");
		snprintf(path, sizeof(path),
			 "s%d/tree/00000001/00000002/00000003", i);
		CHECK_INT(ERRNO(stat(path, &st)), 0);
		CHECK(S_ISDIR(st.st_mode));
	}
}

/* Move a session's HEAD as ln -sfn does. */
static int move_in(const char *session, const char *target)
{
	test_need(chdir(session) == 0, session);
	int err = move_head(target);
	test_need(chdir(mounts_at) == 0, mounts_at);
	return err;
}

/* The path of a session's first entry in by-id/. */
static void first_entry(char *path, size_t size, const char *session)
{
	char folder[64];
	snprintf(folder, sizeof(folder), "%s/by-id", session);
	struct span names = names_in(folder), id = span_next(&names, ' ');
	snprintf(path, size, "by-id/%.*s", (int)id.n, id.p);
}

static void moves_and_labels(void)
{
	static const char one[] = "a/one/HEAD", two[] = "a/two/HEAD";
	char target[PATH_MAX], first[128];
	struct stat st;
	mount_tree("rw");
	CHECK_INT(move_in("a/one", "by-id/aa000004"), 0);
	CHECK_LINK(one, "by-id/aa000004");
	CHECK_INT(move_in("a/one", in_mount("a/one/by-id/aa000005")), 0);
	CHECK_LINK(one, "by-id/aa000005");
	/* As ln -sf does, through the folder that HEAD points to. */
	CHECK_INT(ERRNO(symlink(in_mount("a/one/by-id/aa000004"),
				"a/one/HEAD/aa000004")),
		  0);
	CHECK_LINK(one, "by-id/aa000004");
	CHECK_INT(move_in("a/one", "mnt/a/one/by-id/aa000008"), 0);
	CHECK_LINK(one, "by-id/aa000008");
	CHECK_INT(move_in("a/one", "by-id/aa000005"), 0);
	CHECK_LINK(one, "by-id/aa000005");
	CHECK_INT(ERRNO(unlink(one)), 0);
	/* Hidden in its own session only. */
	CHECK_INT(ERRNO(readlink(one, target, sizeof(target))), ENOENT);
	CHECK(link_at(two).n > 0);
	first_entry(first, sizeof(first), "a/two");
	CHECK_INT(move_in("a/two", first), 0);
	CHECK_INT(ERRNO(unlink(two)), 0);
	CHECK_INT(ERRNO(symlink("by-id/aa000008", one)), 0);
	CHECK_LINK(one, "by-id/aa000008");
	CHECK_INT(ERRNO(symlink("tree", two)), 0);
	CHECK_LINK(two, "tree");
	CHECK_INT(put("a/one/by-id/aa000004/label", "mine\n"), 0);
	CHECK_FILE("a/one/by-label/mine/label", "mine\n");
	CHECK_INT(ERRNO(lstat("a/two/by-label/mine", &st)), ENOENT);
	/* An entry of another session is none of this one. */
	first_entry(first, sizeof(first), "b/go-tree");
	snprintf(target, sizeof(target), "%s/b/go-tree/%s", mounts_at, first);
	CHECK_INT(move_in("a/one", target), ENOENT);
	CHECK_LINK(one, "by-id/aa000008");
	/* Version 1 is migrated in its place. */
	CHECK_INT(put("a/deep/old/HEAD/label", "x\n"), 0);
	CHECK_FILE("a/deep/old/HEAD/label", "x\n");
	CHECK(exists(in_all("a/deep/old.jsonl.v1.bak")));
	CHECK_NAMES("a/deep", "old ");
}

static int note_path(const char *path, const struct stat *st, int type,
		     struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	buf_add(&met, (struct span){ path, strlen(path) + 1 });
	return 0;
}

static void nothing_can_be_made(void)
{
	int for_root = geteuid() == 0 ? EPERM : EACCES;
	struct buf before = { 0 };
	mount_tree("rw");
	walk(in_all(""), note_path);
	buf_add(&before, buf_span(&met));
	CHECK_INT(ERRNO(mkdir("x", 0755)), for_root);
	CHECK_INT(put("a/x", ""), for_root);
	CHECK_INT(ERRNO(unlink("top/info")), EPERM);
	CHECK_INT(ERRNO(rmdir("a/deep")), for_root);
	CHECK_INT(ERRNO(symlink("a", "x")), for_root);
	CHECK_INT(ERRNO(rename("top", "x")), for_root);
	CHECK_INT(ERRNO(rename("top", "a/top")), for_root);
	CHECK_INT(ERRNO(chmod("a", 0700)), EPERM);
	walk(in_all(""), note_path);
	CHECK_SPAN(buf_span(&met), buf_span(&before));
	CHECK(before.len > 0);
	buf_free(&before);
}

static void read_only(void)
{
	struct buf before = { 0 };
	mount_tree("ro");
	CHECK_INT(move_in("a/one", "by-id/aa000004"), EROFS);
	CHECK_INT(put("a/two/HEAD/label", "x\n"), EROFS);
	CHECK_INT(ERRNO(mkdir("x", 0755)), EROFS);
	CHECK_INT(ERRNO(mkdir("a/one/x", 0755)), EROFS);
	test_read(fixture(BRANCHES), &before);
	CHECK_SPAN(text_of(in_all("a/one.jsonl")), buf_span(&before));
	buf_free(&before);
	CHECK_INT(stat_of(in_all(".")).st_mode, S_IFDIR | 0755);
	CHECK_INT(stat_of("a/one").st_mode, S_IFDIR | 0555);
}

/* A file's inode number and links, the session that it is in, the name of its
 * folder, and its own. */
static int note_inode(const char *path, const struct stat *st, int type,
		      struct FTW *ftw)
{
	char text[PATH_MAX];
	(void)type;
	if (ftw->level == 0)
		return 0;
	const char *in_session = path + strlen("./"), *base = path + ftw->base,
		   *folder = base - 1;
	while (folder > path && folder[-1] != '/')
		folder--;
	snprintf(text, sizeof(text), "%020ju %ju %.*s %.*s%s",
		 (uintmax_t)st->st_ino, (uintmax_t)st->st_nlink,
		 (int)strcspn(in_session, "/"), in_session,
		 (int)(base - folder), folder, base);
	buf_add(&met, (struct span){ text, strlen(text) + 1 });
	return 0;
}

static void inodes(void)
{
	size_t n = 0, same = 0;
	write_sessions(6);
	test_copy(in_all("s1.jsonl"), in_all("copy.jsonl"));
	mount_all("keep=2");
	walk(".", note_inode);
	struct span before = SPAN("");
	for (struct span rest = buf_span(&met); rest.n > 0;) {
		struct span line = span_next_line(&rest);
		if (before.n < 21 || memcmp(line.p, before.p, 21) != 0) {
			n++;
			same = 1;
		} else {
			/* The other view's. */
			CHECK_SPAN(line, before);
			CHECK_SPAN(((struct span){ line.p + 21, 2 }),
				   SPAN("2 "));
			CHECK_INT(++same, 2);
		}
		before = line;
	}
	CHECK(n > 100);
}

static int by_number(const void *one, const void *other)
{
	ino_t a = *(const ino_t *)one, b = *(const ino_t *)other;
	return (a > b) - (a < b);
}

static void inodes_of_folders(void)
{
	enum { N = 1000 };
	static ino_t inodes[N];
	int n = 0;
	const struct dirent *d;
	make_sessions(in_all(""));
	for (int i = 1; i <= N; i++) {
		char name[16];
		snprintf(name, sizeof(name), "%d", i);
		make_sessions(in_all(name));
	}
	mount_all("rw");
	DIR *dir = opendir(".");
	test_need(dir != NULL, ".");
	/* The kernel takes the upper bits for little: all would be in one row
	 * of its table. */
	while ((d = readdir(dir)))
		if (d->d_name[0] != '.' && CHECK(n < N))
			inodes[n++] = d->d_ino & (((ino_t)1 << 46) - 1);
	closedir(dir);
	CHECK_INT(n, N);
	qsort(inodes, N, sizeof(*inodes), by_number);
	for (int i = 1; i < N; i++)
		CHECK(inodes[i] != inodes[i - 1]);
}

/* Has a's mtime changed since it was this? It is this then. */
static bool is_new_time(struct timespec *before)
{
	struct timespec now = stat_of("a").st_mtim;
	bool is_new =
		now.tv_sec != before->tv_sec || now.tv_nsec != before->tv_nsec;
	*before = now;
	return is_new;
}

/* Rules: F3 */
static void time_of_names(void)
{
	struct timespec at = { 0 };
	mount_tree("rw");
	CHECK(is_new_time(&at));
	for (int i = 0; i < 3; i++) {
		CHECK_NAMES("a", "deep one two ");
		CHECK(has("a/sessions.txt", "one"));
		CHECK(!is_new_time(&at));
	}
	/* A session whose lines become those of none, and again of one: the
	 * folder on the disk stays as it is. */
	test_copy(in_all("a/two.jsonl"), test_path("two"));
	test_file("all/a/two.jsonl", "{'hello':'world'}\n");
	CHECK_NAMES("a", "deep one ");
	CHECK(is_new_time(&at));
	test_copy(test_path("two"), in_all("a/two.jsonl"));
	CHECK_NAMES("a", "deep one two ");
	CHECK(is_new_time(&at));
	test_copy(test_path("two"), in_all("a/three.jsonl"));
	CHECK(is_new_time(&at));
	CHECK_NAMES("a", "deep one three two ");
	is_new_time(&at);
	CHECK_INT(ERRNO(unlink(in_all("a/three.jsonl"))), 0);
	CHECK_NAMES("a", "deep one two ");
	CHECK(is_new_time(&at));
}

static void modes_and_times(void)
{
	/* 2026-02-03 04:05:06 */
	static const struct timespec times[] = { { .tv_sec = 1770091506 },
						 { .tv_sec = 1770091506 } };
	mount_tree("rw");
	CHECK_INT(ERRNO(chmod(in_all("a"), 0750)), 0);
	CHECK_INT(ERRNO(chmod(in_all("a/one.jsonl"), 0640)), 0);
	CHECK_INT(ERRNO(utimensat(AT_FDCWD, in_all("a/two.jsonl"), times, 0)),
		  0);
	CHECK_INT(ERRNO(utimensat(AT_FDCWD, in_all("b"), times, 0)), 0);
	CHECK_INT(stat_of("a").st_mode, S_IFDIR | 0550);
	CHECK_INT(stat_of("a/one").st_mode, S_IFDIR | 0750);
	CHECK_INT(stat_of("a/one/info").st_mode, S_IFREG | 0440);
	CHECK_INT(stat_of("a/two").st_mtime, 1770091506);
	CHECK_INT(stat_of("b").st_mtime, 1770091506);
}

/* How many sessions does the daemon have open? */
static size_t open_files(void)
{
	char fds[64];
	const struct dirent *d;
	size_t n = 0;
	snprintf(fds, sizeof(fds), "/proc/%d/fd", (int)daemon_pid());
	DIR *dir = opendir(fds);
	test_need(dir != NULL, fds);
	while ((d = readdir(dir))) {
		char path[PATH_MAX];
		snprintf(path, sizeof(path), "%s/%s", fds, d->d_name);
		n += span_starts(link_at(path), span_of(in_all("")));
	}
	closedir(dir);
	return n;
}

/* How many inotify watches does the daemon have? */
static size_t watches(void)
{
	char fds[64];
	const struct dirent *d;
	size_t n = 0;
	snprintf(fds, sizeof(fds), "/proc/%d/fdinfo", (int)daemon_pid());
	DIR *dir = opendir(fds);
	test_need(dir != NULL, fds);
	while ((d = readdir(dir))) {
		char path[PATH_MAX];
		if (d->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", fds, d->d_name);
		for (struct span rest = text_of(path); rest.n > 0;)
			n += span_starts(span_next_line(&rest),
					 SPAN("inotify "));
	}
	closedir(dir);
	return n;
}

static void only_so_many(void)
{
	enum { N = 40 };
	size_t listed = 0;
	write_sessions(N);
	mount_all("keep=5");
	for (struct span rest = names_in("."); rest.n > 0;) {
		char name[32];
		struct span is = span_next(&rest, ' ');
		snprintf(name, sizeof(name), "%.*s", (int)is.n, is.p);
		listed += S_ISDIR(stat_of(name).st_mode);
	}
	CHECK_INT(listed, N);
	CHECK_INT(open_files(), 0);
	check_content(1, "still");
	CHECK_INT(open_files(), 1);
	for (int i = 1; i <= N; i++) {
		char path[64], text[32];
		snprintf(path, sizeof(path), "s%d/by-id/00000001/content", i);
		snprintf(text, sizeof(text), "I am %d\n", i);
		CHECK_FILE(path, text);
		check_content(i, "still");
	}
	CHECK_INT(open_files(), 5);
	/* One that comes back is the same: a shell that stands in it stays. */
	CHECK_INT(ERRNO(chdir("s1/by-id/00000001")), 0);
	for (int i = 1; i <= N; i++)
		check_content(i, "still");
	append_to(1, "00000003", "00000002", "more 1");
	CHECK_FILE("content", "I am 1\n");
	CHECK_FILE("../00000003/content", "more 1\n");
	CHECK(span_ends(text_of(in_mount("s1/context.txt")),
			SPAN("\n[User]: more 1\n")));
	check_content(1, "more");
	for (int i = 2; i <= N; i++)
		check_content(i, "still");
	CHECK_FILE("content", "I am 1\n");
	/* Unless it was replaced meanwhile. */
	test_file("all/s1.jsonl",
		  HEADER USER("00000001", "null", "other")
			  USER("00000002", "'00000001'", "other")
				  USER("00000003", "'00000002'", "third"));
	CHECK_FILE(in_mount("s1/by-id/00000001/content"), "other\n");
	CHECK_FILE("content", strerror(ESTALE));
}

static void not_in_memory(void)
{
	write_sessions(3);
	mount_all("keep=1");
	CHECK_INT(ERRNO(chdir("s1/by-id/00000001")), 0);
	CHECK_NAMES(".", "00000002 content label meta ");
	check_content(2, "still");
	check_content(3, "still");
	CHECK_INT(watches(), 1);
	CHECK_INT(open_files(), 1);
	append_to(1, "00000003", "00000001", "new");
	CHECK_NAMES(".", "00000002 00000003 content label meta ");
	CHECK_FILE("00000003/content", "new\n");
}

static void source_deleted(void)
{
	write_sessions(2);
	mount_all("rw");
	CHECK_INT(ERRNO(rename(test_path("all"), test_path("away"))), 0);
	CHECK_NAMES(mounts_at, strerror(ESTALE));
	CHECK_NAMES(in_mount("s1"), strerror(ENOENT));
	CHECK_INT(ERRNO(rename(test_path("away"), test_path("all"))), 0);
	CHECK_NAMES(mounts_at, "s1 s2 ");
}

/* The program has printed only one line, to stderr, which begins like this. */
static void check_one_error(const char *begin)
{
	struct span errors = buf_span(&mounts_errors);
	CHECK(span_starts(errors, span_of(begin)));
	CHECK(span_ends(errors, SPAN("\n")));
	span_next_line(&errors);
	CHECK_SPAN(errors, SPAN(""));
	CHECK_SPAN(buf_span(&mounts_output), SPAN(""));
}

static void bad_numbers(void)
{
	static const char *const options[] = { "keep=0",  "keep=x",  "keep=-1",
					       "keep=",	  "poll=0",  "poll=x",
					       "poll=-1", "poll=1e9" };
	make_sessions(in_all(""));
	for (size_t i = 0; i < COUNT(options); i++) {
		char want[64];
		test_row = options[i];
		CHECK_INT(HEAR_APART(sessfs_program(), "-o", options[i],
				     in_all(""), mounts_at),
			  2);
		snprintf(want, sizeof(want), "sessfs: %s: must be a number ",
			 options[i]);
		check_one_error(want);
	}
	test_row = NULL;
}

static void inside_of_each_other(void)
{
	char want[PATH_MAX + 64];
	const char *const places[] = { test_path("all/mnt"), test_path("all") };
	make_sessions(test_path("all"));
	make_sessions(test_path("all/mnt"));
	make_sessions(test_path("mnt/all"));
	for (size_t i = 0; i < COUNT(places); i++) {
		test_row = places[i];
		CHECK_INT(HEAR_APART(sessfs_program(), places[1], places[i]),
			  1);
		snprintf(want, sizeof(want), "sessfs: %s: ", places[i]);
		check_one_error(want);
		snprintf(want, sizeof(want), " %s ", places[i]);
		CHECK(!has("/proc/self/mountinfo", want));
	}
	test_row = NULL;
	CHECK_INT(HEAR_APART(sessfs_program(), test_path("mnt/all"), mounts_at),
		  1);
	snprintf(want, sizeof(want),
		 "sessfs: %s: the mount would hide the session\n", mounts_at);
	check_one_error(want);
	/* A name that only begins alike is no folder of the other. */
	const char *alike = test_path("all-mnt");
	make_sessions(alike);
	CHECK_INT(RUN(sessfs_program(), places[1], alike), 0);
	CHECK_NAMES(alike, "mnt ");
}

/* Read what is there. Files come and go, so some can't be read. */
static int read_content(const char *path, const struct stat *st, int type,
			struct FTW *ftw)
{
	char bytes[4096];
	(void)st;
	if (type != FTW_F || strcmp(path + ftw->base, "content") != 0)
		return 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && read(fd, bytes, sizeof(bytes)) > 0)
		continue;
	if (fd >= 0)
		close(fd);
	return 0;
}

static atomic_int walks;
static atomic_bool is_over;
static void *read_all(void *at)
{
	while (!atomic_load(&is_over)) {
		nftw(at, read_content, 64, FTW_PHYS);
		atomic_fetch_add(&walks, 1);
	}
	return NULL;
}

static void many_at_once(void)
{
	enum { SESSIONS = 12, READERS = 4, CHANGES = 60 };
	pthread_t threads[READERS];
	char at[] = ".";
	write_sessions(SESSIONS);
	mount_all("keep=3");
	for (int i = 0; i < READERS; i++)
		test_need(pthread_create(&threads[i], NULL, read_all, at) == 0,
			  "pthread_create");
	for (int i = 1; i <= CHANGES; i++) {
		int session = i % SESSIONS + 1;
		char id[16], text[32], path[64];
		snprintf(id, sizeof(id), "n%d", i);
		snprintf(text, sizeof(text), "line %d", i);
		append_to(session, id, "00000002", text);
		snprintf(path, sizeof(path), "x%d.jsonl", i % 5);
		test_copy(in_all("s1.jsonl"), in_all(path));
		snprintf(path, sizeof(path), "x%d.jsonl", (i + 2) % 5);
		unlink(in_all(path));
		snprintf(text, sizeof(text), "l%d\n", i);
		snprintf(path, sizeof(path), "s%d/by-id/00000001/label",
			 session);
		CHECK_INT(put(path, text), 0);
		/* So changes and walks are spread over each other. */
		WAIT_UNTIL(atomic_load(&walks) >= i / 8);
	}
	atomic_store(&is_over, true);
	for (int i = 0; i < READERS; i++)
		CHECK_INT(pthread_join(threads[i], NULL), 0);
	for (int i = 1; i <= SESSIONS; i++) {
		char path[64];
		long long lines = -1;
		snprintf(path, sizeof(path), "s%d.jsonl", i);
		for (struct span rest = text_of(in_all(path)); rest.n > 0;
		     lines++)
			span_next_line(&rest);
		snprintf(path, sizeof(path), "s%d/info", i);
		CHECK(lines > 2);
		CHECK_INT(number_in(path, "entries"), lines);
	}
}

static const struct mounts_test tests[] = {
	TEST("folders are folders, sessions are sessions, each as if mounted "
	     "alone",
	     as_if_alone),
	TEST("files that are not sessions are not shown, and links are not "
	     "followed",
	     no_sessions),
	TEST("with -o dialect every .jsonl is a session", any_dialect),
	TEST("a folder beside a session of its name is there as NAME%2F",
	     beside_its_name),
	TEST("sessions and folders come and go", come_and_go),
	TEST("lines that an agent appends are seen at once in every session",
	     appended_lines),
	TEST("HEAD moves and labels go to the session that they are made in",
	     moves_and_labels),
	TEST("nothing can be made, removed or renamed among the sessions",
	     nothing_can_be_made),
	TEST("-o ro refuses every write in every session", read_only),
	TEST("no two files share an inode number, but an entry's in both views",
	     inodes),
	TEST("inode numbers of many folders differ where the kernel looks",
	     inodes_of_folders),
	TEST("a folder's mtime changes with its set of names, and only then",
	     time_of_names),
	TEST("modes, owners and times are those of the files", modes_and_times),
	TEST("sessions are read when entered, and only so many stay in memory",
	     only_so_many),
	TEST("a session that is not in memory is neither cached nor watched",
	     not_in_memory),
	TEST("a deleted SOURCE is not an empty folder", source_deleted),
	TEST("a bad number of sessions or seconds: one line, status 2",
	     bad_numbers),
	TEST("a mount point inside of SOURCE, or SOURCE inside of it, is "
	     "refused",
	     inside_of_each_other),
	FULL_TEST("many at once: readers of all sessions while they grow, come "
		  "and go",
		  many_at_once),
};
RUN_TESTS(tests)
