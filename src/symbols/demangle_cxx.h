/* SPDX-License-Identifier: BSD-2-Clause */
/* C++ names, with an estimate of the work that libiberty needs before it does it. */
#ifndef TALLY_SYMBOLS_DEMANGLE_CXX_H
#define TALLY_SYMBOLS_DEMANGLE_CXX_H

#include <stdint.h>

#include <libiberty/demangle.h>

/* A measured C++ name. The caller frees `memory` after the name was printed. */
struct tally_cxx_name {
	struct demangle_component *tree; /* NULL: not parsed */
	void *memory;
	uint64_t work;          /* cost of printing, except for the text, in steps of nanoseconds */
	uint64_t work_per_byte; /* additional cost of each byte of text */
};

/* Measure `raw`, parsing it with the DMGL_ `options` if that is needed. After success the name is
 * printed with cplus_demangle_print_callback() or, if it has no tree, with
 * cplus_demangle_v3_callback(), which may still reject it. Returns 0; -EINVAL if `raw` is not a C++
 * name; -E2BIG if it exceeds libiberty's limits, or printing it could take longer than for any real
 * name; -ENOMEM. */
int tally_cxx_name_parse(const char *raw, int options, struct tally_cxx_name *ret_name);

#endif
