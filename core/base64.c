#include "core/base64.h"

#include <stdint.h>

static int digit(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	if (c == '+' || c == '-')
		return 62;
	return c == '/' || c == '_' ? 63 : -1;
}

void base64_decode(struct buf *out, struct span text)
{
	char *to = buf_reserve(out, text.n / 4 * 3 + 3);
	if (!to)
		return;
	uint32_t bits = 0;
	int have = 0;
	for (size_t i = 0; i < text.n && text.p[i] != '='; i++) {
		int d = digit(text.p[i]);
		if (d < 0)
			continue;
		bits = bits << 6 | (uint32_t)d;
		have += 6;
		if (have >= 8) {
			have -= 8;
			*to++ = (char)(bits >> have & 0xFF);
		}
	}
	out->len = (size_t)(to - out->data);
}
