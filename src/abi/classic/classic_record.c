/* SPDX-License-Identifier: BSD-2-Clause */
/* Translate current records to classic ABI records. */
#include "abi/abi_record.h"
#include "base/arith.h"
#include "tally/abi.h"
#include "tally/classic.h"
#include "tally/errno.h"

enum { HEADER = sizeof(struct perf_event_header) };

/* A record under construction. `len` keeps growing when the record exceeds `cap`. */
struct writer {
	uint8_t *out;
	size_t cap, len;
};

static void writer_put(struct writer *writer, const void *bytes, size_t len)
{
	if (writer->len + len <= writer->cap)
		__builtin_memcpy(writer->out + writer->len, bytes, len);
	writer->len += len;
}

static void put_u64(struct writer *writer, uint64_t value)
{
	writer_put(writer, &value, sizeof(value));
}

/* Write the header, now that the size is known. */
static int64_t finish(struct writer *writer, uint32_t type, uint16_t misc)
{
	struct perf_event_header header = {type, misc, (uint16_t)writer->len};

	if (writer->len > UINT16_MAX)
		return -EINVAL;
	if (writer->len > writer->cap)
		return -ENOSPC;
	__builtin_memcpy(writer->out, &header, HEADER);
	return (int64_t)writer->len;
}

/* Translate the processor mode; the classic ABI has no mode for the hypervisor or for guests. */
static uint16_t misc_of(uint16_t misc)
{
	switch (misc & PERF_RECORD_MISC_CPUMODE_MASK) {
	case PERF_RECORD_MISC_KERNEL: return TALLY_CLASSIC_MISC_KERNEL;
	case PERF_RECORD_MISC_USER: return TALLY_CLASSIC_MISC_USER;
	default: return 0;
	}
}

/* ---- callchains ------------------------------------------------------------------------------ */

enum chain_part { CHAIN_HV, CHAIN_KERNEL, CHAIN_USER, CHAIN_PARTS, CHAIN_NONE };

/* Return the part of the chain that the context marker `entry` starts; CHAIN_PARTS if `entry` is
 * not a marker. */
static enum chain_part chain_marker(uint64_t entry)
{
	switch ((int64_t)entry) {
	case PERF_CONTEXT_HV: return CHAIN_HV;
	case PERF_CONTEXT_KERNEL: return CHAIN_KERNEL;
	case PERF_CONTEXT_USER: return CHAIN_USER;
	default: return entry >= (uint64_t)PERF_CONTEXT_MAX ? CHAIN_NONE : CHAIN_PARTS;
	}
}

/* Write the addresses of one part, unless `writer` is NULL, and return their number. Addresses
 * before any marker belong to `first`, the part of the interrupted mode. */
static uint16_t chain_part(struct tally_words chain, enum chain_part wanted, enum chain_part first,
			   struct writer *writer)
{
	enum chain_part now = first, marker;
	uint16_t nr = 0;

	for (uint64_t i = 0; i < chain.nr; i++) {
		uint64_t entry = tally_words_get(chain, i);

		marker = chain_marker(entry);
		if (marker != CHAIN_PARTS) {
			now = marker;
		} else if (now == wanted) {
			nr++;
			if (writer)
				put_u64(writer, entry);
		}
	}
	return nr;
}

static void put_chain(struct writer *writer, struct tally_words chain, uint16_t misc)
{
	enum chain_part first = misc == TALLY_CLASSIC_MISC_KERNEL ? CHAIN_KERNEL
				: misc == TALLY_CLASSIC_MISC_USER ? CHAIN_USER
								  : CHAIN_NONE;
	uint16_t counts[1 + CHAIN_PARTS] = {0}; /* nr, hv, kernel, user */

	for (int part = 0; part < CHAIN_PARTS; part++) {
		counts[1 + part] = chain_part(chain, (enum chain_part)part, first, NULL);
		counts[0] = (uint16_t)(counts[0] + counts[1 + part]);
	}
	writer_put(writer, counts, sizeof(counts));
	for (int part = 0; part < CHAIN_PARTS; part++)
		chain_part(chain, (enum chain_part)part, first, writer);
}

/* ---- samples ------------------------------------------------------------------------------- */

static void put_group(struct writer *writer, const struct tally_read *read,
		      tally_classic_config_of config_of, void *arg)
{
	put_u64(writer, read->nr);
	for (uint64_t i = 0; i < read->nr; i++) {
		struct tally_read_value value = tally_read_get(read, i);

		put_u64(writer, config_of ? config_of(arg, value.id) : value.id);
		put_u64(writer, value.value);
	}
}

static int64_t translate_sample(const struct tally_classic_attr *classic, const void *record,
				size_t len, tally_classic_config_of config_of, void *arg,
				struct writer *writer)
{
	uint16_t misc = misc_of(tally_record_header(record).misc);
	uint32_t type = classic->record_type;
	struct tally_sample_layout layout;
	struct perf_event_attr attr;
	struct tally_sample sample;

	if (tally_classic_attr_decode(classic, 1, &attr, NULL) ||
	    tally_sample_layout_init(&layout, &attr) ||
	    tally_sample_decode(&layout, record, len, &sample, NULL))
		return -EINVAL;
	if (type & TALLY_CLASSIC_RECORD_IP)
		put_u64(writer, sample.ip);
	if (type & TALLY_CLASSIC_RECORD_TID) {
		writer_put(writer, &sample.pid, sizeof(sample.pid));
		writer_put(writer, &sample.tid, sizeof(sample.tid));
	}
	if (type & TALLY_CLASSIC_RECORD_TIME)
		put_u64(writer, sample.time);
	if (type & TALLY_CLASSIC_RECORD_ADDR)
		put_u64(writer, sample.addr);
	if (type & TALLY_CLASSIC_RECORD_GROUP)
		put_group(writer, &sample.read, config_of, arg);
	if (type & TALLY_CLASSIC_RECORD_CALLCHAIN)
		put_chain(writer, sample.callchain, misc);
	return finish(writer, type, misc | TALLY_CLASSIC_MISC_OVERFLOW);
}

/* ---- other records --------------------------------------------------------------------------- */

/* Translate a record that has the same layout in both ABIs: MMAP, MUNMAP or COMM. */
static int64_t translate_same(const void *record, size_t len, uint32_t type, size_t fixed,
			      struct writer *writer)
{
	uint16_t misc = misc_of(tally_record_header(record).misc);
	static const uint8_t zeros[8];

	if (len < HEADER + fixed + 1 || ((const char *)record)[len - 1])
		return -EINVAL;
	writer_put(writer, (const uint8_t *)record + HEADER, len - HEADER);
	writer_put(writer, zeros, tally_round_up(len, 8) - len);
	return finish(writer, type, misc);
}

int64_t tally_classic_record(const struct tally_classic_attr *classic, const void *record,
			     size_t len, tally_classic_config_of config_of, void *arg, void *out,
			     size_t out_len)
{
	enum { MMAP_FIXED = 2 * 4 + 3 * 8, COMM_FIXED = 2 * 4 };
	struct writer writer = {out, out_len, HEADER};

	if (len < HEADER || tally_record_header(record).size != len)
		return -EINVAL;
	switch (tally_record_header(record).type) {
	case PERF_RECORD_SAMPLE:
		return translate_sample(classic, record, len, config_of, arg, &writer);
	case PERF_RECORD_MMAP:
		if (!classic->mmap)
			return 0;
		return translate_same(record, len, TALLY_CLASSIC_MMAP, MMAP_FIXED, &writer);
	case TALLY_CLASSIC_CORE_MUNMAP:
		if (!classic->munmap)
			return 0;
		return translate_same(record, len, TALLY_CLASSIC_MUNMAP, MMAP_FIXED, &writer);
	case PERF_RECORD_COMM:
		if (!classic->comm)
			return 0;
		return translate_same(record, len, TALLY_CLASSIC_COMM, COMM_FIXED, &writer);
	default: return 0;
	}
}
