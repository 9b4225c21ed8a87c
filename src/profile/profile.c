/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/profile_model.h"

#include <string.h>

#include "base/arith.h"
#include "base/hash.h"
#include "profile/expand.h"
#include "profile/profile_private.h"
#include "profile/profile_thread.h"
#include "profile/short_names.h"
#include "symbols/jit/jit_code.h"

enum { DEFAULT_MAX_STACK = 127 };

/* Number of slots in the caches. They start with FIRST_SLOTS, because most recordings are small and
 * the memory is cleared before use, and grow for large recordings. Live profiles use LIVE_SLOTS. */
enum {
	FIRST_SLOTS = 1 << 12,
	ADDRESS_SLOTS = 1 << 18,
	CALLERS_SLOTS = 1 << 17,
	LIVE_SLOTS = 1 << 14,
};

int tally_profile_init(struct tally_profile *profile, struct tally_machine *machine,
		       const struct tally_profile_options *options)
{
	struct tally_profile made = {.machine = machine, .options = *options};
	int ret = 0;

	if (!made.options.max_stack)
		made.options.max_stack = DEFAULT_MAX_STACK;
	made.address_slots = made.callers_slots = options->is_live ? LIVE_SLOTS : FIRST_SLOTS;
	made.addresses = calloc(made.address_slots, sizeof(*made.addresses));
	made.own_batch = made.batch = made.gathering = calloc(1, sizeof(*made.own_batch));
	made.names = tally_profile_names_new();
	if (!made.addresses || !made.own_batch || !made.names)
		ret = -ENOMEM;
	if (!ret && options->by & TALLY_BY_PATH)
		made.callers = calloc(made.callers_slots, sizeof(*made.callers));
	if (options->by & TALLY_BY_PATH && !made.callers)
		ret = -ENOMEM;
	if (ret) {
		tally_profile_free(&made);
		return ret;
	}
	*profile = made;
	if (options->is_split && !options->filter.comms)
		profile_thread_start(profile);
	return 0;
}

/* Free everything that is needed only for adding samples. */
static void profile_free_caches(struct tally_profile *profile)
{
	tally_frames_free_index(&profile->frames);
	tally_stacks_free_index(&profile->stacks);
	tally_slots_free(&profile->slots);
	free(profile->addresses);
	free(profile->callers);
	profile_thread_free(profile);
	if (profile->own_batch)
		profile_batch_free(profile->own_batch);
	free(profile->own_batch);
	profile->batch = profile->gathering = profile->own_batch = NULL;
	tally_vec_free(&profile->bucket_of);
	tally_vec_free(&profile->marked);
	tally_vec_free(&profile->wanted);
	profile->addresses = NULL;
	profile->callers = NULL;
}

void tally_profile_free(struct tally_profile *profile)
{
	profile_free_caches(profile);
	tally_frames_free(&profile->frames);
	tally_stacks_free(&profile->stacks);
	tally_vec_free(&profile->buckets);
	tally_maps_put(profile->kernel);
	tally_vec_free(&profile->totals);
	tally_vec_free(&profile->frame_verdicts);
	tally_vec_free(&profile->kept);
	tally_map_free(&profile->heavy);
	tally_profile_names_free(profile->names);
	*profile = (struct tally_profile){0};
}

static bool address_is(const struct tally_profile *profile, const struct tally_address *known,
		       uint64_t location_key)
{
	return known->frame && known->location_key == location_key &&
	       known->kernel == profile->batch->kernel_number &&
	       (!profile->options.lines || known->is_caller == profile->in_callers);
}

/* Find the frame for a location. If lines are used, each address has its own frame, and the line of
 * a return address may differ from the line of its call. */
static int location_frame(struct tally_profile *profile, const struct tally_location *location,
			  enum tally_caller caller, uint32_t *ret_frame)
{
	unsigned lines = profile->options.lines;
	bool is_return = caller == TALLY_CALLER_VALID ||
			 (profile->in_callers && location->cpumode == PERF_RECORD_MISC_KERNEL);
	struct tally_frame frame = {.dso = location->dso,
				    .symbol = location->symbol,
				    .addr = location->addr,
				    .cpumode = location->cpumode,
				    .is_exact = true};

	if (!lines || !location->dso ||
	    !(lines & TALLY_LINES_ALL || tally_dso_has_lines(location->dso)))
		return tally_frames_find(&profile->frames, location, ret_frame);
	frame.addr = tally_line_address(frame.symbol, frame.addr, is_return);
	return tally_frames_add(&profile->frames, &frame, ret_frame);
}

/* Resolve the location key at `*at`. Cache the result under the key's first word if the key has
 * only one word. */
static int address_resolve(struct tally_profile *profile, const uint64_t *location_keys, size_t *at,
			   enum tally_caller caller, uint32_t *ret_frame)
{
	uint64_t location_key = location_keys[*at];
	struct tally_location location;
	int nr = tally_machine_location_key_resolve(profile->machine, profile->batch->kernel,
						    location_keys + *at, &location);
	int ret = location_frame(profile, &location, caller, ret_frame);

	profile->nr_missed++;
	if (!ret && nr == 1)
		*profile_address(profile, location_key) =
			(struct tally_address){location_key, *ret_frame + 1, caller,
					       profile->batch->kernel_number, profile->in_callers};
	*at += (size_t)nr;
	return ret;
}

int profile_frame(struct tally_profile *profile, const uint64_t *location_keys, size_t *at,
		  uint32_t *ret_frame)
{
	const struct tally_address *known = profile_address(profile, location_keys[*at]);

	/* The cached frame may be TALLY_CUT or, if lines are used, the frame of the call before a
	 * return address. */
	if (!address_is(profile, known, location_keys[*at]) ||
	    known->caller == TALLY_CALLER_INVALID ||
	    (profile->options.lines && known->caller == TALLY_CALLER_VALID))
		return address_resolve(profile, location_keys, at, TALLY_CALLER_UNKNOWN, ret_frame);
	*ret_frame = known->frame - 1;
	++*at;
	return 0;
}

int profile_caller_unvalidated(struct tally_profile *profile, const uint64_t *location_keys,
			       size_t *at, uint32_t *ret_frame)
{
	const struct tally_address *known = profile_address(profile, location_keys[*at]);

	if (!profile->options.lines)
		return profile_frame(profile, location_keys, at, ret_frame);
	if (!address_is(profile, known, location_keys[*at]) || known->caller != TALLY_CALLER_VALID)
		return address_resolve(profile, location_keys, at, TALLY_CALLER_VALID, ret_frame);
	*ret_frame = known->frame - 1;
	++*at;
	return 0;
}

/* Find the frame for TALLY_CUT, and also cache it for the location key at which the chain is
 * broken. */
static int frame_find_cut(struct tally_profile *profile, const uint64_t *astray,
			  uint32_t *ret_frame)
{
	const uint64_t cut = TALLY_LOCATION_KEY_CUT;
	size_t at = 0;
	int ret = profile_frame(profile, &cut, &at, ret_frame);

	if (ret)
		return ret;
	if (!tally_location_key_is_odd(astray))
		*profile_address(profile, *astray) =
			(struct tally_address){*astray, *ret_frame + 1, TALLY_CALLER_INVALID,
					       profile->batch->kernel_number, profile->in_callers};
	return 1;
}

int profile_caller(struct tally_profile *profile, const uint64_t *location_keys, size_t *at,
		   uint32_t *ret_frame)
{
	const uint64_t *location_key = location_keys + *at;
	const struct tally_address *known = profile_address(profile, *location_key);
	enum tally_caller caller =
		address_is(profile, known, *location_key) ? known->caller : TALLY_CALLER_UNKNOWN;

	if (caller == TALLY_CALLER_UNKNOWN && *location_key != TALLY_LOCATION_KEY_CUT &&
	    tally_machine_is_return_address(profile->machine, location_key))
		return address_resolve(profile, location_keys, at, TALLY_CALLER_VALID, ret_frame);
	if (caller != TALLY_CALLER_VALID)
		return frame_find_cut(profile, location_key, ret_frame);
	*ret_frame = known->frame - 1;
	++*at;
	return 0;
}

void profile_caches_clear(struct tally_profile *profile)
{
	memset(profile->addresses, 0, profile->address_slots * sizeof(*profile->addresses));
	if (profile->callers)
		memset(profile->callers, 0, profile->callers_slots * sizeof(*profile->callers));
}

int profile_caches_grow(struct tally_profile *profile)
{
	struct tally_address *addresses;
	struct tally_callers *callers = NULL;

	if (profile->nr_missed <= FIRST_SLOTS || profile->address_slots >= LIVE_SLOTS)
		return 0;
	addresses = calloc(ADDRESS_SLOTS, sizeof(*addresses));
	if (profile->callers)
		callers = calloc(CALLERS_SLOTS, sizeof(*callers));
	if (!addresses || (profile->callers && !callers)) {
		free(addresses);
		free(callers);
		return -ENOMEM;
	}
	free(profile->addresses);
	free(profile->callers);
	profile->addresses = addresses;
	profile->callers = callers;
	profile->address_slots = ADDRESS_SLOTS;
	profile->callers_slots = CALLERS_SLOTS;
	return 0;
}

/* Resolve the samples gathered so far if the meaning of location keys has changed because the
 * kernel's maps changed or JIT compilers generated code. The caches are not cleared in this case,
 * because such changes may be as frequent as every second record. */
static int batch_start(struct tally_profile *profile)
{
	struct tally_maps *kernel = tally_machine_kernel(profile->machine);
	uint64_t generation = tally_machine_generation(profile->machine);
	int ret;

	if (profile->kernel == kernel && profile->generation == generation)
		return 0;
	profile->generation = generation;
	ret = tally_profile_flush(profile);
	profile->kernel_number = (profile->kernel_number + 1) & INT32_MAX;
	if (!profile->kernel_number)
		profile_caches_clear(profile);
	tally_maps_put(profile->kernel);
	profile->kernel = tally_maps_get(kernel);
	return ret;
}

/* Return the comm ID to store for a sample. Threads are shown with their final names, except in a
 * live profile, which displays rows continuously. */
static uint32_t sample_comm(struct tally_profile *profile, const struct tally_thread *thread)
{
	uint32_t comm = profile->options.is_live ? thread->comm : tally_thread_comm_key(thread);

	profile->has_unnamed |= (comm & TALLY_COMM_LATER) != 0;
	return comm;
}

int tally_profile_add(struct tally_profile *profile, const struct tally_feed_sample *sample)
{
	const struct tally_thread *thread = sample->thread;
	unsigned by = profile->options.by;
	struct tally_gathered *to;
	struct tally_batch *batch;
	int ret;

	if (!profile_sample_is_wanted(profile, sample->number))
		return 0;
	ret = batch_start(profile);
	if (ret)
		return ret;
	batch = profile->gathering;
	batch->kernel = profile->kernel;
	batch->kernel_number = profile->kernel_number;
	to = &batch->samples[batch->nr];
	to->key = (struct tally_bucket_key){
		.event = sample->event,
		.comm = by & TALLY_BY_COMM ? sample_comm(profile, thread) : 0,
		.thread = by & TALLY_BY_THREAD ? thread->index : 0,
		.cpu = by & TALLY_BY_CPU ? sample->sample.cpu : 0,
		.label = by & TALLY_BY_LABEL ? sample->label : 0,
	};
	to->has_chain = to->has_leaf = to->is_bad = to->is_cut = to->leaf_only = false;
	to->has_callers = to->passes = to->is_new = to->is_astray = false;
	to->returns = 0;
	to->weight = sample->period;
	to->time = sample->sample.present & PERF_SAMPLE_TIME ? sample->sample.time : 0;
	to->comm = thread->comm;
	to->number = sample->number;
	ret = profile_gather(profile, sample, to);
	if (ret)
		return ret;
	return ++batch->nr == TALLY_BATCH ? profile_thread_hand_over(profile) : 0;
}

int tally_profile_flush(struct tally_profile *profile)
{
	int ret = profile->gathering ? profile_thread_hand_over(profile) : 0;
	int waited = profile_thread_wait(profile);

	return ret ? ret : waited;
}

int tally_profile_finish(struct tally_profile *profile)
{
	int ret = tally_profile_flush(profile), stopped = profile_thread_stop(profile);

	ret = ret ? ret : stopped;
	if (!ret && profile->options.lines && profile->addresses)
		ret = profile_expand(profile);
	if (!profile->options.is_live)
		profile_free_caches(profile);
	return ret;
}
