#include "mount/cli/mount_options.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/span.h"
#include "core/places/places.h"
#include "core/show/outline.h"
#include "mount/cli/command.h"

#define MOUNT TAKEN_BY_MOUNT
#define EXPORT TAKEN_BY_EXPORT
#define READING (TAKEN_BY_READING | TAKEN_BY_EXPORT)
#define LIST TAKEN_BY_LIST

#define FLAG(name, help, takers, rare, member)                     \
	{                                                          \
		name, NULL, help, takers, rare, MOUNT_OPTION_FLAG, \
			offsetof(struct options, member), 0, 0     \
	}
#define NUMBER(name, value, help, takers, rare, member, least, most)  \
	{                                                             \
		name, value, help, takers, rare, MOUNT_OPTION_NUMBER, \
			offsetof(struct options, member), least, most \
	}
#define OTHER(name, help, rare)                                            \
	{                                                                  \
		name, NULL, help, MOUNT, rare, MOUNT_OPTION_OTHER, 0, 0, 0 \
	}

const struct mount_option mount_options[] = {
	FLAG("ro", "refuse every write", MOUNT | EXPORT, false, read_only),
	FLAG("force", "write even if a running agent has the session open",
	     MOUNT | EXPORT, false, force),
	{ "dialect", "NAME",
	  "read sessions in this format, whatever their lines say",
	  MOUNT | READING | LIST, false, MOUNT_OPTION_DIALECT,
	  offsetof(struct options, dialect), 0, 0 },
	NUMBER("keep", "N", "keep at most N sessions of a folder in memory",
	       MOUNT | READING, true, keep, 1, PLACES_KEEP_MAX),
	{ "poll", "SECONDS",
	  "check files this often (1 on network filesystems)", MOUNT, true,
	  MOUNT_OPTION_SECONDS, offsetof(struct options, poll), 0, 0 },
	FLAG("stats", "count requests, and show the counts in info",
	     MOUNT | EXPORT, true, stats),
	FLAG("color", "color tree.txt (less -R)", MOUNT | EXPORT, false, color),
	NUMBER("columns", "N", "cut the lines of tree.txt (100)",
	       MOUNT | EXPORT, true, columns, OUTLINE_COLUMNS_LEAST,
	       OUTLINE_COLUMNS_MOST),
	FLAG("resumable", "only what agents would go on from", LIST, false,
	     resumable),
	OTHER("allow_other",
	      "let other users in, if the mode of SOURCE allows it", false),
	OTHER("auto_unmount", "unmount when the daemon dies", true),
	NUMBER("max_read", "N", "read N bytes in a request at most", MOUNT,
	       true, max_read, 0, INT_MAX),
	{ NULL, NULL, NULL, 0, false, MOUNT_OPTION_OTHER, 0, 0, 0 },
};

static bool take_seconds(const char *option, const char *text, double *to)
{
	char *end;
	double seconds = strtod(text, &end);
	if (end != text && !*end && seconds >= 0.01 && seconds <= 86400) {
		*to = seconds;
		return true;
	}
	fprintf(stderr,
		"sessfs: %s=%s: must be a number of seconds from 0.01 to "
		"86400\n",
		option, text);
	return false;
}

static bool take(const struct mount_option *row, struct options *o,
		 const char *value)
{
	void *at = (char *)o + row->at;
	switch (row->kind) {
	case MOUNT_OPTION_FLAG:
		*(int *)at = 1;
		return true;
	case MOUNT_OPTION_NUMBER:
		return options_number(row->name, value, row->least, row->most,
				      at);
	case MOUNT_OPTION_SECONDS:
		return take_seconds(row->name, value, at);
	case MOUNT_OPTION_DIALECT:
		return options_dialect(value, at);
	case MOUNT_OPTION_OTHER:
		break;
	}
	return true;
}

enum mount_option_taken mount_option_take(unsigned takers, struct options *o,
					  const char *option)
{
	const char *equals = strchr(option, '=');
	struct span name = { option, equals ? (size_t)(equals - option)
					    : strlen(option) };
	const struct mount_option *row = mount_options;
	while (row->name && !span_eq(span_of(row->name), name))
		row++;
	if (!row->name || !(row->takers & takers) ||
	    row->kind == MOUNT_OPTION_OTHER || !row->value != !equals)
		return MOUNT_OPTION_UNKNOWN;
	return take(row, o, equals ? equals + 1 : "") ? MOUNT_OPTION_TAKEN
						      : MOUNT_OPTION_WRONG;
}

void mount_options_print(unsigned takers)
{
	for (const struct mount_option *row = mount_options; row->name; row++) {
		char left[64];
		snprintf(left, sizeof(left), "-o %s%s%s", row->name,
			 row->value ? "=" : "", row->value ? row->value : "");
		bool is_left_out = row->is_rare && takers == TAKEN_BY_MOUNT;
		if (row->takers & takers && !is_left_out)
			printf("  %-18s %s\n", left, row->help);
	}
}
