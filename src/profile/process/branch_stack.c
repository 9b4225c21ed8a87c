/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/process/branch_stack.h"

#include <errno.h>
#include <string.h>

#include "abi/attr.h"
#include "base/arith.h"

struct perf_branch_entry tally_branch(const struct tally_sample *sample, uint64_t i)
{
	struct perf_branch_entry entry;

	memcpy(&entry, sample->branches.data + i * sizeof(entry), sizeof(entry));
	return entry;
}

const struct tally_location *tally_branch_locate(struct tally_machine *machine,
						 const struct tally_thread *thread, uint8_t cpumode,
						 uint64_t ip)
{
	uint8_t other = cpumode == PERF_RECORD_MISC_KERNEL ? PERF_RECORD_MISC_USER
							   : PERF_RECORD_MISC_KERNEL;
	const struct tally_location *where = tally_machine_locate(machine, thread, cpumode, ip);

	if (where->dso)
		return where;
	where = tally_machine_locate(machine, thread, other, ip);
	/* Without maps of the kernel, every address could be the kernel's. */
	if (where->symbol || tally_machine_find_dso(machine, thread, other, ip))
		return where;
	return tally_machine_locate(machine, thread, cpumode, ip);
}

int tally_branches_each(struct tally_machine *machine, const struct tally_feed_sample *sample,
			tally_feed_fn *each, void *arg)
{
	int ret = 0;

	for (uint64_t i = 0; i < tally_branches(&sample->sample) && !ret; i++) {
		const struct perf_branch_entry branch = tally_branch(&sample->sample, i);
		struct tally_feed_sample one = *sample;

		one.branch = &branch;
		one.period = 1;
		one.sample.ip = branch.to;
		/* As in perf, a branch's addresses are in user space if they are mapped there. */
		one.cpumode = tally_branch_locate(machine, sample->thread, PERF_RECORD_MISC_USER,
						  branch.to)
				      ->cpumode;
		ret = each(arg, &one);
	}
	return ret;
}

/* ---- branches as callchains --------------------------------------------------------- */

static bool is_same(const struct perf_branch_entry *a, const struct perf_branch_entry *b,
		    uint64_t nr)
{
	for (uint64_t i = 0; i < nr; i++) {
		if (a[i].from != b[i].from || a[i].to != b[i].to)
			return false;
	}
	return true;
}

/* Read the sample's branches up to the first empty one, without repetitions of sequences. */
static int read_branches(struct tally_branch_chain *chain, const struct tally_sample *sample)
{
	uint64_t nr = TALLY_MIN(tally_branches(sample), (uint64_t)TALLY_BRANCH_CHAIN_MAX);
	int ret = tally_vec_reserve(&chain->branches, nr + 1);

	chain->branches.len = 0;
	for (uint64_t i = 0; i < nr && !ret; i++) {
		const struct perf_branch_entry branch = tally_branch(sample, i);
		struct perf_branch_entry *end;

		if (!branch.from && !branch.to)
			break;
		chain->branches.data[chain->branches.len++] = branch;
		end = chain->branches.data + chain->branches.len;
		for (uint64_t n = 1; n <= TALLY_BRANCH_LOOP_MAX && 2 * n <= chain->branches.len;
		     n++) {
			if (!is_same(end - n, end - 2 * n, n))
				continue;
			chain->branches.len -= n;
			break;
		}
	}
	return ret;
}

/* Add an address, and its address space if that differs from the one before it. */
static int add_address(struct tally_branch_chain *chain, struct tally_machine *machine,
		       const struct tally_feed_sample *sample, uint8_t *mode, uint64_t ip)
{
	uint8_t cpumode = tally_branch_locate(machine, sample->thread, *mode, ip)->cpumode;
	int ret = 0;

	if (cpumode != *mode)
		ret = tally_vec_push(&chain->words, cpumode == PERF_RECORD_MISC_KERNEL
							    ? (uint64_t)PERF_CONTEXT_KERNEL
							    : (uint64_t)PERF_CONTEXT_USER);
	*mode = cpumode;
	return ret ? ret : tally_vec_push(&chain->words, ip);
}

/* Add the recorded callers. If there are branches, leave out the sampled instruction and the caller
 * that the last branch shows: a return address is at most CALL_SIZE_MAX bytes after the call. */
static int add_callers(struct tally_branch_chain *chain, const struct tally_feed_sample *sample)
{
	enum { CALL_SIZE_MAX = 8 };
	struct tally_words from = sample->sample.callchain;
	bool are_returns = tally_attr_walks_user(sample->attr);
	size_t nr_branches = chain->branches.len;
	uint64_t last = nr_branches ? chain->branches.data[nr_branches - 1].from : UINT64_MAX;
	uint64_t nr = 0;
	int ret = 0;

	for (uint64_t i = 0; i < from.nr && !ret; i++) {
		uint64_t ip = tally_words_get(from, i);

		if (tally_context_cpumode(ip) == -2) {
			nr++;
			if (nr_branches && (nr == 1 || (nr == 2 && ip - last <= CALL_SIZE_MAX)))
				continue;
			ip -= are_returns && nr > 1;
		}
		ret = tally_vec_push(&chain->words, ip);
	}
	return ret;
}

int tally_branch_chain(struct tally_branch_chain *chain, struct tally_machine *machine,
		       struct tally_feed_sample *sample)
{
	uint8_t mode = sample->cpumode;
	int ret = read_branches(chain, &sample->sample);

	chain->words.len = 0;
	if (!ret && chain->branches.len && chain->branches.data[0].to != sample->sample.ip)
		ret = tally_vec_push(&chain->words, sample->sample.ip);
	for (size_t i = 0; i < chain->branches.len && !ret; i++) {
		ret = add_address(chain, machine, sample, &mode, chain->branches.data[i].to);
		if (!ret)
			ret = add_address(chain, machine, sample, &mode,
					  chain->branches.data[i].from);
	}
	if (!ret)
		ret = add_callers(chain, sample);
	sample->sample.callchain =
		(struct tally_words){(const uint8_t *)chain->words.data, chain->words.len};
	return ret;
}

void tally_branch_chain_free(struct tally_branch_chain *chain)
{
	tally_vec_free(&chain->words);
	tally_vec_free(&chain->branches);
}
