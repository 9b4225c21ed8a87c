/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TALLY_EMULATE_IOCTLS_H
#define TALLY_EMULATE_IOCTLS_H

#include "emulate/protocol.h"

/* Return the kind of argument of an ioctl(2) request. An unknown request has a number. */
struct tally_emulate_ioctl tally_emulate_ioctl_find(uint32_t request);

#endif
