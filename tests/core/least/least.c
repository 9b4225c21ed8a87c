/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/least/least.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/hook.h"

/* ---- the contract ----------------------------------------------------------------------- */

enum needs {
	NEEDS_ON = 1 << 0,       /* interrupts on */
	NEEDS_OFF = 1 << 1,      /* interrupts off */
	NOT_IN_NMI = 1 << 2,     /* not in the overflow interrupt */
	NOT_UNDER_CORE = 1 << 3, /* no lock of the core is held */
	NOT_UNDER_SPACE = 1 << 4 /* the lock of the address space is not held */
};

/* The columns of the table in tally/host.h. */
#define SLEEPING (NEEDS_ON | NOT_IN_NMI | NOT_UNDER_CORE)
#define LOCKED   (NEEDS_ON | NOT_IN_NMI)
#define OFF      (NEEDS_OFF | NOT_IN_NMI)
#define ANY      NEEDS_OFF /* off in the overflow interrupt, too */

static const struct {
	const char *name;
	unsigned needs;
} rules[LEAST_OP_NR] = {
	[LEAST_OP_ALLOC] = {"alloc", SLEEPING},
	[LEAST_OP_FREE] = {"free", SLEEPING},
	[LEAST_OP_PAGES_ALLOC] = {"pages_alloc", SLEEPING},
	[LEAST_OP_PAGES_FREE] = {"pages_free", SLEEPING},
	[LEAST_OP_LOCK] = {"lock", SLEEPING},
	[LEAST_OP_UNLOCK] = {"unlock", LOCKED},
	[LEAST_OP_CALL] = {"call", LOCKED},
	[LEAST_OP_TIMER] = {"timer", OFF},
	[LEAST_OP_TASK_GET] = {"task_get", SLEEPING},
	[LEAST_OP_TASK_PUT] = {"task_put", SLEEPING},
	[LEAST_OP_EVENT_OF_FD] = {"event_of_fd", SLEEPING},
	[LEAST_OP_CAPABLE] = {"capable", SLEEPING},
	[LEAST_OP_MAY_OBSERVE] = {"may_observe", SLEEPING},
	[LEAST_OP_MEMLOCK_LIMIT] = {"memlock_limit", SLEEPING},
	[LEAST_OP_COPY_FROM] = {"copy_from_user", SLEEPING | NOT_UNDER_SPACE},
	[LEAST_OP_COPY_TO] = {"copy_to_user", SLEEPING | NOT_UNDER_SPACE},
	[LEAST_OP_NOTIFY] = {"notify", OFF},
	[LEAST_OP_SIGTRAP] = {"sigtrap", OFF},
	[LEAST_OP_INIT] = {"the PMU's init", SLEEPING},
	[LEAST_OP_ADD] = {"the PMU's add", OFF},
	[LEAST_OP_DEL] = {"the PMU's del", OFF},
	[LEAST_OP_START] = {"the PMU's start", ANY},
	[LEAST_OP_STOP] = {"the PMU's stop", ANY},
	[LEAST_OP_READ] = {"the PMU's read", ANY},
};

static bool holds(const struct least *least, bool of_core)
{
	for (uint32_t i = least->held_base; i < least->nr_held; i++) {
		if (!least->held[i].lock != of_core)
			return true;
	}
	return false;
}

void least_check(struct least *least, enum least_op op)
{
	const char *name = rules[op].name;
	unsigned needs = rules[op].needs;

	least->nr_ops[op]++;
	if (needs & NOT_IN_NMI && least->nmi)
		least_broken(least, "%s is called in the overflow interrupt", name);
	if (needs & NEEDS_ON && least->off)
		least_broken(least, "%s, which may sleep, is called with interrupts off", name);
	if (needs & NEEDS_OFF && !least->off && !least->nmi)
		least_broken(least, "%s is called with interrupts on", name);
	if (needs & NOT_UNDER_CORE && holds(least, true))
		least_broken(least, "%s is called under a lock of the core", name);
	if (needs & NOT_UNDER_SPACE && holds(least, false))
		least_broken(least, "%s is called under the lock of the address space", name);
}

void least_broken(struct least *least, const char *format, ...)
{
	char sentence[256];
	va_list args;

	va_start(args, format);
	vsnprintf(sentence, sizeof(sentence), format, args);
	va_end(args);
	if (least->on_broken)
		least->on_broken(least, sentence);
	fprintf(stderr, "the contract is broken on CPU %u: %s\n", least->cpu, sentence);
	abort();
}

/* ---- interruptions by tests -------------------------------------------------------------- */

/* The minimal host that is running, for the hook of core/atomic.h, which has no host argument. */
static struct least *running;

void least_at(struct least *least, enum least_point point, const volatile void *what)
{
	if (!least->at || least->inside)
		return;
	least->inside = true;
	least->at(least, point, what);
	least->inside = false;
}

void tally_core_debug_hook(const volatile void *word)
{
	if (running)
		least_at(running, LEAST_AT_ATOMIC, word);
}

/* ---- setup and teardown ----------------------------------------------------------------- */

static void require(struct least *least, int ret, const char *what)
{
	if (ret)
		least_broken(least, "%s gives %d", what, ret);
}

void least_begin(struct least *least, uint32_t nr_cpus, const struct tally_core_settings *settings)
{
	*least = (struct least){
		.nr_cpus = nr_cpus,
		.now = 1000000,
		.caps = ~UINT64_C(0),
		.may_observe = true,
		.memlock = UINT64_MAX,
		.last_tid = 99,
	};
	running = least;
	least->cpus = calloc(nr_cpus, sizeof(*least->cpus));
	require(least, least->cpus ? 0 : -ENOMEM, "calloc");
	require(least, tally_core_create(&least_ops, least, nr_cpus, settings, &least->core),
		"tally_core_create");
	least_pmus_init(least);
	for (int i = 0; i < (TALLY_CORE_SEVERAL_PMUS ? LEAST_PMUS : 1); i++)
		require(least, tally_core_pmu_register(least->core, &least->pmus[i]),
			"tally_core_pmu_register");
	for (uint32_t i = 0; i < nr_cpus; i++)
		least_online(least, i);
	require(least, least_task_new(least) ? 0 : -ENOMEM, "least_task_new");
}

static void check_left(struct least *least)
{
	for (uint32_t i = 0; i < least->nr_cpus; i++) {
		for (int j = 0; j < LEAST_ALL_COUNTERS; j++) {
			if (least->cpus[i].counters[j].owner)
				least_broken(least, "counter %d of CPU %u is still taken", j, i);
		}
	}
	for (int i = 0; i < LEAST_TASKS; i++) {
		if (least->users[i].locked_pages || least->spaces[i].locked_pages)
			least_broken(least, "pages are still charged to task %d", i);
	}
	if (least->bytes || least->pages)
		least_broken(least, "%llu bytes and %llu pages are left",
			     (unsigned long long)least->bytes, (unsigned long long)least->pages);
}

void least_end(struct least *least)
{
	least->at = NULL;
	least->hold_deferred = false;
	least->refuse_alloc = least->refuse_copy = 0;
	for (int fd = 0; fd < LEAST_FILES; fd++) {
		if (least->files[fd].event)
			least_close(least, fd);
	}
	for (int i = 0; i < LEAST_TASKS; i++) {
		if (least->tasks[i])
			least_exit(least, least->tasks[i]);
	}
	tally_core_destroy(least->core);
	check_left(least);
	least_memory_check(least);
	free(least->cpus);
	running = NULL;
}

void least_abandon(struct least *least)
{
	for (int i = 0; i < LEAST_TASKS; i++)
		free(least->tasks[i]);
	least_memory_abandon(least);
	free(least->cpus);
	running = NULL;
}

void least_on(struct least *least, uint32_t cpu)
{
	if (least->off || least->nmi)
		least_broken(least, "the test moves with interrupts off");
	least->cpu = cpu;
}
