#include "core/as/conversation.h"

#include <errno.h>
#include <stdlib.h>

#include "core/as/parts.h"
#include "core/json/timestamp.h"
#include "core/session/dialect.h"
#include "core/session/path.h"
#include "core/show/session_title.h"

#define TITLE_COLUMNS 60
/* Of an id in titles: its end, as lists have it. */
#define SHORT_ID 8
/* What the APIs take for a picture of a usual size. */
#define PICTURE_TOKENS 1500

/* -- what the agent would send */

struct collecting {
	struct messages to; /* first: the messages are ours */
	struct conversation *c;
	int err;
};

/* Begin the turn of a result. */
static int add_result(struct conversation *c, const struct block *b,
		      int64_t time)
{
	struct turn t = { .role = TURN_RESULT,
			  .time = time,
			  .failed = json_truthy(b->error) };
	int err = parts_keep_id(c, b->id, &t.call);
	return err ? err : conversation_add_turn(c, t);
}

/* Add a result whose content is none: nothing, or one block. */
static int add_odd_result(struct collecting *x, const struct block *b,
			  int64_t time)
{
	struct block_walk walk = block_walk(x->to.read_block, b->content);
	struct block inner;
	int err = add_result(x->c, b, time);
	if (!err && block_next(&walk, &inner))
		err = parts_add_block(x->c, &inner);
	return err;
}

/*
 * Add a content to a turn that was begun. The results in it are turns of their
 * own, and what follows them is a turn like the one before.
 */
static int add_content(struct collecting *x, struct json content,
		       struct turn begun)
{
	bool in_result = false;
	int err = 0;
	BLOCK_EACH_WHILE(!err, b, x->to.read_block, content) {
		struct block odd = { .type = BLOCK_OTHER };
		if (b.type == BLOCK_OTHER && !b.inner)
			odd = x->to.read_block(b.json);
		if (b.type == BLOCK_RESULT)
			err = add_result(x->c, &b, begun.time);
		else if (odd.type == BLOCK_RESULT)
			err = add_odd_result(x, &odd, begun.time);
		if (b.type == BLOCK_RESULT || odd.type == BLOCK_RESULT) {
			in_result = true;
			continue;
		}
		if (in_result && !b.inner) {
			err = conversation_add_turn(x->c, begun);
			in_result = false;
		}
		if (!err)
			err = parts_add_block(x->c, &b);
	}
	return err;
}

static int64_t time_of(const struct message *m)
{
	int64_t time = TIMESTAMP_NONE;
	if (m->when != 0)
		return m->when;
	if (json_type(m->time_json) != JSON_ABSENT)
		time = timestamp_parse(m->time_json);
	else if (m->has_time)
		time = m->time;
	else if (json_type(m->source) == JSON_OBJECT)
		time = timestamp_parse(json_get(m->source, "timestamp"));
	return time;
}

static int add_message(struct collecting *x, const struct message *m)
{
	struct turn t = { .role = m->role == MESSAGE_ASSISTANT ? TURN_ASSISTANT
							       : TURN_USER,
			  .time = time_of(m) };
	int err = m->role == MESSAGE_TOOL_RESULT
			  ? add_result(x->c, &m->result, t.time)
			  : conversation_add_turn(x->c, t);
	if (err || m->how == CONTENT_NONE)
		return err;
	return m->how == CONTENT_TEXT ? parts_add_text(x->c, m->text)
				      : add_content(x, m->content, t);
}

static void take(struct messages *to, const struct message *m)
{
	struct collecting *x = (struct collecting *)to;
	if (!x->err && !m->note && m->role != MESSAGE_SYSTEM)
		x->err = add_message(x, m);
}

/*
 * Add the turns of a context. Of turns and calls the ids are still the agent's
 * own, and results stand where they came. 0 or -errno.
 */
static int collect(struct conversation *c, const struct session *s,
		   uint32_t entry)
{
	struct buf none = { 0 };
	struct path path;
	struct collecting x = {
		.to = { .out = &none,
			.form = MESSAGE_FORM_TAKEN,
			.json = { .out = &none },
			.read_block = s->dialect->showing->read_block,
			.take = take },
		.c = c,
	};
	int err = path_load(&path, s, entry);
	if (err)
		return err;
	err = s->dialect->sending->context(s, &path, &x.to);
	path_free(&path);
	if (!err)
		err = x.err;
	return err ? err : buf_end(&none);
}

/* -- what is said of it */

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
	buf_addf(&c->key, "%s ", s->dialect->name);
	buf_add(&c->key, buf_span(&c->id));
	buf_addc(&c->key, ' ');
	if (entry != INDEX_NONE)
		buf_add(&c->key, index_id(&s->now.index, entry));
	json_decode(&c->cwd, session_header(s, "cwd"));
	int err = add_title(c, s);
	if (!err)
		err = settings_at(s, entry, &c->model, &thinking);
	if (!err)
		err = collect(c, s, entry);
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
