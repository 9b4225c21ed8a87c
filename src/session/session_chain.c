/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/session_chain.h"

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

static int chain_push(struct tally_session *session, struct tally_words words, uint64_t nr)
{
	int ret = tally_vec_reserve(&session->chain, session->chain.len + nr);

	for (uint64_t i = 0; i < nr && !ret; i++)
		session->chain.data[session->chain.len++] = tally_words_get(words, i);
	return ret;
}

static void chain_use(const struct tally_session *session, struct tally_sample *sample)
{
	sample->callchain =
		(struct tally_words){(const uint8_t *)session->chain.data, session->chain.len};
}

/* Build the callchain, innermost first: the target of the last call, then the source address of
 * each call. */
static int chain_of_calls(struct tally_session *session, struct tally_sample *sample)
{
	struct tally_words calls = sample->branches;
	uint64_t nr = kernel_part(sample->callchain);
	int ret;

	if (!nr)
		return 0;
	ret = chain_push(session, sample->callchain, nr);
	if (!ret)
		ret = tally_vec_push(&session->chain, tally_words_get(calls, 1));
	for (uint64_t i = 0; i < calls.nr && !ret; i += BRANCH_WORDS)
		ret = tally_vec_push(&session->chain, tally_words_get(calls, i));
	if (!ret)
		chain_use(session, sample);
	return ret;
}

/* ---- stack dumps ---------------------------------------------------------------- */

/* Return the unwinder for the recording's architecture, or for this machine's architecture if the
 * header does not contain one. */
static const struct tally_unwind_arch *session_arch(struct tally_session *session)
{
	const struct tally_perfdata_env *env;
	struct utsname name;

	if (!tally_perfdata_env(session->data, &env) && *env->arch)
		return tally_unwind_arch_named(env->arch);
	return uname(&name) ? NULL : tally_unwind_arch_named(name.machine);
}

/* Return the register number of the instruction pointer on the recording's architecture. */
static uint8_t ip_register(struct tally_session *session)
{
	static const struct {
		const char *arch; /* prefix of the architecture name */
		uint8_t reg;      /* register number as in that architecture's asm/perf_regs.h */
	} regs[] = {
		{"x86", 8},   {"i386", 8},   {"i486", 8},      {"i586", 8}, {"i686", 8},
		{"amd64", 8}, {"arm64", 32}, {"aarch64", 32},  {"arm", 15}, {"riscv", 0},
		{"ppc", 32},  {"s390", 33},  {"loongarch", 0}, {"mips", 0},
	};
	const struct tally_perfdata_env *env;

	if (tally_perfdata_env(session->data, &env) || !env->arch)
		return REG_NONE;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(regs); i++) {
		if (!strncmp(env->arch, regs[i].arch, strlen(regs[i].arch)))
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

static void unwinder_begin(struct tally_session *session)
{
	session->unwinder.machine = session->machine;
	session->unwinder.arch = session_arch(session);
	session->ip_register = ip_register(session);
	session->has_unwinder = true;
}

/* Fallback for a stack that cannot be unwound: add only the leaf function. */
static int chain_of_leaf(struct tally_session *session, struct tally_sample *sample)
{
	uint64_t ip;
	int ret;

	if (!reg_value(&sample->regs_user, session->ip_register, &ip))
		return 0;
	ret = chain_push(session, sample->callchain, sample->callchain.nr);
	if (!ret)
		ret = tally_vec_push(&session->chain, (uint64_t)PERF_CONTEXT_USER);
	if (!ret)
		ret = tally_vec_push(&session->chain, ip);
	if (!ret)
		chain_use(session, sample);
	return ret;
}

/* Unwind the user part of the callchain from the registers and the stack dump. */
static int chain_of_dump(struct tally_session *session, const struct tally_thread *thread,
			 struct tally_sample *sample)
{
	struct tally_unwinder *unwinder = &session->unwinder;
	enum tally_unwind_end end;
	int ret;

	if (!session->has_unwinder)
		unwinder_begin(session);
	if (tally_unwind_note_read(sample, &end))
		return tally_unwinder_count(unwinder, thread, sample->callchain, end);
	ret = tally_unwinder_run(unwinder, thread, sample, &end);
	if (ret > 0)
		sample->callchain = (struct tally_words){(const uint8_t *)unwinder->chain.data,
							 unwinder->chain.len};
	return ret ? TALLY_MIN(ret, 0) : chain_of_leaf(session, sample);
}

int tally_session_chain(struct tally_session *session, const struct perf_event_attr *attr,
			const struct tally_thread *thread, struct tally_sample *sample)
{
	session->chain.len = 0;
	if (attr->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK &&
	    sample->branches.nr >= BRANCH_WORDS)
		return chain_of_calls(session, sample);
	if (sample->present & PERF_SAMPLE_STACK_USER && sample->stack_user.len)
		return chain_of_dump(session, thread, sample);
	return 0;
}
