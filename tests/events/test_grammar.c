/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "tally/events.h"
#include "test_tree.h"

#include <cmocka.h>

struct fixture {
	struct tree tree;
	struct tally_events *events;
};

static int fixture_make(void **state)
{
	static struct fixture fixture;

	*state = &fixture;
	if (tree_make(&fixture.tree))
		return -1;
	if (tally_events_new(fixture.tree.sysfs, fixture.tree.tracefs, &fixture.events))
		return -1;
	return tally_events_set_cpu(fixture.events, TALLY_CPU_THIS, "");
}

static int fixture_free(void **state)
{
	struct fixture *fixture = *state;

	tally_events_free(fixture->events);
	tree_remove(&fixture->tree);
	return 0;
}

static struct tally_event_list *parse(void **state, const char *text)
{
	struct fixture *fixture = *state;
	struct tally_event_list *list = NULL;
	struct tally_event_error err;
	int ret = tally_events_parse(fixture->events, text, strlen(text), &list, &err);

	if (ret)
		print_message("# %s: %s at %zu '%s'\n", text, err.text, err.offset, err.slice);
	assert_int_equal(ret, 0);
	assert_int_equal(err.code, 0);
	return list;
}

enum { HW, SW, TP, CACHE, RAW, BP };

/* perf 6.1's attr for each event, as printed by `perf stat -vv`. */
static const struct {
	const char *text, *name; /* NULL if same as text */
	uint32_t type;
	uint64_t config;
	/* Attr fields as letters: u, k, h, G, H and i for exclude_user, _kernel, _hv, _guest,
	 * _host and _idle; 1-3 for precise_ip; D for pinned, e for exclusive. */
	const char *flags;
} one[] = {
	{"cycles", NULL, HW, 0, "G"},
	{"cpu-cycles:u", NULL, HW, 0, "khG"},
	{"instructions:k", NULL, HW, 1, "uh"},
	{"cache-references", NULL, HW, 2, "G"},
	{"cache-misses", NULL, HW, 3, "G"},
	{"branches", NULL, HW, 4, "G"},
	{"branch-instructions", NULL, HW, 4, "G"},
	{"branch-misses", NULL, HW, 5, "G"},
	{"bus-cycles", NULL, HW, 6, "G"},
	{"stalled-cycles-frontend", NULL, HW, 7, "G"},
	{"idle-cycles-frontend", NULL, HW, 7, "G"},
	{"stalled-cycles-backend", NULL, HW, 8, "G"},
	{"idle-cycles-backend", NULL, HW, 8, "G"},
	{"ref-cycles", NULL, HW, 9, "G"},
	{"cpu-clock", NULL, SW, 0, "G"},
	{"task-clock", NULL, SW, 1, "G"},
	{"page-faults", NULL, SW, 2, "G"},
	{"faults", NULL, SW, 2, "G"},
	{"context-switches", NULL, SW, 3, "G"},
	{"cs", NULL, SW, 3, "G"},
	{"cpu-migrations", NULL, SW, 4, "G"},
	{"migrations", NULL, SW, 4, "G"},
	{"minor-faults", NULL, SW, 5, "G"},
	{"major-faults", NULL, SW, 6, "G"},
	{"alignment-faults", NULL, SW, 7, "G"},
	{"emulation-faults", NULL, SW, 8, "G"},
	{"dummy", NULL, SW, 9, "G"},
	{"bpf-output", NULL, SW, 10, "G"},
	{"cgroup-switches", NULL, SW, 11, "G"},
	{"cs:h", NULL, SW, 3, "uk"},
	{"cs:uh", NULL, SW, 3, "kG"},
	{"cs:G", NULL, SW, 3, "H"},
	{"cs:H", NULL, SW, 3, "G"},
	{"cs:GH", NULL, SW, 3, ""},
	{"cs:uG", NULL, SW, 3, "khH"},
	{"cs:kH", NULL, SW, 3, "uhG"},
	{"cs:I", NULL, SW, 3, "i"},
	{"cs:p", NULL, SW, 3, "1G"},
	{"cs:pp", NULL, SW, 3, "2G"},
	{"cs:uppp", NULL, SW, 3, "kh3G"},
	{"cs:pu", NULL, SW, 3, "kh1G"},
	{"cs:e", NULL, SW, 3, "e"},
	{"cs:D", NULL, SW, 3, "D"},
	{"cs:uD", NULL, SW, 3, "khDG"},
	{"cs:S", NULL, SW, 3, ""},
	{"cs:W", NULL, SW, 3, ""},
	{"cs:", NULL, SW, 3, "G"},
	{"cs//", NULL, SW, 3, "G"},
	{"cs//u", NULL, SW, 3, "khG"},
	{"cs/period=44/", NULL, SW, 3, "G"},
	{"cs/name=foo/ku", "foo", SW, 3, "hG"},
	{"cs/name='a,b/c'/", "a,b/c", SW, 3, "G"},
	{"cs/config=1/", NULL, SW, 1, "G"},
	{" cs:u ", "cs:u", SW, 3, "khG"},
	{"LLC-loads:u", "LLC-loads", CACHE, 2, "khG"},
	{"l1d-miss", NULL, CACHE, 0x10000, "G"},
	{"r1a8", NULL, RAW, 0x1a8, "G"},
	{"rab:u", NULL, RAW, 0xab, "khG"},
	{"rffffffffffffffff", NULL, RAW, UINT64_MAX, "G"},
	{"r0x1a", NULL, RAW, 0x1a, "G"},
	{"1:3", NULL, SW, 3, "G"},
	{"1:3:u", NULL, SW, 3, "khG"},
	{"0x1:0x3", NULL, SW, 3, "G"},
	{"software/config=1/ku", NULL, 1, 1, "hG"},
	{"software/config=0x1 /", NULL, 1, 1, "G"},
	{"software/r3/", NULL, 1, 3, "G"},
	{"cpu/event=0x3c,umask=0/", NULL, 4, 0x3c, "G"},
	{"cpu/event=0x23c/", NULL, 4, 0x20000003c, "G"},
	{"cpu/event=1,event=2/", NULL, 4, 3, "G"},
	{"cpu/event=0xc0,edge,inv,cmask=0x10/u", NULL, 4, 0x108400c0, "khG"},
	{"cpu/cpu-cycles/", NULL, 4, 0x3c, "G"},
	{"cpu/cpu-cycles,umask=2/pp", NULL, 4, 0x23c, "2G"},
	{"cpu-cycles/period=3/", NULL, HW, 0, "G"},
	{"topdown-slots", NULL, 4, 0x400, "G"},
	{"topdown-slots:u", NULL, 4, 0x400, "khG"},
	{"cpu/instructions/", NULL, HW, 1, "G"},
	{"cpu/LLC-load-misses/", NULL, CACHE, 0x10002, "G"},
	{"cpu_core/instructions/", NULL, HW, 40ull << 32 | 1, "G"},
	{"uprobe/retprobe,ref_ctr_offset=3/", NULL, 8, 0x300000001, "G"},
	{"cpu/event=0x3c,name=mine/", "mine", 4, 0x3c, "G"},
	{"sched:sched_switch", NULL, TP, 316, "G"},
	{"sched:sched_switch:u", "sched:sched_switch", TP, 316, "khG"},
	{"mem:0x1000", NULL, BP, 0, "G"},
	{"mem:0x1000:u", NULL, BP, 0, "khG"},
	{"mem:4096:rw:k", NULL, BP, 0, "uh"},
	{"mem:0x1000/2:w:u", "mem:0x1000", BP, 0, "khG"},
	{"duration_time", NULL, SW, 9, "G"},
};

static void flags_text(const struct perf_event_attr *attr, char *out)
{
	if (attr->exclude_user)
		*out++ = 'u';
	if (attr->exclude_kernel)
		*out++ = 'k';
	if (attr->exclude_hv)
		*out++ = 'h';
	if (attr->precise_ip)
		*out++ = (char)('0' + attr->precise_ip);
	if (attr->exclusive)
		*out++ = 'e';
	if (attr->pinned)
		*out++ = 'D';
	if (attr->exclude_idle)
		*out++ = 'i';
	if (attr->exclude_guest)
		*out++ = 'G';
	if (attr->exclude_host)
		*out++ = 'H';
	*out = '\0';
}

static void single_events_are_those_of_perf(void **state)
{
	for (size_t i = 0; i < sizeof(one) / sizeof(one[0]); i++) {
		struct tally_event_list *list = parse(state, one[i].text);
		char flags[16];

		assert_int_equal(list->nr, 1);
		assert_int_equal(list->nr_groups, 1);
		flags_text(&list->specs[0].attr, flags);
		if (list->specs[0].attr.config != one[i].config || strcmp(flags, one[i].flags))
			print_message("# %s: config %#llx flags %s\n", one[i].text,
				      (unsigned long long)list->specs[0].attr.config, flags);
		assert_int_equal(list->specs[0].attr.type, one[i].type);
		assert_int_equal(list->specs[0].attr.config, one[i].config);
		assert_string_equal(flags, one[i].flags);
		assert_string_equal(list->specs[0].name, one[i].name ? one[i].name : one[i].text);
		assert_int_equal(list->specs[0].attr.size, sizeof(struct perf_event_attr));
		assert_false(list->specs[0].in_braces);
		tally_event_list_free(list);
	}
}

static void breakpoints_have_type_and_length(void **state)
{
	static const struct {
		const char *text;
		uint64_t addr, len;
		uint32_t type;
	} rows[] = {
		{"mem:0x1000", 0x1000, 4, 3},     {"mem:0x1000:r", 0x1000, 4, 1},
		{"mem:0x1000:wr", 0x1000, 4, 3},  {"mem:0x1000:rwx", 0x1000, 4, 7},
		{"mem:0x1000/8:w", 0x1000, 8, 2}, {"mem:0x1000:x", 0x1000, sizeof(long), 4},
		{"mem:16/1:x:u", 16, 1, 4},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tally_event_list *list = parse(state, rows[i].text);

		assert_int_equal(list->specs[0].attr.bp_addr, rows[i].addr);
		assert_int_equal(list->specs[0].attr.bp_len, rows[i].len);
		assert_int_equal(list->specs[0].attr.bp_type, rows[i].type);
		tally_event_list_free(list);
	}
}

static void groups_know_their_leader(void **state)
{
	struct tally_event_list *list = parse(state, "cs,g{faults:k,cs/period=3/}:uSW,task-clock");
	struct tally_event_spec *s = list->specs;

	assert_int_equal(list->nr, 4);
	assert_int_equal(list->nr_groups, 3);
	assert_int_equal(s[0].group, 0);
	assert_int_equal(s[1].group, 1);
	assert_int_equal(s[2].group, 1);
	assert_int_equal(s[3].group, 2);
	assert_int_equal(s[1].leader, 1);
	assert_int_equal(s[2].leader, 1);
	assert_int_equal(s[3].leader, 3);
	assert_int_equal(s[2].nr_members, 2);
	assert_string_equal(s[1].group_name, "g");
	assert_null(s[0].group_name);
	assert_true(s[1].weak_group && s[2].weak_group && !s[0].weak_group);
	assert_true(s[1].sample_read && s[2].sample_read && !s[3].sample_read);
	/* the group's u is added to the member's k; the member's name does not change */
	assert_true(!s[1].attr.exclude_user && !s[1].attr.exclude_kernel && s[1].attr.exclude_hv);
	assert_true(!s[2].attr.exclude_user && s[2].attr.exclude_kernel);
	assert_string_equal(s[1].name, "faults:k");
	assert_int_equal(s[2].attr.sample_period, 3);
	tally_event_list_free(list);
	list = parse(state, "{cs,faults}:uDe");
	assert_true(list->specs[0].attr.pinned && !list->specs[1].attr.pinned);
	assert_true(list->specs[0].attr.exclusive && !list->specs[1].attr.exclusive);
	tally_event_list_free(list);
	list = parse(state, "{cs:p,faults}:pp");
	assert_int_equal(list->specs[0].attr.precise_ip, 3);
	assert_int_equal(list->specs[1].attr.precise_ip, 2);
	tally_event_list_free(list);
	list = parse(state, "{cs:k,faults:h}:G");
	assert_true(list->specs[0].attr.exclude_host && list->specs[1].attr.exclude_host);
	assert_false(list->specs[0].attr.exclude_guest);
	tally_event_list_free(list);
}

static void reads_terms_that_override_options(void **state)
{
	struct tally_event_list *list = parse(
		state,
		"cycles/freq=99,call-graph=dwarf,stack-size=8192,no-inherit,time=0,max-stack=7,"
		"nr=5,overwrite,percore,aux-sample-size=12,branch_type=any,@a=1,@b/");
	const struct tally_event_terms *t = &list->specs[0].terms;

	assert_int_equal(list->specs[0].attr.sample_freq, 99);
	assert_int_equal(list->specs[0].attr.freq, 1);
	assert_int_equal(t->freq, 99);
	assert_string_equal(t->call_graph, "dwarf");
	assert_string_equal(t->branch_type, "any");
	assert_string_equal(t->driver, "a=1,b");
	assert_int_equal(t->stack_size, 8192);
	assert_int_equal(t->max_stack, 7);
	assert_int_equal(t->max_events, 5);
	assert_int_equal(t->aux_sample_size, 12);
	assert_true(t->overwrite && t->percore && !t->inherit && !t->time);
	assert_true(t->given & TALLY_TERM_INHERIT && t->given & TALLY_TERM_TIME);
	assert_false(t->given & (TALLY_TERM_PERIOD | TALLY_TERM_AUX_OUTPUT));
	tally_event_list_free(list);
}

static void pmus_bring_cpus_units_and_scales(void **state)
{
	struct tally_event_list *list =
		parse(state, "power/energy-pkg/,cpu_core/event=1/,cycles:P");
	struct tally_event_spec *s = list->specs;

	assert_string_equal(s[0].pmu, "power");
	assert_string_equal(s[0].unit, "Joules");
	assert_true(s[0].scale > 2.32e-10 && s[0].scale < 2.33e-10);
	assert_true(s[0].per_package && s[0].snapshot && s[0].uncore);
	assert_int_equal(s[0].nr_cpus, 1);
	assert_int_equal(s[0].cpus[0], 0);
	assert_false(s[1].uncore);
	assert_int_equal(s[1].nr_cpus, 4);
	assert_int_equal(s[1].cpus[3], 3);
	assert_string_equal(s[1].unit, "");
	assert_true(s[1].scale == 1);
	assert_true(s[2].precise_max);
	assert_int_equal(s[2].attr.precise_ip, 2); /* read from caps/max_precise */
	tally_event_list_free(list);
}

static void one_name_may_be_several_pmus(void **state)
{
	static const char *const texts[] = {
		"uncore_cbox/event=3/", "cbox/event=3/", "uncore_cbox_*/event=3/",
		"cbox_*/event=3/",      "clockticks",    "uncore_cbox/clockticks/",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct tally_event_list *list = parse(state, texts[i]);

		assert_int_equal(list->nr, 2);
		assert_int_equal(list->nr_groups, 2);
		assert_int_equal(list->specs[0].attr.type, 20);
		assert_int_equal(list->specs[1].attr.type, 21);
		assert_true(list->specs[0].merge && list->specs[1].merge);
		assert_int_equal(list->specs[1].merge_first, 0);
		assert_string_equal(list->specs[1].name, texts[i]);
		assert_int_equal(list->specs[1].nr_cpus, 2);
		assert_int_equal(list->specs[1].cpus[1], 18);
		tally_event_list_free(list);
	}
}

static void tracepoint_globs(void **state)
{
	static const struct {
		const char *text;
		size_t nr;
		const char *first;
	} rows[] = {
		{"sched:*", 3, "sched:sched_process_exit"},
		{"sched:sched_[sw]*", 2, "sched:sched_switch"},
		{"*:sys_*_read", 2, "syscalls:sys_enter_read"},
		{"sched:sched_s?itch:k", 1, "sched:sched_switch"},
		{"s*:*", 5, "sched:sched_process_exit"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tally_event_list *list = parse(state, rows[i].text);

		assert_int_equal(list->nr, rows[i].nr);
		assert_string_equal(list->specs[0].name, rows[i].first);
		assert_int_equal(list->nr_groups, rows[i].nr);
		tally_event_list_free(list);
	}
}

/* Expected error offsets and suggested names. */
static const struct {
	const char *text;
	int code;
	size_t offset;
	const char *slice;
	const char *near; /* must be among the suggestions; NULL if not checked */
} wrong[] = {
	{"", -EINVAL, 0, "", NULL},
	{"cs,", -EINVAL, 3, "", NULL},
	{",cs", -EINVAL, 0, ",", NULL},
	{"cs,,faults", -EINVAL, 3, ",", NULL},
	{"cs faults", -EINVAL, 3, "f", NULL},
	{"{cs", -EINVAL, 3, "", NULL},
	{"cs}", -EINVAL, 2, "}", NULL},
	{"{}", -EINVAL, 1, "}", NULL},
	{"{cs,{faults}}", -EINVAL, 4, "{", NULL},
	{"{cs}{faults}", -EINVAL, 4, "{", NULL},
	{"cs:uu", -EINVAL, 4, "u", NULL},
	{"cs,faults:q,x", -EINVAL, 10, "q", NULL},
	{"cs:pppp", -EINVAL, 6, "p", NULL},
	{"{cs:pp,faults}:pp", -EINVAL, 15, "pp", NULL},
	{"cs:I:u", -EINVAL, 4, ":", NULL},
	{"cs,cycels", -ENOENT, 3, "cycels", "cycles"},
	{"instrutions:u", -ENOENT, 0, "instrutions", "instructions"},
	{"sched_switch", -ENOENT, 0, "sched_switch", "sched:sched_switch"},
	{"energy-pgk", -ENOENT, 0, "energy-pgk", "energy-pkg"},
	{"cs,sched:sched_swich", -ENOENT, 3, "sched:sched_swich", "sched:sched_switch"},
	{"shed:sched_switch", -ENOENT, 0, "shed:sched_switch", "sched:sched_switch"},
	{"shed:sched_swich", -ENOENT, 0, "shed:sched_swich", "sched:sched_switch"},
	{"sched:*nope*", -ENOENT, 0, "sched:*nope*", NULL},
	{"odd:broken", -EINVAL, 0, "odd:broken", NULL},
	{"../x:y", -EINVAL, 2, "/", NULL},
	{"cs/perod=3/", -ENOENT, 3, "perod", "period"},
	{"cs/period/", -EINVAL, 3, "period", NULL},
	{"cs/period=x/", -EINVAL, 10, "x", NULL},
	{"cs/period=99999999999999999999/", -EINVAL, 10, "99999999999999999999", NULL},
	{"cs/period=3", -EINVAL, 2, "/", NULL},
	{"cs/name='a/", -EINVAL, 8, "'a/", NULL},
	{"cs/,/", -EINVAL, 3, ",", NULL},
	{"cs/period=/", -EINVAL, 3, "period", NULL},
	{"cpu/evnt=3/", -ENOENT, 4, "evnt", "event"},
	{"cs,cpu/umask=0x100/", -EINVAL, 13, "0x100", NULL},
	{"cpu/event=zz/", -EINVAL, 10, "zz", NULL},
	{"cpu/broken=1/", -ENOENT, 4, "broken", NULL},
	{"cpu/mem-load/", -ENOENT, 4, "mem-load", "mem-loads"},
	{"cpu/bad-alias/", -ENOENT, 4, "bad-alias", NULL},
	{"cs,cpux/event=1/", -ENOENT, 3, "cpux", "cpu"},
	{"rubbish/event=1/", -EINVAL, 0, "rubbish", NULL},
	{"mem:abc", -EINVAL, 4, "abc", NULL},
	{"mem:0x1000:rr", -EINVAL, 11, "rr", NULL},
	{"mem:0x1000/x", -EINVAL, 11, "x", NULL},
	{"cs,mem:0x1000:q", -EINVAL, 14, "q", NULL},
	{"iTLB-stores", -EINVAL, 0, "iTLB-stores", NULL},
	{"r112233445566778899", -ENOENT, 0, "r112233445566778899", NULL},
	{"4294967296:0", -EINVAL, 0, "4294967296", NULL},
};

/* Probes that do not exist are not spelling mistakes, so the error explains how to create them and
 * does not suggest other names. */
static void explains_how_to_create_missing_probes(void **state)
{
	static const struct {
		const char *text, *what, *fix;
	} probes[] = {
		{"probe_libc:malloc", "no such user probe", "'p:probe_libc/malloc FILE:OFFSET' >>"},
		{"probe:*", "no such kernel probe", "'p:probe/NAME FUNCTION' >>"},
		{"sdt_*:*", "no probe exists for this marker", "buildid-cache --add FILE"},
	};
	struct fixture *fixture = *state;

	for (size_t i = 0; i < sizeof(probes) / sizeof(probes[0]); i++) {
		struct tally_event_list *list;
		struct tally_event_error err;

		assert_int_equal(tally_events_parse(fixture->events, probes[i].text,
						    strlen(probes[i].text), &list, &err),
				 -ENOENT);
		assert_string_equal(err.text, probes[i].what);
		assert_non_null(strstr(err.fix, probes[i].fix));
		assert_int_equal(err.nr_near, 0);
	}
}

static void errors_have_an_offset(void **state)
{
	struct fixture *fixture = *state;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct tally_event_list *list = NULL;
		struct tally_event_error err;
		bool found = !wrong[i].near;
		int ret = tally_events_parse(fixture->events, wrong[i].text, strlen(wrong[i].text),
					     &list, &err);

		if (ret != wrong[i].code || err.offset != wrong[i].offset ||
		    strcmp(err.slice, wrong[i].slice))
			print_message("# %s: %d %s at %zu '%s'\n", wrong[i].text, ret, err.text,
				      err.offset, err.slice);
		assert_int_equal(ret, wrong[i].code);
		assert_int_equal(err.code, ret);
		assert_null(list);
		assert_int_equal(err.offset, wrong[i].offset);
		assert_string_equal(err.slice, wrong[i].slice);
		for (unsigned n = 0; n < err.nr_near; n++)
			found |= wrong[i].near && !strcmp(err.near[n], wrong[i].near);
		assert_true(found);
		assert_true(err.nr_near <= 5);
		assert_int_equal(tally_events_parse(fixture->events, wrong[i].text,
						    strlen(wrong[i].text), &list, NULL),
				 ret);
	}
}

static void suggests_fixes_for_missing_kernel_features(void **state)
{
	struct tally_events *events;
	struct tally_event_list *list = NULL;
	struct tally_event_error err;
	const char *root;

	assert_int_equal(tally_events_new("/nonexistent/sys", "/nonexistent/tracing", &events), 0);
	assert_int_equal(tally_events_parse(events, "cs,sched:sched_switch", 21, &list, &err),
			 -ENOENT);
	assert_int_equal(err.offset, 3);
	assert_string_equal(err.text, "tracefs is not mounted");
	assert_non_null(strstr(err.fix, "mount -t tracefs tracefs /sys/kernel/tracing"));
	assert_int_equal(tally_events_tracefs(events, &root, &err), -ENOENT);
	assert_int_equal(tally_events_parse(events, "cpu/event=1/", 12, &list, &err), -ENOENT);
	assert_non_null(strstr(err.fix, "sysfs"));
	assert_int_equal(tally_events_parse(events, "cycles,cs:u", 11, &list, &err), 0);
	tally_event_list_free(list);
	tally_events_free(events);
}

static void uses_the_length_instead_of_a_nul(void **state)
{
	struct fixture *fixture = *state;
	struct tally_event_list *list;
	struct tally_event_error err;
	static const char with_nul[] = "cs\0u";

	assert_int_equal(tally_events_parse(fixture->events, "csxyz", 2, &list, NULL), 0);
	assert_string_equal(list->specs[0].name, "cs");
	tally_event_list_free(list);
	assert_int_equal(tally_events_parse(fixture->events, with_nul, 4, &list, &err), -EINVAL);
	assert_int_equal(err.offset, 2);
}

struct seen {
	size_t nr, tracepoints, pmus;
	bool unit, alias;
};

static int see(const struct tally_event_info *info, void *data)
{
	struct seen *seen = data;

	seen->nr++;
	seen->tracepoints += info->kind == TALLY_EVENT_TRACEPOINT;
	seen->pmus += info->kind == TALLY_EVENT_PMU;
	seen->unit |= !strcmp(info->unit, "Joules");
	seen->alias |= info->alias && !strcmp(info->alias, "cs");
	return 0;
}

static int stop(const struct tally_event_info *info, void *data)
{
	return 7;
}

static void lists_events(void **state)
{
	struct fixture *fixture = *state;
	struct seen seen = {0};

	assert_int_equal(tally_events_each(fixture->events, ~0u, NULL, see, &seen), 0);
	assert_int_equal(seen.tracepoints, 5);
	assert_int_equal(seen.pmus, 7);
	assert_true(seen.unit && seen.alias);
	memset(&seen, 0, sizeof(seen));
	tally_events_each(fixture->events, TALLY_EVENT_CACHE, NULL, see, &seen);
	assert_int_equal(seen.nr, 32);
	memset(&seen, 0, sizeof(seen));
	tally_events_each(fixture->events, ~0u, "sched:sched_*", see, &seen);
	assert_int_equal(seen.nr, 3);
	memset(&seen, 0, sizeof(seen));
	tally_events_each(fixture->events, ~0u, "switch", see, &seen);
	assert_int_equal(seen.nr, 3); /* context switches, cgroup switches, sched_switch */
	assert_int_equal(tally_events_each(fixture->events, ~0u, NULL, stop, NULL), 7);
}

static int parses(const struct tally_event_info *info, void *data)
{
	struct tally_event_list *list = NULL;
	int ret;

	if (info->type == UINT32_MAX || strstr(info->name, "bad-alias"))
		return 0;
	ret = tally_events_parse(data, info->name, strlen(info->name), &list, NULL);
	if (!ret && info->kind != TALLY_EVENT_PMU) {
		assert_int_equal(list->specs[0].attr.type, info->type);
		assert_int_equal(list->specs[0].attr.config, info->config);
	}
	tally_event_list_free(list);
	return ret;
}

static void parses_all_listed_events(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(tally_events_each(fixture->events, ~0u, NULL, parses, fixture->events), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(single_events_are_those_of_perf),
		cmocka_unit_test(breakpoints_have_type_and_length),
		cmocka_unit_test(groups_know_their_leader),
		cmocka_unit_test(reads_terms_that_override_options),
		cmocka_unit_test(pmus_bring_cpus_units_and_scales),
		cmocka_unit_test(one_name_may_be_several_pmus),
		cmocka_unit_test(tracepoint_globs),
		cmocka_unit_test(errors_have_an_offset),
		cmocka_unit_test(explains_how_to_create_missing_probes),
		cmocka_unit_test(suggests_fixes_for_missing_kernel_features),
		cmocka_unit_test(uses_the_length_instead_of_a_nul),
		cmocka_unit_test(lists_events),
		cmocka_unit_test(parses_all_listed_events),
	};

	return cmocka_run_group_tests(tests, fixture_make, fixture_free);
}
