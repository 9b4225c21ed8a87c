/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "abi/abi_record.h"
#include "fed_machine.h"

static void feed_task(struct fixture *f, uint32_t type, int pid, int ppid, int tid, int ptid)
{
	uint8_t record[32] = {0};

	tally_put_u32(record + 8, (uint32_t)pid);
	tally_put_u32(record + 12, (uint32_t)ppid);
	tally_put_u32(record + 16, (uint32_t)tid);
	tally_put_u32(record + 20, (uint32_t)ptid);
	feed(f, type, 0, record, sizeof(record));
}

static void feed_comm(struct fixture *f, int pid, int tid, const char *comm)
{
	uint8_t record[48] = {0};

	tally_put_u32(record + 8, (uint32_t)pid);
	tally_put_u32(record + 12, (uint32_t)tid);
	strcpy((char *)record + 16, comm);
	feed(f, PERF_RECORD_COMM, 0, record, sizeof(record));
}

static void feed_mmap(struct fixture *f, uint16_t misc, int pid, uint64_t start, uint64_t len,
		      const char *name)
{
	uint8_t record[128] = {0};

	tally_put_u32(record + 8, (uint32_t)pid);
	tally_put_u32(record + 12, (uint32_t)pid);
	tally_put_u64(record + 16, start);
	tally_put_u64(record + 24, len);
	strcpy((char *)record + 40, name);
	feed(f, PERF_RECORD_MMAP, misc, record, sizeof(record));
}

static const char *dso_at(struct fixture *f, int tid, uint8_t cpumode, uint64_t ip)
{
	struct tally_thread *thread = tally_machine_thread(f->machine, -1, tid);
	const struct tally_location *where = tally_machine_locate(f->machine, thread, cpumode, ip);

	return where->dso ? tally_dso_name(where->dso) : NULL;
}

static void threads_are_named(void **state)
{
	struct fixture *f = *state;
	struct tally_thread *thread;

	assert_string_equal(tally_machine_comm(f->machine, tally_machine_thread(f->machine, 0, 0)),
			    "swapper");
	thread = tally_machine_thread(f->machine, 7, 8);
	assert_string_equal(tally_machine_comm(f->machine, thread), ":8");
	feed_comm(f, 7, 8, "make");
	assert_string_equal(tally_machine_comm(f->machine, thread), "make");
	feed_task(f, PERF_RECORD_FORK, 20, 7, 20, 8);
	assert_string_equal(
		tally_machine_comm(f->machine, tally_machine_thread(f->machine, 20, 20)), "make");
	/* A reused tid is a new thread. */
	feed_comm(f, 20, 20, "cc1");
	feed_task(f, PERF_RECORD_FORK, 20, 0, 20, 0);
	assert_string_equal(
		tally_machine_comm(f->machine, tally_machine_thread(f->machine, 20, 20)), ":20");
}

static void children_keep_the_maps_of_the_fork(void **state)
{
	struct fixture *f = *state;

	feed_mmap(f, PERF_RECORD_MISC_USER, 10, 0x1000, 0x1000, "/bin/old");
	feed_task(f, PERF_RECORD_FORK, 11, 10, 11, 10);
	feed_mmap(f, PERF_RECORD_MISC_USER, 10, 0x1000, 0x1000, "/bin/new");
	assert_string_equal(dso_at(f, 10, PERF_RECORD_MISC_USER, 0x1800), "/bin/new");
	assert_string_equal(dso_at(f, 11, PERF_RECORD_MISC_USER, 0x1800), "/bin/old");
	assert_null(dso_at(f, 11, PERF_RECORD_MISC_USER, 0x2000));
	/* Threads share their process's mappings, including later ones. */
	feed_task(f, PERF_RECORD_FORK, 10, 10, 15, 10);
	feed_mmap(f, PERF_RECORD_MISC_USER, 10, 0x5000, 0x1000, "/lib/late");
	assert_string_equal(dso_at(f, 15, PERF_RECORD_MISC_USER, 0x5000), "/lib/late");
}

static void end(struct fixture *f, int pid)
{
	feed_task(f, PERF_RECORD_EXIT, pid, 1, pid, 1);
}

static void frees_mappings_of_exited_processes_later(void **state)
{
	enum { MANY = 100, THREADED = 101, FIRST = 1000 };
	struct fixture *f = *state;

	feed_mmap(f, PERF_RECORD_MISC_USER, MANY, 0x1000, 0x1000, "/bin/one");
	feed_mmap(f, PERF_RECORD_MISC_USER, THREADED, 0x1000, 0x1000, "/bin/several");
	feed_task(f, PERF_RECORD_FORK, THREADED, THREADED, 102, THREADED);
	end(f, MANY);
	end(f, THREADED);
	for (int i = 0; i < MACHINE_ENDED; i++) {
		/* Recently exited processes still have their mappings. */
		assert_string_equal(dso_at(f, MANY, PERF_RECORD_MISC_USER, 0x1800), "/bin/one");
		feed_task(f, PERF_RECORD_FORK, FIRST + i, 1, FIRST + i, 1);
		end(f, FIRST + i);
	}
	assert_null(dso_at(f, MANY, PERF_RECORD_MISC_USER, 0x1800));
	/* Other threads may continue to run after the main thread exits. */
	assert_string_equal(dso_at(f, THREADED, PERF_RECORD_MISC_USER, 0x1800), "/bin/several");
	/* A process that reuses a pid starts without the old mappings. */
	feed_task(f, PERF_RECORD_FORK, MANY, THREADED, MANY, THREADED);
	assert_string_equal(dso_at(f, MANY, PERF_RECORD_MISC_USER, 0x1800), "/bin/several");
}

/* The kernel reports pid 0 for all tasks outside the namespace. Names and mappings of one task must
 * not be assigned to another. */
static void does_not_distinguish_tasks_outside_the_namespace(void **state)
{
	struct fixture *f = *state;
	struct tally_thread *idle = tally_machine_thread(f->machine, 0, 0);
	uint32_t key = tally_thread_comm_key(idle);

	tally_machine_sample_thread(f->machine, 0, 0, PERF_RECORD_MISC_KERNEL, 1);
	assert_string_equal(tally_machine_comm(f->machine, idle), "swapper");
	feed_comm(f, 0, 0, "swapper");
	assert_string_equal(tally_machine_comm(f->machine, idle), "swapper");
	feed_comm(f, 0, 0, "sshd");
	feed_mmap(f, PERF_RECORD_MISC_USER, 0, 0x1000, 0x1000, "/bin/sshd");
	feed_task(f, PERF_RECORD_FORK, 0, 0, 0, 0);
	end(f, 0);
	assert_null(dso_at(f, 0, PERF_RECORD_MISC_USER, 0x1800));
	assert_string_equal(tally_machine_comm(f->machine, idle), "[unknown]");
	/* Tasks with pid 0 are not the idle task, even if they have its name. */
	feed_comm(f, 0, 0, "swapper");
	assert_string_equal(tally_machine_comm(f->machine, idle), "[unknown]");
	/* Earlier samples are shown with the same name. */
	assert_string_equal(tally_intern_text(tally_machine_comms(f->machine),
					      tally_machine_comm_of(f->machine, key)),
			    "[unknown]");
	assert_int_equal(tally_machine_stats(f->machine)->outside, 0);
	tally_machine_sample_thread(f->machine, 0, 0, PERF_RECORD_MISC_USER, 2);
	assert_int_equal(tally_machine_stats(f->machine)->outside, 1);
	/* A process forked by one of these tasks inherits nothing. */
	feed_task(f, PERF_RECORD_FORK, 30, 0, 30, 0);
	assert_null(dso_at(f, 30, PERF_RECORD_MISC_USER, 0x1800));
	assert_string_equal(
		tally_machine_comm(f->machine, tally_machine_thread(f->machine, 30, 30)), ":30");
}

/* A single user-space sample of pid 0 reveals that such tasks exist. */
static void user_space_samples_of_pid_0_are_from_outside_the_namespace(void **state)
{
	struct fixture *f = *state;
	struct tally_thread *idle = tally_machine_thread(f->machine, 0, 0);

	tally_machine_sample_thread(f->machine, 0, 0, PERF_RECORD_MISC_USER, 2);
	assert_string_equal(tally_machine_comm(f->machine, idle), "[unknown]");
	tally_machine_restart(f->machine);
	feed_comm(f, 0, 0, "swapper");
	feed_task(f, PERF_RECORD_FORK, 30, 0, 30, 0);
	assert_string_equal(
		tally_machine_comm(f->machine, tally_machine_thread(f->machine, 30, 30)), ":30");
	feed_comm(f, 0, 0, "swapper-evil");
	idle = tally_machine_thread(f->machine, 0, 0);
	assert_string_equal(tally_machine_comm(f->machine, idle), "[unknown]");
	tally_machine_restart(f->machine);
	idle = tally_machine_thread(f->machine, 0, 0);
	assert_string_equal(tally_machine_comm(f->machine, idle), "swapper");
	assert_int_equal(tally_machine_stats(f->machine)->outside, 0);
}

static void end_at(struct fixture *f, int pid, uint64_t time)
{
	uint8_t record[32] = {0};

	tally_put_u32(record + 8, (uint32_t)pid);
	tally_put_u32(record + 16, (uint32_t)pid);
	tally_put_u64(record + 24, time);
	feed(f, PERF_RECORD_EXIT, 0, record, sizeof(record));
}

static void feed_exec(struct fixture *f, int pid, const char *comm)
{
	uint8_t record[64] = {0};

	tally_put_u32(record + 8, (uint32_t)pid);
	tally_put_u32(record + 12, (uint32_t)pid);
	strcpy((char *)record + 16, comm);
	feed(f, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, record, sizeof(record));
}

static const char *dso_of_sample(struct fixture *f, int pid, int tid, uint64_t time)
{
	struct tally_thread *thread =
		tally_machine_sample_thread(f->machine, pid, tid, PERF_RECORD_MISC_USER, time);
	const struct tally_location *where =
		tally_machine_locate(f->machine, thread, PERF_RECORD_MISC_USER, 0x1800);

	return where->dso ? tally_dso_name(where->dso) : NULL;
}

#define SECOND UINT64_C(1000000000)

static void time_passes(struct fixture *f, uint64_t time)
{
	tally_machine_sample_thread(f->machine, 0, 0, PERF_RECORD_MISC_KERNEL, time);
}

/* A reused pid is a new process, even if its fork record was lost or never written. */
static void a_reused_pid_is_a_new_process(void **state)
{
	struct fixture *f = *state;

	feed_comm(f, 40, 40, "old");
	feed_mmap(f, PERF_RECORD_MISC_USER, 40, 0x1000, 0x1000, "/bin/old");
	end_at(f, 40, 100 * SECOND);
	/* An exiting task still runs in the kernel. */
	assert_ptr_equal(tally_machine_sample_thread(f->machine, 40, 40, PERF_RECORD_MISC_KERNEL,
						     101 * SECOND),
			 tally_machine_thread(f->machine, 40, 40));
	assert_string_equal(dso_of_sample(f, 40, 40, 100 * SECOND), "/bin/old");
	assert_string_equal(dso_of_sample(f, 40, 40, 101 * SECOND), "/bin/old");
	assert_null(dso_of_sample(f, 40, 40, 102 * SECOND));
	assert_string_equal(
		tally_machine_comm(f->machine, tally_machine_thread(f->machine, 40, 40)), ":40");
	/* A new mapping belongs to the new process. */
	feed_mmap(f, PERF_RECORD_MISC_USER, 50, 0x1000, 0x1000, "/bin/old");
	end_at(f, 50, 200 * SECOND);
	time_passes(f, 202 * SECOND);
	feed_mmap(f, PERF_RECORD_MISC_USER, 50, 0x9000, 0x1000, "/bin/new");
	assert_null(dso_of_sample(f, 50, 50, 203 * SECOND));
	assert_string_equal(dso_at(f, 50, PERF_RECORD_MISC_USER, 0x9000), "/bin/new");
	/* When another thread calls execve(2), it takes over the pid of the main thread, which
	 * exits first. */
	feed_mmap(f, PERF_RECORD_MISC_USER, 70, 0x1000, 0x1000, "/bin/threads");
	feed_task(f, PERF_RECORD_FORK, 70, 70, 71, 70);
	end_at(f, 70, 250 * SECOND);
	feed_exec(f, 70, "next");
	assert_string_equal(dso_of_sample(f, 70, 70, 251 * SECOND), "/bin/threads");
	/* No thread is left that could call execve(2). */
	end_at(f, 70, 260 * SECOND);
	end_at(f, 71, 260 * SECOND);
	time_passes(f, 262 * SECOND);
	feed_exec(f, 70, "other");
	assert_null(dso_of_sample(f, 70, 70, 263 * SECOND));
	/* A thread's tid is later reused as the pid of another process. */
	feed_mmap(f, PERF_RECORD_MISC_USER, 60, 0x1000, 0x1000, "/bin/first");
	feed_task(f, PERF_RECORD_FORK, 60, 60, 61, 60);
	assert_string_equal(dso_of_sample(f, 60, 61, 300 * SECOND), "/bin/first");
	assert_null(dso_of_sample(f, 61, 61, 301 * SECOND));
}

static void kernel_and_modules_have_their_names(void **state)
{
	struct fixture *f = *state;
	uint8_t id[20] = {1};
	const char *module = "/lib/modules/6.1/kernel/net/mac-fake.ko.xz";

	assert_null(dso_at(f, 1, PERF_RECORD_MISC_KERNEL, 0xffffffff81000010));
	assert_int_equal(
		tally_machine_build_id(f->machine, PERF_RECORD_MISC_KERNEL, module, id, sizeof(id)),
		0);
	feed_mmap(f, PERF_RECORD_MISC_KERNEL, -1, 0xffffffff81000000, 0x1000000,
		  "[kernel.kallsyms]_text");
	feed_mmap(f, PERF_RECORD_MISC_KERNEL, -1, 0xffffffffc0000000, 0x1000, "[mac_fake]");
	feed_mmap(f, PERF_RECORD_MISC_KERNEL, -1, 0xffffffffc0010000, 0x1000,
		  "/lib/modules/6.1/kernel/fs/other.ko");
	assert_string_equal(dso_at(f, 1, PERF_RECORD_MISC_KERNEL, 0xffffffff81000010),
			    "[kernel.kallsyms]");
	assert_string_equal(dso_at(f, 1, PERF_RECORD_MISC_KERNEL, 0xffffffffc0000010), module);
	assert_string_equal(dso_at(f, 1, PERF_RECORD_MISC_KERNEL, 0xffffffffc0010010), "[other]");
	assert_null(dso_at(f, 1, PERF_RECORD_MISC_USER, 0xffffffff81000010));
	assert_null(dso_at(f, 1, PERF_RECORD_MISC_GUEST_KERNEL, 0xffffffff81000010));
	assert_int_equal(tally_machine_stats(f->machine)->guest, 1);
}

static const char *mapped_at(struct fixture *f, int tid, uint8_t cpumode, uint64_t ip)
{
	const struct tally_thread *thread = tally_machine_thread(f->machine, tid, tid);
	const struct tally_dso *dso = tally_machine_find_dso(f->machine, thread, cpumode, ip);

	assert_true(!dso || tally_dso_status(dso).state == TALLY_DSO_NOT_LOADED);
	return dso ? tally_dso_name(dso) : NULL;
}

static void finds_mapped_files_without_symbols(void **state)
{
	enum { USER = PERF_RECORD_MISC_USER, KERNEL = PERF_RECORD_MISC_KERNEL };
	const char *module = "/lib/modules/6.1/kernel/fs/other.ko";
	struct fixture *f = *state;

	tally_machine_show_paths(f->machine);
	feed_mmap(f, USER, 10, 0x1000, 0x1000, "/bin/sh");
	feed_mmap(f, KERNEL, -1, 0xffffffff81000000, 0x1000000, "[kernel.kallsyms]_text");
	feed_mmap(f, KERNEL, -1, 0xffffffffc0010000, 0x1000, module);
	assert_string_equal(mapped_at(f, 10, USER, 0x1800), "/bin/sh");
	assert_null(mapped_at(f, 10, USER, 0x2000));
	assert_null(mapped_at(f, 11, USER, 0x1800));
	assert_string_equal(mapped_at(f, 10, KERNEL, 0xffffffff81000010), "[kernel.kallsyms]");
	assert_string_equal(mapped_at(f, 11, KERNEL, 0xffffffffc0010010), module);
	/* Guest addresses do not resolve to the host's mappings, even if the addresses are the
	 * same. */
	assert_null(mapped_at(f, 10, PERF_RECORD_MISC_GUEST_USER, 0x1800));
	assert_null(mapped_at(f, 10, PERF_RECORD_MISC_GUEST_KERNEL, 0xffffffff81000010));
	assert_null(mapped_at(f, 10, PERF_RECORD_MISC_CPUMODE_UNKNOWN, 0x1800));
}

static void damaged_records_are_counted(void **state)
{
	struct fixture *f = *state;
	uint8_t record[24];

	memset(record, 'x', sizeof(record));
	feed(f, PERF_RECORD_COMM, 0, record, sizeof(record));
	feed(f, PERF_RECORD_MMAP2, 0, record, sizeof(record));
	feed(f, PERF_RECORD_FORK, 0, record, sizeof(record));
	feed(f, PERF_RECORD_KSYMBOL, 0, record, sizeof(record));
	assert_int_equal(tally_machine_stats(f->machine)->damaged, 4);
}

/* Check that the location key of `ip` resolves to the same location as `ip`. Returns the first word
 * of the key. */
static uint64_t location_key_of(struct fixture *f, int tid, uint8_t cpumode, uint64_t ip, int nr)
{
	struct tally_thread *thread = tally_machine_thread(f->machine, -1, tid);
	const struct tally_location *where = tally_machine_locate(f->machine, thread, cpumode, ip);
	struct tally_location again;
	uint64_t words[TALLY_LOCATION_KEY_WORDS];

	assert_int_equal(tally_machine_location_key(f->machine, thread, cpumode, ip, words), nr);
	assert_int_equal(tally_machine_location_key_resolve(
				 f->machine, tally_machine_kernel(f->machine), words, &again),
			 nr);
	assert_ptr_equal(again.dso, where->dso);
	assert_int_equal(again.addr, where->addr);
	assert_int_equal(again.cpumode, cpumode);
	return words[0];
}

static void location_keys_are_the_same_in_every_process(void **state)
{
	enum { USER = PERF_RECORD_MISC_USER, KERNEL = PERF_RECORD_MISC_KERNEL };
	struct fixture *f = *state;

	feed_mmap(f, USER, 7, 0x10000, 0x1000, "/nonexistent/a");
	feed_mmap(f, USER, 7, 0x20000, 0x1000, "/nonexistent/b");
	feed_mmap(f, USER, 8, 0x55550000, 0x1000, "/nonexistent/a");
	feed_mmap(f, USER, 8, 0x10000, 0x1000, "/nonexistent/b");
	assert_true(location_key_of(f, 7, USER, 0x10010, 1) ==
		    location_key_of(f, 8, USER, 0x55550010, 1));
	assert_true(location_key_of(f, 7, USER, 0x10010, 1) !=
		    location_key_of(f, 8, USER, 0x10010, 1));
	assert_true(location_key_of(f, 7, USER, 0x20010, 1) ==
		    location_key_of(f, 8, USER, 0x10010, 1));
	/* The key of an unmapped or kernel address is the address itself. */
	assert_true(location_key_of(f, 7, USER, 0x40000, 1) == 0x40000);
	assert_true(location_key_of(f, 8, KERNEL, 0xffffffff81000000, 1) == 0xffffffff81000000);
	/* Addresses that look like kernel addresses or other keys need three-word keys. */
	location_key_of(f, 7, USER, 0xffffffff81000000, 3);
	location_key_of(f, 7, USER, location_key_of(f, 7, USER, 0x10010, 1), 3);
	location_key_of(f, 7, KERNEL, 0x10010, 3);
	location_key_of(f, 7, PERF_RECORD_MISC_GUEST_USER, 0x10010, 3);
	/* The addresses of this mapping are too high for a one-word key. */
	feed_mmap(f, USER, 8, 1ull << 52, 0x1000, "//anon");
	location_key_of(f, 8, USER, (1ull << 52) + 8, 3);
}

static void referenced_kernel_maps_do_not_change(void **state)
{
	struct fixture *f = *state;
	struct tally_maps *before;

	feed_mmap(f, PERF_RECORD_MISC_KERNEL, -1, 0xffffffff81000000, 0x1000,
		  "[kernel.kallsyms]_text");
	before = tally_maps_get(tally_machine_kernel(f->machine));
	feed_mmap(f, PERF_RECORD_MISC_KERNEL, -1, 0xffffffffa0000000, 0x1000, "[ext4]");
	assert_ptr_not_equal(tally_machine_kernel(f->machine), before);
	assert_null(tally_maps_find(before, 0xffffffffa0000010));
	assert_non_null(tally_maps_find(tally_machine_kernel(f->machine), 0xffffffffa0000010));
	tally_maps_put(before);
}

static void module_names(void **state)
{
	static const char *const rows[][2] = {
		{"/lib/modules/1/kernel/dm-mod.ko", "[dm_mod]"},
		{"/lib/modules/1/kernel/ext4.ko.xz", "[ext4]"},
		{"[nf_tables]", "[nf_tables]"},
		{"/usr/lib/libx.so", "/usr/lib/libx.so"},
		{"/usr/lib/x.kox", "/usr/lib/x.kox"},
	};
	char name[32];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		tally_module_name(rows[i][0], name, sizeof(name));
		assert_string_equal(name, rows[i][1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(threads_are_named, setup, teardown),
		cmocka_unit_test_setup_teardown(children_keep_the_maps_of_the_fork, setup,
						teardown),
		cmocka_unit_test_setup_teardown(frees_mappings_of_exited_processes_later, setup,
						teardown),
		cmocka_unit_test_setup_teardown(does_not_distinguish_tasks_outside_the_namespace,
						setup, teardown),
		cmocka_unit_test_setup_teardown(
			user_space_samples_of_pid_0_are_from_outside_the_namespace, setup,
			teardown),
		cmocka_unit_test_setup_teardown(a_reused_pid_is_a_new_process, setup, teardown),
		cmocka_unit_test_setup_teardown(kernel_and_modules_have_their_names, setup,
						teardown),
		cmocka_unit_test_setup_teardown(finds_mapped_files_without_symbols, setup,
						teardown),
		cmocka_unit_test_setup_teardown(damaged_records_are_counted, setup, teardown),
		cmocka_unit_test_setup_teardown(location_keys_are_the_same_in_every_process, setup,
						teardown),
		cmocka_unit_test_setup_teardown(referenced_kernel_maps_do_not_change, setup,
						teardown),
		cmocka_unit_test(module_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
