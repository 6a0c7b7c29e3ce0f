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

#define CHUNK ((size_t)64 << 10)

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

struct patterns {
	pcre2_code **list;
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
	while (more) {
		if (array_reserve(&t->list, &t->cap, t->n, 1) < 0)
			return -ENOMEM;
		more = memchr(text.p, '\n', text.n) != NULL;
		t->list[t->n++] = span_next_line(&text);
	}
	return 0;
}

int pattern_texts_add_file(struct pattern_texts *t, const char *name,
			   struct buf *kept)
{
	bool is_standard = strcmp(name, "-") == 0;
	int fd = is_standard ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -errno : 1;
	while (n > 0) {
		char *to = buf_reserve(kept, CHUNK);
		n = to ? whole_read(fd, to, CHUNK) : -ENOMEM;
		kept->len += n > 0 ? (size_t)n : 0;
	}
	if (fd >= 0 && !is_standard)
		close(fd);
	if (n < 0 || kept->len == 0)
		return (int)n;
	struct span text = buf_span(kept);
	text.n -= text.p[text.n - 1] == '\n';
	return pattern_texts_add(t, text);
}

void pattern_texts_free(struct pattern_texts *t)
{
	free(t->list);
	*t = (struct pattern_texts){ 0 };
}

/* -- compiling */

static void add_reason(struct buf *out, struct span text, int reason)
{
	PCRE2_UCHAR message[256];
	pcre2_get_error_message(reason, message, sizeof(message));
	text_add_one_line(out, text);
	buf_addf(out, ": %s", (const char *)message);
}

/* Append the source of a text. \E ends a quote that nothing else does. */
static void add_source(const struct pattern_texts *t, struct span text,
		       struct buf *out)
{
	buf_adds(out, t->word ? "(?<!\\w)(?:" : "");
	if (!t->fixed)
		buf_add(out, text);
	for (size_t i = 0; t->fixed && i < text.n; i++) {
		char c = text.p[i];
		bool is_plain = (c & 0x80) || c == '_' ||
				(c >= '0' && c <= '9') ||
				(span_lower(c) >= 'a' && span_lower(c) <= 'z');
		if (!is_plain)
			buf_addc(out, '\\');
		buf_addc(out, c);
	}
	buf_adds(out, t->word ? "\\E)(?!\\w)" : "");
}

/* *code is NULL after an error of PCRE2, of which *reason and *at are. */
static int compile(const struct patterns *p, struct span source,
		   pcre2_code **code, int *reason, size_t *at)
{
	uint32_t options = OPTIONS;
	if (p->texts->any_case)
		options |= PCRE2_CASELESS;
	*code = pcre2_compile((PCRE2_SPTR)source.p, source.n, options, reason,
			      at, p->how);
	if (*code)
		(void)pcre2_jit_compile(*code, PCRE2_JIT_COMPLETE);
	return *code || *reason != PCRE2_ERROR_HEAP_FAILED ? 0 : -ENOMEM;
}

static int report(struct patterns *p, struct span text, int reason, size_t at)
{
	struct buf line = { 0 };
	add_reason(&line, text, reason);
	buf_addf(&line, ", at byte %zu", at + 1);
	p->refused = true;
	(void)status_fail_made("grep", &line);
	return 0;
}

static int compile_one(struct patterns *p, struct span text)
{
	struct pattern_texts alone = { .fixed = p->texts->fixed };
	struct buf source = { 0 };
	pcre2_code *code = NULL;
	int reason = 0;
	size_t at = 0;
	/* Without what is around it, so that the place is right. */
	add_source(&alone, text, &source);
	int err = buf_error(&source);
	if (!err)
		err = compile(p, buf_span(&source), &code, &reason, &at);
	if (!err && code && p->texts->word) {
		pcre2_code_free(code);
		buf_clear(&source);
		add_source(p->texts, text, &source);
		err = buf_error(&source);
		if (!err)
			err = compile(p, buf_span(&source), &code, &reason,
				      &at);
	}
	buf_free(&source);
	if (!err && !code)
		return report(p, text, reason, at);
	if (!err)
		p->list[p->n++] = code;
	return err;
}

/* Is it the same as one of several branches? */
static bool can_join(const struct pattern_texts *t, struct span text)
{
	return t->fixed ||
	       (!memchr(text.p, '\\', text.n) && !memchr(text.p, '(', text.n));
}

/* Make one of several, which is faster, unless it becomes too large. */
static int join(struct patterns *p)
{
	const struct pattern_texts *t = p->texts;
	struct buf source = { 0 };
	pcre2_code *code = NULL;
	int reason;
	size_t at;
	size_t n = 0;
	while (n < t->n && can_join(t, t->list[n]))
		n++;
	if (n < t->n || n < 2)
		return 0;
	for (size_t i = 0; i < n; i++) {
		buf_adds(&source, i > 0 ? "|(?:" : "(?:");
		add_source(t, t->list[i], &source);
		buf_addc(&source, ')');
	}
	int err = buf_error(&source);
	if (!err)
		err = compile(p, buf_span(&source), &code, &reason, &at);
	buf_free(&source);
	if (!code)
		return err;
	for (size_t i = 0; i < n; i++)
		pcre2_code_free(p->list[i]);
	p->list[0] = code;
	p->n = 1;
	return 0;
}

int patterns_new(struct patterns **out, const struct pattern_texts *t)
{
	struct patterns *p = calloc(1, sizeof(*p));
	*out = NULL;
	if (!p)
		return -ENOMEM;
	p->texts = t;
	p->list = calloc(t->n + 1, sizeof(pcre2_code *));
	p->how = pcre2_compile_context_create(NULL);
	int err = p->list && p->how ? 0 : -ENOMEM;
	if (!err)
		pcre2_set_newline(p->how, PCRE2_NEWLINE_LF);
	if (!err && t->line)
		pcre2_set_compile_extra_options(p->how, PCRE2_EXTRA_MATCH_LINE);
	for (size_t i = 0; i < t->n && !err && !p->refused; i++)
		err = compile_one(p, t->list[i]);
	if (!err && !p->refused)
		err = join(p);
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
	for (size_t i = 0; i < p->n; i++)
		pcre2_code_free(p->list[i]);
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

static int match(const struct matcher *m, size_t i, struct span line, size_t at)
{
	const pcre2_code *code = m->of->list[i];
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
		int got = match(m, i, line, at);
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
	const struct pattern_texts *t = m->of->texts;
	add_reason(out, t->list[m->failed], m->reason);
	if (m->of->n < t->n)
		buf_adds(out, " (or another of the patterns)");
}
