/*
 * Errors of calls on files that say nothing about the file: the file may be
 * there, unchanged.
 *
 * The functions take a negative errno value. They return false for 0 and for
 * results that are no errors.
 */
#ifndef SESSFS_FAULT_H
#define SESSFS_FAULT_H

#include <errno.h>
#include <stdbool.h>

/* The process or the machine has no descriptor left. */
static inline bool fault_is_shortage(int err)
{
	return err == -EMFILE || err == -ENFILE;
}

/* The server that has the file can't be reached. */
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

/* Any of these, no memory, or a signal. A failing disk is EIO, as well. */
static inline bool fault_tells_nothing(int err)
{
	return fault_is_shortage(err) || fault_is_unreachable(err) ||
	       err == -ENOMEM || err == -EINTR;
}

#endif
