/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules shared by the current and the classic table generators. */
#include <string.h>
#include <strings.h>

#include "base/arith.h"
#include "jevents/jevents_event.h"

const char *tally_text_lower(const char *text, struct tally_arena *arena)
{
	char *lower = tally_arena_strndup(arena, text, strlen(text));

	for (char *at = lower; at && *at; at++)
		*at = *at >= 'A' && *at <= 'Z' ? *at | 0x20 : *at;
	return lower;
}

const char *tally_msr_term(uint64_t index)
{
	static const struct {
		uint64_t index;
		const char *term;
	} rows[] = {
		{0x3f6, "ldlat"},
		{0x1a6, "offcore_rsp"},
		{0x1a7, "offcore_rsp"},
		{0x3f7, "frontend"},
	};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(rows); i++)
		if (rows[i].index == index)
			return rows[i].term;
	return NULL;
}

const char *tally_unit_pmu(const char *unit, bool classic, struct tally_arena *arena)
{
	/* A unit that is not listed here becomes "uncore_" followed by the unit in lower case. */
	static const struct {
		const char *unit, *pmu;
		bool classic; /* also used in classic tables */
	} rows[] = {
		{"CBO", "uncore_cbox", true},
		{"QPI LL", "uncore_qpi", true},
		{"SBO", "uncore_sbox", true},
		{"iMPH-U", "uncore_arb", true},
		{"CPU-M-CF", "cpum_cf", false},
		{"CPU-M-SF", "cpum_sf", false},
		{"PAI-CRYPTO", "pai_crypto", false},
		{"PAI-EXT", "pai_ext", false},
		{"UPI LL", "uncore_upi", false},
		{"L3PMC", "amd_l3", false},
		{"DFPMC", "amd_df", false},
		{"UMCPMC", "amd_umc", false},
		{"ali_drw", "ali_drw", false},
		{"arm_cmn", "arm_cmn", false},
		{"cpu_atom", "cpu_atom", false},
		{"cpu_core", "cpu_core", false},
		{"cpu_lowpower", "cpu_lowpower", false},
		{"hisi_sccl,ddrc", "hisi_sccl,ddrc", false},
		{"hisi_sccl,hha", "hisi_sccl,hha", false},
		{"hisi_sccl,l3c", "hisi_sccl,l3c", false},
		{"hisi_sicl,cpa", "hisi_sicl,cpa", false},
		{"imx8_ddr", "imx8_ddr", false},
		{"imx9_ddr", "imx9_ddr", false},
		{"software", "software", false},
		{"tool", "tool", false},
	};
	struct tally_str text = {0};
	const char *pmu;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(rows); i++)
		if ((rows[i].classic || !classic) && !strcmp(unit, rows[i].unit))
			return rows[i].pmu;
	tally_str_addf(&text, "uncore_%s", unit);
	pmu = tally_str_error(&text) ? NULL : tally_text_lower(tally_str_text(&text), arena);
	tally_str_free(&text);
	return pmu;
}

const char *tally_fixed_terms(const char *name, bool classic)
{
	/* Fixed-counter events, encoded for generic counters. */
	static const struct {
		const char *name, *classic, *terms;
	} rows[] = {
		{"inst_retired.any", "event=0xc0", "event=0xc0,period=2000003"},
		{"inst_retired.any_p", "event=0xc0", "event=0xc0,period=2000003"},
		{"cpu_clk_unhalted.ref", "event=0x0,umask=0x03",
		 "event=0x0,umask=0x03,period=2000003"},
		{"cpu_clk_unhalted.thread", "event=0x3c", "event=0x3c,period=2000003"},
		{"cpu_clk_unhalted.core", NULL, "event=0x3c,period=2000003"},
		{"cpu_clk_unhalted.thread_any", "event=0x3c,any=1",
		 "event=0x3c,any=1,period=2000003"},
	};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(rows); i++)
		if (!strcasecmp(name, rows[i].name))
			return classic ? rows[i].classic : rows[i].terms;
	return NULL;
}

void tally_term_add(struct tally_str *terms, const char *term, const char *value)
{
	size_t len = value && tally_value_of(value) ? strcspn(value, ",") : 0;

	if (!len)
		return;
	tally_str_addf(terms, "%s%s=", terms->len ? "," : "", term);
	tally_str_add_bytes(terms, value, len);
}

void tally_desc_add(struct tally_str *desc, const char *text)
{
	size_t len = strlen(text), end = len;

	while (end && text[end - 1] == ' ')
		end--;
	tally_str_add_bytes(desc, text, end && text[end - 1] == '.' ? end - 1 : len);
}

void tally_desc_extra(struct tally_str *desc, const struct tally_entry *entry)
{
	const char *brief = tally_entry_text(entry, TALLY_KEY_BriefDescription);
	const char *errata = tally_entry_value(entry, TALLY_KEY_Errata);
	const char *precise = tally_entry_value(entry, TALLY_KEY_PEBS);
	bool address = tally_entry_value(entry, TALLY_KEY_Data_LA) != NULL;

	if (!desc->len)
		return;
	if (address)
		tally_str_add(desc, "  Supports address when precise");
	if (errata)
		tally_str_addf(desc, "%s  Spec update: %s", address ? "." : "", errata);
	if (precise && *brief && !strstr(brief, "(Precise Event)"))
		tally_str_add(desc,
			      strcmp(precise, "2") ? " (Precise event)" : " (Must be precise)");
}
