/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A queue of network packets, which are identified by the address of their buffer. As the kernel
 * reuses buffers, an address finds the packet that was added last. Beyond a limit, the oldest
 * packet is dropped, because the event that ends its stay may have been lost.
 */
#ifndef TALLY_CLI_SCRIPT_PACKETS_H
#define TALLY_CLI_SCRIPT_PACKETS_H

#include "base/map.h"
#include "base/vec.h"

enum { PACKETS_MAX = 65536 };

struct queued_packet {
	uint64_t address;
	size_t item, older; /* number for the caller; the packet added before with this address */
	bool is_gone;
};

/* An all-zero queue is empty. */
struct packet_queue {
	struct tally_map newest; /* packet of each address */
	TALLY_VEC(struct queued_packet) packets;
	size_t oldest; /* packets before it are gone */
	uint64_t len, dropped;
};

#define PACKETS_NONE SIZE_MAX

/* Add a packet. Returns 0 or -ENOMEM. */
int packets_add(struct packet_queue *queue, uint64_t address, size_t item);

/* Remove the last packet with this address. Returns its item, or PACKETS_NONE. */
size_t packets_take(struct packet_queue *queue, uint64_t address);

void packets_free(struct packet_queue *queue);

#endif
