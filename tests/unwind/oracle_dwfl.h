/* SPDX-License-Identifier: BSD-2-Clause */
/* Stacks of a recording unwound by libdwfl, for comparison. */
#ifndef TALLY_TESTS_UNWIND_ORACLE_DWFL_H
#define TALLY_TESTS_UNWIND_ORACLE_DWFL_H

#include <elfutils/libdwfl.h>

#include "abi/sample.h"
#include "base/map.h"
#include "base/vec.h"
#include "profile/machine.h"

enum { ORACLE_MAX_FRAMES = 1024 };

struct oracle_frame {
	uint64_t ip;
	bool is_activation; /* it was interrupted, it called nothing */
};

/* All zero but for the options is one that has seen nothing. */
struct oracle_dwfl {
	uint16_t machine;  /* EM_* */
	const char *symfs; /* NULL or a prefix of every path */
	const char *vdso;  /* a file with the vdso's image; NULL: this process's, without symfs */

	Dwfl *dwfl; /* of one state of one address space, numbered by `space` */
	uint64_t space;
	struct oracle_modules *modules;
	struct tally_map data_maps;        /* where maps begin that hold no code */
	const struct tally_sample *sample; /* that is unwound */
	uint64_t stack_start;
	TALLY_VEC(struct oracle_frame) frames; /* of the last stack, innermost first */
	const char *end;                       /* why it has no more; constant text */
	bool has_missed; /* memory that was wanted since the last frame is not in the dump */
};

/* Take notice of a record in host order: a map of data, though it may be of a file's first page, is
 * not where the file's code is. */
int oracle_dwfl_record(struct oracle_dwfl *oracle, const void *record, size_t len);

/* Unwind into `frames`, none where libdwfl refuses, which `end` then tells. 0 or -ENOMEM. */
int oracle_dwfl_unwind(struct oracle_dwfl *oracle, const struct tally_thread *thread,
		       const struct tally_sample *sample);

void oracle_dwfl_free(struct oracle_dwfl *oracle);

#endif
