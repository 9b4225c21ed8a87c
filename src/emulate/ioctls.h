/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TALLY_EMULATE_IOCTLS_H
#define TALLY_EMULATE_IOCTLS_H

#include "emulate/protocol.h"

/* Return the argument type of an ioctl(2) request. The argument of an unknown request is treated as
 * a number. */
struct tally_emulate_ioctl tally_emulate_ioctl_find(uint32_t request);

#endif
