#include "mount/cli/option_values.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/buf.h"
#include "core/dialects/registry.h"
#include "core/places/agents.h"
#include "mount/cli/status.h"

bool options_number(const char *option, const char *text, unsigned least,
		    unsigned most, unsigned *n)
{
	char *end;
	if (!text)
		return true;
	unsigned long long v = strtoull(text, &end, 10);
	if (isdigit((unsigned char)text[0]) && !*end && v >= least &&
	    v <= most) {
		*n = (unsigned)v;
		return true;
	}
	fprintf(stderr, "sessfs: %s=%s: must be a number from %u to %u\n",
		option, text, least, most);
	return false;
}

bool options_dialect(const char *name, const struct dialect **to)
{
	if (!name)
		return true;
	*to = dialect_named(span_of(name));
	if (*to)
		return true;
	struct buf names = { 0 };
	dialect_add_names(&names);
	const char *list = buf_cstr(&names);
	fprintf(stderr, "sessfs: unknown dialect '%s'; known: %s\n", name,
		list ? list : "");
	buf_free(&names);
	return false;
}

bool options_agent(const char *name, const struct dialect **to)
{
	if (!name)
		return true;
	*to = agent_named(&dialect_registry, name);
	if (*to)
		return true;
	struct buf reason = { 0 };
	buf_adds(&reason, "no such agent; there are ");
	agent_add_names(&dialect_registry, &reason);
	(void)status_fail_made(name, &reason);
	return false;
}
