/* SPDX-License-Identifier: BSD-2-Clause */
#include "tally/errno.h"

#include "abi/abi_sample.h"
#include "base/arith.h"

/* header.size has 16 bits, and record sizes are multiples of 8. */
enum { RECORD_SIZE_MAX = 65528 };

static uint64_t regs_size(const struct tally_regs *regs)
{
	return 8 +
	       8 * (regs->abi == PERF_SAMPLE_REGS_ABI_NONE ? 0 : regs->values.nr + regs->simd.nr);
}

static uint64_t branches_size(const struct tally_sample_layout *layout,
			      const struct tally_sample *sample)
{
	uint64_t type = layout->branch_sample_type;

	return 8 + 8 * sample->branches.nr + (type & PERF_SAMPLE_BRANCH_HW_INDEX ? 8 : 0) +
	       (type & PERF_SAMPLE_BRANCH_COUNTERS ? 8 * tally_div(sample->branches.nr, 3) : 0);
}

static uint64_t field_size(const struct tally_sample_layout *layout,
			   const struct tally_sample_field *field,
			   const struct tally_sample *sample)
{
	const uint8_t *member = (const uint8_t *)sample + field->offset;

	switch ((enum tally_sample_kind)field->kind) {
	case TALLY_SAMPLE_U64:
	case TALLY_SAMPLE_PAIR:
	case TALLY_SAMPLE_WEIGHT: return 8;
	case TALLY_SAMPLE_READ: return tally_read_size(layout->read_format, sample->read.nr);
	case TALLY_SAMPLE_CALLCHAIN: return 8 + 8 * sample->callchain.nr;
	case TALLY_SAMPLE_RAW: return tally_round_up(4 + sample->raw.len, 8);
	case TALLY_SAMPLE_BRANCH: return branches_size(layout, sample);
	case TALLY_SAMPLE_REGS: return regs_size((const struct tally_regs *)member);
	case TALLY_SAMPLE_STACK: return sample->stack_user_size ? 16 + sample->stack_user_size : 8;
	case TALLY_SAMPLE_AUX: return 8 + tally_round_up(sample->aux.len, 8);
	}
	return 0;
}

#if TALLY_CORE_SAMPLE_PARTS

size_t tally_sample_parts_size(const struct tally_sample_layout *layout,
			       const struct tally_sample *sample)
{
	uint64_t size = 0;

	for (int i = layout->nr_words; i < layout->nr; i++)
		size += field_size(layout, &tally_sample_fields[layout->rows[i]], sample);
	/* A size that is too large for a record must stay too large in a 32-bit size_t. */
	return (size_t)TALLY_MIN(size, 2 * RECORD_SIZE_MAX);
}

#endif

static uint8_t *encode_u64(uint8_t *at, uint64_t value)
{
	tally_put_u64(at, value);
	return at + 8;
}

static uint8_t *encode_bytes(uint8_t *at, const void *bytes, uint64_t len)
{
	if (len)
		__builtin_memcpy(at, bytes, len);
	return at + len;
}

static uint8_t *encode_words(uint8_t *at, struct tally_words words)
{
	return encode_bytes(at, words.data, 8 * words.nr);
}

/* Write the payload, padded with zeros up to `end`. The size includes the padding, as in the
 * kernel. */
static uint8_t *encode_padded(uint8_t *at, const uint8_t *end, struct tally_bytes bytes)
{
	at = encode_bytes(at, bytes.data, bytes.len);
	while (at < end)
		*at++ = 0;
	return at;
}

/* Write one word of counters for each branch, or 0 if its counters are missing. */
static uint8_t *encode_branch_counters(uint8_t *at, const struct tally_sample *sample)
{
	uint64_t want = tally_div(sample->branches.nr, 3);
	uint64_t there = TALLY_MIN(sample->branch_counters.nr, want);

	return encode_padded(at, at + 8 * want,
			     (struct tally_bytes){sample->branch_counters.data, 8 * there});
}

static uint8_t *encode_branches(uint8_t *at, const struct tally_sample_layout *layout,
				const struct tally_sample *sample)
{
	at = encode_u64(at, tally_div(sample->branches.nr, 3));
	if (layout->branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		at = encode_u64(at, sample->branch_hw_idx);
	at = encode_words(at, sample->branches);
	if (layout->branch_sample_type & PERF_SAMPLE_BRANCH_COUNTERS)
		at = encode_branch_counters(at, sample);
	return at;
}

/* Write the stack dump. Bytes that are dumped but not valid are written as zeros. */
static uint8_t *encode_stack(uint8_t *at, const struct tally_sample *sample)
{
	at = encode_u64(at, sample->stack_user_size);
	if (!sample->stack_user_size)
		return at;
	at = encode_padded(at, at + sample->stack_user_size, sample->stack_user);
	return encode_u64(at, sample->stack_user.len);
}

static uint8_t *encode_regs(uint8_t *at, const struct tally_regs *regs)
{
	at = encode_u64(at, regs->abi);
	if (regs->abi == PERF_SAMPLE_REGS_ABI_NONE)
		return at;
	return encode_words(encode_words(at, regs->values), regs->simd);
}

static void encode_field(uint8_t *at, size_t size, const struct tally_sample_layout *layout,
			 const struct tally_sample_field *field, const struct tally_sample *sample)
{
	const uint8_t *member = (const uint8_t *)sample + field->offset;
	struct tally_read read = sample->read;

	switch ((enum tally_sample_kind)field->kind) {
	case TALLY_SAMPLE_U64:
	case TALLY_SAMPLE_WEIGHT:
	case TALLY_SAMPLE_PAIR: encode_bytes(at, member, 8); break;
	case TALLY_SAMPLE_READ:
		read.format = layout->read_format;
		tally_read_encode(&read, at);
		break;
	case TALLY_SAMPLE_CALLCHAIN:
		encode_words(encode_u64(at, sample->callchain.nr), sample->callchain);
		break;
	case TALLY_SAMPLE_RAW:
		tally_put_u32(at, (uint32_t)size - 4);
		encode_padded(at + 4, at + size, sample->raw);
		break;
	case TALLY_SAMPLE_BRANCH: encode_branches(at, layout, sample); break;
	case TALLY_SAMPLE_REGS: encode_regs(at, (const struct tally_regs *)member); break;
	case TALLY_SAMPLE_STACK: encode_stack(at, sample); break;
	case TALLY_SAMPLE_AUX:
		encode_padded(encode_u64(at, size - 8), at + size, sample->aux);
		break;
	}
}

/* Write the leading rows that are one word each; most samples have only these. */
static uint8_t *encode_leading_words(uint8_t *at, const struct tally_sample_layout *layout,
				     const struct tally_sample *sample)
{
	for (int i = 0; i < layout->nr_words; i++, at += 8)
		__builtin_memcpy(
			at, (const uint8_t *)sample + tally_sample_fields[layout->rows[i]].offset,
			8);
	return at;
}

int tally_sample_encode(const struct tally_sample_layout *layout, const struct tally_sample *sample,
			uint16_t misc, void *out, size_t cap, size_t *ret_len)
{
	size_t len = tally_sample_size(layout, sample);
	struct perf_event_header header = {PERF_RECORD_SAMPLE, misc, (uint16_t)len};
	uint8_t *at = out;

	if (len > RECORD_SIZE_MAX)
		return -E2BIG;
	if (len > cap)
		return -ENOSPC;
	at = encode_bytes(at, &header, sizeof(header));
	at = encode_leading_words(at, layout, sample);
	for (int i = layout->nr_words; TALLY_CORE_SAMPLE_PARTS && i < layout->nr; i++) {
		const struct tally_sample_field *field = &tally_sample_fields[layout->rows[i]];
		size_t size = (size_t)field_size(layout, field, sample);

		encode_field(at, size, layout, field, sample);
		at += size;
	}
	*ret_len = len;
	return 0;
}

void tally_trailer_encode(const struct tally_sample_layout *layout,
			  const struct tally_sample *sample, void *out)
{
	uint8_t *at = out;

	for (int i = 0; i < layout->nr_trailer; i++) {
		const struct tally_sample_field *field =
			&tally_sample_fields[layout->trailer_rows[i]];

		at = encode_bytes(at, (const uint8_t *)sample + field->offset, 8);
	}
}
