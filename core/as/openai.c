#include "core/as/api.h"

int as_openai(const struct conversation *c, struct buf *out)
{
	(void)c;
	buf_adds(out, "[]\n");
	return buf_error(out);
}

int as_responses(const struct conversation *c, struct buf *out)
{
	(void)c;
	buf_adds(out, "[]\n");
	return buf_error(out);
}
