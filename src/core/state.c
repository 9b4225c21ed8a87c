/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/state.h"

#define STATE(state) (1U << ((state)-TALLY_STATE_DEAD))
#define FROM(state)  [(state)-TALLY_STATE_DEAD]

/*
 * Permitted transitions. From ACTIVE, an event can only become INACTIVE: it is taken off its PMU
 * before any other change. From EXIT and REVOKED, it can only be closed, because its task or PMU is
 * gone for good.
 */
#define GOING STATE(TALLY_STATE_EXIT) | STATE(TALLY_STATE_REVOKED) | STATE(TALLY_STATE_DEAD)
static const uint8_t transitions[] = {
	FROM(TALLY_STATE_DEAD) = 0,
	FROM(TALLY_STATE_REVOKED) = STATE(TALLY_STATE_DEAD),
	FROM(TALLY_STATE_EXIT) = STATE(TALLY_STATE_REVOKED) | STATE(TALLY_STATE_DEAD),
	FROM(TALLY_STATE_ERROR) = STATE(TALLY_STATE_INACTIVE) | GOING,
	FROM(TALLY_STATE_OFF) = STATE(TALLY_STATE_INACTIVE) | GOING,
	FROM(TALLY_STATE_INACTIVE) = STATE(TALLY_STATE_ACTIVE) | STATE(TALLY_STATE_OFF) |
				     STATE(TALLY_STATE_ERROR) | GOING,
	FROM(TALLY_STATE_ACTIVE) = STATE(TALLY_STATE_INACTIVE),
};

/* Properties that an event may have or must have in each state; see state.h. */
enum state_property {
	ON_PMU = 1 << 0,
	RUNNING = 1 << 1,
	EXHAUSTED = 1 << 2,
	HOOKED = 1 << 3, /* in one of its CPU's lists, or in the CPU's heap */
};

static const struct {
	uint8_t may, must;
} facts[] = {
	FROM(TALLY_STATE_DEAD) = {0, 0},
	FROM(TALLY_STATE_EXIT) = {0, 0},
	FROM(TALLY_STATE_ERROR) = {0, 0},
	FROM(TALLY_STATE_OFF) = {0, 0},
	FROM(TALLY_STATE_INACTIVE) = {0, 0},
	FROM(TALLY_STATE_ACTIVE) = {ON_PMU | RUNNING | EXHAUSTED | HOOKED, ON_PMU},
};

static bool properties_allowed(const struct tally_core_event *event, enum tally_state state)
{
	unsigned have = (event->on_pmu ? ON_PMU : 0) | (event->hw.running ? RUNNING : 0) |
			(tally_load_relaxed(&event->exhausted) ? EXHAUSTED : 0) |
			(tally_list_empty(&event->hook) ? 0 : HOOKED);
	unsigned may = facts[state - TALLY_STATE_DEAD].may,
		 must = facts[state - TALLY_STATE_DEAD].must;

	return !(have & ~may) && (have & must) == must;
}

void tally_event_check_retired(const struct tally_core_event *event)
{
	bool linked = !tally_list_empty(&event->all) || !tally_list_empty(&event->group) ||
		      !tally_list_empty(&event->active) || !tally_list_empty(&event->children) ||
		      !tally_list_empty(&event->sibling) || !tally_list_empty(&event->siblings);

	if (!TALLY_CORE_CHECKS)
		return;
	if (linked || event->stacked || event->pending || tally_event_trap_due(event) ||
	    !properties_allowed(event, TALLY_STATE_DEAD))
		__builtin_trap();
}

static bool may_become(enum tally_state from, enum tally_state to)
{
	return transitions[from - TALLY_STATE_DEAD] & STATE(to);
}

void tally_context_advance(struct tally_core_context *context, uint64_t now)
{
	uint64_t time = tally_context_time(context, now);

	/* The clocks of two CPUs may differ slightly. The context's time must not go backwards
	 * because of the difference. */
	if ((int64_t)(time - context->time) > 0)
		context->time = time;
}

void tally_event_account(struct tally_core_event *event)
{
	const struct tally_core_times *old = &event->times[event->times_at];
	struct tally_core_times *times = &event->times[!event->times_at];
	uint64_t now = event->context->time, passed = now - old->stamp;
	bool counts = event->state >= TALLY_STATE_INACTIVE &&
		      event->leader->state >= TALLY_STATE_INACTIVE;

	if (!passed)
		return;
	times->stamp = now;
	/* Readers on other CPUs may add up these times concurrently. */
	tally_store_relaxed(&times->enabled, old->enabled + (counts ? passed : 0));
	tally_store_relaxed(&times->running,
			    old->running +
				    (counts && event->state == TALLY_STATE_ACTIVE ? passed : 0));
	tally_store_release(&event->times_at, !event->times_at);
}

void tally_event_set_state(struct tally_core_event *event, enum tally_state state)
{
	if (TALLY_CORE_CHECKS &&
	    (!may_become(event->state, state) || !properties_allowed(event, state)))
		__builtin_trap();
	tally_event_account(event);
	if (tally_event_is_leader(event) &&
	    (event->state < TALLY_STATE_INACTIVE) != (state < TALLY_STATE_INACTIVE)) {
		tally_list_for_each (link, &event->siblings)
			tally_event_account(
				tally_container_of(link, struct tally_core_event, sibling));
	}
	tally_store_relaxed(&event->state, (int8_t)state);
}
