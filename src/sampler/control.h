/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands that arrive while a measurement runs: --control fd:CTL[,ACK] or fifo:CTL[,ACK]. */
#ifndef TALLY_SAMPLER_CONTROL_H
#define TALLY_SAMPLER_CONTROL_H

#include <stdbool.h>
#include <stddef.h>

#include "sampler/messages.h"

enum tally_control_command {
	TALLY_CONTROL_NONE, /* no whole line has come */
	TALLY_CONTROL_ENABLE,
	TALLY_CONTROL_DISABLE,
	TALLY_CONTROL_SNAPSHOT,
	TALLY_CONTROL_PING,
	TALLY_CONTROL_STOP,
	TALLY_CONTROL_EVLIST, /* tell the events on stderr */
	TALLY_CONTROL_EVLIST_VERBOSE,
	TALLY_CONTROL_UNKNOWN,
};

struct tally_control {
	int fd, ack;    /* -1: none */
	bool is_open;   /* the descriptors are ours to close */
	char text[256]; /* read, but not handed out yet */
	size_t len;     /* bytes in `text` */
};

/* Open what `text` says; NULL: nothing is asked for. An error is told. Fifos are opened without
 * waiting for the other end. 0; -EINVAL when it is no such text; the error of open(2); -EBADF for a
 * descriptor that is not open. */
int tally_control_open(struct tally_control *control, const char *text,
		       const struct tally_messages *messages);

/* The next command that has come whole. */
enum tally_control_command tally_control_next(struct tally_control *control);

/* Tell the other side that the last command was carried out. */
void tally_control_acknowledge(struct tally_control *control);

void tally_control_close(struct tally_control *control);

#endif
