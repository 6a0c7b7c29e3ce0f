#include "core/labels.h"

#include "tests/unit/test.h"

struct fixture {
	struct index x;
	struct labels l;
	uint32_t line;
};

static void add_entry(struct fixture *f, const char *id)
{
	uint32_t entry;
	bool again;
	struct index_line l = { .id = span_of(id), .line = ++f->line };
	CHECK_INT(index_add(&f->x, &l, &entry, &again), 0);
	CHECK_INT(index_link(&f->x), 0);
	CHECK_INT(labels_link(&f->l, &f->x, true), 0);
}

static void set(struct fixture *f, const char *target, const char *text)
{
	f->line++;
	const struct label_line line = { .number = f->line,
					 .time = f->line * 1000,
					 .version = f->line };
	CHECK_INT(labels_set(&f->l, span_of(target), span_of(text), &line), 0);
	CHECK_INT(labels_link(&f->l, &f->x, false), 0);
}

/* by-label/ as text: "name->id", in order. */
static void list(struct fixture *f, struct buf *out)
{
	struct buf name = { 0 };
	for (uint32_t i = 0; i < f->l.n_links; i++) {
		const struct label_link *link = &f->l.links[i];
		buf_clear(&name);
		label_link_name(&f->l, &name, link);
		buf_adds(out, i > 0 ? " " : "");
		buf_add(out, buf_span(&name));
		buf_adds(out, "->");
		buf_add(out, index_id(&f->x, link->entry));
		/* Found by name, and by entry. */
		CHECK(labels_find_link(&f->l, buf_span(&name)) == link);
		CHECK(labels_link_of(&f->l, link->entry) == link);
	}
	buf_free(&name);
}

#define CHECK_LIST(f, want)               \
	do {                              \
		struct buf links = { 0 }; \
		list(f, &links);          \
		CHECK_BUF(&links, want);  \
		buf_free(&links);         \
	} while (0)

static void check_text(struct fixture *f, const char *target, const char *want)
{
	const struct label *l = labels_of(&f->l, span_of(target));
	if (!want)
		CHECK(l == NULL);
	else if (CHECK(l != NULL))
		CHECK_SPAN(label_text(&f->l, l), span_of(want));
}

int main(void)
{
	struct fixture f = { .line = 0 };
	index_init(&f.x);
	labels_init(&f.l);
	CHECK_LIST(&f, "");
	CHECK(!labels_find_link(&f.l, SPAN("good")));
	CHECK(!labels_link_of(&f.l, 0));

	add_entry(&f, "a");
	add_entry(&f, "b");
	add_entry(&f, "c");
	set(&f, "b", "good");
	set(&f, "a", "start");
	CHECK_LIST(&f, "start->a good->b");
	check_text(&f, "b", "good");
	check_text(&f, "c", NULL);

	/* Replaced, and cleared. */
	set(&f, "b", "better");
	CHECK_LIST(&f, "start->a better->b");
	CHECK(!labels_find_link(&f.l, SPAN("good")));
	set(&f, "a", "");
	CHECK_LIST(&f, "better->b");
	check_text(&f, "a", "");
	CHECK_INT(f.l.n_set, 1);

	/* One text on several: shown where it was said last. */
	set(&f, "c", "better");
	CHECK_LIST(&f, "better->c");
	CHECK_INT(f.l.n_set, 2);
	CHECK(!labels_link_of(&f.l, 1));
	set(&f, "b", "better");
	CHECK_LIST(&f, "better->b");
	set(&f, "b", "");
	CHECK_LIST(&f, "better->c");

	/* On an entry that is yet to come, and on none. */
	set(&f, "later", "early");
	set(&f, "never", "x");
	CHECK_LIST(&f, "better->c");
	check_text(&f, "later", "early");
	add_entry(&f, "later");
	CHECK_LIST(&f, "better->c early->later");
	CHECK_INT(f.l.n_set, 2);

	/* Names: what an entry's folder takes is free here. */
	set(&f, "a", "v1/x");
	set(&f, "b", "content");
	set(&f, "c", ".x");
	CHECK_LIST(&f, "v1%2Fx->a content->b %2Ex->c early->later");

	/* Since when there is a label, and what the last line was. */
	const struct label *l = labels_of(&f.l, SPAN("later"));
	if (CHECK(l != NULL)) {
		uint32_t since = l->since;
		set(&f, "later", "again");
		l = labels_of(&f.l, SPAN("later"));
		CHECK_INT(l->since, since);
		CHECK_INT(l->line, f.line);
		CHECK_INT(l->time, f.line * 1000);
		set(&f, "later", "");
		set(&f, "later", "new");
		l = labels_of(&f.l, SPAN("later"));
		CHECK_INT(l->since, f.line);
	}

	/* Many, so that everything grows. */
	char id[16];
	char text[16];
	for (int i = 0; i < 1000; i++) {
		snprintf(id, sizeof(id), "n%d", i);
		snprintf(text, sizeof(text), "t%d", i % 500);
		add_entry(&f, id);
		set(&f, id, text);
	}
	CHECK_INT(f.l.n_links, 500 + 4);
	const struct label_link *t7 = labels_find_link(&f.l, SPAN("t7"));
	CHECK(t7 && span_eq(index_id(&f.x, t7->entry), SPAN("n507")));

	labels_free(&f.l);
	index_free(&f.x);
	return test_done("labels");
}
