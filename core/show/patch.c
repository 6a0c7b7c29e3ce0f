#include "core/show/patch.h"

#include "core/base/text.h"

static const struct head {
	struct span word;
	enum file_act act;
} heads[] = {
	{ SPAN("*** Add File: "), FILE_WRITE },
	{ SPAN("*** Delete File: "), FILE_DELETE },
	{ SPAN("*** Update File: "), FILE_EDIT },
};

static struct span after(struct span s, size_t n)
{
	return text_trim(span_from(s, n));
}

/* Is the line the head of a file? */
static bool read_head(struct span line, struct patch_file *f)
{
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		if (!span_starts(line, heads[i].word))
			continue;
		f->act = heads[i].act;
		f->path = after(line, heads[i].word.n);
		return f->path.n > 0;
	}
	line = text_trim(line);
	const char *tag = line.n > 0 ? memrchr(line.p, '#', line.n) : NULL;
	if (!tag || line.p[0] != '[' || line.p[line.n - 1] != ']')
		return false;
	f->act = FILE_EDIT;
	f->path = (struct span){ line.p + 1, (size_t)(tag - line.p) - 1 };
	return f->path.n > 0;
}

/* What a line after the head says of the file. */
static void read_line(struct span line, bool starred, struct patch_file *f)
{
	static const struct span move = SPAN("*** Move to: ");
	static const struct span short_move = SPAN("MV ");
	struct span word = starred ? move : short_move;
	if (span_starts(line, word)) {
		f->act = FILE_MOVE;
		f->to = after(line, word.n);
	} else if (!starred && span_eq(text_trim(line), SPAN("REM"))) {
		f->act = FILE_DELETE;
	}
}

bool patch_next(struct span *patch, struct patch_file *f)
{
	*f = (struct patch_file){ .act = FILE_NONE };
	bool starred = false;
	while (patch->n > 0 && f->path.n == 0) {
		struct span line = span_next_line(patch);
		starred = line.n > 0 && line.p[0] == '*';
		read_head(line, f);
	}
	if (f->path.n == 0)
		return false;
	f->body = (struct span){ patch->p, 0 };
	while (patch->n > 0) {
		struct span rest = *patch;
		struct span line = span_next_line(&rest);
		struct patch_file next;
		/* A line of a hunk may begin with a bracket. */
		bool may = line.n > 0 && (line.p[0] == '*' || !starred);
		if ((may && read_head(line, &next)) ||
		    span_starts(line, SPAN("*** End Patch")))
			break;
		read_line(line, starred, f);
		*patch = rest;
	}
	f->body.n = (size_t)(patch->p - f->body.p);
	return true;
}
