#include "core/json/js.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/text.h"
#include "core/json/writer.h"

/* A member while it is loaded. */
struct loading {
	struct js_member m;
	size_t key_at; /* in js_members.keys */
	size_t order;
	int64_t index; /* the key as an array index, or -1 */
};

static int64_t array_index(struct span key)
{
	if (key.n == 0 || key.n > 10 || (key.p[0] == '0' && key.n > 1))
		return -1;
	int64_t v = 0;
	for (size_t i = 0; i < key.n; i++) {
		if (key.p[i] < '0' || key.p[i] > '9')
			return -1;
		v = v * 10 + (key.p[i] - '0');
	}
	return v <= 4294967294 ? v : -1;
}

static int by_key(const void *a, const void *b)
{
	const struct loading *x = a;
	const struct loading *y = b;
	int c = span_compare(x->m.key, y->m.key);
	return c ? c : x->order < y->order ? -1 : 1;
}

static int by_place(const void *a, const void *b)
{
	const struct loading *x = a;
	const struct loading *y = b;
	if (x->index >= 0 && y->index >= 0)
		return x->index < y->index ? -1 : 1;
	if (x->index >= 0 || y->index >= 0)
		return x->index >= 0 ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

/* Read the members in file order. 0 or -ENOMEM; the caller frees *l. */
static int read_members(struct js_members *m, struct json v, struct loading **l)
{
	struct json_walk w = json_walk(v);
	bool object = json_type(v) == JSON_OBJECT;
	struct json key;
	struct json value;
	size_t cap = 0;
	/* Keys that are all empty need an address too. */
	buf_reserve(&m->keys, 1);
	for (; object ? json_next_member(&w, &key, &value)
		      : json_next_element(&w, &value);
	     m->n++) {
		size_t at = m->keys.len;
		if (object)
			json_decode(&m->keys, key);
		else
			buf_addf(&m->keys, "%zu", m->n);
		if (m->keys.failed || array_reserve(l, &cap, m->n, 1) < 0)
			return -ENOMEM;
		struct span name = span_from(buf_span(&m->keys), at);
		(*l)[m->n] = (struct loading){
			{ name, value }, at, m->n, array_index(name)
		};
	}
	/* Where they stay: those that were read first have moved. */
	for (size_t i = 0; i < m->n; i++)
		(*l)[i].m.key.p = m->keys.data + (*l)[i].key_at;
	return 0;
}

int js_members_load(struct js_members *m, struct json v)
{
	struct loading *l = NULL;
	*m = (struct js_members){ 0 };
	if (!json_has_members(v))
		return 0;
	int err = read_members(m, v, &l);
	if (!err)
		m->list = calloc(m->n, sizeof(*m->list));
	if (err || !m->list) {
		free(l);
		js_members_free(m);
		return -ENOMEM;
	}
	qsort(l, m->n, sizeof(*l), by_key);
	/* Of a run of equal keys, the first one's place and the last one's
	   value are kept. */
	size_t n = 0;
	for (size_t i = 0; i < m->n; i++) {
		if (n > 0 && span_eq(l[n - 1].m.key, l[i].m.key))
			l[n - 1].m.value = l[i].m.value;
		else
			l[n++] = l[i];
	}
	m->n = n;
	qsort(l, m->n, sizeof(*l), by_place);
	for (size_t i = 0; i < m->n; i++)
		m->list[i] = l[i].m;
	free(l);
	return 0;
}

void js_members_free(struct js_members *m)
{
	free(m->list);
	buf_free(&m->keys);
	*m = (struct js_members){ 0 };
}

int js_walk_begin(struct js_walk *w, struct json v)
{
	*w = (struct js_walk){ .object = json_type(v) == JSON_OBJECT };
	if (w->object)
		return js_members_load(&w->members, v);
	w->elements = json_walk(v);
	return 0;
}

bool js_walk_next(struct js_walk *w, struct js_member *m)
{
	if (!w->object) {
		m->key = (struct span){ "", 0 };
		if (!json_next_element(&w->elements, &m->value))
			return false;
	} else if (w->n < w->members.n) {
		*m = w->members.list[w->n];
	} else {
		return false;
	}
	w->n++;
	return true;
}

void js_walk_end(struct js_walk *w)
{
	js_members_free(&w->members);
}

/* A number: its sign, then 0.DIGITS times ten to the power of `point`. */
struct decimal {
	bool negative;
	char digits[24]; /* no zeros at the end */
	int n;
	int point;
};

/* The shortest digits that read back as d, which is finite. */
static struct decimal to_decimal(double d)
{
	struct decimal m = { .negative = d < 0 };
	char e[40];
	for (int precision = 0; precision <= 16; precision++) {
		snprintf(e, sizeof(e), "%.*e", precision, fabs(d));
		if (strtod(e, NULL) == fabs(d))
			break;
	}
	const char *p = e;
	for (; *p != 'e'; p++) {
		if (*p != '.')
			m.digits[m.n++] = *p;
	}
	m.point = atoi(p + 1) + 1;
	while (m.n > 1 && m.digits[m.n - 1] == '0')
		m.n--;
	return m;
}

/* Number.prototype.toString: plain from 1e-6 up to 1e21, else as d.ddde+n. */
static void add_number(struct buf *out, double d)
{
	struct decimal m = to_decimal(d);
	struct span digits = { m.digits, (size_t)m.n };
	size_t whole = m.point > 0 && m.point <= 21 ? (size_t)m.point : 0;
	buf_adds(out, m.negative ? "-" : "");
	if (m.point > 21 || m.point < -5) {
		buf_addc(out, digits.p[0]);
		buf_adds(out, digits.n > 1 ? "." : "");
		buf_add(out, span_from(digits, 1));
		buf_addf(out, "e%+d", m.point - 1);
	} else if (m.point <= 0) {
		buf_adds(out, "0.");
		buf_fill(out, '0', (size_t)-m.point);
		buf_add(out, digits);
	} else if (digits.n <= whole) {
		buf_add(out, digits);
		buf_fill(out, '0', whole - digits.n);
	} else {
		buf_add(out, (struct span){ digits.p, whole });
		buf_addc(out, '.');
		buf_add(out, span_from(digits, whole));
	}
}

void js_add_number(struct buf *out, double d)
{
	if (isnan(d))
		buf_adds(out, "NaN");
	else if (isinf(d))
		buf_adds(out, d < 0 ? "-Infinity" : "Infinity");
	else
		add_number(out, d == 0 ? 0 : d);
}

/* The open containers that are being printed, outermost first. */
struct stack {
	struct js_walk *levels;
	size_t n;
	size_t cap;
};

static bool stack_push(struct stack *s, struct json v)
{
	if (array_reserve(&s->levels, &s->cap, s->n, 1) < 0 ||
	    js_walk_begin(&s->levels[s->n], v) < 0)
		return false;
	s->n++;
	return true;
}

/* Print a scalar, or open a container and push it; false: no memory. */
static bool add_value(struct stack *s, struct json_writer *w, struct json v)
{
	struct buf text BUF_SCOPED = { 0 };
	switch (json_type(v)) {
	case JSON_OBJECT:
		json_begin_object(w, NULL);
		return stack_push(s, v);
	case JSON_ARRAY:
		json_begin_array(w, NULL);
		return stack_push(s, v);
	case JSON_STRING:
		json_decode(&text, v);
		json_write_string_buf(w, NULL, &text);
		return true;
	case JSON_NUMBER:
		json_write_number(w, NULL, json_number(v));
		return true;
	default:
		json_write_value(w, NULL, v);
		return true;
	}
}

/* Print the next member of the innermost container, or close it. */
static bool step(struct stack *s, struct json_writer *w)
{
	struct js_walk *top = &s->levels[s->n - 1];
	struct js_member m;
	if (js_walk_next(top, &m)) {
		if (top->object)
			json_write_key(w, m.key);
		return add_value(s, w, m.value);
	}
	if (top->object)
		json_end_object(w);
	else
		json_end_array(w);
	js_walk_end(&s->levels[--s->n]);
	return true;
}

void js_stringify(struct buf *out, struct json v, unsigned indent)
{
	struct json_writer w = { .out = out, .indent = indent };
	struct stack s = { 0 };
	struct scan_ends ends;
	if (json_ends_load(&ends, v) < 0) {
		buf_fail(out);
		return;
	}
	v.ends = &ends;
	bool ok = add_value(&s, &w, v);
	while (ok && s.n > 0)
		ok = step(&s, &w);
	if (!ok)
		buf_fail(out);
	while (s.n > 0)
		js_walk_end(&s.levels[--s.n]);
	free(s.levels);
	json_ends_free(&ends);
}

/*
 * Append an array's elements, joined by commas. Nested arrays are joined the
 * same way, so their brackets can be skipped.
 */
static void add_joined(struct buf *out, struct json v)
{
	const char *p = v.raw.p;
	const char *end = p + v.raw.n;
	while (p < end) {
		if (*p == ',')
			buf_addc(out, ',');
		if (memchr(",[] \t\r\n", *p, 7)) {
			p++;
			continue;
		}
		struct json_walk rest = { p, end, NULL };
		struct json element = { 0 };
		json_next_element(&rest, &element);
		if (json_type(element) != JSON_NULL)
			js_to_string(out, element);
		p = rest.p;
	}
}

bool js_is_nullish(struct json v)
{
	enum json_type type = json_type(v);
	return type == JSON_ABSENT || type == JSON_NULL;
}

void js_to_string(struct buf *out, struct json v)
{
	switch (json_type(v)) {
	case JSON_ABSENT:
		buf_adds(out, "undefined");
		break;
	case JSON_STRING:
		json_decode(out, v);
		break;
	case JSON_NUMBER:
		js_add_number(out, json_number(v));
		break;
	case JSON_OBJECT:
		buf_adds(out, "[object Object]");
		break;
	case JSON_ARRAY:
		add_joined(out, v);
		break;
	default:
		buf_add(out, v.raw);
	}
}

bool js_is_blank(struct json v)
{
	struct buf text BUF_SCOPED = { 0 };
	/* Nearly all texts begin with a letter. */
	if (json_is_string(v) && v.raw.n > 2 && v.raw.p[1] > ' ' &&
	    v.raw.p[1] < 0x7F && v.raw.p[1] != '\\')
		return false;
	json_decode(&text, v);
	return !text.failed && text_trim(buf_span(&text)).n == 0;
}
