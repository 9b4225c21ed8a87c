/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * State of the recorded machine at one point in time: the threads with their names and maps, and
 * the kernel. Feed it records in time order, and then look up threads and addresses. Damaged
 * records are counted and ignored. Not thread-safe.
 */
#ifndef TALLY_PROFILE_PROCESS_MACHINE_H
#define TALLY_PROFILE_PROCESS_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/intern.h"
#include "base/map.h"
#include "profile/process/maps.h"
#include "symbols/symbols.h"

/* State shared by a process's threads. */
struct tally_process {
	int32_t pid;
	unsigned refs;
	unsigned nr_threads, nr_ended; /* known threads, and how many of them have exited */
	struct tally_maps *maps;
	struct tally_dso *jit; /* dump from its JIT compiler; NULL if unknown */
	/* See machine_moved.h. NULL if unknown. */
	struct tally_dso *program, *moved_map;
};

struct tally_thread {
	int32_t pid, tid;
	bool has_comm;    /* set by a record; otherwise the comm is ":tid" */
	bool guesses_pid; /* no record contained the PID; the TID is used instead */
	/* One more than the number of garbage collections until an exited thread is freed; 0 if
	 * the thread is alive. */
	uint8_t gone;
	uint32_t comm;       /* ID in machine->comms */
	uint32_t first_comm; /* first name, if any, of a thread that was initially unnamed */
	uint32_t index;      /* assigned in order of appearance, starting at 0 */
	uint64_t ended;      /* time of its EXIT record; 0 if it has not exited or if unknown */
	struct tally_process *process;
};

/* Result of looking up an address. */
struct tally_location {
	uint64_t ip;
	/* In the DSO's space (file offset or address), or the ip if there is no DSO. */
	uint64_t addr;
	struct tally_dso *dso;             /* NULL if not mapped */
	const struct tally_symbol *symbol; /* NULL if there is no symbol */
	uint8_t cpumode;                   /* PERF_RECORD_MISC_* */
};

struct tally_machine_stats {
	uint64_t damaged; /* records that are too short or contain names over 4,095 bytes */
	uint64_t guest;   /* look-ups of guest addresses, for which there are no maps */
	uint64_t outside; /* user-space samples of tasks outside the recorder's PID namespace */
};

struct tally_machine;

/* Before the machine changes what resolving location keys depends on (the kernel's maps, and the
 * list of DSOs), call `fn`. `is_jit`: JIT code was found; it is read while keys are made and while
 * they are resolved. Without `fn`, no function is called. For programs that resolve keys in another
 * thread. */
typedef void (*tally_machine_guard)(void *arg, bool is_jit);
void tally_machine_set_guard(struct tally_machine *machine, tally_machine_guard fn, void *arg);

/* Create the DSO of TALLY_CUT, so that resolving a location key does not create a DSO. Returns 0 or
 * -ENOMEM. */
int tally_machine_add_cut(struct tally_machine *machine);

/* Create a machine. `symbols` must outlive it. Returns 0 or -ENOMEM. */
int tally_machine_new(struct tally_symbols *symbols, struct tally_machine **ret_machine);
struct tally_symbols *tally_machine_symbols(const struct tally_machine *machine);
void tally_machine_free(struct tally_machine *machine);

/* Reset threads and maps, in order to feed the same records again. Comms and threads will get the
 * same numbers as before. Existing locations and maps remain valid. Returns 0 or -ENOMEM. */
int tally_machine_restart(struct tally_machine *machine);

/* Process an MMAP, MMAP2, COMM, FORK, EXIT or KSYMBOL record of `len` bytes in host byte order;
 * other types are ignored. Returns 0 or -ENOMEM. */
int tally_machine_record(struct tally_machine *machine, const void *record, size_t len);

/* Call `fn` for each file that process `pid` currently maps, in address order. A file may be passed
 * several times. */
void tally_machine_walk_files(const struct tally_machine *machine, int32_t pid,
			      void (*fn)(void *arg, const struct tally_dso *dso), void *arg);

/* Return the name of the thread with this TID, or NULL. */
const char *tally_machine_comm_of_tid(const struct tally_machine *machine, int32_t tid);

/* Return the number of known threads, including those that exited since the last garbage
 * collection. */
size_t tally_machine_nr_threads(const struct tally_machine *machine);

/* Free exited threads and the maps that only they used, but not DSOs. Threads are renumbered, and
 * pointers to freed threads become stale. Returns 0, or -ENOMEM with nothing freed. Intended for
 * callers that use tally_machine_follow() without a profile; callers with a profile use
 * tally_profile_collect(). */
int tally_machine_sweep_threads(struct tally_machine *machine);

/* Pin the file that an MMAP or MMAP2 record describes (symbols/pins.h), if it is a file mapped in
 * user space. Returns 0 or -ENOMEM. */
int tally_machine_pin(struct tally_pins *pins, const void *record, size_t len);

/* Set the build ID of the DSO with this name. Must be called before the DSO appears in an MMAP
 * record. With cpumode KERNEL, this also sets the name of the kernel or of a module. The arguments
 * are copied. Returns 0 or -ENOMEM. */
int tally_machine_build_id(struct tally_machine *machine, uint8_t cpumode, const char *filename,
			   const uint8_t *build_id, size_t size);

/* Set `name` to "[ext4]" for ".../ext4.ko.xz" and "[dm_mod]" for ".../dm-mod.ko". Other names are
 * copied, truncated to `size`. */
void tally_module_name(const char *filename, char *name, size_t size);

/* Return the thread with this TID, creating it if it is new. A PID of -1 means that the PID is
 * unknown; a PID that differs from the thread's PID means that the thread is new. Returns NULL when
 * out of memory. The pointer is valid until the thread is garbage-collected or the machine is
 * freed. */
struct tally_thread *tally_machine_thread(struct tally_machine *machine, int32_t pid, int32_t tid);

/*
 * Return the thread for a sample taken at `time` (0 if unknown) in `cpumode`. A thread that exited
 * more than a second ago can no longer run code in user space, so such a sample belongs to a new,
 * unknown thread.
 *
 * The kernel writes PID and TID 0 for the idle task, and for every task outside the recorder's PID
 * namespace. A user-space sample, or an mmap or comm record, with PID 0 shows that such tasks
 * exist. From then on, the name of thread 0 is "[unknown]" instead of "swapper". Maps and names of
 * these tasks are ignored, because they could belong to any of them.
 */
struct tally_thread *tally_machine_sample_thread(struct tally_machine *machine, int32_t pid,
						 int32_t tid, uint8_t cpumode, uint64_t time);

/* From now on, assign kernel addresses that no record describes to the DSO "[kernel]", because they
 * were hidden from the recorder. Otherwise, such addresses are not in any DSO, as in perf. */
#define TALLY_HIDDEN_KERNEL "[kernel]"
void tally_machine_show_hidden(struct tally_machine *machine);

/* From now on, name modules by the file paths in their records, such as "/lib/modules/.../ext4.ko".
 * Otherwise, the name is "[ext4]", as in perf's reports. */
void tally_machine_show_paths(struct tally_machine *machine);

/* From now on, remove a process's maps when it executes another program, and name the kernel
 * "[kernel]", as in perf top. Recordings are read without this call: their maps are kept, as in
 * perf, so that reports are comparable. */
void tally_machine_follow(struct tally_machine *machine);

/* Mark threads that have exited, or for which `is_gone` (may be NULL) returns true. A later call to
 * tally_profile_collect() frees them. Returns the number of marked threads. */
size_t tally_machine_expire(struct tally_machine *machine,
			    bool (*is_gone)(int32_t pid, int32_t tid));

/* Return the thread with this index, which must exist. */
const struct tally_thread *tally_machine_thread_at(const struct tally_machine *machine,
						   uint32_t index);

/* Set the time (CLOCK_MONOTONIC, in ns) at which addresses are looked up. An address in JIT code is
 * resolved to the code most recently generated there by that time. With TALLY_TIME_UNKNOWN
 * (symbols/jit/jit_code.h), the initial value, it is resolved to the last code generated there. */
void tally_machine_set_time(struct tally_machine *machine, uint64_t time);

/* Look up `ip` for `thread` in `cpumode`. Never returns NULL. The result is valid until the next
 * call. Repeated look-ups of the same address in an unchanged address space are cached. */
struct tally_location *tally_machine_locate(struct tally_machine *machine,
					    const struct tally_thread *thread, uint8_t cpumode,
					    uint64_t ip);

/* Return the DSO mapped at `ip` for `thread` in `cpumode`, or NULL. Only maps are used: symbols are
 * not read, and kernel code known only from symbols is not in any DSO. */
struct tally_dso *tally_machine_find_dso(const struct tally_machine *machine,
					 const struct tally_thread *thread, uint8_t cpumode,
					 uint64_t ip);

/* Return the size of the mapping at `ip` in bytes, or 0 if there is none. */
uint64_t tally_machine_mapped_size(const struct tally_machine *machine,
				   const struct tally_thread *thread, uint8_t cpumode, uint64_t ip);

enum { TALLY_LOCATION_KEY_WORDS = 3 };

/* Compute the location key of `ip` for `thread`. The first word indicates whether the key consists
 * of one word, or of three words for an odd address. The key is the same in all processes that map
 * the same file, regardless of the address. Its meaning changes only with the kernel's maps or with
 * tally_machine_generation(). Returns the number of words. */
int tally_machine_location_key(struct tally_machine *machine, const struct tally_thread *thread,
			       uint8_t cpumode, uint64_t ip,
			       uint64_t ret_key[TALLY_LOCATION_KEY_WORDS]);

/* Number of address bits in a location key. The higher bits identify the DSO; they are 0 if the
 * address is not mapped. */
enum { TALLY_LOCATION_KEY_BITS = 48 };

/* Compute the location key of a word that was found on a user stack and interpreted as an address.
 * If the address is not in the code of the thread's process, the key is the single word
 * TALLY_LOCATION_KEY_CUT. If no map of the process is known, every address counts as code. Returns
 * the number of words. */
int tally_machine_caller_key(struct tally_machine *machine, const struct tally_thread *thread,
			     uint64_t ip, uint64_t ret_key[TALLY_LOCATION_KEY_WORDS]);

/* Placeholder for the callers missing from a broken chain. Both the DSO and the symbol of its
 * location have this name. */
#define TALLY_LOCATION_KEY_CUT ((uint64_t)0x7ffe << 48)
#define TALLY_CUT              "[cut]"

/* Return true if the address of a location key is in user space and is a possible return address
 * (tally_dso_is_return_address()). The key must not be TALLY_LOCATION_KEY_CUT. */
bool tally_machine_is_return_address(const struct tally_machine *machine,
				     const uint64_t *location_keys);

/* Return true if a location key has three words. */
bool tally_location_key_is_odd(const uint64_t *location_keys);

/* Return true if the address of a location key is in the kernel or in a DSO. Always true for odd
 * keys, even if they are in neither. */
static inline bool tally_location_key_is_mapped(const uint64_t *location_keys)
{
	return location_keys[0] >> TALLY_LOCATION_KEY_BITS != 0;
}

/* Return the location key of `addr` in a user-space DSO, or in no DSO if `dso` is NULL. Must not be
 * used for odd addresses. */
uint64_t tally_location_key_in_dso(const struct tally_dso *dso, uint64_t addr);

/* Resolve a location key using these kernel maps. The location's ip is set to its addr. Returns the
 * number of words. */
int tally_machine_location_key_resolve(struct tally_machine *machine, struct tally_maps *kernel,
				       const uint64_t *location_keys,
				       struct tally_location *ret_location);

/* Return the address of a location key, relative to its DSO. The address is unchanged if it is in
 * the kernel or not in any DSO. */
uint64_t tally_location_key_addr(const uint64_t *location_keys);

/* Return the kernel's current maps, borrowed. While any other code holds a reference, the machine
 * changes a copy instead, so the pointer changes. */
struct tally_maps *tally_machine_kernel(const struct tally_machine *machine);

/* Return a number that increases when the meaning of location keys may have changed because a JIT
 * compiler generated code. */
uint64_t tally_machine_generation(const struct tally_machine *machine);

/* Return the cpumode that a callchain's context marker switches to; -1 for an unknown marker; -2 if
 * `ip` is not a marker. */
int tally_context_cpumode(uint64_t ip);

/* Return the comm ID by which samples are summed. For an unnamed thread, this is TALLY_COMM_LATER
 * plus the thread's index, because the name may still arrive. */
#define TALLY_COMM_LATER (1u << 31)
static inline uint32_t tally_thread_comm_key(const struct tally_thread *thread)
{
	bool is_named = thread->has_comm || thread->tid < 0;

	return is_named ? thread->comm : TALLY_COMM_LATER | thread->index;
}

/* Return the current ID in machine->comms for a comm ID from tally_thread_comm_key(). */
uint32_t tally_machine_comm_of(const struct tally_machine *machine, uint32_t key);

const char *tally_machine_comm(const struct tally_machine *machine,
			       const struct tally_thread *thread);
const struct tally_intern *tally_machine_comms(const struct tally_machine *machine);
const struct tally_machine_stats *tally_machine_stats(const struct tally_machine *machine);

/* Return the letter that is printed in brackets for a cpumode: k, ., H, g, u. */
static inline char tally_cpumode_letter(uint8_t cpumode)
{
	return "?k.Hgu??"[cpumode & 7];
}

#endif
