/* SPDX-License-Identifier: BSD-2-Clause */
/* Filters samples. Each frame is matched only once. */
#include <string.h>

#include "profile/profile_private.h"

enum verdict { UNKNOWN, PASSES, FAILS };

static bool list_has(const char *const *list, const char *text)
{
	if (!list)
		return true;
	for (; *list; list++) {
		if (!strcmp(*list, text))
			return true;
	}
	return false;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static bool is_idle(const struct tally_profile_filter *filter, const struct tally_frame *frame)
{
	const char *name = frame->symbol ? tally_symbol_name(frame->dso, frame->symbol) : "";

	return filter->idle && frame->cpumode == PERF_RECORD_MISC_KERNEL &&
	       list_has(filter->idle, name);
}

bool profile_is_idle(const struct tally_profile *profile, uint32_t frame)
{
	return is_idle(&profile->options.filter, &profile->frames.all.data[frame]);
}

static bool frame_passes(const struct tally_profile_filter *filter, const struct tally_frame *frame)
{
	const char *dso = frame->dso ? tally_dso_name(frame->dso) : "[unknown]";
	const char *name = frame->symbol ? tally_symbol_name(frame->dso, frame->symbol) : "";

	if (is_idle(filter, frame))
		return false;
	if (filter->named_only && !frame->symbol)
		return false;
	if (!list_has(filter->dsos, dso) && !list_has(filter->dsos, base_name(dso)))
		return false;
	if (!list_has(filter->symbols, name))
		return false;
	return !filter->symbol_part || strstr(name, filter->symbol_part);
}

bool profile_filters(const struct tally_profile *profile)
{
	const struct tally_profile_filter *filter = &profile->options.filter;

	return filter->comms || filter->dsos || filter->symbols || filter->symbol_part ||
	       filter->idle || filter->named_only;
}

bool profile_passes(struct tally_profile *profile, uint32_t comm, uint32_t frame)
{
	const struct tally_profile_filter *filter = &profile->options.filter;
	uint8_t *verdict;

	if (filter->comms &&
	    !list_has(filter->comms,
		      tally_intern_text(tally_machine_comms(profile->machine), comm)))
		return false;
	while (profile->frame_verdicts.len <= frame) {
		/* If out of memory, match without a cache. */
		if (tally_vec_push(&profile->frame_verdicts, UNKNOWN))
			return frame_passes(filter, &profile->frames.all.data[frame]);
	}
	verdict = &profile->frame_verdicts.data[frame];
	if (*verdict == UNKNOWN)
		*verdict = frame_passes(filter, &profile->frames.all.data[frame]) ? PASSES : FAILS;
	return *verdict == PASSES;
}
