/*
 * What the errno of a failed call says of the file: nothing, if the call would
 * have failed for any file. Then the file may be there, as it was.
 *
 * Each function takes a negative errno value, 0 and results that are no errors.
 */
#ifndef SESSFS_FAULT_H
#define SESSFS_FAULT_H

#include <errno.h>
#include <stdbool.h>

/* Does the process or the machine have no descriptor left? */
static inline bool fault_is_shortage(int err)
{
	return err == -EMFILE || err == -ENFILE;
}

/* Can the server that has the file not be reached? */
static inline bool fault_is_unreachable(int err)
{
	switch (-err) {
	case EIO:
	case ENOTCONN:
	case ECONNREFUSED:
	case ECONNRESET:
	case ECONNABORTED:
	case ENETDOWN:
	case ENETUNREACH:
	case EHOSTDOWN:
	case EHOSTUNREACH:
	case ETIMEDOUT:
		return true;
	default:
		return false;
	}
}

/*
 * Is the reason none of the file's: no descriptor, no memory, a failing disk, a
 * server that can't be reached?
 */
static inline bool fault_tells_nothing(int err)
{
	return fault_is_shortage(err) || fault_is_unreachable(err) ||
	       err == -ENOMEM || err == -EINTR;
}

#endif
