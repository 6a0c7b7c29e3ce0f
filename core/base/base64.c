#include "core/base/base64.h"

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

bool base64_is_strict(struct span text)
{
	size_t n = text.n;
	for (int i = 0; i < 2 && n > 0 && text.p[n - 1] == '='; i++)
		n--;
	for (size_t i = 0; i < n; i++) {
		if (digit(text.p[i]) < 0 || text.p[i] == '-' ||
		    text.p[i] == '_')
			return false;
	}
	/* The bits of the last digit that are of no byte. */
	int left = n % 4 == 2 ? 0x0F : n % 4 == 3 ? 0x03 : 0;
	return n > 0 && text.n % 4 == 0 && !(digit(text.p[n - 1]) & left);
}

void base64_encode(struct buf *out, struct span bytes)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *p = (const unsigned char *)bytes.p;
	char *to = buf_reserve(out, bytes.n / 3 * 4 + 4);
	if (!to)
		return;
	for (size_t i = 0; i < bytes.n; i += 3) {
		size_t left = bytes.n - i;
		uint32_t bits = (uint32_t)p[i] << 16;
		if (left > 1)
			bits |= (uint32_t)p[i + 1] << 8;
		if (left > 2)
			bits |= p[i + 2];
		*to++ = digits[bits >> 18];
		*to++ = digits[bits >> 12 & 0x3F];
		*to++ = left > 1 ? digits[bits >> 6 & 0x3F] : '=';
		*to++ = left > 2 ? digits[bits & 0x3F] : '=';
	}
	out->len = (size_t)(to - out->data);
}
