#include "mount/operands/group.h"

#include <dirent.h>
#include <errno.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>

#include "core/base/array.h"
#include "core/base/pathname.h"
#include "mount/mounts/mounted.h"

/* Takes the path over. */
static int add(struct group *g, char *path)
{
	int err = path ? array_add(&g->list, &g->cap, &g->n, path) : -ENOMEM;
	if (err)
		free(path);
	return err;
}

/* What is in one folder: sessions are added, and folders that may be groups. */
static int look(const char *folder, struct group *sessions,
		struct group *folders)
{
	DIR *dir = opendir(folder);
	const struct dirent *e;
	int err = 0;
	while (dir && !err && (e = readdir(dir))) {
		if (e->d_name[0] == '.' || e->d_type == DT_REG)
			continue;
		char *path = pathname_join(folder, e->d_name);
		enum mounted_kind kind =
			path ? mounted_kind_of(path) : MOUNTED_NOT;
		bool is = kind == MOUNTED_SESSION || kind == MOUNTED_FOLDER;
		if (!path || is || e->d_type == DT_DIR)
			err = add(is ? sessions : folders, path);
		else
			free(path);
	}
	if (dir)
		closedir(dir);
	return err;
}

int group_add(struct group *g, const char *path)
{
	struct group folders = { 0 };
	struct group none = { 0 };
	size_t before = g->n;
	int err = 0;
	struct statfs st;
	struct mounted m = { 0 };
	/* Other file systems are not looked through, nor what is in a session.
	 */
	bool may_be = statfs(path, &st) == 0 && st.f_type == FUSE_SUPER_MAGIC &&
		      mounted_kind_of(path) == MOUNTED_NOT &&
		      mounted_find(&m, path) == -ESRCH;
	mounted_free(&m);
	if (may_be) {
		err = look(path, g, &folders);
		/* by-project/ has groups in it; nothing is deeper. */
		for (size_t i = 0; i < folders.n && !err; i++)
			err = look(folders.list[i], g, &none);
	}
	if (!err && g->n == before)
		err = add(g, strdup(path));
	group_free(&folders);
	group_free(&none);
	return err;
}

void group_free(struct group *g)
{
	for (size_t i = 0; i < g->n; i++)
		free(g->list[i]);
	free(g->list);
	*g = (struct group){ 0 };
}
