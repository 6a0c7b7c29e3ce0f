#include "tests/mounts/mounts.h"

static struct buf text; /* what was read last */

bool span_has(struct span s, const char *want)
{
	return s.n > 0 && memmem(s.p, s.n, want, strlen(want)) != NULL;
}

size_t lines_in(struct span s)
{
	size_t n = 0;
	for (size_t i = 0; i < s.n; i++)
		n += s.p[i] == '\n';
	return n;
}

size_t characters_in(struct span s)
{
	size_t n = 0;
	for (size_t i = 0; i < s.n; i++)
		n += ((unsigned char)s.p[i] & 0xC0) != 0x80;
	return n;
}

int by_bytes(const void *one, const void *other)
{
	return strcmp(*(const char *const *)one, *(const char *const *)other);
}

struct span text_of(const char *path)
{
	buf_clear(&text);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : 1;
	while (n > 0) {
		char *to = buf_reserve(&text, 65536);
		test_need(to != NULL, path);
		n = read(fd, to, 65536);
		text.len += n > 0 ? (size_t)n : 0;
	}
	if (n < 0)
		buf_add(&text, span_of(strerror(errno)));
	if (fd >= 0)
		close(fd);
	return buf_span(&text);
}

static struct span names(const char *path, int (*order)(const struct dirent **,
							const struct dirent **))
{
	struct dirent **found;
	buf_clear(&text);
	int n = scandir(path, &found, NULL, order);
	if (n < 0)
		return span_of(strerror(errno));
	for (int i = 0; i < n; free(found[i++]))
		if (found[i]->d_name[0] != '.') {
			buf_add(&text, span_of(found[i]->d_name));
			buf_addc(&text, ' ');
		}
	free(found);
	return buf_span(&text);
}

struct span names_in(const char *path)
{
	return names(path, alphasort);
}

struct span listed_in(const char *path)
{
	return names(path, NULL);
}

struct span names_in_root(void)
{
	static const char forks[] = " forks ";
	struct span s = names_in(".");
	char *at = is_set("IN_FOLDER") ? memmem(s.p, s.n, forks, strlen(forks))
				       : NULL;
	if (!at)
		return s;
	memmove(at, at + strlen(" forks"),
		(size_t)(s.p + s.n - at) - strlen(" forks"));
	text.len -= strlen(" forks");
	return buf_span(&text);
}

struct span link_at(const char *path)
{
	static char target[PATH_MAX];
	ssize_t n = readlink(path, target, sizeof(target));
	return (struct span){ target, n < 0 ? 0 : (size_t)n };
}

bool has(const char *path, const char *want)
{
	return span_has(text_of(path), want);
}

struct span value_in(const char *path, const char *key)
{
	for (struct span rest = text_of(path); rest.n > 0;) {
		struct span line = span_next(&rest, '\n');
		if (!span_starts(line, span_of(key)) ||
		    line.n < strlen(key) + 2 ||
		    memcmp(line.p + strlen(key), ": ", 2) != 0)
			continue;
		line.p += strlen(key) + 2;
		line.n -= strlen(key) + 2;
		return line;
	}
	return SPAN("");
}

long long number_in(const char *path, const char *key)
{
	struct span s = value_in(path, key);
	return s.n > 0 && isdigit((unsigned char)s.p[0])
		       ? strtoll(s.p, NULL, 10)
		       : -1;
}

struct stat stat_of(const char *path)
{
	struct stat st = { 0 };
	test_check(lstat(path, &st) == 0, __FILE__, __LINE__, path);
	return st;
}

bool exists(const char *path)
{
	struct stat st;
	return lstat(path, &st) == 0;
}

cJSON *parsed(const char *path)
{
	struct span s = text_of(path);
	cJSON *json = cJSON_ParseWithLength(s.p, s.n);
	test_need(json != NULL, path);
	return json;
}

/* Trees of files. */

void remove_tree(const char *path)
{
	nftw(path, test_unlink, 16, FTW_DEPTH | FTW_PHYS);
	CHECK(!exists(path));
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

FTS *walk_tree(const char *folder)
{
	char *paths[] = { (char *)folder, NULL };
	FTS *fts = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
	test_need(fts != NULL, folder);
	return fts;
}

static bool is_among(const char *name, const char *const names[])
{
	for (size_t i = 0; names[i]; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

const FTSENT *next_in_tree(FTS *fts, int level, const char *const without[])
{
	FTSENT *e;
	while ((e = fts_read(fts))) {
		if (e->fts_info == FTS_DP)
			continue;
		if (e->fts_level == 0 || (level > 0 && e->fts_level != level) ||
		    !is_among(e->fts_name, without))
			return e;
		fts_set(fts, e, FTS_SKIP);
	}
	return NULL;
}

/* Have both the same type, text or target, and on demand the same mode and
 * time? Owners can write to folders of an export. */
static bool is_alike(const FTSENT *a, const FTSENT *b, bool with_attributes)
{
	const struct stat *x = a->fts_statp, *y = b->fts_statp;
	char to[PATH_MAX];
	mode_t mode = S_ISDIR(x->st_mode) ? x->st_mode | S_IWUSR : x->st_mode;
	if ((x->st_mode & S_IFMT) != (y->st_mode & S_IFMT))
		return false;
	if (with_attributes &&
	    (mode != y->st_mode || x->st_mtim.tv_sec != y->st_mtim.tv_sec ||
	     x->st_mtim.tv_nsec != y->st_mtim.tv_nsec))
		return false;
	if (S_ISDIR(x->st_mode))
		return true;
	if (S_ISREG(x->st_mode))
		return x->st_size == y->st_size &&
		       is_copy(a->fts_path, b->fts_path);
	struct span target = link_at(a->fts_path);
	snprintf(to, sizeof(to), "%.*s", (int)target.n, target.p);
	return target.n > 0 && span_eq(link_at(b->fts_path), span_of(to));
}

bool are_trees_alike(const char *one, const char *const not_in_one[],
		     const char *other, const char *const not_in_other[],
		     bool with_attributes)
{
	FTS *a = walk_tree(one), *b = walk_tree(other);
	const FTSENT *x, *y;
	bool are = true;
	size_t n = 0;
	do {
		x = next_in_tree(a, 1, not_in_one);
		y = next_in_tree(b, 1, not_in_other);
		if (!x || !y)
			break;
		are = strcmp(x->fts_path + strlen(one),
			     y->fts_path + strlen(other)) == 0 &&
		      is_alike(x, y, with_attributes && x->fts_level > 0);
		n++;
	} while (are);
	if (!are || x || y)
		fprintf(stderr, "    %s is not as %s\n", y ? y->fts_path : "-",
			x ? x->fts_path : "-");
	are = are && !x && !y && n > 0;
	fts_close(a);
	fts_close(b);
	return are;
}

bool is_same_tree(const char *one, const char *other)
{
	return are_trees_alike(one, PIECES(NULL), other, PIECES(NULL), false);
}
