#include "core/dialects/omp/message_text.h"

#include "core/dialects/omp/notice.h"
#include "core/json/js.h"

/* The words of the two kinds of executions. */
struct execution {
	const char *of; /* the member with the command or code */
	const char *before;
	const char *after;
	const char *output;
	const char *cancelled;
	const char *failed;
};

static const struct execution bash = {
	"command",
	"Ran `",
	"`\n",
	"```\n",
	"\n\n(command cancelled)",
	"\n\nCommand exited with code ",
};
static const struct execution python = {
	"code",
	"Ran Python:\n```python\n",
	"\n```\n",
	"Output:\n```\n",
	"\n\n(execution cancelled)",
	"\n\nExecution failed with code ",
};

static void add_execution(struct buf *out, const struct execution *e,
			  struct json message)
{
	JSON_FIELDS(f, message, output, cancelled, exitCode, meta);
	buf_adds(out, e->before);
	js_to_string(out, json_get(message, e->of));
	buf_adds(out, e->after);
	if (json_truthy(f.output)) {
		buf_adds(out, e->output);
		js_to_string(out, f.output);
		buf_adds(out, "\n```");
	} else {
		buf_adds(out, "(no output)");
	}
	bool zero = json_type(f.exitCode) == JSON_NUMBER &&
		    json_number(f.exitCode) == 0;
	if (json_truthy(f.cancelled)) {
		buf_adds(out, e->cancelled);
	} else if (!js_is_nullish(f.exitCode) && !zero) {
		buf_adds(out, e->failed);
		js_to_string(out, f.exitCode);
	}
	omp_notice_add(out, f.meta);
}

bool omp_add_files(struct buf *out, struct json files, enum omp_files which)
{
	struct json_walk w = json_walk(files);
	struct json file;
	bool any = false;
	while (json_type(files) == JSON_ARRAY && json_next_element(&w, &file)) {
		JSON_FIELDS(f, file, path, content, image);
		if (which != OMP_FILES_ALL &&
		    json_truthy(f.image) != (which == OMP_FILES_IMAGE))
			continue;
		buf_adds(out, any ? "\n<file path=\"" : "<file path=\"");
		js_to_string(out, f.path);
		buf_adds(out, "\">\n");
		if (json_truthy(f.content)) {
			js_to_string(out, f.content);
			buf_addc(out, '\n');
		}
		buf_adds(out, "</file>");
		any = true;
	}
	return any;
}

bool omp_message_text(struct buf *out, struct json message)
{
	struct json role = json_get(message, "role");
	if (json_is(role, SPAN("bashExecution")))
		add_execution(out, &bash, message);
	else if (json_is(role, SPAN("pythonExecution")))
		add_execution(out, &python, message);
	else if (json_is(role, SPAN("fileMention")))
		omp_add_files(out, json_get(message, "files"), OMP_FILES_ALL);
	else
		return false;
	return true;
}
