/*
 * Compactions of oh-my-pi (18.3.4: session-context.ts,
 * compaction/anthropic.ts): what one keeps, and the message that the agent
 * makes of it.
 */
#include "core/dialects/omp/omp.h"

#include "core/dialects/kit/ingest.h"
#include "core/dialects/pi/pi.h"
#include "core/json/timestamp.h"

/* Has it OpenAI's own history: an array of objects? */
static bool is_replayed_by_openai(struct json preserve_data)
{
	JSON_FIELDS(f, json_get(preserve_data, "openaiRemoteCompaction"),
		    provider, replacementHistory);
	if (!json_has_text(f.provider) ||
	    json_type(f.replacementHistory) != JSON_ARRAY)
		return false;
	JSON_EACH(item, f.replacementHistory) {
		if (json_type(item) != JSON_OBJECT)
			return false;
	}
	return true;
}

bool omp_compaction_is_opaque(struct json entry)
{
	return is_replayed_by_openai(json_get(entry, "preserveData"));
}

static bool is_replayed_by_anthropic(struct json preserve_data)
{
	JSON_FIELDS(f, json_get(preserve_data, "anthropicCompaction"), provider,
		    content);
	return json_has_text(f.provider) && json_has_text(f.content);
}

/* The place of an entry on the path. */
static uint32_t place_of(const struct path *p, uint32_t entry)
{
	for (uint32_t i = 0; i < p->n && entry != INDEX_NONE; i++) {
		if (p->list[i] == entry)
			return i;
	}
	return OMP_NOWHERE;
}

uint32_t omp_compaction_kept(const struct session *s, const struct path *p,
			     uint32_t place, struct json entry, uint32_t *named,
			     int64_t *rewritten_at)
{
	JSON_FIELDS(f, entry, preserveData, firstKeptEntryId,
		    providerReplayThroughEntryId, timestamp);
	bool openai = is_replayed_by_openai(f.preserveData);
	bool anthropic = is_replayed_by_anthropic(f.preserveData);
	uint32_t through =
		s->now.linear
			? OMP_NOWHERE
			: place_of(p,
				   ingest_find_id(
					   s, f.providerReplayThroughEntryId));
	uint32_t replayed = through < place ? through + 1 : OMP_NOWHERE;
	/* Anthropic's counts only if no entry is named as the first. */
	bool unnamed = json_is(f.firstKeptEntryId, SPAN(""));
	uint32_t after = anthropic && unnamed ? replayed : OMP_NOWHERE;
	*named = place_of(p, pi_first_kept(s, p->list[place], entry));
	uint32_t first = *named < place ? *named : after;
	uint32_t next = first < place ? first : place + 1;
	int64_t time = TIMESTAMP_NONE;
	if (anthropic && next < p->n)
		time = session_entry(s, p->list[next])->time;
	*rewritten_at = time == TIMESTAMP_NONE ? timestamp_parse(f.timestamp)
					       : time - 1;
	return openai ? replayed : first;
}

/* Write the payload for the provider, if there is any. */
static void write_payload(struct json_writer *w, struct json preserve_data)
{
	static const char *const names[] = { "provider", "content",
					     "encryptedContent", "filesText" };
	JSON_FIELDS(f, preserve_data, openaiRemoteCompaction,
		    anthropicCompaction);
	if (is_replayed_by_openai(preserve_data)) {
		json_begin_object(w, "providerPayload");
		json_write_word(w, "type", "openaiResponsesHistory");
		json_write_value(
			w, "provider",
			json_get(f.openaiRemoteCompaction, "provider"));
		json_write_value(w, "items",
				 json_get(f.openaiRemoteCompaction,
					  "replacementHistory"));
		json_end_object(w);
	} else if (is_replayed_by_anthropic(preserve_data)) {
		json_begin_object(w, "providerPayload");
		json_write_word(w, "type", "anthropicCompaction");
		for (int i = 0; i < 4; i++) {
			struct json v =
				json_get(f.anthropicCompaction, names[i]);
			if (json_has_text(v))
				json_write_value(w, names[i], v);
		}
		json_end_object(w);
	}
}

void omp_compaction_message(struct buf *out, struct json entry,
			    int64_t rewritten_at)
{
	JSON_FIELDS(f, entry, summary, method, timestamp, preserveData);
	struct json_writer w = { .out = out };
	json_begin_object(&w, NULL);
	json_write_word(&w, "role", "compactionSummary");
	json_write_value(&w, "summary", f.summary);
	json_write_value(&w, "method", f.method);
	omp_archive_write(&w, "blocks",
			  json_get(f.preserveData, "snapcompact"));
	write_payload(&w, f.preserveData);
	timestamp_add_ms(json_begin_value(&w, "historyRewriteAt"),
			 rewritten_at);
	timestamp_add_ms(json_begin_value(&w, "timestamp"),
			 timestamp_parse(f.timestamp));
	json_end_object(&w);
}
