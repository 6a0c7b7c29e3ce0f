/* as/: the context in other forms, in the root and in every entry's folder. */
#include "tests/mounts/mounts.h"

#define BRANCHES "pi-v3-branches.jsonl"

static const char *const forms[] = {
	"anthropic.json", "claude.jsonl", "codex.jsonl", "omp.jsonl",
	"openai.json",	  "pi.jsonl",	  "qwen.jsonl",	 "responses.json",
};
#define FORMS                                                       \
	"anthropic.json claude.jsonl codex.jsonl omp.jsonl openai." \
	"json pi.jsonl qwen.jsonl responses.json "

/* A file in a folder's as/; good until the call after the next. */
static const char *as(const char *folder, const char *name)
{
	static char paths[2][PATH_MAX];
	static unsigned next;
	char *path = paths[next++ % 2];
	snprintf(path, PATH_MAX, "%s/as/%s", folder, name);
	return path;
}

static bool is_api(const char *form)
{
	return span_ends(span_of(form), SPAN(".json"));
}

static bool has_objects(struct span text)
{
	static const char surrogate[] = "\\ud";
	struct buf b = { 0 };
	buf_add(&b, text);
	/* JSON may have a half of a pair, but cJSON does not take it. */
	for (size_t i = 0; i + 3 <= b.len; i++)
		if (memcmp(b.data + i, surrogate, 3) == 0)
			b.data[i + 2] = 'e';
	bool all = b.len > 0;
	for (struct span rest = buf_span(&b); rest.n > 0;) {
		struct span line = span_next_line(&rest);
		cJSON *json = cJSON_ParseWithLength(line.p, line.n);
		all &= cJSON_IsObject(json);
		cJSON_Delete(json);
	}
	buf_free(&b);
	return all;
}

/* The files of a folder's as/ are all there, their sizes are exact before the
 * first read, and their lines are JSON. */
static void check_forms(const char *folder)
{
	CHECK_NAMES(as(folder, ""), FORMS);
	for (size_t i = 0; i < COUNT(forms); i++) {
		const char *path = as(folder, forms[i]);
		test_row = path;
		off_t size = stat_of(path).st_size;
		struct span text = text_of(path);
		CHECK_INT(text.n, size);
		if (is_api(forms[i])) {
			cJSON *json = cJSON_ParseWithLength(text.p, text.n);
			CHECK(cJSON_IsArray(json));
			cJSON_Delete(json);
		} else {
			CHECK(has_objects(text));
		}
		test_row = NULL;
	}
}

/* What is there in JSON: names and indices with slashes between them. */
static const cJSON *value_at(const cJSON *json, const char *path)
{
	while (*path && json) {
		char key[64];
		size_t n = strcspn(path, "/");
		snprintf(key, sizeof(key), "%.*s", (int)n, path);
		json = cJSON_IsArray(json)
			       ? cJSON_GetArrayItem(json,
						    (int)strtol(key, NULL, 10))
			       : cJSON_GetObjectItemCaseSensitive(json, key);
		path += n + (path[n] == '/');
	}
	return json;
}

/* The same, a string; "-" if there is none. */
static struct span text_at(const cJSON *json, const char *path)
{
	const char *s = cJSON_GetStringValue(value_at(json, path));
	return span_of(s ? s : "-");
}

/* The first block of a message. */
static cJSON *blocks_of(const cJSON *message)
{
	const cJSON *content = value_at(message, "content");
	return content ? content->child : NULL;
}

/* What people and models said in a folder's as/anthropic.json, joined by
 * spaces; good until the next call. */
static struct span said_in(const char *folder)
{
	static struct buf said;
	cJSON *json = parsed(as(folder, "anthropic.json"));
	const cJSON *message, *block;
	buf_clear(&said);
	for (message = json->child; message; message = message->next)
		for (block = blocks_of(message); block; block = block->next)
			if (value_at(block, "text")) {
				buf_adds(&said, said.len > 0 ? " " : "");
				buf_add(&said, text_at(block, "text"));
			}
	cJSON_Delete(json);
	return buf_span(&said);
}
#define CHECK_SAID(folder, want) CHECK_SPAN(said_in(folder), span_of(want))

static bool same_bytes(const char *one, const char *other)
{
	struct buf b = { 0 };
	buf_add(&b, text_of(one));
	struct span s = text_of(other);
	bool same = exists(one) && exists(other) && span_eq(buf_span(&b), s);
	buf_free(&b);
	return same;
}

static void check_same_forms(const char *one, const char *other)
{
	CHECK_NAMES(as(one, ""), FORMS);
	CHECK_NAMES(as(other, ""), FORMS);
	for (size_t i = 0; i < COUNT(forms); i++) {
		test_row = forms[i];
		CHECK(same_bytes(as(one, forms[i]), as(other, forms[i])));
		test_row = NULL;
	}
}

/* No name in a folder is as. */
static void check_not_listed(const char *folder)
{
	const struct dirent *d;
	DIR *dir = opendir(folder);
	test_need(dir != NULL, folder);
	while ((d = readdir(dir)))
		CHECK(strcmp(d->d_name, "as") != 0);
	closedir(dir);
}

/* No folder in this one lists as. Checks the forms of its first and its last
 * if these are wanted. Returns how many there are. */
static int check_entries(const char *folder, bool first, bool last)
{
	struct dirent **found;
	int n = scandir(folder, &found, NULL, alphasort);
	test_need(n >= 0, folder);
	/* "." and ".." are not entries. */
	for (int i = 0; i < n; free(found[i++])) {
		char path[PATH_MAX];
		snprintf(path, sizeof(path), "%s/%s", folder, found[i]->d_name);
		if (found[i]->d_name[0] == '.')
			continue;
		check_not_listed(path);
		if ((i == 2 && first) || (i == n - 1 && last))
			check_forms(path);
	}
	free(found);
	return n - 2;
}

/* Rules: X1 */
static void of_every_format(void)
{
	struct dirent **found;
	int sessions = 0, n = scandir(fixture(""), &found, NULL, alphasort);
	test_need(n > 0 && mkdir(test_path("all"), 0755) == 0, "all");
	for (int i = 0; i < n; i++) {
		char to[300];
		snprintf(to, sizeof(to), "all/%s", found[i]->d_name);
		if (strstr(to, ".json"))
			test_copy(fixture(found[i]->d_name), test_path(to));
	}
	mount_source(test_path("all"));
	for (int i = 0; i < n; free(found[i++])) {
		char session[256], path[300];
		size_t len = strlen(found[i]->d_name);
		if (!span_ends(span_of(found[i]->d_name), SPAN(".jsonl")))
			continue;
		snprintf(session, sizeof(session), "%.*s", (int)len - 6,
			 found[i]->d_name);
		check_not_listed(session);
		check_forms(session);
		snprintf(path, sizeof(path), "%s/by-id", session);
		CHECK(check_entries(path, true, true) > 0);
		snprintf(path, sizeof(path), "%s/tree", session);
		CHECK(check_entries(path, true, false) > 0);
		sessions++;
	}
	free(found);
	CHECK(sessions > 15);
}

static void nothing_else(void)
{
	static const char *const folders[] = { ".", "HEAD", "tree/aa000001" };
	static const char *const absent[] = { "context.json", "anthropic",
					      "1.png" };
	int for_root = geteuid() == 0 ? EPERM : EACCES;
	mount_fixture(BRANCHES);
	keep_session();
	for (size_t i = 0; i < COUNT(folders); i++) {
		test_row = folders[i];
		for (size_t k = 0; k < COUNT(absent); k++)
			CHECK_INT(ERRNO(open(as(folders[i], absent[k]),
					     O_RDONLY | O_CLOEXEC)),
				  ENOENT);
		CHECK_INT(ERRNO(mkdir(as(folders[i], "new"), 0755)), for_root);
		CHECK_INT(write_with(O_CREAT | O_APPEND,
				     as(folders[i], "openai.json"),
				     SPAN("x\n")),
			  EPERM);
		test_row = NULL;
	}
	CHECK_INT(ERRNO(symlink("by-id/aa000001", "HEAD/as/new")), for_root);
	CHECK_KEPT();
	unmount();
	mount_with("ro");
	CHECK_INT(write_with(O_CREAT | O_APPEND, "as/openai.json", SPAN("x\n")),
		  EROFS);
}

static bool same_file(const char *one, const char *other)
{
	struct stat a, b;
	CHECK_INT(ERRNO(stat(one, &a)), 0);
	CHECK_INT(ERRNO(stat(other, &b)), 0);
	return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static size_t named_as, passed;
static int count_as(const char *path, const struct stat *st, int type,
		    struct FTW *ftw)
{
	(void)st;
	(void)type;
	named_as += strcmp(path + ftw->base, "as") == 0;
	passed++;
	return 0;
}

/* A walk of the mount meets no folder as. */
static void check_walk(size_t more_than)
{
	named_as = passed = 0;
	CHECK_INT(nftw(".", count_as, 64, FTW_PHYS), 0);
	CHECK_INT(named_as, 0);
	CHECK(passed > more_than);
}

static void a_folder_in_each_view(void)
{
	static const char *const folders[] = { ".", "tree/aa000001",
					       "by-id/aa000001" };
	mount_fixture(BRANCHES);
	check_walk(200);
	for (size_t i = 0; i < COUNT(folders); i++) {
		char real[PATH_MAX], here[PATH_MAX];
		test_row = folders[i];
		test_need(realpath(folders[i], real) != NULL, folders[i]);
		CHECK_INT(ERRNO(chdir(as(folders[i], ""))), 0);
		CHECK_INT(ERRNO(chdir("..")), 0);
		CHECK(same_file(".", real));
		CHECK_SPAN(span_of(getcwd(here, sizeof(here))), span_of(real));
		test_need(chdir(mounts_at) == 0, mounts_at);
		test_row = NULL;
	}
	CHECK(same_file("by-id/aa000001/as/openai.json",
			"tree/aa000001/as/openai.json"));
	CHECK(!same_file("by-id/aa000001/as", "tree/aa000001/as"));
	CHECK_INT(stat_of("by-id/aa000001/as/openai.json").st_nlink, 2);
	CHECK_INT(stat_of("as/openai.json").st_nlink, 1);
}

/* Rules: X1 E2 */
static void context_of_each(void)
{
	mount_fixture(BRANCHES);
	check_same_forms(".", "HEAD");
	CHECK(same_bytes("as/pi.jsonl", "HEAD/branch.jsonl"));
	CHECK(same_bytes("by-id/aa000011/as/pi.jsonl",
			 "by-id/aa000011/branch.jsonl"));
	CHECK(span_has(said_in("by-id/aa000011"), "B is worse."));
	CHECK(said_in(".").n > 0);
	CHECK(!has("as/anthropic.json", "B is worse"));
	CHECK_INT(move_head("by-id/aa000011"), 0);
	check_same_forms(".", "by-id/aa000011");
	CHECK_INT(stat_of("as").st_mode, S_IFDIR | 0555);
	CHECK_INT(stat_of("as/openai.json").st_mode, S_IFREG | 0644);
	CHECK_INT(ERRNO(chmod(mounts_session, 0640)), 0);
	CHECK_INT(stat_of("HEAD/as").st_mode, S_IFDIR | 0550);
	CHECK_INT(stat_of("HEAD/as/openai.json").st_mode, S_IFREG | 0640);
}

/* Rules: X5 */
static void no_messages(void)
{
	mount_fixture(BRANCHES);
	CHECK_INT(move_head("tree"), 0);
	CHECK_JSON("as/anthropic.json", "[]");
	CHECK_JSON("as/openai.json", "[]");
	CHECK_JSON("as/responses.json", "[]");
	check_forms(".");
	unmount();
	mount_lines(HEADER);
	check_forms(".");
	CHECK_JSON("as/responses.json", "[]");
	test_file("session.jsonl", HEADER USER("00000001", "null", "one"));
	CHECK_SAID(".", "one");
}

static void changes_show(void)
{
	static const char *const names[] = { "the first name\n",
					     "the second name\n" };
	char said[64] = "one two";
	mount_lines(HEADER USER("00000001", "null", "one")
			    USER("00000002", "'00000001'", "two"));
	CHECK_SAID(".", said);
	CHECK_SAID("by-id/00000001", "one");
	for (int i = 3; i <= 5; i++) {
		char id[16], up[16], text[16], folder[32];
		snprintf(id, sizeof(id), "0000000%d", i);
		snprintf(up, sizeof(up), "0000000%d", i - 1);
		snprintf(text, sizeof(text), " say %d", i);
		snprintf(folder, sizeof(folder), "by-id/%s", id);
		append_user(id, up, text + 1);
		strcat(said, text);
		CHECK_SAID(".", said);
		CHECK_SAID(folder, said);
		CHECK_SAID("by-id/00000001", "one");
	}
	check_forms(".");
	check_forms("by-id/00000001");
	/* It is the title of sessions for agents. */
	for (size_t i = 0; i < COUNT(names); i++) {
		char name[32];
		CHECK_INT(put("name", names[i]), 0);
		snprintf(name, sizeof(name), "%.*s", (int)strlen(names[i]) - 1,
			 names[i]);
		CHECK(has("by-id/00000001/as/claude.jsonl", name));
		CHECK(has("as/omp.jsonl", name));
	}
	check_forms(".");
	check_forms("by-id/00000001");
	test_file("session.jsonl",
		  HEADER USER("00000001", "null", "other")
			  USER("00000009", "'00000001'", "words"));
	CHECK_SAID(".", "other words");
	CHECK_SAID("by-id/00000001", "other");
}

/* Rules: X4 */
static void same_session(void)
{
	static const char *const agents[] = { "claude.jsonl", "codex.jsonl",
					      "omp.jsonl" };
	mount_fixture(BRANCHES);
	for (size_t i = 0; i < COUNT(agents); i++)
		test_copy(as("by-id/aa000008", agents[i]),
			  test_path(agents[i]));
	append_user("aa000099", "aa000025", "more");
	unmount();
	mount_session();
	for (size_t i = 0; i < COUNT(agents); i++) {
		test_row = agents[i];
		CHECK(same_bytes(test_path(agents[i]),
				 as("by-id/aa000008", agents[i])));
		CHECK(exists(as("by-id/aa000007", agents[i])));
		CHECK(!same_bytes(test_path(agents[i]),
				  as("by-id/aa000007", agents[i])));
	}
	test_row = NULL;
	/* Bookkeeping has no part in it. */
	CHECK_INT(put("by-id/aa000008/label", "tested\n"), 0);
	CHECK_INT(move_head("by-id/aa000008"), 0);
	CHECK(same_bytes(test_path("codex.jsonl"), "as/codex.jsonl"));
}

static void in_a_folder(void)
{
	static const struct {
		const char *session, *form;
	} rows[] = {
		{ "claude-basic", "claude.jsonl" },
		{ "codex-legacy", "codex.jsonl" },
		{ "omp-v3-basic", "omp.jsonl" },
	};
	struct stat st;
	test_need(mkdir(test_path("all"), 0755) == 0, "all");
	for (size_t i = 0; i < COUNT(rows); i++) {
		char name[64], to[96];
		snprintf(name, sizeof(name), "%s.jsonl", rows[i].session);
		snprintf(to, sizeof(to), "all/%s", name);
		test_copy(fixture(name), test_path(to));
	}
	mount_source(test_path("all"));
	for (size_t i = 0; i < COUNT(rows); i++) {
		char head[64], info[64], branch[128];
		const char *session = rows[i].session;
		snprintf(head, sizeof(head), "%s/HEAD", session);
		/* The session goes on below what HEAD looks through. */
		snprintf(info, sizeof(info), "%s/info", session);
		struct span leaf = value_in(info, "leaf");
		snprintf(branch, sizeof(branch), "%s/by-id/%.*s/branch.jsonl",
			 session, (int)leaf.n, leaf.p);
		check_forms(session);
		check_forms(head);
		CHECK(same_bytes(as(session, "openai.json"),
				 as(head, "openai.json")));
		CHECK(same_bytes(as(session, rows[i].form), branch));
	}
	check_walk(200);
	CHECK_INT(ERRNO(stat("as", &st)), ENOENT);
}

static void odd_ids(void)
{
	mount_lines(HEADER USER("as", "null", "one")
			    USER("as/as", "'as'", "two"));
	CHECK_SPAN(listed_in("by-id"), SPAN("%61s as%2Fas "));
	CHECK_SAID("by-id/%61s", "one");
	CHECK_SAID("by-id/as%2Fas", "one two");
}

static void check_as_reader(void)
{
	CHECK_NAMES("as", FORMS);
	CHECK_INT(text_of("HEAD/as/codex.jsonl").n,
		  stat_of("as/codex.jsonl").st_size);
	CHECK(has_objects(text_of("as/claude.jsonl")));
	CHECK_INT(stat_of("as/claude.jsonl").st_mode, S_IFREG | 0600);
	CHECK_INT(
		write_with(O_CREAT | O_APPEND, "as/claude.jsonl", SPAN("x\n")),
		EPERM);
}

static void ordinary_user(void)
{
	test_copy(fixture(BRANCHES), mounts_session);
	CHECK_INT(ERRNO(chmod(mounts_session, 0600)), 0);
	check_as_nobody(check_as_reader);
}

static const struct mounts_test tests[] = {
	TEST("as is there when named, with a file for each API and agent, of "
	     "every format",
	     of_every_format),
	TEST("nothing else is in as, and nothing can be made or written there",
	     nothing_else),
	TEST("a walk reads none of it; each view has a folder of its own, with "
	     "the same files",
	     a_folder_in_each_view),
	TEST("the root has the context at HEAD, an entry its own, on any "
	     "branch",
	     context_of_each),
	TEST("before the first entry, and in an empty session, there are no "
	     "messages",
	     no_messages),
	TEST("appends, another name and another file show at once",
	     changes_show),
	TEST("the same entry makes the same session, another entry another one",
	     same_session),
	TEST("a session in a folder of sessions", in_a_folder),
	TEST("an entry that is called as", odd_ids),
	ROOT_TEST("an ordinary user reads their session's", ordinary_user),
};
RUN_TESTS(tests)
