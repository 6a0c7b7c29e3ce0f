#include "core/dialects/omp/archive.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/base64.h"
#include "core/dialects/omp/blobs.h"
#include "core/dialects/omp/data_url.h"
#include "core/dialects/omp/text.h"
#include "core/json/js.h"
#include "core/session/block.h"

/* The most characters of base64 in a request. */
#define FRAMES_LIMIT 3000000.0
/* The agent sends no pictures of old archives that reach these sizes. */
#define LEGACY_FRAMES 16
#define LEGACY_TEXT 250000
#define LEGACY_TRUNCATED 1000000.0
/* The mark of a line break in archived texts. */
#define NEWLINE_GLYPH SPAN("\xE2\x96\x88")
/* The end of a string that an old omp cut. */
#define CUT_MARK SPAN("\n\n[Session persistence truncated large content]")

enum frame_state { FRAME_SENT, FRAME_MISSING, FRAME_OVER_BUDGET };

/* A picture with all required members. */
struct omp_frame {
	struct json data; /* base64, or a reference to a blob */
	struct json mime;
	struct json detail;
	double units; /* of UTF-16, in base64 */
	bool cut;
	bool legacy; /* without font and variant, as old versions wrote it */
	enum frame_state state;
};

/* Find the length of its data, whether it was cut, and if it is there. */
static int measure(struct omp_frame *f)
{
	struct buf data = { 0 };
	uint64_t size = 0;
	json_decode(&data, f->data);
	struct span s = buf_span(&data);
	f->units = (double)omp_units(s);
	f->cut = span_ends(s, CUT_MARK);
	int err = buf_error(&data);
	buf_free(&data);
	if (err || !omp_blob_is_named(f->data))
		return err;
	err = omp_blob_size(f->data, &size);
	size = (size + 2) / 3 * 4;
	if (err)
		f->state = FRAME_MISSING;
	else
		f->units = (double)size;
	return err == -ENOMEM ? err : 0;
}

/* Is it a frame? 0, 1 or -ENOMEM. */
static int read_frame(struct json v, struct omp_frame *f)
{
	JSON_FIELDS(m, v, data, mimeType, cols, rows, chars, detail, font,
		    variant);
	if (json_type(m.data) != JSON_STRING ||
	    json_type(m.mimeType) != JSON_STRING ||
	    json_type(m.cols) != JSON_NUMBER ||
	    json_type(m.rows) != JSON_NUMBER ||
	    json_type(m.chars) != JSON_NUMBER || !json_truthy(m.data))
		return 0;
	*f = (struct omp_frame){ .data = m.data,
				 .mime = m.mimeType,
				 .detail = m.detail,
				 .legacy =
					 json_type(m.font) == JSON_ABSENT &&
					 json_type(m.variant) == JSON_ABSENT };
	int err = measure(f);
	return err ? err : 1;
}

static int read_frames(struct omp_archive *a, struct json list)
{
	size_t cap = 0;
	struct json_walk w = json_walk(list);
	struct json v;
	while (json_type(list) == JSON_ARRAY && json_next_element(&w, &v)) {
		if (array_reserve(&a->frames, &cap, a->n, 1) < 0)
			return -ENOMEM;
		int is = read_frame(v, &a->frames[a->n]);
		if (is < 0)
			return is;
		a->n += is > 0;
	}
	return 0;
}

/* A string that is not empty, or absent. */
static struct json text_member(struct json v)
{
	bool any = json_type(v) == JSON_STRING && json_truthy(v);
	return any ? v : (struct json){ 0 };
}

/*
 * Pictures that an old omp cut can't be sent. The archive's text replaces all
 * pictures if it is there, else the cut pictures are dropped.
 */
static void repair(struct omp_archive *a)
{
	size_t whole = 0;
	for (size_t i = 0; i < a->n; i++) {
		if (!a->frames[i].cut)
			a->frames[whole++] = a->frames[i];
	}
	if (whole == a->n)
		return;
	a->n = whole;
	if (json_type(a->text) != JSON_ABSENT) {
		a->n = 0;
		a->head = a->text;
		a->tail = (struct json){ 0 };
	}
}

static int read_archive(struct omp_archive *a, struct json v)
{
	JSON_FIELDS(m, v, frames, text, textHead, textTail, truncatedChars);
	*a = (struct omp_archive){ .text = text_member(m.text),
				   .head = text_member(m.textHead),
				   .tail = text_member(m.textTail) };
	if (json_type(m.truncatedChars) == JSON_NUMBER)
		a->truncated = json_number(m.truncatedChars);
	int err = read_frames(a, m.frames);
	if (!err)
		repair(a);
	return err;
}

/* Append an archived text as plain text; nothing if it is absent. */
static void add_plain(struct buf *out, struct json text)
{
	struct buf archived = { 0 };
	struct buf plain = { 0 };
	json_decode(&archived, text);
	struct span s = buf_span(&archived);
	for (size_t i = 0; i < s.n; i++) {
		struct span rest = { s.p + i, s.n - i };
		if (span_starts(rest, NEWLINE_GLYPH)) {
			buf_addc(&plain, '\n');
			i += NEWLINE_GLYPH.n - 1;
		} else if (s.p[i] != '\x0E' && s.p[i] != '\x0F') {
			buf_addc(&plain, s.p[i]);
		}
	}
	if (archived.failed || plain.failed)
		out->failed = true;
	else
		omp_add_without_data_urls(out, buf_span(&plain));
	buf_free(&archived);
	buf_free(&plain);
}

/* The length of the archive as text. */
static int source_units(const struct omp_archive *a, size_t *units)
{
	struct buf text = { 0 };
	bool whole = json_type(a->text) != JSON_ABSENT;
	bool both = json_type(a->head) != JSON_ABSENT &&
		    json_type(a->tail) != JSON_ABSENT;
	add_plain(&text, whole ? a->text : a->head);
	if (!whole) {
		buf_adds(&text, both ? "\n" : "");
		add_plain(&text, a->tail);
	}
	int err = buf_error(&text);
	*units = omp_units(buf_span(&text));
	buf_free(&text);
	return err;
}

/*
 * The most base64 in the request: none for old archives as large as those that
 * made omp crash.
 */
static int frames_limit(const struct omp_archive *a, double *limit)
{
	bool legacy = false;
	double units = 0;
	size_t text = 0;
	for (size_t i = 0; i < a->n; i++) {
		legacy = legacy || a->frames[i].legacy;
		units += a->frames[i].units;
	}
	bool many = a->n >= LEGACY_FRAMES;
	bool large = a->truncated >= LEGACY_TRUNCATED;
	*limit = FRAMES_LIMIT;
	if (!legacy || !(many || units >= FRAMES_LIMIT))
		return 0;
	int err = many || large ? 0 : source_units(a, &text);
	if (many || large || text >= LEGACY_TEXT)
		*limit = 0;
	return err;
}

/* Choose the pictures that fit, from the newest to the oldest. */
static void choose(struct omp_archive *a, double limit)
{
	double used = 0;
	for (size_t i = a->n; i-- > 0;) {
		struct omp_frame *f = &a->frames[i];
		if (f->state == FRAME_MISSING)
			continue;
		if (used + f->units <= limit)
			used += f->units;
		else
			f->state = FRAME_OVER_BUDGET;
	}
}

static void add_size(struct buf *out, double units)
{
	if (units >= 1e6) {
		omp_add_fixed(out, units / 1e6);
		buf_adds(out, " MB");
	} else if (units >= 1e3) {
		omp_add_fixed(out, units / 1e3);
		buf_adds(out, " KB");
	} else {
		js_add_number(out, units);
		buf_adds(out, " B");
	}
}

static void add_count(struct buf *out, size_t n)
{
	omp_add_grouped(out, (double)n);
	buf_adds(out, " archived image frame");
	buf_adds(out, n == 1 ? "" : "s");
}

/* Append a notice of n frames, one after the other, that are not sent. */
static void add_gap(struct buf *out, const struct omp_frame *f, size_t n)
{
	double units = 0;
	if (f->state == FRAME_MISSING) {
		buf_adds(out, "-------------- ");
		add_count(out, n);
		buf_adds(out, " unavailable here --------------");
		return;
	}
	for (size_t i = 0; i < n; i++)
		units += f[i].units;
	buf_adds(out, "-------------- snapcompact image middle omitted\n");
	add_count(out, n);
	buf_adds(out, " could not be included. ");
	add_size(out, units);
	buf_adds(out, " of base64 exceeded the per-request snapcompact payload "
		      "budget. The compacted summary and visible text edges "
		      "remain available.\n--------------");
}

/* The last text block, to which more may be added. */
struct open_text {
	struct buf text;
	bool any;
};

static void begin_text(struct json_writer *w, struct open_text *t)
{
	buf_inherit(w->out, &t->text);
	if (t->any)
		block_write_text(w, buf_span(&t->text));
	buf_clear(&t->text);
	t->any = true;
}

static void end_text(struct json_writer *w, struct open_text *t)
{
	begin_text(w, t);
	t->any = false;
}

/* Write a frame's data. The reference stays if its blob has just gone. */
static void add_data(struct json_writer *w, struct json data)
{
	struct buf bytes = { 0 };
	struct buf text = { 0 };
	if (omp_blob_is_named(data) && omp_blob_read(&bytes, data) == 0) {
		base64_encode(&text, buf_span(&bytes));
		json_write_string_buf(w, "data", &text);
	} else {
		json_write_value(w, "data", data);
	}
	buf_free_into(&bytes, w->out);
	buf_free_into(&text, w->out);
}

static void add_frame(struct json_writer *w, const struct omp_frame *f)
{
	json_begin_object(w, NULL);
	json_write_word(w, "type", "image");
	add_data(w, f->data);
	json_write_value(w, "mimeType", f->mime);
	if (json_truthy(f->detail))
		json_write_value(w, "detail", f->detail);
	json_end_object(w);
}

/* Write the frames and the notices. Returns whether there are notices. */
static bool add_middle(struct json_writer *w, const struct omp_archive *a,
		       struct open_text *t)
{
	bool gaps = false;
	size_t next;
	for (size_t i = 0; i < a->n; i = next) {
		const struct omp_frame *f = &a->frames[i];
		next = i + 1;
		if (f->state == FRAME_SENT) {
			end_text(w, t);
			add_frame(w, f);
			continue;
		}
		while (next < a->n && a->frames[next].state == f->state)
			next++;
		begin_text(w, t);
		add_gap(&t->text, f, next - i);
		gaps = true;
	}
	return gaps;
}

void omp_archive_add_blocks(struct json_writer *w, const struct omp_archive *a)
{
	struct open_text t = { 0 };
	bool images = false;
	for (size_t i = 0; i < a->n; i++)
		images = images || a->frames[i].state == FRAME_SENT;

	if (json_type(a->head) != JSON_ABSENT) {
		begin_text(w, &t);
		add_plain(&t.text, a->head);
		if (images)
			buf_adds(&t.text,
				 "\n-------------- imaged middle below\n");
	}
	bool gaps = add_middle(w, a, &t);
	if (json_type(a->tail) != JSON_ABSENT) {
		t.any = true;
		if (images)
			buf_adds(&t.text,
				 "-------------- imaged middle above\n");
		else if (a->truncated > 0 || gaps)
			buf_adds(&t.text, "\n-------------- middle history "
					  "omitted above\n");
		add_plain(&t.text, a->tail);
	}
	end_text(w, &t);
	buf_free(&t.text);
}

int omp_archive_load(struct omp_archive *a, struct json preserve_data)
{
	double limit;
	int err = read_archive(a, json_get(preserve_data, "snapcompact"));
	if (!err)
		err = frames_limit(a, &limit);
	if (err)
		omp_archive_free(a);
	else
		choose(a, limit);
	return err;
}

void omp_archive_free(struct omp_archive *a)
{
	free(a->frames);
	a->frames = NULL;
}

bool omp_archive_is_empty(const struct omp_archive *a)
{
	return a->n == 0 && json_type(a->head) == JSON_ABSENT &&
	       json_type(a->tail) == JSON_ABSENT;
}
