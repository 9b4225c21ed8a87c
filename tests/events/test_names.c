/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi/attr.h"
#include "abi/attr_name.h"
#include "base/str.h"
#include "events/names.h"
#include "tally/events.h"

#include <cmocka.h>

/* All spellings of each part of a cache event name, as listed by perf. */
static const char *const types[][6] = {
	{"L1-dcache", "l1-d", "l1d", "L1-data"},
	{"L1-icache", "l1-i", "l1i", "L1-instruction"},
	{"LLC", "L2"},
	{"dTLB", "d-tlb", "Data-TLB"},
	{"iTLB", "i-tlb", "Instruction-TLB"},
	{"branch", "branches", "bpu", "btb", "bpc"},
	{"node"},
};
static const char *const op_words[][5] = {
	{"load", "loads", "read"},
	{"store", "stores", "write"},
	{"prefetch", "prefetches", "speculative-read", "speculative-load"},
};
static const char *const result_words[][5] = {
	{"refs", "Reference", "ops", "access"},
	{"misses", "miss"},
};
static const uint8_t allowed[] = {7, 5, 7, 7, 1, 1, 7};

static void check_cache(const char *text, unsigned type, unsigned op, unsigned result)
{
	uint64_t config = 0;
	int ret = tally_cache_parse(text, strlen(text), &config);

	if (!(allowed[type] & 1u << op)) {
		assert_int_equal(ret, -EOPNOTSUPP);
		return;
	}
	assert_int_equal(ret, 0);
	assert_int_equal(config, type | op << 8 | result << 16);
}

static void cache_matrix(void **state)
{
	char text[128];
	size_t nr = 0;

	for (unsigned t = 0; t < 7; t++) {
		for (const char *const *type = types[t]; *type; type++) {
			check_cache(*type, t, 0, 0);
			for (unsigned o = 0; o < 3; o++) {
				for (const char *const *op = op_words[o]; *op; op++) {
					snprintf(text, sizeof(text), "%s-%s", *type, *op);
					check_cache(text, t, o, 0);
					for (unsigned r = 0; r < 2; r++) {
						for (const char *const *res = result_words[r]; *res;
						     res++, nr++) {
							snprintf(text, sizeof(text), "%s-%s-%s",
								 *type, *op, *res);
							check_cache(text, t, o, r);
						}
					}
				}
			}
			snprintf(text, sizeof(text), "%s-misses", *type);
			check_cache(text, t, 0, 1);
		}
	}
	assert_int_equal(nr, 22 * 10 * 6);
}

static void rejects_other_names(void **state)
{
	static const char *const texts[] = {"",
					    "L1",
					    "L1-dcachex",
					    "LLC-",
					    "LLC-load-load",
					    "L1-dcache-",
					    "LLC-misses-misses",
					    "LLC-foo",
					    "-loads",
					    "nodes"};
	uint64_t config = 77;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(tally_cache_parse(texts[i], strlen(texts[i]), &config), -ENOENT);
	assert_int_equal(config, 77);
}

static void canonical_cache_names_return(void **state)
{
	char name[TALLY_ATTR_NAME_MAX];
	uint64_t config;
	size_t nr = 0;

	for (uint64_t i = 0; i < 0x30000; i++) {
		if (!tally_cache_name(i, name))
			continue;
		assert_int_equal(tally_cache_parse(name, strlen(name), &config), 0);
		assert_int_equal(config, i);
		nr++;
	}
	assert_int_equal(nr, 32);
}

/* ---- names from attrs ------------------------------------------------------- */

static const struct {
	uint32_t type;
	uint64_t config;
} kinds[] = {{0, 0},     {0, 3},       {0, 9},     {0, 10},      {1, 0},     {1, 1},
	     {1, 9},     {1, 12},      {3, 0},     {3, 0x10001}, {3, 0x104}, {3, 7},
	     {3, 0x300}, {3, 0x20000}, {4, 0x1a8}, {5, 0},       {9, 3},     {0xffff, 1}};

/* Return an attr of this kind, with the exclude bits and precise_ip taken from `mask`. */
static struct perf_event_attr attr_make(size_t kind, unsigned mask)
{
	struct perf_event_attr attr = {0};

	attr.type = kinds[kind].type;
	attr.config = kinds[kind].config;
	attr.size = PERF_ATTR_SIZE_VER5;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_ID;
	attr.exclude_user = mask & 1;
	attr.exclude_kernel = mask >> 1 & 1;
	attr.exclude_hv = mask >> 2 & 1;
	attr.precise_ip = mask >> 3 & 3;
	attr.exclude_guest = mask >> 5 & 1;
	attr.exclude_host = mask >> 6 & 1;
	if (attr.type == PERF_TYPE_BREAKPOINT) {
		attr.bp_type = mask & 7;
		attr.bp_addr = 0x1234;
		attr.bp_len = 4;
	}
	return attr;
}

enum { NR_KINDS = sizeof(kinds) / sizeof(kinds[0]), MASKS = 128, NR_ATTRS = NR_KINDS * MASKS };

static void names_of_attrs(void **state)
{
	static const struct {
		size_t kind;
		unsigned mask;
		const char *name;
	} rows[] = {
		{0, 0x20, "cycles"},
		{0, 0, "cycles:HG"},
		{0, 6, "cycles:u"},
		{0, 5, "cycles:k"},
		{0, 0x18, "cycles:ppp"},
		{4, 0xa, "cpu-clock:uhp"},
		{4, 0x40, "cpu-clock:G"},
		{0, 0x26, "cycles:uH"},
		{9, 0x20, "L1-icache-load-misses"},
		{11, 0x20, "unknown-ext-hardware-cache-type"},
		{10, 0x20, "invalid-cache"},
		{14, 0x20, "raw 0x1a8"},
		{14, 6, "raw 0x1a8:u"},
		{16, 0, "unknown attr type: 9"},
		{15, 3, "mem:0x1234:rw:h"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct perf_event_attr attr = attr_make(rows[i].kind, rows[i].mask);
		struct tally_str name = {0};

		tally_event_name(&attr, &name);
		assert_string_equal(name.data, rows[i].name);
		tally_str_free(&name);
	}
}

/* Write a perf.data file that contains only attrs, so that perf must generate their names. */
static void file_write(FILE *file)
{
	enum {
		ATTR = PERF_ATTR_SIZE_VER5,
		ENTRY = ATTR + 16,
		IDS = 104,
		ATTRS = IDS + 8 * NR_ATTRS
	};
	uint64_t header[13] = {0x32454c4946524550ull,
			       104,
			       ENTRY,
			       ATTRS,
			       (uint64_t)NR_ATTRS * ENTRY,
			       ATTRS + (uint64_t)NR_ATTRS * ENTRY,
			       8};
	struct perf_event_header record = {68, 0, 8};
	uint8_t bytes[ATTR];

	fwrite(header, sizeof(header), 1, file);
	for (uint64_t id = 1; id <= NR_ATTRS; id++)
		fwrite(&id, sizeof(id), 1, file);
	for (uint64_t i = 0; i < NR_ATTRS; i++) {
		struct perf_event_attr attr = attr_make(i / MASKS, i % MASKS);
		uint64_t ids[2] = {IDS + 8 * i, 8};

		attr.sample_id_all = 1;
		tally_attr_encode(&attr, ATTR, false, bytes);
		fwrite(bytes, ATTR, 1, file);
		fwrite(ids, sizeof(ids), 1, file);
	}
	fwrite(&record, sizeof(record), 1, file);
}

/* Return true if the installed perf is the version that generated the expected names; the names may
 * be different in other versions. */
static bool perf_is_here(void)
{
	return !system("perf --version 2>/dev/null | grep -q '^perf version 6\\.1\\.'");
}

/* Return true if this user may count in kernel mode. If not, perf adds a modifier to each name. */
static bool perf_counts_the_kernel(void)
{
	return !system(
		"LC_ALL=C perf stat -x '|' -e faults true 2>&1 >/dev/null | grep -q '|faults|'");
}

static void names_of_attrs_are_those_of_perf(void **state)
{
	char path[] = "/tmp/tally-names-XXXXXX", command[128], line[256];
	FILE *file;
	size_t i;

	if (!perf_is_here()) {
		print_message("# skipped: no perf 6.1 to compare with\n");
		skip();
	}
	file = fdopen(mkstemp(path), "w");
	assert_non_null(file);
	file_write(file);
	fclose(file);
	snprintf(command, sizeof(command), "perf evlist -i %s 2>/dev/null", path);
	file = popen(command, "r");
	assert_non_null(file);
	for (i = 0; i < NR_ATTRS && fgets(line, sizeof(line), file); i++) {
		struct perf_event_attr attr = attr_make(i / MASKS, i % MASKS);
		struct tally_str name = {0};

		line[strcspn(line, "\n")] = '\0';
		tally_event_name(&attr, &name);
		assert_string_equal(name.data, line);
		tally_str_free(&name);
	}
	pclose(file);
	unlink(path);
	assert_int_equal(i, NR_ATTRS);
}

/* Check that the names of the events in `text` are the same as in `perf stat -x`, if perf supports
 * the events on this machine. */
static void check_shown_names(struct tally_events *events, const char *text)
{
	struct tally_event_list *list = NULL;
	char command[256], line[256];
	FILE *file;
	size_t at = 0;

	snprintf(command, sizeof(command), "LC_ALL=C perf stat -x '|' -e '%s' true 2>&1 >/dev/null",
		 text);
	file = popen(command, "r");
	assert_non_null(file);
	tally_events_parse(events, text, strlen(text), &list, NULL);
	while (fgets(line, sizeof(line), file)) {
		char *rest = line, *fields[3] = {0};

		for (int f = 0; f < 3; f++)
			fields[f] = strsep(&rest, "|");
		if (!rest) /* perf reported that this machine does not support the event */
			continue;
		assert_non_null(list);
		assert_true(at < list->nr);
		assert_string_equal(list->specs[at++].name, fields[2]);
	}
	pclose(file);
	tally_event_list_free(list);
}

/* Compare event names with `perf stat -x`. Some events may not be supported on this machine. */
static void shown_names_are_those_of_perf(void **state)
{
	static const char *const texts[] = {
		"cycles",
		"cpu-cycles:u",
		"faults:u",
		"page-faults:uk",
		"cpu-clock:ppp",
		"cs:D",
		"{cs,faults}:u",
		"g{cs:k,faults}:u",
		"software/config=1/",
		"software/config=1/ku",
		"software/config=1,name=foo/u",
		"mem:0x1000",
		"mem:0x1000:rw:u",
		"LLC-loads:u",
		"1:3:u",
		"cs/period=3/u",
		"dummy:u",
		"msr/tsc/",
		"cs,faults:k,cs:P",
		"r1a8:u",
	};
	struct tally_events *events;

	if (!perf_is_here()) {
		print_message("# skipped: no perf 6.1 to compare with\n");
		skip();
	}
	if (!perf_counts_the_kernel()) {
		print_message("# skipped: perf may not count the kernel here\n");
		skip();
	}
	assert_int_equal(tally_events_new(NULL, NULL, &events), 0);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		check_shown_names(events, texts[i]);
	tally_events_free(events);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cache_matrix),
		cmocka_unit_test(rejects_other_names),
		cmocka_unit_test(canonical_cache_names_return),
		cmocka_unit_test(names_of_attrs),
		cmocka_unit_test(names_of_attrs_are_those_of_perf),
		cmocka_unit_test(shown_names_are_those_of_perf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
