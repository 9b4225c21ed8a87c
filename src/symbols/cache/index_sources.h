/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sources of an object's symbols. tally_sources_check() (index_check.h) checks whether the same
 * files would be found now.
 *
 * An object's symbols depend not only on its build-id, but also, for example, on the installed
 * debug files. A loader tries candidate paths (candidates.h) in order. The file at each path, or
 * its absence, is recorded. As long as these files do not change, the loader gets the same symbols.
 */
#ifndef TALLY_SYMBOLS_CACHE_INDEX_SOURCES_H
#define TALLY_SYMBOLS_CACHE_INDEX_SOURCES_H

#include "symbols/dso.h"

/* State of the file at a candidate path, from a stat(2) call made before the file was opened.
 * Element of TALLY_INDEX_PLACES. */
struct tally_source_file {
	int32_t error; /* error of stat(2); if set, the other fields are 0 */
	uint32_t zero;
	uint64_t dev, ino, size;
	uint64_t mtime, ctime; /* ns */
};

/* Return the state of a file, given its path or an open descriptor. */
struct tally_source_file tally_source_file_stat(const char *path);
struct tally_source_file tally_source_file_fstat(int fd);

/* Return true if the file changed so recently that another change might not change its
 * timestamps. */
bool tally_source_file_is_fresh(const struct tally_source_file *file);

/* Section TALLY_INDEX_FACTS. TALLY_INDEX_TEXT is a string: the debug link of a user-space object,
 * or the reference symbol for the kernel's address. */
struct tally_source_facts {
	uint32_t kind;      /* enum tally_dso_kind */
	uint32_t source;    /* enum tally_dso_source */
	int32_t place;      /* index of the path that provided the symbols, or TALLY_SOURCE_* */
	uint32_t nr_places; /* number of candidate paths; the first are in TALLY_INDEX_PLACES */
	uint32_t is_own;    /* the object was found at its own path, the first candidate */
	int32_t kernel;     /* result of tally_kernel_is_here() */
	uint32_t has_address, zero;
	uint64_t address;  /* kernel's address, see tally_dso_set_address() */
	uint64_t kallsyms; /* checksum of the start of the running kernel's kallsyms */
	char boot[40];     /* boot id */
};

enum {
	TALLY_SOURCE_RUNNING = -1, /* the running kernel's kallsyms */
	TALLY_SOURCE_PINNED = -2,  /* file without a path (pins.h) */
};

/* Sources that are recorded while symbols are being loaded. */
struct tally_sources {
	struct tally_source_facts facts;
	TALLY_VEC(struct tally_source_file) files;
	struct tally_build_id object;
	char *word;
	bool is_unfit; /* not suitable for an index */
};

/* Record the file at the next candidate path. Call this before opening the file. Returns the index
 * of the path. If `sources` is NULL, this function and the following ones do nothing. */
int32_t tally_sources_add(struct tally_sources *sources, const char *path);

/* Record the number of candidate paths, and whether the object was found at its own path. */
void tally_sources_set_count(struct tally_sources *sources, size_t nr, bool is_own);

/* Record the origin of the symbols: a candidate path, or `text`, which is the running kernel's
 * kallsyms. */
void tally_sources_set_used(struct tally_sources *sources, int32_t place);
void tally_sources_set_used_running(struct tally_sources *sources, const char *text, size_t len);

/* Record the object's build-id and its TALLY_INDEX_TEXT string (may be NULL), or mark the sources
 * as unsuitable for an index. */
void tally_sources_set_object(struct tally_sources *sources, const struct tally_build_id *object,
			      const char *word);
void tally_sources_mark_unfit(struct tally_sources *sources);

/* Get the boot ID, because kallsyms is valid only for the boot in which it was read. Returns 0 or
 * -errno. */
int tally_boot_read(char boot[40]);

/* Get the checksum of the start of the running kernel's kallsyms, as read with the current
 * permissions. `fd` is /proc/kallsyms, or 0 to open it. Returns 0 or -errno. */
int tally_kallsyms_head_read(int fd, uint64_t *ret_sum);

/* Free the sources. NULL is allowed. */
void tally_sources_free(struct tally_sources *sources);

#endif
