/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/selftest/selftest_counters.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sampler/sampler_refuse.h"

enum selftest_result selftest_refused(struct selftest *test, int code,
				      const struct tally_refusal *why)
{
	if (!why->code || why->broken == TALLY_RULE_BAD_ATTR || why->broken == TALLY_RULE_NONE)
		return selftest_fail(test, "cannot open the event: %s%s%s", strerror(-code),
				     why->field[0] ? ", attr field " : "", why->field);
	if (why->broken == TALLY_RULE_OTHER)
		return selftest_skip(test, "%s", strerror(-code));
	return selftest_skip(test, "%s", why->rule);
}

/* A name that this machine does not have, or tracepoints that cannot be read, are not a failure. */
static enum selftest_result not_parsed(struct selftest *test, int code,
				       const struct tally_event_error *err)
{
	if (code == -ENOENT || code == -EACCES)
		return selftest_skip(test, "%s", err->text ? err->text : strerror(-code));
	return selftest_fail(test, "cannot parse the event: %s",
			     err->text ? err->text : strerror(-code));
}

enum selftest_result selftest_counters_open(struct selftest *test, const char *text,
					    const struct tally_transport *transport,
					    const struct tally_target *target,
					    const struct tally_open_options *options,
					    struct selftest_counters *counters)
{
	struct tally_event_error err = {0};
	struct tally_refusal why = {0};
	int ret;

	if (!transport && tally_refuse_killed(NULL))
		return selftest_skip(test, "a seccomp filter kills callers of perf_event_open");
	ret = tally_events_new(NULL, NULL, &counters->events);
	if (!ret)
		ret = tally_events_parse(counters->events, text, strlen(text), &counters->list,
					 &err);
	if (ret)
		return not_parsed(test, ret, &err);
	ret = tally_target_resolve(target, &counters->cpus, &counters->threads, NULL);
	if (ret)
		return selftest_fail(test, "cannot find the target: %s", strerror(-ret));
	ret = tally_counters_open(transport ? transport : tally_transport_linux(), counters->list,
				  counters->cpus, counters->threads, options, &counters->counters,
				  &why);
	return ret ? selftest_refused(test, ret, &why) : SELFTEST_OK;
}

enum selftest_result selftest_counters_read(struct selftest *test,
					    const struct selftest_counters *counters, size_t event,
					    uint64_t *ret_value)
{
	const struct tally_cpus *cpus = tally_counters_cpus(counters->counters, event);
	uint64_t sum = 0;

	for (size_t cpu = 0; cpu < cpus->nr; cpu++) {
		struct tally_count count = {0};
		int ret = tally_counters_read(counters->counters, event, cpu, 0, &count);

		if (ret)
			return selftest_fail(test, "cannot read the count: %s", strerror(-ret));
		if (count.quality == TALLY_QUALITY_NOT_SUPPORTED ||
		    count.quality == TALLY_QUALITY_NOT_PERMITTED || count.running > count.enabled)
			return selftest_fail(test, "the count is %s",
					     tally_quality_name(count.quality));
		sum += count.value;
	}
	*ret_value = sum;
	return SELFTEST_OK;
}

void selftest_counters_close(struct selftest_counters *counters)
{
	tally_counters_close(counters->counters);
	free(counters->threads);
	free(counters->cpus);
	tally_event_list_free(counters->list);
	tally_events_free(counters->events);
	*counters = (struct selftest_counters){0};
}
