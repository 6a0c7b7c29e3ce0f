#include "fs/tree/cache.h"

#include <pthread.h>

#include "tests/unit/test.h"

/* Cache a rendering of so many bytes. */
static void add(struct cache *c, uint64_t ino, uint64_t version, size_t size)
{
	struct buf bytes = { 0 };
	test_need(buf_reserve(&bytes, size) != NULL, "buf_reserve");
	bytes.len = size;
	struct rendering *r = cache_add(c, ino, version, &bytes);
	test_need(r != NULL, "cache_add");
	CHECK(!bytes.data && bytes.len == 0);
	CHECK_INT(r->bytes.len, size);
	cache_put(r);
}

static bool has(struct cache *c, uint64_t ino, uint64_t version)
{
	struct rendering *r = cache_get(c, ino, version);
	if (!r)
		return false;
	CHECK(r->ino == ino && r->version == version);
	cache_put(r);
	return true;
}

TEST(check_versions)
{
	struct cache c;
	cache_init(&c);
	CHECK(!has(&c, 1, 0));
	add(&c, 1, 0, 10);
	add(&c, 1, 7, 11);
	CHECK(has(&c, 1, 0));
	CHECK(has(&c, 1, 7));
	CHECK(!has(&c, 1, 8));
	CHECK(!has(&c, 2, 0));
	cache_free(&c);
}

/* Of one part, the slots are those used last. */
TEST(check_small)
{
	struct cache c;
	cache_init(&c);
	for (uint64_t version = 1; version <= CACHE_SLOTS; version++)
		add(&c, 5, version, 1);
	CHECK(has(&c, 5, 1));
	add(&c, 5, CACHE_SLOTS + 1, 1);
	CHECK(has(&c, 5, 1));
	CHECK(!has(&c, 5, 2));
	CHECK(has(&c, 5, CACHE_SLOTS + 1));
	cache_free(&c);
}

/* However large, the newest two stay; others only up to the limit. */
TEST(check_large)
{
	struct cache c;
	cache_init(&c);
	add(&c, 1, 0, CACHE_BYTES);
	add(&c, 2, 0, CACHE_BYTES);
	CHECK(has(&c, 1, 0));
	CHECK(has(&c, 2, 0));
	add(&c, 3, 0, CACHE_BYTES);
	CHECK(!has(&c, 1, 0));
	CHECK(has(&c, 2, 0));
	CHECK(has(&c, 3, 0));
	add(&c, 4, 0, CACHE_SMALL + 1);
	add(&c, 5, 0, CACHE_SMALL + 1);
	CHECK(!has(&c, 2, 0));
	CHECK(!has(&c, 3, 0));
	add(&c, 6, 0, CACHE_SMALL + 1);
	CHECK(has(&c, 4, 0));
	CHECK(has(&c, 5, 0));
	CHECK(has(&c, 6, 0));
	cache_free(&c);
}

/* The newest of a number and a version is found, whichever is larger. */
TEST(check_newest)
{
	static const size_t sizes[] = {
		1, CACHE_SMALL + 1, 2, CACHE_SMALL + 2, CACHE_SMALL + 3, 3
	};
	struct cache c;
	cache_init(&c);
	for (size_t i = 0; i < COUNT(sizes); i++) {
		add(&c, 1, 0, sizes[i]);
		struct rendering *r = cache_get(&c, 1, 0);
		test_need(r != NULL, "cache_get");
		CHECK_INT(r->bytes.len, sizes[i]);
		cache_put(r);
	}
	/* Nor is an older one found once the newest was evicted. */
	for (uint64_t version = 1; version <= CACHE_SLOTS; version++)
		add(&c, 1, version, 1);
	CHECK(!has(&c, 1, 0));
	cache_free(&c);
}

/* A rendering outlives its eviction, and the cache, while it is used. */
TEST(check_references)
{
	struct cache c;
	struct buf bytes = { 0 };
	cache_init(&c);
	buf_adds(&bytes, "text");
	struct rendering *r = cache_add(&c, 5, 0, &bytes);
	for (uint64_t version = 1; version <= CACHE_SLOTS; version++)
		add(&c, 5, version, 1);
	CHECK(!has(&c, 5, 0));
	CHECK_SPAN(buf_span(&r->bytes), SPAN("text"));
	cache_put(r);
	buf_adds(&bytes, "more");
	r = cache_add(&c, 6, 0, &bytes);
	cache_free(&c);
	CHECK_SPAN(buf_span(&r->bytes), SPAN("more"));
	cache_put(r);
}

static void *use(void *data)
{
	struct cache *c = data;
	for (uint64_t i = 0; i < 20000; i++) {
		uint64_t ino = i * 7 % 50;
		if (!has(c, ino, 0))
			add(c, ino, 0, i % 500 == 0 ? CACHE_SMALL + 1 : 3);
	}
	return NULL;
}

TEST(check_threads)
{
	struct cache c;
	pthread_t threads[4];
	cache_init(&c);
	for (size_t i = 0; i < COUNT(threads); i++)
		CHECK_INT(pthread_create(&threads[i], NULL, use, &c), 0);
	for (size_t i = 0; i < COUNT(threads); i++)
		pthread_join(threads[i], NULL);
	cache_free(&c);
}

RUN_TESTS("cache")
