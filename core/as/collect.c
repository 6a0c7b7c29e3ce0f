#include "core/as/parts.h"

#include "core/json/timestamp.h"
#include "core/session/dialect.h"
#include "core/session/path.h"

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

int conversation_collect(struct conversation *c, const struct session *s,
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
