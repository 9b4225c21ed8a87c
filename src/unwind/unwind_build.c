/* SPDX-License-Identifier: BSD-2-Clause */
#include "unwind/unwind_build.h"

#include <string.h>

#include "base/arith.h"
#include "base/hash.h"
#include "unwind/rule_words.h"

enum { MAX_ROWS = 1 << 29, MAX_BYTES = 1 << (TALLY_UNWIND_VALUE_BITS - 1) };

int tally_unwind_build_begin(struct tally_unwind_build *build,
			     const struct tally_unwind_range *stretch)
{
	struct tally_unwind_range begun = *stretch;

	begun.first_row = (uint32_t)build->rows.len;
	begun.nr_rows = 0;
	begun.order = (uint32_t)build->stretches.len;
	return tally_vec_push(&build->stretches, begun);
}

static size_t rule_pack(const struct tally_unwind_rule *rule, uint32_t *words)
{
	words[0] = rule_head_pack(rule);
	words[1] = (uint32_t)rule->cfa_value;
	for (unsigned i = 0; i < rule->nr_regs; i++)
		words[RULE_HEAD_WORDS + i] = rule->regs[i];
	return RULE_HEAD_WORDS + (size_t)rule->nr_regs;
}

/* Return the offset of a rule in `words`, adding the rule unless an equal one exists. Word 0 is
 * reserved, so that offset 0 means that there is no rule. */
static int rule_intern(struct tally_unwind_build *build, const struct tally_unwind_rule *rule,
		       uint32_t *ret_place)
{
	uint32_t words[RULE_HEAD_WORDS + UINT8_MAX], number;
	size_t nr = rule_pack(rule, words);
	uint32_t hash = (uint32_t)tally_hash_bytes(words, nr * sizeof(*words), 0);
	int ret;

	for (size_t pos = hash; tally_slots_next(&build->slots, hash, &pos, &number);) {
		uint32_t at = build->rule_at.data[number];

		if (build->words.len - at >= nr &&
		    !memcmp(build->words.data + at, words, nr * sizeof(*words))) {
			*ret_place = at;
			return 0;
		}
	}
	if (!build->words.len && tally_vec_push(&build->words, 0u))
		return -ENOMEM;
	if (build->words.len + nr > build->max_words)
		return -E2BIG;
	number = (uint32_t)build->rule_at.len;
	ret = tally_vec_reserve(&build->words, build->words.len + nr);
	if (!ret)
		ret = tally_vec_push(&build->rule_at, (uint32_t)build->words.len);
	if (!ret)
		ret = tally_slots_add(&build->slots, hash, number);
	if (ret)
		return ret;
	*ret_place = (uint32_t)build->words.len;
	memcpy(build->words.data + build->words.len, words, nr * sizeof(*words));
	build->words.len += nr;
	return 0;
}

int tally_unwind_build_row(struct tally_unwind_build *build, uint32_t start,
			   const struct tally_unwind_rule *rule)
{
	struct tally_unwind_range *stretch = &build->stretches.data[build->stretches.len - 1];
	struct tally_unwind_row *last;
	uint32_t place = 0;
	int ret = rule ? rule_intern(build, rule, &place) : 0;

	if (ret)
		return ret;
	/* If two rows start at the same address, the second one is used. A row that changes nothing
	 * is omitted. */
	last = stretch->nr_rows ? &build->rows.data[build->rows.len - 1] : NULL;
	if (last && last->start == start) {
		last->rule = place;
		return 0;
	}
	if (last && last->rule == place)
		return 0;
	if (build->rows.len >= MAX_ROWS)
		return -E2BIG;
	ret = tally_vec_push(&build->rows, (struct tally_unwind_row){start, place});
	stretch->nr_rows += !ret;
	return ret;
}

int tally_unwind_build_expression(struct tally_unwind_build *build, const uint8_t *code, size_t len,
				  int32_t *ret_value)
{
	size_t at = build->bytes.len;
	uint16_t stored = (uint16_t)len;

	if (len > UINT16_MAX || at + len + sizeof(stored) > MAX_BYTES)
		return -E2BIG;
	if (tally_vec_reserve(&build->bytes, at + sizeof(stored) + len))
		return -ENOMEM;
	memcpy(build->bytes.data + at, &stored, sizeof(stored));
	memcpy(build->bytes.data + at + sizeof(stored), code, len);
	build->bytes.len += sizeof(stored) + len;
	*ret_value = (int32_t)at;
	return 0;
}

static int range_compare(const void *left, const void *right)
{
	const struct tally_unwind_range *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

void tally_unwind_build_sort(struct tally_unwind_build *build)
{
	const struct tally_unwind_range *all = build->stretches.data;

	/* The ranges are almost always sorted already. */
	for (size_t i = 1; i < build->stretches.len; i++) {
		if (range_compare(&all[i - 1], &all[i]) > 0) {
			qsort(build->stretches.data, build->stretches.len, sizeof(*all),
			      range_compare);
			return;
		}
	}
}

/* State for merging the ranges' rows into one sorted list. */
struct rows_layout {
	uint32_t *starts, *rules, *functions;
	uint32_t nr, nr_functions;
	uint32_t covered; /* rows are complete up to here */
};

static void layout_row(struct rows_layout *layout, uint32_t start, uint32_t rule)
{
	if (layout->nr && layout->starts[layout->nr - 1] == start)
		layout->nr--;
	layout->starts[layout->nr] = start;
	layout->rules[layout->nr++] = rule;
}

/* Copy a range's rows up to `end`. Addresses that are already covered are skipped. */
static void layout_range(struct rows_layout *layout, const struct tally_unwind_build *build,
			 const struct tally_unwind_range *stretch, uint32_t end)
{
	const struct tally_unwind_row *rows = build->rows.data + stretch->first_row;
	uint32_t from = TALLY_MAX(stretch->start, layout->covered);

	if (from >= end || !stretch->nr_rows)
		return;
	if (layout->nr && layout->covered < from)
		layout_row(layout, layout->covered, 0);
	for (uint32_t i = 0; i < stretch->nr_rows && rows[i].start < end; i++) {
		bool holds_later = i + 1 < stretch->nr_rows && rows[i + 1].start <= from;

		if (holds_later)
			continue;
		layout_row(layout, TALLY_MAX(rows[i].start, from), rows[i].rule);
	}
	if (stretch->is_function && from == stretch->start)
		layout->functions[layout->nr_functions++] = from;
	layout->covered = end;
}

static uint32_t range_end(const struct tally_unwind_build *build, size_t i)
{
	const struct tally_unwind_range *stretch = &build->stretches.data[i];
	bool is_cut = stretch->is_weak && i + 1 < build->stretches.len;

	return is_cut ? TALLY_MIN(stretch->end, stretch[1].start) : stretch->end;
}

/* Return true if functions use frame pointers: in at least nine tenths of the code that has more
 * than a return address on the stack, the rules use the frame pointer to find the frame. */
static bool has_frame_pointers(const struct tally_unwind_build *build,
			       const struct rows_layout *layout,
			       const struct tally_unwind_arch *arch)
{
	uint64_t with = 0, without = 0;

	for (uint32_t i = 0; i + 1 < layout->nr; i++) {
		uint32_t at = layout->rules[i];
		uint32_t size = layout->starts[i + 1] - layout->starts[i];
		struct tally_unwind_rule rule;

		/* A file with only broken entries has rows, but no words. */
		if (!at)
			continue;
		rule = rule_head_unpack(build->words.data + at);
		if (rule.cfa != TALLY_CFA_REGISTER || rule.nr_regs < 2)
			continue;
		with += rule.cfa_reg == arch->fp ? size : 0;
		without += rule.cfa_reg == arch->fp ? 0 : size;
	}
	return with && with / 9 >= without;
}

static uint8_t *block_put(uint8_t *at, const void *data, size_t len)
{
	return len ? (uint8_t *)memcpy(at, data, len) + len : at;
}

/* Return the table as one block, which the caller frees, or NULL on memory allocation failure. */
static void *block_make(const struct tally_unwind_build *build, const struct rows_layout *layout,
			const struct tally_unwind_arch *arch, size_t *ret_len)
{
	struct tally_unwind_header head = {
		.magic = TALLY_UNWIND_MAGIC,
		.version = TALLY_UNWIND_VERSION,
		.machine = arch->machine,
		.nr_rows = layout->nr,
		.nr_functions = layout->nr_functions,
		.nr_words = (uint32_t)build->words.len,
		.nr_bytes = (uint32_t)build->bytes.len,
		.is_partial = build->is_partial,
		.has_frame_pointers = has_frame_pointers(build, layout, arch),
		.code_start = build->code_start,
		.code_end = build->code_end,
	};
	size_t rows = 4 * (size_t)layout->nr, words = 4 * build->words.len;
	size_t functions = 4 * (size_t)layout->nr_functions;
	uint8_t *block, *at;

	*ret_len = sizeof(head) + 2 * rows + functions + words + build->bytes.len;
	block = malloc(*ret_len);
	if (!block)
		return NULL;
	at = block_put(block, &head, sizeof(head));
	at = block_put(at, layout->starts, rows);
	at = block_put(at, layout->rules, rows);
	at = block_put(at, layout->functions, functions);
	at = block_put(at, build->words.data, words);
	block_put(at, build->bytes.data, build->bytes.len);
	return block;
}

int tally_unwind_build_finish(struct tally_unwind_build *build,
			      const struct tally_unwind_arch *arch, void **ret_bytes,
			      size_t *ret_len)
{
	/* Each range may add a row to mark its end. */
	uint64_t nr = build->rows.len + build->stretches.len + 1;
	struct rows_layout layout = {0};
	void *block = NULL;
	size_t len;

	if (nr > MAX_ROWS)
		return -E2BIG;
	tally_unwind_build_sort(build);
	layout.starts = malloc((2 * nr + build->stretches.len) * sizeof(*layout.starts));
	if (layout.starts) {
		layout.rules = layout.starts + nr;
		layout.functions = layout.rules + nr;
		for (size_t i = 0; i < build->stretches.len; i++)
			layout_range(&layout, build, &build->stretches.data[i],
				     range_end(build, i));
		if (layout.nr)
			layout_row(&layout, layout.covered, 0);
		block = block_make(build, &layout, arch, &len);
	}
	free(layout.starts);
	if (!block)
		return -ENOMEM;
	*ret_bytes = block;
	*ret_len = len;
	return 0;
}

void tally_unwind_build_free(struct tally_unwind_build *build)
{
	tally_vec_free(&build->stretches);
	tally_vec_free(&build->rows);
	tally_vec_free(&build->words);
	tally_vec_free(&build->rule_at);
	tally_vec_free(&build->bytes);
	tally_slots_free(&build->slots);
}
