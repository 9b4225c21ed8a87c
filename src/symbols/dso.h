/* SPDX-License-Identifier: BSD-2-Clause */
/* The insides of a DSO, shared by the loaders of this room alone. */
#ifndef TALLY_SYMBOLS_DSO_H
#define TALLY_SYMBOLS_DSO_H

#include <errno.h>
#include <stdatomic.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/str.h"
#include "base/vec.h"
#include "symbols/image.h"
#include "symbols/index_dir.h"
#include "symbols/symbols.h"
#include "unwind/table.h"

/* Files that are open for their code, which take a descriptor each. */
enum { TALLY_CODES_MAX = 128 };

struct tally_symbols {
	struct tally_symbols_options options; /* strings in the arena, defaults filled in */
	struct tally_arena arena;
	TALLY_VEC(struct tally_dso *) dsos;
	struct tally_map by_key;  /* hash of a key to the newest DSO with it, see dso->older */
	struct tally_dso *kernel; /* the first of its kind, whose address tells of reboots */
	char *kallsyms;           /* text, read once */
	size_t kallsyms_len;
	enum tally_symbols_origin origin;
	const char *release; /* of the recorded kernel, in the arena; NULL: not known */
	int kernel_code;     /* see tally_kernel_is_here(), once has_kernel_code */
	bool has_kernel_code;
	uint64_t names_left; /* what demangling may still cost, see tally_demangle() */
	struct tally_dso *codes[TALLY_CODES_MAX]; /* whose `code` is open */
	size_t nr_codes;
	uint64_t code_looks;            /* at any of them */
	struct tally_index_dir indexes; /* opened at the first use */
	uint64_t jit_read;              /* of JIT compilers' files; see load_jit.c */
	uint64_t generation;            /* see tally_symbols_generation() */
	struct tally_map indexed;       /* hashes of build-ids, see index_dso.c */
	struct tally_stored *stored;    /* names that came with the recording, or NULL */
	struct tally_map stored_by; /* what an object is called to the first one, see stored.c */
	uint32_t *stored_next;      /* by object: the next one of that name, + 1 */
	/* What all files' lines took; see lines.c. */
	struct {
		unsigned nr_workers; /* that are there now */
		int64_t waited;      /* ms */
		uint64_t answered;   /* bytes */
	} lines_used;
};

struct tally_sources;
struct tally_dso_jit;
struct tally_stored;
struct tally_stored_object;

struct tally_dso {
	struct tally_symbols *owner;
	struct tally_dso *older; /* with the same hash of its key */
	uint32_t number;         /* place in the owner's list */
	enum tally_dso_kind kind;
	char *name;
	struct tally_build_id build_id; /* as recorded */
	struct tally_build_id own_id;   /* of the file, see tally_dso_build_id */
	bool asked_id;                  /* own_id is final */
	pid_t pid, nspid;
	struct tally_dso_inode inode; /* USER: as recorded; all zero: not known, or not needed */
	atomic_int mapper; /* USER: who mapped it last; files are opened in other threads */
	_Atomic uint64_t mapped_start, mapped_end; /* where; 0: not known */
	char *reference;                           /* see tally_dso_set_address; NULL or owned */
	uint64_t address;
	bool has_address;

	enum tally_dso_state state;
	enum tally_dso_source source;
	char *path;     /* where the symbols came from; NULL or owned */
	bool raw_names; /* C names that only look mangled: the kernel's */

	struct tally_image image, runtime, debugdata; /* while symbols are being loaded */
	struct tally_symtab table;
	struct tally_index index;        /* that the table borrows from, if it is mapped */
	struct tally_sources *sources;   /* of the table, for an index of it; or NULL */
	struct tally_dso_jit *jit;       /* PERF_MAP, JITDUMP, once they were looked for; or NULL */
	struct tally_symtab stubs;       /* see tally_elf_add_stubs(); asked first */
	struct tally_unwind_table rules; /* of rules_block */
	void *rules_block;               /* NULL: none, or they are mapped: */
	struct tally_index rules_index;
	enum tally_dso_state rules_state;
	bool has_frame_pointers; /* see tally_dso_has_frame_pointers(); once rules_state says */
	struct tally_map bounds; /* functions without a name, by start */
	struct tally_arena bound_symbols; /* they live here */
	struct tally_dso_lines *lines;    /* NULL: nobody asked; see lines.h */
	struct tally_map shown;           /* raw name pointer to shown name pointer */

	struct tally_image code; /* see load_code.c */
	uint64_t code_look;      /* number of the last look at it */
	bool has_no_code;        /* none was found */
	bool is_kept;            /* see tally_dso_keep() */

	const struct tally_stored_object *stored; /* see tally_dso_stored(); once */
	bool asked_stored;                        /* is set */
	bool uses_stored;                         /* the symbols are those that are stored; */
	bool asks_files, has_files;               /* then the file's, which are there */
};

/* Codes of loading that have a meaning of their own here, and the states that they become. */
enum {
	TALLY_DSO_ERROR_FOREIGN = -EXDEV,            /* TALLY_DSO_FOREIGN */
	TALLY_DSO_ERROR_NOT_TRUSTED = -EKEYREJECTED, /* TALLY_DSO_NOT_TRUSTED */
	TALLY_DSO_ERROR_REPLACED = -EREMCHG,         /* TALLY_DSO_REPLACED */
	TALLY_DSO_ERROR_REMOVED = -EIDRM,            /* TALLY_DSO_REMOVED */
	TALLY_DSO_ERROR_CHANGED = -EUCLEAN,          /* TALLY_DSO_CHANGED */
	TALLY_DSO_ERROR_DEBUG_ONLY = -EDOM,          /* TALLY_DSO_DEBUG_ONLY */
};

/* The key that a DSO has, with what is borrowed from it. */
struct tally_dso_key tally_dso_key_of(const struct tally_dso *dso);

/* The DSO of a key, if there is one. 0 or -ENOENT. */
int tally_dso_lookup(struct tally_symbols *symbols, const struct tally_dso_key *key,
		     struct tally_dso **ret_dso);

/* May the running kernel, its modules and its vdso stand for the recorded ones? 0;
 * TALLY_DSO_ERROR_FOREIGN if that is not known; -ESTALE if the build-ids differ; or why it could
 * not be found out. */
int tally_kernel_is_here(struct tally_symbols *symbols);

/* May a file of the DSO's name be taken for the one that was recorded? 0 if so, be it that the
 * build-id will tell, or TALLY_DSO_ERROR_FOREIGN. */
int tally_dso_is_here(const struct tally_dso *dso);

/* Whether what is known of two inodes is the same. */
bool tally_dso_inode_equal(const struct tally_dso_inode *a, const struct tally_dso_inode *b);

/* Read the running kernel's kallsyms into `symbols->kallsyms`. 0 or -errno. */
int tally_kallsyms_read_running(struct tally_symbols *symbols);

/* "ext4" of "[ext4]" and ".../ext4.ko.xz"; the kernel says '_' where files say '-'. The caller
 * frees it. NULL when out of memory. */
char *tally_module_bare(const char *name);

/* The name to print of a raw name of this DSO; `arg` is the DSO. */
const char *tally_dso_shown_name(void *arg, const char *raw);

#endif
