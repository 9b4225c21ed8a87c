/* SPDX-License-Identifier: BSD-2-Clause */
/* Identities of mapped objects ("DSOs"), and the list of them in a struct tally_symbols. */
#ifndef TALLY_SYMBOLS_DSO_KEY_H
#define TALLY_SYMBOLS_DSO_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct tally_symbols;
struct tally_dso;

enum tally_dso_kind {
	TALLY_DSO_USER,     /* an ELF file; addresses are file offsets */
	TALLY_DSO_KERNEL,   /* the core kernel; absolute addresses */
	TALLY_DSO_MODULE,   /* "[ext4]", "/lib/modules/.../ext4.ko"; absolute addresses */
	TALLY_DSO_VDSO,     /* the vdso; offsets in its image */
	TALLY_DSO_PERF_MAP, /* code without a file, e.g. JIT; absolute addresses */
	TALLY_DSO_JITDUMP,  /* code in a JIT compiler's dump; offsets in that file */
	TALLY_DSO_UNKNOWN,  /* cannot have symbols: other special mappings, or no mapping */
};

/* Inode of a file, as in MMAP2 records. All zero if unknown. */
struct tally_dso_inode {
	uint64_t ino;
	uint32_t maj, min; /* device number; major is 0 for an anonymous device */
};

/* Identity of an object. A file is identified by its path and build-id. If the build-id is unknown,
 * it is identified by its path and inode, because containers can have different files at the same
 * path. Device numbers are only compared if both belong to disks, because two containers based on
 * the same image have the same file on two overlays. */
struct tally_dso_key {
	enum tally_dso_kind kind;
	const char *name;        /* recorded path or name; copied */
	const uint8_t *build_id; /* NULL if unknown */
	size_t build_id_size;    /* size limit is TALLY_BUILD_ID_MAX; longer IDs are truncated */
	/* Process that owns the code (PERF_MAP, JITDUMP). For USER, a process that mapped the file,
	 * or 0. The file may be accessible through the process's /proc/PID/root, but the process is
	 * not part of the identity. */
	pid_t pid;
	/* PERF_MAP: pid in the process's own namespace. If it is 0, it is read from procfs, or
	 * is the same as `pid` if the process has exited. */
	pid_t nspid;
	struct tally_dso_inode inode; /* USER; ignored if a build-id is known */
	uint64_t start, end;          /* USER: `pid`'s mapping of the file, or 0; not in the key */
};

/* Return the kind of object for the file name in a MMAP record. Names in user space are "//anon",
 * "[anon]", "[vdso]", "[heap]", "/memfd:...", "/dev/zero", or a path. With `kernel`, names are
 * "[kernel.kallsyms]_text", "[ext4]" or ".../ext4.ko.xz". */
enum tally_dso_kind tally_dso_kind_of(const char *filename, bool kernel);

/* Return true if a path names a JIT compiler's dump (jit-PID.dump), and get the pid. */
bool tally_jitdump_pid(const char *path, int *ret_pid);

/* Get the DSO for `key`, creating it if necessary. Equal keys always get the same DSO, which is
 * owned by `symbols`. Returns 0; -EINVAL if the name is NULL; or -ENOMEM. */
int tally_dso_get(struct tally_symbols *symbols, const struct tally_dso_key *key,
		  struct tally_dso **ret_dso);

/* Remember the last process that mapped a USER file, because it is the most likely to still be
 * running. tally_dso_get() does this for its key. */
void tally_dso_set_mapping(struct tally_dso *dso, pid_t pid, uint64_t start, uint64_t end);

/* Find the DSO with the given key, but do not create it. Returns 0 or -ENOENT. */
int tally_dso_lookup(struct tally_symbols *symbols, const struct tally_dso_key *key,
		     struct tally_dso **ret_dso);

/* Get the clone of a DSO in another `symbols`, creating it if necessary. Clones are used to load
 * rules in another thread. Returns 0 or -ENOMEM. */
int tally_dso_clone(struct tally_symbols *symbols, const struct tally_dso *of,
		    struct tally_dso **ret_twin);

/* Add code of a MODULE that the kernel generated at run time. The DSO's name is its only symbol.
 * Call this before the first lookup; later code has no symbol. Returns 0 or -ENOMEM. */
int tally_dso_add_generated(struct tally_dso *dso, uint64_t start, uint64_t end);

/* Set the recorded address of the kernel or a module. Call this before the first lookup. For the
 * kernel, `address` is the address of the symbol `reference` ("_text", "_stext"), which is used to
 * relocate a vmlinux. Without an address, a vmlinux is used at its linked address, unless the
 * kernel is the running one. For a module, `address` is the start of its text, and `reference` is
 * NULL. `reference` is copied. Returns 0 or -ENOMEM. */
int tally_dso_set_address(struct tally_dso *dso, const char *reference, uint64_t address);

/* Get the address that was set for the DSO. Returns false if none was set. */
bool tally_dso_address(const struct tally_dso *dso, uint64_t *ret_address);

enum tally_dso_kind tally_dso_kind(const struct tally_dso *dso);
const char *tally_dso_name(const struct tally_dso *dso);

/* For PERF_MAP and JITDUMP, return the process that owns the code. */
pid_t tally_dso_pid(const struct tally_dso *dso);

/* Return true if the DSO was recorded with a build-id. */
bool tally_dso_has_recorded_id(const struct tally_dso *dso);

/* Return the number of DSOs. */
size_t tally_symbols_nr_dsos(const struct tally_symbols *symbols);

/* Convert between a DSO and its number. DSOs are numbered from 0 in order of creation. The number
 * passed to tally_dso_at() must exist. */
uint32_t tally_dso_number(const struct tally_dso *dso);
struct tally_dso *tally_dso_at(const struct tally_symbols *symbols, uint32_t number);

/* Iterate over the DSOs in order of creation, starting with `*pos` 0. Returns NULL at the end. */
struct tally_dso *tally_dso_next(const struct tally_symbols *symbols, size_t *pos);

#endif
