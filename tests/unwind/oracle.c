/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unwind every stack dump in a recording with tally and with libdwfl, and compare the stacks frame
 * by frame.
 *
 *	oracle [-v] [--ends] [--symfs DIR] [--vdso FILE] [--least PERCENT] FILE
 *
 * Exit status: 0 if at least 99.9 % of the frames that both unwinders found are equal, 1 if not, 2
 * if the recording cannot be read. If one unwinder follows a stack further than the other, the
 * additional frames do not count as differences. Such stacks are counted separately, with the
 * reason why the other unwinder stopped.
 */
#include <elf.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "oracle_dwfl.h"
#include "profile/process/feed.h"
#include "profile/process/unwind.h"
#include "tally/perfdata.h"

enum { SHOWN_BEHIND = 8 }; /* frames shown after the first difference */

/* Result of comparing one stack. */
enum verdict {
	EQUAL,
	LONGER_BY_US,
	LONGER_BY_LIBDWFL,
	DIFFERENT_FRAME,
	DIFFERENT_CALL,
	NR_VERDICTS
};

static const char *const verdict_names[NR_VERDICTS] = {
	[EQUAL] = "equal",
	[LONGER_BY_US] = "longer by us",
	[LONGER_BY_LIBDWFL] = "longer by libdwfl",
	[DIFFERENT_FRAME] = "another frame",
	[DIFFERENT_CALL] = "another kind of frame", /* interrupted according to only one unwinder */
};

/* A row of the table: stacks with the same result. */
struct group {
	enum verdict verdict;
	const struct tally_dso *dso; /* DSO of the last equal frame */
	enum tally_unwind_end end;   /* why tally's stack ended */
	const char *dwfl_end;
	uint64_t nr;
};

struct oracle {
	struct tally_perfdata *data;
	struct tally_symbols *symbols;
	struct tally_machine *machine;
	struct tally_feed feed;
	struct tally_unwinder unwinder;
	struct oracle_dwfl dwfl;
	TALLY_VEC(struct group) groups;
	uint64_t stacks[NR_VERDICTS], nr_stacks, whole_dwfl;
	uint64_t frames, frames_equal;
	uint64_t nr_installing, nr_trampolines; /* see is_installing(), is_trampoline() */
	/* Maximum number of stacks to print, for each group and for each reason why stacks end. */
	unsigned nr_examples, nr_of_ends;
};

/* User-space part of a callchain. */
struct stack {
	const uint64_t *ips;
	size_t nr;
};

static struct stack stack_of(const struct tally_unwinder *unwinder)
{
	const uint64_t *chain = unwinder->chain.data;
	size_t nr = 0;

	while (nr < unwinder->chain.len && chain[nr] != (uint64_t)PERF_CONTEXT_USER)
		nr++;
	nr += nr < unwinder->chain.len;
	return (struct stack){chain + nr, unwinder->chain.len - nr};
}

/* ---- comparison ----------------------------------------------------------------------- */

struct comparison {
	enum verdict verdict;
	size_t equal, shorter; /* equal frames, innermost first; frames of the shorter stack */
};

/* Compare two stacks. In a calling frame, tally's address is within the call, while libdwfl's is
 * the return address. If only one unwinder considers a frame interrupted, the frames are equal, but
 * their kinds differ. */
static struct comparison compare(const struct stack *ours, const struct oracle_dwfl *dwfl)
{
	size_t nr = ours->nr, nr_dwfl = dwfl->frames.len;
	struct comparison result = {.verdict = EQUAL, .shorter = TALLY_MIN(nr, nr_dwfl)};
	bool same_kind = true;

	for (; result.equal < result.shorter && same_kind; result.equal += same_kind) {
		const struct oracle_frame *frame = &dwfl->frames.data[result.equal];
		uint64_t ip = ours->ips[result.equal];

		if (ip != frame->ip && ip != frame->ip - 1)
			break;
		same_kind = (ip == frame->ip) == frame->is_activation;
	}
	if (!same_kind)
		result.verdict = DIFFERENT_CALL;
	else if (result.equal < result.shorter)
		result.verdict = DIFFERENT_FRAME;
	else if (nr != nr_dwfl)
		result.verdict = nr > nr_dwfl ? LONGER_BY_US : LONGER_BY_LIBDWFL;
	return result;
}

/* ---- output ----------------------------------------------------------------------------- */

static const char *dso_name(const struct tally_dso *dso)
{
	return dso ? tally_dso_name(dso) : "(nothing mapped)";
}

static void address_print(struct oracle *oracle, const struct tally_thread *thread, uint64_t ip)
{
	struct tally_location *at =
		tally_machine_locate(oracle->machine, thread, PERF_RECORD_MISC_USER, ip);

	printf("%#llx %s", (unsigned long long)ip, dso_name(at->dso));
	if (at->dso)
		printf("+%#llx", (unsigned long long)at->addr);
	if (at->symbol)
		printf(" %s", tally_symbol_name(at->dso, at->symbol));
}

static void example_print(struct oracle *oracle, const struct tally_thread *thread,
			  const struct comparison *result, enum tally_unwind_end end)
{
	struct stack ours = stack_of(&oracle->unwinder);
	const struct oracle_dwfl *dwfl = &oracle->dwfl;
	size_t nr = TALLY_MAX(ours.nr, dwfl->frames.len);

	printf("stack %llu of thread %d: %s, ours: %s\n", (unsigned long long)oracle->nr_stacks,
	       thread->tid, verdict_names[result->verdict], tally_unwind_end_text(end));
	for (size_t i = 0; i < nr && i < result->equal + SHOWN_BEHIND; i++) {
		bool is_ours = i < ours.nr, is_theirs = i < dwfl->frames.len;

		printf("  %3zu %c ", i, i < result->equal ? '=' : '!');
		if (is_ours)
			address_print(oracle, thread, ours.ips[i]);
		else
			printf("-");
		if (i >= result->equal) {
			printf("  |  ");
			if (is_theirs)
				address_print(oracle, thread,
					      dwfl->frames.data[i].ip -
						      !dwfl->frames.data[i].is_activation);
			else
				printf("-");
		}
		printf("\n");
	}
}

static int group_compare(const void *left, const void *right)
{
	const struct group *a = left, *b = right;

	return a->nr < b->nr ? 1 : a->nr > b->nr ? -1 : 0;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 100.0;
}

static void summary_print(struct oracle *oracle)
{
	printf("stacks: %llu\n", (unsigned long long)oracle->nr_stacks);
	for (int i = 0; i < NR_VERDICTS; i++)
		printf("%s: %llu\n", verdict_names[i], (unsigned long long)oracle->stacks[i]);
	printf("whole by libdwfl: %llu\n", (unsigned long long)oracle->whole_dwfl);
	printf("frames compared: %llu\n", (unsigned long long)oracle->frames);
	printf("frames equal: %llu\n", (unsigned long long)oracle->frames_equal);
	printf("share: %.4f %%\n", percent(oracle->frames_equal, oracle->frames));
	for (int i = 0; i < TALLY_UNWIND_NR_ENDS; i++)
		printf("%s: %llu\n", tally_unwind_end_text(i),
		       (unsigned long long)oracle->unwinder.counts.ends[i]);
	printf("of these both ended where libgcc installs registers: %llu\n",
	       (unsigned long long)oracle->nr_installing);
	printf("of all frames, signal returns that libdwfl does not know: %llu\n",
	       (unsigned long long)oracle->nr_trampolines);
	if (oracle->groups.len)
		qsort(oracle->groups.data, oracle->groups.len, sizeof(*oracle->groups.data),
		      group_compare);
	tally_vec_for_each (group, &oracle->groups)
		printf("%8llu  %s | %s | ours: %s | libdwfl: %s\n", (unsigned long long)group->nr,
		       verdict_names[group->verdict], dso_name(group->dso),
		       tally_unwind_end_text(group->end), group->dwfl_end);
}

/* ---- recording ----------------------------------------------------------------------------- */

/* Find or add the row for a stack. Returns NULL if out of memory. */
static struct group *group_get(struct oracle *oracle, const struct group *wanted)
{
	tally_vec_for_each (group, &oracle->groups) {
		if (group->verdict == wanted->verdict && group->dso == wanted->dso &&
		    group->end == wanted->end && !strcmp(group->dwfl_end, wanted->dwfl_end))
			return group;
	}
	return tally_vec_push(&oracle->groups, *wanted)
		       ? NULL
		       : &oracle->groups.data[oracle->groups.len - 1];
}

/* Return the DSO of the last equal frame. */
static const struct tally_dso *last_equal_dso(struct oracle *oracle,
					      const struct tally_thread *thread,
					      const struct comparison *result)
{
	struct stack ours = stack_of(&oracle->unwinder);
	size_t at = result->equal ? result->equal - 1 : 0;

	if (!ours.nr)
		return NULL;
	return tally_machine_find_dso(oracle->machine, thread, PERF_RECORD_MISC_USER, ours.ips[at]);
}

static const char *name_at(struct oracle *oracle, const struct tally_thread *thread, uint64_t ip)
{
	struct tally_location *at =
		tally_machine_locate(oracle->machine, thread, PERF_RECORD_MISC_USER, ip);

	return at->symbol ? tally_symbol_name(at->dso, at->symbol) : "";
}

/* Return true if the frame is a signal trampoline. Go's and musl's trampolines have no rules, so
 * libdwfl mistakes them for calls and stops there. The number of samples in handlers depends on the
 * load, because Go preempts with signals. */
static bool is_trampoline(struct oracle *oracle, const struct tally_thread *thread, uint64_t ip)
{
	return strstr(name_at(oracle, thread, ip), "sigreturn") != NULL;
}

/*
 * Return true if libgcc may be entering a landing pad. libgcc first copies the catching function's
 * registers over those saved in its own frame. These registers include the frame pointer, which the
 * caller's rule needs, so this stack cannot be unwound until libgcc jumps. The number of such
 * samples depends on the CPU, because the copy uses "rep movs", which is slow to start on some
 * CPUs.
 */
static bool is_installing(struct oracle *oracle, const struct tally_thread *thread,
			  const struct stack *stack)
{
	for (size_t i = 0; i < stack->nr; i++) {
		if (!strncmp(name_at(oracle, thread, stack->ips[i]), "_Unwind_", 8))
			return true;
	}
	return false;
}

static int stack_compare(struct oracle *oracle, const struct tally_thread *thread,
			 enum tally_unwind_end end)
{
	struct stack ours = stack_of(&oracle->unwinder);
	struct comparison result = compare(&ours, &oracle->dwfl);
	struct group wanted = {.verdict = result.verdict, .end = end}, *group;

	oracle->stacks[result.verdict]++;
	if (result.verdict == DIFFERENT_CALL &&
	    is_trampoline(oracle, thread, ours.ips[result.equal])) {
		oracle->nr_trampolines++;
		result.shorter = result.equal; /* the next frames cannot be compared */
	}
	oracle->frames += result.shorter;
	oracle->frames_equal += result.equal;
	oracle->nr_installing += end == TALLY_UNWIND_BAD_RULE && result.verdict == EQUAL &&
				 is_installing(oracle, thread, &ours);
	if (oracle->nr_of_ends && end != TALLY_UNWIND_BOTTOM &&
	    oracle->unwinder.counts.ends[end] <= oracle->nr_of_ends)
		example_print(oracle, thread, &result, end);
	if (result.verdict == EQUAL)
		return 0;
	wanted.dwfl_end = oracle->dwfl.end ? oracle->dwfl.end : "?";
	wanted.dso = last_equal_dso(oracle, thread, &result);
	group = group_get(oracle, &wanted);
	if (!group)
		return -ENOMEM;
	if (group->nr++ < oracle->nr_examples)
		example_print(oracle, thread, &result, end);
	return 0;
}

/* Unwind a sample's stack and compare. `arg` is a struct oracle. */
static int on_sample(void *arg, struct tally_feed_sample *from)
{
	const struct tally_thread *thread = from->thread;
	const struct tally_sample *sample = &from->sample;
	struct oracle *oracle = arg;
	enum tally_unwind_end end;
	int ret;

	if (!sample->stack_user.len || sample->regs_user.abi != PERF_SAMPLE_REGS_ABI_64)
		return 0;
	oracle->nr_stacks++;
	ret = tally_unwinder_run(&oracle->unwinder, thread, sample, &end);
	if (ret <= 0)
		return ret;
	ret = oracle_dwfl_unwind(&oracle->dwfl, thread, sample);
	if (ret)
		return ret;
	oracle->whole_dwfl += oracle->dwfl.end && !strcmp(oracle->dwfl.end, "outermost frame");
	return stack_compare(oracle, thread, end);
}

static int recording_read(struct oracle *oracle)
{
	struct tally_perfdata_record record;
	int ret;

	while ((ret = tally_perfdata_next_ordered(oracle->data, &record, NULL)) > 0) {
		struct tally_feed_event event = {0};

		if (record.event)
			event = (struct tally_feed_event){record.event->layout,
							  &record.event->attr};
		ret = tally_feed_record(&oracle->feed, &event, record.data, record.size);
		if (!ret && record.type != PERF_RECORD_SAMPLE)
			ret = oracle_dwfl_record(&oracle->dwfl, record.data, record.size);
		if (ret < 0)
			break;
	}
	return ret;
}

/* Return the recording's EM_* value, or this machine's if the recording does not contain one. */
static uint16_t recording_machine(struct tally_perfdata *data)
{
	const struct tally_perfdata_env *env;

	if (!tally_perfdata_env(data, &env) && *env->arch)
		return strcmp(env->arch, "aarch64") && strcmp(env->arch, "arm64") ? EM_X86_64
										  : EM_AARCH64;
#ifdef __aarch64__
	return EM_AARCH64;
#else
	return EM_X86_64;
#endif
}

static int build_ids_add(struct oracle *oracle)
{
	const struct tally_perfdata_build_id *id;
	int ret = 0;

	for (size_t i = 0; !ret && (id = tally_perfdata_build_id(oracle->data, i)); i++)
		ret = tally_machine_build_id(oracle->machine,
					     id->misc & PERF_RECORD_MISC_CPUMODE_MASK, id->filename,
					     id->bytes, id->size);
	return ret;
}

static int oracle_run(struct oracle *oracle, const char *path, const char *symfs)
{
	struct tally_symbols_options options = {.symfs = symfs};
	int ret = tally_perfdata_open(path, &oracle->data, NULL);

	if (!ret)
		ret = tally_symbols_new(&options, &oracle->symbols);
	if (!ret)
		ret = tally_machine_new(oracle->symbols, &oracle->machine);
	if (!ret)
		ret = build_ids_add(oracle);
	if (ret)
		return ret;
	tally_feed_init(&oracle->feed, oracle->machine, on_sample, oracle);
	oracle->dwfl.machine = recording_machine(oracle->data);
	oracle->dwfl.symfs = symfs;
	oracle->unwinder.machine = oracle->machine;
	oracle->unwinder.arch = tally_unwind_arch(oracle->dwfl.machine);
	return recording_read(oracle);
}

static void oracle_free(struct oracle *oracle)
{
	oracle_dwfl_free(&oracle->dwfl);
	tally_unwinder_free(&oracle->unwinder);
	tally_machine_free(oracle->machine);
	tally_symbols_free(oracle->symbols);
	tally_perfdata_close(oracle->data);
	tally_vec_free(&oracle->groups);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"symfs", required_argument, NULL, 's'}, {"vdso", required_argument, NULL, 'd'},
		{"ends", no_argument, NULL, 'e'},        {"least", required_argument, NULL, 'l'},
		{"verbose", no_argument, NULL, 'v'},     {0},
	};
	struct oracle oracle = {0};
	const char *symfs = NULL;
	double least = 99.9;
	int c, ret;

	unsetenv("DEBUGINFOD_URLS");
	while ((c = getopt_long(argc, argv, "v", options, NULL)) != -1) {
		switch (c) {
		case 's': symfs = optarg; break;
		case 'd': oracle.dwfl.vdso = optarg; break;
		case 'e': oracle.nr_of_ends += 3; break;
		case 'l': least = strtod(optarg, NULL); break;
		case 'v': oracle.nr_examples += 3; break;
		default: return 2;
		}
	}
	if (optind != argc - 1)
		return 2;
	ret = oracle_run(&oracle, argv[optind], symfs);
	if (ret)
		fprintf(stderr, "%s: %s\n", argv[optind], strerror(-ret));
	summary_print(&oracle);
	c = ret ? 2 : percent(oracle.frames_equal, oracle.frames) < least;
	oracle_free(&oracle);
	return c;
}
