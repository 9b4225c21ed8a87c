/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/process/user_chain.h"

#include <errno.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/arith.h"

enum { BRANCH_WORDS = 3, REG_NONE = 255 };

/* ---- hardware call stacks (LBR) ----------------------------------------------- */

/* Return the length of a callchain's kernel part, including the marker that begins the user part,
 * or 0 if there is no such marker. */
static uint64_t kernel_part(struct tally_words chain)
{
	for (uint64_t i = 0; i < chain.nr; i++) {
		if (tally_words_get(chain, i) == (uint64_t)PERF_CONTEXT_USER)
			return i + 1;
	}
	return 0;
}

static int chain_push(struct tally_user_chains *chains, struct tally_words words, uint64_t nr)
{
	int ret = tally_vec_reserve(&chains->made, chains->made.len + nr);

	for (uint64_t i = 0; i < nr && !ret; i++)
		chains->made.data[chains->made.len++] = tally_words_get(words, i);
	return ret;
}

static void chain_use(const struct tally_user_chains *chains, struct tally_sample *sample)
{
	sample->callchain =
		(struct tally_words){(const uint8_t *)chains->made.data, chains->made.len};
}

/* Build the callchain, innermost first: the target of the last call, then the source address of
 * each call. */
static int chain_of_calls(struct tally_user_chains *chains, struct tally_sample *sample)
{
	struct tally_words calls = sample->branches;
	uint64_t nr = kernel_part(sample->callchain);
	int ret;

	if (!nr)
		return 0;
	ret = chain_push(chains, sample->callchain, nr);
	if (!ret)
		ret = tally_vec_push(&chains->made, tally_words_get(calls, 1));
	for (uint64_t i = 0; i < calls.nr && !ret; i += BRANCH_WORDS)
		ret = tally_vec_push(&chains->made, tally_words_get(calls, i));
	if (!ret)
		chain_use(chains, sample);
	return ret;
}

/* ---- stack dumps ---------------------------------------------------------------- */

/* Return the register number of the instruction pointer on an architecture. */
static uint8_t ip_register(const char *arch)
{
	static const struct {
		const char *arch; /* prefix of the architecture name */
		uint8_t reg;      /* register number as in that architecture's asm/perf_regs.h */
	} regs[] = {
		{"x86", 8},   {"i386", 8},   {"i486", 8},      {"i586", 8}, {"i686", 8},
		{"amd64", 8}, {"arm64", 32}, {"aarch64", 32},  {"arm", 15}, {"riscv", 0},
		{"ppc", 32},  {"s390", 33},  {"loongarch", 0}, {"mips", 0},
	};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(regs); i++) {
		if (!strncmp(arch, regs[i].arch, strlen(regs[i].arch)))
			return regs[i].reg;
	}
	return REG_NONE;
}

/* Get the value of register `reg`. Return false if the register was not recorded. */
static bool reg_value(const struct tally_regs *regs, uint8_t reg, uint64_t *ret_value)
{
	uint64_t before;

	if (!regs->abi || reg >= 64 || !(regs->mask >> reg & 1))
		return false;
	before = (uint64_t)__builtin_popcountll(regs->mask & ((1ull << reg) - 1));
	if (before >= regs->values.nr)
		return false;
	*ret_value = tally_words_get(regs->values, before);
	return true;
}

/* Fallback for a stack that cannot be unwound: add only the leaf function. */
static int chain_of_leaf(struct tally_user_chains *chains, struct tally_sample *sample)
{
	uint64_t ip;
	int ret;

	if (!reg_value(&sample->regs_user, chains->ip_register, &ip))
		return 0;
	ret = chain_push(chains, sample->callchain, sample->callchain.nr);
	if (!ret)
		ret = tally_vec_push(&chains->made, (uint64_t)PERF_CONTEXT_USER);
	if (!ret)
		ret = tally_vec_push(&chains->made, ip);
	if (!ret)
		chain_use(chains, sample);
	return ret;
}

/* Unwind the user part of the callchain from the registers and the stack dump. */
static int chain_of_dump(struct tally_user_chains *chains, const struct tally_thread *thread,
			 struct tally_sample *sample)
{
	struct tally_unwinder *unwinder = &chains->unwinder;
	enum tally_unwind_end end;
	int ret;

	if (tally_unwind_note_read(sample, &end))
		return tally_unwinder_count(unwinder, thread, sample->callchain, end);
	ret = tally_unwinder_run(unwinder, thread, sample, &end);
	if (ret > 0)
		sample->callchain = (struct tally_words){(const uint8_t *)unwinder->chain.data,
							 unwinder->chain.len};
	return ret && ret != -EAGAIN ? TALLY_MIN(ret, 0) : chain_of_leaf(chains, sample);
}

int tally_user_chain(struct tally_user_chains *chains, const struct perf_event_attr *attr,
		     const struct tally_thread *thread, struct tally_sample *sample)
{
	chains->made.len = 0;
	if (!(sample->present & PERF_SAMPLE_CALLCHAIN))
		return 0;
	if (attr->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK &&
	    sample->branches.nr >= BRANCH_WORDS)
		return chain_of_calls(chains, sample);
	if (sample->present & PERF_SAMPLE_STACK_USER && sample->stack_user.len)
		return chain_of_dump(chains, thread, sample);
	return 0;
}

/* ---- lifetime ------------------------------------------------------------------- */

void tally_user_chains_init(struct tally_user_chains *chains, struct tally_machine *machine,
			    const char *arch)
{
	struct utsname here;

	if (!*arch && !uname(&here))
		arch = here.machine;
	*chains = (struct tally_user_chains){
		.unwinder = {.machine = machine, .arch = tally_unwind_arch_named(arch)},
		.ip_register = ip_register(arch)};
}

void tally_user_chains_free(struct tally_user_chains *chains)
{
	tally_vec_free(&chains->made);
	tally_unwinder_free(&chains->unwinder);
}
