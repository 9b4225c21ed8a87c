/* SPDX-License-Identifier: BSD-2-Clause */
/* Unwind stacks of a recording with libdwfl, for comparison. */
#ifndef TALLY_TESTS_UNWIND_ORACLE_DWFL_H
#define TALLY_TESTS_UNWIND_ORACLE_DWFL_H

#include <elfutils/libdwfl.h>

#include "abi/abi_sample.h"
#include "base/map.h"
#include "base/vec.h"
#include "profile/machine.h"

enum { ORACLE_MAX_FRAMES = 1024 };

struct oracle_frame {
	uint64_t ip;
	bool is_activation; /* interrupted, not calling */
};

/* Initialize with zeros, except the options. */
struct oracle_dwfl {
	uint16_t machine;  /* EM_* */
	const char *symfs; /* NULL or a prefix of all paths */
	const char *vdso;  /* file with an image of the vdso; NULL: this process's, unless symfs is
	                    * set */

	Dwfl *dwfl; /* state of the address space number `space` */
	uint64_t space;
	struct oracle_modules *modules;
	struct tally_map data_maps;        /* start addresses of mappings without code */
	const struct tally_sample *sample; /* sample being unwound */
	uint64_t stack_start;
	TALLY_VEC(struct oracle_frame) frames; /* last stack, innermost frame first */
	const char *end;                       /* reason of the end; constant text */
	bool has_missed; /* memory read since the last frame is not in the dump */
};

/* Process a record in host byte order. A data mapping, even of a file's first page, does not
 * contain the file's code. */
int oracle_dwfl_record(struct oracle_dwfl *oracle, const void *record, size_t len);

/* Unwind into `frames`. They are empty if libdwfl fails; `end` is the reason. Returns 0 or -ENOMEM.
 */
int oracle_dwfl_unwind(struct oracle_dwfl *oracle, const struct tally_thread *thread,
		       const struct tally_sample *sample);

void oracle_dwfl_free(struct oracle_dwfl *oracle);

#endif
