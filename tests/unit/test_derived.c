#include "core/session/derived.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "tests/unit/test.h"

struct cache {
	struct derived derived;
	char *text;
};

static void clear(void *cache)
{
	struct cache *c = cache;
	free(c->text);
	c->text = NULL;
}

static const struct derived_kind kind = { sizeof(struct cache), clear };
static const struct derived_kind other = { sizeof(struct cache), clear };

static bool is_kept(const struct session *s, const struct derived_kind *of)
{
	struct cache *c = derived_lock(s, of);
	test_need(c != NULL, "derived_lock");
	bool is = c->text != NULL;
	derived_unlock(&c->derived);
	return is;
}

static void keep(const struct session *s)
{
	struct cache *c = derived_lock(s, &kind);
	test_need(c != NULL, "derived_lock");
	CHECK(!c->text);
	c->text = strdup("kept");
	derived_unlock(&c->derived);
	CHECK(is_kept(s, &kind));
	CHECK(!is_kept(s, &other));
}

static void again(struct session *s)
{
	session_leave(s);
	CHECK_INT(session_enter(s), 0);
}

int main(void)
{
	struct session *s = test_session(HEADER USER("a", "null", "x"));
	uint32_t epoch = s->epoch;
	keep(s);
	again(s);
	CHECK(is_kept(s, &kind));

	/* What is derived holds after an append, and with another mode. */
	test_append("s.jsonl", USER("b", "null", "x"));
	again(s);
	CHECK_INT(s->now.index.n, 2);
	CHECK(is_kept(s, &kind));
	CHECK_INT(chmod(s->log.path, 0400), 0);
	again(s);
	CHECK(s->epoch != epoch);
	CHECK(is_kept(s, &kind));
	CHECK_INT(chmod(s->log.path, 0600), 0);

	/* Not where a line takes the place of another one. */
	test_append("s.jsonl", USER("a", "null", "y"));
	again(s);
	CHECK(!is_kept(s, &kind));
	keep(s);

	/* And not of another file. */
	test_file("s.jsonl", HEADER USER("c", "null", "x"));
	again(s);
	CHECK(!is_kept(s, &kind));
	keep(s);
	test_close(s);
	return test_done("derived");
}
