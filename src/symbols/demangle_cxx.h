/* SPDX-License-Identifier: BSD-2-Clause */
/* C++ names, with the work that they make libiberty do known before it is done. */
#ifndef TALLY_SYMBOLS_DEMANGLE_CXX_H
#define TALLY_SYMBOLS_DEMANGLE_CXX_H

#include <stdint.h>

#include <libiberty/demangle.h>

/* A measured C++ name. It owns `memory`, to be freed after the name was printed. */
struct tally_cxx_name {
	struct demangle_component *tree; /* or NULL: not parsed */
	void *memory;
	uint64_t work;          /* what printing it takes besides the text: steps of nanoseconds */
	uint64_t work_per_byte; /* and for each byte of the text */
};

/* Measures `raw`, parsed with the DMGL_ `options` where that is needed. 0, and `ret_name` is to be
 * printed with cplus_demangle_print_callback(), or, where it has no tree,
 * cplus_demangle_v3_callback(), which may find that it is no C++ name. -EINVAL when it is none;
 * -E2BIG when it is longer than libiberty goes, or printing it may take longer than any real name
 * does; -ENOMEM. */
int tally_cxx_name_parse(const char *raw, int options, struct tally_cxx_name *ret_name);

#endif
