#include "core/file/gate.h"
#include "core/places/private.h"
#include "tests/unit/no_memory.h"
#include "tests/unit/test.h"

static const char *folder;

static void start(struct places *p, unsigned keep,
		  const struct places_attachment *attachment)
{
	const struct session_opening how = { .dialects = &dialect_registry };
	const char *reason;
	CHECK_INT(places_init(p, folder, &how, keep, attachment, &reason), 0);
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
	CHECK_INT(place_assign_number(at), 0);
	place_leave(at);
	place_put(at);
}

static bool is_loaded(struct places *p, const char *name)
{
	struct place *at = find(p->source, name);
	bool loaded = place_is_loaded(at);
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

static unsigned unloaded;

static void count_unloaded(void *data, struct place *at)
{
	CHECK(data == &unloaded);
	CHECK(!place_is_loaded(at));
	unloaded++;
}

/* A session that is read again keeps its number, as its epoch goes on. */
static void check_evicted(void)
{
	struct places p;
	start(&p, 1, NULL);
	p.unloaded = count_unloaded;
	p.unloaded_data = &unloaded;
	use(&p, "a");
	struct place *a = find(p.source, "a");
	uint32_t number = a->epoch_number;
	uint32_t epoch = a->session->epoch;
	CHECK(number != 0 && number != a->home);
	use(&p, "b");
	CHECK(place_is_loaded(a)); /* it is pinned */
	CHECK_INT(unloaded, 0);
	place_put(a);
	use(&p, "b");
	use(&p, "c");
	CHECK(!is_loaded(&p, "a"));
	CHECK_INT(unloaded, 2);
	use(&p, "a");
	a = find(p.source, "a");
	CHECK_INT(a->epoch_number, number);
	CHECK_INT(a->session->epoch, epoch);
	place_put(a);
	places_free(&p);
}

static bool is_open(const struct place *at)
{
	return at->session->log.file->held.fd >= 0;
}

/* Close all files that can be. */
static void close_files(struct gate *g)
{
	while (open_files_make_room(gate_files(g), -EMFILE))
		;
}

/* A session whose file is closed stays. */
static void check_descriptors(void)
{
	struct places p;
	char c;
	start(&p, 3, NULL);
	struct gate *g = p.opening.gate;
	use(&p, "a");
	use(&p, "b");
	struct place *a = find(p.source, "a");
	struct place *b = find(p.source, "b");
	CHECK(place_is_loaded(a) && is_open(a));
	CHECK(place_is_loaded(b) && is_open(b));
	CHECK(!open_files_make_room(gate_files(g), -ENOENT));
	CHECK(open_files_make_room(gate_files(g), -EMFILE));
	CHECK(!is_open(a) && is_open(b));
	/* It is being read. */
	CHECK(open_files_use(gate_files(g), &b->session->log.file->held, -1) >=
	      0);
	CHECK(!open_files_make_room(gate_files(g), -EMFILE));
	open_files_done(gate_files(g), &b->session->log.file->held);
	CHECK_INT(log_read(&a->session->log, 0, &c, 1), 0);
	CHECK(open_files_make_room(gate_files(g), -ENFILE));
	CHECK(is_open(a) && !is_open(b));
	close_files(g);
	CHECK(place_is_loaded(a) && !is_open(a));
	place_put(a);
	place_put(b);
	use(&p, "b");
	places_free(&p);
}

/* Only so many files are open. */
static void check_most_descriptors(void)
{
	struct places p;
	test_limit_files(16);
	start(&p, 3, NULL);
	test_limit_files(-1);
	const char *names[] = { "a", "b", "c" };
	for (size_t i = 0; i < COUNT(names); i++)
		use(&p, names[i]);
	unsigned open = 0;
	for (size_t i = 0; i < COUNT(names); i++) {
		struct place *at = find(p.source, names[i]);
		CHECK(place_is_loaded(at));
		open += is_open(at);
		place_put(at);
	}
	CHECK_INT(open, 2);
	places_free(&p);
}

/* The names that a folder lists, in order; each place has a number. */
static void list_names(struct place *in, struct buf *names)
{
	struct place *at;
	uint64_t from = 0;
	CHECK_INT(place_scan(in), 0);
	while ((at = place_next_child(in, from))) {
		from = at->serial + 1;
		buf_addf(names, "%s%s ", at->name, at->is_folder ? "/" : "");
		struct place *same = places_get(in->places, at->home);
		CHECK(at->home != 0 && same == at);
		place_put(same);
		place_put(at);
	}
}

/* Entries are listed in the order in which they were found. */
static void check_listing(void)
{
	struct places p;
	struct buf names = { 0 };
	start(&p, 1, NULL);
	CHECK_INT(p.source->home, 0);
	list_names(p.source, &names);
	CHECK_BUF(&names, "a b c ");
	test_file("folder/0.jsonl", "");
	test_file("folder/d.jsonl", "no session\n");
	test_file("folder/e.txt", "");
	test_need(mkdir(test_path("folder/f"), 0700) == 0, "f");
	list_names(p.source, &names);
	CHECK_BUF(&names, "a b c 0 f/ ");
	struct place *d = NULL;
	CHECK_INT(place_find(p.source, SPAN("d"), &d), -ENOENT);
	CHECK_INT(place_find(p.source, SPAN("e"), &d), -ENOENT);
	test_file("folder/d.jsonl", HEADER);
	unlink(test_path("folder/b.jsonl"));
	list_names(p.source, &names);
	CHECK_BUF(&names, "a c 0 d f/ ");
	unlink(test_path("folder/d.jsonl"));
	unlink(test_path("folder/0.jsonl"));
	CHECK_INT(place_find(p.source, SPAN("0"), &d), -ENOENT);
	list_names(p.source, &names);
	CHECK_BUF(&names, "a c f/ ");
	test_file("folder/b.jsonl", HEADER USER("b1", "null", "hi"));
	buf_free(&names);
	places_free(&p);
}

/* However little memory there is: a folder that could be listed is whole. */
static void check_no_memory(void)
{
	int err = -ENOMEM;
	unsigned n;
	for (n = 0; err == -ENOMEM; n++) {
		struct places p;
		struct place *at;
		uint64_t from = 0;
		unsigned found = 0;
		start(&p, 1, NULL);
		memory_left = n;
		no_memory = true;
		err = place_scan(p.source);
		no_memory = false;
		while (!err && (at = place_next_child(p.source, from))) {
			from = at->serial + 1;
			place_put(at);
			found++;
		}
		CHECK_INT(found, err ? 0 : 3);
		places_free(&p);
	}
	CHECK_INT(err, 0);
	CHECK(n > 2);
}

/* A place whose file is removed stays while it is pinned, and has no number. */
static void check_removed(void)
{
	struct places p;
	struct stat st;
	start(&p, 1, NULL);
	test_file("folder/f/g.jsonl", HEADER);
	struct place *f = find(p.source, "f");
	struct place *g = find(f, "g");
	uint32_t home = g->home;
	CHECK_SPAN(span_of(g->mount_path), SPAN("f/g"));
	struct place *above = place_parent(g);
	CHECK(above == f);
	place_put(above);
	CHECK_INT(place_stat(g, &st), 0);
	CHECK_INT(place_enter(g), 0);
	place_leave(g);
	unlink(test_path("folder/f/g.jsonl"));
	rmdir(test_path("folder/f"));
	CHECK_INT(place_enter(g), -ESTALE);
	CHECK_INT(place_stat(g, &st), -ESTALE);
	CHECK_INT(place_scan(f), -ESTALE);
	CHECK_INT(place_scan(p.source), 0);
	CHECK(!places_get(&p, home));
	CHECK(!place_parent(g));
	CHECK_INT(place_enter(g), -ESTALE);
	place_put(g);
	place_put(f);
	places_free(&p);
}

/* SOURCE that has gone keeps its attributes. */
static void check_source_stat(void)
{
	struct places p;
	struct stat before;
	struct stat after;
	start(&p, 1, NULL);
	CHECK_INT(place_stat(p.source, &before), 0);
	test_need(rename(folder, test_path("away")) == 0, folder);
	CHECK_INT(place_stat(p.source, &after), 0);
	CHECK_INT(after.st_ino, before.st_ino);
	CHECK(S_ISDIR(after.st_mode));
	CHECK_INT(place_scan(p.source), -ESTALE);
	test_need(rename(test_path("away"), folder) == 0, folder);
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
	check_evicted();
	check_descriptors();
	check_most_descriptors();
	check_listing();
	check_removed();
	check_no_memory();
	check_source_stat();
	free((char *)folder);
	return test_done("places");
}
