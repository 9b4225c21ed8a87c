/* SPDX-License-Identifier: BSD-2-Clause */
/* Check the state that is built from records, by emitting it and reading the records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "abi/abi_record.h"
#include "base/arith.h"
#include "sampler/system_state.h"
#include "tally/perfdata.h"

enum { TRAILER = 16, LIMIT = 64 << 20, EXEC = PERF_RECORD_MISC_COMM_EXEC };

struct world {
	struct tally_system *system;
	struct tally_synth synth; /* the records to apply */
	struct tally_synth made;  /* the records emitted */
	struct tally_str text;    /* ... as text, one line each */
};

static int setup(void **state)
{
	struct world *world = calloc(1, sizeof(*world));

	assert_non_null(world);
	world->synth.trailer = world->made.trailer = TRAILER;
	assert_int_equal(tally_system_new(TRAILER, LIMIT, &world->system), 0);
	*state = world;
	return 0;
}

static int teardown(void **state)
{
	struct world *world = *state;

	tally_system_free(world->system);
	tally_str_free(&world->synth.out);
	tally_str_free(&world->made.out);
	tally_str_free(&world->text);
	free(world);
	return 0;
}

/* ---- records to apply ---------------------------------------------------------------------- */

/* Apply the records in world->synth as the kernel's. */
static void apply(struct world *world)
{
	const char *data = world->synth.out.data;

	for (size_t at = 0; at < world->synth.out.len;) {
		size_t size = tally_record_header(data + at).size;

		tally_system_record(world->system, data + at, size);
		at += size;
	}
	tally_str_clear(&world->synth.out);
}

static void merge(struct world *world, bool distrusts)
{
	tally_system_merge(world->system, world->synth.out.data, world->synth.out.len, distrusts);
	tally_str_clear(&world->synth.out);
}

static void task_record(struct world *world, uint32_t type, int32_t pid, int32_t ppid, int32_t tid,
			int32_t ptid)
{
	tally_synth_begin(&world->synth, type, 0, 24);
	tally_synth_u32(&world->synth, (uint32_t)pid);
	tally_synth_u32(&world->synth, (uint32_t)ppid);
	tally_synth_u32(&world->synth, (uint32_t)tid);
	tally_synth_u32(&world->synth, (uint32_t)ptid);
	tally_synth_u64(&world->synth, 5);
	tally_synth_end(&world->synth);
}

static void on_fork(struct world *world, int32_t pid, int32_t ppid)
{
	task_record(world, PERF_RECORD_FORK, pid, ppid, pid, ppid);
	apply(world);
}

static void on_clone(struct world *world, int32_t pid, int32_t tid)
{
	task_record(world, PERF_RECORD_FORK, pid, pid, tid, pid);
	apply(world);
}

static void on_exit_of(struct world *world, int32_t pid, int32_t tid)
{
	task_record(world, PERF_RECORD_EXIT, pid, 1, tid, 1);
	apply(world);
}

static void comm_record(struct world *world, int32_t pid, int32_t tid, const char *name,
			uint16_t misc)
{
	tally_synth_begin(&world->synth, PERF_RECORD_COMM, misc,
			  8 + tally_round_up(strlen(name) + 1, 8));
	tally_synth_u32(&world->synth, (uint32_t)pid);
	tally_synth_u32(&world->synth, (uint32_t)tid);
	tally_synth_string(&world->synth, name);
	tally_synth_end(&world->synth);
}

static void on_comm(struct world *world, int32_t pid, const char *name, uint16_t misc)
{
	comm_record(world, pid, pid, name, misc);
	apply(world);
}

static void mmap_record(struct world *world, int32_t pid, uint64_t start, uint64_t len,
			const char *name)
{
	uint16_t misc = pid < 0 ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;

	tally_synth_begin(&world->synth, PERF_RECORD_MMAP, misc,
			  32 + tally_round_up(strlen(name) + 1, 8));
	tally_synth_u32(&world->synth, (uint32_t)pid);
	tally_synth_u32(&world->synth, (uint32_t)pid);
	tally_synth_u64(&world->synth, start);
	tally_synth_u64(&world->synth, len);
	tally_synth_u64(&world->synth, 0);
	tally_synth_string(&world->synth, name);
	tally_synth_end(&world->synth);
}

static void on_mmap(struct world *world, int32_t pid, uint64_t start, uint64_t len,
		    const char *name)
{
	mmap_record(world, pid, start, len, name);
	apply(world);
}

static void bpf_records(struct world *world, uint16_t type, uint16_t flags, uint64_t address,
			const char *name)
{
	tally_synth_begin(&world->synth, PERF_RECORD_KSYMBOL, 0,
			  16 + tally_round_up(strlen(name) + 1, 8));
	tally_synth_u64(&world->synth, address);
	tally_synth_u32(&world->synth, 64);
	tally_synth_u32(&world->synth, (uint32_t)type | (uint32_t)flags << 16);
	tally_synth_string(&world->synth, name);
	tally_synth_end(&world->synth);
}

/* ---- emitted records ----------------------------------------------------------------------- */

/* Append a line of text, and check that the trailer is zero. */
static void describe(struct world *world, const char *record, size_t len)
{
	static const char zeros[TRAILER];
	struct tally_task task;
	struct tally_comm comm;
	struct tally_mmap mmap;

	switch (tally_record_header(record).type) {
	case PERF_RECORD_FORK:
		assert_int_equal(tally_record_task(record, len, &task), 0);
		assert_int_equal(task.time, 0);
		tally_str_addf(&world->text, "fork %d:%d of %d\n", task.pid, task.tid, task.ppid);
		break;
	case PERF_RECORD_COMM:
		assert_int_equal(tally_record_comm(record, len, &comm), 0);
		tally_str_addf(&world->text, "comm %d:%d %s\n", comm.pid, comm.tid, comm.comm);
		break;
	case PERF_RECORD_MMAP:
		assert_int_equal(tally_record_mmap(record, len, &mmap), 0);
		tally_str_addf(&world->text, "mmap %d:%d %llx %s\n", mmap.pid, mmap.tid,
			       (unsigned long long)mmap.start, mmap.filename);
		break;
	case PERF_RECORD_KSYMBOL: tally_str_addf(&world->text, "ksymbol %s\n", record + 24); break;
	default:
		tally_str_addf(&world->text, "type %u\n", tally_record_header(record).type);
		return;
	}
	assert_memory_equal(record + len - TRAILER, zeros, TRAILER);
}

/* `arg` is a struct world. */
static int written(void *arg)
{
	struct world *world = arg;

	for (size_t at = 0; at < world->made.out.len;) {
		const char *record = world->made.out.data + at;
		struct perf_event_header header = tally_record_header(record);

		describe(world, record, header.size);
		at += header.size;
	}
	tally_str_clear(&world->made.out);
	return 0;
}

static const char *emitted(struct world *world)
{
	tally_str_clear(&world->text);
	assert_int_equal(tally_system_emit(world->system, &world->made, written, world), 0);
	return tally_str_text(&world->text);
}

/* ---- tests --------------------------------------------------------------------------------- */

static void forked_processes_have_the_mappings_of_their_parent(void **state)
{
	struct world *world = *state;

	on_comm(world, 10, "shell", EXEC);
	on_mmap(world, 10, 0x1000, 0x1000, "/bin/sh");
	on_fork(world, 11, 10);
	on_mmap(world, 11, 0x5000, 0x1000, "/lib/child");
	on_mmap(world, 10, 0x9000, 0x1000, "/lib/parent");
	on_exit_of(world, 10, 10);
	assert_string_equal(emitted(world),
			    "fork 11:11 of 10\ncomm 11:11 shell\n"
			    "mmap 11:11 1000 /bin/sh\nmmap 11:11 5000 /lib/child\n");
}

static void an_exec_replaces_mappings_and_threads(void **state)
{
	struct world *world = *state;

	on_fork(world, 10, 1);
	on_comm(world, 10, "old", 0);
	on_mmap(world, 10, 0x1000, 0x1000, "/bin/old");
	on_clone(world, 10, 12);
	on_clone(world, 10, 13);
	/* Thread 12 executes a program: the first thread exits, and 12 takes its TID. */
	on_exit_of(world, 10, 13);
	on_exit_of(world, 10, 10);
	on_comm(world, 10, "new", EXEC);
	on_mmap(world, 10, 0x2000, 0x1000, "/bin/new");
	assert_string_equal(emitted(world),
			    "fork 10:10 of 1\ncomm 10:10 new\nmmap 10:10 2000 /bin/new\n");
	on_exit_of(world, 10, 10);
	assert_string_equal(emitted(world), "");
}

static void a_process_lives_as_long_as_its_last_thread(void **state)
{
	struct world *world = *state;

	on_comm(world, 10, "main", EXEC);
	on_mmap(world, 10, 0x1000, 0x1000, "/bin/main");
	on_clone(world, 10, 12);
	comm_record(world, 10, 12, "worker", 0);
	apply(world);
	on_exit_of(world, 10, 10);
	on_exit_of(world, 10, 10); /* has no further effect */
	assert_string_equal(emitted(world),
			    "fork 10:10 of 0\ncomm 10:10 main\nmmap 10:10 1000 /bin/main\n"
			    "fork 10:12 of 10\ncomm 10:12 worker\n");
	on_exit_of(world, 10, 12);
	assert_string_equal(emitted(world), "");
	assert_int_equal(tally_system_bytes(world->system), 0);
}

static void covered_mappings_are_dropped(void **state)
{
	struct world *world = *state;

	on_comm(world, 10, "jit", EXEC);
	on_mmap(world, 10, 0x1000, 0x3000, "/partly");
	on_mmap(world, 10, 0x8000, 0x2000, "/covered-by-two");
	on_mmap(world, 10, 0x2000, 0x1000, "/hole");
	on_mmap(world, 10, 0x8000, 0x1000, "/left");
	on_mmap(world, 10, 0x9000, 0x1000, "/right");
	for (int i = 0; i < 10000; i++)
		on_mmap(world, 10, 0x10000 + (uint64_t)(i % 3) * 0x1000, 0x1000, "//anon");
	assert_true(tally_system_bytes(world->system) < 50000);
	assert_string_equal(emitted(world),
			    "fork 10:10 of 0\ncomm 10:10 jit\nmmap 10:10 1000 /partly\n"
			    "mmap 10:10 2000 /hole\nmmap 10:10 8000 /left\nmmap 10:10 9000 /right\n"
			    "mmap 10:10 11000 //anon\nmmap 10:10 12000 //anon\n"
			    "mmap 10:10 10000 //anon\n");
}

static void memory_is_bounded_by_live_tasks(void **state)
{
	struct world *world = *state;
	uint64_t before;

	on_comm(world, 1, "init", EXEC);
	on_mmap(world, 1, 0x1000, 0x1000, "/init");
	before = tally_system_bytes(world->system);
	for (int32_t pid = 2; pid < 20000; pid++) {
		on_fork(world, pid, 1);
		on_comm(world, pid, "short", EXEC);
		on_mmap(world, pid, 0x1000, 0x1000, "/bin/short");
		on_clone(world, pid, pid + 100000);
		on_exit_of(world, pid, pid + 100000);
		on_exit_of(world, pid, pid);
		assert_int_equal(tally_system_bytes(world->system), before);
	}
	assert_int_equal(tally_system_dropped(world->system), 0);
}

static void what_exceeds_the_limit_is_counted(void **state)
{
	struct world *world = *state;
	struct tally_system *small;

	assert_int_equal(tally_system_new(TRAILER, 4096, &small), 0);
	comm_record(world, 10, 10, "greedy", EXEC);
	tally_system_record(small, world->synth.out.data, world->synth.out.len);
	for (uint64_t i = 0; i < 1000; i++) {
		tally_str_clear(&world->synth.out);
		mmap_record(world, 10, i << 12, 0x1000, "/bin/greedy");
		tally_system_record(small, world->synth.out.data, world->synth.out.len);
	}
	tally_str_clear(&world->synth.out);
	assert_true(tally_system_bytes(small) <= 4096);
	assert_true(tally_system_dropped(small) > 900);
	tally_system_free(small);
}

/* Add the synthesized records of a process with one thread. */
static void scan_process(struct world *world, int32_t pid, const char *comm)
{
	tally_synth_fork(&world->synth, pid, 1, pid, 1);
	comm_record(world, pid, pid, comm, 0);
}

static void unreadable_mappings_are_kept_in_a_merge(void **state)
{
	struct world *world = *state;

	scan_process(world, 10, "server");
	mmap_record(world, 10, 0x1000, 0x1000, "/bin/server");
	mmap_record(world, -1, 0xf000, 0x1000, "[kernel.kallsyms]_text");
	merge(world, false);
	on_clone(world, 10, 12);
	scan_process(world, 10, "server");
	scan_process(world, 11, "other");
	mmap_record(world, 11, 0x2000, 0x1000, "/bin/other");
	merge(world, true);
	/* Thread 12 has exited: the second scan did not find it. */
	assert_string_equal(emitted(world), "mmap -1:-1 f000 [kernel.kallsyms]_text\n"
					    "fork 10:10 of 1\ncomm 10:10 server\n"
					    "mmap 10:10 1000 /bin/server\n"
					    "fork 11:11 of 1\ncomm 11:11 other\n"
					    "mmap 11:11 2000 /bin/other\n");
}

static void a_merge_replaces_mappings_and_distrusts_another_name(void **state)
{
	struct world *world = *state;

	scan_process(world, 10, "a");
	mmap_record(world, 10, 0x1000, 0x1000, "/bin/a");
	scan_process(world, 11, "b");
	mmap_record(world, 11, 0x1000, 0x1000, "/bin/b");
	merge(world, false);
	scan_process(world, 10, "a");
	mmap_record(world, 10, 0x3000, 0x1000, "/bin/a2");
	scan_process(world, 11, "c");
	merge(world, true);
	assert_string_equal(emitted(world),
			    "fork 10:10 of 1\ncomm 10:10 a\nmmap 10:10 3000 /bin/a2\n"
			    "fork 11:11 of 1\ncomm 11:11 c\n");
}

static void a_merge_replaces_only_bpf_functions(void **state)
{
	struct world *world = *state;

	bpf_records(world, 1, 0, 0x1000, "bpf_prog_old");
	bpf_records(world, 2, 0, 0x2000, "trampoline");
	bpf_records(world, 2, 0, 0x3000, "removed");
	bpf_records(world, 2, 1, 0x3000, "removed");
	apply(world);
	bpf_records(world, 1, 0, 0x4000, "bpf_prog_new");
	tally_synth_begin(&world->synth, TALLY_PERFDATA_CPU_MAP, 0, 8);
	tally_synth_u64(&world->synth, 0);
	merge(world, true);
	emitted(world);
	assert_non_null(strstr(world->text.data, "ksymbol bpf_prog_new\n"));
	assert_non_null(strstr(world->text.data, "ksymbol trampoline\n"));
	assert_null(strstr(world->text.data, "old"));
	assert_null(strstr(world->text.data, "removed"));
	assert_non_null(strstr(world->text.data, "type 74\n"));
}

static bool is_even(void *arg, int32_t pid)
{
	(void)arg;
	return pid % 2 == 0;
}

static void reused_and_expired_numbers_belong_to_new_tasks(void **state)
{
	struct world *world = *state;

	on_comm(world, 10, "old", EXEC);
	on_mmap(world, 10, 0x1000, 0x1000, "/bin/old");
	on_clone(world, 10, 12);
	on_clone(world, 14, 15); /* without its first thread */
	on_mmap(world, 14, 0x1000, 0x1000, "/bin/old");
	/* The EXIT records of 10, 12 and 15 were lost. */
	on_fork(world, 14, 1);
	on_exit_of(world, 14, 14);
	on_fork(world, 12, 1);
	on_comm(world, 13, "kept", 0);
	on_fork(world, 10, 13);
	assert_string_equal(emitted(world), "fork 10:10 of 13\ncomm 10:10 kept\n"
					    "fork 12:12 of 1\nfork 13:13 of 0\ncomm 13:13 kept\n");
	tally_system_expire(world->system, is_even, NULL);
	assert_string_equal(emitted(world), "fork 13:13 of 0\ncomm 13:13 kept\n");
}

static void damaged_records_are_ignored(void **state)
{
	struct world *world = *state;
	uint8_t bytes[256];

	for (uint32_t type = 0; type < PERF_RECORD_MAX; type++) {
		for (uint16_t size = 0; size < sizeof(bytes); size++) {
			struct perf_event_header header = {type, PERF_RECORD_MISC_USER, size};

			memset(bytes, size & 1 ? 0xff : 1, sizeof(bytes));
			memcpy(bytes, &header, sizeof(header));
			tally_system_record(world->system, bytes, size);
			tally_system_merge(world->system, bytes, size, true);
		}
	}
	emitted(world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(forked_processes_have_the_mappings_of_their_parent),
		TEST(an_exec_replaces_mappings_and_threads),
		TEST(a_process_lives_as_long_as_its_last_thread),
		TEST(covered_mappings_are_dropped),
		TEST(memory_is_bounded_by_live_tasks),
		TEST(what_exceeds_the_limit_is_counted),
		TEST(unreadable_mappings_are_kept_in_a_merge),
		TEST(a_merge_replaces_mappings_and_distrusts_another_name),
		TEST(a_merge_replaces_only_bpf_functions),
		TEST(reused_and_expired_numbers_belong_to_new_tasks),
		TEST(damaged_records_are_ignored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
