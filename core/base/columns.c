#include "core/base/columns.h"

#include <locale.h>
#include <wchar.h>

#include "core/base/text.h"

void columns_set_locale(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");
}

static size_t char_columns(struct span text, size_t *len)
{
	/* Most are ASCII, in any locale. */
	*len = 1;
	if (*text.p >= 0x20 && *text.p < 0x7F)
		return 1;
	int w = wcwidth((wchar_t)text_code_point(text, len));
	return w < 0 ? 1 : (size_t)w;
}

struct span columns_fit(struct span text, size_t columns)
{
	size_t i = 0;
	while (i < text.n) {
		size_t len;
		size_t w = char_columns(span_from(text, i), &len);
		if (w > columns)
			break;
		columns -= w;
		i += len;
	}
	return (struct span){ text.p, i };
}

size_t columns_of(struct span text)
{
	size_t total = 0;
	while (text.n > 0) {
		size_t len;
		total += char_columns(text, &len);
		text = span_from(text, len);
	}
	return total;
}

void columns_add_cut(struct buf *out, struct span text, size_t columns)
{
	struct span fit = columns_fit(text, columns);
	if (fit.n == text.n) {
		buf_add(out, text);
	} else if (columns > 0) {
		buf_add(out, columns_fit(text, columns - 1));
		buf_adds(out, "…");
	}
}
