/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/script/fields.h"

#include <errno.h>
#include <string.h>

#include "abi/attr.h"
#include "base/arith.h"
#include "cli/main/global_options.h"
#include "cli/main/print.h"

/* An output field and the sample content that it requires. */
struct field {
	const char *name;
	uint64_t bit;
	uint64_t needs; /* PERF_SAMPLE_* bits, any of which is sufficient; 0 if not required */
	const char *attribute;
	uint8_t not_kinds; /* bit mask of event kinds that never have the field */
};

#define NOT(kind) (1 << (kind))

static const struct field fields_table[] = {
	{"comm", SCRIPT_COMM, 0, NULL, 0},
	{"tid", SCRIPT_TID, PERF_SAMPLE_TID, "TID", 0},
	{"pid", SCRIPT_PID, PERF_SAMPLE_TID, "TID", 0},
	{"time", SCRIPT_TIME, PERF_SAMPLE_TIME, "TIME", 0},
	{"cpu", SCRIPT_CPU, PERF_SAMPLE_CPU, "CPU", 0},
	{"event", SCRIPT_EVENT, 0, NULL, 0},
	{"trace", SCRIPT_TRACE, 0, NULL, NOT(SCRIPT_HW) | NOT(SCRIPT_SW) | NOT(SCRIPT_OTHER)},
	{"bpf-output", SCRIPT_BPF_OUTPUT, 0, NULL,
	 NOT(SCRIPT_HW) | NOT(SCRIPT_TP) | NOT(SCRIPT_OTHER)},
	{"ip", SCRIPT_IP, PERF_SAMPLE_IP, "IP", 0},
	{"sym", SCRIPT_SYM, PERF_SAMPLE_IP | PERF_SAMPLE_ADDR, "IP", 0},
	{"dso", SCRIPT_DSO, PERF_SAMPLE_IP | PERF_SAMPLE_ADDR, "IP", 0},
	{"addr", SCRIPT_ADDR, PERF_SAMPLE_ADDR, "ADDR", 0},
	{"srcline", SCRIPT_SRCLINE, PERF_SAMPLE_IP | PERF_SAMPLE_ADDR, "IP", 0},
	{"symoff", SCRIPT_SYMOFF, PERF_SAMPLE_IP | PERF_SAMPLE_ADDR, "IP", 0},
	{"period", SCRIPT_PERIOD, 0, NULL, 0},
	{"brstack", SCRIPT_BRSTACK, PERF_SAMPLE_BRANCH_STACK, "BRANCH_STACK", 0},
	{"brstacksym", SCRIPT_BRSTACKSYM, PERF_SAMPLE_BRANCH_STACK, "BRANCH_STACK", 0},
	{"brstackoff", SCRIPT_BRSTACKOFF, PERF_SAMPLE_BRANCH_STACK, "BRANCH_STACK", 0},
	{"brstackinsn", SCRIPT_BRSTACKINSN, PERF_SAMPLE_BRANCH_STACK, "BRANCH_STACK", 0},
	{"brstackinsnlen", SCRIPT_BRSTACKINSNLEN, PERF_SAMPLE_BRANCH_STACK, "BRANCH_STACK", 0},
	{"brstackdisasm", SCRIPT_BRSTACKDISASM, PERF_SAMPLE_BRANCH_STACK, "BRANCH_STACK", 0},
	{"ins_lat", SCRIPT_INS_LAT, PERF_SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT", 0},
	{"retire_lat", SCRIPT_RETIRE_LAT, PERF_SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT", 0},
	{"dsoff", SCRIPT_DSO | SCRIPT_DSOFF, PERF_SAMPLE_IP | PERF_SAMPLE_ADDR, "IP", 0},
	{"tod", SCRIPT_TOD, PERF_SAMPLE_TIME, "TIME", 0},
	{"weight", SCRIPT_WEIGHT, PERF_SAMPLE_WEIGHT_TYPE, "WEIGHT", 0},
	{"phys_addr", SCRIPT_PHYS_ADDR, PERF_SAMPLE_PHYS_ADDR, "PHYS_ADDR", 0},
	{"misc", SCRIPT_MISC, 0, NULL, 0},
	{"data_page_size", SCRIPT_DATA_PAGE_SIZE, PERF_SAMPLE_DATA_PAGE_SIZE, "DATA_PAGE_SIZE", 0},
	{"code_page_size", SCRIPT_CODE_PAGE_SIZE, PERF_SAMPLE_CODE_PAGE_SIZE, "CODE_PAGE_SIZE", 0},
	{"cgroup", SCRIPT_CGROUP, PERF_SAMPLE_CGROUP, "CGROUP", 0},
	{"data_src", SCRIPT_DATA_SRC, PERF_SAMPLE_DATA_SRC, "DATA_SRC", 0},
	{"iregs", SCRIPT_IREGS, PERF_SAMPLE_REGS_INTR, "IREGS", 0},
	{"insn", SCRIPT_INSN, PERF_SAMPLE_IP, "IP", 0},
	{"insnlen", SCRIPT_INSNLEN, PERF_SAMPLE_IP, "IP", 0},
	{"srccode", SCRIPT_SRCCODE, PERF_SAMPLE_IP, "IP", 0},
	{"disasm", SCRIPT_DISASM, PERF_SAMPLE_IP, "IP", 0},
	{"uregs", SCRIPT_UREGS, PERF_SAMPLE_REGS_USER, "UREGS", 0},
};

struct kind {
	const char *prefix, *name;
	uint64_t defaults;
};

#define TASK_FIELDS     (SCRIPT_COMM | SCRIPT_TID | SCRIPT_CPU | SCRIPT_TIME | SCRIPT_EVENT)
#define LOCATION_FIELDS (SCRIPT_IP | SCRIPT_SYM | SCRIPT_SYMOFF | SCRIPT_DSO)
#define CODE            (LOCATION_FIELDS | SCRIPT_PERIOD)
#define DATA                                                                \
	(SCRIPT_ADDR | SCRIPT_DATA_SRC | SCRIPT_WEIGHT | SCRIPT_PHYS_ADDR | \
	 SCRIPT_DATA_PAGE_SIZE | SCRIPT_CODE_PAGE_SIZE)

static const struct kind kinds[SCRIPT_NR_KINDS] = {
	[SCRIPT_HW] = {"hw", "hardware", TASK_FIELDS | CODE},
	[SCRIPT_SW] = {"sw", "software", TASK_FIELDS | CODE | SCRIPT_BPF_OUTPUT},
	[SCRIPT_TP] = {"trace", "tracepoint", TASK_FIELDS | SCRIPT_TRACE},
	[SCRIPT_OTHER] = {"raw", "raw hardware", TASK_FIELDS | CODE | DATA},
};

static int event_kind(const struct tally_perfdata_event *event)
{
	switch (event->attr.type) {
	case PERF_TYPE_HARDWARE: return SCRIPT_HW;
	case PERF_TYPE_SOFTWARE:
	case PERF_TYPE_BREAKPOINT: return SCRIPT_SW;
	case PERF_TYPE_TRACEPOINT: return SCRIPT_TP;
	default: return SCRIPT_OTHER;
	}
}

void tally_script_fields_default(struct tally_script_fields *fields)
{
	*fields = (struct tally_script_fields){0};
	for (int kind = 0; kind < SCRIPT_NR_KINDS; kind++)
		fields->shown[kind] = kinds[kind].defaults;
}

static bool name_is(const char *name, const char *text, size_t len)
{
	return strlen(name) == len && !strncmp(name, text, len);
}

static const struct field *field_find(const char *name, size_t len)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(fields_table); i++)
		if (name_is(fields_table[i].name, name, len))
			return &fields_table[i];
	return NULL;
}

/* Parse a prefix such as "hw:" and return the event kinds as a bit mask. Return all kinds if there
 * is no prefix. */
static unsigned parse_kinds(const char **text)
{
	for (int kind = 0; kind < SCRIPT_NR_KINDS; kind++) {
		size_t len = strlen(kinds[kind].prefix);

		if (!strncmp(*text, kinds[kind].prefix, len) && (*text)[len] == ':') {
			*text += len + 1;
			return kind == SCRIPT_HW ? 1u << SCRIPT_HW | 1u << SCRIPT_OTHER
						 : 1u << kind;
		}
	}
	return (1u << SCRIPT_NR_KINDS) - 1;
}

static void field_apply(struct tally_script_fields *fields, const struct field *field, char sign,
			unsigned which)
{
	for (int kind = 0; kind < SCRIPT_NR_KINDS; kind++) {
		if (!(which >> kind & 1))
			continue;
		if (sign == '-') {
			fields->shown[kind] &= ~field->bit;
		} else if (field->not_kinds >> kind & 1) {
			/* If a field is requested for all kinds, silently ignore it for kinds that
			 * cannot have it. */
			if (!(which & (which - 1)))
				tally_print_warning("'%s' is not a field of %s events; ignored",
						    field->name, kinds[kind].name);
		} else {
			fields->shown[kind] |= field->bit;
			/* As in perf, only fields that are requested for all kinds must exist. */
			if (which & (which - 1))
				fields->asked[kind] |= field->bit;
			else
				fields->wished[kind] |= field->bit;
		}
	}
}

/* Fields of perf that are empty unless the recording has an instruction trace or guests, which
 * tally does not decode. */
static const char *const empty_fields[] = {"callindent",  "flags", "ipc", "metric",
					   "machine_pid", "synth", "vcpu"};

/* Fields of perf that tally does not have, and what to use instead. */
static const struct {
	const char *name, *instead;
} perf_fields[] = {
	{"brcntr", "'tally script -D' shows the event counts of branches"},
};

static bool is_empty_field(const char *name, size_t len)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(empty_fields); i++)
		if (name_is(empty_fields[i], name, len))
			return true;
	return false;
}

void tally_script_fields_print(const char *before)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(fields_table); i++)
		puts(fields_table[i].name);
}

static int unknown_field(const char *name, size_t len)
{
	struct tally_suggest suggest;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(perf_fields); i++) {
		if (!name_is(perf_fields[i].name, name, len))
			continue;
		tally_print_error("perf's field '%s' is not supported", perf_fields[i].name);
		tally_print_hint("%s", perf_fields[i].instead);
		return -EINVAL;
	}
	tally_suggest_start(&suggest, name, len);
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(fields_table); i++)
		tally_suggest_offer(&suggest, fields_table[i].name);
	tally_print_error("unknown field '%.*s'", (int)len, name);
	(void)tally_print_typo(&suggest);
	fprintf(stderr, "  fields:");
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(fields_table); i++)
		fprintf(stderr, " %s", fields_table[i].name);
	fputc('\n', stderr);
	return -EINVAL;
}

/* "+flags" does not change the defaults, in contrast to other fields that are added. */
static bool is_only_flags(const char *text)
{
	return !strcmp(text, "+flags") || !strcmp(text, "-flags");
}

int tally_script_fields_parse(struct tally_script_fields *fields, const char *text)
{
	bool is_empty = !*text;
	unsigned which = parse_kinds(&text);

	if (is_empty) {
		tally_print_error("option '-F' requires a field");
		return -EINVAL;
	}
	for (int kind = 0; kind < SCRIPT_NR_KINDS; kind++) {
		if (!(which >> kind & 1))
			continue;
		fields->given[kind] |= !is_only_flags(text);
		if (*text != '+' && *text != '-')
			fields->shown[kind] = fields->asked[kind] = fields->wished[kind] = 0;
	}
	while (*text) {
		char sign = *text == '+' || *text == '-' ? *text++ : 0;
		size_t len = strcspn(text, ",");
		const struct field *field = field_find(text, len);

		if (!field && !is_empty_field(text, len))
			return unknown_field(text, len);
		if (field)
			field_apply(fields, field, sign, which);
		text += len + (text[len] == ',');
	}
	return 0;
}

void tally_script_fields_chains(struct tally_script_fields *fields,
				const struct tally_perfdata *data)
{
	const struct tally_perfdata_event *event;

	for (; (event = tally_perfdata_event(data, fields->nr_seen)); fields->nr_seen++) {
		if (event_kind(event) == SCRIPT_TP && !fields->given[SCRIPT_TP] &&
		    event->attr.sample_type & PERF_SAMPLE_CALLCHAIN)
			fields->shown[SCRIPT_TP] |= LOCATION_FIELDS;
	}
}

/* Report that an event's samples lack a field. perf2bolt looks for perf's sentence. */
static void missing_field(const struct tally_perfdata_event *event, const struct field *field)
{
	if (tally_is_perf())
		tally_print_error("Samples for '%s' event do not have %s attribute set. Cannot "
				  "print '%s' field.",
				  event->name, field->attribute, field->name);
	else
		tally_print_error("samples of event '%s' have no %s, so '%s' cannot be shown",
				  event->name, field->attribute, field->name);
	tally_print_hint("remove the field from -F, or record it");
}

int tally_script_fields_of(const struct tally_script_fields *fields,
			   const struct tally_perfdata_event *event, uint64_t *ret_fields)
{
	int kind = event_kind(event);
	uint64_t shown = fields->shown[kind];

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(fields_table); i++) {
		const struct field *field = &fields_table[i];

		if (!(shown & field->bit) || !field->needs ||
		    field->needs & event->attr.sample_type)
			continue;
		/* As in perf, branch stacks are empty without branches. */
		if (fields->asked[kind] & field->bit && field->needs != PERF_SAMPLE_BRANCH_STACK) {
			missing_field(event, field);
			return -EINVAL;
		}
		shown &= ~field->bit;
	}
	if (!tally_attr_is_bpf_output(&event->attr))
		shown &= ~SCRIPT_BPF_OUTPUT;
	*ret_fields = shown;
	return 0;
}

/* Check that the fields of one kind that need other fields have them. */
static int check_dependencies(uint64_t asked, uint64_t shown)
{
	static const struct {
		uint64_t bit, needs;
		const char *name, *needed;
	} rows[] = {
		{SCRIPT_SYMOFF, SCRIPT_SYM, "symoff", "sym"},
		{SCRIPT_SRCLINE, SCRIPT_IP, "srcline", "ip"},
		{SCRIPT_SRCCODE, SCRIPT_IP, "srccode", "ip"},
	};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(rows); i++) {
		if (!(asked & rows[i].bit) || shown & rows[i].needs)
			continue;
		tally_print_error("option '-F': '%s' requires '%s'", rows[i].name, rows[i].needed);
		return -EINVAL;
	}
	return 0;
}

/* Warn about fields that samples lack, if that is not an error. */
static void warn_missing(const struct tally_script_fields *fields,
			 const struct tally_perfdata_event *event)
{
	int kind = event_kind(event);

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(fields_table); i++) {
		const struct field *field = &fields_table[i];
		bool is_empty = field->needs == PERF_SAMPLE_BRANCH_STACK &&
				fields->asked[kind] & field->bit;

		if (!field->needs || field->needs & event->attr.sample_type ||
		    !(is_empty || fields->wished[kind] & field->bit))
			continue;
		tally_print_warning("samples of event '%s' have no %s, so '%s' is not shown",
				    event->name, field->attribute, field->name);
	}
}

int tally_script_fields_check(const struct tally_script_fields *fields,
			      const struct tally_perfdata *data)
{
	const struct tally_perfdata_event *event;
	unsigned seen = 0;
	uint64_t shown;
	int ret = 0;

	for (size_t i = 0; !ret && (event = tally_perfdata_event(data, i)); i++) {
		int kind = event_kind(event);

		if (seen >> kind & 1 || !(fields->asked[kind] | fields->wished[kind]))
			continue;
		seen |= 1u << kind;
		ret = check_dependencies(fields->asked[kind] | fields->wished[kind],
					 fields->shown[kind]);
		warn_missing(fields, event);
		if (!ret)
			ret = tally_script_fields_of(fields, event, &shown);
	}
	return ret;
}
