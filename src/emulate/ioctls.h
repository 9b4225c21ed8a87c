/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TALLY_EMULATE_IOCTLS_H
#define TALLY_EMULATE_IOCTLS_H

#include "emulate/protocol.h"

/* What the argument of a request of ioctl(2) is. One that is not known: a number. */
struct tally_emulate_ioctl tally_emulate_ioctl_find(uint32_t request);

#endif
