#include "core/base/columns.h"

#include <wchar.h>

#include "core/base/text.h"

void columns_begin(struct columns *c)
{
	c->utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	if (c->utf8)
		c->before = uselocale(c->utf8);
}

void columns_end(struct columns *c)
{
	if (!c->utf8)
		return;
	uselocale(c->before);
	freelocale(c->utf8);
}

static size_t char_columns(const struct columns *c, struct span text,
			   size_t *len)
{
	uint32_t cp = text_code_point(text, len);
	int w = c->utf8 ? wcwidth((wchar_t)cp) : 1;
	return w < 0 ? 1 : (size_t)w;
}

struct span columns_fit(const struct columns *c, struct span text,
			size_t columns)
{
	size_t i = 0;
	while (i < text.n) {
		size_t len;
		size_t w = char_columns(
			c, (struct span){ text.p + i, text.n - i }, &len);
		if (w > columns)
			break;
		columns -= w;
		i += len;
	}
	return (struct span){ text.p, i };
}

size_t columns_of(const struct columns *c, struct span text)
{
	size_t total = 0;
	while (text.n > 0) {
		size_t len;
		total += char_columns(c, text, &len);
		text.p += len;
		text.n -= len;
	}
	return total;
}
