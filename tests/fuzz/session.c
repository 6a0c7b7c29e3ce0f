/*
 * A session file of any bytes, as the dialect FUZZ_DIALECT ("any": it is found
 * out): all that is asked of it, its branches, its growth, and writing to it.
 *
 * The file is read twice, and so may be made of parts:
 *
 *     BEGINNING 1 REST        what is behind the byte 1 is appended
 *     BEGINNING 2 REST        the rest is there at first; then the whole is
 *                             put in its place
 *     FILE 0 SIDECAR          beside it, if the dialect has one
 *     FILE 0 SIDECAR 0 OTHER  which is replaced; an empty one is none
 *
 * Without a mark the file is cut anywhere, and appended to.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/as/form.h"
#include "core/base/columns.h"
#include "core/base/text.h"
#include "core/dialects/registry.h"
#include "core/session/dialect.h"
#include "core/session/file_name.h"
#include "core/session/writer.h"
#include "core/show/content.h"
#include "core/show/info.h"
#include "core/show/lines.h"
#include "core/show/meta.h"
#include "core/show/outline.h"
#include "core/show/page.h"
#include "core/catalogue/summary.h"
#include "core/files/files_at.h"
#include "core/show/touches.h"
#include "core/show/words.h"
#include "fs/tree/dir.h"
#include "fs/tree/views.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/no_wait.h"
#include "tests/unit/unlisted.h"

/* Of how many entries contexts and branches are made: each costs its path. */
#define SAMPLES 6

struct input {
	const struct dialect *forced;
	struct span bytes; /* all of it: what is left to chance depends on it */
	struct buf file;
	size_t cut;
	bool replaced;
	struct span sidecar[2]; /* at the first reading, and the second */
	char sidecar_name[32];
};

/* Take off the sidecars. */
static struct span load_sidecars(struct input *in)
{
	struct span rest = in->bytes;
	struct span file;
	if (!in->forced || !in->forced->reading->beside[BESIDE_OWN].path ||
	    !fuzz_split(&rest, '\0', &file))
		return in->bytes;
	struct buf name = { 0 };
	in->forced->reading->beside[BESIDE_OWN].path("s.jsonl", &name);
	snprintf(in->sidecar_name, sizeof(in->sidecar_name), "%s",
		 buf_cstr(&name));
	buf_free(&name);
	if (!fuzz_split(&rest, '\0', &in->sidecar[0]))
		in->sidecar[0] = rest;
	in->sidecar[1] = rest;
	return file;
}

static void input_load(struct input *in, struct span bytes)
{
	*in = (struct input){
		.forced = dialect_named(span_of(FUZZ_DIALECT)),
		.bytes = bytes,
	};
	struct span rest = load_sidecars(in);
	struct span beginning = { rest.p, 0 };
	if (fuzz_split(&rest, '\1', &beginning)) {
		in->cut = beginning.n;
	} else if (fuzz_split(&rest, '\2', &beginning)) {
		in->cut = beginning.n;
		in->replaced = true;
	} else {
		in->cut = fuzz_choose(bytes, 1, rest.n + 1);
	}
	buf_add(&in->file, beginning);
	buf_add(&in->file, rest);
}

static void put_sidecar(const struct input *in, int reading)
{
	bool stays = reading > 0 && in->sidecar[0].p == in->sidecar[1].p;
	if (stays)
		return;
	if (in->sidecar[reading].n > 0)
		fuzz_replace(in->sidecar_name, in->sidecar[reading]);
	else if (in->sidecar_name[0])
		fuzz_remove(in->sidecar_name);
}

/* The tree: each entry once, below its parent, in order, and no cycle. */
static void check_tree(const struct index *x)
{
	uint32_t reached = 0;
	for (uint32_t i = 0; i <= x->n; i++) {
		uint32_t parent = i < x->n ? i : INDEX_NONE;
		for (uint32_t c = index_child_from(x, parent, 0);
		     c != INDEX_NONE; c = index_child_from(x, parent, c + 1)) {
			FUZZ_CHECK(c < x->n && x->entries[c].parent == parent);
			reached++;
		}
	}
	FUZZ_CHECK(reached == x->n);
	for (uint32_t i = 0; i < x->n; i++) {
		uint32_t steps = 0;
		uint32_t shown = INDEX_NONE;
		for (uint32_t at = i; at != INDEX_NONE;
		     at = x->entries[at].parent) {
			FUZZ_CHECK(steps++ < x->n);
			if (shown == INDEX_NONE && !x->entries[at].bookkeeping)
				shown = at;
		}
		FUZZ_CHECK(x->entries[i].stands_for == shown);
	}
}

/* What may be a file's name. */
static void check_name(const struct buf *name)
{
	fuzz_check_text(name);
	FUZZ_CHECK(name->len > 0 && name->len <= FILE_NAME_LIMIT);
	FUZZ_CHECK(name->data[0] != '.' && !memchr(name->data, 0, name->len));
	FUZZ_CHECK(!memchr(name->data, '/', name->len));
}

/* Ids, labels, heads and their file names each lead to their entry alone. */
static void add_names(const struct session *s, struct buf *out)
{
	const struct index *x = &s->now.index;
	const struct labels *l = &s->now.labels;
	const struct heads *h = &s->now.heads;
	struct buf name = { 0 };
	for (uint32_t i = 0; i < x->n; i++) {
		buf_clear(&name);
		index_add_name(x, &name, i);
		check_name(&name);
		FUZZ_CHECK(index_find(x, index_id(x, i)) == i);
		FUZZ_CHECK(index_find_name(x, buf_span(&name)) == i);
	}
	for (uint32_t i = labels_next(l, 0); i != INDEX_NONE;
	     i = labels_next(l, i + 1)) {
		const struct label *label = labels_of(l, index_id(x, i));
		FUZZ_CHECK(label && label->entry == i);
		FUZZ_CHECK(session_label(s, i).n > 0);
		buf_clear(&name);
		label_add_name(l, &name, label);
		check_name(&name);
		FUZZ_CHECK(labels_find_name(l, buf_span(&name)) == label);
		buf_addf(out, "%s %u\n", buf_cstr(&name), i);
	}
	for (uint32_t i = 0; i < h->n; i++) {
		const struct named_head *head = &h->list[i];
		FUZZ_CHECK(head->entry < x->n);
		buf_clear(&name);
		heads_add_file_name(h, &name, head);
		check_name(&name);
		FUZZ_CHECK(heads_find(h, buf_span(&name)) == head);
		buf_addf(out, "%s %u\n", buf_cstr(&name), head->entry);
	}
	buf_free(&name);
}

/* The n-th of the entries that are asked more of. */
static uint32_t sample(const struct session *s, struct span bytes, unsigned n)
{
	if (n < 2)
		return n == 0 ? session_head(s) : s->now.leaf;
	return (uint32_t)fuzz_choose(bytes, n, s->now.index.n);
}

static void add_pictures(const struct session *s, uint32_t i, struct buf *out)
{
	unsigned n;
	uint64_t size;
	struct buf bytes = { 0 };
	FUZZ_CHECK(content_pictures(s, i, &n) == 0);
	for (unsigned k = 1; k <= n && k <= 4; k++) {
		buf_clear(&bytes);
		FUZZ_CHECK(content_picture_name(s, i, k, out) == 0);
		FUZZ_CHECK(content_picture_size(s, i, k, &size) == 0);
		FUZZ_CHECK(content_add_picture(s, i, k, &bytes) == 0);
		FUZZ_CHECK(buf_error(&bytes) == 0 && bytes.len == size);
		buf_addf(out, " %zu\n", bytes.len);
	}
	FUZZ_CHECK(content_picture_size(s, i, n + 1, &size) == -ENOENT);
	buf_free(&bytes);
}

/* A search for any word of a content looks at the entry's line. */
static void check_words(const struct session *s, uint32_t i,
			struct span content)
{
	struct buf line = { 0 };
	struct json json;
	FUZZ_CHECK(session_read(s, i, &line, &json) == 0);
	struct span run = unlisted_run(s->dialect, buf_span(&line), content);
	fuzz_check_same("what is added, and no list has", run, SPAN(""));
	buf_free(&line);
}

/* What an entry's folder says. */
static void add_entry(const struct session *s, uint32_t i, struct buf *out)
{
	uint64_t size;
	uint32_t lines;
	const struct entry *e = session_entry(s, i);
	size_t from = out->len;
	FUZZ_CHECK(content_add(s, i, out) == 0);
	FUZZ_CHECK(content_knows_size(s, i, &size, &lines));
	FUZZ_CHECK(out->len - from == size);
	out->len = from;
	FUZZ_CHECK(content_add(s, i, out) == 0);
	FUZZ_CHECK(out->len - from == size);
	FUZZ_CHECK(size == 0 || out->data[out->len - 1] == '\n');
	check_words(s, i, (struct span){ buf_span(out).p + from, size });
	FUZZ_CHECK(meta_add(s, i, out) == 0);
	add_pictures(s, i, out);
	buf_addf(out, "time %lld, parent %d, type %d, marks %d%d\n",
		 (long long)e->time, (int)e->parent, e->type, e->orphan,
		 e->cut);
}

static void add_context(const struct session *s, uint32_t i, struct buf *out)
{
	struct json v;
	struct buf json = { 0 };
	FUZZ_CHECK(context_add(s, i, MESSAGE_FORM_TEXT, out) == 0);
	FUZZ_CHECK(context_add(s, i, MESSAGE_FORM_JSON, &json) == 0);
	fuzz_check_text(&json);
	FUZZ_CHECK(json_check(buf_span(&json), &v) == 0);
	FUZZ_CHECK(json_type(v) == JSON_ARRAY);
	buf_add(out, buf_span(&json));
	buf_free(&json);
}

/* Is each line JSON? All forms are text. */
static void check_lines(struct span form)
{
	struct json v;
	while (form.n > 0)
		FUZZ_CHECK(json_check(span_next_line(&form), &v) == 0);
}

/* The context in all forms but the agent's own, which is a branch. */
static void add_forms(const struct session *s, uint32_t i, struct buf *out)
{
	struct buf form = { 0 };
	struct json v;
	for (unsigned n = 0; n < as_form_count(&dialect_registry); n++) {
		struct span own = span_of(s->dialect->name);
		buf_clear(&form);
		as_form_add_name(&dialect_registry, n, &form);
		bool api = span_ends(buf_span(&form), SPAN(".json"));
		bool branch = !api && form.len == own.n + 6 &&
			      span_starts(buf_span(&form), own);
		buf_clear(&form);
		if (branch)
			continue;
		FUZZ_CHECK(as_form_add(s, n, i, 1, &form) == 0);
		fuzz_check_text(&form);
		if (api)
			FUZZ_CHECK(json_check(buf_span(&form), &v) == 0);
		else
			check_lines(buf_span(&form));
		buf_add(out, buf_span(&form));
	}
	buf_free(&form);
}

/* A line that no byte of the entry can break, and not too wide. */
static void check_line(struct span line, unsigned most)
{
	for (size_t i = 0; i < line.n; i++)
		FUZZ_CHECK((unsigned char)line.p[i] >= 0x20 &&
			   line.p[i] != 0x7F);
	FUZZ_CHECK(columns_of(line) <= most);
}

static void check_lines_of(const struct buf *text, unsigned most)
{
	struct span rest = buf_span(text);
	struct span line;
	fuzz_check_text(text);
	while (fuzz_split(&rest, '\n', &line))
		check_line(line, most);
	FUZZ_CHECK(rest.n == 0);
}

static void add_outline(const struct session *s, struct buf *out)
{
	struct buf text = { 0 };
	FUZZ_CHECK(outline_add(s, false, 0, &text) == 0);
	check_lines_of(&text, 100);
	buf_add(out, buf_span(&text));
	buf_free(&text);
}

/* The file `words`: one line. */
static void add_words(const struct session *s, uint32_t entry, struct buf *out)
{
	struct buf line = { 0 };
	FUZZ_CHECK(words_add_line(s, entry, &line) == 0);
	check_lines_of(&line, 2 * WORDS_LINE_COLUMNS + 2);
	FUZZ_CHECK(memchr(line.data, '\n', line.len) ==
		   line.data + line.len - 1);
	FUZZ_CHECK(!memmem(line.data, line.len, "   ", 3));
	buf_add(out, buf_span(&line));
	buf_free(&line);
}

/* The links of path/: each name leads back to its number. */
static void add_path(const struct session *s, struct buf *out)
{
	struct buf name = { 0 };
	struct place at = { .session = (struct session *)s };
	const struct node dir = { .kind = KIND_PATH, .place = &at };
	struct node n;
	struct node found;
	for (uint32_t i = 0; i < 8;) {
		buf_clear(&name);
		int got = path_view.next(&dir, &i, &name, &n);
		FUZZ_CHECK(got >= 0);
		if (got == 0)
			break;
		check_name(&name);
		FUZZ_CHECK(path_view.find(&dir, buf_span(&name), &found) == 0);
		FUZZ_CHECK(found.entry == n.entry);
		buf_add(out, buf_span(&name));
	}
	buf_free(&name);
}

/*
 * by-file/: each touch is found by its entry, and by its name; its folder is
 * reached from the first one by names that no other folder beside it has.
 */
static void add_touch(const struct session *s, const struct touch *t,
		      struct buf *out)
{
	struct buf name = { 0 };
	struct touch same;
	uint32_t folder = t->folder;
	uint32_t found;
	uint32_t at = t->number - 1;
	FUZZ_CHECK(touches_of_entry(s, t->entry, t->nth, &same) == 0);
	FUZZ_CHECK(same.folder == t->folder && same.number == t->number);
	FUZZ_CHECK(touches_next(s, folder, &at, &name, &same) == 1);
	FUZZ_CHECK(same.entry == t->entry && same.nth == t->nth);
	FUZZ_CHECK(touches_find(s, folder, buf_span(&name), &same) == 0);
	FUZZ_CHECK(touches_find_folder(s, folder, buf_span(&name), &found) ==
		   -ENOENT);
	FUZZ_CHECK(touches_add_path(s, folder, &name) == 0);
	buf_add(&name, index_id(&s->now.index, t->entry));
	text_finish(&name, 0);
	buf_add(out, buf_span(&name));
	buf_free(&name);
}

static void add_touch_folder(const struct session *s, uint32_t folder,
			     struct buf *out)
{
	struct buf name = { 0 };
	uint32_t at = 0;
	uint32_t inside;
	uint32_t found;
	struct touch_folder f;
	struct touch t;
	while (touches_next_folder(s, folder, &at, &name, &inside) == 1) {
		check_name(&name);
		FUZZ_CHECK(touches_find(s, folder, buf_span(&name), &t) ==
			   -ENOENT);
		FUZZ_CHECK(touches_find_folder(s, folder, buf_span(&name),
					       &found) == 0);
		FUZZ_CHECK(found == inside);
		FUZZ_CHECK(touches_folder(s, inside, &f) == 0);
		FUZZ_CHECK(f.around == folder && f.depth > 0);
		buf_add(out, buf_span(&name));
		buf_clear(&name);
	}
	buf_free(&name);
}

static void add_touches(const struct session *s, struct buf *out)
{
	struct touch t;
	struct touch_folder f;
	for (uint32_t i = 0; touches_get(s, i, &t) == 1; i++)
		add_touch(s, &t, out);
	for (uint32_t i = 0; touches_folder(s, i, &f) == 0; i++)
		add_touch_folder(s, i, out);
}

/* files/ at an entry: what is known of each file, and texts of their sizes. */
static void add_files(const struct session *s, uint32_t entry, struct buf *out)
{
	struct file_at f;
	struct file_at same;
	uint32_t at = 0;
	FUZZ_CHECK(files_at_add_table(s, entry, out) == 0);
	while (files_at_next_touched(s, entry, &at, &f) == 1) {
		size_t from = out->len;
		FUZZ_CHECK(files_at_file(s, f.entry, f.nth, &same) == 0);
		FUZZ_CHECK(same.folder == f.folder && same.state == f.state);
		if (f.state != FILE_IS_KNOWN)
			continue;
		FUZZ_CHECK(files_at_add_text(s, &f, out) == 0);
		FUZZ_CHECK(out->len - from == f.size);
	}
}

/* lines.txt: each entry's lines have the size that was computed for them. */
static void add_lines(const struct session *s, struct buf *out)
{
	struct buf text = { 0 };
	uint64_t total;
	uint64_t start;
	uint32_t entry;
	FUZZ_CHECK(lines_find(s, UINT64_MAX, &entry, &total) == 0);
	for (uint32_t i = 0; i < s->now.index.n; i++) {
		size_t from = text.len;
		uint64_t size;
		FUZZ_CHECK(lines_add(s, i, &text) == 0);
		FUZZ_CHECK(lines_size(s, i, &size) == 0);
		FUZZ_CHECK(size == text.len - from);
		if (size == 0)
			continue;
		FUZZ_CHECK(lines_find(s, from, &entry, &start) == 0);
		FUZZ_CHECK(entry == i && start == from);
	}
	FUZZ_CHECK(total == text.len);
	fuzz_check_text(&text);
	buf_add(out, buf_span(&text));
	buf_free(&text);
}

/* The columns in sessions.txt, which are kept as bytes. */
static void add_summary(const struct session *s, struct buf *out)
{
	struct summary made = { 0 };
	struct summary again;
	FUZZ_CHECK(summary_make(s, &made) == 0);
	FUZZ_CHECK(summary_unpack(NULL, buf_span(&made.packed), &again));
	FUZZ_CHECK(made.time == again.time);
	fuzz_check_same("summary", made.row, again.row);
	FUZZ_CHECK(text_is_utf8(made.row));
	buf_add(out, made.row);
	summary_free(&made);
	summary_free(&again);
}

/* JSON in a page, which none of its bytes can end. */
static void add_page(const struct session *s, struct buf *out)
{
	static const struct span mark = SPAN("id=\"session\">");
	struct buf page = { 0 };
	struct json data;
	FUZZ_CHECK(page_add(s, &page) == 0);
	fuzz_check_text(&page);
	const char *from = memmem(page.data, page.len, mark.p, mark.n);
	FUZZ_CHECK(from);
	from += mark.n;
	size_t left = (size_t)(page.data + page.len - from);
	const char *to = memchr(from, '<', left);
	FUZZ_CHECK(to && span_starts((struct span){ to, left },
				     SPAN("</script>\n<script>")));
	struct span text = { from, (size_t)(to - from) };
	FUZZ_CHECK(json_check(text, &data) == 0);
	buf_add(out, text);
	buf_free(&page);
}

/* All that a session says, for comparing; what must hold is checked. */
static void describe(const struct session *s, struct span bytes,
		     struct buf *out)
{
	const struct index *x = &s->now.index;
	check_tree(x);
	add_names(s, out);
	FUZZ_CHECK(s->now.leaf == INDEX_NONE || s->now.leaf < x->n);
	FUZZ_CHECK(info_add(s, out) == 0);
	add_outline(s, out);
	add_page(s, out);
	add_path(s, out);
	add_touches(s, out);
	add_lines(s, out);
	add_summary(s, out);
	for (uint32_t i = 0; i < x->n; i++) {
		add_entry(s, i, out);
		add_words(s, i, out);
	}
	for (unsigned n = 0; x->n > 0 && n < SAMPLES; n++) {
		add_context(s, sample(s, bytes, n), out);
		add_forms(s, sample(s, bytes, n), out);
		add_files(s, sample(s, bytes, n), out);
	}
	fuzz_check_text(out);
}

/* A branch is a session whose context is that of the entry. */
static void check_branch(const struct session *s, uint32_t i)
{
	struct buf file = { 0 };
	struct buf old = { 0 };
	struct buf now = { 0 };
	FUZZ_CHECK(s->dialect->sending->branch(s, i, 1, &file) == 0);
	check_lines(buf_span(&file));
	fuzz_write("b.jsonl", buf_span(&file));
	struct session *b = fuzz_open("b.jsonl", s->dialect);
	uint32_t tip = b->now.index.n > 0 ? b->now.index.n - 1 : INDEX_NONE;
	add_context(s, i, &old);
	add_context(b, tip, &now);
	fuzz_check_same("the context, and the branch's", buf_span(&old),
			buf_span(&now));
	fuzz_close(b);
	buf_free(&file);
	buf_free(&old);
	buf_free(&now);
}

/* The session says what one says that reads the file anew. */
static void check_fresh(const struct session *s, const struct input *in,
			const char *what)
{
	struct buf grown = { 0 };
	struct buf fresh = { 0 };
	struct session *again = fuzz_open("s.jsonl", in->forced);
	/* Who has a file open goes on with one that nobody would open now. */
	if (!again)
		return;
	/* A file that says nothing of itself stays what it was. */
	if (!in->forced && again->reason_line == 0) {
		FUZZ_CHECK(s->reason_line == 0);
		fuzz_close(again);
		return;
	}
	describe(s, in->bytes, &grown);
	describe(again, in->bytes, &fresh);
	fuzz_check_same(what, buf_span(&grown), buf_span(&fresh));
	fuzz_close(again);
	buf_free(&grown);
	buf_free(&fresh);
}

/* The ids of the entries, in the order of their numbers. */
static void add_ids(const struct session *s, uint32_t n, struct buf *out)
{
	for (uint32_t i = 0; i < n; i++) {
		buf_add(out, index_id(&s->now.index, i));
		buf_addc(out, '\n');
	}
}

/* Free a session, and open it again when the file has become another. */
struct memory {
	struct session_memory m;
	struct buf ids;
};

static void close_for_now(struct session *s, struct memory *memory)
{
	add_ids(s, s->now.index.n, &memory->ids);
	session_remember(s, &memory->m);
	session_free(s);
}

static struct session *open_again(const struct input *in,
				  const struct memory *memory)
{
	struct session *s = NULL;
	const char *reason = NULL;
	struct buf ids = { 0 };
	const struct session_opening how = { .dialects = &dialect_registry,
					     .forced = in->forced,
					     .force = true,
					     .memory = &memory->m };
	int err = session_open(&s, fuzz_path("s.jsonl"), &how, &reason);
	FUZZ_CHECK(err == 0 || (err == -EPROTO && reason && !in->forced && !s));
	if (!s)
		return NULL;
	FUZZ_CHECK(session_enter(s) == 0);
	/* Numbers mean what they meant while the epoch stays. */
	if (s->epoch == memory->m.read.epoch) {
		FUZZ_CHECK(s->now.index.n >= memory->m.read.entries);
		add_ids(s, memory->m.read.entries, &ids);
		fuzz_check_same("ids before, and when opened again",
				buf_span(&memory->ids), buf_span(&ids));
	}
	buf_free(&ids);
	return s;
}

/* Read some of the file, then all of it. */
static struct session *open_in_steps(const struct input *in)
{
	struct span all = buf_span(&in->file);
	struct span beginning = { all.p, in->cut };
	struct span rest = { all.p + in->cut, all.n - in->cut };
	struct buf said = { 0 };
	struct memory memory = { 0 };
	put_sidecar(in, 0);
	fuzz_write("s.jsonl", in->replaced ? rest : beginning);
	struct session *s = fuzz_open("s.jsonl", in->forced);
	bool closed = s && fuzz_choose(in->bytes, 2, 2) == 1;
	if (s) {
		describe(s, in->bytes, &said);
		session_leave(s);
	}
	if (closed)
		close_for_now(s, &memory);
	buf_free(&said);
	if (in->replaced)
		fuzz_replace("s.jsonl", all);
	else
		fuzz_append("s.jsonl", rest);
	put_sidecar(in, 1);
	if (closed)
		s = open_again(in, &memory);
	else if (s)
		FUZZ_CHECK(session_enter(s) == 0);
	buf_free(&memory.ids);
	if (!s)
		return fuzz_open("s.jsonl", in->forced);
	check_fresh(s, in,
		    closed ? "opened again, and anew"
			   : "read in two steps, and in one");
	return s;
}

/* An entry before a change. */
struct old {
	struct buf id;
	bool orphan; /* what is written may be the parent it lacks */
};

/*
 * What a change must leave as it was. Entries are told by their ids: migration
 * makes one more of a second header.
 */
struct before {
	struct buf file;
	struct old *list;
	uint32_t n;
	uint32_t n_same; /* so many stay as they are */
	bool migrates;
	bool renames; /* the first line says the name */
	struct buf said;
};

static void add_id(const struct session *s, uint32_t i, struct buf *out)
{
	buf_clear(out);
	if (i != INDEX_NONE)
		buf_add(out, index_id(&s->now.index, i));
}

/* Of each entry that was there: its id, its parent's, and its line. */
static void add_lasting(const struct session *s, const struct before *b,
			struct buf *out)
{
	struct buf line = { 0 };
	struct json json;
	for (uint32_t k = 0; k < b->n_same; k++) {
		struct span id = buf_span(&b->list[k].id);
		uint32_t i = index_find(&s->now.index, id);
		FUZZ_CHECK(i != INDEX_NONE);
		add_id(s, session_entry(s, i)->parent, &line);
		buf_add(out, id);
		buf_adds(out, " < ");
		buf_add(out, b->list[k].orphan ? SPAN("?") : buf_span(&line));
		buf_addc(out, '\n');
		FUZZ_CHECK(session_read(s, i, &line, &json) == 0);
		/* Migration gives ids, and spells roles anew. */
		if (!b->migrates)
			buf_add(out, buf_span(&line));
	}
	buf_free(&line);
}

/* What a torn line begins with may be taken once it has an end. */
static bool counts_torn_lines(const struct session *s)
{
	struct span name = span_of(s->dialect->name);
	return span_eq(name, SPAN("omp")) || span_eq(name, SPAN("codex")) ||
	       span_eq(name, SPAN("draft-index"));
}

static void look(struct before *b, const struct session *s)
{
	const struct dialect *d = s->dialect;
	bool torn = s->now.indexed < (uint64_t)s->log.st.st_size;
	*b = (struct before){ .n = s->now.index.n };
	b->n_same = torn && counts_torn_lines(s) ? 0 : b->n;
	b->list = calloc(b->n + 1, sizeof(*b->list));
	FUZZ_CHECK(b->list);
	for (uint32_t i = 0; i < b->n; i++) {
		add_id(s, i, &b->list[i].id);
		b->list[i].orphan = session_entry(s, i)->orphan;
	}
	fuzz_read("s.jsonl", &b->file);
	const struct dialect_migration *m =
		d->writing ? d->writing->migration : NULL;
	b->migrates = m && m->is_needed(s);
	add_lasting(s, b, &b->said);
}

static void check_left(struct before *b, const struct session *s, int err)
{
	struct buf file = { 0 };
	struct buf said = { 0 };
	fuzz_read("s.jsonl", &file);
	struct span now = buf_span(&file);
	if (!err && now.n > b->file.len)
		now.n = b->file.len;
	if (err || !(b->migrates || b->renames))
		fuzz_check_same("the file, and its beginning after a change",
				buf_span(&b->file), now);
	add_lasting(s, b, &said);
	fuzz_check_same("entries, and they after a change", buf_span(&b->said),
			buf_span(&said));
	buf_free(&file);
	buf_free(&said);
	buf_free(&b->file);
	buf_free(&b->said);
	for (uint32_t i = 0; i < b->n; i++)
		buf_free(&b->list[i].id);
	free(b->list);
}

/* Changes: what is written is what the session then says. */
enum step { HEAD, LABEL, NO_LABEL, NAME, MESSAGE, COPY, STEPS };

static int make_change(struct writer *w, enum step step, uint32_t entry,
		       struct span text)
{
	switch (step) {
	case HEAD:
		return writer_set_head(w, entry);
	case LABEL:
	case NO_LABEL:
		return writer_set_label(w, entry, text);
	case NAME:
		return writer_set_name(w, text);
	default:
		return writer_add_entry(w, text);
	}
}

/* What HEAD is when this entry is the leaf. */
static uint32_t head_of(const struct session *s, uint32_t i)
{
	while (i != INDEX_NONE && session_entry(s, i)->bookkeeping)
		i = session_entry(s, i)->parent;
	return i;
}

/* What a change is to make: a label, the name, HEAD, or a message's parent. */
static void add_wanted(const struct session *s, enum step step, uint32_t entry,
		       struct span text, struct buf *out)
{
	if (step == HEAD)
		add_id(s, head_of(s, entry), out);
	else if (step == MESSAGE)
		add_id(s, s->now.leaf, out);
	else if (step != COPY)
		buf_add(out, text);
}

static void add_made(const struct session *s, enum step step, struct span id,
		     struct buf *out)
{
	uint32_t leaf = s->now.leaf;
	if (step == HEAD)
		add_id(s, session_at_leaf(s), out);
	else if (step == MESSAGE && leaf != INDEX_NONE)
		add_id(s, session_entry(s, leaf)->parent, out);
	else if (step == NAME)
		buf_add(out, buf_span(&s->now.name));
	else if (step == LABEL || step == NO_LABEL)
		buf_add(out, session_label(s, index_find(&s->now.index, id)));
}

/* Claude Code goes on a little further down or up, with the same context; and
 * before the first is at the header, where that is an entry. */
static bool moves_near(const struct session *s, uint32_t target)
{
	return target == INDEX_NONE ||
	       span_eq(span_of(s->dialect->name), SPAN("claude"));
}

static void check_change(struct writer *w, const struct input *in,
			 enum step step)
{
	struct session *s = w->session;
	uint32_t n = s->now.index.n;
	struct before b;
	struct buf line = { 0 };
	struct buf want = { 0 };
	struct buf made = { 0 };
	struct json json;
	if (n == 0 && step != HEAD && step != NAME && step != MESSAGE)
		return;
	/* The head may be before the first; the label goes that was set. */
	size_t choices = (size_t)n + (step == HEAD || n == 0);
	uint32_t entry = (uint32_t)fuzz_choose(
		in->bytes, step == NO_LABEL ? 3 + LABEL : 3 + step, choices);
	if (entry == n)
		entry = INDEX_NONE;
	struct span text =
		step == LABEL  ? SPAN("it's \"100%\" – grün")
		: step == NAME ? SPAN("a \"name\" – grün")
		: step == MESSAGE
			? SPAN("{\"role\":\"user\",\"content\":\"x\"}")
			: SPAN("");
	if (step == COPY) {
		FUZZ_CHECK(session_read(s, entry, &line, &json) == 0);
		text = buf_span(&line);
	}
	look(&b, s);
	b.renames = step == NAME && s->dialect == dialect_named(SPAN("omp"));
	add_wanted(s, step, entry, text, &want);
	int err = make_change(w, step, entry, text);
	/* Dialects that are not written have heads and labels beside them. */
	FUZZ_CHECK(err == 0 || err == -ELOOP || err == -EINVAL ||
		   err == -EOPNOTSUPP || err == -EIO ||
		   (err == -EROFS && step >= NAME));
	add_made(s, step, entry < n ? buf_span(&b.list[entry].id) : SPAN(""),
		 &made);
	if (!err && !(step == HEAD && moves_near(s, entry)))
		fuzz_check_same("what is to be written, and is",
				buf_span(&want), buf_span(&made));
	FUZZ_CHECK(err || step < MESSAGE || s->now.index.n > b.n);
	check_left(&b, s, err);
	buf_free(&line);
	buf_free(&want);
	buf_free(&made);
}

static void check_writing(struct session *s, const struct input *in)
{
	int err = 0;
	session_leave(s);
	for (enum step step = HEAD; step < STEPS && !err; step++) {
		struct writer w;
		err = writer_begin(&w, s);
		FUZZ_CHECK(err == 0 || err == -EROFS);
		if (err)
			continue;
		check_change(&w, in, step);
		writer_end(&w);
	}
	FUZZ_CHECK(session_enter(s) == 0);
	/* No file says that. */
	s->refused = (struct refusal){ 0 };
	if (!err)
		check_fresh(s, in, "written to, and read again");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in;
	input_load(&in, fuzz_input(data, size));
	struct session *s = open_in_steps(&in);
	if (s) {
		for (unsigned n = 0; s->now.index.n > 0 && n < SAMPLES; n++) {
			uint32_t i = sample(s, in.bytes, n);
			if (i != INDEX_NONE)
				check_branch(s, i);
		}
		check_writing(s, &in);
		fuzz_close(s);
	}
	buf_free(&in.file);
	fuzz_clean();
	return 0;
}
