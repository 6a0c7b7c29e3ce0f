#include "core/dialects/omp/agent.h"

#include <errno.h>
#include <string.h>

#include "core/dialects/omp/home.h"
#include "core/dialects/omp/named_lock.h"
#include "core/dialects/omp/process.h"

static int has_lease(struct buf *lock_path)
{
	const char *path = buf_cstr(lock_path);
	return path ? omp_named_lock_is_held(path) : -ENOMEM;
}

static int is_leased_by_path(const char *path)
{
	struct buf lock = { 0 };
	const char *slash = strrchr(path, '/');
	if (!slash)
		return 0;
	buf_add(&lock, (struct span){ path, (size_t)(slash + 1 - path) });
	buf_addf(&lock, ".%s.owner.lock", slash + 1);
	int leased = has_lease(&lock);
	buf_free(&lock);
	return leased;
}

/* The lease by id. Ids with other characters, which omp hashes, are not found.
 */
static int is_leased_by_id(struct json id)
{
	struct buf lock = { 0 };
	if (json_type(id) != JSON_STRING)
		return 0;
	omp_add_config_root(&lock);
	buf_adds(&lock, "/run/session-owners/");
	size_t from = lock.len;
	json_decode(&lock, id);
	bool empty = lock.len == from && !lock.failed;
	buf_adds(&lock, ".lock");
	int leased = empty ? 0 : has_lease(&lock);
	buf_free(&lock);
	return leased;
}

/* The pid of an omp that has the session open, 0 or -errno. */
static pid_t find_process(struct gate *g, const char *path, struct json header)
{
	struct buf cwd = { 0 };
	json_decode(&cwd, json_get(header, "cwd"));
	const char *folder = buf_cstr(&cwd);
	pid_t pid =
		folder ? omp_process_with(g, "/proc", path, folder) : -ENOMEM;
	buf_free(&cwd);
	return pid;
}

int omp_in_use(struct gate *g, const char *path, struct json header,
	       struct refusal *refusal)
{
	int leased = is_leased_by_path(path);
	if (leased == 0)
		leased = is_leased_by_id(json_get(header, "id"));
	pid_t pid = leased < 0 ? 0 : find_process(g, path, header);
	*refusal = (struct refusal){
		.reason = "oh-my-pi has this session open and would stop "
			  "saving it: quit oh-my-pi, or mount with -o force",
		.pid = pid > 0 ? pid : 0,
	};
	if (leased != 0)
		return leased;
	return pid > 0 ? 1 : pid;
}
