#include "core/places/places.h"

#include <sys/stat.h>

#include "tests/unit/test.h"

static unsigned released;

static void count_release(void *attached)
{
	CHECK_INT(*(int *)attached, 7);
	released++;
}

static struct place *find(struct places *p, const char *name)
{
	struct place *at = NULL;
	CHECK_INT(place_find(p->source, span_of(name), &at), 0);
	return at;
}

/* What is attached is zeroed, stays with its place and goes with it. */
static void check_attached(const char *folder)
{
	const struct session_opening how = { .dialects = &dialect_registry };
	const struct places_attachment attachment = { sizeof(int),
						      count_release };
	struct places p;
	const char *why;
	CHECK_INT(places_init(&p, folder, &how, 1, &attachment, &why), 0);
	*(int *)p.source->attached = 7;
	struct place *a = find(&p, "a");
	CHECK_INT(*(int *)a->attached, 0);
	*(int *)a->attached = 7;
	place_put(a);
	a = find(&p, "a");
	CHECK_INT(*(int *)a->attached, 7);
	place_put(a);
	places_free(&p);
	CHECK_INT(released, 2);
}

static void check_nothing_attached(const char *folder)
{
	const struct session_opening how = { .dialects = &dialect_registry };
	struct places p;
	const char *why;
	CHECK_INT(places_init(&p, folder, &how, 1, NULL, &why), 0);
	CHECK(!p.source->attached);
	places_free(&p);
}

int main(void)
{
	const char *folder = test_path("folder");
	CHECK_INT(mkdir(folder, 0700), 0);
	test_put(test_path("folder/a.jsonl"), O_TRUNC, SPAN(""));
	check_attached(folder);
	check_nothing_attached(folder);
	return test_done("places");
}
