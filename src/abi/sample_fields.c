/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of sample fields, and the layouts created from it. */
#include "tally/errno.h"

#include "abi/abi_sample.h"
#include "base/arith.h"

#define AT(member) offsetof(struct tally_sample, member)

/* Rows are in record order; see PERF_RECORD_SAMPLE in perf_event_open(2). The trailer has a
 * different order, with the identifier last. */
const struct tally_sample_field tally_sample_fields[] = {
	{PERF_SAMPLE_IDENTIFIER, "id", NULL, TALLY_SAMPLE_U64, 5, AT(identifier)},
	{PERF_SAMPLE_IP, "ip", NULL, TALLY_SAMPLE_U64, -1, AT(ip)},
	{PERF_SAMPLE_TID, "pid", "tid", TALLY_SAMPLE_PAIR, 0, AT(pid)},
	{PERF_SAMPLE_TIME, "sample_time_ns", NULL, TALLY_SAMPLE_U64, 1, AT(time)},
	{PERF_SAMPLE_ADDR, "addr", NULL, TALLY_SAMPLE_U64, -1, AT(addr)},
	{PERF_SAMPLE_ID, "id", NULL, TALLY_SAMPLE_U64, 2, AT(id)},
	{PERF_SAMPLE_STREAM_ID, "stream_id", NULL, TALLY_SAMPLE_U64, 3, AT(stream_id)},
	{PERF_SAMPLE_CPU, "cpu", NULL, TALLY_SAMPLE_PAIR, 4, AT(cpu)},
	{PERF_SAMPLE_PERIOD, "period", NULL, TALLY_SAMPLE_U64, -1, AT(period)},
#if TALLY_CORE_SAMPLE_PARTS
	{PERF_SAMPLE_READ, NULL, NULL, TALLY_SAMPLE_READ, -1, AT(read)},
	{PERF_SAMPLE_CALLCHAIN, "callchain", NULL, TALLY_SAMPLE_CALLCHAIN, -1, AT(callchain)},
	{PERF_SAMPLE_RAW, "raw", NULL, TALLY_SAMPLE_RAW, -1, AT(raw)},
	{PERF_SAMPLE_BRANCH_STACK, NULL, NULL, TALLY_SAMPLE_BRANCH, -1, AT(branches)},
	{PERF_SAMPLE_REGS_USER, "user_regs", NULL, TALLY_SAMPLE_REGS, -1, AT(regs_user)},
	{PERF_SAMPLE_STACK_USER, "user_stack", NULL, TALLY_SAMPLE_STACK, -1, AT(stack_user)},
	{PERF_SAMPLE_WEIGHT_TYPE, NULL, NULL, TALLY_SAMPLE_WEIGHT, -1, AT(weight)},
	{PERF_SAMPLE_DATA_SRC, "data_src", NULL, TALLY_SAMPLE_U64, -1, AT(data_src)},
	{PERF_SAMPLE_TRANSACTION, "transaction", NULL, TALLY_SAMPLE_U64, -1, AT(transaction)},
	{PERF_SAMPLE_REGS_INTR, "intr_regs", NULL, TALLY_SAMPLE_REGS, -1, AT(regs_intr)},
	{PERF_SAMPLE_PHYS_ADDR, "physical_addr", NULL, TALLY_SAMPLE_U64, -1, AT(phys_addr)},
	{PERF_SAMPLE_CGROUP, "cgroup", NULL, TALLY_SAMPLE_U64, -1, AT(cgroup)},
	{PERF_SAMPLE_DATA_PAGE_SIZE, "data_page_size", NULL, TALLY_SAMPLE_U64, -1,
	 AT(data_page_size)},
	{PERF_SAMPLE_CODE_PAGE_SIZE, "code_page_size", NULL, TALLY_SAMPLE_U64, -1,
	 AT(code_page_size)},
	{PERF_SAMPLE_AUX, "aux", NULL, TALLY_SAMPLE_AUX, -1, AT(aux)},
#endif
};

const size_t tally_sample_nr_fields = TALLY_ARRAY_SIZE(tally_sample_fields);

_Static_assert(TALLY_ARRAY_SIZE(tally_sample_fields) <= TALLY_SAMPLE_MAX_FIELDS,
	       "rows[] holds all");

uint64_t tally_simd_words(const uint64_t *head)
{
	/* No record has more words than this, so their products do not overflow. */
	for (int i = 0; i < TALLY_SIMD_HEAD; i++)
		if (head[i] > UINT16_MAX)
			return UINT64_MAX;
	return head[TALLY_SIMD_NR_VECTORS] * head[TALLY_SIMD_VECTOR_QWORDS] +
	       head[TALLY_SIMD_NR_PREDICATES] * head[TALLY_SIMD_PREDICATE_QWORDS];
}

static bool field_is_word(uint8_t kind)
{
	return kind == TALLY_SAMPLE_U64 || kind == TALLY_SAMPLE_PAIR;
}

/* Record the offsets of the ID and the timestamp, which readers need before decoding. The first ID
 * in a sample takes precedence; it is the identifier, if present. */
static void layout_add_row(struct tally_sample_layout *layout, size_t row, int *at)
{
	const struct tally_sample_field *field = &tally_sample_fields[row];

	layout->rows[layout->nr++] = (uint8_t)row;
	if (*at < 0)
		return;
	if (field->bit & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID) && layout->sample_id < 0)
		layout->sample_id = (int16_t)*at;
	if (field->bit == PERF_SAMPLE_TIME)
		layout->sample_time = (int16_t)*at;
	*at = field_is_word(field->kind) ? *at + 8 : -1;
	if (*at >= 0)
		layout->nr_words = layout->nr;
}

static void layout_add_trailer(struct tally_sample_layout *layout)
{
	uint64_t bits[TALLY_TRAILER_MAX_FIELDS] = {0};

	for (int place = 0; place < TALLY_TRAILER_MAX_FIELDS; place++) {
		for (int i = 0; i < layout->nr; i++) {
			const struct tally_sample_field *field =
				&tally_sample_fields[layout->rows[i]];

			if (field->trailer != place)
				continue;
			bits[layout->nr_trailer] = field->bit;
			layout->trailer_rows[layout->nr_trailer++] = layout->rows[i];
		}
	}
	for (int i = 0; i < layout->nr_trailer; i++) {
		int16_t from_end = (int16_t)(-8 * (layout->nr_trailer - i));

		/* In the trailer the identifier is last, and also takes precedence over the ID. */
		if (bits[i] & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID))
			layout->trailer_id = from_end;
		if (bits[i] == PERF_SAMPLE_TIME)
			layout->trailer_time = from_end;
	}
}

int tally_sample_layout_init(struct tally_sample_layout *layout, const struct perf_event_attr *attr)
{
	struct tally_sample_layout made = {
		.sample_type = (uint32_t)attr->sample_type,
		.read_format = (uint32_t)attr->read_format,
		.branch_sample_type = (uint32_t)attr->branch_sample_type,
#if TALLY_CORE_SAMPLE_PARTS
		.regs_user = attr->sample_regs_user,
		.regs_intr = attr->sample_regs_intr,
#endif
		.sample_id = -1,
		.sample_time = -1,
	};
	int at = sizeof(struct perf_event_header);

	if (attr->sample_type & ~(uint64_t)(PERF_SAMPLE_MAX - 1) ||
	    attr->read_format & ~(uint64_t)(PERF_FORMAT_MAX - 1))
		return -EOPNOTSUPP;
	for (size_t row = 0; row < tally_sample_nr_fields; row++) {
		if (attr->sample_type & tally_sample_fields[row].bit)
			layout_add_row(&made, row, &at);
	}
	if (attr->sample_id_all)
		layout_add_trailer(&made);
	*layout = made;
	return 0;
}
