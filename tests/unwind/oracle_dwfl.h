/* SPDX-License-Identifier: BSD-2-Clause */
/* Unwind the stacks in a recording with libdwfl, for comparison. */
#ifndef TALLY_TESTS_UNWIND_ORACLE_DWFL_H
#define TALLY_TESTS_UNWIND_ORACLE_DWFL_H

#include <elfutils/libdwfl.h>

#include "abi/abi_sample.h"
#include "base/map.h"
#include "base/vec.h"
#include "profile/process/machine.h"

enum { ORACLE_MAX_FRAMES = 1024 };

struct oracle_frame {
	uint64_t ip;
	bool is_activation; /* an interrupted frame, not a calling frame */
};

/* Initialize to zero, except for the options. */
struct oracle_dwfl {
	uint16_t machine;  /* EM_* */
	const char *symfs; /* NULL, or a prefix for all paths */
	/* File with an image of the vdso. If NULL, use this process's vdso, unless symfs is set. */
	const char *vdso;

	Dwfl *dwfl; /* state for the address space with number `space` */
	uint64_t space;
	struct oracle_modules *modules;
	struct tally_map data_maps;        /* start addresses of mappings without code */
	const struct tally_sample *sample; /* sample being unwound */
	uint64_t stack_start;
	TALLY_VEC(struct oracle_frame) frames; /* last stack, innermost frame first */
	const char *end;                       /* why the stack ended; a constant string */
	bool has_missed; /* memory that was read since the last frame is not in the dump */
};

/* Process a record in host byte order. A data mapping does not contain the file's code, even if it
 * maps the file's first page. */
int oracle_dwfl_record(struct oracle_dwfl *oracle, const void *record, size_t len);

/* Unwind into `frames`. If libdwfl fails, `frames` is empty and `end` is the reason. Returns 0 or
 * -ENOMEM. */
int oracle_dwfl_unwind(struct oracle_dwfl *oracle, const struct tally_thread *thread,
		       const struct tally_sample *sample);

void oracle_dwfl_free(struct oracle_dwfl *oracle);

#endif
