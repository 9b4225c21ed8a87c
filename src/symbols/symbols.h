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

#include "symbols/dso_key.h"
#include "symbols/dso_state.h"
#include "symbols/elf/elf.h"
#include "symbols/load_rules.h"
#include "symbols/symbols_table.h"

struct tally_symbols;
struct tally_dso;
struct tally_pins;

/* Strings and arrays are copied by tally_symbols_new(). Zero or NULL selects perf's defaults. */
struct tally_symbols_options {
	/* Prefix for the path of every recorded object. If it ends with ",flat", objects are looked
	 * up in this directory by their base names. */
	const char *symfs;
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
	int kallsyms_fd;      /* /proc/kallsyms, opened while privileged; borrowed; 0 if not open */
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

/* Free the DSOs that are not marked in `keep`, which is indexed by DSO number. The first kernel is
 * always kept. The remaining DSOs are renumbered in the same order. Pointers to them and to their
 * data stay valid. */
void tally_symbols_collect(struct tally_symbols *symbols, const uint8_t *keep);

/* Return the symbol at `addr`, or NULL. For USER and VDSO, `addr` is the file offset (ip -
 * map.start + map.pgoff). For JITDUMP, it is the offset in the dump (jit_code.h). Otherwise it is
 * the absolute address. The result lives until `symbols` is freed. */
const struct tally_symbol *tally_dso_find(struct tally_dso *dso, uint64_t addr);

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

/* Get the build-id of a loaded kernel module by the name in its map: "[ext4]" or ".../ext4.ko.xz".
 * Returns 0, -ENOENT, -ENOMEM, or the error from open(2). */
int tally_loaded_module_build_id(const char *name, uint8_t ret_id[TALLY_BUILD_ID_MAX],
				 size_t *ret_size);

#endif
