/* SPDX-License-Identifier: BSD-2-Clause */
/* The classic ABI's attr, calls and counts. */
#include "tally/classic.h"

#include "abi/abi_sample.h"
#include "base/arith.h"
#include "tally/abi.h"
#include "tally/errno.h"

_Static_assert(sizeof(struct tally_classic_attr) == 56, "the document's attr");
_Static_assert(TALLY_CLASSIC_IOC_REFRESH == PERF_EVENT_IOC_REFRESH,
	       "requests have today's numbers");

/* Record bits and their current equivalents. GROUP corresponds to PERF_SAMPLE_READ in a group read
 * format. */
static const struct {
	uint32_t classic;
	uint64_t sample_type, read_format;
} record_bits[] = {
	{TALLY_CLASSIC_RECORD_IP, PERF_SAMPLE_IP, 0},
	{TALLY_CLASSIC_RECORD_TID, PERF_SAMPLE_TID, 0},
	{TALLY_CLASSIC_RECORD_TIME, PERF_SAMPLE_TIME, 0},
	{TALLY_CLASSIC_RECORD_ADDR, PERF_SAMPLE_ADDR, 0},
	{TALLY_CLASSIC_RECORD_GROUP, PERF_SAMPLE_READ, PERF_FORMAT_GROUP | PERF_FORMAT_ID},
	{TALLY_CLASSIC_RECORD_CALLCHAIN, PERF_SAMPLE_CALLCHAIN, 0},
};

#define RECORD_BITS ((1u << TALLY_ARRAY_SIZE(record_bits)) - 1)
#define READ_BITS   (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

#define CLASSIC_AT(member) offsetof(struct tally_classic_attr, member)
#define MODERN_AT(member)  offsetof(struct perf_event_attr, member)

enum { CLASSIC_BITS_AT = 24, MODERN_BITS_AT = 40 };

static int refuse(struct tally_classic_error *ret_error, int code, const char *text, size_t offset)
{
	if (ret_error)
		*ret_error = (struct tally_classic_error){text, offset};
	return code;
}

/* ---- classic to current -------------------------------------------------------------------- */

static uint64_t classic_type(const struct tally_classic_attr *classic)
{
	return (classic->config & TALLY_CLASSIC_TYPE_MASK) >> TALLY_CLASSIC_TYPE_SHIFT;
}

static int classic_check(const struct tally_classic_attr *classic,
			 struct tally_classic_error *ret_error)
{
	bool raw = classic->config & TALLY_CLASSIC_RAW_MASK;

	if (!raw && classic_type(classic) > PERF_TYPE_TRACEPOINT)
		return refuse(ret_error, -EINVAL, "unknown event type", CLASSIC_AT(config));
	if (classic->irq_period >> 63)
		return refuse(ret_error, -EINVAL, "period of 2^63 or more", CLASSIC_AT(irq_period));
	if (classic->record_type & ~RECORD_BITS)
		return refuse(ret_error, -EINVAL, "unknown bit in record_type",
			      CLASSIC_AT(record_type));
	if (classic->read_format & ~(uint32_t)READ_BITS)
		return refuse(ret_error, -EINVAL, "unknown bit in read_format",
			      CLASSIC_AT(read_format));
	if (classic->__reserved_1)
		return refuse(ret_error, -EINVAL, "reserved bits are set", CLASSIC_BITS_AT);
	if (classic->extra_config_len)
		return refuse(ret_error, -EINVAL, "extra configuration is not supported",
			      CLASSIC_AT(extra_config_len));
	if (classic->__reserved_2 || classic->__reserved_3)
		return refuse(ret_error, -EINVAL, "a reserved field is not 0",
			      classic->__reserved_2 ? CLASSIC_AT(__reserved_2)
						    : CLASSIC_AT(__reserved_3));
	return 0;
}

/* Return the current sample_type for a classic attr. The current ABI requires a TID in group
 * samples of inherited events. The translated record contains the TID only if the caller requested
 * it. */
static uint64_t sample_type_of(const struct tally_classic_attr *classic, uint64_t *ret_format)
{
	uint64_t type = 0, format = classic->read_format;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(record_bits); i++) {
		if (!(classic->record_type & record_bits[i].classic))
			continue;
		type |= record_bits[i].sample_type;
		format |= record_bits[i].read_format;
	}
	if (classic->inherit && type & PERF_SAMPLE_READ)
		type |= PERF_SAMPLE_TID;
	*ret_format = format;
	return type;
}

int tally_classic_attr_decode(const struct tally_classic_attr *classic, uint32_t page_size,
			      struct perf_event_attr *ret_attr,
			      struct tally_classic_error *ret_error)
{
	bool raw = classic->config & TALLY_CLASSIC_RAW_MASK;
	struct perf_event_attr attr = {
		.type = raw ? PERF_TYPE_RAW : (uint32_t)classic_type(classic),
		.size = PERF_ATTR_SIZE_VER0,
		.config = classic->config &
			  (raw ? ~TALLY_CLASSIC_RAW_MASK : TALLY_CLASSIC_EVENT_MASK),
		.sample_period = classic->irq_period,
		.disabled = classic->disabled,
		.inherit = classic->inherit,
		.pinned = classic->pinned,
		.exclusive = classic->exclusive,
		.exclude_user = classic->exclude_user,
		.exclude_kernel = classic->exclude_kernel,
		.exclude_hv = classic->exclude_hv,
		.exclude_idle = classic->exclude_idle,
		.mmap = classic->mmap,
		.comm = classic->comm,
		.watermark = !classic->wakeup_events,
		.wakeup_events = classic->wakeup_events ? classic->wakeup_events : page_size,
	};
	int error = classic_check(classic, ret_error);

	if (error)
		return error;
	attr.sample_type = sample_type_of(classic, &attr.read_format);
	*ret_attr = attr;
	return 0;
}

/* ---- current to classic -------------------------------------------------------------------- */

/* Return a current attr's flag word. */
static uint64_t flag_word(const struct perf_event_attr *attr)
{
	return tally_get_u64((const uint8_t *)attr + MODERN_BITS_AT);
}

/* Return the flags of a current attr that the classic ABI also defines. */
static uint64_t known_flags(void)
{
	const struct perf_event_attr all = {
		.disabled = 1,
		.inherit = 1,
		.pinned = 1,
		.exclusive = 1,
		.exclude_user = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.exclude_idle = 1,
		.mmap = 1,
		.comm = 1,
		.watermark = 1,
	};

	return flag_word(&all);
}

/* Return the record_type for an attr. Bits that record_type cannot express remain in `*sample_type`
 * and `*read_format`. */
static uint32_t record_type_of(uint64_t *sample_type, uint64_t *read_format)
{
	uint32_t type = 0;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(record_bits); i++) {
		if (!(*sample_type & record_bits[i].sample_type) ||
		    (*read_format & record_bits[i].read_format) != record_bits[i].read_format)
			continue;
		type |= record_bits[i].classic;
		*sample_type &= ~record_bits[i].sample_type;
		*read_format &= ~record_bits[i].read_format;
	}
	return type;
}

static int modern_check(const struct perf_event_attr *attr, uint64_t sample_type,
			uint64_t read_format, uint32_t page_size,
			struct tally_classic_error *ret_error)
{
	struct perf_event_attr zero = {0};
	const uint8_t *tail = (const uint8_t *)attr + PERF_ATTR_SIZE_VER0;

	if (attr->type > PERF_TYPE_TRACEPOINT && attr->type != PERF_TYPE_RAW)
		return refuse(ret_error, -EOPNOTSUPP, "event type not available in the classic ABI",
			      MODERN_AT(type));
	if (attr->config &
	    (attr->type == PERF_TYPE_RAW ? TALLY_CLASSIC_RAW_MASK : ~TALLY_CLASSIC_EVENT_MASK))
		return refuse(ret_error, -EOPNOTSUPP,
			      "config has too many bits for the classic ABI", MODERN_AT(config));
	if (attr->sample_period >> 63)
		return refuse(ret_error, -EOPNOTSUPP, "period of 2^63 or more",
			      MODERN_AT(sample_period));
	if (sample_type)
		return refuse(ret_error, -EOPNOTSUPP,
			      "sample field not available in the classic ABI",
			      MODERN_AT(sample_type));
	if (read_format & ~(uint64_t)READ_BITS)
		return refuse(ret_error, -EOPNOTSUPP,
			      "read_format bit not available in the classic ABI",
			      MODERN_AT(read_format));
	if (flag_word(attr) & ~known_flags())
		return refuse(ret_error, -EOPNOTSUPP, "flag not available in the classic ABI",
			      MODERN_BITS_AT);
	if (attr->watermark ? attr->wakeup_events != page_size : !attr->wakeup_events)
		return refuse(
			ret_error, -EOPNOTSUPP,
			"the classic ABI can wake up only after a number of events or a full page",
			MODERN_AT(wakeup_events));
	if (attr->bp_type || attr->config1 ||
	    __builtin_memcmp(tail, &zero, sizeof(*attr) - PERF_ATTR_SIZE_VER0))
		return refuse(ret_error, -EOPNOTSUPP, "field not available in the classic ABI",
			      attr->bp_type ? MODERN_AT(bp_type) : MODERN_AT(config1));
	return 0;
}

int tally_classic_attr_encode(const struct perf_event_attr *attr, uint32_t page_size,
			      struct tally_classic_attr *ret_classic,
			      struct tally_classic_error *ret_error)
{
	uint64_t sample_type = attr->sample_type, read_format = attr->read_format;
	bool raw = attr->type == PERF_TYPE_RAW;
	struct tally_classic_attr classic = {
		.config = raw ? attr->config | TALLY_CLASSIC_RAW_MASK
			      : attr->config | (uint64_t)attr->type << TALLY_CLASSIC_TYPE_SHIFT,
		.irq_period = attr->sample_period,
		.record_type = record_type_of(&sample_type, &read_format),
		.read_format = (uint32_t)read_format,
		.disabled = attr->disabled,
		.inherit = attr->inherit,
		.pinned = attr->pinned,
		.exclusive = attr->exclusive,
		.exclude_user = attr->exclude_user,
		.exclude_kernel = attr->exclude_kernel,
		.exclude_hv = attr->exclude_hv,
		.exclude_idle = attr->exclude_idle,
		.mmap = attr->mmap,
		.comm = attr->comm,
		.wakeup_events = attr->watermark ? 0 : attr->wakeup_events,
	};
	int error = modern_check(attr, sample_type, read_format, page_size, ret_error);

	if (!error)
		*ret_classic = classic;
	return error;
}

/* ---- calls ---------------------------------------------------------------------------------- */

int tally_classic_check_flags(unsigned long flags)
{
	return flags ? -EINVAL : 0;
}

int tally_classic_check_request(unsigned long request)
{
	switch (request) {
	case TALLY_CLASSIC_IOC_ENABLE:
	case TALLY_CLASSIC_IOC_DISABLE:
	case TALLY_CLASSIC_IOC_REFRESH: return 0;
	default: return -ENOTTY;
	}
}

int tally_classic_check_prctl(int option)
{
	return option == TALLY_CLASSIC_PRCTL_DISABLE || option == TALLY_CLASSIC_PRCTL_ENABLE
		       ? 0
		       : -EINVAL;
}

/* Linux returns different errors for missing hardware events, PMUs and modes; the classic ABI has
 * only -EINVAL. */
int tally_classic_open_error(const struct tally_classic_attr *classic, int error)
{
	bool is_absent = error == -ENOENT || error == -ENODEV || error == -EOPNOTSUPP;
	bool is_hardware = classic->config & TALLY_CLASSIC_RAW_MASK ||
			   classic_type(classic) == PERF_TYPE_HARDWARE;

	return is_absent && is_hardware ? -EINVAL : error;
}

/* ---- counts ---------------------------------------------------------------------------------- */

static uint64_t modern_format(const struct tally_classic_attr *classic)
{
	uint64_t format;

	sample_type_of(classic, &format);
	return format;
}

size_t tally_classic_counts_size(const struct tally_classic_attr *classic, uint32_t nr)
{
	return tally_read_size(modern_format(classic), nr);
}

/* Find the event's own value among its group's values. */
static bool own_value(const struct tally_read *read, uint64_t id, uint64_t *ret_value)
{
	for (uint64_t i = 0; i < read->nr; i++) {
		struct tally_read_value value = tally_read_get(read, i);

		if (read->format & PERF_FORMAT_ID && value.id != id)
			continue;
		*ret_value = value.value;
		return true;
	}
	return false;
}

int64_t tally_classic_counts(const struct tally_classic_attr *classic, const void *bytes,
			     size_t len, uint64_t id, void *out, size_t out_len)
{
	uint64_t words[TALLY_CLASSIC_COUNTS_MAX / 8];
	struct tally_read read;
	size_t nr = 1;

	if (!len)
		return 0;
	if (tally_read_decode(bytes, len, modern_format(classic), &read, NULL, NULL) ||
	    !own_value(&read, id, &words[0]))
		return -EINVAL;
	if (classic->read_format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		words[nr++] = read.time_enabled;
	if (classic->read_format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		words[nr++] = read.time_running;
	if (out_len < nr * 8)
		return -ENOSPC;
	__builtin_memcpy(out, words, nr * 8);
	return (int64_t)nr * 8;
}
