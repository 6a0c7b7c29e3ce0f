#define PCRE2_CODE_UNIT_WIDTH 8

#include "mount/commands/grep/pattern.h"

#include <errno.h>
#include <fcntl.h>
#include <pcre2.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/text.h"
#include "core/file/whole.h"
#include "mount/cli/status.h"

/* Steps of a match, how deep they go, and its memory in KiB. */
#define MATCH_LIMIT 10000000
#define DEPTH_LIMIT 10000000
#define HEAP_LIMIT (64 << 10)

/* Of machine code; what needs more is interpreted. */
#define STACK_FIRST ((size_t)32 << 10)
#define STACK_MOST ((size_t)32 << 20)

#define OPTIONS                                            \
	(PCRE2_UTF | PCRE2_UCP | PCRE2_MATCH_INVALID_UTF | \
	 PCRE2_NEVER_BACKSLASH_C)

/* What is around a pattern that matches words, and ends a quote in it. */
#define WORD_BEGIN "(?<!\\w)(?:"
#define WORD_END ")(?!\\w)"
#define QUOTE_END "\\E"

/* Texts that are branches of one pattern have so many bytes together. */
#define JOINED_MOST ((size_t)8 << 10)

/* So many are tried faster by another pattern first (add_branches()). */
#define BRANCHES_LEAST 16

struct pattern {
	pcre2_code *code;
	pcre2_code *any; /* matches where it does; or NULL */
	size_t text;	 /* the first one */
};

struct patterns {
	struct pattern *list;
	size_t n;
	const struct pattern_texts *texts;
	pcre2_compile_context *how;
	bool refused; /* and reported */
};

struct matcher {
	const struct patterns *of;
	pcre2_match_data *data;
	pcre2_match_context *limits;
	pcre2_jit_stack *stack;
	size_t failed; /* the pattern that has, and why */
	int reason;
};

/* -- texts */

int pattern_texts_add(struct pattern_texts *t, struct span text)
{
	bool more = true;
	int err = 0;
	while (more && !err) {
		more = memchr(text.p, '\n', text.n) != NULL;
		err = array_add(&t->list, &t->cap, &t->n,
				span_next_line(&text));
	}
	return err;
}

int pattern_texts_add_file(struct pattern_texts *t, const char *name,
			   struct buf *kept)
{
	bool is_standard = strcmp(name, "-") == 0;
	int fd = is_standard ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
	int err = fd < 0 ? -errno : whole_read_all(fd, kept);
	if (fd >= 0 && !is_standard)
		close(fd);
	if (err || kept->len == 0)
		return err;
	struct span text = buf_span(kept);
	text.n -= text.p[text.n - 1] == '\n';
	return pattern_texts_add(t, text);
}

void pattern_texts_free(struct pattern_texts *t)
{
	free(t->list);
	*t = (struct pattern_texts){ 0 };
}

/* -- fixed strings, and many as one pattern */

/* Does the byte stand for itself in a pattern? */
static bool is_plain(char c)
{
	return (c & 0x80) || c == '_' || c == ' ' || (c >= '0' && c <= '9') ||
	       (span_lower(c) >= 'a' && span_lower(c) <= 'z');
}

/* Append a fixed string. */
static void add_text(struct buf *out, struct span text)
{
	for (size_t i = 0; i < text.n; i++) {
		if (!is_plain(text.p[i]))
			buf_addc(out, '\\');
		buf_addc(out, text.p[i]);
	}
}

/* Texts from..to, which share `depth` bytes, and are added from `next` on. */
struct range {
	size_t from;
	size_t to;
	size_t next;
	size_t depth;
};

struct ranges {
	struct range *list;
	size_t n;
	size_t cap;
};

/* The bytes that two texts share, in whole characters. */
static size_t shared(struct span a, struct span b)
{
	size_t n = 0;
	while (n < a.n && n < b.n && a.p[n] == b.p[n])
		n++;
	while (n > 0 && ((n < a.n && (a.p[n] & 0xC0) == 0x80) ||
			 (n < b.n && (b.p[n] & 0xC0) == 0x80)))
		n--;
	return n;
}

/* Add what the texts of a new range share. Of several, a group is begun. */
static int push(struct ranges *open, struct buf *out, const struct span *texts,
		struct range r, size_t known)
{
	struct span first = texts[r.from];
	/* They are sorted: what the first and the last one share, all do. */
	r.depth = shared(first, texts[r.to - 1]);
	add_text(out, (struct span){ first.p + known, r.depth - known });
	if (r.to - r.from == 1)
		return 0;
	buf_adds(out, "(?:");
	r.next = r.from;
	return array_add(&open->list, &open->cap, &open->n, r);
}

/* The end of the texts that go on as the one at `at` does. */
static size_t end_of(const struct span *texts, const struct range *r, size_t at)
{
	size_t end = at + 1;
	while (end < r->to && shared(texts[at], texts[end]) > r->depth)
		end++;
	return end;
}

/*
 * Append one pattern of n texts, which are sorted here: those that begin alike
 * share their beginning. Of "one", "only" and "two" it is on(?:e|ly)|two. It
 * matches where any of them does, but perhaps another one first, so it only
 * tells whether there is a match. A list of branches would be tried from its
 * start at each character.
 */
static int add_branches(struct buf *out, struct span *texts, size_t n)
{
	struct ranges open = { 0 };
	size_t kept = 0;
	qsort(texts, n, sizeof(*texts), span_order);
	for (size_t i = 0; i < n; i++) {
		if (kept == 0 || !span_eq(texts[kept - 1], texts[i]))
			texts[kept++] = texts[i];
	}
	const struct range all = { .to = kept };
	int err = push(&open, out, texts, all, 0);
	while (open.n > 0 && !err) {
		struct range *r = &open.list[open.n - 1];
		if (r->next == r->to) {
			buf_addc(out, ')');
			open.n--;
			continue;
		}
		const struct range part = { .from = r->next,
					    .to = end_of(texts, r, r->next) };
		buf_adds(out, r->next > r->from ? "|" : "");
		r->next = part.to;
		err = push(&open, out, texts, part, r->depth);
	}
	free(open.list);
	return err;
}

/* -- compiling */

static void add_reason(struct buf *out, struct span text, int reason)
{
	PCRE2_UCHAR message[256];
	pcre2_get_error_message(reason, message, sizeof(message));
	text_add_one_line(out, text);
	buf_addf(out, ": %s", (const char *)message);
}

/* Do the bytes stand for themselves, so that texts can be branches of one? */
static bool can_join(const struct pattern_texts *t, struct span text)
{
	size_t i = 0;
	while (i < text.n && is_plain(text.p[i]))
		i++;
	return t->fixed || i == text.n;
}

static void add_source(const struct pattern_texts *t, struct span text,
		       struct buf *out)
{
	buf_adds(out, t->word ? WORD_BEGIN : "");
	if (t->fixed)
		add_text(out, text);
	else
		buf_add(out, text);
	/* After a lone backslash it would be text. */
	if (t->word && memmem(text.p, text.n, "\\Q", 2))
		buf_adds(out, QUOTE_END);
	buf_adds(out, t->word ? WORD_END : "");
}

static pcre2_code *compile_source(const struct patterns *p, struct span source,
				  int *reason, size_t *at)
{
	uint32_t options = OPTIONS | (p->texts->any_case ? PCRE2_CASELESS : 0);
	pcre2_code *code = pcre2_compile((PCRE2_SPTR)source.p, source.n,
					 options, reason, at, p->how);
	/* Without machine code it is interpreted. */
	if (code)
		(void)pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
	return code;
}

/* The same branches in another way; without it there is only the slow one. */
static int compile_any(const struct patterns *p, struct pattern *to, size_t n)
{
	const struct pattern_texts *t = p->texts;
	struct span *texts = calloc(n, sizeof(*texts));
	struct buf source BUF_SCOPED = { 0 };
	int reason;
	size_t at;
	if (!texts)
		return -ENOMEM;
	memcpy(texts, t->list + to->text, n * sizeof(*texts));
	buf_adds(&source, t->word ? WORD_BEGIN : "");
	int err = add_branches(&source, texts, n);
	buf_adds(&source, t->word ? WORD_END : "");
	if (!err)
		err = buf_error(&source);
	if (!err)
		to->any = compile_source(p, buf_span(&source), &reason, &at);
	free(texts);
	return err;
}

/* Compile the n texts from one on, as branches. A wrong one is reported. */
static int compile(struct patterns *p, size_t from, size_t n)
{
	const struct pattern_texts *t = p->texts;
	struct pattern *to = &p->list[p->n++];
	struct buf source BUF_SCOPED = { 0 };
	int reason = 0;
	size_t at = 0;
	for (size_t i = from; i < from + n; i++) {
		buf_adds(&source, i > from ? "|" : "");
		add_source(t, t->list[i], &source);
	}
	to->text = from;
	int err = buf_cstr(&source) ? 0 : -ENOMEM;
	if (!err)
		to->code = compile_source(p, buf_span(&source), &reason, &at);
	if (!err && to->code && n >= BRANCHES_LEAST)
		err = compile_any(p, to, n);
	if (!err && !to->code) {
		struct span one = t->list[from];
		struct buf line = { 0 };
		at -= t->word && at > strlen(WORD_BEGIN) ? strlen(WORD_BEGIN)
							 : 0;
		add_reason(&line, one, reason);
		buf_addf(&line, ", at byte %zu", (at < one.n ? at : one.n) + 1);
		(void)status_fail_made("grep", &line);
		p->refused = true;
	}
	return err;
}

static int compile_all(struct patterns *p)
{
	const struct pattern_texts *t = p->texts;
	size_t n;
	int err = 0;
	for (size_t i = 0; i < t->n && !err && !p->refused; i += n) {
		size_t bytes = 0;
		for (n = 0; i + n < t->n && bytes < JOINED_MOST &&
			    can_join(t, t->list[i + n]);
		     n++)
			bytes += t->list[i + n].n;
		n += n == 0;
		err = compile(p, i, n);
	}
	return err;
}

int patterns_new(struct patterns **out, const struct pattern_texts *t)
{
	struct patterns *p = calloc(1, sizeof(*p));
	*out = NULL;
	if (!p)
		return -ENOMEM;
	p->texts = t;
	p->list = calloc(t->n + 1, sizeof(*p->list));
	p->how = pcre2_compile_context_create(NULL);
	int err = p->list && p->how ? 0 : -ENOMEM;
	if (!err)
		pcre2_set_newline(p->how, PCRE2_NEWLINE_LF);
	if (!err && t->line)
		pcre2_set_compile_extra_options(p->how, PCRE2_EXTRA_MATCH_LINE);
	if (!err)
		err = compile_all(p);
	if (err || p->refused)
		patterns_free(p);
	else
		*out = p;
	return err;
}

void patterns_free(struct patterns *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n; i++) {
		pcre2_code_free(p->list[i].code);
		pcre2_code_free(p->list[i].any);
	}
	pcre2_compile_context_free(p->how);
	free(p->list);
	free(p);
}

/* -- matching */

struct matcher *matcher_new(const struct patterns *p)
{
	struct matcher *m = calloc(1, sizeof(*m));
	if (!m)
		return NULL;
	m->of = p;
	m->data = pcre2_match_data_create(1, NULL);
	m->limits = pcre2_match_context_create(NULL);
	m->stack = pcre2_jit_stack_create(STACK_FIRST, STACK_MOST, NULL);
	if (!m->data || !m->limits) {
		matcher_free(m);
		return NULL;
	}
	pcre2_set_match_limit(m->limits, MATCH_LIMIT);
	pcre2_set_depth_limit(m->limits, DEPTH_LIMIT);
	pcre2_set_heap_limit(m->limits, HEAP_LIMIT);
	/* Without one there is that of the thread. */
	if (m->stack)
		pcre2_jit_stack_assign(m->limits, NULL, m->stack);
	return m;
}

void matcher_free(struct matcher *m)
{
	if (!m)
		return;
	pcre2_match_data_free(m->data);
	pcre2_match_context_free(m->limits);
	pcre2_jit_stack_free(m->stack);
	free(m);
}

static int match(const struct matcher *m, const pcre2_code *code,
		 struct span line, size_t at)
{
	PCRE2_SPTR text = (PCRE2_SPTR)line.p;
	int got = pcre2_match(code, text, line.n, at, 0, m->data, m->limits);
	if (got == PCRE2_ERROR_JIT_STACKLIMIT)
		got = pcre2_match(code, text, line.n, at, PCRE2_NO_JIT, m->data,
				  m->limits);
	return got;
}

int matcher_find(struct matcher *m, struct span line, size_t at,
		 struct match *found)
{
	bool any = false;
	for (size_t i = 0; i < m->of->n; i++) {
		const struct pattern *p = &m->of->list[i];
		int got = match(m, p->any ? p->any : p->code, line, at);
		if (p->any && got >= 0 && found)
			got = match(m, p->code, line, at);
		if (got == PCRE2_ERROR_NOMATCH)
			continue;
		if (got < 0) {
			m->failed = i;
			m->reason = got;
			return -1;
		}
		const size_t *place = pcre2_get_ovector_pointer(m->data);
		if (found && (!any || place[0] < found->from))
			*found = (struct match){ place[0], place[1] };
		any = true;
		if (!found)
			break;
	}
	return any;
}

void matcher_add_error(const struct matcher *m, struct buf *out)
{
	const struct patterns *p = m->of;
	add_reason(out, p->texts->list[p->list[m->failed].text], m->reason);
}
