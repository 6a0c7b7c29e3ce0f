#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/base/text.h"
#include "core/file/whole.h"
#include "core/json/writer.h"
#include "core/session/session.h"
#include "mount/cli/status.h"
#include "mount/commands/commands.h"
#include "mount/operands/target.h"

static int say(const struct options *o)
{
	struct target t;
	struct buf text BUF_SCOPED = { 0 };
	struct buf utf8 BUF_SCOPED = { 0 };
	struct buf line BUF_SCOPED = { 0 };
	struct json_writer w = { .out = &line };
	int err = 0;
	int status = target_session(&t, o->n_names > 1 ? o->names[1] : NULL);
	/* Nothing else tells where the message is. */
	if (!status)
		status = target_tell(&t, true);
	bool is_input = !status && strcmp(o->names[0], "-") == 0;
	if (is_input)
		err = whole_read_all(STDIN_FILENO, &text);
	else
		buf_adds(&text, o->names[0]);
	if (is_input && span_ends(buf_span(&text), SPAN("\n")))
		text.len--;
	text_add_utf8(&utf8, buf_span(&text));
	json_begin_object(&w, NULL);
	json_write_word(&w, "role", "user");
	json_write_string_buf(&w, "content", &utf8);
	json_end_object(&w);
	if (!err)
		err = buf_error(&text) ? -ENOMEM : buf_error(&line);
	if (!status && err)
		status = status_error("-", err);
	else if (!status && text.len == 0)
		status = status_fail(t.source, "the message is empty");
	else if (!status && t.at != session_head(t.session))
		status = status_fail(o->names[1],
				     "a message goes below HEAD: switch to the "
				     "entry first");
	else if (!status)
		status = target_append(&t, buf_span(&line));
	target_free(&t);
	return status;
}

const struct command command_say = {
	.name = "say",
	.usage = "[--] TEXT [PATH]",
	.help = "Append TEXT (-: standard input) as a user's message.\n\n"
		"It goes below HEAD. PATH is the session, or in it.",
	.least = 1,
	.most = 2,
	.run = say,
};
