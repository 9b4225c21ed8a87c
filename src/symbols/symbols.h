/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From an address in a mapped object to the name of the function there.
 *
 * One `struct tally_symbols` per report owns everything: objects ("DSOs"), their symbols and all
 * names it hands out live until tally_symbols_free(). Nothing is read before the first lookup in
 * a DSO; what came of it is tally_dso_status(). Not thread-safe.
 *
 * It does not: source lines and inlined functions (lines.h); ask the network.
 */
#ifndef TALLY_SYMBOLS_SYMBOLS_H
#define TALLY_SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "symbols/elf.h"
#include "symbols/table.h"

struct tally_symbols;
struct tally_dso;
struct tally_unwind_table;
struct tally_pins;

/* Strings and arrays are copied by tally_symbols_new; all zero (NULL) are perf's defaults. */
struct tally_symbols_options {
	const char *symfs;             /* prefix of every path of a recorded object */
	const char *vmlinux;           /* use this image for the kernel */
	const char *kallsyms;          /* use this file for the kernel, whichever was recorded */
	const char *const *debug_dirs; /* NULL-terminated; default {"/usr/lib/debug", NULL} */
	/* perf's cache of objects by build-id. A kernel's kallsyms is taken from it, if it has the
	 * kernel where it was recorded, rather than from /proc/kallsyms, which takes 30 ms to
	 * print. Default: $PERF_BUILDID_DIR, else $HOME/.debug. */
	const char *buildid_dir;
	const char *fetched_dir; /* debug files by build id, as debuginfod clients keep them:
				  * DIR/BUILDID/debuginfo; NULL: none */
	bool no_unpack;          /* a program's own file that is packed is none, see
				  * tally_image_open_plain() */
	int kallsyms_fd;         /* /proc/kallsyms, opened by who may; 0: there is none */
	bool no_demangle;        /* hand out raw names */
	bool demangle_params;    /* "f(int)", not "f": what perf does with -v */
	bool ignore_vmlinux;     /* kallsyms only */
	bool bounds; /* of code without a symbol the function, where unwind rules tell its
		      * start: "fn@42e0" */
	/* Where indexes are kept (docs/index-format.md), NULL: nowhere; and how many bytes of them.
	 */
	const char *index_dir;
	uint64_t index_limit;
	struct tally_pins *pins; /* borrowed; files as they were mapped (pins.h), or NULL */
	bool any_owner; /* perf-PID.map of whomever; else of root, ours, the process's user */
	/* Seconds that decoding the debug information of a file may take; 0: two minutes. */
	unsigned lines_seconds;
	int64_t recorded; /* seconds since 1970: files that changed later and have no build-id
			   * are not the recorded ones as far as code and unwind rules go. Where
			   * the inode is the recorded one its contents count (mtime), else its
			   * name and mode, too (ctime). 0: not known */
};

enum tally_dso_kind {
	TALLY_DSO_USER,     /* an ELF file; addresses are file offsets */
	TALLY_DSO_KERNEL,   /* the kernel proper; absolute addresses */
	TALLY_DSO_MODULE,   /* "[ext4]", "/lib/modules/.../ext4.ko"; absolute addresses */
	TALLY_DSO_VDSO,     /* offsets into the vdso image */
	TALLY_DSO_PERF_MAP, /* code without a file: JIT; absolute addresses */
	TALLY_DSO_JITDUMP,  /* code that the dump of a JIT compiler has; offsets in that file */
	TALLY_DSO_UNKNOWN,  /* nothing can be known: heap, stack, device, no map at all */
};

/* Which file it was, as MMAP2 records have it; all zero: not known. */
struct tally_dso_inode {
	uint64_t ino;
	uint32_t maj, min; /* of the device; a major of 0 is one that the kernel made up */
};

/* What identifies an object. A file is one by its path and build-id, or where that is not known by
 * its path and inode: containers have different files under the same path. The device counts only
 * if it is a disk: two containers of one image have the same file on two overlays. */
struct tally_dso_key {
	enum tally_dso_kind kind;
	const char *name;        /* the path or name as recorded; copied */
	const uint8_t *build_id; /* NULL when not known */
	size_t build_id_size;    /* at most TALLY_BUILD_ID_MAX, longer ones are cut */
	pid_t pid;   /* PERF_MAP, JITDUMP: whose; USER: 0 or a process that mapped it, and whose
		      * /proc/PID/root may lead to the file (no part of the identity) */
	pid_t nspid; /* PERF_MAP: its pid inside its namespace; 0: asked of procfs,
		      * else the same as pid */
	struct tally_dso_inode inode; /* USER; without meaning where a build-id is known */
	uint64_t start, end;          /* USER: where `pid` has mapped it, 0 where that is not known;
				       * no part of the identity */
};

/* What the lookup of symbols came to, see tally_dso_status. */
enum tally_dso_state {
	TALLY_DSO_NOT_LOADED,  /* no lookup yet */
	TALLY_DSO_LOADED,      /* symbols are there */
	TALLY_DSO_MISSING,     /* no such file, in a recording of elsewhere or below symfs */
	TALLY_DSO_MISMATCH,    /* files exist, none with the recorded build-id */
	TALLY_DSO_NO_SYMBOLS,  /* the file is stripped */
	TALLY_DSO_NOT_ELF,     /* the file is something else */
	TALLY_DSO_BROKEN,      /* the file does not parse */
	TALLY_DSO_DENIED,      /* no permission (also: kptr_restrict) */
	TALLY_DSO_UNSUPPORTED, /* compressed module and no decompressor */
	TALLY_DSO_TOO_LARGE,   /* the file, or a table in it, is beyond a limit of ours */
	TALLY_DSO_CUT,         /* the file became shorter while it was read */
	TALLY_DSO_FOREIGN,     /* not known to be of the machine and kernel that were recorded */
	TALLY_DSO_REPLACED,    /* the path leads to another file than the one that was mapped */
	TALLY_DSO_CHANGED,     /* it has no build-id, and changed after it was recorded */
	TALLY_DSO_NOT_TRUSTED, /* a JIT compiler's file, of a user who is not the process's */
	TALLY_DSO_NO_FILE,     /* the kind has no symbols by nature */
	TALLY_DSO_NO_MEMORY,
	TALLY_DSO_NO_LINES, /* these of its lines alone, see lines.h */
	TALLY_DSO_LATE,
	TALLY_DSO_FULL,
	TALLY_DSO_CRASHED,
	TALLY_DSO_DAMAGED,
	TALLY_DSO_PARTLY,
	TALLY_DSO_NO_RESOURCES,
	TALLY_DSO_DEBUG_ONLY, /* of symbols and lines: its debug file is here, but not itself */
	TALLY_DSO_REMOVED,    /* recorded here, and there is no such file now */
};

/* Where symbols came from. */
enum tally_dso_source {
	TALLY_DSO_SOURCE_NONE,
	TALLY_DSO_SOURCE_SYMTAB,    /* the file's own .symtab */
	TALLY_DSO_SOURCE_DYNSYM,    /* the file's own .dynsym */
	TALLY_DSO_SOURCE_DEBUGDATA, /* the file's .gnu_debugdata beside its .dynsym */
	TALLY_DSO_SOURCE_DEBUGFILE, /* a separate debug file */
	TALLY_DSO_SOURCE_BUILDID,   /* the build-id cache */
	TALLY_DSO_SOURCE_VMLINUX,
	TALLY_DSO_SOURCE_KALLSYMS,
	TALLY_DSO_SOURCE_PERF_MAP,
	TALLY_DSO_SOURCE_JITDUMP,
	TALLY_DSO_SOURCE_MEMORY, /* the vdso of this process */
	TALLY_DSO_SOURCE_MODULE, /* a .ko file */
	TALLY_DSO_SOURCE_INDEX,  /* the index of a file that is gone */
	TALLY_DSO_SOURCE_STORED, /* the recording itself, see stored.h */
};

struct tally_dso_status {
	enum tally_dso_state state;
	enum tally_dso_source source;
	const char *text; /* constant: the state in words, for a health line */
	const char *path; /* the file the symbols came from; NULL when none did */
	size_t nr_symbols;
	size_t nr_skipped;   /* malformed lines or records of a JIT compiler's */
	uint64_t nr_guesses; /* JITDUMP: look-ups without a time, where several codes had been */
	bool has_arch_clock; /* JITDUMP: its times are of a clock that no recording has */
};

/*
 * Whether what was recorded is here to be asked. A recording made on this machine, with the kernel
 * that runs, may be explained by this machine's kernel, vdso, maps of JIT compilers in /tmp, and
 * files of the same names. For one of another machine or kernel all of them would give names that
 * are wrong: there a build-id, or a file or directory that the user names, has to say what is the
 * same.
 */
enum tally_symbols_origin {
	TALLY_SYMBOLS_HERE, /* the same host name, release and architecture, or recorded just now */
	TALLY_SYMBOLS_UNKNOWN,   /* it does not say (a recording that was never finished): files are
				  * taken by name, a kernel if it was moved at boot to where it was
				  * recorded */
	TALLY_SYMBOLS_ELSEWHERE, /* another machine, or another kernel */
};

/* 0, -ENOMEM. `options` may be NULL. The caller frees `*ret_symbols`. */
int tally_symbols_new(const struct tally_symbols_options *options,
		      struct tally_symbols **ret_symbols);
void tally_symbols_free(struct tally_symbols *symbols);

/* Say where the recording is from, before the first lookup; HERE until then. `release` is the
 * recorded kernel's (copied), NULL if it is not known. 0 or -ENOMEM. */
int tally_symbols_set_origin(struct tally_symbols *symbols, enum tally_symbols_origin origin,
			     const char *release);

/* The DSO of `key`, created when new: the same key gives the same pointer. Owned by `symbols`.
 * 0, -EINVAL for a NULL name, -ENOMEM. */
int tally_dso_get(struct tally_symbols *symbols, const struct tally_dso_key *key,
		  struct tally_dso **ret_dso);

/* Free the DSOs without a mark in `keep`, which has one for each by its number; the first kernel
 * stays. Those left are numbered anew in the same order; pointers to them and to what they own
 * stay valid. */
void tally_symbols_sweep(struct tally_symbols *symbols, const uint8_t *keep);

/* How many DSOs there are. */
size_t tally_symbols_nr_dsos(const struct tally_symbols *symbols);

/* The kind of object a MMAP record's file name speaks of in user space ("//anon", "[anon]",
 * "[vdso]", "[heap]", "/memfd:...", "/dev/zero", a path) or, with `kernel`, in the kernel
 * ("[kernel.kallsyms]_text", "[ext4]", ".../ext4.ko.xz"). */
enum tally_dso_kind tally_dso_kind_of(const char *filename, bool kernel);

/* Where the kernel, or a module, was while it was recorded. For the kernel, `address` is that of
 * the symbol `reference` ("_text", "_stext"), which relocates a vmlinux; without it, a vmlinux is
 * taken at its link address unless the kernel runs now. For a module, `address` is where its text
 * starts and `reference` is NULL. To be called before the first lookup. `reference` is copied.
 * 0 or -ENOMEM. */
int tally_dso_set_address(struct tally_dso *dso, const char *reference, uint64_t address);

/* Where the DSO was loaded, if that was told. */
bool tally_dso_address(const struct tally_dso *dso, uint64_t *ret_address);

/* The symbol at `addr`, or NULL. USER, VDSO: `addr` is the file offset, ip - map.start +
 * map.pgoff; the others: the absolute address. The result lives as long as `symbols`. */
const struct tally_symbol *tally_dso_find(struct tally_dso *dso, uint64_t addr);

/* Whether a path is that of a JIT compiler's dump, jit-PID.dump, and of which process. */
bool tally_jitdump_pid(const char *path, int *ret_pid);

/* The unwind rules of the DSO, at places as tally_dso_find() takes them; compiled at the first
 * call. NULL: there are none, and tally_dso_rules_state() says why: NO_SYMBOLS if the file has
 * none, else as of its symbols. They live as long as `symbols`. */
const struct tally_unwind_table *tally_dso_rules(struct tally_dso *dso);
enum tally_dso_state tally_dso_rules_state(const struct tally_dso *dso);

/* For who has rules loaded in another thread: among other symbols the DSO of the same object, made
 * if new (0 or -ENOMEM); and the rules that were loaded there, moved to a DSO that has none yet. */
int tally_dso_twin(struct tally_symbols *symbols, const struct tally_dso *of,
		   struct tally_dso **ret_twin);
void tally_dso_take_rules(struct tally_dso *dso, struct tally_dso *twin);

/* Whether callers may be found by frame pointers where the DSO has no rule, after
 * tally_dso_rules(): it has rules elsewhere, or its functions begin by setting one up. */
bool tally_dso_has_frame_pointers(const struct tally_dso *dso);

/* The name to print of a symbol that tally_dso_find(dso) returned: demangled unless switched
 * off. Remembered: the same symbol gives the same pointer. Never NULL. */
const char *tally_symbol_name(struct tally_dso *dso, const struct tally_symbol *symbol);

/* The same as the linker knows it: mangled. */
const char *tally_symbol_raw_name(const struct tally_dso *dso, const struct tally_symbol *symbol);

/* Whether a symbol that tally_dso_find(dso) returned is but the start of a function. */
bool tally_symbol_is_bound(const struct tally_dso *dso, const struct tally_symbol *symbol);

/* What was loaded, or why nothing was. */
struct tally_dso_status tally_dso_status(const struct tally_dso *dso);

/* A constant lower-case text for a state. */
const char *tally_dso_state_text(enum tally_dso_state state);

enum tally_dso_kind tally_dso_kind(const struct tally_dso *dso);
const char *tally_dso_name(const struct tally_dso *dso);

/* PERF_MAP, JITDUMP: whose. */
pid_t tally_dso_pid(const struct tally_dso *dso);

/* Whether a build-id was recorded with the DSO. */
bool tally_dso_has_recorded_id(const struct tally_dso *dso);

/* The recorded build-id, else the file's own, read now. NULL and 0 when there is none. */
const uint8_t *tally_dso_build_id(struct tally_dso *dso, size_t *ret_size);

/* The build-id of what has the DSO's name on this machine now, for those who recorded it here a
 * moment ago: as it was recorded, else the mapped file's, the kernel's, the loaded module's or this
 * process's vdso's. No symbols are read, and it is not asked whether the kernel is the recorded
 * one. 0 with the id zero-padded; -ENOENT when there is none, -ENOMEM, or why the file could not be
 * opened. */
int tally_dso_running_build_id(const struct tally_dso *dso, uint8_t ret_id[TALLY_BUILD_ID_MAX],
			       size_t *ret_size);

/* The DSO's place in the order of creation, from 0, and the DSO at a place that exists. */
uint32_t tally_dso_number(const struct tally_dso *dso);
struct tally_dso *tally_dso_at(const struct tally_symbols *symbols, uint32_t number);

/* Walk the DSOs in order of creation; NULL at the end. Start with `*pos` 0. */
struct tally_dso *tally_dso_next(const struct tally_symbols *symbols, size_t *pos);

#endif
