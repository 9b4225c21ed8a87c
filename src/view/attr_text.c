/* SPDX-License-Identifier: BSD-2-Clause */
/* Print an attr as perf evlist -v does: only nonzero fields, flags by name. */
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "abi/attr.h"
#include "base/arith.h"
#include "view/attr_text.h"

struct flag {
	uint64_t bit;
	const char *name;
};

#define SAMPLE(name)                      \
	{                                 \
		PERF_SAMPLE_##name, #name \
	}
static const struct flag sample_flags[] = {
	SAMPLE(IP),
	SAMPLE(TID),
	SAMPLE(TIME),
	SAMPLE(ADDR),
	SAMPLE(READ),
	SAMPLE(CALLCHAIN),
	SAMPLE(ID),
	SAMPLE(CPU),
	SAMPLE(PERIOD),
	SAMPLE(STREAM_ID),
	SAMPLE(RAW),
	SAMPLE(BRANCH_STACK),
	SAMPLE(REGS_USER),
	SAMPLE(STACK_USER),
	SAMPLE(IDENTIFIER),
	SAMPLE(REGS_INTR),
	SAMPLE(DATA_SRC),
	SAMPLE(WEIGHT),
	SAMPLE(PHYS_ADDR),
	SAMPLE(AUX),
	SAMPLE(CGROUP),
	SAMPLE(DATA_PAGE_SIZE),
	SAMPLE(CODE_PAGE_SIZE),
	SAMPLE(WEIGHT_STRUCT),
	SAMPLE(TRANSACTION),
};

#define BRANCH(name)                             \
	{                                        \
		PERF_SAMPLE_BRANCH_##name, #name \
	}
static const struct flag branch_flags[] = {
	BRANCH(USER),      BRANCH(KERNEL),     BRANCH(HV),        BRANCH(ANY),
	BRANCH(ANY_CALL),  BRANCH(ANY_RETURN), BRANCH(IND_CALL),  BRANCH(ABORT_TX),
	BRANCH(IN_TX),     BRANCH(NO_TX),      BRANCH(COND),      BRANCH(CALL_STACK),
	BRANCH(IND_JUMP),  BRANCH(CALL),       BRANCH(NO_FLAGS),  BRANCH(NO_CYCLES),
	BRANCH(TYPE_SAVE), BRANCH(HW_INDEX),   BRANCH(PRIV_SAVE), BRANCH(COUNTERS),
};

static const struct flag read_flags[] = {
	{PERF_FORMAT_TOTAL_TIME_ENABLED, "TOTAL_TIME_ENABLED"},
	{PERF_FORMAT_TOTAL_TIME_RUNNING, "TOTAL_TIME_RUNNING"},
	{PERF_FORMAT_ID, "ID"},
	{PERF_FORMAT_GROUP, "GROUP"},
	{PERF_FORMAT_LOST, "LOST"},
};

static void add_flags(struct tally_str *out, const struct flag *flags, size_t nr, uint64_t value)
{
	bool first = true;

	for (size_t i = 0; i < nr; i++) {
		if (!(value & flags[i].bit))
			continue;
		tally_str_add(out, first ? "" : "|");
		tally_str_add(out, flags[i].name);
		first = false;
	}
}

/* Append a field that is printed in hexadecimal or as a list of bit names. Return false for all
 * other fields. */
static bool add_special(struct tally_str *out, const char *name, uint64_t value)
{
	static const char *const hex[] = {"config",           "config1", "config2",
					  "config3",          "config4", "sample_regs_user",
					  "sample_regs_intr", "sig_data"};

	if (!strcmp(name, "sample_type")) {
		add_flags(out, sample_flags, TALLY_ARRAY_SIZE(sample_flags), value);
		return true;
	}
	if (!strcmp(name, "read_format")) {
		add_flags(out, read_flags, TALLY_ARRAY_SIZE(read_flags), value);
		return true;
	}
	if (!strcmp(name, "branch_sample_type")) {
		add_flags(out, branch_flags, TALLY_ARRAY_SIZE(branch_flags), value);
		return true;
	}
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(hex); i++) {
		if (!strcmp(name, hex[i])) {
			tally_str_addf(out, "0x%" PRIx64, value);
			return true;
		}
	}
	return false;
}

/* Return perf's label for a field, which names every member if the field is part of a union. */
static const char *field_label(const char *name)
{
	static const char *const labels[][2] = {
		{"sample_period", "{ sample_period, sample_freq }"},
		{"wakeup_events", "{ wakeup_events, wakeup_watermark }"},
		{"config1", "{ bp_addr, config1 }"},
		{"config2", "{ bp_len, config2 }"},
	};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(labels); i++) {
		if (!strcmp(name, labels[i][0]))
			return labels[i][1];
	}
	return name;
}

/* Text printed around each field. */
struct style {
	const char *before, *behind, *between;
	int width; /* column width for the name */
};

static void add_fields(const struct perf_event_attr *attr, const struct style *style,
		       struct tally_str *out)
{
	bool first = true;

	for (size_t i = 0; i < tally_attr_nr_fields; i++) {
		const struct tally_attr_field *field = &tally_attr_fields[i];
		uint64_t value = tally_attr_get(attr, field);

		if (!value)
			continue;
		tally_str_addf(out, "%s%s%-*s%s", first ? "" : style->between, style->before,
			       style->width, field_label(field->name), style->behind);
		first = false;
		if (add_special(out, field->name, value))
			continue;
		if (field->is_signed)
			tally_str_addf(out, "%" PRId64, (int64_t)value);
		else
			tally_str_add_u64(out, value);
	}
}

void tally_attr_text(const struct perf_event_attr *attr, struct tally_str *out)
{
	static const struct style in_line = {"", ": ", ", ", 0};

	add_fields(attr, &in_line, out);
}

void tally_attr_header(const struct perf_event_attr *attr, struct tally_str *out)
{
	static const struct style in_header = {"", " = ", ", ", 0};

	add_fields(attr, &in_header, out);
}

void tally_attr_lines(const struct perf_event_attr *attr, struct tally_str *out)
{
	static const struct style lines = {"  ", " ", "\n", 32};

	add_fields(attr, &lines, out);
	tally_str_add_char(out, '\n');
}
