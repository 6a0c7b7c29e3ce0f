/*
 * Hostile files: too long, too many entries, invalid names; and files that are
 * changed or replaced while mounted. A test that hangs is ended, and fails.
 */
#include "tests/mounts/mounts.h"

#include <stdarg.h>
#include <sys/sysmacros.h>

enum { MIB = 1 << 20 };

/* The steps of a test take longer than those of others. */
static void allow_minutes(unsigned n)
{
	alarm(n * 60 * (is_set("SAN") ? 10 : 1));
}

/* The peak of the daemon's memory. A sanitizer keeps what is freed. */
static void check_memory_below(long long kib)
{
	static const char name[] = "VmHWM:";
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/status", (int)daemon_pid());
	struct span s = text_of(path);
	const char *at = memmem(s.p, s.n, name, strlen(name));
	long long peak = at ? strtoll(at + strlen(name), NULL, 10) : 0;
	long long limit = kib * (is_set("SAN") ? 4 : 1);
	CHECK(peak > 0);
	if (!CHECK(peak < limit))
		fprintf(stderr, "    %lld KiB, not less than %lld\n", peak,
			limit);
}

/* The session's file, to be written piece by piece. */
static FILE *begin_session(void)
{
	FILE *f = fopen(mounts_session, "w");
	test_need(f != NULL, mounts_session);
	return f;
}

static void end_session(FILE *f)
{
	test_need(!ferror(f) && fclose(f) == 0, mounts_session);
}

static void add(FILE *f, const char *text)
{
	for (; *text; text++)
		fputc(*text == '\'' ? '"' : *text, f);
}

static void fill(FILE *f, char c, size_t n)
{
	while (n-- > 0)
		fputc(c, f);
}

/* How many bytes and lines a file has, which is too large to be kept. */
struct count {
	long long bytes, lines;
};

static struct count count_of(const char *path)
{
	static char part[65536];
	struct count c = { 0 };
	ssize_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (!CHECK_INT(fd < 0 ? errno : 0, 0))
		return c;
	while ((n = read(fd, part, sizeof(part))) > 0) {
		c.bytes += n;
		for (ssize_t i = 0; i < n; i++)
			c.lines += part[i] == '\n';
	}
	CHECK_INT(n, 0);
	close(fd);
	return c;
}

static bool ends(const char *path, const char *text)
{
	return span_ends(text_of(path), span_of(text));
}

/* A line of 256 MiB. */

#define PIECE "0123456789abcd\n"
enum { PIECES_OF_LINE = 256 << 16 };

static void write_long_line(void)
{
	static const char piece[] = "0123456789abcd\\n";
	FILE *f = begin_session();
	add(f, HEADER "{'type':'message','id':'00000001','parentId':null,"
		      "'message':{'role':'user','content':'");
	for (size_t i = 0; i < PIECES_OF_LINE; i++)
		fwrite(piece, 1, strlen(piece), f);
	add(f, "'}}\n");
	end_session(f);
}

/* Has the file these pieces, and nothing else? */
static void check_pieces(const char *path)
{
	static char part[15 * 4096];
	ssize_t n;
	size_t at = 0, wrong = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	test_need(fd >= 0, path);
	while ((n = read(fd, part, sizeof(part))) > 0)
		for (ssize_t i = 0; i < n; i++, at++)
			wrong += part[i] != PIECE[at % strlen(PIECE)];
	CHECK_INT(n, 0);
	CHECK_INT(at, strlen(PIECE) * PIECES_OF_LINE);
	CHECK_INT(wrong, 0);
	close(fd);
}

/* Is a file the end of another one, from this offset on? */
static void check_end_of(const char *path, const char *other, off_t from)
{
	static char mine[65536], theirs[65536];
	ssize_t n;
	size_t bytes = 0;
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC),
	    whole = open(other, O_RDONLY | O_CLOEXEC);
	test_need(fd >= 0 && whole >= 0 && fstat(whole, &st) == 0, path);
	while ((n = read(fd, mine, sizeof(mine))) > 0) {
		if (!CHECK_INT(pread(whole, theirs, (size_t)n,
				     from + (off_t)bytes),
			       n) ||
		    !CHECK(memcmp(mine, theirs, (size_t)n) == 0))
			break;
		bytes += (size_t)n;
	}
	CHECK_INT(n, 0);
	CHECK_INT(bytes, st.st_size - from);
	close(fd);
	close(whole);
}

static void long_line(void)
{
	allow_minutes(10);
	write_long_line();
	mount_session();
	CHECK_INT(stat_of("by-id/00000001/content").st_size, 251658240);
	check_pieces("by-id/00000001/content");
	check_memory_below(3 * 256 * 1024);
	CHECK_INT(count_of("context.txt").bytes, 251658249);
	CHECK(span_starts(text_of("tree.txt"), SPAN("00000001 user  ")));
	CHECK(text_of("tree.txt").n < 200);
	check_end_of("HEAD/raw.json", mounts_session, sizeof(HEADER) - 1);
	CHECK_INT(put("HEAD/label", "tested\n"), 0);
	CHECK_FILE("HEAD/label", "tested\n");
	check_memory_below(6 * 256 * 1024);
}

/* Many entries. */

static void a_million(void)
{
	allow_minutes(10);
	write_many("chain", 1000000);
	mount_session();
	CHECK_HEAD("by-id/000f423f");
	check_memory_below(150000);
	CHECK_FILE("by-id/000bde31/content", "entry 777777\n");
	CHECK_LINK("by-id/000bde31/parent", "../000bde30");
	CHECK_INT(test_count_names("by-id", ""), 1000000);
	for (unsigned i = 0; i < 256; i++) {
		char path[64];
		snprintf(path, sizeof(path), "by-id/000bde%02x", i);
		test_row = path;
		struct span names = names_in(path);
		CHECK(memmem(names.p, names.n, "content ", 8) != NULL);
		test_row = NULL;
	}
	CHECK_INT(count_of("context.txt").lines, 1999999);
	CHECK(ends("context.txt", "\n[User]: entry 999999\n"));
	CHECK_INT(move_head("by-id/000bde31"), 0);
	CHECK(ends("context.txt", "\n[User]: entry 777777\n"));
	CHECK_VALUE("info", "depth", "1000000");
	/* Several times what the file takes, not a number of times its entries.
	 */
	check_memory_below(3 * stat_of(mounts_session).st_size / 1024);
}

static void roots(void)
{
	static const char *const folders[] = { "tree", "branches", "by-id" };
	struct buf ids = { 0 };
	allow_minutes(10);
	write_many("roots", 200000);
	mount_session();
	CHECK_HEAD("by-id/00030d3f");
	check_memory_below(40000);
	CHECK_FILE("tree/0002b671/content", "entry 177777\n");
	for (unsigned i = 0; i < 200000; i++)
		buf_addf(&ids, "%08x ", i);
	for (size_t i = 0; i < COUNT(folders); i++) {
		test_row = folders[i];
		CHECK(span_eq(listed_in(folders[i]), buf_span(&ids)));
	}
	test_row = NULL;
	CHECK_FILE("context.txt", "[User]: entry 199999\n");
	CHECK_INT(count_of("tree.txt").lines, 200000);
	CHECK_VALUE("info", "roots", "200000");
	buf_free(&ids);
}

static unsigned walked; /* folders, or bytes, or links */

static int count_folder(const char *path, const struct stat *st, int type,
			struct FTW *ftw)
{
	(void)path;
	(void)st;
	(void)ftw;
	walked += type == FTW_D;
	return type == FTW_DNR || type == FTW_NS;
}

/* Entries of which each has the next one as its parent, and the last one the
 * first. */
static void add_cycle(struct buf *lines, struct buf *first, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		buf_addf(lines,
			 "{'type':'message','id':'c%u-%u',"
			 "'parentId':'c%u-%u','message':"
			 "{'role':'user','content':'x'}}\n",
			 n, i, n, (i + 1) % n);
	buf_addf(first, "c%u-0 ", n);
}

static void cycles(void)
{
	struct buf lines = { 0 }, first = { 0 };
	allow_minutes(10);
	buf_adds(&lines, OMP_HEADER);
	for (unsigned n = 1; n <= 300; n++)
		add_cycle(&lines, &first, n);
	add_cycle(&lines, &first, 100000);
	test_file("session.jsonl", buf_cstr(&lines));
	mount_session();
	CHECK(span_starts(value_in("info", "cycles"), SPAN("301 ")));
	CHECK_VALUE("info", "entries", "145150");
	CHECK_VALUE("info", "depth", "100000");
	/* The first of each is a root. */
	CHECK_SPAN(listed_in("tree"), buf_span(&first));
	walked = 0;
	CHECK_INT(nftw("tree/c300-0", count_folder, 64, FTW_PHYS), 0);
	CHECK_INT(walked, 300);
	/* The deepest one. */
	CHECK_FILE("by-id/c100000-1/content", "x\n");
	CHECK_INT(count_of("by-id/c100000-1/context.txt").lines, 199999);
	/* One entry in a cycle can't be the head: an agent might hang. */
	CHECK_INT(move_head("by-id/c300-7"), ELOOP);
	CHECK_INT(count_of("tree.txt").lines, 145150);
	buf_free(&lines);
	buf_free(&first);
}

/* Ids and labels that are no names. */

/* A text in JSON, and as a file shows it. */
struct odd {
	struct buf json;
	struct buf shown;
};

enum { ODD_MAX = 80 };
static struct odd odd[ODD_MAX];
static size_t n_odd;

#define LOST "\xef\xbf\xbd" /* in place of half of a pair */

static const struct {
	const char *json;
	const char *shown; /* NULL if it is the same */
	size_t n;	   /* its bytes, if one is NUL */
} few_odd[] = {
	{ "/", NULL, 0 },
	{ "//", NULL, 0 },
	{ "/etc/passwd", NULL, 0 },
	{ "..", NULL, 0 },
	{ ".", NULL, 0 },
	{ "...", NULL, 0 },
	{ "../..", NULL, 0 },
	{ "../../etc/passwd", NULL, 0 },
	{ "a/../../b", NULL, 0 },
	{ "\\n", "\n", 0 },
	{ "a\\nb", "a\nb", 0 },
	{ "\\r\\n", "\r\n", 0 },
	{ "\\u0000", "\0", 1 },
	{ "a\\u0000b", "a\0b", 3 },
	{ "\\u0000/..", "\0/..", 4 },
	{ "\\u001b[2J", "\x1b[2J", 0 },
	{ "\x7f", NULL, 0 },
	{ "\\u0085", "\xc2\x85", 0 },
	{ "\\ud800", LOST, 0 },
	{ "x\\udc00y", "x" LOST "y", 0 },
	{ "%", NULL, 0 },
	{ "%2F", NULL, 0 },
	{ "%2f", NULL, 0 },
	{ "%-", NULL, 0 },
	{ "%%", NULL, 0 },
	{ "%00", NULL, 0 },
	{ "HEAD", NULL, 0 },
	{ "by-id", NULL, 0 },
	{ "tree", NULL, 0 },
	{ "content", NULL, 0 },
	{ "label", NULL, 0 },
	{ "meta", NULL, 0 },
	{ "parent", NULL, 0 },
	{ "context.txt", NULL, 0 },
	{ "context.json", NULL, 0 },
	{ "branch.jsonl", NULL, 0 },
	{ "raw.json", NULL, 0 },
	{ "1.png", NULL, 0 },
	{ "2.png", NULL, 0 },
	{ "32767.gif", NULL, 0 },
	{ ".hidden", NULL, 0 },
	{ " ", NULL, 0 },
	{ "  x  ", NULL, 0 },
	{ "-rf", NULL, 0 },
	{ "*", NULL, 0 },
	{ "\\\\", "\\", 0 },
	{ "'", NULL, 0 },
	{ "\\\"", "\"", 0 },
	{ "$(touch /tmp/x)", NULL, 0 },
	{ "|", NULL, 0 },
	{ "\\u202e", "\xe2\x80\xae", 0 },
	{ "\\ufeff", "\xef\xbb\xbf", 0 },
};

/* Many times the same, and an end. */
static const struct {
	const char *json;
	struct span shown;
	unsigned times;
	const char *end;
} long_odd[] = {
	{ "\\ud83d\\ude00", { "\xf0\x9f\x98\x80", 4 }, 64, "" },
	{ "x", { "x", 1 }, 255, "" },
	{ "x", { "x", 1 }, 256, "" },
	{ "x", { "x", 1 }, 65536, "" },
	{ "y", { "y", 1 }, 65535, "/" },
	{ "y", { "y", 1 }, 65536, "" },
	{ "/", { "/", 1 }, 65536, "" },
	{ "\\u0000", { "\0", 1 }, 30000, "" },
};

static void make_odd(void)
{
	n_odd = 0;
	for (size_t i = 0; i < COUNT(few_odd); i++) {
		struct odd *o = &odd[n_odd++];
		const char *shown =
			few_odd[i].shown ? few_odd[i].shown : few_odd[i].json;
		size_t n = few_odd[i].n ? few_odd[i].n : strlen(shown);
		buf_adds(&o->json, few_odd[i].json);
		buf_add(&o->shown, (struct span){ shown, n });
	}
	for (size_t i = 0; i < COUNT(long_odd); i++) {
		struct odd *o = &odd[n_odd++];
		for (unsigned j = 0; j < long_odd[i].times; j++) {
			buf_adds(&o->json, long_odd[i].json);
			buf_add(&o->shown, long_odd[i].shown);
		}
		buf_adds(&o->json, long_odd[i].end);
		buf_adds(&o->shown, long_odd[i].end);
	}
}

static void free_odd(void)
{
	for (size_t i = 0; i < n_odd; i++) {
		buf_free(&odd[i].json);
		buf_free(&odd[i].shown);
	}
	n_odd = 0;
}

/* A line whose strings are JSON, but for the quotes; `parent` is with them. */
static void add_odd(FILE *f, const char *type, const char *id,
		    const char *parent, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

static void add_odd(FILE *f, const char *type, const char *id,
		    const char *parent, const char *format, ...)
{
	va_list values;
	fprintf(f, "{\"type\":\"%s\",\"id\":\"%s\",\"parentId\":%s,", type, id,
		parent);
	va_start(values, format);
	vfprintf(f, format, values);
	va_end(values);
	fputs(",\"timestamp\":\"2026-03-01T10:00:01.000Z\"}\n", f);
}

#define SAYS                                               \
	"\"message\":{\"role\":\"user\",\"content\":\"%s " \
	"%zu\"}"

/*
 * A session whose entries have these ids, with a text that tells each by its
 * number; and one label on each of as many entries, with the same texts.
 */
static void write_odd(void)
{
	struct buf parent = { 0 };
	FILE *f = begin_session();
	make_odd();
	add(f, "{'type':'session','version':3,'id':'odd',"
	       "'timestamp':'2026-03-01T10:00:00.000Z','cwd':'/'}\n");
	buf_adds(&parent, "null");
	for (size_t i = 0; i < n_odd; i++) {
		const char *id = buf_cstr(&odd[i].json);
		add_odd(f, "message", id, buf_cstr(&parent), SAYS, "odd", i);
		buf_clear(&parent);
		buf_addf(&parent, "\"%s\"", id);
	}
	for (size_t i = 0; i < n_odd; i++) {
		char plain[32], label[32];
		snprintf(plain, sizeof(plain), "plain%zu", i);
		snprintf(label, sizeof(label), "label%zu", i);
		add_odd(f, "message", plain, buf_cstr(&parent), SAYS, "plain",
			i);
		buf_clear(&parent);
		buf_addf(&parent, "\"%s\"", plain);
		add_odd(f, "label", label, buf_cstr(&parent),
			"\"targetId\":\"%s\",\"label\":\"%s\"", plain,
			buf_cstr(&odd[i].json));
		buf_clear(&parent);
		buf_addf(&parent, "\"%s\"", label);
	}
	end_session(f);
	buf_free(&parent);
}

/* All names in a folder. */
struct names {
	char list[4 * ODD_MAX][NAME_MAX + 1];
	size_t n;
};

static void list(const char *folder, struct names *names)
{
	const struct dirent *d;
	DIR *dir = opendir(folder);
	test_need(dir != NULL, folder);
	names->n = 0;
	while ((d = readdir(dir))) {
		if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0)
			continue;
		test_need(names->n < COUNT(names->list), folder);
		snprintf(names->list[names->n++], NAME_MAX + 1, "%s",
			 d->d_name);
	}
	closedir(dir);
}

static int in_order(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* The number in a content of an odd id; n_odd in others. */
static size_t number_of(struct span content)
{
	for (size_t i = 0; i < n_odd; i++) {
		char want[32];
		snprintf(want, sizeof(want), "odd %zu\n", i);
		if (span_eq(content, span_of(want)))
			return i;
	}
	return n_odd;
}

/* An entry's file, "by-id/NAME/FILE"; good until the next call. */
static const char *in_entry(const char *name, const char *file)
{
	static char path[3 * NAME_MAX];
	snprintf(path, sizeof(path), "by-id/%s/%s", name, file);
	return path;
}

/* No name in by-id/ is one that a shell or a terminal would trip over. Notes
 * the names of the odd ids. */
static void check_ids(struct names *names, const char *found[ODD_MAX])
{
	list("by-id", names);
	CHECK_INT(names->n, 3 * n_odd);
	qsort(names->list, names->n, sizeof(names->list[0]), in_order);
	for (size_t i = 0; i < names->n; i++) {
		const char *name = names->list[i];
		test_row = name;
		CHECK(i == 0 || strcmp(names->list[i - 1], name) != 0);
		CHECK(name[0] != '.');
		for (const char *p = name; *p; p++)
			CHECK((unsigned char)*p >= 0x20 && *p != 0x7F);
		(void)count_of(in_entry(name, "content")); /* it can be read */
		size_t number = number_of(text_of(in_entry(name, "content")));
		if (number < n_odd)
			found[number] = name;
		CHECK(span_starts(text_of(in_entry(name, "meta")),
				  SPAN("id: ")));
	}
	test_row = NULL;
}

/* Each odd id has an entry below that of the one before it. */
static void check_found(const char *const found[ODD_MAX])
{
	for (size_t i = 0; i < n_odd; i++) {
		char path[2 * NAME_MAX];
		struct stat st, same;
		test_row = odd[i].json.data;
		if (!CHECK(found[i] != NULL))
			continue;
		/* A name that is taken back is the same entry. */
		snprintf(path, sizeof(path), "by-id/./%s", found[i]);
		CHECK_INT(ERRNO(stat(in_entry(found[i], ""), &st)), 0);
		CHECK_INT(ERRNO(stat(path, &same)), 0);
		CHECK_INT(st.st_ino, same.st_ino);
		if (i == 0 || !found[i - 1])
			continue;
		snprintf(path, sizeof(path), "../%s", found[i - 1]);
		CHECK_LINK(in_entry(found[i], "parent"), path);
	}
	test_row = NULL;
}

/* The name of the label's link to an entry; NULL without one. */
static const char *label_to(const struct names *labels, const char *entry)
{
	char path[2 * NAME_MAX], want[64];
	snprintf(want, sizeof(want), "../by-id/%s", entry);
	for (size_t i = 0; i < labels->n; i++) {
		snprintf(path, sizeof(path), "by-label/%s", labels->list[i]);
		if (span_eq(link_at(path), span_of(want)))
			return labels->list[i];
	}
	return NULL;
}

/* As labels: the links lead to the entries, the texts are whole. */
static void check_labels(void)
{
	static struct names labels;
	list("by-label", &labels);
	CHECK_INT(labels.n, n_odd);
	for (size_t i = 0; i < n_odd; i++) {
		char entry[32], path[2 * NAME_MAX], want[32];
		snprintf(entry, sizeof(entry), "plain%zu", i);
		snprintf(want, sizeof(want), "plain %zu\n", i);
		test_row = odd[i].json.data;
		buf_addc(&odd[i].shown, '\n');
		CHECK_SPAN(text_of(in_entry(entry, "label")),
			   buf_span(&odd[i].shown));
		const char *label = label_to(&labels, entry);
		if (!CHECK(label != NULL))
			continue;
		snprintf(path, sizeof(path), "by-label/%s/content", label);
		CHECK_FILE(path, want);
	}
	test_row = NULL;
}

/* Whoever follows a link of the mount stays in it. */
static int check_link(const char *path, const struct stat *st, int type,
		      struct FTW *ftw)
{
	char top[PATH_MAX], real[PATH_MAX] = "";
	(void)st;
	if (type == FTW_DNR || type == FTW_NS)
		return FTW_STOP;
	if (type == FTW_D && ftw->level >= 4)
		return FTW_SKIP_SUBTREE;
	if (type != FTW_SL)
		return FTW_CONTINUE;
	walked++;
	test_row = path;
	test_need(getcwd(top, sizeof(top) - 1) != NULL, "getcwd");
	strcat(top, "/");
	CHECK(realpath(path, real) != NULL);
	CHECK(span_starts(span_of(real), span_of(top)));
	test_row = NULL;
	return FTW_CONTINUE;
}

static void odd_names(void)
{
	static struct names names;
	const char *found[ODD_MAX] = { 0 };
	write_odd();
	mount_session();
	check_ids(&names, found);
	check_found(found);
	check_labels();
	walked = 0;
	CHECK_INT(nftw(".", check_link, 64, FTW_PHYS | FTW_ACTIONRETVAL), 0);
	CHECK(walked > 4 * n_odd);
	free_odd();
}

/* The last line of a text, which is cut off. */
static struct span take_last_line(struct span *text)
{
	size_t from = text->n > 0 ? text->n - 1 : 0;
	while (from > 0 && text->p[from - 1] != '\n')
		from--;
	struct span line = { text->p + from, text->n - from };
	text->n = from;
	return line;
}

/* A member of a line is this text in JSON, without the quotes. */
static void check_member(struct span line, const char *name, struct span json)
{
	struct json value, wanted;
	struct buf got = { 0 }, want = { 0 }, quoted = { 0 };
	buf_addc(&quoted, '"');
	buf_add(&quoted, json);
	buf_addc(&quoted, '"');
	CHECK_INT(json_check(line, &value), 0);
	CHECK_INT(json_check(buf_span(&quoted), &wanted), 0);
	CHECK_INT(json_type(json_get(value, name)), JSON_STRING);
	json_decode(&got, json_get(value, name));
	json_decode(&want, wanted);
	CHECK_SPAN(buf_span(&got), buf_span(&want));
	buf_free(&got);
	buf_free(&want);
	buf_free(&quoted);
}

/* Move the head to the entry, and label it: two lines. */
static void check_taken(const char *name, size_t number)
{
	char target[2 * NAME_MAX], label[32], content[32];
	snprintf(target, sizeof(target), "by-id/%s", name);
	snprintf(label, sizeof(label), "now %zu\n", number);
	snprintf(content, sizeof(content), "odd %zu\n", number);
	test_row = name;
	CHECK_INT(move_head(target), 0);
	CHECK_HEAD(target);
	CHECK_INT(put("HEAD/label", label), 0);
	CHECK_FILE("HEAD/content", content);
	struct span text = text_of(mounts_session);
	struct span labelled = take_last_line(&text),
		    moved = take_last_line(&text);
	check_member(moved, "parentId", buf_span(&odd[number].json));
	check_member(labelled, "targetId", buf_span(&odd[number].json));
	check_member(labelled, "label",
		     (struct span){ label, strlen(label) - 1 });
	test_row = NULL;
}

static void odd_heads(void)
{
	static struct names names;
	size_t taken = 0;
	write_odd();
	mount_session();
	list("by-id", &names);
	for (size_t i = 0; i < names.n; i++) {
		size_t number =
			number_of(text_of(in_entry(names.list[i], "content")));
		if (number == n_odd)
			continue;
		check_taken(names.list[i], number);
		taken++;
	}
	CHECK_INT(taken, n_odd);
	free_odd();
}

/* Files that are large, or have junk. */

static void long_header(void)
{
	size_t n = 0, all_w = 0;
	struct stat st;
	FILE *f = begin_session();
	add(f, "{'type':'session','version':3,'id':'big',"
	       "'timestamp':'2026-03-01T10:00:00.000Z','x':'");
	fill(f, 'y', 5 * MIB);
	add(f, "','cwd':'/");
	fill(f, 'w', 5 * MIB);
	add(f, "'}\n" USER("00000001", "null", "one")
		       USER("00000002", "'00000001'", "two"));
	end_session(f);
	mount_session();
	CHECK(span_starts(text_of("info"), SPAN("session: big\n")));
	CHECK_VALUE("info", "writable", "yes");
	for (struct span rest = text_of("info"); rest.n > 0;) {
		struct span line = span_next_line(&rest);
		if (!span_starts(line, SPAN("cwd: /")))
			continue;
		n++;
		size_t i = strlen("cwd: /");
		while (i < line.n && line.p[i] == 'w')
			i++;
		all_w += i == line.n;
	}
	CHECK_INT(n, 1);
	CHECK_INT(all_w, 1);
	CHECK_INT(move_head("by-id/00000001"), 0);
	CHECK_FILE("HEAD/content", "one\n");
	struct count branch = count_of("HEAD/branch.jsonl");
	CHECK_INT(ERRNO(stat("HEAD/branch.jsonl", &st)), 0);
	CHECK_INT(branch.bytes, st.st_size);
	CHECK_INT(branch.lines, 2);
}

static void add_random(FILE *f, size_t n)
{
	while (n-- > 0)
		fputc((int)(test_random() & 0xFF), f);
}

/* All bytes of a file can be read. */
static int read_it(const char *path, const struct stat *st, int type,
		   struct FTW *ftw)
{
	(void)st;
	(void)ftw;
	if (type != FTW_F)
		return type == FTW_DNR || type == FTW_NS;
	test_row = path;
	walked += count_of(path).bytes > 0;
	test_row = NULL;
	return 0;
}

static void junk(void)
{
	FILE *f = begin_session();
	add(f, HEADER USER("00000001", "null", "one"));
	add_random(f, 8 * MIB);
	fputc('\n', f);
	fill(f, '\0', MIB);
	fputc('\n', f);
	for (size_t n = 1; n < 300; n++) {
		add(f, "{'type':'message','id':'");
		add_random(f, n);
		add(f, "'}\n");
	}
	add(f, USER("00000002", "'00000001'", "two"));
	end_session(f);
	keep_session();
	mount_session();
	CHECK_HEAD("by-id/00000002");
	CHECK_FILE("context.txt", "[User]: one\n\n[User]: two\n");
	CHECK(number_in("info", "bad-lines") > 30000);
	/* Whatever else became an entry can be read. */
	walked = 0;
	CHECK_INT(nftw("by-id", read_it, 64, FTW_PHYS), 0);
	CHECK_INT(nftw("tree", read_it, 64, FTW_PHYS), 0);
	CHECK(walked > 0);
	CHECK_INT(move_head("by-id/00000001"), 0);
	CHECK_FILE("context.txt", "[User]: one\n");
	struct span now = text_of(mounts_session);
	CHECK(span_starts(now, buf_span(&mounts_kept)));
	now.p += mounts_kept.len;
	now.n -= mounts_kept.len;
	CHECK(now.n > 0 && memchr(now.p, '\n', now.n) == now.p + now.n - 1);
}

/* Files that are replaced. */

/* Put something else in the session's place. */
static void replace(const char *what)
{
	int err = 0;
	if (strcmp(what, "fifo") == 0)
		err = ERRNO(mkfifo(mounts_session, 0644));
	else if (strcmp(what, "folder") == 0)
		err = ERRNO(mkdir(mounts_session, 0755)) ||
		      ERRNO(mkdir(test_path("session.jsonl/below"), 0755));
	else if (strcmp(what, "device") == 0) /* /dev/zero */
		err = ERRNO(
			mknod(mounts_session, S_IFCHR | 0644, makedev(1, 5)));
	else if (strcmp(what, "socket") == 0)
		err = ERRNO(mknod(mounts_session, S_IFSOCK | 0755, 0));
	else if (strcmp(what, "link") == 0)
		err = ERRNO(symlink("kept", mounts_session));
	else if (strcmp(what, "loop") == 0)
		err = ERRNO(symlink("session.jsonl", mounts_session));
	CHECK_INT(err, 0);
}

/* What the mount shows while there is no file. */
static void check_nothing(void)
{
	CHECK_NAMES("by-id", "");
	CHECK_HEAD("tree");
	CHECK_FILE("context.txt", "");
	CHECK(count_of("info").bytes > 0);
	(void)count_of("tree.txt"); /* it can be read */
	CHECK_FILE("by-id/00000001/content", strerror(ENOENT));
	/* It has no header. To others than root its mode says so, unless the
	 * kernel has yet to see it. */
	int err = move_head("by-id/00000001");
	CHECK(err == EROFS || (err == EACCES && geteuid() != 0));
	CHECK(span_starts(names_in("."), SPAN("HEAD ")));
}

/* Requests on the replacement do not hang, and the mount recovers with the
 * file. */
static void check_recovers_from(const char *what)
{
	char label[64];
	test_row = what;
	CHECK_FILE("by-id/00000001/content", "one\n");
	CHECK_FILE("context.txt", "[User]: one\n\n[User]: two\n");
	CHECK_INT(ERRNO(rename(mounts_session, test_path("kept"))), 0);
	replace(what);
	check_nothing();
	nftw(mounts_session, test_unlink, 16, FTW_DEPTH | FTW_PHYS);
	CHECK_INT(ERRNO(rename(test_path("kept"), mounts_session)), 0);
	CHECK_FILE("HEAD/content", "two\n");
	snprintf(label, sizeof(label), "after %s\n", what);
	CHECK_INT(put("by-id/00000001/label", label), 0);
	CHECK_FILE("by-id/00000001/label", label);
	test_row = NULL;
}

static void mount_two(void)
{
	mount_lines(HEADER USER("00000001", "null", "one")
			    USER("00000002", "'00000001'", "two"));
}

static void replaced(void)
{
	static const char *const kinds[] = { "fifo", "folder", "socket",
					     "link", "loop",   "nothing",
					     "fifo" };
	mount_two();
	for (size_t i = 0; i < COUNT(kinds); i++)
		check_recovers_from(kinds[i]);
}

static void replaced_by_device(void)
{
	/* In a container not even root may make one. */
	if (mknod(test_path("zero"), S_IFCHR | 0644, makedev(1, 5)) != 0) {
		CHECK_INT(errno, EPERM);
		return;
	}
	mount_two();
	check_recovers_from("device");
}

/* Readers, processes of their own, while the file changes. */

static void check_heard(int status)
{
	if (!CHECK_INT(status, 0))
		test_print("said", buf_span(&mounts_output));
}

static void readers(void)
{
	static const char *const changes[] = { "rename", "rewrite", "truncate",
					       "remove", "append" };
	allow_minutes(6);
	mount_lines(HEADER USER("00000001", "null", "one"));
	for (size_t i = 0; i < COUNT(changes); i++) {
		test_row = changes[i];
		check_heard(HEAR("timeout", "60", "python3",
				 fixture("../readers.py"), mounts_session,
				 mounts_at, changes[i], "1"));
	}
	test_row = NULL;
	CHECK(span_starts(text_of("context.txt"), SPAN("[User]: version")));
}

static void readers_without_shm(void)
{
	allow_minutes(2);
	mount_lines(HEADER USER("00000001", "null", "one"));
	check_heard(
		HEAR("unshare", "--mount", "--propagation", "slave", "sh",
		     "-ec", "mount -t tmpfs -o ro none /dev/shm && exec \"$@\"",
		     "-", "timeout", "60", "python3", fixture("../readers.py"),
		     mounts_session, mounts_at, "rename", "1"));
}

static const struct mounts_test tests[] = {
	FULL_TEST("a line of 256 MiB: its bytes are right, memory is bounded "
		  "by the file",
		  long_line),
	FULL_TEST("a chain of a million", a_million),
	FULL_TEST("200,000 roots are listed in file order, and each is found",
		  roots),
	FULL_TEST("cycles of every length to 300, and one of 100,000", cycles),
	TEST("ids and labels that are no names: each is found, and no link "
	     "leads out",
	     odd_names),
	TEST("the head can be moved to any odd id, and any can be labelled",
	     odd_heads),
	TEST("a header of 10 MiB", long_header),
	TEST("binary junk after a good header affects only its own lines",
	     junk),
	TEST("a FIFO, a folder, a socket or a link in place of the file",
	     replaced),
	ROOT_TEST("a device in place of the file", replaced_by_device),
	FULL_TEST("readers of a file that is replaced, rewritten, truncated "
		  "and removed: no mix, no hang",
		  readers),
	{ "those readers do without /dev/shm", readers_without_shm,
	  MOUNTS_FULL | MOUNTS_ROOT },
};
RUN_TESTS(tests)
