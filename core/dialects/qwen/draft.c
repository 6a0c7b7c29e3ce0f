/*
 * A message in the making, as Qwen Code posts it, with its parts as they stand
 * in records for those who print or take it (core/session/message.h).
 */
#include "core/dialects/qwen/qwen.h"

#include <errno.h>

#include "core/json/js.h"

#define MEDIA_ONLY "[media attached in following user message]"

void qwen_begin(struct qwen_draft *d, const char *role)
{
	d->w = (struct json_writer){ .out = &d->json };
	d->list = (struct json_writer){ .out = &d->parts };
	json_begin_object(&d->w, NULL);
	json_write_word(&d->w, "role", role);
	json_begin_array(&d->list, NULL);
}

void qwen_drop(struct qwen_draft *d)
{
	buf_free(&d->json);
	buf_free(&d->parts);
}

int qwen_end(struct qwen_draft *d, const struct sending *x, uint32_t entry,
	     enum message_role role, struct block result)
{
	struct message m = { .role = role,
			     .when = sending_time(x, entry),
			     .how = CONTENT_JSON,
			     .result = result };
	json_end_object(&d->w);
	json_end_array(&d->list);
	int err = d->json.failed || d->parts.failed ? -ENOMEM : 0;
	m.source.raw = buf_span(&d->json);
	m.content.raw = buf_span(&d->parts);
	if (!err)
		messages_add(x->to, &m);
	qwen_drop(d);
	return err ? err : buf_error(x->to->out);
}

void qwen_write_call(struct json_writer *w, struct json part)
{
	struct buf arguments BUF_SCOPED = BUF_INTO(w->out);
	JSON_FIELDS(f, json_get(part, "functionCall"), id, name, args);
	if (json_truthy(f.args))
		js_stringify(&arguments, f.args, 0);
	else
		buf_adds(&arguments, "{}");
	json_begin_object(w, NULL);
	json_write_value(w, "id", f.id);
	json_write_word(w, "type", "function");
	json_begin_object(w, "function");
	json_write_value(w, "name", f.name);
	json_write_string_buf(w, "arguments", &arguments);
	json_end_object(w);
	json_end_object(w);
}

static struct json mime_of(struct json part)
{
	JSON_FIELDS(f, part, inlineData, fileData);
	JSON_FIELDS(d, f.inlineData, mimeType, data);
	return json_truthy(d.data) ? d.mimeType
				   : json_get(f.fileData, "mimeType");
}

static const char *kind_of(struct span mime)
{
	return span_starts(mime, SPAN("\"image/"))   ? "image_url"
	       : span_starts(mime, SPAN("\"video/")) ? "video_url"
						     : NULL;
}

bool qwen_is_document(struct json part)
{
	return !kind_of(mime_of(part).raw);
}

static void add_document(struct buf *out, struct json mime)
{
	buf_adds(out, "[document: ");
	json_decode(out, mime);
	buf_addc(out, ']');
}

void qwen_write_medium(struct json_writer *w, struct json part)
{
	struct buf url BUF_SCOPED = BUF_INTO(w->out);
	struct json mime = mime_of(part);
	const char *kind = kind_of(mime.raw);
	struct json data = json_at(part, SPAN("inlineData.data"));
	if (!kind) {
		add_document(&url, mime);
		block_write_text(w, buf_span(&url));
		return;
	}
	if (json_truthy(data)) {
		buf_adds(&url, "data:");
		json_decode(&url, mime);
		buf_adds(&url, ";base64,");
		json_decode(&url, data);
	} else {
		json_decode(&url, json_at(part, SPAN("fileData.fileUri")));
	}
	json_begin_object(w, NULL);
	json_write_word(w, "type", kind);
	json_begin_object(w, kind);
	json_write_string_buf(w, "url", &url);
	json_end_object(w);
	json_end_object(w);
}

/* Add a text of a result, on lines of its own, and empty it. */
static void add_said(struct json_writer *texts, struct buf *joined,
		     struct buf *text)
{
	if (text->len > 0) {
		buf_adds(joined, joined->len > 0 ? "\n" : "");
		buf_add(joined, buf_span(text));
		block_write_text(texts, buf_span(text));
	}
	buf_clear(text);
}

/* What a result says: texts, or one where media follow elsewhere. */
void qwen_write_result(struct qwen_draft *d, const struct qwen_history *h,
		       const struct qwen_pictures *p, uint32_t part)
{
	struct block b = qwen_showing.read_block(qwen_part_json(h, part));
	struct buf text BUF_SCOPED = BUF_INTO(d->w.out);
	struct buf joined BUF_SCOPED = BUF_INTO(d->w.out);
	struct buf list BUF_SCOPED = BUF_INTO(d->w.out);
	struct json_writer texts = { .out = &list };
	bool media = false;
	json_begin_array(&texts, NULL);
	if (json_is_string(b.content))
		json_decode(&text, b.content);
	else if (!js_is_nullish(b.content))
		js_stringify(&text, b.content, 0);
	if (text.len > 0)
		block_write_text(&d->list, buf_span(&text));
	add_said(&texts, &joined, &text);
	JSON_EACH(one, b.more) {
		bool says = json_is_string(json_get(one, "text"));
		if (says)
			json_decode(&text, json_get(one, "text"));
		if (text.len > 0 || qwen_add_name(p, part, one, &text))
			block_write_text(&d->list, buf_span(&text));
		else if (!says)
			json_write_value(&d->list, NULL, one);
		if (!says && text.len == 0 && qwen_is_document(one))
			add_document(&text, mime_of(one));
		media = media || (!says && text.len == 0);
		add_said(&texts, &joined, &text);
	}
	json_end_array(&texts);
	if (joined.len == 0 && media)
		buf_adds(&joined, MEDIA_ONLY);
	if (joined.len == 0 || media)
		json_write_string_buf(&d->w, "content", &joined);
	else
		json_write_buf(&d->w, "content", &list);
}
