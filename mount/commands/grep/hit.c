#include "mount/commands/grep/hit.h"

#include <string.h>

bool grep_hit_next(struct span *rest, struct grep_hit *h)
{
	size_t i = 0;
	*h = (struct grep_hit){ 0 };
	while (i < rest->n && rest->p[i] >= '0' && rest->p[i] <= '9')
		h->line = 10 * h->line + (uint64_t)(rest->p[i++] - '0');
	if (i == 0 || i == rest->n)
		return false;
	h->selected = rest->p[i] == ':';
	i++;
	const char *end = memchr(rest->p + i, '\n', rest->n - i);
	if (!end)
		return false;
	h->text =
		(struct span){ rest->p + i, (size_t)(end - (rest->p + i)) + 1 };
	rest->n -= (size_t)(end + 1 - rest->p);
	rest->p = end + 1;
	return true;
}

bool grep_hit_any(struct span found)
{
	struct grep_hit h;
	while (grep_hit_next(&found, &h)) {
		if (h.selected)
			return true;
	}
	return false;
}
