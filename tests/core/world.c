/* SPDX-License-Identifier: BSD-2-Clause */
/* The world, and what should be counted in it. */
#include "core/world.h"

#include <stdarg.h>
#include <string.h>

#include "test.h"

/* ---- the log ---------------------------------------------------------------------------- */

void world_log(struct world *world, const char *format, ...)
{
	char *line = world->log[world->ops % (sizeof(world->log) / sizeof(world->log[0]))];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(world->log[0]), format, args);
	va_end(args);
}

void world_fail(struct world *world, const char *format, ...)
{
	size_t nr = sizeof(world->log) / sizeof(world->log[0]);
	va_list args;

	for (size_t i = 1; i <= nr; i++) {
		const char *line = world->log[(world->ops + i) % nr];

		if (*line)
			printf("# %s\n", line);
	}
	va_start(args, format);
	printf("# after %llu operations: ", (unsigned long long)world->ops);
	vprintf(format, args);
	printf("\n");
	va_end(args);
	fail();
	abort();
}

/* ---- what should be counted ------------------------------------------------------------- */

static uint32_t modes_of(const struct perf_event_attr *attr)
{
	uint32_t user = 1 << SIM_USER, kernel = 1 << SIM_KERNEL | 1 << SIM_IDLE;

	return (attr->exclude_user ? 0 : user) | (attr->exclude_kernel ? 0 : kernel);
}

static uint64_t truth(struct world *world, const struct world_event *event, uint32_t cpus,
		      uint32_t modes, unsigned signal)
{
	struct tally_sim_filter filter = {event->task, event->attr.inherit, cpus, modes};

	return tally_sim_truth(world->sim, filter, signal);
}

/* Of the machine as it is now. Clocks count whatever the mode. */
static struct expectation truth_now(struct world *world, const struct world_event *event)
{
	bool clock = event->attr.type == PERF_TYPE_SOFTWARE;
	uint32_t cpus = event->cpu < 0 ? 0 : 1U << event->cpu;
	unsigned signal = clock ? SIM_NS : (unsigned)event->attr.config;

	return (struct expectation){
		truth(world, event, cpus, clock ? 0 : modes_of(&event->attr), signal),
		truth(world, event, event->task ? 0 : cpus, 0, SIM_NS),
		truth(world, event, cpus, 0, SIM_NS),
	};
}

bool world_counts(const struct world *world, const struct world_event *event)
{
	return event->on && world->events[event->leader].on;
}

void world_window_open(struct world *world, struct world_event *event)
{
	event->base = truth_now(world, event);
}

void world_window_close(struct world *world, struct world_event *event)
{
	struct expectation now = truth_now(world, event);

	event->sum.value += now.value - event->base.value;
	event->sum.enabled += now.enabled - event->base.enabled;
	event->sum.running += now.running - event->base.running;
}

/* Everybody whose counting changes with this event's state. */
void world_set_on(struct world *world, struct world_event *event, bool on)
{
	bool before[WORLD_EVENTS];

	for (int i = 0; i < WORLD_EVENTS; i++)
		before[i] = world_counts(world, &world->events[i]);
	event->on = on;
	for (int i = 0; i < WORLD_EVENTS; i++) {
		struct world_event *other = &world->events[i];
		bool now = world_counts(world, other);

		if (other->fd < 0 || now == before[i])
			continue;
		if (now)
			world_window_open(world, other);
		else
			world_window_close(world, other);
	}
}

struct expectation world_expected(struct world *world, const struct world_event *event)
{
	struct expectation sum = event->sum, now = truth_now(world, event);

	if (world_counts(world, event)) {
		sum.value += now.value - event->base.value;
		sum.enabled += now.enabled - event->base.enabled;
		sum.running += now.running - event->base.running;
	}
	return sum;
}

void world_forget_group(struct world *world, const struct world_event *leader)
{
	for (int i = 0; i < WORLD_EVENTS; i++) {
		if (world->events[i].leader == (int)(leader - world->events))
			world->events[i].known = false;
	}
}

/* A pinned event that found no room stood still until now, and so did its group. */
void world_note_error(struct world *world, const struct world_event *event)
{
	if (event->fd >= 0 && event->attr.pinned &&
	    tally_sim_poll(world->sim, world->monitor, event->fd) & TALLY_CORE_POLLERR)
		world_forget_group(world, event);
}

void world_read(struct world *world, struct world_event *event)
{
	uint64_t words[3];
	int64_t ret = tally_sim_read(world->sim, world->monitor, event->fd, words, sizeof(words));
	struct expectation want = world_expected(world, event);
	bool complete;

	world_note_error(world, &world->events[event->leader]);
	if (ret == 0) { /* pinned, and no room: it counts no more until it is enabled */
		event->known = false;
		return;
	}
	if (ret != sizeof(words))
		world_fail(world, "read of %d gave %lld", event->fd, (long long)ret);
	if (words[0] < event->last_value || words[1] < event->last_enabled ||
	    words[2] < event->last_running)
		world_fail(world, "%d went back: %llu after %llu", event->fd,
			   (unsigned long long)words[0], (unsigned long long)event->last_value);
	if (words[2] > words[1])
		world_fail(world, "%d ran longer than it was enabled", event->fd);
	event->last_value = words[0];
	event->last_enabled = words[1];
	event->last_running = words[2];
	/* What is pinned may have stood still, in error, until its task ended. */
	if (!event->known || (world->events[event->leader].attr.pinned && words[1] < want.enabled))
		return;
	complete = words[2] == want.running && !(world->throttles && event->attr.sample_period);
	if (words[1] != want.enabled || words[2] > want.running || words[0] > want.value ||
	    (complete && words[0] != want.value))
		world_fail(world,
			   "%d: %llu enabled %llu running %llu; the truth is %llu, %llu, %llu",
			   event->fd, (unsigned long long)words[0], (unsigned long long)words[1],
			   (unsigned long long)words[2], (unsigned long long)want.value,
			   (unsigned long long)want.enabled, (unsigned long long)want.running);
	world->checks += complete;
}

/* ---- the world -------------------------------------------------------------------------- */

static void choose_pmus(struct world *world)
{
	uint64_t bits = random_u64(&world->random);
	struct tally_sim_pmu *core = &world->pmus[0];

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
	world->pmus[1] = (struct tally_sim_pmu){.name = "other",
						.type = 11,
						.nr_generic = 2,
						.width = 48,
						.caps = TALLY_PMU_NO_INTERRUPT};
	world->nr_pmus = 1 + (bits >> 10 & 1);
}

void world_start(struct world *world, struct random random)
{
	struct tally_core_settings settings;
	struct tally_sim_spawn spawn = {.caps = ~UINT64_C(0), .memlock = UINT64_MAX};

	*world = (struct world){.random = random};
	choose_pmus(world);
	world->nr_cpus = 1 + (uint32_t)random_below(&world->random, 4);
	tally_core_settings_init(&settings);
	settings.paranoid = -1;
	settings.record_max = 4096;
	world->throttles = random_below(&world->random, 2);
	if (!world->throttles)
		settings.max_sample_rate = UINT32_MAX;
	settings.scattered = random_below(&world->random, 2);
	assert_int_equal(tally_sim_create(&(struct tally_sim_config){.nr_cpus = world->nr_cpus,
								     .pmus = world->pmus,
								     .nr_pmus = world->nr_pmus,
								     .settings = &settings,
								     .quantum_ns = 50000},
					  &world->sim),
			 0);
	world->monitor = tally_sim_task_new(world->sim, &spawn);
	for (int i = 0; i < WORLD_EVENTS; i++)
		world->events[i] = (struct world_event){.fd = -1, .leader = i};
}

void world_end(struct world *world)
{
	size_t left;

	for (int i = 0; i < WORLD_EVENTS; i++) {
		if (world->events[i].fd >= 0)
			world_read(world, &world->events[i]);
	}
	left = tally_sim_destroy(world->sim);
	if (left)
		world_fail(world, "%zu bytes are left", left);
}
