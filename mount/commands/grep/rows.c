#include "mount/commands/grep/rows.h"

#include <string.h>

bool grep_row_next(struct span *rest, struct grep_row *row)
{
	for (int i = 0; i < ROW_COLUMNS; i++) {
		const char *end =
			rest->n > 0 ? memchr(rest->p, '\0', rest->n) : NULL;
		if (!end)
			return false;
		row->column[i] = rest->p;
		rest->n -= (size_t)(end + 1 - rest->p);
		rest->p = end + 1;
	}
	return true;
}
