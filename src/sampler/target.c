/* SPDX-License-Identifier: BSD-2-Clause */
#include "sampler/target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/proc.h"

bool tally_target_has_cpus(const struct tally_target *target)
{
	return target->all_cpus || target->cpus;
}

bool tally_target_has_tasks(const struct tally_target *target)
{
	return target->pids || target->tids || target->user;
}

bool tally_target_is_command(const struct tally_target *target)
{
	return !tally_target_has_cpus(target) && !tally_target_has_tasks(target);
}

void tally_target_normalize(struct tally_target *target, bool has_command,
			    const struct tally_messages *messages)
{
	bool has_cpus = tally_target_has_cpus(target), has_tasks = tally_target_has_tasks(target);

	if (has_cpus && has_tasks) {
		tally_message_warn(messages, "-a and -C are ignored with -p, -t or -u");
		target->all_cpus = false;
		target->cpus = NULL;
	}
	if (!has_cpus && !has_tasks && !has_command)
		target->all_cpus = true;
}

static int error_set(struct tally_target_error *ret_why, const struct tally_target_error *why)
{
	if (ret_why)
		*ret_why = *why;
	return why->code;
}

/* ---- threads ---------------------------------------------------------------------- */

/* Options that select tasks, in the order in which they are checked. */
static const struct {
	const char *option;
	size_t text; /* offset of the option's argument in the target */
	int (*find)(const char *text, struct tally_threads **ret_threads);
	/* For -EINVAL and -ESRCH. */
	enum tally_target_trouble malformed, missing;
} lists[] = {
	{"--pid", offsetof(struct tally_target, pids), tally_threads_of_pids, TALLY_TARGET_BAD_LIST,
	 TALLY_TARGET_NO_TASK},
	{"--tid", offsetof(struct tally_target, tids), tally_threads_of_tids, TALLY_TARGET_BAD_LIST,
	 TALLY_TARGET_NO_TASK},
	{"--uid", offsetof(struct tally_target, user), tally_threads_of_user, TALLY_TARGET_NO_USER,
	 TALLY_TARGET_IDLE_USER},
};

static const char *text_of(const struct tally_target *target, size_t list)
{
	return *(const char *const *)((const char *)target + lists[list].text);
}

static int threads_of_list(const struct tally_target *target, size_t list,
			   struct tally_threads **ret_threads, struct tally_target_error *ret_why)
{
	struct tally_target_error why = {.option = lists[list].option,
					 .text = text_of(target, list)};

	why.code = tally_proc_matches_us() ? lists[list].find(why.text, ret_threads) : -EXDEV;
	why.trouble = why.code == -EXDEV    ? TALLY_TARGET_FOREIGN
		      : why.code == -EINVAL ? lists[list].malformed
		      : why.code == -ESRCH  ? lists[list].missing
					    : TALLY_TARGET_UNREADABLE;
	return why.code ? error_set(ret_why, &why) : 0;
}

int tally_target_threads(const struct tally_target *target, struct tally_threads **ret_threads,
			 struct tally_target_error *ret_why)
{
	struct tally_target_error why = {.trouble = TALLY_TARGET_UNREADABLE, .text = "/proc"};

	if (target->each_thread)
		why.code = tally_threads_all(ret_threads);
	else if (tally_target_has_cpus(target))
		why.code = tally_threads_any(ret_threads);
	else if (tally_target_is_command(target))
		why.code = tally_threads_of_tid(target->command, ret_threads);
	else
		for (size_t i = 0; i < TALLY_ARRAY_SIZE(lists); i++)
			if (text_of(target, i))
				return threads_of_list(target, i, ret_threads, ret_why);
	return why.code ? error_set(ret_why, &why) : 0;
}

void tally_target_warn_gone(const struct tally_threads *threads,
			    const struct tally_messages *messages)
{
	if (threads->nr_gone == 1)
		tally_message_warn(messages, "ignoring task %d, which does not exist or has exited",
				   (int)threads->gone);
	else if (threads->nr_gone)
		tally_message_warn(messages,
				   "ignoring task %d and %zu others in the list, which do not "
				   "exist or have exited",
				   (int)threads->gone, threads->nr_gone - 1);
}

/* ---- CPUs --------------------------------------------------------------------------- */

/* Check that the CPUs are online. If sysfs has no list of online CPUs, the kernel checks them when
 * events are opened. */
static int check_online(const struct tally_target *target, const struct tally_cpus *cpus,
			struct tally_target_error *ret_why)
{
	struct tally_target_error why = {TALLY_TARGET_NO_CPU, 0, "--cpu", target->cpus, 0};
	struct tally_cpus *online;

	if (tally_cpus_online(NULL, &online))
		return 0;
	for (size_t i = 0; i < cpus->nr && !why.code; i++) {
		why.cpu = cpus->cpu[i].number;
		why.code = tally_cpus_index(online, why.cpu) < 0 ? -ENODEV : 0;
	}
	free(online);
	return why.code ? error_set(ret_why, &why) : 0;
}

static int cpus_of_list(const struct tally_target *target, struct tally_cpus **ret_cpus,
			struct tally_target_error *ret_why)
{
	struct tally_target_error why = {TALLY_TARGET_BAD_CPUS, 0, "--cpu", target->cpus, 0};
	struct tally_cpus *cpus;
	int ret;

	why.code = tally_cpus_parse(target->cpus, &cpus);
	if (why.code)
		return error_set(ret_why, &why);
	ret = check_online(target, cpus, ret_why);
	if (ret)
		free(cpus);
	else
		*ret_cpus = cpus;
	return ret;
}

int tally_target_cpus(const struct tally_target *target, struct tally_cpus **ret_cpus,
		      struct tally_target_error *ret_why)
{
	struct tally_target_error why = {.trouble = TALLY_TARGET_UNREADABLE,
					 .text = "/sys/devices/system/cpu/online"};

	if (target->cpus)
		return cpus_of_list(target, ret_cpus, ret_why);
	if (target->each_thread || (target->per_thread && !target->all_cpus))
		why.code = tally_cpus_any(ret_cpus);
	else
		why.code = tally_cpus_online(NULL, ret_cpus);
	return why.code ? error_set(ret_why, &why) : 0;
}

int tally_target_resolve(const struct tally_target *target, struct tally_cpus **ret_cpus,
			 struct tally_threads **ret_threads, struct tally_target_error *ret_why)
{
	struct tally_threads *threads;
	int ret = tally_target_threads(target, &threads, ret_why);

	if (ret)
		return ret;
	ret = tally_target_cpus(target, ret_cpus, ret_why);
	if (ret)
		free(threads);
	else
		*ret_threads = threads;
	return ret;
}

/* ---- messages ------------------------------------------------------------------------- */

void tally_target_explain(const struct tally_target_error *why, struct tally_str *out)
{
	static const char *const texts[] = {
		[TALLY_TARGET_NO_TASK] = "no such task, or it has exited",
		[TALLY_TARGET_IDLE_USER] = "the user has no tasks",
		[TALLY_TARGET_BAD_LIST] = "not a list of numbers",
		[TALLY_TARGET_NO_USER] = "no such user",
		[TALLY_TARGET_BAD_CPUS] = "not a list of CPUs",
		[TALLY_TARGET_FOREIGN] = "/proc belongs to another PID namespace: " TALLY_PROC_FIX,
	};

	if (why->trouble == TALLY_TARGET_NO_CPU) {
		tally_str_addf(out, "CPU %d does not exist or is offline", (int)why->cpu);
		return;
	}
	if (why->option)
		tally_str_addf(out, "%s ", why->option);
	tally_str_addf(out, "%s: %s", why->text ? why->text : "target",
		       why->trouble == TALLY_TARGET_UNREADABLE ? strerror(-why->code)
							       : texts[why->trouble]);
}
