/* Older versions of libfuse know nothing of this one. */
#define FUSE_USE_VERSION 314
#include <fuse_lowlevel.h>
#ifndef FUSE_CAP_OVER_IO_URING
#define FUSE_CAP_OVER_IO_URING (1UL << 31)
#endif

#include "fs/kernel/capabilities.h"
#include "tests/unit/test.h"

int main(void)
{
	const unsigned all = ~0u;
	const unsigned refused = FUSE_CAP_ATOMIC_O_TRUNC |
				 FUSE_CAP_EXPORT_SUPPORT | FUSE_CAP_ASYNC_DIO |
				 FUSE_CAP_READDIRPLUS_AUTO |
				 (unsigned)FUSE_CAP_OVER_IO_URING;
	CHECK_INT(capabilities_wanted(all, all), all & ~refused);
	CHECK_INT(capabilities_wanted(0, all),
		  FUSE_CAP_AUTO_INVAL_DATA | FUSE_CAP_CACHE_SYMLINKS);
	CHECK_INT(capabilities_wanted(0, 0), 0);
	return test_done("capabilities");
}
