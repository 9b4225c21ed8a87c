/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Look up function names by address in mapped objects.
 *
 * A report has one `struct tally_symbols`, which owns everything: the objects ("DSOs"), their
 * symbols and all returned names live until tally_symbols_free(). Nothing is read before the first
 * lookup in a DSO. Afterwards, tally_dso_status() returns the result of loading. Not thread-safe.
 *
 * Source lines and inlined functions are in symbols_lines.h. The network is never used.
 */
#ifndef TALLY_SYMBOLS_SYMBOLS_H
#define TALLY_SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "symbols/elf/elf.h"
#include "symbols/symbols_table.h"

struct tally_symbols;
struct tally_dso;
struct tally_unwind_table;
struct tally_pins;

/* Strings and arrays are copied by tally_symbols_new(). Zero or NULL selects perf's defaults. */
struct tally_symbols_options {
	const char *symfs;             /* prefix for the path of every recorded object */
	const char *vmlinux;           /* kernel image */
	const char *kallsyms;          /* kallsyms to use, regardless of the recorded kernel */
	const char *const *debug_dirs; /* NULL-terminated; default {"/usr/lib/debug", NULL} */
	/* perf's cache of objects, indexed by build-id. The kernel's kallsyms is read from the
	 * cache if the cached kernel address is the recorded one, because reading /proc/kallsyms
	 * takes 30 ms. Default: $PERF_BUILDID_DIR, else $HOME/.debug. */
	const char *buildid_dir;
	/* Directory in which debuginfod clients store debug files by build-id:
	 * DIR/BUILDID/debuginfo. May be NULL. */
	const char *fetched_dir;
	bool no_unpack;       /* do not decompress a program's own file, see
	                          * tally_image_open_plain() */
	int kallsyms_fd;      /* /proc/kallsyms, opened while privileged; 0 if not open */
	bool no_demangle;     /* return raw names */
	bool demangle_params; /* "f(int)" instead of "f", as perf does with -v */
	bool ignore_vmlinux;  /* use only kallsyms */
	/* If code has no symbol, name it after the start of its function in the unwind rules:
	 * "fn@42e0". */
	bool bounds;
	/* Index directory (docs/internals/index-format.md), or NULL, and its size limit. */
	const char *index_dir;
	uint64_t index_limit; /* bytes */
	struct tally_pins
		*pins; /* files kept open since they were mapped (pins.h), borrowed; or NULL */
	/* Accept any user's perf-PID.map, not only those owned by root, the effective user and the
	 * process's user. */
	bool any_owner;
	/* Time limit in seconds for decoding the debug information of a file. 0 selects two
	 * minutes. */
	unsigned lines_seconds;
	/* Time of the recording in seconds since 1970, or 0 if unknown. A file that has no build-id
	 * and changed after the recording is not used for code and unwind rules. To detect changes,
	 * mtime is used if the file has the recorded inode, otherwise ctime. */
	int64_t recorded;
};

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

/* Result of searching for symbols, see tally_dso_status(). */
enum tally_dso_state {
	TALLY_DSO_NOT_LOADED,  /* no lookup yet */
	TALLY_DSO_LOADED,      /* symbols were found */
	TALLY_DSO_MISSING,     /* no such file; the recording is from elsewhere, or symfs is set */
	TALLY_DSO_MISMATCH,    /* no file has the recorded build-id */
	TALLY_DSO_NO_SYMBOLS,  /* the file is stripped */
	TALLY_DSO_NOT_ELF,     /* the file is not an ELF file */
	TALLY_DSO_BROKEN,      /* the file is malformed */
	TALLY_DSO_DENIED,      /* no permission (or kptr_restrict) */
	TALLY_DSO_UNSUPPORTED, /* compressed module, and no decompressor */
	TALLY_DSO_TOO_LARGE,   /* the file, or a table in it, exceeds a limit */
	TALLY_DSO_TRUNCATED,   /* the file was truncated while it was being read */
	TALLY_DSO_FOREIGN,     /* not known to be from the recorded machine and kernel */
	TALLY_DSO_REPLACED,    /* the file at the path is not the one that was mapped */
	TALLY_DSO_CHANGED,     /* the file has no build-id, and changed after the recording */
	TALLY_DSO_NOT_TRUSTED, /* a JIT compiler's file that belongs to an untrusted user */
	TALLY_DSO_NO_FILE,     /* this kind of object has no symbols */
	TALLY_DSO_NO_MEMORY,
	TALLY_DSO_NO_LINES, /* from here on, states for lines only, see symbols_lines.h */
	TALLY_DSO_TIMEOUT,
	TALLY_DSO_OVER_MEMORY,
	TALLY_DSO_CRASHED,
	TALLY_DSO_DAMAGED,
	TALLY_DSO_INCOMPLETE,
	TALLY_DSO_NO_RESOURCES,
	TALLY_DSO_DEBUG_ONLY, /* for symbols and lines: only the debug file was found */
	TALLY_DSO_REMOVED,    /* recorded on this machine, but the file no longer exists */
};

/* Source of symbols. */
enum tally_dso_source {
	TALLY_DSO_SOURCE_NONE,
	TALLY_DSO_SOURCE_SYMTAB,    /* the file's own .symtab */
	TALLY_DSO_SOURCE_DYNSYM,    /* the file's own .dynsym */
	TALLY_DSO_SOURCE_DEBUGDATA, /* the file's .gnu_debugdata, with its .dynsym */
	TALLY_DSO_SOURCE_DEBUGFILE, /* a separate debug file */
	TALLY_DSO_SOURCE_BUILDID,   /* the build-id cache */
	TALLY_DSO_SOURCE_VMLINUX,
	TALLY_DSO_SOURCE_KALLSYMS,
	TALLY_DSO_SOURCE_PERF_MAP,
	TALLY_DSO_SOURCE_JITDUMP,
	TALLY_DSO_SOURCE_MEMORY, /* this process's vdso */
	TALLY_DSO_SOURCE_MODULE, /* a .ko file */
	TALLY_DSO_SOURCE_INDEX,  /* an index, because the file no longer exists */
	TALLY_DSO_SOURCE_STORED, /* the recording, see stored.h */
};

struct tally_dso_status {
	enum tally_dso_state state;
	enum tally_dso_source source;
	const char *text; /* constant description of the state, for a health line */
	const char *path; /* file that the symbols came from, or NULL */
	size_t nr_symbols;
	size_t nr_skipped;   /* malformed lines or records in a JIT compiler's file */
	uint64_t nr_guesses; /* JITDUMP: lookups without a timestamp at reused addresses */
	bool has_arch_clock; /* JITDUMP: timestamps from a clock that recordings do not use */
};

/*
 * Origin of a recording, relative to this machine. If a recording was made on this machine with the
 * running kernel, symbols may come from this machine's kernel and vdso, from JIT maps in /tmp, and
 * from files with the same names. For a recording from another machine or kernel, these would
 * provide wrong names. Files are then used only if their build-id matches, or if the user names
 * them or their directory.
 */
enum tally_symbols_origin {
	TALLY_SYMBOLS_HERE, /* same host name, release and architecture, or recorded just now */
	/* The origin was not recorded, because the recording was not finished. Files are found
	 * by name. The running kernel is used if it was relocated to the recorded address. */
	TALLY_SYMBOLS_UNKNOWN,
	TALLY_SYMBOLS_ELSEWHERE, /* another machine, or another kernel */
};

/* Create the symbols for a report. `options` may be NULL. The caller frees `*ret_symbols`. Returns
 * 0 or -ENOMEM. */
int tally_symbols_new(const struct tally_symbols_options *options,
		      struct tally_symbols **ret_symbols);
void tally_symbols_free(struct tally_symbols *symbols);

/* Set the origin of the recording. Call this before the first lookup. The default is HERE.
 * `release` is the recorded kernel release (copied), or NULL if unknown. Returns 0 or -ENOMEM. */
int tally_symbols_set_origin(struct tally_symbols *symbols, enum tally_symbols_origin origin,
			     const char *release);

/* Get the DSO for `key`, creating it if necessary. Equal keys always get the same DSO, which is
 * owned by `symbols`. Returns 0; -EINVAL if the name is NULL; or -ENOMEM. */
int tally_dso_get(struct tally_symbols *symbols, const struct tally_dso_key *key,
		  struct tally_dso **ret_dso);

/* Free the DSOs that are not marked in `keep`, which is indexed by DSO number. The first kernel is
 * always kept. The remaining DSOs are renumbered in the same order. Pointers to them and to their
 * data stay valid. */
void tally_symbols_collect(struct tally_symbols *symbols, const uint8_t *keep);

/* Return the number of DSOs. */
size_t tally_symbols_nr_dsos(const struct tally_symbols *symbols);

/* Return the kind of object for the file name in a MMAP record. Names in user space are "//anon",
 * "[anon]", "[vdso]", "[heap]", "/memfd:...", "/dev/zero", or a path. With `kernel`, names are
 * "[kernel.kallsyms]_text", "[ext4]" or ".../ext4.ko.xz". */
enum tally_dso_kind tally_dso_kind_of(const char *filename, bool kernel);

/* Set the recorded address of the kernel or a module. Call this before the first lookup. For the
 * kernel, `address` is the address of the symbol `reference` ("_text", "_stext"), which is used to
 * relocate a vmlinux. Without an address, a vmlinux is used at its linked address, unless the
 * kernel is the running one. For a module, `address` is the start of its text, and `reference` is
 * NULL. `reference` is copied. Returns 0 or -ENOMEM. */
int tally_dso_set_address(struct tally_dso *dso, const char *reference, uint64_t address);

/* Get the address that was set for the DSO. Returns false if none was set. */
bool tally_dso_address(const struct tally_dso *dso, uint64_t *ret_address);

/* Return the symbol at `addr`, or NULL. For USER and VDSO, `addr` is the file offset (ip -
 * map.start + map.pgoff). For JITDUMP, it is the offset in the dump (jit_code.h). Otherwise it is
 * the absolute address. The result lives until `symbols` is freed. */
const struct tally_symbol *tally_dso_find(struct tally_dso *dso, uint64_t addr);

/* Return true if a path names a JIT compiler's dump (jit-PID.dump), and get the pid. */
bool tally_jitdump_pid(const char *path, int *ret_pid);

/* Return the DSO's unwind rules, for addresses in the form that tally_dso_find() takes. They are
 * compiled on the first call, and live until `symbols` is freed. If there are no rules, the result
 * is NULL and tally_dso_rules_state() returns the reason: NO_SYMBOLS if the file has no rules,
 * otherwise the same states as for symbols. */
const struct tally_unwind_table *tally_dso_rules(struct tally_dso *dso);
enum tally_dso_state tally_dso_rules_state(const struct tally_dso *dso);

/* Get the clone of a DSO in another `symbols`, creating it if necessary. Clones are used to load
 * rules in another thread. Returns 0 or -ENOMEM. */
int tally_dso_clone(struct tally_symbols *symbols, const struct tally_dso *of,
		    struct tally_dso **ret_twin);
/* Move the rules that were loaded for the clone to `dso`, unless it already has rules. */
void tally_dso_move_rules(struct tally_dso *dso, struct tally_dso *twin);

/* Return true if frame pointers may be used to find callers where the DSO has no rule. This is the
 * case if it has rules elsewhere, or if its functions set up frame pointers. Only valid after
 * tally_dso_rules(). */
bool tally_dso_has_frame_pointers(const struct tally_dso *dso);

/* Return the name to print for a symbol from tally_dso_find(dso). It is demangled, unless
 * demangling is disabled. The result is cached, so the same pointer is returned for the same
 * symbol. Never NULL. */
const char *tally_symbol_name(struct tally_dso *dso, const struct tally_symbol *symbol);

/* Return the (mangled) name that the linker uses for a symbol. */
const char *tally_symbol_raw_name(const struct tally_dso *dso, const struct tally_symbol *symbol);

/* Return true if a symbol from tally_dso_find(dso) is a bound ("fn@42e0"): an unnamed function with
 * a known start and an unknown end. */
bool tally_symbol_is_bound(const struct tally_dso *dso, const struct tally_symbol *symbol);

/* Return the result of loading symbols. */
struct tally_dso_status tally_dso_status(const struct tally_dso *dso);

/* Return a constant, lower-case description of a state. */
const char *tally_dso_state_text(enum tally_dso_state state);

enum tally_dso_kind tally_dso_kind(const struct tally_dso *dso);
const char *tally_dso_name(const struct tally_dso *dso);

/* For PERF_MAP and JITDUMP, return the process that owns the code. */
pid_t tally_dso_pid(const struct tally_dso *dso);

/* Return true if the DSO was recorded with a build-id. */
bool tally_dso_has_recorded_id(const struct tally_dso *dso);

/* Return the recorded build-id. If none was recorded, read and return the build-id of the file.
 * Returns NULL and size 0 if the file has no build-id. */
const uint8_t *tally_dso_build_id(struct tally_dso *dso, size_t *ret_size);

/* Get the current build-id of the object with the DSO's name, for a DSO that was just recorded on
 * this machine. This is the recorded build-id, or else that of the mapped file, the kernel, the
 * loaded module or this process's vdso. Does not read symbols or compare the kernel with the
 * recorded one. Returns 0 with the ID zero-padded; -ENOENT if the object has no build-id; -ENOMEM;
 * or the error from opening the file. */
int tally_dso_running_build_id(const struct tally_dso *dso, uint8_t ret_id[TALLY_BUILD_ID_MAX],
			       size_t *ret_size);

/* Convert between a DSO and its number. DSOs are numbered from 0 in order of creation. The number
 * passed to tally_dso_at() must exist. */
uint32_t tally_dso_number(const struct tally_dso *dso);
struct tally_dso *tally_dso_at(const struct tally_symbols *symbols, uint32_t number);

/* Iterate over the DSOs in order of creation, starting with `*pos` 0. Returns NULL at the end. */
struct tally_dso *tally_dso_next(const struct tally_symbols *symbols, size_t *pos);

#endif
