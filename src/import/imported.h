/* SPDX-License-Identifier: BSD-2-Clause */
/* Stacks that are being imported: functions, places, threads, events and samples, which are
 * numbered in order of appearance. */
#ifndef TALLY_IMPORT_IMPORTED_H
#define TALLY_IMPORT_IMPORTED_H

#include "base/intern.h"
#include "base/map.h"
#include "base/slots.h"
#include "base/vec.h"
#include "import/import.h"
#include "profile/stacks.h"

#define IMPORT_NONE UINT32_MAX

/* Maximum number of frames in a stack. Its outermost frames are cut. */
enum { IMPORT_FRAMES_MAX = 4000 };

/* A function at a place. Texts are IDs in imported->texts, or IMPORT_NONE. */
struct import_row {
	uint32_t function, file;
	uint32_t line; /* 0 if unknown */
};

/* An address: its functions, first those that are inlined there. */
struct import_place {
	uint64_t recorded;  /* recorded address if the function is unknown, otherwise 0 */
	uint64_t address;   /* assigned by import_write() */
	uint32_t module;    /* IMPORT_NONE if not mapped */
	uint32_t first, nr; /* rows */
};

struct import_module {
	uint32_t name; /* text */
	bool is_kernel;
};

struct import_thread {
	uint64_t host; /* distinguishes equal numbers of different machines */
	int32_t pid, tid;
};

struct import_sample {
	uint64_t time; /* 0 if unknown */
	uint64_t weight;
	uint32_t stack, thread, comm, event, cpu; /* cpu: IMPORT_NONE if unknown */
};

struct imported {
	struct tally_intern texts;
	TALLY_VEC(struct import_module) modules;
	struct tally_map module_of; /* by text and mode */
	TALLY_VEC(struct import_row) rows;
	TALLY_VEC(struct import_place) places;
	struct tally_slots slots; /* index of `places` */
	struct tally_stacks stacks;
	TALLY_VEC(struct import_thread) threads;
	struct tally_slots thread_slots;
	TALLY_VEC(uint32_t) events; /* texts */
	struct tally_map event_of;  /* by text */
	TALLY_VEC(struct import_sample) samples;
	uint64_t lost;        /* samples */
	uint64_t input_bytes; /* size of the files that were read */
	bool has_times, has_cpus;
	bool is_walked; /* callers in user space were found by walking frame pointers */
	struct tally_import_notes notes;
};

/* The functions below return 0 or -ENOMEM. */

/* Names are cut to 32,767 bytes. */
int import_text(struct imported *imported, const char *text, size_t len, uint32_t *ret_text);

int import_module(struct imported *imported, uint32_t name, bool is_kernel, uint32_t *ret_module);

/* Find or add a place with `nr` rows. Of `place`, only `module` and `recorded` are used. */
int import_place(struct imported *imported, const struct import_place *place,
		 const struct import_row *rows, uint32_t nr, uint32_t *ret_place);

/* Find or add a stack of places, innermost first. It may be empty. */
int import_stack(struct imported *imported, const uint32_t *places, uint32_t nr,
		 uint32_t *ret_stack);

int import_thread(struct imported *imported, const struct import_thread *thread,
		  uint32_t *ret_thread);

int import_event(struct imported *imported, uint32_t name, uint32_t *ret_event);

void imported_free(struct imported *imported);

/* ---- readers and the writer ----------------------------------------------- */

struct import_input {
	const char *path;
	const char *bytes; /* contents, unless it is a directory */
	size_t len;
	const struct tally_messages *messages;
};

/* Each returns 0, or -errno after emitting an error message. */
int import_folded(struct imported *imported, const struct import_input *input);
int import_table(struct imported *imported, const struct import_input *input);
int import_dataset(struct imported *imported, const struct import_input *input);

/* Write the recording. Returns 0 or -errno. */
int import_write(struct imported *imported, int fd);

#endif
