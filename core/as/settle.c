#include "core/as/parts.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/idset.h"

#define NO_TURN UINT32_MAX
#define NO_RESULT "\"No result was recorded.\""

struct settling {
	struct conversation *c;
	/* What was collected; the conversation is made anew of it. */
	struct turn *turns;
	uint32_t n;
	struct part *parts;
	/* Of ids as the agent has them: the part of the newest call that has no
	   result, plus 1; 0: none. */
	struct idset ids;
	uint32_t *open;
	size_t n_open;
	size_t cap_open;
	struct idset given; /* new ids */
	size_t made;	    /* of those, numbers that were tried */
};

static bool is_plain(struct span id)
{
	for (size_t i = 0; i < id.n; i++) {
		unsigned char c = (unsigned char)id.p[i];
		if (c >= 0x80 || (!isalnum(c) && c != '_' && c != '-'))
			return false;
	}
	return id.n > 0 && id.n <= CALL_ID_LIMIT;
}

/* An id that no other call has: its own, or call_1 and so on. */
static int give_id(struct settling *x, struct span own, struct span *id)
{
	char made[CALL_ID_LIMIT];
	uint32_t number;
	*id = own;
	if (!is_plain(own) || idset_find(&x->given, own) != IDSET_NONE) {
		do {
			int len = snprintf(made, sizeof(made), "call_%zu",
					   ++x->made);
			*id = (struct span){ made, (size_t)len };
		} while (idset_find(&x->given, *id) != IDSET_NONE);
	}
	int err = conversation_keep(x->c, id);
	return err ? err : idset_add(&x->given, *id, &number);
}

static int note_call(struct settling *x, uint32_t part)
{
	struct part *call = &x->parts[part];
	uint32_t number;
	int err = idset_add(&x->ids, call->id, &number);
	if (!err)
		err = array_extend(&x->open, &x->cap_open, &x->n_open,
				   (size_t)number + 1);
	if (!err)
		err = give_id(x, call->id, &call->id);
	if (err)
		return err;
	call->result = NO_TURN;
	x->open[number] = part + 1;
	return 0;
}

/* Give each call its result, and a new id. */
static int pair(struct settling *x)
{
	int err = 0;
	for (uint32_t i = 0; i < x->n && !err; i++) {
		struct turn *t = &x->turns[i];
		uint32_t number = IDSET_NONE;
		if (t->role == TURN_RESULT)
			number = idset_find(&x->ids, t->call);
		if (number < x->n_open && x->open[number] > 0) {
			x->parts[x->open[number] - 1].result = i;
			x->open[number] = 0;
			t->paired = true;
		}
		for (uint32_t k = t->first; k < t->first + t->n && !err; k++) {
			if (x->parts[k].type == PART_CALL)
				err = note_call(x, k);
		}
	}
	return err;
}

/* Copy all parts but the pictures, or the pictures alone. */
static int copy_some(struct settling *x, const struct turn *t, bool pictures)
{
	int err = 0;
	for (uint32_t i = t->first; i < t->first + t->n && !err; i++) {
		if ((x->parts[i].type == PART_PICTURE) == pictures)
			err = conversation_add_part(x->c, x->parts[i]);
	}
	return err;
}

/* Copy the parts of a turn without calls. */
static int copy_parts(struct settling *x, const struct turn *t)
{
	int err = 0;
	for (uint32_t i = t->first; i < t->first + t->n && !err; i++)
		err = conversation_add_part(x->c, x->parts[i]);
	return err;
}

static int copy_result(struct settling *x, const struct part *of, int64_t time)
{
	struct turn t = { .role = TURN_RESULT, .time = time, .failed = true };
	const struct turn *found = NULL;
	if (of->result != NO_TURN)
		found = &x->turns[of->result];
	if (found)
		t = *found;
	t.call = of->id;
	t.name = of->name;
	t.of_text = json_is_string(of->arguments);
	int err = conversation_add_turn(x->c, t);
	if (!err && found)
		err = copy_parts(x, found);
	else if (!err)
		err = conversation_add_part(
			x->c, (struct part){ .type = PART_TEXT,
					     .text.raw = SPAN(NO_RESULT) });
	return err;
}

/* The results of the calls of turns [from, to), which are one turn now. */
static int copy_results(struct settling *x, uint32_t from, uint32_t to)
{
	int err = 0;
	for (uint32_t i = from; i < to; i++) {
		const struct turn *t = &x->turns[i];
		for (uint32_t k = t->first;
		     t->role == TURN_ASSISTANT && k < t->first + t->n && !err;
		     k++) {
			if (x->parts[k].type == PART_CALL)
				err = copy_result(x, &x->parts[k], t->time);
		}
	}
	return err;
}

/* The pictures that the assistant made in these turns, as a turn of the user.
 */
static int copy_pictures(struct settling *x, uint32_t from, uint32_t to)
{
	struct conversation *c = x->c;
	struct turn user = { .role = TURN_USER, .time = x->turns[from].time };
	int err = conversation_add_turn(c, user);
	for (uint32_t i = from; i < to && !err; i++) {
		if (x->turns[i].role == TURN_ASSISTANT)
			err = copy_some(x, &x->turns[i], true);
	}
	if (c->turns[c->n_turns - 1].n == 0)
		c->n_turns--;
	return err;
}

/* Is a turn left out, where it stands? */
static bool is_passed(const struct settling *x, uint32_t turn)
{
	return x->turns[turn].n == 0 || x->turns[turn].paired;
}

/*
 * Copy a turn of the assistant, and those behind it up to the result of one of
 * their calls, or to the user's, which is *to. Results that are moved away do
 * not part them.
 */
static int copy_assistant(struct settling *x, uint32_t from, uint32_t *to)
{
	int err = conversation_add_turn(x->c, x->turns[from]);
	bool called = false;
	uint32_t i = from;
	for (; i < x->n && !err; i++) {
		const struct turn *t = &x->turns[i];
		if (called && t->paired)
			break;
		if (is_passed(x, i))
			continue;
		if (t->role != TURN_ASSISTANT)
			break;
		err = copy_some(x, t, false);
		for (uint32_t k = t->first; k < t->first + t->n; k++)
			called = called || x->parts[k].type == PART_CALL;
	}
	*to = i;
	if (err)
		return err;
	if (x->c->turns[x->c->n_turns - 1].n == 0)
		x->c->n_turns--;
	err = copy_results(x, from, i);
	return err ? err : copy_pictures(x, from, i);
}

static int copy_all(struct settling *x)
{
	int err = 0;
	for (uint32_t i = 0; i < x->n && !err;) {
		struct turn t = x->turns[i];
		if (is_passed(x, i)) {
			i++;
		} else if (t.role == TURN_ASSISTANT) {
			err = copy_assistant(x, i, &i);
		} else {
			/* A result without a call is what the user says. */
			t.role = TURN_USER;
			err = conversation_add_turn(x->c, t);
			if (!err)
				err = copy_parts(x, &t);
			i++;
		}
	}
	return err;
}

int conversation_settle(struct conversation *c)
{
	struct settling x = {
		.c = c, .turns = c->turns, .n = c->n_turns, .parts = c->parts
	};
	c->turns = NULL;
	c->parts = NULL;
	c->n_turns = c->n_parts = 0;
	c->cap_turns = c->cap_parts = 0;
	int err = pair(&x);
	if (!err)
		err = copy_all(&x);
	free(x.turns);
	free(x.parts);
	free(x.open);
	idset_free(&x.ids);
	idset_free(&x.given);
	return err;
}
