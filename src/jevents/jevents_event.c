/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>

#include "base/arith.h"
#include "base/scan.h"
#include "jevents/jevents_event.h"
#include "jevents/jevents_model.h"

/* Terms other than the event code, in output order. */
static const struct {
	enum tally_entry_key key;
	const char *term;
} terms[] = {
	{TALLY_KEY_AnyThread, "any"},           {TALLY_KEY_PortMask, "ch_mask"},
	{TALLY_KEY_CounterMask, "cmask"},       {TALLY_KEY_EdgeDetect, "edge"},
	{TALLY_KEY_EnAllCores, "enallcores"},   {TALLY_KEY_EnAllSlices, "enallslices"},
	{TALLY_KEY_FCMask, "fc_mask"},          {TALLY_KEY_Invert, "inv"},
	{TALLY_KEY_SampleAfterValue, "period"}, {TALLY_KEY_RdWrMask, "rdwrmask"},
	{TALLY_KEY_SliceId, "sliceid"},         {TALLY_KEY_ThreadMask, "threadmask"},
	{TALLY_KEY_NodeType, "type"},           {TALLY_KEY_UMask, "umask"},
};

/* Append the event code as a term. */
static int code_add(const struct tally_entry *entry, struct tally_str *out)
{
	static const struct {
		enum tally_entry_key key;
		const char *term;
	} codes[] = {{TALLY_KEY_ConfigCode, "config"}, {TALLY_KEY_EventidCode, "eventid"}};
	const char *term = "event";
	uint64_t code, select;
	int ret = tally_entry_number(entry, TALLY_KEY_EventCode, &code);

	if (!ret)
		ret = tally_entry_number(entry, TALLY_KEY_ExtSel, &select);
	if (ret)
		return ret;
	code |= select << 8;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(codes); i++) {
		if (!entry->values[codes[i].key])
			continue;
		ret = tally_entry_number(entry, codes[i].key, &code);
		if (ret)
			return ret;
		term = codes[i].term;
	}
	tally_str_addf(out, code ? "%s=0x%llx" : "%s=%llx", term, (unsigned long long)code);
	return 0;
}

/* In Intel's original files, the upper part of a wide umask is stored under a separate key. */
static int umask_add(const struct tally_entry *entry, struct tally_str *out)
{
	uint64_t low, high;
	int ret = tally_entry_number(entry, TALLY_KEY_UMaskExt, &high);

	if (!ret && high)
		ret = tally_entry_number(entry, TALLY_KEY_UMask, &low);
	if (ret)
		return ret;
	if (high)
		tally_str_addf(out, ",umask=0x%llx", (unsigned long long)(high << 8 | low));
	else
		tally_term_add(out, "umask", tally_entry_text(entry, TALLY_KEY_UMask));
	return 0;
}

static int msr_add(const struct tally_entry *entry, struct tally_str *out)
{
	const char *value = tally_entry_value(entry, TALLY_KEY_MSRValue), *term;
	uint64_t index;
	int ret = tally_entry_number(entry, TALLY_KEY_MSRIndex, &index);

	if (ret || !index)
		return ret;
	term = tally_msr_term(index);
	if (!term)
		tally_source_emit(entry->source, TALLY_DIAGNOSTIC_WARNING,
				  tally_entry_offset(entry, TALLY_KEY_MSRIndex),
				  "ignored, because no term is known for this register",
				  "register 0x%llx", (unsigned long long)index);
	else if (value)
		tally_term_add(out, term, value);
	else if (!entry->values[TALLY_KEY_MSRValue])
		tally_source_emit(entry->source, TALLY_DIAGNOSTIC_WARNING,
				  tally_entry_offset(entry, TALLY_KEY_MSRIndex),
				  "the register is ignored", "MSRIndex without MSRValue");
	return 0;
}

/* Append a filter term such as "filter_opc=0x180" unchanged. A range of bits, as in Intel's
 * original files, is not a term. */
static void filter_add(const struct tally_entry *entry, struct tally_str *out)
{
	const char *filter = tally_entry_value(entry, TALLY_KEY_Filter);

	if (filter && strchr(filter, '=') && !strchr(filter, '['))
		tally_str_addf(out, ",%s", filter);
}

static int terms_make(const struct tally_entry *entry, struct tally_str *out)
{
	int ret = code_add(entry, out);

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(terms) && !ret; i++) {
		if (terms[i].key == TALLY_KEY_UMask)
			ret = umask_add(entry, out);
		else
			tally_term_add(out, terms[i].term, tally_entry_text(entry, terms[i].key));
	}
	if (ret)
		return ret;
	filter_add(entry, out);
	return msr_add(entry, out);
}

/* Parse a list of counters: "0,1,2,3", "Fixed counter 1", "FIXED", "33". */
static void counters_read(const char *text, uint16_t *ret_counters, uint8_t *ret_fixed)
{
	bool fixed = (text[0] | 0x20) == 'f';

	*ret_counters = 0;
	*ret_fixed = 0;
	if (fixed && !strpbrk(text, "0123456789"))
		*ret_fixed = 1;
	while ((text = strpbrk(text, "0123456789"))) {
		struct tally_scan scan = tally_scan_of(text, strlen(text));
		uint64_t index = UINT64_MAX;

		(void)tally_scan_number(&scan, 10, &index);
		text = scan.at;
		if (!fixed && index < 16)
			*ret_counters |= 1u << index;
		else if (index >= 32 && index < 40)
			*ret_fixed |= 1u << (index - 32);
		else if (fixed && index < 8)
			*ret_fixed |= 1u << index;
	}
}

static uint8_t flags_read(const struct tally_entry *entry)
{
	static const struct {
		enum tally_entry_key key;
		const char *text; /* value that sets the flag */
		enum tally_event_flag flag;
	} rows[] = {
		{TALLY_KEY_Deprecated, "1", TALLY_EVENT_DEPRECATED},
		{TALLY_KEY_PerPkg, "1", TALLY_EVENT_PER_PACKAGE},
		{TALLY_KEY_PEBS, "1", TALLY_EVENT_PRECISE},
		{TALLY_KEY_PEBS, "2", TALLY_EVENT_PRECISE | TALLY_EVENT_MUST_PRECISE},
		{TALLY_KEY_Data_LA, "1", TALLY_EVENT_ADDRESS},
		{TALLY_KEY_TakenAlone, "1", TALLY_EVENT_ALONE},
	};
	uint8_t flags = 0;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(rows); i++)
		if (!strcmp(tally_entry_text(entry, rows[i].key), rows[i].text))
			flags |= rows[i].flag;
	return flags;
}

/* Return the index + 1 of a key's value in `words`, 0 if the key has no value, or -EINVAL
 * (reported) for any other value. */
static int word_read(const struct tally_entry *entry, enum tally_entry_key key,
		     const char *const *words)
{
	const char *text = tally_entry_value(entry, key);

	for (int i = 0; text && words[i]; i++)
		if (!strcmp(words[i], text))
			return i + 1;
	if (!text)
		return 0;
	tally_source_emit(entry->source, TALLY_DIAGNOSTIC_ERROR, tally_entry_offset(entry, key),
			  "unknown value for this key", "invalid value \"%s\"", text);
	return -EINVAL;
}

static int metric_read(const struct tally_entry *entry, struct tally_raw_event *event)
{
	static const char *const constraints[] = {"NO_GROUP_EVENTS", "NO_GROUP_EVENTS_NMI",
						  "NO_GROUP_EVENTS_SMT", NULL};
	static const char *const aggregations[] = {"PerChip", "PerCore", NULL};
	int constraint = word_read(entry, TALLY_KEY_MetricConstraint, constraints);
	int aggregation = word_read(entry, TALLY_KEY_AggregationMode, aggregations);

	if (constraint < 0 || aggregation < 0)
		return -EINVAL;
	event->constraint = constraint;
	event->aggregation = aggregation;
	event->metric = tally_entry_text(entry, TALLY_KEY_MetricName);
	event->expr = tally_entry_text(entry, TALLY_KEY_MetricExpr);
	event->threshold = tally_entry_text(entry, TALLY_KEY_MetricThreshold);
	event->groups = tally_entry_text(entry, TALLY_KEY_MetricGroup);
	event->no_groups = tally_entry_text(entry, TALLY_KEY_MetricgroupNoGroup);
	event->default_group = tally_entry_text(entry, TALLY_KEY_DefaultMetricgroupName);
	return 0;
}

/* Move a finished string to the arena. Return NULL when out of memory. */
static const char *text_move(struct tally_str *text, struct tally_arena *arena)
{
	const char *kept = NULL;

	if (!tally_str_error(text))
		kept = text->len ? tally_arena_strndup(arena, text->data, text->len) : "";
	tally_str_free(text);
	return kept;
}

static int event_terms(const struct tally_entry *entry, struct tally_arena *arena,
		       struct tally_raw_event *event)
{
	const char *fixed = tally_fixed_terms(event->name, false);
	struct tally_str text = {0};
	int ret = 0;

	event->terms = fixed ? fixed : "";
	if (!fixed && *event->name) {
		ret = terms_make(entry, &text);
		event->terms = text_move(&text, arena);
		if (!ret && !event->terms)
			ret = -ENOMEM;
	}
	return ret;
}

static const char *desc_make(const struct tally_entry *entry, enum tally_entry_key key,
			     struct tally_arena *arena)
{
	struct tally_str text = {0};

	tally_desc_add(&text, tally_entry_text(entry, key));
	tally_desc_extra(&text, entry);
	return text_move(&text, arena);
}

int tally_raw_event_build(const struct tally_entry *entry, struct tally_arena *arena,
			  struct tally_raw_event *ret_event)
{
	struct tally_raw_event event = {
		.source = entry->source,
		.offset = entry->self->offset,
		.expr_offset = tally_entry_offset(entry, TALLY_KEY_MetricExpr),
		.name = tally_text_lower(tally_entry_text(entry, TALLY_KEY_EventName), arena),
		.desc = desc_make(entry, TALLY_KEY_BriefDescription, arena),
		.long_desc = desc_make(entry, TALLY_KEY_PublicDescription, arena),
		.topic = entry->topic,
		.unit = tally_entry_text(entry, TALLY_KEY_ScaleUnit),
		.compat = tally_entry_text(entry, TALLY_KEY_Compat),
		.pmu = "default_core",
		.flags = flags_read(entry),
	};
	int ret = metric_read(entry, &event);

	if (!ret && entry->values[TALLY_KEY_Unit])
		event.pmu = tally_unit_pmu(tally_entry_text(entry, TALLY_KEY_Unit), false, arena);
	if (!ret && (!event.name || !event.desc || !event.long_desc || !event.pmu))
		ret = -ENOMEM;
	if (!ret)
		ret = event_terms(entry, arena, &event);
	if (ret)
		return ret;
	counters_read(tally_entry_text(entry, TALLY_KEY_Counter), &event.counters, &event.fixed);
	*ret_event = event;
	return 0;
}
