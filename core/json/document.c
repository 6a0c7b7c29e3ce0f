#include "core/json/document.h"

#include <cjson/cJSON.h>
#include <string.h>

bool document_parse(struct document *d, struct span bytes)
{
	const char *end = NULL;
	d->root = NULL;
	if (bytes.n > DOCUMENT_LIMIT)
		return false;
	d->root = cJSON_ParseWithLengthOpts(bytes.p, bytes.n, &end, false);
	const char *past = bytes.p + bytes.n;
	while (d->root && end < past && strchr(" \t\r\n", *end) && *end != '\0')
		end++;
	if (d->root && end == past)
		return true;
	document_free(d);
	return false;
}

void document_free(struct document *d)
{
	cJSON_Delete(d->root);
	d->root = NULL;
}

const char *document_text(const struct document *d, const char *key)
{
	const char *text = NULL;
	const cJSON *member;
	cJSON_ArrayForEach(member, d->root)
	{
		if (member->string && strcmp(member->string, key) == 0)
			text = cJSON_GetStringValue(member);
	}
	return text;
}
