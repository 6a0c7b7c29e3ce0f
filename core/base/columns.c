#include "core/base/columns.h"

#include <string.h>
#include <wchar.h>

#include "core/base/text.h"

#define LOCALE_NAME "C.UTF-8"

void columns_set_locale(void)
{
	/* Without that locale, columns_begin() does not find it either. */
	setlocale(LC_CTYPE, LOCALE_NAME);
}

static bool thread_has_locale(void)
{
	const char *name = setlocale(LC_CTYPE, NULL);
	return uselocale((locale_t)0) == LC_GLOBAL_LOCALE && name &&
	       strcmp(name, LOCALE_NAME) == 0;
}

void columns_begin(struct columns *c)
{
	*c = (struct columns){ .utf8 = thread_has_locale() };
	if (c->utf8)
		return;
	c->own = newlocale(LC_CTYPE_MASK, LOCALE_NAME, (locale_t)0);
	c->utf8 = c->own != (locale_t)0;
	if (c->utf8)
		c->before = uselocale(c->own);
}

void columns_end(struct columns *c)
{
	if (c->own == (locale_t)0)
		return;
	uselocale(c->before);
	freelocale(c->own);
}

static size_t char_columns(const struct columns *c, struct span text,
			   size_t *len)
{
	/* Most are ASCII, in any locale. */
	*len = 1;
	if (*text.p >= 0x20 && *text.p < 0x7F)
		return 1;
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
		size_t w = char_columns(c, span_from(text, i), &len);
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
		text = span_from(text, len);
	}
	return total;
}

void columns_add_cut(const struct columns *c, struct buf *out, struct span text,
		     size_t columns)
{
	struct span fit = columns_fit(c, text, columns);
	if (fit.n == text.n) {
		buf_add(out, text);
	} else if (columns > 0) {
		buf_add(out, columns_fit(c, text, columns - 1));
		buf_adds(out, "…");
	}
}
