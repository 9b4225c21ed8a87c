/* SPDX-License-Identifier: BSD-2-Clause */
/* Process and kernel maps, and address look-ups in them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "profile/process/machine_jit.h"
#include "profile/process/machine_moved.h"
#include "profile/process/machine_private.h"
#include "symbols/jit/jit_code.h"
#include "symbols/code.h"
#include "symbols/pins.h"

#define KERNEL_NAME "[kernel.kallsyms]"

static const struct tally_symbol cut_symbol = {.name_text = TALLY_CUT};

static const struct known_build_id *build_id_find(struct tally_machine *machine, const char *name)
{
	uint32_t id;

	if (!machine->build_ids.len || tally_intern(&machine->names, name, strlen(name), &id))
		return NULL;
	if (id >= machine->build_id_of.len || !machine->build_id_of.data[id])
		return NULL;
	return &machine->build_ids.data[machine->build_id_of.data[id] - 1];
}

/* Add details about a mapping's object to a key that already has a kind and a name. */
static void key_set_mmap(struct tally_dso_key *key, const struct tally_mmap *mmap)
{
	if (mmap->build_id_size) {
		key->build_id = mmap->build_id;
		key->build_id_size = mmap->build_id_size;
	}
	if (key->kind == TALLY_DSO_PERF_MAP || key->kind == TALLY_DSO_USER ||
	    key->kind == TALLY_DSO_JITDUMP)
		key->pid = mmap->pid;
	if (key->kind != TALLY_DSO_USER)
		return;
	key->start = mmap->start;
	key->end = mmap->start + mmap->len;
	key->inode = (struct tally_dso_inode){mmap->ino, mmap->maj, mmap->min};
}

static int machine_dso(struct tally_machine *machine, enum tally_dso_kind kind, const char *name,
		       const struct tally_mmap *mmap, struct tally_dso **ret_dso)
{
	const struct known_build_id *known = build_id_find(machine, name);
	struct tally_dso_key key = {.kind = kind, .name = name};

	if (mmap)
		key_set_mmap(&key, mmap);
	if (!key.build_id && known) {
		key.build_id = known->bytes;
		key.build_id_size = known->size;
	}
	if (machine->guard && tally_dso_lookup(machine->symbols, &key, ret_dso))
		machine->guard(machine->guard_arg,
			       kind == TALLY_DSO_PERF_MAP || kind == TALLY_DSO_JITDUMP);
	return tally_dso_get(machine->symbols, &key, ret_dso);
}

int tally_machine_add_cut(struct tally_machine *machine)
{
	return machine_dso(machine, TALLY_DSO_UNKNOWN, TALLY_CUT, NULL, &machine->cut);
}

/* Called before the kernel's maps or code change. */
static void kernel_guard(struct tally_machine *machine)
{
	if (machine->guard)
		machine->guard(machine->guard_arg, false);
}

void machine_mapping_key_set(struct tally_mapping *mapping)
{
	uint64_t number = tally_dso_number(mapping->dso);
	uint64_t first = mapping->start + mapping->shift, last = mapping->end - 1 + mapping->shift;
	bool fits = number < KEY_DSOS && first <= last && last >> TALLY_LOCATION_KEY_BITS == 0;

	mapping->location_key = fits ? tally_location_key_in_dso(mapping->dso, mapping->shift) : 0;
}

/* Set a mapping's position in its DSO: at the same addresses as in memory, or at `pgoff`. */
static void mapping_place(struct tally_mapping *mapping, bool identity, uint64_t pgoff)
{
	mapping->shift = identity ? 0 : pgoff - mapping->start;
	machine_mapping_key_set(mapping);
}

static int kernel_insert(struct tally_machine *machine, const struct tally_mapping *mapping)
{
	machine->kernel_space = machine->next_space++;
	return tally_maps_insert(&machine->kernel, mapping, &machine->next_space);
}

/* Return the kernel's name from the file's build ID table, or the default name. */
static const char *kernel_name(const struct tally_machine *machine)
{
	if (!machine->kernel_name)
		return machine->follows ? "[kernel]" : KERNEL_NAME;
	return tally_intern_text(&machine->names, machine->kernel_name - 1);
}

/* Map the kernel. In the file name "[kernel.kallsyms]_text", the first part is the kernel's name,
 * and "_text" is the symbol at its start. */
static int machine_mmap_kernel(struct tally_machine *machine, const struct tally_mmap *mmap)
{
	const char *bracket = strchr(mmap->filename, ']');
	struct tally_mapping mapping = {.start = mmap->start, .end = mmap->start + mmap->len};
	const char *reference = bracket ? bracket + 1 : "";
	struct tally_dso *dso;
	int ret;

	kernel_guard(machine);
	ret = machine_dso(machine, TALLY_DSO_KERNEL, kernel_name(machine), mmap, &dso);
	if (!ret)
		machine->kernel_dso = dso;
	if (!ret && *reference && mmap->pgoff)
		ret = tally_dso_set_address(machine->kernel_dso, reference, mmap->pgoff);
	if (ret)
		return ret;
	/* If there are no addresses (kptr_restrict) or the length wraps around, map everything up
	 * to the end of memory. */
	if (mapping.end <= mapping.start)
		mapping.end = UINT64_MAX;
	mapping.dso = machine->kernel_dso;
	return kernel_insert(machine, &mapping);
}

void tally_module_name(const char *filename, char *name, size_t size)
{
	const char *slash = strrchr(filename, '/');
	const char *base = slash ? slash + 1 : filename;
	const char *suffix = strstr(base, ".ko");
	size_t len = suffix ? (size_t)(suffix - base) : 0;

	if (!slash || !suffix || (suffix[3] && suffix[3] != '.')) {
		snprintf(name, size, "%s", filename);
		return;
	}
	len = TALLY_MIN(len, size - 3);
	name[0] = '[';
	for (size_t i = 0; i < len; i++)
		name[i + 1] = base[i] == '-' ? '_' : base[i];
	name[len + 1] = ']';
	name[len + 2] = '\0';
}

/* Return the displayed name of a module. The name is built in the buffer unless it is the file name
 * or a known name. */
static const char *module_name(struct tally_machine *machine, const char *filename, char *room,
			       size_t size)
{
	const struct known_build_id *known;

	if (machine->shows_paths)
		return filename;
	tally_module_name(filename, room, size);
	known = build_id_find(machine, room);
	return known ? tally_intern_text(&machine->names, known->name) : room;
}

static int machine_mmap_module(struct tally_machine *machine, const struct tally_mmap *mmap)
{
	struct tally_mapping mapping = {.start = mmap->start, .end = mmap->start + mmap->len};
	char room[128];
	const char *name = module_name(machine, mmap->filename, room, sizeof(room));
	int ret;

	kernel_guard(machine);
	ret = machine_dso(machine, TALLY_DSO_MODULE, name, mmap, &mapping.dso);
	if (!ret)
		ret = tally_dso_set_address(mapping.dso, NULL, mmap->start);
	if (ret || mapping.end <= mapping.start)
		return ret;
	return kernel_insert(machine, &mapping);
}

/* Get the DSO that a mapping in user space names, and its kind. */
static int user_dso(struct tally_machine *machine, const struct tally_mmap *mmap,
		    enum tally_dso_kind *ret_kind, struct tally_dso **ret_dso)
{
	enum tally_dso_kind kind;
	const char *name = mmap->filename;
	struct machine_file *slot;
	char perf_map[40];
	int ret;

	*ret_kind = TALLY_DSO_USER;
	*ret_dso = machine_file_find(machine, mmap, &slot);
	if (*ret_dso) {
		tally_dso_set_mapping(*ret_dso, mmap->pid, mmap->start, mmap->start + mmap->len);
		return 0;
	}
	kind = machine_user_kind(mmap);
	if (kind == TALLY_DSO_PERF_MAP && mmap->prot & MACHINE_PROT_EXECUTE) {
		snprintf(perf_map, sizeof(perf_map), "/tmp/perf-%d.map", mmap->pid);
		name = perf_map;
	} else if (kind == TALLY_DSO_PERF_MAP) {
		kind = TALLY_DSO_UNKNOWN;
	}
	ret = machine_dso(machine, kind, name, mmap, ret_dso);
	if (!ret && kind == TALLY_DSO_USER)
		machine_file_set(slot, mmap, *ret_dso);
	*ret_kind = kind;
	return ret;
}

static int machine_mmap_user(struct tally_machine *machine, const struct tally_mmap *mmap)
{
	struct tally_thread *thread;
	enum tally_dso_kind kind;
	struct tally_mapping mapping = {.start = mmap->start,
					.end = mmap->start + mmap->len,
					.is_code = !mmap->is_data ||
						   mmap->prot & MACHINE_PROT_EXECUTE};
	int ret = machine_is_outside(machine, mmap->pid);

	if (ret)
		return ret < 0 ? ret : 0;
	thread = machine_record_thread(machine, mmap->pid, mmap->tid);
	if (!thread)
		return -ENOMEM;
	ret = user_dso(machine, mmap, &kind, &mapping.dso);
	if (!ret && kind == TALLY_DSO_JITDUMP)
		thread->process->jit = mapping.dso;
	if (ret || mapping.end <= mapping.start)
		return ret;
	mapping_place(&mapping, kind == TALLY_DSO_PERF_MAP || kind == TALLY_DSO_UNKNOWN,
		      kind == TALLY_DSO_VDSO ? 0 : mmap->pgoff);
	machine_moved_set_program(thread->process, &mapping);
	machine_moved_assign(thread->process, mmap, &mapping);
	return tally_maps_insert(&thread->process->maps, &mapping, &machine->next_space);
}

int tally_machine_pin(struct tally_pins *pins, const void *record, size_t len)
{
	uint8_t cpumode = tally_record_header(record).misc & PERF_RECORD_MISC_CPUMODE_MASK;
	struct tally_dso_key key = {.kind = TALLY_DSO_USER};
	struct tally_mmap mmap;

	if (cpumode != PERF_RECORD_MISC_USER || tally_record_mmap(record, len, &mmap) ||
	    !mmap.pid || mmap.is_data || *mmap.filename != '/' ||
	    machine_user_kind(&mmap) != TALLY_DSO_USER)
		return 0;
	key.name = mmap.filename;
	key_set_mmap(&key, &mmap);
	return tally_pins_add(pins, &key);
}

static bool is_guest(uint8_t cpumode)
{
	return cpumode == PERF_RECORD_MISC_GUEST_KERNEL || cpumode == PERF_RECORD_MISC_GUEST_USER;
}

int machine_mmap(struct tally_machine *machine, const void *record, size_t len)
{
	uint8_t cpumode = tally_record_header(record).misc & PERF_RECORD_MISC_CPUMODE_MASK;
	struct tally_mmap mmap;

	if (tally_record_mmap(record, len, &mmap) || !machine_name_fits(mmap.filename)) {
		machine->stats.damaged++;
		return 0;
	}
	if (is_guest(cpumode))
		return 0;
	if (cpumode != PERF_RECORD_MISC_KERNEL)
		return machine_mmap_user(machine, &mmap);
	if (!strncmp(mmap.filename, KERNEL_NAME, strlen(KERNEL_NAME)))
		return machine_mmap_kernel(machine, &mmap);
	return machine_mmap_module(machine, &mmap);
}

/* Map code that the kernel generated at run time, such as BPF programs and trampolines. */
int machine_ksymbol(struct tally_machine *machine, const void *record, size_t len)
{
	enum { NAME = 24 };
	const uint8_t *at = record;
	struct tally_mapping mapping = {0};
	uint64_t start;
	int ret;

	if (len <= NAME || !memchr(at + NAME, '\0', len - NAME) ||
	    !machine_name_fits((const char *)at + NAME)) {
		machine->stats.damaged++;
		return 0;
	}
	/* Keep unregistered symbols, because samples taken just before a symbol's removal may still
	 * arrive. */
	if (tally_get_u16(at + 22) & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER)
		return 0;
	start = tally_get_u64(at + 8);
	mapping.start = start;
	if (__builtin_add_overflow(start, tally_get_u32(at + 16), &mapping.end))
		return 0;
	kernel_guard(machine);
	ret = machine_dso(machine, TALLY_DSO_MODULE, (const char *)at + NAME, NULL, &mapping.dso);
	if (!ret)
		ret = tally_dso_add_generated(mapping.dso, mapping.start, mapping.end);
	return ret ? ret : kernel_insert(machine, &mapping);
}

/* ---- look-ups ----------------------------------------------------------- */

int tally_context_cpumode(uint64_t ip)
{
	if (ip < (uint64_t)PERF_CONTEXT_MAX)
		return -2;
	switch ((int64_t)ip) {
	case PERF_CONTEXT_HV: return PERF_RECORD_MISC_HYPERVISOR;
	case PERF_CONTEXT_KERNEL: return PERF_RECORD_MISC_KERNEL;
	case PERF_CONTEXT_USER:
	case PERF_CONTEXT_USER_DEFERRED: return PERF_RECORD_MISC_USER;
	case PERF_CONTEXT_GUEST_KERNEL: return PERF_RECORD_MISC_GUEST_KERNEL;
	case PERF_CONTEXT_GUEST_USER: return PERF_RECORD_MISC_GUEST_USER;
	default: return -1;
	}
}

/* Look up a kernel address outside all mappings. The kernel's mmap record covers only its text, but
 * its symbols extend further, to code that runs only during boot. */
static void location_in_kernel(struct tally_machine *machine, struct tally_location *location)
{
	struct tally_dso *kernel = machine->kernel_dso;

	if (!kernel)
		location->dso = machine->hidden;
	if (!kernel || tally_dso_status(kernel).state != TALLY_DSO_LOADED)
		return;
	location->symbol = tally_dso_find(kernel, location->ip);
	location->dso = location->symbol ? kernel : NULL;
}

static void location_fill_kernel(struct tally_machine *machine, struct tally_maps *kernel,
				 struct tally_location *location)
{
	const struct tally_mapping *mapping = tally_maps_find(kernel, location->ip);

	if (!mapping) {
		location_in_kernel(machine, location);
		return;
	}
	location->dso = mapping->dso;
	location->addr = tally_mapping_to_dso(mapping, location->ip);
	location->symbol = tally_dso_find(location->dso, location->addr);
}

/* Return the mapping at `ip`, or NULL. */
static const struct tally_mapping *find_mapping(const struct tally_machine *machine,
						const struct tally_thread *thread, uint8_t cpumode,
						uint64_t ip)
{
	if (cpumode == PERF_RECORD_MISC_KERNEL)
		return tally_maps_find(machine->kernel, ip);
	if (cpumode == PERF_RECORD_MISC_USER)
		return tally_maps_find(thread->process->maps, ip);
	return NULL;
}

struct tally_dso *tally_machine_find_dso(const struct tally_machine *machine,
					 const struct tally_thread *thread, uint8_t cpumode,
					 uint64_t ip)
{
	const struct tally_mapping *mapping = find_mapping(machine, thread, cpumode, ip);

	return mapping ? mapping->dso : NULL;
}

uint64_t tally_machine_mapped_size(const struct tally_machine *machine,
				   const struct tally_thread *thread, uint8_t cpumode, uint64_t ip)
{
	const struct tally_mapping *mapping = find_mapping(machine, thread, cpumode, ip);

	return mapping ? mapping->end - mapping->start : 0;
}

/* Return the ID of the address space for `cpumode`, or 0 for a mode without maps. */
static uint64_t machine_space_of(const struct tally_machine *machine,
				 const struct tally_thread *thread, uint8_t cpumode)
{
	switch (cpumode) {
	case PERF_RECORD_MISC_KERNEL: return machine->kernel_space;
	/* Not cached if the process has JIT code, because the code at an address changes over
	 * time. */
	case PERF_RECORD_MISC_USER: return thread->process->jit ? 0 : thread->process->maps->space;
	default: return 0;
	}
}

/* ---- location keys ------------------------------------------------------- */

/* A kernel address is its own location key. In other keys, the bits above the address contain
 * the DSO's number + 1, or 0 if nothing is mapped. Addresses that do not fit get keys with bit 0
 * set. */

struct tally_maps *tally_machine_kernel(const struct tally_machine *machine)
{
	return machine->kernel;
}

uint64_t tally_machine_generation(const struct tally_machine *machine)
{
	return tally_symbols_generation(machine->symbols);
}

/* Set the key of a user-space address from its mapping, which may be NULL. Return the number of
 * words. */
static int key_set_user(const struct tally_machine *machine, const struct tally_process *process,
			const struct tally_mapping *mapping, uint64_t ip, uint64_t *ret_key)
{
	struct tally_dso *jit = process->jit;
	int nr = jit ? machine_jit_key(machine, jit, mapping, ip, ret_key) : 0;

	if (!nr)
		nr = machine_moved_key(process, mapping, ip, ret_key);
	if (nr)
		return nr;
	ret_key[0] = ip + (mapping ? mapping->location_key : 0);
	if (mapping ? mapping->location_key != 0 : ip >> TALLY_LOCATION_KEY_BITS == 0)
		return 1;
	return machine_key_set_odd(PERF_RECORD_MISC_USER, mapping ? mapping->dso : NULL,
				   mapping ? tally_mapping_to_dso(mapping, ip) : ip, ret_key);
}

/* Create the DSO for kernel addresses if no mapping of the kernel was recorded. Resolving the key
 * cannot create it, because that may be done in another thread. */
static void hidden_kernel_add(struct tally_machine *machine, uint64_t ip)
{
	if (machine->shows_hidden && !machine->hidden && !tally_maps_find(machine->kernel, ip))
		(void)machine_dso(machine, TALLY_DSO_UNKNOWN, TALLY_HIDDEN_KERNEL, NULL,
				  &machine->hidden);
}

int tally_machine_location_key(struct tally_machine *machine, const struct tally_thread *thread,
			       uint8_t cpumode, uint64_t ip,
			       uint64_t ret_key[TALLY_LOCATION_KEY_WORDS])
{
	if (cpumode == PERF_RECORD_MISC_USER)
		return key_set_user(machine, thread->process,
				    tally_maps_find(thread->process->maps, ip), ip, ret_key);
	ret_key[0] = ip;
	if (cpumode == PERF_RECORD_MISC_KERNEL && !machine->kernel_dso)
		hidden_kernel_add(machine, ip);
	if (cpumode == PERF_RECORD_MISC_KERNEL && ip >> 63)
		return 1;
	return machine_key_set_odd(cpumode, NULL, ip, ret_key);
}

int tally_machine_caller_key(struct tally_machine *machine, const struct tally_thread *thread,
			     uint64_t ip, uint64_t ret_key[TALLY_LOCATION_KEY_WORDS])
{
	struct tally_maps *maps = thread->process->maps;
	const struct tally_mapping *mapping = tally_maps_find(maps, ip);
	bool is_code = mapping ? mapping->is_code : !maps->root;

	if (is_code && tally_context_cpumode(ip) == -2)
		return key_set_user(machine, thread->process, mapping, ip, ret_key);
	ret_key[0] = TALLY_LOCATION_KEY_CUT;
	return 1;
}

uint64_t tally_location_key_in_dso(const struct tally_dso *dso, uint64_t addr)
{
	return addr +
	       (dso ? (uint64_t)tally_dso_number(dso) + 1 : 0) * (1ull << TALLY_LOCATION_KEY_BITS);
}

bool tally_location_key_is_odd(const uint64_t *location_keys)
{
	return location_keys[0] >> TALLY_LOCATION_KEY_BITS == KEY_ODD >> TALLY_LOCATION_KEY_BITS;
}

uint64_t tally_location_key_addr(const uint64_t *location_keys)
{
	if (tally_location_key_is_odd(location_keys))
		return location_keys[2];
	return location_keys[0] >> 63 ? location_keys[0]
				      : location_keys[0] & ((1ull << TALLY_LOCATION_KEY_BITS) - 1);
}

static struct tally_dso *key_dso(const struct tally_machine *machine, const uint64_t *location_keys)
{
	uint64_t number = location_keys[0] >> TALLY_LOCATION_KEY_BITS;

	if (tally_location_key_is_odd(location_keys))
		return (struct tally_dso *)(uintptr_t)location_keys[1];
	return number && !(location_keys[0] >> 63)
		       ? tally_dso_at(machine->symbols, (uint32_t)number - 1)
		       : NULL;
}

bool tally_machine_is_return_address(const struct tally_machine *machine,
				     const uint64_t *location_keys)
{
	struct tally_dso *dso = key_dso(machine, location_keys);

	return !dso || tally_dso_is_return_address(dso, tally_location_key_addr(location_keys));
}

/* Set the location for TALLY_CUT. When out of memory, the location has no DSO and no symbol. */
static void location_fill_cut(struct tally_machine *machine, struct tally_location *location)
{
	location->dso = machine->cut;
	if (location->dso ||
	    !machine_dso(machine, TALLY_DSO_UNKNOWN, TALLY_CUT, NULL, &location->dso))
		location->symbol = &cut_symbol;
}

int tally_machine_location_key_resolve(struct tally_machine *machine, struct tally_maps *kernel,
				       const uint64_t *location_keys,
				       struct tally_location *ret_location)
{
	struct tally_location location = {.cpumode = PERF_RECORD_MISC_USER,
					  .addr = tally_location_key_addr(location_keys)};
	bool is_odd = tally_location_key_is_odd(location_keys),
	     is_cut = *location_keys == TALLY_LOCATION_KEY_CUT;

	if (is_odd) {
		location.cpumode = (uint8_t)location_keys[0];
		machine->stats.guest += is_guest(location.cpumode);
	} else if (location_keys[0] >> 63) {
		location.cpumode = PERF_RECORD_MISC_KERNEL;
	}
	location.dso = is_cut ? NULL : key_dso(machine, location_keys);
	location.ip = location.addr;
	if (is_cut)
		location_fill_cut(machine, &location);
	else if (location.cpumode == PERF_RECORD_MISC_KERNEL)
		location_fill_kernel(machine, kernel, &location);
	else if (location.dso)
		location.symbol = tally_dso_find(location.dso, location.addr);
	*ret_location = location;
	return is_odd ? 3 : 1;
}

/* Look up `ip`, bypassing the cache. */
static void machine_resolve(struct tally_machine *machine, const struct tally_thread *thread,
			    uint8_t cpumode, uint64_t ip, struct tally_location *ret_location)
{
	uint64_t location_keys[TALLY_LOCATION_KEY_WORDS] = {0};

	(void)tally_machine_location_key(machine, thread, cpumode, ip, location_keys);
	(void)tally_machine_location_key_resolve(machine, machine->kernel, location_keys,
						 ret_location);
	ret_location->ip = ip;
}

/* Allocate the cache. It is small at first, because most recordings are small and the memory is
 * cleared before use. Growing it discards its entries. When out of memory, there is no cache. */
static void locate_grow(struct tally_machine *machine)
{
	uint64_t generation = tally_machine_generation(machine);
	size_t nr = machine->nr_missed < LOCATE_FIRST_SLOTS ? LOCATE_FIRST_SLOTS : LOCATE_SLOTS;

	if (machine->slots && nr == machine->nr_slots && generation == machine->generation)
		return;
	machine->generation = generation;
	free(machine->slots);
	machine->nr_slots = nr;
	machine->slots = calloc(machine->nr_slots, sizeof(*machine->slots));
}

struct tally_location *tally_machine_locate(struct tally_machine *machine,
					    const struct tally_thread *thread, uint8_t cpumode,
					    uint64_t ip)
{
	uint64_t space = machine_space_of(machine, thread, cpumode);
	struct locate_slot *slot;

	locate_grow(machine);
	if (!space || !machine->slots) {
		machine_resolve(machine, thread, cpumode, ip, &machine->nowhere);
		return &machine->nowhere;
	}
	slot = &machine->slots[tally_hash_u64(ip, space) & (machine->nr_slots - 1)];
	if (slot->space != space || slot->location.ip != ip) {
		machine->nr_missed++;
		slot->space = space;
		machine_resolve(machine, thread, cpumode, ip, &slot->location);
	}
	return &slot->location;
}
