/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/process/ignore_callees.h"

#include <errno.h>

/* A frame of a callchain. */
struct chain_frame {
	uint64_t at; /* index in the callchain */
	uint64_t ip;
	uint8_t cpumode;
	bool is_leaf;
};

int tally_ignore_callees_set(struct tally_ignore_callees *ignore, const char *pattern)
{
	int ret = regcomp(&ignore->pattern, pattern, REG_EXTENDED | REG_NOSUB);

	if (ret)
		return ret == REG_ESPACE ? -ENOMEM : -EINVAL;
	ignore->is_set = true;
	return 0;
}

void tally_ignore_callees_free(struct tally_ignore_callees *ignore)
{
	if (ignore->is_set)
		regfree(&ignore->pattern);
	tally_vec_free(&ignore->chain);
}

static bool frame_matches(const struct tally_ignore_callees *ignore, struct tally_machine *machine,
			  const struct tally_thread *thread, const struct chain_frame *frame)
{
	/* A return address may be that of the next function. */
	const struct tally_location *where =
		tally_machine_locate(machine, thread, frame->cpumode, frame->ip - !frame->is_leaf);

	return where->symbol &&
	       !regexec(&ignore->pattern, tally_symbol_name(where->dso, where->symbol), 0, NULL, 0);
}

/* Find the outermost frame that matches. Returns false if none does. */
static bool find_outermost(const struct tally_ignore_callees *ignore, struct tally_machine *machine,
			   const struct tally_feed_sample *sample, struct chain_frame *ret_found)
{
	struct chain_frame frame = {.cpumode = sample->cpumode, .is_leaf = true};
	bool has_found = false;

	for (uint64_t i = 0; i < sample->sample.callchain.nr; i++) {
		int mode;

		frame.at = i;
		frame.ip = tally_words_get(sample->sample.callchain, i);
		mode = tally_context_cpumode(frame.ip);
		if (mode >= 0)
			frame.cpumode = (uint8_t)mode;
		if (mode != -2)
			continue;
		if (frame_matches(ignore, machine, sample->thread, &frame)) {
			*ret_found = frame;
			has_found = true;
		}
		frame.is_leaf = false;
	}
	return has_found;
}

static uint64_t context_of(uint8_t cpumode)
{
	return cpumode == PERF_RECORD_MISC_KERNEL ? PERF_CONTEXT_KERNEL : PERF_CONTEXT_USER;
}

int tally_ignore_callees_apply(struct tally_ignore_callees *ignore, struct tally_machine *machine,
			       struct tally_feed_sample *sample)
{
	struct tally_words *chain = &sample->sample.callchain;
	struct chain_frame found;
	int ret = 0;

	if (!ignore->is_set || !find_outermost(ignore, machine, sample, &found) || found.is_leaf)
		return 0;
	sample->sample.ip = found.ip - 1;
	sample->cpumode = found.cpumode;
	ignore->chain.len = 0;
	ret = tally_vec_push(&ignore->chain, context_of(found.cpumode));
	if (!ret)
		ret = tally_vec_push(&ignore->chain, sample->sample.ip);
	for (uint64_t i = found.at + 1; i < chain->nr && !ret; i++)
		ret = tally_vec_push(&ignore->chain, tally_words_get(*chain, i));
	*chain = (struct tally_words){(const uint8_t *)ignore->chain.data, ignore->chain.len};
	return ret;
}
