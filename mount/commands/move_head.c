#include "mount/commands/move_head.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "mount/cli/status.h"
#include "mount/mounts/mounted.h"

static int link_head(const char *from, const char *to, const char *target)
{
	if (symlink(target, from) < 0)
		return -errno;
	int err = rename(from, to) < 0 ? -errno : 0;
	if (err)
		(void)unlink(from);
	return err;
}

static int fail(const char *root, const char *head, int err)
{
	struct buf refused = { 0 };
	const char *why = NULL;
	if (mounted_refusal(root, err, &refused))
		why = buf_cstr(&refused);
	int status = status_fail(head, why ? why : strerror(-err));
	buf_free(&refused);
	return status;
}

int move_head(const char *root, const char *target)
{
	struct buf made = { 0 };
	struct buf head = { 0 };
	buf_addf(&made, "%s/.HEAD-%d", root, (int)getpid());
	buf_addf(&head, "%s/HEAD", root);
	const char *from = buf_cstr(&made);
	const char *to = buf_cstr(&head);
	int err = from && to ? link_head(from, to, target) : -ENOMEM;
	int status = err ? fail(root, to ? to : root, err) : STATUS_OK;
	buf_free(&made);
	buf_free(&head);
	return status;
}
