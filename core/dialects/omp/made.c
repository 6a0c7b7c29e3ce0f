#include "core/dialects/omp/made.h"

#include "core/dialects/omp/archive.h"
#include "core/dialects/omp/json.h"
#include "core/dialects/omp/prompt.h"
#include "core/json/js.h"
#include "core/json/writer.h"

#define NOTES_LIMIT 16384

static void add_time(struct buf *out, const char *key, int64_t ms)
{
	omp_add_key(out, key);
	if (ms == TIMESTAMP_NONE)
		buf_adds(out, "null");
	else
		buf_addf(out, "%lld", (long long)ms);
}

void omp_made_custom(struct buf *out, struct json entry)
{
	static const char *const names[] = { "customType", "content",
					     "attribution", "timestamp" };
	static const struct json fallback = { .raw = SPAN(
						      "\"custom-message\"") };
	struct json f[4];
	json_get_all(entry, 4, names, f);
	bool typed = json_type(f[0]) == JSON_STRING && json_truthy(f[0]);
	buf_adds(out, "{\"role\":\"custom\"");
	omp_add_member(out, "customType", typed ? f[0] : fallback);
	omp_add_member(out, "content", f[1]);
	if (json_type(f[2]) != JSON_ABSENT) {
		bool user = json_is(f[2], SPAN("user"));
		omp_add_key(out, "attribution");
		buf_adds(out, user ? "\"user\"" : "\"agent\"");
	}
	add_time(out, "timestamp", timestamp_parse(f[3]));
	buf_addc(out, '}');
}

void omp_made_branch_summary(struct buf *out, struct json entry)
{
	buf_adds(out, "{\"role\":\"branchSummary\"");
	omp_add_member(out, "summary", json_get(entry, "summary"));
	add_time(out, "timestamp",
		 timestamp_parse(json_get(entry, "timestamp")));
	buf_addc(out, '}');
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

void omp_made_notes(struct buf *out, struct json entry)
{
	struct buf text = { 0 };
	struct buf whole = { 0 };
	json_decode(&text, json_get(json_get(entry, "data"), "text"));
	omp_prompt_add(&whole, OMP_PROMPT_NOTES, buf_span(&text));
	out->failed = out->failed || text.failed || whole.failed;
	buf_adds(out, "{\"role\":\"custom\",\"customType\":"
		      "\"experimental_context_notes\",\"content\":");
	json_quote(out, buf_span(&whole));
	add_time(out, "timestamp",
		 timestamp_parse(json_get(entry, "timestamp")));
	buf_addc(out, '}');
	buf_free(&text);
	buf_free(&whole);
}

struct json omp_remote_history(struct json preserve_data)
{
	static const char *const names[] = { "provider", "replacementHistory" };
	static const struct json none = { 0 };
	struct json f[2];
	struct json item;
	json_get_all(json_get(preserve_data, "openaiRemoteCompaction"), 2,
		     names, f);
	if (json_type(f[0]) != JSON_STRING || !json_truthy(f[0]) ||
	    json_type(f[1]) != JSON_ARRAY)
		return none;
	struct json_walk w = json_walk(f[1]);
	while (json_next_element(&w, &item)) {
		if (json_type(item) != JSON_OBJECT)
			return none;
	}
	return f[1];
}

/* What Anthropic's own compaction left, to be given back; false: nothing. */
static bool add_anthropic(struct buf *out, struct json preserve_data)
{
	static const char *const names[] = { "provider", "content",
					     "encryptedContent", "filesText" };
	struct json f[4];
	json_get_all(json_get(preserve_data, "anthropicCompaction"), 4, names,
		     f);
	for (int i = 0; i < 4; i++) {
		bool any = json_type(f[i]) == JSON_STRING && json_truthy(f[i]);
		if (!any && i < 2)
			return false;
		if (!any)
			f[i] = (struct json){ 0 };
	}
	buf_adds(out, "{\"type\":\"anthropicCompaction\"");
	for (int i = 0; i < 4; i++)
		omp_add_member(out, names[i], f[i]);
	buf_addc(out, '}');
	return true;
}

static void add_remote(struct buf *out, struct json preserve_data)
{
	struct json remote = json_get(preserve_data, "openaiRemoteCompaction");
	buf_adds(out, "{\"type\":\"openaiResponsesHistory\"");
	omp_add_member(out, "provider", json_get(remote, "provider"));
	omp_add_member(out, "items", json_get(remote, "replacementHistory"));
	buf_addc(out, '}');
}

void omp_made_compaction(struct buf *out, struct json entry,
			 int64_t replayed_at)
{
	static const char *const names[] = { "summary", "method", "timestamp",
					     "preserveData" };
	struct json f[4];
	struct buf payload = { 0 };
	struct buf blocks = { 0 };
	json_get_all(entry, 4, names, f);
	bool anthropic = add_anthropic(&payload, f[3]);
	if (json_type(omp_remote_history(f[3])) != JSON_ABSENT) {
		buf_clear(&payload);
		add_remote(&payload, f[3]);
	}
	buf_adds(out, "{\"role\":\"compactionSummary\"");
	omp_add_member(out, "summary", f[0]);
	omp_add_member(out, "method", f[1]);
	omp_add_member(out, "providerPayload",
		       (struct json){ .raw = buf_span(&payload) });
	buf_addc(&blocks, '[');
	bool any = omp_archive_add(&blocks, f[3]);
	buf_addc(&blocks, ']');
	if (any)
		omp_add_member(out, "blocks",
			       (struct json){ .raw = buf_span(&blocks) });
	add_time(out, "timestamp",
		 anthropic ? replayed_at : timestamp_parse(f[2]));
	buf_addc(out, '}');
	out->failed = out->failed || payload.failed || blocks.failed;
	buf_free(&payload);
	buf_free(&blocks);
}
