/*
 * A message in the making, as Qwen Code posts it, with its parts as they stand
 * in records for those who print or take it (core/session/message.h).
 */
#include "core/dialects/qwen/qwen.h"

#include <errno.h>

#include "core/json/js.h"
#include "core/json/timestamp.h"

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
	int64_t time = session_entry(x->s, entry)->time;
	struct message m = { .role = role,
			     .how = CONTENT_JSON,
			     .result = result };
	json_end_object(&d->w);
	json_end_array(&d->list);
	int err = d->json.failed || d->parts.failed ? -ENOMEM : 0;
	m.source.raw = buf_span(&d->json);
	m.content.raw = buf_span(&d->parts);
	m.when = time == TIMESTAMP_NONE ? 0 : time;
	if (!err)
		messages_add(x->to, &m);
	qwen_drop(d);
	return err ? err : buf_error(x->to->out);
}

void qwen_write_call(struct json_writer *w, struct json part)
{
	struct buf arguments = { 0 };
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
	buf_free_into(&arguments, w->out);
}

void qwen_write_medium(struct json_writer *w, struct json part)
{
	struct buf url = { 0 };
	JSON_FIELDS(f, part, inlineData, fileData);
	JSON_FIELDS(d, f.inlineData, mimeType, data, displayName);
	struct json mime = d.mimeType;
	if (json_truthy(d.data)) {
		buf_adds(&url, "data:");
		json_decode(&url, d.mimeType);
		buf_adds(&url, ";base64,");
		json_decode(&url, d.data);
	} else {
		mime = json_get(f.fileData, "mimeType");
		json_decode(&url, json_get(f.fileData, "fileUri"));
	}
	bool picture = span_starts(mime.raw, SPAN("\"image/"));
	json_begin_object(w, NULL);
	json_write_word(w, "type", picture ? "image_url" : "file");
	json_begin_object(w, picture ? "image_url" : "file");
	if (!picture)
		json_write_value(w, "filename",
				 json_truthy(d.displayName) ? d.displayName
							    : mime);
	json_write_string_buf(w, picture ? "url" : "file_data", &url);
	json_end_object(w);
	json_end_object(w);
	buf_free_into(&url, w->out);
}
