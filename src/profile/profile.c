/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/profile.h"

#include <string.h>

#include "base/arith.h"
#include "base/hash.h"
#include "profile/profile_private.h"

enum {
	CHAIN_SLOTS = 1 << 15,
	CHAIN_LOG = 4 << 20,
	DEFAULT_MAX_STACK = 127,
};

int tally_profile_init(struct tally_profile *profile, struct tally_machine *machine,
		       const struct tally_profile_options *options)
{
	struct tally_profile made = {.machine = machine, .options = *options};
	int ret = 0;

	if (!made.options.max_stack)
		made.options.max_stack = DEFAULT_MAX_STACK;
	made.addresses = calloc(TALLY_ADDRESS_SLOTS, sizeof(*made.addresses));
	if (!made.addresses)
		ret = -ENOMEM;
	if (!ret && options->by & TALLY_BY_PATH)
		ret = tally_cache_init(&made.chains, CHAIN_SLOTS, CHAIN_LOG);
	if (ret)
		tally_profile_free(&made);
	else
		*profile = made;
	return ret;
}

void tally_profile_free(struct tally_profile *profile)
{
	tally_paths_free(&profile->paths);
	tally_vec_free(&profile->cells);
	tally_vec_free(&profile->memos);
	tally_slots_free(&profile->slots);
	free(profile->addresses);
	tally_vec_free(&profile->totals);
	tally_cache_free(&profile->chains);
	tally_vec_free(&profile->scratch);
	tally_vec_free(&profile->frame_verdicts);
	*profile = (struct tally_profile){0};
}

int profile_frame(struct tally_profile *profile, const struct tally_thread *thread, uint8_t cpumode,
		  uint64_t ip, uint32_t *ret_frame)
{
	uint64_t space = tally_machine_space_of(profile->machine, thread, cpumode);
	struct tally_address *known = profile_address(profile, ip, space);
	struct tally_location location;
	int ret;

	if (space && known->ip == ip && known->space == space) {
		*ret_frame = known->frame;
		return 0;
	}
	tally_machine_resolve(profile->machine, thread, cpumode, ip, &location);
	ret = tally_paths_frame(&profile->paths, &location, ret_frame);
	/* A number that does not fit is not remembered; 0 is no space. */
	if (!ret)
		*known = (struct tally_address){ip, (uint32_t)space == space ? (uint32_t)space : 0,
						*ret_frame};
	return ret;
}

/* Events of a stream are only known as they come. */
static int totals_reach(struct tally_profile *profile, uint32_t event)
{
	int ret = 0;

	while (profile->totals.len <= event && !ret)
		ret = tally_vec_push(&profile->totals, (struct tally_profile_total){0});
	return ret;
}

int tally_profile_add(struct tally_profile *profile, uint32_t event,
		      const struct tally_thread *thread, uint8_t cpumode,
		      const struct tally_sample *sample, uint64_t weight)
{
	struct tally_profile_total *total;
	struct tally_pending add = {.key.event = event, .weight = weight};
	unsigned by = profile->options.by;
	uint32_t frame;
	int ret = profile_frame(profile, thread, cpumode, sample->ip, &frame);

	if (!ret)
		ret = totals_reach(profile, event);
	if (ret)
		return ret;
	total = &profile->totals.data[event];
	total->nr++;
	total->period += weight;
	if (!profile_passes(profile, thread, frame))
		return 0;
	total->nr_shown++;
	total->period_shown += weight;
	add.key.comm = by & TALLY_BY_COMM ? thread->comm : 0;
	add.key.thread = by & TALLY_BY_THREAD ? thread->index : 0;
	add.key.cpu = by & TALLY_BY_CPU ? sample->cpu : 0;
	add.key.frame = by & TALLY_BY_FRAME ? frame : 0;
	if (by & TALLY_BY_PATH && sample->callchain.nr)
		ret = profile_chain(profile, thread, cpumode, sample->callchain, &add);
	return ret ? ret : profile_cell_add(profile, &add);
}
