#include "core/dialects/claude/branch.h"

#include <errno.h>

#include "core/dialects/claude/ingest.h"
#include "core/dialects/claude/response.h"
#include "core/dialects/kit/line.h"
#include "core/json/js.h"
#include "core/session/ids.h"

struct branching {
	const struct session *s;
	bool sidechain;	 /* the entry itself is on one */
	struct buf id;	 /* of the new session, as JSON */
	struct buf from; /* of the old one, as JSON; empty if it has none */
	struct buf line;
	struct buf *out;
};

/* What of a line is new. */
enum news {
	NEWS_NONE,
	NEWS_SESSION,
	NEWS_PARENT,
	NEWS_SIDECHAIN,
	NEWS_FORK,
};

struct changed {
	uint32_t entry;
	bool parent;
	uint32_t parent_is; /* INDEX_NONE: null */
	const char *parent_key;
};

static struct changed changes_of(const struct branching *b, uint32_t entry,
				 uint32_t before, struct json json)
{
	const struct entry *e = session_entry(b->s, entry);
	bool joins =
		claude_joins((enum claude_part)claude_entry(b->s, entry)->part,
			     json_get(json, "parentUuid"));
	return (struct changed){
		.entry = entry,
		.parent =
			e->parent != before || e->cut || (e->orphan && !joins),
		.parent_is = before,
		.parent_key = joins ? "logicalParentUuid" : "parentUuid",
	};
}

static enum news news_of(const struct branching *b, const struct changed *c,
			 struct json key, struct json value)
{
	if (json_is(key, SPAN("sessionId")))
		return NEWS_SESSION;
	if (c->parent && json_is(key, span_of(c->parent_key)))
		return NEWS_PARENT;
	if (b->sidechain && json_is(key, SPAN("isSidechain")) &&
	    json_truthy(value))
		return NEWS_SIDECHAIN;
	if (b->from.len > 0 && json_is(key, SPAN("forkedFrom")))
		return NEWS_FORK;
	return NEWS_NONE;
}

static void add_news(struct branching *b, const struct changed *c,
		     enum news news)
{
	switch (news) {
	case NEWS_NONE:
		break;
	case NEWS_SESSION:
		buf_add(b->out, buf_span(&b->id));
		break;
	case NEWS_PARENT:
		line_quote_id(b->out, b->s, c->parent_is);
		break;
	case NEWS_SIDECHAIN:
		buf_adds(b->out, "false");
		break;
	case NEWS_FORK:
		buf_adds(b->out, "{\"sessionId\":");
		buf_add(b->out, buf_span(&b->from));
		buf_adds(b->out, ",\"messageUuid\":");
		line_quote_id(b->out, b->s, c->entry);
		buf_addc(b->out, '}');
		break;
	}
}

/* A member that the line should have, and lacks. */
static void add_missing(struct branching *b, const struct changed *c,
			struct json json, const char *key, enum news news)
{
	if (json_type(json_get(json, key)) != JSON_ABSENT)
		return;
	buf_addf(b->out, ",\"%s\":", key);
	add_news(b, c, news);
}

/* An entry's line: its bytes as they are around what is new. */
static int add_line(struct branching *b, uint32_t entry, uint32_t before)
{
	struct json json;
	struct json key;
	struct json value;
	int err = session_read(b->s, entry, &b->line, &json);
	if (err)
		return err;
	const struct changed c = changes_of(b, entry, before, json);
	const char *from = json.raw.p;
	const char *end = from + json.raw.n - 1;
	struct json_walk w = json_walk(json);
	while (json_next_member(&w, &key, &value)) {
		enum news news = news_of(b, &c, key, value);
		if (news == NEWS_NONE)
			continue;
		size_t n = (size_t)(value.raw.p - from);
		buf_add(b->out, (struct span){ from, n });
		add_news(b, &c, news);
		from = value.raw.p + value.raw.n;
	}
	buf_add(b->out, (struct span){ from, (size_t)(end - from) });
	add_missing(b, &c, json, "sessionId", NEWS_SESSION);
	if (c.parent)
		add_missing(b, &c, json, c.parent_key, NEWS_PARENT);
	if (b->from.len > 0)
		add_missing(b, &c, json, "forkedFrom", NEWS_FORK);
	buf_adds(b->out, "}\n");
	return buf_error(b->out);
}

/* The ids of the two sessions. */
static int begin(struct branching *b, uint32_t entry)
{
	struct buf name = { 0 };
	struct buf id = { 0 };
	buf_adds(&name, "branch ");
	buf_add(&name, index_id(&b->s->now.index, entry));
	ids_derive_uuid(b->s, &id, buf_span(&name));
	js_quote(&b->id, buf_span(&id));
	buf_add(&b->from, session_header(b->s, "id").raw);
	bool failed =
		name.failed || id.failed || b->id.failed || b->from.failed;
	buf_free(&name);
	buf_free(&id);
	return failed ? -ENOMEM : 0;
}

static int add_pin(struct branching *b, uint32_t leaf)
{
	cJSON *o = cJSON_CreateObject();
	bool ok = o && cJSON_AddStringToObject(o, "type", "last-prompt") &&
		  line_add_id(o, "leafUuid", b->s, leaf) &&
		  cJSON_AddTrueToObject(o, "explicit") &&
		  line_add_raw(o, "sessionId", &b->id);
	return line_finish(o, ok, b->out);
}

int claude_branch(const struct session *s, uint32_t entry, struct buf *out)
{
	struct branching b = { .s = s,
			       .sidechain = claude_entry(s, entry)->sidechain,
			       .out = out };
	struct path path = { 0 };
	struct path whole = { 0 };
	uint32_t last = INDEX_NONE;
	int err = path_load(&path, s, entry);
	if (!err)
		err = claude_complete(s, &path, &whole);
	if (!err)
		err = begin(&b, entry);
	for (uint32_t i = 0; i < whole.n && !err; i++) {
		err = add_line(&b, whole.list[i], last);
		last = whole.list[i];
	}
	if (!err)
		err = add_pin(&b, last);
	path_free(&path);
	path_free(&whole);
	buf_free(&b.id);
	buf_free(&b.from);
	buf_free(&b.line);
	return err;
}
