#include "mount/commands/rescue/rescue.h"

#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/text.h"
#include "core/file/feed.h"
#include "core/json/nesting.h"
#include "core/json/writer.h"

/*
 * The bytes of a line that is not JSON are scanned so often: each brace in it
 * may begin an object that never ends.
 */
#define SCANS 64
#define SCAN_BYTES ((uint64_t)1 << 20)

void rescue_remark(struct rescue_report *r, uint32_t line)
{
	buf_add(&r->text, r->file);
	buf_addf(&r->text, ":%u: ", line);
}

void rescue_change(struct rescue_report *r, uint32_t line)
{
	rescue_remark(r, line);
	r->changes++;
}

static void note(struct salvage *v, const char *what)
{
	rescue_change(v->report, v->line);
	buf_addf(&v->report->text, "%s\n", what);
}

static int number_line(struct salvage *v, uint32_t line)
{
	return array_add(&v->lines, &v->cap_lines, &v->n_lines, line);
}

static int add_line(struct buf *out, struct span text)
{
	buf_add(out, text);
	buf_addc(out, '\n');
	return buf_error(out);
}

/* Keep a value that a header may be made of, unless one was found before. */
static void keep_fact(struct salvage *v, enum header_fact fact,
		      struct json value)
{
	if (v->facts[fact].len == 0)
		buf_add(&v->facts[fact], value.raw);
}

/* -- values */

static int take_header(struct salvage *v, struct json header, struct span text)
{
	struct json id = json_get(header, "id");
	if (v->header.len > 0) {
		note(v, "another header: left out");
		return 0;
	}
	v->header_line = v->line;
	if (json_type(id) != JSON_STRING || !json_truthy(id))
		note(v, "a header without an id: given one");
	else if (v->n_lines > 0)
		note(v, "a late header: moved to the start");
	return add_line(&v->header, text);
}

/* A value, and the bytes that it has in the file. */
static int take_value(struct salvage *v, struct json json, struct span text)
{
	const struct dialect_rescue *r = v->rules;
	bool first = v->n_lines == 0 && v->start.len + v->header.len == 0;
	if (json_type(json) != JSON_OBJECT) {
		note(v, json_type(json) == JSON_NULL
				? "null: left out"
				: "not an object: left out");
		return 0;
	}
	v->values++;
	if (first && r->is_start && r->is_start(json)) {
		v->start_line = v->line;
		return add_line(&v->start, text);
	}
	if (r->is_header && r->is_header(json))
		return take_header(v, json, text);
	if (json_type(json_get(json, r->time)) == JSON_STRING)
		keep_fact(v, HEADER_TIME, json_get(json, r->time));
	if (json_type(json_get(json, r->id)) == JSON_STRING)
		v->with_id++;
	else
		v->without_id++;
	int err = number_line(v, v->line);
	return err ? err : add_line(&v->body, text);
}

/* -- lines that are not JSON */

/* A member's value in bytes that need not be JSON; absent without one. */
static struct json find_member(struct span bytes, const char *quoted_name)
{
	struct span name = span_of(quoted_name);
	const char *p = memmem(bytes.p, bytes.n, name.p, name.n);
	const char *end = bytes.p + bytes.n;
	struct json v;
	if (!p)
		return (struct json){ 0 };
	p += name.n;
	const char *past = p;
	if (p < end && *p == '"')
		past = scan_string(p, end);
	else
		while (past < end && *past >= '0' && *past <= '9')
			past++;
	if (!past || json_check((struct span){ p, (size_t)(past - p) }, &v) < 0)
		return (struct json){ 0 };
	return v;
}

/* Keep what can be read of a damaged header. */
static void read_bad_header(struct salvage *v, struct span bytes)
{
	static const char mark[] = "type\":\"session\"";
	if (!v->rules->is_header ||
	    !memmem(bytes.p, bytes.n, mark, sizeof(mark) - 1))
		return;
	keep_fact(v, HEADER_VERSION, find_member(bytes, "\"version\":"));
	keep_fact(v, HEADER_TIME, find_member(bytes, "\"timestamp\":"));
	keep_fact(v, HEADER_CWD, find_member(bytes, "\"cwd\":"));
}

/* What became of a line that is not JSON. */
struct digging {
	uint32_t recovered; /* objects in it */
	uint64_t lost;	    /* bytes that are in none of them */
	uint64_t nuls;	    /* of these are NUL */
};

static void lose(struct salvage *v, struct digging *g, const char *from,
		 const char *to)
{
	struct span bytes =
		text_trim((struct span){ from, (size_t)(to - from) });
	g->lost += bytes.n;
	for (size_t i = 0; i < bytes.n; i++)
		g->nuls += bytes.p[i] == '\0';
	read_bad_header(v, bytes);
}

static void note_digging(struct salvage *v, const struct digging *g)
{
	struct buf *out = &v->report->text;
	rescue_change(v->report, v->line);
	buf_adds(out, "not JSON: ");
	if (g->recovered > 0)
		buf_addf(out, "%u %s in it taken", g->recovered,
			 g->recovered == 1 ? "object" : "objects");
	if (g->recovered > 0 && g->lost > 0)
		buf_adds(out, "; ");
	if (g->lost > 0)
		buf_addf(out, "%llu %s can't be read",
			 (unsigned long long)g->lost,
			 g->lost == 1 ? "byte" : "bytes");
	if (g->nuls > 0 && g->nuls == g->lost)
		buf_adds(out, ", all NUL");
	else if (g->nuls > 0)
		buf_addf(out, ", %llu of them NUL",
			 (unsigned long long)g->nuls);
	buf_addc(out, '\n');
}

/*
 * The first object at or after *p that is a line. Returns the byte after it,
 * with its start in *p, or NULL. *left is how many bytes may be scanned.
 */
static const char *find_object(const struct salvage *v, const char **p,
			       const char *end, struct json *json,
			       uint64_t *left)
{
	while ((*p = memchr(*p, '{', (size_t)(end - *p)))) {
		const char *past = nesting_past_container(*p, end);
		uint64_t cost = (uint64_t)((past ? past : end) - *p);
		if (cost > *left)
			return NULL;
		*left -= cost;
		bool whole =
			past &&
			json_check((struct span){ *p, (size_t)(past - *p) },
				   json) == 0;
		if (whole && v->rules->is_line(*json))
			return past;
		*p = whole ? past : *p + 1;
	}
	return NULL;
}

static int dig(struct salvage *v, struct span line)
{
	struct digging g = { 0 };
	const char *p = line.p;
	const char *end = line.p + line.n;
	const char *taken = line.p; /* the bytes before it are accounted for */
	uint64_t left = SCANS * (uint64_t)line.n + SCAN_BYTES;
	const char *past;
	struct json json;
	int err = 0;
	while (!err && (past = find_object(v, &p, end, &json, &left))) {
		lose(v, &g, taken, p);
		err = take_value(v, json,
				 (struct span){ p, (size_t)(past - p) });
		g.recovered++;
		taken = p = past;
	}
	lose(v, &g, taken, end);
	v->recovered += g.recovered;
	note_digging(v, &g);
	return err;
}

/* Escape control characters in strings; NULs are what a crash leaves. */
static void add_escaped(struct buf *out, struct span line)
{
	bool in_string = false;
	for (size_t i = 0; i < line.n; i++) {
		unsigned char c = (unsigned char)line.p[i];
		if (in_string && c == '\\' && i + 1 < line.n) {
			buf_addc(out, line.p[i++]);
		} else if (c == '"') {
			in_string = !in_string;
		} else if (in_string && c > 0 && c < 0x20) {
			buf_addf(out, "\\u%04x", c);
			continue;
		}
		buf_addc(out, line.p[i]);
	}
}

/* Take a line whose only fault are such characters. 1 if it is none, or an
 * error. */
static int take_escaped(struct salvage *v, struct span line)
{
	struct buf escaped BUF_SCOPED = { 0 };
	struct json json;
	add_escaped(&escaped, text_trim(line));
	int err = buf_error(&escaped);
	if (!err && escaped.len == text_trim(line).n)
		err = 1;
	if (!err)
		err = json_check(buf_span(&escaped), &json);
	if (err == -EBADMSG || (!err && !v->rules->is_line(json)))
		err = 1;
	if (!err) {
		note(v, "control characters in a string: escaped");
		err = take_value(v, json, json.raw);
		v->recovered++;
	}
	return err;
}

static int read_line(void *data, struct span line, uint64_t offset)
{
	struct salvage *v = data;
	struct json json;
	v->line++;
	if (offset == 0 && log_skip_bom(line).n < line.n) {
		line = log_skip_bom(line);
		note(v, "a byte order mark: left out");
	}
	if (text_trim(line).n == 0)
		return 0;
	int err = json_check(line, &json);
	if (!err)
		return take_value(v, json, line);
	if (err == -EBADMSG)
		err = take_escaped(v, line);
	return err > 0 ? dig(v, line) : err;
}

/* -- the text */

static void make_header(struct salvage *v)
{
	struct json facts[HEADER_FACTS];
	for (int i = 0; i < HEADER_FACTS; i++)
		facts[i] = (struct json){ .raw = buf_span(&v->facts[i]) };
	v->rules->make_header(&v->header, facts, v->with_id >= v->without_id);
	v->line = 1;
	note(v, v->facts[HEADER_CWD].len > 0
			? "no header: made of what is known"
			: "no header: made, without a directory");
}

/* The header, with the new id. */
static int add_header(struct salvage *v)
{
	const struct json_change id = { "id", buf_span(&v->facts[HEADER_ID]) };
	struct json json;
	if (v->header.len == 0)
		make_header(v);
	int err = buf_error(&v->header);
	if (!err)
		err = json_check(buf_span(&v->header), &json);
	if (err)
		return err;
	json_splice(&v->text, json, &id, 1);
	buf_addc(&v->text, '\n');
	return buf_error(&v->text);
}

/* Number the lines of the start and the header, which come first. */
static int number_start(struct salvage *v)
{
	uint32_t n = (v->start.len > 0) + (v->rules->is_header != NULL);
	if (n == 0)
		return 0;
	for (uint32_t i = 0; i < n; i++) {
		int err = number_line(v, 0);
		if (err)
			return err;
	}
	memmove(v->lines + n, v->lines, (v->n_lines - n) * sizeof(*v->lines));
	for (uint32_t i = 0; i < n; i++)
		v->lines[i] = i + 1 < n ? v->start_line : v->header_line;
	return 0;
}

int salvage_file(struct salvage *v, struct rescue_report *report,
		 const struct log *log, const struct dialect *d, struct span id)
{
	struct json_writer w = { .out = &v->facts[HEADER_ID] };
	*v = (struct salvage){ .rules = d->rescue, .report = report };
	buf_reset(&report->text);
	report->changes = 0;
	json_write_string(&w, NULL, id);
	int err = feed_lines(log, 0, (uint64_t)log->st.st_size, read_line, v);
	if (err || v->values == 0)
		return err;
	err = number_start(v);
	buf_add(&v->text, buf_span(&v->start));
	if (!err && v->rules->is_header)
		err = add_header(v);
	buf_add(&v->text, buf_span(&v->body));
	for (int i = 0; i < HEADER_FACTS; i++)
		err = err ? err : buf_error(&v->facts[i]);
	return err ? err : buf_error(&v->text);
}

void salvage_free(struct salvage *v)
{
	buf_free(&v->text);
	free(v->lines);
	buf_free(&v->body);
	buf_free(&v->start);
	buf_free(&v->header);
	for (int i = 0; i < HEADER_FACTS; i++)
		buf_free(&v->facts[i]);
}
