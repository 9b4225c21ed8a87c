/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/minimal/mini.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/hook.h"

/* ---- the contract ----------------------------------------------------------------------- */

enum needs {
	NEEDS_ON = 1 << 0,       /* interrupts must be on */
	NEEDS_OFF = 1 << 1,      /* interrupts must be off */
	NOT_IN_NMI = 1 << 2,     /* not in the overflow interrupt */
	NOT_UNDER_CORE = 1 << 3, /* no core lock is held */
	NOT_UNDER_SPACE = 1 << 4 /* the address space lock is not held */
};

/* Columns of the table in tally/host.h. */
#define SLEEPING (NEEDS_ON | NOT_IN_NMI | NOT_UNDER_CORE)
#define LOCKED   (NEEDS_ON | NOT_IN_NMI)
#define OFF      (NEEDS_OFF | NOT_IN_NMI)
#define ANY      NEEDS_OFF /* interrupts are also off in the overflow interrupt */

static const struct {
	const char *name;
	unsigned needs;
} rules[MINI_OP_NR] = {
	[MINI_OP_ALLOC] = {"alloc", SLEEPING},
	[MINI_OP_FREE] = {"free", SLEEPING},
	[MINI_OP_PAGES_ALLOC] = {"pages_alloc", SLEEPING},
	[MINI_OP_PAGES_FREE] = {"pages_free", SLEEPING},
	[MINI_OP_LOCK] = {"lock", SLEEPING},
	[MINI_OP_UNLOCK] = {"unlock", LOCKED},
	[MINI_OP_CALL] = {"call", LOCKED},
	[MINI_OP_TIMER] = {"timer", OFF},
	[MINI_OP_TASK_GET] = {"task_get", SLEEPING},
	[MINI_OP_TASK_PUT] = {"task_put", SLEEPING},
	[MINI_OP_EVENT_OF_FD] = {"event_of_fd", SLEEPING},
	[MINI_OP_CAPABLE] = {"capable", SLEEPING},
	[MINI_OP_MAY_OBSERVE] = {"may_observe", SLEEPING},
	[MINI_OP_MEMLOCK_LIMIT] = {"memlock_limit", SLEEPING},
	[MINI_OP_COPY_FROM] = {"copy_from_user", SLEEPING | NOT_UNDER_SPACE},
	[MINI_OP_COPY_TO] = {"copy_to_user", SLEEPING | NOT_UNDER_SPACE},
	[MINI_OP_NOTIFY] = {"notify", OFF},
	[MINI_OP_SIGTRAP] = {"sigtrap", OFF},
	[MINI_OP_INIT] = {"the PMU's init", SLEEPING},
	[MINI_OP_ADD] = {"the PMU's add", OFF},
	[MINI_OP_DEL] = {"the PMU's del", OFF},
	[MINI_OP_START] = {"the PMU's start", ANY},
	[MINI_OP_STOP] = {"the PMU's stop", ANY},
	[MINI_OP_READ] = {"the PMU's read", ANY},
};

static bool holds(const struct mini *mini, bool of_core)
{
	for (uint32_t i = mini->held_base; i < mini->nr_held; i++) {
		if (!mini->held[i].lock != of_core)
			return true;
	}
	return false;
}

void mini_check(struct mini *mini, enum mini_op op)
{
	const char *name = rules[op].name;
	unsigned needs = rules[op].needs;

	mini->nr_ops[op]++;
	if (needs & NOT_IN_NMI && mini->nmi)
		mini_broken(mini, "%s is called in the overflow interrupt", name);
	if (needs & NEEDS_ON && mini->off)
		mini_broken(mini, "%s, which may sleep, is called with interrupts off", name);
	if (needs & NEEDS_OFF && !mini->off && !mini->nmi)
		mini_broken(mini, "%s is called with interrupts on", name);
	if (needs & NOT_UNDER_CORE && holds(mini, true))
		mini_broken(mini, "%s is called under a lock of the core", name);
	if (needs & NOT_UNDER_SPACE && holds(mini, false))
		mini_broken(mini, "%s is called under the lock of the address space", name);
}

void mini_broken(struct mini *mini, const char *format, ...)
{
	char sentence[256];
	va_list args;

	va_start(args, format);
	vsnprintf(sentence, sizeof(sentence), format, args);
	va_end(args);
	if (mini->on_broken)
		mini->on_broken(mini, sentence);
	fprintf(stderr, "the contract is broken on CPU %u: %s\n", mini->cpu, sentence);
	abort();
}

/* ---- interruptions by tests -------------------------------------------------------------- */

/* The running host, for the hook in core/atomic.h, which is not passed a host. */
static struct mini *running;

void mini_at(struct mini *mini, enum mini_point point, const volatile void *what)
{
	if (!mini->at || mini->inside)
		return;
	mini->inside = true;
	mini->at(mini, point, what);
	mini->inside = false;
}

void tally_core_debug_hook(const volatile void *word)
{
	if (running)
		mini_at(running, MINI_AT_ATOMIC, word);
}

/* ---- setup and teardown ----------------------------------------------------------------- */

static void require(struct mini *mini, int ret, const char *what)
{
	if (ret)
		mini_broken(mini, "%s gives %d", what, ret);
}

void mini_begin(struct mini *mini, uint32_t nr_cpus, const struct tally_core_settings *settings)
{
	*mini = (struct mini){
		.nr_cpus = nr_cpus,
		.now = 1000000,
		.caps = ~UINT64_C(0),
		.may_observe = true,
		.memlock = UINT64_MAX,
		.last_tid = 99,
	};
	running = mini;
	mini->cpus = calloc(nr_cpus, sizeof(*mini->cpus));
	require(mini, mini->cpus ? 0 : -ENOMEM, "calloc");
	require(mini, tally_core_create(&mini_ops, mini, nr_cpus, settings, &mini->core),
		"tally_core_create");
	mini_pmus_init(mini);
	for (int i = 0; i < (TALLY_CORE_SEVERAL_PMUS ? MINI_PMUS : 1); i++)
		require(mini, tally_core_pmu_register(mini->core, &mini->pmus[i]),
			"tally_core_pmu_register");
	for (uint32_t i = 0; i < nr_cpus; i++)
		mini_online(mini, i);
	require(mini, mini_task_new(mini) ? 0 : -ENOMEM, "mini_task_new");
}

static void check_left(struct mini *mini)
{
	for (uint32_t i = 0; i < mini->nr_cpus; i++) {
		for (int j = 0; j < MINI_ALL_COUNTERS; j++) {
			if (mini->cpus[i].counters[j].owner)
				mini_broken(mini, "counter %d of CPU %u is still taken", j, i);
		}
	}
	for (int i = 0; i < MINI_TASKS; i++) {
		if (mini->users[i].locked_pages || mini->spaces[i].locked_pages)
			mini_broken(mini, "pages are still charged to task %d", i);
	}
	if (mini->bytes || mini->pages)
		mini_broken(mini, "%llu bytes and %llu pages are left",
			    (unsigned long long)mini->bytes, (unsigned long long)mini->pages);
}

void mini_end(struct mini *mini)
{
	mini->at = NULL;
	mini->hold_deferred = false;
	mini->refuse_alloc = mini->refuse_copy = 0;
	for (int fd = 0; fd < MINI_FILES; fd++) {
		if (mini->files[fd].event)
			mini_close(mini, fd);
	}
	for (int i = 0; i < MINI_TASKS; i++) {
		if (mini->tasks[i])
			mini_exit(mini, mini->tasks[i]);
	}
	tally_core_destroy(mini->core);
	check_left(mini);
	mini_memory_check(mini);
	free(mini->cpus);
	running = NULL;
}

void mini_abandon(struct mini *mini)
{
	for (int i = 0; i < MINI_TASKS; i++)
		free(mini->tasks[i]);
	mini_memory_abandon(mini);
	free(mini->cpus);
	running = NULL;
}

void mini_on(struct mini *mini, uint32_t cpu)
{
	if (mini->off || mini->nmi)
		mini_broken(mini, "the test moves with interrupts off");
	mini->cpu = cpu;
}
