/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine a recording was made on: its threads, their names and maps, and the kernel,
 * as they are at one moment. Feed it records in time order; ask it who ran and what an
 * address is. Records that are damaged are counted and ignored. Not thread-safe.
 */
#ifndef TALLY_PROFILE_MACHINE_H
#define TALLY_PROFILE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/intern.h"
#include "base/map.h"
#include "profile/maps.h"
#include "symbols/symbols.h"

/* What the threads of a process share. */
struct tally_process {
	int32_t pid;
	unsigned refs;
	unsigned nr_threads, nr_ended; /* that it has, or had; of these, those that have ended */
	struct tally_maps *maps;
	struct tally_dso *jit; /* the dump of its JIT compiler; NULL: none is known */
	/* See machine_moved.h; NULL: none is known. */
	struct tally_dso *program, *moved_map;
};

struct tally_thread {
	int32_t pid, tid;
	bool has_comm;    /* told by a record; otherwise the comm is ":tid" */
	bool guesses_pid; /* no record told the pid: it is taken to be the tid */
	uint8_t gone;  /* sweeps to wait until a thread that ended is freed, + 1; 0: it is there */
	uint32_t comm; /* id in machine->comms */
	uint32_t first_comm; /* of one that had none: the first that it was given, if any */
	uint32_t index;      /* counts up from 0 in order of appearance */
	uint64_t ended; /* when, as its EXIT record tells; 0: it has not, or that is not known */
	struct tally_process *process;
};

/* What an address turned out to be. */
struct tally_location {
	uint64_t ip;
	uint64_t addr;         /* in the DSO's space (file offset or address); ip without one */
	struct tally_dso *dso; /* NULL: not mapped */
	const struct tally_symbol *symbol; /* NULL: no name */
	uint8_t cpumode;                   /* PERF_RECORD_MISC_* */
};

struct tally_machine_stats {
	uint64_t damaged; /* records too short for what they are, or with names over 4,095 bytes */
	uint64_t guest;   /* look-ups of guest addresses, which have no maps here */
	uint64_t outside; /* samples in user space of tasks outside the recorder's pid namespace */
};

struct tally_machine;

/* `symbols` must outlive the machine. 0 or -ENOMEM. */
int tally_machine_new(struct tally_symbols *symbols, struct tally_machine **ret_machine);
void tally_machine_free(struct tally_machine *machine);

/* Forget who ran and what was mapped: the same records come again. Comms and threads will have the
 * numbers that they had; locations and maps of before stay what they were. 0 or -ENOMEM. */
int tally_machine_restart(struct tally_machine *machine);

/* Take in a MMAP, MMAP2, COMM, FORK, EXIT, KSYMBOL or NAMESPACES record of `len` bytes in
 * host order; other types are ignored. 0 or -ENOMEM. */
int tally_machine_record(struct tally_machine *machine, const void *record, size_t len);

/* Call `fn` for each file that process `pid` has mapped now, in the order of addresses, and several
 * times for some. */
void tally_machine_walk_files(const struct tally_machine *machine, int32_t pid,
			      void (*fn)(void *arg, const struct tally_dso *dso), void *arg);

/* What the thread with this tid is called, NULL if there is none. */
const char *tally_machine_comm_of_tid(const struct tally_machine *machine, int32_t tid);

/* How many threads it knows, of those that ended, too, since the last sweep. */
size_t tally_machine_nr_threads(const struct tally_machine *machine);

/* Forget the threads that ended, and what they alone had mapped; files stay. Threads have other
 * numbers then, and pointers to them are stale. 0, or -ENOMEM: then nothing was forgotten. For who
 * has tally_machine_follow() and no profile of the machine, which has tally_profile_sweep(). */
int tally_machine_sweep_threads(struct tally_machine *machine);

/* Pin the file that a MMAP or MMAP2 record tells of (symbols/pins.h), if it is of user space and
 * there is one. 0 or -ENOMEM. */
int tally_machine_pin(struct tally_pins *pins, const void *record, size_t len);

/* The file's build id for a DSO name, told before any MMAP of it. With cpumode KERNEL it also
 * tells what the kernel or a module is called. Copies. 0 or -ENOMEM. */
int tally_machine_build_id(struct tally_machine *machine, uint8_t cpumode, const char *filename,
			   const uint8_t *build_id, size_t size);

/* "[ext4]" for ".../ext4.ko.xz" and "[dm_mod]" for ".../dm-mod.ko"; other names as they are,
 * cut to `size`. */
void tally_module_name(const char *filename, char *name, size_t size);

/* The thread with this tid, made if new. A pid of -1 means unknown; a pid that is not the one it
 * had means another thread. NULL when out of memory. Stable until the machine is freed. */
struct tally_thread *tally_machine_thread(struct tally_machine *machine, int32_t pid, int32_t tid);

/* The same for a sample, taken at `time` (0: not known) in `cpumode`. A thread that ended
 * more than a second ago runs no more code in user space: the sample is of another one, of which
 * nothing is known.
 *
 * The kernel writes pid and tid 0 for the idle task, and for every task outside the pid namespace
 * of who recorded. Once the machine has met one of the latter, which a sample in user space, a map
 * or a name tell, the name of thread 0 is "[unknown]", no longer "swapper": maps and names of these
 * tasks are nobody's, as they could be those of any. */
struct tally_thread *tally_machine_sample_thread(struct tally_machine *machine, int32_t pid,
						 int32_t tid, uint8_t cpumode, uint64_t time);

/* From now on the kernel's addresses are in the DSO "[kernel]" where no record tells what is at
 * which: they were hidden from who recorded. Otherwise they are in none, as perf has it. */
#define TALLY_HIDDEN_KERNEL "[kernel]"
void tally_machine_show_hidden(struct tally_machine *machine);

/* From now on a module is called as its record calls it, "/lib/modules/.../ext4.ko", which is where
 * its file is. Otherwise it is "[ext4]", as perf has it in reports. */
void tally_machine_show_paths(struct tally_machine *machine);

/* From now on a process forgets its maps when it executes another program. A recording keeps them:
 * perf does, and reports are compared. The kernel is called "[kernel]", as in perf top. */
void tally_machine_follow(struct tally_machine *machine);

/* Threads that ended, or that `is_gone` says have ended (NULL: none): they are freed by one of the
 * next sweeps of a profile. The number of threads waiting for that. */
size_t tally_machine_expire(struct tally_machine *machine,
			    bool (*is_gone)(int32_t pid, int32_t tid));

/* The thread with this index, which was handed out before. */
const struct tally_thread *tally_machine_thread_at(const struct tally_machine *machine,
						   uint32_t index);

/* When it is that addresses are looked up, in ns of CLOCK_MONOTONIC: what a JIT compiler had made
 * at an address by then is what it is. With TALLY_TIME_UNKNOWN (symbols/made.h), as at first, it is
 * what was made last. */
void tally_machine_set_time(struct tally_machine *machine, uint64_t time);

/* What `ip` is for `thread` in `cpumode`. Never NULL; valid until the next call. Repeated
 * look-ups of the same address in an unchanged address space come from a cache. */
struct tally_location *tally_machine_locate(struct tally_machine *machine,
					    const struct tally_thread *thread, uint8_t cpumode,
					    uint64_t ip);

/* The DSO that is mapped where `ip` is for `thread` in `cpumode`; NULL for none. By maps alone: no
 * symbols are read, and code of the kernel that only they tell of is in none. */
struct tally_dso *tally_machine_find_dso(const struct tally_machine *machine,
					 const struct tally_thread *thread, uint8_t cpumode,
					 uint64_t ip);

enum { TALLY_LOCATION_KEY_WORDS = 3 };

/* The location key of `ip` for `thread`: one word, or three for odd addresses. It is the same in
 * every process that has the same file anywhere in memory, and what it stands for changes with the
 * maps of the kernel only, or as tally_machine_generation() tells. How many words; the first one
 * tells which of the two it is. */
int tally_machine_location_key(struct tally_machine *machine, const struct tally_thread *thread,
			       uint8_t cpumode, uint64_t ip,
			       uint64_t ret_key[TALLY_LOCATION_KEY_WORDS]);

/* Bits of the address in a location key; above them is what it is in, 0 for nothing. */
enum { TALLY_LOCATION_KEY_BITS = 48 };

/* The same for a word in user space that was found on a stack and taken for an address: where it is
 * in no code of `thread`'s process, the one word TALLY_LOCATION_KEY_CUT. Of a process of which no
 * map is known all is code. */
int tally_machine_caller_key(struct tally_machine *machine, const struct tally_thread *thread,
			     uint64_t ip, uint64_t ret_key[TALLY_LOCATION_KEY_WORDS]);

/* Stands for what is missing of a callchain behind the place where it went astray. Its location has
 * a DSO and a symbol of this name. */
#define TALLY_LOCATION_KEY_CUT ((uint64_t)0x7ffe << 48)
#define TALLY_CUT              "[cut]"

/* Whether a location key stands for an address in user space that a return can lead to
 * (tally_dso_is_return_address()); not TALLY_LOCATION_KEY_CUT. */
bool tally_machine_is_return_address(const struct tally_machine *machine,
				     const uint64_t *location_keys);

/* Whether a location key has three words. */
bool tally_location_key_is_odd(const uint64_t *location_keys);

/* Whether a location key stands for an address in the kernel or in a DSO. Of odd ones it may be
 * neither. */
static inline bool tally_location_key_is_mapped(const uint64_t *location_keys)
{
	return location_keys[0] >> TALLY_LOCATION_KEY_BITS != 0;
}

/* The location key of `addr` in a DSO of user space, or in none; not of odd ones. */
uint64_t tally_location_key_in_dso(const struct tally_dso *dso, uint64_t addr);

/* The location that a location key stands for by these maps of the kernel; its ip is its addr. The
 * number of words. */
int tally_machine_location_key_resolve(struct tally_machine *machine, struct tally_maps *kernel,
				       const uint64_t *location_keys,
				       struct tally_location *ret_location);

/* The address that a location key stands for: in its DSO; in the kernel, or without a DSO, as it
 * was. */
uint64_t tally_location_key_addr(const uint64_t *location_keys);

/* The kernel's maps as they are now. Borrowed; while somebody else holds a reference the machine
 * changes a copy of them instead, which then is another pointer. */
struct tally_maps *tally_machine_kernel(const struct tally_machine *machine);

/* Goes up when what location keys stand for may have changed: a JIT compiler went on. */
uint64_t tally_machine_generation(const struct tally_machine *machine);

/* The cpumode that a callchain's context marker switches to, or -1 if `ip` is no marker that
 * is known, -2 if it is no marker at all. */
int tally_context_cpumode(uint64_t ip);

/* A comm's id as samples are to be summed up by: of a thread that has none yet it stands for the
 * thread, as its name may still come. */
#define TALLY_COMM_LATER (1u << 31)
static inline uint32_t tally_thread_comm_key(const struct tally_thread *thread)
{
	bool is_named = thread->has_comm || thread->tid < 0;

	return is_named ? thread->comm : TALLY_COMM_LATER | thread->index;
}

/* The id in machine->comms that such a key has turned out to be. */
uint32_t tally_machine_comm_of(const struct tally_machine *machine, uint32_t key);

const char *tally_machine_comm(const struct tally_machine *machine,
			       const struct tally_thread *thread);
const struct tally_intern *tally_machine_comms(const struct tally_machine *machine);
const struct tally_machine_stats *tally_machine_stats(const struct tally_machine *machine);

/* Letter of a cpumode in brackets: k, ., H, g, u. */
static inline char tally_cpumode_letter(uint8_t cpumode)
{
	return "?k.Hgu??"[cpumode & 7];
}

#endif
