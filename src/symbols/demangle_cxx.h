/* SPDX-License-Identifier: BSD-2-Clause */
/* C++ names, with an estimate of the work that libiberty needs to print them. */
#ifndef TALLY_SYMBOLS_DEMANGLE_CXX_H
#define TALLY_SYMBOLS_DEMANGLE_CXX_H

#include <stdint.h>

#include <libiberty/demangle.h>

/* Measured C++ name. The caller frees `memory` after printing the name. */
struct tally_cxx_name {
	struct demangle_component *tree; /* NULL if not parsed */
	void *memory;
	uint64_t work;          /* printing steps, not counting text; each takes nanoseconds */
	uint64_t work_per_byte; /* additional cost per byte of text */
};

/* Measure `raw`, parsing it with the DMGL_ `options` if necessary. On success the name can be
 * printed with cplus_demangle_print_callback() or, if it has no tree, with
 * cplus_demangle_v3_callback(), which may still reject it. Returns 0; -EINVAL if `raw` is not a C++
 * name; -E2BIG if it exceeds libiberty's limits, or if it could take longer to print than any real
 * name; or -ENOMEM. */
int tally_cxx_name_parse(const char *raw, int options, struct tally_cxx_name *ret_name);

#endif
