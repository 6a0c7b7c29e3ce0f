#include "core/dialects/claude/rules.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/dialects/claude/ingest.h"

#define VERSION(major, minor, patch) \
	((uint32_t)(major)*10000000 + (uint32_t)(minor)*100000 + (patch))

static const uint32_t first_with[CLAUDE_RULES] = {
	[CLAUDE_SENDS_COMMANDS] = VERSION(2, 1, 63),
	[CLAUDE_RENAMES_TASK] = VERSION(2, 1, 63),
	[CLAUDE_KEEPS_SEGMENT] = VERSION(2, 1, 76),
	[CLAUDE_COMPLETES] = VERSION(2, 1, 80),
	[CLAUDE_BRIDGES] = VERSION(2, 1, 91),
	[CLAUDE_LEAF_BY_PLACE] = VERSION(2, 1, 101),
	[CLAUDE_PINS] = VERSION(2, 1, 120),
	[CLAUDE_DROPS_PLACEHOLDERS] = VERSION(2, 1, 124),
	[CLAUDE_KEEPS_MESSAGES] = VERSION(2, 1, 141),
	[CLAUDE_DROPS_BLANKS] = VERSION(2, 1, 152),
	[CLAUDE_PINS_NOTHING] = VERSION(2, 1, 191),
	[CLAUDE_WRAPS_TASKS] = VERSION(2, 1, 234),
	[CLAUDE_SORTS_RESULTS] = VERSION(2, 1, 261),
	[CLAUDE_TELLS_OF_RESULTS] = VERSION(2, 1, 268),
	[CLAUDE_DROPS_EMPTY_TEXTS] = VERSION(2, 1, 277),
	[CLAUDE_SENDS_OPEN_CALLS] = VERSION(2, 1, 281),
};

/* A number of at most five digits, and what follows it. */
static bool read_part(struct span *text, uint32_t *part)
{
	size_t n = 0;
	*part = 0;
	for (; n < text->n && n < 5 && text->p[n] >= '0' && text->p[n] <= '9';
	     n++)
		*part = *part * 10 + (uint32_t)(text->p[n] - '0');
	*text = (struct span){ text->p + n, text->n - n };
	return n > 0;
}

static bool skip_dot(struct span *text)
{
	if (text->n == 0 || text->p[0] != '.')
		return false;
	*text = (struct span){ text->p + 1, text->n - 1 };
	return true;
}

uint32_t claude_version(struct json version)
{
	uint32_t major;
	uint32_t minor;
	uint32_t patch;
	if (json_type(version) != JSON_STRING)
		return 0;
	struct span text = { version.raw.p + 1, version.raw.n - 2 };
	if (!read_part(&text, &major) || !skip_dot(&text) ||
	    !read_part(&text, &minor) || !skip_dot(&text) ||
	    !read_part(&text, &patch))
		return 0;
	if (major > 400 || minor > 99)
		return 0;
	return VERSION(major, minor, patch);
}

uint32_t claude_rule_version(enum claude_rule rule)
{
	return first_with[rule];
}

bool claude_follows(const struct session *s, enum claude_rule rule)
{
	const struct claude *c = s->now.state;
	return c->version == 0 || c->version >= first_with[rule] ||
	       c->pinning >= first_with[rule];
}

void claude_rules_name(const struct session *s, struct buf *out)
{
	uint32_t last = 0;
	for (int i = 0; i < CLAUDE_RULES; i++) {
		if (claude_follows(s, (enum claude_rule)i))
			last = first_with[i];
	}
	if (last == 0)
		buf_adds(out, "2.0");
	else
		buf_addf(out, "%" PRIu32 ".%" PRIu32 ".%" PRIu32,
			 last / 10000000, last / 100000 % 100, last % 100000);
}
