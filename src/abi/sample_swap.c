/* SPDX-License-Identifier: BSD-2-Clause */
/* In-place byte swapping of samples, driven by the rows of the layout. */
#include "tally/errno.h"

#include "abi/abi_sample.h"
#include "base/arith.h"

/* Bit fields of perf_branch_entry, in order; the rest of the word is reserved. */
static const uint8_t branch_bits[] = {1, 1, 1, 1, 16, 4, 2, 4, 3, 31};

struct swapper {
	const struct tally_sample_layout *layout;
	const uint8_t *record;
	uint8_t *at, *end;
	bool from_host;
	const char *wrong;
};

static bool swapper_has(struct swapper *in, uint64_t size)
{
	if (size <= (uint64_t)(in->end - in->at))
		return true;
	in->wrong = "sample ends inside a field";
	return false;
}

/* Swap one word and return its value in host order. */
static uint64_t swap_u64(struct swapper *in)
{
	uint64_t before, after;

	if (!swapper_has(in, 8))
		return 0;
	before = tally_get_u64(in->at);
	after = __builtin_bswap64(before);
	tally_put_u64(in->at, after);
	in->at += 8;
	return in->from_host ? before : after;
}

static uint32_t swap_u32(struct swapper *in)
{
	uint32_t before, after;

	if (!swapper_has(in, 4))
		return 0;
	before = tally_get_u32(in->at);
	after = __builtin_bswap32(before);
	tally_put_u32(in->at, after);
	in->at += 4;
	return in->from_host ? before : after;
}

static void swap_words(struct swapper *in, uint64_t nr)
{
	if (nr > (uint64_t)(in->end - in->at) / 8) {
		in->wrong = "array longer than its sample";
		return;
	}
	tally_swap_u64s(in->at, nr);
	in->at += 8 * nr;
}

static void swap_skip(struct swapper *in, uint64_t len)
{
	if (swapper_has(in, len))
		in->at += len;
}

/* Convert the order of the bit fields between byte orders. Bit fields are allocated from the least
 * significant bit on little-endian machines and from the most significant bit on big-endian ones;
 * each field keeps its own bit order. */
static uint64_t branch_flags_reorder(uint64_t flags, bool to_little)
{
	uint64_t turned = 0;
	unsigned little = 0;

	for (size_t i = 0; i < sizeof(branch_bits); i++) {
		unsigned big = 64 - little - branch_bits[i];
		uint64_t mask = (1ull << branch_bits[i]) - 1;

		turned |= to_little ? (flags >> big & mask) << little
				    : (flags >> little & mask) << big;
		little += branch_bits[i];
	}
	return turned;
}

static void swap_branches(struct swapper *in)
{
	uint64_t nr = swap_u64(in);
	uint64_t type = in->layout->branch_sample_type;
	bool to_little = in->from_host == (bool)TALLY_HOST_BIG_ENDIAN;

	if (type & PERF_SAMPLE_BRANCH_HW_INDEX)
		swap_u64(in);
	for (uint64_t i = 0; i < nr && !in->wrong; i++) {
		swap_words(in, 3);
		if (in->wrong)
			break;
		/* The words are already swapped, but the fields must still be reordered. */
		uint64_t flags = tally_get_u64(in->at - 8);

		if (in->from_host)
			flags = __builtin_bswap64(
				branch_flags_reorder(__builtin_bswap64(flags), to_little));
		else
			flags = branch_flags_reorder(flags, to_little);
		tally_put_u64(in->at - 8, flags);
	}
	if (type & PERF_SAMPLE_BRANCH_COUNTERS && !in->wrong)
		swap_words(in, nr);
}

static void swap_stack(struct swapper *in)
{
	uint64_t size = swap_u64(in);

	if (!size)
		return;
	swap_skip(in, size);
	if (!in->wrong)
		swap_u64(in);
}

static void swap_read(struct swapper *in)
{
	uint64_t nr = 1;

	if (in->layout->read_format & PERF_FORMAT_GROUP) {
		if (!swapper_has(in, 8))
			return;
		nr = tally_load_u64(in->at, !in->from_host);
		if (nr > UINT16_MAX) {
			in->wrong = "group has more members than fit in the record";
			return;
		}
	}
	swap_words(in, tally_read_size(in->layout->read_format, nr) / 8);
}

static void swap_regs(struct swapper *in, uint64_t mask)
{
	uint64_t head[TALLY_SIMD_HEAD], abi = swap_u64(in);

	if (!tally_regs_abi_is_known(abi))
		in->wrong = "unknown register ABI, so the fields after it cannot be located";
	if (in->wrong || abi == PERF_SAMPLE_REGS_ABI_NONE)
		return;
	swap_words(in, (uint64_t)tally_popcount(mask));
	if (!(abi & PERF_SAMPLE_REGS_ABI_SIMD))
		return;
	for (int i = 0; i < TALLY_SIMD_HEAD && !in->wrong; i++)
		head[i] = swap_u64(in);
	if (!in->wrong)
		swap_words(in, tally_simd_words(head));
}

static void swap_field(struct swapper *in, const struct tally_sample_field *field)
{
	uint64_t mask =
		field->bit == PERF_SAMPLE_REGS_USER ? in->layout->regs_user : in->layout->regs_intr;

	switch ((enum tally_sample_kind)field->kind) {
	case TALLY_SAMPLE_U64:
	case TALLY_SAMPLE_WEIGHT: swap_u64(in); break;
	case TALLY_SAMPLE_PAIR:
		swap_u32(in);
		swap_u32(in);
		break;
	case TALLY_SAMPLE_READ: swap_read(in); break;
	case TALLY_SAMPLE_CALLCHAIN: swap_words(in, swap_u64(in)); break;
	case TALLY_SAMPLE_RAW: swap_skip(in, swap_u32(in)); break;
	case TALLY_SAMPLE_BRANCH: swap_branches(in); break;
	case TALLY_SAMPLE_REGS: swap_regs(in, mask); break;
	case TALLY_SAMPLE_STACK: swap_stack(in); break;
	case TALLY_SAMPLE_AUX: swap_skip(in, swap_u64(in)); break;
	}
}

int tally_sample_swap(const struct tally_sample_layout *layout, void *record, size_t len,
		      bool from_host, struct tally_error *err)
{
	struct swapper in = {layout, record, record, (uint8_t *)record + len, from_host, NULL};

	if (len < sizeof(struct perf_event_header))
		return tally_error_at(err, -EINVAL, "record shorter than its header", 0);
	in.at += sizeof(struct perf_event_header);
	for (int i = 0; i < layout->nr; i++) {
		swap_field(&in, &tally_sample_fields[layout->rows[i]]);
		if (in.wrong)
			return tally_error_at(err, -EINVAL, in.wrong,
					      (uint64_t)(in.at - in.record));
	}
	return 0;
}

void tally_trailer_swap(const struct tally_sample_layout *layout, void *record, size_t len)
{
	size_t trailer = tally_trailer_size(layout);
	struct swapper in = {
		layout, record, (uint8_t *)record + len - trailer, (uint8_t *)record + len,
		true,   NULL};

	if (len < sizeof(struct perf_event_header) + trailer)
		return;
	for (int i = 0; i < layout->nr_trailer; i++)
		swap_field(&in, &tally_sample_fields[layout->trailer_rows[i]]);
}
