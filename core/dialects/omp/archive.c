/*
 * The archive of a compaction that renders old messages as pictures
 * (snapcompact.ts, getPreservedArchive and historyBlocks; oh-my-pi 18.3.4).
 *
 * It is sent as content blocks: the oldest text, the pictures of the middle, as
 * many as fit into a request, and the newest text. A notice stands in place of
 * pictures that are left out, or whose blobs (blobs.c) are missing. Data URLs
 * in the texts are replaced (data_url.c).
 */
#include "core/dialects/omp/omp.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/base64.h"
#include "core/base/text.h"
#include "core/json/js.h"
#include "core/session/block.h"

/* The most characters of base64 in a request. */
#define FRAMES_LIMIT 3000000.0
/* The mark of a line break in archived texts. */
#define NEWLINE_GLYPH SPAN("\xE2\x96\x88")
enum frame_state { FRAME_SENT, FRAME_MISSING, FRAME_OVER_BUDGET };

/* A picture with all required members. */
struct frame {
	struct json data; /* base64, or a reference to a blob */
	struct json mime;
	struct json detail;
	double units; /* of UTF-16, in base64 */
	enum frame_state state;
};

struct archive {
	struct frame *frames;
	size_t n;
	struct json head; /* strings that are not empty, or absent */
	struct json tail;
	bool truncated; /* text in the middle is lost */
};

/* Find the length of its data, and whether it is there. */
static int measure(struct frame *f)
{
	struct buf data = { 0 };
	uint64_t size = 0;
	json_decode(&data, f->data);
	f->units = (double)text_js_length(buf_span(&data));
	int err = buf_error(&data);
	buf_free(&data);
	if (err || !omp_blob_is_named(f->data))
		return err;
	err = omp_blob_size(f->data, &size);
	if (err)
		f->state = FRAME_MISSING;
	size = (size + 2) / 3 * 4;
	if (!err)
		f->units = (double)size;
	return err == -ENOMEM ? err : 0;
}

/* Is it a frame? 0, 1 or -ENOMEM. */
static int read_frame(struct json v, struct frame *f)
{
	JSON_FIELDS(m, v, data, mimeType, cols, rows, chars, detail);
	if (!json_is_string(m.data) || !json_is_string(m.mimeType) ||
	    json_type(m.cols) != JSON_NUMBER ||
	    json_type(m.rows) != JSON_NUMBER ||
	    json_type(m.chars) != JSON_NUMBER || !json_truthy(m.data))
		return 0;
	*f = (struct frame){ .data = m.data,
			     .mime = m.mimeType,
			     .detail = m.detail };
	int err = measure(f);
	return err ? err : 1;
}

static int read_frames(struct archive *a, struct json list)
{
	size_t cap = 0;
	JSON_EACH(v, list) {
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
	bool any = json_has_text(v);
	return any ? v : (struct json){ 0 };
}

/* Append an archived text as plain text; nothing if it is absent. */
static void add_plain(struct buf *out, struct json text)
{
	struct buf archived BUF_SCOPED = BUF_INTO(out);
	struct buf plain BUF_SCOPED = BUF_INTO(out);
	json_decode(&archived, text);
	struct span s = buf_span(&archived);
	for (size_t i = 0; i < s.n; i++) {
		struct span rest = span_from(s, i);
		if (span_starts(rest, NEWLINE_GLYPH)) {
			buf_addc(&plain, '\n');
			i += NEWLINE_GLYPH.n - 1;
		} else if (s.p[i] != '\x0E' && s.p[i] != '\x0F') {
			buf_addc(&plain, s.p[i]);
		}
	}
	omp_add_without_data_urls(out, buf_span(&plain));
}

/* Choose the pictures that fit, from the newest to the oldest. */
static void choose(struct archive *a)
{
	double used = 0;
	for (size_t i = a->n; i-- > 0;) {
		struct frame *f = &a->frames[i];
		if (f->state == FRAME_MISSING)
			continue;
		if (used + f->units <= FRAMES_LIMIT)
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
static void add_gap(struct buf *out, const struct frame *f, size_t n)
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

/* The blocks, and the last text block, to which more may be added. */
struct blocks {
	struct json_writer *w;
	struct buf text;
	bool open;
};

static void end_text(struct blocks *b)
{
	if (b->open)
		block_write_text(b->w, buf_span(&b->text));
	buf_inherit(b->w->out, &b->text);
	buf_clear(&b->text);
	b->open = false;
}

static void begin_text(struct blocks *b)
{
	end_text(b);
	b->open = true;
}

/* Its reference stays if the blob has just gone. */
static void add_frame(struct json_writer *w, const struct frame *f)
{
	struct buf bytes BUF_SCOPED = BUF_INTO(w->out);
	struct buf text BUF_SCOPED = BUF_INTO(w->out);
	json_begin_object(w, NULL);
	json_write_word(w, "type", "image");
	if (omp_blob_is_named(f->data) && omp_blob_read(&bytes, f->data) == 0) {
		base64_encode(&text, buf_span(&bytes));
		json_write_string_buf(w, "data", &text);
	} else {
		json_write_value(w, "data", f->data);
	}
	json_write_value(w, "mimeType", f->mime);
	if (json_truthy(f->detail))
		json_write_value(w, "detail", f->detail);
	json_end_object(w);
}

/* Write the frames and the notices. Returns whether there are notices. */
static bool add_middle(struct blocks *b, const struct archive *a)
{
	bool gaps = false;
	size_t next;
	for (size_t i = 0; i < a->n; i = next) {
		const struct frame *f = &a->frames[i];
		next = i + 1;
		if (f->state == FRAME_SENT) {
			end_text(b);
			add_frame(b->w, f);
			continue;
		}
		while (next < a->n && a->frames[next].state == f->state)
			next++;
		begin_text(b);
		add_gap(&b->text, f, next - i);
		gaps = true;
	}
	return gaps;
}

static void add_blocks(struct json_writer *w, const struct archive *a)
{
	struct blocks b = { .w = w };
	bool images = false;
	for (size_t i = 0; i < a->n; i++)
		images = images || a->frames[i].state == FRAME_SENT;

	if (json_type(a->head) != JSON_ABSENT) {
		begin_text(&b);
		add_plain(&b.text, a->head);
		if (images)
			buf_adds(&b.text,
				 "\n-------------- imaged middle below\n");
	}
	bool gaps = add_middle(&b, a);
	if (json_type(a->tail) != JSON_ABSENT) {
		b.open = true;
		if (images)
			buf_adds(&b.text,
				 "-------------- imaged middle above\n");
		else if (a->truncated || gaps)
			buf_adds(&b.text, "\n-------------- middle history "
					  "omitted above\n");
		add_plain(&b.text, a->tail);
	}
	end_text(&b);
	buf_free(&b.text);
}

void omp_archive_write(struct json_writer *w, const char *key,
		       struct json archive)
{
	JSON_FIELDS(m, archive, frames, textHead, textTail, truncatedChars);
	struct archive a = {
		.head = text_member(m.textHead),
		.tail = text_member(m.textTail),
		.truncated = json_type(m.truncatedChars) == JSON_NUMBER &&
			     json_number(m.truncatedChars) > 0,
	};
	if (read_frames(&a, m.frames) < 0)
		buf_fail(w->out);
	choose(&a);
	if (a.n > 0 || json_type(a.head) != JSON_ABSENT ||
	    json_type(a.tail) != JSON_ABSENT) {
		json_begin_array(w, key);
		add_blocks(w, &a);
		json_end_array(w);
	}
	free(a.frames);
}
