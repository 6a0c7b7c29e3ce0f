/*
 * The corpus: small sessions, one rule of a format each, with what the agent
 * itself makes of them. They are in tests/corpus/DIALECT/NAME/:
 *
 *   in.jsonl   the session, and what stands beside it (in.*, in/, *.jsonl)
 *   sent.json  what the agent sends to a model when it goes on: the messages at
 *              the tip, or an object with those of "tip" and of entries by
 *              name, "leaf", the entry that it went on from ("sent": the
 *              last from there up that it sent), and "error" for a session
 *              that it does not go on from. `make golden` has the agents
 *              write it.
 *   in.md      optional: what the case is for, if its name does not say it;
 *              "Rules: X1" are those of the man pages
 *   differs    optional: why sessfs shows another context than is sent
 *   forced     optional: sessfs is told the format: the lines don't say it
 *   written    optional: changes of the session, and what is written
 * (written.h) refused    in the place of all others: why sessfs does not open
 * it
 *
 * All other files are called as those of the mount, and are what sessfs shows
 * there: HEAD and other links have their target, folders the names that are
 * listed. Of info and meta they have the lines that the rule is about, at first
 * as "KEY:", with "KEY: (none)" for one that is not there; of tree.html the
 * data; sessions.txt is that of a folder with the session. "." stands for the
 * case's folder. check.txt is what `sessfs check` says of it.
 *
 * Whatever a case is for, it reads the same when its lines come one by one, and
 * all that can be asked of its entries is answered.
 *
 * CASES=REGEX runs only those whose name matches. GOLDEN=1 writes what
 * sessfs shows into the files of the mount that are there.
 */
#include <regex.h>

#include "core/as/form.h"
#include "core/base/text.h"
#include "core/catalogue/summary.h"
#include "core/files/files_at.h"
#include "core/json/js.h"
#include "core/show/touching.h"
#include "tests/requests/sent_form.h"
#include "tests/unit/dialect_test.h"
#include "tests/unit/tree_test.h"
#include "tests/unit/written.h"

struct corpus_case {
	const char *name;   /* DIALECT/NAME */
	const char *folder; /* where it is */
	struct tree_test tree;
};

/* The path of a file of the case; good until the next call but one. */
static const char *path_in(const struct corpus_case *c, const char *name)
{
	static char paths[2][PATH_MAX];
	static unsigned next;
	char *path = paths[next++ % 2];
	snprintf(path, PATH_MAX, "%s/%s", c->folder, name);
	return path;
}

static bool has_file(const struct corpus_case *c, const char *name)
{
	return access(path_in(c, name), F_OK) == 0;
}

/* What sessfs shows is what the corpus has. */
static void check_same(const char *what, struct span shown, struct span want)
{
	test_check_span(shown, want, __FILE__, __LINE__, what);
}

/* A file of the case can't be compared. */
static void fail(const char *path, const char *why)
{
	test_check(false, __FILE__, __LINE__, path);
	fprintf(stderr, "    %s\n", why);
}

/* The names that a folder lists, a line each. 0 or -errno. */
static int list(struct tree_test *t, uint64_t ino, struct buf *out)
{
	struct node dir;
	struct node n;
	struct buf name = { 0 };
	uint64_t position = DIR_AFTER_DOTS;
	int err = edit_enter(&t->edit, ino, &dir);
	if (err)
		return err;
	err = dir_scan(&t->tree, &dir);
	while (!err && dir_next(&t->tree, &dir, &position, &name, &n) > 0) {
		buf_add(out, buf_span(&name));
		buf_addc(out, '\n');
		buf_clear(&name);
		dir_put(&dir, &n);
	}
	tree_leave(&dir);
	buf_free(&name);
	return err;
}

/* Of a page its data: no byte of them can end the element. */
static void keep_data(struct buf *page)
{
	static const char before[] =
		"<script type=\"application/json\" id=\"session\">";
	struct buf data = { 0 };
	struct json json = { 0 };
	struct span rest = buf_span(page);
	CHECK(text_is_utf8(rest));
	const char *at = memmem(rest.p, rest.n, before, strlen(before));
	test_need(at != NULL, before);
	at += strlen(before);
	rest = (struct span){ at, rest.n - (size_t)(at - rest.p) };
	buf_add(&data, span_next(&rest, '<'));
	CHECK_INT(json_check(buf_span(&data), &json), 0);
	CHECK(span_starts(rest, SPAN("/script>")));
	buf_addc(&data, '\n');
	buf_free(page);
	*page = data;
}

/* What a folder with the session would have. */
static int add_row(const struct corpus_case *c, struct buf *out)
{
	const struct session_opening how = { .dialects = &dialect_registry,
					     .read_only = true };
	struct session *s = NULL;
	struct summary made = { 0 };
	struct summary kept;
	const char *why = NULL;
	struct buf same = { 0 };
	test_need(session_open(&s, path_in(c, "in.jsonl"), &how, &why) == 0,
		  c->name);
	int err = summary_make(s, &made);
	summary_add_line(&made, SPAN("in"), out);
	CHECK(summary_unpack(NULL, buf_span(&made.packed), &kept));
	summary_add_line(&kept, SPAN("in"), &same);
	CHECK_SPAN(buf_span(&same), buf_span(out));
	summary_free(&made);
	summary_free(&kept);
	session_free(s);
	buf_free(&same);
	return err;
}

static int add_check(struct corpus_case *c, struct buf *out)
{
	struct place *at = places_get(&c->tree.places, 0);
	int err = place_enter(at);
	if (!err) {
		check_add_lines(at->session, SPAN("in"), out);
		place_leave(at);
	}
	place_put(at);
	return err;
}

/* What the mount has at a path. */
static int shown_at(struct corpus_case *c, const char *path, struct buf *out)
{
	struct node n;
	uint64_t ino = tree_test_find(&c->tree, path);
	if (strcmp(path, "sessions.txt") == 0)
		return add_row(c, out);
	if (strcmp(path, "check.txt") == 0)
		return add_check(c, out);
	if (ino == 0)
		return -ENOENT;
	int err = edit_enter(&c->tree.edit, ino, &n);
	if (err)
		return err;
	mode_t type = node_kinds[n.kind].type;
	tree_leave(&n);
	if (type == S_IFDIR)
		return list(&c->tree, ino, out);
	err = tree_test_read(&c->tree, path, out);
	if (!err && type == S_IFLNK)
		buf_addc(out, '\n');
	if (!err && strcmp(path, "tree.html") == 0)
		keep_data(out);
	return err;
}

/* Only the lines with keys that `wanted` has lines of, in its order. */
static void keep_keys(struct buf *shown, struct span wanted)
{
	struct buf kept = { 0 };
	struct span last = { 0 };
	while (wanted.n > 0) {
		struct span want = span_next_line(&wanted);
		struct span key = span_next(&want, ':');
		/* There may be several with a key. */
		if (span_eq(key, last))
			continue;
		last = key;
		struct span rest = buf_span(shown);
		size_t before = kept.len;
		while (rest.n > 0) {
			struct span line = span_next_line(&rest);
			struct span value = line;
			if (!span_eq(span_next(&value, ':'), key))
				continue;
			buf_add(&kept, line);
			buf_addc(&kept, '\n');
		}
		if (kept.len == before) {
			buf_add(&kept, key);
			buf_adds(&kept, ": (none)\n");
		}
	}
	buf_free(shown);
	*shown = kept;
}

/* The folder of the case is where the repository is: "." stands for it. */
static void hide_folder(const struct corpus_case *c, struct buf *shown)
{
	struct buf hidden = { 0 };
	struct span rest = buf_span(shown);
	size_t n = strlen(c->folder);
	const char *at;
	while ((at = memmem(rest.p, rest.n, c->folder, n))) {
		size_t before = (size_t)(at - rest.p);
		buf_add(&hidden, (struct span){ rest.p, before });
		buf_addc(&hidden, '.');
		rest = (struct span){ at + n, rest.n - before - n };
	}
	buf_add(&hidden, rest);
	buf_free(shown);
	*shown = hidden;
}

/* A file that is called as one of the mount. */
static void check_shown(struct corpus_case *c, const char *path)
{
	struct buf want = { 0 };
	struct buf shown = { 0 };
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	bool by_key = strcmp(name, "info") == 0 || strcmp(name, "meta") == 0;
	test_read(path_in(c, path), &want);
	int err = shown_at(c, path, &shown);
	if (err) {
		fail(path, err == -ENOENT ? "the mount has no such file"
					  : strerror(-err));
	} else if (by_key && want.len == 0) {
		fail(path, "it is to have a line \"KEY:\" for each key that "
			   "the rule is about");
	} else {
		hide_folder(c, &shown);
		if (by_key)
			keep_keys(&shown, buf_span(&want));
		if (getenv("GOLDEN"))
			test_put(path_in(c, path), O_TRUNC, buf_span(&shown));
		else
			check_same(path, buf_span(&shown), buf_span(&want));
	}
	buf_free(&want);
	buf_free(&shown);
}

/*
 * Messages, a line each, in a form in which both sides can be compared. Claude
 * Code's are blocks and notes (tests/requests/requests.h).
 */
static void add_comparable(const struct corpus_case *c, struct json messages,
			   struct buf *out)
{
	struct sent_form form = { 0 };
	bool by_blocks = span_starts(span_of(c->name), SPAN("claude/"));
	JSON_EACH(m, messages) {
		if (by_blocks) {
			sent_form_add(&form, m);
		} else {
			sent_form_add_sorted(out, m);
			buf_addc(out, '\n');
		}
	}
	buf_add(out, buf_span(&form.blocks));
	buf_add(out, buf_span(&form.notes));
	sent_form_free(&form);
}

/* The context of an entry, or of the tip, is what the agent sends there. */
static void check_context(struct corpus_case *c, struct span at,
			  struct json sent)
{
	struct buf path = { 0 };
	struct buf shown = { 0 };
	struct buf ours = { 0 };
	struct buf theirs = { 0 };
	struct json context = { 0 };
	if (!span_eq(at, SPAN("tip"))) {
		buf_adds(&path, "by-id/");
		buf_add(&path, at);
		buf_addc(&path, '/');
	}
	buf_adds(&path, "context.json");
	if (tree_test_read(&c->tree, buf_cstr(&path), &shown) < 0)
		fail("sent.json", "it names what is no entry");
	buf_adds(&path, ", by sent.json");
	CHECK_INT(json_check(text_trim(buf_span(&shown)), &context), 0);
	add_comparable(c, context, &ours);
	add_comparable(c, sent, &theirs);
	if (has_file(c, "differs"))
		CHECK(!span_eq(buf_span(&ours), buf_span(&theirs)));
	else
		check_same(buf_cstr(&path), buf_span(&ours), buf_span(&theirs));
	buf_free(&path);
	buf_free(&shown);
	buf_free(&ours);
	buf_free(&theirs);
}

/* "KEY: ID" as a line of info has it; "none" for none. */
static bool info_has(struct span info, const char *key, struct json id)
{
	struct buf line = { 0 };
	buf_adds(&line, key);
	if (json_type(id) == JSON_STRING)
		json_decode(&line, id);
	else
		buf_adds(&line, "none");
	buf_addc(&line, '\n');
	bool has = memmem(info.p, info.n, line.data, line.len) != NULL;
	buf_free(&line);
	return has;
}

/*
 * The agent goes on from the leaf. HEAD may look through it, also to what was
 * sent last.
 */
static void check_leaf(struct corpus_case *c, struct json leaf,
		       struct json sent)
{
	struct buf info = { 0 };
	CHECK_INT(tree_test_read(&c->tree, "info", &info), 0);
	struct span all = buf_span(&info);
	if (!CHECK(info_has(all, "\nleaf: ", leaf) ||
		   info_has(all, "\nhead: ", leaf) ||
		   info_has(all, "\nhead: ", sent)))
		test_print("want", leaf.raw);
	buf_free(&info);
}

/* Does info say that the agent will not open the session? */
static bool is_not_opened(struct corpus_case *c)
{
	struct buf info = { 0 };
	CHECK_INT(tree_test_read(&c->tree, "info", &info), 0);
	bool says = memmem(info.data, info.len, SPAN("\nnot-opened: ").p,
			   SPAN("\nnot-opened: ").n) != NULL;
	buf_free(&info);
	return says;
}

static void check_sent(struct corpus_case *c)
{
	struct buf text = { 0 };
	struct json sent = { 0 };
	test_read(path_in(c, "sent.json"), &text);
	if (json_check(text_trim(buf_span(&text)), &sent) < 0)
		fail("sent.json",
		     "it is to be a list of messages, or an object of such");
	bool not_opened = is_not_opened(c);
	/* Then it sends nothing. */
	CHECK(!not_opened ||
	      memmem(sent.raw.p, sent.raw.n, "\"role\"", 6) == NULL);
	if (json_type(sent) == JSON_ARRAY)
		check_context(c, SPAN("tip"), sent);
	JSON_EACH_MEMBER_WHILE(json_type(sent) == JSON_OBJECT, key, at, sent) {
		struct buf name = { 0 };
		json_decode(&name, key);
		/* Of a session without a conversation nothing is sent. */
		if (span_eq(buf_span(&name), SPAN("error"))) {
			if (!not_opened)
				check_context(c, SPAN("tip"),
					      (struct json){ 0 });
		} else if (span_eq(buf_span(&name), SPAN("leaf")))
			check_leaf(c, at, json_get(sent, "sent"));
		else if (!span_eq(buf_span(&name), SPAN("sent")))
			check_context(c, buf_span(&name), at);
		buf_free(&name);
	}
	buf_free(&text);
}

static void check_refused(struct corpus_case *c)
{
	struct session *s = NULL;
	const char *reason = NULL;
	struct buf want = { 0 };
	test_read(path_in(c, "refused"), &want);
	CHECK(session_open(&s, path_in(c, "in.jsonl"),
			   &(struct session_opening){
				   .dialects = &dialect_registry },
			   &reason) < 0);
	CHECK_SPAN(span_of(reason ? reason : ""), text_trim(buf_span(&want)));
	session_free(s);
	buf_free(&want);
}

/* Is it a session, or something that its agent keeps beside it? */
static bool is_input(const char *name)
{
	struct span s = span_of(name);
	return span_eq(s, SPAN("in")) || span_starts(s, SPAN("in.")) ||
	       span_ends(s, SPAN(".jsonl"));
}

/* What is written, as the file `written` says. */
static void check_written(const struct corpus_case *c,
			  const struct session_opening *opening)
{
	struct session_opening how = *opening;
	struct buf want = { 0 };
	struct buf got = { 0 };
	how.read_only = false;
	test_read(path_in(c, "written"), &want);
	written_add(c->folder, &how, buf_span(&want), &got);
	if (getenv("GOLDEN"))
		test_put(path_in(c, "written"), O_TRUNC, buf_span(&got));
	else
		check_same("written", buf_span(&got), buf_span(&want));
	buf_free(&want);
	buf_free(&got);
}

/* Every file of the case below a folder of it, "" for its own. */
static void check_folder(struct corpus_case *c, const char *folder)
{
	char path[PATH_MAX];
	const struct dirent *d;
	DIR *dir = opendir(path_in(c, folder));
	test_need(dir != NULL, path_in(c, folder));
	while ((d = readdir(dir))) {
		snprintf(path, sizeof(path), "%s%s", folder, d->d_name);
		bool on_top = *folder == '\0';
		if (*d->d_name == '.' || (on_top && is_input(d->d_name)) ||
		    strcmp(path, "differs") == 0 ||
		    strcmp(path, "written") == 0 || strcmp(path, "forced") == 0)
			continue;
		if (strcmp(path, "sent.json") == 0) {
			check_sent(c);
		} else if (d->d_type == DT_DIR) {
			snprintf(path, sizeof(path), "%s%s/", folder,
				 d->d_name);
			check_folder(c, path);
		} else {
			check_shown(c, path);
		}
	}
	closedir(dir);
}

/* What a session comes to: entries, faults, files at each, what is sent. */
static void add_all(const struct session *s, struct buf *out)
{
	struct touch t;
	dialect_add_tree(s, out);
	buf_addf(out, "\nleaf %u head %u\n", s->now.leaf, session_head(s));
	check_add_info(s, out);
	for (uint32_t i = 0; touches_get(s, i, &t) == 1; i++) {
		buf_addf(out, "entry %u file %u act %d failed %d ", t.entry,
			 t.number, (int)t.act, t.failed);
		touches_add_path(s, t.folder, out);
		buf_addc(out, '\n');
	}
	for (uint32_t i = 0; i < s->now.index.n; i++)
		CHECK_INT(files_at_add_table(s, i, out), 0);
	CHECK_INT(context_add(s, s->now.leaf, MESSAGE_FORM_TEXT, out), 0);
}

/* The size of an entry's content is known before it is read. */
static void check_contents(const struct session *s)
{
	for (uint32_t i = 0; i < s->now.index.n; i++) {
		struct buf text = { 0 };
		uint64_t size = 0;
		CHECK_INT(test_content_size(s, i, &size), 0);
		CHECK_INT(content_add(s, i, &text), 0);
		CHECK_INT(text.len, size);
		dialect_check_listed(s, i, buf_span(&text));
		buf_free(&text);
	}
}

/* A form of the context at the leaf. */
static void add_form(const struct session *s, unsigned form, struct buf *out)
{
	buf_clear(out);
	CHECK_INT(as_form_add(s, form, session_at_leaf(s), 1, out), 0);
}

/*
 * The letters and digits of all strings but types, ids and arguments: those
 * that are no object become one.
 */
static void add_words(struct json v, struct buf *words)
{
	struct buf text = { 0 };
	if (json_type(v) == JSON_STRING)
		json_decode(&text, v);
	for (size_t i = 0; i < text.len; i++) {
		if (isalnum((unsigned char)text.data[i]))
			buf_addc(words, text.data[i]);
	}
	buf_free(&text);
	JSON_EACH(element, v)
		add_words(element, words);
	JSON_EACH_MEMBER(key, value, v) {
		if (!JSON_IS(key, "type", "role", "call_id", "name", "input",
			     "arguments"))
			add_words(value, words);
	}
}

/*
 * What is said in a context. Some agents join messages. False if pictures are
 * in it, which not all take.
 */
static bool add_said(const struct session *s, struct buf *said)
{
	unsigned responses = 0;
	struct buf list = { 0 };
	struct json all = { 0 };
	CHECK_INT(as_form_find(&dialect_registry, SPAN("responses.json"),
			       &responses),
		  0);
	add_form(s, responses, &list);
	CHECK_INT(json_check(text_trim(buf_span(&list)), &all), 0);
	add_words(all, said);
	bool pictures = strstr(buf_cstr(&list), "\"input_image\"") != NULL;
	buf_free(&list);
	return !pictures;
}

/*
 * What other agents get is a session of theirs that says the same, and is made
 * so again.
 */
static void check_form(const struct session *s, unsigned form, const char *name)
{
	static const char file[] = "form.jsonl";
	/* For agents whose conversations begin with the user. */
	static const struct span added = SPAN("continued");
	struct buf made = { 0 };
	struct buf want = { 0 };
	struct buf got = { 0 };
	add_form(s, form, &made);
	add_form(s, form, &got);
	CHECK_SPAN(buf_span(&got), buf_span(&made));
	test_put(test_path(file), O_TRUNC, buf_span(&made));
	struct session *theirs = dialect_open(file, NULL);
	buf_clear(&got);
	bool comparable = add_said(s, &want);
	add_said(theirs, &got);
	CHECK_SPAN(span_of(theirs->dialect->name), span_of(name));
	struct span said = buf_span(&got);
	if (said.n == want.len + added.n && span_starts(said, added))
		said = (struct span){ said.p + added.n, want.len };
	if (comparable)
		CHECK_SPAN(said, buf_span(&want));
	if (want.len > 0)
		dialect_check_problems(theirs, "");
	test_close(theirs);
	buf_free(&made);
	buf_free(&want);
	buf_free(&got);
}

static void check_forms(const struct session *s)
{
	unsigned form = 0;
	for (size_t i = 0; i < dialect_registry.n; i++) {
		const struct dialect *d = dialect_registry.rows[i];
		if (d != s->dialect &&
		    as_form_of(&dialect_registry, d, &form) == 0)
			check_form(s, form, d->name);
	}
}

/*
 * A branch is a session whose context is that of its entry, unless a later
 * compaction has dropped that.
 */
static void check_branch(const struct session *s, uint32_t entry)
{
	static const char file[] = "branch.jsonl";
	struct buf made = { 0 };
	struct buf want = { 0 };
	struct buf got = { 0 };
	CHECK_INT(s->dialect->sending->branch(s, entry, 1, &made), 0);
	test_put(test_path(file), O_TRUNC, buf_span(&made));
	struct session *b = dialect_open(file, s->dialect->name);
	uint32_t leaf = session_at_leaf(b);
	/* The head of a Go tree is beside its file. */
	if (leaf == INDEX_NONE)
		leaf = index_find(&b->now.index, test_id(s, entry));
	CHECK_INT(context_add(s, entry, MESSAGE_FORM_JSON, &want), 0);
	CHECK_INT(context_add(b, leaf, MESSAGE_FORM_JSON, &got), 0);
	if (!span_eq(buf_span(&want), SPAN("[]\n")))
		CHECK_SPAN(buf_span(&got), buf_span(&want));
	test_close(b);
	buf_free(&made);
	buf_free(&want);
	buf_free(&got);
}

static void check_growing(const struct corpus_case *c,
			  const struct session_opening *how)
{
	struct buf lines = { 0 };
	struct buf grown = { 0 };
	struct buf fresh = { 0 };
	struct session *s = NULL;
	struct session *again = NULL;
	const char *why = NULL;
	const char *path = test_file("s.jsonl", "");
	test_read(path_in(c, "in.jsonl"), &lines);
	test_need(session_open(&s, path, how, &why) == 0, c->name);
	for (struct span rest = buf_span(&lines); rest.n > 0;) {
		const char *lf = memchr(rest.p, '\n', rest.n);
		size_t n = lf ? (size_t)(lf + 1 - rest.p) : rest.n;
		test_put(path, O_APPEND, (struct span){ rest.p, n });
		CHECK_INT(session_enter(s), 0);
		buf_clear(&grown);
		CHECK_INT(files_at_add_table(s, s->now.leaf, &grown), 0);
		session_leave(s);
		rest = (struct span){ rest.p + n, rest.n - n };
	}
	test_need(session_open(&again, path, how, &why) == 0, c->name);
	CHECK_INT(session_enter(s), 0);
	CHECK_INT(session_enter(again), 0);
	buf_clear(&grown);
	add_all(s, &grown);
	add_all(again, &fresh);
	check_same("line by line", buf_span(&grown), buf_span(&fresh));
	check_contents(again);
	dialect_ask_all(again);
	check_forms(again);
	for (uint32_t i = 0; i < again->now.index.n && i < 50; i++)
		check_branch(again, i);
	test_close(s);
	test_close(again);
	buf_free(&lines);
	buf_free(&grown);
	buf_free(&fresh);
}

static void check_case(const char *dialect, struct corpus_case *c)
{
	test_row = c->name;
	if (has_file(c, "refused")) {
		check_refused(c);
		return;
	}
	struct span wanted = span_of(dialect);
	struct session_opening how = {
		.dialects = &dialect_registry,
		.forced = has_file(c, "forced") ? dialect_named(wanted) : NULL,
		.read_only = true,
	};
	tree_test_open_by(&c->tree, path_in(c, "in.jsonl"), &how);
	struct buf info = { 0 };
	struct buf line = { 0 };
	buf_adds(&line, "dialect: ");
	buf_add(&line, wanted);
	buf_addc(&line, '\n');
	CHECK_INT(tree_test_read(&c->tree, "info", &info), 0);
	CHECK(strstr(buf_cstr(&info), buf_cstr(&line)) != NULL);
	check_folder(c, "");
	tree_test_close(&c->tree);
	check_growing(c, &how);
	if (has_file(c, "written"))
		check_written(c, &how);
	buf_free(&info);
	buf_free(&line);
}

/* The cases of a dialect; gives how many were run. */
static size_t check_dialect(const char *corpus, const char *dialect,
			    const regex_t *chosen)
{
	char name[NAME_MAX * 2 + 2];
	char folder[PATH_MAX];
	const struct dirent *d;
	size_t n = 0;
	snprintf(folder, sizeof(folder), "%s/%s", corpus, dialect);
	DIR *dir = opendir(folder);
	test_need(dir != NULL, folder);
	while ((d = readdir(dir))) {
		snprintf(name, sizeof(name), "%s/%s", dialect, d->d_name);
		if (*d->d_name == '.' || regexec(chosen, name, 0, NULL, 0) != 0)
			continue;
		test_need(snprintf(folder, sizeof(folder), "%s/%s", corpus,
				   name) < PATH_MAX,
			  name);
		struct corpus_case c = { .name = name, .folder = folder };
		check_case(dialect, &c);
		n++;
	}
	closedir(dir);
	test_row = NULL;
	return n;
}

int main(void)
{
	char *corpus;
	const char *root = getenv("ROOT");
	const char *chosen = getenv("CASES");
	regex_t regex;
	const struct dirent *d;
	size_t n = 0;
	test_need(chdir(root ? root : ".") == 0, root);
	corpus = realpath("tests/corpus", NULL);
	test_need(corpus != NULL, "tests/corpus");
	test_need(regcomp(&regex, chosen ? chosen : "",
			  REG_EXTENDED | REG_NOSUB) == 0,
		  "CASES");
	DIR *dir = opendir(corpus);
	test_need(dir != NULL, corpus);
	while ((d = readdir(dir)))
		if (*d->d_name != '.')
			n += check_dialect(corpus, d->d_name, &regex);
	closedir(dir);
	free(corpus);
	regfree(&regex);
	test_need(n > 0, "no case is called so");
	return test_done("corpus");
}
