/* SPDX-License-Identifier: BSD-2-Clause */
/* The simulated machine, and the expected counts of its events. */
#include "core/random_sim.h"

#include <stdarg.h>
#include <string.h>

#include "test.h"

/* ---- the log ---------------------------------------------------------------------------- */

void random_sim_log(struct random_sim *random_sim, const char *format, ...)
{
	char *line = random_sim->log[random_sim->ops %
				     (sizeof(random_sim->log) / sizeof(random_sim->log[0]))];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(random_sim->log[0]), format, args);
	va_end(args);
}

void random_sim_fail(struct random_sim *random_sim, const char *format, ...)
{
	size_t nr = sizeof(random_sim->log) / sizeof(random_sim->log[0]);
	va_list args;

	for (size_t i = 1; i <= nr; i++) {
		const char *line = random_sim->log[(random_sim->ops + i) % nr];

		if (*line)
			printf("# %s\n", line);
	}
	va_start(args, format);
	printf("# after %llu operations: ", (unsigned long long)random_sim->ops);
	vprintf(format, args);
	printf("\n");
	va_end(args);
	fail();
	abort();
}

/* ---- expected counts -------------------------------------------------------------------- */

static uint32_t modes_of(const struct perf_event_attr *attr)
{
	uint32_t user = 1 << SIM_USER, kernel = 1 << SIM_KERNEL | 1 << SIM_IDLE;

	return (attr->exclude_user ? 0 : user) | (attr->exclude_kernel ? 0 : kernel);
}

static uint64_t truth(struct random_sim *random_sim, const struct random_sim_event *event,
		      uint32_t cpus, uint32_t modes, unsigned signal)
{
	struct tally_sim_filter filter = {event->task, event->attr.inherit, cpus, modes};

	return tally_sim_truth(random_sim->sim, filter, signal);
}

/* Return the current true counts of an event. Clock events count in all modes. */
static struct expectation truth_now(struct random_sim *random_sim,
				    const struct random_sim_event *event)
{
	bool clock = event->attr.type == PERF_TYPE_SOFTWARE;
	uint32_t cpus = event->cpu < 0 ? 0 : 1U << event->cpu;
	unsigned signal = clock ? SIM_NS : (unsigned)event->attr.config;

	return (struct expectation){
		truth(random_sim, event, cpus, clock ? 0 : modes_of(&event->attr), signal),
		truth(random_sim, event, event->task ? 0 : cpus, 0, SIM_NS),
		truth(random_sim, event, cpus, 0, SIM_NS),
	};
}

bool random_sim_counts(const struct random_sim *random_sim, const struct random_sim_event *event)
{
	return event->on && random_sim->events[event->leader].on;
}

void random_sim_window_open(struct random_sim *random_sim, struct random_sim_event *event)
{
	event->base = truth_now(random_sim, event);
}

void random_sim_window_close(struct random_sim *random_sim, struct random_sim_event *event)
{
	struct expectation now = truth_now(random_sim, event);

	event->sum.value += now.value - event->base.value;
	event->sum.enabled += now.enabled - event->base.enabled;
	event->sum.running += now.running - event->base.running;
}

/* Change the state of an event, and open or close the windows of all events that start or stop
 * counting as a result. */
void random_sim_set_on(struct random_sim *random_sim, struct random_sim_event *event, bool on)
{
	bool before[RANDOM_SIM_EVENTS];

	for (int i = 0; i < RANDOM_SIM_EVENTS; i++)
		before[i] = random_sim_counts(random_sim, &random_sim->events[i]);
	event->on = on;
	for (int i = 0; i < RANDOM_SIM_EVENTS; i++) {
		struct random_sim_event *other = &random_sim->events[i];
		bool now = random_sim_counts(random_sim, other);

		if (other->fd < 0 || now == before[i])
			continue;
		if (now)
			random_sim_window_open(random_sim, other);
		else
			random_sim_window_close(random_sim, other);
	}
}

struct expectation random_sim_expected(struct random_sim *random_sim,
				       const struct random_sim_event *event)
{
	struct expectation sum = event->sum, now = truth_now(random_sim, event);

	if (random_sim_counts(random_sim, event)) {
		sum.value += now.value - event->base.value;
		sum.enabled += now.enabled - event->base.enabled;
		sum.running += now.running - event->base.running;
	}
	return sum;
}

void random_sim_forget_group(struct random_sim *random_sim, const struct random_sim_event *leader)
{
	for (int i = 0; i < RANDOM_SIM_EVENTS; i++) {
		if (random_sim->events[i].leader == (int)(leader - random_sim->events))
			random_sim->events[i].known = false;
	}
}

/* A pinned event in the error state has not been counting the whole time, and neither has its
 * group. */
void random_sim_note_error(struct random_sim *random_sim, const struct random_sim_event *event)
{
	if (event->fd >= 0 && event->attr.pinned &&
	    tally_sim_poll(random_sim->sim, random_sim->monitor, event->fd) & TALLY_CORE_POLLERR)
		random_sim_forget_group(random_sim, event);
}

void random_sim_read(struct random_sim *random_sim, struct random_sim_event *event)
{
	uint64_t words[3];
	int64_t ret = tally_sim_read(random_sim->sim, random_sim->monitor, event->fd, words,
				     sizeof(words));
	struct expectation want = random_sim_expected(random_sim, event);
	bool complete;

	random_sim_note_error(random_sim, &random_sim->events[event->leader]);
	if (ret == 0) { /* pinned and in the error state: does not count until enabled again */
		event->known = false;
		return;
	}
	if (ret != sizeof(words))
		random_sim_fail(random_sim, "read of %d gave %lld", event->fd, (long long)ret);
	if (words[0] < event->last_value || words[1] < event->last_enabled ||
	    words[2] < event->last_running)
		random_sim_fail(random_sim, "%d went back: %llu after %llu", event->fd,
				(unsigned long long)words[0],
				(unsigned long long)event->last_value);
	if (words[2] > words[1])
		random_sim_fail(random_sim, "%d ran longer than it was enabled", event->fd);
	event->last_value = words[0];
	event->last_enabled = words[1];
	event->last_running = words[2];
	/* A pinned group may have been in the error state, in which it does not count, until its
	 * task exited. */
	if (!event->known ||
	    (random_sim->events[event->leader].attr.pinned && words[1] < want.enabled))
		return;
	complete = words[2] == want.running && !(random_sim->throttles && event->stands);
	if (words[1] != want.enabled || words[2] > want.running || words[0] > want.value ||
	    (complete && words[0] != want.value))
		random_sim_fail(random_sim,
				"%d: %llu enabled %llu running %llu; the truth is %llu, %llu, %llu",
				event->fd, (unsigned long long)words[0],
				(unsigned long long)words[1], (unsigned long long)words[2],
				(unsigned long long)want.value, (unsigned long long)want.enabled,
				(unsigned long long)want.running);
	random_sim->checks += complete;
}

/* ---- the simulated machine -------------------------------------------------------------- */

static void choose_pmus(struct random_sim *random_sim)
{
	uint64_t bits = random_u64(&random_sim->random);
	struct tally_sim_pmu *core = &random_sim->pmus[0];

	*core = (struct tally_sim_pmu){.name = "core", .type = 10, .core = true};
	core->nr_generic = (uint8_t)(1 + (bits & 3));
	core->nr_fixed = bits >> 2 & 1;
	core->fixed[0] = SIM_CYCLES;
	core->width = (uint8_t)(24 + (bits >> 3 & 3) * 13);
	core->maskable = bits >> 5 & 1;
	core->immediate = bits >> 6 & 1;
	core->no_pause = bits >> 7 & 1;
	core->skid_ns = bits >> 8 & 1 ? 40 : 0;
	if (bits >> 9 & 1)
		core->constraint[SIM_BRANCHES] = 1;
	random_sim->pmus[1] = (struct tally_sim_pmu){.name = "other",
						     .type = 11,
						     .nr_generic = 2,
						     .width = 48,
						     .caps = TALLY_PMU_NO_INTERRUPT};
	random_sim->nr_pmus = 1 + (bits >> 10 & 1);
}

void random_sim_start(struct random_sim *random_sim, struct random random)
{
	struct tally_core_settings settings;
	struct tally_sim_spawn spawn = {.caps = ~UINT64_C(0), .memlock = UINT64_MAX};

	*random_sim = (struct random_sim){.random = random};
	choose_pmus(random_sim);
	random_sim->nr_cpus = 1 + (uint32_t)random_below(&random_sim->random, 4);
	tally_core_settings_init(&settings);
	settings.paranoid = -1;
	settings.record_max = 4096;
	random_sim->throttles = random_below(&random_sim->random, 2);
	if (!random_sim->throttles)
		settings.max_sample_rate = UINT32_MAX;
	settings.scattered = random_below(&random_sim->random, 2);
	assert_int_equal(tally_sim_create(&(struct tally_sim_config){.nr_cpus = random_sim->nr_cpus,
								     .pmus = random_sim->pmus,
								     .nr_pmus = random_sim->nr_pmus,
								     .settings = &settings,
								     .quantum_ns = 50000},
					  &random_sim->sim),
			 0);
	random_sim->monitor = tally_sim_task_new(random_sim->sim, &spawn);
	for (int i = 0; i < RANDOM_SIM_EVENTS; i++)
		random_sim->events[i] = (struct random_sim_event){.fd = -1, .leader = i};
}

void random_sim_end(struct random_sim *random_sim)
{
	size_t left;

	for (int i = 0; i < RANDOM_SIM_EVENTS; i++) {
		if (random_sim->events[i].fd >= 0)
			random_sim_read(random_sim, &random_sim->events[i]);
	}
	left = tally_sim_destroy(random_sim->sim);
	if (left)
		random_sim_fail(random_sim, "%zu bytes are left", left);
}
