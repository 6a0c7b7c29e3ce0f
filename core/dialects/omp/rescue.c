#include "core/dialects/omp/rescue.h"

#include "core/dialects/omp/title.h"
#include "core/dialects/pi/pi.h"

static bool is_line(struct json object)
{
	return pi_is_line(object) || omp_title_is_slot(object);
}

const struct dialect_rescue omp_rescue = {
	.opens = "omp --resume ",
	.id = "id",
	.parent = "parentId",
	.time = "timestamp",
	.leaf_is_last = true,
	.is_line = is_line,
	.is_header = pi_is_header,
	.is_start = omp_title_is_slot,
	.make_header = pi_make_header,
};
