/* What the kernel caches and what it requests, counted by -o stats. */
#include <stdatomic.h>

#include "tests/mounts/mounts.h"

enum { MANY = 400 };

/* Write a chain of so many messages, each longer than the one before. */
static void write_chain(unsigned n)
{
	static char words[7 * MANY + 1];
	struct buf b = { 0 };
	for (size_t i = 0; i < sizeof(words) - 1; i++)
		words[i] = "a word "[i % 7];
	buf_adds(&b, HEADER);
	for (unsigned i = 0; i < n; i++) {
		char up[16] = "null";
		if (i > 0)
			snprintf(up, sizeof(up), "'%08x'", i);
		buf_addf(&b, USER("%08x", "%s", "entry %u says %.*s"), i + 1,
			 up, i, (int)(7 * i), words);
	}
	buf_addc(&b, '\0');
	test_file("session.jsonl", b.data);
	buf_free(&b);
}

/* With one thread. */
static void mount_single(const char *options)
{
	test_need(RUN(sessfs_program(), "-s", "-o", options, mounts_session,
		      mounts_at) == 0 &&
			  chdir(mounts_at) == 0,
		  "mounting failed");
}

/* A counter in a copy of info; -1 without it. */
static long long count_in(struct span info, const char *key)
{
	while (info.n > 0) {
		struct span line = span_next_line(&info);
		if (span_starts(line, span_of(key)) &&
		    line.p[strlen(key)] == ':')
			return strtoll(line.p + strlen(key) + 1, NULL, 10);
	}
	return -1;
}

static long long counter(const char *key)
{
	return count_in(text_of("info"), key);
}

/* info before and after what is counted. Each is one READ. */
static struct buf before, after;

static void note(struct buf *b, const char *info)
{
	buf_clear(b);
	buf_add(b, text_of(info));
}

static long long grown(const char *key)
{
	long long first = count_in(buf_span(&before), key),
		  second = count_in(buf_span(&after), key);
	test_need(first >= 0 && second >= 0, key);
	return second - first;
}

/* Add the bytes of a file. */
static bool read_in(int folder, const char *name, struct buf *to)
{
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : 1;
	while (n > 0) {
		char *at = buf_reserve(to, 65536);
		n = at ? read(fd, at, 65536) : -1;
		to->len += n > 0 ? (size_t)n : 0;
	}
	if (fd >= 0)
		close(fd);
	return n == 0;
}

/* List an entry's folder, and then read its files, as grep -r does, and its
 * links if `links`: add their bytes. Returns the number of files. */
static size_t read_entry(int by_id, const char *id, struct buf *to, bool links)
{
	char target[PATH_MAX];
	struct dirent **found;
	size_t files = 0;
	int folder = openat(by_id, id, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
	    n = scandirat(by_id, id, &found, NULL, NULL);
	test_need(folder >= 0 && n >= 0, id);
	for (int i = 0; i < n; free(found[i++])) {
		const char *name = found[i]->d_name;
		if (found[i]->d_type == DT_REG)
			files += read_in(folder, name, to);
		if (found[i]->d_type != DT_LNK || !links)
			continue;
		ssize_t len = readlinkat(folder, name, target, sizeof(target));
		test_need(len > 0, name);
		buf_adds(to, name);
		buf_add(to, (struct span){ target, (size_t)len });
	}
	free(found);
	close(folder);
	return files;
}

/* The same of all entries, as a search over all branches does. */
static size_t read_entries(struct buf *to, bool links)
{
	size_t n = 0;
	const struct dirent *d;
	DIR *dir = opendir("by-id");
	test_need(dir != NULL, "by-id");
	while ((d = readdir(dir)))
		if (d->d_name[0] != '.')
			n += read_entry(dirfd(dir), d->d_name, to, links);
	closedir(dir);
	return n;
}

static size_t search(void)
{
	struct buf found = { 0 };
	size_t n = read_entries(&found, false);
	buf_free(&found);
	return n;
}

static void counts_by_kind(void)
{
	struct stat st;
	write_chain(3);
	mount_with("stats");
	CHECK(span_starts(text_of("by-id/00000001/content"),
			  SPAN("entry 0 says ")));
	CHECK(span_starts(text_of("by-id/00000002/content"),
			  SPAN("entry 1 says ")));
	CHECK_HEAD("by-id/00000003");
	CHECK_NAMES("tree", "00000001 ");
	note(&after, "info");
	struct span info = buf_span(&after);
	CHECK_INT(count_in(info, "requests-read"), 2);
	CHECK_INT(count_in(info, "requests-readlink"), 1);
	CHECK(count_in(info, "requests-readdir") >= 2);
	CHECK(count_in(info, "requests-lookup") >= 8);
	CHECK(count_in(info, "requests-getattr") >= 1);
	CHECK_INT(count_in(info, "requests-write"), 0);
	/* Two names in by-id/, and a name and a read in each. */
	CHECK(count_in(info, "of-entries") >= 6);
	CHECK(count_in(info, "of-entries") < count_in(info, "requests"));
	CHECK_INT(put("HEAD/label", "x\n"), 0);
	note(&after, "info");
	info = buf_span(&after);
	CHECK_INT(count_in(info, "requests-write"), 1);
	CHECK_INT(count_in(info, "requests-setattr"), 1);
	CHECK(count_in(info, "cache-hits") >= 2);
	CHECK(count_in(info, "cache-misses") >= 2);
	CHECK_INT(ERRNO(stat(mounts_session, &st)), 0);
	CHECK_INT(count_in(info, "indexed-bytes"), st.st_size);
	long long sum = 0;
	while (info.n > 0) {
		struct span line = span_next_line(&info);
		if (span_starts(line, SPAN("requests-")))
			sum += strtoll((char *)memchr(line.p, ':', line.n) + 1,
				       NULL, 10);
	}
	CHECK_INT(sum, count_in(buf_span(&after), "requests"));
	unmount();
	mount_session();
	CHECK(!has("info", "\nrequests"));
}

/* One READ is for info. The other requests are for the walk to by-id/ and its
 * listing, and for the leaf's folder, where the next entry is to be expected.
 */
static bool asks_little(struct buf *found)
{
	buf_clear(found);
	note(&before, "info");
	CHECK_INT(read_entries(found, false), 3 * MANY);
	note(&after, "info");
	return grown("requests-read") == 1 && grown("requests-readdir") <= 8 &&
	       grown("requests") <= 40;
}

static bool asks_for_no_entry(void)
{
	struct buf found = { 0 };
	note(&before, "info");
	int by_id = open("by-id", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	test_need(by_id >= 0, "by-id");
	for (unsigned i = 1; i < MANY; i++) {
		char id[16];
		snprintf(id, sizeof(id), "%08x", i);
		CHECK_INT(read_entry(by_id, id, &found, false), 3);
	}
	close(by_id);
	note(&after, "info");
	buf_free(&found);
	return grown("of-entries") == 0;
}

/* Rules: C1 */
/* Pages are given once two threads have served, which may be late; what was
 * read before that is asked for its attributes the next time. */
static void second_read(void)
{
	struct buf first = { 0 }, found = { 0 };
	write_chain(MANY);
	mount_with("stats");
	CHECK_INT(read_entries(&first, false), 3 * MANY);
	bool did = false;
	WAIT_UNTIL(did || (did = asks_little(&found)));
	CHECK_SPAN(buf_span(&found), buf_span(&first));
	did = false;
	WAIT_UNTIL(did || (did = asks_for_no_entry()));
	buf_free(&first);
	buf_free(&found);
}

static void *read_info(void *nothing)
{
	struct buf info = { 0 };
	for (int i = 0; i < 100; i++)
		if (!read_in(AT_FDCWD, "info", &info))
			break;
	buf_free(&info);
	return nothing;
}

/* No pages are given before two threads of the daemon have served. */
static void warm_up(void)
{
	pthread_t threads[4];
	for (size_t i = 0; i < COUNT(threads); i++)
		test_need(pthread_create(&threads[i], NULL, read_info, NULL) ==
				  0,
			  "pthread_create");
	for (size_t i = 0; i < COUNT(threads); i++)
		CHECK_INT(pthread_join(threads[i], NULL), 0);
}

static void pages_in_advance(void)
{
	struct buf stored = { 0 }, read = { 0 };
	write_chain(MANY);
	mount_with("stats");
	warm_up();
	note(&before, "info");
	CHECK_INT(search(), 3 * MANY);
	note(&after, "info");
	/* What was not given is read, and nothing that was given. */
	CHECK(grown("files-stored") >= 100);
	CHECK(grown("requests-read") + grown("files-stored") <= 810);
	CHECK_INT(read_entries(&stored, true), 3 * MANY);
	unmount();
	/* With one thread none are given: another READ might wait for it. */
	mount_single("stats");
	CHECK_INT(search(), 3 * MANY);
	CHECK_INT(counter("files-stored"), 0);
	CHECK(counter("requests-read") >= 800);
	CHECK_INT(read_entries(&read, true), 3 * MANY);
	CHECK_SPAN(buf_span(&stored), buf_span(&read));
	buf_free(&stored);
	buf_free(&read);
}

static size_t passed;
static int pass(const char *path, const struct stat *st, int type,
		struct FTW *ftw)
{
	(void)path;
	(void)st;
	(void)type;
	(void)ftw;
	passed++;
	return 0;
}

static void walks_only(void)
{
	write_chain(MANY);
	mount_with("stats");
	passed = 0;
	CHECK_INT(nftw("tree", pass, 64, FTW_PHYS), 0);
	CHECK_INT(nftw("by-id", pass, 64, FTW_PHYS), 0);
	/* Folders, files, and links to parents and children. */
	CHECK_INT(passed, 2 + 2 * MANY + 6 * MANY + 2 * (MANY - 1));
	CHECK_INT(counter("files-stored"), 0);
	CHECK_INT(counter("requests-read"), 1);
}

#define LABEL(id, text)                         \
	ENTRY("label", id, "'00000014'",        \
	      ",'targetId':'00000003','label':" \
	      "'" text "'")

static void labelled_by_another(void)
{
	write_chain(20);
	mount_session();
	for (int i = 1; i <= 8; i++) {
		char line[256], want[16];
		struct buf entry = { 0 };
		search();
		snprintf(line, sizeof(line), LABEL("l%d", "said %d"), i, i);
		test_append("session.jsonl", line);
		snprintf(want, sizeof(want), "said %d\n", i);
		CHECK_FILE("by-id/00000003/label", want);
		CHECK_INT(read_entry(AT_FDCWD, "by-id/00000003", &entry, false),
			  3);
		CHECK(memmem(entry.data, entry.len, want, strlen(want)));
		buf_free(&entry);
	}
	/* A program there makes no request, and sees it. */
	test_need(chdir("by-id/00000003") == 0, "chdir");
	CHECK_FILE("label", "said 8\n");
	test_append("session.jsonl", LABEL("last", "last"));
	WAIT_UNTIL(span_eq(text_of("label"), SPAN("last\n")));
}

static void written_where_kept(void)
{
	static const char file[] = "by-id/00000002/label";
	write_chain(5);
	mount_session();
	search();
	CHECK_INT(put(file, "one\n"), 0);
	CHECK_FILE(file, "one\n");
	search();
	CHECK_FILE(file, "one\n");
	CHECK_INT(put(file, "two\n"), 0);
	CHECK_FILE("tree/00000001/00000002/label", "two\n");
	search();
	/* An append makes two lines of it, which no label is; it stays. */
	CHECK_INT(write_with(O_APPEND, file, SPAN("three\n")), EINVAL);
	CHECK_FILE(file, "two\n");
	CHECK_INT(put(file, "a\nb"), EINVAL);
	CHECK_FILE(file, "two\n");
	search();
	CHECK_INT(put(file, ""), 0);
	CHECK_FILE(file, "");
	search();
	CHECK_INT(write_with(O_APPEND, file, SPAN("four")), 0);
	CHECK_FILE(file, "four\n");
}

static void stale(void)
{
	static const char *const names[] = { "content",	    "meta",
					     "context.txt", "context.json",
					     "raw.json",    "branch.jsonl",
					     "label" };
	int fds[COUNT(names)];
	char path[64], bytes[1000];
	struct buf text = { 0 };
	write_chain(5);
	mount_session();
	search();
	for (size_t i = 0; i < COUNT(names); i++) {
		snprintf(path, sizeof(path), "by-id/00000002/%s", names[i]);
		fds[i] = open(path, O_RDONLY | O_CLOEXEC);
		CHECK(pread(fds[i], bytes, sizeof(bytes), 0) >= 0);
	}
	test_read(mounts_session, &text);
	for (size_t i = 0; i + 4 <= text.len; i++)
		if (memcmp(text.data + i, "says", 4) == 0)
			memcpy(text.data + i, "SAYS", 4);
	test_put(test_path("new"), O_TRUNC, buf_span(&text));
	buf_free(&text);
	CHECK_INT(ERRNO(rename(test_path("new"), mounts_session)), 0);
	CHECK_HAS("by-id/00000002/content", "SAYS");
	for (size_t i = 0; i < COUNT(names); i++) {
		ssize_t n = pread(fds[i], bytes, sizeof(bytes), 0);
		test_row = names[i];
		/* It was empty, and has nothing old to show. */
		if (strcmp(names[i], "label") == 0 && n >= 0)
			CHECK_INT(n, 0);
		else
			CHECK_INT(ERRNO(n), ESTALE);
		test_row = NULL;
		close(fds[i]);
	}
}

static void check_time(const char *path, long nanoseconds)
{
	struct stat st = stat_of(path);
	/* 2026-03-01 10:00:01 */
	CHECK_INT(st.st_mtim.tv_sec, 1772359201);
	CHECK_INT(st.st_mtim.tv_nsec, nanoseconds);
}

static void time_of_a_folder(void)
{
	write_chain(3);
	mount_session();
	check_time("by-id/00000002", 0);
	append_user("0000000b", "00000002", "b");
	check_time("by-id/00000002", 1);
	append_user("0000000c", "00000002", "c");
	check_time("by-id/00000002", 2);
	CHECK_NAMES("by-id/00000002", "00000003 0000000b 0000000c content "
				      "label meta parent ");
	check_time("by-id/00000001", 0);
}

/* By full paths: a folder of entries, and their ids with NULs. */
struct walk {
	char at[PATH_MAX];
	struct buf ids;
};

/* Open each entry's files, after names that programs such as rg look for in
 * each folder. */
static void *walk_by_paths(void *data)
{
	static const char *const absent[] = { ".git", ".gitignore", ".ignore",
					      ".rgignore" };
	static const char *const files[] = { "content", "meta", "label" };
	const struct walk *w = data;
	size_t failed = 0;
	struct buf text = { 0 };
	for (size_t at = 0; at < w->ids.len;) {
		const char *id = w->ids.data + at;
		char path[2 * PATH_MAX];
		struct stat st;
		for (size_t i = 0; i < COUNT(absent); i++) {
			snprintf(path, sizeof(path), "%s/%s/%s", w->at, id,
				 absent[i]);
			failed += ERRNO(lstat(path, &st)) != ENOENT;
		}
		for (size_t i = 0; i < COUNT(files); i++) {
			snprintf(path, sizeof(path), "%s/%s/%s", w->at, id,
				 files[i]);
			buf_clear(&text);
			failed += !read_in(AT_FDCWD, path, &text);
		}
		at += strlen(id) + 1;
	}
	buf_free(&text);
	return failed > 0 ? data : NULL;
}

/* Two threads do it, as rg's. `session` is a folder of the mount. */
static void walk(const char *session)
{
	struct walk w = { 0 };
	pthread_t threads[2];
	const struct dirent *d;
	snprintf(w.at, sizeof(w.at), "%s/%s/by-id", mounts_at, session);
	DIR *dir = opendir(w.at);
	test_need(dir != NULL, w.at);
	while ((d = readdir(dir)))
		if (d->d_name[0] != '.')
			buf_add(&w.ids, (struct span){ d->d_name,
						       strlen(d->d_name) + 1 });
	closedir(dir);
	CHECK(w.ids.len >= 9 * MANY);
	for (size_t i = 0; i < COUNT(threads); i++)
		test_need(pthread_create(&threads[i], NULL, walk_by_paths,
					 &w) == 0,
			  "pthread_create");
	for (size_t i = 0; i < COUNT(threads); i++) {
		void *failed;
		CHECK_INT(pthread_join(threads[i], &failed), 0);
		CHECK(!failed);
	}
	buf_free(&w.ids);
}

/* 5,600 paths, of which each would need two requests, and the absent names one.
 * On a machine with much else to do, programs pause too often for that. */
static bool walks_with_few_requests(const char *session)
{
	char info[PATH_MAX];
	snprintf(info, sizeof(info), "%s/info", session);
	note(&before, info);
	walk(session);
	note(&after, info);
	return grown("requests") < 1000;
}

/* Rules: C2 */
static void full_paths(void)
{
	struct stat st;
	write_chain(MANY);
	mount_with("stats");
	walk(".");
	bool did = false;
	WAIT_UNTIL(did || (did = walks_with_few_requests(".")));
	/* The session changes: it is read as it is now. */
	append_user("0000000b", "00000001", "said by 0000000b");
	CHECK_INT(ERRNO(stat("by-id/00000001/0000000b", &st)), 0);
	CHECK(S_ISDIR(st.st_mode));
	CHECK_FILE("by-id/0000000b/content", "said by 0000000b\n");
}

/* The name of a folder on the way may be cached for some milliseconds, but
 * nothing is read in it. */
static void check_gone(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = ERRNO(fd);
	char bytes[4096];
	if (fd >= 0 && fstat(fd, &st) == 0)
		err = ERRNO(S_ISDIR(st.st_mode)
				    ? getdents64(fd, bytes, sizeof(bytes))
				    : read(fd, bytes, sizeof(bytes)));
	else if (fd >= 0)
		err = errno;
	if (fd >= 0)
		close(fd);
	CHECK(err == ENOENT || err == ESTALE);
	WAIT_UNTIL(ERRNO(lstat(path, &st)) == ENOENT);
}

static void full_paths_in_folders(void)
{
	write_chain(MANY);
	test_need(mkdir(test_path("all"), 0755) == 0 &&
			  mkdir(test_path("all/of them"), 0755) == 0 &&
			  rename(mounts_session,
				 test_path("all/of them/a.jsonl")) == 0 &&
			  RUN(sessfs_program(), "-o", "stats", test_path("all"),
			      mounts_at) == 0 &&
			  chdir(mounts_at) == 0,
		  "all");
	walk("of them/a");
	bool did = false;
	WAIT_UNTIL(did || (did = walks_with_few_requests("of them/a")));
	/* The folder and the session disappear: what is in them, at once. */
	CHECK_INT(ERRNO(rename(test_path("all/of them"),
			       test_path("all/others"))),
		  0);
	check_gone("of them/a/info");
	CHECK_NAMES(".", "others ");
	WAIT_UNTIL(!exists("of them"));
	walk("others/a");
	CHECK_INT(
		ERRNO(rename(test_path("all/others/a.jsonl"), test_path("a"))),
		0);
	check_gone("others/a/by-id");
	CHECK_NAMES("others", "");
	WAIT_UNTIL(!exists("others/a"));
}

static void impossible_name(void)
{
	static const char *const folders[] = { "by-id/00000001",
					       "tree/00000001" };
	static const char next[] = "HEAD/.next";
	struct stat st;
	write_chain(3);
	mount_with("stats");
	for (size_t i = 0; i < COUNT(folders); i++) {
		char path[64];
		snprintf(path, sizeof(path), "%s/.gitignore", folders[i]);
		test_row = folders[i];
		CHECK(names_in(folders[i]).n > 0);
		CHECK_INT(ERRNO(stat(path, &st)), ENOENT);
		test_need(chdir(folders[i]) == 0, folders[i]);
		note(&before, "../../info");
		CHECK_INT(ERRNO(stat(".gitignore", &st)), ENOENT);
		note(&after, "../../info");
		CHECK_INT(grown("of-entries"), 0);
		/* One that an entry could have. */
		note(&before, "../../info");
		CHECK_INT(ERRNO(stat("gitignore", &st)), ENOENT);
		note(&after, "../../info");
		CHECK_INT(grown("of-entries"), 1);
		test_need(chdir("../..") == 0, "chdir");
		test_row = NULL;
	}
	CHECK_INT(ERRNO(stat(next, &st)), ENOENT);
	CHECK_INT(ERRNO(stat(".HEAD", &st)), ENOENT);
	CHECK_INT(ERRNO(symlink("../00000001", next)), 0);
	CHECK_LINK(next, "../00000001");
	CHECK_INT(ERRNO(unlink(next)), 0);
	CHECK_INT(ERRNO(lstat(next, &st)), ENOENT);
	CHECK_INT(ERRNO(symlink("../00000002", next)), 0);
	CHECK_LINK(next, "../00000002");
	CHECK_INT(ERRNO(symlink("by-id/00000001", ".HEAD")), 0);
	CHECK_INT(ERRNO(rename(".HEAD", "HEAD")), 0);
	CHECK_INT(ERRNO(lstat(".HEAD", &st)), ENOENT);
	CHECK_HEAD("by-id/00000001");
}

/* Another program, which walks by full paths until it is told to end. */
static void *keep_walking(void *data)
{
	atomic_bool *done = data;
	while (!atomic_load(done))
		for (unsigned i = 1; i <= 200; i++) {
			char path[64];
			snprintf(path, sizeof(path), "by-id/%08x/label", i);
			int fd = open(path, O_RDONLY | O_CLOEXEC);
			if (fd < 0)
				return data;
			close(fd);
		}
	return NULL;
}

static double seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* A hundred labels, each looked for at once. */
static void append_and_look(int turn)
{
	double last_time = 0;
	for (int i = 0; i < 100; i++) {
		char line[256], text[32], label[64], row[32];
		struct stat st;
		snprintf(line, sizeof(line),
			 "{'type':'label','id':'l%d-%d','parentId':'000000c8',"
			 "'targetId':'00000003','label':'%d-%d'}\n",
			 turn, i, turn, i);
		test_append("session.jsonl", line);
		snprintf(text, sizeof(text), "%d-%d\n", turn, i);
		double now = seconds();
		bool is_late = !span_eq(text_of("by-id/00000003/label"),
					span_of(text));
		snprintf(row, sizeof(row), "label %d of turn %d", i, turn);
		test_row = row;
		/* The first one may be late. So may one after a second's
		 * pause. */
		CHECK(!is_late || i == 0 || now - last_time > 0.5);
		WAIT_UNTIL(span_eq(text_of("by-id/00000003/label"),
				   span_of(text)));
		last_time = now;
		snprintf(label, sizeof(label), "by-id/l%d-%d", turn, i);
		CHECK_INT(ERRNO(stat(label, &st)), 0);
		CHECK_INT(test_count_names("by-id", ""),
			  200 + 100 * turn + i + 1);
		test_row = NULL;
	}
}

/* Rules: C2 */
static void late_once(void)
{
	atomic_bool done = false;
	pthread_t thread;
	void *failed;
	write_chain(200);
	mount_session();
	test_need(pthread_create(&thread, NULL, keep_walking, &done) == 0,
		  "pthread_create");
	CHECK_FILE("by-id/00000003/label", "");
	for (int turn = 0; turn < 3; turn++) {
		/* So long no burst begins after a change. */
		nanosleep(&(struct timespec){ 1, 200000000 }, NULL);
		append_and_look(turn);
	}
	atomic_store(&done, true);
	CHECK_INT(pthread_join(thread, &failed), 0);
	CHECK(!failed);
}

/* The inode number of a name, as its folder lists it. */
static ino_t listed_inode(const char *folder, const char *name)
{
	ino_t inode = 0;
	const struct dirent *d;
	DIR *dir = opendir(folder);
	test_need(dir != NULL, folder);
	while ((d = readdir(dir)))
		if (strcmp(d->d_name, name) == 0)
			inode = d->d_ino;
	closedir(dir);
	return inode;
}

/* How many READLINKs are made for a link that leads there? */
static long long requests_for_link(const char *path, const char *target)
{
	note(&before, "info");
	CHECK_LINK(path, target);
	note(&after, "info");
	return grown("requests-readlink");
}

static void targets(void)
{
	static const int order[] = { 3, 1, 4, 1 };
	char target[64], path[64], text[64];
	write_chain(5);
	mount_with("stats");
	CHECK_LINK("by-id/00000002/parent", "../00000001");
	CHECK_INT(requests_for_link("by-id/00000002/parent", "../00000001"), 0);
	for (size_t i = 0; i < COUNT(order); i++) {
		int n = order[i];
		snprintf(target, sizeof(target), "by-id/%08d", n);
		CHECK_INT(move_head(target), 0);
		CHECK_HEAD(target);
		snprintf(text, sizeof(text), "entry %d says ", n - 1);
		CHECK(span_starts(text_of("HEAD/content"), span_of(text)));
		CHECK_INT(requests_for_link("HEAD", target), 0);
		snprintf(path, sizeof(path), "by-id/%08d/label", n % 4 + 1);
		CHECK_INT(put(path, ""), 0);
		snprintf(path, sizeof(path), "by-id/%08d/label", n);
		CHECK_INT(put(path, "mine\n"), 0);
		snprintf(target, sizeof(target), "../by-id/%08d", n);
		CHECK_LINK("by-label/mine", target);
	}
	CHECK_INT(move_head("tree"), 0);
	CHECK_HEAD("tree");
	append_user("0000000b", "00000002", "b");
	CHECK_HEAD("by-id/0000000b");
	CHECK_LINK("HEAD/parent", "../00000002");
	CHECK_INT(listed_inode(".", "HEAD"), stat_of("HEAD").st_ino);
	/* Staged links are made in few slots, one after the other. */
	for (int i = 0; i < 300; i++) {
		snprintf(target, sizeof(target), "by-id/%08d", i % 5 + 1);
		snprintf(path, sizeof(path), ".next%d", i);
		CHECK_INT(ERRNO(symlink(target, path)), 0);
		CHECK_LINK(path, target);
		CHECK_INT(ERRNO(unlink(path)), 0);
	}
}

/* List everything and then read it. Returns the number of files, in which the
 * bytes were all read. */
static size_t list_and_read(struct buf *to)
{
	struct buf paths = { 0 };
	size_t n = 0;
	const struct dirent *d, *file;
	DIR *dir = opendir("by-id");
	test_need(dir != NULL, "by-id");
	while ((d = readdir(dir))) {
		if (d->d_name[0] == '.')
			continue;
		int fd = openat(dirfd(dir), d->d_name,
				O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		DIR *entry = fd < 0 ? NULL : fdopendir(fd);
		test_need(entry != NULL, d->d_name);
		while ((file = readdir(entry)))
			if (file->d_type == DT_REG) {
				buf_addf(&paths, "by-id/%s/%s", d->d_name,
					 file->d_name);
				buf_addc(&paths, '\0');
			}
		closedir(entry);
	}
	closedir(dir);
	for (size_t at = 0; at < paths.len;) {
		n += read_in(AT_FDCWD, paths.data + at, to);
		at += strlen(paths.data + at) + 1;
	}
	buf_free(&paths);
	return n;
}

struct reader {
	pthread_t thread;
	bool lists_first;
	size_t files;
};

static void *read_at_once(void *data)
{
	struct reader *r = data;
	struct buf read = { 0 };
	r->files = r->lists_first ? list_and_read(&read)
				  : read_entries(&read, false);
	buf_free(&read);
	return NULL;
}

static void read_long_after(void)
{
	struct buf read = { 0 }, ahead = { 0 };
	struct reader readers[12] = { 0 };
	write_chain(MANY);
	mount_single("rw");
	CHECK_INT(list_and_read(&read), 3 * MANY);
	unmount();
	mount_with("stats");
	warm_up();
	note(&before, "info");
	CHECK_INT(list_and_read(&ahead), 3 * MANY);
	note(&after, "info");
	CHECK_SPAN(buf_span(&ahead), buf_span(&read));
	CHECK(grown("files-stored") >= 100);
	CHECK(grown("requests-read") + grown("files-stored") >= 800);
	CHECK(grown("requests-read") < 810);
	buf_free(&read);
	buf_free(&ahead);
	unmount();
	/* Read by many at once, while the session grows. */
	mount_with("stats");
	for (size_t i = 0; i < COUNT(readers); i++) {
		readers[i].lists_first = i % 2 == 0;
		test_need(pthread_create(&readers[i].thread, NULL, read_at_once,
					 &readers[i]) == 0,
			  "pthread_create");
	}
	for (int i = 10; i <= 30; i++) {
		char id[16];
		snprintf(id, sizeof(id), "0000a0%d", i);
		append_user(id, "00000190", "more");
	}
	for (size_t i = 0; i < COUNT(readers); i++) {
		CHECK_INT(pthread_join(readers[i].thread, NULL), 0);
		CHECK(readers[i].files >= 3 * MANY);
	}
	CHECK(counter("files-stored") > 0);
}

/* How often the daemon's threads have begun to wait. */
static long long waits(const char *tasks)
{
	long long n = 0;
	const struct dirent *d;
	DIR *dir = opendir(tasks);
	test_need(dir != NULL, tasks);
	while ((d = readdir(dir))) {
		char path[PATH_MAX];
		if (d->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s/status", tasks, d->d_name);
		long long more =
			count_in(text_of(path), "voluntary_ctxt_switches");
		/* A thread may have ended meanwhile. */
		n += more > 0 ? more : 0;
	}
	closedir(dir);
	return n;
}

static bool idles(const char *tasks)
{
	long long from = waits(tasks);
	nanosleep(&(struct timespec){ .tv_nsec = 500000000 }, NULL);
	long long more = waits(tasks) - from;
	return more >= 0 && more < 10;
}

/* The kernel knows an entry's folder only in the view in which it was looked
 * up. For some seconds it is notified again of the other one, less and less
 * often. */
static void nobody_uses_it(void)
{
	char tasks[64];
	write_chain(20);
	mount_session();
	CHECK_INT(nftw("by-id", pass, 64, FTW_PHYS), 0);
	for (int i = 1; i <= 9; i++) {
		char id[16], up[16], path[64], text[16];
		struct stat st;
		snprintf(id, sizeof(id), "0000010%d", i);
		snprintf(up, sizeof(up), "0000000%d", i);
		append_user(id, up, "more");
		snprintf(path, sizeof(path), "by-id/%s/%s", up, id);
		CHECK_INT(ERRNO(stat(path, &st)), 0);
		CHECK(S_ISDIR(st.st_mode));
		snprintf(path, sizeof(path), "by-id/%s/label", up);
		snprintf(text, sizeof(text), "label %d\n", i);
		CHECK_INT(put(path, text), 0);
	}
	snprintf(tasks, sizeof(tasks), "/proc/%d/task", (int)daemon_pid());
	bool is_idle = false;
	for (int i = 0; i < 15 && !is_idle; i++)
		is_idle = idles(tasks);
	CHECK(is_idle);
}

static const struct mounts_test tests[] = {
	TEST("info counts requests by kind, with -o stats only",
	     counts_by_kind),
	TEST("a second read of all entries makes no request for them",
	     second_read),
	TEST("a program that walks and reads gets pages in advance: they are "
	     "the files' bytes",
	     pages_in_advance),
	TEST("a program that only walks gets no pages in advance", walks_only),
	TEST("a label set by another program shows, although the kernel has "
	     "cached the file",
	     labelled_by_another),
	TEST("a label is written right where the kernel has kept the file",
	     written_where_kept),
	TEST("a file that is open when its session is replaced is stale, not "
	     "old",
	     stale),
	TEST("a folder has its entry's time, and another when it gets a child",
	     time_of_a_folder),
	FULL_TEST("a program that walks by full paths makes few requests the "
		  "second time",
		  full_paths),
	FULL_TEST("a walk by full paths in folders of sessions makes few "
		  "requests the second time",
		  full_paths_in_folders),
	TEST("a name that no entry can have is asked for once, and can be made "
	     "all the same",
	     impossible_name),
	TEST("who appends and looks beside a walk by full paths is late once "
	     "at most",
	     late_once),
	TEST("a symlink's target is asked for once, and a new target is seen "
	     "at once",
	     targets),
	TEST("files that are read in order, long after they were listed, get "
	     "pages in advance",
	     read_long_after),
	TEST("a mount that nobody uses does nothing", nobody_uses_it),
};
RUN_TESTS(tests)
