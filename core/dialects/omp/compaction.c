#include "core/dialects/omp/compaction.h"

#include <errno.h>

#include "core/dialects/omp/message.h"
#include "core/dialects/omp/prompt.h"
#include "core/json/js.h"
#include "core/json/timestamp.h"
#include "core/json/writer.h"

#define NOTES_LIMIT 16384

/* A time as a member of a message; `text` holds it. */
static struct json time_value(struct buf *text, int64_t ms)
{
	timestamp_add_ms(text, ms);
	return (struct json){ .raw = buf_span(text) };
}

int omp_send_custom_entry(struct messages *to, struct json entry)
{
	static const struct json fallback = { .raw = SPAN(
						      "\"custom-message\"") };
	static const struct json user = { .raw = SPAN("\"user\"") };
	static const struct json agent = { .raw = SPAN("\"agent\"") };
	struct buf time = { 0 };
	JSON_FIELDS(f, entry, customType, content, attribution, timestamp);
	bool typed = json_type(f.customType) == JSON_STRING &&
		     json_truthy(f.customType);
	struct omp_custom c = {
		.type = typed ? f.customType : fallback,
		.content = f.content,
		.time = time_value(&time, timestamp_parse(f.timestamp)),
	};
	if (json_type(f.attribution) != JSON_ABSENT)
		c.attribution =
			json_is(f.attribution, SPAN("user")) ? user : agent;
	int err = buf_error(&time);
	if (!err)
		omp_send_custom(to, &c, false);
	buf_free(&time);
	return err;
}

int omp_send_branch_summary_entry(struct messages *to, struct json entry)
{
	struct buf text = { 0 };
	struct json time = time_value(
		&text, timestamp_parse(json_get(entry, "timestamp")));
	int err = buf_error(&text);
	if (!err)
		omp_send_branch_summary(to, json_get(entry, "summary"), time);
	buf_free(&text);
	return err;
}

bool omp_is_notes(struct json data)
{
	struct js_members m = { 0 };
	struct buf text = { 0 };
	if (json_type(data) != JSON_OBJECT || js_members_load(&m, data) < 0)
		return false;
	struct json v = json_get(data, "text");
	bool is = m.n == 2 && json_number(json_get(data, "version")) == 1 &&
		  json_type(v) == JSON_STRING;
	js_members_free(&m);
	if (is)
		json_decode(&text, v);
	is = is && text.len <= NOTES_LIMIT;
	buf_free(&text);
	return is;
}

int omp_send_notes_entry(struct messages *to, struct json entry)
{
	struct buf notes = { 0 };
	struct buf whole = { 0 };
	struct buf quoted = { 0 };
	struct buf time = { 0 };
	json_decode(&notes, json_at(entry, SPAN("data.text")));
	omp_prompt_add(&whole, OMP_PROMPT_NOTES, buf_span(&notes));
	json_quote(&quoted, buf_span(&whole));
	const struct omp_custom c = {
		.type = { .raw = SPAN("\"experimental_context_notes\"") },
		.content = { .raw = buf_span(&quoted) },
		.time = time_value(
			&time, timestamp_parse(json_get(entry, "timestamp"))),
	};
	bool failed =
		notes.failed || whole.failed || quoted.failed || time.failed;
	if (!failed)
		omp_send_custom(to, &c, false);
	buf_free(&notes);
	buf_free(&whole);
	buf_free(&quoted);
	buf_free(&time);
	return failed ? -ENOMEM : 0;
}

struct json omp_remote_history(struct json preserve_data)
{
	static const struct json none = { 0 };
	struct json item;
	JSON_FIELDS(f, json_get(preserve_data, "openaiRemoteCompaction"),
		    provider, replacementHistory);
	if (json_type(f.provider) != JSON_STRING || !json_truthy(f.provider) ||
	    json_type(f.replacementHistory) != JSON_ARRAY)
		return none;
	struct json_walk w = json_walk(f.replacementHistory);
	while (json_next_element(&w, &item)) {
		if (json_type(item) != JSON_OBJECT)
			return none;
	}
	return f.replacementHistory;
}

static bool is_filled(struct json v)
{
	return json_type(v) == JSON_STRING && json_truthy(v);
}

bool omp_is_replayed_by_anthropic(struct json preserve_data)
{
	JSON_FIELDS(f, json_get(preserve_data, "anthropicCompaction"), provider,
		    content);
	return is_filled(f.provider) && is_filled(f.content);
}

static void add_anthropic(struct buf *out, struct json preserve_data)
{
	static const char *const names[] = { "provider", "content",
					     "encryptedContent", "filesText" };
	struct json_writer w = { .out = out };
	struct json f[4];
	json_get_all(json_get(preserve_data, "anthropicCompaction"), 4, names,
		     f);
	json_begin_object(&w, NULL);
	json_write_word(&w, "type", "anthropicCompaction");
	for (int i = 0; i < 4; i++) {
		if (is_filled(f[i]))
			json_write_value(&w, names[i], f[i]);
	}
	json_end_object(&w);
}

static void add_remote(struct buf *out, struct json preserve_data)
{
	struct json_writer w = { .out = out };
	struct json remote = json_get(preserve_data, "openaiRemoteCompaction");
	json_begin_object(&w, NULL);
	json_write_word(&w, "type", "openaiResponsesHistory");
	json_write_value(&w, "provider", json_get(remote, "provider"));
	json_write_value(&w, "items", json_get(remote, "replacementHistory"));
	json_end_object(&w);
}

/* Append the payload for the provider, if there is any. */
static void add_payload(struct buf *out, struct json preserve_data)
{
	if (json_type(omp_remote_history(preserve_data)) != JSON_ABSENT)
		add_remote(out, preserve_data);
	else if (omp_is_replayed_by_anthropic(preserve_data))
		add_anthropic(out, preserve_data);
}

int omp_send_compaction_entry(struct messages *to, struct json entry,
			      int64_t rewritten_at)
{
	struct buf payload = { 0 };
	struct buf time = { 0 };
	struct buf rewritten = { 0 };
	struct omp_archive archive;
	JSON_FIELDS(f, entry, summary, method, timestamp, preserveData);
	int err = omp_archive_load(&archive, f.preserveData);
	if (err)
		return err;
	add_payload(&payload, f.preserveData);
	const struct omp_compaction c = {
		.summary = f.summary,
		.method = f.method,
		.archive = &archive,
		.payload = { .raw = buf_span(&payload) },
		.time = time_value(&time, timestamp_parse(f.timestamp)),
		.rewritten = time_value(&rewritten, rewritten_at),
	};
	err = payload.failed || time.failed || rewritten.failed ? -ENOMEM : 0;
	if (!err)
		omp_send_compaction(to, &c);
	omp_archive_free(&archive);
	buf_free(&payload);
	buf_free(&time);
	buf_free(&rewritten);
	return err;
}
