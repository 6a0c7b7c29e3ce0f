#include "core/dialect.h"

static const struct dialect *const dialects[] = {
	&dialect_pi,
};

const struct dialect *dialect_of(struct json first)
{
	for (size_t i = 0; i < sizeof(dialects) / sizeof(dialects[0]); i++) {
		if (dialects[i]->claims(first))
			return dialects[i];
	}
	return NULL;
}
