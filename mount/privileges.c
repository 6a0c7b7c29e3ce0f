#include "mount/privileges.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BIT(cap) (UINT64_C(1) << (cap))
#define KEPT                                                        \
	(BIT(CAP_DAC_OVERRIDE) | BIT(CAP_CHOWN) | BIT(CAP_FOWNER) | \
	 BIT(CAP_SYS_ADMIN) | BIT(CAP_SYS_PTRACE))

/*
 * Limit the bounding set too, or a program that root starts would regain the
 * dropped capabilities. Without CAP_SETPCAP, as in some containers, it can't be
 * changed: that is no error.
 */
static int drop_bounds(void)
{
	for (int cap = 0; prctl(PR_CAPBSET_READ, cap) >= 0; cap++)
		if (!(KEPT & BIT(cap)) && prctl(PR_CAPBSET_DROP, cap) < 0)
			return errno == EPERM ? 0 : -errno;
	return 0;
}

int privileges_drop(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct set[_LINUX_CAPABILITY_U32S_3];

	if (geteuid() == 0) {
		int err = drop_bounds();
		if (err)
			return err;
	}
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0 ||
	    syscall(SYS_capget, &header, set) < 0)
		return -errno;
	for (unsigned i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		set[i].permitted &= (uint32_t)(KEPT >> (32 * i));
		set[i].effective = set[i].permitted;
		set[i].inheritable = 0;
	}
	return syscall(SYS_capset, &header, set) < 0 ? -errno : 0;
}
