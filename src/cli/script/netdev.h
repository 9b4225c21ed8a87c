/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets sent and received, for the report netdev-times. */
#ifndef TALLY_CLI_SCRIPT_NETDEV_H
#define TALLY_CLI_SCRIPT_NETDEV_H

#include "base/intern.h"
#include "cli/script/packets.h"
#include "cli/script/trace_reports.h"

/* A packet that is sent: times of queueing, of passing to the device, and of freeing. */
struct netdev_sent {
	uint32_t device; /* in names */
	uint64_t len, queued, passed, freed;
};

/* A step of an interrupt. Steps of the same interrupt are linked. */
struct netdev_event {
	enum { NETDEV_RAISE, NETDEV_RX, NETDEV_RECEIVE, NETDEV_POLL } step;
	bool is_taken;       /* a thread received the packet or freed it */
	uint32_t name, comm; /* device that was polled; thread */
	int32_t tid;
	uint64_t address, len, time, taken;
	size_t next; /* number + 1 */
};

struct netdev_chain {
	size_t first, last; /* number + 1, or 0 */
};

struct netdev_irq {
	uint32_t name, cpu;
	uint64_t irq, time;
	struct netdev_chain events;
};

/* Hard interrupts, and the soft interrupt that they cause. */
struct netdev_hunk {
	TALLY_VEC(struct netdev_irq) irqs;
	uint64_t soft_time;
	struct netdev_chain events; /* of the soft interrupt */
	bool is_soft;               /* the soft interrupt runs */
};

struct netdev_times {
	bool sent_only, received_only, debug;
	const char *device; /* part of the name of the devices to show, or NULL */
	struct tally_intern names;
	struct tally_str text; /* scratch space */
	struct packet_queue queued, passed, received;
	TALLY_VEC(struct netdev_sent) sent;
	TALLY_VEC(size_t) freed; /* numbers in `sent`, in the order in which they are freed */
	TALLY_VEC(struct netdev_event) events;
	struct tally_map cpus; /* number in `hunks` of the CPU's current hunk */
	TALLY_VEC(struct netdev_hunk) hunks;
	TALLY_VEC(struct netdev_hunk) done;
};

void netdev_print(struct trace_report *report, struct tally_str *out);

#endif
