#include "fs/edit/staged.h"

#include "tests/unit/fake_clock.h"
#include "tests/unit/test.h"

/* A place with the two numbers, and its root. */
struct fake {
	struct edit_place state;
	struct place at;
	struct node root;
};

static void make(struct fake *f, uint32_t home)
{
	*f = (struct fake){ 0 };
	f->at.home = home;
	f->at.epoch_number = home + 1;
	f->at.attached = &f->state;
	f->root = (struct node){ .kind = KIND_ROOT, .place = &f->at };
}

static void check_links(struct staged *s)
{
	struct fake a;
	struct fake b;
	struct node n;
	struct node found;
	struct buf text = { 0 };
	make(&a, 2);
	make(&b, 4);
	CHECK(!staged_find(s, &a.root, SPAN("x"), &n));
	CHECK(!staged_next(s, &a.root, 0, &n, &text));
	CHECK_INT(staged_add(s, &a.root, SPAN("x"), "by-id/1", &n), 0);
	CHECK(n.kind == KIND_STAGED && n.place == &a.at);
	CHECK(staged_find(s, &a.root, SPAN("x"), &found));
	CHECK_INT(found.nth, n.nth);
	CHECK(!staged_find(s, &b.root, SPAN("x"), &found));
	CHECK_INT(staged_target(s, &n, &text), 0);
	CHECK_BUF(&text, "by-id/1");
	/* A number of the same slot in another place. */
	found = n;
	found.place = &b.at;
	CHECK_INT(staged_target(s, &found, &text), -ENOENT);
	found.nth = STAGED_LINKS + 1;
	CHECK_INT(staged_target(s, &found, &text), -ESTALE);
	/* Listed in one folder only, one after another. */
	CHECK_INT(staged_add(s, &b.root, SPAN("y"), "t", &found), 0);
	CHECK_INT(staged_add(s, &a.root, SPAN("z"), "t", &found), 0);
	CHECK(staged_next(s, &a.root, 0, &n, &text));
	CHECK_BUF(&text, "x");
	CHECK(staged_next(s, &a.root, n.nth, &n, &text));
	CHECK_BUF(&text, "z");
	CHECK(!staged_next(s, &a.root, n.nth, &n, &text));
	/* A rename replaces. */
	CHECK_INT(staged_rename(s, &a.root, SPAN("x"), SPAN("z")), 0);
	CHECK(!staged_find(s, &a.root, SPAN("x"), &n));
	CHECK(staged_find(s, &a.root, SPAN("z"), &n));
	CHECK_INT(staged_target(s, &n, &text), 0);
	CHECK_BUF(&text, "by-id/1");
	CHECK_INT(staged_rename(s, &a.root, SPAN("x"), SPAN("z")), -ENOENT);
	staged_remove(s, &n);
	CHECK(!staged_find(s, &a.root, SPAN("z"), &n));
	buf_free(&text);
}

static void check_names(struct staged *s)
{
	struct fake a;
	struct node n;
	char name[256];
	make(&a, 2);
	memset(name, 'n', sizeof(name));
	CHECK_INT(staged_add(s, &a.root, (struct span){ name, 256 }, "t", &n),
		  -ENAMETOOLONG);
	CHECK_INT(staged_add(s, &a.root, (struct span){ name, 255 }, "t", &n),
		  0);
	CHECK(staged_find(s, &a.root, (struct span){ name, 255 }, &n));
	CHECK_INT(staged_rename(s, &a.root, (struct span){ name, 255 },
				(struct span){ name, 256 }),
		  -ENAMETOOLONG);
	CHECK(staged_find(s, &a.root, (struct span){ name, 255 }, &n));
	staged_remove(s, &n);
}

/* The oldest link makes room. */
static void check_oldest(struct staged *s)
{
	struct fake a;
	struct node n;
	char name[16];
	make(&a, 6);
	for (int i = 0; i < STAGED_LINKS + 1; i++) {
		snprintf(name, sizeof(name), "link-%d", i);
		CHECK_INT(staged_add(s, &a.root, span_of(name), "t", &n), 0);
	}
	CHECK(!staged_find(s, &a.root, SPAN("link-0"), &n));
	CHECK(staged_find(s, &a.root, SPAN("link-1"), &n));
	CHECK(staged_find(s, &a.root, span_of(name), &n));
}

static void check_hidden(struct staged *s)
{
	struct fake a;
	make(&a, 2);
	const struct node head = { .kind = KIND_HEAD, .place = &a.at };
	const struct node child = { .kind = KIND_CHILD_LINK,
				    .entry = 3,
				    .place = &a.at };
	const struct node other = { .kind = KIND_CHILD_LINK,
				    .entry = 4,
				    .place = &a.at };
	CHECK(!staged_can_hide(KIND_INFO));
	CHECK(!staged_is_hidden(s, &head));
	staged_hide(s, &head);
	staged_hide(s, &child);
	CHECK(staged_is_hidden(s, &head));
	CHECK(staged_is_hidden(s, &child));
	CHECK(!staged_is_hidden(s, &other));
	/* For a moment. */
	fake_now += STAGED_HIDDEN_MS - 1;
	CHECK(staged_is_hidden(s, &child));
	CHECK(staged_is_hidden(s, &head));
	fake_now++;
	CHECK(!staged_is_hidden(s, &child));
	CHECK(!staged_is_hidden(s, &head));
	staged_hide(s, &head);
	staged_hide(s, &child);
	CHECK(staged_unhide(s, &a.at));
	CHECK(!staged_is_hidden(s, &head));
	CHECK(!staged_is_hidden(s, &child));
	CHECK(!staged_unhide(s, &a.at));
}

int main(void)
{
	static struct staged s = { .lock = PTHREAD_MUTEX_INITIALIZER };
	check_links(&s);
	check_names(&s);
	check_oldest(&s);
	check_hidden(&s);
	staged_free(&s);
	return test_done("staged");
}
