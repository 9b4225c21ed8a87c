/* SPDX-License-Identifier: BSD-2-Clause */
/* Open counters over a transport that rejects some opens. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "tally/client.h"

enum { FIRST_FD = 100, FD_LIMIT = 4096 };

struct fake {
	struct tally_transport transport;
	/* Called before each open; returns 0 or -errno. */
	int (*rule)(struct fake *fake, const struct perf_event_attr *attr, int32_t pid, int32_t cpu,
		    int group_fd);
	unsigned opens, nr_open, ioctls;
	unsigned refuse_at, limit; /* parameters for rules */
	bool is_open[FD_LIMIT];
	struct perf_event_attr attrs[FD_LIMIT];
	int group[FD_LIMIT];
	int32_t pid[FD_LIMIT], cpu[FD_LIMIT];
};

static int fake_open(const struct tally_transport *transport, struct perf_event_attr *attr,
		     int32_t pid, int32_t cpu, int group_fd, unsigned long flags)
{
	struct fake *fake = transport->private_data;
	int ret = fake->rule ? fake->rule(fake, attr, pid, cpu, group_fd) : 0, fd;

	/* As in the kernel, unknown flags are checked first. */
	if (flags == ~0ul)
		return -EINVAL;
	if (ret)
		return ret;
	if (group_fd >= 0)
		assert_true(fake->is_open[group_fd - FIRST_FD]);
	for (fd = 0; fake->is_open[fd]; fd++)
		assert_true(fd < FD_LIMIT - 1);
	fake->is_open[fd] = true;
	fake->attrs[fd] = *attr;
	fake->group[fd] = group_fd;
	fake->pid[fd] = pid;
	fake->cpu[fd] = cpu;
	fake->opens++;
	fake->nr_open++;
	return FIRST_FD + fd;
}

static int fake_close(const struct tally_transport *transport, int fd)
{
	struct fake *fake = transport->private_data;

	assert_true(fd >= FIRST_FD && fake->is_open[fd - FIRST_FD]);
	fake->is_open[fd - FIRST_FD] = false;
	fake->nr_open--;
	return 0;
}

static int fake_ioctl(const struct tally_transport *transport, int fd, unsigned long request,
		      uintptr_t arg)
{
	struct fake *fake = transport->private_data;

	assert_true(fd >= FIRST_FD && fake->is_open[fd - FIRST_FD]);
	if (request == PERF_EVENT_IOC_ID)
		*(uint64_t *)arg = (uint64_t)fd * 10;
	fake->ioctls++;
	return 0;
}

static int64_t fake_read(const struct tally_transport *transport, int fd, void *to, size_t len)
{
	uint64_t words[3] = {(uint64_t)fd, 200, 100};

	assert_true(len >= sizeof(words));
	memcpy(to, words, sizeof(words));
	return sizeof(words);
}

static struct fake *fake_new(int (*rule)(struct fake *, const struct perf_event_attr *, int32_t,
					 int32_t, int))
{
	struct fake *fake = calloc(1, sizeof(*fake));

	assert_non_null(fake);
	fake->transport = (struct tally_transport){.name = "fake",
						   .open = fake_open,
						   .close = fake_close,
						   .ioctl = fake_ioctl,
						   .read = fake_read,
						   .private_data = fake};
	fake->rule = rule;
	return fake;
}

/* Build an event spec as src/events does. */
static struct tally_event_spec spec(uint32_t type, uint64_t config, uint32_t index)
{
	return (struct tally_event_spec){
		.attr = {.type = type, .size = sizeof(struct perf_event_attr), .config = config},
		.name = "event",
		.group = index,
		.leader = index,
		.nr_members = 1,
	};
}

static struct tally_cpus *cpus_of(const char *text)
{
	struct tally_cpus *cpus;

	assert_int_equal(tally_cpus_parse(text, &cpus), 0);
	return cpus;
}

static struct tally_threads *threads_of(size_t nr)
{
	struct tally_threads *threads = malloc(sizeof(*threads) + nr * sizeof(threads->thread[0]));

	assert_non_null(threads);
	threads->nr = nr;
	for (size_t i = 0; i < nr; i++)
		threads->thread[i] = (struct tally_thread_id){1000 + (int32_t)i, 1000};
	return threads;
}

/* Open `nr` specs on `cpus` for `nr_threads` threads. */
static int try_open(struct fake *fake, struct tally_event_spec *specs, size_t nr,
		    const char *cpu_list, size_t nr_threads,
		    const struct tally_open_options *options, struct tally_counters **ret_counters,
		    struct tally_refusal *why)
{
	struct tally_event_list list = {.specs = specs, .nr = nr};
	struct tally_cpus *cpus = cpus_of(cpu_list);
	struct tally_threads *threads = threads_of(nr_threads);
	int ret = tally_counters_open(&fake->transport, &list, cpus, threads, options, ret_counters,
				      why);

	free(threads);
	free(cpus);
	return ret;
}

/* ---- rules ------------------------------------------------------------------ */

static int refuse_nth(struct fake *fake, const struct perf_event_attr *attr, int32_t pid,
		      int32_t cpu, int group_fd)
{
	return fake->opens == fake->refuse_at ? -EBUSY : 0;
}

static int no_pmu(struct fake *fake, const struct perf_event_attr *attr, int32_t pid, int32_t cpu,
		  int group_fd)
{
	return attr->type == PERF_TYPE_HARDWARE ? -ENOENT : 0;
}

static int user_only(struct fake *fake, const struct perf_event_attr *attr, int32_t pid,
		     int32_t cpu, int group_fd)
{
	return attr->exclude_kernel ? 0 : -EACCES;
}

static int reject_all(struct fake *fake, const struct perf_event_attr *attr, int32_t pid,
		      int32_t cpu, int group_fd)
{
	return -EACCES;
}

static int old_kernel(struct fake *fake, const struct perf_event_attr *attr, int32_t pid,
		      int32_t cpu, int group_fd)
{
	return attr->bpf_event || attr->ksymbol || attr->read_format & PERF_FORMAT_LOST ? -EINVAL
											: 0;
}

static int no_branches(struct fake *fake, const struct perf_event_attr *attr, int32_t pid,
		       int32_t cpu, int group_fd)
{
	return attr->branch_sample_type ? -EOPNOTSUPP : 0;
}

static int not_precise(struct fake *fake, const struct perf_event_attr *attr, int32_t pid,
		       int32_t cpu, int group_fd)
{
	return attr->precise_ip > 1 ? -EOPNOTSUPP : 0;
}

static int full_table(struct fake *fake, const struct perf_event_attr *attr, int32_t pid,
		      int32_t cpu, int group_fd)
{
	return fake->nr_open >= fake->limit ? -EMFILE : 0;
}

static int thread_exited(struct fake *fake, const struct perf_event_attr *attr, int32_t pid,
			 int32_t cpu, int group_fd)
{
	return pid == 1001 ? -ESRCH : 0;
}

/* Thread 1001's TID has been reused. The new thread cannot join the groups led by the first event's
 * six descriptors (two CPUs and three threads). */
static int thread_replaced(struct fake *fake, const struct perf_event_attr *attr, int32_t pid,
			   int32_t cpu, int group_fd)
{
	return pid == 1001 && group_fd >= 0 && group_fd < FIRST_FD + 6 ? -EINVAL : 0;
}

static int one_without_groups(struct fake *fake, const struct perf_event_attr *attr, int32_t pid,
			      int32_t cpu, int group_fd)
{
	return pid == 1001 && group_fd >= 0 ? -EINVAL : 0;
}

static int all_threads_exited(struct fake *fake, const struct perf_event_attr *attr, int32_t pid,
			      int32_t cpu, int group_fd)
{
	return -ESRCH;
}

static int no_members(struct fake *fake, const struct perf_event_attr *attr, int32_t pid,
		      int32_t cpu, int group_fd)
{
	return group_fd >= 0 ? -EINVAL : 0;
}

/* ---- tests ------------------------------------------------------------------ */

static void opens_all_events_cpus_and_threads(void **state)
{
	struct tally_event_spec specs[] = {spec(PERF_TYPE_SOFTWARE, 0, 0),
					   spec(PERF_TYPE_SOFTWARE, 2, 1)};
	struct tally_counters *counters;
	struct fake *fake = fake_new(NULL);
	struct tally_count count;
	uint64_t id;

	assert_int_equal(try_open(fake, specs, 2, "0,3", 3, NULL, &counters, NULL), 0);
	assert_int_equal(fake->nr_open, 12);
	assert_int_equal(tally_counters_nr_events(counters), 2);
	assert_int_equal(tally_counters_nr_threads(counters), 3);
	assert_int_equal(tally_counters_cpus(counters, 0)->cpu[1].number, 3);
	assert_int_equal(tally_counters_id(counters, 1, 1, 2, &id), 0);
	assert_int_equal(id, 10 * tally_counters_fd(counters, 1, 1, 2));
	assert_int_equal(tally_counters_read(counters, 1, 0, 0, &count), 0);
	assert_int_equal(count.value, tally_counters_fd(counters, 1, 0, 0));
	assert_int_equal(count.quality, TALLY_QUALITY_SCALED);
	assert_int_equal(tally_counters_fallback(counters, 0), TALLY_FALLBACK_NONE);
	assert_null(tally_counters_refusal(counters, 0));
	fake->ioctls = 0;
	assert_int_equal(tally_counters_enable(counters), 0);
	assert_int_equal(fake->ioctls, 12);
	tally_counters_close(counters);
	assert_int_equal(fake->nr_open, 0);
	tally_counters_close(NULL);
	free(fake);
}

/* Nothing stays open, no matter which open fails. */
static void a_failed_open_leaves_nothing_open(void **state)
{
	for (unsigned at = 0; at < 12; at++) {
		struct tally_event_spec specs[] = {spec(PERF_TYPE_SOFTWARE, 0, 0),
						   spec(PERF_TYPE_SOFTWARE, 2, 1)};
		struct tally_counters *counters = NULL;
		struct fake *fake = fake_new(refuse_nth);
		struct tally_refusal why = {0};

		fake->refuse_at = at;
		assert_int_equal(try_open(fake, specs, 2, "0,3", 3, NULL, &counters, &why), -EBUSY);
		assert_null(counters);
		assert_int_equal(fake->nr_open, 0);
		assert_int_equal(why.code, -EBUSY);
		assert_int_equal(why.event, at / 6);
		assert_string_not_equal(why.rule, "");
		free(fake);
	}
}

/* Group members join the leader on their own CPU and thread. */
static void members_join_the_leader_of_their_cpu_and_thread(void **state)
{
	struct tally_event_spec specs[] = {spec(PERF_TYPE_SOFTWARE, 0, 0),
					   spec(PERF_TYPE_SOFTWARE, 2, 1)};
	struct tally_open_options options = {.disabled = true};
	struct tally_counters *counters;
	struct fake *fake = fake_new(NULL);

	specs[0].in_braces = specs[1].in_braces = true;
	specs[1].leader = 0;
	assert_int_equal(try_open(fake, specs, 2, "0,1", 2, &options, &counters, NULL), 0);
	for (size_t cpu = 0; cpu < 2; cpu++) {
		for (size_t thread = 0; thread < 2; thread++) {
			int leader = tally_counters_fd(counters, 0, cpu, thread);
			int member = tally_counters_fd(counters, 1, cpu, thread) - FIRST_FD;

			assert_int_equal(fake->group[member], leader);
			assert_int_equal(fake->cpu[member], cpu);
			assert_int_equal(fake->pid[member], 1000 + (int)thread);
			assert_true(fake->attrs[leader - FIRST_FD].disabled);
			assert_false(fake->attrs[member].disabled);
		}
	}
	fake->ioctls = 0;
	assert_int_equal(tally_counters_enable(counters), 0);
	assert_int_equal(fake->ioctls, 4); /* for leaders only */
	tally_counters_close(counters);
	free(fake);
}

static void test_weak_group(void **state)
{
	struct tally_event_spec specs[] = {spec(PERF_TYPE_SOFTWARE, 0, 0),
					   spec(PERF_TYPE_SOFTWARE, 2, 1)};
	struct tally_counters *counters;
	struct fake *fake = fake_new(no_members);

	specs[0].in_braces = specs[1].in_braces = true;
	specs[1].leader = 0;
	assert_int_equal(try_open(fake, specs, 2, "0", 1, NULL, &counters, NULL), -EINVAL);
	assert_int_equal(fake->nr_open, 0);
	specs[0].weak_group = specs[1].weak_group = true;
	assert_int_equal(try_open(fake, specs, 2, "0", 1, NULL, &counters, NULL), 0);
	assert_true(tally_counters_fallback(counters, 1) & TALLY_FALLBACK_GROUP_BROKEN);
	tally_counters_close(counters);
	free(fake);
}

static void test_cpu_clock(void **state)
{
	struct tally_event_spec specs[] = {spec(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0)};
	struct tally_open_options options = {.sampling = true, .may_fall_back = true};
	struct tally_counters *counters = NULL;
	struct fake *fake = fake_new(no_pmu);
	struct tally_refusal why = {0};

	specs[0].attr.precise_ip = 3;
	assert_int_equal(try_open(fake, specs, 1, "0", 1, &options, &counters, &why), 0);
	assert_int_equal(tally_counters_attr(counters, 0)->type, PERF_TYPE_SOFTWARE);
	assert_int_equal(tally_counters_attr(counters, 0)->precise_ip, 0);
	assert_int_equal(tally_counters_fallback(counters, 0), TALLY_FALLBACK_CPU_CLOCK);
	tally_counters_close(counters);

	/* The fallback is used only for cycles, and only if requested. */
	options.may_fall_back = false;
	assert_int_equal(try_open(fake, specs, 1, "0", 1, &options, &counters, &why), -ENOENT);
	assert_non_null(strstr(why.rule, "no PMU"));
	options.may_fall_back = true;
	specs[0].attr.config = PERF_COUNT_HW_CACHE_MISSES;
	assert_int_equal(try_open(fake, specs, 1, "0", 1, &options, &counters, &why), -ENOENT);
	assert_int_equal(fake->nr_open, 0);
	free(fake);
}

static void test_user_only(void **state)
{
	struct tally_event_spec specs[] = {spec(PERF_TYPE_SOFTWARE, 0, 0)};
	struct tally_counters *counters;
	struct fake *fake = fake_new(user_only);

	assert_int_equal(try_open(fake, specs, 1, "0", 1, NULL, &counters, NULL), 0);
	assert_true(tally_counters_attr(counters, 0)->exclude_kernel);
	assert_int_equal(tally_counters_fallback(counters, 0), TALLY_FALLBACK_NO_KERNEL);
	tally_counters_close(counters);
	free(fake);
}

static void test_not_permitted(void **state)
{
	struct tally_event_spec specs[] = {spec(PERF_TYPE_SOFTWARE, 0, 0)};
	struct tally_counters *counters = NULL;
	struct fake *fake = fake_new(reject_all);
	struct tally_refusal why = {0};
	struct tally_access access;

	assert_int_equal(try_open(fake, specs, 1, "0", 1, NULL, &counters, &why), -EACCES);
	assert_int_equal(why.code, -EACCES);
	assert_int_equal(why.event, 0);
	assert_string_not_equal(why.rule, "");
	assert_string_not_equal(why.found, "");
	/* If a privileged caller is rejected, a security module appears to be the cause. */
	tally_access_read(NULL, &access);
	if (tally_access_perfmon(&access))
		assert_int_equal(why.broken, TALLY_RULE_SECURITY_MODULE);
	free(fake);
}

static void test_old_kernel(void **state)
{
	struct tally_event_spec specs[] = {spec(PERF_TYPE_SOFTWARE, 0, 0)};
	struct tally_open_options options = {.sampling = true};
	struct tally_counters *counters;
	struct fake *fake = fake_new(old_kernel);

	specs[0].attr.read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST;
	specs[0].attr.bpf_event = specs[0].attr.ksymbol = specs[0].attr.mmap2 = 1;
	assert_int_equal(try_open(fake, specs, 1, "0", 1, &options, &counters, NULL), 0);
	assert_int_equal(tally_counters_fallback(counters, 0), TALLY_FALLBACK_OLD_KERNEL);
	assert_int_equal(tally_counters_attr(counters, 0)->read_format, PERF_FORMAT_ID);
	assert_false(tally_counters_attr(counters, 0)->bpf_event);
	assert_true(tally_counters_attr(counters, 0)->mmap2); /* older than the rejected fields */
	tally_counters_close(counters);
	free(fake);
}

/* The refusal names the field without which the event can be opened. */
static void the_refusal_names_the_rejected_field(void **state)
{
	struct tally_event_spec specs[] = {spec(PERF_TYPE_SOFTWARE, 0, 0)};
	struct tally_open_options options = {.sampling = true};
	struct tally_counters *counters = NULL;
	struct fake *fake = fake_new(no_branches);
	struct tally_refusal why = {0};

	specs[0].attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK;
	specs[0].attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	assert_int_equal(try_open(fake, specs, 1, "0", 1, &options, &counters, &why), -EOPNOTSUPP);
	assert_string_equal(why.field, "branch_sample_type");
	assert_int_equal(fake->nr_open, 0);
	free(fake);
}

static void test_precise(void **state)
{
	struct tally_event_spec specs[] = {spec(PERF_TYPE_HARDWARE, 0, 0)};
	struct tally_open_options options = {.sampling = true};
	struct tally_counters *counters;
	struct fake *fake = fake_new(not_precise);

	specs[0].attr.precise_ip = 3;
	assert_int_equal(try_open(fake, specs, 1, "0", 1, &options, &counters, NULL), 0);
	assert_int_equal(tally_counters_attr(counters, 0)->precise_ip, 1);
	assert_int_equal(tally_counters_fallback(counters, 0), TALLY_FALLBACK_PRECISE);
	tally_counters_close(counters);
	free(fake);
}

static void test_too_many_files(void **state)
{
	struct tally_event_spec specs[] = {spec(PERF_TYPE_SOFTWARE, 0, 0),
					   spec(PERF_TYPE_SOFTWARE, 2, 1)};
	struct tally_counters *counters = NULL;
	struct fake *fake = fake_new(full_table);
	struct tally_refusal why = {0};

	fake->limit = 5;
	assert_int_equal(try_open(fake, specs, 2, "0-3", 1, NULL, &counters, &why), -EMFILE);
	assert_int_equal(fake->nr_open, 0);
	assert_int_equal(why.event, 1);
	assert_int_equal(why.cpu, 1);
	assert_non_null(strstr(why.rule, "too many open files"));
	assert_int_equal(why.broken, TALLY_RULE_DESCRIPTORS);
	assert_non_null(strstr(why.found, "RLIMIT_NOFILE is"));
	assert_non_null(strstr(why.fix[1], "ulimit -n"));
	free(fake);
}

/* The soft limit on descriptors is raised as needed, up to the hard limit. */
static void the_limit_of_descriptors_is_raised(void **state)
{
	struct tally_event_spec specs[] = {spec(PERF_TYPE_SOFTWARE, 0, 0)};
	struct rlimit before, limit;
	struct tally_counters *counters;
	struct fake *fake = fake_new(NULL);

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	if (before.rlim_max < 600) {
		print_message(
			"# skipped: the hard limit of descriptors is too low to raise towards\n");
		free(fake);
		skip();
	}
	limit = before;
	limit.rlim_cur = 64;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(try_open(fake, specs, 1, "0-7", 50, NULL, &counters, NULL), 0);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_true(limit.rlim_cur >= 400 && limit.rlim_cur <= before.rlim_max);
	assert_int_equal(limit.rlim_max, before.rlim_max);
	tally_counters_close(counters);
	assert_int_equal(fake->nr_open, 0);
	setrlimit(RLIMIT_NOFILE, &before);
	free(fake);
}

static void test_threads_gone(void **state)
{
	struct tally_event_spec specs[] = {spec(PERF_TYPE_SOFTWARE, 0, 0)};
	struct tally_counters *counters = NULL;
	struct fake *fake = fake_new(thread_exited);
	struct tally_refusal why = {0};
	struct tally_count count;

	assert_int_equal(try_open(fake, specs, 1, "0-1", 3, NULL, &counters, NULL), 0);
	assert_int_equal(fake->nr_open, 4);
	assert_int_equal(tally_counters_fd(counters, 0, 0, 1), -1);
	assert_int_equal(tally_counters_read(counters, 0, 0, 1, &count), 0);
	assert_int_equal(count.value, 0);
	assert_int_equal(count.quality, TALLY_QUALITY_NEVER_RAN);
	tally_counters_close(counters);
	counters = NULL;
	fake->rule = all_threads_exited;
	assert_int_equal(try_open(fake, specs, 1, "0-1", 3, NULL, &counters, &why), -ESRCH);
	assert_null(counters);
	free(fake);
}

static void test_threads_replaced(void **state)
{
	struct tally_event_spec specs[] = {spec(PERF_TYPE_SOFTWARE, 0, 0),
					   spec(PERF_TYPE_SOFTWARE, 2, 0)};
	struct tally_counters *counters = NULL;
	struct fake *fake = fake_new(thread_replaced);
	struct tally_refusal why = {0};

	specs[0].in_braces = specs[1].in_braces = true;
	assert_int_equal(try_open(fake, specs, 2, "0-1", 3, NULL, &counters, NULL), 0);
	assert_int_equal(fake->nr_open, 10);
	assert_int_equal(tally_counters_fd(counters, 1, 0, 1), -1);
	assert_true(tally_counters_fd(counters, 1, 0, 2) >= 0);
	tally_counters_close(counters);
	counters = NULL;
	assert_int_equal(fake->nr_open, 0);
	fake->rule = one_without_groups;
	assert_int_equal(try_open(fake, specs, 2, "0-1", 3, NULL, &counters, &why), -EINVAL);
	assert_null(counters);
	assert_int_equal(fake->nr_open, 0);
	free(fake);
}

/* Unsupported events are skipped, and a reason is given. */
static void unsupported_events_are_skipped(void **state)
{
	struct tally_event_spec specs[] = {spec(PERF_TYPE_HARDWARE, 1, 0),
					   spec(PERF_TYPE_SOFTWARE, 2, 1)};
	struct tally_open_options options = {.skip_unsupported = true};
	struct tally_counters *counters;
	struct fake *fake = fake_new(no_pmu);
	struct tally_count count;

	assert_int_equal(try_open(fake, specs, 2, "0", 1, &options, &counters, NULL), 0);
	assert_int_equal(fake->nr_open, 1);
	assert_int_equal(tally_counters_refusal(counters, 0)->code, -ENOENT);
	assert_null(tally_counters_refusal(counters, 1));
	assert_int_equal(tally_counters_read(counters, 0, 0, 0, &count), 0);
	assert_int_equal(count.quality, TALLY_QUALITY_NOT_SUPPORTED);
	tally_counters_close(counters);
	free(fake);
}

/* Uncore PMU events are opened on the PMU's CPUs, for all threads. */
static void uncore_events_open_on_their_own_cpus(void **state)
{
	static const uint32_t own[] = {0, 2};
	struct tally_event_spec specs[] = {spec(20, 1, 0)};
	struct tally_counters *counters;
	struct fake *fake = fake_new(NULL);

	specs[0].uncore = true;
	specs[0].cpus = own;
	specs[0].nr_cpus = 2;
	assert_int_equal(try_open(fake, specs, 1, "0-2", 3, NULL, &counters, NULL), 0);
	assert_int_equal(fake->nr_open, 2);
	assert_int_equal(tally_counters_cpus(counters, 0)->nr, 2);
	assert_int_equal(fake->pid[tally_counters_fd(counters, 0, 1, 0) - FIRST_FD], -1);
	assert_int_equal(fake->cpu[tally_counters_fd(counters, 0, 1, 0) - FIRST_FD], 2);
	tally_counters_close(counters);
	free(fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(opens_all_events_cpus_and_threads),
		cmocka_unit_test(a_failed_open_leaves_nothing_open),
		cmocka_unit_test(members_join_the_leader_of_their_cpu_and_thread),
		cmocka_unit_test(test_weak_group),
		cmocka_unit_test(test_cpu_clock),
		cmocka_unit_test(test_user_only),
		cmocka_unit_test(test_not_permitted),
		cmocka_unit_test(test_old_kernel),
		cmocka_unit_test(the_refusal_names_the_rejected_field),
		cmocka_unit_test(test_precise),
		cmocka_unit_test(test_too_many_files),
		cmocka_unit_test(the_limit_of_descriptors_is_raised),
		cmocka_unit_test(test_threads_gone),
		cmocka_unit_test(test_threads_replaced),
		cmocka_unit_test(unsupported_events_are_skipped),
		cmocka_unit_test(uncore_events_open_on_their_own_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
