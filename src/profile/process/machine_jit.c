/* SPDX-License-Identifier: BSD-2-Clause */
/* Handles JIT code, and the jitdump that describes it. */
#include "profile/process/machine_jit.h"
#include "profile/process/machine_private.h"
#include "symbols/jit/jit_code.h"

/* Return the kind of object that a mapping names. JIT code in a memfd has file offsets, as in a
 * regular file, and perf names it accordingly. .NET uses a memfd only to write code through a
 * second address, and describes the code in a perf map, as other compilers do. */
enum tally_dso_kind machine_user_kind(const struct tally_mmap *mmap)
{
	static const char dotnet[] = "/memfd:doublemapper";
	bool is_code = !mmap->is_data || mmap->prot & MACHINE_PROT_EXECUTE;
	int pid;

	if (!strncmp(mmap->filename, dotnet, strlen(dotnet)))
		return TALLY_DSO_PERF_MAP;
	if (!strncmp(mmap->filename, "/memfd:", 7))
		return TALLY_DSO_USER;
	/* A compiler maps its dump with execute permission, so that profilers notice it; a process
	 * that only reads the dump does not. */
	if (is_code && tally_jitdump_pid(mmap->filename, &pid))
		return TALLY_DSO_JITDUMP;
	return tally_dso_kind_of(mmap->filename, false);
}

/* Return true if a mapping may contain JIT code, which is the case unless it maps an ordinary
 * file. */
static bool mapping_may_be_jit(const struct tally_mapping *mapping)
{
	if (mapping && mapping->is_moved)
		return true;
	switch (mapping ? tally_dso_kind(mapping->dso) : TALLY_DSO_UNKNOWN) {
	case TALLY_DSO_PERF_MAP:
	case TALLY_DSO_UNKNOWN: return true;
	case TALLY_DSO_USER: return !strncmp(tally_dso_name(mapping->dso), "/memfd:", 7);
	default: return false;
	}
}

int machine_key_set_jit(const struct tally_dso *made, uint64_t place, uint64_t *ret_key)
{
	if (tally_dso_number(made) >= KEY_DSOS || place >> TALLY_LOCATION_KEY_BITS)
		return machine_key_set_odd(PERF_RECORD_MISC_USER, made, place, ret_key);
	ret_key[0] = tally_location_key_in_dso(made, place);
	return 1;
}

int machine_jit_key(const struct tally_machine *machine, struct tally_dso *jit,
		    const struct tally_mapping *mapping, uint64_t ip, uint64_t *ret_key)
{
	uint64_t place;

	if (!mapping_may_be_jit(mapping) || !tally_dso_jit_offset(jit, ip, machine->time, &place))
		return 0;
	return machine_key_set_jit(jit, place, ret_key);
}
