#include "core/places/places.h"

#include <sys/stat.h>

#include "tests/unit/test.h"

static const char *folder;

static void start(struct places *p, unsigned keep,
		  const struct places_attachment *attachment)
{
	const struct session_opening how = { .dialects = &dialect_registry };
	const char *why;
	CHECK_INT(places_init(p, folder, &how, keep, attachment, &why), 0);
}

static struct place *find(struct place *in, const char *name)
{
	struct place *at = NULL;
	CHECK_INT(place_find(in, span_of(name), &at), 0);
	return at;
}

/* Enter a session and leave it. */
static void use(struct places *p, const char *name)
{
	struct place *at = find(p->source, name);
	CHECK_INT(place_enter(at), 0);
	CHECK_INT(place_settle(at), 0);
	place_leave(at);
	place_put(at);
}

static bool is_loaded(struct places *p, const char *name)
{
	struct place *at = find(p->source, name);
	bool loaded = place_is_open(at);
	place_put(at);
	return loaded;
}

static unsigned released;

static void count_release(void *attached)
{
	CHECK_INT(*(int *)attached, 7);
	released++;
}

/* What is attached is zeroed, stays with its place and goes with it. */
static void check_attached(void)
{
	const struct places_attachment attachment = { sizeof(int),
						      count_release };
	struct places p;
	start(&p, 1, &attachment);
	*(int *)p.source->attached = 7;
	struct place *a = find(p.source, "a");
	CHECK_INT(*(int *)a->attached, 0);
	*(int *)a->attached = 7;
	place_put(a);
	a = find(p.source, "a");
	CHECK_INT(*(int *)a->attached, 7);
	place_put(a);
	places_free(&p);
	CHECK_INT(released, 2);
	start(&p, 1, NULL);
	CHECK(!p.source->attached);
	places_free(&p);
}

/* The session that was used longest ago is let go, from the first use on. */
static void check_keep(void)
{
	struct places p;
	start(&p, 2, NULL);
	use(&p, "a");
	use(&p, "b");
	use(&p, "a");
	use(&p, "c");
	CHECK(is_loaded(&p, "a"));
	CHECK(!is_loaded(&p, "b"));
	CHECK(is_loaded(&p, "c"));
	places_free(&p);
}

int main(void)
{
	folder = strdup(test_path("folder"));
	test_need(folder && mkdir(folder, 0700) == 0, "folder");
	test_file("folder/a.jsonl", HEADER USER("a1", "null", "hi"));
	test_file("folder/b.jsonl", HEADER USER("b1", "null", "hi"));
	test_file("folder/c.jsonl", HEADER USER("c1", "null", "hi"));
	check_attached();
	check_keep();
	free((char *)folder);
	return test_done("places");
}
