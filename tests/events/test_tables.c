/* SPDX-License-Identifier: BSD-2-Clause */
/* Test names from built-in and loaded tables, names used by other tools, and machines with several
 * core types. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "events/tables.h"
#include "tally/events.h"
#include "test_tree.h"

#include <cmocka.h>

static struct tally_events *events_of(const char *sysfs, enum tally_events_cpu whose,
				      const char *cpuid)
{
	struct tally_events *events;

	assert_int_equal(tally_events_new(sysfs, "/nonexistent", &events), 0);
	assert_int_equal(tally_events_set_cpu(events, whose, cpuid), 0);
	return events;
}

static struct tally_event_list *parse(struct tally_events *events, const char *text)
{
	struct tally_event_list *list = NULL;
	struct tally_event_error err;
	int ret = tally_events_parse(events, text, strlen(text), &list, &err);

	if (ret)
		print_message("# %s: %s at %zu '%s' (%s)\n", text, err.text, err.offset, err.slice,
			      err.fix);
	assert_int_equal(ret, 0);
	assert_int_equal(err.code, 0);
	return list;
}

static struct tally_event_error refuse(struct tally_events *events, const char *text, int code)
{
	struct tally_event_list *list;
	struct tally_event_error err;

	assert_int_equal(tally_events_parse(events, text, strlen(text), &list, &err), code);
	assert_int_equal(err.code, code);
	return err;
}

/* ---- names ------------------------------------------------------------------------- */

static const struct {
	const char *cpu, *text;
	uint64_t config, config1, period;
	const char *flags; /* excluded modes as letters, as in test_grammar.c */
} names[] = {
	{"silvermont", "inst_retired.any_p", 0xc0, 0, 2000003, ""},
	{"GenuineIntel-6-37-8", "INST_RETIRED.ANY_P", 0xc0, 0, 2000003, ""},
	{"GenuineIntel-6-4C", "inst_retired.any_p:u", 0xc0, 0, 2000003, "kh"},
	{"skylakex", "l1d_pend_miss.pending_cycles", 0x1000148, 0, 2000003, ""},
	{"skylakex", "cpu/l1d_pend_miss.pending_cycles,period=7/", 0x1000148, 0, 7, ""},
	{"skylakex", "cpu/event=0x48,umask=1/", 0x148, 0, 0, ""},
	{"cascadelakex", "ocr.pf_l3_data_rd.pmm_hit_local_pmm.snoop_none", 0x1b7, 0x80400080,
	 100003, ""},
	{"amdzen3", "ex_ret_instr", 0xc0, 0, 0, ""},
	{"neoverse-n1", "l1d_cache_refill", 0x3, 0, 0, ""},
	{"arm/neoverse-n2", "L1D_CACHE", 0x4, 0, 0, ""},
	{"0x004d0200", "pm_1plus_ppc_cmpl", 0x100f2, 0, 0, ""},
	{"sifive/u74", "fw_hfence_vvma_received", 0x8000000000000013, 0, 0, ""},
	/* libpfm */
	{"cascadelakex", "clx::L1D:REPLACEMENT", 0x151, 0, 2000003, ""},
	{"cascadelakex", "clx::INST_RETIRED:ANY_P:u", 0xc0, 0, 2000003, "kh"},
	{"cascadelakex", "clx::INST_RETIRED:ANY_P:k:c=2:i", 0x28000c0, 0, 2000003, "uh"},
	{"cascadelakex", "L1D:REPLACEMENT", 0x151, 0, 2000003, ""},
	{"cascadelakex", "clx::UNHALTED_CORE_CYCLES", 0x3c, 0, 2000003, ""},
	{"amdzen3", "amd64_fam19h_zen3::RETIRED_INSTRUCTIONS", 0xc0, 0, 0, ""},
	{"neoverse-n1", "arm_n1::CPU_CYCLES:u", 0x11, 0, 0, "kh"},
	/* likwid: user space only, unless KERNEL is given */
	{"cascadelakex", "L1D_REPLACEMENT:PMC0", 0x151, 0, 2000003, "kh"},
	{"cascadelakex", "L1D_REPLACEMENT:PMC3:KERNEL", 0x151, 0, 2000003, ""},
	{"cascadelakex", "L1D_REPLACEMENT:PMC0:THRESHOLD=0x2:EDGEDETECT", 0x2040151, 0, 2000003,
	 "kh"},
	{"cascadelakex", "INSTR_RETIRED_ANY:FIXC0", 0xc0, 0, 2000003, "kh"},
	{"cascadelakex", "CPU_CLK_UNHALTED_CORE:FIXC1", 0x3c, 0, 2000003, "kh"},
};

static void names_become_attrs(void **state)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct tally_events *events =
			events_of("/nonexistent", TALLY_CPU_OTHER, names[i].cpu);
		struct tally_event_list *list = parse(events, names[i].text);
		const struct perf_event_attr *attr = &list->specs[0].attr;

		print_message("# %s %s\n", names[i].cpu, names[i].text);
		assert_int_equal(list->nr, 1);
		assert_int_equal(attr->type, PERF_TYPE_RAW);
		assert_int_equal(attr->config, names[i].config);
		assert_int_equal(attr->config1, names[i].config1);
		assert_int_equal(attr->sample_period, names[i].period);
		assert_int_equal(attr->exclude_user, !!strchr(names[i].flags, 'u'));
		assert_int_equal(attr->exclude_kernel, !!strchr(names[i].flags, 'k'));
		assert_string_equal(list->specs[0].name, names[i].text);
		tally_event_list_free(list);
		tally_events_free(events);
	}
}

static void lists_and_groups_accept_table_events(void **state)
{
	struct tally_events *events = events_of("/nonexistent", TALLY_CPU_OTHER, "cascadelakex");
	struct tally_event_list *list = parse(
		events, "{clx::L1D:REPLACEMENT:u,inst_retired.any,cycles}:k,L1D_REPLACEMENT:PMC0,"
			"page-faults");

	assert_int_equal(list->nr, 5);
	assert_int_equal(list->specs[0].nr_members, 3);
	assert_int_equal(list->specs[2].leader, 0);
	assert_int_equal(list->specs[2].attr.type, PERF_TYPE_HARDWARE);
	assert_string_equal(list->specs[3].name, "L1D_REPLACEMENT:PMC0");
	assert_int_equal(list->specs[4].attr.type, PERF_TYPE_SOFTWARE);
	assert_int_equal(list->specs[0].counters, 0xf);
	assert_int_equal(list->specs[1].fixed, 1);
	tally_event_list_free(list);
	tally_events_free(events);
}

/* ---- errors -------------------------------------------------------------------------- */

static const struct {
	const char *text;
	int code;
	size_t offset;
	const char *near, *fix; /* NULL if not checked */
} errors[] = {
	{"cs,inst_retired.anny", -ENOENT, 3, "inst_retired.any", "events of skylakex"},
	{"INST_RETIRED:ANYONE", -ENOENT, 0, "inst_retired.any", NULL},
	{"skx::INST_RETIRED:NONE", -ENOENT, 0, NULL, NULL},
	{"clx::INST_RETIRED:ANY", -ENOENT, 0, NULL,
	 "the event is for cascadelakex; this CPU's table is skylakex"},
	{"pm_1plus_ppc_cmpl", -ENOENT, 0, NULL, "powerpc/power8"},
	{"MEM_LOAD_RETIRED_L1_HIT:PMC5", -EINVAL, 24, NULL, "PMC 0xf"},
	{"MEM_LOAD_RETIRED_L1_HIT:FIXC0", -EINVAL, 24, NULL, "FIXC 0x0"},
	{"L1D_REPLACEMENT:uu", -EINVAL, 18, NULL, NULL},
	{"uncore_abc/event=1/", -ENOENT, 0, NULL, NULL},
	{"cpu/inst_retired.anny/", -ENOENT, 4, NULL, NULL},
};

static void errors_have_an_offset_and_proposals(void **state)
{
	struct tally_events *events = events_of("/nonexistent", TALLY_CPU_OTHER, "skylakex");

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		struct tally_event_error err = refuse(events, errors[i].text, errors[i].code);

		print_message("# %s: %s at %zu, near %s, %s\n", errors[i].text, err.text,
			      err.offset, err.near[0], err.fix);
		assert_int_equal(err.offset, errors[i].offset);
		if (errors[i].near)
			assert_string_equal(err.near[0], errors[i].near);
		if (errors[i].fix)
			assert_non_null(strstr(err.fix, errors[i].fix));
	}
	tally_events_free(events);
}

static void unknown_cpus_get_architectural_events(void **state)
{
	static const char *const cpus[][3] = {
		{"GenuineIntel-6-FE-1", "intel-generic", "instruction_retired"},
		{"AuthenticAMD-99-1-1", "amd-generic", "ex_ret_instr"},
		{"0x00000000990f0000", "generic", "l1d_cache"},
	};
	struct tally_events_table table;
	struct tally_event_error err;

	for (size_t i = 0; i < 3; i++) {
		struct tally_events *events =
			events_of("/nonexistent", TALLY_CPU_OTHER, cpus[i][0]);

		assert_int_equal(tally_events_table_get(events, &table), 0);
		assert_string_equal(table.name, cpus[i][1]);
		assert_true(table.architectural);
		tally_event_list_free(parse(events, cpus[i][2]));
		err = refuse(events, "no_such_event", -ENOENT);
		assert_non_null(strstr(err.fix, "no event table for CPU"));
		tally_events_free(events);
	}
	/* A machine with an empty CPU ID, and a machine with an unknown CPU. */
	for (size_t i = 0; i < 2; i++) {
		struct tally_events *events =
			events_of("/nonexistent", TALLY_CPU_THIS, i ? "CentaurHauls-6-F-1" : "");

		assert_int_equal(tally_events_table_get(events, &table), 0);
		assert_string_equal(table.name, "");
		err = refuse(events, "inst_retired.any", -ENOENT);
		if (i)
			assert_non_null(strstr(err.fix, "no event table for CPU"));
		tally_events_free(events);
	}
}

/* ---- this machine's sysfs ------------------------------------------------------------- */

static void tables_use_types_and_fields_from_sysfs(void **state)
{
	struct tree tree;
	struct tally_events *events;
	struct tally_event_list *list;
	struct tally_event_error err;

	assert_int_equal(tree_make(&tree), 0);
	events = events_of(tree.sysfs, TALLY_CPU_THIS, "GenuineIntel-6-55-4");
	list = parse(events, "l1d_pend_miss.pending_cycles,cpu/l1d.replacement,edge/");
	assert_string_equal(list->specs[0].pmu, "cpu");
	assert_int_equal(list->specs[0].attr.type, 4);
	assert_int_equal(list->specs[0].attr.config, 0x1000148);
	assert_int_equal(list->specs[1].attr.config, 0x40151);
	tally_event_list_free(list);
	/* The generated PMU has no "frontend" field. */
	err = refuse(events, "frontend_retired.l1i_miss", -ENOENT);
	print_message("# %s: %s\n", err.text, err.fix);
	assert_non_null(strstr(err.fix, "frontend"));
	tally_events_free(events);
	tree_remove(&tree);
}

static const char *const hybrid_files[][2] = {
	{DEVICES "cpu_core/type", "4\n"},
	{DEVICES "cpu_core/cpus", "0-3\n"},
	{DEVICES "cpu_core/format/event", "config:0-7\n"},
	{DEVICES "cpu_core/format/umask", "config:8-15\n"},
	{DEVICES "cpu_atom/type", "10\n"},
	{DEVICES "cpu_atom/cpus", "4-11\n"},
	{DEVICES "cpu_atom/format/event", "config:0-7\n"},
	{DEVICES "cpu_atom/format/umask", "config:8-15\n"},
	{DEVICES "msr/type", "12\n"},
	{"adl/core.json",
	 "[{\"EventName\": \"INST.ANY\", \"EventCode\": \"0xc0\", \"Unit\": \"cpu_core\"},\n"
	 " {\"EventName\": \"CLK.ANY\", \"EventCode\": \"0x3c\", \"Unit\": \"cpu_core\"},\n"
	 " {\"EventName\": \"INST.ANY\", \"EventCode\": \"0xc1\", \"Unit\": \"cpu_atom\"},\n"
	 " {\"EventName\": \"CLK.ANY\", \"EventCode\": \"0x3d\", \"Unit\": \"cpu_atom\"},\n"
	 " {\"EventName\": \"ONLY.CORE\", \"EventCode\": \"0x1\", \"Unit\": \"cpu_core\"},\n"
	 " {\"MetricName\": \"ipc\", \"MetricExpr\": \"INST.ANY / CLK.ANY\", \"Unit\": "
	 "\"cpu_core\"},\n"
	 " {\"MetricName\": \"ipc\", \"MetricExpr\": \"INST.ANY / CLK.ANY\", \"Unit\": "
	 "\"cpu_atom\"}]\n"},
};

static struct tally_events *hybrid_make(struct tree *tree)
{
	struct tally_events *events;
	char path[512];

	strcpy(tree->root, "/tmp/tally-hybrid-XXXXXX");
	assert_non_null(mkdtemp(tree->root));
	for (size_t i = 0; i < sizeof(hybrid_files) / sizeof(hybrid_files[0]); i++) {
		FILE *file;

		snprintf(path, sizeof(path), "%s/%s", tree->root, hybrid_files[i][0]);
		tree_mkdirs(path);
		file = fopen(path, "w");
		assert_non_null(file);
		fputs(hybrid_files[i][1], file);
		fclose(file);
	}
	snprintf(tree->sysfs, sizeof(tree->sysfs), "%s/sys", tree->root);
	snprintf(path, sizeof(path), "%s/adl", tree->root);
	events = events_of(tree->sysfs, TALLY_CPU_THIS, "GenuineIntel-6-97-2");
	assert_int_equal(tally_events_set_tables(events, path, NULL, NULL), 0);
	return events;
}

static void hybrid_events_open_on_every_kind_of_core(void **state)
{
	struct tree tree;
	struct tally_events *events = hybrid_make(&tree);
	struct tally_event_list *list = parse(events, "cycles,inst.any,only.core,r1a8:u,cs");
	static const struct {
		const char *pmu;
		uint32_t type;
		uint64_t config;
		uint32_t first;
		bool hybrid;
	} want[] = {
		{"cpu_atom", PERF_TYPE_HARDWARE, 10ull << 32, 0, true},
		{"cpu_core", PERF_TYPE_HARDWARE, 4ull << 32, 0, true},
		{"cpu_atom", 10, 0xc1, 2, true},
		{"cpu_core", 4, 0xc0, 2, true},
		{"cpu_core", 4, 0x1, 4, false},
		{"cpu_atom", 10, 0x1a8, 5, true},
		{"cpu_core", 4, 0x1a8, 5, true},
		{NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, 7, false},
	};

	assert_int_equal(list->nr, sizeof(want) / sizeof(want[0]));
	for (size_t i = 0; i < list->nr; i++) {
		const struct tally_event_spec *spec = &list->specs[i];

		assert_int_equal(spec->attr.type, want[i].type);
		assert_int_equal(spec->attr.config, want[i].config);
		assert_int_equal(spec->merge_first, want[i].first);
		assert_int_equal(spec->merge, want[i].hybrid);
		assert_int_equal(spec->hybrid, want[i].hybrid);
		assert_int_equal(spec->nr_cpus, !want[i].pmu                       ? 0
						: !strcmp(want[i].pmu, "cpu_core") ? 4
										   : 8);
		if (want[i].pmu)
			assert_string_equal(spec->pmu, want[i].pmu);
	}
	tally_event_list_free(list);
	tally_events_free(events);
	tree_remove(&tree);
}

static void hybrid_groups_are_groups_of_each_kind(void **state)
{
	struct tree tree;
	struct tally_events *events = hybrid_make(&tree);
	struct tally_event_list *list = parse(events, "cs,{cycles,inst.any}:u,cs");
	static const uint32_t leaders[] = {0, 1, 1, 3, 3, 5}, merged[] = {0, 1, 2, 1, 2, 5};

	assert_int_equal(list->nr, 6);
	assert_int_equal(list->nr_groups, 4);
	for (size_t i = 0; i < 6; i++) {
		assert_int_equal(list->specs[i].leader, leaders[i]);
		assert_int_equal(list->specs[i].merge_first, merged[i]);
		assert_int_equal(list->specs[i].nr_members, i == 0 || i == 5 ? 1 : 2);
	}
	assert_int_not_equal(list->specs[1].group, list->specs[3].group);
	assert_string_equal(list->specs[1].pmu, "cpu_atom");
	assert_string_equal(list->specs[4].pmu, "cpu_core");
	assert_true(list->specs[4].attr.exclude_kernel);
	tally_event_list_free(list);
	tally_events_free(events);
	tree_remove(&tree);
}

static double count_index(void *data, uint32_t event)
{
	return event + 1;
}

static void hybrid_metrics_are_of_each_kind(void **state)
{
	struct tree tree;
	struct tally_events *events = hybrid_make(&tree);
	struct tally_metric_list *list;
	double value;

	assert_int_equal(tally_metrics_parse(events, "IPC", 3, 0, &list, NULL), 0);
	assert_int_equal(list->nr, 2);
	assert_int_equal(list->events->nr, 4);
	for (size_t i = 0; i < 2; i++) {
		const struct tally_event_spec *spec =
			&list->events->specs[list->metrics[i].events[0]];

		assert_string_equal(spec->pmu, list->metrics[i].pmu);
		assert_int_equal(spec->nr_members, 2);
		assert_true(list->metrics[i].together);
		assert_int_equal(
			tally_metric_evaluate(list, &list->metrics[i], count_index, NULL, &value),
			0);
		assert_float_equal(value, i ? 3. / 4 : 1. / 2, 1e-12);
	}
	tally_metric_list_free(list);
	tally_events_free(events);
	tree_remove(&tree);
}

/* ---- identities ------------------------------------------------------------------------- */

static void identities_are_those_of_maps(void **state)
{
	static const char *const cpus[][3] = {
		{"x86",
		 "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\n"
		 "model name\t: Intel(R) Xeon(R)\nstepping\t: 8\n",
		 "GenuineIntel-6-8F-8"},
		{"x86",
		 "vendor_id : AuthenticAMD\ncpu family : 25\nmodel : 33\nmodel name : x\nstepping "
		 ": 10\n",
		 "AuthenticAMD-25-21-A"},
		{"arm64",
		 "processor\t: 0\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: "
		 "0x3\n"
		 "CPU part\t: 0xd0c\nCPU revision\t: 1\n",
		 "0x00000000410fd0c0"},
		{"riscv",
		 "hart : 0\nmvendorid\t: 0x489\nmarchid\t\t: 0x8000000000000007\nmimpid\t\t: "
		 "0x20181004\n",
		 "0x489-0x8000000000000007-0x20181004"},
		{"riscv", "hart : 0\nmvendorid\t: 0x489\n", ""},
		{"powerpc",
		 "processor\t: 0\ncpu\t\t: POWER8 (raw)\nrevision\t: 2.0 (pvr 004d 0200)\n",
		 "0x004d0200"},
		{"x86", "", ""},
		{"s390", "vendor_id : IBM/S390\n", ""},
	};
	struct tally_arena arena = {0};
	const char *cpuid;

	for (size_t i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++) {
		assert_int_equal(tally_identity_parse(cpus[i][0], cpus[i][1], &arena, &cpuid), 0);
		assert_string_equal(cpuid, cpus[i][2]);
	}
	assert_string_equal(tally_identity_arch("x86_64"), "x86");
	assert_string_equal(tally_identity_arch("aarch64"), "arm64");
	assert_string_equal(tally_identity_arch("ppc64le"), "powerpc");
	assert_string_equal(tally_identity_arch("riscv64"), "riscv");
	assert_string_equal(tally_identity_arch("vax"), "vax");
	tally_arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_become_attrs),
		cmocka_unit_test(lists_and_groups_accept_table_events),
		cmocka_unit_test(errors_have_an_offset_and_proposals),
		cmocka_unit_test(unknown_cpus_get_architectural_events),
		cmocka_unit_test(tables_use_types_and_fields_from_sysfs),
		cmocka_unit_test(hybrid_events_open_on_every_kind_of_core),
		cmocka_unit_test(hybrid_groups_are_groups_of_each_kind),
		cmocka_unit_test(hybrid_metrics_are_of_each_kind),
		cmocka_unit_test(identities_are_those_of_maps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
