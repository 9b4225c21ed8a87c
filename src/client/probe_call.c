/* SPDX-License-Identifier: BSD-2-Clause */
/* Find out how calls to perf_event_open are handled, and which attr fields are known. */
#include <errno.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "abi/attr.h"
#include "base/arith.h"
#include "client/client_probe.h"

/* PID above the highest value that pid_max can have on Linux. The kernel looks up the task after
 * checking the attr, so the call fails before anything is created. */
enum { NO_TASK = INT32_MAX };

/* ---- feature table ----------------------------------------------------------- */

/* A feature represented by a single attr bit. */
#define BIT(name, since, title)                      \
	{                                            \
#name, title, since, {{#name, 1 } }, \
	}
#define SAMPLE(id, since, title, bit)                     \
	{                                                 \
		id, title, since, {{"sample_type", bit}}, \
	}
#define SOFTWARE(id, since, title, config)                    \
	{                                                     \
		id, title, since, {{"config", config}}, true, \
	}

const struct tally_probe_feature tally_probe_features[] = {
	BIT(exclude_host, "3.2", "counting guests separately"),
	BIT(exclude_callchain_kernel, "3.7", "callchains that exclude the kernel or user space"),
	BIT(mmap2, "3.12", "mmap records with inode and protection bits"),
	SOFTWARE("dummy", "3.12", "dummy event for task and mapping records", PERF_COUNT_SW_DUMMY),
	BIT(comm_exec, "3.16", "comm records that distinguish exec from renaming"),
	{"regs_intr",
	 "registers at the time of the interrupt",
	 "3.19",
	 {{"sample_type", PERF_SAMPLE_REGS_INTR}, {"sample_regs_intr", 1}}},
	BIT(use_clockid, "4.1", "selectable clock"),
	BIT(context_switch, "4.3", "context switch records"),
	SOFTWARE("bpf_output", "4.4", "BPF program output", PERF_COUNT_SW_BPF_OUTPUT),
	BIT(write_backward, "4.7", "overwritable ring buffers"),
	BIT(namespaces, "4.12", "namespace records"),
	SAMPLE("phys_addr", "4.14", "physical addresses", PERF_SAMPLE_PHYS_ADDR),
	BIT(ksymbol, "5.1", "records for loaded and unloaded kernel code"),
	BIT(bpf_event, "5.1", "records for BPF programs"),
	BIT(aux_output, "5.4", "events that write to the AUX area"),
	SAMPLE("aux_sample", "5.5", "AUX data in samples", PERF_SAMPLE_AUX),
	BIT(cgroup, "5.7", "cgroup records"),
	BIT(text_poke, "5.9", "records for modified kernel code"),
	SAMPLE("page_size", "5.11", "page sizes for sampled addresses", PERF_SAMPLE_DATA_PAGE_SIZE),
	BIT(build_id, "5.12", "build IDs in mmap records"),
	SAMPLE("weight_struct", "5.12", "sample weights split into parts",
	       PERF_SAMPLE_WEIGHT_STRUCT),
	SOFTWARE("cgroup_switches", "5.13", "counting switches between cgroups",
		 PERF_COUNT_SW_CGROUP_SWITCHES),
	{"inherit_thread",
	 "inheritance by threads only",
	 "5.13",
	 {{"inherit", 1}, {"inherit_thread", 1}}},
	BIT(remove_on_exec, "5.13", "events that are removed on exec"),
	{"sigtrap",
	 "signaling the thread on overflow",
	 "5.13",
	 {{"remove_on_exec", 1}, {"sigtrap", 1}}},
	{"read_lost", "lost sample counts", "6.0", {{"read_format", PERF_FORMAT_LOST}}},
	{"config3", "a fourth config word", "6.3", {{"config3", 1}}},
	{"inherit_read",
	 "group reads in samples of inherited events",
	 "6.12",
	 {{"inherit", 1},
	  {"sample_type", PERF_SAMPLE_READ | PERF_SAMPLE_TID},
	  {"read_format", PERF_FORMAT_GROUP}},
	 true},
	{"aux_pause", "pausing AUX areas", "6.13", {{"aux_action", 1}}},
	{"config4", "a fifth config word", "6.19", {{"config4", 1}}},
	BIT(defer_callchain, "6.19", "deferred user callchains"),
};

const size_t tally_probe_nr_features = TALLY_ARRAY_SIZE(tally_probe_features);

/* ---- probing ----------------------------------------------------------------- */

/* Return the attr of the simplest event: disabled, limited to user space, and without a hardware
 * counter. */
static struct perf_event_attr plain_attr(void)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(struct perf_event_attr),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
}

static int open_and_close(const struct tally_transport *transport, struct perf_event_attr *attr,
			  int32_t pid, int32_t cpu, unsigned long flags)
{
	int fd = transport->open(transport, attr, pid, cpu, -1, flags);

	if (fd < 0)
		return fd;
	transport->close(transport, fd);
	return 0;
}

static int probe_open(const struct tally_transport *transport, struct perf_event_attr *attr,
		      int32_t pid, unsigned long flags)
{
	attr->size = tally_attr_min_size(attr);
	return open_and_close(transport, attr, pid, -1, flags);
}

/* Get the attr size that the kernel knows. A kernel that finds a nonzero byte after its known
 * fields reports its own size. */
static uint32_t attr_size(const struct tally_transport *transport)
{
	union {
		struct perf_event_attr attr;
		uint8_t bytes[4096];
	} longest = {.attr = plain_attr()};
	int fd;

	longest.attr.size = sizeof(longest);
	longest.bytes[sizeof(longest) - 1] = 1;
	fd = transport->open(transport, &longest.attr, NO_TASK, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0)
		transport->close(transport, fd);
	return fd == -E2BIG && longest.attr.size < sizeof(longest) ? longest.attr.size : 0;
}

static bool reports_reserved(const struct tally_transport *transport)
{
	struct perf_event_attr attr = plain_attr(), good = plain_attr();
	int reserved, accepted;

	attr.__reserved_1 = 1 << 23;
	reserved = probe_open(transport, &attr, NO_TASK, PERF_FLAG_FD_CLOEXEC);
	accepted = probe_open(transport, &good, NO_TASK, PERF_FLAG_FD_CLOEXEC);
	return reserved == -EINVAL && accepted != -EINVAL;
}

/* Classify the results of tally_access_probe(). */
static enum tally_probe_syscall classify_syscall(int syscall, int plain, bool has_sysctl)
{
	if (!plain)
		return TALLY_SYSCALL_ACCEPTS;
	/* A patched kernel may reject unprivileged callers before checking anything else. */
	if (!syscall || syscall == -EACCES)
		return TALLY_SYSCALL_REJECTS;
	return syscall == -ENOSYS && !has_sysctl ? TALLY_SYSCALL_MISSING : TALLY_SYSCALL_FILTERED;
}

struct tally_probe_call tally_probe_call(const struct tally_transport *transport, bool has_sysctl)
{
	struct tally_probe_call call = {0};
	struct tally_access asked;

	tally_access_probe(transport, &asked);
	call.code = asked.plain;
	call.door = classify_syscall(asked.syscall, asked.plain, has_sysctl);
	if (call.door == TALLY_SYSCALL_ACCEPTS || call.door == TALLY_SYSCALL_REJECTS) {
		call.attr_size = attr_size(transport);
		call.is_believable = reports_reserved(transport);
	}
	return call;
}

/* Make the call in a child that does not send a signal when it exits, so as not to disturb a
 * program that ignores or handles SIGCHLD. Returns the child's status. */
static int probe_in_child(const struct tally_transport *transport)
{
	struct perf_event_attr attr = plain_attr();
	pid_t pid = (pid_t)syscall(SYS_clone, 0, 0, 0, 0, 0), gone;
	int status = 0;

	if (!pid) {
		prctl(PR_SET_DUMPABLE, 0); /* no core dump */
		transport->open(transport, &attr, 0, -1, -1, ~0ul);
		_exit(0);
	}
	do {
		gone = pid < 0 ? pid : waitpid(pid, &status, __WCLONE);
	} while (gone < 0 && errno == EINTR);
	return gone < 0 ? 0 : status;
}

bool tally_probe_kills(const struct tally_transport *transport)
{
	return prctl(PR_GET_SECCOMP) == SECCOMP_MODE_FILTER &&
	       WIFSIGNALED(probe_in_child(transport));
}

int tally_probe_event(const struct tally_transport *transport, struct perf_event_attr *attr,
		      int32_t pid, int32_t cpu)
{
	return open_and_close(transport, attr, pid, cpu, PERF_FLAG_FD_CLOEXEC);
}

enum tally_probe_answer tally_probe_feature(const struct tally_transport *transport,
					    const struct tally_probe_call *call,
					    const struct tally_probe_feature *feature)
{
	struct perf_event_attr attr = plain_attr();
	int ret;

	if (!call->is_believable || (feature->opens && call->door != TALLY_SYSCALL_ACCEPTS))
		return TALLY_PROBE_UNKNOWN;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(feature->set) && feature->set[i].field; i++)
		tally_attr_set(&attr, tally_attr_find_field(feature->set[i].field),
			       feature->set[i].value);
	ret = probe_open(transport, &attr, feature->opens ? 0 : NO_TASK, PERF_FLAG_FD_CLOEXEC);
	if (ret == -EINVAL || ret == -E2BIG || (feature->opens && ret == -ENOENT))
		return TALLY_PROBE_NO;
	if (feature->opens && ret && ret != -EACCES && ret != -EPERM && ret != -EOPNOTSUPP)
		return TALLY_PROBE_UNKNOWN;
	return TALLY_PROBE_YES;
}
