/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/main/via.h"

#include <errno.h>
#include <string.h>

#include "base/arith.h"
#include "base/proc.h"
#include "client/client_probe.h"
#include "sampler/privileges.h"
#include "sampler/sampler_refuse.h"

/* ---- the transport ------------------------------------------------------------------ */

static int via_open(const struct tally_transport *transport, struct perf_event_attr *attr,
		    int32_t pid, int32_t cpu, int group_fd, unsigned long flags)
{
	return tally_user_open(transport->private_data, attr, pid, cpu, group_fd, flags);
}

static int via_close(const struct tally_transport *transport, int fd)
{
	return tally_user_close(transport->private_data, fd);
}

static int64_t via_read(const struct tally_transport *transport, int fd, void *to, size_t len)
{
	return tally_user_read(transport->private_data, fd, to, len);
}

static int via_ioctl(const struct tally_transport *transport, int fd, unsigned long request,
		     uintptr_t arg)
{
	return tally_user_ioctl(transport->private_data, fd, request, arg);
}

static int via_mmap(const struct tally_transport *transport, int fd, size_t len, bool writable,
		    void **ret_memory)
{
	return tally_user_mmap(transport->private_data, fd, len, writable, ret_memory);
}

static int via_munmap(const struct tally_transport *transport, void *memory, size_t len)
{
	return tally_user_munmap(transport->private_data, memory, len);
}

static int via_poll(const struct tally_transport *transport, struct pollfd *polls, size_t nr,
		    int timeout_ms)
{
	return tally_user_poll(transport->private_data, polls, nr, timeout_ms);
}

static pid_t via_wait(void *arg, pid_t pid, bool block, int *ret_status, struct rusage *ret_usage)
{
	return tally_user_wait(arg, pid, block, ret_status, ret_usage);
}

static int user_start(struct tally_via *via, bool samples, const struct tally_messages *messages)
{
	const struct tally_user_settings settings = {
		.samples = samples,
		.executed = tally_via_programs_executed,
		.arg = &via->programs,
	};
	/* Drop privileges: the user host does not need them, and they can be dropped only while the
	 * process is single-threaded. */
	int ret = tally_privileges_drop(messages);

	if (ret)
		return ret;
	tally_via_programs_init(&via->programs);
	ret = tally_user_create(&settings, &via->user);
	if (ret == -EXDEV) {
		tally_message_error(
			messages,
			"cannot start the user host: /proc belongs to another PID namespace");
		tally_message_hint(messages, "%s", TALLY_PROC_FIX);
		return ret;
	}
	if (ret) {
		tally_message_error(messages, "cannot start the user host: %s", strerror(-ret));
		return ret;
	}
	via->transport = (struct tally_transport){
		.name = "user",
		.open = via_open,
		.close = via_close,
		.read = via_read,
		.ioctl = via_ioctl,
		.mmap = via_mmap,
		.munmap = via_munmap,
		.poll = via_poll,
		.estimates = true,
		.private_data = via->user,
	};
	via->reaper = (struct tally_child_reaper){via_wait, via->user};
	return 0;
}

/* ---- choosing the implementation ---------------------------------------------------------- */

enum choice { AUTO, KERNEL, USER, NR_CHOICES };

static enum choice choice_of(const char *text)
{
	static const char *const words[] = {"auto", "kernel", "user"};
	enum choice choice = AUTO;

	while (text && choice < NR_CHOICES && strcmp(words[choice], text) != 0)
		choice++;
	return choice;
}

bool tally_via_kernel_refuses(const struct tally_access *access)
{
	return access->kills || (access->plain < 0 && access->plain != -EMFILE &&
				 access->plain != -ENFILE && access->plain != -ENOMEM);
}

static bool kernel_refuses(void)
{
	struct tally_access access;

	tally_access_read(NULL, &access);
	access.kills = tally_probe_kills(tally_transport_linux());
	if (!access.kills)
		tally_access_probe(tally_transport_linux(), &access);
	return tally_via_kernel_refuses(&access);
}

int tally_via_open(struct tally_via *via, const char *text, const struct tally_target *target,
		   bool samples, const struct tally_messages *messages)
{
	enum choice choice = choice_of(text);
	bool has_cpus = tally_target_has_cpus(target);
	int ret;

	*via = (struct tally_via){0};
	if (choice == NR_CHOICES) {
		tally_message_error(messages, "--via %s: must be kernel, user or auto", text);
		return -EINVAL;
	}
	if (choice == USER && has_cpus) {
		tally_message_error(messages, "--via user measures only commands and tasks: CPUs "
					      "(-a, -C) need the kernel's perf_event_open");
		return -EINVAL;
	}
	if (choice != USER && (choice != AUTO || has_cpus || !kernel_refuses()))
		return tally_refuse_killed(messages);
	ret = user_start(via, samples, messages);
	if (ret && choice == AUTO)
		tally_message_hint(messages, "the user host is needed because the kernel refuses "
					     "perf_event_open; run 'tally doctor' for the reason");
	return ret;
}

/* Default frequency in samples per second. Taking a sample stops the thread for about 25 us. */
#define USER_FREQ "999"

int tally_via_open_sampling(struct tally_via *via, const char *text,
			    struct tally_sampling *sampling)
{
	int ret = tally_via_open(via, text, &sampling->target, true, sampling->messages);

	if (ret || !via->user)
		return ret;
	sampling->transport = &via->transport;
	if (!sampling->freq && !sampling->has_period)
		sampling->freq = USER_FREQ;
	if (!sampling->quiet)
		tally_message_info(sampling->messages,
				   "sampling with the user host: procfs and ptrace instead of "
				   "perf_event_open, user space only");
	return 0;
}

int tally_via_check_command(const struct tally_via *via, const char *command,
			    const struct tally_messages *messages)
{
	return via->user && command ? tally_via_programs_check(command, messages) : 0;
}

void tally_via_close(struct tally_via *via)
{
	tally_user_destroy(via->user);
	if (via->user)
		tally_via_programs_warn(&via->programs);
	tally_via_programs_free(&via->programs);
	*via = (struct tally_via){0};
}

const struct tally_transport *tally_via_transport(const struct tally_via *via)
{
	return via->user ? &via->transport : NULL;
}

void tally_via_adopt(const struct tally_via *via, struct tally_child *child)
{
	if (via->user)
		child->reaper = &via->reaper;
}

const char *tally_via_name(const struct tally_via *via)
{
	return via->user ? "user" : "kernel";
}
