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

/* The call or result of the tool in a part that has an id; or absent. */
static struct json of_tool(const struct sending *x, const struct piece *p,
			   enum qwen_kind kind, const char *member)
{
	static const struct json none = { 0 };
	if (p->kind != kind || p->n_calls == 0)
		return none;
	struct json call = json_get(sending_json(x, p), member);
	bool is = json_is(json_get(call, "name"), SPAN("exit_plan_mode"));
	return is ? call : none;
}

/* Note which calls were approved; returns whether any was. */
static bool note_approved(struct sending *x)
{
	bool any = false;
	for (uint32_t i = 0; i < x->n; i++) {
		const struct piece *p = &x->list[i];
		struct json result =
			of_tool(x, p, QWEN_RESULT, "functionResponse");
		struct span said = json_at(result, SPAN("response.output")).raw;
		if (!span_starts(said, SPAN("\"User approved.")) &&
		    !span_starts(said, SPAN("\"Leader approved.")))
			continue;
		sending_known(x, p, 0)->flags |= QWEN_APPROVED;
		any = true;
	}
	return any;
}

/* Make the parts of such calls anew, with a text in the place of the plan. */
static void put_texts(struct sending *x, struct span plan, struct span path)
{
	struct buf text BUF_SCOPED = BUF_INTO(&x->json);
	struct buf quoted BUF_SCOPED = BUF_INTO(&x->json);
	buf_adds(&text, "[Plan approved and saved to ");
	buf_add(&text, path);
	buf_adds(&text, ". The plan text was removed from the conversation "
			"after approval; read that file if you need to consult "
			"it again.]");
	json_quote(&quoted, buf_span(&text));
	for (uint32_t i = 0; i < x->n; i++) {
		struct piece *p = &x->list[i];
		struct json call = of_tool(x, p, QWEN_CALL, "functionCall");
		struct json given = json_at(call, SPAN("args.plan"));
		if (!json_is(given, plan) ||
		    !(sending_known(x, p, 0)->flags & QWEN_APPROVED))
			continue;
		struct buf all BUF_SCOPED = BUF_INTO(&x->json);
		struct span part = sending_json(x, p).raw;
		size_t before = (size_t)(given.raw.p - part.p);
		buf_add(&all, (struct span){ part.p, before });
		buf_add(&all, buf_span(&quoted));
		buf_add(&all, span_from(part, before + given.raw.n));
		p->from = x->json.len;
		buf_add(&x->json, buf_span(&all));
		p->to = x->json.len;
	}
}

int qwen_name_plans(struct sending *x)
{
	struct buf path BUF_SCOPED = BUF_INTO(&x->json);
	struct buf plan BUF_SCOPED = BUF_INTO(&x->json);
	struct stat st;
	if (x->to->form == MESSAGE_FORM_TAKEN || !note_approved(x))
		return 0;
	buf_add(&path, process_agent_folder(span_of(x->s->log.path),
					    qwen_agent.depth));
	buf_adds(&path, "/plans/");
	session_id(x->s, &path);
	buf_adds(&path, ".md");
	const char *name = buf_cstr(&path);
	if (name && regular_read(x->s->log.gate, name, LIMIT, &st, &plan) == 0)
		put_texts(x, buf_span(&plan), buf_span(&path));
	return buf_error(&x->json);
}
