/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What symbols were made of, and whether the same files would be found today.
 *
 * Which symbols an object has depends on more than its build-id: on which debug files are
 * installed, for one. A loader looks at places (places.h) one after the other; which file was at
 * each of them, or that there was none, is noted. If the same places today have the same files, the
 * loader would do what it did then.
 */
#ifndef TALLY_SYMBOLS_INDEX_SOURCES_H
#define TALLY_SYMBOLS_INDEX_SOURCES_H

#include "symbols/dso.h"

/* What was at a place: by stat(2), before it was opened. An element of TALLY_INDEX_PLACES. */
struct tally_source_file {
	int32_t error; /* of stat(2); the rest is 0 then */
	uint32_t zero;
	uint64_t dev, ino, size;
	uint64_t mtime, ctime; /* ns */
};

struct tally_source_file tally_source_file_look(const char *path);
struct tally_source_file tally_source_file_look_fd(int fd);

/* Whether the file may change without a trace in its times, as it changed just now. */
bool tally_source_file_is_fresh(const struct tally_source_file *file);

/* The section TALLY_INDEX_FACTS. TALLY_INDEX_WORD is text: a user object's debug link, or the
 * symbol that told the kernel's address. */
struct tally_source_facts {
	uint32_t kind;      /* enum tally_dso_kind */
	uint32_t source;    /* enum tally_dso_source */
	int32_t place;      /* that the symbols came from, or one of those below */
	uint32_t nr_places; /* there were; of the first ones of them there is a file */
	uint32_t is_own;    /* the first place, the object's own name, had the object */
	int32_t kernel;     /* tally_kernel_is_here() */
	uint32_t has_address, zero;
	uint64_t address;  /* of the kernel, see tally_dso_set_address() */
	uint64_t kallsyms; /* sum of how the running kernel's list begins */
	char boot[40];     /* boot id */
};

enum {
	TALLY_SOURCE_RUNNING = -1, /* the running kernel's list */
	TALLY_SOURCE_PINNED = -2,  /* a file that no path leads to (pins.h) */
};

/* What is noted while symbols are being loaded. */
struct tally_sources {
	struct tally_source_facts facts;
	TALLY_VEC(struct tally_source_file) files;
	struct tally_build_id object;
	char *word;
	bool is_unfit; /* for an index */
};

/* Note what is at the next place, before it is opened. Returns its number. The DSO may have no
 * `sources`: then nothing is noted, here and below. */
int32_t tally_sources_look(const struct tally_dso *dso, const char *path);

/* Note how many places there are, and whether the object's own name is that of the object. */
void tally_sources_expect(struct tally_dso *dso, size_t nr, bool is_own);

/* Note where the symbols came from: a place, or `text`, the running kernel's list. */
void tally_sources_take(struct tally_dso *dso, int32_t place);
void tally_sources_take_running(struct tally_dso *dso, const char *text, size_t len);

/* Note the object and its text (NULL: none); or that it is not to be told by its places. */
void tally_sources_name(struct tally_dso *dso, const struct tally_build_id *object,
			const char *word);
void tally_sources_refuse(const struct tally_dso *dso);

void tally_sources_free(struct tally_dso *dso);

/* Whether the DSO's loader would find today what `index` was made of. If so, `*ret_path` is where
 * the symbols came from, for the caller to free. 0, -ESTALE if not, or -ENOMEM. */
int tally_sources_check(const struct tally_dso *dso, const struct tally_build_id *object,
			struct tally_index *index, enum tally_dso_source *ret_source,
			char **ret_path);

#endif
