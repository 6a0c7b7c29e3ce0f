#include "core/session/labels.h"

#include "tests/unit/no_memory.h"
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
	CHECK_INT(labels_link(&f->l, &f->x), 0);
}

static void set(struct fixture *f, const char *target, const char *text)
{
	f->line++;
	const struct label_line line = { .number = f->line,
					 .time = f->line * 1000,
					 .version = f->line };
	CHECK_INT(
		labels_set(&f->l, &f->x, span_of(target), span_of(text), &line),
		0);
}

/* by-label/ as text: "name->id", in order. */
static void list(struct fixture *f, struct buf *out)
{
	struct buf name = { 0 };
	CHECK_INT(labels_link(&f->l, &f->x), 0);
	for (uint32_t i = labels_next(&f->l, 0); i != INDEX_NONE;
	     i = labels_next(&f->l, i + 1)) {
		struct span id = index_id(&f->x, i);
		const struct label *label = labels_of(&f->l, id);
		buf_clear(&name);
		label_add_name(&f->l, &name, label);
		buf_adds(out, out->len > 0 ? " " : "");
		buf_add(out, buf_span(&name));
		buf_adds(out, "->");
		buf_add(out, id);
		CHECK_INT(label->entry, i);
		CHECK(labels_find_name(&f->l, buf_span(&name)) == label);
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

/* Random lines against the rules, spelled out. */
static void check_random(void)
{
	for (int round = 0; round < 500; round++) {
		struct fixture f = { .line = 0 };
		char text_of[8] = { 0 }; /* by what the id is; 0: none */
		uint32_t said_at[8] = { 0 };
		uint32_t entry_of[8];
		uint32_t set_and_there = 0;
		memset(entry_of, 0xFF, sizeof(entry_of));
		index_init(&f.x);
		labels_init(&f.l);
		for (uint32_t k = test_random() % 40; k > 0; k--) {
			uint32_t which = test_random() % 8;
			char id[] = { (char)('a' + which), 0 };
			if (test_random() % 4 == 0) {
				if (entry_of[which] == INDEX_NONE)
					entry_of[which] = f.x.n;
				add_entry(&f, id);
				continue;
			}
			char text[] = { "\0xyz"[test_random() % 4], 0 };
			set(&f, id, text);
			text_of[which] = text[0];
			said_at[which] = f.line;
		}
		CHECK_INT(labels_link(&f.l, &f.x), 0);
		for (uint32_t i = 0; i < 8; i++) {
			if (!text_of[i] || entry_of[i] == INDEX_NONE)
				continue;
			set_and_there++;
			bool last = true;
			for (uint32_t k = 0; k < 8; k++) {
				if (text_of[k] == text_of[i] &&
				    entry_of[k] != INDEX_NONE)
					last = last && said_at[k] <= said_at[i];
			}
			uint32_t e = entry_of[i];
			CHECK_INT(labels_next(&f.l, e) == e, last);
			char name[] = { text_of[i], 0 };
			const struct label *l =
				labels_find_name(&f.l, span_of(name));
			CHECK(l && (l->entry == e) == last);
		}
		CHECK_INT(f.l.n_set, set_and_there);
		labels_free(&f.l);
		index_free(&f.x);
	}
}

/* Sizes at which anything quadratic would not end: one by one, in any order. */
static void check_many(void)
{
	enum { MANY = 200000 };
	struct fixture f = { .line = 0 };
	char id[16];
	char text[16];
	index_init(&f.x);
	labels_init(&f.l);
	set(&f, "none", "of no entry");
	for (int i = 0; i < MANY; i++) {
		snprintf(id, sizeof(id), "n%d", i);
		add_entry(&f, id);
	}
	for (int i = MANY; i-- > 0;) {
		snprintf(id, sizeof(id), "n%d", i);
		snprintf(text, sizeof(text), "t%d", i % 2 ? i : 0);
		set(&f, id, text);
	}
	CHECK_INT(f.l.n_set, MANY);
	CHECK_INT(labels_next(&f.l, 1), 1);
	CHECK_INT(labels_next(&f.l, 2), 3);
	const struct label *l = labels_find_name(&f.l, SPAN("t0"));
	CHECK(l && l->entry == 0 && span_eq(label_target(&f.l, l), SPAN("n0")));
	labels_free(&f.l);
	index_free(&f.x);
}

int main(void)
{
	check_random();
	check_many();

	struct fixture f = { .line = 0 };
	index_init(&f.x);
	labels_init(&f.l);
	CHECK_LIST(&f, "");
	add_entry(&f, "a");
	add_entry(&f, "b");
	add_entry(&f, "c");
	set(&f, "later", "early");
	check_text(&f, "later", "early");
	add_entry(&f, "later");
	set(&f, "a", "start");
	set(&f, "a", "");
	check_text(&f, "a", "");
	check_text(&f, "c", NULL);
	CHECK_LIST(&f, "early->later");

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
		CHECK_INT(l->at.number, f.line);
		CHECK_INT(l->at.time, f.line * 1000);
		set(&f, "later", "");
		set(&f, "later", "new");
		l = labels_of(&f.l, SPAN("later"));
		CHECK_INT(l->since, f.line);
	}

	/* Without memory a text is still found, and not added a second time. */
	no_memory = true;
	CHECK(labels_find_name(&f.l, SPAN("v1%2Fx")) != NULL);
	set(&f, "b", "v1/x");
	no_memory = false;
	CHECK_LIST(&f, "v1%2Fx->b %2Ex->c new->later");
	set(&f, "b", "content");

	labels_free(&f.l);
	index_free(&f.x);
	return test_done("labels");
}
