#include "core/dialects/kit/sending.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/json/timestamp.h"

int sending_run(struct sending *x, sending_pass *const *passes)
{
	int err = 0;
	for (size_t i = 0; passes[i] && !err; i++)
		err = passes[i](x);
	if (!err)
		err = buf_error(&x->json);
	if (!err)
		err = buf_error(x->to->out);
	free(x->list);
	free(x->calls);
	free(x->known);
	buf_free(&x->json);
	idset_free(&x->ids);
	return err;
}

int sending_add(struct sending *x, struct piece p)
{
	if (x->json.failed || array_reserve(&x->list, &x->cap, x->n, 1) < 0)
		return -ENOMEM;
	p.to = x->json.len;
	p.first_call = x->n_calls;
	x->list[x->n++] = p;
	return 0;
}

void sending_clear(struct sending *x)
{
	x->n = 0;
	x->n_calls = 0;
	buf_clear(&x->json);
}

struct json sending_json(const struct sending *x, const struct piece *p)
{
	return (struct json){ .raw = { x->json.data + p->from,
				       p->to - p->from } };
}

int sending_id(struct sending *x, struct json id, uint32_t *number)
{
	struct buf text BUF_SCOPED = { 0 };
	size_t n = x->ids.n;
	json_decode(&text, id);
	int err = buf_error(&text);
	if (!err && array_reserve(&x->known, &x->cap_known, n, 1) < 0)
		err = -ENOMEM;
	if (!err)
		err = idset_add(&x->ids, buf_span(&text), number);
	if (!err && *number == n)
		x->known[n] = (struct sent_id){ 0 };
	return err;
}

int sending_find_id(const struct sending *x, struct json id, uint32_t *number)
{
	struct buf text BUF_SCOPED = { 0 };
	json_decode(&text, id);
	*number = idset_find(&x->ids, buf_span(&text));
	return buf_error(&text);
}

int sending_add_call(struct sending *x, struct json id)
{
	struct sent_call call;
	int err = sending_id(x, id, &call.id);
	if (err || array_reserve(&x->calls, &x->cap_calls, x->n_calls, 1) < 0)
		return err ? err : -ENOMEM;
	call.repeated = x->known[call.id].called;
	x->known[call.id].called = true;
	x->calls[x->n_calls++] = call;
	x->list[x->n - 1].n_calls++;
	return 0;
}

int64_t sending_time(const struct sending *x, uint32_t entry)
{
	int64_t time = entry == INDEX_NONE ? TIMESTAMP_NONE
					   : session_entry(x->s, entry)->time;
	return time == TIMESTAMP_NONE ? 0 : time;
}
