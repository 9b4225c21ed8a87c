/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/main/dump_sample.h"

#include <string.h>

#include "base/json.h"

static void dump_read_value(struct tally_str *out, const struct tally_read *read, uint64_t i)
{
	struct tally_read_value value = tally_read_get(read, i);

	tally_json_u64(out, "value", value.value);
	if (read->format & PERF_FORMAT_ID)
		tally_json_u64(out, "id", value.id);
	if (read->format & PERF_FORMAT_LOST)
		tally_json_u64(out, "lost", value.lost);
}

void tally_dump_read(struct tally_str *out, const struct tally_read *read)
{
	tally_json_open(out, "read_info", '{');
	if (read->format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		tally_json_u64(out, "time_enabled", read->time_enabled);
	if (read->format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		tally_json_u64(out, "time_running", read->time_running);
	tally_json_open(out, "read_value", '[');
	for (uint64_t i = 0; i < read->nr; i++) {
		tally_json_open(out, NULL, '{');
		dump_read_value(out, read, i);
		tally_json_close(out, '}');
	}
	tally_json_close(out, ']');
	tally_json_close(out, '}');
}

static void dump_words(struct tally_str *out, const char *name, struct tally_words words)
{
	tally_json_open(out, name, '[');
	for (uint64_t i = 0; i < words.nr; i++)
		tally_json_u64(out, NULL, tally_words_get(words, i));
	tally_json_close(out, ']');
}

static void dump_branch(struct tally_str *out, const struct perf_branch_entry *entry)
{
	tally_json_open(out, NULL, '{');
	tally_json_u64(out, "from_ip", entry->from);
	tally_json_u64(out, "to_ip", entry->to);
	tally_json_bool(out, "mispredicted", entry->mispred);
	tally_json_bool(out, "predicted", entry->predicted);
	tally_json_bool(out, "in_transaction", entry->in_tx);
	tally_json_bool(out, "abort", entry->abort);
	tally_json_u64(out, "cycles", entry->cycles);
	tally_json_u64(out, "type", entry->type);
	tally_json_u64(out, "spec", entry->spec);
	tally_json_u64(out, "new_type", entry->new_type);
	tally_json_u64(out, "priv", entry->priv);
	tally_json_close(out, '}');
}

static void dump_branches(struct tally_str *out, const struct tally_sample *sample,
			  uint64_t branch_type)
{
	struct perf_branch_entry entry;

	if (branch_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		tally_json_u64(out, "branch_stack_hw_idx", sample->branch_hw_idx);
	else
		tally_json_bool(out, "no_hw_idx", true);
	tally_json_open(out, "branch_stack", '[');
	for (uint64_t i = 0; i + 2 < sample->branches.nr; i += 3) {
		memcpy(&entry, sample->branches.data + 8 * i, sizeof(entry));
		dump_branch(out, &entry);
	}
	tally_json_close(out, ']');
	if (branch_type & PERF_SAMPLE_BRANCH_COUNTERS)
		dump_words(out, "branch_counters", sample->branch_counters);
}

static void dump_simd(struct tally_str *out, struct tally_words simd)
{
	tally_json_u64(out, "nr_vectors", tally_words_get(simd, TALLY_SIMD_NR_VECTORS));
	tally_json_u64(out, "vector_qwords", tally_words_get(simd, TALLY_SIMD_VECTOR_QWORDS));
	tally_json_u64(out, "nr_pred", tally_words_get(simd, TALLY_SIMD_NR_PREDICATES));
	tally_json_u64(out, "pred_qwords", tally_words_get(simd, TALLY_SIMD_PREDICATE_QWORDS));
	simd.data += 8 * TALLY_SIMD_HEAD;
	simd.nr -= TALLY_SIMD_HEAD;
	dump_words(out, "simd", simd);
}

static void dump_regs(struct tally_str *out, const char *name, const struct tally_regs *regs)
{
	tally_json_open(out, name, '{');
	tally_json_u64(out, "abi", regs->abi);
	tally_json_u64(out, "mask", regs->mask);
	dump_words(out, "regs", regs->values);
	if (regs->simd.nr)
		dump_simd(out, regs->simd);
	tally_json_close(out, '}');
}

static void dump_weight(struct tally_str *out, const struct tally_sample *sample)
{
	if (!(sample->present & PERF_SAMPLE_WEIGHT_STRUCT)) {
		tally_json_u64(out, "weight", sample->weight);
		return;
	}
	tally_json_open(out, "weight_struct", '{');
	tally_json_u64(out, "var1_dw", sample->weight & 0xffffffff);
	tally_json_u64(out, "var2_w", sample->weight >> 32 & 0xffff);
	tally_json_u64(out, "var3_w", sample->weight >> 48);
	tally_json_close(out, '}');
}

static void dump_pair(struct tally_str *out, const struct tally_sample_field *field,
		      const uint8_t *member)
{
	tally_json_u64(out, field->name, tally_get_u32(member));
	if (field->second)
		tally_json_u64(out, field->second, tally_get_u32(member + 4));
}

static void dump_field(struct tally_str *out, const struct tally_sample_field *field,
		       const struct tally_sample *sample, const struct tally_sample_layout *layout)
{
	const uint8_t *member = (const uint8_t *)sample + field->offset;

	switch ((enum tally_sample_kind)field->kind) {
	case TALLY_SAMPLE_U64:
		/* IDENTIFIER and ID have the same value, so show only one of them. */
		if (field->bit != PERF_SAMPLE_ID || !(sample->present & PERF_SAMPLE_IDENTIFIER))
			tally_json_u64(out, field->name, tally_get_u64(member));
		break;
	case TALLY_SAMPLE_PAIR: dump_pair(out, field, member); break;
	case TALLY_SAMPLE_READ: tally_dump_read(out, &sample->read); break;
	case TALLY_SAMPLE_CALLCHAIN: dump_words(out, field->name, sample->callchain); break;
	case TALLY_SAMPLE_RAW:
		tally_json_u64(out, "raw_size", sample->raw.len);
		tally_json_hex(out, field->name, sample->raw.data, sample->raw.len);
		break;
	case TALLY_SAMPLE_BRANCH: dump_branches(out, sample, layout->branch_sample_type); break;
	case TALLY_SAMPLE_REGS:
		dump_regs(out, field->name, (const struct tally_regs *)member);
		break;
	case TALLY_SAMPLE_STACK:
		tally_json_u64(out, "user_stack_size", sample->stack_user_size);
		tally_json_hex(out, field->name, sample->stack_user.data, sample->stack_user.len);
		break;
	case TALLY_SAMPLE_WEIGHT: dump_weight(out, sample); break;
	case TALLY_SAMPLE_AUX:
		tally_json_hex(out, field->name, sample->aux.data, sample->aux.len);
		break;
	}
}

bool tally_dump_sample(struct tally_str *out, const struct tally_perfdata_record *record)
{
	const struct tally_sample_layout *layout;
	struct tally_sample sample;

	if (!record->event ||
	    tally_sample_decode(record->event->layout, record->data, record->size, &sample, NULL)) {
		tally_json_bool(out, "damaged", true);
		return false;
	}
	layout = record->event->layout;
	for (int i = 0; i < layout->nr; i++)
		dump_field(out, &tally_sample_fields[layout->rows[i]], &sample, layout);
	return true;
}

void tally_dump_sample_info(struct tally_str *out, const struct tally_perfdata_record *record)
{
	const struct tally_sample_layout *layout = record->event->layout;
	struct tally_sample sample;

	if (tally_trailer_decode(layout, record->data, record->size, &sample, NULL))
		return;
	tally_json_open(out, "sample_info", '{');
	for (int i = 0; i < layout->nr_trailer; i++)
		dump_field(out, &tally_sample_fields[layout->trailer_rows[i]], &sample, layout);
	tally_json_close(out, '}');
}
