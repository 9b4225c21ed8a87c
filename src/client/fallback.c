/* SPDX-License-Identifier: BSD-2-Clause */
/* Fallbacks for rejected events: request less and less, in a fixed order. */
#include <errno.h>
#include <sys/resource.h>

#include "client/access_private.h"
#include "client/counters_private.h"

void counters_raise_limit(size_t more)
{
	enum { RESERVE = 64 };
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= more + RESERVE)
		return;
	limit.rlim_cur = limit.rlim_max < more + RESERVE ? limit.rlim_max : more + RESERVE;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* Clear the newest attr bit that is set. An old kernel rejects newer bits with EINVAL (reserved
 * bit) or E2BIG. Return true if a bit was cleared. */
static bool drop_newest(struct perf_event_attr *attr)
{
#define DROP(condition, undo) \
	if (condition) {      \
		undo;         \
		return true;  \
	}
	DROP(attr->read_format & PERF_FORMAT_LOST, attr->read_format &= ~(uint64_t)PERF_FORMAT_LOST)
	DROP(attr->build_id, attr->build_id = 0)
	DROP(attr->cgroup, attr->cgroup = 0)
	DROP(attr->ksymbol || attr->bpf_event, attr->ksymbol = attr->bpf_event = 0)
	DROP(attr->namespaces, attr->namespaces = 0)
	DROP(attr->use_clockid, attr->use_clockid = 0; attr->clockid = 0)
	DROP(attr->comm_exec, attr->comm_exec = 0)
	DROP(attr->mmap2, attr->mmap2 = 0)
	DROP(attr->sample_type & PERF_SAMPLE_IDENTIFIER,
	     attr->sample_type =
		     (attr->sample_type & ~(uint64_t)PERF_SAMPLE_IDENTIFIER) | PERF_SAMPLE_ID)
	DROP(attr->exclude_guest || attr->exclude_host,
	     attr->exclude_guest = attr->exclude_host = 0)
	DROP(attr->sample_id_all, attr->sample_id_all = 0)
#undef DROP
	return false;
}

static bool is_hardware(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_HARDWARE;
}

static bool no_pmu(const struct perf_event_attr *attr, int code,
		   const struct tally_open_options *options)
{
	return options->may_fall_back && is_hardware(attr) &&
	       attr->config == PERF_COUNT_HW_CPU_CYCLES &&
	       (code == -ENOENT || code == -EOPNOTSUPP || code == -ENODEV || code == -ENXIO);
}

/* Before Linux 3.12, there is no dummy event. Replace it with an event that hardly ever occurs, and
 * is not sampled if it does. */
static bool replace_dummy(struct perf_event_attr *attr)
{
	if (attr->type != PERF_TYPE_SOFTWARE || attr->config != PERF_COUNT_SW_DUMMY)
		return false;
	attr->config = PERF_COUNT_SW_EMULATION_FAULTS;
	if (attr->sample_period)
		attr->sample_period = INT64_MAX;
	return true;
}

static bool is_permission(int code)
{
	return code == -EACCES || code == -EPERM;
}

/* Some kernels (6.12.117) deny user-space callchains unless exclude_callchain_kernel is set. */
static bool drop_kernel_chain(struct perf_event_attr *attr)
{
	if (!attr->exclude_kernel || attr->exclude_callchain_kernel ||
	    !(attr->sample_type & PERF_SAMPLE_CALLCHAIN))
		return false;
	attr->exclude_callchain_kernel = 1;
	return true;
}

bool attr_relax(struct perf_event_attr *attr, int code, const struct tally_open_options *options,
		unsigned *fallback)
{
	if (is_permission(code) && drop_kernel_chain(attr))
		return true;
	/* Do not set exclude_kernel for events that occur only in the kernel. They would count 0 in
	 * user space, as if they never occurred. */
	if (is_permission(code) && !attr->exclude_kernel && !attr->exclude_user &&
	    !access_only_in_kernel(attr)) {
		attr->exclude_kernel = 1;
		attr->exclude_hv = 1;
		*fallback |= TALLY_FALLBACK_NO_KERNEL;
		return true;
	}
	/* Linux 6.19. Old kernels are more common than events without precise_ip. */
	if (code == -EINVAL && (attr->defer_callchain || attr->defer_output)) {
		attr->defer_callchain = attr->defer_output = 0;
		*fallback |= TALLY_FALLBACK_NO_DEFER;
		return true;
	}
	if (attr->precise_ip && (code == -EOPNOTSUPP || code == -EINVAL)) {
		attr->precise_ip--;
		*fallback |= TALLY_FALLBACK_PRECISE;
		return true;
	}
	if (no_pmu(attr, code, options)) {
		attr->type = PERF_TYPE_SOFTWARE;
		attr->config = PERF_COUNT_SW_CPU_CLOCK;
		attr->precise_ip = 0;
		/* A clock has no precise_ip, so it cannot lose precision. */
		*fallback =
			(*fallback & ~(unsigned)TALLY_FALLBACK_PRECISE) | TALLY_FALLBACK_CPU_CLOCK;
		return true;
	}
	if (((code == -EINVAL || code == -E2BIG) && drop_newest(attr)) ||
	    ((code == -EINVAL || code == -ENOENT) && replace_dummy(attr))) {
		*fallback |= TALLY_FALLBACK_OLD_KERNEL;
		return true;
	}
	return false;
}
