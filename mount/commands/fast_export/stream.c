#include "mount/commands/fast_export/stream.h"

/* The digits of a size that is not known yet: git skips zeros. */
#define SIZE_DIGITS 12

size_t stream_begin_data(struct buf *out)
{
	buf_adds(out, "data ");
	buf_fill(out, '0', SIZE_DIGITS);
	buf_addc(out, '\n');
	return out->len;
}

void stream_end_data(struct buf *out, size_t from)
{
	size_t size = out->len - from;
	if (out->failed)
		return;
	for (char *digit = out->data + from - 1; size > 0; size /= 10)
		*--digit = (char)('0' + size % 10);
	buf_addc(out, '\n');
}
