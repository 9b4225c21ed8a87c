/* SPDX-License-Identifier: BSD-2-Clause */
/* Set up sampling, from options to open counters, using a transport that records attrs and fails on
 * request. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "sampler/sampler.h"

enum { FIRST_FD = 1000, MOST = 4096 };

struct fake {
	struct tally_transport transport;
	struct perf_event_attr attrs[MOST]; /* attrs of the events that were opened */
	int nr_open, nr_mapped;
	int (*refuse)(const struct perf_event_attr *attr);
	size_t map_limit; /* maximum size of a mapping in bytes, or 0 for any size */
};

/* Number of messages by kind, and the last error. */
struct messages_by_kind {
	int nr[TALLY_MESSAGE_HINT + 1];
	char last_error[256];
};

static int fake_open(const struct tally_transport *transport, struct perf_event_attr *attr,
		     int32_t pid, int32_t cpu, int group_fd, unsigned long flags)
{
	struct fake *fake = transport->private_data;
	int ret = fake->refuse ? fake->refuse(attr) : 0;

	if (ret)
		return ret;
	assert_true(fake->nr_open < MOST);
	fake->attrs[fake->nr_open] = *attr;
	return FIRST_FD + fake->nr_open++;
}

static int fake_close(const struct tally_transport *transport, int fd)
{
	return 0;
}

static int fake_ioctl(const struct tally_transport *transport, int fd, unsigned long request,
		      uintptr_t arg)
{
	if (request == PERF_EVENT_IOC_ID)
		*(uint64_t *)arg = (uint64_t)fd;
	return 0;
}

static int64_t fake_read(const struct tally_transport *transport, int fd, void *buf, size_t len)
{
	memset(buf, 0, len);
	return (int64_t)len;
}

static int fake_mmap(const struct tally_transport *transport, int fd, size_t len, bool writable,
		     void **ret_memory)
{
	struct fake *fake = transport->private_data;

	if (fake->map_limit && len > fake->map_limit)
		return -EPERM;
	*ret_memory = calloc(1, len);
	fake->nr_mapped++;
	return *ret_memory ? 0 : -ENOMEM;
}

static int fake_munmap(const struct tally_transport *transport, void *memory, size_t len)
{
	((struct fake *)transport->private_data)->nr_mapped--;
	free(memory);
	return 0;
}

static void fake_init(struct fake *fake)
{
	*fake = (struct fake){.transport = {.open = fake_open,
					    .close = fake_close,
					    .ioctl = fake_ioctl,
					    .read = fake_read,
					    .mmap = fake_mmap,
					    .munmap = fake_munmap}};
	fake->transport.private_data = fake;
}

static void store_message(void *data, enum tally_message_kind kind, const char *text)
{
	struct messages_by_kind *told = data;

	told->nr[kind]++;
	if (kind == TALLY_MESSAGE_ERROR)
		snprintf(told->last_error, sizeof(told->last_error), "%s", text);
}

static int run(struct tally_sampler *sampler, const char *events)
{
	int ret = events ? tally_sampler_add(sampler, events, NULL) : 0;

	if (!ret)
		ret = tally_sampler_prepare(sampler);
	if (!ret)
		ret = tally_sampler_resolve(sampler, getpid());
	return ret ? ret : tally_sampler_open(sampler);
}

static void enables_events_of_a_command_at_exec(void **state)
{
	static struct fake fake;
	struct messages_by_kind told = {0};
	const struct tally_messages messages = {store_message, &told};
	const struct tally_sampling sampling = {.transport = &fake.transport,
						.messages = &messages};
	struct tally_sampler sampler = {.sampling = &sampling};
	const struct perf_event_attr *attr = &fake.attrs[0];

	fake_init(&fake);
	assert_int_equal(run(&sampler, NULL), 0);
	assert_int_equal(sampler.specs.len, 1);
	assert_int_equal(sampler.tracking, 0);
	assert_true(attr->disabled && attr->enable_on_exec && attr->inherit && attr->freq);
	assert_int_equal(attr->sample_freq, sampler.freq);
	assert_true(attr->mmap2 && attr->comm && attr->task && attr->comm_exec);
	assert_int_equal(attr->sample_type,
			 PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD);
	assert_int_equal(told.nr[TALLY_MESSAGE_ERROR], 0);
	assert_true(fake.nr_mapped > 0);
	tally_sampler_close(&sampler);
	assert_int_equal(fake.nr_mapped, 0);
}

static void opens_a_dummy_tracking_event_on_cpus(void **state)
{
	static struct fake fake;
	const struct tally_sampling sampling = {.transport = &fake.transport,
						.target.all_cpus = true};
	struct tally_sampler sampler = {.sampling = &sampling};

	fake_init(&fake);
	assert_int_equal(run(&sampler, "cycles,instructions"), 0);
	assert_int_equal(sampler.specs.len, 3);
	assert_int_equal(sampler.tracking, 2);
	assert_int_equal(sampler.specs.data[2].attr.config, PERF_COUNT_SW_DUMMY);
	assert_true(sampler.specs.data[2].attr.mmap2);
	assert_false(sampler.specs.data[0].attr.mmap2);
	/* With several events, records contain, at a fixed offset, an ID that identifies the
	 * event. */
	for (size_t i = 0; i < 3; i++)
		assert_true(sampler.specs.data[i].attr.sample_type & PERF_SAMPLE_IDENTIFIER);
	assert_false(sampler.specs.data[2].attr.disabled);
	tally_sampler_close(&sampler);
}

static int no_kernel(const struct perf_event_attr *attr)
{
	return attr->exclude_kernel ? 0 : -EACCES;
}

static void falls_back_and_warns(void **state)
{
	static struct fake fake;
	struct messages_by_kind told = {0};
	const struct tally_messages messages = {store_message, &told};
	struct tally_sampling sampling = {.transport = &fake.transport, .messages = &messages};
	struct tally_sampler sampler = {.sampling = &sampling};
	struct tally_str name = {0};

	fake_init(&fake);
	fake.refuse = no_kernel;
	assert_int_equal(run(&sampler, "cycles"), 0);
	assert_true(sampler.fallbacks & TALLY_FALLBACK_NO_KERNEL);
	assert_true(sampler.specs.data[0].attr.exclude_kernel);
	assert_int_equal(told.nr[TALLY_MESSAGE_WARNING], 1);
	tally_sampler_event_name(&sampler, 0, &name);
	assert_string_equal(tally_str_text(&name), "cycles:u");
	tally_str_free(&name);
	tally_sampler_close(&sampler);
}

static void rejects_repeated_resolve_and_open(void **state)
{
	static struct fake fake;
	const struct tally_sampling sampling = {.transport = &fake.transport};
	struct tally_sampler sampler = {.sampling = &sampling};
	struct tally_str name = {0};

	fake_init(&fake);
	assert_int_equal(tally_sampler_add(&sampler, "cycles", NULL), 0);
	tally_sampler_event_name(&sampler, 0, &name);
	assert_string_equal(tally_str_text(&name), "cycles");
	tally_str_free(&name);
	assert_int_equal(run(&sampler, NULL), 0);
	assert_int_equal(tally_sampler_resolve(&sampler, getpid()), -EBUSY);
	assert_int_equal(tally_sampler_open(&sampler), -EBUSY);
	tally_sampler_close(&sampler);
	/* A closed sampler can be used again. */
	tally_sampler_close(&sampler);
	assert_int_equal(run(&sampler, "page-faults"), 0);
	assert_int_equal(sampler.specs.len, 1);
	tally_sampler_close(&sampler);
	assert_int_equal(fake.nr_mapped, 0);
}

static int less_precise(const struct perf_event_attr *attr)
{
	return attr->precise_ip > 1 ? -EOPNOTSUPP : 0;
}

static void lower_precision_is_a_fallback_only_on_explicit_request(void **state)
{
	static struct fake fake;
	const struct tally_sampling sampling = {.transport = &fake.transport};
	struct tally_sampler sampler = {.sampling = &sampling};

	fake_init(&fake);
	fake.refuse = less_precise;
	assert_int_equal(run(&sampler, "cycles:P"), 0);
	assert_int_equal(sampler.fallbacks & TALLY_FALLBACK_PRECISE, 0);
	tally_sampler_close(&sampler);
	assert_int_equal(run(&sampler, "cycles:pp"), 0);
	assert_true(sampler.fallbacks & TALLY_FALLBACK_PRECISE);
	assert_int_equal(sampler.specs.data[0].attr.precise_ip, 1);
	tally_sampler_close(&sampler);
}

static int refuse_all(const struct perf_event_attr *attr)
{
	return -ENOSYS;
}

static void reports_and_stores_errors(void **state)
{
	static struct fake fake;
	struct messages_by_kind told = {0};
	const struct tally_messages messages = {store_message, &told};
	const struct tally_sampling sampling = {.transport = &fake.transport,
						.messages = &messages};
	struct tally_sampler sampler = {.sampling = &sampling};

	fake_init(&fake);
	fake.refuse = refuse_all;
	assert_int_equal(run(&sampler, "cpu-clock"), -ENOSYS);
	assert_int_equal(sampler.why.code, -ENOSYS);
	assert_int_equal(told.nr[TALLY_MESSAGE_ERROR], 1);
	assert_non_null(strstr(told.last_error, "cannot open cpu-clock"));
	tally_sampler_close(&sampler);
}

static void ring_buffers_have_the_largest_permitted_size(void **state)
{
	static struct fake fake;
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const struct tally_sampling sampling = {.transport = &fake.transport};
	struct tally_sampler sampler = {.sampling = &sampling};

	fake_init(&fake);
	fake.map_limit = 17 * page;
	assert_int_equal(run(&sampler, NULL), 0);
	assert_int_equal(sampler.pages, 16);
	assert_int_not_equal(sampler.why.code, 0);
	tally_sampler_close(&sampler);

	/* An explicit size that cannot be used is an error. */
	const struct tally_sampling asked = {.transport = &fake.transport, .ring_pages = 32};

	sampler = (struct tally_sampler){.sampling = &asked};
	assert_int_equal(run(&sampler, NULL), -EPERM);
	assert_int_equal(sampler.why.code, -EPERM);
	tally_sampler_close(&sampler);
	assert_int_equal(fake.nr_mapped, 0);
}

static void reports_invalid_options(void **state)
{
	static const struct {
		const char *events, *filter;
	} wrong[] = {
		{"no-such-event", NULL}, {"duration_time", NULL}, {"cpu-clock", "prev_pid == 1"}};
	struct messages_by_kind told = {0};
	const struct tally_messages messages = {store_message, &told};
	const struct tally_sampling sampling = {.messages = &messages};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct tally_sampler sampler = {.sampling = &sampling};

		assert_true(tally_sampler_add(&sampler, wrong[i].events, wrong[i].filter) < 0);
		assert_int_equal(told.nr[TALLY_MESSAGE_ERROR], (int)i + 1);
		tally_sampler_close(&sampler);
	}
}

static void parses_option_arguments(void **state)
{
	struct tally_sampling sampling = {0};

	assert_int_equal(tally_sampling_parse_chain(&sampling, "dwarf,100"), 0);
	assert_int_equal(sampling.stack_size, 104);
	assert_int_equal(tally_sampling_parse_chain(&sampling, "dwarf,70000"), -EINVAL);
	assert_int_equal(tally_sampling_parse_chain(&sampling, NULL), 0);
	assert_int_equal(sampling.chain, TALLY_CALLCHAIN_DWARF);
	assert_int_equal(tally_sampling_parse_chain(&sampling, "no"), 0);
	assert_int_equal(tally_sampling_parse_chain(&sampling, NULL), 0);
	assert_int_equal(sampling.chain, TALLY_CALLCHAIN_FP);
	assert_int_equal(tally_sampling_parse_branches(&sampling, "u"), 0);
	assert_int_equal(sampling.branch_type, PERF_SAMPLE_BRANCH_USER);
	assert_int_equal(tally_sampling_parse_branches(&sampling, NULL), 0);
	assert_int_equal(sampling.branch_type, PERF_SAMPLE_BRANCH_USER);
	assert_int_equal(tally_sampling_parse_branches(&sampling, "sideways"), -EINVAL);
	assert_int_equal(tally_sampling_parse_clock(&sampling, "CLOCK_BOOTTIME"), 0);
	assert_int_equal(sampling.clockid, CLOCK_BOOTTIME);
	assert_int_equal(tally_sampling_parse_clock(&sampling, "sundial"), -EINVAL);
	assert_int_equal(tally_sampling_parse_synth(&sampling, "task,mmap"), 0);
	assert_int_equal(sampling.synth, TALLY_SYNTH_TASK | TALLY_SYNTH_MMAP);
	assert_int_equal(tally_sampling_parse_synth(&sampling, "task,"), -EINVAL);
	assert_int_equal(tally_sampling_parse_registers(&sampling, "", &sampling.regs_intr), 0);
	assert_int_equal(sampling.regs_intr, tally_sampling_all_registers());
	assert_int_equal(tally_sampling_parse_registers(&sampling, "?", &sampling.regs_intr),
			 -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(enables_events_of_a_command_at_exec),
		cmocka_unit_test(opens_a_dummy_tracking_event_on_cpus),
		cmocka_unit_test(falls_back_and_warns),
		cmocka_unit_test(rejects_repeated_resolve_and_open),
		cmocka_unit_test(lower_precision_is_a_fallback_only_on_explicit_request),
		cmocka_unit_test(reports_and_stores_errors),
		cmocka_unit_test(ring_buffers_have_the_largest_permitted_size),
		cmocka_unit_test(reports_invalid_options),
		cmocka_unit_test(parses_option_arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
