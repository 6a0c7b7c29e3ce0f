#include "mount/commands/fast_export/marks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/session/bookkeeping.h"

/* Above the marks of entries: INDEX_LIMIT is less. */
#define SEALS ((uint32_t)1 << 27)

uint32_t marks_seal(const struct session *s, uint32_t before)
{
	uint64_t digest = 0;
	for (uint32_t i = 0; i < before; i++) {
		const struct entry *e = session_entry(s, i);
		uint32_t parent = bookkeeping_shown_parent(&s->now.index, i);
		digest = hash_number(digest ^ e->digest);
		digest = hash_number(digest ^ parent ^
				     ((uint64_t)e->bookkeeping << 32));
	}
	return SEALS | (uint32_t)(digest >> 37);
}

/*
 * Read all lines ":MARK OBJECT": the highest mark of an entry, and whether the
 * seal is among them.
 */
static int scan(FILE *f, struct marks *m, uint32_t seal, bool *sealed)
{
	char line[128];
	*sealed = false;
	rewind(f);
	while (fgets(line, sizeof(line), f)) {
		uintmax_t mark;
		int at = 0;
		if (sscanf(line, ":%" SCNuMAX " %n", &mark, &at) != 1 || !at ||
		    !mark)
			return -EINVAL;
		m->digits = strspn(line + at, "0123456789abcdef");
		if (strcmp(line + at + m->digits, "\n") != 0)
			return -EINVAL;
		*sealed = *sealed || mark == seal;
		if (mark < SEALS && mark > m->written)
			m->written = (uint32_t)mark;
	}
	return ferror(f) ? -errno : 0;
}

int marks_read(struct marks *m, const char *path, const struct session *s)
{
	bool sealed;
	*m = (struct marks){ 0 };
	FILE *f = fopen(path, "re");
	if (!f)
		return errno == ENOENT ? 0 : -errno;
	int err = scan(f, m, 0, &sealed);
	if (!err && m->written > s->now.index.n)
		err = -ESTALE;
	if (!err && m->written > 0) {
		uint32_t seal = marks_seal(s, m->written);
		err = scan(f, m, seal, &sealed);
		if (!err && !sealed)
			err = -ESTALE;
	}
	fclose(f);
	return err;
}
