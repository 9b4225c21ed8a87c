/* SPDX-License-Identifier: BSD-2-Clause */
/* Output of netdev-times, in perf's format. */
#include <inttypes.h>
#include <string.h>

#include "cli/script/netdev.h"

#define BAR "         |\n"

static const char *name_text(const struct netdev_times *times, uint32_t name)
{
	return tally_intern_text(&times->names, name);
}

/* Return milliseconds. The order of the events may be damaged. */
static double passed_ms(uint64_t from, uint64_t to)
{
	return (double)(int64_t)(to - from) / 1e6;
}

static bool shows_device(const struct netdev_times *times, uint32_t name)
{
	return !times->device || strstr(name_text(times, name), times->device);
}

static void print_irq(const struct netdev_times *times, const struct netdev_irq *irq,
		      uint64_t start, struct tally_str *out)
{
	tally_str_addf(out, "  irq_entry(+%.3fmsec irq=%" PRIu64 ":%s)\n" BAR,
		       passed_ms(start, irq->time), irq->irq, name_text(times, irq->name));
	for (size_t at = irq->events.first; at; at = times->events.data[at - 1].next) {
		const struct netdev_event *event = &times->events.data[at - 1];

		if (event->step == NETDEV_RX)
			tally_str_addf(out,
				       "         |---netif_rx(+%.3fmsec skb=%" PRIx64 ")\n" BAR,
				       passed_ms(start, event->time), event->address);
	}
}

static void print_soft_event(const struct netdev_times *times, const struct netdev_event *event,
			     uint64_t start, struct tally_str *out)
{
	if (event->step == NETDEV_POLL) {
		tally_str_addf(out, "  napi_poll_exit(+%.3fmsec %s)\n%s",
			       passed_ms(start, event->time), name_text(times, event->name),
			       event->next ? BAR : "\n");
		return;
	}
	tally_str_addf(
		out, "         |---netif_receive_skb(+%.3fmsec skb=%" PRIx64 " len=%" PRIu64 ")\n",
		passed_ms(start, event->time), event->address, event->len);
	if (event->is_taken)
		tally_str_addf(out,
			       "         |            |\n"
			       "         |      skb_copy_datagram_iovec(+%.3fmsec %d:%s)\n",
			       passed_ms(start, event->taken), event->tid,
			       name_text(times, event->comm));
	tally_str_add(out, BAR);
}

static void print_hunk(const struct netdev_times *times, const struct netdev_hunk *hunk,
		       struct tally_str *out)
{
	uint64_t start = hunk->irqs.data[0].time;
	bool shows = false;

	tally_vec_for_each (irq, &hunk->irqs)
		shows |= shows_device(times, irq->name);
	if (!shows)
		return;
	tally_str_addf(out, "%" PRIu64 ".%06" PRIu64 "sec cpu=%" PRIu32 "\n", start / 1000000000,
		       start % 1000000000 / 1000, hunk->irqs.data[0].cpu);
	tally_vec_for_each (irq, &hunk->irqs)
		print_irq(times, irq, start, out);
	tally_str_addf(out, "  softirq_entry(+%.3fmsec)\n" BAR, passed_ms(start, hunk->soft_time));
	for (size_t at = hunk->events.first; at; at = times->events.data[at - 1].next)
		print_soft_event(times, &times->events.data[at - 1], start, out);
}

static void print_sent(const struct netdev_times *times, struct tally_str *out)
{
	tally_str_add(out, "   dev    len      Qdisc               netdevice             free\n");
	tally_vec_for_each (item, &times->freed) {
		const struct netdev_sent *sent = &times->sent.data[*item];

		if (shows_device(times, sent->device))
			tally_str_addf(out,
				       "%7s %5" PRIu64 " %6" PRIu64 ".%06" PRIu64
				       "sec %12.3fmsec      %12.3fmsec\n",
				       name_text(times, sent->device), sent->len,
				       sent->queued / 1000000000, sent->queued % 1000000000 / 1000,
				       passed_ms(sent->queued, sent->passed),
				       passed_ms(sent->passed, sent->freed));
	}
}

static void print_queue(const char *name, const struct packet_queue *queue, struct tally_str *out)
{
	tally_str_addf(out, "%s:remain:%" PRIu64 " overflow:%" PRIu64 "\n", name, queue->len,
		       queue->dropped);
}

void netdev_print(struct trace_report *report, struct tally_str *out)
{
	const struct netdev_times *times = report->state;

	if (!times->sent_only)
		tally_vec_for_each (hunk, &times->done)
			print_hunk(times, hunk, out);
	if (!times->received_only)
		print_sent(times, out);
	if (!times->debug)
		return;
	tally_str_add(out, "debug buffer status\n----------------------------\n");
	print_queue("xmit Qdisc", &times->queued, out);
	print_queue("xmit netdevice", &times->passed, out);
	print_queue("receive", &times->received, out);
}
