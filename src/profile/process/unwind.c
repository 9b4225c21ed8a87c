/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/process/unwind.h"

#include <errno.h>
#include <string.h>

#include "base/arith.h"
#include "symbols/code.h"

enum { NR_MEMOS = 1 << 13 };

/* Argument passed to the unwinder's callbacks. */
struct walk_target {
	struct tally_unwinder *unwinder;
	struct tally_maps *maps;
};

/* Find the unwind rules for an address. Code from JIT compilers is unwound with frame pointers or
 * not at all. If a file is not available, frame pointers are not followed through its code, which
 * may not maintain them. */
static void code_find_rules(const struct walk_target *where, uint64_t ip,
			    struct tally_unwind_code *code)
{
	const struct tally_mapping *map = tally_maps_find(where->maps, ip);
	enum tally_dso_kind kind = map ? tally_dso_kind(map->dso) : TALLY_DSO_UNKNOWN;
	uint64_t addr = map ? tally_mapping_to_dso(map, ip) : 0;

	/* Memory that is not executable contains no code: it is a stack, a heap or file data. */
	*code = (struct tally_unwind_code){.why = map && map->is_code ? TALLY_UNWIND_NO_FILE
								      : TALLY_UNWIND_UNMAPPED};
	if (map && !map->is_code)
		return;
	code->may_have_pointer = kind == TALLY_DSO_PERF_MAP;
	if (code->may_have_pointer)
		code->why = TALLY_UNWIND_ANONYMOUS;
	if (kind != TALLY_DSO_USER && kind != TALLY_DSO_VDSO)
		return;
	if (where->unwinder->is_ready &&
	    !where->unwinder->is_ready(where->unwinder->arg, map->dso)) {
		where->unwinder->is_waiting = true;
		return;
	}
	code->table = tally_dso_rules(map->dso);
	if (code->table && !tally_unwind_table_is_code(code->table, addr)) {
		*code = (struct tally_unwind_code){.why = TALLY_UNWIND_UNMAPPED};
		return;
	}
	if (code->table)
		code->has_rule = tally_unwind_table_find(code->table, addr, &code->rule);
	else if (tally_dso_rules_state(map->dso) == TALLY_DSO_NO_SYMBOLS)
		code->why = TALLY_UNWIND_NO_RULES;
	code->may_have_pointer = tally_dso_has_frame_pointers(map->dso);
}

static const struct tally_unwind_code *code_find(void *arg, uint64_t ip)
{
	const struct walk_target *where = arg;
	struct tally_unwind_memo *memo = &where->unwinder->memos[(ip ^ ip >> 13) & (NR_MEMOS - 1)];

	if (memo->ip == ip && memo->space == where->maps->space)
		return &memo->code;
	code_find_rules(where, ip, &memo->code);
	memo->ip = ip;
	memo->space = where->unwinder->is_waiting ? 0 : where->maps->space;
	return &memo->code;
}

static bool code_is_return(void *arg, uint64_t ip)
{
	const struct walk_target *where = arg;
	const struct tally_mapping *map = tally_maps_find(where->maps, ip);

	return !map || tally_dso_is_return_address(map->dso, tally_mapping_to_dso(map, ip));
}

/* Map the recorded registers to DWARF numbers. Returns false if they are insufficient. */
static bool regs_convert(const struct tally_unwind_arch *arch, const struct tally_regs *from,
			 struct tally_unwind_regs *regs)
{
	uint64_t nr = 0;

	regs->known = 0;
	if ((from->abi & ~(uint64_t)PERF_SAMPLE_REGS_ABI_SIMD) != PERF_SAMPLE_REGS_ABI_64)
		return false;
	for (unsigned i = 0; i < 64 && nr < from->values.nr; i++) {
		if (!(from->mask >> i & 1))
			continue;
		if (i < arch->nr_perf && arch->perf[i] < TALLY_UNWIND_NR_REGS)
			tally_unwind_reg_set(regs, arch->perf[i],
					     tally_words_get(from->values, nr));
		nr++;
	}
	return regs->known >> arch->ip & regs->known >> arch->sp & 1;
}

uint64_t tally_unwinder_key(const struct tally_dso *dso, enum tally_unwind_end end)
{
	return (uintptr_t)dso | end;
}

const struct tally_dso *tally_unwinder_key_parse(uint64_t key, enum tally_unwind_end *ret_end)
{
	*ret_end = (enum tally_unwind_end)(key & 15);
	return (const struct tally_dso *)(uintptr_t)(key & ~UINT64_C(15));
}

static int end_count(struct tally_unwinder *unwinder, const struct tally_thread *thread,
		     enum tally_unwind_end end, uint64_t ip)
{
	const struct tally_mapping *map;
	uint64_t key, before;

	if (unwinder->is_again)
		return 0;
	unwinder->counts.ends[end]++;
	if (end == TALLY_UNWIND_BOTTOM)
		return 0;
	map = tally_maps_find(thread->process->maps, ip);
	key = tally_unwinder_key(map ? map->dso : NULL, end);
	before = tally_map_get(&unwinder->by_dso, key);
	return tally_map_set(&unwinder->by_dso, key, before == TALLY_MAP_NONE ? 1 : before + 1);
}

int tally_unwinder_count(struct tally_unwinder *unwinder, const struct tally_thread *thread,
			 struct tally_words chain, enum tally_unwind_end end)
{
	uint64_t ip = chain.nr ? tally_words_get(chain, chain.nr - 1) : 0;

	return end_count(unwinder, thread, end, ip);
}

/* ---- notes ------------------------------------------------------------------------ */

static const uint8_t note_magic[] = {'T', 'L', 'Y', 'U', 1};

void tally_unwind_note_write(enum tally_unwind_end end, uint8_t ret_note[TALLY_UNWIND_NOTE_SIZE])
{
	memset(ret_note, 0, TALLY_UNWIND_NOTE_SIZE);
	memcpy(ret_note, note_magic, sizeof(note_magic));
	ret_note[sizeof(note_magic)] = (uint8_t)end;
}

bool tally_unwind_note_read(const struct tally_sample *sample, enum tally_unwind_end *ret_end)
{
	const uint8_t *note = sample->stack_user.data;

	if (sample->regs_user.abi != PERF_SAMPLE_REGS_ABI_NONE ||
	    sample->stack_user.len != TALLY_UNWIND_NOTE_SIZE ||
	    memcmp(note, note_magic, sizeof(note_magic)) ||
	    note[sizeof(note_magic)] >= TALLY_UNWIND_NR_ENDS)
		return false;
	*ret_end = (enum tally_unwind_end)note[sizeof(note_magic)];
	return true;
}

/* ---- stacks ----------------------------------------------------------------------- */

/* The dump has the byte order of the recorded architecture, regardless of the file's byte order.
 * All known architectures are little-endian. */
static void stack_unwind(struct tally_unwinder *unwinder, const struct tally_thread *thread,
			 const struct tally_sample *sample, struct tally_unwind_regs *regs,
			 struct tally_unwind_stack *stack)
{
	struct walk_target where = {unwinder, thread->process->maps};
	struct tally_unwind_thread target = {.arch = unwinder->arch,
					     .memory = {.stack = sample->stack_user.data,
							.start = regs->value[unwinder->arch->sp],
							.len = sample->stack_user.len,
							.swap = TALLY_HOST_BIG_ENDIAN},
					     .find = code_find,
					     .is_return = code_is_return,
					     .arg = &where};

	stack->steps = unwinder->steps.data;
	stack->max = unwinder->max_frames ? TALLY_MIN(unwinder->max_frames, TALLY_UNWIND_MAX_FRAMES)
					  : TALLY_UNWIND_MAX_FRAMES;
	unwinder->is_waiting = false;
	tally_unwind_walk(&target, regs, stack);
}

/* Return the number of callchain entries before the user-space part. */
static uint64_t kernel_part(struct tally_words chain)
{
	uint64_t nr = 0;

	while (nr < chain.nr && tally_words_get(chain, nr) != (uint64_t)PERF_CONTEXT_USER)
		nr++;
	return nr;
}

/* Compare `recorded`, from index `at` inwards, with the unwound frames, starting at the outermost
 * frame. Return the number of equal entries. */
static uint64_t entries_in_common(struct tally_words recorded, uint64_t at,
				  const struct tally_unwind_stack *stack)
{
	uint64_t nr = 0;

	while (nr < stack->nr && nr <= at &&
	       tally_words_get(recorded, at - nr) == stack->steps[stack->nr - 1 - nr].ip)
		nr++;
	return nr;
}

/* Return the callers that the kernel found with frame pointers beyond the last unwound frame
 * (--call-graph auto). A recursive function has several entries; choose the entry with the longest
 * match before it. */
static struct tally_words pointers_beyond(struct tally_words recorded,
					  const struct tally_unwind_stack *stack)
{
	uint64_t best = 0, behind = recorded.nr;

	if (stack->end == TALLY_UNWIND_BOTTOM || stack->end == TALLY_UNWIND_LIMIT)
		return (struct tally_words){0};
	for (uint64_t i = 0; i < recorded.nr; i++) {
		uint64_t nr = entries_in_common(recorded, i, stack);

		behind = nr > best ? i + 1 : behind;
		best = TALLY_MAX(best, nr);
	}
	return (struct tally_words){recorded.data + 8 * behind, recorded.nr - behind};
}

/* Return the number of words before the first word outside code. Functions that use the frame
 * pointer register for data can divert the chain anywhere, so a word outside code and everything
 * after it are not callers. */
static uint64_t words_in_code(struct tally_maps *maps, struct tally_words words)
{
	uint64_t nr = 0;

	for (; nr < words.nr; nr++) {
		uint64_t word = tally_words_get(words, nr);
		const struct tally_mapping *map = tally_maps_find(maps, word);

		if (tally_context_cpumode(word) != -2 || !(map ? map->is_code : !maps->root))
			break;
	}
	return nr;
}

static int chain_make(struct tally_unwinder *unwinder, struct tally_maps *maps,
		      struct tally_words recorded, struct tally_unwind_stack *stack)
{
	uint64_t nr = kernel_part(recorded), *to;
	uint64_t user = TALLY_MIN(nr + 1, recorded.nr);
	struct tally_words beyond = pointers_beyond(
		(struct tally_words){recorded.data + 8 * user, recorded.nr - user}, stack);
	uint64_t in_code = words_in_code(maps, beyond);
	bool is_whole = beyond.nr && in_code == beyond.nr;

	beyond.nr = in_code;

	if (tally_vec_reserve(&unwinder->chain, nr + 1 + stack->nr + beyond.nr))
		return -ENOMEM;
	to = unwinder->chain.data;
	for (uint64_t i = 0; i < nr; i++)
		*to++ = tally_words_get(recorded, i);
	*to++ = (uint64_t)PERF_CONTEXT_USER;
	for (size_t i = 0; i < stack->nr; i++)
		*to++ = stack->steps[i].call;
	for (uint64_t i = 0; i < beyond.nr; i++)
		*to++ = tally_words_get(beyond, i) - 1;
	unwinder->chain.len = (size_t)(to - unwinder->chain.data);
	if (beyond.nr) {
		stack->end = is_whole ? TALLY_UNWIND_POINTERS : stack->end;
		stack->end_ip = tally_words_get(beyond, beyond.nr - 1);
	}
	return 0;
}

static int unwinder_prepare(struct tally_unwinder *unwinder)
{
	if (!unwinder->memos)
		unwinder->memos = calloc(NR_MEMOS, sizeof(*unwinder->memos));
	return unwinder->memos ? tally_vec_reserve(&unwinder->steps, TALLY_UNWIND_MAX_FRAMES)
			       : -ENOMEM;
}

int tally_unwinder_run(struct tally_unwinder *unwinder, const struct tally_thread *thread,
		       const struct tally_sample *sample, enum tally_unwind_end *ret_end)
{
	struct tally_unwind_stack stack;
	struct tally_unwind_regs regs;
	int ret;

	if (!unwinder->arch || !regs_convert(unwinder->arch, &sample->regs_user, &regs)) {
		unwinder->counts.foreign += !unwinder->is_again;
		return 0;
	}
	ret = unwinder_prepare(unwinder);
	if (ret)
		return ret;
	stack_unwind(unwinder, thread, sample, &regs, &stack);
	if (unwinder->is_waiting)
		return -EAGAIN;
	ret = chain_make(unwinder, thread->process->maps, sample->callchain, &stack);
	if (!ret)
		ret = end_count(unwinder, thread, stack.end, stack.end_ip);
	if (ret)
		return ret;
	*ret_end = stack.end;
	return 1;
}

static void memos_clear(struct tally_unwinder *unwinder)
{
	free(unwinder->memos);
	unwinder->memos = NULL;
}

void tally_unwinder_restart(struct tally_unwinder *unwinder)
{
	memos_clear(unwinder);
	unwinder->is_again = true;
}

void tally_unwinder_free(struct tally_unwinder *unwinder)
{
	tally_map_free(&unwinder->by_dso);
	tally_vec_free(&unwinder->steps);
	tally_vec_free(&unwinder->chain);
	memos_clear(unwinder);
}
