/* SPDX-License-Identifier: BSD-2-Clause */
/* Generates classic tables, as described in the tree's README. */
#include <errno.h>
#include <string.h>

#include "base/arith.h"
#include "jevents/emit.h"
#include "jevents/jevents_event.h"

/* A member of struct pmu_event. The member is omitted if its text is NULL. */
struct member {
	const char *name, *text;
};

/* Append the terms in the order in which their keys appear in the object, keeping duplicates. Then
 * append the standard event's terms. */
static void object_terms(const struct tally_entry *entry, struct tally_str *out)
{
	static const char *const terms[TALLY_KEY_NR] = {
		[TALLY_KEY_UMask] = "umask",     [TALLY_KEY_CounterMask] = "cmask",
		[TALLY_KEY_Invert] = "inv",      [TALLY_KEY_AnyThread] = "any",
		[TALLY_KEY_EdgeDetect] = "edge", [TALLY_KEY_SampleAfterValue] = "period",
		[TALLY_KEY_FCMask] = "fc_mask",  [TALLY_KEY_PortMask] = "ch_mask",
	};
	bool done[TALLY_KEY_NR] = {false};

	for (const struct tally_json_value *member = entry->self->first; member;
	     member = member->next) {
		int key = tally_entry_key_find(member->key);

		if (key < 0 || !terms[key] || member->kind != TALLY_JSON_STRING)
			continue;
		tally_term_add(out, terms[key], member->text);
		done[key] = true;
	}
	for (int key = 0; key < TALLY_KEY_NR; key++)
		if (terms[key] && !done[key])
			tally_term_add(out, terms[key], tally_entry_text(entry, key));
}

static int terms_make(const struct tally_entry *entry, struct tally_str *out)
{
	const char *filter = tally_entry_value(entry, TALLY_KEY_Filter), *term;
	uint64_t code, select, msr;
	int ret = tally_entry_number(entry, TALLY_KEY_EventCode, &code);

	if (!ret)
		ret = tally_entry_number(entry, TALLY_KEY_ExtSel, &select);
	if (!ret)
		ret = tally_entry_number(entry, TALLY_KEY_MSRIndex, &msr);
	if (ret)
		return ret;
	object_terms(entry, out);
	code |= select << 21;
	tally_str_addf(out, code ? "%sevent=0x%llx" : "%sevent=%llx", out->len ? "," : "",
		       (unsigned long long)code);
	if (filter)
		tally_str_addf(out, ",%s", filter);
	term = tally_msr_term(msr);
	if (term)
		tally_term_add(out, term, tally_entry_text(entry, TALLY_KEY_MSRValue));
	return tally_str_error(out);
}

static void member_emit(struct tally_str *out, const struct member *member)
{
	if (!member->text || !*member->text)
		return;
	tally_str_addf(out, "\t\t.%s = \"", member->name);
	tally_emit_text(out, member->text, strlen(member->text));
	tally_str_add(out, "\",\n");
}

/* Join the short description and the unit in the order of their keys. If the description is
 * missing, the result is "(null)", as in the original classic tables. */
static void desc_make(const struct tally_entry *entry, const char *pmu, struct tally_str *desc)
{
	const char *brief = tally_entry_text(entry, TALLY_KEY_BriefDescription);
	bool unit_first = pmu && tally_entry_offset(entry, TALLY_KEY_Unit) <
					 tally_entry_offset(entry, TALLY_KEY_BriefDescription);

	if (unit_first)
		tally_str_addf(desc, "Unit: %s ", pmu);
	tally_desc_add(desc, brief);
	if (pmu && !unit_first)
		tally_str_addf(desc, "%sUnit: %s ", desc->len ? ". " : "", pmu);
	tally_desc_extra(desc, entry);
	if (!desc->len && !entry->values[TALLY_KEY_BriefDescription])
		tally_str_add(desc, "(null)");
}

static void long_desc_make(const struct tally_entry *entry, struct tally_str *desc)
{
	tally_desc_add(desc, tally_entry_text(entry, TALLY_KEY_PublicDescription));
	tally_desc_extra(desc, entry);
}

static int row_emit(struct tally_str *out, const struct tally_entry *entry,
		    struct tally_arena *arena)
{
	const char *name = tally_text_lower(tally_entry_text(entry, TALLY_KEY_EventName), arena);
	const char *unit = tally_entry_text(entry, TALLY_KEY_Unit);
	const char *pmu = *unit ? tally_unit_pmu(unit, true, arena) : NULL;
	const char *fixed = name ? tally_fixed_terms(name, true) : NULL;
	struct tally_str terms = {0}, desc = {0}, long_desc = {0};
	int ret = !name || (*unit && !pmu) ? -ENOMEM : 0;

	if (!ret && !fixed && *name)
		ret = terms_make(entry, &terms);
	desc_make(entry, pmu, &desc);
	long_desc_make(entry, &long_desc);
	if (!ret) {
		const struct member members[] = {
			{"name", name},
			{"event", fixed ? fixed : tally_str_text(&terms)},
			{"desc", tally_str_text(&desc)},
			{"topic", entry->topic},
			{"long_desc", tally_str_text(&long_desc)},
			{"pmu", pmu},
			{"unit", tally_entry_text(entry, TALLY_KEY_ScaleUnit)},
			{"perpkg", tally_entry_text(entry, TALLY_KEY_PerPkg)},
			{"metric_expr",
			 tally_text_lower(tally_entry_text(entry, TALLY_KEY_MetricExpr), arena)},
			{"metric_name", tally_entry_text(entry, TALLY_KEY_MetricName)},
			{"metric_group", tally_entry_text(entry, TALLY_KEY_MetricGroup)},
		};

		tally_str_add(out, "\t{\n");
		for (size_t i = 0; i < TALLY_ARRAY_SIZE(members); i++)
			member_emit(out, &members[i]);
		tally_str_add(out, "\t},\n");
	}
	tally_str_free(&terms);
	tally_str_free(&desc);
	tally_str_free(&long_desc);
	return ret;
}

int tally_emit_classic(struct tally_str *out, struct tally_reading *reading, const char *identifier)
{
	const struct tally_source *source = NULL;
	size_t first = 0; /* start of the current source's rows */
	int ret = 0, wrong = 0;

	tally_str_addf(out, "\nstruct pmu_event pme_%s[] = {\n", identifier);
	for (size_t i = 0; i < reading->entries.len && ret != -ENOMEM; i++) {
		const struct tally_entry *entry = &reading->entries.data[i];

		if (entry->source != source)
			first = out->len;
		source = entry->source;
		ret = row_emit(out, entry, &reading->arena);
		wrong = ret ? ret : wrong;
		if (reading->leave_out && tally_source_is_wrong(source))
			out->len = first;
	}
	tally_str_add(out, "\t{\n\t\t.name = 0,\n\t},\n};\n");
	return reading->leave_out && wrong == -EINVAL ? 0 : wrong;
}

void tally_emit_classic_map(struct tally_str *out, const struct tally_catalog *catalog)
{
	tally_str_add(out, "\nstruct pmu_events_map pmu_events_map[] = {\n");
	tally_vec_for_each (row, &catalog->rows) {
		const struct member members[] = {
			{"cpuid", row->cpuid}, {"version", row->version}, {"type", row->type}};

		tally_str_add(out, "\t{\n");
		for (size_t i = 0; i < TALLY_ARRAY_SIZE(members); i++)
			member_emit(out, &members[i]);
		tally_str_addf(out, "\t\t.table = pme_%s,\n\t},\n",
			       catalog->models.data[row->model].identifier);
	}
	tally_str_add(out, "\t{\n\t\t.cpuid = 0,\n\t},\n};\n");
}
