/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Limits on locked memory. Ring buffer pages are charged first to the user's allowance for each CPU
 * (perf_event_mlock_kb), and then to the process limit (RLIMIT_MEMLOCK). Each ring's header page is
 * charged as well.
 */
#include <errno.h>
#include <inttypes.h>

#include "base/arith.h"
#include "client/access_private.h"

static bool is_unlimited(const struct tally_access *access)
{
	return tally_access_has(access, TALLY_CAP_IPC_LOCK) ||
	       (access->paranoid < 0 && access->paranoid != TALLY_ACCESS_UNKNOWN) ||
	       access->memlock == UINT64_MAX;
}

static uint64_t budget_pages(const struct tally_access *access)
{
	uint64_t user, process = access->memlock;

	if (__builtin_mul_overflow(access->mlock_kb * 1024 / access->page_size, access->cpus,
				   &user))
		return UINT64_MAX;
	process -= TALLY_MIN(access->pinned, process);
	return user + process / access->page_size;
}

/* Return the number of pages needed, including header pages, or UINT64_MAX on overflow. */
static uint64_t needed_pages(size_t pages, size_t nr_rings)
{
	uint64_t all;

	return __builtin_mul_overflow((uint64_t)pages + 1, (uint64_t)nr_rings, &all) ? UINT64_MAX
										     : all;
}

static uint64_t to_kib(const struct tally_access *access, uint64_t pages)
{
	return tally_mul_div(pages, access->page_size, 1024);
}

/* Return the largest power of two below `pages` that fits, or 0 if none does. */
static size_t fitting_pages(const struct tally_access *access, size_t pages, size_t nr_rings)
{
	uint64_t budget = budget_pages(access);
	size_t fit = 1;

	if (needed_pages(fit, nr_rings) > budget)
		return 0;
	while (fit * 2 < pages && needed_pages(fit * 2, nr_rings) <= budget)
		fit *= 2;
	return fit < pages ? fit : 0;
}

static bool fits(const struct tally_access *access, size_t pages, size_t nr_rings)
{
	return is_unlimited(access) || needed_pages(pages, nr_rings) <= budget_pages(access);
}

void tally_access_explain_rings(const struct tally_access *access, size_t pages, size_t nr_rings,
				struct tally_refusal *ret_why)
{
	uint64_t kib = to_kib(access, needed_pages(pages, nr_rings));
	size_t smaller = fitting_pages(access, pages, nr_rings);
	struct tally_refusal why = {
		.code = -EPERM, .pid = -1, .cpu = -1, .broken = TALLY_RULE_LOCKED_MEMORY};

	FORMAT_TEXT(why.rule, "the ring buffers exceed the locked memory limit");
	FORMAT_TEXT(why.found,
		    "kernel.perf_event_mlock_kb is %s%" PRIu64
		    " for each of %u CPUs, RLIMIT_MEMLOCK is "
		    "%" PRIu64 " KiB%s, and CAP_IPC_LOCK is not held",
		    access->mlock_kb_is_assumed ? "unreadable, with a default of " : "",
		    access->mlock_kb, access->cpus, access->memlock / 1024,
		    fits(access, pages, nr_rings)
			    ? ", and other processes of this user use part of both"
			    : "");
	FORMAT_TEXT(why.needed, "%" PRIu64 " KiB for %zu ring buffers, or CAP_IPC_LOCK", kib,
		    nr_rings);
	if (pages > 1)
		access_add_fix(&why, "use smaller ring buffers: -m %zu", smaller ? smaller : 1);
	access_fix_capability(access, TALLY_CAP_IPC_LOCK, &why);
	access_fix_sysctl(access, "kernel.perf_event_mlock_kb",
			  (int64_t)(TALLY_MIN(kib, (uint64_t)INT32_MAX) / access->cpus + 1), &why);
	*ret_why = why;
}

size_t tally_access_rings(const struct tally_access *access, size_t pages, size_t nr_rings,
			  struct tally_refusal *ret_why)
{
	if (fits(access, pages, nr_rings))
		return pages;
	if (ret_why)
		tally_access_explain_rings(access, pages, nr_rings, ret_why);
	return fitting_pages(access, pages, nr_rings);
}
