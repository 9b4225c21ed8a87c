/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands received during a measurement: --control fd:CTL[,ACK] or fifo:CTL[,ACK]. */
#ifndef TALLY_SAMPLER_CONTROL_H
#define TALLY_SAMPLER_CONTROL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/messages.h"

enum tally_control_command {
	TALLY_CONTROL_NONE, /* no complete line available */
	TALLY_CONTROL_ENABLE,
	TALLY_CONTROL_DISABLE,
	TALLY_CONTROL_SNAPSHOT,
	TALLY_CONTROL_PING,
	TALLY_CONTROL_STOP,
	TALLY_CONTROL_EVLIST, /* print the events on stderr */
	TALLY_CONTROL_EVLIST_VERBOSE,
	TALLY_CONTROL_UNKNOWN,
};

struct tally_control {
	int fd, ack;    /* -1 if not used */
	bool is_open;   /* we opened the descriptors and must close them */
	char text[256]; /* data that has been read but not returned */
	size_t len;     /* bytes in `text` */
};

/* Open the descriptors or FIFOs named by `text`. NULL means no control. FIFOs are opened without
 * waiting for the other end. Returns 0; -EINVAL if `text` is malformed; the error from open(2); or
 * -EBADF if a descriptor is not open. Errors are reported. */
int tally_control_open(struct tally_control *control, const char *text,
		       const struct tally_messages *messages);

/* Return the next complete command. */
enum tally_control_command tally_control_next(struct tally_control *control);

/* Acknowledge the last command to the other side. */
void tally_control_acknowledge(struct tally_control *control);

/* Close what tally_control_open() opened. */
void tally_control_close(struct tally_control *control);

#endif
