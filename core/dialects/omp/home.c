/*
 * The folders of oh-my-pi (pi-utils, dirs.ts; 18.3.4), as its environment sets
 * them: OMP_PROFILE, PI_PROFILE, PI_CONFIG_DIR, PI_CODING_AGENT_DIR,
 * XDG_DATA_HOME and HOME. Only this process's environment is read; the agent
 * also reads .env files.
 *
 * The functions append a path; `out` fails when memory runs out.
 */
#include "core/dialects/omp/omp.h"

#include <stdlib.h>
#include <unistd.h>

#include "core/base/text.h"
#include "core/dialects/kit/home.h"

/* The profile that an environment variable names; empty for the default. */
static struct span profile_of(const char *value)
{
	const struct span none = { "", 0 };
	struct span s = text_trim(value ? span_of(value) : none);
	if (s.n == 0 || s.n > 64 || span_eq(s, SPAN("default")) ||
	    s.p[s.n - 1] == '.')
		return none;
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		bool inner = i > 0 && memchr("._-", c, 3);
		if ((c < 'a' || c > 'z') && (c < '0' || c > '9') && !inner)
			return none;
	}
	return s;
}

static void add_root(struct buf *out, struct span profile)
{
	const char *name = home_variable("PI_CONFIG_DIR");
	home_add(out);
	buf_addc(out, '/');
	buf_adds(out, name ? name : ".omp");
	if (profile.n > 0) {
		buf_adds(out, "/profiles/");
		buf_add(out, profile);
	}
}

void omp_add_config_root(struct buf *out)
{
	add_root(out, (struct span){ "", 0 });
}

/* Append $XDG_DATA_HOME/omp, if it exists. */
static bool add_xdg(struct buf *out, struct span profile)
{
	const char *data = home_variable("XDG_DATA_HOME");
	size_t from = out->len;
	if (!data)
		return false;
	buf_adds(out, data);
	buf_adds(out, "/omp");
	if (profile.n > 0) {
		buf_adds(out, "/profiles/");
		buf_add(out, profile);
	}
	const char *path = buf_cstr(out);
	if (path && access(path + from, F_OK) == 0)
		return true;
	if (!out->failed)
		out->len = from;
	return false;
}

/*
 * Append PI_CODING_AGENT_DIR. The agent ignores it if there is a profile, or if
 * it is the folder of the profile in PI_PROFILE: then a parent process has set
 * it.
 */
static bool add_override(struct buf *out, struct span profile)
{
	const char *folder = home_variable("PI_CODING_AGENT_DIR");
	const char *from = getenv("PWD"); /* a daemon has changed to / */
	struct buf derived BUF_SCOPED = { 0 };
	if (!folder || profile.n > 0)
		return false;
	struct span inherited = profile_of(getenv("PI_PROFILE"));
	if (inherited.n > 0) {
		add_root(&derived, inherited);
		buf_adds(&derived, "/agent");
	}
	bool is_derived = span_eq(buf_span(&derived), span_of(folder));
	if (is_derived)
		return false;
	if (*folder != '/' && from) {
		buf_adds(out, from);
		buf_addc(out, '/');
	}
	buf_adds(out, folder);
	return true;
}

void omp_add_data_folder(struct buf *out)
{
	const char *omp = getenv("OMP_PROFILE");
	struct span profile = profile_of(omp ? omp : getenv("PI_PROFILE"));
	if (!add_override(out, profile) && !add_xdg(out, profile)) {
		add_root(out, profile);
		buf_adds(out, "/agent");
	}
}
