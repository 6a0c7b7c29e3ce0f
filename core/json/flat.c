#include "core/json/flat.h"

#include "core/base/text.h"
#include "core/json/js.h"
#include "core/json/writer.h"

/* An object or array that is being printed. */
struct level {
	struct js_walk walk;
	size_t path; /* the length of its path */
};

/*
 * The outermost level has an empty path, the next one at least one byte, and
 * each further level at least two bytes more.
 */
#define LEVELS_MAX (2 + FLAT_PATH_MAX / 2)

struct flat {
	struct buf *out;
	struct buf path;
	struct level *levels;
	size_t n;
};

static bool is_plain(struct span key)
{
	for (size_t i = 0; i < key.n; i++) {
		struct span rest = span_from(key, i);
		unsigned char c = (unsigned char)key.p[i];
		if (c <= ' ' || c == 0x7F || memchr(".[]\"\\", c, 5) ||
		    text_is_c1(rest) || text_is_surrogate(rest))
			return false;
	}
	return key.n > 0;
}

/* Set the path to that of the member that the level has reached. */
static void set_path(struct buf *path, const struct level *l, struct span key)
{
	path->len = l->path;
	if (!l->walk.object) {
		buf_addf(path, "[%zu]", l->walk.n - 1);
	} else if (is_plain(key)) {
		if (path->len > 0)
			buf_addc(path, '.');
		buf_add(path, key);
	} else {
		struct buf quoted BUF_SCOPED = BUF_INTO(path);
		/* Control characters from U+007F up are escaped, too. */
		json_quote(&quoted, key);
		buf_addc(path, '[');
		text_add_one_line(path, buf_span(&quoted));
		buf_addc(path, ']');
	}
}

static void add_string(struct buf *out, struct json v)
{
	struct buf text BUF_SCOPED = BUF_INTO(out);
	json_decode(&text, v);
	struct span s = buf_span(&text);
	bool indented = memchr(s.p, '\n', s.n);
	if (!indented) {
		buf_adds(out, s.n > 0 ? " " : "");
		buf_add(out, s);
	}
	buf_addc(out, '\n');
	while (indented && s.n > 0) {
		struct span line = span_next_line(&s);
		buf_adds(out, line.n > 0 ? "  " : "");
		buf_add(out, line);
		buf_addc(out, '\n');
	}
}

static void add_line(struct flat *f, struct json v)
{
	buf_add(f->out, buf_span(&f->path));
	buf_addc(f->out, ':');
	if (json_is_string(v)) {
		add_string(f->out, v);
		return;
	}
	buf_addc(f->out, ' ');
	js_stringify(f->out, v, 0);
	buf_addc(f->out, '\n');
}

static void enter(struct flat *f, struct json v)
{
	struct level *l = &f->levels[f->n];
	l->path = f->path.len;
	if (js_walk_begin(&l->walk, v) < 0)
		buf_fail(f->out);
	else
		f->n++;
}

void flat_add(struct buf *out, struct json v)
{
	struct level levels[LEVELS_MAX]; /* clearing them would take time */
	struct flat f = { .out = out, .levels = levels };
	struct scan_ends ends;
	if (!json_has_members(v))
		return;
	if (json_ends_load(&ends, v) < 0) {
		buf_fail(out);
		return;
	}
	v.ends = &ends;
	enter(&f, v);
	while (f.n > 0) {
		struct level *top = &f.levels[f.n - 1];
		struct js_member m;
		if (!js_walk_next(&top->walk, &m)) {
			js_walk_end(&top->walk);
			f.n--;
			continue;
		}
		set_path(&f.path, top, m.key);
		/* Without memory paths stop growing: levels count, too. */
		if (json_has_members(m.value) && f.path.len <= FLAT_PATH_MAX &&
		    f.n < LEVELS_MAX)
			enter(&f, m.value);
		else
			add_line(&f, m.value);
	}
	buf_free_into(&f.path, out);
	json_ends_free(&ends);
}
