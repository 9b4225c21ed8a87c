/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/refuse.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/str.h"
#include "cli/say.h"
#include "client/probe.h"

/* Everything behind the first line; the first `skip` fixes were tried already. */
static void say_details(const struct tally_refusal *why, size_t skip)
{
	if (*why->field)
		tally_say_detail("the kernel refuses the attr's field %s", why->field);
	if (*why->found)
		tally_say_detail("found: %s", why->found);
	if (*why->needed)
		tally_say_detail("needed: %s", why->needed);
	for (size_t i = skip; i < TALLY_NR_FIXES && *why->fix[i]; i++)
		tally_say_hint("%s", why->fix[i]);
}

static const char *rule_text(const struct tally_refusal *why)
{
	return *why->rule ? why->rule : "the kernel refuses it";
}

static void refuse(void (*say)(const char *format, ...), const char *what,
		   const struct tally_refusal *why)
{
	say("%s: %s (%s)", what, rule_text(why), strerror(-why->code));
	say_details(why, 0);
}

void tally_refuse(const char *what, const struct tally_refusal *why)
{
	refuse(tally_say_error, what, why);
}

void tally_refuse_warning(const char *what, const struct tally_refusal *why)
{
	refuse(tally_say_warning, what, why);
}

void tally_refuse_start(const char *command, int code)
{
	struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};

	tally_say_error("cannot start '%s': %s", command, strerror(-code));
	getrlimit(RLIMIT_NPROC, &limit);
	if (code != -EAGAIN || limit.rlim_cur == RLIM_INFINITY)
		return;
	tally_say_detail("found: RLIMIT_NPROC is %" PRIu64 " processes of this user",
			 (uint64_t)limit.rlim_cur);
	tally_say_hint("end some of them, or raise it: ulimit -u, as root ulimit -Hu");
}

void tally_refuse_limit(const char *what, const struct tally_refusal *why)
{
	tally_say_warning("%s: %s", what, rule_text(why));
	say_details(why, 1);
}

int tally_refuse_killed(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr)};
	struct tally_permits_ask ask = {.attr = &attr, .cpu = -1, .task = TALLY_TASK_OWN};
	struct tally_permits permits;
	struct tally_refusal why;

	if (!tally_probe_kills(tally_transport_linux()))
		return 0;
	tally_permits_read(NULL, &permits);
	permits.kills = true;
	permits.syscall = -EPERM;
	tally_permits_event(&permits, &ask, &why);
	tally_refuse("cannot open any event", &why);
	return -EPERM;
}

/* -EMFILE if there are not so many. */
static int try_descriptors(size_t nr)
{
	int fd, ret;

	if (!nr)
		return 0;
	fd = open("/", O_PATH | O_CLOEXEC);
	if (fd < 0)
		return errno == EMFILE ? -EMFILE : 0;
	ret = try_descriptors(nr - 1);
	close(fd);
	return ret;
}

int tally_spare_descriptors(void)
{
	return try_descriptors(TALLY_SPARE_FILES);
}

int tally_refuse_descriptors(void)
{
	struct tally_permits permits;
	struct tally_refusal why;

	if (!tally_spare_descriptors())
		return 0;
	tally_permits_read(NULL, &permits);
	tally_permits_explain_descriptors(&permits, &why);
	tally_refuse("no descriptors are left behind the events", &why);
	return -EMFILE;
}

void tally_refuse_new_cpus(const struct tally_cpus *covered)
{
	struct tally_cpus *online;

	if (tally_cpus_online(NULL, &online))
		return;
	for (size_t i = 0; i < online->nr; i++) {
		int32_t number = online->cpu[i].number;

		if (tally_cpus_index(covered, number) < 0)
			tally_say_warning("CPU %" PRId32
					  " came on line meanwhile: it is not covered",
					  number);
	}
	free(online);
}

void tally_refuse_kernel(const char *done)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE, .size = sizeof(attr)};
	struct tally_permits_ask ask = {.attr = &attr, .cpu = -1, .task = TALLY_TASK_OWN};
	struct tally_permits permits;
	struct tally_refusal why = {0};

	tally_permits_read(NULL, &permits);
	/* The kernel's answer is the truth, also where no rule is found. */
	if (tally_permits_event(&permits, &ask, &why))
		tally_say_warning("only user space is %s (:u): the kernel permits no more", done);
	else
		tally_say_warning("only user space is %s (:u): %s", done, why.rule);
	/* The first fix is that it was done in user space. */
	say_details(&why, 1);
}

void tally_refuse_target(const struct tally_target_error *why)
{
	struct tally_str text = {0};

	tally_target_explain(why, &text);
	tally_say_error("%s", tally_str_text(&text));
	tally_str_free(&text);
}

int tally_resolve_target(const struct tally_target *target, struct tally_cpus **ret_cpus,
			 struct tally_threads **ret_threads)
{
	struct tally_target_error why = {0};
	int ret = tally_target_resolve(target, ret_cpus, ret_threads, &why);

	if (ret)
		tally_refuse_target(&why);
	return ret;
}
