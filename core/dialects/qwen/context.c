/*
 * What Qwen Code posts of a history (history.c), in the form of OpenAI's API:
 *
 *   1. A call without a result in the user's contents that follow gets one
 *      that says so. Results are messages of their own, before what the user
 *      says: those that open the first content, then those made up, then those
 *      of later contents, both in the order of the calls, then all others.
 *   2. Dropped are calls without an id or with that of an earlier one, and
 *      results of no call that is left. An answer with nothing else goes, too.
 *   3. Pictures and videos of results, also of those that are dropped, follow
 *      the last one in a message of the user, in the order of the results,
 *      unless that one was dropped. All other media are texts.
 *   4. Answers in a row are one message. Its texts have nothing between them.
 *   5. If there are many pictures, most are named (pictures.c); and so are
 *      plans that were approved (plans.c).
 *
 * Left out is what the agent makes anew: prompts of the system and reminders.
 */
#include <stdlib.h>

#include "core/base/text.h"
#include "core/dialects/qwen/qwen.h"

#define MEDIA_TEXT "(attached media from previous tool call)"
#define NO_RESULT                                                           \
	"Tool execution result was not recorded — likely interrupted by " \
	"network failure, abort, or process exit. Treat as failure and "    \
	"retry if needed."

/*
 * Of an id, sent_id.own is the part with the call, and sent_id.other that with
 * its first result, both plus 1.
 */
struct posting {
	struct qwen_history h; /* first */
	/* An answer that is not complete: of how many contents, and the first
	   of them; what they think and say; their calls, as a list without its
	   end. */
	uint32_t n_answers;
	uint32_t answer;
	struct buf thought;
	struct buf said;
	struct buf calls;
	/* The next messages of the user, [user, user_end), follow this turn. */
	uint32_t turn;
	uint32_t user;
	uint32_t user_end;
	bool posted; /* the last result that there is */
	/* The media of the results of this turn, in their order. */
	struct qwen_draft media;
	bool has_media;
	struct qwen_pictures pictures;
};

static struct json text_of(const struct posting *x, uint32_t part)
{
	return json_get(qwen_part_json(&x->h, part), "text");
}

/* What is known of the id of a call or a result; NULL if it has none. */
static struct sent_id *known_of(const struct posting *x, const struct piece *p)
{
	return p->n_calls > 0 ? sending_known(x->h.parts, p, 0) : NULL;
}

/* Add a message, said when a content was. */
static int end(struct posting *x, struct qwen_draft *d, uint32_t content,
	       enum message_role role, struct block result)
{
	return qwen_end(d, x->h.parts, x->h.contents[content].entry, role,
			result);
}

static void add_text(struct qwen_draft *d, const struct buf *text, bool thought)
{
	if (text->len == 0)
		return;
	json_begin_object(&d->list, NULL);
	json_write_string_buf(&d->list, "text", text);
	if (thought)
		json_write_bool(&d->list, "thought", true);
	json_end_object(&d->list);
}

/* Post the answer that was put together, if there is one. */
static int flush(struct posting *x)
{
	struct qwen_draft d = { 0 };
	bool says =
		x->said.len > 0 || (x->thought.len > 0 && x->n_answers == 1);
	if (x->n_answers == 0)
		return 0;
	qwen_begin(&d, "assistant");
	add_text(&d, &x->thought, true);
	add_text(&d, &x->said, false);
	if (says)
		json_write_string_buf(&d.w, "content", &x->said);
	else
		json_write_null(&d.w, "content");
	if (x->calls.len > 0) {
		buf_addc(&x->calls, ']');
		const struct json calls = { .raw = buf_span(&x->calls) };
		json_write_elements(&d.list, calls);
		json_begin_array(&d.w, "tool_calls");
		JSON_EACH(call, calls)
			qwen_write_call(&d.w, call);
		json_end_array(&d.w);
	}
	if (x->thought.len > 0)
		json_write_string_buf(&d.w, "reasoning_content", &x->thought);
	buf_clear(&x->thought);
	buf_clear(&x->said);
	buf_clear(&x->calls);
	x->n_answers = 0;
	return end(x, &d, x->answer, MESSAGE_ASSISTANT, (struct block){ 0 });
}

/* Add a content to the answer, unless nothing is left of it. */
static void add_content(struct posting *x, uint32_t content)
{
	struct qwen_content *c = &x->h.contents[content];
	size_t said = x->said.len;
	bool had_calls = false;
	bool any = false;
	for (uint32_t i = c[0].first; i < c[1].first && !c->dropped; i++) {
		const struct piece *p = &x->h.parts->list[i];
		had_calls = had_calls || p->kind == QWEN_CALL;
		any = any || p->kind == QWEN_THOUGHT ||
		      (p->kind == QWEN_CALL && !p->dropped);
		if (p->kind == QWEN_TEXT) {
			json_decode(&x->said, text_of(x, i));
		} else if (p->kind == QWEN_THOUGHT) {
			json_decode(&x->thought, text_of(x, i));
		} else if (!p->dropped) {
			buf_addc(&x->calls, x->calls.len > 0 ? ',' : '[');
			buf_add(&x->calls, qwen_part_json(&x->h, i).raw);
		}
	}
	struct span text = span_from(buf_span(&x->said), said);
	if (had_calls)
		text = text_trim(text);
	c->dropped = c->dropped || !(any || text.n > 0);
	if (c->dropped)
		x->said.len = said;
	else if (x->n_answers++ == 0)
		x->answer = content;
}

static void add_media(struct posting *x, uint32_t part)
{
	struct json result = qwen_part_json(&x->h, part);
	JSON_EACH(medium, qwen_showing.read_block(result).more) {
		if (json_is_string(json_get(medium, "text")) ||
		    qwen_is_named(&x->pictures, part, medium) ||
		    qwen_is_document(medium))
			continue;
		qwen_write_medium(&x->media.w, medium);
		json_write_value(&x->media.list, NULL, medium);
		x->has_media = true;
	}
}

/* Post the result of a call, which may have none. */
static int post_result(struct posting *x, struct sent_id *k, uint32_t content)
{
	struct json call =
		json_get(qwen_part_json(&x->h, k->own - 1), "functionCall");
	struct block result = { .type = BLOCK_RESULT };
	struct qwen_draft d = { 0 };
	JSON_FIELDS(f, call, id, name);
	int err = flush(x);
	if (err)
		return err;
	qwen_begin(&d, "tool");
	json_write_value(&d.w, "tool_call_id", f.id);
	if (k->other > 0) {
		result = qwen_showing.read_block(
			qwen_part_json(&x->h, k->other - 1));
		qwen_write_result(&d, &x->h, &x->pictures, k->other - 1);
		add_media(x, k->other - 1);
	} else {
		result.error.raw = SPAN("true");
		block_write_text(&d.list, SPAN(NO_RESULT));
		json_begin_array(&d.w, "content");
		block_write_text(&d.w, SPAN(NO_RESULT));
		json_end_array(&d.w);
	}
	result.id = f.id;
	result.name = f.name;
	k->flags |= QWEN_SENT;
	x->posted = true;
	return end(x, &d, content, MESSAGE_TOOL_RESULT, result);
}

/* Post a result in a content of the user, if it is that of a call: media of
   others are posted with those. */
static int post_found(struct posting *x, uint32_t content, uint32_t part)
{
	const struct piece *p = &x->h.parts->list[part];
	struct sent_id *k = known_of(x, p);
	bool is = k && k->other == part + 1;
	/* Has one of this turn's calls come a second time? */
	bool repeated = !is && k && k->own > x->h.contents[x->turn].first;
	if (!is && !repeated)
		add_media(x, part);
	if (k && k->flags & QWEN_SENT)
		return 0;
	x->posted = is;
	return is ? post_result(x, k, content) : 0;
}

/* Post the results of calls that have none, or have it in a later content. */
static int post_calls(struct posting *x, uint32_t first, bool made_up)
{
	const struct qwen_content *c = x->h.contents;
	/* Nothing may follow the turn. */
	uint32_t end = c[first < x->user_end ? first + 1 : first].first;
	int err = 0;
	for (uint32_t i = c[x->turn].first; i < c[first].first && !err; i++) {
		const struct piece *p = &x->h.parts->list[i];
		if (p->kind != QWEN_CALL || p->dropped)
			continue;
		struct sent_id *k = known_of(x, p);
		bool later = k->other > end;
		if (!(k->flags & QWEN_SENT) &&
		    (made_up ? k->other == 0 : later))
			err = post_result(x, k, first);
	}
	return err;
}

static int post_results(struct posting *x)
{
	const struct qwen_content *c = x->h.contents;
	uint32_t first = x->user;
	uint32_t opens = c[first].first;
	int err = 0;
	/* Go behind the results that it opens with. */
	while (first < x->user_end && !c[first].model &&
	       opens < c[first + 1].first &&
	       x->h.parts->list[opens].kind == QWEN_RESULT)
		opens++;
	x->posted = false;
	x->has_media = false;
	qwen_begin(&x->media, "user");
	json_begin_array(&x->media.w, "content");
	block_write_text(&x->media.w, SPAN(MEDIA_TEXT));
	block_write_text(&x->media.list, SPAN(MEDIA_TEXT));
	for (uint32_t i = c[first].first; i < opens && !err; i++)
		err = post_found(x, first, i);
	if (!err)
		err = post_calls(x, first, true);
	if (!err)
		err = post_calls(x, first, false);
	for (uint32_t k = first; k < x->user_end && !err; k++) {
		/* Calls of a turn that is dropped get results of no call. */
		x->posted = x->posted && !(c[k].model && c[k].calls);
		for (uint32_t i = k == first ? opens : c[k].first;
		     i < c[k + 1].first && !err; i++) {
			if (x->h.parts->list[i].kind == QWEN_RESULT)
				err = post_found(x, k, i);
		}
	}
	return err;
}

/* Post the media of the results, with those of which they are taken. */
static int post_media(struct posting *x)
{
	bool posts = x->has_media && x->posted &&
		     x->h.parts->to->form != MESSAGE_FORM_TAKEN;
	json_end_array(&x->media.w);
	if (posts)
		return end(x, &x->media, x->user, MESSAGE_USER,
			   (struct block){ 0 });
	qwen_drop(&x->media);
	return 0;
}

/* Add a text or a medium that the user has sent. */
static void add_part(const struct posting *x, struct qwen_draft *d, uint32_t i)
{
	struct json part = qwen_part_json(&x->h, i);
	struct buf name BUF_SCOPED = BUF_INTO(d->w.out);
	if (x->h.parts->list[i].kind == QWEN_TEXT) {
		json_write_value(&d->list, NULL, part);
		block_write_text_value(&d->w, text_of(x, i));
	} else if (qwen_add_name(&x->pictures, i, part, &name)) {
		block_write_text(&d->list, buf_span(&name));
		block_write_text(&d->w, buf_span(&name));
	} else {
		json_write_value(&d->list, NULL, part);
		qwen_write_medium(&d->w, part);
	}
}

static int post_user(struct posting *x)
{
	const struct qwen_content *c = x->h.contents;
	struct qwen_draft d = { 0 };
	bool any = false;
	qwen_begin(&d, "user");
	json_begin_array(&d.w, "content");
	for (uint32_t k = x->user; k < x->user_end; k++) {
		for (uint32_t i = c[k].first; i < c[k + 1].first; i++) {
			const struct piece *p = &x->h.parts->list[i];
			if (c[k].model || p->kind == QWEN_RESULT)
				continue;
			add_part(x, &d, i);
			any = true;
		}
	}
	if (x->user_end == x->h.n && x->pictures.n > 0) {
		qwen_add_again(&d, &x->pictures);
		any = true;
	}
	json_end_array(&d.w);
	int err = any ? flush(x) : 0;
	if (any && !err)
		return end(x, &d, x->user, MESSAGE_USER, (struct block){ 0 });
	qwen_drop(&d);
	return err;
}

/* Find the results of a turn's calls in the user's contents behind it. */
static void match(struct posting *x, uint32_t turn_end)
{
	const struct qwen_content *c = x->h.contents;
	for (uint32_t i = c[x->turn].first; i < c[turn_end].first; i++) {
		struct piece *p = &x->h.parts->list[i];
		if (p->kind != QWEN_CALL)
			continue;
		struct sent_id *k = known_of(x, p);
		p->dropped = !k || k->own > 0;
		if (!p->dropped)
			k->own = i + 1;
	}
	for (uint32_t k = turn_end; k < x->user_end && !c[k].model; k++) {
		for (uint32_t i = c[k].first; i < c[k + 1].first; i++) {
			const struct piece *p = &x->h.parts->list[i];
			struct sent_id *known = known_of(x, p);
			if (p->kind == QWEN_RESULT && known &&
			    known->own > c[x->turn].first && known->other == 0)
				known->other = i + 1;
		}
	}
}

/* A turn of the model, and what the user says behind it. */
static int post_turn(struct posting *x, uint32_t *at)
{
	const struct qwen_content *c = x->h.contents;
	x->turn = *at;
	*at = qwen_turn_end(&x->h, *at);
	uint32_t turn_end = *at;
	if (turn_end > x->turn && c[x->turn].dropped && !c[x->turn].stands_in)
		turn_end = x->turn;
	while (*at < x->h.n && (!c[*at].model || c[*at].dropped))
		++*at;
	x->user = turn_end;
	x->user_end = *at;
	match(x, turn_end);
	for (uint32_t k = x->turn; k < turn_end; k++)
		add_content(x, k);
	int err = post_results(x);
	if (err)
		qwen_drop(&x->media);
	else
		err = post_media(x);
	return err ? err : post_user(x);
}

static int find_pictures(struct sending *x)
{
	struct posting *p = x->own;
	return x->to->form == MESSAGE_FORM_TAKEN
		       ? 0
		       : qwen_find_pictures(&p->h, &p->pictures);
}

static int post(struct sending *x)
{
	struct posting *p = x->own;
	uint32_t at = 0;
	int err = 0;
	while (!err && at < p->h.n)
		err = post_turn(p, &at);
	return err ? err : flush(p);
}

static int context(const struct session *s, const struct path *p,
		   struct messages *to)
{
	static sending_pass *const passes[] = { qwen_load_history,
						qwen_name_plans, find_pictures,
						post, NULL };
	struct posting posting = { 0 };
	struct sending x = { .s = s, .path = p, .to = to, .own = &posting };
	int err = sending_run(&x, passes);
	free(posting.h.contents);
	buf_free_into(&posting.thought, to->out);
	buf_free_into(&posting.said, to->out);
	buf_free_into(&posting.calls, to->out);
	return err ? err : buf_error(to->out);
}

const struct dialect_sending qwen_sending = {
	.context = context,
	.context_grows = true,
	.branch = qwen_branch,
};
