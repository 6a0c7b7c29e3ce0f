#include "core/as/conversation.h"

#include <errno.h>
#include <stdlib.h>

#include "core/as/parts.h"
#include "core/json/timestamp.h"
#include "core/session/dialect.h"
#include "core/show/session_title.h"

#define TITLE_COLUMNS 60
/* Of an id in titles: its end, as lists have it. */
#define SHORT_ID 8
/* What the APIs take for a picture of a usual size. */
#define PICTURE_TOKENS 1500

static void add_key(struct conversation *c, const struct session *s,
		    uint32_t entry)
{
	buf_addf(&c->key, "%s ", s->dialect->name);
	buf_add(&c->key, buf_span(&c->id));
	buf_addc(&c->key, ' ');
	if (entry != INDEX_NONE)
		buf_add(&c->key, index_id(&s->now.index, entry));
}

/* WORDS (pi 01a21645) */
static int add_title(struct conversation *c, const struct session *s)
{
	int err = session_title_add(s, TITLE_COLUMNS, &c->title);
	struct span shown = buf_span(&c->id);
	if (shown.n > SHORT_ID)
		shown = (struct span){ shown.p + shown.n - SHORT_ID, SHORT_ID };
	buf_addf(&c->title, "%s(%s%s", c->title.len > 0 ? " " : "",
		 s->dialect->name, shown.n > 0 ? " " : "");
	buf_add(&c->title, shown);
	buf_addc(&c->title, ')');
	return err;
}

/*
 * Times that go back or are missing become those of the turn above; 1970 if
 * nothing says when. The header of a fork is younger than what was said before.
 */
static void set_times(struct conversation *c, const struct session *s)
{
	int64_t now = timestamp_parse(session_header(s, "timestamp"));
	int64_t first = TIMESTAMP_NONE;
	for (uint32_t i = 0; i < c->n_turns && first == TIMESTAMP_NONE; i++)
		first = c->turns[i].time;
	if (now == TIMESTAMP_NONE || (first != TIMESTAMP_NONE && first < now))
		now = first;
	if (now == TIMESTAMP_NONE)
		now = 0;
	c->begun = now;
	for (uint32_t i = 0; i < c->n_turns; i++) {
		int64_t *time = &c->turns[i].time;
		if (*time == TIMESTAMP_NONE || *time < now)
			*time = now;
		now = *time;
	}
}

static void count_tokens(struct conversation *c)
{
	uint64_t bytes = 0;
	for (uint32_t i = 0; i < c->n_parts; i++) {
		const struct part *p = &c->parts[i];
		bytes += p->text.raw.n + p->name.raw.n + p->arguments.raw.n;
		if (p->type == PART_PICTURE)
			c->tokens += PICTURE_TOKENS;
	}
	c->tokens += bytes / BYTES_A_TOKEN;
}

int conversation_load(struct conversation *c, const struct session *s,
		      uint32_t entry)
{
	struct buf thinking BUF_SCOPED = { 0 };
	*c = (struct conversation){ .agent = s->dialect->name,
				    .file = s->log.path };
	session_id(s, &c->id);
	add_key(c, s, entry);
	json_decode(&c->cwd, session_header(s, "cwd"));
	int err = add_title(c, s);
	if (!err)
		err = settings_at(s, entry, &c->model, &thinking);
	if (!err)
		err = conversation_collect(c, s, entry);
	if (!err)
		err = conversation_settle(c);
	if (!err)
		set_times(c, s);
	count_tokens(c);
	if (!err && (c->id.failed || c->key.failed || c->cwd.failed ||
		     c->title.failed || c->model.failed))
		err = -ENOMEM;
	return err;
}

void conversation_free(struct conversation *c)
{
	free(c->turns);
	free(c->parts);
	buf_free(&c->id);
	buf_free(&c->key);
	buf_free(&c->cwd);
	buf_free(&c->title);
	buf_free(&c->model);
	for (size_t i = 0; i < c->n_kept; i++)
		free(c->kept[i]);
	free(c->kept);
	*c = (struct conversation){ 0 };
}

void conversation_write_object(struct json_writer *w, const char *key,
			       struct json arguments)
{
	if (json_type(arguments) == JSON_OBJECT) {
		json_write_value(w, key, arguments);
		return;
	}
	json_begin_object(w, key);
	json_write_value(w, "input", arguments);
	json_end_object(w);
}
