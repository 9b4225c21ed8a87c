/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/script/packets.h"

static void drop_oldest(struct packet_queue *queue)
{
	while (queue->packets.data[queue->oldest].is_gone)
		queue->oldest++;
	queue->packets.data[queue->oldest].is_gone = true;
	queue->len--;
	queue->dropped++;
}

int packets_add(struct packet_queue *queue, uint64_t address, size_t item)
{
	/* TALLY_MAP_NONE is also PACKETS_NONE. */
	size_t older = (size_t)tally_map_get(&queue->newest, address);
	int ret = tally_vec_push(&queue->packets,
				 (struct queued_packet){address, item, older, false});

	if (!ret)
		ret = tally_map_set(&queue->newest, address, queue->packets.len - 1);
	if (ret)
		return ret;
	if (++queue->len > PACKETS_MAX)
		drop_oldest(queue);
	return 0;
}

size_t packets_take(struct packet_queue *queue, uint64_t address)
{
	size_t at = (size_t)tally_map_get(&queue->newest, address);
	struct queued_packet *packet;

	if (at == PACKETS_NONE)
		return PACKETS_NONE;
	packet = &queue->packets.data[at];
	/* The oldest packets are dropped first, so those older than a dropped one are gone, too. */
	if (packet->is_gone || packet->older == PACKETS_NONE)
		(void)tally_map_remove(&queue->newest, address);
	else
		(void)tally_map_set(&queue->newest, address, packet->older);
	if (packet->is_gone)
		return PACKETS_NONE;
	packet->is_gone = true;
	queue->len--;
	return packet->item;
}

void packets_free(struct packet_queue *queue)
{
	tally_map_free(&queue->newest);
	tally_vec_free(&queue->packets);
}
