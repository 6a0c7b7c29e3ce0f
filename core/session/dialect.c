#include "core/session/dialect.h"

#include <errno.h>

#include "core/base/text.h"
#include "core/dialects/registry.h"
#include "core/file/feed.h"

/* How many lines, and bytes, may come before one that says what a file is. */
#define OPENING_VALUES 64
#define OPENING_BYTES ((uint64_t)1 << 20)

/*
 * The rows, in the order in which they are asked. A new dialect is a row
 * here, and its declaration in dialects.h.
 */
static const struct dialect *const dialects[] = {
	&dialect_pi,	     &dialect_omp,	   &dialect_harness,
	&dialect_draft_uuid, &dialect_draft_index, &dialect_lines,
	&dialect_go_tree,    &dialect_claude,
};

#define N_DIALECTS (sizeof(dialects) / sizeof(dialects[0]))

const struct dialect *dialect_named(struct span name)
{
	for (size_t i = 0; i < N_DIALECTS; i++) {
		if (span_eq(name, span_of(dialects[i]->name)))
			return dialects[i];
	}
	return NULL;
}

const struct dialect *dialect_default(void)
{
	return &dialect_pi;
}

void dialect_add_names(struct buf *out)
{
	for (size_t i = 0; i < N_DIALECTS; i++) {
		buf_adds(out, i > 0 ? ", " : "");
		buf_adds(out, dialects[i]->name);
	}
}

struct opening {
	struct verdict verdict;
	uint32_t lines;
	uint32_t values;
};

/* Positive when enough has been seen. */
static int look_at_line(void *data, struct span text, uint64_t offset)
{
	struct opening *o = data;
	struct json line;
	if (offset == 0)
		text = log_text_start(text);
	o->lines++;
	int err = json_check(text, &line);
	if (err == -EBADMSG)
		return offset > OPENING_BYTES;
	if (err)
		return err;
	for (size_t i = 0; i < N_DIALECTS && !o->verdict.why; i++) {
		const char *why = dialects[i]->claims(line);
		if (why)
			o->verdict = (struct verdict){ .dialect = dialects[i],
						       .why = why,
						       .line = o->lines };
	}
	return o->verdict.why || ++o->values == OPENING_VALUES ||
	       offset > OPENING_BYTES;
}

/* May what has come of a last line be the beginning of an object? */
static bool may_become_object(struct span rest, uint64_t offset)
{
	if (offset == 0)
		rest = log_text_start(rest);
	struct span text = text_trim(rest);
	return rest.n > 0 && (text.n == 0 || text.p[0] == '{');
}

int dialect_detect(const struct log *log, struct verdict *v)
{
	struct opening o = { 0 };
	struct feed f = { 0 };
	int err = feed_file(log, &f, (uint64_t)log->seen.st_size, look_at_line,
			    &o);
	uint32_t values = o.values;
	bool torn = !err && may_become_object(f.rest, f.offset);
	if (!err && f.rest.n > 0)
		err = look_at_line(&o, f.rest, f.offset);
	buf_free(&f.chunk);
	*v = o.verdict;
	v->lines = o.lines - (torn && o.values == values);
	v->final = err > 0;
	return err > 0 ? 0 : err;
}

/* The relative that a line marks, and why; or NULL. */
static const struct dialect *marked(const struct session *s, struct json line,
				    const char **why)
{
	*why = NULL;
	for (size_t i = 0; i < N_DIALECTS && !s->forced; i++) {
		const struct dialect *d = dialects[i];
		if (d->relative_of && d->relative_of == s->dialect)
			*why = d->marks(line);
		if (*why)
			return d;
	}
	return NULL;
}

const char *dialect_turns(const struct session *s, struct json line)
{
	const char *why;
	marked(s, line, &why);
	return why;
}

int dialect_turn(struct session *s, struct json line,
		 const struct line_place *at)
{
	const char *why;
	const struct dialect *d = marked(s, line, &why);
	if (!d)
		return 0;
	s->dialect = d;
	s->why = why;
	s->why_line = at->number;
	return -EPROTOTYPE;
}
