/*
 * Calls of tools and their outputs.
 *
 *   - An output whose call is not sent is dropped, unless it has no call_id, or
 *     is of a search of tools by the server.
 *   - A call without an output is followed by one that the agent makes up:
 *     "aborted", or no tools for a search of tools. If the call has an id, so
 *     has the output, one that is derived from it.
 *
 * A call and an output belong together by their kind and call_id, wherever they
 * stand.
 */
#include "core/dialects/codex/codex.h"

/* The kinds of calls. Of an id, bit k: such a call; bit k + 4: its output. */
static const struct kind {
	enum codex_item_type output;
	const char *name;
	const char *prefix; /* of an output's id */
	enum codex_item_type calls[2];
} kinds[] = {
	{ CODEX_FUNCTION_OUTPUT,
	  "function_call_output",
	  "fco",
	  { CODEX_FUNCTION_CALL, CODEX_SHELL_CALL } },
	{ CODEX_CUSTOM_OUTPUT,
	  "custom_tool_call_output",
	  "ctco",
	  { CODEX_CUSTOM_CALL, CODEX_CUSTOM_CALL } },
	{ CODEX_SEARCH_OUTPUT,
	  "tool_search_output",
	  "tso",
	  { CODEX_SEARCH_CALL, CODEX_SEARCH_CALL } },
};
#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))
#define CALL_BIT(k) ((uint8_t)(1U << (k)))
#define OUTPUT_BIT(k) ((uint8_t)(16U << (k)))

/* The bit of a piece, or 0. */
static uint8_t bit_of(const struct piece *p)
{
	for (size_t k = 0; k < N_KINDS; k++) {
		if (p->kind == kinds[k].output)
			return OUTPUT_BIT(k);
		if (p->kind == kinds[k].calls[0] ||
		    p->kind == kinds[k].calls[1])
			return CALL_BIT(k);
	}
	return 0;
}

int codex_note_calls(struct sending *x)
{
	int err = 0;
	for (uint32_t i = 0; i < x->n && !err; i++) {
		uint8_t bit = bit_of(&x->list[i]);
		uint32_t number;
		if (!bit)
			continue;
		struct json id =
			json_get(sending_json(x, &x->list[i]), "call_id");
		if (!json_is_string(id))
			continue;
		err = sending_id(x, id, &number);
		if (!err)
			x->known[number].flags |= bit;
	}
	return err;
}

/* Is something with the bit among what is sent? 1, 0 or -errno. */
static int is_sent(const struct sending *x, struct json id, uint8_t bit)
{
	uint32_t number;
	int err = sending_find_id(x, id, &number);
	return err ? err
		   : number != IDSET_NONE && (x->known[number].flags & bit);
}

int codex_drop_orphan_outputs(struct sending *x)
{
	for (uint32_t i = 0; i < x->n; i++) {
		struct piece *p = &x->list[i];
		uint8_t bit = bit_of(p);
		if (bit < OUTPUT_BIT(0))
			continue;
		JSON_FIELDS(f, sending_json(x, p), type, call_id, execution);
		if (!json_is_string(f.call_id) ||
		    (json_is(f.type, SPAN("tool_search_output")) &&
		     json_is(f.execution, SPAN("server"))))
			continue;
		int called = is_sent(x, f.call_id, bit >> 4);
		if (called < 0)
			return called;
		p->dropped = called == 0;
	}
	return 0;
}

/* A UUID of version 5 in a name space of the agent's, made from the call's. */
static void write_derived_id(struct json_writer *w, const char *prefix,
			     struct json of)
{
	static const struct id_space space = {
		.uuid = { 0x90, 0xd3, 0x8d, 0x3e, 0x6a, 0x5b, 0x4d, 0x52, 0xbf,
			  0xe2, 0x2f, 0x1e, 0x63, 0x4b, 0xfa, 0xc4 }
	};
	struct buf id BUF_SCOPED = { 0 };
	struct buf name BUF_SCOPED = BUF_INTO(&id);
	buf_addf(&name, "%s:", prefix);
	json_decode(&name, of);
	buf_addf(&id, "%s_", prefix);
	ids_derive_uuid(&space, &id, buf_span(&name));
	json_write_string_buf(w, "id", &id);
}

int codex_write_missing_output(const struct sending *x,
			       const struct piece *call, struct json_writer *w)
{
	JSON_FIELDS(f, sending_json(x, call), id, call_id);
	size_t k = 0;
	while (k < N_KINDS && bit_of(call) != CALL_BIT(k))
		k++;
	if (k == N_KINDS || !json_is_string(f.call_id))
		return 0;
	int has = is_sent(x, f.call_id, OUTPUT_BIT(k));
	if (has != 0)
		return has < 0 ? has : 0;
	json_begin_object(w, NULL);
	json_write_word(w, "type", kinds[k].name);
	if (json_truthy(f.id))
		write_derived_id(w, kinds[k].prefix, f.id);
	json_write_value(w, "call_id", f.call_id);
	if (kinds[k].output == CODEX_SEARCH_OUTPUT) {
		json_write_word(w, "status", "completed");
		json_write_word(w, "execution", "client");
		json_begin_array(w, "tools");
		json_end_array(w);
	} else {
		json_write_word(w, "output", "aborted");
	}
	json_end_object(w);
	return 1;
}
