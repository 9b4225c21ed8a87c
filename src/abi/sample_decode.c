/* SPDX-License-Identifier: BSD-2-Clause */
#include "tally/errno.h"

#include "abi/abi_sample.h"
#include "base/arith.h"

/* ---- counts: perf_event_open(2), "Reading results" -------------------------------------- */

static const uint8_t *word_read(const uint8_t *at, bool there, uint64_t *ret_value)
{
	*ret_value = there ? tally_get_u64(at) : 0;
	return there ? at + 8 : at;
}

static const uint8_t *times_read(const uint8_t *at, struct tally_read *read)
{
	at = word_read(at, read->format & PERF_FORMAT_TOTAL_TIME_ENABLED, &read->time_enabled);
	return word_read(at, read->format & PERF_FORMAT_TOTAL_TIME_RUNNING, &read->time_running);
}

int tally_read_decode(const void *bytes, size_t len, uint64_t read_format,
		      struct tally_read *ret_read, size_t *ret_used, struct tally_error *err)
{
	struct tally_read read = {.format = read_format, .nr = 1};
	const uint8_t *at = bytes;
	size_t fixed = tally_read_size(read_format, 0);

	if (len < fixed)
		return tally_error_at(err, -EINVAL, "truncated counts", 0);
	if (read_format & PERF_FORMAT_GROUP) {
		at = word_read(at, true, &read.nr);
		if (read.nr > tally_div(len - fixed, 8 * tally_read_stride(read_format)))
			return tally_error_at(err, -EINVAL,
					      "group has more members than fit in the record", 0);
		read.group.data = times_read(at, &read);
		read.group.nr = read.nr * tally_read_stride(read_format);
	} else {
		at = word_read(at, true, &read.single.value);
		at = times_read(at, &read);
		at = word_read(at, read_format & PERF_FORMAT_ID, &read.single.id);
		word_read(at, read_format & PERF_FORMAT_LOST, &read.single.lost);
	}
	if (ret_used)
		*ret_used = tally_read_size(read_format, read.nr);
	*ret_read = read;
	return 0;
}

struct tally_read_value tally_read_get(const struct tally_read *read, uint64_t i)
{
	struct tally_read_value value;
	const uint8_t *at;

	if (!(read->format & PERF_FORMAT_GROUP))
		return read->single;
	at = read->group.data + 8 * i * tally_read_stride(read->format);
	at = word_read(at, true, &value.value);
	at = word_read(at, read->format & PERF_FORMAT_ID, &value.id);
	word_read(at, read->format & PERF_FORMAT_LOST, &value.lost);
	return value;
}

/* ---- records ---------------------------------------------------------------------------- */

/* The undecoded part of the record, and the first error. */
struct decoder {
	const struct tally_sample_layout *layout;
	const uint8_t *record, *at, *end;
	const char *wrong;
};

static bool decoder_has(struct decoder *in, uint64_t size, const char *wrong)
{
	if (size <= (uint64_t)(in->end - in->at))
		return true;
	in->wrong = wrong;
	return false;
}

static uint64_t read_u64(struct decoder *in)
{
	uint64_t value = 0;

	if (decoder_has(in, 8, "sample ends inside a field")) {
		value = tally_get_u64(in->at);
		in->at += 8;
	}
	return value;
}

static struct tally_words read_words(struct decoder *in, uint64_t nr, const char *wrong)
{
	struct tally_words words = {in->at, nr};

	if (nr > (uint64_t)(in->end - in->at) / 8) {
		in->wrong = wrong;
		return (struct tally_words){0};
	}
	in->at += 8 * nr;
	return words;
}

static struct tally_bytes read_bytes(struct decoder *in, uint64_t len, const char *wrong)
{
	struct tally_bytes bytes = {in->at, len};

	if (!decoder_has(in, len, wrong))
		return (struct tally_bytes){0};
	in->at += len;
	return bytes;
}

static void read_counts(struct decoder *in, struct tally_read *read)
{
	struct tally_error err;
	size_t used;

	if (tally_read_decode(in->at, (size_t)(in->end - in->at), in->layout->read_format, read,
			      &used, &err))
		in->wrong = err.text;
	else
		in->at += used;
}

static void read_raw(struct decoder *in, struct tally_bytes *raw)
{
	uint32_t size;

	if (!decoder_has(in, 4, "sample ends inside a field"))
		return;
	size = tally_get_u32(in->at);
	in->at += 4;
	*raw = read_bytes(in, size, "raw data longer than its sample");
}

static void read_branches(struct decoder *in, struct tally_sample *sample)
{
	uint64_t nr = read_u64(in), type = in->layout->branch_sample_type;

	if (type & PERF_SAMPLE_BRANCH_HW_INDEX)
		sample->branch_hw_idx = read_u64(in);
	if (nr > UINT16_MAX)
		nr = UINT64_MAX / 3; /* keeps 3 * nr from overflowing; it is rejected below */
	sample->branches = read_words(in, 3 * nr, "branch stack longer than its sample");
	if (type & PERF_SAMPLE_BRANCH_COUNTERS && !in->wrong)
		sample->branch_counters =
			read_words(in, nr, "branch counters longer than their sample");
}

static struct tally_words read_simd(struct decoder *in)
{
	uint64_t head[TALLY_SIMD_HEAD], nr;
	const uint8_t *at = in->at;

	for (int i = 0; i < TALLY_SIMD_HEAD; i++)
		head[i] = read_u64(in);
	if (in->wrong)
		return (struct tally_words){0};
	nr = tally_simd_words(head);
	read_words(in, nr, "vector registers longer than their sample");
	return in->wrong ? (struct tally_words){0} : (struct tally_words){at, TALLY_SIMD_HEAD + nr};
}

static void read_regs(struct decoder *in, struct tally_regs *regs, uint64_t mask)
{
	regs->abi = read_u64(in);
	regs->mask = mask;
	if (!tally_regs_abi_is_known(regs->abi))
		in->wrong = "unknown register ABI, so the fields after it cannot be located";
	if (!in->wrong && regs->abi != PERF_SAMPLE_REGS_ABI_NONE)
		regs->values = read_words(in, (uint64_t)tally_popcount(mask),
					  "registers longer than their sample");
	if (!in->wrong && regs->abi & PERF_SAMPLE_REGS_ABI_SIMD)
		regs->simd = read_simd(in);
}

static void read_stack(struct decoder *in, struct tally_sample *sample)
{
	uint64_t valid;

	sample->stack_user_size = read_u64(in);
	if (in->wrong || !sample->stack_user_size)
		return;
	sample->stack_user =
		read_bytes(in, sample->stack_user_size, "user stack longer than its sample");
	valid = read_u64(in);
	sample->stack_user.len = TALLY_MIN(sample->stack_user.len, valid);
}

static void read_pair(struct decoder *in, uint8_t *pair)
{
	if (!decoder_has(in, 8, "sample ends inside a field"))
		return;
	__builtin_memcpy(pair, in->at, 8);
	in->at += 8;
}

static void read_field(struct decoder *in, const struct tally_sample_field *field,
		       struct tally_sample *sample)
{
	uint8_t *member = (uint8_t *)sample + field->offset;
	uint64_t mask =
		field->bit == PERF_SAMPLE_REGS_USER ? in->layout->regs_user : in->layout->regs_intr;

	switch ((enum tally_sample_kind)field->kind) {
	case TALLY_SAMPLE_U64:
	case TALLY_SAMPLE_WEIGHT: *(uint64_t *)member = read_u64(in); break;
	case TALLY_SAMPLE_PAIR: read_pair(in, member); break;
	case TALLY_SAMPLE_READ: read_counts(in, &sample->read); break;
	case TALLY_SAMPLE_CALLCHAIN:
		sample->callchain =
			read_words(in, read_u64(in), "callchain longer than its sample");
		break;
	case TALLY_SAMPLE_RAW: read_raw(in, &sample->raw); break;
	case TALLY_SAMPLE_BRANCH: read_branches(in, sample); break;
	case TALLY_SAMPLE_REGS: read_regs(in, (struct tally_regs *)member, mask); break;
	case TALLY_SAMPLE_STACK: read_stack(in, sample); break;
	case TALLY_SAMPLE_AUX:
		sample->aux = read_bytes(in, read_u64(in), "AUX data longer than its sample");
		break;
	}
}

/* A sample with all fields absent. */
static const struct tally_sample absent = {
	.pid = -1,
	.tid = -1,
	.cpu = UINT32_MAX,
	.branch_hw_idx = UINT64_MAX,
};

/* Copy the first `nr` rows, which are one word each, after a single length check and regardless of
 * their kinds. Return the number of rows decoded, or 0 if the record is too short for them. */
static int decode_words(struct decoder *in, const uint8_t *rows, int nr,
			struct tally_sample *sample)
{
	const uint8_t *at = in->at;
	uint64_t present = 0;

	if ((size_t)(in->end - at) < 8 * (size_t)nr)
		return 0;
	for (int i = 0; i < nr; i++, at += 8) {
		const struct tally_sample_field *field = &tally_sample_fields[rows[i]];

		__builtin_memcpy((uint8_t *)sample + field->offset, at, 8);
		present |= field->bit;
	}
	in->at = at;
	sample->present = present;
	return nr;
}

static int decode_rows(struct decoder *in, const uint8_t *rows, int nr, int nr_words,
		       struct tally_sample *sample, struct tally_error *err)
{
	*sample = absent;
	for (int i = decode_words(in, rows, nr_words, sample); i < nr; i++) {
		const struct tally_sample_field *field = &tally_sample_fields[rows[i]];

		read_field(in, field, sample);
		if (in->wrong)
			return tally_error_at(err, -EINVAL, in->wrong,
					      (uint64_t)(in->at - in->record));
		sample->present |= field->bit & in->layout->sample_type;
	}
	return 0;
}

int tally_sample_decode(const struct tally_sample_layout *layout, const void *record, size_t len,
			struct tally_sample *ret_sample, struct tally_error *err)
{
	struct decoder in = {layout, record, record, (const uint8_t *)record + len, NULL};
	int ret;

	if (len < sizeof(struct perf_event_header))
		return tally_error_at(err, -EINVAL, "record shorter than its header", 0);
	in.at += sizeof(struct perf_event_header);
	ret = decode_rows(&in, layout->rows, layout->nr, layout->nr_words, ret_sample, err);
	ret_sample->left = (uint64_t)(in.end - in.at);
	return ret;
}

int tally_trailer_decode(const struct tally_sample_layout *layout, const void *record, size_t len,
			 struct tally_sample *ret_sample, struct tally_error *err)
{
	struct decoder in = {layout, record, record, (const uint8_t *)record + len, NULL};
	size_t trailer = tally_trailer_size(layout);

	if (len < sizeof(struct perf_event_header))
		return tally_error_at(err, -EINVAL, "record shorter than its header", 0);
	if (!trailer || tally_record_is_user(tally_get_u32(record))) {
		*ret_sample = absent;
		return 0;
	}
	if (len < sizeof(struct perf_event_header) + trailer)
		return tally_error_at(err, -EINVAL, "record shorter than its sample_id", len);
	in.at = in.end - trailer;
	return decode_rows(&in, layout->trailer_rows, layout->nr_trailer, layout->nr_trailer,
			   ret_sample, err);
}
