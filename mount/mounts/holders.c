#include "mount/mounts/holders.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/pathname.h"
#include "core/base/text.h"
#include "core/file/whole.h"

/* More are not named. */
#define NAMED 4

#define COMM_SIZE ((size_t)64)

/* What is below the mount on the disk, as its daemon has it open, does not
   count. */
static bool leads_into(const char *folder, const char *name, const char *mnt)
{
	char path[PATH_MAX];
	char to[PATH_MAX];
	struct stat st;
	struct stat root;
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	ssize_t n = readlink(path, to, sizeof(to) - 1);
	if (n < 0)
		return false;
	to[n] = '\0';
	return *to == '/' && pathname_is_below(to, mnt) &&
	       stat(path, &st) == 0 && stat(mnt, &root) == 0 &&
	       st.st_dev == root.st_dev;
}

static bool has_file(const char *process, const char *mnt)
{
	char path[PATH_MAX];
	snprintf(path, sizeof(path), "%s/fd", process);
	DIR *dir = opendir(path);
	const struct dirent *e;
	bool has = false;
	while (dir && !has && (e = readdir(dir)) != NULL)
		has = leads_into(path, e->d_name, mnt);
	if (dir)
		closedir(dir);
	return has;
}

static void add_name(const char *process, struct buf *out)
{
	char path[PATH_MAX];
	struct buf name = { 0 };
	snprintf(path, sizeof(path), "%s/comm", process);
	FILE *f = fopen(path, "re");
	if (f && whole_read_file(fileno(f), COMM_SIZE, &name) == 0) {
		struct span rest = buf_span(&name);
		text_add_one_line(out, span_next_line(&rest));
		buf_addc(out, ' ');
	}
	if (f)
		fclose(f);
	buf_free(&name);
}

void holders_add(const char *mnt, struct buf *out)
{
	DIR *dir = opendir("/proc");
	const struct dirent *e;
	unsigned n = 0;
	while (dir && n < NAMED && (e = readdir(dir)) != NULL) {
		char process[300];
		snprintf(process, sizeof(process), "/proc/%s", e->d_name);
		if (!isdigit((unsigned char)e->d_name[0]) ||
		    atol(e->d_name) == getpid() ||
		    (!leads_into(process, "cwd", mnt) &&
		     !leads_into(process, "root", mnt) &&
		     !has_file(process, mnt)))
			continue;
		buf_adds(out, n++ > 0 ? ", " : "");
		add_name(process, out);
		buf_addf(out, "(%s)", e->d_name);
	}
	if (dir)
		closedir(dir);
}
