/* SPDX-License-Identifier: BSD-2-Clause */
#include "sampler/sampler_refuse.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/str.h"
#include "client/client_probe.h"

/* Emit everything after the first line, except the first `skip` fixes, which have already been
 * applied. */
static void emit_details(const struct tally_refusal *why, size_t skip,
			 const struct tally_messages *messages)
{
	if (*why->field)
		tally_message_detail(messages, "the kernel rejects the attr field %s", why->field);
	if (*why->found)
		tally_message_detail(messages, "found: %s", why->found);
	if (*why->needed)
		tally_message_detail(messages, "needed: %s", why->needed);
	for (size_t i = skip; i < TALLY_NR_FIXES && *why->fix[i]; i++)
		tally_message_hint(messages, "%s", why->fix[i]);
}

static const char *rule_text(const struct tally_refusal *why)
{
	return *why->rule ? why->rule : "rejected by the kernel";
}

static void refuse(enum tally_message_kind kind, const char *what, const struct tally_refusal *why,
		   const struct tally_messages *messages)
{
	tally_message_emit(messages, kind, "%s: %s (%s)", what, rule_text(why),
			   strerror(-why->code));
	emit_details(why, 0, messages);
}

void tally_refusal_report(const char *what, const struct tally_refusal *why,
			  const struct tally_messages *messages)
{
	refuse(TALLY_MESSAGE_ERROR, what, why, messages);
}

void tally_refuse_warning(const char *what, const struct tally_refusal *why,
			  const struct tally_messages *messages)
{
	refuse(TALLY_MESSAGE_WARNING, what, why, messages);
}

void tally_refuse_start(const char *command, int code, const struct tally_messages *messages)
{
	struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};

	tally_message_error(messages, "cannot start '%s': %s", command, strerror(-code));
	getrlimit(RLIMIT_NPROC, &limit);
	if (code != -EAGAIN || limit.rlim_cur == RLIM_INFINITY)
		return;
	tally_message_detail(messages, "found: RLIMIT_NPROC is %" PRIu64 " processes for this user",
			     (uint64_t)limit.rlim_cur);
	tally_message_hint(
		messages,
		"end some processes, or raise the limit: ulimit -u, or as root ulimit -Hu");
}

void tally_refuse_limit(const char *what, const struct tally_refusal *why,
			const struct tally_messages *messages)
{
	tally_message_warn(messages, "%s: %s", what, rule_text(why));
	emit_details(why, 1, messages);
}

int tally_refuse_killed(const struct tally_messages *messages)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr)};
	struct tally_access_request ask = {.attr = &attr, .cpu = -1, .task = TALLY_TASK_OWN};
	struct tally_access access;
	struct tally_refusal why;

	if (!tally_probe_kills(tally_transport_linux()))
		return 0;
	tally_access_read(NULL, &access);
	access.kills = true;
	access.syscall = -EPERM;
	tally_access_event(&access, &ask, &why);
	tally_refusal_report("cannot open any event", &why, messages);
	return -EPERM;
}

/* Return -EMFILE if fewer than `nr` descriptors are available. */
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

int tally_refuse_descriptors(const struct tally_messages *messages, struct tally_refusal *ret_why)
{
	struct tally_access access;

	if (!tally_spare_descriptors())
		return 0;
	tally_access_read(NULL, &access);
	tally_access_explain_descriptors(&access, ret_why);
	tally_refusal_report("no descriptors left after opening the events", ret_why, messages);
	return -EMFILE;
}

int tally_set_filter(struct tally_counters *counters, size_t event, const char *name,
		     const char *filter, const struct tally_messages *messages)
{
	int ret = filter ? tally_counters_filter(counters, event, filter) : 0;

	if (ret)
		tally_message_error(messages, "%s: the kernel rejects the filter \"%s\": %s", name,
				    filter, strerror(-ret));
	return ret;
}

void tally_refuse_new_cpus(const struct tally_target *target, const struct tally_cpus *covered,
			   const struct tally_messages *messages)
{
	struct tally_cpus *online;

	if (!target->all_cpus || target->cpus)
		return;
	if (tally_cpus_online(NULL, &online))
		return;
	for (size_t i = 0; i < online->nr; i++) {
		int32_t number = online->cpu[i].number;

		if (tally_cpus_index(covered, number) < 0)
			tally_message_warn(messages,
					   "CPU %" PRId32 " came online later and is not covered",
					   number);
	}
	free(online);
}

void tally_refuse_kernel(const char *done, const struct tally_messages *messages)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE, .size = sizeof(attr)};
	struct tally_access_request ask = {.attr = &attr, .cpu = -1, .task = TALLY_TASK_OWN};
	struct tally_access access;
	struct tally_refusal why = {0};

	tally_access_read(NULL, &access);
	/* The kernel has refused the event, even if no known rule explains why. */
	if (tally_access_event(&access, &ask, &why))
		tally_message_warn(messages,
				   "only user space is %s (:u): the kernel does not permit more",
				   done);
	else
		tally_message_warn(messages, "only user space is %s (:u): %s", done, why.rule);
	/* Skip the first fix, the restriction to user space, which has been applied. */
	emit_details(&why, 1, messages);
}

void tally_refuse_target(const struct tally_target_error *why,
			 const struct tally_messages *messages)
{
	struct tally_str text = {0};

	tally_target_explain(why, &text);
	tally_message_error(messages, "%s", tally_str_text(&text));
	tally_str_free(&text);
}

int tally_resolve_target(const struct tally_target *target, struct tally_cpus **ret_cpus,
			 struct tally_threads **ret_threads, const struct tally_messages *messages)
{
	struct tally_target_error why = {0};
	int ret = tally_target_resolve(target, ret_cpus, ret_threads, &why);

	if (ret)
		tally_refuse_target(&why, messages);
	else
		tally_target_warn_gone(*ret_threads, messages);
	return ret;
}
