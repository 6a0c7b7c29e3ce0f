/*
 * What oh-my-pi's program says in a developer's message, of itself or of how a
 * turn went (prompts/system/; 18.3.4). It is known by the tag at its start.
 */
#include "core/dialects/omp/omp.h"

#include "core/session/block.h"

bool omp_is_note(struct json content)
{
	static const char *const marks[] = {
		"<system-reminder",	    "<system-warning",
		"<system-injection",	    "<system-interrupt",
		"<context-window-reminder",
	};
	struct buf text = { 0 };
	bool is = false;
	json_decode(&text, block_first_text(block_read_pi, content));
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]) && !is; i++)
		is = span_starts(buf_span(&text), span_of(marks[i]));
	buf_free(&text);
	return is;
}
