/* SPDX-License-Identifier: BSD-2-Clause */
/* Check the records synthesized from a generated procfs. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "abi/abi_record.h"
#include "sampler/synth.h"
#include "tally/perfdata.h"

enum { TRAILER = 16 };

struct place {
	char root[64];
	struct tally_synth synth;
};

static int setup(void **state)
{
	struct place *place = calloc(1, sizeof(*place));

	assert_non_null(place);
	snprintf(place->root, sizeof(place->root), "/tmp/tally-synth-XXXXXX");
	assert_non_null(mkdtemp(place->root));
	place->synth = (struct tally_synth){
		.trailer = TRAILER, .proc = place->root, .maps = true, .tasks = true};
	*state = place;
	return 0;
}

static int teardown(void **state)
{
	struct place *place = *state;
	char command[128];

	tally_str_free(&place->synth.out);
	snprintf(command, sizeof(command), "rm -r %s", place->root);
	assert_int_equal(system(command), 0);
	free(place);
	return 0;
}

/* Write a file below the root, and create the directories above it. */
static void put(const struct place *place, const char *name, const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", place->root, name);
	for (char *at = path + strlen(place->root) + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		mkdir(path, 0700);
		*at = '/';
	}
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void put_task(const struct place *place, int pid, int tid, int ppid, const char *comm)
{
	char name[64], text[256];

	snprintf(name, sizeof(name), "%d/task/%d/status", pid, tid);
	snprintf(text, sizeof(text), "Name:\t%s\nState:\tS\nTgid:\t%d\nPid:\t%d\nPPid:\t%d\n", comm,
		 pid, tid, ppid);
	put(place, name, text);
}

/* Return the record with this index, or NULL at the end. Checks that records are complete. */
static const void *record_at(const struct place *place, size_t index, size_t *ret_size)
{
	const struct tally_str *out = &place->synth.out;

	for (size_t at = 0; at < out->len;) {
		struct perf_event_header header = tally_record_header(out->data + at);

		assert_true(header.size >= sizeof(header) && header.size % 8 == 0);
		assert_true(at + header.size <= out->len);
		if (!index--) {
			*ret_size = header.size;
			return out->data + at;
		}
		at += header.size;
	}
	return NULL;
}

static void check_mmap(const struct place *place, size_t index, uint64_t start, uint64_t len,
		       uint64_t pgoff, const char *name)
{
	struct tally_mmap mmap;
	size_t size = 0;
	const void *record = record_at(place, index, &size);

	assert_non_null(record);
	assert_int_equal(tally_record_mmap(record, size, &mmap), 0);
	assert_true(mmap.start == start);
	assert_true(mmap.len == len);
	assert_true(mmap.pgoff == pgoff);
	assert_string_equal(mmap.filename, name);
}

/* ---- kernel ----------------------------------------------------------------- */

#define SYMBOLS                             \
	"ffffffff81000000 T srso_untrain\n" \
	"ffffffff81000000 T _stext\n"       \
	"ffffffff81000000 T _text\n"        \
	"ffffffff81000100 t something\n"    \
	"ffffffff82200008 T _etext\n"       \
	"ffffffff83000000 D data\n"

static void test_kernel_by_symbols(void **state)
{
	struct place *place = *state;

	put(place, "kallsyms", SYMBOLS);
	assert_int_equal(tally_synth_kernel(&place->synth), 0);
	check_mmap(place, 0, 0xffffffff81000000, 0x1200008, 0xffffffff81000000,
		   "[kernel.kallsyms]_text");
}

static void test_kernel_by_iomem(void **state)
{
	struct place *place = *state;

	put(place, "kallsyms", SYMBOLS);
	put(place, "iomem",
	    "00000000-00000fff : Reserved\n00100000-7fffffff : System RAM\n"
	    "  01000000-0220bb07 : Kernel code\n  02400000-02e09fff : Kernel rodata\n");
	assert_int_equal(tally_synth_kernel(&place->synth), 0);
	check_mmap(place, 0, 0xffffffff81000000, 0x120bb08, 0xffffffff81000000,
		   "[kernel.kallsyms]_text");
}

/* Unprivileged users read zeros from both kallsyms and iomem. */
static void test_kernel_hidden(void **state)
{
	struct place *place = *state;

	put(place, "kallsyms", "0000000000000000 T _text\n0000000000000000 T _etext\n");
	put(place, "iomem", "  00000000-00000000 : Kernel code\n");
	assert_int_equal(tally_synth_kernel(&place->synth), 0);
	assert_int_equal(place->synth.out.len, 0);
}

static void survives_damaged_kallsyms(void **state)
{
	struct place *place = *state;
	char *line = malloc(100001);

	assert_non_null(line);
	assert_int_equal(tally_synth_kernel(&place->synth), 0); /* there is no kallsyms file */
	memset(line, 'f', 100000);
	line[100000] = '\0';
	put(place, "kallsyms", line);
	assert_int_equal(tally_synth_kernel(&place->synth), 0);
	put(place, "kallsyms", "\n\nx\nffff\nffff T\n");
	assert_int_equal(tally_synth_kernel(&place->synth), 0);
	assert_int_equal(place->synth.out.len, 0);
	free(line);
}

/* The symbols are so far apart that the file has to be read in several chunks. */
static void finds_distant_kernel_symbols(void **state)
{
	struct place *place = *state;
	struct tally_str text = {0};

	tally_str_add(&text, "ffffffff80000000 T _stext\n");
	for (unsigned i = 1; i < 5000; i++)
		tally_str_addf(&text, "ffffffff8%07x t f%u\n", i * 16, i);
	tally_str_add(&text, "ffffffff80100000 T _etext\n");
	put(place, "kallsyms", tally_str_text(&text));
	tally_str_free(&text);
	assert_int_equal(tally_synth_kernel(&place->synth), 0);
	check_mmap(place, 0, 0xffffffff80000000, 0x100000, 0xffffffff80000000,
		   "[kernel.kallsyms]_stext");
}

static void test_modules(void **state)
{
	struct place *place = *state;

	assert_int_equal(tally_synth_modules(&place->synth), 0);
	put(place, "modules",
	    "tally_none 24576 1 other, Live 0xffffffffc0100000\n"
	    "hidden 4096 0 - Live 0x0000000000000000\nbroken\n"
	    "second 8192 0 - Live 0xffffffffc0200000 (OE)\n");
	assert_int_equal(tally_synth_modules(&place->synth), 0);
	check_mmap(place, 0, 0xffffffffc0100000, 24576, 0, "[tally_none]");
	check_mmap(place, 1, 0xffffffffc0200000, 8192, 0, "[second]");
}

/* ---- processes -------------------------------------------------------------- */

#define MAPS                                                                           \
	"55d000000000-55d000004000 r--p 00000000 fe:00 11    /usr/bin/x\n"             \
	"55d000004000-55d000008000 r-xp 00004000 fe:00 11    /usr/bin/x with blanks\n" \
	"7f0000000000-7f0000001000 rwxp 00000000 00:00 0 \n"                           \
	"7f0000002000-7f0000003000 r-xs 00000000 fe:01 12 [vdso]\n"                    \
	"nonsense\n"

static void check_comm(const struct place *place, size_t index, int tid, const char *name)
{
	struct tally_comm comm;
	size_t size = 0;
	const void *record = record_at(place, index, &size);

	assert_non_null(record);
	assert_int_equal(tally_record_comm(record, size, &comm), 0);
	assert_int_equal(comm.tid, tid);
	assert_string_equal(comm.comm, name);
}

static void test_process(void **state)
{
	struct place *place = *state;
	struct tally_task task;
	struct tally_mmap mmap;
	const void *record;
	size_t size = 0;

	put_task(place, 40, 40, 1, "main thread");
	put_task(place, 40, 41, 1, "worker");
	put(place, "40/task/40/maps", MAPS);
	assert_int_equal(tally_synth_process(&place->synth, 40), 0);
	check_comm(place, 0, 40, "main thread");
	check_mmap(place, 1, 0x55d000004000, 0x4000, 0x4000, "/usr/bin/x with blanks");
	check_mmap(place, 2, 0x7f0000000000, 0x1000, 0, "//anon");
	check_mmap(place, 3, 0x7f0000002000, 0x1000, 0, "[vdso]");
	record = record_at(place, 3, &size);
	assert_int_equal(tally_record_mmap(record, size, &mmap), 0);
	assert_int_equal(mmap.maj, 0xfe);
	assert_int_equal(mmap.min, 1);
	assert_int_equal(mmap.ino, 12);
	assert_int_equal(mmap.prot, 5);
	assert_int_equal(mmap.flags, 1);
	record = record_at(place, 4, &size);
	assert_int_equal(tally_record_task(record, size, &task), 0);
	assert_int_equal(task.tid, 41);
	assert_int_equal(task.ptid, 40);
	check_comm(place, 5, 41, "worker");
	assert_null(record_at(place, 6, &size));
}

static void test_process_gone(void **state)
{
	struct place *place = *state;

	assert_int_equal(tally_synth_process(&place->synth, 99), 0);
	assert_int_equal(place->synth.out.len, 0);
}

/* Data mappings are included on request, and are marked as such. */
static void test_data_maps(void **state)
{
	struct place *place = *state;
	struct tally_mmap mmap;
	const void *record;
	size_t size = 0;

	put_task(place, 40, 40, 1, "x");
	put(place, "40/task/40/maps", MAPS);
	place->synth.data_maps = true;
	assert_int_equal(tally_synth_process(&place->synth, 40), 0);
	record = record_at(place, 1, &size);
	assert_int_equal(tally_record_mmap(record, size, &mmap), 0);
	assert_true(mmap.is_data);
	assert_string_equal(mmap.filename, "/usr/bin/x");
}

/* Check that only the requested process and its descendants are synthesized. */
static void synthesizes_only_descendants(void **state)
{
	struct place *place = *state;
	struct tally_task task;
	const void *fork;
	size_t size = 0;

	put_task(place, 10, 10, 1, "parent");
	put_task(place, 20, 20, 10, "child");
	put_task(place, 30, 30, 1, "stranger");
	put(place, "10/task/10/children", "20 ");
	put(place, "20/task/20/children", "");
	assert_int_equal(tally_synth_tree(&place->synth, 10), 0);
	check_comm(place, 1, 10, "parent");
	fork = record_at(place, 2, &size);
	assert_int_equal(tally_record_task(fork, size, &task), 0);
	assert_int_equal(task.ppid, 10);
	check_comm(place, 3, 20, "child");
	assert_null(record_at(place, 4, &size));
	tally_str_clear(&place->synth.out);
	assert_int_equal(tally_synth_processes(&place->synth), 0);
	assert_non_null(record_at(place, 5, &size));
	assert_null(record_at(place, 6, &size));
}

static void test_maps_of_targets(void **state)
{
	struct place *place = *state;
	struct tally_threads *threads = malloc(sizeof(*threads) + sizeof(threads->thread[0]));
	struct tally_cpus *cpus;
	const uint8_t *record;
	size_t size = 0;

	assert_non_null(threads);
	threads->nr = 1;
	threads->thread[0] = (struct tally_thread_id){77, 70};
	assert_int_equal(tally_synth_thread_map(&place->synth, threads), 0);
	assert_int_equal(tally_cpus_parse("0-2,9", &cpus), 0);
	assert_int_equal(tally_synth_cpu_map(&place->synth, cpus), 0);
	record = record_at(place, 0, &size);
	assert_int_equal(size, 40); /* perf.data's own record types have no trailer */
	assert_int_equal(tally_get_u64(record + 16), 77);
	record = record_at(place, 1, &size);
	assert_int_equal(size, 24);
	assert_int_equal(tally_get_u16(record + 8), 0);
	assert_int_equal(tally_get_u16(record + 10), 4);
	assert_int_equal(tally_get_u16(record + 18), 9);
	free(cpus);
	free(threads);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_kernel_by_symbols),
		TEST(test_kernel_by_iomem),
		TEST(test_kernel_hidden),
		TEST(survives_damaged_kallsyms),
		TEST(finds_distant_kernel_symbols),
		TEST(test_modules),
		TEST(test_process),
		TEST(test_process_gone),
		TEST(test_data_maps),
		TEST(synthesizes_only_descendants),
		TEST(test_maps_of_targets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
