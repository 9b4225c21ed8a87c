/* SPDX-License-Identifier: BSD-2-Clause */
/* netdev-times: how long packets take from the queue to the wire, and from the interrupt to the
 * thread that receives them. */
#include <errno.h>
#include <string.h>

#include "cli/main/print.h"
#include "cli/script/netdev.h"

enum { SOFTIRQ_NET_RX = 3 };

static uint64_t now(const struct trace_report *report)
{
	return report->sample->sample.time;
}

/* ---- names and interrupts ------------------------------------------------------------ */

static int end_name(struct netdev_times *times, uint32_t *ret_name)
{
	int ret = tally_str_error(&times->text);

	return ret ? ret
		   : tally_intern(&times->names, tally_str_text(&times->text), times->text.len,
				  ret_name);
}

static int name_of_field(struct trace_report *report, const char *field, uint32_t *ret_name)
{
	struct netdev_times *times = report->state;

	tally_str_clear(&times->text);
	trace_report_add_text(report, field, &times->text);
	return end_name(times, ret_name);
}

static int name_of_thread(struct trace_report *report, uint32_t *ret_name)
{
	struct netdev_times *times = report->state;

	tally_str_clear(&times->text);
	trace_report_add_comm(report, &times->text);
	return end_name(times, ret_name);
}

/* Return the current hunk of the sample's CPU, or NULL. */
static struct netdev_hunk *hunk_of(const struct trace_report *report)
{
	const struct netdev_times *times = report->state;
	uint64_t at = tally_map_get(&times->cpus, report->sample->sample.cpu);

	return at == TALLY_MAP_NONE ? NULL : &times->hunks.data[at];
}

/* Get the current hunk of the sample's CPU, or start one. */
static int start_hunk(struct trace_report *report, struct netdev_hunk **ret_hunk)
{
	struct netdev_times *times = report->state;
	int ret = 0;

	*ret_hunk = hunk_of(report);
	if (*ret_hunk)
		return 0;
	ret = tally_vec_push(&times->hunks, (struct netdev_hunk){0});
	if (!ret)
		ret = tally_map_set(&times->cpus, report->sample->sample.cpu, times->hunks.len - 1);
	if (!ret)
		*ret_hunk = &times->hunks.data[times->hunks.len - 1];
	return ret;
}

static int add_event(struct trace_report *report, struct netdev_chain *chain,
		     struct netdev_event event)
{
	struct netdev_times *times = report->state;
	int ret;

	event.time = now(report);
	ret = tally_vec_push(&times->events, event);
	if (ret)
		return ret;
	if (chain->last)
		times->events.data[chain->last - 1].next = times->events.len;
	else
		chain->first = times->events.len;
	chain->last = times->events.len;
	return 0;
}

/* Add a step to the innermost hard interrupt of the CPU, if there is one. */
static int add_irq_event(struct trace_report *report, struct netdev_event event)
{
	struct netdev_hunk *hunk = hunk_of(report);

	if (!hunk || !hunk->irqs.len)
		return 0;
	return add_event(report, &hunk->irqs.data[hunk->irqs.len - 1].events, event);
}

static int irq_entry(struct trace_report *report)
{
	struct netdev_irq irq = {.cpu = report->sample->sample.cpu,
				 .irq = (uint32_t)trace_report_field(report, "irq"),
				 .time = now(report)};
	struct netdev_hunk *hunk;
	int ret = name_of_field(report, "name", &irq.name);

	if (!ret)
		ret = start_hunk(report, &hunk);
	return ret ? ret : tally_vec_push(&hunk->irqs, irq);
}

/* Forget interrupts that have nothing to do with the network. */
static int irq_exit(struct trace_report *report)
{
	struct netdev_hunk *hunk = hunk_of(report);
	const struct netdev_irq *irq;

	if (!hunk || !hunk->irqs.len)
		return 0;
	irq = &hunk->irqs.data[hunk->irqs.len - 1];
	if (irq->irq != (uint32_t)trace_report_field(report, "irq") || !irq->events.first)
		hunk->irqs.len--;
	return 0;
}

static bool is_net_rx(const struct trace_report *report)
{
	return trace_report_field(report, "vec") == SOFTIRQ_NET_RX;
}

static int softirq_raise(struct trace_report *report)
{
	return is_net_rx(report) ? add_irq_event(report, (struct netdev_event){NETDEV_RAISE}) : 0;
}

static int softirq_entry(struct trace_report *report)
{
	struct netdev_hunk *hunk;
	int ret = is_net_rx(report) ? start_hunk(report, &hunk) : 0;

	if (ret || !is_net_rx(report))
		return ret;
	hunk->is_soft = true;
	hunk->soft_time = now(report);
	hunk->events = (struct netdev_chain){0};
	return 0;
}

static int softirq_exit(struct trace_report *report)
{
	struct netdev_times *times = report->state;
	struct netdev_hunk *hunk = hunk_of(report);
	int ret = 0;

	if (!hunk || !is_net_rx(report))
		return 0;
	if (hunk->is_soft && hunk->irqs.len)
		ret = tally_vec_push(&times->done, *hunk);
	else
		tally_vec_free(&hunk->irqs);
	*hunk = (struct netdev_hunk){0};
	return ret;
}

/* ---- packets --------------------------------------------------------------------------- */

static int netif_rx(struct trace_report *report)
{
	uint64_t address = trace_report_field(report, "skbaddr");

	return add_irq_event(report, (struct netdev_event){.step = NETDEV_RX, .address = address});
}

static int netif_receive(struct trace_report *report)
{
	struct netdev_times *times = report->state;
	struct netdev_hunk *hunk = hunk_of(report);
	struct netdev_event event = {.step = NETDEV_RECEIVE,
				     .address = trace_report_field(report, "skbaddr"),
				     .len = trace_report_field(report, "len")};
	int ret;

	if (!hunk || !hunk->is_soft)
		return 0;
	ret = add_event(report, &hunk->events, event);
	return ret ? ret : packets_add(&times->received, event.address, times->events.len - 1);
}

static int napi_poll(struct trace_report *report)
{
	struct netdev_hunk *hunk = hunk_of(report);
	struct netdev_event event = {.step = NETDEV_POLL};
	int ret;

	if (!hunk || !hunk->is_soft)
		return 0;
	ret = name_of_field(report, "dev_name", &event.name);
	return ret ? ret : add_event(report, &hunk->events, event);
}

static int dev_queue(struct trace_report *report)
{
	struct netdev_times *times = report->state;
	struct netdev_sent sent = {.len = trace_report_field(report, "len"), .queued = now(report)};
	int ret = name_of_field(report, "name", &sent.device);

	if (!ret)
		ret = tally_vec_push(&times->sent, sent);
	return ret ? ret
		   : packets_add(&times->queued, trace_report_field(report, "skbaddr"),
				 times->sent.len - 1);
}

static int dev_xmit(struct trace_report *report)
{
	struct netdev_times *times = report->state;
	uint64_t address = trace_report_field(report, "skbaddr");
	size_t item;

	/* Otherwise, the device was busy. */
	if (trace_report_field(report, "rc"))
		return 0;
	item = packets_take(&times->queued, address);
	if (item == PACKETS_NONE)
		return 0;
	times->sent.data[item].passed = now(report);
	return packets_add(&times->passed, address, item);
}

/* A packet that was passed to the device is freed, which ends the sending of it. */
static int free_sent(struct trace_report *report, bool *ret_was_sent)
{
	struct netdev_times *times = report->state;
	size_t item = packets_take(&times->passed, trace_report_field(report, "skbaddr"));

	*ret_was_sent = item != PACKETS_NONE;
	if (!*ret_was_sent)
		return 0;
	times->sent.data[item].freed = now(report);
	return tally_vec_push(&times->freed, item);
}

static int consume_skb(struct trace_report *report)
{
	bool was_sent;

	return free_sent(report, &was_sent);
}

/* A thread copied a received packet, or the packet was dropped. */
static int take_received(struct trace_report *report)
{
	struct netdev_times *times = report->state;
	size_t item = packets_take(&times->received, trace_report_field(report, "skbaddr"));
	struct netdev_event *event;

	if (item == PACKETS_NONE)
		return 0;
	event = &times->events.data[item];
	event->is_taken = true;
	event->tid = report->sample->sample.tid;
	event->taken = now(report);
	return name_of_thread(report, &event->comm);
}

static int kfree_skb(struct trace_report *report)
{
	struct netdev_times *times = report->state;
	uint64_t address = trace_report_field(report, "skbaddr");
	bool was_sent = packets_take(&times->queued, address) != PACKETS_NONE;
	int ret = was_sent ? 0 : free_sent(report, &was_sent);

	return ret || was_sent ? ret : take_received(report);
}

/* ---- the report -------------------------------------------------------------------------- */

static int start_netdev(struct trace_report *report, int nr, char **args)
{
	struct netdev_times *times = report->state;
	bool sent = false, received = false;

	for (int i = 0; i < nr; i++) {
		if (!strcmp(args[i], "tx"))
			sent = true;
		else if (!strcmp(args[i], "rx"))
			received = true;
		else if (!strcmp(args[i], "debug"))
			times->debug = true;
		else if (!strncmp(args[i], "dev=", 4))
			times->device = args[i] + 4;
		else {
			tally_print_error("netdev-times takes tx, rx, dev=NAME and debug, not '%s'",
					  args[i]);
			return -EINVAL;
		}
	}
	times->sent_only = sent && !received;
	times->received_only = received && !sent;
	return 0;
}

static void free_netdev(void *state)
{
	struct netdev_times *times = state;

	tally_vec_for_each (hunk, &times->hunks)
		tally_vec_free(&hunk->irqs);
	tally_vec_for_each (hunk, &times->done)
		tally_vec_free(&hunk->irqs);
	tally_intern_free(&times->names);
	tally_str_free(&times->text);
	packets_free(&times->queued);
	packets_free(&times->passed);
	packets_free(&times->received);
	tally_vec_free(&times->sent);
	tally_vec_free(&times->freed);
	tally_vec_free(&times->events);
	tally_map_free(&times->cpus);
	tally_vec_free(&times->hunks);
	tally_vec_free(&times->done);
}

const struct trace_report_kind trace_netdev_reports[] = {
	{.name = "netdev-times",
	 .about = "times of sending and receiving network packets",
	 .usage = "[tx] [rx] [dev=NAME] [debug]",
	 .handlers = TRACE_HANDLERS({"net:net_dev_xmit", dev_xmit, "skbaddr rc"},
				    {"net:net_dev_queue", dev_queue, "skbaddr len name"},
				    {"net:netif_receive_skb", netif_receive, "skbaddr len"},
				    {"net:netif_rx", netif_rx, "skbaddr"},
				    {"skb:consume_skb", consume_skb, "skbaddr"},
				    {"skb:kfree_skb", kfree_skb, "skbaddr"},
				    {"skb:skb_copy_datagram_iovec", take_received, "skbaddr"},
				    {"napi:napi_poll", napi_poll, "dev_name"},
				    {"irq:irq_handler_entry", irq_entry, "irq name"},
				    {"irq:irq_handler_exit", irq_exit, "irq"},
				    {"irq:softirq_entry", softirq_entry, "vec"},
				    {"irq:softirq_exit", softirq_exit, "vec"},
				    {"irq:softirq_raise", softirq_raise, "vec"}),
	 .state_size = sizeof(struct netdev_times),
	 .max_args = 5,
	 .start = start_netdev,
	 .print = netdev_print,
	 .free = free_netdev},
	{0},
};
