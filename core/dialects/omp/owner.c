#include "core/dialects/omp/owner.h"

#include <string.h>

#include "core/dialects/omp/home.h"
#include "core/dialects/omp/named_lock.h"
#include "core/dialects/omp/process.h"

static bool has_lease(struct buf *lock_path)
{
	const char *path = buf_cstr(lock_path);
	return path && omp_named_lock_is_held(path);
}

static bool is_leased_by_path(const char *path)
{
	struct buf lock = { 0 };
	const char *slash = strrchr(path, '/');
	if (!slash)
		return false;
	buf_add(&lock, (struct span){ path, (size_t)(slash + 1 - path) });
	buf_addf(&lock, ".%s.owner.lock", slash + 1);
	bool leased = has_lease(&lock);
	buf_free(&lock);
	return leased;
}

/* The lease by id. Ids with other characters, which omp hashes, are not found.
 */
static bool is_leased_by_id(struct json id)
{
	struct buf lock = { 0 };
	omp_add_config_root(&lock);
	buf_adds(&lock, "/run/session-owners/");
	size_t from = lock.len;
	bool leased = false;
	if (json_type(id) == JSON_STRING) {
		json_decode(&lock, id);
		leased = lock.len > from;
	}
	buf_adds(&lock, ".lock");
	leased = leased && has_lease(&lock);
	buf_free(&lock);
	return leased;
}

bool omp_in_use(const char *path, struct json header, struct refusal *refusal)
{
	struct buf cwd = { 0 };
	bool leased = is_leased_by_path(path) ||
		      is_leased_by_id(json_get(header, "id"));
	json_decode(&cwd, json_get(header, "cwd"));
	const char *folder = buf_cstr(&cwd);
	pid_t pid = omp_process_with("/proc", path, folder ? folder : "");
	buf_free(&cwd);
	*refusal = (struct refusal){
		.reason = "oh-my-pi has this session open and would stop "
			  "saving it: quit oh-my-pi, or mount with -o force",
		.pid = pid,
	};
	return leased || pid > 0;
}
