/*
 * Where Pi and oh-my-pi find a copy of a session: FOLDER/TIME_ID.jsonl, by the
 * header's time and id (dialect_resuming.find_copy). They open it by its path.
 */
#include <errno.h>

#include "core/dialects/kit/copy.h"
#include "core/dialects/pi/pi.h"
#include "core/session/file_name.h"

#define TIME_SIZE 24

int pi_find_copy(const struct session *s, struct resuming_copy *c)
{
	struct json header = copy_line_with(c->branch, "id");
	struct buf id = { 0 };
	(void)s;
	if (json_type(header) == JSON_ABSENT)
		return -EBADMSG;
	json_decode(&id, json_get(header, "id"));
	buf_addf(&c->path, "%s/", c->folders[0]);
	copy_add_time(&c->path, json_get(header, "timestamp"), TIME_SIZE);
	buf_addc(&c->path, '_');
	file_name_add(&c->path, buf_span(&id), FILE_NAME_ALONE);
	buf_adds(&c->path, ".jsonl");
	buf_free_into(&id, &c->path);
	return buf_error(&c->path);
}
