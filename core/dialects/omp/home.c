/*
 * The folders of oh-my-pi (pi-utils, dirs.ts; 18.3.4), as its environment sets
 * them: OMP_PROFILE, PI_PROFILE, PI_CONFIG_DIR, PI_CODING_AGENT_DIR,
 * XDG_DATA_HOME and HOME. Only this process's environment is read; the agent
 * also reads .env files.
 *
 * Sessions are in ~/.omp/agent/sessions (PI_CONFIG_DIR, PI_CODING_AGENT_DIR),
 * in its profiles, and below XDG_DATA_HOME. A working directory has a folder
 * there, for which versions have had several names.
 */
#include "core/dialects/omp/omp.h"

#include <errno.h>
#include <sha2.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/pathname.h"
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

static void add_profile(struct buf *out, struct span profile)
{
	buf_adds(out, profile.n > 0 ? "/profiles/" : "");
	buf_add(out, profile);
}

static void add_root(struct buf *out, struct span profile)
{
	const char *name = home_variable("PI_CONFIG_DIR");
	home_add(out);
	buf_addc(out, '/');
	buf_adds(out, name ? name : ".omp");
	add_profile(out, profile);
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
	add_profile(out, profile);
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

/* -- folders of sessions */

/* The names that the folder of a directory may have. */
struct names {
	struct buf relative; /* the one of today */
	struct buf absolute;
	/* Of 17.2.5 to 17.2.8: home-TEXT-HASH, or tmp- or abs-. */
	char hash[SHA256_DIGEST_STRING_LENGTH];
};

struct searching {
	const struct home_search *h;
	struct names names;
	const char *below; /* the folder of sessions in a profile */
};

/* Append a name for a directory below another one. */
static void add_below(struct buf *out, const char *prefix, const char *dir,
		      struct span top)
{
	buf_adds(out, prefix);
	dir += top.n;
	dir += *dir == '/';
	if (*dir)
		buf_addc(out, '-');
	home_add_dashed(out, span_of(dir));
}

/* Append the path of a directory without symlinks; else the path as it is. */
static void add_real(struct buf *out, struct span path)
{
	char *text = strndup(path.p, path.n);
	char *real = text ? realpath(text, NULL) : NULL;
	if (real)
		path = span_of(real);
	buf_add(out, path);
	if (!text)
		buf_fail(out);
	free(real);
	free(text);
}

static bool is_below(const char *dir, const char *top)
{
	return top && *top && pathname_is_below(dir, top);
}

static void add_relative_name(struct buf *out, const char *dir)
{
	struct buf plain BUF_SCOPED = BUF_INTO(out);
	struct buf home BUF_SCOPED = BUF_INTO(out);
	struct buf temporary BUF_SCOPED = BUF_INTO(out);
	const char *tmp = home_variable("TMPDIR");
	tmp = tmp ? tmp : home_variable("TMP");
	tmp = tmp ? tmp : home_variable("TEMP");
	home_add(&plain);
	add_real(&home, plain.len > 0 ? buf_span(&plain) : SPAN("/"));
	add_real(&temporary, span_of(tmp ? tmp : "/tmp"));
	if (is_below(dir, buf_cstr(&home))) {
		add_below(out, strcmp(dir, home.data) == 0 ? "-" : "", dir,
			  buf_span(&home));
	} else if (is_below(dir, buf_cstr(&temporary))) {
		add_below(out, "-tmp", dir, buf_span(&temporary));
	} else {
		home_add_absolute_name(out, dir);
	}
}

static int find_hashed(void *data, struct span path)
{
	static const struct span starts[] = { SPAN("home-"), SPAN("tmp-"),
					      SPAN("abs-") };
	const struct searching *s = data;
	struct span name = span_last_part(path);
	struct span hash = span_of(s->names.hash);
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		if (name.n > starts[i].n + hash.n &&
		    span_starts(name, starts[i]) && span_ends(name, hash))
			return s->h->add(s->h, path, false);
	}
	return 0;
}

static bool is_there(const struct buf *folder, const char *name)
{
	struct buf path BUF_SCOPED = { 0 };
	buf_add(&path, buf_span(folder));
	buf_addf(&path, "/%s", name);
	const char *text = buf_cstr(&path);
	return text && access(text, F_OK) == 0;
}

/* A folder of the folders of directories: itself, or those of one directory. */
static int find_in(struct searching *s, const struct buf *folder)
{
	const struct home_search *h = s->h;
	if (!h->dir)
		return folder->failed ? -ENOMEM
				      : h->add(h, buf_span(folder), false);
	int err = home_found(h, folder, buf_span(&s->names.relative), false);
	const char *absolute = buf_cstr(&s->names.absolute);
	if (!err && absolute && is_there(folder, absolute))
		err = home_found(h, folder, span_of(absolute), false);
	return err ? err : home_each(folder, SPAN(""), find_hashed, s);
}

static int find_in_profile(void *data, struct span path)
{
	struct searching *s = data;
	struct buf folder BUF_SCOPED = { 0 };
	buf_add(&folder, path);
	int err = 0;
	if (is_there(&folder, s->below)) {
		buf_addf(&folder, "/%s", s->below);
		err = find_in(s, &folder);
	}
	return err;
}

/* In the profiles of a root, in which sessions are `below` that folder. */
static int find_in_profiles(struct searching *s, const struct buf *root,
			    const char *below)
{
	struct buf profiles BUF_SCOPED = { 0 };
	buf_inherit(&profiles, root);
	buf_add(&profiles, buf_span(root));
	buf_adds(&profiles, "/profiles");
	s->below = below;
	return home_each(&profiles, SPAN(""), find_in_profile, s);
}

static void add_folder(struct buf *out)
{
	const char *set = home_variable("PI_CODING_AGENT_DIR");
	if (set) {
		home_add_path(out, span_of(set));
		return;
	}
	omp_add_config_root(out);
	buf_adds(out, "/agent");
}

static int find_all(struct searching *s)
{
	struct buf own BUF_SCOPED = { 0 };
	struct buf config BUF_SCOPED = { 0 };
	struct buf data BUF_SCOPED = { 0 };
	add_folder(&own);
	buf_adds(&own, "/sessions");
	omp_add_config_root(&config);
	home_add_variable(&data, "XDG_DATA_HOME", ".local/share");
	buf_adds(&data, "/omp");
	int err = find_in(s, &own);
	if (!err)
		err = find_in_profiles(s, &config, "agent/sessions");
	s->below = "sessions";
	if (!err)
		err = find_in_profile(s, buf_span(&data));
	return err ? err : find_in_profiles(s, &data, "sessions");
}

static int find(const struct home_search *h)
{
	struct searching s = { .h = h };
	SHA2_CTX sha;
	if (h->dir) {
		add_relative_name(&s.names.relative, h->dir);
		home_add_absolute_name(&s.names.absolute, h->dir);
		/* Of the path with slashes for backslashes. */
		SHA256Init(&sha);
		for (const char *p = h->dir; *p; p++)
			SHA256Update(&sha,
				     (const uint8_t *)(*p == '\\' ? "/" : p),
				     1);
		SHA256End(&sha, s.names.hash);
	}
	int err = s.names.relative.failed || s.names.absolute.failed
			  ? -ENOMEM
			  : find_all(&s);
	buf_free(&s.names.relative);
	buf_free(&s.names.absolute);
	return err;
}

const struct dialect_home omp_home = {
	.agent = "oh-my-pi",
	.find = find,
	.add_folder = add_folder,
};
