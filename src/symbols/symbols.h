/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of functions by address in a mapped object.
 *
 * There is one `struct tally_symbols` per report, which owns everything: the objects ("DSOs"),
 * their symbols and all names that are returned live until tally_symbols_free(). Nothing is read
 * before the first lookup in a DSO; tally_dso_status() returns the result. Not thread-safe.
 *
 * Not included: source lines and inlined functions (symbols_lines.h). The network is never used.
 */
#ifndef TALLY_SYMBOLS_SYMBOLS_H
#define TALLY_SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "symbols/elf.h"
#include "symbols/symbols_table.h"

struct tally_symbols;
struct tally_dso;
struct tally_unwind_table;
struct tally_pins;

/* Strings and arrays are copied by tally_symbols_new(); all zero (NULL) selects perf's defaults. */
struct tally_symbols_options {
	const char *symfs;             /* prefix of the path of every recorded object */
	const char *vmlinux;           /* image of the kernel */
	const char *kallsyms;          /* kallsyms of the kernel, whichever was recorded */
	const char *const *debug_dirs; /* NULL-terminated; default {"/usr/lib/debug", NULL} */
	/* perf's cache of objects by build-id. A kernel's kallsyms is read from it, if it has the
	 * kernel at its recorded address, rather than from /proc/kallsyms, which takes 30 ms to
	 * read. Default: $PERF_BUILDID_DIR, else $HOME/.debug. */
	const char *buildid_dir;
	const char *fetched_dir; /* debug files by build-id, as debuginfod clients store them:
	                          * DIR/BUILDID/debuginfo; NULL: none */
	bool no_unpack;          /* do not decompress a program's own file, see
	                          * tally_image_open_plain() */
	int kallsyms_fd;         /* /proc/kallsyms, opened with privileges; 0: none */
	bool no_demangle;        /* return raw names */
	bool demangle_params;    /* "f(int)" instead of "f", as perf does with -v */
	bool ignore_vmlinux;     /* use only kallsyms */
	bool bounds; /* name code without a symbol by the start of its function, if unwind rules
	              * give it: "fn@42e0" */
	/* Directory of indexes (docs/internals/index-format.md), NULL: none; and its limit. */
	const char *index_dir;
	uint64_t index_limit;    /* bytes */
	struct tally_pins *pins; /* files as they were mapped (pins.h), borrowed; or NULL */
	bool any_owner; /* accept any user's perf-PID.map, not only those of root, the effective
	                 * user and the process's user */
	/* Time limit for decoding the debug information of a file, in seconds; 0: two minutes. */
	unsigned lines_seconds;
	int64_t recorded; /* seconds since 1970; 0: unknown. A file without a build-id that changed
	                   * later is not used for code and unwind rules. If it has the recorded
	                   * inode, mtime decides, else ctime */
};

enum tally_dso_kind {
	TALLY_DSO_USER,     /* an ELF file; addresses are file offsets */
	TALLY_DSO_KERNEL,   /* the kernel proper; absolute addresses */
	TALLY_DSO_MODULE,   /* "[ext4]", "/lib/modules/.../ext4.ko"; absolute addresses */
	TALLY_DSO_VDSO,     /* the vdso; offsets in its image */
	TALLY_DSO_PERF_MAP, /* code without a file, e.g. JIT; absolute addresses */
	TALLY_DSO_JITDUMP,  /* code in the dump of a JIT compiler; offsets in that file */
	TALLY_DSO_UNKNOWN,  /* no symbols are possible: other special mappings, or no mapping */
};

/* The inode of a file, as in MMAP2 records; all zero: unknown. */
struct tally_dso_inode {
	uint64_t ino;
	uint32_t maj, min; /* of the device; major 0: an anonymous device */
};

/* The identity of an object. A file is identified by its path and build-id or, if that is unknown,
 * by its path and inode: containers have different files at the same path. Devices are only
 * compared if they are disks, as two containers of one image have the same file on two overlays. */
struct tally_dso_key {
	enum tally_dso_kind kind;
	const char *name;        /* recorded path or name; copied */
	const uint8_t *build_id; /* NULL if unknown */
	size_t build_id_size;    /* longer ones are truncated to TALLY_BUILD_ID_MAX */
	pid_t pid;   /* PERF_MAP, JITDUMP: the process; USER: 0, or a process that mapped it: its
	              * /proc/PID/root may lead to the file (not part of the identity) */
	pid_t nspid; /* PERF_MAP: pid in the process's own namespace; 0: as in procfs, else the same
	              * as pid */
	struct tally_dso_inode inode; /* USER; ignored if a build-id is known */
	uint64_t start, end;          /* USER: where `pid` mapped it, or 0; not in the identity */
};

/* The result of searching for symbols, see tally_dso_status(). */
enum tally_dso_state {
	TALLY_DSO_NOT_LOADED,  /* no lookup yet */
	TALLY_DSO_LOADED,      /* symbols were found */
	TALLY_DSO_MISSING,     /* no such file, for a recording from elsewhere or below symfs */
	TALLY_DSO_MISMATCH,    /* no file has the recorded build-id */
	TALLY_DSO_NO_SYMBOLS,  /* the file is stripped */
	TALLY_DSO_NOT_ELF,     /* the file is something else */
	TALLY_DSO_BROKEN,      /* the file is malformed */
	TALLY_DSO_DENIED,      /* no permission (also: kptr_restrict) */
	TALLY_DSO_UNSUPPORTED, /* compressed module, and no decompressor */
	TALLY_DSO_TOO_LARGE,   /* the file, or a table in it, exceeds a limit */
	TALLY_DSO_TRUNCATED,   /* the file became shorter while it was read */
	TALLY_DSO_FOREIGN,     /* not known to be from the recorded machine and kernel */
	TALLY_DSO_REPLACED,    /* the path leads to another file than the mapped one */
	TALLY_DSO_CHANGED,     /* it has no build-id, and changed after it was recorded */
	TALLY_DSO_NOT_TRUSTED, /* a JIT compiler's file of an untrusted user */
	TALLY_DSO_NO_FILE,     /* this kind has no symbols */
	TALLY_DSO_NO_MEMORY,
	TALLY_DSO_NO_LINES, /* from here on states of lines only, see symbols_lines.h */
	TALLY_DSO_TIMEOUT,
	TALLY_DSO_OVER_MEMORY,
	TALLY_DSO_CRASHED,
	TALLY_DSO_DAMAGED,
	TALLY_DSO_INCOMPLETE,
	TALLY_DSO_NO_RESOURCES,
	TALLY_DSO_DEBUG_ONLY, /* of symbols and lines: only the debug file was found */
	TALLY_DSO_REMOVED,    /* recorded here, but the file no longer exists */
};

/* The source of symbols. */
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
	TALLY_DSO_SOURCE_MEMORY, /* the vdso of this process */
	TALLY_DSO_SOURCE_MODULE, /* a .ko file */
	TALLY_DSO_SOURCE_INDEX,  /* the index of a file that no longer exists */
	TALLY_DSO_SOURCE_STORED, /* the recording, see stored.h */
};

struct tally_dso_status {
	enum tally_dso_state state;
	enum tally_dso_source source;
	const char *text; /* description of the state, constant, for a health line */
	const char *path; /* file that the symbols came from, or NULL */
	size_t nr_symbols;
	size_t nr_skipped;   /* malformed lines or records in a JIT compiler's file */
	uint64_t nr_guesses; /* JITDUMP: lookups without a time, at addresses of several codes */
	bool has_arch_clock; /* JITDUMP: times are from a clock that recordings do not use */
};

/*
 * The origin of a recording, relative to this machine. For a recording made here with the running
 * kernel, symbols may come from this machine's kernel, vdso, JIT maps in /tmp, and files of the
 * same names. For a recording from another machine or kernel, all of these would give wrong names:
 * files are then only used if their build-id matches, or if the user names them or their directory.
 */
enum tally_symbols_origin {
	TALLY_SYMBOLS_HERE, /* the same host name, release and architecture, or recorded just now */
	TALLY_SYMBOLS_UNKNOWN,   /* not recorded (a recording that was not finished): files are
	                          * found by name; a kernel if it was relocated to its recorded
	                          * address */
	TALLY_SYMBOLS_ELSEWHERE, /* another machine, or another kernel */
};

/* Create the symbols of a report. `options` may be NULL. The caller frees `*ret_symbols`. Returns 0
 * or -ENOMEM. */
int tally_symbols_new(const struct tally_symbols_options *options,
		      struct tally_symbols **ret_symbols);
void tally_symbols_free(struct tally_symbols *symbols);

/* Set the origin of the recording, before the first lookup; HERE is the default. `release` is the
 * recorded kernel release (copied), NULL if unknown. Returns 0 or -ENOMEM. */
int tally_symbols_set_origin(struct tally_symbols *symbols, enum tally_symbols_origin origin,
			     const char *release);

/* Get the DSO of `key`, creating it if it is new. The same key gives the same pointer, which is
 * owned by `symbols`. Returns 0; -EINVAL for a NULL name; -ENOMEM. */
int tally_dso_get(struct tally_symbols *symbols, const struct tally_dso_key *key,
		  struct tally_dso **ret_dso);

/* Free the DSOs that are not marked in `keep`, which has an element for each number of a DSO. The
 * first kernel is always kept. The remaining DSOs are renumbered in the same order; pointers to
 * them and to their data stay valid. */
void tally_symbols_collect(struct tally_symbols *symbols, const uint8_t *keep);

/* Return the number of DSOs. */
size_t tally_symbols_nr_dsos(const struct tally_symbols *symbols);

/* Return the kind of object for the file name of a MMAP record: in user space ("//anon", "[anon]",
 * "[vdso]", "[heap]", "/memfd:...", "/dev/zero", a path) or, with `kernel`, in the kernel
 * ("[kernel.kallsyms]_text", "[ext4]", ".../ext4.ko.xz"). */
enum tally_dso_kind tally_dso_kind_of(const char *filename, bool kernel);

/* Set the recorded address of the kernel or a module. For the kernel, `address` is that of the
 * symbol `reference` ("_text", "_stext"), by which a vmlinux is relocated. Without it, a vmlinux is
 * used at its linked address, unless the kernel is the running one. For a module, `address` is the
 * start of its text, and `reference` is NULL. To be called before the first lookup. `reference` is
 * copied. Returns 0 or -ENOMEM. */
int tally_dso_set_address(struct tally_dso *dso, const char *reference, uint64_t address);

/* Get the address that was set for the DSO. Returns false if it is not set. */
bool tally_dso_address(const struct tally_dso *dso, uint64_t *ret_address);

/* Return the symbol at `addr`, or NULL. For USER and VDSO, `addr` is the file offset, ip -
 * map.start + map.pgoff; for JITDUMP, the offset in the dump (jit_code.h); otherwise the absolute
 * address. The result lives until `symbols` is freed. */
const struct tally_symbol *tally_dso_find(struct tally_dso *dso, uint64_t addr);

/* Return true if a path is that of a JIT compiler's dump, jit-PID.dump, and get the pid. */
bool tally_jitdump_pid(const char *path, int *ret_pid);

/* Return the unwind rules of the DSO, by addresses as for tally_dso_find(). They are compiled at
 * the first call, and live until `symbols` is freed. Without rules, the result is NULL and
 * tally_dso_rules_state() gives the reason: NO_SYMBOLS if the file has no rules, else as for
 * symbols. */
const struct tally_unwind_table *tally_dso_rules(struct tally_dso *dso);
enum tally_dso_state tally_dso_rules_state(const struct tally_dso *dso);

/* Get the clone of a DSO in other `symbols`, creating it if it is new. It is for loading rules in
 * another thread. Returns 0 or -ENOMEM. */
int tally_dso_clone(struct tally_symbols *symbols, const struct tally_dso *of,
		    struct tally_dso **ret_twin);
/* Move the rules that were loaded for the clone to `dso`, if it has none yet. */
void tally_dso_move_rules(struct tally_dso *dso, struct tally_dso *twin);

/* Return true if callers may be found by frame pointers where the DSO has no rule. This is the case
 * if it has rules elsewhere, or if its functions set up frame pointers. Only valid after
 * tally_dso_rules(). */
bool tally_dso_has_frame_pointers(const struct tally_dso *dso);

/* Return the name to print for a symbol from tally_dso_find(dso): demangled, unless that is
 * disabled. The result is cached: the same symbol gives the same pointer. Never NULL. */
const char *tally_symbol_name(struct tally_dso *dso, const struct tally_symbol *symbol);

/* Return the name that the linker uses for a symbol: mangled. */
const char *tally_symbol_raw_name(const struct tally_dso *dso, const struct tally_symbol *symbol);

/* Return true if a symbol from tally_dso_find(dso) is only the start of a function. */
bool tally_symbol_is_bound(const struct tally_dso *dso, const struct tally_symbol *symbol);

/* Return the result of loading symbols. */
struct tally_dso_status tally_dso_status(const struct tally_dso *dso);

/* Return a description of a state: constant, in lower case. */
const char *tally_dso_state_text(enum tally_dso_state state);

enum tally_dso_kind tally_dso_kind(const struct tally_dso *dso);
const char *tally_dso_name(const struct tally_dso *dso);

/* PERF_MAP, JITDUMP: return the process that the code belongs to. */
pid_t tally_dso_pid(const struct tally_dso *dso);

/* Return true if the DSO was recorded with a build-id. */
bool tally_dso_has_recorded_id(const struct tally_dso *dso);

/* Return the recorded build-id, or else that of the file, which is then read. NULL and 0 if it has
 * no build-id. */
const uint8_t *tally_dso_build_id(struct tally_dso *dso, size_t *ret_size);

/* Get the build-id of the object that has the DSO's name on this machine now, for a DSO that was
 * recorded here a moment ago: the recorded one, or else that of the mapped file, the kernel, the
 * loaded module or this process's vdso. No symbols are read, and the kernel is not compared with
 * the recorded one. Returns 0 with the id zero-padded; -ENOENT if it has no build-id; -ENOMEM; or
 * the error of opening the file. */
int tally_dso_running_build_id(const struct tally_dso *dso, uint8_t ret_id[TALLY_BUILD_ID_MAX],
			       size_t *ret_size);

/* Return the number of the DSO, which counts from 0 in order of creation; return the DSO with a
 * number, which must exist. */
uint32_t tally_dso_number(const struct tally_dso *dso);
struct tally_dso *tally_dso_at(const struct tally_symbols *symbols, uint32_t number);

/* Iterate over the DSOs in order of creation, starting with `*pos` 0. Returns NULL at the end. */
struct tally_dso *tally_dso_next(const struct tally_symbols *symbols, size_t *pos);

#endif
