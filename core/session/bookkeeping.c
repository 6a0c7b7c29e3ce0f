#include "core/session/bookkeeping.h"

void bookkeeping_resolve(struct index *x, uint32_t entry)
{
	struct entry *list = x->entries;
	uint32_t top = entry;
	while (top != INDEX_NONE &&
	       list[top].stands_for == BOOKKEEPING_UNRESOLVED &&
	       list[top].bookkeeping)
		top = list[top].parent;
	uint32_t found = top;
	if (top != INDEX_NONE && list[top].bookkeeping)
		found = list[top].stands_for;
	for (; entry != top; entry = list[entry].parent)
		list[entry].stands_for = found;
	if (top != INDEX_NONE && !list[top].bookkeeping)
		list[top].stands_for = top;
}

void bookkeeping_continue(struct index *x, uint32_t entry)
{
	uint32_t shown = bookkeeping_shown_parent(x, entry);
	if (!x->entries[entry].bookkeeping && shown != INDEX_NONE)
		x->entries[shown].continues = true;
}

uint32_t bookkeeping_next_below(const struct index *x, uint32_t top,
				uint32_t at)
{
	if (at == INDEX_NONE)
		return index_child_from(x, top, 0);
	return index_next_below(x, top, at, x->entries[at].bookkeeping);
}
