#include "core/files/file_text.h"

const char *file_state_name(enum file_state state)
{
	static const char *const names[FILE_STATES] = {
		[FILE_IS_UNTOUCHED] = "untouched",
		[FILE_IS_KNOWN] = "known",
		[FILE_IS_NAMED] = "only named",
		[FILE_IS_PENDING] = "no result",
		[FILE_IS_FAILED] = "failed",
		[FILE_IS_PART] = "read in part",
		[FILE_IS_UNSEEN] = "edited unseen",
		[FILE_IS_NO_TEXT] = "no text",
		[FILE_IS_DELETED] = "deleted",
		[FILE_IS_MOVED] = "moved",
		[FILE_IS_FOLDER] = "a folder",
		[FILE_IS_UNFIT] = "changed outside",
		[FILE_IS_UNKNOWN] = "tool not followed",
	};
	return names[state];
}

static bool is_known(const struct file_text *t)
{
	return t->state == FILE_IS_KNOWN;
}

void file_text_begin(struct file_text *t)
{
	t->told = false;
	t->start = is_known(t) ? t->text.len : 0;
	t->end = t->start;
}

void file_text_free(struct file_text *t)
{
	buf_free(&t->text);
	buf_free(&t->before);
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

void file_text_splice(struct file_text *t, size_t at, size_t n,
		      struct span with)
{
	size_t after = t->text.len - at - n;
	t->told = true;
	if (t->seen) {
		buf_add(&t->before, buf_span(&t->text));
		t->seen = false;
	}
	if (with.n > n && !buf_reserve(&t->text, with.n - n))
		return;
	char *p = t->text.data;
	if (!p)
		return;
	memmove(p + at + with.n, p + at + n, after);
	if (with.n > 0)
		memcpy(p + at, with.p, with.n);
	t->text.len = at + with.n + after;
	t->start = least(t->start, at);
	t->end = least(t->end, after);
}

static size_t same_start(struct span a, struct span b)
{
	size_t most = least(a.n, b.n);
	size_t n = 0;
	while (most - n >= 256 && memcmp(a.p + n, b.p + n, 256) == 0)
		n += 256;
	while (n < most && a.p[n] == b.p[n])
		n++;
	return n;
}

static size_t same_end(struct span a, struct span b)
{
	size_t most = least(a.n, b.n);
	size_t n = 0;
	while (most - n >= 256 &&
	       memcmp(a.p + a.n - n - 256, b.p + b.n - n - 256, 256) == 0)
		n += 256;
	while (n < most && a.p[a.n - n - 1] == b.p[b.n - n - 1])
		n++;
	return n;
}

void file_text_write(struct file_text *t, struct span text)
{
	bool was_there =
		t->state == FILE_IS_NAMED || t->state == FILE_IS_PART ||
		t->state == FILE_IS_UNSEEN || t->state == FILE_IS_NO_TEXT ||
		t->state == FILE_IS_UNFIT || t->state == FILE_IS_UNKNOWN;
	t->told = true;
	if (!is_known(t)) {
		file_text_lose(t, FILE_IS_KNOWN);
		t->created = !was_there;
	}
	t->outside = false;
	struct span old = buf_span(&t->text);
	size_t start = same_start(old, text);
	struct span rest = span_from(text, start);
	old = span_from(old, start);
	size_t end = same_end(old, rest);
	rest.n -= end;
	if (old.n > end || rest.n > 0)
		file_text_splice(t, start, old.n - end, rest);
}

void file_text_see(struct file_text *t, struct span text)
{
	bool outside =
		is_known(t) ? t->outside || !span_eq(buf_span(&t->text), text)
			    : t->state == FILE_IS_UNFIT ||
				      t->state == FILE_IS_DELETED ||
				      t->state == FILE_IS_MOVED;
	bool new = !is_known(t);
	file_text_write(t, text);
	t->outside = outside;
	t->seen = t->seen || new;
	t->created = t->created && !new;
}

void file_text_lose(struct file_text *t, enum file_state state)
{
	t->told = true;
	t->state = state;
	t->outside = false;
	t->created = false;
	t->seen = false;
	buf_clear(&t->text);
	t->start = 0;
	t->end = 0;
}
