/*
 * Plans that were approved. Qwen Code saves a plan in plans/ID.md of its own
 * folder; as long as that file has it, its call is posted with a text in the
 * plan's place.
 */
#include "core/dialects/qwen/qwen.h"
#include "core/file/regular.h"
#include "core/json/writer.h"
#include "core/session/process.h"

/* A larger file is none. */
#define LIMIT ((off_t)16 << 20)

/* Is the call or result in a part one of the tool, and has it an id? */
static bool is_of_tool(const struct piece *p, struct json call)
{
	return p->n_calls > 0 &&
	       json_is(json_get(call, "name"), SPAN("exit_plan_mode"));
}

/* Note which calls were approved; returns whether any was. */
static bool note_approved(struct sending *x)
{
	bool any = false;
	for (uint32_t i = 0; i < x->n; i++) {
		const struct piece *p = &x->list[i];
		struct json result =
			json_get(sending_json(x, p), "functionResponse");
		struct span said = json_at(result, SPAN("response.output")).raw;
		if (p->kind != QWEN_RESULT || !is_of_tool(p, result) ||
		    !(span_starts(said, SPAN("\"User approved.")) ||
		      span_starts(said, SPAN("\"Leader approved."))))
			continue;
		sending_known(x, p, 0)->flags |= QWEN_APPROVED;
		any = true;
	}
	return any;
}

static void add_path(const struct session *s, struct buf *out)
{
	buf_add(out,
		process_agent_folder(span_of(s->log.path), qwen_agent.depth));
	buf_adds(out, "/plans/");
	session_id(s, out);
	buf_adds(out, ".md");
}

/* Make a call's part anew, with a text in the plan's place. */
static void put_text(struct sending *x, struct piece *p, struct span text)
{
	struct span part = sending_json(x, p).raw;
	struct span plan =
		json_at(sending_json(x, p), SPAN("functionCall.args.plan")).raw;
	struct buf all = { 0 };
	buf_add(&all, (struct span){ part.p, (size_t)(plan.p - part.p) });
	buf_add(&all, text);
	buf_add(&all, span_from(part, (size_t)(plan.p + plan.n - part.p)));
	p->from = x->json.len;
	buf_add(&x->json, buf_span(&all));
	p->to = x->json.len;
	buf_free_into(&all, &x->json);
}

static void put_texts(struct sending *x, struct span plan, struct span path)
{
	struct buf text = { 0 };
	struct buf quoted = { 0 };
	buf_adds(&text, "[Plan approved and saved to ");
	buf_add(&text, path);
	buf_adds(&text, ". The plan text was removed from the conversation "
			"after approval; read that file if you need to consult "
			"it again.]");
	json_quote(&quoted, buf_span(&text));
	for (uint32_t i = 0; i < x->n; i++) {
		struct piece *p = &x->list[i];
		struct json call = json_get(sending_json(x, p), "functionCall");
		if (p->kind == QWEN_CALL && is_of_tool(p, call) &&
		    sending_known(x, p, 0)->flags & QWEN_APPROVED &&
		    json_is(json_at(call, SPAN("args.plan")), plan))
			put_text(x, p, buf_span(&quoted));
	}
	buf_free_into(&text, &x->json);
	buf_free_into(&quoted, &x->json);
}

int qwen_name_plans(struct sending *x)
{
	struct buf path = { 0 };
	struct buf plan = { 0 };
	struct stat st;
	if (x->to->form == MESSAGE_FORM_TAKEN || !note_approved(x))
		return 0;
	add_path(x->s, &path);
	const char *name = buf_cstr(&path);
	if (name && regular_read(x->s->log.gate, name, LIMIT, &st, &plan) == 0)
		put_texts(x, buf_span(&plan), buf_span(&path));
	buf_free_into(&path, &x->json);
	buf_free_into(&plan, &x->json);
	return buf_error(&x->json);
}
