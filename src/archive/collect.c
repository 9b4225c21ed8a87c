/* SPDX-License-Identifier: BSD-2-Clause */
#include "archive/collect.h"

#include <errno.h>

#include "base/hash.h"

/* Flags stored for location keys: the key was added, or was added as a caller. */
enum { SEEN_PLACE = 1, SEEN_CALLER = 2 };

/* Number of words in a branch: from, to, flags. */
enum { ARCHIVE_BRANCH_WORDS = 3 };

int tally_archive_init(struct tally_archive *archive, struct tally_machine *machine)
{
	*archive = (struct tally_archive){.machine = machine};
	return tally_stored_writer_new(&archive->writer);
}

void tally_archive_free(struct tally_archive *archive)
{
	tally_stored_writer_free(archive->writer);
	tally_map_free(&archive->seen);
	tally_map_free(&archive->kernel_seen);
	tally_map_free(&archive->chains);
	if (archive->kernel)
		tally_maps_put(archive->kernel);
	*archive = (struct tally_archive){0};
}

/* Switch to the kernel's current maps. If they have changed, discard cached results for kernel
 * addresses. */
static void kernel_follow(struct tally_archive *archive)
{
	struct tally_maps *now = tally_machine_kernel(archive->machine);

	if (archive->kernel == now)
		return;
	if (archive->kernel)
		tally_maps_put(archive->kernel);
	archive->kernel = tally_maps_get(now);
	tally_map_free(&archive->kernel_seen);
	tally_map_free(&archive->chains);
}

/* Add the address of a location key. Return its DSO in `*ret_dso`, or NULL. */
static int place_add(struct tally_archive *archive, const uint64_t *key, struct tally_dso **ret_dso)
{
	struct tally_location where;

	(void)tally_machine_location_key_resolve(archive->machine, archive->kernel, key, &where);
	*ret_dso = where.dso;
	return where.dso ? tally_stored_writer_add(archive->writer, where.dso, where.addr,
						   where.symbol)
			 : 0;
}

/* Add a location key unless it was added before. When the key is first added as a caller, also
 * record it if it cannot be a return address. */
static int key_add(struct tally_archive *archive, const uint64_t *key, bool is_caller)
{
	bool is_kernel = key[0] >> 63 && !tally_location_key_is_odd(key);
	struct tally_map *seen = is_kernel ? &archive->kernel_seen : &archive->seen;
	uint64_t known = tally_location_key_is_odd(key) ? 0 : tally_map_get(seen, key[0]);
	uint64_t now = SEEN_PLACE | (is_caller ? SEEN_CALLER : 0);
	struct tally_dso *dso = NULL;
	int ret;

	known = known == TALLY_MAP_NONE ? 0 : known;
	if ((known & now) == now)
		return 0;
	ret = place_add(archive, key, &dso);
	if (!ret && is_caller && dso && !tally_machine_is_return_address(archive->machine, key))
		ret = tally_stored_writer_add_non_return(archive->writer, dso,
							 tally_location_key_addr(key));
	if (!ret && !tally_location_key_is_odd(key))
		ret = tally_map_set(seen, key[0], known | now);
	return ret;
}

static int address_add(struct tally_archive *archive, const struct tally_thread *thread,
		       uint8_t cpumode, uint64_t ip, bool is_caller)
{
	uint64_t key[TALLY_LOCATION_KEY_WORDS];

	(void)tally_machine_location_key(archive->machine, thread, cpumode, ip, key);
	return key_add(archive, key, is_caller && cpumode == PERF_RECORD_MISC_USER);
}

/* Return 1 if these words are new in this address space, 0 if they have been looked up before, or
 * -ENOMEM. */
static int words_are_new(struct tally_archive *archive, const struct tally_thread *thread,
			 uint8_t cpumode, struct tally_words words)
{
	uint64_t seed = tally_hash_u64(thread->process->maps->space, cpumode);
	uint64_t hash = tally_hash_bytes(words.data, 8 * words.nr, seed);

	if (tally_map_get(&archive->chains, hash) != TALLY_MAP_NONE)
		return 0;
	return tally_map_set(&archive->chains, hash, 0) ? -ENOMEM : 1;
}

/* Add the addresses of a callchain. Every user-space caller is validated, although some reports do
 * not validate callers. After the first user-space frame, an apparent context marker may be a word
 * from the stack, so the entries after it are looked up in both modes. */
static int chain_add(struct tally_archive *archive, const struct tally_thread *thread,
		     uint8_t cpumode, struct tally_words chain)
{
	int ret = chain.nr ? words_are_new(archive, thread, cpumode, chain) : 0;
	bool is_user = false;

	if (ret <= 0)
		return ret;
	ret = 0;
	for (uint64_t i = 0; i < chain.nr && !ret; i++) {
		uint64_t ip = tally_words_get(chain, i);
		int mode = tally_context_cpumode(ip);

		if (mode != -2) {
			cpumode = mode >= 0 ? (uint8_t)mode : cpumode;
			continue;
		}
		ret = address_add(archive, thread, cpumode, ip, i > 0);
		if (!ret && is_user && cpumode != PERF_RECORD_MISC_USER)
			ret = address_add(archive, thread, PERF_RECORD_MISC_USER, ip, true);
		is_user |= cpumode == PERF_RECORD_MISC_USER;
	}
	return ret;
}

/* Add a branch or data address. It is looked up in the sample's mode, and then in the other mode,
 * kernel or user space. */
static int either_add(struct tally_archive *archive, const struct tally_thread *thread,
		      uint8_t cpumode, uint64_t addr)
{
	uint8_t other = cpumode == PERF_RECORD_MISC_KERNEL ? PERF_RECORD_MISC_USER
							   : PERF_RECORD_MISC_KERNEL;
	int ret = address_add(archive, thread, cpumode, addr, false);

	return ret ? ret : address_add(archive, thread, other, addr, false);
}

static int branches_add(struct tally_archive *archive, const struct tally_thread *thread,
			uint8_t cpumode, struct tally_words branches)
{
	int ret = 0;

	for (uint64_t i = 0; !ret && i + 2 < branches.nr; i += ARCHIVE_BRANCH_WORDS) {
		ret = either_add(archive, thread, cpumode, tally_words_get(branches, i));
		if (!ret)
			ret = either_add(archive, thread, cpumode,
					 tally_words_get(branches, i + 1));
	}
	return ret;
}

int tally_archive_add(struct tally_archive *archive, const struct tally_feed_sample *from)
{
	const struct tally_thread *thread = from->thread;
	const struct tally_sample *sample = &from->sample;
	uint8_t cpumode = from->cpumode;
	int ret;

	kernel_follow(archive);
	ret = address_add(archive, thread, cpumode, sample->ip, false);
	if (!ret)
		ret = chain_add(archive, thread, cpumode, sample->callchain);
	if (!ret)
		ret = branches_add(archive, thread, cpumode, sample->branches);
	if (!ret && sample->present & PERF_SAMPLE_ADDR)
		ret = either_add(archive, thread, cpumode, sample->addr);
	return ret;
}
