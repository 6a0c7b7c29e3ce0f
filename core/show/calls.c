#include "core/show/calls.h"

#include <strings.h>

#include "core/base/pathname.h"
#include "core/base/text.h"
#include "core/json/js.h"
#include "core/session/dialect.h"
#include "core/show/call_files.h"
#include "core/show/rows.h"
#include "core/show/words.h"

/* The most bytes of an argument: more than anybody shows. */
#define ARGUMENT_BYTES 4096

/* In front of a call's texts. */
struct head {
	size_t id;
	size_t name;
	size_t argument;
	bool failed;
};

void calls_put(struct call_list *l, const struct call *c)
{
	struct head h = { c->id.n, c->name.n, c->argument.n, c->failed };
	/* All of it or nothing: calls_next() relies on the head. */
	if (!buf_reserve(&l->bytes, sizeof(h) + h.id + h.name + h.argument))
		return;
	buf_add(&l->bytes, (struct span){ (char *)&h, sizeof(h) });
	buf_add(&l->bytes, c->id);
	buf_add(&l->bytes, c->name);
	buf_add(&l->bytes, c->argument);
	l->n++;
}

bool calls_next(struct span *rest, struct call *c)
{
	struct head h;
	if (rest->n < sizeof(h))
		return false;
	memcpy(&h, span_take(rest, sizeof(h)).p, sizeof(h));
	c->id = span_take(rest, h.id);
	c->name = span_take(rest, h.name);
	c->argument = span_take(rest, h.argument);
	c->failed = h.failed;
	return true;
}

void calls_begin(struct calls *c, const struct session *s)
{
	*c = (struct calls){ .s = s };
}

void calls_end(struct calls *c)
{
	for (size_t i = 0; i < CALLS_KEPT; i++)
		buf_free(&c->kept[i].list.bytes);
	buf_free(&c->cwd);
	buf_free(&c->line);
}

/* Longer strings of unknown names are texts, such as a file to write. */
#define SHORT_JSON 202

enum meaning {
	PLAIN,
	COMMAND,
	FILE_PATH,
	PATCH,
};

/* The names of telling arguments, the most telling first. */
static const struct {
	const char *name;
	enum meaning meaning;
} telling[] = {
	{ "command", COMMAND },	    { "cmd", COMMAND },
	{ "pattern", PLAIN },	    { "pat", PLAIN },
	{ "file_path", FILE_PATH }, { "notebook_path", FILE_PATH },
	{ "path", FILE_PATH },	    { "filePath", FILE_PATH },
	{ "file", FILE_PATH },	    { "url", PLAIN },
	{ "query", PLAIN },	    { "skill", PLAIN },
	{ "subject", PLAIN },	    { "description", PLAIN },
	{ "title", PLAIN },	    { "question", PLAIN },
	{ "task", PLAIN },	    { "code", PLAIN },
	{ "input", PATCH },	    { "patch", PATCH },
	{ "prompt", PLAIN },
};
#define N_TELLING (sizeof(telling) / sizeof(telling[0]))

/* The words of a command at most. */
#define WORDS_LIMIT 100

/* Codex's shell gets the words of a command. */
static bool is_words(struct json v)
{
	struct json_walk w = json_walk_of(JSON_ARRAY, v);
	struct json word;
	return json_next_element(&w, &word) && json_has_text(word);
}

static bool is_count(double d)
{
	return d >= 0 && d < 1e15;
}

/*
 * The tools that read files have these two, but so do those that list them.
 * Without memory `out` fails.
 */
static bool reads(struct buf *out, struct json name)
{
	struct buf b BUF_SCOPED = BUF_INTO(out);
	json_decode(&b, name);
	const char *s = buf_cstr(&b);
	return s && (strncasecmp(s, "read", 4) == 0 ||
		     strcasestr(s, "_read") != NULL);
}

static void add_lines(struct buf *out, struct json offset, struct json limit)
{
	double from = json_number(offset);
	double n = json_number(limit);
	if (!is_count(from) && !is_count(n))
		return;
	from = is_count(from) ? from : 1;
	buf_addf(out, ":%.0f-", from);
	if (is_count(n) && n > 0)
		buf_addf(out, "%.0f", from + n - 1);
}

/*
 * Append the files of a patch that begins in the first lines of a text. False
 * if none does.
 */
static bool add_patched(struct buf *out, struct span text, struct span cwd)
{
	struct span rest = text;
	struct patch_file file;
	for (int lines = 0; lines < 3 && rest.n > 0;)
		lines += span_next_line(&rest).n > 0;
	struct span start = { text.p, text.n - rest.n };
	if (!patch_next(&start, &file))
		return false;
	size_t from = out->len;
	while (out->len - from < ARGUMENT_BYTES && patch_next(&text, &file)) {
		buf_adds(out, out->len > from ? ", " : "");
		buf_add(out, pathname_from(file.path, cwd));
		if (span_starts(text, SPAN("*** End Patch")))
			break;
	}
	return true;
}

/* A command; of one that gives Codex a patch its files. */
static void add_command(struct buf *out, struct span text, struct span cwd)
{
	static const struct span tool = SPAN("apply_patch");
	size_t from = out->len;
	struct span rest = text;
	struct span line = span_next_line(&rest);
	const char *at = memmem(line.p, line.n, tool.p, tool.n);
	if (at) {
		line.n = (size_t)(at - line.p) + tool.n;
		buf_add(out, line);
		buf_addc(out, ' ');
		if (add_patched(out, text, cwd))
			return;
	}
	out->len = from;
	buf_add(out, text);
}

/* Append the words; of a shell with -c or -lc what it is to run. */
static void add_words(struct buf *out, struct json words)
{
	struct json_walk w = json_walk(words);
	struct json word;
	size_t from = out->len;
	for (int i = 0; i < WORDS_LIMIT && json_next_element(&w, &word); i++) {
		bool runs = i == 1 && JSON_IS(word, "-c", "-lc");
		if (runs && json_next_element(&w, &word)) {
			out->len = from;
			json_decode(out, word);
			return;
		}
		if (i > 0)
			buf_addc(out, ' ');
		json_decode(out, word);
	}
}

static void add_value(struct buf *out, enum meaning meaning, struct json value,
		      struct span cwd)
{
	struct buf text BUF_SCOPED = BUF_INTO(out);
	if (is_words(value))
		add_words(&text, value);
	else
		json_decode(&text, value);
	struct span s = buf_span(&text);
	if (meaning == COMMAND) {
		add_command(out, s, cwd);
	} else if (meaning == FILE_PATH) {
		buf_add(out, pathname_from(s, cwd));
	} else if (meaning == PLAIN) {
		buf_add(out, s);
	} else if (!add_patched(out, s, cwd)) {
		struct span rest = text_trim(s);
		buf_add(out, span_next_line(&rest));
	}
}

/*
 * The first short string. Members that an agent adds to the tool's own are left
 * out: oh-my-pi asks for the intent of each call, as "i".
 */
static void add_first_short(struct buf *out, struct json arguments)
{
	JSON_EACH_MEMBER(key, value, arguments) {
		bool own = !json_is(key, SPAN("i")) && key.raw.p[1] != '_';
		if (own && json_has_text(value) && value.raw.n <= SHORT_JSON) {
			json_decode(out, value);
			return;
		}
	}
}

/*
 * Append the argument as WTF-8; nothing if none tells anything. A file is
 * relative to `cwd` if it is below that folder, and a file that is read has its
 * lines: wc.c:1-40.
 */
static void add_argument(struct buf *out, struct json name,
			 struct json arguments, struct span cwd)
{
	const char *names[N_TELLING + 2] = { "offset", "limit" };
	struct json f[N_TELLING + 2];
	for (size_t i = 0; i < N_TELLING; i++)
		names[i + 2] = telling[i].name;
	json_get_all(arguments, N_TELLING + 2, names, f);
	size_t i = 0;
	while (i < N_TELLING && !json_has_text(f[i + 2]) && !is_words(f[i + 2]))
		i++;
	if (json_has_text(arguments)) {
		add_value(out, PATCH, arguments, cwd);
	} else if (i == N_TELLING) {
		add_first_short(out, arguments);
	} else {
		add_value(out, telling[i].meaning, f[i + 2], cwd);
		if (telling[i].meaning == FILE_PATH && reads(out, name))
			add_lines(out, f[0], f[1]);
	}
}

void calls_add_block(struct calls *c, struct call_list *l,
		     const struct block *b)
{
	struct buf id BUF_SCOPED = BUF_INTO(&l->bytes);
	struct buf name BUF_SCOPED = BUF_INTO(&l->bytes);
	struct buf argument BUF_SCOPED = BUF_INTO(&l->bytes);
	if (l->n >= CALLS_OF_ENTRY)
		return;
	if (b->id.raw.n <= CALL_ID_BYTES)
		json_decode(&id, b->id);
	js_to_string(&name, b->name);
	words_make_plain(&name, ARGUMENT_BYTES);
	struct buf scratch BUF_SCOPED = BUF_INTO(&l->bytes);
	if (!c->has_cwd)
		json_decode(&c->cwd, session_header(c->s, "cwd"));
	c->has_cwd = true;
	add_argument(&argument, b->name, block_arguments(b, &scratch),
		     buf_span(&c->cwd));
	words_make_plain(&argument, ARGUMENT_BYTES);
	calls_put(l, &(struct call){ .id = buf_span(&id),
				     .name = buf_span(&name),
				     .argument = buf_span(&argument) });
	buf_inherit(&l->bytes, &c->cwd);
}

void calls_keep(struct calls *c, uint32_t entry, struct call_list *l)
{
	struct calls_kept *k = &c->kept[entry % CALLS_KEPT];
	struct call_list old = k->list;
	buf_clear(&old.bytes);
	old.n = 0;
	*k = (struct calls_kept){ true, entry, *l };
	*l = old;
}

/* The calls of an entry, which are read if they are not remembered. */
static int load(struct calls *c, uint32_t entry, struct span *calls)
{
	const struct dialect_showing *d = c->s->dialect->showing;
	const struct calls_kept *k = &c->kept[entry % CALLS_KEPT];
	int err = 0;
	if (!k->is_used || k->entry != entry) {
		struct call_list l = { 0 };
		struct json json = { 0 };
		err = session_read(c->s, entry, &c->line, &json);
		BLOCK_EACH_WHILE(!err, b, d->read_block,
				 rows_content(d, json)) {
			if (b.type == BLOCK_CALL)
				calls_add_block(c, &l, &b);
			err = buf_error(&l.bytes);
		}
		if (!err)
			calls_keep(c, entry, &l);
		buf_free(&l.bytes);
	}
	*calls = buf_span(&k->list.bytes);
	return err;
}

int calls_find(struct calls *c, uint32_t entry, struct span id,
	       struct call *found)
{
	uint64_t bytes = 0;
	uint32_t at = session_entry(c->s, entry)->parent;
	*found = (struct call){ 0 };
	for (int i = 0; i < CALLS_ABOVE && at != INDEX_NONE; i++) {
		const struct entry *e = session_entry(c->s, at);
		struct span rest;
		bytes += e->length;
		if (bytes > CALLS_BYTES)
			break;
		int err = load(c, at, &rest);
		if (err)
			return err;
		while (calls_next(&rest, found)) {
			if (span_eq(found->id, id))
				return 0;
		}
		at = e->parent;
	}
	*found = (struct call){ 0 };
	return 0;
}
