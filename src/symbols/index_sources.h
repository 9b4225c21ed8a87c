/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sources of an object's symbols, and a check if the same files would be found now.
 *
 * The symbols of an object depend not only on its build-id, but also on the debug files that are
 * installed, for example. A loader tries candidate paths (candidates.h) in order, and the file at
 * each of them, or its absence, is recorded. If the same paths have the same files now, the loader
 * would get the same symbols.
 */
#ifndef TALLY_SYMBOLS_INDEX_SOURCES_H
#define TALLY_SYMBOLS_INDEX_SOURCES_H

#include "symbols/dso.h"

/* The file at a candidate path, as reported by stat(2) before it was opened. An element of
 * TALLY_INDEX_PLACES. */
struct tally_source_file {
	int32_t error; /* of stat(2); the other fields are then 0 */
	uint32_t zero;
	uint64_t dev, ino, size;
	uint64_t mtime, ctime; /* ns */
};

/* Return the state of the file at a path or of an open file. */
struct tally_source_file tally_source_file_stat(const char *path);
struct tally_source_file tally_source_file_fstat(int fd);

/* Return true if the file changed so recently that its timestamps may be the same after another
 * change. */
bool tally_source_file_is_fresh(const struct tally_source_file *file);

/* The section TALLY_INDEX_FACTS. TALLY_INDEX_TEXT is a string: the debug link of a user-space
 * object, or the reference symbol for the kernel's address. */
struct tally_source_facts {
	uint32_t kind;      /* enum tally_dso_kind */
	uint32_t source;    /* enum tally_dso_source */
	int32_t place;      /* candidate path with the symbols, or one of those below */
	uint32_t nr_places; /* candidate paths, of which TALLY_INDEX_PLACES has the first */
	uint32_t is_own;    /* the first path, which is the object's own name, had the object */
	int32_t kernel;     /* result of tally_kernel_is_here() */
	uint32_t has_address, zero;
	uint64_t address;  /* of the kernel, see tally_dso_set_address() */
	uint64_t kallsyms; /* checksum of the start of the running kernel's kallsyms */
	char boot[40];     /* boot id */
};

enum {
	TALLY_SOURCE_RUNNING = -1, /* kallsyms of the running kernel */
	TALLY_SOURCE_PINNED = -2,  /* a file without a path (pins.h) */
};

/* Recorded while symbols are being loaded. */
struct tally_sources {
	struct tally_source_facts facts;
	TALLY_VEC(struct tally_source_file) files;
	struct tally_build_id object;
	char *word;
	bool is_unfit; /* not suitable for an index */
};

/* Record the file at the next candidate path, before it is opened. Returns the number of the path.
 * If the DSO has no `sources`, this function and those below do nothing. */
int32_t tally_sources_add(const struct tally_dso *dso, const char *path);

/* Record the number of candidate paths, and whether the object is at its own name. */
void tally_sources_set_count(struct tally_dso *dso, size_t nr, bool is_own);

/* Record where the symbols came from: a candidate path, or `text`, the kallsyms of the running
 * kernel. */
void tally_sources_set_used(struct tally_dso *dso, int32_t place);
void tally_sources_set_used_running(struct tally_dso *dso, const char *text, size_t len);

/* Record the object and its string (NULL: none); or mark the sources as unsuitable for an index. */
void tally_sources_set_object(struct tally_dso *dso, const struct tally_build_id *object,
			      const char *word);
void tally_sources_mark_unfit(const struct tally_dso *dso);

void tally_sources_free(struct tally_dso *dso);

/* Check if the DSO's loader would now find the sources of `index`. If so, `*ret_path` is the file
 * that the symbols came from; the caller frees it. Returns 0; -ESTALE if not; -ENOMEM. */
int tally_sources_check(const struct tally_dso *dso, const struct tally_build_id *object,
			struct tally_index *index, enum tally_dso_source *ret_source,
			char **ret_path);

#endif
