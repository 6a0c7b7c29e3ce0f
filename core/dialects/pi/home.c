/*
 * Where Pi keeps sessions: PI_CODING_AGENT_SESSION_DIR, else `sessionDir` in
 * the settings of the working directory or of the user, else a folder for each
 * working directory in ~/.pi/agent/sessions (PI_CODING_AGENT_DIR).
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/text.h"
#include "core/dialects/kit/home.h"
#include "core/dialects/pi/pi.h"
#include "core/file/whole.h"
#include "core/json/document.h"

static void add_folder(struct buf *out)
{
	home_add_variable(out, "PI_CODING_AGENT_DIR", ".pi/agent");
}

/* Append the bytes of a file of settings. A link is followed, as Pi does. */
static int read_settings(const char *path, struct buf *out)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	int err = fstat(fd, &st) < 0 ? -errno : 0;
	if (!err &&
	    (!S_ISREG(st.st_mode) || st.st_size > (off_t)DOCUMENT_LIMIT))
		err = -EINVAL;
	if (!err)
		err = whole_read_file(fd, (size_t)st.st_size, out);
	close(fd);
	return err;
}

/* Append the setting that FOLDER/NAME has, as a path. */
static void add_setting(struct buf *out, struct span folder, const char *name)
{
	struct buf path BUF_SCOPED = BUF_INTO(out);
	struct buf bytes BUF_SCOPED = { 0 };
	struct buf value BUF_SCOPED = BUF_INTO(out);
	struct document settings;
	buf_add(&path, folder);
	buf_adds(&path, name);
	const char *text = buf_cstr(&path);
	if (text && read_settings(text, &bytes) == 0 &&
	    document_parse(&settings, buf_span(&bytes))) {
		const char *set = document_text(&settings, "sessionDir");
		buf_adds(&value, set ? set : "");
		document_free(&settings);
	}
	text_finish(&value, 0);
	home_add_path(out, buf_span(&value));
}

/* The first setting that there is, or all of them. *n counts them. */
static int find_in_settings(const struct home_search *h, struct span own,
			    unsigned *n)
{
	const struct {
		struct span folder;
		const char *name;
	} files[] = {
		{ span_of(h->dir ? h->dir : "."), "/.pi/settings.json" },
		{ own, "/settings.json" },
	};
	int err = 0;
	*n = 0;
	for (size_t i = 0; i < 2 && !err && !(h->dir && *n > 0); i++) {
		struct buf path BUF_SCOPED = { 0 };
		add_setting(&path, files[i].folder, files[i].name);
		if (path.failed)
			err = -ENOMEM;
		else if (path.len > 0)
			err = h->add(h, buf_span(&path), h->dir != NULL);
		*n += path.len > 0;
	}
	return err;
}

static int find(const struct home_search *h)
{
	const char *set = home_variable("PI_CODING_AGENT_SESSION_DIR");
	struct buf own BUF_SCOPED = { 0 };
	struct buf name BUF_SCOPED = BUF_INTO(&own);
	unsigned n = 0;
	int err = 0;
	if (set) {
		home_add_path(&own, span_of(set));
		err = own.failed ? -ENOMEM
				 : h->add(h, buf_span(&own), h->dir != NULL);
		buf_clear(&own);
	}
	add_folder(&own);
	if (!err && !(set && h->dir))
		err = find_in_settings(h, buf_span(&own), &n);
	/* The folder of a directory, or that of all, in the agent's own. */
	buf_adds(&name, "sessions");
	if (h->dir) {
		buf_addc(&name, '/');
		home_add_absolute_name(&name, h->dir);
	}
	if (!err && !(h->dir && (set || n > 0)))
		err = home_found(h, &own, buf_span(&name), false);
	return err;
}

const struct dialect_home pi_home = {
	.agent = "Pi",
	.find = find,
	.add_folder = add_folder,
};
