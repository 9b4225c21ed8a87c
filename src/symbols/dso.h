/* SPDX-License-Identifier: BSD-2-Clause */
/* DSO internals, only for the loaders in this directory. */
#ifndef TALLY_SYMBOLS_DSO_H
#define TALLY_SYMBOLS_DSO_H

#include <errno.h>
#include <stdatomic.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/str.h"
#include "base/vec.h"
#include "symbols/elf/image.h"
#include "symbols/cache/index_dir.h"
#include "symbols/symbols.h"
#include "unwind/unwind_table.h"

/* Maximum number of files that are kept open to read code. Each uses a descriptor. */
enum { TALLY_CODES_MAX = 128 };

struct tally_sources;
struct tally_dso_jit;
struct tally_stored;
struct tally_stored_object;

struct tally_symbols {
	struct tally_symbols_options options; /* strings are in the arena; defaults are filled in */
	struct tally_arena arena;
	TALLY_VEC(struct tally_dso *) dsos;
	struct tally_map by_key; /* key hash -> newest DSO with that hash, see dso->older */
	enum tally_symbols_origin origin;
	const char *release; /* recorded kernel's release, in the arena; NULL if unknown */
	uint64_t names_left; /* budget for demangling, see tally_demangle() */
	uint64_t jit_read;   /* bytes read from JIT files; see load_jit.c */
	uint64_t generation; /* see tally_symbols_generation() */

	struct {
		struct tally_dso *dso; /* first kernel DSO; its address reveals reboots */
		char *kallsyms;        /* contents of kallsyms, read once */
		size_t kallsyms_len;
		int code_here; /* result of tally_kernel_is_here(), valid if has_code_here */
		bool has_code_here;
	} kernel;

	/* Files that are open to read code; see load_code.c. */
	struct {
		struct tally_dso *open[TALLY_CODES_MAX];
		size_t nr;
		uint64_t looks; /* number of accesses so far */
	} codes;

	/* Symbol indexes; see cache/. */
	struct {
		struct tally_index_dir dir; /* opened on first use */
		struct tally_map indexed;   /* hashes of build-ids, see index_dso.c */
	} cache;

	/* Symbols embedded in the recording; see embedded/. */
	struct {
		struct tally_stored *stored; /* or NULL */
		struct tally_map by_name;    /* name hash -> first object with that name */
		uint32_t *next;              /* index + 1 of each object's next namesake, or 0 */
	} embedded;

	/* Resources used to look up source lines and types in all files; see symbols_lines.c and
	 * symbols_types.c. */
	struct {
		bool inlined_only;   /* see tally_lines_inlined_only() */
		bool keeps_workers;  /* see tally_lines_keep_workers() */
		unsigned nr_workers; /* number of running workers */
		int64_t waited;      /* total time spent waiting for answers, ms */
		uint64_t answered;   /* total size of the answers in bytes */
		uint64_t asked;      /* number of requests for types */
	} lines_used;
};

struct tally_dso_range {
	uint64_t start, end;
};

/* A DSO: its identity, which is set when it is added, and one part for each source of data about
 * it, which is filled in when it is first needed. */
struct tally_dso {
	struct tally_symbols *owner;
	struct tally_dso *older; /* next DSO with the same key hash */
	uint32_t number;         /* index in the owner's list */
	enum tally_dso_kind kind;
	char *name;
	struct tally_build_id build_id; /* as recorded */
	pid_t pid, nspid;
	struct tally_dso_inode inode; /* USER: as recorded; all zero if unknown or unused */
	char *reference;              /* see tally_dso_set_address(); NULL or owned */
	uint64_t address;
	bool has_address;
	TALLY_VEC(struct tally_dso_range) generated; /* see tally_dso_add_generated() */

	/* The file's build-id, see tally_dso_build_id(). */
	struct {
		struct tally_build_id id;
		bool is_final;
	} own;

	/* USER: shared by threads. */
	struct {
		atomic_int process;          /* last process to map the file */
		_Atomic uint64_t start, end; /* mapped range; 0 if unknown */
	} mapping;

	struct {
		bool raw;               /* do not demangle: kernel C names only look mangled */
		struct tally_map shown; /* raw name pointer -> shown name pointer */
	} names;

	/* Symbols from files. */
	struct {
		enum tally_dso_state state;
		enum tally_dso_source source;
		char *path; /* file that the symbols came from; NULL or owned */
		struct tally_image image, runtime, debugdata; /* open while loading symbols */
		struct tally_symtab table;
		struct tally_symtab stubs; /* see tally_elf_add_stubs(); searched first */
	} files;

	/* The index of the symbols; see cache/. */
	struct {
		struct tally_index index;      /* index that the table borrows from, if mapped */
		struct tally_sources *sources; /* of the table, to save in its index; or NULL */
		bool is_kept;                  /* see tally_dso_index_pinned() */
	} cached;

	/* Unwind rules; see load_rules.c. */
	struct {
		struct tally_unwind_table table; /* borrows from block or index */
		void *block; /* NULL if there are no rules, or if they are mapped */
		struct tally_index index;
		enum tally_dso_state state;
		bool has_frame_pointers; /* valid once state is set */
	} rules;

	/* Functions without a name, with bounds from the unwind rules; see bounds.c. */
	struct {
		struct tally_map by_start;
		struct tally_arena arena;        /* storage for the symbols */
		struct tally_unwind_table table; /* borrows from block or index */
		void *block;                     /* NULL if the table is mapped */
		struct tally_index index;
		bool was_tried, is_loaded; /* of the table */
	} bounds;

	/* Machine code; see load_code.c. */
	struct {
		struct tally_image image;
		uint64_t look;   /* value of owner->codes.looks at the last access */
		bool is_missing; /* no file with code was found */
	} code;

	/* Symbols embedded in the recording; see embedded/. */
	struct {
		const struct tally_stored_object *object; /* valid if is_asked */
		bool is_asked;
		bool is_used;
		bool asks_files, has_files; /* files are searched too; symbols were found in them */
	} embedded;

	struct tally_dso_jit *jit;     /* PERF_MAP, JITDUMP: NULL until the first search */
	struct tally_dso_lines *lines; /* NULL until requested; see symbols_lines.h */
	struct tally_dso_types *types; /* NULL until requested; see symbols_types.h */
};

/* Return a DSO's key. The key's pointers are borrowed from the DSO. */
struct tally_dso_key tally_dso_key_of(const struct tally_dso *dso);

/* Return true if the known parts of two inodes are equal. */
bool tally_dso_inode_equal(const struct tally_dso_inode *a, const struct tally_dso_inode *b);

/* Remove a DSO from the list of DSOs with the same hash. */
void tally_dso_unlink(struct tally_symbols *symbols, const struct tally_dso *dso);

/* Return the bare name of a module: "ext4" for "[ext4]" and ".../ext4.ko.xz". The kernel uses '_'
 * where file names have '-'. The caller frees it. Returns NULL on memory allocation failure. */
char *tally_module_bare(const char *name);

/* Return the name to print for a raw name of this DSO; `arg` is the DSO. */
const char *tally_dso_shown_name(void *arg, const char *raw);

/* Free the names made by tally_dso_shown_name(). */
void tally_dso_free_shown(struct tally_dso *dso);

#endif
