/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Error numbers for freestanding hosts, which have no libc. The values are Linux's, since the ABI
 * returns them to programs. A hosted build uses the host's <errno.h>.
 */
#ifndef TALLY_ERRNO_H
#define TALLY_ERRNO_H

#if __STDC_HOSTED__
#include <errno.h>
#else
#define EPERM      1
#define ENOENT     2
#define ESRCH      3
#define E2BIG      7
#define EBADF      9
#define EAGAIN     11
#define ENOMEM     12
#define EACCES     13
#define EFAULT     14
#define EBUSY      16
#define EEXIST     17
#define ENODEV     19
#define EINVAL     22
#define ENOTTY     25
#define ENOSPC     28
#define ENXIO      6
#define ERANGE     34
#define ENOSYS     38
#define EOVERFLOW  75
#define EOPNOTSUPP 95
#endif

#endif
