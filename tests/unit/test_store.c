#include "core/catalogue/store.h"

#include "tests/unit/fake_clock.h"
#include "tests/unit/test.h"

#define DAY_MS ((int64_t)86400000)

/* What is_gone() and is_used() say, of paths that have this in them. */
struct interest {
	const char *gone;
	const char *used;
};

static bool has(struct span path, const char *part)
{
	return part && memmem(path.p, path.n, part, strlen(part));
}

static bool is_gone(void *data, struct span path)
{
	return has(path, ((const struct interest *)data)->gone);
}

static bool is_used(void *data, const struct store_record *r)
{
	return has(r->path, ((const struct interest *)data)->used);
}

/* Write records with these paths, and notes that are the same. */
static void write_paths(const struct store *s, const char *paths,
			struct interest interest)
{
	struct store_record made[8];
	struct store_news news = { .made = made,
				   .data = &interest,
				   .is_gone = is_gone,
				   .is_used = is_used };
	for (struct span rest = span_of(paths); rest.n > 0;) {
		struct span path = span_next(&rest, ' ');
		made[news.n_made++] =
			(struct store_record){ .path = path, .note = path };
	}
	store_write(s, &news);
}

/* Those of a process that reads now. */
static void write_now(const char *paths, struct interest interest)
{
	struct store s = { 0 };
	store_read(&s);
	write_paths(&s, paths, interest);
	store_free(&s);
}

static void check_has(const char *paths)
{
	struct store s = { 0 };
	size_t n = 0;
	size_t near = 0;
	test_row = paths;
	store_read(&s);
	for (struct span rest = span_of(paths); rest.n > 0; n++) {
		struct span path = span_next(&rest, ' ');
		struct store_record r;
		if (CHECK(store_find(&s, &near, path, &r)))
			CHECK_SPAN(r.note, path);
	}
	CHECK_INT(s.n, n);
	store_free(&s);
	test_row = NULL;
}

static void check_missing(void)
{
	struct store s = { 0 };
	struct store_record r;
	size_t near = 0;
	store_read(&s);
	CHECK_INT(s.n, 0);
	CHECK(!store_find(&s, &near, SPAN("/a"), &r));
	write_paths(&s, "", (struct interest){ 0 });
	store_free(&s);
	check_has("");
}

/* Two that have read before either writes. */
static void check_two_at_once(void)
{
	struct store a = { 0 };
	struct store b = { 0 };
	write_now("/both", (struct interest){ 0 });
	store_read(&a);
	store_read(&b);
	write_paths(&a, "/b /a", (struct interest){ 0 });
	write_paths(&b, "/d /c", (struct interest){ 0 });
	store_free(&a);
	store_free(&b);
	check_has("/a /b /both /c /d");
	/* A record is replaced by a newer one. */
	write_now("/a", (struct interest){ .gone = "/both" });
	check_has("/a /b /c /d");
}

/* What nobody has used for so long goes, when anybody writes. */
static void check_age(void)
{
	const struct interest none = { 0 };
	fake_now += (STORE_DAYS - 1) * DAY_MS;
	write_now("", (struct interest){ .used = "/c" });
	check_has("/a /b /c /d");
	fake_now += 2 * DAY_MS;
	write_now("/e", none);
	check_has("/c /e");
	fake_now += (STORE_DAYS + 1) * DAY_MS;
	write_now("", none);
	check_has("");
}

int main(void)
{
	setenv("XDG_CACHE_HOME", test_path("cache"), 1);
	fake_now = 20000 * DAY_MS;
	check_missing();
	check_two_at_once();
	check_age();
	return test_done("store");
}
