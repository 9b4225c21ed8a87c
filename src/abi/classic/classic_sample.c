/* SPDX-License-Identifier: BSD-2-Clause */
/* Decoder for the classic ABI's overflow packets. */
#include "base/endian.h"
#include "tally/classic.h"
#include "tally/errno.h"

/* The unread part of a packet. */
struct reader {
	const uint8_t *at;
	size_t left;
};

/* Return the next `len` bytes and advance past them, or NULL if there are fewer bytes left. */
static const uint8_t *take(struct reader *reader, uint64_t len)
{
	const uint8_t *at = reader->at;

	if (reader->left < len)
		return NULL;
	reader->at += len;
	reader->left -= (size_t)len;
	return at;
}

static bool take_u64(struct reader *reader, uint64_t *ret_value)
{
	const uint8_t *at = take(reader, sizeof(*ret_value));

	if (at)
		*ret_value = tally_get_u64(at);
	return at;
}

static bool take_ids(struct reader *reader, struct tally_classic_sample *sample)
{
	const uint8_t *at = take(reader, 8);

	if (!at)
		return false;
	sample->pid = tally_get_u32(at);
	sample->tid = tally_get_u32(at + 4);
	return true;
}

static bool take_group(struct reader *reader, struct tally_classic_sample *sample)
{
	if (!take_u64(reader, &sample->nr_group) || sample->nr_group > reader->left / 16)
		return false;
	sample->group = (const uint64_t *)(const void *)take(reader, sample->nr_group * 16);
	return true;
}

static bool take_chain(struct reader *reader, struct tally_classic_sample *sample)
{
	const uint8_t *at = take(reader, 8);

	if (!at)
		return false;
	sample->nr = tally_get_u16(at);
	sample->hv = tally_get_u16(at + 2);
	sample->kernel = tally_get_u16(at + 4);
	sample->user = tally_get_u16(at + 6);
	if (sample->hv + sample->kernel + sample->user != sample->nr)
		return false;
	sample->ips = (const uint64_t *)(const void *)take(reader, sample->nr * 8u);
	return sample->ips;
}

int tally_classic_sample_decode(const struct tally_classic_header *record,
				struct tally_classic_sample *ret_sample)
{
	struct reader reader = {(const uint8_t *)(record + 1), record->size - sizeof(*record)};
	struct tally_classic_sample sample = {0};
	uint32_t has = record->type;

	if (record->size < sizeof(*record) || !(record->misc & TALLY_CLASSIC_MISC_OVERFLOW))
		return -EINVAL;
	if ((has & TALLY_CLASSIC_RECORD_IP && !take_u64(&reader, &sample.ip)) ||
	    (has & TALLY_CLASSIC_RECORD_TID && !take_ids(&reader, &sample)) ||
	    (has & TALLY_CLASSIC_RECORD_TIME && !take_u64(&reader, &sample.time)) ||
	    (has & TALLY_CLASSIC_RECORD_ADDR && !take_u64(&reader, &sample.addr)) ||
	    (has & TALLY_CLASSIC_RECORD_GROUP && !take_group(&reader, &sample)) ||
	    (has & TALLY_CLASSIC_RECORD_CALLCHAIN && !take_chain(&reader, &sample)))
		return -EINVAL;
	*ret_sample = sample;
	return 0;
}
