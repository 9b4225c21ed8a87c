/* SPDX-License-Identifier: BSD-2-Clause */
/* The attr as a table of named fields: evlist prints them, error messages name them, and tests fill
 * them in. */
#include "abi/attr.h"

#include "base/arith.h"
#include "base/endian.h"

#define MEMBER(member) sizeof(((struct perf_event_attr *)0)->member)
#define WHOLE(member)                                                                          \
	{                                                                                      \
#member, offsetof(struct perf_event_attr, member), MEMBER(member), 0, 0, false \
	}
#define SIGNED(member)                                                                        \
	{                                                                                     \
#member, offsetof(struct perf_event_attr, member), MEMBER(member), 0, 0, true \
	}
/* The bit fields share the word between read_format and wakeup_events. */
#define BITS_OFFSET (offsetof(struct perf_event_attr, wakeup_events) - 8)
#define BIT(member, shift, bits)                            \
	{                                                   \
#member, BITS_OFFSET, 8, shift, bits, false \
	}

const struct tally_attr_field tally_attr_fields[] = {
	WHOLE(type),
	WHOLE(size),
	WHOLE(config),
	WHOLE(sample_period),
	WHOLE(sample_type),
	WHOLE(read_format),
	BIT(disabled, 0, 1),
	BIT(inherit, 1, 1),
	BIT(pinned, 2, 1),
	BIT(exclusive, 3, 1),
	BIT(exclude_user, 4, 1),
	BIT(exclude_kernel, 5, 1),
	BIT(exclude_hv, 6, 1),
	BIT(exclude_idle, 7, 1),
	BIT(mmap, 8, 1),
	BIT(comm, 9, 1),
	BIT(freq, 10, 1),
	BIT(inherit_stat, 11, 1),
	BIT(enable_on_exec, 12, 1),
	BIT(task, 13, 1),
	BIT(watermark, 14, 1),
	BIT(precise_ip, 15, 2),
	BIT(mmap_data, 17, 1),
	BIT(sample_id_all, 18, 1),
	BIT(exclude_host, 19, 1),
	BIT(exclude_guest, 20, 1),
	BIT(exclude_callchain_kernel, 21, 1),
	BIT(exclude_callchain_user, 22, 1),
	BIT(mmap2, 23, 1),
	BIT(comm_exec, 24, 1),
	BIT(use_clockid, 25, 1),
	BIT(context_switch, 26, 1),
	BIT(write_backward, 27, 1),
	BIT(namespaces, 28, 1),
	BIT(ksymbol, 29, 1),
	BIT(bpf_event, 30, 1),
	BIT(aux_output, 31, 1),
	BIT(cgroup, 32, 1),
	BIT(text_poke, 33, 1),
	BIT(build_id, 34, 1),
	BIT(inherit_thread, 35, 1),
	BIT(remove_on_exec, 36, 1),
	BIT(sigtrap, 37, 1),
	BIT(defer_callchain, 38, 1),
	BIT(defer_output, 39, 1),
	WHOLE(wakeup_events),
	WHOLE(bp_type),
	WHOLE(config1),
	WHOLE(config2),
	WHOLE(branch_sample_type),
	WHOLE(sample_regs_user),
	WHOLE(sample_stack_user),
	SIGNED(clockid),
	WHOLE(sample_regs_intr),
	WHOLE(aux_watermark),
	WHOLE(sample_max_stack),
	WHOLE(aux_sample_size),
	WHOLE(aux_action),
	WHOLE(sig_data),
	WHOLE(config3),
	WHOLE(config4),
	WHOLE(sample_simd_regs_enabled),
	WHOLE(sample_simd_pred_reg_qwords),
	WHOLE(sample_simd_vec_reg_qwords),
	WHOLE(sample_simd_pred_reg_intr),
	WHOLE(sample_simd_pred_reg_user),
	WHOLE(sample_simd_vec_reg_intr),
	WHOLE(sample_simd_vec_reg_user),
};

const size_t tally_attr_nr_fields = TALLY_ARRAY_SIZE(tally_attr_fields);

static bool same_text(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

const struct tally_attr_field *tally_attr_find_field(const char *name)
{
	for (size_t i = 0; i < tally_attr_nr_fields; i++) {
		if (same_text(tally_attr_fields[i].name, name))
			return &tally_attr_fields[i];
	}
	return NULL;
}

/* Return a bit field's position in the word, counted from the least significant bit. Bit fields
 * start at the least significant bit or, on big-endian machines, at the most significant one. */
static unsigned field_shift(const struct tally_attr_field *field)
{
	return TALLY_HOST_BIG_ENDIAN ? 64u - field->shift - field->bits : field->shift;
}

uint64_t tally_attr_get(const struct perf_event_attr *attr, const struct tally_attr_field *field)
{
	const uint8_t *at = (const uint8_t *)attr + field->offset;
	uint64_t value;

	switch (field->size) {
	case 2: value = tally_get_u16(at); break;
	case 4: value = tally_get_u32(at); break;
	default: value = tally_get_u64(at); break;
	}
	if (field->bits)
		return value >> field_shift(field) & ((1ull << field->bits) - 1);
	return field->is_signed ? (uint64_t)(int64_t)(int32_t)value : value;
}

void tally_attr_set(struct perf_event_attr *attr, const struct tally_attr_field *field,
		    uint64_t value)
{
	uint8_t *at = (uint8_t *)attr + field->offset;

	if (field->bits) {
		uint64_t mask = ((1ull << field->bits) - 1) << field_shift(field);

		value = (tally_get_u64(at) & ~mask) | (value << field_shift(field) & mask);
	}
	switch (field->size) {
	case 2: tally_put_u16(at, (uint16_t)value); break;
	case 4: tally_put_u32(at, (uint32_t)value); break;
	default: tally_put_u64(at, value); break;
	}
}
